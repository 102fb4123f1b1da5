//! The one definition of "applicable" and "successor". Learner, planner, validator and simulator
//! all mean this.
//!
//! - Right-hand sides and the conditions of conditional effects read the state before the step.
//! - Deletes come before adds: an atom that a step both deletes and adds is true afterwards.
//! - A function without a value is never taken for zero: reading it is a [`Fault`], and so is
//!   division by zero. What is unknown is neither true nor false, and no number: reading it is a
//!   fault as well. Conditions are evaluated in strong Kleene logic, so the outcome never depends
//!   on the order in which they are written: a false conjunct makes a conjunction false whatever
//!   its neighbours are, otherwise a fault makes it faulty. A faulty precondition or effect makes
//!   the step inapplicable.
//! - So is a number of more than [`BITS`] bits: squaring a value in every step doubles its digits,
//!   and a plan of fifty such steps would otherwise fill any memory.
//! - Several increases and decreases of one function add up, several scalings multiply. Any other
//!   combination is a conflict, and makes the step inapplicable, unless all assign the same value.
//! - Comparisons are exact. A [tolerance](Semantics::with_tolerance) loosens the numeric
//!   comparisons of preconditions and goals, and nothing else.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::action::{Action, Domain, Metric};
use super::expression::{
    Comparison, Condition, Effect, Expression, LiftedFunction, NumericEffect, NumericOperator,
    Variable,
};
use super::ids::ObjectId;
use super::region::Region;
use super::signature::Objects;
use super::state::{GroundAction, GroundAtom, GroundFunction, State, Universe};
use crate::exact::Rational;

/// The most bits that a numerator or a denominator may have: some 300,000 decimal digits.
pub const BITS: usize = 1 << 20;

/// Why an expression has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The function has no value in the state.
    Undefined(GroundFunction),
    /// The function has a value, but the state does not say which.
    Unknown(GroundFunction),
    /// The state does not say whether the atom is true.
    UnknownAtom(GroundAtom),
    /// The divisor is zero.
    DivisionByZero,
    /// The value, or a part of it, has more than [`BITS`] bits.
    TooLarge,
    /// `total-time` was read outside a metric, where it means nothing.
    TotalTime,
}

/// A condition that does not hold, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The condition: a conjunct, as small as the formula allows.
    pub condition: Condition,
    /// The objects in the slots of its variables.
    pub environment: Vec<ObjectId>,
    /// Why it does not hold.
    pub cause: ViolationCause,
}

/// Why a condition does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ViolationCause {
    /// The condition is false.
    False,
    /// It is a comparison that is false for these two values.
    Values(Rational, Rational),
    /// It has no truth value.
    Fault(Fault),
}

/// Why a step cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inapplicable {
    /// The number of arguments differs from the number of parameters, or an argument does not have
    /// its parameter's type; with the index of the first such parameter (or the number of
    /// parameters).
    Arguments(usize),
    /// These parts of the precondition do not hold.
    Precondition(Vec<Violation>),
    /// An effect has no value.
    Effect(Fault),
    /// Effects disagree about this function.
    Conflict(GroundFunction),
}

/// What a step changes: deletes before adds, then the new values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepChanges {
    /// Atoms that become false, unless also added.
    pub deletes: Vec<GroundAtom>,
    /// Atoms that become true.
    pub adds: Vec<GroundAtom>,
    /// Functions and the values they have afterwards.
    pub values: Vec<(GroundFunction, Rational)>,
}

impl StepChanges {
    /// Makes the changes in a state.
    pub fn apply(&self, universe: &mut Universe, state: &mut State) {
        for atom in &self.deletes {
            if let Some(id) = universe.find_atom(atom) {
                state.remove(id);
            }
        }
        for atom in &self.adds {
            state.insert(universe.atom(atom));
        }
        for (function, value) in &self.values {
            state.set_value(universe.value(function), value.clone());
        }
    }
}

/// The meaning of a domain's actions over some objects.
#[derive(Clone, Debug)]
pub struct Semantics<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
    tolerance: Rational,
}

impl<'a> Semantics<'a> {
    /// The semantics without a tolerance.
    pub fn new(domain: &'a Domain, objects: &'a Objects) -> Self {
        Semantics { domain, objects, tolerance: Rational::ZERO }
    }

    /// Loosens the numeric comparisons of preconditions and goals: each may be missed by up to
    /// `tolerance` (its absolute value counts). Under a negation the comparison is tightened, so
    /// that the whole is loosened.
    pub fn with_tolerance(self, tolerance: &Rational) -> Self {
        Semantics { tolerance: tolerance.abs(), ..self }
    }

    /// Whether a condition without free variables (a goal) holds.
    pub fn holds(
        &self,
        condition: &Condition,
        universe: &Universe,
        state: &State,
    ) -> Result<bool, Fault> {
        self.evaluation(universe, state, &[]).truth(condition, true)
    }

    /// The parts of a condition without free variables (a goal) that do not hold; none when it
    /// holds.
    pub fn violations(
        &self,
        condition: &Condition,
        universe: &Universe,
        state: &State,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        self.evaluation(universe, state, &[]).violations(condition, &mut found);
        found
    }

    /// Whether the step can be taken.
    pub fn applicable(
        &self,
        step: &GroundAction,
        universe: &Universe,
        state: &State,
    ) -> Result<(), Inapplicable> {
        self.changes(step, universe, state).map(drop)
    }

    /// What the step changes, if it can be taken.
    pub fn changes(
        &self,
        step: &GroundAction,
        universe: &Universe,
        state: &State,
    ) -> Result<StepChanges, Inapplicable> {
        self.domain.check_arguments(step, self.objects).map_err(Inapplicable::Arguments)?;
        let action = self.domain.action(step.symbol);
        let mut evaluation = self.evaluation(universe, state, &step.arguments);
        evaluation.admits(action).map_err(Inapplicable::Precondition)?;
        evaluation.effects(&action.effect)
    }

    /// What the step changes, for a step whose arguments fit and whose precondition is known to
    /// hold.
    pub fn effects(
        &self,
        step: &GroundAction,
        universe: &Universe,
        state: &State,
    ) -> Result<StepChanges, Inapplicable> {
        self.evaluation(universe, state, &step.arguments)
            .effects(&self.domain.action(step.symbol).effect)
    }

    /// Whether a condition holds with these objects in the slots of its variables.
    pub fn holds_with(
        &self,
        condition: &Condition,
        environment: &[ObjectId],
        universe: &Universe,
        state: &State,
    ) -> Result<bool, Fault> {
        self.evaluation(universe, state, environment).truth(condition, true)
    }

    /// The state after the step, if it can be taken.
    pub fn successor(
        &self,
        step: &GroundAction,
        universe: &mut Universe,
        state: &State,
    ) -> Result<State, Inapplicable> {
        let changes = self.changes(step, universe, state)?;
        let mut next = state.clone();
        changes.apply(universe, &mut next);
        Ok(next)
    }

    /// The metric's value in the last state of a plan of `steps` steps.
    pub fn metric(
        &self,
        metric: &Metric,
        universe: &Universe,
        state: &State,
        steps: usize,
    ) -> Result<Rational, Fault> {
        let mut evaluation = self.evaluation(universe, state, &[]);
        evaluation.total_time = i64::try_from(steps).ok().map(Rational::integer);
        evaluation.value(&metric.expression)
    }

    fn evaluation<'s>(
        &'s self,
        universe: &'s Universe,
        state: &'s State,
        arguments: &[ObjectId],
    ) -> StateEvaluation<'s> {
        StateEvaluation {
            domain: self.domain,
            objects: self.objects,
            tolerance: &self.tolerance,
            universe,
            state,
            environment: arguments.to_vec(),
            total_time: None,
        }
    }
}

/// One look at one state, with objects in the slots.
struct StateEvaluation<'s> {
    domain: &'s Domain,
    objects: &'s Objects,
    tolerance: &'s Rational,
    universe: &'s Universe,
    state: &'s State,
    environment: Vec<ObjectId>,
    total_time: Option<Rational>,
}

/// All numeric effects on one function, combined.
#[derive(Clone, PartialEq, Eq)]
enum CombinedEffect {
    Assign(Rational),
    Add(Rational),
    Scale(Rational),
}

#[derive(Default)]
struct Collected {
    deletes: Vec<GroundAtom>,
    adds: Vec<GroundAtom>,
    values: IndexMap<GroundFunction, CombinedEffect, FxBuildHasher>,
}

impl StateEvaluation<'_> {
    /// Whether the precondition holds: what keeps it from holding, where it does not.
    fn admits(&mut self, action: &Action) -> Result<(), Vec<Violation>> {
        if self.truth(&action.precondition, true) == Ok(true) {
            return Ok(());
        }
        let mut lacking = Vec::new();
        self.violations(&action.precondition, &mut lacking);
        Err(lacking)
    }

    /// The point of a region's columns; a column that is not read counts as one. And the bits of
    /// all numbers it is made of, with those of the region's own: no value of a comparison of the
    /// region has more.
    fn point(&self, region: &Region) -> Result<(Vec<Rational>, usize), Fault> {
        let mut bits = region.set.tester().bits();
        let mut point = Vec::with_capacity(region.columns.len());
        for column in region.read() {
            let mut product = Rational::ONE;
            for function in column {
                let value = self.read(function)?;
                bits =
                    bits.saturating_add(if value.as_small().is_some() { 64 } else { value.bits() });
                product = bounded(&product * &value)?;
            }
            point.push(product);
        }
        Ok((point, bits))
    }

    /// The point of a region, where all its conditions can be decided at once: they are exact, and
    /// every value they read is there and small enough. What generators bound is always exact, and
    /// has no conditions to be decided one by one.
    fn point_at_once(&self, region: &Region) -> Option<Result<Vec<Rational>, Fault>> {
        if !region.set.is_complete() {
            return Some(self.point(region).map(|(point, _)| point));
        }
        let (point, bits) = self.point(region).ok().filter(|_| self.tolerance.is_zero())?;
        (bits <= BITS).then_some(Ok(point))
    }

    fn within(&mut self, region: &Region, positive: bool) -> Result<bool, Fault> {
        match self.point_at_once(region) {
            Some(point) => Ok(region.set.contains(&point?)),
            None => settled(
                false,
                region.comparisons().map(|comparison| self.truth(&comparison, positive)),
            ),
        }
    }

    /// Adds the comparisons that keep a point out of a region.
    fn refused(&mut self, region: &Region, found: &mut Vec<Violation>) {
        match self.point_at_once(region) {
            Some(Ok(point)) => {
                region.refusals(&point).iter().for_each(|refusal| self.violations(refusal, found))
            }
            Some(Err(_)) => {
                for column in &region.columns {
                    let value = Expression::Product(
                        column.iter().cloned().map(Expression::Function).collect(),
                    );
                    // False for no number, but without a truth value where there is none.
                    self.violations(
                        &Condition::Compare(Comparison::Equal, Box::new([value.clone(), value])),
                        found,
                    );
                }
            }
            None => self.violations(&Condition::And(region.comparisons().collect()), found),
        }
    }

    fn read(&self, function: &LiftedFunction) -> Result<Rational, Fault> {
        let function = function.ground(&self.environment);
        let known = self.universe.find_value(&function).and_then(|id| self.state.value(id));
        known.cloned().ok_or_else(|| self.without_value(function))
    }

    /// Why a function has no value that could be read.
    fn without_value(&self, function: GroundFunction) -> Fault {
        let unknown =
            self.universe.find_value(&function).is_some_and(|id| self.state.is_value_unknown(id));
        if unknown { Fault::Unknown(function) } else { Fault::Undefined(function) }
    }

    /// Effects are exact, whatever the tolerance.
    fn effects(&mut self, effect: &Effect) -> Result<StepChanges, Inapplicable> {
        self.tolerance = &Rational::ZERO;
        let mut collected = Collected::default();
        self.collect(effect, &mut collected)?;
        self.finish(collected)
    }

    /// The truth of a condition. `positive` is false below an odd number of negations, where
    /// loosening the whole formula means tightening the comparison.
    fn truth(&mut self, condition: &Condition, positive: bool) -> Result<bool, Fault> {
        match condition {
            Condition::And(parts) => {
                settled(false, parts.iter().map(|part| self.truth(part, positive)))
            }
            Condition::Or(parts) => {
                settled(true, parts.iter().map(|part| self.truth(part, positive)))
            }
            Condition::Not(inner) => self.truth(inner, !positive).map(|truth| !truth),
            Condition::Imply(both) => {
                let [premise, conclusion] = &**both;
                let refuted = self.truth(premise, !positive).map(|truth| !truth);
                settled(true, [refuted, self.truth(conclusion, positive)])
            }
            Condition::ForAll(variables, body) => {
                self.quantified(variables, false, |this| this.truth(body, positive))
            }
            Condition::Exists(variables, body) => {
                self.quantified(variables, true, |this| this.truth(body, positive))
            }
            Condition::Atom(atom) => {
                let atom = atom.ground(&self.environment);
                match self.universe.find_atom(&atom) {
                    Some(id) if self.state.is_atom_unknown(id) => Err(Fault::UnknownAtom(atom)),
                    id => Ok(id.is_some_and(|id| self.state.contains(id))),
                }
            }
            Condition::Same(left, right) => {
                Ok(left.ground(&self.environment) == right.ground(&self.environment))
            }
            Condition::Compare(comparison, sides) => {
                let (left, right) = (self.value(&sides[0])?, self.value(&sides[1])?);
                Ok(compares(*comparison, &left, &right, self.tolerance, positive))
            }
            Condition::Within(region) => self.within(region, positive),
        }
    }

    /// Kleene's `or` (`decisive` true) or `and` (`decisive` false) over all values of the
    /// variables.
    fn quantified(
        &mut self,
        variables: &[Variable],
        decisive: bool,
        mut body: impl FnMut(&mut Self) -> Result<bool, Fault>,
    ) -> Result<bool, Fault> {
        let mut outcome = Ok(!decisive);
        self.for_each(variables, |this| {
            match body(this) {
                Ok(truth) if truth == decisive => {
                    outcome = Ok(decisive);
                    return false;
                }
                Ok(_) => {}
                Err(fault) if outcome.is_ok() => outcome = Err(fault),
                Err(_) => {}
            }
            true
        });
        outcome
    }

    /// Runs `visit` for every value of the variables, until it returns false.
    fn for_each(&mut self, variables: &[Variable], mut visit: impl FnMut(&mut Self) -> bool) {
        let candidates: Vec<Vec<ObjectId>> = variables
            .iter()
            .map(|variable| {
                self.objects.of(&self.domain.signature.types, &variable.types).collect()
            })
            .collect();
        if candidates.iter().any(Vec::is_empty) {
            return;
        }
        let base = self.environment.len();
        let mut choice = vec![0; candidates.len()];
        loop {
            self.environment.truncate(base);
            self.environment
                .extend(choice.iter().zip(&candidates).map(|(&index, objects)| objects[index]));
            let go_on = visit(self);
            // The next choice, last variable fastest: an odometer.
            let turned = (0..choice.len()).rev().find(|&wheel| {
                choice[wheel] = (choice[wheel] + 1) % candidates[wheel].len();
                choice[wheel] != 0
            });
            if !go_on || turned.is_none() {
                break;
            }
        }
        self.environment.truncate(base);
    }

    fn value(&mut self, expression: &Expression) -> Result<Rational, Fault> {
        match expression {
            Expression::Number(number) => Ok(number.clone()),
            Expression::Function(function) => self.read(function),
            Expression::Sum(terms) => terms
                .iter()
                .try_fold(Rational::ZERO, |sum, term| bounded(&sum + &self.value(term)?)),
            Expression::Product(factors) => {
                factors.iter().try_fold(Rational::ONE, |product, factor| {
                    bounded(&product * &self.value(factor)?)
                })
            }
            Expression::Difference(sides) => {
                bounded(&self.value(&sides[0])? - &self.value(&sides[1])?)
            }
            Expression::Negation(inner) => Ok(-&self.value(inner)?),
            Expression::Quotient(sides) => {
                let (dividend, divisor) = (self.value(&sides[0])?, self.value(&sides[1])?);
                bounded(dividend.checked_div(&divisor).ok_or(Fault::DivisionByZero)?)
            }
            Expression::TotalTime => self.total_time.clone().ok_or(Fault::TotalTime),
        }
    }

    /// Adds the smallest parts of the condition that keep it from holding.
    fn violations(&mut self, condition: &Condition, found: &mut Vec<Violation>) {
        let cause = match self.truth(condition, true) {
            Ok(true) => return,
            Ok(false) => ViolationCause::False,
            Err(fault) => ViolationCause::Fault(fault),
        };
        let cause = match condition {
            Condition::And(parts) if !parts.is_empty() => {
                // Where something is plainly false, faults beside it are not what decides.
                let plainly = cause == ViolationCause::False;
                for part in parts {
                    if !plainly || self.truth(part, true) == Ok(false) {
                        self.violations(part, found);
                    }
                }
                return;
            }
            Condition::ForAll(variables, body) => {
                let plainly = cause == ViolationCause::False;
                self.for_each(variables, |this| {
                    let decides = if plainly {
                        this.truth(body, true) == Ok(false)
                    } else {
                        this.truth(body, true).is_err()
                    };
                    if decides {
                        this.violations(body, found);
                    }
                    // One counterexample is enough.
                    !decides
                });
                return;
            }
            Condition::Within(region) => return self.refused(region, found),
            Condition::Compare(_, sides) => match (self.value(&sides[0]), self.value(&sides[1])) {
                (Ok(left), Ok(right)) => ViolationCause::Values(left, right),
                _ => cause,
            },
            _ => cause,
        };
        found.push(Violation {
            condition: condition.clone(),
            environment: self.environment.clone(),
            cause,
        });
    }

    fn collect(&mut self, effect: &Effect, into: &mut Collected) -> Result<(), Inapplicable> {
        match effect {
            Effect::And(parts) => parts.iter().try_for_each(|part| self.collect(part, into)),
            Effect::Add(atom) => {
                into.adds.push(atom.ground(&self.environment));
                Ok(())
            }
            Effect::Delete(atom) => {
                into.deletes.push(atom.ground(&self.environment));
                Ok(())
            }
            Effect::Numeric(numeric) => self.collect_numeric(numeric, into),
            Effect::When(condition, inner) => match self.truth(condition, true) {
                Ok(true) => self.collect(inner, into),
                Ok(false) => Ok(()),
                Err(fault) => Err(Inapplicable::Effect(fault)),
            },
            Effect::ForAll(variables, inner) => {
                let mut outcome = Ok(());
                self.for_each(variables, |this| {
                    outcome = this.collect(inner, into);
                    outcome.is_ok()
                });
                outcome
            }
        }
    }

    fn collect_numeric(
        &mut self,
        effect: &NumericEffect,
        into: &mut Collected,
    ) -> Result<(), Inapplicable> {
        let value = self.value(&effect.value).map_err(Inapplicable::Effect)?;
        let change = match effect.operator {
            NumericOperator::Assign => CombinedEffect::Assign(value),
            NumericOperator::Increase => CombinedEffect::Add(value),
            NumericOperator::Decrease => CombinedEffect::Add(-&value),
            NumericOperator::ScaleUp => CombinedEffect::Scale(value),
            NumericOperator::ScaleDown => CombinedEffect::Scale(
                value.recip().ok_or(Inapplicable::Effect(Fault::DivisionByZero))?,
            ),
        };
        match into.values.entry(effect.target.ground(&self.environment)) {
            indexmap::map::Entry::Vacant(first) => {
                first.insert(change);
            }
            indexmap::map::Entry::Occupied(mut earlier) => {
                let combined = match (earlier.get(), change) {
                    (CombinedEffect::Assign(one), CombinedEffect::Assign(other))
                        if *one == other =>
                    {
                        CombinedEffect::Assign(other)
                    }
                    (CombinedEffect::Add(one), CombinedEffect::Add(other)) => {
                        CombinedEffect::Add(one + &other)
                    }
                    (CombinedEffect::Scale(one), CombinedEffect::Scale(other)) => {
                        CombinedEffect::Scale(one * &other)
                    }
                    _ => return Err(Inapplicable::Conflict(earlier.key().clone())),
                };
                earlier.insert(combined);
            }
        }
        Ok(())
    }

    fn finish(&self, collected: Collected) -> Result<StepChanges, Inapplicable> {
        let mut values = Vec::with_capacity(collected.values.len());
        for (function, change) in collected.values {
            let old = self.universe.find_value(&function).and_then(|id| self.state.value(id));
            let new = match (change, old) {
                (CombinedEffect::Assign(new), _) => new,
                (CombinedEffect::Add(difference), Some(old)) => old + &difference,
                (CombinedEffect::Scale(factor), Some(old)) => old * &factor,
                (_, None) => return Err(Inapplicable::Effect(self.without_value(function))),
            };
            values.push((function, bounded(new).map_err(Inapplicable::Effect)?));
        }
        Ok(StepChanges { deletes: collected.deletes, adds: collected.adds, values })
    }
}

#[inline]
fn bounded(number: Rational) -> Result<Rational, Fault> {
    if number.as_small().is_none() && number.bits() > BITS {
        Err(Fault::TooLarge)
    } else {
        Ok(number)
    }
}

/// Kleene's `or` (`decisive` true) or `and` (`decisive` false).
fn settled(
    decisive: bool,
    truths: impl IntoIterator<Item = Result<bool, Fault>>,
) -> Result<bool, Fault> {
    let mut outcome = Ok(!decisive);
    for truth in truths {
        match truth {
            Ok(truth) if truth == decisive => return Ok(decisive),
            Ok(_) => {}
            Err(fault) if outcome.is_ok() => outcome = Err(fault),
            Err(_) => {}
        }
    }
    outcome
}

fn compares(
    comparison: Comparison,
    left: &Rational,
    right: &Rational,
    tolerance: &Rational,
    positive: bool,
) -> bool {
    if tolerance.is_zero() {
        return match comparison {
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Equal => left == right,
            Comparison::GreaterOrEqual => left >= right,
            Comparison::Greater => left > right,
        };
    }
    let slack = if positive { tolerance.clone() } else { -tolerance };
    match comparison {
        Comparison::Less => *left < right + &slack,
        Comparison::LessOrEqual => *left <= right + &slack,
        Comparison::Equal => (left - right).abs() <= slack,
        Comparison::GreaterOrEqual => left + &slack >= *right,
        Comparison::Greater => left + &slack > *right,
    }
}
