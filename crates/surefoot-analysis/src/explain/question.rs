//! Which assumptions are worth asking a person about.
//!
//! Under many assumptions a refused step would be allowed, and most of them are false: an empty
//! battery is "allowed" as soon as one assumes that less battery never hurts. Whoever wishes to
//! take a step should be the last one to hear what to assume so that the model allows it. So an
//! assumption is asked about, and only if all of this holds:
//!
//! 1. **It was not said, nor its opposite.** What the user marked stays as it is. That no condition
//!    is negative is asked only where the domain lists requirements and negative preconditions are
//!    not among them.
//! 2. **Nothing recorded refutes it**: [`contradicted`].
//! 3. **The action itself does not speak against it.** An action that consumes something usually
//!    needs it, and one that fills something up usually stops at a limit. So a mark is not asked
//!    about if moving the number that way is what the action does to it, or makes the action change
//!    another number further the way it changes it.
//! 4. **It predicts what was recorded.** Take the less extreme half of the recorded vectors, learn
//!    from it with and without the mark, and count the vectors of the other half that only the
//!    model with the mark allows. They all worked, so each is a prediction that came true; at least
//!    [`FORESEEN`] are asked for.
//! 5. **A person can answer it.** Marks on products are left out, and so is an arity: positive
//!    examples never refute an arity, and nobody knows by heart how many numbers each condition
//!    mentions.
//!
//! The fourth is evidence, no proof (positive examples cannot refute a mark), which is why it is a
//! question.

use super::Asked;
use super::admission::{Admission, admissions_among};
use surefoot_base::exact::{Membership, Rational};
use surefoot_base::ids::Id;
use surefoot_base::model::ActionId;
use surefoot_learn::{
    ActiveColumns, ColumnId, Conclusion, Inconsistency, LearnedAction, Learner, LiftedFunctionId,
    Monotone, NumericForm, Settings, Vocabulary, rays,
};

/// The number of recorded vectors that must confirm a mark before a person is asked about it.
pub const FORESEEN: usize = 3;

/// At most this many vectors are examined: a test needs no more, and each takes a linear program.
const LOOKED_AT: usize = 400;

/// More sets of functions than this are not looked at under an arity; nothing is asked then.
const MANY_SETS: usize = 200;

/// An assumption that a person may know to be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// What would be assumed.
    pub admission: Admission,
    /// The number of recorded vectors that only this assumption predicts; zero if it is not about
    /// numbers.
    pub foreseen: usize,
    /// Whether failed attempts of the action were recorded, none of which refutes the assumption.
    pub is_tried: bool,
}

/// Whether something recorded refutes an assumption about an action: a failed attempt that it would
/// allow.
pub fn contradicted(
    admission: &Admission,
    learner: &Learner,
    settings: &Settings,
    action: ActionId,
) -> bool {
    if learner.evidence(action).failures().is_empty() {
        return false;
    }
    let mut assumed = settings.clone();
    match *admission {
        Admission::Arity(arity, effects) => {
            assumed.arity = Some(arity);
            assumed.effect_arity = if effects { Some(arity) } else { settings.effect_arity };
        }
        Admission::Monotone(column, mark) => {
            assumed.monotone.entry(action).or_default().insert(column, mark);
        }
        Admission::PositivePreconditions => assumed.positive_preconditions = true,
    }
    let conclusion = learner.conclude_spanned(action, &assumed);
    matches!(
        conclusion,
        Conclusion::Inconsistent(Inconsistency::Failed | Inconsistency::FailedAssumed { .. })
    )
}

/// The assumptions that would admit a step and that are worth asking about; the weakest of each
/// kind.
pub fn questions(learner: &Learner, settings: &Settings, asked: Asked<'_>) -> Vec<Question> {
    questions_among(learner, settings, asked, &[])
}

/// Like [`questions`], tested on recorded vectors if there are any, rather than on those that a
/// learner keeps.
pub(super) fn questions_among(
    learner: &Learner,
    settings: &Settings,
    asked: Asked<'_>,
    recorded: &[Vec<Rational>],
) -> Vec<Question> {
    let action = asked.step.symbol;
    let Conclusion::Learned(learned) = learner.conclude_spanned(action, settings) else {
        return Vec::new();
    };
    let columns = learner.evidence(action).columns(learner.vocabulary(action));
    let kept = learner.evidence(action).points(&columns);
    let vectors = if recorded.len() > kept.len() { recorded } else { &kept };
    let trial = AdmissionTrial {
        learner,
        settings,
        action,
        learned: &learned,
        columns: &columns,
        kept: &kept,
        vectors,
    };
    let Asked { step, objects, universe, state } = asked;
    let found =
        admissions_among(learner, settings, step, objects, universe, state, |admission: &_| {
            trial.is_worthwhile(admission)
        });
    let is_tried = !learner.evidence(action).failures().is_empty();
    let mut questions: Vec<Question> = found
        .into_iter()
        .map(|admission| Question { foreseen: trial.foreseen(&admission), is_tried, admission })
        .collect();
    // What more of the record bears out is asked first.
    questions.sort_by_key(|question| std::cmp::Reverse(question.foreseen));
    questions
}

/// What an assumption about an action is tried on.
struct AdmissionTrial<'a> {
    learner: &'a Learner,
    settings: &'a Settings,
    action: ActionId,
    learned: &'a LearnedAction,
    columns: &'a ActiveColumns,
    /// The vectors that the learner keeps.
    kept: &'a [Vec<Rational>],
    /// The vectors to predict: the recorded ones, if they are more than the kept ones.
    vectors: &'a [Vec<Rational>],
}

impl AdmissionTrial<'_> {
    /// The number of vectors that only the model with the assumption predicts.
    fn foreseen(&self, admission: &Admission) -> usize {
        match admission {
            Admission::Monotone(column, mark) => foreseen(
                self.learner,
                self.settings,
                self.action,
                (*column, *mark),
                self.columns,
                self.vectors,
            ),
            _ => 0,
        }
    }

    /// Whether the assumption is plausible, and nothing recorded refutes it.
    fn is_worthwhile(&self, admission: &Admission) -> bool {
        let (learner, action) = (self.learner, self.action);
        let plausible = match admission {
            Admission::PositivePreconditions => leaves_out_negative(learner),
            Admission::Arity(..) => false,
            Admission::Monotone(column, mark) => {
                learner.vocabulary(action).columns[*column].0.len() == 1
                    && !is_driven(learner, action, self.learned, (*column, *mark), self.kept)
                    && self.foreseen(admission) >= FORESEEN
            }
        };
        plausible && !contradicted(admission, learner, self.settings, action)
    }
}

/// Whether the domain's author listed what it needs, and negative preconditions are not among it.
fn leaves_out_negative(learner: &Learner) -> bool {
    let requirements = &learner.domain().requirements;
    let negative = [":negative-preconditions", ":adl", ":quantified-preconditions"];
    !requirements.is_empty()
        && !requirements
            .iter()
            .any(|word| negative.iter().any(|other| word.eq_ignore_ascii_case(other)))
}

/// Whether a mark lets a number go where the action itself drives it, or makes it drive another
/// number further.
fn is_driven(
    learner: &Learner,
    action: ActionId,
    learned: &LearnedAction,
    (column, mark): (ColumnId, Monotone),
    points: &[Vec<Rational>],
) -> bool {
    let vocabulary = learner.vocabulary(action);
    let columns = &learned.numeric.columns;
    let Some(marked) = columns.position(|&other| other == column) else { return false };
    let way = match mark {
        Monotone::More => 1,
        Monotone::Less => -1,
        Monotone::Any => return true,
    };
    learned.numeric.effects.pairs().any(|(function, form)| {
        let own =
            vocabulary.column_of(function).and_then(|own| columns.position(|&other| other == own));
        let Some(driven) = drive(form, own.map(Id::index), points) else { return false };
        let read = match form {
            NumericForm::Change(map) | NumericForm::Assign(map) => {
                map.terms.iter().find(|(place, _)| *place == marked)
            }
            _ => None,
        };
        let further = read.is_some_and(|(_, coefficient)| coefficient.signum() * way == driven);
        is_alone(vocabulary.columns[column].0.as_slice(), function) && way == driven || further
    })
}

fn is_alone(factors: &[LiftedFunctionId], function: LiftedFunctionId) -> bool {
    factors == [function]
}

/// The direction in which an effect moved its function in all observations: 1 up, -1 down; `None`
/// if it did both, or neither.
fn drive(form: &NumericForm, own: Option<usize>, points: &[Vec<Rational>]) -> Option<i32> {
    let signs: Vec<i32> = points
        .iter()
        .map(|point| change(form, own, point).map(|by| by.signum()))
        .collect::<Option<_>>()?;
    [1, -1].into_iter().find(|way| signs.contains(way) && !signs.contains(&-way))
}

/// By how much an effect changes its function at a point; `None` if it changes nothing, or the
/// function is not among the columns.
fn change(form: &NumericForm, own: Option<usize>, point: &[Rational]) -> Option<Rational> {
    match form {
        NumericForm::Unchanged => None,
        NumericForm::Change(map) => Some(map.at(point)),
        NumericForm::Assign(map) => Some(&map.at(point) - &point[own?]),
        NumericForm::Scale(factor) => Some(&point[own?] * &(factor - &Rational::ONE)),
    }
}

/// The number of vectors farther along the marked direction that the other vectors predict with the
/// mark, and not without it.
fn foreseen(
    learner: &Learner,
    settings: &Settings,
    action: ActionId,
    (column, mark): (ColumnId, Monotone),
    columns: &ActiveColumns,
    vectors: &[Vec<Rational>],
) -> usize {
    let vocabulary = learner.vocabulary(action);
    let Some(place) = columns.position(|&other| other == column).map(Id::index) else { return 0 };
    let step = vectors.len().div_ceil(LOOKED_AT).max(1);
    let mut sorted: Vec<&Vec<Rational>> = vectors.iter().step_by(step).collect();
    sorted.sort_by(|one, other| one[place].cmp(&other[place]));
    if mark == Monotone::Less {
        sorted.reverse();
    }
    let (near, far) = sorted.split_at(sorted.len() / 2);
    let near: Vec<Vec<Rational>> = near.iter().map(|&vector| vector.clone()).collect();
    let given = settings.monotone.get(&action).cloned().unwrap_or_default();
    let mut marked = given.clone();
    marked.insert(column, mark);
    let sets = match settings.arity {
        None => Some(vec![(0..columns.len()).collect()]),
        Some(arity) => column_sets(learner, action, columns, arity),
    };
    let (Some(sets), false) = (sets, near.is_empty()) else { return 0 };
    let without = bodies(&sets, &near, &rays(vocabulary, columns, Some(&given), &near));
    let with = bodies(&sets, &near, &rays(vocabulary, columns, Some(&marked), &near));
    far.iter()
        .filter(|vector| all_contain(&with, &sets, vector) && !all_contain(&without, &sets, vector))
        .count()
}

/// By set of places: what vectors and rays span there.
fn bodies(
    sets: &[Vec<usize>],
    vectors: &[Vec<Rational>],
    rays: &[Vec<Rational>],
) -> Vec<Membership> {
    sets.iter()
        .map(|set| {
            let vectors: Vec<Vec<Rational>> =
                vectors.iter().map(|vector| entries(vector, set)).collect();
            let mut rays: Vec<Vec<Rational>> = rays.iter().map(|ray| entries(ray, set)).collect();
            rays.retain(|ray| ray.iter().any(|entry| !entry.is_zero()));
            Membership::new(&vectors, &rays)
        })
        .collect()
}

/// Whether each body contains what a vector is at the places of the body.
fn all_contain(bodies: &[Membership], sets: &[Vec<usize>], vector: &[Rational]) -> bool {
    bodies.iter().zip(sets).all(|(body, set)| body.contains(&entries(vector, set)))
}

fn entries(vector: &[Rational], places: &[usize]) -> Vec<Rational> {
    places.iter().map(|&place| vector[place].clone()).collect()
}

/// The places of the columns over each set of this many functions; `None` if there are too many.
fn column_sets(
    learner: &Learner,
    action: ActionId,
    columns: &ActiveColumns,
    arity: usize,
) -> Option<Vec<Vec<usize>>> {
    let vocabulary = learner.vocabulary(action);
    let mut functions: Vec<LiftedFunctionId> =
        columns.iter().flat_map(|&column| vocabulary.columns[column].0.clone()).collect();
    functions.sort_unstable();
    functions.dedup();
    let mut sets: Vec<Vec<LiftedFunctionId>> = vec![Vec::new()];
    for _ in 0..arity.min(functions.len()) {
        let mut longer = Vec::new();
        for set in &sets {
            let after =
                functions.iter().filter(|function| set.last().is_none_or(|last| last < *function));
            longer.extend(after.map(|&function| [set.as_slice(), &[function]].concat()));
        }
        sets = longer;
        if sets.len() > MANY_SETS {
            return None;
        }
    }
    Some(sets.iter().map(|set| places_over(vocabulary, columns, set)).collect())
}

/// The places of the columns whose functions are all in a set.
fn places_over(
    vocabulary: &Vocabulary,
    columns: &ActiveColumns,
    set: &[LiftedFunctionId],
) -> Vec<usize> {
    columns
        .pairs()
        .filter(|&(_, &column)| {
            vocabulary.columns[column].0.iter().all(|factor| set.contains(factor))
        })
        .map(|(place, _)| place.index())
        .collect()
}
