//! Square systems of integer rows, inverted without fractions: every number kept is a minor of the
//! rows.

use super::integer::{Entry, Integer};

/// Linearly independent rows `g_0, …, g_{n-1}` of `Z^n`, with their inverse scaled by the
/// determinant.
///
/// [`Basis::functional`]`(i)` is zero on all rows but `g_i`, where its value is
/// [`Basis::determinant`].
pub(super) struct Basis<T: Integer> {
    size: usize,
    /// `functionals[i * size + j]`: coefficient `j` of functional `i`.
    functionals: Vec<T>,
    determinant: T,
}

impl<T: Integer> Basis<T> {
    /// Inverts the rows, or says `None` when they are dependent.
    ///
    /// Gauss–Jordan elimination in which each division is exact (Bareiss): entries stay minors of
    /// the rows.
    pub(super) fn new<'a>(rows: impl ExactSizeIterator<Item = &'a [T::Entry]>) -> Option<Self>
    where
        T::Entry: 'a,
    {
        let size = rows.len();
        let width = 2 * size;
        let one = Self::one(size)?;
        let mut work: Vec<Vec<T>> = rows
            .enumerate()
            .map(|(i, row)| {
                let unit = (0..size).map(|j| if i == j { one.clone() } else { T::zero() });
                row.iter().take(size).map(T::from_entry).chain(unit).collect()
            })
            .collect();
        let mut previous = one;
        for k in 0..size {
            let pivot_row = (k..size).find(|&i| work[i][k].signum() != 0)?;
            work.swap(k, pivot_row);
            let pivot_row = work[k].clone();
            let (pivot, divisor) = (&pivot_row[k], previous.divisor());
            for (i, row) in work.iter_mut().enumerate().filter(|(i, _)| *i != k) {
                let factor = row[k].neg();
                // Columns left of k are zero but for the diagonal, which moves along to the new
                // pivot.
                for j in (0..width).filter(|&j| j >= k || j == i) {
                    row[j] = T::combine(pivot, &row[j], &factor, &pivot_row[j], &divisor);
                }
            }
            previous = pivot.clone();
        }
        let functionals =
            (0..width * size / 2).map(|at| work[at % size][size + at / size].clone()).collect();
        Some(Basis { size, functionals, determinant: previous })
    }

    /// The integer one, of a ring that has no name for it; `None` for a system without rows.
    fn one(size: usize) -> Option<T> {
        T::Entry::read(&dashu_int::IBig::ONE).filter(|_| size > 0).map(|one| T::from_entry(&one))
    }

    /// The linear functional that is zero on all rows but row `i`, and the determinant there.
    pub(super) fn functional(&self, i: usize) -> &[T] {
        &self.functionals[i * self.size..(i + 1) * self.size]
    }

    /// The determinant of the rows, up to sign.
    pub(super) fn determinant(&self) -> &T {
        &self.determinant
    }

    /// Replaces row `out` by `row`. The functional of `out` must not vanish on `row`.
    pub(super) fn exchange(&mut self, out: usize, row: &[T::Entry]) {
        let leaving = self.functional(out).to_vec();
        let pivot = T::dot(&leaving, row);
        let divisor = self.determinant.divisor();
        for i in (0..self.size).filter(|&i| i != out) {
            let functional = &mut self.functionals[i * self.size..(i + 1) * self.size];
            let factor = T::dot(functional, row).neg();
            for (value, left) in functional.iter_mut().zip(&leaving) {
                *value = T::combine(&pivot, value, &factor, left, &divisor);
            }
        }
        self.determinant = pivot;
    }
}

#[cfg(test)]
mod tests {
    use super::super::integer::Fixed;
    use super::*;
    use dashu_int::IBig;
    use proptest::prelude::*;

    fn dual<T: Integer<Entry = i64>>(rows: &[Vec<i64>], extra: &[i64]) -> Option<Vec<IBig>> {
        let mut rows = rows.to_vec();
        let mut basis = Basis::<T>::new(rows.iter().map(Vec::as_slice))?;
        let mut seen = Vec::new();
        for round in 0..2 {
            for i in 0..rows.len() {
                for (j, row) in rows.iter().enumerate() {
                    let value = T::dot(basis.functional(i), row).to_big();
                    assert_eq!(
                        value,
                        if i == j { basis.determinant().to_big() } else { IBig::ZERO }
                    );
                }
                seen.extend(basis.functional(i).iter().map(T::to_big));
            }
            if round == 0 && T::dot(basis.functional(1), extra).signum() != 0 {
                basis.exchange(1, extra);
                rows[1] = extra.to_vec();
            }
        }
        Some(seen)
    }

    proptest! {
        #[test]
        fn functionals_are_dual_to_the_rows_before_and_after_an_exchange(
            rows in prop::collection::vec(
                prop::collection::vec(prop_oneof![-2i64..3, -100_000i64..100_000], 4),
                4,
            ),
            extra in prop::collection::vec(-9i64..9, 4),
        ) {
            prop_assert_eq!(dual::<Fixed<2>>(&rows, &extra), dual::<Fixed<4>>(&rows, &extra));
        }
    }
}
