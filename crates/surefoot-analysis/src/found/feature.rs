//! What a cut may test: the literals, the equalities of parameters, and sums of columns that vary
//! among the recorded events of an action.
//!
//! *The family*: a literal; an equality; a column against a number; the sum or the difference of
//! two columns against a number; and the *meeting* of two maps that each explain some steps, where
//! their difference is compared with a number. What is computed by a minimum or a maximum breaks
//! where two maps meet. The maps that are tried: a function changes by a number or by a column, or
//! it becomes a number, a column, or a column and a number more.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{Comparison, Condition, Expression};

use super::rows::Rows;
use surefoot_learn::{ColumnId, EqualityId, LiftedAtomId, LiftedFunctionId, Observation, same};

/// More features are not searched.
const MOST_FEATURES: usize = 2_000;

/// A map explains some steps if it explains so many.
const SOME: usize = 3;

/// The most maps of one kind for one function.
const MOST_MAPS: usize = 4;

/// A quantity that has a value before each step of an action; a literal has 0 or 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Feature {
    Atom(LiftedAtomId),
    Equality(EqualityId),
    /// A sum of multiples of columns, with coprime integers, the first of them above zero.
    Form(BTreeMap<ColumnId, Rational>),
}

/// Which values of a feature a part has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Bound {
    AtMost,
    AtLeast,
}

/// The features that vary, simplest first.
pub(super) struct Features {
    pub features: Vec<Feature>,
    /// How many of them are single: a literal, an equality or a column.
    pub single: usize,
}

impl Features {
    /// Whether the steps have a value of everything that a test may read. A test without a value in
    /// some step could be the true one, and it would not be looked for.
    pub fn are_known(rows: &Rows<'_>) -> bool {
        let vocabulary = rows.vocabulary();
        let atoms = vocabulary.atoms.ids().map(Feature::Atom);
        let single = |column: ColumnId| Feature::Form([(column, Rational::ONE)].into());
        let features: Vec<Feature> = atoms.chain(vocabulary.columns.ids().map(single)).collect();
        (0..rows.rows.len())
            .filter(|&row| rows.step(row).is_some())
            .all(|row| features.iter().all(|feature| feature.value(rows, row).is_some()))
    }

    /// The features of some events; `None` if there are too many to be searched.
    pub fn of(rows: &Rows<'_>, which: &[usize]) -> Option<Features> {
        let vocabulary = rows.vocabulary();
        let varies = |feature: &Feature| {
            let values: BTreeSet<Option<Rational>> = (which.iter())
                .filter(|&&row| rows.step(row).is_some())
                .map(|&row| feature.value(rows, row))
                .collect();
            !values.contains(&None) && is_varied(rows, which, feature, &values)
        };
        let atoms = vocabulary.atoms.ids().map(Feature::Atom);
        let equalities = vocabulary.equalities.ids().map(Feature::Equality);
        let literals: Vec<Feature> = atoms.chain(equalities).filter(varies).collect();
        let columns: Vec<ColumnId> = vocabulary.columns.ids().collect();
        let single = |column: ColumnId| Feature::Form([(column, Rational::ONE)].into());
        // A column that never varies adds nothing to another one: the region of each part is at
        // its one value.
        let varied: Vec<ColumnId> =
            columns.iter().copied().filter(|&column| varies(&single(column))).collect();
        if literals.len() + varied.len().saturating_mul(varied.len()) > MOST_FEATURES {
            return None;
        }
        let mut features = literals;
        features.extend(varied.iter().map(|&column| single(column)));
        let count = features.len();
        for (place, &one) in varied.iter().enumerate() {
            for &other in &varied[..place] {
                for sign in [1, -1] {
                    let sign = Rational::integer(sign);
                    features.push(Feature::Form([(other, Rational::ONE), (one, sign)].into()));
                }
            }
        }
        for form in meetings(rows, which) {
            let form = Feature::Form(form);
            if !features.contains(&form) {
                features.push(form);
            }
        }
        let (mut features, rest) = {
            let rest = features.split_off(count);
            (features, rest)
        };
        features.extend(rest.into_iter().filter(varies));
        Some(Features { features, single: count })
    }
}

/// Whether a feature has several values among the events, failed attempts included.
fn is_varied(
    rows: &Rows<'_>,
    which: &[usize],
    feature: &Feature,
    of_steps: &BTreeSet<Option<Rational>>,
) -> bool {
    of_steps.len() > 1
        || which.iter().any(|&row| {
            let value = feature.value(rows, row);
            value.is_some() && !of_steps.contains(&value)
        }) && !of_steps.is_empty()
}

impl Feature {
    /// The value before an event, if it has one that is known.
    pub fn value(&self, rows: &Rows<'_>, row: usize) -> Option<Rational> {
        let of = |holds: bool| if holds { Rational::ONE } else { Rational::ZERO };
        match self {
            Feature::Atom(atom) => rows.atom(row, *atom).map(of),
            Feature::Equality(equality) => Some(of(rows.equality(row, *equality))),
            Feature::Form(form) => {
                let mut sum = Rational::ZERO;
                for (&column, factor) in form {
                    sum += &(factor * &rows.column(row, column)?);
                }
                Some(sum)
            }
        }
    }

    /// The tests that its values lie between two numbers, where these are given.
    pub fn tests(
        &self,
        rows: &Rows<'_>,
        least: Option<&Rational>,
        most: Option<&Rational>,
    ) -> Vec<Condition> {
        let vocabulary = rows.vocabulary();
        let literal = |condition: Condition| match most {
            // At most zero: it does not hold.
            Some(most) if most.is_zero() => vec![Condition::Not(Box::new(condition))],
            _ => vec![condition],
        };
        match self {
            Feature::Atom(atom) => literal(Condition::Atom(vocabulary.atoms[*atom].clone())),
            Feature::Equality(equality) => literal(same(vocabulary, *equality)),
            Feature::Form(form) => {
                let left = expression(rows, form);
                let compare = |comparison, number: &Rational| {
                    let sides = [left.clone(), Expression::Number(number.clone())];
                    Condition::Compare(comparison, Box::new(sides))
                };
                match (least, most) {
                    (Some(least), Some(most)) if least == most => {
                        vec![compare(Comparison::Equal, least)]
                    }
                    _ => {
                        let least = least.map(|number| compare(Comparison::GreaterOrEqual, number));
                        let most = most.map(|number| compare(Comparison::LessOrEqual, number));
                        least.into_iter().chain(most).collect()
                    }
                }
            }
        }
    }
}

/// A sum of multiples of columns, as PDDL has it.
fn expression(rows: &Rows<'_>, form: &BTreeMap<ColumnId, Rational>) -> Expression {
    let vocabulary = rows.vocabulary();
    let terms = |sign: i32| -> Vec<Expression> {
        let own = form.iter().filter(|(_, factor)| factor.signum() == sign);
        own.map(|(&column, factor)| {
            let column = vocabulary.expression(&vocabulary.columns[column]);
            match factor.abs() {
                one if one == Rational::ONE => column,
                factor => Expression::Product(vec![Expression::Number(factor), column]),
            }
        })
        .collect()
    };
    let sum = |mut terms: Vec<Expression>| match terms.len() {
        1 => terms.pop().invariant("there is one"),
        _ => Expression::Sum(terms),
    };
    match (terms(1), terms(-1)) {
        (more, less) if less.is_empty() => sum(more),
        (more, less) => Expression::Difference(Box::new([sum(more), sum(less)])),
    }
}

/// An affine map from columns to the value of a function afterwards.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Map {
    terms: BTreeMap<ColumnId, Rational>,
    constant: Rational,
}

/// The differences of two maps of which one or the other explains every step.
fn meetings(rows: &Rows<'_>, which: &[usize]) -> BTreeSet<BTreeMap<ColumnId, Rational>> {
    let vocabulary = rows.vocabulary();
    let steps: Vec<(usize, &Observation)> =
        which.iter().filter_map(|&row| Some((row, rows.step(row)?))).collect();
    let mut forms = BTreeSet::new();
    for function in vocabulary.functions.ids() {
        let changes = |step: &Observation| step.before[function] != step.after[function];
        if !steps.iter().any(|(_, step)| changes(step)) {
            continue;
        }
        let maps: Vec<(Map, Vec<bool>)> = maps_of(rows, &steps, function);
        for (place, (one, by_one)) in maps.iter().enumerate() {
            for (other, by_other) in &maps[..place] {
                if by_one.iter().zip(by_other).all(|(one, other)| *one || *other) {
                    forms.extend(difference(one, other));
                }
            }
        }
    }
    forms
}

/// The maps that are tried for a function, with the steps that each one explains.
fn maps_of(
    rows: &Rows<'_>,
    steps: &[(usize, &Observation)],
    function: LiftedFunctionId,
) -> Vec<(Map, Vec<bool>)> {
    let vocabulary = rows.vocabulary();
    let own = vocabulary.column_of(function);
    let mut bases: Vec<BTreeMap<ColumnId, Rational>> = vec![BTreeMap::new()];
    let columns = || vocabulary.columns.ids();
    bases.extend(columns().map(|column| BTreeMap::from([(column, Rational::ONE)])));
    if let Some(own) = own {
        for column in columns().filter(|column| *column != own) {
            for sign in [1, -1] {
                bases.push([(own, Rational::ONE), (column, Rational::integer(sign))].into());
            }
        }
    }
    let mut maps = Vec::new();
    for terms in bases {
        let form = Feature::Form(terms.clone());
        // What is left of the value afterwards.
        let left: Vec<Option<Rational>> = steps
            .iter()
            .map(|(row, step)| Some(step.after[function].as_ref()? - &form.value(rows, *row)?))
            .collect();
        let mut counts: BTreeMap<&Rational, usize> = BTreeMap::new();
        left.iter().flatten().for_each(|constant| *counts.entry(constant).or_default() += 1);
        let mut counts: Vec<(&Rational, usize)> =
            counts.into_iter().filter(|(_, count)| *count >= SOME).collect();
        counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        for (constant, _) in counts.into_iter().take(MOST_MAPS) {
            let explained = left.iter().map(|left| left.as_ref() == Some(constant)).collect();
            maps.push((Map { terms: terms.clone(), constant: constant.clone() }, explained));
        }
    }
    maps
}

/// The difference of two maps without its constant, with coprime integers; `None` if it is none.
fn difference(one: &Map, other: &Map) -> Option<BTreeMap<ColumnId, Rational>> {
    let mut terms = one.terms.clone();
    for (&column, factor) in &other.terms {
        let entry = terms.entry(column).or_insert(Rational::ZERO);
        *entry = &*entry - factor;
    }
    terms.retain(|_, factor| !factor.is_zero());
    let first = terms.values().next()?.abs();
    let sign = Rational::integer(i64::from(terms.values().next()?.signum()));
    // Factors are -2 to 2, and all maps have coefficients of -1 to 1.
    let scale =
        if terms.values().all(|factor| factor.abs() == first) { first } else { Rational::ONE };
    terms.values_mut().for_each(|factor| {
        *factor = (&*factor * &sign).checked_div(&scale).invariant("it is not zero");
    });
    Some(terms)
}
