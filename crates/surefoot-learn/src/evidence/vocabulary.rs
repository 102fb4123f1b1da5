//! L(α) and X(α): the literals and functions whose arguments are parameters of an action α, or
//! constants of the domain; and the columns, the monomials over X(α) that numeric conditions and
//! effects are linear in.
//!
//! As in the paper, no parameter is used twice in one atom, and a parameter may stand where its
//! types are among those declared there, which is the rule of the reader too. Beyond it, equality
//! between two parameters is a literal like any other (docs/theory.md, "One object for several
//! parameters").

use std::collections::BTreeMap;

use surefoot_base::exact::Rational;
use surefoot_base::ids::IdVec;
use surefoot_base::model::{
    ActionId, Domain, Expression, FunctionId, Lifted, LiftedAtom, LiftedFunction, Names, ObjectId,
    PredicateId, Symbol, Term, TypeSet,
};

use super::binding::Pattern;
use super::ids::{ColumnId, EqualityId, LiftedAtomId, LiftedFunctionId};

/// What the model of one action may mention. All lists are in the order of declaration, then of the
/// parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// How many parameters the action has.
    pub parameters: usize,
    /// The atoms; each gives two parameter-bound literals, itself and its negation.
    pub atoms: IdVec<LiftedAtomId, LiftedAtom>,
    /// By parameter: whether it is an input.
    pub inputs: Vec<bool>,
    /// The value of inputs; no step changes it.
    pub value_of_inputs: Option<FunctionId>,
    /// The pairs that may stand for one object: two parameters, or a parameter and a constant.
    /// Inputs are in no pair.
    pub equalities: IdVec<EqualityId, (Term, Term)>,
    /// The functions whose arguments are parameters or constants.
    pub functions: IdVec<LiftedFunctionId, LiftedFunction>,
    /// What numeric conditions and effects are linear in.
    pub columns: IdVec<ColumnId, Monomial>,
    /// By function: the column that is this function alone.
    own: IdVec<LiftedFunctionId, Option<ColumnId>>,
    /// By function: how far recorded values may be from the true ones.
    errors: IdVec<LiftedFunctionId, Rational>,
}

/// A product of functions of a [`Vocabulary`], ascending; a factor may repeat.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Monomial(pub Vec<LiftedFunctionId>);

/// Which monomials are columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Degree {
    /// The largest number of factors.
    pub degree: u32,
    /// Whether a factor may repeat. A class with squares can refute almost nothing between two
    /// observed values.
    pub squares: bool,
}

impl Degree {
    /// Single functions, without products.
    pub const LINEAR: Degree = Degree { degree: 1, squares: false };
}

/// More columns than this are refused: a learner's state grows with their square.
pub const MAX_COLUMNS: usize = 2000;

/// More atoms than this are refused: a model lists most of them.
pub const MAX_ATOMS: usize = 200_000;

/// Why an action has no vocabulary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TooLarge {
    /// Too many ways to apply the predicates to the parameters and constants.
    #[error("more than {MAX_ATOMS} atoms")]
    Atoms,
    /// Too many functions, or products of functions.
    #[error("more than {MAX_COLUMNS} functions and products of functions")]
    Columns,
}

impl Vocabulary {
    /// The vocabulary of an action, with all monomials of a degree as columns.
    pub fn of(domain: &Domain, action: ActionId, degree: Degree) -> Result<Self, TooLarge> {
        let functions = Self::functions_of(domain, action)?;
        let columns =
            monomials(&functions.ids().collect::<Vec<_>>(), degree).ok_or(TooLarge::Columns)?;
        Self::with_columns(domain, action, functions, columns)
    }

    /// The vocabulary of an action for which only some functions and products matter. A listed
    /// function admits every product up to the degree whose factors are all listed functions; a
    /// listed product admits only itself.
    pub fn with_relevant(
        domain: &Domain,
        action: ActionId,
        degree: Degree,
        listed: &[Monomial],
    ) -> Result<Self, TooLarge> {
        let functions = Self::functions_of(domain, action)?;
        let mut alone: Vec<LiftedFunctionId> = listed
            .iter()
            .filter(|monomial| monomial.0.len() == 1)
            .map(|monomial| monomial.0[0])
            .collect();
        alone.sort_unstable();
        alone.dedup();
        let mut columns = monomials(&alone, degree).ok_or(TooLarge::Columns)?;
        columns.extend(listed.iter().cloned());
        columns.sort_by(|one, other| (one.0.len(), one).cmp(&(other.0.len(), other)));
        columns.dedup();
        if columns.len() > MAX_COLUMNS {
            return Err(TooLarge::Columns);
        }
        Self::with_columns(domain, action, functions, columns)
    }

    /// The functions whose arguments are parameters of an action, or constants.
    pub fn functions_of(
        domain: &Domain,
        action: ActionId,
    ) -> Result<IdVec<LiftedFunctionId, LiftedFunction>, TooLarge> {
        let functions = applications(
            domain,
            action,
            &domain.signature.functions,
            FunctionId::from,
            MAX_COLUMNS,
        );
        functions.map(IdVec::from).ok_or(TooLarge::Columns)
    }

    fn with_columns(
        domain: &Domain,
        action: ActionId,
        functions: IdVec<LiftedFunctionId, LiftedFunction>,
        columns: Vec<Monomial>,
    ) -> Result<Self, TooLarge> {
        let predicates = &domain.signature.predicates;
        let atoms = applications(domain, action, predicates, PredicateId::from, MAX_ATOMS)
            .ok_or(TooLarge::Atoms)?;
        let columns: IdVec<ColumnId, Monomial> = columns.into();
        let mut own: IdVec<LiftedFunctionId, Option<ColumnId>> =
            IdVec::filled(None, functions.len());
        for (column, monomial) in columns.pairs() {
            if let [function] = monomial.0[..] {
                own[function] = Some(column);
            }
        }
        let parameters = domain.action(action).parameters.len();
        let errors = IdVec::filled(Rational::ZERO, functions.len());
        let inputs = domain.input_slots(action);
        Ok(Vocabulary {
            parameters,
            atoms: atoms.into(),
            equalities: equalities(domain, action, &inputs),
            inputs,
            value_of_inputs: domain.inputs().ok().flatten().map(|inputs| inputs.value),
            functions,
            columns,
            own,
            errors,
        })
    }

    /// Adds the errors of recorded values, by function; the values of other functions are exact.
    pub fn with_errors(mut self, errors: &BTreeMap<FunctionId, Rational>) -> Self {
        let found = self.functions.iter().map(|function| errors.get(&function.symbol).cloned());
        self.errors = found.map(|error| error.unwrap_or(Rational::ZERO)).collect();
        self
    }

    /// How far recorded values of a function may be from the true ones.
    pub fn error(&self, function: LiftedFunctionId) -> &Rational {
        &self.errors[function]
    }

    /// How far recorded values of a column may be from the true ones. Columns that are products
    /// have exact factors.
    pub fn column_error(&self, column: ColumnId) -> Rational {
        match self.columns[column].0[..] {
            [function] => self.errors[function].clone(),
            _ => Rational::ZERO,
        }
    }

    /// Whether no two functions alias under a binding.
    pub fn is_plain(&self, pattern: &Pattern) -> bool {
        pattern.classes(&self.functions).iter().all(|class| class.len() == 1)
    }

    /// Whether recorded values of some function may be off.
    pub fn is_inexact(&self) -> bool {
        self.errors.iter().any(|error| !error.is_zero())
    }

    /// The value of a column, given those of the functions; `None` where a factor has none.
    pub fn column_value(
        &self,
        column: ColumnId,
        values: &IdVec<LiftedFunctionId, Option<Rational>>,
    ) -> Option<Rational> {
        match &self.columns[column].0[..] {
            [only] => values[*only].clone(),
            factors => factors.iter().try_fold(Rational::ONE, |product, &factor| {
                Some(&product * values[factor].as_ref()?)
            }),
        }
    }

    /// A column as an expression.
    pub fn column_expression(&self, column: ColumnId) -> Expression {
        self.expression(&self.columns[column])
    }

    /// The functions that a column is the product of.
    pub fn factors(&self, column: ColumnId) -> impl Iterator<Item = &LiftedFunction> {
        self.columns[column].0.iter().map(|&function| &self.functions[function])
    }

    /// A monomial as an expression.
    pub fn expression(&self, monomial: &Monomial) -> Expression {
        let mut factors = monomial
            .0
            .iter()
            .map(|&function| Expression::Function(self.functions[function].clone()));
        match (factors.len(), factors.next()) {
            (1, Some(only)) => only,
            (_, first) => Expression::Product(first.into_iter().chain(factors).collect()),
        }
    }

    /// The monomial that an expression is: a function, or a product of functions.
    pub fn monomial(&self, expression: &Expression) -> Option<Monomial> {
        monomial_of(&self.functions, expression)
    }

    /// The column that is this function alone.
    pub fn column_of(&self, function: LiftedFunctionId) -> Option<ColumnId> {
        self.own[function]
    }

    /// The equalities under which two atoms, or two functions, are the same ground one; `None` when
    /// they never are.
    pub fn unifier<S: PartialEq>(
        &self,
        one: &Lifted<S>,
        other: &Lifted<S>,
    ) -> Option<Vec<EqualityId>> {
        if one.symbol != other.symbol {
            return None;
        }
        let mut needed = Vec::new();
        for (&left, &right) in one.terms.iter().zip(&other.terms) {
            if left != right {
                let pair = if left <= right { (left, right) } else { (right, left) };
                needed.push(self.equalities.pairs().find(|&(_, &equality)| equality == pair)?.0);
            }
        }
        needed.sort_unstable();
        needed.dedup();
        Some(needed)
    }
}

/// The monomial over some functions that an expression is: a function, or a product of functions.
fn monomial_of(
    functions: &IdVec<LiftedFunctionId, LiftedFunction>,
    expression: &Expression,
) -> Option<Monomial> {
    let mut factors = match expression {
        Expression::Function(function) => {
            vec![functions.pairs().find(|&(_, known)| known == function)?.0]
        }
        Expression::Product(factors) => {
            let parts: Option<Vec<Monomial>> =
                factors.iter().map(|factor| monomial_of(functions, factor)).collect();
            parts?.into_iter().flat_map(|part| part.0).collect()
        }
        _ => return None,
    };
    factors.sort_unstable();
    Some(Monomial(factors))
}

/// How many monomials of degree 1 to `degree` there are over `functions` functions, squares and
/// higher powers included; `None` when the number does not fit.
pub fn count_monomials(functions: usize, degree: u32) -> Option<u64> {
    // Multisets of at most `degree` functions, but the empty one: C(n + degree, degree) - 1.
    let mut count: u128 = 1;
    for step in 1..=u128::from(degree) {
        count = count.checked_mul(functions as u128 + step)? / step;
    }
    u64::try_from(count - 1).ok()
}

/// All products of some functions, by degree, then lexicographically.
fn monomials(
    functions: &[LiftedFunctionId],
    Degree { degree, squares }: Degree,
) -> Option<Vec<Monomial>> {
    let mut all: Vec<Monomial> = Vec::new();
    // Products by place in the list, so that "the same or a later one" is a comparison.
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..degree {
        let mut next: Vec<Vec<usize>> = Vec::new();
        for places in &last {
            let from = places.last().map_or(0, |&top| if squares { top } else { top + 1 });
            for place in from..functions.len() {
                next.push(places.iter().copied().chain([place]).collect());
                if all.len() + next.len() > MAX_COLUMNS {
                    return None;
                }
            }
        }
        if next.is_empty() {
            break;
        }
        all.extend(
            next.iter()
                .map(|places| Monomial(places.iter().map(|&place| functions[place]).collect())),
        );
        last = next;
    }
    Some(all)
}

/// Terms are ordered: variables by slot, then constants; the first of a pair is always a variable.
fn equalities(
    domain: &Domain,
    action: ActionId,
    inputs: &[bool],
) -> IdVec<EqualityId, (Term, Term)> {
    let signature = &domain.signature;
    let parameters = &domain.action(action).parameters;
    let mut pairs = Vec::new();
    for (slot, parameter) in parameters.iter().enumerate().filter(|(slot, _)| !inputs[*slot]) {
        let left = Term::Variable(slot as u32);
        for (other, later) in parameters.iter().enumerate().skip(slot + 1) {
            if parameter.types.meets(&signature.types, &later.types) {
                pairs.push((left, Term::Variable(other as u32)));
            }
        }
        pairs.extend(
            signature
                .constants
                .of(&signature.types, &parameter.types)
                .map(|constant| (left, Term::Object(constant))),
        );
    }
    pairs.into()
}

/// All applications; `None` when there are more than `most`.
fn applications<S: Copy>(
    domain: &Domain,
    action: ActionId,
    symbols: &Names<Symbol>,
    id: fn(usize) -> S,
    most: usize,
) -> Option<Vec<Lifted<S>>> {
    let mut found = Vec::new();
    for (index, (_, symbol)) in symbols.iter().enumerate() {
        let candidates: Vec<Vec<Term>> = symbol
            .parameters
            .iter()
            .map(|parameter| candidates(domain, action, &parameter.types))
            .collect();
        if candidates.iter().any(Vec::is_empty) {
            continue;
        }
        let complete = extend(&candidates, &mut Vec::new(), &mut |terms| {
            found.push(Lifted { symbol: id(index), terms: terms.to_vec() });
            found.len() <= most
        });
        if !complete {
            return None;
        }
    }
    Some(found)
}

/// The terms that fit one place: parameters in order, then constants.
fn candidates(domain: &Domain, action: ActionId, types: &TypeSet) -> Vec<Term> {
    let signature = &domain.signature;
    let parameters = domain.action(action).parameters.iter().enumerate();
    let fitting =
        parameters.filter(|(_, parameter)| types.contains(&signature.types, &parameter.types));
    let constants = signature
        .constants
        .of(&signature.types, types)
        .map(|constant: ObjectId| Term::Object(constant));
    fitting.map(|(slot, _)| Term::Variable(slot as u32)).chain(constants).collect()
}

/// Visits all choices without a repeated variable, until `visit` returns false; whether it never
/// did.
fn extend(
    candidates: &[Vec<Term>],
    chosen: &mut Vec<Term>,
    visit: &mut impl FnMut(&[Term]) -> bool,
) -> bool {
    let Some(place) = candidates.get(chosen.len()) else { return visit(chosen) };
    for &term in place {
        let repeated = matches!(term, Term::Variable(_)) && chosen.contains(&term);
        if !repeated {
            chosen.push(term);
            let go_on = extend(candidates, chosen, visit);
            chosen.pop();
            if !go_on {
                return false;
            }
        }
    }
    true
}
