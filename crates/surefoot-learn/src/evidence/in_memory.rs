//! Steps that came from no file, kept as far as learners look at them, so that the same can be done
//! about bad data as with files.
//!
//! Of a step only what its action can see is kept. That is enough to show it again: a step of as
//! many objects, with the same names, in which the same atoms and functions have the same values.
//! Whoever observes it sees what was seen the first time.

use std::collections::BTreeSet;
use std::fmt::Write;

use surefoot_base::certificate::digest;
use surefoot_base::model::{
    ActionId, Arguments, Attempt, Domain, Event, GroundAction, ObjectId, Objects, State, Step,
    TypeId, Universe,
};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError};

use super::action::Observation;
use super::failed_attempts::FailedAttempt;
use super::lens::Lens;
use super::recording::{Provenance, Recorded, Recording, StateKey, Trace, Visit};
use super::vocabulary::Vocabulary;

/// At most this many steps are kept.
const MOST: usize = 50_000;

/// Steps in memory, call by call: a recording, as long as they are not too many.
#[derive(Clone, Debug)]
pub struct Remembered {
    lens: Lens,
    calls: Vec<Vec<(RememberedEvent, usize)>>,
    steps: usize,
    complete: bool,
}

/// One step, or one failed attempt.
#[derive(Clone, Debug)]
struct RememberedEvent {
    /// An action of the learned domain.
    action: ActionId,
    /// The names of its arguments.
    arguments: Vec<Box<str>>,
    /// The observation; for a failed attempt, that of a step which changes nothing.
    observation: Observation,
    worked: bool,
    /// The keys of the whole states before and after: nobody knows which calls belong to one
    /// execution.
    ends: [StateKey; 2],
}

impl Remembered {
    /// A recording without any trace.
    pub fn new(lens: &Lens) -> Self {
        Remembered { lens: lens.clone(), calls: Vec::new(), steps: 0, complete: true }
    }

    /// Whether all steps that were pushed are kept.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Notes that something was learned that is not kept here.
    pub fn forget(&mut self) {
        self.complete = false;
    }

    /// Begins a call, whose steps are numbered from 0. Calls are numbered from 0, too.
    pub fn begin(&mut self) {
        if self.calls.last().is_none_or(|call| !call.is_empty()) {
            self.calls.push(Vec::new());
        }
    }

    /// Takes back the last call.
    pub fn take_back(&mut self) {
        if let Some(call) = self.calls.last_mut() {
            self.steps -= call.len();
            call.clear();
        }
    }

    /// Keeps a step of the last call, if there is room for it. `index` is its number in the call.
    pub fn push(
        &mut self,
        index: usize,
        action: ActionId,
        arguments: Vec<Box<str>>,
        observation: &Observation,
        ends: [StateKey; 2],
    ) {
        self.keep(index, || RememberedEvent {
            action,
            arguments,
            observation: observation.clone(),
            worked: true,
            ends,
        });
    }

    /// Adds an attempt that failed.
    pub fn push_failure(
        &mut self,
        index: usize,
        action: ActionId,
        arguments: Vec<Box<str>>,
        failed: &FailedAttempt,
        state: StateKey,
    ) {
        self.keep(index, || RememberedEvent {
            action,
            arguments,
            observation: failed.as_unchanged(),
            worked: false,
            ends: [state; 2],
        });
    }

    /// Whether there is room for another step.
    pub fn has_room(&self) -> bool {
        self.steps < MOST
    }

    fn keep(&mut self, index: usize, seen: impl FnOnce() -> RememberedEvent) {
        match self.calls.last_mut() {
            Some(call) if self.steps < MOST => {
                call.push((seen(), index));
                self.steps += 1;
            }
            _ => self.complete = false,
        }
    }

    /// Adds what another one keeps.
    pub fn merge(&mut self, other: &Remembered) {
        self.complete &= other.complete;
        if self.steps + other.steps > MOST {
            self.complete = false;
            return;
        }
        self.calls.extend(other.calls.iter().cloned());
        self.steps += other.steps;
    }
}

impl Recording for Remembered {
    fn traces(&self) -> usize {
        self.calls.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        _: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        for (seen, index) in &self.calls[trace] {
            let (given, _) = self.lens.parts().given_id(seen.action);
            let shown = seen.shown(domain, given, self.lens.vocabulary(seen.action));
            let ExampleStep { before, action, after, universe, .. } = &shown;
            let event = match seen.worked {
                true => Event::Worked(Step { before, action, after, universe }),
                false => Event::Failed(Attempt { before, action, universe }),
            };
            let place = |message: String| {
                Diagnostic::of_file(&format!("step {index} of call {trace}"), message)
            };
            if !visit(&Recorded::new(*index, event, &shown.objects, &place).between(seen.ends)) {
                break;
            }
        }
        with_digest.then(|| self.digest(trace)).transpose().map(Provenance::plain)
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        let mut text = String::new();
        for (seen, index) in &self.calls[trace] {
            let failed = if seen.worked { "" } else { "failed " };
            let _ = writeln!(
                text,
                "{index} {failed}{:?} {:?} {:?}",
                seen.action.index(),
                seen.arguments,
                seen.observation
            );
        }
        Ok(digest(&text))
    }
}

/// One recording after another.
pub struct Both<'a>(pub &'a dyn Recording, pub &'a dyn Recording);

impl Both<'_> {
    /// Which of them has a trace, and as which.
    fn of(&self, trace: usize) -> (&dyn Recording, usize) {
        match trace.checked_sub(self.0.traces()) {
            None => (self.0, trace),
            Some(trace) => (self.1, trace),
        }
    }
}

impl Recording for Both<'_> {
    fn traces(&self) -> usize {
        self.0.traces() + self.1.traces()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        let (recording, trace) = self.of(trace);
        recording.read(trace, domain, numbers, with_digest, visit)
    }

    fn read_as_failed(&self, trace: usize) -> Option<BTreeSet<usize>> {
        let (recording, trace) = self.of(trace);
        recording.read_as_failed(trace)
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        let (recording, trace) = self.of(trace);
        recording.digest(trace)
    }

    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        let (recording, trace) = self.of(trace);
        recording.text(trace, domain, numbers)
    }
}

impl RememberedEvent {
    /// `given` is the action of the domain that recordings are read with.
    fn shown(&self, domain: &Domain, given: ActionId, vocabulary: &Vocabulary) -> ExampleStep {
        ExampleStep::of(domain, given, vocabulary, &self.observation, &self.arguments)
    }
}

/// A step that has some observation.
pub struct ExampleStep {
    /// The constants of the domain, and an object for each other argument.
    pub objects: Objects,
    /// What the states are about.
    pub universe: Universe,
    /// The action of the given domain.
    pub action: GroundAction,
    /// The state before the step.
    pub before: State,
    /// The state after it.
    pub after: State,
}

impl ExampleStep {
    /// A step that has this observation. `given` is the action of the domain that recordings are
    /// read with; arguments without a name get one.
    pub fn of(
        domain: &Domain,
        given: ActionId,
        vocabulary: &Vocabulary,
        observation: &Observation,
        names: &[Box<str>],
    ) -> ExampleStep {
        let Observation { pattern, seen, before, after, unknown } = observation;
        let mut objects = domain.signature.constants.clone();
        let parameters = domain.action(given).parameters.len();
        let mut arguments: Vec<ObjectId> = Vec::new();
        for (slot, &representative) in pattern.0.iter().enumerate() {
            let known = match (representative as usize).checked_sub(parameters) {
                Some(constant) => Some(ObjectId::from(constant)),
                None => arguments.get(representative as usize).copied(),
            };
            let name = names.get(slot).map_or("", |name| &**name);
            // A name that is taken is that of a constant; the object is another one all the same.
            let new = |name: &str, objects: &mut Objects| objects.insert(name, TypeId::OBJECT).ok();
            let own = known
                .or_else(|| new(name, &mut objects))
                .or_else(|| new(&format!("{name} {slot}"), &mut objects));
            arguments.extend(own);
        }
        let mut shown = ExampleStep {
            objects,
            universe: Universe::default(),
            action: GroundAction { symbol: given, arguments: Arguments::from_vec(arguments) },
            before: State::default(),
            after: State::default(),
        };
        for (class, &seen) in pattern.classes(&vocabulary.atoms).iter().zip(seen) {
            let atom =
                shown.universe.atom(&vocabulary.atoms[class[0]].ground(&shown.action.arguments));
            let [old, new] = seen.truths();
            for (state, truth) in [(&mut shown.before, old), (&mut shown.after, new)] {
                match truth {
                    Some(true) => state.insert(atom),
                    Some(false) => state.remove(atom),
                    None => state.set_atom_unknown(atom),
                }
            }
        }
        for (function, lifted) in vocabulary.functions.pairs() {
            let id = shown.universe.value(&lifted.ground(&shown.action.arguments));
            for (state, values, unknown) in [
                (&mut shown.before, before, &unknown.before),
                (&mut shown.after, after, &unknown.after),
            ] {
                match &values[function] {
                    Some(value) => state.set_value(id, value.clone()),
                    None if unknown.contains(&function) => state.set_value_unknown(id),
                    None => {}
                }
            }
        }
        shown
    }
}
