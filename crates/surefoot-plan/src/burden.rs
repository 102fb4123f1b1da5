//! Variables whose values compare: the *burdens* of a task, of which less never hurts, such as a
//! bound on an error, and its *assets*, of which more never hurts, such as money or fuel.
//!
//! If two states agree on everything else, and the one has at most as much of each burden and at
//! least as much of each asset as the other, then whatever can be done from the other can be done
//! from the one, and leads to states of which the same is true: the one *dominates* the other, and
//! a search that looks at the one need not look at the other. Otherwise two ways to the same
//! estimates, with errors that differ in the last digit, or to the same stock, with less money,
//! would be two states.
//!
//! Each variable may have two *leanings*: towards less, as a burden, and towards more, as an asset.
//! A leaning is better *served* by one value than by another. Leanings are ruled out until all of
//! this holds for those that are left:
//!
//! - the variable has a value from the start, and no metric mentions it;
//! - each numeric condition of a precondition or the goal stays true as the leaning is served
//!   better, whatever the other values are;
//! - no condition of a conditional effect mentions the variable;
//! - what an effect that reads it leaves of a variable, of itself or of another, serves a leaning
//!   of that variable better, too.
//!
//! Of a variable that is left with both leanings one is chosen such that the last rule holds for
//! what is chosen.

use rustc_hash::FxHashSet;

use super::expression::GroundExpression;
use super::ids::{RegionId, StateWord, VariableId};
use super::number::NumberTable;
use super::numeric::{NumericCondition, SignTest};
use super::space::at_most;
use super::task::{Formula, GroundConjunction, GroundTask, Operation, VariableChange};
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

/// Which values of a variable are better.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Leaning {
    /// Smaller ones: a burden.
    Less,
    /// Larger ones: an asset.
    More,
}

impl Leaning {
    const BOTH: [Leaning; 2] = [Leaning::Less, Leaning::More];

    /// The leaning of what grows, or with a negative sign shrinks, with a variable of this leaning.
    fn signed(self, sign: i32) -> Self {
        match (self, sign < 0) {
            (Leaning::Less, false) | (Leaning::More, true) => Leaning::Less,
            (Leaning::More, false) | (Leaning::Less, true) => Leaning::More,
        }
    }
}

/// A leaning of a variable.
type VariableLeaning = (VariableId, Leaning);

/// The burdens and assets of a task.
#[derive(Clone, Debug, Default)]
pub struct Burdens {
    /// By variable: the trend of a burden. Empty where there are no burdens.
    trends: IdVec<VariableId, Option<Trend>>,
    /// The burdens and assets, in order.
    leanings: Vec<VariableLeaning>,
}

impl Burdens {
    /// The burdens and assets of a task.
    pub fn of(task: &GroundTask) -> Self {
        let mut candidates = Candidates::new(task);
        candidates.judge_conditions();
        if candidates.left.iter().all(|left| left.is_empty()) {
            return Burdens::default();
        }
        let reads = candidates.judge_effects();
        let leanings = chosen(&candidates.left, &reads);
        let mut burdens: IdVec<VariableId, bool> = IdVec::filled(false, task.variables);
        let less = leanings.iter().filter(|&&(_, leaning)| leaning == Leaning::Less);
        less.for_each(|&(variable, _)| burdens[variable] = true);
        let trends = if burdens.iter().any(|&burden| burden) {
            trends(task, &burdens)
        } else {
            IdVec::new()
        };
        Burdens { trends, leanings }
    }

    /// Whether there are neither.
    pub fn is_empty(&self) -> bool {
        self.leanings.is_empty()
    }

    /// The burdens and assets, in order.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> {
        self.leanings.iter().map(|&(variable, _)| variable)
    }

    /// Whether one state has no more of any burden than another, and no less of any asset, given
    /// where in a state the variables begin.
    pub fn is_no_worse(
        &self,
        one: &[StateWord],
        other: &[StateWord],
        words: usize,
        numbers: &NumberTable,
    ) -> bool {
        self.leanings.iter().all(|&(variable, leaning)| {
            let at = words + variable.index();
            match leaning {
                Leaning::Less => at_most(one[at], other[at], numbers),
                Leaning::More => at_most(other[at], one[at], numbers),
            }
        })
    }

    /// Whether one state is no worse than another in any burden or asset, and whether the other is
    /// no worse than the one.
    pub fn compare(
        &self,
        one: &[StateWord],
        other: &[StateWord],
        words: usize,
        numbers: &NumberTable,
    ) -> (bool, bool) {
        let mut answer = (true, true);
        for &(variable, leaning) in &self.leanings {
            let at = words + variable.index();
            if one[at] == other[at] {
                continue;
            }
            let (smaller, larger) = match leaning {
                Leaning::Less => (one[at], other[at]),
                Leaning::More => (other[at], one[at]),
            };
            // Two numbers that differ: one of them is smaller. What is undefined compares with
            // itself alone.
            let is_better = at_most(smaller, larger, numbers);
            answer = (
                answer.0 && is_better,
                answer.1 && !is_better && at_most(larger, smaller, numbers),
            );
            if answer == (false, false) {
                break;
            }
        }
        answer
    }

    /// Whether a variable only grows, and grows from a state onward by no less than it would grow
    /// by in that state.
    #[inline]
    pub fn grows(&self, variable: VariableId) -> bool {
        !self.trends.is_empty() && self.trends[variable] == Some(Trend::Grows)
    }

    /// Whether a variable is never negative and shrinks only by shares of itself: it can shrink by
    /// no more than its value.
    #[inline]
    pub fn fades(&self, variable: VariableId) -> bool {
        !self.trends.is_empty() && self.trends[variable] == Some(Trend::Fades)
    }
}

/// Calls `visit` with every variable of an expression, once for each term that mentions it, and the
/// factor of the term, where the variable stands alone in it.
fn for_each_slope<'e>(
    expression: &'e GroundExpression,
    visit: &mut dyn FnMut(VariableId, Option<&'e Rational>),
) {
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

/// The leanings that a variable may still have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct OpenLeanings {
    less: bool,
    more: bool,
}

impl OpenLeanings {
    const NONE: OpenLeanings = OpenLeanings { less: false, more: false };

    fn is_empty(self) -> bool {
        self == OpenLeanings::NONE
    }

    fn contains(self, leaning: Leaning) -> bool {
        match leaning {
            Leaning::Less => self.less,
            Leaning::More => self.more,
        }
    }

    fn remove(&mut self, leaning: Leaning) {
        match leaning {
            Leaning::Less => self.less = false,
            Leaning::More => self.more = false,
        }
    }
}

/// An effect on a variable that reads another one, and whether what it leaves grows or shrinks with
/// that.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct EffectRead {
    changed: VariableId,
    read: VariableId,
    sign: i32,
}

/// Which leanings variables may still have.
struct Candidates<'t> {
    task: &'t GroundTask,
    left: IdVec<VariableId, OpenLeanings>,
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
        let variables = first_ids(task.variables).map(|variable: VariableId| {
            variable.index() < task.core && values.number(variable).is_some()
        });
        let mut left: IdVec<VariableId, OpenLeanings> =
            variables.map(|all| OpenLeanings { less: all, more: all }).collect();
        if let Some(cost) = &task.cost {
            cost.expression.variables(&mut |variable| left[variable] = OpenLeanings::NONE);
        }
        Candidates { task, left, facets: IdVec::filled(None, task.regions.len()) }
    }

    fn judge_conditions(&mut self) {
        let task = self.task;
        for condition in &task.conditions {
            match condition {
                NumericCondition::Comparison(expression, test) => {
                    for_each_slope(expression, &mut |variable, factor| {
                        let sign = factor.map(Rational::signum);
                        let signs = match (sign, test) {
                            (Some(0), _) => FacetSigns::default(),
                            (None, _) | (_, SignTest::Zero) => {
                                FacetSigns { rises: true, falls: true }
                            }
                            (Some(sign), _) => FacetSigns { rises: sign > 0, falls: sign < 0 },
                        };
                        self.restrict(variable, signs);
                    })
                }
                NumericCondition::Region(region, columns) => {
                    for (at, column) in columns.iter().enumerate() {
                        let FacetSigns { rises, falls } = self.signs(*region)[at];
                        let signs = match column.scale.signum() {
                            0 => FacetSigns::default(),
                            1 => FacetSigns { rises, falls },
                            _ => FacetSigns { rises: falls, falls: rises },
                        };
                        let alone = column.factors.len() == 1;
                        let signs =
                            if alone { signs } else { FacetSigns { rises: true, falls: true } };
                        column.factors.iter().for_each(|&variable| self.restrict(variable, signs));
                    }
                }
            }
        }
        for operator in &task.operators {
            operator
                .conditional
                .iter()
                .for_each(|(condition, _)| self.rule_out_mentioned(condition));
        }
    }

    /// A condition rises or falls with a variable: less may hurt where it rises, more where it
    /// falls.
    fn restrict(&mut self, variable: VariableId, FacetSigns { rises, falls }: FacetSigns) {
        self.left[variable].less &= !rises;
        self.left[variable].more &= !falls;
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

    fn rule_out_mentioned(&mut self, conjunction: &GroundConjunction) {
        let Candidates { task, left, .. } = self;
        let mut rule_out = |condition: &NumericCondition| {
            condition.variables(&mut |variable| left[variable] = OpenLeanings::NONE)
        };
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

    /// Rules out what effects spoil; which effects read what.
    fn judge_effects(&mut self) -> Vec<EffectRead> {
        let task = self.task;
        let mut reads: FxHashSet<EffectRead> = FxHashSet::default();
        for operator in &task.operators {
            let changes: Vec<&VariableChange> =
                operator.all_effects().flat_map(|effects| &effects.changes).collect();
            for change in &changes {
                let together = || changes.iter().filter(|other| other.variable == change.variable);
                // Effects on the same variable must agree, unless they add up.
                if together().count() > 1
                    && together().any(|other| other.operation != Operation::Add)
                {
                    self.left[change.variable] = OpenLeanings::NONE;
                }
                self.judge_change(change, &mut reads);
            }
            for change in &changes {
                let own = changes
                    .iter()
                    .filter(|other| other.variable == change.variable)
                    .map(|other| lost_of_itself(other));
                if own.fold(Rational::ZERO, |sum, lost| &sum + &lost) < -&Rational::ONE {
                    self.left[change.variable] = OpenLeanings::NONE;
                }
            }
        }
        let mut reads: Vec<EffectRead> = reads.into_iter().collect();
        reads.sort_unstable_by_key(|read| (read.read, read.changed, read.sign));
        self.rule_out_readers(&reads);
        reads
    }

    fn judge_change(&mut self, change: &VariableChange, reads: &mut FxHashSet<EffectRead>) {
        let left = &mut self.left;
        if change.operation == Operation::Scale
            && change.amount.as_constant().is_none_or(|factor| factor.signum() < 0)
        {
            left[change.variable] = OpenLeanings::NONE;
        }
        for_each_slope(&change.amount, &mut |variable, factor| {
            let Some(factor) = factor.filter(|_| change.operation != Operation::Scale) else {
                left[variable] = OpenLeanings::NONE;
                return;
            };
            // How much of itself a sum takes away is looked at for all changes together.
            let is_own = variable == change.variable && change.operation == Operation::Add;
            if !is_own && !factor.is_zero() {
                reads.insert(EffectRead {
                    changed: change.variable,
                    read: variable,
                    sign: factor.signum(),
                });
            }
        });
    }

    /// Rules out leanings whose better values would serve no leaning of a variable that an effect
    /// makes of them.
    fn rule_out_readers(&mut self, reads: &[EffectRead]) {
        let mut ruled_out = true;
        while ruled_out {
            ruled_out = false;
            for &EffectRead { changed, read, sign } in reads {
                for leaning in Leaning::BOTH {
                    if self.left[read].contains(leaning)
                        && !self.left[changed].contains(leaning.signed(sign))
                    {
                        self.left[read].remove(leaning);
                        ruled_out = true;
                    }
                }
            }
        }
    }
}

/// One leaning of each variable that has any left, unless what effects make of it contradicts what
/// was chosen before.
fn chosen(left: &IdVec<VariableId, OpenLeanings>, reads: &[EffectRead]) -> Vec<VariableLeaning> {
    let mut chosen: IdVec<VariableId, Option<Leaning>> = IdVec::filled(None, left.len());
    for leaning in Leaning::BOTH {
        for (variable, open) in left.pairs() {
            if chosen[variable].is_none()
                && open.contains(leaning)
                && let Some(entailed) = entailed((variable, leaning), reads, &chosen)
            {
                entailed
                    .into_iter()
                    .for_each(|(variable, leaning)| chosen[variable] = Some(leaning));
            }
        }
    }
    chosen
        .pairs()
        .filter_map(|(variable, leaning)| leaning.map(|leaning| (variable, leaning)))
        .collect()
}

/// A leaning and all those that it needs; `None` where two of a variable would be needed.
fn entailed(
    first: VariableLeaning,
    reads: &[EffectRead],
    chosen: &IdVec<VariableId, Option<Leaning>>,
) -> Option<Vec<VariableLeaning>> {
    let mut needed = vec![first];
    let mut at = 0;
    while at < needed.len() {
        let (variable, leaning) = needed[at];
        at += 1;
        let from = reads.partition_point(|read| read.read < variable);
        for read in reads[from..].iter().take_while(|read| read.read == variable) {
            let wanted = leaning.signed(read.sign);
            let known = needed
                .iter()
                .find(|&&(other, _)| other == read.changed)
                .map(|&(_, leaning)| leaning);
            match known.or(chosen[read.changed]) {
                Some(known) if known != wanted => return None,
                Some(_) => {}
                None => needed.push((read.changed, wanted)),
            }
        }
    }
    Some(needed)
}

/// The share of its own value that a change adds to a variable, where that is negative; else zero.
fn lost_of_itself(change: &VariableChange) -> Rational {
    let mut lost = Rational::ZERO;
    if change.operation == Operation::Add {
        for_each_slope(&change.amount, &mut |variable, factor| {
            if let Some(factor) =
                factor.filter(|factor| variable == change.variable && factor.signum() < 0)
            {
                lost += factor;
            }
        });
    }
    lost
}

/// How each burden changes.
fn trends(
    task: &GroundTask,
    burdens: &IdVec<VariableId, bool>,
) -> IdVec<VariableId, Option<Trend>> {
    let effects = task.operators.iter().flat_map(|operator| operator.all_effects());
    let changes: FxHashSet<&VariableChange> = effects
        .flat_map(|effects| &effects.changes)
        .filter(|change| burdens[change.variable])
        .collect();
    let changes: Vec<&VariableChange> = changes.into_iter().collect();
    let values = task.values(&task.initial);
    let is_low = |variable: VariableId| {
        values.number(variable).is_none_or(|number| task.numbers.exact(number).signum() < 0)
    };
    let starts: IdVec<VariableId, bool> =
        burdens.pairs().map(|(variable, &burden)| burden && !is_low(variable)).collect();
    let grows = largest(starts.clone(), &changes, &|change| lost_of_itself(change).is_zero());
    let fades = largest(starts, &changes, &|_| true);
    let trend = |variable: VariableId| match (grows[variable], fades[variable]) {
        (true, _) => Trend::Grows,
        (_, true) => Trend::Fades,
        _ => Trend::Varies,
    };
    burdens.pairs().map(|(variable, &burden)| burden.then(|| trend(variable))).collect()
}

/// The largest part of a set of burdens that are not negative at first such that what is added to
/// each of them is made of numbers that are not negative, others of the part and perhaps a share of
/// itself, and is `right` besides. Nothing is assigned to them. No member becomes negative: what is
/// taken from a burden is at most itself.
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
                kept &= part[variable]
                    && factor
                        .is_some_and(|factor| variable == change.variable || factor.signum() >= 0);
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

    /// The burdens and assets of a task about an estimate `x`, an error `e` and another `f`, with a
    /// condition of its one action, some of its effects, and a goal.
    fn burdens_of(condition: &str, effects: &str, goal: &str) -> Burdens {
        let domain = format!(
            "(define (domain d) (:requirements :numeric-fluents :conditional-effects \
             :disjunctive-preconditions) (:predicates (p))
               (:functions (x) (e) (f)) (:action act :parameters () :precondition {condition} \
             :effect (and (p) {effects})))"
        );
        let domain = read_domain(&Source::new("domain", domain)).unwrap();
        let problem = format!(
            "(define (problem p) (:domain d) (:init (= (x) 1) (= (e) 0.5) (= (f) 0.25)) (:goal \
             {goal}) (:metric minimize (x)))"
        );
        let problem =
            read_problem(&Source::new("problem", problem), &domain, Numbers::Exact).unwrap();
        let task = ground(&domain, &problem, GroundingScope::Goal, &mut |_| true).unwrap();
        task.burdens
    }

    fn trends_of(condition: &str, effects: &str, goal: &str) -> Vec<Trend> {
        burdens_of(condition, effects, goal).trends.iter().copied().flatten().collect()
    }

    fn leanings_of(condition: &str, effects: &str, goal: &str) -> Vec<Leaning> {
        burdens_of(condition, effects, goal).leanings.iter().map(|&(_, leaning)| leaning).collect()
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
            assert_eq!(
                trends_of(MARGIN, &format!("{STEP} {effect}"), "(>= (- (x) (e)) 5)"),
                [Trend::Fades],
                "{effect}"
            );
        }
        for effect in ["(decrease (e) 0.1)", "(assign (e) 0)", "(scale-up (e) 0.5)"] {
            assert_eq!(
                trends_of(MARGIN, &format!("{STEP} {effect}"), "(>= (x) 5)"),
                [Trend::Varies],
                "{effect}"
            );
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
        // A variable that is subtracted from a burden is no burden; the other still is.
        assert_eq!(
            trends_of(
                "(<= (+ (x) (e) (f)) 9)",
                &format!("{STEP} (decrease (e) (f)) (increase (f) 1)"),
                goal
            )
            .len(),
            1
        );
    }

    #[test]
    fn what_conditions_ask_more_of_is_an_asset() {
        use Leaning::{Less, More};
        let goal = "(= (x) 5)";
        let spent = format!("{STEP} (decrease (e) 1)");
        assert_eq!(leanings_of("(>= (e) 1)", &spent, goal), [More]);
        assert_eq!(
            leanings_of("(>= (- (e) (f)) 1)", &format!("{spent} (increase (f) 0.5)"), goal),
            [More, Less]
        );
        // An asset that lessens a burden, and a burden that eats up an asset.
        let trade = format!("{STEP} (decrease (e) (f)) (increase (f) (- 1 (* 0.1 (e))))");
        assert_eq!(leanings_of("(and (>= (e) 1) (<= (f) 9))", &trade, goal), [More, Less]);
        // What is spent on one that is asked for both ways is neither.
        for condition in ["(and (>= (e) 1) (<= (e) 9))", "(= (e) 1)", "(>= (* (x) (e)) 1)"] {
            assert_eq!(leanings_of(condition, &spent, goal), [], "{condition}");
        }
        assert_eq!(leanings_of("(>= (e) 1)", &format!("{STEP} (increase (x) (e))"), goal), []);
        assert_eq!(
            leanings_of("(>= (e) 1)", &format!("{spent} (when (> (e) 3) (increase (x) 2))"), goal),
            []
        );
    }

    #[test]
    fn of_many_conditions_the_facets_count() {
        let bounds = |sign: &str| {
            let facets: Vec<String> = (1..12)
                .map(|number| format!("(<= (+ (* {number} (x)) (* {sign}1 (e))) 90)"))
                .collect();
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
