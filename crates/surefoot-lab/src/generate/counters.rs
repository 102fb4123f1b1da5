//! Counters: values in any order, to be put in order. The plan moves each counter to the nearest
//! place in an increasing sequence.

use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered};

pub static GENERATOR: Generator = Generator {
    name: "counters",
    title: "Counters",
    summary: "bring counters into increasing order, each with a rate of its own",
    text: include_str!("../../domains/counters/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/counters/monotone.json"))],
    sizes: &[
        Size::count("counters", (2, 16), (2, 100_000), "counters"),
        Size::amount(
            "max-int",
            (20, 100),
            (1, 1_000_000),
            "the largest value; raised to the number of counters where it is less",
        ),
    ],
    build,
};

/// The rate the domain allows.
const FASTEST: usize = 10;

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let counters = sizes.draw("counters", dice);
    let largest = sizes.draw("max-int", dice).max(counters);
    let mut values: Vec<i64> = (0..counters).map(|_| dice.below(largest + 1) as i64).collect();
    if values.is_sorted_by(|left, right| left < right) {
        values.reverse();
    }
    let names = numbered("c", counters);
    let mut scene = ProblemBuilder::default();
    scene.objects("counter", &names);
    scene.value("max_int", largest);
    for (name, value) in names.iter().zip(&values) {
        scene.value(format!("value {name}"), value);
        scene.value(format!("rate_value {name}"), 0);
    }
    for pair in names.windows(2) {
        scene.goal(format!("<= (+ (value {}) 1) (value {})", pair[0], pair[1]));
    }
    let wanted = increasing(&values, largest as i64);
    let moves = names
        .iter()
        .zip(values.iter().zip(&wanted))
        .map(|(name, (from, to))| shift(name, to - from, dice))
        .collect();
    scene.steps(dice.interleave(moves));
    scene
}

/// A strictly increasing sequence within 0 and `largest` close to `values`: neighbours out of order
/// are pooled at their mean.
fn increasing(values: &[i64], largest: i64) -> Vec<i64> {
    let mut pools: Vec<(i64, i64)> = Vec::new();
    for (index, value) in values.iter().enumerate() {
        // Strictly increasing by whole numbers is: not decreasing, once each place's number is
        // taken off.
        let mut pool = (value - index as i64, 1);
        while let Some(&(sum, count)) = pools.last()
            && sum * pool.1 >= pool.0 * count
        {
            pool = (pool.0 + sum, pool.1 + count);
            pools.pop();
        }
        pools.push(pool);
    }
    let room = largest - (values.len() as i64 - 1);
    let levels = pools
        .iter()
        .flat_map(|&(sum, count)| std::iter::repeat_n(sum.div_euclid(count), count as usize));
    levels.enumerate().map(|(index, level)| level.clamp(0, room) + index as i64).collect()
}

/// Steps that move a counter at rate 0 by an amount.
fn shift(name: &str, by: i64, dice: &mut Dice) -> Vec<String> {
    let verb = if by > 0 { "increment" } else { "decrement" };
    let way = by.unsigned_abs() as usize;
    if way == 0 {
        return Vec::new();
    }
    // About as many changes of the rate as moves, but not always the fewest: rates should vary.
    let root = way.isqrt();
    let rate =
        dice.between(root.saturating_sub(2).clamp(1, FASTEST), (root + 3).min(FASTEST)).min(way);
    let (times, rest) = (way / rate, way % rate);
    let runs = if rest > 0 && dice.chance(1, 4) {
        [("increase_rate", rate), (verb, times), ("decrement_rate", rate - rest), (verb, 1)]
    } else {
        [
            ("increase_rate", rest),
            (verb, usize::from(rest > 0)),
            ("increase_rate", rate - rest),
            (verb, times),
        ]
    };
    runs.into_iter()
        .flat_map(|(verb, times)| std::iter::repeat_n(format!("{verb} {name}"), times))
        .collect()
}
