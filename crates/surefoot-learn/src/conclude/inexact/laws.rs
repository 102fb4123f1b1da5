//! Laws of fits: errors are chosen by an opponent, and all that is promised is verified naively.

use proptest::prelude::*;
use surefoot_base::exact::{Rational, Row};
use surefoot_base::ids::Id;

use super::fit::{Fit, RecordedOutcomes, Unfit, fit};
use crate::conclude::effect::{Affine, Factors, NumericForm};
use crate::evidence::{ActiveColumn, LiftedFunctionId};

fn ratio(num: i64, den: i64) -> Rational {
    Rational::new(num, den).unwrap_or(Rational::ZERO)
}

/// A hidden map, true vectors, and what was recorded of them.
#[derive(Clone, Debug)]
struct World {
    /// The constant first; hundredths.
    hidden: Vec<Rational>,
    /// The error of each column.
    errors: Vec<Rational>,
    error: Rational,
    truth: Vec<Vec<Rational>>,
    records: Vec<(Vec<Rational>, Rational)>,
    /// Rows `(c, a)` that all vectors satisfy.
    equations: Vec<Row>,
}

impl World {
    fn value(&self, x: &[Rational]) -> Rational {
        let terms = self.hidden[1..].iter().zip(x);
        terms.fold(self.hidden[0].clone(), |sum, (factor, value)| &sum + &(factor * value))
    }

    fn fit(&self, arity: Option<usize>, decimals: Option<u32>) -> Result<Fit, Unfit> {
        let columns: Vec<Vec<LiftedFunctionId>> =
            (0..self.errors.len()).map(|c| vec![LiftedFunctionId::from_index(c)]).collect();
        let factors = Factors::new(&columns);
        let target = RecordedOutcomes {
            records: &self.records,
            errors: &self.errors,
            error: self.error.clone(),
            own: Some(ActiveColumn::from_index(0)),
            factors: &factors,
            equations: &self.equations,
            beyond: true,
        };
        fit(&target, arity, decimals)
    }

    /// How far a consistent map may be from a record.
    fn slack(&self, map: &Affine) -> Rational {
        map.terms.iter().fold(self.error.clone(), |sum, (column, value)| {
            &sum + &(&value.abs() * &self.errors[column.index()])
        })
    }

    /// The number at a place of `(1, columns)` in a record.
    fn number(&self, j: usize, place: usize) -> Rational {
        if place == 0 { Rational::ONE } else { self.records[j].0[place - 1].clone() }
    }

    /// The error of the number at a place of `(1, columns)`.
    fn error_at(&self, place: usize) -> Rational {
        if place == 0 { Rational::ZERO } else { self.errors[place - 1].clone() }
    }
}

/// What an opponent does to a value: moved down or up by all of the error, or by a part of it.
fn moved(value: &Rational, error: &Rational, choice: i64) -> Rational {
    value + &(error * &ratio(choice, 4))
}

prop_compose! {
    fn world()(columns in 1usize..4)(
        hidden in prop::collection::vec(
            prop_oneof![3 => Just(0i64), 2 => Just(100), 4 => -250i64..250],
            columns + 1,
        ),
        errors in prop::collection::vec(
            prop_oneof![2 => Just(0i64), 2 => 1i64..4, 1 => 5i64..60],
            columns,
        ),
        error in prop_oneof![Just(0i64), 1i64..30],
        points in prop::collection::vec((
            prop::collection::vec(-40i64..41, columns),
            prop::collection::vec(prop_oneof![Just(-4i64), Just(4), -4i64..5], columns + 1),
        ), 3..14),
        equal in prop_oneof![3 => Just(None), 1 => (1i64..4, -3i64..4).prop_map(Some)],
        scale in prop_oneof![Just(100i64), Just(1000), Just(1_000_000_000)],
    ) -> World {
        let columns = errors.len();
        let mut errors: Vec<Rational> =
            errors.into_iter().map(|error| ratio(error, scale)).collect();
        let mut equations = Vec::new();
        if columns > 1 && let Some((factor, shift)) = equal {
            // The last two columns are bound together, and exact: factor * first = last + shift.
            errors[columns - 1] = Rational::ZERO;
            errors[columns - 2] = Rational::ZERO;
            let mut row = vec![Rational::ZERO; columns + 1];
            row[0] = Rational::integer(-shift);
            row[columns - 1] = Rational::integer(factor);
            row[columns] = Rational::integer(-1);
            equations.push(Row::direction(&row));
        }
        let mut world = World {
            hidden: hidden.into_iter().map(|value| ratio(value, 100)).collect(),
            error: if errors[0].is_zero() { ratio(error, scale) } else { errors[0].clone() },
            errors, truth: Vec::new(), records: Vec::new(), equations,
        };
        for (point, choices) in points {
            let mut x: Vec<Rational> = point.into_iter().map(Rational::integer).collect();
            if columns > 1 && let Some((factor, shift)) = equal {
                x[columns - 1] =
                    &(&Rational::integer(factor) * &x[columns - 2]) - &Rational::integer(shift);
            }
            let after = moved(&world.value(&x), &world.error, choices[columns]);
            let recorded = x
                .iter()
                .zip(&world.errors)
                .zip(&choices)
                .map(|((value, error), &choice)| moved(value, error, choice));
            world.records.push((recorded.collect(), after));
            world.truth.push(x);
        }
        world.records.sort();
        world
    }
}

/// Weights of records add up to one at a place, and to zero at the others that are open.
fn assert_single_out(world: &World, weights: &[(usize, Rational)], open: &[usize], place: usize) {
    for &other in open {
        let sum = weights
            .iter()
            .fold(Rational::ZERO, |sum, (j, c)| &sum + &(c * &world.number(*j, other)));
        assert_eq!(
            sum,
            Rational::integer(i64::from(other == place)),
            "weights single out a coefficient"
        );
    }
}

/// What weights make of the rests of the records, and how large they are all in all.
fn combined(weights: &[(usize, Rational)], rests: &[Rational]) -> (Rational, Rational) {
    let value = weights.iter().fold(Rational::ZERO, |sum, (j, c)| &sum + &(c * &rests[*j]));
    (value, weights.iter().fold(Rational::ZERO, |sum, (_, c)| &sum + &c.abs()))
}

/// The proofs of what is settled, verified from the definition alone; by place in
/// `(constant, columns)` whether it is.
fn verified(world: &World, fit: &Fit, decimals: u32) -> Vec<bool> {
    let size = world.errors.len() + 1;
    let mut value = vec![Rational::ZERO; size];
    value[0] = fit.map.constant.clone();
    fit.map.terms.iter().for_each(|(column, factor)| value[column.index() + 1] = factor.clone());
    let mut settled: Vec<bool> = vec![false; size];
    let mut step = ratio(1, 10i64.pow(decimals));
    let by_stages: Vec<usize> = fit
        .stages
        .iter()
        .flat_map(|stage| &stage.settled)
        .map(|one| one.column.map_or(0, |c| c.index() + 1))
        .collect();
    for (place, settles) in settled.iter_mut().enumerate().skip(1) {
        *settles = fit.settled.contains(&ActiveColumn::from_index(place - 1))
            && !by_stages.contains(&place);
        if *settles {
            // Dropped: the one equation solved for it.
            assert!(value[place].is_zero());
            let row = &world.equations[0];
            assert!(row.signum(place) != 0);
            // The least number that all denominators divide.
            let quotients: Vec<Rational> = (0..size)
                .map(|other| row.entry(other).checked_div(&row.entry(place)).unwrap())
                .collect();
            let common = (1i64..)
                .map(Rational::integer)
                .find(|common| quotients.iter().all(|one| (one * common).is_integer()));
            step = step.checked_div(&common.unwrap()).unwrap();
        }
    }
    for stage in &fit.stages {
        let open: Vec<usize> = (0..size).filter(|&place| !settled[place]).collect();
        let rests: Vec<Rational> = (0..world.records.len())
            .map(|j| {
                (0..size).filter(|&p| settled[p]).fold(world.records[j].1.clone(), |sum, p| {
                    &sum - &(&value[p] * &world.number(j, p))
                })
            })
            .collect();
        let mut slack = (0..size)
            .filter(|&p| settled[p])
            .fold(world.error.clone(), |sum, p| &sum + &(&value[p].abs() * &world.error_at(p)));
        let (mut first, mut kappa) = (Rational::ZERO, Rational::ZERO);
        for &place in open.iter().filter(|&&place| !world.error_at(place).is_zero()) {
            let (_, weights) = stage
                .spread
                .iter()
                .find(|(column, _)| column.index() + 1 == place)
                .expect("a bound for each");
            assert_single_out(world, weights, &open, place);
            let (g, w) = combined(weights, &rests);
            first += &(&world.error_at(place) * &g.abs());
            kappa += &(&world.error_at(place) * &w);
        }
        assert!(kappa < Rational::ONE);
        slack += &(&first + &(&kappa * &slack)).checked_div(&(&Rational::ONE - &kappa)).unwrap();
        for one in &stage.settled {
            let place = one.column.map_or(0, |column| column.index() + 1);
            assert!(open.contains(&place));
            assert_single_out(world, &one.above, &open, place);
            assert_single_out(world, &one.below, &open, place);
            let ((high, above), (low, below)) =
                (combined(&one.above, &rests), combined(&one.below, &rests));
            let (high, low) = (&high + &(&above * &slack), &low - &(&below * &slack));
            assert_eq!(one.value, value[place]);
            assert!(one.value.checked_div(&step).unwrap().is_integer());
            assert!(
                low <= one.value
                    && one.value <= high
                    && &one.value - &step < low
                    && &one.value + &step > high
            );
        }
        stage
            .settled
            .iter()
            .for_each(|one| settled[one.column.map_or(0, |column| column.index() + 1)] = true);
    }
    settled
}

/// The distance of a map to the true one is within its bound at the true vectors, hence everywhere
/// between them.
fn holds(world: &World, fit: &Fit) {
    let residual =
        world.records.iter().map(|(x, after)| (&fit.map.at(x) - after).abs()).max().unwrap();
    assert_eq!(fit.residual, residual);
    for x in &world.truth {
        assert!((&fit.map.at(x) - &world.value(x)).abs() <= fit.bound, "{fit:?} at {x:?}");
    }
    let own = ActiveColumn::from_index(0);
    for (x, _) in &world.records {
        assert_eq!(&fit.form.change_at(x, Some(own)).unwrap() + &x[0], fit.map.at(x));
    }
}

/// How many columns a map reads, given by its constant and coefficients.
fn columns_read(hidden: &[Rational]) -> usize {
    hidden.iter().skip(1).filter(|value| !value.is_zero()).count()
}

proptest! {
    #[test]
    fn the_simplest_map_is_consistent_and_its_bound_holds(world in world()) {
        let fit = world.fit(None, None).unwrap();
        holds(&world, &fit);
        prop_assert!(fit.residual <= world.slack(&fit.map));
        prop_assert_eq!(&fit.bound, &(&fit.residual + &world.slack(&fit.map)));
        // The true map is consistent, too, so it is not simpler.
        let mut change = world.hidden.clone();
        change[1] = &change[1] - &Rational::ONE;
        let terms = match &fit.form {
            NumericForm::Change(map) | NumericForm::Assign(map) => map.terms.len(),
            NumericForm::Unchanged | NumericForm::Scale(_) => 0,
        };
        prop_assert!(terms <= columns_read(&world.hidden).min(columns_read(&change)));
    }

    #[test]
    fn what_settles_is_true_and_proved(world in world()) {
        let fit = world.fit(None, Some(2)).unwrap();
        holds(&world, &fit);
        let settled = verified(&world, &fit, 2);
        prop_assert_eq!(settled[0], fit.constant_settled);
        for (place, settles) in settled.iter().enumerate().skip(1) {
            prop_assert_eq!(*settles, fit.settled.contains(&ActiveColumn::from_index(place - 1)));
        }
        // Where nothing was dropped, settled coefficients are those of the hidden map.
        if world.equations.is_empty() {
            for place in (0..settled.len()).filter(|&place| settled[place]) {
                let value = match place.checked_sub(1) {
                    None => fit.map.constant.clone(),
                    Some(column) => {
                        let term = fit.map.terms.iter().find(|(other, _)| other.index() == column);
                        term.map_or(Rational::ZERO, |(_, value)| value.clone())
                    }
                };
                prop_assert_eq!(&value, &world.hidden[place]);
            }
        }
        if settled.iter().all(|settled| *settled) {
            prop_assert!(fit.bound.is_zero());
        }
    }

    #[test]
    fn under_an_effect_arity_no_map_reads_more(
        world in world(),
        arity in 0usize..3,
        decimals in prop_oneof![Just(None), Just(Some(2))],
    ) {
        // The function's own column does not count in a change.
        let others = (1..world.hidden.len()).filter(|&place| {
            let is_own = place == 1 && world.hidden[1] == Rational::ONE;
            !world.hidden[place].is_zero() && !is_own
        });
        let true_arity = columns_read(&world.hidden).min(others.count());
        match world.fit(Some(arity), decimals) {
            Ok(fit) => {
                holds(&world, &fit);
                if fit.settled.len() < world.errors.len() {
                    let terms = match &fit.form {
                        NumericForm::Change(map) | NumericForm::Assign(map) => map.terms.len(),
                        NumericForm::Unchanged | NumericForm::Scale(_) => 0,
                    };
                    prop_assert!(terms <= arity, "{:?}", fit);
                }
            }
            Err(unfit) => prop_assert!(unfit == Unfit::Arity && arity < true_arity, "{unfit:?}"),
        }
    }

    /// A record far from all the others is inconsistent with every map, and said to be.
    #[test]
    fn what_no_map_explains_is_said(mut world in world(), far in 1000i64..2000) {
        let error = world.errors.iter().fold(world.error.clone(), |sum, error| &sum + error);
        let (x, after) = world.records[0].clone();
        world.records.push((x, &after + &(&Rational::integer(far) * &(&error + &Rational::ONE))));
        world.records.sort();
        if let Ok(fit) = world.fit(None, None) {
            // Only a coefficient so large that errors of its column explain everything is left.
            prop_assert!(fit.residual <= world.slack(&fit.map));
            prop_assert!(world.slack(&fit.map) >= &Rational::integer(far) * &ratio(1, 3));
        }
    }
}

fn number(text: &str) -> Rational {
    surefoot_base::certificate::read_number(text).unwrap()
}

/// Records of one column and its value afterwards, as a simulator in doubles writes them.
fn tank(error: &str, written: impl Fn(f64) -> String) -> World {
    let mut temperature = 20.0f64;
    let mut records = Vec::new();
    for step in 0..60 {
        let after = 0.97 * temperature + 2.4;
        records.push((vec![number(&written(temperature))], number(&written(after))));
        temperature = if step % 7 == 6 { f64::from(step) } else { after };
    }
    records.sort();
    let error = number(error);
    let hidden = vec![ratio(24, 10), ratio(97, 100)];
    World {
        hidden,
        errors: vec![error.clone()],
        error,
        truth: Vec::new(),
        records,
        equations: Vec::new(),
    }
}

#[test]
fn a_tank_simulated_in_doubles_settles() {
    let world = tank("0.000000001", |value| format!("{value}"));
    let true_map = Affine {
        constant: ratio(24, 10),
        terms: vec![(ActiveColumn::from_index(0), ratio(97, 100))],
    };
    let settled = world.fit(None, Some(2)).unwrap();
    assert_eq!((&settled.map, &settled.bound), (&true_map, &Rational::ZERO));
    assert!(settled.constant_settled && settled.settled.len() == 1);
    // Without the assumption the numbers are the same, since they are the simplest; what is known
    // of them is not.
    let fit = world.fit(None, None).unwrap();
    assert_eq!(fit.map, true_map);
    assert!(fit.bound.signum() > 0 && fit.bound < ratio(1, 100_000_000) && fit.settled.is_empty());
    assert_eq!(world.fit(None, Some(1)), Err(Unfit::Decimals));
}

#[test]
fn rounded_records_settle_where_they_are_far_apart() {
    let fit = tank("0.005", |value| format!("{value:.2}")).fit(None, Some(2)).unwrap();
    assert_eq!(fit.map.terms, [(ActiveColumn::from_index(0), ratio(97, 100))]);
    assert_eq!((fit.map.constant, fit.bound), (ratio(24, 10), Rational::ZERO));
    let noisy = tank("0.2", |value| format!("{value:.0}")).fit(None, Some(2));
    assert_eq!(noisy, Err(Unfit::NotAffine), "whole degrees are further off than 0.2");
}
