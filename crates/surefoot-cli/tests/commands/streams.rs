//! `-` is standard input where a file is read, and standard output where one is written, for every
//! option of every verb.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::outputs;

/// A folder with one file of each kind.
pub fn folder() -> tempfile::TempDir {
    let folder = outputs::folder();
    let words = "learn -d domain.pddl traces -o learned.pddl --certificate c.json -q";
    assert_eq!(run(folder.path(), words, b"").status.code(), Some(0));
    let config = "folds = 2\ntraces = [1]\nalgorithms = [\"nsam\"]\n[test]\nsteps = 10\n\
                  [[domain]]\nname = \"farmland\"\ngenerate = \"farmland\"\nproblems = 4\n";
    let map = "domain = \"robots\"\naction = \"action\"\nobjects = { robot = \"robot\" }\n\
               [after]\nbattery = \"(battery ?robot)\"\n[actions]\nboot = \"report\"\nmove = \
               [\"robot\"]\n";
    fs::write(folder.path().join("map.toml"), map).unwrap();
    fs::write(
        folder.path().join("log.csv"),
        "robot,action,battery\nr1,boot,10\nr1,move,9\nr1,move,8\n",
    )
    .unwrap();
    let done = run(
        folder.path(),
        "learn log.csv --map map.toml -o robots.pddl --certificate robots.json -q",
        b"",
    );
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    fs::create_dir(folder.path().join("problems")).unwrap();
    fs::copy(folder.path().join("one.pddl"), folder.path().join("problems/one.pddl")).unwrap();
    fs::write(folder.path().join("config.toml"), config).unwrap();
    folder
}

/// Runs a command line, with blanks between its words; `_` in a word is a blank.
pub fn run(folder: &Path, words: &str, input: &[u8]) -> Output {
    let words = words.split_whitespace().map(|word| word.replace('_', " "));
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command
        .current_dir(folder)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // Not everything is read where the command line is wrong.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Each file that is read, in braces. The list of all of them is in `src/streams.rs`.
const READ: &[&str] = &[
    "import {log.csv} --map map.toml",
    "import log.csv --map {map.toml}",
    "learn {log.csv} --map map.toml -q",
    "learn log.csv --map {map.toml} -q",
    "learn -d domain.pddl traces -q --declared {relevant.json}",
    "assess {log.csv} --map map.toml",
    "assess log.csv --map {map.toml}",
    "assess -d domain.pddl traces --declared {relevant.json}",
    "explain -m learned.pddl -p one.pddl --after one.plan --state s.bin --declared {relevant.json} \
     (switch-on_a)",
    "check {log.csv} --map map.toml -m robots.pddl -c robots.json",
    "check log.csv --map {map.toml} -m robots.pddl -c robots.json",
    "learn -d {domain.pddl} traces -q",
    "learn -d domain.pddl {traces/one.trajectory} -q",
    "learn -d domain.pddl traces -q --resume {s.bin}",
    "learn -d domain.pddl traces -q --relevant {relevant.json}",
    "learn -d domain.pddl traces -q --monotone {monotone.json}",
    "assess -d {domain.pddl} traces",
    "assess -d domain.pddl {traces/one.trajectory}",
    "assess -d domain.pddl traces --relevant {relevant.json}",
    "assess -d domain.pddl traces --monotone {monotone.json}",
    "lint -d {domain.pddl} traces",
    "lint -d domain.pddl {traces/one.trajectory}",
    "merge {s.bin} t.bin -o -",
    "explain -d {learned.pddl} -p one.pddl (switch-on_a)",
    "explain -m learned.pddl -p {one.pddl} (switch-on_a)",
    "explain -m learned.pddl -p one.pddl -c {c.json} (switch-on_a)",
    "explain -m learned.pddl -p one.pddl --after {one.plan} (switch-on_a)",
    "explain -m learned.pddl -p one.pddl --after one.plan --state {s.bin} (switch-on_a)",
    "explain -m learned.pddl -p one.pddl --after one.plan --state s.bin --monotone {monotone.json} \
     (switch-on_a)",
    "explain -m learned.pddl -p one.pddl --after one.plan --traces {traces/one.trajectory} \
     (switch-on_a)",
    "check -d {domain.pddl} -m learned.pddl -c c.json traces",
    "check -d domain.pddl -m {learned.pddl} -c c.json traces",
    "check -d domain.pddl -m learned.pddl -c {c.json} traces",
    "check -d domain.pddl -m learned.pddl -c c.json {traces/one.trajectory}",
    "check -d domain.pddl -m learned.pddl -c c.json traces --assume {learned.pddl}",
    "problem -d {learned.pddl} -p one.pddl",
    "problem -d learned.pddl -p {one.pddl}",
    "validate -d {domain.pddl} -p one.pddl one.plan",
    "validate -d domain.pddl -p {one.pddl} one.plan",
    "validate -d domain.pddl -p one.pddl {one.plan}",
    "validate -d learned.pddl -p one.pddl -c {c.json} one.plan",
    "plan -d {domain.pddl} -p one.pddl -q",
    "plan -d domain.pddl -p {one.pddl} -q",
    "plan -d learned.pddl -p one.pddl -c {c.json} -q",
    "trace -d {domain.pddl} -p one.pddl one.plan",
    "trace -d domain.pddl -p {one.pddl} one.plan",
    "trace -d domain.pddl -p one.pddl {one.plan}",
    "trace -d learned.pddl -p one.pddl -c {c.json} one.plan",
    "evaluate --truth {domain.pddl} --model learned.pddl --problems problems",
    "evaluate --truth domain.pddl --model {learned.pddl} --problems problems",
    "evaluate --truth domain.pddl --model learned.pddl -c {c.json} --problems problems",
    "experiment {config.toml} -o results-of-it --dry-run --jobs 1",
    "inspect {domain.pddl}",
    "inspect domain.pddl --relevant {relevant.json}",
];

#[test]
fn a_file_that_is_read_can_be_standard_input() {
    let folder = folder();
    for line in READ {
        let (before, rest) = line.split_once('{').unwrap();
        let (file, after) = rest.split_once('}').unwrap();
        let from_file = run(folder.path(), &format!("{before}{file}{after}"), b"");
        let bytes = fs::read(folder.path().join(file)).unwrap();
        let from_stream = run(folder.path(), &format!("{before}-{after}"), &bytes);
        assert!(matches!(from_file.status.code(), Some(0 | 1)), "{line}: {from_file:?}");
        assert_eq!(from_stream.status, from_file.status, "{line}: {from_stream:?}");
        if before.starts_with("experiment") {
            // An estimate is a measurement; what it is about is the same.
            assert_eq!(
                from_stream.stdout.first_chunk::<8>(),
                from_file.stdout.first_chunk(),
                "{line}"
            );
            continue;
        }
        let texts = [&from_stream, &from_file]
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        assert!(!texts[1].is_empty(), "{line}");
        // Places say where they are.
        assert_eq!(texts[0].replace("<stdin>", file), texts[1], "{line}");
    }
}

#[test]
fn a_file_that_is_written_can_be_standard_output() {
    let folder = folder();
    for line in [
        "learn -d domain.pddl traces -o {}",
        "learn -d domain.pddl traces -o out --save-state {}",
        "learn -d domain.pddl traces -o out --certificate {}",
        "learn -d domain.pddl traces -o out --certificate {} --format json",
        "merge s.bin t.bin -o {}",
        "problem -d learned.pddl -p one.pddl -o {}",
        "problem -d learned.pddl -p one.pddl -o {} --format json",
        "plan -d domain.pddl -p one.pddl -o {}",
        "trace -d domain.pddl -p one.pddl one.plan -o {}",
        "trace -d domain.pddl -p one.pddl one.plan -o {} --format json",
    ] {
        let to_file = run(folder.path(), &line.replace("{}", "written"), b"");
        assert_eq!(to_file.status.code(), Some(0), "{line}: {to_file:?}");
        let to_stream = run(folder.path(), &line.replace("{}", "-"), b"");
        assert_eq!(to_stream.status.code(), Some(0), "{line}: {to_stream:?}");
        assert!(
            to_stream.stdout == fs::read(folder.path().join("written")).unwrap(),
            "{line}: {to_stream:?}"
        );
        // Where the trajectory is printed there is nothing to say about it.
        let says = !line.starts_with("trace") || line.contains("json");
        assert_eq!(
            !to_stream.stderr.is_empty(),
            says,
            "{line}: the summary goes to standard error: {to_stream:?}"
        );
        assert!(!folder.path().join("-").exists(), "{line} makes a file called -");
    }
}

#[test]
fn a_report_can_be_printed_alone() {
    let folder = folder();
    let made = run(folder.path(), "experiment config.toml -o run --jobs 1 -q", b"");
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let before = outputs::contents(folder.path());
    let page = run(folder.path(), "report run -o -", b"");
    let text = String::from_utf8(page.stdout).unwrap();
    assert!(
        text.starts_with("<!DOCTYPE html>") && !text.contains("Beside this page"),
        "{text:.300}"
    );
    assert!(outputs::contents(folder.path()) == before, "files were written");
}

#[test]
fn there_is_one_standard_input_and_one_standard_output() {
    let folder = folder();
    let before = outputs::contents(folder.path());
    for (line, said) in [
        ("learn -d - -", "-d and TRACE_OR_FOLDER are both standard input"),
        ("learn -d domain.pddl - -", "TRACE_OR_FOLDER is more than once standard input"),
        ("validate -d - -p - one.plan", "-d and -p are both standard input"),
        ("check -d domain.pddl -m - -c - traces", "-m and -c are both standard input"),
        (
            "learn -d domain.pddl traces -o - --save-state -",
            "-o and --save-state are both standard output",
        ),
        (
            "learn -d domain.pddl traces --certificate -",
            "without -o the result goes to standard output",
        ),
        ("learn -d domain.pddl - --problems problems", "standard input has none"),
        ("generate farmland -o -", "-o cannot be a standard stream"),
        ("report -", "FOLDER cannot be a standard stream"),
        (
            "evaluate --truth domain.pddl --model learned.pddl --problems -",
            "--problems cannot be a standard stream",
        ),
    ] {
        let done = run(folder.path(), line, b"");
        let text = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(2), "{line}: {text}");
        assert!(text.starts_with("error: ") && text.contains(said), "{line}: {text}");
        assert!(done.stdout.is_empty(), "{line}");
    }
    assert!(outputs::contents(folder.path()) == before);
}

#[test]
fn what_is_wrong_with_standard_input_is_said_of_it() {
    let folder = folder();
    let done = run(
        folder.path(),
        "validate -d - -p one.pddl one.plan",
        b"(define (domain x) (:predicate (a)))",
    );
    let text = String::from_utf8(done.stderr).unwrap();
    assert!(text.contains("--> <stdin>:1:"), "{text}");
}
