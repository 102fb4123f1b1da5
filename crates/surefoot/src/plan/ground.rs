//! From a domain and a problem to a ground task: static atoms and functions folded away, the linear conditions of an action
//! that has many of them gathered into one hull, and everything left out that cannot matter for the goal.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::expression::{Expression, Monomial, Polynomial};
use super::gather::{Gathered, gather};
use super::number::{Numbers, UNDEFINED};
use super::numeric::{Hull, Numeric, Prepared, Slot, Test};
use super::reach::{Keep, Reached, reach};
use super::relevance;
use super::task::{Change, Cost, Effects, Formula, Operation, Operator, Task};
use super::truth::Truth;
use crate::exact::Rational;
use crate::model::{
    self, Comparison, Condition, Direction, Domain, Effect, GroundAction, GroundAtom, GroundFunction, LiftedFunction,
    NumericOperator, ObjectId, Problem, Variable,
};

/// What of a task is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// What matters for the goal.
    Goal,
    /// What matters for the goal or the metric.
    GoalAndMetric,
    /// Everything.
    Everything,
}

/// Grounds a task; `None` when `keep` said stop.
pub fn ground(domain: &Domain, problem: &Problem, scope: Scope, keep: Keep) -> Option<Task> {
    let reached = reach(domain, problem, keep)?;
    let mut grounder = Grounder::new(domain, problem, &reached, keep);
    let mut operators = Vec::new();
    for (count, step) in reached.steps.iter().enumerate() {
        grounder.operators = count;
        grounder.tick();
        if grounder.stopped {
            return None;
        }
        operators.extend(grounder.operator(step));
    }
    let mut environment = Vec::new();
    let goal = grounder.truth(&problem.goal, &mut environment, true);
    if grounder.stopped {
        return None;
    }
    let cost = if scope == Scope::GoalAndMetric { grounder.cost(problem) } else { None };
    let mut task = Task {
        facts: grounder.facts.len(),
        variables: grounder.variables.len(),
        core: 0,
        operators,
        goal: goal.conjunction(),
        initial: grounder.initial(problem),
        conditions: grounder.conditions.into_iter().collect(),
        prepared: Vec::new(),
        hulls: grounder.hulls,
        numbers: grounder.numbers,
        cost,
    };
    if scope != Scope::Everything {
        relevance::reduce(&mut task);
    }
    task.prepared = task.conditions.iter().map(Prepared::new).collect();
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
    conditions: IndexSet<Numeric, FxBuildHasher>,
    hulls: Vec<Hull>,
    gathered: Vec<Option<Gathered>>,
    numbers: Numbers,
    keep: Keep<'k>,
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
    fn new(domain: &'d Domain, problem: &'d Problem, reached: &'d Reached, keep: Keep<'k>) -> Self {
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
            hulls: Vec::new(),
            gathered: Vec::new(),
            numbers: Numbers::default(),
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
            let gathered = gather(action, &mut grounder.hulls);
            grounder.gathered.push(gathered);
        }
        grounder
    }

    /// Asks now and then whether to go on.
    fn tick(&mut self) {
        self.work += 1;
        if self.work.is_multiple_of(1024) && !self.stopped {
            let bytes = self.operators * 1000 + self.pending * 64 + self.deleted.len() * 64 + self.conditions.len() * 200;
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
                self.variables.insert(numeric.target.ground(environment));
            }
            Effect::When(_, inner) => self.touched(inner, environment),
            Effect::ForAll(variables, inner) => {
                self.for_each(variables, environment, &mut |this, environment| this.touched(inner, environment));
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
        let objects: Vec<ObjectId> = self.problem.objects.of(&self.domain.signature.types, &variable.types).collect();
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
        let mut parts = vec![self.region(step)];
        if matches!(parts[0], Truth::Never) {
            return None;
        }
        for (index, part) in action.precondition.conjuncts().iter().enumerate() {
            let gathered = self.gathered[step.symbol.index()].as_ref();
            if gathered.is_none_or(|gathered| !gathered.members.contains(index)) {
                let truth = self.truth(part, &mut environment, true);
                if matches!(truth, Truth::Never) {
                    return None;
                }
                parts.push(truth);
            }
        }
        let mut unconditional = Collected::default();
        let mut conditional: Vec<(Formula, Collected)> = Vec::new();
        self.effect(&action.effect, &mut environment, None, &mut unconditional, &mut conditional, &mut parts);
        let precondition = Truth::all(parts).conjunction()?;
        let mut branches = Vec::new();
        for (condition, collected) in conditional {
            if let Some(conjunction) = Truth::When(condition).conjunction() {
                branches.push((conjunction, collected.effects(&mut self.numbers)));
            }
        }
        let effects = unconditional.effects(&mut self.numbers);
        Some(Operator { step: step.clone(), precondition, effects, conditional: branches })
    }

    /// The condition that the point of an action's gathered conditions lies in their hull.
    fn region(&mut self, step: &GroundAction) -> Truth {
        let Some(gathered) = &self.gathered[step.symbol.index()] else { return Truth::Always };
        let slot = |column: &Vec<LiftedFunction>| {
            let mut slot = Slot { scale: Rational::ONE, factors: Monomial::new() };
            for function in column {
                let function = function.ground(&step.arguments);
                match self.variables.get_index_of(&function) {
                    Some(variable) => slot.factors.push(variable as u32),
                    None => slot.scale = &slot.scale * *self.values.get(&function)?,
                }
            }
            slot.factors.sort_unstable();
            Some(slot)
        };
        let Some(slots) = gathered.columns.iter().map(slot).collect::<Option<Vec<Slot>>>() else { return Truth::Never };
        if slots.iter().all(|slot| slot.factors.is_empty()) {
            let point: Vec<Rational> = slots.into_iter().map(|slot| slot.scale).collect();
            return if self.hulls[gathered.hull as usize].contains(&point) { Truth::Always } else { Truth::Never };
        }
        let condition = self.conditions.insert_full(Numeric::Region(gathered.hull, slots)).0;
        Truth::When(Formula::Numeric(condition as u32))
    }

    /// A condition for these objects; its negation, unless `positive`.
    fn truth(&mut self, condition: &Condition, environment: &mut Vec<ObjectId>, positive: bool) -> Truth {
        match condition {
            Condition::And(parts) | Condition::Or(parts) => {
                let all = matches!(condition, Condition::And(_)) == positive;
                let mut truths = Vec::with_capacity(parts.len());
                for part in parts {
                    let truth = self.truth(part, environment, positive);
                    if all && matches!(truth, Truth::Never) {
                        return Truth::Never;
                    }
                    truths.push(truth);
                }
                if all { Truth::all(truths) } else { Truth::any(truths) }
            }
            Condition::Not(inner) => self.truth(inner, environment, !positive),
            Condition::Imply(both) => {
                let parts = [self.truth(&both[0], environment, !positive), self.truth(&both[1], environment, positive)];
                if positive { Truth::any(parts) } else { Truth::all(parts) }
            }
            Condition::ForAll(variables, body) | Condition::Exists(variables, body) => {
                let mut truths = Vec::new();
                let before = self.pending;
                self.for_each(variables, environment, &mut |this, environment| {
                    this.pending += 1;
                    truths.push(this.truth(body, environment, positive));
                });
                self.pending = before;
                if matches!(condition, Condition::ForAll(..)) == positive { Truth::all(truths) } else { Truth::any(truths) }
            }
            Condition::Atom(atom) => self.atom(atom.ground(environment), positive),
            Condition::Same(one, other) => {
                if (one.ground(environment) == other.ground(environment)) == positive {
                    Truth::Always
                } else {
                    Truth::Never
                }
            }
            Condition::Compare(comparison, sides) => self.compare(*comparison, sides, environment, positive),
            Condition::Within(_) => self.truth(&condition.expanded(), environment, positive),
        }
    }

    fn atom(&mut self, atom: GroundAtom, positive: bool) -> Truth {
        let known = if !self.reached.atoms.contains(&atom) {
            Some(false)
        } else if self.initial_atoms.contains(&atom) && !self.deleted.contains(&atom) {
            Some(true)
        } else {
            None
        };
        match known {
            Some(truth) if truth == positive => Truth::Always,
            Some(_) => Truth::Never,
            None => Truth::When(Formula::Fact(self.facts.insert_full(atom).0 as u32, positive)),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        sides: &[model::Expression; 2],
        environment: &[ObjectId],
        positive: bool,
    ) -> Truth {
        let Some((left, right)) = self.expression(&sides[0], environment).zip(self.expression(&sides[1], environment)) else {
            // Undefined: neither the comparison nor its negation holds.
            return Truth::Never;
        };
        if comparison == Comparison::Equal && !positive {
            let less = self.test(left.clone(), right.clone(), Comparison::Less);
            let more = self.test(left, right, Comparison::Greater);
            return Truth::any([less, more]);
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

    fn test(&mut self, left: Expression, right: Expression, comparison: Comparison) -> Truth {
        let (more, less, test) = oriented(comparison, left, right);
        let defined = self.defined();
        let difference = more.plus(less.negated(&defined), &defined);
        drop(defined);
        match difference.as_constant() {
            Some(number) if test.passes(number) => Truth::Always,
            Some(_) => Truth::Never,
            None => Truth::When(Formula::Numeric(self.conditions.insert_full(Numeric::Comparison(difference, test)).0 as u32)),
        }
    }

    /// Whether a variable has a value from the start, and so always.
    fn defined(&self) -> impl Fn(u32) -> bool {
        |variable| self.values.contains_key(&self.variables[variable as usize])
    }

    /// An expression for these objects; `None` when it is undefined in every state.
    fn expression(&self, expression: &model::Expression, environment: &[ObjectId]) -> Option<Expression> {
        let defined = self.defined();
        let fold = |parts: &[model::Expression], first: Rational, join: &dyn Fn(Expression, Expression) -> Expression| {
            let mut total = Expression::constant(first);
            for part in parts {
                total = join(total, self.expression(part, environment)?);
            }
            Some(total)
        };
        match expression {
            model::Expression::Number(number) => Some(Expression::constant(number.clone())),
            model::Expression::Function(function) => {
                let function = function.ground(environment);
                match self.variables.get_index_of(&function) {
                    Some(variable) => Some(Expression::Polynomial(Polynomial::variable(variable as u32))),
                    None => self.values.get(&function).map(|&value| Expression::constant(value.clone())),
                }
            }
            model::Expression::Sum(parts) => fold(parts, Rational::ZERO, &|sum, part| sum.plus(part, &defined)),
            model::Expression::Product(parts) => fold(parts, Rational::ONE, &|product, part| product.product(part, &defined)),
            model::Expression::Difference(sides) => {
                let (left, right) = (self.expression(&sides[0], environment)?, self.expression(&sides[1], environment)?);
                Some(left.plus(right.negated(&defined), &defined))
            }
            model::Expression::Negation(inner) => Some(self.expression(inner, environment)?.negated(&defined)),
            model::Expression::Quotient(sides) => {
                let (left, right) = (self.expression(&sides[0], environment)?, self.expression(&sides[1], environment)?);
                left.quotient(right, &defined)
            }
            model::Expression::TotalTime => self.total_time.clone().map(Expression::constant),
        }
    }

    /// Takes an effect apart. `when` is the condition around it; what must hold for the effect to be defined goes to
    /// `needed`.
    fn effect(
        &mut self,
        effect: &Effect,
        environment: &mut Vec<ObjectId>,
        when: Option<&Formula>,
        always: &mut Collected,
        conditional: &mut Vec<(Formula, Collected)>,
        needed: &mut Vec<Truth>,
    ) {
        match effect {
            Effect::And(parts) => {
                for part in parts {
                    self.effect(part, environment, when, always, conditional, needed);
                }
            }
            Effect::Add(atom) | Effect::Delete(atom) => {
                let adds = matches!(effect, Effect::Add(_));
                if let Truth::When(Formula::Fact(fact, _)) = self.atom(atom.ground(environment), true) {
                    let into = place(when, always, conditional);
                    if adds { into.adds.push(fact) } else { into.deletes.push(fact) }
                }
            }
            Effect::Numeric(numeric) => {
                let target = numeric.target.ground(environment);
                let variable = self.variables.insert_full(target).0 as u32;
                let defined = self.defined();
                let amount = self.expression(&numeric.value, environment);
                let change = amount.and_then(|amount| match numeric.operator {
                    NumericOperator::Assign => Some((Operation::Assign, amount)),
                    NumericOperator::Increase => Some((Operation::Add, amount)),
                    NumericOperator::Decrease => Some((Operation::Add, amount.negated(&defined))),
                    NumericOperator::ScaleUp => Some((Operation::Scale, amount)),
                    NumericOperator::ScaleDown => {
                        Some((Operation::Scale, Expression::constant(Rational::ONE).quotient(amount, &defined)?))
                    }
                });
                drop(defined);
                match (change, when) {
                    (Some((operation, amount)), _) => {
                        place(when, always, conditional).changes.push(Change { variable, operation, amount, constant: None });
                    }
                    // Undefined in every state: the step cannot be taken where the effect would happen.
                    (None, None) => needed.push(Truth::Never),
                    (None, Some(condition)) => needed.push(negated(condition, self)),
                }
            }
            Effect::When(condition, inner) => {
                let truth = self.truth(condition, environment, true);
                let refuted = self.truth(condition, environment, false);
                let joint = match when {
                    Some(outer) => Truth::all([Truth::When(outer.clone()), truth]),
                    None => truth,
                };
                // A condition that is neither true nor false forbids the step.
                if compares(condition) {
                    let again = self.truth(condition, environment, true);
                    let mut settled = vec![again, refuted];
                    if let Some(outer) = when {
                        settled.push(negated(outer, self));
                    }
                    needed.push(Truth::any(settled));
                }
                match joint {
                    Truth::Never => {}
                    Truth::Always => self.effect(inner, environment, None, always, conditional, needed),
                    Truth::When(formula) => self.effect(inner, environment, Some(&formula), always, conditional, needed),
                }
            }
            Effect::ForAll(variables, inner) => {
                self.for_each(variables, environment, &mut |this, environment| {
                    this.effect(inner, environment, when, always, conditional, needed);
                });
            }
        }
    }

    fn initial(&mut self, problem: &Problem) -> Vec<u32> {
        let mut state = vec![0u32; self.facts.len().div_ceil(32)];
        for atom in &problem.atoms {
            if let Some(fact) = self.facts.get_index_of(atom) {
                state[fact / 32] |= 1 << (fact % 32);
            }
        }
        for function in &self.variables {
            let value = self.values.get(function).map(|&value| self.numbers.index(value.clone()));
            state.push(value.unwrap_or(UNDEFINED));
        }
        state
    }

    /// The metric as something to make small; `None` where there is none, or one that is not linear in `total-time`.
    fn cost(&mut self, problem: &Problem) -> Option<Cost> {
        let metric = problem.metric.as_ref()?;
        let mut at = |time: Rational| {
            self.total_time = Some(time);
            let expression = self.expression(&metric.expression, &[]);
            self.total_time = None;
            match metric.direction {
                Direction::Minimize => expression,
                Direction::Maximize => expression.map(|expression| expression.negated(&self.defined())),
            }
        };
        let (none, one, two) = (at(Rational::ZERO)?, at(Rational::ONE)?, at(Rational::integer(2))?);
        let defined = self.defined();
        let step = one.clone().plus(none.clone().negated(&defined), &defined);
        let next = two.plus(one.negated(&defined), &defined);
        let step = step.as_constant().filter(|&step| next.as_constant() == Some(step))?.clone();
        Some(Cost { expression: none, step })
    }
}

/// The negation of a formula in normal form. A numeric condition that is undefined is neither true nor false; its
/// negation is made of the opposite tests, which are then not true either.
fn negated(formula: &Formula, grounder: &mut Grounder) -> Truth {
    match formula {
        Formula::Fact(fact, truth) => Truth::When(Formula::Fact(*fact, !truth)),
        Formula::And(parts) => Truth::any(parts.iter().map(|part| negated(part, grounder)).collect::<Vec<_>>()),
        Formula::Or(parts) => Truth::all(parts.iter().map(|part| negated(part, grounder)).collect::<Vec<_>>()),
        Formula::Numeric(condition) => {
            let Numeric::Comparison(expression, test) = grounder.conditions[*condition as usize].clone() else {
                return Truth::Never;
            };
            let zero = Expression::constant(Rational::ZERO);
            match test {
                Test::NonNegative => grounder.test(expression, zero, Comparison::Less),
                Test::Positive => grounder.test(expression, zero, Comparison::LessOrEqual),
                Test::Zero => {
                    let less = grounder.test(expression.clone(), zero.clone(), Comparison::Less);
                    Truth::any([less, grounder.test(expression, zero, Comparison::Greater)])
                }
            }
        }
    }
}

/// Whether a condition compares numbers, so that it may be undefined.
fn compares(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(compares),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => compares(inner),
        Condition::Imply(both) => both.iter().any(compares),
        Condition::Atom(_) | Condition::Same(..) => false,
        Condition::Compare(..) | Condition::Within(_) => true,
    }
}

#[derive(Default)]
struct Collected {
    adds: Vec<u32>,
    deletes: Vec<u32>,
    changes: Vec<Change>,
}

impl Collected {
    fn effects(mut self, numbers: &mut Numbers) -> Effects {
        for list in [&mut self.adds, &mut self.deletes] {
            list.sort_unstable();
            list.dedup();
        }
        for change in &mut self.changes {
            change.constant = change.amount.as_constant().map(|number| numbers.index(number.clone()));
        }
        self.changes.sort_by_key(|change| change.variable);
        Effects { adds: self.adds.into(), deletes: self.deletes.into(), changes: self.changes.into() }
    }
}

/// Where effects under a condition are collected.
fn place<'c>(
    when: Option<&Formula>,
    always: &'c mut Collected,
    conditional: &'c mut Vec<(Formula, Collected)>,
) -> &'c mut Collected {
    let Some(condition) = when else { return always };
    let at = match conditional.iter().position(|(known, _)| known == condition) {
        Some(at) => at,
        None => {
            conditional.push((condition.clone(), Collected::default()));
            conditional.len() - 1
        }
    };
    &mut conditional[at].1
}

/// A comparison as "more − less passes the test".
fn oriented(comparison: Comparison, left: Expression, right: Expression) -> (Expression, Expression, Test) {
    match comparison {
        Comparison::Less => (right, left, Test::Positive),
        Comparison::LessOrEqual => (right, left, Test::NonNegative),
        Comparison::Equal => (left, right, Test::Zero),
        Comparison::GreaterOrEqual => (left, right, Test::NonNegative),
        Comparison::Greater => (left, right, Test::Positive),
    }
}
