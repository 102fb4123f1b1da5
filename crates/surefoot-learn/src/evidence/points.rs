//! Vectors for which only the convex hull matters. If they become many, only the vertices of the
//! hull are kept.

use rustc_hash::FxHashSet;
use surefoot_base::exact::{Budget, Generators, Polyhedron, Rational, Row, hull, inner, vertices};
use surefoot_base::invariant::Invariant;

/// In more columns nearly every vector is a vertex, and finding out costs more than keeping them.
const THINNED_COLUMNS: usize = 10;

/// The number of vectors that are kept before they are thinned for the first time.
const THIN_AT: usize = 4096;

/// This many vectors are few: finding their vertices can cost more than it saves.
const FEW: usize = 1024;

/// The number of facets of the part of the hull that is examined first.
const CORE: usize = 48;

/// A set of vectors for which only the hull matters.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    rows: FxHashSet<Row>,
    /// The size at which to thin next.
    limit: usize,
    /// The hull at the last thinning: what lies in it is not kept. Before it a part of it with few
    /// facets, which most vectors lie in.
    inside: Vec<Polyhedron>,
    /// Whether nothing was added since what does not depend on the order was all that is left.
    settled: bool,
    /// Whether only vertices are left in the end. Otherwise all vectors are: there were never more
    /// than a few.
    thinned: bool,
}

impl Default for Points {
    fn default() -> Self {
        Points {
            rows: FxHashSet::default(),
            limit: THIN_AT,
            inside: Vec::new(),
            settled: false,
            thinned: true,
        }
    }
}

impl Points {
    /// The set of these vectors.
    pub fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        Points { rows: rows.into_iter().collect(), ..Points::default() }
    }

    /// No vectors yet; they are thinned only if they become more than a few.
    pub fn thinned_when_many() -> Self {
        Points { limit: FEW, thinned: false, ..Points::default() }
    }

    /// The set of these vectors, as it was stored; `thinned` says whether there were too many.
    pub fn restored(rows: impl IntoIterator<Item = Row>, thinned: bool) -> Self {
        let mut points = Points::thinned_when_many();
        points.thinned = thinned;
        points.rows.extend(rows);
        points
    }

    /// Leaves only vertices in the end.
    pub fn thin_in_the_end(&mut self) {
        self.settled &= self.thinned;
        self.thinned = true;
    }

    /// Whether only vertices are left in the end.
    ///
    /// That depends on how many different vectors there ever were, not on their order: none is
    /// dropped before they are many.
    pub fn is_thinned(&self) -> bool {
        self.thinned
    }

    /// Adds all vectors of another set, over this many columns.
    pub fn merge(&mut self, other: &Points, columns: usize) {
        self.settled &= self.thinned == other.thinned;
        self.thinned |= other.thinned;
        for row in other.rows() {
            self.insert(row.clone(), columns);
        }
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
        if !self.settled && self.thinned {
            self.thin(columns, false);
        }
        self.settled = true;
    }

    /// Adds a vector over this many columns.
    pub fn insert(&mut self, row: Row, columns: usize) {
        if self.inside.iter().any(|hull| hull.satisfied_by(&row)) {
            return;
        }
        self.settled &= !self.rows.insert(row);
        if self.rows.len() > self.limit && columns <= THINNED_COLUMNS {
            self.thin(columns, true);
            self.thinned = true;
            self.limit = THIN_AT.max(2 * self.rows.len());
        }
    }

    /// Keeps the vertices of the hull. With `more` to come, remembers the hull, so that what lies
    /// in it is not kept.
    fn thin(&mut self, columns: usize, more: bool) {
        if columns > THINNED_COLUMNS {
            return;
        }
        let mut rows: Vec<Row> = self.rows.drain().collect();
        rows.sort();
        let vectors: Vec<Vec<Rational>> = rows
            .iter()
            .map(|row| (1..row.len()).map(|index| row.coordinate(index)).collect())
            .collect();
        self.inside.clear();
        // Of few vectors, linear programs find the vertices faster than facets do.
        let budget = if vectors.len() < 1_000 || more { 2_000 } else { 20_000 };
        let kept = match hull(&vectors, &[], Budget::facets(budget)) {
            Ok(hull) => {
                let kept = hull
                    .generators()
                    .map(Generators::vertices)
                    .invariant("a hull knows what spans it");
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
        self.rows == other.rows && self.thinned == other.thinned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(place: usize) -> Row {
        // A parabola and what lies above it: some vectors are vertices, most are not.
        let (x, y) = ((place % 40) as i64, (place / 40) as i64);
        Row::point(&[Rational::integer(x), Rational::integer(x * x + y)])
    }

    fn inserted(places: &[usize]) -> Points {
        let mut points = Points::thinned_when_many();
        places.iter().for_each(|&place| points.insert(vector(place), 2));
        points
    }

    fn settled(mut points: Points) -> Points {
        points.settle(2);
        points
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Few or many, in any order, apart or together, settled in between or not: what is left is
        /// the same.
        #[test]
        fn what_is_left_depends_on_no_order(
            places in Just((0..1600).collect::<Vec<usize>>()).prop_shuffle(),
            count in prop_oneof![1..FEW, FEW - 2..FEW + 3, FEW..1600],
            cut in 0.0..1.0f64,
            between in any::<bool>(),
        ) {
            let places = &places[..count];
            let (first, second) = places.split_at((cut * count as f64) as usize);
            let mut sorted = places.to_vec();
            sorted.sort_unstable();
            let mut merged = inserted(first);
            if between {
                merged.settle(2);
                merged = Points::restored(
                    merged.rows().cloned().collect::<Vec<_>>(),
                    merged.is_thinned(),
                );
            }
            merged.merge(&inserted(second), 2);
            merged.merge(&inserted(first), 2);
            let expected = settled(inserted(&sorted));
            prop_assert_eq!(expected.is_thinned(), count > FEW);
            prop_assert!(count > FEW || expected.rows().count() == count);
            prop_assert_eq!(&settled(inserted(places)), &expected);
            prop_assert_eq!(&settled(merged), &expected);
        }
    }
}
