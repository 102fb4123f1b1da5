//! Semantic precision and recall, and the errors of effects: what two models say of the same steps.
//!
//! As the paper counts: precision is the share of what the learned model allows that the real one
//! allows, recall the other way round, both by action over all steps; effects are compared where
//! both models allow the step. An action that was not learned allows nothing: precision 1, recall
//! 0, error 0. Beyond the paper, each step that only the real model allows is put down to the
//! Boolean part of the learned precondition, to its numeric part, or to both.

use super::dataset::{Dataset, Delta, Scene};
use super::unit::unit_normals;
use super::{Ratio, mean};
use surefoot_base::exact::Rational;
use surefoot_base::model::compiled::{Checker, Compiled, GroundStepId};
use surefoot_base::model::{ActionId, AtomId, Domain, GroundAction, State, Universe, ValueId};

/// What one action's steps showed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionSemantics {
    /// The action's name, as the real domain spells it.
    pub action: String,
    /// Whether the learned model has it.
    pub learned: bool,
    /// How many of its steps were tried.
    pub steps: u64,
    /// How many the real model allows.
    pub real: u64,
    /// How many the learned model allows.
    pub model: u64,
    /// How many both allow.
    pub both: u64,
    /// Of those the real model alone allows: how many fail the learned Boolean precondition alone.
    pub lost_boolean: u64,
    /// How many fail the learned numeric precondition alone.
    pub lost_numeric: u64,
    /// How many fail both.
    pub lost_both: u64,
    /// Of those both allow: after how many the same atoms are true.
    pub boolean_agreement: u64,
    /// Of those both allow: after how many the learned model leaves a function undefined that has a
    /// value, or the other way round; no square measures that.
    pub undefined: u64,
    /// Of those both allow: after how many the two states differ, in whatever it is.
    pub elsewhere: u64,
    /// The sum, over the steps both allow, of the mean squared difference of all functions.
    pub squared_error: Rational,
    /// Over the steps both allow: the largest difference of a function.
    pub largest_error: Rational,
}

impl ActionSemantics {
    /// Precision as a ratio of counts.
    pub fn precision_ratio(&self) -> Ratio {
        Ratio { hits: self.both, of: self.model }
    }

    /// Precision; 1 where the learned model allows nothing.
    pub fn precision(&self) -> f64 {
        self.precision_ratio().value_or(1.0)
    }

    /// Recall; 0 for an action that was not learned, `None` for one that the real model never
    /// allowed.
    pub fn recall(&self) -> Option<f64> {
        if self.learned { Ratio { hits: self.both, of: self.real }.value() } else { Some(0.0) }
    }

    /// The mean squared error of numeric effects, exactly; 0 where no step is allowed by both.
    pub fn error(&self) -> Rational {
        let steps = Rational::integer(i64::try_from(self.both).unwrap_or(i64::MAX));
        self.squared_error.checked_div(&steps).unwrap_or(Rational::ZERO)
    }

    /// The share of steps both allow that agree on atoms; `None` of none.
    pub fn boolean_effects(&self) -> Option<f64> {
        Ratio { hits: self.boolean_agreement, of: self.both }.value()
    }

    /// A share of what the real model allows; `None` where that is nothing.
    pub fn share(&self, lost: u64) -> Option<f64> {
        Ratio { hits: lost, of: self.real }.value()
    }

    /// The share lost to a part of the learned precondition; 0 for an action that was not learned.
    pub(super) fn share_lost(&self, lost: u64) -> Option<f64> {
        if self.learned { self.share(lost) } else { Some(0.0) }
    }
}

/// Semantic scores, averaged over actions.
#[derive(Clone, PartialEq, Debug)]
pub struct SemanticMeans {
    /// Precision over all actions.
    pub precision: f64,
    /// Recall over the actions that have one; `None` where none has.
    pub recall: Option<f64>,
    /// The mean squared error of numeric effects over all actions, exactly.
    pub error: Rational,
    /// Agreement of Boolean effects over the actions that have one.
    pub boolean_effects: Option<f64>,
    /// Of what the real model allows, the share lost to the Boolean part alone, to the numeric part
    /// alone, to both, and to actions that were not learned; means over the actions that have a
    /// recall. With the recall they add up to 1, where every action was met.
    pub lost: Option<[f64; 4]>,
}

/// Tries every step of a dataset in a learned model whose numeric conditions may be missed by
/// `tolerance`; zero is exact. They are taken with [unit normals](unit_normals), so that the
/// tolerance is a distance from the plane of a facet, as it is in the paper.
pub fn compare_within(
    dataset: &Dataset,
    real: &Domain,
    learned: &Domain,
    tolerance: &Rational,
) -> Vec<ActionSemantics> {
    if tolerance.is_zero() {
        return compare(dataset, real, &Compiled::new(learned));
    }
    compare(dataset, real, &Compiled::with_tolerance(&unit_normals(learned), tolerance))
}

/// Tries every step of a dataset in a learned model. Domains must have one vocabulary; actions go
/// by name.
pub fn compare(dataset: &Dataset, real: &Domain, learned: &Compiled<'_>) -> Vec<ActionSemantics> {
    let mut actions: Vec<ActionSemantics> = real
        .actions
        .iter()
        .map(|(name, _)| ActionSemantics {
            action: name.to_owned(),
            learned: learned.domain().known_action(name).is_some(),
            steps: 0,
            real: 0,
            model: 0,
            both: 0,
            lost_boolean: 0,
            lost_numeric: 0,
            lost_both: 0,
            boolean_agreement: 0,
            undefined: 0,
            elsewhere: 0,
            squared_error: Rational::ZERO,
            largest_error: Rational::ZERO,
        })
        .collect();
    let names: Vec<Option<ActionId>> =
        real.actions.iter().map(|(name, _)| learned.domain().known_action(name)).collect();
    for scene in &dataset.scenes {
        compare_scene(scene, learned, &names, &mut actions);
    }
    actions
}

fn compare_scene(
    scene: &Scene,
    learned: &Compiled<'_>,
    names: &[Option<ActionId>],
    actions: &mut [ActionSemantics],
) {
    let mut universe = scene.universe.clone();
    let mut checker = Checker::new(learned, &scene.objects);
    for episode in &scene.episodes {
        let mut state = episode.start.clone();
        for sample in &episode.steps {
            let tally = &mut actions[sample.action.symbol.index()];
            tally.steps += 1;
            tally.real += u64::from(sample.real.is_some());
            if let Some(symbol) = names[sample.action.symbol.index()] {
                let action = GroundAction { symbol, arguments: sample.action.arguments.clone() };
                let id = checker.step(&action, &mut universe);
                if checker.applicable(id, &universe, &state) {
                    tally.model += 1;
                    if let Some(delta) = &sample.real {
                        tally.both += 1;
                        compare_effects(&mut checker, id, &mut universe, &state, delta, tally);
                    }
                } else if sample.real.is_some() {
                    let held = checker.held(id, &universe, &state);
                    match (held.boolean, held.numeric) {
                        (false, true) => tally.lost_boolean += 1,
                        (true, _) => tally.lost_numeric += 1,
                        (false, false) => tally.lost_both += 1,
                    }
                }
            }
            sample.advance(&mut state);
        }
    }
}

fn compare_effects(
    checker: &mut Checker<'_>,
    id: GroundStepId,
    universe: &mut Universe,
    state: &State,
    real: &Delta,
    tally: &mut ActionSemantics,
) {
    let Ok(changes) = checker.changes(id, universe, state) else {
        tally.elsewhere += 1;
        return;
    };
    let model = Delta::of(&changes, universe);
    let mut atoms =
        [&model, real].into_iter().flat_map(|delta| delta.deletes.iter().chain(&delta.adds));
    let agree = atoms.all(|&atom: &AtomId| model.truth(atom, state) == real.truth(atom, state));
    tally.boolean_agreement += u64::from(agree);
    let mut functions: Vec<ValueId> =
        model.values.iter().chain(&real.values).map(|(function, _)| *function).collect();
    functions.sort_unstable();
    functions.dedup();
    let mut sum = Rational::ZERO;
    let mut undefined = false;
    for function in functions {
        match (model.value(function, state), real.value(function, state)) {
            (Some(one), Some(other)) if one != other => {
                let difference = one - other;
                tally.largest_error = difference
                    .abs()
                    .max(std::mem::replace(&mut tally.largest_error, Rational::ZERO));
                sum += &(&difference * &difference);
            }
            (Some(_), Some(_)) | (None, None) => {}
            _ => undefined = true,
        }
    }
    tally.undefined += u64::from(undefined);
    tally.elsewhere += u64::from(!agree || undefined || !sum.is_zero());
    if !sum.is_zero() {
        let fresh =
            real.values.iter().filter(|(function, _)| state.value(*function).is_none()).count();
        let count = Rational::integer((state.values().count() + fresh) as i64);
        tally.squared_error += &sum.checked_div(&count).unwrap_or(Rational::ZERO);
    }
}

/// The averages over actions; `None` for a domain without actions.
pub fn averages(actions: &[ActionSemantics]) -> Option<SemanticMeans> {
    let precision = mean(actions.iter().map(ActionSemantics::precision))?;
    let sum = actions.iter().fold(Rational::ZERO, |sum, action| &sum + &action.error());
    let error = sum.checked_div(&Rational::integer(actions.len() as i64))?;
    Some(SemanticMeans {
        precision,
        recall: mean(actions.iter().filter_map(ActionSemantics::recall)),
        error,
        boolean_effects: mean(actions.iter().filter_map(ActionSemantics::boolean_effects)),
        lost: mean_lost(actions),
    })
}

/// Computes [`SemanticMeans::lost`].
fn mean_lost(actions: &[ActionSemantics]) -> Option<[f64; 4]> {
    let counted: Vec<&ActionSemantics> =
        actions.iter().filter(|action| action.recall().is_some()).collect();
    Some([
        mean(counted.iter().map(|action| action.share_lost(action.lost_boolean).unwrap_or(0.0)))?,
        mean(counted.iter().map(|action| action.share_lost(action.lost_numeric).unwrap_or(0.0)))?,
        mean(counted.iter().map(|action| action.share_lost(action.lost_both).unwrap_or(0.0)))?,
        mean(counted.iter().map(|action| f64::from(u8::from(!action.learned))))?,
    ])
}
