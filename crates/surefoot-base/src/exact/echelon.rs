//! Linear subspaces in canonical form: a reduced echelon basis of primitive integer rows that grows
//! one row at a time.
//!
//! The reduced echelon form of a subspace is unique, so two subspaces are equal exactly when their
//! bases are, however they were built up: this is what makes learning a fold (any order, any
//! sharding, the same bytes). An affine hull is the subspace spanned by the homogeneous rows
//! `(1, x)` of its points.

use std::cmp::Ordering;
use std::sync::OnceLock;
use std::sync::atomic::{self, AtomicUsize};

use dashu_int::IBig;

use super::Row;
use super::row::lcm;

/// A subspace of `Q^columns`.
///
/// Equality is equality of subspaces. All rows handed in must have `columns` entries; missing ones
/// read as zero.
#[derive(Clone, Debug)]
pub struct Echelon {
    columns: usize,
    /// Sorted by leading column; each row is positive there and is the only one that is not zero
    /// there.
    rows: Vec<Row>,
    /// The leading column of each row.
    pivots: Vec<usize>,
    /// The orthogonal complement, once it is worth its while: nearly every row observed is already
    /// contained.
    checks: OnceLock<Vec<SparseEquation>>,
    /// How many rows were looked at without it.
    looks: LookupCount,
}

/// One equation of the subspace, with its zeros left out.
#[derive(Clone, Debug)]
struct SparseEquation {
    support: Vec<usize>,
    coefficients: Row,
    bits: u32,
}

impl SparseEquation {
    fn of(row: &Row) -> Self {
        let support: Vec<usize> =
            (0..row.len()).filter(|&column| row.signum(column) != 0).collect();
        let coefficients =
            Row::from_integers(support.iter().map(|&column| row.integer(column)).collect());
        SparseEquation { support, bits: coefficients.bits(), coefficients }
    }

    fn all_hold(equations: &[SparseEquation], row: &Row) -> bool {
        let bits = row.bits();
        equations.iter().all(|equation| {
            let pairs = equation.support.iter().copied().enumerate();
            equation.coefficients.dot_sign_on(equation.bits, pairs, row, bits) == Ordering::Equal
        })
    }
}

/// How often the value was looked at; a copy takes the count over.
#[derive(Debug, Default)]
struct LookupCount(AtomicUsize);

impl Clone for LookupCount {
    fn clone(&self) -> Self {
        LookupCount(AtomicUsize::new(self.0.load(atomic::Ordering::Relaxed)))
    }
}

impl Echelon {
    /// The subspace that has only the zero vector.
    pub fn new(columns: usize) -> Self {
        Echelon {
            columns,
            rows: Vec::new(),
            pivots: Vec::new(),
            checks: OnceLock::new(),
            looks: LookupCount::default(),
        }
    }

    /// The subspace that rows span.
    pub fn span<R: std::borrow::Borrow<Row>>(
        columns: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut span = Self::new(columns);
        for row in rows {
            span.insert(row.borrow());
        }
        span
    }

    /// The dimension of the space around.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The dimension of the subspace.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// The canonical basis: sorted by leading column, zero in the leading columns of one another,
    /// positive there, primitive.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The leading column of each basis row, ascending: the columns that determine all others on
    /// the subspace.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// Whether `row` lies in the subspace.
    pub fn contains(&self, row: &Row) -> bool {
        match self.prepared() {
            Some(checks) => SparseEquation::all_hold(checks, row),
            None => self.reduced(row).leading().is_none(),
        }
    }

    /// Adds `row` to the subspace; whether the rank grew.
    pub fn insert(&mut self, row: &Row) -> bool {
        if self.prepared().is_some_and(|checks| SparseEquation::all_hold(checks, row)) {
            return false;
        }
        let reduced = self.reduced(row);
        let Some(column) = reduced.leading() else { return false };
        let reduced = if reduced.signum(column) < 0 { reduced.negated() } else { reduced };
        for other in self.rows.iter_mut().filter(|other| other.signum(column) != 0) {
            *other = other.eliminated(&reduced, column);
        }
        let at = self.pivots.partition_point(|&pivot| pivot < column);
        self.rows.insert(at, reduced);
        self.pivots.insert(at, column);
        (self.checks, self.looks) = (OnceLock::new(), LookupCount::default());
        true
    }

    /// The sum of both subspaces: the least one that contains them. Associative, commutative,
    /// idempotent.
    pub fn merge(&mut self, other: &Echelon) {
        for row in &other.rows {
            self.insert(row);
        }
    }

    /// The positive multiple of `row` minus an element of the subspace that is zero in all pivot
    /// columns.
    pub(super) fn reduced(&self, row: &Row) -> Row {
        let mut reduced = row.clone();
        for (pivot, &column) in self.rows.iter().zip(&self.pivots) {
            if reduced.signum(column) != 0 {
                reduced = reduced.eliminated(pivot, column);
            }
        }
        reduced
    }

    /// The orthogonal complement: all rows `e` with `e · v = 0` for every `v` of the subspace, as a
    /// canonical basis.
    ///
    /// There is one row for each column `f` that is not a pivot, in ascending order. It expresses
    /// column `f` by the pivot columns *before* it, is positive in `f`, and zero in all other
    /// columns that are not pivots. For the affine hull of points `(1, x)` these are the equations
    /// a person would write: a constant where there is one, otherwise later columns by earlier.
    pub fn null_space(&self) -> Vec<Row> {
        (0..self.columns)
            .filter(|column| self.pivots.binary_search(column).is_err())
            .map(|column| self.null_row(column))
            .collect()
    }

    fn null_row(&self, free: usize) -> Row {
        let involved = self.rows.iter().zip(&self.pivots).filter(|(row, _)| row.signum(free) != 0);
        let lcm = involved
            .clone()
            .fold(IBig::ONE, |multiple, (row, &pivot)| lcm(multiple, row.integer(pivot)));
        let mut entries = vec![IBig::ZERO; self.columns];
        for (row, &pivot) in involved {
            entries[pivot] = -row.integer(free) * (&lcm / row.integer(pivot));
        }
        entries[free] = lcm;
        Row::from_integers(entries)
    }

    /// The equations, where they are there, or as many rows were looked at as there are equations:
    /// while a span grows, they are not made.
    fn prepared(&self) -> Option<&[SparseEquation]> {
        if self.checks.get().is_none()
            && self.looks.0.fetch_add(1, atomic::Ordering::Relaxed) < self.columns - self.rows.len()
        {
            return None;
        }
        Some(self.checks.get_or_init(|| self.null_space().iter().map(SparseEquation::of).collect()))
    }
}

impl PartialEq for Echelon {
    fn eq(&self, other: &Self) -> bool {
        self.columns == other.columns && self.rows == other.rows
    }
}

impl Eq for Echelon {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row() -> impl Strategy<Value = Row> {
        let entry = prop_oneof![
            6 => -3i128..4,
            1 => any::<i64>().prop_map(i128::from),
            1 => any::<i128>().prop_map(|x| x >> 9)
        ];
        prop::collection::vec(entry, 5)
            .prop_map(|entries| Row::from_integers(entries.into_iter().map(IBig::from).collect()))
    }

    fn small_row() -> impl Strategy<Value = Row> {
        prop::collection::vec(-2i64..3, 5)
            .prop_map(|entries| Row::from_integers(entries.into_iter().map(IBig::from).collect()))
    }

    fn span(rows: &[Row]) -> Echelon {
        let mut span = Echelon::new(5);
        for row in rows {
            span.insert(row);
        }
        span
    }

    proptest! {
        #[test]
        fn any_order_and_repetition_gives_the_same_rows(
            rows in prop::collection::vec(prop_oneof![row(), small_row()], 0..7),
            seed in any::<u64>(),
        ) {
            let mut shuffled = rows.clone();
            shuffled.extend(rows.iter().take(2).map(Row::negated));
            let count = shuffled.len().max(1);
            shuffled.rotate_left(seed as usize % count);
            if count > 2 {
                shuffled.swap(0, seed as usize / 7 % count);
            }
            prop_assert_eq!(span(&rows), span(&shuffled));
        }

        #[test]
        fn merge_is_associative_commutative_and_idempotent(
            a in prop::collection::vec(small_row(), 0..3),
            b in prop::collection::vec(small_row(), 0..3),
            c in prop::collection::vec(row(), 0..2),
        ) {
            let merged = |x: &Echelon, y: &Echelon| { let mut x = x.clone(); x.merge(y); x };
            let (a, b, c) = (span(&a), span(&b), span(&c));
            prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
            prop_assert_eq!(merged(&a, &b), merged(&b, &a));
            prop_assert_eq!(merged(&a, &a), a);
        }

        #[test]
        fn the_null_space_is_the_orthogonal_complement(
            rows in prop::collection::vec(prop_oneof![row(), small_row()], 0..6),
        ) {
            let space = span(&rows);
            let null = space.null_space();
            prop_assert_eq!(space.rank() + null.len(), 5);
            for equation in &null {
                prop_assert!(rows.iter().all(|row| row.dot_sign(equation).is_eq()));
            }
            // The complement of the complement is the subspace again.
            prop_assert_eq!(span(&span(&null).null_space()), space.clone());
            prop_assert!(rows.iter().all(|row| space.contains(row)));
            let grows = rows
                .iter()
                .scan(Echelon::new(5), |space, row| Some(space.insert(row)))
                .filter(|&grew| grew)
                .count();
            prop_assert_eq!(grows, space.rank());
        }
    }

    #[test]
    fn equations_read_as_a_person_would_write_them() {
        // Columns 1, x, y, z with y = 2x + 1 and z = 5.
        let point = |x: i64| Row::from_integers([1, x, 2 * x + 1, 5].map(IBig::from).to_vec());
        let mut space = Echelon::new(4);
        assert!(space.insert(&point(3)) && space.insert(&point(7)) && !space.insert(&point(-1)));
        let expected = [[-1, -2, 1, 0], [-5, 0, 0, 1]]
            .map(|row| Row::from_integers(row.map(IBig::from).to_vec()));
        assert_eq!(space.null_space(), expected);
        assert_eq!(space.pivots(), [0, 1]);
    }
}
