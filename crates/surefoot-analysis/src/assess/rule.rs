//! Whether what was learned of an action allows a step, and if not, why: what
//! [`Semantics`](surefoot_base::model::semantics::Semantics) says of the whole model, asked of the
//! state before the step as the action's vocabulary shows it.

use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;
use surefoot_base::model::{ActionId, Comparison, Condition, Expression};
use surefoot_base::pddl::Writer;
use surefoot_learn::{
    ActiveColumn, Affine, ColumnId, Conclusion, EqualityId, LearnedAction, Learner, NumericForm,
    Settings, Vocabulary,
};

use super::traces::Before;

/// What was learned of an action: nothing, or conditions that its region bounds by what spans it.
pub(super) struct Rule {
    action: ActionId,
    learned: Option<Box<LearnedAction>>,
    /// By active column: the least and the greatest observed value. They bound the column, unless a
    /// mark lifts the bound.
    ranges: Vec<(Rational, Rational)>,
}

/// What a refused step fails.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum FailedRule {
    /// The action is not in the model.
    Missing,
    /// A condition without numbers.
    Condition(String),
    /// A number below or above all observed values.
    Range(String),
    /// A number that there is none of.
    Undefined(String),
    /// An equation between numbers.
    Equation(String),
    /// Each number was observed with such a value, but not all of them together.
    Together,
    /// What keeps the action to where its effects are known.
    Guard(String),
}

impl Rule {
    /// What a learner makes of an action.
    pub fn of(learner: &Learner, action: ActionId, settings: &Settings) -> (Rule, Conclusion) {
        let conclusion = learner.conclude_spanned(action, settings);
        let learned = match &conclusion {
            Conclusion::Learned(learned) => Some(learned.clone()),
            _ => None,
        };
        (Rule { action, learned, ranges: Vec::new() }, conclusion)
    }

    /// Whether anything was learned.
    pub fn is_learned(&self) -> bool {
        self.learned.is_some()
    }

    /// Whether a step can be taken in a state.
    pub fn allows(&self, vocabulary: &Vocabulary, before: &Before) -> bool {
        let Some(learned) = &self.learned else { return false };
        let boolean = &learned.boolean;
        let view = VocabularyView { vocabulary, before };
        boolean.positive.iter().all(|&atom| before.truth(atom))
            && !boolean.negative.iter().any(|&atom| before.truth(atom))
            && boolean.equal.iter().all(|&equality| view.is_equal(equality))
            && !boolean.different.iter().any(|&equality| view.is_equal(equality))
            && self.numbers_hold(learned, before)
            && effects_have_values(learned, before)
            && guards(learned).all(|guard| view.holds(guard) == Some(true))
    }

    fn numbers_hold(&self, learned: &LearnedAction, before: &Before) -> bool {
        let region = &learned.numeric.region;
        let Some(point) = point(learned, before) else { return false };
        region.set.contains(&point)
            && region.shadows.iter().all(|body| {
                let shadow: Vec<Rational> =
                    body.columns.iter().map(|column| point[column.index()].clone()).collect();
                body.set.contains(&shadow)
            })
    }

    /// What a refused step fails, each once.
    pub fn reasons(&mut self, learner: &Learner, before: &Before) -> Vec<FailedRule> {
        let Some(learned) = &self.learned else { return vec![FailedRule::Missing] };
        let vocabulary = learner.vocabulary(self.action);
        let domain = learner.domain();
        let view = VocabularyView { vocabulary, before };
        let mut reasons: Vec<FailedRule> = Vec::new();
        let guards: Vec<&Condition> = guards(learned).collect();
        let Condition::And(conditions) = &learned.action.precondition else {
            return vec![FailedRule::Together];
        };
        for condition in
            conditions.iter().filter(|condition| !matches!(condition, Condition::Within(_)))
        {
            if view.holds(condition) != Some(true) {
                let text = Writer::new(domain, &domain.signature.constants)
                    .with_parameters(&domain.action(self.action).parameters)
                    .condition(condition);
                reasons.push(if guards.contains(&condition) {
                    FailedRule::Guard(text)
                } else {
                    FailedRule::Condition(text)
                });
            }
        }
        if reasons.iter().any(|reason| matches!(reason, FailedRule::Condition(_))) {
            // Where a literal fails too, the guards that rest on it say nothing new.
            reasons.retain(|reason| matches!(reason, FailedRule::Condition(_)));
        }
        if !self.numbers_hold(learned, before) {
            reasons.extend(number_reasons(learner, self.action, learned, before, &mut self.ranges));
        } else if !effects_have_values(learned, before) && reasons.is_empty() {
            reasons.push(FailedRule::Undefined("a function that an effect reads".to_owned()));
        }
        reasons.sort();
        reasons.dedup();
        reasons
    }
}

fn guards(learned: &LearnedAction) -> impl Iterator<Item = &Condition> {
    learned.boolean.guards.iter().chain(&learned.numeric.guards)
}

/// The values of the active columns; `None` where one has none.
fn point(learned: &LearnedAction, before: &Before) -> Option<Vec<Rational>> {
    learned.numeric.columns.iter().map(|&column| before.column(column).cloned()).collect()
}

/// Whether every number that an effect reads is there.
fn effects_have_values(learned: &LearnedAction, before: &Before) -> bool {
    learned.numeric.effects.pairs().all(|(function, form)| match form {
        NumericForm::Unchanged => true,
        NumericForm::Assign(map) => terms_have_values(map, learned, before),
        NumericForm::Change(map) => {
            terms_have_values(map, learned, before) && before.value(function).is_some()
        }
        NumericForm::Scale(_) => before.value(function).is_some(),
    })
}

fn terms_have_values(map: &Affine, learned: &LearnedAction, before: &Before) -> bool {
    let columns = &learned.numeric.columns;
    map.terms.iter().all(|&(column, _)| before.column(columns[column]).is_some())
}

/// Why the numbers of a state are refused: single ones where they alone are new, then relations
/// between them.
fn number_reasons(
    learner: &Learner,
    action: ActionId,
    learned: &LearnedAction,
    before: &Before,
    ranges: &mut Vec<(Rational, Rational)>,
) -> Vec<FailedRule> {
    let columns = &learned.numeric.columns;
    let undefined = columns.iter().filter(|&&column| before.column(column).is_none());
    let undefined: Vec<FailedRule> =
        undefined.map(|&column| FailedRule::Undefined(written(learner, action, column))).collect();
    let (true, Some(point)) = (undefined.is_empty(), point(learned, before)) else {
        return undefined;
    };
    if ranges.is_empty() {
        let points = learner.evidence(action).points(columns);
        *ranges = (0..columns.len()).filter_map(|place| range(&points, place)).collect();
    }
    let mut reasons: Vec<FailedRule> = Vec::new();
    for (place, (least, most)) in ranges.iter().enumerate() {
        if is_bounded(learned, place) && (point[place] < *least || point[place] > *most) {
            let column = columns[ActiveColumn::from_index(place)];
            reasons.push(FailedRule::Range(written(learner, action, column)));
        }
    }
    if reasons.is_empty() {
        let violated = learned
            .numeric
            .region
            .equations()
            .iter()
            .find(|equation| equation.compare(&point).is_ne());
        reasons.push(match violated {
            Some(equation) => {
                let names: Vec<String> = (columns.iter().zip(equation.coefficients()))
                    .filter(|(_, coefficient)| !coefficient.is_zero())
                    .map(|(&column, _)| written(learner, action, column))
                    .collect();
                FailedRule::Equation(names.join(" "))
            }
            None => FailedRule::Together,
        });
    }
    reasons
}

/// A column of an action as its model writes it.
fn written(learner: &Learner, action: ActionId, column: ColumnId) -> String {
    learner.written(action, &learner.vocabulary(action).columns[column])
}

/// The least and the greatest value at a place; `None` where there are no points.
fn range(points: &[Vec<Rational>], place: usize) -> Option<(Rational, Rational)> {
    let values = points.iter().map(|point| &point[place]);
    Some((values.clone().min()?.clone(), values.max()?.clone()))
}

/// Whether some condition bounds the values at a place.
fn is_bounded(learned: &LearnedAction, place: usize) -> bool {
    let mut bodies = learned.numeric.region.shadows.iter();
    bodies.any(|body| body.columns.iter().any(|column| column.index() == place))
}

/// A state reduced to a vocabulary, in which conditions are evaluated in strong Kleene logic.
struct VocabularyView<'a> {
    vocabulary: &'a Vocabulary,
    before: &'a Before,
}

impl VocabularyView<'_> {
    fn is_equal(&self, equality: EqualityId) -> bool {
        self.before.pattern.same(self.vocabulary.equalities[equality])
    }

    /// `None` where a number that decides has no value, or where the condition is none that a
    /// learner writes.
    fn holds(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::And(parts) => settled(false, parts.iter().map(|part| self.holds(part))),
            Condition::Or(parts) => settled(true, parts.iter().map(|part| self.holds(part))),
            Condition::Not(inner) => self.holds(inner).map(|truth| !truth),
            Condition::Atom(wanted) => self
                .vocabulary
                .atoms
                .position(|atom| atom == wanted)
                .map(|atom| self.before.truth(atom)),
            Condition::Same(one, other) => Some(self.before.pattern.same((*one, *other))),
            Condition::Compare(comparison, sides) => {
                let (left, right) = (self.value(&sides[0])?, self.value(&sides[1])?);
                Some(match comparison {
                    Comparison::Less => left < right,
                    Comparison::LessOrEqual => left <= right,
                    Comparison::Equal => left == right,
                    Comparison::GreaterOrEqual => left >= right,
                    Comparison::Greater => left > right,
                })
            }
            Condition::Imply(_)
            | Condition::ForAll(..)
            | Condition::Exists(..)
            | Condition::Within(_) => None,
        }
    }

    fn value(&self, expression: &Expression) -> Option<Rational> {
        match expression {
            Expression::Number(number) => Some(number.clone()),
            Expression::Function(wanted) => {
                let function = self.vocabulary.functions.position(|function| function == wanted)?;
                self.before.value(function).cloned()
            }
            Expression::Sum(parts) => {
                parts.iter().try_fold(Rational::ZERO, |sum, part| Some(&sum + &self.value(part)?))
            }
            Expression::Product(parts) => parts
                .iter()
                .try_fold(Rational::ONE, |product, part| Some(&product * &self.value(part)?)),
            Expression::Difference(sides) => {
                Some(&self.value(&sides[0])? - &self.value(&sides[1])?)
            }
            Expression::Negation(inner) => Some(-&self.value(inner)?),
            Expression::Quotient(sides) => {
                self.value(&sides[0])?.checked_div(&self.value(&sides[1])?)
            }
            Expression::TotalTime => None,
        }
    }
}

/// Kleene's `or` (`decisive` true) or `and` (`decisive` false).
fn settled(decisive: bool, truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut open = false;
    for truth in truths {
        match truth {
            Some(truth) if truth == decisive => return Some(decisive),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!decisive)
}
