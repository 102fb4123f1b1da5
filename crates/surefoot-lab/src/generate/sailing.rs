//! Sailing: persons drift at their d, boats start at the shore. The plan lets a boat or a few sail
//! along and save everybody.

use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered};

pub static GENERATOR: Generator = Generator {
    name: "sailing",
    title: "Sailing",
    summary: "sail boats to where persons can be saved",
    text: include_str!("../../domains/sailing/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/sailing/monotone.json"))],
    sizes: &[
        Size::count("boats", (10, 15), (1, 100_000), "boats"),
        Size::count("persons", (3, 20), (1, 100_000), "persons"),
        Size::amount("shore", (10, 10), (0, 1_000_000), "how far east and west of 0 boats start"),
        Size::amount("d", (0, 100), (0, 1_000_000), "the d of each person: how far out"),
    ],
    build,
};

/// How much more than d the sum and difference of a saving boat's coordinates may be.
const ROOM: i64 = 25;

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let boats = numbered("b", sizes.draw("boats", dice));
    let persons = numbered("p", sizes.draw("persons", dice));
    let shore = sizes.draw("shore", dice);
    let starts: Vec<i64> =
        boats.iter().map(|_| dice.below(2 * shore + 1) as i64 - shore as i64).collect();
    let mut drifts: Vec<i64> = persons.iter().map(|_| sizes.draw("d", dice) as i64).collect();
    drifts.sort_unstable();
    let mut scene = ProblemBuilder::default();
    scene.objects("boat", &boats);
    scene.objects("person", &persons);
    for (boat, x) in boats.iter().zip(&starts) {
        scene.value(format!("x {boat}"), x);
        scene.value(format!("y {boat}"), 0);
    }
    for (person, d) in persons.iter().zip(&drifts) {
        scene.value(format!("d {person}"), d);
        scene.goal(format!("saved {person}"));
    }

    let crews = (boats.len() / 10).max(1) * if dice.chance(4, 5) { 1 } else { dice.between(2, 3) };
    let active = dice.sample((0..boats.len()).collect(), crews);
    let mut tours: Vec<Vec<usize>> = vec![Vec::new(); active.len()];
    for person in 0..persons.len() {
        tours[dice.below(active.len())].push(person);
    }
    let mut logs = Vec::new();
    for (&boat, mut tour) in active.iter().zip(tours) {
        // Not always the nearest next: then a boat must also sail south.
        for index in 1..tour.len() {
            if dice.chance(1, 4) {
                tour.swap(index - 1, index);
            }
        }
        let mut sailor = Sailor {
            boat: &boats[boat],
            sum: starts[boat],
            difference: -starts[boat],
            steps: Vec::new(),
        };
        for person in tour {
            sailor.reach(drifts[person], dice);
            sailor.steps.push(format!("save_person {} {}", boats[boat], persons[person]));
        }
        logs.push(sailor.steps);
    }
    scene.steps(dice.interleave(logs));
    scene
}

/// A boat by y + x and y - x, which is what saving asks about, and in which every move is whole.
struct Sailor<'a> {
    boat: &'a str,
    sum: i64,
    difference: i64,
    steps: Vec<String>,
}

/// Whether a value is below a range (-1), above it (1), or in it (0).
fn side(value: i64, least: i64, most: i64) -> i32 {
    if value < least { -1 } else { i32::from(value > most) }
}

impl Sailor<'_> {
    fn go(&mut self, course: &str) {
        let (sum, difference) = match course {
            "north_east" => (3, 0),
            "north_west" => (0, 3),
            "est" => (3, -3),
            "west" => (-3, 3),
            "south_west" => (0, -4),
            "south_east" => (-4, 0),
            _ => (-2, -2),
        };
        self.sum += sum;
        self.difference += difference;
        self.steps.push(format!("go_{course} {}", self.boat));
    }

    /// Sails to where a person at `d` can be saved.
    fn reach(&mut self, d: i64, dice: &mut Dice) {
        // Anywhere in the square will do; where in it differs from time to time.
        let (low, high) = (d, d + ROOM);
        let (sum_aim, difference_aim) = (low + dice.below(8) as i64, low + dice.below(8) as i64);
        loop {
            let reached =
                (low..=high).contains(&self.sum) && (low..=high).contains(&self.difference);
            let (least_sum, least_difference) =
                if reached { (low, low) } else { (sum_aim, difference_aim) };
            let course = match (
                side(self.sum, least_sum, high),
                side(self.difference, least_difference, high),
            ) {
                (0, 0) => return,
                // Now and then a boat tacks, so that every course is sailed.
                (-1, -1) if dice.chance(1, 20) => dice.pick(&["est", "west"]),
                (-1, -1) => dice.pick(&["north_east", "north_west"]),
                (-1, 0) if self.difference - 3 >= difference_aim && dice.chance(1, 3) => "est",
                (0, -1) if self.sum - 3 >= sum_aim && dice.chance(1, 3) => "west",
                (-1, 1) => "est",
                (1, -1) => "west",
                (-1, _) => "north_east",
                (_, -1) => "north_west",
                (1, 1) => dice.pick(&["south", "south", "south_west", "south_east"]),
                (1, _) => "south_east",
                _ => "south_west",
            };
            self.go(course);
        }
    }
}
