//! L(α) and X(α), enumerated once more: what conditions and effects of an action may mention. And polynomials over X(α).

use std::collections::BTreeMap;

use crate::exact::Rational;
use crate::model::{Action, Domain, Expression, FunctionId, Lifted, LiftedAtom, LiftedFunction, PredicateId, Term, TypeSet};

/// What the model of an action may mention.
pub(super) struct Vocabulary {
    pub(super) parameters: usize,
    pub(super) atoms: Vec<LiftedAtom>,
    /// Pairs of terms that may be one object.
    pub(super) pairs: Vec<(Term, Term)>,
    pub(super) functions: Vec<LiftedFunction>,
}

impl Vocabulary {
    pub(super) fn of(domain: &Domain, action: &Action) -> Self {
        let signature = &domain.signature;
        let parameters =
            || action.parameters.iter().enumerate().map(|(slot, parameter)| (Term::Variable(slot as u32), parameter));
        let constants = |types: &TypeSet| -> Vec<Term> {
            let fits = |id: &crate::model::ObjectId| types.admits(&signature.types, signature.constants.type_of(*id));
            signature.constants.ids().filter(fits).map(Term::Object).collect()
        };
        let terms = |types: &TypeSet| -> Vec<Term> {
            let fitting = parameters().filter(|(_, parameter)| types.contains(&signature.types, &parameter.types));
            fitting.map(|(term, _)| term).chain(constants(types)).collect()
        };
        let tuples = |places: &[crate::model::Variable]| -> Vec<Vec<Term>> {
            let mut tuples: Vec<Vec<Term>> = vec![Vec::new()];
            for place in places {
                let candidates = terms(&place.types);
                let longer = |tuple: &Vec<Term>| -> Vec<Vec<Term>> {
                    // No parameter stands twice in one atom.
                    let free = |term: &&Term| matches!(term, Term::Object(_)) || !tuple.contains(term);
                    candidates.iter().filter(free).map(|term| tuple.iter().chain([term]).copied().collect()).collect()
                };
                tuples = tuples.iter().flat_map(longer).collect();
            }
            tuples
        };
        let mut pairs = Vec::new();
        for (left, parameter) in parameters() {
            let later =
                parameters().filter(|(right, other)| left < *right && parameter.types.meets(&signature.types, &other.types));
            pairs.extend(later.map(|(right, _)| (left, right)));
            pairs.extend(constants(&parameter.types).into_iter().map(|constant| (left, constant)));
        }
        let atoms = signature.predicates.iter().enumerate().flat_map(|(index, (_, symbol))| {
            let lifted = move |terms| Lifted { symbol: PredicateId::from(index), terms };
            tuples(&symbol.parameters).into_iter().map(lifted)
        });
        let functions = signature.functions.iter().enumerate().flat_map(|(index, (_, symbol))| {
            let lifted = move |terms| Lifted { symbol: FunctionId::from(index), terms };
            tuples(&symbol.parameters).into_iter().map(lifted)
        });
        Vocabulary { parameters: action.parameters.len(), atoms: atoms.collect(), pairs, functions: functions.collect() }
    }

    /// All products of at most `degree` functions; with `squares`, a function may repeat.
    pub(super) fn monomials(&self, degree: u32, squares: bool) -> Vec<Monomial> {
        let mut all: Vec<Monomial> = Vec::new();
        let mut last: Vec<Monomial> = vec![Vec::new()];
        for _ in 0..degree.min(64) {
            let mut next = Vec::new();
            for product in &last {
                let from = product.last().map_or(0, |&top| if squares { top } else { top + 1 });
                next.extend(
                    (from..self.functions.len()).map(|factor| product.iter().copied().chain([factor]).collect::<Vec<_>>()),
                );
            }
            all.extend(next.iter().cloned());
            // More are never learned; see the limit of the learner.
            if next.is_empty() || all.len() > 2_000 {
                break;
            }
            last = next;
        }
        all
    }

    /// An expression as a polynomial over the functions; `None` where it is none, or too large to be one of ours.
    pub(super) fn polynomial(&self, expression: &Expression) -> Option<Polynomial> {
        match expression {
            Expression::Number(number) => Some(Polynomial::constant(number.clone())),
            Expression::Function(function) => {
                let index = self.functions.iter().position(|known| known == function)?;
                Some(Polynomial(BTreeMap::from([(vec![index], Rational::ONE)])))
            }
            Expression::Sum(terms) => {
                terms.iter().try_fold(Polynomial::default(), |sum, term| Some(sum.plus(&self.polynomial(term)?)))
            }
            Expression::Product(factors) => factors
                .iter()
                .try_fold(Polynomial::constant(Rational::ONE), |product, factor| product.times(&self.polynomial(factor)?)),
            Expression::Difference(sides) => Some(self.polynomial(&sides[0])?.minus(&self.polynomial(&sides[1])?)),
            Expression::Negation(inner) => Some(Polynomial::default().minus(&self.polynomial(inner)?)),
            Expression::Quotient(sides) => {
                let divisor = self.polynomial(&sides[1])?.as_constant()?.recip()?;
                self.polynomial(&sides[0])?.times(&Polynomial::constant(divisor))
            }
            Expression::TotalTime => None,
        }
    }
}

/// A product of functions, by index, ascending; the empty one is 1.
pub(super) type Monomial = Vec<usize>;

/// Monomials and their coefficients, none of them zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Polynomial(pub(super) BTreeMap<Monomial, Rational>);

impl Polynomial {
    fn constant(number: Rational) -> Self {
        let mut polynomial = Polynomial::default();
        polynomial.add(Vec::new(), &number);
        polynomial
    }

    fn as_constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    fn add(&mut self, monomial: Monomial, coefficient: &Rational) {
        let sum = self.0.get(&monomial).map_or_else(|| coefficient.clone(), |known| known + coefficient);
        if sum.is_zero() {
            self.0.remove(&monomial);
        } else {
            self.0.insert(monomial, sum);
        }
    }

    fn plus(mut self, other: &Polynomial) -> Self {
        other.0.iter().for_each(|(monomial, coefficient)| self.add(monomial.clone(), coefficient));
        self
    }

    pub(super) fn minus(mut self, other: &Polynomial) -> Self {
        other.0.iter().for_each(|(monomial, coefficient)| self.add(monomial.clone(), &-coefficient));
        self
    }

    fn times(&self, other: &Polynomial) -> Option<Self> {
        let mut product = Polynomial::default();
        for (one, a) in &self.0 {
            for (two, b) in &other.0 {
                let mut factors: Monomial = one.iter().chain(two).copied().collect();
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
    pub(super) fn row(&self, columns: &[Monomial]) -> Option<Vec<Rational>> {
        let mut row = vec![Rational::ZERO; columns.len() + 1];
        for (monomial, coefficient) in &self.0 {
            let place = if monomial.is_empty() { 0 } else { 1 + columns.iter().position(|column| column == monomial)? };
            row[place] = coefficient.clone();
        }
        Some(row)
    }
}
