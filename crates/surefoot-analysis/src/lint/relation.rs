//! What binds an object that an action does not name to those that it does.

use super::View;
use surefoot_base::model::{Domain, GroundAction, GroundAtom, ObjectId, PredicateId};

/// An argument of an atom, in terms of an action.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum ArgumentRole {
    /// What stands in this slot of the action.
    Parameter(usize),
    /// A constant of the domain.
    Constant(ObjectId),
    /// The object that is looked for.
    Wanted,
    /// Another object that the action does not name, by number.
    Unnamed(usize),
}

/// What an object is to an action.
pub(super) fn role(
    action: &GroundAction,
    constants: usize,
    object: ObjectId,
) -> Option<ArgumentRole> {
    if let Some(slot) = action.arguments.iter().position(|&argument| argument == object) {
        return Some(ArgumentRole::Parameter(slot));
    }
    (object.index() < constants).then_some(ArgumentRole::Constant(object))
}

/// An atom with one unnamed object, all other arguments of which an action names.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct VocabularyRelation {
    pub predicate: PredicateId,
    pub roles: Vec<ArgumentRole>,
}

/// One relation, or two, the first of which binds an object that the second needs.
pub(super) type Chain = Vec<VocabularyRelation>;

impl VocabularyRelation {
    /// The objects that stand in the relation to the arguments of an action; `unnamed` are those
    /// bound before.
    pub fn bound(
        &self,
        view: View<'_>,
        action: &GroundAction,
        unnamed: &[ObjectId],
    ) -> Vec<ObjectId> {
        let mut found = Vec::new();
        for atom in view.state.atoms().map(|id| view.universe.ground_atom(id)) {
            if let Some(object) = self.object(atom, action, unnamed) {
                found.push(object);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The object that an atom relates to the arguments of an action.
    fn object(
        &self,
        atom: &GroundAtom,
        action: &GroundAction,
        unnamed: &[ObjectId],
    ) -> Option<ObjectId> {
        if atom.symbol != self.predicate {
            return None;
        }
        let mut found = None;
        for (&role, &object) in self.roles.iter().zip(&atom.arguments) {
            let fits = match role {
                ArgumentRole::Parameter(slot) => action.arguments.get(slot) == Some(&object),
                ArgumentRole::Constant(constant) => constant == object,
                ArgumentRole::Unnamed(place) => unnamed.get(place) == Some(&object),
                ArgumentRole::Wanted => *found.get_or_insert(object) == object,
            };
            if !fits {
                return None;
            }
        }
        found
    }

    /// In PDDL, with names for what is not named.
    pub fn written(
        &self,
        domain: &Domain,
        action: &surefoot_base::model::Action,
        wanted: &str,
        unnamed: &str,
    ) -> String {
        let mut text = format!("({}", domain.signature.predicates.name(self.predicate.index()));
        for role in &self.roles {
            text += &match *role {
                ArgumentRole::Parameter(slot) => format!(" ?{}", action.parameters[slot].name),
                ArgumentRole::Constant(object) => {
                    format!(" {}", domain.signature.constants.name(object))
                }
                ArgumentRole::Wanted => format!(" ?{wanted}"),
                ArgumentRole::Unnamed(_) => format!(" ?{unnamed}"),
            };
        }
        text + ")"
    }
}

/// Whether a chain leads from an action to one object alone, and that is the one.
pub(super) fn leads(chain: &Chain, view: View<'_>, action: &GroundAction, to: ObjectId) -> bool {
    let mut unnamed = Vec::new();
    for (place, relation) in chain.iter().enumerate() {
        match relation.bound(view, action, &unnamed)[..] {
            [only] if place + 1 < chain.len() => unnamed.push(only),
            [only] => return only == to,
            _ => return false,
        }
    }
    false
}

/// More chains than this are not followed.
const CHAINS: usize = 64;

/// The chains that lead from an action to an object alone: single relations, and only where there
/// are none, pairs.
pub(super) fn chains(
    view: View<'_>,
    action: &GroundAction,
    constants: usize,
    to: ObjectId,
) -> Vec<Chain> {
    let single = relations(view, action, constants, &[], to);
    let mut found: Vec<Chain> = single
        .into_iter()
        .map(|relation| vec![relation])
        .filter(|chain| leads(chain, view, action, to))
        .collect();
    if found.is_empty() {
        // Through an object that the action does not name either.
        let mut between: Vec<ObjectId> = Vec::new();
        for atom in view
            .state
            .atoms()
            .map(|id| view.universe.ground_atom(id))
            .filter(|atom| atom.arguments.contains(&to))
        {
            between.extend(
                atom.arguments
                    .iter()
                    .filter(|&&object| object != to && role(action, constants, object).is_none()),
            );
        }
        between.sort_unstable();
        between.dedup();
        for middle in between.into_iter().take(CHAINS) {
            let first: Vec<VocabularyRelation> = relations(view, action, constants, &[], middle)
                .into_iter()
                .filter(|relation| leads(&vec![relation.clone()], view, action, middle))
                .collect();
            for second in relations(view, action, constants, &[middle], to) {
                let chains = first.iter().map(|first| vec![first.clone(), second.clone()]);
                found.extend(chains.filter(|chain| leads(chain, view, action, to)));
            }
        }
    }
    found.sort();
    found.dedup();
    found.truncate(CHAINS);
    found
}

/// The relations that an object stands in with what is known.
fn relations(
    view: View<'_>,
    action: &GroundAction,
    constants: usize,
    unnamed: &[ObjectId],
    to: ObjectId,
) -> Vec<VocabularyRelation> {
    let mut found = Vec::new();
    for atom in view
        .state
        .atoms()
        .map(|id| view.universe.ground_atom(id))
        .filter(|atom| atom.arguments.contains(&to))
    {
        let roles = atom.arguments.iter().map(|&object| {
            if object == to {
                return Some(ArgumentRole::Wanted);
            }
            let middle =
                unnamed.iter().position(|&other| other == object).map(ArgumentRole::Unnamed);
            role(action, constants, object).or(middle)
        });
        if let Some(roles) = roles.collect::<Option<Vec<ArgumentRole>>>() {
            // What is only said of the object itself binds it to nothing.
            let bound = unnamed.is_empty() || roles.contains(&ArgumentRole::Unnamed(0));
            if bound {
                found.push(VocabularyRelation { predicate: atom.symbol, roles });
            }
        }
    }
    found
}
