//! What a model says of a log, counted by hand.

use std::collections::BTreeMap;

use crate::support::domain;
use surefoot_analysis::evaluate::{ActionLogScore, score};
use surefoot_base::pddl::{Numbers, Source};
use surefoot_learn::{LearnError, Progress, Trace, Unwatched};

const VOCABULARY: &str = "(define (domain d) (:predicates (on) (locked)) (:functions (n))
  (:action up :parameters ()) (:action reset :parameters ()))";
/// Of `reset` nothing was learned.
const MODEL: &str = "(define (domain d) (:predicates (on) (locked)) (:functions (n))
  (:action up :parameters () :precondition (and (on) (not (locked)) (<= (n) 5)) :effect (increase \
                     (n) 1)))";

fn log() -> Vec<Trace> {
    let first = "((:state (on) (= (n) 1)) (:action (up)) (:state (on) (= (n) 2)) (:failed (reset))
      (:action (up)) (:state (on) (= (n) 9)) (:action (up)) (:state (on) (= (n) 10)) (:failed \
                 (up)))";
    let second = "((:state (on) (= (n) 3)) (:failed (up)) (:action (reset)) (:state (= (n) 0))
      (:failed (up)) (:action (reset)) (:state (on) (unknown (n))) (:failed (up))
      (:action (up)) (:state (on) (unknown (locked)) (= (n) 4)) (:action (up)) (:state (on) (= (n) \
                  5))
      (:action (up)) (:state (on) (unknown (n))))";
    [("first", first), ("second", second)]
        .map(|(name, text)| Trace::inferred(Source::new(name, text)))
        .into()
}

#[test]
fn steps_that_worked_attempts_that_failed_and_what_is_unknown_are_counted_apart() {
    let (vocabulary, model, log) = (domain(VOCABULARY), domain(MODEL), log());
    let score =
        score(&vocabulary, &model, &BTreeMap::new(), Numbers::Exact, false, &&log[..], &Unwatched)
            .unwrap();
    let up = ActionLogScore {
        worked: 4,
        allowed: 3,
        mistaken: 1,
        failed: 3,
        allowed_failures: 1,
        undecided: 3,
    };
    let reset = ActionLogScore { worked: 2, failed: 1, ..ActionLogScore::default() };
    assert_eq!(score.actions, [up, reset]);
    assert_eq!(score.total(), up.plus(reset));
    assert_eq!((up.recall().hits, up.recall().of, up.contradictions()), (3, 4, 2));
    let named: Vec<(&str, &str)> = score
        .contradictions
        .iter()
        .map(|found| (&*found.place.file, found.message.as_str()))
        .collect();
    assert_eq!(
        named,
        [
            ("first", "(up) led to another state than the model predicts"),
            ("second", "(up) failed, and the model allows it")
        ]
    );
}

#[test]
fn a_score_can_be_stopped() {
    struct Stopped;
    impl Progress for Stopped {
        fn trace_read(&self) {}
        fn go_on(&self) -> bool {
            false
        }
    }
    let (vocabulary, model, log) = (domain(VOCABULARY), domain(MODEL), log());
    assert!(matches!(
        score(&vocabulary, &model, &BTreeMap::new(), Numbers::Exact, false, &&log[..], &Stopped),
        Err(LearnError::Stopped)
    ));
}
