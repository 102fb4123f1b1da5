//! Variables of which less never hurts, such as a bound on an error: the *burdens* of a task.
//!
//! If two states agree on everything but burdens, and the one has at most as much of each as the other, then whatever can be done from the
//! other can be done from the one, and leads to states of which the same is true: the one *dominates* the other, and a search that
//! looks at the one need not look at the other. Otherwise two ways to the same estimates, with errors that differ in the last digit,
//! would be two states.
//!
//! Burdens are the largest set of variables for which all of this holds; so variables are ruled out until nothing more is:
//!
//! - every burden has a value from the start;
//! - every numeric condition of a precondition or the goal falls, or stays the same, as a burden grows, whatever the other variables are;
//! - no condition of a conditional effect and no metric mentions one, and no effect on another variable reads one;
//! - what an effect leaves of a burden rises, or stays the same, with each burden: it is assigned, increased or scaled so.

use rustc_hash::FxHashSet;

use super::expression::GroundExpression;
use super::ids::{RegionId, VariableId};
use super::numeric::{NumericCondition, SignTest};
use super::task::{Conjunction, Formula, GroundTask, Operation, VariableChange};
use surefoot_base::exact::Rational;
use surefoot_base::ids::{Id, IdVec, first_ids};

/// How a burden changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Trend {
    /// It only grows, and what it grows by does, too.
    Grows,
    /// It is never negative, and shrinks by shares of itself alone.
    Fades,
    /// In any other way.
    Varies,
}

/// The variables of a task of which less never hurts.
#[derive(Clone, Debug, Default)]
pub struct Burdens {
    /// By variable: the trend of a burden. Empty where there are no burdens.
    trends: IdVec<VariableId, Option<Trend>>,
    /// The burdens, in order.
    variables: Vec<VariableId>,
}

impl Burdens {
    /// The burdens of a task.
    pub fn of(task: &GroundTask) -> Self {
        let mut candidates = Candidates::new(task);
        candidates.judge_conditions();
        if candidates.are_none() {
            return Burdens::default();
        }
        candidates.judge_effects();
        let variables: Vec<VariableId> =
            candidates.left.pairs().filter(|&(_, &left)| left).map(|(variable, _)| variable).collect();
        if variables.is_empty() {
            return Burdens::default();
        }
        Burdens { trends: trends(task, &candidates.left), variables }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The burdens, in order.
    pub fn variables(&self) -> &[VariableId] {
        &self.variables
    }

    /// Whether a variable is one that only grows, and grows from a state on by no less than what it would grow by there.
    #[inline]
    pub fn grows(&self, variable: VariableId) -> bool {
        !self.is_empty() && self.trends[variable] == Some(Trend::Grows)
    }

    /// Whether a variable is one that is never negative and shrinks by shares of itself alone: how much it can shrink by is what it is.
    #[inline]
    pub fn fades(&self, variable: VariableId) -> bool {
        !self.is_empty() && self.trends[variable] == Some(Trend::Fades)
    }
}

/// Calls `visit` with every variable of an expression, once for each term that mentions it, and the factor of the term, where the
/// variable stands alone in it.
fn for_each_slope<'e>(expression: &'e GroundExpression, visit: &mut dyn FnMut(VariableId, Option<&'e Rational>)) {
    match expression {
        GroundExpression::Polynomial(polynomial) => {
            for (monomial, factor) in &polynomial.terms {
                match monomial[..] {
                    [variable] => visit(variable, Some(factor)),
                    _ => monomial.iter().for_each(|&variable| visit(variable, None)),
                }
            }
        }
        GroundExpression::Sum(both) => both.iter().for_each(|part| for_each_slope(part, visit)),
        GroundExpression::Product(_) | GroundExpression::Quotient(_) => {
            expression.variables(&mut |variable| visit(variable, None))
        }
    }
}

/// Which variables may still be burdens.
struct Candidates<'t> {
    task: &'t GroundTask,
    left: IdVec<VariableId, bool>,
    /// For each region, whether its facets rise, and whether they fall, with each column.
    facets: IdVec<RegionId, Option<Vec<FacetSigns>>>,
}

/// Which signs a column has among the facets of a region; an equation has both.
#[derive(Clone, Copy, Default)]
struct FacetSigns {
    rises: bool,
    falls: bool,
}

impl<'t> Candidates<'t> {
    /// The variables that have a value and are not there for the metric.
    fn new(task: &'t GroundTask) -> Self {
        let values = task.values(&task.initial);
        let variables = first_ids(task.variables);
        let mut left: IdVec<VariableId, bool> =
            variables.map(|variable: VariableId| variable.index() < task.core && values.number(variable).is_some()).collect();
        if let Some(cost) = &task.cost {
            cost.expression.variables(&mut |variable| left[variable] = false);
        }
        Candidates { task, left, facets: IdVec::filled(None, task.regions.len()) }
    }

    fn are_none(&self) -> bool {
        self.left.iter().all(|&left| !left)
    }

    fn judge_conditions(&mut self) {
        let task = self.task;
        for condition in &task.conditions {
            match condition {
                NumericCondition::Comparison(expression, test) => for_each_slope(expression, &mut |variable, factor| {
                    let falls = factor.is_some_and(|factor| factor.is_zero() || factor.signum() < 0 && *test != SignTest::Zero);
                    self.left[variable] &= falls;
                }),
                NumericCondition::Region(region, columns) => {
                    for (at, column) in columns.iter().enumerate() {
                        let FacetSigns { rises, falls } = self.signs(*region)[at];
                        let harmful = match column.scale.signum() {
                            0 => false,
                            1 => rises,
                            _ => falls,
                        };
                        let alone = column.factors.len() == 1;
                        column.factors.iter().for_each(|&variable| self.left[variable] &= alone && !harmful);
                    }
                }
            }
        }
        for operator in &task.operators {
            operator.conditional.iter().for_each(|(condition, _)| self.rule_out_mentioned(condition));
        }
    }

    fn signs(&mut self, region: RegionId) -> &[FacetSigns] {
        let set = &self.task.regions[region];
        self.facets[region].get_or_insert_with(|| {
            // Of a region that is known by its vertices alone no facet says anything.
            let unknown = !set.is_complete();
            let mut signs = vec![FacetSigns { rises: unknown, falls: unknown }; set.width()];
            for facet in set.facets() {
                let both = set.test(facet) == SignTest::Zero;
                for (sign, &factor) in signs.iter_mut().zip(set.floats(facet)) {
                    sign.rises |= factor > 0.0 || both && factor != 0.0;
                    sign.falls |= factor < 0.0 || both && factor != 0.0;
                }
            }
            signs
        })
    }

    fn rule_out_mentioned(&mut self, conjunction: &Conjunction) {
        let Candidates { task, left, .. } = self;
        let mut rule_out = |condition: &NumericCondition| condition.variables(&mut |variable| left[variable] = false);
        conjunction.numeric.iter().for_each(|&condition| rule_out(&task.conditions[condition]));
        let mut formulas: Vec<&Formula> = conjunction.clauses.iter().collect();
        while let Some(formula) = formulas.pop() {
            match formula {
                Formula::Fact(..) => {}
                Formula::Numeric(condition) => rule_out(&task.conditions[*condition]),
                Formula::And(parts) | Formula::Or(parts) => formulas.extend(parts),
            }
        }
    }

    fn judge_effects(&mut self) {
        let task = self.task;
        // Pairs of what is changed and what is read for that.
        let mut reads: FxHashSet<(VariableId, VariableId)> = FxHashSet::default();
        for operator in &task.operators {
            let changes: Vec<&VariableChange> = operator.all_effects().flat_map(|effects| &effects.changes).collect();
            for change in &changes {
                let together = || changes.iter().filter(|other| other.variable == change.variable);
                // Effects on the same variable must agree, unless they add up.
                if together().count() > 1 && together().any(|other| other.operation != Operation::Add) {
                    self.left[change.variable] = false;
                }
                self.judge_change(change, &mut reads);
            }
            for change in &changes {
                let own = changes.iter().filter(|other| other.variable == change.variable).map(|other| lost_of_itself(other));
                if own.fold(Rational::ZERO, |sum, lost| &sum + &lost) < -&Rational::ONE {
                    self.left[change.variable] = false;
                }
            }
        }
        // What others read is no burden.
        loop {
            let before = reads.len();
            let left = &mut self.left;
            reads.retain(|&(changed, read)| {
                left[read] &= left[changed];
                left[read]
            });
            if reads.len() == before {
                return;
            }
        }
    }

    fn judge_change(&mut self, change: &VariableChange, reads: &mut FxHashSet<(VariableId, VariableId)>) {
        let left = &mut self.left;
        if change.operation == Operation::Scale && change.amount.as_constant().is_none_or(|factor| factor.signum() < 0) {
            left[change.variable] = false;
        }
        for_each_slope(&change.amount, &mut |variable, factor| {
            let is_own = variable == change.variable && change.operation == Operation::Add;
            // How much of itself is taken away is looked at later, for all changes together.
            left[variable] &= factor.is_some_and(|factor| is_own || factor.signum() >= 0) && change.operation != Operation::Scale;
            if left[variable] && variable != change.variable {
                reads.insert((change.variable, variable));
            }
        });
    }
}

/// The share of its own value that a change adds to a variable, where that is negative; else zero.
fn lost_of_itself(change: &VariableChange) -> Rational {
    let mut lost = Rational::ZERO;
    if change.operation == Operation::Add {
        for_each_slope(&change.amount, &mut |variable, factor| {
            if let Some(factor) = factor.filter(|factor| variable == change.variable && factor.signum() < 0) {
                lost += factor;
            }
        });
    }
    lost
}

/// How each burden changes.
fn trends(task: &GroundTask, burdens: &IdVec<VariableId, bool>) -> IdVec<VariableId, Option<Trend>> {
    let effects = task.operators.iter().flat_map(|operator| operator.all_effects());
    let changes: FxHashSet<&VariableChange> =
        effects.flat_map(|effects| &effects.changes).filter(|change| burdens[change.variable]).collect();
    let changes: Vec<&VariableChange> = changes.into_iter().collect();
    let values = task.values(&task.initial);
    let is_low = |variable: VariableId| values.number(variable).is_none_or(|number| task.numbers.exact(number).signum() < 0);
    let starts: IdVec<VariableId, bool> = burdens.pairs().map(|(variable, &burden)| burden && !is_low(variable)).collect();
    let grows = largest(starts.clone(), &changes, &|change| lost_of_itself(change).is_zero());
    let fades = largest(starts, &changes, &|_| true);
    let trend = |variable: VariableId| match (grows[variable], fades[variable]) {
        (true, _) => Trend::Grows,
        (_, true) => Trend::Fades,
        _ => Trend::Varies,
    };
    burdens.pairs().map(|(variable, &burden)| burden.then(|| trend(variable))).collect()
}

/// The largest part of a set of burdens that are not negative at first such that what is added to each of them is made of numbers that
/// are not negative, others of the part and perhaps a share of itself, and is `right` besides. Nothing is assigned to them. No member
/// becomes negative: what is taken from a burden is at most itself.
fn largest(
    mut part: IdVec<VariableId, bool>,
    changes: &[&VariableChange],
    right: &dyn Fn(&VariableChange) -> bool,
) -> IdVec<VariableId, bool> {
    loop {
        let before = part.iter().filter(|&&member| member).count();
        for change in changes {
            let mut kept = change.operation == Operation::Add && right(change);
            kept &= match &change.amount {
                GroundExpression::Polynomial(polynomial) => polynomial.constant.signum() >= 0,
                _ => false,
            };
            for_each_slope(&change.amount, &mut |variable, factor| {
                kept &= part[variable] && factor.is_some_and(|factor| variable == change.variable || factor.signum() >= 0);
            });
            part[change.variable] &= kept;
        }
        if part.iter().filter(|&&member| member).count() == before {
            return part;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundingScope, ground};
    use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};

    /// The trends of the burdens of a task about an estimate `x`, an error `e` and another `f`, with a condition of its one action, some
    /// of its effects, and a goal.
    fn trends_of(condition: &str, effects: &str, goal: &str) -> Vec<Trend> {
        let domain = format!(
            "(define (domain d) (:requirements :numeric-fluents :conditional-effects :disjunctive-preconditions) (:predicates (p))
               (:functions (x) (e) (f)) (:action act :parameters () :precondition {condition} :effect (and (p) {effects})))"
        );
        let domain = read_domain(&Source::new("domain", domain)).unwrap();
        let problem = format!(
            "(define (problem p) (:domain d) (:init (= (x) 1) (= (e) 0.5) (= (f) 0.25)) (:goal {goal}) (:metric minimize (x)))"
        );
        let problem = read_problem(&Source::new("problem", problem), &domain, Numbers::Exact).unwrap();
        let task = ground(&domain, &problem, GroundingScope::Goal, &mut |_| true).unwrap();
        task.burdens.trends.iter().copied().flatten().collect()
    }

    const MARGIN: &str = "(<= (+ (x) (e)) 9)";
    const STEP: &str = "(increase (x) 1)";

    #[test]
    fn errors_that_grow_are_burdens() {
        let effects = format!("{STEP} (increase (e) (+ 0.1 (* 2 (f)))) (increase (f) (* 0.5 (e)))");
        assert_eq!(trends_of(MARGIN, &effects, "(>= (- (x) (e)) 5)"), [Trend::Grows, Trend::Grows]);
    }

    #[test]
    fn errors_that_shrink_are_burdens() {
        for effect in ["(increase (e) (+ 0.1 (* -0.5 (e))))", "(increase (e) (- 0.1 (e)))"] {
            assert_eq!(trends_of(MARGIN, &format!("{STEP} {effect}"), "(>= (- (x) (e)) 5)"), [Trend::Fades], "{effect}");
        }
        for effect in ["(decrease (e) 0.1)", "(assign (e) 0)", "(scale-up (e) 0.5)"] {
            assert_eq!(trends_of(MARGIN, &format!("{STEP} {effect}"), "(>= (x) 5)"), [Trend::Varies], "{effect}");
        }
    }

    #[test]
    fn whatever_can_profit_from_more_is_none() {
        let grows = "(increase (e) 0.1)";
        let goal = "(>= (x) 5)";
        let none = |condition: &str, effects: &str, goal: &str| {
            let trends = trends_of(condition, &format!("{STEP} {effects}"), goal);
            assert!(trends.is_empty(), "{condition} {effects} {goal}: {trends:?}");
        };
        assert_eq!(trends_of(MARGIN, &format!("{STEP} {grows}"), goal), [Trend::Grows]);
        none(MARGIN, grows, "(>= (+ (x) (e)) 5)");
        none(MARGIN, grows, "(and (>= (x) 5) (= (e) 1))");
        none(MARGIN, grows, "(and (>= (x) 5) (not (<= (e) 1)))");
        none("(or (<= (+ (x) (e)) 9) (>= (e) 4))", grows, goal);
        none("(<= (* (x) (e)) 9)", grows, goal);
        none(MARGIN, "(increase (e) 0.1) (increase (x) (e))", goal);
        none(MARGIN, "(increase (e) (* -2 (e)))", goal);
        none(MARGIN, "(increase (e) (* -0.6 (e))) (increase (e) (* -0.6 (e)))", goal);
        none(MARGIN, "(scale-up (e) -1)", goal);
        none(MARGIN, "(increase (e) 0.1) (when (> (e) 3) (increase (x) 2))", goal);
        // What is subtracted from a burden is none; the other still is one.
        assert_eq!(trends_of("(<= (+ (x) (e) (f)) 9)", &format!("{STEP} (decrease (e) (f)) (increase (f) 1)"), goal).len(), 1);
    }

    #[test]
    fn of_many_conditions_the_facets_count() {
        let bounds = |sign: &str| {
            let facets: Vec<String> = (1..12).map(|number| format!("(<= (+ (* {number} (x)) (* {sign}1 (e))) 90)")).collect();
            format!("(and {})", facets.join(" "))
        };
        let effects = format!("{STEP} (increase (e) 0.1)");
        assert_eq!(trends_of(&bounds(""), &effects, "(>= (x) 5)"), [Trend::Grows]);
        assert_eq!(trends_of(&bounds("-"), &effects, "(>= (x) 5)"), []);
    }

    #[test]
    fn an_error_that_does_not_grow_is_no_variable() {
        assert_eq!(trends_of(MARGIN, &format!("{STEP} (increase (e) 0)"), "(>= (x) 5)"), []);
    }
}
