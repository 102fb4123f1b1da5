//! The checker accepts every model we learn, with every dial, and rejects tampering of every kind, with the right reason.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};

use surefoot::check::{Checker, Kind, Reason};
use surefoot::exact::Rational;
use surefoot::learn::{
    Algorithm, Certificate, Class, Conclusion, Degree, Learner, Lens, Monomial, Monotone, Settings, digest, learned_domain,
};
use surefoot::model::semantics::Semantics;
use surefoot::model::{
    Comparison, Condition, Domain, Effect, Expression, GroundAction, NumericEffect, ObjectId, Problem, Universe,
};
use surefoot::pddl::{Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_problem, write_domain, write_trajectory};

/// Objects may coincide: roads lead from a place to itself, a truck may hand its load to itself.
const REAL: &str = "(define (domain haul)
  (:types truck place)
  (:predicates (at ?t - truck ?p - place) (road ?a - place ?b - place) (clean ?t - truck))
  (:functions (fuel ?t - truck) (load ?t - truck) (length ?a - place ?b - place) (used))
  (:action drive :parameters (?t - truck ?a - place ?b - place)
    :precondition (and (at ?t ?a) (road ?a ?b) (>= (fuel ?t) (length ?a ?b)))
    :effect (and (not (at ?t ?a)) (at ?t ?b) (not (clean ?t)) (decrease (fuel ?t) (length ?a ?b)) (increase (used) (length ?a ?b))))
  (:action fill :parameters (?t - truck)
    :precondition (and (clean ?t) (<= (fuel ?t) 20))
    :effect (assign (fuel ?t) 30))
  (:action wash :parameters (?t - truck)
    :precondition (not (clean ?t))
    :effect (clean ?t))
  (:action hand :parameters (?s - truck ?r - truck ?p - place)
    :precondition (and (at ?s ?p) (at ?r ?p) (>= (load ?s) 2))
    :effect (and (decrease (load ?s) 2) (increase (load ?r) 2))))";

const PROBLEM: &str = "(define (problem p) (:domain haul)
  (:objects t1 t2 - truck a b c - place)
  (:init (at t1 a) (at t2 b) (road a b) (road b a) (road b c) (road c a) (road a a) (clean t1)
    (= (fuel t1) 11.5) (= (fuel t2) 30) (= (load t1) 9) (= (load t2) 3) (= (used) 0)
    (= (length a b) 3) (= (length b a) 4) (= (length b c) 2.5) (= (length c a) 5) (= (length a a) 1)
    (= (length b b) 0) (= (length c c) 0) (= (length c b) 7) (= (length a c) 6))
  (:goal (and)))";

fn domain() -> Domain {
    read_domain(&Source::new("haul", REAL)).unwrap()
}

fn problem(domain: &Domain) -> Problem {
    read_problem(&Source::new("p", PROBLEM), domain, Numbers::Exact).unwrap()
}

/// Random walks, as texts.
fn walks(domain: &Domain, seeds: std::ops::Range<u64>, steps: usize) -> Vec<String> {
    let problem = problem(domain);
    let semantics = Semantics::new(domain, &problem.objects);
    let objects: Vec<ObjectId> = problem.objects.ids().collect();
    let mut all: Vec<GroundAction> = Vec::new();
    for action in domain.action_ids() {
        let mut tuples: Vec<Vec<ObjectId>> = vec![Vec::new()];
        for _ in &domain.action(action).parameters {
            tuples = tuples.iter().flat_map(|t| objects.iter().map(|o| t.iter().copied().chain([*o]).collect())).collect();
        }
        all.extend(tuples.into_iter().map(|arguments| GroundAction { symbol: action, arguments: arguments.into() }));
    }
    let walk = |seed: u64| {
        let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut universe = Universe::default();
        let mut states = vec![problem.initial_state(&mut universe)];
        let mut actions = Vec::new();
        for _ in 0..steps {
            let state = states.last().unwrap().clone();
            let possible: Vec<&GroundAction> =
                all.iter().filter(|a| semantics.applicable(a, &universe, &state).is_ok()).collect();
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let Some(action) = possible.get((random % possible.len().max(1) as u64) as usize) else { break };
            states.push(semantics.successor(action, &mut universe, &state).unwrap());
            actions.push((*action).clone());
        }
        write_trajectory(domain, &problem.objects, &Trajectory { universe, states, actions })
    };
    seeds.map(walk).collect()
}

struct Learned {
    model: String,
    certificate: Certificate,
}

fn learn(domain: &Domain, class: Class, settings: &Settings, traces: &[String]) -> Learned {
    let problem = problem(domain);
    let mut learner = Learner::new(domain, class).unwrap();
    for text in traces {
        let source = Source::new("trace", text.clone());
        let mut reader = TrajectoryReader::new(&source, domain, &problem.objects, Numbers::Exact).unwrap();
        let mut lens = Lens::default();
        while let Some(step) = reader.next_transition().unwrap() {
            let observation = lens.observe(&learner, &step).unwrap();
            learner.observe(step.action.symbol, &observation);
        }
    }
    let conclusions: Vec<_> = domain.action_ids().map(|id| (id, learner.conclude(id, settings))).collect();
    let learned: Vec<_> = conclusions
        .iter()
        .filter_map(|(id, conclusion)| match conclusion {
            Conclusion::Learned(action) => Some((*id, &**action)),
            _ => None,
        })
        .collect();
    let digests = traces.iter().map(|text| digest(text)).collect();
    Learned {
        model: write_domain(&learned_domain(&learner, &learned)),
        certificate: Certificate::new(&learner, settings, &learned, digests, BTreeSet::new()),
    }
}

fn verdict(domain: &Domain, model: &str, certificate: &Certificate, traces: &[String]) -> Vec<Reason> {
    let problem = problem(domain);
    let model = read_domain(&Source::new("model", model)).unwrap_or_else(|error| panic!("{error}"));
    // What is checked is what was written and read back.
    let certificate = Certificate::from_json(&certificate.to_json().unwrap()).unwrap();
    let mut checker = Checker::new(domain, &model, &certificate);
    for text in traces {
        checker.read(&Source::new("trace", text.clone()), &problem.objects).unwrap();
    }
    checker.finish()
}

fn kinds(reasons: &[Reason]) -> BTreeSet<Kind> {
    reasons.iter().map(|reason| reason.kind).collect()
}

/// Column of a function of an action: `fuel` of `drive`.
fn column(domain: &Domain, action: &str, function: &str) -> (usize, usize) {
    let learner = Learner::new(domain, Class::default()).unwrap();
    let action = domain.actions.find(action).unwrap();
    let wanted = domain.signature.functions.find(function).unwrap();
    let vocabulary = learner.vocabulary(action.into());
    (action, vocabulary.functions.iter().position(|f| f.symbol.index() == wanted).unwrap())
}

fn dials(domain: &Domain) -> Vec<(&'static str, Class, Settings)> {
    let plain = Settings::default;
    let mut monotone: BTreeMap<usize, BTreeMap<usize, Monotone>> = BTreeMap::new();
    for (action, function, mark) in [
        ("drive", "fuel", Monotone::More),
        ("drive", "used", Monotone::Any),
        ("drive", "length", Monotone::Less),
        ("fill", "fuel", Monotone::Less),
        ("hand", "used", Monotone::Any),
    ] {
        let (action, column) = column(domain, action, function);
        monotone.entry(action).or_default().insert(column, mark);
    }
    let (drive, fuel) = column(domain, "drive", "fuel");
    let (_, length) = column(domain, "drive", "length");
    let (_, used) = column(domain, "drive", "used");
    let mut relevant = vec![Monomial(vec![fuel]), Monomial(vec![length]), Monomial(vec![used])];
    relevant.sort();
    let mapped = Class { relevant: BTreeMap::from([(drive, relevant)]), ..Class::default() };
    let quadratic = Class { degree: Degree { degree: 2, squares: false }, ..Class::default() };
    vec![
        ("plain", Class::default(), plain()),
        ("nsam", Class::default(), Settings { algorithm: Algorithm::Nsam, ..plain() }),
        ("sam", Class::default(), Settings { algorithm: Algorithm::Sam, ..plain() }),
        ("arity 1", Class::default(), Settings { arity: Some(1), ..plain() }),
        ("arity 2", Class::default(), Settings { arity: Some(2), ..plain() }),
        ("effect arity", Class::default(), Settings { arity: Some(2), effect_arity: Some(2), ..plain() }),
        ("monotone", Class::default(), Settings { monotone: monotone.clone(), ..plain() }),
        ("monotone arity 2", Class::default(), Settings { monotone: monotone.clone(), arity: Some(2), ..plain() }),
        ("positive", Class::default(), Settings { positive_preconditions: true, ..plain() }),
        ("inner", Class::default(), Settings { facet_budget: 8, ..plain() }),
        ("tiny inner", Class::default(), Settings { facet_budget: 2, ..plain() }),
        ("inner monotone", Class::default(), Settings { facet_budget: 8, monotone, ..plain() }),
        ("digits", Class::default(), Settings { digits: Some(2), ..plain() }),
        ("digits arity 2", Class::default(), Settings { digits: Some(1), arity: Some(2), ..plain() }),
        ("relevant", mapped, plain()),
        ("degree 2", quadratic, Settings { arity: Some(2), ..plain() }),
    ]
}

#[test]
fn every_learned_model_is_accepted() {
    let domain = domain();
    for (seeds, steps) in [(0..1, 1), (0..1, 2), (0..1, 6), (3..5, 12), (0..6, 40)] {
        let traces = walks(&domain, seeds, steps);
        for (name, class, settings) in dials(&domain) {
            let learned = learn(&domain, class, &settings, &traces);
            let mut reasons = verdict(&domain, &learned.model, &learned.certificate, &traces);
            // A known limit: of a flat part that equations of effects cut once more, the observations that span it are not found.
            reasons.retain(|reason| name != "tiny inner" || reason.action.as_deref() != Some("hand"));
            assert!(reasons.is_empty(), "{name}, {steps} steps: {reasons:#?}\n{}", learned.model);
        }
    }
}

#[test]
fn any_order_gives_the_same_bytes() {
    let domain = domain();
    let mut traces = walks(&domain, 0..5, 25);
    let first = learn(&domain, Class::default(), &Settings::default(), &traces).certificate.to_json().unwrap();
    traces.reverse();
    traces.push(traces[0].clone());
    assert_eq!(first, learn(&domain, Class::default(), &Settings::default(), &traces).certificate.to_json().unwrap());
}

/// Every way to change one thing in the model's actions, with a word for it.
fn tampered(model: &Domain) -> Vec<(String, Domain)> {
    let mut all = Vec::new();
    for (at, (name, action)) in model.actions.iter().enumerate() {
        let Condition::And(parts) = &action.precondition else { panic!("a conjunction") };
        let mut add = |what: String, parts: Vec<Condition>, effect: &Effect| {
            let mut changed = model.clone();
            changed.actions.value_mut(at).precondition = Condition::And(parts);
            changed.actions.value_mut(at).effect = effect.clone();
            all.push((format!("{name}: {what}"), changed));
        };
        for (index, part) in parts.iter().enumerate() {
            let mut without = parts.clone();
            without.remove(index);
            add(format!("without {part:?}"), without, &action.effect);
            if let Condition::Compare(comparison, sides) = part {
                let [left, right] = (**sides).clone();
                let more = |side: Expression| Expression::Sum(vec![side, Expression::Number(Rational::ONE)]);
                let looser = match comparison {
                    Comparison::GreaterOrEqual => Condition::Compare(*comparison, Box::new([more(left), right])),
                    Comparison::Equal => Condition::Compare(Comparison::LessOrEqual, sides.clone()),
                    _ => Condition::Compare(*comparison, Box::new([left, more(right)])),
                };
                let mut loose = parts.clone();
                loose[index] = looser;
                add(format!("loosened {part:?}"), loose, &action.effect);
            }
        }
        let Effect::And(effects) = &action.effect else { panic!("a conjunction") };
        for (index, effect) in effects.iter().enumerate() {
            let mut without = effects.clone();
            without.remove(index);
            add(format!("without {effect:?}"), parts.clone(), &Effect::And(without));
            let mut other = effects.clone();
            other[index] = match effect {
                Effect::Add(atom) => Effect::Delete(atom.clone()),
                Effect::Delete(atom) => Effect::Add(atom.clone()),
                Effect::Numeric(numeric) => Effect::Numeric(NumericEffect {
                    value: Expression::Sum(vec![numeric.value.clone(), Expression::Number(Rational::ONE)]),
                    ..numeric.clone()
                }),
                other => other.clone(),
            };
            add(format!("changed {effect:?}"), parts.clone(), &Effect::And(other));
        }
    }
    all
}

#[test]
fn tampering_is_rejected() {
    let domain = domain();
    let traces = walks(&domain, 0..3, 20);
    for (name, class, settings) in dials(&domain)
        .into_iter()
        .filter(|(name, ..)| ["plain", "arity 2", "effect arity", "monotone", "positive", "inner"].contains(name))
    {
        let learned = learn(&domain, class, &settings, &traces);
        let model = read_domain(&Source::new("model", learned.model.clone())).unwrap();
        for (what, changed) in tampered(&model) {
            let reasons = verdict(&domain, &write_domain(&changed), &learned.certificate, &traces);
            let found = kinds(&reasons);
            assert!(found.contains(&Kind::Certificate), "{name}: {what}: not noticed against the certificate: {reasons:#?}");
            // A guard may say what is true anyway: that one ground function has one value.
            if what.contains("without Or(") {
                continue;
            }
            // Whoever changes the certificate as well is found out by the steps.
            let real = [Kind::Literal, Kind::Equation, Kind::Facet, Kind::Effect, Kind::Condition];
            assert!(real.iter().any(|kind| found.contains(kind)), "{name}: {what}: {reasons:#?}");
        }
    }
}

#[test]
fn a_facet_dropped_from_both_is_rejected() {
    let domain = domain();
    let traces = walks(&domain, 0..4, 30);
    let learned = learn(&domain, Class::default(), &Settings::default(), &traces);
    let model = read_domain(&Source::new("model", learned.model.clone())).unwrap();
    let mut dropped = 0;
    for (at, (name, action)) in model.actions.iter().enumerate() {
        let Condition::And(parts) = &action.precondition else { panic!("a conjunction") };
        let inequality = |part: &Condition| matches!(part, Condition::Compare(comparison, _) if *comparison != Comparison::Equal);
        let places: Vec<usize> = (0..parts.len()).filter(|index| inequality(&parts[*index])).collect();
        for (number, place) in places.into_iter().enumerate() {
            let mut certificate = learned.certificate.clone();
            certificate.actions.get_mut(name).unwrap().facets.remove(number);
            let mut changed = model.clone();
            let mut parts = parts.clone();
            parts.remove(place);
            changed.actions.value_mut(at).precondition = Condition::And(parts);
            let reasons = verdict(&domain, &write_domain(&changed), &certificate, &traces);
            assert_eq!(kinds(&reasons), BTreeSet::from([Kind::Facet]), "{reasons:#?}");
            dropped += 1;
        }
    }
    assert!(dropped > 10);
}

#[test]
fn rounding_outward_is_rejected() {
    let domain = domain();
    let traces = walks(&domain, 0..4, 30);
    let settings = Settings { digits: Some(2), ..Settings::default() };
    let learned = learn(&domain, Class::default(), &settings, &traces);
    let rounded: Vec<&String> =
        learned.certificate.actions.iter().filter(|(_, record)| record.exact.is_some()).map(|(name, _)| name).collect();
    assert!(rounded.iter().any(|name| *name == "drive"), "{rounded:?}");
    // The exact inequalities may not be passed off as fewer, nor the rounded ones be loosened.
    let mut fewer = learned.certificate.clone();
    fewer.actions.get_mut("drive").unwrap().exact.as_mut().unwrap().remove(0);
    assert!(kinds(&verdict(&domain, &learned.model, &fewer, &traces)).contains(&Kind::Facet));
    let model = read_domain(&Source::new("model", learned.model.clone())).unwrap();
    for (what, changed) in tampered(&model).into_iter().filter(|(what, _)| what.starts_with("drive: loosened Compare(L")) {
        let reasons = verdict(&domain, &write_domain(&changed), &learned.certificate, &traces);
        assert!(!reasons.is_empty(), "{what}");
    }
}

#[test]
fn another_domain_or_other_traces_are_rejected() {
    let domain = domain();
    let traces = walks(&domain, 0..4, 30);
    let Learned { model, certificate } = learn(&domain, Class::default(), &Settings::default(), &traces);
    let other = read_domain(&Source::new("other", REAL.replace("(used))", "(used) (spent))"))).unwrap();
    assert!(kinds(&verdict(&other, &model, &certificate, &traces)).contains(&Kind::Vocabulary));

    let missing = verdict(&domain, &model, &certificate, &traces[1..]);
    assert!(kinds(&missing).contains(&Kind::Traces), "{missing:#?}");

    let mut more = traces.clone();
    more.extend(walks(&domain, 9..10, 30));
    assert!(kinds(&verdict(&domain, &model, &certificate, &more)).contains(&Kind::Traces));

    // One value of the last state, in a step that is then not reproduced.
    let mut changed = traces.clone();
    let last = changed[0].rfind("(= (used )").unwrap();
    changed[0].insert(last + "(= (used ) ".len(), '7');
    let reasons = kinds(&verdict(&domain, &model, &certificate, &changed));
    assert!(reasons.contains(&Kind::Traces) && reasons.contains(&Kind::Effect), "{reasons:?}");
    // Also when the certificate is made to name it.
    let mut forged = certificate.clone();
    forged.traces = changed.iter().map(|text| digest(text)).collect();
    assert_eq!(kinds(&verdict(&domain, &model, &forged, &changed)), BTreeSet::from([Kind::Effect]));
}

#[test]
fn untrue_certificates_are_rejected() {
    let domain = domain();
    let traces = walks(&domain, 0..4, 30);
    let Learned { model, certificate } = learn(&domain, Class::default(), &Settings::default(), &traces);
    let mut changes: Vec<Certificate> = Vec::new();
    let mut with = |change: &dyn Fn(&mut Certificate)| {
        let mut changed = certificate.clone();
        change(&mut changed);
        changes.push(changed);
    };
    with(&|c| c.actions.get_mut("drive").unwrap().observations[0][0] = "1234".into());
    with(&|c| c.actions.get_mut("drive").unwrap().observations[0][0] = "no number".into());
    with(&|c| c.actions.get_mut("drive").unwrap().facets[0].row[0] = "1/0".into());
    with(&|c| c.actions.get_mut("drive").unwrap().facets[0].observations.clear());
    with(&|c| c.actions.get_mut("drive").unwrap().facets[0].observations[0] = usize::MAX);
    with(&|c| c.actions.get_mut("drive").unwrap().facets[0].rays = vec![usize::MAX - 1]);
    with(&|c| c.actions.get_mut("drive").unwrap().arity = Some(1));
    with(&|c| drop(c.actions.remove("drive")));
    with(&|c| c.actions.get_mut("drive").unwrap().effects.clear());
    with(&|c| c.actions.get_mut("drive").unwrap().columns.clear());
    with(&|c| c.class.degree = 2);
    with(&|c| drop(c.class.relevant.insert("drive".into(), vec!["(/ 1 (fuel ?t))".into()])));
    with(&|c| c.set_aside.extend([surefoot::learn::SetAside { trace: "x".into(), step: 0 }]));
    with(&|c| c.vocabulary = String::new());
    for (index, changed) in changes.iter().enumerate() {
        assert!(!verdict(&domain, &model, changed, &traces).is_empty(), "change {index}");
    }
    assert!(Certificate::from_json("{}").is_err());
}

/// Whoever plans with the vertices trusts them: each must have been observed.
#[test]
fn a_vertex_that_was_not_observed_is_rejected() {
    let domain = domain();
    let traces = walks(&domain, 0..6, 40);
    let Learned { model, mut certificate } =
        learn(&domain, Class::default(), &Settings { facet_budget: 8, ..Settings::default() }, &traces);
    assert!(!certificate.actions["drive"].vertices.is_empty(), "the budget is no limit here");
    assert_eq!(verdict(&domain, &model, &certificate, &traces), []);
    certificate.actions.get_mut("drive").unwrap().vertices[0][0] = "1234".into();
    assert_eq!(kinds(&verdict(&domain, &model, &certificate, &traces)), BTreeSet::from([Kind::Certificate]));
}

#[test]
fn steps_set_aside_must_be_declared() {
    let domain = domain();
    let mut traces = walks(&domain, 0..3, 30);
    let Learned { model, mut certificate } = learn(&domain, Class::default(), &Settings::default(), &traces);
    // A last step that lies.
    let lie = "(operator: (wash t1))\n(:state)\n)\n";
    let end = traces[0].rfind(')').unwrap();
    traces[0].replace_range(end.., lie);
    certificate.traces = traces.iter().map(|text| digest(text)).collect();
    assert!(!verdict(&domain, &model, &certificate, &traces).is_empty());
    certificate.set_aside.insert(surefoot::learn::SetAside { trace: digest(&traces[0]), step: 30 });
    assert_eq!(verdict(&domain, &model, &certificate, &traces), []);
}
