//! What conditions with alternatives say under a binding: equalities of objects are true or false
//! there, and what is left of `(or E1 .. Ek equation)` may be the equation, or one of several sets
//! of equations.

use super::bindings::{BindingPattern, place};
use super::linear::NumberRow;
use super::vocabulary::{ActionVocabulary, RowColumns};
use surefoot_base::model::{Comparison, Condition};

/// What is certain where a condition holds under a binding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Left {
    /// The condition cannot hold under the binding.
    False,
    /// The condition holds under the binding anyway.
    True,
    /// It holds only where these equations do, among them perhaps none.
    Only(Vec<NumberRow>),
    /// It holds only where all equations of one of these sets do. There are several, and none is
    /// empty.
    Either(Vec<Vec<NumberRow>>),
}

/// What follows from a condition under a binding.
pub(super) fn left(
    condition: &Condition,
    binding: &BindingPattern,
    vocabulary: &ActionVocabulary,
    columns: &RowColumns,
) -> Left {
    match condition {
        Condition::Same(one, other) => {
            if place(binding, *one) == place(binding, *other) {
                Left::True
            } else {
                Left::False
            }
        }
        Condition::Not(inner) => match left(inner, binding, vocabulary, columns) {
            Left::False => Left::True,
            Left::True => Left::False,
            Left::Only(_) | Left::Either(_) => Left::Only(Vec::new()),
        },
        Condition::And(parts) => {
            let mut equations = None;
            for part in parts {
                match left(part, binding, vocabulary, columns) {
                    Left::False => return Left::False,
                    Left::True => {}
                    Left::Only(rows) => equations.get_or_insert_with(Vec::new).extend(rows),
                    // Less than it says.
                    Left::Either(_) => drop(equations.get_or_insert_with(Vec::new)),
                }
            }
            equations.map_or(Left::True, Left::Only)
        }
        Condition::Or(parts) => {
            let mut alternatives = Vec::new();
            for part in parts {
                match left(part, binding, vocabulary, columns) {
                    Left::False => {}
                    Left::True => return Left::True,
                    Left::Only(rows) => alternatives.push(rows),
                    Left::Either(sets) => alternatives.extend(sets),
                }
            }
            match <[Vec<NumberRow>; 1]>::try_from(alternatives) {
                Ok([only]) => Left::Only(only),
                Err(none) if none.is_empty() => Left::False,
                Err(several) if several.iter().any(Vec::is_empty) => Left::Only(Vec::new()),
                Err(several) => Left::Either(several),
            }
        }
        Condition::Compare(Comparison::Equal, sides) => {
            Left::Only(vocabulary.difference(&sides[0], &sides[1], columns).into_iter().collect())
        }
        Condition::Compare(..) | Condition::Atom(_) => Left::Only(Vec::new()),
        Condition::Imply(_)
        | Condition::ForAll(..)
        | Condition::Exists(..)
        | Condition::Within(_) => Left::Only(Vec::new()),
    }
}
