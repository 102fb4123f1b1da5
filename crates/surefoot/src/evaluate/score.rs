//! What a model says of a log, without the real domain: of the steps that worked, how many it allows, and of the attempts that failed,
//! how many. A safe model whose assumptions are true allows no attempt that failed, and foresees what became of each step it allows.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Metric, Ratio};
use crate::exact::Rational;
use crate::learn::{LearnError, Progress, Recorded, Recording, is_unchanged, with_bodies};
use crate::margins::{Promised, for_records};
use crate::model::semantics::{Cause, Changes, Fault, Inapplicable, Semantics};
use crate::model::{Action, ActionId, Condition, Domain, Event, FunctionId, GroundAction, State, Step, Universe, ValueId};
use crate::pddl::{Diagnostic, Numbers, ReadError, Writer};

/// What a model says of the events of one action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ActionLogScore {
    /// Steps that worked and that the model decides.
    pub worked: u64,
    /// Those that it allows.
    pub allowed: u64,
    /// Those that it allows with another state after than the one recorded; none, where the model is safe.
    pub mistaken: u64,
    /// Attempts that failed and that the model decides.
    pub failed: u64,
    /// Those that it allows; none, where the model is safe.
    pub allowed_failures: u64,
    /// Events that the model would decide by what is unknown of the state, and steps that changed nothing of which nobody can tell whether
    /// they worked; they count nowhere else.
    pub undecided: u64,
}

impl ActionLogScore {
    /// Of the steps that worked, how many are allowed.
    pub fn recall(&self) -> Ratio {
        Ratio { hits: self.allowed, of: self.worked }
    }

    /// Its figures, as metrics.
    pub fn figures(&self) -> [(Metric, Option<f64>); 7] {
        let count = |number: u64| Some(number as f64);
        [
            (Metric::HeldOutRecall, self.recall().value()),
            (Metric::HeldOutWorked, count(self.worked)),
            (Metric::HeldOutAllowed, count(self.allowed)),
            (Metric::HeldOutMistaken, count(self.mistaken)),
            (Metric::HeldOutFailed, count(self.failed)),
            (Metric::HeldOutFailuresAllowed, count(self.allowed_failures)),
            (Metric::HeldOutUndecided, count(self.undecided)),
        ]
    }

    /// How many events contradict the model.
    pub fn contradictions(&self) -> u64 {
        self.mistaken + self.allowed_failures
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        ActionLogScore {
            worked: self.worked + other.worked,
            allowed: self.allowed + other.allowed,
            mistaken: self.mistaken + other.mistaken,
            failed: self.failed + other.failed,
            allowed_failures: self.allowed_failures + other.allowed_failures,
            undecided: self.undecided + other.undecided,
        }
    }
}

/// What a model says of a log.
#[derive(Clone, Debug)]
pub struct LogScore {
    /// By action of the vocabulary, in the order of their ids.
    pub actions: Vec<ActionLogScore>,
    /// The first events that contradict the model, where they stand: at most [`LogScore::NAMED`].
    pub contradictions: Vec<Diagnostic>,
}

impl LogScore {
    /// How many contradictions are named.
    pub const NAMED: usize = 20;

    /// All actions together.
    pub fn total(&self) -> ActionLogScore {
        self.actions.iter().fold(ActionLogScore::default(), |sum, one| sum.plus(*one))
    }
}

/// What a model says of an attempt.
enum Said {
    /// With the state after, if the log could show it.
    Allowed(Option<State>),
    Refused,
    Undecided,
}

/// Scores a model on a log. `model` has the signature of `vocabulary`, its error functions after it; its actions are found by name, and one
/// it does not have is never allowed.
///
/// With `unchanged_failed`, a recorded step that changed nothing is read as an attempt that failed where the model's effects change
/// something, and counts neither way elsewhere.
///
/// `errors` says how far a record may be from the true state. A state after is as foreseen if it is within what the model promises of it.
///
/// # Errors
/// A trace cannot be read, or `progress` said stop.
pub fn score(
    vocabulary: &Domain,
    model: &Domain,
    errors: &BTreeMap<FunctionId, Rational>,
    numbers: Numbers,
    unchanged_failed: bool,
    recording: &dyn Recording,
    progress: &dyn Progress,
) -> Result<LogScore, LearnError> {
    let effects = unchanged_failed.then(|| effects_alone(model));
    let judge = Judge {
        vocabulary,
        promised: Promised::of(model, errors),
        model: &for_records(model, errors),
        effects: effects.as_ref(),
    };
    let of_trace = |trace: usize| -> Result<LogScore, ReadError> {
        let mut score =
            LogScore { actions: vec![ActionLogScore::default(); vocabulary.actions.len()], contradictions: Vec::new() };
        recording.read(trace, vocabulary, numbers, false, &mut |recorded| {
            judge.look(recorded, &mut score);
            progress.go_on()
        })?;
        progress.trace_read();
        Ok(score)
    };
    let scores: Vec<LogScore> = (0..recording.traces()).into_par_iter().map(of_trace).collect::<Result<_, _>>()?;
    if !progress.go_on() {
        return Err(LearnError::Stopped);
    }
    let mut whole = LogScore { actions: vec![ActionLogScore::default(); vocabulary.actions.len()], contradictions: Vec::new() };
    for one in scores {
        whole.actions.iter_mut().zip(&one.actions).for_each(|(sum, more)| *sum = sum.plus(*more));
        whole.contradictions.extend(one.contradictions);
    }
    whole.contradictions.truncate(LogScore::NAMED);
    Ok(whole)
}

struct Judge<'a> {
    vocabulary: &'a Domain,
    /// The model for states that are records.
    model: &'a Domain,
    promised: Promised,
    /// The model without preconditions, where steps that changed nothing are not taken for ones that worked.
    effects: Option<&'a Domain>,
}

/// A model whose learned actions are applicable wherever their effects have values.
fn effects_alone(model: &Domain) -> Domain {
    let learned = |id: ActionId| Some(model.action(id)).filter(|action| !action.is_left_out());
    let bodies: Vec<Option<Action>> = model
        .action_ids()
        .map(|id| learned(id).map(|action| Action { precondition: Condition::TRUE, ..action.clone() }))
        .collect();
    with_bodies(model, |id| bodies[id.index()].as_ref())
}

impl Judge<'_> {
    fn look(&self, recorded: &Recorded<'_>, score: &mut LogScore) {
        match recorded.step().filter(|_| self.effects.is_some()).filter(|&step| is_unchanged(step)) {
            None => self.judge(recorded, score),
            Some(step) if self.would_change(recorded, step) => self.judge(&recorded.as_failed(), score),
            Some(step) => score.actions[step.action.symbol.index()].undecided += 1,
        }
    }

    /// Whether the model's effects change something in the state before a step.
    fn would_change(&self, recorded: &Recorded<'_>, step: Step<'_>) -> bool {
        let (Some(effects), Some(action)) = (self.effects, self.in_model(step.action)) else { return false };
        let changes = Semantics::new(effects, recorded.objects).changes(&action, step.universe, step.before);
        changes.is_ok_and(|changes| {
            after(&changes, step.universe, step.before).is_none_or(|next| !is_unchanged(Step { after: &next, ..step }))
        })
    }

    fn judge(&self, recorded: &Recorded<'_>, score: &mut LogScore) {
        let attempt = recorded.event.attempt();
        let row = &mut score.actions[attempt.action.symbol.index()];
        let said = self.say(recorded, attempt.action, attempt.universe, attempt.before);
        let contradiction = match (&recorded.event, said) {
            (_, Said::Undecided) => {
                row.undecided += 1;
                None
            }
            (Event::Failed(_), Said::Refused) => {
                row.failed += 1;
                None
            }
            (Event::Failed(_), Said::Allowed(_)) => {
                row.failed += 1;
                row.allowed_failures += 1;
                Some("failed, and the model allows it")
            }
            (Event::Worked(_), Said::Refused) => {
                row.worked += 1;
                None
            }
            (Event::Worked(step), Said::Allowed(next)) => {
                row.worked += 1;
                row.allowed += 1;
                let foreseen = next.is_some_and(|next| {
                    next.differing_atoms(step.after).next().is_none()
                        && next.differing_values(step.after).all(|id| self.is_within(step, id, &next))
                });
                row.mistaken += u64::from(!foreseen);
                (!foreseen).then_some("led to another state than the model says")
            }
        };
        if let Some(what) = contradiction
            && score.contradictions.len() < LogScore::NAMED
        {
            let action = Writer::new(self.vocabulary, recorded.objects).ground_action(attempt.action);
            score.contradictions.push(recorded.error(format!("{action} {what}")));
        }
    }

    /// Whether a value is as far from the recorded one as the model and the record may both be off, and no further.
    fn is_within(&self, step: &Step<'_>, id: ValueId, next: &State) -> bool {
        let function = step.universe.ground_function(id);
        let Some(action) = self.in_model(step.action) else { return false };
        let (Some(value), Some(recorded)) = (next.value(id), step.after.value(id)) else { return false };
        let allowed = self.promised.after(&action, function).map(|error| &error + &self.promised.of_record(function.symbol));
        allowed.is_none_or(|allowed| (value - recorded).abs() <= allowed)
    }

    /// The same step in the ids of the model.
    fn in_model(&self, action: &GroundAction) -> Option<GroundAction> {
        let symbol = self.model.actions.find(self.vocabulary.action_name(action.symbol))?;
        Some(GroundAction { symbol: ActionId::from(symbol), arguments: action.arguments.clone() })
    }

    fn say(&self, recorded: &Recorded<'_>, action: &GroundAction, universe: &Universe, before: &State) -> Said {
        let Some(action) = self.in_model(action) else { return Said::Refused };
        match Semantics::new(self.model, recorded.objects).changes(&action, universe, before) {
            Ok(changes) => Said::Allowed(after(&changes, universe, before)),
            Err(reason) if is_open(&reason) => Said::Undecided,
            Err(_) => Said::Refused,
        }
    }
}

/// The state after some changes; `None` where they touch what is not numbered, and so is in no recorded state.
pub(super) fn after(changes: &Changes, universe: &Universe, before: &State) -> Option<State> {
    let mut next = before.clone();
    for id in changes.deletes.iter().filter_map(|atom| universe.find_atom(atom)) {
        next.remove(id);
    }
    for atom in &changes.adds {
        next.insert(universe.find_atom(atom)?);
    }
    for (function, value) in &changes.values {
        next.set_value(universe.find_value(function)?, value.clone());
    }
    Some(next)
}

/// Whether an answer rests on what is unknown alone.
pub(super) fn is_open(reason: &Inapplicable) -> bool {
    let unknown = |fault: &Fault| matches!(fault, Fault::Unknown(_) | Fault::UnknownAtom(_));
    match reason {
        Inapplicable::Precondition(violations) => {
            violations.iter().all(|violation| matches!(&violation.cause, Cause::Fault(fault) if unknown(fault)))
        }
        Inapplicable::Effect(fault) => unknown(fault),
        Inapplicable::Arguments(_) | Inapplicable::Conflict(_) => false,
    }
}
