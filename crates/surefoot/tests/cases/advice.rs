//! The library names no option of a front end. Its messages hold settings as values, and each front
//! end spells them.

use std::path::Path;

use serde_json::{Value, json};
use surefoot_base::advice::{Setting, Spelling, Worded, written};
use surefoot_base::assumptions::Spec;
use surefoot_base::model::Domain;
use surefoot_base::pddl::{Source, read_domain};
use surefoot_learn::{LearnError, learn};

use crate::rooms::{code, files};

/// The crates whose messages more than one front end shows.
const LIBRARY: [&str; 6] = [
    "surefoot-base",
    "surefoot-check",
    "surefoot-learn",
    "surefoot-plan",
    "surefoot-log",
    "surefoot",
];

/// An option of a command line: `--` and a letter, where no word goes before.
fn has_option(line: &str) -> bool {
    line.match_indices("--").any(|(at, dashes)| {
        let (before, after) = (&line[..at], &line[at + dashes.len()..]);
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '-')
            && after.starts_with(|c: char| c.is_ascii_lowercase())
    })
}

#[test]
fn no_string_of_the_library_names_an_option() {
    assert!(has_option("\"choose a smaller --degree\"") && has_option("`--repair`"));
    assert!(!has_option("a---b") && !has_option("-- a plan") && !has_option("|----|"));
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for name in LIBRARY {
        for file in files(&crates.join(name).join("src")) {
            let text = code(&std::fs::read_to_string(&file).unwrap());
            let named: Vec<&str> = text.lines().filter(|line| has_option(line)).collect();
            assert!(named.is_empty(), "{}: {named:?}", file.display());
        }
    }
}

/// A front end that no other has.
struct Braces;

impl Spelling for Braces {
    fn name(&self, setting: Setting) -> String {
        format!("{{{}}}", setting.name())
    }

    fn with_value(&self, setting: Setting, value: &Value) -> String {
        format!("{{{}: {}}}", setting.name(), written(value))
    }

    fn separator(&self) -> &'static str {
        "+"
    }
}

fn domain() -> Domain {
    let text = "(define (domain d) (:predicates (on ?x)) (:functions (n ?x) (m ?x))
                (:action act :parameters (?x)) (:action wait :parameters (?x)))";
    read_domain(&Source::new("d", text)).unwrap()
}

/// The error of learning from steps of one object, each with its numbers before and after.
fn error(options: Value, steps: &[(&str, [i64; 2], [i64; 2])]) -> LearnError {
    let mut spec = Spec::default();
    for (name, value) in options.as_object().unwrap() {
        spec.set(name, value.clone()).unwrap();
    }
    let state = |[n, m]: [i64; 2]| format!("(on o) (= (n o) {n}) (= (m o) {m})");
    let traces: Vec<surefoot_learn::Trace> = (0..)
        .zip(steps)
        .map(|(number, (action, before, after))| {
            let what = match action.strip_prefix("not ") {
                Some(action) => format!("(failed: ({action} o))"),
                None => format!("(operator: ({action} o))\n(:state {})", state(*after)),
            };
            let text = format!("((:init {})\n{what})", state(*before));
            surefoot_learn::Trace::inferred(Source::new(format!("t{number:02}"), text))
        })
        .collect();
    match learn(&domain(), &spec, &traces) {
        Err(error) => error,
        Ok(model) => panic!("{model}"),
    }
}

#[test]
fn messages_hold_settings_as_values() {
    let grows: Vec<_> = (0..60).map(|n| ("act", [n, 0], [n + 1, 0])).collect();
    let stays = [&grows[..], &[("act", [7, 0], [7, 0]), ("act", [9, 0], [9, 0])]].concat();
    let fails = [&grows[..], &[("not act", [70, 0], [70, 0])]].concat();
    let noisy: Vec<_> =
        (0..60).map(|n| ("act", [1000 * n, 0], [1000 * n + 500 + (n * 7) % 3, 0])).collect();
    for (options, steps, spelled) in [
        (json!({"error": 0.5, "decimals": 2}), &grows, "{decimals}"),
        (json!({"effect-decimals": 2}), &grows, "{effect-decimals}"),
        (json!({"error": 0.5, "squares": true, "degree": 2}), &grows, "{squares}"),
        (json!({"error": 0.5, "arity": 1}), &grows, "{effect-arity}"),
        (json!({"error": 0.5, "arity": 1, "effect-arity": 3}), &grows, "{arity: 7}"),
        (json!({"effect-arity": 0}), &vec![("act", [1, 2], [2, 2]), ("act", [5, 7], [12, 7])], ""),
        (json!({}), &stays, "{on-bad-data: \"skip-action\"}"),
        (json!({}), &noisy, "{error: {\"n\": "),
        (json!({"monotone": {"*": {"(n ?x)": "more"}}}), &fails, "{monotone} assumption `more`"),
    ] {
        let error = error(options.clone(), steps);
        let (plain, said) = (error.to_string(), error.spelled(&Braces));
        assert!(!has_option(&plain) && !has_option(&said), "{options}: {plain}");
        assert!(said.contains(spelled), "{options}: {said}");
        // Only the spelling differs.
        assert_eq!(error.text().advice().is_empty(), plain == said, "{plain}");
    }
}
