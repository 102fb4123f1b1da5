//! One cell: learn from some traces of a fold with one setting, and measure on the fold's test
//! problems.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use surefoot_analysis::evaluate::{Attempt, Metric, PlanOutcome, assumption, semantic, syntactic};
use surefoot_base::margins::for_records;
use surefoot_base::model::{Domain, Problem};
use surefoot_learn::{Algorithm, Grounds, Model};

use super::columns::{self, PlannerColumn};
use super::config::{Config, ExperimentCell, Measured};
use super::learning::{self, TimedModel};
use super::measure::Measure;
use super::results::{CellRecord, Seconds};
use super::source::Material;
use crate::coverage::{self, PlanningModel};
use crate::portrait::{Mistakes, Portrait};

/// Works on a cell. An error is the cell's result, too.
pub fn run(
    config: &Config,
    cell: &ExperimentCell,
    identity: &str,
    material: &Material,
    columns: &[PlannerColumn],
) -> CellRecord {
    let mut record = CellRecord::new(config.key(cell), identity);
    record.tolerance = config.test.tolerance.clone();
    if let Err(error) = measure(config, cell, material, columns, &mut record) {
        record.values.clear();
        record.error = Some(format!("{error:#}"));
    }
    record
}

fn measure(
    config: &Config,
    cell: &ExperimentCell,
    material: &Material,
    columns: &[PlannerColumn],
    record: &mut CellRecord,
) -> Result<()> {
    let TimedModel { model, seconds } = learning::timed_model(config, cell, material)?;
    record.seconds.learn = seconds;
    if config.domains[cell.domain].truth == Measured::None {
        return held_out(config, cell, material, &model, record);
    }
    (record.assumption, record.undecided) =
        standing(material, &model, config.settings[cell.setting].decimals())?;

    let start = Instant::now();
    let (real, written) = (&material.domain, model.read_back());
    let none = BTreeMap::new();
    let errors = model.grounds().map_or(&none, |grounds| &grounds.learner.class().errors);
    let learned = &for_records(&written, errors);
    let syntax = syntactic::compare(real, learned);
    let meaning = semantic::compare_within(
        &material.datasets[cell.fold],
        real,
        learned,
        config.test.tolerance.number(),
    );
    let with_numbers = Algorithm::find(config.learner(cell)) != Some(Algorithm::Sam);
    record.compare(&syntax, &meaning, with_numbers)?;
    figures(material, &model, record);
    record.seconds.evaluate = start.elapsed().as_secs_f64();

    let start = Instant::now();
    // A planner that cannot be called says nothing about the model.
    record.coverage_error =
        plans(config, cell, material, PlanningModel { domain: &written, errors }, columns, record);
    record.seconds.plan = start.elapsed().as_secs_f64();

    let most = learning::numbers(config, cell)
        .into_iter()
        .filter(|&traces| traces <= material.folds[cell.fold].train.len())
        .max();
    if cell.fold == 0 && most == Some(cell.traces) {
        let tests = &material.datasets[cell.fold];
        record.portrait = Portrait::of(real, &model, tests);
        if model.grounds().is_none() {
            let scene = |index| material.scene(cell.fold, index);
            record.mistakes = Some(Mistakes::of(real, &model, tests, &scene));
        }
    }
    Ok(())
}

/// What a model says of the fold's test traces, where there is no real domain.
fn held_out(
    config: &Config,
    cell: &ExperimentCell,
    material: &Material,
    model: &Model,
    record: &mut CellRecord,
) -> Result<()> {
    if model.grounds().is_none() {
        record.assumption.push(NOT_SAFE.to_owned());
    }
    record.undecided.push("there is no real domain to judge what is assumed".to_owned());
    let start = Instant::now();
    let score = learning::score(config, cell, material, model)?;
    record.held_out(&material.domain, &score);
    figures(material, model, record);
    record.seconds.evaluate = start.elapsed().as_secs_f64();
    Ok(())
}

/// Figures of a model by itself.
fn figures(material: &Material, model: &Model, record: &mut CellRecord) {
    let learned_actions =
        material.domain.action_ids().filter(|id| model.missing(*id).is_none()).count();
    record.push(Metric::ActionsLearned, learned_actions as f64);
    record.push(Metric::LinearConditions, model.linear_conditions() as f64);
    record.push(Metric::StepsSetAside, model.grounds().map_or(0, Grounds::set_aside) as f64);
}

/// What stands for the assumptions of a learner that is not safe.
const NOT_SAFE: &str = "it is not a safe learner: nothing is promised";

/// What is assumed that is not true of the real domain, and of what that is not decided; empty when
/// all is true.
fn standing(
    material: &Material,
    model: &Model,
    decimals: Option<u32>,
) -> Result<(Vec<String>, Vec<String>)> {
    let (mut refuted, mut undecided) = (Vec::new(), Vec::new());
    let Some(grounds) = model.grounds() else {
        return Ok((vec![NOT_SAFE.to_owned()], undecided));
    };
    for judgement in assumption::judgements(&material.domain, &grounds.learner, &grounds.settings) {
        refuted.extend(judgement.refuted.iter().map(ToString::to_string));
        undecided.extend(judgement.undecided.iter().map(ToString::to_string));
    }
    if let Some(places) = decimals
        && material.seen(decimals)? != material.seen(None)?
    {
        refuted.push(format!("recorded numbers have more than {places} decimals"));
    }
    Ok((refuted, undecided))
}

/// Coverage: every column on every test problem, except that what one column proves to have no plan
/// is not tried by those after it. `coverage` is what at least one of them solves. A column whose
/// planners cannot be called is left out, and the reason returned; the others are measured.
fn plans(
    config: &Config,
    cell: &ExperimentCell,
    material: &Material,
    learned: PlanningModel<'_>,
    columns: &[PlannerColumn],
    record: &mut CellRecord,
) -> Option<String> {
    let planning = config.planning.as_ref()?;
    let limit = Duration::from_secs_f64(planning.time_limit);
    let tolerance = &config.test.tolerance;
    let test = &material.folds[cell.fold].test;
    let test = &test[..planning.of(cell, test.len())];
    if test.is_empty() {
        return None;
    }
    let share = |count: usize| count as f64 / test.len() as f64;
    let (mut solved, mut unsolvable) = (vec![false; test.len()], vec![false; test.len()]);
    let mut measures = Vec::new();
    for PlannerColumn { name, solver } in columns {
        let Ok(solver) = solver else { continue };
        let mut outcomes = Vec::new();
        for (place, &index) in test.iter().enumerate() {
            let (problem_name, problem) = &material.problems[index];
            let solve = |domain: &Domain, problem: &Problem| match unsolvable[place]
                && tolerance.is_zero()
            {
                true => Attempt::Unsolvable,
                false => solver.solve(domain, problem, limit),
            };
            let outcome = coverage::attempt(
                problem_name,
                learned,
                &material.domain,
                problem,
                tolerance,
                &solve,
            )
            .outcome;
            solved[place] |= outcome == PlanOutcome::Solved;
            unsolvable[place] |= outcome == PlanOutcome::Unsolvable;
            outcomes.push(outcome);
        }
        for (outcome, count) in PlanOutcome::ALL.iter().zip(coverage::tally(&outcomes)) {
            measures.push((Measure::Outcome(*outcome, name.clone()), share(count as usize)));
        }
    }
    if columns.iter().any(|column| column.solver.is_ok()) {
        record.push(Metric::Coverage, share(solved.iter().filter(|solved| **solved).count()));
    }
    for (measure, value) in measures {
        record.push(measure, value);
    }
    columns::missing(columns)
}

/// A cell that could not be worked on at all.
pub fn failed(
    config: &Config,
    cell: &ExperimentCell,
    identity: &str,
    message: String,
) -> CellRecord {
    CellRecord {
        error: Some(message),
        seconds: Seconds::default(),
        ..CellRecord::new(config.key(cell), identity)
    }
}
