//! Many trajectories: which files, read in parallel, folded into learners.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use surefoot::certificate::digest;
use surefoot::learn::{Anomaly, Learner, Lens, Observation};
use surefoot::model::{ActionId, Domain, Objects};
use surefoot::pddl::{Diagnostic, Numbers, ReadError, Source, TrajectoryReader, Transition, infer_objects, read_problem};

use crate::input;
use crate::output::shown_path;

/// A trajectory file, and the problem its objects are declared in.
#[derive(Clone)]
pub struct Trace {
    /// Where it lies.
    pub path: PathBuf,
    /// `None`: objects are inferred from how they are used.
    pub problem: Option<PathBuf>,
    /// The texts of both, where they are not in files.
    pub given: Option<Given>,
}

/// A trajectory that is in memory, and the problem its objects are declared in.
#[derive(Clone)]
pub struct Given {
    /// The trajectory.
    pub trajectory: Arc<Source>,
    /// `None`: objects are inferred from how they are used.
    pub problem: Option<Arc<Source>>,
}

/// Is told how far reading is, and asked whether it shall go on.
pub trait Audience: Sync {
    /// A file was read.
    fn file_read(&self) {}
    /// Whether to go on; asked at every step.
    fn go_on(&self) -> bool {
        true
    }
}

impl Audience for ProgressBar {
    fn file_read(&self) {
        self.inc(1);
    }
}

/// The audience did not want it to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped")
    }
}

impl std::error::Error for Stopped {}

/// A step of some trace: which trace, and which step, from 0.
pub type StepId = (usize, usize);

/// A step that no model explains, or that spoils the explanation of others.
pub struct Finding {
    /// The action of the step.
    pub action: ActionId,
    /// Which step.
    pub step: StepId,
    /// What is wrong, and where.
    pub diagnostic: Diagnostic,
}

/// What reading all traces gave.
pub struct Reading {
    /// What was learned from.
    pub learner: Learner,
    /// By action: how many steps were seen.
    pub steps: Vec<usize>,
    /// What no model explains.
    pub findings: Vec<Finding>,
}

/// The trajectories that paths name. Says so where objects are inferred.
pub fn traces(paths: &[PathBuf], problems: Option<&Path>) -> Result<Vec<Trace>> {
    let traces = find(paths, problems)?;
    let without = traces.iter().filter(|trace| trace.problem.is_none() && trace.path.exists()).count();
    if without > 0 {
        eprintln!(
            "note: {without} of {} trajectories have no problem beside them; the types of their objects are inferred",
            traces.len()
        );
    }
    Ok(traces)
}

/// The trajectories that paths name: files, and all `.trajectory` files of folders, sorted.
pub fn find(paths: &[PathBuf], problems: Option<&Path>) -> Result<Vec<Trace>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found: Vec<PathBuf> =
                fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
            found.retain(|file| file.extension().is_some_and(|end| end == "trajectory"));
            if found.is_empty() {
                bail!("{} holds no .trajectory files", shown_path(path));
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
        Trace { path, problem, given: None }
    };
    Ok(files.into_iter().map(with_problem).collect())
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
    /// A trajectory in memory.
    pub fn given(trajectory: Source, problem: Option<Source>) -> Self {
        let path = PathBuf::from(trajectory.name());
        let given = Given { trajectory: Arc::new(trajectory), problem: problem.map(Arc::new) };
        Trace { path, problem: None, given: Some(given) }
    }

    /// Its text.
    pub fn source(&self) -> Result<Arc<Source>, ReadError> {
        match &self.given {
            Some(given) => Ok(Arc::clone(&given.trajectory)),
            None => input::source(&self.path).map(Arc::new),
        }
    }

    /// The objects that its problem declares, or that its own facts name.
    pub fn objects(&self, source: &Source, domain: &Domain, numbers: Numbers) -> Result<Objects, ReadError> {
        match (&self.problem, self.given.as_ref().and_then(|given| given.problem.as_deref())) {
            (Some(problem), _) => Ok(input::problem(problem, domain, numbers)?.objects),
            (None, Some(problem)) => Ok(read_problem(problem, domain, numbers)?.objects),
            (None, None) => infer_objects(source, domain),
        }
    }

    /// Runs `visit` over all steps, until it returns false.
    pub fn steps(
        &self,
        learner: &Learner,
        visit: impl FnMut(usize, &Transition<'_>, &Objects, Result<Observation, Anomaly>) -> bool,
    ) -> Result<(), ReadError> {
        let source = self.source()?;
        self.steps_of(&source, learner, visit)
    }

    /// The same, where its text is at hand.
    fn steps_of(
        &self,
        source: &Source,
        learner: &Learner,
        mut visit: impl FnMut(usize, &Transition<'_>, &Objects, Result<Observation, Anomaly>) -> bool,
    ) -> Result<(), ReadError> {
        let numbers = learner.class().numbers;
        let objects = self.objects(source, learner.domain(), numbers)?;
        let mut reader = TrajectoryReader::new(source, learner.domain(), &objects, numbers)?;
        let mut lens = Lens::default();
        let mut index = 0;
        while let Some(step) = reader.next_transition()? {
            let observation = lens.observe(learner, &step);
            if !visit(index, &step, &objects, observation) {
                break;
            }
            index += 1;
        }
        Ok(())
    }
}

/// Folds all traces into a learner, leaving out some steps. Of several files that cannot be read, the first is told of. With
/// `digests`, the learner remembers which trajectories it saw, as states and certificates ask for.
pub fn read(
    start: &Learner,
    traces: &[Trace],
    without: &BTreeSet<StepId>,
    digests: bool,
    audience: &dyn Audience,
) -> Result<Reading> {
    let actions = start.domain().actions.len();
    let nothing = || (Reading { learner: start.empty(), steps: vec![0; actions], findings: Vec::new() }, None);
    // What comes after a file that cannot be read does not matter; what comes before it may be wrong too.
    let first_bad = AtomicUsize::new(usize::MAX);
    type Sum = (Reading, Option<(usize, ReadError)>);
    let fold = |(mut sum, mut failed): Sum, (number, trace): (usize, &Trace)| -> Sum {
        if number > first_bad.load(Ordering::Relaxed) || !audience.go_on() {
            return (sum, failed);
        }
        let mut counts = vec![0; actions];
        let read = trace.source().and_then(|source| {
            trace.steps_of(&source, start, |index, step, objects, observation| {
                let action = step.action.symbol;
                counts[action.index()] += 1;
                match observation {
                    _ if without.contains(&(number, index)) => {}
                    Ok(observation) => sum.learner.observe(action, &observation),
                    Err(anomaly) => {
                        let diagnostic = step.error(anomaly.in_words(start.domain(), objects, step.step()));
                        sum.findings.push(Finding { action, step: (number, index), diagnostic });
                    }
                }
                audience.go_on()
            })?;
            Ok(source)
        });
        sum.steps.iter_mut().zip(&counts).for_each(|(sum, more)| *sum += more);
        if let (true, Ok(source)) = (digests, &read) {
            sum.learner.add_trace(digest(source.text()), counts);
        }
        match read {
            Ok(_) => audience.file_read(),
            Err(error) => {
                first_bad.fetch_min(number, Ordering::Relaxed);
                failed = earlier(failed, Some((number, error)));
            }
        }
        (sum, failed)
    };
    let join = |(mut one, failed): Sum, (other, also): Sum| -> Sum {
        one.learner.merge(&other.learner);
        one.steps.iter_mut().zip(&other.steps).for_each(|(sum, more)| *sum += more);
        one.findings.extend(other.findings);
        (one, earlier(failed, also))
    };
    let (mut reading, failed) = traces.par_iter().enumerate().fold(nothing, fold).reduce(nothing, join);
    if !audience.go_on() {
        bail!(Stopped);
    }
    if let Some((_, error)) = failed {
        return Err(error.into());
    }
    reading.findings.sort_by_key(|finding| finding.step);
    reading.learner.merge(start);
    Ok(reading)
}

fn earlier<T>(one: Option<(usize, T)>, other: Option<(usize, T)>) -> Option<(usize, T)> {
    [one, other].into_iter().flatten().min_by_key(|(number, _)| *number)
}
