//! Actions that behave in several ways, on the whole way: learned, checked, planned with,
//! explained, scored, and stored.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A battery that stops at 100.
const REAL: &str = "(define (domain hall) (:requirements :conditional-effects :numeric-fluents)
  (:predicates (docked ?r)) (:functions (battery ?r))
  (:action charge :parameters (?r) :precondition (docked ?r)
    :effect (and (when (<= (battery ?r) 70) (increase (battery ?r) 30))
                 (when (> (battery ?r) 70) (assign (battery ?r) 100)))))";

struct Hall(tempfile::TempDir);

impl Hall {
    fn new() -> Self {
        let hall = Hall(tempfile::tempdir().unwrap());
        hall.write("real.pddl", REAL);
        let domain = "(define (domain hall) (:predicates (docked ?r)) (:functions (battery ?r))
  (:action charge :parameters (?r)))";
        hall.write("domain.pddl", domain);
        hall.write("cut.json", "{\"charge\": \"(<= (battery ?r) 70)\"}");
        fs::create_dir(hall.path().join("traces")).unwrap();
        for level in [0, 10, 25, 40, 55, 70, 72, 80, 90, 100] {
            let after = (level + 30).min(100);
            hall.write(
                &format!("traces/{level}.trajectory"),
                &format!(
                    "((:init (docked r) (= (battery r) {level}))\n(operator: (charge r))\n(:state \
                     (docked r) (= (battery r) {after})))\n"
                ),
            );
        }
        for (name, level) in [("low", 10), ("high", 75), ("between", 71)] {
            hall.write(
                &format!("{name}.pddl"),
                &format!(
                    "(define (problem {name}) (:domain hall) (:objects r) (:init (docked r) (= \
                     (battery r) {level})) (:goal (>= (battery r) 100)))"
                ),
            );
        }
        hall
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let command = env!("CARGO_BIN_EXE_surefoot");
        Command::new(command).current_dir(self.path()).args(arguments).output().unwrap()
    }

    /// Both streams of a command that must succeed.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    }

    /// The messages of a command that must fail.
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = [&output.stdout[..], &output.stderr].concat();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(said).unwrap()
    }

    fn learn(&self, more: &[&str]) -> String {
        let usual = [
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "learned.pddl",
            "--certificate",
            "c.json",
            "--save-state",
            "s.bin",
            "traces",
        ];
        self.says(&[&usual[..], more].concat())
    }
}

const CUT: &[&str] = &["--parts", "cut.json"];

#[test]
fn a_cap_is_learned_checked_planned_with_and_explained() {
    let hall = Hall::new();
    let refused = hall.fails(&["learn", "-d", "domain.pddl", "-o", "x.pddl", "traces"]);
    assert!(refused.contains("charge"), "{refused}");
    let said = hall.learn(CUT);
    for line in [" charge--1 ", " charge--2 ", "charge--1 is where (<= (battery ?r) 70)"] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let check = ["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json", "traces"];
    let said = hall.says(&check);
    assert!(said.contains("charge--2 where (> (battery ?r) 70)"), "{said}");
    hall.fails(&[&check[..], &["--assume", "none"]].concat());
    // Plans charge to the cap, and beyond it, and are plans of the real domain.
    for (problem, steps) in [("low.pddl", 3), ("high.pddl", 1)] {
        hall.says(&["plan", "-m", "learned.pddl", "-p", problem, "-o", "plan.txt"]);
        let plan = hall.read("plan.txt");
        assert_eq!(
            plan.lines().filter(|line| line.contains("(charge r)")).count(),
            steps,
            "{plan}"
        );
        for model in ["learned.pddl", "real.pddl"] {
            hall.says(&["validate", "-m", model, "-p", problem, "plan.txt"]);
        }
    }
    // What lies between the highest step below and the lowest one above was not recorded.
    hall.fails(&["plan", "-m", "learned.pddl", "-p", "between.pddl", "-o", "none.txt"]);
    let explain = |more: &[&str]| {
        let usual = ["explain", "-m", "learned.pddl", "-p", "between.pddl", "(charge r)"];
        let output = hall.run(&[&usual[..], more].concat());
        String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap()
    };
    let said = explain(&["--state", "s.bin", "-c", "c.json"]);
    assert!(said.contains("in the part charge--2 of charge, where (> (battery ?r) 70)"), "{said}");
    assert!(said.contains("battery of r is 71"), "{said}");
    let said = explain(&["--traces", "traces", "-c", "c.json"]);
    assert!(said.contains("in the part charge--2") && said.contains("nearest"), "{said}");
    // Counts are by action of the domain.
    let said = hall.says(&["score", "-d", "domain.pddl", "-m", "learned.pddl", "traces"]);
    assert!(said.contains("charge") && !said.contains("charge--"), "{said}");
    hall.says(&[&["assess", "-d", "domain.pddl", "traces"][..], CUT].concat());
}

#[test]
fn bodies_that_the_parts_cover_void_nothing() {
    let hall = Hall::new();
    let learn = |more: &[&str]| {
        let usual = ["learn", "-d", "real.pddl", "-o", "learned.pddl", "traces"];
        hall.says(&[&usual[..], more].concat())
    };
    learn(CUT);
    assert!(!hall.read("learned.pddl").contains("PROMISE IS VOID"));
    hall.write("other.json", "{\"charge\": [\"(<= (battery ?r) 70)\", \"(<= (battery ?r) 80)\"]}");
    learn(&["--parts", "other.json"]);
    assert!(!hall.read("learned.pddl").contains("PROMISE IS VOID"));
    // A cut elsewhere does not cover what the bodies say.
    hall.write(
        "gap.json",
        "{\"charge\": [[\"(<= (battery ?r) 60)\"], [\"(> (battery ?r) 65)\", \
         \"(<= (battery ?r) 71)\"]]}",
    );
    let said = learn(&["--parts", "gap.json"]);
    assert!(hall.read("learned.pddl").contains("PROMISE IS VOID"), "{said}");
    assert!(said.contains("charge: 4 steps are in none of its parts"), "{said}");
}

#[test]
fn states_of_other_parts_are_not_merged_and_wrong_parts_are_named() {
    let hall = Hall::new();
    hall.learn(CUT);
    fs::rename(hall.path().join("s.bin"), hall.path().join("one.bin")).unwrap();
    hall.write(
        "gap.json",
        "{\"charge\": [[\"(<= (battery ?r) 70)\"], [\"(>= (battery ?r) 72)\"]]}",
    );
    hall.learn(&["--parts", "gap.json"]);
    let said = hall.fails(&["merge", "one.bin", "s.bin", "-o", "both.bin"]);
    assert!(said.contains("--parts"), "{said}");
    hall.says(&["merge", "one.bin", "one.bin", "-o", "both.bin"]);
    assert_eq!(
        fs::read(hall.path().join("one.bin")).unwrap(),
        fs::read(hall.path().join("both.bin")).unwrap()
    );
    for (text, why) in [
        ("{\"fly\": \"(docked ?r)\"}", "wrong.json: the domain has no action fly"),
        ("{\"charge\": \"(<= (batery ?r) 70)\"}", "wrong.json: charge: (<= (batery ?r) 70): "),
        (
            "{\"charge\": [[\"(<= (battery ?r) 70)\"], [\"(>= (battery ?r) 70)\"]]}",
            "parts 1 and 2 overlap",
        ),
        ("{\"charge\": 70}", "wrong.json:1:"),
        ("{\"charge\": \"(docked ?r)\", \"charge\": \"(docked ?r)\"}", "stands there twice"),
    ] {
        hall.write("wrong.json", text);
        let said = hall.fails(&[
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "x.pddl",
            "--parts",
            "wrong.json",
            "traces",
        ]);
        assert!(said.contains(why), "{text}: {said}");
    }
}
