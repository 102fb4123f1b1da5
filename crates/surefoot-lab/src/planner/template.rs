//! Any planner that is a command, with marks where the names of files go.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, bail};
use surefoot_base::pddl::{Operands, Plan};

use surefoot_io::output::shown_path;

use super::place::on_path;
use super::process::Invocation;
use super::rewrite::Dialect;
use super::saved::saved_plan;
use super::supervise::Ending;
use super::{Planner, PlannerAttempt, PlannerConclusion, TaskFiles, plan_of};

/// Most planners compute in doubles. Its author can take the metric away; we could not put it back.
// Of a program that we do not know nothing is expected beyond the grammar of PDDL 2.1.
const DIALECT: Dialect = Dialect { digits: 15, metric: true, operands: Operands::Two };

const PLACES: [&str; 5] = ["domain", "problem", "plan", "time", "memory"];

/// A command with places for files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandTemplate {
    /// The first is the program.
    words: Vec<String>,
    name: String,
}

impl CommandTemplate {
    /// Splits a command into words as a shell does, quotes included; nothing else of a shell is
    /// done. Places are `{domain}` and `{problem}`, `{plan}` where the plan is written to a file,
    /// `{time}` (seconds left) and `{memory}` (MB allowed, 0: any).
    pub fn parse(command: &str) -> Result<CommandTemplate> {
        let words = shlex::split(command)
            .with_context(|| format!("planner `{command}`: a quote is not closed"))?;
        let Some(program) = words.first() else {
            bail!("planner `{command}`: there is no command")
        };
        for word in &words {
            for place in word
                .split('{')
                .skip(1)
                .map(|rest| rest.split_once('}').map_or(rest, |(name, _)| name))
            {
                if !PLACES.contains(&place) {
                    bail!(
                        "planner `{command}`: unknown place {{{place}}}: expected {{{}}}",
                        PLACES.join("}, {")
                    );
                }
            }
        }
        for place in ["{domain}", "{problem}"] {
            if !words.iter().any(|word| word.contains(place)) {
                bail!("planner `{command}`: the command has no {place}");
            }
        }
        if on_path(program).is_none() {
            bail!("planner `{command}`: there is no program `{program}`");
        }
        let name = Path::new(program).file_name().map_or_else(|| program.clone(), shown_path);
        Ok(CommandTemplate { name, words })
    }

    fn writes_a_file(&self) -> bool {
        self.words.iter().any(|word| word.contains("{plan}"))
    }

    fn filled(&self, attempt: &PlannerAttempt<'_>, files: &TaskFiles) -> Vec<OsString> {
        let remaining = attempt.remaining();
        let time = remaining.time.map_or(0, |time| time.as_secs().max(1));
        let memory = remaining.memory.map_or(0, |bytes| bytes >> 20);
        let mut filled = Vec::new();
        for word in &self.words {
            let word = word.replace("{domain}", &files.domain.to_string_lossy());
            let word = word.replace("{problem}", &files.problem.to_string_lossy());
            let word = word.replace("{plan}", &files.plan.to_string_lossy());
            filled.push(
                word.replace("{time}", &time.to_string())
                    .replace("{memory}", &memory.to_string())
                    .into(),
            );
        }
        filled
    }
}

impl Planner for CommandTemplate {
    fn name(&self) -> &str {
        &self.name
    }

    fn attempt(&self, attempt: &mut PlannerAttempt<'_>) -> PlannerConclusion {
        let files = match attempt.files(DIALECT) {
            Ok(files) => files,
            Err(conclusion) => return conclusion,
        };
        let mut words = self.filled(attempt, &files);
        let program = words.remove(0);
        // Its other words may be paths from where the user is.
        let run = match attempt.run(&Invocation { program, arguments: words, folder: None }, &files)
        {
            Ok(run) => run,
            Err(conclusion) => return conclusion,
        };
        // A planner that improves its plan until it is stopped leaves the last one behind.
        let plan = match saved_plan(&files.plan) {
            Ok(Some(text)) => plan_of(text, &files.task).map(Some),
            Ok(None) if self.writes_a_file() => Ok(None),
            Ok(None) => printed_plan(&run.stdout, &files),
            Err(reason) => Err(reason),
        };
        let found = match plan {
            Ok(plan) => plan.map(|plan| attempt.checked(plan)),
            Err(reason) => Some(PlannerConclusion::Failed(reason)),
        };
        match (run.stopped(), found) {
            (_, Some(solved @ PlannerConclusion::Solved(_))) => solved,
            (Some(stopped), _) => stopped,
            (None, Some(found)) => found,
            (None, None) if run.ending == Ending::Exited(0) => nothing_printed(attempt),
            (None, None) => PlannerConclusion::Failed(format!("{}, and left no plan", run.ended())),
        }
    }
}

/// A planner that succeeds without a step has either nothing to do, or nothing to offer.
fn nothing_printed(attempt: &PlannerAttempt<'_>) -> PlannerConclusion {
    match attempt.checked(Plan::default()) {
        solved @ PlannerConclusion::Solved(_) => solved,
        _ => PlannerConclusion::Unknown("it ended without a plan".into()),
    }
}

/// The steps among all that a planner prints: lines that are a list, or a list after a time.
/// `None`: there are none.
fn printed_plan(text: &str, files: &TaskFiles) -> Result<Option<Plan>, String> {
    let steps: String =
        text.lines().filter(|line| is_step(line)).map(|line| line.to_owned() + "\n").collect();
    if steps.is_empty() { Ok(None) } else { plan_of(steps, &files.task).map(Some) }
}

fn is_step(line: &str) -> bool {
    let line = line.trim();
    let time = line.split_once(':').filter(|(time, _)| time.trim().parse::<f64>().is_ok());
    time.map_or(line, |(_, step)| step).trim().starts_with('(')
}
