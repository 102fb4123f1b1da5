//! Models in which each part of an action is an action of its own (`charge--1`), for planners that
//! read neither `or` nor `when`; and plans in these names.

use std::path::Path;

use anyhow::{Result, bail};
use surefoot_base::model::{Action, ActionId, Domain, Objects};
use surefoot_base::parts::{DomainParts, PartsMap};
use surefoot_base::pddl::{Diagnostic, Plan, ReadError, Source, read_plan};
use surefoot_io::input::{self, ModelFile, shown_input};

/// The parts that a model says it has; none of a domain without a stamp.
fn parts(path: &Path, model: &ModelFile) -> Result<DomainParts, ReadError> {
    let Some(spec) = model.spec() else { return Ok(DomainParts::default()) };
    // A left-out action is not in the model.
    let known = |name: &String| model.domain.actions.find(name).is_some();
    let known: PartsMap = (spec.parts.iter().filter(|(name, _)| known(name)))
        .map(|(name, parts)| (name.clone(), parts.clone()))
        .collect();
    DomainParts::read(&model.domain, &known, (spec.degree, spec.squares))
        .map_err(|error| Diagnostic::of_file(&shown_input(path), error.0).into())
}

/// The domain of a model with an action for each part, whose ids [`real_plan`] takes.
pub fn one_action_per_part(path: &Path, model: &ModelFile, domain: &Domain) -> Result<Domain> {
    let parts = parts(path, model)?;
    if parts.is_empty() {
        bail!(
            "no action of {} has parts, so --one-action-per-part changes nothing: leave it out",
            shown_input(path)
        );
    }
    match parts.split(domain) {
        Some(split) => Ok(split),
        None => bail!(
            "the actions of {} do not have the parts that its last comment names: learn it again",
            shown_input(path)
        ),
    }
}

/// A plan in the names of parts, in the real actions.
pub fn real_plan(
    path: &Path,
    model: &ModelFile,
    (split, domain): (&Domain, &Domain),
    plan: &Plan,
) -> Result<Plan, ReadError> {
    let (names, real) = with_part_names(&parts(path, model)?, domain);
    let mut plan = plan.clone();
    for step in &mut plan.steps {
        let name = split.action_name(step.action.symbol);
        if let Some(id) = names.actions.find(name) {
            step.action.symbol = real[id];
        }
    }
    Ok(plan)
}

/// The plan in a file. An action of the model may be called by one of its parts.
pub fn plan(
    path: &Path,
    (model_path, model): (&Path, &ModelFile),
    domain: &Domain,
    objects: &Objects,
) -> Result<Plan, ReadError> {
    steps(&input::source(path)?, (model_path, model), domain, objects)
}

/// The same of a text.
pub fn steps(
    source: &Source,
    (model_path, model): (&Path, &ModelFile),
    domain: &Domain,
    objects: &Objects,
) -> Result<Plan, ReadError> {
    let parts = parts(model_path, model)?;
    if parts.is_empty() {
        return read_plan(source, domain, objects);
    }
    let (names, real) = with_part_names(&parts, domain);
    let mut plan = read_plan(source, &names, objects)?;
    plan.steps.iter_mut().for_each(|step| step.action.symbol = real[step.action.symbol.index()]);
    Ok(plan)
}

/// The domain with a name for each part after its own actions, and by action the real one.
fn with_part_names(parts: &DomainParts, domain: &Domain) -> (Domain, Vec<ActionId>) {
    let mut names = domain.clone();
    let mut real: Vec<ActionId> = domain.action_ids().collect();
    for id in domain.action_ids() {
        for part in parts.of(id) {
            let nothing = Action::left_out(domain.action(id).parameters.clone());
            if names.actions.insert(&part.name, nothing).is_ok() {
                real.push(id);
            }
        }
    }
    (names, real)
}
