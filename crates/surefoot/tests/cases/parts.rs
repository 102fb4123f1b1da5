//! Actions that behave in several ways: a battery that stops at 100, learned in two parts, checked,
//! and forged.

use std::collections::BTreeMap;

use surefoot_analysis::explain::{Asked, Explanation, Grounds};
use surefoot_base::assumptions::{Spec, misfits};
use surefoot_base::certificate::{Certificate, FORMAT, model_digest};
use surefoot_base::model::Domain;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Attempt, GroundAction, Objects, State, Universe};
use surefoot_base::parts::DeclaredParts;
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader, read_domain, read_problem};
use surefoot_check::{ModelChecker, Obligation};
use surefoot_learn::{
    Answer, Answers, LearnError, Learner, Model, Settings, Trace, learn, load, save, whole,
};

const DOMAIN: &str = "(define (domain hall) (:types robot dock)
    (:predicates (at ?r - robot ?d - dock)) (:functions (battery ?r - robot) (cost) (heat))
    (:action charge :parameters (?r - robot ?d - dock))
    (:action rest :parameters (?r - robot)))";

fn domain() -> Domain {
    read_domain(&Source::new("hall", DOMAIN)).unwrap()
}

fn objects() -> Objects {
    let text = "(define (problem p) (:domain hall) (:objects r - robot d - dock) (:init) \
                (:goal (and)))";
    read_problem(&Source::new("p", text), &domain(), Numbers::Exact).unwrap().objects
}

fn spec(parts: &str) -> Spec {
    let mut spec = Spec::default();
    let value = format!("{{\"charge\": {parts}}}");
    spec.set("parts", serde_json::from_str(&value).unwrap()).unwrap();
    spec
}

const CUT: &str = "\"(<= (battery ?r) 70)\"";
const GAP: &str = "[[\"(<= (battery ?r) 60)\"], [\"(>= (battery ?r) 80)\"]]";

/// A step of the battery that stops at 100.
fn charged(battery: i64, cost: i64) -> String {
    let after = (battery + 30).min(100);
    format!(
        "((:init (at r d) (= (battery r) {battery}) (= (cost) {cost}) (= (heat) 0)) (operator: \
         (charge r d)) (:state (at r d) (= (battery r) {after}) (= (cost) {}) (= (heat) 0)))",
        cost + 1
    )
}

fn records() -> Vec<String> {
    let levels = [0, 10, 35, 60, 70, 72, 80, 95, 100];
    let mut texts: Vec<String> =
        levels.iter().flat_map(|level| [charged(*level, 0), charged(*level, 9)]).collect();
    texts.push(
        "((:init (= (battery r) 75) (= (cost) 2) (= (heat) 0)) (failed: (charge r d)))".to_owned(),
    );
    texts
}

fn sources(texts: &[String]) -> Vec<Source> {
    let named = texts.iter().enumerate();
    named.map(|(place, text)| Source::new(format!("t{place}"), text.as_str())).collect()
}

fn learned_with(spec: &Spec, texts: &[String]) -> Result<Model, LearnError> {
    let traces: Vec<Trace> =
        sources(texts).into_iter().map(|source| Trace::new(source, &objects())).collect();
    learn(&domain(), spec, &traces)
}

fn learned(parts: &str) -> Model {
    learned_with(&spec(parts), &records()).unwrap()
}

/// What is wrong with a model, by what kind of reason.
fn verdict(text: &str, certificate: &Certificate, texts: &[String]) -> Vec<(Obligation, String)> {
    let model = read_domain(&Source::new("model", text)).unwrap();
    let given = domain();
    let mut certificate = certificate.clone();
    certificate.model = model_digest(&model);
    let mut checker = ModelChecker::new(&given, &model, &certificate);
    for source in sources(texts) {
        checker.read(&source, &objects()).unwrap();
    }
    checker.finish().into_iter().map(|reason| (reason.kind, reason.what)).collect()
}

/// What is wrong with the header of a model.
fn wrong_header(text: &str, certificate: &Certificate, texts: &[String]) -> Vec<String> {
    let model = read_domain(&Source::new("model", text)).unwrap();
    let given = domain();
    let mut checker = ModelChecker::new(&given, &model, certificate);
    for source in sources(texts) {
        checker.read(&source, &objects()).unwrap();
    }
    checker.header_differences(text).into_iter().map(|reason| reason.what).collect()
}

/// A state, and whether a model allows to charge in it, and what it then says of the battery.
fn after(model: &Domain, battery: &str) -> Option<String> {
    let objects = objects();
    let text = format!(
        "((:init (at r d) (= (battery r) {battery}) (= (cost) 4) (= (heat) 0)) (failed: (charge r \
         d)))"
    );
    let source = Source::new("probe", text);
    let given = domain();
    let mut reader = TrajectoryReader::new(&source, &given, &objects, Numbers::Exact).unwrap();
    let entry = reader.next_entry().unwrap().unwrap();
    let Attempt { before, action, universe } = entry.event.attempt();
    let symbol = model.actions.find("charge")?.into();
    let action = GroundAction { symbol, arguments: action.arguments.clone() };
    let mut universe = universe.clone();
    let next = Semantics::new(model, &objects).successor(&action, &mut universe, before).ok()?;
    let battery = model.signature.functions.find("battery").unwrap();
    let function = surefoot_base::model::Ground {
        symbol: battery.into(),
        arguments: [objects.find("r").unwrap()].into_iter().collect(),
    };
    universe.find_value(&function).and_then(|id| next.value(id)).map(ToString::to_string)
}

#[test]
fn a_battery_that_stops_is_learned_in_two_parts_and_written_as_one_action() {
    let Err(LearnError::BadData(_)) = learned_with(&Spec::default(), &records()) else {
        panic!("no model of the class explains this")
    };
    let model = learned(CUT);
    let text = model.to_pddl();
    for (battery, expected) in
        [("10", Some("40")), ("70", Some("100")), ("72", Some("100")), ("71", None), ("101", None)]
    {
        assert_eq!(after(model.for_planning(), battery).as_deref(), expected, "{battery}\n{text}");
    }
    let read_back = read_domain(&Source::new("model", &*text)).unwrap();
    assert_eq!(after(&read_back, "35").as_deref(), Some("65"));
    assert_eq!(after(&read_back, "90").as_deref(), Some("100"));
    assert_eq!(read_back, model.read_back(), "{text}");
    for part in [
        ";  - The parts of charge were declared, not found: charge--1 where (<= (battery ?r) 70); \
         charge--2 where (> (battery ?r) 70).",
        "; Learned: charge--1 from 10 steps.",
        "; Learned: charge--2 from 8 steps.",
        "; Left out: rest (never observed).",
        ":disjunctive-preconditions",
        ":conditional-effects",
        "(when (<= (battery ?r) 70)",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let names: Vec<String> =
        model.summary().actions.into_iter().map(|action| action.action).collect();
    assert_eq!(names, ["charge--1", "charge--2", "rest"]);
    let charge = domain().actions.find("charge").unwrap().into();
    assert_eq!(model.missing(charge), None);
    assert_eq!(verdict(&text, &model.certificate().unwrap(), &records()), []);
}

#[test]
fn nothing_is_learned_from_a_step_in_no_part_and_nothing_is_allowed_there() {
    let model = learned(GAP);
    let text = model.to_pddl();
    for (battery, allowed) in [("50", true), ("65", false), ("72", false), ("85", true)] {
        assert_eq!(after(model.for_planning(), battery).is_some(), allowed, "{battery}\n{text}");
    }
    assert!(
        text.contains("; Outside all parts of charge: 4 steps; nothing was learned from them."),
        "{text}"
    );
    let summary = model.summary();
    let [outside] = &summary.outside[..] else { panic!("{summary}") };
    assert_eq!((&*outside.action, outside.steps, outside.failed), ("charge", 4, 1));
    assert!(summary.to_string().contains("charge: 4 steps and 1 failed attempt are in none"));
    assert_eq!(verdict(&text, &model.certificate().unwrap(), &records()), []);
    // A step in the gap may do anything.
    let mut odd = records();
    odd.push(charged(71, 3).replace("(= (heat) 0)))", "(= (heat) 9)))"));
    let model = learned_with(&spec(GAP), &odd).unwrap();
    assert_eq!(verdict(&model.to_pddl(), &model.certificate().unwrap(), &odd), []);
    let answers = Answers::of(&model).unwrap();
    let (given, objects) = (domain(), objects());
    let source = Source::new("probe", odd.last().unwrap().as_str());
    let mut reader = TrajectoryReader::new(&source, &given, &objects, Numbers::Exact).unwrap();
    let entry = reader.next_entry().unwrap().unwrap();
    let asked = entry.event.attempt();
    assert_eq!(answers.ask(&mut answers.observer(), &objects, asked).unwrap(), Answer::Unknown);
}

#[test]
fn a_part_without_steps_is_left_out_and_the_other_is_a_plain_action() {
    let texts = &records()[..10];
    let model = learned_with(&spec(CUT), texts).unwrap();
    let text = model.to_pddl();
    assert!(!text.contains("(when") && !text.contains("(or"), "{text}");
    assert!(text.contains("; Left out: charge--2 (never observed)."), "{text}");
    assert_eq!(after(model.for_planning(), "35").as_deref(), Some("65"));
    assert_eq!(verdict(&text, &model.certificate().unwrap(), texts), []);
}

#[test]
fn the_steps_that_a_header_counts_are_those_of_the_records() {
    for (parts, lines) in [
        (CUT, ["; Learned: charge--1 from 10 steps.", "; Learned: charge--2 from 8 steps."]),
        (GAP, ["; Learned: charge--1 from ", "; Outside all parts of charge: 4 steps;"]),
    ] {
        let model = learned(parts);
        let (text, certificate) = (model.to_pddl(), model.certificate().unwrap());
        assert_eq!(wrong_header(&text, &certificate, &records()), [""; 0]);
        for line in lines {
            let from = text.find(line).unwrap();
            let whole = &text[from..from + text[from..].find('\n').unwrap()];
            for forged in [
                whole.replace("from ", "from 10").replace(": 4 steps", ": 40 steps"),
                whole.replace("from ", "from 0").replace(": 4 steps", ": no steps"),
                whole.replace("charge", "rest"),
                format!("{whole}\n{}", whole.replace("from ", "from 1").replace('4', "1")),
            ] {
                let forged = text.replace(whole, &forged);
                let wrong = wrong_header(&forged, &certificate, &records());
                let counts = wrong.iter().any(|what| what.contains("counts steps otherwise"));
                assert!(counts, "{wrong:?}\n{forged}");
            }
        }
    }
}

#[test]
fn forged_parts_are_refused() {
    let model = learned(CUT);
    let (text, honest) = (model.to_pddl(), model.certificate().unwrap());
    let records = records();
    let refused = |what: &str, text: &str, certificate: &Certificate, kinds: &[Obligation]| {
        let found = verdict(text, certificate, &records);
        let met = found.iter().any(|(kind, _)| kinds.contains(kind));
        assert!(met, "{what}: {found:?}\n{text}");
    };
    let with = |parts: [&str; 2]| {
        let mut certificate = honest.clone();
        let listed = parts.map(|test| vec![test.to_owned()]).to_vec();
        let listed = DeclaredParts::Listed(listed);
        certificate.assumptions.spec.parts = BTreeMap::from([("charge".to_owned(), listed)]);
        certificate
    };
    use Obligation::{Certificate as Lie, Condition, Effect, Facet};
    // A test is loosened in the model alone, or in the certificate, too.
    let loose = text.replace("(> (battery ?r) 70)", "(> (battery ?r) 60)");
    refused("a looser test", &loose, &honest, &[Lie]);
    refused(
        "parts that overlap",
        &loose,
        &with(["(<= (battery ?r) 70)", "(> (battery ?r) 60)"]),
        &[Lie],
    );
    let touching = text.replace("(> (battery ?r) 70)", "(>= (battery ?r) 70)");
    let both = with(["(<= (battery ?r) 70)", "(>= (battery ?r) 70)"]);
    refused("parts that touch", &touching, &both, &[Lie]);
    let moved = loose.replace("(<= (battery ?r) 70)", "(<= (battery ?r) 60)");
    let both = with(["(<= (battery ?r) 60)", "(> (battery ?r) 60)"]);
    refused("records in another part", &moved, &both, &[Condition, Effect, Facet, Lie]);
    // Nothing shows that the parts are disjoint.
    let mut unproved = honest.clone();
    unproved.disjoint.clear();
    refused("no proof", &text, &unproved, &[Lie]);
    for weights in [vec![(0, "1"), (1, "-1")], vec![(0, "1"), (1, "2")], vec![(7, "1")], vec![]] {
        let mut forged = honest.clone();
        let proof = &mut forged.disjoint.get_mut("charge").unwrap()[0];
        proof.weights = weights.into_iter().map(|(test, by)| (test, by.to_owned())).collect();
        refused("a proof that does not add up", &text, &forged, &[Lie]);
    }
    // The parts are not mentioned at all.
    let mut silent = honest.clone();
    silent.assumptions.spec.parts.clear();
    silent.disjoint.clear();
    silent.format = FORMAT;
    assert!(!verdict(&text, &silent, &records).is_empty());
    let mut old = honest.clone();
    old.format = FORMAT;
    refused("an older format", &text, &old, &[Lie]);
    // What one part rests on is said of the other.
    let mut swapped = honest.clone();
    let one = swapped.actions.remove("charge--1").unwrap();
    let other = swapped.actions.insert("charge--2".to_owned(), one).unwrap();
    swapped.actions.insert("charge--1".to_owned(), other);
    assert!(!verdict(&text, &swapped, &records).is_empty());
    // Effects of one part happen in the other, or in both, or one part has none.
    let (first, second) = ("(when (<= (battery ?r) 70)", "(when (> (battery ?r) 70)");
    let crossed =
        text.replace(first, "(when FIRST").replace(second, first).replace("(when FIRST", second);
    refused("crossed effects", &crossed, &honest, &[Lie]);
    let more = text.replace(first, "(increase (heat) 1)\n      (when (<= (battery ?r) 70)");
    refused("an effect beside the parts", &more, &honest, &[Lie]);
    let start = text.find("(or\n").unwrap();
    let open = format!("{}(or (at ?r ?d) {}", &text[..start], &text[start + 3..]);
    refused("an alternative without tests", &open, &honest, &[Lie]);
    let wrong = text.replace("(assign (battery ?r) 100)", "(assign (battery ?r) 99)");
    assert_ne!(wrong, text);
    refused("another effect", &wrong, &honest, &[Effect]);
}

#[test]
fn a_step_outside_a_part_that_changes_what_is_not_listed_leaves_the_part_out() {
    let mut spec = spec(CUT);
    let listed = serde_json::json!({"charge": ["(battery ?r)", "(cost)"]});
    spec.set("relevant", listed).unwrap();
    let model = learned_with(&spec, &records()).unwrap();
    assert_eq!(verdict(&model.to_pddl(), &model.certificate().unwrap(), &records()), []);
    let (text, honest) = (model.to_pddl(), model.certificate().unwrap());
    // In the high part the heat changes, too: nothing says that it does not in the low one.
    let hot = |(place, text): (usize, &String)| match place {
        10..18 => text.replace("(= (heat) 0)))", "(= (heat) 5)))"),
        _ => text.clone(),
    };
    let records: Vec<String> = records().iter().enumerate().map(hot).collect();
    let model = learned_with(&spec, &records).unwrap();
    let charge = domain().actions.find("charge").unwrap().into();
    let missing = model.missing(charge);
    let part = model.summary().actions.into_iter().next().unwrap();
    assert!(!part.learned && part.result.contains("(heat)"), "{missing:?} {part:?}");
    let mut forged = honest.clone();
    forged.traces = model.certificate().unwrap().traces;
    let found = verdict(&text, &forged, &records);
    let said = |(kind, what): &(Obligation, String)| {
        *kind == Obligation::Effect && what.contains("outside this part")
    };
    assert!(found.iter().any(said), "{found:?}");
    // Likewise where such a step is in no part.
    let mut gap = self::spec(GAP);
    gap.relevant = spec.relevant.clone();
    let mut records = self::records();
    records.push(charged(71, 3).replace("(= (heat) 0)))", "(= (heat) 5)))"));
    let model = learned_with(&gap, &records).unwrap();
    assert!(model.missing(charge).is_some_and(|why| why.contains("(heat)")), "{model}");
}

#[test]
fn combinations_without_a_promise_are_refused() {
    let with = |name: &str, value: serde_json::Value| {
        let mut spec = spec(CUT);
        spec.set(name, value).unwrap();
        learned_with(&spec, &records()).unwrap_err().to_string()
    };
    assert!(with("error", "0.5".into()).contains("exact where actions have parts"));
    assert!(with("algorithm", "sam".into()).contains("SAM looks at no numbers"));
    let literal = {
        let mut spec = spec("\"(at ?r ?d)\"");
        spec.set("algorithm", "sam".into()).unwrap();
        learned_with(&spec, &records()).unwrap()
    };
    assert_eq!(verdict(&literal.to_pddl(), &literal.certificate().unwrap(), &records()), []);
    let unknown = learned_with(&spec("\"(hot ?r)\""), &records()).unwrap_err().to_string();
    assert!(unknown.starts_with("parts: charge: (hot ?r): "), "{unknown}");
    // A cut that is not where the behaviour changes.
    let wrong = learned_with(&spec("\"(<= (battery ?r) 20)\""), &records()).unwrap_err();
    assert!(matches!(&wrong, LearnError::BadData(_)));
    assert!(wrong.to_string().contains("charge--2"), "{wrong}");
}

#[test]
fn evidence_with_other_parts_is_of_another_class() {
    let given = domain();
    let [one, other, none] =
        [spec(CUT), spec(GAP), Spec::default()].map(|spec| Learner::of(&given, &spec).unwrap());
    assert_eq!(one.differing(&other), ["parts"]);
    assert_eq!(one.differing(&none), ["parts"]);
    assert!(one.has_domain_of(&none));
    let mut seen = other.empty();
    let mut texts = records();
    texts.push(charged(71, 3));
    for source in sources(&texts) {
        seen.read(&source, &objects()).unwrap();
    }
    let bytes = save(&seen).unwrap();
    let again = load(&bytes).unwrap();
    assert_eq!(save(&again).unwrap(), bytes);
    assert_eq!(again.history(), seen.history());
    assert!(again.history().outside.values().any(|counts| counts[0].steps == 1));
    // Dials may name a part.
    let mut marked = spec(GAP);
    let marks = serde_json::json!({"charge--2": {"(cost)": "any"}});
    marked.set("monotone", marks).unwrap();
    let settings = Settings::of_spec(&marked, &again).unwrap();
    assert_eq!(settings.monotone.keys().map(|id| id.index()).collect::<Vec<_>>(), [1]);
}

#[test]
fn bodies_that_the_parts_cover_are_inside_the_class() {
    let body = "(:action charge :parameters (?r - robot ?d - dock)
        :precondition (and (at ?r ?d) (or (<= (battery ?r) 60) (> (battery ?r) 70) (at ?r ?d)))
        :effect (and (when (<= (battery ?r) 70) (increase (battery ?r) 30))
                     (when (> (battery ?r) 70) (assign (battery ?r) 100))))";
    let text = DOMAIN.replace("(:action charge :parameters (?r - robot ?d - dock))", body);
    let found = |text: &str, parts: &str| {
        let domain = read_domain(&Source::new("hall", text)).unwrap();
        let assumptions = surefoot_base::assumptions::Assumptions {
            spec: spec(parts),
            ..surefoot_base::assumptions::Assumptions::default()
        };
        misfits(&domain, &assumptions).len()
    };
    // Within the low part the disjunction is still there.
    assert_eq!(found(&text, CUT), 1);
    let plain = text.replace("(or (<= (battery ?r) 60) (> (battery ?r) 70) (at ?r ?d))", "(and)");
    assert_eq!(found(&plain, CUT), 0);
    assert!(found(&plain, "\"(<= (battery ?r) 60)\"") > 0);
    let implied = plain.replace("(and)", "(imply (<= (battery ?r) 70) (at ?r ?d))");
    assert_eq!(found(&implied, CUT), 0);
}

#[test]
fn whole_hulls_are_those_of_the_parts() {
    let levels = [(0, 3), (10, 9), (25, 1), (40, 12), (55, 2), (70, 7), (72, 1), (80, 9), (90, 3)];
    let texts: Vec<String> = levels.iter().map(|&(battery, cost)| charged(battery, cost)).collect();
    let spec = Spec { facet_budget: 3, ..spec(CUT) };
    let model = learned_with(&spec, &texts).unwrap();
    assert!(model.summary().actions.iter().any(|action| action.inner), "{model}");
    let certificate = model.certificate().unwrap();
    assert_eq!(verdict(&model.to_pddl(), &certificate, &texts), []);
    let written = read_domain(&Source::new("model", model.to_pddl())).unwrap();
    let whole = whole(&written, &certificate).unwrap();
    for battery in (0..=100).map(|level| level.to_string()) {
        assert_eq!(
            after(&whole, &battery),
            after(model.for_states(), &battery),
            "{battery}\n{model}"
        );
    }
}

#[test]
fn explanations_say_which_part_a_state_is_in() {
    let model = learned(GAP);
    let (given, objects) = (domain(), objects());
    let grounds = model.grounds().unwrap();
    let charge = given.actions.find("charge").unwrap().into();
    let lines = |battery: &str, cost: &str| -> Vec<String> {
        let text = format!(
            "((:init (at r d) (= (battery r) {battery}) (= (cost) {cost}) (= (heat) 0)) (failed: \
             (charge r d)))"
        );
        let source = Source::new("probe", text);
        let mut reader = TrajectoryReader::new(&source, &given, &objects, Numbers::Exact).unwrap();
        let entry = reader.next_entry().unwrap().unwrap();
        let Attempt { before, action, universe } = entry.event.attempt();
        let (state, universe): (&State, &Universe) = (before, universe);
        let asked = Asked { step: action, objects: &objects, universe, state };
        let grounds = Some(Grounds {
            learner: &grounds.learner,
            settings: &grounds.settings,
            action: charge,
            recording: None,
        });
        let explanation = Explanation::new(model.for_states(), asked, grounds).unwrap();
        explanation.lines(model.for_states(), asked, grounds, "more")
    };
    let low = lines("20", "90");
    assert!(
        low[1].contains("in the part charge--1 of charge, where (<= (battery ?r) 60)"),
        "{low:?}"
    );
    assert!(low.iter().any(|line| line.contains("cost")), "{low:?}");
    let between = lines("70", "2");
    assert!(between[1].contains("in no part of charge"), "{between:?}");
    assert!(between[1].contains("(<= (battery ?r) 60); (>= (battery ?r) 80)"), "{between:?}");
    assert_eq!(between.len(), 2, "{between:?}");
    assert!(lines("20", "1")[0].ends_with("is applicable"));
}

#[test]
fn a_chosen_number_may_decide_the_part() {
    let text = "(define (domain bank) (:types fine - object amount - chosen-number chosen-number - \
                object) (:functions (total ?f - fine) (value ?n - chosen-number)) (:action pay \
                :parameters (?f - fine ?paid - amount)))";
    let given = read_domain(&Source::new("bank", text)).unwrap();
    let objects = |paid: i64| {
        let text = format!(
            "(define (problem p) (:domain bank) (:objects f - fine n{paid} - amount) (:init) \
             (:goal (and)))"
        );
        read_problem(&Source::new("p", text), &given, Numbers::Exact).unwrap().objects
    };
    // What is paid beyond the fine is given back.
    let step = |total: i64, paid: i64| {
        let left = (total - paid).max(0);
        let (value, call) = (format!("(= (value n{paid}) {paid})"), format!("(pay f n{paid})"));
        let text = format!(
            "((:init (= (total f) {total}) {value})\n(operator: {call})\n(:state (= (total f) \
             {left}) {value}))"
        );
        (Source::new(format!("{total}-{paid}"), text), objects(paid))
    };
    let steps: Vec<(Source, Objects)> =
        [(10, 2), (20, 3), (30, 30), (12, 9), (5, 8), (7, 30), (1, 2), (0, 1)]
            .map(|(total, paid)| step(total, paid))
            .to_vec();
    let mut spec = Spec::default();
    let cut = serde_json::json!({"pay": "(<= (value ?paid) (total ?f))"});
    spec.set("parts", cut).unwrap();
    let traces: Vec<Trace> =
        steps.iter().map(|(source, objects)| Trace::new(source.clone(), objects)).collect();
    let model = learn(&given, &spec, &traces).unwrap();
    let (text, certificate) = (model.to_pddl(), model.certificate().unwrap());
    assert!(text.contains("(when (<= (value ?paid) (total ?f))"), "{text}");
    let written = read_domain(&Source::new("model", &*text)).unwrap();
    let mut checker = ModelChecker::new(&given, &written, &certificate);
    for (source, objects) in &steps {
        checker.read(source, objects).unwrap();
    }
    assert_eq!(checker.finish(), [], "{text}");
    let same = serde_json::json!({"pay": [["(= ?f ?paid)"]]});
    spec.set("parts", same).unwrap();
    let refused = learn(&given, &spec, &traces).unwrap_err().to_string();
    assert!(refused.contains("pay: "), "{refused}");
}

/// Two traces with the same content count once, in one go as in parts.
#[test]
fn equal_traces_count_once_however_they_come() {
    let once = records();
    let twice = [&once[..], &once[..2]].concat();
    let spec = spec(CUT);
    let head = |model: &Model| model.to_pddl();
    assert_eq!(head(&learned_with(&spec, &twice).unwrap()), head(&learned(CUT)));
}
