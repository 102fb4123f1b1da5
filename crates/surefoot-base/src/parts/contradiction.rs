//! Whether tests can hold together: the proof that parts are disjoint.
//!
//! Two literals that are opposite, an equality of a parameter with two constants, or linear
//! comparisons that add up to something false. The multipliers of such a sum are the proof; a
//! reader who does not trust the linear program adds them up.

use std::collections::BTreeMap;

use crate::exact::{Multipliers, Optimum, Program, Rational};
use crate::model::{Comparison, Condition, LiftedFunction, Polynomial, Term};

/// Why some tests never hold together. Numbers are places in the list of tests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contradiction {
    /// These two contradict each other by themselves.
    Pair(usize, usize),
    /// These multiples of comparisons add up to something false.
    Sum(Vec<(usize, Rational)>),
}

/// A comparison as a linear form over products of functions: it is at most zero, below zero, or
/// equal to zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearTest {
    /// By product of functions, its coefficient; the empty product has the constant.
    pub terms: BTreeMap<Vec<LiftedFunction>, Rational>,
    /// Whether it must be zero.
    pub equation: bool,
    /// Whether it must be below zero.
    pub strict: bool,
}

impl LinearTest {
    /// The form of a comparison; `None` if it is none, or is no polynomial.
    pub fn of(test: &Condition) -> Option<LinearTest> {
        let Condition::Compare(comparison, sides) = test else { return None };
        let (less, more) = match comparison {
            Comparison::Less | Comparison::LessOrEqual | Comparison::Equal => (0, 1),
            Comparison::Greater | Comparison::GreaterOrEqual => (1, 0),
        };
        let form = Polynomial::of(&sides[less])?.minus(Polynomial::of(&sides[more])?)?;
        Some(LinearTest {
            terms: form.terms,
            equation: *comparison == Comparison::Equal,
            strict: matches!(comparison, Comparison::Less | Comparison::Greater),
        })
    }

    /// The constant of the form.
    pub fn constant(&self) -> Rational {
        self.terms.get(&Vec::new()).cloned().unwrap_or(Rational::ZERO)
    }

    /// The products that it reads, with their coefficients.
    pub fn columns(&self) -> impl Iterator<Item = (&Vec<LiftedFunction>, &Rational)> {
        self.terms.iter().filter(|(factors, _)| !factors.is_empty())
    }
}

/// A state as far as numbers go: the value of each product that tests read.
pub(super) type JointState = Vec<(Vec<LiftedFunction>, Rational)>;

/// Why some tests never hold together, if that is so. Comparisons must be polynomials. Functions
/// count as independent of each other, and so do products: what is found holds of all states.
pub fn contradiction(tests: &[&Condition]) -> Option<Contradiction> {
    joint_state(tests).err()
}

/// Numbers with which some tests hold together, or why they never do.
pub(super) fn joint_state(tests: &[&Condition]) -> Result<JointState, Contradiction> {
    for (place, one) in tests.iter().enumerate() {
        if let Some(other) = tests[..place].iter().position(|other| are_opposite(one, other)) {
            return Err(Contradiction::Pair(other, place));
        }
    }
    let forms: Vec<(usize, LinearTest)> = (tests.iter().enumerate())
        .filter_map(|(place, test)| Some((place, LinearTest::of(test)?)))
        .collect();
    let mut columns: Vec<Vec<LiftedFunction>> = Vec::new();
    for (factors, _) in forms.iter().flat_map(|(_, form)| form.columns()) {
        if !columns.contains(factors) {
            columns.push(factors.clone());
        }
    }
    // One more variable is the room that strict comparisons have, at most 1.
    let room = columns.len();
    let mut program = Program::new(room + 1);
    let mut owners = Vec::new();
    for (place, form) in &forms {
        let coefficient = |column: &Vec<LiftedFunction>| {
            form.terms.get(column).cloned().unwrap_or(Rational::ZERO)
        };
        let mut row: Vec<Rational> = columns.iter().map(coefficient).collect();
        row.push(if form.strict { Rational::ONE } else { Rational::ZERO });
        let bound = -&form.constant();
        program.add(&row, &bound);
        owners.push((*place, Rational::ONE));
        if form.equation {
            let opposite: Vec<Rational> = row.iter().map(|value| -value).collect();
            program.add(&opposite, &-&bound);
            owners.push((*place, -&Rational::ONE));
        }
    }
    let mut objective = vec![Rational::ZERO; room];
    objective.push(Rational::ONE);
    program.add(&objective, &Rational::ONE);
    let summed = |proof: Multipliers| {
        let mut sum: BTreeMap<usize, Rational> = BTreeMap::new();
        for (number, weight) in proof {
            // The last constraint bounds the room alone.
            if let Some((place, sign)) = owners.get(number) {
                *sum.entry(*place).or_insert(Rational::ZERO) += &(&weight * sign);
            }
        }
        sum.retain(|_, weight| !weight.is_zero());
        Contradiction::Sum(sum.into_iter().collect())
    };
    match program.maximise(&objective) {
        Optimum::Infeasible { proof } => Err(summed(proof)),
        Optimum::Found { value, proof, .. } if value.signum() <= 0 => Err(summed(proof)),
        Optimum::Found { at, .. } => Ok(columns.into_iter().zip(at).collect()),
        // The room has a bound, so this cannot be; then nothing is known of the numbers.
        Optimum::Unbounded { .. } => Ok(Vec::new()),
    }
}

/// Whether two tests contradict each other, without a look at numbers.
fn are_opposite(one: &Condition, other: &Condition) -> bool {
    let is_negation = |negation: &Condition, of: &Condition| match negation {
        Condition::Not(inner) => **inner == *of || swapped(inner).as_ref() == Some(of),
        _ => false,
    };
    is_negation(one, other) || is_negation(other, one) || are_two_constants(one, other)
}

fn swapped(condition: &Condition) -> Option<Condition> {
    match condition {
        Condition::Same(left, right) => Some(Condition::Same(*right, *left)),
        _ => None,
    }
}

/// Whether one parameter is to be two constants.
fn are_two_constants(one: &Condition, other: &Condition) -> bool {
    let bound = |condition: &Condition| match condition {
        Condition::Same(Term::Variable(slot), Term::Object(constant))
        | Condition::Same(Term::Object(constant), Term::Variable(slot)) => Some((*slot, *constant)),
        _ => None,
    };
    match (bound(one), bound(other)) {
        (Some((slot, constant)), Some((same, another))) => slot == same && constant != another,
        _ => false,
    }
}
