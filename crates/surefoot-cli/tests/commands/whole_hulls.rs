//! A model whose facets exceeded the budget, used with the vertices of its certificate.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const DOMAIN: &str = "(define (domain mixer) (:predicates (done)) (:functions (a) (b))
  (:action mix :parameters () :precondition (and) :effect (done)))";

/// The corners of an octagon.
const CORNERS: [(i64, i64); 8] =
    [(3, 1), (1, 3), (-1, 3), (-3, 1), (-3, -1), (-1, -3), (1, -3), (3, -1)];

fn surefoot(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_surefoot"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn problem(folder: &Path, name: &str, a: &str, b: &str) {
    let text = format!(
        "(define (problem {name}) (:domain mixer) (:init (= (a) {a}) (= (b) {b})) (:goal (done)))"
    );
    fs::write(folder.join(format!("{name}.pddl")), text).unwrap();
}

#[test]
fn plans_are_made_with_the_vertices_where_the_facets_are_too_many() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("domain.pddl"), DOMAIN).unwrap();
    fs::create_dir(folder.join("traces")).unwrap();
    for (index, (a, b)) in CORNERS.iter().enumerate() {
        let trace = format!(
            "((:init (= (a) {a}) (= (b) {b})) (operator: (mix)) (:state (done) (= (a) {a}) (= (b) \
             {b})))"
        );
        fs::write(folder.join(format!("traces/{index}.trajectory")), trace).unwrap();
    }
    problem(folder, "corner", "-3", "1");
    problem(folder, "edge", "-3", "0.5");
    problem(folder, "outside", "-3", "1.001");

    let learned = surefoot(
        folder,
        &[
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "part.pddl",
            "--certificate",
            "c.json",
            "--facet-budget",
            "4",
            "traces",
        ],
    );
    let told = text(&learned.stdout) + &text(&learned.stderr);
    assert!(
        learned.status.success() && told.contains("the certificate has the whole region"),
        "{told}"
    );
    let checked = surefoot(
        folder,
        &["check", "-d", "domain.pddl", "-m", "part.pddl", "-c", "c.json", "traces"],
    );
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));

    let mut refused = 0;
    for name in ["corner", "edge"] {
        let file = format!("{name}.pddl");
        let part = surefoot(folder, &["plan", "-q", "-d", "part.pddl", "-p", &file]);
        refused += usize::from(part.status.code() == Some(1));
        let whole = surefoot(
            folder,
            &["plan", "-d", "part.pddl", "-c", "c.json", "-p", &file, "-o", "plan"],
        );
        assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stderr));
        let whole =
            surefoot(folder, &["validate", "-d", "part.pddl", "-c", "c.json", "-p", &file, "plan"]);
        assert_eq!(whole.status.code(), Some(0), "{}", text(&whole.stdout));
        let real = surefoot(folder, &["validate", "-d", "domain.pddl", "-p", &file, "plan"]);
        assert_eq!(real.status.code(), Some(0), "{}", text(&real.stdout));
    }
    assert!(refused > 0, "the budget is no limit here");

    let outside =
        surefoot(folder, &["plan", "-d", "part.pddl", "-c", "c.json", "-p", "outside.pddl"]);
    assert_eq!(outside.status.code(), Some(1));
    let told = text(&outside.stderr);
    assert!(
        told.contains("(a)") && told.contains("(b)") && told.contains("is false"),
        "no inequality that separates: {told}"
    );
}

#[test]
fn a_certificate_of_another_model_is_wrong_input() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    fs::write(folder.join("domain.pddl"), DOMAIN).unwrap();
    problem(folder, "p", "0", "0");
    fs::write(folder.join("c.json"), "{}").unwrap();
    let told = surefoot(folder, &["plan", "-d", "domain.pddl", "-c", "c.json", "-p", "p.pddl"]);
    assert_eq!(
        (told.status.code(), text(&told.stderr).contains("this is no certificate")),
        (Some(2), true)
    );
    let told = surefoot(folder, &["plan", "-d", "domain.pddl", "-c", "none.json", "-p", "p.pddl"]);
    assert_eq!(
        (told.status.code(), text(&told.stderr).contains("there is no such file")),
        (Some(2), true)
    );
}
