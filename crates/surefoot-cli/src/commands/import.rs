//! `surefoot import`: a log as a domain with problems and trajectories.

use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use surefoot::learn::Recording;
use surefoot::pddl::write_domain;
use surefoot_log::Log;

use crate::args::{Format, Import};
use crate::output::{Answer, make_folder, print, print_json, shown_path, write_file};
use crate::{guard, interrupt, progress, records};

pub fn run(arguments: &Import) -> Result<Answer> {
    let log = records::log(&arguments.logs, &arguments.map)?;
    progress::stage("reading", log.traces(), "episodes");
    if let Some(folder) = &arguments.output {
        guard::import(arguments, &log)?;
        make_folder(folder)?;
        write_file(&folder.join("domain.pddl"), write_domain(log.domain()).as_bytes())?;
        let declared = &log.meaning().declarations;
        if !declared.is_empty() {
            write_file(&folder.join("declared.json"), (serde_json::to_string_pretty(declared)? + "\n").as_bytes())?;
        }
    }
    for (trace, name) in log.file_names().iter().enumerate() {
        match &arguments.output {
            Some(folder) => write(&log, trace, folder, name)?,
            None => drop(log.digest(trace)?),
        }
        progress::part_done();
    }
    progress::clear();
    if !arguments.quiet {
        match arguments.format {
            Format::Json => print_json(&log.tally())?,
            Format::Text => print(&log.tally().to_string())?,
        }
    }
    Ok(Answer::Yes)
}

/// Writes one episode: its trajectory may be long, so it goes to its file as it comes.
fn write(log: &Log, trace: usize, folder: &Path, name: &str) -> Result<()> {
    let path = folder.join(name).with_extension("trajectory");
    let cannot = || format!("cannot write {}", shown_path(&path));
    let mut file = tempfile::Builder::new().prefix(".surefoot-").tempfile_in(folder).with_context(cannot)?;
    let _unfinished = interrupt::unfinished(file.path());
    let problem = log.write(trace, &mut BufWriter::new(&mut file)).map_err(|error| match error {
        Ok(error) => anyhow!(error).context(cannot()),
        Err(error) => error.into(),
    })?;
    file.persist(&path).map_err(|error| error.error).with_context(cannot)?;
    write_file(&folder.join(name).with_extension("pddl"), problem.as_bytes())
}
