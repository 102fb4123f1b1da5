//! Parameters that nobody needs.

use serde::Serialize;

use super::Finding;
use surefoot_base::model::{Domain, ObjectId, Step};

/// Fewer steps than this show nothing.
const STEPS: usize = 3;

/// A parameter that an action could do without.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Needless {
    /// The name of the action.
    pub action: String,
    /// The name of the parameter.
    pub parameter: String,
    /// The other parameter that was the same object in every step; `None`: nothing was ever said of
    /// this one together with what the action names, neither an atom that was true nor a number.
    pub same_as: Option<String>,
    /// In how many steps: all of them.
    pub steps: usize,
}

struct OfAction {
    steps: usize,
    /// By slot: whether anything is said of it that the action can mention.
    said: Vec<bool>,
    /// The pairs of slots that were one object in every step.
    same: Vec<(usize, usize)>,
}

/// The parameters of all actions, as they are met.
pub(super) struct Parameters<'a> {
    domain: &'a Domain,
    actions: Vec<OfAction>,
}

impl<'a> Parameters<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        let of = |count: usize| OfAction {
            steps: 0,
            said: vec![false; count],
            same: (0..count)
                .flat_map(|one| (one + 1..count).map(move |other| (one, other)))
                .collect(),
        };
        Parameters {
            domain,
            actions: domain.actions.iter().map(|(_, action)| of(action.parameters.len())).collect(),
        }
    }

    pub fn step(&mut self, step: Step<'_>) {
        let constants = self.domain.signature.constants.len();
        let arguments = &step.action.arguments;
        let entry = &mut self.actions[step.action.symbol.index()];
        entry.steps += 1;
        entry.same.retain(|&(one, other)| arguments[one] == arguments[other]);
        if entry.said.iter().all(|&said| said) {
            return;
        }
        let mut say = |named: &[ObjectId]| {
            let sayable =
                named.iter().all(|object| arguments.contains(object) || object.index() < constants);
            for (said, object) in entry.said.iter_mut().zip(arguments) {
                *said |= sayable && named.contains(object);
            }
        };
        for state in [step.before, step.after] {
            state.atoms().for_each(|id| say(&step.universe.ground_atom(id).arguments));
            state.values().for_each(|(id, _)| say(&step.universe.ground_function(id).arguments));
        }
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (id, found) in
            self.domain.action_ids().zip(&self.actions).filter(|(_, found)| found.steps >= STEPS)
        {
            let name = |slot: usize| format!("?{}", self.domain.action(id).parameters[slot].name);
            let needless = |slot: usize, same_as: Option<usize>| {
                Finding::Parameter(Needless {
                    action: self.domain.action_name(id).to_owned(),
                    parameter: name(slot),
                    same_as: same_as.map(name),
                    steps: found.steps,
                })
            };
            let silent = found.said.iter().enumerate().filter(|(_, said)| !**said);
            findings.extend(silent.map(|(slot, _)| needless(slot, None)));
            findings.extend(found.same.iter().map(|&(one, other)| needless(other, Some(one))));
        }
        findings
    }
}
