//! `surefoot demo`: the whole process on a built-in domain, from problems to a report. It prints
//! only what it computed.

mod columns;
mod stage;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use surefoot_analysis::evaluate::{Attempt, PlanOutcome, judge};
use surefoot_base::exact::Rational;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::{Inapplicable, Semantics};
use surefoot_base::model::{ActionId, Domain};
use surefoot_base::pddl::write_action;
use surefoot_learn::{Algorithm, Model};

use crate::args::{Demo, Format};
use columns::{aligned, beside, indented, wrapped};
use stage::{DemoFiles, PATIENCE, PROBLEMS};
use surefoot_io::output::{
    Answer, ConditionWriter, count, print, print_json, shown_path, write_file,
};
use surefoot_lab::experiment::config::{Config, ExperimentCell};
use surefoot_lab::experiment::learning;
use surefoot_lab::experiment::run::{Experiment, jobs};
use surefoot_lab::experiment::source::Material;
use surefoot_lab::generate;
use surefoot_lab::portrait::cut;
use surefoot_lab::report;
use surefoot_lab::solver::Solver;

const WIDTH: usize = 100;

/// Prints the chapters of the story, wrapped to the width of a page.
struct Narrator {
    quiet: bool,
}

impl Narrator {
    fn chapter(&self, number: usize, title: &str) -> Result<()> {
        let title = format!("{number}. {title}");
        let rule = "=".repeat(title.chars().count());
        self.block(&format!("\n{title}\n{rule}"))
    }

    /// Prints a paragraph, wrapped, with an empty line after it.
    fn say(&self, text: &str) -> Result<()> {
        self.block(&wrapped(text, WIDTH))
    }

    /// Something to look at, as it is; with an empty line before it, as every block.
    fn block(&self, text: &str) -> Result<()> {
        if self.quiet { Ok(()) } else { print(&format!("\n{}\n", text.trim_end())) }
    }
}

pub fn run(arguments: &Demo) -> Result<Answer> {
    let is_json = arguments.format == Format::Json;
    let teller = Narrator { quiet: arguments.quiet || is_json };
    let generator = generate::find(&arguments.domain).context("there is no such domain")?;
    let folder = arguments.output.join(format!("{}-{}", generator.name, arguments.seed));
    let opening = "surefoot learns the rules of a world from records of what was done in it. It \
                   does not guess: what a learned rule allows works in \
                   the real world, as long as some assumptions hold that it writes down.";
    if !teller.quiet {
        print(&wrapped(opening, WIDTH))?;
    }
    teller.say(&format!("This is {}: {}.", generator.title, generator.summary))?;

    teller.chapter(1, "Somebody who knows the rules at work")?;
    let stage = stage::build(generator, arguments.seed, &folder)?;
    recordings(&teller, &stage)?;

    teller.chapter(2, "Learning the rules from the records")?;
    let material = Material::load(&stage.config, &stage.config.domains[0])?;
    let most = stage
        .config
        .traces
        .iter()
        .copied()
        .filter(|&traces| traces <= material.folds[0].train.len())
        .max()
        .unwrap_or(1);
    let first = stage.config.traces.iter().copied().min().unwrap_or(1);
    let mut models = Vec::new();
    for (traces, noun) in [(first, count(first, "record")), (most, count(most, "record"))] {
        models.push((
            format!("{noun}: N-SAM"),
            model(&stage.config, &material, Algorithm::Nsam, traces)?,
        ));
        models
            .push(("N-SAM*".into(), model(&stage.config, &material, Algorithm::NsamStar, traces)?));
    }
    learned(&teller, &material, most, &models)?;
    let Some((_, star)) = models.pop() else { return Ok(Answer::No) };

    teller.chapter(3, "A learned rule and the real one")?;
    let file = folder.join("learned.pddl");
    write_file(&file, star.to_pddl().as_bytes())?;
    rule(&teller, &material.domain, &star, &file)?;
    refusal(&teller, &material, &star)?;

    teller.chapter(4, "New problems, solved with the learned rules")?;
    problems(&teller, &material, &star.read_back())?;

    teller.chapter(5, "The numbers")?;
    let results = folder.join("results");
    let experiment = Experiment::prepare(stage.config)?;
    let finished = experiment.run(&results, jobs(None)?)?;
    let page = folder.join("report.html");
    report::write(&results, Some(&page))?;
    numbers(&teller, &results, finished.tables.failed)?;

    teller.chapter(6, "The report")?;
    if is_json {
        print_json(&json!({
            "folder": shown_path(&folder),
            "report": shown_path(&page),
            "learned": shown_path(&file),
            "failed": finished.tables.failed,
        }))?;
    } else if arguments.quiet {
        print(&format!("{}\n", shown_path(page)))?;
    } else {
        teller.say(
            "Curves, tables with the paper's numbers, and every learned rule with pictures \
                    of what was seen, in one page for a browser:",
        )?;
        teller.block(&format!("  {}", shown_path(page)))?;
        teller.say(&format!(
            "Everything is in {}: the traces, the learned domain, the results. Your own records: \
             surefoot learn -d DOMAIN -o LEARNED.pddl \
             TRACES. All commands: surefoot --help.",
            shown_path(folder)
        ))?;
    }
    Ok(if finished.tables.failed > 0 { Answer::No } else { Answer::Yes })
}

/// The model that an algorithm learns from this number of records.
fn model(
    config: &Config,
    material: &Material,
    algorithm: Algorithm,
    traces: usize,
) -> Result<Model> {
    let place = config.algorithms.iter().position(|name| name == algorithm.name());
    let algorithm =
        place.with_context(|| format!("{} is not part of the demo", algorithm.title()))?;
    learning::model(
        config,
        &ExperimentCell { domain: 0, setting: 0, algorithm, traces, fold: 0 },
        material,
    )
}

fn recordings(teller: &Narrator, stage: &DemoFiles) -> Result<()> {
    let others = match PROBLEMS - stage.planned {
        0 => String::new(),
        others => format!(
            " For {others} it found none in {PATIENCE} s, and the plan that the problem was made \
             with is used."
        ),
    };
    teller.say(&format!(
        "{PROBLEMS} problems are generated, and surefoot's planner, which knows the rules, solves \
         {}.{others} Running the plans gives {PROBLEMS} \
         records, {} steps in all: a record says what was done and what was true before and after, \
         never why. The shortest:",
        stage.planned, stage.steps
    ))?;
    let mut lines: Vec<String> =
        stage.record.lines().map(|line| shortened(line, WIDTH - 4)).collect();
    if lines.len() > 9 {
        let left = lines.len() - 8;
        lines.truncate(8);
        lines.push(format!("... {left} more lines"));
    }
    teller.block(&indented(&lines.join("\n")))
}

fn shortened(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    line.chars().take(width - 4).collect::<String>() + " ..."
}

fn learned(
    teller: &Narrator,
    material: &Material,
    traces: usize,
    models: &[(String, Model)],
) -> Result<()> {
    teller.say(&format!(
        "surefoot sees one of the records, then {traces}, and the names of things, never the \
         rules. N-SAM learns an action when it was seen in \
         more different situations than there are numbers to reason about; N-SAM* learns every \
         action that was seen at all."
    ))?;
    let seen = material.seen(None)?;
    let train = &material.folds[0].train;
    let head = std::iter::once("action")
        .chain(models.iter().map(|(name, _)| name.as_str()))
        .chain(["times seen"]);
    let mut rows: Vec<Vec<String>> = vec![head.map(String::from).collect()];
    for id in material.domain.action_ids() {
        let mut row = vec![material.domain.action_name(id).to_owned()];
        row.extend(models.iter().map(|(_, model)| {
            if model.missing(id).is_none() { "learned" } else { "not yet" }.to_owned()
        }));
        let steps = train.iter().take(traces).flat_map(|&index| &seen[index].steps);
        row.push(steps.filter(|step| step.action == id).count().to_string());
        rows.push(row);
    }
    teller.block(&aligned(&rows, models.len() + 1))
}

/// The action to show: one with a few conditions on numbers, if there is one.
fn showpiece(model: &Model) -> Option<ActionId> {
    let summary = model.summary();
    let learned =
        model.vocabulary().action_ids().zip(&summary.actions).filter(|(_, action)| action.learned);
    let counted = learned.map(|(id, action)| (action.equations + action.facets, id));
    counted.min_by_key(|(count, id)| (*count == 0, *count, id.index())).map(|(_, id)| id)
}

fn rule(teller: &Narrator, real: &Domain, model: &Model, file: &Path) -> Result<()> {
    let Some(id) = showpiece(model) else {
        return teller.say("No action was learned from so few records.");
    };
    let name = real.action_name(id);
    let learned = cut(&model.action_to_pddl(id));
    teller.say(&format!("What N-SAM* found out about {name}, and the rule that it never saw:"))?;
    teller.block(&beside(
        ("the real rule", &write_action(real, id)),
        ("what was learned", &learned),
    ))?;
    teller.say(&format!(
        "The learned rule may ask for more than the real one: it allows what lies between things \
         that were seen, and nothing beyond. All \
         learned rules: {}",
        shown_path(file)
    ))
}

/// A step that works and is refused, and why.
fn refusal(teller: &Narrator, material: &Material, model: &Model) -> Result<()> {
    let learned = model.for_states();
    let compiled = Compiled::new(learned);
    for scene in &material.datasets[0].scenes {
        let mut universe = scene.universe.clone();
        let mut checker = Checker::new(&compiled, &scene.objects);
        for episode in &scene.episodes {
            let mut state = episode.start.clone();
            for sample in &episode.steps {
                let action = &sample.action;
                if sample.real.is_some() && model.missing(action.symbol).is_none() {
                    let step = checker.step(action, &mut universe);
                    let held = checker.held(step, &universe, &state);
                    if held.boolean && !held.numeric {
                        let semantics = Semantics::new(learned, &scene.objects);
                        if let Err(Inapplicable::Precondition(violations)) =
                            semantics.applicable(action, &universe, &state)
                        {
                            let words = ConditionWriter::new(learned, &scene.objects);
                            let reasons: Vec<String> = violations
                                .iter()
                                .take(2)
                                .map(|one| words.violation_in_short(one))
                                .collect();
                            teller.say(&format!(
                                "Caution has a price. In one test state, {} would work, but the \
                                 learned rule refuses it, because",
                                words.action(action)
                            ))?;
                            return teller.block(&indented(&reasons.join("\n")));
                        }
                    }
                }
                sample.advance(&mut state);
            }
        }
    }
    Ok(())
}

fn problems(teller: &Narrator, material: &Material, learned: &Domain) -> Result<()> {
    let test = &material.folds[0].test;
    teller.say(&format!(
        "{} problems were kept apart. The planner gets the learned rules instead of the real ones, \
         and {PATIENCE} s for each; then its plan is \
         run in the real world:",
        test.len()
    ))?;
    let solver = Solver::parse("builtin")?;
    let mut rows =
        vec![["problem", "by the learned rules", "in the real world"].map(String::from).to_vec()];
    let (mut plans, mut valid) = (0, 0);
    for &index in test {
        let (name, problem) = &material.problems[index];
        let attempt = solver.solve(learned, problem, Duration::from_secs(PATIENCE));
        let outcome = judge(&attempt, learned, &material.domain, problem, &Rational::ZERO);
        let (planned, real) = match &attempt {
            Attempt::Plan(plan) => {
                plans += 1;
                valid += usize::from(outcome == PlanOutcome::Solved);
                let word = match outcome {
                    PlanOutcome::Solved => "valid: every step works, the goal is reached",
                    PlanOutcome::GoalUnmet => "NOT valid: the goal is not reached",
                    _ => "NOT valid: a step fails",
                };
                (format!("a plan of {}", count(plan.steps.len(), "step")), word.to_owned())
            }
            Attempt::Unsolvable => ("no plan: too much is refused".into(), "-".to_owned()),
            Attempt::Limit => (format!("no plan in {PATIENCE} s"), "-".into()),
            Attempt::Failed(message) => (format!("no plan: {message}"), "-".into()),
        };
        rows.push(vec![name.clone(), planned, real]);
    }
    teller.block(&aligned(&rows, 3))?;
    teller.say(&match (plans, plans - valid) {
        (0, _) => "The learned rules are too strict for these problems; more records would widen \
                   them."
            .into(),
        (_, 0) => format!(
            "All {plans} plans work in the real world. That is the promise: what a \
                           learned rule allows, works."
        ),
        (_, wrong) => {
            format!(
                "{wrong} of {plans} plans do not work in the real world. That breaks the \
                     promise; please report it."
            )
        }
    })
}

fn numbers(teller: &Narrator, results: &Path, failed: usize) -> Result<()> {
    teller.say(
        "The records are split in five ways. Each time, the rules are measured on test records \
         and on random steps, a \
         quarter of which do not work. Precision: \
         of what the learned rules allow, how much works. Recall: of what works, how much they \
         allow. Coverage: how many test problems \
         they solve, with half a second for each (± half of a 95 % interval).",
    )?;
    let (rows, precise) = report::digest(results)?;
    teller.block(&aligned(&rows, 2))?;
    teller.say(
        "\"plain\" assumes nothing beyond the paper. \"with-assumptions\" also assumes that some \
         numbers \
         never hurt when they grow (or shrink), and that preconditions have no negative atoms.",
    )?;
    if precise {
        teller.say(
            "These assumptions are true here, so precision is exactly 1: nothing that was allowed \
             failed.",
        )?;
    }
    if failed > 0 {
        teller.say(&format!("{failed} cells of the experiment failed; the report says why."))?;
    }
    Ok(())
}
