//! Models after more and more traces. Evidence is made once, and shared by all settings of one
//! class.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::learners;
use anyhow::{Context, Result};
use surefoot_analysis::evaluate::{self, LogScore};
use surefoot_base::assumptions::{DIALS, DialGroup, Spec};
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{Numbers, ReadError, Source};
use surefoot_learn::Settings;
use surefoot_learn::{Job, Learner, Model, OnBadData, Reading, Texts, Unwatched, learn_with};

use super::config::{Config, ExperimentCell};
use super::source::{Material, Shared};

/// What was seen in some number of traces.
pub struct Prefix {
    /// What was learned from the traces.
    pub learner: Learner,
    /// By action: how many steps.
    pub steps: Vec<usize>,
    /// Whether some events are left out of this: steps that no model explains whatever else was
    /// seen, and attempts that failed.
    pub anomalous: bool,
    /// How long it took to read, observe and remember them, by the clock.
    pub seconds: f64,
}

/// A model, and how long it took to learn it: cells share what was observed, and each counts the
/// time for its own traces.
pub struct TimedModel {
    /// The learned model.
    pub model: Model,
    /// How long that took, in seconds of the clock.
    pub seconds: f64,
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
    let dials = DIALS.iter().filter(|dial| dial.group == DialGroup::Class);
    dials.map(|dial| format!("{} {}\n", dial.name, spec.get(dial))).collect()
}

impl Lessons {
    /// What was seen after each of the given numbers of traces of a fold.
    pub fn prefixes(
        &self,
        material: &Material,
        fold: usize,
        spec: &Spec,
        numbers: &BTreeSet<usize>,
    ) -> Result<Arc<Prefixes>> {
        let key = (fold, class_key(spec));
        let slot = Arc::clone(
            self.made.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default(),
        );
        let made = slot.get_or_init(|| {
            prefixes(material, fold, spec, numbers)
                .map(Arc::new)
                .map_err(|error| format!("{error:#}"))
        });
        made.clone().map_err(anyhow::Error::msg)
    }
}

fn prefixes(
    material: &Material,
    fold: usize,
    spec: &Spec,
    numbers: &BTreeSet<usize>,
) -> Result<Prefixes> {
    let mut learner = Learner::of(&material.domain, spec)?;
    let mut steps = vec![0; material.domain.actions.len()];
    let mut anomalous = false;
    let seen = material.seen(spec.decimals)?;
    let train = &material.folds[fold].train;
    let mut prefixes = Prefixes::new();
    let mut seconds = 0.0;
    for count in 1..=train.len() {
        let trace = &seen[train[count - 1]];
        let start = Instant::now();
        learner.assume(trace.assumed.clone());
        for step in &trace.steps {
            steps[step.action.index()] += 1;
            match &step.observation {
                Ok(observation) => learner.observe(step.action, observation),
                Err(_) => anomalous = true,
            }
        }
        anomalous |= trace.has_failures;
        seconds += trace.seconds + start.elapsed().as_secs_f64();
        if numbers.contains(&count) {
            prefixes.insert(
                count,
                Prefix { learner: learner.clone(), steps: steps.clone(), anomalous, seconds },
            );
        }
    }
    Ok(prefixes)
}

/// Some traces of a domain: those that a cell learns from, or is tested on.
struct Train<'a> {
    material: &'a Material,
    traces: &'a [usize],
}

impl Texts for Train<'_> {
    fn len(&self) -> usize {
        self.traces.len()
    }

    fn source(&self, trace: usize) -> Result<Arc<Source>, ReadError> {
        self.material.trajectory(self.traces[trace]).map(Arc::new)
    }

    fn objects(
        &self,
        trace: usize,
        _: &Source,
        _: &Domain,
        _: Numbers,
    ) -> Result<Cow<'_, Objects>, ReadError> {
        Ok(Cow::Borrowed(&self.material.problems[self.traces[trace]].1.objects))
    }
}

/// The numbers of traces of a cell's domain.
pub fn numbers(config: &Config, cell: &ExperimentCell) -> BTreeSet<usize> {
    config.domains[cell.domain].traces.as_ref().unwrap_or(&config.traces).iter().copied().collect()
}

/// The model of a cell: what its learner makes of its traces.
pub fn model(config: &Config, cell: &ExperimentCell, material: &Material) -> Result<Model> {
    Ok(timed_model(config, cell, material)?.model)
}

/// The model of a cell, and how long its learner took.
pub fn timed_model(
    config: &Config,
    cell: &ExperimentCell,
    material: &Material,
) -> Result<TimedModel> {
    let mut spec = config.spec(cell)?;
    let train = &material.folds[cell.fold].train;
    let traces = train
        .get(..cell.traces)
        .with_context(|| format!("there are fewer than {} traces to learn from", cell.traces))?;
    let train = Train { material, traces };
    let name = config.learner(cell);
    let start = Instant::now();
    if let Some(command) = config.command(name) {
        let numbers = material.numbers(spec.decimals);
        let model = learn_with(
            command.start(&material.domain),
            &material.domain,
            numbers,
            &train,
            &Unwatched,
        )?;
        return Ok(TimedModel { model, seconds: start.elapsed().as_secs_f64() });
    }
    let kind = learners::find(name).with_context(|| format!("there is no learner {name}"))?;
    if !kind.is_safe() {
        // What the domain says belongs to it, and not to what this learner was asked for.
        let usual = Spec::default();
        for dial in DIALS.iter().filter(|dial| {
            ["relevant", "degree"].contains(&dial.name) && !kind.dials.contains(&dial.name)
        }) {
            spec.set(dial.name, usual.get(dial))?;
        }
        kind.check_dials(&spec)?;
        let learner = (kind.start)(&material.domain, &spec)?;
        let model = learn_with(
            learner,
            &material.domain,
            material.numbers(spec.decimals),
            &train,
            &Unwatched,
        )?;
        return Ok(TimedModel { model, seconds: start.elapsed().as_secs_f64() });
    }
    safe(config, cell, material, &spec, &train)
}

/// What a model says of the test traces of its fold, whose numbers are read as those that it was
/// learned from.
pub fn score(
    config: &Config,
    cell: &ExperimentCell,
    material: &Material,
    model: &Model,
) -> Result<LogScore> {
    let test = Train { material, traces: &material.folds[cell.fold].test };
    let none = BTreeMap::new();
    let errors = model.grounds().map_or(&none, |grounds| &grounds.learner.class().errors);
    let numbers = material.numbers(config.spec(cell)?.decimals);
    let unchanged = model.grounds().is_some_and(|grounds| grounds.settings.unchanged_failed);
    Ok(evaluate::score(
        &material.domain,
        model.for_planning(),
        errors,
        numbers,
        unchanged,
        &test,
        &Unwatched,
    )?)
}

/// The model of a safe learner, from evidence that cells share.
fn safe(
    config: &Config,
    cell: &ExperimentCell,
    material: &Material,
    spec: &Spec,
    train: &Train<'_>,
) -> Result<TimedModel> {
    let prefixes = material.lessons.prefixes(material, cell.fold, spec, &numbers(config, cell))?;
    let prefix = prefixes
        .get(&cell.traces)
        .with_context(|| format!("there are fewer than {} traces to learn from", cell.traces))?;
    let clock = Instant::now();
    let start = prefix.learner.empty();
    let settings = Settings::of_spec(spec, &start)?;
    let on_bad: OnBadData = config.domains[cell.domain].on_bad_data;
    let job = Job {
        start: &start,
        settings: &settings,
        recording: train,
        policy: on_bad.into(),
        digests: false,
        progress: &Unwatched,
    };
    // What a step that changed nothing means is told by all traces together.
    if prefix.anomalous || settings.unchanged_failed {
        let model = job.run()?;
        return Ok(TimedModel { model, seconds: clock.elapsed().as_secs_f64() });
    }
    let reading = Reading {
        learner: prefix.learner.clone(),
        steps: prefix.steps.clone(),
        attempts: Vec::new(),
        // Experiments do not learn actions by parts.
        outside: Vec::new(),
        findings: Vec::new(),
    };
    let model = job.conclude(reading)?;
    Ok(TimedModel { model, seconds: prefix.seconds + clock.elapsed().as_secs_f64() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::fs;
    use std::path::Path;

    use surefoot_learn::Policy;

    use super::*;
    use surefoot_io::corpus::{self, TraceFiles};
    use surefoot_io::input;

    /// Ten records of a tank, of which one step in the fifth is a recording error.
    fn records(folder: &Path) {
        let domain = "(define (domain tanks) (:requirements :typing :fluents) (:types tank) \
                      (:predicates (open ?t - tank))
            (:functions (level ?t - tank)) (:action fill :parameters (?t - tank) :precondition \
                      (and (open ?t) (<= (level ?t) 90))
            :effect (and (increase (level ?t) 2))))";
        fs::write(folder.join("domain.pddl"), domain).unwrap();
        for number in 0..10 {
            let level = |step: usize| 3 * number + 2 * step + usize::from(number == 4 && step == 6);
            let state = |step: usize| format!("(open a) (= (level a) {})", level(step));
            let mut text = format!("((:init {})\n", state(0));
            (1..=6).for_each(|step| {
                text += &format!("(operator: (fill a))\n(:state {})\n", state(step))
            });
            fs::write(folder.join(format!("p{number}.trajectory")), text + ")\n").unwrap();
            let problem = format!(
                "(define (problem p{number}) (:domain tanks) (:objects a - tank) (:init {}) (:goal \
                 (and (>= (level a) 1))))",
                state(0)
            );
            fs::write(folder.join(format!("p{number}.pddl")), problem).unwrap();
        }
    }

    fn config(folder: &Path, on_bad_data: &str) -> Config {
        let text = format!(
            "folds = 2\ntraces = [5]\nalgorithms = \
             [\"nsam\", \"nsam-star\", \"sam\"]\n[[setting]]\nname = \"plain\"\n\
             [[setting]]\nname = \"told\"\narity = 1\npositive-preconditions = true\n\
             [[domain]]\nname = \"tanks\"\nfolder = {folder:?}\non-bad-data \
             = \"{on_bad_data}\"\n"
        );
        fs::write(folder.join("config.toml"), text).unwrap();
        Config::read(&folder.join("config.toml"), None).unwrap()
    }

    #[test]
    fn an_experiment_learns_what_the_command_learns_to_the_byte_whatever_is_done_about_bad_data() {
        let folder = tempfile::tempdir().unwrap();
        records(folder.path());
        // An experiment calls a trace by its name alone.
        let beside = format!("{}/", folder.path().display());
        let named = |text: &str| text.replace(&beside, "");
        for on_bad_data in ["stop", "skip-action", "quarantine"] {
            let config = config(folder.path(), on_bad_data);
            let material = Material::load(&config, &config.domains[0]).unwrap();
            let mut failed = 0;
            for cell in config.cells() {
                let train = material.folds[cell.fold].train.iter().take(cell.traces);
                let paths: Vec<_> = train
                    .map(|&index| {
                        folder.path().join(format!("{}.trajectory", material.problems[index].0))
                    })
                    .collect();
                let traces = corpus::find(&paths, None).unwrap();
                let spec = config.spec(&cell).unwrap();
                let start =
                    Learner::of(&input::domain(&folder.path().join("domain.pddl")).unwrap(), &spec)
                        .unwrap();
                let settings = Settings::of_spec(&spec, &start).unwrap();
                let policy: Policy = config.domains[0].on_bad_data.into();
                let recording = &TraceFiles(&traces);
                let job = Job {
                    start: &start,
                    settings: &settings,
                    recording,
                    policy,
                    digests: true,
                    progress: &Unwatched,
                };
                match (job.run(), model(&config, &cell, &material)) {
                    (Ok(one), Ok(other)) => {
                        assert_eq!(named(&one.to_pddl()), other.to_pddl(), "{on_bad_data} {cell:?}")
                    }
                    (Err(one), Err(other)) => {
                        failed += 1;
                        assert_eq!(named(&one.to_string()), format!("{other:#}"));
                    }
                    (one, other) => {
                        panic!("{on_bad_data} {cell:?}: {:?}, {:?}", one.err(), other.err())
                    }
                }
            }
            assert_eq!(failed > 0, on_bad_data == "stop");
        }
    }

    #[test]
    fn steps_that_an_experiment_sets_aside_are_among_its_assumptions() {
        let folder = tempfile::tempdir().unwrap();
        records(folder.path());
        let config = config(folder.path(), "quarantine");
        let material = Material::load(&config, &config.domains[0]).unwrap();
        let models =
            config.cells().into_iter().map(|cell| model(&config, &cell, &material).unwrap());
        let told = |model: &Model| {
            model.promise().contains("Set aside, on the assumption that it was recorded wrongly:")
        };
        assert!(models.into_iter().any(|model| told(&model)));
    }
}
