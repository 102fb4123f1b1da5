//! One cell: learn from so many traces of a fold with one setting, measure on the fold's test problems.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use surefoot::evaluate::{Metric, PlanOutcome, assumption, semantic, syntactic};
use surefoot::learn::{Algorithm, Class, Degree, Learner, Settings};
use surefoot::model::Domain;
use surefoot::model::compiled::Compiled;

use super::config::{AlgorithmWord, Cell, Config};
use super::learning::{self, LessonKey, Model, Prefixes};
use super::measure::Measure;
use super::results::{Record, Seconds};
use super::source::Material;
use crate::coverage;
use crate::maps;
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

fn class(config: &Config, cell: &Cell, material: &Material) -> Result<Class> {
    let (setting, domain) = (&config.settings[cell.setting], &config.domains[cell.domain]);
    let relevant = match &domain.relevant {
        Some(path) if setting.relevant.unwrap_or(true) => maps::relevant(path, &material.domain)?,
        _ => BTreeMap::new(),
    };
    let degree = setting.degree.or(domain.degree).unwrap_or(1);
    Ok(Class { degree: Degree { degree, squares: false }, relevant, numbers: material.numbers(setting.decimals) })
}

fn settings(config: &Config, cell: &Cell, learner: &Learner) -> Result<Settings> {
    let (setting, domain) = (&config.settings[cell.setting], &config.domains[cell.domain]);
    let defaults = Settings::default();
    Ok(Settings {
        algorithm: match cell.algorithm {
            AlgorithmWord::Nsam => Algorithm::Nsam,
            AlgorithmWord::NsamStar => Algorithm::NsamStar,
            AlgorithmWord::Sam => Algorithm::Sam,
        },
        arity: setting.arity,
        effect_arity: setting.effect_arity,
        monotone: match (&domain.monotone, setting.monotone) {
            (Some(path), true) => maps::monotone(path, learner)?,
            _ => BTreeMap::new(),
        },
        positive_preconditions: setting.positive_preconditions,
        facet_budget: setting.facet_budget.unwrap_or(defaults.facet_budget),
        digits: setting.digits,
    })
}

/// Learners over growing numbers of traces as a cell needs them, and what its models are made with.
pub fn lesson(config: &Config, cell: &Cell, material: &Material) -> Result<(Arc<Prefixes>, Settings)> {
    let (setting, domain) = (&config.settings[cell.setting], &config.domains[cell.domain]);
    let key = LessonKey {
        degree: setting.degree.or(domain.degree).unwrap_or(1),
        relevant: setting.relevant.unwrap_or(true),
        decimals: setting.decimals,
        fold: cell.fold,
    };
    let prefixes = material.lessons.prefixes(material, &key, || class(config, cell, material), &numbers(config, cell))?;
    let settings = settings(config, cell, learning::prefix(&prefixes, cell.traces)?)?;
    Ok((prefixes, settings))
}

/// The numbers of traces of a cell's domain.
fn numbers(config: &Config, cell: &Cell) -> BTreeSet<usize> {
    config.domains[cell.domain].traces.as_ref().unwrap_or(&config.traces).iter().copied().collect()
}

/// The model of a cell.
pub fn model(config: &Config, cell: &Cell, material: &Material, learner: &Learner, settings: &Settings) -> Result<Model> {
    let seen = material.seen(config.settings[cell.setting].decimals)?;
    let train = material.folds[cell.fold].train.iter().take(cell.traces);
    let traces: Vec<_> = train.map(|&index| (&*material.problems[index].0, &seen[index])).collect();
    learning::conclude(learner, settings, &traces, config.domains[cell.domain].on_bad_data)
}

fn measure(config: &Config, cell: &Cell, material: &Material, record: &mut Record) -> Result<()> {
    let start = Instant::now();
    let (prefixes, settings) = lesson(config, cell, material)?;
    let learner = learning::prefix(&prefixes, cell.traces)?;
    (record.assumption, record.undecided) = standing(material, learner, &settings, config.settings[cell.setting].decimals)?;
    let model = model(config, cell, material, learner, &settings)?;
    record.seconds.learn = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let (real, learned) = (&material.domain, &model.domain);
    let syntax = syntactic::compare(real, learned);
    let meaning = semantic::compare(&material.datasets[cell.fold], real, &Compiled::new(learned));
    let with_numbers = cell.algorithm != AlgorithmWord::Sam;
    record.compare(&syntax, &meaning, with_numbers)?;
    record.push(Metric::ActionsLearned, learned.actions.len() as f64);
    record.push(Metric::LinearConditions, model.facets as f64);
    record.push(Metric::StepsSetAside, model.set_aside.len() as f64);
    record.seconds.evaluate = start.elapsed().as_secs_f64();

    let start = Instant::now();
    // A planner that cannot be called says nothing about the model.
    record.coverage_error = plans(config, cell, material, learned, record).err().map(|error| format!("{error:#}"));
    record.seconds.plan = start.elapsed().as_secs_f64();

    let most = numbers(config, cell).into_iter().filter(|&traces| traces <= material.folds[cell.fold].train.len()).max();
    if cell.fold == 0 && most == Some(cell.traces) {
        record.portrait = Some(model.portrait(real, learner, &settings, &material.datasets[cell.fold]));
    }
    Ok(())
}

/// What is assumed that is not true of the real domain, and of what that is not decided; empty when all is true.
fn standing(
    material: &Material,
    learner: &Learner,
    settings: &Settings,
    decimals: Option<u32>,
) -> Result<(Vec<String>, Vec<String>)> {
    let (mut refuted, mut undecided) = (Vec::new(), Vec::new());
    for judgement in assumption::judgements(&material.domain, learner, settings) {
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
