//! `surefoot explain`: why an action is or is not applicable under a learned model.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};
use surefoot::certificate::vocabulary_digest;
use surefoot::explain::{Admission, Nearest, admissions, is_of_model, nearest};
use surefoot::learn::{Learner, Monotone, Settings};
use surefoot::model::semantics::{Cause, Inapplicable, Semantics, Violation};
use surefoot::model::{ActionId, Condition, GroundAction, Universe};
use surefoot::pddl::{Source, Writer, read_plan};

use crate::args::Explain;
use crate::input;
use crate::output::{Answer, Words, count, print, shown_path};

pub fn run(arguments: &Explain) -> Result<Answer> {
    let input::Task { domain, problem, not_safe } = input::task(&arguments.task)?;
    let step = read_plan(&Source::new("the action to explain", &*arguments.action), &domain, &problem.objects)?;
    let [step] = &step.steps[..] else { bail!("name one action, such as '(drive truck1 a b)'") };
    let words = Words::new(&domain, &problem.objects);
    let semantics = Semantics::new(&domain, &problem.objects);
    let mut universe = Universe::default();
    let mut state = problem.initial_state(&mut universe);
    if let Some(path) = &arguments.after {
        for (index, before) in input::plan(path, &domain, &problem.objects)?.steps.iter().enumerate() {
            match semantics.successor(&before.action, &mut universe, &state) {
                Ok(next) => state = next,
                Err(_) => bail!("{}: step {} cannot be taken, so there is no state after it", shown_path(path), index + 1),
            }
        }
    }
    let name = words.action(&step.action);
    let reason = match semantics.changes(&step.action, &universe, &state) {
        Ok(changes) => {
            let mut text = format!("{name} is applicable. It\n");
            let writer = Writer::new(&domain, &problem.objects);
            for atom in &changes.deletes {
                text += &format!("  makes {} false\n", writer.ground_atom(atom));
            }
            for atom in &changes.adds {
                text += &format!("  makes {} true\n", writer.ground_atom(atom));
            }
            for (function, value) in &changes.values {
                let old = universe.find_value(function).and_then(|id| state.value(id));
                let old = old.map_or("undefined".into(), ToString::to_string);
                text += &format!("  changes {} from {old} to {value}\n", writer.ground_function(function));
            }
            print(&text)?;
            return Ok(Answer::Yes);
        }
        Err(reason) => reason,
    };
    let mut text = match &reason {
        Inapplicable::Precondition(violations) => {
            let mut text = format!("{name} is not applicable: {} violated\n", count(violations.len(), "condition"));
            violations.iter().for_each(|violation| text += &format!("  {}{}\n", words.violation(violation), gap(violation)));
            text
        }
        other => format!("{name} is not applicable: {}\n", words.reasons(&step.action, other).join("; ")),
    };
    match &arguments.state {
        // A learner that promises nothing has no state to ask.
        None if not_safe.is_some() => {}
        None => text += "(with --state, as `learn --state` writes it, also: what was observed nearby, and what would admit it)\n",
        Some(path) => {
            let learner = input::learner(path)?;
            let Some(id) = learner.domain().actions.find(domain.action_name(step.action.symbol)).map(ActionId::from) else {
                bail!("{} is the state of another domain", shown_path(path));
            };
            let ground = GroundAction { symbol: id, arguments: step.action.arguments.clone() };
            let settings = settings(arguments, &learner, path)?;
            if !is_of_model(&learner, &settings, id, &domain, step.action.symbol) {
                bail!(
                    "{} and these dials do not give what {} says of {}: name the dials that it was learned with, or its certificate (-c)",
                    shown_path(path),
                    shown_path(&arguments.task.domain),
                    domain.action_name(step.action.symbol)
                );
            }
            if let Some(nearest) = nearest(&learner, &ground, &universe, &state) {
                text += &observed(&learner, id, &nearest);
            }
            let admissions = admissions(&learner, &settings, &ground, &problem.objects, &universe, &state);
            text += match admissions.is_empty() {
                true => "no single assumption would admit it: more observations are needed\n",
                false => "it would be applicable if you assumed\n",
            };
            admissions.iter().for_each(|admission| text += &format!("  {}\n", assumed(&learner, id, admission)));
        }
    }
    print(&text)?;
    Ok(Answer::No)
}

/// What the model was made with: as its certificate says, or as typed.
fn settings(arguments: &Explain, learner: &Learner, state: &Path) -> Result<Settings> {
    let Some(path) = &arguments.task.certificate else {
        return arguments.dials.spec()?.settings(learner).map_err(|error| arguments.dials.explained(error));
    };
    if arguments.dials.is_turned() {
        bail!("{} says which dials the model was learned with: leave them out here", shown_path(path));
    }
    let certificate = input::certificate(path)?;
    let seen: BTreeSet<&String> = learner.history().traces.keys().collect();
    if seen != certificate.traces.iter().collect() || vocabulary_digest(learner.domain()) != certificate.vocabulary {
        bail!("{} and {} are not of one model: they rest on different trajectories", shown_path(state), shown_path(path));
    }
    Ok(certificate.assumptions.spec.settings(learner)?)
}

/// By how much a comparison is missed.
fn gap(violation: &Violation) -> String {
    match (&violation.cause, &violation.condition) {
        (Cause::Values(left, right), Condition::Compare(..)) if left != right => format!(", by {}", (left - right).abs()),
        _ => String::new(),
    }
}

fn observed(learner: &Learner, action: ActionId, nearest: &Nearest) -> String {
    let mut text = format!("the nearest of {} is\n", count(nearest.among, "observed vector"));
    for (column, here, observed) in &nearest.columns {
        let name = learner.written(action, &learner.vocabulary(action).columns[*column]);
        let marker = if here == observed { "" } else { "   <-" };
        text += &format!("  {name}: {observed}, here {here}{marker}\n");
    }
    text
}

fn assumed(learner: &Learner, action: ActionId, admission: &Admission) -> String {
    let name = learner.domain().action_name(action);
    match admission {
        Admission::Arity(arity, false) => {
            format!("--arity {arity}: each numeric condition mentions at most {}", count(*arity, "function"))
        }
        Admission::Arity(arity, true) => {
            format!(
                "--arity {arity} --effect-arity {arity}: each condition mentions, and each effect reads, at most so many functions"
            )
        }
        Admission::Monotone(column, mark) => {
            let column = learner.written(action, &learner.vocabulary(action).columns[*column]);
            let word = if *mark == Monotone::More { "more" } else { "less" };
            format!("--monotone with {{\"{name}\": {{\"{column}\": \"{word}\"}}}}: {word} of {column} never hurts")
        }
        Admission::PositivePreconditions => "--positive-preconditions: preconditions have no negative atoms".into(),
    }
}
