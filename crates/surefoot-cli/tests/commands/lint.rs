//! `surefoot lint`: sound vocabularies are left alone, and what is odd is told in words and in
//! JSON.

use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefoot")).current_dir(folder).args(words).output().unwrap()
}

fn findings(folder: &Path, words: &[&str]) -> Vec<serde_json::Value> {
    let done = run(folder, &[&["lint", "--format", "json"], words].concat());
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    let value: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    value["findings"].as_array().unwrap().clone()
}

/// No action of the built-in domains changes what it does not name, and none of their numbers is
/// noisy.
#[test]
fn the_built_in_domains_are_not_said_to_change_what_they_do_not_name() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "counters",
        "depots",
        "driverlog",
        "driverlog_poly",
        "farmland",
        "minecraft",
        "rovers",
        "sailing",
        "satellite",
        "zenotravel",
    ];
    for name in names {
        let made =
            run(folder.path(), &["generate", name, "--count", "5", "--traces", "-q", "-o", name]);
        assert_eq!(made.status.code(), Some(0), "{}", String::from_utf8_lossy(&made.stderr));
        let domain = format!("{name}/domain.pddl");
        let found = findings(folder.path(), &["-d", &domain, name]);
        let odd = |kinds: &[&str]| -> Vec<String> {
            let of_kind =
                found.iter().filter(|finding| kinds.iter().any(|kind| finding["kind"] == *kind));
            of_kind.map(|finding| finding["words"].to_string()).collect()
        };
        assert_eq!(odd(&["change", "float-noise", "rounded"]), [""; 0], "{name}");
        // Chance is not excluded, but must not be the rule.
        eprintln!("{name}: {:#?}", odd(&["context", "parameter", "sum"]));
    }
}

#[test]
fn what_is_odd_is_told_with_its_place_and_does_not_fail() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "domain.pddl",
        "(define (domain d) (:requirements :typing) (:types robot door) (:predicates (near ?r - \
         robot ?d - door) (shut ?d - door))
         (:action open :parameters (?r - robot)))",
    );
    write(
        "one.trajectory",
        "((:init (near r a) (shut a) (shut b))\n(operator: (open r))\n(:state (near r a) (shut \
         b)))",
    );
    write(
        "one.pddl",
        "(define (problem p) (:domain d) (:objects r - robot a b - door) (:init) (:goal (and)))",
    );
    let done = run(folder.path(), &["lint", "-d", "domain.pddl", "one.trajectory"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(
        String::from_utf8_lossy(&done.stdout),
        "open changes (shut ?door), a door that it does not name (in 1 of 1 step, first at \
         one.trajectory:2): no model can say so\n  \
         give it a parameter ?door - door: in all these steps it is the only one with (near ?r \
         ?door)\n"
    );
    let found = findings(folder.path(), &["-d", "domain.pddl", "one.trajectory"]);
    assert_eq!(
        (&found[0]["kind"], &found[0]["parameters"][0]["type"]),
        (&"change".into(), &"door".into()),
        "{found:#?}"
    );
}
