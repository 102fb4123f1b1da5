//! What the numbers of an action were, one by one, where it worked.

use std::cmp::Ordering;

use surefoot_base::exact::Rational;
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::model::{GroundAction, State, Universe};
use surefoot_learn::{
    ActiveColumn, Algorithm, ColumnId, Learner, LiftedFunctionId, Settings, rays,
};

/// What a number was in every step that worked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound {
    /// This value, or more.
    AtLeast(Rational),
    /// This value, or less.
    AtMost(Rational),
    /// This value, and no other.
    Only(Rational),
}

impl Bound {
    /// The number in it.
    pub fn value(&self) -> &Rational {
        match self {
            Bound::AtLeast(value) | Bound::AtMost(value) | Bound::Only(value) => value,
        }
    }
}

/// The values that the columns of a step have in a state, in the order of the vocabulary; `None`
/// for what has none.
pub(super) fn values(
    learner: &Learner,
    step: &GroundAction,
    universe: &Universe,
    state: &State,
) -> IdVec<ColumnId, Option<Rational>> {
    let vocabulary = learner.vocabulary(step.symbol);
    let functions: IdVec<LiftedFunctionId, Option<Rational>> = vocabulary
        .functions
        .iter()
        .map(|function| {
            universe
                .find_value(&function.ground(&step.arguments))
                .and_then(|id| state.value(id))
                .cloned()
        })
        .collect();
    vocabulary.columns.ids().map(|column| vocabulary.column_value(column, &functions)).collect()
}

/// The columns of a step that lie outside the values observed when its action worked, each with its
/// value and the bound that it breaks: farthest outside first, relative to the observed range. What
/// a monotone mark lifts is no bound, and where numbers are not modelled there is none.
pub fn ranges(
    learner: &Learner,
    settings: &Settings,
    step: &GroundAction,
    universe: &Universe,
    state: &State,
) -> Vec<(ColumnId, Rational, Bound)> {
    let vocabulary = learner.vocabulary(step.symbol);
    let columns = learner.evidence(step.symbol).columns(vocabulary);
    let evidence = learner.evidence(step.symbol);
    let (points, partial) = (evidence.points(&columns), evidence.partial_points(&columns));
    if settings.algorithm == Algorithm::Sam {
        return Vec::new();
    }
    let here = values(learner, step, universe, state);
    let rays = rays(vocabulary, &columns, settings.monotone.get(&step.symbol), &points);
    let mut found: Vec<(f64, ColumnId, Rational, Bound)> = Vec::new();
    for (place, &column) in columns.pairs() {
        let Some(value) = &here[column] else { continue };
        let Some((least, most)) = range(&points, &partial, place) else { continue };
        let (bound, missed) = match (value.cmp(&least), value.cmp(&most)) {
            (Ordering::Less, _) if !is_open(&rays, place, -1) => {
                (Bound::AtLeast(least.clone()), &least - value)
            }
            (_, Ordering::Greater) if !is_open(&rays, place, 1) => {
                (Bound::AtMost(most.clone()), value - &most)
            }
            _ => continue,
        };
        let closed = !is_open(&rays, place, -1) && !is_open(&rays, place, 1);
        let bound = if least == most && closed { Bound::Only(least.clone()) } else { bound };
        // Which one comes first is a matter of taste, so floating point is good enough.
        let spread = (&most - &least).to_f64();
        found.push((
            missed.to_f64() / if spread > 0.0 { spread } else { 1.0 },
            column,
            value.clone(),
            bound,
        ));
    }
    found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    found.into_iter().map(|(_, column, value, bound)| (column, value, bound)).collect()
}

/// Whether a mark lifts the bound of a column on one side: below for -1, above for 1.
fn is_open(rays: &[Vec<Rational>], place: ActiveColumn, side: i32) -> bool {
    rays.iter().any(|ray| ray[place.index()].signum() == side)
}

/// The least and the greatest observed value, also from steps with other unknown values.
fn range(
    points: &[Vec<Rational>],
    partial: &[Vec<Option<Rational>>],
    place: ActiveColumn,
) -> Option<(Rational, Rational)> {
    let known = partial.iter().filter_map(|point| point[place.index()].as_ref());
    let values = points.iter().map(|point| &point[place.index()]).chain(known);
    Some((values.clone().min()?.clone(), values.max()?.clone()))
}
