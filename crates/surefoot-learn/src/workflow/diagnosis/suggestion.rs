//! What to type where recorded numbers are not exact: the least errors under which every step is
//! explained.
//!
//! Two things show that a function is inexact: its changes fit an affine map nearly and not
//! exactly, or it changes a little in steps whose action does not reach it (a sensor of another
//! robot). An error has to explain both, in all actions at once, so all steps are looked at again,
//! those too that no model of exact numbers explains.
//!
//! One slip of a recorder must not decide how far all records may be off: where few steps are much
//! farther away than all others, the errors are those of the others, and the odd steps are named,
//! to be set aside.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{ActionId, FunctionId, Step};
use surefoot_base::pddl::{Numbers, ReadError};

use super::exact::ChangeTable;
use super::fit::{NOISE, is_few};
use super::least::{least_error, least_share};
use super::residual::{FAR, far_off};
use super::rows::{ActionRows, Collector};
use super::subject::ActionObservations;
use super::{Cause, Diagnosis, PLACES, StepPlace};
use crate::conclude::{Settings, assumptions};
use crate::evidence::{Class, Learner, LiftedFunctionId, Recording, StepId};
use crate::workflow::bad_data::places_of;
use crate::workflow::trial::Trial;

/// The errors with which recorded numbers are explained that are not exact.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Suggestion {
    /// By function: the least error found, to two digits.
    pub errors: BTreeMap<String, String>,
    /// One number for all functions, where all are inexact.
    pub one: Option<String>,
    /// Whether these are the errors that were given: then only the odd steps are not explained.
    pub given: bool,
    /// How many steps are much farther away than all others. The errors do not explain them.
    pub odd: usize,
    /// Where the first of these are.
    pub places: Vec<StepPlace>,
    /// By function: the largest error that rounding, and changes in steps that do not reach it,
    /// suggest, where the least error is larger: a sign that something that matters is not
    /// recorded, or that the class of models is wrong.
    pub suspect: BTreeMap<String, String>,
    /// Functions that change a little in steps that do not reach them.
    pub drifts: Vec<Drift>,
    /// Functions that are not exact either, and have to be, since the class has products of them.
    pub factors: Vec<String>,
    /// Whether numbers were rounded (`--decimals`), so that these errors are about other numbers
    /// than those recorded.
    pub rounded: bool,
}

/// Why no errors are proposed, although some would explain the records.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum NoSuggestion {
    /// The least error of a function that would explain its records is larger than what its records
    /// suggest.
    TooLarge {
        /// The name of the function.
        function: String,
        /// The error that was tried.
        error: String,
        /// The largest error that rounding, changes in steps that do not reach it, and the size of
        /// its changes suggest.
        plausible: String,
        /// The largest amount by which a step changes it.
        change: String,
    },
    /// A model learned with the errors is refuted by the records: by failures that it allows, or by
    /// traces that were left out.
    Refuted,
    /// Nothing shows that the records of a function are rounded or noisy, and too few steps that
    /// were left out test the errors.
    Untested {
        /// The name of the function.
        function: String,
        /// The error that was tried.
        error: String,
        /// How many steps that were left out the models of the others foresee.
        foreseen: usize,
    },
}

impl NoSuggestion {
    /// So many left-out steps must be foreseen where nothing else shows that records are inexact.
    pub const ENOUGH: usize = 20;
}

/// A function that changes a little in steps whose action does not reach it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Drift {
    /// The name of the function.
    pub function: String,
    /// The largest change of the function by actions that cannot change it.
    pub within: String,
    /// The number of such steps.
    pub steps: usize,
}

/// What is known of a function's recorded values.
#[derive(Clone, Default)]
struct Values {
    range: Option<(Rational, Rational)>,
    /// The largest number of which all observed values are multiples; `None` before a nonzero value
    /// was observed.
    grid: Option<Rational>,
    /// The largest amount by which a step changes it.
    change: Option<Rational>,
    /// The largest changes in steps that do not reach it, the largest first, and in how many steps
    /// it changes so.
    unreached: Vec<(Rational, StepId)>,
    steps: usize,
}

/// At most this many changes of a function are kept from steps that do not reach it.
const LARGEST: usize = 64;

impl Values {
    fn look(&mut self, value: &Rational) {
        self.range = Some(match self.range.take() {
            None => (value.clone(), value.clone()),
            Some((least, most)) => (least.min(value.clone()), most.max(value.clone())),
        });
        self.grid = match self.grid.take() {
            known if value.is_zero() => known,
            None => Some(value.abs()),
            Some(grid) => Some(common_divisor(&grid, value)),
        };
    }

    /// The largest error that its records suggest: half of what they are rounded to, half of what
    /// it changes by where nothing reaches it, or a small share of what steps change. Integers are
    /// taken for integers, not for rounded numbers.
    fn plausible(&self) -> Rational {
        let share = self.change.as_ref().map_or(Rational::ZERO, |change| {
            change * &Rational::new(1, 20).invariant("20 is not zero")
        });
        self.shown().max(share).with_digits(2, Rounding::Up)
    }

    /// The part of it that its records show by themselves: rounding, what computing in doubles
    /// leaves of numbers with very many digits, and changes where nothing reaches it.
    fn shown(&self) -> Rational {
        let size = self
            .range
            .iter()
            .flat_map(|(least, most)| [least.abs(), most.abs()])
            .max()
            .unwrap_or(Rational::ZERO);
        let computed = &size * &Rational::new(1, 1_000_000_000).invariant("a billion is not zero");
        let rounding = match &self.grid {
            Some(grid) if grid.is_integer() && !grid.is_zero() => Rational::ZERO,
            Some(grid) => half(grid).max(if *grid < computed { computed } else { Rational::ZERO }),
            None => Rational::ZERO,
        };
        let drift = self.noise().map_or(Rational::ZERO, half);
        rounding.max(drift).with_digits(2, Rounding::Up)
    }

    /// A change in a step that does not reach it.
    fn drift(&mut self, change: Rational, step: StepId) {
        self.steps += 1;
        let place = self.unreached.partition_point(|(known, at)| (known, step) > (&change, *at));
        self.unreached.insert(place, (change, step));
        self.unreached.truncate(LARGEST);
    }

    /// How many of the largest changes are much larger than all others, if they are few.
    fn far_off(&self) -> usize {
        let last = self
            .unreached
            .windows(2)
            .position(|pair| pair[0].0.to_f64() > FAR * pair[1].0.to_f64());
        let odd = last.map_or(0, |last| last + 1);
        if is_few(odd, self.steps) { odd } else { 0 }
    }

    /// The largest change in a step that does not reach it, but for those far off, if it is small.
    fn noise(&self) -> Option<&Rational> {
        self.unreached.get(self.far_off()).map(|(most, _)| most).filter(|most| self.is_small(most))
    }

    /// Whether a distance is small compared with the range.
    fn is_small(&self, distance: &Rational) -> bool {
        let spread = self.range.as_ref().map_or(0.0, |(least, most)| (most - least).to_f64());
        distance.to_f64() <= NOISE * spread
    }
}

/// What can be said about errors that explain records.
pub type Proposal = Result<Suggestion, NoSuggestion>;

/// The least errors that explain what is nearly explained; `None` where nothing is. They were
/// tried: a model learned with them is refuted neither by the records nor by those left out.
/// `anomalies`: whether some steps change what their action does not reach.
pub fn suggestion(
    learner: &Learner,
    settings: &Settings,
    anomalies: bool,
    diagnoses: &[Diagnosis],
    recording: &dyn Recording,
) -> Result<Option<Proposal>, ReadError> {
    let is_nearly_explained = diagnoses
        .iter()
        .any(|diagnosis| matches!(diagnosis.cause, Cause::Inexact { product: None, .. }));
    if !anomalies && !is_nearly_explained {
        return Ok(None);
    }
    let domain = learner.domain();
    let mut values = vec![Values::default(); domain.signature.functions.len()];
    let mut rows: BTreeMap<ActionId, Collector> = BTreeMap::new();
    let mut anomalous: BTreeSet<ActionId> = BTreeSet::new();
    learner.lens().each_event(recording, 0..recording.traces(), |id, recorded, observer| {
        let Some(step) = recorded.step() else { return };
        for value in observer.unreached(step) {
            anomalous.insert(step.action.symbol);
            let found = &mut values[step.universe.ground_function(value).symbol.index()];
            if let (Some(before), Some(after)) = (step.before.value(value), step.after.value(value))
            {
                found.drift((after - before).abs(), id);
            }
        }
        look(step, &mut values);
        let atoms: Vec<_> = step.before.differing_atoms(step.after).collect();
        if let Ok(observation) = observer.observe_changed(step, (&atoms, &[])) {
            rows.entry(step.action.symbol).or_default().push(id, observation);
        }
    })?;
    let given = &learner.class().errors;
    let mut errors = given.clone();

    let mut drifts = Vec::new();
    for (place, found) in values.iter().enumerate() {
        if let Some(most) = found.noise() {
            let function = FunctionId::from(place);
            raise(&mut errors, function, half(most).with_digits(2, Rounding::Up));
            drifts.push(Drift {
                function: function_name(learner, function),
                within: super::subject::shown(most),
                steps: found.steps - found.far_off(),
            });
        }
    }
    let rows: Vec<(ActionId, ActionRows)> =
        rows.into_iter().map(|(action, rows)| (action, rows.finish())).collect();
    let mut tables: Vec<(ActionId, ChangeTable)> = Vec::new();
    for (action, rows) in &rows {
        let seen = ActionObservations { learner, action: *action, rows: &rows.observations };
        let found = learner
            .vocabulary(*action)
            .functions
            .ids()
            .filter_map(|function| ChangeTable::of(&seen, function));
        tables.extend(found.filter(|table| !table.is_explained()).map(|table| (*action, table)));
    }

    let mut far: Vec<FarOff> = Vec::new();
    tables.retain_mut(|(action, table)| {
        let (function, odd) = (symbol_of(learner, *action, table.function), far_off(table));
        let mut error = least_error(table);
        if !odd.is_empty() {
            let others = table.without(&odd);
            let least = least_error(&others);
            if least.to_f64() * 2.0 < error.to_f64() {
                far.push(FarOff {
                    action: *action,
                    function,
                    error,
                    rows: odd.iter().map(|&row| table.rows[row]).collect(),
                });
                (*table, error) = (others, least);
            }
        }
        let small = values[function.index()].is_small(&error);
        if small {
            raise(&mut errors, function, error);
        }
        small
    });
    // Where several functions are inexact, each explains a part: in this proportion, less of all of
    // them may do.
    let shares = tables.iter().map(|(action, table)| {
        least_share(table, |function| errors.get(&symbol_of(learner, *action, function)))
    });
    let share = shares.max().filter(|share| *share < Rational::ONE);
    if let Some(share) = share {
        for (function, error) in &mut errors {
            let found = &values[function.index()];
            let drift = found.noise().map_or(Rational::ZERO, half);
            let least = drift.max(given.get(function).cloned().unwrap_or(Rational::ZERO));
            *error = (&*error * &share).max(least).with_digits(2, Rounding::Up);
        }
    }
    let factors: Vec<FunctionId> =
        errors.keys().copied().filter(|function| is_multiplied(learner, *function)).collect();
    errors.retain(|function, error| !error.is_zero() && !factors.contains(function));
    // What turns out to be explained after all is not odd.
    let mut odd: BTreeSet<StepId> = BTreeSet::new();
    for found in far.iter().filter(|found| exceeds(&errors, found.function, &found.error)) {
        let steps =
            rows.iter().find(|(action, _)| *action == found.action).map(|(_, rows)| &rows.steps);
        odd.extend(steps.into_iter().flat_map(|steps| found.rows.iter().map(|&row| steps[row])));
    }
    for (place, found) in values.iter().enumerate() {
        let far = found.unreached.iter().take(found.far_off());
        odd.extend(
            far.filter(|(change, _)| exceeds(&errors, FunctionId::from(place), &half(change)))
                .map(|(_, step)| *step),
        );
    }
    if errors == *given && odd.is_empty() {
        return Ok(None);
    }
    if learner.class().numbers == Numbers::Exact {
        for (function, error) in
            errors.iter().filter(|(function, error)| given.get(function) != Some(error))
        {
            let found = &values[function.index()];
            if *error > found.plausible() {
                return Ok(Some(Err(NoSuggestion::TooLarge {
                    function: function_name(learner, *function),
                    error: written(error),
                    plausible: written(&found.plausible()),
                    change: found.change.as_ref().map(super::subject::shown).unwrap_or_default(),
                })));
            }
        }

        let actions: BTreeSet<ActionId> = diagnoses
            .iter()
            .filter(|diagnosis| diagnosis.cause.is_inexact())
            .filter_map(|diagnosis| {
                domain.action_ids().find(|id| domain.action_name(*id) == diagnosis.action)
            })
            .chain(anomalous)
            .collect();
        let class = Class { errors: errors.clone(), ..learner.class().clone() };
        // Errors do not go with every other option.
        let go_together = Learner::new(learner.given(), class.clone()).is_ok_and(|tried| {
            let spec = assumptions(&tried, settings).spec;
            Settings::of_spec(&spec, &tried).is_ok()
        });
        if !go_together {
            return Ok(None);
        }
        let trial = Trial {
            learner,
            class,
            settings: settings.clone(),
            recording,
            without: &odd,
            actions: &actions,
        };
        let Some(foreseen) = trial.foreseen()? else {
            return Ok(Some(Err(NoSuggestion::Refuted)));
        };
        let is_shown = |(function, error): &(&FunctionId, &Rational)| {
            // What shows up where nothing reaches a function is a part of its errors.
            let shown = &values[function.index()].shown() * &Rational::integer(2);
            given.get(*function) == Some(*error) || **error <= shown
        };
        if let (Some((function, error)), true) =
            (errors.iter().find(|error| !is_shown(error)), foreseen < NoSuggestion::ENOUGH)
        {
            let (function, error) = (function_name(learner, *function), written(error));
            return Ok(Some(Err(NoSuggestion::Untested { function, error, foreseen })));
        }
    }
    let mut places: Vec<StepPlace> = places_of(learner, &odd, recording)?.into_values().collect();
    places.sort_by(|one, other| one.key().cmp(&other.key()));
    places.truncate(PLACES);
    let told = told(learner, &errors, &factors, drifts);
    let new = errors.iter().filter(|(function, error)| given.get(function) != Some(error));
    let suspect = new.filter_map(|(function, error)| {
        let shown = values[function.index()].shown();
        (*error > shown).then(|| (function_name(learner, *function), written(&shown)))
    });
    let suspect =
        if learner.class().numbers == Numbers::Exact { suspect.collect() } else { BTreeMap::new() };
    Ok(Some(Ok(Suggestion { given: errors == *given, odd: odd.len(), places, suspect, ..told })))
}

/// Makes the error of a function as large as this one.
fn raise(errors: &mut BTreeMap<FunctionId, Rational>, function: FunctionId, error: Rational) {
    let known = errors.entry(function).or_insert(Rational::ZERO);
    *known = error.max(known.clone());
}

/// Whether an error is larger than the one of its function, which has one.
fn exceeds(
    errors: &BTreeMap<FunctionId, Rational>,
    function: FunctionId,
    error: &Rational,
) -> bool {
    errors.get(&function).is_some_and(|known| known < error)
}

fn symbol_of(learner: &Learner, action: ActionId, function: LiftedFunctionId) -> FunctionId {
    learner.vocabulary(action).functions[function].symbol
}

fn function_name(learner: &Learner, function: FunctionId) -> String {
    learner.domain().signature.functions.name(function.index()).to_owned()
}

/// The largest number of which both are multiples; zero if the numbers have too many digits to show
/// a grid.
fn common_divisor(one: &Rational, other: &Rational) -> Rational {
    small_divisor(one, other).unwrap_or(Rational::ZERO).abs()
}

/// The same, with any sign; `None` if the numbers have too many digits.
fn small_divisor(one: &Rational, other: &Rational) -> Option<Rational> {
    let ((a, b), (c, d)) = (one.as_small()?, other.as_small()?);
    let (mut greater, mut less) =
        (i128::from(a).checked_mul(d.into())?, i128::from(c).checked_mul(b.into())?);
    while less != 0 {
        (greater, less) = (less, greater % less);
    }
    Rational::from_integers(greater.into(), i128::from(b).checked_mul(d.into())?.into())
}

/// Rows of an action in which a function is much farther from an affine map than in all others.
struct FarOff {
    action: ActionId,
    function: FunctionId,
    /// The least error that explains them too.
    error: Rational,
    rows: Vec<usize>,
}

fn half(number: &Rational) -> Rational {
    number * &Rational::new(1, 2).invariant("two is not zero")
}

fn look(step: Step<'_>, values: &mut [Values]) {
    for id in step.before.differing_values(step.after) {
        let found = &mut values[step.universe.ground_function(id).symbol.index()];
        if let (Some(before), Some(after)) = (step.before.value(id), step.after.value(id)) {
            found.change = found.change.take().max(Some((after - before).abs()));
        }
    }
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
        products
            .flat_map(|column| &column.0)
            .any(|&factor| vocabulary.functions[factor].symbol == function)
    })
}

fn told(
    learner: &Learner,
    errors: &BTreeMap<FunctionId, Rational>,
    factors: &[FunctionId],
    drifts: Vec<Drift>,
) -> Suggestion {
    let functions = learner.domain().signature.functions.len();
    let one = (errors.len() == functions).then(|| errors.values().max().map(written)).flatten();
    let names: BTreeSet<String> =
        errors.keys().map(|&function| function_name(learner, function)).collect();
    Suggestion {
        errors: errors
            .iter()
            .map(|(&function, error)| (function_name(learner, function), written(error)))
            .collect(),
        one,
        given: false,
        odd: 0,
        places: Vec::new(),
        suspect: BTreeMap::new(),
        drifts: drifts.into_iter().filter(|drift| names.contains(&drift.function)).collect(),
        factors: factors.iter().map(|&function| function_name(learner, function)).collect(),
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
