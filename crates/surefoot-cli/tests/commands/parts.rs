//! Actions that behave in several ways, on the whole way: learned, checked, planned with,
//! explained, scored, and stored.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A battery that stops at 100.
const REAL: &str = "(define (domain hall) (:requirements :conditional-effects :numeric-fluents)
  (:predicates (docked ?r)) (:functions (battery ?r))
  (:action charge :parameters (?r) :precondition (docked ?r)
    :effect (and (when (<= (battery ?r) 70) (increase (battery ?r) 30))
                 (when (> (battery ?r) 70) (assign (battery ?r) 100)))))";

struct Hall(tempfile::TempDir);

impl Hall {
    fn new() -> Self {
        let hall = Hall(tempfile::tempdir().unwrap());
        hall.write("real.pddl", REAL);
        let domain = "(define (domain hall) (:predicates (docked ?r)) (:functions (battery ?r))
  (:action charge :parameters (?r)))";
        hall.write("domain.pddl", domain);
        hall.write("cut.json", "{\"charge\": \"(<= (battery ?r) 70)\"}");
        fs::create_dir(hall.path().join("traces")).unwrap();
        hall.charge([0, 10, 25, 40, 55, 70, 72, 80, 90, 100]);
        for (name, level) in [("low", 10), ("high", 75), ("between", 71)] {
            hall.write(
                &format!("{name}.pddl"),
                &format!(
                    "(define (problem {name}) (:domain hall) (:objects r) (:init (docked r) (= \
                     (battery r) {level})) (:goal (>= (battery r) 100)))"
                ),
            );
        }
        hall
    }

    /// Records a charge from each of these levels, a trace each.
    fn charge(&self, levels: impl IntoIterator<Item = i32>) {
        for level in levels {
            let after = (level + 30).min(100);
            self.write(
                &format!("traces/{level}.trajectory"),
                &format!(
                    "((:init (docked r) (= (battery r) {level}))\n(operator: (charge r))\n(:state \
                     (docked r) (= (battery r) {after})))\n"
                ),
            );
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let command = env!("CARGO_BIN_EXE_surefoot");
        Command::new(command).current_dir(self.path()).args(arguments).output().unwrap()
    }

    /// Both streams of a command that must succeed.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}");
        said
    }

    /// The messages of a command that must fail.
    fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = [&output.stdout[..], &output.stderr].concat();
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8(said).unwrap()
    }

    fn learn(&self, more: &[&str]) -> String {
        let usual = [
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "learned.pddl",
            "--certificate",
            "c.json",
            "--save-state",
            "s.bin",
            "traces",
        ];
        self.says(&[&usual[..], more].concat())
    }
}

const CUT: &[&str] = &["--parts", "cut.json"];

#[test]
fn a_cap_is_learned_checked_planned_with_and_explained() {
    let hall = Hall::new();
    let refused = hall.fails(&["learn", "-d", "domain.pddl", "-o", "x.pddl", "traces"]);
    assert!(refused.contains("charge"), "{refused}");
    let said = hall.learn(CUT);
    for line in [" charge--1 ", " charge--2 ", "charge--1 is where (<= (battery ?r) 70)"] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    let check = ["check", "-d", "domain.pddl", "-m", "learned.pddl", "-c", "c.json", "traces"];
    let said = hall.says(&check);
    assert!(said.contains("charge--2 where (> (battery ?r) 70)"), "{said}");
    hall.fails(&[&check[..], &["--assume", "none"]].concat());
    // Plans charge to the cap, and beyond it, and are plans of the real domain.
    for (problem, steps) in [("low.pddl", 3), ("high.pddl", 1)] {
        hall.says(&["plan", "-m", "learned.pddl", "-p", problem, "-o", "plan.txt"]);
        let plan = hall.read("plan.txt");
        assert_eq!(
            plan.lines().filter(|line| line.contains("(charge r)")).count(),
            steps,
            "{plan}"
        );
        for model in ["learned.pddl", "real.pddl"] {
            hall.says(&["validate", "-m", model, "-p", problem, "plan.txt"]);
        }
    }
    // What lies between the highest step below and the lowest one above was not recorded.
    hall.fails(&["plan", "-m", "learned.pddl", "-p", "between.pddl", "-o", "none.txt"]);
    let explain = |more: &[&str]| {
        let usual = ["explain", "-m", "learned.pddl", "-p", "between.pddl", "(charge r)"];
        let output = hall.run(&[&usual[..], more].concat());
        String::from_utf8([&output.stdout[..], &output.stderr].concat()).unwrap()
    };
    let said = explain(&["--state", "s.bin", "-c", "c.json"]);
    assert!(said.contains("in the part charge--2 of charge, where (> (battery ?r) 70)"), "{said}");
    assert!(said.contains("battery of r is 71"), "{said}");
    let said = explain(&["--traces", "traces", "-c", "c.json"]);
    assert!(said.contains("in the part charge--2") && said.contains("nearest"), "{said}");
    // Counts are by action of the domain.
    let said = hall.says(&["score", "-d", "domain.pddl", "-m", "learned.pddl", "traces"]);
    assert!(said.contains("charge") && !said.contains("charge--"), "{said}");
    hall.says(&[&["assess", "-d", "domain.pddl", "traces"][..], CUT].concat());
}

#[test]
fn bodies_that_the_parts_cover_void_nothing() {
    let hall = Hall::new();
    let learn = |more: &[&str]| {
        let usual = ["learn", "-d", "real.pddl", "-o", "learned.pddl", "traces"];
        hall.says(&[&usual[..], more].concat())
    };
    learn(CUT);
    assert!(!hall.read("learned.pddl").contains("PROMISE IS VOID"));
    hall.write("other.json", "{\"charge\": [\"(<= (battery ?r) 70)\", \"(<= (battery ?r) 80)\"]}");
    learn(&["--parts", "other.json"]);
    assert!(!hall.read("learned.pddl").contains("PROMISE IS VOID"));
    // A cut elsewhere does not cover what the bodies say.
    hall.write(
        "gap.json",
        "{\"charge\": [[\"(<= (battery ?r) 60)\"], [\"(> (battery ?r) 65)\", \
         \"(<= (battery ?r) 71)\"]]}",
    );
    let said = learn(&["--parts", "gap.json"]);
    assert!(hall.read("learned.pddl").contains("PROMISE IS VOID"), "{said}");
    assert!(said.contains("charge: 4 steps are in none of its parts"), "{said}");
}

#[test]
fn states_of_other_parts_are_not_merged_and_wrong_parts_are_named() {
    let hall = Hall::new();
    hall.learn(CUT);
    fs::rename(hall.path().join("s.bin"), hall.path().join("one.bin")).unwrap();
    hall.write(
        "gap.json",
        "{\"charge\": [[\"(<= (battery ?r) 70)\"], [\"(>= (battery ?r) 72)\"]]}",
    );
    hall.learn(&["--parts", "gap.json"]);
    let said = hall.fails(&["merge", "one.bin", "s.bin", "-o", "both.bin"]);
    assert!(said.contains("--parts"), "{said}");
    hall.says(&["merge", "one.bin", "one.bin", "-o", "both.bin"]);
    assert_eq!(
        fs::read(hall.path().join("one.bin")).unwrap(),
        fs::read(hall.path().join("both.bin")).unwrap()
    );
    for (text, why) in [
        ("{\"fly\": \"(docked ?r)\"}", "wrong.json: the domain has no action fly"),
        ("{\"charge\": \"(<= (batery ?r) 70)\"}", "wrong.json: charge: (<= (batery ?r) 70): "),
        (
            "{\"charge\": [[\"(<= (battery ?r) 70)\"], [\"(>= (battery ?r) 70)\"]]}",
            "parts 1 and 2 overlap",
        ),
        ("{\"charge\": 70}", "wrong.json:1:"),
        ("{\"charge\": \"(docked ?r)\", \"charge\": \"(docked ?r)\"}", "stands there twice"),
    ] {
        hall.write("wrong.json", text);
        let said = hall.fails(&[
            "learn",
            "-d",
            "domain.pddl",
            "-o",
            "x.pddl",
            "--parts",
            "wrong.json",
            "traces",
        ]);
        assert!(said.contains(why), "{text}: {said}");
    }
}

/// A monotone assumption lifts a bound of the region, not a test of the part: also where the exact
/// region comes from the certificate, since the model as PDDL has only a smaller one.
#[test]
fn a_ray_never_leaves_the_part_of_the_whole_hull() {
    let hall = Hall::new();
    hall.write(
        "tank.pddl",
        "(define (domain tank) (:requirements :typing :numeric-fluents) (:types r)
  (:functions (f ?r - r) (g ?r - r) (k ?r - r)) (:action go :parameters (?r - r)))",
    );
    hall.write("parts.json", "{\"go\": \"(<= (f ?r) 5)\"}");
    hall.write("mono.json", "{\"go\": {\"(f ?r)\": \"more\"}}");
    fs::create_dir(hall.path().join("runs")).unwrap();
    for (run, (f, g, k)) in
        (0..3).flat_map(|f| (0..3).flat_map(move |g| (0..3).map(move |k| (f, g, k)))).enumerate()
    {
        // The corners of a box, cut, so that the region has more facets than the budget.
        let (f, g, k) = (2 * f, 4 * g + k % 2, 5 * k + g % 2);
        hall.write(
            &format!("runs/{run}.trajectory"),
            &format!(
                "((:init (= (f a) {f}) (= (g a) {g}) (= (k a) {k}))\n(operator: (go a))\n(:state \
                 (= (f a) {f}) (= (g a) {}) (= (k a) {k})))\n",
                g + 1
            ),
        );
    }
    hall.write(
        "goal.pddl",
        "(define (problem p) (:domain tank) (:objects a - r)
  (:init (= (f a) 50) (= (g a) 4) (= (k a) 5)) (:goal (>= (g a) 5)))",
    );
    let learn = "learn -q -d tank.pddl --parts parts.json --monotone mono.json --facet-budget 6";
    let learn: Vec<&str> = learn.split(' ').chain(["-o", "m.surefoot", "runs"]).collect();
    hall.says(&learn);
    hall.write("plan", "(go a)\n");
    let said = hall.fails(&["validate", "-d", "m.surefoot", "-p", "goal.pddl", "plan"]);
    assert!(said.contains("(<= (f a) 5): 50 <= 5 is false"), "{said}");
    hall.fails(&["plan", "-q", "-d", "m.surefoot", "-p", "goal.pddl"]);
}

/// A comment in a test would stand in the header, and nobody would verify what it says.
#[test]
fn a_comment_is_no_test_of_a_part() {
    let hall = Hall::new();
    hall.write("cut.json", "{\"charge\": \"(<= (battery ?r) 70) ; (docked ?r)\"}");
    let said = hall.fails(&["learn", "-d", "domain.pddl", "--parts", "cut.json", "traces"]);
    assert!(said.contains("a comment cannot stand here"), "{said}");
}

/// Enough traces to find the parts in.
fn crowded() -> Hall {
    let hall = Hall::new();
    hall.charge((0..=66).step_by(2).chain(74..=100));
    hall
}

#[test]
fn parts_are_found_checked_resumed_and_proposed() {
    let hall = crowded();
    let refusal = hall.fails(&["learn", "-d", "domain.pddl", "traces"]);
    assert!(
        refusal.contains("nothing is known elsewhere. --parts found learns charge so."),
        "{refusal}"
    );
    let found = ["learn", "-d", "domain.pddl", "--parts", "found"];
    let made = ["--certificate", "c.json", "--save-state", "all.bin", "-o", "model.pddl"];
    let said = hall.says(&[&found[..], &made, &["traces"]].concat());
    assert!(said.contains("charge--1"), "{said}");
    let model = hall.read("model.pddl");
    assert!(model.contains("The parts of charge were found in the data, not declared"), "{model}");
    let check = ["check", "-d", "domain.pddl", "-m", "model.pddl", "-c", "c.json"];
    hall.says(&[&check[..], &["traces"]].concat());
    // One file holds all of it.
    hall.says(&[&found[..], &["-o", "hall.surefoot", "traces"]].concat());
    hall.says(&["check", "-d", "domain.pddl", "-m", "hall.surefoot", "traces"]);

    // All records together decide, in whatever runs they are read.
    fs::create_dir(hall.path().join("rest")).unwrap();
    for level in (0..=66).step_by(6) {
        let name = format!("{level}.trajectory");
        fs::rename(hall.path().join("traces").join(&name), hall.path().join("rest").join(&name))
            .unwrap();
    }
    hall.says(&[&found[..], &["--save-state", "part.bin", "-o", "part.pddl", "traces"]].concat());
    let resumed = ["--resume", "part.bin", "-o", "resumed.pddl", "rest"];
    hall.says(&[&found[..], &resumed].concat());
    assert_eq!(hall.read("resumed.pddl"), model);
    // Without the question, the state is of another class; a state without traces is no start.
    let plain = hall.fails(&["learn", "-d", "domain.pddl", "--resume", "part.bin", "rest"]);
    assert!(plain.contains("--parts differs"), "{plain}");
    hall.says(&["learn", "-d", "domain.pddl", "--save-state", "low.bin", "-o", "low.pddl", "rest"]);
    let said = hall.fails(&[&found[..], &["--resume", "low.bin", "traces"]].concat());
    assert!(said.contains("does not hold its trajectories"), "{said}");
}

/// A step without a value of what may be the true test: a cut by other tests would be wrong.
#[test]
fn nothing_is_found_where_a_test_may_have_no_value() {
    let hall = crowded();
    let learn = ["learn", "-d", "domain.pddl", "--parts", "found", "traces"];
    hall.says(&learn);
    let unknown = "((:init (unknown (docked r)) (= (battery r) 5))\n(operator: (charge r))\n(:state \
                   (docked r) (= (battery r) 35)))\n";
    hall.write("traces/unknown.trajectory", unknown);
    let said = hall.fails(&learn);
    assert!(said.contains("a step lacks a value that a test may read"), "{said}");
}

/// Records that refute all parts may lie in none of them, where they change no count.
#[test]
fn a_model_with_found_parts_is_not_resumed_as_if_they_were_declared() {
    let hall = crowded();
    let found = ["learn", "-d", "domain.pddl", "--parts", "found", "-o", "hall.surefoot", "traces"];
    hall.says(&found);
    let gap = "((:init (docked r) (= (battery r) 70))\n(operator: (charge r))\n(:state (docked r) (= \
               (battery r) 71)))\n";
    fs::create_dir(hall.path().join("more")).unwrap();
    hall.write("more/gap.trajectory", gap);
    let resume =
        ["learn", "-d", "domain.pddl", "--resume", "hall.surefoot", "-o", "new.pddl", "more"];
    hall.fails(&resume);
    assert!(!hall.path().join("new.pddl").exists());
}

#[test]
fn values_of_the_dial_that_are_none_are_refused() {
    let hall = crowded();
    let learn =
        |value: &str| hall.fails(&["learn", "-d", "domain.pddl", "--parts", value, "traces"]);
    assert!(learn("fond").contains("--parts fond: expected the word found, or a file"));
    hall.write("counted.json", "{\"charge\": {\"found\": []}}");
    assert!(learn("counted.json").contains("nobody declares counts"));
    hall.write("odd.json", "{\"charge\": \"found\",\n \"charge\": \"found\"}");
    assert!(learn("odd.json").contains("odd.json:2"));
    hall.write("all.json", "{\"charge\": \"found\"}");
    hall.says(&["learn", "-d", "domain.pddl", "--parts", "all.json", "traces"]);
    let assess = hall.fails(&["assess", "-d", "domain.pddl", "--parts", "found", "traces"]);
    assert!(assess.contains("from all records at once"), "{assess}");
    let quarantine = ["--on-bad-data", "quarantine", "--parts", "found", "traces"];
    let said = hall.fails(&[&["learn", "-d", "domain.pddl"][..], &quarantine].concat());
    assert!(
        said.contains("--parts found: parts cannot be found while records are left out"),
        "{said}"
    );
}

/// A map of charges that says where the battery is capped.
const MAP: &str = "episode = \"run\"\naction = \"what\"\nsplit = { charge = \"battery <= 70\" \
                   }\n[after]\nbattery = \"(battery ?robot)\"\n[actions]\nlook = \
                   \"report\"\ncharge = [\"robot\"]\n";

/// The parts in a map are assumed by whatever is learned with it, and by nothing else.
#[test]
fn a_map_says_where_an_action_changes_its_behaviour() {
    let hall = Hall::new();
    let mut log = "run,what,robot,battery\n".to_owned();
    for (run, level) in [0, 10, 25, 40, 55, 70, 72, 80, 90, 100].into_iter().enumerate() {
        log += &format!("{run},look,r,{level}\n{run},charge,r,{}\n", (level + 30).min(100));
    }
    hall.write("log.csv", &log);
    hall.write("hall.toml", MAP);
    let with_map = |words: &str| -> Vec<String> {
        let all = format!("{words} --map hall.toml log.csv");
        all.split_whitespace().map(str::to_owned).collect()
    };
    let says = |words: &str| {
        let words = with_map(words);
        hall.says(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let fails = |words: &str| {
        let words = with_map(words);
        hall.fails(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let said = says("learn -o m.pddl --certificate c.json --save-state s.bin");
    assert!(said.contains("charge--2 is where (> (battery ?robot) 70)"), "{said}");
    let said = says("check -m m.pddl -c c.json");
    assert!(said.contains("The parts of charge were declared, not found"), "{said}");
    says("assess");
    says("lint");
    says("score -m m.pddl");
    let said = says("import -o out");
    assert!(said.contains("add --parts out/parts.json"), "{said}");
    hall.says(&[
        "learn",
        "-d",
        "out/domain.pddl",
        "-o",
        "again.pddl",
        "--parts",
        "out/parts.json",
        "out",
    ]);
    assert_eq!(hall.read("again.pddl"), hall.read("m.pddl"));
    // Options that say the same are no news, and others are refused.
    says("learn -o same.pddl --parts out/parts.json");
    assert_eq!(hall.read("same.pddl"), hall.read("m.pddl"));
    says("learn -o more.pddl --resume s.bin");
    assert_eq!(hall.read("more.pddl"), hall.read("m.pddl"));
    hall.write("other.json", "{\"charge\": \"(<= (battery ?robot) 60)\"}");
    let said = fails("learn -o x.pddl --parts other.json");
    assert!(said.contains("other parts of charge were given beside it"), "{said}");
    assert!(said.contains("hall.toml:3:20"), "{said}");
    let said = fails("learn -o x.pddl --error 1");
    assert!(said.contains("leave the errors or the parts out"), "{said}");
    // Why a step is refused, from the map alone.
    hall.write(
        "between.pddl",
        "(define (problem p) (:domain hall) (:objects r - robot) (:init (= (battery r) 71)) (:goal \
         (and)))",
    );
    let explain = [
        "explain",
        "-m",
        "m.pddl",
        "-p",
        "between.pddl",
        "--map",
        "hall.toml",
        "--traces",
        "log.csv",
        "(charge r)",
    ];
    let said = hall.fails(&explain);
    assert!(said.contains("in the part charge--2 of charge"), "{said}");
    // A model that was learned without them does not have them.
    hall.write("plain.toml", &MAP.replace("split", "# split"));
    let said = hall.fails(&["learn", "--map", "plain.toml", "log.csv"]);
    assert!(said.contains("--parts"), "{said}");
    let learn =
        ["learn", "--map", "plain.toml", "log.csv", "--parts", "other.json", "-o", "o.pddl"];
    hall.says(&[&learn[..], &["--certificate", "o.json"]].concat());
    let said = fails("check -m o.pddl -c o.json");
    let missing = "the map declares what the model does not assume: The parts of charge";
    assert!(said.contains(missing) && said.contains("(> (battery ?robot) 70)"), "{said}");
    // A learner that is not safe learns no parts, and says so.
    let said = says("learn --algorithm planminer -o p.pddl");
    assert!(said.contains("`split` of the map is not used"), "{said}");
}

/// For planners that read neither `or` nor `when`: an action for each part, and plans in the real
/// actions again.
#[test]
fn each_part_may_be_an_action_of_its_own_for_planners() {
    let hall = Hall::new();
    hall.learn(CUT);
    hall.write(
        "across.pddl",
        &hall.read("low.pddl").replace("(= (battery r) 10)", "(= (battery r) 25)"),
    );
    hall.says(&[
        "learn",
        "-q",
        "-d",
        "domain.pddl",
        "-o",
        "m.surefoot",
        "traces",
        "--parts",
        "cut.json",
    ]);
    for model in ["learned.pddl", "m.surefoot"] {
        let problem = ["problem", "-m", model, "-p", "across.pddl", "-o", "p.pddl"];
        hall.says(&[&problem[..], &["--one-action-per-part", "each.pddl"]].concat());
        let each = hall.read("each.pddl");
        assert!(
            each.contains("(:action charge--1") && each.contains("(:action charge--2"),
            "{each}"
        );
        assert!(!each.contains("(or") && !each.contains("(when"), "{each}");
        // Planned by hand, and read back.
        hall.says(&["plan", "-q", "-d", "each.pddl", "-p", "p.pddl", "-o", "each.txt"]);
        let plan = hall.read("each.txt");
        assert!(plan.contains("(charge--1 r)") && plan.contains("(charge--2 r)"), "{plan}");
        hall.says(&["validate", "-m", model, "-p", "across.pddl", "each.txt"]);
        let trace = hall.says(&["trace", "-m", model, "-p", "across.pddl", "each.txt"]);
        assert!(trace.contains("(charge r)") && !trace.contains("charge--"), "{trace}");
        let said = hall.fails(&["explain", "-m", model, "-p", "between.pddl", "(charge--2 r)"]);
        assert!(said.contains("(charge r) is not applicable"), "{said}");
        // Or at once.
        let plan = ["plan", "-d", model, "-p", "across.pddl", "--one-action-per-part"];
        let said = hall.says(&plan);
        assert_eq!(said.matches("(charge r)").count(), 3, "{said}");
        let json = hall.says(&[&plan[..], &["-q", "--format", "json"]].concat());
        assert!(json.contains("(charge r)") && !json.contains("charge--"), "{json}");
    }
    let none = ["plan", "-d", "real.pddl", "-p", "across.pddl", "--one-action-per-part"];
    let said = hall.fails(&none);
    assert!(said.contains("no action of real.pddl has parts"), "{said}");
    // Only a model that says so has parts.
    hall.write("part.txt", "(charge--1 r)\n");
    hall.fails(&["validate", "-d", "real.pddl", "-p", "across.pddl", "part.txt"]);
}
