//! Conditions with few digits: rounded so that what the short one admits, the exact one admits, where bounds allow it.
//!
//! A linear inequality `Σ aᵢ xᵢ + c ≥ 0` is first scaled to coprime integers, which is exact and often short enough. Otherwise
//! the coefficients are cut to `aᵢ'`, and `c` is lowered by the most that `(aᵢ' - aᵢ) xᵢ` can be, which needs a bound of `xᵢ` on
//! one side. Bounds are taken from the conjunction that the inequality stands in. Where there is none, and in equations and
//! products of functions, numbers become the nearest short ones: that may admit more, or less, than the original.

use std::collections::BTreeMap;

use surefoot::exact::{Rational, Rounding, Row};
use surefoot::model::{Comparison, Condition, Expression, LiftedFunction};

/// Whether a number has at most so many digits.
pub fn is_short(number: &Rational, digits: u32) -> bool {
    number.with_digits(digits, Rounding::Nearest) == *number
}

/// Whether all numbers of an expression have at most so many digits.
pub fn has_short_numbers(expression: &Expression, digits: u32) -> bool {
    let all = |parts: &[Expression]| parts.iter().all(|part| has_short_numbers(part, digits));
    match expression {
        Expression::Number(number) => is_short(number, digits),
        Expression::Function(_) | Expression::TotalTime => true,
        Expression::Sum(parts) | Expression::Product(parts) => all(parts),
        Expression::Difference(sides) | Expression::Quotient(sides) => all(&**sides),
        Expression::Negation(inner) => has_short_numbers(inner, digits),
    }
}

/// `constant + Σ coefficient · function`.
#[derive(Clone, Default)]
struct Linear {
    constant: Option<Rational>,
    coefficients: BTreeMap<LiftedFunction, Rational>,
}

impl Linear {
    fn of(expression: &Expression) -> Option<Linear> {
        Some(match expression {
            Expression::Number(number) => Linear { constant: Some(number.clone()), ..Linear::default() },
            Expression::Function(function) => {
                Linear { constant: None, coefficients: BTreeMap::from([(function.clone(), Rational::ONE)]) }
            }
            Expression::Sum(terms) => {
                let mut sum = Linear::default();
                for term in terms {
                    sum = sum.plus(&Linear::of(term)?, &Rational::ONE);
                }
                sum
            }
            Expression::Difference(sides) => Linear::difference(sides)?,
            Expression::Negation(inner) => Linear::default().plus(&Linear::of(inner)?, &Rational::integer(-1)),
            Expression::Product(factors) => {
                let (mut scale, mut varying) = (Rational::ONE, None);
                for factor in factors {
                    let factor = Linear::of(factor)?;
                    if factor.coefficients.is_empty() {
                        scale = &scale * &factor.constant();
                    } else if varying.replace(factor).is_some() {
                        return None;
                    }
                }
                let one = || Linear { constant: Some(Rational::ONE), ..Linear::default() };
                Linear::default().plus(&varying.unwrap_or_else(one), &scale)
            }
            Expression::Quotient(sides) => {
                let divisor = Linear::of(&sides[1])?;
                let scale = divisor.coefficients.is_empty().then(|| divisor.constant().recip()).flatten()?;
                Linear::default().plus(&Linear::of(&sides[0])?, &scale)
            }
            Expression::TotalTime => return None,
        })
    }

    fn difference(sides: &[Expression; 2]) -> Option<Linear> {
        Some(Linear::of(&sides[0])?.plus(&Linear::of(&sides[1])?, &Rational::integer(-1)))
    }

    fn constant(&self) -> Rational {
        self.constant.clone().unwrap_or(Rational::ZERO)
    }

    fn plus(mut self, other: &Linear, scale: &Rational) -> Linear {
        self.constant = Some(&self.constant() + &(&other.constant() * scale));
        for (function, coefficient) in &other.coefficients {
            let place = self.coefficients.entry(function.clone()).or_insert(Rational::ZERO);
            *place = &*place + &(coefficient * scale);
        }
        self
    }
}

/// What a conjunction says about the size of functions.
#[derive(Clone, Default)]
pub struct Bounds(BTreeMap<LiftedFunction, (Option<Rational>, Option<Rational>)>);

impl Bounds {
    /// Reads the conditions on one function alone.
    pub fn of(condition: &Condition) -> Bounds {
        let mut bounds = Bounds::default();
        bounds.read(condition);
        bounds
    }

    fn read(&mut self, condition: &Condition) {
        match condition {
            Condition::And(parts) => parts.iter().for_each(|part| self.read(part)),
            Condition::Compare(comparison, sides) => {
                let Some(linear) = Linear::difference(sides) else { return };
                let mut functions = linear.coefficients.iter().filter(|(_, coefficient)| !coefficient.is_zero());
                let (Some((function, coefficient)), None) = (functions.next(), functions.next()) else { return };
                // a x + c ⋈ 0, so x is bounded by -c / a.
                let Some(limit) = (-&linear.constant()).checked_div(coefficient) else { return };
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

/// A comparison with short numbers, and whether it means the same. It implies the given one within `bounds` as far as it can be
/// told; with `outward`, the given one implies it. `None`: it is not linear.
pub fn shortened(
    comparison: Comparison,
    sides: &[Expression; 2],
    bounds: &Bounds,
    digits: u32,
    outward: bool,
) -> Option<(Condition, bool)> {
    let mut linear = Linear::difference(sides)?;
    linear.coefficients.retain(|_, coefficient| !coefficient.is_zero());
    // From here on: the form is greater than (or equal to) zero.
    let turned = matches!(comparison, Comparison::Less | Comparison::LessOrEqual) != outward && comparison != Comparison::Equal;
    if turned {
        linear = Linear::default().plus(&linear, &Rational::integer(-1));
    }
    let (functions, coefficients): (Vec<_>, Vec<_>) = linear.coefficients.iter().unzip();
    let entries: Vec<Rational> = std::iter::once(linear.constant()).chain(coefficients.into_iter().cloned()).collect();
    let row = Row::direction(&entries);
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

fn sum<'a>(terms: impl Iterator<Item = (&'a LiftedFunction, &'a Rational)>) -> Expression {
    let term = |(function, coefficient): (&LiftedFunction, &Rational)| {
        let function = Expression::Function(function.clone());
        if *coefficient == Rational::ONE {
            return function;
        }
        Expression::Product(vec![Expression::Number(coefficient.clone()), function])
    };
    let mut terms: Vec<_> = terms.map(term).collect();
    match terms.len() {
        0 => Expression::Number(Rational::ZERO),
        1 => terms.remove(0),
        _ => Expression::Sum(terms),
    }
}
