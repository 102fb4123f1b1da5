//! Numeric expressions over the variables of a ground task, as polynomials where they have that form.

use std::cmp::Ordering;

use smallvec::SmallVec;

use super::number::Numbers;
use crate::exact::Rational;

/// A product of variables, sorted; a variable may repeat.
pub type Monomial = SmallVec<[u32; 2]>;

/// A sum of monomials, sorted, each once. A term with the factor zero is kept where a variable of it may be undefined,
/// for then so is the sum.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Polynomial {
    /// Monomials (not the empty one) and their factors.
    pub terms: Vec<(Monomial, Rational)>,
    /// What is added to them.
    pub constant: Rational,
}

impl Polynomial {
    /// A number.
    pub fn constant(number: Rational) -> Self {
        Polynomial { terms: Vec::new(), constant: number }
    }

    /// A variable.
    pub fn variable(variable: u32) -> Self {
        Polynomial { terms: vec![(SmallVec::from_slice(&[variable]), Rational::ONE)], constant: Rational::ZERO }
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
    pub fn plus(&self, other: &Self, defined: &dyn Fn(u32) -> bool) -> Self {
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
                Ordering::Equal => left.next().zip(right.next()).map(|(one, two)| (one.0.clone(), &one.1 + &two.1)),
            };
            terms.extend(term.filter(|(monomial, factor)| !factor.is_zero() || !monomial.iter().all(|&v| defined(v))));
        }
        Polynomial { terms, constant: &self.constant + &other.constant }
    }

    /// The product with a number.
    pub fn times(&self, number: &Rational, defined: &dyn Fn(u32) -> bool) -> Self {
        let terms = self.terms.iter().map(|(monomial, factor)| (monomial.clone(), factor * number));
        let kept = terms.filter(|(monomial, factor)| !factor.is_zero() || !monomial.iter().all(|&v| defined(v)));
        Polynomial { terms: kept.collect(), constant: &self.constant * number }
    }

    /// The product.
    pub fn product(&self, other: &Self, defined: &dyn Fn(u32) -> bool) -> Self {
        let mut sum = self.times(&other.constant, defined);
        for (monomial, factor) in &other.terms {
            let mut terms: Vec<(Monomial, Rational)> = Vec::with_capacity(self.terms.len() + 1);
            for (mine, weight) in &self.terms {
                let mut joint: Monomial = mine.iter().chain(monomial).copied().collect();
                joint.sort_unstable();
                terms.push((joint, weight * factor));
            }
            terms.push((monomial.clone(), &self.constant * factor));
            terms.retain(|(monomial, factor)| !factor.is_zero() || !monomial.iter().all(|&v| defined(v)));
            terms.sort_by(|one, two| one.0.cmp(&two.0));
            // Monomials stay distinct: all of one polynomial are multiplied by the same monomial; the constant's may meet one.
            for term in terms {
                sum = sum.plus(&Polynomial { terms: vec![term], constant: Rational::ZERO }, defined);
            }
        }
        sum
    }
}

/// A numeric expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expression {
    /// A polynomial.
    Polynomial(Polynomial),
    /// The sum of two, one of which is no polynomial.
    Sum(Box<[Expression; 2]>),
    /// The product of two, one of which is no polynomial.
    Product(Box<[Expression; 2]>),
    /// The quotient of two; the divisor is no number.
    Quotient(Box<[Expression; 2]>),
}

impl Expression {
    /// A number.
    pub fn constant(number: Rational) -> Self {
        Expression::Polynomial(Polynomial::constant(number))
    }

    /// The number it is, when it mentions no variable.
    pub fn as_constant(&self) -> Option<&Rational> {
        match self {
            Expression::Polynomial(polynomial) => polynomial.as_constant(),
            _ => None,
        }
    }

    /// The sum.
    pub fn plus(self, other: Self, defined: &dyn Fn(u32) -> bool) -> Self {
        match (self, other) {
            (Expression::Polynomial(one), Expression::Polynomial(two)) => Expression::Polynomial(one.plus(&two, defined)),
            (one, two) => Expression::Sum(Box::new([one, two])),
        }
    }

    /// The product.
    pub fn product(self, other: Self, defined: &dyn Fn(u32) -> bool) -> Self {
        match (self, other) {
            (Expression::Polynomial(one), Expression::Polynomial(two)) => Expression::Polynomial(one.product(&two, defined)),
            (one, two) => Expression::Product(Box::new([one, two])),
        }
    }

    /// The negative.
    pub fn negated(self, defined: &dyn Fn(u32) -> bool) -> Self {
        self.product(Expression::constant(-&Rational::ONE), defined)
    }

    /// The quotient; `None` when the divisor is the number zero.
    pub fn quotient(self, divisor: Self, defined: &dyn Fn(u32) -> bool) -> Option<Self> {
        match divisor.as_constant() {
            Some(number) => Some(self.product(Expression::constant(number.recip()?), defined)),
            None => Some(Expression::Quotient(Box::new([self, divisor]))),
        }
    }

    /// Its value, undefined when one of its variables is or when it divides by zero.
    pub fn exact(&self, numbers: &Numbers, values: &[u32]) -> Option<Rational> {
        match self {
            Expression::Polynomial(polynomial) => polynomial.exact(numbers, values),
            Expression::Sum(both) => Some(&both[0].exact(numbers, values)? + &both[1].exact(numbers, values)?),
            Expression::Product(both) => Some(&both[0].exact(numbers, values)? * &both[1].exact(numbers, values)?),
            Expression::Quotient(both) => both[0].exact(numbers, values)?.checked_div(&both[1].exact(numbers, values)?),
        }
    }

    /// About its value, with other floats in place of the variables' values.
    pub fn float(&self, value: &dyn Fn(u32) -> f64) -> f64 {
        match self {
            Expression::Polynomial(polynomial) => {
                let constant = polynomial.constant.to_f64();
                let product = |monomial: &Monomial| monomial.iter().map(|&v| value(v)).product::<f64>();
                polynomial.terms.iter().fold(constant, |sum, (monomial, factor)| sum + factor.to_f64() * product(monomial))
            }
            Expression::Sum(both) => both[0].float(value) + both[1].float(value),
            Expression::Product(both) => both[0].float(value) * both[1].float(value),
            Expression::Quotient(both) => both[0].float(value) / both[1].float(value),
        }
    }

    /// Calls `visit` for every variable, once for each time it is mentioned.
    pub fn variables(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Expression::Polynomial(polynomial) => {
                polynomial.terms.iter().flat_map(|(monomial, _)| monomial).for_each(|&variable| visit(variable));
            }
            Expression::Sum(both) | Expression::Product(both) | Expression::Quotient(both) => {
                both.iter().for_each(|part| part.variables(visit));
            }
        }
    }

    /// Whether it divides by something that may be zero.
    pub fn divides(&self) -> bool {
        match self {
            Expression::Polynomial(_) => false,
            Expression::Sum(both) | Expression::Product(both) => both.iter().any(Expression::divides),
            Expression::Quotient(_) => true,
        }
    }

    /// The same with its variables renumbered.
    pub fn renumbered(&self, number: &dyn Fn(u32) -> u32) -> Self {
        let both = |parts: &[Expression; 2]| Box::new([parts[0].renumbered(number), parts[1].renumbered(number)]);
        match self {
            Expression::Polynomial(polynomial) => {
                let mut terms: Vec<(Monomial, Rational)> = Vec::with_capacity(polynomial.terms.len());
                for (monomial, factor) in &polynomial.terms {
                    let mut monomial: Monomial = monomial.iter().map(|&v| number(v)).collect();
                    monomial.sort_unstable();
                    terms.push((monomial, factor.clone()));
                }
                terms.sort_by(|one, two| one.0.cmp(&two.0));
                Expression::Polynomial(Polynomial { terms, constant: polynomial.constant.clone() })
            }
            Expression::Sum(parts) => Expression::Sum(both(parts)),
            Expression::Product(parts) => Expression::Product(both(parts)),
            Expression::Quotient(parts) => Expression::Quotient(both(parts)),
        }
    }
}

impl Polynomial {
    fn exact(&self, numbers: &Numbers, values: &[u32]) -> Option<Rational> {
        let mut sum = self.constant.clone();
        for (monomial, factor) in &self.terms {
            let mut product = factor.clone();
            for &variable in monomial {
                product = &product * numbers.exact(values[variable as usize])?;
            }
            sum += &product;
        }
        Some(sum)
    }
}
