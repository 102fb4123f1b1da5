//! Regions: polyhedra over products of functions. A learned region is one condition of its action,
//! however many facets it has.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::expression::{Comparison, Condition, Expression, LiftedFunction};
use super::linear::Linear;
use super::readable::{linear_condition, short_condition};
use crate::exact::{Constraint, PointPosition, Polyhedron, Rational, Row, SignTest};

/// The states in which the point of some columns lies in a polyhedron.
///
/// Where facets bound the polyhedron, this means what the conjunction of its
/// [comparisons](Region::comparisons) means, also where a function has no value. Where generators
/// do, the comparisons bound a part: whoever reads these alone (another planner, a file) takes
/// fewer steps, never a wrong one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Region {
    /// The columns: products of functions, by their factors.
    pub columns: Vec<Vec<LiftedFunction>>,
    /// The polyhedron, over these columns.
    pub set: Arc<Polyhedron>,
}

/// Comparisons that were gathered into one region.
pub struct Gathered {
    /// The region that they bound.
    pub region: Region,
    /// Which of the conditions are in it.
    pub members: FixedBitSet,
}

impl Region {
    /// Gathers all conditions that are linear in products of functions, unless they are fewer than
    /// `least`.
    ///
    /// Strict comparisons stay out, since a polyhedron is closed; so do those that read a function
    /// whose terms cancel, since that must have a value all the same.
    pub fn gather<'c>(
        conditions: impl IntoIterator<Item = &'c Condition>,
        least: usize,
    ) -> Option<Gathered> {
        let mut members = FixedBitSet::new();
        let mut linear = Linear::default();
        for (index, condition) in conditions.into_iter().enumerate() {
            members.grow(index + 1);
            if let Condition::Compare(comparison, sides) = condition {
                members.set(index, is_closed(*comparison) && linear.add_plain(sides, *comparison));
            }
        }
        if linear.forms.len() < least {
            return None;
        }
        let width = linear.columns.len() + 1;
        let (mut equations, mut inequalities) = (Vec::new(), Vec::new());
        for (mut form, comparison) in linear.forms {
            form.resize(width, Rational::ZERO);
            let row = Row::direction(&form);
            match comparison {
                Comparison::Equal => equations.push(Constraint::homogeneous(row)),
                Comparison::Greater | Comparison::GreaterOrEqual => {
                    inequalities.push(Constraint::homogeneous(row.negated()))
                }
                Comparison::Less | Comparison::LessOrEqual => {
                    inequalities.push(Constraint::homogeneous(row))
                }
            }
        }
        let set = Arc::new(Polyhedron::bounded(linear.columns.len(), equations, inequalities));
        Some(Gathered {
            region: Region { columns: linear.columns.into_iter().collect(), set },
            members,
        })
    }

    /// The conditions that bound it, or a part of it, as a person would write them: equations, then
    /// inequalities.
    pub fn comparisons(&self) -> impl Iterator<Item = Condition> + '_ {
        let equations = self.set.equations().iter().map(|equation| self.comparison(equation, true));
        equations
            .chain(self.set.inequalities().map(|inequality| self.comparison(inequality, false)))
    }

    /// Like [`Self::comparisons`], with coefficients that have no common factor if the number then
    /// is a decimal.
    pub fn short_comparisons(&self) -> impl Iterator<Item = Condition> + '_ {
        let short = |constraint, equation| {
            short_condition(|index| column(&self.columns[index]), constraint, equation)
        };
        let equations = self.set.equations().iter().map(move |equation| short(equation, true));
        equations.chain(self.set.inequalities().map(move |inequality| short(inequality, false)))
    }

    /// How many [comparisons](Region::comparisons) there are.
    pub fn len(&self) -> usize {
        self.set.equations().len() + self.set.facets().len()
    }

    /// Whether nothing bounds it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.set.is_complete()
    }

    /// The constraint that a comparison over some columns states, and whether it is an equation;
    /// `None` for what a region over these columns would write in another way.
    pub fn constraint(
        condition: &Condition,
        columns: &[Vec<LiftedFunction>],
    ) -> Option<(Constraint, bool)> {
        let Condition::Compare(comparison, sides) = condition else { return None };
        let mut linear = Linear::default();
        linear.columns.extend(columns.iter().map(|column| {
            let mut factors = column.clone();
            factors.sort_unstable();
            factors
        }));
        if !is_closed(*comparison)
            || !linear.add_plain(sides, *comparison)
            || linear.columns.len() > columns.len()
        {
            return None;
        }
        let (mut form, _) = linear.forms.pop()?;
        form.resize(columns.len() + 1, Rational::ZERO);
        let row = Row::direction(&form);
        let equation = *comparison == Comparison::Equal;
        let turned = *comparison == Comparison::GreaterOrEqual;
        let constraint = Constraint::homogeneous(if turned { row.negated() } else { row.clone() });
        if is_written(&constraint, columns, condition, equation) {
            return Some((constraint, equation));
        }
        // An equation may be written from either side.
        let opposite = Constraint::homogeneous(row.negated());
        (equation && is_written(&opposite, columns, condition, equation))
            .then_some((opposite, equation))
    }

    fn comparison(&self, constraint: &Constraint, equation: bool) -> Condition {
        linear_condition(|index| column(&self.columns[index]), constraint, equation)
    }

    /// The columns that are read, the others without factors: one that no facet mentions need not
    /// have a value.
    pub fn read(&self) -> impl Iterator<Item = &[LiftedFunction]> {
        let tester = self.set.tester();
        self.columns
            .iter()
            .enumerate()
            .map(|(index, column)| if tester.reads(index) { &column[..] } else { &[] })
    }

    /// What keeps a point out: conditions that all of the region satisfies and the point does not;
    /// none for a point of the region.
    pub(super) fn refusals(&self, point: &[Rational]) -> Vec<Condition> {
        let tester = self.set.tester();
        let failing = tester.failing(point).into_iter();
        let mut refusals: Vec<Condition> = failing
            .map(|index| {
                self.comparison(&tester.constraint(index), tester.test(index) == SignTest::Zero)
            })
            .collect();
        // What all of the set satisfies and this point does not says more than "outside".
        if let Some(PointPosition::Outside(separating)) = tester.position(point) {
            refusals.push(self.comparison(&separating, false));
        }
        refusals
    }
}

/// Whether a region over these columns would write the constraint as this condition.
fn is_written(
    constraint: &Constraint,
    columns: &[Vec<LiftedFunction>],
    condition: &Condition,
    equation: bool,
) -> bool {
    linear_condition(|index| column(&columns[index]), constraint, equation) == *condition
}

/// A product of functions as an expression.
fn column(factors: &[LiftedFunction]) -> Expression {
    match factors {
        [only] => Expression::Function(only.clone()),
        factors => Expression::Product(factors.iter().cloned().map(Expression::Function).collect()),
    }
}

fn is_closed(comparison: Comparison) -> bool {
    !matches!(comparison, Comparison::Less | Comparison::Greater)
}

impl Condition {
    /// The condition without regions: each is the conjunction of its comparisons, as PDDL has it.
    /// In a conjunction they stand in its place, without those that stand before it already.
    #[must_use]
    pub fn expanded(&self) -> Condition {
        match self {
            Condition::And(parts) => Condition::And(expanded(parts)),
            Condition::Or(parts) => Condition::Or(parts.iter().map(Condition::expanded).collect()),
            Condition::Not(inner) => Condition::Not(Box::new(inner.expanded())),
            Condition::Imply(both) => {
                Condition::Imply(Box::new([both[0].expanded(), both[1].expanded()]))
            }
            Condition::ForAll(variables, inner) => {
                Condition::ForAll(variables.clone(), Box::new(inner.expanded()))
            }
            Condition::Exists(variables, inner) => {
                Condition::Exists(variables.clone(), Box::new(inner.expanded()))
            }
            Condition::Within(region) => Condition::And(region.comparisons().collect()),
            Condition::Atom(_) | Condition::Same(..) | Condition::Compare(..) => self.clone(),
        }
    }

    /// Whether there is a region in it.
    pub fn has_regions(&self) -> bool {
        match self {
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().any(Condition::has_regions)
            }
            Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
                inner.has_regions()
            }
            Condition::Imply(both) => both.iter().any(Condition::has_regions),
            Condition::Within(_) => true,
            Condition::Atom(_) | Condition::Same(..) | Condition::Compare(..) => false,
        }
    }
}

/// The parts of a conjunction, without regions.
#[allow(
    clippy::mutable_key_type,
    reason = "the tester that a polyhedron makes on demand is no part of what it is compared by"
)]
fn expanded(parts: &[Condition]) -> Vec<Condition> {
    let mut all: Vec<(Condition, bool)> = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Condition::Within(region) => {
                all.extend(region.comparisons().map(|comparison| (comparison, true)))
            }
            other => all.push((other.expanded(), false)),
        }
    }
    let mut told = FxHashSet::default();
    // What the conjunction itself says twice stays so.
    let repeated: Vec<bool> =
        all.iter().map(|(part, of_region)| !told.insert(part) && *of_region).collect();
    all.into_iter()
        .zip(repeated)
        .filter(|(_, repeated)| !repeated)
        .map(|((part, _), _)| part)
        .collect()
}
