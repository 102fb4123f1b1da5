//! Parts that nobody declared: a battery that stops at 100, its parts found, checked, and forged.

use surefoot_analysis::found::{find_parts, with_proposed_parts};
use surefoot_base::assumptions::Spec;
use surefoot_base::certificate::{Certificate, model_digest};
use surefoot_base::model::{Domain, Objects};
use surefoot_base::parts::{DeclaredParts, FoundParts};
use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem, write_domain};
use surefoot_check::{ModelChecker, Obligation};
use surefoot_learn::{
    Job, LearnError, Learner, Model, NoTraces, OnBadData, Settings, Trace, Unwatched, learn, load,
    save,
};

const DOMAIN: &str = "(define (domain hall) (:types robot) (:predicates (docked ?r - robot))
    (:functions (battery ?r - robot)) (:action charge :parameters (?r - robot)))";

fn domain() -> Domain {
    read_domain(&Source::new("hall", DOMAIN)).unwrap()
}

fn objects() -> Objects {
    let text = "(define (problem p) (:domain hall) (:objects r - robot) (:init) (:goal (and)))";
    read_problem(&Source::new("p", text), &domain(), Numbers::Exact).unwrap().objects
}

/// A battery that is charged by 30 and stops at 100, in a trace for each level.
fn charged(levels: impl Iterator<Item = i64>) -> Vec<String> {
    let step = |level: i64| {
        format!(
            "((:init (docked r) (= (battery r) {level})) (operator: (charge r)) (:state (docked r) \
             (= (battery r) {})))",
            (level + 30).min(100)
        )
    };
    levels.map(step).collect()
}

fn records() -> Vec<String> {
    charged((0..=66).step_by(2).chain(74..=100))
}

fn sources(texts: &[String]) -> Vec<Source> {
    let named = texts.iter().enumerate();
    named.map(|(place, text)| Source::new(format!("t{place}"), text.as_str())).collect()
}

fn traces(texts: &[String]) -> Vec<Trace> {
    sources(texts).into_iter().map(|source| Trace::new(source, &objects())).collect()
}

fn to_find(parts: &str) -> Spec {
    let mut spec = Spec::default();
    spec.set("parts", serde_json::from_str(parts).unwrap()).unwrap();
    spec
}

fn found(texts: &[String]) -> (Spec, Vec<String>) {
    let spec = to_find("\"found\"");
    let all = &traces(texts)[..];
    let cuts = find_parts(&domain(), &spec, &all, OnBadData::Stop, &Unwatched).unwrap();
    (cuts.spec, cuts.notes.iter().map(|note| note.words.to_string()).collect())
}

fn learned(texts: &[String]) -> Model {
    learn(&domain(), &found(texts).0, &traces(texts)).unwrap()
}

/// What is wrong with a model, by what kind of reason.
fn verdict(text: &str, certificate: &Certificate, texts: &[String]) -> Vec<(Obligation, String)> {
    let model = read_domain(&Source::new("model", text)).unwrap();
    let given = domain();
    let mut certificate = certificate.clone();
    certificate.model = model_digest(&model);
    let mut checker = ModelChecker::new(&given, &model, &certificate);
    sources(texts).iter().for_each(|source| checker.read(source, &objects()).unwrap());
    let mut wrong = checker.header_differences(text);
    wrong.extend(checker.finish());
    wrong.into_iter().map(|reason| (reason.kind, reason.what)).collect()
}

#[test]
fn a_battery_that_stops_is_found_to_have_two_parts() {
    let records = records();
    let (spec, notes) = found(&records);
    let [note] = &notes[..] else { panic!("{notes:?}") };
    assert_eq!(
        note,
        "charge: (increase (battery ?r) 30) in 34 steps where (<= (battery ?r) 66); (assign \
         (battery ?r) 100) in 27 steps where (>= (battery ?r) 74); nothing is known elsewhere."
    );
    let DeclaredParts::Found(FoundParts { found }) = &spec.parts["charge"] else {
        panic!("{:?}", spec.parts)
    };
    assert_eq!(found.len(), 2);
    let model = learn(&domain(), &spec, &traces(&records)).unwrap();
    let text = model.to_pddl();
    let sentence = ";  - The parts of charge were found in the data, not declared: charge--1 where \
                    (<= (battery ?r) 66) (34 steps; 32 of them, in 32 traces, predicted while held \
                    out); charge--2 where (>= (battery ?r) 74) (27 steps; 25 of them, in 25 \
                    traces, predicted while held out). They are a hypothesis";
    assert!(text.contains(sentence), "{text}");
    assert_eq!(verdict(&text, &model.certificate().unwrap(), &records), []);
    // One action alone, and one that is declared.
    let all = &traces(&records)[..];
    let find =
        |parts: &str| find_parts(&domain(), &to_find(parts), &all, OnBadData::Stop, &Unwatched);
    assert_eq!(find("{\"charge\": \"found\"}").unwrap().spec, spec);
    let declared = "{\"charge\": \"(<= (battery ?r) 70)\", \"*\": \"found\"}";
    let known = find(declared).unwrap();
    assert!(matches!(known.spec.parts["charge"], DeclaredParts::Cut(_)) && known.notes.is_empty());
    let said = find("{\"fly\": \"found\"}").map(|_| ()).unwrap_err().to_string();
    assert_eq!(said, "parts: the domain has no action fly");
}

#[test]
fn without_a_refutation_nothing_is_found_and_nothing_changes() {
    let records = charged((0..=66).step_by(2));
    let (spec, notes) = found(&records);
    assert_eq!((&spec, &notes[..]), (&Spec::default(), &[][..]));
    // What is not supported together is said.
    let mut odd = to_find("\"found\"");
    odd.set("unchanged", "failed".into()).unwrap();
    let all = &traces(&records)[..];
    let refused = |spec: &Spec, on_bad| {
        find_parts(&domain(), spec, &all, on_bad, &Unwatched).map(|_| ()).unwrap_err().to_string()
    };
    assert!(refused(&odd, OnBadData::Stop).starts_with("parts: parts cannot be found while"));
    let quarantine = refused(&to_find("\"found\""), OnBadData::Quarantine);
    assert!(quarantine.contains("records are left out"), "{quarantine}");
    for (dial, value) in [("arity", 1.into()), ("positive-preconditions", true.into())] {
        let mut further = to_find("\"found\"");
        further.set(dial, value).unwrap();
        let said = refused(&further, OnBadData::Stop);
        assert!(said.contains("declare the parts"), "{said}");
    }
    // Nor does a learner find parts in records that it does not have yet.
    let said = Learner::of(&domain(), &to_find("\"found\"")).map(|_| ()).unwrap_err().to_string();
    assert!(said.contains("from all records at once"), "{said}");
}

#[test]
fn a_part_with_too_few_predicted_steps_keeps_all_from_standing() {
    let records = charged((0..=66).step_by(2).chain([74, 80, 85, 90, 100]));
    let (spec, notes) = found(&records);
    // Its steps say where the other part ends.
    assert_eq!(spec, Spec::default());
    assert!(notes[0].contains("Where (>= (battery ?r) 74), 3 steps were predicted"), "{notes:?}");
    assert!(
        notes[0].ends_with(
            "declare them: parts {\"charge\": [[\"(<= (battery ?r) 66)\"], [\"(>= (battery ?r) \
             74)\"]]}."
        ),
        "{notes:?}"
    );
}

/// A job that runs every night leaves the same steps again and again: that confirms nothing.
#[test]
fn traces_that_repeat_each_other_count_once() {
    let night = |shift: i64| -> String {
        let levels = [shift, 30 + shift, 60 + shift, 90 + shift];
        let state = |level: i64| format!("(docked r) (= (battery r) {level})");
        let steps: String = levels[1..]
            .iter()
            .chain([&100])
            .map(|level| format!("(operator: (charge r)) (:state {})\n", state(*level)))
            .collect();
        format!("((:init {})\n{steps})\n", state(shift))
    };
    let nights: Vec<String> = [1, 2, 4, 6].map(night).to_vec();
    let copies =
        (0..12).flat_map(|copy| nights.iter().map(move |night| format!("{night}; night {copy}\n")));
    let (spec, _) = found(&copies.collect::<Vec<String>>());
    assert_eq!(spec, Spec::default());
}

/// The temperature is 20 in all traces but one, so an invented slope explains that one.
#[test]
fn what_one_trace_alone_shows_is_not_learned() {
    let domain = read_domain(&Source::new(
        "hall",
        "(define (domain hall) (:types robot) (:functions (battery ?r - robot) (temp)) (:action \
         charge :parameters (?r - robot)))",
    ))
    .unwrap();
    let step = |level: i64, temp: i64, after: i64| {
        let state = |level: i64| format!("(= (battery r) {level}) (= (temp) {temp})");
        format!("((:init {}) (operator: (charge r)) (:state {}))\n", state(level), state(after))
    };
    let usual = (0..98).step_by(1).map(|level| step(level, 20, (level + 30).min(100)));
    let odd = |count: i64| {
        let levels = (0..count).map(|place| 34 + place);
        usual.clone().chain(levels.map(|level| step(level, 35, 60))).collect::<Vec<String>>()
    };
    let stands = |records: &[String]| {
        let all = traces(records);
        let all = &all[..];
        let found =
            find_parts(&domain, &to_find("\"found\""), &all, OnBadData::Stop, &Unwatched).unwrap();
        !found.spec.parts.is_empty()
    };
    assert!(stands(&odd(0)));
    assert!(!stands(&odd(1)));
}

#[test]
fn forged_parts_are_refused() {
    let records = records();
    let model = learned(&records);
    let (text, honest) = (model.to_pddl(), model.certificate().unwrap());
    let parts = |certificate: &Certificate| match &certificate.assumptions.spec.parts["charge"] {
        DeclaredParts::Found(parts) => parts.clone(),
        other => panic!("{other:?}"),
    };
    let with = |certificate: &Certificate, parts: FoundParts| {
        let mut forged = certificate.clone();
        let all = &mut forged.assumptions.spec.parts;
        all.insert("charge".to_owned(), DeclaredParts::Found(parts));
        forged
    };
    let refused = |what: &str, text: &str, certificate: &Certificate, why: &str| {
        let found = verdict(text, certificate, &records);
        assert!(found.iter().any(|(_, said)| said.contains(why)), "{what}: {found:?}");
    };
    // Counts, where the header says the same.
    for (what, steps, predicted, traces, why) in [
        ("more steps", 35, 32, 32, "35 recorded steps are in the part"),
        ("fewer steps", 33, 32, 32, "33 recorded steps are in the part"),
        ("too few predicted", 34, 19, 19, "cannot be so for a part that stands"),
        ("more predicted than there are", 34, 35, 30, "cannot be so for a part that stands"),
        ("no trace", 34, 32, 0, "cannot be so for a part that stands"),
    ] {
        let mut forged = parts(&honest);
        let part = &mut forged.found[0];
        let words = "(34 steps; 32 of them, in 32 traces,";
        (part.steps, part.predicted, part.traces) = (steps, predicted, traces);
        let said = format!("({steps} steps; {predicted} of them, in {traces} traces,");
        let text = text.replace(words, &said);
        refused(what, &text, &with(&honest, forged), why);
    }
    // Other counts than the header says.
    let mut forged = parts(&honest);
    forged.found[0].predicted = 31;
    refused("silent counts", &text, &with(&honest, forged), "the header of the model");
    // Bounds, in the model and in the certificate.
    for (what, from, to, why) in [
        ("outward", "(<= (battery ?r) 66)", "(<= (battery ?r) 70)", "at no recorded step"),
        ("inward", "(<= (battery ?r) 66)", "(<= (battery ?r) 64)", "recorded steps are in"),
        ("overlap", "(>= (battery ?r) 74)", "(>= (battery ?r) 60)", "no state in common"),
    ] {
        let text = text.replace(from, to);
        let forged = honest.to_json().unwrap().replace(from, to);
        refused(what, &text, &Certificate::from_json(&forged).unwrap(), why);
    }
    // One part for all.
    let mut forged = parts(&honest);
    forged.found.truncate(1);
    forged.found[0].tests = vec!["(>= (battery ?r) 0)".to_owned()];
    forged.found[0].steps = 61;
    assert!(!verdict(&text, &with(&honest, forged), &records).is_empty());
    // Nobody declared them.
    let mut forged = honest.clone();
    let listed = DeclaredParts::Listed(parts(&honest).tests());
    forged.assumptions.spec.parts.insert("charge".to_owned(), listed);
    refused("declared", &text, &forged, "the header of the model");
}

#[test]
fn found_parts_belong_to_their_records() {
    let records = records();
    let (spec, _) = found(&records);
    let model = learn(&domain(), &spec, &traces(&records)).unwrap();
    // Stored and restored, it is the same model.
    let learner = &model.grounds().unwrap().learner;
    let again = load(&save(learner).unwrap()).unwrap();
    assert_eq!(save(&again).unwrap(), save(learner).unwrap());
    assert!(again.is_compatible(&Learner::of(&domain(), &spec).unwrap()));
    let settings = Settings::of_spec(&spec, &again).unwrap();
    let of = |learner: &Learner| Model::of(learner, &settings, &NoTraces, OnBadData::Stop);
    let body = |model: &Model| write_domain(&model.read_back());
    assert_eq!(body(&of(&again).unwrap()), body(&model));
    // Fewer or more records may have other parts.
    let elsewhere = |result: Result<Model, LearnError>| {
        assert!(matches!(result, Err(LearnError::FoundElsewhere(action)) if action == "charge"));
    };
    elsewhere(learn(&domain(), &spec, &traces(&records[1..])));
    let more = &traces(&charged([3].into_iter()))[..];
    let (start, policy) = (&again, OnBadData::Stop.into());
    let progress = &Unwatched;
    let job = Job { start, settings: &settings, recording: &more, policy, digests: true, progress };
    elsewhere(job.run());
    let mut other = Learner::of(&domain(), &spec).unwrap();
    other.read(&sources(&charged([3].into_iter()))[0], &objects()).unwrap();
    other.merge(&again);
    elsewhere(of(&other));
    // The state keeps its traces, so all of them can be learned from anew.
    let (kept, _) = again.kept_beside(&NoTraces).unwrap().unwrap();
    assert_eq!(kept.len(), records.len());
}

#[test]
fn a_refusal_names_the_cut_and_proposes_to_find_it() {
    let all = &traces(&records())[..];
    let start = &Learner::of(&domain(), &Spec::default()).unwrap();
    let settings = &Settings::of_spec(&Spec::default(), start).unwrap();
    let policy = OnBadData::Stop.into();
    let job = Job { start, settings, recording: &all, policy, digests: true, progress: &Unwatched };
    let error = job.run().map(|_| ()).unwrap_err();
    let said = with_proposed_parts(&job, error).to_string();
    assert!(
        said.contains(
            "in 27 steps where (>= (battery ?r) 74); nothing is known elsewhere. parts \
                       found learns charge so."
        ),
        "{said}"
    );
}
