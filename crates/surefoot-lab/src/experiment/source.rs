//! The data of an experiment: a domain, its problems and traces, read once and shared by all cells.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use surefoot_analysis::evaluate::{Dataset, Walks, wander};
use surefoot_base::advice::{Advice, Setting, Text};
use surefoot_base::certificate::digest;
use surefoot_base::model::compiled::Compiled;
use surefoot_base::model::{ActionId, Domain, Event, Problem};
use surefoot_base::pddl::{
    Diagnostic, Numbers, Plan, ReadError, Source, Trajectory, TrajectoryReader, Warning,
    assumed_by, write_trajectory,
};
use surefoot_base::random::Random;
use surefoot_base::validate::trace;
use surefoot_learn::{Anomaly, Class, Learner, Observation};

use super::config::{Config, DomainConfig, Measured};
use super::folds::{Fold, split};
use super::learning::Lessons;
use crate::generate::{self, Generated, Generator, Sizes};
use crate::truth::Truth;
use surefoot_io::corpus::{self, TraceFiles};
use surefoot_io::input;
use surefoot_io::output::{shown_path, warn};

/// Where the problems and traces of a domain are.
pub enum DataOrigin {
    /// Problems, and trajectories beside them.
    Files {
        /// The path of the domain.
        domain: PathBuf,
        /// The paths of the problems that have a trajectory beside them.
        problems: Vec<PathBuf>,
    },
    /// A built-in domain's generator, and how many problems of which seed and sizes; their traces
    /// are those of the plans it gives.
    Generated {
        /// The generator of the built-in domain.
        generator: &'static Generator,
        /// The seed of the generator.
        seed: u64,
        /// The number of problems to generate.
        count: usize,
        /// The sizes of the problems.
        sizes: Sizes,
        /// Random steps before each plan.
        wander: usize,
    },
}

/// A step as learners see it, or what about it no model explains.
#[derive(PartialEq)]
pub struct ObservedStep {
    /// Which action was taken.
    pub action: ActionId,
    /// What the step shows, or why it is not one of the class.
    pub observation: Result<Observation, Anomaly>,
}

/// The steps of a trace as learners see them.
pub struct ObservedTrace {
    /// What was taken for granted when the trace was made.
    pub assumed: BTreeSet<String>,
    /// The steps, in order.
    pub steps: Vec<ObservedStep>,
    /// Whether it has attempts that failed, which are not among the steps.
    pub has_failures: bool,
    /// How long it took to read and observe them, by the clock.
    pub seconds: f64,
}

/// Traces are the same if what is seen in them is: clocks do not matter.
impl PartialEq for ObservedTrace {
    fn eq(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}

type ObservedTraces = Vec<ObservedTrace>;

/// A domain with all that its cells share.
pub struct Material {
    /// The real domain, which learners never see.
    pub domain: Domain,
    /// The problems, each with its name.
    pub problems: Vec<(String, Problem)>,
    /// How the traces are divided.
    pub folds: Vec<Fold>,
    /// By fold: the steps that models are tested on.
    pub datasets: Vec<Dataset>,
    origin: DataOrigin,
    numbers: Numbers,
    /// By decimals of the recorded numbers: by trace, its steps.
    seen: Mutex<BTreeMap<Option<u32>, Shared<ObservedTraces>>>,
    /// By what is fixed when a learner is made: learners after growing numbers of traces.
    pub lessons: Lessons,
}

/// A value made once, by whoever comes first, without keeping others from other values; or why it
/// cannot be.
pub type Shared<T> = Arc<OnceLock<Result<Arc<T>, String>>>;

impl DataOrigin {
    /// Where a configured domain's data are; says what is missing.
    pub fn find(config: &Config, domain: &DomainConfig) -> Result<Self> {
        match (&domain.folder, &domain.generate) {
            (Some(folder), _) => {
                let entries = fs::read_dir(folder).with_context(|| {
                    let folder = shown_path(folder);
                    Text::from(format!("domain {}: cannot read folder {folder} (", domain.name))
                        + Advice::named(Setting::Files("traces-root"))
                        + " says where folders are)"
                })?;
                let mut problems: Vec<PathBuf> =
                    entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
                problems.retain(|file| {
                    file.extension().is_some_and(|end| end == "pddl")
                        && file.with_extension("trajectory").exists()
                });
                problems.sort();
                if let Some(most) = domain.problems
                    && most < problems.len()
                {
                    Random::for_part(config.seed, &format!("problems of {}", domain.name))
                        .shuffle(&mut problems);
                    problems.truncate(most);
                    problems.sort();
                }
                if problems.len() < config.folds {
                    bail!(
                        "{}: expected at least {} problems with a trajectory beside each",
                        shown_path(folder),
                        config.folds
                    );
                }
                Ok(DataOrigin::Files { domain: folder.join("domain.pddl"), problems })
            }
            (None, Some(name)) => {
                let generator = generate::find(name).with_context(|| {
                    format!(
                        "domain {}: there is no built-in domain {name} to generate; there are {}",
                        domain.name,
                        generate::names()
                    )
                })?;
                let mut sizes = Sizes::usual(generator.sizes);
                for (size, range) in &domain.sizes {
                    sizes
                        .set(&format!("{size}={range}"))
                        .map_err(|error| anyhow::anyhow!("domain {}: {error}", domain.name))?;
                }
                let count = domain.problems.unwrap_or(100);
                if count < config.folds {
                    bail!("domain {}: expected at least {} problems", domain.name, config.folds);
                }
                Ok(DataOrigin::Generated {
                    generator,
                    seed: config.seed,
                    count,
                    sizes,
                    wander: domain.wander,
                })
            }
            (None, None) => bail!("domain {}: expected a folder or what to generate", domain.name),
        }
    }

    /// How many problems there are.
    pub fn problems(&self) -> usize {
        match self {
            DataOrigin::Files { problems, .. } => problems.len(),
            DataOrigin::Generated { count, .. } => *count,
        }
    }

    /// What tells these data from others: the names of files and the digests of their contents.
    pub fn fingerprint(&self) -> Result<Vec<String>> {
        match self {
            DataOrigin::Files { domain, problems } => {
                let files: Vec<PathBuf> = std::iter::once(domain.clone())
                    .chain(problems.iter().flat_map(|problem| {
                        [problem.clone(), problem.with_extension("trajectory")]
                    }))
                    .collect();
                files.par_iter().map(|file| file_fingerprint(file)).collect()
            }
            // The configuration says all but the text of the domain.
            DataOrigin::Generated { generator, .. } => {
                Ok(vec![format!("domain.pddl {}", digest(generator.text))])
            }
        }
    }

    /// The real domain, which learners never see.
    pub fn domain(&self) -> Result<Domain> {
        match self {
            DataOrigin::Files { domain, .. } => Ok(input::domain(domain)?),
            DataOrigin::Generated { generator, .. } => generator.domain(),
        }
    }

    /// Stops where the domain is taken for the real one and does not replay the traces. Generated
    /// traces are those of its own plans.
    pub fn check_truth(
        &self,
        config: &Config,
        configured: &DomainConfig,
        domain: &Domain,
    ) -> Result<()> {
        let (Measured::Domain, DataOrigin::Files { domain: file, problems }) =
            (configured.truth, self)
        else {
            return Ok(());
        };
        let paths: Vec<PathBuf> =
            problems.iter().map(|problem| problem.with_extension("trajectory")).collect();
        let truth = Truth {
            domain,
            name: &shown_path(file),
            tolerance: &config.test.tolerance,
            errors: &config.errors(domain),
            numbers: configured.decimals.map_or(Numbers::Exact, Numbers::Decimals),
            rounding: "`decimals = 6` under [[domain]]".into(),
            quarantine: "`on-bad-data = \"quarantine\"` under [[domain]]".into(),
            on_bad_data: configured.on_bad_data,
        };
        truth
            .replays(&TraceFiles(&corpus::find(&paths, None)?))
            .with_context(|| format!("domain {}", configured.name))
    }

    fn problem(
        &self,
        domain: &Domain,
        index: usize,
        numbers: Numbers,
    ) -> Result<(String, Problem, Vec<Warning>)> {
        match self {
            DataOrigin::Files { problems, .. } => {
                let file = &problems[index];
                let name = file.file_stem().map(shown_path).unwrap_or_default();
                let (problem, warnings) = input::problem(file, domain, numbers)?;
                Ok((name, problem, warnings))
            }
            DataOrigin::Generated { generator, seed, sizes, .. } => {
                let generated = generator.problem(domain, *seed, index as u64, sizes)?;
                Ok((generated.name, generated.problem, Vec::new()))
            }
        }
    }

    /// The trajectory of a problem, as text.
    fn trajectory(&self, domain: &Domain, index: usize) -> Result<Source> {
        match self {
            DataOrigin::Files { problems, .. } => {
                Ok(input::source(&problems[index].with_extension("trajectory"))?)
            }
            DataOrigin::Generated { generator, seed, sizes, wander: steps, .. } => {
                let generated = generator.problem(domain, *seed, index as u64, sizes)?;
                let mut trajectory = generated_trace(domain, &generated, &generated.plan)?;
                if let (true, Some(end)) = (*steps > 0, trajectory.states.last()) {
                    let mut universe = trajectory.universe.clone();
                    let random =
                        &mut Random::for_part(*seed, &format!("wandering in {}", generated.name));
                    let more = wander(
                        &Compiled::new(domain),
                        &generated.problem.objects,
                        &mut universe,
                        end,
                        *steps,
                        random,
                    );
                    let all = trajectory.actions.iter().cloned().chain(more);
                    trajectory = generated_trace(domain, &generated, &Plan::of(all))?;
                }
                let text = write_trajectory(domain, &generated.problem.objects, &trajectory);
                Ok(Source::new(format!("{}.trajectory", generated.name), text))
            }
        }
    }
}

/// The name of a file and the digest of its contents.
fn file_fingerprint(file: &Path) -> Result<String> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(format!("{name} {}", digest(input::source(file)?.text())))
}

/// The trace of a plan of a generated problem.
fn generated_trace(domain: &Domain, generated: &Generated, plan: &Plan) -> Result<Trajectory> {
    trace(domain, &generated.problem, plan).map_err(|failed| {
        anyhow::anyhow!("step {} of a plan of {} cannot be taken", failed.index + 1, generated.name)
    })
}

/// What the problems of a domain are read with.
struct ProblemReader<'a> {
    config: &'a Config,
    configured: &'a DomainConfig,
    origin: &'a DataOrigin,
    domain: &'a Domain,
    compiled: Compiled<'a>,
    numbers: Numbers,
}

/// What a problem comes to.
struct ReadProblem {
    name: String,
    problem: Problem,
    /// What was passed over in it.
    warnings: Vec<Warning>,
    /// The steps to test on that its trace and walks give.
    dataset: Dataset,
}

impl ProblemReader<'_> {
    fn read(&self, index: usize) -> Result<ReadProblem> {
        let ProblemReader { config, configured, origin, domain, ref compiled, numbers } = *self;
        let (name, problem, warnings) = origin.problem(domain, index, numbers)?;
        let mut dataset = Dataset::default();
        if configured.truth == Measured::None {
            return Ok(ReadProblem { name, problem, warnings, dataset });
        }
        let trace = Trajectory::read(
            &origin.trajectory(domain, index)?,
            domain,
            &problem.objects,
            numbers,
        )?;
        dataset.add_trace(compiled, &problem.objects, &trace);
        let walks = Walks {
            count: config.test.walks,
            steps: config.test.steps,
            inapplicable: config.test.inapplicable,
        };
        let part = format!("walks of {} {name}", configured.name);
        dataset.add_walks(compiled, &problem, &walks, &mut Random::for_part(config.seed, &part));
        Ok(ReadProblem { name, problem, warnings, dataset })
    }
}

impl Material {
    /// Reads everything that does not depend on a setting.
    pub fn load(config: &Config, configured: &DomainConfig) -> Result<Self> {
        let origin = DataOrigin::find(config, configured)?;
        let domain = origin.domain()?;
        let numbers = configured.decimals.map_or(Numbers::Exact, Numbers::Decimals);
        let compiled = Compiled::with_tolerance(&domain, config.test.tolerance.number());
        let reader = ProblemReader {
            config,
            configured,
            origin: &origin,
            domain: &domain,
            compiled,
            numbers,
        };
        let parts: Vec<_> = (0..origin.problems())
            .into_par_iter()
            .map(|index| reader.read(index))
            .collect::<Result<_>>()?;
        let (mut problems, mut warnings, mut scenes) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            problems.push((part.name, part.problem));
            warnings.extend(part.warnings);
            scenes.push(part.dataset);
        }
        warn(&warnings);
        let folds = split(problems.len(), config.folds, config.seed, &configured.name);
        let mut datasets = Vec::new();
        for fold in &folds {
            let scenes =
                fold.test.iter().flat_map(|&index| std::mem::take(&mut scenes[index].scenes));
            datasets.push(Dataset { scenes: scenes.collect() });
        }
        let lessons = Lessons::default();
        Ok(Material {
            domain,
            problems,
            datasets,
            folds,
            origin,
            numbers,
            seen: Mutex::default(),
            lessons,
        })
    }

    /// By trace, its steps, with recorded numbers rounded to so many decimals (none: as the domain
    /// says).
    pub fn seen(&self, decimals: Option<u32>) -> Result<Arc<ObservedTraces>> {
        let slot = Arc::clone(
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).entry(decimals).or_default(),
        );
        let made = slot.get_or_init(|| {
            self.look(decimals).map(Arc::new).map_err(|error| format!("{error:#}"))
        });
        made.clone().map_err(anyhow::Error::msg)
    }

    /// Which problem a scene of a fold's tests is of, and whether it is the problem's trace; else
    /// it is of random walks.
    pub fn scene(&self, fold: usize, index: usize) -> (String, bool) {
        // Each problem gives its trace, then its walks.
        let problem =
            self.folds[fold].test.get(index / 2).map(|&problem| self.problems[problem].0.clone());
        (problem.unwrap_or_default(), index.is_multiple_of(2))
    }

    /// The trajectory of a problem, as text. Its name has no folder: results are the same wherever
    /// the data are.
    pub fn trajectory(&self, index: usize) -> Result<Source, ReadError> {
        let name = format!("{}.trajectory", self.problems[index].0);
        let read = self.origin.trajectory(&self.domain, index).map_err(|error| match error
            .downcast::<ReadError>()
        {
            Ok(error) => error,
            Err(other) => Diagnostic::of_file(&name, format!("{other:#}")).into(),
        })?;
        Ok(Source::new(name, read.text()))
    }

    /// How recorded numbers are read.
    pub fn numbers(&self, decimals: Option<u32>) -> Numbers {
        decimals.map_or(self.numbers, Numbers::Decimals)
    }

    fn look(&self, decimals: Option<u32>) -> Result<ObservedTraces> {
        let numbers = self.numbers(decimals);
        let linear =
            Learner::new(&self.domain, Class::default().with(|class| class.numbers = numbers))?;
        (0..self.problems.len())
            .into_par_iter()
            .map(|index| self.steps(index, &linear, numbers))
            .collect()
    }

    /// The steps of one trace, as a learner sees them.
    fn steps(&self, index: usize, learner: &Learner, numbers: Numbers) -> Result<ObservedTrace> {
        let source = self.trajectory(index)?;
        let start = Instant::now();
        let objects = &self.problems[index].1.objects;
        let mut reader = TrajectoryReader::new(&source, &self.domain, objects, numbers)?;
        let mut observer = learner.lens().observer();
        let mut steps = Vec::new();
        let mut has_failures = false;
        while let Some(entry) = reader.next_entry()? {
            match entry.event {
                Event::Worked(step) => {
                    steps.push(ObservedStep {
                        action: step.action.symbol,
                        observation: observer.observe_step(step),
                    });
                }
                Event::Failed(_) => has_failures = true,
            }
        }
        let (assumed, seconds) = (assumed_by(source.text()), start.elapsed().as_secs_f64());
        Ok(ObservedTrace { steps, assumed, has_failures, seconds })
    }
}
