//! Why a step is refused, from what one look at one number shows to what only several numbers
//! together do.

use std::collections::BTreeSet;

use super::margin::Margins;
use super::range::{Bound, ranges};
use super::{Asked, Grounds, ground_column};
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::{Fault, Inapplicable, Violation, ViolationCause};
use surefoot_base::model::{
    Comparison, Condition, GroundAction, GroundAtom, GroundFunction, ObjectId, Polynomial,
};

/// A reason, in the order in which reasons are given.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// One number (a product of functions) lies outside a bound.
    Number {
        /// The functions whose product is the number.
        factors: Vec<GroundFunction>,
        /// The value of the number in the state.
        here: Rational,
        /// What it would have to be.
        bound: Bound,
        /// Whether the bound comes from the values observed when the action worked. Otherwise it is
        /// only known that the model requires it.
        seen: bool,
        /// How much of the bound is there since numbers are known within errors only.
        margin: Rational,
        /// What was recorded beyond the bound where the action worked, the farthest: bounds with
        /// margins are narrower than records.
        recorded: Option<Rational>,
    },
    /// An atom is not what it should be.
    Atom {
        /// The atom whose truth is wrong.
        atom: GroundAtom,
        /// What it should be.
        wanted: bool,
    },
    /// Two objects are the same, or are not.
    Objects {
        /// The two objects that must be, or must not be, the same.
        pair: [ObjectId; 2],
        /// Whether they should be the same.
        same: bool,
    },
    /// A function has no value.
    NoValue(GroundFunction),
    /// A condition of another kind; its number among the violations.
    Condition(usize),
    /// Numbers that are not right together: `Σ coefficient · product` is more than the bound, or is
    /// not the bound.
    Together(Box<Together>),
    /// The arguments do not fit, or effects cannot be computed.
    Other,
}

impl Reason {
    fn has_margin(&self) -> bool {
        matches!(self, Reason::Number { margin, .. } if !margin.is_zero())
    }

    /// Whether both are about one number.
    fn is_about_same(&self, other: &Reason) -> bool {
        match (self, other) {
            (Reason::Number { factors: mine, .. }, Reason::Number { factors: theirs, .. }) => {
                mine == theirs
            }
            _ => false,
        }
    }
}

/// A linear condition over several numbers that does not hold.
#[derive(Clone, PartialEq, Debug)]
pub struct Together {
    /// Products of functions, with their coefficients; none is zero.
    pub terms: Vec<(Vec<GroundFunction>, Rational)>,
    /// What their sum may be at most, or must be.
    pub bound: Rational,
    /// Whether it must be.
    pub equation: bool,
    /// What the sum is.
    pub here: Rational,
    /// How much of the bound is there since numbers are known within errors only.
    pub margin: Rational,
    /// What the sum was beyond the bound in a recorded step that worked, the farthest.
    pub recorded: Option<Rational>,
    /// The amount by which it is missed, relative to its size.
    gap: f64,
}

/// The reasons for a refusal.
pub(super) fn reasons(
    refusal: &Inapplicable,
    asked: Asked<'_>,
    grounds: Option<Grounds<'_>>,
    margins: &Margins,
) -> Vec<Reason> {
    let Inapplicable::Precondition(violations) = refusal else { return vec![Reason::Other] };
    let mut numbers = Vec::new();
    if let Some(Grounds { learner, settings, action, .. }) = grounds {
        let step = GroundAction { symbol: action, arguments: asked.step.arguments.clone() };
        for (column, here, bound) in ranges(learner, settings, &step, asked.universe, asked.state) {
            let (factors, margin) = (ground_column(learner, &step, column), Rational::ZERO);
            numbers.push(Reason::Number {
                factors,
                here,
                bound,
                seen: true,
                margin,
                recorded: None,
            });
        }
    }
    let (mut plain, mut without, mut others, mut together) =
        (Vec::new(), BTreeSet::new(), Vec::new(), Vec::new());
    let worked = grounds.filter(|_| !margins.is_empty()).map(|grounds| Worked::new(grounds, asked));
    for (place, violation) in violations.iter().enumerate() {
        let look = looked_at(violation, asked, margins).map(|look| match &worked {
            Some(worked) => look.beside(worked),
            None => look,
        });
        match look {
            Some(Look::Plain(reason)) => plain.push(reason),
            Some(Look::NoValue(function)) => drop(without.insert(function)),
            // The observations say nothing of margins.
            Some(Look::Number(reason)) if reason.has_margin() => {
                numbers.retain(|told| !told.is_about_same(&reason) || told.has_margin());
                numbers.push(reason);
            }
            // If observations bound the number, that says it better.
            Some(Look::Number(reason))
                if !numbers.iter().any(|told| told.is_about_same(&reason)) =>
            {
                numbers.push(reason)
            }
            Some(Look::Number(_)) => {}
            Some(Look::Together(several)) => together.push(several),
            None => others.push(Reason::Condition(place)),
        }
    }
    // A condition over two functions says more than one over five; then the most violated first.
    together.sort_by(|one, other| {
        one.terms.len().cmp(&other.terms.len()).then(other.gap.total_cmp(&one.gap))
    });
    numbers.extend(plain);
    numbers.extend(without.into_iter().map(Reason::NoValue));
    numbers.extend(others);
    numbers.extend(together.into_iter().map(|several| Reason::Together(Box::new(several))));
    numbers
}

/// What a violation is about.
enum Look {
    Plain(Reason),
    NoValue(GroundFunction),
    Number(Reason),
    Together(Together),
}

impl Look {
    /// With what was recorded beyond a bound that has a margin.
    fn beside(mut self, worked: &Worked) -> Self {
        match &mut self {
            Look::Number(Reason::Number { factors, bound, margin, recorded, .. })
                if !margin.is_zero() =>
            {
                let sign = match bound {
                    Bound::AtMost(_) => Rational::ONE,
                    Bound::AtLeast(_) => -&Rational::ONE,
                    Bound::Only(_) => return self,
                };
                let most = worked.most(&[(factors.clone(), sign.clone())]);
                *recorded =
                    most.filter(|most| *most > &sign * bound.value()).map(|most| &sign * &most);
            }
            Look::Together(several) if !several.margin.is_zero() && !several.equation => {
                several.recorded = worked.most(&several.terms).filter(|most| *most > several.bound);
            }
            _ => {}
        }
        self
    }
}

/// The recorded vectors of an action that worked, its columns with the objects of a step.
struct Worked {
    columns: Vec<Vec<GroundFunction>>,
    points: Vec<Vec<Rational>>,
}

impl Worked {
    fn new(Grounds { learner, action, .. }: Grounds<'_>, asked: Asked<'_>) -> Self {
        let step = GroundAction { symbol: action, arguments: asked.step.arguments.clone() };
        let evidence = learner.evidence(action);
        let columns = evidence.columns(learner.vocabulary(action));
        let points = evidence.points(&columns);
        Worked {
            columns: columns.iter().map(|&column| ground_column(learner, &step, column)).collect(),
            points,
        }
    }

    /// The greatest value that a sum had; `None` where it is over other numbers, or over columns
    /// that the objects make one.
    fn most(&self, terms: &[(Vec<GroundFunction>, Rational)]) -> Option<Rational> {
        let terms: Vec<(usize, &Rational)> = terms
            .iter()
            .map(|(factors, coefficient)| Some((self.only_place(factors)?, coefficient)))
            .collect::<Option<_>>()?;
        self.points
            .iter()
            .map(|point| {
                terms.iter().fold(Rational::ZERO, |sum, (place, coefficient)| {
                    &sum + &(*coefficient * &point[*place])
                })
            })
            .max()
    }

    /// The place of the one column with these factors; `None` where there is none, or several.
    fn only_place(&self, factors: &[GroundFunction]) -> Option<usize> {
        let mut places = self.columns.iter().enumerate().filter(|(_, column)| *column == factors);
        places.next().filter(|_| places.next().is_none()).map(|(place, _)| place)
    }
}

fn looked_at(violation: &Violation, asked: Asked<'_>, margins: &Margins) -> Option<Look> {
    let objects = &violation.environment[..];
    if let ViolationCause::Fault(Fault::Undefined(function)) = &violation.cause {
        return Some(Look::NoValue(function.clone()));
    }
    let (condition, wanted) = match &violation.condition {
        Condition::Not(inner) => (&**inner, false),
        other => (other, true),
    };
    match condition {
        Condition::Atom(atom) => {
            Some(Look::Plain(Reason::Atom { atom: atom.ground(objects), wanted }))
        }
        Condition::Same(one, other) => Some(Look::Plain(Reason::Objects {
            pair: [one.ground(objects), other.ground(objects)],
            same: wanted,
        })),
        Condition::Compare(comparison, sides) if wanted => {
            let ViolationCause::Values(left, right) = &violation.cause else { return None };
            let difference = Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?)?;
            let turned = matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
            let sign = if turned { -&Rational::ONE } else { Rational::ONE };
            let bound = -&(&sign * &difference.constant_term());
            let here = &(&sign * &(left - right)) + &bound;
            let terms: Vec<(Vec<GroundFunction>, Rational)> = difference
                .columns()
                .map(|(factors, coefficient)| {
                    let factors = factors.iter().map(|factor| factor.ground(objects)).collect();
                    (factors, &sign * coefficient)
                })
                .collect();
            if margins.is_empty() {
                return comparison_of(terms, (bound, Rational::ZERO), here, *comparison);
            }
            let (plain, limit, margin) = margins.apart(terms, &bound, asked)?;
            // The errors of the state are on neither side any more.
            let here = &here - &(&bound - &limit);
            comparison_of(plain, (limit, margin), here, *comparison)
        }
        _ => None,
    }
}

/// `Σ terms ≤ bound`, or `= bound`, where the sum is `here`; `margin` is the part of the bound that
/// is margin.
fn comparison_of(
    mut terms: Vec<(Vec<GroundFunction>, Rational)>,
    (bound, margin): (Rational, Rational),
    here: Rational,
    comparison: Comparison,
) -> Option<Look> {
    // Functions of different parameters may be one function of objects.
    terms.sort_by(|one, other| one.0.cmp(&other.0));
    let mut joined: Vec<(Vec<GroundFunction>, Rational)> = Vec::new();
    for (factors, coefficient) in terms {
        match joined.last_mut() {
            Some((same, sum)) if *same == factors => *sum = &*sum + &coefficient,
            _ => joined.push((factors, coefficient)),
        }
    }
    joined.retain(|(_, coefficient)| !coefficient.is_zero());
    let equation = comparison == Comparison::Equal;
    if let [(factors, coefficient)] = &joined[..] {
        let (limit, here) = (bound.checked_div(coefficient)?, here.checked_div(coefficient)?);
        let bound = match (equation, coefficient.signum() > 0) {
            (true, _) => Bound::Only(limit),
            (false, true) => Bound::AtMost(limit),
            (false, false) => Bound::AtLeast(limit),
        };
        // A strict bound is not one of those.
        let closed = !matches!(comparison, Comparison::Less | Comparison::Greater);
        let margin = margin.checked_div(&coefficient.abs())?;
        let reason = Reason::Number {
            factors: factors.clone(),
            here,
            bound,
            seen: false,
            margin,
            recorded: None,
        };
        return closed.then_some(Look::Number(reason));
    }
    if joined.is_empty() || matches!(comparison, Comparison::Less | Comparison::Greater) {
        return None;
    }
    let size = here.abs().to_f64() + bound.abs().to_f64();
    let gap = (&here - &bound).abs().to_f64() / if size > 0.0 { size } else { 1.0 };
    Some(Look::Together(Together {
        terms: joined,
        bound,
        equation,
        here,
        margin,
        recorded: None,
        gap,
    }))
}
