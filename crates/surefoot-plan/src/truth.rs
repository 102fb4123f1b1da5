//! Conditions after folding: what is always so, never so, or depends on the state.

use super::task::{Conjunction, Formula};

/// A condition after folding.
pub enum Truth {
    /// It holds in every state.
    Always,
    /// It holds in none.
    Never,
    /// It holds where this does.
    When(Formula),
}

impl Truth {
    /// The conjunction of the parts.
    pub fn all(parts: impl IntoIterator<Item = Truth>) -> Truth {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Truth::Always => {}
                Truth::Never => return Truth::Never,
                Truth::When(Formula::And(inner)) => kept.extend(inner),
                Truth::When(formula) => kept.push(formula),
            }
        }
        match kept.len() {
            0 => Truth::Always,
            1 => kept.pop().map_or(Truth::Always, Truth::When),
            _ => Truth::When(Formula::And(kept)),
        }
    }

    /// The disjunction of the parts.
    pub fn any(parts: impl IntoIterator<Item = Truth>) -> Truth {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Truth::Always => return Truth::Always,
                Truth::Never => {}
                Truth::When(Formula::Or(inner)) => kept.extend(inner),
                Truth::When(formula) => kept.push(formula),
            }
        }
        match kept.len() {
            0 => Truth::Never,
            1 => kept.pop().map_or(Truth::Never, Truth::When),
            _ => Truth::When(Formula::Or(kept)),
        }
    }

    /// The condition as a conjunction of literals and numeric conditions; `None` if it never holds.
    pub fn conjunction(self) -> Option<Conjunction> {
        let parts = match self {
            Truth::Never => return None,
            Truth::Always => Vec::new(),
            Truth::When(Formula::And(parts)) => parts,
            Truth::When(formula) => vec![formula],
        };
        let (mut facts, mut absent, mut numeric, mut clauses) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            match part {
                Formula::Fact(fact, true) => facts.push(fact),
                Formula::Fact(fact, false) => absent.push(fact),
                Formula::Numeric(condition) => numeric.push(condition),
                clause => clauses.push(clause),
            }
        }
        sort_distinct(&mut facts);
        sort_distinct(&mut absent);
        sort_distinct(&mut numeric);
        if facts.iter().any(|fact| absent.contains(fact)) {
            return None;
        }
        Some(Conjunction {
            facts: facts.into(),
            absent: absent.into(),
            numeric: numeric.into(),
            clauses: clauses.into(),
        })
    }
}

/// Sorts ids and leaves each once.
pub fn sort_distinct<I: Ord>(ids: &mut Vec<I>) {
    ids.sort_unstable();
    ids.dedup();
}
