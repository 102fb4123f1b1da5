//! Numeric effects are determined wherever the model allows a step.
//!
//! Under a binding the functions that are one ground function form a *cell*. What becomes of a cell depends on the effects of its
//! members, and these read the vector x alone, so it is enough to look at one cell at a time. For each admitted binding the
//! *equations* are those of the precondition, those that say that columns are one product under the binding, and what guards leave.
//! They must confine x to where the steps determine what happens to the cell, in one of these ways:
//!
//! - *Nobody changes it.* Each member had, in some step, no value before and none after.
//! - *The cell was seen.* On the affine hull of the vectors with which exactly this cell was seen. Its members' effects do not conflict
//!   by their kinds, or it could not have been seen; increases add up to an affine change, scalings multiply, assignments agree on all
//!   that was seen, hence on its hull. So what really becomes of the cell is affine in x, and so is what the model makes of it, and
//!   they agree on points that span the hull.
//! - *Each member is known by itself, and they go together.* A member is known by itself on the affine hull of the vectors of steps in
//!   which it was alone; under an effect arity, where all maps that explain those steps agree with the model and each other. Two
//!   members may still conflict: one may be assigned, the other increased by what is zero there. At most one member f is changed by the
//!   model. Members that were seen in one cell have no conflicting kinds. Where both f and an unchanged u were assigned, they would
//!   have agreed wherever they were seen together, and u's assignment is no change where u is known by itself: a change at such a
//!   point excludes it. What is left adds up, multiplies, or is done by one alone, which is what the model says.
//!
//! All this takes for granted that the value before is among the columns, so that increases, assignments and scalings are maps of
//! columns alike. A function without a column of its own (it had no value before some step, or is not among the relevant ones) is
//! increased by a map of the columns, or assigned one, and the two differ elsewhere: the steps must exclude one of them, or equations
//! of the model that mention its own value must confine it to where they agree. One that had no value before some step is assigned or
//! left alone.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::Obligation;
use super::bindings::{BindingPattern, cells};
use super::evidence::{Evidence, Forms, LearnedEffect, LoneFunction, MAX_SUPPORTS, Nature, StepSpan, TooMany, members};
use super::guards::{Left, left};
use super::linear::{EquationSystem, NumberRow};
use super::vocabulary::ActionVocabulary;
use super::words::Reasons;
use crate::exact::Rational;
use crate::model::{Condition, Effect, NumericEffect, NumericOperator};

/// More cells than this are not looked at.
const MAX_CELLS: usize = 20_000_000;

/// What is to be verified, and by what.
pub(super) struct EffectCheck<'a> {
    vocabulary: &'a ActionVocabulary,
    evidence: Evidence<'a>,
    forms: Forms,
}

impl<'a> EffectCheck<'a> {
    pub(super) fn new(vocabulary: &'a ActionVocabulary, evidence: Evidence<'a>) -> Self {
        EffectCheck { vocabulary, evidence, forms: Forms::new() }
    }

    /// Verifies the numeric ones among the effects under all possible bindings.
    pub(super) fn check(
        &mut self,
        effects: &[&Effect],
        conditions: &[&Condition],
        equations: &EquationSystem,
        bindings: &[&BindingPattern],
        found: &mut Reasons<'_>,
    ) {
        if !self.read(effects, found) {
            return;
        }
        if bindings.len().saturating_mul(self.vocabulary.functions.len()) > MAX_CELLS {
            return found.push(Obligation::Unverifiable, "its functions can be one in too many ways");
        }
        let guards: Vec<&Condition> =
            conditions.iter().copied().filter(|condition| !matches!(condition, Condition::Compare(..))).collect();
        let mut asked: HashSet<(Vec<usize>, Vec<NumberRow>)> = HashSet::new();
        let mut open: BTreeSet<Vec<usize>> = BTreeSet::new();
        for binding in bindings {
            let Some(mut rows) = self.left(&guards, binding) else { continue };
            let cells = cells(binding, &self.vocabulary.functions);
            if !asked.insert((cells.clone(), rows.clone())) {
                continue;
            }
            self.same_products(&cells, &mut rows);
            let all = equations.with(&rows);
            if all.is_impossible() {
                continue;
            }
            let mut within: HashMap<usize, bool> = HashMap::new();
            for cell in members(&cells) {
                match self.determined(&cell, &all, &mut within) {
                    Ok(true) => {}
                    Ok(false) => {
                        if open.insert(cell.clone()) {
                            let names: Vec<String> = cell.iter().map(|&function| found.function(function)).collect();
                            let binding = found.binding(binding);
                            let what = names.join(", which is one with ");
                            found.push(Obligation::Effect, format!("the steps do not determine what becomes of {what}{binding}"));
                        }
                    }
                    Err(TooMany) => {
                        let names: Vec<String> = cell.iter().map(|&function| found.function(function)).collect();
                        return found.push(
                            Obligation::Unverifiable,
                            format!(
                                "there are more than {MAX_SUPPORTS} sets of functions that the effect on {} may read",
                                names.join(", ")
                            ),
                        );
                    }
                }
            }
        }
    }

    /// Reads the effects; whether they are of the class.
    fn read(&mut self, effects: &[&Effect], found: &mut Reasons<'_>) -> bool {
        for effect in effects {
            let numeric = match effect {
                Effect::Numeric(numeric) => numeric,
                Effect::Add(_) | Effect::Delete(_) => continue,
                _ => {
                    found.foreign_effect(effect);
                    return false;
                }
            };
            let Some((target, form)) = self.form(numeric) else {
                found.foreign_effect(effect);
                return false;
            };
            if self.evidence.unchanged[target] || (self.evidence.undefined[target] && form.kind != Nature::Assigns) {
                let function = found.function(target);
                found.push(Obligation::Effect, format!("it changes {function}, which a step shows that it does not"));
                return false;
            }
            if self.forms.insert(target, form).is_some() {
                found.foreign_effect(effect);
                return false;
            }
        }
        true
    }

    /// The function that an effect changes, and how; `None` where it is not of the class.
    fn form(&self, numeric: &NumericEffect) -> Option<(usize, LearnedEffect)> {
        let target = self.vocabulary.function(&numeric.target)?;
        let value = self.vocabulary.polynomial(&numeric.value)?.row(self.evidence.columns)?;
        // It reads columns of the class, and itself.
        let mut beside = (self.evidence.columns.active + 1..value.len()).filter(|&at| !value[at].is_zero());
        if beside.any(|at| Some(at) != self.evidence.own(target)) {
            return None;
        }
        let form = match numeric.operator {
            NumericOperator::Increase => LearnedEffect { kind: Nature::Adds, map: value },
            NumericOperator::Decrease => LearnedEffect { kind: Nature::Adds, map: value.iter().map(|entry| -entry).collect() },
            NumericOperator::Assign => LearnedEffect { kind: Nature::Assigns, map: value },
            NumericOperator::ScaleUp => self.scaling(target, constant(&value)?)?,
            NumericOperator::ScaleDown => self.scaling(target, constant(&value)?.recip()?)?,
        };
        Some((target, form))
    }

    /// A function times a factor; `None` where it has no column of its own.
    fn scaling(&self, function: usize, factor: Rational) -> Option<LearnedEffect> {
        let mut after = vec![Rational::ZERO; self.evidence.columns.width()];
        after[self.evidence.own(function)?] = factor;
        Some(LearnedEffect { kind: Nature::Any, map: after })
    }

    /// What guards leave under a binding; `None` where they cannot hold.
    fn left(&self, guards: &[&Condition], binding: &BindingPattern) -> Option<Vec<NumberRow>> {
        let mut rows = Vec::new();
        for guard in guards {
            match left(guard, binding, self.vocabulary, self.evidence.columns) {
                Left::False => return None,
                Left::True => {}
                Left::Only(equations) => rows.extend(equations),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// Adds that columns are equal which are one product.
    fn same_products(&self, cells: &[usize], rows: &mut Vec<NumberRow>) {
        let mut first: HashMap<Vec<usize>, usize> = HashMap::new();
        for (number, column) in self.evidence.columns.all.iter().enumerate() {
            let mut product: Vec<usize> = column.iter().map(|&factor| cells[factor]).collect();
            product.sort_unstable();
            let same = *first.entry(product).or_insert(number);
            if same != number {
                let mut row = vec![Rational::ZERO; self.evidence.columns.width()];
                row[same + 1] = Rational::ONE;
                row[number + 1] = Rational::integer(-1);
                rows.push(row);
            }
        }
    }

    /// Whether the equations keep to where the steps determine what becomes of a cell.
    fn determined(
        &mut self,
        cell: &[usize],
        equations: &EquationSystem,
        within: &mut HashMap<usize, bool>,
    ) -> Result<bool, TooMany> {
        let live: Vec<usize> = cell.iter().copied().filter(|&function| !self.evidence.unchanged[function]).collect();
        if live.is_empty() {
            return Ok(true);
        }
        if self.evidence.cell(cell, &live).iter().any(|hull| self.stays(equations, hull, within)) {
            return Ok(true);
        }
        let mut changing: Vec<(usize, LoneFunction)> = Vec::new();
        for &member in &live {
            let Some(alone) = self.evidence.alone(member, &self.forms) else { return Ok(false) };
            if alone.nature == Nature::Nothing {
                continue;
            }
            if !self.stays(equations, &alone.hull, within) {
                let Some(needed) = self.evidence.needed(member, &alone, &self.forms)? else { return Ok(false) };
                if !needed.iter().all(|row| equations.imply(row)) {
                    return Ok(false);
                }
            }
            changing.push((member, alone));
        }
        let changed = changing.iter().filter(|(member, _)| self.forms.contains_key(member)).count();
        if changing.len() <= 1 || changing.iter().all(|(_, alone)| alone.adds()) {
            return Ok(true);
        }
        if changed > 1 {
            return Ok(false);
        }
        for (index, (one, first)) in changing.iter().enumerate() {
            for (other, second) in &changing[index + 1..] {
                if first.adds() && second.adds() {
                    continue;
                }
                let together = self.evidence.together(*one, *other);
                let changes = self.forms.contains_key(one) || self.forms.contains_key(other);
                let harmless = !changes || first.adds() || second.adds();
                if together.is_empty()
                    || !(harmless || self.evidence.changed_together((*one, first), (*other, second), &together, &self.forms)?)
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn stays(&self, equations: &EquationSystem, hull: &StepSpan, within: &mut HashMap<usize, bool>) -> bool {
        *within.entry(hull.number).or_insert_with(|| equations.stay_in(&hull.span, &hull.entries))
    }
}

/// The number that a row is when it mentions no column.
fn constant(row: &NumberRow) -> Option<Rational> {
    row.iter().skip(1).all(Rational::is_zero).then(|| row[0].clone())
}
