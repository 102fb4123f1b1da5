//! Which ground actions can be taken in a state, all of them: found by joining the atoms that an
//! action needs with those that are true.
//!
//! The parameters of an action are bound atom by atom, the atom with the fewest true instances
//! first, and what no atom binds is tried with every object that fits. Literals and equalities are
//! looked at as soon as they are bound; whatever is left, numbers among it, is decided by the
//! [`Checker`], so what is found means what [`semantics`](super::semantics) says.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::compiled::Checker;
use super::expression::{Condition, LiftedAtom, Term};
use super::ids::{ActionId, AtomId, ObjectId, PredicateId};
use super::signature::Objects;
use super::state::{Arguments, GroundAction, State, Universe};
use super::{Action, Domain};

/// The objects that parameters are bound to until now.
type PartialBinding = SmallVec<[Option<ObjectId>; 8]>;

/// Where an object stands among the arguments of a predicate.
type AtomArgument = (PredicateId, usize, ObjectId);

/// The ground actions over a checker's objects that can be taken in a state, in the order of their
/// actions and arguments: exactly those of which [`Checker::applicable`] says so. Stops, with what
/// was found, when `keep_going` says no; it is asked for each ground action that is tried.
pub fn applicable_actions(
    checker: &mut Checker<'_>,
    universe: &mut Universe,
    state: &State,
    keep_going: &mut dyn FnMut() -> bool,
) -> Vec<GroundAction> {
    let (domain, objects) = (checker.domain(), checker.objects());
    let facts = AtomIndex::of(universe, state);
    let mut trial = EnabledSearch { checker, universe, state, keep_going, found: Vec::new() };
    for symbol in domain.action_ids() {
        let action = domain.action(symbol);
        if action.is_left_out() {
            continue;
        }
        let before = trial.found.len();
        let mut join = Join::new(domain, objects, symbol, action, &facts);
        let going =
            join.bind(&mut trial, &mut PartialBinding::from_elem(None, action.parameters.len()));
        trial.found[before..].sort_unstable();
        if !going {
            break;
        }
    }
    trial.found
}

/// Where ground actions are tried.
struct EnabledSearch<'t, 'c> {
    checker: &'t mut Checker<'c>,
    universe: &'t mut Universe,
    state: &'t State,
    keep_going: &'t mut dyn FnMut() -> bool,
    found: Vec<GroundAction>,
}

impl EnabledSearch<'_, '_> {
    /// Tries a ground action. Returns whether to go on.
    fn take(&mut self, action: GroundAction) -> bool {
        let step = self.checker.step(&action, self.universe);
        if self.checker.applicable(step, self.universe, self.state) {
            self.found.push(action);
        }
        (self.keep_going)()
    }
}

/// The true atoms of a state: by predicate, and by predicate, position and object.
#[derive(Default)]
struct AtomIndex {
    all: FxHashMap<PredicateId, Vec<AtomId>>,
    with: FxHashMap<AtomArgument, Vec<AtomId>>,
}

impl AtomIndex {
    fn of(universe: &Universe, state: &State) -> Self {
        let mut facts = AtomIndex::default();
        for id in state.atoms() {
            let atom = universe.ground_atom(id);
            facts.all.entry(atom.symbol).or_default().push(id);
            for (position, &object) in atom.arguments.iter().enumerate() {
                facts.with.entry((atom.symbol, position, object)).or_default().push(id);
            }
        }
        facts
    }

    /// Few true atoms that contain all true instances of an atom under a binding.
    fn instances(&self, atom: &LiftedAtom, binding: &PartialBinding) -> &[AtomId] {
        let bound = atom.terms.iter().enumerate().filter_map(|(position, &term)| {
            let key = (atom.symbol, position, object(term, binding)?);
            Some(self.with.get(&key).map_or(&[][..], Vec::as_slice))
        });
        let least = bound.min_by_key(|list| list.len());
        least.unwrap_or_else(|| self.all.get(&atom.symbol).map_or(&[], Vec::as_slice))
    }
}

fn object(term: Term, binding: &PartialBinding) -> Option<ObjectId> {
    match term {
        Term::Variable(slot) => binding.get(slot as usize).copied().flatten(),
        Term::Object(object) => Some(object),
    }
}

/// The ways to bind the parameters of one action.
struct Join<'a> {
    symbol: ActionId,
    facts: &'a AtomIndex,
    /// Atoms that must be true and are not yet joined.
    open: Vec<&'a LiftedAtom>,
    absent: Vec<&'a LiftedAtom>,
    same: Vec<(Term, Term, bool)>,
    /// By parameter: the objects that fit.
    fitting: Vec<Vec<ObjectId>>,
}

impl<'a> Join<'a> {
    fn new(
        domain: &'a Domain,
        objects: &'a Objects,
        symbol: ActionId,
        action: &'a Action,
        facts: &'a AtomIndex,
    ) -> Self {
        let types = &domain.signature.types;
        let fitting = action
            .parameters
            .iter()
            .map(|parameter| objects.of(types, &parameter.types).collect())
            .collect();
        let mut join =
            Join { symbol, facts, open: Vec::new(), absent: Vec::new(), same: Vec::new(), fitting };
        join.take(&action.precondition);
        join
    }

    fn take(&mut self, condition: &'a Condition) {
        match condition {
            Condition::And(parts) => parts.iter().for_each(|part| self.take(part)),
            Condition::Atom(atom) => self.open.push(atom),
            Condition::Same(one, other) => self.same.push((*one, *other, true)),
            Condition::Not(inner) => match &**inner {
                Condition::Atom(atom) => self.absent.push(atom),
                Condition::Same(one, other) => self.same.push((*one, *other, false)),
                _ => {}
            },
            _ => {}
        }
    }

    /// Binds one more atom, or one more parameter, in every way. Returns whether to go on.
    fn bind(&mut self, trial: &mut EnabledSearch<'_, '_>, binding: &mut PartialBinding) -> bool {
        if !self.may_be(trial.universe, trial.state, binding) {
            return true;
        }
        let fewest = (0..self.open.len())
            .min_by_key(|&place| self.facts.instances(self.open[place], binding).len());
        if let Some(place) = fewest {
            let atom = self.open.swap_remove(place);
            let facts = self.facts;
            let going = facts.instances(atom, binding).iter().all(|&id| {
                let mut more = binding.clone();
                !self.unify(atom, &trial.universe.ground_atom(id).arguments, &mut more)
                    || self.bind(trial, &mut more)
            });
            self.open.push(atom);
            return going;
        }
        let Some(parameter) = binding.iter().position(Option::is_none) else {
            let arguments: Arguments = binding.iter().flatten().copied().collect();
            return trial.take(GroundAction { symbol: self.symbol, arguments });
        };
        let going = (0..self.fitting[parameter].len()).all(|place| {
            binding[parameter] = Some(self.fitting[parameter][place]);
            self.bind(trial, binding)
        });
        binding[parameter] = None;
        going
    }

    /// Binds the variables of an atom to the objects of a true one. Returns whether they fit.
    fn unify(
        &self,
        atom: &LiftedAtom,
        arguments: &[ObjectId],
        binding: &mut PartialBinding,
    ) -> bool {
        atom.terms.iter().zip(arguments).all(|(&term, &wanted)| {
            match (term, object(term, binding)) {
                (_, Some(known)) => known == wanted,
                (Term::Variable(slot), None) if self.fitting[slot as usize].contains(&wanted) => {
                    binding[slot as usize] = Some(wanted);
                    true
                }
                _ => false,
            }
        })
    }

    /// Whether nothing that is bound contradicts the precondition.
    fn may_be(&self, universe: &Universe, state: &State, binding: &PartialBinding) -> bool {
        let same = self.same.iter().all(|&(one, other, wanted)| {
            let both = object(one, binding).zip(object(other, binding));
            both.is_none_or(|(one, other)| (one == other) == wanted)
        });
        same && !self.absent.iter().any(|atom| {
            let arguments: Option<Arguments> =
                atom.terms.iter().map(|&term| object(term, binding)).collect();
            let ground =
                arguments.map(|arguments| super::GroundAtom { symbol: atom.symbol, arguments });
            ground
                .and_then(|ground| universe.find_atom(&ground))
                .is_some_and(|id| state.contains(id))
        })
    }
}
