//! A learned model compared with the real one, by the metrics of the paper: on random walks, on
//! recorded traces, by plans.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use surefoot_analysis::evaluate::{
    ActionAnswers, Dataset, PlanOutcome, Scores, Successors, Walks, answers, semantic, syntactic,
};
use surefoot_base::advice::{Advice, Setting, Text};
use surefoot_base::dial;
use surefoot_base::exact::Rational;
use surefoot_base::margins::for_records;
use surefoot_base::model::compiled::Compiled;
use surefoot_base::model::{Domain, FunctionId, Problem};
use surefoot_base::pddl::{Numbers, Trajectory, Warning};
use surefoot_base::random::Random;
use surefoot_learn::{Answers, OnBadData};

use crate::coverage::{self, Judged, PlanningModel};
use crate::solver::Solver;
use crate::truth::{DECIMALS, Truth};
use surefoot_io::output::shown_path;
use surefoot_io::tolerance::Tolerance;
use surefoot_io::{corpus, input, progress};

/// What a model is tried on.
pub struct Tests {
    /// A folder of problems.
    pub problems: PathBuf,
    /// A folder of trajectories.
    pub traces: Option<PathBuf>,
    /// Random walks from each problem.
    pub walks: Walks,
    /// What walks depend on.
    pub seed: u64,
    /// Who solves the problems with the learned model (a chain, as `solver.rs` has it), and how
    /// long each planner may take for each.
    pub planner: Option<(String, Duration)>,
    /// How numbers are read.
    pub numbers: Numbers,
    /// By how much numeric comparisons may be missed, in both models.
    pub tolerance: Tolerance,
    /// What failed attempts prove, where some are known.
    pub answers: Option<Answers>,
    /// What to do where the real domain does not replay the traces: those given, and those beside
    /// the problems.
    pub on_bad_data: OnBadData,
    /// How far a record may be from the true state, where the learned model has error functions:
    /// test steps are asked about as records, and problems are solved with margins for these
    /// errors.
    pub errors: BTreeMap<FunctionId, Rational>,
}

/// The measured figures of a model, as the command prints them.
pub struct Evaluation {
    /// What was passed over in the problems, in the order of their names.
    pub warnings: Vec<Warning>,
    /// How many problems there were.
    pub problems: usize,
    /// How many test traces there were.
    pub traces: usize,
    /// How many steps the models were compared on.
    pub steps: usize,
    /// The means over actions.
    pub mean: Scores,
    /// Each action of the real domain, in order.
    pub actions: Vec<ActionScores>,
    /// Where a planner was named.
    pub coverage: Option<Coverage>,
    /// By action, how often each of the three answers was given; where failed attempts are known.
    pub answers: Option<Vec<ActionAnswers>>,
    /// How far off successors are, measured and promised; where the learned model knows numbers
    /// within errors only.
    pub successors: Vec<Successors>,
}

/// The figures of an action.
pub struct ActionScores {
    /// The name of the action.
    pub action: String,
    /// Whether it has a model.
    pub learned: bool,
    /// The value of each metric.
    pub scores: Scores,
    /// The number of test steps that were compared.
    pub steps: u64,
    /// Test steps that the real model allows.
    pub applicable: u64,
}

/// What became of the test problems.
pub struct Coverage {
    /// The planner as it was named.
    pub planner: String,
    /// Each problem, by name.
    pub problems: Vec<Judged>,
}

impl Coverage {
    /// How many problems had each outcome, in the order of [`PlanOutcome::ALL`].
    pub fn tally(&self) -> [u64; 6] {
        coverage::tally(self.problems.iter().map(|judged| &judged.outcome))
    }

    /// The share that was solved.
    pub fn share(&self) -> f64 {
        let solved =
            self.problems.iter().filter(|judged| judged.outcome == PlanOutcome::Solved).count();
        solved as f64 / self.problems.len().max(1) as f64
    }
}

/// Compares a learned model with the real one, in whose ids it is; error functions follow those of
/// the real one.
pub fn evaluate(real: &Domain, written: &Domain, tests: &Tests) -> Result<Evaluation> {
    let learned = &for_records(written, &tests.errors);
    let (problems, warnings) = problems(&tests.problems, real, tests.numbers)?;
    let traces = match &tests.traces {
        None => Vec::new(),
        Some(folder) => corpus::traces(std::slice::from_ref(folder), None)?,
    };
    replayed(real, tests, &traces)?;
    progress::stage("gathering test steps", problems.len() + traces.len(), "problems and traces");
    let dataset = dataset(real, tests, &problems, &traces)?;
    if dataset.is_empty() {
        let text = Text::from("there is no step to compare on: no problem allows any, and no ")
            + Advice::named(Setting::Files("traces"))
            + " were given";
        return Err(text.into());
    }
    progress::stage("comparing", 0, "");
    let syntax = syntactic::compare(real, learned);
    let meaning = semantic::compare_within(&dataset, real, learned, tests.tolerance.number());
    let answers = tests.answers.as_ref().map(|known| answers::ask(&dataset, real, learned, known));
    let coverage = match &tests.planner {
        None => None,
        Some((spec, limit)) => Some(cover(
            spec,
            *limit,
            PlanningModel { domain: written, errors: &tests.errors },
            real,
            &problems,
            &tests.tolerance,
        )?),
    };
    Ok(Evaluation {
        warnings,
        problems: problems.len(),
        traces: traces.len(),
        steps: dataset.len(),
        mean: Scores::mean(&syntax, &meaning).context("the real domain has no actions")?,
        actions: syntax
            .iter()
            .zip(&meaning)
            .map(|(syntax, meaning)| ActionScores::of(syntax, meaning))
            .collect(),
        coverage,
        answers,
        successors: Successors::of(written, &meaning),
    })
}

impl ActionScores {
    fn of(syntax: &syntactic::ActionSyntax, meaning: &semantic::ActionSemantics) -> Self {
        ActionScores {
            action: syntax.action.clone(),
            learned: meaning.learned,
            scores: Scores::of(syntax, meaning),
            steps: meaning.steps,
            applicable: meaning.real,
        }
    }
}

/// Stops where the real domain does not replay the test traces: those that were given, and those
/// that lie beside the problems.
fn replayed(real: &Domain, tests: &Tests, traces: &[corpus::TraceFile]) -> Result<()> {
    let truth = Truth {
        domain: real,
        name: "the domain given as the real one",
        rounding: dial!("decimals", DECIMALS).into(),
        quarantine: Advice::on_bad_data("quarantine").into(),
        tolerance: &tests.tolerance,
        errors: &tests.errors,
        numbers: tests.numbers,
        on_bad_data: tests.on_bad_data,
    };
    let beside: Vec<corpus::TraceFile> = corpus::beside(&tests.problems)?;
    let known = |trace: &&corpus::TraceFile| traces.iter().all(|given| given.path != trace.path);
    let all: Vec<corpus::TraceFile> =
        traces.iter().chain(beside.iter().filter(known)).cloned().collect();
    progress::stage("replaying traces", all.len(), "traces");
    truth.replays(&corpus::TraceFiles(&all))
}

/// Steps of walks, then of traces, each with what the real model says of it.
fn dataset(
    real: &Domain,
    tests: &Tests,
    problems: &[(String, Problem)],
    traces: &[corpus::TraceFile],
) -> Result<Dataset> {
    let compiled = Compiled::with_tolerance(real, tests.tolerance.number());
    let walked =
        problems.par_iter().map(|(name, problem)| Ok(walked(&compiled, tests, name, problem)));
    let recorded = traces.par_iter().map(|trace| recorded(&compiled, real, tests, trace));
    let parts: Vec<Dataset> = walked.chain(recorded).collect::<Result<_>>()?;
    let mut dataset = Dataset::default();
    dataset.scenes.extend(parts.into_iter().flat_map(|part| part.scenes));
    Ok(dataset)
}

/// Steps of walks from a problem's initial state.
fn walked(real: &Compiled<'_>, tests: &Tests, name: &str, problem: &Problem) -> Dataset {
    let mut dataset = Dataset::default();
    dataset.add_walks(real, problem, &tests.walks, &mut Random::for_part(tests.seed, name));
    progress::part_done();
    dataset
}

/// Steps of a trace.
fn recorded(
    compiled: &Compiled<'_>,
    real: &Domain,
    tests: &Tests,
    trace: &corpus::TraceFile,
) -> Result<Dataset> {
    let source = trace.source()?;
    let objects = trace.objects(&source, real, tests.numbers)?;
    let mut dataset = Dataset::default();
    dataset.add_trace(
        compiled,
        &objects,
        &Trajectory::read(&source, real, &objects, tests.numbers)?,
    );
    progress::part_done();
    Ok(dataset)
}

/// Problems with their names, and what was passed over in them.
type Problems = (Vec<(String, Problem)>, Vec<Warning>);

/// All problems of a folder, sorted by name; the domain beside them is not one.
fn problems(folder: &Path, real: &Domain, numbers: Numbers) -> Result<Problems> {
    let mut files = input::folder(folder)?;
    files.retain(|file| {
        file.extension().is_some_and(|end| end == "pddl")
            && file.file_name().is_some_and(|name| name != "domain.pddl")
    });
    files.sort();
    if files.is_empty() {
        bail!(
            "{} holds no problems: files that end in .pddl, other than domain.pddl",
            shown_path(folder)
        );
    }
    let read: Vec<_> = files
        .par_iter()
        .map(|file| input::problem(file, real, numbers))
        .collect::<Result<_, _>>()?;
    let mut found = Problems::default();
    for (file, (problem, warnings)) in files.iter().zip(read) {
        found.0.push((file.file_stem().map(shown_path).unwrap_or_default(), problem));
        found.1.extend(warnings);
    }
    Ok(found)
}

fn cover(
    spec: &str,
    limit: Duration,
    learned: PlanningModel<'_>,
    real: &Domain,
    problems: &[(String, Problem)],
    tolerance: &Tolerance,
) -> Result<Coverage> {
    let solver = Solver::within(spec, tolerance)?;
    let solve = |domain: &Domain, problem: &Problem| solver.solve(domain, problem, limit);
    progress::stage("solving", problems.len(), "problems");
    let judged = problems.iter().map(|(name, problem)| {
        let judged = coverage::attempt(name, learned, real, problem, tolerance, &solve);
        progress::part_done();
        judged
    });
    Ok(Coverage { planner: spec.to_owned(), problems: judged.collect() })
}
