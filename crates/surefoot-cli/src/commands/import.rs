//! `surefoot import`: a log as a domain with problems and trajectories.

use std::collections::BTreeMap;
use std::io::BufWriter;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use surefoot::learn::Recording;
use surefoot::lint::lint;
use surefoot::pddl::{Numbers, ReadError, Source, visible, write_domain};
use surefoot_log::{Log, Meaning};

use crate::args::{Format, Import};
use crate::commands::lint::{as_json, in_words};
use crate::output::{Answer, make_folder, print, print_json, shown_path, write_file};
use crate::{guard, interrupt, progress, records, voice};

pub fn run(arguments: &Import) -> Result<Answer> {
    let map = match &arguments.map {
        Some(map) => map,
        None if arguments.guess => return guess(arguments),
        None => bail!(
            "say what the columns mean with --map MAP.toml; `surefoot import --guess {}` writes one to start from",
            arguments.logs.first().map_or_else(|| "LOG".to_owned(), shown_path)
        ),
    };
    let log = records::log(&arguments.logs, map)?;
    progress::stage("reading", log.traces(), "episodes");
    if let Some(folder) = &arguments.output {
        guard::import(arguments, &log)?;
        make_folder(folder)?;
        write_file(&folder.join("domain.pddl"), write_domain(log.domain()).as_bytes())?;
        let declared = &log.meaning().declarations;
        let reading: String = log.meaning().reading().iter().map(|sentence| format!("{sentence}\n")).collect();
        write_file(&folder.join("reading.txt"), reading.as_bytes())?;
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
    let [log] = &arguments.logs[..] else { bail!("--guess looks at one log: name the one that has most to tell") };
    let guessed = surefoot_log::guess(&records::table(log)?).map_err(ReadError::from)?;
    let map = guessed.text;
    let name = log.file_stem().map_or_else(|| "log".to_owned(), |stem| format!("{}.toml", stem.to_string_lossy()));
    let meaning = Meaning::draft(&Source::new(&name, &map), false).map_err(ReadError::from)?;
    let domain = write_domain(&meaning.domain);
    match &arguments.output {
        Some(folder) => {
            let (map_path, domain_path) = (folder.join("map.toml"), folder.join("domain.pddl"));
            guard::guess(&arguments.logs, &map_path, &domain_path)?;
            make_folder(folder)?;
            write_file(&map_path, map.as_bytes())?;
            write_file(&domain_path, domain.as_bytes())?;
            voice::summary(&format!("wrote {} and {}\n", shown_path(&map_path), shown_path(&domain_path)));
        }
        None if arguments.format == Format::Json => print_json(&serde_json::json!({
            "map": map,
            "domain": domain,
            "questions": guessed.questions.iter().map(|question| (&*question.name, &*question.text)).collect::<BTreeMap<_, _>>(),
        }))?,
        None => {
            let comment: String = domain.lines().map(|line| format!("# {line}").trim_end().to_owned() + "\n").collect();
            print(&format!("{map}\n# The domain that this means:\n{comment}"))?;
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
