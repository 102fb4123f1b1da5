//! Planners, ours and others', behind one call: a task in, a validated outcome out.
//!
//! ```ignore
//! let planner = Planner::parse("enhsp", &Setup::default())?;
//! let outcome = planner.solve(&domain, &problem, &Limits { time: Some(Duration::from_secs(30)), ..Limits::default() });
//! if let Conclusion::Solved { plan, metric } = outcome.result { ... }
//! ```

mod enhsp;
pub mod interrupt;
mod metric_ff;
pub mod process;
mod rewrite;
mod rounding;
mod saved;
pub mod supervise;
mod template;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use surefoot::exact::Rational;
use surefoot::model::{Domain, Problem};
use surefoot::pddl::{Plan, Source, read_plan, visible_lines, write_domain, write_problem};
use surefoot::plan::{self, Progress};
use surefoot::validate::{Verdict, validate};

use crate::output::shown_path;
use process::{Invocation, Run};
use rewrite::{Dialect, Rewritten, rewrite};
use supervise::Ending;
pub use supervise::Limits;

/// A planner that is there and can be called, from several threads at once.
#[derive(Clone, Debug)]
pub enum Planner {
    /// Our own.
    BuiltIn(BuiltIn),
    /// ENHSP, a jar.
    Enhsp(enhsp::Enhsp),
    /// Metric-FF, or what speaks like it.
    MetricFf(metric_ff::MetricFf),
    /// Any command.
    Template(template::Template),
}

/// How our own planner searches. The others have no such choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BuiltIn {
    /// Go on after the first plan, for a better one.
    pub minimize: bool,
    /// Breaks ties.
    pub seed: u64,
    /// How many cores it may use.
    pub threads: usize,
}

/// What planners are made with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Where ENHSP is; none: `SUREFOOT_ENHSP`, then the usual places.
    pub enhsp_jar: Option<PathBuf>,
    /// Where Metric-FF is; none: `SUREFOOT_METRIC_FF`, then the usual places.
    pub metric_ff: Option<PathBuf>,
    /// How our own planner searches.
    pub built_in: BuiltIn,
}

/// What a planner came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Conclusion {
    /// A plan, valid for the task in exact arithmetic, and the value of the metric after it.
    Solved {
        /// The plan.
        plan: Plan,
        /// The metric's value after it.
        metric: Option<Rational>,
    },
    /// There is no plan, by the planner's proof.
    Unsolvable,
    /// The planner gave up, or claims something it is known to be wrong about.
    Unknown(String),
    /// The time was up.
    TimeLimit,
    /// The memory was used up.
    MemoryLimit,
    /// The task uses something that the planner cannot read.
    Unsupported(String),
    /// The planner failed, for this reason; what it printed is in [`Outcome::output`].
    Failed(String),
    /// The planner returned a plan that is none: this step cannot be taken, or the goal does not hold afterwards.
    Rejected {
        /// What it returned.
        plan: Plan,
        /// What becomes of it.
        verdict: Verdict,
    },
    /// It was told to stop.
    Cancelled,
}

/// What became of a task, and what it took.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What the planner came to.
    pub result: Conclusion,
    /// By the clock, all attempts and our own work on files included.
    pub seconds: f64,
    /// What it took.
    pub effort: Effort,
    /// What the planner printed; empty for our own.
    pub output: Output,
}

/// How much work it was, as far as it is known.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Seconds on cores; for planners that are processes.
    pub cpu_seconds: Option<f64>,
    /// The most resident bytes; for planners that are processes.
    pub peak_bytes: Option<u64>,
    /// The search; for our own planner.
    pub search: Option<plan::Effort>,
}

/// What a planner printed, one attempt after the other, with characters that would steer a terminal made visible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// On standard output.
    pub stdout: String,
    /// On standard error.
    pub stderr: String,
}

/// Told where a search is (by our own planner; others just give the occasion). When it returns false the planner is stopped.
pub type Watch<'a> = dyn Fn(Option<&Progress>) -> bool + Sync + 'a;

impl Planner {
    /// The planner of a name (`builtin`, `enhsp`, `metric-ff`), or a command with `{domain}` and `{problem}` in it, and `{plan}`
    /// where it writes the plan to a file. Says what is missing when it cannot be called.
    pub fn parse(spec: &str, setup: &Setup) -> Result<Planner> {
        Ok(match spec.trim() {
            "builtin" => Planner::BuiltIn(setup.built_in),
            "enhsp" => Planner::Enhsp(enhsp::Enhsp::find(setup.enhsp_jar.as_deref())?),
            "metric-ff" => Planner::MetricFf(metric_ff::MetricFf::find(setup.metric_ff.as_deref())?),
            command if command.contains('{') => Planner::Template(template::Template::parse(command)?),
            unknown => bail!(
                "unknown planner `{unknown}`: expected builtin, enhsp, metric-ff, or a command with {{domain}} and {{problem}} in it"
            ),
        })
    }

    /// `builtin`, `enhsp`, `metric-ff`, or the name of the command's program.
    pub fn name(&self) -> &str {
        match self {
            Planner::BuiltIn(_) => "builtin",
            Planner::Enhsp(_) => "enhsp",
            Planner::MetricFf(_) => "metric-ff",
            Planner::Template(template) => template.name(),
        }
    }

    /// Looks for a plan. A plan that it returns was validated against this task, in exact arithmetic.
    pub fn solve(&self, domain: &Domain, problem: &Problem, limits: &Limits) -> Outcome {
        self.solve_watched(domain, problem, limits, &|_| true)
    }

    /// Looks for a plan until `watch` returns false or a signal is received.
    pub fn solve_watched(&self, domain: &Domain, problem: &Problem, limits: &Limits, watch: &Watch<'_>) -> Outcome {
        let start = Instant::now();
        let mut attempt = Attempt { domain, problem, limits, watch, start, effort: Effort::default(), output: Output::default() };
        let result = match self {
            Planner::BuiltIn(options) => attempt.built_in(options),
            Planner::Enhsp(enhsp) => enhsp.solve(&mut attempt),
            Planner::MetricFf(metric_ff) => metric_ff.solve(&mut attempt),
            Planner::Template(template) => template.solve(&mut attempt),
        };
        Outcome { result, seconds: start.elapsed().as_secs_f64(), effort: attempt.effort, output: attempt.output }
    }
}

/// One planner's work on one task, which may take several calls.
struct Attempt<'a> {
    domain: &'a Domain,
    problem: &'a Problem,
    limits: &'a Limits,
    watch: &'a Watch<'a>,
    start: Instant,
    effort: Effort,
    output: Output,
}

/// A rewritten task in files.
struct Files {
    folder: tempfile::TempDir,
    domain: PathBuf,
    problem: PathBuf,
    /// Where a plan may be written to; does not exist yet.
    plan: PathBuf,
    task: Rewritten,
}

impl Attempt<'_> {
    fn built_in(&mut self, options: &BuiltIn) -> Conclusion {
        let threads = options.threads.max(1);
        // On that many cores, no more processor time than allowed can pass in this time.
        let cpu = self.limits.cpu.map(|cpu| cpu / u32::try_from(threads).unwrap_or(u32::MAX));
        let time = [self.limits.time, cpu].into_iter().flatten().min();
        let memory = self.limits.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let options =
            plan::Options { limits: plan::Limits { time, memory }, minimize: options.minimize, seed: options.seed, threads };
        let stopped = std::sync::atomic::AtomicBool::new(false);
        let watch = |progress: &Progress| {
            let go_on = self.goes_on(Some(progress));
            if !go_on {
                stopped.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            go_on
        };
        let report = plan::plan(self.domain, self.problem, &options, &watch);
        self.effort.search = Some(report.effort);
        match report.outcome {
            plan::Outcome::Solved(plan) => self.checked(plan),
            plan::Outcome::Unsolvable => Conclusion::Unsolvable,
            plan::Outcome::TimeLimit if stopped.into_inner() => Conclusion::Cancelled,
            plan::Outcome::TimeLimit => Conclusion::TimeLimit,
            plan::Outcome::MemoryLimit => Conclusion::MemoryLimit,
            plan::Outcome::Fault(what) => Conclusion::Failed(what),
        }
    }

    fn goes_on(&self, progress: Option<&Progress>) -> bool {
        (self.watch)(progress) && interrupt::received().is_none()
    }

    /// What of the limits is left.
    fn remaining(&self) -> Limits {
        let used = Duration::from_secs_f64(self.effort.cpu_seconds.unwrap_or(0.0));
        Limits {
            time: self.limits.time.map(|time| time.saturating_sub(self.start.elapsed())),
            cpu: self.limits.cpu.map(|cpu| cpu.saturating_sub(used)),
            memory: self.limits.memory,
        }
    }

    /// The verdict on a plan: the plan, or why it is none.
    fn checked(&self, plan: Plan) -> Conclusion {
        match validate(self.domain, self.problem, &plan, &Rational::ZERO) {
            Verdict::Valid { metric } => Conclusion::Solved { plan, metric: metric.and_then(|value| value.ok()) },
            verdict => Conclusion::Rejected { plan, verdict },
        }
    }

    /// Writes the task as a planner can read it.
    fn files(&self, dialect: Dialect) -> Result<Files, Conclusion> {
        let task = rewrite(self.domain, self.problem, dialect);
        let write = || -> std::io::Result<_> {
            let folder = tempfile::Builder::new().prefix("surefoot-").tempdir()?;
            let path = |name: &str| folder.path().join(name);
            let (domain, problem, plan) = (path("domain.pddl"), path("problem.pddl"), path("plan"));
            std::fs::write(&domain, write_domain(&task.domain))?;
            std::fs::write(&problem, write_problem(&task.domain, &task.problem))?;
            Ok((folder, domain, problem, plan))
        };
        match write() {
            Ok((folder, domain, problem, plan)) => Ok(Files { folder, domain, problem, plan, task }),
            Err(error) => Err(Conclusion::Failed(format!("cannot write files for it: {error}"))),
        }
    }

    /// Runs a planner on what is left of the limits. A run that was not stopped by us is returned, with what it printed noted.
    fn run(&mut self, invocation: &Invocation, files: &Files) -> Result<Run, Conclusion> {
        let run = process::run(invocation, &self.remaining(), files.folder.path(), &|| self.goes_on(None));
        let program = shown_path(&invocation.program);
        let run = run.map_err(|error| Conclusion::Failed(format!("cannot start {program}: {error}")))?;
        self.output.stdout += &visible_lines(&run.stdout);
        self.output.stderr += &visible_lines(&run.stderr);
        self.effort.cpu_seconds = Some(self.effort.cpu_seconds.unwrap_or(0.0) + run.cpu_seconds);
        self.effort.peak_bytes = self.effort.peak_bytes.max(Some(run.peak_bytes));
        match &run.ending {
            Ending::NotStarted(reason) => Err(Conclusion::Failed(format!("cannot start {program}: {reason}"))),
            Ending::Unsupervised(how) => Err(Conclusion::Failed(format!(
                "the process that keeps it within its limits {how}, so the planner was ended and what it says does not count"
            ))),
            _ => Ok(run),
        }
    }
}

impl Run {
    /// What it means that we stopped the planner; `None` where it ended by itself.
    fn stopped(&self) -> Option<Conclusion> {
        match self.ending {
            Ending::Exited(_) | Ending::Killed(_) | Ending::NotStarted(_) | Ending::Unsupervised(_) => None,
            Ending::TimeLimit | Ending::CpuLimit => Some(Conclusion::TimeLimit),
            Ending::MemoryLimit => Some(Conclusion::MemoryLimit),
            Ending::Cancelled => Some(Conclusion::Cancelled),
        }
    }

    /// How it ended by itself, in words.
    fn ended(&self) -> String {
        match &self.ending {
            Ending::Exited(code) => format!("it ended with exit code {code}"),
            Ending::Killed(0) => "it was killed".into(),
            Ending::Killed(signal) => format!("it was killed by signal {signal}"),
            _ => "it was stopped".into(),
        }
    }
}

/// Reads steps in the names of a rewritten task as a plan of the original one.
fn plan_of(text: String, task: &Rewritten) -> Result<Plan, String> {
    let source = Source::new("the planner's plan", text);
    let plan = read_plan(&source, &task.domain, &task.problem.objects);
    plan.map_err(|error| format!("its plan cannot be read\n{error}"))
}

/// A file that a user named.
fn named_file(path: &Path, option: &str) -> Result<PathBuf> {
    if !path.is_file() {
        bail!("{}: there is no such file ({option})", shown_path(path));
    }
    Ok(std::path::absolute(path)?)
}

/// What `scripts/planners.sh` installed below the folder we are in: `.tools/planners/PREFIX*/INNER`.
fn installed(prefix: &str, inner: &str) -> Option<PathBuf> {
    let folders = std::fs::read_dir(Path::new(".tools/planners")).ok()?;
    let matching = folders.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let found = matching.map(|entry| entry.path().join(inner)).filter(|path| path.is_file()).max()?;
    std::path::absolute(found).ok()
}

/// The file that a program's name stands for: itself where it is a path, else the first of that name on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders =
        if program.contains('/') { vec![PathBuf::new()] } else { std::env::split_paths(&std::env::var_os("PATH")?).collect() };
    folders.into_iter().map(|folder| folder.join(program)).find(|path| path.is_file())
}
