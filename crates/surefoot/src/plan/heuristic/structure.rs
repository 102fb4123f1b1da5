//! The relaxed task as tables: nodes, the rules between them, and which classes of numeric effects help which conditions.

use fixedbitset::FixedBitSet;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::NONE;
use crate::exact::Rational;
use crate::plan::expression::Expression;
use crate::plan::number::float;
use crate::plan::numeric::{Hull, Numeric, Prepared, Test};
use crate::plan::task::{Change, Conjunction, Effects, Formula, Operation, Task};

/// Rows of different lengths, one after the other.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) starts: Vec<u32>,
    pub(super) items: Vec<u32>,
}

impl Lists {
    pub(super) fn of(lists: &[Vec<u32>]) -> Self {
        let mut made = Lists { starts: vec![0], items: Vec::with_capacity(lists.iter().map(Vec::len).sum()) };
        for list in lists {
            made.items.extend_from_slice(list);
            made.starts.push(made.items.len() as u32);
        }
        made
    }

    #[inline]
    pub(super) fn get(&self, index: u32) -> &[u32] {
        &self.items[self.starts[index as usize] as usize..self.starts[index as usize + 1] as usize]
    }
}

/// A numeric condition as floats see it.
pub(super) enum View {
    Linear { variables: Box<[u32]>, factors: Box<[f64]>, test: Test },
    General(Expression, Test),
    Region(u32),
}

impl View {
    /// How a facet grows with a variable; `None` where that depends on the state.
    pub(super) fn slope(&self, variable: u32, facet: u32, condition: u32, task: &Task) -> Option<f64> {
        match self {
            View::Linear { variables, factors, .. } => {
                Some(variables.iter().position(|&mine| mine == variable).map_or(0.0, |at| factors[at]))
            }
            View::General(..) => None,
            View::Region(hull) => {
                let Prepared::Region { slots, scales, .. } = &task.prepared[condition as usize] else { return None };
                let row = task.hulls[*hull as usize].floats(facet as usize);
                let mut slope = 0.0;
                for ((slot, scale), factor) in slots.iter().zip(scales).zip(row) {
                    match slot.factors[..] {
                        [mine] if mine == variable => slope += scale * factor,
                        [] | [_] => {}
                        _ => return None,
                    }
                }
                Some(slope)
            }
        }
    }
}

/// A change of a class, and the conditions that its amount is above or below zero, where it depends on the state.
pub(super) struct Contribution {
    pub(super) change: Change,
    pub(super) constant: Option<f64>,
    /// Whether that constant is a whole number.
    pub(super) whole: bool,
    pub(super) above: u32,
    pub(super) below: u32,
}

/// The structure of the relaxed task. Nodes are facts, absent facts, numeric conditions, classes and disjunctions.
pub(super) struct Structure {
    pub(super) facts: u32,
    /// The first node of numeric conditions, of classes, of disjunctions; the goal is the last node.
    pub(super) conditions: u32,
    pub(super) classes: u32,
    pub(super) goal: u32,
    /// For each rule: how many nodes it needs, what it costs, which operator it is, which class.
    pub(super) needs: Vec<u32>,
    pub(super) prices: Vec<u32>,
    pub(super) operators: Vec<u32>,
    pub(super) class_of: Vec<u32>,
    pub(super) requires: Lists,
    pub(super) yields: Lists,
    /// For each node, the rules that need it.
    pub(super) needed_by: Lists,
    /// For each class, the conditions it may help, and the other way round.
    pub(super) helps: Lists,
    pub(super) helped_by: Lists,
    /// For each condition, the classes whose amounts it makes possible.
    pub(super) enables: Lists,
    pub(super) contributions: Vec<Vec<Contribution>>,
    pub(super) views: Vec<View>,
    /// For each hull, the facets whose factors are all whole numbers.
    pub(super) whole: Vec<FixedBitSet>,
    /// Conditions beyond those of the task, ready for evaluation.
    pub(super) extra: Vec<Prepared>,
}

/// Builds the structure of the relaxed task.
pub(super) struct Builder<'t> {
    pub(super) task: &'t Task,
    pub(super) conditions: IndexMap<Numeric, (), FxBuildHasher>,
    pub(super) classes: IndexMap<Box<[Change]>, (), FxBuildHasher>,
    pub(super) contributions: Vec<Vec<Contribution>>,
    pub(super) disjunctions: IndexMap<Formula, (), FxBuildHasher>,
    pub(super) rules: Vec<Rule>,
}

/// A node before all kinds of nodes are counted.
#[derive(Clone, Copy)]
pub(super) enum Node {
    Fact(u32, bool),
    Condition(u32),
    Disjunction(u32),
    Goal,
}

pub(super) struct Rule {
    pub(super) requires: Vec<Node>,
    pub(super) yields: Vec<Node>,
    pub(super) price: u32,
    pub(super) operator: u32,
    pub(super) class: u32,
}

impl<'t> Builder<'t> {
    pub(super) fn new(task: &'t Task) -> Self {
        Builder {
            task,
            conditions: task.conditions.iter().map(|condition| (condition.clone(), ())).collect(),
            classes: IndexMap::default(),
            contributions: Vec::new(),
            disjunctions: IndexMap::default(),
            rules: Vec::new(),
        }
    }

    pub(super) fn build(mut self) -> Structure {
        let task = self.task;
        for (index, operator) in task.operators.iter().enumerate() {
            let requires = self.conjunction(&operator.precondition);
            self.effects(index as u32, requires.clone(), &operator.effects);
            for (condition, effects) in &operator.conditional {
                let mut both = requires.clone();
                both.extend(self.conjunction(condition));
                self.effects(index as u32, both, effects);
            }
        }
        if let Some(goal) = &task.goal {
            let requires = self.conjunction(goal);
            self.rules.push(Rule { requires, yields: vec![Node::Goal], price: 0, operator: NONE, class: NONE });
        }
        self.finish()
    }

    fn conjunction(&mut self, conjunction: &Conjunction) -> Vec<Node> {
        let mut nodes: Vec<Node> = conjunction.facts.iter().map(|&fact| Node::Fact(fact, true)).collect();
        nodes.extend(conjunction.absent.iter().map(|&fact| Node::Fact(fact, false)));
        nodes.extend(conjunction.numeric.iter().map(|&condition| Node::Condition(condition)));
        conjunction.clauses.iter().for_each(|clause| self.formula(clause, &mut nodes));
        nodes
    }

    fn formula(&mut self, formula: &Formula, nodes: &mut Vec<Node>) {
        match formula {
            Formula::Fact(fact, truth) => nodes.push(Node::Fact(*fact, *truth)),
            Formula::Numeric(condition) => nodes.push(Node::Condition(*condition)),
            Formula::And(parts) => parts.iter().for_each(|part| self.formula(part, nodes)),
            Formula::Or(parts) => {
                let (index, known) = self.disjunctions.insert_full(formula.clone(), ());
                nodes.push(Node::Disjunction(index as u32));
                if known.is_none() {
                    for part in parts {
                        let mut requires = Vec::new();
                        self.formula(part, &mut requires);
                        let yields = vec![Node::Disjunction(index as u32)];
                        self.rules.push(Rule { requires, yields, price: 0, operator: NONE, class: NONE });
                    }
                }
            }
        }
    }

    fn effects(&mut self, operator: u32, requires: Vec<Node>, effects: &Effects) {
        let mut yields: Vec<Node> = effects.adds.iter().map(|&fact| Node::Fact(fact, true)).collect();
        let lost = effects.deletes.iter().filter(|fact| !effects.adds.contains(fact));
        yields.extend(lost.map(|&fact| Node::Fact(fact, false)));
        let class = if effects.changes.is_empty() { NONE } else { self.class(&effects.changes) };
        self.rules.push(Rule { requires, yields, price: 1, operator, class });
    }

    fn class(&mut self, changes: &[Change]) -> u32 {
        let (class, known) = self.classes.insert_full(changes.into(), ());
        if known.is_none() {
            let contributions = changes.iter().map(|change| self.contribution(change)).collect();
            self.contributions.push(contributions);
        }
        class as u32
    }

    fn contribution(&mut self, change: &Change) -> Contribution {
        let constant = match (change.operation, change.amount.as_constant()) {
            (Operation::Add, Some(number)) => Some(float(number)),
            _ => None,
        };
        let whole = constant.is_some() && change.amount.as_constant().is_some_and(Rational::is_integer);
        let (mut above, mut below) = (NONE, NONE);
        // For an amount that depends on the state: the conditions that it has a sign. Assignments and scalings count as
        // possible at once.
        if constant.is_none() && change.operation == Operation::Add && matches!(change.amount, Expression::Polynomial(_)) {
            let never = |_| true;
            above = self.conditions.insert_full(Numeric::Comparison(change.amount.clone(), Test::Positive), ()).0 as u32;
            let negative = change.amount.clone().product(Expression::constant(-&Rational::ONE), &never);
            below = self.conditions.insert_full(Numeric::Comparison(negative, Test::Positive), ()).0 as u32;
        }
        Contribution { change: change.clone(), constant, whole, above, below }
    }

    fn finish(self) -> Structure {
        let task = self.task;
        let facts = task.facts as u32;
        let conditions = 2 * facts;
        let classes = conditions + self.conditions.len() as u32;
        let disjunctions = classes + self.contributions.len() as u32;
        let goal = disjunctions + self.disjunctions.len() as u32;
        let number = |node: &Node| match *node {
            Node::Fact(fact, true) => fact,
            Node::Fact(fact, false) => facts + fact,
            Node::Condition(condition) => conditions + condition,
            Node::Disjunction(index) => disjunctions + index,
            Node::Goal => goal,
        };
        let distinct = |nodes: &[Node]| -> Vec<u32> { nodes.iter().map(number).collect::<IndexSet<u32>>().into_iter().collect() };
        let requires: Vec<Vec<u32>> = self.rules.iter().map(|rule| distinct(&rule.requires)).collect();
        let mut needed_by = vec![Vec::new(); goal as usize + 1];
        for (rule, nodes) in requires.iter().enumerate() {
            nodes.iter().for_each(|&node| needed_by[node as usize].push(rule as u32));
        }
        // Nothing asks for most absent facts.
        let yields: Vec<Vec<u32>> = self
            .rules
            .iter()
            .map(|rule| {
                let mut nodes = distinct(&rule.yields);
                nodes.retain(|&node| node == goal || !needed_by[node as usize].is_empty());
                nodes
            })
            .collect();
        let views: Vec<View> = self.conditions.keys().map(view).collect();
        let mut changed_by: Vec<Vec<u32>> = vec![Vec::new(); task.variables];
        for (condition, numeric) in self.conditions.keys().enumerate() {
            numeric.variables(&mut |variable| changed_by[variable as usize].push(condition as u32));
        }
        let mut helps = Vec::with_capacity(self.contributions.len());
        let mut enables = vec![Vec::new(); self.conditions.len()];
        for (class, contributions) in self.contributions.iter().enumerate() {
            let touched = contributions.iter().flat_map(|contribution| &changed_by[contribution.change.variable as usize]);
            let mut list: Vec<u32> = touched.copied().collect();
            list.sort_unstable();
            list.dedup();
            list.retain(|&condition| {
                self.conditions.get_index(condition as usize).is_none_or(|(c, ())| may_help(contributions, c))
            });
            helps.push(list);
            for contribution in contributions {
                for condition in [contribution.above, contribution.below] {
                    if condition != NONE {
                        enables[condition as usize].push(class as u32);
                    }
                }
            }
        }
        let mut helped_by = vec![Vec::new(); self.conditions.len()];
        for (class, conditions) in helps.iter().enumerate() {
            conditions.iter().for_each(|&condition| helped_by[condition as usize].push(class as u32));
        }
        let given = task.conditions.len();
        Structure {
            facts,
            conditions,
            classes,
            goal,
            needs: requires.iter().map(|nodes| nodes.len() as u32).collect(),
            prices: self.rules.iter().map(|rule| rule.price).collect(),
            operators: self.rules.iter().map(|rule| rule.operator).collect(),
            class_of: self.rules.iter().map(|rule| rule.class).collect(),
            requires: Lists::of(&requires),
            yields: Lists::of(&yields),
            needed_by: Lists::of(&needed_by),
            helps: Lists::of(&helps),
            helped_by: Lists::of(&helped_by),
            enables: Lists::of(&enables),
            contributions: self.contributions,
            views,
            whole: task.hulls.iter().map(whole_facets).collect(),
            extra: self.conditions.keys().skip(given).map(Prepared::new).collect(),
        }
    }
}

pub(super) fn view(condition: &Numeric) -> View {
    match condition {
        Numeric::Comparison(Expression::Polynomial(polynomial), test) if polynomial.is_linear() => View::Linear {
            variables: polynomial.terms.iter().flat_map(|(monomial, _)| monomial.iter().copied()).collect(),
            factors: polynomial.terms.iter().map(|(_, factor)| factor).chain([&polynomial.constant]).map(float).collect(),
            test: *test,
        },
        Numeric::Comparison(expression, test) => View::General(expression.clone(), *test),
        Numeric::Region(hull, _) => View::Region(*hull),
    }
}

pub(super) fn whole_facets(hull: &Hull) -> FixedBitSet {
    let mut whole = FixedBitSet::with_capacity(hull.facets.len());
    let facets = hull.facets.iter().enumerate();
    whole.extend(facets.filter(|(_, (factors, ..))| factors.iter().all(Rational::is_integer)).map(|(facet, _)| facet));
    whole
}

/// Whether a class can ever help a condition: a steady contribution that points away from it cannot.
pub(super) fn may_help(contributions: &[Contribution], condition: &Numeric) -> bool {
    let Numeric::Comparison(Expression::Polynomial(polynomial), test) = condition else { return true };
    let mut gain = Rational::ZERO;
    for contribution in contributions {
        let Some(amount) = contribution.change.amount.as_constant().filter(|_| contribution.constant.is_some()) else {
            return true;
        };
        for (monomial, factor) in &polynomial.terms {
            match monomial[..] {
                [variable] if variable == contribution.change.variable => gain += &(factor * amount),
                [_] => {}
                _ => return true,
            }
        }
    }
    match test {
        Test::Zero => !gain.is_zero(),
        _ => gain.signum() > 0,
    }
}
