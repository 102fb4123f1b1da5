//! `surefoot score`: what a model says of a log that it was not learned from.

use std::path::Path;
use std::process::{Command, Output};

const MAP: &str = r#"
action = "did"
status = { column = "ok", ok = "yes", failed = "no" }
[after]
level = "(level)"
[actions]
start = "report"
up = []
"#;

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefoot")).current_dir(folder).args(words).output().unwrap()
}

fn score(folder: &Path, log: &str) -> (Option<i32>, serde_json::Value) {
    std::fs::write(folder.join("new.csv"), log).unwrap();
    let done = run(
        folder,
        &["score", "-m", "model.pddl", "new.csv", "--map", "map.toml", "--format", "json"],
    );
    let value = serde_json::from_slice(&done.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&done.stderr)));
    (done.status.code(), value)
}

#[test]
fn what_worked_and_what_failed_is_counted_and_a_contradiction_is_no() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("map.toml"), MAP).unwrap();
    std::fs::write(
        folder.join("log.csv"),
        "did,level,ok\nstart,0,yes\nup,1,yes\nup,2,yes\nup,3,yes\n",
    )
    .unwrap();
    let learned = run(folder, &["learn", "log.csv", "--map", "map.toml", "-o", "model.pddl"]);
    assert_eq!(learned.status.code(), Some(0), "{}", String::from_utf8_lossy(&learned.stderr));

    // From 2 it was seen to work, from 3 and 4 it was not.
    let (code, told) = score(folder, "did,level,ok\nstart,2,yes\nup,3,yes\nup,4,yes\nup,4,no\n");
    assert_eq!(code, Some(0), "{told}");
    let counts = |told: &serde_json::Value| -> Vec<u64> {
        let of = ["worked", "allowed", "mistaken", "failed", "allowed_failures", "undecided"];
        of.iter().map(|name| told["all"][name].as_u64().unwrap()).collect()
    };
    assert_eq!(counts(&told), [2, 1, 0, 1, 0, 0]);
    assert_eq!(told["actions"][0]["action"], "up");
    assert_eq!((&told["traces"], &told["wrong_traces"]), (&1.into(), &0.into()));
    // Plain PDDL does not say from which traces it was learned.
    assert!(
        told["learned_from"].is_null()
            && told["wrong_at_most"].as_f64().unwrap().mul_add(100.0, 0.5) as u32 == 95,
        "{told}"
    );

    // What is allowed fails, or does something else: an assumption is false, and the row is named.
    let (code, told) = score(folder, "did,level,ok\nstart,2,yes\nup,2,no\nup,7,yes\n");
    assert_eq!(code, Some(1), "{told}");
    assert_eq!(counts(&told), [1, 1, 1, 1, 1, 0]);
    let named: Vec<&str> = told["contradictions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(serde_json::Value::as_str)
        .collect();
    assert!(
        named.len() == 2 && named[0].contains("new.csv:3") && named[1].contains("new.csv:4"),
        "{named:?}"
    );

    let shown = run(folder, &["score", "-m", "model.pddl", "new.csv", "--map", "map.toml"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(
        shown.contains("wrongly allowed") && shown.contains("The records contradict the model"),
        "{shown}"
    );
    assert_eq!(shown.lines().filter(|line| line.starts_with("error: (up) ")).count(), 2, "{shown}");

    // Three are enough for people.
    score(folder, &format!("did,level,ok\nstart,2,yes\n{}", "up,2,no\n".repeat(30)));
    let shown = run(folder, &["score", "-m", "model.pddl", "new.csv", "--map", "map.toml"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert_eq!(shown.lines().filter(|line| line.starts_with("error: (up) ")).count(), 3, "{shown}");
    // What went wrong comes first, then the counts.
    let (more, counts) = (shown.find("\nand 27 more\n"), shown.find("wrongly allowed"));
    assert!(more.is_some() && more < counts, "{shown}");
    let ends = "Bounds count traces, so one trace proves nothing about new ones. ";
    assert!(shown.replace('\n', " ").ends_with(ends), "{shown}");
}

#[test]
fn numbers_are_rounded_as_the_stamp_of_the_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("map.toml"), MAP).unwrap();
    let log = "did,level,ok\nstart,0,yes\nup,0.1,yes\nup,0.2,yes\nup,0.30000000000000004,yes\n\
               up,0.4,yes\n";
    std::fs::write(folder.join("log.csv"), log).unwrap();
    let learned = run(
        folder,
        &["learn", "log.csv", "--map", "map.toml", "--decimals", "6", "-o", "model.pddl"],
    );
    assert_eq!(learned.status.code(), Some(0), "{}", String::from_utf8_lossy(&learned.stderr));
    let words = ["score", "-m", "model.pddl", "log.csv", "--map", "map.toml"];
    let done = run(folder, &words);
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(said.contains("rounded to 6 decimals, since the model's stamp says so"), "{said}");
    // Who names the decimals is obeyed.
    let done = run(folder, &[&words[..], &["--decimals", "20"]].concat());
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stdout));
}

/// Steps that the stamp takes for failed attempts are not counted as steps that worked.
#[test]
fn a_model_that_reads_unchanged_steps_as_failed_scores_them_so() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(
        folder.join("map.toml"),
        MAP.replace("status = { column = \"ok\", ok = \"yes\", failed = \"no\" }\n", ""),
    )
    .unwrap();
    let log = "did,level\nstart,0\nup,1\nup,2\nup,3\nup,3\nup,3\n";
    std::fs::write(folder.join("log.csv"), log).unwrap();
    let learned = run(
        folder,
        &["learn", "log.csv", "--map", "map.toml", "--unchanged", "failed", "-o", "model.pddl"],
    );
    assert_eq!(learned.status.code(), Some(0), "{}", String::from_utf8_lossy(&learned.stderr));
    let (code, told) = score(folder, log);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(
        (&told["all"]["worked"], &told["all"]["allowed"], &told["all"]["failed"]),
        (&3.into(), &3.into(), &2.into()),
        "{told}"
    );
    // Without the stamp they worked, unless the command line says otherwise.
    let model = std::fs::read_to_string(folder.join("model.pddl")).unwrap();
    let without: String = model
        .lines()
        .filter(|line| !line.starts_with("; surefoot-model"))
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(folder.join("model.pddl"), without).unwrap();
    assert_eq!(score(folder, log).1["all"]["worked"], 5);
    let said = run(
        folder,
        &[
            "score",
            "-m",
            "model.pddl",
            "new.csv",
            "--map",
            "map.toml",
            "--unchanged",
            "failed",
            "--format",
            "json",
        ],
    );
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    assert_eq!(said["all"]["failed"], 2, "{said}");
}

/// What came of the last row of an episode is not recorded: it counts neither way, as in `learn`.
#[test]
fn what_is_unknown_after_a_row_counts_neither_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let map = "episode = \"ep\"\naction = \"act\"\nobjects = { r = \"r\" }\n[before]\nx = \"(x \
               ?r)\"\n[actions]\ngo = [\"r\"]\n";
    std::fs::write(folder.join("map.toml"), map).unwrap();
    std::fs::write(
        folder.join("log.csv"),
        "ep,act,r,x\n1,go,r1,1\n1,go,r1,2\n1,go,r1,3\n1,go,r1,4\n2,go,r1,2\n",
    )
    .unwrap();
    let learned = run(
        folder,
        &["learn", "log.csv", "--map", "map.toml", "--unchanged", "failed", "-o", "model.pddl"],
    );
    assert_eq!(learned.status.code(), Some(0), "{}", String::from_utf8_lossy(&learned.stderr));
    let said = run(
        folder,
        &["score", "-m", "model.pddl", "log.csv", "--map", "map.toml", "--format", "json"],
    );
    let told: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
    let all = &told["all"];
    assert_eq!(
        (&all["worked"], &all["failed"], &all["undecided"]),
        (&3.into(), &0.into(), &2.into()),
        "{told}"
    );
    assert_eq!(said.status.code(), Some(0), "{told}");
}

/// What traces say of new ones, whatever is true of the world; nothing, where they are not new.
#[test]
fn traces_that_the_model_was_learned_from_prove_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("map.toml"), format!("episode = \"day\"\n{}", MAP.trim_start()))
        .unwrap();
    let log = |days: std::ops::Range<usize>| {
        days.fold("day,did,level,ok\n".to_owned(), |text, day| {
            text + &format!("{day},start,{day},yes\n{day},up,{},yes\n", day + 1)
        })
    };
    std::fs::write(folder.join("old.csv"), log(0..9)).unwrap();
    let learned = run(folder, &["learn", "old.csv", "--map", "map.toml", "-o", "m.surefoot"]);
    assert_eq!(learned.status.code(), Some(0), "{}", String::from_utf8_lossy(&learned.stderr));
    let said = |log: &str| {
        let done = run(folder, &["score", "-m", "m.surefoot", log, "--map", "map.toml"]);
        String::from_utf8(done.stdout).unwrap().replace('\n', " ")
    };
    let own = said("old.csv");
    assert!(
        own.contains("The model was learned from these traces, so they prove nothing"),
        "{own}"
    );
    std::fs::write(
        folder.join("new.csv"),
        log(0..8).replace("0,start,0", "0,start,3.5").replace("0,up,1", "0,up,4.5"),
    )
    .unwrap();
    let new = said("new.csv");
    assert!(new.contains("The model was learned from 7 of them"), "{new}");
}
