//! One file with a model and all that it is: each verb takes it where it takes a learned domain,
//! and says what it says with the separate files.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::process::{Command, Output, Stdio};

use sha2::{Digest, Sha256};

const DOMAIN: &str = "(define (domain mixer) (:predicates (done) (off)) (:functions (a) (b))
  (:action mix :parameters () :precondition (and) :effect (done)) (:action rest :parameters ()))";

/// The corners of an octagon.
const CORNERS: [(i64, i64); 8] =
    [(3, 1), (1, 3), (-1, 3), (-3, 1), (-3, -1), (-1, -3), (1, -3), (3, -1)];

struct Folder(tempfile::TempDir);

impl Folder {
    /// Steps from the corners, and a failed attempt far outside.
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("domain.pddl", DOMAIN);
        fs::create_dir(folder.0.path().join("traces")).unwrap();
        fs::create_dir(folder.0.path().join("problems")).unwrap();
        for (index, (a, b)) in CORNERS.iter().enumerate() {
            let state = format!("(= (a) {a}) (= (b) {b})");
            let failed =
                if index == 0 { "(:reset (= (a) 99) (= (b) 0)) (failed: (mix))" } else { "" };
            folder.write(
                &format!("traces/{index}.trajectory"),
                &format!("((:init {state}) (operator: (mix)) (:state (done) {state}) {failed})"),
            );
        }
        for (name, a, b) in [("corner", "-3", "1"), ("edge", "-3", "0.5"), ("far", "100", "0")] {
            let problem = format!(
                "(define (problem {name}) (:domain mixer) (:init (= (a) {a}) (= (b) {b})) (:goal \
                 (done)))"
            );
            folder.write(&format!("problems/{name}.pddl"), &problem);
        }
        folder
    }

    /// The same model in one file and in three.
    fn learned(options: &[&str]) -> Self {
        let folder = Folder::new();
        let learn = ["learn", "-d", "domain.pddl", "traces", "-q"];
        folder.done(&[&learn[..], options, &["-o", "model.surefoot"]].concat());
        let files = ["-o", "part.pddl", "--certificate", "c.json", "--save-state", "s.bin"];
        folder.done(&[&learn[..], options, &files].concat());
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.current_dir(self.0.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    #[track_caller]
    fn done(&self, words: &[&str]) -> String {
        let done = self.run(words);
        assert_eq!(done.status.code(), Some(0), "{words:?}: {}", said(&done));
        said(&done)
    }

    #[track_caller]
    fn refused(&self, words: &[&str], why: &str) {
        let done = self.run(words);
        assert_eq!(done.status.code(), Some(2), "{words:?}: {}", said(&done));
        assert!(said(&done).contains(why), "{why:?} is not in {}", said(&done));
    }

    /// The exit code and the standard output, which are the same with one file and with several.
    #[track_caller]
    fn same(&self, one: &[&str], several: &[&str]) -> (Option<i32>, String) {
        let (one, several) = (self.run(one), self.run(several));
        let told = |done: &Output| {
            (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
        };
        assert_eq!(told(&one), told(&several), "{}\n{}", said(&one), said(&several));
        assert_ne!(one.status.code(), Some(2), "{}", said(&one));
        told(&one)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

const MODEL: &str = "model.surefoot";

#[test]
fn plans_are_made_and_tried_with_one_file() {
    let folder = Folder::learned(&["--facet-budget", "4"]);
    let mut refused = 0;
    for name in ["corner", "edge", "far"] {
        let problem = format!("problems/{name}.pddl");
        let one = |verb| [verb, "-d", MODEL, "-p", &problem];
        let several = |verb| [verb, "-d", "part.pddl", "-c", "c.json", "-p", &problem];
        let (code, plan) = folder.same(&one("plan"), &several("plan"));
        assert_eq!(code, Some(i32::from(name == "far")));
        let part = folder.run(&["plan", "-q", "-d", "part.pddl", "-p", &problem]);
        refused += usize::from(part.status.code() != code);
        folder.write("plan", if plan.is_empty() { "(mix)" } else { &plan });
        for verb in ["validate", "trace"] {
            let words = |words: &[&str]| [words, &["plan"]].concat().join(" ");
            let (one, several) = (words(&one(verb)), words(&several(verb)));
            folder
                .same(&one.split(' ').collect::<Vec<_>>(), &several.split(' ').collect::<Vec<_>>());
        }
    }
    assert!(refused > 0, "the budget is no limit here");
    folder.refused(
        &["plan", "-d", MODEL, "-c", "c.json", "-p", "problems/edge.pddl"],
        "model.surefoot has its own certificate: leave out c.json",
    );
}

#[test]
fn a_step_is_explained_with_one_file() {
    let folder = Folder::learned(&[]);
    for (name, answer) in [("corner", "applicable"), ("far", "forbidden")] {
        let problem = format!("problems/{name}.pddl");
        for more in [&[][..], &["--all"], &["--traces", "traces"], &["--format", "json"]] {
            let one = ["explain", "-m", MODEL, "-p", &problem, "(mix)"];
            let several =
                ["explain", "-m", "part.pddl", "-p", &problem, "-c", "c.json", "--state", "s.bin"];
            let one = [&one[..], more].concat();
            let text = match (name, more) {
                // With separate files, the evidence is not looked at for an allowed step.
                ("corner", ["--format", _]) => {
                    let text = folder.done(&one);
                    assert!(text.contains("\"answer\": \"allowed\""), "{text}");
                    text
                }
                _ => folder.same(&one, &[&several[..], &["(mix)"], more].concat()).1,
            };
            assert!(text.contains(answer), "{text}");
        }
    }
    // An action that is missing is explained, too.
    let done = folder.run(&["explain", "-m", MODEL, "-p", "problems/far.pddl", "(rest)"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("never observed"), "{}", said(&done));
    for more in [&["--state", "s.bin"][..], &["--arity", "1"]] {
        let words = ["explain", "-m", MODEL, "-p", "problems/far.pddl", "(mix)"];
        folder.refused(&[&words[..], more].concat(), "model.surefoot holds its evidence");
    }
}

/// The parts of a model in one file, by name.
fn parts(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let all = 0..archive.len();
    let part = |place| {
        let (mut part, mut content) = (archive.by_index(place).unwrap(), Vec::new());
        part.read_to_end(&mut content).unwrap();
        (part.name().unwrap().into_owned(), content)
    };
    all.map(part).collect()
}

/// Whoever loads the file as a whole plans with the model that its state makes.
#[test]
fn a_state_that_makes_another_certificate_is_refused() {
    let folder = Folder::learned(&[]);
    let inside = "(= (a) 0) (= (b) 0)";
    folder.write(
        "more.trajectory",
        &format!("((:init {inside}) (operator: (mix)) (:state (done) {inside}))"),
    );
    let more = ["traces", "more.trajectory", "-q", "-o", "other.surefoot"];
    folder.done(&[&["learn", "-d", "domain.pddl"][..], &more].concat());
    let (mut forged, other) = (parts(&folder.bytes(MODEL)), parts(&folder.bytes("other.surefoot")));
    let digest = |bytes: &[u8]| -> String {
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let (name, manifest) = ("learner.state", "surefoot-model.json");
    let text = String::from_utf8(forged[manifest].clone()).unwrap();
    let text = text.replace(&digest(&forged[name]), &digest(&other[name]));
    forged.insert(manifest.to_owned(), text.into_bytes());
    forged.insert(name.to_owned(), other[name].clone());
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, bytes) in &forged {
        archive.start_file(name, stored).unwrap();
        archive.write_all(bytes).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    fs::write(folder.0.path().join("forged.surefoot"), bytes).unwrap();
    let check = |model| folder.run(&["check", "-d", "domain.pddl", "-m", model, "traces"]);
    let (honest, forged) = (check(MODEL), check("forged.surefoot"));
    assert_eq!(honest.status.code(), Some(0), "{}", said(&honest));
    assert_eq!(forged.status.code(), Some(1), "{}", said(&forged));
    assert!(said(&forged).contains("makes another certificate"), "{}", said(&forged));
}

/// Planning uses the certificate in the file, so none beside it is checked in its place.
#[test]
fn no_other_certificate_is_checked_for_one_file() {
    let folder = Folder::learned(&[]);
    let words = ["check", "-d", "domain.pddl", "-m", MODEL, "-c", "c.json", "traces"];
    folder.refused(&words, "has its own certificate");
}

#[test]
fn a_model_is_checked_scored_and_evaluated_with_one_file() {
    let folder = Folder::learned(&["--facet-budget", "4"]);
    let check = ["check", "-d", "domain.pddl", "traces", "-m"];
    let (code, _) = folder.same(
        &[&check[..], &[MODEL]].concat(),
        &[&check[..], &["part.pddl", "-c", "c.json"]].concat(),
    );
    assert_eq!(code, Some(0));
    // The whole hull holds all corners; its part in the PDDL does not.
    let score = |model| {
        let text = folder.done(&["score", "-m", model, "traces", "-q", "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()["all"]["allowed"].clone()
    };
    assert_eq!(score(MODEL), 8);
    assert!(score("part.pddl").as_u64().unwrap() < 8);
    let evaluate = ["evaluate", "--truth", "domain.pddl", "--problems", "problems", "-q", "-m"];
    let (_, text) = folder.same(
        &[&evaluate[..], &[MODEL]].concat(),
        &[&evaluate[..], &["part.pddl", "-c", "c.json", "--state", "s.bin"]].concat(),
    );
    assert!(text.contains("whole hulls") && text.contains("Forbidden rests on"), "{text}");
}

#[test]
fn a_model_with_errors_is_one_file_too() {
    let folder = Folder::learned(&["--error", "0.1"]);
    let problem = ["problem", "-p", "problems/edge.pddl", "-m"];
    let (_, text) =
        folder.same(&[&problem[..], &[MODEL]].concat(), &[&problem[..], &["part.pddl"]].concat());
    assert!(text.contains("error-of-a"), "{text}");
    folder.write("edge.pddl", &text);
    for problem in ["problems/edge.pddl", "problems/far.pddl", "edge.pddl"] {
        folder.same(
            &["explain", "-m", MODEL, "-p", problem, "(mix)"],
            &[
                "explain",
                "-m",
                "part.pddl",
                "-p",
                problem,
                "-c",
                "c.json",
                "--state",
                "s.bin",
                "(mix)",
            ],
        );
    }
    // Only the one file says from which traces the model was learned.
    let scored = |words: &[&str]| {
        let told = String::from_utf8(folder.run(words).stdout).unwrap();
        let (counts, proved) = told.split_once("\n\n").unwrap();
        (counts.to_owned(), proved.contains("was learned from these traces"))
    };
    let one = scored(&["score", "-m", MODEL, "traces", "-q"]);
    let several = scored(&["score", "-m", "part.pddl", "-d", "domain.pddl", "traces", "-q"]);
    assert_eq!((&one.0, one.1, several.1), (&several.0, true, false));
    folder.done(&["check", "-d", "domain.pddl", "-m", MODEL, "traces"]);
}

#[test]
fn a_model_is_continued_and_merged_as_its_state_is() {
    let folder = Folder::learned(&["--arity", "1"]);
    let learn = ["learn", "-d", "domain.pddl", "-q"];
    for part in ["a", "b"] {
        fs::create_dir(folder.0.path().join(part)).unwrap();
    }
    for index in 0..CORNERS.len() {
        let name = format!("{index}.trajectory");
        let to = folder.0.path().join(if index < 4 { "a" } else { "b" }).join(&name);
        fs::copy(folder.0.path().join("traces").join(&name), to).unwrap();
    }
    // Options are those of the model, unless some are named.
    folder.done(&[&learn[..], &["a", "--arity", "1", "-o", "first.surefoot"]].concat());
    folder
        .done(&[&learn[..], &["b", "--resume", "first.surefoot", "-o", "again.surefoot"]].concat());
    assert!(folder.bytes("again.surefoot") == folder.bytes(MODEL));
    folder.done(&[&learn[..], &["b", "--arity", "1", "-o", "second.surefoot"]].concat());
    folder.done(&["merge", "first.surefoot", "second.surefoot", "-o", "merged.bin", "-q"]);
    assert!(folder.bytes("merged.bin") == folder.bytes("s.bin"));
    folder.refused(
        &["merge", "first.surefoot", "second.surefoot", "-o", "merged.surefoot"],
        "merge writes a state, not a model",
    );
    folder.refused(
        &[&learn[..], &["a", "--binary", "-o", "binary.surefoot"]].concat(),
        "--binary is about PDDL",
    );
    // Content decides what a file is, whatever its name.
    fs::copy(folder.0.path().join(MODEL), folder.0.path().join("named.pddl")).unwrap();
    folder.done(&["plan", "-d", "named.pddl", "-p", "problems/corner.pddl", "-q"]);
}

#[test]
fn what_is_no_model_is_not_taken_for_one() {
    let folder = Folder::learned(&[]);
    let mut damaged = folder.bytes(MODEL);
    let place = damaged.len() / 2;
    damaged[place] ^= 1;
    fs::write(folder.0.path().join("damaged.surefoot"), &damaged).unwrap();
    let problem = "problems/corner.pddl";
    for words in [
        &["plan", "-d", "damaged.surefoot", "-p", problem][..],
        &["explain", "-m", "damaged.surefoot", "-p", problem, "(mix)"],
        &["check", "-d", "domain.pddl", "-m", "damaged.surefoot", "traces"],
        &["score", "-m", "damaged.surefoot", "traces"],
        &["learn", "-d", "domain.pddl", "--resume", "damaged.surefoot", "traces"],
    ] {
        folder.refused(words, "damaged.surefoot");
    }
    // Where a real domain is expected, a learned model would be taken at its word.
    folder.refused(
        &["evaluate", "--truth", MODEL, "--problems", "problems", "-m", "part.pddl"],
        "this is a ZIP archive",
    );
    folder.refused(&["plan", "-d", "domain.pddl", "-p", MODEL], "this is a ZIP archive");
}

#[test]
fn a_model_that_promises_nothing_says_so_from_one_file() {
    let folder = Folder::new();
    let learn = ["learn", "-d", "domain.pddl", "traces", "-q", "--algorithm", "planminer"];
    folder.done(&[&learn[..], &["-o", MODEL]].concat());
    folder.done(&[&learn[..], &["-o", "part.pddl"]].concat());
    let check = |model| folder.run(&["check", "-d", "domain.pddl", "-m", model, "traces"]);
    let (one, several) = (check(MODEL), check("part.pddl"));
    assert_eq!(one.status.code(), Some(1), "{}", said(&one));
    assert_eq!(one.stdout, several.stdout);
    let done = folder.run(&["plan", "-d", MODEL, "-p", "problems/corner.pddl"]);
    assert!(said(&done).contains("NOT SAFE"), "{}", said(&done));
    folder.refused(
        &["learn", "-d", "domain.pddl", "traces", "--resume", MODEL],
        "promises nothing, and holds no evidence",
    );
}
