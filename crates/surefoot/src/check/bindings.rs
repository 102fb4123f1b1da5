//! Bindings: which terms of an action (parameters and constants) are one object.

use std::collections::{HashMap, HashSet};

use super::vocabulary::ActionVocabulary;
use crate::model::{Condition, Lifted, ObjectId, Term};

/// For each parameter the first one that is the same object, or `parameters + constant`.
pub(super) type BindingPattern = Vec<usize>;

/// The place of a term: the same for two exactly when they are one object.
pub(super) fn place(binding: &BindingPattern, term: Term) -> usize {
    match term {
        Term::Variable(slot) => binding.get(slot as usize).copied().unwrap_or(slot as usize),
        Term::Object(constant) => binding.len() + constant.index(),
    }
}

/// The binding of a recorded step.
pub(super) fn binding_of(arguments: &[ObjectId], constants: usize) -> BindingPattern {
    let first = |(slot, object): (usize, &ObjectId)| match object.index() {
        constant if constant < constants => arguments.len() + constant,
        _ => arguments.iter().position(|other| other == object).unwrap_or(slot),
    };
    arguments.iter().enumerate().map(first).collect()
}

/// An atom or function under a binding: the same for two exactly when they are one ground atom or function.
pub(super) fn key<S: Copy>(binding: &BindingPattern, lifted: &Lifted<S>) -> (S, Vec<usize>) {
    (lifted.symbol, lifted.terms.iter().map(|term| place(binding, *term)).collect())
}

/// For each of some atoms or functions the first that is one with it under a binding.
pub(super) fn cells<S: Copy + Eq + std::hash::Hash>(binding: &BindingPattern, all: &[Lifted<S>]) -> Vec<usize> {
    let mut first: HashMap<(S, Vec<usize>), usize> = HashMap::new();
    all.iter().enumerate().map(|(index, lifted)| *first.entry(key(binding, lifted)).or_insert(index)).collect()
}

/// More bindings than this are not looked at; what is not looked at is not accepted.
const MAX_BINDINGS: usize = 50_000;

/// The bindings that types and the (in)equalities among the conjuncts allow; `None` when they are too many.
pub(super) fn admitted(
    vocabulary: &ActionVocabulary,
    constants: usize,
    conditions: &[&Condition],
) -> Option<Vec<BindingPattern>> {
    let count = vocabulary.parameters;
    // By slot: the (in)equalities with an earlier slot or a constant, by which a place is judged as soon as it is chosen.
    let mut judged: Vec<Vec<(Term, bool)>> = vec![Vec::new(); count];
    let mut judge = |left: Term, right: Term, equal: bool| match (left, right) {
        (Term::Variable(one), Term::Variable(other)) => {
            let (early, late) = (one.min(other), one.max(other));
            // A parameter is itself.
            if early != late
                && let Some(list) = judged.get_mut(late as usize)
            {
                list.push((Term::Variable(early), equal));
            }
        }
        (Term::Variable(slot), constant @ Term::Object(_)) | (constant @ Term::Object(_), Term::Variable(slot)) => {
            judged.get_mut(slot as usize).into_iter().for_each(|list| list.push((constant, equal)));
        }
        (Term::Object(_), Term::Object(_)) => {}
    };
    for condition in conditions {
        match condition {
            Condition::Same(left, right) => judge(*left, *right, true),
            Condition::Not(inner) => {
                if let Condition::Same(left, right) = **inner {
                    judge(left, right, false);
                }
            }
            _ => {}
        }
    }
    let pairs: HashSet<(Term, Term)> = vocabulary.pairs.iter().copied().collect();
    let may_be_one = |one: usize, other: usize| {
        pairs.contains(&(Term::Variable(one.min(other) as u32), Term::Variable(one.max(other) as u32)))
    };
    let mut bindings: Vec<BindingPattern> = vec![Vec::new()];
    for (slot, judged) in judged.iter().enumerate() {
        let is_constant = |constant: &usize| pairs.contains(&(Term::Variable(slot as u32), Term::Object((*constant).into())));
        let of_type: Vec<usize> = (0..constants).filter(is_constant).map(|constant| count + constant).collect();
        let mut longer: Vec<BindingPattern> = Vec::new();
        for binding in &bindings {
            let position = |term: Term| match term {
                Term::Variable(earlier) => binding.get(earlier as usize).copied(),
                Term::Object(constant) => Some(count + constant.index()),
            };
            let places = |wanted: bool| -> HashSet<usize> {
                judged.iter().filter(|(_, equal)| *equal == wanted).filter_map(|(term, _)| position(*term)).collect()
            };
            let (required, forbidden) = (places(true), places(false));
            let joins = |first: &usize| {
                let fits = |(member, place): (usize, &usize)| place != first || may_be_one(member, slot);
                binding.get(*first) == Some(first) && binding.iter().enumerate().all(fits)
            };
            let fits = |place: &usize| !forbidden.contains(place) && required.iter().all(|other| other == place);
            for place in (0..slot).filter(joins).chain([slot]).chain(of_type.iter().copied()).filter(fits) {
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
