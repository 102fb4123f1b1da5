//! What every verb has: `--format json`, `-q`, errors that machines read, colour where it is asked
//! for.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::streams::{folder, run};

/// A command line of each verb that works, and what it is missing to work.
struct Verb {
    name: &'static str,
    works: &'static str,
    fails: &'static str,
    /// Standard output is taken by the result, so that the summary goes to standard error.
    taken: bool,
}

const fn verb(name: &'static str, works: &'static str, fails: &'static str) -> Verb {
    Verb { name, works, fails, taken: false }
}

const VERBS: &[Verb] = &[
    verb("demo", "--domain counters -o demo", "--domain counters -o domain.pddl"),
    verb("import", "log.csv --map map.toml -o imported", "none.csv --map map.toml"),
    verb("learn", "-d domain.pddl traces -o out", "-d none.pddl traces"),
    Verb {
        name: "learn",
        works: "-d domain.pddl traces",
        fails: "-d domain.pddl none",
        taken: true,
    },
    verb("assess", "-d domain.pddl traces", "-d domain.pddl none"),
    verb("lint", "-d domain.pddl traces", "-d domain.pddl none"),
    verb("merge", "s.bin t.bin -o joint", "s.bin none -o joint"),
    verb(
        "check",
        "-d domain.pddl -m learned.pddl -c c.json traces",
        "-d domain.pddl -m learned.pddl -c none traces",
    ),
    verb(
        "explain",
        "-d learned.pddl -p one.pddl (switch-on_a)",
        "-d learned.pddl -p none (switch-on_a)",
    ),
    verb("problem", "-d learned.pddl -p one.pddl -o adapted.pddl", "-d learned.pddl -p none"),
    Verb {
        name: "problem",
        works: "-d learned.pddl -p one.pddl",
        fails: "-d none -p one.pddl",
        taken: true,
    },
    verb("validate", "-d domain.pddl -p one.pddl one.plan", "-d domain.pddl -p one.pddl none"),
    verb("plan", "-d domain.pddl -p one.pddl", "-d domain.pddl -p one.plan"),
    verb(
        "trace",
        "-d domain.pddl -p one.pddl one.plan -o out",
        "-d domain.pddl -p one.pddl one.plan -o none/out",
    ),
    Verb {
        name: "trace",
        works: "-d domain.pddl -p one.pddl one.plan",
        fails: "-d domain.pddl -p one.pddl none",
        taken: true,
    },
    verb("score", "-m learned.pddl traces", "-m none.pddl traces"),
    verb(
        "evaluate",
        "--truth domain.pddl --learned learned.pddl --problems problems",
        "--truth domain.pddl --learned learned.pddl --problems none",
    ),
    verb("experiment", "config.toml -o run --jobs 1", "none.toml -o run"),
    verb("report", "run", "none"),
    verb("inspect", "domain.pddl", "none.pddl"),
    verb("generate", "counters --count 2 -o made", "counters -o domain.pddl"),
    verb("completions", "bash", "bash --nonsense"),
    verb("manual", "-o pages", "-o domain.pddl"),
];

/// A log without its map is not taken for trajectories without their domain.
#[test]
fn a_log_without_a_map_is_told_how_to_get_one() {
    for line in ["learn log.csv", "assess log.tsv.gz", "lint log.jsonl", "import log.csv"] {
        let done = run(std::path::Path::new("."), line, b"");
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(
            said.contains("--map MAP.toml") && said.contains("surefoot import --guess log."),
            "{said}"
        );
    }
    let done = run(std::path::Path::new("."), "learn traces", b"");
    assert!(
        String::from_utf8_lossy(&done.stderr)
            .contains("name the domain with -d, or the map of a log with --map")
    );
}

/// All verbs but `help`, as the program lists them.
fn listed() -> BTreeSet<String> {
    let help = run(std::path::Path::new("."), "--help", b"");
    let text = String::from_utf8(help.stdout).unwrap();
    let commands = text.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn each_is_in_the_table() {
    let here: BTreeSet<String> = VERBS.iter().map(|verb| verb.name.to_owned()).collect();
    assert_eq!(listed(), here);
}

/// A newcomer finds every command on the first page.
#[test]
fn each_is_in_the_readme() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let rows: String = readme
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split(" | ").next().unwrap())
        .collect();
    for verb in listed() {
        assert!(
            rows.contains(&format!("`{verb}`")),
            "the README's table of commands does not have {verb}"
        );
    }
}

#[test]
fn each_prints_json_and_says_no_more_than_that_when_quiet() {
    let folder = folder();
    for Verb { name, works, taken, .. } in VERBS {
        let done = run(folder.path(), &format!("{name} {works} --format json"), b"");
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(matches!(done.status.code(), Some(0 | 1)), "{name} {works}: {said}");
        let json = if *taken { said.as_bytes() } else { &done.stdout[..] };
        // Notes stand before it, an object on a line each.
        let values: Result<Vec<Value>, _> =
            serde_json::Deserializer::from_slice(json).into_iter().collect();
        let values = values.unwrap_or_else(|error| {
            panic!("{name} {works}: {error}: {}", String::from_utf8_lossy(json))
        });
        assert!(
            if *taken { !values.is_empty() } else { values.len() == 1 },
            "{name} {works}: {values:?}"
        );

        let done = run(folder.path(), &format!("{name} {works} -q"), b"");
        assert!(matches!(done.status.code(), Some(0 | 1)), "{name} {works} -q: {done:?}");
        assert!(
            done.stderr.is_empty(),
            "{name} {works} -q: {}",
            String::from_utf8_lossy(&done.stderr)
        );
    }
}

fn error(folder: &std::path::Path, line: &str) -> (i32, Value) {
    let done = run(folder, &format!("{line} --format json"), b"");
    assert!(
        done.stdout.is_empty(),
        "{line}: standard output stays what it is: {}",
        String::from_utf8_lossy(&done.stdout)
    );
    let said = String::from_utf8(done.stderr).unwrap();
    let last = said.lines().last().unwrap_or_else(|| panic!("{line}: nothing was said"));
    let value: Value =
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{line}: {error}: {said}"));
    (done.status.code().unwrap(), value["error"].clone())
}

#[test]
fn errors_of_each_are_one_json_object() {
    let folder = folder();
    for Verb { name, fails, .. } in VERBS {
        for line in [format!("{name} {fails}"), format!("{name} --nonsense")] {
            let (code, error) = error(folder.path(), &line);
            assert_eq!(code, 2, "{line}: {error}");
            assert_eq!(error["exit_code"], 2, "{line}: {error}");
            for field in ["kind", "message"] {
                assert!(
                    error[field].as_str().is_some_and(|text| !text.is_empty()),
                    "{line}: {field}: {error}"
                );
            }
            let message = error["message"].as_str().unwrap();
            assert!(!message.starts_with("error"), "{line}: {error}");
            for field in ["place", "help"] {
                assert!(error.get(field).is_some(), "{line}: {field}: {error}");
            }
            // For people the same is said, and quiet is not silent.
            let told = run(folder.path(), &format!("{line} -q"), b"");
            let told = String::from_utf8(told.stderr).unwrap();
            assert!(told.starts_with("error: "), "{line}: {told}");
        }
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    let folder = folder();
    let typo = std::fs::read_to_string(folder.path().join("domain.pddl"))
        .unwrap()
        .replace("(power ?l))))", "(powr ?l))))");
    std::fs::write(folder.path().join("typo.pddl"), typo).unwrap();
    let (_, error_of_typo) = error(folder.path(), "validate -d typo.pddl -p one.pddl one.plan");
    assert_eq!(error_of_typo["kind"], "input");
    assert_eq!(error_of_typo["place"]["file"], "typo.pddl");
    assert_eq!(error_of_typo["place"]["line"], 2);
    assert!(
        error_of_typo["place"]["column"].as_u64().is_some_and(|column| column > 80),
        "{error_of_typo}"
    );
    assert_eq!(error_of_typo["help"], "did you mean `power`?");
    for (line, kind, file) in [
        ("lern", "usage", Value::Null),
        ("learn -d - -", "usage", Value::Null),
        ("learn -d domain.pddl none", "input", "none".into()),
        ("learn -d traces traces", "input", "traces".into()),
        ("trace -d domain.pddl -p one.pddl one.plan -o none/out", "file", "none/out".into()),
        ("trace -d domain.pddl -p one.pddl one.plan -o traces", "file", "traces".into()),
    ] {
        let (_, error) = error(folder.path(), line);
        assert_eq!(
            (&error["kind"], &error["place"]["file"]),
            (&kind.into(), &file),
            "{line}: {error}"
        );
    }
    let (_, error) = error(folder.path(), "lern");
    assert!(error["help"].as_str().unwrap().contains("'learn'"), "{error}");
}

#[test]
fn colour_is_for_those_who_ask_for_it() {
    let folder = folder();
    let lines = [
        "validate -d domain.pddl -p one.pddl one.plan",
        "learn -d domain.pddl traces -o out",
        "learn -d none traces",
        "lern",
    ];
    for line in lines.into_iter().chain(["--help"]) {
        let coloured = |more: &str| {
            let done = run(folder.path(), &format!("{line} {more}"), b"");
            [done.stdout, done.stderr].concat().contains(&0x1b)
        };
        assert!(coloured("--color always"), "{line}");
        assert!(!coloured("--color never"), "{line}");
        assert!(!coloured(""), "{line}: none in pipes");
    }
    let done = Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .args(["learn", "-d", "none", "traces"])
        .env("NO_COLOR", "1")
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    assert!(!done.stderr.contains(&0x1b), "NO_COLOR is heeded: {done:?}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder();
    for line in [
        "learn -d domain.pddl traces",
        "completions bash",
        "manual",
        "generate --list",
        "learn -d none traces",
        "--help",
    ] {
        // The reading end of the pipe is closed before anything is written, of both streams.
        let mut child = Command::new(env!("CARGO_BIN_EXE_surefoot"))
            .current_dir(folder.path())
            .args(line.split(' '))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        drop(child.stderr.take());
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 2)), "{line}: {code:?}");
    }
}
