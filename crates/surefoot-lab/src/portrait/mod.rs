//! A learned model for people to look at: its actions in words and PDDL, and views of the
//! observations and of the refused test states.

mod mistakes;
mod view;
mod words;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use surefoot_analysis::evaluate::Dataset;
use surefoot_base::exact::Rational;
use surefoot_base::ids::IdVec;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::{ActionId, Domain, GroundAction, State, Universe};
use surefoot_base::pddl::write_action;
use surefoot_learn::{
    ActiveColumns, Extent, Grounds, LearnedAction, Learner, LiftedFunctionId, Model, Settings,
    Vocabulary,
};

pub use mistakes::{ActionMistakes, Example, MistakePlace, Mistakes};
pub use view::PlaneView;

/// A learned model as people look at it. The same model on the same tests gives the same portrait.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Portrait {
    /// What must be true of the real world for the model to be safe.
    pub assumptions: Vec<String>,
    /// In the order of the domain.
    pub actions: Vec<ActionPortrait>,
}

/// One action of a learned model.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ActionPortrait {
    /// The name of the action.
    pub action: String,
    /// Why the model does not have it.
    pub left_out: Option<String>,
    /// Conditions on atoms and objects.
    pub atoms: Vec<String>,
    /// Conditions on numbers, the simplest first; long lists are cut.
    pub numbers: Vec<String>,
    /// How many conditions on numbers there are, the cut ones included.
    pub number_count: usize,
    /// What it changes, a line each.
    pub effects: Vec<String>,
    /// Its PDDL; long preconditions are cut, with a comment that says so.
    pub learned: String,
    /// The real action's PDDL.
    pub real: String,
    /// Distinct vectors of numbers that were kept of what was observed.
    pub vectors: usize,
    /// How many functions or products the conditions may mention.
    pub columns: usize,
    /// The dimension of what was observed.
    pub dimension: usize,
    /// Whether the region is a polytope inside the safe one, since that has too many facets.
    pub inner: bool,
    /// Test steps the real model allows, and how many of them the learned one allows.
    pub real_steps: u64,
    /// Recorded steps that the model allows.
    pub allowed_steps: u64,
    /// The regions, in two columns each.
    pub views: Vec<PlaneView>,
}

/// How many conditions on numbers the picture of an action has at most; planners read all.
const SHOWN_CONDITIONS: usize = 12;

/// What the tests showed of one action.
#[derive(Clone, Default)]
struct Refused {
    real: u64,
    allowed: u64,
    /// Vectors of functions where the numeric part refuses a step that the real model allows.
    by_numbers: BTreeSet<FunctionValues>,
    /// Where only the Boolean part does.
    by_atoms: BTreeSet<FunctionValues>,
}

impl Portrait {
    /// The portrait of a safe model, with the test states that it refuses. Other models have none.
    pub fn of(real: &Domain, model: &Model, tests: &Dataset) -> Option<Self> {
        let grounds = model.grounds()?;
        let refused = refused(model, tests);
        let actions =
            real.action_ids().map(|id| portrait(real, model, grounds, id, &refused[id.index()]));
        Some(Portrait { assumptions: model.assumptions()?.in_words(), actions: actions.collect() })
    }
}

fn portrait(
    domain: &Domain,
    model: &Model,
    grounds: &Grounds,
    id: ActionId,
    tally: &Refused,
) -> ActionPortrait {
    let mut portrait = ActionPortrait {
        action: domain.action_name(id).to_owned(),
        left_out: model.missing(id).map(str::to_owned),
        atoms: Vec::new(),
        numbers: Vec::new(),
        number_count: 0,
        effects: Vec::new(),
        learned: String::new(),
        real: write_action(domain, id),
        vectors: 0,
        columns: 0,
        dimension: 0,
        inner: false,
        real_steps: tally.real,
        allowed_steps: tally.allowed,
        views: Vec::new(),
    };
    if let Some(action) = grounds.learned(id) {
        portrait.learned = cut(&model.action_to_pddl(id));
        describe(grounds, id, action, tally, &mut portrait);
    }
    portrait
}

fn describe(
    grounds: &Grounds,
    id: ActionId,
    action: &LearnedAction,
    tally: &Refused,
    portrait: &mut ActionPortrait,
) {
    let Grounds { learner, settings, .. } = grounds;
    let vocabulary = learner.vocabulary(id);
    let words = words::ActionWords::new(learner, id);
    let (region, columns) = (&action.numeric.region, &action.numeric.columns);
    let points = learner.evidence(id).points(columns);
    portrait.atoms = words.atoms(action);
    portrait.number_count = region.equations().len() + region.set.facets().len();
    portrait.numbers = words.numbers(action, SHOWN_CONDITIONS);
    portrait.effects = words.effects(action);
    portrait.vectors = points.len();
    portrait.columns = columns.len();
    portrait.dimension = region.dimension;
    portrait.inner = region.extent == Extent::Inner;
    let scene = scene(learner, settings, id, action, points);
    let scene = view::PortraitData {
        by_numbers: over(columns, vocabulary, &tally.by_numbers),
        by_atoms: over(columns, vocabulary, &tally.by_atoms),
        ..scene
    };
    portrait.views = scene.views();
}

/// The values of columns, where all are defined.
fn over(
    columns: &ActiveColumns,
    vocabulary: &Vocabulary,
    vectors: &BTreeSet<FunctionValues>,
) -> Vec<Vec<Rational>> {
    let mut defined = Vec::new();
    for values in vectors {
        defined.extend(
            columns
                .iter()
                .map(|&column| vocabulary.column_value(column, values))
                .collect::<Option<Vec<_>>>(),
        );
    }
    defined
}

/// What was observed of an action's numbers, without any tests.
fn scene(
    learner: &Learner,
    settings: &Settings,
    id: ActionId,
    action: &LearnedAction,
    points: Vec<Vec<Rational>>,
) -> view::PortraitData {
    let words = words::ActionWords::new(learner, id);
    let columns = &action.numeric.columns;
    let marks = settings.monotone.get(&id);
    view::PortraitData {
        names: columns.iter().map(|&column| words.column(column)).collect(),
        marks: columns.iter().map(|column| marks?.get(column).copied()).collect(),
        boxed: settings.arity == Some(1),
        points,
        by_numbers: Vec::new(),
        by_atoms: Vec::new(),
    }
}

/// Views of what a learner observed of an action that it learned.
pub fn views(
    learner: &Learner,
    settings: &Settings,
    id: ActionId,
    action: &LearnedAction,
) -> Vec<PlaneView> {
    scene(learner, settings, id, action, learner.evidence(id).points(&action.numeric.columns))
        .views()
}

/// Tries the tests that the real model allows.
fn refused(model: &Model, tests: &Dataset) -> Vec<Refused> {
    let compiled = Compiled::new(model.for_states());
    let mut tallies = vec![Refused::default(); model.vocabulary().actions.len()];
    let Some(grounds) = model.grounds() else { return tallies };
    for scene in &tests.scenes {
        let mut universe = scene.universe.clone();
        let mut checker = Checker::new(&compiled, &scene.objects);
        for episode in &scene.episodes {
            let mut state = episode.start.clone();
            for sample in &episode.steps {
                let id = sample.action.symbol;
                let tally = &mut tallies[id.index()];
                if sample.real.is_some() {
                    tally.real += 1;
                    if model.missing(id).is_none() {
                        let step = checker.step(&sample.action, &mut universe);
                        let held = checker.held(step, &universe, &state);
                        if held.boolean && held.numeric {
                            tally.allowed += 1;
                        } else {
                            let refused = if held.numeric {
                                &mut tally.by_atoms
                            } else {
                                &mut tally.by_numbers
                            };
                            refused.insert(values(
                                grounds.learner.vocabulary(id),
                                &sample.action,
                                &universe,
                                &state,
                            ));
                        }
                    }
                }
                sample.advance(&mut state);
            }
        }
    }
    tallies
}

/// The values of an action's functions; none where one is undefined.
type FunctionValues = IdVec<LiftedFunctionId, Option<Rational>>;

/// The values of an action's functions.
fn values(
    vocabulary: &Vocabulary,
    action: &GroundAction,
    universe: &Universe,
    state: &State,
) -> FunctionValues {
    let places = vocabulary
        .functions
        .iter()
        .map(|function| universe.find_value(&function.ground(&action.arguments)));
    places.map(|place| state.value(place?).cloned()).collect()
}

/// An action with a long precondition, as it is written alone, shortened.
pub fn cut(action: &str) -> String {
    const KEPT: usize = 30;
    let lines: Vec<&str> = action.lines().collect();
    let effect = lines.iter().position(|line| line.starts_with("  :effect")).unwrap_or(lines.len());
    if effect <= KEPT + 8 {
        return action.to_owned();
    }
    let mut text: String = lines[..KEPT].iter().map(|line| format!("{line}\n")).collect();
    text += &format!("    ; and {} more\n    )\n", effect - KEPT);
    lines[effect..].iter().for_each(|line| text += &format!("{line}\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_precondition_is_cut_and_says_by_how_much() {
        let conditions: String = (0..100).map(|index| format!("    (>= (x) {index})\n")).collect();
        let action = format!(
            "(:action a\n  :parameters ()\n  :precondition (and\n{conditions}  :effect (p))\n"
        );
        let cut = cut(&action);
        assert_eq!(cut.matches("(>= ").count(), 27);
        assert!(cut.contains("; and 73 more\n"));
        assert!(cut.ends_with("  :effect (p))\n"));
    }
}
