//! Satellite: images to be taken. The plan turns by the stopovers that take least fuel; tanks hold
//! what that takes, and more.

use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered};

pub static GENERATOR: Generator = Generator {
    name: "satellite",
    title: "Satellite",
    summary: "turn satellites, calibrate instruments and take images",
    text: include_str!("../../domains/satellite/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/satellite/monotone.json"))],
    sizes: &[
        Size::count("satellites", (1, 5), (1, 10_000), "satellites"),
        Size::amount("instruments", (1, 3), (1, 100), "instruments on board of each satellite"),
        Size::amount("modes", (3, 5), (1, 1_000), "modes"),
        Size::count(
            "stars",
            (2, 4),
            (1, 500),
            "directions to calibrate at; the slew times grow with the square of all directions",
        ),
        Size::count("targets", (4, 12), (1, 2_000), "directions to take images of"),
        Size::count(
            "images",
            (2, 12),
            (1, 100_000),
            "images wanted; all there can be where they are fewer",
        ),
        Size::amount(
            "fuel",
            (100, 200),
            (0, 1_000_000),
            "the fuel of each satellite; raised to what its turns take",
        ),
        Size::amount(
            "capacity",
            (1000, 1000),
            (0, 1_000_000),
            "the memory of each satellite; raised to what its images take",
        ),
        Size::amount("data", (1, 300), (0, 1_000_000), "the size of each image"),
    ],
    build,
};

/// Slew times are below this many thousandths.
const LONGEST: usize = 100_000;
/// How many stopovers a turn considers: in a sky of thousands the best of a few is as good.
const STOPOVERS: usize = 40;

struct Instrument {
    name: String,
    satellite: usize,
    modes: Vec<usize>,
    star: usize,
}

struct Sky {
    directions: Vec<String>,
    /// Slew times in thousandths, by direction and direction.
    slews: Vec<Vec<usize>>,
}

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let satellites = numbered("satellite", sizes.draw("satellites", dice));
    let modes: Vec<String> = (0..sizes.draw("modes", dice))
        .map(|index| {
            format!("{}{index}", dice.pick(&["thermograph", "infrared", "spectrograph", "image"]))
        })
        .collect();
    let stars = sizes.draw("stars", dice);
    let mut directions: Vec<String> = (0..stars)
        .map(|index| format!("{}{index}", dice.pick(&["Star", "GroundStation"])))
        .collect();
    let targets = sizes.draw("targets", dice);
    directions.extend(
        (stars..stars + targets)
            .map(|index| format!("{}{index}", dice.pick(&["Star", "Planet", "Phenomenon"]))),
    );
    let mut sky = Sky { slews: vec![vec![0; directions.len()]; directions.len()], directions };
    for one in 0..sky.directions.len() {
        for other in 0..one {
            // The smaller of two draws: many short turns, some long ones.
            let slew = dice.between(1, LONGEST - 1).min(dice.between(1, LONGEST - 1));
            sky.slews[one][other] = slew;
            sky.slews[other][one] = slew;
        }
    }
    let mut instruments = Vec::new();
    for satellite in 0..satellites.len() {
        for _ in 0..sizes.draw("instruments", dice) {
            let count = dice.between(1, modes.len().min(3));
            let mut supported = dice.sample((0..modes.len()).collect(), count);
            supported.sort_unstable();
            let name = format!("instrument{}", instruments.len());
            instruments.push(Instrument {
                name,
                satellite,
                modes: supported,
                star: dice.below(stars),
            });
        }
    }
    let mut able: Vec<Vec<usize>> = vec![Vec::new(); modes.len()];
    for (index, instrument) in instruments.iter().enumerate() {
        instrument.modes.iter().for_each(|&mode| able[mode].push(index));
    }
    let data: Vec<Vec<usize>> =
        (0..targets).map(|_| modes.iter().map(|_| sizes.draw("data", dice)).collect()).collect();

    let mut scene = ProblemBuilder::default();
    scene.objects("satellite", &satellites);
    scene.objects("instrument", instruments.iter().map(|instrument| &instrument.name));
    scene.objects("mode", &modes);
    scene.objects("direction", &sky.directions);
    for Instrument { name, satellite, modes: supported, star } in &instruments {
        scene.atom(format!("on_board {name} {}", satellites[*satellite]));
        scene.atom(format!("calibration_target {name} {}", sky.directions[*star]));
        supported.iter().for_each(|&mode| scene.atom(format!("supports {name} {}", modes[mode])));
    }

    let possible = (0..targets).flat_map(|target| (0..modes.len()).map(move |mode| (target, mode)));
    let possible: Vec<(usize, usize)> =
        possible.filter(|&(_, mode)| !able[mode].is_empty()).collect();
    let count = sizes.draw("images", dice);
    let mut work: Vec<Vec<(usize, usize)>> = vec![Vec::new(); instruments.len()];
    for (target, mode) in dice.sample(possible, count) {
        work[dice.pick(&able[mode])].push((target, mode));
        scene.goal(format!("have_image {} {}", sky.directions[stars + target], modes[mode]));
    }
    let mut logs = Vec::new();
    for (index, name) in satellites.iter().enumerate() {
        let mut satellite = Satellite {
            name,
            pointing: dice.below(sky.directions.len()),
            used: 0,
            steps: Vec::new(),
        };
        scene.atom(format!("power_avail {name}"));
        scene.atom(format!("pointing {name} {}", sky.directions[satellite.pointing]));
        let busy = (0..instruments.len())
            .filter(|&each| instruments[each].satellite == index && !work[each].is_empty());
        let mut busy: Vec<usize> = busy.collect();
        dice.shuffle(&mut busy);
        let mut stored = 0;
        for (turn, &each) in busy.iter().enumerate() {
            let instrument = &instruments[each];
            if turn > 0 {
                satellite
                    .steps
                    .push(format!("switch_off {} {name}", instruments[busy[turn - 1]].name));
            }
            let switch_on = format!("switch_on {} {name}", instrument.name);
            if dice.chance(1, 2) {
                satellite.steps.push(switch_on);
                satellite.turn(instrument.star, &sky, dice);
            } else {
                satellite.turn(instrument.star, &sky, dice);
                satellite.steps.push(switch_on);
            }
            satellite.steps.push(format!(
                "calibrate {name} {} {}",
                instrument.name, sky.directions[instrument.star]
            ));
            for &(target, mode) in &work[each] {
                satellite.turn(stars + target, &sky, dice);
                let direction = &sky.directions[stars + target];
                satellite.steps.push(format!(
                    "take_image {name} {direction} {} {}",
                    instrument.name, modes[mode]
                ));
                stored += data[target][mode];
            }
        }
        if dice.chance(1, 4) {
            let last = dice.below(sky.directions.len());
            satellite.turn(last, &sky, dice);
            scene.goal(format!("pointing {name} {}", sky.directions[last]));
        }
        let spare = dice.below(30);
        scene.value(
            format!("fuel {name}"),
            sizes.draw("fuel", dice).max(satellite.used.div_ceil(1000) + spare),
        );
        scene.value(format!("data_capacity {name}"), sizes.draw("capacity", dice).max(stored));
        logs.push(satellite.steps);
    }
    for (target, row) in data.iter().enumerate() {
        for (mode, size) in modes.iter().zip(row) {
            scene.value(format!("data {} {mode}", sky.directions[stars + target]), size);
        }
    }
    for (one, row) in sky.slews.iter().enumerate() {
        for (other, slew) in row.iter().enumerate().filter(|&(other, _)| other != one) {
            let (from, to) = (&sky.directions[one], &sky.directions[other]);
            scene.value(
                format!("slew_time {from} {to}"),
                format!("{}.{:03}", slew / 1000, slew % 1000),
            );
        }
    }
    scene.value("data-stored", 0);
    scene.value("fuel-used", 0);
    scene.minimize("(fuel-used)");
    scene.steps(dice.interleave(logs));
    scene
}

struct Satellite<'a> {
    name: &'a str,
    pointing: usize,
    /// The fuel that was used, in thousandths.
    used: usize,
    steps: Vec<String>,
}

impl Satellite<'_> {
    /// Turns to a direction, by way of others where that takes less fuel.
    fn turn(&mut self, to: usize, sky: &Sky, dice: &mut Dice) {
        for next in sky.way(self.pointing, to, dice) {
            let (new, old) = (&sky.directions[next], &sky.directions[self.pointing]);
            self.steps.push(format!("turn_to {} {new} {old}", self.name));
            self.used += sky.slews[next][self.pointing];
            self.pointing = next;
        }
    }
}

impl Sky {
    /// The directions after `from` on the way to `to` that takes least, by some stopovers.
    fn way(&self, from: usize, to: usize, dice: &mut Dice) -> Vec<usize> {
        if from == to {
            return Vec::new();
        }
        let all = self.directions.len();
        let mut stops = vec![to, from];
        if all <= STOPOVERS {
            stops.extend((0..all).filter(|&stop| stop != from && stop != to));
        } else {
            while stops.len() < STOPOVERS {
                let stop = dice.below(all);
                if !stops.contains(&stop) {
                    stops.push(stop);
                }
            }
        }
        // From the end backwards (Dijkstra's algorithm): `next` is what to turn to from each stop.
        let mut costs = vec![usize::MAX; stops.len()];
        let mut next = vec![0; stops.len()];
        let mut open = vec![true; stops.len()];
        costs[0] = 0;
        while let Some(near) =
            (0..stops.len()).filter(|&stop| open[stop]).min_by_key(|&stop| costs[stop])
        {
            open[near] = false;
            for stop in 0..stops.len() {
                let cost = costs[near] + self.slews[stops[stop]][stops[near]];
                if open[stop] && cost < costs[stop] {
                    (costs[stop], next[stop]) = (cost, near);
                }
            }
        }
        let mut way = Vec::new();
        let mut stop = 1;
        while stop != 0 {
            stop = next[stop];
            way.push(stops[stop]);
        }
        way
    }
}
