//! Numeric expressions over the variables of a ground task, as polynomials where they have that
//! form.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::ids::VariableId;
use super::number::{NumberTable, StateValues};
use surefoot_base::exact::Rational;

/// A product of variables, sorted; a variable may repeat.
pub type GroundMonomial = SmallVec<[VariableId; 2]>;

/// A sum of monomials, sorted, each once. A term with the factor zero is kept where a variable of
/// it may be undefined, for then so is the sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GroundPolynomial {
    /// Monomials (not the empty one) and their factors.
    pub terms: Vec<(GroundMonomial, Rational)>,
    /// What is added to them.
    pub constant: Rational,
}

impl GroundPolynomial {
    /// A constant polynomial.
    pub fn constant(number: Rational) -> Self {
        GroundPolynomial { terms: Vec::new(), constant: number }
    }

    /// A single variable.
    pub fn variable(variable: VariableId) -> Self {
        GroundPolynomial {
            terms: vec![(SmallVec::from_slice(&[variable]), Rational::ONE)],
            constant: Rational::ZERO,
        }
    }

    /// The number it is, when it mentions no variable.
    pub fn as_constant(&self) -> Option<&Rational> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// Whether no monomial has two factors.
    pub fn is_linear(&self) -> bool {
        self.terms.iter().all(|(monomial, _)| monomial.len() == 1)
    }

    /// The sum; terms that cancel go where all their variables are `defined`.
    pub fn plus(&self, other: &Self, defined: &dyn Fn(VariableId) -> bool) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (Some(one), Some(two)) => one.0.cmp(&two.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let term = match order {
                Ordering::Less => left.next().cloned(),
                Ordering::Greater => right.next().cloned(),
                Ordering::Equal => {
                    left.next().zip(right.next()).map(|(one, two)| (one.0.clone(), &one.1 + &two.1))
                }
            };
            terms.extend(term.filter(|(monomial, factor)| {
                !factor.is_zero() || !monomial.iter().all(|&v| defined(v))
            }));
        }
        GroundPolynomial { terms, constant: &self.constant + &other.constant }
    }

    /// The product with a number.
    pub fn times(&self, number: &Rational, defined: &dyn Fn(VariableId) -> bool) -> Self {
        let terms = self.terms.iter().map(|(monomial, factor)| (monomial.clone(), factor * number));
        let kept = terms.filter(|(monomial, factor)| {
            !factor.is_zero() || !monomial.iter().all(|&v| defined(v))
        });
        GroundPolynomial { terms: kept.collect(), constant: &self.constant * number }
    }

    /// The product of two polynomials.
    pub fn product(&self, other: &Self, defined: &dyn Fn(VariableId) -> bool) -> Self {
        let mut sum = self.times(&other.constant, defined);
        for (monomial, factor) in &other.terms {
            let mut terms: Vec<(GroundMonomial, Rational)> =
                Vec::with_capacity(self.terms.len() + 1);
            for (mine, weight) in &self.terms {
                let mut joint: GroundMonomial = mine.iter().chain(monomial).copied().collect();
                joint.sort_unstable();
                terms.push((joint, weight * factor));
            }
            terms.push((monomial.clone(), &self.constant * factor));
            terms.retain(|(monomial, factor)| {
                !factor.is_zero() || !monomial.iter().all(|&v| defined(v))
            });
            terms.sort_by(|one, two| one.0.cmp(&two.0));
            // Monomials stay distinct: all of one polynomial are multiplied by the same monomial;
            // the constant's may meet one.
            for term in terms {
                sum = sum.plus(
                    &GroundPolynomial { terms: vec![term], constant: Rational::ZERO },
                    defined,
                );
            }
        }
        sum
    }
}

/// A numeric expression over variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum GroundExpression {
    /// An expression that is a polynomial.
    Polynomial(GroundPolynomial),
    /// The sum of two, one of which is no polynomial.
    Sum(Box<[GroundExpression; 2]>),
    /// The product of two, one of which is no polynomial.
    Product(Box<[GroundExpression; 2]>),
    /// The quotient of two; the divisor is no number.
    Quotient(Box<[GroundExpression; 2]>),
}

impl GroundExpression {
    /// A constant expression.
    pub fn constant(number: Rational) -> Self {
        GroundExpression::Polynomial(GroundPolynomial::constant(number))
    }

    /// The number it is, when it mentions no variable.
    pub fn as_constant(&self) -> Option<&Rational> {
        match self {
            GroundExpression::Polynomial(polynomial) => polynomial.as_constant(),
            _ => None,
        }
    }

    /// The sum of two expressions.
    pub fn plus(self, other: Self, defined: &dyn Fn(VariableId) -> bool) -> Self {
        match (self, other) {
            (GroundExpression::Polynomial(one), GroundExpression::Polynomial(two)) => {
                GroundExpression::Polynomial(one.plus(&two, defined))
            }
            (one, two) => GroundExpression::Sum(Box::new([one, two])),
        }
    }

    /// The product of two expressions.
    pub fn product(self, other: Self, defined: &dyn Fn(VariableId) -> bool) -> Self {
        match (self, other) {
            (GroundExpression::Polynomial(one), GroundExpression::Polynomial(two)) => {
                GroundExpression::Polynomial(one.product(&two, defined))
            }
            (one, two) => GroundExpression::Product(Box::new([one, two])),
        }
    }

    /// The negative of an expression.
    pub fn negated(self, defined: &dyn Fn(VariableId) -> bool) -> Self {
        self.product(GroundExpression::constant(-&Rational::ONE), defined)
    }

    /// The quotient; `None` when the divisor is the number zero.
    pub fn quotient(self, divisor: Self, defined: &dyn Fn(VariableId) -> bool) -> Option<Self> {
        match divisor.as_constant() {
            Some(number) => {
                Some(self.product(GroundExpression::constant(number.recip()?), defined))
            }
            None => Some(GroundExpression::Quotient(Box::new([self, divisor]))),
        }
    }

    /// Its value, undefined when one of its variables is or when it divides by zero.
    pub fn exact(&self, numbers: &NumberTable, values: StateValues) -> Option<Rational> {
        match self {
            GroundExpression::Polynomial(polynomial) => polynomial.exact(numbers, values),
            GroundExpression::Sum(both) => {
                Some(&both[0].exact(numbers, values)? + &both[1].exact(numbers, values)?)
            }
            GroundExpression::Product(both) => {
                Some(&both[0].exact(numbers, values)? * &both[1].exact(numbers, values)?)
            }
            GroundExpression::Quotient(both) => {
                both[0].exact(numbers, values)?.checked_div(&both[1].exact(numbers, values)?)
            }
        }
    }

    /// About its value, with other floats in place of the variables' values.
    pub fn float(&self, value: &dyn Fn(VariableId) -> f64) -> f64 {
        match self {
            GroundExpression::Polynomial(polynomial) => {
                let constant = polynomial.constant.to_f64();
                polynomial.terms.iter().fold(constant, |sum, (monomial, factor)| {
                    sum + factor.to_f64()
                        * monomial.iter().map(|&variable| value(variable)).product::<f64>()
                })
            }
            GroundExpression::Sum(both) => both[0].float(value) + both[1].float(value),
            GroundExpression::Product(both) => both[0].float(value) * both[1].float(value),
            GroundExpression::Quotient(both) => both[0].float(value) / both[1].float(value),
        }
    }

    /// Calls `visit` for every variable, once for each time it is mentioned.
    pub fn variables(&self, visit: &mut dyn FnMut(VariableId)) {
        match self {
            GroundExpression::Polynomial(polynomial) => {
                polynomial
                    .terms
                    .iter()
                    .flat_map(|(monomial, _)| monomial)
                    .for_each(|&variable| visit(variable));
            }
            GroundExpression::Sum(both)
            | GroundExpression::Product(both)
            | GroundExpression::Quotient(both) => {
                both.iter().for_each(|part| part.variables(visit));
            }
        }
    }

    /// Whether it divides by something that may be zero.
    pub fn divides(&self) -> bool {
        match self {
            GroundExpression::Polynomial(_) => false,
            GroundExpression::Sum(both) | GroundExpression::Product(both) => {
                both.iter().any(GroundExpression::divides)
            }
            GroundExpression::Quotient(_) => true,
        }
    }

    /// The expression with its variables renumbered.
    pub fn renumbered(&self, number: &dyn Fn(VariableId) -> VariableId) -> Self {
        match self {
            GroundExpression::Polynomial(polynomial) => {
                let mut terms: Vec<(GroundMonomial, Rational)> =
                    Vec::with_capacity(polynomial.terms.len());
                for (monomial, factor) in &polynomial.terms {
                    let mut monomial: GroundMonomial =
                        monomial.iter().map(|&v| number(v)).collect();
                    monomial.sort_unstable();
                    terms.push((monomial, factor.clone()));
                }
                terms.sort_by(|one, two| one.0.cmp(&two.0));
                GroundExpression::Polynomial(GroundPolynomial {
                    terms,
                    constant: polynomial.constant.clone(),
                })
            }
            GroundExpression::Sum(parts) => GroundExpression::Sum(both_renumbered(parts, number)),
            GroundExpression::Product(parts) => {
                GroundExpression::Product(both_renumbered(parts, number))
            }
            GroundExpression::Quotient(parts) => {
                GroundExpression::Quotient(both_renumbered(parts, number))
            }
        }
    }
}

fn both_renumbered(
    both: &[GroundExpression; 2],
    number: &dyn Fn(VariableId) -> VariableId,
) -> Box<[GroundExpression; 2]> {
    Box::new([both[0].renumbered(number), both[1].renumbered(number)])
}

impl GroundPolynomial {
    fn exact(&self, numbers: &NumberTable, values: StateValues) -> Option<Rational> {
        let mut sum = self.constant.clone();
        for (monomial, factor) in &self.terms {
            let mut product = factor.clone();
            for &variable in monomial {
                product = &product * numbers.exact(values.number(variable)?);
            }
            sum += &product;
        }
        Some(sum)
    }
}
