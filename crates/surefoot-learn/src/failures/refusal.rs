//! Failures that no model allows for: of an action that failed in a state that every model of the
//! class allows, nothing is learned (docs/theory.md, "Failures").

use std::collections::BTreeMap;

use rayon::prelude::*;
use surefoot_base::advice::Text;
use surefoot_base::assumptions::Algorithm;
use surefoot_base::dial;
use surefoot_base::exact::{Polyhedron, Program, Rational};
use surefoot_base::ids::Id;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{ActionId, Arguments, Domain, GroundAction, ObjectId, State, Universe};

use super::most_restrictive::Forbids;
use crate::conclude::{Conclusion, Inconsistency, LearnedAction, Settings};
use crate::evidence::{
    ActionEvidence, FailedAttempt, Failure, Learner, LiftedFunctionId, Open, Vocabulary,
};

/// Whether one of these failed attempts lies where every model of the class that explains the
/// evidence of its action allows it, whatever the user assumes.
pub fn is_failure_contradictory<'a>(
    failures: impl IntoIterator<Item = &'a FailedAttempt>,
    vocabulary: &Vocabulary,
    evidence: &ActionEvidence,
    settings: &Settings,
) -> bool {
    let bare = settings.without_assumptions();
    let forbids = Forbids::new(vocabulary, evidence, &bare, BTreeMap::new());
    failures.into_iter().any(|failed| forbids.accepts(failed))
}

impl Settings {
    /// The settings without what the user assumes beyond the class.
    pub(crate) fn without_assumptions(&self) -> Settings {
        let algorithm =
            if self.algorithm == Algorithm::Sam { Algorithm::NsamStar } else { self.algorithm };
        Settings {
            algorithm,
            arity: None,
            effect_arity: None,
            monotone: Default::default(),
            positive_preconditions: false,
            ..self.clone()
        }
    }

    /// Each assumption that concerns an action, with its name, and the settings without it.
    pub(crate) fn assumptions_of(
        &self,
        learner: &Learner,
        action: ActionId,
    ) -> Vec<(Text, Settings)> {
        let mut all = Vec::new();
        if self.algorithm == Algorithm::Sam {
            all.push((
                dial!("algorithm", "sam").into(),
                Settings { algorithm: Algorithm::NsamStar, ..self.clone() },
            ));
        }
        if let Some(arity) = self.arity {
            all.push((dial!("arity", arity).into(), Settings { arity: None, ..self.clone() }));
        }
        if let Some(arity) = self.effect_arity {
            all.push((
                dial!("effect-arity", arity).into(),
                Settings { effect_arity: None, ..self.clone() },
            ));
        }
        for (&column, mark) in self.monotone.get(&action).into_iter().flatten() {
            let mut without = self.clone();
            without.monotone.entry(action).or_default().remove(&column);
            let mark =
                serde_json::to_value(mark).ok().and_then(|mark| mark.as_str().map(str::to_owned));
            let mark = mark.invariant("a mark is written as a word");
            let column = learner
                .vocabulary(action)
                .columns
                .get(column)
                .map(|column| learner.written(action, column));
            all.push((
                Text::from("the ")
                    + dial!("monotone")
                    + format!(
                        " assumption `{mark}` on {}",
                        column.invariant(
                            "marks are on \
                    columns"
                        )
                    ),
                without,
            ));
        }
        if self.positive_preconditions {
            let without = Settings { positive_preconditions: false, ..self.clone() };
            all.push((dial!("positive-preconditions", true).into(), without));
        }
        all
    }
}

impl Learner {
    /// The failures of an action under some settings, all that are kept.
    pub(crate) fn forbids(&self, action: ActionId, settings: &Settings) -> Forbids {
        let all = Settings { failure_budget: usize::MAX, ..settings.clone() };
        let marks = settings.monotone.get(&action).cloned().unwrap_or_default();
        Forbids::new(self.vocabulary(action), self.evidence(action), &all, marks)
    }

    /// Whether attempts failed in states that every model of the class allows: without the user's
    /// assumptions, or because of them.
    pub(crate) fn refused_by_failures(
        &self,
        action: ActionId,
        settings: &Settings,
    ) -> Option<Inconsistency> {
        if self.evidence(action).failures().is_empty() || self.evidence(action).is_empty() {
            return None;
        }
        if self.allows_a_failure(action, &settings.without_assumptions()) {
            return Some(Inconsistency::Failed);
        }
        self.allows_a_failure(action, settings).then(|| {
            let assumed = settings.assumptions_of(self, action);
            Inconsistency::FailedAssumed {
                assumption: blamed(assumed, |weaker| !self.allows_a_failure(action, weaker)),
            }
        })
    }
}

/// Failures that are kept, without the states in which they happened.
impl Learner {
    /// Whether attempts at an action failed in states that every model of the class allows,
    /// whatever anybody assumes.
    pub fn contradicted_by_failures(&self, action: ActionId) -> bool {
        let is_known =
            !self.evidence(action).failures().is_empty() && !self.evidence(action).is_empty();
        is_known && self.allows_a_failure(action, &Settings::default().without_assumptions())
    }

    /// Whether every model allows a failure that is kept, under some settings.
    pub(crate) fn allows_a_failure(&self, action: ActionId, settings: &Settings) -> bool {
        let forbids = self.forbids(action, settings);
        if forbids.contradictions().next().is_some() {
            return true;
        }
        if forbids.doubtful().is_empty() {
            return false;
        }
        let Conclusion::Learned(learned) = self.conclude_spanned_unrefused(action, settings) else {
            return false;
        };
        let model = self.domain().with_bodies(|id| (id == action).then_some(&learned.action));
        self.is_allowed_by(action, &learned, &model, forbids.doubtful())
    }

    /// Whether a model for recorded states allows one of some failures that are kept.
    fn is_allowed_by<'f>(
        &self,
        action: ActionId,
        learned: &LearnedAction,
        model: &Domain,
        failures: impl IntoIterator<Item = &'f Failure>,
    ) -> bool {
        let region =
            learned.numeric.inexact.is_some().then(|| some_vector(&learned.numeric.region.set));
        let open = Open::new(self.vocabulary(action), self.evidence(action));
        failures.into_iter().any(|failure| match (failure.vector(&open), &region) {
            (Some(x), _) => self.allows_kept(model, action, &open, failure, &x),
            // It lies in the region over the columns that have a value there, so any vector of the
            // region stands for it.
            (None, Some(some)) => {
                some.as_ref().is_some_and(|x| self.allows_kept(model, action, &open, failure, x))
            }
            // It lies between the steps that worked: what is convex and holds for all of these
            // holds for it.
            (None, None) => {
                !open.points.is_empty()
                    && open
                        .points
                        .iter()
                        .all(|x| self.allows_kept(model, action, &open, failure, x))
            }
        })
    }

    /// An action of which a finished model, for recorded states, allows a failure that is kept:
    /// there is none, since what is concluded from failures left such actions out. Tried before any
    /// model leaves the library.
    pub(crate) fn allowed_failure(
        &self,
        model: &Domain,
        conclusions: &[Conclusion],
    ) -> Option<ActionId> {
        let actions: Vec<ActionId> = self.domain().action_ids().collect();
        actions.into_par_iter().find_first(|&action| match &conclusions[action.index()] {
            Conclusion::Learned(learned) => {
                let failures = self.evidence(action).failures().iter();
                self.is_allowed_by(action, learned, model, failures)
            }
            _ => false,
        })
    }

    /// Whether what was learned allows a failure that is kept, with some vector: in a state with
    /// one object for each object of its pattern. What is not kept of the failure is unknown there.
    fn allows_kept(
        &self,
        learned: &Domain,
        action: ActionId,
        open: &Open<'_>,
        failure: &Failure,
        x: &[Rational],
    ) -> bool {
        let Vocabulary { atoms, functions, columns, .. } = open.vocabulary;
        let constants = learned.signature.constants.len();
        let places = failure.pattern.0.iter().map(|&place| place as usize);
        let objects = places.map(|place| match place {
            slot if slot < failure.pattern.0.len() => ObjectId::from_index(constants + slot),
            constant => ObjectId::from_index(constant - failure.pattern.0.len()),
        });
        let arguments: Arguments = objects.collect();
        let (mut universe, mut state) = (Universe::default(), State::default());
        let kept = open.pattern(&failure.pattern);
        for (place, class) in failure.pattern.classes(atoms).iter().enumerate() {
            let atom = universe.atom(&atoms[class[0]].ground(&arguments));
            match failure.truth(place) {
                _ if !kept.positive.contains(place) && !kept.negative.contains(place) => {
                    state.set_atom_unknown(atom)
                }
                None => state.set_atom_unknown(atom),
                Some(true) => state.insert(atom),
                Some(false) => state.remove(atom),
            }
        }
        // What no condition and no effect reads may have any value; of what is read only in
        // products, the value is not kept.
        for (id, function) in functions.pairs() {
            let value = universe.value(&function.ground(&arguments));
            match open.columns.iter().any(|&column| columns[column].0.contains(&id)) {
                true => state.set_value_unknown(value),
                false => state.set_value(value, Rational::ZERO),
            }
        }
        for (&column, number) in open.columns.iter().zip(x) {
            if let [function] = columns[column].0[..] {
                let value = universe.value(&functions[function].ground(&arguments));
                state.set_value(value, number.clone());
            }
        }
        for function in failure.defined.zeroes().map(LiftedFunctionId::from_index) {
            let value = universe.value(&functions[function].ground(&arguments));
            state.unset_value(value);
        }
        let semantics = Semantics::new(learned, &learned.signature.constants);
        let precondition = &learned.action(action).precondition;
        semantics.holds_with(precondition, &arguments, &universe, &state) == Ok(true) && {
            let step = GroundAction { symbol: action, arguments };
            semantics.effects(&step, &universe, &state).is_ok()
        }
    }
}

/// Some vector of a region that is known by its facets; `None` where it has none.
fn some_vector(region: &Polyhedron) -> Option<Vec<Rational>> {
    let mut program = Program::new(region.columns());
    for equation in region.equations() {
        let coefficients: Vec<Rational> = equation.coefficients().collect();
        program.add_equation(&coefficients, &equation.bound());
    }
    for inequality in region.inequalities() {
        let coefficients: Vec<Rational> = inequality.coefficients().collect();
        program.add(&coefficients, &inequality.bound());
    }
    program.feasible().ok()
}

/// The assumptions that are needed, each by itself; or all, if only all together are.
pub(crate) fn blamed(
    assumed: Vec<(Text, Settings)>,
    suffices_without: impl Fn(&Settings) -> bool,
) -> Text {
    let (needed, others): (Vec<_>, Vec<_>) =
        assumed.into_iter().partition(|(_, weaker)| suffices_without(weaker));
    let named = if needed.is_empty() { others } else { needed };
    Text::joined(named.into_iter().map(|(name, _)| name), " or ")
}
