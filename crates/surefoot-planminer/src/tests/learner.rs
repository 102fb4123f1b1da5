//! The learner as callers see it.

use surefoot_base::assumptions::{Repair, Spec};
use surefoot_base::model::{ActionId, Domain};
use surefoot_base::pddl::{Numbers, Source, read_domain};
use surefoot_learn::{LearnerKind, Model, Trace, Unwatched, learn_with};

/// A learner of this crate.
fn find(name: &str) -> Option<&'static LearnerKind> {
    crate::LEARNERS.iter().find(|kind| kind.name == name)
}

fn learned(domain: &Domain, name: &str, spec: &Spec, texts: &[&str]) -> Model {
    let kind = find(name).unwrap();
    assert!(!kind.is_safe());
    kind.check_dials(spec).unwrap();
    let traces: Vec<Trace> =
        texts.iter().map(|text| Trace::inferred(Source::new("trace", *text))).collect();
    learn_with(
        (kind.start)(domain, spec).unwrap(),
        domain,
        Numbers::Exact,
        &traces.as_slice(),
        &Unwatched,
    )
    .unwrap()
}

fn repaired(repairs: &[Repair]) -> Spec {
    Spec::default().with(|spec| spec.repair = repairs.to_vec())
}

fn of(text: &str) -> Domain {
    read_domain(&Source::new("domain.pddl", text)).unwrap()
}

#[test]
fn planminer_loses_all_where_an_action_has_no_parameters() {
    let domain = of(
        "(define (domain d) (:predicates) (:functions (n)) (:action tick :parameters ()) (:action \
         tock :parameters ()))",
    );
    let text = "((:init (= (n) 3)) (operator: (tick)) (:state (= (n) 4)) (operator: (tick)) \
                (:state (= (n) 5)))";
    let model = learned(&domain, "planminer", &Spec::default(), &[text]);
    for id in [0, 1] {
        assert_eq!(model.missing(ActionId::from(id)).unwrap(), "lost, see below");
    }
    let why = "The authors' program crashes here: tick has no parameters. The repair `zero-arity` \
               mends that.";
    assert_eq!(model.lost(), Some(why));
    for said in [model.to_pddl(), model.summary().to_string()] {
        assert_eq!(said.matches(why).count(), 1, "{said}");
    }
    assert!(model.to_pddl().contains("; NOT SAFE: "));
    assert!(model.summary().to_string().contains("NOT SAFE: "));
    assert!(model.certificate().is_none());
    let model =
        learned(&domain, "planminer", &repaired(&[Repair::ZeroArity, Repair::NoClock]), &[text]);
    assert!(model.to_pddl().contains("(increase (n) 1)"), "{model}");
    assert_eq!(model.missing(ActionId::from(1)), Some("never observed"));
}

#[test]
fn planminer_loses_all_where_a_rule_is_about_the_clock() {
    let domain = of(
        "(define (domain d) (:predicates (on ?x)) (:functions) (:action start :parameters (?x)) \
         (:action stop :parameters (?x)))",
    );
    let text =
        "((:init) (operator: (start a)) (:state (on a)) (operator: (stop a)) (:state) (operator: \
         (start a)) (:state (on a))
        (operator: (stop a)) (:state))";
    // Twice at the same place: the clock is 1 before a stop and 2 after it, so that 2 is an effect.
    // (The 1 after a start is taken for the clock's own change.)
    let single = "((:init) (operator: (start a)) (:state (on a)) (operator: (stop a)) (:state))";
    let model = learned(&domain, "planminer", &Spec::default(), &[single, single]);
    let lost = model.lost().unwrap();
    assert!(
        lost.contains(
            "no reader accepts: stop assigns a value to the clock. The repair `no-clock` mends \
             that."
        ),
        "{lost}"
    );
    for texts in [&[text][..], &[single, single]] {
        let model = learned(&domain, "planminer", &repaired(&[Repair::NoClock]), texts);
        let text = model.to_pddl();
        assert!(text.contains("(:action start") && text.contains("(:action stop"), "{text}");
    }
}

#[test]
fn planminer_is_the_same_however_traces_are_shared_out() {
    let domain = of(
        "(define (domain d) (:predicates (on ?x)) (:functions) (:action start :parameters (?x)) \
         (:action stop :parameters (?x)))",
    );
    let text = |last: &str| {
        format!(
            "((:init) (operator: (start a)) (:state (on a)) (operator: (stop a)) (:state) \
             (operator: ({last} a)) (:state))"
        )
    };
    let traces: Vec<Trace> = ["start", "stop", "start"]
        .map(|last| Trace::inferred(Source::new("trace", text(last))))
        .into();
    let spec = Spec::default();
    let start = || (find("planminer-repaired").unwrap().start)(&domain, &spec).unwrap();
    let whole = learn_with(start(), &domain, Numbers::Exact, &traces.as_slice(), &Unwatched)
        .unwrap()
        .to_pddl();
    let objects = |trace: &Trace| {
        let source = Source::new(
            "trace",
            text(if std::ptr::eq(trace, &traces[1]) { "stop" } else { "start" }),
        );
        let objects = surefoot_base::pddl::infer_objects(&source, &domain).unwrap();
        let trajectory =
            surefoot_base::pddl::Trajectory::read(&source, &domain, &objects, Numbers::Exact)
                .unwrap();
        (objects, trajectory)
    };
    let mut parts = [start(), start()];
    for (number, trace) in traces.iter().enumerate() {
        let (objects, trajectory) = objects(trace);
        let observed =
            surefoot_learn::Observed { number, objects: &objects, trajectory: &trajectory };
        parts[number % 2].observe(&observed).unwrap();
    }
    let [mut one, mut other] = parts;
    one.merge(&*other).unwrap();
    one.merge(&*other).unwrap();
    assert_eq!(one.conclude().unwrap().to_pddl(), whole);
    other.merge(&*one).unwrap();
    assert_eq!(other.conclude().unwrap().to_pddl(), whole);
    let (objects, trajectory) = objects(&traces[1]);
    let clash = surefoot_learn::Observed { number: 0, objects: &objects, trajectory: &trajectory };
    assert!(one.observe(&clash).is_err());
}

#[test]
fn what_the_types_of_the_domain_do_not_allow_is_left_out_and_counted() {
    let domain = of("(define (domain d) (:types box crate - thing thing) (:predicates (open ?c - \
                     crate) (near ?t - thing))
        (:action push :parameters (?t - thing)))");
    // Only crates were ever pushed, so that being open looks like a precondition of things.
    let text = "((:init (open c)) (operator: (push c)) (:state (open c) (near c)))";
    let problem = "(define (problem p) (:domain d) (:objects c - crate) (:init) (:goal (and)))";
    let objects =
        surefoot_base::pddl::read_problem(&Source::new("p", problem), &domain, Numbers::Exact)
            .unwrap()
            .objects;
    let traces = [Trace::new(Source::new("trace", text), &objects)];
    let kind = find("planminer-repaired").unwrap();
    let start = (kind.start)(&domain, &Spec::default()).unwrap();
    let model = learn_with(start, &domain, Numbers::Exact, &traces.as_slice(), &Unwatched).unwrap();
    let text = model.to_pddl();
    assert!(text.contains("do not allow them: 1 of its literals"), "{text}");
    assert!(!text.contains("(open ?t)") && text.contains("(near ?t)"), "{text}");
    read_domain(&Source::new("model", text.clone())).unwrap();
}

#[test]
fn dials_of_planminer_are_refused_by_safe_learners_and_the_other_way_round() {
    let planminer = find("planminer").unwrap();
    let nsam = LearnerKind::find("nsam").unwrap();
    let own = repaired(&[Repair::Bounded]).with(|spec| spec.seed = Some(3));
    assert!(planminer.check_dials(&own).is_ok());
    assert_eq!(
        nsam.check_dials(&own).unwrap_err().to_string(),
        "N-SAM does not read repair: leave it out"
    );
    let said = find("planminer-repaired").unwrap().check_dials(&own).unwrap_err().to_string();
    assert_eq!(said, "PlanMiner, repaired does not read repair: leave it out");
    assert!(planminer.check_dials(&Spec::default().with(|spec| spec.arity = Some(1))).is_err());
    let domain = of("(define (domain d) (:predicates) (:action a :parameters ()))");
    let said = surefoot_learn::learn(&domain, &own, &[]).unwrap_err().to_string();
    assert_eq!(said, "repair: only PlanMiner reads it; the safe learners do not");
}

/// What the first line of a model says of how it was learned.
fn header_of(domain: &Domain, text: &str, name: &str, spec: &Spec) -> String {
    let model = learned(domain, name, spec, &[text]);
    model.to_pddl().lines().next().unwrap().split_once(" with ").unwrap().1.to_owned()
}

#[test]
fn the_head_says_how_planminer_was_run() {
    let domain = of("(define (domain d) (:predicates (on ?x)) (:action start :parameters (?x)))");
    let text = "((:init) (operator: (start a)) (:state (on a)))";
    let some = repaired(&[Repair::Bounded, Repair::NoClock]);
    assert_eq!(header_of(&domain, text, "planminer", &Spec::default()), "PlanMiner.");
    assert_eq!(
        header_of(&domain, text, "planminer", &some),
        "PlanMiner (repaired: no-clock, bounded)."
    );
    let more = some.with(|spec| {
        spec.seed = Some(5);
        spec.decimals = Some(0);
        spec.time_limit = Some(600);
    });
    let said = "PlanMiner (repaired: no-clock, bounded; seed 5; numbers rounded to 0 decimals; \
                time limit 600 s).";
    assert_eq!(header_of(&domain, text, "planminer", &more), said);
    assert_eq!(
        header_of(&domain, text, "planminer", &repaired(&Repair::ALL)),
        "PlanMiner, repaired."
    );
    let seeded = Spec::default().with(|spec| spec.seed = Some(5));
    assert_eq!(
        header_of(&domain, text, "planminer-repaired", &seeded),
        "PlanMiner, repaired (seed 5)."
    );
}

#[test]
fn a_time_limit_is_told_from_the_limit_of_the_original() {
    let domain = of("(define (domain d) (:predicates (on ?x)) (:action start :parameters (?x)))");
    let text = "((:init) (operator: (start a)) (:state (on a)))";
    let spec = Spec::default().with(|spec| spec.time_limit = Some(0));
    let model = learned(&domain, "planminer", &spec, &[text]);
    assert_eq!(model.lost(), Some("Stopped at the time limit of 0 s: there is no model."));
}

#[test]
fn what_planminer_learned_is_counted_and_what_it_has_not_is_not() {
    let domain = of(
        "(define (domain d) (:predicates (on ?x)) (:functions (n ?x)) (:action start :parameters \
         (?x)))",
    );
    let texts = [1, 5, 20].map(|n| {
        format!("((:init (= (n a) {n})) (operator: (start a)) (:state (on a) (= (n a) {})))", n + 1)
    });
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let model = learned(&domain, "planminer-repaired", &Spec::default(), &texts);
    let row = &model.summary().actions[0];
    assert_eq!((row.learned, row.effects, row.numeric_effects), (true, 1, 1), "{model}");
    assert_eq!((row.vectors, row.columns, row.dimension, row.refused), (None, None, None, None));
    assert!(serde_json::to_value(row).unwrap()["vectors"].is_null());
}
