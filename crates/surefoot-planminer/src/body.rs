//! Actions in the ids of a domain, as a reader of the original's file would understand them.
//!
//! The comparison of the paper skipped `==`, which PDDL does not have. What must be false is not in
//! the file, nor are comparisons of the clock. What the domain's own types do not allow is left
//! out: the original's file declares wider types, and no domain like the given one can say it.

use super::column::{Amount, ArithmeticOperator, NumericQuantity};
use super::conclusion::{Concluded, Deed, Need, RightSide, six_decimals};
use super::observed::{SymbolId, TypedApplication};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Action, Comparison, Condition, Domain, Effect, Expression, FunctionId, LiftedAtom,
    LiftedFunction, NumericEffect, NumericOperator, PredicateId, Symbol as Declared, Term,
    Variable,
};
use surefoot_base::pddl::Numbers;

/// An action's body, and how many of its parts the domain's types do not allow.
pub(super) fn body(
    domain: &Domain,
    parameters: &[Variable],
    concluded: &Concluded,
) -> (Action, usize) {
    let reader = BodyReader { domain, parameters };
    let needs: Vec<BodyPart<Condition>> =
        concluded.needs.iter().map(|need| reader.need(need)).collect();
    let deeds: Vec<BodyPart<Effect>> =
        concluded.deeds.iter().map(|deed| reader.deed(deed)).collect();
    let unfit = needs.iter().filter(|part| matches!(part, BodyPart::Unfit)).count()
        + deeds.iter().filter(|part| matches!(part, BodyPart::Unfit)).count();
    let action = Action {
        parameters: parameters.to_vec(),
        precondition: Condition::And(needs.into_iter().filter_map(BodyPart::read).collect()),
        effect: Effect::And(deeds.into_iter().filter_map(BodyPart::read).collect()),
    };
    (action, unfit)
}

/// A part of a body, as it is read.
enum BodyPart<T> {
    Read(T),
    /// It is not in the file, or skipped.
    Skipped,
    /// The domain's types do not allow it.
    Unfit,
}

impl<T> BodyPart<T> {
    fn of(read: Option<T>) -> BodyPart<T> {
        read.map_or(BodyPart::Unfit, BodyPart::Read)
    }

    fn read(self) -> Option<T> {
        match self {
            BodyPart::Read(part) => Some(part),
            BodyPart::Skipped | BodyPart::Unfit => None,
        }
    }
}

struct BodyReader<'a> {
    domain: &'a Domain,
    parameters: &'a [Variable],
}

impl BodyReader<'_> {
    fn need(&self, need: &Need) -> BodyPart<Condition> {
        match need {
            Need::Fact(_, false)
            | Need::Compare(_, NumericQuantity::Clock, _)
            | Need::Compare(Comparison::Equal, ..) => BodyPart::Skipped,
            Need::Fact(fact, true) => BodyPart::of(self.atom(fact).map(Condition::Atom)),
            Need::Compare(sign, NumericQuantity::Function(left), side) => {
                let right = match side {
                    RightSide::Amount(amount) => self.amount(amount),
                    RightSide::Number(number) => {
                        number_of(&six_decimals(*number)).map(Expression::Number)
                    }
                };
                let sides = self.function(left).map(Expression::Function).zip(right);
                BodyPart::of(
                    sides.map(|(left, right)| Condition::Compare(*sign, Box::new([left, right]))),
                )
            }
        }
    }

    fn deed(&self, deed: &Deed) -> BodyPart<Effect> {
        match deed {
            Deed::Fact(fact, true) => BodyPart::of(self.atom(fact).map(Effect::Add)),
            Deed::Fact(fact, false) => BodyPart::of(self.atom(fact).map(Effect::Delete)),
            Deed::Change { quantity: NumericQuantity::Clock, .. }
            | Deed::Assign(NumericQuantity::Clock, _) => BodyPart::Skipped,
            Deed::Change { quantity: NumericQuantity::Function(function), grows, amount } => {
                let operator =
                    if *grows { NumericOperator::Increase } else { NumericOperator::Decrease };
                BodyPart::of(self.change(operator, function, self.amount(amount)))
            }
            Deed::Assign(NumericQuantity::Function(function), value) => BodyPart::of(self.change(
                NumericOperator::Assign,
                function,
                Some(Expression::Number(Rational::from(*value))),
            )),
        }
    }

    fn change(
        &self,
        operator: NumericOperator,
        function: &TypedApplication,
        value: Option<Expression>,
    ) -> Option<Effect> {
        Some(Effect::Numeric(NumericEffect {
            operator,
            target: self.function(function)?,
            value: value?,
        }))
    }

    fn amount(&self, amount: &Amount) -> Option<Expression> {
        Some(match amount {
            Amount::Constant(number) => Expression::Number(Rational::from(*number)),
            Amount::Function(function) => Expression::Function(self.function(function)?),
            Amount::Operation(operator, sides) => {
                let (left, right) = (self.amount(&sides[0])?, self.amount(&sides[1])?);
                match operator {
                    ArithmeticOperator::Plus => Expression::Sum(vec![left, right]),
                    ArithmeticOperator::Times => Expression::Product(vec![left, right]),
                    ArithmeticOperator::Minus => Expression::Difference(Box::new([left, right])),
                    ArithmeticOperator::Over => Expression::Quotient(Box::new([left, right])),
                }
            }
        })
    }

    fn atom(&self, lifted: &TypedApplication) -> Option<LiftedAtom> {
        let SymbolId::Predicate(symbol) = lifted.symbol else { return None };
        let terms = self.terms(lifted, self.domain.signature.predicate(symbol))?;
        Some(LiftedAtom { symbol: PredicateId::from(symbol.index()), terms })
    }

    fn function(&self, lifted: &TypedApplication) -> Option<LiftedFunction> {
        let SymbolId::Function(symbol) = lifted.symbol else { return None };
        let terms = self.terms(lifted, self.domain.signature.function(symbol))?;
        Some(LiftedFunction { symbol: FunctionId::from(symbol.index()), terms })
    }

    /// The arguments, if whatever the parameters stand for belongs there.
    fn terms(&self, lifted: &TypedApplication, declared: &Declared) -> Option<Vec<Term>> {
        let types = &self.domain.signature.types;
        let mut terms = Vec::with_capacity(lifted.arguments.len());
        for (&(parameter, _), place) in lifted.arguments.iter().zip(&declared.parameters) {
            let variable = self.parameters.get(parameter)?;
            if !place.types.contains(types, &variable.types) {
                return None;
            }
            terms.push(Term::Variable(u32::try_from(parameter).ok()?));
        }
        Some(terms)
    }
}

fn number_of(text: &str) -> Option<Rational> {
    Numbers::Exact.read(text).ok()
}
