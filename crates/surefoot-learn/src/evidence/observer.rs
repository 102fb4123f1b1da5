//! Reduces a step to the vocabulary of its action: what changed that the action may change, and
//! whether anything else did.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;
use surefoot_base::model::{
    AtomId, Attempt, Domain, FunctionId, GroundAction, GroundAtom, GroundFunction, Objects, State,
    Step, Universe, ValueId,
};
use surefoot_base::pddl::Writer;

use super::action::Observation;
use super::binding::Pattern;
use super::failed_attempts::FailedAttempt;
use super::ids::LiftedFunctionId;
use super::incomplete::UnknownValues;
use super::learner::Attempts;
use super::lens::{Lens, Mention};
use super::truth_pairs::TruthPairs;
use super::vocabulary::Vocabulary;

/// Something in a step that no model of the class explains, whatever the other steps are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Anomaly {
    /// An atom changed whose arguments are not among those of the action.
    AtomChanged(AtomId),
    /// A function changed whose arguments are not among those of the action.
    FunctionChanged(ValueId),
    /// Records of a function whose arguments are not among those of the action are further apart
    /// than this error of each explains.
    Apart(ValueId, Rational),
    /// A function lost its value.
    BecameUndefined(ValueId),
    /// The value of an input changed.
    InputChanged(ValueId),
}

impl Anomaly {
    /// The same where records of the function may be off: they are further apart than that
    /// explains.
    fn of(self, lens: &Lens, step: Step<'_>) -> Self {
        let Anomaly::FunctionChanged(id) = self else { return self };
        let known = step.before.value(id).is_some();
        let error =
            lens.class().errors.get(&step.universe.ground_function(id).symbol).filter(|_| known);
        error.map_or(self, |error| Anomaly::Apart(id, error.clone()))
    }

    /// What is wrong with the step it was found in, in words.
    pub fn in_words(&self, domain: &Domain, objects: &Objects, step: Step<'_>) -> String {
        let writer = Writer::new(domain, objects);
        let action = writer.ground_action(step.action);
        match self {
            Anomaly::AtomChanged(atom) => {
                let atom = writer.ground_atom(step.universe.ground_atom(*atom));
                format!("{action} changes {atom}, whose objects are not among its arguments")
            }
            Anomaly::FunctionChanged(function) => {
                let function = writer.ground_function(step.universe.ground_function(*function));
                format!("{action} changes {function}, whose objects are not among its arguments")
            }
            Anomaly::Apart(id, error) => {
                let function = writer.ground_function(step.universe.ground_function(*id));
                let [before, after] = [step.before, step.after]
                    .map(|state| state.value(*id).map(Rational::to_string).unwrap_or_default());
                let two = &Rational::integer(2) * error;
                format!(
                    "{action}: {function} is {before} before it and {after} after it, though its \
                     objects are not among the arguments: records \
                     of one value differ by at most {two} where each is within {error} of it"
                )
            }
            Anomaly::BecameUndefined(function) => {
                let function = writer.ground_function(step.universe.ground_function(*function));
                format!("{action} leaves {function} without a value")
            }
            Anomaly::InputChanged(function) => {
                let function = writer.ground_function(step.universe.ground_function(*function));
                format!("{action} changes {function}, but the value of a chosen number is fixed")
            }
        }
    }
}

/// Looks at the events of one trace through a [`Lens`]. It remembers the grounding of each action,
/// since traces repeat them; all events that it sees are numbered by one universe.
pub struct Observer {
    lens: Lens,
    places: FxHashMap<GroundAction, usize>,
    groundings: Vec<Grounding>,
}

struct Grounding {
    pattern: Pattern,
    /// By class of atoms: the ground atom, once it was met.
    atoms: Vec<(GroundAtom, Option<AtomId>)>,
    /// By function: the ground function, once it was met.
    functions: Vec<(GroundFunction, Option<ValueId>)>,
    value_of_inputs: Option<FunctionId>,
    /// How much was numbered when these were looked up.
    numbered: (usize, usize),
}

impl Observer {
    /// An observer of a trace.
    pub fn new(lens: Lens) -> Self {
        Observer { lens, places: FxHashMap::default(), groundings: Vec::new() }
    }

    /// What a step shows.
    ///
    /// # Errors
    /// What about it no model of the class explains.
    pub fn observe_step(&mut self, step: Step<'_>) -> Result<Observation, Anomaly> {
        self.observe_among(step, None)
    }

    /// The same where it is known in which atoms and functions both states may differ, so that no
    /// others need be compared.
    ///
    /// # Errors
    /// What about it no model of the class explains.
    pub fn observe_changed(
        &mut self,
        step: Step<'_>,
        changed: (&[AtomId], &[ValueId]),
    ) -> Result<Observation, Anomaly> {
        self.observe_among(step, Some(changed))
    }

    fn observe_among(
        &mut self,
        step: Step<'_>,
        changed: Option<(&[AtomId], &[ValueId])>,
    ) -> Result<Observation, Anomaly> {
        let (lens, grounding) = self.grounding(step.action, step.universe);
        let Step { before, after, .. } = step;
        match changed {
            None => {
                let values =
                    before.differing_values(after).filter(|&id| !off_by_little(lens, step, id));
                grounding
                    .check_frame(before.differing_atoms(after), values, after)
                    .map_err(|found| found.of(lens, step))?;
            }
            Some((atoms, values)) => {
                let atoms = atoms.iter().copied().filter(|&id| before.differs_in_atom(after, id));
                let values =
                    values.iter().copied().filter(|&id| before.differs_in_value(after, id));
                let values = values.filter(|&id| !off_by_little(lens, step, id));
                grounding
                    .check_frame(atoms, values, after)
                    .map_err(|found| found.of(lens, step))?;
            }
        }
        let truths = grounding.truths(step.before).zip(grounding.truths(step.after));
        let seen = truths.map(|(before, after)| TruthPairs::of(before, after)).collect();
        let before = grounding.values(step.before).collect();
        let after = grounding.values(step.after).collect();
        let unknown = UnknownValues {
            before: grounding.unknown(step.before),
            after: grounding.unknown(step.after),
        };
        Ok(Observation { pattern: grounding.pattern.clone(), seen, before, after, unknown })
    }

    /// The functions whose value changes in a step although no argument of its action reaches them.
    pub(crate) fn unreached(&mut self, step: Step<'_>) -> Vec<ValueId> {
        let (_, grounding) = self.grounding(step.action, step.universe);
        let changed = step.before.differing_values(step.after);
        changed
            .filter(|value| grounding.functions.iter().all(|(_, id)| *id != Some(*value)))
            .collect()
    }

    /// What an attempt shows that failed, or anything else that is asked about a ground action in a
    /// state.
    pub fn observe_attempt(&mut self, attempt: Attempt<'_>) -> FailedAttempt {
        let (_, grounding) = self.grounding(attempt.action, attempt.universe);
        let state = attempt.before;
        FailedAttempt {
            pattern: grounding.pattern.clone(),
            holds: grounding.truths(state).collect(),
            before: grounding.values(state).collect(),
            unknown: grounding.unknown(state),
        }
    }

    /// What an attempt shows that failed. It is counted, with what was unknown before it.
    pub fn count_attempt(&mut self, attempt: Attempt<'_>, counts: &mut Attempts) -> FailedAttempt {
        let failed = self.observe_attempt(attempt);
        counts.failed += 1;
        if !failed.is_complete() {
            counts.add_unclear(self.unknown_of(attempt));
        }
        failed
    }

    /// What is unknown before an attempt that the action may mention.
    pub fn unknown_of(&mut self, attempt: Attempt<'_>) -> Vec<Mention> {
        let (lens, grounding) = self.grounding(attempt.action, attempt.universe);
        let classes = grounding.pattern.classes(&lens.vocabulary(attempt.action.symbol).atoms);
        let atoms = grounding
            .atoms
            .iter()
            .zip(&classes)
            .filter(|((_, id), _)| id.is_some_and(|id| attempt.before.is_atom_unknown(id)))
            .map(|(_, class)| Mention::Atom(class[0]));
        let functions = grounding.unknown(attempt.before).into_iter().map(Mention::Function);
        atoms.chain(functions).collect()
    }

    fn grounding(&mut self, action: &GroundAction, universe: &Universe) -> (&Lens, &Grounding) {
        let place = match self.places.get(action) {
            Some(&place) => place,
            None => {
                let constants = self.lens.domain().signature.constants.len();
                let vocabulary = self.lens.vocabulary(action.symbol);
                self.groundings.push(Grounding::new(vocabulary, action, constants));
                self.places.insert(action.clone(), self.groundings.len() - 1);
                self.groundings.len() - 1
            }
        };
        let grounding = &mut self.groundings[place];
        grounding.look(universe);
        (&self.lens, grounding)
    }
}

/// Whether two records of a function can be of one true value, since each may be off.
fn off_by_little(lens: &Lens, Step { before, after, universe, .. }: Step<'_>, id: ValueId) -> bool {
    let errors = &lens.class().errors;
    if errors.is_empty() {
        return false;
    }
    let (Some(before), Some(after)) = (before.value(id), after.value(id)) else { return false };
    let error = errors.get(&universe.ground_function(id).symbol);
    error.is_some_and(|error| (after - before).abs() <= &Rational::integer(2) * error)
}

impl Grounding {
    fn new(vocabulary: &Vocabulary, action: &GroundAction, constants: usize) -> Self {
        let pattern = Pattern::of(&action.arguments, constants, &vocabulary.inputs);
        let classes = pattern.classes(&vocabulary.atoms);
        let atoms = classes
            .iter()
            .map(|class| (vocabulary.atoms[class[0]].ground(&action.arguments), None))
            .collect();
        let functions = vocabulary
            .functions
            .iter()
            .map(|function| (function.ground(&action.arguments), None))
            .collect();
        let value_of_inputs = vocabulary.value_of_inputs;
        Grounding { pattern, atoms, functions, value_of_inputs, numbered: (0, 0) }
    }

    /// Looks up what the trajectory has named since the last time.
    fn look(&mut self, universe: &Universe) {
        let numbered = (universe.atom_count(), universe.value_count());
        if std::mem::replace(&mut self.numbered, numbered) == numbered {
            return;
        }
        for (atom, id) in self.atoms.iter_mut().filter(|(_, id)| id.is_none()) {
            *id = universe.find_atom(atom);
        }
        for (function, id) in self.functions.iter_mut().filter(|(_, id)| id.is_none()) {
            *id = universe.find_value(function);
        }
    }

    /// By class of atoms: whether it is true in a state; `None` where that is unknown.
    fn truths(&self, state: &State) -> impl Iterator<Item = Option<bool>> {
        self.atoms.iter().map(|&(_, id)| match id {
            Some(id) if state.is_atom_unknown(id) => None,
            id => Some(id.is_some_and(|id| state.contains(id))),
        })
    }

    /// By function: its value in a state; `None` where it has none, or where that is unknown.
    fn values(&self, state: &State) -> impl Iterator<Item = Option<Rational>> {
        self.functions.iter().map(|&(_, id)| id.and_then(|id| state.value(id)).cloned())
    }

    /// The functions whose value is unknown in a state.
    fn unknown(&self, state: &State) -> BTreeSet<LiftedFunctionId> {
        if !state.has_unknown() {
            return BTreeSet::new();
        }
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, (_, id))| id.is_some_and(|id| state.is_value_unknown(id)))
            .map(|(index, _)| LiftedFunctionId::from_index(index))
            .collect()
    }

    /// Nothing changes but what the action's arguments reach.
    fn check_frame(
        &self,
        atoms: impl Iterator<Item = AtomId>,
        values: impl Iterator<Item = ValueId>,
        after: &State,
    ) -> Result<(), Anomaly> {
        for atom in atoms {
            if !self.atoms.iter().any(|(_, id)| *id == Some(atom)) {
                return Err(Anomaly::AtomChanged(atom));
            }
        }
        for value in values {
            if after.value(value).is_none() {
                return Err(Anomaly::BecameUndefined(value));
            }
            match self.functions.iter().find(|(_, id)| *id == Some(value)) {
                None => return Err(Anomaly::FunctionChanged(value)),
                Some((function, _)) if Some(function.symbol) == self.value_of_inputs => {
                    return Err(Anomaly::InputChanged(value));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}
