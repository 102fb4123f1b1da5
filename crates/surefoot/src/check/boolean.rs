//! Obligations 3 and 4: Boolean preconditions and effects, with one object for several parameters allowed.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::vocabulary::Vocabulary;
use crate::model::{Condition, Domain, Effect, Lifted, LiftedAtom, ObjectId, Term};

/// What one step shows of one ground atom.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Seen {
    pub(super) before: bool,
    pub(super) after: bool,
}

/// By class (the atoms of L(α), ascending, that were one ground atom in some step): what was seen.
pub(super) type Classes = BTreeMap<Vec<usize>, BTreeSet<Seen>>;

/// Which terms are one object: for each parameter the first one equal to it, or `parameters + constant`.
pub(super) type Binding = Vec<usize>;

pub(super) fn place(binding: &Binding, term: Term) -> usize {
    match term {
        Term::Variable(slot) => binding.get(slot as usize).copied().unwrap_or(slot as usize),
        Term::Object(constant) => binding.len() + constant.index(),
    }
}

pub(super) fn binding_of(arguments: &[ObjectId], constants: usize) -> Binding {
    let first = |(slot, object): (usize, &ObjectId)| match object.index() {
        constant if constant < constants => arguments.len() + constant,
        _ => arguments.iter().position(|other| other == object).unwrap_or(slot),
    };
    arguments.iter().enumerate().map(first).collect()
}

/// An atom or function under a binding: the same for two exactly when they are one ground atom or function.
pub(super) fn key<S: Copy>(binding: &Binding, lifted: &Lifted<S>) -> (S, Vec<usize>) {
    (lifted.symbol, lifted.terms.iter().map(|term| place(binding, *term)).collect())
}

/// The conjuncts of a condition.
pub(super) fn conjuncts(condition: &Condition) -> Vec<&Condition> {
    match condition {
        Condition::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

/// What is certain of a condition when bindings and some atoms are known.
fn truth(condition: &Condition, binding: &Binding, known: &HashMap<(u32, Vec<usize>), bool>) -> Option<bool> {
    let all = |wanted: bool, parts: &[Condition]| {
        let truths: Vec<Option<bool>> = parts.iter().map(|part| truth(part, binding, known)).collect();
        if truths.contains(&Some(!wanted)) {
            Some(!wanted)
        } else if truths.contains(&None) {
            None
        } else {
            Some(wanted)
        }
    };
    match condition {
        Condition::And(parts) => all(true, parts),
        Condition::Or(parts) => all(false, parts),
        Condition::Not(inner) => truth(inner, binding, known).map(|truth| !truth),
        Condition::Atom(atom) => known.get(&atom_key(binding, atom)).copied(),
        Condition::Same(left, right) => Some(place(binding, *left) == place(binding, *right)),
        Condition::Imply(_) | Condition::ForAll(..) | Condition::Exists(..) | Condition::Compare(..) => None,
    }
}

fn atom_key(binding: &Binding, atom: &LiftedAtom) -> (u32, Vec<usize>) {
    let (symbol, places) = key(binding, atom);
    (symbol.0, places)
}

/// More bindings than this are not looked at; what is not looked at is not accepted.
const MAX_BINDINGS: usize = 50_000;

/// The bindings that the (in)equalities among the conjuncts allow; `None` when they are too many.
pub(super) fn admitted(domain: &Domain, vocabulary: &Vocabulary, conditions: &[&Condition]) -> Option<Vec<Binding>> {
    let mut equalities: Vec<(Term, Term, bool)> = Vec::new();
    for condition in conditions {
        match condition {
            Condition::Same(left, right) => equalities.push((*left, *right, true)),
            Condition::Not(inner) => {
                if let Condition::Same(left, right) = **inner {
                    equalities.push((left, right, false));
                }
            }
            _ => {}
        }
    }
    let count = vocabulary.parameters;
    let may_be_one = |one: usize, other: usize| {
        vocabulary.pairs.contains(&(Term::Variable(one.min(other) as u32), Term::Variable(one.max(other) as u32)))
    };
    let constants = domain.signature.constants.len();
    let may_be = |slot: usize, constant: usize| {
        vocabulary.pairs.contains(&(Term::Variable(slot as u32), Term::Object(ObjectId::from(constant))))
    };
    let mut bindings: Vec<Binding> = vec![Vec::new()];
    for slot in 0..count {
        let mut longer: Vec<Binding> = Vec::new();
        for binding in &bindings {
            let joins = |first: &usize| {
                let fits = |(member, place): (usize, &usize)| place != first || may_be_one(member, slot);
                binding.get(*first) == Some(first) && binding.iter().enumerate().all(fits)
            };
            let same = (0..slot).filter(joins);
            let constant = (0..constants).filter(|constant| may_be(slot, *constant)).map(|constant| count + constant);
            for place in same.chain([slot]).chain(constant) {
                longer.push(binding.iter().copied().chain([place]).collect());
            }
        }
        // Only terms that have their place already can be judged.
        let position = |binding: &Binding, term: Term| match term {
            Term::Variable(slot) => binding.get(slot as usize).copied(),
            Term::Object(constant) => Some(count + constant.index()),
        };
        longer.retain(|binding| {
            equalities.iter().all(|(left, right, equal)| match (position(binding, *left), position(binding, *right)) {
                (Some(left), Some(right)) => (left == right) == *equal,
                _ => true,
            })
        });
        if longer.len() > MAX_BINDINGS {
            return None;
        }
        bindings = longer;
    }
    Some(bindings)
}

/// The literals of L(α), in words, that no step refutes and that the conjuncts leave out.
pub(super) fn missing_literals(
    vocabulary: &Vocabulary,
    classes: &Classes,
    bindings: &BTreeSet<Binding>,
    positive_only: bool,
    conditions: &[&Condition],
) -> Vec<Condition> {
    let not = |condition: Condition| Condition::Not(Box::new(condition));
    let listed = |wanted: &Condition| conditions.contains(&wanted);
    let mut missing = Vec::new();
    for (index, atom) in vocabulary.atoms.iter().enumerate() {
        let was = |truth: bool| {
            let shown = classes.iter().filter(|(class, _)| class.contains(&index));
            shown.flat_map(|(_, seen)| seen).any(|seen| seen.before == truth)
        };
        let condition = Condition::Atom(atom.clone());
        if !was(false) && !listed(&condition) {
            missing.push(condition.clone());
        }
        let negation = not(condition);
        if !was(true) && !positive_only && !listed(&negation) {
            missing.push(negation);
        }
    }
    for &(left, right) in &vocabulary.pairs {
        let were = |same: bool| bindings.iter().any(|binding| (place(binding, left) == place(binding, right)) == same);
        let either = [Condition::Same(left, right), Condition::Same(right, left)];
        if !were(false) && !either.iter().any(listed) {
            missing.push(either[0].clone());
        }
        if !were(true) && !either.iter().any(|condition| listed(&not(condition.clone()))) {
            missing.push(not(either[0].clone()));
        }
    }
    missing
}

/// What the learned effects do to an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Add,
    Delete,
}

/// The Boolean effects by atom of the vocabulary; `Err` for one that is not of the class.
pub(super) fn changes(vocabulary: &Vocabulary, effects: &[&Effect]) -> Result<BTreeMap<usize, Change>, Effect> {
    let mut changes = BTreeMap::new();
    for effect in effects {
        let (atom, change) = match effect {
            Effect::Add(atom) => (atom, Change::Add),
            Effect::Delete(atom) => (atom, Change::Delete),
            _ => continue,
        };
        let index = vocabulary.atoms.iter().position(|known| known == atom).ok_or_else(|| (*effect).clone())?;
        if change == Change::Add || !changes.contains_key(&index) {
            changes.insert(index, change);
        }
    }
    Ok(changes)
}

/// An atom whose truth after a step is not determined.
pub(super) struct Undetermined {
    pub(super) atom: usize,
    pub(super) before: bool,
    pub(super) binding: Binding,
}

/// Looks for a step that the conditions allow and that could have another outcome than the learned effects say, given all that was
/// seen. For each binding the conditions allow, each ground atom and each truth before that they allow: would it contradict what
/// was seen if the atom's truth afterwards were the opposite of what the model says?
pub(super) fn undetermined(
    vocabulary: &Vocabulary,
    classes: &Classes,
    admitted: &[Binding],
    conditions: &[&Condition],
    learned: &BTreeMap<usize, Change>,
) -> Vec<Undetermined> {
    let mut asked: HashMap<(Vec<usize>, bool), bool> = HashMap::new();
    let mut found: BTreeMap<(Vec<usize>, bool), Undetermined> = BTreeMap::new();
    for binding in admitted {
        let mut known: HashMap<(u32, Vec<usize>), bool> = HashMap::new();
        let mut possible = true;
        for condition in conditions {
            let literal = match condition {
                Condition::Atom(atom) => Some((atom, true)),
                Condition::Not(inner) => match &**inner {
                    Condition::Atom(atom) => Some((atom, false)),
                    _ => None,
                },
                _ => None,
            };
            if let Some((atom, truth)) = literal {
                possible &= *known.entry(atom_key(binding, atom)).or_insert(truth) == truth;
            }
        }
        if !possible {
            continue;
        }
        let mut ground: BTreeMap<(u32, Vec<usize>), Vec<usize>> = BTreeMap::new();
        for (index, atom) in vocabulary.atoms.iter().enumerate() {
            ground.entry(atom_key(binding, atom)).or_default().push(index);
        }
        for (key, class) in ground {
            for before in [false, true] {
                if known.get(&key).is_some_and(|truth| *truth != before) {
                    continue;
                }
                let mut known = known.clone();
                known.insert(key.clone(), before);
                if conditions.iter().any(|condition| truth(condition, binding, &known) == Some(false)) {
                    continue;
                }
                let does = |change: Change| class.iter().any(|atom| learned.get(atom) == Some(&change));
                let after = does(Change::Add) || (before && !does(Change::Delete));
                let question = (class.clone(), before);
                let open = *asked.entry(question.clone()).or_insert_with(|| {
                    let mut seen: Vec<(&[usize], Seen)> =
                        classes.iter().flat_map(|(class, seen)| seen.iter().map(move |&seen| (&class[..], seen))).collect();
                    seen.push((&class, Seen { before, after: !after }));
                    is_consistent(vocabulary.atoms.len(), &seen)
                });
                if open {
                    let witness = Undetermined { atom: class[0], before, binding: binding.clone() };
                    found.entry(question).or_insert(witness);
                }
            }
        }
    }
    found.into_values().collect()
}

const NOTHING: u8 = 1;
const ADDS: u8 = 2;
const DELETES: u8 = 4;

/// Whether some effects (for each atom: nothing, add, or delete) explain all that was seen. Exhaustive; where that would take too
/// long the answer is yes, which accepts less.
fn is_consistent(atoms: usize, seen: &[(&[usize], Seen)]) -> bool {
    let mut effects = vec![NOTHING | ADDS | DELETES; atoms];
    for (class, _) in seen.iter().filter(|(_, seen)| !seen.after) {
        class.iter().for_each(|&atom| effects[atom] &= !ADDS);
    }
    let mut budget = 20_000;
    search(&effects, seen, &mut budget)
}

fn search(effects: &[u8], seen: &[(&[usize], Seen)], budget: &mut usize) -> bool {
    if *budget == 0 {
        return true;
    }
    *budget -= 1;
    let unexplained = seen.iter().find(|(class, seen)| {
        let some = |effect: u8| class.iter().any(|&atom| effects[atom] == effect);
        match (seen.before, seen.after) {
            (false, false) => false,
            (false, true) => !some(ADDS),
            (true, false) => !some(DELETES),
            (true, true) => !some(ADDS) && class.iter().any(|&atom| effects[atom] & DELETES != 0),
        }
    });
    let Some((class, Seen { before, after })) = unexplained else { return true };
    let wanted = if *after { ADDS } else { DELETES };
    for &atom in class.iter().filter(|&&atom| effects[atom] & wanted != 0) {
        let mut narrowed = effects.to_vec();
        narrowed[atom] = wanted;
        if search(&narrowed, seen, budget) {
            return true;
        }
    }
    if *before && *after {
        let mut narrowed = effects.to_vec();
        class.iter().for_each(|&atom| narrowed[atom] &= !DELETES);
        return class.iter().all(|&atom| narrowed[atom] != 0) && search(&narrowed, seen, budget);
    }
    false
}
