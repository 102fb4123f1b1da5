//! What the two simplex methods (`membership`, `simplex`) have in common: members of a basis,
//! inverses in doubles, and who leaves.

use dashu_int::IBig;

use super::integer::{Entry, Integer};

/// A member of a basis. All but the vectors that were given are *artificial*: phase one drives
/// their weights to zero.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Member {
    /// A vector that was given, by its number: a generator of a cone, or the row of a constraint.
    Given(usize),
    /// The opposite of one.
    Against(usize),
    /// A unit vector, or its opposite.
    Unit(usize, bool),
}

impl Member {
    pub(super) fn is_artificial(self) -> bool {
        !matches!(self, Member::Given(_))
    }

    /// Bland's order. Artificial members come first, so that they leave first.
    fn order(self) -> usize {
        if let Member::Given(number) = self { number + 1 } else { 0 }
    }

    pub(super) fn opposite(self) -> Self {
        match self {
            Member::Given(number) => Member::Against(number),
            Member::Against(number) => Member::Given(number),
            Member::Unit(j, negative) => Member::Unit(j, !negative),
        }
    }

    /// Its vector in doubles, where `given` has those that were given.
    pub(super) fn doubles<'a>(self, size: usize, given: impl Fn(usize) -> &'a [f64]) -> Vec<f64> {
        match self {
            Member::Given(number) => given(number).to_vec(),
            Member::Against(number) => given(number).iter().map(|value| -value).collect(),
            Member::Unit(j, negative) => {
                unit(j, size).map(|value| if negative { -value } else { value }).collect()
            }
        }
    }

    /// Its vector, where `given` has those that were given.
    pub(super) fn entries<'a, T: Integer>(
        self,
        size: usize,
        given: impl Fn(usize) -> &'a [T::Entry],
    ) -> Vec<T::Entry>
    where
        T::Entry: 'a,
    {
        match self {
            Member::Given(number) => given(number).to_vec(),
            Member::Against(number) => given(number)
                .iter()
                .filter_map(|entry| T::Entry::read(&-T::from_entry(entry).to_big()))
                .collect(),
            Member::Unit(j, negative) => {
                let (one, zero) = (if negative { -IBig::ONE } else { IBig::ONE }, IBig::ZERO);
                (0..size)
                    .filter_map(|i| T::Entry::read(if i == j { &one } else { &zero }))
                    .collect()
            }
        }
    }
}

/// Unit vector `i` in doubles.
fn unit(i: usize, size: usize) -> impl Iterator<Item = f64> {
    (0..size).map(move |j| f64::from(u8::from(i == j)))
}

/// The inverse of a basis in doubles, one functional after the other: each is one on its row and
/// zero on the others. `None` where the rows are dependent, as far as doubles can tell.
pub(super) fn inverse(rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    let mut work = rows;
    work.iter_mut().enumerate().for_each(|(i, row)| row.extend(unit(i, size)));
    for k in 0..size {
        let best = (k..size).max_by(|&a, &b| work[a][k].abs().total_cmp(&work[b][k].abs()))?;
        work.swap(k, best);
        let pivot = work[k][k];
        if pivot == 0.0 || !pivot.is_finite() {
            return None;
        }
        work[k].iter_mut().for_each(|value| *value /= pivot);
        let lead = work[k].clone();
        for row in work.iter_mut().enumerate().filter(|(i, _)| *i != k).map(|(_, row)| row) {
            let factor = row[k];
            if factor != 0.0 {
                row.iter_mut().zip(&lead).for_each(|(value, left)| *value -= factor * left);
            }
        }
    }
    Some((0..size * size).map(|at| work[at % size][size + at / size]).collect())
}

/// The place of the smallest weight / column among positive columns, compared as products of whole
/// numbers.
pub(super) fn leaving<T: Integer>(
    members: &[Member],
    weights: &[T],
    column: &[T],
) -> Option<usize> {
    let candidates = (0..members.len()).filter(|&i| column[i].signum() > 0);
    candidates.min_by(|&a, &b| {
        let (left, right) =
            (weights[a].to_big() * column[b].to_big(), weights[b].to_big() * column[a].to_big());
        left.cmp(&right).then(members[a].order().cmp(&members[b].order()))
    })
}
