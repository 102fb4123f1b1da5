//! The recorded events of one action, as a search for cuts looks at them.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use surefoot_base::exact::{Echelon, Rational, Row as SpanRow};
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::model::{ActionId, Event};
use surefoot_base::pddl::ReadError;

use surefoot_learn::{
    ActionEvidence, ColumnId, EqualityId, FailedAttempt, Layout, Learner, LiftedAtomId,
    LiftedFunctionId, Observation, Pattern, Recording, Settings, StepId, TruthPairs, Vocabulary,
    contradiction, is_failure_contradictory,
};

/// More events of an action are not searched.
const MOST_ROWS: usize = 20_000;

/// A recorded event of the action.
pub(super) struct Row {
    /// The number of its trace. Traces that repeat each other have one number.
    pub trace: usize,
    /// Where it was recorded.
    pub id: StepId,
    /// What it shows.
    pub event: RowEvent,
}

/// What a recorded event shows.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum RowEvent {
    /// A step that worked.
    Worked(Observation),
    /// An attempt that failed.
    Failed(FailedAttempt),
}

/// The events of one action, in the order of the digests of their traces.
pub(super) struct Rows<'a> {
    pub learner: &'a Learner,
    /// An action of the learner's domain, which has no parts yet.
    pub action: ActionId,
    pub rows: Vec<Row>,
    /// The number of traces that do not repeat others, whether they have such events or not.
    pub traces: usize,
    settings: Settings,
    /// When a search among the events ends.
    pub most_work: usize,
    patterns: BTreeMap<Pattern, PatternShape>,
    /// Whether no two atoms alias in any event.
    has_single_classes: bool,
}

/// Which atoms and functions alias under a pattern.
struct PatternShape {
    classes: Vec<Vec<LiftedAtomId>>,
    /// By atom: its class.
    class_of: Vec<usize>,
    /// Whether no functions alias.
    is_plain: bool,
}

/// Why an action is not searched.
pub(super) enum NotSearched {
    /// It has too many events.
    TooMany,
    /// Some step contradicts the class by itself.
    Anomaly,
    /// The recording cannot be read.
    Read(ReadError),
}

impl From<ReadError> for NotSearched {
    fn from(error: ReadError) -> Self {
        NotSearched::Read(error)
    }
}

/// The traces of a recording by digest, each digest once, in ascending order.
pub(super) fn distinct_traces(recording: &dyn Recording) -> Result<Vec<usize>, ReadError> {
    let mut traces: BTreeMap<String, usize> = BTreeMap::new();
    for trace in 0..recording.traces() {
        traces.entry(recording.digest(trace)?).or_insert(trace);
    }
    Ok(traces.into_values().collect())
}

/// Two traces repeat each other if they begin with so many equal events, and with half of all events
/// of the shorter one.
const REPEATED: usize = 3;

/// Numbers the traces of some events anew, and returns how many there are: traces that repeat each
/// other count as one. A job that runs every night leaves the same events again and again, and what
/// one of its traces shows is no confirmation of another.
fn number_without_copies(rows: &mut [Row], traces: usize) -> usize {
    let mut ids: FxHashMap<&RowEvent, usize> = FxHashMap::default();
    let mut events: Vec<Vec<usize>> = vec![Vec::new(); traces];
    for row in rows.iter() {
        let next = ids.len();
        events[row.trace].push(*ids.entry(&row.event).or_insert(next));
    }
    // Traces with a common beginning are neighbours in this order.
    let mut order: Vec<usize> = (0..traces).collect();
    order.sort_by(|&one, &other| events[one].cmp(&events[other]));
    let (mut numbers, mut count) = (vec![0; traces], 0);
    for (place, &trace) in order.iter().enumerate() {
        let is_copy = place > 0 && {
            let (one, other) = (&events[order[place - 1]], &events[trace]);
            let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
            common >= REPEATED && 2 * common >= one.len().min(other.len())
        };
        count += usize::from(!is_copy);
        numbers[trace] = count - 1;
    }
    rows.iter_mut().for_each(|row| row.trace = numbers[row.trace]);
    count
}

impl<'a> Rows<'a> {
    /// The events of an action in these traces.
    pub fn read(
        learner: &'a Learner,
        action: ActionId,
        settings: &Settings,
        recording: &dyn Recording,
        (traces, most_work): (&[usize], usize),
    ) -> Result<Rows<'a>, NotSearched> {
        let mut rows = Vec::new();
        let mut is_odd = false;
        for (rank, &trace) in traces.iter().enumerate() {
            learner.lens().each_event_while(recording, [trace], |id, recorded, observer| {
                if recorded.event.action().symbol != action {
                    return true;
                }
                let event = match recorded.event {
                    Event::Failed(attempt) => RowEvent::Failed(observer.observe_attempt(attempt)),
                    Event::Worked(step) => match observer.observe_step(step) {
                        Ok(observation) => RowEvent::Worked(observation),
                        Err(_) => {
                            is_odd = true;
                            return false;
                        }
                    },
                };
                rows.push(Row { trace: rank, id, event });
                rows.len() <= MOST_ROWS
            })?;
            if is_odd {
                return Err(NotSearched::Anomaly);
            }
            if rows.len() > MOST_ROWS {
                return Err(NotSearched::TooMany);
            }
        }
        let vocabulary = learner.vocabulary(action);
        let mut patterns = BTreeMap::new();
        for row in &rows {
            let pattern = row.event.pattern();
            if !patterns.contains_key(pattern) {
                let classes = pattern.classes(&vocabulary.atoms);
                let mut class_of = vec![0; vocabulary.atoms.len()];
                for (place, class) in classes.iter().enumerate() {
                    class.iter().for_each(|atom| class_of[atom.index()] = place);
                }
                let is_plain = vocabulary.is_plain(pattern);
                patterns.insert(pattern.clone(), PatternShape { classes, class_of, is_plain });
            }
        }
        let mut classes = patterns.values().flat_map(|shape| &shape.classes);
        let has_single_classes = classes.all(|class| class.len() == 1);
        let traces = number_without_copies(&mut rows, traces.len());
        let settings = settings.clone();
        Ok(Rows {
            learner,
            action,
            rows,
            traces,
            settings,
            most_work,
            patterns,
            has_single_classes,
        })
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        self.learner.vocabulary(self.action)
    }

    /// Whether an atom holds before an event; `None` if that is unknown.
    pub fn atom(&self, row: usize, atom: LiftedAtomId) -> Option<bool> {
        let event = &self.rows[row].event;
        let class = self.patterns[event.pattern()].class_of[atom.index()];
        match event {
            RowEvent::Worked(observation) => observation.seen[class].truths()[0],
            RowEvent::Failed(failed) => failed.holds[class],
        }
    }

    /// Whether an equality holds before an event.
    pub fn equality(&self, row: usize, equality: EqualityId) -> bool {
        self.rows[row].event.pattern().same(self.vocabulary().equalities[equality])
    }

    /// The value of a column before an event, if it has one that is known.
    pub fn column(&self, row: usize, column: ColumnId) -> Option<Rational> {
        let values = match &self.rows[row].event {
            RowEvent::Worked(observation) => &observation.before,
            RowEvent::Failed(failed) => &failed.before,
        };
        self.vocabulary().column_value(column, values)
    }

    /// The step of a row; `None` for an attempt that failed.
    pub fn step(&self, row: usize) -> Option<&Observation> {
        match &self.rows[row].event {
            RowEvent::Worked(observation) => Some(observation),
            RowEvent::Failed(_) => None,
        }
    }

    /// Whether the steps of one set of traces alone leave the flat of all other steps, in numbers and
    /// literals: then nothing but these steps shows what the action does there.
    pub fn has_lone_direction(&self, which: &[usize], sets: usize) -> bool {
        let rank = |without: Option<usize>| {
            let vocabulary = self.vocabulary();
            let width = 1 + vocabulary.columns.len() + vocabulary.atoms.len();
            let mut span = Echelon::new(width);
            let steps = which.iter().filter(|&&row| self.step(row).is_some());
            for &row in steps.filter(|&&row| Some(self.rows[row].trace % sets) != without) {
                if span.rank() == width {
                    break;
                }
                let columns = vocabulary.columns.ids().map(|column| self.column(row, column));
                let atoms = vocabulary.atoms.ids().map(|atom| self.atom(row, atom));
                let atoms = atoms.map(|held| held.map(|held| Rational::from(i64::from(held))));
                if let Some(vector) = columns.chain(atoms).collect::<Option<Vec<Rational>>>() {
                    span.insert(&SpanRow::point(&vector));
                }
            }
            span.rank()
        };
        let all = rank(None);
        (0..sets).any(|set| rank(Some(set)) < all)
    }

    /// Whether some model of the class explains these events: their steps, and that every failure
    /// is outside the region of the steps or lacks one of their literals.
    pub fn explains(&self, rows: impl Iterator<Item = usize> + Clone) -> bool {
        let mut prefix = Prefix::new(self);
        prefix.adds(rows) && prefix.is_explained()
    }

    /// The first groups of events that a model of the class explains together, at most.
    pub fn longest_prefix<'g>(&self, groups: impl Iterator<Item = &'g [usize]> + Clone) -> usize {
        let mut prefix = Prefix::new(self);
        let mut count = 0;
        for group in groups.clone() {
            if !prefix.adds(group.iter().copied()) {
                break;
            }
            count += 1;
        }
        // What explains some events explains fewer of them.
        let explains = |count: usize| self.explains(groups.clone().take(count).flatten().copied());
        if explains(count) {
            return count;
        }
        let (mut explained, mut refuted) = (0, count);
        while refuted - explained > 1 {
            let middle = explained.midpoint(refuted);
            if explains(middle) {
                explained = middle;
            } else {
                refuted = middle;
            }
        }
        explained
    }
}

impl RowEvent {
    fn pattern(&self) -> &Pattern {
        match self {
            RowEvent::Worked(observation) => &observation.pattern,
            RowEvent::Failed(failed) => &failed.pattern,
        }
    }

    /// The event as a step; an attempt that failed is one that changed nothing.
    pub fn as_step(&self) -> Observation {
        match self {
            RowEvent::Worked(observation) => observation.clone(),
            RowEvent::Failed(failed) => failed.as_unchanged(),
        }
    }
}

/// The evidence of events that are added one after another.
struct Prefix<'r> {
    rows: &'r Rows<'r>,
    evidence: ActionEvidence,
    failures: Vec<&'r FailedAttempt>,
    /// The joint vectors of all steps without aliasing.
    joint: Echelon,
    /// By atom: what was observed where it does not alias.
    seen: IdVec<LiftedAtomId, TruthPairs>,
    /// Whether the quick look finds every contradiction.
    is_plain: bool,
}

impl<'r> Prefix<'r> {
    fn new(rows: &'r Rows<'r>) -> Self {
        let vocabulary = rows.vocabulary();
        Prefix {
            rows,
            evidence: ActionEvidence::new(),
            failures: Vec::new(),
            joint: Echelon::new(Layout::new(vocabulary).width()),
            seen: IdVec::filled(TruthPairs::default(), vocabulary.atoms.len()),
            is_plain: true,
        }
    }

    /// Adds events. False if no model explains all steps so far; this is a quick look, which does
    /// not find every contradiction.
    fn adds(&mut self, rows: impl Iterator<Item = usize>) -> bool {
        for row in rows {
            match &self.rows.rows[row].event {
                RowEvent::Worked(observation) if self.adds_step(observation) => {}
                RowEvent::Worked(_) => return false,
                RowEvent::Failed(failed) => self.failures.push(failed),
            }
        }
        true
    }

    fn adds_step(&mut self, observation: &Observation) -> bool {
        let vocabulary = self.rows.vocabulary();
        let pattern = &observation.pattern;
        self.evidence.observe(vocabulary, observation);
        let shape = &self.rows.patterns[pattern];
        for (class, &seen) in shape.classes.iter().zip(&observation.seen) {
            if let [atom] = class[..] {
                self.seen[atom] = self.seen[atom].or(seen);
                if is_twofold(self.seen[atom]) {
                    return false;
                }
            }
        }
        let evidence = &self.evidence;
        if !shape.is_plain
            || !observation.is_complete()
            || !evidence.undefined.is_empty()
            || !evidence.untouched.is_empty()
        {
            self.is_plain = false;
            return true;
        }
        if let Some(entry) = evidence.patterns.get(pattern) {
            // The last row is in the span of these.
            self.joint.merge(&entry.joint);
        }
        // A row with its pivot at a target differs in no column: steps that begin alike end
        // differently.
        let first = 1 + vocabulary.columns.len();
        !self.joint.pivots().iter().any(|pivot| {
            let place = pivot.checked_sub(first);
            let place = place.filter(|place| *place < vocabulary.functions.len());
            place.is_some_and(|place| {
                vocabulary.column_of(LiftedFunctionId::from_index(place)).is_some()
            })
        })
    }

    /// Whether a model explains all events so far, of which the quick look found no contradiction.
    fn is_explained(&self) -> bool {
        let vocabulary = self.rows.vocabulary();
        let has_columns =
            vocabulary.functions.ids().all(|function| vocabulary.column_of(function).is_some());
        let is_known = self.is_plain && has_columns && self.rows.has_single_classes;
        self.evidence.is_empty()
            || (is_known || contradiction(vocabulary, &self.evidence, true).is_none())
                && self.explains_failures()
    }

    fn explains_failures(&self) -> bool {
        if self.failures.is_empty() {
            return true;
        }
        let vocabulary = self.rows.vocabulary();
        let (failures, settings) = (self.failures.iter().copied(), &self.rows.settings);
        !is_failure_contradictory(failures, vocabulary, &self.evidence, settings)
    }
}

/// Whether no unconditional effect explains what was observed of an atom.
fn is_twofold(seen: TruthPairs) -> bool {
    let [absent, added, deleted, kept] =
        [TruthPairs::ABSENT, TruthPairs::ADDED, TruthPairs::DELETED, TruthPairs::KEPT]
            .map(|pair| seen.any(pair));
    added && (absent || deleted) || deleted && kept
}
