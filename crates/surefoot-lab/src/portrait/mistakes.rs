//! What a model that promises nothing allows in the tests, and what becomes of it in the real
//! world.
//!
//! Two things can go wrong with a step that such a model allows: the real world refuses it, or it
//! takes place and ends in another state than the model says. Both are counted by action, and the
//! first of each kind is kept as an example, with the part of the state that the action is about,
//! so that a reader can check it by hand.

use serde::{Deserialize, Serialize};
use surefoot_analysis::evaluate::{Dataset, Delta, Sample};
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::{Inapplicable, Semantics};
use surefoot_base::model::{ActionId, Domain, Objects, State, Universe};
use surefoot_base::pddl::{Writer, write_action};
use surefoot_learn::{Degree, Model, Vocabulary};

use super::cut;
use surefoot_io::output::ConditionWriter;

/// What became of the steps that a model allows, by action, in the order of the domain.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mistakes {
    /// The mistakes of each action.
    pub actions: Vec<ActionMistakes>,
}

/// What became of the steps of one action.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ActionMistakes {
    /// The name of the action.
    pub action: String,
    /// Why the model does not have it.
    pub left_out: Option<String>,
    /// Test steps that the model allows.
    pub allowed: u64,
    /// Of these, how many the real world refuses.
    pub failing: u64,
    /// Of these, how many take place and end in another state than the model says.
    pub elsewhere: u64,
    /// The first step that fails.
    pub failure: Option<Example>,
    /// The first step that ends in another state.
    pub surprise: Option<Example>,
    /// Its PDDL; long preconditions are cut, with a comment that says so.
    pub learned: String,
    /// The real action's PDDL.
    pub real: String,
}

/// A step that went wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Example {
    /// Where the step is.
    pub place: MistakePlace,
    /// The action with its objects.
    pub step: String,
    /// What holds in the state before it, as far as the action can read it.
    pub state: Vec<String>,
    /// What is wrong, a reason each.
    pub reasons: Vec<String>,
}

/// Where in the tests a step is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MistakePlace {
    /// The name of the problem.
    pub problem: String,
    /// Whether it is a step of the problem's trace; else of a random walk.
    pub recorded: bool,
    /// Which step of the run, from 1.
    pub number: usize,
}

/// So much of a state, and so many reasons, are shown.
const SHOWN: usize = 12;

impl Mistakes {
    /// Tries every step of the tests in a model. `scene` says of a scene of the tests which problem
    /// it is of, and whether it is a trace.
    pub fn of(
        real: &Domain,
        model: &Model,
        tests: &Dataset,
        scene: &dyn Fn(usize) -> (String, bool),
    ) -> Self {
        let learned = model.for_states();
        let compiled = Compiled::new(learned);
        let mut actions: Vec<ActionMistakes> =
            real.action_ids().map(|id| described(real, model, id)).collect();
        for (index, tried) in tests.scenes.iter().enumerate() {
            let mut universe = tried.universe.clone();
            let mut checker = Checker::new(&compiled, &tried.objects);
            for episode in &tried.episodes {
                let mut state = episode.start.clone();
                for (number, sample) in episode.steps.iter().enumerate() {
                    let id = sample.action.symbol;
                    let step = checker.step(&sample.action, &mut universe);
                    if model.missing(id).is_none() && checker.applicable(step, &universe, &state) {
                        let said = checker
                            .changes(step, &universe, &state)
                            .ok()
                            .map(|changes| Delta::of(&changes, &mut universe));
                        let (problem, recorded) = scene(index);
                        let place = MistakePlace { problem, recorded, number: number + 1 };
                        let witness = AllowedStep {
                            real,
                            objects: &tried.objects,
                            universe: &universe,
                            state: &state,
                            sample,
                        };
                        witness.count(said.as_ref(), place, &mut actions[id.index()]);
                    }
                    sample.advance(&mut state);
                }
            }
        }
        Mistakes { actions }
    }
}

/// An action without any steps.
fn described(real: &Domain, model: &Model, id: ActionId) -> ActionMistakes {
    let left_out = model.missing(id).map(str::to_owned);
    let learned = if left_out.is_none() { cut(&model.action_to_pddl(id)) } else { String::new() };
    let action = real.action_name(id).to_owned();
    ActionMistakes {
        action,
        left_out,
        learned,
        real: write_action(real, id),
        ..ActionMistakes::default()
    }
}

/// A step that the model allows, and the state before it.
struct AllowedStep<'a> {
    real: &'a Domain,
    objects: &'a Objects,
    universe: &'a Universe,
    state: &'a State,
    sample: &'a Sample,
}

impl AllowedStep<'_> {
    /// Counts the step, and keeps it if it is the first of its kind.
    fn count(&self, said: Option<&Delta>, place: MistakePlace, into: &mut ActionMistakes) {
        into.allowed += 1;
        match &self.sample.real {
            None => {
                into.failing += 1;
                if into.failure.is_none() {
                    into.failure = Some(self.example(place, self.refusals()));
                }
            }
            Some(happens) => {
                let differences = self.differences(said, happens);
                if !differences.is_empty() {
                    into.elsewhere += 1;
                    if into.surprise.is_none() {
                        into.surprise = Some(self.example(place, differences));
                    }
                }
            }
        }
    }

    fn example(&self, place: MistakePlace, mut reasons: Vec<String>) -> Example {
        reasons.truncate(SHOWN);
        let step = ConditionWriter::new(self.real, self.objects).action(&self.sample.action);
        Example { place, step, state: self.around(), reasons }
    }

    fn writer(&self) -> Writer<'_> {
        Writer::new(self.real, self.objects)
    }

    /// Why the real world refuses the step.
    fn refusals(&self) -> Vec<String> {
        let (semantics, words) = (
            Semantics::new(self.real, self.objects),
            ConditionWriter::new(self.real, self.objects),
        );
        match semantics.changes(&self.sample.action, self.universe, self.state) {
            Err(Inapplicable::Precondition(violations)) => violations
                .iter()
                .map(|violation| {
                    format!(
                        "{} is needed, but {}",
                        words.condition(violation),
                        words.cause(violation)
                    )
                })
                .collect(),
            Err(reason) => words.reasons(&self.sample.action, &reason),
            Ok(_) => vec!["the real model does not allow it".into()],
        }
    }

    /// What the model says of the state after the step that is not so.
    fn differences(&self, said: Option<&Delta>, happens: &Delta) -> Vec<String> {
        let Some(said) = said else {
            return vec!["the model’s effects have no value here".into()];
        };
        let (universe, state) = (self.universe, self.state);
        let deltas = [said, happens];
        let mut atoms: Vec<_> = deltas
            .iter()
            .flat_map(|delta| delta.deletes.iter().chain(&delta.adds))
            .copied()
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        let mut values: Vec<_> =
            deltas.iter().flat_map(|delta| &delta.values).map(|(function, _)| *function).collect();
        values.sort_unstable();
        values.dedup();
        let mut words = Vec::new();
        for atom in
            atoms.into_iter().filter(|&atom| said.truth(atom, state) != happens.truth(atom, state))
        {
            let name = self.writer().ground_atom(universe.ground_atom(atom));
            words.push(format!(
                "{name} is {} afterwards; the model says {}",
                happens.truth(atom, state),
                said.truth(atom, state)
            ));
        }
        for value in values
            .into_iter()
            .filter(|&value| said.value(value, state) != happens.value(value, state))
        {
            let name = self.writer().ground_function(universe.ground_function(value));
            let [said, happens] = [said, happens].map(|delta| {
                delta.value(value, state).map_or("no value".into(), ToString::to_string)
            });
            words.push(format!("{name} is {happens} afterwards; the model says {said}"));
        }
        words
    }

    /// The atoms that are true and the values of functions over the step's own objects.
    fn around(&self) -> Vec<String> {
        let action = &self.sample.action;
        let Ok(vocabulary) = Vocabulary::of(self.real, action.symbol, Degree::LINEAR) else {
            return Vec::new();
        };
        let mut facts = Vec::new();
        for function in
            vocabulary.functions.iter().map(|function| function.ground(&action.arguments))
        {
            let value =
                self.universe.find_value(&function).and_then(|place| self.state.value(place));
            facts.extend(
                value.map(|value| {
                    format!("{} is {value}", self.writer().ground_function(&function))
                }),
            );
        }
        for atom in vocabulary.atoms.iter().map(|atom| atom.ground(&action.arguments)) {
            if self.universe.find_atom(&atom).is_some_and(|place| self.state.contains(place)) {
                facts.push(format!("{} is true", self.writer().ground_atom(&atom)));
            }
        }
        facts.dedup();
        let hidden = facts.len().saturating_sub(SHOWN);
        facts.truncate(SHOWN);
        facts.extend((hidden > 0).then(|| format!("… and {hidden} more")));
        facts
    }
}
