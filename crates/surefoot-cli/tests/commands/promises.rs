//! What the command says and does about the promise of a model: its class, bad data, states,
//! certificates. Each test is a user's case.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(domain: &str) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.write("domain.pddl", domain);
        folder
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

    /// One step a trace: the state before, the action, the state after.
    fn step(&self, name: &str, [before, action, after]: [&str; 3]) {
        self.write(
            &format!("{name}.trajectory"),
            &format!("((:init {before})\n(operator: ({action}))\n(:state {after})\n)\n"),
        );
    }

    fn run(&self, words: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        command.current_dir(self.path()).args(words).stdin(Stdio::null()).output().unwrap()
    }

    fn learn(&self, words: &[&str]) -> Output {
        self.run(&[&["learn", "-d", "domain.pddl", "-o", "learned.pddl"], words].concat())
    }

    fn learned(&self, words: &[&str]) -> String {
        let done = self.learn(words);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        self.read("learned.pddl")
    }

    /// A model without actions, since the only one is left out.
    fn left_out(&self, words: &[&str]) -> String {
        let done = self.learn(&[&["--on-bad-data", "skip-action", "-q"], words].concat());
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        assert!(said(&done).contains("warning: no action was learned"), "{}", said(&done));
        self.read("learned.pddl")
    }
}

fn said(done: &Output) -> String {
    String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr)
}

fn refused(done: &Output, words: &str) {
    assert_eq!(done.status.code(), Some(2), "{}", said(done));
    assert!(said(done).contains(words), "{}", said(done));
}

/// The assumptions in the head of a model.
fn head(model: &str) -> Vec<String> {
    let items = model.lines().take_while(|line| line.starts_with(';'));
    items.filter_map(|line| Some(line.strip_prefix(";  - ")?.to_owned())).collect()
}

const PUSH: &str = "(define (domain boxes) (:predicates (wet ?x)) (:functions (load ?x)) (:action \
                    push :parameters (?x)))";

/// Three steps that add 1, and one that adds 5.
fn pushes() -> Folder {
    let folder = Folder::new(PUSH);
    for load in 1..=3 {
        let (before, after) =
            (format!("(= (load a) {load})"), format!("(= (load a) {})", load + 1));
        folder.step(&format!("good{load}"), [&before, "push a", &after]);
    }
    folder.step("bad", ["(= (load a) 2)", "push a", "(= (load a) 7)"]);
    folder
}

const GOOD: [&str; 3] = ["good1.trajectory", "good2.trajectory", "good3.trajectory"];

#[test]
fn a_body_outside_the_class_is_named_before_learning_and_in_the_head() {
    let folder = Folder::new(
        "(define (domain d) (:predicates (hot ?x) (broken ?x))
           (:action drop :parameters (?x) :precondition (or (hot ?x) (broken ?x)) :effect (when \
         (hot ?x) (broken ?x))))",
    );
    folder.step("one", ["(broken a)", "drop a", "(broken a)"]);
    let done = folder.learn(&["one.trajectory"]);
    for misfit in ["drop: it has a conditional effect", "drop: its precondition has a disjunction"]
    {
        assert!(
            said(&done).contains(&format!("warning: domain.pddl: {misfit}")),
            "{}",
            said(&done)
        );
        assert!(folder.read("learned.pddl").contains(misfit));
    }
    assert!(folder.read("learned.pddl").contains("THE PROMISE IS VOID"));
    // A domain without bodies says nothing about its author's idea of the world.
    folder.write(
        "domain.pddl",
        "(define (domain d) (:predicates (hot ?x) (broken ?x)) (:action drop :parameters (?x)))",
    );
    let done = folder.learn(&["one.trajectory"]);
    assert!(
        !said(&done).contains("warning") && !folder.read("learned.pddl").contains("VOID"),
        "{}",
        said(&done)
    );
}

#[test]
fn a_product_that_a_map_lists_is_of_the_class() {
    let folder = Folder::new(
        "(define (domain d) (:functions (x) (y) (z))
           (:action act :parameters () :precondition (<= (* (y) (x)) 9) :effect (increase (z) (* \
         (x) (y)))))",
    );
    folder.step("one", ["(= (x) 1) (= (y) 2) (= (z) 0)", "act", "(= (x) 1) (= (y) 2) (= (z) 2)"]);
    folder.write("relevant.json", r#"{"act": ["(z)", "(* (x) (y))"]}"#);
    let done = folder.learn(&["--relevant", "relevant.json", "one.trajectory"]);
    assert!(
        !said(&done).contains("warning") && !folder.read("learned.pddl").contains("VOID"),
        "{}",
        said(&done)
    );
    let done = folder.learn(&["one.trajectory"]);
    assert!(said(&done).contains("act: a condition multiplies (x), (y)"), "{}", said(&done));
}

#[test]
fn check_prints_the_assumptions_of_the_head_and_rejects_what_was_not_agreed_to() {
    let folder = pushes();
    folder.write("monotone.json", r#"{"push": {"(load ?x)": "more"}}"#);
    let words = ["--monotone", "monotone.json", "--arity", "1", "--certificate", "c.json"];
    let model = folder.learned(&[&words[..], &GOOD].concat());
    let check = |more: &[&str]| {
        folder.run(
            &[&["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json"], more, &GOOD]
                .concat(),
        )
    };
    for quiet in [&[][..], &["-q"]] {
        let done = check(quiet);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
        let text = String::from_utf8(done.stdout).unwrap();
        let printed: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        assert_eq!(printed, head(&model));
    }
    assert_eq!(check(&["--assume", "learned.pddl"]).status.code(), Some(0));
    let none = check(&["--assume", "none"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(
        said(&none).contains("More of (load ?x) never makes push inapplicable."),
        "{}",
        said(&none)
    );
    folder.write("agreed.txt", "More of (load ?x) never makes push inapplicable.\n");
    let some = check(&["--assume", "agreed.txt"]);
    assert_eq!(some.status.code(), Some(1));
    assert!(
        !said(&some).contains("More of") && said(&some).contains("at most 1 function"),
        "{}",
        said(&some)
    );
}

#[test]
fn check_rejects_a_head_that_states_other_assumptions_than_the_certificate() {
    let folder = pushes();
    let model = folder.learned(&[&["--arity", "1", "--certificate", "c.json"][..], &GOOD].concat());
    let check = |text: String| {
        folder.write("changed.pddl", &text);
        folder.run(
            &[&["check", "-d", "domain.pddl", "-m", "changed.pddl", "-c", "c.json"][..], &GOOD]
                .concat(),
        )
    };
    assert_eq!(check(model.clone()).status.code(), Some(0));
    let cut: String = model
        .lines()
        .filter(|line| !line.contains("at most 1 function"))
        .map(|line| format!("{line}\n"))
        .collect();
    let done = check(cut);
    assert_eq!(done.status.code(), Some(1));
    assert!(
        said(&done)
            .contains("the header of the model does not state an assumption of the certificate"),
        "{}",
        said(&done)
    );
    // Programs read the stamp, so it has to say the same, no more and no less.
    for (stamp, why) in [
        (
            model.replace("\"arity\":1", "\"arity\":2"),
            "says arity = 2, but its certificate arity = 1",
        ),
        (
            model
                .lines()
                .filter(|line| !line.starts_with("; surefoot-model"))
                .collect::<Vec<_>>()
                .join("\n"),
            "the model has no stamp, which means arity = null",
        ),
        (
            model.replace("\"arity\":1", "\"arity\":1,\"decimals\":3"),
            "says decimals = 3, but its certificate decimals = null",
        ),
    ] {
        let done = check(stamp);
        assert_eq!(done.status.code(), Some(1));
        assert!(said(&done).contains(why), "{}", said(&done));
    }
    let damaged = check(model.replace("{\"format\":1", "{\"format\":"));
    assert_eq!(damaged.status.code(), Some(2));
    assert!(said(&damaged).contains("is damaged"), "{}", said(&damaged));
    let done = check(model.replacen(";  - ", ";  - Loads are light.\n;  - ", 1));
    assert_eq!(done.status.code(), Some(1));
    assert!(
        said(&done).contains("that the certificate does not have: Loads are light."),
        "{}",
        said(&done)
    );
}

/// What a trajectory takes for granted is in every model that is learned from it, on whatever way;
/// `check` finds it in the trajectory.
#[test]
fn what_a_trajectory_takes_for_granted_is_never_lost() {
    let folder = pushes();
    let words = "The scale was empty at the start.";
    folder.write(
        "good1.trajectory",
        &format!("; assumed: {words}\n{}", folder.read("good1.trajectory")),
    );
    let whole =
        folder.learned(&[&["--state", "all.bin", "--certificate", "c.json"][..], &GOOD].concat());
    assert!(head(&whole).contains(&words.to_owned()), "{whole}");
    // Some editors put a byte order mark in front of a text.
    folder.write("marked.trajectory", &format!("\u{feff}{}", folder.read(GOOD[0])));
    assert_eq!(folder.learned(&["marked.trajectory", GOOD[1], GOOD[2]]), whole);
    // Others respell comments, or move them.
    let plain = folder.read(GOOD[0]).replace(&format!("; assumed: {words}\n"), "");
    for comment in [";; assumed:", ";Assumed :", ";\tASSUMED:"] {
        folder.write("respelled.trajectory", &format!("{plain}{comment} {words}\n"));
        let respelled = folder.learned(&["respelled.trajectory", GOOD[1], GOOD[2]]);
        assert_eq!(respelled, whole, "{comment}");
    }
    folder.learned(&["--state", "one.bin", GOOD[0]]);
    folder.learned(&["--state", "two.bin", GOOD[1], GOOD[2]]);
    assert_eq!(
        folder.run(&["merge", "one.bin", "two.bin", "-o", "both.bin"]).status.code(),
        Some(0)
    );
    for way in [
        &["--resume", "all.bin"][..],
        &["--resume", "both.bin"],
        &["--resume", "one.bin", GOOD[1], GOOD[2]],
    ] {
        assert_eq!(folder.learned(way), whole);
    }
    let certificate = folder.read("c.json");
    folder.write("c.json", &certificate.replace(words, "The scale was heavy at the start."));
    folder.write("learned.pddl", &whole.replace(words, "The scale was heavy at the start."));
    let done = folder.run(
        &[&["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json"][..], &GOOD]
            .concat(),
    );
    assert_eq!(done.status.code(), Some(1));
    assert!(
        said(&done).contains(&format!("what the trajectories take for granted: {words}")),
        "{}",
        said(&done)
    );
}

/// What the user says of the records is assumed by whoever goes on from what they show.
#[test]
fn what_options_say_of_the_records_is_never_lost() {
    let folder = pushes();
    let words = "No push depends on the colour of the crate.";
    folder.write("reading.txt", words);
    let saying = ["--reading", "reading.txt", "--on-bad-data", "quarantine"];
    let whole = folder.learned(&[&saying[..], &["--save-state", "all.bin"], &GOOD].concat());
    assert!(head(&whole).contains(&words.to_owned()), "{whole}");
    folder.learned(&[&saying[..], &["--save-state", "one.bin", GOOD[0]]].concat());
    folder.learned(&["--save-state", "two.bin", GOOD[1], GOOD[2]]);
    let merged = folder.run(&["merge", "one.bin", "two.bin", "-o", "both.bin"]);
    assert_eq!(merged.status.code(), Some(0), "{}", said(&merged));
    let one = ["learn", "-q", "-d", "domain.pddl", "-o", "one.surefoot", GOOD[0]];
    let one = folder.run(&[&one[..], &saying[..2]].concat());
    assert_eq!(one.status.code(), Some(0), "{}", said(&one));
    for way in [
        &["--resume", "all.bin"][..],
        &["--resume", "all.bin", "--on-bad-data", "quarantine"],
        &["--resume", "both.bin"],
        &["--resume", "one.bin", GOOD[1], GOOD[2]],
        &["--resume", "one.bin", GOOD[1], GOOD[2], "--on-bad-data", "quarantine"],
        &["--resume", "one.surefoot", GOOD[1], GOOD[2], "--facet-budget", "500"],
    ] {
        let resumed = folder.learned(way);
        assert!(head(&resumed).contains(&words.to_owned()), "{way:?}: {resumed}");
    }
}

/// Quarantine learns anew from the records that a state holds, and reads them as they were read.
#[test]
fn quarantine_goes_on_reading_unchanged_steps_as_failed() {
    let folder = pushes();
    folder.step("idle", ["(= (load a) 3)", "push a", "(= (load a) 3)"]);
    let reading = ["--unchanged", "failed", "--on-bad-data", "quarantine"];
    let records = ["idle.trajectory", GOOD[0], GOOD[1]];
    let whole = folder.learned(&[&reading[..], &["--save-state", "failed.bin"], &records].concat());
    for options in [&reading[..], &reading[2..], &reading[..2], &[]] {
        let resumed = folder.learned(&[options, &["--resume", "failed.bin"]].concat());
        assert_eq!(resumed, whole, "{options:?}");
    }
}

/// A state goes on as it was begun, and is not mixed with one that took such steps for ones that
/// worked.
#[test]
fn a_state_remembers_how_steps_that_changed_nothing_were_read() {
    let folder = pushes();
    folder.step("idle", ["(= (load a) 3)", "push a", "(= (load a) 3)"]);
    let failed = ["--unchanged", "failed"];
    let whole =
        folder.learned(&[&failed[..], &["--state", "failed.bin", GOOD[0], GOOD[1]]].concat());
    assert!(
        head(&whole)
            .iter()
            .any(|sentence| sentence.starts_with("A recorded step that changed nothing")),
        "{whole}"
    );
    assert_eq!(folder.learned(&["--resume", "failed.bin"]), whole);
    // A later step that changed nothing is read so, too.
    let more = folder.learned(&["--resume", "failed.bin", "idle.trajectory"]);
    assert!(
        head(&more)
            .iter()
            .any(|sentence| sentence.starts_with("A recorded step that changed nothing")),
        "{more}"
    );
    folder.learned(&["--state", "plain.bin", GOOD[2]]);
    refused(
        &folder.learn(&[&failed[..], &["--resume", "plain.bin", GOOD[0]]].concat()),
        "was made without --unchanged failed",
    );
    refused(
        &folder.run(&["merge", "plain.bin", "failed.bin", "-o", "both.bin"]),
        "--unchanged differs",
    );
}

#[test]
fn an_action_that_no_state_allows_is_not_called_learned() {
    let folder = Folder::new(
        "(define (domain w) (:predicates (p ?x) (q ?x)) (:action go :parameters (?x)))",
    );
    folder.step("one", ["(q o) (unknown (p o))", "go o", "(q o)"]);
    let done = folder.learn(&["one.trajectory"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(said(&done).contains("no action was learned"), "{}", said(&done));
    let model = folder.read("learned.pddl");
    assert!(
        model.contains("; Left out: go (its precondition would require (p ?x) and its opposite"),
        "{model}"
    );
}

#[test]
fn a_certificate_after_resuming_rests_on_all_trajectories() {
    let folder = pushes();
    folder.learned(&["--state", "one.bin", "good1.trajectory"]);
    folder.learned(&[
        "--resume",
        "one.bin",
        "--certificate",
        "c.json",
        "good2.trajectory",
        "good3.trajectory",
    ]);
    let check = |traces: &[&str]| {
        folder
            .run(
                &[&["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json"], traces]
                    .concat(),
            )
            .status
            .code()
    };
    assert_eq!(check(&GOOD), Some(0));
    assert_eq!(check(&GOOD[1..]), Some(1));
}

#[test]
fn states_that_contradict_each_other_do_not_get_past_stop() {
    let folder = pushes();
    refused(&folder.learn(&[&GOOD[..], &["bad.trajectory"]].concat()), "together with the others");
    folder.learned(&[&["--state", "good.bin"], &GOOD[..]].concat());
    folder.learned(&["--state", "bad.bin", "bad.trajectory"]);
    refused(&folder.run(&["merge", "good.bin", "bad.bin", "-o", "both.bin"]), "push");
    refused(&folder.learn(&["--resume", "good.bin", "bad.trajectory"]), "together with");
    refused(&folder.learn(&[&["--resume", "bad.bin"], &GOOD[..]].concat()), "together with");
    // Whoever leaves such actions out may join them.
    let merged = folder.run(&[
        "merge",
        "--on-bad-data",
        "skip-action",
        "good.bin",
        "bad.bin",
        "-o",
        "both.bin",
    ]);
    assert_eq!(merged.status.code(), Some(0), "{}", said(&merged));
    refused(&folder.learn(&["--resume", "both.bin"]), "earlier runs");
    let model = folder.left_out(&["--resume", "both.bin"]);
    assert!(model.contains("Left out: push"), "{model}");
    let trusted = "push was left out, since its records contradict each other. The states in \
    which these records begin and end are assumed to be recorded correctly, and other actions are \
    learned from them.";
    assert!(model.contains(trusted), "{model}");
    // Which steps are to blame, and how many, differs from way to way; the model does not.
    for way in [
        &["--resume", "good.bin", "bad.trajectory"][..],
        &[&["--resume", "bad.bin"], &GOOD[..]].concat(),
    ] {
        assert_eq!(folder.left_out(way), model, "{way:?}");
    }
    // In one go, the step to blame is known, and so are the states that it may have spoiled.
    let doubtful = "Perhaps recorded wrongly, so its action was left out: bad.trajectory:2, (push \
                    a) does not fit the other steps of push.";
    let whole = folder.left_out(&["bad.trajectory", GOOD[0], GOOD[1], GOOD[2]]);
    assert!(whole.contains(doubtful) && !whole.contains(trusted), "{whole}");
    // Another run may have learned from these states.
    folder.left_out(&["--state", "doubts.bin", "bad.trajectory", GOOD[0], GOOD[1], GOOD[2]]);
    assert_eq!(folder.left_out(&["--resume", "doubts.bin"]), whole);
    let merged = folder.run(&["merge", "doubts.bin", "bad.bin", "-o", "all.bin"]);
    assert_eq!(merged.status.code(), Some(0), "{}", said(&merged));
    assert_eq!(folder.left_out(&["--resume", "all.bin"]), model);
}

/// A comment of a trajectory and an option say the same: values were carried forward from row to
/// row, so a wrong value may have stayed until the end.
#[test]
fn the_whole_trace_of_an_error_teaches_nothing_whoever_says_that_values_were_carried_forward() {
    let folder = pushes();
    let words = "A value stays as earlier rows left it.";
    let states = [10, 11, 12, 20, 21, 22, 23].map(|load| format!("(= (load a) {load})"));
    let steps: String = states[1..]
        .iter()
        .map(|state| format!("(operator: (push a)) (:state {state})\n"))
        .collect();
    let trace = format!("((:init {})\n{steps})\n", states[0]);
    folder.write("long.trajectory", &trace);
    folder.write("said.trajectory", &format!("; assumed: {words}\n{trace}"));
    folder.write("reading.txt", words);
    let learned = |traces: &[&str]| {
        let quarantine = ["--on-bad-data", "quarantine", "--certificate", "c.json"];
        let model = folder.learned(&[&quarantine[..], traces, &GOOD].concat());
        let check = ["check", "-q", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json"];
        let traces = traces.iter().filter(|word| word.ends_with(".trajectory"));
        let traces: Vec<&str> = traces.copied().chain(GOOD).collect();
        let checked = folder.run(&[&check[..], &traces].concat());
        assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
        model.split_once("(define").unwrap().1.to_owned()
    };
    let by_comment = learned(&["said.trajectory"]);
    assert_eq!(learned(&["long.trajectory", "--reading", "reading.txt"]), by_comment);
    // Without either, only the neighbours of the error teach nothing.
    assert_ne!(learned(&["long.trajectory"]), by_comment);
}

#[test]
fn bad_steps_are_set_aside_by_all_records_together_or_not_at_all() {
    let folder = pushes();
    let quarantine = ["--on-bad-data", "quarantine"];
    let whole = folder.learned(&[&quarantine[..], &GOOD, &["bad.trajectory"]].concat());
    assert!(
        whole.contains(
            "Set aside, on the assumption that it was recorded wrongly: bad.trajectory:2, (push a) \
             does not fit the other steps of push."
        ),
        "{whole}"
    );
    // A state that was made without quarantine does not hold its records, so nobody knows whether
    // the step or an earlier one is to blame.
    folder.learned(&[&["--state", "good.bin"], &GOOD[..]].concat());
    let resumed = [&quarantine[..], &["--resume", "good.bin", "bad.trajectory"]].concat();
    refused(&folder.learn(&resumed), "those of earlier runs");
    // One that was made with quarantine does, and then the way does not matter.
    let kept = |state: &str, traces: &[&str]| {
        folder.learned(&[&quarantine[..], &["--state", state], traces].concat())
    };
    kept("good.bin", &GOOD);
    assert_eq!(folder.learned(&resumed), whole);
    kept("bad.bin", &["bad.trajectory"]);
    let resumed = [&quarantine[..], &["--resume", "bad.bin"], &GOOD].concat();
    assert_eq!(folder.learned(&resumed), whole);
    let bytes = |state: &str| fs::read(folder.path().join(state)).unwrap();
    kept("whole.bin", &["bad.trajectory", GOOD[2], GOOD[0], GOOD[1]]);
    folder.learned(&[&resumed[..], &["--state", "other.bin"]].concat());
    assert_eq!(bytes("whole.bin"), bytes("other.bin"));
    // The summary counts it, there and after its state was resumed.
    let aside = |words: &[&str]| {
        let done = folder.learn(&[&["--format", "json"], &quarantine[..], words].concat());
        let summary: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        (
            summary["set_aside"].as_u64().unwrap(),
            summary["actions"][0]["set_aside"].as_u64().unwrap(),
        )
    };
    assert_eq!(aside(&GOOD), (0, 0));
    assert_eq!(aside(&[&["--state", "both.bin", "bad.trajectory"], &GOOD[..]].concat()), (1, 1));
    assert_eq!(aside(&["--resume", "both.bin", "good1.trajectory"]), (1, 1));
    folder.step("more", ["(= (load a) 8)", "push a", "(= (load a) 9)"]);
    let more = [&quarantine[..], &["bad.trajectory", "more.trajectory"], &GOOD].concat();
    let resumed = [&quarantine[..], &["--resume", "both.bin", "more.trajectory"]].concat();
    assert_eq!(folder.learned(&resumed), folder.learned(&more));
    let further = "some records were left out as wrong or doubtful (bad.trajectory:2, ";
    refused(&folder.learn(&["--resume", "both.bin", "more.trajectory"]), further);
    // Leaving the action out is not enough: failures of others may be in what was left out.
    let skipping = ["--on-bad-data", "skip-action", "--resume", "both.bin", "more.trajectory"];
    refused(&folder.learn(&skipping), further);
    // Nor are two states joined.
    folder.learned(&["--state", "more.bin", "more.trajectory"]);
    let merge = |words: &[&str]| {
        folder.run(&[&["merge", "both.bin", "more.bin", "-o", "joined.bin"], words].concat())
    };
    refused(&merge(&[]), "one of them left records out as wrong or doubtful (");
    refused(
        &merge(&["--on-bad-data", "skip-action"]),
        "one of them left records out as wrong or doubtful (",
    );
}

#[test]
fn an_action_that_was_left_out_stays_left_out() {
    let folder = pushes();
    let model =
        folder.left_out(&[&["--state", "all.bin"], &GOOD[..], &["bad.trajectory"]].concat());
    assert!(model.contains("Left out: push (no model of the class explains its steps)"), "{model}");
    for words in [&["--resume", "all.bin"][..], &["--resume", "all.bin", "good1.trajectory"]] {
        assert!(
            folder
                .learned(words)
                .contains("Left out: push (no model of the class explains its steps)")
        );
    }
}

/// A certificate cannot name another step than the one that it leaves out.
#[test]
fn check_reads_the_words_about_a_step_that_is_left_out() {
    let folder = pushes();
    for on_bad in ["quarantine", "skip-action"] {
        let learn =
            ["--on-bad-data", on_bad, "--certificate", "certificate.json", "bad.trajectory"];
        folder.learn(&[&learn[..], &GOOD].concat());
        let check = |certificate: &str, model: &str| {
            folder.write("forged.json", certificate);
            folder.write("forged.pddl", model);
            let words = ["check", "-d", "domain.pddl", "-m", "forged.pddl", "-c", "forged.json"];
            folder.run(&[&words[..], &["bad.trajectory"], &GOOD].concat())
        };
        let (certificate, model) = (folder.read("certificate.json"), folder.read("learned.pddl"));
        let honest = check(&certificate, &model);
        assert_eq!(honest.status.code(), Some(0), "{}", said(&honest));
        for (from, to) in [
            ("bad.trajectory:2, (push a)", "bad.trajectory:2, (push b)"),
            ("bad.trajectory:2, (push a)", "bad.trajectory:3, (push a)"),
            ("bad.trajectory:2, (push a)", "other.trajectory:2, (push a)"),
            ("bad.trajectory:2, (push a)", "(push a)"),
            (
                "bad.trajectory:2, (push a)",
                "x.trajectory:5, (look), as in /bad.trajectory:2, (push a)",
            ),
            ("other steps of push.", "other steps of push. (No record is wrong.)"),
        ] {
            assert!(certificate.contains(from), "{certificate}");
            let forged = check(&certificate.replace(from, to), &model.replace(from, to));
            let words = String::from_utf8_lossy(&forged.stdout).into_owned();
            assert!(words.contains("It is (push a), at bad.trajectory:2"), "{to}: {words}");
            assert_eq!(forged.status.code(), Some(1), "{to}: {words}");
        }
    }
}

#[test]
fn quarantine_of_much_of_an_action_is_a_wrong_class() {
    // The way grows by speed times time.
    let folder = Folder::new(
        "(define (domain d) (:functions (speed) (time) (way)) (:action roll :parameters ()))",
    );
    let mut names = Vec::new();
    for speed in 1..=4 {
        for time in 1..=4 {
            let state = |way: i32| format!("(= (speed) {speed}) (= (time) {time}) (= (way) {way})");
            let name = format!("{speed}{time}");
            folder.step(&name, [&state(7), "roll", &state(7 + speed * time)]);
            names.push(format!("{name}.trajectory"));
        }
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let done = folder.learn(&[&["--on-bad-data", "quarantine"], &names[..]].concat());
    refused(&done, "of 16 steps of roll contradict the others");
    assert!(
        said(&done).contains("roll: (way): explained by (* (speed) (time))"),
        "{}",
        said(&done)
    );
    let done = folder.learn(&[&["--format", "json"], &names[..]].concat());
    let error: serde_json::Value =
        serde_json::from_str(said(&done).lines().last().unwrap()).unwrap();
    let told = &error["error"]["diagnoses"][0];
    assert_eq!(
        (&told["kind"], &told["action"], &told["about"][0]),
        (&"product".into(), &"roll".into(), &"(way)".into())
    );
    assert_eq!(
        (&told["looked_at"], &told["products"][0]),
        (&16.into(), &"(* (speed) (time))".into())
    );
    folder.learned(&[&["--degree", "2"], &names[..]].concat());
}

#[test]
fn rounded_numbers_are_called_by_their_name() {
    let folder = Folder::new(
        "(define (domain d) (:functions (temperature ?t)) (:action heat :parameters (?t)))",
    );
    let (mut names, mut temperature) = (Vec::new(), 20.0f64);
    for index in 0..20 {
        let next = 0.97 * temperature + 2.4;
        folder.step(
            &index.to_string(),
            [
                &format!("(= (temperature a) {temperature})"),
                "heat a",
                &format!("(= (temperature a) {next})"),
            ],
        );
        names.push(format!("{index}.trajectory"));
        temperature = next;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let done = folder.learn(&names);
    refused(&done, "floating-point arithmetic");
    assert!(
        !said(&done).contains("--degree") && !said(&done).contains("--decimals"),
        "{}",
        said(&done)
    );
}

/// As a robot reports its battery: a sensor with noise, one decimal, and a few failures that are
/// logged as if they had worked.
#[test]
fn noise_ends_with_a_diagnosis_and_not_with_a_model_of_what_is_left() {
    let folder = Folder::new(
        "(define (domain d) (:functions (battery ?r) (load ?r) (way)) (:action move :parameters \
         (?r)))",
    );
    let mut seed = 7_u32;
    let mut noise = || {
        // The sum of a few draws is nearly normal.
        let mut draw = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24) - 0.5
        };
        (0..4).map(|_| draw()).sum::<f64>() * 0.09
    };
    let mut names = Vec::new();
    for index in 0..150 {
        let (load, way) = (index * 7 % 41, 5 + index * 11 % 53);
        let real = 40.0 + f64::from(index * 13 % 60);
        let used = 0.08 * f64::from(way) + 0.0008 * f64::from(way * load);
        let after = if index % 50 == 3 { real } else { real - used };
        let state = |battery: f64| {
            format!("(= (battery a) {battery:.1}) (= (load a) {load}) (= (way) {way})")
        };
        folder
            .step(&index.to_string(), [&state(real + noise()), "move a", &state(after + noise())]);
        names.push(format!("{index}.trajectory"));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for choice in ["stop", "quarantine"] {
        let done = folder.learn(&[&["--on-bad-data", choice], &names[..]].concat());
        refused(&done, "too many to be single recording errors");
        assert!(said(&done).contains(" of 150 steps are within about 0."), "{}", said(&done));
        assert!(
            said(&done).contains("either these numbers are not exact")
                && !folder.path().join("learned.pddl").exists()
        );
    }
}

#[test]
fn rounding_is_offered_where_it_helps() {
    let folder = Folder::new("(define (domain d) (:functions (way)) (:action go :parameters ()))");
    let (mut names, mut way) = (Vec::new(), 0.1f64);
    for index in 0..12 {
        let next = way + 0.2;
        folder.step(
            &index.to_string(),
            [&format!("(= (way) {way})"), "go", &format!("(= (way) {next})")],
        );
        names.push(format!("{index}.trajectory"));
        way = next;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    refused(&folder.learn(&names), "(--decimals 9).");
    folder.learned(&[&["--decimals", "9"], &names[..]].concat());
}

/// One option rounds all numbers: it is not proposed where it would erase what somebody wrote.
#[test]
fn rounding_is_not_offered_where_it_erases_small_numbers() {
    let domain = "(define (domain d) (:functions (way) (dose)) (:action go :parameters ()))";
    let folder = Folder::new(domain);
    let (mut names, mut way) = (Vec::new(), 0.1f64);
    for index in 0..12 {
        let next = way + 0.2;
        let dose = |units: usize| format!("(= (dose) {}e-10)", 4 * units);
        folder.step(
            &index.to_string(),
            [
                &format!("(= (way) {way}) {}", dose(index)),
                "go",
                &format!("(= (way) {next}) {}", dose(index + 1)),
            ],
        );
        names.push(format!("{index}.trajectory"));
        way = next;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let done = folder.learn(&names);
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(!said(&done).contains("--decimals"), "{}", said(&done));
    let done = folder.run(&[&["lint", "-d", "domain.pddl"][..], &names].concat());
    assert!(!said(&done).contains("--decimals"), "{}", said(&done));
}

#[test]
fn the_table_counts_the_steps_that_a_budget_refuses() {
    let folder =
        Folder::new("(define (domain d) (:functions (x) (y) (z)) (:action act :parameters ()))");
    let points =
        [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [4, 4, 1], [1, 4, 4], [4, 1, 4], [5, 5, 5]];
    let mut names = Vec::new();
    for (index, [x, y, z]) in points.iter().enumerate() {
        let state = format!("(= (x) {x}) (= (y) {y}) (= (z) {z})");
        folder.step(&index.to_string(), [&state, "act", &state]);
        names.push(format!("{index}.trajectory"));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let count = |words: &[&str]| {
        let done = folder.learn(&[&["--format", "json"], words, &names[..]].concat());
        let summary: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        (summary["actions"][0]["refused"].as_u64().unwrap(), said(&done))
    };
    assert_eq!(count(&[]).0, 0);
    let (refused, _) = count(&["--facet-budget", "4"]);
    let told = said(&folder.learn(&[&["--facet-budget", "4"], &names[..]].concat()));
    assert!(
        refused > 0
            && told.contains(&format!(
                "the model refuses {refused} of the 8 steps that it was learned from"
            )),
        "{told}"
    );
}

#[test]
fn a_mark_that_cannot_be_followed_through_products_is_refused() {
    let folder =
        Folder::new("(define (domain d) (:functions (x) (y)) (:action act :parameters ()))");
    folder.step("one", ["(= (x) 1) (= (y) 2)", "act", "(= (x) 1) (= (y) 2)"]);
    folder.write("monotone.json", r#"{"act": {"(x)": "more"}}"#);
    let marked = ["--monotone", "monotone.json", "--degree", "2", "one.trajectory"];
    folder.learned(&marked);
    refused(&folder.learn(&[&["--squares"], &marked[..]].concat()), "no straight line");
    folder.write("relevant.json", r#"{"act": ["(x)", "(* (x) (y))"]}"#);
    let map = ["--relevant", "relevant.json", "--monotone", "monotone.json", "one.trajectory"];
    refused(&folder.learn(&map), "must be listed as relevant too");
}

#[test]
fn files_of_an_older_version_are_answered_with_learn_again() {
    let folder = pushes();
    folder.learned(&[&["--state", "s.bin", "--certificate", "c.json"], &GOOD[..]].concat());
    let mut bytes = fs::read(folder.path().join("s.bin")).unwrap();
    // After the mark of sixteen bytes stands the version.
    bytes[16] = 1;
    fs::write(folder.path().join("old.bin"), bytes).unwrap();
    refused(&folder.learn(&["--resume", "old.bin"]), "learn again");
    for version in ["1", "2"] {
        let new = folder.read("c.json");
        let old = new.replace("\"format\": 3,", &format!("\"format\": {version},"));
        assert_ne!(old, new);
        folder.write("old.json", &old);
        let done = folder.run(&[
            "check",
            "-d",
            "domain.pddl",
            "-m",
            "learned.pddl",
            "-c",
            "old.json",
            "good1.trajectory",
        ]);
        refused(&done, "learn again");
    }
}

#[test]
fn pieces_of_different_models_are_noticed() {
    let folder = pushes();
    folder.learned(&["--certificate", "c.json", "good1.trajectory"]);
    folder.learned(&[&["--certificate", "other.json"], &GOOD[..]].concat());
    folder.write(
        "p.pddl",
        "(define (problem p) (:domain boxes) (:objects a) (:init (= (load a) \
                            1)) (:goal (= (load a) 2)))",
    );
    let plan = |certificate: &str| {
        folder.run(&["plan", "-d", "learned.pddl", "-p", "p.pddl", "-c", certificate])
    };
    assert_eq!(plan("other.json").status.code(), Some(0));
    refused(&plan("c.json"), "belongs to another model");
}

#[test]
fn the_first_page_of_the_readme_is_what_is_learned() {
    let readme =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let block = |first: &str| -> String {
        let begins = |line: &str| {
            line.strip_prefix("    ").is_some_and(|line| {
                line == first || first.ends_with(')') && line.starts_with(first)
            })
        };
        let lines = readme.lines().skip_while(|line| !begins(line));
        lines
            .take_while(|line| line.starts_with("    "))
            .map(|line| line[4..].to_owned() + "\n")
            .collect()
    };
    // The records lie in the repository, and the commands of the page work on them, word for word.
    let records = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/robots"));
    let recorded = |name: &str| fs::read_to_string(records.join(name)).unwrap();
    assert_eq!(block("(define (domain robots)"), recorded("domain.pddl"));
    assert_eq!(block("((:init  (at r1 dock)"), recorded("monday.trajectory"));
    let folder = Folder::new("");
    fs::create_dir_all(folder.path().join("examples/robots")).unwrap();
    for name in [
        "domain.pddl",
        "monday.trajectory",
        "tuesday.trajectory",
        "wednesday.trajectory",
        "problem.pddl",
    ] {
        folder.write(&format!("examples/robots/{name}"), &recorded(name));
    }
    // So do the log, its table and its map.
    let mut fences = readme.split("```").skip(1).step_by(2);
    for (name, kind) in [("log.csv", "csv\n"), ("distances.csv", "csv\n"), ("map.toml", "toml\n")] {
        let text = fences.next().and_then(|fence| fence.strip_prefix(kind)).unwrap();
        folder.write(name, text);
    }
    let commands: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("    surefoot ")).collect();
    assert_eq!(commands.len(), 4, "{commands:?}");
    let mut answer = String::new();
    for command in commands {
        let done = folder.run(&command.split_whitespace().collect::<Vec<_>>());
        assert_eq!(done.status.code(), Some(0), "surefoot {command}: {}", said(&done));
        answer = String::from_utf8(done.stdout).unwrap();
    }
    assert_eq!(answer, "(move r1 dock shelf)\n(move r1 shelf gate)\n");
    // The log and the trajectories give the same rule, which the page shows.
    for model in ["model.pddl", "learned.pddl"] {
        let model = folder.read(model);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (learned, printed) = (words(&model), words(&block("(:action move")));
        assert!(
            printed.len() > 50 && learned.windows(printed.len()).any(|part| part == printed),
            "{printed:?}\n{model}"
        );
    }
}

#[test]
fn explain_takes_the_dials_from_stamp_or_certificate_and_notices_pieces_of_different_models() {
    let folder = pushes();
    let problem =
        "(define (problem p) (:domain boxes) (:objects a) (:init (= (load a) 9)) (:goal (wet a)))";
    folder.write("problem.pddl", problem);
    let explain = |more: &[&str]| {
        let words = ["explain", "-d", "learned.pddl", "-p", "problem.pddl", "--state", "s.bin"];
        folder.run(&[&words[..], more, &["(push a)"]].concat())
    };
    folder.write("monotone.json", r#"{"push": {"(load ?x)": "less"}}"#);
    let marked = ["--monotone", "monotone.json"];
    let dials = ["--monotone", "monotone.json", "--state", "s.bin", "--certificate", "c.json"];
    folder.learned(&[&dials[..], &GOOD].concat());
    // The certificate says which dials: they need not be typed again.
    let done = explain(&["-c", "c.json"]);
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("nearest push that worked"), "{}", said(&done));
    assert_eq!(explain(&marked).stdout, done.stdout);
    // Five lines are enough, unless all is asked for.
    assert!((2..=5).contains(&done.stdout.split(|&byte| byte == b'\n').count()), "{}", said(&done));
    let all = said(&explain(&["-c", "c.json", "--all"]));
    assert!(
        all.contains("violated condition") && all.contains("the nearest of 2 observed vectors"),
        "{all}"
    );
    // With the traces, the nearest step has a place; and what people read, programs read too.
    let placed = explain(&["-c", "c.json", "--traces", GOOD[0], "--format", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&placed.stdout).unwrap();
    assert_eq!(value["nearest"]["recorded"]["file"], GOOD[0], "{value}");
    assert!(value["nearest"]["recorded"]["line"].as_u64().is_some_and(|line| line > 0), "{value}");
    assert!(
        value["lines"].as_array().unwrap().len() <= 5 && value["applicable"] == false,
        "{value}"
    );
    refused(
        &explain(&["-c", "c.json", "--arity", "1"]),
        "says which options the model was learned with",
    );
    // So does the stamp of the model.
    assert_eq!(explain(&[]).stdout, done.stdout);
    // Other dials are another model.
    refused(
        &explain(&["--arity", "1"]),
        "name the certificate of the model, which has the options it was learned with (-c \
         CERTIFICATE)",
    );
    // So is another state.
    folder.learned(&[&marked[..], &["--state", "s.bin"], &GOOD[..1]].concat());
    folder.learned(&[&marked[..], &["--certificate", "c.json"], &GOOD[..]].concat());
    refused(&explain(&marked), "do not give what learned.pddl has for push");
    refused(&explain(&["-c", "c.json"]), "they rest on different trajectories");
}

/// Whether a log mentions a fact that `complete` makes false elsewhere is seen only where all logs
/// are read in one go. On every path, only what was read in one go is learned together.
/// What the file of one log does not mention, that of another may: then it is false in one of them
/// only.
#[test]
fn logs_with_other_files_about_complete_facts_are_read_in_one_go() {
    let folder = Folder::new("(define (domain none))");
    let map = "domain = \"yard\"\naction = \"do\"\nepisode = \"run\"\ncomplete = [\"charger\"]\n[objects]\nrobot = \
               [\"robot\"]\nplace = [\"place\"]\n[after]\nbattery = \"(battery ?robot)\"\n\
               [actions]\nsee = \"report\"\ncharge = [\"robot\", \"place\"]\n\
               [static.\"FILE.csv\"]\ncharger = \"(charger ?place) if yes\"\n";
    let head = "run,do,robot,place,battery\n";
    for (day, places) in [("mon", "s1,yes\n"), ("tue", "s1,yes\ns2,yes\n")] {
        folder.write(&format!("{day}.toml"), &map.replace("FILE", &format!("{day}-places")));
        folder.write(&format!("{day}-places.csv"), &format!("place,charger\n{places}"));
        let rows = format!("{day},see,r,,1\n{day},charge,r,s1,2\n{day},charge,r,s2,3\n");
        folder.write(&format!("{day}.csv"), &format!("{head}{rows}"));
        let (log, map) = (format!("{day}.csv"), format!("{day}.toml"));
        let state = format!("{day}.bin");
        let learned =
            folder.run(&["learn", "-q", &log, "--map", &map, "-o", "-", "--save-state", &state]);
        assert_eq!(learned.status.code(), Some(0), "{}", said(&learned));
    }
    let resumed = folder
        .run(&["learn", "-q", "tue.csv", "--map", "tue.toml", "-o", "-", "--resume", "mon.bin"]);
    let merged = folder.run(&["merge", "mon.bin", "tue.bin", "-o", "both.bin"]);
    for done in [resumed, merged] {
        assert_eq!(done.status.code(), Some(2), "{}", said(&done));
        let words = "A fact of charger that no file mentions is false";
        assert!(said(&done).contains(words), "{}", said(&done));
    }
}

#[test]
fn logs_whose_rows_report_complete_facts_are_read_in_one_go() {
    let folder = Folder::new("(define (domain none))");
    let map = "action = \"do\"\nepisode = \"run\"\nCOMPLETE[objects]\nrobot = [\"robot\"]\ncan = \
               [\"can\", \"seen\"]\n[before]\nb0 = \"(battery ?robot)\"\nfull = \"(full ?seen) if \
               true\"\n[after]\nb1 = \"(battery ?robot)\"\n[actions]\nscan = \"report\"\npour = \
               [\"robot\", \"can\"]\n";
    folder.write("map.toml", &map.replace("COMPLETE", "complete = [\"full\"]\n"));
    folder.write("plain.toml", &map.replace("COMPLETE", ""));
    let head = "run,do,robot,can,seen,full,b0,b1\n";
    folder.write("mon.csv", &format!("{head}mon,pour,r1,c1,,,9,8\nmon,pour,r1,c1,,,8,7\n"));
    folder.write("tue.csv", &format!("{head}tue,scan,r1,,c1,true,9,\ntue,pour,r1,c1,,,9,8\n"));
    let learn = |logs: &[&str], map: &str, words: &[&str]| {
        folder.run(&[&["learn", "-q", "--map", map, "-o", "learned.pddl"], logs, words].concat())
    };
    let works = |done: &Output| assert_eq!(done.status.code(), Some(0), "{}", said(done));
    let refused = |done: &Output, words: &str| {
        assert_ne!(done.status.code(), Some(0), "{}", said(done));
        for words in [
            words,
            "Learn from all of them in one run",
            "A fact of full that neither the log nor its files mention is false",
        ] {
            assert!(said(done).contains(words), "{words}: {}", said(done));
        }
    };
    works(&learn(&["mon.csv", "tue.csv"], "map.toml", &[]));
    for (map, is_refused) in [("map.toml", true), ("plain.toml", false)] {
        works(&learn(&["mon.csv"], map, &["--state", "mon.bin"]));
        works(&learn(&["tue.csv"], map, &["--state", "tue.bin"]));
        works(&folder.run(&["merge", "mon.bin", "mon.bin", "-o", "both.bin"]));
        let resumed = learn(&["tue.csv"], map, &["--resume", "mon.bin"]);
        let merged = folder.run(&["merge", "mon.bin", "tue.bin", "-o", "both.bin"]);
        match is_refused {
            true => {
                refused(&resumed, "mon.bin cannot be resumed with more rows");
                refused(&merged, "tue.bin is not merged with other states");
            }
            false => [resumed, merged].iter().for_each(works),
        }
        // Imported separately, they are not learned together, either.
        let import = |logs: &[&str], output: &str| {
            let words = ["import", "-q", "--map", map, "-o", output];
            works(&folder.run(&[&words[..], logs].concat()));
        };
        for log in ["mon", "tue"] {
            import(&[&format!("{log}.csv")], log);
        }
        let read = |words: &[&str]| {
            let learn = ["learn", "-q", "-d", "mon/domain.pddl", "-o", "learned.pddl"];
            folder.run(&[&learn[..], words].concat())
        };
        works(&read(&["mon", "mon"]));
        let together = read(&["mon", "tue"]);
        let resumed = read(&["tue", "--resume", "mon.bin"]);
        match is_refused {
            true => {
                refused(&together, "these records come from logs that were read separately");
                refused(&resumed, "mon.bin cannot be resumed with more rows");
                assert!(said(&read(&["mon", "--resume", "mon.bin"])).is_empty());
            }
            false => [together, resumed].iter().for_each(works),
        }
        // What was imported in one go may be learned in parts.
        import(&["mon.csv", "tue.csv"], "all");
        works(&read(&["all/mon.trajectory", "--save-state", "one.bin"]));
        works(&read(&["all/tue.trajectory", "--save-state", "two.bin"]));
        works(&folder.run(&["merge", "one.bin", "two.bin", "-o", "both.bin"]));
        works(&read(&["all/tue.trajectory", "--resume", "one.bin", "--certificate", "c.json"]));
        let resumed = folder.read("learned.pddl");
        works(&read(&["all"]));
        assert_eq!(folder.read("learned.pddl"), resumed);
        works(&learn(&["mon.csv", "tue.csv"], map, &[]));
        assert_eq!(folder.read("learned.pddl"), resumed);
    }
}

/// Trajectories say which log they come from. Where they come from different ones, the checker
/// rejects a model that was learned as if they did not.
#[test]
fn check_rejects_a_model_learned_from_logs_that_were_read_separately() {
    let folder = Folder::new("(define (domain none))");
    let map = "action = \"do\"\nepisode = \"run\"\ncomplete = [\"full\"]\n[objects]\nrobot = \
               \"robot\"\ncan = [\"can\", \"seen\"]\n[after]\nfull = \"(full ?seen) if true\"\nb = \
               \"(battery ?robot)\"\n[actions]\nscan = \"report\"\npour = [\"robot\", \"can\"]\n";
    folder.write("map.toml", map);
    let head = "run,do,robot,can,seen,full,b\n";
    folder.write("mon.csv", &format!("{head}mon,scan,r1,,,,9\nmon,pour,r1,c1,,,8\n"));
    folder.write("tue.csv", &format!("{head}tue,scan,r1,,c1,true,9\ntue,pour,r1,c1,,,8\n"));
    let works = |words: &[&str]| {
        let done = folder.run(words);
        assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    };
    let is_of_log = |line: &&str| line.contains("have the digest");
    let mut reading = String::new();
    for log in ["mon", "tue"] {
        works(&["import", "-q", &format!("{log}.csv"), "--map", "map.toml", "-o", log]);
        let text = folder.read(&format!("{log}/{log}.trajectory"));
        if let Some(line) = text.lines().find(is_of_log) {
            reading = line.trim_start_matches("; assumed: ").to_owned();
        }
        let plain: Vec<&str> = text.lines().filter(|line| !is_of_log(line)).collect();
        folder.write(&format!("{log}.trajectory"), &(plain.join("\n") + "\n"));
        folder.write(&format!("{log}.pddl"), &folder.read(&format!("{log}/{log}.pddl")));
    }
    folder.write("reading.txt", &(reading + "\n"));
    works(&[
        "learn",
        "-q",
        "-d",
        "mon/domain.pddl",
        "mon.trajectory",
        "tue.trajectory",
        "--reading",
        "reading.txt",
        "-o",
        "learned.pddl",
        "--certificate",
        "c.json",
    ]);
    let check = |mon: &str| {
        let words = ["check", "-d", "mon/domain.pddl", "-m", "learned.pddl", "-c", "c.json"];
        folder.run(&[&words[..], &[mon, "tue.trajectory"]].concat())
    };
    let done = check("mon.trajectory");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    let digest = |path: &str| surefoot_base::certificate::digest(&folder.read(path));
    let certificate =
        folder.read("c.json").replace(&digest("mon.trajectory"), &digest("mon/mon.trajectory"));
    folder.write("c.json", &certificate);
    let done = check("mon/mon.trajectory");
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("the trajectories come from several logs"), "{}", said(&done));
}

/// A declared fact changes in every row that worked: with `--unchanged failed`, none of them would
/// be one that changed nothing.
#[test]
fn rows_that_changed_nothing_are_not_read_as_failed_where_facts_are_declared() {
    let folder = Folder::new("(define (domain none))");
    let map = "action = \"do\"\n[objects]\nrobot = [\"robot\"]\nitem = [\"item\"]\n[after]\nfree \
               = \"(free ?item) if true\"\n[actions]\nlook = \"report\"\n\"pick, place\" = \
               [\"robot\", \"item\"]\n";
    folder.write("plain.toml", map);
    folder.write(
        "map.toml",
        &format!(
            "{map}[declared]\n\"(holds ?robot ?item)\" = {{ from = \"pick\", until = \"place\" }}\n"
        ),
    );
    folder.write(
        "log.csv",
        "do,robot,item,free\nlook,r1,i1,true\nlook,r1,i2,false\npick,r1,i2,false\npick,r1,i1,true\n\
         place,r1,i1,true\n",
    );
    let import = folder.run(&["import", "-q", "log.csv", "--map", "map.toml", "-o", "read"]);
    assert_eq!(import.status.code(), Some(0), "{}", said(&import));
    for words in [&["log.csv", "--map", "map.toml"][..], &["-d", "read/domain.pddl", "read"]] {
        let done = folder.run(
            &[&["learn", "-q", "--unchanged", "failed", "-o", "learned.pddl"], words].concat(),
        );
        assert_ne!(done.status.code(), Some(0), "{}", said(&done));
        assert!(
            said(&done).contains("Declared, not learned: (holds ?robot ?item)"),
            "{}",
            said(&done)
        );
        assert!(!folder.path().join("learned.pddl").exists());
    }
    let done =
        folder.run(&["learn", "-q", "--unchanged", "failed", "log.csv", "--map", "plain.toml"]);
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
}

/// The model refuses a recorded step in which its effects on two parameters meet in one object: it
/// says nothing false of it.
#[test]
fn a_model_that_refuses_a_step_whose_effects_meet_is_accepted() {
    let folder = Folder::new("(define (domain none))");
    folder.write(
        "map.toml",
        "action = \"do\"\nepisode = \"ep\"\nobjects = \
                              { robot = \"robot\", station = [\"station\", \"target\"] }\n\
                              [before]\nb = \"(batt ?robot)\"\ns = \"(stock ?station - station)\"\n\
                              t = \"(stock ?target - station)\"\nlit = \"(alarm) if true\"\n\
                              [after]\np = \"(pressure)\"\n[actions]\nnote = \"report\"\n\
                              act = [\"robot\", \"station\", \"target\"]\n",
    );
    folder.write(
        "log.csv",
        "ep,do,robot,station,target,b,s,t,lit,p\ne0,note,r2,,,9.5,,7,true,18\n\
                  e0,act,r1,s2,s2,5,2.5,,true,18\ne1,note,r2,,s2,1.5,8.5,16.5,true,19\n\
                  e1,act,r1,s1,s3,22.5,8.5,6,true,19\ne1,act,r1,s2,s1,29.5,16.5,6,true,52\n\
                  e1,act,r1,s3,s2,36.5,23.5,6,true,52\n",
    );
    let learned = folder.run(&[
        "learn",
        "-q",
        "log.csv",
        "--map",
        "map.toml",
        "-o",
        "learned.pddl",
        "--certificate",
        "c.json",
    ]);
    assert_eq!(learned.status.code(), Some(0), "{}", said(&learned));
    let model = folder.read("learned.pddl");
    assert!(
        [
            "(not (= ?station ?target))",
            "(assign (stock ?station) 6)",
            "(increase (stock ?target) 17.5)"
        ]
        .iter()
        .all(|part| model.contains(part)),
        "{model}"
    );
    let checked = folder.run(&[
        "check",
        "log.csv",
        "--map",
        "map.toml",
        "-m",
        "learned.pddl",
        "-c",
        "c.json",
    ]);
    assert_eq!(checked.status.code(), Some(0), "{}", said(&checked));
}

/// A function that is assigned from different values has no affine change where it is no column,
/// and yet one effect explains it.
#[test]
fn an_assignment_of_a_function_that_is_not_relevant_is_learned() {
    let folder =
        Folder::new("(define (domain d) (:functions (g) (h)) (:action poke :parameters ()))");
    folder.write("relevant.json", "{\"poke\": [\"(g)\"]}");
    for (name, g, h) in [("1", 3, 1), ("2", 5, 4), ("3", 8, 7), ("4", 12, 2)] {
        let state = |g: i32, h: i32| format!("(= (g) {g}) (= (h) {h})");
        folder.step(name, [&state(g, h), "poke", &state(g + 1, 7)]);
    }
    let names = ["1.trajectory", "2.trajectory", "3.trajectory", "4.trajectory"];
    let model = folder.learned(&[&["--relevant", "relevant.json"], &names[..]].concat());
    assert!(model.contains("(assign (h) 7)"), "{model}");
    let words = ["--relevant", "relevant.json", "--unchanged", "failed"];
    let model = folder.learned(&[&words[..], &names[..]].concat());
    assert!(model.contains("(assign (h) 7)"), "{model}");
}
