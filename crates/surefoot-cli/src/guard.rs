//! Refuses outputs that would destroy what is read, before anything is written. What each command
//! reads and writes is listed here.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use surefoot_log::Log;

use crate::args::{
    ExperimentArguments, Import, Learn, Merge, PlanArguments, ProblemArguments, ReportArguments,
    TaskArguments, TraceArguments,
};
use surefoot_io::corpus;
use surefoot_io::maps;
use surefoot_io::output::shown_path;
use surefoot_io::streams::is_standard;
use surefoot_lab::experiment::config::Config;
use surefoot_lab::experiment::results;

/// A file that a command writes: the option that names it, and its path.
type OutputPath<'a> = (&'a str, &'a Path);

/// Which file a path names, whatever way it is spelled and linked.
#[derive(PartialEq, Eq)]
enum Identity {
    /// By device and number.
    There(u64, u64),
    /// Where it would be made.
    New(PathBuf),
}

/// `None` for what is no file: standard streams, folders, and devices such as /dev/null, which
/// nothing is lost by writing to.
fn identity(path: &Path) -> Option<Identity> {
    if is_standard(path) {
        return None;
    }
    match fs::metadata(path) {
        Ok(found) => found.is_file().then(|| Identity::There(found.dev(), found.ino())),
        Err(_) => {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            Some(Identity::New(fs::canonicalize(folder).ok()?.join(path.file_name()?)))
        }
    }
}

/// Refuses targets that are one of the files read, by the same path, a symbolic or a hard link, and
/// two targets that are one file.
pub fn check<'a>(
    targets: &[OutputPath<'a>],
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let targets: Vec<(&OutputPath<'_>, Identity)> =
        targets.iter().filter_map(|target| Some((target, identity(target.1)?))).collect();
    for (index, ((option, path), file)) in targets.iter().enumerate() {
        if let Some(((other, _), _)) = targets[..index].iter().find(|(_, earlier)| earlier == file)
        {
            bail!(
                "{other} and {option} name one file, {}; nothing was written: choose another file \
                 for one of them",
                shown_path(path)
            );
        }
    }
    if targets.is_empty() {
        return Ok(());
    }
    for input in inputs {
        let Some(read) = identity(input) else { continue };
        if let Some(((option, path), _)) = targets.iter().find(|(_, file)| *file == read) {
            let same = if *path == input {
                String::new()
            } else {
                format!(", which is {}", shown_path(input))
            };
            bail!(
                "{option} would overwrite {}{same}, which is read; nothing was written: choose \
                 another file",
                shown_path(path)
            );
        }
    }
    Ok(())
}

fn given<'a>(targets: &[(&'a str, &'a Option<PathBuf>)]) -> Vec<OutputPath<'a>> {
    targets.iter().filter_map(|(option, path)| Some((*option, path.as_deref()?))).collect()
}

fn of_task(task: &TaskArguments) -> impl Iterator<Item = &Path> {
    [Some(&task.domain), Some(&task.problem), task.certificate.as_ref()]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
}

/// `surefoot learn`. A state may be updated in place.
pub fn learn(arguments: &Learn, traces: &[corpus::TraceFile]) -> Result<()> {
    let Learn { output, state, certificate, resume, .. } = arguments;
    let maps: Vec<PathBuf> = arguments.dials.files().collect();
    let of_traces = traces.iter().flat_map(|trace| [&trace.path].into_iter().chain(&trace.problem));
    let logs = arguments
        .recorded
        .map
        .iter()
        .flat_map(|map| [map].into_iter().chain(&arguments.recorded.traces));
    let files = arguments.recorded.domain.iter().chain(&maps).chain(of_traces).chain(logs);
    check(
        &given(&[("-o", output), ("--save-state", state), ("--certificate", certificate)]),
        files.map(PathBuf::as_path),
    )?;
    check(&given(&[("-o", output), ("--certificate", certificate)]), resume.as_deref())
}

/// `surefoot import --guess`: the two files of its folder.
pub fn guess(logs: &[PathBuf], map: &Path, domain: &Path) -> Result<()> {
    check(&[("-o", map), ("-o", domain)], logs.iter().map(PathBuf::as_path))
}

/// `surefoot import`: the files of its folder.
pub fn import(arguments: &Import, log: &Log) -> Result<()> {
    let Some(folder) = &arguments.output else { return Ok(()) };
    let names = log
        .file_names()
        .into_iter()
        .flat_map(|name| [format!("{name}.pddl"), format!("{name}.trajectory")]);
    let targets: Vec<PathBuf> = names
        .chain(["domain.pddl", "declared.json", "parts.json", "reading.txt"].map(str::to_owned))
        .map(|name| folder.join(name))
        .collect();
    let targets: Vec<OutputPath<'_>> = targets.iter().map(|path| ("-o", &**path)).collect();
    check(&targets, arguments.map.iter().chain(&arguments.logs).map(PathBuf::as_path))
}

/// Refuses `surefoot merge` if it would overwrite a file that it reads.
pub fn merge(arguments: &Merge) -> Result<()> {
    check(&[("-o", &arguments.output)], arguments.states.iter().map(PathBuf::as_path))
}

/// Refuses `surefoot plan` if it would overwrite a file that it reads.
pub fn plan(arguments: &PlanArguments) -> Result<()> {
    check(
        &given(&[("-o", &arguments.output)]),
        of_task(&arguments.task).chain(arguments.planners.places.files()),
    )
}

/// Refuses `surefoot problem` if it would overwrite a file that it reads.
pub fn problem(arguments: &ProblemArguments) -> Result<()> {
    let map = arguments.error.as_ref().filter(|text| !maps::is_number(text)).map(Path::new);
    check(
        &given(&[
            ("-o", &arguments.output),
            ("--one-action-per-part", &arguments.one_action_per_part),
        ]),
        [&*arguments.domain, &*arguments.problem].into_iter().chain(map),
    )
}

/// Refuses `surefoot trace` if it would overwrite a file that it reads.
pub fn trace(arguments: &TraceArguments) -> Result<()> {
    check(&given(&[("-o", &arguments.output)]), of_task(&arguments.task).chain([&*arguments.plan]))
}

/// `surefoot experiment`: the files of its folder, but those of cells, which are told apart by
/// their own names.
pub fn experiment(arguments: &ExperimentArguments, config: &Config) -> Result<()> {
    let targets: Vec<PathBuf> =
        results::FILES.iter().map(|name| arguments.output.join(name)).collect();
    let targets: Vec<OutputPath<'_>> = targets.iter().map(|path| ("-o", &**path)).collect();
    let maps =
        config.domains.iter().flat_map(|domain| [&domain.monotone, &domain.relevant]).flatten();
    check(&targets, [&arguments.config].into_iter().chain(maps).map(PathBuf::as_path))
}

/// `surefoot report`: the page, against the results it is made of.
pub fn report(arguments: &ReportArguments) -> Result<()> {
    let cells = fs::read_dir(arguments.folder.join("cells"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path());
    let files: Vec<PathBuf> =
        results::FILES.iter().map(|name| arguments.folder.join(name)).chain(cells).collect();
    check(&given(&[("-o", &arguments.output)]), files.iter().map(PathBuf::as_path))
}
