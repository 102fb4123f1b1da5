//! The simplex method for the dual of a linear program: few rows, many columns.
//!
//! Basis and bounds are kept as one square system of integers: the rows `(a_k, b_k)` of as many
//! constraints as there are variables, and the unit row `u = (0, …, 0, 1)`. The functional of `u`
//! is then `(-x, 1)`, whose value on a row is the slack of its constraint; the functionals of the
//! others give the multipliers.
//!
//! Doubles guess the basis, integers decide: from the guess the method goes on without fractions,
//! usually for no step at all. After a while it takes Bland's least-index rule, which never cycles,
//! so it always ends.

use dashu_int::IBig;

use super::basis::Basis;
use super::cone::dot;
use super::integer::{Entry, Integer};
use super::member::{Member, inverse, leaving};
use super::program::Multipliers;
use super::{Rational, Row};
use crate::invariant::Invariant;

/// What the search ends with; multipliers are those of primitive rows.
pub(super) enum Solution {
    Found {
        at: Vec<Rational>,
        multipliers: Multipliers,
    },
    Infeasible(Multipliers),
    /// A direction in which the objective grows and no constraint tightens. Whether there is a
    /// feasible point is left open.
    Improving(Vec<Rational>),
}

/// One objective over one set of constraints.
pub(super) struct SimplexSearch<T: Integer> {
    /// How many entries a row has: the variables and the bound.
    size: usize,
    entries: Vec<T::Entry>,
    /// The objective, and a zero.
    target: Vec<T::Entry>,
    /// Columns and rows scaled by powers of two, such that magnitudes are at most one and the
    /// largest of each row at least 1/2.
    doubles: Vec<f64>,
    /// How columns were scaled.
    exponents: Vec<i64>,
}

impl<T: Integer> SimplexSearch<T> {
    pub(super) fn new(rows: &[Row], target: &Row) -> Self {
        let size = target.len() + 1;
        let read = |row: &Row| {
            (0..size).filter_map(|j| T::Entry::read(&row.integer(j))).collect::<Vec<_>>()
        };
        let entries: Vec<T::Entry> = rows.iter().flat_map(read).collect();
        let mut exponents = vec![i64::MIN; size];
        for row in entries.chunks_exact(size) {
            let top = row.iter().map(Entry::bits).max().unwrap_or(0);
            for (exponent, entry) in
                exponents.iter_mut().zip(row).filter(|(_, entry)| entry.bits() > 0)
            {
                *exponent = (*exponent).max(entry.bits() - top);
            }
        }
        exponents
            .iter_mut()
            .filter(|exponent| **exponent == i64::MIN)
            .for_each(|exponent| *exponent = 0);
        let doubles =
            entries.chunks_exact(size).flat_map(|row| normalised(row, &exponents)).collect();
        SimplexSearch { size, entries, target: read(target), doubles, exponents }
    }

    fn len(&self) -> usize {
        self.entries.len() / self.size
    }

    fn row(&self, k: usize) -> &[T::Entry] {
        &self.entries[k * self.size..(k + 1) * self.size]
    }

    fn double(&self, k: usize) -> &[f64] {
        &self.doubles[k * self.size..(k + 1) * self.size]
    }

    /// Solves the program, and proves the result.
    pub(super) fn solve(&self) -> Solution {
        self.prove(self.guess())
    }

    /// The basis that doubles end with: phase one, then phase two.
    fn guess(&self) -> Vec<Member> {
        /// What counts as zero. A wrong choice costs time, not truth.
        const SMALL: f64 = 1e-12;
        /// The number of pivots after which the inverse is computed again, to remove accumulated
        /// errors.
        const STALE: usize = 30;
        let size = self.size;
        let target = normalised(&self.target, &self.exponents);
        let mut members: Vec<Member> =
            (0..size - 1).map(|j| Member::Unit(j, target[j] < 0.0)).collect();
        let Some(mut inverse) = self.invert(&members) else { return members };
        for pivots in 1..=50 + 20 * size {
            if pivots % STALE == 0 {
                let Some(fresh) = self.invert(&members) else { break };
                inverse = fresh;
            }
            let functional = |i: usize| &inverse[i * size..(i + 1) * size];
            let weights: Vec<f64> = (0..size - 1).map(|i| dot(functional(i), &target)).collect();
            let missing: f64 = (0..size - 1)
                .filter(|&i| members[i].is_artificial())
                .map(|i| weights[i].abs())
                .sum();
            // What a constraint has to gain: in phase one the weight of artificial members, in
            // phase two how much it is violated.
            let mut prices = vec![0.0; size];
            if missing > SMALL {
                for i in (0..size - 1).filter(|&i| members[i].is_artificial()) {
                    prices.iter_mut().zip(functional(i)).for_each(|(price, value)| *price += value);
                }
            } else {
                prices
                    .iter_mut()
                    .zip(functional(size - 1))
                    .for_each(|(price, value)| *price -= value);
            }
            let length = prices.iter().fold(0.0f64, |most, value| most.max(value.abs()));
            let Some(entering) = self.steepest(&prices, SMALL * length) else { break };
            let row = self.double(entering);
            let column: Vec<f64> = (0..size).map(|i| dot(functional(i), row)).collect();
            let shrinking = (0..size - 1).filter(|&i| column[i] > SMALL);
            let steps = shrinking.map(|i| (weights[i].max(0.0) / column[i], i));
            let shortest = steps
                .min_by(|(a, i), (b, j)| a.total_cmp(b).then(column[*j].total_cmp(&column[*i])));
            let Some((_, out)) = shortest else { break };
            let leaving: Vec<f64> =
                functional(out).iter().map(|value| value / column[out]).collect();
            for i in (0..size).filter(|&i| i != out && column[i] != 0.0) {
                let functional = &mut inverse[i * size..(i + 1) * size];
                functional
                    .iter_mut()
                    .zip(&leaving)
                    .for_each(|(value, left)| *value -= column[i] * left);
            }
            inverse[out * size..(out + 1) * size].copy_from_slice(&leaving);
            members[out] = Member::Given(entering);
        }
        members
    }

    /// The constraint on which a functional in doubles is largest, if it is above a threshold; the
    /// first of equals.
    fn steepest(&self, functional: &[f64], threshold: f64) -> Option<usize> {
        let mut best = (threshold, None);
        for (k, row) in self.doubles.chunks_exact(self.size).enumerate() {
            let value = dot(functional, row);
            if value > best.0 {
                best = (value, Some(k));
            }
        }
        best.1
    }

    /// The inverse of a basis in doubles: functionals that are one on their member and zero on the
    /// others; the last is that of `u`.
    fn invert(&self, members: &[Member]) -> Option<Vec<f64>> {
        let members = members.iter().map(|&member| member.doubles(self.size, |k| self.double(k)));
        inverse(
            members
                .chain([Member::Unit(self.size - 1, false).doubles(self.size, |k| self.double(k))])
                .collect(),
        )
    }

    fn member_row(&self, member: Member) -> Vec<T::Entry> {
        member.entries::<T>(self.size, |k| self.row(k))
    }

    /// The basis of these members and `u`.
    fn basis(&self, members: &[Member]) -> Option<Basis<T>> {
        let mut rows: Vec<Vec<T::Entry>> =
            members.iter().map(|&member| self.member_row(member)).collect();
        rows.push(self.member_row(Member::Unit(self.size - 1, false)));
        Basis::new(rows.iter().map(Vec::as_slice))
    }

    /// The simplex method from a guessed basis, exactly.
    fn prove(&self, mut members: Vec<Member>) -> Solution {
        let guessed = self.basis(&members);
        let basis = guessed.or_else(|| {
            members = (0..self.size - 1).map(|j| Member::Unit(j, false)).collect();
            self.basis(&members)
        });
        let basis = basis.invariant("the unit rows are independent, so there is a basis");
        let mut state = Simplex { search: self, members, basis, pivots: 0 };
        // A member with a negative multiplier is turned around, and thereby made artificial:
        // multipliers are feasible.
        for i in 0..self.size - 1 {
            if state.weight(i).signum() < 0 {
                let member = state.members[i].opposite();
                state.exchange(i, member);
            }
        }
        if let Err(direction) = state.phase_one() {
            return Solution::Improving(direction);
        }
        state.expel_artificial();
        state.phase_two()
    }

    /// The first row on which a functional is not zero.
    fn first_nonzero(&self, functional: &[T]) -> Option<usize> {
        (0..self.len()).find(|&k| T::dot(functional, self.row(k)).signum() != 0)
    }

    /// A row on which the functional is positive: a large value while that is wanted, otherwise the
    /// first.
    ///
    /// Doubles decide where they can. With coefficients and entries scaled to magnitudes of at most
    /// one, each double is off by a relative 2^-52, and a sum of `d` products by a further
    /// `d · 2^-53` times the sum of the coefficients' magnitudes; all of it is below
    /// `(d + 8) · 2^-52` times that sum.
    fn positive(&self, functional: &[T], steep: bool) -> Option<usize> {
        let parts = functional.iter().zip(&self.exponents);
        let top = parts
            .clone()
            .filter(|(value, _)| value.signum() != 0)
            .map(|(value, e)| value.bits() + e)
            .max()?;
        let plane: Vec<f64> = parts.map(|(value, exponent)| value.scaled(exponent - top)).collect();
        let error = (self.size as f64 + 8.0)
            * f64::EPSILON
            * plane.iter().map(|value| value.abs()).sum::<f64>();
        if steep && let Some(k) = self.steepest(&plane, error) {
            return Some(k);
        }
        (0..self.len()).find(|&k| {
            let value = dot(&plane, self.double(k));
            // Exactly, too, where the value is not a number.
            let certain = value > error || value < -error;
            if certain { value > error } else { T::dot(functional, self.row(k)).signum() > 0 }
        })
    }
}

/// A basis on its way to the optimum.
struct Simplex<'a, T: Integer> {
    search: &'a SimplexSearch<T>,
    members: Vec<Member>,
    basis: Basis<T>,
    pivots: usize,
}

impl<T: Integer> Simplex<'_, T> {
    /// A functional, oriented such that its own member has a positive value.
    fn functional(&self, i: usize) -> Vec<T> {
        let turned = self.basis.determinant().signum() < 0;
        self.basis
            .functional(i)
            .iter()
            .map(|value| if turned { value.neg() } else { value.clone() })
            .collect()
    }

    /// The magnitude of the determinant.
    fn determinant(&self) -> IBig {
        self.basis.determinant().to_big() * IBig::from(self.basis.determinant().signum())
    }

    /// The multiplier of a member, times the determinant's magnitude.
    fn weight(&self, i: usize) -> T {
        let value = T::dot(self.basis.functional(i), &self.search.target);
        if self.basis.determinant().signum() < 0 { value.neg() } else { value }
    }

    fn exchange(&mut self, out: usize, member: Member) {
        self.basis.exchange(out, &self.search.member_row(member));
        self.members[out] = member;
    }

    /// Whether a large gain is still preferred to the rule that is sure to end.
    fn is_patient(&self) -> bool {
        self.pivots < 50 + 10 * self.search.size
    }

    /// How the multipliers shrink, per multiplier of row `k`, times the determinant's magnitude.
    fn column(&self, k: usize) -> Vec<T> {
        (0..self.members.len()).map(|i| T::dot(&self.functional(i), self.search.row(k))).collect()
    }

    /// Who leaves when a row with this column enters.
    fn leaving(&self, column: &[T]) -> Option<usize> {
        let weights: Vec<T> = (0..self.members.len()).map(|i| self.weight(i)).collect();
        leaving(&self.members, &weights, column)
    }

    /// Brings the multipliers of artificial members to zero, or says in which direction the
    /// objective grows without end.
    fn phase_one(&mut self) -> Result<(), Vec<Rational>> {
        loop {
            let artificial: Vec<usize> =
                (0..self.members.len()).filter(|&i| self.members[i].is_artificial()).collect();
            if artificial.iter().all(|&i| self.weight(i).signum() == 0) {
                return Ok(());
            }
            let mut prices = vec![T::zero(); self.search.size];
            for &i in &artificial {
                prices
                    .iter_mut()
                    .zip(&self.functional(i))
                    .for_each(|(total, value)| *total = total.add(value));
            }
            let improving = || {
                prices[..self.search.size - 1]
                    .iter()
                    .map(|value| ratio(value.to_big(), IBig::ONE))
                    .collect()
            };
            let Some(entering) = self.search.positive(&prices, self.is_patient()) else {
                return Err(improving());
            };
            // Some column is positive: otherwise multipliers could grow without end, yet those of
            // artificial members only shrink.
            let Some(out) = self.leaving(&self.column(entering)) else { return Err(improving()) };
            self.exchange(out, Member::Given(entering));
            self.pivots += 1;
        }
    }

    /// Replaces artificial members, whose multipliers are zero, where a row can take their place.
    /// Those that stay are zero on all rows.
    fn expel_artificial(&mut self) {
        for i in 0..self.members.len() {
            if self.members[i].is_artificial()
                && let Some(k) = self.search.first_nonzero(self.basis.functional(i))
            {
                self.exchange(i, Member::Given(k));
            }
        }
    }

    /// From feasible multipliers to those of least value.
    fn phase_two(&mut self) -> Solution {
        self.pivots = 0;
        let last = self.search.size - 1;
        loop {
            // (-x, 1) turned around is positive on rows that x violates.
            let violation: Vec<T> = self.functional(last).iter().map(T::neg).collect();
            let determinant = self.determinant();
            let Some(entering) = self.search.positive(&violation, self.is_patient()) else {
                let at = violation[..last]
                    .iter()
                    .map(|value| ratio(value.to_big(), determinant.clone()))
                    .collect();
                let weights = (0..last).map(|i| (self.members[i], self.weight(i).to_big()));
                return Solution::Found { at, multipliers: multipliers(weights, &determinant) };
            };
            let column = self.column(entering);
            let Some(out) = self.leaving(&column) else {
                let weights = (0..last).map(|i| (self.members[i], -column[i].to_big()));
                let entering = (Member::Given(entering), determinant.clone());
                return Solution::Infeasible(multipliers(weights.chain([entering]), &determinant));
            };
            self.exchange(out, Member::Given(entering));
            self.pivots += 1;
        }
    }
}

/// The positive ones among the multipliers of constraints.
fn multipliers(weights: impl Iterator<Item = (Member, IBig)>, determinant: &IBig) -> Multipliers {
    let kept = weights.filter_map(|(member, weight)| match member {
        Member::Given(k) if weight > IBig::ZERO => Some((k, ratio(weight, determinant.clone()))),
        _ => None,
    });
    kept.collect()
}

fn ratio(num: IBig, den: IBig) -> Rational {
    Rational::from_integers(num, den)
        .invariant("the denominator is one, or the determinant of a basis")
}

/// A row as doubles, column `j` scaled by `2^-exponents[j]`, and all of it such that the largest
/// magnitude is in [1/2, 1].
fn normalised<E: Entry>(row: &[E], exponents: &[i64]) -> Vec<f64> {
    let top = row
        .iter()
        .zip(exponents)
        .filter(|(entry, _)| entry.bits() > 0)
        .map(|(entry, e)| entry.bits() - e)
        .max();
    row.iter().zip(exponents).map(|(entry, e)| entry.scaled(-e - top.unwrap_or(0))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::integer::Fixed;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The exact method needs no guess: from artificial members alone, or from a wrong basis,
        /// it ends with the same answer.
        #[test]
        fn a_wrong_guess_costs_time_not_truth(
            rows in prop::collection::vec(prop::collection::vec(-3i64..4, 4), 1..9),
            objective in prop::collection::vec(-3i64..4, 3),
            wrong in prop::collection::vec((0usize..9, any::<bool>()), 3),
        ) {
            let numbers =
                |row: &[i64]| row.iter().copied().map(Rational::integer).collect::<Vec<_>>();
            let rows: Vec<Row> = rows.iter().map(|row| Row::direction(&numbers(row))).collect();
            let target = Row::direction(&numbers(&objective));
            let search = SimplexSearch::<Fixed<2>>::new(&rows, &target);
            let wrong = wrong.iter().map(|&(k, against)| {
                if against {
                    Member::Against(k % rows.len())
                } else {
                    Member::Given(k % rows.len())
                }
            });
            let guesses =
                [search.guess(), (0..3).map(|j| Member::Unit(j, true)).collect(), wrong.collect()];
            let kind = |guess| match search.prove(guess) {
                Solution::Found { at, .. } => Some(
                    at.iter()
                        .enumerate()
                        .fold(Rational::ZERO, |sum, (j, x)| &sum + &(x * &target.entry(j))),
                ),
                Solution::Infeasible(_) | Solution::Improving(_) => None,
            };
            let kinds = guesses.map(kind);
            prop_assert!(kinds.iter().all(|kind| *kind == kinds[0]));
        }
    }
}
