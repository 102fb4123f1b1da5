//! Numeric expressions as polynomials over functions, where they have that form.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::{Expression, LiftedFunction};
use crate::exact::Rational;

/// More terms than this are not multiplied out.
const MAX_TERMS: usize = 256;

/// A sum of products of functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Polynomial {
    /// By product (its factors ascending, possibly repeated; none: the constant term), a
    /// coefficient that is not zero.
    pub terms: BTreeMap<Vec<LiftedFunction>, Rational>,
    /// Every function that is read, also where its terms cancel: an undefined one leaves the whole
    /// without a value.
    pub mentioned: BTreeSet<LiftedFunction>,
}

impl Polynomial {
    /// The expression multiplied out; `None` where it divides by anything but a number other than
    /// zero, reads `total-time`, or has too many terms.
    pub fn of(expression: &Expression) -> Option<Self> {
        match expression {
            Expression::Number(number) => Some(Self::constant(number)),
            Expression::Function(function) => Some(Polynomial {
                terms: BTreeMap::from([(vec![function.clone()], Rational::ONE)]),
                mentioned: BTreeSet::from([function.clone()]),
            }),
            Expression::Sum(parts) => parts
                .iter()
                .try_fold(Self::default(), |sum, part| sum.plus(Self::of(part)?, &Rational::ONE)),
            Expression::Product(parts) => {
                parts.iter().try_fold(Self::constant(&Rational::ONE), |product, part| {
                    product.times(&Self::of(part)?)
                })
            }
            Expression::Difference(sides) => Self::of(&sides[0])?.minus(Self::of(&sides[1])?),
            Expression::Negation(inner) => Self::default().minus(Self::of(inner)?),
            Expression::Quotient(sides) => {
                let divisor = Self::of(&sides[1])?;
                if !divisor.mentioned.is_empty() {
                    return None;
                }
                let inverse = divisor.terms.get(&Vec::new())?.recip()?;
                Self::of(&sides[0])?.times(&Self::constant(&inverse))
            }
            Expression::TotalTime => None,
        }
    }

    /// The coefficient of the empty product.
    pub fn constant_term(&self) -> Rational {
        self.terms.get(&Vec::new()).cloned().unwrap_or(Rational::ZERO)
    }

    /// The terms that read functions, with their coefficients.
    pub fn columns(&self) -> impl Iterator<Item = (&Vec<LiftedFunction>, &Rational)> {
        self.terms.iter().filter(|(factors, _)| !factors.is_empty())
    }

    /// `self - other`; `None` where that has too many terms.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other, &-&Rational::ONE)
    }

    fn constant(number: &Rational) -> Self {
        let mut constant = Self::default();
        constant.add(Vec::new(), number);
        constant
    }

    fn add(&mut self, factors: Vec<LiftedFunction>, coefficient: &Rational) {
        use std::collections::btree_map::Entry;
        match self.terms.entry(factors) {
            Entry::Vacant(_) if coefficient.is_zero() => {}
            Entry::Vacant(first) => {
                first.insert(coefficient.clone());
            }
            Entry::Occupied(mut sum) => {
                *sum.get_mut() += coefficient;
                if sum.get().is_zero() {
                    sum.remove();
                }
            }
        }
    }

    fn plus(mut self, other: Self, factor: &Rational) -> Option<Self> {
        for (factors, coefficient) in other.terms {
            self.add(factors, &(&coefficient * factor));
        }
        self.mentioned.extend(other.mentioned);
        (self.terms.len() <= MAX_TERMS).then_some(self)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        if self.terms.len() * other.terms.len() > MAX_TERMS {
            return None;
        }
        let mut product =
            Self { terms: BTreeMap::new(), mentioned: &self.mentioned | &other.mentioned };
        for (one, left) in &self.terms {
            for (two, right) in &other.terms {
                let mut factors = [&one[..], &two[..]].concat();
                factors.sort_unstable();
                product.add(factors, &(left * right));
            }
        }
        Some(product)
    }
}
