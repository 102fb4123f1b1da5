//! States and arguments to ask a learned action about: what was recorded, what is near it, between
//! it, just outside it, far away in a direction that options call harmless, and all small states
//! where these are few.

use super::generate::Case;
use super::number::Rat;
use super::product::Mark;
use super::world::{Action, Applied, Condition, State};
use crate::chance::Chance;

pub struct Question {
    pub state: State,
    pub arguments: Vec<usize>,
}

/// Values of an action's functions.
type Vector = Vec<Option<Rat>>;

const WEIGHTS: [[(i128, i128); 3]; 9] = [
    [(1, 2), (1, 2), (0, 1)],
    [(1, 2), (1, 2), (0, 1)],
    [(1, 2), (1, 4), (1, 4)],
    [(1, 4), (3, 4), (0, 1)],
    [(1, 1), (0, 1), (0, 1)],
    [(2, 1), (-1, 1), (0, 1)],
    [(9, 8), (-1, 8), (0, 1)],
    [(1, 1), (1, 1), (-1, 1)],
    [(5, 8), (1, 2), (-1, 8)],
];

pub fn questions(
    chance: &mut Chance,
    case: &Case,
    learned: &Action,
    count: usize,
) -> Vec<Question> {
    let world = &case.world;
    let Some(action) = world.actions.iter().position(|real| real.name == learned.name) else {
        return Vec::new();
    };
    let functions = world.applications(&world.functions, &learned.parameters);
    let tuples = world.tuples(&learned.parameters);
    let steps: Vec<(&State, &[usize])> = case
        .steps()
        .filter(|(_, call, _)| call.action == action)
        .map(|(state, call, _)| (state, &call.arguments[..]))
        .collect();
    if steps.is_empty() {
        return Vec::new();
    }
    let vectors: Vec<Vector> = steps
        .iter()
        .map(|(state, arguments)| {
            functions.iter().map(|one| state.values[world.function_index(one, arguments)]).collect()
        })
        .collect();
    let marks: Vec<(usize, Mark)> =
        case.options.monotone.get(&learned.name).map_or(Vec::new(), |marks| {
            let place = |name: &String| {
                functions.iter().position(|function| world.function(function) == *name)
            };
            marks.iter().filter_map(|(name, mark)| Some((place(name)?, *mark))).collect()
        });
    let (atoms, values) = (world.atoms(), world.values());
    let mut asked: Vec<Question> = steps
        .iter()
        .map(|(state, arguments)| Question {
            state: (*state).clone(),
            arguments: arguments.to_vec(),
        })
        .collect();

    for _ in 0..count {
        let from = chance.below(steps.len());
        let (before, bound) = steps[from];
        let mut state = before.clone();
        let mut arguments = bound.to_vec();
        let mut vector: Option<Vector> = None;
        match chance.below(10) {
            0 | 1 => {}
            2 if !tuples.is_empty() => {
                arguments = chance.of(&tuples).clone();
                vector = chance.percent(60).then(|| vectors[from].clone());
            }
            3..=6 => {
                let same: Vec<usize> =
                    (0..steps.len()).filter(|&step| steps[step].1 == bound).collect();
                let pool = if chance.percent(60) { same } else { (0..steps.len()).collect() };
                let chosen = [from, *chance.of(&pool), *chance.of(&pool)];
                vector = Some(combined(&vectors, chosen, *chance.of(&WEIGHTS)));
                if chance.percent(15) {
                    arguments = chance.of(&tuples).clone();
                }
            }
            _ => {
                vector = Some(
                    (0..functions.len()).map(|at| vectors[chance.below(steps.len())][at]).collect(),
                )
            }
        }
        if !marks.is_empty() && chance.percent(60) {
            let vector = vector.get_or_insert_with(|| vectors[from].clone());
            for &(at, mark) in &marks {
                if chance.percent(30) {
                    continue;
                }
                let size = Rat::new(chance.between(0, 12).into(), 2);
                let by = match mark {
                    Mark::More => size,
                    Mark::Less => size.negated(),
                    Mark::Any => *chance.of(&[size, size.negated()]),
                };
                vector[at] = vector[at].and_then(|value| value.plus(by).ok());
            }
        }
        if let Some(vector) = vector {
            for (function, value) in functions.iter().zip(vector) {
                state.values[world.function_index(function, &arguments)] = value;
            }
        }
        if chance.percent(60) {
            favour(chance, case, learned, &arguments, &mut state);
        }
        if !atoms.is_empty() && chance.percent(35) {
            let atom = *chance.of(&atoms);
            state.atoms[atom] = !state.atoms[atom];
        }
        if !values.is_empty() && chance.percent(30) {
            let place = *chance.of(&values);
            let near = match functions.is_empty() {
                false if chance.percent(70) => {
                    world.function_index(chance.of::<Applied>(&functions), &arguments)
                }
                _ => place,
            };
            let by =
                *chance.of(&[(1, 1), (-1, 1), (1, 2), (-1, 2), (1, 16), (-1, 16), (7, 1), (-7, 1)]);
            let old = state.values[near].unwrap_or(Rat::ZERO);
            state.values[near] = old.plus(Rat::new(by.0, by.1)).ok();
        }
        if !values.is_empty() && chance.percent(7) {
            state.values[*chance.of(&values)] = None;
        }
        asked.push(Question { state, arguments });
    }
    small(case, &tuples, &atoms, &values, &mut asked);
    asked
}

/// Two of the functions over all their recorded range and a little more, the others as in one
/// recorded state.
pub fn grid(chance: &mut Chance, case: &Case, learned: &Action) -> Vec<Question> {
    let world = &case.world;
    let functions = world.applications(&world.functions, &learned.parameters);
    let steps: Vec<(&State, &[usize])> = (case.steps())
        .filter(|(_, call, _)| world.actions[call.action].name == learned.name)
        .map(|(state, call, _)| (state, &call.arguments[..]))
        .collect();
    if steps.is_empty() || functions.is_empty() {
        return Vec::new();
    }
    let (one, other) = (chance.of(&functions), chance.of(&functions));
    let mut places = |function: &Applied| {
        let values = steps.iter().filter_map(|(state, arguments)| {
            state.values[world.function_index(function, arguments)]
        });
        let rounded: Vec<i128> = values.map(|value| value.num.div_euclid(value.den)).collect();
        let (low, high) = (*rounded.iter().min()?, rounded.iter().max()? + 1);
        let (low, high) = (low - 1, high + 1);
        let shift = Rat::new(chance.below(4) as i128, 16);
        (0..=12)
            .map(|at| Rat::new(12 * low + at * (high - low), 12).plus(shift).ok())
            .collect::<Option<Vec<Rat>>>()
    };
    let (Some(left), Some(right)) = (places(one), places(other)) else { return Vec::new() };
    let (state, arguments) = chance.of(&steps);
    let mut asked = Vec::new();
    for &x in &left {
        for &y in &right {
            let mut state = (*state).clone();
            state.values[world.function_index(one, arguments)] = Some(x);
            state.values[world.function_index(other, arguments)] = Some(y);
            asked.push(Question { state, arguments: arguments.to_vec() });
        }
    }
    asked
}

/// Goes from a recorded state, through states that the learned action allows, to where some
/// condition of the real one is broken if that can be reached.
pub fn climb(chance: &mut Chance, case: &Case, learned: &Action, moves: usize) -> Vec<Question> {
    let world = &case.world;
    let Some(action) = world.actions.iter().position(|real| real.name == learned.name) else {
        return Vec::new();
    };
    let functions = world.applications(&world.functions, &learned.parameters);
    let steps: Vec<(&State, &[usize])> = case
        .steps()
        .filter(|(_, call, _)| call.action == action)
        .map(|(state, call, _)| (state, &call.arguments[..]))
        .collect();
    if steps.is_empty() || functions.is_empty() {
        return Vec::new();
    }
    let read = |step: &(&State, &[usize]), at: usize| {
        step.0.values[world.function_index(&functions[at], step.1)]
    };
    let allowed = |state: &State, arguments: &[usize]| {
        world.successor(learned, arguments, state).is_ok_and(|after| after.is_some())
    };
    let mut passed = Vec::new();
    for condition in world.actions[action]
        .conjuncts()
        .iter()
        .filter(|part| matches!(part, Condition::Compare(..)))
    {
        let (before, arguments) = *chance.of(&steps);
        let mut state = before.clone();
        if !allowed(&state, arguments) {
            continue;
        }
        let mut strain = world.strain(condition, arguments, &state);
        for _ in 0..moves {
            let mut next = state.clone();
            let mut shift = |at: usize, by: Option<Rat>| {
                let value = &mut next.values[world.function_index(&functions[at], arguments)];
                *value = value
                    .and_then(|old| old.plus(by?).ok())
                    .filter(|new| new.num.abs() < 1 << 30 && new.den < 1 << 20);
            };
            let size =
                *chance.of(&[(1, 1), (1, 2), (1, 2), (1, 4), (1, 8), (2, 1), (-1, 2), (-1, 1)]);
            let size = Rat::new(size.0, size.1);
            match chance.below(3) {
                0 => shift(chance.below(functions.len()), Some(size)),
                1 => {
                    let (one, other) = (chance.of(&steps), chance.of(&steps));
                    for at in 0..functions.len() {
                        let gap = read(one, at).and_then(|to| to.minus(read(other, at)?).ok());
                        shift(at, gap.and_then(|gap| gap.times(size).ok()));
                    }
                }
                _ => {
                    // Towards a recorded one, in some of the functions.
                    let goal = chance.of(&steps);
                    for (at, function) in functions.iter().enumerate() {
                        if chance.percent(60) {
                            let here = state.values[world.function_index(function, arguments)];
                            let gap = read(goal, at).and_then(|to| to.minus(here?).ok());
                            shift(at, gap.and_then(|gap| gap.times(size).ok()));
                        }
                    }
                }
            }
            let new = world.strain(condition, arguments, &next);
            let worse = match (strain, new) {
                (Some(old), Some(new)) => new.compare(old).is_ok_and(std::cmp::Ordering::is_ge),
                _ => true,
            };
            if worse && next != state && allowed(&next, arguments) {
                (state, strain) = (next, new);
                passed.push(Question { state: state.clone(), arguments: arguments.to_vec() });
            }
        }
    }
    passed
}

fn combined(vectors: &[Vector], chosen: [usize; 3], weights: [(i128, i128); 3]) -> Vector {
    let entry = |at: usize| {
        let mut sum = Rat::ZERO;
        for (&step, (num, den)) in chosen.iter().zip(weights).filter(|(_, (num, _))| *num != 0) {
            sum = sum.plus(vectors[step][at]?.times(Rat::new(num, den)).ok()?).ok()?;
        }
        Some(sum)
    };
    (0..vectors[chosen[0]].len()).map(entry).collect()
}

/// Makes the literals that the learned action asks for true.
fn favour(
    chance: &mut Chance,
    case: &Case,
    learned: &Action,
    arguments: &[usize],
    state: &mut State,
) {
    for part in learned.conjuncts() {
        match part {
            Condition::Atom(atom) => state.atoms[case.world.atom_index(atom, arguments)] = true,
            Condition::Not(inner) => {
                if let Condition::Atom(atom) = &**inner {
                    state.atoms[case.world.atom_index(atom, arguments)] = false;
                }
            }
            _ => {}
        }
    }
    // What the action does not ask for is anything.
    if chance.percent(50) {
        let kept: Vec<usize> = learned
            .conjuncts()
            .iter()
            .filter_map(|part| match part {
                Condition::Atom(atom) => Some(atom),
                Condition::Not(inner) => match &**inner {
                    Condition::Atom(atom) => Some(atom),
                    _ => None,
                },
                _ => None,
            })
            .map(|atom| case.world.atom_index(atom, arguments))
            .collect();
        for atom in case.world.atoms() {
            if !kept.contains(&atom) && chance.percent(50) {
                state.atoms[atom] = !state.atoms[atom];
            }
        }
    }
}

/// All states over few atoms and few numbers.
fn small(
    case: &Case,
    tuples: &[Vec<usize>],
    atoms: &[usize],
    values: &[usize],
    asked: &mut Vec<Question>,
) {
    const NUMBERS: [Option<(i128, i128)>; 6] =
        [None, Some((0, 1)), Some((1, 1)), Some((2, 1)), Some((5, 1)), Some((-1, 1))];
    if atoms.len() > 8 || values.len() > 3 {
        return;
    }
    let states = (1usize << atoms.len()) * NUMBERS.len().pow(values.len() as u32);
    if states * tuples.len() > 1200 {
        return;
    }
    for number in 0..states {
        let mut state = case.world.empty_state();
        let mut rest = number;
        for &atom in atoms {
            state.atoms[atom] = rest % 2 == 1;
            rest /= 2;
        }
        for &value in values {
            state.values[value] =
                NUMBERS[rest % NUMBERS.len()].map(|(num, den)| Rat::new(num, den));
            rest /= NUMBERS.len();
        }
        asked.extend(
            tuples
                .iter()
                .map(|arguments| Question { state: state.clone(), arguments: arguments.clone() }),
        );
    }
}
