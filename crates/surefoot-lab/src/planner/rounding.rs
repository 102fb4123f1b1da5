//! Conditions with few digits: rounded so that what the short one admits, the exact one admits,
//! where bounds allow it.
//!
//! A linear inequality `Σ aᵢ xᵢ + c ≥ 0` is first scaled to coprime integers, which is exact and
//! often short enough. Otherwise the coefficients are cut to `aᵢ'`, and `c` is lowered by the most
//! that `(aᵢ' - aᵢ) xᵢ` can be, which needs a bound of `xᵢ` on one side. Bounds are taken from the
//! conjunction that the inequality stands in. Where there is none, and in equations and products of
//! functions, numbers become the nearest short ones: that may admit more, or less, than the
//! original.

use std::collections::BTreeMap;

use surefoot_base::exact::{Rational, Rounding, Row};
use surefoot_base::model::{Comparison, Condition, Expression, LiftedFunction, Polynomial};

/// Whether a number has at most so many digits.
pub fn is_short(number: &Rational, digits: u32) -> bool {
    number.with_digits(digits, Rounding::Nearest) == *number
}

/// Whether all numbers of an expression have at most so many digits.
pub fn has_short_numbers(expression: &Expression, digits: u32) -> bool {
    match expression {
        Expression::Number(number) => is_short(number, digits),
        Expression::Function(_) | Expression::TotalTime => true,
        Expression::Sum(parts) | Expression::Product(parts) => have_short_numbers(parts, digits),
        Expression::Difference(sides) | Expression::Quotient(sides) => {
            have_short_numbers(&**sides, digits)
        }
        Expression::Negation(inner) => has_short_numbers(inner, digits),
    }
}

fn have_short_numbers(parts: &[Expression], digits: u32) -> bool {
    parts.iter().all(|part| has_short_numbers(part, digits))
}

/// The difference of two sides as a constant and the coefficients of functions, none of them zero;
/// `None` where it is not linear, or reads a function whose terms cancel.
fn linear(sides: &[Expression; 2]) -> Option<(Rational, BTreeMap<LiftedFunction, Rational>)> {
    let difference = Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?)?;
    let constant = difference.constant_term();
    let coefficients: BTreeMap<LiftedFunction, Rational> = difference
        .terms
        .into_iter()
        .filter(|(factors, _)| !factors.is_empty())
        .map(|(factors, coefficient)| {
            Some((<[LiftedFunction; 1]>::try_from(factors).ok()?, coefficient))
        })
        .map(|term| term.map(|([function], coefficient)| (function, coefficient)))
        .collect::<Option<_>>()?;
    (coefficients.len() == difference.mentioned.len()).then_some((constant, coefficients))
}

/// What a conjunction says about the size of functions.
#[derive(Clone, Default)]
pub struct FunctionBounds(BTreeMap<LiftedFunction, (Option<Rational>, Option<Rational>)>);

impl FunctionBounds {
    /// Reads the conditions on one function alone.
    pub fn of(condition: &Condition) -> FunctionBounds {
        let mut bounds = FunctionBounds::default();
        bounds.read(condition);
        bounds
    }

    fn read(&mut self, condition: &Condition) {
        match condition {
            Condition::And(parts) => parts.iter().for_each(|part| self.read(part)),
            Condition::Compare(comparison, sides) => {
                let Some((constant, coefficients)) = linear(sides) else { return };
                let mut functions = coefficients.iter();
                let (Some((function, coefficient)), None) = (functions.next(), functions.next())
                else {
                    return;
                };
                // a x + c ⋈ 0, so x is bounded by -c / a.
                let Some(limit) = (-&constant).checked_div(coefficient) else { return };
                let (lower, upper) = match (comparison, coefficient.signum() > 0) {
                    (Comparison::Equal, _) => (true, true),
                    (Comparison::Greater | Comparison::GreaterOrEqual, true) => (true, false),
                    (Comparison::Less | Comparison::LessOrEqual, false) => (true, false),
                    _ => (false, true),
                };
                let (low, high) = self.0.entry(function.clone()).or_default();
                if lower && low.as_ref().is_none_or(|low| limit > *low) {
                    *low = Some(limit.clone());
                }
                if upper && high.as_ref().is_none_or(|high| limit < *high) {
                    *high = Some(limit);
                }
            }
            _ => {}
        }
    }

    fn get(&self, function: &LiftedFunction) -> (Option<&Rational>, Option<&Rational>) {
        self.0.get(function).map_or((None, None), |(low, high)| (low.as_ref(), high.as_ref()))
    }
}

/// A comparison with short numbers, and whether it means the same. It implies the given one within
/// `bounds` as far as it can be told; with `outward`, the given one implies it. `None`: it is not
/// linear.
pub fn shortened(
    comparison: Comparison,
    sides: &[Expression; 2],
    bounds: &FunctionBounds,
    digits: u32,
    outward: bool,
) -> Option<(Condition, bool)> {
    let (constant, coefficients) = linear(sides)?;
    // From here on: the form is greater than (or equal to) zero.
    let turned = matches!(comparison, Comparison::Less | Comparison::LessOrEqual) != outward
        && comparison != Comparison::Equal;
    let functions: Vec<&LiftedFunction> = coefficients.keys().collect();
    let entries: Vec<Rational> =
        std::iter::once(&constant).chain(coefficients.values()).cloned().collect();
    let row = Row::direction(&entries);
    let row = if turned { row.negated() } else { row };
    let exact: Vec<Rational> = (0..entries.len()).map(|index| row.entry(index)).collect();
    let is_exact = exact.iter().all(|entry| is_short(entry, digits));
    let mut short = exact.clone();
    if comparison == Comparison::Equal {
        short.iter_mut().for_each(|entry| *entry = entry.with_digits(digits, Rounding::Nearest));
    } else if !is_exact {
        for (index, function) in functions.iter().enumerate() {
            let (low, high) = bounds.get(function);
            let rounding = match (low, high) {
                (Some(_), None) => Rounding::Down,
                (None, Some(_)) => Rounding::Up,
                _ => Rounding::Nearest,
            };
            let cut = exact[index + 1].with_digits(digits, rounding);
            let error = &exact[index + 1] - &cut;
            let least = [low, high].into_iter().flatten().map(|bound| &error * bound).min();
            short[0] = &short[0] + &least.unwrap_or(Rational::ZERO);
            short[index + 1] = cut;
        }
        short[0] = short[0].with_digits(digits, Rounding::Down);
    }
    let left = sum(functions.into_iter().zip(&short[1..]));
    let right = Expression::Number(-&short[0]);
    let strict = matches!(comparison, Comparison::Less | Comparison::Greater) != outward;
    let comparison = match (comparison, strict, outward) {
        (Comparison::Equal, ..) => Comparison::Equal,
        // The complement was rounded inward; its complement is what is asked for.
        (_, true, true) => Comparison::LessOrEqual,
        (_, false, true) => Comparison::Less,
        (_, true, false) => Comparison::Greater,
        (_, false, false) => Comparison::GreaterOrEqual,
    };
    Some((Condition::Compare(comparison, Box::new([left, right])), is_exact))
}

fn term(function: &LiftedFunction, coefficient: &Rational) -> Expression {
    let function = Expression::Function(function.clone());
    if *coefficient == Rational::ONE {
        return function;
    }
    Expression::Product(vec![Expression::Number(coefficient.clone()), function])
}

fn sum<'a>(terms: impl Iterator<Item = (&'a LiftedFunction, &'a Rational)>) -> Expression {
    let mut terms: Vec<_> =
        terms.map(|(function, coefficient)| term(function, coefficient)).collect();
    match terms.len() {
        0 => Expression::Number(Rational::ZERO),
        1 => terms.remove(0),
        _ => Expression::Sum(terms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_base::model::semantics::Semantics;
    use surefoot_base::model::{Domain, GroundFunction, Problem, Universe};
    use surefoot_base::pddl::{Numbers, Source, Writer, read_domain, read_problem};

    const DOMAIN: &str = "(define (domain d) (:predicates (p)) (:functions (x) (y)) (:action a \
                          :parameters () :effect (p)))";

    fn problem(domain: &Domain, goal: &str) -> Problem {
        let text =
            format!("(define (problem q) (:domain d) (:init (= (x) 0) (= (y) 0)) (:goal {goal}))");
        read_problem(&Source::new("q", text), domain, Numbers::Exact).unwrap()
    }

    fn domain() -> Domain {
        read_domain(&Source::new("d", DOMAIN.to_owned())).unwrap()
    }

    /// The last part of a conjunction, shortened within the bounds that the whole gives.
    fn short(goal: &str, digits: u32, outward: bool) -> (Condition, Condition, bool) {
        let domain = domain();
        let goal = problem(&domain, goal).goal;
        let Condition::And(parts) = &goal else { panic!() };
        let Some(Condition::Compare(comparison, sides)) = parts.last() else { panic!() };
        let (short, exact) =
            shortened(*comparison, sides, &FunctionBounds::of(&goal), digits, outward).unwrap();
        (parts.last().unwrap().clone(), short, exact)
    }

    fn text(condition: &Condition) -> String {
        let domain = domain();
        Writer::new(&domain, &domain.signature.constants).condition(condition)
    }

    /// Decides whether conditions hold for given thousandths.
    struct ThousandthsJudge {
        domain: Domain,
        problem: Problem,
    }

    impl ThousandthsJudge {
        fn holds(&self, condition: &Condition, x: i64, y: i64) -> bool {
            let mut universe = Universe::default();
            let mut state = self.problem.initial_state(&mut universe);
            for (index, value) in [x, y].into_iter().enumerate() {
                let function =
                    GroundFunction { symbol: index.into(), arguments: Default::default() };
                state.set_value(universe.value(&function), Rational::new(value, 1000).unwrap());
            }
            Semantics::new(&self.domain, &self.problem.objects)
                .holds(condition, &universe, &state)
                .unwrap()
        }
    }

    #[test]
    fn scaling_makes_fractions_whole() {
        let (_, short, exact) = short("(and (>= (* (/ 1 3) (x)) (+ (/ 1 7) (y))))", 3, false);
        assert!(exact);
        assert_eq!(text(&short), "(>= (+ (* 7 (x)) (* -21 (y))) 3)");
    }

    #[test]
    fn equations_become_the_nearest() {
        let (_, short, exact) = short("(and (= (* 3.14159 (x)) 1))", 3, false);
        assert!(!exact);
        assert_eq!(text(&short), "(= (* 314000 (x)) 100000)");
    }

    /// Points near the edge of the condition, where rounding shows.
    fn near_the_edge() -> impl Iterator<Item = (i64, i64)> {
        (0..=10_000).step_by(50).flat_map(|x| {
            (-40..=40).step_by(4).map(move |off| (x, (x * 1_234_567 / 7_654_321) + off))
        })
    }

    #[test]
    fn what_the_short_condition_admits_the_exact_one_admits() {
        let judge = ThousandthsJudge { problem: problem(&domain(), "(and)"), domain: domain() };
        for relation in [">=", ">", "<=", "<"] {
            for bounds in [
                "(>= (x) 0) (<= (x) 10) (>= (y) -1) (<= (y) 10)",
                "(>= (x) 0) (>= (y) -1)",
                "(<= (x) 10) (<= (y) 10)",
            ] {
                let goal = format!("(and {bounds} ({relation} (* 7.654321 (y)) (* 1.234567 (x))))");
                let (exact, inward, same) = short(&goal, 3, false);
                let (_, outward, _) = short(&goal, 3, true);
                assert!(!same);
                let (mut admitted, mut refused) = (0, 0);
                for (x, y) in near_the_edge() {
                    assert!(
                        !judge.holds(&inward, x, y) || judge.holds(&exact, x, y),
                        "{} at {x} {y}",
                        text(&inward)
                    );
                    assert!(
                        !judge.holds(&exact, x, y) || judge.holds(&outward, x, y),
                        "{} at {x} {y}",
                        text(&outward)
                    );
                    admitted += usize::from(judge.holds(&inward, x, y));
                    refused += usize::from(!judge.holds(&outward, x, y));
                }
                // Neither is empty words.
                assert!(
                    admitted > 0 && refused > 0,
                    "{goal}: {} {}",
                    text(&inward),
                    text(&outward)
                );
            }
        }
    }
}
