//! What to type where recorded numbers are not exact: the least errors under which every step is explained.
//!
//! Two things show that a function is inexact: its changes fit an affine map nearly and not exactly, or it changes a little in steps whose
//! action does not reach it (a sensor of another robot). An error has to explain both, in all actions at once, so all steps are looked
//! at again, those too that no model of exact numbers explains.

use std::collections::BTreeMap;

use serde::Serialize;

use super::exact::Table;
use super::least::least_error;
use super::residual::NOISE;
use super::rows::Collector;
use super::subject::Seen;
use super::{Cause, Diagnosis};
use crate::exact::{Rational, Rounding};
use crate::learn::bad_data::each;
use crate::learn::learner::Learner;
use crate::learn::recording::Recording;
use crate::model::{ActionId, FunctionId, Step};
use crate::pddl::{Numbers, ReadError};

/// The errors with which recorded numbers are explained that are not exact.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Suggestion {
    /// By function: the least error found, to two digits.
    pub errors: BTreeMap<String, String>,
    /// One number for all functions, where all are inexact.
    pub one: Option<String>,
    /// Functions that change a little in steps that do not reach them.
    pub drifts: Vec<Drift>,
    /// Whether numbers were rounded (`--decimals`), so that these errors are about other numbers than those recorded.
    pub rounded: bool,
}

/// A function that changes a little in steps whose action does not reach it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Drift {
    /// The function.
    pub function: String,
    /// By so much at most.
    pub within: String,
    /// In so many steps.
    pub steps: usize,
}

/// What is known of a function's recorded values.
#[derive(Clone, Default)]
struct Values {
    range: Option<(Rational, Rational)>,
    /// The largest change in a step that does not reach it, and in how many steps it changes so.
    unreached: Option<Rational>,
    steps: usize,
}

impl Values {
    fn look(&mut self, value: &Rational) {
        self.range = Some(match self.range.take() {
            None => (value.clone(), value.clone()),
            Some((least, most)) => (least.min(value.clone()), most.max(value.clone())),
        });
    }

    /// Whether a distance is small beside the range.
    fn is_small(&self, distance: &Rational) -> bool {
        let spread = self.range.as_ref().map_or(0.0, |(least, most)| (most - least).to_f64());
        distance.to_f64() <= NOISE * spread
    }
}

/// The least errors that explain what is nearly explained; `None` where nothing is. `anomalies`: whether some steps change what their
/// action does not reach.
pub fn suggestion(
    learner: &Learner,
    anomalies: bool,
    diagnoses: &[Diagnosis],
    recording: &dyn Recording,
) -> Result<Option<Suggestion>, ReadError> {
    let nearly = |diagnosis: &Diagnosis| matches!(diagnosis.cause, Cause::Inexact { product: None, .. });
    if !anomalies && !diagnoses.iter().any(nearly) {
        return Ok(None);
    }
    let domain = learner.domain();
    let mut values = vec![Values::default(); domain.signature.functions.len()];
    let mut rows: BTreeMap<ActionId, Collector> = BTreeMap::new();
    each(learner, recording, 0..recording.traces(), |id, recorded, observer| {
        let Some(step) = recorded.step() else { return };
        for value in observer.unreached(learner, step) {
            let found = &mut values[step.universe.ground_function(value).symbol.index()];
            if let (Some(before), Some(after)) = (step.before.value(value), step.after.value(value)) {
                found.steps += 1;
                found.unreached = Some((after - before).abs()).max(found.unreached.take());
            }
        }
        look(step, &mut values);
        let atoms: Vec<_> = step.before.differing_atoms(step.after).collect();
        if let Ok(observation) = observer.observe_changed(learner, step, (&atoms, &[])) {
            rows.entry(step.action.symbol).or_default().push(id, observation);
        }
    })?;
    let given = &learner.class().errors;
    let mut errors = given.clone();
    let mut raise = |function: FunctionId, error: Rational| {
        let known = errors.entry(function).or_insert(Rational::ZERO);
        *known = error.max(known.clone());
    };
    let mut drifts = Vec::new();
    for (place, found) in values.iter().enumerate() {
        if let Some(most) = found.unreached.as_ref().filter(|most| found.is_small(most)) {
            let half = most * &Rational::new(1, 2).unwrap_or(Rational::ONE);
            raise(FunctionId::from(place), half.with_digits(2, Rounding::Up));
            let function = domain.signature.functions.name(place).to_owned();
            drifts.push(Drift { function, within: super::subject::shown(most), steps: found.steps });
        }
    }
    for (action, rows) in rows {
        let rows = rows.finish();
        let rows = rows.telling_all();
        let seen = Seen { learner, action, rows: &rows.observations };
        for (function, lifted) in learner.vocabulary(action).functions.pairs() {
            let Some(table) = Table::of(&seen, function).filter(|table| !table.is_explained()) else { continue };
            if let Some(error) = least_error(&table).filter(|error| values[lifted.symbol.index()].is_small(error)) {
                raise(lifted.symbol, error);
            }
        }
    }
    errors.retain(|function, error| !error.is_zero() && !is_multiplied(learner, *function));
    Ok((errors != *given).then(|| told(learner, &errors, drifts)))
}

fn look(step: Step<'_>, values: &mut [Values]) {
    for state in [step.before, step.after] {
        for (id, value) in state.values() {
            values[step.universe.ground_function(id).symbol.index()].look(value);
        }
    }
}

/// Whether some product of the class has the function as a factor: then it cannot be inexact.
fn is_multiplied(learner: &Learner, function: FunctionId) -> bool {
    learner.domain().action_ids().any(|action| {
        let vocabulary = learner.vocabulary(action);
        let products = vocabulary.columns.iter().filter(|column| column.0.len() > 1);
        products.flat_map(|column| &column.0).any(|&factor| vocabulary.functions[factor].symbol == function)
    })
}

fn told(learner: &Learner, errors: &BTreeMap<FunctionId, Rational>, drifts: Vec<Drift>) -> Suggestion {
    let functions = &learner.domain().signature.functions;
    let name = |function: &FunctionId| functions.name(function.index()).to_owned();
    let one = (errors.len() == functions.len()).then(|| errors.values().max().map(written)).flatten();
    Suggestion {
        errors: errors.iter().map(|(function, error)| (name(function), written(error))).collect(),
        one,
        drifts: drifts.into_iter().filter(|drift| errors.keys().any(|function| name(function) == drift.function)).collect(),
        rounded: learner.class().numbers != Numbers::Exact,
    }
}

/// A short number as it is typed: `0.15`, `7.2e-15`.
fn written(number: &Rational) -> String {
    let text = super::subject::shown(number);
    match text.trim_start_matches("0.").strip_prefix("0000") {
        Some(_) => format!("{:e}", number.to_f64()),
        None => text,
    }
}
