//! All that a learner remembers of one action: a commutative, idempotent monoid (docs/theory.md,
//! "Evidence is a fold").
//!
//! By binding pattern, what was seen of each class of atoms, and the affine hull of the joint
//! vectors (columns before, what became of functions). Over all patterns, the observed vectors,
//! thinned to the vertices of their hull when they become many. Merging two is union, so any order,
//! any sharding and any repetition of the same steps gives the same evidence.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::invariant::Invariant;

use super::binding::Pattern;
use super::failed_attempts::{FailedAttempt, Failure, Failures};
use super::ids::{ActiveColumns, ColumnId, LiftedFunctionId};
use super::incomplete::{PartialSteps, UnknownValues};
use super::joint::JointEvidence;
use super::points::Points;
use super::truth_pairs::{BooleanEvidence, TruthPairs};
use super::vocabulary::Vocabulary;

/// The evidence of one action.
#[derive(Clone, Debug)]
pub struct ActionEvidence {
    /// The observations under each binding pattern.
    pub patterns: BTreeMap<Pattern, PatternEvidence>,
    /// Functions that had no value before some step. Reading one is a fault, so no such step could
    /// have been taken if the precondition or an effect read it: its columns are refuted, and read
    /// as zero in all rows here. It may still be assigned.
    pub undefined: BTreeSet<LiftedFunctionId>,
    /// Functions that had no value before some step and none after it: nothing changes them, or
    /// that step would have.
    pub untouched: BTreeSet<LiftedFunctionId>,
    /// The observed vectors, as homogeneous rows `(1, columns)`.
    points: Points,
    /// Vectors in which some columns are unknown, by these columns, which are zero in the rows.
    /// None of these columns is refuted.
    partial: BTreeMap<BTreeSet<ColumnId>, Points>,
    /// The lexicographically first distinct vectors, as many as N-SAM asks for, as they were
    /// observed: neither thinning nor the discovery of undefined functions touches these, so that
    /// more data never make them fewer.
    first: BTreeSet<Vec<Option<Rational>>>,
    /// The attempts that failed.
    pub(crate) failures: Failures,
    /// What was recorded of the numbers of an inexact action.
    pub(crate) inexact: JointEvidence,
    /// Recent joint rows, which need not be examined again.
    recent: Recent,
}

/// The observations under one binding pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternEvidence {
    /// By class of atoms, in the order of [`Pattern::classes`].
    pub seen: Vec<TruthPairs>,
    /// The affine hull of the joint vectors, laid out as in [`Layout`].
    pub joint: Echelon,
    /// The functions whose value changed in some step, or that got their first one.
    pub changed: BTreeSet<LiftedFunctionId>,
    /// The steps that do not record all numbers: none of them is in the hull above, nor in what
    /// changed.
    pub partial: PartialSteps,
}

impl PatternEvidence {
    /// Whether some step shows a function to change.
    pub fn changes(&self, function: LiftedFunctionId) -> bool {
        self.changed.contains(&function) || self.partial.changes(function)
    }
}

/// One step, reduced to the vocabulary of its action.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Observation {
    /// Which parameters are the same object.
    pub pattern: Pattern,
    /// By class of atoms under the pattern: truth before and after.
    pub seen: Vec<TruthPairs>,
    /// By function: the value before.
    pub before: IdVec<LiftedFunctionId, Option<Rational>>,
    /// By function: the value after.
    pub after: IdVec<LiftedFunctionId, Option<Rational>>,
    /// The functions that have no value above because the record leaves it unknown. All others
    /// without a value are undefined.
    pub unknown: UnknownValues,
}

impl Observation {
    /// Each function, with its value before and after.
    pub fn functions(
        &self,
    ) -> impl Iterator<Item = (LiftedFunctionId, Option<&Rational>, Option<&Rational>)> {
        let values = self.before.pairs().zip(&self.after);
        values.map(|((function, before), after)| (function, before.as_ref(), after.as_ref()))
    }

    /// The value of a function before the step, and after it.
    pub(crate) fn values_of(
        &self,
        function: LiftedFunctionId,
    ) -> (Option<&Rational>, Option<&Rational>) {
        (self.before[function].as_ref(), self.after[function].as_ref())
    }

    /// Whether the record shows the value of a function before the step, or that it has none.
    pub(crate) fn is_known_before(&self, function: LiftedFunctionId) -> bool {
        !self.unknown.before.contains(&function)
    }

    /// Whether the value is known before the step and after it.
    pub(crate) fn is_known(&self, function: LiftedFunctionId) -> bool {
        self.is_known_before(function) && !self.unknown.after.contains(&function)
    }

    /// Whether the record shows that a function has no value before the step.
    pub(crate) fn is_undefined_before(&self, function: LiftedFunctionId) -> bool {
        self.before[function].is_none() && self.is_known_before(function)
    }

    /// Whether the record shows everything before the step that the action may mention.
    pub(crate) fn is_complete_before(&self) -> bool {
        self.unknown.before.is_empty() && self.seen.iter().all(|seen| seen.truths()[0].is_some())
    }

    /// Whether the record shows everything that the action may mention.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty() && self.seen.iter().all(|seen| !seen.truths().contains(&None))
    }
}

/// Where in a joint row `(1, columns before, targets, values after)` what stands.
///
/// The *target* of a function is its change; of one that is undefined in some step, for which a
/// change means nothing, its value afterwards; of one that nothing changes, zero. Values after are
/// kept of functions that are no columns themselves; of all others they are the column plus the
/// change.
pub struct Layout<'v> {
    vocabulary: &'v Vocabulary,
    /// The functions that are no columns.
    without_column: Vec<LiftedFunctionId>,
}

impl<'v> Layout<'v> {
    /// The layout of an action's joint rows.
    pub fn new(vocabulary: &'v Vocabulary) -> Self {
        let all = vocabulary.functions.ids();
        Layout {
            vocabulary,
            without_column: all
                .filter(|&function| vocabulary.column_of(function).is_none())
                .collect(),
        }
    }

    /// The length of a joint row.
    pub fn width(&self) -> usize {
        1 + self.vocabulary.columns.len()
            + self.vocabulary.functions.len()
            + self.without_column.len()
    }

    /// The place of a column.
    pub fn column(&self, column: ColumnId) -> usize {
        column.entry()
    }

    /// The place of a function's target.
    pub fn target(&self, function: LiftedFunctionId) -> usize {
        1 + self.vocabulary.columns.len() + function.index()
    }

    /// The places whose sum is the value of a function afterwards, as long as it is defined in all
    /// steps.
    pub fn after(&self, function: LiftedFunctionId) -> Vec<usize> {
        match self.vocabulary.column_of(function) {
            Some(column) => vec![self.column(column), self.target(function)],
            None => {
                let place = self.without_column.iter().position(|&other| other == function);
                let place = place.invariant("a function without a column is in the list of those");
                vec![1 + self.vocabulary.columns.len() + self.vocabulary.functions.len() + place]
            }
        }
    }
}

impl ActionEvidence {
    /// Evidence without any step.
    pub fn new() -> Self {
        ActionEvidence {
            patterns: BTreeMap::new(),
            undefined: BTreeSet::new(),
            untouched: BTreeSet::new(),
            points: Points::default(),
            partial: BTreeMap::new(),
            first: BTreeSet::new(),
            failures: Failures::default(),
            inexact: JointEvidence::default(),
            recent: Recent::default(),
        }
    }

    /// Whether the action was never observed to work.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// What it says of effects alone.
    pub(crate) fn of_effects(&self) -> ActionEvidence {
        let ActionEvidence { patterns, undefined, untouched, inexact, .. } = self;
        ActionEvidence {
            patterns: patterns.clone(),
            undefined: undefined.clone(),
            untouched: untouched.clone(),
            inexact: inexact.clone(),
            ..ActionEvidence::new()
        }
    }

    /// The attempts that failed; when settled, those that matter.
    pub fn failures(&self) -> &Failures {
        &self.failures
    }

    /// Adds an attempt that failed.
    pub fn observe_failure(&mut self, vocabulary: &Vocabulary, attempt: &FailedAttempt) {
        self.failures.insert(Failure::of(vocabulary, attempt));
        self.thin_failures(vocabulary, false);
    }

    /// Keeps the failures that matter, where they are to be settled or have become many.
    fn thin_failures(&mut self, vocabulary: &Vocabulary, settle: bool) {
        if settle && !self.failures.is_settled() || self.failures.is_full() {
            let mut failures = std::mem::take(&mut self.failures);
            failures.thin(vocabulary, self);
            self.failures = failures;
        }
    }

    /// Whether some step has unknown values: a model may have to refuse it, since it does not show
    /// what became of everything.
    pub fn is_partial(&self) -> bool {
        self.patterns.values().any(|entry| {
            !entry.partial.is_empty() || entry.seen.iter().any(|seen| seen.is_partial())
        })
    }

    /// Adds the observation of a step.
    pub fn observe(&mut self, vocabulary: &Vocabulary, observation: &Observation) {
        self.failures.unsettle();
        let (mut undefined, mut untouched) = (BTreeSet::new(), BTreeSet::new());
        for (function, before, after) in observation.functions() {
            if before.is_none() && !observation.unknown.before.contains(&function) {
                undefined.insert(function);
                if after.is_none() && !observation.unknown.after.contains(&function) {
                    untouched.insert(function);
                }
            }
        }
        self.refute(vocabulary, &undefined, &untouched);
        let layout = Layout::new(vocabulary);
        let entry = match self.patterns.get_mut(&observation.pattern) {
            Some(entry) => entry,
            None => self.patterns.entry(observation.pattern.clone()).or_insert_with(|| {
                PatternEvidence {
                    seen: vec![TruthPairs::default(); observation.seen.len()],
                    joint: Echelon::new(layout.width()),
                    changed: BTreeSet::new(),
                    partial: PartialSteps::default(),
                }
            }),
        };
        for (all, one) in entry.seen.iter_mut().zip(&observation.seen) {
            *all = all.or(*one);
        }
        let columns = vocabulary.columns.len();
        let values: Vec<_> = vocabulary
            .columns
            .ids()
            .map(|column| vocabulary.column_value(column, &observation.before))
            .collect();
        // Columns that an undefined function refutes are zero.
        let vector: Vec<Rational> = (values.iter().zip(&vocabulary.columns))
            .map(|(value, column)| {
                let is_refuted = column.0.iter().any(|factor| self.undefined.contains(factor));
                value.clone().filter(|_| !is_refuted).unwrap_or(Rational::ZERO)
            })
            .collect();
        if vocabulary.is_inexact() {
            let plain = vocabulary.is_plain(&observation.pattern);
            if plain {
                self.inexact.note_moved(vocabulary, observation);
            }
            if plain && observation.unknown.is_empty() {
                self.inexact.observe(vocabulary, &vector, observation);
                self.points.insert(Row::point(&vector), columns);
                self.add_first(columns, values);
            }
            return;
        }
        if !observation.unknown.is_empty() {
            entry.partial.observe(vocabulary, observation);
            let unknown: BTreeSet<ColumnId> = (vocabulary.columns.ids())
                .filter(|&column| {
                    let mut factors = vocabulary.columns[column].0.iter();
                    factors.any(|factor| observation.unknown.before.contains(factor))
                })
                .collect();
            if unknown.is_empty() {
                self.add_first(columns, values);
            }
            self.add_point(vocabulary, unknown, Row::point(&vector));
            return;
        }
        let mut joint = vector;
        for (function, before, after) in observation.functions() {
            if before != after {
                entry.changed.insert(function);
            }
            joint.push(match (before, after) {
                _ if self.untouched.contains(&function) => Rational::ZERO,
                (_, Some(after)) if self.undefined.contains(&function) => after.clone(),
                (Some(before), Some(after)) if before != after => after - before,
                _ => Rational::ZERO,
            });
        }
        for &function in &layout.without_column {
            let after =
                observation.after[function].clone().filter(|_| !self.undefined.contains(&function));
            joint.push(after.unwrap_or(Rational::ZERO));
        }
        let row = Row::point(&joint);
        if !self.recent.insert(&observation.pattern, &row, &self.undefined) {
            return;
        }
        entry.joint.insert(&row);
        self.add_first(columns, values);
        self.points.insert(Row::point(&joint[..columns]), columns);
    }

    /// Adds a vector in which some columns may be unknown.
    fn add_point(&mut self, vocabulary: &Vocabulary, mut unknown: BTreeSet<ColumnId>, row: Row) {
        unknown.retain(|&column| {
            !vocabulary.columns[column].0.iter().any(|factor| self.undefined.contains(factor))
        });
        let points = if unknown.is_empty() {
            &mut self.points
        } else {
            self.partial.entry(unknown).or_default()
        };
        points.insert(row, vocabulary.columns.len());
    }

    fn add_first(&mut self, columns: usize, values: Vec<Option<Rational>>) {
        let wanted = columns + 1;
        if self.first.len() < wanted || self.first.last().is_some_and(|last| values < *last) {
            self.first.insert(values);
            if self.first.len() > wanted {
                self.first.pop_last();
            }
        }
    }

    /// Adds all that another learner saw.
    pub fn merge(&mut self, vocabulary: &Vocabulary, other: &ActionEvidence) {
        self.refute(vocabulary, &other.undefined, &other.untouched);
        let mut other = Cow::Borrowed(other);
        if (&other.undefined, &other.untouched) != (&self.undefined, &self.untouched) {
            other.to_mut().refute(vocabulary, &self.undefined, &self.untouched);
        }
        for (pattern, theirs) in &other.patterns {
            match self.patterns.get_mut(pattern) {
                None => drop(self.patterns.insert(pattern.clone(), theirs.clone())),
                Some(ours) => {
                    ours.seen
                        .iter_mut()
                        .zip(&theirs.seen)
                        .for_each(|(all, one)| *all = all.or(*one));
                    ours.joint.merge(&theirs.joint);
                    ours.changed.extend(&theirs.changed);
                    ours.partial.merge(&theirs.partial);
                }
            }
        }
        for values in &other.first {
            self.add_first(vocabulary.columns.len(), values.clone());
        }
        for point in other.points.rows() {
            self.points.insert(point.clone(), vocabulary.columns.len());
        }
        for (unknown, points) in &other.partial {
            points
                .rows()
                .for_each(|point| self.add_point(vocabulary, unknown.clone(), point.clone()));
        }
        self.inexact.merge(vocabulary, &other.inexact);
        self.failures.unsettle();
        self.failures.extend(&other.failures);
        self.thin_failures(vocabulary, false);
    }

    /// Takes in that functions had no value: their columns become zero everywhere, and their
    /// targets what they are for such functions.
    fn refute(
        &mut self,
        vocabulary: &Vocabulary,
        undefined: &BTreeSet<LiftedFunctionId>,
        untouched: &BTreeSet<LiftedFunctionId>,
    ) {
        let new: Vec<LiftedFunctionId> = undefined.difference(&self.undefined).copied().collect();
        if new.is_empty() && untouched.is_subset(&self.untouched) {
            return;
        }
        self.undefined.extend(undefined);
        self.untouched.extend(untouched);
        let layout = Layout::new(vocabulary);
        let zero_columns: BTreeSet<usize> = vocabulary
            .columns
            .pairs()
            .filter(|(_, column)| column.0.iter().any(|factor| self.undefined.contains(factor)))
            .map(|(column, _)| layout.column(column))
            .collect();
        let mut zero: BTreeSet<usize> = zero_columns.clone();
        zero.extend(self.untouched.iter().map(|&function| layout.target(function)));
        let kept_after =
            self.undefined.iter().filter(|&&function| vocabulary.column_of(function).is_none());
        zero.extend(kept_after.flat_map(|&function| layout.after(function)));
        for entry in self.patterns.values_mut() {
            let rows = entry.joint.rows().iter().map(|row| {
                let mut entries = integers(row);
                for &function in &new {
                    let after = layout
                        .after(function)
                        .into_iter()
                        .map(|place| entries[place].clone())
                        .sum();
                    entries[layout.target(function)] = after;
                }
                with_zeroes(entries, &zero)
            });
            entry.joint = Echelon::span(layout.width(), rows);
        }
        self.points =
            Points::of(self.points.rows().map(|row| with_zeroes(integers(row), &zero_columns)));
        self.inexact.refute(|row| with_zeroes(integers(row), &zero_columns));
        self.recent = Recent::default();
        for (unknown, points) in std::mem::take(&mut self.partial) {
            for row in points.rows() {
                let row = with_zeroes(integers(row), &zero_columns);
                self.add_point(vocabulary, unknown.clone(), row);
            }
        }
    }

    /// The columns that no undefined function refutes.
    pub fn columns(&self, vocabulary: &Vocabulary) -> ActiveColumns {
        let defined = vocabulary.columns.pairs().filter(|(_, column)| {
            column.0.iter().all(|function| !self.undefined.contains(function))
        });
        defined.map(|(column, _)| column).collect()
    }

    /// The number of distinct observed vectors, as far as N-SAM needs it: at most one more than
    /// there are columns.
    pub fn distinct(&self) -> usize {
        self.first.len()
    }

    /// The number of affinely independent observed vectors over the active columns: one more than
    /// the dimension of their span. More data never make them fewer, nor does a column that turns
    /// out to be undefined make them lag behind the columns that are left.
    pub fn independent(&self, columns: &ActiveColumns) -> usize {
        let mut span = Echelon::new(1 + columns.len());
        // Of an inexact action no hull of joint rows is kept.
        let vectors = Some(&self.points)
            .filter(|_| !self.inexact.is_empty())
            .into_iter()
            .flat_map(Points::rows);
        for row in self.patterns.values().flat_map(|entry| entry.joint.rows()).chain(vectors) {
            let places = std::iter::once(0).chain(columns.iter().map(|column| column.entry()));
            span.insert(&Row::from_integers(places.map(|place| row.integer(place)).collect()));
        }
        span.rank()
    }

    /// The kept vectors over the active columns, each once, sorted.
    pub fn points(&self, columns: &ActiveColumns) -> Vec<Vec<Rational>> {
        let distinct: BTreeSet<&Row> = self.points.rows().collect();
        let vectors: BTreeSet<Vec<Rational>> = distinct
            .into_iter()
            .map(|row| columns.iter().map(|column| row.coordinate(column.entry())).collect())
            .collect();
        vectors.into_iter().collect()
    }

    /// The kept vectors in which some active columns are unknown, each once, sorted.
    pub fn partial_points(&self, columns: &ActiveColumns) -> Vec<Vec<Option<Rational>>> {
        let mut all = BTreeSet::new();
        for (unknown, points) in &self.partial {
            for row in points.rows() {
                let entries = columns.iter().map(|column| {
                    (!unknown.contains(column)).then(|| row.coordinate(column.entry()))
                });
                all.insert(entries.collect::<Vec<Option<Rational>>>());
            }
        }
        all.into_iter().collect()
    }

    /// Leaves only what does not depend on the order of observations, so that equal evidence has
    /// equal bytes.
    pub fn settle(&mut self, vocabulary: &Vocabulary) {
        self.recent = Recent::default();
        for points in std::iter::once(&mut self.points).chain(self.partial.values_mut()) {
            points.settle(vocabulary.columns.len());
        }
        self.inexact.settle(vocabulary, !self.undefined.is_empty());
        self.thin_failures(vocabulary, true);
    }

    fn is_settled(&self) -> bool {
        self.points.is_settled()
            && self.partial.values().all(Points::is_settled)
            && self.inexact.is_settled()
    }

    /// The evidence in its settled form.
    pub fn settled(&self, vocabulary: &Vocabulary) -> Cow<'_, ActionEvidence> {
        let mut evidence = Cow::Borrowed(self);
        if !self.is_settled() || !self.failures.is_settled() {
            evidence.to_mut().settle(vocabulary);
        }
        evidence
    }

    /// The kept rows, sorted, and the first ones: what a snapshot stores besides the patterns.
    pub fn rows(&self) -> (Vec<&Row>, &BTreeSet<Vec<Option<Rational>>>) {
        let sorted: BTreeSet<&Row> = self.points.rows().collect();
        (sorted.into_iter().collect(), &self.first)
    }

    /// Evidence from its parts, as a snapshot holds them.
    pub fn restore(
        patterns: BTreeMap<Pattern, PatternEvidence>,
        (undefined, untouched): (BTreeSet<LiftedFunctionId>, BTreeSet<LiftedFunctionId>),
        points: impl IntoIterator<Item = Row>,
        first: impl IntoIterator<Item = Vec<Option<Rational>>>,
    ) -> Self {
        ActionEvidence {
            patterns,
            undefined,
            untouched,
            points: Points::of(points),
            partial: BTreeMap::new(),
            first: first.into_iter().collect(),
            failures: Failures::default(),
            inexact: JointEvidence::default(),
            recent: Recent::default(),
        }
    }

    /// By the columns that are unknown: the kept rows, sorted.
    pub(crate) fn partial_rows(
        &self,
    ) -> impl Iterator<Item = (&BTreeSet<ColumnId>, BTreeSet<&Row>)> {
        self.partial.iter().map(|(unknown, points)| (unknown, points.rows().collect()))
    }

    /// Adds what a snapshot holds of vectors that are not wholly known.
    pub(crate) fn restore_partial(
        &mut self,
        vocabulary: &Vocabulary,
        unknown: BTreeSet<ColumnId>,
        rows: Vec<Row>,
    ) {
        rows.into_iter().for_each(|row| self.add_point(vocabulary, unknown.clone(), row));
    }

    /// The evidence for the Boolean part: patterns forgotten, classes joined.
    pub fn boolean(&self, vocabulary: &Vocabulary) -> BooleanEvidence {
        let mut evidence = BooleanEvidence {
            classes: BTreeMap::new(),
            equalities: IdVec::filled((false, false), vocabulary.equalities.len()),
        };
        for (pattern, entry) in &self.patterns {
            for (class, &seen) in pattern.classes(&vocabulary.atoms).into_iter().zip(&entry.seen) {
                let all = evidence.classes.entry(class).or_default();
                *all = all.or(seen);
            }
            for (pair, (held, failed)) in
                vocabulary.equalities.iter().zip(evidence.equalities.as_mut_slice())
            {
                let same = pattern.same(*pair);
                *held |= same;
                *failed |= !same;
            }
        }
        evidence
    }
}

fn integers(row: &Row) -> Vec<IBig> {
    (0..row.len()).map(|index| row.integer(index)).collect()
}

/// A row with zeroes at some places.
fn with_zeroes(entries: Vec<IBig>, zeroed: &BTreeSet<usize>) -> Row {
    let entries = entries
        .into_iter()
        .enumerate()
        .map(|(index, value)| if zeroed.contains(&index) { IBig::ZERO } else { value });
    Row::from_integers(entries.collect())
}

impl Default for ActionEvidence {
    fn default() -> Self {
        Self::new()
    }
}

/// Two learners saw the same when nothing in their evidence differs; what is only remembered for
/// speed does not count.
impl PartialEq for ActionEvidence {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
            && self.undefined == other.undefined
            && self.untouched == other.untouched
            && self.first == other.first
            && self.points == other.points
            && self.inexact == other.inexact
            && self.failures == other.failures
            && self.partial == other.partial
    }
}

/// Recent rows, by pattern. Forgets all when it is full.
#[derive(Clone, Debug, Default)]
struct Recent {
    rows: FxHashMap<Pattern, FxHashSet<Row>>,
    size: usize,
}

const RECENT: usize = 1 << 14;

impl Recent {
    /// Whether the row is new. Where functions are undefined, rows that look alike may come from
    /// different vectors, so all are.
    fn insert(
        &mut self,
        pattern: &Pattern,
        row: &Row,
        undefined: &BTreeSet<LiftedFunctionId>,
    ) -> bool {
        if !undefined.is_empty() {
            return true;
        }
        if self.size >= RECENT {
            *self = Recent::default();
        }
        let rows = match self.rows.get_mut(pattern) {
            Some(rows) => rows,
            None => self.rows.entry(pattern.clone()).or_default(),
        };
        let new = !rows.contains(row) && rows.insert(row.clone());
        self.size += usize::from(new);
        new
    }
}
