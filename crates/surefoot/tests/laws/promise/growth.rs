//! More steps never take back what fewer allowed: the worlds in which parameters that stand for one
//! object make functions one, learned from ever more of their traces. What a model allows, every
//! model of more traces allows, with the same outcome, except for the reasons that the learner
//! names; and it allows its own steps. The rest of the promise is asked of the same worlds: see
//! [`super::laws`].

use std::collections::BTreeMap;

use super::generate::{Case, case};
use super::laws::{Counts, Law, Violation};
use super::product::{self, Learned, Method, Options, Split};
use super::questions::{Question, climb, questions};
use super::world::{Action, Call};
use crate::chance::Chance;

/// Whether in some recorded step two functions of the action are one.
fn aliases(case: &Case) -> bool {
    let world = &case.world;
    case.steps().any(|(_, call, _)| {
        let functions =
            world.applications(&world.functions, &world.actions[call.action].parameters);
        let mut places: Vec<usize> = functions
            .iter()
            .map(|function| world.function_index(function, &call.arguments))
            .collect();
        let all = places.len();
        places.sort_unstable();
        places.dedup();
        places.len() < all
    })
}

fn examine(seed: u64, counts: &mut Counts) -> Vec<Violation> {
    let mut case = case(seed);
    if case.options.method == Method::Sam || case.traces.len() < 2 || !aliases(&case) {
        return Vec::new();
    }
    // Budgets and digits may take back.
    case.options = Options { facet_budget: None, digits: None, ..case.options };
    counts.add("worlds", 1);
    let mut chance = Chance::scattered(seed ^ 0x6A0E_D5F1);
    let texts = case.texts();
    let mut order: Vec<usize> = (0..texts.traces.len()).collect();
    chance.shuffle(&mut order);
    let mut found = Vec::new();
    let mut smaller: Vec<(Learned, BTreeMap<String, Vec<Question>>)> = Vec::new();
    for size in [order.len().div_ceil(4), order.len().div_ceil(2), order.len()] {
        let split = Split { groups: vec![order[..size].to_vec()], stored: false };
        let Ok(learned) = product::learn(&texts, &case.options, &split) else { return found };
        for (fewer, asked) in &smaller {
            for action in &fewer.actions {
                if learned.take_back.contains_key(&action.name) {
                    counts.add("named exceptions", 1);
                    continue;
                }
                let now = learned.actions.iter().find(|now| now.name == action.name);
                let asked = asked.get(&action.name).map_or(&[][..], Vec::as_slice);
                found.extend(taken_back(&case, action, now, asked, counts));
            }
        }
        let asked = learned.actions.iter().map(|action| {
            let mut all = questions(&mut chance, &case, action, 80);
            all.extend(climb(&mut chance, &case, action, 40));
            (action.name.clone(), all)
        });
        let asked = asked.collect();
        smaller.push((learned, asked));
    }
    found
}

/// A step that an action allows, and the same action learned from more traces does not, or not with
/// the same outcome.
fn taken_back(
    case: &Case,
    then: &Action,
    now: Option<&Action>,
    asked: &[Question],
    counts: &mut Counts,
) -> Option<Violation> {
    let world = &case.world;
    for Question { state, arguments } in asked {
        let Ok(Some(ends)) = world.successor(then, arguments, state) else { continue };
        counts.add("allowed by fewer", 1);
        let functions = world.applications(&world.functions, &then.parameters);
        let mut places: Vec<usize> =
            functions.iter().map(|function| world.function_index(function, arguments)).collect();
        places.sort_unstable();
        counts.add(
            "allowed by fewer with functions that are one",
            usize::from(places.windows(2).any(|two| two[0] == two[1])),
        );
        let also = now.and_then(|now| world.successor(now, arguments, state).ok().flatten());
        if also.as_ref() != Some(&ends) {
            let index = world.actions.iter().position(|one| one.name == then.name).unwrap_or(0);
            let call = world.call(&Call { action: index, arguments: arguments.clone() });
            let body = |action: &Action| world.domain(std::slice::from_ref(action), true);
            let what = format!(
                "{call} in{}\n{}\n{}",
                world.facts(state),
                body(then),
                now.map(body).unwrap_or_default()
            );
            return Some(Violation { law: Law::TakenBack, what });
        }
    }
    None
}

fn run(seeds: impl Iterator<Item = u64>) -> (Counts, BTreeMap<Law, usize>) {
    let (mut counts, mut broken) = (Counts::default(), BTreeMap::new());
    for seed in seeds {
        for violation in examine(seed, &mut counts) {
            println!("seed {seed}: {:?}: {}", violation.law, violation.what);
            *broken.entry(violation.law).or_default() += 1;
        }
    }
    (counts, broken)
}

/// Guards are asked at a point, so that learning is monotone where functions are one.
#[test]
fn more_steps_take_nothing_back_where_functions_are_one() {
    let (counts, broken) = run(0..2_000);
    println!("{:?}", counts.0);
    for (kind, least) in [("worlds", 200), ("allowed by fewer with functions that are one", 5_000)]
    {
        let number = counts.0.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "only {number} {kind}");
    }
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
#[ignore = "takes minutes; the number of cases is in SUREFOOT_PROMISE_CASES"]
fn long_run_of_models_that_grow() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };
    let (cases, first) =
        (number("SUREFOOT_PROMISE_CASES", 20_000), number("SUREFOOT_PROMISE_SEED", 0));
    let (counts, broken) = run(first..first + cases);
    counts.0.iter().for_each(|(what, number)| println!("{number:>10} {what}"));
    assert!(broken.is_empty(), "{broken:?}");
}
