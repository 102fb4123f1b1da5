//! A payment log with amounts, as a user works with it: learned, checked, planned with, explained.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

const MAP: &str = r#"episode = "case"
action = "step"
status = { column = "status", ok = "ok", failed = "failed" }
objects = { fine = "fine" }
inputs = { paid = "amount" }
[after]
total = "(total ?fine)"
[actions]
open = "report"
pay = ["fine", "paid"]
"#;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        let mut log = "case,step,fine,amount,status,total\n".to_owned();
        for (case, amounts) in
            [[10, 35, 5], [50, 50, 60], [1, 2, 3], [99, 1, 1], [70, 40, 20]].iter().enumerate()
        {
            let mut total = 100;
            writeln!(log, "c{case},open,f,,ok,{total}").unwrap();
            for &amount in amounts {
                let works = amount <= total;
                total -= if works { amount } else { 0 };
                let status = if works { "ok" } else { "failed" };
                writeln!(log, "c{case},pay,f,{amount},{status},{total}").unwrap();
            }
        }
        fs::write(folder.0.path().join("pay.csv"), log).unwrap();
        fs::write(folder.0.path().join("pay.toml"), MAP).unwrap();
        folder
    }

    /// What a command prints, its messages too.
    #[track_caller]
    fn run(&self, words: &str, expected: i32) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        // Words in one pair of quotes are one argument.
        let parts = words.split('\'').enumerate().flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().collect::<Vec<_>>(),
            _ => vec![part],
        });
        let output =
            command.current_dir(self.0.path()).args(parts).stdin(Stdio::null()).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{words}\n{text}");
        text
    }
}

#[test]
fn an_amount_is_learned_checked_planned_with_and_explained() {
    let folder = Folder::new();
    folder.run(
        "learn pay.csv --map pay.toml -q -o m.pddl --certificate m.json --save-state m.state",
        0,
    );
    let accepted = folder.run("check -m m.pddl -c m.json --map pay.toml pay.csv", 0);
    assert!(
        accepted.contains(
            "Whoever acts chooses (value ?paid) of pay before the step; it is not an outcome of \
             the step."
        ),
        "{accepted}"
    );
    folder.run("import pay.csv --map pay.toml -q -o out", 0);
    folder.run("learn -d out/domain.pddl out -q -o again.pddl", 0);
    let read = |name: &str| fs::read_to_string(folder.0.path().join(name)).unwrap();
    assert_eq!(read("m.pddl"), read("again.pddl"));
    // Agreeing to the sentences of the map is enough for the checker.
    folder.run("check -m m.pddl -c m.json --map pay.toml pay.csv --assume out/reading.txt", 0);
    let none = folder.run("check -m m.pddl -c m.json --map pay.toml pay.csv --assume none", 1);
    assert!(none.contains("Whoever acts chooses"), "{none}");
    let goal = read("out/c0.pddl").replace("(:goal (and))", "(:goal (= (total f) 30))");
    fs::write(folder.0.path().join("p.pddl"), goal).unwrap();
    let plan = folder.run("plan -d m.pddl -p p.pddl -q", 0);
    assert!(plan.starts_with("(pay f paid-"), "{plan}");
    // The header of a model names what it assumes of amounts; another goal is out of reach.
    let less = read("out/c0.pddl").replace("(= (total f) 100)", "(= (total f) 10)");
    fs::write(folder.0.path().join("less.pddl"), less).unwrap();
    let why = folder.run("explain -m m.pddl -p less.pddl '(pay f paid-35)'", 1);
    assert!(why.contains("paid ≤ total of f whenever pay worked"), "{why}");
    let why = folder.run(
        "explain -m m.pddl -p less.pddl --state m.state --traces pay.csv --map pay.toml '(pay f \
         paid-35)'",
        1,
    );
    assert!(why.contains("paid 20 (here 35)"), "{why}");
    assert!(!why.contains("value of"), "{why}");
}

#[test]
fn a_problem_lists_what_the_map_says_and_trajectories_keep_their_numbers() {
    let folder = Folder::new();
    let map =
        MAP.replace("[after]", "choices = { paid = { from = 0, to = 40, step = 20 } }\n[after]");
    fs::write(folder.0.path().join("pay.toml"), map).unwrap();
    folder.run("import pay.csv --map pay.toml -q -o out", 0);
    let problem = fs::read_to_string(folder.0.path().join("out/c0.pddl")).unwrap();
    assert!(problem.contains("paid-0 paid-20 paid-40 - paid-number"), "{problem}");
    folder.run("learn -d out/domain.pddl out -q -o m.pddl --certificate m.json", 0);
    folder.run("check -m m.pddl -c m.json -d out/domain.pddl out", 0);
    folder.run("score -m m.pddl -d out/domain.pddl out", 0);
}
