//! What is learned from: trajectories of a domain, or a log with its map.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use surefoot_base::assumptions::Spec;
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{
    Diagnostic, Numbers, ReadError, Source, read_problem, with_chosen_numbers,
};
use surefoot_learn::{Provenance, Recording, Trace, Visit};
use surefoot_log::{Log, Meaning, Table};

use crate::args::RecordedArguments;
use surefoot_io::corpus::{self, TraceFile, TraceFiles};
use surefoot_io::input;
use surefoot_io::output::shown_path;
use surefoot_io::streams::is_standard;
use surefoot_io::voice;

/// Recorded executions, and the domain that they are of.
pub enum GivenRecords {
    /// Trajectories in PDDL, with the domain that they are read with.
    Traces(Box<Domain>, Vec<TraceFile>),
    /// A log, with its map.
    Log(Box<Log>),
}

impl GivenRecords {
    /// Opens what was typed.
    pub fn of<const REQUIRED: bool>(recorded: &RecordedArguments<REQUIRED>) -> Result<Self> {
        let RecordedArguments { traces, domain, map, problems } = recorded;
        Self::open(traces, domain.as_deref(), map.as_deref(), problems.as_deref())
    }

    /// Opens what a command names: logs where there is a map, trajectories where there is a domain.
    pub fn open(
        paths: &[PathBuf],
        domain: Option<&Path>,
        map: Option<&Path>,
        problems: Option<&Path>,
    ) -> Result<Self> {
        match (map, domain) {
            (Some(map), _) => Ok(GivenRecords::Log(Box::new(log(paths, map)?))),
            (None, Some(domain)) => Ok(GivenRecords::Traces(
                Box::new(input::vocabulary(domain)?),
                corpus::traces(paths, problems)?,
            )),
            (None, None) => match paths.iter().find(|path| is_log(path)) {
                Some(path) => bail!(
                    "{0} looks like a log: say what its columns mean with --map MAP.toml; \
                     `surefoot import --guess {0}` writes one to start from",
                    shown_path(path)
                ),
                None => bail!("name the domain with -d, or the map of a log with --map"),
            },
        }
    }

    /// The domain of the records: the given one, or that of the log's map.
    pub fn domain(&self) -> &Domain {
        match self {
            GivenRecords::Traces(domain, _) => domain,
            GivenRecords::Log(log) => log.domain(),
        }
    }

    /// What is learned from the records: the spec that was asked for, with the parts that the map
    /// of a log declares.
    pub fn with_parts(&self, spec: Spec) -> Result<Spec> {
        match self {
            GivenRecords::Traces(..) => Ok(spec),
            GivenRecords::Log(log) => {
                Ok(log.meaning().with_parts(spec).map_err(ReadError::from)?)
            }
        }
    }

    /// Whether the map of a log declares parts of an action.
    pub fn has_parts(&self) -> bool {
        matches!(self, GivenRecords::Log(log) if !log.meaning().split.is_empty())
    }

    /// The sentences about parts in the map of a log that are not assumed by the model of a spec.
    pub fn missing_parts(&self, spec: &Spec) -> Result<Vec<String>> {
        match self {
            GivenRecords::Traces(..) => Ok(Vec::new()),
            GivenRecords::Log(log) => {
                Ok(log.meaning().missing_parts(spec).map_err(ReadError::from)?)
            }
        }
    }

    /// How many traces there are.
    pub fn len(&self) -> usize {
        match self {
            GivenRecords::Traces(_, traces) => traces.len(),
            GivenRecords::Log(log) => log.traces(),
        }
    }

    /// The files of the trajectories; none of a log.
    pub fn traces(&self) -> &[TraceFile] {
        match self {
            GivenRecords::Traces(_, traces) => traces,
            GivenRecords::Log(_) => &[],
        }
    }

    /// Where the records of a trace stand in a log, by their number; of trajectories, nothing: there
    /// they stand in the text itself.
    pub fn places(&self, trace: usize, numbers: Numbers) -> Result<BTreeMap<usize, String>> {
        let GivenRecords::Log(log) = self else { return Ok(BTreeMap::new()) };
        let mut places = BTreeMap::new();
        log.read(trace, log.domain(), numbers, false, &mut |recorded| {
            let place = recorded.error(String::new()).place;
            places.insert(recorded.index, format!("{}:{}", place.file, place.position.line));
            true
        })?;
        Ok(places)
    }

    /// A trace as text, and its objects; of a log, the text that `import` writes.
    pub fn text(&self, trace: usize, numbers: Numbers) -> Result<(Arc<Source>, Objects)> {
        match self {
            GivenRecords::Traces(domain, traces) => {
                let source = traces[trace].source()?;
                let objects = traces[trace].objects(&source, domain, numbers)?;
                Ok((source, objects))
            }
            GivenRecords::Log(log) => {
                let mut text = Vec::new();
                let problem = log.write(trace, &mut text).map_err(|error| match error {
                    Ok(error) => anyhow!(error),
                    Err(error) => error.into(),
                })?;
                let name = log.episodes().nth(trace).unwrap_or("log");
                let problem = read_problem(&Source::new(name, problem), log.domain(), numbers)?;
                let source = Source::from_bytes(name, text).map_err(ReadError::from)?;
                let objects = with_chosen_numbers(problem.objects, &source, log.domain())?;
                Ok((Arc::new(source), objects))
            }
        }
    }
}

impl Recording for GivenRecords {
    fn traces(&self) -> usize {
        self.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        match self {
            GivenRecords::Traces(_, traces) => {
                TraceFiles(traces).read(trace, domain, numbers, with_digest, visit)
            }
            GivenRecords::Log(log) => log.read(trace, domain, numbers, with_digest, visit),
        }
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        match self {
            GivenRecords::Traces(_, traces) => TraceFiles(traces).digest(trace),
            GivenRecords::Log(log) => log.digest(trace),
        }
    }

    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        match self {
            GivenRecords::Traces(_, traces) => TraceFiles(traces).text(trace, domain, numbers),
            // Its records are rows.
            GivenRecords::Log(_) => Ok(None),
        }
    }
}

/// Opens logs; `-` is standard input.
pub fn log(paths: &[PathBuf], map: &Path) -> Result<Log, ReadError> {
    if paths.is_empty() {
        return Err(Diagnostic::of_file(&shown_path(map), "this map has no log to go with")
            .help("name a CSV or JSON-lines file")
            .into());
    }
    let meaning = Meaning::read(&input::source(map)?)?;
    let tables = paths.iter().map(|path| table(path)).collect::<Result<_, _>>()?;
    let folder =
        map.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let log = Log::open(meaning, folder, tables)?;
    tell_doubts(&log);
    Ok(log)
}

/// Whether a path ends as logs do.
fn is_log(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    [".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet"].iter().any(|end| name.ends_with(end))
}

/// Says what in the map of a log is probably not meant; what would make a wrong model, however
/// quiet.
fn tell_doubts(log: &Log) {
    for doubt in log.doubts() {
        if doubt.is_grave { voice::warn(&doubt.text) } else { voice::note(&doubt.text) }
    }
}

/// A table in a file; `-` is standard input.
pub fn table(path: &Path) -> Result<Table, ReadError> {
    let table = if is_standard(path) {
        Table::read("standard input", &mut io::stdin().lock(), None)
    } else {
        Table::open(path)
    };
    Ok(table?)
}
