//! Numeric effects are determined wherever the model allows a step.
//!
//! Under a binding the functions that alias form a *cell*. The new value of a cell depends on the
//! effects of its members, and these read the vector x alone, so it is enough to look at one cell
//! at a time. For each admitted binding the *equations* are those of the precondition, those that
//! say that columns are the same product under the binding, and what guards leave. They must
//! confine x to where the steps determine what happens to the cell, in one of these ways:
//!
//! - *Nobody changes it.* Each member had, in some step, no value before and none after.
//! - *The cell was seen.* On the affine hull of the vectors with which exactly this cell was seen.
//!   Its members' effects do not conflict by their kinds, or it could not have been seen; increases
//!   add up to an affine change, scalings multiply, assignments agree on all that was seen, hence
//!   on its hull. So what really becomes of the cell is affine in x, and so is what the model makes
//!   of it, and they agree on points that span the hull.
//! - *Each member is known by itself, and every two of them go together.* A member is known by
//!   itself on the affine hull of the vectors of steps in which it was alone; under an effect
//!   arity, where all maps that explain those steps agree with the model and each other. Two
//!   members may still conflict: one may be assigned, the other increased by what is zero there.
//!   Two that can only be increased do not. Else they must have been seen in one cell, so that
//!   their kinds do not conflict, and the model changes at most one of them at x. Where it changes
//!   one, f, the other, u, must not be assigned beside it: two assignments that were seen in one
//!   cell agree on the span of what was seen, so that the cell changes by d_u wherever u is known
//!   by itself, and by d_f wherever f is. A change that differs excludes it. What is left adds up,
//!   multiplies, or is done by one alone, which is what the model says.
//!
//! A guard may leave several sets of equations. Then each point of the model is in one of them. For
//! every two members there must be a guard, all of whose sets keep to where the cell was seen, or
//! to where these two go together: so each point is where the cell was seen, or all members go
//! together.
//!
//! All this takes for granted that the value before is among the columns, so that increases,
//! assignments and scalings are maps of columns alike. A function without a column of its own (it
//! had no value before some step, or is not among the relevant ones) is increased by a map of the
//! columns, or assigned one, and the two differ elsewhere: the steps must exclude one of them, or
//! equations of the model that mention its own value must confine it to where they agree. One that
//! had no value before some step is assigned or left alone.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::Obligation;
use super::bindings::{BindingPattern, cells};
use super::evidence::{
    Forms, LearnedEffect, LoneFunction, MAX_SUPPORTS, Nature, StepEvidence, StepSpan, TooMany,
    members,
};
use super::guards::{Left, left};
use super::linear::{EquationSystem, NumberRow};
use super::vocabulary::ActionVocabulary;
use super::words::Reasons;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Condition, Effect, NumericEffect, NumericOperator};

/// More cells than this are not looked at.
const MAX_CELLS: usize = 20_000_000;

/// What is to be verified, and by what.
pub(super) struct EffectCheck<'a> {
    vocabulary: &'a ActionVocabulary,
    evidence: StepEvidence<'a>,
    forms: Forms,
    /// By pair of functions.
    never_both_assigned: HashMap<(usize, usize), bool>,
}

impl<'a> EffectCheck<'a> {
    pub(super) fn new(vocabulary: &'a ActionVocabulary, evidence: StepEvidence<'a>) -> Self {
        EffectCheck {
            vocabulary,
            evidence,
            forms: Forms::new(),
            never_both_assigned: HashMap::new(),
        }
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
            return found
                .push(Obligation::Unverifiable, "its functions can be one in too many ways");
        }
        let guards: Vec<&Condition> = conditions
            .iter()
            .copied()
            .filter(|condition| !matches!(condition, Condition::Compare(..)))
            .collect();
        let mut asked: HashSet<(Vec<usize>, LeftOfGuards)> = HashSet::new();
        let mut open: BTreeSet<Vec<usize>> = BTreeSet::new();
        for binding in bindings {
            let Some(left) = self.left(&guards, binding) else { continue };
            let cells = cells(binding, &self.vocabulary.functions);
            if !asked.insert((cells.clone(), left.clone())) {
                continue;
            }
            let LeftOfGuards { mut rows, alternatives } = left;
            self.same_products(&cells, &mut rows);
            let all = equations.with(&rows);
            if all.is_impossible() {
                continue;
            }
            let guards = alternatives
                .iter()
                .map(|sets| sets.iter().map(|rows| PointSet::new(all.with(rows))).collect())
                .collect();
            let mut allowed = AllowedPoints { guards, always: PointSet::new(all) };
            for cell in members(&cells) {
                match self.determined(&cell, &mut allowed) {
                    Ok(true) => {}
                    Ok(false) => {
                        if open.insert(cell.clone()) {
                            let names: Vec<String> =
                                cell.iter().map(|&function| found.function(function)).collect();
                            let binding = found.binding(binding);
                            let what = names.join(", which is one with ");
                            found.push(
                                Obligation::Effect,
                                format!(
                                    "the steps do not determine what becomes of {what}{binding}"
                                ),
                            );
                        }
                    }
                    Err(TooMany) => {
                        let names: Vec<String> =
                            cell.iter().map(|&function| found.function(function)).collect();
                        return found.push(
                            Obligation::Unverifiable,
                            format!(
                                "there are more than {MAX_SUPPORTS} sets of functions that the \
                                 effect on {} may read",
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
            if self.evidence.unchanged[target]
                || (self.evidence.undefined[target] && form.kind != Nature::Assigns)
            {
                let function = found.function(target);
                found.push(
                    Obligation::Effect,
                    format!("it changes {function}, which a step shows that it does not"),
                );
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
        let mut beside =
            (self.evidence.columns.active + 1..value.len()).filter(|&at| !value[at].is_zero());
        if beside.any(|at| Some(at) != self.evidence.own(target)) {
            return None;
        }
        let form = match numeric.operator {
            NumericOperator::Increase => LearnedEffect { kind: Nature::Adds, map: value },
            NumericOperator::Decrease => LearnedEffect {
                kind: Nature::Adds,
                map: value.iter().map(|entry| -entry).collect(),
            },
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
    fn left(&self, guards: &[&Condition], binding: &BindingPattern) -> Option<LeftOfGuards> {
        let (mut rows, mut alternatives) = (Vec::new(), Vec::new());
        for guard in guards {
            match left(guard, binding, self.vocabulary, self.evidence.columns) {
                Left::False => return None,
                Left::True => {}
                Left::Only(equations) => rows.extend(equations),
                Left::Either(sets) => alternatives.push(sets),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        alternatives.sort_unstable();
        alternatives.dedup();
        Some(LeftOfGuards { rows, alternatives })
    }

    /// Adds that columns are equal if they are the same product.
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

    /// Whether the model stays where the steps determine the new value of a cell.
    fn determined(&mut self, cell: &[usize], allowed: &mut AllowedPoints) -> Result<bool, TooMany> {
        let live: Vec<usize> =
            cell.iter().copied().filter(|&function| !self.evidence.unchanged[function]).collect();
        let seen = self.evidence.cell(cell, &live);
        if live.is_empty() || seen.iter().any(|hull| allowed.always.stay_in(hull)) {
            return Ok(true);
        }
        // A member is free with itself where it is known.
        for (index, &one) in live.iter().enumerate() {
            for &other in &live[index..] {
                if !self.is_free([one, other], &mut allowed.always)?
                    && !self.is_free_in_all(&seen, [one, other], allowed)?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether some guard stays where the cell was observed, or two of its members are free.
    fn is_free_in_all(
        &mut self,
        seen: &[Rc<StepSpan>],
        pair: [usize; 2],
        allowed: &mut AllowedPoints,
    ) -> Result<bool, TooMany> {
        'guards: for alternatives in &mut allowed.guards {
            for points in alternatives {
                if !seen.iter().any(|hull| points.stay_in(hull)) && !self.is_free(pair, points)? {
                    continue 'guards;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether two functions that alias are free at some points. They are if each is known by
    /// itself and both at most increase. They also are if they were observed as aliases, at most
    /// one of them changes there, and the other is not assigned.
    fn is_free(
        &mut self,
        [one, other]: [usize; 2],
        points: &mut PointSet,
    ) -> Result<bool, TooMany> {
        let (Some(first), Some(second)) =
            (self.evidence.alone(one, &self.forms), self.evidence.alone(other, &self.forms))
        else {
            return Ok(false);
        };
        for (member, alone) in [(one, &first), (other, &second)] {
            if alone.nature != Nature::Nothing && !points.stay_in(&alone.hull) {
                let Some(needed) = self.evidence.needed(member, alone, &self.forms)? else {
                    return Ok(false);
                };
                if !needed.iter().all(|row| points.equations.imply(row)) {
                    return Ok(false);
                }
            }
        }
        let harmless = [&first, &second].iter().any(|alone| alone.nature == Nature::Nothing);
        if one == other || harmless || first.adds() && second.adds() {
            return Ok(true);
        }
        if self.evidence.together(one, other).is_empty() {
            return Ok(false);
        }
        let still = |function: usize| {
            self.change(function).is_some_and(|change| points.equations.imply(&change))
        };
        Ok(match (still(one), still(other)) {
            (true, true) => true,
            (false, false) => false,
            _ => {
                first.adds()
                    || second.adds()
                    || self.never_both_assigned((one, &first), (other, &second))?
            }
        })
    }

    /// Whether the steps exclude that both of two functions are assigned, when they were observed
    /// as aliases.
    fn never_both_assigned(
        &mut self,
        (one, first): (usize, &LoneFunction),
        (other, second): (usize, &LoneFunction),
    ) -> Result<bool, TooMany> {
        let pair = (one.min(other), one.max(other));
        if let Some(&known) = self.never_both_assigned.get(&pair) {
            return Ok(known);
        }
        let together = self.evidence.together(one, other);
        let mut excluded = false;
        for (member, alone) in [(one, first), (other, second)] {
            if let Some(change) = self.change(member).filter(|_| !excluded) {
                excluded = self.evidence.changed_otherwise(
                    member,
                    alone,
                    &change,
                    &together,
                    &self.forms,
                )?;
            }
        }
        self.never_both_assigned.insert(pair, excluded);
        Ok(excluded)
    }

    /// By how much the model changes a function; `None` where the value before is no column.
    fn change(&self, function: usize) -> Option<NumberRow> {
        let width = self.evidence.columns.width();
        match self.forms.get(&function) {
            None => Some(vec![Rational::ZERO; width]),
            Some(LearnedEffect { kind: Nature::Adds, map }) => Some(map.clone()),
            Some(form) => {
                let mut change = form.map.clone();
                let own = self.evidence.own(function)?;
                change[own] = &change[own] - &Rational::ONE;
                Some(change)
            }
        }
    }
}

/// What guards leave under a binding.
#[derive(Clone, PartialEq, Eq, Hash)]
struct LeftOfGuards {
    /// Equations that hold at the point.
    rows: Vec<NumberRow>,
    /// For each guard with alternatives: sets of equations, one of which holds.
    alternatives: Vec<Vec<Vec<NumberRow>>>,
}

/// Points that satisfy some equations, and in which hulls they are known to lie.
struct PointSet {
    equations: EquationSystem,
    /// By number of the hull.
    within: HashMap<usize, bool>,
}

impl PointSet {
    fn new(equations: EquationSystem) -> Self {
        PointSet { equations, within: HashMap::new() }
    }

    fn stay_in(&mut self, hull: &StepSpan) -> bool {
        *self
            .within
            .entry(hull.number)
            .or_insert_with(|| self.equations.stay_in(&hull.span, &hull.entries))
    }
}

/// The points that a model allows under a binding.
struct AllowedPoints {
    /// The points that all conditions without alternatives allow.
    always: PointSet,
    /// For each guard with alternatives: sets of points, one of which contains each allowed point.
    guards: Vec<Vec<PointSet>>,
}

/// The number that a row is when it mentions no column.
fn constant(row: &NumberRow) -> Option<Rational> {
    row.iter().skip(1).all(Rational::is_zero).then(|| row[0].clone())
}
