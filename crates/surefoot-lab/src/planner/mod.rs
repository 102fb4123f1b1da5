//! Planners, ours and others', behind one trait: a task in, a validated outcome out.
//!
//! A planner is a file here and a line in [`PLANNERS`]. The file says what its name is, where its
//! program is found, and how to call it.
//!
//! ```ignore
//! let planner = find("enhsp", &Setup::default())?;
//! let limits = Limits { time: Some(Duration::from_secs(30)), ..Limits::default() };
//! let outcome = planner.solve(&domain, &problem, &limits);
//! if let PlannerConclusion::Solved(plan) = outcome.result { ... }
//! ```

mod built_in;
mod enhsp;
mod metric_ff;
pub mod place;
pub mod process;
mod rewrite;
mod rounding;
mod saved;
pub mod supervise;
mod template;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{
    Plan, Source, read_plan, visible_lines, write_domain_with, write_problem_with,
};
use surefoot_base::validate::{PlanVerdict, ValidPlan};
use surefoot_plan::{self as plan, SearchProgress};

pub use place::{PlannerPlace, PlannerPlaces};
use process::{CommandRun, Invocation};
use rewrite::{Dialect, Rewritten, rewrite};
use supervise::Ending;
pub use supervise::Limits;
use surefoot_io::interrupt;
use surefoot_io::output::shown_path;
use surefoot_io::tolerance::Tolerance;

/// The planners that have a name, in the order in which messages list them.
pub static PLANNERS: &[PlannerEntry] = &[built_in::ENTRY, enhsp::ENTRY, metric_ff::ENTRY];

/// A planner of the table.
pub struct PlannerEntry {
    /// The name that `--planner` takes for it.
    pub name: &'static str,
    /// Where it is found, if it is not part of us. Gives `surefoot plan` an option.
    pub place: Option<PlannerPlace>,
    /// Makes it callable, or says what is missing.
    pub find: fn(&Setup) -> Result<Box<dyn Planner>>,
}

/// A planner that is there and can be called, from several threads at once.
pub trait Planner: Debug + Send + Sync {
    /// As in the table; of a command, the name of its program.
    fn name(&self) -> &str;

    /// Works on a task within what is left of its limits (`PlannerAttempt::remaining`), until
    /// `PlannerAttempt::goes_on` says no. A plan is handed to `PlannerAttempt::checked`, which runs
    /// it: nothing else makes a [`PlannerConclusion::Solved`].
    fn attempt(&self, attempt: &mut PlannerAttempt<'_>) -> PlannerConclusion;
}

impl dyn Planner {
    /// Looks for a plan. A plan that it returns was validated against this task, in exact
    /// arithmetic.
    pub fn solve(&self, domain: &Domain, problem: &Problem, limits: &Limits) -> PlannerOutcome {
        self.solve_watched(domain, problem, limits, &|_| true)
    }

    /// Looks for a plan until `watch` returns false or a signal is received.
    pub fn solve_watched(
        &self,
        domain: &Domain,
        problem: &Problem,
        limits: &Limits,
        watch: &SearchWatch<'_>,
    ) -> PlannerOutcome {
        let start = Instant::now();
        let mut attempt = PlannerAttempt {
            domain,
            problem,
            limits,
            watch,
            start,
            effort: Effort::default(),
            output: Output::default(),
        };
        let result = self.attempt(&mut attempt);
        PlannerOutcome {
            result,
            seconds: start.elapsed().as_secs_f64(),
            effort: attempt.effort,
            output: attempt.output,
        }
    }
}

/// The planner of a name in the table, or a command with `{domain}` and `{problem}` in it, and
/// `{plan}` where it writes the plan to a file. Says what is missing when it cannot be called.
pub fn find(spec: &str, setup: &Setup) -> Result<Box<dyn Planner>> {
    find_among(PLANNERS, spec, setup)
}

fn find_among(planners: &[PlannerEntry], spec: &str, setup: &Setup) -> Result<Box<dyn Planner>> {
    let spec = spec.trim();
    if let Some(entry) = planners.iter().find(|entry| entry.name == spec) {
        return (entry.find)(setup);
    }
    if !is_command(spec) {
        bail!(
            "unknown planner `{spec}`: expected {}, or a command with {{domain}} and {{problem}} \
             in it",
            names(planners)
        );
    }
    Ok(Box::new(template::CommandTemplate::parse(spec)?))
}

/// Whether what a user typed is a command, not a name: it has places for files.
pub fn is_command(spec: &str) -> bool {
    spec.contains('{')
}

/// The names of planners, with commas between.
pub fn names(planners: &[PlannerEntry]) -> String {
    planners.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

/// How a planner searches that has the choice; today that is our own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Manner {
    /// Go on after the first plan, for a better one.
    pub minimize: bool,
    /// The seed that breaks ties.
    pub seed: u64,
    /// How many cores it may use.
    pub threads: usize,
}

/// What planners are made with.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Where a user says that planners are.
    pub places: PlannerPlaces,
    /// Whether the planners run in turn or at once.
    pub manner: Manner,
    /// By how much they may miss a comparison; zero: not at all. Told to those that have an option
    /// for it (ENHSP); our own is exact.
    pub tolerance: Tolerance,
}

/// What a planner came to.
#[derive(Clone, PartialEq, Debug)]
pub enum PlannerConclusion {
    /// A plan, valid for the task: in exact arithmetic, or within the tolerance that was asked for.
    Solved(ValidPlan),
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
    /// The planner failed, for this reason; what it printed is in [`PlannerOutcome::output`].
    Failed(String),
    /// The planner returned a plan that is none: this step cannot be taken, or the goal does not
    /// hold afterwards.
    Rejected {
        /// The plan that the planner returned.
        plan: Plan,
        /// What becomes of it.
        verdict: PlanVerdict,
    },
    /// The caller stopped it.
    Cancelled,
}

/// What became of a task, and what it took.
#[derive(Clone, PartialEq, Debug)]
pub struct PlannerOutcome {
    /// What the planner came to.
    pub result: PlannerConclusion,
    /// By the clock, all attempts and our own work on files included.
    pub seconds: f64,
    /// The time and the states that the planner needed.
    pub effort: Effort,
    /// What the planner printed; empty for our own.
    pub output: Output,
}

/// How much work it was; `None` for what is not known.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Effort {
    /// Seconds on cores; for planners that are processes.
    pub cpu_seconds: Option<f64>,
    /// The most resident bytes; for planners that are processes.
    pub peak_bytes: Option<u64>,
    /// The search; for our own planner.
    pub search: Option<plan::SearchEffort>,
}

/// What a planner printed, one attempt after the other, with characters that would steer a terminal
/// made visible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Output {
    /// What the program wrote to standard output.
    pub stdout: String,
    /// What the program wrote to standard error.
    pub stderr: String,
}

/// Gets the progress of a search from our own planner, and `None` from others. If it returns false,
/// the planner stops.
pub type SearchWatch<'a> = dyn Fn(Option<&SearchProgress>) -> bool + Sync + 'a;

/// One planner's work on one task, which may take several calls.
pub struct PlannerAttempt<'a> {
    /// The domain of the task.
    pub domain: &'a Domain,
    /// The problem to solve.
    pub problem: &'a Problem,
    limits: &'a Limits,
    watch: &'a SearchWatch<'a>,
    start: Instant,
    effort: Effort,
    output: Output,
}

/// A rewritten task in files.
struct TaskFiles {
    folder: tempfile::TempDir,
    domain: PathBuf,
    problem: PathBuf,
    /// Where a plan may be written to; does not exist yet. Is read with [`saved::saved_plan`]
    /// alone.
    plan: PathBuf,
    task: Rewritten,
}

impl PlannerAttempt<'_> {
    /// Whether to go on; reports progress to the caller's watcher.
    pub fn goes_on(&self, progress: Option<&SearchProgress>) -> bool {
        (self.watch)(progress) && interrupt::received().is_none()
    }

    /// What of the limits is left.
    pub fn remaining(&self) -> Limits {
        let used = Duration::from_secs_f64(self.effort.cpu_seconds.unwrap_or(0.0));
        Limits {
            time: self.limits.time.map(|time| time.saturating_sub(self.start.elapsed())),
            cpu: self.limits.cpu.map(|cpu| cpu.saturating_sub(used)),
            memory: self.limits.memory,
        }
    }

    /// The verdict on a plan: the plan, or why it is none.
    pub fn checked(&self, plan: Plan) -> PlannerConclusion {
        self.checked_within(plan, &Tolerance::default())
    }

    /// The verdict on a plan of a planner that may miss comparisons by a tolerance.
    pub fn checked_within(&self, plan: Plan, tolerance: &Tolerance) -> PlannerConclusion {
        match ValidPlan::within(self.domain, self.problem, plan, tolerance.number()) {
            Ok(plan) => PlannerConclusion::Solved(plan),
            Err((plan, verdict)) => PlannerConclusion::Rejected { plan, verdict },
        }
    }

    /// Writes the task as a planner can read it.
    fn files(&self, dialect: Dialect) -> Result<TaskFiles, PlannerConclusion> {
        let task = rewrite(self.domain, self.problem, dialect);
        let write = || -> std::io::Result<_> {
            let folder = tempfile::Builder::new().prefix("surefoot-").tempdir()?;
            let path = |name: &str| folder.path().join(name);
            let (domain, problem, plan) = (path("domain.pddl"), path("problem.pddl"), path("plan"));
            std::fs::write(&domain, write_domain_with(&task.domain, dialect.operands))?;
            std::fs::write(
                &problem,
                write_problem_with(&task.domain, &task.problem, dialect.operands),
            )?;
            Ok((folder, domain, problem, plan))
        };
        match write() {
            Ok((folder, domain, problem, plan)) => {
                Ok(TaskFiles { folder, domain, problem, plan, task })
            }
            Err(error) => {
                Err(PlannerConclusion::Failed(format!("cannot write files for it: {error}")))
            }
        }
    }

    /// Runs a planner on what is left of the limits, and notes what it printed. A run that a limit
    /// ended is returned too ([`CommandRun::stopped`]): there may be a plan.
    fn run(
        &mut self,
        invocation: &Invocation,
        files: &TaskFiles,
    ) -> Result<CommandRun, PlannerConclusion> {
        let run = process::run(invocation, &self.remaining(), files.folder.path(), &|| {
            self.goes_on(None)
        });
        let program = shown_path(&invocation.program);
        let run = run.map_err(|error| {
            PlannerConclusion::Failed(format!("cannot start {program}: {error}"))
        })?;
        self.output.stdout += &visible_lines(&run.stdout);
        self.output.stderr += &visible_lines(&run.stderr);
        self.effort.cpu_seconds = Some(self.effort.cpu_seconds.unwrap_or(0.0) + run.cpu_seconds);
        self.effort.peak_bytes = self.effort.peak_bytes.max(Some(run.peak_bytes));
        match &run.ending {
            Ending::NotStarted(reason) => {
                Err(PlannerConclusion::Failed(format!("cannot start {program}: {reason}")))
            }
            Ending::Unsupervised(how) => Err(PlannerConclusion::Failed(format!(
                "the process that keeps it within its limits {how}, so the planner was ended and \
                 what it says does not count"
            ))),
            _ => Ok(run),
        }
    }
}

impl CommandRun {
    /// What it means that we stopped the planner; `None` where it ended by itself.
    fn stopped(&self) -> Option<PlannerConclusion> {
        match self.ending {
            Ending::Exited(_)
            | Ending::Killed(_)
            | Ending::NotStarted(_)
            | Ending::Unsupervised(_) => None,
            Ending::TimeLimit | Ending::CpuLimit => Some(PlannerConclusion::TimeLimit),
            Ending::MemoryLimit => Some(PlannerConclusion::MemoryLimit),
            Ending::Cancelled => Some(PlannerConclusion::Cancelled),
        }
    }

    /// How it ended by itself, in words.
    pub fn ended(&self) -> String {
        match &self.ending {
            Ending::Exited(code) => format!("it ended with exit code {code}"),
            Ending::Killed(0) => "it was killed".into(),
            Ending::Killed(signal) => format!("it was killed by signal {signal}"),
            Ending::NotStarted(why) => format!("it could not be started: {why}"),
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
