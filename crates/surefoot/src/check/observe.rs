//! What the recorded steps of an action show, and whether the model reproduces them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Obligation;
use super::bindings::{BindingPattern, binding_of, cells};
use super::vocabulary::ActionVocabulary;
use crate::exact::Rational;
use crate::model::semantics::Semantics;
use crate::model::{Condition, GroundAction, GroundAtom, GroundFunction, State, Step, Universe};

/// What steps show of the ground atoms that one class of lifted atoms was: by truth before and truth after, whether it was seen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct TruthsSeen([[bool; 2]; 2]);

impl TruthsSeen {
    pub(super) fn add(&mut self, before: bool, after: bool) {
        self.0[usize::from(before)][usize::from(after)] = true;
    }

    pub(super) fn contains(self, before: bool, after: bool) -> bool {
        self.0[usize::from(before)][usize::from(after)]
    }

    /// Whether it was seen so before some step.
    pub(super) fn was(self, before: bool) -> bool {
        self.0[usize::from(before)].contains(&true)
    }
}

/// The classes of lifted atoms (by number, ascending) that were one ground atom in some step, and what was seen of each.
#[derive(Default)]
pub(super) struct Classes {
    numbers: HashMap<Vec<u32>, usize>,
    all: Vec<(Vec<u32>, TruthsSeen)>,
}

impl Classes {
    pub(super) fn number(&mut self, class: Vec<u32>) -> usize {
        let all = &mut self.all;
        *self.numbers.entry(class).or_insert_with_key(|class| {
            all.push((class.clone(), TruthsSeen::default()));
            all.len() - 1
        })
    }

    pub(super) fn add(&mut self, number: usize, before: bool, after: bool) {
        self.all.get_mut(number).into_iter().for_each(|(_, seen)| seen.add(before, after));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], TruthsSeen)> {
        self.all.iter().map(|(class, seen)| (&class[..], *seen))
    }
}

/// The values of all functions before a step, and after it.
pub(super) type StepValues = (Vec<Option<Rational>>, Vec<Option<Rational>>);

/// What was seen of one action.
#[derive(Default)]
pub(super) struct ObservedSteps {
    pub(super) classes: Classes,
    pub(super) steps: BTreeMap<BindingPattern, BTreeSet<StepValues>>,
}

impl ObservedSteps {
    /// Takes in a step.
    pub(super) fn add(&mut self, grounding: &StepAtoms, step: &Step<'_>) {
        for (atom, class) in &grounding.atoms {
            let id = step.universe.find_atom(atom);
            let [before, after] = [step.before, step.after].map(|state| id.is_some_and(|id| state.contains(id)));
            self.classes.add(*class, before, after);
        }
        let values = (grounding.values(step.universe, step.before), grounding.values(step.universe, step.after));
        match self.steps.get_mut(&grounding.binding) {
            Some(all) => drop(all.insert(values)),
            None => drop(self.steps.insert(grounding.binding.clone(), BTreeSet::from([values]))),
        }
    }

    /// All steps, whatever their binding.
    pub(super) fn all(&self) -> impl Iterator<Item = &StepValues> {
        self.steps.values().flatten()
    }

    /// The functions that had no value before some step, and those of them that had none after it either.
    pub(super) fn undefined(&self, functions: usize) -> (Vec<bool>, Vec<bool>) {
        let (mut undefined, mut untouched) = (vec![false; functions], vec![false; functions]);
        for (before, after) in self.all() {
            for (at, (before, after)) in before.iter().zip(after).enumerate() {
                undefined[at] |= before.is_none();
                untouched[at] |= before.is_none() && after.is_none();
            }
        }
        (undefined, untouched)
    }

    /// Adds to the functions that nothing changes those that a map of relevant functions does not list and that no step shows to change:
    /// whose changes always come together with those of a listed function that is the same there.
    pub(super) fn add_unlisted(&self, vocabulary: &ActionVocabulary, listed: &[bool], unchanged: &mut [bool]) {
        let mut shown = vec![false; listed.len()];
        for (binding, steps) in &self.steps {
            let first = cells(binding, &vocabulary.functions);
            // The cells that a listed function explains.
            let mut explained = vec![false; listed.len()];
            for function in (0..listed.len()).filter(|&function| listed[function] && !unchanged[function]) {
                explained[first[function]] = true;
            }
            for function in (0..listed.len()).filter(|&function| !listed[function] && !explained[first[function]]) {
                shown[function] |= steps.iter().any(|(before, after)| before[function] != after[function]);
            }
        }
        for function in 0..listed.len() {
            unchanged[function] |= !listed[function] && !shown[function];
        }
    }
}

/// What a ground action's atoms and functions are.
pub(super) struct StepAtoms {
    pub(super) binding: BindingPattern,
    /// With the number of the class of lifted atoms that each is.
    atoms: Vec<(GroundAtom, usize)>,
    functions: Vec<GroundFunction>,
}

impl StepAtoms {
    pub(super) fn new(vocabulary: &ActionVocabulary, action: &GroundAction, constants: usize, classes: &mut Classes) -> Self {
        let mut atoms: HashMap<GroundAtom, Vec<u32>> = HashMap::new();
        for (index, atom) in vocabulary.atoms.iter().enumerate() {
            atoms.entry(atom.ground(&action.arguments)).or_default().push(index as u32);
        }
        StepAtoms {
            binding: binding_of(&action.arguments, constants),
            atoms: atoms.into_iter().map(|(atom, class)| (atom, classes.number(class))).collect(),
            functions: vocabulary.functions.iter().map(|function| function.ground(&action.arguments)).collect(),
        }
    }

    /// The values of its functions in a state.
    fn values(&self, universe: &Universe, state: &State) -> Vec<Option<Rational>> {
        let ids = self.functions.iter().map(|function| universe.find_value(function));
        ids.map(|id| id.and_then(|id| state.value(id)).cloned()).collect()
    }
}

/// Whether a step satisfies the conditions that are not compared as rows, and whether the effects alone give its state after.
pub(super) fn reproduced(
    semantics: &Semantics<'_>,
    action: &GroundAction,
    conditions: &Condition,
    step: &Step<'_>,
    atoms_only: bool,
) -> Vec<(Obligation, &'static str)> {
    let mut found = Vec::new();
    if semantics.holds_with(conditions, &action.arguments, step.universe, step.before) != Ok(true) {
        found.push((Obligation::Condition, "a recorded step does not satisfy the precondition"));
    }
    let Ok(changes) = semantics.effects(action, step.universe, step.before) else {
        found.push((Obligation::Effect, "the effects cannot be applied to a recorded step"));
        return found;
    };
    let mut next: State = step.before.clone();
    // What the whole trajectory never names is false, or undefined, in every state of it.
    let mut named = true;
    for atom in &changes.deletes {
        step.universe.find_atom(atom).into_iter().for_each(|id| next.remove(id));
    }
    for atom in &changes.adds {
        match step.universe.find_atom(atom) {
            Some(id) => next.insert(id),
            None => named = false,
        }
    }
    for (function, value) in &changes.values {
        match step.universe.find_value(function) {
            Some(id) => next.set_value(id, value.clone()),
            None => named &= atoms_only,
        }
    }
    let atoms = named && next.atoms().eq(step.after.atoms());
    if !atoms || !(atoms_only || next.values().eq(step.after.values())) {
        found.push((Obligation::Effect, "the effects do not give the state that was recorded after a step"));
    }
    found
}
