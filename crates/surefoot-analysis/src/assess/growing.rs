//! A model that grows trace by trace. Where learning is monotone, what it allowed once it allows
//! for good.

use fixedbitset::FixedBitSet;

use surefoot_base::ids::IdVec;
use surefoot_base::model::ActionId;
use surefoot_learn::{Learner, Pattern, PatternEvidence, Settings};

use super::rule::{FailedRule, Rule};
use super::traces::{EqualSteps, TraceEvidence, Traces};

/// A model learned from the traces added until now, concluded when it is asked for.
pub(super) struct Growing<'a> {
    traces: &'a Traces,
    settings: &'a Settings,
    learner: Learner,
    actions: IdVec<ActionId, KnownAnswers>,
}

/// What is known of the answers of one action's model.
#[derive(Default)]
struct KnownAnswers {
    /// The model; `None` if it has to be concluded again.
    rule: Option<Rule>,
    /// Which states of the action it allows, as far as was asked.
    allowed: FixedBitSet,
    /// Which it refuses as it is now.
    refused: FixedBitSet,
}

/// Steps of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Tally {
    pub allowed: usize,
    pub steps: usize,
}

impl Tally {
    /// Whether the trace is allowed as a whole.
    pub fn whole(self) -> bool {
        self.allowed == self.steps
    }

    /// The share of steps allowed; all of none.
    pub fn share(self) -> f64 {
        if self.steps == 0 { 1.0 } else { self.allowed as f64 / self.steps as f64 }
    }
}

impl<'a> Growing<'a> {
    /// What a learner amounts to.
    pub fn of(traces: &'a Traces, settings: &'a Settings, learner: Learner) -> Self {
        let answers = |states: &Vec<_>| KnownAnswers {
            rule: None,
            allowed: FixedBitSet::with_capacity(states.len()),
            refused: FixedBitSet::with_capacity(states.len()),
        };
        let actions = traces.states.iter().map(answers).collect();
        Growing { traces, settings, learner, actions }
    }

    /// A model of no traces.
    pub fn new(traces: &'a Traces, settings: &'a Settings) -> Self {
        Growing::of(traces, settings, traces.base.clone())
    }

    /// Learns from one more trace.
    pub fn add(&mut self, number: usize) {
        let monotone = self.is_monotone();
        let trace = &self.traces.all[number];
        let kept: Vec<bool> =
            self.learner.domain().action_ids().map(|action| self.is_known(action, trace)).collect();
        self.learner.merge(&trace.learner);
        for (action, kept) in self.learner.domain().action_ids().zip(kept) {
            if !kept && !trace.learner.evidence(action).is_empty() {
                let answers = &mut self.actions[action];
                answers.rule = None;
                answers.refused.clear();
                if !monotone {
                    answers.allowed.clear();
                }
            }
        }
    }

    /// Whether more traces never make it allow less.
    pub fn is_monotone(&self) -> bool {
        self.traces.takes_back.is_none()
    }

    /// Whether a trace teaches nothing: the model stays the same with it.
    pub fn knows(&mut self, number: usize) -> bool {
        let traces = self.traces;
        let trace = &traces.all[number];
        let seen = traces
            .base
            .domain()
            .action_ids()
            .filter(|&action| !trace.learner.evidence(action).is_empty());
        seen.into_iter()
            .all(|action| self.rule(action).is_learned() && self.is_known(action, trace))
    }

    /// Whether anything was learned of an action.
    pub fn has_learned(&mut self, action: ActionId) -> bool {
        self.rule(action).is_learned()
    }

    fn rule(&mut self, action: ActionId) -> &mut Rule {
        let (learner, settings) = (&self.learner, self.settings);
        self.actions[action].rule.get_or_insert_with(|| Rule::of(learner, action, settings).0)
    }

    /// Whether a trace teaches nothing about an action: other traces show all that it shows, and
    /// its vectors are in the region.
    fn is_known(&mut self, action: ActionId, trace: &TraceEvidence) -> bool {
        let theirs = trace.learner.evidence(action);
        if theirs.is_empty() {
            return true;
        }
        // Marks on products have rays that depend on the observed vectors.
        if self.actions[action].rule.as_ref().is_none_or(|rule| !rule.is_learned())
            || self.settings.monotone.contains_key(&action)
        {
            return false;
        }
        let steps = trace.steps.iter().filter(|step| step.action == action);
        if !steps.into_iter().all(|step| self.allows(step)) {
            return false;
        }
        let ours = self.learner.evidence(action);
        let known = |(pattern, theirs): (&Pattern, &PatternEvidence)| {
            let Some(ours) = ours.patterns.get(pattern) else { return false };
            ours.seen.iter().zip(&theirs.seen).all(|(all, one)| all.or(*one) == *all)
                && theirs.joint.rows().iter().all(|row| ours.joint.contains(row))
                && theirs.changed.is_subset(&ours.changed)
                && theirs.partial.is_empty()
        };
        (&ours.undefined, &ours.untouched) == (&theirs.undefined, &theirs.untouched)
            && theirs.patterns.iter().all(known)
    }

    /// Whether a step is allowed.
    pub fn allows(&mut self, step: &EqualSteps) -> bool {
        let Some(before) = step.before else { return false };
        let answers = &mut self.actions[step.action];
        if answers.allowed.contains(before) {
            return true;
        }
        if answers.refused.contains(before) {
            return false;
        }
        let (learner, settings) = (&self.learner, self.settings);
        let rule = answers.rule.get_or_insert_with(|| Rule::of(learner, step.action, settings).0);
        let allowed =
            rule.allows(learner.vocabulary(step.action), &self.traces.states[step.action][before]);
        if allowed {
            answers.allowed.insert(before)
        } else {
            answers.refused.insert(before)
        }
        allowed
    }

    /// How many of a trace's steps are allowed.
    pub fn tally(&mut self, number: usize) -> Tally {
        let trace = &self.traces.all[number];
        let allowed =
            trace.steps.iter().filter(|step| self.allows(step)).map(|step| step.times).sum();
        Tally { allowed, steps: trace.length }
    }

    /// Whether a trace is allowed as a whole.
    pub fn allows_trace(&mut self, number: usize) -> bool {
        let trace = &self.traces.all[number];
        // A step in no part of its action is not among the steps.
        let in_parts: usize = trace.steps.iter().map(|step| step.times).sum();
        in_parts == trace.length && trace.steps.iter().all(|step| self.allows(step))
    }

    /// Why a step is refused.
    pub fn reasons(&mut self, step: &EqualSteps) -> Vec<FailedRule> {
        let (learner, settings) = (&self.learner, self.settings);
        let Some(before) = step.before else { return Vec::new() };
        let rule = self.actions[step.action]
            .rule
            .get_or_insert_with(|| Rule::of(learner, step.action, settings).0);
        rule.reasons(learner, &self.traces.states[step.action][before])
    }
}
