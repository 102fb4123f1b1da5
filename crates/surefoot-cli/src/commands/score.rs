//! `surefoot score`: what a model says of recorded executions that it has not seen, without the
//! real domain.

use anyhow::{Context, Result};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use surefoot_analysis::assess::{at_most, in_lines};
use surefoot_analysis::evaluate::{ActionLogScore, LogScore, aligned_with_errors, score};
use surefoot_base::assumptions::Unchanged;
use surefoot_base::model::Domain;
use surefoot_base::pddl::Numbers;
use surefoot_learn::Recording;

use crate::args::{Format, ScoreArguments};
use crate::records::GivenRecords;
use surefoot_io::input::{self, ModelFile};
use surefoot_io::output::{Answer, print_json, say};
use surefoot_io::progress::{self, ProgressLine};
use surefoot_io::{paint, voice};

#[derive(Serialize)]
struct ScoreRow<'a> {
    action: &'a str,
    worked: u64,
    allowed: u64,
    mistaken: u64,
    failed: u64,
    allowed_failures: u64,
    undecided: u64,
}

#[derive(Serialize)]
struct Report<'a> {
    actions: Vec<ScoreRow<'a>>,
    all: ScoreRow<'a>,
    contradictions: Vec<String>,
    traces: usize,
    /// With an event that contradicts the model.
    wrong_traces: usize,
    /// The traces that the model was learned from; `None` where its file does not say.
    learned_from: Option<usize>,
    /// The share of new traces that go wrong, at most, with confidence 95 %, if these traces are
    /// new; `None` where some are not.
    wrong_at_most: Option<f64>,
}

/// The confidence of the bound.
const CONFIDENCE: f64 = 0.95;

pub fn run(arguments: &ScoreArguments) -> Result<Answer> {
    let records = GivenRecords::open(
        &arguments.records,
        arguments.domain.as_deref().or(Some(&arguments.model)),
        arguments.map.as_deref(),
        arguments.problems.as_deref(),
    )?;
    let vocabulary = records.domain();
    let given = input::model(&arguments.model)?;
    let model = aligned_with_errors(&given.for_planning(None)?, vocabulary)
        .context("the model is not of this log")?;
    let errors = given.errors(&model)?;
    let (numbers, unchanged_failed) = readings(arguments, &given);
    let scored =
        score(vocabulary, &model, &errors, numbers, unchanged_failed, &records, &ProgressLine);
    progress::clear();
    let scored = scored?;
    let report = report(vocabulary, &scored, learned_from(&given, &records)?);
    match arguments.speech.format {
        Format::Json => print_json(&report)?,
        Format::Text => {
            if let all @ 1.. = scored.total().contradictions() {
                say(&told(&report.contradictions, all))?;
            }
            say(&paint::headed(&table(&report)))?;
            say(&went_wrong(&report, &scored))?;
        }
    }
    Ok(if scored.total().contradictions() == 0 { Answer::Yes } else { Answer::No })
}

/// How recorded numbers are read, and whether steps that changed nothing are read as failed
/// attempts: as asked for, or else as the model's stamp says.
fn readings(arguments: &ScoreArguments, model: &ModelFile) -> (Numbers, bool) {
    if model.stamp.is_none() && (arguments.decimals.is_none() || arguments.unchanged.is_none()) {
        voice::note(
            "the model has no stamp, so it does not say how its records were read: unless \
             --decimals or --unchanged say otherwise, numbers are taken for exact, and steps that \
             changed nothing for steps that worked",
        );
    }
    let decimals = arguments.decimals.or_else(|| {
        let places = model.spec()?.decimals?;
        voice::note(&format!(
            "numbers are rounded to {places} decimals, since the model's stamp says so"
        ));
        Some(places)
    });
    let stamped = model.spec().is_some_and(|spec| spec.unchanged == Some(Unchanged::Failed));
    if stamped && arguments.unchanged.is_none() {
        voice::note(
            "steps that changed nothing are read as failed attempts where their action's effects \
             change something, since the model's stamp says so; elsewhere they count as undecided",
        );
    }
    (decimals.map_or(Numbers::Exact, Numbers::Decimals), arguments.unchanged.is_some() || stamped)
}

/// The first contradictions of so many, for people.
fn told(contradictions: &[String], all: u64) -> String {
    const SHOWN: usize = 3;
    let mut text =
        "The records contradict the model, so an assumption in its header is false:\n\n".to_owned();
    let shown = &contradictions[..contradictions.len().min(SHOWN)];
    shown.iter().for_each(|one| text += &format!("{}\n\n", one.trim_end()));
    let more = all - shown.len() as u64;
    if more > 0 { text + &format!("and {more} more\n\n") } else { text }
}

/// How many of the traces the model was learned from, if its file says from which ones it was.
fn learned_from(model: &ModelFile, records: &GivenRecords) -> Result<Option<usize>> {
    let Some(certificate) = model.certificate(None)? else { return Ok(None) };
    let mut known = 0;
    for trace in 0..Recording::traces(records) {
        known += usize::from(certificate.traces.contains(&records.digest(trace)?));
    }
    Ok(Some(known))
}

/// What the traces say of new ones, whatever is true of the world.
fn went_wrong(report: &Report<'_>, scored: &LogScore) -> String {
    let traces = |count: usize| match count {
        1 => "1 trace".to_owned(),
        more => format!("{more} traces"),
    };
    let steps = match scored.total().all_allowed() {
        1 => "1 step".to_owned(),
        more => format!("{more} steps"),
    };
    let wrong = match scored.total().contradictions() {
        0 => "none went wrong".to_owned(),
        some => format!("{some} went wrong, in {}", traces(scored.wrong_traces.len())),
    };
    let tried = format!("Tried on {}: {steps} allowed, {wrong}.", traces(scored.traces));
    let proved = match (report.wrong_at_most, report.learned_from) {
        (None, Some(known)) if known < scored.traces => format!(
            "The model was learned from {known} of them, so they prove nothing about new ones."
        ),
        (None, _) => {
            "The model was learned from these traces, so they prove nothing about new ones."
                .to_owned()
        }
        (Some(_), _) if scored.traces < 2 => {
            "Bounds count traces, so one trace proves nothing about new ones.".to_owned()
        }
        (Some(share), known) => format!(
            "With confidence 95 %, at most {} of new traces contain a step that the model allows \
             and that goes wrong, whatever is true of the actions. It relies on the records being \
             read correctly; failures by chance are not counted. This needs traces \
             that are drawn independently from the same source{}.",
            at_most(share),
            if known.is_none() { ", and that the model was not learned from" } else { "" }
        ),
    };
    format!("\n{}", in_lines(&format!("{tried} {proved}")))
}

fn row(action: &str, score: ActionLogScore) -> ScoreRow<'_> {
    let ActionLogScore { worked, allowed, mistaken, failed, allowed_failures, undecided } = score;
    ScoreRow { action, worked, allowed, mistaken, failed, allowed_failures, undecided }
}

fn report<'a>(vocabulary: &'a Domain, score: &LogScore, learned_from: Option<usize>) -> Report<'a> {
    let actions = vocabulary
        .actions
        .iter()
        .map(|(name, _)| name)
        .zip(&score.actions)
        .map(|(name, &of)| row(name, of))
        .collect();
    let contradictions = score.contradictions.iter().map(ToString::to_string).collect();
    let is_new = learned_from.is_none_or(|known| known == 0);
    Report {
        actions,
        all: row("all", score.total()),
        contradictions,
        traces: score.traces,
        wrong_traces: score.wrong_traces.len(),
        learned_from,
        wrong_at_most: is_new.then(|| score.wrong_at_most(CONFIDENCE)),
    }
}

fn table(report: &Report<'_>) -> String {
    let mut table = Table::new();
    let header = [
        "action",
        "worked",
        "allowed",
        "share",
        "other outcome",
        "failed",
        "wrongly allowed",
        "undecided",
    ];
    table.load_style(presets::NOTHING).set_header(header);
    for row in report.actions.iter().chain([&report.all]) {
        #[allow(clippy::cast_precision_loss)] // counts of rows, to be read
        let share = if row.worked == 0 {
            "-".to_owned()
        } else {
            format!("{:.3}", row.allowed as f64 / row.worked as f64)
        };
        let mut cells =
            vec![row.action.to_owned(), row.worked.to_string(), row.allowed.to_string(), share];
        cells.extend(
            [row.mistaken, row.failed, row.allowed_failures, row.undecided]
                .map(|count| count.to_string()),
        );
        table.add_row(cells);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
