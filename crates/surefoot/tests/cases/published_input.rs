//! PDDL as it is published: what other planners pass over is passed over with a warning, and
//! nothing else is.

use crate::support::{domain, plan, trajectory};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{
    Numbers, Source, Warning, Writer, read_problem, read_published_problem, write_problem,
};
use surefoot_base::validate::{PlanVerdict, validate};

fn published(domain: &Domain, text: &str) -> (Problem, Vec<Warning>) {
    let read = read_published_problem(&Source::new("problem.pddl", text), domain, Numbers::Exact);
    read.unwrap_or_else(|error| panic!("{error}"))
}

fn messages(warnings: &[Warning]) -> Vec<&str> {
    warnings.iter().map(|warning| &*warning.0.message).collect()
}

fn values(domain: &Domain, problem: &Problem) -> Vec<String> {
    let writer = Writer::new(domain, &problem.objects);
    problem
        .values
        .iter()
        .map(|(function, value)| format!("{} {value}", writer.ground_function(function)))
        .collect()
}

/// The travelling purchaser of the competition of 2023 writes types without a blank, and so does
/// one of its numeric domains with `object`.
#[test]
fn a_type_may_follow_its_dash_at_once() {
    let loose = domain(
        "(define (domain market) (:types place locatable -object depot shop -place van goods \
         -locatable)
           (:predicates (at ?x -locatable ?p -place) (sells ?s -(either shop depot)))
           (:functions (price ?g -goods ?s -shop)-number (cash) -number)
           (:constants hub -depot)
           (:action drive :parameters (?v -van ?from ?to -place) :precondition (at ?v ?from)
             :effect (and (not (at ?v ?from)) (at ?v ?to))))",
    );
    let spaced = domain(
        "(define (domain market) (:types place locatable - object depot shop - place van goods - \
         locatable)
           (:predicates (at ?x - locatable ?p - place) (sells ?s - (either shop depot)))
           (:functions (price ?g - goods ?s - shop) - number (cash) - number)
           (:constants hub - depot)
           (:action drive :parameters (?v - van ?from ?to - place) :precondition (at ?v ?from)
             :effect (and (not (at ?v ?from)) (at ?v ?to))))",
    );
    assert_eq!(loose, spaced);
    let text = "(define (problem p) (:domain market) (:objects red -van mill home -shop) (:init \
                (at red home)) (:goal (at red mill)))";
    let (problem, warnings) = published(&loose, text);
    assert_eq!((problem.objects.len(), warnings), (4, vec![]));
}

const TRADER: &str =
    "(define (domain trader) (:types camel town) (:predicates (in ?c - camel ?t - town))
  (:functions (cash) (load ?c - camel))
  (:action earn :parameters () :effect (increase (cash) 1))
  (:action pay :parameters () :precondition (>= (cash) 1) :effect (decrease (cash) 1)))";

#[test]
fn values_of_functions_that_are_not_declared_are_passed_over_by_name() {
    let trader = domain(TRADER);
    let text = "(define (problem p) (:domain trader) (:objects c1 c2 - camel ur - town)
      (:init (= (cash) 3) (in c1 ur)
        (= (fuel) 7.0)
        (= (laod c1) 1) (= (Laod c2) 2))
      (:goal (>= (cash) 4)))";
    let (problem, warnings) = published(&trader, text);
    assert_eq!(values(&trader, &problem), ["(cash) 3"]);
    assert_eq!(
        messages(&warnings),
        [
            "the domain declares no function `fuel`: its value is passed over",
            "the domain declares no function `laod`: its 2 values are passed over"
        ]
    );
    let shown = warnings[1].to_string();
    assert!(shown.starts_with("warning: the domain declares no function `laod`"), "{shown}");
    assert!(
        shown.contains("--> problem.pddl:4:12") && shown.contains("did you mean `load`?"),
        "{shown}"
    );
    // The strict reader takes nothing of it.
    let error =
        read_problem(&Source::new("problem.pddl", text), &trader, Numbers::Exact).unwrap_err();
    assert!(error.to_string().contains("unknown function `fuel`"), "{error}");
}

/// Only values may be passed over: a fact, a condition or a metric that names what is not declared
/// is wrong, and so is a predicate with a value.
#[test]
fn nothing_else_that_is_not_declared_is_passed_over() {
    let trader = domain(TRADER);
    let refused = |init: &str, goal: &str, metric: &str| {
        let text = format!(
            "(define (problem p) (:domain trader) (:objects c1 - camel) (:init {init}) (:goal \
             {goal}) {metric})"
        );
        read_published_problem(&Source::new("p", text), &trader, Numbers::Exact)
            .unwrap_err()
            .to_string()
    };
    assert!(refused("(rich)", "(and)", "").contains("unknown predicate `rich`"));
    assert!(refused("(= (fuel) lots)", "(and)", "").contains("expected a number"));
    assert!(refused("(= (in c1 c1) 1)", "(and)", "").contains("unknown function `in`"));
    assert!(refused("(= (fuel (x)) 1)", "(and)", "").contains("unknown function `fuel`"));
    assert!(refused("(= (fuel) 1)", "(>= (fuel) 1)", "").contains("unknown function `fuel`"));
    assert!(
        refused("(= (fuel) 1)", "(and)", "(:metric minimize (fuel))")
            .contains("unknown function `fuel`")
    );
    assert!(refused("(= (load c9) 1)", "(and)", "").contains("c9"));
}

/// A domain whose action increases `(spent)`, with one thing more.
fn spender(precondition: &str, effect: &str) -> Domain {
    domain(&format!(
        "(define (domain spender) (:types thing) (:constants a - thing) (:predicates (had ?t - \
         thing)) (:functions (spent) (n ?t - thing))
           (:action buy :parameters (?t - thing) :precondition (and {precondition})
             :effect (and (had ?t) (increase (spent) 2) {effect})))"
    ))
}

const SHOPPING: &str = "(define (problem p) (:domain spender) (:objects b - thing) (:init) (:goal \
                        (had b)) (:metric minimize (spent)))";

#[test]
fn a_function_that_is_only_increased_starts_at_zero() {
    let spender = spender("", "");
    let (problem, warnings) = published(&spender, SHOPPING);
    assert_eq!(values(&spender, &problem), ["(spent) 0"]);
    let expected = "`(spent)` has no initial value; it is only increased, and nothing reads it: it \
                    starts at 0";
    assert_eq!(messages(&warnings), [expected]);
    assert!(
        warnings[0].to_string().contains("help: `(= (spent) 0)` in :init says so"),
        "{}",
        warnings[0]
    );
    let verdict =
        validate(&spender, &problem, &plan(&spender, &problem, "(buy b)"), &Rational::ZERO);
    assert_eq!(verdict, PlanVerdict::Valid { metric: Some(Ok(Rational::integer(2))) });
    // What is written holds the value, so that nothing is left to be made up.
    let written = write_problem(&spender, &problem);
    assert_eq!(published(&spender, &written), (problem, vec![]));
    // The strict reader makes up nothing.
    let strict = read_problem(&Source::new("p", SHOPPING), &spender, Numbers::Exact).unwrap();
    assert!(strict.values.is_empty());
}

#[test]
fn a_function_that_anything_reads_stays_undefined() {
    let all = [
        ("(<= (spent) 9)", ""),
        ("(not (> (+ (spent) (n ?t)) 9))", ""),
        ("(exists (?x - thing) (= (* 2 (spent)) (n ?x)))", ""),
        ("(imply (had ?t) (< 3 (spent)))", ""),
        ("", "(when (< (spent) 3) (not (had ?t)))"),
        ("", "(assign (n ?t) (- (spent)))"),
        ("", "(forall (?x - thing) (assign (n ?x) (/ (spent) 2)))"),
        // Changed in another way: then it is no mere count.
        ("", "(when (had ?t) (assign (spent) 0))"),
        ("", "(when (had ?t) (decrease (spent) 1))"),
        ("", "(when (had ?t) (scale-up (spent) 2))"),
    ];
    for (precondition, effect) in all {
        let spender = spender(precondition, effect);
        let (problem, warnings) = published(&spender, SHOPPING);
        assert_eq!(
            (values(&spender, &problem), messages(&warnings)),
            (vec![], vec![]),
            "{precondition} {effect}"
        );
    }
    let spender = spender("", "");
    let (problem, warnings) = published(&spender, &SHOPPING.replace("(had b))", "(<= (spent) 3))"));
    assert_eq!(
        (values(&spender, &problem), messages(&warnings)),
        (vec![], vec![]),
        "read by the goal"
    );
}

#[test]
fn a_function_of_objects_starts_at_zero_for_each_unless_one_has_a_value() {
    let spender = spender("", "(increase (n ?t) 1)");
    let (problem, warnings) = published(&spender, SHOPPING);
    assert_eq!(values(&spender, &problem), ["(spent) 0", "(n a) 0", "(n b) 0"]);
    assert!(messages(&warnings)[1].starts_with("`(n ?t)` has no initial value"), "{warnings:?}");
    // Who lists some values means that the others have none.
    let (problem, warnings) =
        published(&spender, &SHOPPING.replace("(:init)", "(:init (= (spent) 1) (= (n a) 0))"));
    assert_eq!((values(&spender, &problem).len(), warnings.len()), (2, 0));
}

#[test]
fn more_values_than_anyone_lists_are_not_made_up() {
    let many = domain(
        "(define (domain many) (:functions (way ?a ?b ?c ?d))
           (:action go :parameters (?a ?b ?c ?d) :effect (increase (way ?a ?b ?c ?d) 1)))",
    );
    let objects: String = (0..20).map(|index| format!(" o{index}")).collect();
    let text =
        format!("(define (problem p) (:domain many) (:objects{objects}) (:init) (:goal (and)))");
    let (problem, warnings) = published(&many, &text);
    assert!(problem.values.is_empty());
    assert!(
        messages(&warnings)[0].ends_with("but it has more than 100000 values: it stays undefined"),
        "{warnings:?}"
    );
}

/// States of a trajectory are what was observed: nothing is made up in them.
#[test]
fn no_value_is_made_up_in_a_trajectory() {
    let spender = spender("", "");
    let (problem, _) = published(&spender, SHOPPING);
    let read = trajectory(&spender, &problem, "((:init) (operator: (buy b)) (:state (had b)))");
    assert!(read.states.iter().all(|state| state.values().next().is_none()));
}

mod sums_and_products_of_two {
    use super::*;
    use surefoot_base::assumptions::Spec;
    use surefoot_base::certificate::model_digest;
    use surefoot_base::pddl::{
        Operands, read_domain, write_domain, write_domain_with, write_problem_with,
    };
    use surefoot_check::ModelChecker;
    use surefoot_learn::Trace;
    use surefoot_learn::learn;

    #[test]
    fn are_nested_from_the_left_and_mean_the_same() {
        let sums = domain(
            "(define (domain sums) (:functions (a) (b) (c))
               (:action act :parameters () :precondition (and (<= (+ (a) (b) (c) 1) (* 2 (a) (b))) \
             (>= (+ (a)) (- (* (a) (b)) (c))))
                 :effect (assign (a) (+ (* 2 (b) (c)) (/ (+ 1 (b) (c)) 3) (- (a))))))",
        );
        let written = write_domain_with(&sums, Operands::Two);
        for expected in [
            "(<= (+ (+ (+ (a) (b)) (c)) 1) (* (* 2 (a)) (b)))",
            "(>= (a) (- (* (a) (b)) (c)))",
            "(assign (a) (+ (+ (* (* 2 (b)) (c)) (/ (+ (+ 1 (b)) (c)) 3)) (- (a))))",
        ] {
            assert!(written.contains(expected), "{expected} in {written}");
        }
        let again = read_domain(&Source::new("again", written)).unwrap();
        assert_eq!(model_digest(&again), model_digest(&sums));
        assert_ne!(
            model_digest(&again),
            model_digest(&domain(&write_domain(&sums).replace("(+ 1 (b)", "(+ (b) 1")))
        );
        // The same steps with the same outcomes, from many values.
        for (a, b, c) in
            (0..5).flat_map(|a| (0..5).flat_map(move |b| (0..5).map(move |c| (a, b, c))))
        {
            let text = format!(
                "(define (problem p) (:domain sums) (:init (= (a) {a}) (= (b) {b}) (= (c) {c})) \
                 (:goal (= (+ (a) (b) (c)) 7)) (:metric minimize (* (a) (b) 3)))"
            );
            let one = published(&sums, &text).0;
            let other = published(&again, &write_problem_with(&sums, &one, Operands::Two)).0;
            let step = plan(&sums, &one, "(act)");
            let verdict = validate(&sums, &one, &step, &Rational::ZERO);
            let same = validate(&again, &other, &step, &Rational::ZERO);
            match (&verdict, &same) {
                // Violated conditions are quoted as they are written.
                (PlanVerdict::GoalUnmet(one), PlanVerdict::GoalUnmet(other)) => {
                    assert_eq!(one[0].cause, other[0].cause)
                }
                (PlanVerdict::StepFails(one), PlanVerdict::StepFails(other)) => {
                    assert_eq!(one.index, other.index)
                }
                _ => assert_eq!(verdict, same),
            }
        }
    }

    /// A certificate is of the model, however its sums are written, and the checker reads both.
    #[test]
    fn are_accepted_with_the_certificate_of_the_model() {
        let race =
            domain("(define (domain race) (:functions (x) (y) (z)) (:action go :parameters ()))");
        let sources: Vec<Source> = [
            (0, 0, 0),
            (4, 0, 1),
            (0, 5, 2),
            (3, 3, 9),
            (1, 1, 1),
            (7, 2, 0),
        ]
        .iter()
        .map(|(x, y, z)| {
            let after = 2 * x + 3 * y - z + 1;
            let text = format!(
                "((:init (= (x) {x}) (= (y) {y}) (= (z) {z})) (operator: (go)) (:state (= (x) \
                     {after}) (= (y) {y}) (= (z) {z})))"
            );
            Source::new("record", text)
        })
        .collect();
        let traces: Vec<Trace> = sources.iter().cloned().map(Trace::inferred).collect();
        let model = learn(&race, &Spec::default(), &traces).unwrap();
        let written = model.to_pddl_with(Operands::Two);
        assert!(written.contains("(+ (+ ") && written != model.to_pddl(), "{written}");
        let read = read_domain(&Source::new("model", written)).unwrap();
        let certificate = model.certificate().unwrap();
        let mut checker = ModelChecker::new(&race, &read, &certificate);
        sources
            .iter()
            .try_for_each(|trace| checker.read(trace, &race.signature.constants))
            .unwrap();
        assert_eq!(checker.finish(), []);
    }
}
