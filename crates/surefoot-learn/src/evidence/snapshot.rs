//! A learner's state as bytes: complete in itself, checked on reading, equal for equal evidence.
//!
//! The bytes are a mark, the version of the format, a digest, and the content. The content names
//! the domain's vocabulary, so that states of different domains or classes are told apart before
//! they are merged.

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use surefoot_base::assumptions::SetAside;
use surefoot_base::certificate::vocabulary_of;
use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::Id;
use surefoot_base::model::ActionId;
use surefoot_base::parts::DomainParts;
use surefoot_base::pddl::{Numbers, Source, read_domain, write_domain};

use super::action::{ActionEvidence, Layout, PatternEvidence};
use super::binding::Pattern;
use super::class::Class;
use super::ids::LiftedFunctionId;
use super::incomplete::{MaskedSteps, PartialSteps, Places};
use super::kept_traces::{KEPT, restored_traces, stored_traces};
use super::learner::{Doubts, History, Learner};
use super::stored_failures::{FAILURES, restored_failures, stored_failures};
use super::stored_inexact::{ERRORS, JOINTS, restored_errors, restored_joints, stored_inexact};
use super::stored_parts::{FOUND, OUTSIDE, PARTS, restored_outside, restored_parts, stored_parts};
use super::truth_pairs::TruthPairs;
use super::vocabulary::{Degree, Monomial, Vocabulary};

const MARK: &[u8; 16] = b"surefoot learner";
const VERSION: u32 = 3;
const HEAD: usize = MARK.len() + 4 + 32;

/// Why bytes are not a learner's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SnapshotError {
    /// They are something else.
    #[error("this is not a learner state")]
    Foreign,
    /// A later version wrote them.
    #[error(
        "this learner state has format {0}, but only formats up to {VERSION} are known; a newer \
         surefoot wrote it"
    )]
    Newer(u32),
    /// An earlier version wrote them, which forgot what is needed to learn safely.
    #[error(
        "this learner state has format {0}, which does not hold all that is needed to learn safely \
         from it; learn again"
    )]
    Older(u32),
    /// The state cannot be put into bytes.
    #[error("this learner state cannot be written")]
    Unwritable,
    /// They are cut off or changed.
    #[error("this learner state is damaged: it is cut off, or was changed")]
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct StoredLearner {
    /// The vocabulary, as a domain whose actions have no bodies.
    domain: String,
    degree: u32,
    squares: bool,
    decimals: Option<u32>,
    relevant: Vec<(usize, Vec<Vec<usize>>)>,
    traces: BTreeMap<String, Vec<usize>>,
    set_aside: BTreeSet<SetAside>,
    skipped: BTreeMap<usize, BTreeSet<SetAside>>,
    actions: Vec<StoredAction>,
    /// By name, what later versions keep besides, where there is something to keep. A name that is
    /// not known is refused.
    later: Vec<(String, Vec<u8>)>,
}

#[derive(Serialize, Deserialize)]
struct StoredAction {
    patterns: Vec<StoredPattern>,
    undefined: BTreeSet<usize>,
    untouched: BTreeSet<usize>,
    points: Vec<StoredRow>,
    first: Vec<Vec<Option<(StoredInteger, StoredInteger)>>>,
}

#[derive(Serialize, Deserialize)]
struct StoredPattern {
    pattern: Vec<u32>,
    seen: Vec<u8>,
    joint: Vec<StoredRow>,
    changed: BTreeSet<usize>,
}

/// The key under which a state keeps the action of each step that was set aside: trajectory, step,
/// action.
const SET_ASIDE_OF: &str = "set-aside-of";

/// The name of the sentences that were taken for granted.
const ASSUMED: &str = "assumed";

/// The name of what may be wrong among the records of actions that were left out.
const DOUBTS: &str = "doubts";

/// By action, the records in doubt; and the actions whose records are taken to be right.
type StoredDoubts = (Vec<(usize, BTreeSet<SetAside>)>, BTreeSet<usize>);

type StoredAside = Vec<(String, usize, usize)>;

pub(crate) type StoredRow = Vec<StoredInteger>;

/// Nearly all fit in a machine integer.
#[derive(Serialize, Deserialize)]
pub(crate) enum StoredInteger {
    Small(i64),
    Big(String),
}

impl From<IBig> for StoredInteger {
    fn from(value: IBig) -> Self {
        i64::try_from(&value)
            .map_or_else(|_| StoredInteger::Big(value.to_string()), StoredInteger::Small)
    }
}

impl StoredInteger {
    pub(crate) fn read(&self) -> Option<IBig> {
        match self {
            StoredInteger::Small(value) => Some((*value).into()),
            StoredInteger::Big(digits) => digits.parse().ok(),
        }
    }
}

pub(crate) fn stored_row(row: &Row) -> StoredRow {
    (0..row.len()).map(|index| row.integer(index).into()).collect()
}

pub(crate) fn read_row(row: &StoredRow, length: usize) -> Option<Row> {
    if row.len() != length {
        return None;
    }
    Some(Row::from_integers(row.iter().map(StoredInteger::read).collect::<Option<_>>()?))
}

/// The bytes of a learner's state. Learners that saw the same steps, in any order and sharding,
/// have the same bytes.
pub fn save(learner: &Learner) -> Result<Vec<u8>, SnapshotError> {
    let mut learner = learner.clone();
    learner.settle();
    let class = learner.class();
    let factors =
        |monomials: &Vec<Monomial>| monomials.iter().map(|monomial| indices(&monomial.0)).collect();
    let stored = StoredLearner {
        domain: write_domain(&vocabulary_of(learner.given())),
        degree: class.degree.degree,
        squares: class.degree.squares,
        decimals: match class.numbers {
            Numbers::Exact => None,
            Numbers::Decimals(places) => Some(places),
        },
        relevant: class
            .relevant
            .iter()
            .map(|(action, monomials)| (action.index(), factors(monomials)))
            .collect(),
        traces: learner.history().traces.clone(),
        set_aside: learner.history().set_aside.clone(),
        skipped: learner
            .history()
            .skipped
            .iter()
            .map(|(action, steps)| (action.index(), steps.clone()))
            .collect(),
        actions: learner
            .domain()
            .action_ids()
            .map(|action| stored_action(learner.evidence(action)))
            .collect(),
        later: later(&learner)?,
    };
    let content = postcard::to_stdvec(&stored).map_err(|_| SnapshotError::Unwritable)?;
    let mut bytes = MARK.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(Sha256::digest(&content));
    bytes.extend(content);
    Ok(bytes)
}

/// What is only there where something was set aside or taken for granted, attempts failed, or
/// records left something out, so that the bytes of all others stay what they were. By name:
/// whoever does not know one refuses the state, rather than learn from a part of it.
fn later(learner: &Learner) -> Result<Vec<(String, Vec<u8>)>, SnapshotError> {
    let actions: Vec<StoredPartial> = learner
        .domain()
        .action_ids()
        .map(|action| StoredPartial::of(learner.evidence(action)))
        .collect();
    let mut later = Vec::new();
    let history = learner.history();
    if !history.set_aside_of.is_empty() {
        let aside = history
            .set_aside_of
            .iter()
            .map(|((trace, step), action)| (trace.clone(), *step, action.index()));
        let bytes = postcard::to_stdvec(&aside.collect::<StoredAside>())
            .map_err(|_| SnapshotError::Unwritable)?;
        later.push((SET_ASIDE_OF.to_owned(), bytes));
    }
    if !history.skipped.is_empty() || !history.trusted.is_empty() {
        let doubtful =
            history.doubtful.iter().map(|(action, steps)| (action.index(), steps.clone()));
        let doubts: StoredDoubts = (doubtful.collect(), indices(&history.trusted));
        let bytes = postcard::to_stdvec(&doubts).map_err(|_| SnapshotError::Unwritable)?;
        later.push((DOUBTS.to_owned(), bytes));
    }
    if !history.assumed.is_empty() {
        later.push((
            ASSUMED.to_owned(),
            postcard::to_stdvec(&history.assumed).map_err(|_| SnapshotError::Unwritable)?,
        ));
    }
    if actions.iter().any(|stored| !stored.is_empty()) {
        later.push((
            PARTIAL.to_owned(),
            postcard::to_stdvec(&actions).map_err(|_| SnapshotError::Unwritable)?,
        ));
    }
    if let Some(kept) = &history.kept {
        later.push((KEPT.to_owned(), stored_traces(kept)?));
    }
    later.extend(stored_parts(learner)?);
    later.extend(stored_inexact(learner)?);
    later.extend(stored_failures(learner)?.map(|bytes| (FAILURES.to_owned(), bytes)));
    Ok(later)
}

const PARTIAL: &str = "partial steps";

/// The places that are known, the hull, and what changed.
type StoredSteps = (Vec<usize>, Vec<StoredRow>, BTreeSet<usize>);

/// What is kept of the steps of an action that have unknown values.
#[derive(Serialize, Deserialize)]
struct StoredPartial {
    /// By pattern: by the places that are known, the hull, and what changed.
    steps: Vec<(Vec<u32>, Vec<StoredSteps>)>,
    /// By the columns that are unknown.
    points: Vec<(BTreeSet<usize>, Vec<StoredRow>)>,
}

impl StoredPartial {
    fn of(evidence: &ActionEvidence) -> Self {
        let masked = |(mask, steps): (&Vec<usize>, &MaskedSteps)| {
            (
                mask.clone(),
                steps.hull.rows().iter().map(stored_row).collect(),
                indices(&steps.changed),
            )
        };
        let partial = evidence.patterns.iter().filter(|(_, entry)| !entry.partial.is_empty());
        let steps = partial.map(|(pattern, entry)| {
            (pattern.0.clone(), entry.partial.by_mask.iter().map(masked).collect())
        });
        let points = evidence
            .partial_rows()
            .map(|(unknown, rows)| (indices(unknown), rows.into_iter().map(stored_row).collect()));
        StoredPartial { steps: steps.collect(), points: points.collect() }
    }

    fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.points.is_empty()
    }

    /// Adds what was stored to the rest of an action's evidence; `None` where it does not fit.
    fn restore(self, vocabulary: &Vocabulary, evidence: &mut ActionEvidence) -> Option<()> {
        let width = Places::new(vocabulary).width();
        for (pattern, masked) in self.steps {
            let entry = evidence.patterns.get_mut(&Pattern(pattern))?;
            for (mask, rows, changed) in masked {
                let ascending = mask.windows(2).all(|pair| pair[0] < pair[1])
                    && mask.last().is_some_and(|&last| last < width);
                let rows: Vec<Row> =
                    rows.iter().map(|row| read_row(row, width)).collect::<Option<_>>()?;
                let changed = checked_ids(changed, vocabulary.functions.len())?;
                let steps = MaskedSteps { hull: Echelon::span(width, rows), changed };
                ascending.then(|| entry.partial.by_mask.insert(mask, steps))?;
            }
        }
        for (unknown, rows) in self.points {
            let unknown = checked_ids(unknown, vocabulary.columns.len())?;
            let rows: Vec<Row> = rows
                .iter()
                .map(|row| read_row(row, vocabulary.columns.len() + 1))
                .collect::<Option<_>>()?;
            rows.iter()
                .all(|row| row.signum(0) > 0)
                .then(|| evidence.restore_partial(vocabulary, unknown, rows))?;
        }
        Some(())
    }
}

/// The actions of the steps that were set aside.
fn set_aside_of(bytes: &[u8], actions: usize) -> Option<BTreeMap<(String, usize), ActionId>> {
    let stored: StoredAside = postcard::from_bytes(bytes).ok()?;
    stored
        .into_iter()
        .map(|(trace, step, action)| Some(((trace, step), checked_id(action, actions)?)))
        .collect()
}

/// The records in doubt, and the actions whose records are taken to be right.
fn doubts(bytes: &[u8], actions: usize) -> Option<(Doubts, BTreeSet<ActionId>)> {
    let (doubtful, trusted): StoredDoubts = postcard::from_bytes(bytes).ok()?;
    let doubtful = doubtful
        .into_iter()
        .map(|(action, steps)| Some((checked_id(action, actions)?, steps)))
        .collect::<Option<_>>()?;
    Some((doubtful, checked_ids(trusted, actions)?))
}

fn stored_action(evidence: &ActionEvidence) -> StoredAction {
    let (points, first) = evidence.rows();
    let rational = |value: &Rational| (value.numerator().into(), value.denominator().into());
    let pattern = |(pattern, entry): (&Pattern, &PatternEvidence)| StoredPattern {
        pattern: pattern.0.clone(),
        seen: entry.seen.iter().map(|seen| seen.0).collect(),
        joint: entry.joint.rows().iter().map(stored_row).collect(),
        changed: indices(&entry.changed),
    };
    StoredAction {
        patterns: evidence.patterns.iter().map(pattern).collect(),
        undefined: indices(&evidence.undefined),
        untouched: indices(&evidence.untouched),
        points: points.into_iter().map(stored_row).collect(),
        first: first
            .iter()
            .map(|values| values.iter().map(|value| value.as_ref().map(rational)).collect())
            .collect(),
    }
}

/// The places of ids in their tables, as they are stored.
pub(crate) fn indices<'i, I: Id + 'i, C: FromIterator<usize>>(
    ids: impl IntoIterator<Item = &'i I>,
) -> C {
    ids.into_iter().map(|id| id.index()).collect()
}

/// An id as it was stored, of a table with `count` entries; `None` where there is no such entry.
pub(crate) fn checked_id<I: Id>(index: usize, count: usize) -> Option<I> {
    (index < count).then(|| I::from_index(index))
}

pub(crate) fn checked_ids<I: Id, C: FromIterator<I>>(
    indices: impl IntoIterator<Item = usize>,
    count: usize,
) -> Option<C> {
    indices.into_iter().map(|index| checked_id(index, count)).collect()
}

/// The learner whose state these bytes are.
pub fn load(bytes: &[u8]) -> Result<Learner, SnapshotError> {
    let (head, content) =
        bytes.split_at_checked(HEAD).ok_or_else(|| match bytes.starts_with(MARK) {
            true => SnapshotError::Damaged,
            false => SnapshotError::Foreign,
        })?;
    if !head.starts_with(MARK) {
        return Err(SnapshotError::Foreign);
    }
    let version = head[MARK.len()..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    if version > VERSION {
        return Err(SnapshotError::Newer(version));
    }
    if version < VERSION {
        return Err(SnapshotError::Older(version));
    }
    if head[MARK.len() + 4..] != Sha256::digest(content)[..] {
        return Err(SnapshotError::Damaged);
    }
    let stored: StoredLearner =
        postcard::from_bytes(content).map_err(|_| SnapshotError::Damaged)?;
    restored(stored).ok_or(SnapshotError::Damaged)
}

fn restored(stored: StoredLearner) -> Option<Learner> {
    let given = read_domain(&Source::new("learner state", stored.domain)).ok()?;
    let degree = (stored.degree, stored.squares);
    let entry = |key: &str| stored.later.iter().find(|(name, _)| name == key);
    let parts = match (entry(PARTS), entry(FOUND)) {
        (Some((_, bytes)), found) => {
            restored_parts(bytes, found.map(|(_, bytes)| &bytes[..]), &given, degree)?
        }
        (None, Some(_)) => return None,
        (None, None) => DomainParts::default(),
    };
    let domain = parts.learned_domain(&given);
    let actions = domain.actions.len();
    let mut relevant: BTreeMap<ActionId, Vec<Monomial>> = BTreeMap::new();
    for (action, monomials) in stored.relevant {
        let action = checked_id(action, actions)?;
        let functions = Vocabulary::functions_of(&domain, action).ok()?.len();
        let monomials =
            monomials.into_iter().map(|factors| checked_ids(factors, functions).map(Monomial));
        relevant.insert(action, monomials.collect::<Option<_>>()?);
    }
    let class = Class {
        degree: Degree { degree: stored.degree, squares: stored.squares },
        numbers: stored.decimals.map_or(Numbers::Exact, Numbers::Decimals),
        parts,
        relevant,
        errors: match stored.later.iter().find(|(name, _)| name == ERRORS) {
            Some((_, bytes)) => restored_errors(bytes, domain.signature.functions.len())?,
            None => BTreeMap::new(),
        },
    };
    let mut learner = Learner::new(&given, class).ok()?;
    if stored.actions.len() != domain.actions.len() {
        return None;
    }
    let mut partial = Vec::new();
    for (name, bytes) in &stored.later {
        match name.as_str() {
            SET_ASIDE_OF | DOUBTS | ASSUMED | KEPT | FAILURES | ERRORS | JOINTS | PARTS | FOUND
            | OUTSIDE => {}
            PARTIAL => {
                partial = postcard::from_bytes(bytes)
                    .ok()
                    .filter(|all: &Vec<StoredPartial>| all.len() == actions)?
            }
            _ => return None,
        }
    }
    let mut partial = partial.into_iter();
    for (action, stored) in domain.action_ids().zip(stored.actions) {
        let mut evidence = restored_action(learner.vocabulary(action), stored)?;
        partial.next().map_or(Some(()), |partial| {
            partial.restore(learner.vocabulary(action), &mut evidence)
        })?;
        learner.set_evidence(action, evidence);
    }
    let skipped = stored
        .skipped
        .into_iter()
        .map(|(action, steps)| Some((checked_id(action, actions)?, steps)));
    let skipped: BTreeMap<ActionId, BTreeSet<SetAside>> = skipped.collect::<Option<_>>()?;
    let mut history = History {
        traces: stored.traces,
        set_aside: stored.set_aside,
        // A state that says nothing about it learned from all states.
        trusted: skipped.keys().copied().collect(),
        skipped,
        ..History::default()
    };
    for (name, bytes) in stored.later {
        match &*name {
            DOUBTS => (history.doubtful, history.trusted) = doubts(&bytes, actions)?,
            ASSUMED => history.assumed = postcard::from_bytes(&bytes).ok()?,
            KEPT => history.kept = Some(restored_traces(&bytes, &given)?),
            SET_ASIDE_OF => history.set_aside_of = set_aside_of(&bytes, actions)?,
            FAILURES => restored_failures(&mut learner, &bytes, &mut history)?,
            JOINTS => restored_joints(&mut learner, &bytes)?,
            OUTSIDE => restored_outside(&learner, &bytes, &mut history)?,
            // Taken in above, or refused.
            _ => {}
        }
    }
    let known = history.traces.values().all(|steps| steps.len() == actions);
    learner.set_history(known.then_some(history)?);
    Some(learner)
}

fn restored_action(vocabulary: &Vocabulary, stored: StoredAction) -> Option<ActionEvidence> {
    let (columns, functions) = (vocabulary.columns.len(), vocabulary.functions.len());
    let mut patterns = BTreeMap::new();
    for StoredPattern { pattern, seen, joint: rows, changed } in stored.patterns {
        let pattern = (pattern.len() == vocabulary.parameters).then_some(Pattern(pattern))?;
        let classes = pattern.classes(&vocabulary.atoms).len();
        let seen: Vec<TruthPairs> = seen.into_iter().map(TruthPairs).collect();
        let width = Layout::new(vocabulary).width();
        let rows: Vec<Row> = rows.iter().map(|row| read_row(row, width)).collect::<Option<_>>()?;
        let changed = checked_ids(changed, functions)?;
        let entry = PatternEvidence {
            seen,
            joint: Echelon::span(width, rows),
            changed,
            partial: PartialSteps::default(),
        };
        (entry.seen.len() == classes).then(|| patterns.insert(pattern, entry))?;
    }
    let points: Vec<Row> =
        stored.points.iter().map(|row| read_row(row, columns + 1)).collect::<Option<_>>()?;
    let value = |value: Option<(StoredInteger, StoredInteger)>| match value {
        None => Some(None),
        Some((num, den)) => Rational::from_integers(num.read()?, den.read()?).map(Some),
    };
    let mut first = Vec::new();
    for values in stored.first {
        let values: Vec<Option<Rational>> = values.into_iter().map(value).collect::<Option<_>>()?;
        (values.len() == columns).then(|| first.push(values))?;
    }
    let undefined: BTreeSet<LiftedFunctionId> = checked_ids(stored.undefined, functions)?;
    let untouched: BTreeSet<LiftedFunctionId> = checked_ids(stored.untouched, functions)?;
    let known = untouched.is_subset(&undefined) && points.iter().all(|row| row.signum(0) > 0);
    known.then(|| ActionEvidence::restore(patterns, (undefined, untouched), points, first))
}
