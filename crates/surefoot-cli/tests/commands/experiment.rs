//! Experiments as users run them: killed and continued, with broken planners, with broken cells.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const CONFIG: &str = r#"
seed = 7
folds = 3
traces = [1, 2, 4, 6]
algorithms = ["nsam", "nsam-star"]

[test]
steps = 60

[[setting]]
name = "plain"

[[setting]]
name = "k=1"
arity = 1

[[domain]]
name = "farmland"
generate = "farmland"
problems = 12

[[domain]]
name = "minecraft"
generate = "minecraft"
problems = 12
"#;

fn surefoot(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    surefoot(arguments).output().unwrap()
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

fn experiment(config: &Path, output: &Path) -> Output {
    run(&["experiment", config.to_str().unwrap(), "-o", output.to_str().unwrap(), "--quiet"])
}

fn tables(folder: &Path) -> Vec<String> {
    ["results.csv", "summary.csv", "assumptions.csv", "failures.csv", "experiment.json"]
        .map(|name| text(&folder.join(name)))
        .into()
}

#[test]
fn killed_at_any_moment_an_experiment_goes_on_and_ends_with_the_same_bytes() {
    let temporary = tempfile::tempdir().unwrap();
    let config = temporary.path().join("config.toml");
    fs::write(&config, CONFIG).unwrap();
    let undisturbed = temporary.path().join("undisturbed");
    let output = experiment(&config, &undisturbed);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = tables(&undisturbed);
    assert!(expected[0].lines().count() > 1000);

    let disturbed = temporary.path().join("disturbed");
    let cells = || {
        fs::read_dir(disturbed.join("cells")).map_or(0, |entries| {
            entries
                .filter(|e| !e.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'))
                .count()
        })
    };
    let all = fs::read_dir(undisturbed.join("cells")).unwrap().count();
    let mut killed = 0;
    for part in 1..=4 {
        let mut child = surefoot(&[
            "experiment",
            config.to_str().unwrap(),
            "-o",
            disturbed.to_str().unwrap(),
            "--quiet",
        ])
        .spawn()
        .unwrap();
        let start = Instant::now();
        while cells() < all * part / 6 && start.elapsed() < Duration::from_secs(60) {
            if child.try_wait().unwrap().is_some() {
                break;
            }
            std::thread::sleep(Duration::from_micros(300));
        }
        let finished = child.try_wait().unwrap().is_some();
        if !finished {
            child.kill().unwrap();
            child.wait().unwrap();
            killed += 1;
            assert!(cells() < all || !disturbed.join("results.csv").exists());
        }
    }
    assert!(killed > 0, "it was never caught in the middle");
    // What a kill in the middle of a write leaves behind.
    fs::write(disturbed.join("cells/.surefoot-half"), "{").unwrap();
    let half = fs::read_dir(disturbed.join("cells"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some());
    let half = half.unwrap();
    let cut = text(&half);
    fs::write(&half, &cut[..cut.len() / 2]).unwrap();
    assert!(experiment(&config, &disturbed).status.success());
    assert_eq!(tables(&disturbed), expected);
    assert!(!disturbed.join("cells/.surefoot-half").exists());
    // And once more, with nothing left to do.
    assert!(experiment(&config, &disturbed).status.success());
    assert_eq!(tables(&disturbed), expected);
}

#[test]
fn a_changed_configuration_is_refused_in_a_folder_with_results() {
    let temporary = tempfile::tempdir().unwrap();
    let config = temporary.path().join("config.toml");
    let small = CONFIG.replace("[1, 2, 4, 6]", "[2]");
    fs::write(&config, &small).unwrap();
    let folder = temporary.path().join("out");
    assert!(experiment(&config, &folder).status.success());
    fs::write(&config, small.replace("seed = 7", "seed = 8")).unwrap();
    let output = experiment(&config, &folder);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.contains("another experiment")
            && message.contains("\"seed\": 7")
            && message.contains("\"seed\": 8"),
        "{message}"
    );
}

#[test]
fn a_cell_that_fails_is_recorded_and_the_rest_go_on() {
    let temporary = tempfile::tempdir().unwrap();
    // A folder whose only bad trace is met by some cells alone: a step that no affine effect
    // explains.
    let folder = temporary.path().join("data/tank");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("domain.pddl"),
        "(define (domain tank) (:functions (fuel)) (:action go :parameters () :precondition (>= \
         (fuel) 1) :effect (decrease (fuel) 1)))",
    )
    .unwrap();
    for index in 0..6 {
        let (start, end) = (20 + index, if index == 3 { 5 } else { 19 + index });
        fs::write(
            folder.join(format!("p{index}.pddl")),
            format!(
                "(define (problem p{index}) (:domain tank) (:init (= (fuel) {start})) (:goal \
                     (and)))"
            ),
        )
        .unwrap();
        fs::write(
            folder.join(format!("p{index}.trajectory")),
            format!(
                "((:init (= (fuel) {start}))\n(operator: (go))\n(:state (= (fuel) \
                 {end}))\n(operator: (go))\n(:state (= (fuel) {}))\n)\n",
                end - 1
            ),
        )
        .unwrap();
    }
    let config = temporary.path().join("config.toml");
    // The bad step is one that the real domain does not replay, either: it is measured against
    // where such steps may be set aside.
    let text_of = |policy: &str| {
        let truth = if policy == "stop" { "none" } else { "domain" };
        format!(
            "folds = 3\ntraces = [1, 4]\nalgorithms = [\"nsam-star\"]\n[[domain]]\nname \
             = \"tank\"\nfolder = \"tank\"\non-bad-data = \"{policy}\"\ntruth = \"{truth}\"\n"
        )
    };
    let go = |policy: &str| {
        fs::write(&config, text_of(policy)).unwrap();
        let output = temporary.path().join(policy);
        let root = temporary.path().join("data");
        let arguments = [
            "experiment",
            config.to_str().unwrap(),
            "-o",
            output.to_str().unwrap(),
            "--quiet",
            "--traces-root",
            root.to_str().unwrap(),
        ];
        (
            run(&arguments).status.code(),
            text(&output.join("failures.csv")),
            text(&output.join("results.csv")),
        )
    };
    let (code, failures, results) = go("stop");
    assert_eq!(code, Some(1));
    // With four traces the bad one is met in the two folds that do not test on it.
    let failed = failures.lines().filter(|line| line.contains(",4,")).count();
    assert_eq!(failed, 2, "{failures}");
    assert!(
        failures.contains(
            "No model of the class explains this step together with the \
    others"
        ),
        "{failures}"
    );
    assert!(results.lines().any(|line| line.starts_with("tank,plain,nsam-star,4,")), "{results}");
    let (code, failures, _) = go("quarantine");
    assert_eq!((code, failures.lines().count()), (Some(0), 1), "{failures}");
}

#[test]
fn planners_that_crash_hang_or_print_garbage_are_categories_of_their_own() {
    let temporary = tempfile::tempdir().unwrap();
    let path = |name: &str| temporary.path().join(name).to_str().unwrap().to_owned();
    let domain = "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :precondition \
                  (q) :effect (p)))";
    // The learned domain is wrong: it needs nothing.
    let learned =
        "(define (domain d) (:predicates (p) (q)) (:action a :parameters () :effect (p)))";
    fs::write(path("domain.pddl"), domain).unwrap();
    fs::write(path("learned.txt"), learned).unwrap();
    fs::create_dir(path("problems")).unwrap();
    for (name, init) in [("one", "(q)"), ("two", "")] {
        let text = format!("(define (problem {name}) (:domain d) (:init {init}) (:goal (p)))");
        fs::write(temporary.path().join(format!("problems/{name}.pddl")), text).unwrap();
    }
    let scripts = [
        ("crash", "kill -9 $$"),
        ("hang", "sleep 1000"),
        ("garbage", "echo '(((%%' > \"$3\"; echo nonsense"),
        ("plan", "echo '(a)' > \"$3\""),
    ];
    for (name, body) in scripts {
        fs::write(path(name), format!("{body}\n")).unwrap();
    }
    let evaluate = |script: &str| -> serde_json::Value {
        let planner = format!("sh {} {{domain}} {{problem}} {{plan}}", path(script));
        let output = run(&[
            "evaluate",
            "--truth",
            &path("domain.pddl"),
            "--learned",
            &path("learned.txt"),
            "--problems",
            &path("problems"),
            "--planner",
            &planner,
            "--time-limit",
            "1",
            "--format",
            "json",
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let count =
        |report: &serde_json::Value, category: &str| report["coverage"][category].as_u64().unwrap();
    assert_eq!(count(&evaluate("crash"), "failed"), 2);
    assert_eq!(count(&evaluate("garbage"), "failed"), 2);
    assert_eq!(count(&evaluate("hang"), "limit"), 2);
    let report = evaluate("plan");
    assert_eq!((count(&report, "solved"), count(&report, "inapplicable")), (1, 1));
}

#[test]
fn a_learner_that_is_a_command_takes_part_in_an_experiment_and_is_measured_like_the_others() {
    let temporary = tempfile::tempdir().unwrap();
    let (config, output) = (temporary.path().join("config.toml"), temporary.path().join("results"));
    // It believes that everything is always possible, and changes nothing.
    let declared = r#"
        seed = 7
        folds = 2
        traces = [2]
        algorithms = ["nsam-star", "credulous", "broken"]
        [[learner]]
        name = "credulous"
        command = "sh -c 'test -n \"$(ls {traces}/*.trajectory)\" && cp {domain} {out}'"
        [[learner]]
        name = "broken"
        command = "sh -c 'echo no idea >&2; exit 3' {domain} {traces} {out}"
        [test]
        steps = 60
        [[domain]]
        name = "farmland"
        generate = "farmland"
        problems = 6
    "#;
    fs::write(&config, declared).unwrap();
    let done = experiment(&config, &output);
    let summary = text_of_rows(&output.join("summary.csv"));
    let mean = |learner: &str, metric: &str| {
        let row = summary.iter().find(|row| {
            row.contains(&format!(",{learner},")) && row.contains(&format!(",{metric},"))
        });
        row.cloned().unwrap_or_default()
    };
    assert!(!mean("nsam-star", "semantic_precision").is_empty(), "{summary:?}");
    assert!(!mean("credulous", "semantic_precision").is_empty(), "{summary:?}");
    assert_ne!(
        mean("nsam-star", "semantic_precision"),
        mean("credulous", "semantic_precision").replace("credulous", "nsam-star")
    );
    assert!(mean("broken", "semantic_precision").is_empty());
    let failures = text(&output.join("failures.csv"));
    assert!(failures.contains("it ended with exit code 3: no idea"), "{failures}");
    assert_eq!(done.status.code(), Some(1), "a learner that fails is no success");
    // Ten minutes for each of two folds of two learners.
    let told = run(&[
        "experiment",
        config.to_str().unwrap(),
        "-o",
        "nowhere",
        "--dry-run",
        "--jobs",
        "2",
        "--quiet",
    ]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.ends_with("; your own learners at most 20.0 min more\n"), "{told}");
    // A name that nobody declared, and a command that lacks a place, are found before anything
    // runs.
    for (from, to, said) in [
        ("\"broken\"]", "\"nobody\"]", "there is no learner nobody"),
        ("{traces} {out}\"", "{traces}\"", "the command has no {out}"),
        (
            "name = \"broken\"",
            "name = \"nsam-star\"",
            "learner nsam-star: this is the name of a built-in learner; choose another",
        ),
        ("name = \"broken\"", "name = \"credulous\"", "there are two of learner credulous"),
        (
            "generate = \"farmland\"",
            "generate = \"farm\"",
            "there is no built-in domain farm to generate; there are counters, depots, ",
        ),
    ] {
        fs::write(&config, text_with(declared, from, to)).unwrap();
        let done = experiment(&config, &output);
        assert_eq!(done.status.code(), Some(2));
        assert!(
            String::from_utf8_lossy(&done.stderr).contains(said),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

fn text_of_rows(path: &Path) -> Vec<String> {
    text(path).lines().map(str::to_owned).collect()
}

fn text_with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from));
    text.replace(from, to)
}

/// Writes a domain and three traces of a truck that burns fuel; `truth` has the bodies of `go`.
fn recorded_drives(folder: &Path, truth: &str) {
    let domain = format!(
        "(define (domain drive) (:requirements :typing :numeric-fluents) (:types truck) \
         (:predicates (ready ?t - truck))
        (:functions (fuel ?t - truck)) (:action go :parameters (?t - truck) {truth}))"
    );
    fs::write(folder.join("domain.pddl"), domain).unwrap();
    for number in 0..4 {
        let state = |step: usize| format!("(ready a) (= (fuel a) {})", 9 + number - step);
        let problem = format!(
            "(define (problem p) (:domain drive) (:objects a - truck) (:init {}) (:goal (and)))",
            state(0)
        );
        fs::write(folder.join(format!("p{number}.pddl")), problem).unwrap();
        let steps: String =
            (1..4).map(|step| format!("(operator: (go a))\n(:state {})\n", state(step))).collect();
        fs::write(
            folder.join(format!("p{number}.trajectory")),
            format!("((:init {})\n{steps})\n", state(0)),
        )
        .unwrap();
    }
}

/// The real domain replays the traces, or nothing is measured; without one, held-out traces are
/// scored.
#[test]
fn a_domain_that_does_not_replay_the_traces_is_no_truth() {
    let lab = tempfile::tempdir().unwrap();
    let path = |name: &str| lab.path().join(name).to_str().unwrap().to_owned();
    fs::create_dir(lab.path().join("drives")).unwrap();
    let config = |truth: &str| {
        let text = format!(
            "folds = 2\ntraces = [1, 2]\nalgorithms = [\"nsam-star\"]\n[[domain]]\nname \
             = \"drive\"\nfolder = \"drives\"\n{truth}"
        );
        fs::write(lab.path().join("config.toml"), text).unwrap();
    };
    config("");
    let real = ":precondition (and (ready ?t)) :effect (and (decrease (fuel ?t) 1))";
    recorded_drives(&lab.path().join("drives"), real);
    fs::write(lab.path().join("learned.pddl"), text(&lab.path().join("drives/domain.pddl")))
        .unwrap();
    let evaluate = || {
        run(&[
            "evaluate",
            "--truth",
            &path("drives/domain.pddl"),
            "--learned",
            &path("learned.pddl"),
            "--problems",
            &path("drives"),
        ])
    };
    let measure =
        |output: &str| experiment(&lab.path().join("config.toml"), &lab.path().join(output));
    assert_eq!((evaluate().status.code(), measure("real").status.code()), (Some(0), Some(0)));
    let wrong = [
        "",
        ":precondition (and) :effect (and)",
        ":precondition (and (ready ?t)) :effect (and (decrease (fuel ?t) 2))",
        ":precondition (and (not (ready ?t))) :effect (and (decrease (fuel ?t) 1))",
    ];
    for (index, body) in wrong.iter().enumerate() {
        recorded_drives(&lab.path().join("drives"), body);
        for output in [evaluate(), measure(&format!("wrong{index}"))] {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{body}: {said}");
            assert!(said.contains("real domain") && said.contains("truth = \"none\""), "{said}");
        }
    }
    config("truth = \"none\"\n");
    recorded_drives(&lab.path().join("drives"), "");
    let output = measure("none");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let summary = text(&lab.path().join("none/summary.csv"));
    assert!(
        summary.contains("held_out_recall") && summary.contains("held_out_failures_allowed"),
        "{summary}"
    );
    assert!(!summary.contains("semantic_precision"), "{summary}");
    let report = run(&["report", &path("none")]);
    assert_eq!(report.status.code(), Some(0), "{}", String::from_utf8_lossy(&report.stderr));
    let page = text(&lab.path().join("none/report.html"));
    assert!(page.contains("Held-out traces") && !page.contains("precision is exactly 1"), "{page}");
}
