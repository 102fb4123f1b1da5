//! How often each of the three answers is given, and how often `forbidden` is wrong: never, if what
//! is assumed is true.

use super::dataset::{Dataset, Scene};
use super::metric::Metric;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::{ActionId, Attempt, Domain, GroundAction};
use surefoot_learn::Answers;

/// What was answered about the test steps of one action.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ActionAnswers {
    /// The action's name, as the real domain spells it.
    pub action: String,
    /// Steps that the learned model allows.
    pub allowed: u64,
    /// Steps that a failure forbids.
    pub forbidden: u64,
    /// The attempts that are neither allowed nor forbidden.
    pub unknown: u64,
    /// Steps that a failure forbids although the real model allows them.
    pub forbidden_wrong: u64,
}

impl ActionAnswers {
    /// The counts, by metric.
    pub fn counts(&self) -> [(Metric, u64); 4] {
        [
            (Metric::StepsAllowed, self.allowed),
            (Metric::StepsForbidden, self.forbidden),
            (Metric::StepsUnknown, self.unknown),
            (Metric::ForbiddenWrong, self.forbidden_wrong),
        ]
    }

    /// Adds those of another action.
    pub fn add(&mut self, other: &ActionAnswers) {
        self.allowed += other.allowed;
        self.forbidden += other.forbidden;
        self.unknown += other.unknown;
        self.forbidden_wrong += other.forbidden_wrong;
    }
}

/// Asks about every step of a dataset. The learned model, and what the answers rest on, have the
/// vocabulary of the real domain, in its ids; actions go by name.
pub fn ask(
    dataset: &Dataset,
    real: &Domain,
    learned: &Domain,
    answers: &Answers,
) -> Vec<ActionAnswers> {
    let compiled = Compiled::new(learned);
    let mut actions: Vec<ActionAnswers> = real
        .actions
        .iter()
        .map(|(name, _)| ActionAnswers { action: name.to_owned(), ..ActionAnswers::default() })
        .collect();
    let names: Vec<(Option<ActionId>, Option<ActionId>)> = real
        .actions
        .iter()
        .map(|(name, _)| {
            (learned.known_action(name), answers.domain().actions.find(name).map(ActionId::from))
        })
        .collect();
    for scene in &dataset.scenes {
        ask_scene(scene, &compiled, answers, &names, &mut actions);
    }
    actions
}

/// A step under the id that its action has in another domain.
fn with_id(step: &GroundAction, symbol: ActionId) -> GroundAction {
    GroundAction { symbol, arguments: step.arguments.clone() }
}

fn ask_scene(
    scene: &Scene,
    learned: &Compiled<'_>,
    answers: &Answers,
    names: &[(Option<ActionId>, Option<ActionId>)],
    actions: &mut [ActionAnswers],
) {
    let mut universe = scene.universe.clone();
    let mut checker = Checker::new(learned, &scene.objects);
    let mut observer = answers.observer();
    for episode in &scene.episodes {
        let mut state = episode.start.clone();
        for sample in &episode.steps {
            let tally = &mut actions[sample.action.symbol.index()];
            let (modelled, known) = names[sample.action.symbol.index()];
            let allowed = modelled.is_some_and(|symbol| {
                let id = checker.step(&with_id(&sample.action, symbol), &mut universe);
                checker.applicable(id, &universe, &state)
            });
            let forbidden = !allowed
                && known.is_some_and(|symbol| {
                    let action = with_id(&sample.action, symbol);
                    answers.forbids(
                        &mut observer,
                        Attempt { before: &state, action: &action, universe: &universe },
                    )
                });
            match (allowed, forbidden) {
                (true, _) => tally.allowed += 1,
                (_, true) => tally.forbidden += 1,
                _ => tally.unknown += 1,
            }
            tally.forbidden_wrong += u64::from(forbidden && sample.real.is_some());
            sample.advance(&mut state);
        }
    }
}
