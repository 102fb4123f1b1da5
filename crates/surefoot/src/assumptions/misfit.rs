//! Bodies that show that the class does not fit. A learner ignores the bodies of the given domain, but where they are there and are
//! outside the class, the promise is known to be void, and must not look as if it were not.

use std::collections::BTreeSet;
use std::fmt;

use super::Assumptions;
use crate::model::{
    Action, Comparison, Condition, Domain, Effect, Expression, LiftedFunction, NumericEffect, NumericOperator, Polynomial, Term,
};
use crate::pddl::Writer;

/// A construct in the body of an action of the given domain that no model of the class has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Misfit {
    /// The action.
    pub action: String,
    /// What it uses, in words that continue "it has".
    pub construct: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {}", self.action, self.construct)
    }
}

/// What in the bodies of a domain is outside the class, in the order of the actions; nothing where there are no bodies.
pub fn misfits(domain: &Domain, assumptions: &Assumptions) -> Vec<Misfit> {
    let mut found = Vec::new();
    for id in domain.action_ids() {
        let action = domain.action(id);
        let name = domain.action_name(id).to_ascii_lowercase();
        let listed = assumptions.relevant.get(&name).into_iter().flatten();
        let mut seen = Seen {
            writer: Writer::new(domain, &domain.signature.constants).with_parameters(&action.parameters),
            assumptions,
            listed: listed.map(|text| factors_in(text)).collect(),
            constructs: Vec::new(),
        };
        seen.body(action);
        let mut told = BTreeSet::new();
        let new = seen.constructs.into_iter().filter(|construct| told.insert(construct.clone()));
        found.extend(new.map(|construct| Misfit { action: name.clone(), construct }));
    }
    found
}

struct Seen<'a> {
    writer: Writer<'a>,
    assumptions: &'a Assumptions,
    /// The products that a map lists for the action, by their factors.
    listed: BTreeSet<Vec<String>>,
    constructs: Vec<String>,
}

impl Seen<'_> {
    fn push(&mut self, construct: impl Into<String>) {
        self.constructs.push(construct.into());
    }

    fn body(&mut self, action: &Action) {
        self.condition(&action.precondition, true);
        self.effect(&action.effect);
        let mut changed = Vec::new();
        targets(&action.effect, &mut changed);
        for (index, target) in changed.iter().enumerate() {
            if changed[..index].contains(target) {
                let target = self.writer.function(target);
                self.push(format!("two effects on {target}"));
            }
        }
    }

    /// A condition, or (not `positive`) its negation.
    fn condition(&mut self, condition: &Condition, positive: bool) {
        match (condition, positive) {
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                parts.iter().for_each(|part| self.condition(part, positive));
            }
            (Condition::Or(parts), true) | (Condition::And(parts), false) if parts.len() == 1 => {
                self.condition(&parts[0], positive);
            }
            (Condition::Or(_), true) => self.push("a disjunction (or) in its precondition"),
            (Condition::And(_), false) => self.push("a negated conjunction in its precondition"),
            (Condition::Imply(both), false) => {
                self.condition(&both[0], true);
                self.condition(&both[1], false);
            }
            (Condition::Imply(_), true) => self.push("an implication (imply) in its precondition"),
            (Condition::ForAll(..), _) => self.push("a quantified condition (forall)"),
            (Condition::Exists(..), _) => self.push("a quantified condition (exists)"),
            (Condition::Not(inner), _) => self.condition(inner, !positive),
            (Condition::Atom(atom), _) => {
                if repeats(&atom.terms) {
                    let atom = self.writer.atom(atom);
                    self.push(format!("a parameter twice in {atom}"));
                }
            }
            (Condition::Same(..), _) => {}
            (Condition::Compare(Comparison::Equal, _), false) => self.push("a negated numeric equation in its precondition"),
            (Condition::Compare(_, sides), _) => {
                if self.assumptions.algorithm == super::Algorithm::Sam {
                    return self.push("a numeric condition");
                }
                sides.iter().for_each(|side| self.functions(side));
                let difference = || Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?);
                self.polynomial(difference(), "a numeric condition");
            }
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| self.effect(part)),
            Effect::Add(atom) | Effect::Delete(atom) => {
                if repeats(&atom.terms) {
                    let atom = self.writer.atom(atom);
                    self.push(format!("a parameter twice in {atom}"));
                }
            }
            Effect::When(..) => self.push("a conditional effect (when)"),
            Effect::ForAll(..) => self.push("a quantified effect (forall)"),
            Effect::Numeric(_) if self.assumptions.algorithm == super::Algorithm::Sam => {}
            Effect::Numeric(numeric) => self.numeric(numeric),
        }
    }

    fn numeric(&mut self, effect: &NumericEffect) {
        self.functions(&Expression::Function(effect.target.clone()));
        self.functions(&effect.value);
        let value = Polynomial::of(&effect.value);
        if matches!(effect.operator, NumericOperator::ScaleUp | NumericOperator::ScaleDown) {
            if value.is_none_or(|value| !value.mentioned.is_empty()) {
                let target = self.writer.function(&effect.target);
                self.push(format!("a scaling of {target} by something that is no number"));
            }
        } else {
            self.polynomial(value, "a numeric effect");
        }
    }

    fn functions(&mut self, expression: &Expression) {
        let mut found = Vec::new();
        functions(expression, &mut found);
        for function in found.into_iter().filter(|function| repeats(&function.terms)) {
            let function = self.writer.function(&function);
            self.push(format!("a parameter twice in {function}"));
        }
    }

    fn polynomial(&mut self, polynomial: Option<Polynomial>, place: &str) {
        let Assumptions { degree, squares, .. } = self.assumptions;
        let Some(polynomial) = polynomial else {
            return self.push(format!("{place} that is no polynomial"));
        };
        for factors in polynomial.terms.keys() {
            let mut names: Vec<String> = factors.iter().map(|factor| self.writer.function(factor).to_ascii_lowercase()).collect();
            names.sort_unstable();
            if self.listed.contains(&names) {
                continue;
            }
            if factors.len() > *degree as usize {
                let count = factors.len();
                self.push(format!("{place} with a product of {count} functions, more than --degree {degree} admits"));
            } else if !squares && factors.windows(2).any(|pair| pair[0] == pair[1]) {
                self.push(format!("{place} with a power of a function, which needs --squares"));
            }
        }
    }
}

/// The factors of a product as it is written, `(* (f ?x) (g))`, sorted; of a function alone, itself.
fn factors_in(text: &str) -> Vec<String> {
    let text = text.trim().to_ascii_lowercase();
    let Some(inner) = text.strip_prefix("(*").and_then(|rest| rest.strip_suffix(')')) else { return vec![text] };
    let mut factors: Vec<String> = inner.split_inclusive(')').map(|factor| factor.trim().to_owned()).collect();
    factors.retain(|factor| !factor.is_empty());
    factors.sort_unstable();
    factors
}

/// Whether a variable stands there twice.
fn repeats(terms: &[Term]) -> bool {
    terms.iter().enumerate().any(|(index, term)| matches!(term, Term::Variable(_)) && terms[..index].contains(term))
}

fn functions(expression: &Expression, found: &mut Vec<LiftedFunction>) {
    match expression {
        Expression::Number(_) | Expression::TotalTime => {}
        Expression::Function(function) => found.push(function.clone()),
        Expression::Sum(parts) | Expression::Product(parts) => parts.iter().for_each(|part| functions(part, found)),
        Expression::Difference(sides) | Expression::Quotient(sides) => sides.iter().for_each(|side| functions(side, found)),
        Expression::Negation(inner) => functions(inner, found),
    }
}

fn targets<'e>(effect: &'e Effect, found: &mut Vec<&'e LiftedFunction>) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| targets(part, found)),
        Effect::Numeric(numeric) => found.push(&numeric.target),
        Effect::Add(_) | Effect::Delete(_) | Effect::When(..) | Effect::ForAll(..) => {}
    }
}
