//! `surefoot import`: a log as a domain with problems and trajectories.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Result, bail};
use surefoot_analysis::lint::lint;
use surefoot_base::pddl::{Numbers, ReadError, Source, visible, write_domain};
use surefoot_learn::Recording;
use surefoot_log::{Log, Meaning};

use crate::args::{Format, Import};
use crate::commands::lint::{as_json, in_words};
use crate::{guard, records};
use surefoot_io::output::{
    Answer, Outputs, StagedFolder, count, make_folder, print, print_json, shown_path,
};
use surefoot_io::{progress, voice};

pub fn run(arguments: &Import) -> Result<Answer> {
    let map = match &arguments.map {
        Some(map) => map,
        None if arguments.guess => return guess(arguments),
        None => bail!(
            "say what the columns mean with --map MAP.toml; `surefoot import --guess {}` writes \
             one to start from",
            arguments.logs.first().map_or_else(|| "LOG".to_owned(), shown_path)
        ),
    };
    let log = records::log(&arguments.logs, map)?;
    progress::stage("reading", log.traces(), "episodes");
    match &arguments.output {
        Some(folder) => {
            guard::import(arguments, &log)?;
            make_folder(folder)?;
            write(&log, folder)?;
            warn_of_others(&log, folder);
            if !log.meaning().split.is_empty() {
                let path = shown_path(folder.join("parts.json"));
                voice::note(&format!(
                    "the map splits actions into parts, and trajectories do not say so: when you \
                     learn from {}, add --parts {path}",
                    shown_path(folder)
                ));
            }
        }
        None => {
            for trace in 0..log.traces() {
                log.digest(trace)?;
                progress::part_done();
            }
        }
    }
    progress::clear();
    let tally = log.tally();
    tally.warnings().iter().for_each(|warning| voice::warn(warning));
    if !arguments.quiet {
        // Whether the map names what matters shows as soon as there are states.
        let findings = lint(&log, log.domain(), Numbers::Exact)?;
        match arguments.format {
            Format::Json => {
                let mut value = serde_json::to_value(&tally)?;
                value["doubts"] = serde_json::to_value(log.doubts())?;
                value["lint"] = as_json(&findings)?.into();
                print_json(&value)?;
            }
            Format::Text => print(&(tally.to_string() + &in_words(&findings)))?,
        }
    }
    Ok(Answer::Yes)
}

/// Writes the map that the first log would be read with, and the domain that it means.
fn guess(arguments: &Import) -> Result<Answer> {
    let [log] = &arguments.logs[..] else {
        bail!("--guess reads one log: name the most complete one")
    };
    let guessed = surefoot_log::guess(&records::table(log)?).map_err(ReadError::from)?;
    let map = guessed.text;
    let name = log
        .file_stem()
        .map_or_else(|| "log".to_owned(), |stem| format!("{}.toml", stem.to_string_lossy()));
    let meaning = Meaning::draft(&Source::new(&name, &map), false).map_err(ReadError::from)?;
    let domain = write_domain(&meaning.domain);
    match &arguments.output {
        Some(folder) => {
            let (map_path, domain_path) = (folder.join("map.toml"), folder.join("domain.pddl"));
            guard::guess(&arguments.logs, &map_path, &domain_path)?;
            make_folder(folder)?;
            let mut outputs = Outputs::default();
            outputs.add(&map_path, map.as_bytes());
            outputs.add(&domain_path, domain.as_bytes());
            outputs.write()?;
            voice::summary(&format!(
                "wrote {} and {}\n",
                shown_path(&map_path),
                shown_path(&domain_path)
            ));
        }
        None if arguments.format == Format::Json => print_json(&serde_json::json!({
            "map": map,
            "domain": domain,
            "questions": guessed
                .questions
                .iter()
                .map(|question| (&*question.name, &*question.text))
                .collect::<BTreeMap<_, _>>(),
        }))?,
        None => {
            let comment: String = domain
                .lines()
                .map(|line| format!("# {line}").trim_end().to_owned() + "\n")
                .collect();
            print(&format!("{map}\n# The domain of this map:\n{comment}"))?;
        }
    }
    if !guessed.questions.is_empty() {
        let count = match guessed.questions.len() {
            1 => "1 question to answer in the map before it can be used".to_owned(),
            count => format!("{count} questions to answer in the map before it can be used"),
        };
        let list: String = guessed
            .questions
            .iter()
            .map(|question| format!("\n  {}: {}", visible(&question.name), visible(&question.text)))
            .collect();
        voice::warn(&format!("{count}:{list}"));
    }
    Ok(Answer::Yes)
}

/// Says which trajectories in the folder are not of this log: `learn` would read them, too.
fn warn_of_others(log: &Log, folder: &Path) {
    let written: BTreeSet<String> =
        log.file_names().iter().map(|name| format!("{name}.trajectory")).collect();
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let others: BTreeSet<String> =
        names.filter(|name| name.ends_with(".trajectory") && !written.contains(name)).collect();
    if let Some(first) = others.first() {
        voice::warn(&format!(
            "{} has {} not from this log, such as {}: learning from the folder \
             learns from {} too",
            shown_path(folder),
            count(others.len(), "trajectory file"),
            visible(first),
            if others.len() == 1 { "it" } else { "them" },
        ));
    }
}

/// Writes the domain, the assumptions of the map and all episodes: every file, or none where a row
/// cannot be read.
fn write(log: &Log, folder: &Path) -> Result<()> {
    let mut staged = StagedFolder::new(folder)?;
    staged.write("domain.pddl", write_domain(log.domain()).as_bytes())?;
    let reading: String =
        log.meaning().reading().iter().map(|sentence| format!("{sentence}\n")).collect();
    staged.write("reading.txt", reading.as_bytes())?;
    let declared = &log.meaning().declarations;
    if !declared.is_empty() {
        staged
            .write("declared.json", (serde_json::to_string_pretty(declared)? + "\n").as_bytes())?;
    }
    let parts = log.meaning().parts();
    if !parts.is_empty() {
        staged.write("parts.json", (serde_json::to_string_pretty(&parts)? + "\n").as_bytes())?;
    }
    for (trace, name) in log.file_names().iter().enumerate() {
        let trajectory = format!("{name}.trajectory");
        // A trajectory may be long, so it goes to its file as it comes.
        let mut target = BufWriter::new(staged.create(&trajectory)?);
        let written = log.write(trace, &mut target);
        let problem = written.map_err(|error| match error {
            Ok(error) => staged.unwritable(&trajectory, error),
            Err(error) => error.into(),
        })?;
        target.flush().map_err(|error| staged.unwritable(&trajectory, error))?;
        staged.write(&format!("{name}.pddl"), problem.as_bytes())?;
        progress::part_done();
    }
    staged.persist()
}
