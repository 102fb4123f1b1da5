//! Targets that the current position determines, and nothing in the vocabulary says so.
//!
//! Every `move-east` from a cell led to one other cell. If no fact and no number relates the two
//! cells, a learned model allows `move-east` from any cell to any other: its target is a parameter
//! like any other. So the relation is missing in the records.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Finding, FirstPlace, View};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, ObjectId, PredicateId, Step};

/// From fewer positions than this nothing follows.
const POSITIONS: usize = 3;

/// At least this many steps must begin where another step began.
const REPEATED: usize = 3;

/// More positions than this are not remembered.
const MOST: usize = 10_000;

/// A parameter that another object determined in every step, without a fact that says so.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Target {
    /// The name of the action.
    pub action: String,
    /// The name of the parameter.
    pub parameter: String,
    /// What determined it: another parameter, or an object that a fact names, such as
    /// `the object with (at ?robot ...)`.
    pub determined_by: String,
    /// From how many positions steps were taken.
    pub positions: usize,
    /// In how many steps: all of them.
    pub steps: usize,
    /// The place of the first such step.
    pub first: FirstPlace,
}

/// Where the position of a step is found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum PositionSource {
    /// A parameter of the action.
    Slot(usize),
    /// The only object that a fact of two places relates to a parameter.
    Fact(PredicateId, usize),
}

/// What relates two objects: a predicate and the places of both, and whether the target is the only
/// one.
type Place = (PredicateId, usize, usize);

struct Pair {
    steps: usize,
    led_to: BTreeMap<String, String>,
    /// The facts under which the target was the only one, in every step.
    facts: BTreeSet<Place>,
    /// By function of one place: its difference, the same in every step.
    numbers: BTreeMap<usize, Rational>,
    first: FirstPlace,
}

/// The targets of all actions, as they are met.
pub(super) struct Targets<'a> {
    domain: &'a Domain,
    /// By action, source and target: none once the source did not determine it.
    pairs: BTreeMap<(usize, PositionSource, usize), Option<Pair>>,
    /// By action and slot: the arguments and facts that leave one object for it, in every step.
    fixed: BTreeMap<(usize, usize), BTreeSet<(usize, Place)>>,
}

impl<'a> Targets<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        Targets { domain, pairs: BTreeMap::new(), fixed: BTreeMap::new() }
    }

    pub fn step(&mut self, step: Step<'_>, view: View<'_>, place: impl Fn() -> FirstPlace) {
        let arguments = &step.action.arguments;
        let action = step.action.symbol.index();
        let mut sources: Vec<(PositionSource, ObjectId)> = (0..arguments.len())
            .map(|slot| (PositionSource::Slot(slot), arguments[slot]))
            .collect();
        sources.extend(positions(step, view));
        for slot in 0..arguments.len() {
            match self.fixed.entry((action, slot)) {
                Entry::Vacant(entry) => drop(entry.insert(facts_about(view, arguments, slot))),
                Entry::Occupied(entry) if entry.get().is_empty() => {}
                Entry::Occupied(mut entry) => {
                    let now = facts_about(view, arguments, slot);
                    entry.get_mut().retain(|fact| now.contains(fact));
                }
            }
        }
        for (source, from) in sources {
            for (slot, &to) in arguments.iter().enumerate() {
                let key = (action, source, slot);
                let is_settled = self.pairs.get(&key).is_some_and(Option::is_none);
                if source == PositionSource::Slot(slot) || is_settled {
                    continue;
                }
                if from == to || view.objects.type_of(from) != view.objects.type_of(to) {
                    self.pairs.insert(key, None);
                    continue;
                }
                let (facts, numbers) = (relations(view, from, to), differences(view, from, to));
                let entry = self.pairs.entry(key).or_insert_with(|| {
                    let (facts, numbers) = (facts.clone(), numbers.clone());
                    Some(Pair { steps: 0, led_to: BTreeMap::new(), facts, numbers, first: place() })
                });
                let Some(pair) = entry else { continue };
                pair.steps += 1;
                pair.facts.retain(|fact| facts.contains(fact));
                pair.numbers
                    .retain(|function, difference| numbers.get(function) == Some(difference));
                let (from, to) =
                    (view.objects.name(from).to_owned(), view.objects.name(to).to_owned());
                let known = pair.led_to.entry(from).or_insert_with(|| to.clone());
                if *known != to || pair.led_to.len() > MOST {
                    *entry = None;
                }
            }
        }
    }

    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut told: BTreeSet<(usize, usize)> = BTreeSet::new();
        for (&(action, source, slot), pair) in &self.pairs {
            let Some(pair) = pair else { continue };
            let positions = pair.led_to.len();
            let targets: BTreeSet<&String> = pair.led_to.values().collect();
            let shown =
                positions >= POSITIONS && targets.len() > 1 && pair.steps >= positions + REPEATED;
            let is_fixed = self.fixed.get(&(action, slot)).is_some_and(|facts| !facts.is_empty());
            if !shown
                || is_fixed
                || !pair.facts.is_empty()
                || !pair.numbers.is_empty()
                || !told.insert((action, slot))
            {
                continue;
            }
            let id = action.into();
            let parameters = &self.domain.action(id).parameters;
            let determined_by = match source {
                PositionSource::Slot(other) => format!("?{}", parameters[other].name),
                PositionSource::Fact(predicate, other) => {
                    format!(
                        "the object with ({} ?{} ...)",
                        self.domain.signature.predicates.name(predicate.index()),
                        parameters[other].name
                    )
                }
            };
            findings.push(Finding::Target(Target {
                action: self.domain.action_name(id).to_owned(),
                parameter: format!("?{}", parameters[slot].name),
                determined_by,
                positions,
                steps: pair.steps,
                first: pair.first.clone(),
            }));
        }
        findings
    }
}

/// The objects, not among the arguments, that facts of two places relate to an argument, each where
/// it is the only one.
fn positions(step: Step<'_>, view: View<'_>) -> Vec<(PositionSource, ObjectId)> {
    let arguments = &step.action.arguments;
    let mut found: BTreeMap<PositionSource, Option<ObjectId>> = BTreeMap::new();
    for id in view.state.atoms() {
        let atom = view.universe.ground_atom(id);
        let [one, other] = atom.arguments[..] else { continue };
        for slot in (0..arguments.len()).filter(|&slot| arguments[slot] == one) {
            found
                .entry(PositionSource::Fact(atom.symbol, slot))
                .and_modify(|known| *known = None)
                .or_insert(Some(other));
        }
    }
    let outside = found.into_iter().filter_map(|(source, object)| Some((source, object?)));
    outside.filter(|(_, object)| !arguments.contains(object)).collect()
}

/// The facts that leave one object for an argument, each with the place of the argument that it
/// goes by.
fn facts_about(view: View<'_>, arguments: &[ObjectId], slot: usize) -> BTreeSet<(usize, Place)> {
    let others = arguments.iter().enumerate().filter(|(other, _)| *other != slot);
    others
        .flat_map(|(other, &from)| {
            relations(view, from, arguments[slot]).into_iter().map(move |fact| (other, fact))
        })
        .collect()
}

/// The facts about both objects under which the second is the only one with the first.
fn relations(view: View<'_>, from: ObjectId, to: ObjectId) -> BTreeSet<Place> {
    let mut related: BTreeMap<Place, BTreeSet<ObjectId>> = BTreeMap::new();
    for id in view.state.atoms() {
        let atom = view.universe.ground_atom(id);
        for (place, _) in atom.arguments.iter().enumerate().filter(|(_, object)| **object == from) {
            for (other, &object) in
                atom.arguments.iter().enumerate().filter(|(other, _)| *other != place)
            {
                related.entry((atom.symbol, place, other)).or_default().insert(object);
            }
        }
    }
    related
        .into_iter()
        .filter(|(_, objects)| objects.len() == 1 && objects.contains(&to))
        .map(|(place, _)| place)
        .collect()
}

/// By function of one place: its difference between two objects.
fn differences(view: View<'_>, from: ObjectId, to: ObjectId) -> BTreeMap<usize, Rational> {
    let mut of_from: BTreeMap<usize, &Rational> = BTreeMap::new();
    let mut of_to: BTreeMap<usize, &Rational> = BTreeMap::new();
    for (id, value) in view.state.values() {
        let function = view.universe.ground_function(id);
        match function.arguments[..] {
            [object] if object == from => drop(of_from.insert(function.symbol.index(), value)),
            [object] if object == to => drop(of_to.insert(function.symbol.index(), value)),
            _ => {}
        }
    }
    let differ = of_from
        .into_iter()
        .filter_map(|(function, before)| Some((function, *of_to.get(&function)? - before)));
    differ.filter(|(_, difference)| !difference.is_zero()).collect()
}
