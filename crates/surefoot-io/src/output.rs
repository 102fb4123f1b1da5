//! Output: answers, files that appear whole or not at all, and words for what the library found.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use surefoot_base::model::semantics::{Fault, Inapplicable, Violation, ViolationCause};
use surefoot_base::model::{Condition, Domain, GroundAction, Objects, Problem};
use surefoot_base::pddl::{Plan, Warning, Writer, visible};
use surefoot_base::validate::PlanVerdict;
use tempfile::{NamedTempFile, TempDir};

use crate::streams::is_standard;
use crate::{interrupt, rounded, voice};

/// What a command found; its exit code.
pub enum Answer {
    /// Yes, or done: 0.
    Yes,
    /// The answer is no: exit code 1.
    No,
    /// Neither: a limit was reached first.
    Limit,
    /// Neither: this signal asked us to end.
    Interrupted(u8),
}

/// A path as messages, reports and comments show it: on one line, and without characters that steer
/// a terminal.
pub fn shown_path(path: impl AsRef<Path>) -> String {
    visible(&path.as_ref().to_string_lossy()).into_owned()
}

/// The file that an option names; `None` for none, and for `-`, which is standard output.
pub fn to_file(path: &Option<PathBuf>) -> Option<&Path> {
    path.as_deref().filter(|path| !is_standard(path))
}

/// Makes a folder, and those around it, where they are not there.
pub fn make_folder(folder: &Path) -> Result<()> {
    if let Some(file) = folder.ancestors().find(|path| path.is_file()) {
        bail!("{} is a file, but a folder was expected", shown_path(file));
    }
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", shown_path(folder)))
}

/// A path in a message about a file that was written.
pub fn shown_output(path: &Path) -> String {
    if is_standard(path) { "<stdout>".to_owned() } else { shown_path(path) }
}

/// A file that cannot be written; the cause says why.
#[derive(Debug)]
pub struct Unwritable {
    /// Its name, as it can be shown.
    pub file: String,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write {}", self.file)
    }
}

/// Writes a file whole: to a temporary one beside it, then renamed, whatever signals come
/// meanwhile. What is no file, such as /dev/null or a pipe, is written to; `-` is standard output.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut outputs = Outputs::default();
    outputs.add(path, bytes);
    outputs.write()
}

/// What a command writes: all of its files appear, or none. Files are written beside their places
/// first; only when the disk has all of them, they are renamed. Streams follow.
#[derive(Default)]
pub struct Outputs<'a> {
    outputs: Vec<(PathBuf, Cow<'a, [u8]>)>,
}

impl<'a> Outputs<'a> {
    /// Notes what goes to a path.
    pub fn add(&mut self, path: &Path, bytes: impl Into<Cow<'a, [u8]>>) {
        self.outputs.push((path.to_owned(), bytes.into()));
    }

    /// Writes all files, each completely or not at all.
    ///
    /// # Errors
    /// Something cannot be written; then no file is another than before.
    pub fn write(self) -> Result<()> {
        let writing = interrupt::writing();
        let (mut files, mut streams) = (Vec::new(), Vec::new());
        for (path, bytes) in &self.outputs {
            let unwritable = || Unwritable { file: shown_path(path) };
            match is_standard(path) || is_stream(path).with_context(unwritable)? {
                true => streams.push((path, bytes)),
                false => files.push((path, temporary(path, bytes).with_context(unwritable)?)),
            }
        }
        for (path, file) in files {
            file.persist(path)
                .map_err(io::Error::from)
                .with_context(|| Unwritable { file: shown_path(path) })?;
        }
        // Whoever reads a stream may be slow; a signal need not wait for that.
        drop(writing);
        for (path, bytes) in streams {
            if is_standard(path) {
                print_bytes(bytes)?;
                continue;
            }
            let written = fs::OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut stream| stream.write_all(bytes));
            written.with_context(|| Unwritable { file: shown_path(path) })?;
        }
        Ok(())
    }
}

/// Files of a folder, too many or too long to hold in memory, that appear together or not at all.
/// They are written to a folder of their own inside it, and moved out of it when all of them are
/// whole.
pub struct StagedFolder {
    folder: PathBuf,
    staging: TempDir,
    /// Locked for as long as the files are written, so that others can tell it from what a killed
    /// run left behind.
    _lock: fs::File,
    _unfinished: interrupt::Unfinished,
    names: Vec<String>,
}

impl StagedFolder {
    /// Begins to write into a folder.
    pub fn new(folder: &Path) -> Result<StagedFolder> {
        let unwritable = || Unwritable { file: shown_path(folder) };
        remove_leftovers(folder);
        // A signal waits until it is known which folder it has to remove.
        let _writing = interrupt::writing();
        let staging = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder);
        let staging = staging.map_err(without_temporary_name).with_context(unwritable)?;
        let lock = fs::File::create(staging.path().join(LOCK)).with_context(unwritable)?;
        // A file system without locks has no leftovers removed, either.
        let _ = lock.lock();
        let unfinished = interrupt::unfinished(staging.path());
        Ok(StagedFolder {
            folder: folder.to_owned(),
            staging,
            _lock: lock,
            _unfinished: unfinished,
            names: Vec::new(),
        })
    }

    /// Begins a file of this name.
    pub fn create(&mut self, name: &str) -> Result<fs::File> {
        // A folder that gets a new file while a signal has it removed would stay.
        let _writing = interrupt::writing();
        let file = fs::File::create(self.staging.path().join(name))
            .map_err(|error| self.unwritable(name, error))?;
        self.names.push(name.to_owned());
        Ok(file)
    }

    /// Writes a file of this name.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        self.create(name)?.write_all(bytes).map_err(|error| self.unwritable(name, error))
    }

    /// The error of a file that cannot be written.
    pub fn unwritable(&self, name: &str, error: io::Error) -> anyhow::Error {
        anyhow::Error::new(error).context(Unwritable { file: shown_path(self.folder.join(name)) })
    }

    /// Moves the files to their places.
    ///
    /// # Errors
    /// The disk does not have all of them; then no file is another than before.
    pub fn persist(self) -> Result<()> {
        let _writing = interrupt::writing();
        for name in &self.names {
            let synced =
                fs::File::open(self.staging.path().join(name)).and_then(|file| file.sync_all());
            synced.map_err(|error| self.unwritable(name, error))?;
            if self.folder.join(name).is_dir() {
                return Err(self.unwritable(name, io::ErrorKind::IsADirectory.into()));
            }
        }
        for name in &self.names {
            let moved = fs::rename(self.staging.path().join(name), self.folder.join(name));
            moved.map_err(|error| self.unwritable(name, error))?;
        }
        Ok(())
    }
}

/// Whether a path is something to write to that is no file.
fn is_stream(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "this is a folder, but a file was expected",
        )),
        Ok(found) => Ok(!found.is_file()),
        Err(_) => Ok(false),
    }
}

/// How temporary files beside results are called.
const TEMPORARY: &str = ".surefoot-";

/// A temporary file beside a path that holds what is to be there, on the disk. It is locked until
/// it is renamed, so that others can tell it from what a killed run left behind.
fn temporary(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder =
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no folder {}", shown_path(folder)),
        ));
    }
    remove_leftovers(folder);
    let mut builder = tempfile::Builder::new();
    // A result is for whom the user's mask says, not for the user alone as temporary files are.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    loop {
        let mut file =
            builder.prefix(TEMPORARY).tempfile_in(folder).map_err(without_temporary_name)?;
        // A file system without locks has no leftovers removed, either. Before it was locked,
        // another run may have taken it for one.
        if file.as_file().lock().is_ok() && !file.path().exists() {
            continue;
        }
        file.as_file_mut().write_all(bytes)?;
        file.as_file().sync_all()?;
        return Ok(file);
    }
}

/// The file of a temporary folder that is locked while files are written there.
const LOCK: &str = ".lock";

/// Removes the temporary files and folders of runs that were killed: those that nobody holds a lock
/// on. Each folder is looked at once.
fn remove_leftovers(folder: &Path) {
    static TIDY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !TIDY.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    // What cannot be read or removed does not keep anybody from writing.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if !entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            continue;
        }
        let (path, is_folder) = (entry.path(), kind.is_dir());
        let lock = if is_folder { path.join(LOCK) } else { path.clone() };
        if (is_folder || kind.is_file())
            && let Ok(file) = fs::File::open(lock)
            && file.try_lock().is_ok()
        {
            let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// An error whose message need not name a file that the user never asked for.
fn without_temporary_name(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => {
            io::Error::new(io::ErrorKind::NotFound, "no file can be made there")
        }
        kind => kind.into(),
    }
}

/// Tells the user what was passed over in the files of a command: each message once, with the first
/// place it is about.
pub fn warn(warnings: &[Warning]) {
    warning_texts(warnings)
        .iter()
        .for_each(|text| voice::warn(text.strip_prefix("warning: ").unwrap_or(text)));
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
        _ => Warning(
            warning.0.clone().context(format!("and so in {} more", count(times - 1, "file"))),
        )
        .to_string(),
    });
    shown.collect()
}

/// Prints a result to standard output.
pub fn print(text: &str) -> Result<()> {
    print_bytes(text.as_bytes())
}

fn print_bytes(bytes: &[u8]) -> Result<()> {
    Ok(io::stdout().lock().write_all(bytes)?)
}

/// Prints a result for people to standard output, in colour on a terminal.
pub fn say(text: &str) -> Result<()> {
    Ok(anstream::stdout().lock().write_all(text.as_bytes())?)
}

/// Whether the reader of standard output went away, as `head` does: no error of ours.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Prints what was done as JSON; beside the result where that takes standard output.
pub fn print_summary_json(value: &impl serde::Serialize, is_output_taken: bool) -> Result<()> {
    if !is_output_taken {
        return print_json(value);
    }
    voice::answer(&(serde_json::to_string_pretty(value)? + "\n"));
    Ok(())
}

/// `1 step`, `2 steps`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// How many lines of a kind a person is shown.
const SHOWN: usize = 5;

/// The first few of so many lines, and how many more there are. One line more than a few is shown,
/// too: it takes no more room than to say so.
pub fn first_few(lines: impl Iterator<Item = String>, all: usize, noun: &str) -> Vec<String> {
    if all <= SHOWN + 1 {
        return lines.collect();
    }
    lines
        .take(SHOWN)
        .chain([format!("and {} more (--format json has all)", count(all - SHOWN, noun))])
        .collect()
}

/// Says in words why conditions fail, and what became of plans.
pub struct ConditionWriter<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
}

impl<'a> ConditionWriter<'a> {
    /// Words about a domain among some objects.
    pub fn new(domain: &'a Domain, objects: &'a Objects) -> Self {
        ConditionWriter { domain, objects }
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
            (ViolationCause::Values(left, right), Condition::Compare(comparison, _)) => {
                format!("{left} {} {right} is false", comparison.symbol())
            }
            (ViolationCause::Fault(fault), _) => self.fault(fault),
            _ => "it is false".into(),
        }
    }

    /// Why an expression has no value.
    pub fn fault(&self, fault: &Fault) -> String {
        match fault {
            Fault::Undefined(function) => {
                format!("{} has no value", self.writer().ground_function(function))
            }
            Fault::Unknown(function) => {
                format!("the value of {} is unknown", self.writer().ground_function(function))
            }
            Fault::UnknownAtom(atom) => {
                format!("whether {} is true is unknown", self.writer().ground_atom(atom))
            }
            Fault::DivisionByZero => "it divides by zero".into(),
            Fault::TooLarge => "a number in it has more than 300,000 digits".into(),
            Fault::TotalTime => "total-time has a value only in a metric".into(),
        }
    }

    /// The reasons, one a line.
    pub fn reasons(&self, action: &GroundAction, reason: &Inapplicable) -> Vec<String> {
        match reason {
            Inapplicable::Precondition(violations) => {
                violations.iter().map(|violation| self.violation(violation)).collect()
            }
            Inapplicable::Effect(fault) => {
                vec![format!("its effect cannot be computed: {}", self.fault(fault))]
            }
            Inapplicable::Conflict(function) => {
                vec![format!(
                    "its effects disagree about {}",
                    self.writer().ground_function(function)
                )]
            }
            Inapplicable::Arguments(index) => {
                match self.domain.action(action.symbol).parameters.get(*index) {
                    Some(parameter) => {
                        vec![format!("its argument for ?{} is of another type", parameter.name)]
                    }
                    None => vec![format!("it takes {index} arguments")],
                }
            }
        }
    }

    /// The reasons for people, one a line: the first few, with numbers that can be read.
    pub fn reasons_in_short(&self, action: &GroundAction, reason: &Inapplicable) -> Vec<String> {
        match reason {
            Inapplicable::Precondition(violations) => self.in_short(violations),
            _ => self.reasons(action, reason),
        }
    }

    /// What became of a plan, in a line and the reasons below it, for people.
    pub fn verdict(&self, problem: &Problem, plan: &Plan, verdict: &PlanVerdict) -> String {
        let steps = count(plan.steps.len(), "step");
        match verdict {
            PlanVerdict::Valid { metric } => {
                let metric = match metric {
                    Some(Ok(value)) => format!("; the metric is {}", rounded::number(value)),
                    Some(Err(fault)) => format!("; the metric has no value: {}", self.fault(fault)),
                    None => String::new(),
                };
                format!("valid: {steps}, and the goal of {} holds{metric}\n", problem.name)
            }
            PlanVerdict::StepFails(failed) => {
                let line = plan.steps[failed.index].line;
                let mut text = format!(
                    "invalid: step {} of {} (line {line}) cannot be taken: {}\n",
                    failed.index + 1,
                    plan.steps.len(),
                    self.action(&failed.action)
                );
                for reason in self.reasons_in_short(&failed.action, &failed.reason) {
                    text += &format!("  {reason}\n");
                }
                text
            }
            PlanVerdict::GoalUnmet(violations) => {
                let mut text =
                    format!("invalid: {steps}, but the goal of {} does not hold\n", problem.name);
                for line in self.in_short(violations) {
                    text += &format!("  {line}\n");
                }
                text
            }
        }
    }

    /// Conditions that do not hold, for people: the first few of them, and how many more there are.
    pub fn in_short(&self, violations: &[Violation]) -> Vec<String> {
        first_few(
            violations.iter().map(|violation| self.violation_in_short(violation)),
            violations.len(),
            "condition",
        )
    }

    /// The condition, and why it does not hold, with numbers that can be read.
    pub fn violation_in_short(&self, violation: &Violation) -> String {
        let (condition, mark) = match rounded::condition(&violation.condition) {
            Some(short) => {
                (self.writer().with_objects(&violation.environment).condition(&short), " (rounded)")
            }
            None => (self.condition(violation), ""),
        };
        let cause = match (&violation.cause, &violation.condition) {
            (ViolationCause::Values(left, right), Condition::Compare(comparison, _)) => {
                let [left, right] = rounded::pair(left, right);
                format!("{left} {} {right} is false", comparison.symbol())
            }
            _ => self.cause(violation),
        };
        format!("{condition}{mark}: {cause}")
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
        let error =
            format!("{:#}", write_file(&folder.path().join("none/x.pddl"), b"").unwrap_err());
        assert!(
            error.contains("x.pddl: there is no folder ") && !error.contains(".surefoot-"),
            "{error}"
        );
    }
}
