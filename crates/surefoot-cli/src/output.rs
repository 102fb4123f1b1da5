//! Output: answers, files that appear whole or not at all, and words for what the library found.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result};
use surefoot::model::semantics::{Cause, Fault, Inapplicable, Violation};
use surefoot::model::{Condition, Domain, GroundAction, Objects, Problem};
use surefoot::pddl::{Plan, Warning, Writer, visible};
use surefoot::validate::Verdict;

/// What a command found; its exit code.
pub enum Answer {
    Yes,
    No,
    /// Neither: a limit was reached first.
    Limit,
    /// Neither: this signal asked us to end.
    Interrupted(u8),
}

/// A path as messages, reports and comments show it: on one line, and without characters that steer a terminal.
pub fn shown_path(path: impl AsRef<Path>) -> String {
    visible(&path.as_ref().to_string_lossy()).into_owned()
}

/// Writes a file whole: to a temporary one beside it, then renamed. What is no file, such as /dev/null or a pipe, is written to.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, bytes).with_context(|| format!("cannot write {}", shown_path(path)))
}

fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    // A result is for whom the user's mask says, not for the user alone as temporary files are.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    if !folder.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no folder {}", shown_path(folder))));
    }
    let mut file = builder.prefix(".surefoot-").tempfile_in(folder).map_err(without_temporary_name)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// An error whose message need not name a file that the user never asked for.
fn without_temporary_name(error: io::Error) -> io::Error {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        kind @ (PermissionDenied | ReadOnlyFilesystem | StorageFull) => kind.into(),
        _ => error,
    }
}

/// Tells the user what was passed over in the files of a command: each message once, with the first place it is about.
pub fn warn(warnings: &[Warning]) {
    warning_texts(warnings).iter().for_each(|text| eprintln!("{text}"));
}

/// One text for each message, with the first place it is about and how many there are.
pub fn warning_texts(warnings: &[Warning]) -> Vec<String> {
    let mut texts: Vec<(&Warning, usize)> = Vec::new();
    for warning in warnings {
        match texts.iter_mut().find(|(known, _)| known.0.message == warning.0.message) {
            Some((_, times)) => *times += 1,
            None => texts.push((warning, 1)),
        }
    }
    let shown = texts.into_iter().map(|(warning, times)| match times {
        1 => warning.to_string(),
        _ => Warning(warning.0.clone().context(format!("and so in {} more", count(times - 1, "file")))).to_string(),
    });
    shown.collect()
}

/// Prints a result to standard output.
pub fn print(text: &str) -> Result<()> {
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

/// Whether the reader of standard output went away, as `head` does: no error of ours.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// `1 step`, `2 steps`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Says in words why conditions fail, and what became of plans.
pub struct Words<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
}

impl<'a> Words<'a> {
    /// Words about a domain among some objects.
    pub fn new(domain: &'a Domain, objects: &'a Objects) -> Self {
        Words { domain, objects }
    }

    fn writer(&self) -> Writer<'a> {
        Writer::new(self.domain, self.objects)
    }

    /// The action with its objects.
    pub fn action(&self, action: &GroundAction) -> String {
        self.writer().ground_action(action)
    }

    /// The condition with its objects.
    pub fn condition(&self, violation: &Violation) -> String {
        self.writer().with_objects(&violation.environment).condition(&violation.condition)
    }

    /// Why it does not hold.
    pub fn cause(&self, violation: &Violation) -> String {
        match (&violation.cause, &violation.condition) {
            (Cause::Values(left, right), Condition::Compare(comparison, _)) => {
                format!("{left} {} {right} is false", comparison.symbol())
            }
            (Cause::Fault(fault), _) => self.fault(fault),
            _ => "it is false".into(),
        }
    }

    /// Why an expression has no value.
    pub fn fault(&self, fault: &Fault) -> String {
        match fault {
            Fault::Undefined(function) => format!("{} has no value", self.writer().ground_function(function)),
            Fault::DivisionByZero => "it divides by zero".into(),
            Fault::TooLarge => "a number in it has more than 300,000 digits".into(),
            Fault::TotalTime => "total-time has a value only in a metric".into(),
        }
    }

    /// The reasons, one a line.
    pub fn reasons(&self, action: &GroundAction, reason: &Inapplicable) -> Vec<String> {
        match reason {
            Inapplicable::Precondition(violations) => violations.iter().map(|violation| self.violation(violation)).collect(),
            Inapplicable::Effect(fault) => vec![format!("its effect cannot be computed: {}", self.fault(fault))],
            Inapplicable::Conflict(function) => {
                vec![format!("its effects disagree about {}", self.writer().ground_function(function))]
            }
            Inapplicable::Arguments(index) => match self.domain.action(action.symbol).parameters.get(*index) {
                Some(parameter) => vec![format!("its argument for ?{} is of another type", parameter.name)],
                None => vec![format!("it takes {index} arguments")],
            },
        }
    }

    /// What became of a plan, in a line and the reasons below it.
    pub fn verdict(&self, problem: &Problem, plan: &Plan, verdict: &Verdict) -> String {
        let steps = count(plan.steps.len(), "step");
        match verdict {
            Verdict::Valid { metric } => {
                let metric = match metric {
                    Some(Ok(value)) => format!("; the metric is {value}"),
                    Some(Err(fault)) => format!("; the metric has no value: {}", self.fault(fault)),
                    None => String::new(),
                };
                format!("valid: {steps}, and the goal of {} holds{metric}\n", problem.name)
            }
            Verdict::StepFails(failed) => {
                let line = plan.steps[failed.index].line;
                let mut text = format!(
                    "invalid: step {} of {} (line {line}) cannot be taken: {}\n",
                    failed.index + 1,
                    plan.steps.len(),
                    self.action(&failed.action)
                );
                for reason in self.reasons(&failed.action, &failed.reason) {
                    text += &format!("  {reason}\n");
                }
                text
            }
            Verdict::GoalUnmet(violations) => {
                let mut text = format!("invalid: {steps}, but the goal of {} does not hold\n", problem.name);
                for violation in violations {
                    text += &format!("  {}\n", self.violation(violation));
                }
                text
            }
        }
    }

    /// The condition, and why it does not hold.
    pub fn violation(&self, violation: &Violation) -> String {
        format!("{}: {}", self.condition(violation), self.cause(violation))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_folder_that_is_missing_is_named_and_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = format!("{:#}", write_file(&folder.path().join("none/x.pddl"), b"").unwrap_err());
        assert!(error.contains("x.pddl: there is no folder ") && !error.contains(".surefoot-"), "{error}");
    }
}
