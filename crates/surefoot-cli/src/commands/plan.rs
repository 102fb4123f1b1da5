//! `surefoot plan`: a plan, found by one of several planners and always validated.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Instant;

use anyhow::Result;
use serde::Serialize;
use surefoot_base::model::{Condition, Domain, Problem};
use surefoot_base::pddl::{Plan as Steps, Writer, write_plan};
use surefoot_base::validate::ValidPlan;
use surefoot_plan::{Blocked, SearchProgress, blocked, undefined_in_goal};

use crate::args::{Format, PlanArguments};
use crate::by_part;
use crate::guard;
use crate::task;
use surefoot_io::output::{Answer, ConditionWriter, count, print, print_json, to_file, write_file};
use surefoot_io::{interrupt, progress, rounded, voice};
use surefoot_lab::planner::{
    Limits, Manner, Planner, PlannerConclusion, PlannerOutcome, Setup, find, is_command,
};

/// What `--format json` prints.
#[derive(Serialize)]
struct PlanReport<'a> {
    solved: bool,
    /// The planner that found the plan, or proved that there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    planner: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<String>,
    seconds: f64,
    /// What the domain says of itself if it promises nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_safe: Option<String>,
    /// Where there is no plan: which actions can never be taken and why, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    attempts: Vec<AttemptReport<'a>>,
}

#[derive(Serialize)]
struct AttemptReport<'a> {
    planner: &'a str,
    result: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cpu_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expanded: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<u64>,
    /// What the planner printed, where it has no plan.
    #[serde(skip_serializing_if = "str::is_empty")]
    stdout: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    stderr: &'a str,
}

/// A planner of the command line and what became of it, in the order they ended.
type PlannerAttempts<'a> = Vec<(&'a dyn Planner, PlannerOutcome)>;

pub fn run(arguments: &PlanArguments) -> Result<Answer> {
    guard::plan(arguments)?;
    let planners = planners(arguments)?;
    let task = task::task(&arguments.task)?;
    task::with_errors(&arguments.task, &task)?;
    let task::Task { model, domain, problem } = task;
    if problem.goal == Condition::TRUE {
        voice::warn(
            "the goal of the problem is empty, so the plan without steps solves it: write the \
             goal into (:goal ..)",
        );
    }
    let listening = interrupt::listen();
    let start = Instant::now();
    let limits = Limits {
        time: Some(arguments.time_limit),
        cpu: None,
        memory: Some(arguments.memory_limit << 20),
    };
    progress::stage("planning", 0, "");
    let path = &*arguments.task.domain;
    let split = match arguments.one_action_per_part {
        true => Some(by_part::one_action_per_part(path, &model, &domain)?),
        false => None,
    };
    let given = split.as_ref().unwrap_or(&domain);
    let search = SearchRecord { domain: given, problem: &problem, limits, start };
    let mut attempts =
        if arguments.race { search.race(&planners) } else { search.in_turn(&planners) };
    if let Some(split) = &split {
        for (_, outcome) in &mut attempts {
            let plan: &Steps = match &outcome.result {
                PlannerConclusion::Solved(plan) => plan,
                PlannerConclusion::Rejected { plan, .. } => plan,
                _ => continue,
            };
            let plan = by_part::real_plan(path, &model, (split, &domain), plan)?;
            outcome.result = match ValidPlan::of(&domain, &problem, plan) {
                Ok(plan) => PlannerConclusion::Solved(plan),
                Err((plan, verdict)) => PlannerConclusion::Rejected { plan, verdict },
            };
        }
    }
    progress::clear();
    drop(listening);
    if let Some(signal) = interrupt::received() {
        return Ok(Answer::Interrupted(signal));
    }
    let found = attempts.iter().find_map(|(_, outcome)| match &outcome.result {
        PlannerConclusion::Solved(plan) => Some(plan),
        _ => None,
    });
    let plan_text = found.map(|plan| write_plan(&domain, &problem.objects, plan));
    let output = to_file(&arguments.output);
    if let (Some(path), Some(text)) = (output, &plan_text) {
        write_file(path, text.as_bytes())?;
    }
    match arguments.format {
        Format::Json => {
            let reasons = if found.is_none() { reasons(&domain, &problem) } else { String::new() };
            let reasons = reasons.lines().map(str::to_owned).collect();
            print_json(&PlanReport {
                not_safe: model.not_safe().map(str::to_owned),
                reasons,
                ..report(&domain, &problem, &attempts, start)
            })?;
        }
        Format::Text => {
            if let (None, Some(text)) = (output, &plan_text) {
                print(text)?;
            }
            for (planner, outcome) in &attempts {
                voice::summary(&summary(&domain, &problem, *planner, outcome, &limits));
            }
            if found.is_none() && !arguments.quiet {
                voice::summary(&reasons(&domain, &problem));
            }
        }
    }
    Ok(answer(&attempts))
}

fn planners(arguments: &PlanArguments) -> Result<Vec<Box<dyn Planner>>> {
    let chosen = &arguments.planners;
    let manner = Manner { minimize: chosen.minimize, seed: chosen.seed, threads: chosen.threads };
    let setup = Setup { places: chosen.places.clone(), manner, ..Setup::default() };
    // A command may have commas of its own.
    let specs = chosen
        .planners
        .iter()
        .flat_map(|spec| if is_command(spec) { vec![&**spec] } else { spec.split(',').collect() });
    specs.map(|spec| find(spec, &setup)).collect()
}

struct SearchRecord<'a> {
    domain: &'a Domain,
    problem: &'a Problem,
    limits: Limits,
    start: Instant,
}

impl SearchRecord<'_> {
    /// One after the other, each with an equal share of the time that is left, until one has an
    /// answer.
    fn in_turn<'p>(&self, planners: &'p [Box<dyn Planner>]) -> PlannerAttempts<'p> {
        let mut attempts = Vec::new();
        for (index, planner) in planners.iter().map(Box::as_ref).enumerate() {
            let left = self.limits.time.map(|time| time.saturating_sub(self.start.elapsed()));
            let share =
                left.map(|left| left / u32::try_from(planners.len() - index).unwrap_or(u32::MAX));
            let limits = Limits { time: share, ..self.limits };
            let outcome = planner.solve_watched(self.domain, self.problem, &limits, &|searched| {
                progress::message(progress_text(planner.name(), searched));
                true
            });
            let is_over = is_final(&outcome.result) || interrupt::received().is_some();
            attempts.push((planner, outcome));
            if is_over {
                break;
            }
        }
        attempts
    }

    /// All at once, until one has an answer.
    fn race<'p>(&self, planners: &'p [Box<dyn Planner>]) -> PlannerAttempts<'p> {
        let decided = AtomicBool::new(false);
        let names: Vec<&str> = planners.iter().map(|planner| planner.name()).collect();
        progress::message(names.join(", "));
        let (finished, outcomes) = mpsc::channel();
        std::thread::scope(|scope| {
            for planner in planners.iter().map(Box::as_ref) {
                let (finished, decided) = (finished.clone(), &decided);
                scope.spawn(move || {
                    let outcome = planner.solve_watched(
                        self.domain,
                        self.problem,
                        &self.limits,
                        &|searched| {
                            if searched.is_some() {
                                progress::message(progress_text(planner.name(), searched));
                            }
                            !decided.load(Ordering::Relaxed)
                        },
                    );
                    if is_final(&outcome.result) {
                        decided.store(true, Ordering::Relaxed);
                    }
                    let _ = finished.send((planner, outcome));
                });
            }
        });
        drop(finished);
        outcomes.into_iter().collect()
    }
}

/// How many actions that can never be taken are shown.
const SHOWN: usize = 5;

/// Which actions can never be taken, and what comes nearest: under a learned model, where more
/// traces would help. Functions that never have a value come first, since no other change would
/// help.
fn reasons(domain: &Domain, problem: &Problem) -> String {
    let words = ConditionWriter::new(domain, &problem.objects);
    let writer = Writer::new(domain, &problem.objects);
    let mut text = String::new();
    for function in undefined_in_goal(domain, problem).iter().take(SHOWN) {
        text += &format!("the goal needs {}, which {NEVER}\n", writer.ground_function(function));
    }
    let blocked = match blocked(domain, problem) {
        Ok(blocked) => blocked,
        Err(broken) => return text + &format!("{broken}\n"),
    };
    let (undefined, other): (Vec<_>, Vec<_>) =
        blocked.iter().partition(|blocked| !blocked.undefined.is_empty());
    for (function, names) in by_function(domain, &undefined) {
        let (first, more) = names.split_at(names.len().min(SHOWN));
        let more =
            if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        text += &format!(
            "never applicable from here: {}{more}, since {function} {NEVER}\n",
            first.join(", ")
        );
    }
    for blocked in other.iter().take(SHOWN) {
        let goal = if blocked.achieves_goal { ", though the goal needs what it does" } else { "" };
        text += &format!(
            "{} is never applicable from here{goal}\n",
            domain.action_name(blocked.action)
        );
        let Some(nearest) = &blocked.nearest else { continue };
        let place = match nearest.after.len() {
            0 => "in the initial state".to_owned(),
            steps => format!("after {}", count(steps, "step")),
        };
        text += &format!("  nearest, {place}: {}, which lacks\n", words.action(&nearest.step));
        for lacking in words.reasons_in_short(&nearest.step, &nearest.reason) {
            text += &format!("    {lacking}\n");
        }
        for function in nearest.undefined.iter().take(SHOWN) {
            text += &format!("    a value: {} {NEVER}\n", writer.ground_function(function));
        }
    }
    if other.len() > SHOWN {
        text += &format!("and {} more such actions\n", other.len() - SHOWN);
    }
    text
}

/// What is said of a function that never has a value.
const NEVER: &str = "has no value in :init, and no action assigns one";

/// The names of actions by the functions without a value that keep them from being taken, as these
/// are written with variables.
fn by_function<'d>(domain: &'d Domain, blocked: &[&Blocked]) -> Vec<(String, Vec<&'d str>)> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for blocked in blocked {
        let writer = Writer::new(domain, &domain.signature.constants)
            .with_parameters(&domain.action(blocked.action).parameters);
        let name = domain.action_name(blocked.action);
        for function in blocked.undefined.iter().map(|function| writer.function(function)) {
            match found.iter_mut().find(|(known, _)| *known == function) {
                Some((_, names)) => names.push(name),
                None => found.push((function, vec![name])),
            }
        }
    }
    found
}

fn is_final(result: &PlannerConclusion) -> bool {
    matches!(result, PlannerConclusion::Solved(_) | PlannerConclusion::Unsolvable)
}

fn progress_text(name: &str, progress: Option<&SearchProgress>) -> String {
    let Some(progress) = progress else { return name.to_owned() };
    let best = progress.best.map_or(String::new(), |best| format!(", best heuristic value {best}"));
    format!("{name}: {} states{best}", progress.effort.stored)
}

fn answer(attempts: &PlannerAttempts<'_>) -> Answer {
    let mut results = attempts.iter().map(|(_, outcome)| &outcome.result);
    if results.clone().any(|result| matches!(result, PlannerConclusion::Solved(_))) {
        Answer::Yes
    } else if results.clone().any(|result| *result == PlannerConclusion::Unsolvable) {
        Answer::No
    } else if results.any(|result| {
        matches!(result, PlannerConclusion::TimeLimit | PlannerConclusion::MemoryLimit)
    }) {
        Answer::Limit
    } else {
        Answer::No
    }
}

/// What became of one planner, for people.
fn summary(
    domain: &Domain,
    problem: &Problem,
    planner: &dyn Planner,
    outcome: &PlannerOutcome,
    limits: &Limits,
) -> String {
    let name = planner.name();
    let seconds = format!("{:.2} s", outcome.seconds);
    let effort = outcome.effort.search.map_or(String::new(), |effort| {
        format!(
            ", {} actions, {} states expanded{}, {} evaluated, {} stored",
            effort.actions,
            effort.expanded,
            rate(effort.expanded, outcome.seconds),
            effort.evaluated,
            effort.stored
        )
    });
    let text = match &outcome.result {
        PlannerConclusion::Solved(plan) => {
            let metric = plan.metric().map_or(String::new(), |value| {
                format!(", the metric is {}", rounded::number(value))
            });
            format!("{}{metric}", count(plan.steps.len(), "step"))
        }
        PlannerConclusion::Cancelled => "stopped".into(),
        PlannerConclusion::TimeLimit => "no plan within the time limit".into(),
        PlannerConclusion::MemoryLimit => {
            format!(
                "no plan within {} MB; --memory-limit allows more",
                limits.memory.unwrap_or(0) >> 20
            )
        }
        result => message(domain, problem, result).unwrap_or_default(),
    };
    let mut text = format!("{name} ({seconds}{effort}): {text}\n");
    if matches!(outcome.result, PlannerConclusion::Failed(_)) {
        text += &last_lines(&outcome.output.stdout);
        text += &last_lines(&outcome.output.stderr);
    }
    text
}

/// States a second, where there was time to measure it.
fn rate(states: u64, seconds: f64) -> String {
    if seconds < 0.1 {
        String::new()
    } else {
        format!(" ({:.0} a second)", states as f64 / seconds)
    }
}

/// The end of what a planner printed, indented.
fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(10)..].iter();
    last.map(|line| {
        format!("  | {}\n", line.replace('\t', " ").chars().take(200).collect::<String>())
    })
    .collect()
}

/// Why there is no plan.
fn message(domain: &Domain, problem: &Problem, result: &PlannerConclusion) -> Option<String> {
    Some(match result {
        PlannerConclusion::Unsolvable => "there is no plan".into(),
        PlannerConclusion::Unknown(reason) => format!("no plan: {reason}"),
        PlannerConclusion::Unsupported(what) => format!("it cannot plan for this task: {what}"),
        PlannerConclusion::Failed(reason) => format!("failed: {reason}"),
        PlannerConclusion::Rejected { plan, verdict } => {
            let words = ConditionWriter::new(domain, &problem.objects);
            format!("its plan does not work: {}", words.verdict(problem, plan, verdict).trim_end())
        }
        PlannerConclusion::Solved(_)
        | PlannerConclusion::Cancelled
        | PlannerConclusion::TimeLimit
        | PlannerConclusion::MemoryLimit => return None,
    })
}

fn report<'a>(
    domain: &Domain,
    problem: &Problem,
    attempts: &'a PlannerAttempts<'_>,
    start: Instant,
) -> PlanReport<'a> {
    let decisive = attempts.iter().find(|(_, outcome)| is_final(&outcome.result));
    let solved = decisive.and_then(|(_, outcome)| match &outcome.result {
        PlannerConclusion::Solved(plan) => Some(plan),
        _ => None,
    });
    let reports = attempts
        .iter()
        .map(|(planner, outcome)| attempt_report(domain, problem, *planner, outcome));
    PlanReport {
        solved: solved.is_some(),
        planner: decisive.map(|(planner, _)| planner.name()),
        plan: solved.map(|plan| steps(domain, problem, plan)),
        metric: solved.and_then(|plan| Some(plan.metric()?.to_string())),
        seconds: start.elapsed().as_secs_f64(),
        not_safe: None,
        reasons: Vec::new(),
        attempts: reports.collect(),
    }
}

fn attempt_report<'a>(
    domain: &Domain,
    problem: &Problem,
    planner: &'a dyn Planner,
    outcome: &'a PlannerOutcome,
) -> AttemptReport<'a> {
    let search = outcome.effort.search;
    let output = if is_final(&outcome.result) {
        ("", "")
    } else {
        (&*outcome.output.stdout, &*outcome.output.stderr)
    };
    AttemptReport {
        planner: planner.name(),
        result: word(&outcome.result),
        message: message(domain, problem, &outcome.result),
        seconds: outcome.seconds,
        cpu_seconds: outcome.effort.cpu_seconds,
        peak_bytes: outcome.effort.peak_bytes,
        actions: search.map(|effort| effort.actions),
        expanded: search.map(|effort| effort.expanded),
        evaluated: search.map(|effort| effort.evaluated),
        stored: search.map(|effort| effort.stored),
        stdout: output.0,
        stderr: output.1,
    }
}

fn steps(domain: &Domain, problem: &Problem, plan: &Steps) -> Vec<String> {
    let writer = Writer::new(domain, &problem.objects);
    plan.steps.iter().map(|step| writer.ground_action(&step.action)).collect()
}

fn word(result: &PlannerConclusion) -> &'static str {
    match result {
        PlannerConclusion::Solved(_) => "solved",
        PlannerConclusion::Unsolvable => "unsolvable",
        PlannerConclusion::Unknown(_) => "unknown",
        PlannerConclusion::TimeLimit => "time-limit",
        PlannerConclusion::MemoryLimit => "memory-limit",
        PlannerConclusion::Unsupported(_) => "unsupported",
        PlannerConclusion::Failed(_) => "failed",
        PlannerConclusion::Rejected { .. } => "rejected",
        PlannerConclusion::Cancelled => "cancelled",
    }
}
