//! A learner that is a program of its own: `cmd {domain} {traces} {out}`.

use std::any::Any;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use surefoot_analysis::evaluate::aligned;
use surefoot_base::model::{Action, Domain};
use surefoot_base::pddl::{write_domain, write_trajectory};
use surefoot_learn::{LearnError, Learns, Model, Observed};

use crate::learners;
use crate::planner::place::on_path;
use crate::planner::process::{Invocation, run};
use crate::planner::supervise::{Ending, Limits};
use surefoot_io::input;

/// A learner as declared: a command that reads a domain without bodies and a folder of
/// trajectories, and writes a domain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CommandLearner {
    /// Its name in results.
    pub name: String,
    /// The command, with the places `{domain}`, `{traces}` and `{out}`.
    pub command: String,
    /// Seconds after which it is stopped.
    #[serde(default = "ten_minutes")]
    pub time_limit: f64,
}

fn ten_minutes() -> f64 {
    600.0
}

const PLACES: [&str; 3] = ["{domain}", "{traces}", "{out}"];

impl CommandLearner {
    /// Whether its name is its own, and the command can be run.
    pub fn check(&self) -> Result<()> {
        if learners::find(&self.name).is_some() {
            bail!("learner {}: this is the name of a built-in learner; choose another", self.name);
        }
        let words = self.words()?;
        for place in PLACES {
            if !words.iter().any(|word| word.contains(place)) {
                bail!("learner {}: the command has no {place}", self.name);
            }
        }
        match words.first() {
            Some(program) if on_path(program).is_some() => {}
            Some(program) => bail!("learner {}: there is no program `{program}`", self.name),
            None => bail!("learner {}: there is no command", self.name),
        }
        if !(self.time_limit > 0.0 && self.time_limit < 1e9) {
            bail!("learner {}: time-limit: expected seconds above zero", self.name);
        }
        Ok(())
    }

    fn words(&self) -> Result<Vec<String>> {
        shlex::split(&self.command)
            .with_context(|| format!("learner {}: a quote is not closed", self.name))
    }

    /// One that has observed nothing.
    pub fn start(&self, domain: &Domain) -> Box<dyn Learns> {
        Box::new(Process {
            declared: self.clone(),
            domain: Arc::new(domain.clone()),
            traces: Vec::new(),
        })
    }
}

/// What a program is shown when it is asked for its model.
struct Process {
    declared: CommandLearner,
    domain: Arc<Domain>,
    /// Trajectories, as text.
    traces: Vec<String>,
}

impl Learns for Process {
    fn observe(&mut self, trace: &Observed<'_>) -> Result<(), LearnError> {
        self.traces.push(write_trajectory(&self.domain, trace.objects, trace.trajectory));
        Ok(())
    }

    fn merge(&mut self, other: &dyn Learns) -> Result<(), LearnError> {
        match other.as_any().downcast_ref::<Process>() {
            Some(other) if other.declared == self.declared => {
                self.traces.extend(other.traces.iter().cloned());
                Ok(())
            }
            _ => Err(LearnError::Other("these learners are of different kinds".into())),
        }
    }

    fn conclude(&self) -> Result<Model, LearnError> {
        self.run().map_err(|error| {
            LearnError::Other(format!("learner {}: {error:#}", self.declared.name))
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Process {
    fn run(&self) -> Result<Model> {
        let scratch = tempfile::tempdir()?;
        let (domain, traces, out) = (
            scratch.path().join("domain.pddl"),
            scratch.path().join("traces"),
            scratch.path().join("learned.pddl"),
        );
        fs::create_dir(&traces)?;
        fs::write(&domain, write_domain(&without_bodies(&self.domain)))?;
        for (number, text) in self.traces.iter().enumerate() {
            fs::write(traces.join(format!("trace{number:05}.trajectory")), text)?;
        }
        let places = [("{domain}", domain.as_path()), ("{traces}", &traces), ("{out}", &out)];
        let mut words = self
            .declared
            .words()?
            .iter()
            .map(|word| filled(word, &places))
            .collect::<Vec<_>>()
            .into_iter();
        let program = words.next().context("there is no command")?;
        let invocation = Invocation { program, arguments: words.collect(), folder: None };
        let limits = Limits {
            time: Some(Duration::from_secs_f64(self.declared.time_limit)),
            ..Limits::default()
        };
        let done = run(&invocation, &limits, scratch.path(), &|| true)?;
        match done.ending {
            Ending::Exited(0) => {}
            Ending::TimeLimit => bail!("no model within {} s", self.declared.time_limit),
            _ => bail!(
                "{}: {}",
                done.ended(),
                done.stderr.lines().last().unwrap_or("it said nothing")
            ),
        }
        if !out.exists() {
            bail!("it wrote no model");
        }
        let learned = aligned(&input::domain(&out)?, &self.domain)?;
        let bodies = self
            .domain
            .action_ids()
            .map(|id| body(&learned, self.domain.action_name(id)))
            .collect();
        let warning = "this model was made by a program that promises nothing: what it allows may \
                       fail in the real world.";
        Ok(Model::of_other(Arc::clone(&self.domain), &*self.declared.name, warning, bodies))
    }
}

/// A word of a command, with paths for the names in braces.
fn filled(word: &str, places: &[(&str, &Path)]) -> OsString {
    let mut word = word.to_owned();
    for (name, path) in places {
        word = word.replace(name, &path.to_string_lossy());
    }
    word.into()
}

/// An action of the model that a program wrote, or why there is none.
fn body(learned: &Domain, name: &str) -> Result<Action, String> {
    match learned.actions.find(name) {
        Some(place) => Ok(learned.actions.value(place).clone()),
        None => Err("not in the model it wrote".to_owned()),
    }
}

fn without_bodies(domain: &Domain) -> Domain {
    surefoot_base::certificate::vocabulary_of(domain)
}
