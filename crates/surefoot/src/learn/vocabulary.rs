//! L(α) and X(α): the literals and functions whose arguments are parameters of an action α, or constants of the domain; and the
//! columns, the monomials over X(α) that numeric conditions and effects are linear in.
//!
//! As in the paper, no parameter is used twice in one atom, and a parameter may stand where its types are among those
//! declared there. Beyond it, equality between two parameters is a literal like any other (theory, section 6).

use crate::exact::Rational;
use crate::model::{
    ActionId, Domain, Expression, FunctionId, Lifted, LiftedAtom, LiftedFunction, Names, ObjectId, PredicateId, Symbol, Term,
    TypeSet,
};

/// What the model of one action may mention. All lists are in the order of declaration, then of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// How many parameters the action has.
    pub parameters: usize,
    /// The atoms; each gives two parameter-bound literals, itself and its negation.
    pub atoms: Vec<LiftedAtom>,
    /// The pairs that may stand for one object: two parameters, or a parameter and a constant.
    pub equalities: Vec<(Term, Term)>,
    /// The parameter-bound functions.
    pub functions: Vec<LiftedFunction>,
    /// What numeric conditions and effects are linear in.
    pub columns: Vec<Monomial>,
}

/// A product of functions of a [`Vocabulary`], by index, ascending; a factor may repeat.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Monomial(pub Vec<usize>);

/// Which monomials are columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Degree {
    /// The most factors.
    pub degree: u32,
    /// Whether a factor may repeat. A class with squares can refute almost nothing between two observed values.
    pub squares: bool,
}

impl Degree {
    /// The functions themselves.
    pub const LINEAR: Degree = Degree { degree: 1, squares: false };
}

/// More columns than this are refused: a learner's state grows with their square.
pub const MAX_COLUMNS: usize = 2000;

impl Vocabulary {
    /// The vocabulary of an action, with all monomials of a degree as columns; `None` when these are more than
    /// [`MAX_COLUMNS`].
    pub fn of(domain: &Domain, action: ActionId, degree: Degree) -> Option<Self> {
        let parameters = domain.action(action).parameters.len();
        let functions = applications(domain, action, &domain.signature.functions, FunctionId::from);
        Some(Vocabulary {
            parameters,
            atoms: applications(domain, action, &domain.signature.predicates, PredicateId::from),
            equalities: equalities(domain, action),
            columns: monomials(functions.len(), degree)?,
            functions,
        })
    }

    /// The value of a column, given those of the functions; `None` where a factor has none.
    pub fn column_value(&self, column: usize, values: &[Option<Rational>]) -> Option<Rational> {
        match &self.columns[column].0[..] {
            [only] => values[*only].clone(),
            factors => factors.iter().try_fold(Rational::ONE, |product, &factor| Some(&product * values[factor].as_ref()?)),
        }
    }

    /// A column as an expression.
    pub fn column_expression(&self, column: usize) -> Expression {
        self.expression(&self.columns[column])
    }

    /// A monomial as an expression.
    pub fn expression(&self, monomial: &Monomial) -> Expression {
        let mut factors = monomial.0.iter().map(|&function| Expression::Function(self.functions[function].clone()));
        match (factors.len(), factors.next()) {
            (1, Some(only)) => only,
            (_, first) => Expression::Product(first.into_iter().chain(factors).collect()),
        }
    }

    /// The monomial that an expression is: a function, or a product of functions.
    pub fn monomial(&self, expression: &Expression) -> Option<Monomial> {
        let mut factors = match expression {
            Expression::Function(function) => vec![self.functions.iter().position(|known| known == function)?],
            Expression::Product(factors) => factors
                .iter()
                .map(|factor| self.monomial(factor))
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .flat_map(|m| m.0)
                .collect(),
            _ => return None,
        };
        factors.sort_unstable();
        Some(Monomial(factors))
    }

    /// The column that is this function alone.
    pub fn column_of(&self, function: usize) -> Option<usize> {
        self.columns.iter().position(|monomial| monomial.0 == [function])
    }

    /// The equalities under which two atoms, or two functions, are the same ground one; `None` when they never are.
    pub fn unifier<S: PartialEq>(&self, one: &Lifted<S>, other: &Lifted<S>) -> Option<Vec<usize>> {
        if one.symbol != other.symbol {
            return None;
        }
        let mut needed = Vec::new();
        for (&left, &right) in one.terms.iter().zip(&other.terms) {
            if left != right {
                let pair = if left <= right { (left, right) } else { (right, left) };
                needed.push(self.equalities.iter().position(|&equality| equality == pair)?);
            }
        }
        needed.sort_unstable();
        needed.dedup();
        Some(needed)
    }
}

/// How many monomials of degree 1 to `degree` there are over `functions` functions, squares and higher powers included; `None`
/// when the number does not fit.
pub fn count_monomials(functions: usize, degree: u32) -> Option<u64> {
    // Multisets of at most `degree` functions, but the empty one: C(n + degree, degree) - 1.
    let mut count: u128 = 1;
    for step in 1..=u128::from(degree) {
        count = count.checked_mul(functions as u128 + step)? / step;
    }
    u64::try_from(count - 1).ok()
}

/// By degree, then lexicographically.
fn monomials(functions: usize, Degree { degree, squares }: Degree) -> Option<Vec<Monomial>> {
    let mut all: Vec<Monomial> = Vec::new();
    let mut last: Vec<Monomial> = vec![Monomial(Vec::new())];
    for _ in 0..degree {
        let mut next = Vec::new();
        for Monomial(factors) in &last {
            let from = factors.last().map_or(0, |&top| if squares { top } else { top + 1 });
            for factor in from..functions {
                next.push(Monomial(factors.iter().copied().chain([factor]).collect()));
                if all.len() + next.len() > MAX_COLUMNS {
                    return None;
                }
            }
        }
        if next.is_empty() {
            break;
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    Some(all)
}

/// Terms are ordered: variables by slot, then constants; the first of a pair is always a variable.
fn equalities(domain: &Domain, action: ActionId) -> Vec<(Term, Term)> {
    let signature = &domain.signature;
    let parameters = &domain.action(action).parameters;
    let mut pairs = Vec::new();
    for (slot, parameter) in parameters.iter().enumerate() {
        let left = Term::Variable(slot as u32);
        for (other, later) in parameters.iter().enumerate().skip(slot + 1) {
            if parameter.types.meets(&signature.types, &later.types) {
                pairs.push((left, Term::Variable(other as u32)));
            }
        }
        pairs.extend(signature.constants.of(&signature.types, &parameter.types).map(|constant| (left, Term::Object(constant))));
    }
    pairs
}

fn applications<S: Copy>(domain: &Domain, action: ActionId, symbols: &Names<Symbol>, id: fn(usize) -> S) -> Vec<Lifted<S>> {
    let mut found = Vec::new();
    for (index, (_, symbol)) in symbols.iter().enumerate() {
        let candidates: Vec<Vec<Term>> =
            symbol.parameters.iter().map(|parameter| candidates(domain, action, &parameter.types)).collect();
        extend(&candidates, &mut Vec::new(), &mut |terms| found.push(Lifted { symbol: id(index), terms: terms.to_vec() }));
    }
    found
}

/// The terms that fit one place: parameters in order, then constants.
fn candidates(domain: &Domain, action: ActionId, types: &TypeSet) -> Vec<Term> {
    let signature = &domain.signature;
    let parameters = domain.action(action).parameters.iter().enumerate();
    let fitting = parameters.filter(|(_, parameter)| types.contains(&signature.types, &parameter.types));
    let constants = signature.constants.of(&signature.types, types).map(|constant: ObjectId| Term::Object(constant));
    fitting.map(|(slot, _)| Term::Variable(slot as u32)).chain(constants).collect()
}

fn extend(candidates: &[Vec<Term>], chosen: &mut Vec<Term>, visit: &mut impl FnMut(&[Term])) {
    let Some(place) = candidates.get(chosen.len()) else { return visit(chosen) };
    for &term in place {
        let repeated = matches!(term, Term::Variable(_)) && chosen.contains(&term);
        if !repeated {
            chosen.push(term);
            extend(candidates, chosen, visit);
            chosen.pop();
        }
    }
}
