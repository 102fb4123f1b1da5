//! Failed attempts as evidence (docs/theory.md, "Failures").
//!
//! A failure says that an action was not applicable in a state. It never touches what is allowed;
//! it rules out models that would allow more. What is kept of one is what a precondition could have
//! read: the binding pattern, the truth of each class of atoms, which functions had a value, and
//! the vector. What the record does not tell counts as not holding: a model that reads none of it
//! allows the attempt whatever it was.
//!
//! Of these only some matter. A failure f' makes f superfluous if no conflict of effects explains
//! f', every literal that may be a precondition and holds in f holds in f' too, and the vector of
//! f' lies in the hull of that of f and those of the steps that worked: whatever f forbids, f'
//! forbids. That survives more steps, is transitive, and mutual only between failures that are then
//! equal, so what is left has one form, whatever the order. It knows nothing of assumptions, so it
//! serves all of them.
//!
//! Where records have errors, the hull of what worked is first moved inward by twice the errors:
//! there the true vector of the failure lies in the hull of the true vectors, whatever they are.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fixedbitset::FixedBitSet;
use surefoot_base::exact::{Budget, Membership, Polyhedron, Rational, Row, hull};
use surefoot_base::ids::{Id, IdVec};

use super::action::{ActionEvidence, Observation};
use super::binding::Pattern;
use super::candidates::{Open, OpenPattern, over};
use super::erosion::{contains_box, eroded, is_between};
use super::ids::{ActiveColumn, LiftedFunctionId};
use super::incomplete::UnknownValues;
use super::truth_pairs::TruthPairs;
use super::vocabulary::Vocabulary;

/// A failed attempt, reduced to the vocabulary of its action.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FailedAttempt {
    /// Which parameters are the same object.
    pub pattern: Pattern,
    /// By class of atoms under the pattern: whether it was true; `None` where that is unknown.
    pub holds: Vec<Option<bool>>,
    /// By function: its value; `None` where it has none, or where that is unknown.
    pub before: IdVec<LiftedFunctionId, Option<Rational>>,
    /// The functions whose value the record leaves unknown.
    pub unknown: BTreeSet<LiftedFunctionId>,
}

impl FailedAttempt {
    /// Whether the record has everything that the action may mention.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty() && self.holds.iter().all(Option::is_some)
    }

    /// The attempt as a step that changed nothing.
    pub fn as_unchanged(&self) -> Observation {
        Observation {
            pattern: self.pattern.clone(),
            seen: self.holds.iter().map(|&held| TruthPairs::of(held, held)).collect(),
            before: self.before.clone(),
            after: self.before.clone(),
            unknown: UnknownValues { before: self.unknown.clone(), after: self.unknown.clone() },
        }
    }
}

/// What is kept of a failed attempt.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Failure {
    pub(crate) pattern: Pattern,
    /// By class of atoms under the pattern: whether its truth is unknown, as far as that matters.
    /// Neither of its literals is known to hold.
    pub(crate) unknown: FixedBitSet,
    /// By class of atoms under the pattern: whether it was true, as far as that matters.
    pub(crate) holds: FixedBitSet,
    /// By function: whether it is known to have had a value, or that does not matter.
    pub(crate) defined: FixedBitSet,
    /// The vector as a homogeneous row over all columns, zero where there is no value, or where no
    /// condition can read it; none where it lies in the hull of what worked, with margins for
    /// errors, whatever it is.
    pub(crate) point: Option<Row>,
}

impl Failure {
    pub(crate) fn of(vocabulary: &Vocabulary, attempt: &FailedAttempt) -> Failure {
        let values = (vocabulary.columns.ids())
            .map(|column| vocabulary.column_value(column, &attempt.before));
        let vector: Vec<Rational> = values.map(|value| value.unwrap_or(Rational::ZERO)).collect();
        Failure {
            pattern: attempt.pattern.clone(),
            unknown: bits(attempt.holds.len(), |place| attempt.holds[place].is_none()),
            holds: bits(attempt.holds.len(), |place| attempt.holds[place] == Some(true)),
            defined: bits(attempt.before.len(), |place| {
                attempt.before[LiftedFunctionId::from_index(place)].is_some()
            }),
            point: Some(Row::point(&vector)),
        }
    }

    /// Whether a class of atoms is known to be false.
    fn is_false(&self, class: usize) -> bool {
        !self.holds.contains(class) && !self.unknown.contains(class)
    }

    /// By class of atoms: whether it is true; `None` where that is unknown.
    pub(crate) fn truth(&self, class: usize) -> Option<bool> {
        (!self.unknown.contains(class)).then(|| self.holds.contains(class))
    }

    /// What of it matters.
    fn reduced(&self, open: &Open<'_>, pattern: &OpenPattern<'_>) -> Failure {
        let mut failure = self.clone();
        let mut matters = pattern.positive.clone();
        matters.union_with(&pattern.negative);
        failure.holds.intersect_with(&matters);
        failure.unknown.intersect_with(&matters);
        open.evidence
            .undefined
            .iter()
            .for_each(|function| failure.defined.insert(function.index()));
        if let Some(row) = &self.point {
            let mut entries = vec![0.into(); row.len()];
            let read = std::iter::once(0).chain(open.columns.iter().map(|column| column.entry()));
            read.for_each(|place| entries[place] = row.integer(place));
            failure.point = Some(Row::from_integers(entries));
        }
        failure
    }

    /// Its vector over the columns that conditions can read; none where it lies in the hull of what
    /// worked.
    pub(crate) fn vector(&self, open: &Open<'_>) -> Option<Vec<Rational>> {
        let row = self.point.as_ref()?;
        Some(open.columns.iter().map(|column| row.coordinate(column.entry())).collect())
    }
}

/// The places below `count` that satisfy something.
fn bits(count: usize, holds: impl Fn(usize) -> bool) -> FixedBitSet {
    let mut bits = FixedBitSet::with_capacity(count);
    (0..count).filter(|&place| holds(place)).for_each(|place| bits.insert(place));
    bits
}

/// The number of failures that are kept before they are thinned for the first time.
const THIN_AT: usize = 4096;

/// The failed attempts of one action that matter. Merged by union.
#[derive(Clone, Debug)]
pub struct Failures {
    kept: BTreeSet<Failure>,
    /// The size at which to thin next.
    limit: usize,
    /// Whether nothing was added since all that is left matters.
    settled: bool,
}

impl Default for Failures {
    fn default() -> Self {
        Failures { kept: BTreeSet::new(), limit: THIN_AT, settled: true }
    }
}

/// What is only remembered for speed does not count.
impl PartialEq for Failures {
    fn eq(&self, other: &Self) -> bool {
        self.kept == other.kept
    }
}

impl Failures {
    /// Failures as a snapshot holds them.
    pub(crate) fn restore(kept: BTreeSet<Failure>) -> Self {
        Failures { settled: kept.is_empty(), limit: THIN_AT.max(2 * kept.len()), kept }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Those that are kept, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = &Failure> {
        self.kept.iter()
    }

    pub(crate) fn insert(&mut self, failure: Failure) {
        self.settled &= !self.kept.insert(failure);
    }

    /// Whether they are to be thinned before more come.
    pub(crate) fn is_full(&self) -> bool {
        self.kept.len() > self.limit
    }

    pub(crate) fn extend(&mut self, other: &Failures) {
        other.kept.iter().for_each(|failure| self.insert(failure.clone()));
    }

    /// Notes that more steps worked.
    pub(crate) fn unsettle(&mut self) {
        self.settled = self.kept.is_empty();
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.settled
    }

    /// At most this many failures: those in which the most candidate preconditions hold, and the
    /// nearest to steps that worked. The choice depends on the set alone.
    pub(crate) fn most_telling(&self, open: &Open<'_>, budget: usize) -> Vec<&Failure> {
        let mut all: Vec<(usize, f64, &Failure)> = Vec::new();
        let mut patterns: BTreeMap<&Pattern, OpenPattern<'_>> = BTreeMap::new();
        let bounds = bounds(open);
        for failure in &self.kept {
            let pattern =
                patterns.entry(&failure.pattern).or_insert_with(|| open.pattern(&failure.pattern));
            let doubles: Vec<f64> =
                failure.vector(open).iter().flatten().map(Rational::to_f64).collect();
            all.push((missing(pattern, failure), excess(&bounds, &doubles), failure));
        }
        all.sort_by(|one, other| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(other.2))
        });
        all.into_iter().map(|(_, _, failure)| failure).take(budget).collect()
    }

    /// Keeps those that matter, after the steps that worked.
    pub(crate) fn thin(&mut self, vocabulary: &Vocabulary, evidence: &ActionEvidence) {
        if !self.settled {
            self.kept = thinned(std::mem::take(&mut self.kept), &Open::new(vocabulary, evidence));
            self.settled = true;
        }
        self.limit = THIN_AT.max(2 * self.kept.len());
    }
}

fn thinned(failures: BTreeSet<Failure>, open: &Open<'_>) -> BTreeSet<Failure> {
    let mut by_pattern: BTreeMap<Pattern, Vec<Failure>> = BTreeMap::new();
    for failure in failures {
        by_pattern.entry(failure.pattern.clone()).or_default().push(failure);
    }
    let thinning = Thinning::new(open);
    let mut kept = BTreeSet::new();
    for (pattern, failures) in by_pattern {
        kept.extend(thinning.of_pattern(&open.pattern(&pattern), &failures));
    }
    kept
}

/// Sets of steps that worked, over some columns each, ready for questions.
struct Hulls<'a> {
    open: &'a Open<'a>,
    known: std::cell::RefCell<BTreeMap<Vec<ActiveColumn>, Rc<WorkedHull>>>,
}

/// The vectors that every choice of true vectors behind the records of steps that worked has in its
/// hull, with room for the error of one more record.
enum WorkedHull {
    /// By its facets, where records have errors and columns are few; none where nothing is left.
    Bounded(Option<Polyhedron>),
    /// The hull of the records, with the margins by which it is to be moved inward.
    Spanned(Box<Membership>, Vec<Rational>),
}

impl WorkedHull {
    /// Facets are computed for at most this many columns. The limit depends on the columns alone,
    /// so that thinning does not depend on any order.
    const FACET_COLUMNS: usize = 4;

    fn new(open: &Open<'_>, columns: &[ActiveColumn]) -> Self {
        let points = open.points_over(columns);
        let margins: Vec<Rational> =
            columns.iter().map(|&column| open.margins[column].clone()).collect();
        if columns.len() <= Self::FACET_COLUMNS
            && margins.iter().any(|margin| !margin.is_zero())
            && let Ok(hull) = hull(&points, &[], Budget::facets(1 << 20))
        {
            return WorkedHull::Bounded(eroded(&hull, &margins.iter().cloned().collect(), 1, None));
        }
        WorkedHull::Spanned(Box::new(Membership::new(&points, &[])), margins)
    }

    fn contains(&self, x: &[Rational]) -> bool {
        match self {
            WorkedHull::Bounded(set) => set.as_ref().is_some_and(|set| set.contains(x)),
            WorkedHull::Spanned(hull, margins) => contains_box(hull, x, margins),
        }
    }
}

impl<'a> Hulls<'a> {
    pub fn new(open: &'a Open<'a>) -> Self {
        Hulls { open, known: Default::default() }
    }

    /// Whether a vector lies in the hull of the steps that worked, with margins for errors, over
    /// some columns.
    pub fn contains(&self, columns: &[ActiveColumn], x: &[Rational]) -> bool {
        if self.open.points.is_empty() {
            return false;
        }
        self.over(columns).contains(&over(x, columns))
    }

    fn over(&self, columns: &[ActiveColumn]) -> Rc<WorkedHull> {
        if let Some(hull) = self.known.borrow().get(columns) {
            return Rc::clone(hull);
        }
        let hull = Rc::new(WorkedHull::new(self.open, columns));
        self.known.borrow_mut().insert(columns.to_vec(), Rc::clone(&hull));
        hull
    }
}

struct Thinning<'a> {
    open: &'a Open<'a>,
    hulls: Hulls<'a>,
    /// By column: the least and the largest value of the steps that worked.
    bounds: Vec<Option<(f64, f64)>>,
}

/// A failure, and what is needed to compare it.
struct FailureCandidate {
    failure: Failure,
    /// Whether only the precondition explains it.
    is_witness: bool,
    /// Its vector; none inside the hull of what worked.
    vector: Option<Vec<Rational>>,
    doubles: Vec<f64>,
    /// The columns with a value.
    defined: Vec<ActiveColumn>,
    /// The hull of its vector and of what worked.
    reach: OnceCell<Membership>,
}

impl<'a> Thinning<'a> {
    fn new(open: &'a Open<'a>) -> Self {
        Thinning { open, hulls: Hulls::new(open), bounds: bounds(open) }
    }

    fn of_pattern(&self, pattern: &OpenPattern<'_>, failures: &[Failure]) -> BTreeSet<Failure> {
        let reduced: BTreeSet<Failure> =
            failures.iter().map(|failure| failure.reduced(self.open, pattern)).collect();
        let mut seen = BTreeSet::new();
        let candidates = reduced.into_iter().map(|failure| self.candidate(pattern, failure));
        let mut candidates: Vec<FailureCandidate> =
            candidates.filter(|candidate| seen.insert(candidate.failure.clone())).collect();
        // Those near what worked, with much that holds, are likely to make others superfluous: most
        // are compared with few.
        candidates.sort_by(|one, other| {
            let [near, far] =
                [one, other].map(|candidate| excess(&self.bounds, &candidate.doubles));
            let [few, many] = [one, other].map(|candidate| missing(pattern, &candidate.failure));
            near.total_cmp(&far).then(few.cmp(&many))
        });
        let mut kept: Vec<FailureCandidate> = Vec::new();
        for candidate in candidates {
            if !kept.iter().any(|other| self.replaces(pattern, other, &candidate)) {
                kept.push(candidate);
            }
        }
        let superfluous: Vec<bool> = (0..kept.len())
            .map(|place| {
                kept[place + 1..].iter().any(|other| self.replaces(pattern, other, &kept[place]))
            })
            .collect();
        kept.into_iter()
            .zip(superfluous)
            .filter(|(_, superfluous)| !superfluous)
            .map(|(kept, _)| kept.failure)
            .collect()
    }

    fn candidate(&self, pattern: &OpenPattern<'_>, mut failure: Failure) -> FailureCandidate {
        let defined = self.open.defined(&failure.defined);
        let mut vector = failure.vector(self.open);
        // What lies inside was a witness when its vector was dropped, and stays one.
        let is_witness = vector.as_ref().is_none_or(|x| pattern.free_of_conflict(&defined, x));
        if is_witness && vector.as_ref().is_some_and(|x| self.hulls.contains(&defined, x)) {
            (vector, failure.point) = (None, None);
        }
        let doubles = vector.iter().flatten().map(Rational::to_f64).collect();
        FailureCandidate { failure, is_witness, vector, doubles, defined, reach: OnceCell::new() }
    }

    /// Whether one failure makes another one superfluous.
    fn replaces(
        &self,
        pattern: &OpenPattern<'_>,
        one: &FailureCandidate,
        other: &FailureCandidate,
    ) -> bool {
        one.is_witness
            && no_more_holds(pattern, &other.failure, &one.failure)
            && match (&one.vector, &other.vector) {
                (None, _) => true,
                (Some(x), None) => self.hulls.contains(&other.defined, x),
                (Some(x), Some(y)) => self.is_between(one, other, x, y),
            }
    }

    /// Whether the first vector lies in the hull of the second one and of what worked.
    fn is_between(
        &self,
        one: &FailureCandidate,
        other: &FailureCandidate,
        x: &[Rational],
        y: &[Rational],
    ) -> bool {
        let columns = &other.defined;
        if self.open.points.is_empty() {
            return over(x, columns) == over(y, columns);
        }
        // What is farther out than all that worked is between it and something that is farther out
        // still.
        let beyond = columns.iter().map(|column| column.index()).any(|place| {
            let (one, other) = (one.doubles[place], other.doubles[place]);
            self.bounds[place].is_some_and(|(least, most)| {
                below(most, one) && below(other, one) || below(one, least) && below(one, other)
            })
        });
        if beyond {
            return false;
        }
        if columns.iter().any(|&column| !self.open.margins[column].is_zero()) {
            let (x, y) = (over(x, columns), over(y, columns));
            return match &*self.hulls.over(columns) {
                WorkedHull::Bounded(Some(set)) => is_between(set, &x, &y),
                _ => x == y,
            };
        }
        let reach = other.reach.get_or_init(|| {
            let mut points = self.open.points_over(columns);
            points.push(over(y, columns));
            Membership::new(&points, &[])
        });
        reach.contains(&over(x, columns))
    }
}

/// By column: the least and the largest value of the steps that worked.
fn bounds(open: &Open<'_>) -> Vec<Option<(f64, f64)>> {
    let bounds = open.columns.ids().map(|column| {
        let values = open.points.iter().map(|point| &point[column.index()]);
        Some((values.clone().min()?.to_f64(), values.max()?.to_f64()))
    });
    bounds.collect()
}

/// How far a vector is from the box of what worked.
fn excess(bounds: &[Option<(f64, f64)>], doubles: &[f64]) -> f64 {
    let distances = doubles.iter().zip(bounds).map(|(value, bounds)| match bounds {
        Some((least, most)) => (least - value).max(value - most).max(0.0),
        None => 0.0,
    });
    distances.sum()
}

/// How many literals do not hold in a failure that may be preconditions.
fn missing(pattern: &OpenPattern<'_>, failure: &Failure) -> usize {
    let positive = pattern.positive.difference_count(&failure.holds);
    let negative = pattern.negative.intersection_count(&failure.holds)
        + pattern.negative.intersection_count(&failure.unknown);
    positive + negative + failure.defined.count_zeroes(..)
}

/// Whether one number is less than another although both were rounded.
fn below(one: f64, other: f64) -> bool {
    one < other - 1e-9 * (one.abs() + other.abs())
}

/// Whether all that may be asked for and holds in one failure holds in another one of the same
/// pattern.
fn no_more_holds(pattern: &OpenPattern<'_>, one: &Failure, other: &Failure) -> bool {
    one.defined.is_subset(&other.defined)
        && one.holds.intersection(&pattern.positive).all(|class| other.holds.contains(class))
        && pattern.negative.ones().all(|class| other.is_false(class) || !one.is_false(class))
}
