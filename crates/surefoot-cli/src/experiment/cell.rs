//! One cell: learn from some traces of a fold with one setting, and measure on the fold's test problems.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use surefoot::evaluate::{PlanOutcome, assumption, semantic, syntactic};
use surefoot::learn::{Algorithm, Grounds, Model};
use surefoot::model::Domain;
use surefoot::model::compiled::Compiled;

use super::config::{Cell, Config};
use super::learning;
use super::results::{Record, Seconds, Value};
use super::source::Material;
use crate::coverage;
use crate::portrait::Portrait;
use crate::solver::Solver;

/// Works on a cell. An error is the cell's result, too.
pub fn run(config: &Config, cell: &Cell, identity: &str, material: &Material) -> Record {
    let mut record = Record::new(config.key(cell), identity);
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
    syntax(record, &syntactic::compare(real, learned))?;
    let with_numbers = Algorithm::find(config.learner(cell)) != Some(Algorithm::Sam);
    meaning(record, &semantic::compare(&material.datasets[cell.fold], real, &Compiled::new(learned)), with_numbers)?;
    record.push("", "actions_learned", real.action_ids().filter(|id| model.missing(*id).is_none()).count() as f64);
    record.push("", "linear_conditions", model.linear_conditions() as f64);
    record.push("", "steps_set_aside", model.grounds().map_or(0, Grounds::set_aside) as f64);
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
    let Some(grounds) = model.grounds() else { return Ok((refuted, undecided)) };
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

fn syntax(record: &mut Record, actions: &[syntactic::ActionSyntax]) -> Result<()> {
    let averages = syntactic::averages(actions).context("the domain has no actions")?;
    record.push("", "precondition_precision", averages.precondition_precision);
    record.push("", "precondition_recall", averages.precondition_recall);
    record.push("", "effect_precision", averages.effect_precision);
    record.push("", "effect_recall", averages.effect_recall);
    for action in actions {
        record.push(&action.action, "precondition_precision", action.precondition_precision());
        record.push(&action.action, "precondition_recall", action.precondition_recall());
        record.push(&action.action, "effect_precision", action.effect_precision());
        record.push(&action.action, "effect_recall", action.effect_recall());
    }
    Ok(())
}

const LOST: [&str; 4] = ["lost_boolean", "lost_numeric", "lost_both", "lost_unlearned"];

/// Without `numbers` the model is about atoms alone, and so is the measure: no error of numeric effects.
fn meaning(record: &mut Record, actions: &[semantic::ActionSemantics], numbers: bool) -> Result<()> {
    let averages = semantic::averages(actions).context("the domain has no actions")?;
    record.push("", "semantic_precision", averages.precision);
    record.push_some("", "semantic_recall", averages.recall);
    record.push_some("", "mse", numbers.then(|| averages.error.to_f64()));
    record.push_some("", "boolean_effect_agreement", averages.boolean_effects);
    for (name, part) in LOST.iter().zip(averages.lost.unwrap_or_default()) {
        record.push("", name, part);
    }
    for action in actions {
        let name = &action.action;
        record.push(name, "semantic_precision", action.precision());
        record.push_some(name, "semantic_recall", action.recall());
        record.push_some(name, "mse", numbers.then(|| action.error().to_f64()));
        record.push_some(name, "boolean_effect_agreement", action.boolean_effects());
        let lost = [action.lost_boolean, action.lost_numeric, action.lost_both];
        for (part, lost) in LOST.iter().zip(lost) {
            record.push_some(name, part, if action.learned { action.share(lost) } else { Some(0.0) });
        }
        record.push(name, LOST[3], f64::from(u8::from(!action.learned)));
        record.push(name, "steps", action.steps as f64);
        record.push(name, "steps_applicable", action.real as f64);
    }
    Ok(())
}

/// Coverage: planners are tried one after the other until one solves a problem, as the paper does.
fn plans(config: &Config, cell: &Cell, material: &Material, learned: &Domain, record: &mut Record) -> Result<()> {
    let Some(planning) = &config.planning else { return Ok(()) };
    if !planning.traces.is_empty() && !planning.traces.contains(&cell.traces) {
        return Ok(());
    }
    let limit = Duration::from_secs_f64(planning.time_limit);
    let solvers: Vec<Solver> = planning.planners.iter().map(|spec| Solver::parse(spec, limit)).collect::<Result<_>>()?;
    let test = &material.folds[cell.fold].test;
    let test = &test[..planning.problems.unwrap_or(test.len()).min(test.len())];
    let mut outcomes: Vec<Vec<PlanOutcome>> = vec![Vec::new(); solvers.len()];
    let mut solved = 0;
    for &index in test {
        let (name, problem) = &material.problems[index];
        for (place, solver) in solvers.iter().enumerate() {
            let judged =
                coverage::attempt(name, learned, &material.domain, problem, &|domain, problem| solver.solve(domain, problem));
            outcomes[place].push(judged.outcome);
            if judged.outcome == PlanOutcome::Solved {
                solved += 1;
                break;
            }
        }
    }
    record.push("", "coverage", f64::from(solved) / test.len().max(1) as f64);
    for (spec, outcomes) in planning.planners.iter().zip(&outcomes) {
        let counts = coverage::tally(outcomes);
        for (outcome, count) in PlanOutcome::ALL.iter().zip(counts) {
            record.push("", &format!("{}:{spec}", outcome.name()), count as f64 / test.len().max(1) as f64);
        }
    }
    Ok(())
}

impl Record {
    fn push(&mut self, action: &str, metric: &str, value: f64) {
        self.values.push(Value { action: action.to_owned(), metric: metric.to_owned(), value: value.to_string() });
    }

    fn push_some(&mut self, action: &str, metric: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.push(action, metric, value);
        }
    }
}

/// A cell that could not be worked on at all.
pub fn failed(config: &Config, cell: &Cell, identity: &str, message: String) -> Record {
    Record { error: Some(message), seconds: Seconds::default(), ..Record::new(config.key(cell), identity) }
}
