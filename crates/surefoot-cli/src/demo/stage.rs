//! The demo's stage: problems of a built-in domain, planned and recorded into files, and the
//! experiment that is made on them.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, anyhow};
use rayon::prelude::*;
use surefoot_analysis::evaluate::Attempt;
use surefoot_base::model::Domain;
use surefoot_base::pddl::{Plan, write_plan, write_problem, write_trajectory};
use surefoot_base::validate::trace;

use surefoot_io::output::{make_folder, write_file};
use surefoot_lab::experiment::config::Config;
use surefoot_lab::generate::{Generator, Sizes};
use surefoot_lab::solver::Solver;

/// How many problems are made; a fifth of them is kept for testing.
pub const PROBLEMS: usize = 50;
/// How long our planner may think about one of them, in seconds.
pub const PATIENCE: u64 = 1;

/// The records that the demo learns from, and the experiment that it measures.
pub struct DemoFiles {
    pub config: Config,
    /// Steps of all traces.
    pub steps: usize,
    /// How many plans are our planner's; the others came with the problems.
    pub planned: usize,
    /// One record, as it is in its file.
    pub record: String,
}

/// Makes, plans and records the problems, and writes everything into a folder.
pub fn build(generator: &'static Generator, seed: u64, folder: &Path) -> Result<DemoFiles> {
    let domain = generator.domain()?;
    let traces = folder.join("traces");
    make_folder(&traces)?;
    write_file(&traces.join("domain.pddl"), generator.text.as_bytes())?;
    let recorded: Vec<RecordedProblem> = (0..PROBLEMS as u64)
        .into_par_iter()
        .map(|index| record(generator, &domain, seed, index, &traces))
        .collect::<Result<_>>()?;
    let mut maps = String::new();
    for (kind, text) in generator.maps {
        let file = format!("{kind}.json");
        write_file(&folder.join(&file), text.as_bytes())?;
        maps += &format!("{kind} = \"{file}\"\n");
    }
    let path = folder.join("experiment.toml");
    write_file(&path, configuration(generator, seed, &maps).as_bytes())?;
    Ok(DemoFiles {
        config: Config::read(&path, None)?,
        steps: recorded.iter().map(|one| one.steps).sum(),
        planned: recorded.iter().filter(|one| one.planned).count(),
        record: recorded
            .into_iter()
            .map(|one| one.text)
            .min_by_key(String::len)
            .unwrap_or_default(),
    })
}

struct RecordedProblem {
    steps: usize,
    planned: bool,
    text: String,
}

fn record(
    generator: &Generator,
    domain: &Domain,
    seed: u64,
    index: u64,
    folder: &Path,
) -> Result<RecordedProblem> {
    let made = generator.problem(domain, seed, index, &Sizes::usual(generator.sizes))?;
    let objects = &made.problem.objects;
    let found =
        Solver::parse("builtin")?.solve(domain, &made.problem, Duration::from_secs(PATIENCE));
    let (plan, planned): (Plan, bool) = match found {
        Attempt::Plan(plan) => (plan, true),
        _ => (made.plan, false),
    };
    let trajectory = trace(domain, &made.problem, &plan).map_err(|failed| {
        anyhow!("internal error: step {} of {} fails", failed.index + 1, made.name)
    })?;
    let text = write_trajectory(domain, objects, &trajectory);
    let (problem, solution) =
        (write_problem(domain, &made.problem), write_plan(domain, objects, &plan));
    for (ending, contents) in [("pddl", &problem), ("solution", &solution), ("trajectory", &text)] {
        write_file(&folder.join(format!("{}.{ending}", made.name)), contents.as_bytes())?;
    }
    Ok(RecordedProblem { steps: plan.steps.len(), planned, text })
}

/// The experiment: as small as a curve can be.
fn configuration(generator: &Generator, seed: u64, maps: &str) -> String {
    let Generator { name, title, .. } = generator;
    let purpose = "# What `surefoot demo` measures. `surefoot experiment experiment.toml -o \
                   results` does it again.";
    format!(
        r#"{purpose}
title = "{title}: what surefoot learned"
seed = {seed}
folds = 5
traces = [1, 2, 5, 10, 20, 40]
algorithms = ["nsam", "nsam-star"]

[planning]
planners = ["builtin"]
time-limit = 0.5
traces = [1, 5, 40]
problems = 2

[[setting]]
name = "plain"

[[setting]]
name = "with-assumptions"
monotone = true
positive-preconditions = true

[[domain]]
name = "{name}"
folder = "traces"
{maps}"#
    )
}
