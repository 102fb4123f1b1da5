//! `surefoot evaluate`: a learned domain against the real one, by the metrics of the paper.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use surefoot_analysis::evaluate::{
    ActionAnswers, Metric, Score, Scores, Successors, Walks, aligned_with_errors,
};
use surefoot_base::model::{Domain, TypeSet};
use surefoot_base::pddl::Numbers;
use surefoot_learn::Settings;
use surefoot_learn::{Answers, FAILS_ONLY};

use crate::args::{Evaluate, Format};
use surefoot_io::input::{self, ModelFile};
use surefoot_io::output::{Answer, count, print_json, say, shown_path, warn};
use surefoot_io::tolerance::Tolerance;
use surefoot_io::{paint, progress, rounded};
use surefoot_lab::coverage::Judged;
use surefoot_lab::evaluation::{self, ActionScores, Evaluation, Tests};

/// What `--format json` prints.
#[derive(Serialize)]
struct EvaluationReport {
    seed: u64,
    measured: &'static str,
    /// What the model says of itself if it promises nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_safe: Option<String>,
    /// By how much comparisons were allowed to be missed; nothing where they are exact.
    #[serde(skip_serializing_if = "Tolerance::is_zero")]
    tolerance: Tolerance,
    problems: usize,
    traces: usize,
    steps: usize,
    mean: EvaluationRow,
    actions: Vec<EvaluationRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<CoverageCounts>,
    /// How often each of the three answers was given; only where failed attempts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<Vec<AnswerRow>>,
    /// How far off successors are; only where the model knows numbers within errors only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    successors: Vec<SuccessorRow>,
}

/// How far off the successors of an action are, as fractions.
#[derive(Serialize)]
struct SuccessorRow {
    action: String,
    #[serde(flatten)]
    errors: BTreeMap<&'static str, String>,
    #[serde(skip)]
    found: Successors,
}

impl From<Successors> for SuccessorRow {
    fn from(found: Successors) -> Self {
        let errors = found
            .scores()
            .map(|(metric, number)| (metric.name(), number.to_string()))
            .into_iter()
            .collect();
        SuccessorRow { action: found.action.clone(), errors, found }
    }
}

/// The answers about the steps of an action.
#[derive(Serialize)]
struct AnswerRow {
    action: String,
    #[serde(flatten)]
    counts: BTreeMap<&'static str, u64>,
}

impl From<ActionAnswers> for AnswerRow {
    fn from(answers: ActionAnswers) -> Self {
        let counts =
            answers.counts().map(|(metric, count)| (metric.name(), count)).into_iter().collect();
        AnswerRow { action: answers.action, counts }
    }
}

/// The figures of an action, or their means.
#[derive(Serialize)]
struct EvaluationRow {
    #[serde(skip_serializing_if = "String::is_empty")]
    action: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<bool>,
    #[serde(flatten, serialize_with = "by_name")]
    scores: Scores,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applicable: Option<u64>,
}

/// Shares as numbers, exact numbers as fractions, `null` where there is nothing to share.
fn by_name<S: Serializer>(scores: &Scores, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for metric in Scores::metrics() {
        match scores.get(metric) {
            None => map.serialize_entry(metric.name(), &None::<f64>)?,
            Some(Score::Share(share)) => map.serialize_entry(metric.name(), share)?,
            Some(Score::Exact(number)) => {
                map.serialize_entry(metric.name(), &number.to_string())?
            }
        }
    }
    map.end()
}

#[derive(Serialize)]
struct CoverageCounts {
    planner: String,
    coverage: f64,
    solved: u64,
    unsolvable: u64,
    limit: u64,
    inapplicable: u64,
    goal_unmet: u64,
    failed: u64,
    problems: Vec<Solved>,
}

#[derive(Serialize)]
struct Solved {
    problem: String,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// What is measured without a certificate, in words.
const WRITTEN: &str = "the model as PDDL";
const WHOLE: &str = "the model with the whole hulls of its certificate";

pub fn run(arguments: &Evaluate) -> Result<Answer> {
    let report = measure(arguments)?;
    progress::clear();
    match arguments.format {
        Format::Json => print_json(&report)?,
        Format::Text => say(&paint::headed(&text(&report)))?,
    }
    Ok(Answer::Yes)
}

fn measure(arguments: &Evaluate) -> Result<EvaluationReport> {
    let real = input::domain(&arguments.truth)?;
    let model = input::model(&arguments.learned)?;
    let learned = model.for_planning(arguments.certificate.as_deref())?;
    let learned = aligned_with_errors(&learned, &real).with_context(|| {
        format!(
            "{} does not go with {}",
            shown_path(&arguments.learned),
            shown_path(&arguments.truth)
        )
    })?;
    let tests = Tests {
        problems: arguments.problems.clone(),
        traces: arguments.traces.clone(),
        walks: Walks {
            count: arguments.walks,
            steps: arguments.steps,
            inapplicable: arguments.inapplicable,
        },
        seed: arguments.seed,
        planner: arguments.planner.clone().map(|spec| (spec, arguments.time_limit)),
        numbers: arguments.decimals.map_or(Numbers::Exact, Numbers::Decimals),
        tolerance: arguments.tolerance.clone(),
        on_bad_data: arguments.on_bad_data,
        answers: answers(arguments, &model, &real)?,
        errors: model.errors(&learned)?,
    };
    let Evaluation {
        warnings,
        problems,
        traces,
        steps,
        mean,
        actions,
        coverage,
        answers,
        successors,
    } = evaluation::evaluate(&real, &learned, &tests)?;
    warn(&warnings);
    Ok(EvaluationReport {
        seed: arguments.seed,
        measured: match arguments.certificate.is_some() || model.saved.is_some() {
            true => WHOLE,
            false => WRITTEN,
        },
        not_safe: model.not_safe().map(str::to_owned),
        tolerance: arguments.tolerance.clone(),
        problems,
        traces,
        steps,
        mean: EvaluationRow {
            action: String::new(),
            learned: None,
            scores: mean,
            steps: None,
            applicable: None,
        },
        actions: actions.into_iter().map(EvaluationRow::from).collect(),
        coverage: coverage.map(CoverageCounts::from),
        answers: answers.map(|answers| answers.into_iter().map(AnswerRow::from).collect()),
        successors: successors.into_iter().map(SuccessorRow::from).collect(),
    })
}

/// What the failed attempts prove that a state or a saved model holds; nothing where it holds none.
fn answers(arguments: &Evaluate, model: &ModelFile, real: &Domain) -> Result<Option<Answers>> {
    let path = match (&arguments.state, &model.saved) {
        (Some(path), _) => path,
        (None, Some(_)) if model.not_safe().is_none() => &arguments.learned,
        _ => return Ok(None),
    };
    let learner = input::learner(path)?;
    let parameters = |domain: &Domain| -> Vec<Vec<TypeSet>> {
        domain
            .actions
            .iter()
            .map(|(_, action)| action.parameters.iter().map(|one| one.types.clone()).collect())
            .collect()
    };
    let domain = learner.given();
    if domain.signature != real.signature || parameters(domain) != parameters(real) {
        bail!(
            "{} is the state of another domain than {}",
            shown_path(path),
            shown_path(&arguments.truth)
        );
    }
    let settings = match (model.certificate(arguments.certificate.as_deref())?, &model.saved) {
        (Some(certificate), _) => {
            let seen: BTreeSet<&String> = learner.history().traces.keys().collect();
            if seen != certificate.traces.iter().collect() {
                bail!(
                    "{} and {} are not of one model: they rest on different trajectories",
                    shown_path(path),
                    shown_path(arguments.certificate.as_ref().unwrap_or(&arguments.learned))
                );
            }
            Settings::of_spec(&certificate.assumptions.spec, &learner)?
        }
        (None, Some(parts)) => Settings::of_spec(parts.spec(), &learner)?,
        (None, None) => return Ok(None),
    };
    let answers = Answers::new(&learner, &settings);
    Ok(Some(answers).filter(Answers::has_any_failures))
}

impl From<ActionScores> for EvaluationRow {
    fn from(ActionScores { action, learned, scores, steps, applicable }: ActionScores) -> Self {
        EvaluationRow {
            action,
            learned: Some(learned),
            scores,
            steps: Some(steps),
            applicable: Some(applicable),
        }
    }
}

impl From<Judged> for Solved {
    fn from(Judged { problem, outcome, message }: Judged) -> Self {
        Solved { problem, outcome: outcome.name(), message }
    }
}

impl From<evaluation::Coverage> for CoverageCounts {
    fn from(found: evaluation::Coverage) -> Self {
        let [solved, unsolvable, limit, inapplicable, goal_unmet, failed] = found.tally();
        CoverageCounts {
            coverage: found.share(),
            planner: found.planner,
            solved,
            unsolvable,
            limit,
            inapplicable,
            goal_unmet,
            failed,
            problems: found.problems.into_iter().map(Solved::from).collect(),
        }
    }
}

/// At the head of a column: here, precision and recall are of two kinds.
fn column(metric: Metric) -> &'static str {
    match metric {
        Metric::SemanticPrecision => "P sem",
        Metric::SemanticRecall => "R sem",
        other => other.label(),
    }
}

fn shown(scores: &Scores, metric: Metric) -> String {
    match scores.get(metric) {
        None => "-".to_owned(),
        Some(Score::Share(share)) => format!("{share:.3}"),
        Some(Score::Exact(number)) => rounded::number(number),
    }
}

fn text(report: &EvaluationReport) -> String {
    let mut table = Table::new();
    let header =
        ["action"].into_iter().chain(Scores::metrics().map(column)).chain([Metric::Steps.label()]);
    table.load_style(presets::NOTHING).set_header(header);
    for row in report.actions.iter().chain([&report.mean]) {
        let name = if row.action.is_empty() { "mean".to_owned() } else { row.action.clone() };
        let scores = Scores::metrics().map(|metric| shown(&row.scores, metric));
        let steps = row.steps.map_or(String::new(), |steps| steps.to_string());
        table.add_row([name].into_iter().chain(scores).chain([steps]));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    text += &format!(
        "\n{} of {} and {}; seed {}. P is precision, R recall; pre and eff count literals, sem \
         counts steps; MSE is exact; atoms is how \
         often both\nmodels agree on atoms after a step; lost is what the recall lacks, by the \
         part of the learned precondition that \
         refuses.\nMeasured is {}{}.\n",
        count(report.steps, "step"),
        count(report.problems, "problem"),
        count(report.traces, "trace"),
        report.seed,
        report.measured,
        if report.measured == WRITTEN {
            "; where its facets exceeded the budget, -c CERTIFICATE measures the whole"
        } else {
            ""
        }
    );
    if !report.tolerance.is_zero() {
        text += &format!("{}.\n", report.tolerance.in_words());
    }
    if let Some(rows) = &report.answers {
        text += &answers_text(rows);
    }
    text += &successors_text(&report.successors);
    if let Some(coverage) = &report.coverage {
        text += &format!(
            "\n{}: coverage {:.3}; {} solved, {} unsolvable, {} over the limit, {} \
             inapplicable, {} short of the goal, {} failed\n",
            coverage.planner,
            coverage.coverage,
            coverage.solved,
            coverage.unsolvable,
            coverage.limit,
            coverage.inapplicable,
            coverage.goal_unmet,
            coverage.failed
        );
        for failure in coverage.problems.iter().filter(|problem| problem.message.is_some()).take(3)
        {
            text += &format!(
                "  {}: {}\n",
                failure.problem,
                failure.message.as_deref().unwrap_or_default()
            );
        }
    }
    text
}

/// Largest errors of successors beside those that the model promises.
fn successors_text(rows: &[SuccessorRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let metrics = [Metric::SuccessorError, Metric::SuccessorBound];
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(["action"].into_iter().chain(metrics.map(Metric::label)));
    for row in rows {
        let numbers = row.found.scores().map(|(_, number)| rounded::number(number));
        table.add_row([row.action.clone()].into_iter().chain(numbers));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    let broken: Vec<&str> =
        rows.iter().filter(|row| row.found.is_broken()).map(|row| &*row.action).collect();
    let verdict = match &broken[..] {
        [] => "no step ends farther away than that".to_owned(),
        broken => format!(
            "THE PROMISE IS BROKEN by {}: are the errors in the header of the model true?",
            broken.join(", ")
        ),
    };
    format!(
        "\n{lines}\nThe largest error of a function after a step, where its state is known \
         exactly, compared with what the model promises: {verdict}.\n"
    )
}

/// The three answers as a table.
fn answers_text(rows: &[AnswerRow]) -> String {
    let metrics = [
        Metric::StepsAllowed,
        Metric::StepsForbidden,
        Metric::StepsUnknown,
        Metric::ForbiddenWrong,
    ];
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(["action"].into_iter().chain(metrics.map(Metric::label)));
    let of = |row: &AnswerRow, metric: Metric| {
        row.counts.get(metric.name()).copied().unwrap_or_default()
    };
    for row in rows {
        table.add_row(
            [row.action.clone()]
                .into_iter()
                .chain(metrics.map(|metric| of(row, metric).to_string())),
        );
    }
    let sum = |metric: Metric| rows.iter().map(|row| of(row, metric)).sum::<u64>().to_string();
    table.add_row(["all".to_owned()].into_iter().chain(metrics.map(sum)));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    format!("\n{lines}\nForbidden rests on failed attempts, and holds if: {FAILS_ONLY}\n")
}
