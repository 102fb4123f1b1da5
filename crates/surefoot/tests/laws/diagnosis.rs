//! Bad data are called by their name: worlds with a known defect, of which the diagnosis has to name the function and the kind. What it
//! says to be exact is, what it offers helps, and neither the order of traces nor what else happens in a step matters.

use std::collections::{BTreeMap, BTreeSet};

use surefoot::assumptions::Spec;
use surefoot::learn::{
    Cause, Diagnosis, Job, LearnError, Learner, Model, OnBadData, Piece, Relation, Split, Trace, Unwatched, learn,
};
use surefoot::model::Domain;
use surefoot::pddl::Source;

use crate::chance::Chance;
use crate::learning::{domain, for_seeds};

const DOMAIN: &str = "(define (domain d) (:predicates (hot ?x) (wet ?x)) (:functions (a ?x) (b ?x) (c ?x) (n ?x))
    (:action act :parameters (?x)))";

/// What a step starts from, and what it does, as text of numbers.
#[derive(Clone)]
struct Case {
    hot: bool,
    wet: bool,
    before: [String; 4],
    after: [String; 4],
}

/// Integers, and what becomes of them: `a` falls by a number, `c` changes by an affine map, `n` grows by one.
struct Law {
    falls: i64,
    c: [i64; 3],
}

fn state(case: &Case, values: &[String; 4]) -> String {
    let [a, b, c, n] = values;
    let atom = |name: &str, holds: bool| if holds { format!("({name} x) ") } else { String::new() };
    let numbers = format!("(= (a x) {a}) (= (b x) {b}) (= (c x) {c}) (= (n x) {n})");
    atom("hot", case.hot) + &atom("wet", case.wet) + &numbers
}

fn traces(cases: &[Case]) -> Vec<Trace> {
    let text = |case: &Case| {
        format!("((:init {})\n(operator: (act x))\n(:state {}))", state(case, &case.before), state(case, &case.after))
    };
    let named = |(index, case)| Trace::inferred(Source::new(format!("t{index:03}"), text(case)));
    cases.iter().enumerate().map(named).collect()
}

/// A world without defects, and numbers to change: `[a, b, c, n]` before, and after.
fn world(random: &mut Chance, steps: usize) -> Vec<(Case, [i64; 4], [i64; 4])> {
    let law = Law { falls: random.between(0, 3), c: [random.between(-2, 2), random.between(1, 3), random.between(-3, 3)] };
    let step = |_| {
        let before = [random.between(0, 20), random.between(0, 9), random.between(0, 200), random.between(0, 8)];
        let [a, b, c, n] = before;
        let after = [a - law.falls, b, c + law.c[0] * a + law.c[1] * b + law.c[2], n + 1];
        let (hot, wet) = (random.percent(30), random.percent(50));
        (case(hot, wet, before, after), before, after)
    };
    (0..steps).map(step).collect()
}

fn case(hot: bool, wet: bool, before: [i64; 4], after: [i64; 4]) -> Case {
    Case { hot, wet, before: before.map(|value| value.to_string()), after: after.map(|value| value.to_string()) }
}

/// The diagnoses of some steps: the same in every order.
fn diagnoses(domain: &Domain, random: &mut Chance, cases: &[Case]) -> Vec<Diagnosis> {
    let found = |traces: &[Trace]| match learn(domain, &Spec::default(), traces) {
        Err(LearnError::BadData(bad)) => bad.diagnoses,
        Err(other) => panic!("{other}"),
        Ok(model) => panic!("a model:\n{model}"),
    };
    let mut all = traces(cases);
    let first = found(&all);
    random.shuffle(&mut all);
    assert_eq!(found(&all), first);
    first
}

fn only(found: Vec<Diagnosis>) -> Diagnosis {
    assert_eq!(found.len(), 1, "{}", found.iter().map(Diagnosis::to_string).collect::<Vec<_>>().join("\n"));
    let [only] = <[Diagnosis; 1]>::try_from(found).unwrap();
    only
}

fn learned(domain: &Domain, spec: &Spec, on_bad: OnBadData, cases: &[Case]) -> Result<Model, LearnError> {
    let start = Learner::of(domain, spec)?;
    let settings = spec.settings(&start)?;
    let all = traces(cases);
    let recording = &&all[..];
    Job { start: &start, settings: &settings, recording, policy: on_bad.into(), digests: true, progress: &Unwatched }.run()
}

/// Whether some model of the class explains all steps. Quicker than to learn one.
fn is_explained(domain: &Domain, spec: &Spec, cases: &[Case]) -> bool {
    let start = Learner::of(domain, spec).unwrap();
    let settings = spec.settings(&start).unwrap();
    let all = traces(cases);
    let (recording, policy) = (&&all[..], OnBadData::Stop.into());
    let job = Job { start: &start, settings: &settings, recording, policy, digests: false, progress: &Unwatched };
    job.sort_out(job.read(&BTreeSet::new()).unwrap()).is_ok()
}

#[test]
fn a_world_without_defects_is_explained() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let cases: Vec<Case> = world(&mut Chance::new(seed), 60).into_iter().map(|(case, ..)| case).collect();
        assert!(is_explained(&domain, &Spec::default(), &cases));
    });
}

#[test]
fn a_cap_is_named_with_what_tells_it() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let mut world = world(random, 60);
        let capped = random.between(4, 12) as usize;
        for (place, (one, before, after)) in world.iter_mut().enumerate() {
            let at_most = if place < capped { 9 } else { before[3].min(8) };
            let (mut before, mut after) = (*before, *after);
            (before[3], after[3]) = (at_most, (at_most + 1).min(9));
            *one = case(one.hot, one.wet, before, after);
        }
        let cases: Vec<Case> = world.into_iter().map(|(case, ..)| case).collect();
        let told = only(diagnoses(&domain, random, &cases));
        let Cause::Pieces { pieces, condition: Some(condition), cap: Some(cap), unchanged: false } = &told.cause else {
            panic!("{told}")
        };
        assert_eq!((&*told.about[0], &**cap, told.odd, told.steps), ("(n ?x)", "9", capped, 60), "{told}");
        assert_eq!(condition.to_string(), "(n ?x) = 9");
        let pieces: Vec<(&str, usize)> = pieces.iter().map(|piece| (&*piece.outcome, piece.steps)).collect();
        assert_eq!(pieces, [("+1", 60 - capped), ("+0", capped)]);
        let words =
            format!("act: (n ?x): +1 in {} steps, +0 in {capped}, all with (n ?x) = 9 (t000:2, t001:2, t002:2, …)", 60 - capped);
        assert!(told.to_string().starts_with(&words) && told.to_string().contains(": a cap."), "{told}");
    });
}

/// Where nothing else changes, a cap is a step that changes nothing at all, and may as well be a failed attempt.
#[test]
fn a_cap_of_the_only_function_may_be_a_failure() {
    let domain = domain("(define (domain d) (:functions (stone) (wood)) (:action act :parameters ()))");
    let text = |stone: usize, wood: usize| {
        let after = (stone + 1).min(9);
        format!(
            "((:init (= (stone) {stone}) (= (wood) {wood}))\n(operator: (act))\n(:state (= (stone) {after}) (= (wood) {wood})))"
        )
    };
    let traces: Vec<Trace> = (0..75)
        .map(|index| Trace::inferred(Source::new(format!("t{index:02}"), text(if index < 5 { 9 } else { index % 9 }, index % 4))))
        .collect();
    let Err(LearnError::BadData(bad)) = learn(&domain, &Spec::default(), &traces) else { panic!() };
    let told = only(bad.diagnoses).to_string();
    assert!(told.starts_with("act: (stone): +1 in 70 steps, +0 in 5, all with (stone) = 9 (t00:2, t01:2, t02:2, …)"), "{told}");
    assert!(told.contains("a cap") && told.contains("--unchanged failed"), "{told}");
}

/// Few steps that change nothing are no reason to look for an effect with a condition.
#[test]
fn pieces_that_change_nothing_may_be_failures() {
    let pieces = [("+1", 57), ("+0", 3)].map(|(outcome, steps)| Piece { outcome: outcome.to_owned(), steps });
    let condition = Some(Split { of: "(hot ?x)".to_owned(), relation: Relation::Holds, number: None });
    let told = |unchanged: bool| {
        let cause = Cause::Pieces { pieces: pieces.to_vec(), condition: condition.clone(), cap: None, unchanged };
        assert_eq!(cause.blames_class(), !unchanged);
        let about = vec!["(n ?x)".to_owned()];
        Diagnosis { action: "act".to_owned(), about, steps: 60, looked_at: 60, odd: 3, places: Vec::new(), twins: None, cause }
    };
    let (failed, effect) = (told(true).to_string(), told(false).to_string());
    assert!(failed.contains("attempts that failed") && failed.contains("--unchanged failed"), "{failed}");
    assert!(!failed.contains("an action of their own"), "{failed}");
    assert!(effect.contains("an action of their own") && !effect.contains("--unchanged"), "{effect}");
}

#[test]
fn an_effect_that_depends_on_an_atom_is_named_with_it() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let more = random.between(1, 5);
        let change = |(one, before, mut after): (Case, [i64; 4], [i64; 4])| {
            after[2] += if one.hot { more } else { 0 };
            case(one.hot, one.wet, before, after)
        };
        let mut cases: Vec<Case> = world(random, 80).into_iter().map(change).collect();
        cases[0].hot |= cases.iter().all(|case| !case.hot);
        let told = only(diagnoses(&domain, random, &cases));
        let Cause::Pieces { condition: Some(condition), cap: None, .. } = &told.cause else { panic!("{told}") };
        assert_eq!((&*told.about[0], &*condition.of), ("(c ?x)", "(hot ?x)"), "{told}");
        assert!(matches!(condition.relation, Relation::Holds | Relation::Fails));
    });
}

#[test]
fn a_product_is_named_and_learned_with_what_is_offered() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let (times, tails) = (random.between(1, 3), random.percent(50));
        let change = |(one, before, mut after): (Case, [i64; 4], [i64; 4])| {
            after[2] += times * before[0] * before[1];
            match tails {
                false => case(one.hot, one.wet, before, after),
                // As a program that computes in tenths prints them.
                true => Case {
                    before: before.map(|value| (value as f64 * 0.1).to_string()),
                    after: after.map(|value| (value as f64 * 0.1 + 1e-13).to_string()),
                    ..one
                },
            }
        };
        let cases: Vec<Case> = world(random, 60).into_iter().map(change).collect();
        let found = diagnoses(&domain, random, &cases);
        let told = found.iter().find(|told| told.about == ["(c ?x)"]).unwrap();
        let Cause::Product { products, squares: false, decimals, except: 0 } = &told.cause else { panic!("{told}") };
        assert_eq!((&products[..], decimals.is_some()), (&["(* (a ?x) (b ?x))".to_owned()][..], tails), "{told}");
        assert!(found.iter().all(|told| told.about == ["(c ?x)"] || matches!(told.cause, Cause::Rounding { .. })), "{found:?}");
        let spec = Spec { degree: 2, decimals: *decimals, ..Spec::default() };
        assert!(is_explained(&domain, &spec, &cases), "{told}");
    });
}

#[test]
fn tails_of_floating_point_are_rounded_away() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let tenths = |value: i64| (value as f64 * 0.1).to_string();
        let change = |(one, before, after): (Case, [i64; 4], [i64; 4])| Case {
            before: before.map(tenths),
            after: after.map(tenths),
            ..one
        };
        let mut cases: Vec<Case> = world(random, 60).into_iter().map(change).collect();
        // 0.1 + 0.2
        cases[7].after[2] =
            format!("{}0000004", cases[7].after[2].clone() + if cases[7].after[2].contains('.') { "000000" } else { ".0000000" });
        let found = diagnoses(&domain, random, &cases);
        // One tail alone may be a recording error as well.
        for told in &found {
            match told.cause {
                Cause::Rounding { decimals, except: 0 } => {
                    assert!(is_explained(&domain, &Spec { decimals: Some(decimals), ..Spec::default() }, &cases), "{told}");
                }
                Cause::Outliers => assert!(told.odd <= 3, "{told}"),
                _ => panic!("{told}"),
            }
        }
    });
}

#[test]
fn noise_is_called_noise() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let (mut cases, mut most) = (Vec::new(), 0);
        for (one, before, after) in world(random, 80) {
            let noise = random.between(-30, 30);
            most = most.max(noise.abs());
            let mut one = case(one.hot, one.wet, before, after);
            one.after[2] = format!("{}", (after[2] * 100 + noise) as f64 / 100.0);
            cases.push(one);
        }
        let told = only(diagnoses(&domain, random, &cases));
        let Cause::Inexact { within, except: 0, floating: false, product: None, .. } = told.cause else { panic!("{told}") };
        assert_eq!(told.about, ["(c ?x)"]);
        assert!(within > 0.0 && within <= 2.0 * most as f64 / 100.0, "{told}");
        assert!(told.to_string().contains("all 80 steps are within about 0."), "{told}");
        let Err(LearnError::BadData(bad)) = learned(&domain, &Spec::default(), OnBadData::Quarantine, &cases) else { panic!() };
        assert!(bad.to_string().contains("too many to be single recording errors"), "{bad}");
        // What is offered explains all steps, and is no more than the noise: half of it would do for each of two records.
        let suggestion = bad.suggestion.unwrap();
        assert_eq!((suggestion.errors.len(), &suggestion.one, &suggestion.drifts[..]), (1, &None, &[][..]), "{suggestion}");
        let error: f64 = suggestion.errors["c"].parse().unwrap();
        assert!(error > 0.0 && error <= most as f64 / 100.0, "{error}, {most}");
        assert!(suggestion.to_string().contains(&format!("--error errors.json, a file with {{\"c\": {error}}}")), "{suggestion}");
        assert!(is_explained(&domain, &assuming(&suggestion.errors), &cases), "{suggestion}");
    });
}

/// The spec that says so.
fn assuming(errors: &BTreeMap<String, String>) -> Spec {
    let mut spec = Spec::default();
    spec.set("error", serde_json::to_value(errors).unwrap()).unwrap();
    spec
}

/// A simulator that multiplies has ever more digits, and rounds.
#[test]
fn floats_of_a_simulator_lead_to_an_error_that_explains_them() {
    let domain = domain("(define (domain d) (:functions (heat)) (:action act :parameters ()))");
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let (rate, rise) = (random.between(80, 99) as f64 / 100.0, random.between(10, 40) as f64 / 10.0);
        let mut heat = random.between(10, 30) as f64;
        let mut text = format!("((:init (= (heat) {heat:?}))");
        for _ in 0..random.between(8, 40) {
            heat = rate * heat + rise;
            text += &format!("\n(operator: (act))\n(:state (= (heat) {heat:?}))");
        }
        let traces = [Trace::inferred(Source::new("t", text + ")"))];
        let Err(LearnError::BadData(bad)) = learn(&domain, &Spec::default(), &traces) else { panic!("{seed}") };
        let [Diagnosis { cause: Cause::Inexact { floating: true, .. }, .. }] = &bad.diagnoses[..] else { panic!("{bad}") };
        let suggestion = bad.suggestion.as_ref().unwrap();
        let one = suggestion.one.as_ref().unwrap();
        assert!(one.parse::<f64>().unwrap() <= 1e-13 && bad.to_string().contains(&format!(" --error {one}; ")), "{bad}");
        learn(&domain, &assuming(&suggestion.errors), &traces).unwrap();
    });
}

/// Each robot's sensor is noisy, whoever acts: most steps change what their action does not reach.
#[test]
fn a_sensor_that_no_argument_reaches_counts_as_well() {
    let domain = domain("(define (domain d) (:functions (charge ?r) (runs ?r)) (:action act :parameters (?r)))");
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let mut read = |charge: i64| (charge * 100 + random.between(-5, 5)) as f64 / 100.0;
        let mut state = |one: i64, other: i64, runs: i64| {
            format!("(= (charge a) {}) (= (charge b) {}) (= (runs a) {runs}) (= (runs b) 0)", read(one), read(other))
        };
        let mut text = format!("((:init {})", state(40, 20, 0));
        for run in 1..=30 {
            text += &format!("\n(operator: (act a))\n(:state {})", state(40 - run, 20, run));
        }
        let traces = [Trace::inferred(Source::new("t", text + ")"))];
        let Err(LearnError::BadData(bad)) = learn(&domain, &Spec::default(), &traces) else { panic!("{seed}") };
        let suggestion = bad.suggestion.as_ref().unwrap();
        assert_eq!(suggestion.errors.keys().collect::<Vec<_>>(), ["charge"], "{bad}");
        assert!(suggestion.errors["charge"].parse::<f64>().unwrap() <= 0.05, "{bad}");
        assert!(bad.to_string().contains("\ncharge changes by up to 0.") && suggestion.drifts[0].steps > 10, "{bad}");
        learn(&domain, &assuming(&suggestion.errors), &traces).unwrap();
    });
}

/// One slip of a recorder does not decide how far all records may be off: it is named, and what is offered helps.
#[test]
fn few_steps_far_off_do_not_decide_the_error() {
    let domain = domain("(define (domain d) (:functions (charge ?r) (runs ?r)) (:action act :parameters (?r)))");
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let (slip, other) = (random.between(5, 75), seed % 2 == 0);
        let mut noise = || random.between(-5, 5) as f64 / 100.0;
        let mut state = |run: i64| {
            let [one, two] = if run != slip {
                [0.0; 2]
            } else if other {
                [0.0, 7.0]
            } else {
                [7.0, 0.0]
            };
            let (one, two) = (200.0 - 2.0 * run as f64 + noise() + one, 20.0 + noise() + two);
            format!("(= (charge a) {one:.2}) (= (charge b) {two:.2}) (= (runs a) {}) (= (runs b) 0)", run * 37 % 80)
        };
        let mut states = vec![state(0)];
        states.extend((1..=80).map(&mut state));
        // Each step in a trace of its own: what a run counts is no matter.
        let trace = |run: usize| {
            let (before, after) = (&states[run], &states[run + 1]);
            let after = after.replace(&format!("(runs a) {}", (run + 1) * 37 % 80), &format!("(runs a) {}", run * 37 % 80 + 1));
            Trace::inferred(Source::new(format!("t{run}"), format!("((:init {before})\n(operator: (act a))\n(:state {after}))")))
        };
        let traces: Vec<Trace> = (0..80).map(trace).collect();
        let Err(LearnError::BadData(bad)) = learn(&domain, &Spec::default(), &traces) else { panic!("{seed}") };
        let suggestion = bad.suggestion.as_ref().unwrap();
        assert_eq!(suggestion.errors.keys().collect::<Vec<_>>(), ["charge"], "{bad}");
        assert!(suggestion.errors["charge"].parse::<f64>().unwrap() <= 0.05, "{bad}");
        let places: Vec<&str> = suggestion.places.iter().map(|place| &*place.file).collect();
        assert_eq!((suggestion.odd, &places[..]), (2, &[&*format!("t{}", slip - 1), &*format!("t{slip}")][..]), "{bad}");
        assert!(bad.to_string().contains("then add --on-bad-data quarantine"), "{bad}");
        // Typed alone, the error is not asked for again; with the steps set aside, it is learned.
        let spec = assuming(&suggestion.errors);
        let Err(LearnError::BadData(bad)) = learn(&domain, &spec, &traces) else { panic!("{seed}") };
        assert!(bad.suggestion.as_ref().is_some_and(|told| told.given && told.odd == 2), "{bad}");
        let start = Learner::of(&domain, &spec).unwrap();
        let (settings, policy) = (spec.settings(&start).unwrap(), OnBadData::Quarantine.into());
        let recording = &&traces[..];
        let job = Job { start: &start, settings: &settings, recording, policy, digests: false, progress: &Unwatched };
        let model = job.run().unwrap();
        assert_eq!(model.summary().actions[0].set_aside, Some(2));
    });
}

#[test]
fn a_few_recording_errors_are_named_and_can_be_set_aside() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let mut cases: Vec<Case> = world(random, 60).into_iter().map(|(case, ..)| case).collect();
        let wrong: BTreeSet<usize> = [random.below(60), random.below(60)].into();
        for &place in &wrong {
            cases[place].after[2] = (1000 + random.between(0, 500)).to_string();
        }
        let told = only(diagnoses(&domain, random, &cases));
        assert_eq!((&told.cause, &told.about[..]), (&Cause::Outliers, &["(c ?x)".to_owned()][..]), "{told}");
        let places: Vec<String> = told.places.iter().map(|place| place.file.clone()).collect();
        assert_eq!(places, wrong.iter().map(|place| format!("t{place:03}")).collect::<Vec<_>>(), "{told}");
        let model = learned(&domain, &Spec::default(), OnBadData::Quarantine, &cases).unwrap();
        assert_eq!(model.summary().actions[0].set_aside, Some(wrong.len()));
    });
}

#[test]
fn attempts_that_failed_and_were_logged_as_steps_are_those_that_change_nothing() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let share = *random.of(&[10, 60]);
        let fail = |(mut one, ..): (Case, [i64; 4], [i64; 4])| {
            if random.percent(share) {
                one.after = one.before.clone();
            }
            one
        };
        let cases: Vec<Case> = world(&mut Chance::new(seed + 1), 60).into_iter().map(fail).collect();
        let worked: Vec<Case> = cases.iter().filter(|one| one.before != one.after).cloned().collect();
        if worked.len() == cases.len() {
            return;
        }
        let told = only(diagnoses(&domain, &mut Chance::new(seed), &cases));
        let Cause::Unchanged { condition: None } = told.cause else { panic!("{told}") };
        assert_eq!(told.odd, cases.len() - worked.len(), "{told}");
        assert!(is_explained(&domain, &Spec::default(), &worked), "{told}");
    });
}

#[test]
fn chance_is_shown_by_two_steps_that_begin_alike() {
    let domain = domain(DOMAIN);
    for_seeds(6, |seed| {
        let random = &mut Chance::new(seed);
        let step = |_| {
            let before = [1, random.between(0, 1), random.between(0, 2), 0];
            let mut after = before;
            after[2] += random.between(1, 3);
            case(false, false, before, after)
        };
        let cases: Vec<Case> = (0..60).map(step).collect();
        let told = only(diagnoses(&domain, &mut Chance::new(seed), &cases));
        assert_eq!((&told.cause, &*told.about[0]), (&Cause::Chance, "(c ?x)"), "{told}");
        let twins = told.twins.unwrap().map(|place| cases[place.file[1..].parse::<usize>().unwrap()].clone());
        assert!(twins[0].before == twins[1].before && twins[0].after != twins[1].after);
    });
}
