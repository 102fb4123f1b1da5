//! Joining rules, case by case. Patterns are written as text: `1`, `0`, and `?` where the forms of
//! a rule differ.

use super::super::coverage::LearnedRule;
use super::super::genes::{Genes, LabelColumns};
use super::super::merging::{merge, pattern};

fn rule(post: bool, text: &str, positive: f64, negative: f64) -> LearnedRule {
    let pattern = text.chars().map(|c| (c != '?').then_some(c == '1')).collect();
    let genes = Genes { post, active: vec![true], bits: text.chars().map(|c| c == '1').collect() };
    LearnedRule { genes, positive, negative, pattern }
}

/// Class, specific bits and sums of what is left when the first `fresh` rules are joined.
fn merged(mut rules: Vec<LearnedRule>, fresh: usize) -> Vec<(bool, String, f64, f64)> {
    merge(&mut rules, fresh);
    let left = rules.into_iter().map(|rule| {
        let bits = rule.genes.bits.iter().map(|&bit| if bit { '1' } else { '0' }).collect();
        (rule.genes.post, bits, rule.positive, rule.negative)
    });
    left.collect()
}

fn left(post: bool, bits: &str, positive: f64, negative: f64) -> (bool, String, f64, f64) {
    (post, bits.to_owned(), positive, negative)
}

#[test]
fn a_pattern_is_what_both_forms_share() {
    let columns = LabelColumns::new(&[2, 2, 2]);
    let form = |active: [bool; 3], bits: [u8; 6]| Genes {
        post: true,
        active: active.to_vec(),
        bits: bits.map(|b| b == 1).to_vec(),
    };
    let general = form([true, false, false], [1, 0, 0, 1, 1, 0]);
    let specific = form([true, true, false], [1, 0, 0, 1, 0, 0]);
    let shared = pattern(&columns, &general, &specific);
    assert_eq!(shared, [Some(true), Some(false), None, Some(true), Some(true), Some(true)]);
}

#[test]
fn of_equal_patterns_the_earlier_one_goes() {
    let rules = vec![rule(true, "10?", 5.0, 1.0), rule(true, "10?", 2.0, 0.5)];
    assert_eq!(merged(rules, 2), [left(true, "100", 2.0, 0.5)]);
}

#[test]
fn compatible_patterns_are_joined_into_the_later_one() {
    // As many open labels: the sums are added.
    let rules = vec![rule(true, "1?0", 5.0, 1.0), rule(true, "?10", 2.0, 0.5)];
    assert_eq!(merged(rules, 2), [left(true, "110", 7.0, 1.5)]);
    // Fewer open labels: the later rule keeps its own.
    let rules = vec![rule(true, "???", 5.0, 1.0), rule(true, "?10", 2.0, 0.5)];
    assert_eq!(merged(rules, 2), [left(true, "010", 2.0, 0.5)]);
}

#[test]
fn contradicting_patterns_stay() {
    let rules = vec![rule(true, "1?0", 5.0, 1.0), rule(true, "0?0", 2.0, 0.5)];
    assert_eq!(merged(rules, 2), [left(true, "100", 5.0, 1.0), left(true, "000", 2.0, 0.5)]);
}

#[test]
fn equal_patterns_of_either_class_stay_and_the_earlier_one_is_blamed() {
    let rules = vec![rule(true, "10?", 5.0, 1.0), rule(false, "10?", 2.0, 0.5)];
    assert_eq!(merged(rules, 2), [left(true, "100", 5.0, 6.0), left(false, "100", 2.0, 0.5)]);
}

#[test]
fn only_what_was_put_in_front_is_joined_and_once() {
    let rules =
        vec![rule(true, "1??", 5.0, 1.0), rule(true, "1?0", 2.0, 0.5), rule(true, "110", 1.0, 0.0)];
    assert_eq!(merged(rules.clone(), 0).len(), 3);
    assert_eq!(
        merged(rules.clone(), 1),
        [left(true, "100", 2.0, 0.5), left(true, "110", 1.0, 0.0)]
    );
    assert_eq!(merged(rules, 3), [left(true, "110", 1.0, 0.0)]);
}
