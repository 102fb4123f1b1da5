//! Traces as they are assessed: the evidence of each one by itself, and the states in which its
//! steps were taken.
//!
//! What is learned from some traces is their evidence merged, so no trace is read twice. Whether a
//! step is allowed depends on the state before it alone, seen through the vocabulary of its action;
//! equal ones are kept once.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use surefoot_base::exact::Rational;
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::model::{ActionId, Event};
use surefoot_learn::{
    Attempts, ColumnId, Finding, InPart, LearnError, Learner, LiftedAtomId, LiftedFunctionId,
    Observation, Outside, Pattern, Phase, Progress, Provenance, Reading, Recording, StepId,
    TakesBack, TruthPairs, Vocabulary,
};

/// What an action's vocabulary shows of the state before a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Before {
    pub pattern: Pattern,
    /// By atom of the vocabulary.
    truths: FixedBitSet,
    /// By function of the vocabulary.
    values: Vec<Option<Rational>>,
    /// By column of the vocabulary.
    columns: Vec<Option<Rational>>,
}

impl Before {
    fn of(vocabulary: &Vocabulary, observation: &Observation) -> Self {
        let mut truths = FixedBitSet::with_capacity(vocabulary.atoms.len());
        for (class, &seen) in
            observation.pattern.classes(&vocabulary.atoms).iter().zip(&observation.seen)
        {
            let held = seen.any(TruthPairs::DELETED.or(TruthPairs::KEPT));
            class.iter().for_each(|atom| truths.set(atom.index(), held));
        }
        let columns = vocabulary
            .columns
            .ids()
            .map(|column| vocabulary.column_value(column, &observation.before))
            .collect();
        Before {
            pattern: observation.pattern.clone(),
            truths,
            values: observation.before.as_slice().to_vec(),
            columns,
        }
    }

    pub fn truth(&self, atom: LiftedAtomId) -> bool {
        self.truths.contains(atom.index())
    }

    pub fn value(&self, function: LiftedFunctionId) -> Option<&Rational> {
        self.values.get(function.index())?.as_ref()
    }

    pub fn column(&self, column: ColumnId) -> Option<&Rational> {
        self.columns.get(column.index())?.as_ref()
    }
}

/// Equal steps of a trace.
#[derive(Clone, Copy, Debug)]
pub(super) struct EqualSteps {
    pub action: ActionId,
    /// Among the states of its action; `None` where no model of the class explains the step, so
    /// that none allows it.
    pub before: Option<usize>,
    /// How often it is taken.
    pub times: usize,
}

/// The evidence and the states of one trace.
pub(super) struct TraceEvidence {
    /// Its number in the recording.
    pub number: usize,
    /// All that was learned from it.
    pub learner: Learner,
    /// Its steps, equal ones together.
    pub steps: Vec<EqualSteps>,
    /// How many steps it has.
    pub length: usize,
}

/// The evidence and the states of all traces.
pub(super) struct Traces {
    /// A learner without evidence.
    pub base: Learner,
    pub all: Vec<TraceEvidence>,
    /// By action: the states in which its steps were taken, each once.
    pub states: IdVec<ActionId, Vec<Before>>,
    /// By action and state: in how many traces it occurs.
    pub shared: IdVec<ActionId, Vec<usize>>,
    /// By action: how many steps were recorded.
    pub steps: Vec<usize>,
    /// By action: how many attempts failed.
    pub attempts: Vec<Attempts>,
    /// By action of the given domain: how many events are in no part of it.
    pub outside: Vec<Outside>,
    /// The first action for which more traces may have made a model that allows less, and why.
    pub takes_back: Option<(ActionId, TakesBack)>,
}

/// One trace as it is read, by itself.
struct Raw {
    learner: Learner,
    steps: Vec<(ActionId, Option<Before>)>,
    attempts: Vec<Attempts>,
    outside: Vec<Outside>,
    findings: Vec<Finding>,
}

impl Traces {
    /// Reads all traces but the steps to be left out, remembering the traces by their digests where
    /// these are asked for; besides, what in them no model explains.
    pub fn read(
        base: &Learner,
        recording: &dyn Recording,
        without: &BTreeSet<StepId>,
        digests: bool,
        progress: &dyn Progress,
    ) -> Result<(Traces, Vec<Finding>), LearnError> {
        let read = |trace: usize| {
            if !progress.go_on() {
                return Err(LearnError::Stopped);
            }
            let raw = Raw::read(base, recording, trace, without, digests, progress)?;
            progress.trace_read();
            Ok(raw)
        };
        progress.phase(Phase::Reading, recording.traces());
        // Of several traces that cannot be read, the first is reported.
        let raws: Vec<Result<Raw, LearnError>> =
            (0..recording.traces()).into_par_iter().map(read).collect();
        let raws: Vec<Raw> = raws.into_iter().collect::<Result<_, _>>()?;
        if !progress.go_on() {
            return Err(LearnError::Stopped);
        }
        Ok(Traces::collected(base, raws))
    }

    fn collected(base: &Learner, raws: Vec<Raw>) -> (Traces, Vec<Finding>) {
        let actions = base.domain().actions.len();
        let mut numbers: Vec<FxHashMap<Before, usize>> = vec![FxHashMap::default(); actions];
        let mut states: IdVec<ActionId, Vec<Before>> = IdVec::filled(Vec::new(), actions);
        let mut shared: IdVec<ActionId, Vec<usize>> = IdVec::filled(Vec::new(), actions);
        let (mut all, mut findings, mut steps) = (Vec::new(), Vec::new(), vec![0; actions]);
        let mut attempts = vec![Attempts::default(); actions];
        let mut outside = vec![Outside::default(); base.given().actions.len()];
        for (number, raw) in raws.into_iter().enumerate() {
            Attempts::add(&mut attempts, &raw.attempts);
            // A step in no part of its action is one that no model allows.
            let length = raw.steps.len() + raw.outside.iter().map(|one| one.steps).sum::<usize>();
            Outside::add(&mut outside, &raw.outside);
            let mut times: BTreeMap<(usize, Option<usize>), usize> = BTreeMap::new();
            for (action, before) in raw.steps {
                steps[action.index()] += 1;
                let state = before.map(|before| match numbers[action.index()].get(&before) {
                    Some(&state) => state,
                    None => {
                        let state = states[action].len();
                        states[action].push(before.clone());
                        shared[action].push(0);
                        numbers[action.index()].insert(before, state);
                        state
                    }
                });
                *times.entry((action.index(), state)).or_default() += 1;
            }
            for &(action, state) in times.keys() {
                if let Some(state) = state {
                    shared[ActionId::from(action)][state] += 1;
                }
            }
            let equal = |((action, before), times)| EqualSteps {
                action: ActionId::from(action),
                before,
                times,
            };
            all.push(TraceEvidence {
                number,
                learner: raw.learner,
                steps: times.into_iter().map(equal).collect(),
                length,
            });
            findings.extend(raw.findings);
        }
        (
            Traces {
                base: base.clone(),
                all,
                states,
                shared,
                steps,
                attempts,
                outside,
                takes_back: None,
            },
            findings,
        )
    }

    /// What all traces together amount to, as [`Job::read`](surefoot_learn::Job::read) gives it.
    pub fn reading(&self, findings: Vec<Finding>) -> Reading {
        Reading {
            learner: self.merged(0..self.all.len()),
            steps: self.steps.clone(),
            attempts: self.attempts.clone(),
            outside: self.outside.clone(),
            findings,
        }
    }

    /// A learner that saw some traces.
    pub fn merged(&self, traces: impl IntoIterator<Item = usize>) -> Learner {
        let mut learner = self.base.clone();
        traces.into_iter().for_each(|trace| learner.merge(&self.all[trace].learner));
        learner
    }
}

impl Raw {
    fn read(
        base: &Learner,
        recording: &dyn Recording,
        trace: usize,
        without: &BTreeSet<StepId>,
        digests: bool,
        progress: &dyn Progress,
    ) -> Result<Raw, LearnError> {
        let attempts = vec![Attempts::default(); base.domain().actions.len()];
        let outside = vec![Outside::default(); base.given().actions.len()];
        let mut raw = Raw {
            learner: base.empty(),
            steps: Vec::new(),
            attempts,
            outside,
            findings: Vec::new(),
        };
        let lens = base.lens();
        let Provenance { digest, assumed } =
            lens.read_all(recording, trace, digests, &mut |recorded, observer| {
                let recorded = match recorded {
                    InPart::Yes(recorded) => recorded,
                    InPart::No(recorded) => {
                        let learner = &mut raw.learner;
                        learner.count_outside(recorded.event, observer, &mut raw.outside);
                        return progress.go_on();
                    }
                };
                let action = recorded.event.action().symbol;
                let id = (trace, recorded.index);
                match recorded.event {
                    Event::Failed(_) if without.contains(&id) => {
                        raw.attempts[action.index()].failed += 1;
                    }
                    Event::Failed(attempt) => {
                        let failed =
                            observer.count_attempt(attempt, &mut raw.attempts[action.index()]);
                        raw.learner.observe_failure(action, &failed);
                    }
                    Event::Worked(step) => match observer.observe_step(step) {
                        _ if without.contains(&id) => {}
                        Ok(observation) => {
                            raw.learner.observe(action, &observation);
                            let before = Before::of(base.vocabulary(action), &observation);
                            raw.steps.push((action, Some(before)));
                        }
                        Err(anomaly) => {
                            let words = anomaly.in_words(base.domain(), recorded.objects, step);
                            let diagnostic = recorded.error(words);
                            raw.findings.push(Finding { action, step: id, diagnostic });
                            raw.steps.push((action, None));
                        }
                    },
                }
                progress.go_on()
            })?;
        raw.learner.assume(assumed);
        if let Some(digest) = digest {
            let mut steps = vec![0; base.domain().actions.len()];
            raw.steps.iter().for_each(|(action, _)| steps[action.index()] += 1);
            raw.learner.add_attempts(digest.clone(), raw.attempts.clone());
            raw.learner.add_outside(digest.clone(), raw.outside.clone());
            raw.learner.add_trace(digest, steps);
        }
        Ok(raw)
    }
}
