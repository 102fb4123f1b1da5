//! Against the real planners: `eval "$(scripts/planners.sh)"`, then
//! `cargo test -p surefoot-cli --test planners -- --ignored`.

use super::*;

fn needs(variable: &str) {
    assert!(
        std::env::var_os(variable).is_some(),
        "{variable} names no planner; see scripts/planners.sh"
    );
}

fn solves(planner: &str, domain: &str, problem: &str) {
    let output = plan_of(domain, problem)
        .args(["--planner", planner, "--time-limit", "60"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let scratch = Scratch::new();
    let found = scratch.path("found.plan");
    fs::write(&found, &output.stdout).unwrap();
    let mut validate = Command::new(env!("CARGO_BIN_EXE_surefoot"));
    assert!(
        validate
            .args(["validate", "-d", domain, "-p", problem])
            .arg(found)
            .status()
            .unwrap()
            .success()
    );
}

fn result(planner: &str, domain: &str, problem: &Path, options: &[&str]) -> Value {
    let mut command = plan_of(domain, problem.to_str().unwrap());
    let output =
        command.args(["--planner", planner, "--format", "json"]).args(options).output().unwrap();
    json(&output)["attempts"][0]["result"].clone()
}

/// The problem of monday with another goal.
fn with_goal(scratch: &Scratch, goal: &str) -> PathBuf {
    let text =
        fs::read_to_string(PROBLEM).unwrap().replace("(>= (x middle) 1) (>= (x south) 2)", goal);
    let path = scratch.path("problem.pddl");
    fs::write(&path, text).unwrap();
    path
}

const HARBOUR: &str = "tests/fixtures/planners/harbour.pddl";
const FIRST_TRIP: &str = "tests/fixtures/planners/first-trip.pddl";

#[test]
#[ignore = "needs ENHSP and Java"]
fn enhsp_solves_what_it_can_read() {
    needs("SUREFOOT_ENHSP");
    solves("enhsp", DOMAIN, PROBLEM);
    solves("enhsp", HARBOUR, FIRST_TRIP);
}

#[test]
#[ignore = "needs ENHSP and Java"]
fn enhsp_is_not_believed_that_there_is_no_plan() {
    needs("SUREFOOT_ENHSP");
    let scratch = Scratch::new();
    assert_eq!(result("enhsp", DOMAIN, &with_goal(&scratch, "(>= (x south) 200)"), &[]), "unknown");
    assert_eq!(result("enhsp", DOMAIN, &with_goal(&scratch, "(adj north north)"), &[]), "unknown");
    assert_eq!(result("enhsp", DOMAIN, &with_goal(&scratch, "(>= (x north) 1)"), &[]), "solved");
}

#[test]
#[ignore = "needs ENHSP and Java"]
fn enhsp_keeps_to_its_limits() {
    needs("SUREFOOT_ENHSP");
    assert_eq!(result("enhsp", DOMAIN, Path::new(PROBLEM), &["--time-limit", "0.2"]), "time-limit");
    assert_eq!(
        result("enhsp", DOMAIN, Path::new(PROBLEM), &["--memory-limit", "20"]),
        "memory-limit"
    );
}

#[test]
#[ignore = "needs ff"]
fn metric_ff_solves_what_it_can_read() {
    needs("SUREFOOT_METRIC_FF");
    solves("metric-ff", DOMAIN, PROBLEM);
    solves("metric-ff", HARBOUR, FIRST_TRIP);
}

#[test]
#[ignore = "needs ff"]
fn metric_ff_solves_what_can_be_solved_and_nothing_else() {
    needs("SUREFOOT_METRIC_FF");
    let scratch = Scratch::new();
    // Version 2.1 itself goes round in circles here, however few states there are.
    let many = result(
        "metric-ff",
        DOMAIN,
        &with_goal(&scratch, "(>= (x south) 200)"),
        &["--time-limit", "5"],
    );
    assert!(many == "unsolvable" || many == "time-limit", "{many}");
    assert_eq!(
        result("metric-ff", DOMAIN, &with_goal(&scratch, "(adj north north)"), &[]),
        "unsolvable"
    );
    assert_eq!(
        result("metric-ff", DOMAIN, &with_goal(&scratch, "(>= (x north) 1)"), &[]),
        "solved"
    );
}

#[test]
#[ignore = "needs ENHSP, Java and ff"]
fn a_race_of_both_has_a_winner() {
    needs("SUREFOOT_ENHSP");
    needs("SUREFOOT_METRIC_FF");
    let output = plan().args(["--race", "--planner", "enhsp,metric-ff"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// What the script of `metric_ff` says, said by Metric-FF 2.1 itself, wherever
/// SUREFOOT_METRIC_FF_21 names it: programs that only speak like it have other limits and other
/// words for them.
#[test]
#[ignore = "needs Metric-FF 2.1"]
fn metric_ff_21_and_its_limits() {
    let Some(program) = std::env::var_os("SUREFOOT_METRIC_FF_21") else {
        eprintln!("skipped: SUREFOOT_METRIC_FF_21 names no Metric-FF 2.1");
        return;
    };
    let scratch = Scratch::new();
    let (domain, problem) = (scratch.path("domain.pddl"), scratch.path("problem.pddl"));
    let says = |condition: &str, effect: &str, goal: &str| {
        let text = format!(
            "(define (domain jug) (:types cup) (:predicates (near ?c - cup)) (:functions (a) (b)) \
             (:action pour :parameters () :precondition (and (>= (a) -9) {condition}) :effect (and \
             {effect})))"
        );
        fs::write(&domain, text).unwrap();
        let text = format!(
            "(define (problem fill) (:domain jug) (:objects c - cup) (:init (= (a) 0) (= (b) 1)) \
             (:goal {goal}) \
             (:metric minimize (b)))"
        );
        fs::write(&problem, text).unwrap();
        let mut command = plan_of(domain.to_str().unwrap(), problem.to_str().unwrap());
        command
            .args([
                "--planner",
                "metric-ff",
                "--format",
                "json",
                "--time-limit",
                "60",
                "--metric-ff",
            ])
            .arg(&program);
        json(&command.output().unwrap())["attempts"][0]["result"].as_str().unwrap().to_owned()
    };
    let (step, goal) = ("(increase (a) 1)", "(>= (a) 3)");
    assert_eq!(says("", step, goal), "solved");
    assert_eq!(says("", step, "(>= (a) 0)"), "solved", "nothing to do");
    assert_eq!(
        says("", step, "(or (>= (a) 3) (and (>= (a) 2) (>= (b) 1)))"),
        "solved",
        "a goal that it compiles away"
    );
    assert_eq!(says("(<= (a) 4)", step, "(>= (a) 6)"), "unsolvable");
    assert_eq!(
        says("", step, "(exists (?c - cup) (near ?c))"),
        "unsolvable",
        "by looking at the goal"
    );
    assert_eq!(
        says("(<= (a) 5)", "(increase (a) 0.1)", "(= (a) 0.7)"),
        "unknown",
        "it is wrong about this"
    );
    let conditions = |count: i32| {
        (1..count).map(|number| format!("(<= (a) {})", 1000 + number)).collect::<String>()
    };
    assert_eq!(says(&conditions(100), step, goal), "solved");
    assert_eq!(says(&conditions(101), step, goal), "unsupported");
    assert_eq!(
        says("", "(increase (a) (* (a) (b))) (increase (b) 1)", goal),
        "unsupported",
        "not linear"
    );
    assert_eq!(
        says("", "(assign (a) (+ (b) 1)) (assign (b) (+ (a) 1))", goal),
        "unsupported",
        "assignments in a circle"
    );
    assert_eq!(says("", step, "(>= (a) 600)"), "unsupported", "a plan of more than 500 steps");
}

/// A learned charge with a cap: two parts, below 70 and above.
struct CappedCharge(Scratch);

impl CappedCharge {
    fn learned() -> Self {
        let scratch = Scratch::new();
        let write = |name: &str, text: &str| fs::write(scratch.path(name), text).unwrap();
        write(
            "real.pddl",
            "(define (domain hall) (:predicates (docked ?r)) (:functions (battery ?r))
  (:action charge :parameters (?r) :precondition (docked ?r)
    :effect (and (when (<= (battery ?r) 70) (increase (battery ?r) 30))
                 (when (> (battery ?r) 70) (assign (battery ?r) 100)))))",
        );
        write("parts.json", "{\"charge\": \"(<= (battery ?r) 70)\"}");
        for level in [0, 10, 25, 40, 55, 70, 72, 80, 90, 100] {
            let after = (level + 30).min(100);
            write(
                &format!("{level}.trajectory"),
                &format!(
                    "((:init (docked r) (= (battery r) {level}))\n(operator: (charge r))\n(:state \
                     (docked r) (= (battery r) {after})))\n"
                ),
            );
        }
        // Up to the cap in one part, across it, and beyond it in the other.
        for (name, level, goal) in [("below", 10, 70), ("across", 25, 100), ("above", 75, 100)] {
            write(
                &format!("{name}.pddl"),
                &format!(
                    "(define (problem {name}) (:domain hall) (:objects r) (:init (docked r) (= \
                     (battery r) {level})) (:goal (>= (battery r) {goal})))"
                ),
            );
        }
        let charge = CappedCharge(scratch);
        charge.says(&[
            "learn",
            "-q",
            "-d",
            "real.pddl",
            "--parts",
            "parts.json",
            "-o",
            "m.pddl",
            ".",
        ]);
        charge
    }

    /// Standard output of a command that must succeed.
    fn says(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefoot"));
        let output = command.current_dir(self.0.path("")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// A planner charges up to the cap and beyond it, by plans of the model and of the real domain.
    fn is_charged_by(&self, planner: &str) {
        for form in [&[][..], &["--one-action-per-part"]] {
            for (problem, steps) in [("below", 2), ("across", 3), ("above", 1)] {
                let problem = format!("{problem}.pddl");
                let plan = ["plan", "-q", "-d", "m.pddl", "-p", &problem, "-o", "plan.txt"];
                let how = ["--planner", planner, "--time-limit", "60"];
                self.says(&[&plan[..], &how, form].concat());
                let plan = fs::read_to_string(self.0.path("plan.txt")).unwrap();
                assert_eq!(plan.matches("(charge r)").count(), steps, "{planner} {form:?}: {plan}");
                for domain in ["m.pddl", "real.pddl"] {
                    self.says(&["validate", "-d", domain, "-p", &problem, "plan.txt"]);
                }
            }
        }
    }
}

#[test]
fn the_built_in_planner_plans_with_the_parts_of_an_action() {
    CappedCharge::learned().is_charged_by("builtin");
}

#[test]
#[ignore = "needs ENHSP and Java"]
fn enhsp_plans_with_the_parts_of_an_action() {
    needs("SUREFOOT_ENHSP");
    CappedCharge::learned().is_charged_by("enhsp");
}

#[test]
#[ignore = "needs ff"]
fn metric_ff_plans_with_the_parts_of_an_action() {
    needs("SUREFOOT_METRIC_FF");
    CappedCharge::learned().is_charged_by("metric-ff");
}
