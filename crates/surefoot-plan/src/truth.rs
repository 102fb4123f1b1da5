//! Conditions after folding: what is always so, never so, or depends on the state.

use super::task::{Formula, GroundConjunction};

/// A condition after folding.
pub enum FoldedCondition {
    /// It holds in every state.
    Always,
    /// It holds in none.
    Never,
    /// It holds where this does.
    When(Formula),
}

impl FoldedCondition {
    /// The conjunction of the parts.
    pub fn all(parts: impl IntoIterator<Item = FoldedCondition>) -> FoldedCondition {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                FoldedCondition::Always => {}
                FoldedCondition::Never => return FoldedCondition::Never,
                FoldedCondition::When(Formula::And(inner)) => kept.extend(inner),
                FoldedCondition::When(formula) => kept.push(formula),
            }
        }
        match kept.len() {
            0 => FoldedCondition::Always,
            1 => kept.pop().map_or(FoldedCondition::Always, FoldedCondition::When),
            _ => FoldedCondition::When(Formula::And(kept)),
        }
    }

    /// The disjunction of the parts.
    pub fn any(parts: impl IntoIterator<Item = FoldedCondition>) -> FoldedCondition {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                FoldedCondition::Always => return FoldedCondition::Always,
                FoldedCondition::Never => {}
                FoldedCondition::When(Formula::Or(inner)) => kept.extend(inner),
                FoldedCondition::When(formula) => kept.push(formula),
            }
        }
        match kept.len() {
            0 => FoldedCondition::Never,
            1 => kept.pop().map_or(FoldedCondition::Never, FoldedCondition::When),
            _ => FoldedCondition::When(Formula::Or(kept)),
        }
    }

    /// The condition as a conjunction of literals and numeric conditions; `None` if it never holds.
    pub fn conjunction(self) -> Option<GroundConjunction> {
        let parts = match self {
            FoldedCondition::Never => return None,
            FoldedCondition::Always => Vec::new(),
            FoldedCondition::When(Formula::And(parts)) => parts,
            FoldedCondition::When(formula) => vec![formula],
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
        Some(GroundConjunction {
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
