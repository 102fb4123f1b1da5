//! The objects of a trajectory that comes without a problem: named by its facts and actions, typed
//! by how they are used.

use rustc_hash::FxHashSet;

use super::diagnostic::ReadError;
use super::sexpr::{Token, invisible, next_token, no_name};
use super::source::{Source, Span};
use crate::model::{Domain, Names, Objects, TypeId, TypeSet, Variable};

/// How one object is used.
struct ObjectUses<'d> {
    first: Span,
    /// The declared types of the places it stands in.
    places: Vec<&'d TypeSet>,
}

/// The domain's constants, followed by the objects that a trajectory names. An object gets the most
/// general type that fits every place it stands in; where there is no such type, or more than one,
/// the problem file has to say.
///
/// Names that the domain does not know are passed over here: reading the trajectory reports them.
pub fn infer_objects(source: &Source, domain: &Domain) -> Result<Objects, ReadError> {
    let mut objects = domain.signature.constants.clone();
    for (name, uses) in uses(source, domain).iter() {
        // A constant has its type already.
        if objects.find(name).is_some() {
            continue;
        }
        if invisible(name).is_some() {
            return Err(no_name(source, uses.first).into());
        }
        let of = common_type(domain, uses).map_err(|problem| {
            let message = format!("the type of `{name}` does not follow from its use: {problem}");
            source.error(message, uses.first).help(
                "declare the objects in a problem file beside the trajectory, or name a folder of \
                 problems",
            )
        })?;
        let _ = objects.insert(name, of);
    }
    Ok(objects)
}

/// The objects of a problem, and the chosen numbers that a trajectory names besides. A problem
/// lists the numbers that a planner may choose; those of a recorded step may be others.
pub fn with_chosen_numbers(
    mut objects: Objects,
    source: &Source,
    domain: &Domain,
) -> Result<Objects, ReadError> {
    let Ok(Some(inputs)) = domain.inputs() else { return Ok(objects) };
    let types = &domain.signature.types;
    let chosen = TypeSet::either([inputs.of]);
    for (name, uses) in uses(source, domain).iter() {
        let is_number = uses.places.iter().all(|place| chosen.contains(types, place));
        if is_number && objects.find(name).is_none() {
            let of = common_type(domain, uses).map_err(|problem| {
                let message = format!("the type of the number `{name}`: {problem}");
                source.error(message, uses.first)
            })?;
            let _ = objects.insert(name, of);
        }
    }
    Ok(objects)
}

fn common_type(domain: &Domain, uses: &ObjectUses<'_>) -> Result<TypeId, String> {
    let types = &domain.signature.types;
    let fitting: Vec<TypeId> =
        types.ids().filter(|&id| uses.places.iter().all(|place| place.admits(types, id))).collect();
    let mut most_general = fitting.clone();
    most_general
        .retain(|&id| !fitting.iter().any(|&other| other != id && types.is_subtype(id, other)));
    match most_general[..] {
        [only] => Ok(only),
        [] => Err("no type fits all its places".into()),
        [one, other, ..] => {
            Err(format!("it may be a {} or a {}", types.name(one), types.name(other)))
        }
    }
}

/// What the words of the next list are applied to.
#[derive(Clone, Copy, PartialEq)]
enum ListKind {
    Fact,
    Function,
    /// What is unknown in a state may be either.
    Either,
    Action,
}

/// The objects that a trajectory names, in the order in which they come.
fn uses<'d>(source: &Source, domain: &'d Domain) -> Names<ObjectUses<'d>> {
    let text = source.text().as_bytes();
    let mut uses = Names::default();
    // Facts repeat from state to state: each text counts once.
    let mut met: FxHashSet<&str> = FxHashSet::default();
    let (mut at, mut kind) = (0, ListKind::Fact);
    while let Some((token, span)) = next_token(text, at) {
        at = span.range().end;
        if token != Token::Open {
            continue;
        }
        let Some((Token::Word, head)) = next_token(text, at) else { continue };
        at = head.range().end;
        match source.slice(head).to_ascii_lowercase().as_str() {
            ":trajectory" | "not" => {}
            "unknown" if kind == ListKind::Fact && opens_list(text, at) => kind = ListKind::Either,
            ":init" | ":state" | ":reset" => kind = ListKind::Fact,
            "operator:" | ":action" | "failed:" | ":failed" => kind = ListKind::Action,
            "=" if kind == ListKind::Fact => kind = ListKind::Function,
            _ => {
                let end = text[at..]
                    .iter()
                    .position(|&byte| byte == b')')
                    .map_or(text.len(), |length| at + length);
                if met.insert(source.slice((head.range().start..end).into())) {
                    let places = places(domain, kind, source.slice(head));
                    note(source, (at..end).into(), places, &mut uses);
                }
                at = end;
                kind = if kind == ListKind::Action { kind } else { ListKind::Fact };
            }
        }
    }
    uses
}

/// Whether a list is what comes next.
fn opens_list(text: &[u8], at: usize) -> bool {
    matches!(next_token(text, at), Some((Token::Open, _)))
}

fn places<'d>(domain: &'d Domain, kind: ListKind, name: &str) -> &'d [Variable] {
    let signature = &domain.signature;
    let predicate = || {
        signature.predicates.find(name).map(|index| &signature.predicates.value(index).parameters)
    };
    let function =
        || signature.functions.find(name).map(|index| &signature.functions.value(index).parameters);
    let found = match kind {
        ListKind::Fact => predicate(),
        ListKind::Function => function(),
        ListKind::Either => predicate().or_else(function),
        ListKind::Action => {
            domain.actions.find(name).map(|index| &domain.actions.value(index).parameters)
        }
    };
    found.map_or(&[], |parameters| &parameters[..])
}

fn note<'d>(
    source: &Source,
    words: Span,
    places: &'d [Variable],
    uses: &mut Names<ObjectUses<'d>>,
) {
    let text = &source.text().as_bytes()[..words.range().end];
    let (mut at, mut place) = (words.range().start, places.iter());
    while let (Some((Token::Word, word)), Some(place)) = (next_token(text, at), place.next()) {
        at = word.range().end;
        let (Ok(index) | Err(index)) =
            uses.insert(source.slice(word), ObjectUses { first: word, places: Vec::new() });
        let entry = uses.value_mut(index);
        if !entry.places.contains(&&place.types) {
            entry.places.push(&place.types);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::domain::read_domain;
    use super::*;

    const DOMAIN: &str =
        "(define (domain d) (:types truck boat - vehicle place) (:constants hub - \
                          place)
        (:predicates (at ?v - vehicle ?p - place) (floats ?b - boat)) (:functions (fuel ?v - \
                          vehicle))
        (:action drive :parameters (?t - truck ?to - place)))";

    fn types(trajectory: &str) -> Result<Vec<String>, ReadError> {
        let domain = read_domain(&Source::new("d", DOMAIN)).unwrap();
        let objects = infer_objects(&Source::new("t", trajectory), &domain)?;
        Ok(objects
            .ids()
            .map(|id| {
                format!(
                    "{} - {}",
                    objects.name(id),
                    domain.signature.types.name(objects.type_of(id))
                )
            })
            .collect())
    }

    #[test]
    fn an_object_gets_the_most_general_type_that_fits() {
        let found = types(
            "((:init (= (fuel a) 1.0) (at a hub) (at c x) (floats b)) (operator: (drive a x)) \
             (:state (at b x)))",
        );
        assert_eq!(
            found.unwrap(),
            ["hub - place", "a - truck", "c - vehicle", "x - place", "b - boat"]
        );
    }

    /// PDDL does not distinguish letter case, so one object may be spelled in several ways.
    #[test]
    fn mixed_case_in_a_trace_without_a_problem() {
        let found = types(
            "((:init (at Lorry Home) (at lorry HUB)) (operator: (DRIVE lorry home)) (:state (at \
             LORRY home)))",
        );
        assert_eq!(found.unwrap(), ["hub - place", "Lorry - truck", "Home - place"]);
    }

    #[test]
    fn contradicting_uses_are_an_error_that_asks_for_the_problem() {
        let error = types("((:init (floats a)) (operator: (drive a hub)) (:state))").unwrap_err();
        assert!(error.to_string().contains("no type fits all its places"), "{error}");
        assert!(error.to_string().contains("or name a folder of problems"), "{error}");
    }
}
