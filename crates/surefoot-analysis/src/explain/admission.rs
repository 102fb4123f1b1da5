//! The assumptions that would admit a step. What of it is worth asking a person is decided
//! [elsewhere](super::questions).

use std::collections::BTreeMap;

use super::nearest::vector;
use surefoot_base::exact::{Membership, Rational};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Action, ActionId, Domain, GroundAction, Names, Objects, State, Universe,
};
use surefoot_base::pddl::write_domain;
use surefoot_learn::{
    ActiveColumns, ColumnId, Conclusion, Learner, Model, Monotone, NoTraces, OnBadData, Settings,
    check_marks, rays,
};

/// An assumption under which the learned model would allow the step. All else stays as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Admission {
    /// A(k), and E(k) where the second says so.
    Arity(usize, bool),
    /// More (less) of a column never hurts.
    Monotone(ColumnId, Monotone),
    /// Preconditions have no negative atoms.
    PositivePreconditions,
}

/// Whether a model's action is what a learner makes of its evidence with these settings: else what
/// they say of it is about another model. `action` is of the domain that the learner was given.
pub fn is_of_model(
    learner: &Learner,
    settings: &Settings,
    action: ActionId,
    model: &Domain,
    known_as: ActionId,
) -> bool {
    if !learner.class().errors.is_empty() {
        // What is written of one action depends on which functions others leave inexact.
        let Ok(made) = Model::of(learner, settings, &NoTraces, OnBadData::SkipAction) else {
            return false;
        };
        return written(made.for_planning(), made.for_planning().action(action))
            == written(model, model.action(known_as));
    }
    let parts = learner.lens().parts();
    if !parts.of(action).is_empty() {
        let conclude = |id| match learner.conclude(id, settings) {
            Conclusion::Learned(learned) => Some((id, learned.action)),
            _ => None,
        };
        let bodies: BTreeMap<ActionId, Action> =
            parts.learned_ids(action).filter_map(conclude).collect();
        let learned = learner.domain().with_bodies(|id| bodies.get(&id));
        let merged = parts.merged(learner.given(), &learned);
        return written(&merged, merged.action(action)) == written(model, model.action(known_as));
    }
    let Some(action) = parts.learned_ids(action).next() else { return false };
    let Conclusion::Learned(learned) = learner.conclude(action, settings) else { return false };
    written(learner.domain(), &learned.action) == written(model, model.action(known_as))
}

/// An action as it is written, whatever its name.
fn written(domain: &Domain, action: &Action) -> String {
    let mut alone = Domain {
        actions: Names::default(),
        signature: domain.signature.clone(),
        ..Domain::default()
    };
    let _ = alone.actions.insert("action", action.clone());
    write_domain(&alone)
}

/// The assumptions, one at a time, that would admit a step; the weakest of each kind.
pub fn admissions(
    learner: &Learner,
    settings: &Settings,
    step: &GroundAction,
    objects: &Objects,
    universe: &Universe,
    state: &State,
) -> Vec<Admission> {
    admissions_among(learner, settings, step, objects, universe, state, |_| true)
}

/// Like [`admissions`], among those that are considered worth a try.
pub(super) fn admissions_among(
    learner: &Learner,
    settings: &Settings,
    step: &GroundAction,
    objects: &Objects,
    universe: &Universe,
    state: &State,
    worthwhile: impl Fn(&Admission) -> bool,
) -> Vec<Admission> {
    let admits = |settings: &Settings| match learner.conclude(step.symbol, settings) {
        Conclusion::Learned(action) => {
            let domain =
                learner.domain().with_bodies(|id| (id == step.symbol).then_some(&action.action));
            Semantics::new(&domain, objects).applicable(step, universe, state).is_ok()
        }
        _ => false,
    };
    let mut found = Vec::new();
    let positive =
        !settings.positive_preconditions && worthwhile(&Admission::PositivePreconditions);
    if positive && admits(&settings.clone().with(|settings| settings.positive_preconditions = true))
    {
        found.push(Admission::PositivePreconditions);
    }
    let Some((columns, here)) = vector(learner, step, universe, state) else { return found };
    let most = settings.arity.unwrap_or(columns.len()).min(columns.len()).min(4);
    let arities = (1..most).rev().flat_map(|arity| [(arity, false), (arity, true)]);
    let mut arities = arities
        .map(|(arity, effects)| Admission::Arity(arity, effects))
        .filter(|arity| worthwhile(arity));
    found.extend(arities.find(|admission| match admission {
        Admission::Arity(arity, effects) => {
            let effect_arity = if *effects { Some(*arity) } else { settings.effect_arity };
            admits(&settings.clone().with(|settings| {
                settings.arity = Some(*arity);
                settings.effect_arity = effect_arity;
            }))
        }
        _ => false,
    }));
    found.extend(monotone(learner, settings, step, (&columns, &here), admits, worthwhile));
    found
}

/// Marks are tried by membership first, since facets in many dimensions are slow. What is marked
/// already stays as the user said.
fn monotone(
    learner: &Learner,
    settings: &Settings,
    step: &GroundAction,
    (columns, here): (&ActiveColumns, &[Rational]),
    admits: impl Fn(&Settings) -> bool,
    worthwhile: impl Fn(&Admission) -> bool,
) -> Vec<Admission> {
    let vocabulary = learner.vocabulary(step.symbol);
    let points = learner.evidence(step.symbol).points(columns);
    let given = settings.monotone.get(&step.symbol);
    let mut found = Vec::new();
    for &column in
        columns.iter().filter(|column| given.is_none_or(|given| !given.contains_key(column)))
    {
        for mark in [Monotone::More, Monotone::Less] {
            let mut marked = settings.clone();
            let marks = marked.monotone.entry(step.symbol).or_default();
            marks.insert(column, mark);
            if check_marks(vocabulary, marks).is_err()
                || !worthwhile(&Admission::Monotone(column, mark))
            {
                continue;
            }
            let rays = rays(vocabulary, columns, Some(marks), &points);
            let near = settings.arity.is_some() || Membership::new(&points, &rays).contains(here);
            if near && admits(&marked) {
                found.push(Admission::Monotone(column, mark));
            }
        }
    }
    found
}
