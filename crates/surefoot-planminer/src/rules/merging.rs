//! Patterns of rules, and joining rules whose patterns agree.

use super::coverage::LearnedRule;
use super::genes::{Genes, LabelColumns};

/// Per label: the bit that the general and the specific form of a rule share; `None` where they
/// differ.
pub(super) type SharedBits = Vec<Option<bool>>;

/// The pattern of a rule's two forms. Inactive columns admit everything.
pub(super) fn pattern(columns: &LabelColumns, general: &Genes, specific: &Genes) -> SharedBits {
    let pairs = general.read(columns).into_iter().zip(specific.read(columns));
    pairs.map(|(general, specific)| (general == specific).then_some(general)).collect()
}

/// The pattern that has the defined bit wherever one of the two has; `None` if they contradict each
/// other.
fn joined(a: &SharedBits, b: &SharedBits) -> Option<SharedBits> {
    a.iter()
        .zip(b)
        .map(|(a, b): (&Option<bool>, &Option<bool>)| match (a, b) {
            (Some(a), Some(b)) if a != b => None,
            (a, b) => Some(a.or(*b)),
        })
        .collect()
}

fn open_labels(pattern: &SharedBits) -> usize {
    pattern.iter().filter(|bit| bit.is_none()).count()
}

/// Joins the first `fresh` rules with later ones where their patterns agree. A rule that is joined
/// into another goes.
pub(super) fn merge(rules: &mut Vec<LearnedRule>, fresh: usize) {
    let mut gone = vec![false; rules.len()];
    for i in 0..fresh.min(rules.len()) {
        for j in i + 1..rules.len() {
            if gone[i] {
                break;
            }
            if !gone[j] {
                gone[i] = merge_pair(rules, i, j);
            }
        }
    }
    let mut gone = gone.into_iter();
    rules.retain(|_| gone.next() == Some(false));
}

/// Joins rule `i` into rule `j` if they agree. Says whether it did.
fn merge_pair(rules: &mut [LearnedRule], i: usize, j: usize) -> bool {
    let equal = rules[i].pattern == rules[j].pattern;
    if rules[i].genes.post != rules[j].genes.post {
        if equal {
            // The rule's own sum, where the other one's would be meant.
            rules[i].negative += rules[i].positive;
        }
        return false;
    }
    if equal {
        return true;
    }
    let Some(pattern) = joined(&rules[i].pattern, &rules[j].pattern) else { return false };
    if open_labels(&rules[j].pattern) >= open_labels(&rules[i].pattern) {
        let (positive, negative) = (rules[i].positive, rules[i].negative);
        rules[j].positive += positive;
        rules[j].negative += negative;
    }
    rules[j].genes.bits = pattern.iter().map(|bit| bit.unwrap_or(false)).collect();
    rules[j].pattern = pattern;
    true
}
