//! Conditions with their negations pushed inward, down to what they are negations of.
//!
//! A margin makes a comparison harder to meet. Below a negation it would make the whole easier, so
//! negations go first. In Kleene's logic, in which conditions are evaluated, the result means the
//! same, also where a function has no value.

use crate::model::{Comparison, Condition, ErrorFunctions, Expression, FunctionId};

/// The condition without negations of what reads blurred functions, nor implications about them;
/// with `positive` false its negation. Parts about exact functions alone stay as they are. The
/// negation of a region that is not bounded by its comparisons alone stays one.
pub(super) fn normal(condition: &Condition, positive: bool, errors: &ErrorFunctions) -> Condition {
    let all = |parts: &[Condition], positive: bool| {
        parts.iter().map(|part| normal(part, positive, errors)).collect()
    };
    if !reads_blurred(condition, errors) {
        return if positive { condition.clone() } else { negated(condition) };
    }
    match condition {
        Condition::And(parts) if positive => Condition::And(all(parts, true)),
        Condition::And(parts) => Condition::Or(all(parts, false)),
        Condition::Or(parts) if positive => Condition::Or(all(parts, true)),
        Condition::Or(parts) => Condition::And(all(parts, false)),
        Condition::Not(inner) => normal(inner, !positive, errors),
        Condition::Imply(both) if positive => {
            Condition::Or(vec![normal(&both[0], false, errors), normal(&both[1], true, errors)])
        }
        Condition::Imply(both) => {
            Condition::And(vec![normal(&both[0], true, errors), normal(&both[1], false, errors)])
        }
        Condition::ForAll(variables, body) | Condition::Exists(variables, body) => {
            let body = Box::new(normal(body, positive, errors));
            match matches!(condition, Condition::ForAll(..)) == positive {
                true => Condition::ForAll(variables.clone(), body),
                false => Condition::Exists(variables.clone(), body),
            }
        }
        Condition::Compare(comparison, sides) if !positive => opposite(*comparison, sides),
        Condition::Within(region) if !positive && region.set.is_complete() => Condition::Or(
            region.comparisons().map(|comparison| normal(&comparison, false, errors)).collect(),
        ),
        Condition::Within(_) if !positive => negated(condition),
        Condition::Atom(_)
        | Condition::Same(..)
        | Condition::Compare(..)
        | Condition::Within(_) => condition.clone(),
    }
}

fn negated(condition: &Condition) -> Condition {
    match condition {
        Condition::Not(inner) => (**inner).clone(),
        other => Condition::Not(Box::new(other.clone())),
    }
}

/// What holds where a comparison of two values does not.
fn opposite(comparison: Comparison, sides: &[Expression; 2]) -> Condition {
    let compare = |comparison| Condition::Compare(comparison, Box::new(sides.clone()));
    match comparison {
        Comparison::Less => compare(Comparison::GreaterOrEqual),
        Comparison::LessOrEqual => compare(Comparison::Greater),
        Comparison::GreaterOrEqual => compare(Comparison::Less),
        Comparison::Greater => compare(Comparison::LessOrEqual),
        Comparison::Equal => {
            Condition::Or(vec![compare(Comparison::Less), compare(Comparison::Greater)])
        }
    }
}

/// Whether a condition mentions a function that has an error.
pub(super) fn reads_blurred(condition: &Condition, errors: &ErrorFunctions) -> bool {
    reads(condition, &|function| errors.get(function).is_some())
}

/// Whether a condition mentions such a function.
pub(super) fn reads(condition: &Condition, such: &impl Fn(FunctionId) -> bool) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| reads(part, such)),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            reads(inner, such)
        }
        Condition::Imply(both) => both.iter().any(|part| reads(part, such)),
        Condition::Compare(_, sides) => {
            let mut found = false;
            sides.iter().for_each(|side| {
                side.for_each_function(&mut |function| found |= such(function.symbol))
            });
            found
        }
        Condition::Within(region) => {
            region.columns.iter().flatten().any(|function| such(function.symbol))
        }
        Condition::Atom(_) | Condition::Same(..) => false,
    }
}
