//! One cell: learn from some traces of a fold with one setting, and measure on the fold's test problems.

use std::time::{Duration, Instant};

use anyhow::Result;
use surefoot::evaluate::{Metric, PlanOutcome, assumption, semantic, syntactic};
use surefoot::learn::{Algorithm, Grounds, Model};
use surefoot::model::{Domain, Problem};

use super::config::{Cell, Config};
use super::learning;
use super::measure::Measure;
use super::results::{Record, Seconds};
use super::source::Material;
use crate::coverage;
use crate::portrait::Portrait;
use crate::solver::Solver;

/// Works on a cell. An error is the cell's result, too.
pub fn run(config: &Config, cell: &Cell, identity: &str, material: &Material) -> Record {
    let mut record = Record::new(config.key(cell), identity);
    record.tolerance = config.test.tolerance.clone();
    if let Err(error) = measure(config, cell, material, &mut record) {
        record.values.clear();
        record.error = Some(format!("{error:#}"));
    }
    record
}

fn measure(config: &Config, cell: &Cell, material: &Material, record: &mut Record) -> Result<()> {
    let start = Instant::now();
    let model = learning::model(config, cell, material)?;
    (record.assumption, record.undecided) = standing(material, &model, config.settings[cell.setting].decimals())?;
    record.seconds.learn = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let (real, learned) = (&material.domain, &**model.domain());
    let syntax = syntactic::compare(real, learned);
    let meaning = semantic::compare_within(&material.datasets[cell.fold], real, learned, config.test.tolerance.number());
    let with_numbers = Algorithm::find(config.learner(cell)) != Some(Algorithm::Sam);
    record.compare(&syntax, &meaning, with_numbers)?;
    let learned_actions = real.action_ids().filter(|id| model.missing(*id).is_none()).count();
    record.push(Metric::ActionsLearned, learned_actions as f64);
    record.push(Metric::LinearConditions, model.linear_conditions() as f64);
    record.push(Metric::StepsSetAside, model.grounds().map_or(0, Grounds::set_aside) as f64);
    record.seconds.evaluate = start.elapsed().as_secs_f64();

    let start = Instant::now();
    // A planner that cannot be called says nothing about the model.
    record.coverage_error = plans(config, cell, material, &model.written(), record).err().map(|error| format!("{error:#}"));
    record.seconds.plan = start.elapsed().as_secs_f64();

    let most =
        learning::numbers(config, cell).into_iter().filter(|&traces| traces <= material.folds[cell.fold].train.len()).max();
    if cell.fold == 0 && most == Some(cell.traces) {
        record.portrait = Portrait::of(real, &model, &material.datasets[cell.fold]);
    }
    Ok(())
}

/// What is assumed that is not true of the real domain, and of what that is not decided; empty when all is true.
fn standing(material: &Material, model: &Model, decimals: Option<u32>) -> Result<(Vec<String>, Vec<String>)> {
    let (mut refuted, mut undecided) = (Vec::new(), Vec::new());
    let Some(grounds) = model.grounds() else {
        return Ok((vec!["it is not a safe learner: nothing is promised".to_owned()], undecided));
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

/// Coverage: planners are tried one after the other until one solves a problem, as the paper does.
fn plans(config: &Config, cell: &Cell, material: &Material, learned: &Domain, record: &mut Record) -> Result<()> {
    let Some(planning) = &config.planning else { return Ok(()) };
    if !planning.traces.is_empty() && !planning.traces.contains(&cell.traces) {
        return Ok(());
    }
    let limit = Duration::from_secs_f64(planning.time_limit);
    let tolerance = &config.test.tolerance;
    let solvers: Vec<Solver> =
        planning.planners.iter().map(|spec| Solver::parse_within(spec, limit, tolerance)).collect::<Result<_>>()?;
    let test = &material.folds[cell.fold].test;
    let test = &test[..planning.problems.unwrap_or(test.len()).min(test.len())];
    let mut outcomes: Vec<Vec<PlanOutcome>> = vec![Vec::new(); solvers.len()];
    let mut solved = 0;
    for &index in test {
        let (name, problem) = &material.problems[index];
        for (place, solver) in solvers.iter().enumerate() {
            let solve = |domain: &Domain, problem: &Problem| solver.solve(domain, problem);
            let judged = coverage::attempt(name, learned, &material.domain, problem, tolerance, &solve);
            outcomes[place].push(judged.outcome);
            if judged.outcome == PlanOutcome::Solved {
                solved += 1;
                break;
            }
        }
    }
    record.push(Metric::Coverage, f64::from(solved) / test.len().max(1) as f64);
    for (spec, outcomes) in planning.planners.iter().zip(&outcomes) {
        let counts = coverage::tally(outcomes);
        for (outcome, count) in PlanOutcome::ALL.iter().zip(counts) {
            record.push(Measure::Outcome(*outcome, spec.clone()), count as f64 / test.len().max(1) as f64);
        }
    }
    Ok(())
}

/// A cell that could not be worked on at all.
pub fn failed(config: &Config, cell: &Cell, identity: &str, message: String) -> Record {
    Record { error: Some(message), seconds: Seconds::default(), ..Record::new(config.key(cell), identity) }
}
