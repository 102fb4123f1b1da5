//! Why an action is or is not applicable under a learned model, what was observed nearby, and what would admit it.

use crate::exact::{Membership, Rational};
use crate::ids::IdVec;
use crate::learn::{
    ActiveColumns, ColumnId, Conclusion, Learner, LiftedFunctionId, Monotone, Settings, check_marks, rays, with_bodies,
};
use crate::model::semantics::Semantics;
use crate::model::{Action, ActionId, Domain, GroundAction, Names, Objects, State, Universe};
use crate::pddl::write_domain;

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

/// An observed vector beside the one asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearest {
    /// Columns of the action's vocabulary, the value asked about, and the value observed.
    pub columns: Vec<(ColumnId, Rational, Rational)>,
    /// How many observed vectors there were to choose from.
    pub among: usize,
}

/// The values of the active columns in a state; `None` where one is undefined.
fn vector(learner: &Learner, step: &GroundAction, universe: &Universe, state: &State) -> Option<(ActiveColumns, Vec<Rational>)> {
    let vocabulary = learner.vocabulary(step.symbol);
    let value = |function: &crate::model::LiftedFunction| {
        universe.find_value(&function.ground(&step.arguments)).and_then(|id| state.value(id)).cloned()
    };
    let values: IdVec<LiftedFunctionId, Option<Rational>> = vocabulary.functions.iter().map(value).collect();
    let columns = learner.evidence(step.symbol).columns(vocabulary);
    let vector = columns.iter().map(|&column| vocabulary.column_value(column, &values)).collect::<Option<_>>()?;
    Some((columns, vector))
}

/// The observed vector nearest to a state, each column measured by its observed range; `None` where nothing was observed or the
/// state leaves a column undefined. Only vectors that span the region are kept by a learner that saw very many.
pub fn nearest(learner: &Learner, step: &GroundAction, universe: &Universe, state: &State) -> Option<Nearest> {
    let (columns, here) = vector(learner, step, universe, state)?;
    let points = learner.evidence(step.symbol).points(&columns);
    let range = |place: usize| {
        let values = || points.iter().map(|point| &point[place]);
        Some((values().max()? - values().min()?).to_f64())
    };
    let ranges: Vec<f64> = (0..columns.len()).map(|place| range(place).filter(|&range| range > 0.0).unwrap_or(1.0)).collect();
    // Which one is nearest is a matter of taste, so floating point is good enough.
    let distance = |point: &Vec<Rational>| -> f64 {
        let square = |place: usize| ((&point[place] - &here[place]).to_f64() / ranges[place]).powi(2);
        (0..columns.len()).map(square).sum()
    };
    let best = points.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
    let columns = columns.iter().zip(&here).zip(best).map(|((column, here), observed)| (*column, here.clone(), observed.clone()));
    Some(Nearest { columns: columns.collect(), among: points.len() })
}

/// Whether a model's action is what a learner makes of its evidence with these settings: else what they say of it is about another
/// model.
pub fn is_of_model(learner: &Learner, settings: &Settings, action: ActionId, model: &Domain, known_as: ActionId) -> bool {
    let Conclusion::Learned(learned) = learner.conclude(action, settings) else { return false };
    written(learner.domain(), &learned.action) == written(model, model.action(known_as))
}

/// An action as it is written, whatever its name.
fn written(domain: &Domain, action: &Action) -> String {
    let mut alone = Domain { actions: Names::default(), signature: domain.signature.clone(), ..Domain::default() };
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
    let admits = |settings: &Settings| match learner.conclude(step.symbol, settings) {
        Conclusion::Learned(action) => {
            let domain = with_bodies(learner.domain(), |id| (id == step.symbol).then_some(&action.action));
            Semantics::new(&domain, objects).applicable(step, universe, state).is_ok()
        }
        _ => false,
    };
    let mut found = Vec::new();
    if !settings.positive_preconditions && admits(&Settings { positive_preconditions: true, ..settings.clone() }) {
        found.push(Admission::PositivePreconditions);
    }
    let Some((columns, here)) = vector(learner, step, universe, state) else { return found };
    let most = settings.arity.unwrap_or(columns.len()).min(columns.len()).min(4);
    let arities = (1..most).rev().flat_map(|arity| [(arity, false), (arity, true)]);
    found.extend(arities.map(|(arity, effects)| Admission::Arity(arity, effects)).find(|admission| match admission {
        Admission::Arity(arity, effects) => {
            let effect_arity = if *effects { Some(*arity) } else { settings.effect_arity };
            admits(&Settings { arity: Some(*arity), effect_arity, ..settings.clone() })
        }
        _ => false,
    }));
    found.extend(monotone(learner, settings, step, &columns, &here, admits));
    found
}

/// Marks are tried by membership first, since facets in many dimensions are slow. What is marked already stays as the user said.
fn monotone(
    learner: &Learner,
    settings: &Settings,
    step: &GroundAction,
    columns: &ActiveColumns,
    here: &[Rational],
    admits: impl Fn(&Settings) -> bool,
) -> Vec<Admission> {
    let vocabulary = learner.vocabulary(step.symbol);
    let points = learner.evidence(step.symbol).points(columns);
    let given = settings.monotone.get(&step.symbol);
    let mut found = Vec::new();
    for &column in columns.iter().filter(|column| given.is_none_or(|given| !given.contains_key(column))) {
        for mark in [Monotone::More, Monotone::Less] {
            let mut marked = settings.clone();
            let marks = marked.monotone.entry(step.symbol).or_default();
            marks.insert(column, mark);
            if check_marks(vocabulary, marks).is_err() {
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
