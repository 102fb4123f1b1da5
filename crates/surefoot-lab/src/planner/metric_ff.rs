//! Metric-FF, and planners that take its arguments and print what it prints.

use std::ffi::OsString;
use std::path::PathBuf;

use surefoot_base::model::Domain;
use surefoot_base::pddl::{Operands, visible};

use super::place::{PlannerPlace, installed, on_path};
use super::process::{CommandRun, Invocation};
use super::rewrite::{Dialect, Rewritten};
use super::supervise::Ending;
use super::{Planner, PlannerAttempt, PlannerConclusion, PlannerEntry, TaskFiles, plan_of};

/// Its numbers are floats of 24 bits. With a metric it searches for cost, or refuses the task.
const DIALECT: Dialect = Dialect { digits: 7, metric: false, operands: Operands::Many };

pub const ENTRY: PlannerEntry = PlannerEntry {
    name: NAME,
    place: Some(PROGRAM),
    find: |setup| Ok(Box::new(MetricFf { program: PROGRAM.find(&setup.places)? })),
};

const NAME: &str = "metric-ff";

const PROGRAM: PlannerPlace = PlannerPlace {
    title: "Metric-FF",
    what: "program",
    value: "PROGRAM",
    option: "metric-ff",
    variable: "SUREFOOT_METRIC_FF",
    otherwise: "ff or metric-ff on PATH",
    usual: || on_path("ff").or_else(|| on_path("metric-ff")).or_else(|| installed("ff-", "bin/ff")),
    advice: "put `ff` on PATH",
};

/// Metric-FF, once its program was found.
#[derive(Debug)]
struct MetricFf {
    program: PathBuf,
}

/// What a log of Metric-FF says.
#[derive(Clone, PartialEq, Eq, Debug)]
enum MetricFfLog {
    /// A plan, one `(ACTION OBJECT ...)` a line.
    Plan(String),
    Unsolvable,
    /// It does not know an argument that we gave.
    UnknownArgument,
    /// It cannot work on the task, for this reason.
    Refused(String),
    Nothing,
}

impl Planner for MetricFf {
    fn name(&self) -> &str {
        NAME
    }

    fn attempt(&self, attempt: &mut PlannerAttempt<'_>) -> PlannerConclusion {
        let files = match attempt.files(DIALECT) {
            Ok(files) => files,
            Err(conclusion) => return conclusion,
        };
        // Without a word about costs it would search for cheap plans; planners that speak like it
        // may not know the word.
        match self.call(&["-s", "0"], attempt, &files) {
            Ok(conclusion) => conclusion,
            Err(_) => self.call(&[], attempt, &files).unwrap_or_else(|conclusion| conclusion),
        }
    }
}

impl MetricFf {
    /// `Err` when it does not know an argument.
    fn call(
        &self,
        arguments: &[&str],
        attempt: &mut PlannerAttempt<'_>,
        files: &TaskFiles,
    ) -> Result<PlannerConclusion, PlannerConclusion> {
        let mut words: Vec<OsString> = vec![
            "-o".into(),
            files.domain.clone().into(),
            "-f".into(),
            files.problem.clone().into(),
        ];
        words.extend(arguments.iter().map(OsString::from));
        let program = self.program.clone().into();
        let run = match attempt.run(
            &Invocation { program, arguments: words, folder: Some(files.folder.path().into()) },
            files,
        ) {
            Ok(run) => run,
            Err(conclusion) => return Ok(conclusion),
        };
        Ok(match read(&run) {
            MetricFfLog::Plan(steps) => {
                match plan_of(without_goal(&steps, &files.task.domain), &files.task) {
                    Ok(plan) => attempt.checked(plan),
                    Err(reason) => PlannerConclusion::Failed(reason),
                }
            }
            MetricFfLog::Unsolvable => no_plan(&files.task),
            MetricFfLog::UnknownArgument => {
                return Err(PlannerConclusion::Failed(
                    "it does not take the arguments of Metric-FF".into(),
                ));
            }
            MetricFfLog::Refused(reason) => PlannerConclusion::Unsupported(reason),
            MetricFfLog::Nothing => match run.stopped() {
                Some(conclusion) => conclusion,
                None => PlannerConclusion::Failed(format!(
                    "{}, and found no plan{}",
                    run.ended(),
                    last_words(&run)
                )),
            },
        })
    }
}

/// What its claim that there is no plan is worth. It adds up floats and compares them exactly: ten
/// steps of 0.1 never make a whole.
fn no_plan(task: &Rewritten) -> PlannerConclusion {
    match (task.exact, task.whole) {
        (true, true) => PlannerConclusion::Unsolvable,
        (true, false) => PlannerConclusion::Unknown(
            "it claims that there is no plan, which fractions make it say wrongly".into(),
        ),
        (false, _) => PlannerConclusion::Unknown(
            "it finds no plan for the task with numbers as short as it needs them".into(),
        ),
    }
}

/// Of its words for what it cannot do, and ours. Its reader complains on standard error, all else
/// on standard output.
const REFUSALS: [(&str, &str); 6] = [
    ("increase MAX_", "the task exceeds a limit that it was built with"),
    ("This is not a linear task", "it reads linear conditions and effects only"),
    (":= propagation cycle", "it does not read assignments that depend on each other"),
    ("syntax error in line", "its reader refuses the task"),
    ("unknown or empty type", "it wants an object of every type"),
    ("defined twice in initial state", "it wants one value of each function"),
];

fn read(run: &CommandRun) -> MetricFfLog {
    let text = &run.stdout;
    if let Some(found) = text.find("found legal plan as follows") {
        // A plan counts only when it was printed to its end, which is when the times follow.
        let whole = run.ending == Ending::Exited(0) || text[found..].contains("time spent");
        return if whole { MetricFfLog::Plan(steps(&text[found..])) } else { MetricFfLog::Nothing };
    }
    if text.contains("goal can be simplified to TRUE") {
        return MetricFfLog::Plan(String::new());
    }
    let claims = [
        "goal can be simplified to FALSE",
        "best first search space empty",
        "will never have a defined value",
    ];
    if claims.iter().any(|words| text.contains(words)) {
        return MetricFfLog::Unsolvable;
    }
    if run.stopped().is_some() {
        return MetricFfLog::Nothing;
    }
    // Its own words for it, and those of programs made with the usual libraries.
    let complaint = ["unknown option", "unexpected argument", "unrecognized argument"];
    if run.ending != Ending::Exited(0)
        && complaint.iter().any(|words| text.contains(words) || run.stderr.contains(words))
    {
        return MetricFfLog::UnknownArgument;
    }
    let refusal = REFUSALS.iter().find_map(|(words, reason)| Some((reason, said(run, words)?)));
    refusal.map_or(MetricFfLog::Nothing, |(reason, line)| {
        MetricFfLog::Refused(format!("{reason}: {line}"))
    })
}

/// The line in which it says something.
fn said(run: &CommandRun, words: &str) -> Option<String> {
    let line = run.stdout.lines().chain(run.stderr.lines()).find(|line| line.contains(words))?;
    Some(visible(line.trim()).into_owned())
}

/// The last line that it printed, to be appended to a message.
fn last_words(run: &CommandRun) -> String {
    let line = last_line(&run.stderr).or_else(|| last_line(&run.stdout));
    line.map_or(String::new(), |line| format!("; the last it said is: {}", visible(line)))
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}

/// `step    0: MOVE A B` and the lines `1: MOVE B C` after it, as lists. A bare `step` is a plan
/// without steps.
fn steps(text: &str) -> String {
    let mut steps = String::new();
    for line in text.lines().skip(1) {
        let line = line.trim();
        let line = line.strip_prefix("step").unwrap_or(line).trim();
        if line.is_empty() {
            continue;
        }
        match line.split_once(':') {
            Some((number, step)) if is_number(number.trim()) => {
                steps += &format!("({})\n", step.trim())
            }
            _ => break,
        }
    }
    steps
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Leaves out the step that it adds when it compiles a goal away.
fn without_goal(steps: &str, domain: &Domain) -> String {
    match steps.strip_suffix("(REACH-GOAL)\n") {
        Some(rest) if domain.actions.find("reach-goal").is_none() => rest.to_owned(),
        _ => steps.to_owned(),
    }
}
