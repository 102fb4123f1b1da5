//! What a planner knows: estimates with errors, and the true states that they leave possible.

use super::generate::Case;
use super::linear::Linear;
use super::opponent::symbols;
use super::product::Learned;
use crate::chance::Chance;
use crate::promise::number::{Rat, TooLarge};
use crate::promise::world::{Action, Applied, State, World};

/// A learned model's view of the world: its functions, those of errors included.
pub struct View<'a> {
    pub case: &'a Case,
    /// The world of the case, with error functions.
    pub world: World,
    /// By ground function of the world: its error function, where it has one.
    pub error_at: Vec<Option<usize>>,
}

/// The true state is not where the estimate says.
pub enum Off {
    /// By more than its error, or it has none.
    Value(String),
    Atoms,
}

impl<'a> View<'a> {
    pub fn new(case: &'a Case, learned: &'a Learned) -> View<'a> {
        let world = learned.estimates(&case.world);
        let own = case.world.empty_state().values.len();
        let mut error_at = vec![None; own];
        let all = symbols(&world);
        for (index, &function) in learned.error_functions.iter().enumerate() {
            let first = |symbol: usize| all.iter().position(|one| *one == Some(symbol)).unwrap();
            let (of, error) = (first(function), first(case.world.functions.len() + index));
            let width = all.iter().filter(|one| **one == Some(function)).count();
            (0..width).for_each(|at| error_at[of + at] = Some(error + at));
        }
        View { case, world, error_at }
    }

    /// An estimate: a state of the world with errors by ground function, which count only where the
    /// model has an error function.
    pub fn estimate(&self, state: &State, error: impl Fn(usize) -> Rat) -> State {
        let mut values = state.values.clone();
        values.resize(self.world.empty_state().values.len(), None);
        for (at, place) in self.error_at.iter().enumerate() {
            if let Some(place) = place {
                values[*place] = state.values[at].map(|_| error(at));
            }
        }
        State { atoms: state.atoms.clone(), values }
    }

    /// The error of a ground function; zero where it is known exactly.
    pub fn error(&self, estimate: &State, at: usize) -> Option<Rat> {
        match self.error_at[at] {
            None => Some(Rat::ZERO),
            Some(place) => estimate.values[place],
        }
    }

    /// A true state that the estimate leaves possible; `way` chooses, by ground function, a part of
    /// the error from -8 to 8.
    pub fn truth(&self, estimate: &State, mut way: impl FnMut(usize) -> i128) -> State {
        let own = self.error_at.len();
        let mut truth =
            State { atoms: estimate.atoms.clone(), values: estimate.values[..own].to_vec() };
        for at in 0..own {
            let error = self.error(estimate, at).unwrap_or(Rat::ZERO);
            if let Some(value) = truth.values[at]
                && !error.is_zero()
            {
                let by = error.times(Rat::new(way(at), 8)).unwrap_or(Rat::ZERO);
                truth.values[at] = value.plus(by).ok();
            }
        }
        truth
    }

    /// Whether the estimate speaks of this true state.
    pub fn covers(&self, estimate: &State, truth: &State) -> Result<Option<Off>, TooLarge> {
        if estimate.atoms != truth.atoms {
            return Ok(Some(Off::Atoms));
        }
        for at in 0..self.error_at.len() {
            match (truth.values[at], estimate.values[at]) {
                (None, None) => {}
                (Some(real), Some(said)) => {
                    let off = real.minus(said)?;
                    let off = Rat { num: off.num.abs(), ..off };
                    let within = self.error(estimate, at);
                    if within
                        .map(|within| off.compare(within))
                        .transpose()?
                        .is_none_or(|order| order.is_gt())
                    {
                        return Ok(Some(Off::Value(format!(
                            "ground function {at}: {} but {}, error {:?}",
                            real.written(),
                            said.written(),
                            within.map(Rat::written)
                        ))));
                    }
                }
                (real, said) => {
                    return Ok(Some(Off::Value(format!(
                        "ground function {at}: {real:?} but {said:?}"
                    ))));
                }
            }
        }
        Ok(None)
    }

    /// True states to try: the estimate itself, corners (all where they are few), corners that
    /// strain the real conditions most, and any.
    pub fn truths(
        &self,
        chance: &mut Chance,
        estimate: &State,
        real: &Action,
        arguments: &[usize],
    ) -> Vec<State> {
        let mut all = vec![self.truth(estimate, |_| 0)];
        let functions = self.case.world.applications(&self.case.world.functions, &real.parameters);
        let places: Vec<usize> =
            functions.iter().map(|one| self.case.world.function_index(one, arguments)).collect();
        let has_error =
            |&&at: &&usize| self.error(estimate, at).is_some_and(|error| !error.is_zero());
        let mut wide: Vec<usize> = places.iter().filter(has_error).copied().collect();
        wide.sort_unstable();
        wide.dedup();
        if wide.is_empty() {
            return all;
        }
        for corner in 0..if wide.len() <= 3 { 1 << wide.len() } else { 0 } {
            let up = |at: usize| {
                wide.iter().position(|&one| one == at).is_some_and(|bit| corner >> bit & 1 == 1)
            };
            all.push(self.truth(estimate, |at| if up(at) { 8 } else { -8 }));
        }
        for linear in Linear::conditions(real).unwrap_or_default() {
            let sign = |at: usize| {
                let of = |(function, by): (&Applied, &Rat)| {
                    if self.case.world.function_index(function, arguments) == at {
                        by.num.signum()
                    } else {
                        0
                    }
                };
                linear.terms.iter().map(of).sum::<i128>().signum()
            };
            all.push(self.truth(estimate, |at| 8 * sign(at)));
        }
        for _ in 0..3 {
            all.push(self.truth(estimate, |_| chance.between(-8, 8).into()));
        }
        all
    }
}
