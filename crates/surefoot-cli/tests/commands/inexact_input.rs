//! What a user may say of errors that makes no sense: each is refused with what is wrong, and
//! where.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DOMAIN: &str = "(define (domain rounds) (:types robot)
  (:functions (battery ?r - robot) (trips ?r - robot) (clock))
  (:action go :parameters (?r - robot) :precondition (>= (battery ?r) 1)
    :effect (and (decrease (battery ?r) 1) (increase (trips ?r) 1))))";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("domain.pddl", DOMAIN);
        for (number, battery) in [9, 8, 7, 6, 5, 4, 3, 2].into_iter().enumerate() {
            folder.step(
                number,
                number * 3 % 8,
                [f64::from(battery), 5.0],
                [f64::from(battery) - 1.0, 5.0],
            );
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// A trace with one step of `r1`: how many trips it made, the batteries of `r1` and `r2` before
    /// and after it.
    fn step(&self, number: usize, trips: usize, before: [f64; 2], after: [f64; 2]) {
        let state = |[one, other]: [f64; 2], trips: usize| {
            format!(
                "(= (battery r1) {one}) (= (battery r2) {other}) (= (trips r1) {trips}) (= (trips \
                 r2) 0) (= (clock) 0)"
            )
        };
        let text = format!(
            "((:init {})\n(operator: (go r1))\n(:state {}))\n",
            state(before, trips),
            state(after, trips + 1)
        );
        self.write(&format!("t{number}.trajectory"), &text);
    }

    fn learn(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        let words = [&["learn", "-d", "domain.pddl", "-o", "learned.pddl", "."], words].concat();
        command.current_dir(self.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    /// What is said where learning succeeds.
    fn learns(&self, words: &[&str]) -> String {
        let done = self.learn(words);
        let said = String::from_utf8_lossy(&done.stdout).into_owned()
            + &String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(0), "{words:?}: {said}");
        said
    }

    /// The message of a refusal, with nothing written.
    fn refused(&self, words: &[&str]) -> String {
        let done = self.learn(words);
        let said = String::from_utf8_lossy(&done.stdout).into_owned()
            + &String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{words:?}: {said}");
        assert!(!self.path().join("learned.pddl").exists(), "{words:?}");
        said
    }

    #[track_caller]
    fn refuses(&self, words: &[&str], message: &str) {
        let said = self.refused(words);
        assert!(said.contains(message), "{words:?}: {said}");
    }

    #[track_caller]
    fn refuses_map(&self, map: &str, message: &str) {
        self.write("errors.json", map);
        self.refuses(&["--error", "errors.json"], message);
    }
}

#[test]
fn an_error_is_a_number_that_is_not_below_zero() {
    let folder = Folder::new();
    let below =
        "an error says how far apart two numbers may be, so it is not below zero, found -0.1";
    folder.refuses(&["--error", "-0.1"], &format!("--error -0.1: {below}"));
    folder.refuses_map(r#"{"battery": -0.1}"#, &format!("errors.json: battery: {below}"));
    folder.refuses_map(r#"{"battery": "-0.1"}"#, below);
    for word in ["nan", "inf", "1e99999999"] {
        folder.refuses(
            &["--error", word],
            &format!("expected a number such as 0.05, 1e-9 or \"1/3\", found {word}"),
        );
    }
    for value in ["true", "null", "[0.1]", "\"little\"", "\"1/0\""] {
        folder.refuses_map(
            &format!("{{\"battery\": {value}}}"),
            "errors.json: battery: expected a number such as 0.05",
        );
    }
}

#[test]
fn a_slip_of_the_pen_is_told_as_one() {
    let folder = Folder::new();
    for word in ["0,2", "0.2x", "missing.json"] {
        let said =
            format!("--error {word}: expected a number such as 0.2, or a file with a map of them");
        folder.refuses(&["--error", word], &said);
    }
    for absurd in ["1e300", "1e400", "123456789012345678901234567890", "1000000000000000.1"] {
        folder.refuses(
            &["--error", absurd],
            "an error above 1e15 for every function leaves nothing to learn from",
        );
        folder.refuses_map(
            &format!("{{\"battery\": {absurd}}}"),
            "errors.json: an error above 1e15 for battery leaves nothing to learn from",
        );
    }
}

#[test]
fn states_of_different_errors_name_the_option_that_differs() {
    let folder = Folder::new();
    folder.learns(&["--error", "0.1", "--state", "one.state"]);
    folder.learns(&["--error", "0.2", "--state", "other.state"]);
    folder.learns(&["--degree", "2", "--state", "products.state"]);
    let merged = |other: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command
            .current_dir(folder.path())
            .args(["merge", "one.state", other, "-o", "both.state"])
            .stdin(Stdio::null());
        String::from_utf8_lossy(&command.output().unwrap().stderr).into_owned()
    };
    let said = merged("other.state");
    assert!(
        said.contains(
            "one.state and other.state are states of different classes of models: --error differs"
        ),
        "{said}"
    );
    let said = merged("products.state");
    assert!(said.contains("different classes of models: --degree and --error differ"), "{said}");
    fs::remove_file(folder.path().join("learned.pddl")).unwrap();
    let resumed = "one.state was made with other options: --error differs";
    folder.refuses(&["--error", "0.2", "--resume", "one.state"], resumed);
}

#[test]
fn a_map_of_errors_is_json_and_names_each_function_once() {
    let folder = Folder::new();
    folder.refuses(&["--error", "missing.json"], "missing.json");
    folder.refuses_map("{\"battery\": }", "this is not such a file");
    folder.refuses_map("[0.1]", "this is not such a file");
    folder.refuses_map("{\"charge\": 0.1}", "errors.json: the domain has no function charge");
    folder.refuses_map("{\"(charge ?r)\": 0.1}", "errors.json: ");
    folder.refuses_map(
        r#"{"battery": 0.1, "(battery ?r)": 0.2}"#,
        "\"(battery ?r)\" and \"battery\" mean the same; list only one of them",
    );
    folder.refuses_map(
        r#"{"battery": 0.1, "battery": 0.2}"#,
        "the key \"battery\" stands there twice",
    );
}

#[test]
fn what_makes_no_sense_beside_errors_is_refused_with_the_reason() {
    let folder = Folder::new();
    folder.refuses(
        &["--error", "0.1", "--decimals", "1"],
        "--error 0.1: rounding by --decimals would move recorded numbers",
    );
    folder.refuses(&["--error", "0.1", "--algorithm", "sam"], "SAM ignores numbers");
    folder
        .refuses(&["--error", "0.1", "--unchanged", "failed"], "leave --unchanged or --error out");
    folder.refuses(&["--error", "0.1", "--algorithm", "planminer"], "error");
    folder.refuses(&["--effect-decimals", "1"], "--effect-decimals is for records with errors");
    folder.refuses(
        &["--error", "0", "--effect-decimals", "1"],
        "--effect-decimals is for records with errors",
    );
    let products = "is not exact, so the error of";
    folder.refuses(&["--error", "0.1", "--degree", "2"], products);
    folder.refuses(&["--error", "0.1", "--degree", "2", "--squares"], "leave --squares out");
    folder.write("marks.json", r#"{"*": {"(battery ?r)": "more"}}"#);
    folder.refuses(
        &["--error", "0.1", "--monotone", "marks.json"],
        "give --effect-decimals, or leave out the marks of go",
    );
    folder.refuses(
        &["--error", "0.1", "--arity", "1"],
        "give --effect-decimals, or K for --effect-arity and at least 2 K + 1 for --arity",
    );
    let needed = "with --effect-arity 1 they are bounded from --arity 3 on";
    folder.refuses(&["--error", "0.1", "--arity", "2", "--effect-arity", "1"], needed);
    // Products of what is exact are no matter.
    folder.write("errors.json", r#"{"battery": 0.1}"#);
    folder.write("listed.json", r#"{"go": ["(battery ?r)", "(* (trips ?r) (clock))"]}"#);
    let done = folder.learn(&["--error", "errors.json", "--relevant", "listed.json"]);
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!said.contains(products), "{said}");
}

#[test]
fn a_function_with_the_name_of_an_error_is_refused() {
    let folder = Folder::new();
    folder
        .write("domain.pddl", &DOMAIN.replace("(clock)", "(clock) (error-of-battery ?r - robot)"));
    folder.refuses(&["--error", "0.1"], "the domain has a function error-of-battery");
}

#[test]
fn records_of_one_value_are_no_further_apart_than_two_errors() {
    let folder = Folder::new();
    folder.step(8, 4, [5.0, 5.0], [4.0, 5.25]);
    folder.write("errors.json", r#"{"battery": 0.1}"#);
    let said = folder.refused(&["--error", "errors.json"]);
    let apart = "(go r1): (battery r2) is 5 before it and 5.25 after it, though its objects are \
                 not among the arguments: records of one value differ by at most 0.2 where each is \
                 within 0.1 of it";
    assert!(said.contains(apart), "{said}");
    assert!(said.contains("t8.trajectory:2"), "{said}");
    assert!(said.contains("--error errors.json, a file with {\"battery\": 0.13}"), "{said}");
}

/// Errors as large as what was recorded leave nothing: the function is named, how little its
/// records differ, and what would help.
#[test]
fn an_action_that_errors_leave_nothing_of_says_which_function_and_what_would_help() {
    let folder = Folder::new();
    let head = || fs::read_to_string(folder.path().join("learned.pddl")).unwrap();
    folder.write("errors.json", r#"{"battery": 4}"#);
    let said = folder.learns(&["--error", "errors.json"]);
    let why = "its recorded values of (battery ?r) differ by 7, and two records of the same \
               value with errors of 4 differ by up to 8";
    assert!(said.contains(why), "{said}");
    assert!(head().contains(&format!("; Left out: go ({why}).")), "{}", head());
    let remedies = [
        "warning: go is left out; what would help, if it is true: steps that differ more in \
         (battery ?r)",
        "that records of it are exact",
        "neither reads nor changes (battery ?r)",
    ];
    for remedy in remedies {
        assert!(said.contains(remedy), "{remedy}: {said}");
    }
    folder.write("errors.json", r#"{"battery": 1e15}"#);
    assert!(
        folder
            .learns(&["--error", "errors.json"])
            .contains("its recorded values of (battery ?r) differ by 7, and")
    );
    // A number for all functions: those that hardly differ are named.
    let said = folder.learns(&["--error", "0.5"]);
    assert!(
        said.contains(
            "its recorded values of (clock) differ by 0, and two records of the same value \
             with errors of 0.5 differ by up to 1"
        ),
        "{said}"
    );
}

/// Each remedy that is named is one that the learner takes, and that helps.
#[test]
fn what_would_help_helps() {
    let folder = Folder::new();
    for number in 0..8 {
        // Each trip takes 1, so that trips tell the battery.
        let before = 9.0 - number as f64;
        folder.step(number, number, [before, 5.0], [before - 1.0, 5.0]);
    }
    folder.write("errors.json", r#"{"battery": 0.5}"#);
    let said = folder.learns(&["--error", "errors.json"]);
    let why = "its recorded values of (battery ?r) nearly follow from each other and from other \
               functions";
    assert!(said.contains("go is left out") && said.contains(why), "{said}");
    let helps = |words: &[&str]| {
        let said = folder.learns(words);
        assert!(said.contains("learned") && !said.contains("left out"), "{words:?}: {said}");
    };
    folder.write("exact.json", r#"{"battery": 0}"#);
    helps(&["--error", "exact.json"]);
    // Neither is true, and each makes the model what it should be if it were.
    assert!(said.contains("(--arity 1 --effect-arity 0)"), "{said}");
    helps(&["--error", "errors.json", "--arity", "1", "--effect-arity", "0"]);
    assert!(
        said.contains("that go neither reads nor changes (battery ?r)")
            && !said.contains("--relevant"),
        "{said}"
    );
    folder.write("listed.json", r#"{"go": ["(trips ?r)", "(clock)"]}"#);
    let said = folder.learns(&["--error", "errors.json", "--relevant", "listed.json"]);
    assert!(!said.contains("differ"), "{said}");
}
#[test]
fn decimals_that_no_effect_has_are_refuted() {
    let folder = Folder::new();
    for number in 0..8 {
        let before = 9.0 - number as f64;
        folder.step(number, number * 3 % 8, [before, 5.0], [before - 1.5, 5.0]);
    }
    folder.write("errors.json", r#"{"battery": 0.01}"#);
    folder.learns(&["--error", "errors.json", "--effect-decimals", "1"]);
    fs::remove_file(folder.path().join("learned.pddl")).unwrap();
    let refuted = "--effect-decimals 0 is refuted: no effect with so few decimals is within \
                   the recording errors of (battery ?r)";
    folder.refuses(&["--error", "errors.json", "--effect-decimals", "0"], refuted);
}

/// What is refused says how much of that is margin; what is allowed, within what it ends; and what
/// was measured stands beside what is promised.
#[test]
fn explain_and_evaluate_tell_margins_and_errors() {
    let folder = Folder::new();
    folder.write("errors.json", r#"{"battery": 0.25}"#);
    folder.learns(&["--error", "errors.json"]);
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        let done =
            command.current_dir(folder.path()).args(words).stdin(Stdio::null()).output().unwrap();
        String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
    };
    fs::create_dir(folder.path().join("problems")).unwrap();
    let asked = |battery: &str, trips: &str| {
        let text = format!(
            "(define (problem p) (:domain rounds) (:objects r1 - robot) (:init (= (battery r1) \
             {battery}) (= (trips r1) {trips})
             (= (clock) 0)) (:goal (<= (battery r1) 3)))"
        );
        folder.write("problems/p.pddl", &text);
        run(&["explain", "-d", "learned.pddl", "-p", "problems/p.pddl", "(go r1)"])
    };
    // A state that was recorded, at a corner of what was seen.
    let said = asked("9", "0");
    assert!(
        said.contains("is not applicable") && said.contains("which is within the margin of "),
        "{said}"
    );
    assert!(!said.contains("error-of"), "{said}");
    let said = asked("20", "3");
    assert!(
        said.contains(" of that is the margin for numbers that are known within errors"),
        "{said}"
    );
    let said = asked("5.5", "3.5");
    assert!(
        said.contains(
            "is applicable\nwhat follows is known within errors: battery of r1 within 0."
        ),
        "{said}"
    );
    let said = run(&[
        "evaluate",
        "--truth",
        "domain.pddl",
        "--learned",
        "learned.pddl",
        "--problems",
        "problems",
    ]);
    assert!(said.contains(" action  largest error  promised\n go "), "{said}");
    assert!(said.contains("no step ends farther away than that."), "{said}");
}
