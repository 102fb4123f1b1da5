//! The seam between where recorded steps come from (files, memory, logs) and who learns from them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use surefoot_base::certificate::digest;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Arguments, Domain, Event, Ground, Objects, State, Step, Universe};
use surefoot_base::pddl::{
    Diagnostic, Numbers, ReadError, Source, TrajectoryReader, assumed_by, infer_objects,
};

/// An event of a recording: which trace, and which event of it, both from 0. Attempts that failed
/// are counted, too.
pub type StepId = (usize, usize);

/// A recorded step, or a recorded attempt that failed, where it was recorded.
pub struct Recorded<'a> {
    /// Its number in its trace, from 0; attempts that failed are counted, too.
    pub index: usize,
    /// What was done, before and after; or what was tried.
    pub event: Event<'a>,
    /// The objects there are.
    pub objects: &'a Objects,
    place: &'a dyn Fn(String) -> Diagnostic,
    code: Option<&'a str>,
    ends: Option<[StateKey; 2]>,
}

/// Tells states of several traces apart, whichever objects and numbers they were read with. Equal
/// states have equal keys. Different states may have equal keys, too, though that is unlikely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateKey(u64);

impl StateKey {
    /// The key of a state.
    pub fn of(objects: &Objects, universe: &Universe, state: &State) -> Self {
        // The facts of a state have no order of their own, so their hashes are added up.
        let mut sum = 0_u64;
        let mut add = |kind: u8, symbol: usize, arguments: &Arguments, value: Option<&Rational>| {
            let mut hasher = DefaultHasher::new();
            (kind, symbol, value).hash(&mut hasher);
            for &object in arguments {
                objects.name(object).to_ascii_lowercase().hash(&mut hasher);
            }
            sum = sum.wrapping_add(hasher.finish());
        };
        let unknown = state.unknown_atoms().map(|atom| (1, atom));
        for (kind, atom) in state.atoms().map(|atom| (0, atom)).chain(unknown) {
            let Ground { symbol, arguments } = universe.ground_atom(atom);
            add(kind, symbol.index(), arguments, None);
        }
        let unknown = state.unknown_values().map(|function| (3, function, None));
        let known = state.values().map(|(function, value)| (2, function, Some(value)));
        for (kind, function, value) in known.chain(unknown) {
            let Ground { symbol, arguments } = universe.ground_function(function);
            add(kind, symbol.index(), arguments, value);
        }
        StateKey(sum)
    }
}

impl<'a> Recorded<'a> {
    /// An event; `place` makes messages that say where it stands.
    pub fn new(
        index: usize,
        event: Event<'a>,
        objects: &'a Objects,
        place: &'a dyn Fn(String) -> Diagnostic,
    ) -> Self {
        Recorded { index, event, objects, place, code: None, ends: None }
    }

    /// Adds the code that the record gives for the outcome, such as `E_BATT`. It is quoted in
    /// messages, and nothing is learned from it.
    #[must_use]
    pub fn with_code(self, code: Option<&'a str>) -> Self {
        Recorded { code, ..self }
    }

    /// Adds the keys of the states before and after (twice the same where an attempt failed). A
    /// recording does so if the steps of one execution may be in several of its traces.
    #[must_use]
    pub fn between(self, ends: [StateKey; 2]) -> Self {
        Recorded { ends: Some(ends), ..self }
    }

    /// The keys of the states before and after, where other traces may have the same states.
    pub fn ends(&self) -> Option<[StateKey; 2]> {
        self.ends
    }

    /// The code that the record gives for what became of it.
    pub fn code(&self) -> Option<&'a str> {
        self.code
    }

    /// The step, where it worked.
    pub fn step(&self) -> Option<Step<'a>> {
        self.event.step()
    }

    /// The step, read as a failed attempt.
    pub fn as_failed(&self) -> Recorded<'a> {
        Recorded { event: Event::Failed(self.event.attempt()), ..*self }
    }

    /// The same record of another event.
    pub(crate) fn with_event<'b>(&self, event: Event<'b>) -> Recorded<'b>
    where
        'a: 'b,
    {
        Recorded { event, ..*self }
    }

    /// A message about this step.
    pub fn error(&self, message: String) -> Diagnostic {
        (self.place)(message)
    }
}

/// Where the steps of a trace come from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance {
    /// The digest that identifies the trace, if it was asked for.
    pub digest: Option<String>,
    /// What was taken for granted on the way from what was recorded to these steps, a sentence
    /// each. Every model that is learned from them assumes it.
    pub assumed: BTreeSet<String>,
}

impl Provenance {
    /// Of steps for which nothing was taken for granted.
    pub fn plain(digest: Option<String>) -> Self {
        Provenance { digest, assumed: BTreeSet::new() }
    }
}

/// Looks at a step, and says whether to go on.
pub type Visit<'v> = dyn FnMut(&Recorded<'_>) -> bool + 'v;

/// Recorded executions, trace by trace. Traces are numbered, read as often as need be, each time
/// the same, and by several threads at once; none of them is kept in memory by those who read them.
pub trait Recording: Sync {
    /// How many traces there are.
    fn traces(&self) -> usize;

    /// Shows the steps of a trace, in order, until `visit` returns false. Returns where they come
    /// from: what had to be assumed to read them, and the digest of the trace, if it is asked for.
    ///
    /// # Errors
    /// The trace cannot be read, or does not read as one of the domain.
    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError>;

    /// The steps of a trace that were recorded as ones that worked and are read as attempts that
    /// failed, which is an assumption; `None` where every step that was recorded as one that worked
    /// is shown as such.
    fn read_as_failed(&self, trace: usize) -> Option<BTreeSet<usize>> {
        let _ = trace;
        None
    }

    /// The digest that identifies a trace, without reading its steps.
    ///
    /// # Errors
    /// The trace cannot be read.
    fn digest(&self, trace: usize) -> Result<String, ReadError>;

    /// The trajectory that a trace was recorded as, over its objects; `None` where it was recorded
    /// otherwise.
    ///
    /// # Errors
    /// The trace or its objects cannot be read.
    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        let _ = (trace, domain, numbers);
        Ok(None)
    }
}

/// Recorded executions in the form of text: a [`Recording`] that says no more than where each
/// trajectory and its objects are.
pub trait Texts: Sync {
    /// How many traces there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a trace.
    ///
    /// # Errors
    /// It cannot be read.
    fn source(&self, trace: usize) -> Result<Arc<Source>, ReadError>;

    /// The objects that a trace is about.
    ///
    /// # Errors
    /// They cannot be read, or the text does not determine them.
    fn objects(
        &self,
        trace: usize,
        source: &Source,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Cow<'_, Objects>, ReadError>;
}

impl<T: Texts> Recording for T {
    fn traces(&self) -> usize {
        self.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        let source = self.source(trace)?;
        let objects = self.objects(trace, &source, domain, numbers)?;
        read_text(&source, &objects, domain, numbers, visit)?;
        let digest = with_digest.then(|| digest(source.text()));
        Ok(Provenance { digest, assumed: assumed_by(source.text()) })
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        Ok(digest(self.source(trace)?.text()))
    }

    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        let source = self.source(trace)?;
        let objects = self.objects(trace, &source, domain, numbers)?.into_owned();
        Ok(Some(Trace { source, objects: Some(Arc::new(objects)) }))
    }
}

/// Shows the steps of a trajectory, until `visit` returns false.
pub(crate) fn read_text(
    source: &Source,
    objects: &Objects,
    domain: &Domain,
    numbers: Numbers,
    visit: &mut Visit<'_>,
) -> Result<(), ReadError> {
    let mut reader = TrajectoryReader::new(source, domain, objects, numbers)?;
    let mut index = 0;
    while let Some(entry) = reader.next_entry()? {
        let place = |message: String| entry.error(message);
        if !visit(&Recorded::new(index, entry.event, objects, &place)) {
            break;
        }
        index += 1;
    }
    Ok(())
}

/// A trajectory in memory.
#[derive(Clone, Debug)]
pub struct Trace {
    source: Arc<Source>,
    objects: Option<Arc<Objects>>,
}

impl Trace {
    /// A trajectory over the objects of a problem.
    pub fn new(source: Source, objects: &Objects) -> Self {
        Trace { source: Arc::new(source), objects: Some(Arc::new(objects.clone())) }
    }

    /// A trajectory whose objects are inferred from how they are used.
    pub fn inferred(source: Source) -> Self {
        Trace { source: Arc::new(source), objects: None }
    }

    /// The text.
    pub(crate) fn text(&self) -> &Source {
        &self.source
    }

    /// The objects, where they need not be inferred.
    pub(crate) fn given_objects(&self) -> Option<&Objects> {
        self.objects.as_deref()
    }
}

impl Texts for &[Trace] {
    fn len(&self) -> usize {
        <[Trace]>::len(self)
    }

    fn source(&self, trace: usize) -> Result<Arc<Source>, ReadError> {
        Ok(Arc::clone(&self[trace].source))
    }

    fn objects(
        &self,
        trace: usize,
        source: &Source,
        domain: &Domain,
        _: Numbers,
    ) -> Result<Cow<'_, Objects>, ReadError> {
        match &self[trace].objects {
            Some(objects) => Ok(Cow::Borrowed(objects)),
            None => infer_objects(source, domain).map(Cow::Owned),
        }
    }
}

/// A recording without traces.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTraces;

impl Recording for NoTraces {
    fn traces(&self) -> usize {
        0
    }

    fn read(
        &self,
        _: usize,
        _: &Domain,
        _: Numbers,
        _: bool,
        _: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        Ok(Provenance::default())
    }

    fn digest(&self, _: usize) -> Result<String, ReadError> {
        Ok(String::new())
    }
}

/// Some traces of a recording, in the order in which they are named.
#[derive(Clone)]
pub struct TraceSubset<'a> {
    recording: &'a dyn Recording,
    which: Vec<usize>,
}

impl<'a> TraceSubset<'a> {
    /// The traces of these numbers, each below [`Recording::traces`].
    pub fn new(recording: &'a dyn Recording, which: impl IntoIterator<Item = usize>) -> Self {
        TraceSubset { recording, which: which.into_iter().collect() }
    }
}

impl Recording for TraceSubset<'_> {
    fn traces(&self) -> usize {
        self.which.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        self.recording.read(self.which[trace], domain, numbers, with_digest, visit)
    }

    fn read_as_failed(&self, trace: usize) -> Option<BTreeSet<usize>> {
        self.recording.read_as_failed(self.which[trace])
    }

    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        self.recording.digest(self.which[trace])
    }

    fn text(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
    ) -> Result<Option<Trace>, ReadError> {
        self.recording.text(self.which[trace], domain, numbers)
    }
}

/// What a job is at. Reading is not all of it: with many numbers, computing regions takes longer
/// than anything else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Traces are read, and what they show is kept.
    Reading,
    /// Steps are looked for that no model explains together with the others.
    Blaming,
    /// Each action is concluded from its evidence: its conditions, the region of its numbers, its
    /// effects.
    Concluding,
    /// Recorded steps are tried in the model.
    Trying,
    /// The traces are tried one after the other in the models of those before.
    Ordering,
    /// Traces are tried in the models of all others.
    LeavingOut,
    /// Traces are looked for that would have been enough.
    Sufficing,
}

impl Phase {
    /// What goes on, for people.
    pub fn in_words(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Blaming => "looking for wrong records",
            Phase::Concluding => "concluding",
            Phase::Trying => "trying the records in the model",
            Phase::Ordering => "trying traces in several orders",
            Phase::LeavingOut => "trying traces that are left out",
            Phase::Sufficing => "looking for traces that suffice",
        }
    }

    /// What its parts are.
    pub fn parts(self) -> &'static str {
        match self {
            Phase::Concluding | Phase::Blaming => "actions",
            Phase::Ordering => "orders",
            Phase::Reading | Phase::Trying | Phase::LeavingOut | Phase::Sufficing => "traces",
        }
    }
}

/// Receives the progress of a job, and decides whether the job goes on.
pub trait Progress: Sync {
    /// A phase with this many parts begins; zero: the number is not known.
    fn phase(&self, _phase: Phase, _parts: usize) {}
    /// A part of a phase begins that has a name, in whichever thread: an action is concluded.
    fn part_begun(&self, _phase: Phase, _name: &str) {}
    /// A part of a phase other than reading is done, by whichever thread.
    fn part_done(&self) {}
    /// A trace was read.
    fn trace_read(&self) {}
    /// Whether to go on; asked at every step, and between the parts of every phase.
    fn go_on(&self) -> bool {
        true
    }
}

/// Reports progress to nobody, and never stops the job.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Progress for Unwatched {}
