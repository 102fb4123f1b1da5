//! The laws, asked of one case.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::estimate::{Off, View};
use super::failures;
use super::generate::{Case, any_state, case};
use super::linear::Linear;
use super::product::{self, Learned, Split};
use super::tamper::tamper;
use crate::chance::Chance;
use crate::promise::number::{Rat, TooLarge};
use crate::promise::world::{Action, Call, State, World};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Law {
    /// An allowed step cannot be taken in a true state that the estimate leaves possible.
    NotApplicable,
    /// The true successor is further from the estimate's than the error says.
    OutOfBound,
    /// The same, after several steps.
    Walk,
    /// A plan fails from a true beginning that the record leaves possible, or misses its goal.
    Plan,
    /// A state is refused although every true state behind the records allows it.
    NotStrongest,
    /// An action is left out although something of it would be certain.
    LeftOut,
    /// Honest records are refused.
    Refused,
    /// `check` rejects what was learned.
    HonestRejected,
    /// `check` accepts a forgery of an unsafe model.
    TamperedAccepted,
    /// Another split gives other bytes.
    OtherBytes,
    /// What is called forbidden can be done in a true state that the estimate leaves possible.
    ForbiddenWrong,
    /// A model is written that allows a recorded failure, or `check` accepts one.
    FailureAllowed,
    /// Errors of zero change something.
    ZeroDiffers,
    /// The product panics.
    Panic,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub law: Law,
    pub what: String,
}

#[derive(Clone, Default, Debug)]
pub struct Counts(pub BTreeMap<String, usize>);

impl Counts {
    pub fn add(&mut self, what: &str, number: usize) {
        *self.0.entry(what.to_owned()).or_default() += number;
    }

    pub fn merge(&mut self, other: &Counts) {
        other.0.iter().for_each(|(what, number)| self.add(what, *number));
    }
}

pub(super) struct Found<'a> {
    pub(super) counts: &'a mut Counts,
    pub(super) violations: Vec<Violation>,
}

impl<'a> Found<'a> {
    pub(super) fn new(counts: &'a mut Counts) -> Self {
        Found { counts, violations: Vec::new() }
    }

    pub(super) fn tell(&mut self, law: Law, what: impl Into<String>) {
        // One of each kind says enough of a case.
        if self.violations.iter().all(|one| one.law != law) {
            self.violations.push(Violation { law, what: what.into() });
        }
    }
}

pub fn examine(seed: u64, counts: &mut Counts) -> (Case, Vec<Violation>) {
    let case = case(seed);
    let mut found = Found::new(counts);
    let asked = catch_unwind(AssertUnwindSafe(|| laws(&case, seed, &mut found)));
    if let Err(panic) = asked {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        found.tell(Law::Panic, text.unwrap_or_default());
    }
    let violations = found.violations;
    (case, violations)
}

fn laws(case: &Case, seed: u64, found: &mut Found) {
    let mut chance = Chance::scattered(seed ^ 0x0FF5_E75A);
    found.counts.add("cases", 1);
    found.counts.add("cases in which not all is told", usize::from(case.untold > 0));
    found.counts.add(&format!("cases against {:?}", case.opponent), 1);
    let learned = match product::learn(case, &Split::whole(case.records.len())) {
        Ok(learned) => learned,
        Err(why) => return found.tell(Law::Refused, why),
    };
    for (action, result) in &learned.results {
        found
            .counts
            .add(if result == "learned" { "actions learned" } else { "actions left out" }, 1);
        if result != "learned" && case.untold == 0 {
            left_out(case, action, found);
        }
    }
    let Some(actions) = &learned.actions else {
        return found.counts.add("models with numbers too large for the oracle", 1);
    };
    let view = View::new(case, &learned);
    for action in actions {
        steps(&mut chance, &view, action, found);
        if strongest(&mut chance, &view, action, found).is_err() {
            found.counts.add("numbers too large for the oracle", 1);
        }
    }
    for _ in 0..12 {
        if walk(&mut chance, &view, actions, found).is_err() {
            found.counts.add("numbers too large for the oracle", 1);
        }
    }
    if chance.percent(60) {
        for _ in 0..4 {
            if plan(&mut chance, &view, &learned, found).is_err() {
                found.counts.add("numbers too large for the oracle", 1);
            }
        }
    }
    if failures::forbidden(&mut chance, &view, found).is_err() {
        found.counts.add("numbers too large for the oracle", 1);
    }
    failures::refuted(&mut chance, &view, &learned, found);
    let reasons = product::check(case, &learned);
    found.counts.add("models checked", 1);
    if !reasons.is_empty() {
        found.tell(Law::HonestRejected, reasons.join("\n"));
    }
    if chance.percent(35) {
        splits(&mut chance, case, &learned, found);
    }
    if chance.percent(20) {
        // Without errors, records that are off may well contradict what failed.
        zero(&Case { failed: Vec::new(), ..case.clone() }, found);
    }
    if chance.percent(50) {
        tamper(&mut chance, case, &learned, found);
    }
}

/// Estimates, near the boundary and elsewhere: what the model allows can be done in every true
/// state that the estimate leaves possible, and ends within the error that the model says.
pub(super) fn steps(chance: &mut Chance, view: &View, action: &Action, found: &mut Found) {
    let (case, world) = (view.case, &view.case.world);
    let Some(index) = world.actions.iter().position(|real| real.name == action.name) else {
        return;
    };
    let real = &world.actions[index];
    let functions = world.applications(&world.functions, &real.parameters);
    let shown: Vec<(&State, &[usize])> = (Case::steps_of(&case.records, index)
        .chain(Case::steps_of(&case.truth, index)))
    .map(|(state, call, _)| (state, &call.arguments[..]))
    .collect();
    let vector = |step: usize| -> Vec<Option<Rat>> {
        let (state, arguments) = shown[step];
        functions.iter().map(|one| state.values[world.function_index(one, arguments)]).collect()
    };
    let tuples = world.tuples(&real.parameters);
    let mut inside: Option<(State, Vec<usize>)> = None;
    let mut question = |chance: &mut Chance, found: &mut Found| -> Result<(), TooLarge> {
        let from = chance.below(shown.len());
        let (mut state, mut arguments) = (shown[from].0.clone(), shown[from].1.to_vec());
        if chance.percent(20) {
            arguments = chance.of(&tuples).clone();
        }
        let (one, mut other) = (vector(from), vector(chance.below(shown.len())));
        if chance.percent(30) {
            // Each value from another record: shadows allow more than what was seen together.
            other = (0..functions.len()).map(|at| vector(chance.below(shown.len()))[at]).collect();
        }
        let weight = Rat::new(chance.between(-1, 9).into(), 8);
        for (at, function) in functions.iter().enumerate() {
            let (Some(one), Some(other)) = (one[at], other[at]) else { continue };
            let place = world.function_index(function, &arguments);
            let mut value = one.plus(other.minus(one)?.times(weight)?)?;
            if chance.percent(25) {
                value = value.plus(
                    case.error_of(function).times(Rat::new(chance.between(-8, 8).into(), 4))?,
                )?;
            }
            // Far out in a direction that is said to be harmless.
            if let Some(mark) = case
                .options
                .monotone
                .get(&real.name)
                .and_then(|marks| marks.get(&world.function(function)))
                && chance.percent(40)
            {
                let far = Rat::int(chance.between(1, 60).into());
                let up = *mark == "more" || *mark == "any" && chance.percent(50);
                value = value.plus(if up { far } else { far.negated() })?;
            }
            state.values[place] = Some(value);
        }
        let size = *chance.of(&[0, 0, 1, 2, 4, 8]);
        let errors: Vec<Rat> = (super::opponent::symbols(world).into_iter())
            .map(|symbol| symbol.map_or(Rat::ZERO, |symbol| case.errors[symbol]))
            .map(|error| {
                error.times(Rat::new(
                    if chance.percent(75) { size } else { chance.between(0, 8).into() },
                    4,
                ))
            })
            .collect::<Result<_, _>>()?;
        let estimate = view.estimate(&state, |at| errors[at]);
        ask(chance, view, action, real, &estimate, &arguments, found)?;
        let allowed = view.world.successor(action, &arguments, &estimate)?.is_some();
        match (&inside, allowed) {
            (_, true) => inside = Some((estimate, arguments)),
            (Some((within, bound)), false)
                if *bound == arguments && within.atoms == estimate.atoms =>
            {
                let edge = edge(view, action, &arguments, within, &estimate)?;
                found.counts.add("estimates at the edge", 1);
                ask(chance, view, action, real, &edge, &arguments, found)?;
            }
            _ => {}
        }
        Ok(())
    };
    for _ in 0..60 {
        if question(chance, found).is_err() {
            found.counts.add("numbers too large for the oracle", 1);
        }
    }
}

/// The last allowed one on the way from an allowed estimate to one that is not, nearly.
fn edge(
    view: &View,
    action: &Action,
    arguments: &[usize],
    inside: &State,
    outside: &State,
) -> Result<State, TooLarge> {
    let at = |part: Rat| -> Result<State, TooLarge> {
        let mut state = inside.clone();
        for (value, (from, to)) in
            state.values.iter_mut().zip(inside.values.iter().zip(&outside.values))
        {
            if let (Some(from), Some(to)) = (from, to) {
                *value = Some(from.plus(to.minus(*from)?.times(part)?)?);
            }
        }
        Ok(state)
    };
    let (mut low, mut high) = (Rat::ZERO, Rat::ONE);
    for _ in 0..10 {
        let middle = low.plus(high)?.times(Rat::new(1, 2))?;
        match view.world.successor(action, arguments, &at(middle)?)? {
            Some(_) => low = middle,
            None => high = middle,
        }
    }
    at(low)
}

fn ask(
    chance: &mut Chance,
    view: &View,
    action: &Action,
    real: &Action,
    estimate: &State,
    arguments: &[usize],
    found: &mut Found,
) -> Result<(), TooLarge> {
    found.counts.add("estimates", 1);
    let Some(after) = view.world.successor(action, arguments, estimate)? else { return Ok(()) };
    found.counts.add("estimates allowed", 1);
    for truth in view.truths(chance, estimate, real, arguments) {
        found.counts.add("true states behind allowed estimates", 1);
        let asked = || {
            let facts = view.world.facts(estimate);
            format!(
                "{} {arguments:?} estimated:{facts}\ntruth:{}",
                real.name,
                view.case.world.facts(&truth)
            )
        };
        match view.case.world.successor(real, arguments, &truth)? {
            None => found.tell(Law::NotApplicable, asked()),
            Some(ends) => match view.covers(&after, &ends)? {
                None => {}
                Some(Off::Atoms) => found.tell(Law::OutOfBound, format!("atoms: {}", asked())),
                Some(Off::Value(what)) => {
                    found.tell(Law::OutOfBound, format!("{what}: {}", asked()))
                }
            },
        }
    }
    Ok(())
}

/// A plan of several steps in the learned model, from a recorded state, followed in a true world
/// within the errors of the record.
pub(super) fn walk(
    chance: &mut Chance,
    view: &View,
    actions: &[Action],
    found: &mut Found,
) -> Result<(), TooLarge> {
    let world = &view.case.world;
    let mut truth = match chance.percent(50) {
        true => any_state(chance, world, &view.case.errors, None),
        false => {
            let trace = chance.of(&view.case.truth);
            chance.of(&trace.states).clone()
        }
    };
    let symbols = super::opponent::symbols(world);
    let error = |at: usize| symbols[at].map_or(Rat::ZERO, |symbol| view.case.errors[symbol]);
    let mut record = truth.clone();
    let way = *chance.of(&[-8, 8, 0]);
    for (at, value) in record.values.iter_mut().enumerate() {
        let part = if way == 0 { chance.between(-8, 8) } else { way };
        *value = value
            .map(|value| value.plus(error(at).times(Rat::new(part.into(), 8))?))
            .transpose()?;
    }
    let mut estimate = view.estimate(&record, error);
    for step in 0..6 {
        let mut enabled = Vec::new();
        for action in actions {
            for arguments in world.tuples(&action.parameters) {
                if let Some(after) = view.world.successor(action, &arguments, &estimate)? {
                    enabled.push((action, arguments, after));
                }
            }
        }
        if enabled.is_empty() {
            break;
        }
        let (action, arguments, after) = enabled.swap_remove(chance.below(enabled.len()));
        found.counts.add("steps of plans", 1);
        found.counts.add("steps of plans after the first", usize::from(step > 0));
        let Some(real) = world.actions.iter().find(|real| real.name == action.name) else {
            return Ok(());
        };
        let Some(ends) = world.successor(real, &arguments, &truth)? else {
            found.tell(
                Law::Walk,
                format!(
                    "step {step}, {} {arguments:?}:{}\ntruth:{}",
                    real.name,
                    view.world.facts(&estimate),
                    world.facts(&truth)
                ),
            );
            return Ok(());
        };
        (truth, estimate) = (ends, after);
        if let Some(Off::Value(what)) = view.covers(&estimate, &truth)? {
            found
                .tell(Law::Walk, format!("after step {step}, {} {arguments:?}: {what}", real.name));
            return Ok(());
        }
    }
    Ok(())
}

/// A plan for a problem with margins, from a record: it works from every true beginning that the
/// record leaves possible, and the goal holds afterwards.
fn plan(
    chance: &mut Chance,
    view: &View,
    learned: &Learned,
    found: &mut Found,
) -> Result<(), TooLarge> {
    let (case, world) = (view.case, &view.case.world);
    let (trace, recorded) = {
        let index = chance.below(case.truth.len());
        (&case.truth[index], &case.records[index])
    };
    let record = &recorded.states[0];
    // Near where the trace ended, so that it can be reached.
    let reached = trace.states.last().unwrap_or(&trace.states[0]);
    let changed: Vec<usize> = (0..world.empty_state().values.len())
        .filter(|&at| {
            reached.values[at] != trace.states[0].values[at] && reached.values[at].is_some()
        })
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    let at = *chance.of(&changed);
    let value = reached.values[at].unwrap_or(Rat::ZERO);
    let begins = trace.states[0].values[at].unwrap_or(Rat::ZERO);
    // Half way there, or all of the way.
    let goal = begins.plus(value.minus(begins)?.times(*chance.of(&[Rat::new(1, 2), Rat::ONE]))?)?;
    let up = value.compare(begins)?.is_gt();
    found.counts.add("problems", 1);
    let Some(plan) = product::plan(case, learned, record, (at, up, goal)) else { return Ok(()) };
    found.counts.add("plans", 1);
    found.counts.add("plans of several steps", usize::from(plan.len() > 1));
    let symbols = super::opponent::symbols(world);
    let estimate =
        view.estimate(record, |at| symbols[at].map_or(Rat::ZERO, |symbol| case.errors[symbol]));
    for trial in 0..6 {
        let way =
            |_| if trial < 2 { 16 * i128::from(trial) - 8 } else { chance.between(-8, 8).into() };
        let mut truth = view.truth(&estimate, way);
        for call in &plan {
            match world.successor(&world.actions[call.action], &call.arguments, &truth)? {
                Some(after) => truth = after,
                None => {
                    found.tell(
                        Law::Plan,
                        format!("{plan:?} from{}: {} fails", world.facts(record), world.call(call)),
                    );
                    return Ok(());
                }
            }
        }
        let ends = truth.values[at].unwrap_or(Rat::ZERO).compare(goal)?;
        if if up { ends.is_lt() } else { ends.is_gt() } {
            found.tell(Law::Plan, format!("{plan:?} from{} misses its goal", world.facts(record)));
        }
    }
    Ok(())
}

/// The plain region is the strongest: of a state outside it, true vectors within the errors of the
/// records are shown whose hull does not contain it.
fn strongest(
    chance: &mut Chance,
    view: &View,
    action: &Action,
    found: &mut Found,
) -> Result<(), TooLarge> {
    let (case, world) = (view.case, &view.case.world);
    let options = &case.options;
    if options.arity.is_some() || options.monotone.contains_key(&action.name) || case.untold > 0 {
        return Ok(());
    }
    let Some(index) = world.actions.iter().position(|real| real.name == action.name) else {
        return Ok(());
    };
    // With errors of nothing, what is written is a.x <= b - h.
    let own = world.functions.len();
    let conditions: Vec<Linear> = (Linear::conditions(action)?.into_iter())
        .map(|mut linear| {
            linear.terms.retain(|function, _| function.symbol < own);
            linear
        })
        .collect();
    let steps: Vec<(&State, &Call)> = Case::steps_of(&case.records, index)
        .filter(|(_, call, _)| plain(world, call))
        .map(|(state, call, _)| (state, call))
        .collect();
    if steps.is_empty() {
        return Ok(());
    }
    for _ in 0..40 {
        let (base, call) = *chance.of(&steps);
        let mut state = base.clone();
        for function in world.applications(&world.functions, &action.parameters) {
            let place = world.function_index(&function, &call.arguments);
            let by = case
                .error_of(&function)
                .plus(Rat::new(1, 2))?
                .times(Rat::new(chance.between(-8, 8).into(), 4))?;
            state.values[place] = state.values[place].map(|value| value.plus(by)).transpose()?;
        }
        let outside = conditions.iter().find_map(|linear| {
            match linear.value(world, &call.arguments, &state) {
                Ok(Some(value)) if value.num > 0 => Some((linear, value)),
                _ => None,
            }
        });
        let Some((linear, value)) = outside else { continue };
        found.counts.add("states outside", 1);
        // The corner of the errors that lowers the condition most.
        let mut lower = Rat::ZERO;
        for (function, by) in &linear.terms {
            lower = lower.plus(Rat { num: by.num.abs(), ..*by }.times(case.error_of(function))?)?;
        }
        for (record, call) in &steps {
            let Some(moved) = linear.value(world, &call.arguments, record)? else { continue };
            let moved = moved.minus(lower)?;
            if moved.compare(value)?.is_ge() {
                let what = format!(
                    "{}: {linear:?} refuses{}, the record{} reaches it",
                    action.name,
                    world.facts(&state),
                    world.facts(record)
                );
                found.tell(Law::NotStrongest, what);
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Whether no two functions that the action may mention are one.
fn plain(world: &World, call: &Call) -> bool {
    let functions = world.applications(&world.functions, &world.actions[call.action].parameters);
    let places: BTreeSet<usize> =
        functions.iter().map(|function| world.function_index(function, &call.arguments)).collect();
    places.len() == functions.len()
}

/// Where an action is left out, no state is certain: of the middle of the records, and of each
/// record, true vectors are shown whose hull does not contain it.
fn left_out(case: &Case, name: &str, found: &mut Found) {
    let world = &case.world;
    let Some(index) = world.actions.iter().position(|real| real.name == *name) else { return };
    let options = &case.options;
    if options.arity.is_some()
        || options.monotone.contains_key(name)
        || options.relevant.contains_key(name)
    {
        return;
    }
    let functions = world.applications(&world.functions, &world.actions[index].parameters);
    let vectors: Vec<Vec<Rat>> = Case::steps_of(&case.records, index)
        .filter(|(_, call, _)| plain(world, call))
        .filter_map(|(state, call, _)| {
            functions
                .iter()
                .map(|function| state.values[world.function_index(function, &call.arguments)])
                .collect()
        })
        .collect();
    if vectors.is_empty() {
        return;
    }
    found.counts.add("actions left out that were looked at", 1);
    if let Some(certain) = super::hull::certain(
        &vectors,
        &functions.iter().map(|one| case.error_of(one)).collect::<Vec<_>>(),
    ) {
        found.tell(Law::LeftOut, format!("{name}: {certain:?} is in every hull"));
    }
}

/// Other orders, several learners, states that were saved and loaded: the same bytes.
fn splits(chance: &mut Chance, case: &Case, whole: &Learned, found: &mut Found) {
    let traces = case.records.len();
    for variant in 0..2 {
        let mut order: Vec<usize> = (0..traces).collect();
        chance.shuffle(&mut order);
        let learners = if variant == 0 { 1 } else { 1 + chance.below(traces.min(4)) };
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); learners];
        for trace in order {
            groups[chance.below(learners)].push(trace);
        }
        // Seen twice is seen once.
        let group = chance.below(learners);
        groups[group].push(chance.below(traces));
        let split = Split { groups, stored: chance.percent(50) };
        found.counts.add("splits", 1);
        match product::learn(case, &split) {
            Err(why) => found.tell(Law::OtherBytes, format!("{split:?}: refused: {why}")),
            Ok(other) if other.model != whole.model => {
                found.tell(Law::OtherBytes, format!("{split:?}\n{}\n{}", whole.model, other.model));
            }
            Ok(other) if other.state != whole.state => {
                found.tell(Law::OtherBytes, format!("{split:?}: the states differ"))
            }
            Ok(other) if other.certificate != whole.certificate => {
                found.tell(
                    Law::OtherBytes,
                    format!("{split:?}: {}\n{}", whole.certificate, other.certificate),
                );
            }
            Ok(_) => {}
        }
    }
}

/// Errors of zero are no errors: of exact records the same model, to the byte.
fn zero(case: &Case, found: &mut Found) {
    let mut options = case.options.clone();
    options.effect_decimals = None;
    let exact =
        Case { records: case.truth.clone(), options: options.clone(), untold: 0, ..case.clone() };
    let split = Split::whole(exact.records.len());
    let with = product::spec(&exact, &vec![Rat::ZERO; exact.errors.len()], &options);
    let without = product::spec(&exact, &[], &options);
    let both = with.and_then(|with| {
        Ok((
            product::learn_with(&exact, &with, &split)?,
            product::learn_with(&exact, &without?, &split)?,
        ))
    });
    found.counts.add("pairs of none and zero", 1);
    match both {
        Err(why) => found.tell(Law::ZeroDiffers, why),
        Ok((one, other)) if one.model != other.model || one.certificate != other.certificate => {
            found.tell(Law::ZeroDiffers, format!("{}\n{}", one.model, other.model));
        }
        Ok((one, other)) if one.state != other.state => {
            found.tell(Law::ZeroDiffers, "the states differ")
        }
        Ok(_) => {}
    }
}
