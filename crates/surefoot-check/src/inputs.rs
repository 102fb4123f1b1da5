//! Parameters that are chosen numbers, found once more: the types below `chosen-number`, about
//! which one function says something, and nothing else does.
//!
//! Equalities between such parameters are outside the class, so a model has none. Two of them may
//! be one object. The checker counts them as two all the same: nothing but their value is about
//! them, and no step changes it, so there is no atom to alias and no change to add up.

use std::collections::BTreeMap;

use surefoot_base::model::{
    Action, Condition, Domain, Effect, FunctionId, Names, Signature, Symbol, Term, TypeId, TypeSet,
};

const CHOSEN_NUMBER: &str = "chosen-number";

/// The parameters of an action that are chosen numbers, and the function that is their value.
#[derive(Debug, Default)]
pub(super) struct InputsOfAction {
    slots: Vec<u32>,
    value: Option<FunctionId>,
}

impl InputsOfAction {
    /// `Err` with what is about chosen numbers although it must not be.
    pub(super) fn of(domain: &Domain, action: &Action) -> Result<Self, String> {
        let types = &domain.signature.types;
        let Some(chosen) = types.find(CHOSEN_NUMBER) else { return Ok(Self::default()) };
        let below: Vec<TypeId> = types.ids().filter(|of| types.is_subtype(*of, chosen)).collect();
        let some = |set: &TypeSet| below.iter().any(|of| set.admits(types, *of));
        let about = |symbols: &Names<Symbol>| -> Vec<usize> {
            let is = |index: &usize| {
                symbols.value(*index).parameters.iter().any(|parameter| some(&parameter.types))
            };
            (0..symbols.len()).filter(is).collect()
        };
        let functions = &domain.signature.functions;
        let value = match (&about(&domain.signature.predicates)[..], &about(functions)[..]) {
            ([], [value]) if functions.value(*value).parameters.len() == 1 => *value,
            _ => return Err("something besides their value is about chosen numbers".to_owned()),
        };
        let mut slots = Vec::new();
        for (slot, parameter) in action.parameters.iter().enumerate() {
            let all = parameter.types.types().iter().all(|of| below.contains(of));
            match (all, some(&parameter.types)) {
                (true, _) => slots.push(slot as u32),
                (false, false) => {}
                (false, true) => {
                    return Err(format!("?{} may be a chosen number, or not", parameter.name));
                }
            }
        }
        Ok(InputsOfAction { slots, value: Some(value.into()) })
    }

    pub(super) fn has(&self, term: Term) -> bool {
        matches!(term, Term::Variable(slot) if self.slots.contains(&slot))
    }

    /// What a model says of chosen numbers that no model of the class says.
    pub(super) fn flaw(&self, action: &Action) -> Option<&'static str> {
        if self.compares(&action.precondition) || self.compares_when(&action.effect) {
            return Some("it compares chosen numbers as objects, which only their values may be");
        }
        self.changes(&action.effect).then_some("it changes the value of a chosen number")
    }

    fn compares(&self, condition: &Condition) -> bool {
        match condition {
            Condition::Same(one, other) => self.has(*one) || self.has(*other),
            Condition::And(parts) | Condition::Or(parts) => {
                parts.iter().any(|part| self.compares(part))
            }
            Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
                self.compares(inner)
            }
            Condition::Imply(sides) => sides.iter().any(|side| self.compares(side)),
            Condition::Atom(_) | Condition::Compare(..) | Condition::Within(_) => false,
        }
    }

    fn compares_when(&self, effect: &Effect) -> bool {
        match effect {
            Effect::And(parts) => parts.iter().any(|part| self.compares_when(part)),
            Effect::When(condition, inner) => self.compares(condition) || self.compares_when(inner),
            Effect::ForAll(_, inner) => self.compares_when(inner),
            Effect::Add(_) | Effect::Delete(_) | Effect::Numeric(_) => false,
        }
    }

    fn changes(&self, effect: &Effect) -> bool {
        match effect {
            Effect::And(parts) => parts.iter().any(|part| self.changes(part)),
            Effect::When(_, inner) | Effect::ForAll(_, inner) => self.changes(inner),
            Effect::Numeric(numeric) => Some(numeric.target.symbol) == self.value,
            Effect::Add(_) | Effect::Delete(_) => false,
        }
    }
}

/// The inputs of a domain by action, as a certificate states them.
pub(super) fn of_domain(domain: &Domain) -> Result<BTreeMap<String, Vec<String>>, String> {
    let mut found = BTreeMap::new();
    for (name, action) in domain.actions.iter() {
        let InputsOfAction { slots, value } = InputsOfAction::of(domain, action)?;
        let Some(value) = value else { continue };
        let value = domain.signature.functions.name(value.index());
        let parameter = |slot: &u32| &action.parameters[*slot as usize].name;
        let values: Vec<String> =
            slots.iter().map(|slot| format!("({value} ?{})", parameter(slot))).collect();
        if !values.is_empty() {
            found.insert(name.to_ascii_lowercase(), values);
        }
    }
    Ok(found)
}

/// The function that is the value of chosen numbers: the one over their type.
pub(super) fn value_of_inputs(domain: &Domain) -> Option<usize> {
    let Signature { types, functions, .. } = &domain.signature;
    let chosen = types.find(CHOSEN_NUMBER)?;
    functions.iter().position(|(_, symbol)| match &symbol.parameters[..] {
        [only] => only.types.admits(types, chosen),
        _ => false,
    })
}
