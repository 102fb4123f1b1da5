//! From a domain and a problem to a ground task: static atoms and functions folded away, the linear
//! conditions of an action that has many of them gathered into one region, and everything left out
//! that cannot matter for the goal.

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::burden::Burdens;
use super::expression::{GroundExpression, GroundMonomial, GroundPolynomial};
use super::gather::{GatheredAction, gather};
use super::ids::{ConditionId, FactId, NumberId, RegionId, StateWord, VariableId};
use super::number::NumberTable;
use super::numeric::{GroundColumn, LiftedRegion, NumericCondition, PreparedCondition, SignTest};
use super::reach::{KeepGoing, Reached, reach};
use super::relevance;
use super::task::{
    Formula, GroundEffects, GroundTask, Operation, Operator, PlanCost, VariableChange, set_true,
};
use super::truth::{FoldedCondition, sort_distinct};
use surefoot_base::exact::Rational;
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::model::{
    self, ActionId, Comparison, Condition, Direction, Domain, Effect, GroundAction, GroundAtom,
    GroundFunction, LiftedFunction, Metric, NumericEffect, NumericOperator, ObjectId, Problem,
    Variable,
};

/// What of a task is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroundingScope {
    /// What matters for the goal.
    Goal,
    /// What matters for the goal or the metric.
    GoalAndMetric,
    /// Everything, whether it matters or not.
    Everything,
}

/// Grounds a task; `None` when `keep` said stop.
pub fn ground(
    domain: &Domain,
    problem: &Problem,
    scope: GroundingScope,
    keep: KeepGoing,
) -> Option<GroundTask> {
    let reached = reach(domain, problem, keep)?;
    let mut grounder = Grounder::new(domain, problem, &reached, keep);
    let mut operators = IdVec::new();
    for (count, step) in reached.steps.iter().enumerate() {
        grounder.operators = count;
        grounder.tick();
        if grounder.stopped {
            return None;
        }
        if let Some(operator) = grounder.operator(step) {
            operators.push(operator);
        }
    }
    let mut environment = Vec::new();
    let goal = grounder.truth(&problem.goal, &mut environment, true);
    if grounder.stopped {
        return None;
    }
    let cost = if scope == GroundingScope::GoalAndMetric { grounder.cost(problem) } else { None };
    let mut task = GroundTask {
        facts: grounder.facts.len(),
        variables: grounder.variables.len(),
        core: 0,
        operators,
        goal: goal.conjunction(),
        initial: grounder.initial(problem),
        conditions: grounder.conditions.into_iter().collect(),
        prepared: IdVec::new(),
        regions: grounder.regions,
        numbers: grounder.numbers,
        cost,
        burdens: Burdens::default(),
    };
    if scope != GroundingScope::Everything {
        relevance::reduce(&mut task);
        task.burdens = Burdens::of(&task);
    }
    task.prepared = task.conditions.iter().map(PreparedCondition::new).collect();
    Some(task)
}

struct Grounder<'d, 'k> {
    domain: &'d Domain,
    problem: &'d Problem,
    reached: &'d Reached,
    initial_atoms: FxHashSet<&'d GroundAtom>,
    deleted: FxHashSet<GroundAtom>,
    /// Functions that some effect changes, in the order they were met: the variables.
    variables: IndexSet<GroundFunction, FxBuildHasher>,
    values: FxHashMap<&'d GroundFunction, &'d Rational>,
    /// Atoms that may be true in one state and false in another, in the order they were met.
    facts: IndexSet<GroundAtom, FxBuildHasher>,
    conditions: IndexSet<NumericCondition, FxBuildHasher>,
    regions: IdVec<RegionId, LiftedRegion>,
    gathered: IdVec<ActionId, Rc<GatheredAction<'d>>>,
    numbers: NumberTable,
    keep: KeepGoing<'k>,
    /// Operators made, and conditions of quantifiers not yet done.
    operators: usize,
    pending: usize,
    work: usize,
    /// Whether `keep` said stop; what is made afterwards means nothing.
    stopped: bool,
    /// What `total-time` is, while the metric is read.
    total_time: Option<Rational>,
}

impl<'d, 'k> Grounder<'d, 'k> {
    fn new(
        domain: &'d Domain,
        problem: &'d Problem,
        reached: &'d Reached,
        keep: KeepGoing<'k>,
    ) -> Self {
        let mut grounder = Grounder {
            domain,
            problem,
            reached,
            initial_atoms: problem.atoms.iter().collect(),
            deleted: FxHashSet::default(),
            variables: IndexSet::default(),
            values: problem.values.iter().map(|(function, value)| (function, value)).collect(),
            facts: IndexSet::default(),
            conditions: IndexSet::default(),
            regions: IdVec::new(),
            gathered: IdVec::new(),
            numbers: NumberTable::default(),
            keep,
            operators: 0,
            pending: 0,
            work: 0,
            stopped: false,
            total_time: None,
        };
        for step in &reached.steps {
            let mut environment = step.arguments.to_vec();
            grounder.touched(&domain.action(step.symbol).effect, &mut environment);
        }
        for (_, action) in domain.actions.iter() {
            let gathered = gather(action, &mut grounder.regions);
            grounder.gathered.push(Rc::new(gathered));
        }
        grounder
    }

    /// Asks now and then whether to go on.
    fn tick(&mut self) {
        self.work += 1;
        if self.work.is_multiple_of(1024) && !self.stopped {
            let bytes = self.operators * 1000
                + self.pending * 64
                + self.deleted.len() * 64
                + self.conditions.len() * 200;
            self.stopped = !(self.keep)(bytes);
        }
    }

    /// Notes which atoms may become false and which functions may change.
    fn touched(&mut self, effect: &'d Effect, environment: &mut Vec<ObjectId>) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.touched(part, environment)),
            Effect::Add(_) => {}
            Effect::Delete(atom) => {
                self.deleted.insert(atom.ground(environment));
            }
            Effect::Numeric(numeric) => {
                let target = numeric.target.ground(environment);
                if !(adds_nothing(numeric) && self.values.contains_key(&target)) {
                    self.variables.insert(target);
                }
            }
            Effect::When(_, inner) => self.touched(inner, environment),
            Effect::ForAll(variables, inner) => {
                self.for_each(variables, environment, &mut |this, environment| {
                    this.touched(inner, environment)
                });
            }
        }
    }

    fn for_each(
        &mut self,
        variables: &[Variable],
        environment: &mut Vec<ObjectId>,
        visit: &mut dyn FnMut(&mut Self, &mut Vec<ObjectId>),
    ) {
        let [variable, rest @ ..] = variables else {
            self.tick();
            return visit(self, environment);
        };
        let objects: Vec<ObjectId> =
            self.problem.objects.of(&self.domain.signature.types, &variable.types).collect();
        for object in objects {
            if self.stopped {
                return;
            }
            environment.push(object);
            self.for_each(rest, environment, visit);
            environment.pop();
        }
    }

    fn operator(&mut self, step: &GroundAction) -> Option<Operator> {
        let action = self.domain.action(step.symbol);
        let mut environment = step.arguments.to_vec();
        let gathered = Rc::clone(&self.gathered[step.symbol]);
        let mut parts = Vec::with_capacity(gathered.regions.len() + gathered.others.len());
        for (region, columns) in &gathered.regions {
            parts.push(self.region(*region, columns, step));
            if matches!(parts.last(), Some(FoldedCondition::Never)) {
                return None;
            }
        }
        for part in &gathered.others {
            parts.push(self.truth(part, &mut environment, true));
            if matches!(parts.last(), Some(FoldedCondition::Never)) {
                return None;
            }
        }
        let mut unconditional = CollectedEffects::default();
        let mut conditional: Vec<(Formula, CollectedEffects)> = Vec::new();
        self.effect(
            &action.effect,
            &mut environment,
            None,
            &mut unconditional,
            &mut conditional,
            &mut parts,
        );
        let precondition = FoldedCondition::all(parts).conjunction()?;
        let mut branches = Vec::new();
        for (condition, collected) in conditional {
            if let Some(conjunction) = FoldedCondition::When(condition).conjunction() {
                branches.push((conjunction, collected.effects(&mut self.numbers)));
            }
        }
        let effects = unconditional.effects(&mut self.numbers);
        Some(Operator { step: step.clone(), precondition, effects, conditional: branches })
    }

    /// The condition that the point of some columns lies in a region.
    fn region(
        &mut self,
        region: RegionId,
        columns: &[Vec<LiftedFunction>],
        step: &GroundAction,
    ) -> FoldedCondition {
        let columns: Option<Vec<GroundColumn>> =
            columns.iter().map(|column| self.column(column, &step.arguments)).collect();
        let Some(columns) = columns else { return FoldedCondition::Never };
        if columns.iter().all(|column| column.factors.is_empty()) {
            let point: Vec<Rational> = columns.into_iter().map(|column| column.scale).collect();
            return if self.regions[region].contains(&point) {
                FoldedCondition::Always
            } else {
                FoldedCondition::Never
            };
        }
        FoldedCondition::When(Formula::Numeric(
            self.condition(NumericCondition::Region(region, columns)),
        ))
    }

    /// A product of functions for these objects; `None` when it is undefined in every state.
    fn column(&self, functions: &[LiftedFunction], arguments: &[ObjectId]) -> Option<GroundColumn> {
        let mut column = GroundColumn { scale: Rational::ONE, factors: GroundMonomial::new() };
        for function in functions {
            let function = function.ground(arguments);
            match self.variables.get_index_of(&function) {
                Some(variable) => column.factors.push(VariableId::from_index(variable)),
                None => column.scale = &column.scale * *self.values.get(&function)?,
            }
        }
        column.factors.sort_unstable();
        Some(column)
    }

    /// The id of a numeric condition.
    fn condition(&mut self, condition: NumericCondition) -> ConditionId {
        ConditionId::from_index(self.conditions.insert_full(condition).0)
    }

    /// A condition for these objects; its negation, unless `positive`.
    fn truth(
        &mut self,
        condition: &Condition,
        environment: &mut Vec<ObjectId>,
        positive: bool,
    ) -> FoldedCondition {
        match condition {
            Condition::And(parts) | Condition::Or(parts) => {
                let all = matches!(condition, Condition::And(_)) == positive;
                let mut truths = Vec::with_capacity(parts.len());
                for part in parts {
                    let truth = self.truth(part, environment, positive);
                    if all && matches!(truth, FoldedCondition::Never) {
                        return FoldedCondition::Never;
                    }
                    truths.push(truth);
                }
                if all { FoldedCondition::all(truths) } else { FoldedCondition::any(truths) }
            }
            Condition::Not(inner) => self.truth(inner, environment, !positive),
            Condition::Imply(both) => {
                let parts = [
                    self.truth(&both[0], environment, !positive),
                    self.truth(&both[1], environment, positive),
                ];
                if positive { FoldedCondition::any(parts) } else { FoldedCondition::all(parts) }
            }
            Condition::ForAll(variables, body) | Condition::Exists(variables, body) => {
                let mut truths = Vec::new();
                let before = self.pending;
                self.for_each(variables, environment, &mut |this, environment| {
                    this.pending += 1;
                    truths.push(this.truth(body, environment, positive));
                });
                self.pending = before;
                if matches!(condition, Condition::ForAll(..)) == positive {
                    FoldedCondition::all(truths)
                } else {
                    FoldedCondition::any(truths)
                }
            }
            Condition::Atom(atom) => self.atom(atom.ground(environment), positive),
            Condition::Same(one, other) => {
                if (one.ground(environment) == other.ground(environment)) == positive {
                    FoldedCondition::Always
                } else {
                    FoldedCondition::Never
                }
            }
            Condition::Compare(comparison, sides) => {
                self.compare(*comparison, sides, environment, positive)
            }
            Condition::Within(_) => self.truth(&condition.expanded(), environment, positive),
        }
    }

    fn atom(&mut self, atom: GroundAtom, positive: bool) -> FoldedCondition {
        let known = if !self.reached.atoms.contains(&atom) {
            Some(false)
        } else if self.initial_atoms.contains(&atom) && !self.deleted.contains(&atom) {
            Some(true)
        } else {
            None
        };
        match known {
            Some(truth) if truth == positive => FoldedCondition::Always,
            Some(_) => FoldedCondition::Never,
            None => FoldedCondition::When(Formula::Fact(
                FactId::from_index(self.facts.insert_full(atom).0),
                positive,
            )),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        sides: &[model::Expression; 2],
        environment: &[ObjectId],
        positive: bool,
    ) -> FoldedCondition {
        let Some((left, right)) =
            self.expression(&sides[0], environment).zip(self.expression(&sides[1], environment))
        else {
            // Undefined: neither the comparison nor its negation holds.
            return FoldedCondition::Never;
        };
        if comparison == Comparison::Equal && !positive {
            let less = self.test(left.clone(), right.clone(), Comparison::Less);
            let more = self.test(left, right, Comparison::Greater);
            return FoldedCondition::any([less, more]);
        }
        let comparison = match (comparison, positive) {
            (same, true) => same,
            (Comparison::Less, false) => Comparison::GreaterOrEqual,
            (Comparison::LessOrEqual, false) => Comparison::Greater,
            (Comparison::GreaterOrEqual, false) => Comparison::Less,
            (Comparison::Greater, false) => Comparison::LessOrEqual,
            (Comparison::Equal, false) => Comparison::Equal,
        };
        self.test(left, right, comparison)
    }

    fn test(
        &mut self,
        left: GroundExpression,
        right: GroundExpression,
        comparison: Comparison,
    ) -> FoldedCondition {
        let (more, less, test) = oriented(comparison, left, right);
        let defined = self.defined();
        let difference = more.plus(less.negated(&defined), &defined);
        drop(defined);
        match difference.as_constant() {
            Some(number) if test.passes(number) => FoldedCondition::Always,
            Some(_) => FoldedCondition::Never,
            None => FoldedCondition::When(Formula::Numeric(
                self.condition(NumericCondition::Comparison(difference, test)),
            )),
        }
    }

    /// Whether a variable has a value from the start, and so always.
    fn defined(&self) -> impl Fn(VariableId) -> bool {
        |variable| self.values.contains_key(&self.variables[variable.index()])
    }

    /// An expression for these objects; `None` when it is undefined in every state.
    fn expression(
        &self,
        expression: &model::Expression,
        environment: &[ObjectId],
    ) -> Option<GroundExpression> {
        let defined = self.defined();
        match expression {
            model::Expression::Number(number) => Some(GroundExpression::constant(number.clone())),
            model::Expression::Function(function) => {
                let function = function.ground(environment);
                match self.variables.get_index_of(&function) {
                    Some(variable) => Some(GroundExpression::Polynomial(
                        GroundPolynomial::variable(VariableId::from_index(variable)),
                    )),
                    None => self
                        .values
                        .get(&function)
                        .map(|&value| GroundExpression::constant(value.clone())),
                }
            }
            model::Expression::Sum(parts) => {
                parts.iter().try_fold(GroundExpression::constant(Rational::ZERO), |sum, part| {
                    Some(sum.plus(self.expression(part, environment)?, &defined))
                })
            }
            model::Expression::Product(parts) => {
                parts.iter().try_fold(GroundExpression::constant(Rational::ONE), |product, part| {
                    Some(product.product(self.expression(part, environment)?, &defined))
                })
            }
            model::Expression::Difference(sides) => {
                let (left, right) = (
                    self.expression(&sides[0], environment)?,
                    self.expression(&sides[1], environment)?,
                );
                Some(left.plus(right.negated(&defined), &defined))
            }
            model::Expression::Negation(inner) => {
                Some(self.expression(inner, environment)?.negated(&defined))
            }
            model::Expression::Quotient(sides) => {
                let (left, right) = (
                    self.expression(&sides[0], environment)?,
                    self.expression(&sides[1], environment)?,
                );
                left.quotient(right, &defined)
            }
            model::Expression::TotalTime => self.total_time.clone().map(GroundExpression::constant),
        }
    }

    /// Takes an effect apart. `when` is the condition around it; what must hold for the effect to
    /// be defined goes to `needed`.
    fn effect(
        &mut self,
        effect: &Effect,
        environment: &mut Vec<ObjectId>,
        when: Option<&Formula>,
        always: &mut CollectedEffects,
        conditional: &mut Vec<(Formula, CollectedEffects)>,
        needed: &mut Vec<FoldedCondition>,
    ) {
        match effect {
            Effect::And(parts) => {
                for part in parts {
                    self.effect(part, environment, when, always, conditional, needed);
                }
            }
            Effect::Add(atom) | Effect::Delete(atom) => {
                let adds = matches!(effect, Effect::Add(_));
                if let FoldedCondition::When(Formula::Fact(fact, _)) =
                    self.atom(atom.ground(environment), true)
                {
                    let into = place(when, always, conditional);
                    if adds { into.adds.push(fact) } else { into.deletes.push(fact) }
                }
            }
            Effect::Numeric(numeric) => {
                // What nothing changes is no variable.
                let Some(variable) =
                    self.variables.get_index_of(&numeric.target.ground(environment))
                else {
                    return;
                };
                let variable = VariableId::from_index(variable);
                let defined = self.defined();
                let amount = self.expression(&numeric.value, environment);
                let change = amount.and_then(|amount| match numeric.operator {
                    NumericOperator::Assign => Some((Operation::Assign, amount)),
                    NumericOperator::Increase => Some((Operation::Add, amount)),
                    NumericOperator::Decrease => Some((Operation::Add, amount.negated(&defined))),
                    NumericOperator::ScaleUp => Some((Operation::Scale, amount)),
                    NumericOperator::ScaleDown => Some((
                        Operation::Scale,
                        GroundExpression::constant(Rational::ONE).quotient(amount, &defined)?,
                    )),
                });
                drop(defined);
                match (change, when) {
                    (Some((operation, amount)), _) => {
                        place(when, always, conditional).changes.push(VariableChange {
                            variable,
                            operation,
                            amount,
                            constant: None,
                        });
                    }
                    // Undefined in every state: the step cannot be taken where the effect would
                    // happen.
                    (None, None) => needed.push(FoldedCondition::Never),
                    (None, Some(condition)) => needed.push(negated(condition, self)),
                }
            }
            Effect::When(condition, inner) => {
                let truth = self.truth(condition, environment, true);
                let refuted = self.truth(condition, environment, false);
                let joint = match when {
                    Some(outer) => {
                        FoldedCondition::all([FoldedCondition::When(outer.clone()), truth])
                    }
                    None => truth,
                };
                // A condition that is neither true nor false forbids the step.
                if compares(condition) {
                    let again = self.truth(condition, environment, true);
                    let mut settled = vec![again, refuted];
                    if let Some(outer) = when {
                        settled.push(negated(outer, self));
                    }
                    needed.push(FoldedCondition::any(settled));
                }
                match joint {
                    FoldedCondition::Never => {}
                    FoldedCondition::Always => {
                        self.effect(inner, environment, None, always, conditional, needed)
                    }
                    FoldedCondition::When(formula) => {
                        self.effect(inner, environment, Some(&formula), always, conditional, needed)
                    }
                }
            }
            Effect::ForAll(variables, inner) => {
                self.for_each(variables, environment, &mut |this, environment| {
                    this.effect(inner, environment, when, always, conditional, needed);
                });
            }
        }
    }

    fn initial(&mut self, problem: &Problem) -> Vec<StateWord> {
        let mut state = vec![0; self.facts.len().div_ceil(32)];
        for atom in &problem.atoms {
            if let Some(fact) = self.facts.get_index_of(atom) {
                set_true(&mut state, FactId::from_index(fact));
            }
        }
        for function in &self.variables {
            let value = self.values.get(function).map(|&value| self.numbers.id(value.clone()));
            state.push(NumberId::word(value));
        }
        state
    }

    /// The metric as something to make small; `None` where there is none, or one that is not linear
    /// in `total-time`.
    fn cost(&mut self, problem: &Problem) -> Option<PlanCost> {
        let metric = problem.metric.as_ref()?;
        let none = self.cost_at(Rational::ZERO, metric)?;
        let one = self.cost_at(Rational::ONE, metric)?;
        let two = self.cost_at(Rational::integer(2), metric)?;
        let defined = self.defined();
        let step = one.clone().plus(none.clone().negated(&defined), &defined);
        let next = two.plus(one.negated(&defined), &defined);
        let step = step.as_constant().filter(|&step| next.as_constant() == Some(step))?.clone();
        Some(PlanCost { expression: none, step })
    }

    /// The metric, as something to make small, where `total-time` is this.
    fn cost_at(&mut self, time: Rational, metric: &Metric) -> Option<GroundExpression> {
        self.total_time = Some(time);
        let expression = self.expression(&metric.expression, &[]);
        self.total_time = None;
        match metric.direction {
            Direction::Minimize => expression,
            Direction::Maximize => expression.map(|expression| expression.negated(&self.defined())),
        }
    }
}

/// The negation of a formula in normal form. A numeric condition that is undefined is neither true
/// nor false; its negation is made of the opposite tests, which are then not true either.
fn negated(formula: &Formula, grounder: &mut Grounder) -> FoldedCondition {
    match formula {
        Formula::Fact(fact, truth) => FoldedCondition::When(Formula::Fact(*fact, !truth)),
        Formula::And(parts) => FoldedCondition::any(
            parts.iter().map(|part| negated(part, grounder)).collect::<Vec<_>>(),
        ),
        Formula::Or(parts) => FoldedCondition::all(
            parts.iter().map(|part| negated(part, grounder)).collect::<Vec<_>>(),
        ),
        Formula::Numeric(condition) => {
            let NumericCondition::Comparison(expression, test) =
                grounder.conditions[condition.index()].clone()
            else {
                return FoldedCondition::Never;
            };
            let zero = GroundExpression::constant(Rational::ZERO);
            match test {
                SignTest::NonNegative => grounder.test(expression, zero, Comparison::Less),
                SignTest::Positive => grounder.test(expression, zero, Comparison::LessOrEqual),
                SignTest::Zero => {
                    let less = grounder.test(expression.clone(), zero.clone(), Comparison::Less);
                    FoldedCondition::any([
                        less,
                        grounder.test(expression, zero, Comparison::Greater),
                    ])
                }
            }
        }
    }
}

/// Whether an effect adds the number zero, such as an error that does not grow.
fn adds_nothing(effect: &NumericEffect) -> bool {
    let adds = matches!(effect.operator, NumericOperator::Increase | NumericOperator::Decrease);
    adds && matches!(&effect.value, model::Expression::Number(number) if number.is_zero())
}

/// Whether a condition compares numbers, so that it may be undefined.
fn compares(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(compares),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            compares(inner)
        }
        Condition::Imply(both) => both.iter().any(compares),
        Condition::Atom(_) | Condition::Same(..) => false,
        Condition::Compare(..) | Condition::Within(_) => true,
    }
}

#[derive(Default)]
struct CollectedEffects {
    adds: Vec<FactId>,
    deletes: Vec<FactId>,
    changes: Vec<VariableChange>,
}

impl CollectedEffects {
    fn effects(mut self, numbers: &mut NumberTable) -> GroundEffects {
        sort_distinct(&mut self.adds);
        sort_distinct(&mut self.deletes);
        for change in &mut self.changes {
            change.constant = change.amount.as_constant().map(|number| numbers.id(number.clone()));
        }
        self.changes.sort_by_key(|change| change.variable);
        GroundEffects {
            adds: self.adds.into(),
            deletes: self.deletes.into(),
            changes: self.changes.into(),
        }
    }
}

/// Where effects under a condition are collected.
fn place<'c>(
    when: Option<&Formula>,
    always: &'c mut CollectedEffects,
    conditional: &'c mut Vec<(Formula, CollectedEffects)>,
) -> &'c mut CollectedEffects {
    let Some(condition) = when else { return always };
    let at = match conditional.iter().position(|(known, _)| known == condition) {
        Some(at) => at,
        None => {
            conditional.push((condition.clone(), CollectedEffects::default()));
            conditional.len() - 1
        }
    };
    &mut conditional[at].1
}

/// A comparison as "more − less passes the test".
fn oriented(
    comparison: Comparison,
    left: GroundExpression,
    right: GroundExpression,
) -> (GroundExpression, GroundExpression, SignTest) {
    match comparison {
        Comparison::Less => (right, left, SignTest::Positive),
        Comparison::LessOrEqual => (right, left, SignTest::NonNegative),
        Comparison::Equal => (left, right, SignTest::Zero),
        Comparison::GreaterOrEqual => (left, right, SignTest::NonNegative),
        Comparison::Greater => (left, right, SignTest::Positive),
    }
}
