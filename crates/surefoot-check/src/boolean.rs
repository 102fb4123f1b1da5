//! Literals of the precondition, and Boolean effects, with one object for several parameters
//! allowed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::bindings::{BindingPattern, key, place};
use super::observe::Classes;
use super::propagate::Steps;
use super::vocabulary::ActionVocabulary;
use surefoot_base::model::{Condition, Effect, LiftedAtom, PredicateId, Term};

/// The conjuncts of a condition.
pub(super) fn conjuncts(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// The single effects that an effect is made of.
pub(super) fn flat(effect: &Effect) -> Vec<&Effect> {
    match effect {
        Effect::And(parts) => parts.iter().flat_map(flat).collect(),
        other => vec![other],
    }
}

/// Whether a condition compares numbers.
pub(super) fn reads_numbers(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(reads_numbers),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            reads_numbers(inner)
        }
        Condition::Imply(both) => both.iter().any(reads_numbers),
        Condition::Compare(..) | Condition::Within(_) => true,
        Condition::Atom(_) | Condition::Same(..) => false,
    }
}

/// The conjuncts that are literals, and those that are neither literals nor numeric comparisons.
pub(super) struct Literals<'c> {
    atoms: [HashSet<&'c LiftedAtom>; 2],
    equalities: [HashSet<(Term, Term)>; 2],
    others: Vec<&'c Condition>,
}

impl<'c> Literals<'c> {
    pub(super) fn of(conditions: &[&'c Condition]) -> Self {
        let mut literals = Literals {
            atoms: Default::default(),
            equalities: Default::default(),
            others: Vec::new(),
        };
        for condition in conditions {
            let (inner, truth) = match condition {
                Condition::Not(inner) => (&**inner, false),
                other => (*other, true),
            };
            match inner {
                Condition::Atom(atom) => drop(literals.atoms[usize::from(truth)].insert(atom)),
                Condition::Same(left, right) => {
                    literals.equalities[usize::from(truth)]
                        .extend([(*left, *right), (*right, *left)]);
                }
                Condition::Compare(..) if truth => {}
                _ => literals.others.push(condition),
            }
        }
        literals
    }

    /// The literals of L(α) that no step refutes and that are no conjuncts.
    pub(super) fn missing<'b>(
        &self,
        vocabulary: &ActionVocabulary,
        classes: &Classes,
        bindings: impl Iterator<Item = &'b BindingPattern> + Clone,
        positive_only: bool,
    ) -> Vec<Condition> {
        let mut was = vec![[false; 2]; vocabulary.atoms.len()];
        for (class, seen) in classes.iter() {
            for truth in [false, true].into_iter().filter(|truth| seen.was(*truth)) {
                class.iter().for_each(|&atom| was[atom as usize][usize::from(truth)] = true);
            }
        }
        let mut missing = Vec::new();
        for (atom, was) in vocabulary.atoms.iter().zip(was) {
            for truth in [true, false] {
                let refuted = was[usize::from(!truth)] || (!truth && positive_only);
                if !refuted && !self.atoms[usize::from(truth)].contains(atom) {
                    missing.push(literal(Condition::Atom(atom.clone()), truth));
                }
            }
        }
        for &(left, right) in &vocabulary.pairs {
            for truth in [true, false] {
                let refuted = bindings
                    .clone()
                    .any(|binding| (place(binding, left) == place(binding, right)) != truth);
                if !refuted && !self.equalities[usize::from(truth)].contains(&(left, right)) {
                    missing.push(literal(Condition::Same(left, right), truth));
                }
            }
        }
        missing
    }
}

/// A condition, or its negation.
fn literal(condition: Condition, truth: bool) -> Condition {
    if truth { condition } else { Condition::Not(Box::new(condition)) }
}

/// What the learned effects do to an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AtomChange {
    Add,
    Delete,
}

/// The Boolean effects by atom of the vocabulary; `Err` with one that is not of the class.
pub(super) fn changes<'e>(
    vocabulary: &ActionVocabulary,
    effects: &[&'e Effect],
) -> Result<HashMap<u32, AtomChange>, &'e Effect> {
    let mut changes = HashMap::new();
    for effect in effects {
        let (atom, change) = match effect {
            Effect::Add(atom) => (atom, AtomChange::Add),
            Effect::Delete(atom) => (atom, AtomChange::Delete),
            _ => continue,
        };
        let index = vocabulary.atom(atom).ok_or(*effect)? as u32;
        // An atom that is both deleted and added is added.
        if change == AtomChange::Add || !changes.contains_key(&index) {
            changes.insert(index, change);
        }
    }
    Ok(changes)
}

/// An atom whose truth after a step is not determined.
pub(super) struct Undetermined {
    pub(super) atom: u32,
    pub(super) before: bool,
    pub(super) binding: BindingPattern,
}

/// What looking at all admitted bindings found.
pub(super) struct Outcomes<'b> {
    /// The bindings under which the conditions can hold.
    pub(super) possible: Vec<&'b BindingPattern>,
    pub(super) undetermined: Vec<Undetermined>,
}

type AtomKey = (PredicateId, Vec<usize>);

/// More questions than this are not asked; what is not asked is not accepted.
const MAX_QUESTIONS: usize = 50_000_000;

/// Looks for steps that the conditions allow and whose outcome may differ from the learned effects.
/// For each admitted binding, each ground atom and each truth before that the conditions allow, the
/// records must contradict that the atom is afterwards the opposite of what the model says. `None`
/// if there are too many to look at.
pub(super) fn outcomes<'b>(
    vocabulary: &ActionVocabulary,
    classes: &Classes,
    admitted: &'b [BindingPattern],
    literals: &Literals<'_>,
    learned: &HashMap<u32, AtomChange>,
) -> Option<Outcomes<'b>> {
    if admitted.len().saturating_mul(vocabulary.atoms.len()) > MAX_QUESTIONS {
        return None;
    }
    let mut steps = Steps::new(vocabulary.atoms.len(), classes);
    let mut asked: HashMap<(Vec<u32>, bool), bool> = HashMap::new();
    let mut found: BTreeMap<(Vec<u32>, bool), Undetermined> = BTreeMap::new();
    let mut possible = Vec::new();
    for binding in admitted {
        let Some(mut known) = known(literals, binding) else { continue };
        if literals.others.iter().any(|condition| truth(condition, binding, &known) == Some(false))
        {
            continue;
        }
        possible.push(binding);
        let mut ground: HashMap<AtomKey, Vec<u32>> = HashMap::new();
        for (index, atom) in vocabulary.atoms.iter().enumerate() {
            ground.entry(key(binding, atom)).or_default().push(index as u32);
        }
        // Only what mentions an atom is decided by it.
        let mut about: HashMap<AtomKey, Vec<&Condition>> = HashMap::new();
        for condition in &literals.others {
            let mut mentioned = BTreeSet::new();
            atoms_of(condition, &mut mentioned, binding);
            mentioned.into_iter().for_each(|key| about.entry(key).or_default().push(condition));
        }
        for (key, class) in ground {
            for before in [false, true] {
                if known.get(&key).is_some_and(|truth| *truth != before) {
                    continue;
                }
                if let Some(conditions) = about.get(&key) {
                    let earlier = known.insert(key.clone(), before);
                    let excluded = conditions
                        .iter()
                        .any(|condition| truth(condition, binding, &known) == Some(false));
                    if earlier.is_none() {
                        known.remove(&key);
                    }
                    if excluded {
                        continue;
                    }
                }
                let after = after(&class, before, learned);
                let open = *asked
                    .entry((class.clone(), before))
                    .or_insert_with(|| !steps.contradict(&class, before, !after));
                if open {
                    found.entry((class.clone(), before)).or_insert_with(|| Undetermined {
                        atom: class[0],
                        before,
                        binding: binding.clone(),
                    });
                }
            }
        }
    }
    Some(Outcomes { possible, undetermined: found.into_values().collect() })
}

/// What the learned effects make of a ground atom that a class of lifted atoms is.
fn after(class: &[u32], before: bool, learned: &HashMap<u32, AtomChange>) -> bool {
    if class.iter().any(|atom| learned.get(atom) == Some(&AtomChange::Add)) {
        return true;
    }
    before && !class.iter().any(|atom| learned.get(atom) == Some(&AtomChange::Delete))
}

/// What the literals say of ground atoms; `None` where they contradict each other.
fn known(literals: &Literals<'_>, binding: &BindingPattern) -> Option<HashMap<AtomKey, bool>> {
    let mut known = HashMap::new();
    for truth in [false, true] {
        for atom in &literals.atoms[usize::from(truth)] {
            if *known.entry(key(binding, atom)).or_insert(truth) != truth {
                return None;
            }
        }
    }
    Some(known)
}

/// What is certain of a condition when the binding and some atoms are known.
fn truth(
    condition: &Condition,
    binding: &BindingPattern,
    known: &HashMap<AtomKey, bool>,
) -> Option<bool> {
    match condition {
        Condition::And(parts) => truth_of_all(parts, true, binding, known),
        Condition::Or(parts) => truth_of_all(parts, false, binding, known),
        Condition::Not(inner) => truth(inner, binding, known).map(|truth| !truth),
        Condition::Atom(atom) => known.get(&key(binding, atom)).copied(),
        Condition::Same(left, right) => Some(place(binding, *left) == place(binding, *right)),
        Condition::Imply(_)
        | Condition::ForAll(..)
        | Condition::Exists(..)
        | Condition::Compare(..)
        | Condition::Within(_) => None,
    }
}

/// `wanted` where all parts certainly are, the opposite where one certainly is not.
fn truth_of_all(
    parts: &[Condition],
    wanted: bool,
    binding: &BindingPattern,
    known: &HashMap<AtomKey, bool>,
) -> Option<bool> {
    let truths: Vec<Option<bool>> = parts.iter().map(|part| truth(part, binding, known)).collect();
    if truths.contains(&Some(!wanted)) {
        Some(!wanted)
    } else if truths.contains(&None) {
        None
    } else {
        Some(wanted)
    }
}

/// The ground atoms that decide a condition.
fn atoms_of(condition: &Condition, mentioned: &mut BTreeSet<AtomKey>, binding: &BindingPattern) {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().for_each(|part| atoms_of(part, mentioned, binding))
        }
        Condition::Not(inner) => atoms_of(inner, mentioned, binding),
        Condition::Atom(atom) => mentioned.extend([key(binding, atom)]),
        // Nothing is certain of these, whatever atoms are.
        Condition::Imply(_) | Condition::ForAll(..) | Condition::Exists(..) => {}
        Condition::Same(..) | Condition::Compare(..) | Condition::Within(_) => {}
    }
}
