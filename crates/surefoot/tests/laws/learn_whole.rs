//! Hulls by their vertices (docs/theory.md, "Too many facets"): a model whose facets exceeded the
//! budget, with the vertices of its certificate, is the model that a larger budget would have
//! given.

use std::cell::Cell;
use std::collections::BTreeMap;

use surefoot_base::certificate::Certificate;
use surefoot_base::ids::first_ids;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Condition, Domain, Problem};
use surefoot_base::pddl::{Numbers, Source, read_problem, write_domain};
use surefoot_learn::{
    CertificateMismatch, Class, ColumnId, Conclusion, LearnedAction, Learner, Monotone, Settings,
    certificate, whole,
};
use surefoot_plan::{SearchOptions, SearchOutcome, plan};

use crate::chance::Chance;
use crate::learning::{ACT, Shape, World, for_seeds, learned_domain, learner, with_bodies};

fn learned(learner: &Learner, settings: &Settings) -> Option<LearnedAction> {
    match learner.conclude(ACT, settings) {
        Conclusion::Learned(action) => Some(*action),
        _ => None,
    }
}

/// The model by facets, and its certificate as it is read back from a file.
fn concluded(
    learner: &Learner,
    action: &LearnedAction,
    settings: &Settings,
) -> (Domain, Certificate) {
    let model = with_bodies(learner.domain(), &learned_domain(learner, &[(ACT, action)]));
    let certificate = certificate(learner, settings, &model, &[(ACT, action)]);
    (model, Certificate::from_json(&certificate.to_json().unwrap()).unwrap())
}

#[test]
fn vertices_admit_what_all_facets_admit() {
    let (parts, gained, asked) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_seeds(300, |seed| {
        let mut random = Chance::new(seed);
        let signs: Vec<i32> = (0..8).map(|_| *random.of(&[2, 2, 2, -1, 1, 0])).collect();
        let mark = |(column, sign): (ColumnId, &i32)| {
            let marks = [(-1, Monotone::More), (1, Monotone::Less), (0, Monotone::Any)];
            marks.iter().find(|(known, _)| known == sign).map(|&(_, mark)| (column, mark))
        };
        let marks: BTreeMap<ColumnId, Monotone> =
            first_ids(signs.len()).zip(&signs).filter_map(mark).collect();
        let undefined = if random.percent(20) { 10 } else { 0 };
        let shape = Shape {
            functions: 3,
            signs,
            undefined,
            constant: random.percent(20),
            ..Shape::default()
        };
        let world = World::random(&mut random, &shape);
        let count = *random.of(&[6, 12, 24]);
        let steps = world.observe(&mut random, count, |_| true);
        if steps.is_empty() {
            return;
        }
        let learner = learner(&world.domain, Class::default(), &world.objects, &steps);
        let columns = &learner.vocabulary(ACT).columns;
        let marks =
            marks.into_iter().filter(|(column, _)| columns.get(*column).is_some()).collect();
        let all =
            Settings::default().with(|settings| settings.monotone = BTreeMap::from([(ACT, marks)]));
        let few = all.clone().with(|settings| settings.facet_budget = *random.of(&[1, 4, 6]));
        let (Some(exact), Some(part)) = (learned(&learner, &all), learned(&learner, &few)) else {
            return;
        };
        let (exact, _) = concluded(&learner, &exact, &all);
        let kept = part.whole();
        let (part, certificate) = concluded(&learner, &part, &few);
        let full = whole(&part, &certificate).unwrap();
        assert_eq!(write_domain(&full), write_domain(&part), "what is written stays");
        let spanned = |part: &Condition| match part {
            Condition::Within(region) => !region.set.is_complete(),
            _ => false,
        };
        if !full.action(ACT).precondition.conjuncts().iter().any(spanned) {
            return;
        }
        assert_eq!(
            kept.precondition.conjuncts().last(),
            full.action(ACT).precondition.conjuncts().last(),
            "what the learner keeps"
        );
        parts.set(parts.get() + 1);
        let [exactly, wholly, partly] =
            [&exact, &full, &part].map(|domain| Semantics::new(domain, &world.objects));
        let compiled = Compiled::new(&full);
        let mut checker = Checker::new(&compiled, &world.objects);
        for _ in 0..60 {
            let (mut universe, state, action) = world.probe(&mut random, &steps);
            let told = || {
                format!("{}\n{}\n{state:?}", write_domain(&exact), certificate.to_json().unwrap())
            };
            let here = wholly.changes(&action, &universe, &state);
            asked.set(asked.get() + 1);
            assert_eq!(
                here.is_ok(),
                exactly.applicable(&action, &universe, &state).is_ok(),
                "{here:?} {}",
                told()
            );
            match &here {
                Ok(changes) => {
                    assert_eq!(changes, &exactly.changes(&action, &universe, &state).unwrap())
                }
                Err(_) => assert!(
                    partly.applicable(&action, &universe, &state).is_err(),
                    "the part is outside {}",
                    told()
                ),
            }
            gained.set(
                gained.get()
                    + usize::from(
                        here.is_ok() && partly.applicable(&action, &universe, &state).is_err(),
                    ),
            );
            let step = checker.step(&action, &mut universe);
            assert_eq!(
                checker.applicable(step, &universe, &state),
                here.is_ok(),
                "compiled {}",
                told()
            );
        }
    });
    println!("{} parts, {} probes, {} gained", parts.get(), asked.get(), gained.get());
    let single = std::env::var("SUREFOOT_SEED").is_ok();
    assert!(
        single || parts.get() > 20 && gained.get() > 20,
        "{} parts, {} gained",
        parts.get(),
        gained.get()
    );
}

const MIXER: &str = "(define (domain mixer) (:predicates (done)) (:functions (a) (b) (c))
  (:action more :parameters () :precondition (and) :effect (increase (a) 1))
  (:action mix :parameters () :precondition (and) :effect (done)))";

/// Points of a sphere of radius 15: all 30 are vertices.
fn sphere() -> Vec<[i64; 3]> {
    let range = || -15..=15i64;
    let all = range().flat_map(|x| range().flat_map(move |y| range().map(move |z| [x, y, z])));
    all.filter(|point| point.iter().map(|value| value * value).sum::<i64>() == 225).collect()
}

fn mixer() -> (Domain, Certificate) {
    let domain = crate::learning::domain(MIXER);
    let objects = crate::learning::objects(&domain, "");
    let mut traces = Vec::new();
    for [a, b, c] in sphere() {
        let before = format!("(= (a) {a}) (= (b) {b}) (= (c) {c})");
        traces.push(format!("((:init {before}) (operator: (mix)) (:state (done) {before}))"));
        let after = format!("(= (a) {}) (= (b) {b}) (= (c) {c})", a + 1);
        traces.push(format!("((:init {before}) (operator: (more)) (:state {after}))"));
    }
    let texts: Vec<&str> = traces.iter().map(String::as_str).collect();
    let learner = crate::learning::from_text(&domain, Default::default(), &objects, &texts);
    let settings = Settings::default().with(|settings| settings.facet_budget = 12);
    let actions: Vec<_> =
        ["more", "mix"].map(|name| (crate::learning::action_id(&domain, name), name)).into();
    let learned: Vec<_> = actions
        .iter()
        .map(|&(id, name)| (id, crate::learning::learned(&learner, name, &settings)))
        .collect();
    let learned: Vec<_> = learned.iter().map(|(id, action)| (*id, action)).collect();
    let model = learned_domain(&learner, &learned);
    let certificate = certificate(&learner, &settings, &model, &learned);
    (model, certificate)
}

fn at(domain: &Domain, [a, b, c]: [i64; 3]) -> Problem {
    let text = format!(
        "(define (problem p) (:domain mixer) (:init (= (a) {a}) (= (b) {b}) (= (c) {c})) (:goal \
         (done)))"
    );
    read_problem(&Source::new("p", text), domain, Numbers::Exact).unwrap()
}

fn steps(domain: &Domain, from: [i64; 3]) -> Option<usize> {
    match plan(domain, &at(domain, from), &SearchOptions::default(), &|_| true).outcome {
        SearchOutcome::Solved(plan) => Some(plan.steps.len()),
        SearchOutcome::Unsolvable => None,
        other => panic!("{other:?}"),
    }
}

/// Every observed state is one from which the planner finds the step; with a part of the hull it
/// does not.
#[test]
fn the_planner_plans_with_the_whole_hull() {
    let (part, certificate) = mixer();
    let full = whole(&part, &certificate).unwrap();
    let sphere = sphere();
    assert!(
        sphere.iter().any(|&point| steps(&part, point) != Some(1)),
        "the budget is no limit here"
    );
    for &point in &sphere {
        assert_eq!(steps(&full, point), Some(1), "{point:?}");
    }
    assert_eq!(steps(&full, [0, 0, 0]), Some(1));
    // Just outside: one step to the right leads into the hull, and that step was seen only inside
    // it.
    assert_eq!(steps(&full, [-16, 0, 0]), None);
    assert_eq!(steps(&full, [15, 1, 0]), None);
}

#[test]
fn a_certificate_of_another_model_is_refused() {
    let (part, mut certificate) = mixer();
    let record = certificate.actions.get_mut("mix").unwrap();
    record.columns[1] = "(d)".into();
    assert_eq!(
        whole(&part, &certificate),
        Err(CertificateMismatch::Column("mix".into(), "(d)".into()))
    );
    let record = certificate.actions.get_mut("mix").unwrap();
    record.columns[1] = "(b)".into();
    record.vertices[3].pop();
    assert_eq!(whole(&part, &certificate), Err(CertificateMismatch::Vertex("mix".into(), 3)));
    let (mut other, _) = mixer();
    other.actions.value_mut(1).effect = surefoot_base::model::Effect::NONE;
    assert_eq!(whole(&other, &certificate), Err(CertificateMismatch::Model));
    // As many facets, but others: the count does not tell.
    let mut moved = part.clone();
    let text = write_domain(&moved).replacen("(<= ", "(<= 1 ", 1);
    if let Ok(read) = surefoot_base::pddl::read_domain(&Source::new("moved", text)) {
        moved = read;
        assert_eq!(whole(&moved, &certificate), Err(CertificateMismatch::Model));
    }
    let record = certificate.actions.remove("mix").unwrap();
    certificate.actions.insert("blend".into(), record);
    assert_eq!(whole(&part, &certificate), Err(CertificateMismatch::Action("blend".into())));
}
