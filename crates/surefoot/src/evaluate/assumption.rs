//! Whether what a learner was told about the world is true of it: read off the real domain's conditions and effects.

use std::fmt;

use crate::exact::Rational;
use crate::learn::{Learner, Monomial, Monotone, Settings, Vocabulary};
use crate::model::{
    Action, ActionId, Comparison, Condition, Domain, Effect, Expression, NumericEffect, NumericOperator, Polynomial,
};

/// Why an assumption is not true of a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The action that refutes it.
    pub action: String,
    /// How.
    pub reason: String,
}

impl fmt::Display for Refutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.action, self.reason)
    }
}

/// A linear condition over columns: `constant + Σ coefficient · column` compares to zero so.
struct Form {
    comparison: Comparison,
    columns: Vec<(usize, Rational)>,
}

/// Every assumption of a learner's class and of settings that is not true of the real domain; none when all are.
pub fn refutations(real: &Domain, learner: &Learner, settings: &Settings) -> Vec<Refutation> {
    let mut found = Vec::new();
    for id in real.action_ids() {
        let (name, action) = (real.action_name(id), real.action(id));
        let mut refute = |reason: String| found.push(Refutation { action: name.to_owned(), reason });
        let vocabulary = learner.vocabulary(id);
        if settings.positive_preconditions && has_negative_atom(&action.precondition, true) {
            refute("its precondition has a negative atom".into());
        }
        if settings.algorithm == crate::learn::Algorithm::Sam {
            continue;
        }
        let written = |column: usize| learner.written(id.index(), &vocabulary.columns[column]);
        match forms(vocabulary, action) {
            Err(reason) => refute(reason),
            Ok(forms) => {
                check_forms(&forms, id, settings, &written, &mut refute);
            }
        }
        match effect_columns(vocabulary, action) {
            Err(reason) => refute(reason),
            Ok(widths) => {
                let widest = widths.into_iter().max().unwrap_or(0);
                if settings.effect_arity.is_some_and(|most| widest > most) {
                    refute(format!("an effect reads {widest} functions"));
                }
            }
        }
    }
    found
}

fn check_forms(
    forms: &[Form],
    id: ActionId,
    settings: &Settings,
    written: &dyn Fn(usize) -> String,
    refute: &mut dyn FnMut(String),
) {
    if let Some(most) = settings.arity
        && let Some(wide) = forms.iter().find(|form| form.columns.len() > most)
    {
        let names: Vec<String> = wide.columns.iter().map(|(column, _)| written(*column)).collect();
        refute(format!("a condition mentions {}", names.join(", ")));
    }
    for (&column, mark) in settings.monotone.get(&id.index()).into_iter().flatten() {
        // What the sign of a coefficient must not be, when the condition is written `... ≤ 0`.
        let hurts = |form: &Form| {
            let Some((_, coefficient)) = form.columns.iter().find(|(other, _)| *other == column) else { return false };
            let upward = match form.comparison {
                Comparison::LessOrEqual | Comparison::Less => coefficient.signum() < 0,
                Comparison::GreaterOrEqual | Comparison::Greater => coefficient.signum() > 0,
                Comparison::Equal => return true,
            };
            match mark {
                Monotone::More => !upward,
                Monotone::Less => upward,
                Monotone::Any => true,
            }
        };
        if forms.iter().any(hurts) {
            let word = match mark {
                Monotone::More => "more",
                Monotone::Less => "less",
                Monotone::Any => "another amount",
            };
            refute(format!("{word} of {} can hurt", written(column)));
        }
    }
}

fn has_negative_atom(condition: &Condition, positive: bool) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(|part| has_negative_atom(part, positive)),
        Condition::Not(inner) => has_negative_atom(inner, !positive),
        Condition::Imply(both) => has_negative_atom(&both[0], !positive) || has_negative_atom(&both[1], positive),
        Condition::ForAll(_, inner) | Condition::Exists(_, inner) => has_negative_atom(inner, positive),
        Condition::Atom(_) => !positive,
        Condition::Same(..) | Condition::Compare(..) => false,
    }
}

/// The linear conditions of a precondition; `Err` where it is outside the class.
fn forms(vocabulary: &Vocabulary, action: &Action) -> Result<Vec<Form>, String> {
    fn collect(vocabulary: &Vocabulary, condition: &Condition, wanted: bool, found: &mut Vec<Form>) -> Result<(), String> {
        match (condition, wanted) {
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                parts.iter().try_for_each(|part| collect(vocabulary, part, wanted, found))
            }
            (Condition::Not(inner), _) => collect(vocabulary, inner, !wanted, found),
            (Condition::Atom(_) | Condition::Same(..), _) => Ok(()),
            (Condition::Compare(comparison, sides), _) => {
                let difference = || Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?);
                let columns = columns(vocabulary, &difference().ok_or("a numeric condition is no polynomial")?)?;
                let comparison = match (comparison, wanted) {
                    (comparison, true) => *comparison,
                    (Comparison::Less, false) => Comparison::GreaterOrEqual,
                    (Comparison::LessOrEqual, false) => Comparison::Greater,
                    (Comparison::GreaterOrEqual, false) => Comparison::Less,
                    (Comparison::Greater, false) => Comparison::LessOrEqual,
                    (Comparison::Equal, false) => return Err("its precondition says that two numbers differ".into()),
                };
                found.push(Form { comparison, columns });
                Ok(())
            }
            _ => Err("its precondition is not a conjunction".into()),
        }
    }
    let mut found = Vec::new();
    collect(vocabulary, &action.precondition, true, &mut found)?;
    Ok(found)
}

fn columns(vocabulary: &Vocabulary, polynomial: &Polynomial) -> Result<Vec<(usize, Rational)>, String> {
    let column = |factors: &Vec<crate::model::LiftedFunction>| {
        let find = |function| vocabulary.functions.iter().position(|known| known == function);
        let mut monomial = factors.iter().map(find).collect::<Option<Vec<usize>>>()?;
        monomial.sort_unstable();
        vocabulary.columns.iter().position(|column| *column == Monomial(monomial.clone()))
    };
    let found = polynomial.columns().map(|(factors, coefficient)| {
        let column = column(factors).ok_or("a condition or effect is not linear in the columns of the class")?;
        Ok((column, coefficient.clone()))
    });
    found.collect()
}

/// How many columns each numeric effect reads; `Err` where one is outside the class.
fn effect_columns(vocabulary: &Vocabulary, action: &Action) -> Result<Vec<usize>, String> {
    fn collect(vocabulary: &Vocabulary, effect: &Effect, widths: &mut Vec<usize>) -> Result<(), String> {
        match effect {
            Effect::And(parts) => parts.iter().try_for_each(|part| collect(vocabulary, part, widths)),
            Effect::Add(_) | Effect::Delete(_) => Ok(()),
            Effect::Numeric(numeric) => {
                let value = Polynomial::of(&right_hand_side(numeric)).ok_or("a numeric effect is no polynomial")?;
                widths.push(columns(vocabulary, &value)?.len());
                Ok(())
            }
            Effect::When(..) | Effect::ForAll(..) => Err("it has conditional effects".into()),
        }
    }
    let mut widths = Vec::new();
    collect(vocabulary, &action.effect, &mut widths)?;
    Ok(widths)
}

fn right_hand_side(effect: &NumericEffect) -> Expression {
    let target = || Expression::Function(effect.target.clone());
    match effect.operator {
        NumericOperator::Assign | NumericOperator::Increase | NumericOperator::Decrease => effect.value.clone(),
        NumericOperator::ScaleUp => Expression::Product(vec![target(), effect.value.clone()]),
        NumericOperator::ScaleDown => Expression::Quotient(Box::new([target(), effect.value.clone()])),
    }
}
