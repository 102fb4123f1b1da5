//! The problem that goes with a domain of estimates: initial errors, and a goal with margins.
//!
//! A plan for it works from every true initial state that fits, if the actions keep true states
//! within the errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rustc_hash::FxHashMap;

use super::dynamics::{Dynamics, assigned};
use super::given::error_of;
use super::normal::{normal, reads};
use super::robust::{margin, with_margins};
use crate::exact::Rational;
use crate::model::{
    Arguments, Comparison, Condition, Domain, ErrorFunctions, Expression, FunctionId, Ground,
    GroundFunction, LiftedFunction, ObjectId, Objects, Polynomial, Problem, Term, Variable,
};
use crate::pddl::Writer;

/// More initial errors than this are not written for functions without an initial value: a function
/// of many parameters has one for every combination of objects.
const MAX_VALUES: usize = 100_000;

/// A problem with its margins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adapted {
    /// The problem: with an error for every initial value of a blurred function, and a goal that
    /// holds of every true state that fits.
    pub problem: Problem,
    /// What a person should know of it, a line each.
    pub remarks: Vec<String>,
}

/// Why a problem has no counterpart with margins, in words a person can act on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotAdapted {
    /// The goal has margins already: this part of it.
    HasMargins(String),
    /// The goal asks for a number of a function that is known within an error only.
    Equality(String),
    /// A part of the goal has no margin.
    NotRobust(String),
    /// An error is negative, or given for a function that the domain takes for exact.
    Errors(String),
}

impl fmt::Display for NotAdapted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAdapted::HasMargins(part) => {
                write!(
                    f,
                    "the goal has margins already: {part} reads an error function; the problem \
                     goes with the model as it is"
                )
            }
            NotAdapted::Equality(reason)
            | NotAdapted::NotRobust(reason)
            | NotAdapted::Errors(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for NotAdapted {}

/// The problem that goes with a domain that has error functions: each initial value of a blurred
/// function is within its error (0 where none is given), unless the problem says another error
/// itself.
///
/// A plan for the result that is valid in the domain reaches the goal from every true initial state
/// that fits, if the domain keeps true states within the errors. The metric stays as it is, about
/// estimates. A problem of a domain without error functions is returned as it is.
pub fn adapt(
    domain: &Domain,
    problem: &Problem,
    initial: &BTreeMap<FunctionId, Rational>,
) -> Result<Adapted, NotAdapted> {
    let errors = ErrorFunctions::of(&domain.signature);
    checked(domain, &errors, initial)?;
    if errors.is_empty() {
        return Ok(Adapted { problem: problem.clone(), remarks: Vec::new() });
    }
    let mut remarks = Vec::new();
    let mut adapted = problem.clone();
    fill(domain, &errors, initial, &mut adapted, &mut remarks);
    let at_start: FxHashMap<&GroundFunction, &Rational> = adapted
        .values
        .iter()
        .filter(|(function, _)| errors.is_error(function.symbol))
        .map(|(function, error)| (function, error))
        .collect();
    if let Some(negative) = adapted
        .values
        .iter()
        .find(|(function, error)| errors.is_error(function.symbol) && error.signum() < 0)
    {
        let function = Writer::new(domain, &problem.objects).ground_function(&negative.0);
        return Err(NotAdapted::Errors(format!(
            "{function} is {}: an error is 0 or more",
            number(&negative.1)
        )));
    }
    let exact = at_start
        .iter()
        .filter(|(_, error)| error.is_zero())
        .filter_map(|(function, _)| errors.function_of(function.symbol));
    let dynamics = Dynamics::of(domain, &errors, &exact.collect());
    let mut goal = Goal {
        domain,
        objects: &problem.objects,
        errors: &errors,
        at_start,
        dynamics,
        bound: Vec::new(),
        remarks,
    };
    let promised = goal.promised(&normal(&problem.goal, true, &errors))?;
    goal.narrow_ranges(&promised);
    let with_margins = with_margins(&promised, &errors, &mut Vec::new()).map_err(|reason| {
        NotAdapted::NotRobust(format!("the goal {}", reason.words(domain, &problem.objects, &[])))
    })?;
    let remarks = goal.remarks;
    adapted.goal = with_margins;
    Ok(Adapted { problem: adapted, remarks })
}

fn checked(
    domain: &Domain,
    errors: &ErrorFunctions,
    initial: &BTreeMap<FunctionId, Rational>,
) -> Result<(), NotAdapted> {
    for (function, error) in initial {
        let name = domain.signature.functions.name(function.index());
        if error.signum() < 0 {
            return Err(NotAdapted::Errors(format!(
                "the error of {name} is {}: an error is 0 or more",
                number(error)
            )));
        }
        if error.signum() > 0 && errors.get(*function).is_none() {
            return Err(NotAdapted::Errors(format!(
                "the model takes {name} to be exact, so its error cannot be {}: learn the model \
                 with an error for {name}, or give no error here",
                number(error)
            )));
        }
    }
    Ok(())
}

/// Gives every initial value of a blurred function its error, and 0 to what has no value yet but
/// may be assigned one: the error of an assignment is added to it.
fn fill(
    domain: &Domain,
    errors: &ErrorFunctions,
    initial: &BTreeMap<FunctionId, Rational>,
    problem: &mut Problem,
    remarks: &mut Vec<String>,
) {
    let mut known: BTreeSet<GroundFunction> =
        problem.values.iter().map(|(function, _)| function.clone()).collect();
    let mut more = Vec::new();
    for (function, _) in &problem.values {
        if let Some(error) = error_of(errors, function)
            && known.insert(error.clone())
        {
            more.push((error, initial.get(&function.symbol).cloned().unwrap_or(Rational::ZERO)));
        }
    }
    let assigned = assigned(domain);
    for (function, error) in errors.iter().filter(|(function, _)| assigned.contains(function)) {
        match instances(domain, &problem.objects, function) {
            Some(instances) => {
                let instances =
                    instances.into_iter().map(|arguments| Ground { symbol: error, arguments });
                more.extend(
                    instances
                        .filter(|error| known.insert(error.clone()))
                        .map(|error| (error, Rational::ZERO)),
                );
            }
            None => {
                let name = domain.signature.functions.name(function.index());
                remarks.push(format!(
                    "{name} has more than {MAX_VALUES} values: those without an initial value have \
                     no initial error, and cannot be assigned"
                ));
            }
        }
    }
    problem.values.extend(more);
}

/// All objects that a function can be applied to, unless they are too many.
fn instances(domain: &Domain, objects: &Objects, function: FunctionId) -> Option<Vec<Arguments>> {
    let mut found = vec![Arguments::default()];
    for parameter in &domain.signature.function(function).parameters {
        let fitting: Vec<ObjectId> =
            objects.of(&domain.signature.types, &parameter.types).collect();
        if found.len().saturating_mul(fitting.len()) > MAX_VALUES {
            return None;
        }
        found = (found.iter())
            .flat_map(|known| {
                fitting.iter().map(move |&object| known.iter().copied().chain([object]).collect())
            })
            .collect();
    }
    Some(found)
}

/// A goal while it is looked at.
struct Goal<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
    errors: &'a ErrorFunctions,
    at_start: FxHashMap<&'a GroundFunction, &'a Rational>,
    dynamics: Dynamics,
    /// The variables of the quantifiers around the part that is looked at.
    bound: Vec<Variable>,
    remarks: Vec<String>,
}

impl Goal<'_> {
    /// The goal without what cannot be promised: equations that read a function whose error no plan
    /// makes 0. In a disjunction such a part is left out, and that is said; anywhere else the goal
    /// is refused.
    fn promised(&mut self, condition: &Condition) -> Result<Condition, NotAdapted> {
        if reads(condition, &|function| self.errors.is_error(function))
            && !matches!(condition, Condition::And(_) | Condition::Or(_))
        {
            return Err(NotAdapted::HasMargins(self.written(condition)));
        }
        Ok(match condition {
            Condition::And(parts) => Condition::And(
                parts.iter().map(|part| self.promised(part)).collect::<Result<_, _>>()?,
            ),
            Condition::Or(parts) => {
                let (mut kept, mut refused) = (Vec::new(), Vec::new());
                for part in parts {
                    match self.promised(part) {
                        Ok(part) => kept.push(part),
                        Err(NotAdapted::Equality(reason)) => refused.push(reason),
                        Err(other) => return Err(other),
                    }
                }
                match refused.first() {
                    Some(reason) if kept.is_empty() => {
                        return Err(NotAdapted::Equality(reason.clone()));
                    }
                    _ => {}
                }
                self.remarks.extend(
                    refused
                        .into_iter()
                        .map(|reason| format!("a part of the goal's `or` is left out: {reason}")),
                );
                Condition::Or(kept)
            }
            Condition::ForAll(variables, body) | Condition::Exists(variables, body) => {
                self.bound.extend(variables.iter().cloned());
                let body = Box::new(self.promised(body)?);
                self.bound.truncate(self.bound.len() - variables.len());
                match condition {
                    Condition::ForAll(..) => Condition::ForAll(variables.clone(), body),
                    _ => Condition::Exists(variables.clone(), body),
                }
            }
            Condition::Compare(Comparison::Equal, sides) => match self.never_exact(sides) {
                Some(function) => {
                    return Err(NotAdapted::Equality(self.unpromised(condition, sides, &function)));
                }
                None => condition.clone(),
            },
            other => other.clone(),
        })
    }

    /// The first function that an equation reads and that no plan makes exact.
    fn never_exact(&self, sides: &[Expression; 2]) -> Option<LiftedFunction> {
        // What has no margin is refused later, with that reason.
        if margin(sides, self.errors).is_ok_and(|margin| margin.is_empty()) {
            return None;
        }
        let difference = Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?)?;
        let read = difference.columns().flat_map(|(factors, _)| factors);
        let mut blurred = read.filter(|function| self.errors.get(function.symbol).is_some());
        blurred
            .find(|function| {
                !self.dynamics.made_exact.contains(&function.symbol)
                    && !self.may_be_exact_at_start(function)
            })
            .cloned()
    }

    /// Whether the error is 0 at the start, for some objects where there are variables.
    fn may_be_exact_at_start(&self, function: &LiftedFunction) -> bool {
        match self.at_start(function) {
            Some(error) => error.is_zero(),
            None => {
                let error = self.errors.get(function.symbol);
                self.at_start.iter().any(|(of, value)| Some(of.symbol) == error && value.is_zero())
            }
        }
    }

    /// The error of a function without variables at the start, where it has one.
    fn at_start(&self, function: &LiftedFunction) -> Option<&Rational> {
        if function.terms.iter().any(|term| matches!(term, Term::Variable(_))) {
            return None;
        }
        self.at_start.get(&error_of(self.errors, &function.ground(&[]))?).copied()
    }

    fn unpromised(
        &self,
        condition: &Condition,
        sides: &[Expression; 2],
        function: &LiftedFunction,
    ) -> String {
        let name = self.domain.signature.functions.name(function.symbol.index());
        let within = match self.at_start(function) {
            Some(error) => format!(
                "{name} is known within {} at the start, and no action makes it exact",
                number(error)
            ),
            None => format!("{name} has an error, and no action makes it exact"),
        };
        let writer = self.writer();
        let range = match sides {
            [left, right] => format!(
                "(and (>= {0} LOW) (<= {0} HIGH)) with numbers around {1}",
                writer.expression(left),
                writer.expression(right)
            ),
        };
        format!(
            "{} cannot be promised: {within}; ask for a range: {range}",
            self.written(condition)
        )
    }

    /// Remarks on pairs of bounds that leave less room than the errors need, whatever the plan.
    fn narrow_ranges(&mut self, goal: &Condition) {
        let mut bounds = Vec::new();
        self.upper_bounds(goal, &mut bounds);
        for (index, (one, first)) in bounds.iter().enumerate() {
            for (other, second) in &bounds[..index] {
                let Some(sum) = one.clone().plus_all(other) else { continue };
                // one + other = -(room): both are at most 0.
                let room = -&sum;
                let needed = &self.least_margin(one) + &self.least_margin(other);
                if room < needed {
                    self.remarks.push(format!(
                        "no plan can meet {} and {}: they leave a range of {}, and the errors need \
                         {}",
                        self.written(second),
                        self.written(first),
                        number(&room),
                        number(&needed)
                    ));
                }
            }
        }
    }

    /// The conjuncts that are linear, each as a polynomial that is at most 0, scaled so that the
    /// first coefficient is 1 or -1.
    fn upper_bounds<'c>(&self, goal: &'c Condition, found: &mut Vec<(LinearForm, &'c Condition)>) {
        match goal {
            Condition::And(parts) => parts.iter().for_each(|part| self.upper_bounds(part, found)),
            Condition::Compare(comparison, sides) => {
                let [left, right] = &**sides;
                let (smaller, larger) = match comparison {
                    Comparison::Less | Comparison::LessOrEqual => (left, right),
                    Comparison::Greater | Comparison::GreaterOrEqual => (right, left),
                    Comparison::Equal => return,
                };
                let difference = Polynomial::of(smaller)
                    .zip(Polynomial::of(larger))
                    .and_then(|(one, other)| one.minus(other));
                found.extend(difference.and_then(LinearForm::of).map(|linear| (linear, goal)));
            }
            _ => {}
        }
    }

    /// A lower bound on the errors of a sum, in every state that a plan can reach.
    fn least_margin(&self, linear: &LinearForm) -> Rational {
        let mut least = Rational::ZERO;
        for (function, coefficient) in &linear.coefficients {
            if let Some(error) = self
                .at_start(function)
                .filter(|_| !self.dynamics.shrinking.contains(&function.symbol))
            {
                least += &(&coefficient.abs() * error);
            }
        }
        least
    }

    fn writer(&self) -> Writer<'_> {
        Writer::new(self.domain, self.objects).with_parameters(&self.bound)
    }

    fn written(&self, condition: &Condition) -> String {
        self.writer().condition(condition)
    }
}

/// A linear form over functions, scaled so that its first coefficient is 1 or -1.
#[derive(Clone)]
struct LinearForm {
    coefficients: BTreeMap<LiftedFunction, Rational>,
    constant: Rational,
}

impl LinearForm {
    fn of(polynomial: Polynomial) -> Option<Self> {
        let columns = polynomial.columns().map(|(factors, coefficient)| match &factors[..] {
            [only] => Some((only.clone(), coefficient.clone())),
            _ => None,
        });
        let coefficients: BTreeMap<LiftedFunction, Rational> = columns.collect::<Option<_>>()?;
        let scale = coefficients.values().next()?.abs().recip()?;
        let scaled = coefficients
            .into_iter()
            .map(|(function, coefficient)| (function, &coefficient * &scale))
            .collect();
        Some(LinearForm { coefficients: scaled, constant: &polynomial.constant_term() * &scale })
    }

    /// The sum of both, where that is a number.
    fn plus_all(self, other: &LinearForm) -> Option<Rational> {
        let opposite = self.coefficients.len() == other.coefficients.len()
            && self
                .coefficients
                .iter()
                .zip(&other.coefficients)
                .all(|(one, other)| one.0 == other.0 && *one.1 == -other.1);
        opposite.then(|| &self.constant + &other.constant)
    }
}

fn number(value: &Rational) -> String {
    value.to_decimal().unwrap_or_else(|| value.to_string())
}
