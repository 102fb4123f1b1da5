//! The seam for learners: observe, merge, conclude.
//!
//! Whoever compares learners needs nothing else of them. The learners of this library are in
//! [`LEARNERS`]; another one is a type that [`Learns`] and a [`LearnerKind`] in a crate of its own.

use std::any::Any;

use surefoot_base::assumptions::{Algorithm, DIALS, DialGroup, Spec};
use surefoot_base::model::{Attempt, Domain, Event, Objects, Step};
use surefoot_base::pddl::{Numbers, ReadError, Trajectory};

use super::bad_data::OnBadData;
use super::error::LearnError;
use crate::conclude::Settings;
use crate::evidence::{Learner, NoTraces, Outside, Progress, Recording};
use crate::model::Model;

/// A trace with its steps, as a learner observes it.
pub struct Observed<'a> {
    /// Which one, from 0.
    pub number: usize,
    /// The objects there are.
    pub objects: &'a Objects,
    /// What was done, and all states.
    pub trajectory: &'a Trajectory,
}

/// A learner: it observes executions, is merged with others that observed other ones, and concludes
/// a model.
pub trait Learns: Send + Sync {
    /// Learns from a whole trace.
    ///
    /// # Errors
    /// The learner has no use for it.
    fn observe(&mut self, trace: &Observed<'_>) -> Result<(), LearnError>;

    /// Adds all that another learner of the same kind, domain and dials observed.
    ///
    /// # Errors
    /// It is of another kind.
    fn merge(&mut self, other: &dyn Learns) -> Result<(), LearnError>;

    /// The model that all that was observed amounts to.
    ///
    /// # Errors
    /// There is none.
    fn conclude(&self) -> Result<Model, LearnError>;

    /// The learner itself, so that [`Learns::merge`] can recognize its own kind.
    fn as_any(&self) -> &dyn Any;
}

/// Makes a learner that has observed nothing.
pub type Start = fn(&Domain, &Spec) -> Result<Box<dyn Learns>, LearnError>;

/// A kind of learners.
#[derive(Clone, Copy)]
pub struct LearnerKind {
    /// Its name on the command line, in configurations and in results.
    pub name: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// What it learns, for help.
    pub about: &'static str,
    /// The algorithm of this library that it is, whose models are safe; `None`: its models promise
    /// nothing.
    pub algorithm: Option<Algorithm>,
    /// The dials that it reads, by name, if it is none of this library's. `decimals` is read for
    /// it. Others are refused.
    pub dials: &'static [&'static str],
    /// A learner that has observed nothing.
    pub start: Start,
}

const fn of_ours(algorithm: Algorithm, start: Start) -> LearnerKind {
    LearnerKind {
        name: algorithm.name(),
        title: algorithm.title(),
        about: algorithm.about(),
        algorithm: Some(algorithm),
        dials: &[],
        start,
    }
}

/// The learners of this library, the usual one first.
pub static LEARNERS: &[LearnerKind] = &[
    of_ours(Algorithm::NsamStar, |domain, spec| Safe::start(domain, spec, Algorithm::NsamStar)),
    of_ours(Algorithm::Nsam, |domain, spec| Safe::start(domain, spec, Algorithm::Nsam)),
    of_ours(Algorithm::NsamLiteral, |domain, spec| {
        Safe::start(domain, spec, Algorithm::NsamLiteral)
    }),
    of_ours(Algorithm::Sam, |domain, spec| Safe::start(domain, spec, Algorithm::Sam)),
];

impl LearnerKind {
    /// The learner of a name.
    pub fn find(name: &str) -> Option<&'static LearnerKind> {
        LEARNERS.iter().find(|kind| kind.name == name)
    }

    /// Whether its models are safe.
    pub fn is_safe(&self) -> bool {
        self.algorithm.is_some()
    }

    /// Whether it reads all dials that were turned: none is ignored without a word.
    ///
    /// # Errors
    /// It does not read one of them.
    pub fn check_dials(&self, spec: &Spec) -> Result<(), LearnError> {
        let ignored = DIALS.iter().filter(|dial| {
            let is_ours = self.is_safe() && dial.group != DialGroup::PlanMiner;
            let read = is_ours
                || self.dials.contains(&dial.name)
                || ["algorithm", "decimals"].contains(&dial.name);
            !read && spec.get(dial) != dial.usual()
        });
        match { ignored }.next() {
            None => Ok(()),
            Some(dial) => Err(LearnError::Ignored { learner: self.title, dial }),
        }
    }
}

/// Shows a recording to a learner, and asks it for its model.
///
/// # Errors
/// A trace cannot be read, or the learner has no model.
pub fn learn_with(
    mut learner: Box<dyn Learns>,
    domain: &Domain,
    numbers: Numbers,
    recording: &dyn Recording,
    progress: &dyn Progress,
) -> Result<Model, LearnError> {
    let mut steps = vec![0; domain.actions.len()];
    for number in 0..recording.traces() {
        if !progress.go_on() {
            return Err(LearnError::Stopped);
        }
        if let Some((objects, trajectory)) = whole_trace(number, domain, numbers, recording)? {
            trajectory.actions.iter().for_each(|action| steps[action.symbol.index()] += 1);
            learner.observe(&Observed { number, objects: &objects, trajectory: &trajectory })?;
        }
        progress.trace_read();
    }
    Ok(learner.conclude()?.with_steps(&steps))
}

/// A trace in memory; `None` where it has no steps.
fn whole_trace(
    number: usize,
    domain: &Domain,
    numbers: Numbers,
    recording: &dyn Recording,
) -> Result<Option<(Objects, Trajectory)>, ReadError> {
    let mut objects = None;
    let mut trajectory = Trajectory::default();
    recording.read(number, domain, numbers, false, &mut |recorded| {
        let Attempt { before, action, universe } = recorded.event.attempt();
        if objects.is_none() {
            objects = Some(recorded.objects.clone());
            trajectory.states.push(before.clone());
        }
        match recorded.event {
            Event::Worked(step) => {
                trajectory.actions.push(action.clone());
                trajectory.states.push(step.after.clone());
            }
            Event::Failed(_) => {
                trajectory.failures.push((trajectory.actions.len(), action.clone()))
            }
        }
        // What numbers the states only grows.
        trajectory.universe = universe.clone();
        true
    })?;
    Ok(objects.map(|objects| (objects, trajectory)))
}

/// The learners of this library behind the seam.
struct Safe {
    learner: Learner,
    settings: Settings,
}

impl Safe {
    fn start(
        domain: &Domain,
        spec: &Spec,
        algorithm: Algorithm,
    ) -> Result<Box<dyn Learns>, LearnError> {
        let spec = spec.clone().with(|spec| spec.algorithm = algorithm);
        let learner = Learner::of(domain, &spec)?;
        let settings = Settings::of_spec(&spec, &learner)?;
        Ok(Box::new(Safe { learner, settings }))
    }
}

impl Learns for Safe {
    fn observe(&mut self, trace: &Observed<'_>) -> Result<(), LearnError> {
        let Trajectory { universe, states, actions, .. } = trace.trajectory;
        let mut observer = self.learner.lens().observer();
        for (index, action) in actions.iter().enumerate() {
            let step = Step { before: &states[index], action, after: &states[index + 1], universe };
            let attempt = Attempt { before: step.before, action, universe };
            let Some(in_part) = self.learner.lens().in_part(attempt) else {
                let mut counts = vec![Outside::default(); self.learner.given().actions.len()];
                let event = Event::Worked(step);
                self.learner.count_outside(event, &mut observer, &mut counts);
                continue;
            };
            let step = Step { action: &in_part, ..step };
            match observer.observe_step(step) {
                Ok(observation) => self.learner.observe(in_part.symbol, &observation),
                Err(anomaly) => {
                    let words = anomaly.in_words(self.learner.domain(), trace.objects, step);
                    return Err(LearnError::Other(format!(
                        "trace {}, step {index}: {words}",
                        trace.number
                    )));
                }
            }
        }
        Ok(())
    }

    fn merge(&mut self, other: &dyn Learns) -> Result<(), LearnError> {
        match other.as_any().downcast_ref::<Safe>() {
            Some(other) if other.learner.is_compatible(&self.learner) => {
                self.learner.merge(&other.learner);
                Ok(())
            }
            _ => Err(LearnError::Other(
                "these learners are of different kinds, domains or classes of models".into(),
            )),
        }
    }

    fn conclude(&self) -> Result<Model, LearnError> {
        Model::of(&self.learner, &self.settings, &NoTraces, OnBadData::Stop)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
