//! A hull known by its vertices: a few hundred of them may have millions of facets, which no PDDL can hold
//! (docs/theory.md, "Too many facets").

use std::collections::BTreeSet;
use std::fmt;

use super::expression::{Condition, Expression, LiftedFunction};
use super::readable::linear_condition;
use crate::exact::{Membership, Position, Rational};

/// `conv(points) + cone(rays)` over products of functions of an action's parameters, of which the precondition states only a part.
///
/// The comparisons that bound that part are *replaced*: the action may be taken where all other conditions hold and the point lies
/// in the hull. Whoever reads the precondition alone (another planner, a file) takes fewer steps, never a wrong one.
pub struct Vertices {
    columns: Vec<Vec<LiftedFunction>>,
    points: Vec<Vec<Rational>>,
    rays: Vec<Vec<Rational>>,
    replaced: BTreeSet<usize>,
    membership: Membership,
}

impl Vertices {
    /// A hull over these columns (products of functions) that stands for some conjuncts of the precondition, given by their indices.
    pub fn new(
        columns: Vec<Vec<LiftedFunction>>,
        points: Vec<Vec<Rational>>,
        rays: Vec<Vec<Rational>>,
        replaced: BTreeSet<usize>,
    ) -> Self {
        let membership = Membership::new(&points, &rays);
        Vertices { columns, points, rays, replaced, membership }
    }

    /// The same hull over other functions, given in the same order.
    pub fn with_columns(&self, columns: Vec<Vec<LiftedFunction>>) -> Self {
        Vertices::new(columns, self.points.clone(), self.rays.clone(), self.replaced.clone())
    }

    /// The products of functions it is over.
    pub fn columns(&self) -> &[Vec<LiftedFunction>] {
        &self.columns
    }

    /// How many vertices it has.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether it has none; then nothing lies in it.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Whether it stands for this conjunct of the precondition.
    pub fn replaces(&self, conjunct: usize) -> bool {
        self.replaced.contains(&conjunct)
    }

    /// Whether a point lies in it, decided exactly.
    pub fn contains(&self, point: &[Rational]) -> bool {
        self.membership.contains(point)
    }

    /// An inequality that all of the hull satisfies and the point does not; `None` for a point of the hull.
    pub fn separation(&self, point: &[Rational]) -> Option<Condition> {
        match self.membership.decide(point) {
            Position::Inside { .. } => None,
            Position::Outside(constraint) => Some(linear_condition(|index| self.column(index), &constraint, false)),
        }
    }

    fn column(&self, index: usize) -> Expression {
        match &self.columns[index][..] {
            [only] => Expression::Function(only.clone()),
            factors => Expression::Product(factors.iter().cloned().map(Expression::Function).collect()),
        }
    }
}

impl PartialEq for Vertices {
    fn eq(&self, other: &Self) -> bool {
        (&self.columns, &self.points, &self.rays, &self.replaced) == (&other.columns, &other.points, &other.rays, &other.replaced)
    }
}

impl Eq for Vertices {}

impl fmt::Debug for Vertices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vertices").field("columns", &self.columns).field("points", &self.points).finish_non_exhaustive()
    }
}
