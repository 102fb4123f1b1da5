//! The linear conditions of an action as regions, where they are many.

use std::borrow::Cow;
use std::sync::Arc;

use super::ids::RegionId;
use super::numeric::LiftedRegion;
use surefoot_base::ids::IdVec;
use surefoot_base::model::{Action, Condition, LiftedFunction, Region};

/// This many linear conditions become one region. Fewer are conditions of an author, each a goal in
/// itself.
const REGION: usize = 9;

/// The conditions of an action.
pub struct GatheredAction<'d> {
    /// Regions, and the products of functions that are their columns.
    pub regions: Vec<(RegionId, Vec<Vec<LiftedFunction>>)>,
    /// The conjuncts that are in no region.
    pub others: Vec<Cow<'d, Condition>>,
}

/// Takes the precondition of an action apart. What it has of many linear comparisons becomes a
/// region, and a small region comparisons.
pub fn gather<'d>(
    action: &'d Action,
    regions: &mut IdVec<RegionId, LiftedRegion>,
) -> GatheredAction<'d> {
    let mut gathered = GatheredAction { regions: Vec::new(), others: Vec::new() };
    for part in action.precondition.conjuncts() {
        match part {
            Condition::Within(region) if region.len() >= REGION || !region.set.is_complete() => {
                let columns = region.read().map(<[LiftedFunction]>::to_vec).collect();
                gathered
                    .regions
                    .push((regions.push(LiftedRegion::new(Arc::clone(&region.set))), columns));
            }
            Condition::Within(region) => {
                gathered.others.extend(region.comparisons().map(Cow::Owned))
            }
            other => gathered.others.push(Cow::Borrowed(other)),
        }
    }
    if let Some(found) = Region::gather(gathered.others.iter().map(AsRef::as_ref), REGION) {
        let set = Arc::new(found.region.set.substituted());
        gathered.regions.push((regions.push(LiftedRegion::new(set)), found.region.columns));
        let mut index = 0..;
        gathered
            .others
            .retain(|_| index.next().is_some_and(|index| !found.members.contains(index)));
    }
    gathered
}
