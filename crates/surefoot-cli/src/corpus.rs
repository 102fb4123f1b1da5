//! Many trajectories: which files, read in parallel, folded into learners.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use surefoot::learn::{Anomaly, Learner, Lens, Observation};
use surefoot::model::{ActionId, Domain, Objects};
use surefoot::pddl::{Diagnostic, Numbers, ReadError, Source, TrajectoryReader, Transition, Writer, infer_objects};

use crate::input;

/// A trajectory file, and the problem its objects are declared in.
#[derive(Clone)]
pub struct Trace {
    pub path: PathBuf,
    /// `None`: objects are inferred from how they are used.
    pub problem: Option<PathBuf>,
}

/// A step of some trace: which trace, and which step, from 0.
pub type StepId = (usize, usize);

/// A step that no model explains, or that spoils the explanation of others.
pub struct Finding {
    pub action: ActionId,
    pub step: StepId,
    pub diagnostic: Diagnostic,
}

/// What reading all traces gave.
pub struct Reading {
    pub learner: Learner,
    /// By action: how many steps were seen.
    pub steps: Vec<usize>,
    pub findings: Vec<Finding>,
}

/// The trajectories that paths name: files, and all `.trajectory` files of folders, sorted.
pub fn traces(paths: &[PathBuf], problems: Option<&Path>) -> Result<Vec<Trace>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found: Vec<PathBuf> =
                fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
            found.retain(|file| file.extension().is_some_and(|end| end == "trajectory"));
            if found.is_empty() {
                bail!("{} holds no .trajectory files", path.display());
            }
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    let with_problem = |path: PathBuf| {
        let beside = path.with_extension("pddl");
        let problem = match (problems, beside.file_name()) {
            (Some(folder), Some(name)) => Some(folder.join(name)),
            _ => Some(beside).filter(|beside| beside.exists()),
        };
        Trace { path, problem }
    };
    let traces: Vec<Trace> = files.into_iter().map(with_problem).collect();
    let without = traces.iter().filter(|trace| trace.problem.is_none() && trace.path.exists()).count();
    if without > 0 {
        eprintln!(
            "note: {without} of {} trajectories have no problem beside them; the types of their objects are inferred",
            traces.len()
        );
    }
    Ok(traces)
}

/// A bar over files on a terminal; nothing in a pipe.
pub fn progress(files: usize, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} files, {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

impl Trace {
    /// The objects that its problem declares, or that its own facts name.
    pub fn objects(&self, source: &Source, domain: &Domain, numbers: Numbers) -> Result<Objects, ReadError> {
        match &self.problem {
            Some(problem) => Ok(input::problem(problem, domain, numbers)?.objects),
            None => infer_objects(source, domain),
        }
    }

    /// Runs `visit` over all steps.
    pub fn steps(
        &self,
        learner: &Learner,
        mut visit: impl FnMut(usize, &Transition<'_>, &Objects, Result<Observation, Anomaly>),
    ) -> Result<(), ReadError> {
        let numbers = learner.class().numbers;
        let source = input::source(&self.path)?;
        let objects = self.objects(&source, learner.domain(), numbers)?;
        let mut reader = TrajectoryReader::new(&source, learner.domain(), &objects, numbers)?;
        let mut lens = Lens::default();
        let mut index = 0;
        while let Some(step) = reader.next_transition()? {
            let observation = lens.observe(learner, &step);
            visit(index, &step, &objects, observation);
            index += 1;
        }
        Ok(())
    }
}

/// Folds all traces into a learner, leaving out some steps.
pub fn read(start: &Learner, traces: &[Trace], without: &BTreeSet<StepId>, bar: &ProgressBar) -> Result<Reading> {
    let actions = start.domain().actions.len();
    let nothing = || Reading { learner: start.empty(), steps: vec![0; actions], findings: Vec::new() };
    let fold = |mut sum: Reading, (number, trace): (usize, &Trace)| -> Result<Reading, ReadError> {
        trace.steps(start, |index, step, objects, observation| {
            let action = step.action.symbol;
            sum.steps[action.index()] += 1;
            match observation {
                _ if without.contains(&(number, index)) => {}
                Ok(observation) => sum.learner.observe(action, &observation),
                Err(anomaly) => {
                    let diagnostic = step.error(described(start.domain(), objects, step, &anomaly));
                    sum.findings.push(Finding { action, step: (number, index), diagnostic });
                }
            }
        })?;
        bar.inc(1);
        Ok(sum)
    };
    let join = |mut one: Reading, other: Reading| -> Result<Reading, ReadError> {
        one.learner.merge(&other.learner);
        one.steps.iter_mut().zip(&other.steps).for_each(|(sum, more)| *sum += more);
        one.findings.extend(other.findings);
        Ok(one)
    };
    let mut reading = traces.par_iter().enumerate().try_fold(nothing, fold).try_reduce(nothing, join)?;
    reading.findings.sort_by_key(|finding| finding.step);
    reading.learner.merge(start);
    Ok(reading)
}

fn described(domain: &Domain, objects: &Objects, step: &Transition<'_>, anomaly: &Anomaly) -> String {
    let writer = Writer::new(domain, objects);
    let action = writer.ground_action(step.action);
    match anomaly {
        Anomaly::AtomChanged(atom) => {
            let atom = writer.ground_atom(step.universe.ground_atom(*atom));
            format!("{action} changes {atom}, whose objects are not among its arguments")
        }
        Anomaly::FunctionChanged(function) => {
            let function = writer.ground_function(step.universe.ground_function(*function));
            format!("{action} changes {function}, whose objects are not among its arguments")
        }
        Anomaly::BecameDefined(function) => {
            format!("{action} gives {} its first value", writer.ground_function(step.universe.ground_function(*function)))
        }
        Anomaly::BecameUndefined(function) => {
            format!("after {action}, {} has no value any more", writer.ground_function(step.universe.ground_function(*function)))
        }
    }
}
