//! What an action changes although it does not name it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::relation::{ArgumentRole, Chain, chains, leads, role};
use super::{Finding, FirstPlace, View};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    ActionId, Domain, FunctionId, GroundAction, ObjectId, Objects, Step, TypeId,
};

/// An action changes an atom or a function of an object that it does not name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    /// The name of the action.
    pub action: String,
    /// What it changes, with new names for the objects that it does not name.
    pub what: String,
    /// In how many of its steps.
    pub steps: usize,
    /// How many steps it has.
    pub of: usize,
    /// The place of the first such step.
    pub first: FirstPlace,
    /// What would mend it.
    pub parameters: Vec<Proposed>,
}

/// A parameter that an action should have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Proposed {
    /// The name of the proposed parameter.
    pub name: String,
    /// The type of the proposed parameter.
    #[serde(rename = "type")]
    pub of: String,
    /// What is true of it and of no other object whenever the action changed it: how a recorder
    /// finds it.
    pub bound_by: Option<String>,
}

/// A changed atom or function in terms of an action: its symbol, and the role of each argument.
type Key = (bool, usize, Vec<ArgumentRole>);

struct Found {
    steps: usize,
    first: FirstPlace,
    /// By unnamed object: its types, and what leads to it alone in all steps.
    objects: Vec<(BTreeSet<TypeId>, Vec<Chain>)>,
}

/// Changes outside the parameters, as they are met.
pub(super) struct Changes<'a> {
    domain: &'a Domain,
    steps: Vec<usize>,
    found: BTreeMap<(ActionId, Key), Found>,
    drifts: Vec<FunctionDrift>,
}

/// Changes of a function in steps that do not reach it.
#[derive(Clone, Default)]
struct FunctionDrift {
    /// The largest change that was seen, if there was one.
    most: Option<Rational>,
    /// Whether some gave it a value, or took it.
    defined: bool,
}

/// At most this many kinds of changes are distinguished: an action that changes the whole world is
/// reported once.
const KINDS: usize = 200;

impl<'a> Changes<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        Changes {
            domain,
            steps: vec![0; domain.actions.len()],
            found: BTreeMap::new(),
            drifts: vec![FunctionDrift::default(); domain.signature.functions.len()],
        }
    }

    pub fn step(&mut self, step: Step<'_>, objects: &Objects, place: impl Fn() -> FirstPlace) {
        let action = step.action.symbol;
        self.steps[action.index()] += 1;
        let constants = self.domain.signature.constants.len();
        let view = View { state: step.before, universe: step.universe, objects };
        let mut changed: BTreeMap<Key, Vec<ObjectId>> = BTreeMap::new();
        for atom in step.before.differing_atoms(step.after) {
            let atom = step.universe.ground_atom(atom);
            let (roles, unnamed) = argument_roles(step.action, constants, &atom.arguments);
            if !unnamed.is_empty() {
                changed.entry((true, atom.symbol.index(), roles)).or_insert(unnamed);
            }
        }
        for value in step.before.differing_values(step.after) {
            let function = step.universe.ground_function(value);
            let (roles, unnamed) = argument_roles(step.action, constants, &function.arguments);
            if !unnamed.is_empty() {
                changed.entry((false, function.symbol.index(), roles)).or_insert(unnamed);
                let drift = &mut self.drifts[function.symbol.index()];
                match (step.before.value(value), step.after.value(value)) {
                    (Some(before), Some(after)) => {
                        drift.most = Some((after - before).abs()).max(drift.most.take())
                    }
                    _ => drift.defined = true,
                }
            }
        }
        for (key, unnamed) in changed {
            let known = self.found.len();
            match self.found.get_mut(&(action, key.clone())) {
                Some(found) => {
                    found.steps += 1;
                    for ((types, chains), &object) in found.objects.iter_mut().zip(&unnamed) {
                        types.insert(objects.type_of(object));
                        chains.retain(|chain| leads(chain, view, step.action, object));
                    }
                }
                None if known < KINDS => {
                    let objects = unnamed
                        .iter()
                        .map(|&object| {
                            let types = BTreeSet::from([objects.type_of(object)]);
                            (types, chains(view, step.action, constants, object))
                        })
                        .collect();
                    self.found.insert((action, key), Found { steps: 1, first: place(), objects });
                }
                None => {}
            }
        }
    }

    /// The largest change of a function in a step that does not reach it.
    pub fn drift(&self, function: FunctionId) -> Option<Rational> {
        let FunctionDrift { most, defined } = &self.drifts[function.index()];
        most.clone().filter(|_| !defined)
    }

    /// The findings, without functions that change only by the noise of their records.
    pub fn findings(&self, is_noise: impl Fn(FunctionId) -> bool) -> Vec<Finding> {
        self.found
            .iter()
            .filter(|((_, (is_atom, symbol, _)), _)| {
                *is_atom || !is_noise(FunctionId::from(*symbol))
            })
            .map(|((action, key), found)| self.finding(*action, key, found))
            .collect()
    }

    fn finding(&self, action: ActionId, key: &Key, found: &Found) -> Finding {
        let (domain, of) = (self.domain, self.domain.action(action));
        let signature = &domain.signature;
        let (is_atom, symbol, roles) = key;
        let (name, declared) = match is_atom {
            true => (signature.predicates.name(*symbol), signature.predicates.value(*symbol)),
            false => (signature.functions.name(*symbol), signature.functions.value(*symbol)),
        };
        let mut names: Vec<String> = Vec::new();
        let parameters = found.objects.iter().enumerate().map(|(place, (types, chains))| {
            let position =
                roles.iter().position(|role| *role == ArgumentRole::Unnamed(place)).unwrap_or(0);
            let of_type = match types.iter().collect::<Vec<_>>()[..] {
                [only] => *only,
                _ => declared
                    .parameters
                    .get(position)
                    .and_then(|parameter| parameter.types.types().first().copied())
                    .unwrap_or(TypeId::OBJECT),
            };
            let type_name = signature.types.name(of_type).to_owned();
            let base = type_name.to_ascii_lowercase();
            let name = (0..)
                .map(|count| if count == 0 { base.clone() } else { format!("{base}{count}") })
                .find(|name| {
                    names.iter().all(|other| other != name)
                        && of.parameters.iter().all(|one| *one.name != **name)
                });
            let name = name.unwrap_or(base);
            names.push(name.clone());
            let bound_by = chains.first().map(|chain| {
                let parts: Vec<String> = chain
                    .iter()
                    .enumerate()
                    .map(|(link, relation)| match link + 1 == chain.len() {
                        true => relation.written(domain, of, &name, "other"),
                        false => relation.written(domain, of, "other", "other"),
                    })
                    .collect();
                parts.join(" and ")
            });
            Proposed { name, of: type_name, bound_by }
        });
        let parameters: Vec<Proposed> = parameters.collect();
        let mut what = format!("({name}");
        for role in roles {
            what += &match *role {
                ArgumentRole::Parameter(slot) => format!(" ?{}", of.parameters[slot].name),
                ArgumentRole::Constant(object) => {
                    format!(" {}", signature.constants.name(object))
                }
                ArgumentRole::Unnamed(place) => format!(" ?{}", parameters[place].name),
                ArgumentRole::Wanted => String::new(),
            };
        }
        Finding::Change(Change {
            action: domain.action_name(action).to_owned(),
            what: what + ")",
            steps: found.steps,
            of: self.steps[action.index()],
            first: found.first.clone(),
            parameters,
        })
    }
}

/// What the arguments of an atom or a function are to an action, and those that it does not name,
/// each once.
fn argument_roles(
    action: &GroundAction,
    constants: usize,
    arguments: &[ObjectId],
) -> (Vec<ArgumentRole>, Vec<ObjectId>) {
    let mut unnamed: Vec<ObjectId> = Vec::new();
    let roles = arguments.iter().map(|&object| {
        role(action, constants, object).unwrap_or_else(|| {
            let known = unnamed.iter().position(|&other| other == object);
            ArgumentRole::Unnamed(known.unwrap_or_else(|| {
                unnamed.push(object);
                unnamed.len() - 1
            }))
        })
    });
    (roles.collect(), unnamed)
}
