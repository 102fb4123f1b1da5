//! Planners as processes: what they say is understood, what they use is bounded, and nothing of
//! them is left behind.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod live;
mod metric_ff;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

const DOMAIN: &str = "../surefoot-lab/domains/farmland/domain.pddl";
const PROBLEM: &str = "../surefoot-lab/domains/farmland/demo/monday.pddl";

fn plan_of(domain: &str, problem: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command.args(["plan", "-d", domain, "-p", problem]).stdin(Stdio::null());
    command
}

fn plan() -> Command {
    plan_of(DOMAIN, PROBLEM)
}

/// The fixture `name`.sh as a planner, with the path of a file to note process ids in.
fn fixture(name: &str, notes: &Path) -> String {
    format!("sh tests/fixtures/planners/{name}.sh {{domain}} {{problem}} '{}'", notes.display())
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no JSON: {output:?}"))
}

/// The processes noted in a file, once there are `count`.
fn noted(notes: &Path, count: usize) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let text = fs::read_to_string(notes).unwrap_or_default();
        let ids: Vec<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if ids.len() >= count {
            return ids;
        }
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{} of {count} processes started",
            ids.len()
        );
        sleep(Duration::from_millis(20));
    }
}

fn is_alive(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next())
        .is_some_and(|state| state != "Z" && state != "X")
}

#[track_caller]
fn assert_gone(ids: &[u32], within: Duration) {
    let start = Instant::now();
    loop {
        let alive: Vec<u32> = ids.iter().copied().filter(|&id| is_alive(id)).collect();
        if alive.is_empty() {
            return;
        }
        assert!(start.elapsed() < within, "still running: {alive:?}");
        sleep(Duration::from_millis(20));
    }
}

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Scratch(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Starts a planner with two descendants, one of them in a session of its own, all deaf to polite
/// requests.
fn start_family(scratch: &Scratch) -> (Child, Vec<u32>) {
    let notes = scratch.path("ids");
    let mut command = plan();
    command.args(["--planner", &fixture("parent", &notes)]).env("TMPDIR", scratch.0.path());
    let surefoot = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let ids = noted(&notes, 3);
    assert!(ids.iter().all(|&id| is_alive(id)));
    (surefoot, ids)
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn no_descendant_outlives_the_time_limit() {
    let scratch = Scratch::new();
    let notes = scratch.path("ids");
    let output = plan()
        .args(["--time-limit", "2", "--planner", &fixture("parent", &notes)])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_gone(&noted(&notes, 3), Duration::ZERO);
}

#[test]
fn a_planner_that_ignores_polite_requests_is_killed() {
    let scratch = Scratch::new();
    let notes = scratch.path("ids");
    let start = Instant::now();
    let output = plan()
        .args(["--time-limit", "1", "--planner", &fixture("stubborn", &notes)])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_gone(&noted(&notes, 1), Duration::ZERO);
}

#[test]
fn what_a_planner_leaves_behind_is_ended() {
    let scratch = Scratch::new();
    let notes = scratch.path("ids");
    let output = plan().args(["--planner", &fixture("leaver", &notes)]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_gone(&noted(&notes, 1), Duration::ZERO);
}

#[test]
fn no_descendant_outlives_an_interrupt() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let scratch = Scratch::new();
        let (mut surefoot, ids) = start_family(&scratch);
        signal(&surefoot, name);
        assert_eq!(surefoot.wait().unwrap().code(), Some(code));
        assert_gone(&ids, Duration::ZERO);
    }
}

#[test]
fn no_descendant_and_no_file_outlives_a_crash_of_ours() {
    let scratch = Scratch::new();
    let (mut surefoot, ids) = start_family(&scratch);
    signal(&surefoot, "-KILL");
    surefoot.wait().unwrap();
    assert_gone(&ids, Duration::from_secs(5));
    let start = Instant::now();
    loop {
        let left: Vec<_> = fs::read_dir(scratch.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        if left == ["ids"] {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(5), "left behind: {left:?}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_planner_does_not_outlive_its_supervisor() {
    let scratch = Scratch::new();
    let notes = scratch.path("ids");
    let mut command = plan();
    command
        .args(["--planner", &fixture("stubborn", &notes)])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut surefoot = command.spawn().unwrap();
    let ids = noted(&notes, 1);
    let stat = fs::read_to_string(format!("/proc/{}/stat", ids[0])).unwrap();
    let supervisor = stat.rsplit(')').next().unwrap().split_whitespace().nth(1).unwrap().to_owned();
    assert_ne!(supervisor, surefoot.id().to_string());
    assert!(Command::new("kill").args(["-KILL", &supervisor]).status().unwrap().success());
    assert_eq!(surefoot.wait().unwrap().code(), Some(1));
    assert_gone(&ids, Duration::from_secs(1));
}

/// A planner that ends its supervisor, in every way it can, and leaves a process in a session of
/// its own behind.
#[test]
fn a_planner_that_kills_its_supervisor() {
    for (name, said) in [
        ("KILL", "was killed by signal 9"),
        ("STOP", "was stopped by signal 19"),
        ("TERM", "was asked to end, and not by us"),
    ] {
        let scratch = Scratch::new();
        let notes = scratch.path("ids");
        // Even a plan that works does not hide it.
        let planner = fixture("rebel", &notes) + " " + name;
        let start = Instant::now();
        let output = plan().args(["--time-limit", "60", "--planner", &planner]).output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: {:?}", start.elapsed());
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        assert!(output.stdout.is_empty(), "{name}: {output:?}");
        assert!(
            stderr(&output)
                .contains(&format!("the process that keeps it within its limits {said}")),
            "{output:?}"
        );
        assert_gone(&noted(&notes, 2), Duration::from_secs(1));
    }
}

/// What it says about itself is not read from where a planner can put something else.
#[test]
fn a_planner_that_replaces_the_report_of_its_supervisor() {
    let planner = "sh -c 'for f in $(dirname $0)/report*; do rm $f; mkfifo $f; done; sh \
                   tests/fixtures/planners/right.sh $0 $1' {domain} {problem}";
    let start = Instant::now();
    let output = plan().args(["--time-limit", "60", "--planner", planner]).output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn a_plan_file_that_is_none() {
    for (leave, said) in [
        ("mkfifo", "where its plan should be it left a pipe"),
        ("mkdir", "where its plan should be it left a folder"),
        ("ln -s /dev/zero", "where its plan should be it left a device"),
        ("truncate -s 1T", "its plan has more than 64 MB"),
        ("ln -s /proc/self/environ", "its plan cannot be read"),
        ("ln -s nowhere", "it ended with exit code 1, and left no plan"),
    ] {
        let planner = format!("sh -c '{leave} $2; exit 1' {{domain}} {{problem}} {{plan}}");
        let start = Instant::now();
        let output = plan().args(["--time-limit", "60", "--planner", &planner]).output().unwrap();
        assert!(start.elapsed() < Duration::from_secs(20), "{leave}");
        assert_eq!(output.status.code(), Some(1), "{leave}: {output:?}");
        assert!(stderr(&output).contains(said), "{leave}: {output:?}");
    }
}

/// Escape sequences could retitle a window, hide a line or answer for the user.
#[test]
fn terminal_escapes_in_what_a_planner_prints_and_saves() {
    let escapes = r"\033]0 owned\007 \033[2J \302\2332J \342\200\256 \r";
    let kinds = [
        format!(
            "sh -c \"printf '{escapes}\\n'; printf '{escapes}\\n' >&2; exit 3\" {{domain}} \
             {{problem}}"
        ),
        format!("sh -c \"printf '(fly{escapes} north)\\n'\" {{domain}} {{problem}}"),
        format!(
            "sh -c \"printf '(fly{escapes} south)\\n' > \\$2\" {{domain}} {{problem}} {{plan}}"
        ),
    ];
    for planner in kinds {
        for format in ["text", "json"] {
            let output = plan().args(["--format", format, "--planner", &planner]).output().unwrap();
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let said = String::from_utf8(output.stdout).unwrap()
                + &String::from_utf8(output.stderr).unwrap();
            let steering = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!said.contains(steering), "{planner}: {said:?}");
            assert!(said.contains("u{1b}"), "{planner}: {said:?}");
        }
    }
}

#[test]
fn time_on_cores_is_bounded() {
    let scratch = Scratch::new();
    let report = scratch.path("report");
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command
        .arg("__supervise")
        .arg(&report)
        .arg(r#"{"time":null,"cpu":{"secs":0,"nanos":400000000},"memory":null}"#);
    // The work is done by children that end and are waited for, as well as by one that does not
    // end.
    command.args([
        "sh",
        "-c",
        "sh -c 'for i in 1 2 3 4 5 6 7 8 9; do :; done'; while :; do :; done",
    ]);
    // As long as this end of the pipe is held, the planner may run.
    let mut supervisor = command.stdin(Stdio::piped()).spawn().unwrap();
    let held = supervisor.stdin.take();
    assert!(supervisor.wait().unwrap().success());
    drop(held);
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["ending"], "CpuLimit");
    let seconds = report["cpu_seconds"].as_f64().unwrap();
    assert!((0.4..5.0).contains(&seconds), "{seconds}");
}

#[test]
fn the_losers_of_a_race_are_ended() {
    let scratch = Scratch::new();
    let notes = scratch.path("ids");
    // The winner waits for the loser to have started.
    let winner = format!(
        "sh -c 'while [ ! -s {} ]; do sleep 0.05; done; sh tests/fixtures/planners/right.sh $0 $1' \
         {{domain}} {{problem}}",
        notes.display()
    );
    let output = plan()
        .args(["--race", "--planner", &fixture("hang", &notes), "--planner", &winner])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_gone(&noted(&notes, 1), Duration::ZERO);
}

#[test]
fn a_planner_that_prints_without_end_is_bounded() {
    let scratch = Scratch::new();
    let mut command = plan();
    command.args([
        "--format",
        "json",
        "--time-limit",
        "1",
        "--planner",
        &fixture("chatter", &scratch.path("ids")),
    ]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let report = json(&output);
    let attempt = &report["attempts"][0];
    assert_eq!(attempt["result"], "time-limit");
    let kept = attempt["stdout"].as_str().unwrap().len();
    assert!((1 << 20..33 << 20).contains(&kept), "{kept} bytes kept");
}

#[test]
fn the_memory_of_all_processes_is_bounded() {
    let scratch = Scratch::new();
    let mut command = plan();
    command.args([
        "--format",
        "json",
        "--memory-limit",
        "150",
        "--planner",
        &fixture("glutton", &scratch.path("ids")),
    ]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let report = json(&output);
    assert_eq!(report["attempts"][0]["result"], "memory-limit");
    let peak = report["attempts"][0]["peak_bytes"].as_u64().unwrap();
    assert!((150 << 20..1 << 30).contains(&peak), "{peak}");
}

#[test]
fn a_planner_stopped_while_improving_keeps_its_plan() {
    let mut command = plan();
    command.args([
        "--time-limit",
        "1",
        "--planner",
        "sh tests/fixtures/planners/anytime.sh {domain} {problem} {plan}",
    ]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(output.stdout, b"(move-fast north south)\n(move-slow north middle)\n");
}

#[test]
fn a_plan_file_is_written_only_when_there_is_a_plan() {
    let scratch = Scratch::new();
    let target = scratch.path("found.plan");
    let run = |name: &str| {
        let output = plan()
            .arg("-o")
            .arg(&target)
            .args(["--planner", &fixture(name, &scratch.path("ids"))])
            .output()
            .unwrap();
        assert!(output.stdout.is_empty());
        output.status.code()
    };
    assert_eq!(run("wrong"), Some(1));
    assert!(!target.exists());
    assert_eq!(run("right"), Some(0));
    assert_eq!(
        fs::read_to_string(&target).unwrap(),
        "(move-fast north south)\n(move-slow north middle)\n"
    );
}

/// What a planner is given: its own dialect of the task.
#[test]
fn files_are_rewritten_to_what_planners_read() {
    let mut command =
        plan_of("tests/fixtures/planners/harbour.pddl", "tests/fixtures/planners/first-trip.pddl");
    command.args([
        "--format",
        "json",
        "--planner",
        "sh -c 'cat $0 $1 | sed s/^/#/' {domain} {problem}",
    ]);
    let output = command.output().unwrap();
    let report = json(&output);
    let text = report["attempts"][0]["stdout"].as_str().unwrap();
    assert_eq!(text, text.to_lowercase());
    assert!(text.is_ascii() && !text.contains("(/"), "{text}");
    for expected in [
        "(:requirements :typing :negative-preconditions :equality :fluents)",
        "ms_anna - ship",
        "n1st_berth n2nd_berth caf_ caf__2 - berth",
        // Exact, by scaling.
        "(>= (* 3 (fuel ?s)) 1)",
        "(<= (+ (+ (load ?s) (* 2 (fuel ?s))) 1) 12)",
        "(decrease (fuel ?s) 0.333333333333333)",
    ] {
        assert!(text.contains(expected), "{expected} not in {text}");
    }
    let load_up = &text[text.find("load-up").unwrap()..];
    assert!(!load_up[..load_up.find("(define").unwrap()].contains("(not (at ?s ?b))"), "{text}");
}
