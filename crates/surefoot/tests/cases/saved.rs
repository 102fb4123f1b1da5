//! Saved models by hand: what is kept, and archives that somebody changed. (`laws/saved.rs` saves
//! and loads the models of random worlds.)

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use surefoot_analysis::saved::{SavedError, SavedModel, SavedParts, to_bytes};
use surefoot_base::assumptions::Spec;
use surefoot_base::model::{Condition, Domain, Effect};
use surefoot_base::pddl::{Source, read_domain};
use surefoot_learn::{Job, Learner, Settings, learn};
use surefoot_learn::{Model, OnBadData, Trace, Unwatched};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

const DOMAIN: &str = "(define (domain d) (:predicates (on)) (:functions (x)) \
                      (:action go :parameters ()) (:action stop :parameters ()))";

const MANIFEST: &str = "surefoot-model.json";

type Parts = BTreeMap<String, Vec<u8>>;

fn domain(text: &str) -> Domain {
    read_domain(&Source::new("d", text)).unwrap()
}

fn traces(steps: &[(i64, i64)]) -> Vec<Trace> {
    let trace = |(from, to): &(i64, i64)| {
        let text = format!("((:init (= (x) {from})) (operator: (go)) (:state (on) (= (x) {to})))");
        Trace::inferred(Source::new("t", text))
    };
    steps.iter().map(trace).collect()
}

fn model_of(spec: &Spec, steps: &[(i64, i64)]) -> Model {
    learn(&domain(DOMAIN), spec, &traces(steps)).unwrap()
}

fn model() -> Model {
    model_of(&Spec::default(), &[(1, 2), (5, 6)])
}

fn bytes() -> Vec<u8> {
    to_bytes(&model(), &Spec::default(), true).unwrap()
}

fn loaded(bytes: &[u8]) -> Result<SavedModel, SavedError> {
    SavedParts::read(bytes)?.model()
}

fn parts(bytes: &[u8]) -> Parts {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let read = |name: String| {
        let mut content = Vec::new();
        archive.by_name(&name).unwrap().read_to_end(&mut content).unwrap();
        (name, content)
    };
    names.into_iter().map(read).collect()
}

fn archive<'p>(parts: impl IntoIterator<Item = (&'p str, &'p [u8])>) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn packed(parts: &Parts) -> Vec<u8> {
    archive(parts.iter().map(|(name, content)| (&**name, &**content)))
}

/// An archive of other parts, with the digests that go with them.
fn forged(change: impl FnOnce(&mut Parts, &mut Value)) -> Vec<u8> {
    let mut parts = parts(&bytes());
    let mut manifest: Value = serde_json::from_slice(&parts.remove(MANIFEST).unwrap()).unwrap();
    change(&mut parts, &mut manifest);
    let digest = |bytes: &[u8]| -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let digests: BTreeMap<&String, String> =
        parts.iter().map(|(name, content)| (name, digest(content))).collect();
    manifest["parts"] = json!(digests);
    parts.insert(MANIFEST.to_owned(), manifest.to_string().into_bytes());
    packed(&parts)
}

#[track_caller]
fn refused(bytes: &[u8], why: &str) {
    let said = loaded(bytes).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(said.contains(why), "{why:?} is not in {said:?}");
}

#[test]
fn a_saved_model_is_found_whatever_made_its_archive() {
    let again = loaded(&packed(&parts(&bytes()))).unwrap();
    assert_eq!(again.model.to_pddl(), model().to_pddl());
    assert!(to_bytes(&again.model, &again.spec, again.complete).unwrap() == bytes());
    let names: Vec<String> = parts(&bytes()).into_keys().collect();
    let all = ["certificate.json", "domain.pddl", "learner.state", "model.pddl", MANIFEST];
    assert_eq!(names, all);
    assert!(SavedParts::is_saved(&bytes()) && !SavedParts::is_saved(DOMAIN.as_bytes()));
}

/// Whatever byte is changed, wherever the file is cut: it is refused, or is the same model.
#[test]
fn a_damaged_archive_is_refused_or_the_same_model() {
    let (whole, text) = (bytes(), model().to_pddl());
    let mut same = 0;
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1 << (place % 8);
        if let Ok(parts) = SavedParts::read(&changed) {
            assert_eq!(parts.pddl(), text);
            same += 1;
        }
        // Cuts at all places take long, since each is looked through for its end.
        if place % 7 == 0 || whole.len() - place < 100 {
            assert!(SavedParts::read(&whole[..place]).is_err(), "cut at {place}");
        }
    }
    // Times and attributes of the parts.
    assert!(same < 80 * 5, "{same} of {} bytes do not matter", whole.len());
    for foreign in [&b""[..], b"PK\x03\x04", b"PK\x05\x06", DOMAIN.as_bytes()] {
        refused(foreign, "this is no saved model");
    }
}

#[test]
fn parts_that_are_missing_doubled_or_unknown_are_refused() {
    let all = parts(&bytes());
    for name in all.keys() {
        let mut fewer = all.clone();
        fewer.remove(name);
        let why = if name == MANIFEST { "no saved model" } else { "is missing, or was changed" };
        refused(&packed(&fewer), why);
        let forged = forged(|parts, _| drop(parts.remove(name)));
        assert!(name == MANIFEST || loaded(&forged).is_err(), "without {name}");
    }
    for name in ["../model.pddl", "/etc/passwd", "more.txt", ""] {
        let mut more = all.clone();
        more.insert(name.to_owned(), b"x".to_vec());
        refused(&packed(&more), "no saved model");
    }
    // Two parts of one name: a writer makes none, so the name is changed afterwards.
    let listed = all.iter().map(|(name, content)| (&**name, &**content));
    let mut doubled = archive(listed.chain([("model.pdd_", &b"(define (domain d))"[..])]));
    let places: Vec<usize> =
        (0..doubled.len() - 10).filter(|&at| &doubled[at..at + 10] == b"model.pdd_").collect();
    assert_eq!(places.len(), 2);
    places.into_iter().for_each(|at| doubled[at + 9] = b'l');
    refused(&doubled, "no saved model");
    // One that nobody vouches for.
    let mut manifest: Value = serde_json::from_slice(&all[MANIFEST]).unwrap();
    manifest["parts"].as_object_mut().unwrap().remove("domain.pddl");
    let mut unlisted = all.clone();
    unlisted.insert(MANIFEST.to_owned(), manifest.to_string().into_bytes());
    refused(&packed(&unlisted), "domain.pddl is missing, or was changed");
}

/// Right digests do not help: the model is made again of its evidence, and has to be the one that
/// is written.
#[test]
fn parts_of_different_models_are_refused() {
    let other = "this version makes another model";
    let replaced = |name: &'static str, old: &'static str, new: &'static str| {
        forged(move |parts, _| {
            let text = String::from_utf8(parts[name].clone()).unwrap();
            assert!(text.contains(old), "{old} is in {text}");
            parts.insert(name.to_owned(), text.replacen(old, new, 1).into_bytes());
        })
    };
    refused(&replaced("model.pddl", "(<= (x) 5)", "(<= (x) 50)"), other);
    refused(&replaced("model.pddl", "\"spec\":{}", "\"spec\":{\"decimals\":3}"), other);
    refused(&replaced("model.pddl", "\"safe\":true", "\"safe\":maybe"), "is damaged");
    refused(&replaced("domain.pddl", "(on)", "(off)"), "another domain");
    let turned = |name: &'static str, value: Value| {
        forged(move |_, manifest| manifest["options"][name] = value)
    };
    refused(&turned("positive_preconditions", true.into()), other);
    refused(&turned("arity", "many".into()), "surefoot-model.json is missing, or was changed");
    refused(&turned("speed", 1.into()), "surefoot-model.json is missing, or was changed");
    refused(&turned("seed", 1.into()), "surefoot-model.json is missing, or was changed");
    refused(&forged(|_, manifest| manifest["format"] = 9.into()), "format 9");
    refused(&forged(|_, manifest| manifest["format"] = "2".into()), "names no format");
    refused(&forged(|_, manifest| manifest["complete"] = false.into()), "certificate.json");
    refused(&forged(|_, manifest| manifest["learner"] = json!(["a", "b"])), MANIFEST);
    let evidence =
        to_bytes(&model_of(&Spec::default(), &[(1, 2), (9, 10)]), &Spec::default(), true);
    let evidence = parts(&evidence.unwrap())["learner.state"].clone();
    refused(&forged(|parts, _| drop(parts.insert("learner.state".into(), evidence))), other);
    refused(&forged(|parts, _| drop(parts.insert("learner.state".into(), vec![0; 99]))), "state");
    // A planner gets a model with the vertices of its certificate, so this has to be of the model.
    let certificate = model_of(&Spec::default(), &[(1, 2)]).certificate().unwrap();
    let foreign = forged(|parts, _| {
        let text = certificate.to_json().unwrap().into_bytes();
        parts.insert("certificate.json".into(), text);
    });
    let said = SavedParts::read(&foreign).unwrap().for_planning().unwrap_err().to_string();
    assert!(said.contains("certificate belongs to another model"), "{said}");
}

/// What the first format wrote: no stamp in the PDDL, and no domain beside the evidence.
#[test]
fn files_of_the_first_format_are_read() {
    let first = forged(|parts, manifest| {
        manifest["format"] = 1.into();
        parts.remove("domain.pddl");
        let text = String::from_utf8(parts["model.pddl"].clone()).unwrap();
        let plain: Vec<&str> =
            text.lines().filter(|line| !line.starts_with("; surefoot-model")).collect();
        parts.insert("model.pddl".into(), (plain.join("\n") + "\n").into_bytes());
    });
    let again = loaded(&first).unwrap();
    assert_eq!(again.model.to_pddl(), model().to_pddl());
    assert!(to_bytes(&again.model, &again.spec, again.complete).unwrap() == bytes());
}

/// A promise that the given domain shows to be void stays void.
#[test]
fn a_void_promise_is_not_saved_as_a_promise() {
    let text = "(define (domain d) (:predicates (on) (off)) (:functions (x)) \
                (:action go :parameters () :precondition (or (on) (off)) :effect (and)))";
    let model = learn(&domain(text), &Spec::default(), &traces(&[(1, 2), (5, 6)])).unwrap();
    assert!(model.to_pddl().contains("THE PROMISE IS VOID"));
    let bytes = to_bytes(&model, &Spec::default(), true).unwrap();
    let again = loaded(&bytes).unwrap();
    assert_eq!(again.model.to_pddl(), model.to_pddl());
    assert!(to_bytes(&again.model, &again.spec, true).unwrap() == bytes);
    // Bodies that show nothing are nobody's business.
    let kept = parts(&to_bytes(&self::model(), &Spec::default(), true).unwrap());
    assert!(!String::from_utf8(kept["domain.pddl"].clone()).unwrap().contains(":effect (on"));
}

#[test]
fn quarantined_steps_stay_assumptions() {
    let mut steps: Vec<(i64, i64)> = (0..40).map(|x| (x, x + 1)).collect();
    steps.push((20, 77));
    let (traces, domain, spec) = (traces(&steps), domain(DOMAIN), Spec::default());
    let start = Learner::of(&domain, &spec).unwrap();
    let settings = Settings::of_spec(&spec, &start).unwrap();
    let job = Job {
        start: &start,
        settings: &settings,
        recording: &&traces[..],
        policy: OnBadData::Quarantine.into(),
        digests: true,
        progress: &Unwatched,
    };
    let model = job.run().unwrap();
    assert!(model.to_pddl().contains("Set aside"), "{model}");
    let bytes = to_bytes(&model, &spec, true).unwrap();
    let again = loaded(&bytes).unwrap();
    assert_eq!(again.model.to_pddl(), model.to_pddl());
    assert_eq!(again.model.certificate(), model.certificate());
    assert!(to_bytes(&again.model, &again.spec, true).unwrap() == bytes);
}

#[test]
fn a_model_that_promises_nothing_stays_one() {
    let domain = domain(DOMAIN);
    let mut action = domain.action(0.into()).clone();
    (action.precondition, action.effect) = (Condition::TRUE, Effect::NONE);
    let bodies = vec![Ok(action), Err("never seen".to_owned())];
    let model = Model::of_other(domain.into(), "Guess", "It may be wrong.", bodies)
        .lost_because(Some("It gave up.".to_owned()));
    let bytes = to_bytes(&model, &Spec::default(), true).unwrap();
    let read = SavedParts::read(&bytes).unwrap();
    assert!(matches!(read.learner(), Err(SavedError::NoEvidence)));
    let again = read.model().unwrap();
    assert_eq!(again.model.to_pddl(), model.to_pddl());
    assert_eq!((again.model.warning(), again.model.lost()), (model.warning(), model.lost()));
    assert!(to_bytes(&again.model, &again.spec, true).unwrap() == bytes);
}
