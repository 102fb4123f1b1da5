//! L(α) and X(α): the atoms and functions whose arguments are parameters of an action α, or constants of the domain.
//!
//! As in the paper, no parameter is used twice in one atom, and a parameter may stand where its types are among those
//! declared there.

use crate::model::{
    ActionId, Domain, FunctionId, Lifted, LiftedAtom, LiftedFunction, Names, ObjectId, PredicateId, Symbol, Term,
};

/// What the model of one action may mention. Both lists are in the order of declaration, then of the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vocabulary {
    /// The atoms; each gives two parameter-bound literals, itself and its negation.
    pub atoms: Vec<LiftedAtom>,
    /// The parameter-bound functions.
    pub functions: Vec<LiftedFunction>,
}

impl Vocabulary {
    /// The vocabulary of an action.
    pub fn of(domain: &Domain, action: ActionId) -> Self {
        Vocabulary {
            atoms: applications(domain, action, &domain.signature.predicates, PredicateId::from),
            functions: applications(domain, action, &domain.signature.functions, FunctionId::from),
        }
    }

    /// How many monomials of degree 1 to `degree` there are over the functions, squares and higher powers included; `None`
    /// when the number does not fit.
    pub fn monomials(&self, degree: u32) -> Option<u64> {
        // Multisets of at most `degree` functions, but the empty one: C(n + degree, degree) - 1.
        let mut count: u128 = 1;
        for step in 1..=u128::from(degree) {
            count = count.checked_mul(self.functions.len() as u128 + step)? / step;
        }
        u64::try_from(count - 1).ok()
    }
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
fn candidates(domain: &Domain, action: ActionId, types: &crate::model::TypeSet) -> Vec<Term> {
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
