//! Another domain, rewritten in the ids of the real one, so that both can be asked about the same
//! states.

use std::sync::Arc;

use surefoot_base::model::{
    Action, Condition, Domain, Effect, ErrorFunctions, Expression, FunctionId, Lifted, LiftedAtom,
    LiftedFunction, Names, NumericEffect, Region, Signature, Term, TypeSet, Variable,
};

/// Something that one domain names and the other does not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the learned domain has {kind} {name}, which the real one has not{detail}")]
pub struct UnknownName {
    /// What it is: a type, constant, predicate, function or action.
    pub kind: &'static str,
    /// The name that the real domain does not have.
    pub name: String,
    /// What differs, where the name is known.
    pub detail: String,
}

/// The learned domain with the vocabulary of the real one. Names decide, not the order of
/// declarations.
pub fn aligned(learned: &Domain, real: &Domain) -> Result<Domain, UnknownName> {
    aligned_to(learned, real, &real.signature)
}

/// Like [`aligned`]. The error functions of the learned domain, which the real one does not have,
/// follow those of the real one.
pub fn aligned_with_errors(learned: &Domain, real: &Domain) -> Result<Domain, UnknownName> {
    let functions = &learned.signature.functions;
    let blurred = ErrorFunctions::of(&learned.signature);
    let known = blurred.iter().filter_map(|(function, _)| {
        real.signature.functions.find(functions.name(function.index()))
    });
    let mut signature = real.signature.clone();
    // A real domain that has such names itself is taken at its word.
    let _ = ErrorFunctions::declare(&mut signature, known.map(FunctionId::from));
    aligned_to(learned, real, &signature)
}

fn aligned_to(
    learned: &Domain,
    real: &Domain,
    signature: &Signature,
) -> Result<Domain, UnknownName> {
    let align = Alignment { learned, signature };
    let mut domain =
        Domain { actions: Names::default(), signature: signature.clone(), ..learned.clone() };
    for (name, action) in learned.actions.iter() {
        let place = real.actions.find(name).ok_or_else(|| misfit("action", name))?;
        if real.actions.value(place).parameters.len() != action.parameters.len() {
            return Err(UnknownName {
                detail: " with as many parameters".into(),
                ..misfit("action", name)
            });
        }
        let action = Action {
            parameters: align.variables(&action.parameters)?,
            precondition: align.condition(&action.precondition)?,
            effect: align.effect(&action.effect)?,
        };
        let _ = domain.actions.insert(name, action);
    }
    Ok(domain)
}

fn misfit(kind: &'static str, name: &str) -> UnknownName {
    UnknownName { kind, name: name.to_owned(), detail: String::new() }
}

struct Alignment<'a> {
    learned: &'a Domain,
    signature: &'a Signature,
}

impl Alignment<'_> {
    fn variables(&self, variables: &[Variable]) -> Result<Vec<Variable>, UnknownName> {
        variables.iter().map(|variable| self.variable(variable)).collect()
    }

    fn variable(&self, variable: &Variable) -> Result<Variable, UnknownName> {
        let types = variable.types.types().iter().map(|&id| {
            let name = self.learned.signature.types.name(id);
            self.signature.types.find(name).ok_or_else(|| misfit("type", name))
        });
        Ok(Variable {
            name: variable.name.clone(),
            types: TypeSet::either(types.collect::<Result<Vec<_>, _>>()?),
        })
    }

    fn terms(&self, terms: &[Term]) -> Result<Vec<Term>, UnknownName> {
        terms.iter().map(|&term| self.term(term)).collect()
    }

    fn term(&self, term: Term) -> Result<Term, UnknownName> {
        let Term::Object(object) = term else { return Ok(term) };
        let name = self.learned.signature.constants.name(object);
        self.signature
            .constants
            .find(name)
            .map(Term::Object)
            .ok_or_else(|| misfit("constant", name))
    }

    fn atom(&self, atom: &LiftedAtom) -> Result<LiftedAtom, UnknownName> {
        let name = self.learned.signature.predicates.name(atom.symbol.index());
        let symbol =
            self.signature.predicates.find(name).ok_or_else(|| misfit("predicate", name))?;
        Ok(Lifted { symbol: symbol.into(), terms: self.terms(&atom.terms)? })
    }

    fn function(&self, function: &LiftedFunction) -> Result<LiftedFunction, UnknownName> {
        let name = self.learned.signature.functions.name(function.symbol.index());
        let symbol = self.signature.functions.find(name).ok_or_else(|| misfit("function", name))?;
        Ok(Lifted { symbol: symbol.into(), terms: self.terms(&function.terms)? })
    }

    fn region(&self, region: &Region) -> Result<Region, UnknownName> {
        let columns = region
            .columns
            .iter()
            .map(|column| column.iter().map(|function| self.function(function)).collect());
        Ok(Region { columns: columns.collect::<Result<_, _>>()?, set: Arc::clone(&region.set) })
    }

    fn conditions(&self, parts: &[Condition]) -> Result<Vec<Condition>, UnknownName> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    fn condition(&self, condition: &Condition) -> Result<Condition, UnknownName> {
        Ok(match condition {
            Condition::And(parts) => Condition::And(self.conditions(parts)?),
            Condition::Or(parts) => Condition::Or(self.conditions(parts)?),
            Condition::Not(inner) => Condition::Not(Box::new(self.condition(inner)?)),
            Condition::Imply(both) => {
                Condition::Imply(Box::new([self.condition(&both[0])?, self.condition(&both[1])?]))
            }
            Condition::ForAll(variables, inner) => {
                Condition::ForAll(self.variables(variables)?, Box::new(self.condition(inner)?))
            }
            Condition::Exists(variables, inner) => {
                Condition::Exists(self.variables(variables)?, Box::new(self.condition(inner)?))
            }
            Condition::Atom(atom) => Condition::Atom(self.atom(atom)?),
            Condition::Same(left, right) => Condition::Same(self.term(*left)?, self.term(*right)?),
            Condition::Compare(comparison, sides) => {
                Condition::Compare(*comparison, self.sides(sides)?)
            }
            Condition::Within(region) => Condition::Within(self.region(region)?),
        })
    }

    fn expressions(&self, parts: &[Expression]) -> Result<Vec<Expression>, UnknownName> {
        parts.iter().map(|part| self.expression(part)).collect()
    }

    fn sides(&self, sides: &[Expression; 2]) -> Result<Box<[Expression; 2]>, UnknownName> {
        Ok(Box::new([self.expression(&sides[0])?, self.expression(&sides[1])?]))
    }

    fn expression(&self, expression: &Expression) -> Result<Expression, UnknownName> {
        Ok(match expression {
            Expression::Number(number) => Expression::Number(number.clone()),
            Expression::Function(function) => Expression::Function(self.function(function)?),
            Expression::Sum(parts) => Expression::Sum(self.expressions(parts)?),
            Expression::Product(parts) => Expression::Product(self.expressions(parts)?),
            Expression::Difference(sides) => Expression::Difference(self.sides(sides)?),
            Expression::Negation(inner) => Expression::Negation(Box::new(self.expression(inner)?)),
            Expression::Quotient(sides) => Expression::Quotient(self.sides(sides)?),
            Expression::TotalTime => Expression::TotalTime,
        })
    }

    fn effect(&self, effect: &Effect) -> Result<Effect, UnknownName> {
        Ok(match effect {
            Effect::And(parts) => {
                Effect::And(parts.iter().map(|part| self.effect(part)).collect::<Result<_, _>>()?)
            }
            Effect::Add(atom) => Effect::Add(self.atom(atom)?),
            Effect::Delete(atom) => Effect::Delete(self.atom(atom)?),
            Effect::Numeric(NumericEffect { operator, target, value }) => {
                Effect::Numeric(NumericEffect {
                    operator: *operator,
                    target: self.function(target)?,
                    value: self.expression(value)?,
                })
            }
            Effect::When(condition, inner) => {
                Effect::When(self.condition(condition)?, Box::new(self.effect(inner)?))
            }
            Effect::ForAll(variables, inner) => {
                Effect::ForAll(self.variables(variables)?, Box::new(self.effect(inner)?))
            }
        })
    }
}
