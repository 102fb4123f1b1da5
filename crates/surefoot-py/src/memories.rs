//! Trajectories of Python as a recording whose steps can be told apart, so that some of them can be
//! set aside.

use std::fmt::Write;
use std::sync::Arc;

use pyo3::prelude::*;
use surefoot_base::certificate::digest;
use surefoot_base::model::{Domain, Event};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError};
use surefoot_learn::{Class, Provenance, Recorded, Recording, Visit};

use crate::memory::{PythonTrajectory, trajectories};
use crate::scene::NameScope;

/// Trajectories in memory, numbered from 0.
pub struct Memories {
    domain: Arc<Domain>,
    all: Vec<PythonTrajectory>,
}

impl Memories {
    /// Reads a trajectory, or a list of them.
    pub fn read(domain: &Arc<Domain>, what: &Bound<'_, PyAny>, class: &Class) -> PyResult<Self> {
        let several = trajectories(what).unwrap_or_else(|| vec![what.clone()]);
        let read = |one: &Bound<'_, PyAny>| {
            let mut scene = NameScope::new(one.py(), domain, None)?.with_errors(&class.errors);
            PythonTrajectory::read(&mut scene, one, class.numbers)
        };
        Ok(Memories {
            domain: Arc::clone(domain),
            all: several.iter().map(read).collect::<PyResult<_>>()?,
        })
    }
}

impl Recording for Memories {
    fn traces(&self) -> usize {
        self.all.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        self.all[trace].read(0, domain, numbers, false, &mut |recorded| {
            let name = match self.all.len() {
                1 => format!("step {}", recorded.index),
                _ => format!("step {} of trajectory {trace}", recorded.index),
            };
            let place = |message: String| Diagnostic::of_file(&name, message);
            let shown = Recorded::new(recorded.index, recorded.event, recorded.objects, &place);
            visit(&match recorded.ends() {
                Some(ends) => shown.between(ends),
                None => shown,
            })
        })?;
        with_digest.then(|| self.digest(trace)).transpose().map(Provenance::plain)
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        let mut text = String::new();
        self.all[trace].read(0, &self.domain, Numbers::Exact, false, &mut |recorded| {
            let _ = match recorded.event {
                Event::Worked(step) => {
                    writeln!(text, "{:?} {:?} {:?}", step.before, step.action, step.after)
                }
                Event::Failed(attempt) => {
                    writeln!(text, "{:?} {:?}", attempt.before, attempt.action)
                }
            };
            true
        })?;
        Ok(digest(&text))
    }
}
