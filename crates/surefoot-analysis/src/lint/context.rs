//! What was true whenever an action happened, although the action does not name it.
//!
//! Candidates are what was true when the action first happened, of objects that it does not name:
//! of one certain object ("(at ?r bar)"), of some object ("(holding ?r ?x)"), or of one object in
//! two atoms ("(at ?r ?x) and (at ?i ?x)"). Each later step drops those that did not hold. What is
//! always true says nothing, so a candidate counts only if it *returned*: it was false, for the
//! same objects, earlier in the trace or since the action happened last, and was true again when it
//! happened. `RETURNS` of them make a finding.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::relation::{ArgumentRole, VocabularyRelation, role};
use super::{Finding, FirstPlace, View};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Action, Arguments, Domain, Ground, GroundAction, ObjectId, State};

/// Something must become true again for an action this often before it is reported.
const RETURNS: usize = 3;

/// The largest number of candidates that an action starts with.
const CANDIDATES: usize = 1000;

/// At most this many findings are reported for one action.
const TOLD: usize = 5;

/// A candidate that did not become false in this many states, or did not return in this many steps,
/// counts as one that never does.
const PATIENCE: usize = 2000;

/// Between steps candidates are looked at only when they are this few.
const FEW: usize = 32;

/// An action happened only where something was so that it cannot mention.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Context {
    /// The name of the action.
    pub action: String,
    /// What was so, with new names for objects that the action does not name.
    pub what: String,
    /// In how many steps: all of them.
    pub steps: usize,
    /// How often it had been false before, and was true again when the action happened.
    pub returns: usize,
    /// Where the action happened first.
    pub first: FirstPlace,
    /// The objects that would have to be constants of the domain.
    pub constants: Vec<String>,
    /// The parameter that would have to be added, with its type.
    pub parameter: Option<(String, String)>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum KnownContext {
    Parameter(usize),
    Constant(ObjectId),
    Named(Box<str>),
}

#[derive(Clone, PartialEq, Debug)]
enum What {
    /// An atom of certain objects.
    Atom(usize, Vec<KnownContext>),
    /// A function of certain objects has this value.
    Value(usize, Vec<KnownContext>, Rational),
    /// Some object that is not named stands in all of these relations.
    Some(Vec<VocabularyRelation>),
}

struct ContextCandidate {
    what: What,
    returns: usize,
    /// Whether it was false since the action happened last.
    was_false: bool,
    /// Whether the action did not name some object of it at least once: else a parameter says as
    /// much.
    outside: bool,
    looks: usize,
}

#[derive(Default)]
struct ActionContext {
    steps: usize,
    first: Option<FirstPlace>,
    candidates: Vec<ContextCandidate>,
    /// What the action was applied to last in this trace.
    last: Option<GroundAction>,
}

/// The contexts of all actions, as they are met.
pub(super) struct Contexts<'a> {
    domain: &'a Domain,
    actions: Vec<ActionContext>,
    initial: Option<State>,
}

impl<'a> Contexts<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        Contexts {
            domain,
            actions: domain.actions.iter().map(|_| ActionContext::default()).collect(),
            initial: None,
        }
    }

    /// A new trace begins.
    pub fn start(&mut self) {
        self.initial = None;
        for action in &mut self.actions {
            action.last = None;
            action.candidates.iter_mut().for_each(|candidate| candidate.was_false = false);
        }
    }

    /// A state before an event.
    pub fn look(&mut self, view: View<'_>) {
        self.initial.get_or_insert_with(|| view.state.clone());
        for action in self.actions.iter_mut().filter(|action| action.candidates.len() <= FEW) {
            let Some(last) = &action.last else { continue };
            for candidate in &mut action.candidates {
                if candidate.was_false || candidate.returns > RETURNS || candidate.looks > PATIENCE
                {
                    continue;
                }
                candidate.looks += 1;
                if candidate.what.holds(view, last) == Some(false) {
                    candidate.was_false = true;
                    candidate.looks = 0;
                }
            }
        }
    }

    pub fn step(&mut self, action: &GroundAction, view: View<'_>, place: impl Fn() -> FirstPlace) {
        let constants = self.domain.signature.constants.len();
        let entry = &mut self.actions[action.symbol.index()];
        entry.steps += 1;
        if entry.first.is_none() {
            entry.first = Some(place());
            entry.candidates = candidates(view, action, constants);
        }
        let initial = self.initial.as_ref().filter(|_| entry.last.is_none());
        let steps = entry.steps;
        entry.candidates.retain_mut(|candidate| {
            // What did not return in this many steps counts as something that never changes.
            let never = steps > PATIENCE && candidate.returns == 0;
            if never || candidate.what.holds(view, action) == Some(false) {
                return false;
            }
            let at_first = initial.is_some_and(|state| {
                candidate.what.holds(View { state, ..view }, action) == Some(false)
            });
            candidate.returns += usize::from(candidate.was_false || at_first);
            candidate.was_false = false;
            candidate.outside |= candidate.what.is_outside(view, action);
            true
        });
        entry.last = Some(action.clone());
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (id, found) in self.domain.action_ids().zip(&self.actions) {
            let Some(first) = &found.first else { continue };
            let told: Vec<&ContextCandidate> = found
                .candidates
                .iter()
                .filter(|one| one.returns >= RETURNS && one.outside)
                .collect();
            // What a stronger one says is not repeated.
            let unimplied =
                told.iter().filter(|one| !told.iter().any(|other| other.what.implies(&one.what)));
            let action = self.domain.action(id);
            for candidate in unimplied.take(TOLD) {
                let (what, constants, parameter) = candidate.what.written(self.domain, action);
                findings.push(Finding::Context(Context {
                    action: self.domain.action_name(id).to_owned(),
                    what,
                    steps: found.steps,
                    returns: candidate.returns,
                    first: first.clone(),
                    constants,
                    parameter,
                }));
            }
        }
        findings
    }
}

/// How the objects of a step go by what its action names, or else by their own names.
#[derive(Clone, Copy)]
struct ObjectNames<'a> {
    view: View<'a>,
    action: &'a GroundAction,
    constants: usize,
}

impl ObjectNames<'_> {
    fn roles(self, arguments: &[ObjectId]) -> Vec<KnownContext> {
        arguments
            .iter()
            .map(|&object| match role(self.action, self.constants, object) {
                Some(ArgumentRole::Parameter(slot)) => KnownContext::Parameter(slot),
                Some(_) => KnownContext::Constant(object),
                None => {
                    KnownContext::Named(self.view.objects.name(object).to_ascii_lowercase().into())
                }
            })
            .collect()
    }

    /// Whether the action names all of these.
    fn cover(self, arguments: &[ObjectId]) -> bool {
        arguments.iter().all(|&object| role(self.action, self.constants, object).is_some())
    }
}

/// What is true of objects that an action does not name.
fn candidates(view: View<'_>, action: &GroundAction, constants: usize) -> Vec<ContextCandidate> {
    let names = ObjectNames { view, action, constants };
    let mut found = Vec::new();
    let mut relations: BTreeMap<ObjectId, BTreeSet<VocabularyRelation>> = BTreeMap::new();
    for atom in view
        .state
        .atoms()
        .map(|id| view.universe.ground_atom(id))
        .filter(|atom| !names.cover(&atom.arguments))
    {
        found.push(What::Atom(atom.symbol.index(), names.roles(&atom.arguments)));
        let outside: BTreeSet<ObjectId> = atom
            .arguments
            .iter()
            .copied()
            .filter(|&object| role(action, constants, object).is_none())
            .collect();
        if let (Some(&object), 1) = (outside.first(), outside.len()) {
            let roles: Vec<ArgumentRole> = atom
                .arguments
                .iter()
                .map(|&argument| role(action, constants, argument).unwrap_or(ArgumentRole::Wanted))
                .collect();
            if roles.iter().any(|role| matches!(role, ArgumentRole::Parameter(_))) {
                relations
                    .entry(object)
                    .or_default()
                    .insert(VocabularyRelation { predicate: atom.symbol, roles });
            }
        }
    }
    // What the action names by chance this time may be one certain object all the same.
    for atom in view
        .state
        .atoms()
        .map(|id| view.universe.ground_atom(id))
        .filter(|atom| names.cover(&atom.arguments))
    {
        let roles = names.roles(&atom.arguments);
        for (place, &object) in atom
            .arguments
            .iter()
            .enumerate()
            .filter(|(place, _)| matches!(roles[*place], KnownContext::Parameter(_)))
        {
            let mut named = roles.clone();
            named[place] =
                KnownContext::Named(view.objects.name(object).to_ascii_lowercase().into());
            found.push(What::Atom(atom.symbol.index(), named));
        }
    }
    for (id, value) in view.state.values() {
        let function = view.universe.ground_function(id);
        if !names.cover(&function.arguments) {
            found.push(What::Value(
                function.symbol.index(),
                names.roles(&function.arguments),
                value.clone(),
            ));
        }
    }
    found.truncate(CANDIDATES);
    let mut some: BTreeSet<Vec<VocabularyRelation>> = BTreeSet::new();
    for relations in relations.values() {
        let all: Vec<&VocabularyRelation> = relations.iter().collect();
        for (place, one) in all.iter().enumerate() {
            some.insert(vec![(*one).clone()]);
            some.extend(
                all[place + 1..].iter().map(|other| vec![(*one).clone(), (*other).clone()]),
            );
        }
    }
    found.extend(some.into_iter().take(CANDIDATES).map(What::Some));
    found
        .into_iter()
        .map(|what| ContextCandidate {
            what,
            returns: 0,
            was_false: false,
            outside: false,
            looks: 0,
        })
        .collect()
}

/// The objects in some roles; `None` where a step or a trace lacks one.
fn ground(roles: &[KnownContext], view: View<'_>, action: &GroundAction) -> Option<Arguments> {
    roles
        .iter()
        .map(|role| match role {
            KnownContext::Parameter(slot) => action.arguments.get(*slot).copied(),
            KnownContext::Constant(object) => Some(*object),
            KnownContext::Named(name) => view.objects.find(name),
        })
        .collect()
}

/// Whether what is known of an argument fills a place of a relation.
fn fits(known: &KnownContext, role: &ArgumentRole) -> bool {
    match (known, role) {
        (KnownContext::Parameter(one), ArgumentRole::Parameter(other)) => one == other,
        (KnownContext::Constant(one), ArgumentRole::Constant(other)) => one == other,
        (KnownContext::Named(_), ArgumentRole::Wanted) => true,
        _ => false,
    }
}

/// A symbol with its arguments in PDDL, and the objects that are named in it, in order.
fn applied(
    domain: &Domain,
    action: &Action,
    symbol: &str,
    roles: &[KnownContext],
) -> (String, Vec<String>) {
    let mut text = format!("({symbol}");
    let mut named = Vec::new();
    for role in roles {
        text += &match role {
            KnownContext::Parameter(slot) => format!(" ?{}", action.parameters[*slot].name),
            KnownContext::Constant(object) => {
                format!(" {}", domain.signature.constants.name(*object))
            }
            KnownContext::Named(name) => {
                named.push(name.to_string());
                format!(" {name}")
            }
        };
    }
    named.sort();
    named.dedup();
    (text + ")", named)
}

impl What {
    /// Whether it is so; `None` where that is not known.
    fn holds(&self, view: View<'_>, action: &GroundAction) -> Option<bool> {
        match self {
            What::Atom(symbol, roles) => {
                let Some(arguments) = ground(roles, view, action) else { return Some(false) };
                let Some(id) =
                    view.universe.find_atom(&Ground { symbol: (*symbol).into(), arguments })
                else {
                    return Some(false);
                };
                if view.state.is_atom_unknown(id) { None } else { Some(view.state.contains(id)) }
            }
            What::Value(symbol, roles, value) => {
                let Some(arguments) = ground(roles, view, action) else { return Some(false) };
                // Where there is no value, nothing is known to be otherwise.
                let id =
                    view.universe.find_value(&Ground { symbol: (*symbol).into(), arguments })?;
                view.state.value(id).map(|here| here == value)
            }
            What::Some(relations) => {
                let mut common: Option<Vec<ObjectId>> = None;
                for relation in relations {
                    let bound = relation.bound(view, action, &[]);
                    let bound: Vec<ObjectId> = bound
                        .into_iter()
                        .filter(|object| !action.arguments.contains(object))
                        .collect();
                    common = Some(match common {
                        None => bound,
                        Some(before) => {
                            before.into_iter().filter(|object| bound.contains(object)).collect()
                        }
                    });
                }
                Some(common.is_some_and(|objects| !objects.is_empty()))
            }
        }
    }

    /// Whether it is about an object that the action does not name.
    fn is_outside(&self, view: View<'_>, action: &GroundAction) -> bool {
        match self {
            What::Atom(_, roles) | What::Value(_, roles, _) => {
                roles.iter().any(|role| match role {
                    KnownContext::Named(name) => view
                        .objects
                        .find(name)
                        .is_some_and(|object| !action.arguments.contains(&object)),
                    _ => false,
                })
            }
            What::Some(_) => true,
        }
    }

    /// Whether it says all that another says, and more.
    fn implies(&self, other: &What) -> bool {
        match (self, other) {
            (What::Some(mine), What::Some(theirs)) => {
                mine.len() > theirs.len() && theirs.iter().all(|relation| mine.contains(relation))
            }
            (What::Atom(symbol, roles), What::Some(theirs)) => theirs.iter().any(|relation| {
                relation.predicate.index() == *symbol
                    && roles.len() == relation.roles.len()
                    && roles.iter().zip(&relation.roles).all(|(known, role)| fits(known, role))
            }),
            _ => false,
        }
    }

    /// In PDDL, with the constants or the parameter that would make it sayable.
    fn written(
        &self,
        domain: &Domain,
        action: &Action,
    ) -> (String, Vec<String>, Option<(String, String)>) {
        let signature = &domain.signature;
        match self {
            What::Atom(symbol, roles) => {
                let name = signature.predicates.name(*symbol);
                let (text, named) = applied(domain, action, name, roles);
                (text, named, None)
            }
            What::Value(symbol, roles, value) => {
                let name = signature.functions.name(*symbol);
                let (text, named) = applied(domain, action, name, roles);
                (format!("(= {text} {value})"), named, None)
            }
            What::Some(relations) => {
                let declared = relations.first().and_then(|relation| {
                    let place =
                        relation.roles.iter().position(|role| *role == ArgumentRole::Wanted)?;
                    signature
                        .predicate(relation.predicate)
                        .parameters
                        .get(place)?
                        .types
                        .types()
                        .first()
                        .copied()
                });
                let of = declared.map_or("object", |of| signature.types.name(of)).to_owned();
                let base = of.to_ascii_lowercase();
                let mut names = (0..)
                    .map(|count| if count == 0 { base.clone() } else { format!("{base}{count}") });
                let name = names
                    .find(|name| action.parameters.iter().all(|one| *one.name != **name))
                    .unwrap_or_else(|| base.clone());
                let parts: Vec<String> = relations
                    .iter()
                    .map(|relation| relation.written(domain, action, &name, "other"))
                    .collect();
                (parts.join(" and "), Vec::new(), Some((name, of)))
            }
        }
    }
}
