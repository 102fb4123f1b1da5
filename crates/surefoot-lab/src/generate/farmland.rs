//! Farmland: a few farms have the workers, others none. The plan sends somebody to each, and some
//! more for their worth.

use super::graph::Graph;
use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered};

pub static GENERATOR: Generator = Generator {
    name: "farmland",
    title: "Farmland",
    summary: "send workers to neighbouring farms until all are worked and worth enough",
    text: include_str!("../../domains/farmland/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/farmland/monotone.json"))],
    sizes: &[
        Size::count("farms", (2, 18), (2, 100_000), "farms"),
        Size::amount(
            "workers",
            (8, 20),
            (4, 1_000_000),
            "workers on a rich farm (one in twelve); more where its neighbourhood needs them",
        ),
    ],
    build,
};

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let farms = sizes.draw("farms", dice);
    let land = if dice.chance(1, 2) && farms <= 20 {
        Graph::star(farms)
    } else {
        Graph::connected(farms, farms / 3, dice)
    };
    let rich = dice.sample((0..farms).collect(), 1 + (farms - 1) / 12);
    let mut is_rich = vec![false; farms];
    for &farm in &rich {
        is_rich[farm] = true;
    }
    let distances = land.distances(&rich);
    let mut workers: Vec<usize> = (0..farms).map(|_| usize::from(dice.chance(3, 5))).collect();
    for &farm in &rich {
        workers[farm] = 1;
    }
    if workers.iter().all(|&count| count > 0) {
        let poor: Vec<usize> = (0..farms).filter(|&farm| !is_rich[farm]).collect();
        workers[dice.pick(&poor)] = 0;
    }
    let empty: Vec<usize> = (0..farms).filter(|&farm| workers[farm] == 0).collect();
    // Ways are from the nearest rich farm to the farm in need.
    let ways: Vec<Vec<usize>> =
        empty.iter().map(|&farm| way_from_rich(&land, &distances, farm)).collect();
    let mut unserved = vec![0; farms];
    for way in &ways {
        unserved[way[0]] += 1;
    }
    for &farm in &rich {
        workers[farm] = sizes.draw("workers", dice).max(unserved[farm] + 1 + dice.below(4));
    }

    let names = numbered("farm", farms);
    let mut scene = ProblemBuilder::default();
    scene.objects("farm", &names);
    scene.value("cost", 0);
    for (name, count) in names.iter().zip(&workers) {
        scene.value(format!("x {name}"), count);
    }
    for (place, next) in land.neighbours.iter().enumerate() {
        for other in next {
            scene.atom(format!("adj {} {}", names[place], names[*other]));
        }
    }
    let mut steps = Vec::new();
    let mut order: Vec<usize> = (0..ways.len()).collect();
    dice.shuffle(&mut order);
    for way in order.into_iter().map(|index| &ways[index]) {
        unserved[way[0]] -= 1;
        // Four leave and two arrive: only where the others can still be sent.
        let fast = workers[way[0]] >= 5 + unserved[way[0]] && dice.chance(1, 6);
        for (hop, pair) in way.windows(2).enumerate() {
            let verb = if fast && hop == 0 { "move-fast" } else { "move-slow" };
            steps.push(crossing(verb, &names, &mut workers, pair[0], pair[1]));
        }
    }
    // Some more move to neighbours, so that the worth asked for is not only that of having somebody
    // everywhere.
    for _ in 0..dice.below(3 + farms / 4) {
        let from = dice.pick(&rich);
        let to = dice.pick(&land.neighbours[from]);
        if workers[from] >= 5 && dice.chance(1, 5) {
            steps.push(crossing("move-fast", &names, &mut workers, from, to));
        } else if workers[from] >= 2 {
            steps.push(crossing("move-slow", &names, &mut workers, from, to));
        }
    }
    scene.steps(steps);

    // Weights in tenths, so that the worth is a decimal.
    let weights: Vec<usize> =
        (0..farms).map(|farm| if is_rich[farm] { 10 } else { dice.between(10, 20) }).collect();
    let worth: usize = weights.iter().zip(&workers).map(|(weight, count)| weight * count).sum();
    for name in &names {
        scene.goal(format!(">= (x {name}) 1"));
    }
    let terms: Vec<String> = names
        .iter()
        .zip(&weights)
        .map(|(name, weight)| format!("(* {} (x {name}))", decimal(*weight)))
        .collect();
    scene.goal(format!(">= {} {}", sum(&terms), decimal(worth)));
    scene
}

/// A step that moves workers from a farm to another.
fn crossing(verb: &str, names: &[String], workers: &mut [usize], from: usize, to: usize) -> String {
    let (leaving, arriving) = if verb == "move-fast" { (4, 2) } else { (1, 1) };
    workers[from] -= leaving;
    workers[to] += arriving;
    format!("{verb} {} {}", names[from], names[to])
}

fn decimal(tenths: usize) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The sum of terms, two at a time: not all planners read longer ones, and halves do not nest deep.
fn sum(terms: &[String]) -> String {
    match terms {
        [] => "0".into(),
        [term] => term.clone(),
        _ => {
            let (left, right) = terms.split_at(terms.len() / 2);
            format!("(+ {} {})", sum(left), sum(right))
        }
    }
}

/// The places from the nearest rich farm to `farm`, both included.
fn way_from_rich(land: &Graph, distances: &[usize], farm: usize) -> Vec<usize> {
    let mut way = vec![farm];
    way.extend(land.descend(distances, farm));
    way.reverse();
    way
}
