//! The planner on the tasks that break planners: nothing to do, no way to do it, too much to look
//! at, numbers floats cannot tell apart.

use std::fmt::Write;
use std::time::{Duration, Instant};

use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Inapplicable;
use surefoot_base::validate::{PlanVerdict, validate};
use surefoot_plan::{SearchLimits, SearchOptions, SearchOutcome, SearchReport, plan};

/// A domain and a problem from their parts.
struct Case {
    declared: String,
    actions: String,
    objects: String,
    init: String,
    goal: String,
}

/// A task over the predicates `p q r`, `(on ?x)`, `(by ?x ?y)` and the functions `x y z`, `(f ?x)`.
fn case(actions: &str, init: &str, goal: &str) -> Case {
    Case {
        declared: "(:predicates (p) (q) (r) (on ?x) (by ?x ?y)) (:functions (x) (y) (z) (f ?x))"
            .into(),
        actions: actions.into(),
        objects: "one two three".into(),
        init: init.into(),
        goal: goal.into(),
    }
}

impl Case {
    #[track_caller]
    fn report(&self, options: &SearchOptions) -> SearchReport {
        let Case { declared, actions, objects, init, goal } = self;
        let domain = crate::support::domain(&format!(
            "(define (domain cases) (:requirements :adl :numeric-fluents) {declared} {actions})"
        ));
        let text = format!(
            "(define (problem case) (:domain cases) (:objects {objects}) (:init {init}) (:goal \
             {goal}))"
        );
        let problem = crate::support::problem(&domain, &text);
        let report = plan(&domain, &problem, options, &|_| true);
        if let SearchOutcome::Solved(plan) = &report.outcome {
            let verdict = validate(&domain, &problem, plan, &Rational::ZERO);
            assert!(matches!(verdict, PlanVerdict::Valid { .. }), "{verdict:?}");
        }
        report
    }

    /// The outcome within a time that none of the small cases needs.
    #[track_caller]
    fn outcome(&self) -> SearchOutcome {
        self.report(&within(20.0)).outcome
    }

    #[track_caller]
    fn is_solved_in(&self, steps: usize) {
        match self.outcome() {
            SearchOutcome::Solved(plan) => assert_eq!(plan.steps.len(), steps, "{plan:?}"),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn is_solved(&self) {
        let outcome = self.outcome();
        assert!(matches!(outcome, SearchOutcome::Solved(_)), "{outcome:?}");
    }

    #[track_caller]
    fn is_unsolvable(&self) {
        assert_eq!(self.outcome(), SearchOutcome::Unsolvable);
    }
}

fn within(seconds: f64) -> SearchOptions {
    let limits =
        SearchLimits { time: Some(Duration::from_secs_f64(seconds)), memory: Some(1 << 30) };
    SearchOptions::default().with(|options| {
        options.limits = limits;
        options.threads = 1;
    })
}

const UP: &str = "(:action up :parameters () :precondition () :effect (increase (x) 1))";

#[test]
fn no_actions() {
    case("", "", "(p)").is_unsolvable();
    case("", "(= (x) 1)", "(> (x) 1)").is_unsolvable();
    case("", "(p)", "(p)").is_solved_in(0);
}

#[test]
fn no_goals() {
    case(UP, "(= (x) 1)", "()").is_solved_in(0);
    case(UP, "(= (x) 1)", "(and)").is_solved_in(0);
    case("", "", "(and)").is_solved_in(0);
    case(UP, "(= (x) 1)", "(or)").is_unsolvable();
}

#[test]
fn goals_already_true() {
    case(UP, "(p) (= (x) 1)", "(and (p) (not (q)) (>= (x) 1) (< (x) (/ 3 2)))").is_solved_in(0);
}

#[test]
fn no_objects_at_all() {
    let mut empty = case("(:action go :parameters (?x) :precondition () :effect (p))", "", "(p)");
    empty.objects = String::new();
    empty.is_unsolvable();
    empty.goal = "(forall (?x) (on ?x))".into();
    empty.is_solved_in(0);
    empty.goal = "(exists (?x) (not (on ?x)))".into();
    empty.is_unsolvable();
}

#[test]
fn a_numeric_goal_beyond_bounds_is_proved_unsolvable() {
    let bounded = "(:action up :parameters () :precondition (< (x) 50) :effect (increase (x) 1))
        (:action down :parameters () :precondition (> (x) -50) :effect (decrease (x) 1))";
    case(bounded, "(= (x) 0)", "(= (x) 50)").is_solved_in(50);
    case(bounded, "(= (x) 0)", "(> (x) 50)").is_unsolvable();
    case(bounded, "(= (x) 0)", "(= (x) (/ 1 2))").is_unsolvable();
}

#[test]
fn a_numeric_goal_that_moves_away_ends_by_time() {
    // x − y never changes, though x alone grows.
    let both = "(:action both :parameters () :precondition () :effect (and (increase (x) 1) \
                (increase (y) (* 1 (z)))))
        (:action other :parameters () :precondition () :effect (and (increase (x) 2) (increase (y) \
                (* 2 (z))) (assign (z) (z))))";
    let started = Instant::now();
    let report =
        case(both, "(= (x) 0) (= (y) 0) (= (z) 1)", "(> (- (x) (y)) 3)").report(&within(1.0));
    assert_eq!(report.outcome, SearchOutcome::TimeLimit);
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn a_goal_a_thousand_million_steps_away_ends_by_a_limit() {
    for goal in ["(> (x) 1000000000)", "(> (x) 1000000000000000000000000000000)"] {
        let started = Instant::now();
        let report = case(UP, "(= (x) 0)", goal).report(&within(1.0));
        assert!(
            matches!(report.outcome, SearchOutcome::TimeLimit | SearchOutcome::MemoryLimit),
            "{:?}",
            report.outcome
        );
        assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    }
    let small = SearchOptions::default().with(|options| {
        options.limits =
            SearchLimits { time: Some(Duration::from_secs(20)), memory: Some(20_000_000) }
    });
    assert_eq!(
        case(UP, "(= (x) 0)", "(> (x) 1000000000)").report(&small).outcome,
        SearchOutcome::MemoryLimit
    );
}

#[test]
fn steps_that_repeat_are_taken_together() {
    let started = Instant::now();
    case(UP, "(= (x) 0)", "(= (x) 10000)").is_solved_in(10_000);
    case(UP, "(= (x) 0)", "(and (>= (x) 20000) (<= (x) 20000))").is_solved_in(20_000);
    let two = format!(
        "{UP} (:action side :parameters () :precondition (>= (x) 5000) :effect (increase (y) (/ 1 \
         3)))"
    );
    case(&two, "(= (x) 0) (= (y) 0)", "(and (= (x) 7000) (= (y) 1000))").is_solved_in(10_000);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

fn crowd(actions: &str, goal: &str) -> Case {
    let objects: Vec<String> = (0..40).map(|index| format!("o{index}")).collect();
    Case { objects: objects.join(" "), ..case(actions, "(= (x) 0)", goal) }
}

const EIGHT: &str = "?a ?b ?c ?d ?e ?g ?h ?i";

/// The time limit holds, give or take a second and a half on a busy machine.
#[track_caller]
fn ends_by_time(case: &Case) {
    let started = Instant::now();
    let report = case.report(&within(1.0));
    assert_eq!(report.outcome, SearchOutcome::TimeLimit);
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
}

#[test]
fn a_huge_grounding_ends_by_time() {
    let wide = format!(
        "(:action wide :parameters ({EIGHT}) :precondition (not (= ?a ?b)) :effect (by ?h ?i))"
    );
    let limits = SearchLimits { time: Some(Duration::from_secs(1)), memory: None };
    let started = Instant::now();
    let report = crowd(&wide, "(and (by o1 o2) (p))")
        .report(&SearchOptions::default().with(|options| options.limits = limits));
    assert_eq!(report.outcome, SearchOutcome::TimeLimit);
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
}

#[test]
fn a_huge_grounding_ends_by_memory() {
    let wide = format!(
        "(:action wide :parameters ({EIGHT}) :precondition (not (= ?a ?b)) :effect (by ?h ?i))"
    );
    let limits = SearchLimits { time: Some(Duration::from_secs(60)), memory: Some(50_000_000) };
    let started = Instant::now();
    let report = crowd(&wide, "(and (by o1 o2) (p))")
        .report(&SearchOptions::default().with(|options| options.limits = limits));
    assert_eq!(report.outcome, SearchOutcome::MemoryLimit);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn huge_quantifiers_end_by_time() {
    let go = "(:action go :parameters () :precondition () :effect (p))";
    ends_by_time(&crowd(
        go,
        &format!("(and (p) (forall ({EIGHT}) (or (by ?a ?b) (by ?h ?i) (> (f ?c) (f ?d)))))"),
    ));
    let effect = format!(
        "(:action go :parameters () :precondition () :effect (forall ({EIGHT}) (and (by ?a ?b) \
         (not (by ?h ?i)))))"
    );
    ends_by_time(&crowd(&effect, "(p)"));
    let condition = format!(
        "(:action go :parameters () :precondition (exists ({EIGHT}) (and (on ?a) (on ?i))) :effect \
         (forall (?o) (on ?o)))"
    );
    ends_by_time(&crowd(&condition, "(on o1)"));
    let numbers = format!(
        "(:action go :parameters () :precondition () :effect (forall ({EIGHT}) (increase (f ?a) \
         1)))"
    );
    ends_by_time(&crowd(&numbers, "(on o1)"));
}

#[test]
fn many_operators_that_are_all_applicable_end_by_time() {
    // 64,000 operators, each of which makes a new state.
    let actions = "(:action turn :parameters (?a ?b ?c) :precondition (not (by ?a ?b))
          :effect (and (by ?a ?b) (not (by ?b ?c)) (increase (x) 1)))
        (:action never :parameters () :precondition (and (> (x) 5) (< (x) (/ 1 2))) :effect (q))
        (:action on :parameters (?a) :precondition (forall (?b) (by ?b ?a)) :effect (on ?a))";
    // What is prepared for search takes its time, which the limit does not cut short.
    let started = Instant::now();
    assert_eq!(
        crowd(actions, "(and (q) (forall (?x) (on ?x)))").report(&within(1.0)).outcome,
        SearchOutcome::TimeLimit
    );
    println!("{:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
}

#[test]
fn contradictory_conditions() {
    let never = "(:action a :parameters () :precondition (and (p) (not (p))) :effect (q))
        (:action b :parameters () :precondition (and (> (x) 1) (< (x) 1)) :effect (q))
        (:action c :parameters (?x) :precondition (not (= ?x ?x)) :effect (q))
        (:action d :parameters () :precondition (not (= (x) (x))) :effect (q))
        (:action e :parameters () :precondition (< (* 2 (x)) (+ (x) (x))) :effect (q))";
    case(never, "(p) (= (x) 1)", "(q)").is_unsolvable();
    case(
        &format!("{never} (:action turn :parameters () :precondition (p) :effect (not (p)))"),
        "(p) (= (x) 1)",
        "(q)",
    )
    .is_unsolvable();
    case(UP, "(= (x) 0)", "(and (p) (not (p)))").is_unsolvable();
    // Both bounds can be passed, never at once; no bound on x, so that nothing proves it but the
    // bounds of the action.
    let tooth = "(:action up :parameters () :precondition (< (x) 9) :effect (increase (x) 1))
        (:action back :parameters () :precondition (>= (x) 9) :effect (assign (x) 0))";
    case(tooth, "(= (x) 0)", "(and (>= (x) 4) (<= (x) 3))").is_unsolvable();
}

#[test]
fn division_by_zero() {
    // In a condition: neither true nor false.
    for condition in [
        "(> (/ 1 (x)) 0)",
        "(not (> (/ 1 (x)) 0))",
        "(= (/ (x) (x)) 1)",
        "(= (* 0 (/ 1 (x))) 0)",
        "(> (/ 1 0) 0)",
    ] {
        let go = format!("(:action go :parameters () :precondition {condition} :effect (p))");
        case(&go, "(= (x) 0)", "(p)").is_unsolvable();
        if condition != "(> (/ 1 0) 0)" {
            let with_up = format!(
                "{go} {UP} (:action down :parameters () :precondition (> (x) -2) :effect (decrease \
                 (x) 1))"
            );
            case(&with_up, "(= (x) 0)", "(p)").is_solved_in(2);
        }
    }
    case(
        "(:action go :parameters () :precondition (or (q) (> (/ 1 (x)) 0)) :effect (p))",
        "(q) (= (x) 0)",
        "(p)",
    )
    .is_solved_in(1);
    case(
        "(:action go :parameters () :precondition (imply (q) (> (/ 1 (x)) 0)) :effect (p))",
        "(= (x) 0)",
        "(p)",
    )
    .is_solved_in(1);
    // In an effect: the step cannot be taken, whatever else it does.
    for effect in [
        "(assign (y) (/ 1 (x)))",
        "(scale-down (y) (x))",
        "(increase (y) (/ 0 (x)))",
        "(when (q) (scale-down (y) (x)))",
    ] {
        let go = format!("(:action go :parameters () :precondition () :effect (and (p) {effect}))");
        case(&go, "(q) (= (x) 0) (= (y) 1)", "(p)").is_unsolvable();
        let with_up = format!("{go} {UP}");
        case(&with_up, "(q) (= (x) 0) (= (y) 1)", "(p)").is_solved_in(2);
    }
    case(
        "(:action go :parameters () :precondition () :effect (and (p) (when (q) (scale-down (y) \
         (x)))))",
        "(= (x) 0) (= (y) 1)",
        "(p)",
    )
    .is_solved_in(1);
    case(
        "(:action go :parameters () :precondition () :effect (and (p) (when (> (/ 1 (x)) 0) (q))))",
        "(= (x) 0)",
        "(p)",
    )
    .is_unsolvable();
}

#[test]
fn undefined_functions() {
    let set = "(:action set :parameters () :precondition () :effect (assign (x) 3))";
    for condition in [
        "(> (x) 1)",
        "(>= (x) (x))",
        "(= (* 0 (x)) 0)",
        "(not (= (x) 5))",
        "(or (> (x) 1) (<= (x) 1))",
    ] {
        let go = format!("(:action go :parameters () :precondition {condition} :effect (p))");
        case(&go, "", "(p)").is_unsolvable();
        case(&format!("{go} {set}"), "", "(p)").is_solved_in(2);
    }
    case(UP, "", "(> (x) 0)").is_unsolvable();
    case(&format!("{UP} {set}"), "", "(> (x) 3)").is_solved_in(2);
    // The undefined amount is of a function that does not matter otherwise.
    let go = "(:action go :parameters () :precondition () :effect (and (p) (increase (y) (z))))";
    case(go, "(= (y) 0)", "(p)").is_unsolvable();
    case(go, "(= (z) 0)", "(p)").is_unsolvable();
    case(go, "(= (y) 0) (= (z) 0)", "(p)").is_solved_in(1);
}

#[test]
fn conflicting_effects() {
    let go = |effects: &str| {
        format!("(:action go :parameters () :precondition () :effect (and (p) {effects}))")
    };
    case(&go("(assign (x) 1) (increase (x) 1)"), "(= (x) 0)", "(p)").is_unsolvable();
    case(&go("(assign (x) 1) (assign (x) 2)"), "(= (x) 0)", "(p)").is_unsolvable();
    case(&go("(assign (x) 1) (assign (x) 1)"), "(= (x) 0)", "(and (p) (= (x) 1))").is_solved_in(1);
    case(&go("(when (q) (assign (x) 1)) (assign (x) 2)"), "(= (x) 0)", "(p)").is_solved_in(1);
    case(&go("(when (q) (assign (x) 1)) (assign (x) 2)"), "(q) (= (x) 0)", "(p)").is_unsolvable();
    case(&go("(not (p))"), "", "(p)").is_solved_in(1);
}

#[test]
fn several_changes_of_one_function_add_up() {
    let go = |effects: &str| {
        format!("(:action go :parameters () :precondition () :effect (and {effects}))")
    };
    case(&go("(decrease (x) 1) (increase (x) 3)"), "(= (x) 0)", "(= (x) 10)").is_solved_in(5);
    case(&go("(decrease (x) 3) (increase (x) 1)"), "(= (x) 0)", "(< (x) -9)").is_solved_in(5);
    case(&go("(scale-up (x) (/ 1 2)) (scale-up (x) 4)"), "(= (x) 1)", "(= (x) 8)").is_solved_in(3);
    let hull = format!(
        "(:action go :parameters () :precondition () :effect (and (decrease (x) 1) (increase (x) \
         3))) {}",
        hull_goal("(>= (x) 8)")
    );
    case(&hull, "(= (x) 0) (= (y) 0) (= (z) 0)", "(p)").is_solved_in(5);
}

#[test]
fn goals_of_every_form() {
    let actions = "(:action light :parameters (?x) :precondition (not (on ?x)) :effect (and (on \
                   ?x) (increase (x) 1)))
        (:action join :parameters (?x ?y) :precondition (and (on ?x) (on ?y) (not (= ?x ?y))) \
                   :effect (and (by ?x ?y) (not (on ?x))))";
    let init = "(= (x) 0)";
    case(actions, init, "(forall (?x) (on ?x))").is_solved_in(3);
    case(actions, init, "(exists (?x ?y) (by ?x ?y))").is_solved_in(3);
    case(actions, init, "(and (by one two) (not (on two)))").is_solved();
    case(actions, init, "(or (on three) (by one one))").is_solved_in(1);
    case(actions, init, "(imply (not (on one)) (on two))").is_solved_in(1);
    case(actions, init, "(forall (?x) (exists (?y) (by ?x ?y)))").is_solved();
    case(actions, init, "(exists (?x) (by ?x ?x))").is_unsolvable();
    case(actions, init, "(and (not (forall (?x) (on ?x))) (= (x) 3) (or (on one) (not (on two))))")
        .is_solved();
}

#[test]
fn conditional_effects() {
    let press = "(:action press :parameters () :precondition ()
        :effect (and (when (p) (and (not (p)) (q))) (when (and (q) (not (p))) (r)) (when (not (p)) \
                 (p))
                     (forall (?x) (when (on ?x) (increase (f ?x) 1)))))";
    case(press, "(on one) (= (f one) 0) (= (f two) 0)", "(r)").is_solved_in(3);
    case(press, "(on one) (= (f one) 0) (= (f two) 0)", "(and (= (f one) 5) (= (f two) 0))")
        .is_solved_in(5);
    case(press, "(on one) (= (f one) 0) (= (f two) 0)", "(> (f two) 0)").report(&within(0.3));
    case(press, "(on three)", "(q)").is_unsolvable();
}

/// An action with parts costs the planner what the same actions cost that are written apart.
#[test]
fn an_action_with_parts_is_searched_like_actions_written_apart() {
    let walk = "(:action walk :parameters () :precondition (>= (x) 10)
        :effect (and (decrease (x) 9) (increase (y) 1)))";
    let low = "(and (<= (x) 70) (>= (x) 0))";
    let high = "(and (> (x) 70) (<= (x) 100))";
    let merged = format!(
        "{walk} (:action charge :parameters () :precondition (or {low} {high})
        :effect (and (when (<= (x) 70) (increase (x) 30)) (when (> (x) 70) (assign (x) 100))))"
    );
    let apart = format!(
        "{walk} (:action charge-low :parameters () :precondition {low} :effect (increase (x) 30))
        (:action charge-high :parameters () :precondition {high} :effect (assign (x) 100))"
    );
    let planned = |actions: &str| {
        let case = case(actions, "(= (x) 5) (= (y) 0)", "(and (>= (y) 40) (= (x) 100))");
        let report = case.report(&within(60.0));
        let SearchOutcome::Solved(plan) = report.outcome else { panic!("{:?}", report.outcome) };
        // Walking is the first action; all others are charging.
        let charges = plan.steps.iter().map(|step| step.action.symbol.index() > 0);
        (charges.collect::<Vec<bool>>(), report.effort.expanded, report.effort.actions)
    };
    let (one, two) = (planned(&merged), planned(&apart));
    assert!(one.0.contains(&true) && one.2 == 3);
    assert_eq!(one, two);
}

/// An action with ten facets, of which only the given one is tight.
fn hull_goal(facet: &str) -> String {
    let loose = ["x", "y", "z"].iter().fold(String::new(), |mut text, name| {
        let _ = write!(
            text,
            "(<= ({name}) 1000) (>= ({name}) -1000) (<= (+ ({name}) (* 2 (x))) 5000) "
        );
        text
    });
    format!("(:action finish :parameters () :precondition (and {loose} {facet}) :effect (p))")
}

#[test]
fn points_on_facets() {
    let steps =
        "(:action right :parameters () :precondition (<= (x) 3) :effect (increase (x) (/ 1 3)))
        (:action up :parameters () :precondition (<= (y) 3) :effect (increase (y) 0.1))";
    let init = "(= (x) 0) (= (y) 0) (= (z) 0)";
    // On the line: 3 x + 10 y = 7, both only reached through thirds and tenths.
    case(
        &format!("{steps} {}", hull_goal("(= (+ (* 3 (x)) (* 10 (y))) 7) (>= (x) 1) (>= (y) 0.4)")),
        init,
        "(p)",
    )
    .is_solved_in(8);
    case(
        &format!("{steps} {}", hull_goal("(>= (x) 1) (<= (x) 1) (>= (y) 0.3) (<= (y) 0.3)")),
        init,
        "(p)",
    )
    .is_solved_in(7);
    case(&format!("{steps} {}", hull_goal("(> (x) 1) (< (x) (/ 4 3))")), init, "(p)")
        .is_unsolvable();
    case(&format!("{steps} {}", hull_goal("(> (y) 0.3) (< (y) 0.4)")), init, "(p)").is_unsolvable();
}

#[test]
fn a_facet_that_holds_exactly_is_no_obstacle_where_floats_miss_it() {
    // 0.1 + 0.2 is not 0.3 in floats; no step changes that sum.
    let steps = "(:action slide :parameters () :precondition () :effect (and (increase (x) 1) \
                 (decrease (y) (/ 1 2)) (increase (z) 1)))";
    let init = "(= (x) 1) (= (y) 1) (= (z) 0)";
    for facet in [
        "(= (+ (* 0.1 (x)) (* 0.2 (y))) 0.3)",
        "(<= (+ (* 0.1 (x)) (* 0.2 (y))) 0.3)",
        "(>= (+ (* 0.1 (x)) (* 0.2 (y))) 0.3)",
    ] {
        case(&format!("{steps} {}", hull_goal(&format!("{facet} (>= (z) 4)"))), init, "(p)")
            .is_solved_in(5);
        case(steps, init, &format!("(and {facet} (>= (z) 4))")).is_solved_in(4);
    }
    // Nor where the only step that changes the sum leads away.
    let on = "(:action on :parameters () :precondition () :effect (increase (z) 1))";
    for facet in [
        "(= (+ (* 0.1 (x)) (* 0.2 (y))) 0.3)",
        "(<= (+ (* 0.1 (x)) (* 0.2 (y))) 0.3)",
        "(>= (+ (* 0.1 (x)) (* 0.2 (y))) 0.3)",
    ] {
        for leads in ["increase", "decrease"] {
            let away = format!(
                "(:action away :parameters () :precondition () :effect (and ({leads} (x) 1) \
                 ({leads} (y) 1)))"
            );
            let finish = hull_goal(&format!("{facet} (>= (z) 4)"));
            case(&format!("{on} {away} {finish}"), init, "(p)").is_solved_in(5);
        }
    }
}

const TINY: &str = "0.000000000000000000000000000001";

#[test]
fn differences_that_only_exact_arithmetic_sees() {
    let nudge = |operator: &str| {
        format!("(:action nudge :parameters () :precondition () :effect ({operator} (x) {TINY}))")
    };
    let finish = |facet: &str| hull_goal(facet);
    let init = format!("(= (x) 1.{}1) (= (y) 1) (= (z) 0)", "0".repeat(29));
    // x is 1 + 1e-30.
    case(&nudge("decrease"), &init, "(= (x) 1)").is_solved_in(1);
    case(&nudge("decrease"), &init, "(< (x) 1)").is_solved_in(2);
    case(&nudge("decrease"), &init, "(= (x) (y))").is_solved_in(1);
    case("", &init, "(= (x) 1)").is_unsolvable();
    case("", &init, "(> (x) 1)").is_solved_in(0);
    case(&format!("{} {}", nudge("decrease"), finish("(= (x) (y))")), &init, "(p)").is_solved_in(2);
    case(&format!("{} {}", nudge("decrease"), finish("(< (x) (y))")), &init, "(p)").is_solved_in(3);
    case(
        &format!(
            "{} {}",
            nudge("increase"),
            finish("(>= (- (x) (y)) (* 3 0.000000000000000000000000000001))")
        ),
        &init,
        "(p)",
    )
    .is_solved_in(3);
    let init = "(= (x) 1) (= (y) 1) (= (z) 0)";
    case(&nudge("increase"), init, "(> (x) 1)").is_solved_in(1);
    case(&format!("{} {}", nudge("increase"), finish("(> (x) 1)")), init, "(p)").is_solved_in(2);
}

#[test]
fn contributions_that_cancel_but_for_a_trace() {
    // Each step widens the gap by 1e-30; as floats both amounts are 1.
    let step = format!(
        "(:action step :parameters () :precondition () :effect (and (increase (x) 1.{}1) (increase \
         (y) 1) (increase (z) 1)))",
        "0".repeat(29)
    );
    let init = "(= (x) 0) (= (y) 0) (= (z) 0)";
    case(&step, init, "(> (x) (y))").is_solved_in(1);
    case(&step, init, &format!("(>= (- (x) (y)) (* 3 {TINY}))")).is_solved_in(3);
    case(&format!("{step} {}", hull_goal("(> (x) (y))")), init, "(p)").is_solved_in(2);
    case(&format!("{step} {}", hull_goal(&format!("(>= (- (x) (y)) (* 3 {TINY}))"))), init, "(p)")
        .is_solved_in(4);
    case(&format!("{step} {}", hull_goal(&format!("(= (- (x) (y)) (* 2 {TINY}))"))), init, "(p)")
        .is_solved_in(3);
}

#[test]
fn coefficients_of_thirty_digits() {
    let wide = "123456789012345678901234567890";
    let next = "123456789012345678901234567891";
    let steps =
        format!("{UP} (:action over :parameters () :precondition () :effect (increase (y) 1))");
    let init = "(= (x) 1) (= (y) 0) (= (z) 0)";
    // wide·x ≥ next·y + 1 with y = 2 takes x ≥ 3.
    let facet = format!("(>= (* {wide} (x)) (+ (* {next} (y)) 1)) (= (y) 2)");
    case(&format!("{steps} {}", hull_goal(&facet)), init, "(p)").is_solved_in(5);
    let facet = format!("(= (- (* {next} (x)) (* {wide} (x))) (y)) (= (x) 2)");
    case(&format!("{steps} {}", hull_goal(&facet)), init, "(p)").is_solved_in(4);
    // One beyond what floats resolve, in the values themselves.
    let init = format!("(= (x) {wide}) (= (y) {next}) (= (z) 0)");
    case(UP, &init, "(= (x) (y))").is_solved_in(1);
    case(UP, &init, "(> (x) (y))").is_solved_in(2);
    let wide_hull = format!(
        "(:action finish :parameters () :precondition (and {}) :effect (p))",
        "(> (x) (y)) ".repeat(10)
    );
    case(&format!("{UP} {wide_hull}"), &init, "(p)").is_solved_in(3);
    let other = format!(
        "{UP} (:action turn :parameters () :precondition () :effect (increase (z) 1)) {}",
        wide_hull.replace("(> (x) (y)) (>", "(>= (z) 3) (>")
    );
    case(&other, &init, "(p)").is_solved();
}

#[test]
fn numbers_beyond_the_range_of_floats() {
    let tiny = format!("0.{}1", "0".repeat(399));
    let large = format!("1{}", "0".repeat(400));
    let step =
        format!("(:action step :parameters () :precondition () :effect (increase (x) {tiny}))");
    case(&step, "(= (x) 1)", "(> (x) 1)").is_solved_in(1);
    case(&step, "(= (x) 0)", &format!("(>= (x) (* 2 {tiny}))")).is_solved_in(2);
    case(
        &format!("(:action step :parameters () :precondition () :effect (increase (x) {large}))"),
        "(= (x) 0)",
        &format!("(>= (x) (* 2 {large}))"),
    )
    .is_solved_in(2);
    case(
        &format!("{UP} {}", hull_goal(&format!("(>= (* {tiny} (x)) (* 3 {tiny}))"))),
        "(= (x) 0) (= (y) 0) (= (z) 0)",
        "(p)",
    )
    .is_solved_in(4);
    case(UP, "(= (x) 0)", &format!("(>= (* {tiny} (x)) (* 3 {tiny}))")).is_solved_in(3);
    // A product that floats lose, scaled up again by the facet.
    let small = format!("0.{}1", "0".repeat(199));
    let scale = format!("1{}", "0".repeat(300));
    let facet = format!("(>= (* {scale} (* (y) (z))) 0.{}1)", "0".repeat(100));
    let init = format!("(= (x) 0) (= (y) {small}) (= (z) {small})");
    let larger = "(:action larger :parameters () :precondition () :effect (and (increase (y) 1) \
                  (increase (z) 1)))";
    case(&format!("{larger} {}", hull_goal(&facet)), &init, "(p)").is_solved_in(1);
    case(larger, &init, &facet).is_solved_in(0);
}

#[test]
fn products_of_variables() {
    let actions =
        "(:action wider :parameters () :precondition (<= (x) 20) :effect (increase (x) 1))
        (:action higher :parameters () :precondition (<= (y) 20) :effect (increase (y) 1))
        (:action square :parameters () :precondition (<= (z) 500) :effect (assign (z) (* (x) (y))))
        (:action grow :parameters () :precondition (and (> (x) 0) (<= (z) 500)) :effect (increase \
                   (z) (* (x) (x))))";
    let init = "(= (x) 0) (= (y) 0) (= (z) 0)";
    case(actions, init, "(= (* (x) (y)) 35)").is_solved();
    case(actions, init, "(= (z) 49)").is_solved();
    case(actions, init, "(and (>= (* (x) (x)) (+ (* (y) (y)) 9)) (= (y) 4))").is_solved();
    case(actions, init, "(< (* (x) (y)) 0)").is_unsolvable();
    let hull = hull_goal("(= (* (x) (y)) 12) (< (x) (y)) (> (* (x) (x)) 8)");
    case(&format!("{actions} {hull}"), init, "(p)").is_solved();
}

#[test]
fn a_counter_that_does_not_matter_makes_no_space_infinite() {
    let actions =
        "(:action flip :parameters () :precondition () :effect (and (q) (increase (x) 1)))
        (:action flop :parameters () :precondition (q) :effect (and (not (q)) (increase (x) (* 2 \
                   (y)))))
        (:action never :parameters () :precondition (and (q) (r)) :effect (p))
        (:action near :parameters () :precondition (not (q)) :effect (when (p) (r)))";
    case(actions, "(= (x) 0) (= (y) 1)", "(p)").is_unsolvable();
}

#[test]
fn limits_of_nothing_stop_at_once() {
    let none = SearchOptions::default()
        .with(|options| options.limits = SearchLimits { time: Some(Duration::ZERO), memory: None });
    let report = crowd(
        "(:action go :parameters (?a ?b) :precondition () :effect (by ?a ?b))",
        "(forall (?a ?b) (by ?a ?b))",
    )
    .report(&none);
    assert_eq!(report.outcome, SearchOutcome::TimeLimit);
    let none = SearchOptions::default()
        .with(|options| options.limits = SearchLimits { time: None, memory: Some(0) });
    let report = crowd(
        "(:action go :parameters (?a ?b) :precondition () :effect (by ?a ?b))",
        "(forall (?a ?b) (by ?a ?b))",
    )
    .report(&none);
    assert_eq!(report.outcome, SearchOutcome::MemoryLimit);
}

#[test]
fn a_value_that_squares_itself_ends_by_memory_and_proves_nothing() {
    let square =
        "(:action square :parameters () :precondition (and) :effect (assign (x) (* (x) (x))))";
    let outcome = case(square, "(= (x) 2)", "(= (x) 3)").outcome();
    assert_eq!(outcome, SearchOutcome::MemoryLimit);
}

#[test]
fn minimizing_finds_the_cheap_way_where_the_short_one_is_dear() {
    let actions =
        "(:action leap :parameters () :precondition (not (q)) :effect (and (q) (increase (x) 10)))
        (:action step :parameters () :precondition (and) :effect (and (p) (increase (x) 1)))
        (:action on :parameters () :precondition (p) :effect (and (q) (increase (x) 1)))";
    let domain = crate::support::domain(&format!(
        "(define (domain ways) (:requirements :adl :numeric-fluents) (:predicates (p) (q)) \
         (:functions (x)) {actions})"
    ));
    let text = "(define (problem way) (:domain ways) (:init (= (x) 0)) (:goal (q)) (:metric \
                minimize (+ (x) (* 0.5 (total-time)))))";
    let problem = crate::support::problem(&domain, text);
    let options = within(5.0).with(|options| options.minimize = true);
    let SearchOutcome::Solved(plan) = plan(&domain, &problem, &options, &|_| true).outcome else {
        panic!("no plan")
    };
    let metric = match validate(&domain, &problem, &plan, &Rational::ZERO) {
        PlanVerdict::Valid { metric } => metric.unwrap().unwrap(),
        other => panic!("{other:?}"),
    };
    assert_eq!(metric, Rational::integer(3));
}

#[test]
fn the_action_that_the_model_never_allows_is_named_with_what_it_lacks() {
    let actions = "(:action load :parameters () :precondition (and (<= (x) 3) (>= (x) 2)) :effect \
                   (p))
        (:action shake :parameters () :precondition (<= (x) 0) :effect (and (increase (x) 0.5) \
                   (q)))";
    let domain = crate::support::domain(&format!(
        "(define (domain model) (:requirements :adl :numeric-fluents) (:predicates (p) (q)) \
         (:functions (x)) {actions})"
    ));
    let problem = crate::support::problem(
        &domain,
        "(define (problem here) (:domain model) (:init (= (x) 0)) (:goal (p)))",
    );
    let blocked = surefoot_plan::blocked(&domain, &problem).unwrap();
    let names: Vec<&str> =
        blocked.iter().map(|blocked| domain.action_name(blocked.action)).collect();
    assert_eq!(names, ["load"]);
    assert!(blocked[0].achieves_goal);
    let nearest = blocked[0].nearest.as_ref().unwrap();
    let Inapplicable::Precondition(lacks) = &nearest.reason else { panic!("{:?}", nearest.reason) };
    assert_eq!(lacks.len(), 1);
}

/// A domain with functions that some problems leave without a value.
const BOATS: &str =
    "(define (domain boats) (:types boat) (:predicates (out ?b - boat)) (:functions (fuel ?b - \
     boat) (crew ?b - boat) (cost))
  (:action sail :parameters (?b - boat) :precondition (>= (fuel ?b) 1) :effect (and (out ?b) \
     (increase (cost) 1)))
  (:action row :parameters (?b - boat) :precondition (>= (crew ?b) 2) :effect (out ?b))
  (:action hire :parameters (?b - boat) :precondition (and) :effect (assign (crew ?b) 1))
  (:action drift :parameters (?b - boat) :precondition (or (out ?b) (>= (fuel ?b) 0)) :effect \
     (when (>= (fuel ?b) 9) (out ?b))))";

fn boats(init: &str, goal: &str) -> (surefoot_base::model::Domain, surefoot_base::model::Problem) {
    let domain = crate::support::domain(BOATS);
    let text = format!(
        "(define (problem p) (:domain boats) (:objects a b - boat) (:init {init}) (:goal {goal}))"
    );
    let problem = crate::support::problem(&domain, &text);
    (domain, problem)
}

#[test]
fn functions_that_never_have_a_value_are_named_with_the_actions_that_need_them() {
    // The cost is read by the goal, so that it is not taken as 0, and nobody has fuel. Who is hired
    // is one too few.
    let (domain, problem) = boats("", "(and (out a) (<= (cost) 9) (<= (fuel b) 9))");
    let blocked = surefoot_plan::blocked(&domain, &problem).unwrap();
    let writer = surefoot_base::pddl::Writer::new(&domain, &problem.objects);
    let functions = &domain.signature.functions;
    let named: Vec<(&str, Vec<&str>)> = blocked
        .iter()
        .map(|one| {
            let undefined = one
                .undefined
                .iter()
                .map(|function| functions.name(function.symbol.index()))
                .collect();
            (domain.action_name(one.action), undefined)
        })
        .collect();
    assert_eq!(named, [("sail", vec!["fuel", "cost"]), ("row", vec![]), ("drift", vec![])]);
    let goal: Vec<String> = surefoot_plan::undefined_in_goal(&domain, &problem)
        .iter()
        .map(|function| writer.ground_function(function))
        .collect();
    assert_eq!(goal, ["(cost)", "(fuel b)"]);
}

#[test]
fn a_value_that_only_some_objects_lack_is_named_with_the_nearest_step() {
    let (domain, problem) = boats("(= (fuel b) 0) (= (cost) 0)", "(out a)");
    let blocked = surefoot_plan::blocked(&domain, &problem).unwrap();
    let sail = blocked.iter().find(|one| domain.action_name(one.action) == "sail").unwrap();
    assert!(sail.undefined.is_empty() && sail.achieves_goal);
    let nearest = sail.nearest.as_ref().unwrap();
    let writer = surefoot_base::pddl::Writer::new(&domain, &problem.objects);
    // Of two boats that lack one condition each, the first is named, and what it has no value for.
    assert_eq!(writer.ground_action(&nearest.step), "(sail a)");
    let undefined: Vec<String> =
        nearest.undefined.iter().map(|function| writer.ground_function(function)).collect();
    assert_eq!(undefined, ["(fuel a)"]);
    assert!(surefoot_plan::undefined_in_goal(&domain, &problem).is_empty());
    // A value that an action may assign is not one that never is.
    let row = blocked.iter().find(|one| domain.action_name(one.action) == "row").unwrap();
    assert!(row.undefined.is_empty() && row.nearest.as_ref().unwrap().undefined.is_empty());
}

/// An effect that cannot be computed keeps an action from being taken as a precondition does, and
/// is told.
#[test]
fn an_effect_without_a_value_is_a_reason() {
    let (domain, problem) = boats("(= (fuel a) 3) (= (fuel b) 3)", "(out a)");
    let blocked = surefoot_plan::blocked(&domain, &problem).unwrap();
    let sail = blocked.iter().find(|one| domain.action_name(one.action) == "sail").unwrap();
    assert_eq!(sail.undefined.len(), 1, "the cost");
    let reason = &sail.nearest.as_ref().unwrap().reason;
    assert!(matches!(reason, Inapplicable::Effect(_)), "{reason:?}");
}

/// Steps to and fro between a few values of `x`, each of which makes the error `y` grow.
const TO_AND_FRO: &str =
    "(:action up :parameters () :precondition (<= (+ (x) (y)) 5000) :effect (and (increase (x) 1) \
     (increase (y) 0.001)))
    (:action down :parameters () :precondition (>= (- (x) (y)) -5000) :effect (and (decrease (x) \
     1) (increase (y) 0.001)))
    (:action left :parameters () :precondition (and (<= 0 (x)) (<= (x) 3)) :effect (and (p) (not \
     (q))))
    (:action right :parameters () :precondition (and (<= 0 (x)) (<= (x) 3)) :effect (and (q) (not \
     (p))))";

#[test]
fn an_error_that_grows_makes_no_state_new() {
    let bounded =
        TO_AND_FRO.replace("(<= (+ (x) (y)) 5000)", "(and (<= (+ (x) (y)) 5000) (< (x) 9))");
    let bounded =
        bounded.replace("(>= (- (x) (y)) -5000)", "(and (>= (- (x) (y)) -5000) (> (x) -9))");
    let report = case(&bounded, "(= (x) 0) (= (y) 0.5)", "(and (p) (q))").report(&within(20.0));
    assert_eq!(report.outcome, SearchOutcome::Unsolvable);
    let exact = bounded.replace("(increase (y) 0.001)", "");
    let plain = case(&exact, "(= (x) 0) (= (y) 0.5)", "(and (p) (q))").report(&within(20.0));
    assert_eq!(plain.outcome, SearchOutcome::Unsolvable);
    // States met again with a smaller error are stored once more.
    assert!(report.effort.stored <= 2 * plain.effort.stored, "{report:?} {plain:?}");
}

#[test]
fn the_way_with_the_smaller_error_is_found_though_another_was_first() {
    // The short way makes the error too large for the goal; the long one leads to the same
    // estimate.
    let actions = "(:action jump :parameters () :precondition (<= (+ (x) (y)) 1) :effect (and \
                   (increase (x) 4) (increase (y) 3)))
        (:action step :parameters () :precondition (<= (+ (x) (y)) 9) :effect (and (increase (x) \
                   1) (increase (y) (* 0.5 (y)))))";
    case(actions, "(= (x) 0) (= (y) 0.25)", "(and (= (x) 4) (<= (y) 2))").is_solved_in(4);
}

#[test]
fn where_errors_outgrow_every_gain_there_is_no_way() {
    // However often the step is taken: what it adds to the estimate is less than what it adds to
    // the error.
    let actions = "(:action step :parameters () :precondition (>= (x) 0) :effect (and (increase \
                   (x) 1) (increase (y) (+ 1 (* 0.5 (y))))))";
    let report = case(actions, "(= (x) 0) (= (y) 2)", "(>= (- (x) (y)) 1)").report(&within(20.0));
    assert_eq!(report.outcome, SearchOutcome::Unsolvable);
    assert!(report.effort.stored <= 4, "{report:?}");
}
