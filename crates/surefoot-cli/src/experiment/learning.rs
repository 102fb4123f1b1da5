//! Models after more and more traces. Evidence is made once, and shared by all settings of one class.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use surefoot::assumptions::{DIALS, Group, Spec};
use surefoot::learn::{Job, Learner, LearnerKind, Model, OnBadData, Reading, Recording, Unwatched, Visit, learn_with, read_text};
use surefoot::model::Domain;
use surefoot::pddl::{Numbers, ReadError};

use super::config::{Cell, Config};
use super::source::{Material, Shared};

/// What was seen in some number of traces.
pub struct Prefix {
    pub learner: Learner,
    /// By action: how many steps.
    pub steps: Vec<usize>,
    /// Whether some steps are left out of this, since no model explains them whatever else was seen.
    pub anomalous: bool,
}

/// By number of traces.
pub type Prefixes = BTreeMap<usize, Prefix>;

/// All evidence of a domain so far: by fold and class.
#[derive(Default)]
pub struct Lessons {
    made: Mutex<BTreeMap<(usize, String), Shared<Prefixes>>>,
}

/// What tells classes apart.
fn class_key(spec: &Spec) -> String {
    let dials = DIALS.iter().filter(|dial| dial.group == Group::Class);
    dials.map(|dial| format!("{} {}\n", dial.name, spec.get(dial))).collect()
}

impl Lessons {
    /// What was seen after each of the given numbers of traces of a fold.
    pub fn prefixes(&self, material: &Material, fold: usize, spec: &Spec, numbers: &BTreeSet<usize>) -> Result<Arc<Prefixes>> {
        let key = (fold, class_key(spec));
        let slot = Arc::clone(self.made.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        let make = || prefixes(material, fold, spec, numbers);
        slot.get_or_init(|| make().map(Arc::new).map_err(|error| format!("{error:#}"))).clone().map_err(anyhow::Error::msg)
    }
}

fn prefixes(material: &Material, fold: usize, spec: &Spec, numbers: &BTreeSet<usize>) -> Result<Prefixes> {
    let mut learner = Learner::of(&material.domain, spec)?;
    let mut steps = vec![0; material.domain.actions.len()];
    let mut anomalous = false;
    let seen = material.seen(spec.decimals)?;
    let train = &material.folds[fold].train;
    let mut prefixes = Prefixes::new();
    for count in 1..=train.len() {
        for step in &seen[train[count - 1]] {
            steps[step.action.index()] += 1;
            match &step.observation {
                Ok(observation) => learner.observe(step.action, observation),
                Err(_) => anomalous = true,
            }
        }
        if numbers.contains(&count) {
            prefixes.insert(count, Prefix { learner: learner.clone(), steps: steps.clone(), anomalous });
        }
    }
    Ok(prefixes)
}

/// The traces that a cell learns from.
struct Train<'a> {
    material: &'a Material,
    traces: &'a [usize],
}

impl Recording for Train<'_> {
    fn traces(&self) -> usize {
        self.traces.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Option<String>, ReadError> {
        let index = self.traces[trace];
        let source = self.material.trajectory(index)?;
        read_text(&source, &self.material.problems[index].1.objects, domain, numbers, visit)?;
        Ok(with_digest.then(|| surefoot::certificate::digest(source.text())))
    }
}

/// The numbers of traces of a cell's domain.
pub fn numbers(config: &Config, cell: &Cell) -> BTreeSet<usize> {
    config.domains[cell.domain].traces.as_ref().unwrap_or(&config.traces).iter().copied().collect()
}

/// The model of a cell: what its learner makes of its traces.
pub fn model(config: &Config, cell: &Cell, material: &Material) -> Result<Model> {
    let spec = config.spec(cell)?;
    let train = &material.folds[cell.fold].train;
    let traces =
        train.get(..cell.traces).with_context(|| format!("there are fewer than {} traces to learn from", cell.traces))?;
    let train = Train { material, traces };
    let name = config.learner(cell);
    if let Some(command) = config.command(name) {
        let numbers = material.numbers(spec.decimals);
        return Ok(learn_with(command.start(&material.domain), &material.domain, numbers, &train, &Unwatched)?);
    }
    let kind = LearnerKind::find(name).with_context(|| format!("there is no learner {name}"))?;
    if !kind.is_safe {
        let learner = (kind.start)(&material.domain, &spec)?;
        return Ok(learn_with(learner, &material.domain, material.numbers(spec.decimals), &train, &Unwatched)?);
    }
    safe(config, cell, material, &spec, &train)
}

/// The model of a safe learner, from evidence that cells share.
fn safe(config: &Config, cell: &Cell, material: &Material, spec: &Spec, train: &Train<'_>) -> Result<Model> {
    let prefixes = material.lessons.prefixes(material, cell.fold, spec, &numbers(config, cell))?;
    let prefix =
        prefixes.get(&cell.traces).with_context(|| format!("there are fewer than {} traces to learn from", cell.traces))?;
    let start = prefix.learner.empty();
    let settings = spec.settings(&start)?;
    let on_bad: OnBadData = config.domains[cell.domain].on_bad_data;
    let job =
        Job { start: &start, settings: &settings, recording: train, policy: on_bad.into(), digests: false, progress: &Unwatched };
    if prefix.anomalous {
        return Ok(job.run()?);
    }
    let reading = Reading { learner: prefix.learner.clone(), steps: prefix.steps.clone(), findings: Vec::new() };
    Ok(job.conclude(reading)?)
}
