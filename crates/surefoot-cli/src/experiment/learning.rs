//! Learners after growing numbers of traces, made once and shared by all settings of one class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use surefoot::assumptions::SetAside;
use surefoot::evaluate::Dataset;
use surefoot::learn::{Class, Conclusion, Inconsistency, LearnedAction, Learner, LeftOut, Settings, learned_domain, outliers};
use surefoot::model::{ActionId, Domain};

use super::config::BadData;
use super::source::{Material, Seen, Shared};
use crate::bad_data::SetAsideLimit;
use crate::portrait::{Fate, Portrait, Sitter};

/// What is fixed when a learner is made, and from which fold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LessonKey {
    pub degree: u32,
    pub relevant: bool,
    pub decimals: Option<u32>,
    pub fold: usize,
}

/// Learners by number of traces.
pub type Prefixes = BTreeMap<usize, Learner>;

/// All lessons of a domain so far.
#[derive(Default)]
pub struct Lessons {
    made: Mutex<BTreeMap<LessonKey, Shared<Prefixes>>>,
}

impl Lessons {
    /// The learners after each of the given numbers of traces of a fold.
    pub fn prefixes(
        &self,
        material: &Material,
        key: &LessonKey,
        class: impl FnOnce() -> Result<Class>,
        numbers: &BTreeSet<usize>,
    ) -> Result<Arc<Prefixes>> {
        let slot = Arc::clone(self.made.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default());
        let make = || -> Result<Prefixes> {
            let mut learner = Learner::new(&material.domain, class()?).map_err(|too_many| {
                let action = material.domain.action_name(too_many.action);
                anyhow::anyhow!("{action} has {too_many}; choose a smaller degree, or give a map of relevant functions")
            })?;
            let seen = material.seen(key.decimals)?;
            let train = &material.folds[key.fold].train;
            let mut prefixes = Prefixes::new();
            for count in 0..=train.len() {
                if count > 0 {
                    for step in &seen[train[count - 1]] {
                        if let Ok(observation) = &step.observation {
                            learner.observe(step.action, observation);
                        }
                    }
                }
                if numbers.contains(&count) {
                    prefixes.insert(count, learner.clone());
                }
            }
            Ok(prefixes)
        };
        slot.get_or_init(|| make().map(Arc::new).map_err(|error| format!("{error:#}"))).clone().map_err(anyhow::Error::msg)
    }
}

/// A learned model, and what it took.
pub struct Model {
    pub domain: Domain,
    pub facets: usize,
    /// Steps set aside as recording errors, in words: part of the assumptions.
    pub set_aside: BTreeSet<String>,
    /// By action of the real domain, in order.
    pub actions: Vec<(ActionId, Concluded)>,
}

/// What became of an action.
pub enum Concluded {
    /// Learned; with some of its steps set aside, from what this other learner saw.
    Learned(Box<LearnedAction>, Option<Box<Learner>>),
    /// Not learned, and why.
    LeftOut(String),
}

impl Model {
    /// The model as people look at it.
    pub fn portrait(&self, real: &Domain, learner: &Learner, settings: &Settings, tests: &Dataset) -> Portrait {
        let mut told = learner.clone();
        // The tables name steps by their words alone.
        for (step, what) in self.set_aside.iter().enumerate() {
            told.set_step_aside(SetAside { trace: String::new(), step, what: what.clone() });
        }
        let actions = self.actions.iter().map(|(id, concluded)| (*id, fate(concluded, &told))).collect();
        Portrait::of(&Sitter { real, learner: &told, settings, learned: &self.domain, actions }, tests)
    }
}

fn fate<'a>(concluded: &'a Concluded, learner: &'a Learner) -> Fate<'a> {
    match concluded {
        Concluded::Learned(action, other) => Fate::Learned(action, other.as_deref().unwrap_or(learner)),
        Concluded::LeftOut(why) => Fate::LeftOut(why.clone()),
    }
}

/// A trace by its name.
pub type Named<'a> = (&'a str, &'a Vec<Seen>);

/// Concludes all actions from what some traces showed; bad data are dealt with as the configuration says.
pub fn conclude(learner: &Learner, settings: &Settings, traces: &[Named<'_>], on_bad: BadData) -> Result<Model> {
    let anomalies: Vec<(&str, &Seen, &String)> =
        steps(traces).filter_map(|(name, step)| Some((name, step, step.observation.as_ref().err()?))).collect();
    let mut skipped: BTreeSet<ActionId> = BTreeSet::new();
    let mut set_aside = BTreeSet::new();
    match (on_bad, anomalies.first()) {
        (BadData::Stop, Some((name, step, message))) => bail!("{}", at(name, step, message)),
        (BadData::SkipAction, _) => skipped.extend(anomalies.iter().map(|(_, step, _)| step.action)),
        (BadData::Quarantine, _) => set_aside.extend(anomalies.iter().map(|(name, step, message)| at(name, step, message))),
        (BadData::Stop, None) => {}
    }
    let actions: Vec<ActionId> = learner.domain().action_ids().collect();
    let concluded: Vec<(ActionId, Concluded, Vec<String>)> = actions
        .into_par_iter()
        .map(|action| {
            if skipped.contains(&action) {
                return Ok((action, Concluded::LeftOut("contradicted by some of its steps".into()), Vec::new()));
            }
            let (concluded, aside) = conclude_action(learner, action, settings, traces, on_bad)?;
            Ok((action, concluded, aside))
        })
        .collect::<Result<_>>()?;
    set_aside.extend(concluded.iter().flat_map(|(_, _, aside)| aside.iter().cloned()));
    let actions: Vec<(ActionId, Concluded)> = concluded.into_iter().map(|(action, concluded, _)| (action, concluded)).collect();
    let mut learned: Vec<(ActionId, &LearnedAction)> = Vec::new();
    for (id, concluded) in &actions {
        if let Concluded::Learned(action, _) = concluded {
            learned.push((*id, action));
        }
    }
    let region = |action: &LearnedAction| action.numeric.region.equations().len() + action.numeric.region.set.facets().len();
    Ok(Model {
        domain: learned_domain(learner, &learned),
        facets: learned.iter().map(|(_, action)| region(action)).sum(),
        set_aside,
        actions,
    })
}

fn steps<'a>(traces: &'a [Named<'a>]) -> impl Iterator<Item = (&'a str, &'a Seen)> {
    traces.iter().flat_map(|(name, trace)| trace.iter().map(|step| (*name, step)))
}

/// What is said about a step, with its place.
fn at(trace: &str, step: &Seen, message: &str) -> String {
    format!("{trace}.trajectory:{}, {message}.", step.line)
}

/// One action, and the steps that were set aside for it.
fn conclude_action(
    learner: &Learner,
    action: ActionId,
    settings: &Settings,
    traces: &[Named<'_>],
    on_bad: BadData,
) -> Result<(Concluded, Vec<String>)> {
    let name = || learner.domain().action_name(action);
    match (learner.conclude(action, settings), on_bad) {
        (Conclusion::Learned(learned), _) => Ok((Concluded::Learned(learned, None), Vec::new())),
        (Conclusion::LeftOut(why), _) => Ok((Concluded::LeftOut(in_words(&why)), Vec::new())),
        (Conclusion::Inconsistent(Inconsistency::EffectArity { .. }), _) => {
            bail!("effect-arity is refuted: no effect that reads so few functions explains the changes in {}", name())
        }
        (Conclusion::Inconsistent(_), BadData::Stop) => bail!("no model of the class explains the steps of {}", name()),
        (Conclusion::Inconsistent(_), BadData::SkipAction) => {
            Ok((Concluded::LeftOut("no model of the class explains its steps".into()), Vec::new()))
        }
        (Conclusion::Inconsistent(_), BadData::Quarantine) => {
            let mine: Vec<(&str, &Seen)> =
                steps(traces).filter(|(_, step)| step.action == action && step.observation.is_ok()).collect();
            let observations: Vec<_> = mine.iter().filter_map(|(_, step)| step.observation.as_ref().ok()).cloned().collect();
            let aside: BTreeSet<usize> = outliers(learner.vocabulary(action), &observations).into_iter().collect();
            if !SetAsideLimit::default().admits(aside.len(), observations.len()) {
                bail!(
                    "{} of {} steps of {} contradict the others: so many are a wrong class, not recording errors",
                    aside.len(),
                    observations.len(),
                    name()
                );
            }
            let mut again = learner.empty();
            let kept = observations.iter().enumerate().filter(|(index, _)| !aside.contains(index));
            kept.for_each(|(_, observation)| again.observe(action, observation));
            match again.conclude(action, settings) {
                Conclusion::Learned(learned) => {
                    let message = format!("this step of {} contradicts the others", name());
                    let words = aside.iter().filter_map(|&index| mine.get(index)).map(|(trace, step)| at(trace, step, &message));
                    Ok((Concluded::Learned(learned, Some(Box::new(again))), words.collect()))
                }
                // What is not learned sets nothing aside.
                Conclusion::LeftOut(why) => Ok((Concluded::LeftOut(in_words(&why)), Vec::new())),
                Conclusion::Inconsistent(_) => bail!("setting {} steps of {} aside is not enough", aside.len(), name()),
            }
        }
    }
}

/// Why an action is left out.
pub fn in_words(why: &LeftOut) -> String {
    match why {
        LeftOut::NeverObserved => "never observed".into(),
        LeftOut::TooFew { distinct, needed } => format!("{distinct} distinct vectors, N-SAM asks for {needed}"),
        LeftOut::Skipped { steps } => format!("contradicted by {steps} of its steps"),
        LeftOut::Useless => "its model would refuse all of its own steps".into(),
    }
}

/// The learner after some number of traces.
pub fn prefix(prefixes: &Prefixes, count: usize) -> Result<&Learner> {
    prefixes.get(&count).with_context(|| format!("there are fewer than {count} traces to learn from"))
}
