//! What a model says of a log, without the real domain: of the steps that worked, how many it
//! allows, and of the attempts that failed, how many. A safe model whose assumptions are true
//! allows no attempt that failed, and predicts the outcome of each step it allows.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{Metric, Ratio};
use crate::bound::wrong_at_most;
use surefoot_base::exact::Rational;
use surefoot_base::invariant::guarded;
use surefoot_base::margins::{Promised, for_records};
use surefoot_base::model::{Action, Condition, Domain, Event, FunctionId};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError, Writer};
use surefoot_learn::{
    LearnError, Progress, RecordJudge, Recorded, Recording, ResolvedSteps, Verdict, is_unchanged,
};

/// What a model says of the events of one action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ActionLogScore {
    /// Steps that worked and that the model decides.
    pub worked: u64,
    /// Those that it allows.
    pub allowed: u64,
    /// Those that it allows with another state after than the one recorded; none, where the model
    /// is safe.
    pub mistaken: u64,
    /// Attempts that failed and that the model decides.
    pub failed: u64,
    /// Those that it allows; none, where the model is safe.
    pub allowed_failures: u64,
    /// Events for which the answer depends on unknown values, and steps that changed nothing of
    /// which it is unknown whether they worked; they count nowhere else.
    pub undecided: u64,
}

impl ActionLogScore {
    /// Of the steps that worked, how many are allowed.
    pub fn recall(&self) -> Ratio {
        Ratio { hits: self.allowed, of: self.worked }
    }

    /// Its figures, as metrics.
    pub fn figures(&self) -> [(Metric, Option<f64>); 7] {
        [
            (Metric::HeldOutRecall, self.recall().value()),
            (Metric::HeldOutWorked, Some(self.worked as f64)),
            (Metric::HeldOutAllowed, Some(self.allowed as f64)),
            (Metric::HeldOutMistaken, Some(self.mistaken as f64)),
            (Metric::HeldOutFailed, Some(self.failed as f64)),
            (Metric::HeldOutFailuresAllowed, Some(self.allowed_failures as f64)),
            (Metric::HeldOutUndecided, Some(self.undecided as f64)),
        ]
    }

    /// How many events the model allows, those that failed included.
    pub fn all_allowed(&self) -> u64 {
        self.allowed + self.allowed_failures
    }

    /// How many events contradict the model.
    pub fn contradictions(&self) -> u64 {
        self.mistaken + self.allowed_failures
    }

    /// The counts of both together.
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
    /// How many traces there are.
    pub traces: usize,
    /// The traces with an event that contradicts the model, ascending.
    pub wrong_traces: Vec<usize>,
    /// The first events that contradict the model, where they stand: at most [`LogScore::NAMED`].
    pub contradictions: Vec<Diagnostic>,
}

impl LogScore {
    /// How many contradictions are named.
    pub const NAMED: usize = 20;

    /// With this confidence, at most this share of new traces contains an event that contradicts
    /// the model, whatever is true of the world: provided that the model was not learned from these
    /// traces, and that they and the new ones are independent draws from one source.
    pub fn wrong_at_most(&self, confidence: f64) -> f64 {
        wrong_at_most(self.traces, self.wrong_traces.len(), 1.0 - confidence)
    }

    /// The counts of all actions together.
    pub fn total(&self) -> ActionLogScore {
        self.actions.iter().fold(ActionLogScore::default(), |sum, one| sum.plus(*one))
    }
}

/// Scores a model on a log. `model` has the signature of `vocabulary`, its error functions after
/// it; its actions are found by name, and one it does not have is never allowed.
///
/// With `unchanged_failed`, a recorded step that changed nothing is read as an attempt that failed
/// where the model's effects change something, and counts neither way elsewhere.
///
/// `errors` says how far a record may be from the true state. A state after is as foreseen if it is
/// within what the model promises of it.
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
    let (judged, effects) =
        (for_records(model, errors), unchanged_failed.then(|| effects_alone(model)));
    let exact = BTreeMap::new();
    let scoring = Scoring {
        judge: RecordJudge::new(vocabulary, &judged, Promised::of(model, errors)),
        effects: effects
            .as_ref()
            .map(|effects| RecordJudge::new(vocabulary, effects, Promised::of(effects, &exact))),
    };
    guarded(|| scoring.score(vocabulary, numbers, recording, progress))?
}

impl Scoring<'_> {
    fn score(
        &self,
        vocabulary: &Domain,
        numbers: Numbers,
        recording: &dyn Recording,
        progress: &dyn Progress,
    ) -> Result<LogScore, LearnError> {
        let traces = recording.traces();
        let scores: Vec<LogScore> = (0..traces)
            .into_par_iter()
            .map(|trace| self.score_trace(vocabulary, numbers, recording, progress, trace))
            .collect::<Result<_, _>>()?;
        if !progress.go_on() {
            return Err(LearnError::Stopped);
        }
        let mut whole = LogScore {
            actions: vec![ActionLogScore::default(); vocabulary.actions.len()],
            traces,
            wrong_traces: Vec::new(),
            contradictions: Vec::new(),
        };
        for one in scores {
            whole.wrong_traces.extend(one.wrong_traces);
            whole
                .actions
                .iter_mut()
                .zip(&one.actions)
                .for_each(|(sum, more)| *sum = sum.plus(*more));
            whole.contradictions.extend(one.contradictions);
        }
        whole.contradictions.truncate(LogScore::NAMED);
        Ok(whole)
    }

    fn score_trace(
        &self,
        vocabulary: &Domain,
        numbers: Numbers,
        recording: &dyn Recording,
        progress: &dyn Progress,
        trace: usize,
    ) -> Result<LogScore, ReadError> {
        let mut score = LogScore {
            actions: vec![ActionLogScore::default(); vocabulary.actions.len()],
            traces: 1,
            wrong_traces: Vec::new(),
            contradictions: Vec::new(),
        };
        let mut resolved = ResolvedByModel::default();
        recording.read(trace, vocabulary, numbers, false, &mut |recorded| {
            self.look(recorded, &mut resolved, &mut score);
            progress.go_on()
        })?;
        progress.trace_read();
        if score.total().contradictions() > 0 {
            score.wrong_traces.push(trace);
        }
        Ok(score)
    }
}

struct Scoring<'a> {
    /// The model for states that are records.
    judge: RecordJudge<'a>,
    /// The model without preconditions, where steps that changed nothing are not taken for ones
    /// that worked.
    effects: Option<RecordJudge<'a>>,
}

/// What the model, and its effects alone, have resolved in a trace.
#[derive(Default)]
struct ResolvedByModel {
    model: ResolvedSteps,
    effects: ResolvedSteps,
}

/// A model whose learned actions are applicable wherever their effects have values.
fn effects_alone(model: &Domain) -> Domain {
    let bodies: Vec<Option<Action>> = model
        .action_ids()
        .map(|id| {
            let action = model.action(id);
            (!action.is_left_out())
                .then(|| Action { precondition: Condition::TRUE, ..action.clone() })
        })
        .collect();
    model.with_bodies(|id| bodies[id.index()].as_ref())
}

impl Scoring<'_> {
    fn look(&self, recorded: &Recorded<'_>, resolved: &mut ResolvedByModel, score: &mut LogScore) {
        let unchanged =
            self.effects.as_ref().zip(recorded.step().filter(|&step| is_unchanged(step)));
        let Some((effects, step)) = unchanged else { return self.judge(recorded, resolved, score) };
        // The effects change something that the record shows, unless they predict what is known of
        // the state after. What is unknown there may have changed.
        match effects.verdict_of(&Event::Worked(step), recorded.objects, &mut resolved.effects) {
            Verdict::Allowed { foreseen: false } => {
                self.judge(&recorded.as_failed(), resolved, score)
            }
            Verdict::Allowed { foreseen: true } | Verdict::Refused | Verdict::Undecided => {
                score.actions[step.action.symbol.index()].undecided += 1;
            }
        }
    }

    fn judge(&self, recorded: &Recorded<'_>, resolved: &mut ResolvedByModel, score: &mut LogScore) {
        let action = recorded.event.action();
        let row = &mut score.actions[action.symbol.index()];
        let verdict = self.judge.verdict(recorded, &mut resolved.model);
        if verdict == Verdict::Undecided {
            row.undecided += 1;
            return;
        }
        let allowed = u64::from(matches!(verdict, Verdict::Allowed { .. }));
        let mistaken = u64::from(verdict == Verdict::Allowed { foreseen: false });
        let contradiction = match recorded.event {
            Event::Failed(_) => {
                row.failed += 1;
                row.allowed_failures += allowed;
                "failed, and the model allows it"
            }
            Event::Worked(_) => {
                row.worked += 1;
                row.allowed += allowed;
                row.mistaken += mistaken;
                "led to another state than the model predicts"
            }
        };
        if mistaken > 0 && score.contradictions.len() < LogScore::NAMED {
            let action =
                Writer::new(self.judge.vocabulary(), recorded.objects).ground_action(action);
            score.contradictions.push(recorded.error(format!("{action} {contradiction}")));
        }
    }
}
