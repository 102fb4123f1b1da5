//! Which ground actions can matter: those whose positive atoms can all become true when nothing
//! ever becomes false.
//!
//! Atoms are taken up one at a time; each is joined with those taken up before it, through indices
//! on predicate, position and object. A ground action is found exactly once: when the last of its
//! atoms is taken up.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use surefoot_base::ids::{Id, IdSet, IdVec, id};
use surefoot_base::model::{
    Action, ActionId, Arguments, Condition, Domain, Effect, GroundAction, GroundAtom, LiftedAtom,
    ObjectId, Objects, PredicateId, Problem, Term, Variable,
};

id!(/// An atom, in the order they were reached.
    ReachedAtomId);
id!(/// A positive atom of an action's precondition.
    ConjunctId);
id!(/// A parameter of an action.
    ParameterId);

/// The ground actions and atoms that can matter.
pub struct Reached {
    /// Every atom that can become true, those of the initial state first.
    pub atoms: IndexSet<GroundAtom, FxBuildHasher>,
    /// Every ground action that can become applicable, judged by positive atoms alone.
    pub steps: Vec<GroundAction>,
}

/// Says when to stop: called now and then with the bytes in use.
pub type KeepGoing<'k> = &'k mut dyn FnMut(usize) -> bool;

/// Finds the atoms and ground actions that can matter; `None` when `keep` said stop.
pub fn reach(domain: &Domain, problem: &Problem, keep: KeepGoing) -> Option<Reached> {
    let mut search = Reachability::new(domain, problem, keep);
    for action in domain.action_ids() {
        if search.schemas[action].atoms.is_empty() {
            let mut binding = Binding::filled(None, domain.action(action).parameters.len());
            search.enumerate(action, &mut binding)?;
        }
    }
    let mut next = 0;
    while next < search.reached.atoms.len() {
        let atom = search.reached.atoms[next].clone();
        search.take_up(ReachedAtomId::from_index(next), &atom)?;
        next += 1;
    }
    Some(search.reached)
}

struct Schema<'d> {
    /// The positive atoms of the precondition.
    atoms: IdVec<ConjunctId, &'d LiftedAtom>,
    /// Which parameters must (not) be one object.
    same: Vec<(Term, Term, bool)>,
    /// Atoms of predicates that no effect touches which must be false.
    absent: Vec<&'d LiftedAtom>,
    /// The atoms effects add, with the quantified variables around them.
    adds: Vec<(Vec<&'d Variable>, &'d LiftedAtom)>,
    /// Which objects each parameter may be.
    fits: IdVec<ParameterId, IdSet<ObjectId>>,
}

/// The objects that parameters are bound to until now.
type Binding = IdVec<ParameterId, Option<ObjectId>>;

/// Where an object stands among the arguments of a predicate.
type ArgumentKey = (PredicateId, u32, ObjectId);

struct Reachability<'d, 'k> {
    domain: &'d Domain,
    objects: &'d Objects,
    schemas: IdVec<ActionId, Schema<'d>>,
    /// For each predicate, where it occurs in preconditions.
    uses: IdVec<PredicateId, Vec<(ActionId, ConjunctId)>>,
    /// Atoms taken up: by predicate, and by predicate, position and object. In the order they were
    /// taken up.
    taken: IdVec<PredicateId, Vec<ReachedAtomId>>,
    index: FxHashMap<ArgumentKey, Vec<ReachedAtomId>>,
    reached: Reached,
    keep: KeepGoing<'k>,
    work: usize,
}

impl<'d, 'k> Reachability<'d, 'k> {
    fn new(domain: &'d Domain, problem: &'d Problem, keep: KeepGoing<'k>) -> Self {
        let touched = touched_predicates(domain);
        let schemas: IdVec<ActionId, Schema> = domain
            .actions
            .iter()
            .map(|(_, action)| schema(domain, &problem.objects, action, &touched))
            .collect();
        let predicates = domain.signature.predicates.len();
        let mut uses: IdVec<PredicateId, Vec<(ActionId, ConjunctId)>> =
            IdVec::filled(Vec::new(), predicates);
        for (action, schema) in schemas.pairs() {
            for (conjunct, atom) in schema.atoms.pairs() {
                uses[atom.symbol].push((action, conjunct));
            }
        }
        let atoms = problem.atoms.iter().cloned().collect();
        Reachability {
            domain,
            objects: &problem.objects,
            schemas,
            uses,
            taken: IdVec::filled(Vec::new(), predicates),
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

    fn take_up(&mut self, number: ReachedAtomId, atom: &GroundAtom) -> Option<()> {
        self.taken[atom.symbol].push(number);
        for (position, &object) in atom.arguments.iter().enumerate() {
            self.index.entry((atom.symbol, position as u32, object)).or_default().push(number);
        }
        for place in 0..self.uses[atom.symbol].len() {
            let (action, conjunct) = self.uses[atom.symbol][place];
            let mut binding = Binding::filled(None, self.domain.action(action).parameters.len());
            if self.unify(action, conjunct, atom, &mut binding).is_some() {
                let mut open: Vec<ConjunctId> =
                    self.schemas[action].atoms.ids().filter(|&other| other != conjunct).collect();
                self.join(action, number, conjunct, &mut open, &mut binding)?;
            }
        }
        Some(())
    }

    /// Binds the variables of an atom; the parameters newly bound, or `None` when it does not fit.
    fn unify(
        &self,
        action: ActionId,
        conjunct: ConjunctId,
        atom: &GroundAtom,
        binding: &mut Binding,
    ) -> Option<Vec<ParameterId>> {
        let schema = &self.schemas[action];
        let mut bound = Vec::new();
        for (&term, &object) in schema.atoms[conjunct].terms.iter().zip(&atom.arguments) {
            let fits = match parameter(term) {
                Err(constant) => constant == object,
                Ok(parameter) => match binding[parameter] {
                    Some(known) => known == object,
                    None if schema.fits[parameter].contains(object) => {
                        binding[parameter] = Some(object);
                        bound.push(parameter);
                        true
                    }
                    None => false,
                },
            };
            if !fits {
                bound.iter().for_each(|&parameter| binding[parameter] = None);
                return None;
            }
        }
        Some(bound)
    }

    /// Joins the open atoms with those taken up before `newest` (conjuncts before `pivot`) or up to
    /// it (after).
    fn join(
        &mut self,
        action: ActionId,
        newest: ReachedAtomId,
        pivot: ConjunctId,
        open: &mut Vec<ConjunctId>,
        binding: &mut Binding,
    ) -> Option<()> {
        self.tick()?;
        // The open atom with the fewest candidates.
        let best =
            (0..open.len()).min_by_key(|&at| self.candidates(action, open[at], binding).len());
        let Some(at) = best else { return self.enumerate(action, binding) };
        let conjunct = open[at];
        let candidates = self.candidates(action, conjunct, binding);
        if candidates.is_empty() {
            return Some(());
        }
        open.swap_remove(at);
        let count = candidates
            .partition_point(|&number| number < newest || conjunct > pivot && number == newest);
        // Lists only grow at their end while this runs, and `enumerate` takes nothing up.
        let key = self.key(action, conjunct, binding);
        for entry in 0..count {
            let number = match key {
                Some(key) => self.index[&key][entry],
                None => self.taken[self.schemas[action].atoms[conjunct].symbol][entry],
            };
            let atom = self.reached.atoms[number.index()].clone();
            if let Some(bound) = self.unify(action, conjunct, &atom, binding) {
                self.join(action, newest, pivot, open, binding)?;
                bound.iter().for_each(|&parameter| binding[parameter] = None);
            }
        }
        open.push(conjunct);
        let last = open.len() - 1;
        open.swap(at, last);
        Some(())
    }

    /// The index key with the fewest atoms for what is bound, if anything is.
    fn key(
        &self,
        action: ActionId,
        conjunct: ConjunctId,
        binding: &Binding,
    ) -> Option<ArgumentKey> {
        let atom = self.schemas[action].atoms[conjunct];
        let bound = atom.terms.iter().enumerate().filter_map(|(at, &term)| {
            let object = object(term, binding)?;
            Some((atom.symbol, at as u32, object))
        });
        bound.min_by_key(|key| self.index.get(key).map_or(0, Vec::len))
    }

    fn candidates(
        &self,
        action: ActionId,
        conjunct: ConjunctId,
        binding: &Binding,
    ) -> &[ReachedAtomId] {
        match self.key(action, conjunct, binding) {
            Some(key) => self.index.get(&key).map_or(&[], Vec::as_slice),
            None => &self.taken[self.schemas[action].atoms[conjunct].symbol],
        }
    }

    /// Binds the parameters that no atom mentions in every way, and keeps what results.
    fn enumerate(&mut self, action: ActionId, binding: &mut Binding) -> Option<()> {
        self.tick()?;
        let Some(parameter) = binding.ids().find(|&parameter| binding[parameter].is_none()) else {
            let arguments: Arguments = binding.iter().flatten().copied().collect();
            return self.emit(GroundAction { symbol: action, arguments });
        };
        let candidates: Vec<ObjectId> = self.schemas[action].fits[parameter].iter().collect();
        for object in candidates {
            binding[parameter] = Some(object);
            if self.may_be(action, binding) {
                self.enumerate(action, binding)?;
            }
        }
        binding[parameter] = None;
        Some(())
    }

    /// Whether the binding until now satisfies the conditions on which parameters are the same
    /// object.
    fn may_be(&self, action: ActionId, binding: &Binding) -> bool {
        self.schemas[action].same.iter().all(|&(one, other, wanted)| {
            let both = object(one, binding).zip(object(other, binding));
            both.is_none_or(|(one, other)| (one == other) == wanted)
        })
    }

    fn emit(&mut self, step: GroundAction) -> Option<()> {
        let schema = &self.schemas[step.symbol];
        let arguments = &step.arguments;
        if schema.same.iter().any(|(one, other, wanted)| {
            (one.ground(arguments) == other.ground(arguments)) != *wanted
        }) {
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

/// The parameter that a term is, or the object.
fn parameter(term: Term) -> Result<ParameterId, ObjectId> {
    match term {
        Term::Variable(slot) => Ok(ParameterId::from_index(slot as usize)),
        Term::Object(object) => Err(object),
    }
}

/// The object that a term stands for, where it is bound.
fn object(term: Term, binding: &Binding) -> Option<ObjectId> {
    match parameter(term) {
        Ok(parameter) => binding[parameter],
        Err(object) => Some(object),
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
    let [variable, rest @ ..] = quantified else {
        return add(atom.ground(environment)).then_some(());
    };
    for object in objects.of(&domain.signature.types, &variable.types) {
        environment.push(object);
        instances(domain, objects, rest, atom, environment, add)?;
        environment.pop();
    }
    Some(())
}

fn schema<'d>(
    domain: &'d Domain,
    objects: &Objects,
    action: &'d Action,
    touched: &IdSet<PredicateId>,
) -> Schema<'d> {
    let parameters = action.parameters.iter();
    let mut schema = Schema {
        atoms: IdVec::new(),
        same: Vec::new(),
        absent: Vec::new(),
        adds: Vec::new(),
        fits: parameters.map(|parameter| fitting(domain, objects, parameter)).collect(),
    };
    conjuncts(&action.precondition, &mut schema, touched);
    adds(&action.effect, &mut Vec::new(), &mut schema.adds);
    schema
}

/// The objects of a variable's types.
fn fitting(domain: &Domain, objects: &Objects, variable: &Variable) -> IdSet<ObjectId> {
    let mut set = IdSet::with_capacity(objects.len());
    set.extend(objects.of(&domain.signature.types, &variable.types));
    set
}

fn conjuncts<'d>(condition: &'d Condition, schema: &mut Schema<'d>, touched: &IdSet<PredicateId>) {
    match condition {
        Condition::And(parts) => parts.iter().for_each(|part| conjuncts(part, schema, touched)),
        Condition::Atom(atom) => {
            schema.atoms.push(atom);
        }
        Condition::Same(one, other) => schema.same.push((*one, *other, true)),
        Condition::Not(inner) => match &**inner {
            Condition::Same(one, other) => schema.same.push((*one, *other, false)),
            Condition::Atom(atom) if !touched.contains(atom.symbol) => schema.absent.push(atom),
            _ => {}
        },
        _ => {}
    }
}

fn adds<'d>(
    effect: &'d Effect,
    around: &mut Vec<&'d Variable>,
    found: &mut Vec<(Vec<&'d Variable>, &'d LiftedAtom)>,
) {
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

fn touched_predicates(domain: &Domain) -> IdSet<PredicateId> {
    fn visit(effect: &Effect, touched: &mut IdSet<PredicateId>) {
        match effect {
            Effect::And(parts) => parts.iter().for_each(|part| visit(part, touched)),
            Effect::Add(atom) | Effect::Delete(atom) => touched.insert(atom.symbol),
            Effect::When(_, inner) | Effect::ForAll(_, inner) => visit(inner, touched),
            Effect::Numeric(_) => {}
        }
    }
    let mut touched = IdSet::with_capacity(domain.signature.predicates.len());
    domain.actions.iter().for_each(|(_, action)| visit(&action.effect, &mut touched));
    touched
}
