//! What Metric-FF 2.1 says in each case, as facts: a script prints the lines that count.

use super::*;

/// The script, with what it prints, and on standard error, and its exit code.
fn saying(mut command: Command, stdout: &str, stderr: &str, exit: i32) -> Command {
    command.args([
        "--planner",
        "metric-ff",
        "--metric-ff",
        "tests/fixtures/metric-ff/ff",
        "--format",
        "json",
    ]);
    command.env("FF_OUT", stdout).env("FF_ERR", stderr).env("FF_EXIT", exit.to_string());
    command
}

/// The result of the only attempt, and the exit code.
fn result(mut command: Command) -> (Value, Option<i32>) {
    let output = command.output().unwrap();
    (json(&output)["attempts"][0].clone(), output.status.code())
}

const SOLVED: &str = "ff: found legal plan as follows
step    0: MOVE-FAST NORTH SOUTH
        1: MOVE-SLOW NORTH MIDDLE
plan cost: 0.000000

time spent:    0.00 seconds total time";

const PROVEN: &str = "best first search space empty! problem proven unsolvable.";

#[test]
fn a_plan_is_read_up_to_its_cost() {
    for log in [SOLVED.to_owned(), SOLVED.replace("plan cost", "        2: REACH-GOAL\nplan cost")]
    {
        let output = saying(plan(), &log, "", 0).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(
            json(&output)["plan"],
            serde_json::json!(["(move-fast north south)", "(move-slow north middle)"])
        );
    }
}

/// What it prints, on standard error too, its exit code; the result, and a part of the reason.
#[test]
fn what_it_says_is_understood() {
    let wrong = SOLVED.replace("NORTH SOUTH", "SOUTH NORTH");
    let cut = SOLVED.split("        1:").next().unwrap();
    let kinds = [
        (wrong.as_str(), "", 0, "rejected", ""),
        // A crash in the middle of the plan.
        (cut, "", 139, "failed", "exit code 139"),
        // This goal is not true at the start, whatever it says: even the empty plan is checked.
        ("ff: goal can be simplified to TRUE. The empty plan solves it", "", 1, "rejected", ""),
        ("ff: found legal plan as follows\nstep \nplan cost: 0.000000", "", 0, "rejected", ""),
        ("ff: goal can be simplified to FALSE. No plan will solve it", "", 1, "unsolvable", ""),
        (PROVEN, "", 0, "unsolvable", ""),
        (
            "ff: goal accesses a fluent that will never have a defined value.",
            "",
            1,
            "unsolvable",
            "",
        ),
        // Its reader complains on standard error, all else on standard output.
        (
            "ff: parsing domain file",
            "domain.pddl: syntax error in line 7, 'X':",
            1,
            "unsupported",
            "syntax error in line 7",
        ),
        (
            "ff: parsing domain file",
            "ff: can't find operator file: domain.pddl",
            1,
            "failed",
            "can't find operator file",
        ),
        (
            "increase MAX_LNF_COMPS! currently 100",
            "",
            1,
            "unsupported",
            "MAX_LNF_COMPS! currently 100",
        ),
        (
            "too many parameters! increase MAX_VARS (currently 15)",
            "",
            1,
            "unsupported",
            "MAX_VARS (currently 15)",
        ),
        ("increase MAX_PLAN_LENGTH! currently 500", "", 1, "unsupported", "MAX_PLAN_LENGTH"),
        ("This is not a linear task!", "", 1, "unsupported", "linear conditions and effects only"),
        ("variable X lies on := propagation cycle!", "", 1, "unsupported", "depend on each other"),
        (
            "predicate Q is declared to use unknown or empty type U",
            "",
            1,
            "unsupported",
            "an object of every type",
        ),
        // Sums of floats that miss what they were to come to.
        (
            "all increasers applied yet goal not fulfilled.",
            "",
            1,
            "failed",
            "yet goal not fulfilled",
        ),
        ("", "", 1, "failed", "exit code 1"),
    ];
    for (stdout, stderr, exit, expected, reason) in kinds {
        let (attempt, code) = result(saying(plan(), stdout, stderr, exit));
        assert_eq!(
            (&attempt["result"], code),
            (&expected.into(), Some(1)),
            "{stdout} {stderr}: {attempt}"
        );
        assert!(
            attempt["message"].as_str().unwrap_or_default().contains(reason),
            "{stdout} {stderr}: {attempt}"
        );
    }
}

#[test]
fn the_empty_plan_where_the_goal_holds() {
    let scratch = Scratch::new();
    let problem = scratch.path("done.pddl");
    let text = fs::read_to_string(PROBLEM)
        .unwrap()
        .replace("(>= (x middle) 1) (>= (x south) 2)", "(>= (x north) 1)");
    fs::write(&problem, text).unwrap();
    let problem = problem.to_str().unwrap();
    // Where the goal is about what changes it searches, and prints a step without a number.
    for (said, exit) in [
        ("goal can be simplified to TRUE.", 1),
        ("ff: found legal plan as follows\nstep \nplan cost: 0", 0),
    ] {
        let output = saying(plan_of(DOMAIN, problem), said, "", exit).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(json(&output)["plan"], serde_json::json!([]));
    }
}

/// There may be a plan for the task as it is: seven steps of 0.1 make 0.7, but not in its floats,
/// as with the real one.
#[test]
fn that_a_task_of_fractions_has_no_plan_proves_nothing() {
    let scratch = Scratch::new();
    let (domain, problem) = (scratch.path("domain.pddl"), scratch.path("problem.pddl"));
    let text = "(define (domain jug) (:functions (level)) (:action pour :parameters () \
                :precondition (< (level) 5) \
                :effect (increase (level) STEP)))";
    fs::write(
        &problem,
        "(define (problem fill) (:domain jug) (:init (= (level) 0)) (:goal (= (level) 9)))",
    )
    .unwrap();
    for (step, expected) in [("0.1", "unknown"), ("2", "unsolvable")] {
        fs::write(&domain, text.replace("STEP", step)).unwrap();
        let (attempt, _) = result(saying(
            plan_of(domain.to_str().unwrap(), problem.to_str().unwrap()),
            PROVEN,
            "",
            0,
        ));
        assert_eq!(attempt["result"], expected, "{attempt}");
    }
    let rounded =
        plan_of("tests/fixtures/planners/harbour.pddl", "tests/fixtures/planners/first-trip.pddl");
    assert_eq!(result(saying(rounded, PROVEN, "", 0)).0["result"], "unknown");
}
