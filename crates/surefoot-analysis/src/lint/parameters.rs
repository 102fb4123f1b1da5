//! Parameters that nobody needs.

use serde::Serialize;

use super::Finding;
use surefoot_base::model::{ActionId, Domain, ObjectId, Step};

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

impl OfAction {
    fn new(parameters: usize) -> Self {
        OfAction {
            steps: 0,
            said: vec![false; parameters],
            same: (0..parameters)
                .flat_map(|one| (one + 1..parameters).map(move |other| (one, other)))
                .collect(),
        }
    }

    /// Something is said of these objects, in a step with these arguments.
    fn say(&mut self, named: &[ObjectId], arguments: &[ObjectId], constants: usize) {
        let sayable =
            named.iter().all(|object| arguments.contains(object) || object.index() < constants);
        for (said, object) in self.said.iter_mut().zip(arguments) {
            *said |= sayable && named.contains(object);
        }
    }
}

/// The parameters of all actions, as they are met.
pub(super) struct Parameters<'a> {
    domain: &'a Domain,
    actions: Vec<OfAction>,
}

impl<'a> Parameters<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        let actions = domain.actions.iter();
        Parameters {
            domain,
            actions: actions.map(|(_, action)| OfAction::new(action.parameters.len())).collect(),
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
        for state in [step.before, step.after] {
            for id in state.atoms() {
                entry.say(&step.universe.ground_atom(id).arguments, arguments, constants);
            }
            for (id, _) in state.values() {
                entry.say(&step.universe.ground_function(id).arguments, arguments, constants);
            }
        }
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (id, found) in
            self.domain.action_ids().zip(&self.actions).filter(|(_, found)| found.steps >= STEPS)
        {
            let silent = found.said.iter().enumerate().filter(|(_, said)| !**said);
            let needless = silent.map(|(slot, _)| (slot, None));
            let needless =
                needless.chain(found.same.iter().map(|&(one, other)| (other, Some(one))));
            findings.extend(needless.map(|(slot, same_as)| {
                Finding::Parameter(Needless {
                    action: self.domain.action_name(id).to_owned(),
                    parameter: self.parameter(id, slot),
                    same_as: same_as.map(|slot| self.parameter(id, slot)),
                    steps: found.steps,
                })
            }));
        }
        findings
    }

    fn parameter(&self, action: ActionId, slot: usize) -> String {
        format!("?{}", self.domain.action(action).parameters[slot].name)
    }
}
