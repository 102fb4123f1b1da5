//! Zenotravel: persons with destinations. The plan lets each aircraft collect and deliver its own,
//! refuelling when it must.

use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered, numbered_from_one};

pub static GENERATOR: Generator = Generator {
    name: "zenotravel",
    title: "Zenotravel",
    summary: "fly persons between cities, slowly or fast, and refuel",
    text: include_str!("../../domains/zenotravel/domain.pddl"),
    maps: &[
        ("monotone", include_str!("../../domains/zenotravel/monotone.json")),
        ("relevant", include_str!("../../domains/zenotravel/relevant.json")),
    ],
    sizes: &[
        Size::count("aircraft", (1, 5), (1, 10_000), "aircraft"),
        Size::count("persons", (2, 10), (1, 100_000), "persons"),
        Size::count("cities", (3, 10), (2, 2_000), "cities; the distances grow with their square"),
        Size::amount("distance", (500, 999), (1, 100_000), "between each two cities"),
        Size::amount(
            "burn",
            (1, 5),
            (1, 1_000),
            "fuel each aircraft burns for a unit of distance, slowly; fast is two to four times \
             that",
        ),
        Size::amount(
            "zoom-limit",
            (1, 10),
            (0, 1_000_000),
            "how many may be on board each aircraft when it flies fast",
        ),
    ],
    build,
};

struct Aircraft<'a> {
    name: String,
    at: usize,
    slow: usize,
    fast: usize,
    capacity: usize,
    fuel: usize,
    zoom_limit: usize,
    aboard: Vec<Traveller<'a>>,
    steps: Vec<String>,
}

struct Traveller<'a> {
    name: &'a str,
    from: usize,
    to: usize,
}

struct Airways {
    distances: Vec<Vec<usize>>,
}

impl Airways {
    /// The first of the cities that are nearest to one.
    fn nearest(&self, at: usize, cities: impl Iterator<Item = usize>) -> Option<usize> {
        cities.min_by_key(|&city| self.distances[at][city])
    }
}

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let planes = numbered_from_one("plane", sizes.draw("aircraft", dice));
    let persons = numbered_from_one("person", sizes.draw("persons", dice));
    let cities = numbered("city", sizes.draw("cities", dice));
    let mut map = Airways { distances: vec![vec![0; cities.len()]; cities.len()] };
    for one in 0..cities.len() {
        for other in 0..one {
            let distance = sizes.draw("distance", dice);
            map.distances[one][other] = distance;
            map.distances[other][one] = distance;
        }
    }
    let longest = map.distances.iter().flatten().copied().max().unwrap_or(0);

    let mut scene = ProblemBuilder::default();
    scene.objects("aircraft", &planes);
    scene.objects("person", &persons);
    scene.objects("city", &cities);
    let mut fleet = Vec::new();
    for name in planes {
        let slow = sizes.draw("burn", dice);
        // Enough for two to three of the longest flights, flown slowly.
        let capacity = slow * (2 * longest + dice.below(longest + 100));
        let plane = Aircraft {
            at: dice.below(cities.len()),
            slow,
            fast: dice.between(2 * slow, 4 * slow),
            capacity,
            fuel: dice.below(capacity / 2),
            zoom_limit: sizes.draw("zoom-limit", dice),
            aboard: Vec::new(),
            steps: Vec::new(),
            name,
        };
        let name = &plane.name;
        scene.atom(format!("at {name} city{}", plane.at));
        scene.value(format!("capacity {name}"), plane.capacity);
        scene.value(format!("fuel {name}"), plane.fuel);
        scene.value(format!("slow-burn {name}"), plane.slow);
        scene.value(format!("fast-burn {name}"), plane.fast);
        scene.value(format!("onboard {name}"), 0);
        scene.value(format!("zoom-limit {name}"), plane.zoom_limit);
        fleet.push(plane);
    }
    let mut bookings: Vec<Vec<Traveller>> = fleet.iter().map(|_| Vec::new()).collect();
    for (index, name) in persons.iter().enumerate() {
        let from = dice.below(cities.len());
        // The first always travels, so that there is something to do.
        let stays = index > 0 && dice.chance(1, 6);
        let to =
            if stays { from } else { (from + dice.between(1, cities.len() - 1)) % cities.len() };
        scene.atom(format!("at {name} city{from}"));
        scene.goal(format!("at {name} city{to}"));
        if !stays {
            bookings[dice.below(fleet.len())].push(Traveller { name, from, to });
        }
    }
    for (one, row) in map.distances.iter().enumerate() {
        for (other, distance) in row.iter().enumerate() {
            scene.value(format!("distance city{one} city{other}"), distance);
        }
    }
    scene.value("total-fuel-used", 0);
    let (time, fuel) = (dice.between(1, 5), dice.between(1, 5));
    scene.minimize(format!("(+ (* {time} (total-time)) (* {fuel} (total-fuel-used)))"));

    let mut logs = Vec::new();
    for (mut plane, mut booked) in fleet.into_iter().zip(bookings) {
        while !booked.is_empty() {
            let wave = booked.split_off(booked.len() - dice.between(2, 6).min(booked.len()));
            plane.tour(wave, &map, dice);
        }
        if dice.chance(1, 4) {
            let to = dice.below(cities.len());
            plane.fly(to, &map, dice);
            scene.goal(format!("at {} city{to}", plane.name));
        }
        logs.push(plane.steps);
    }
    scene.steps(dice.interleave(logs));
    scene
}

impl Aircraft<'_> {
    fn say(&mut self, verb: &str, person: &str) {
        self.steps.push(format!("{verb} {person} {} city{}", self.name, self.at));
    }

    fn refuel(&mut self) {
        self.fuel = self.capacity;
        self.steps.push(format!("refuel {} city{}", self.name, self.at));
    }

    /// Flies, fast where that is possible and it occurs to the pilot.
    fn fly(&mut self, to: usize, map: &Airways, dice: &mut Dice) {
        if to == self.at {
            return;
        }
        let distance = map.distances[self.at][to];
        let hurried = self.aboard.len() <= self.zoom_limit
            && self.capacity >= distance * self.fast
            && dice.chance(1, 4);
        let (verb, burnt) =
            if hurried { ("zoom", distance * self.fast) } else { ("fly", distance * self.slow) };
        if self.fuel < burnt || (self.fuel < self.capacity && dice.chance(1, 8)) {
            self.refuel();
        }
        self.fuel -= burnt;
        self.steps.push(format!("{verb} {} city{} city{to}", self.name, self.at));
        self.at = to;
    }
}

impl<'a> Aircraft<'a> {
    /// Collects all, then delivers all, the nearest first; whoever is where they want to be leaves
    /// on the way.
    fn tour(&mut self, mut waiting: Vec<Traveller<'a>>, map: &Airways, dice: &mut Dice) {
        loop {
            let at = self.at;
            for traveller in
                self.aboard.extract_if(.., |traveller| traveller.to == at).collect::<Vec<_>>()
            {
                self.say("debark", traveller.name);
            }
            for traveller in waiting.extract_if(.., |traveller| traveller.from == at) {
                self.say("board", traveller.name);
                self.aboard.push(traveller);
            }
            let next = map.nearest(at, waiting.iter().map(|traveller| traveller.from));
            match next.or_else(|| map.nearest(at, self.aboard.iter().map(|traveller| traveller.to)))
            {
                Some(next) => self.fly(next, map, dice),
                None => return,
            }
        }
    }
}
