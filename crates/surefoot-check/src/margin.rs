//! What a model that carries errors along says of true states.
//!
//! Its state holds an estimate x and an error E for each function that may be off; the true value y
//! of the function is within E of the estimate, and E ≥ 0. A condition `a · x + m · E ≤ b` with m ≥
//! |a| says `a · y ≤ b` of every such true state. Where the conditions ask errors to be zero
//! (`m · E ≤ 0` with m > 0), estimates are true values, and no room is needed: equations are
//! written in that way.
//!
//! The *core* of an action is that: conditions and effects over the functions of the domain, which
//! hold of every true state that the estimate may stand for. All that is to be verified of
//! conditions and effects is verified of the core. Conditions that leave no room for errors say
//! nothing of true states; they are left out of the core, and said. What is left is how errors
//! grow: an effect that gives `f(x)`, and is at most r off where the step is allowed, gives a true
//! value within `Σ |f_i| E_i + r` of it.

use std::collections::{BTreeMap, BTreeSet};

use super::boolean::conjuncts;
use super::boolean::flat;
use super::errors::RecordErrors;
use super::vocabulary::{ActionVocabulary, FunctionPolynomial};
use super::{Obligation, RejectionReason};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Action, Comparison, Condition, Domain, Effect, Expression, FunctionId, LiftedFunction, Names,
    NumericEffect, NumericOperator,
};
use surefoot_base::pddl::Writer;

/// What a written action says of true states.
struct Core {
    /// Over the functions of the domain.
    action: Action,
    growth: Growth,
    /// What cannot be said of true states.
    faults: Vec<(Obligation, String)>,
}

/// How the errors of functions grow.
#[derive(Clone, Default)]
pub(super) struct Growth {
    /// By function: whether the model has a function that is its error.
    pub(super) carried: Vec<bool>,
    /// By function with an effect on its error: its error afterwards.
    after: BTreeMap<usize, ErrorSum>,
    /// The functions whose error is zero wherever the conditions hold.
    pinned: BTreeSet<usize>,
}

/// A number and multiples of errors, by function.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ErrorSum {
    constant: Rational,
    terms: BTreeMap<usize, Rational>,
}

impl ErrorSum {
    fn term(&self, function: usize) -> Rational {
        self.terms.get(&function).cloned().unwrap_or(Rational::ZERO)
    }
}

/// Why an error grows by more than the model says.
pub(super) enum Outgrown {
    /// The function has no error in the model.
    Exact,
    /// It depends on a product with a factor that may be off.
    Product,
    /// By the error of this function.
    Error(usize),
    /// By what the effect may be off.
    Bound,
}

impl Growth {
    /// Whether the error of a function that becomes `after`, give or take `bound`, grows by no more
    /// than the model says.
    pub(super) fn covers(
        &self,
        function: usize,
        after: &FunctionPolynomial,
        bound: &Rational,
    ) -> Result<(), Outgrown> {
        let mut needed = ErrorSum { constant: bound.clone(), terms: BTreeMap::new() };
        for (monomial, coefficient) in &after.0 {
            for &factor in monomial.iter().filter(|&&factor| self.may_be_off(factor)) {
                if monomial.len() > 1 {
                    return Err(Outgrown::Product);
                }
                needed.terms.insert(factor, coefficient.abs());
            }
        }
        if !self.carried[function] {
            let none = needed.constant.is_zero() && needed.terms.is_empty();
            return if none { Ok(()) } else { Err(Outgrown::Exact) };
        }
        let written = self.after.get(&function).cloned().unwrap_or_else(|| ErrorSum {
            constant: Rational::ZERO,
            terms: BTreeMap::from([(function, Rational::ONE)]),
        });
        let all = (0..self.carried.len()).filter(|&other| self.may_be_off(other));
        for other in all {
            if written.term(other) < needed.term(other) {
                return Err(Outgrown::Error(other));
            }
        }
        if written.constant < needed.constant { Err(Outgrown::Bound) } else { Ok(()) }
    }

    /// Whether the model says anything of the error of a function.
    pub(super) fn changes(&self, function: usize) -> bool {
        self.after.contains_key(&function)
    }

    fn may_be_off(&self, function: usize) -> bool {
        self.carried[function] && !self.pinned.contains(&function)
    }
}

/// An action of a model, being read.
struct WrittenAction<'a> {
    /// The functions of the domain first, in their order there.
    vocabulary: ActionVocabulary,
    /// How many of them are of the domain.
    own: usize,
    /// By function of the model: how many functions of the domain there are.
    symbols: usize,
    errors: &'a RecordErrors,
    /// By function of the domain that may be off: its error.
    error_of: Vec<Option<usize>>,
    /// By error: the function.
    of_error: BTreeMap<usize, usize>,
    writer: Writer<'a>,
    faults: Vec<(Obligation, String)>,
}

/// What an action of a model says of true states; `Err` where there is too much to say.
fn core(
    domain: &Domain,
    model: &Domain,
    errors: &RecordErrors,
    action: &Action,
) -> Result<Core, String> {
    let vocabulary = ActionVocabulary::of(model, action)?;
    let symbols = domain.signature.functions.len();
    let own =
        vocabulary.functions.iter().filter(|function| function.symbol.index() < symbols).count();
    let error_of: Vec<Option<usize>> = vocabulary.functions[..own]
        .iter()
        .map(|function| {
            let symbol = errors.carried(function.symbol)?;
            vocabulary.function(&LiftedFunction { symbol, terms: function.terms.clone() })
        })
        .collect();
    let of_error = error_of
        .iter()
        .enumerate()
        .filter_map(|(function, error)| Some(((*error)?, function)))
        .collect();
    let writer = Writer::new(model, &model.signature.constants).with_parameters(&action.parameters);
    let mut written = WrittenAction {
        vocabulary,
        own,
        symbols,
        errors,
        error_of,
        of_error,
        writer,
        faults: Vec::new(),
    };
    let pinned = written.pins(&action.precondition);
    let precondition = written.condition(&action.precondition, &pinned);
    let mut growth = Growth {
        after: BTreeMap::new(),
        carried: written.error_of.iter().map(Option::is_some).collect(),
        pinned,
    };
    let effect = written.effect(&action.effect, &mut growth.after);
    let action = Action { parameters: action.parameters.clone(), precondition, effect };
    Ok(Core { action, growth, faults: written.faults })
}

/// A model as it speaks of true states, with how errors grow by action; what cannot be said is
/// gathered.
pub(super) fn cores(
    domain: &Domain,
    model: &Domain,
    errors: &RecordErrors,
    reasons: &mut BTreeSet<RejectionReason>,
) -> (Domain, Vec<Growth>) {
    let mut actions = Names::default();
    let mut growths = Vec::new();
    for (name, written) in model.actions.iter() {
        let (action, growth, faults) = match core(domain, model, errors, written) {
            Ok(Core { action, growth, faults }) => (action, growth, faults),
            Err(what) => {
                let left_out = Action::left_out(written.parameters.clone());
                (left_out, Growth::default(), vec![(Obligation::Unverifiable, what)])
            }
        };
        reasons.extend(faults.into_iter().map(|(kind, what)| RejectionReason {
            action: Some(name.to_ascii_lowercase()),
            kind,
            what,
        }));
        let _ = actions.insert(name, action);
        growths.push(growth);
    }
    (Domain { signature: domain.signature.clone(), actions, ..model.clone() }, growths)
}

impl WrittenAction<'_> {
    fn is_error(&self, function: FunctionId) -> bool {
        function.index() >= self.symbols
    }

    /// Whether a function is an error, or may be off.
    fn concerns(&self, function: FunctionId) -> bool {
        self.is_error(function) || self.errors.carried(function).is_some()
    }

    /// The functions whose error is zero where a condition holds.
    fn pins(&self, condition: &Condition) -> BTreeSet<usize> {
        let mut pinned = BTreeSet::new();
        for part in conjuncts(condition) {
            let Condition::Compare(comparison, sides) = part else { continue };
            let [left, right] = &**sides;
            let at_most = match comparison {
                Comparison::Less | Comparison::LessOrEqual => vec![(left, right)],
                Comparison::Greater | Comparison::GreaterOrEqual => vec![(right, left)],
                Comparison::Equal => vec![(left, right), (right, left)],
            };
            for sum in at_most.into_iter().filter_map(|(less, more)| self.error_sum(less, more)) {
                if sum.constant.signum() >= 0
                    && sum.terms.values().all(|factor| factor.signum() >= 0)
                {
                    pinned.extend(sum.terms.keys());
                }
            }
        }
        pinned
    }

    /// A difference that reads errors alone.
    fn error_sum(&self, one: &Expression, other: &Expression) -> Option<ErrorSum> {
        let (rest, errors) = self
            .split(&self.vocabulary.polynomial(one)?.minus(&self.vocabulary.polynomial(other)?))?;
        let constant = rest.0.iter().all(|(monomial, _)| monomial.is_empty());
        let number = rest.0.values().next().cloned().unwrap_or(Rational::ZERO);
        constant.then_some(ErrorSum { constant: number, terms: errors })
    }

    /// What a polynomial reads of the domain, and the multiples of errors in it; `None` where
    /// errors are multiplied.
    fn split(
        &self,
        polynomial: &FunctionPolynomial,
    ) -> Option<(FunctionPolynomial, BTreeMap<usize, Rational>)> {
        let (mut rest, mut errors) = (FunctionPolynomial::default(), BTreeMap::new());
        for (monomial, coefficient) in &polynomial.0 {
            if monomial.iter().all(|&factor| factor < self.own) {
                rest.0.insert(monomial.clone(), coefficient.clone());
            } else if let [error] = monomial[..] {
                errors.insert(*self.of_error.get(&error)?, coefficient.clone());
            } else {
                return None;
            }
        }
        Some((rest, errors))
    }

    /// What a condition says of true states, given the functions whose error is zero.
    fn condition(&mut self, condition: &Condition, pinned: &BTreeSet<usize>) -> Condition {
        match condition {
            Condition::And(parts) => {
                let pinned = pinned.iter().copied().chain(self.pins(condition)).collect();
                Condition::And(parts.iter().map(|part| self.condition(part, &pinned)).collect())
            }
            Condition::Or(parts) => {
                Condition::Or(parts.iter().map(|part| self.condition(part, pinned)).collect())
            }
            other if !reads(other, &|function| self.concerns(function)) => other.clone(),
            Condition::Compare(comparison, sides) => {
                self.compare(condition, *comparison, sides, pinned)
            }
            other => {
                let text = self.writer.condition(other);
                self.faults.push((
                    Obligation::Unverifiable,
                    format!("{text} is no linear condition of functions and errors"),
                ));
                Condition::TRUE
            }
        }
    }

    fn compare(
        &mut self,
        condition: &Condition,
        comparison: Comparison,
        sides: &[Expression; 2],
        pinned: &BTreeSet<usize>,
    ) -> Condition {
        let (less, more, comparison) = match comparison {
            Comparison::Greater => (&sides[1], &sides[0], Comparison::Less),
            Comparison::GreaterOrEqual => (&sides[1], &sides[0], Comparison::LessOrEqual),
            same => (&sides[0], &sides[1], same),
        };
        let polynomials = self.vocabulary.polynomial(less).zip(self.vocabulary.polynomial(more));
        let Some((rest, room)) =
            polynomials.and_then(|(less, more)| self.split(&less.minus(&more)))
        else {
            let text = self.writer.condition(condition);
            self.faults.push((
                Obligation::Unverifiable,
                format!("{text} is no linear condition of functions and errors"),
            ));
            return Condition::TRUE;
        };
        if rest.0.keys().all(Vec::is_empty) {
            // It is about errors alone.
            return Condition::TRUE;
        }
        let off =
            |function: &usize| self.error_of[*function].is_some() && !pinned.contains(function);
        let mut needed: BTreeMap<usize, Rational> =
            room.keys().filter(|function| off(function)).map(|&at| (at, Rational::ZERO)).collect();
        let mut product = None;
        for (monomial, coefficient) in &rest.0 {
            for &factor in monomial.iter().filter(|factor| off(factor)) {
                needed.insert(factor, coefficient.abs());
                product = product.or((monomial.len() > 1).then_some(factor));
            }
        }
        let enough = |function: usize, needed: &Rational| match comparison {
            Comparison::Equal => false,
            _ => {
                room.get(&function).is_some_and(|room| room >= needed)
                    || needed.is_zero() && !room.contains_key(&function)
            }
        };
        let short = product.or_else(|| {
            needed.iter().find(|(function, needed)| !enough(**function, needed)).map(|(&at, _)| at)
        });
        if let Some(function) = short {
            let function = self.writer.function(&self.vocabulary.functions[function]);
            let text = self.writer.condition(condition);
            self.faults.push((
                Obligation::Facet,
                format!("{text} leaves too little room for the error of {function}"),
            ));
            return Condition::TRUE;
        }
        Condition::Compare(
            comparison,
            Box::new([self.expression(&rest), Expression::Number(Rational::ZERO)]),
        )
    }

    fn expression(&self, polynomial: &FunctionPolynomial) -> Expression {
        let terms =
            polynomial.0.iter().map(|(monomial, coefficient)| {
                let mut factors = vec![Expression::Number(coefficient.clone())];
                factors.extend(monomial.iter().map(|&factor| {
                    Expression::Function(self.vocabulary.functions[factor].clone())
                }));
                Expression::Product(factors)
            });
        Expression::Sum(terms.collect())
    }

    /// The effects on functions of the domain; those on errors are gathered.
    fn effect(&mut self, effect: &Effect, after: &mut BTreeMap<usize, ErrorSum>) -> Effect {
        let mut kept = Vec::new();
        for part in flat(effect) {
            match part {
                Effect::Numeric(numeric) if self.is_error(numeric.target.symbol) => {
                    let grown = self.grown(numeric);
                    let fresh = grown.filter(|(function, _)| !after.contains_key(function));
                    match fresh {
                        Some((function, sum)) => drop(after.insert(function, sum)),
                        None => self.foreign(part),
                    }
                }
                part if changes_or_reads(part, &|function| self.is_error(function)) => {
                    self.foreign(part)
                }
                part => kept.push(part.clone()),
            }
        }
        Effect::And(kept)
    }

    fn foreign(&mut self, effect: &Effect) {
        let text = self.writer.effect(effect);
        self.faults.push((
            Obligation::Unverifiable,
            format!("the effect {text} is no change of an error by errors"),
        ));
    }

    /// The function whose error changes, and its error afterwards.
    fn grown(&self, numeric: &NumericEffect) -> Option<(usize, ErrorSum)> {
        let function = *self.of_error.get(&self.vocabulary.function(&numeric.target)?)?;
        let zero = Expression::Number(Rational::ZERO);
        let mut sum = match numeric.operator {
            NumericOperator::Assign | NumericOperator::Increase => {
                self.error_sum(&numeric.value, &zero)?
            }
            NumericOperator::Decrease => self.error_sum(&zero, &numeric.value)?,
            NumericOperator::ScaleUp | NumericOperator::ScaleDown => return None,
        };
        if numeric.operator != NumericOperator::Assign {
            let own = &sum.term(function) + &Rational::ONE;
            sum.terms.insert(function, own);
        }
        Some((function, sum))
    }
}

/// Whether a condition reads some function.
fn reads(condition: &Condition, wanted: &impl Fn(FunctionId) -> bool) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().any(|part| reads(part, wanted))
        }
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            reads(inner, wanted)
        }
        Condition::Imply(both) => both.iter().any(|part| reads(part, wanted)),
        Condition::Compare(_, sides) => sides.iter().any(|side| expression_reads(side, wanted)),
        Condition::Within(region) => {
            region.columns.iter().flatten().any(|function| wanted(function.symbol))
        }
        Condition::Atom(_) | Condition::Same(..) => false,
    }
}

fn expression_reads(expression: &Expression, wanted: &impl Fn(FunctionId) -> bool) -> bool {
    let mut found = false;
    expression.for_each_function(&mut |function| found |= wanted(function.symbol));
    found
}

/// Whether an effect reads some function, or changes it.
fn changes_or_reads(effect: &Effect, wanted: &impl Fn(FunctionId) -> bool) -> bool {
    match effect {
        Effect::And(parts) => parts.iter().any(|part| changes_or_reads(part, wanted)),
        Effect::Add(_) | Effect::Delete(_) => false,
        Effect::Numeric(numeric) => {
            wanted(numeric.target.symbol) || expression_reads(&numeric.value, wanted)
        }
        Effect::When(condition, inner) => {
            reads(condition, wanted) || changes_or_reads(inner, wanted)
        }
        Effect::ForAll(_, inner) => changes_or_reads(inner, wanted),
    }
}
