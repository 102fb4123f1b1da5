//! Learners after growing numbers of traces, made once and shared by all settings of one class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use surefoot::evaluate::Dataset;
use surefoot::learn::{Class, Conclusion, Inconsistency, LearnedAction, Learner, LeftOut, Settings, learned_domain, outliers};
use surefoot::model::{ActionId, Domain};

use super::config::BadData;
use super::source::{Material, Seen, Shared};
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
                    for (action, observation) in &seen[train[count - 1]] {
                        if let Ok(observation) = observation {
                            learner.observe(*action, observation);
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
    /// Steps set aside as recording errors.
    pub set_aside: usize,
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
        let actions = self.actions.iter().map(|(id, concluded)| (*id, fate(concluded, learner))).collect();
        Portrait::of(&Sitter { real, learner, settings, learned: &self.domain, actions }, tests)
    }
}

fn fate<'a>(concluded: &'a Concluded, learner: &'a Learner) -> Fate<'a> {
    match concluded {
        Concluded::Learned(action, other) => Fate::Learned(action, other.as_deref().unwrap_or(learner)),
        Concluded::LeftOut(why) => Fate::LeftOut(why.clone()),
    }
}

/// Concludes all actions from what some traces showed; bad data are dealt with as the configuration says.
pub fn conclude(learner: &Learner, settings: &Settings, traces: &[&Vec<Seen>], on_bad: BadData) -> Result<Model> {
    let anomalies: Vec<(ActionId, &String)> =
        steps(traces).filter_map(|(action, seen)| Some((*action, seen.as_ref().err()?))).collect();
    let mut skipped: BTreeSet<ActionId> = BTreeSet::new();
    let mut set_aside = 0;
    match (on_bad, anomalies.first()) {
        (BadData::Stop, Some((_, message))) => bail!("{message}"),
        (BadData::SkipAction, _) => skipped.extend(anomalies.iter().map(|(action, _)| *action)),
        (BadData::Quarantine, _) => set_aside += anomalies.len(),
        (BadData::Stop, None) => {}
    }
    let actions: Vec<ActionId> = learner.domain().action_ids().collect();
    let concluded: Vec<(ActionId, Concluded, usize)> = actions
        .into_par_iter()
        .map(|action| {
            if skipped.contains(&action) {
                return Ok((action, Concluded::LeftOut("contradicted by some of its steps".into()), 0));
            }
            let (concluded, aside) = conclude_action(learner, action, settings, traces, on_bad)?;
            Ok((action, concluded, aside))
        })
        .collect::<Result<_>>()?;
    set_aside += concluded.iter().map(|(_, _, aside)| aside).sum::<usize>();
    let actions: Vec<(ActionId, Concluded)> = concluded.into_iter().map(|(action, concluded, _)| (action, concluded)).collect();
    let mut learned: Vec<(ActionId, &LearnedAction)> = Vec::new();
    for (id, concluded) in &actions {
        if let Concluded::Learned(action, _) = concluded {
            learned.push((*id, action));
        }
    }
    let region = |action: &LearnedAction| action.numeric.region.equations.len() + action.numeric.region.inequalities.len();
    Ok(Model {
        domain: learned_domain(learner, &learned),
        facets: learned.iter().map(|(_, action)| region(action)).sum(),
        set_aside,
        actions,
    })
}

fn steps<'a>(traces: &'a [&'a Vec<Seen>]) -> impl Iterator<Item = &'a Seen> {
    traces.iter().flat_map(|trace| trace.iter())
}

/// One action and how many of its steps were set aside for it.
fn conclude_action(
    learner: &Learner,
    action: ActionId,
    settings: &Settings,
    traces: &[&Vec<Seen>],
    on_bad: BadData,
) -> Result<(Concluded, usize)> {
    let name = || learner.domain().action_name(action);
    match (learner.conclude(action, settings), on_bad) {
        (Conclusion::Learned(learned), _) => Ok((Concluded::Learned(learned, None), 0)),
        (Conclusion::LeftOut(why), _) => Ok((Concluded::LeftOut(in_words(&why)), 0)),
        (Conclusion::Inconsistent(Inconsistency::EffectArity { .. }), _) => {
            bail!("effect-arity is refuted: no effect that reads so few functions explains the changes in {}", name())
        }
        (Conclusion::Inconsistent(_), BadData::Stop) => bail!("no model of the class explains the steps of {}", name()),
        (Conclusion::Inconsistent(_), BadData::SkipAction) => {
            Ok((Concluded::LeftOut("no model of the class explains its steps".into()), 0))
        }
        (Conclusion::Inconsistent(_), BadData::Quarantine) => {
            let observations: Vec<_> =
                steps(traces).filter(|(other, _)| *other == action).filter_map(|(_, seen)| seen.as_ref().ok()).cloned().collect();
            let aside: BTreeSet<usize> = outliers(learner.vocabulary(action), &observations).into_iter().collect();
            let mut again = learner.empty();
            let kept = observations.iter().enumerate().filter(|(index, _)| !aside.contains(index));
            kept.for_each(|(_, observation)| again.observe(action, observation));
            match again.conclude(action, settings) {
                Conclusion::Learned(learned) => Ok((Concluded::Learned(learned, Some(Box::new(again))), aside.len())),
                // What is not learned sets nothing aside.
                Conclusion::LeftOut(why) => Ok((Concluded::LeftOut(in_words(&why)), 0)),
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
