//! The demo as a newcomer runs it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn demo(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command.current_dir(folder).arg("demo").args(more).stdin(Stdio::null());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_demo_tells_the_whole_story_and_says_what_it_measured() {
    let temporary = tempfile::tempdir().unwrap();
    let story = said(&demo(temporary.path(), &[]));
    let parts = [
        "1. Somebody who knows the rules",
        "50 problems are generated",
        "2. Learning the rules",
        "1 record: N-SAM   N-SAM*    40 records: N-SAM   N-SAM*    times seen",
        "move-fast   not yet",
        "3. A learned rule and the real one",
        "the real rule ",
        "what was learned",
        "  (>= (x ?f1) 4))",
        "Caution has a price. In one test state, (move-",
        " is false\n",
        "4. New problems",
        "valid: every step works, the goal is reached",
        "work in the real world. That is the promise",
        "5. The numbers",
        "6. The report",
        "surefoot-demo/farmland-0/report.html",
    ];
    let mut from = 0;
    for part in parts {
        let place = story[from..]
            .find(part)
            .unwrap_or_else(|| panic!("{part:?} is not in its place:\n{story}"));
        from += place + part.len();
    }
    assert!(!story.contains("NOT valid"), "{story}");
    assert!(story.lines().all(|line| line.chars().count() <= 130), "{story}");

    let folder = temporary.path().join("surefoot-demo/farmland-0");
    for file in [
        "report.html",
        "report/tables.md",
        "learned.pddl",
        "experiment.toml",
        "traces/domain.pddl",
        "results/summary.csv",
    ] {
        assert!(folder.join(file).exists(), "{file}");
    }
    // Its numbers are those of the table.
    let summary = fs::read_to_string(folder.join("results/summary.csv")).unwrap();
    let mean = |metric: &str| -> f64 {
        let head = format!("farmland,with-assumptions,nsam-star,40,holds,{metric},5,");
        let row = summary.lines().find(|line| line.starts_with(&head)).unwrap();
        row[head.len()..].split(',').next().unwrap().parse().unwrap()
    };
    let row = story
        .lines()
        .find(|line| line.contains("with-assumptions") && line.contains("N-SAM*"))
        .unwrap();
    let words: Vec<&str> = row.split_whitespace().filter(|word| !word.starts_with('±')).collect();
    assert_eq!(words[2], "1.00");
    assert_eq!(mean("semantic_precision"), 1.0);
    assert_eq!(words[3], format!("{:.2}", mean("semantic_recall")));

    // Once more: the results are there already, and the story is the same.
    assert_eq!(said(&demo(temporary.path(), &[])), story);
}

#[test]
fn other_domains_seeds_and_folders_do_not_meet() {
    let temporary = tempfile::tempdir().unwrap();
    let page = said(&demo(
        temporary.path(),
        &["--quiet", "--domain", "minecraft", "--seed", "3", "-o", "shown"],
    ));
    assert_eq!(page, "shown/minecraft-3/report.html\n");
    let page = fs::read_to_string(temporary.path().join("shown/minecraft-3/report.html")).unwrap();
    assert!(page.contains("Minecraft: what surefoot learned"));
}
