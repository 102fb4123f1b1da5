//! Where records come from: files of trajectories, and logs, behind one recording.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use surefoot_base::assumptions::Spec;
use surefoot_base::model::Domain;
use surefoot_base::pddl::{Numbers, ReadError};
use surefoot_io::corpus::{TraceFile, TraceFiles};
use surefoot_learn::{Provenance, Recording, Trace, Visit};
use surefoot_log::Log as CoreLog;

use crate::error::wrong_value;
use crate::learner::{found, paths};
use crate::log::{Log, refused};

/// Trajectories, and after them the episodes of logs.
#[derive(Clone, Default)]
pub struct RecordSources {
    pub files: Vec<TraceFile>,
    pub logs: Vec<Arc<CoreLog>>,
}

impl RecordSources {
    /// What paths or a log stand for; `None` where a value is neither. With a map, paths are those
    /// of logs, and a data frame is one.
    pub fn of(
        py: Python<'_>,
        what: &Bound<'_, PyAny>,
        map: Option<&Bound<'_, PyAny>>,
        problems: Option<PathBuf>,
    ) -> PyResult<Option<Self>> {
        if let Ok(log) = what.cast::<Log>() {
            return Ok(Some(RecordSources {
                files: Vec::new(),
                logs: vec![Arc::clone(&log.get().core)],
            }));
        }
        if let Some(map) = map {
            let log = match paths(what)? {
                Some(_) => Bound::new(py, Log::read(py, what, map)?)?.into_any(),
                None => {
                    py.import("surefoot._frames")?.getattr("from_dataframe")?.call1((what, map))?
                }
            };
            return RecordSources::of(py, &log, None, None);
        }
        match paths(what)? {
            Some(paths) => {
                Ok(Some(RecordSources { files: found(py, paths, problems)?, logs: Vec::new() }))
            }
            None => Ok(None),
        }
    }

    /// Adds others.
    pub fn extend(&mut self, other: &RecordSources) {
        self.files.extend(other.files.iter().cloned());
        self.logs.extend(other.logs.iter().cloned());
    }

    /// Whether the map of a log declares parts of an action.
    pub fn has_parts(&self) -> bool {
        self.logs.iter().any(|log| !log.meaning().split.is_empty())
    }

    /// What is learned from the records: the spec that was asked for, with the parts that the maps
    /// of logs declare.
    pub fn with_parts(&self, spec: Spec) -> PyResult<Spec> {
        self.logs.iter().try_fold(spec, |spec, log| log.meaning().with_parts(spec).map_err(refused))
    }

    /// Refuses a learner that lacks parts which the map of a log declares.
    pub fn check_parts(&self, spec: &Spec) -> PyResult<()> {
        for log in &self.logs {
            if let Some(sentence) = log.meaning().missing_parts(spec).map_err(refused)?.first() {
                return Err(wrong_value(format!(
                    "the map of the log declares what this learner does not assume: make the \
                     learner with parts=log.parts ({sentence})"
                )));
            }
        }
        Ok(())
    }

    fn with<T>(&self, trace: usize, ask: impl FnOnce(&dyn Recording, usize) -> T) -> T {
        let Some(mut place) = trace.checked_sub(self.files.len()) else {
            return ask(&TraceFiles(&self.files), trace);
        };
        for log in &self.logs {
            match place.checked_sub(log.traces()) {
                None => return ask(&**log, place),
                Some(rest) => place = rest,
            }
        }
        ask(&TraceFiles(&[]), place)
    }
}

impl Recording for RecordSources {
    fn traces(&self) -> usize {
        self.files.len() + self.logs.iter().map(|log| log.traces()).sum::<usize>()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        self.with(trace, |recording, place| {
            recording.read(place, domain, numbers, with_digest, visit)
        })
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        self.with(trace, |recording, place| recording.digest(place))
    }

    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        self.with(trace, |recording, place| recording.text(place, domain, numbers))
    }
}
