//! Inputs: numbers that whoever acts chooses before a step ("pay 35").
//!
//! PDDL has no numeric parameters. So a chosen number is an object of a type below
//! [`CHOSEN_NUMBER`], and one function over that type is its value. The domain itself thus says
//! which parameters are inputs, so trajectories, learner and checker need not be told.

use super::action::{Action, Domain};
use super::expression::{Condition, Effect, Term};
use super::ids::{ActionId, FunctionId, TypeId};
use super::signature::{Names, Symbol, TypeSet};

/// The type above all types of chosen numbers. A domain that declares it has inputs.
pub const CHOSEN_NUMBER: &str = "chosen-number";

/// What a domain declares of its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inputs {
    /// The type above all types of chosen numbers.
    pub of: TypeId,
    /// The function that is the value of a chosen number. No action changes it.
    pub value: FunctionId,
}

impl Domain {
    /// What the domain declares of its inputs; `None` where it has none.
    ///
    /// # Errors
    /// The domain has a type of chosen numbers, and something other than their value is about them,
    /// or may be.
    pub fn inputs(&self) -> Result<Option<Inputs>, String> {
        let signature = &self.signature;
        let Some(of) = signature.types.find(CHOSEN_NUMBER) else { return Ok(None) };
        let chosen = TypeSet::either([of]);
        let may_be = |types: &TypeSet| types.meets(&signature.types, &chosen);
        let reaches =
            |symbol: &Symbol| symbol.parameters.iter().any(|parameter| may_be(&parameter.types));
        let first = |symbols: &Names<Symbol>| {
            let found = symbols.iter().find(|(_, symbol)| reaches(symbol));
            found.map(|(name, _)| name.to_owned())
        };
        if let Some(name) = first(&signature.predicates) {
            return Err(format!("the predicate `{name}` may be about a chosen number"));
        }
        let mut over = (0..signature.functions.len())
            .filter(|&function| reaches(signature.functions.value(function)));
        let Some(value) = over.next() else {
            return Err("no function is the value of a chosen number".to_owned());
        };
        let name = |function: usize| signature.functions.name(function);
        if let Some(other) = over.next() {
            let (one, other) = (name(value), name(other));
            return Err(format!("two functions may be about a chosen number: `{one}`, `{other}`"));
        }
        let parameters = &signature.functions.value(value).parameters;
        if !matches!(&parameters[..], [only] if only.types == chosen) {
            return Err(format!("`{}` is not a function of one chosen number", name(value)));
        }
        for (name, action) in self.actions.iter() {
            let mut mixed = action.parameters.iter().filter(|parameter| may_be(&parameter.types));
            if let Some(parameter) =
                mixed.find(|parameter| !chosen.contains(&signature.types, &parameter.types))
            {
                return Err(format!(
                    "the parameter ?{} of `{name}` may be a chosen number or another object",
                    parameter.name
                ));
            }
        }
        Ok(Some(Inputs { of, value: value.into() }))
    }

    /// By parameter of an action: whether it is an input.
    pub fn input_slots(&self, action: ActionId) -> Vec<bool> {
        let types = &self.signature.types;
        let inputs = self.inputs().ok().flatten().map(|inputs| TypeSet::either([inputs.of]));
        let is_input =
            |set: &TypeSet| inputs.as_ref().is_some_and(|chosen| chosen.contains(types, set));
        self.action(action).parameters.iter().map(|parameter| is_input(&parameter.types)).collect()
    }

    /// What the body of an action does with its inputs that no model of the class does.
    pub fn misuse_of_inputs(&self, action: ActionId) -> Option<&'static str> {
        let inputs = self.inputs().ok().flatten()?;
        let slots = self.input_slots(action);
        let is_input = |term: &Term| match term {
            Term::Variable(slot) => slots.get(*slot as usize) == Some(&true),
            Term::Object(_) => false,
        };
        let Action { precondition, effect, .. } = self.action(action);
        if compares(precondition, &is_input) || compares_when(effect, &is_input) {
            return Some("it compares chosen numbers as objects");
        }
        changes(effect, inputs.value).then_some("it changes the value of a chosen number")
    }

    /// The values of an action's inputs, as PDDL: `(value ?paid)`.
    pub fn inputs_of(&self, action: ActionId) -> Vec<String> {
        let Ok(Some(inputs)) = self.inputs() else { return Vec::new() };
        let value = self.signature.functions.name(inputs.value.index());
        let slots = self.input_slots(action);
        let parameters = self.action(action).parameters.iter().zip(slots);
        parameters
            .filter(|(_, is_input)| *is_input)
            .map(|(parameter, _)| format!("({value} ?{})", parameter.name))
            .collect()
    }
}

fn compares(condition: &Condition, is_input: &dyn Fn(&Term) -> bool) -> bool {
    match condition {
        Condition::Same(one, other) => is_input(one) || is_input(other),
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter().any(|part| compares(part, is_input))
        }
        Condition::Imply(sides) => sides.iter().any(|side| compares(side, is_input)),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            compares(inner, is_input)
        }
        Condition::Atom(_) | Condition::Compare(..) | Condition::Within(_) => false,
    }
}

fn compares_when(effect: &Effect, is_input: &dyn Fn(&Term) -> bool) -> bool {
    match effect {
        Effect::And(parts) => parts.iter().any(|part| compares_when(part, is_input)),
        Effect::When(condition, inner) => {
            compares(condition, is_input) || compares_when(inner, is_input)
        }
        Effect::ForAll(_, inner) => compares_when(inner, is_input),
        Effect::Add(_) | Effect::Delete(_) | Effect::Numeric(_) => false,
    }
}

fn changes(effect: &Effect, value: FunctionId) -> bool {
    match effect {
        Effect::And(parts) => parts.iter().any(|part| changes(part, value)),
        Effect::When(_, inner) | Effect::ForAll(_, inner) => changes(inner, value),
        Effect::Numeric(numeric) => numeric.target.symbol == value,
        Effect::Add(_) | Effect::Delete(_) => false,
    }
}
