//! The smallest error under which records are consistent with some affine map: what a person may
//! have to state.
//!
//! The more values may be off, the more maps are consistent, so the smallest error is found by
//! halving; each question on the way is decided exactly.

use std::collections::BTreeSet;

use surefoot_base::exact::{Rational, Rounding, Row};
use surefoot_base::ids::first_ids;
use surefoot_base::invariant::Invariant;

use super::band::{Band, RecordVectors};
use super::fit::RecordedOutcomes;
use super::simplest::finds_consistent;
use crate::conclude::effect::Factors;
use crate::evidence::LiftedFunctionId;

/// If an error this many decades below the largest distance to a well-fitting map explains the
/// records, ever smaller ones do.
const DECADES: usize = 40;

/// The smallest error of the value afterwards and of the columns that are `inexact`, one number for
/// all, under which some affine map is consistent with all records: two digits, rounded up. Other
/// columns are exact.
///
/// With it there is a consistent map; with the next smaller number of two digits there is none, for
/// up to eight inexact columns. Where ever smaller errors explain the records, by maps with ever
/// larger coefficients of a column that hardly varies, there is no smallest one, and what is
/// returned is the largest distance to a map that fits well.
pub fn smallest_error(records: &[(Vec<Rational>, Rational)], inexact: &[bool]) -> Rational {
    let table = RecordVectors::new(records);
    let mut working = table.extreme();
    let targets = records.iter().map(|(_, after)| after.clone()).collect();
    let band = Band::new(&table, first_ids(inexact.len()).collect(), targets, Rational::ZERO);
    // Some map, and an error that explains how far it is off: there is a smaller one, or there is
    // none.
    let at = band.widest(&working).1;
    let distances = records.iter().map(|record| distance(&at, record));
    let mut high = distances.max().unwrap_or(Rational::ZERO).with_digits(2, Rounding::Up);
    if high.is_zero() || explains(&Rational::ZERO, &table, inexact, &mut working) {
        return Rational::ZERO;
    }
    let well = high.clone();
    for decade in 0.. {
        let lower = tenth(&high);
        if !explains(&lower, &table, inexact, &mut working) {
            break;
        }
        if decade == DECADES {
            return well;
        }
        high = lower;
    }
    // Numbers of two digits up to this one, from a tenth of it: the first that explains all.
    let mut grid = vec![high.clone()];
    while let Some(next) = grid.last().map(below).filter(|next| *next > tenth(&high)) {
        grid.push(next);
    }
    grid.reverse();
    let (mut first, mut last) = (0, grid.len() - 1);
    while first < last {
        let middle = (first + last) / 2;
        if explains(&grid[middle], &table, inexact, &mut working) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    grid.swap_remove(last)
}

/// How far the value of a map, given by its constant and coefficients, is from the one afterwards.
fn distance(map: &[Rational], (x, after): &(Vec<Rational>, Rational)) -> Rational {
    let terms = map[1..].iter().zip(x);
    (&terms.fold(map[0].clone(), |sum, (factor, value)| &sum + &(factor * value)) - after).abs()
}

fn tenth(value: &Rational) -> Rational {
    value.checked_div(&Rational::integer(10)).invariant("ten is not zero")
}

/// The next smaller number of two digits.
fn below(value: &Rational) -> Rational {
    let hundredth = value.checked_div(&Rational::integer(200)).invariant("200 is not zero");
    (value - &hundredth).with_digits(2, Rounding::Down)
}

fn explains(
    error: &Rational,
    records: &RecordVectors<'_>,
    inexact: &[bool],
    working: &mut BTreeSet<usize>,
) -> bool {
    let errors: Vec<Rational> = inexact
        .iter()
        .map(|&inexact| if inexact { error.clone() } else { Rational::ZERO })
        .collect();
    let columns: Vec<Vec<LiftedFunctionId>> = vec![Vec::new(); inexact.len()];
    let equations: &[Row] = &[];
    let target = RecordedOutcomes {
        records: records.rows(),
        errors: &errors,
        error: error.clone(),
        own: None,
        factors: &Factors::new(&columns),
        equations,
        beyond: false,
    };
    finds_consistent(&target, records, working)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// With the error found a map is consistent; with the next smaller number of two digits
        /// none is.
        #[test]
        fn the_error_is_the_smallest_of_two_digits(
            points in prop::collection::vec(
                (prop::collection::vec(-20i64..20, 2), -300i64..300),
                1..12,
            ),
            inexact in prop::collection::vec(any::<bool>(), 2),
            scale in prop_oneof![Just(1i64), Just(10_000)],
        ) {
            let number = |value: i64| Rational::new(value, scale).unwrap_or(Rational::ZERO);
            let record = |(x, noise): &(Vec<i64>, i64)| {
                (
                    x.iter().map(|&value| number(value)).collect(),
                    &number(3 * x[0]) + &Rational::new(*noise, scale * 100).unwrap(),
                )
            };
            let records: Vec<(Vec<Rational>, Rational)> = points.iter().map(record).collect();
            let found = smallest_error(&records, &inexact);
            let table = RecordVectors::new(&records);
            prop_assert_eq!(&found, &found.with_digits(2, Rounding::Up));
            prop_assert!(explains(&found, &table, &inexact, &mut table.extreme()));
            let tiny = (0..DECADES)
                .fold(found.clone(), |tiny, _| tiny.checked_div(&Rational::integer(10)).unwrap());
            let endless = explains(&tiny, &table, &inexact, &mut table.extreme());
            prop_assert!(
                found.is_zero()
                    || endless
                    || !explains(&below(&found), &table, &inexact, &mut table.extreme())
            );
        }
    }

    #[test]
    fn an_error_of_all_values_is_smaller_than_that_of_one() {
        // Values afterwards that are off by one, up and down: a map through the middle; with an
        // inexact column half of it suffices.
        let record = |x: i64, after: i64| (vec![Rational::integer(x)], Rational::integer(after));
        let records = [record(0, 1), record(10, 9), record(20, 21), record(30, 29)];
        assert_eq!(smallest_error(&records, &[false]), Rational::ONE);
        assert!(smallest_error(&records, &[true]) < Rational::ONE);
    }
}
