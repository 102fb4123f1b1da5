//! Many trajectories: which files, and how they are read.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use surefoot_base::advice::{Advice, Setting, Text};
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{
    Numbers, ReadError, Source, infer_objects, read_published_problem, with_chosen_numbers,
};
use surefoot_learn::Texts;

use crate::input;
use crate::output::shown_path;
use crate::streams::is_standard;
use crate::voice;

/// A trajectory file, and the problem its objects are declared in.
#[derive(Clone)]
pub struct TraceFile {
    /// The path of the trajectory.
    pub path: PathBuf,
    /// `None`: objects are inferred from how they are used.
    pub problem: Option<PathBuf>,
    /// The texts of both, where they are not in files.
    pub given: Option<Given>,
}

/// A trajectory that is in memory, and the problem its objects are declared in.
#[derive(Clone)]
pub struct Given {
    /// The text of the trajectory.
    pub trajectory: Arc<Source>,
    /// `None`: objects are inferred from how they are used.
    pub problem: Option<Arc<Source>>,
}

/// The trajectories that paths name. Says so where objects are inferred.
pub fn traces(paths: &[PathBuf], problems: Option<&Path>) -> Result<Vec<TraceFile>> {
    let traces = find(paths, problems)?;
    let without = traces
        .iter()
        .filter(|trace| {
            trace.problem.is_none() && (is_standard(&trace.path) || trace.path.exists())
        })
        .count();
    if without > 0 {
        voice::note(&format!(
            "{without} of {} trajectories have no problem file of the same name, so the types of \
             their objects are inferred",
            traces.len()
        ));
    }
    Ok(traces)
}

/// The trajectories that paths name: files, and of folders all that are named as trajectories are,
/// sorted.
pub fn find(paths: &[PathBuf], problems: Option<&Path>) -> Result<Vec<TraceFile>> {
    let mut files = Vec::new();
    for path in paths {
        if is_standard(path) {
            if problems.is_some() {
                let text = Text::from(Advice::named(Setting::Files("problems")))
                    + " finds the problem of a trajectory by its file name, and standard input has \
                       none: leave one of them out";
                return Err(text.into());
            }
            files.push(path.clone());
        } else if path.is_dir() {
            let found = beside(path)?;
            if found.is_empty() {
                bail!("{} holds no .trajectory files", shown_path(path));
            }
            files.extend(found.into_iter().map(|trace| trace.path));
        } else {
            files.push(path.clone());
        }
    }
    Ok(files.into_iter().map(|path| TraceFile::in_file(path, problems)).collect())
}

/// The trajectories of a folder, sorted, where there are any.
pub fn beside(folder: &Path) -> Result<Vec<TraceFile>> {
    let mut found = input::folder(folder)?;
    found.retain(|file| is_trajectory(file));
    found.sort();
    Ok(found.into_iter().map(|path| TraceFile::in_file(path, None)).collect())
}

/// Whether a file is named as trajectories are.
fn is_trajectory(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "trajectory") || amlgym_stem(file).is_some()
}

/// What comes before `_traj` in the name of a trajectory of AMLGym, such as `0_ferry_traj`.
fn amlgym_stem(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix("_traj").filter(|stem| !stem.is_empty())
}

/// Where AMLGym keeps the problems of the trajectories in a folder: `problems/learning/ferry` for
/// `trajectories/learning/ferry`.
fn amlgym_problems(folder: &Path) -> Option<PathBuf> {
    let kind = folder.parent()?;
    let root =
        kind.parent().filter(|root| root.file_name().is_some_and(|name| name == "trajectories"))?;
    Some(root.with_file_name("problems").join(kind.file_name()?).join(folder.file_name()?))
}

impl TraceFile {
    /// A trajectory in a file. Its problem has the same name (of AMLGym's `0_ferry_traj` it is
    /// `0_ferry_prob.pddl`), in the folder of problems; or beside it if it is there; or where
    /// AMLGym keeps it.
    fn in_file(path: PathBuf, problems: Option<&Path>) -> Self {
        let amlgym = amlgym_stem(&path).map(|stem| format!("{stem}_prob.pddl"));
        let beside = amlgym
            .as_ref()
            .map_or_else(|| path.with_extension("pddl"), |name| path.with_file_name(name));
        let problem = match (problems, beside.file_name()) {
            // It has no name that a problem could have, too.
            _ if is_standard(&path) => None,
            (Some(folder), Some(name)) => Some(folder.join(name)),
            _ => {
                let elsewhere =
                    amlgym.and_then(|name| Some(amlgym_problems(path.parent()?)?.join(name)));
                std::iter::once(beside).chain(elsewhere).find(|problem| problem.exists())
            }
        };
        TraceFile { path, problem, given: None }
    }

    /// A trajectory in memory.
    pub fn given(trajectory: Source, problem: Option<Source>) -> Self {
        let path = PathBuf::from(trajectory.name());
        let given = Given { trajectory: Arc::new(trajectory), problem: problem.map(Arc::new) };
        TraceFile { path, problem: None, given: Some(given) }
    }

    /// The text of the trajectory, which is read once.
    pub fn source(&self) -> Result<Arc<Source>, ReadError> {
        match &self.given {
            Some(given) => Ok(Arc::clone(&given.trajectory)),
            None => input::source(&self.path).map(Arc::new),
        }
    }

    /// The objects that its problem declares, or that its own facts name. A warning about the
    /// initial values of the problem would say nothing about the trajectory, which has states of
    /// its own.
    pub fn objects(
        &self,
        source: &Source,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Objects, ReadError> {
        let given = self.given.as_ref().and_then(|given| given.problem.as_deref());
        let problem = match (&self.problem, given) {
            (Some(problem), _) => input::problem(problem, domain, numbers)?.0,
            (None, Some(problem)) => read_published_problem(problem, domain, numbers)?.0,
            (None, None) => return infer_objects(source, domain),
        };
        with_chosen_numbers(problem.objects, source, domain)
    }
}

/// Trajectories as a recording.
pub struct TraceFiles<'a>(pub &'a [TraceFile]);

impl Texts for TraceFiles<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn source(&self, trace: usize) -> Result<Arc<Source>, ReadError> {
        self.0[trace].source()
    }

    fn objects(
        &self,
        trace: usize,
        source: &Source,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Cow<'_, Objects>, ReadError> {
        self.0[trace].objects(source, domain, numbers).map(Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn folders_of_amlgym_are_read_as_they_are() {
        let root = tempfile::tempdir().unwrap();
        let (traces, problems) = (
            root.path().join("trajectories/learning/ferry"),
            root.path().join("problems/learning/ferry"),
        );
        for folder in [&traces, &problems] {
            fs::create_dir_all(folder).unwrap();
        }
        for name in ["0_ferry_traj", "1_ferry_traj", "10_ferry_traj", "notes.txt", "_traj"] {
            fs::write(traces.join(name), "").unwrap();
        }
        fs::write(problems.join("0_ferry_prob.pddl"), "").unwrap();
        fs::write(traces.join("1_ferry_prob.pddl"), "").unwrap();
        let found = find(std::slice::from_ref(&traces), None).unwrap();
        let names: Vec<_> =
            found.iter().map(|trace| trace.path.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["0_ferry_traj", "10_ferry_traj", "1_ferry_traj"]);
        let of: Vec<_> = found.iter().map(|trace| trace.problem.clone()).collect();
        assert_eq!(
            of,
            [
                Some(problems.join("0_ferry_prob.pddl")),
                None,
                Some(traces.join("1_ferry_prob.pddl"))
            ]
        );
        // A folder that is named is where the problems are.
        let given = find(&[traces.join("0_ferry_traj")], Some(root.path())).unwrap();
        assert_eq!(given[0].problem, Some(root.path().join("0_ferry_prob.pddl")));
    }
}
