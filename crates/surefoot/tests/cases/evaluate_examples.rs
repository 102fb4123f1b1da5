//! Each metric against a case that was computed by hand.

use surefoot_analysis::evaluate::{
    Attempt, Dataset, PlanOutcome, Walks, aligned, assumption, judge, semantic, syntactic,
};
use surefoot_base::exact::Rational;
use surefoot_base::model::ActionId;
use surefoot_base::model::compiled::Compiled;
use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{
    Numbers, Plan, Source, Trajectory, read_domain, read_plan, read_problem,
};
use surefoot_base::random::Random;
use surefoot_learn::{Class, Learner, Monotone, Settings};

fn domain(text: &str) -> Domain {
    read_domain(&Source::new("domain.pddl", text)).unwrap()
}

fn problem(domain: &Domain, text: &str) -> Problem {
    read_problem(&Source::new("problem.pddl", text), domain, Numbers::Exact).unwrap()
}

const HEAD: &str = "(define (domain tank) (:requirements :typing :fluents :negative-preconditions \
                    :equality) (:types place tank)
  (:predicates (at ?t - tank ?p - place) (road ?a ?b - place) (broken ?t - tank))
  (:functions (fuel ?t - tank) (used))";

fn real() -> Domain {
    domain(&format!(
        "{HEAD}
  (:action go :parameters (?t - tank ?a ?b - place)
    :precondition (and (at ?t ?a) (road ?a ?b) (not (= ?a ?b)) (>= (fuel ?t) 2))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (decrease (fuel ?t) 2) (increase (used) 2)))
  (:action fill :parameters (?t - tank) :precondition (<= (fuel ?t) 10) :effect (increase (fuel \
         ?t) 5))
  (:action wreck :parameters (?t - tank) :precondition (not (broken ?t)) :effect (broken ?t)))"
    ))
}

/// `go` has one literal too many and misses none, and needs more fuel than it must; `fill` uses
/// twice as much; `wreck` was not learned.
fn learned() -> Domain {
    domain(&format!(
        "{HEAD}
  (:action fill :parameters (?t - tank) :precondition (and (<= (fuel ?t) 12)) :effect (increase \
         (fuel ?t) 10))
  (:action go :parameters (?t - tank ?a ?b - place)
    :precondition (and (at ?t ?a) (road ?a ?b) (not (at ?t ?b)) (not (= ?a ?b)) (>= (fuel ?t) 4))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (broken ?t) (decrease (fuel ?t) 2) (increase (used) \
         2))))"
    ))
}

#[test]
fn syntactic_metrics_follow_the_conventions_of_the_paper() {
    let compared = syntactic::compare(&real(), &learned());
    let rows: Vec<_> = compared
        .iter()
        .map(|action| {
            let values = [
                action.precondition_precision(),
                action.precondition_recall(),
                action.effect_precision(),
                action.effect_recall(),
            ];
            (&action.action[..], values)
        })
        .collect();
    // Inequality of parameters is no literal: go has 2 real ones, 3 learned. Its effects: 2 real, 3
    // learned.
    assert_eq!(rows[0], ("go", [2.0 / 3.0, 1.0, 2.0 / 3.0, 1.0]));
    // Nothing to find and nothing found.
    assert_eq!(rows[1], ("fill", [1.0, 1.0, 1.0, 1.0]));
    // Not learned: every literal, no effect.
    assert_eq!(rows[2], ("wreck", [0.0, 1.0, 1.0, 0.0]));
    let averages = syntactic::averages(&compared).unwrap();
    assert!((averages.precondition_precision - (2.0 / 3.0 + 1.0) / 3.0).abs() < 1e-12);
    assert!((averages.effect_recall - 2.0 / 3.0).abs() < 1e-12);
    // Something to find and nothing found.
    let nothing = domain(&format!(
        "{HEAD} (:action go :parameters (?t - tank ?a ?b - place) :effect (at ?t ?b)))"
    ));
    let go = &syntactic::compare(&real(), &nothing)[0];
    assert_eq!(
        (go.precondition_precision(), go.precondition_recall(), go.effect_precision()),
        (0.0, 0.0, 1.0)
    );
}

#[test]
fn an_effect_that_deletes_and_adds_one_atom_is_two_literals() {
    let both = domain(&format!(
        "{HEAD} (:action a :parameters (?t - tank) :effect (and (not (broken ?t)) (broken ?t))))"
    ));
    let one = domain(&format!("{HEAD} (:action a :parameters (?t - tank) :effect (broken ?t)))"));
    let compared = syntactic::compare(&both, &one);
    assert_eq!((compared[0].effect_precision(), compared[0].effect_recall()), (1.0, 0.5));
}

const PROBLEM: &str = "(define (problem p) (:domain tank) (:objects t - tank a b - place)
  (:init (at t a) (road a b) (road b a) (= (fuel t) 7) (= (used) 0)) (:goal (at t b)))";

/// Recorded steps: go with fuel 7, 5 and 3 (the last only the real model allows), fill with 1, fill
/// with 11 (only the learned model allows it, it is recorded as a success that changes nothing),
/// wreck.
const TRACE: &str = "((:init (at t a) (road a b) (road b a) (= (fuel t) 7) (= (used) 0))
(operator: (go t a b))
(:state (at t b) (road a b) (road b a) (= (fuel t) 5) (= (used) 2))
(operator: (go t b a))
(:state (at t a) (road a b) (road b a) (= (fuel t) 3) (= (used) 4))
(operator: (go t a b))
(:state (at t b) (road a b) (road b a) (= (fuel t) 1) (= (used) 6))
(operator: (fill t))
(:state (at t b) (road a b) (road b a) (= (fuel t) 6) (= (used) 6))
(operator: (fill t))
(:state (at t b) (road a b) (road b a) (= (fuel t) 11) (= (used) 6))
(operator: (fill t))
(:state (at t b) (road a b) (road b a) (= (fuel t) 11) (= (used) 6))
(operator: (wreck t))
(:state (broken t) (at t b) (road a b) (road b a) (= (fuel t) 11) (= (used) 6))
)";

fn dataset(real: &Domain) -> Dataset {
    let compiled = Compiled::new(real);
    let problem = problem(real, PROBLEM);
    let trace =
        Trajectory::read(&Source::new("t", TRACE), real, &problem.objects, Numbers::Exact).unwrap();
    let mut dataset = Dataset::default();
    dataset.add_trace(&compiled, &problem.objects, &trace);
    dataset
}

#[test]
fn semantic_metrics_by_hand() {
    let (real, learned) = (real(), learned());
    let learned = aligned(&learned, &real).unwrap();
    let compared = semantic::compare(&dataset(&real), &real, &Compiled::new(&learned));
    let [go, fill, wreck] = &compared[..] else { panic!() };
    assert_eq!((go.steps, go.real, go.model, go.both), (3, 3, 2, 2));
    assert_eq!((go.precision(), go.recall()), (1.0, Some(2.0 / 3.0)));
    // The third step fails for want of fuel alone.
    assert_eq!((go.lost_boolean, go.lost_numeric, go.lost_both), (0, 1, 0));
    // Its numbers are right, but it breaks the tank.
    assert_eq!((go.error(), go.boolean_effects()), (Rational::ZERO, Some(0.0)));

    assert_eq!((fill.steps, fill.real, fill.model, fill.both), (3, 2, 3, 2));
    assert_eq!((fill.precision(), fill.recall()), (2.0 / 3.0, Some(1.0)));
    // Two functions, one of them off by 5, in each of the two steps that count: 25 / 2.
    assert_eq!(fill.error(), Rational::new(25, 2).unwrap());

    // Every step of theirs that both allow ends in another state: one breaks the tank, the other
    // fills it too much.
    assert_eq!((go.elsewhere, fill.elsewhere, wreck.elsewhere), (2, 2, 0));

    assert!(!wreck.learned);
    assert_eq!(
        (wreck.precision(), wreck.recall(), wreck.error()),
        (1.0, Some(0.0), Rational::ZERO)
    );

    let averages = semantic::averages(&compared).unwrap();
    assert!((averages.precision - (1.0 + 2.0 / 3.0 + 1.0) / 3.0).abs() < 1e-12);
    assert!((averages.recall.unwrap() - (2.0 / 3.0 + 1.0) / 3.0).abs() < 1e-12);
    assert_eq!(averages.error, Rational::new(25, 6).unwrap());
    let [boolean, numeric, both, unlearned] = averages.lost.unwrap();
    assert!((averages.recall.unwrap() + boolean + numeric + both + unlearned - 1.0).abs() < 1e-12);
    assert!((numeric - 1.0 / 9.0).abs() < 1e-12 && (unlearned - 1.0 / 3.0).abs() < 1e-12);
}

#[test]
fn a_model_compared_with_itself_is_perfect() {
    let real = real();
    let mut dataset = dataset(&real);
    let compiled = Compiled::new(&real);
    dataset.add_walks(&compiled, &problem(&real, PROBLEM), &Walks::default(), &mut Random::new(7));
    for action in semantic::compare(&dataset, &real, &compiled) {
        assert_eq!((action.precision(), action.error()), (1.0, Rational::ZERO));
        assert_eq!(action.recall(), Some(1.0), "{action:?}");
        assert_eq!((action.boolean_effects(), action.elsewhere), (Some(1.0), 0));
    }
}

#[test]
fn walks_have_the_asked_share_of_inapplicable_steps_and_depend_on_the_seed_alone() {
    let real = real();
    let compiled = Compiled::new(&real);
    let walk = |seed: u64| {
        let mut dataset = Dataset::default();
        dataset.add_walks(
            &compiled,
            &problem(&real, PROBLEM),
            &Walks::default(),
            &mut Random::new(seed),
        );
        let steps: Vec<_> = dataset
            .scenes
            .into_iter()
            .flat_map(|scene| scene.episodes)
            .flat_map(|episode| episode.steps)
            .collect();
        steps.into_iter().map(|step| (step.action, step.real.is_some())).collect::<Vec<_>>()
    };
    let first = walk(1);
    assert_eq!(first.len(), 200);
    assert_eq!(first.iter().filter(|(_, applicable)| !applicable).count(), 50);
    assert_eq!(first, walk(1));
    assert_ne!(first, walk(2));
}

#[test]
fn plans_are_judged_in_the_real_world() {
    let (real, learned) = (real(), learned());
    let task = problem(&real, PROBLEM);
    let plan = |text: &str| {
        let task = problem(&learned, PROBLEM);
        Attempt::Plan(read_plan(&Source::new("plan", text), &learned, &task.objects).unwrap())
    };
    let judged = |attempt: &Attempt| judge(attempt, &learned, &real, &task, &Rational::ZERO);
    assert_eq!(judged(&plan("(go t a b)")), PlanOutcome::Solved);
    assert_eq!(judged(&plan("(fill t)\n(fill t)\n(go t a b)")), PlanOutcome::Inapplicable);
    assert_eq!(judged(&plan("(go t a b)\n(go t b a)")), PlanOutcome::GoalUnmet);
    assert_eq!(judged(&Attempt::Plan(Plan::default())), PlanOutcome::GoalUnmet);
    assert_eq!(judged(&Attempt::Unsolvable), PlanOutcome::Unsolvable);
    assert_eq!(judged(&Attempt::Limit), PlanOutcome::Limit);
    assert_eq!(judged(&Attempt::Failed("garbage".into())), PlanOutcome::Failed);
}

#[test]
fn a_domain_of_another_order_is_aligned_by_names_and_a_foreign_one_is_refused() {
    let real = real();
    let turned = domain(
        "(define (domain tank) (:types tank place)
  (:predicates (broken ?t - tank) (road ?a ?b - place) (at ?t - tank ?p - place)) (:functions \
         (used) (fuel ?t - tank))
  (:action GO :parameters (?t - tank ?a ?b - place)
    :precondition (and (at ?t ?a) (road ?a ?b) (not (= ?a ?b)) (>= (fuel ?t) 2))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (decrease (fuel ?t) 2) (increase (used) 2))))",
    );
    let turned = aligned(&turned, &real).unwrap();
    assert_eq!(turned.actions.value(0), real.actions.value(0));
    let foreign = domain(
        "(define (domain x) (:predicates (p)) (:action go :parameters (?a ?b ?c) :precondition \
         (p)))",
    );
    assert!(aligned(&foreign, &real).unwrap_err().to_string().contains("predicate p"));
}

#[test]
fn assumptions_are_read_off_the_real_conditions() {
    let real = domain(&format!(
        "{HEAD}
  (:action go :parameters (?t - tank ?a ?b - place) :precondition (and (at ?t ?a) (>= (fuel ?t) (+ \
         (used) 1)))
    :effect (and (assign (used) (+ (fuel ?t) (used)))))
  (:action fill :parameters (?t - tank) :precondition (and (not (broken ?t)) (<= (fuel ?t) 10)) \
         :effect (increase (fuel ?t) 5)))"
    ));
    let learner = Learner::new(&real, Class::default()).unwrap();
    let count = |settings: Settings| assumption::refutations(&real, &learner, &settings).len();
    let base = Settings::default;
    assert_eq!(count(base()), 0);
    assert_eq!(count(base().with(|settings| settings.arity = Some(2))), 0);
    assert_eq!(count(base().with(|settings| settings.arity = Some(1))), 1);
    assert_eq!(count(base().with(|settings| settings.effect_arity = Some(1))), 1);
    assert_eq!(count(base().with(|settings| settings.effect_arity = Some(2))), 0);
    assert_eq!(count(base().with(|settings| settings.positive_preconditions = true)), 1);
    let go = learner.vocabulary(0usize.into());
    let column = |name: &str| {
        go.columns.position(|column| learner.written(ActionId(0), column).contains(name)).unwrap()
    };
    let marked = |name: &str, mark: Monotone| {
        let mut settings = base();
        settings.monotone.entry(ActionId(0)).or_default().insert(column(name), mark);
        count(settings)
    };
    assert_eq!(
        (
            marked("fuel", Monotone::More),
            marked("fuel", Monotone::Less),
            marked("fuel", Monotone::Any)
        ),
        (0, 1, 1)
    );
    assert_eq!(
        (
            marked("used", Monotone::More),
            marked("used", Monotone::Less),
            marked("used", Monotone::Any)
        ),
        (1, 0, 1)
    );
}

#[test]
fn a_class_that_is_too_small_is_refuted() {
    let real = domain(&format!(
        "{HEAD} (:action go :parameters (?t - tank) :precondition (>= (* (fuel ?t) (used)) 1) \
         :effect (increase (used) 1)))"
    ));
    let refuted = |degree: u32| {
        let class = Class::default()
            .with(|class| class.degree = surefoot_learn::Degree { degree, squares: false });
        assumption::refutations(&real, &Learner::new(&real, class).unwrap(), &Settings::default())
            .len()
    };
    assert_eq!((refuted(1), refuted(2)), (1, 0));
}

/// Nobody can say whether a model allows a step whose record does not tell everything, so it is no
/// test.
#[test]
fn steps_with_unknown_values_are_left_out() {
    let text = "(define (domain d) (:predicates (p)) (:action a :parameters () :precondition (p) \
                :effect (not (p))))";
    let real = surefoot_base::pddl::read_domain(&Source::new("d", text)).unwrap();
    let trace = "((:init (p)) (operator: (a)) (:state) (operator: (a)) (:state (unknown (p))) \
                 (operator: (a)) (:state)
        (operator: (a)) (:state))";
    let objects = surefoot_base::model::Objects::default();
    let trace = surefoot_base::pddl::Trajectory::read(
        &Source::new("t", trace),
        &real,
        &objects,
        Numbers::Exact,
    )
    .unwrap();
    let mut dataset = Dataset::default();
    dataset.add_trace(&Compiled::new(&real), &objects, &trace);
    assert_eq!(dataset.len(), 2);
}
