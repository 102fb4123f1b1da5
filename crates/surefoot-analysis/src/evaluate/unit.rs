//! A learned model as the paper would write it: each linear condition divided by the length of its
//! coefficients.
//!
//! How far a condition is missed depends on how it is written: `x <= 1` is missed by 0.1 where
//! `10 x <= 10` is missed by 1. The paper's conditions come from Qhull, whose normals have length
//! 1, so that being off by 0.1 means a distance of 0.1 from the plane of a facet, in the space of
//! the columns. Ours have integer coefficients. For a
//! [tolerance](surefoot_base::model::semantics) to mean what it means in the paper, a learned model
//! is brought into that form first. Exactly, nothing changes: a condition times a positive number
//! is the same condition.

use dashu_int::IBig;

use surefoot_base::exact::Rational;
use surefoot_base::model::{Action, Condition, Domain, Expression, Names, Polynomial};

/// The number of digits to which the length of a normal is computed.
const DIGITS: usize = 12;

/// The domain with the linear conditions of its preconditions scaled to unit normals, to twelve
/// digits. Regions are spelled out, except those that are known by their vertices alone, which
/// stay, and are exact whatever the tolerance.
pub fn unit_normals(domain: &Domain) -> Domain {
    let mut actions = Names::default();
    for (name, action) in domain.actions.iter() {
        // The names of a domain's actions are distinct.
        let _ = actions
            .insert(name, Action { precondition: scale(&action.precondition), ..action.clone() });
    }
    Domain { actions, ..domain.clone() }
}

fn scale(condition: &Condition) -> Condition {
    match condition {
        Condition::And(parts) => Condition::And(parts.iter().map(scale).collect()),
        Condition::Or(parts) => Condition::Or(parts.iter().map(scale).collect()),
        Condition::Not(inner) => Condition::Not(Box::new(scale(inner))),
        Condition::Imply(both) => Condition::Imply(Box::new([scale(&both[0]), scale(&both[1])])),
        Condition::ForAll(variables, body) => {
            Condition::ForAll(variables.clone(), Box::new(scale(body)))
        }
        Condition::Exists(variables, body) => {
            Condition::Exists(variables.clone(), Box::new(scale(body)))
        }
        Condition::Compare(comparison, sides) => match factor(sides) {
            None => condition.clone(),
            Some(factor) => {
                let sides = [times(&factor, &sides[0]), times(&factor, &sides[1])];
                Condition::Compare(*comparison, Box::new(sides))
            }
        },
        Condition::Within(region) if region.set.is_complete() => {
            Condition::And(region.comparisons().map(|comparison| scale(&comparison)).collect())
        }
        Condition::Within(_) | Condition::Atom(_) | Condition::Same(..) => condition.clone(),
    }
}

fn times(factor: &Rational, side: &Expression) -> Expression {
    Expression::Product(vec![Expression::Number(factor.clone()), side.clone()])
}

/// What both sides are multiplied with: one over the length of the coefficients of their
/// difference. `None` where there are none, or the sides are no polynomials.
fn factor(sides: &[Expression; 2]) -> Option<Rational> {
    let difference = Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?)?;
    let square = difference
        .columns()
        .fold(Rational::ZERO, |sum, (_, coefficient)| &sum + &(coefficient * coefficient));
    if square == Rational::ONE {
        return None;
    }
    root(&square)?.recip()
}

/// The square root of a number above zero, rounded down to [`DIGITS`] digits after the point, or
/// more.
fn root(square: &Rational) -> Option<Rational> {
    let shift = IBig::from(10u8).pow(DIGITS);
    // √(p/q) = √(p q) / q
    let inside = square.numerator() * square.denominator() * &shift * &shift;
    let floor = IBig::from(dashu_int::UBig::try_from(inside).ok()?.nth_root(2));
    Rational::from_integers(floor, square.denominator() * shift)
}
