//! What the recorded steps of an action show, and whether the model reproduces them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Obligation;
use super::bindings::{BindingPattern, binding_of, cells};
use super::errors::RecordErrors;
use super::vocabulary::ActionVocabulary;
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Condition, GroundAction, GroundAtom, GroundFunction, State, Step, Universe,
};

/// What steps show of the ground atoms that a class of lifted atoms referred to: which truths
/// before and after were observed. A record may say only one of the two.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct TruthsSeen {
    pairs: [[bool; 2]; 2],
    before: [bool; 2],
}

impl TruthsSeen {
    pub(super) fn add(&mut self, before: Option<bool>, after: Option<bool>) {
        before.into_iter().for_each(|before| self.before[usize::from(before)] = true);
        // What is true afterwards was not deleted for good, and what is false was not added,
        // whatever was before: what a step shows of effects that leaves it as it is says no more
        // than that.
        if let Some(after) = after {
            self.pairs[usize::from(before.unwrap_or(after))][usize::from(after)] = true;
        }
    }

    pub(super) fn contains(self, before: bool, after: bool) -> bool {
        self.pairs[usize::from(before)][usize::from(after)]
    }

    /// Whether this truth was observed before some step.
    pub(super) fn was(self, before: bool) -> bool {
        self.before[usize::from(before)]
    }
}

/// The classes of lifted atoms (by number, ascending) that referred to the same ground atom in some
/// step, and what was observed of each.
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

    pub(super) fn add(&mut self, number: usize, before: Option<bool>, after: Option<bool>) {
        self.all.get_mut(number).into_iter().for_each(|(_, seen)| seen.add(before, after));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u32], TruthsSeen)> {
        self.all.iter().map(|(class, seen)| (&class[..], *seen))
    }
}

/// The values of all functions before and after a step. A function without a value is undefined,
/// unless the record leaves it unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct StepValues {
    pub(super) before: Vec<Option<Rational>>,
    pub(super) after: Vec<Option<Rational>>,
    /// The functions whose value before the step is unknown.
    pub(super) untold_before: BTreeSet<usize>,
    pub(super) untold_after: BTreeSet<usize>,
}

impl StepValues {
    /// Whether the step visibly changes a function, or gives it its first value.
    pub(super) fn changes(&self, function: usize) -> bool {
        let told =
            !self.untold_before.contains(&function) && !self.untold_after.contains(&function);
        told && self.before[function] != self.after[function]
    }
}

/// The observations of one action.
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
            let [before, after] = [step.before, step.after].map(|state| match id {
                Some(id) if state.is_atom_unknown(id) => None,
                id => Some(id.is_some_and(|id| state.contains(id))),
            });
            self.classes.add(*class, before, after);
        }
        let values = StepValues {
            before: grounding.values(step.universe, step.before),
            after: grounding.values(step.universe, step.after),
            untold_before: grounding.untold(step.universe, step.before),
            untold_after: grounding.untold(step.universe, step.after),
        };
        match self.steps.get_mut(&grounding.binding) {
            Some(all) => drop(all.insert(values)),
            None => drop(self.steps.insert(grounding.binding.clone(), BTreeSet::from([values]))),
        }
    }

    /// All steps, whatever their binding.
    pub(super) fn all(&self) -> impl Iterator<Item = &StepValues> {
        self.steps.values().flatten()
    }

    /// The functions that had no value before some step, and those of them that had none after it
    /// either.
    pub(super) fn undefined(&self, functions: usize) -> (Vec<bool>, Vec<bool>) {
        let (mut undefined, mut untouched) = (vec![false; functions], vec![false; functions]);
        for step in self.all() {
            for (at, (before, after)) in step.before.iter().zip(&step.after).enumerate() {
                let missing = before.is_none() && !step.untold_before.contains(&at);
                undefined[at] |= missing;
                untouched[at] |= missing && after.is_none() && !step.untold_after.contains(&at);
            }
        }
        (undefined, untouched)
    }

    /// Adds to the functions that nothing changes those that a map of relevant functions does not
    /// list and that no step shows to change: whose changes always come together with those of a
    /// listed function that is the same there.
    pub(super) fn add_unlisted(
        &self,
        vocabulary: &ActionVocabulary,
        listed: &[bool],
        unchanged: &mut [bool],
    ) {
        let mut shown = vec![false; listed.len()];
        for (binding, steps) in &self.steps {
            let first = cells(binding, &vocabulary.functions);
            // The cells that a listed function explains.
            let mut explained = vec![false; listed.len()];
            for function in
                (0..listed.len()).filter(|&function| listed[function] && !unchanged[function])
            {
                explained[first[function]] = true;
            }
            for function in (0..listed.len())
                .filter(|&function| !listed[function] && !explained[first[function]])
            {
                shown[function] |= steps.iter().any(|step| step.changes(function));
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
    pub(super) fn new(
        vocabulary: &ActionVocabulary,
        action: &GroundAction,
        constants: usize,
        classes: &mut Classes,
    ) -> Self {
        let mut atoms: HashMap<GroundAtom, Vec<u32>> = HashMap::new();
        for (index, atom) in vocabulary.atoms.iter().enumerate() {
            atoms.entry(atom.ground(&action.arguments)).or_default().push(index as u32);
        }
        StepAtoms {
            binding: binding_of(&action.arguments, constants, &vocabulary.inputs),
            atoms: atoms.into_iter().map(|(atom, class)| (atom, classes.number(class))).collect(),
            functions: vocabulary
                .functions
                .iter()
                .map(|function| function.ground(&action.arguments))
                .collect(),
        }
    }

    /// The functions whose value a state leaves unknown.
    fn untold(&self, universe: &Universe, state: &State) -> BTreeSet<usize> {
        if !state.has_unknown() {
            return BTreeSet::new();
        }
        let unknown = |function: &GroundFunction| {
            universe.find_value(function).is_some_and(|id| state.is_value_unknown(id))
        };
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, function)| unknown(function))
            .map(|(at, _)| at)
            .collect()
    }

    /// Whether a state leaves unknown something that the action can depend on.
    pub(super) fn is_untold(&self, universe: &Universe, state: &State) -> bool {
        state.has_unknown()
            && (self.atoms.iter().any(|(atom, _): &(GroundAtom, usize)| {
                universe.find_atom(atom).is_some_and(|id| state.is_atom_unknown(id))
            }) || !self.untold(universe, state).is_empty())
    }

    /// Whether a state says of each function that the action can depend on what its value is, or
    /// that it has none.
    pub(super) fn has_numbers(&self, universe: &Universe, state: &State) -> bool {
        self.untold(universe, state).is_empty()
    }

    /// The values of its functions in a state.
    fn values(&self, universe: &Universe, state: &State) -> Vec<Option<Rational>> {
        let ids = self.functions.iter().map(|function| universe.find_value(function));
        ids.map(|id| id.and_then(|id| state.value(id)).cloned()).collect()
    }
}

/// Which numbers after a step are compared with those that effects give.
pub(super) enum Compared<'a> {
    None,
    All,
    /// All functions, each of which may be off by its error.
    About(&'a RecordErrors),
    /// Likewise, except for the functions that the action can reach.
    Beyond(&'a RecordErrors, &'a StepAtoms),
}

impl Compared<'_> {
    /// Whether values that effects give are those that were recorded.
    fn same(&self, next: &State, step: &Step<'_>) -> bool {
        let (errors, reached) = match self {
            Compared::None => return true,
            Compared::All if !(next.has_unknown() || step.after.has_unknown()) => {
                return next.values().eq(step.after.values());
            }
            Compared::All => return next.differing_values(step.after).next().is_none(),
            Compared::About(errors) => (errors, None),
            Compared::Beyond(errors, reached) => (errors, Some(reached)),
        };
        next.differing_values(step.after).all(|id| {
            let function = step.universe.ground_function(id);
            let admitted = match (next.value(id), step.after.value(id)) {
                (Some(one), Some(other)) => errors.admit(function.symbol, one, other),
                _ => false,
            };
            admitted || reached.is_some_and(|reached| reached.functions.contains(function))
        })
    }
}

/// Whether a step satisfies the conditions that are not compared as rows, where these are given,
/// and whether the effects alone give its state after.
pub(super) fn reproduced(
    semantics: &Semantics<'_>,
    action: &GroundAction,
    conditions: Option<&Condition>,
    step: &Step<'_>,
    compared: &Compared<'_>,
) -> Vec<(Obligation, &'static str)> {
    let mut found = Vec::new();
    if let Some(conditions) = conditions
        && semantics.holds_with(conditions, &action.arguments, step.universe, step.before)
            != Ok(true)
    {
        found.push((Obligation::Condition, "a recorded step does not satisfy the precondition"));
    }
    // The model refuses a step whose effects cannot be applied, so it says nothing false of it.
    let Ok(changes) = semantics.effects(action, step.universe, step.before) else { return found };
    let mut next: State = step.before.clone();
    let all = matches!(compared, Compared::All | Compared::About(_));
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
            None => named &= !all,
        }
    }
    let same_atoms = match next.has_unknown() || step.after.has_unknown() {
        false => next.atoms().eq(step.after.atoms()),
        true => next.differing_atoms(step.after).next().is_none(),
    };
    if !(named && same_atoms && compared.same(&next, step)) {
        found.push((
            Obligation::Effect,
            "the effects do not give the state that was recorded after a step",
        ));
    }
    found
}
