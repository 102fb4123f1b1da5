//! Problems with initial errors and margins, as users make and use them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A tank as it would be learned: `level` is known within 0.05, each `fill` adds an error of 0.1,
/// `gauge` makes it exact.
const LEARNED: &str = "; A learned model.
; surefoot-model {\"format\":1,\"safe\":true,\"spec\":{\"error\":{\"(level ?t)\":\"0.05\"}}}
(define (domain tanks) (:types tank) (:predicates (open ?t - tank))
  (:functions (level ?t - tank) (cap ?t - tank) (error-of-level ?t - tank))
  (:action fill :parameters (?t - tank)
    :precondition (and (open ?t) (<= (+ (level ?t) (error-of-level ?t)) (- (cap ?t) 2)))
    :effect (and (increase (level ?t) 2) (increase (error-of-level ?t) 0.1)))
  (:action overflow :parameters (?t - tank) :precondition (not (open ?t))
    :effect (and (assign (level ?t) (cap ?t)) (increase (error-of-level ?t) (* -1 (error-of-level \
                       ?t))))))";

/// The same without errors.
const EXACT: &str =
    "(define (domain tanks) (:types tank) (:predicates (open ?t - tank)) (:functions (level ?t - \
     tank) (cap ?t - tank))
  (:action fill :parameters (?t - tank) :precondition (and (open ?t) (<= (level ?t) (- (cap ?t) 2)))
    :effect (increase (level ?t) 2)))";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(goal: &str) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("learned.pddl", LEARNED);
        folder.write("exact.pddl", EXACT);
        folder.write("p.pddl", &problem(goal));
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.current_dir(self.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    fn problem(&self, words: &[&str]) -> Output {
        self.run(&[&["problem", "-d", "learned.pddl", "-p", "p.pddl"], words].concat())
    }
}

fn problem(goal: &str) -> String {
    format!(
        "(define (problem p) (:domain tanks) (:objects t1 - tank) (:init (open t1) (= (level t1) \
         1) (= (cap t1) 10)) (:goal {goal}))"
    )
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

fn text(done: &Output) -> String {
    assert_eq!(done.status.code(), Some(0), "{}", said(done));
    String::from_utf8(done.stdout.clone()).unwrap()
}

fn refused(done: &Output, words: &[&str]) {
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    for word in words {
        assert!(said(done).contains(word), "{word:?} is not in {}", said(done));
    }
    assert!(done.stdout.is_empty());
}

#[test]
fn a_problem_gets_errors_and_margins_and_its_plan_works() {
    let folder = Folder::new("(and (>= (level t1) 4.85) (<= (level t1) 6) (open t1))");
    let written = text(&folder.problem(&[]));
    assert!(written.contains("(= (error-of-level t1) 0.05)"), "{written}");
    let goal = "(and (>= (level t1) (+ 4.85 (error-of-level t1))) (<= (+ (level t1) \
                (error-of-level t1)) 6) (open t1))";
    assert!(written.contains(goal), "{written}");
    // 5 with an error of 0.25 is no more than 4.75 for sure: one step less would not do, and one
    // more is too many.
    let done = folder.problem(&["-o", "q.pddl"]);
    assert_eq!(said(&done), "q.pddl: 1 initial error, the goal with margins\n");
    assert_eq!(fs::read_to_string(folder.path().join("q.pddl")).unwrap(), written);
    let done = folder.run(&["plan", "-d", "learned.pddl", "-p", "q.pddl", "-q"]);
    assert_eq!(done.status.code(), Some(1), "{done:?}");
    folder.write("p.pddl", &problem("(and (>= (level t1) 4.75) (<= (level t1) 6))"));
    text(&folder.problem(&["-o", "q.pddl"]));
    assert_eq!(
        text(&folder.run(&["plan", "-d", "learned.pddl", "-p", "q.pddl", "-q", "-o", "-"])),
        "(fill t1)\n(fill t1)\n"
    );
    folder.write("plan", "(fill t1)\n(fill t1)\n");
    text(&folder.run(&["validate", "-d", "learned.pddl", "-p", "q.pddl", "plan"]));
    text(&folder.run(&["trace", "-d", "learned.pddl", "-p", "q.pddl", "plan"]));
    for level in ["0.95", "1", "1.05"] {
        folder.write(
            "real.pddl",
            &problem("(and (>= (level t1) 4.75) (<= (level t1) 6))")
                .replace("(level t1) 1)", &format!("(level t1) {level})")),
        );
        text(&folder.run(&["validate", "-d", "exact.pddl", "-p", "real.pddl", "plan"]));
    }
}

#[test]
fn errors_can_be_given() {
    let folder = Folder::new("(>= (level t1) 4)");
    assert!(text(&folder.problem(&["--error", "0.2"])).contains("(= (error-of-level t1) 0.2)"));
    folder.write("map.json", r#"{"(level ?tank)": "1e-3", "cap": 0}"#);
    assert!(
        text(&folder.problem(&["--error", "map.json"])).contains("(= (error-of-level t1) 0.001)")
    );
    assert!(text(&folder.problem(&["--error", "0"])).contains("(= (error-of-level t1) 0)"));
    // What the problem says itself stays.
    folder.write(
        "p.pddl",
        &problem("(open t1)").replace("(open t1) (=", "(open t1) (= (error-of-level t1) 0.3) (="),
    );
    let written = text(&folder.problem(&[]));
    assert!(
        written.contains("(= (error-of-level t1) 0.3)") && !written.contains("0.05)"),
        "{written}"
    );
    let json = folder.problem(&["-o", "q.pddl", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let errors = serde_json::json!({ "level": "0.05" });
    assert_eq!(
        (&json["output"], &json["errors_added"], &json["errors"]),
        (&"q.pddl".into(), &0.into(), &errors)
    );
}

#[test]
fn wrong_errors_are_refused() {
    let folder = Folder::new("(>= (level t1) 4)");
    refused(&folder.problem(&["--error", "-1"]), &["-1", "not below zero"]);
    folder.write("map.json", r#"{"height": 1}"#);
    refused(&folder.problem(&["--error", "map.json"]), &["map.json", "no function height"]);
    folder.write("map.json", r#"{"(cap ?t)": 1}"#);
    refused(
        &folder.problem(&["--error", "map.json"]),
        &["takes cap to be exact", "learn the model with an error for cap"],
    );
    folder.write("map.json", r#"{"(level ?t)": 1, "level": 2}"#);
    refused(&folder.problem(&["--error", "map.json"]), &["the error of level is given twice"]);
    folder.write(
        "p.pddl",
        &problem("(open t1)").replace("(open t1) (=", "(open t1) (= (error-of-level t1) -0.3) (="),
    );
    refused(&folder.problem(&[]), &["(error-of-level t1) is -0.3", "0 or more"]);
    folder.write(
        "learned.pddl",
        LEARNED.split_once("(define").map(|(_, rest)| format!("(define{rest}")).unwrap().as_str(),
    );
    refused(&folder.problem(&[]), &["no stamp that says how far", "takes it as --error"]);
    refused(&folder.problem(&["-o", "p.pddl", "--error", "1"]), &["-o would overwrite p.pddl"]);
}

#[test]
fn goals_that_cannot_be_promised_are_refused_with_the_reason() {
    let never = LEARNED.split_once("(:action overflow").unwrap().0.to_owned() + ")";
    let folder = Folder::new("(= (level t1) 5)");
    // Where an action makes it exact, it can be promised.
    let written = text(&folder.problem(&[]));
    assert!(
        written.contains("(:goal (and (= (level t1) 5) (<= (error-of-level t1) 0)))"),
        "{written}"
    );
    folder.write("learned.pddl", &never);
    let why = [
        "(= (level t1) 5) cannot be promised",
        "level is known within 0.05 at the start",
        "ask for a range",
        "(>= (level t1) LOW)",
    ];
    refused(&folder.problem(&[]), &why);
    folder.write("p.pddl", &problem("(exists (?t - tank) (= 5 (+ 1 (level ?t))))"));
    refused(&folder.problem(&[]), &["(= 5 (+ 1 (level ?t))) cannot be promised"]);
    folder.write("p.pddl", &problem("(or (open t1) (= (level t1) 5))"));
    let done = folder.problem(&[]);
    assert!(text(&done).contains("(:goal (or (open t1)))"), "{done:?}");
    assert!(
        said(&done).contains("note: a part of the goal's `or` is left out: (= (level t1) 5)"),
        "{done:?}"
    );
    folder.write("p.pddl", &problem("(not (= (level t1) 5))"));
    assert!(text(&folder.problem(&[])).contains(
        "(or (< (+ (level t1) (error-of-level t1)) 5) (> (level t1) (+ 5 (error-of-level t1))))"
    ));
    folder.write("p.pddl", &problem("(= (cap t1) 10)"));
    assert!(text(&folder.problem(&[])).contains("(:goal (= (cap t1) 10))"));
    folder.write("p.pddl", &problem("(<= (* (level t1) (cap t1)) 50)"));
    refused(
        &folder.problem(&[]),
        &["(<= (* (level t1) (cap t1)) 50) has no margin", "multiplies (level t1)"],
    );
    folder.write("p.pddl", &problem("(and (>= (level t1) 3) (<= (level t1) 3.05))"));
    let done = folder.problem(&[]);
    text(&done);
    assert!(
        said(&done).contains("they leave a range of 0.05, and the errors need 0.1"),
        "{done:?}"
    );
    folder.write("p.pddl", &problem("(>= (level t1) (+ 4 (error-of-level t1)))"));
    refused(&folder.problem(&[]), &["the goal has margins already"]);
}

#[test]
fn a_model_without_errors_needs_no_other_problem() {
    let folder = Folder::new("(>= (level t1) 4)");
    let done = folder.run(&["problem", "-d", "exact.pddl", "-p", "p.pddl"]);
    assert_eq!(text(&done), problem("(>= (level t1) 4)"));
    assert!(said(&done).contains("nothing to do"), "{done:?}");
    let done = folder.run(&["problem", "-d", "exact.pddl", "-p", "p.pddl", "--error", "0.1"]);
    refused(&done, &["exact.pddl", "no error functions", "learn it with --error"]);
}

#[test]
fn a_problem_without_errors_is_told_how_to_get_them() {
    let folder = Folder::new("(>= (level t1) 4)");
    folder.write("plan", "(fill t1)\n");
    for verb in [&["plan"][..], &["validate", "plan"], &["trace", "plan"]] {
        let done = folder.run(&[verb, &["-d", "learned.pddl", "-p", "p.pddl"]].concat());
        refused(
            &done,
            &["without (error-of-level t1)", "surefoot problem -m learned.pddl -p p.pddl"],
        );
    }
    refused(
        &folder.run(&["plan", "-d", "learned.pddl", "-p", "p.pddl", "--decimals", "1"]),
        &["--decimals would round"],
    );
    folder.write(
        "p.pddl",
        &problem("(>= (level t1) 3)")
            .replace("(open t1) (=", "(open t1) (= (error-of-level t1) -1) (="),
    );
    refused(
        &folder.run(&["plan", "-d", "learned.pddl", "-p", "p.pddl"]),
        &["(error-of-level t1) is below zero"],
    );
    folder.write(
        "p.pddl",
        &problem("(>= (level t1) 3)")
            .replace("(open t1) (=", "(open t1) (= (error-of-level t1) 0.3) (="),
    );
    let done = folder.run(&["plan", "-d", "learned.pddl", "-p", "p.pddl", "-q"]);
    assert!(
        text(&done).contains("(fill t1)")
            && said(&done).contains("warning: p.pddl: the goal has no margins"),
        "{done:?}"
    );
}

#[test]
fn coverage_is_of_problems_with_margins_judged_in_the_real_domain() {
    let folder = Folder::new("(and (>= (level t1) 4.75) (<= (level t1) 6))");
    let never = LEARNED.split_once("(:action overflow").unwrap().0.to_owned() + ")";
    folder.write("learned.pddl", &never);
    fs::create_dir(folder.path().join("problems")).unwrap();
    // With its margin the second needs one more step than fits; the third cannot be promised at
    // all.
    for (name, goal) in [
        ("a", "(>= (level t1) 4.75)"),
        ("b", "(and (>= (level t1) 4.8) (<= (level t1) 6))"),
        ("c", "(= (level t1) 5)"),
    ] {
        folder.write(&format!("problems/{name}.pddl"), &problem(goal));
    }
    let words = [
        "evaluate",
        "--truth",
        "exact.pddl",
        "--learned",
        "learned.pddl",
        "--problems",
        "problems",
        "--planner",
        "builtin",
    ];
    let done = folder.run(&[&words[..], &["--format", "json", "-q"]].concat());
    let report: serde_json::Value = serde_json::from_str(&text(&done)).unwrap();
    let problems = report["coverage"]["problems"].as_array().unwrap();
    let outcomes: Vec<&str> =
        problems.iter().map(|problem| problem["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["solved", "unsolvable", "unsolvable"], "{report}");
    assert!(
        problems[2]["message"].as_str().unwrap().contains("(= (level t1) 5) cannot be promised"),
        "{report}"
    );
}

#[test]
fn records_are_scored_within_what_the_model_promises() {
    let folder = Folder::new("(open t1)");
    let state = |level: &str| format!("(open t1) (= (level t1) {level}) (= (cap t1) 10)");
    let trace = |after: &str| {
        format!("((:init {})\n(operator: (fill t1))\n(:state {}))", state("1"), state(after))
    };
    // Successors are within 0.15 of what is said, and records within 0.05 of these.
    for (after, expected) in [("3", 0), ("3.2", 0), ("2.8", 0), ("3.21", 1), ("2.79", 1)] {
        folder.write("t.trajectory", &trace(after));
        let done = folder.run(&["score", "-m", "learned.pddl", "t.trajectory"]);
        assert_eq!(done.status.code(), Some(expected), "{after}: {done:?}");
    }
    let never = LEARNED.split_once("(:action overflow").unwrap().0.to_owned() + ")";
    folder.write("learned.pddl", &never);
    // In a record, the margin is what records may be off: 8 - 0.05 is the most.
    for (before, after, allowed) in [("7.95", "9.95", 1), ("7.96", "9.96", 0)] {
        folder.write(
            "t.trajectory",
            &trace(after).replacen("(level t1) 1)", &format!("(level t1) {before})"), 1),
        );
        let done = folder.run(&[
            "score",
            "-m",
            "learned.pddl",
            "-d",
            "exact.pddl",
            "t.trajectory",
            "--format",
            "json",
        ]);
        let report: serde_json::Value = serde_json::from_str(&text(&done)).unwrap();
        assert_eq!(report["all"]["allowed"], allowed, "{report}");
    }
}
