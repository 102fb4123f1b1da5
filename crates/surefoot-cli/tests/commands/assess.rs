//! `surefoot assess` as users run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command.current_dir(folder).args(words).stdin(Stdio::null()).output().unwrap()
}

fn assessed(folder: &Path, words: &[&str]) -> String {
    let done = run(folder, &[&["assess", "-d", "domain.pddl"], words].concat());
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn json(folder: &Path, words: &[&str]) -> serde_json::Value {
    serde_json::from_str(&assessed(folder, &[words, &["--format", "json"]].concat())).unwrap()
}

fn farmland(count: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = run(
        folder.path(),
        &["generate", "farmland", "--count", count, "--traces", "-q", "-o", "."],
    );
    assert_eq!(made.status.code(), Some(0));
    folder
}

#[test]
fn the_answer_has_bounds_an_estimate_and_what_refuses_the_rest() {
    let folder = farmland("30");
    let lines = assessed(folder.path(), &["."]);
    assert!(
        lines.lines().all(|line| line.starts_with(' ') || line.chars().count() <= 100),
        "{lines}"
    );
    let text = lines.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "30 traces, ",
        "On average over unseen traces, this model would allow about ",
        "with confidence 95 %",
        "of the 30 traces suffice for a model that allows all others",
        "theory needs",
        "the most refused action first",
        "drawn independently",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    assert_eq!(lines, assessed(folder.path(), &["."]), "the same traces, another answer");
    let usual = json(folder.path(), &["."]);
    let surer = json(folder.path(), &[".", "--confidence", "99", "--share", "99.9%"]);
    let bound = |found: &serde_json::Value, of: &str| found[of]["at_least"].as_f64().unwrap();
    for of in ["step_share", "whole_traces", "compression"] {
        assert!(bound(&surer, of) < bound(&usual, of), "{of}\n{usual}\n{surer}");
    }
    assert_eq!(surer["step_share"]["estimate"], usual["step_share"]["estimate"]);
    // Dials that allow more are said to.
    let boxes = json(folder.path(), &[".", "--arity", "1"]);
    assert!(boxes["step_share"]["estimate"].as_f64() >= usual["step_share"]["estimate"].as_f64());
    assert_eq!(
        (&boxes["theory"]["applies"], &usual["theory"]["applies"]),
        (&true.into(), &false.into())
    );
}

#[test]
fn one_trace_says_that_it_is_too_few() {
    let folder = farmland("1");
    let text = assessed(folder.path(), &["."]);
    assert!(text.contains("too few traces"), "{text}");
    assert!(text.contains("theory needs"), "{text}");
    assert!(json(folder.path(), &["."])["step_share"]["estimate"].is_null());
}

#[test]
fn what_was_set_aside_or_left_out_voids_the_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let domain = "(define (domain d) (:predicates (lit)) (:functions (n)) (:action up :parameters \
                  ()) (:action down :parameters ()))";
    fs::write(folder.path().join("domain.pddl"), domain).unwrap();
    for number in 0..40 {
        let after = if number == 7 { number + 3 } else { number + 1 };
        let text =
            format!("((:init (= (n) {number}))\n(operator: (up))\n(:state (= (n) {after}))\n)\n");
        fs::write(folder.path().join(format!("t{number:02}.trajectory")), text).unwrap();
    }
    let stopped = run(folder.path(), &["assess", "-d", "domain.pddl", "."]);
    assert_eq!(stopped.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&stopped.stderr).contains("No model of the class explains"));
    for (policy, steps) in [("quarantine", 39), ("skip-action", 39)] {
        let words = [".", "--on-bad-data", policy];
        let found = json(folder.path(), &words);
        assert!(found["compression"].is_null() && found["void"].is_string(), "{found}");
        assert!(
            found["step_share"]["at_least"].is_null()
                && found["whole_traces"]["at_least"].is_null(),
            "{found}"
        );
        assert_eq!(found["steps"], steps);
        let text = assessed(folder.path(), &words);
        assert!(
            text.contains("No bound on what the model allows is proved here")
                && !text.contains("at least"),
            "{text}"
        );
    }
    // An action that is left out allows nothing.
    assert_eq!(
        json(folder.path(), &[".", "--on-bad-data", "skip-action"])["step_share"]["estimate"],
        0.0
    );
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let folder = farmland("2");
    for words in [["--confidence", "100"], ["--share", "0"], ["--share", "some"]] {
        let done =
            run(folder.path(), &[&["assess", "-d", "domain.pddl", "."][..], &words].concat());
        assert_eq!(done.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&done.stderr).contains("above 0 and below 100"));
    }
    for words in [["--confidence", "0.95"], ["--share", "0.95"]] {
        let done =
            run(folder.path(), &[&["assess", "-d", "domain.pddl", "."][..], &words].concat());
        assert_eq!(done.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&done.stderr)
                .contains("0.95 is less than one percent; did you mean 95?")
        );
    }
}

#[test]
fn a_trace_given_twice_is_refused_and_copies_are_told() {
    let folder = farmland("3");
    let twice = run(folder.path(), &["assess", "-d", "domain.pddl", ".", "./."]);
    assert_eq!(twice.status.code(), Some(2), "{}", String::from_utf8_lossy(&twice.stdout));
    assert!(String::from_utf8_lossy(&twice.stderr).contains("is given twice"));
    let trace = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let trace =
        trace.filter(|path| path.extension().is_some_and(|end| end == "trajectory")).min().unwrap();
    assert_eq!(json(folder.path(), &["."])["copies"], 0);
    for end in ["trajectory", "pddl"] {
        fs::copy(trace.with_extension(end), folder.path().join(format!("copy.{end}"))).unwrap();
    }
    assert_eq!(json(folder.path(), &["."])["copies"], 1);
    assert!(assessed(folder.path(), &["."]).contains("1 trace is a copy of another"));
}
