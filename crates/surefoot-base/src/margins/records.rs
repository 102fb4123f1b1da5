//! The model for states that are records: the error of each function is a number, how far a record
//! may be off.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::exact::{Constraint, Polyhedron, Rational, Row};
use crate::model::{
    Action, Comparison, Condition, Domain, Effect, ErrorFunctions, Expression, FunctionId,
    LiftedFunction, Names, NumericEffect, Polynomial, Region, linear_condition,
};

/// The domain with these numbers for its error functions (0 where none is given), without these
/// functions and without effects on them.
///
/// It allows a step in a recorded state exactly where the given domain does when every error is
/// what it is in a record. The ids of functions are those of the domain without its error
/// functions.
pub fn for_records(domain: &Domain, errors: &BTreeMap<FunctionId, Rational>) -> Domain {
    let functions = ErrorFunctions::of(&domain.signature);
    if functions.is_empty() {
        return domain.clone();
    }
    let numbers = ErrorNumbers { errors, functions: &functions };
    let mut without = Domain { actions: Names::default(), ..domain.clone() };
    without.signature.functions = Names::default();
    for (index, (name, symbol)) in domain.signature.functions.iter().enumerate() {
        if !functions.is_error(index.into()) {
            let _ = without.signature.functions.insert(name, symbol.clone());
        }
    }
    for (name, action) in domain.actions.iter() {
        let action = Action {
            parameters: action.parameters.clone(),
            precondition: numbers.condition(&action.precondition),
            effect: numbers.effect(&action.effect),
        };
        let _ = without.actions.insert(name, action);
    }
    without
}

/// Numbers for error functions.
pub(super) struct ErrorNumbers<'a> {
    pub errors: &'a BTreeMap<FunctionId, Rational>,
    pub functions: &'a ErrorFunctions,
}

impl ErrorNumbers<'_> {
    /// The number that a function stands for, if it is an error function.
    fn number(&self, function: FunctionId) -> Option<Rational> {
        let of = self.functions.function_of(function)?;
        Some(self.errors.get(&of).cloned().unwrap_or(Rational::ZERO))
    }

    /// A function that is no error function, in the ids without these.
    fn renamed(&self, function: &LiftedFunction) -> LiftedFunction {
        let before = self.functions.iter().filter(|(_, error)| *error < function.symbol).count();
        LiftedFunction {
            symbol: FunctionId::from(function.symbol.index() - before),
            terms: function.terms.clone(),
        }
    }

    fn condition(&self, condition: &Condition) -> Condition {
        let all =
            |parts: &[Condition]| parts.iter().map(|part| self.condition(part)).collect::<Vec<_>>();
        match condition {
            Condition::And(parts) => {
                let kept = parts.iter().map(|part| (part, self.condition(part)));
                // What has become true says nothing any more.
                let kept = kept.filter(|(part, numbered)| {
                    *numbered != Condition::TRUE || **part == Condition::TRUE
                });
                Condition::And(kept.map(|(_, numbered)| numbered).collect())
            }
            Condition::Or(parts) => Condition::Or(all(parts)),
            Condition::Not(inner) => Condition::Not(Box::new(self.condition(inner))),
            Condition::Imply(both) => {
                Condition::Imply(Box::new([self.condition(&both[0]), self.condition(&both[1])]))
            }
            Condition::ForAll(variables, body) => {
                Condition::ForAll(variables.clone(), Box::new(self.condition(body)))
            }
            Condition::Exists(variables, body) => {
                Condition::Exists(variables.clone(), Box::new(self.condition(body)))
            }
            Condition::Compare(comparison, sides) => self.comparison(*comparison, sides),
            Condition::Within(region) => self.region(region),
            Condition::Atom(_) | Condition::Same(..) => condition.clone(),
        }
    }

    /// As a person would write it where a number came in, without what that made constant.
    fn comparison(&self, comparison: Comparison, sides: &[Expression; 2]) -> Condition {
        let numbered = [self.expression(&sides[0]), self.expression(&sides[1])];
        let mut changed = false;
        let mut look =
            |function: &LiftedFunction| changed |= self.functions.is_error(function.symbol);
        sides.iter().for_each(|side| side.for_each_function(&mut look));
        if changed && let Some(readable) = readable(comparison, &numbered) {
            readable
        } else {
            Condition::Compare(comparison, Box::new(numbered))
        }
    }

    fn region(&self, region: &Region) -> Condition {
        if !region.columns.iter().flatten().any(|function| self.functions.is_error(function.symbol))
        {
            let columns = region
                .columns
                .iter()
                .map(|column| column.iter().map(|factor| self.renamed(factor)).collect())
                .collect();
            return Condition::Within(Region { columns, set: region.set.clone() });
        }
        // By column: the number it is multiplied by, and which of the columns left it is, or none
        // where it has become a number.
        let mut left: IndexMap<Vec<LiftedFunction>, ()> = IndexMap::new();
        let places: Vec<(Rational, Option<usize>)> = (region.columns.iter())
            .map(|column| {
                let numbers = column.iter().filter_map(|factor| self.number(factor.symbol));
                let factor = numbers.fold(Rational::ONE, |product, number| &product * &number);
                let exact = column.iter().filter(|factor| !self.functions.is_error(factor.symbol));
                let exact: Vec<LiftedFunction> = exact.map(|factor| self.renamed(factor)).collect();
                if exact.is_empty() && !column.is_empty() {
                    (factor, None)
                } else {
                    (factor, Some(left.insert_full(exact, ()).0))
                }
            })
            .collect();
        let narrower = |constraint: &Constraint| {
            let mut form = vec![Rational::ZERO; left.len() + 1];
            form[0] = constraint.row().entry(0);
            for (coefficient, (factor, place)) in constraint.coefficients().zip(&places) {
                form[place.map_or(0, |place| place + 1)] += &(&coefficient * factor);
            }
            Constraint::homogeneous(Row::direction(&form))
        };
        let is_plain = |constraint: &Constraint| {
            constraint.coefficients().any(|coefficient| !coefficient.is_zero())
        };
        let (mut equations, mut inequalities) = (Vec::new(), Vec::new());
        for equation in region.set.equations().iter().map(narrower) {
            if is_plain(&equation) {
                equations.push(equation);
            } else if !equation.bound().is_zero() {
                return Condition::FALSE;
            }
        }
        for inequality in region.set.inequalities().map(narrower) {
            if is_plain(&inequality) {
                inequalities.push(inequality);
            } else if inequality.bound().signum() < 0 {
                return Condition::FALSE;
            }
        }
        let set = Polyhedron::bounded(left.len(), equations, inequalities);
        Condition::Within(Region { columns: left.into_keys().collect(), set: Arc::new(set) })
    }

    pub fn expression(&self, expression: &Expression) -> Expression {
        let all = |parts: &[Expression]| parts.iter().map(|part| self.expression(part)).collect();
        let both = |both: &[Expression; 2]| {
            Box::new([self.expression(&both[0]), self.expression(&both[1])])
        };
        match expression {
            Expression::Function(function) => match self.number(function.symbol) {
                Some(number) => Expression::Number(number),
                None => Expression::Function(self.renamed(function)),
            },
            Expression::Sum(parts) => Expression::Sum(all(parts)),
            Expression::Product(parts) => Expression::Product(all(parts)),
            Expression::Difference(sides) => Expression::Difference(both(sides)),
            Expression::Quotient(sides) => Expression::Quotient(both(sides)),
            Expression::Negation(inner) => Expression::Negation(Box::new(self.expression(inner))),
            Expression::Number(_) | Expression::TotalTime => expression.clone(),
        }
    }

    fn effect(&self, effect: &Effect) -> Effect {
        match effect {
            Effect::And(parts) => {
                let kept = parts.iter().filter(|part| !self.is_of_error(part));
                Effect::And(kept.map(|part| self.effect(part)).collect())
            }
            Effect::Numeric(_) if self.is_of_error(effect) => Effect::NONE,
            Effect::Numeric(numeric) => Effect::Numeric(NumericEffect {
                operator: numeric.operator,
                target: self.renamed(&numeric.target),
                value: self.expression(&numeric.value),
            }),
            Effect::When(condition, inner) => {
                Effect::When(self.condition(condition), Box::new(self.effect(inner)))
            }
            Effect::ForAll(variables, inner) => {
                Effect::ForAll(variables.clone(), Box::new(self.effect(inner)))
            }
            Effect::Add(_) | Effect::Delete(_) => effect.clone(),
        }
    }

    fn is_of_error(&self, effect: &Effect) -> bool {
        matches!(effect, Effect::Numeric(numeric) if self.functions.is_error(numeric.target.symbol))
    }
}

/// A comparison that is linear in products, as a person would write it, or whether it holds where
/// nothing is left to compare. `None` for a strict one, and where a function is read whose terms
/// cancel: that must have a value all the same.
fn readable(comparison: Comparison, sides: &[Expression; 2]) -> Option<Condition> {
    let difference = Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?)?;
    let read = |function: &LiftedFunction| {
        difference.columns().any(|(factors, _)| factors.contains(function))
    };
    if !difference.mentioned.iter().all(read) {
        return None;
    }
    let form: Vec<Rational> = std::iter::once(difference.constant_term())
        .chain(difference.columns().map(|(_, factor)| factor.clone()))
        .collect();
    if form.len() == 1 {
        let sign = form[0].signum();
        let holds = match comparison {
            Comparison::Less => sign < 0,
            Comparison::LessOrEqual => sign <= 0,
            Comparison::Equal => sign == 0,
            Comparison::GreaterOrEqual => sign >= 0,
            Comparison::Greater => sign > 0,
        };
        return Some(if holds { Condition::TRUE } else { Condition::FALSE });
    }
    let columns: Vec<Expression> =
        difference.columns().map(|(factors, _)| product(factors)).collect();
    let row = Row::direction(&form);
    let (row, equation) = match comparison {
        Comparison::LessOrEqual => (row, false),
        Comparison::GreaterOrEqual => (row.negated(), false),
        Comparison::Equal => (row, true),
        Comparison::Less | Comparison::Greater => return None,
    };
    Some(linear_condition(|index| columns[index].clone(), &Constraint::homogeneous(row), equation))
}

fn product(factors: &[LiftedFunction]) -> Expression {
    match factors {
        [only] => Expression::Function(only.clone()),
        several => Expression::Product(several.iter().cloned().map(Expression::Function).collect()),
    }
}
