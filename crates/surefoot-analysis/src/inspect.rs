//! The size of a domain, in the terms of the paper's table of domains.

use std::collections::BTreeMap;
use std::fmt;

use surefoot_base::model::{Action, ActionId, Condition, Domain, Effect};
use surefoot_learn::{Degree, Monomial, Vocabulary, count_monomials};

/// A row of the table.
#[derive(Clone, PartialEq, Debug)]
pub struct DomainProfile {
    /// |A|: the lifted actions.
    pub actions: usize,
    /// |A_X|: those with numeric conditions (of effects, too) or numeric effects.
    pub numeric_actions: usize,
    /// |F|: the lifted predicates.
    pub predicates: usize,
    /// |X|: the lifted functions.
    pub functions: usize,
    /// |pre^X|: numeric conditions of preconditions, over the actions.
    pub numeric_conditions: Spread,
    /// |eff^X|: numeric effects, over the actions.
    pub numeric_effects: Spread,
    /// The most parameter-bound literals an action has.
    pub max_literals: usize,
    /// The most parameter-bound functions an action has.
    pub max_functions: usize,
    /// The most parameter-bound monomials up to the asked degree an action has; `None` when they
    /// are too many to count.
    pub max_monomials: Option<u64>,
    /// The most of them that a map of relevant functions leaves of an action: what it lists of an
    /// action, all of one that it does not have. `None` without a map, or when they are too many to
    /// count.
    pub max_relevant: Option<u64>,
}

/// A count over all actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spread {
    /// Over all actions together.
    pub total: usize,
    /// The number of actions.
    pub among: usize,
    /// The largest count of an action.
    pub max: usize,
    /// The smallest count of an action.
    pub min: usize,
}

impl Spread {
    fn of(counts: impl Iterator<Item = usize>) -> Self {
        let counts: Vec<usize> = counts.collect();
        Spread {
            total: counts.iter().sum(),
            among: counts.len(),
            max: counts.iter().copied().max().unwrap_or(0),
            min: counts.iter().copied().min().unwrap_or(0),
        }
    }

    /// The mean; 0 where there are no actions.
    pub fn mean(self) -> f64 {
        if self.among == 0 { 0.0 } else { self.total as f64 / self.among as f64 }
    }
}

/// `1.6 (3,1)`: the mean, cut to one decimal as the paper does, with the largest and the smallest.
impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.total * 10).checked_div(self.among).unwrap_or(0);
        write!(f, "{}.{} ({},{})", tenths / 10, tenths % 10, self.max, self.min)
    }
}

impl DomainProfile {
    /// Measures a domain; monomials are counted up to `degree`.
    pub fn of(domain: &Domain, degree: u32) -> Self {
        let bodies: Vec<&Action> = domain.actions.iter().map(|(_, action)| action).collect();
        let vocabularies: Vec<_> = domain
            .action_ids()
            .filter_map(|action| Vocabulary::of(domain, action, Degree::LINEAR).ok())
            .collect();
        let max_functions =
            vocabularies.iter().map(|vocabulary| vocabulary.functions.len()).max().unwrap_or(0);
        DomainProfile {
            actions: domain.actions.len(),
            numeric_actions: bodies
                .iter()
                .filter(|action| {
                    numeric_conditions(&action.precondition)
                        + numeric_effects(&action.effect)
                        + numeric_guards(&action.effect)
                        > 0
                })
                .count(),
            predicates: domain.signature.predicates.len(),
            functions: domain.signature.functions.len(),
            numeric_conditions: Spread::of(
                bodies.iter().map(|action| numeric_conditions(&action.precondition)),
            ),
            numeric_effects: Spread::of(
                bodies.iter().map(|action| numeric_effects(&action.effect)),
            ),
            max_literals: vocabularies
                .iter()
                .map(|vocabulary| 2 * vocabulary.atoms.len())
                .max()
                .unwrap_or(0),
            max_functions,
            max_monomials: count_monomials(max_functions, degree),
            max_relevant: None,
        }
    }

    /// Measures a domain, given a map that says what each action reads.
    pub fn with_relevant(
        domain: &Domain,
        degree: u32,
        map: &BTreeMap<ActionId, Vec<Monomial>>,
    ) -> Self {
        let most = domain.action_ids().try_fold(0, |most, action| {
            let count = match map.get(&action) {
                Some(listed) => u64::try_from(listed.len()).ok()?,
                None => {
                    let functions =
                        Vocabulary::of(domain, action, Degree::LINEAR).ok()?.functions.len();
                    count_monomials(functions, degree)?
                }
            };
            Some(most.max(count))
        });
        DomainProfile { max_relevant: most, ..Self::of(domain, degree) }
    }
}

fn numeric_conditions(condition: &Condition) -> usize {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().map(numeric_conditions).sum(),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            numeric_conditions(inner)
        }
        Condition::Imply(both) => both.iter().map(numeric_conditions).sum(),
        Condition::Compare(..) => 1,
        Condition::Within(region) => region.len(),
        Condition::Atom(_) | Condition::Same(..) => 0,
    }
}

/// The numeric conditions of conditional effects.
fn numeric_guards(effect: &Effect) -> usize {
    match effect {
        Effect::And(parts) => parts.iter().map(numeric_guards).sum(),
        Effect::When(condition, inner) => numeric_conditions(condition) + numeric_guards(inner),
        Effect::ForAll(_, inner) => numeric_guards(inner),
        Effect::Numeric(_) | Effect::Add(_) | Effect::Delete(_) => 0,
    }
}

fn numeric_effects(effect: &Effect) -> usize {
    match effect {
        Effect::And(parts) => parts.iter().map(numeric_effects).sum(),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => numeric_effects(inner),
        Effect::Numeric(_) => 1,
        Effect::Add(_) | Effect::Delete(_) => 0,
    }
}
