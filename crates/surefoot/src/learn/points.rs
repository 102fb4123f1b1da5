//! Vectors of which only the convex hull matters, thinned to its vertices when they become many.

use rustc_hash::FxHashSet;

use crate::exact::{Budget, Generators, Polyhedron, Rational, Row, hull, inner, vertices};

/// In more columns nearly every vector is a vertex, and finding out costs more than keeping them.
const THINNED_COLUMNS: usize = 10;

/// So many vectors are kept before they are thinned for the first time.
const THIN_AT: usize = 4096;

/// So many facets has the part of the hull that is looked at first.
const CORE: usize = 48;

/// A set of vectors, of which only the hull matters.
#[derive(Clone, Debug)]
pub(super) struct Points {
    rows: FxHashSet<Row>,
    /// The size at which to thin next.
    limit: usize,
    /// The hull at the last thinning: what lies in it is not kept. Before it a part of it with few facets, which most vectors
    /// lie in.
    inside: Vec<Polyhedron>,
    /// Whether nothing was added since what does not depend on the order was all that is left.
    settled: bool,
}

impl Default for Points {
    fn default() -> Self {
        Points { rows: FxHashSet::default(), limit: THIN_AT, inside: Vec::new(), settled: false }
    }
}

impl Points {
    /// These vectors.
    pub fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        Points { rows: rows.into_iter().collect(), ..Points::default() }
    }

    /// The vectors that are kept, in no order.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// Whether what is kept does not depend on the order of insertions.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// Leaves only what does not depend on the order of insertions.
    pub fn settle(&mut self, columns: usize) {
        if !self.settled {
            self.thin(columns, false);
            self.settled = true;
        }
    }

    /// Adds a vector over so many columns.
    pub fn insert(&mut self, row: Row, columns: usize) {
        if self.inside.iter().any(|hull| hull.satisfied_by(&row)) {
            return;
        }
        self.settled &= !self.rows.insert(row);
        if self.rows.len() > self.limit && columns <= THINNED_COLUMNS {
            self.thin(columns, true);
            self.limit = THIN_AT.max(2 * self.rows.len());
        }
    }

    /// Keeps the vertices of the hull. With `more` to come, remembers the hull, so that what lies in it is not kept.
    fn thin(&mut self, columns: usize, more: bool) {
        if columns > THINNED_COLUMNS {
            return;
        }
        let mut rows: Vec<Row> = self.rows.drain().collect();
        rows.sort();
        let vector = |row: &Row| {
            let scale = row.entry(0);
            (1..row.len()).map(|index| row.entry(index).checked_div(&scale).unwrap_or(Rational::ZERO)).collect()
        };
        let vectors: Vec<Vec<Rational>> = rows.iter().map(vector).collect();
        self.inside.clear();
        // Of few vectors, linear programs find the vertices faster than facets do.
        let budget = if vectors.len() < 1_000 || more { 2_000 } else { 20_000 };
        let kept = match hull(&vectors, &[], Budget::facets(budget)) {
            Ok(hull) => {
                let kept = hull.generators().map(Generators::vertices).unwrap_or_default();
                if more {
                    self.inside = vec![inner(&vectors, &[], Budget::facets(CORE)).hull, hull];
                }
                kept
            }
            Err(_) => vertices(&vectors),
        };
        self.rows = kept.into_iter().map(|index| rows[index].clone()).collect();
    }
}

/// The order and the settings of speed do not count.
impl PartialEq for Points {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}
