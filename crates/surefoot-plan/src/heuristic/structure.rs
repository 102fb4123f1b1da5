//! The relaxed task as tables: nodes, the rules between them, and which groups of numeric effects
//! help which conditions.

use std::marker::PhantomData;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::expression::GroundExpression;
use crate::ids::{ConditionId, FacetId, FactId, OperatorId, RegionId, VariableId};
use crate::number::float;
use crate::numeric::{GroundColumn, NumericCondition, PreparedCondition, SignTest};
use crate::task::{
    Formula, GroundConjunction, GroundEffects, GroundTask, Operation, VariableChange,
};
use surefoot_base::exact::Rational;
use surefoot_base::ids::{Id, IdVec, id};

id!(/// A node: what the relaxation can reach.
    pub(super) NodeId);
id!(/// A rule: once all it requires is reached, so is all it yields.
    pub(super) RuleId);
id!(/// A group: the operators with the same numeric effects.
    pub(super) GroupId);
id!(/// A disjunction among the conditions.
    pub(super) DisjunctionId);

/// For each id of one kind some of another, one list after the other.
pub(super) struct Adjacency<K, V> {
    starts: Vec<u32>,
    items: Vec<V>,
    keys: PhantomData<fn(K)>,
}

impl<K: Id, V: Id> Adjacency<K, V> {
    fn of(lists: &IdVec<K, Vec<V>>) -> Self {
        let mut starts = vec![0];
        let mut items = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            items.extend_from_slice(list);
            starts.push(items.len() as u32);
        }
        Adjacency { starts, items, keys: PhantomData }
    }

    #[inline]
    pub(super) fn get(&self, key: K) -> &[V] {
        &self.items[self.starts[key.index()] as usize..self.starts[key.index() + 1] as usize]
    }

    /// How many bytes are held.
    pub(super) fn bytes(&self) -> usize {
        4 * (self.items.len() + self.starts.len())
    }
}

/// A numeric condition as floats see it.
pub(super) enum FloatCondition {
    Linear { variables: Box<[VariableId]>, factors: Box<[f64]>, test: SignTest },
    General(GroundExpression, SignTest),
    Region(RegionId),
}

impl FloatCondition {
    fn of(condition: &NumericCondition) -> Self {
        match condition {
            NumericCondition::Comparison(GroundExpression::Polynomial(polynomial), test)
                if polynomial.is_linear() =>
            {
                FloatCondition::Linear {
                    variables: polynomial
                        .terms
                        .iter()
                        .flat_map(|(monomial, _)| monomial.iter().copied())
                        .collect(),
                    factors: polynomial
                        .terms
                        .iter()
                        .map(|(_, factor)| factor)
                        .chain([&polynomial.constant])
                        .map(float)
                        .collect(),
                    test: *test,
                }
            }
            NumericCondition::Comparison(expression, test) => {
                FloatCondition::General(expression.clone(), *test)
            }
            NumericCondition::Region(region, _) => FloatCondition::Region(*region),
        }
    }

    /// How a facet grows with a variable; `None` where that depends on the state.
    pub(super) fn slope(
        &self,
        variable: VariableId,
        facet: Option<FacetId>,
        condition: ConditionId,
        task: &GroundTask,
    ) -> Option<f64> {
        match self {
            FloatCondition::Linear { variables, factors, .. } => Some(
                variables.iter().position(|&mine| mine == variable).map_or(0.0, |at| factors[at]),
            ),
            FloatCondition::General(..) => None,
            FloatCondition::Region(region) => {
                let PreparedCondition::Region { columns, scales, .. } = &task.prepared[condition]
                else {
                    return None;
                };
                let row = task.regions[*region].floats(facet?);
                let mut slope = 0.0;
                for ((column, scale), factor) in columns.iter().zip(scales).zip(row) {
                    match column.factors[..] {
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

impl FloatCondition {
    /// How large the terms of a linear condition or of a facet are together; not a number where it
    /// is neither.
    pub(super) fn size(
        &self,
        facet: Option<FacetId>,
        condition: ConditionId,
        task: &GroundTask,
        value: &dyn Fn(VariableId) -> f64,
    ) -> f64 {
        match self {
            FloatCondition::Linear { variables, factors, .. } => {
                let terms = variables
                    .iter()
                    .zip(factors)
                    .map(|(&variable, factor)| (factor * value(variable)).abs());
                terms.sum::<f64>() + factors[variables.len()].abs()
            }
            FloatCondition::General(..) => f64::NAN,
            FloatCondition::Region(region) => {
                let (PreparedCondition::Region { columns, scales, .. }, Some(facet)) =
                    (&task.prepared[condition], facet)
                else {
                    return f64::NAN;
                };
                let row = task.regions[*region].floats(facet);
                let column = |column: &GroundColumn| {
                    column.factors.iter().map(|&variable| value(variable)).product::<f64>()
                };
                let terms = row
                    .iter()
                    .zip(columns)
                    .zip(scales)
                    .map(|((factor, slot), scale)| (factor * scale * column(slot)).abs());
                terms.sum::<f64>() + row[columns.len()].abs()
            }
        }
    }
}

/// A change of a group, and the conditions that its amount is above or below zero, where it depends
/// on the state.
pub(super) struct Contribution {
    pub(super) change: VariableChange,
    pub(super) constant: Option<f64>,
    /// Whether that constant is a whole number.
    pub(super) whole: bool,
    pub(super) above: Option<ConditionId>,
    pub(super) below: Option<ConditionId>,
    /// Whether it increases a burden, which helps nothing.
    pub(super) burdens: bool,
}

/// How nodes are numbered: facts, absent facts, numeric conditions, groups, disjunctions, and last
/// the goal.
#[derive(Clone, Copy)]
pub(super) struct NodeNumbering {
    facts: usize,
    /// The first node of numeric conditions, of groups, of disjunctions; the goal.
    conditions: usize,
    groups: usize,
    disjunctions: usize,
    goal: usize,
}

/// What a node is, as far as it is treated in different ways.
pub(super) enum NodeKind {
    /// A numeric condition of the task.
    Condition(ConditionId),
    /// That some operator of a group can be taken.
    Group(GroupId),
    /// A fact, its absence, a disjunction or the goal: reached by rules alone.
    Logical,
}

impl NodeNumbering {
    fn new(facts: usize, conditions: usize, groups: usize, disjunctions: usize) -> Self {
        let first_condition = 2 * facts;
        let first_group = first_condition + conditions;
        let first_disjunction = first_group + groups;
        NodeNumbering {
            facts,
            conditions: first_condition,
            groups: first_group,
            disjunctions: first_disjunction,
            goal: first_disjunction + disjunctions,
        }
    }

    /// How many nodes there are.
    pub(super) fn count(&self) -> usize {
        self.goal + 1
    }

    #[inline]
    pub(super) fn fact(&self, fact: FactId, truth: bool) -> NodeId {
        NodeId::from_index(if truth { fact.index() } else { self.facts + fact.index() })
    }

    #[inline]
    pub(super) fn condition(&self, condition: ConditionId) -> NodeId {
        NodeId::from_index(self.conditions + condition.index())
    }

    #[inline]
    pub(super) fn group(&self, group: GroupId) -> NodeId {
        NodeId::from_index(self.groups + group.index())
    }

    #[inline]
    pub(super) fn goal(&self) -> NodeId {
        NodeId::from_index(self.goal)
    }

    #[inline]
    pub(super) fn kind(&self, node: NodeId) -> NodeKind {
        let index = node.index();
        if index < self.conditions || index >= self.disjunctions {
            NodeKind::Logical
        } else if index < self.groups {
            NodeKind::Condition(ConditionId::from_index(index - self.conditions))
        } else {
            NodeKind::Group(GroupId::from_index(index - self.groups))
        }
    }

    fn node(&self, node: &RelaxedNode) -> NodeId {
        match *node {
            RelaxedNode::Fact(fact, truth) => self.fact(fact, truth),
            RelaxedNode::Condition(condition) => self.condition(condition),
            RelaxedNode::Disjunction(disjunction) => {
                NodeId::from_index(self.disjunctions + disjunction.index())
            }
            RelaxedNode::Goal => self.goal(),
        }
    }

    /// The different ones among these nodes, in order.
    fn distinct(&self, nodes: &[RelaxedNode]) -> Vec<NodeId> {
        nodes.iter().map(|node| self.node(node)).collect::<IndexSet<NodeId>>().into_iter().collect()
    }
}

/// The structure of the relaxed task.
pub(super) struct Structure {
    pub(super) facts: usize,
    pub(super) nodes: NodeNumbering,
    /// For each rule: how many nodes it needs, what it costs, which operator it is, which group.
    pub(super) needs: IdVec<RuleId, u32>,
    pub(super) prices: IdVec<RuleId, u32>,
    pub(super) operators: IdVec<RuleId, Option<OperatorId>>,
    pub(super) group_of: IdVec<RuleId, Option<GroupId>>,
    pub(super) requires: Adjacency<RuleId, NodeId>,
    pub(super) yields: Adjacency<RuleId, NodeId>,
    /// For each node, the rules that need it.
    pub(super) needed_by: Adjacency<NodeId, RuleId>,
    /// For each group, the conditions it may help, and the other way round.
    pub(super) helps: Adjacency<GroupId, ConditionId>,
    pub(super) helped_by: Adjacency<ConditionId, GroupId>,
    /// For each condition, the groups whose amounts it makes possible.
    pub(super) enables: Adjacency<ConditionId, GroupId>,
    pub(super) contributions: IdVec<GroupId, Vec<Contribution>>,
    pub(super) conditions: IdVec<ConditionId, FloatCondition>,
    /// Conditions beyond those of the task, ready for evaluation.
    pub(super) extra: Vec<PreparedCondition>,
    /// For each condition: the burdens in it that can shrink.
    pub(super) fading: IdVec<ConditionId, Box<[VariableId]>>,
}

/// Builds the structure of the relaxed task.
pub(super) struct Builder<'t> {
    task: &'t GroundTask,
    conditions: IndexSet<NumericCondition, FxBuildHasher>,
    groups: IndexSet<Box<[VariableChange]>, FxBuildHasher>,
    contributions: IdVec<GroupId, Vec<Contribution>>,
    disjunctions: IndexSet<Formula, FxBuildHasher>,
    rules: IdVec<RuleId, RelaxedRule>,
}

/// A node before all kinds of nodes are counted.
#[derive(Clone, Copy)]
enum RelaxedNode {
    Fact(FactId, bool),
    Condition(ConditionId),
    Disjunction(DisjunctionId),
    Goal,
}

struct RelaxedRule {
    requires: Vec<RelaxedNode>,
    yields: Vec<RelaxedNode>,
    price: u32,
    operator: Option<OperatorId>,
    group: Option<GroupId>,
}

impl RelaxedRule {
    /// A rule that is no operator: it costs nothing.
    fn logical(requires: Vec<RelaxedNode>, yields: RelaxedNode) -> Self {
        RelaxedRule { requires, yields: vec![yields], price: 0, operator: None, group: None }
    }
}

impl<'t> Builder<'t> {
    pub(super) fn new(task: &'t GroundTask) -> Self {
        Builder {
            task,
            conditions: task.conditions.iter().cloned().collect(),
            groups: IndexSet::default(),
            contributions: IdVec::new(),
            disjunctions: IndexSet::default(),
            rules: IdVec::new(),
        }
    }

    pub(super) fn build(mut self) -> Structure {
        let task = self.task;
        for (id, operator) in task.operators.pairs() {
            let requires = self.conjunction(&operator.precondition);
            self.effects(id, requires.clone(), &operator.effects);
            for (condition, effects) in &operator.conditional {
                let mut both = requires.clone();
                both.extend(self.conjunction(condition));
                self.effects(id, both, effects);
            }
        }
        if let Some(goal) = &task.goal {
            let requires = self.conjunction(goal);
            self.rules.push(RelaxedRule::logical(requires, RelaxedNode::Goal));
        }
        self.finish()
    }

    fn conjunction(&mut self, conjunction: &GroundConjunction) -> Vec<RelaxedNode> {
        let mut nodes: Vec<RelaxedNode> =
            conjunction.facts.iter().map(|&fact| RelaxedNode::Fact(fact, true)).collect();
        nodes.extend(conjunction.absent.iter().map(|&fact| RelaxedNode::Fact(fact, false)));
        nodes
            .extend(conjunction.numeric.iter().map(|&condition| RelaxedNode::Condition(condition)));
        conjunction.clauses.iter().for_each(|clause| self.formula(clause, &mut nodes));
        nodes
    }

    fn formula(&mut self, formula: &Formula, nodes: &mut Vec<RelaxedNode>) {
        match formula {
            Formula::Fact(fact, truth) => nodes.push(RelaxedNode::Fact(*fact, *truth)),
            Formula::Numeric(condition) => nodes.push(RelaxedNode::Condition(*condition)),
            Formula::And(parts) => parts.iter().for_each(|part| self.formula(part, nodes)),
            Formula::Or(parts) => {
                let (index, new) = self.disjunctions.insert_full(formula.clone());
                let node = RelaxedNode::Disjunction(DisjunctionId::from_index(index));
                nodes.push(node);
                if new {
                    for part in parts {
                        let mut requires = Vec::new();
                        self.formula(part, &mut requires);
                        self.rules.push(RelaxedRule::logical(requires, node));
                    }
                }
            }
        }
    }

    fn effects(
        &mut self,
        operator: OperatorId,
        requires: Vec<RelaxedNode>,
        effects: &GroundEffects,
    ) {
        let mut yields: Vec<RelaxedNode> =
            effects.adds.iter().map(|&fact| RelaxedNode::Fact(fact, true)).collect();
        let lost = effects.deletes.iter().filter(|fact| !effects.adds.contains(fact));
        yields.extend(lost.map(|&fact| RelaxedNode::Fact(fact, false)));
        let group =
            if effects.changes.is_empty() { None } else { Some(self.group(&effects.changes)) };
        self.rules.push(RelaxedRule {
            requires,
            yields,
            price: 1,
            operator: Some(operator),
            group,
        });
    }

    fn group(&mut self, changes: &[VariableChange]) -> GroupId {
        let burdens = &self.task.burdens;
        let counted = changes.iter().filter(|change| !burdens.fades(change.variable));
        let changes: Box<[VariableChange]> = counted.cloned().collect();
        let (index, new) = self.groups.insert_full(changes.clone());
        if new {
            let contributions = changes.iter().map(|change| self.contribution(change)).collect();
            self.contributions.push(contributions);
        }
        GroupId::from_index(index)
    }

    fn contribution(&mut self, change: &VariableChange) -> Contribution {
        let constant = match (change.operation, change.amount.as_constant()) {
            (Operation::Add, Some(number)) => Some(float(number)),
            _ => None,
        };
        let whole =
            constant.is_some() && change.amount.as_constant().is_some_and(Rational::is_integer);
        let burdens = self.task.burdens.grows(change.variable);
        let (mut above, mut below) = (None, None);
        // For an amount that depends on the state: the conditions that it has a sign. Assignments
        // and scalings count as possible at once.
        let is_addition = change.operation == Operation::Add
            && matches!(change.amount, GroundExpression::Polynomial(_));
        if constant.is_none() && is_addition && !burdens {
            above = Some(self.is_positive(change.amount.clone()));
            below = Some(self.is_positive(change.amount.clone().negated(&|_| true)));
        }
        Contribution { change: change.clone(), constant, whole, above, below, burdens }
    }

    /// The condition that an amount is above zero.
    fn is_positive(&mut self, amount: GroundExpression) -> ConditionId {
        ConditionId::from_index(
            self.conditions.insert_full(NumericCondition::Comparison(amount, SignTest::Positive)).0,
        )
    }

    fn finish(self) -> Structure {
        let task = self.task;
        let counts = (self.conditions.len(), self.contributions.len(), self.disjunctions.len());
        let nodes = NodeNumbering::new(task.facts, counts.0, counts.1, counts.2);
        let requires: IdVec<RuleId, Vec<NodeId>> =
            self.rules.iter().map(|rule| nodes.distinct(&rule.requires)).collect();
        let needed_by = inverse(&requires, nodes.count());
        // Nothing asks for most absent facts.
        let mut yields: IdVec<RuleId, Vec<NodeId>> =
            self.rules.iter().map(|rule| nodes.distinct(&rule.yields)).collect();
        for list in yields.as_mut_slice() {
            list.retain(|&node| node == nodes.goal() || !needed_by[node].is_empty());
        }
        let helps = self.helps();
        let mut enables: IdVec<ConditionId, Vec<GroupId>> =
            IdVec::filled(Vec::new(), self.conditions.len());
        for (group, contributions) in self.contributions.pairs() {
            let conditions = contributions
                .iter()
                .flat_map(|contribution| [contribution.above, contribution.below]);
            conditions.flatten().for_each(|condition| enables[condition].push(group));
        }
        let given = task.conditions.len();
        Structure {
            facts: task.facts,
            nodes,
            needs: requires.iter().map(|nodes| nodes.len() as u32).collect(),
            prices: self.rules.iter().map(|rule| rule.price).collect(),
            operators: self.rules.iter().map(|rule| rule.operator).collect(),
            group_of: self.rules.iter().map(|rule| rule.group).collect(),
            requires: Adjacency::of(&requires),
            yields: Adjacency::of(&yields),
            needed_by: Adjacency::of(&needed_by),
            helped_by: Adjacency::of(&inverse(&helps, self.conditions.len())),
            helps: Adjacency::of(&helps),
            enables: Adjacency::of(&enables),
            contributions: self.contributions,
            conditions: self.conditions.iter().map(FloatCondition::of).collect(),
            extra: self.conditions.iter().skip(given).map(PreparedCondition::new).collect(),
            fading: self.conditions.iter().map(|condition| fading(condition, task)).collect(),
        }
    }

    /// For each group, the conditions it may help.
    fn helps(&self) -> IdVec<GroupId, Vec<ConditionId>> {
        let mut mentioned_by: IdVec<VariableId, Vec<ConditionId>> =
            IdVec::filled(Vec::new(), self.task.variables);
        for (index, condition) in self.conditions.iter().enumerate() {
            condition.variables(&mut |variable| {
                mentioned_by[variable].push(ConditionId::from_index(index))
            });
        }
        let mut helps = IdVec::new();
        for contributions in &self.contributions {
            let helpful = contributions.iter().filter(|contribution| !contribution.burdens);
            let touched =
                helpful.flat_map(|contribution| &mentioned_by[contribution.change.variable]);
            let mut list: Vec<ConditionId> = touched.copied().collect();
            list.sort_unstable();
            list.dedup();
            list.retain(|&condition| may_help(contributions, &self.conditions[condition.index()]));
            helps.push(list);
        }
        helps
    }
}

/// The burdens of a condition that fade.
fn fading(condition: &NumericCondition, task: &GroundTask) -> Box<[VariableId]> {
    let mut found = Vec::new();
    condition.variables(&mut |variable| {
        if task.burdens.fades(variable) && !found.contains(&variable) {
            found.push(variable);
        }
    });
    found.into()
}

/// For each of `count` items, the keys whose lists it is in.
fn inverse<K: Id, V: Id>(lists: &IdVec<K, Vec<V>>, count: usize) -> IdVec<V, Vec<K>> {
    let mut inverse: IdVec<V, Vec<K>> = IdVec::filled(Vec::new(), count);
    for (key, list) in lists.pairs() {
        list.iter().for_each(|&item| inverse[item].push(key));
    }
    inverse
}

/// Whether a group can ever help a condition: a steady contribution that points away from it
/// cannot.
fn may_help(contributions: &[Contribution], condition: &NumericCondition) -> bool {
    let NumericCondition::Comparison(GroundExpression::Polynomial(polynomial), test) = condition
    else {
        return true;
    };
    let mut gain = Rational::ZERO;
    for contribution in contributions.iter().filter(|contribution| !contribution.burdens) {
        let Some(amount) =
            contribution.change.amount.as_constant().filter(|_| contribution.constant.is_some())
        else {
            return true;
        };
        for (monomial, factor) in &polynomial.terms {
            match monomial[..] {
                [variable] if variable == contribution.change.variable => {
                    gain += &(factor * amount)
                }
                [_] => {}
                _ => return true,
            }
        }
    }
    match test {
        SignTest::Zero => !gain.is_zero(),
        _ => gain.signum() > 0,
    }
}
