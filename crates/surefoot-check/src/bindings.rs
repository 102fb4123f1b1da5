//! Bindings: which terms of an action (parameters and constants) are the same object.

use std::collections::{HashMap, HashSet};

use super::inputs::InputsOfAction;
use super::vocabulary::ActionVocabulary;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{Condition, Lifted, ObjectId, Term};

/// For each parameter the first one that is the same object, or `parameters + constant`.
pub(super) type BindingPattern = Vec<usize>;

/// The place of a term: two terms have the same place exactly if they are the same object.
pub(super) fn place(binding: &BindingPattern, term: Term) -> usize {
    match term {
        Term::Variable(slot) => binding
            .get(slot as usize)
            .copied()
            .invariant("a term outside of quantifiers is a parameter or a constant"),
        Term::Object(constant) => binding.len() + constant.index(),
    }
}

/// The binding of a recorded step. Inputs count as different from all other terms, also where their
/// numbers are equal.
pub(super) fn binding_of(
    arguments: &[ObjectId],
    constants: usize,
    inputs: &InputsOfAction,
) -> BindingPattern {
    let mut binding = BindingPattern::with_capacity(arguments.len());
    for (slot, object) in arguments.iter().enumerate() {
        binding.push(match object.index() {
            _ if inputs.has(Term::Variable(slot as u32)) => slot,
            constant if constant < constants => arguments.len() + constant,
            _ => arguments
                .iter()
                .position(|other| other == object)
                .invariant("an argument is among the arguments"),
        });
    }
    binding
}

/// A key of an atom or function under a binding: two have the same key exactly if they are the same
/// ground atom or function.
pub(super) fn key<S: Copy>(binding: &BindingPattern, lifted: &Lifted<S>) -> (S, Vec<usize>) {
    (lifted.symbol, lifted.terms.iter().map(|term| place(binding, *term)).collect())
}

/// For each of the given atoms or functions: the first one that aliases it under a binding.
pub(super) fn cells<S: Copy + Eq + std::hash::Hash>(
    binding: &BindingPattern,
    all: &[Lifted<S>],
) -> Vec<usize> {
    let mut first: HashMap<(S, Vec<usize>), usize> = HashMap::new();
    all.iter()
        .enumerate()
        .map(|(index, lifted)| *first.entry(key(binding, lifted)).or_insert(index))
        .collect()
}

/// More bindings than this are not looked at; what is not looked at is not accepted.
const MAX_BINDINGS: usize = 50_000;

/// The bindings that types and the (in)equalities among the conjuncts allow; `None` when they are
/// too many.
pub(super) fn admitted(
    vocabulary: &ActionVocabulary,
    constants: usize,
    conditions: &[&Condition],
) -> Option<Vec<BindingPattern>> {
    let count = vocabulary.parameters;
    let pairs: HashSet<(Term, Term)> = vocabulary.pairs.iter().copied().collect();
    let mut bindings: Vec<BindingPattern> = vec![Vec::new()];
    for (slot, judged) in judged(count, conditions).iter().enumerate() {
        let of_type: Vec<usize> = (0..constants)
            .filter(|&constant| {
                pairs.contains(&(Term::Variable(slot as u32), Term::Object(constant.into())))
            })
            .map(|constant| count + constant)
            .collect();
        let mut longer: Vec<BindingPattern> = Vec::new();
        for binding in &bindings {
            let required = places(binding, count, judged, true);
            let forbidden = places(binding, count, judged, false);
            let joined = (0..slot).filter(|&first| may_join(&pairs, binding, first));
            for place in joined.chain([slot]).chain(of_type.iter().copied()) {
                if forbidden.contains(&place) || required.iter().any(|other| *other != place) {
                    continue;
                }
                longer.push(binding.iter().copied().chain([place]).collect());
                if longer.len() > MAX_BINDINGS {
                    return None;
                }
            }
        }
        bindings = longer;
    }
    Some(bindings)
}

/// By slot: the (in)equalities with an earlier slot or a constant, by which a place is judged as
/// soon as it is chosen.
fn judged(slots: usize, conditions: &[&Condition]) -> Vec<Vec<(Term, bool)>> {
    let mut judged: Vec<Vec<(Term, bool)>> = vec![Vec::new(); slots];
    for condition in conditions {
        let (inner, equal) = match condition {
            Condition::Not(inner) => (&**inner, false),
            other => (*other, true),
        };
        let Condition::Same(left, right) = inner else { continue };
        let (slot, other) = match (*left, *right) {
            // A parameter is itself.
            (Term::Variable(one), Term::Variable(other)) if one == other => continue,
            (Term::Variable(one), Term::Variable(other)) => {
                (one.max(other), Term::Variable(one.min(other)))
            }
            (Term::Variable(slot), constant @ Term::Object(_))
            | (constant @ Term::Object(_), Term::Variable(slot)) => (slot, constant),
            (Term::Object(_), Term::Object(_)) => continue,
        };
        if let Some(list) = judged.get_mut(slot as usize) {
            list.push((other, equal));
        }
    }
    judged
}

/// The places of the terms that the next of `count` parameters is said to equal, or not to equal,
/// when those before it are bound.
fn places(
    bound: &BindingPattern,
    count: usize,
    judged: &[(Term, bool)],
    wanted: bool,
) -> HashSet<usize> {
    let terms = judged.iter().filter(|(_, equal)| *equal == wanted).map(|(term, _)| *term);
    terms
        .filter_map(|term| match term {
            Term::Variable(earlier) => bound.get(earlier as usize).copied(),
            Term::Object(constant) => Some(count + constant.index()),
        })
        .collect()
}

/// Whether the next parameter may be one object with all parameters whose place is `first`, which
/// is one of them.
fn may_join(pairs: &HashSet<(Term, Term)>, bound: &BindingPattern, first: usize) -> bool {
    let next = Term::Variable(bound.len() as u32);
    bound.get(first) == Some(&first)
        && (bound.iter().enumerate()).all(|(member, place)| {
            *place != first || pairs.contains(&(Term::Variable(member as u32), next))
        })
}
