//! Margins: what holds with them holds in every true state that fits, and they are no wider than
//! they must be.

use std::collections::BTreeMap;

use crate::chance::Chance;
use crate::support::{self, problem};
use surefoot_base::exact::Rational;
use surefoot_base::margins::{
    ErrorFunctions, Gap, NoMarginCause, Promised, adapt, for_records, robust,
};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Action, Condition, Domain, FunctionId, GroundAction, GroundFunction, Problem, Region, State,
    Universe,
};
use surefoot_base::pddl::{Plan, Writer, write_domain};
use surefoot_base::validate::{PlanVerdict, validate};

/// Two blurred functions and an exact one; `(y)` may have no value.
const DOMAIN: &str = "(define (domain d) (:types t) (:predicates (p) (q ?o - t))
  (:functions (x ?o - t) (y) (z) (error-of-x ?o - t) (error-of-y))
  (:action act :parameters (?o - t) :effect (p)))";

/// What is known: an estimate and an error by name, or no value.
struct Known {
    facts: String,
    values: Vec<Value>,
}

/// A function, its error function, and the values of both, where they have some.
type Value = (&'static str, &'static str, Option<(Rational, Rational)>);

impl Known {
    fn new(chance: &mut Chance) -> Self {
        let names = [
            ("(x a)", "(error-of-x a)"),
            ("(x b)", "(error-of-x b)"),
            ("(y)", "(error-of-y)"),
            ("(z)", ""),
        ];
        let values = names.map(|(name, error)| {
            let size =
                if error.is_empty() || chance.percent(25) { 0 } else { chance.between(1, 4) };
            let defined = name != "(y)" || chance.percent(90);
            (name, error, defined.then(|| (fraction(chance), Rational::new(size, 4).unwrap())))
        });
        let facts = ["(p)", "(q a)", "(q b)"].into_iter().filter(|_| chance.percent(50)).collect();
        Known { facts, values: values.into() }
    }

    /// The estimates with their errors, in a problem with this goal.
    fn estimate(&self, domain: &Domain, goal: &str) -> Problem {
        let mut init = self.facts.clone();
        for (name, error, value) in &self.values {
            let Some((estimate, size)) = value else { continue };
            init += &format!(" (= {name} {})", text(estimate));
            if !error.is_empty() {
                init += &format!(" (= {error} {})", text(size));
            }
        }
        problem(
            domain,
            &format!(
                "(define (problem p) (:domain d) (:objects a b - t) (:init {init}) (:goal {goal}))"
            ),
        )
    }
}

/// Corners of the box of errors around an estimate, and points between.
fn true_states(estimate: &Problem, errors: &ErrorFunctions, chance: &mut Chance) -> Vec<Problem> {
    let corners = (0..8u32)
        .map(|corner| (0..3).map(|bit| if corner >> bit & 1 == 1 { 4 } else { -4 }).collect());
    let between = (0..8).map(|_| (0..3).map(|_| chance.between(-4, 4)).collect());
    corners.chain(between).map(|parts: Vec<i64>| moved(estimate, errors, &parts)).collect()
}

/// The estimates moved by these quarters of their errors, the first blurred one by the first.
/// Errors stay.
fn moved(estimate: &Problem, errors: &ErrorFunctions, quarters: &[i64]) -> Problem {
    let sizes: BTreeMap<_, _> = estimate.values.iter().cloned().collect();
    let mut problem = estimate.clone();
    let blurred =
        problem.values.iter_mut().filter(|(function, _)| errors.get(function.symbol).is_some());
    for ((function, value), part) in blurred.zip(quarters) {
        let error = GroundFunction {
            symbol: errors.get(function.symbol).unwrap(),
            arguments: function.arguments.clone(),
        };
        *value += &(&sizes[&error] * &Rational::new(*part, 4).unwrap());
    }
    problem
}

fn fraction(chance: &mut Chance) -> Rational {
    Rational::new(chance.between(-6, 6), chance.between(1, 2)).unwrap()
}

fn text(number: &Rational) -> String {
    number.to_decimal().unwrap()
}

fn holds(domain: &Domain, condition: &Condition, state: &Problem) -> bool {
    let mut universe = Universe::default();
    let values: State = state.initial_state(&mut universe);
    Semantics::new(domain, &state.objects).holds(condition, &universe, &values) == Ok(true)
}

/// A linear expression over these functions, as text.
fn linear(chance: &mut Chance, functions: &[&str]) -> String {
    let terms: Vec<String> = (0..chance.between(1, 3))
        .map(|_| match chance.below(5) {
            0 => text(&fraction(chance)),
            1 => format!("(- {})", chance.of(functions)),
            2 => format!("(* {} {})", chance.between(-3, 3), chance.of(functions)),
            3 => format!("(/ {} {})", chance.of(functions), chance.of(&["2", "-4"])),
            _ => (*chance.of(functions)).to_owned(),
        })
        .collect();
    if terms.len() == 1 {
        terms[0].clone()
    } else {
        format!("({} {})", chance.of(&["+", "-"]), terms[..2].join(" "))
    }
}

fn comparison(chance: &mut Chance, functions: &[&str]) -> String {
    let operator = *chance.of(&["<", "<=", "=", ">=", ">"]);
    format!("({operator} {} {})", linear(chance, functions), linear(chance, functions))
}

fn condition(chance: &mut Chance, depth: usize, functions: &[&str]) -> String {
    let inner = |chance: &mut Chance| condition(chance, depth - 1, functions);
    match chance.below(if depth == 0 { 4 } else { 10 }) {
        0 => (*chance.of(&["(p)", "(q a)", "(q b)", "(= a b)"])).to_owned(),
        1..4 => comparison(chance, functions),
        4 => format!("(and {} {})", inner(chance), inner(chance)),
        5 => format!("(or {} {})", inner(chance), inner(chance)),
        6 => format!("(imply {} {})", inner(chance), inner(chance)),
        7 => format!("(not {})", inner(chance)),
        quantifier => {
            let word = if quantifier == 8 { "forall" } else { "exists" };
            let with_variable: Vec<&str> = functions.iter().copied().chain(["(x ?v)"]).collect();
            format!("({word} (?v - t) {})", condition(chance, depth - 1, &with_variable))
        }
    }
}

const FUNCTIONS: [&str; 4] = ["(x a)", "(x b)", "(y)", "(z)"];

#[test]
fn what_is_robust_holds_in_every_true_state_that_fits() {
    let domain = support::domain(DOMAIN);
    let errors = ErrorFunctions::of(&domain.signature);
    let (mut held, mut missed) = (0, 0);
    for seed in 0..2000 {
        let chance = &mut Chance::scattered(seed);
        let (known, goal) = (Known::new(chance), condition(chance, 3, &FUNCTIONS));
        let estimate = known.estimate(&domain, &goal);
        let with_margins = robust(&estimate.goal, &errors).unwrap();
        let states = true_states(&estimate, &errors, chance);
        if !holds(&domain, &with_margins, &estimate) {
            missed += usize::from(holds(&domain, &estimate.goal, &estimate));
            continue;
        }
        held += 1;
        for state in &states {
            assert!(
                holds(&domain, &estimate.goal, state),
                "seed {seed}: {goal} in {:?}",
                state.values
            );
        }
    }
    assert!(held > 500 && missed > 50, "{held} held, {missed} held of the estimate alone");
}

/// The corners of the box decide: if a comparison holds in all of them, it has its margin. An
/// equation holds in all exactly if no error moves it.
#[test]
fn the_margin_of_a_comparison_is_the_least() {
    let domain = support::domain(DOMAIN);
    let errors = ErrorFunctions::of(&domain.signature);
    let mut counts = [0; 2];
    for seed in 0..2000 {
        let chance = &mut Chance::scattered(seed);
        let (known, goal) = (Known::new(chance), comparison(chance, &FUNCTIONS));
        let estimate = known.estimate(&domain, &goal);
        let with_margins = robust(&estimate.goal, &errors).unwrap();
        let everywhere = true_states(&estimate, &errors, chance)
            .iter()
            .all(|state| holds(&domain, &estimate.goal, state));
        assert_eq!(
            holds(&domain, &with_margins, &estimate),
            everywhere,
            "seed {seed}: {goal} in {:?}",
            estimate.values
        );
        counts[usize::from(everywhere)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

#[test]
fn a_region_gets_the_margins_of_its_comparisons() {
    let domain = support::domain(DOMAIN);
    let errors = ErrorFunctions::of(&domain.signature);
    let mut counts = [0; 2];
    for seed in 0..1500 {
        let chance = &mut Chance::scattered(seed);
        let known = Known::new(chance);
        let parts: Vec<String> = (0..3)
            .map(|_| format!("(<= {} {})", linear(chance, &FUNCTIONS), chance.between(0, 12)))
            .collect();
        let equation = if chance.percent(20) { "(= (z) (x b))" } else { "(<= (* (z) (z)) 20)" };
        let estimate = known.estimate(&domain, &format!("(and {} {equation})", parts.join(" ")));
        let Some(gathered) = Region::gather(estimate.goal.conjuncts(), 1) else { continue };
        let inside = estimate
            .goal
            .conjuncts()
            .iter()
            .enumerate()
            .filter(|(index, _)| gathered.members.contains(*index));
        let comparisons = Condition::And(inside.map(|(_, part)| part.clone()).collect());
        let expected = holds(&domain, &robust(&comparisons, &errors).unwrap(), &estimate);
        let region = robust(&Condition::Within(gathered.region.clone()), &errors).unwrap();
        assert!(matches!(&region, Condition::Within(region) if region.set.is_complete()));
        assert_eq!(
            holds(&domain, &region, &estimate),
            expected,
            "seed {seed}: {:?}",
            region.expanded()
        );
        let outside = Condition::Not(Box::new(Condition::Within(gathered.region)));
        let denied = Condition::Not(Box::new(comparisons));
        let expected_outside = holds(&domain, &robust(&denied, &errors).unwrap(), &estimate);
        assert_eq!(
            holds(&domain, &robust(&outside, &errors).unwrap(), &estimate),
            expected_outside,
            "seed {seed}"
        );
        counts[usize::from(expected)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn products_and_quotients_of_what_has_an_error_have_no_margin() {
    let domain = support::domain(DOMAIN);
    let errors = ErrorFunctions::of(&domain.signature);
    let known = Known::new(&mut Chance::new(1));
    for (goal, product) in [
        ("(<= (* (y) (z)) 3)", true),
        ("(not (> (* (x a) (x a)) 3))", true),
        ("(or (p) (<= 1 (/ (z) (y))))", false),
        ("(forall (?v - t) (>= (+ 1 (* (z) 2 (x ?v))) 0))", true),
    ] {
        let goal = known.estimate(&domain, goal);
        let refused = robust(&goal.goal, &errors).unwrap_err();
        assert_eq!(matches!(refused.cause, NoMarginCause::Product(_)), product, "{refused:?}");
        let words = refused.words(&domain, &goal.objects, &[]);
        assert!(words.contains("has no margin"), "{words}");
    }
    // What cancels is not read, and products of exact functions are exact.
    for goal in ["(<= (- (* (y) (z)) (* (z) (y))) 3)", "(<= (+ (* (z) (z)) (y)) 3)"] {
        assert!(robust(&known.estimate(&domain, goal).goal, &errors).is_ok());
    }
}

/// With numbers for the errors, conditions say of a record what they say with errors in the state.
#[test]
fn records_are_asked_with_their_own_errors() {
    let domain = support::domain(DOMAIN);
    let errors = ErrorFunctions::of(&domain.signature);
    let mut counts = [0; 2];
    for seed in 0..2000 {
        let chance = &mut Chance::scattered(seed);
        let (known, goal) = (Known::new(chance), condition(chance, 2, &FUNCTIONS));
        let state = known.estimate(&domain, &goal);
        let mut with_margins = robust(&state.goal, &errors).unwrap();
        if let Some(gathered) =
            Region::gather(with_margins.conjuncts(), 1).filter(|_| chance.percent(50))
        {
            let parts = with_margins.conjuncts().iter().enumerate();
            let others = parts
                .filter(|(index, _)| !gathered.members.contains(*index))
                .map(|(_, part)| part.clone());
            with_margins = Condition::And(
                others.chain([Condition::Within(gathered.region.clone())]).collect(),
            );
        }
        let numbers: BTreeMap<FunctionId, Rational> = [(FunctionId(0), 1), (FunctionId(1), 2)]
            .map(|(function, quarters)| (function, Rational::new(quarters, 4).unwrap()))
            .into();
        let mut model = domain.clone();
        let effect = model.action(0usize.into()).effect.clone();
        *model.actions.value_mut(0) =
            Action { parameters: Vec::new(), precondition: with_margins.clone(), effect };
        let recorded = for_records(&model, &numbers);
        assert!(ErrorFunctions::of(&recorded.signature).is_empty());
        // Errors in the state are those of records now.
        let mut with_errors = state.clone();
        for (function, value) in &mut with_errors.values {
            if let Some(of) = errors.function_of(function.symbol) {
                *value = numbers[&of].clone();
            }
        }
        let truth = holds(&domain, &with_margins, &with_errors);
        let without = Problem {
            values: state
                .values
                .iter()
                .filter(|(f, _)| !errors.is_error(f.symbol))
                .cloned()
                .collect(),
            ..state
        };
        let found = &recorded.action(0usize.into()).precondition;
        assert_eq!(
            holds(&recorded, found, &without),
            truth,
            "seed {seed}: {goal} became {found:?}"
        );
        counts[usize::from(truth)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

/// An exact domain, and the same for estimates: preconditions with margins, errors that follow the
/// effects.
struct World {
    real: Domain,
    estimates: Domain,
    problem: Problem,
    initial: BTreeMap<FunctionId, Rational>,
}

impl World {
    fn new(chance: &mut Chance) -> World {
        const NAMES: [&str; 3] = ["u", "v", "w"];
        let mut actions = [String::new(), String::new()];
        for name in ["one", "two", "three"] {
            let conditions: Vec<String> = (0..chance.below(3))
                .map(|_| {
                    format!(
                        "({} ({}) {})",
                        chance.of(&["<=", ">="]),
                        chance.of(&NAMES),
                        chance.between(-9, 9)
                    )
                })
                .collect();
            let target = chance.below(3);
            let factors: Vec<i64> = (0..3).map(|_| *chance.of(&[0, 0, 1, -1, 2])).collect();
            let constant = chance.between(-4, 4);
            let value = format!(
                "(+ {constant} (* {} (u)) (* {} (v)) (* {} (w)))",
                factors[0], factors[1], factors[2]
            );
            // w is exact: actions that change it read nothing else.
            let effect = match target {
                2 => format!("(increase (w) {constant})"),
                _ => format!("(assign ({}) {value})", NAMES[target]),
            };
            let growth = match target {
                2 => String::new(),
                _ => format!(
                    "(increase (error-of-{}) (+ (* {} (error-of-u)) (* {} (error-of-v))))",
                    NAMES[target],
                    factors[0].abs() - i64::from(target == 0),
                    factors[1].abs() - i64::from(target == 1)
                ),
            };
            let conditions = conditions.join(" ");
            let action = |effects: &str| {
                format!(
                    "(:action {name} :parameters () :precondition (and {conditions}) :effect (and \
                     {effects}))"
                )
            };
            actions[0] += &action(&effect);
            actions[1] += &action(&format!("{effect} {growth}"));
        }
        let domain = |functions: &str, actions: &str| {
            support::domain(&format!(
                "(define (domain d) (:functions (u) (v) (w) {functions}) {actions})"
            ))
        };
        let real = domain("", &actions[0]);
        let mut estimates = domain("(error-of-u) (error-of-v)", &actions[1]);
        let errors = ErrorFunctions::of(&estimates.signature);
        for id in estimates.action_ids() {
            let action = estimates.actions.value_mut(id.index());
            action.precondition = robust(&action.precondition, &errors).unwrap();
        }
        let values: Vec<String> =
            NAMES.iter().map(|name| format!("(= ({name}) {})", chance.between(-5, 5))).collect();
        let mut goal = || {
            format!(
                "({} ({}) {})",
                chance.of(&["<=", ">=", "<", ">"]),
                chance.of(&NAMES),
                chance.between(-9, 9)
            )
        };
        let goal = format!("(and {} (or {} {}))", goal(), goal(), goal());
        let problem = problem(
            &real,
            &format!(
                "(define (problem p) (:domain d) (:init {}) (:goal {goal}))",
                values.join(" ")
            ),
        );
        let mut size = || Rational::new(chance.between(0, 4), 4).unwrap();
        let initial = [(FunctionId(0), size()), (FunctionId(1), size())].into();
        World { real, estimates, problem, initial }
    }

    /// The problem from another true initial state: each value moved by a part of its error.
    fn moved(&self, mut part: impl FnMut() -> i64) -> Problem {
        let mut problem = self.problem.clone();
        for (function, value) in &mut problem.values {
            if let Some(error) = self.initial.get(&function.symbol) {
                *value += &(error * &Rational::new(part(), 4).unwrap());
            }
        }
        problem
    }
}

/// All sequences of at most three of the actions.
fn plans(domain: &Domain) -> Vec<Plan> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..3 {
        let until = all.len();
        for shorter in from..until {
            for symbol in domain.action_ids() {
                let step = GroundAction { symbol, arguments: Default::default() };
                all.push(all[shorter].iter().cloned().chain([step]).collect());
            }
        }
        from = until;
    }
    all.into_iter().map(Plan::of).collect()
}

#[test]
fn plans_for_an_adapted_problem_work_from_every_true_initial_state() {
    let (mut valid, mut fragile) = (0, 0);
    for seed in 0..300 {
        let chance = &mut Chance::scattered(seed);
        let world = World::new(chance);
        let adapted = adapt(&world.estimates, &world.problem, &world.initial).unwrap().problem;
        assert!(matches!(Gap::of(&world.estimates, &world.problem), Some(Gap::NoErrors(_))));
        assert_eq!(Gap::of(&world.estimates, &adapted), None);
        for plan in plans(&world.estimates) {
            let works = |domain: &Domain, problem: &Problem| {
                matches!(
                    validate(domain, problem, &plan, &Rational::ZERO),
                    PlanVerdict::Valid { .. }
                )
            };
            if !works(&world.estimates, &adapted) {
                fragile += usize::from(works(&world.real, &world.problem));
                continue;
            }
            valid += 1;
            let corners = [[4, 4], [4, -4], [-4, 4], [-4, -4]];
            for corner in corners
                .into_iter()
                .chain((0..4).map(|_| [chance.between(-4, 4), chance.between(-4, 4)]))
            {
                let mut parts = corner.into_iter();
                let problem = world.moved(|| parts.next().unwrap_or(0));
                let writer = Writer::new(&world.real, &problem.objects);
                let steps: Vec<String> =
                    plan.steps.iter().map(|step| writer.ground_action(&step.action)).collect();
                assert!(
                    works(&world.real, &problem),
                    "seed {seed}: {steps:?} in {}",
                    write_domain(&world.real)
                );
            }
        }
    }
    assert!(valid > 1000 && fragile > 100, "{valid} valid, {fragile} for the estimate alone");
}

/// A step that is allowed in a record works in every true state that fits, and leads to where the
/// model says, within what it promises.
#[test]
fn steps_from_records_lead_to_within_what_is_promised() {
    let (mut allowed, mut tight) = (0, 0);
    for seed in 0..600 {
        let chance = &mut Chance::scattered(seed);
        let world = World::new(chance);
        let for_records = for_records(&world.estimates, &world.initial);
        let promised = Promised::of(&world.estimates, &world.initial);
        for symbol in world.real.action_ids() {
            let step = GroundAction { symbol, arguments: Default::default() };
            let after = |domain: &Domain, problem: &Problem| {
                let mut universe = Universe::default();
                let state = problem.initial_state(&mut universe);
                let next = Semantics::new(domain, &problem.objects)
                    .successor(&step, &mut universe, &state)
                    .ok()?;
                Some(
                    (0..3)
                        .map(|id: usize| next.value(id.into()).unwrap().clone())
                        .collect::<Vec<_>>(),
                )
            };
            let Some(told) = after(&for_records, &world.problem) else { continue };
            allowed += 1;
            for corner in [[4, 4], [4, -4], [-4, 4], [-4, -4], [1, -3]] {
                let mut parts = corner.into_iter();
                let problem = world.moved(|| parts.next().unwrap_or(0));
                let truth = after(&world.real, &problem)
                    .unwrap_or_else(|| panic!("seed {seed}: a step fails"));
                for (index, (told, truth)) in told.iter().zip(&truth).enumerate() {
                    let function =
                        GroundFunction { symbol: index.into(), arguments: Default::default() };
                    let bound = promised.after(&step, &function).unwrap();
                    let off = (told - truth).abs();
                    assert!(off <= bound, "seed {seed}: off by {off}, {bound} was promised");
                    tight += usize::from(off == bound && !off.is_zero());
                }
            }
        }
    }
    assert!(allowed > 500 && tight > 500, "{allowed} allowed, {tight} as far off as promised");
}
