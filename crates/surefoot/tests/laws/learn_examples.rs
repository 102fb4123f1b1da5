//! Small domains whose learned models are known: the paper's running example, and what other
//! learners get wrong.

use std::collections::BTreeMap;

use crate::learning::{
    action_id, assert_model, domain, from_text, learned, model, number, objects, pddl,
};
use surefoot_base::ids::Id;
use surefoot_base::pddl::{Source, read_expression};
use surefoot_learn::LiftedFunctionId;
use surefoot_learn::{
    Algorithm, Class, Conclusion, Degree, Inconsistency, Learner, LeftOut, Monomial, NumericForm,
    Settings, in_words,
};

const FARMLAND: &str = "(define (domain farmland) (:types farm)
  (:predicates (adj ?f1 ?f2 - farm)) (:functions (x ?b - farm) (cost))
  (:action move-slow :parameters (?f1 ?f2 - farm)))";

/// A step of move-slow from a to b: x of a, x of b, cost.
fn move_slow(x1: i64, x2: i64, cost: i64) -> String {
    format!(
        "((:init (= (x a) {x1}) (= (x b) {x2}) (= (cost ) {cost}) (adj a b)) (operator: (move-slow \
         a b))
          (:state (= (x a) {}) (= (x b) {}) (= (cost ) {cost}) (adj a b)))",
        x1 - 1,
        x2 + 1
    )
}

fn farmland(vectors: &[[i64; 3]]) -> Learner {
    let domain = domain(FARMLAND);
    let texts: Vec<String> =
        vectors.iter().map(|&[x1, x2, cost]| move_slow(x1, x2, cost)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    from_text(&domain, Class::default(), &objects(&domain, "a b - farm"), &texts)
}

/// The paper's Table of three observations, and what follows from it, with whole numbers for its
/// rounded ones.
#[test]
fn move_slow_of_the_paper() {
    let learner = farmland(&[[2, 0, 1], [1, 0, 1], [11, 0, 0]]);
    assert_model(
        &model(&learner, &Settings::default()),
        "(define (domain farmland) (:types farm)
          (:predicates (adj ?f1 ?f2 - farm)) (:functions (x ?b - farm) (cost))
          (:action move-slow :parameters (?f1 ?f2 - farm)
            :precondition (and (adj ?f1 ?f2) (not (adj ?f2 ?f1)) (not (= ?f1 ?f2)) (= (x ?f2) 0) \
         (<= (cost) 1)
              (>= (+ (x ?f1) (* 10 (cost))) 11) (<= (+ (x ?f1) (* 9 (cost))) 11))
            :effect (and (decrease (x ?f1) 1) (increase (x ?f2) 1))))",
    );
}

#[test]
fn nsam_says_what_it_lacks_and_never_loses_an_action() {
    let nsam = Settings::default().with(|settings| settings.algorithm = Algorithm::Nsam);
    let conclude = |vectors: &[[i64; 3]]| {
        farmland(vectors).conclude(action_id(&domain(FARMLAND), "move-slow"), &nsam)
    };
    let mut vectors = vec![[2, 0, 1], [1, 0, 1], [11, 0, 0]];
    match conclude(&vectors) {
        Conclusion::LeftOut(reason) => {
            assert_eq!(reason, LeftOut::TooFewVectors { distinct: 3, needed: 4 })
        }
        other => panic!("{other:?}"),
    }
    // Seeing the same again is no new evidence.
    vectors.push([2, 0, 1]);
    assert!(matches!(
        conclude(&vectors),
        Conclusion::LeftOut(LeftOut::TooFewVectors { distinct: 3, needed: 4 })
    ));
    // From the fourth vector on it is there to stay, although (x ?f2) is constant, and when it no
    // longer is.
    for vector in [[5, 0, 1], [5, 0, 1], [6, 0, 1], [7, 2, 1], [7, 2, 3], [1, 1, 1]] {
        vectors.push(vector);
        assert!(matches!(conclude(&vectors), Conclusion::Learned(_)), "{vectors:?}");
    }
    let learner = farmland(&vectors);
    assert_eq!(pddl(&learner, &nsam), pddl(&learner, &Settings::default()));
    let nothing = Learner::new(&domain(FARMLAND), Class::default()).unwrap();
    let nothing = nothing.conclude(action_id(&domain(FARMLAND), "move-slow"), &Settings::default());
    assert!(matches!(nothing, Conclusion::LeftOut(LeftOut::NeverObserved)));
}

/// Algorithm 1 to the letter: vectors count only where they are affinely independent, and constant
/// functions count as functions.
#[test]
fn nsam_literal_says_what_it_lacks_and_never_loses_an_action() {
    let literal = Settings::default().with(|settings| settings.algorithm = Algorithm::NsamLiteral);
    let slow = action_id(&domain(FARMLAND), "move-slow");
    let conclude = |vectors: &[[i64; 3]]| farmland(vectors).conclude(slow, &literal);
    let lacking = |vectors: &[[i64; 3]]| match conclude(vectors) {
        Conclusion::LeftOut(LeftOut::TooFewIndependent { independent, needed: 4 }) => independent,
        other => panic!("{vectors:?}: {other:?}"),
    };
    assert_eq!(lacking(&[[2, 0, 1], [2, 0, 1]]), 1);
    assert_eq!(lacking(&[[2, 0, 1], [1, 0, 1], [3, 0, 1], [4, 0, 1]]), 2, "all on one line");
    // Enough vectors for N-SAM as we read it, but (x ?f2) is always 0.
    let mut vectors = vec![[2, 0, 1], [1, 0, 1], [11, 0, 0], [5, 0, 1], [6, 0, 1]];
    assert_eq!(lacking(&vectors), 3);
    let learner = farmland(&vectors);
    assert!(matches!(
        learner.conclude(
            slow,
            &Settings::default().with(|settings| settings.algorithm = Algorithm::Nsam)
        ),
        Conclusion::Learned(_)
    ));
    assert_eq!(
        conclude(&vectors).to_string(),
        "3 affinely independent vectors; N-SAM's Algorithm 1 needs 4"
    );
    // From the first one off that plane on it is there to stay, and as N-SAM* learns it.
    for vector in [[7, 2, 1], [7, 2, 1], [7, 2, 3]] {
        vectors.push(vector);
        assert!(matches!(conclude(&vectors), Conclusion::Learned(_)), "{vectors:?}");
    }
    let learner = farmland(&vectors);
    assert_eq!(pddl(&learner, &literal), pddl(&learner, &Settings::default()));
}

/// What counts as a function is what the action may read: with a map, what it lists; with a degree,
/// products too.
#[test]
fn nsam_literal_counts_what_may_be_read() {
    let domain = domain(XY);
    let steps = [("1", "5", "2"), ("2", "5", "3"), ("4", "5", "5")];
    let literal = Settings::default().with(|settings| settings.algorithm = Algorithm::NsamLiteral);
    let conclude = |class: Class| {
        let texts: Vec<String> = steps
            .iter()
            .map(|(x, y, after)| {
                format!(
                    "((:init (= (x ) {x}) (= (y ) {y})) (operator: (go )) (:state (= (x ) \
                         {after}) (= (y ) {y})))"
                )
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        from_text(&domain, class, &objects(&domain, ""), &texts)
            .conclude(surefoot_base::model::ActionId(0), &literal)
    };
    let lacks = |conclusion: Conclusion| match conclusion {
        Conclusion::LeftOut(LeftOut::TooFewIndependent { independent, needed }) => {
            (independent, needed)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(lacks(conclude(Class::default())), (2, 3), "(y) is constant");
    // x, y and x y: the third is five times the first.
    assert_eq!(
        lacks(conclude(
            Class::default().with(|class| class.degree = Degree { degree: 2, squares: false })
        )),
        (2, 4)
    );
    let x = Monomial(vec![LiftedFunctionId::from_index(0)]);
    let only_x = Class::default().with(|class| {
        class.relevant = BTreeMap::from([(surefoot_base::model::ActionId(0), vec![x])])
    });
    assert!(matches!(conclude(only_x), Conclusion::Learned(_)));
}

const XY: &str = "(define (domain d) (:functions (x) (y)) (:action go :parameters ()))";

/// Steps of `go`: (x, y) before, x after.
fn xy(steps: &[(&str, &str, &str)]) -> Learner {
    let domain = domain(XY);
    let text = |(x, y, after): &(&str, &str, &str)| {
        format!(
            "((:init (= (x ) {x}) (= (y ) {y})) (operator: (go )) (:state (= (x ) {after}) (= (y ) \
             {y})))"
        )
    };
    let texts: Vec<String> = steps.iter().map(text).collect();
    from_text(
        &domain,
        Class::default(),
        &objects(&domain, ""),
        &texts.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

fn assert_xy(steps: &[(&str, &str, &str)], precondition: &str, effect: &str) {
    let expected = format!(
        "(define (domain d) (:functions (x) (y)) (:action go :parameters () :precondition (and \
         {precondition}) :effect (and {effect})))"
    );
    assert_model(&model(&xy(steps), &Settings::default()), &expected);
}

#[test]
fn halving_is_not_doubling() {
    assert_xy(
        &[("4", "0", "2"), ("10", "0", "5")],
        "(= (y) 0) (>= (x) 4) (<= (x) 10)",
        "(assign (x) (* 0.5 (x)))",
    );
}

#[test]
fn small_coefficients_are_kept() {
    assert_xy(
        &[("0", "0", "0"), ("0", "20000", "1"), ("3", "0", "3")],
        "(>= (x) 0) (>= (y) 0) (<= (+ (* 20000 (x)) (* 3 (y))) 60000)",
        "(increase (x) (* 0.00005 (y)))",
    );
}

#[test]
fn slanted_facets_are_kept() {
    assert_xy(
        &[("0", "0", "0"), ("100000", "1", "100000"), ("0", "5", "0")],
        "(>= (x) 0) (<= (x) (* 100000 (y))) (<= (+ (x) (* 25000 (y))) 125000)",
        "",
    );
}

/// A millionth of a millionth beside a million millions.
#[test]
fn extremes_beside_each_other() {
    assert_xy(
        &[("0", "0", "0"), ("1e-12", "0", "1e-12"), ("0", "1e12", "1e12")],
        "(>= (x) 0) (>= (y) 0) (<= (+ (* 1000000000000000000000000 (x)) (y)) 1000000000000)",
        "(increase (x) (y))",
    );
    let region = learned(
        &xy(&[("0", "0", "0"), ("1e-12", "0", "0"), ("0", "1e12", "0")]),
        "go",
        &Settings::default(),
    )
    .numeric
    .region;
    let inside = |x: &str, y: &str| region.contains(&[number(x), number(y)]);
    assert!(inside("0.5e-12", "5e11"));
    assert!(!inside("0.5e-12", "500000000000.000000000001"));
    assert!(!inside("1.000000000000000000000001e-12", "0"));
}

#[test]
fn constant_changes_before_assignments_and_fewest_functions_first() {
    // Both `x += 1` and `x := y` fit; so do many others.
    assert_xy(
        &[("1", "2", "2"), ("4", "5", "5")],
        "(= (y) (+ (x) 1)) (>= (x) 1) (<= (x) 4)",
        "(increase (x) 1)",
    );
    assert_xy(&[("7", "1", "7")], "(= (x) 7) (= (y) 1)", "");
}

const REFUEL: &str =
    "(define (domain d) (:types plane) (:functions (fuel ?a - plane) (capacity ?a - plane))
  (:action refuel :parameters (?a - plane)))";

#[test]
fn refuel() {
    let domain = domain(REFUEL);
    let step = |fuel: i64, capacity: i64| {
        format!(
            "((:init (= (fuel p) {fuel}) (= (capacity p) {capacity})) (operator: (refuel p))
              (:state (= (fuel p) {capacity}) (= (capacity p) {capacity})))"
        )
    };
    let texts = [step(1, 10), step(3, 20), step(0, 30), step(8, 8)];
    let learner = from_text(
        &domain,
        Class::default(),
        &objects(&domain, "p - plane"),
        &texts.each_ref().map(String::as_str),
    );
    let action = learned(&learner, "refuel", &Settings::default());
    assert_model(
        &model(&learner, &Settings::default().with(|settings| settings.arity = Some(1))),
        "(define (domain d) (:types plane) (:functions (fuel ?a - plane) (capacity ?a - plane))
          (:action refuel :parameters (?a - plane)
            :precondition (and (>= (fuel ?a) 0) (<= (fuel ?a) 8) (>= (capacity ?a) 8) (<= \
         (capacity ?a) 30))
            :effect (and (assign (fuel ?a) (capacity ?a)))))",
    );
    assert_eq!(action.numeric.effects.as_slice()[1], NumericForm::Unchanged);
}

/// `(not (= ?a ?b))` stays until a step refutes it, whatever the algorithm.
#[test]
fn inequalities_between_parameters() {
    let domain = domain(
        "(define (domain d) (:predicates (at ?x)) (:functions (n)) (:action go :parameters (?a \
         ?b)))",
    );
    let objects = objects(&domain, "u v");
    let apart = "((:init (= (n ) 1) (at u)) (operator: (go u v)) (:state (= (n ) 1) (at v)))";
    let stay = "((:init (= (n ) 1) (at u)) (operator: (go u u)) (:state (= (n ) 1) (at u)))";
    for algorithm in [Algorithm::NsamStar, Algorithm::Sam] {
        let settings = Settings::default().with(|settings| settings.algorithm = algorithm);
        let number = if algorithm == Algorithm::Sam { "" } else { "(= (n) 1)" };
        let learner = from_text(&domain, Class::default(), &objects, &[apart]);
        assert_model(
            &model(&learner, &settings),
            &format!(
                "(define (domain d) (:predicates (at ?x)) (:functions (n)) (:action go :parameters \
                 (?a ?b)
                  :precondition (and (at ?a) (not (at ?b)) (not (= ?a ?b)) {number}) :effect (and \
                 (not (at ?a)) (at ?b))))"
            ),
        );
        // With ?a = ?b the delete is masked by the add, and is no less a delete.
        let learner = from_text(&domain, Class::default(), &objects, &[apart, stay]);
        assert_model(
            &model(&learner, &settings),
            &format!(
                "(define (domain d) (:predicates (at ?x)) (:functions (n)) (:action go :parameters \
                 (?a ?b)
                  :precondition (and (at ?a) {number}) :effect (and (not (at ?a)) (at ?b))))"
            ),
        );
    }
}

/// Seen only with ?a = ?b: one of both parameters' atoms is added, and the equality makes it the
/// same.
#[test]
fn an_effect_with_two_explanations_keeps_the_equality() {
    let domain = domain(
        "(define (domain d) (:predicates (on ?x) (off ?x)) (:functions (n ?x)) (:action flip \
         :parameters (?a ?b)))",
    );
    let flip = "((:init (= (n u) 1) (off u)) (operator: (flip u u)) (:state (= (n u) 3) (on u)))";
    let learner = from_text(&domain, Class::default(), &objects(&domain, "u v"), &[flip]);
    assert_model(
        &model(&learner, &Settings::default()),
        "(define (domain d) (:predicates (on ?x) (off ?x)) (:functions (n ?x)) (:action flip \
         :parameters (?a ?b)
          :precondition (and (off ?a) (off ?b) (not (on ?a)) (not (on ?b)) (= ?a ?b) (= (n ?a) 1) \
         (= (n ?b) 1))
          :effect (and (not (off ?a)) (on ?a) (increase (n ?a) 2))))",
    );
}

/// What fewer steps allow, more steps allow: a guard asks at the point whether something changes,
/// and not of the whole region.
#[test]
fn a_guard_is_asked_at_a_point() {
    let domain =
        domain("(define (domain d) (:functions (n ?x) (c) (e)) (:action go :parameters (?a ?b)))");
    let objects = objects(&domain, "u v");
    // (n ?a) grows by (c) - 3, (n ?b) by one.
    let step = |a: &str, b: &str, [mut u, mut v]: [i64; 2], [c, e]: [i64; 2]| {
        let state = |u: i64, v: i64| format!("(= (n u) {u}) (= (n v) {v}) (= (c) {c}) (= (e) {e})");
        let before = state(u, v);
        *if a == "u" { &mut u } else { &mut v } += c - 3;
        *if b == "u" { &mut u } else { &mut v } += 1;
        format!("((:init {before}) (operator: (go {a} {b})) (:state {}))", state(u, v))
    };
    let mut steps: Vec<String> = [([0, 0], 0), ([9, 0], 0), ([0, 9], 0), ([0, 0], 1)]
        .into_iter()
        .map(|(values, e)| step("u", "v", values, [3, e]))
        .collect();
    steps.push(step("u", "u", [2, 2], [3, 0]));
    let learn = |steps: &[String]| {
        from_text(
            &domain,
            Class::default(),
            &objects,
            &steps.iter().map(String::as_str).collect::<Vec<_>>(),
        )
    };
    let head = "(define (domain d) (:functions (n ?x) (c) (e)) (:action go :parameters (?a ?b)";
    let rest = "(>= (n ?a) 0) (>= (n ?b) 0) (>= (e) 0)";
    // Nothing changes (n ?a) while (c) is 3. With one object for both, (e) = 1 was not seen, and
    // need not be.
    let few = learn(&steps);
    assert_model(
        &model(&few, &Settings::default()),
        &format!(
            "{head} :precondition (and (= (c) 3) {rest} (<= (+ (n ?a) (n ?b) (* 9 (e))) 9)) \
             :effect (and (increase (n ?b) 1))))"
        ),
    );
    // With (c) = 4 it changes. With one object for both that adds up, or was an assignment; it was
    // seen neither way.
    steps.push(step("u", "v", [0, 0], [4, 0]));
    let more = learn(&steps);
    assert_eq!(more.may_take_back(action_id(&domain, "go"), &Settings::default()), None);
    assert_model(
        &model(&more, &Settings::default()),
        &format!(
            "{head} :precondition (and (or (not (= ?a ?b)) (= (c) 3)) {rest} (>= (c) 3) (<= (+ (n \
             ?a) (n ?b) (* 9 (c)) (* 9 (e))) 36)) \
             :effect (and (increase (n ?a) (- (c) 3)) (increase (n ?b) 1))))"
        ),
    );
}

/// Two effects on one ground function: increases add up, assignments agree, and apart they may look
/// alike. What both come to is known only where both were seen as one.
#[test]
fn two_changes_of_one_function() {
    let domain = domain("(define (domain d) (:functions (n ?x)) (:action go :parameters (?a ?b)))");
    let objects = objects(&domain, "u v");
    let step = |a: &str, b: &str, [u, v]: [i64; 2], [u2, v2]: [i64; 2]| {
        format!(
            "((:init (= (n u) {u}) (= (n v) {v})) (operator: (go {a} {b})) (:state (= (n u) {u2}) \
             (= (n v) {v2})))"
        )
    };
    let learn = |steps: &[String]| {
        from_text(
            &domain,
            Class::default(),
            &objects,
            &steps.iter().map(String::as_str).collect::<Vec<_>>(),
        )
    };
    let head = "(define (domain d) (:functions (n ?x)) (:action go :parameters (?a ?b)";
    let apart = "(>= (n ?a) 0) (>= (n ?b) 0) (<= (+ (n ?a) (n ?b)) 9)";

    // Increases by one each.
    let increases = [
        step("u", "v", [0, 0], [1, 1]),
        step("u", "v", [9, 0], [10, 1]),
        step("u", "v", [0, 9], [1, 10]),
    ];
    let learner = learn(&increases);
    let effect = ":effect (and (increase (n ?a) 1) (increase (n ?b) 1))))";
    assert_model(
        &model(&learner, &Settings::default()),
        &format!("{head} :precondition (and (not (= ?a ?b)) {apart}) {effect}"),
    );
    // Seen as one at a single value: known there.
    let learner = learn(&[&increases[..], &[step("u", "u", [2, 5], [4, 5])]].concat());
    let guard = "(or (not (= ?a ?b)) (and (= (n ?a) 2) (= (n ?b) 2)))";
    assert_model(
        &model(&learner, &Settings::default()),
        &format!("{head} :precondition (and {guard} {apart}) {effect}"),
    );
    // Seen as one at two values: known between them and beyond.
    let both = [step("u", "u", [2, 5], [4, 5]), step("v", "v", [2, 1], [2, 3])];
    let learner = learn(&[&increases[..], &both].concat());
    assert_model(
        &model(&learner, &Settings::default()),
        &format!("{head} :precondition (and {apart}) {effect}"),
    );
    // `(assign (n ?a) (+ (n ?a) 1))` looks like an increase until both are one. Increases would add
    // up, so they were assignments.
    let learner = learn(&[&increases[..], &[step("u", "u", [2, 5], [3, 5])]].concat());
    let assigned = ":effect (and (assign (n ?a) (+ (n ?a) 1)) (assign (n ?b) (+ (n ?b) 1)))))";
    assert_model(
        &model(&learner, &Settings::default()),
        &format!("{head} :precondition (and {guard} {apart}) {assigned}"),
    );
    // What neither reading explains is an error in the data.
    let learner = learn(&[&increases[..], &[step("u", "u", [2, 5], [5, 5])]].concat());
    let conclusion = learner.conclude(action_id(&domain, "go"), &Settings::default());
    let Conclusion::Inconsistent(Inconsistency::Composition { functions }) = &conclusion else {
        panic!("{conclusion:?}")
    };
    assert_eq!(functions[..], [0, 1].map(LiftedFunctionId::from_index));

    // Assignments of the same value.
    let assigns = [
        step("u", "v", [0, 0], [7, 7]),
        step("u", "v", [9, 0], [7, 7]),
        step("u", "v", [0, 9], [7, 7]),
    ];
    let effect = ":effect (and (assign (n ?a) 7) (assign (n ?b) 7))))";
    let both = [step("u", "u", [2, 5], [7, 5]), step("v", "v", [2, 4], [2, 7])];
    let learner = learn(&[&assigns[..], &both].concat());
    assert_model(
        &model(&learner, &Settings::default()),
        &format!("{head} :precondition (and {apart}) {effect}"),
    );
    // `(increase (n ?a) (- 7 (n ?a)))` looks like an assignment until both are one.
    let both = [step("u", "u", [2, 5], [12, 5]), step("v", "v", [2, 4], [2, 10])];
    let learner = learn(&[&assigns[..], &both].concat());
    let increased = ":effect (and (increase (n ?a) (- 7 (n ?a))) (increase (n ?b) (- 7 (n ?b))))))";
    assert_model(
        &model(&learner, &Settings::default()),
        &format!("{head} :precondition (and {apart}) {increased}"),
    );
}

/// The real action empties ?a and fills ?b. While all ?b were full already, an assignment to it
/// cannot be seen; but with ?a = ?b it would be a conflict unless full is empty, and only that was
/// seen.
#[test]
fn an_unseen_assignment_may_be_a_conflict() {
    let domain =
        domain("(define (domain d) (:functions (n ?x) (full)) (:action pour :parameters (?a ?b)))");
    let objects = objects(&domain, "u v");
    let texts = [
        "((:init (= (n u) 1) (= (n v) 5) (= (full ) 5)) (operator: (pour u v)) (:state (= (n u) 0) \
         (= (n v) 5) (= (full ) 5)))",
        "((:init (= (n u) 3) (= (n v) 0) (= (full ) 0)) (operator: (pour u v)) (:state (= (n u) 0) \
         (= (n v) 0) (= (full ) 0)))",
        "((:init (= (n u) 9) (= (n v) 5) (= (full ) 5)) (operator: (pour u v)) (:state (= (n u) 0) \
         (= (n v) 5) (= (full ) 5)))",
        "((:init (= (n u) 0) (= (n v) 2) (= (full ) 0)) (operator: (pour u u)) (:state (= (n u) 0) \
         (= (n v) 2) (= (full ) 0)))",
    ];
    let action = learned(
        &from_text(&domain, Class::default(), &objects, &texts),
        "pour",
        &Settings::default(),
    );
    let writer = surefoot_base::pddl::Writer::new(&domain, &domain.signature.constants);
    let mut writer = writer.with_parameters(&action.action.parameters);
    let guards: Vec<String> =
        action.numeric.guards.iter().map(|guard| writer.condition(guard)).collect();
    // The region says that ?b is full.
    assert_eq!(guards, ["(or (not (= ?a ?b)) (= (n ?a) 0))"]);
    // Once something was poured from a vessel into itself, there is no such assignment.
    let more = [
        &texts[..],
        &["((:init (= (n u) 4) (= (n v) 2) (= (full ) 4)) (operator: (pour u \
                               u)) (:state (= (n u) 0) (= (n v) 2) (= (full ) 4)))"],
    ]
    .concat();
    let action = learned(
        &from_text(&domain, Class::default(), &objects, &more),
        "pour",
        &Settings::default(),
    );
    assert_eq!(action.numeric.guards, []);
}

/// Bodies of the given domain are not looked at.
#[test]
fn bodies_are_ignored() {
    let bodies = [
        "",
        ":precondition (and (adj ?f1 ?f2) (>= (x ?f1) 1)) :effect (and (decrease (x ?f1) 1) \
         (increase (x ?f2) 1))",
        ":precondition (or (adj ?f2 ?f1) (= ?f1 ?f2)) :effect (and (adj ?f2 ?f1) (assign (cost) \
         77))",
    ];
    let learn = |body: &str| {
        let domain =
            domain(&FARMLAND.replace("(?f1 ?f2 - farm)))", &format!("(?f1 ?f2 - farm) {body}))")));
        let texts = [move_slow(2, 0, 1), move_slow(1, 0, 1), move_slow(11, 0, 0)];
        let learner = from_text(
            &domain,
            Class::default(),
            &objects(&domain, "a b - farm"),
            &texts.each_ref().map(String::as_str),
        );
        pddl(&learner, &Settings::default())
    };
    assert_eq!(learn(bodies[0]), learn(bodies[1]));
    assert_eq!(learn(bodies[0]), learn(bodies[2]));
}

/// Constants are arguments like parameters; a parameter fits where its type does; an action may
/// have no parameter.
#[test]
fn constants_types_and_actions_without_parameters() {
    let head = "(define (domain d) (:types truck car - vehicle vehicle place) (:constants depot - \
                place)
      (:predicates (at ?v - vehicle ?p - place) (heavy ?t - truck) (open)) (:functions (load ?t - \
                truck) (total))";
    let domain = domain(&format!(
        "{head} (:action home :parameters (?t - truck)) (:action call :parameters (?v - vehicle)) \
         (:action close :parameters ()))"
    ));
    let objects = objects(&domain, "t - truck c - car z - place");
    let trace = "((:init (= (load t) 3) (= (total ) 0) (at t z) (at c z) (open ))
      (operator: (home t)) (:state (= (load t) 0) (= (total ) 3) (at t z) (at t depot) (at c z) \
                 (open ))
      (operator: (call c)) (:state (= (load t) 0) (= (total ) 4) (at t z) (at t depot) (at c z) \
                 (at c depot) (open ))
      (operator: (close )) (:state (= (load t) 0) (= (total ) 4) (at t z) (at t depot) (at c z) \
                 (at c depot)))";
    let learner = from_text(&domain, Class::default(), &objects, &[trace]);
    assert_model(
        &model(&learner, &Settings::default()),
        &format!(
            "{head}
             (:action home :parameters (?t - truck)
               :precondition (and (open) (not (at ?t depot)) (not (heavy ?t)) (= (load ?t) 3) (= \
             (total) 0))
               :effect (and (at ?t depot) (decrease (load ?t) 3) (increase (total) 3)))
             (:action call :parameters (?v - vehicle)
               :precondition (and (open) (not (at ?v depot)) (= (total) 3)) :effect (and (at ?v \
             depot) (increase (total) 1)))
             (:action close :parameters () :precondition (and (open) (= (total) 4)) :effect (and \
             (not (open)))))"
        ),
    );
    let positive = Settings::default().with(|settings| {
        settings.algorithm = Algorithm::Sam;
        settings.positive_preconditions = true;
    });
    assert_model(
        &model(&learner, &positive),
        &format!(
            "{head}
             (:action home :parameters (?t - truck) :precondition (and (open) (not (heavy ?t))) \
             :effect (and (at ?t depot)))
             (:action call :parameters (?v - vehicle) :precondition (and (open)) :effect (and (at \
             ?v depot)))
             (:action close :parameters () :precondition (and (open)) :effect (and (not \
             (open)))))"
        ),
    );
}

/// A function without a value is refuted, not zero: neither conditions nor effects may mention it,
/// and where it has a value it may have any.
#[test]
fn undefined_is_not_zero() {
    let head = "(define (domain d) (:types place) (:functions (time ?a ?b - place) (clock))";
    let domain = domain(&format!("{head} (:action walk :parameters (?a ?b - place)))"));
    let objects = objects(&domain, "u v w - place");
    let traces = [
        "((:init (= (time u v) 5) (= (time v u) 9) (= (clock ) 0)) (operator: (walk u v)) (:state \
         (= (time u v) 5) (= (time v u) 9) (= (clock ) 5)))",
        "((:init (= (time u v) 5) (= (time v w) 0) (= (clock ) 5)) (operator: (walk v w)) (:state \
         (= (time u v) 5) (= (time v w) 0) (= (clock ) 5)))",
        "((:init (= (time u v) 4) (= (clock ) 6)) (operator: (walk u v)) (:state (= (time u v) 4) \
         (= (clock ) 10)))",
    ];
    let learner = from_text(&domain, Class::default(), &objects, &traces);
    assert_model(
        &model(&learner, &Settings::default()),
        &format!(
            // The triangle (5, 0), (0, 5), (4, 6).
            "{head} (:action walk :parameters (?a ?b - place)
               :precondition (and (not (= ?a ?b)) (>= (+ (time ?a ?b) (clock)) 5) (<= (+ (* 6 \
             (time ?a ?b)) (clock)) 30)
                 (<= (* 4 (clock)) (+ (time ?a ?b) 20)))
               :effect (and (increase (clock) (time ?a ?b)))))"
        ),
    );
    // Nothing of this depends on when the missing value is met.
    let reversed: Vec<&str> = traces.iter().rev().copied().collect();
    assert_eq!(
        pddl(&from_text(&domain, Class::default(), &objects, &reversed), &Settings::default()),
        pddl(&learner, &Settings::default())
    );
}

#[test]
fn products_are_columns() {
    let head = "(define (domain d) (:functions (x) (y) (area))";
    let domain = domain(&format!("{head} (:action go :parameters ()))"));
    let steps = [(1, 1), (1, 3), (2, 1), (2, 3), (4, 5), (0, 9)];
    let texts = steps.map(|(x, y)| {
        format!(
            "((:init (= (x ) {x}) (= (y ) {y}) (= (area ) 0)) (operator: (go )) (:state (= (x \
                 ) {x}) (= (y ) {y}) (= (area ) {})))",
            x * y
        )
    });
    let texts = texts.each_ref().map(String::as_str);
    let objects = objects(&domain, "");
    let go = action_id(&domain, "go");
    // No affine map explains it; a linear map of products does.
    let linear = from_text(&domain, Class::default(), &objects, &texts);
    assert!(matches!(
        linear.conclude(go, &Settings::default()),
        Conclusion::Inconsistent(Inconsistency::NotAffine { function }) if function.index() == 2
    ));
    let class = Class::default().with(|class| class.degree = Degree { degree: 2, squares: false });
    let learner = from_text(&domain, class, &objects, &texts);
    assert_model(
        &model(&learner, &Settings::default().with(|settings| settings.arity = Some(1))),
        &format!(
            "{head} (:action go :parameters () :precondition (and (= (area) 0) (= (* (x) (area)) \
             0) (= (* (y) (area)) 0)
               (>= (x) 0) (<= (x) 4) (>= (y) 1) (<= (y) 9))
               :effect (and (increase (area) (* (x) (y))))))"
        ),
    );
    // The map says what is relevant: only that is read, and the assumption is said. An increase
    // from 0 and an assignment look alike, so the value before is kept to.
    let vocabulary = Learner::new(&domain, Class::default()).unwrap().vocabulary(go).clone();
    let expression = read_expression(&Source::new("map", "(* (x) (y))"), &domain, go).unwrap();
    let product: Monomial = vocabulary.monomial(&expression).unwrap();
    let class = Class::default().with(|class| {
        class.relevant = BTreeMap::from([(surefoot_base::model::ActionId(0), vec![product])])
    });
    let learner = from_text(&domain, class, &objects, &texts);
    assert_model(
        &model(&learner, &Settings::default()),
        &format!(
            "{head} (:action go :parameters () :precondition (and (= (area) 0) (>= (* (x) (y)) 0) \
             (<= (* (x) (y)) 20))
               :effect (and (increase (area) (* (x) (y))))))"
        ),
    );
    let said = in_words(&learner, &Settings::default());
    assert!(
        said.iter().any(|line| {
            line.starts_with("The conditions and effects of go read only (* (x) (y)) (a scaling")
        }),
        "{said:?}"
    );
}
