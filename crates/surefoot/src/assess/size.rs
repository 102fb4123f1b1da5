//! How many steps determine a model, whatever the traces: for A(1), where this is a number (docs/theory.md, "How much is
//! enough").

use std::collections::BTreeSet;

use crate::learn::{Learner, Pattern, Vocabulary};
use crate::model::{Domain, ObjectId, Term};

/// More binding patterns than this are not looked through.
const MAX_PATTERNS: usize = 20_000;

/// At most so many steps determine what is learned under A(1); `None` where there is no such number (squares of functions), or
/// where it takes too long to count.
///
/// For each action: two steps for each column, its least and its greatest value; two for each set of atoms that may be one, which
/// is true before or false; two for each equality, which holds or does not; for each set of functions that may be one, as many as
/// span the columns, which is one more than there are; and three for each function that may have no value: before, after, and
/// before but not after.
pub(super) fn determining_steps(learner: &Learner) -> Option<usize> {
    if learner.class().degree.squares {
        return None;
    }
    let domain = learner.domain();
    domain.action_ids().map(|action| of_action(domain, learner.vocabulary(action))).sum()
}

fn of_action(domain: &Domain, vocabulary: &Vocabulary) -> Option<usize> {
    let (mut atoms, mut cells) = (BTreeSet::new(), BTreeSet::new());
    for pattern in patterns(vocabulary, domain.signature.constants.len())? {
        atoms.extend(pattern.classes(&vocabulary.atoms));
        cells.extend(pattern.classes(&vocabulary.functions));
    }
    let columns = vocabulary.columns.len();
    Some(
        2 * columns
            + 2 * atoms.len()
            + 2 * vocabulary.equalities.len()
            + cells.len() * (columns + 1)
            + 3 * vocabulary.functions.len(),
    )
}

/// All ways in which parameters may stand for one object, or for a constant: those that equalities of the vocabulary speak of.
fn patterns(vocabulary: &Vocabulary, constants: usize) -> Option<Vec<Pattern>> {
    let parameters = vocabulary.parameters;
    let may_equal = |one: Term, other: Term| {
        vocabulary.equalities.iter().any(|&(left, right)| (left, right) == (one, other) || (left, right) == (other, one))
    };
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
                if may_equal(Term::Variable(new), term) {
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
