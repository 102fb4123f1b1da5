//! PlanMiner on the command line: what is said of a learner that promises nothing.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DOMAIN: &str = "(define (domain tanks) (:requirements :typing :fluents) (:types tank) \
                      (:predicates (open ?t - tank))
    (:functions (level ?t - tank)) (:action fill :parameters (?t - tank) :precondition (and (open \
                      ?t))
    :effect (and (increase (level ?t) 2))) (:action close :parameters (?t - tank) :precondition \
                      (and (open ?t))
    :effect (and (not (open ?t)))))";

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command.current_dir(folder).args(words).stdin(Stdio::null()).output().unwrap()
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

/// Ten records of a tank that is filled some times and closed.
fn records() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("domain.pddl"), DOMAIN).unwrap();
    for number in 0..10 {
        let level = |step: usize| 3 * number + 2 * step;
        let filled = 2 + number % 3;
        let state = |step: usize| format!("(open a) (= (level a) {})", level(step));
        let mut text = format!("((:init {})\n", state(0));
        (1..=filled)
            .for_each(|step| text += &format!("(operator: (fill a))\n(:state {})\n", state(step)));
        text += &format!("(operator: (close a))\n(:state (= (level a) {}))\n)\n", level(filled));
        fs::write(folder.path().join(format!("p{number}.trajectory")), text).unwrap();
        let problem = format!(
            "(define (problem p{number}) (:domain tanks) (:objects a - tank) (:init {}) (:goal \
             (and (>= (level a) 1))))",
            state(0)
        );
        fs::write(folder.path().join(format!("p{number}.pddl")), problem).unwrap();
    }
    folder
}

#[test]
fn planminer_says_that_it_is_not_safe_and_check_refuses_it_for_that() {
    let folder = records();
    let folder = folder.path();
    let learn =
        ["learn", "-d", "domain.pddl", "-o", "learned.pddl", "--algorithm", "planminer", "."];
    let done = run(folder, &learn);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(said(&done).contains("NOT SAFE: "), "{}", said(&done));
    let model = fs::read_to_string(folder.join("learned.pddl")).unwrap();
    assert!(
        model.starts_with("; Learned by surefoot ") && model.contains("\n; NOT SAFE: "),
        "{model}"
    );
    assert!(
        model.contains("(increase (level ?t) 2)") && model.contains("(not (open ?t))"),
        "{model}"
    );
    assert_eq!(said(&run(folder, &learn)), said(&done), "twice the same");
    let refused = run(folder, &[&learn[..], &["--certificate", "c.json"]].concat());
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("PlanMiner is not one"), "{}", said(&refused));
    // A certificate of another model does not help.
    let safe = run(
        folder,
        &["learn", "-q", "-d", "domain.pddl", "-o", "safe.pddl", "--certificate", "c.json", "."],
    );
    assert_eq!(safe.status.code(), Some(0), "{}", said(&safe));
    for format in ["text", "json"] {
        let checked = run(
            folder,
            &[
                "check",
                "-d",
                "domain.pddl",
                "-m",
                "learned.pddl",
                "-c",
                "c.json",
                "--format",
                format,
                ".",
            ],
        );
        assert_eq!(checked.status.code(), Some(1), "{}", said(&checked));
        assert!(said(&checked).contains("is marked NOT SAFE"), "{}", said(&checked));
    }
}

#[test]
fn a_model_that_says_that_it_is_not_safe_is_used_with_a_warning() {
    let folder = records();
    let run = |words: &[&str]| run(folder.path(), words);
    for (model, algorithm) in [("pm.pddl", "planminer"), ("safe.pddl", "nsam-star")] {
        let done =
            run(&["learn", "-q", "-d", "domain.pddl", "-o", model, "--algorithm", algorithm, "."]);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    }
    let warning =
        "warning: pm.pddl says of itself that it is NOT SAFE: plans made with it may fail\n";
    let closed = "(define (problem c) (:domain tanks) (:objects a - tank) (:init (= (level a) 1)) \
                  (:goal (and)))";
    fs::write(folder.path().join("closed.pddl"), closed).unwrap();
    fs::create_dir(folder.path().join("test")).unwrap();
    fs::copy(folder.path().join("p0.pddl"), folder.path().join("test/p0.pddl")).unwrap();
    for model in ["pm.pddl", "safe.pddl"] {
        let warnings = usize::from(model == "pm.pddl");
        for (words, code) in [
            (&["plan", "-q", "-d", model, "-p", "p0.pddl"][..], 0),
            (&["explain", "-d", model, "-p", "closed.pddl", "(close a)"], 1),
            (&["evaluate", "--truth", "domain.pddl", "--learned", model, "--problems", "test"], 0),
        ] {
            let done = run(words);
            assert_eq!(done.status.code(), Some(code), "{words:?}: {}", said(&done));
            assert_eq!(
                said(&done).matches(warning).count(),
                warnings,
                "{words:?}: {}",
                said(&done)
            );
            assert_eq!(
                said(&done).contains("(with --state"),
                words[0] == "explain" && warnings == 0,
                "{}",
                said(&done)
            );
        }
        let planned = run(&["plan", "-d", model, "-p", "p0.pddl", "--format", "json"]);
        assert_eq!(
            String::from_utf8_lossy(&planned.stdout).contains("\"not_safe\""),
            warnings == 1,
            "{}",
            said(&planned)
        );
        let checked = run(&["check", "-d", "domain.pddl", "-m", model, "."]);
        assert_eq!(
            checked.status.code(),
            Some(if warnings == 1 { 1 } else { 2 }),
            "{}",
            said(&checked)
        );
        let expected = if warnings == 1 {
            "is marked NOT SAFE"
        } else {
            "name the certificate of safe.pddl with -c"
        };
        assert!(said(&checked).contains(expected), "{}", said(&checked));
    }
}

#[test]
fn planminer_reads_its_own_dials_and_refuses_those_of_safe_learners() {
    let folder = records();
    let learn = |words: &[&str]| {
        run(
            folder.path(),
            &[&["learn", "-d", "domain.pddl", "-o", "learned.pddl", "."], words].concat(),
        )
    };
    for (words, refusal) in [
        (&["--algorithm", "planminer", "--arity", "1"][..], "PlanMiner does not read --arity"),
        (
            &["--algorithm", "planminer", "--on-bad-data", "quarantine"],
            "PlanMiner does not read --on-bad-data: leave it out",
        ),
        (
            &["--algorithm", "planminer", "--set-aside-share", "0.1"],
            "PlanMiner does not read --set-aside-share",
        ),
        (
            &["--algorithm", "planminer", "--set-aside-steps", "3"],
            "PlanMiner does not read --set-aside-steps",
        ),
        (&["--repair", "all"], "N-SAM* does not read --repair"),
        (&["--algorithm", "nsam", "--seed", "1"], "N-SAM does not read --seed"),
        (&["--algorithm", "planminer-repaired", "--repair", "bounded"], "does not read --repair"),
        (&["--algorithm", "planminer", "--repair", "magic"], "zero-arity"),
    ] {
        let done = learn(words);
        assert_eq!(done.status.code(), Some(2), "{words:?}: {}", said(&done));
        assert!(said(&done).contains(refusal), "{words:?}: {}", said(&done));
    }
    let text = |words: &[&str]| {
        let done = learn(words);
        assert_eq!(done.status.code(), Some(0), "{words:?}: {}", said(&done));
        fs::read_to_string(folder.path().join("learned.pddl")).unwrap()
    };
    let all = text(&[
        "--algorithm",
        "planminer",
        "--repair",
        "all",
        "--time-limit",
        "600",
        "--seed",
        "5",
    ]);
    let repaired = text(&["--algorithm", "planminer-repaired"]);
    assert_eq!(all.replace("repaired (seed 5; time limit 600 s).", "repaired."), repaired);
    let some = text(&["--algorithm", "planminer", "--repair", "no-clock, static-facts"]);
    assert!(
        some.contains("with PlanMiner (repaired: no-clock, static-facts).")
            && some.contains("(:action fill"),
        "{some}"
    );
}

#[test]
fn planminer_stands_beside_the_safe_learners_in_an_experiment() {
    let folder = records();
    let config = "folds = 2\ntraces = [4]\nalgorithms = \
        [\"nsam-star\", \"planminer\", \"planminer-repaired\"]\n[test]\nwalks = 1\nsteps = 5\n\
        inapplicable = 0.2\n[[setting]]\nname = \"plain\"\n[[setting]]\nname = \"told\"\narity = \
        1\n[[domain]]\nname = \"tanks\"\n\
        folder = \".\"\ndegree = 2\n";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let done = run(folder.path(), &["experiment", "config.toml", "-o", "results"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let summary = fs::read_to_string(folder.path().join("results/summary.csv")).unwrap();
    let has = |line: &str| summary.lines().any(|row| row.starts_with(line));
    assert!(
        has("tanks,plain,nsam-star,4,")
            && has("tanks,plain,planminer,4,")
            && has("tanks,plain,planminer-repaired,4,"),
        "{summary}"
    );
    assert!(has("tanks,told,nsam-star,4,") && !has("tanks,told,planminer"), "{summary}");
}
