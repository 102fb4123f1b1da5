//! How large numbers can become along the way: what decides whether fast forms may be used.

use super::expression::{Condition, Effect, Expression};
use super::semantics::BITS;

/// How many bits the value of an expression, and of each of its parts, can have: at most `bits`,
/// and for each mention of a function the bits of its value. A sum has at most one bit more than
/// both its terms together, a product or a quotient as many as both.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    pub(super) functions: usize,
    pub(super) bits: usize,
}

impl Weight {
    fn plus(self, other: Weight) -> Self {
        Weight {
            functions: self.functions.saturating_add(other.functions),
            bits: self.bits.saturating_add(other.bits).saturating_add(1),
        }
    }

    pub(super) fn most(self, other: Weight) -> Self {
        Weight { functions: self.functions.max(other.functions), bits: self.bits.max(other.bits) }
    }

    /// The most bits that each value may have; `None` where that is less than what a machine
    /// integer can have.
    pub(super) fn room(self) -> Option<usize> {
        BITS.checked_sub(self.bits)
            .map(|left| left / self.functions.max(1))
            .filter(|&room| room >= 64)
    }

    fn of(expression: &Expression) -> Self {
        match expression {
            Expression::Number(number) => Weight { functions: 0, bits: number.bits() },
            Expression::Function(_) => Weight { functions: 1, bits: 0 },
            Expression::Sum(parts) | Expression::Product(parts) => Weight::of_all(parts),
            Expression::Difference(sides) | Expression::Quotient(sides) => {
                Weight::of_all(&sides[..])
            }
            Expression::Negation(inner) => Weight::of(inner),
            Expression::TotalTime => Weight::default(),
        }
    }

    /// What the parts of an operation weigh together.
    fn of_all(parts: &[Expression]) -> Self {
        parts.iter().fold(Weight { functions: 0, bits: 1 }, |sum, part| sum.plus(Weight::of(part)))
    }
}

/// The most that a comparison of a condition weighs.
pub(super) fn comparisons(condition: &Condition) -> Weight {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().fold(Weight::default(), |most, part| most.most(comparisons(part)))
        }
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            comparisons(inner)
        }
        Condition::Imply(both) => comparisons(&both[0]).most(comparisons(&both[1])),
        Condition::Compare(_, sides) => Weight::of(&sides[0]).plus(Weight::of(&sides[1])),
        Condition::Within(region) => Weight {
            functions: region.columns.iter().map(Vec::len).sum(),
            bits: region.set.tester().bits(),
        },
        Condition::Atom(_) | Condition::Same(..) => Weight::default(),
    }
}

/// What all numeric effects weigh together: those of one function are combined.
pub(super) fn changes(effect: &Effect) -> Weight {
    match effect {
        Effect::And(parts) => {
            parts.iter().fold(Weight::default(), |sum, part| sum.plus(changes(part)))
        }
        Effect::When(_, inner) | Effect::ForAll(_, inner) => changes(inner),
        Effect::Add(_) | Effect::Delete(_) => Weight::default(),
        Effect::Numeric(numeric) => {
            Weight::of(&numeric.value).plus(Weight { functions: 1, bits: 0 })
        }
    }
}
