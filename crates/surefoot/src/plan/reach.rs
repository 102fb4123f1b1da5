//! Which ground actions can matter: those whose positive atoms can all become true when nothing ever becomes false.
//!
//! Atoms are taken up one at a time; each is joined with those taken up before it, through indices on predicate, position
//! and object. A ground action is found exactly once: when the last of its atoms is taken up.

use fixedbitset::FixedBitSet;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::model::{
    Action, ActionId, Arguments, Condition, Domain, Effect, GroundAction, GroundAtom, LiftedAtom, ObjectId, Objects, PredicateId,
    Problem, Term, Variable,
};

/// What was found.
pub struct Reached {
    /// Every atom that can become true, those of the initial state first.
    pub atoms: IndexSet<GroundAtom, FxBuildHasher>,
    /// Every ground action that can become applicable, as far as positive atoms tell.
    pub steps: Vec<GroundAction>,
}

/// Says when to stop: called now and then with the bytes in use.
pub type Keep<'k> = &'k mut dyn FnMut(usize) -> bool;

/// Finds the atoms and ground actions that can matter; `None` when `keep` said stop.
pub fn reach(domain: &Domain, problem: &Problem, keep: Keep) -> Option<Reached> {
    let mut search = Search::new(domain, problem, keep);
    for action in domain.action_ids() {
        if search.schemas[action.index()].atoms.is_empty() {
            let mut binding = vec![None; domain.action(action).parameters.len()];
            search.enumerate(action, &mut binding)?;
        }
    }
    let mut next = 0;
    while next < search.reached.atoms.len() {
        let atom = search.reached.atoms[next].clone();
        search.take_up(next as u32, &atom)?;
        next += 1;
    }
    Some(search.reached)
}

struct Schema<'d> {
    /// The positive atoms of the precondition.
    atoms: Vec<&'d LiftedAtom>,
    /// Which parameters must (not) be one object.
    same: Vec<(Term, Term, bool)>,
    /// Atoms of predicates that no effect touches which must be false.
    absent: Vec<&'d LiftedAtom>,
    /// The atoms effects add, with the quantified variables around them.
    adds: Vec<(Vec<&'d Variable>, &'d LiftedAtom)>,
    /// Which objects each parameter may be.
    fits: Vec<FixedBitSet>,
}

struct Search<'d, 'k> {
    domain: &'d Domain,
    objects: &'d Objects,
    schemas: Vec<Schema<'d>>,
    /// For each predicate, the schemas and positions it occurs in.
    uses: Vec<Vec<(ActionId, usize)>>,
    /// Atoms taken up: by predicate, and by predicate, position and object. In the order they were taken up.
    taken: Vec<Vec<u32>>,
    index: FxHashMap<(PredicateId, u32, ObjectId), Vec<u32>>,
    reached: Reached,
    keep: Keep<'k>,
    work: usize,
}

impl<'d, 'k> Search<'d, 'k> {
    fn new(domain: &'d Domain, problem: &'d Problem, keep: Keep<'k>) -> Self {
        let touched = touched_predicates(domain);
        let schemas: Vec<Schema> =
            domain.actions.iter().map(|(_, action)| schema(domain, &problem.objects, action, &touched)).collect();
        let predicates = domain.signature.predicates.len();
        let mut uses = vec![Vec::new(); predicates];
        for (action, schema) in schemas.iter().enumerate() {
            for (position, atom) in schema.atoms.iter().enumerate() {
                uses[atom.symbol.index()].push((ActionId::from(action), position));
            }
        }
        let atoms = problem.atoms.iter().cloned().collect();
        Search {
            domain,
            objects: &problem.objects,
            schemas,
            uses,
            taken: vec![Vec::new(); predicates],
            index: FxHashMap::default(),
            reached: Reached { atoms, steps: Vec::new() },
            keep,
            work: 0,
        }
    }

    fn tick(&mut self) -> Option<()> {
        self.work += 1;
        let bytes = bytes(self.reached.atoms.len(), self.reached.steps.len());
        if self.work.is_multiple_of(4096) && !(self.keep)(bytes) { None } else { Some(()) }
    }

    fn take_up(&mut self, number: u32, atom: &GroundAtom) -> Option<()> {
        self.taken[atom.symbol.index()].push(number);
        for (position, &object) in atom.arguments.iter().enumerate() {
            self.index.entry((atom.symbol, position as u32, object)).or_default().push(number);
        }
        for use_ in 0..self.uses[atom.symbol.index()].len() {
            let (action, position) = self.uses[atom.symbol.index()][use_];
            let mut binding = vec![None; self.domain.action(action).parameters.len()];
            if self.unify(action, position, atom, &mut binding).is_some() {
                let mut open: Vec<usize> = (0..self.schemas[action.index()].atoms.len()).filter(|&p| p != position).collect();
                self.join(action, number, position, &mut open, &mut binding)?;
            }
        }
        Some(())
    }

    /// Binds the variables of an atom; the slots newly bound, or `None` when it does not fit.
    fn unify(
        &self,
        action: ActionId,
        position: usize,
        atom: &GroundAtom,
        binding: &mut [Option<ObjectId>],
    ) -> Option<Vec<usize>> {
        let schema = &self.schemas[action.index()];
        let mut bound = Vec::new();
        for (term, &object) in schema.atoms[position].terms.iter().zip(&atom.arguments) {
            let fits = match *term {
                Term::Object(constant) => constant == object,
                Term::Variable(slot) => match binding[slot as usize] {
                    Some(known) => known == object,
                    None if schema.fits[slot as usize].contains(object.index()) => {
                        binding[slot as usize] = Some(object);
                        bound.push(slot as usize);
                        true
                    }
                    None => false,
                },
            };
            if !fits {
                bound.iter().for_each(|&slot| binding[slot] = None);
                return None;
            }
        }
        Some(bound)
    }

    /// Joins the open atoms with those taken up before `newest` (positions below `pivot`) or up to it (above).
    fn join(
        &mut self,
        action: ActionId,
        newest: u32,
        pivot: usize,
        open: &mut Vec<usize>,
        binding: &mut Vec<Option<ObjectId>>,
    ) -> Option<()> {
        self.tick()?;
        // The open atom with the fewest candidates.
        let best = (0..open.len()).min_by_key(|&at| self.candidates(action, open[at], binding).len());
        let Some(at) = best else { return self.enumerate(action, binding) };
        let position = open[at];
        let limit = if position < pivot { newest } else { newest + 1 };
        let candidates = self.candidates(action, position, binding);
        if candidates.is_empty() {
            return Some(());
        }
        open.swap_remove(at);
        let count = candidates.partition_point(|&number| number < limit);
        // Lists only grow at their end while this runs, and `enumerate` takes nothing up.
        let key = self.key(action, position, binding);
        for entry in 0..count {
            let number = match key {
                Some(key) => self.index[&key][entry],
                None => self.taken[self.schemas[action.index()].atoms[position].symbol.index()][entry],
            };
            let atom = self.reached.atoms[number as usize].clone();
            if let Some(bound) = self.unify(action, position, &atom, binding) {
                self.join(action, newest, pivot, open, binding)?;
                bound.iter().for_each(|&slot| binding[slot] = None);
            }
        }
        open.push(position);
        let last = open.len() - 1;
        open.swap(at, last);
        Some(())
    }

    /// The index key with the fewest atoms for what is bound, if anything is.
    fn key(&self, action: ActionId, position: usize, binding: &[Option<ObjectId>]) -> Option<(PredicateId, u32, ObjectId)> {
        let atom = self.schemas[action.index()].atoms[position];
        let bound = atom.terms.iter().enumerate().filter_map(|(at, term)| {
            let object = match *term {
                Term::Object(object) => object,
                Term::Variable(slot) => binding[slot as usize]?,
            };
            Some((atom.symbol, at as u32, object))
        });
        bound.min_by_key(|key| self.index.get(key).map_or(0, Vec::len))
    }

    fn candidates(&self, action: ActionId, position: usize, binding: &[Option<ObjectId>]) -> &[u32] {
        match self.key(action, position, binding) {
            Some(key) => self.index.get(&key).map_or(&[], Vec::as_slice),
            None => &self.taken[self.schemas[action.index()].atoms[position].symbol.index()],
        }
    }

    /// Binds the parameters that no atom mentions in every way, and keeps what results.
    fn enumerate(&mut self, action: ActionId, binding: &mut Vec<Option<ObjectId>>) -> Option<()> {
        self.tick()?;
        let Some(slot) = binding.iter().position(Option::is_none) else {
            let arguments: Arguments = binding.iter().flatten().copied().collect();
            return self.emit(GroundAction { symbol: action, arguments });
        };
        let candidates: Vec<ObjectId> = self.schemas[action.index()].fits[slot].ones().map(ObjectId::from).collect();
        for object in candidates {
            binding[slot] = Some(object);
            if self.may_be(action, binding) {
                self.enumerate(action, binding)?;
            }
        }
        binding[slot] = None;
        Some(())
    }

    /// Whether what is bound so far satisfies the conditions on which parameters are one object.
    fn may_be(&self, action: ActionId, binding: &[Option<ObjectId>]) -> bool {
        let bound = |term: Term| match term {
            Term::Object(object) => Some(object),
            Term::Variable(slot) => binding[slot as usize],
        };
        let same = &self.schemas[action.index()].same;
        same.iter().all(|&(one, other, wanted)| bound(one).zip(bound(other)).is_none_or(|(one, other)| (one == other) == wanted))
    }

    fn emit(&mut self, step: GroundAction) -> Option<()> {
        let schema = &self.schemas[step.symbol.index()];
        let arguments = &step.arguments;
        let differs = |&(one, other, wanted): &(Term, Term, bool)| (one.ground(arguments) == other.ground(arguments)) != wanted;
        if schema.same.iter().any(differs) {
            return Some(());
        }
        if schema.absent.iter().any(|atom| self.reached.atoms.contains(&atom.ground(arguments))) {
            return Some(());
        }
        let (work, keep, reached) = (&mut self.work, &mut *self.keep, &mut self.reached);
        let steps = reached.steps.len();
        let mut add = |atom: GroundAtom| {
            reached.atoms.insert(atom);
            *work += 1;
            !work.is_multiple_of(4096) || keep(bytes(reached.atoms.len(), steps))
        };
        for (quantified, atom) in &schema.adds {
            let mut environment = arguments.to_vec();
            instances(self.domain, self.objects, quantified, atom, &mut environment, &mut add)?;
        }
        self.reached.steps.push(step);
        Some(())
    }
}

/// About how many bytes atoms and ground actions take.
fn bytes(atoms: usize, steps: usize) -> usize {
    atoms * 96 + steps * 400
}

/// Passes every instance of an atom to `add`; `None` when that said stop.
fn instances(
    domain: &Domain,
    objects: &Objects,
    quantified: &[&Variable],
    atom: &LiftedAtom,
    environment: &mut Vec<ObjectId>,
    add: &mut dyn FnMut(GroundAtom) -> bool,
) -> Option<()> {
    let [variable, rest @ ..] = quantified else { return add(atom.ground(environment)).then_some(()) };
    for object in objects.of(&domain.signature.types, &variable.types) {
        environment.push(object);
        instances(domain, objects, rest, atom, environment, add)?;
        environment.pop();
    }
    Some(())
}

fn schema<'d>(domain: &'d Domain, objects: &Objects, action: &'d Action, touched: &FixedBitSet) -> Schema<'d> {
    let fits = |variable: &Variable| {
        let mut set = FixedBitSet::with_capacity(objects.len());
        set.extend(objects.of(&domain.signature.types, &variable.types).map(ObjectId::index));
        set
    };
    let mut schema = Schema {
        atoms: Vec::new(),
        same: Vec::new(),
        absent: Vec::new(),
        adds: Vec::new(),
        fits: action.parameters.iter().map(fits).collect(),
    };
    conjuncts(&action.precondition, &mut schema, touched);
    adds(&action.effect, &mut Vec::new(), &mut schema.adds);
    schema
}

fn conjuncts<'d>(condition: &'d Condition, schema: &mut Schema<'d>, touched: &FixedBitSet) {
    match condition {
        Condition::And(parts) => parts.iter().for_each(|part| conjuncts(part, schema, touched)),
        Condition::Atom(atom) => schema.atoms.push(atom),
        Condition::Same(one, other) => schema.same.push((*one, *other, true)),
        Condition::Not(inner) => match &**inner {
            Condition::Same(one, other) => schema.same.push((*one, *other, false)),
            Condition::Atom(atom) if !touched.contains(atom.symbol.index()) => schema.absent.push(atom),
            _ => {}
        },
        _ => {}
    }
}

fn adds<'d>(effect: &'d Effect, around: &mut Vec<&'d Variable>, found: &mut Vec<(Vec<&'d Variable>, &'d LiftedAtom)>) {
    match effect {
        Effect::And(parts) => parts.iter().for_each(|part| adds(part, around, found)),
        Effect::Add(atom) => found.push((around.clone(), atom)),
        Effect::When(_, inner) => adds(inner, around, found),
        Effect::ForAll(variables, inner) => {
            let before = around.len();
            around.extend(variables);
            adds(inner, around, found);
            around.truncate(before);
        }
        Effect::Delete(_) | Effect::Numeric(_) => {}
    }
}

fn touched_predicates(domain: &Domain) -> FixedBitSet {
    fn visit(effect: &Effect, touched: &mut FixedBitSet) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| visit(part, touched)),
            Effect::Add(atom) | Effect::Delete(atom) => touched.insert(atom.symbol.index()),
            Effect::When(_, inner) | Effect::ForAll(_, inner) => visit(inner, touched),
            Effect::Numeric(_) => {}
        }
    }
    let mut touched = FixedBitSet::with_capacity(domain.signature.predicates.len());
    domain.actions.iter().for_each(|(_, action)| visit(&action.effect, &mut touched));
    touched
}
