//! Ctrl-C, in the midst of a long computation.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const COLUMNS: usize = 9;

/// A world of many numbers, all of which matter to its action: the hull of what was seen takes
/// long.
fn world(folder: &Path) {
    let functions: Vec<String> = (0..COLUMNS).map(|column| format!("f{column}")).collect();
    let declared: String = functions.iter().map(|function| format!(" ({function} ?o)")).collect();
    let domain = format!(
        "(define (domain world) (:predicates (seen ?o)) (:functions{declared})\n\
         (:action look :parameters (?o) :precondition (and) :effect (seen ?o)))"
    );
    fs::write(folder.join("domain.pddl"), domain).unwrap();
    fs::create_dir(folder.join("traces")).unwrap();
    let mut seed: u64 = 12345;
    for trace in 0..80 {
        let mut values = String::new();
        for object in 0..10 {
            for function in &functions {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                values += &format!(" (= ({function} o{object}) {})", (seed >> 40) % 1000);
            }
        }
        let mut text = format!("((:init{values})\n");
        let mut seen = String::new();
        for object in 0..10 {
            seen += &format!(" (seen o{object})");
            text += &format!("(operator: (look o{object}))\n(:state{values}{seen})\n");
        }
        fs::write(folder.join(format!("traces/{trace}.trajectory")), text + ")\n").unwrap();
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn learning_ends_at_once_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    world(folder.path());
    let before = names(folder.path());
    for (signal, code, words) in
        [("-INT", 130, &["--format", "text"][..]), ("-TERM", 143, &["--format", "json"])]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_surefoot"))
            .current_dir(folder.path())
            .args([
                "learn",
                "-d",
                "domain.pddl",
                "traces",
                "-o",
                "learned.pddl",
                "--state",
                "s",
                "--certificate",
                "c",
            ])
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        assert!(child.try_wait().unwrap().is_none(), "it takes long enough to be interrupted");
        let start = Instant::now();
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        // Two seconds on a machine that has other things to do; it is milliseconds on others.
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains("interrupted"), "{said}");
        assert!(output.stdout.is_empty());
        assert_eq!(names(folder.path()), before, "neither files nor parts of them");
    }
}

#[test]
fn an_import_leaves_no_part_of_a_trajectory() {
    let folder = tempfile::tempdir().unwrap();
    let map = "action = \"action\"\nobjects = { robot = \"robot\" }\n[after]\nbattery = \"(battery \
               ?robot)\"\n\
               [actions]\nboot = \"report\"\nmove = [\"robot\"]\n";
    fs::write(folder.path().join("map.toml"), map).unwrap();
    let rows: String = (1..300_000).map(|row| format!("r1,move,{row}\n")).collect();
    fs::write(folder.path().join("log.csv"), format!("robot,action,battery\nr1,boot,0\n{rows}"))
        .unwrap();
    let output = folder.path().join("imported");
    let mut child = Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .current_dir(folder.path())
        .args(["import", "log.csv", "--map", "map.toml", "-o", "imported"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let unfinished = |name: &String| name.starts_with(".surefoot-");
    while !output.exists() || !names(&output).iter().any(unfinished) {
        assert!(child.try_wait().unwrap().is_none(), "it takes long enough to be interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!names(&output).iter().any(unfinished), "{:?}", names(&output));
}
