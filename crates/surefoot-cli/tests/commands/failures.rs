//! Failed attempts, as users meet them: what is learned, refused and answered.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DOMAIN: &str =
    "(define (domain work) (:types robot) (:predicates (on ?r - robot)) (:functions (charge ?r - \
     robot) (load ?r - robot))
  (:action work :parameters (?r - robot)
    :precondition (and (on ?r) (<= (+ (charge ?r) (load ?r)) 10) (>= (charge ?r) 1)) :effect \
     (decrease (charge ?r) 1)))";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("domain.pddl", DOMAIN);
        fs::create_dir(folder.path().join("problems")).unwrap();
        folder.write(
            "problems/p.pddl",
            "(define (problem p) (:domain work) (:objects r - robot) \
                                         (:init (on r) (= (charge r) 5) (= (load r) 0)) (:goal (on \
                                         r)))",
        );
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// A trace a line: `on`, charge, load; and what became of `work`: the charge afterwards, or
    /// that it failed.
    fn traces(&self, lines: &[(bool, i64, i64, Option<i64>)]) {
        for (number, (on, charge, load, after)) in lines.iter().enumerate() {
            let state = |charge: &i64| {
                format!(
                    "{} (= (charge r) {charge}) (= (load r) {load})",
                    if *on { "(on r)" } else { "" }
                )
            };
            let outcome = match after {
                Some(after) => format!("(operator: (work r))\n(:state {})", state(after)),
                None => "(failed: (work r))".to_owned(),
            };
            self.write(
                &format!("t{number}.trajectory"),
                &format!("((:init {})\n{outcome}\n)\n", state(charge)),
            );
        }
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.current_dir(self.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    fn learn(&self, words: &[&str]) -> Output {
        self.run(
            &[
                &[
                    "learn",
                    "-d",
                    "domain.pddl",
                    "-o",
                    "learned.pddl",
                    "--state",
                    "state",
                    "--certificate",
                    "c.json",
                    ".",
                ],
                words,
            ]
            .concat(),
        )
    }

    fn check(&self) -> Output {
        self.run(&["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json", "."])
    }
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

fn succeeds(done: &Output) -> String {
    assert_eq!(done.status.code(), Some(0), "{}", said(done));
    said(done)
}

fn refuses(done: &Output, words: &str) {
    assert_eq!(done.status.code(), Some(2), "{}", said(done));
    assert!(said(done).contains(words), "{}", said(done));
}

/// What worked has a charge from 1 to 9, and a sum of at most ten.
const WORKED: [(bool, i64, i64, Option<i64>); 4] =
    [(true, 1, 0, Some(0)), (true, 9, 1, Some(8)), (true, 1, 9, Some(0)), (true, 5, 5, Some(4))];

#[test]
fn failures_are_counted_certified_and_change_nothing_of_the_model() {
    let folder = Folder::new();
    folder.traces(&WORKED);
    succeeds(&folder.learn(&[]));
    let without = fs::read_to_string(folder.path().join("learned.pddl")).unwrap();
    assert!(!fs::read_to_string(folder.path().join("c.json")).unwrap().contains("failures"));
    let failed =
        [(true, 0, 0, None), (true, 9, 9, None), (false, 5, 5, None), (true, 30, 30, None)];
    folder.traces(&[&WORKED[..], &failed].concat());
    let said = succeeds(&folder.learn(&[]));
    // The last one is behind the second, as seen from what worked.
    assert!(
        said.contains(
            "work: 4 failed attempts; 3 of them rule out steps that no other failed \
        attempt rules out"
        ),
        "{said}"
    );
    assert_eq!(fs::read_to_string(folder.path().join("learned.pddl")).unwrap(), without);
    let certificate = fs::read_to_string(folder.path().join("c.json")).unwrap();
    assert!(
        certificate.contains("A step fails only because its precondition does not hold."),
        "{certificate}"
    );
    succeeds(&folder.check());
    // A failure that had more than was recorded would forbid more.
    let mut forged: serde_json::Value = serde_json::from_str(&certificate).unwrap();
    for failure in forged["failures"]["work"].as_array_mut().unwrap() {
        failure["missing"] = serde_json::json!([]);
    }
    folder.write("c.json", &forged.to_string());
    let refused = folder.check();
    assert_eq!(refused.status.code(), Some(1), "{}", self::said(&refused));
    assert!(
        self::said(&refused).contains("the certificate lists a failure that was not recorded"),
        "{}",
        self::said(&refused)
    );
}

#[test]
fn an_assumption_that_a_failure_refutes_is_named_with_the_row() {
    let folder = Folder::new();
    folder.traces(&[&WORKED[..], &[(true, 9, 9, None)]].concat());
    refuses(
        &folder.learn(&["--arity", "1"]),
        "--arity 1 is refuted by ./t4.trajectory:2: work failed there",
    );
    folder.write("m.json", r#"{"work": {"(load ?r)": "more"}}"#);
    refuses(
        &folder.learn(&["--monotone", "m.json"]),
        "the --monotone assumption `more` on (load ?r) is refuted by ./t4.trajectory:2",
    );
    succeeds(&folder.learn(&["--arity", "2"]));
}

#[test]
fn a_failure_among_what_worked_is_bad_data() {
    let folder = Folder::new();
    folder.traces(&[&WORKED[..], &[(true, 2, 2, None)]].concat());
    refuses(
        &folder.learn(&[]),
        "(work r) failed, although every fact that held before all successful steps of work held \
         here too",
    );
    refuses(&folder.learn(&[]), "t4.trajectory:2");
    // It is the only action: what is left is a model that allows nothing, and that is said.
    let done = folder.learn(&["--on-bad-data", "skip-action"]);
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && folder.path().join("learned.pddl").exists(), "{said}");
    assert!(
        said.contains("no model of the class explains its steps")
            && said.contains("warning: no action was learned"),
        "{said}"
    );
    let quiet = folder.learn(&["--on-bad-data", "skip-action", "-q"]);
    assert!(String::from_utf8_lossy(&quiet.stderr).contains("warning: no action was learned"));
    // Set aside, it would be allowed.
    refuses(
        &folder.learn(&["--on-bad-data", "quarantine"]),
        "An attempt that failed cannot be set aside",
    );
}

#[test]
fn a_failure_that_the_model_allows_whatever_was_unknown_is_bad_data() {
    let folder = Folder::new();
    let domain =
        "(define (domain d) (:predicates (power) (on) (z)) (:action switch-on :parameters ()))";
    folder.write("domain.pddl", domain);
    let step = |before: &str| {
        format!("((:init {before})\n(operator: (switch-on))\n(:state {before} (on))\n)\n")
    };
    folder.write("t0.trajectory", &step("(power)"));
    folder.write("t1.trajectory", "((:init (power) (unknown (z)))\n(failed: (switch-on))\n)\n");
    // It may have failed since (z) held.
    succeeds(&folder.learn(&[]));
    succeeds(&folder.check());
    let certificate = fs::read_to_string(folder.path().join("c.json")).unwrap();
    // That does not matter, so it failed for no reason.
    folder.write("t2.trajectory", &step("(power) (z)"));
    refuses(
        &folder.learn(&[]),
        "(switch-on) failed, although every fact that held before all successful steps of \
         switch-on held here too",
    );
    refuses(&folder.learn(&[]), "t1.trajectory:2");
    refuses(
        &folder.learn(&["--on-bad-data", "quarantine"]),
        "An attempt that failed cannot be set aside",
    );
    // Of a model that was not learned from it, no certificate sets it aside either: it is held
    // against the model.
    let failed = fs::read_to_string(folder.path().join("t1.trajectory")).unwrap();
    fs::remove_file(folder.path().join("t1.trajectory")).unwrap();
    succeeds(&folder.learn(&[]));
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let mut forged = read(&fs::read_to_string(folder.path().join("c.json")).unwrap());
    let digests = |of: &serde_json::Value| of["traces"].as_array().unwrap().clone();
    let known = digests(&forged);
    let digest =
        digests(&read(&certificate)).into_iter().find(|digest| !known.contains(digest)).unwrap();
    forged["traces"].as_array_mut().unwrap().push(digest.clone());
    forged["assumptions"]["set-aside"] =
        serde_json::json!([{ "trace": digest, "step": 0, "what": "wrong." }]);
    folder.write("c.json", &forged.to_string());
    folder.write("t1.trajectory", &failed);
    let refused = self::said(&folder.check());
    assert!(
        refused.contains("the model allows an attempt that failed (./t1.trajectory:2"),
        "{refused}"
    );
}

#[test]
fn steps_that_should_have_changed_something_are_read_as_failures() {
    let folder = Folder::new();
    folder.traces(&[&WORKED[..], &[(true, 0, 0, Some(0)), (false, 5, 5, Some(5))]].concat());
    refuses(&folder.learn(&[]), "changes nothing, unlike the other steps of ");
    let said = succeeds(&folder.learn(&["--unchanged", "failed"]));
    assert!(said.contains("work: 2 failed attempts"), "{said}");
    let model = fs::read_to_string(folder.path().join("learned.pddl")).unwrap();
    assert!(model.contains(";  - A recorded step that changed nothing"), "{model}");
    succeeds(&folder.check());
}

#[test]
fn a_step_that_may_have_failed_and_changed_nothing_counts_neither_way() {
    let folder = Folder::new();
    folder.write(
        "domain.pddl",
        "(define (domain d) (:predicates (power) (on) (z)) (:action switch-on :parameters ()))",
    );
    // The last one failed for want of power; had it worked, it would have changed nothing either.
    let steps =
        [("(power)", "(power) (on)"), ("(power) (z)", "(power) (on) (z)"), ("(on)", "(on)")];
    for (number, (before, after)) in steps.iter().enumerate() {
        let text = format!("((:init {before})\n(operator: (switch-on))\n(:state {after})\n)\n");
        folder.write(&format!("t{number}.trajectory"), &text);
    }
    let said = succeeds(&folder.learn(&["--unchanged", "failed"]));
    assert!(
        said.contains(
            "\n1 step that changed nothing counts neither as worked nor as \
                           failed\n"
        ),
        "{said}"
    );
    let model = fs::read_to_string(folder.path().join("learned.pddl")).unwrap();
    assert!(model.contains(", it counts neither as worked nor as failed."), "{model}");
    assert!(model.split(":precondition").nth(1).unwrap().contains("(power)"), "{model}");
    succeeds(&folder.check());
    // Taken as one that worked it would refute that power is needed: `check` does not take it so.
    let (head, body) = model.split_once(":precondition").unwrap();
    folder
        .write("learned.pddl", &format!("{head}:precondition{}", body.replacen("(power)", "", 1)));
    let refused = self::said(&folder.check());
    assert!(
        refused.contains("(power) held before every step, but is not in the precondition"),
        "{refused}"
    );
}

/// Only the state after such a step may tell that its effect is missing: nothing changed, so it was
/// so before, too.
#[test]
fn steps_that_only_their_end_shows_to_have_changed_nothing_are_read_as_failures() {
    let folder = Folder::new();
    folder.write(
        "domain.pddl",
        "(define (domain d) (:predicates (power) (on)) (:action switch-off :parameters ()))",
    );
    let steps = [("(power) (on)", "(power)"), ("(unknown (on))", "(on)")];
    for (number, (before, after)) in steps.iter().enumerate() {
        let text = format!("((:init {before})\n(operator: (switch-off))\n(:state {after})\n)\n");
        folder.write(&format!("t{number}.trajectory"), &text);
    }
    let said = succeeds(&folder.learn(&["--unchanged", "failed"]));
    assert!(said.contains("switch-off: 1 failed attempt"), "{said}");
    succeeds(&folder.check());
}

/// The states of traces that are learned from one by one: those that worked first.
fn states(folder: &Folder, words: &[&str]) {
    for name in ["worked", "failed"] {
        let (trace, state) = (format!("{name}.trajectory"), format!("{name}.state"));
        succeeds(
            &folder
                .run(&[&["learn", "-d", "domain.pddl", &trace, "--state", &state], words].concat()),
        );
    }
}

#[test]
fn states_that_hold_a_failure_among_what_worked_are_neither_joined_nor_learned_from() {
    let folder = Folder::new();
    let state = |charge: i64| format!("(on r) (= (charge r) {charge}) (= (load r) 0)");
    let step = |charge: i64| {
        format!("{})\n(operator: (work r))\n(:state {})\n", state(charge), state(charge - 1))
    };
    folder.write("worked.trajectory", &format!("((:init {}(:reset {})", step(2), step(6)));
    folder.write("failed.trajectory", &format!("((:init {})\n(failed: (work r)))", state(4)));
    states(&folder, &[]);
    let merge = ["merge", "worked.state", "failed.state", "-o", "both.state"];
    refuses(
        &folder.run(&merge),
        "these states contradict each other: an attempt at work failed in a state where every \
         model",
    );
    assert!(!folder.path().join("both.state").exists());
    succeeds(&folder.run(&[&merge[..], &["--on-bad-data", "skip-action"]].concat()));
    let resume = ["learn", "-d", "domain.pddl", "--resume", "both.state"];
    refuses(&folder.run(&resume), "no model of the class explains why work failed");
    // It is left out, and nothing else was learned.
    let skipped = folder.run(&[&resume[..], &["--on-bad-data", "skip-action"]].concat());
    let said = String::from_utf8_lossy(&skipped.stdout);
    assert_eq!(skipped.status.code(), Some(0), "{said}");
    assert!(said.contains("no model of the class explains its steps"), "{said}");
    // A failure outside is no contradiction.
    folder.write("failed.trajectory", &format!("((:init {})\n(failed: (work r)))", state(7)));
    states(&folder, &[]);
    succeeds(&folder.run(&merge));
    succeeds(&folder.run(&resume));
}

#[test]
fn a_kept_failure_is_compared_with_what_is_learned_where_functions_are_one() {
    let folder = Folder::new();
    folder.write(
        "domain.pddl",
        "(define (domain d) (:types o) (:predicates (done)) (:functions (f ?x - o)) (:action a \
         :parameters (?p ?q ?r - o)))",
    );
    let zeros = "(= (f a) 0) (= (f b) 0) (= (f c) 0)";
    let step = |call: &str| format!("{zeros})\n(operator: ({call})) (:state {zeros} (done))\n");
    let worked = ["a a b c", "a a a c", "a a b b", "a a b a"].map(step).join("(:reset ");
    let again = format!("(operator: (a a b c)) (:state {zeros} (done))");
    folder.write("worked.trajectory", &format!("((:init {worked}{again})"));
    // Never seen with one object for all three; but two by two, so that it is learned.
    folder.write("failed.trajectory", &format!("((:init {zeros})\n(failed: (a a a a)))"));
    states(&folder, &[]);
    let resume = |state: &str, trace: &str| {
        folder.run(&["learn", "-d", "domain.pddl", "--resume", state, trace])
    };
    refuses(&resume("worked.state", "failed.trajectory"), "(a a a a) failed, although");
    refuses(
        &resume("failed.state", "worked.trajectory"),
        "no model of the class explains why a failed",
    );
    refuses(
        &folder.run(&["merge", "worked.state", "failed.state", "-o", "both.state"]),
        "an attempt at a failed",
    );
}

#[test]
fn a_kept_failure_without_a_value_that_is_said_not_to_matter_refutes_the_mark() {
    let folder = Folder::new();
    folder.write(
        "domain.pddl",
        "(define (domain d) (:functions (x) (y)) (:action a :parameters ()))",
    );
    folder.write("mono.json", r#"{"a": {"(x)": "any"}}"#);
    let step = |x: i64, y: i64| {
        format!(
            "(= (x) {x}) (= (y) {y}))\n(operator: (a)) (:state (= (x) {x}) (= (y) {}))\n",
            y + 1
        )
    };
    let worked = [step(0, 0), step(4, 4), step(4, 0)].join("(:reset ");
    folder.write("worked.trajectory", &format!("((:init {worked})"));
    folder.write("failed.trajectory", "((:init (= (y) 2))\n(failed: (a)))");
    let marks = ["--monotone", "mono.json"];
    states(&folder, &marks);
    succeeds(&folder.run(&["merge", "worked.state", "failed.state", "-o", "both.state"]));
    let resume = ["learn", "-d", "domain.pddl", "--resume", "both.state"];
    refuses(
        &folder.run(&[&resume[..], &marks].concat()),
        "the --monotone assumption `any` on (x) is refuted by a failed attempt",
    );
    succeeds(&folder.run(&resume));
}

#[test]
fn the_three_answers_are_counted_and_forbidden_is_never_wrong() {
    let folder = Folder::new();
    folder.traces(&[&WORKED[..], &[(true, 0, 0, None), (false, 5, 5, None)]].concat());
    succeeds(&folder.learn(&[]));
    let words = [
        "evaluate",
        "--truth",
        "domain.pddl",
        "--learned",
        "learned.pddl",
        "--problems",
        "problems",
        "-c",
        "c.json",
    ];
    let plain = succeeds(&folder.run(&words));
    assert!(!plain.contains("forbidden"), "{plain}");
    let said =
        succeeds(&folder.run(&[&words[..], &["--state", "state", "--format", "json"]].concat()));
    let report: serde_json::Value = serde_json::from_str(&said).unwrap();
    let answers = &report["answers"][0];
    assert!(answers["steps_forbidden"].as_u64().unwrap() > 0, "{answers}");
    assert_eq!(answers["forbidden_wrong"], 0);
}

#[test]
fn what_keeps_a_failure_from_telling_everything_is_named() {
    let folder = Folder::new();
    folder.traces(&WORKED);
    folder.write(
        "t9.trajectory",
        "((:init (on r) (= (charge r) 9) (unknown (load r)))\n(failed: (work r))\n)\n",
    );
    let said = succeeds(&folder.learn(&[]));
    assert!(
        said.contains(
            "1 proves less, because a value that work may depend on was unknown: (load \
        ?r)\n"
        ),
        "{said}"
    );
}

/// A failure of which something is unknown that no condition reads refutes what allows it, also
/// after a resume that has its state alone.
#[test]
fn a_failure_with_something_unknown_is_not_forgotten_by_a_state() {
    let folder = Folder::new();
    let domain = "(define (domain d) (:predicates (lit)) (:functions (x)) (:action use :parameters \
                  () :precondition (and) :effect (and)))";
    folder.write("d.pddl", domain);
    folder.write("failed.trajectory", "((:init (= (x) 3) (unknown (lit)))\n(failed: (use ))\n)\n");
    let worked = [("a", "(lit) ", 1), ("b", "", 5)];
    let worked = worked.map(|(name, lit, x)| {
        let state = format!("{lit}(= (x) {x})");
        folder.write(
            &format!("{name}.trajectory"),
            &format!("((:init {state})\n(operator: (use ))\n(:state {state})\n)\n"),
        );
        format!("{name}.trajectory")
    });
    let worked: Vec<&str> = worked.iter().map(String::as_str).collect();
    let learn =
        |words: &[&str]| folder.run(&[&["learn", "-d", "d.pddl", "-o", "m.pddl"], words].concat());
    refuses(&learn(&[&worked[..], &["failed.trajectory"]].concat()), "(use) failed, although");
    succeeds(&learn(&["--state", "state", "failed.trajectory"]));
    refuses(
        &learn(&[&["--resume", "state"], &worked[..]].concat()),
        "no model of the class explains why use failed",
    );
}

/// A log of fillings: something that is not recorded decides how much they add, and a low battery
/// makes them fail. Some cells are empty.
fn fillings(folder: &Folder) {
    let mut log =
        "run,action,can,result,battery_before,heat_before,level_before,level_after\n".to_owned();
    for run in 0..60 {
        let (battery, level) = (run * 37 % 60, run * 11 % 7);
        let (result, added) = if battery < 20 {
            (if battery < 10 { "E_LOW" } else { "E_MID" }, 0)
        } else {
            ("OK", 1 + run % 2)
        };
        let shown = |value: usize, every: usize| {
            if run % every == 0 { String::new() } else { value.to_string() }
        };
        let (battery, heat) = (shown(battery, 8), shown(run % 5, 3));
        log += &format!("r{run},fill,c,{result},{battery},{heat},{level},{}\n", level + added);
    }
    folder.write("log.csv", &log);
    folder.write(
        "map.toml",
        r#"
        episode = "run"
        action = "action"
        status = { column = "result", ok = "OK", failed = "*" }
        [before]
        battery_before = "(battery ?can)"
        heat_before = "(heat ?can)"
        level_before = "(level ?can)"
        [after]
        level_after = "(level ?can)"
        [actions]
        fill = ["can"]
        "#,
    );
}

/// Each code is quoted with what tells its rows, counted where that is known.
#[test]
fn codes_are_quoted_with_what_tells_their_rows_where_it_is_known() {
    let folder = Folder::new();
    fillings(&folder);
    let refused = folder.run(&["learn", "log.csv", "--map", "map.toml"]);
    let known = "is known before 9 of the 10 attempts that failed with E_LOW and before 33 of the \
                 40 steps that worked";
    refuses(
        &refused,
        &format!(
            "fill: E_LOW: (battery ?can) {known}; (battery ?can) <= 9 held before all of these 9 \
             and \
             before none"
        ),
    );
    refuses(&refused, "fill: E_MID: (battery ?can) is known before");
}
