//! What actions mean, as laws. The oracle is [`crate::naive`], a second implementation over sets of
//! strings.

use std::collections::BTreeMap;

use crate::generate::{step_text, tape, task};
use crate::naive::{self, Look, Task};
use crate::support::{plan, problem, trajectory};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::{Fault, Inapplicable, Semantics, ViolationCause};
use surefoot_base::model::{Domain, GroundAction, Objects, Problem, State, Universe};
use surefoot_base::pddl::{Numbers, Plan, Trajectory, Writer, write_trajectory};
use surefoot_base::validate::{FailedStep, PlanVerdict, trace, validate};

fn read(task: &Task) -> (Domain, Problem) {
    let domain = crate::support::domain(&task.domain_text());
    let problem = problem(&domain, &task.problem_text());
    (domain, problem)
}

fn content(domain: &Domain, objects: &Objects, universe: &Universe, state: &State) -> naive::State {
    let writer = Writer::new(domain, objects);
    let function = |id| writer.ground_function(universe.ground_function(id)).to_lowercase();
    naive::State {
        facts: state
            .atoms()
            .map(|id| writer.ground_atom(universe.ground_atom(id)).to_lowercase())
            .collect(),
        values: state.values().map(|(id, value)| (function(id), value.clone())).collect(),
    }
}

fn contents(domain: &Domain, objects: &Objects, trajectory: &Trajectory) -> Vec<naive::State> {
    trajectory
        .states
        .iter()
        .map(|state| content(domain, objects, &trajectory.universe, state))
        .collect()
}

/// The steps of a task, as many as are worth looking at, read from text.
fn steps(
    task: &Task,
    domain: &Domain,
    problem: &Problem,
) -> Vec<(usize, Vec<String>, GroundAction)> {
    let bound = |act: usize| {
        task.bindings(&task.actions[act].parameters)
            .into_iter()
            .take(20)
            .map(move |objects| (act, objects))
    };
    let all = (0..task.actions.len()).flat_map(bound);
    all.map(|(act, objects)| {
        let text = step_text(task, act, &objects);
        let action = plan(domain, problem, &text).steps.remove(0).action;
        (act, objects, action)
    })
    .collect()
}

fn tolerances() -> impl Strategy<Value = Rational> {
    // The same fractions as in the tasks, so that comparisons are missed by exactly the tolerance,
    // too.
    (0i64..6, 1i64..4).prop_map(|(num, den)| Rational::new(num, den).unwrap())
}

/// What happened, without the details that may depend on the order of writing (which of two faults
/// is met first).
fn outcome(result: Result<State, Inapplicable>) -> Option<State> {
    result.ok()
}

proptest! {
    #[test]
    fn steps_and_successors_agree_with_the_naive_semantics(
        task in task(),
        tolerance in tolerances(),
    ) {
        let (domain, problem) = read(&task);
        let semantics = Semantics::new(&domain, &problem.objects).with_tolerance(&tolerance);
        let mut universe = Universe::default();
        let state = problem.initial_state(&mut universe);
        prop_assert_eq!(&content(&domain, &problem.objects, &universe, &state), &task.init);
        let look = Look { task: &task, state: &task.init, tolerance, steps: 0 };
        for (act, objects, action) in steps(&task, &domain, &problem) {
            let expected = look.step(&task.actions[act], &objects);
            let applicable = semantics.applicable(&action, &universe, &state);
            let found = semantics.successor(&action, &mut universe, &state);
            prop_assert_eq!(applicable.is_ok(), found.is_ok());
            let found = found.map(|next| content(&domain, &problem.objects, &universe, &next));
            prop_assert_eq!(
                found.clone().ok(),
                expected,
                "{} gave {:?}",
                step_text(&task, act, &objects),
                found
            );
        }
    }

    #[test]
    fn goals_agree_with_the_naive_semantics(task in task(), tolerance in tolerances()) {
        let (domain, problem) = read(&task);
        let semantics = Semantics::new(&domain, &problem.objects).with_tolerance(&tolerance);
        let mut universe = Universe::default();
        let state = problem.initial_state(&mut universe);
        let look = Look { task: &task, state: &task.init, tolerance, steps: 0 };
        let expected =
            task.goal.as_ref().map_or(Some(true), |goal| look.truth(goal, &Vec::new(), true));
        let found = semantics.holds(&problem.goal, &universe, &state);
        prop_assert_eq!(found.clone().ok(), expected);
        // What a person is told: nothing when the goal holds, something true when it does not.
        let violations = semantics.violations(&problem.goal, &universe, &state);
        prop_assert_eq!(violations.is_empty(), found == Ok(true));
        for violation in violations {
            prop_assert_eq!(
                found.is_err(),
                matches!(violation.cause, ViolationCause::Fault(_)),
                "{:?}",
                violation
            );
        }
    }

    #[test]
    fn the_order_of_writing_never_matters(task in task(), mut tape in tape()) {
        let mut shuffled = task.clone();
        for act in &mut shuffled.actions {
            act.precondition =
                act.precondition.as_ref().map(|condition| tape.shuffled_condition(condition));
            act.effect = act.effect.as_ref().map(|effect| tape.shuffled_effect(effect));
        }
        shuffled.goal = task.goal.as_ref().map(|goal| tape.shuffled_condition(goal));
        let ((domain, problem), (other_domain, other_problem)) = (read(&task), read(&shuffled));
        let mut universe = Universe::default();
        let state = problem.initial_state(&mut universe);
        let one = Semantics::new(&domain, &problem.objects);
        let other = Semantics::new(&other_domain, &other_problem.objects);
        prop_assert_eq!(
            one.holds(&problem.goal, &universe, &state).ok(),
            other.holds(&other_problem.goal, &universe, &state).ok()
        );
        for (_, _, action) in steps(&task, &domain, &problem) {
            let next = outcome(one.successor(&action, &mut universe, &state));
            prop_assert_eq!(next, outcome(other.successor(&action, &mut universe, &state)));
        }
    }

    #[test]
    fn validate_accepts_exactly_the_plans_that_can_be_traced_to_the_goal(
        task in task(),
        mut tape in tape(),
    ) {
        let (domain, problem) = read(&task);
        let chosen = tape.plan(&task, 4);
        let text: String = chosen
            .iter()
            .map(|(act, objects)| step_text(&task, *act, objects) + "\n")
            .collect();
        let plan = plan(&domain, &problem, &text);
        let verdict = validate(&domain, &problem, &plan, &Rational::ZERO);
        // The naive run, as far as it goes.
        let mut states = vec![task.init.clone()];
        for (act, objects) in &chosen {
            let look = Look {
                task: &task,
                state: &states[states.len() - 1],
                tolerance: Rational::ZERO,
                steps: 0,
            };
            let Some(next) = look.step(&task.actions[*act], objects) else { break };
            states.push(next);
        }
        match trace(&domain, &problem, &plan) {
            Err(FailedStep { index, action, reason }) => {
                prop_assert_eq!(index + 1, states.len());
                prop_assert_eq!(
                    verdict,
                    PlanVerdict::StepFails(FailedStep { index, action, reason })
                );
            }
            Ok(trajectory) => {
                prop_assert_eq!(&contents(&domain, &problem.objects, &trajectory), &states);
                let look = Look {
                    task: &task,
                    state: &states[chosen.len()],
                    tolerance: Rational::ZERO,
                    steps: chosen.len(),
                };
                let reached = task
                    .goal
                    .as_ref()
                    .map_or(Some(true), |goal| look.truth(goal, &Vec::new(), true));
                match verdict {
                    PlanVerdict::Valid { metric } => {
                        prop_assert_eq!(reached, Some(true));
                        let expected =
                            task.metric.as_ref().map(|(_, metric)| look.value(metric, &Vec::new()));
                        prop_assert_eq!(metric.map(Result::ok), expected);
                    }
                    PlanVerdict::GoalUnmet(violations) => {
                        prop_assert_ne!(reached, Some(true));
                        prop_assert!(!violations.is_empty());
                    }
                    PlanVerdict::StepFails(failed) => prop_assert!(false, "{:?}", failed),
                }
            }
        }
    }

    #[test]
    fn a_written_trace_reads_back_to_the_same_states(task in task(), mut tape in tape()) {
        let (domain, problem) = read(&task);
        let mut run = Plan::default();
        for (act, objects) in tape.plan(&task, 6) {
            let mut longer = run.clone();
            longer.steps.extend(plan(&domain, &problem, &step_text(&task, act, &objects)).steps);
            // Steps that cannot be taken are left out, and those that lead to more digits than the
            // reader takes.
            let readable = |run: &Trajectory| {
                run.states
                    .iter()
                    .flat_map(|state| state.values())
                    .all(|(_, value)| value.bits() < 3000)
            };
            if trace(&domain, &problem, &longer).is_ok_and(|run| readable(&run)) {
                run = longer;
            }
        }
        let traced = trace(&domain, &problem, &run).unwrap();
        let text = write_trajectory(&domain, &problem.objects, &traced);
        let again = trajectory(&domain, &problem, &text);
        prop_assert_eq!(&again.actions, &traced.actions);
        prop_assert_eq!(
            contents(&domain, &problem.objects, &again),
            contents(&domain, &problem.objects, &traced)
        );
    }

    #[test]
    fn a_larger_tolerance_accepts_every_plan_that_a_smaller_one_does(
        task in task(), mut tape in tape(), one in tolerances(), other in tolerances(),
    ) {
        let (domain, problem) = read(&task);
        let text: String = tape.plan(&task, 3)
            .iter()
            .map(|(act, objects)| step_text(&task, *act, objects) + "\n")
            .collect();
        let plan = plan(&domain, &problem, &text);
        let (smaller, larger) = if one < other { (one, other) } else { (other, one) };
        let is_valid = |tolerance: &Rational| {
            matches!(validate(&domain, &problem, &plan, tolerance), PlanVerdict::Valid { .. })
        };
        prop_assert!(!is_valid(&smaller) || is_valid(&larger));
        // The sign of a tolerance means nothing.
        prop_assert_eq!(is_valid(&larger), is_valid(&-&larger));
    }

    #[test]
    fn increases_and_decreases_of_one_function_add_up_in_any_order(
        changes in prop::collection::vec((any::<bool>(), -9i64..9, 1i64..7), 0..6),
    ) {
        let effects: String = changes.iter().map(|(up, num, den)| {
            format!("({} (n) (/ {num} {den}))", if *up { "increase" } else { "decrease" })
        }).collect();
        let sum = changes.iter().fold(Rational::integer(100), |sum, (up, num, den)| {
            let change = Rational::new(*num, *den).unwrap();
            if *up { &sum + &change } else { &sum - &change }
        });
        prop_assert_eq!(after(&effects, "(= (n) 100)"), Ok(facts_of("", &[("(n)", sum)])));
    }

    #[test]
    fn scalings_of_one_function_multiply(
        changes in prop::collection::vec((any::<bool>(), -9i64..9, 1i64..7), 0..6),
    ) {
        let effects: String = changes.iter().map(|(up, num, den)| {
            format!("({} (n) (/ {num} {den}))", if *up { "scale-up" } else { "scale-down" })
        }).collect();
        let by_zero = changes.iter().any(|(up, num, _)| !up && *num == 0);
        let found = after(&effects, "(= (n) 100)");
        if by_zero {
            prop_assert_eq!(found, Err(Inapplicable::Effect(Fault::DivisionByZero)));
        } else {
            let product = changes.iter().fold(Rational::integer(100), |product, (up, num, den)| {
                let factor = Rational::new(*num, *den).unwrap();
                if *up { &product * &factor } else { product.checked_div(&factor).unwrap() }
            });
            prop_assert_eq!(found, Ok(facts_of("", &[("(n)", product)])));
        }
    }
}

/// Random tasks are only worth something when all of this happens among them.
#[test]
fn the_random_tasks_reach_every_outcome() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..400 {
        let task = task().new_tree(&mut runner).unwrap().current();
        let (domain, problem) = read(&task);
        let semantics = Semantics::new(&domain, &problem.objects);
        let mut universe = Universe::default();
        let state = problem.initial_state(&mut universe);
        for (_, _, action) in steps(&task, &domain, &problem) {
            *seen
                .entry(match semantics.changes(&action, &universe, &state) {
                    Ok(changes)
                        if changes.values.is_empty()
                            && changes.adds.is_empty()
                            && changes.deletes.is_empty() =>
                    {
                        "nothing changes"
                    }
                    Ok(changes) if changes.values.is_empty() => "facts change",
                    Ok(_) => "values change",
                    Err(Inapplicable::Precondition(violations)) => match violations[0].cause {
                        ViolationCause::False => "false",
                        ViolationCause::Values(..) => "false values",
                        ViolationCause::Fault(Fault::DivisionByZero) => "condition by zero",
                        ViolationCause::Fault(_) => "condition undefined",
                    },
                    Err(Inapplicable::Effect(Fault::DivisionByZero)) => "effect by zero",
                    Err(Inapplicable::Effect(_)) => "effect undefined",
                    Err(Inapplicable::Conflict(_)) => "conflict",
                    Err(Inapplicable::Arguments(_)) => panic!("the steps are well typed"),
                })
                .or_default() += 1;
        }
        let goal = semantics.holds(&problem.goal, &universe, &state);
        *seen
            .entry(if goal == Ok(true) {
                "goal"
            } else if goal == Ok(false) {
                "no goal"
            } else {
                "faulty goal"
            })
            .or_default() += 1;
    }
    assert_eq!(seen.len(), 13, "{seen:?}");
    assert!(seen.values().all(|&count| count >= 5), "{seen:?}");
}

/// The state after an action with this effect, from a state with these facts. Predicates `(p)`,
/// `(q)`, `(on ?x)`; functions `(n)`, `(m)`, `(size ?x)`; objects `a` and `b`.
fn after(effect: &str, init: &str) -> Result<naive::State, Inapplicable> {
    run("()", effect, init)
}

fn run(precondition: &str, effect: &str, init: &str) -> Result<naive::State, Inapplicable> {
    let domain = crate::support::domain(&format!(
        "(define (domain d) (:predicates (p) (q) (on ?x)) (:functions (n) (m) (size ?x))
           (:action act :parameters (?x) :precondition {precondition} :effect (and {effect})))"
    ));
    let problem = problem(
        &domain,
        &format!("(define (problem p) (:domain d) (:objects a b) (:init {init}) (:goal ()))"),
    );
    let mut universe = Universe::default();
    let state = problem.initial_state(&mut universe);
    let step = plan(&domain, &problem, "(act a)").steps.remove(0).action;
    let next = Semantics::new(&domain, &problem.objects).successor(&step, &mut universe, &state)?;
    Ok(content(&domain, &problem.objects, &universe, &next))
}

fn facts_of(facts: &str, values: &[(&str, Rational)]) -> naive::State {
    let values = values.iter().map(|(function, value)| (function.to_string(), value.clone()));
    naive::State {
        facts: facts.split_inclusive(')').map(|fact| fact.trim().to_owned()).collect(),
        values: values.collect(),
    }
}

fn n(value: i64) -> Rational {
    Rational::integer(value)
}

#[test]
fn deletes_come_before_adds_whatever_the_order_of_writing() {
    // As in rovers, where an effect deletes and adds the same atom.
    for effect in ["(p) (not (p))", "(not (p)) (p)", "(forall (?y) (not (p))) (when (on ?x) (p))"] {
        assert_eq!(after(effect, "(p) (on a)"), Ok(facts_of("(p)(on a)", &[])), "{effect}");
        assert_eq!(after(effect, "(on a)"), Ok(facts_of("(p)(on a)", &[])), "{effect}");
    }
}

#[test]
fn right_hand_sides_and_conditions_of_effects_read_the_state_before_the_step() {
    let swapped = after("(assign (n) (m)) (assign (m) (n))", "(= (n) 1) (= (m) 2)");
    assert_eq!(swapped, Ok(facts_of("", &[("(n)", n(2)), ("(m)", n(1))])));
    let late = after(
        "(increase (n) 5) (when (> (n) 3) (p)) (when (q) (not (on ?x))) (q)",
        "(= (n) 1) (on a)",
    );
    assert_eq!(late, Ok(facts_of("(on a)(q)", &[("(n)", n(6))])));
}

#[test]
fn a_universal_effect_happens_for_every_object() {
    let grown = after(
        "(forall (?y) (and (on ?y) (increase (n) (size ?y))))",
        "(= (n) 0) (= (size a) 2) (= (size b) 3)",
    );
    assert_eq!(
        grown,
        Ok(facts_of("(on a)(on b)", &[("(n)", n(5)), ("(size a)", n(2)), ("(size b)", n(3))]))
    );
}

#[test]
fn effects_that_disagree_about_a_function_are_a_conflict() {
    for effect in [
        "(assign (n) 1) (assign (n) 2)",
        "(assign (n) 1) (increase (n) 0)",
        "(increase (n) 1) (assign (n) 2)",
        "(scale-up (n) 2) (increase (n) 1)",
        "(decrease (n) 1) (scale-down (n) 2)",
        "(forall (?y) (assign (n) (size ?y)))",
    ] {
        let found = after(effect, "(= (n) 1) (= (size a) 2) (= (size b) 3)");
        assert!(matches!(found, Err(Inapplicable::Conflict(_))), "{effect}: {found:?}");
    }
    let same = after(
        "(assign (n) 2) (assign (n) (size ?x)) (forall (?y) (assign (n) 2))",
        "(= (size a) 2)",
    );
    assert_eq!(
        same,
        Ok(facts_of("", &[("(n)", n(2)), ("(size a)", n(2))])),
        "assigning one value twice is none"
    );
}

#[test]
fn a_function_without_a_value_is_never_zero() {
    for (precondition, effect) in [
        ("(= (n) 0)", ""),
        ("(not (= (n) 0))", ""),
        ("(>= (* 0 (n)) 0)", ""),
        ("(imply (p) (> (n) 0))", ""),
    ] {
        let Err(Inapplicable::Precondition(violations)) = run(precondition, effect, "(p)") else {
            panic!("{precondition}")
        };
        assert!(
            matches!(violations[0].cause, ViolationCause::Fault(Fault::Undefined(_))),
            "{precondition}"
        );
    }
    for effect in
        ["(increase (n) 1)", "(scale-up (n) 0)", "(assign (m) (n))", "(when (> (n) 0) (q))"]
    {
        assert!(
            matches!(after(effect, ""), Err(Inapplicable::Effect(Fault::Undefined(_)))),
            "{effect}"
        );
    }
    assert_eq!(
        after("(assign (n) 7)", ""),
        Ok(facts_of("", &[("(n)", n(7))])),
        "assigning defines it"
    );
    // What need not be known is not asked for.
    assert!(run("(or (p) (> (n) 0))", "", "(p)").is_ok());
    assert!(run("(imply (q) (> (n) 0))", "", "").is_ok());
    assert!(after("(when (q) (increase (n) 1))", "").is_ok());
}

#[test]
fn division_by_zero_makes_the_step_inapplicable() {
    let zero = "(= (n) 0) (= (m) 1)";
    let Err(Inapplicable::Precondition(violations)) = run("(> (/ (m) (n)) 0)", "", zero) else {
        panic!()
    };
    assert_eq!(violations[0].cause, ViolationCause::Fault(Fault::DivisionByZero));
    for effect in [
        "(assign (m) (/ 1 (n)))",
        "(scale-down (m) (n))",
        "(assign (m) (/ 0 0))",
        "(when (< (/ 1 0) 1) (p))",
    ] {
        assert_eq!(
            after(effect, zero),
            Err(Inapplicable::Effect(Fault::DivisionByZero)),
            "{effect}"
        );
    }
}

#[test]
fn the_tolerance_loosens_conditions_and_nothing_else() {
    let domain = crate::support::domain(
        "(define (domain d) (:predicates (p)) (:functions (n))
           (:action act :precondition (and (>= (n) 1) (not (> (n) 2))) :effect (and (when (>= (n) \
         1) (p)) (increase (n) 0.25))))",
    );
    let verdict = |start: &str, goal: &str, tolerance: Rational| {
        let problem = problem(
            &domain,
            &format!("(define (problem p) (:domain d) (:init (= (n) {start})) (:goal {goal}))"),
        );
        matches!(
            validate(&domain, &problem, &plan(&domain, &problem, "(act)"), &tolerance),
            PlanVerdict::Valid { .. }
        )
    };
    let tenth = Rational::new(1, 10).unwrap();
    assert!(!verdict("0.9", "()", n(0)));
    assert!(verdict("0.9", "()", tenth.clone()));
    assert!(!verdict("0.89", "()", tenth.clone()));
    assert!(verdict("2.1", "()", tenth.clone()), "a negated comparison is loosened too");
    assert!(!verdict("2.11", "()", tenth.clone()));
    assert!(verdict("1", "(and (p) (= (n) 1.3))", tenth.clone()), "goals are loosened");
    assert!(!verdict("1", "(= (n) 1.4)", tenth.clone()));
    assert!(!verdict("0.9", "(p)", tenth.clone()), "the conditions of effects are not");
    assert!(
        verdict("0.9", "(not (= (n) 1.15))", tenth),
        "values within the tolerance of each other may differ"
    );
}

#[test]
fn a_comparison_may_be_missed_by_the_tolerance_and_not_by_more() {
    let domain = crate::support::domain("(define (domain d) (:functions (n)))");
    // The values of n in quarters, from -1 to 1, that are compared with 0 at a tolerance of one
    // half.
    let accepted = |comparison: &str| {
        let holds = |quarters: &i64| {
            let text = format!(
                "(define (problem p) (:domain d) (:init (= (n) (/ {quarters} 4))) (:goal \
                 {comparison}))"
            );
            let problem = problem(&domain, &text);
            let verdict =
                validate(&domain, &problem, &Plan::default(), &Rational::new(1, 2).unwrap());
            matches!(verdict, PlanVerdict::Valid { .. })
        };
        (-4..=4).filter(holds).collect::<Vec<i64>>()
    };
    assert_eq!(accepted("(< (n) 0)"), [-4, -3, -2, -1, 0, 1]);
    assert_eq!(accepted("(<= (n) 0)"), [-4, -3, -2, -1, 0, 1, 2]);
    assert_eq!(accepted("(= (n) 0)"), [-2, -1, 0, 1, 2]);
    assert_eq!(accepted("(>= (n) 0)"), [-2, -1, 0, 1, 2, 3, 4]);
    assert_eq!(accepted("(> (n) 0)"), [-1, 0, 1, 2, 3, 4]);
    assert_eq!(accepted("(not (< (n) 0))"), accepted("(>= (n) 0)"));
    assert_eq!(accepted("(not (<= (n) 0))"), accepted("(> (n) 0)"));
    assert_eq!(accepted("(imply (>= (n) 0) (> 0 1))"), accepted("(< (n) 0)"));
    assert_eq!(accepted("(not (= (n) 0))").len(), 9);
}

#[test]
fn where_something_is_false_the_faults_beside_it_are_not_blamed() {
    let domain =
        crate::support::domain("(define (domain d) (:predicates (p)) (:functions (size ?x)))");
    let blamed = |goal: &str| {
        let text = format!(
            "(define (problem p) (:domain d) (:objects a b c) (:init (= (size b) 1) (= (size c) \
             2)) (:goal {goal}))"
        );
        let problem = problem(&domain, &text);
        let PlanVerdict::GoalUnmet(violations) =
            validate(&domain, &problem, &Plan::default(), &n(0))
        else {
            panic!("{goal}")
        };
        let shown = violations.iter().map(|violation| {
            let mut writer =
                Writer::new(&domain, &problem.objects).with_objects(&violation.environment);
            writer.condition(&violation.condition)
        });
        shown.collect::<Vec<_>>()
    };
    // The size of a is unknown, that of c is wrong.
    assert_eq!(blamed("(forall (?x) (<= (size ?x) 1))"), ["(<= (size c) 1)"]);
    assert_eq!(blamed("(and (> (size a) 0) (p) (> (size b) 1))"), ["(p)", "(> (size b) 1)"]);
    assert_eq!(blamed("(forall (?x) (> (size ?x) 0))"), ["(> (size a) 0)"]);
    assert_eq!(blamed("(or (p) (> (size b) 1))"), ["(or (p) (> (size b) 1))"]);
}

#[test]
fn arguments_of_the_wrong_number_or_type_are_refused_by_the_semantics_too() {
    let domain = crate::support::domain(crate::support::LORRIES);
    let problem = problem(&domain, crate::support::DELIVERY);
    let semantics = Semantics::new(&domain, &problem.objects);
    let mut universe = Universe::default();
    let state = problem.initial_state(&mut universe);
    let mut step = plan(&domain, &problem, "(drive red home mill)").steps.remove(0).action;
    assert_eq!(semantics.applicable(&step, &universe, &state), Ok(()));
    step.arguments.swap(0, 1);
    assert_eq!(semantics.applicable(&step, &universe, &state), Err(Inapplicable::Arguments(0)));
    step.arguments.pop();
    assert_eq!(semantics.applicable(&step, &universe, &state), Err(Inapplicable::Arguments(3)));
}

#[test]
fn a_verdict_names_the_step_the_condition_and_the_values() {
    let domain = crate::support::domain(crate::support::LORRIES);
    let problem =
        problem(&domain, &crate::support::DELIVERY.replace("(fuel red) 3", "(fuel red) 0.5"));
    let plan = plan(&domain, &problem, "(drive red home mill)");
    let PlanVerdict::StepFails(failed) = validate(&domain, &problem, &plan, &n(0)) else {
        panic!()
    };
    assert_eq!(failed.index, 0);
    let Inapplicable::Precondition(violations) = failed.reason else { panic!() };
    let [violation] = &violations[..] else { panic!("{violations:?}") };
    assert_eq!(violation.cause, ViolationCause::Values(Rational::new(1, 2).unwrap(), n(1)));
    let mut writer = Writer::new(&domain, &problem.objects).with_objects(&violation.environment);
    assert_eq!(writer.condition(&violation.condition), "(>= (fuel red) 1)");
}

#[test]
fn a_trajectory_is_read_with_rounded_numbers_where_that_is_asked_for() {
    let domain = crate::support::domain(crate::support::LORRIES);
    let problem = problem(&domain, crate::support::DELIVERY);
    let source =
        surefoot_base::pddl::Source::new("t", "((:init (= (fuel red) 68.66799999999999)))");
    let rounded =
        Trajectory::read(&source, &domain, &problem.objects, Numbers::Decimals(6)).unwrap();
    let values = &contents(&domain, &problem.objects, &rounded)[0].values;
    assert_eq!(values["(fuel red)"].to_string(), "68.668");
}
