//! Files that a user would lose: an output that is an input, or another output, is refused before
//! anything is written.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DOMAIN: &str = "(define (domain lamps) (:predicates (on ?l)) (:functions (power ?l) (used))
  (:action switch-on :parameters (?l) :precondition (not (on ?l)) :effect (and (on ?l) (increase \
                      (used) (power ?l)))))";
const PROBLEM: &str = "(define (problem one) (:domain lamps) (:objects a b)
  (:init (= (power a) 1) (= (power b) 2) (= (used) 0)) (:goal (and (on a) (on b))))";
const TRACE: &str = "((:init (= (power a) 1) (= (power b) 2) (= (used) 0))
(operator: (switch-on a))
(:state (on a) (= (power a) 1) (= (power b) 2) (= (used) 1))
(operator: (switch-on b))
(:state (on a) (on b) (= (power a) 1) (= (power b) 2) (= (used) 3))
)";
const PLAN: &str = "(switch-on a)\n(switch-on b)\n";

/// A folder with all kinds of inputs, and links to them.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("traces")).unwrap();
    fs::create_dir_all(path("results/cells")).unwrap();
    for (name, text) in [
        ("domain.pddl", DOMAIN),
        ("one.pddl", PROBLEM),
        ("traces/one.pddl", PROBLEM),
        ("traces/one.trajectory", TRACE),
        ("one.plan", PLAN),
        ("relevant.json", "{}"),
        ("monotone.json", "{}"),
        ("results/experiment.json", "{}"),
        ("results/cells/one.json", "{}"),
        (
            "results/summary.csv",
            "traces = [1]\n[[domain]]\nname = \"farmland\"\ngenerate = \"farmland\"\n",
        ),
    ] {
        fs::write(path(name), text).unwrap();
    }
    for state in ["s.bin", "t.bin"] {
        let done = run(
            folder.path(),
            &["learn", "-d", "domain.pddl", "traces", "-o", "learned.pddl", "--save-state", state],
        );
        assert_eq!(done.status.code(), Some(0), "{done:?}");
    }
    symlink("domain.pddl", path("link.pddl")).unwrap();
    fs::hard_link(path("traces/one.trajectory"), path("hard.trajectory")).unwrap();
    symlink("traces", path("linked")).unwrap();
    folder
}

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The bytes of all files, by path; links are not followed.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let entry = entry.unwrap();
            let name = entry.path().to_str().unwrap().to_owned();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_symlink() {
                found.insert(name, fs::read_link(entry.path()).unwrap().to_str().unwrap().into());
            } else {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

#[test]
fn no_output_overwrites_what_is_read() {
    let folder = folder();
    let before = contents(folder.path());
    let learn = ["learn", "-d", "domain.pddl", "traces"];
    let task = ["-d", "domain.pddl", "-p", "one.pddl"];
    for (words, more) in [
        (&learn[..], &["-o", "domain.pddl"][..]),
        (&learn, &["-o", "./traces/../domain.pddl"]),
        (&learn, &["-o", "link.pddl"]),
        (&learn, &["-o", "hard.trajectory"]),
        (&learn, &["-o", "linked/one.trajectory"]),
        (&learn, &["-o", "traces/one.pddl"]),
        (&learn, &["--save-state", "traces/one.trajectory"]),
        (&learn, &["--certificate", "traces/one.trajectory"]),
        (&learn, &["--relevant", "relevant.json", "-o", "relevant.json"]),
        (&learn, &["--monotone", "monotone.json", "--save-state", "monotone.json"]),
        (&learn, &["--resume", "s.bin", "-o", "s.bin"]),
        (
            &["learn", "-d", "domain.pddl", "traces/one.trajectory", "--problems", "."],
            &["-o", "one.pddl"],
        ),
        (&["merge", "s.bin", "t.bin"], &["-o", "s.bin"]),
        (&["merge", "s.bin", "t.bin"], &["-o", "t.bin"]),
        (&["plan"], &[&task[..], &["-o", "one.pddl"]].concat()),
        (&["trace", "one.plan"], &[&task[..], &["-o", "one.plan"]].concat()),
        (&["trace", "one.plan"], &[&task[..], &["-o", "link.pddl"]].concat()),
        (&["experiment", "results/summary.csv"], &["-o", "results"]),
        (&["report", "results"], &["-o", "results/experiment.json"]),
        (&["report", "results"], &["-o", "results/cells/one.json"]),
    ] {
        let done = run(folder.path(), &[words, more].concat());
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{words:?} {more:?}: {said}");
        assert!(
            said.contains("would overwrite") && said.contains("nothing was written"),
            "{words:?} {more:?}: {said}"
        );
        assert!(done.stdout.is_empty());
        assert!(contents(folder.path()) == before, "{words:?} {more:?} changed a file");
    }
}

#[test]
fn two_outputs_are_two_files() {
    let folder = folder();
    let before = contents(folder.path());
    for (one, other) in
        [("-o", "--save-state"), ("-o", "--certificate"), ("--save-state", "--certificate")]
    {
        for names in [("new", "./new"), ("learned.pddl", "traces/../learned.pddl")] {
            let done = run(
                folder.path(),
                &["learn", "-d", "domain.pddl", "traces", one, names.0, other, names.1],
            );
            let said = String::from_utf8(done.stderr).unwrap();
            assert_eq!(done.status.code(), Some(2), "{said}");
            assert!(said.contains(&format!("{one} and {other} name one file")), "{said}");
            assert!(contents(folder.path()) == before, "a file was changed");
        }
    }
}

#[test]
fn a_state_is_updated_in_place() {
    let folder = folder();
    fs::write(
        folder.path().join("two.trajectory"),
        TRACE.replace("(power b) 2", "(power b) 4").replace("(used) 3", "(used) 5"),
    )
    .unwrap();
    let before = fs::read(folder.path().join("s.bin")).unwrap();
    let words = [
        "learn",
        "-d",
        "domain.pddl",
        "--resume",
        "s.bin",
        "--save-state",
        "s.bin",
        "-o",
        "learned.pddl",
        "two.trajectory",
    ];
    let done = run(folder.path(), &words);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert_ne!(fs::read(folder.path().join("s.bin")).unwrap(), before);
}

/// A new state beside an old model would resume what that model does not know of.
#[test]
fn learn_writes_all_of_its_files_or_none() {
    let folder = folder();
    fs::create_dir(folder.path().join("taken")).unwrap();
    fs::write(folder.path().join("proof.json"), "an old certificate").unwrap();
    fs::write(folder.path().join("learned.pddl"), "an old model").unwrap();
    let before = contents(folder.path());
    let learn = |model: &str, state: &str, proof: &str, limit: &str| {
        let binary = env!("CARGO_BIN_EXE_surefoot");
        let command = format!(
            "{limit} exec '{binary}' learn -d domain.pddl traces -o {model} --state {state} \
             --certificate {proof}"
        );
        Command::new("bash")
            .current_dir(folder.path())
            .args(["-c", &command])
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    for (model, state, proof, limit) in [
        ("learned.pddl", "s.bin", "none/proof.json", ""),
        ("learned.pddl", "none/s.bin", "proof.json", ""),
        ("none/learned.pddl", "s.bin", "proof.json", ""),
        ("learned.pddl", "s.bin", "taken", ""),
        ("learned.pddl", "taken", "proof.json", ""),
        ("taken", "s.bin", "proof.json", ""),
        // No file may have more than 1024 bytes; the model has.
        ("learned.pddl", "s.bin", "proof.json", "trap '' XFSZ; ulimit -f 1;"),
    ] {
        let done = learn(model, state, proof, limit);
        assert_eq!(done.status.code(), Some(2), "{model} {state} {proof}: {done:?}");
        assert!(
            contents(folder.path()) == before,
            "{model} {state} {proof} {limit}: some file changed"
        );
    }
    let done = learn("learned.pddl", "s.bin", "proof.json", "");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let after = contents(folder.path());
    for name in ["learned.pddl", "proof.json"] {
        let name = folder.path().join(name).to_str().unwrap().to_owned();
        assert!(after[&name] != before[&name], "{name}");
    }
}

/// A folder with half of the episodes would be learned from as if it were the log.
#[test]
fn import_writes_all_of_its_files_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let map = "episode = \"e\"\naction = \"do\"\n[after]\nlevel = \"(level \
               ?lamp)\"\n[actions]\nturn = [\"lamp\"]\n";
    fs::write(path("map.toml"), map).unwrap();
    fs::write(path("good.csv"), "e,do,lamp,level\n1,turn,a,5\n2,turn,a,6\n").unwrap();
    fs::write(path("bad.csv"), "e,do,lamp,level\n1,turn,a,7\n3,turn,a,x\n").unwrap();
    let import = |log: &str| {
        run(folder.path(), &["import", log, "--map", "map.toml", "-o", "out"]).status.code()
    };
    assert_eq!(import("bad.csv"), Some(2));
    assert_eq!(fs::read_dir(path("out")).unwrap().count(), 0);
    assert_eq!(import("good.csv"), Some(0));
    let before = contents(folder.path());
    assert_eq!(import("bad.csv"), Some(2));
    assert!(contents(folder.path()) == before, "some file changed");
    // Episodes of another log stay, but not without a word.
    fs::write(path("other.csv"), "e,do,lamp,level\n1,turn,a,5\n").unwrap();
    let done = run(folder.path(), &["import", "other.csv", "--map", "map.toml", "-o", "out"]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        said.contains("out has 1 trajectory file not from this log, such as episode-2.trajectory"),
        "{said}"
    );
    // What a killed import left behind is removed; what a running one writes is not.
    for name in ["out/.surefoot-killed", "out/.surefoot-running"] {
        fs::create_dir(path(name)).unwrap();
        fs::write(path(name).join(".lock"), "").unwrap();
    }
    let running = fs::File::open(path("out/.surefoot-running/.lock")).unwrap();
    running.lock().unwrap();
    assert_eq!(import("good.csv"), Some(0));
    let left = ["out/.surefoot-killed", "out/.surefoot-running"].map(|name| path(name).exists());
    assert_eq!(left, [false, true]);
}

#[test]
fn what_a_killed_run_left_behind_is_removed() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for name in [".surefoot-killed", ".surefoot-running", ".another"] {
        fs::write(path(name), "half").unwrap();
    }
    // A run that still writes holds a lock.
    let running = fs::File::open(path(".surefoot-running")).unwrap();
    running.lock().unwrap();
    let done = run(folder.path(), &["learn", "-d", "domain.pddl", "traces", "-o", "learned.pddl"]);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let left =
        [".surefoot-killed", ".surefoot-running", ".another"].map(|name| path(name).exists());
    assert_eq!(left, [false, true, true]);
}

/// A device is written to, and stays one.
#[test]
fn output_to_no_file() {
    let folder = folder();
    let words = [
        "learn",
        "-q",
        "-d",
        "domain.pddl",
        "traces",
        "-o",
        "/dev/null",
        "--save-state",
        "/dev/null",
    ];
    let done = run(folder.path(), &words);
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let done =
        run(folder.path(), &["learn", "-q", "-d", "domain.pddl", "traces", "-o", "/dev/stdout"]);
    assert!(
        String::from_utf8(done.stdout).unwrap().contains("(define (domain lamps)"),
        "{:?}",
        done.status
    );
}

#[test]
fn a_mark_of_a_bare_name_is_told_how_to_be_written() {
    let folder = folder();
    for (name, said) in [
        ("power", "map.json: power has parameters: write (power ?l)"),
        ("pwr", "no action has the function pwr"),
    ] {
        fs::write(folder.path().join("map.json"), format!(r#"{{"*": {{"{name}": "more"}}}}"#))
            .unwrap();
        let done =
            run(folder.path(), &["learn", "-d", "domain.pddl", "traces", "--monotone", "map.json"]);
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn a_map_with_the_same_key_twice() {
    let folder = folder();
    for (option, map, said) in [
        (
            "--relevant",
            r#"{"switch-on": ["(used)"], "switch-on": []}"#,
            r#"the key "switch-on" stands there twice"#,
        ),
        (
            "--relevant",
            r#"{"switch-on": ["(used)"], "Switch-On": []}"#,
            r#""Switch-On" and "switch-on" mean the same"#,
        ),
        (
            "--relevant",
            r#"{"switch-on": ["(used)", "(used)"]}"#,
            r#"switch-on: "(used)" is listed twice"#,
        ),
        (
            "--relevant",
            r#"{"switch-on": ["(* (used) (power ?l))", "(* (power ?L) (used))"]}"#,
            r#"switch-on: "(* (used) (power ?l))" and "(* (power ?L) (used))" mean the same"#,
        ),
        (
            "--monotone",
            r#"{"*": {"(used)": "more"}, "*": {}}"#,
            r#"the key "*" stands there twice"#,
        ),
        (
            "--monotone",
            r#"{"switch-on": {"(used)": "more", "(used)": "less"}}"#,
            r#"the key "(used)" stands there twice"#,
        ),
        (
            "--monotone",
            r#"{"switch-on": {"(power ?l)": "more", "( POWER  ?l )": "less"}}"#,
            r#"switch-on: "( POWER  ?l )" and "(power ?l)" mean the same"#,
        ),
        (
            "--monotone",
            r#"{"switch-on": {}, "SWITCH-ON": {}}"#,
            r#""SWITCH-ON" and "switch-on" mean the same"#,
        ),
        (
            "--monotone",
            r#"{"*": {"(power ?l)": "more", "(Power ?x)": "less"}}"#,
            r#"*: "(Power ?x)" and "(power ?l)" mean the same"#,
        ),
    ] {
        fs::write(folder.path().join("map.json"), map).unwrap();
        let done = run(
            folder.path(),
            &["learn", "-d", "domain.pddl", "traces", "--degree", "2", option, "map.json"],
        );
        let stderr = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{map}: {stderr}");
        assert!(stderr.contains("map.json") && stderr.contains(said), "{map}: {stderr}");
    }
}

#[test]
fn a_configuration_with_the_same_key_twice() {
    let folder = folder();
    let text = "traces = [1]\n[[domain]]\nname = \"farmland\"\ngenerate = \"farmland\"\nsizes = \
                { farms = \"3\", farms = \"4\" }\n";
    fs::write(folder.path().join("twice.toml"), text).unwrap();
    let done = run(folder.path(), &["experiment", "twice.toml", "-o", "out"]);
    assert_eq!(done.status.code(), Some(2), "{done:?}");
    assert!(String::from_utf8(done.stderr).unwrap().contains("duplicate key"));
}

/// The name of a trace stands in the head of a model when a step of it is set aside. It must not
/// become PDDL there.
#[test]
fn a_newline_in_the_name_of_a_trace() {
    let folder = folder();
    let name = "two\n(:action evil :parameters ())\u{1b}[2J.trajectory";
    let step = "((:init (= (power a) 1) (= (power b) 2) (= (used) 0))\n(operator: (switch-on \
                a))\n(:state (on a) (on b) (= (power a) 1) (= (power b) 2) (= (used) 1))\n)";
    fs::write(folder.path().join(name), step).unwrap();
    let words = ["learn", "-d", "domain.pddl", "traces", "hard.trajectory", name, "-o", "new.pddl"];
    let shown = r"two\n(:action evil :parameters ())\u{1b}[2J.trajectory";
    let done = run(folder.path(), &words);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(
        said.contains(shown) && !said.contains("\n(:action") && !said.contains('\u{1b}'),
        "{said}"
    );

    let done = run(folder.path(), &[&words[..], &["--on-bad-data", "quarantine"]].concat());
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let model = fs::read_to_string(folder.path().join("new.pddl")).unwrap();
    let head: Vec<&str> = model.lines().take_while(|line| !line.starts_with("(define")).collect();
    assert!(head.iter().all(|line| line.starts_with(';')), "{model}");
    assert!(head.iter().any(|line| line.contains(shown)), "{model}");

    let done = run(folder.path(), &["inspect", "no\nsuch\u{1b}file"]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains(r"no\nsuch\u{1b}file") && !said.contains('\u{1b}'), "{said}");
}
