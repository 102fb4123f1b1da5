//! Random walks under the real model: mostly steps that can be taken, and a share that cannot.
//!
//! A step is drawn in two stages: a lifted action, each equally likely, then objects for it. So
//! rare actions are met as often as common ones, and every action's share of inapplicable steps is
//! the same.

use surefoot_base::model::compiled::{Checker, Compiled, GroundStepId};
use surefoot_base::model::{
    ActionId, Arguments, AtomId, Condition, Domain, GroundAction, LiftedAtom, ObjectId, Objects,
    State, Term, Universe,
};

use surefoot_base::random::Random;

use super::dataset::{Delta, Episode, Sample};

/// The parameters of a random walk.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Walks {
    /// How many walks for each problem.
    pub count: usize,
    /// How many steps each.
    pub steps: usize,
    /// Which share of them cannot be taken, from 0 to 1.
    pub inapplicable: f64,
}

impl Default for Walks {
    /// The paper's: one walk of 200 steps, a quarter of them inapplicable.
    fn default() -> Self {
        Walks { count: 1, steps: 200, inapplicable: 0.25 }
    }
}

/// Random steps from a state that can all be taken; fewer than asked for where nothing can be done
/// any more.
pub fn wander(
    real: &Compiled<'_>,
    objects: &Objects,
    universe: &mut Universe,
    state: &State,
    steps: usize,
    random: &mut Random,
) -> Vec<GroundAction> {
    let walks = Walks { count: 1, steps, inapplicable: 0.0 };
    let first = Walker::new(real, objects).walk(state, universe, &walks, random).into_iter().next();
    first.map_or(Vec::new(), |episode| {
        episode.steps.into_iter().map(|sample| sample.action).collect()
    })
}

/// After this many partial bindings of an action in a state, the action counts as inapplicable
/// there.
const SEARCH: usize = 20_000;
/// At most this many random bindings are tried for a step that is not applicable.
const TRIES: usize = 100;

pub(super) struct Walker<'a> {
    domain: &'a Domain,
    checker: Checker<'a>,
    lifted: Vec<ActionSampler>,
}

/// How to find bindings of one action.
struct ActionSampler {
    /// By parameter: the objects of its types.
    candidates: Vec<Vec<ObjectId>>,
    /// The order in which parameters are bound.
    order: Vec<usize>,
    /// By place in the order: the conditions that are decided once it is bound.
    decided: Vec<Vec<BindingTest>>,
}

enum BindingTest {
    Atom(LiftedAtom, bool),
    Same(Term, Term, bool),
}

impl<'a> Walker<'a> {
    pub(super) fn new(compiled: &'a Compiled<'a>, objects: &'a Objects) -> Self {
        let domain = compiled.domain();
        let lifted =
            domain.action_ids().map(|action| ActionSampler::new(domain, action, objects)).collect();
        Walker { domain, checker: Checker::new(compiled, objects), lifted }
    }

    /// One walk. Where nothing can be done any more, it starts again.
    pub(super) fn walk(
        &mut self,
        start: &State,
        universe: &mut Universe,
        walks: &Walks,
        random: &mut Random,
    ) -> Vec<Episode> {
        let refused = (walks.steps as f64 * walks.inapplicable.clamp(0.0, 1.0)).round() as usize;
        let mut refuse: Vec<bool> = (0..walks.steps).map(|index| index < refused).collect();
        random.shuffle(&mut refuse);
        let mut episodes = Vec::new();
        let mut episode = Episode { start: start.clone(), steps: Vec::new() };
        let mut state = start.clone();
        for refuse in refuse {
            let mut actions: Vec<ActionId> = self.domain.action_ids().collect();
            random.shuffle(&mut actions);
            let mut found = self.find(&actions, refuse, universe, &state, random);
            if found.is_none() && !refuse && !episode.steps.is_empty() {
                episodes.push(std::mem::replace(
                    &mut episode,
                    Episode { start: start.clone(), steps: Vec::new() },
                ));
                state = start.clone();
                found = self.find(&actions, false, universe, &state, random);
            }
            let Some(id) = found else { continue };
            let action = self.checker.action(id).clone();
            let changes =
                if refuse { None } else { self.checker.changes(id, universe, &state).ok() };
            let sample = Sample {
                action,
                real: changes.map(|changes| Delta::of(&changes, universe)),
                recorded: None,
            };
            sample.advance(&mut state);
            episode.steps.push(sample);
        }
        episodes.push(episode);
        episodes
    }

    /// A step of the first action that has one: one that cannot be taken where `refuse` says so,
    /// otherwise one that can.
    fn find(
        &mut self,
        actions: &[ActionId],
        refuse: bool,
        universe: &mut Universe,
        state: &State,
        random: &mut Random,
    ) -> Option<GroundStepId> {
        actions.iter().find_map(|&action| {
            if refuse {
                self.inapplicable(action, universe, state, random)
            } else {
                self.applicable(action, universe, state, random)
            }
        })
    }

    fn inapplicable(
        &mut self,
        action: ActionId,
        universe: &mut Universe,
        state: &State,
        random: &mut Random,
    ) -> Option<GroundStepId> {
        let candidates = &self.lifted[action.index()].candidates;
        if candidates.iter().any(Vec::is_empty) {
            return None;
        }
        for _ in 0..TRIES {
            let arguments =
                candidates.iter().map(|objects| objects[random.below(objects.len())]).collect();
            let id = self.checker.step(&GroundAction { symbol: action, arguments }, universe);
            if !self.checker.applicable(id, universe, state) {
                return Some(id);
            }
        }
        None
    }

    fn applicable(
        &mut self,
        action: ActionId,
        universe: &mut Universe,
        state: &State,
        random: &mut Random,
    ) -> Option<GroundStepId> {
        let lifted = &self.lifted[action.index()];
        let mut arguments: Arguments = lifted.candidates.iter().map(|_| ObjectId(0)).collect();
        let mut search = BindingSearch {
            lifted,
            checker: &mut self.checker,
            action,
            universe,
            state,
            random,
            left: SEARCH,
        };
        search.bind(0, &mut arguments)
    }
}

/// A depth-first search through bindings, in random order.
struct BindingSearch<'s, 'a> {
    lifted: &'s ActionSampler,
    checker: &'s mut Checker<'a>,
    action: ActionId,
    universe: &'s mut Universe,
    state: &'s State,
    random: &'s mut Random,
    left: usize,
}

impl BindingSearch<'_, '_> {
    fn bind(&mut self, place: usize, arguments: &mut Arguments) -> Option<GroundStepId> {
        if !self.lifted.decided[place].iter().all(|test| self.holds(test, arguments)) {
            return None;
        }
        let Some(&slot) = self.lifted.order.get(place) else {
            let id = self.checker.step(
                &GroundAction { symbol: self.action, arguments: arguments.clone() },
                self.universe,
            );
            return self.checker.applicable(id, self.universe, self.state).then_some(id);
        };
        let candidates = &self.lifted.candidates[slot];
        // From a random place on, around: as good as a shuffle here, and without its cost.
        let start = if candidates.is_empty() { 0 } else { self.random.below(candidates.len()) };
        for &object in candidates[start..].iter().chain(&candidates[..start]) {
            self.left = self.left.checked_sub(1)?;
            arguments[slot] = object;
            let found = self.bind(place + 1, arguments);
            if found.is_some() || self.left == 0 {
                return found;
            }
        }
        None
    }

    fn holds(&self, test: &BindingTest, arguments: &Arguments) -> bool {
        match test {
            BindingTest::Atom(atom, wanted) => {
                let id: Option<AtomId> = self.universe.find_atom(&atom.ground(arguments));
                id.is_some_and(|id| self.state.contains(id)) == *wanted
            }
            BindingTest::Same(left, right, wanted) => {
                (left.ground(arguments) == right.ground(arguments)) == *wanted
            }
        }
    }
}

impl ActionSampler {
    fn new(domain: &Domain, action: ActionId, objects: &Objects) -> Self {
        let declared = domain.action(action);
        let types = &domain.signature.types;
        let candidates: Vec<Vec<ObjectId>> = declared
            .parameters
            .iter()
            .map(|parameter| objects.of(types, &parameter.types).collect())
            .collect();
        let mut tests = Vec::new();
        conjuncts(&declared.precondition, true, &mut tests);
        // Next comes the parameter that decides most conditions; among equals the one with the
        // fewest objects.
        let mut order: Vec<usize> = Vec::new();
        while order.len() < candidates.len() {
            let free = (0..candidates.len()).filter(|slot| !order.contains(slot));
            let best = free.max_by_key(|&slot| {
                let decided = tests.iter().filter(|test| test.is_decided_by(slot, &order)).count();
                (decided, usize::MAX - candidates[slot].len(), usize::MAX - slot)
            });
            order.extend(best);
        }
        let mut decided: Vec<Vec<BindingTest>> = (0..=order.len()).map(|_| Vec::new()).collect();
        for test in tests {
            decided[test.place(&order)].push(test);
        }
        ActionSampler { candidates, order, decided }
    }
}

impl BindingTest {
    /// The parameters that it mentions.
    fn slots(&self) -> Vec<usize> {
        let terms = match self {
            BindingTest::Atom(atom, _) => &atom.terms[..],
            BindingTest::Same(left, right, _) => &[*left, *right],
        };
        let mut slots = Vec::new();
        for term in terms {
            if let Term::Variable(slot) = term {
                slots.push(*slot as usize);
            }
        }
        slots
    }

    /// Whether binding a parameter after others decides it.
    fn is_decided_by(&self, slot: usize, bound: &[usize]) -> bool {
        let slots = self.slots();
        slots.contains(&slot) && slots.iter().all(|other| *other == slot || bound.contains(other))
    }

    /// How many parameters of an order are bound when it is decided.
    fn place(&self, order: &[usize]) -> usize {
        let places = self
            .slots()
            .into_iter()
            .filter_map(|slot| order.iter().position(|bound| *bound == slot));
        places.max().map_or(0, |last| last + 1)
    }
}

fn conjuncts(condition: &Condition, wanted: bool, tests: &mut Vec<BindingTest>) {
    match (condition, wanted) {
        (Condition::And(parts), true) | (Condition::Or(parts), false) => {
            parts.iter().for_each(|part| conjuncts(part, wanted, tests))
        }
        (Condition::Not(inner), _) => conjuncts(inner, !wanted, tests),
        (Condition::Atom(atom), _) => tests.push(BindingTest::Atom(atom.clone(), wanted)),
        (Condition::Same(left, right), _) => tests.push(BindingTest::Same(*left, *right, wanted)),
        _ => {}
    }
}
