//! Numbers with very many digits: whoever decides a step says what the semantics say, and says it
//! in time.

use std::collections::{HashSet, VecDeque};

use crate::chance::Chance;
use crate::learning::for_seeds;
use surefoot_base::exact::Rational;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::{BITS, Fault, Inapplicable, Semantics};
use surefoot_base::model::{Domain, GroundAction, Problem, State, Universe};
use surefoot_plan::blocked;

/// Two to a power.
fn power(exponent: usize) -> Rational {
    let (mut result, mut base, mut left) = (Rational::ONE, Rational::integer(2), exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = &result * &base;
        }
        left /= 2;
        if left > 0 {
            base = &base * &base;
        }
    }
    result
}

fn number(text: &str) -> Rational {
    crate::learning::number(text)
}

/// A task over the functions a, b, c, which have no values before they are given some.
fn task(precondition: &str, effect: &str) -> (Domain, Problem) {
    let domain = crate::support::domain(&format!(
        "(define (domain digits) (:predicates (p)) (:functions (a) (b) (c))
           (:action act :parameters () :precondition (and {precondition}) :effect (and {effect})))"
    ));
    let problem = crate::support::problem(
        &domain,
        "(define (problem one) (:domain digits) (:init) (:goal (p)))",
    );
    (domain, problem)
}

fn state(domain: &Domain, values: &[(&str, Rational)]) -> (Universe, State) {
    let mut universe = Universe::default();
    let mut state = State::default();
    for (name, value) in values {
        let function = surefoot_base::model::GroundFunction {
            symbol: domain.signature.functions.find(name).unwrap().into(),
            arguments: Default::default(),
        };
        state.set_value(universe.value(&function), value.clone());
    }
    (universe, state)
}

/// What the semantics and the compiled form say of the only step; they must agree.
#[track_caller]
fn decided(
    domain: &Domain,
    problem: &Problem,
    values: &[(&str, Rational)],
) -> Result<(), Inapplicable> {
    let (mut universe, state) = state(domain, values);
    let step = GroundAction { symbol: 0usize.into(), arguments: Default::default() };
    let said = Semantics::new(domain, &problem.objects).applicable(&step, &universe, &state);
    let compiled = Compiled::new(domain);
    let mut checker = Checker::new(&compiled, &problem.objects);
    let id = checker.step(&step, &mut universe);
    // Twice: what is remembered of the first time must not change the answer.
    for _ in 0..2 {
        assert_eq!(checker.applicable(id, &universe, &state), said.is_ok(), "{said:?}");
        assert_eq!(checker.held(id, &universe, &state).all(), said.is_ok(), "{said:?}");
    }
    said
}

fn is_too_large(said: &Result<(), Inapplicable>) -> bool {
    match said {
        Err(Inapplicable::Effect(Fault::TooLarge)) => true,
        Err(Inapplicable::Precondition(violations)) => violations.iter().any(|violation| {
            violation.cause
                == surefoot_base::model::semantics::ViolationCause::Fault(Fault::TooLarge)
        }),
        _ => false,
    }
}

/// On both sides of the bound, for a product, a sum, and an effect of each kind.
#[test]
fn a_value_of_too_many_bits_makes_a_compiled_step_inapplicable_as_it_does_in_the_semantics() {
    let half = BITS / 2;
    for (precondition, effect, fits, too_many) in [
        // 2^n has n + 1 bits.
        ("(>= (* (a) (a)) 0)", "(p)", half - 1, half),
        ("(>= (+ (a) (a)) 0)", "(p)", BITS - 2, BITS - 1),
        ("(<= (- (- (a)) (a)) 0)", "(p)", BITS - 2, BITS - 1),
        // Cancels, but on the way it is too large.
        ("(= (- (* (a) (a)) (* (a) (a))) 0)", "(p)", half - 1, half),
        ("", "(assign (b) (* (a) (a)))", half - 1, half),
        ("", "(increase (a) (a))", BITS - 2, BITS - 1),
        ("", "(scale-up (a) (a))", half - 1, half),
        ("(>= (a) 1)", "(decrease (b) (* (a) (a)))", half - 1, half),
    ] {
        let (domain, problem) = task(precondition, effect);
        for (exponent, expected) in [(fits, true), (too_many, false)] {
            let said = decided(&domain, &problem, &[("a", power(exponent)), ("b", Rational::ZERO)]);
            assert_eq!(
                said.is_ok(),
                expected,
                "{precondition} {effect} with 2^{exponent}: {said:?}"
            );
            assert_eq!(
                is_too_large(&said),
                !expected,
                "{precondition} {effect} with 2^{exponent}: {said:?}"
            );
        }
    }
}

/// What is read but not computed with may have any number of digits.
#[test]
fn a_value_that_is_only_compared_is_never_too_large() {
    let (domain, problem) = task("(>= (a) 3)", "(p)");
    let values = [("a", power(BITS + 100))];
    assert_eq!(decided(&domain, &problem, &values), Ok(()));
}

fn expression(random: &mut Chance, depth: usize) -> String {
    if depth == 0 || random.percent(25) {
        return (*random.of(&["(a)", "(b)", "(c)", "(a)", "(b)", "2", "-1/3", "0"]))
            .replace("-1/3", "(- 0.25)");
    }
    let mut part = || expression(random, depth - 1);
    let (one, other, third) = (part(), part(), part());
    match random.below(7) {
        0 => format!("(+ {one} {other})"),
        1 => format!("(+ {one} {other} {third})"),
        2 | 3 => format!("(* {one} {other})"),
        4 => format!("(- {one} {other})"),
        5 => format!("(- {one})"),
        _ => format!("(/ {one} 4)"),
    }
}

/// Random conditions and effects over random values, some a few bits from the bound.
#[test]
fn compiled_steps_agree_with_the_semantics_whatever_the_number_of_digits() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (fine, large) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_seeds(24, |seed| {
        let mut random = Chance::new(seed);
        let mut conditions = String::new();
        for _ in 0..random.below(3) {
            let (one, other) = (expression(&mut random, 2), expression(&mut random, 1));
            let comparison = *random.of(&[">=", "<=", ">", "<"]);
            conditions += &match random.below(4) {
                0 => format!("(not ({comparison} {one} {other})) "),
                1 => format!("(or (p) ({comparison} {one} {other})) "),
                _ => format!("({comparison} {one} {other}) "),
            };
        }
        let mut effects = "(p) ".to_owned();
        for name in ["a", "b", "c"].into_iter().take(random.below(4)) {
            let operator =
                *random.of(&["assign", "increase", "decrease", "scale-up", "scale-down"]);
            effects += &format!("({operator} ({name}) {}) ", expression(&mut random, 2));
        }
        let (domain, problem) = task(&conditions, &effects);
        for _ in 0..4 {
            let mut values = Vec::new();
            for name in ["a", "b", "c"] {
                let part = [BITS, BITS / 2, BITS / 2, BITS / 3, BITS / 4, 64, 20][random.below(7)];
                let exponent = (part as i64 + random.between(-3, 2)).max(0) as usize;
                let mut value = power(exponent);
                match random.below(4) {
                    0 => value = -&value,
                    1 => value = value.recip().unwrap(),
                    2 => value = &value - &Rational::ONE,
                    _ => {}
                }
                if random.percent(95) {
                    values.push((name, value));
                }
            }
            let said = decided(&domain, &problem, &values);
            fine.fetch_add(usize::from(said.is_ok()), Ordering::Relaxed);
            large.fetch_add(usize::from(is_too_large(&said)), Ordering::Relaxed);
        }
    });
    let (fine, large) = (fine.into_inner(), large.into_inner());
    assert!(
        fine >= 15 && large >= 15,
        "{fine} can be taken, {large} are too large: the law says nothing"
    );
}

/// Ten to the 4000th: a number that a problem may hold, and larger than those a search goes on
/// with.
fn googol() -> String {
    format!("1{}", "0".repeat(4000))
}

fn names(domain: &Domain, problem: &Problem) -> Vec<String> {
    blocked(domain, problem)
        .unwrap()
        .iter()
        .map(|blocked| domain.action_name(blocked.action).to_owned())
        .collect()
}

/// `far` needs fourteen squarings; a search gives up on numbers after thirteen.
#[test]
fn an_action_that_needs_more_digits_than_a_search_goes_on_with_is_not_called_impossible() {
    let text = format!(
        "(define (domain d) (:predicates (p) (q)) (:functions (x))
           (:action square :parameters () :effect (assign (x) (* (x) (x))))
           (:action far :parameters () :precondition (>= (x) {}) :effect (p))
           (:action never :parameters () :precondition (and (q) (>= (x) 0)) :effect (p)))",
        googol()
    );
    let domain = crate::support::domain(&text);
    let problem = crate::support::problem(
        &domain,
        "(define (problem one) (:domain d) (:init (= (x) 2)) (:goal (p)))",
    );
    let plan = crate::support::plan(&domain, &problem, &("(square)\n".repeat(14) + "(far)\n"));
    let verdict = surefoot_base::validate::validate(&domain, &problem, &plan, &Rational::ZERO);
    assert!(matches!(verdict, surefoot_base::validate::PlanVerdict::Valid { .. }), "{verdict:?}");
    assert_eq!(names(&domain, &problem), ["never"]);
}

/// The only step makes a number that a search does not go on with.
#[test]
fn an_action_whose_effect_has_many_digits_is_not_called_impossible() {
    let domain = crate::support::domain(
        "(define (domain d) (:predicates (p)) (:functions (y))
           (:action twice :parameters () :precondition (not (p)) :effect (and (p) (assign (y) (* \
         (y) (y)))))
           (:action after :parameters () :precondition (p) :effect (assign (y) 0)))",
    );
    let text = format!(
        "(define (problem one) (:domain d) (:init (= (y) {})) (:goal (and (p) (= (y) 0))))",
        googol()
    );
    let problem = crate::support::problem(&domain, &text);
    assert_eq!(names(&domain, &problem), [""; 0]);
}

/// Whatever can be taken within a few steps by the semantics is not called impossible, and what an
/// action is said to lack it lacks.
#[test]
fn what_is_called_impossible_is_so_by_the_semantics_whatever_the_number_of_digits() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (listed, not) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_seeds(30, |seed| {
        let mut random = Chance::new(seed);
        let mut text =
            "(define (domain d) (:predicates (p) (q)) (:functions (a) (b) (c))\n".to_owned();
        for index in 0..3 {
            let huge = googol();
            let bound = *random.of(&["2", "1000000", "123456789012345678901", &*huge]);
            let mut condition = String::new();
            if random.percent(60) {
                condition += &format!(
                    "({} {} {bound})",
                    random.of(&[">=", "<="]),
                    random.of(&["(a)", "(b)", "(* (a) (b))"])
                );
            }
            if random.percent(25) {
                condition += *random.of::<&str>(&["(p)", "(q)", "(not (p))"]);
            }
            let mut effect = (*random.of(&["", "(p)", "(not (p))"])).to_owned();
            for name in ["a", "b"].into_iter().take(1 + random.below(2)) {
                let value = *random.of(&[
                    "(* (a) (b))",
                    "(* (b) (b))",
                    "(* (a) (a) (a))",
                    "(c)",
                    "3",
                    "(- (a) (b))",
                ]);
                effect += &format!(
                    "({} ({name}) {value})",
                    random.of(&["assign", "assign", "increase", "scale-up"])
                );
            }
            text += &format!(
                "(:action act{index} :parameters () :precondition (and {condition}) :effect (and \
                 {effect}))\n"
            );
        }
        let domain = crate::support::domain(&(text + ")"));
        let values = ["2", "-3", "0.5", "123456789123456789123456789"];
        let (a, b) = (*random.of(&values), *random.of(&values));
        let c = if random.percent(50) { googol() } else { "7".to_owned() };
        let text = format!(
            "(define (problem one) (:domain d) (:init (= (a) {a}) (= (b) {b}) (= (c) {c})) (:goal \
             (q)))"
        );
        let problem = crate::support::problem(&domain, &text);
        let semantics = Semantics::new(&domain, &problem.objects);
        let mut universe = Universe::default();
        let initial = problem.initial_state(&mut universe);
        let mut taken = HashSet::new();
        let mut open = VecDeque::from([(initial.clone(), 0)]);
        let mut met: HashSet<String> = HashSet::new();
        while let Some((state, depth)) = open.pop_front() {
            for symbol in domain.action_ids() {
                let step = GroundAction { symbol, arguments: Default::default() };
                let Ok(next) = semantics.successor(&step, &mut universe, &state) else { continue };
                taken.insert(symbol);
                let small = next.values().all(|(_, value)| value.bits() < 60_000);
                if small && depth < 12 && met.len() < 150 && met.insert(format!("{next:?}")) {
                    open.push_back((next, depth + 1));
                }
            }
        }
        let found = blocked(&domain, &problem).unwrap();
        for blocked in &found {
            let name = domain.action_name(blocked.action);
            assert!(
                !taken.contains(&blocked.action),
                "{name} can be taken\n{}",
                surefoot_base::pddl::write_domain(&domain)
            );
            let Some(nearest) = &blocked.nearest else { continue };
            let mut state = initial.clone();
            for step in &nearest.after {
                state = semantics
                    .successor(step, &mut universe, &state)
                    .expect("a step that can be taken");
            }
            let said = semantics.applicable(&nearest.step, &universe, &state);
            assert_eq!(said, Err(nearest.reason.clone()));
        }
        listed.fetch_add(found.len(), Ordering::Relaxed);
        not.fetch_add(taken.len(), Ordering::Relaxed);
    });
    let (listed, not) = (listed.into_inner(), not.into_inner());
    assert!(listed >= 10 && not >= 20, "{listed} listed, {not} taken: the law says nothing");
}

/// A number of many digits is read back as it is written.
#[test]
fn the_bound_is_on_bits_not_on_the_digits_of_a_file() {
    assert_eq!(number(&googol()).bits(), 13_288);
    assert_eq!(power(BITS - 1).bits(), BITS);
}
