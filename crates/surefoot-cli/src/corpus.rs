//! Many trajectories: which files, and how they are read.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use surefoot::learn::{Progress, Texts};
use surefoot::model::{Domain, Objects};
use surefoot::pddl::{Numbers, ReadError, Source, infer_objects, read_published_problem};

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
    Ok(files.into_iter().map(|path| Trace::in_file(path, problems)).collect())
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
    /// A trajectory in a file; its problem has the same name, in the folder of problems, or beside it if it is there.
    fn in_file(path: PathBuf, problems: Option<&Path>) -> Self {
        let beside = path.with_extension("pddl");
        let problem = match (problems, beside.file_name()) {
            (Some(folder), Some(name)) => Some(folder.join(name)),
            _ => Some(beside).filter(|beside| beside.exists()),
        };
        Trace { path, problem, given: None }
    }

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

    /// The objects that its problem declares, or that its own facts name. A warning about the initial values of the problem would say
    /// nothing about the trajectory, which has states of its own.
    pub fn objects(&self, source: &Source, domain: &Domain, numbers: Numbers) -> Result<Objects, ReadError> {
        match (&self.problem, self.given.as_ref().and_then(|given| given.problem.as_deref())) {
            (Some(problem), _) => Ok(input::problem(problem, domain, numbers)?.0.objects),
            (None, Some(problem)) => Ok(read_published_problem(problem, domain, numbers)?.0.objects),
            (None, None) => infer_objects(source, domain),
        }
    }
}

/// Trajectories as a recording.
pub struct Files<'a>(pub &'a [Trace]);

impl Texts for Files<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn source(&self, trace: usize) -> Result<Arc<Source>, ReadError> {
        self.0[trace].source()
    }

    fn objects(&self, trace: usize, source: &Source, domain: &Domain, numbers: Numbers) -> Result<Cow<'_, Objects>, ReadError> {
        self.0[trace].objects(source, domain, numbers).map(Cow::Owned)
    }
}

/// A bar on a terminal, told how far reading is.
pub struct Bar(pub ProgressBar);

impl Progress for Bar {
    fn trace_read(&self) {
        self.0.inc(1);
    }
}
