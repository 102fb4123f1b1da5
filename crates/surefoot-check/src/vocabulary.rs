//! L(α), X(α) and the columns of the class, enumerated once more: what conditions and effects of an
//! action may mention. And polynomials over X(α).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use super::inputs::InputsOfAction;
use super::linear::NumberRow;
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::BITS;
use surefoot_base::model::{
    Action, Domain, Expression, FunctionId, Lifted, LiftedAtom, LiftedFunction, Names, PredicateId,
    Signature, Symbol, Term, TypeSet, Variable,
};

/// What the model of an action may mention.
pub(super) struct ActionVocabulary {
    pub(super) parameters: usize,
    /// Its parameters that are chosen numbers.
    pub(super) inputs: InputsOfAction,
    pub(super) atoms: Vec<LiftedAtom>,
    /// Pairs of terms that may be one object.
    pub(super) pairs: Vec<(Term, Term)>,
    pub(super) functions: Vec<LiftedFunction>,
    atom_numbers: HashMap<LiftedAtom, usize>,
    function_numbers: HashMap<LiftedFunction, usize>,
}

/// More than anybody learns from; keeps constants to the power of places from filling memory.
const MAX_ATOMS: usize = 1_000_000;
const MAX_FUNCTIONS: usize = 2_000;
/// More columns than this are never learned.
pub(super) const MAX_COLUMNS: usize = 2_000;

impl ActionVocabulary {
    /// `Err` with what there is too much of.
    pub(super) fn of(domain: &Domain, action: &Action) -> Result<Self, String> {
        let signature = &domain.signature;
        let inputs = InputsOfAction::of(domain, action)?;
        let mut pairs = Vec::new();
        for (left, parameter) in parameters(action).filter(|(left, _)| !inputs.has(*left)) {
            let later = parameters(action).filter(|(right, other)| {
                left < *right
                    && !inputs.has(*right)
                    && parameter.types.meets(&signature.types, &other.types)
            });
            pairs.extend(later.map(|(right, _)| (left, right)));
            pairs.extend(constants(signature, &parameter.types).map(|constant| (left, constant)));
        }
        let terms = ActionTerms { signature, action };
        let atoms = terms
            .applications(&signature.predicates, PredicateId::from, MAX_ATOMS)
            .ok_or_else(|| format!("it could mention more than {MAX_ATOMS} atoms"))?;
        let functions =
            terms
                .applications(&signature.functions, FunctionId::from, MAX_FUNCTIONS)
                .ok_or_else(|| format!("it could mention more than {MAX_FUNCTIONS} functions"))?;
        Ok(ActionVocabulary {
            parameters: action.parameters.len(),
            inputs,
            atom_numbers: numbers(&atoms),
            function_numbers: numbers(&functions),
            atoms,
            pairs,
            functions,
        })
    }

    pub(super) fn atom(&self, atom: &LiftedAtom) -> Option<usize> {
        self.atom_numbers.get(atom).copied()
    }

    pub(super) fn function(&self, function: &LiftedFunction) -> Option<usize> {
        self.function_numbers.get(function).copied()
    }

    /// The columns of the class: all products of at most `degree` functions (which may repeat with
    /// `squares`), or, where relevant products are listed, those of functions listed alone, and
    /// each listed product. `None` when they are too many.
    pub(super) fn columns(
        &self,
        degree: u32,
        squares: bool,
        relevant: Option<&[FunctionProduct]>,
    ) -> Option<Vec<FunctionProduct>> {
        let columns = match relevant {
            None => products(&(0..self.functions.len()).collect::<Vec<_>>(), degree, squares)?,
            Some(listed) => {
                let alone: BTreeSet<usize> = listed
                    .iter()
                    .filter(|product| product.len() == 1)
                    .flat_map(|product| product.iter().copied())
                    .collect();
                let mut all = products(&alone.into_iter().collect::<Vec<_>>(), degree, squares)?;
                all.extend(listed.iter().cloned());
                all.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
                all.dedup();
                all
            }
        };
        (columns.len() <= MAX_COLUMNS).then_some(columns)
    }

    /// An expression as a polynomial over the functions; `None` where it is none, or too large to
    /// be one of ours.
    pub(super) fn polynomial(&self, expression: &Expression) -> Option<FunctionPolynomial> {
        match expression {
            Expression::Number(number) => Some(FunctionPolynomial::constant(number.clone())),
            Expression::Function(function) => {
                Some(FunctionPolynomial::of(self.function(function)?))
            }
            Expression::Sum(terms) => {
                terms.iter().try_fold(FunctionPolynomial::default(), |sum, term| {
                    Some(sum.plus(&self.polynomial(term)?))
                })
            }
            Expression::Product(factors) => factors
                .iter()
                .try_fold(FunctionPolynomial::constant(Rational::ONE), |product, factor| {
                    product.times(&self.polynomial(factor)?)
                }),
            Expression::Difference(sides) => {
                Some(self.polynomial(&sides[0])?.minus(&self.polynomial(&sides[1])?))
            }
            Expression::Negation(inner) => {
                Some(FunctionPolynomial::default().minus(&self.polynomial(inner)?))
            }
            Expression::Quotient(sides) => {
                self.polynomial(&sides[0])?.times(&self.polynomial(&sides[1])?.inverse()?)
            }
            Expression::TotalTime => None,
        }
    }

    /// One expression less another, as a row; `None` where it is not linear over these columns.
    pub(super) fn difference(
        &self,
        one: &Expression,
        other: &Expression,
        columns: &RowColumns,
    ) -> Option<NumberRow> {
        self.polynomial(one)?.minus(&self.polynomial(other)?).row(columns)
    }
}

/// The parameters of an action, as terms.
fn parameters(action: &Action) -> impl Iterator<Item = (Term, &Variable)> {
    action
        .parameters
        .iter()
        .enumerate()
        .map(|(slot, parameter)| (Term::Variable(slot as u32), parameter))
}

/// The constants of some types.
fn constants(signature: &Signature, types: &TypeSet) -> impl Iterator<Item = Term> {
    let fitting = signature
        .constants
        .ids()
        .filter(|id| types.admits(&signature.types, signature.constants.type_of(*id)));
    fitting.map(Term::Object)
}

fn numbers<T: Clone + Eq + Hash>(all: &[T]) -> HashMap<T, usize> {
    all.iter().cloned().zip(0..).collect()
}

/// The terms of an action: its parameters and the constants.
struct ActionTerms<'d> {
    signature: &'d Signature,
    action: &'d Action,
}

impl ActionTerms<'_> {
    /// Those that are always of some types.
    fn of(&self, types: &TypeSet) -> Vec<Term> {
        let fitting = parameters(self.action)
            .filter(|(_, parameter)| types.contains(&self.signature.types, &parameter.types));
        fitting.map(|(term, _)| term).chain(constants(self.signature, types)).collect()
    }

    /// Each symbol applied to all fitting terms; `None` when there are more than a limit.
    fn applications<S: Copy>(
        &self,
        symbols: &Names<Symbol>,
        id: impl Fn(usize) -> S,
        limit: usize,
    ) -> Option<Vec<Lifted<S>>> {
        let mut all = Vec::new();
        for (index, (_, symbol)) in symbols.iter().enumerate() {
            let mut tuples: Vec<Vec<Term>> = vec![Vec::new()];
            for place in &symbol.parameters {
                let candidates = self.of(&place.types);
                let mut longer: Vec<Vec<Term>> = Vec::new();
                for tuple in &tuples {
                    // No parameter stands twice in one atom.
                    let free = candidates
                        .iter()
                        .filter(|term| matches!(term, Term::Object(_)) || !tuple.contains(term));
                    longer.extend(
                        free.map(|term| tuple.iter().chain([term]).copied().collect::<Vec<Term>>()),
                    );
                    if longer.len() > limit {
                        return None;
                    }
                }
                tuples = longer;
            }
            all.extend(tuples.into_iter().map(|terms| Lifted { symbol: id(index), terms }));
            if all.len() > limit {
                return None;
            }
        }
        Some(all)
    }
}

/// All products of at most `degree` of some functions, by their number of factors, then in order;
/// `None` when they are too many.
fn products(among: &[usize], degree: u32, squares: bool) -> Option<Vec<FunctionProduct>> {
    let mut all: Vec<FunctionProduct> = Vec::new();
    let mut last: Vec<(usize, FunctionProduct)> = vec![(0, Vec::new())];
    for _ in 0..degree {
        let mut next = Vec::new();
        for (from, product) in &last {
            for (at, &factor) in among.iter().enumerate().skip(*from) {
                let longer: FunctionProduct = product.iter().copied().chain([factor]).collect();
                next.push((if squares { at } else { at + 1 }, longer));
                if all.len() + next.len() > MAX_COLUMNS {
                    return None;
                }
            }
        }
        if next.is_empty() {
            break;
        }
        all.extend(next.iter().map(|(_, product)| product.clone()));
        last = next;
    }
    Some(all)
}

/// A product of functions, by index, ascending; the empty one is 1.
pub(super) type FunctionProduct = Vec<usize>;

/// Monomials and their coefficients, none of them zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FunctionPolynomial(pub(super) BTreeMap<FunctionProduct, Rational>);

impl FunctionPolynomial {
    /// The column that is a single function.
    pub(super) fn of(function: usize) -> Self {
        FunctionPolynomial(BTreeMap::from([(vec![function], Rational::ONE)]))
    }

    pub(super) fn constant(number: Rational) -> Self {
        let mut polynomial = FunctionPolynomial::default();
        polynomial.add(Vec::new(), &number);
        polynomial
    }

    pub(super) fn as_constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// What a number other than zero is to be divided by.
    pub(super) fn inverse(&self) -> Option<Self> {
        Some(FunctionPolynomial::constant(self.as_constant()?.recip()?))
    }

    fn add(&mut self, monomial: FunctionProduct, coefficient: &Rational) {
        let sum =
            self.0.get(&monomial).map_or_else(|| coefficient.clone(), |known| known + coefficient);
        if sum.is_zero() {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, sum);
        }
    }

    pub(super) fn plus(mut self, other: &FunctionPolynomial) -> Self {
        other.0.iter().for_each(|(monomial, coefficient)| self.add(monomial.clone(), coefficient));
        self
    }

    pub(super) fn minus(mut self, other: &FunctionPolynomial) -> Self {
        other
            .0
            .iter()
            .for_each(|(monomial, coefficient)| self.add(monomial.clone(), &-coefficient));
        self
    }

    pub(super) fn times(&self, other: &FunctionPolynomial) -> Option<Self> {
        let mut product = FunctionPolynomial::default();
        for (one, a) in &self.0 {
            for (two, b) in &other.0 {
                let mut factors: FunctionProduct = one.iter().chain(two).copied().collect();
                factors.sort_unstable();
                // Input is not trusted: powers of powers would outgrow memory.
                if factors.len() > 64 || product.0.len() > 10_000 {
                    return None;
                }
                product.add(factors, &(a * b));
            }
        }
        Some(product)
    }

    /// As a row `(constant, coefficients of these columns)`; `None` where other monomials occur.
    pub(super) fn row(&self, columns: &RowColumns) -> Option<NumberRow> {
        let mut row = vec![Rational::ZERO; columns.all.len() + 1];
        for (monomial, coefficient) in &self.0 {
            let place = if monomial.is_empty() { 0 } else { 1 + columns.find(monomial)? };
            row[place] = coefficient.clone();
        }
        Some(row)
    }
}

/// The columns that rows have: those of the class that always have a value, and functions that the
/// model reads in addition.
pub(super) struct RowColumns {
    pub(super) all: Vec<FunctionProduct>,
    /// How many of them are of the class and always have a value.
    pub(super) active: usize,
    numbers: HashMap<FunctionProduct, usize>,
}

impl RowColumns {
    pub(super) fn new(all: Vec<FunctionProduct>) -> Self {
        RowColumns { numbers: numbers(&all), active: all.len(), all }
    }

    /// These, and functions as columns of their own.
    pub(super) fn with(&self, functions: impl IntoIterator<Item = usize>) -> Self {
        let more = functions
            .into_iter()
            .map(|function| vec![function])
            .filter(|column| self.find(column).is_none());
        let all: Vec<FunctionProduct> = self.all.iter().cloned().chain(more).collect();
        RowColumns { numbers: numbers(&all), active: self.active, all }
    }

    /// The number of a column.
    pub(super) fn find(&self, monomial: &[usize]) -> Option<usize> {
        self.numbers.get(monomial).copied()
    }

    /// The length of a row over them.
    pub(super) fn width(&self) -> usize {
        self.all.len() + 1
    }

    /// The functions that occur in those of the class, ascending.
    pub(super) fn functions(&self) -> Vec<usize> {
        self.all[..self.active]
            .iter()
            .flatten()
            .copied()
            .collect::<BTreeSet<usize>>()
            .into_iter()
            .collect()
    }

    /// The columns of the class all of whose factors are among some functions (ascending), by
    /// number.
    pub(super) fn over(&self, functions: &[usize]) -> Vec<usize> {
        let columns = self.all[..self.active].iter().enumerate();
        let inside = columns.filter(|(_, column)| {
            column.iter().all(|factor| functions.binary_search(factor).is_ok())
        });
        inside.map(|(number, _)| number).collect()
    }
}

/// `(1, x)` over some columns; `None` where one has no value, or one of too many digits.
pub(super) fn row(columns: &[FunctionProduct], before: &[Option<Rational>]) -> Option<NumberRow> {
    std::iter::once(Some(Rational::ONE))
        .chain(columns.iter().map(|column| product(column, before)))
        .collect()
}

/// The value of a column; `None` where a factor has none, or it has too many digits.
pub(super) fn product(column: &FunctionProduct, before: &[Option<Rational>]) -> Option<Rational> {
    let mut product = Rational::ONE;
    for &factor in column {
        product = &product * before[factor].as_ref()?;
        if product.as_small().is_none() && product.bits() > BITS {
            return None;
        }
    }
    Some(product)
}

/// Whether names are the same, in the same order; case does not matter.
pub(super) fn same_names(one: &[String], other: &[String]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| one.eq_ignore_ascii_case(other))
}
