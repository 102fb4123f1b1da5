//! The recorded vector that is nearest to a state: the step that worked, compared with the one
//! asked about.

use std::collections::BTreeSet;

use super::Asked;
use super::range::values;
use surefoot_base::exact::Rational;
use surefoot_base::model::{GroundAction, State, Universe};
use surefoot_base::pddl::{ReadError, SourcePlace};
use surefoot_learn::{ActiveColumns, ColumnId, Learner, Recording};

/// An observed vector, compared with the one asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nearest {
    /// Columns of the action's vocabulary, the value asked about, and the value observed.
    pub columns: Vec<(ColumnId, Rational, Rational)>,
    /// How many observed vectors there were to choose from.
    pub among: usize,
    /// The step it was observed in, where the recording was looked at.
    pub recorded: Option<Recorded>,
}

/// A recorded step, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// The step, as it was recorded.
    pub step: String,
    /// The place of the step in the records.
    pub place: SourcePlace,
}

/// The number of distinct vectors of a recording that are kept: enough to test an assumption on.
const KEPT: usize = 1000;

/// The observed vector nearest to a state, each column measured by its observed range; `None` where
/// nothing was observed or the state leaves a column undefined. Only vectors that span the region
/// are kept by a learner that saw very many.
pub fn nearest(
    learner: &Learner,
    step: &GroundAction,
    universe: &Universe,
    state: &State,
) -> Option<Nearest> {
    let view = EvidenceView::new(learner, step, universe, state)?;
    let best = view
        .points
        .iter()
        .min_by(|one, other| view.distance(one).total_cmp(&view.distance(other)))?;
    Some(view.beside(best, view.points.len(), None))
}

/// The nearest vector among all steps of a recording, with the place of its step. Of equally near
/// steps, those that share more objects with the step asked about come first, then earlier ones. It
/// also returns the first thousand distinct vectors.
///
/// # Errors
/// The recording cannot be read.
pub fn nearest_recorded(
    learner: &Learner,
    asked: Asked<'_>,
    recording: &dyn Recording,
) -> Result<(Option<Nearest>, Vec<Vec<Rational>>), ReadError> {
    let mut vectors: BTreeSet<Vec<Rational>> = BTreeSet::new();
    let Some(view) = EvidenceView::new(learner, asked.step, asked.universe, asked.state) else {
        return Ok((None, Vec::new()));
    };
    let vocabulary = learner.vocabulary(asked.step.symbol);
    let mut best: Option<(f64, usize, Vec<Rational>, Recorded)> = None;
    learner.lens().each_event(recording, 0..recording.traces(), |_, recorded, observer| {
        let Some(step) = recorded.step().filter(|step| step.action.symbol == asked.step.symbol)
        else {
            return;
        };
        // What no model explains is no evidence, and was not learned from.
        let Ok(observation) = observer.observe_step(step) else { return };
        let vector: Option<Vec<Rational>> = view
            .columns
            .iter()
            .map(|&column| vocabulary.column_value(column, &observation.before))
            .collect();
        let Some(vector) = vector else { return };
        let distance = view.distance(&vector);
        let pairs = step.action.arguments.iter().zip(&asked.step.arguments);
        let others = pairs
            .filter(|&(&one, &other)| {
                !recorded.objects.name(one).eq_ignore_ascii_case(asked.objects.name(other))
            })
            .count();
        let nearer = best.as_ref().is_none_or(|(least, fewest, ..)| {
            distance.total_cmp(least).then(others.cmp(fewest)).is_lt()
        });
        if nearer {
            let writer = surefoot_base::pddl::Writer::new(learner.domain(), recorded.objects);
            let place = *recorded.error(String::new()).place;
            let found = Recorded { step: writer.ground_action(step.action), place };
            best = Some((distance, others, vector.clone(), found));
        }
        if vectors.len() < KEPT {
            vectors.insert(vector);
        }
    })?;
    let among = vectors.len();
    let nearest = best.map(|(.., vector, recorded)| view.beside(&vector, among, Some(recorded)));
    Ok((nearest, vectors.into_iter().collect()))
}

/// What a state looks like to the evidence of an action.
struct EvidenceView {
    columns: ActiveColumns,
    here: Vec<Rational>,
    points: Vec<Vec<Rational>>,
    ranges: Vec<f64>,
}

impl EvidenceView {
    fn new(
        learner: &Learner,
        step: &GroundAction,
        universe: &Universe,
        state: &State,
    ) -> Option<Self> {
        let (columns, here) = vector(learner, step, universe, state)?;
        let points = learner.evidence(step.symbol).points(&columns);
        let ranges = (0..columns.len())
            .map(|place| range(&points, place).filter(|&range| range > 0.0).unwrap_or(1.0))
            .collect();
        Some(EvidenceView { columns, here, points, ranges })
    }

    /// Which one is nearest is a matter of taste, so floating point is good enough.
    fn distance(&self, point: &[Rational]) -> f64 {
        (0..self.columns.len())
            .map(|place| {
                ((&point[place] - &self.here[place]).to_f64() / self.ranges[place]).powi(2)
            })
            .sum()
    }

    fn beside(&self, observed: &[Rational], among: usize, recorded: Option<Recorded>) -> Nearest {
        let columns = self.columns.iter().zip(&self.here).zip(observed);
        let columns = columns
            .map(|((column, here), observed)| (*column, here.clone(), observed.clone()))
            .collect();
        Nearest { columns, among, recorded }
    }
}

/// How far apart the greatest and the least value at a place are; `None` where there are no points.
fn range(points: &[Vec<Rational>], place: usize) -> Option<f64> {
    let values = points.iter().map(|point| &point[place]);
    Some((values.clone().max()? - values.min()?).to_f64())
}

/// The values of the active columns in a state; `None` where one is undefined.
pub(super) fn vector(
    learner: &Learner,
    step: &GroundAction,
    universe: &Universe,
    state: &State,
) -> Option<(ActiveColumns, Vec<Rational>)> {
    let columns = learner.evidence(step.symbol).columns(learner.vocabulary(step.symbol));
    let values = values(learner, step, universe, state);
    let vector = columns.iter().map(|&column| values[column].clone()).collect::<Option<_>>()?;
    Some((columns, vector))
}
