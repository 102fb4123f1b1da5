//! Rows from closed-world states, as the comparison of the paper fed them to the original.
//!
//! It wrote every state out: the true atoms, the values of functions, then `(not …)` for every
//! other grounding of each predicate over distinct objects of fitting types. True atoms with a
//! repeated object were lost. Atoms are taken in the byte order of their text, functions in the
//! order of the trajectory. Only literals over a step's own objects become columns, so only these
//! are made; of the others no more is needed than which types occur where.

use std::collections::BTreeSet;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::observed::{SeenStep, SeenTrace, StateRow, SymbolId, TypeUse, TypedApplication};
use surefoot_base::exact::Rational;
use surefoot_base::model::{
    Arguments, Domain, GroundAction, GroundAtom, GroundFunction, ObjectId, Objects, PredicateId,
    State, Universe,
};
use surefoot_base::pddl::Trajectory;

/// Reduces a trace to what PlanMiner sees: facts that are not mentioned are false.
pub(super) fn see(domain: &Domain, objects: &Objects, trajectory: &Trajectory) -> SeenTrace {
    let eye = Eye { domain, objects, universe: &trajectory.universe };
    let steps = trajectory
        .actions
        .iter()
        .enumerate()
        .map(|(index, action): (usize, &GroundAction)| SeenStep {
            action: action.symbol,
            types: action.arguments.iter().map(|&object| objects.type_of(object)).collect(),
            before: eye.row(index, action, &trajectory.states[index]),
            after: eye.row(index + 1, action, &trajectory.states[index + 1]),
        })
        .collect();
    let uses = trajectory.states.first().map(|state| eye.uses(state)).unwrap_or_default();
    SeenTrace { steps, uses }
}

/// The same trace without those literals that `keep` rejects, by the index of their state and their
/// place in it: what is left out is unknown. Literals about other objects are written out too.
#[cfg(test)]
pub(super) fn see_partly(
    domain: &Domain,
    objects: &Objects,
    trajectory: &Trajectory,
    keep: impl Fn(usize, usize) -> bool,
) -> SeenTrace {
    let eye = Eye { domain, objects, universe: &trajectory.universe };
    let all = eye.in_byte_order(objects.ids());
    let mut seen = SeenTrace::default();
    let mut uses = IndexSet::<TypeUse, FxBuildHasher>::default();
    for (index, action) in trajectory.actions.iter().enumerate() {
        let [before, after] = [index, index + 1].map(|clock| {
            let written = eye.written(&trajectory.states[clock], &all).into_iter().enumerate();
            let kept: Vec<ClosedWorldLiteral> = written
                .filter(|(place, _)| keep(clock, *place))
                .map(|(_, literal)| literal)
                .collect();
            for literal in &kept {
                uses.extend(eye.uses_in(literal.symbol, &literal.arguments));
            }
            let usable = kept.iter().filter(|literal| {
                literal.arguments.iter().all(|object| action.arguments.contains(object))
            });
            StateRow {
                clock,
                literals: usable
                    .map(|literal| (eye.lift(action, literal), literal.value))
                    .collect(),
            }
        });
        let types = action.arguments.iter().map(|&object| objects.type_of(object)).collect();
        seen.steps.push(SeenStep { action: action.symbol, types, before, after });
    }
    seen.uses = uses.into_iter().collect();
    seen
}

/// A literal, or the value of a function.
struct ClosedWorldLiteral {
    symbol: SymbolId,
    arguments: Arguments,
    /// 1 is true, 0 is false.
    value: f64,
}

/// Looks at the states of a trace.
struct Eye<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
    universe: &'a Universe,
}

impl Eye<'_> {
    fn row(&self, clock: usize, action: &GroundAction, state: &State) -> StateRow {
        let own: BTreeSet<ObjectId> = action.arguments.iter().copied().collect();
        let literals = self.written(state, &self.in_byte_order(own));
        StateRow {
            clock,
            literals: literals
                .iter()
                .map(|literal| (self.lift(action, literal), literal.value))
                .collect(),
        }
    }

    /// What is written of a state about these objects, in its order.
    fn written(&self, state: &State, objects: &[ObjectId]) -> Vec<ClosedWorldLiteral> {
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for predicate in (0..self.domain.signature.predicates.len()).map(PredicateId::from) {
            self.groundings(predicate, objects, &mut |arguments| {
                let atom =
                    GroundAtom { symbol: predicate, arguments: Arguments::from_slice(arguments) };
                let holds = self.holds(&atom, state);
                let text =
                    self.text(self.domain.signature.predicates.name(predicate.index()), arguments);
                let value = if holds { 1.0 } else { 0.0 };
                let literal = ClosedWorldLiteral {
                    symbol: SymbolId::Predicate(predicate),
                    arguments: atom.arguments,
                    value,
                };
                if holds { &mut positive } else { &mut negative }.push((text, literal));
                true
            });
        }
        positive.sort_by(|(left, _), (right, _)| left.cmp(right));
        negative.sort_by(|(left, _), (right, _)| left.cmp(right));
        let functions = state.values().filter_map(|(id, value)| {
            let GroundFunction { symbol, arguments } = self.universe.ground_function(id);
            let usable = arguments.iter().all(|object| objects.contains(object));
            usable.then(|| ClosedWorldLiteral {
                symbol: SymbolId::Function(*symbol),
                arguments: arguments.clone(),
                value: nearest(value),
            })
        });
        let positive = positive.into_iter().map(|(_, literal)| literal);
        positive.chain(functions).chain(negative.into_iter().map(|(_, literal)| literal)).collect()
    }

    fn holds(&self, atom: &GroundAtom, state: &State) -> bool {
        self.universe.find_atom(atom).is_some_and(|id| state.contains(id))
    }

    /// Objects become parameters; of several that are one object, the first.
    fn lift(&self, action: &GroundAction, literal: &ClosedWorldLiteral) -> TypedApplication {
        TypedApplication {
            symbol: literal.symbol,
            arguments: literal
                .arguments
                .iter()
                .map(|object| {
                    let first = action.arguments.iter().position(|own| own == object);
                    (first.unwrap_or_default(), self.objects.type_of(*object))
                })
                .collect(),
        }
    }

    /// How a grounding is written. Names are in upper case, and letters come after blanks.
    fn text(&self, symbol: &str, arguments: &[ObjectId]) -> String {
        let mut text = symbol.to_ascii_uppercase();
        for &object in arguments {
            text.push(' ');
            text += &self.objects.name(object).to_ascii_uppercase();
        }
        text
    }

    fn in_byte_order(&self, objects: impl IntoIterator<Item = ObjectId>) -> Vec<ObjectId> {
        let mut objects: Vec<ObjectId> = objects.into_iter().collect();
        objects.sort_by_cached_key(|&object| self.objects.name(object).to_ascii_uppercase());
        objects
    }

    /// Shows the groundings of a predicate over distinct objects of fitting types, in the order in
    /// which `objects` are given, until `visit` returns false.
    fn groundings(
        &self,
        predicate: PredicateId,
        objects: &[ObjectId],
        visit: &mut dyn FnMut(&[ObjectId]) -> bool,
    ) {
        let parameters = self.domain.signature.predicate(predicate).parameters.len();
        self.complete(predicate, parameters, objects, &mut SmallVec::new(), visit);
    }

    fn complete(
        &self,
        predicate: PredicateId,
        parameters: usize,
        objects: &[ObjectId],
        chosen: &mut SmallVec<[ObjectId; 4]>,
        visit: &mut dyn FnMut(&[ObjectId]) -> bool,
    ) -> bool {
        if chosen.len() == parameters {
            return visit(chosen);
        }
        for &object in objects {
            if self.fits(predicate, chosen.len(), object) && !chosen.contains(&object) {
                chosen.push(object);
                let go_on = self.complete(predicate, parameters, objects, chosen, visit);
                chosen.pop();
                if !go_on {
                    return false;
                }
            }
        }
        true
    }

    fn fits(&self, predicate: PredicateId, position: usize, object: ObjectId) -> bool {
        let types = &self.domain.signature.predicate(predicate).parameters[position].types;
        types.admits(&self.domain.signature.types, self.objects.type_of(object))
    }

    fn use_of(&self, symbol: SymbolId, position: usize, object: ObjectId) -> TypeUse {
        TypeUse { symbol, position, of: self.objects.type_of(object) }
    }

    /// The types at the positions of one literal.
    fn uses_in(&self, symbol: SymbolId, arguments: &[ObjectId]) -> impl Iterator<Item = TypeUse> {
        let objects = arguments.iter().enumerate();
        objects.map(move |(position, &object)| self.use_of(symbol, position, object))
    }

    /// Which types occur where. Every state mentions every grounding, so the first state shows all
    /// of them, the true atoms first.
    fn uses(&self, state: &State) -> Vec<TypeUse> {
        let mut uses = IndexSet::<TypeUse, FxBuildHasher>::default();
        let all = self.in_byte_order(self.objects.ids());
        for predicate in (0..self.domain.signature.predicates.len()).map(PredicateId::from) {
            let symbol = SymbolId::Predicate(predicate);
            let name = self.domain.signature.predicates.name(predicate.index());
            let true_atoms = state
                .atoms()
                .map(|id| self.universe.ground_atom(id))
                .filter(|atom| atom.symbol == predicate);
            let mut atoms: Vec<&GroundAtom> =
                true_atoms.filter(|atom| are_distinct(&atom.arguments)).collect();
            atoms.sort_by_cached_key(|atom| self.text(name, &atom.arguments));
            for atom in atoms {
                uses.extend(self.uses_in(symbol, &atom.arguments));
            }
            let positions = 0..self.domain.signature.predicate(predicate).parameters.len();
            let mut missing: BTreeSet<(usize, u32)> = BTreeSet::new();
            for (position, &object) in
                positions.flat_map(|position| all.iter().map(move |object| (position, object)))
            {
                if self.fits(predicate, position, object)
                    && !uses.contains(&self.use_of(symbol, position, object))
                {
                    missing.insert((position, self.objects.type_of(object).0));
                }
            }
            if missing.is_empty() {
                continue;
            }
            self.groundings(predicate, &all, &mut |arguments| {
                let atom =
                    GroundAtom { symbol: predicate, arguments: Arguments::from_slice(arguments) };
                if !self.holds(&atom, state) {
                    for (position, &object) in arguments.iter().enumerate() {
                        if missing.remove(&(position, self.objects.type_of(object).0)) {
                            uses.insert(self.use_of(symbol, position, object));
                        }
                    }
                }
                !missing.is_empty()
            });
        }
        for (id, _) in state.values() {
            let function = self.universe.ground_function(id);
            let symbol = SymbolId::Function(function.symbol);
            uses.extend(self.uses_in(symbol, &function.arguments));
        }
        uses.into_iter().collect()
    }
}

/// The nearest double, as a C program reads a decimal.
fn nearest(value: &Rational) -> f64 {
    const EXACT: i64 = 1 << f64::MANTISSA_DIGITS;
    match value.as_small() {
        Some((num, den)) if num.abs() <= EXACT && den <= EXACT => num as f64 / den as f64,
        _ => {
            value.to_decimal().and_then(|text| text.parse().ok()).unwrap_or_else(|| value.to_f64())
        }
    }
}

fn are_distinct(objects: &[ObjectId]) -> bool {
    objects.iter().enumerate().all(|(index, object)| !objects[..index].contains(object))
}
