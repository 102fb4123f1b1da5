//! `explain` of models whose numbers are known within errors, as users ask it.

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// A robot that drives, and counts its trips where a number more is wanted.
fn domain(counts: bool) -> String {
    let (function, effect) =
        if counts { ("(trips ?r)", "(increase (trips ?r) 1)") } else { ("", "") };
    format!(
        "(define (domain robot) (:requirements :numeric-fluents) (:predicates (on ?r)) (:functions \
         (battery ?r) {function})
  (:action drive :parameters (?r) :precondition (>= (battery ?r) 5) :effect (and (decrease \
         (battery ?r) 3) {effect})))"
    )
}

struct Folder(tempfile::TempDir);

impl Folder {
    /// Drives whose battery is recorded within 0.2 of the truth, which is 57.7, 54.7 and so on;
    /// learned from with these options.
    fn learned(counts: bool, options: &[&str]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("domain.pddl", &domain(counts));
        folder.write("error.json", r#"{"battery": 0.2, "*": 0}"#);
        fs::create_dir(folder.0.path().join("traces")).unwrap();
        for run in 0..2 {
            let state = |step: i32| {
                let battery =
                    577 - 30 * step + if run == 0 && step % 3 == 0 { 2 } else { -(step % 3) };
                let trips = if counts {
                    format!("(= (trips r) {})", step + 20 * run)
                } else {
                    String::new()
                };
                format!("(on r) (= (battery r) {}.{}) {trips}", battery / 10, battery % 10)
            };
            let mut text = format!("((:init {})\n", state(0));
            (1..18).for_each(|step| {
                text += &format!("(operator: (drive r))\n(:state {})\n", state(step))
            });
            folder.write(&format!("traces/{run}.trajectory"), &(text + ")\n"));
            folder.write(&format!("traces/{run}.pddl"), &problem(&state(0)));
        }
        let words = [
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "learned.pddl",
            "--certificate",
            "learned.json",
            "traces",
            "-q",
        ];
        let done = folder.run(&[&words, options].concat());
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.current_dir(self.0.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    /// What is said of driving in a state: the result, and what is said beside it.
    fn explained(&self, state: &str, options: &[&str]) -> (String, String) {
        self.write("p.pddl", &problem(state));
        let done = self.run(
            &[&["explain", "-d", "learned.pddl", "-p", "p.pddl", "(drive r)"], options].concat(),
        );
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
        (text(&done.stdout), text(&done.stderr))
    }
}

fn problem(state: &str) -> String {
    format!("(define (problem p) (:domain robot) (:objects r) (:init {state}) (:goal (and)))")
}

const MISSED: &str = "(on r) (= (battery r) 57.6) (= (error-of-battery r) 0.2)";

#[test]
fn explain_finds_the_grounds_of_an_inexact_model_in_its_records() {
    let folder = Folder::learned(false, &["--error", "error.json"]);
    let told = "battery of r is 57.6; the model asks for 57.5 or less (57.9 was recorded to work): \
                refused by 0.1, which is within the \
                margin of 0.4 for numbers that are known within errors\n\
                nearest that worked: (drive r) at traces/1.trajectory:2: battery of ?r 57.7 (here \
                57.6)\n";
    for options in [&[][..], &["-c", "learned.json"]] {
        let (text, beside) = folder.explained(MISSED, &[&["--traces", "traces"], options].concat());
        assert!(text.ends_with(told), "{options:?}: {text}");
        assert_eq!(beside, "");
    }
    // The records alone tell what was recorded.
    let (text, _) = folder.explained(MISSED, &[]);
    assert!(
        text.contains(
            "the model asks for 57.5 or less: refused by 0.1, which is within the margin of 0.4"
        ),
        "{text}"
    );
    // Other errors make another model.
    let model = fs::read_to_string(folder.0.path().join("learned.pddl")).unwrap();
    folder.write("other.pddl", &model.replace("\"*\":\"0.2\"", "\"*\":\"0.3\""));
    let done = folder.run(&[
        "explain",
        "-d",
        "other.pddl",
        "-p",
        "p.pddl",
        "(drive r)",
        "--traces",
        "traces",
    ]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.code() == Some(2) && said.contains("do not give what other.pddl has for drive"),
        "{said}"
    );
}

#[test]
fn explain_takes_the_other_options_of_an_inexact_model_from_its_stamp_or_its_certificate() {
    let folder = Folder::learned(true, &["--error", "error.json", "--effect-decimals", "0"]);
    let state = "(on r) (= (battery r) 57.6) (= (trips r) 3) (= (error-of-battery r) 0.2)";
    for options in [&[][..], &["-c", "learned.json"], &["--effect-decimals", "0"]] {
        let (text, _) = folder.explained(state, &[&["--traces", "traces"], options].concat());
        assert!(text.contains("nearest that worked: (drive r) at traces/"), "{text}");
    }
}

/// A bound with a margin is narrower than what was recorded: nobody is told that it held wherever
/// the action worked.
#[test]
fn explain_says_of_several_numbers_what_the_model_asks_for_and_not_that_it_was_so() {
    let folder = Folder::learned(true, &["--error", "error.json"]);
    let state = "(on r) (= (battery r) 57.8) (= (trips r) 0) (= (error-of-battery r) 0.2)";
    let (text, _) = folder.explained(state, &["--traces", "traces", "-c", "learned.json"]);
    assert!(
        text.contains("the model asks for ")
            && text.contains(" was recorded to work): refused by "),
        "{text}"
    );
    assert!(!text.contains("wherever") && !text.contains("missed by"), "{text}");
}

#[test]
fn explain_says_that_it_takes_a_state_without_errors_for_a_recorded_one() {
    let folder = Folder::learned(false, &["--error", "error.json"]);
    let plain = "(on r) (= (battery r) 57.6)";
    let (text, beside) = folder.explained(plain, &["--traces", "traces"]);
    assert_eq!(text, folder.explained(MISSED, &["--traces", "traces"]).0);
    let note = "note: p.pddl gives no errors, so its values are taken as recorded values, \
                with the errors in the header of learned.pddl\n";
    assert_eq!(beside, note);
}

#[test]
fn explain_gives_margins_as_numbers() {
    let folder = Folder::learned(false, &["--error", "error.json"]);
    let (text, _) = folder.explained(MISSED, &["--traces", "traces", "--format", "json"]);
    let told: Value = serde_json::from_str(&text).unwrap();
    let reason = &told["reasons"][0];
    assert_eq!(told["margins"], json!([{"reason": reason, "refused_by": "0.1", "margin": "0.4"}]));
    // Nothing of it where all numbers are exact.
    let folder = Folder::learned(false, &["--algorithm", "sam"]);
    let (text, _) = folder.explained("(= (battery r) 57)", &["--format", "json"]);
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap().get("margins"), None);
}
