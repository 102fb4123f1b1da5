//! The steps on which two models are compared: recorded and random ones, each with what the real
//! model says of it.

use surefoot_base::exact::Rational;
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::StepChanges;
use surefoot_base::model::{AtomId, GroundAction, Objects, Problem, State, Universe, ValueId};
use surefoot_base::pddl::Trajectory;

use super::walk::{Walker, Walks};
use surefoot_base::random::Random;

/// Steps to compare models on. Depends on the real model alone, so one serves every learned model.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// One for each problem and each trace.
    pub scenes: Vec<Scene>,
}

/// Steps over one set of objects.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The objects of all its states.
    pub objects: Objects,
    /// What numbers the atoms and functions of the states.
    pub universe: Universe,
    /// Runs, each from a state of its own.
    pub episodes: Vec<Episode>,
}

/// A run: a state and the steps tried one after the other.
#[derive(Clone, Debug)]
pub struct Episode {
    /// The state in which the episode begins.
    pub start: State,
    /// The steps that were tried, in order.
    pub steps: Vec<Sample>,
}

/// A step that is tried in a state.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What is tried, in the ids of the real domain.
    pub action: GroundAction,
    /// What it changes by the real model; `None` where that does not allow it.
    pub real: Option<Delta>,
    /// The state that was recorded next, where it is another than the real model says.
    pub recorded: Option<Box<State>>,
}

/// What a step changes, by numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Delta {
    /// Atoms that become false, unless also added.
    pub deletes: Vec<AtomId>,
    /// Atoms that become true.
    pub adds: Vec<AtomId>,
    /// The functions that get new values.
    pub values: Vec<(ValueId, Rational)>,
}

impl Delta {
    /// Changes by name, numbered.
    pub fn of(changes: &StepChanges, universe: &mut Universe) -> Self {
        Delta {
            deletes: changes.deletes.iter().map(|atom| universe.atom(atom)).collect(),
            adds: changes.adds.iter().map(|atom| universe.atom(atom)).collect(),
            values: changes
                .values
                .iter()
                .map(|(function, value)| (universe.value(function), value.clone()))
                .collect(),
        }
    }

    /// Makes the changes in a state.
    pub fn apply(&self, state: &mut State) {
        self.deletes.iter().for_each(|&atom| state.remove(atom));
        self.adds.iter().for_each(|&atom| state.insert(atom));
        self.values.iter().for_each(|(function, value)| state.set_value(*function, value.clone()));
    }

    /// Whether an atom is true afterwards.
    pub fn truth(&self, atom: AtomId, before: &State) -> bool {
        self.adds.contains(&atom) || (before.contains(atom) && !self.deletes.contains(&atom))
    }

    /// A function's value afterwards.
    pub fn value<'a>(&'a self, function: ValueId, before: &'a State) -> Option<&'a Rational> {
        let changed =
            self.values.iter().find(|(other, _)| *other == function).map(|(_, value)| value);
        changed.or_else(|| before.value(function))
    }
}

impl Sample {
    /// Goes on to the next state.
    pub fn advance(&self, state: &mut State) {
        match (&self.recorded, &self.real) {
            (Some(recorded), _) => state.clone_from(recorded),
            (None, Some(delta)) => delta.apply(state),
            (None, None) => {}
        }
    }
}

impl Dataset {
    /// Adds the steps of a recorded trace, judged by the real model. Steps with unknown values are
    /// left out: nobody can say whether a model allows them.
    pub fn add_trace(&mut self, real: &Compiled<'_>, objects: &Objects, trajectory: &Trajectory) {
        let mut universe = trajectory.universe.clone();
        let mut checker = Checker::new(real, objects);
        let mut steps = Vec::new();
        let mut episodes = Vec::new();
        let mut start = trajectory.states[0].clone();
        for (index, action) in trajectory.actions.iter().enumerate() {
            let (before, after) = (&trajectory.states[index], &trajectory.states[index + 1]);
            if before.has_unknown() || after.has_unknown() {
                let steps = std::mem::take(&mut steps);
                episodes
                    .push(Episode { start: std::mem::replace(&mut start, after.clone()), steps });
                continue;
            }
            let id = checker.step(action, &mut universe);
            let applicable = checker.applicable(id, &universe, before);
            let changes = applicable.then(|| checker.changes(id, &universe, before).ok()).flatten();
            let delta = changes.map(|changes| Delta::of(&changes, &mut universe));
            let mut next = before.clone();
            if let Some(delta) = &delta {
                delta.apply(&mut next);
            }
            let recorded = (next != *after).then(|| Box::new(after.clone()));
            steps.push(Sample { action: action.clone(), real: delta, recorded });
        }
        episodes.push(Episode { start, steps });
        self.scenes.push(Scene { objects: objects.clone(), universe, episodes });
    }

    /// Adds random walks from a problem's initial state.
    pub fn add_walks(
        &mut self,
        real: &Compiled<'_>,
        problem: &Problem,
        walks: &Walks,
        random: &mut Random,
    ) {
        let mut universe = Universe::default();
        let start = problem.initial_state(&mut universe);
        let mut walker = Walker::new(real, &problem.objects);
        let mut episodes = Vec::new();
        for _ in 0..walks.count {
            episodes.extend(walker.walk(&start, &mut universe, walks, random));
        }
        self.scenes.push(Scene { objects: problem.objects.clone(), universe, episodes });
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.scenes
            .iter()
            .flat_map(|scene| &scene.episodes)
            .map(|episode| episode.steps.len())
            .sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
