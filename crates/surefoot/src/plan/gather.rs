//! The many linear conditions of an action, a learned hull, as one condition.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::numeric::{Hull, Test};
use crate::exact::Rational;
use crate::model::{Action, Comparison, Condition, LiftedFunction, Linear};

/// From how many linear conditions on they are one hull: fewer are the author's own, each a goal in itself.
const HULL: usize = 9;

/// Which conditions of an action are one hull.
pub struct Gathered {
    /// The hull's number.
    pub hull: u32,
    /// The products of functions that are its columns.
    pub columns: Vec<Vec<LiftedFunction>>,
    /// Which parts of the action's precondition are in it.
    pub members: FixedBitSet,
}

/// Gathers the linear conditions of an action, if they are many or stand for a hull known by its vertices.
pub fn gather(action: &Action, hulls: &mut Vec<Hull>) -> Option<Gathered> {
    let parts = action.precondition.conjuncts();
    let mut members = FixedBitSet::with_capacity(parts.len());
    let mut linear = Linear::default();
    // The columns of the vertices come first.
    let spanned = parts.iter().find_map(|part| match part {
        Condition::Within(region) if !region.set.is_complete() => Some(region),
        _ => None,
    });
    linear.columns.extend(spanned.iter().flat_map(|region| &region.columns).cloned());
    let mut add = |condition: &Condition| match condition {
        Condition::Compare(comparison, sides) => linear.add(sides, *comparison),
        _ => false,
    };
    for (index, part) in parts.iter().enumerate() {
        let is_member = match part {
            Condition::Within(region) if region.set.is_complete() => region.comparisons().all(|comparison| add(&comparison)),
            Condition::Within(region) => spanned == Some(region),
            other => add(other),
        };
        members.set(index, is_member);
    }
    if linear.forms.len() < HULL && spanned.is_none() {
        return None;
    }
    // A function whose terms cancel must have a value all the same.
    for function in &linear.read {
        if !linear.columns.iter().any(|column| column.contains(function)) {
            linear.columns.insert(vec![function.clone()]);
        }
    }
    let width = linear.columns.len();
    let facets = linear.forms.into_iter().map(|(form, comparison)| facet(form, comparison, width)).collect();
    hulls.push(Hull::new(width, facets, spanned.map(|region| Arc::clone(&region.set))));
    Some(Gathered { hull: (hulls.len() - 1) as u32, columns: linear.columns.into_iter().collect(), members })
}

/// What a linear form compared to zero says, as factors and a constant that pass a test.
fn facet(mut form: Vec<Rational>, comparison: Comparison, width: usize) -> (Vec<Rational>, Rational, Test) {
    form.resize(width + 1, Rational::ZERO);
    if matches!(comparison, Comparison::Less | Comparison::LessOrEqual) {
        form.iter_mut().for_each(|entry| *entry = -&*entry);
    }
    let test = match comparison {
        Comparison::Less | Comparison::Greater => Test::Positive,
        Comparison::LessOrEqual | Comparison::GreaterOrEqual => Test::NonNegative,
        Comparison::Equal => Test::Zero,
    };
    let constant = form.remove(0);
    (form, constant, test)
}
