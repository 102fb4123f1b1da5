//! The many linear conditions of an action, a learned region, as one condition.

use fixedbitset::FixedBitSet;

use super::ids::RegionId;
use super::numeric::{LiftedRegion, RegionFacet, SignTest};
use crate::exact::Rational;
use crate::ids::IdVec;
use crate::model::{Action, Comparison, Condition, LiftedFunction, Linear};

/// From how many linear conditions on they are one region: fewer are the author's own, each a goal in itself.
const REGION: usize = 9;

/// Which conditions of an action are one region.
pub struct Gathered {
    /// The region.
    pub region: RegionId,
    /// The products of functions that are its columns.
    pub columns: Vec<Vec<LiftedFunction>>,
    /// Which parts of the action's precondition are in it.
    pub members: FixedBitSet,
}

/// Gathers the linear conditions of an action, if they are many or stand for a hull known by its vertices.
pub fn gather(action: &Action, regions: &mut IdVec<RegionId, LiftedRegion>) -> Option<Gathered> {
    let parts = action.precondition.conjuncts();
    let mut members = FixedBitSet::with_capacity(parts.len());
    let mut linear = Linear::default();
    // The columns of the vertices come first.
    linear.columns.extend(action.hull.iter().flat_map(|hull| hull.columns()).cloned());
    for (index, part) in parts.iter().enumerate() {
        let is_member = match part {
            _ if action.hull.as_ref().is_some_and(|hull| hull.replaces(index)) => true,
            Condition::Compare(comparison, sides) => linear.add(sides, *comparison),
            _ => false,
        };
        members.set(index, is_member);
    }
    if linear.forms.len() < REGION && action.hull.is_none() {
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
    let region = regions.push(LiftedRegion::new(width, facets, action.hull.clone()));
    Some(Gathered { region, columns: linear.columns.into_iter().collect(), members })
}

/// What a linear form compared to zero says, as factors and a constant that pass a test.
fn facet(mut form: Vec<Rational>, comparison: Comparison, width: usize) -> RegionFacet {
    form.resize(width + 1, Rational::ZERO);
    if matches!(comparison, Comparison::Less | Comparison::LessOrEqual) {
        form.iter_mut().for_each(|entry| *entry = -&*entry);
    }
    let test = match comparison {
        Comparison::Less | Comparison::Greater => SignTest::Positive,
        Comparison::LessOrEqual | Comparison::GreaterOrEqual => SignTest::NonNegative,
        Comparison::Equal => SignTest::Zero,
    };
    let constant = form.remove(0);
    RegionFacet { factors: form, constant, test }
}
