//! What to type where recorded numbers are not exact: the least errors under which every step is explained.
//!
//! Two things show that a function is inexact: its changes fit an affine map nearly and not exactly, or it changes a little in steps whose
//! action does not reach it (a sensor of another robot). An error has to explain both, in all actions at once, so all steps are looked
//! at again, those too that no model of exact numbers explains.

use std::collections::BTreeMap;

use serde::Serialize;

use super::exact::Table;
use super::least::{least_error, least_share};
use super::residual::NOISE;
use super::rows::{ActionRows, Collector};
use super::subject::Seen;
use super::{Cause, Diagnosis};
use crate::exact::{Rational, Rounding};
use crate::learn::bad_data::each;
use crate::learn::ids::LiftedFunctionId;
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
    /// Functions that are not exact either, and have to be, since the class has products of them.
    pub factors: Vec<String>,
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
            raise(FunctionId::from(place), half(most).with_digits(2, Rounding::Up));
            let function = domain.signature.functions.name(place).to_owned();
            drifts.push(Drift { function, within: super::subject::shown(most), steps: found.steps });
        }
    }
    let rows: Vec<(ActionId, ActionRows)> = rows.into_iter().map(|(action, rows)| (action, rows.finish())).collect();
    let rows: Vec<_> = rows.iter().map(|(action, rows)| (*action, rows.telling_all())).collect();
    let mut tables: Vec<(ActionId, Table)> = Vec::new();
    for (action, rows) in &rows {
        let seen = Seen { learner, action: *action, rows: &rows.observations };
        let found = learner.vocabulary(*action).functions.ids().filter_map(|function| Table::of(&seen, function));
        tables.extend(found.filter(|table| !table.is_explained()).map(|table| (*action, table)));
    }
    let symbol = |action: ActionId, function: LiftedFunctionId| learner.vocabulary(action).functions[function].symbol;
    tables.retain(|(action, table)| {
        let (function, error) = (symbol(*action, table.function), least_error(table));
        let small = values[function.index()].is_small(&error);
        if small {
            raise(function, error);
        }
        small
    });
    // Where several functions are inexact, each explains a part: in this proportion, less of all of them may do.
    let share = |(action, table): &(ActionId, Table)| least_share(table, |function| errors.get(&symbol(*action, function)));
    let share = tables.iter().map(share).max().filter(|share| *share < Rational::ONE);
    if let Some(share) = share {
        for (function, error) in &mut errors {
            let found = &values[function.index()];
            let drift = found.unreached.as_ref().filter(|most| found.is_small(most)).map_or(Rational::ZERO, half);
            let least = drift.max(given.get(function).cloned().unwrap_or(Rational::ZERO));
            *error = (&*error * &share).max(least).with_digits(2, Rounding::Up);
        }
    }
    let factors: Vec<FunctionId> = errors.keys().copied().filter(|function| is_multiplied(learner, *function)).collect();
    errors.retain(|function, error| !error.is_zero() && !factors.contains(function));
    Ok((errors != *given).then(|| told(learner, &errors, &factors, drifts)))
}

fn half(number: &Rational) -> Rational {
    number * &Rational::new(1, 2).unwrap_or(Rational::ONE)
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

fn told(learner: &Learner, errors: &BTreeMap<FunctionId, Rational>, factors: &[FunctionId], drifts: Vec<Drift>) -> Suggestion {
    let functions = &learner.domain().signature.functions;
    let name = |function: &FunctionId| functions.name(function.index()).to_owned();
    let one = (errors.len() == functions.len()).then(|| errors.values().max().map(written)).flatten();
    Suggestion {
        errors: errors.iter().map(|(function, error)| (name(function), written(error))).collect(),
        one,
        drifts: drifts.into_iter().filter(|drift| errors.keys().any(|function| name(function) == drift.function)).collect(),
        factors: factors.iter().map(name).collect(),
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
