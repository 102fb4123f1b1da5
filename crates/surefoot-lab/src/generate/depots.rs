//! Depots: crates in stacks, to be stacked in another way. The plan moves each crate at most once,
//! by truck in loads, or to the next pallet.

use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered};

pub static GENERATOR: Generator = Generator {
    name: "depots",
    title: "Depot",
    summary: "restack crates with hoists and trucks of limited load",
    text: include_str!("../../domains/depots/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/depots/monotone.json"))],
    sizes: &[
        Size::count("depots", (1, 3), (1, 10_000), "depots"),
        Size::count("distributors", (2, 3), (1, 10_000), "distributors"),
        Size::count("trucks", (2, 2), (1, 10_000), "trucks"),
        Size::count(
            "pallets",
            (3, 9),
            (1, 100_000),
            "pallets; raised to one a place where they are less",
        ),
        Size::count(
            "hoists",
            (3, 8),
            (1, 100_000),
            "hoists; raised to one a place where they are less",
        ),
        Size::count("crates", (2, 14), (1, 100_000), "crates"),
        Size::amount("weight", (1, 100), (0, 1_000_000), "the weight of each crate"),
        Size::amount(
            "load-limit",
            (200, 490),
            (1, 10_000_000),
            "what each truck can carry; raised to the heaviest crate",
        ),
    ],
    build,
};

struct Yard {
    places: Vec<String>,
    trucks: Vec<String>,
    crates: Vec<String>,
    pallets: Vec<String>,
    hoists: Vec<String>,
    /// Where pallets and hoists are, by place.
    pallets_at: Vec<Vec<usize>>,
    hoists_at: Vec<Vec<usize>>,
    place_of: Vec<usize>,
    /// Crates by pallet, from the bottom.
    stacks: Vec<Vec<usize>>,
    weights: Vec<usize>,
    limits: Vec<usize>,
    truck_at: Vec<usize>,
    /// Crates that have been moved, and stay.
    settled: Vec<bool>,
    steps: Vec<String>,
}

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let depots = numbered("depot", sizes.draw("depots", dice));
    let distributors = numbered("distributor", sizes.draw("distributors", dice));
    let places: Vec<String> = depots.iter().chain(&distributors).cloned().collect();
    let trucks = numbered("truck", sizes.draw("trucks", dice));
    let pallets = numbered("pallet", sizes.draw("pallets", dice).max(places.len()));
    let hoists = numbered("hoist", sizes.draw("hoists", dice).max(places.len()));
    let crates = numbered("crate", sizes.draw("crates", dice));
    let weights: Vec<usize> = crates.iter().map(|_| sizes.draw("weight", dice)).collect();
    let heaviest = weights.iter().copied().max().unwrap_or(0);
    let limits: Vec<usize> =
        trucks.iter().map(|_| sizes.draw("load-limit", dice).max(heaviest)).collect();
    let place_of = spread(pallets.len(), places.len(), dice);
    let hoist_places = spread(hoists.len(), places.len(), dice);
    let mut stacks = vec![Vec::new(); pallets.len()];
    for index in 0..crates.len() {
        stacks[dice.below(pallets.len())].push(index);
    }
    let mut yard = Yard {
        pallets_at: by_place(&place_of, places.len()),
        hoists_at: by_place(&hoist_places, places.len()),
        truck_at: trucks.iter().map(|_| dice.below(places.len())).collect(),
        settled: vec![false; crates.len()],
        steps: Vec::new(),
        places,
        trucks,
        crates,
        pallets,
        hoists,
        place_of,
        stacks,
        weights,
        limits,
    };

    let mut scene = ProblemBuilder::default();
    scene.objects("depot", &depots);
    scene.objects("distributor", &distributors);
    yard.describe(&mut scene, &hoist_places);
    yard.work(dice);
    for pallet in 0..yard.pallets.len() {
        for height in 0..yard.stacks[pallet].len() {
            let above = yard.stacks[pallet][height];
            scene.goal(format!("on {} {}", yard.crates[above], yard.surface(pallet, height)));
        }
    }
    scene.minimize("(fuel-cost)");
    scene.steps(yard.steps);
    scene
}

/// Where so many pallets or hoists are: one at each place, the others anywhere.
fn spread(count: usize, places: usize, dice: &mut Dice) -> Vec<usize> {
    (0..count).map(|index| if index < places { index } else { dice.below(places) }).collect()
}

/// What is at each place, given where everything is.
fn by_place(place_of: &[usize], places: usize) -> Vec<Vec<usize>> {
    let mut sorted = vec![Vec::new(); places];
    for (index, &place) in place_of.iter().enumerate() {
        sorted[place].push(index);
    }
    sorted
}

impl Yard {
    fn describe(&self, scene: &mut ProblemBuilder, hoist_places: &[usize]) {
        scene.objects("truck", &self.trucks);
        scene.objects("pallet", &self.pallets);
        scene.objects("hoist", &self.hoists);
        scene.objects("crate", &self.crates);
        for (hoist, &place) in self.hoists.iter().zip(hoist_places) {
            scene.atom(format!("at {hoist} {}", self.places[place]));
            scene.atom(format!("available {hoist}"));
        }
        for (index, truck) in self.trucks.iter().enumerate() {
            scene.atom(format!("at {truck} {}", self.places[self.truck_at[index]]));
            scene.value(format!("current_load {truck}"), 0);
            scene.value(format!("load_limit {truck}"), self.limits[index]);
        }
        for (pallet, stack) in self.stacks.iter().enumerate() {
            let place = &self.places[self.place_of[pallet]];
            scene.atom(format!("at {} {place}", self.pallets[pallet]));
            for (height, &each) in stack.iter().enumerate() {
                scene.atom(format!("at {} {place}", self.crates[each]));
                scene.atom(format!("on {} {}", self.crates[each], self.surface(pallet, height)));
            }
            scene.atom(format!("clear {}", self.surface(pallet, stack.len())));
        }
        for (name, weight) in self.crates.iter().zip(&self.weights) {
            scene.value(format!("weight {name}"), weight);
        }
        scene.value("fuel-cost", 0);
    }

    /// What a crate at this height of a stack stands on.
    fn surface(&self, pallet: usize, height: usize) -> &str {
        if height == 0 {
            &self.pallets[pallet]
        } else {
            &self.crates[self.stacks[pallet][height - 1]]
        }
    }

    /// The pallets whose top crate has not been moved.
    fn movable(&self, among: impl Iterator<Item = usize>) -> Vec<usize> {
        among
            .filter(|&pallet| self.stacks[pallet].last().is_some_and(|&top| !self.settled[top]))
            .collect()
    }

    /// Moves crates until none is left that has not been moved and can be.
    fn work(&mut self, dice: &mut Dice) {
        loop {
            let movable = self.movable(0..self.pallets.len());
            if movable.is_empty() {
                return;
            }
            let pallet = dice.pick(&movable);
            let place = self.place_of[pallet];
            if self.pallets_at[place].len() > 1 && dice.chance(1, 5) {
                let hoist = dice.pick(&self.hoists_at[place]);
                let top = self.lift(pallet, hoist);
                self.drop(top, hoist, place, Some(pallet), dice);
            } else {
                self.trip(place, dice);
            }
        }
    }

    /// A truck collects crates at a place or two, and leaves each at a place where it was not.
    fn trip(&mut self, first: usize, dice: &mut Dice) {
        let truck = dice.below(self.trucks.len());
        let mut carried: Vec<(usize, usize)> = Vec::new();
        let mut left = self.limits[truck];
        for stop in 0..dice.between(1, 2) {
            let place = if stop == 0 { first } else { dice.below(self.places.len()) };
            let most = dice.between(1, 3);
            for _ in 0..most {
                let tops = self.movable(self.pallets_at[place].iter().copied());
                let fitting = tops.into_iter().filter(|&pallet| {
                    self.stacks[pallet].last().is_some_and(|&top| self.weights[top] <= left)
                });
                let fitting: Vec<usize> = fitting.collect();
                if fitting.is_empty() {
                    break;
                }
                self.drive(truck, place);
                let hoist = dice.pick(&self.hoists_at[place]);
                let top = self.lift(dice.pick(&fitting), hoist);
                self.hoist("load", hoist, top, &self.trucks[truck].clone(), place);
                left -= self.weights[top];
                carried.push((top, place));
            }
        }
        while let Some(&(_, origin)) = carried.first() {
            let elsewhere = (origin + dice.between(1, self.places.len() - 1)) % self.places.len();
            self.drive(truck, elsewhere);
            let (here, still): (Vec<_>, Vec<_>) =
                carried.into_iter().partition(|&(_, origin)| origin != elsewhere);
            carried = still;
            for (each, _) in here {
                let hoist = dice.pick(&self.hoists_at[elsewhere]);
                self.hoist("unload", hoist, each, &self.trucks[truck].clone(), elsewhere);
                self.drop(each, hoist, elsewhere, None, dice);
            }
        }
    }

    fn hoist(&mut self, verb: &str, hoist: usize, each: usize, with: &str, place: usize) {
        self.steps.push(format!(
            "{verb} {} {} {with} {}",
            self.hoists[hoist], self.crates[each], self.places[place]
        ));
    }

    fn drive(&mut self, truck: usize, to: usize) {
        let from = std::mem::replace(&mut self.truck_at[truck], to);
        if from != to {
            self.steps.push(format!(
                "drive {} {} {}",
                self.trucks[truck], self.places[from], self.places[to]
            ));
        }
    }

    /// Lifts the top crate, which must be there.
    fn lift(&mut self, pallet: usize, hoist: usize) -> usize {
        let height = self.stacks[pallet].len() - 1;
        let (top, under) = (self.stacks[pallet][height], self.surface(pallet, height).to_owned());
        self.hoist("lift", hoist, top, &under, self.place_of[pallet]);
        self.stacks[pallet].pop();
        self.settled[top] = true;
        top
    }

    /// Drops a lifted crate on a stack other than `but`, rather on none whose top is still to be
    /// moved.
    fn drop(
        &mut self,
        each: usize,
        hoist: usize,
        place: usize,
        but: Option<usize>,
        dice: &mut Dice,
    ) {
        let all: Vec<usize> =
            self.pallets_at[place].iter().copied().filter(|&pallet| Some(pallet) != but).collect();
        let buried = self.movable(all.iter().copied());
        let free: Vec<usize> =
            all.iter().copied().filter(|pallet| !buried.contains(pallet)).collect();
        let pallet = dice.pick(if free.is_empty() { &all } else { &free });
        let under = self.surface(pallet, self.stacks[pallet].len()).to_owned();
        self.hoist("drop", hoist, each, &under, place);
        self.stacks[pallet].push(each);
    }
}
