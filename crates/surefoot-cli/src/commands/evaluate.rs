//! `surefoot evaluate`: a learned domain against the real one, by the metrics of the paper.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use comfy_table::{CellAlignment, Table, presets};
use rayon::prelude::*;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use surefoot::evaluate::{Dataset, Metric, PlanOutcome, Random, Score, Scores, Walks, aligned, semantic, syntactic};
use surefoot::learn::whole;
use surefoot::model::compiled::Compiled;
use surefoot::model::{Domain, Problem};
use surefoot::pddl::{Numbers, Trajectory};

use crate::args::{Evaluate, Format};
use crate::coverage::{self, Judged};
use crate::output::{Answer, count, print, print_json, shown_path};
use crate::{corpus, input, solver};

/// What `--format json` prints.
#[derive(Serialize)]
struct EvaluationReport {
    seed: u64,
    measured: &'static str,
    problems: usize,
    traces: usize,
    steps: usize,
    mean: EvaluationRow,
    actions: Vec<EvaluationRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
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
            Some(Score::Exact(number)) => map.serialize_entry(metric.name(), &number.to_string())?,
        }
    }
    map.end()
}

#[derive(Serialize)]
struct Coverage {
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

/// What is measured.
const WRITTEN: &str = "the model as PDDL";
const WHOLE: &str = "the model with the whole hulls of its certificate";

pub fn run(arguments: &Evaluate) -> Result<Answer> {
    let report = measure(arguments)?;
    match arguments.format {
        Format::Json => print_json(&report)?,
        Format::Text => print(&text(&report))?,
    }
    Ok(Answer::Yes)
}

/// The report as JSON.
pub fn json(arguments: &Evaluate) -> Result<String> {
    Ok(serde_json::to_string(&measure(arguments)?)?)
}

fn measure(arguments: &Evaluate) -> Result<EvaluationReport> {
    let real = input::domain(&arguments.truth)?;
    let mut learned = input::domain(&arguments.learned)?;
    if let Some(path) = &arguments.certificate {
        learned =
            whole(&learned, &input::certificate(path)?).with_context(|| format!("{} is of another model", shown_path(path)))?;
    }
    let learned = aligned(&learned, &real)
        .with_context(|| format!("{} does not go with {}", shown_path(&arguments.learned), shown_path(&arguments.truth)))?;
    let numbers = arguments.decimals.map_or(Numbers::Exact, Numbers::Decimals);
    let problems = problems(&arguments.problems, &real, numbers)?;
    let compiled = Compiled::new(&real);
    let mut dataset = Dataset::default();
    let traces = match &arguments.traces {
        None => Vec::new(),
        Some(folder) => corpus::traces(std::slice::from_ref(folder), None)?,
    };
    let walks = Walks { count: arguments.walks, steps: arguments.steps, inapplicable: arguments.inapplicable };
    let scenes: Vec<Dataset> = problems
        .par_iter()
        .map(|(name, problem)| {
            let mut dataset = Dataset::default();
            dataset.add_walks(&compiled, problem, &walks, &mut Random::for_part(arguments.seed, name));
            dataset
        })
        .collect();
    dataset.scenes.extend(scenes.into_iter().flat_map(|part| part.scenes));
    let recorded: Vec<Dataset> = traces
        .par_iter()
        .map(|trace| {
            let source = input::source(&trace.path)?;
            let objects = trace.objects(&source, &real, numbers)?;
            let mut dataset = Dataset::default();
            dataset.add_trace(&compiled, &objects, &Trajectory::read(&source, &real, &objects, numbers)?);
            Ok(dataset)
        })
        .collect::<Result<_>>()?;
    dataset.scenes.extend(recorded.into_iter().flat_map(|part| part.scenes));
    if dataset.is_empty() {
        bail!("there is no step to compare on: no problem allows any, and no --traces were given");
    }
    let (syntax, meaning) = (syntactic::compare(&real, &learned), semantic::compare(&dataset, &real, &Compiled::new(&learned)));
    let coverage = match &arguments.planner {
        None => None,
        Some(spec) => Some(cover(arguments, spec, &learned, &real, &problems)?),
    };
    Ok(EvaluationReport {
        seed: arguments.seed,
        measured: if arguments.certificate.is_some() { WHOLE } else { WRITTEN },
        problems: problems.len(),
        traces: traces.len(),
        steps: dataset.len(),
        mean: mean_row(&syntax, &meaning).context("the real domain has no actions")?,
        actions: syntax.iter().zip(&meaning).map(|(one, other)| action_row(one, other)).collect(),
        coverage,
    })
}

/// All problems of a folder, sorted by name; the domain beside them is not one.
fn problems(folder: &Path, real: &Domain, numbers: Numbers) -> Result<Vec<(String, Problem)>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read folder {}", shown_path(folder)))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|file| {
        file.extension().is_some_and(|end| end == "pddl") && file.file_name().is_some_and(|name| name != "domain.pddl")
    });
    files.sort();
    if files.is_empty() {
        bail!("{} holds no problems: files that end in .pddl, other than domain.pddl", shown_path(folder));
    }
    let read = |file: &PathBuf| {
        let name = file.file_stem().map(shown_path).unwrap_or_default();
        Ok((name, input::problem(file, real, numbers)?))
    };
    files.par_iter().map(read).collect()
}

fn cover(arguments: &Evaluate, spec: &str, learned: &Domain, real: &Domain, problems: &[(String, Problem)]) -> Result<Coverage> {
    let solver = solver::Solver::parse(spec, arguments.time_limit)?;
    let judged: Vec<Judged> = problems
        .iter()
        .map(|(name, problem)| coverage::attempt(name, learned, real, problem, &|domain, problem| solver.solve(domain, problem)))
        .collect();
    let outcomes: Vec<PlanOutcome> = judged.iter().map(|judged| judged.outcome).collect();
    let [solved, unsolvable, limit, inapplicable, goal_unmet, failed] = coverage::tally(&outcomes);
    Ok(Coverage {
        planner: spec.to_owned(),
        coverage: solved as f64 / problems.len().max(1) as f64,
        solved,
        unsolvable,
        limit,
        inapplicable,
        goal_unmet,
        failed,
        problems: judged
            .into_iter()
            .map(|judged| Solved { problem: judged.problem, outcome: judged.outcome.name(), message: judged.message })
            .collect(),
    })
}

fn action_row(syntax: &syntactic::ActionSyntax, meaning: &semantic::ActionSemantics) -> EvaluationRow {
    EvaluationRow {
        action: syntax.action.clone(),
        learned: Some(meaning.learned),
        scores: Scores::of(syntax, meaning),
        steps: Some(meaning.steps),
        applicable: Some(meaning.real),
    }
}

fn mean_row(syntax: &[syntactic::ActionSyntax], meaning: &[semantic::ActionSemantics]) -> Option<EvaluationRow> {
    let scores = Scores::mean(syntax, meaning)?;
    Some(EvaluationRow { action: String::new(), learned: None, scores, steps: None, applicable: None })
}

/// At the head of a column: here, precision and recall are of two kinds.
fn column(metric: Metric) -> &'static str {
    match metric {
        Metric::SemanticPrecision => "P sem",
        Metric::SemanticRecall => "R sem",
        other => other.label(),
    }
}

fn text(report: &EvaluationReport) -> String {
    let mut table = Table::new();
    let header = ["action"].into_iter().chain(Scores::metrics().map(column)).chain([Metric::Steps.label()]);
    table.load_style(presets::NOTHING).set_header(header);
    for row in report.actions.iter().chain([&report.mean]) {
        let name = if row.action.is_empty() { "mean".to_owned() } else { row.action.clone() };
        let shown = |metric: Metric| match row.scores.get(metric) {
            None => "-".to_owned(),
            Some(Score::Share(share)) => format!("{share:.3}"),
            Some(Score::Exact(number)) => number.to_string(),
        };
        let steps = row.steps.map_or(String::new(), |steps| steps.to_string());
        table.add_row([name].into_iter().chain(Scores::metrics().map(shown)).chain([steps]));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text: String = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    text += &format!(
        "\n{} of {} and {}; seed {}. P is precision, R recall; pre and eff count literals, sem counts steps; MSE is exact; atoms is how \
         often both\nmodels agree on atoms after a step; lost is what the recall lacks, by the part of the learned precondition that \
         refuses.\nMeasured is {}{}.\n",
        count(report.steps, "step"),
        count(report.problems, "problem"),
        count(report.traces, "trace"),
        report.seed,
        report.measured,
        if report.measured == WRITTEN { "; where its facets exceeded the budget, -c CERTIFICATE measures the whole" } else { "" }
    );
    if let Some(coverage) = &report.coverage {
        text += &format!(
            "\n{}: coverage {:.3}; {} solved, {} unsolvable, {} beyond the limit, {} inapplicable, {} short of the goal, {} failed\n",
            coverage.planner,
            coverage.coverage,
            coverage.solved,
            coverage.unsolvable,
            coverage.limit,
            coverage.inapplicable,
            coverage.goal_unmet,
            coverage.failed
        );
        for failure in coverage.problems.iter().filter(|problem| problem.message.is_some()).take(3) {
            text += &format!("  {}: {}\n", failure.problem, failure.message.as_deref().unwrap_or_default());
        }
    }
    text
}
