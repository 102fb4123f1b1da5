//! How many steps determine a model, whatever the traces: for A(1), where this is a number
//! (docs/theory.md, "How much is enough").

use std::collections::BTreeSet;

use surefoot_base::model::{Domain, ObjectId, Term};
use surefoot_learn::{Algorithm, Learner, Monomial, Pattern, Settings, Vocabulary};

use super::NoNumber;

/// More binding patterns than this are not looked through.
const MAX_PATTERNS: usize = 20_000;

/// Whether no condition that is learned mentions more than one number: by the arity, because
/// numbers are not looked at, or because no action may read more than one.
pub(super) fn is_boxed(learner: &Learner, settings: &Settings) -> bool {
    settings.arity == Some(1)
        || settings.algorithm == Algorithm::Sam
        || learner.domain().action_ids().all(|action| learner.vocabulary(action).columns.len() <= 1)
}

/// The number of steps that determine what is learned under A(1); or why there is no such number (a
/// function together with its square), or none that was counted.
///
/// For each action: two steps for each column, its least and its greatest value; two for each set
/// of atoms that may be one, which is true before or false; two for each equality, which holds or
/// does not; for each set of functions that may be one, as many as span the columns, which is one
/// more than there are; and three for each function that may have no value: before, after, and
/// before but not after. N-SAM waits for one more vector than there are columns. And one at least,
/// to show the action at all.
pub(super) fn determining_steps(learner: &Learner, settings: &Settings) -> Result<usize, NoNumber> {
    let domain = learner.domain();
    domain.action_ids().map(|action| of_action(domain, learner.vocabulary(action), settings)).sum()
}

/// Whether it is a power of one function.
fn is_power(monomial: &Monomial) -> bool {
    monomial.0.len() > 1 && monomial.0.iter().all(|factor| *factor == monomial.0[0])
}

fn of_action(
    domain: &Domain,
    vocabulary: &Vocabulary,
    settings: &Settings,
) -> Result<usize, NoNumber> {
    let numbers = settings.algorithm != Algorithm::Sam;
    if numbers && vocabulary.columns.len() > 1 && vocabulary.columns.iter().any(is_power) {
        return Err(NoNumber::NoneIsEnough);
    }
    let (mut atoms, mut cells) = (BTreeSet::new(), BTreeSet::new());
    for pattern in
        patterns(vocabulary, domain.signature.constants.len()).ok_or(NoNumber::NotCounted)?
    {
        atoms.extend(pattern.classes(&vocabulary.atoms));
        cells.extend(pattern.classes(&vocabulary.functions));
    }
    let columns = vocabulary.columns.len();
    let waited_for = if settings.algorithm == Algorithm::NsamStar { 0 } else { columns + 1 };
    let of_numbers =
        2 * columns + cells.len() * (columns + 1) + 3 * vocabulary.functions.len() + waited_for;
    let of_atoms = 2 * atoms.len() + 2 * vocabulary.equalities.len();
    Ok((of_atoms + if numbers { of_numbers } else { 0 }).max(1))
}

/// All ways in which parameters may stand for one object, or for a constant: those that equalities
/// of the vocabulary speak of.
fn patterns(vocabulary: &Vocabulary, constants: usize) -> Option<Vec<Pattern>> {
    let parameters = vocabulary.parameters;
    let mut found: Vec<Vec<u32>> = vec![Vec::new()];
    for slot in 0..parameters {
        let mut grown = Vec::new();
        for pattern in found {
            let new = slot as u32;
            let earlier: BTreeSet<u32> = pattern.iter().copied().collect();
            let with_constants = (0..constants).map(|constant| (parameters + constant) as u32);
            let choices: BTreeSet<u32> = earlier.into_iter().chain(with_constants).collect();
            for choice in choices {
                let term = match (choice as usize).checked_sub(parameters) {
                    Some(constant) => Term::Object(ObjectId(constant as u32)),
                    None => Term::Variable(choice),
                };
                if may_equal(vocabulary, Term::Variable(new), term) {
                    grown.push(pattern.iter().copied().chain([choice]).collect());
                }
            }
            grown.push(pattern.iter().copied().chain([new]).collect());
            if grown.len() > MAX_PATTERNS {
                return None;
            }
        }
        found = grown;
    }
    Some(found.into_iter().map(Pattern).collect())
}

/// Whether an equality of the vocabulary compares two terms.
fn may_equal(vocabulary: &Vocabulary, one: Term, other: Term) -> bool {
    vocabulary
        .equalities
        .iter()
        .any(|&(left, right)| (left, right) == (one, other) || (left, right) == (other, one))
}
