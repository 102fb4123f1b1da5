//! The error functions of a domain, which bound how far the values of others may be from the true
//! ones: by name, so that they survive being written and read. What they are for is in
//! [`margins`](crate::margins).

use std::collections::BTreeMap;
use std::fmt;

use super::expression::{LiftedFunction, Variable};
use super::ids::FunctionId;
use super::signature::Signature;

/// Which functions of a domain bound the errors of which others: the error function of `f` is named
/// `error-of-f` and has the parameters of `f`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ErrorFunctions {
    by_function: BTreeMap<FunctionId, FunctionId>,
}

/// A domain has a name that an error function needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameTaken {
    /// The name, as the domain spells it.
    pub name: String,
}

impl fmt::Display for NameTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = ErrorFunctions::PREFIX;
        write!(
            f,
            "the domain has `{}` already: names that start with `{prefix}` are for the errors of \
             functions; rename it in the domain and \
             in the records",
            self.name
        )
    }
}

impl std::error::Error for NameTaken {}

impl ErrorFunctions {
    /// What the name of an error function starts with; the name of its function follows.
    pub const PREFIX: &'static str = "error-of-";

    /// The function of a signature that an error function of this name belongs to.
    pub fn named<'s>(signature: &'s Signature, name: &str) -> Option<&'s str> {
        let functions = &signature.functions;
        Some(functions.name(functions.find(named(name)?)?))
    }

    /// The error functions that a signature declares.
    pub fn of(signature: &Signature) -> Self {
        let functions = &signature.functions;
        let mut by_function = BTreeMap::new();
        for (index, (name, symbol)) in functions.iter().enumerate() {
            if let Some(of) = named(name).and_then(|of| functions.find(of))
                && same_types(&functions.value(of).parameters, &symbol.parameters)
            {
                by_function.insert(FunctionId::from(of), FunctionId::from(index));
            }
        }
        // An error has no error of its own.
        let errors: Vec<FunctionId> = by_function.values().copied().collect();
        by_function.retain(|function, _| !errors.contains(function));
        ErrorFunctions { by_function }
    }

    /// Declares an error function for each of these functions, after all others, in the order of
    /// their ids: the ids of others stay. Refuses a signature that has such a name already, and
    /// leaves it as it is.
    pub fn declare(
        signature: &mut Signature,
        functions: impl IntoIterator<Item = FunctionId>,
    ) -> Result<Self, NameTaken> {
        let known = Self::of(signature);
        if let Some(taken) = known.by_function.values().next() {
            return Err(NameTaken { name: signature.functions.name(taken.index()).to_owned() });
        }
        let mut declared = signature.functions.clone();
        let mut functions: Vec<FunctionId> = functions.into_iter().collect();
        functions.sort_unstable();
        functions.dedup();
        let mut by_function = BTreeMap::new();
        for function in functions {
            let name = format!("{}{}", Self::PREFIX, declared.name(function.index()));
            if let Some(predicate) = signature.predicates.find(&name) {
                return Err(NameTaken { name: signature.predicates.name(predicate).to_owned() });
            }
            match declared.insert(&name, signature.function(function).clone()) {
                Ok(new) => by_function.insert(function, FunctionId::from(new)),
                Err(taken) => return Err(NameTaken { name: declared.name(taken).to_owned() }),
            };
        }
        signature.functions = declared;
        Ok(ErrorFunctions { by_function })
    }

    /// The error function of a function; `None` for one that is exact.
    pub fn get(&self, function: FunctionId) -> Option<FunctionId> {
        self.by_function.get(&function).copied()
    }

    /// The error of a function applied to terms; `None` for one that is exact.
    pub fn error(&self, function: &LiftedFunction) -> Option<LiftedFunction> {
        Some(LiftedFunction { symbol: self.get(function.symbol)?, terms: function.terms.clone() })
    }

    /// The function whose error this one bounds.
    pub fn function_of(&self, error: FunctionId) -> Option<FunctionId> {
        self.iter().find(|(_, of)| *of == error).map(|(function, _)| function)
    }

    /// Whether this function bounds the error of another.
    pub fn is_error(&self, function: FunctionId) -> bool {
        self.function_of(function).is_some()
    }

    /// Blurred functions with their error functions, by ascending id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (FunctionId, FunctionId)> + '_ {
        self.by_function.iter().map(|(function, error)| (*function, *error))
    }

    /// Whether all functions are exact.
    pub fn is_empty(&self) -> bool {
        self.by_function.is_empty()
    }
}

/// What follows the prefix, in any letter case.
fn named(name: &str) -> Option<&str> {
    let (prefix, rest) = name.split_at_checked(ErrorFunctions::PREFIX.len())?;
    prefix.eq_ignore_ascii_case(ErrorFunctions::PREFIX).then_some(rest)
}

fn same_types(one: &[Variable], other: &[Variable]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.types == other.types)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pddl::{Source, read_domain};

    fn signature(functions: &str) -> Signature {
        let text = format!(
            "(define (domain d) (:types t) (:predicates (error-of-p)) (:functions {functions}))"
        );
        read_domain(&Source::new("d", text)).unwrap().signature
    }

    #[test]
    fn errors_are_found_by_name_and_parameters() {
        let found = ErrorFunctions::of(&signature(
            "(f ?x - t) (ERROR-of-F ?y - t) (g) (error-of-g ?x - t) (error-of-h)",
        ));
        assert_eq!(found.iter().collect::<Vec<_>>(), [(FunctionId(0), FunctionId(1))]);
        assert!(found.is_error(FunctionId(1)) && !found.is_error(FunctionId(0)));
        let nested = ErrorFunctions::of(&signature("(f) (error-of-f) (error-of-error-of-f)"));
        assert_eq!(nested.iter().collect::<Vec<_>>(), [(FunctionId(0), FunctionId(1))]);
    }

    #[test]
    fn what_is_declared_is_found_and_other_ids_stay() {
        let mut extended = signature("(f ?x - t) (g) (h)");
        let before = extended.clone();
        let declared =
            ErrorFunctions::declare(&mut extended, [FunctionId(2), FunctionId(0)]).unwrap();
        assert_eq!(declared, ErrorFunctions::of(&extended));
        assert_eq!(
            declared.iter().collect::<Vec<_>>(),
            [(FunctionId(0), FunctionId(3)), (FunctionId(2), FunctionId(4))]
        );
        assert!(before.functions.iter().eq(extended.functions.iter().take(3)));
        assert!(ErrorFunctions::declare(&mut extended, [FunctionId(1)]).is_err());
    }

    #[test]
    fn a_taken_name_is_refused_and_nothing_changes() {
        for (functions, taken) in [
            ("(f) (Error-Of-F ?x - t)", "Error-Of-F"),
            ("(p)", "error-of-p"),
            ("(p) (g) (error-of-g)", "error-of-g"),
        ] {
            let mut given = signature(functions);
            let before = given.clone();
            let error = ErrorFunctions::declare(&mut given, [FunctionId(0)]).unwrap_err();
            assert_eq!((&*error.name, &given), (taken, &before));
            assert!(error.to_string().contains(taken), "{error}");
        }
    }
}
