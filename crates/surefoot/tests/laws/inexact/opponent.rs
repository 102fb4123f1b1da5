//! Who chooses the errors. Whatever is chosen stays within them; that is all that a learner may
//! rely on.

use super::generate::Trace;
use crate::chance::Chance;
use crate::promise::number::Rat;
use crate::promise::world::{State, World};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Opponent {
    /// Away from the middle of all true values: the records look as if more had been shown.
    Outward,
    /// Towards the middle of all true values.
    Inward,
    /// Up in one state, down in the next.
    Alternating,
    /// By the side of a hyperplane that the true state is on.
    Sided,
    /// Before a step by the side that one value is on, after it the other way: slopes look
    /// different.
    Tilting,
    /// What changed little seems not to have changed.
    Hiding,
    /// Up or down, by chance.
    Corners,
    /// Anything in between.
    Random,
    /// The nearest number with few digits.
    Rounding,
}

const ALL: [Opponent; 9] = [
    Opponent::Outward,
    Opponent::Inward,
    Opponent::Alternating,
    Opponent::Sided,
    Opponent::Tilting,
    Opponent::Hiding,
    Opponent::Corners,
    Opponent::Random,
    Opponent::Rounding,
];

impl Opponent {
    pub fn any(chance: &mut Chance) -> Opponent {
        *chance.of(&ALL)
    }

    /// How large the error of a function is.
    pub fn size(self, chance: &mut Chance) -> Rat {
        let sizes: &[(i128, i128)] = match self {
            // Half of the last digit.
            Opponent::Rounding => &[(1, 20), (1, 2), (1, 2), (1, 4)],
            _ => &[(1, 100), (1, 10), (1, 4), (1, 2), (1, 2), (1, 1), (2, 1)],
        };
        let (num, den) = *chance.of(sizes);
        Rat::new(num, den)
    }
}

/// What is recorded of what happened.
pub fn recorded(
    chance: &mut Chance,
    world: &World,
    errors: &[Rat],
    opponent: Opponent,
    truth: &[Trace],
) -> Vec<Trace> {
    let symbols = symbols(world);
    let states: Vec<&State> = truth.iter().flat_map(|trace| &trace.states).collect();
    let middles: Vec<Option<Rat>> = (0..symbols.len()).map(|at| middle(&states, at)).collect();
    let directions: Vec<i128> = symbols.iter().map(|_| chance.between(-1, 1).into()).collect();
    let leading = chance.below(symbols.len());
    let above = |state: &State, at: usize| match (state.values[at], middles[at]) {
        (Some(value), Some(middle)) => value.compare(middle).is_ok_and(|order| order.is_ge()),
        _ => true,
    };
    let mut all = Vec::new();
    let mut number = 0;
    for trace in truth {
        let mut records: Vec<State> = Vec::new();
        for (index, state) in trace.states.iter().enumerate() {
            number += 1;
            let side = (0..symbols.len())
                .filter(|&at| above(state, at))
                .map(|at| directions[at])
                .sum::<i128>()
                > 0;
            let mut record = state.clone();
            for (at, value) in record.values.iter_mut().enumerate() {
                let (Some(real), Some(symbol)) = (*value, symbols[at]) else { continue };
                let error = errors[symbol];
                if error.is_zero() {
                    continue;
                }
                let way = |up: bool| if up { error } else { error.negated() };
                let by = match opponent {
                    Opponent::Outward => way(above(state, at)),
                    Opponent::Inward => way(!above(state, at)),
                    Opponent::Alternating => way((number + at) % 2 == 0),
                    Opponent::Sided => way(side),
                    Opponent::Tilting => match index {
                        0 => way(above(state, leading)),
                        _ => way(!above(&trace.states[index - 1], leading)),
                    },
                    Opponent::Hiding => {
                        match index.checked_sub(1).and_then(|before| records[before].values[at]) {
                            Some(before) => clamped(before.minus(real).unwrap_or(Rat::ZERO), error),
                            None => way(chance.percent(50)),
                        }
                    }
                    Opponent::Corners => way(chance.percent(50)),
                    Opponent::Random => {
                        error.times(Rat::new(chance.between(-8, 8).into(), 8)).unwrap_or(Rat::ZERO)
                    }
                    Opponent::Rounding => rounded(real, error).minus(real).unwrap_or(Rat::ZERO),
                };
                *value = real.plus(by).ok().or(*value);
            }
            records.push(record);
        }
        all.push(Trace { states: records, calls: trace.calls.clone() });
    }
    all
}

/// By ground function, its symbol.
pub fn symbols(world: &World) -> Vec<Option<usize>> {
    let mut symbols = Vec::new();
    for (symbol, function) in world.functions.iter().enumerate() {
        symbols.resize(
            symbols.len() + world.objects.len().pow(function.places.len() as u32),
            Some(symbol),
        );
    }
    symbols
}

fn middle(states: &[&State], at: usize) -> Option<Rat> {
    let values: Vec<Rat> = states.iter().filter_map(|state| state.values[at]).collect();
    let sum = values.iter().try_fold(Rat::ZERO, |sum, value| sum.plus(*value)).ok()?;
    sum.over(Rat::int(values.len() as i128)).ok().flatten()
}

fn clamped(value: Rat, error: Rat) -> Rat {
    let above = |one: Rat, other: Rat| one.compare(other).is_ok_and(|order| order.is_gt());
    match (above(value, error), above(error.negated(), value)) {
        (true, _) => error,
        (_, true) => error.negated(),
        _ => value,
    }
}

/// The nearest multiple of twice the error, halves up.
fn rounded(value: Rat, error: Rat) -> Rat {
    let unit = Rat { num: 2 * error.num, den: error.den };
    let (Ok(Some(units)), half) = (value.over(unit), Rat::new(1, 2)) else { return value };
    let Ok(sum) = units.plus(half) else { return value };
    unit.times(Rat::int(sum.num.div_euclid(sum.den))).unwrap_or(value)
}
