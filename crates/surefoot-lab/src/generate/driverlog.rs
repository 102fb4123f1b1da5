//! Driverlog: packages, trucks and drivers with destinations. The plan fetches a driver for each
//! tour, collects and delivers.

use super::graph::Graph;
use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered_from_one};

pub static GENERATOR: Generator = Generator {
    name: "driverlog",
    title: "Driverlog-L",
    summary: "deliver packages with trucks that need drivers (Driverlog-L)",
    text: include_str!("../../domains/driverlog/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/driverlog/monotone.json"))],
    sizes: &SIZES,
    build: |sizes, dice| build(sizes, dice, &Flavour::Times),
};

/// What both driverlogs can vary.
pub const SIZES: [Size; 5] = [
    Size::count("drivers", (2, 5), (1, 10_000), "drivers"),
    Size::count("trucks", (2, 8), (1, 10_000), "trucks"),
    Size::count("packages", (2, 14), (1, 100_000), "packages"),
    Size::count(
        "junctions",
        (3, 13),
        (2, 100_000),
        "places where roads meet; footpaths have places of their own between them",
    ),
    Size::amount("time", (1, 100), (1, 1_000_000), "how long each road and footpath takes"),
];

/// What is counted on the way.
pub enum Flavour {
    /// The times driven and walked.
    Times,
    /// The fuel that is burnt.
    Fuel,
}

pub fn build(sizes: &Sizes, dice: &mut Dice, flavour: &Flavour) -> ProblemBuilder {
    let junctions = sizes.draw("junctions", dice);
    let roads = Graph::connected(junctions, junctions, dice);
    let paths = Graph::connected(junctions, junctions / 3, dice);
    let drivers = numbered_from_one("driver", sizes.draw("drivers", dice));
    let trucks = numbered_from_one("truck", sizes.draw("trucks", dice));
    let packages = numbered_from_one("package", sizes.draw("packages", dice));
    let mut fleet = Fleet {
        driver_at: somewhere(drivers.len(), junctions, dice),
        truck_at: somewhere(trucks.len(), junctions, dice),
        driving: vec![None; drivers.len()],
        driven_by: vec![None; trucks.len()],
        steps: Vec::new(),
        drivers,
        trucks,
        roads,
        paths,
    };
    let origins = somewhere(packages.len(), junctions, dice);
    let mut scene = ProblemBuilder::default();
    fleet.describe(&mut scene, sizes, dice, flavour);
    scene.objects("obj", &packages);
    let mut orders = Vec::new();
    for (index, (package, &from)) in packages.iter().zip(&origins).enumerate() {
        scene.atom(format!("at {package} s{from}"));
        // The first always moves, so that there is something to do.
        let to = if index > 0 && dice.chance(1, 8) {
            from
        } else {
            (from + dice.between(1, junctions - 1)) % junctions
        };
        if from != to {
            orders.push(Order { package, from, to });
        }
        scene.goal(format!("at {package} s{to}"));
    }
    dice.shuffle(&mut orders);
    while !orders.is_empty() {
        let tour = orders.split_off(orders.len() - dice.between(1, 4).min(orders.len()));
        fleet.tour(tour, dice);
    }
    for truck in 0..fleet.trucks.len() {
        if dice.chance(1, 2) {
            let to = if dice.chance(1, 4) { fleet.truck_at[truck] } else { dice.below(junctions) };
            fleet.bring(truck, to, dice);
            scene.goal(format!("at {} s{to}", fleet.trucks[truck]));
        }
    }
    for driver in 0..fleet.drivers.len() {
        if dice.chance(1, 2) {
            fleet.leave(driver);
            let to =
                if dice.chance(1, 2) { fleet.driver_at[driver] } else { dice.below(junctions) };
            fleet.walk(driver, to);
            scene.goal(format!("at {} s{to}", fleet.drivers[driver]));
        }
    }
    scene.steps(fleet.steps);
    scene
}

struct Order<'a> {
    package: &'a str,
    from: usize,
    to: usize,
}

struct Fleet {
    roads: Graph,
    paths: Graph,
    drivers: Vec<String>,
    trucks: Vec<String>,
    /// Where a driver is who drives no truck.
    driver_at: Vec<usize>,
    driving: Vec<Option<usize>>,
    truck_at: Vec<usize>,
    driven_by: Vec<Option<usize>>,
    steps: Vec<String>,
}

/// A junction for each of so many.
fn somewhere(count: usize, junctions: usize, dice: &mut Dice) -> Vec<usize> {
    (0..count).map(|_| dice.below(junctions)).collect()
}

/// The weight of a term in what is to be minimized.
fn weight(dice: &mut Dice) -> usize {
    dice.between(1, 5)
}

/// A way that can be gone in both directions, in this time where a function says it.
fn both_ways(
    scene: &mut ProblemBuilder,
    relation: &str,
    function: Option<&str>,
    [one, other]: [&str; 2],
    time: usize,
) {
    for (from, to) in [(one, other), (other, one)] {
        scene.atom(format!("{relation} {from} {to}"));
        if let Some(function) = function {
            scene.value(format!("{function} {from} {to}"), time);
        }
    }
}

/// The place on a footpath, one for both directions.
fn halfway(one: usize, other: usize) -> String {
    format!("p{}-{}", one.min(other), one.max(other))
}

impl Fleet {
    fn describe(
        &self,
        scene: &mut ProblemBuilder,
        sizes: &Sizes,
        dice: &mut Dice,
        flavour: &Flavour,
    ) {
        scene.objects("driver", &self.drivers);
        scene.objects("truck", &self.trucks);
        scene.objects("location", &super::numbered("s", self.roads.neighbours.len()));
        scene.objects(
            "location",
            &self.paths.edges().map(|(one, other)| halfway(one, other)).collect::<Vec<_>>(),
        );
        for (driver, at) in self.drivers.iter().zip(&self.driver_at) {
            scene.atom(format!("at {driver} s{at}"));
        }
        for (truck, at) in self.trucks.iter().zip(&self.truck_at) {
            scene.atom(format!("at {truck} s{at}"));
            scene.atom(format!("empty {truck}"));
            if matches!(flavour, Flavour::Fuel) {
                scene.value(format!("load {truck}"), 0);
                scene.value(format!("fuel-per-minute {truck}"), sizes.draw("burn", dice));
            }
        }
        let on_foot = matches!(flavour, Flavour::Times).then_some("time-to-walk");
        for (one, other) in self.paths.edges() {
            let between = halfway(one, other);
            for end in [one, other] {
                both_ways(
                    scene,
                    "path",
                    on_foot,
                    [&format!("s{end}"), &between],
                    sizes.draw("time", dice),
                );
            }
        }
        for (one, other) in self.roads.edges() {
            let ends = [&*format!("s{one}"), &*format!("s{other}")];
            both_ways(scene, "link", Some("time-to-drive"), ends, sizes.draw("time", dice));
        }
        match flavour {
            Flavour::Times => {
                scene.value("driven", 0);
                scene.value("walked", 0);
                let (total, driven, walked) = (weight(dice), weight(dice), weight(dice));
                scene.minimize(format!(
                    "(+ (+ (* {total} (total-time)) (* {driven} (driven))) (* {walked} (walked)))"
                ));
            }
            Flavour::Fuel => {
                scene.value("fuel-used", 0);
                let (total, fuel) = (weight(dice), weight(dice));
                scene.minimize(format!("(+ (* {total} (total-time)) (* {fuel} (fuel-used)))"));
            }
        }
    }

    /// A truck collects all, then delivers all, the nearest first; what is on board and for here is
    /// unloaded on the way.
    fn tour(&mut self, orders: Vec<Order>, dice: &mut Dice) {
        let truck = dice.below(self.trucks.len());
        let (mut waiting, mut aboard) = (orders, Vec::new());
        loop {
            let at = self.truck_at[truck];
            for order in aboard.extract_if(.., |order: &mut Order| order.to == at) {
                self.steps
                    .push(format!("unload-truck {} {} s{at}", order.package, self.trucks[truck]));
            }
            for order in waiting.extract_if(.., |order| order.from == at) {
                self.steps
                    .push(format!("load-truck {} {} s{at}", order.package, self.trucks[truck]));
                aboard.push(order);
            }
            let distances = self.roads.distances(&[at]);
            let stops = waiting.iter().map(|order| order.from);
            let next = stops.min_by_key(|&stop| distances[stop]);
            let next = next.or_else(|| {
                aboard.iter().map(|order| order.to).min_by_key(|&stop| distances[stop])
            });
            let Some(next) = next else { break };
            self.bring(truck, next, dice);
        }
        if let Some(driver) = self.driven_by[truck]
            && dice.chance(1, 2)
        {
            self.leave(driver);
        }
    }

    /// Drives a truck somewhere, with whoever drives it, or somebody who comes for it.
    fn bring(&mut self, truck: usize, to: usize, dice: &mut Dice) {
        if self.truck_at[truck] == to {
            return;
        }
        let driver = match self.driven_by[truck] {
            Some(driver) => driver,
            None => self.summon(truck, dice),
        };
        for next in self.roads.way(self.truck_at[truck], to) {
            let from = std::mem::replace(&mut self.truck_at[truck], next);
            self.steps.push(format!(
                "drive-truck {} s{from} s{next} {}",
                self.trucks[truck], self.drivers[driver]
            ));
        }
    }

    /// Somebody walks to a truck and boards it: mostly the nearest who is free.
    fn summon(&mut self, truck: usize, dice: &mut Dice) -> usize {
        let at = self.truck_at[truck];
        let free: Vec<usize> =
            (0..self.drivers.len()).filter(|&driver| self.driving[driver].is_none()).collect();
        let driver = if free.is_empty() {
            dice.below(self.drivers.len())
        } else if dice.chance(1, 4) {
            dice.pick(&free)
        } else {
            let distances = self.paths.distances(&[at]);
            free.iter()
                .copied()
                .min_by_key(|&driver| distances[self.driver_at[driver]])
                .unwrap_or(free[0])
        };
        self.leave(driver);
        self.walk(driver, at);
        self.driving[driver] = Some(truck);
        self.driven_by[truck] = Some(driver);
        self.steps
            .push(format!("board-truck {} {} s{at}", self.drivers[driver], self.trucks[truck]));
        driver
    }

    /// Lets a driver leave the truck, if in one.
    fn leave(&mut self, driver: usize) {
        if let Some(truck) = self.driving[driver].take() {
            let at = self.truck_at[truck];
            self.driven_by[truck] = None;
            self.driver_at[driver] = at;
            self.steps.push(format!(
                "disembark-truck {} {} s{at}",
                self.drivers[driver], self.trucks[truck]
            ));
        }
    }

    fn walk(&mut self, driver: usize, to: usize) {
        for next in self.paths.way(self.driver_at[driver], to) {
            let from = std::mem::replace(&mut self.driver_at[driver], next);
            let (name, between) = (&self.drivers[driver], halfway(from, next));
            self.steps.push(format!("walk {name} s{from} {between}"));
            self.steps.push(format!("walk {name} {between} s{next}"));
        }
    }
}
