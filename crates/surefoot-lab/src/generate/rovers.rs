//! Rovers: samples and images that a lander wants to hear of. The plan lets each rover gather and
//! report its own, and never strays farther from the sun than its energy brings it back.

use super::graph::Graph;
use super::{Dice, Generator, ProblemBuilder, Size, Sizes, numbered};

pub static GENERATOR: Generator = Generator {
    name: "rovers",
    title: "Rovers",
    summary: "sample, photograph and report, on energy from the sun",
    text: include_str!("../../domains/rovers/domain.pddl"),
    maps: &[("monotone", include_str!("../../domains/rovers/monotone.json"))],
    sizes: &[
        Size::count(
            "rovers",
            (1, 4),
            (1, 5_000),
            "rovers; what each can traverse grows with the waypoints",
        ),
        Size::count("waypoints", (4, 8), (2, 10_000), "waypoints"),
        Size::count("cameras", (1, 6), (1, 10_000), "cameras"),
        Size::count("objectives", (2, 5), (1, 10_000), "objectives"),
        Size::count(
            "goals",
            (1, 6),
            (1, 10_000),
            "things to report; all there are where they are fewer",
        ),
        Size::amount("energy", (40, 60), (40, 100), "the energy of each rover at the start"),
    ],
    build,
};

const MODES: [&str; 3] = ["colour", "high_res", "low_res"];
const HOP: usize = 8;
/// How far the sun is at most from anywhere, in hops.
const SHADE: usize = 3;
/// Rovers charge to at least this before a way they cannot finish at once: it brings them nearer
/// from one sunny place to the next.
const CHARGED: usize = 81;

#[derive(Clone, Copy)]
enum RoverTask {
    Soil(usize),
    Rock(usize),
    Image { objective: usize, mode: usize, camera: usize },
}

struct Camera {
    rover: usize,
    modes: Vec<usize>,
    target: usize,
}

fn build(sizes: &Sizes, dice: &mut Dice) -> ProblemBuilder {
    let rovers = numbered("rover", sizes.draw("rovers", dice));
    let waypoints = numbered("waypoint", sizes.draw("waypoints", dice));
    let objectives = numbered("objective", sizes.draw("objectives", dice));
    let sight = Graph::connected(waypoints.len(), waypoints.len(), dice);
    let tracks: Vec<Graph> = rovers.iter().map(|_| sight.thinned(dice)).collect();
    let mut sunny: Vec<usize> = (0..waypoints.len()).filter(|_| dice.chance(1, 2)).collect();
    for track in &tracks {
        while let Some(shade) =
            track.distances(&sunny).iter().position(|&distance| distance > SHADE)
        {
            sunny.push(shade);
        }
    }
    let lander = dice.below(waypoints.len());
    let for_soil = equipped(rovers.len(), dice);
    let for_rock = equipped(rovers.len(), dice);
    let for_imaging = equipped(rovers.len(), dice);
    let mut cameras = Vec::new();
    for _ in 0..sizes.draw("cameras", dice) {
        let count = dice.between(1, MODES.len());
        let mut modes = dice.sample((0..MODES.len()).collect(), count);
        modes.sort_unstable();
        cameras.push(Camera {
            rover: dice.pick(&for_imaging),
            modes,
            target: dice.below(objectives.len()),
        });
    }
    let seen_from: Vec<Vec<usize>> = objectives
        .iter()
        .map(|_| {
            let count = dice.between(1, 4);
            dice.sample((0..waypoints.len()).collect(), count)
        })
        .collect();
    let soil: Vec<usize> = (0..waypoints.len()).filter(|_| dice.chance(1, 2)).collect();
    let rock: Vec<usize> = (0..waypoints.len()).filter(|_| dice.chance(1, 2)).collect();

    let mut images = Vec::new();
    for mode in 0..MODES.len() {
        let able: Vec<usize> =
            (0..cameras.len()).filter(|&camera| cameras[camera].modes.contains(&mode)).collect();
        if !able.is_empty() {
            images.extend((0..objectives.len()).map(|objective| RoverTask::Image {
                objective,
                mode,
                camera: dice.pick(&able),
            }));
        }
    }
    let count = sizes.draw("goals", dice);
    let mut kinds = [
        soil.iter().map(|&at| RoverTask::Soil(at)).collect(),
        rock.iter().map(|&at| RoverTask::Rock(at)).collect(),
        images,
    ];
    kinds.iter_mut().for_each(|tasks| dice.shuffle(tasks));
    let mut tasks: Vec<RoverTask> = Vec::new();
    while tasks.len() < count && kinds.iter().any(|tasks| !tasks.is_empty()) {
        tasks.extend(kinds[dice.below(3)].pop());
    }

    let mut scene = ProblemBuilder::default();
    scene.objects("lander", &["general".to_owned()]);
    scene.objects("mode", &MODES.map(str::to_owned));
    scene.objects("rover", &rovers);
    scene.objects("store", &rovers.iter().map(|rover| format!("{rover}store")).collect::<Vec<_>>());
    scene.objects("waypoint", &waypoints);
    scene.objects("camera", &numbered("camera", cameras.len()));
    scene.objects("objective", &objectives);
    for (one, other) in sight.edges() {
        scene.atom(format!("visible waypoint{one} waypoint{other}"));
        scene.atom(format!("visible waypoint{other} waypoint{one}"));
    }
    scene.atom(format!("at_lander general waypoint{lander}"));
    scene.atom("channel_free general");
    mark(&mut scene, "in_sun", &sunny);
    mark(&mut scene, "at_soil_sample", &soil);
    mark(&mut scene, "at_rock_sample", &rock);
    for (index, places) in seen_from.iter().enumerate() {
        mark(&mut scene, &format!("visible_from objective{index}"), places);
    }
    for (kind, able) in
        [("soil_analysis", &for_soil), ("rock_analysis", &for_rock), ("imaging", &for_imaging)]
    {
        able.iter().for_each(|rover| scene.atom(format!("equipped_for_{kind} rover{rover}")));
    }
    for (index, camera) in cameras.iter().enumerate() {
        scene.atom(format!("on_board camera{index} rover{}", camera.rover));
        scene.atom(format!("calibration_target camera{index} objective{}", camera.target));
        camera
            .modes
            .iter()
            .for_each(|&mode| scene.atom(format!("supports camera{index} {}", MODES[mode])));
    }
    scene.value("recharges", 0);
    scene.minimize("(recharges)");

    let mut charges: Vec<Vec<RoverTask>> = vec![Vec::new(); rovers.len()];
    for &task in &tasks {
        let (rover, goal) = match task {
            RoverTask::Soil(at) => {
                (dice.pick(&for_soil), format!("communicated_soil_data waypoint{at}"))
            }
            RoverTask::Rock(at) => {
                (dice.pick(&for_rock), format!("communicated_rock_data waypoint{at}"))
            }
            RoverTask::Image { objective, mode, camera } => (
                cameras[camera].rover,
                format!("communicated_image_data objective{objective} {}", MODES[mode]),
            ),
        };
        charges[rover].push(task);
        scene.goal(goal);
    }
    let mut logs = Vec::new();
    for (index, (track, mut tasks)) in tracks.iter().zip(charges).enumerate() {
        let (at, energy) = (dice.below(waypoints.len()), sizes.draw("energy", dice));
        scene.atom(format!("at rover{index} waypoint{at}"));
        scene.atom(format!("available rover{index}"));
        scene.atom(format!("store_of rover{index}store rover{index}"));
        scene.atom(format!("empty rover{index}store"));
        for (one, other) in track.edges() {
            scene.atom(format!("can_traverse rover{index} waypoint{one} waypoint{other}"));
            scene.atom(format!("can_traverse rover{index} waypoint{other} waypoint{one}"));
        }
        scene.value(format!("energy rover{index}"), energy);
        let to_sun = track.distances(&sunny);
        let mut rover = Rover {
            name: &rovers[index],
            track,
            to_sun,
            at,
            energy,
            full: false,
            steps: Vec::new(),
        };
        while !tasks.is_empty() {
            let round = tasks.split_off(tasks.len() - dice.between(1, 4).min(tasks.len()));
            for task in &round {
                rover.gather(task, &cameras, &seen_from, dice);
            }
            for task in &round {
                rover.report(task, lander, &sight.neighbours[lander], dice);
            }
        }
        logs.push(rover.steps);
    }
    scene.steps(dice.interleave(logs));
    scene
}

/// Some rovers, at least one.
fn equipped(rovers: usize, dice: &mut Dice) -> Vec<usize> {
    let some: Vec<usize> = (0..rovers).filter(|_| dice.chance(3, 5)).collect();
    if some.is_empty() { vec![dice.below(rovers)] } else { some }
}

/// Says the same of several waypoints.
fn mark(scene: &mut ProblemBuilder, name: &str, waypoints: &[usize]) {
    waypoints.iter().for_each(|waypoint| scene.atom(format!("{name} waypoint{waypoint}")));
}

struct Rover<'a> {
    name: &'a str,
    track: &'a Graph,
    /// How far the sun is from each waypoint. The energy always suffices to get there.
    to_sun: Vec<usize>,
    at: usize,
    energy: usize,
    full: bool,
    steps: Vec<String>,
}

impl Rover<'_> {
    fn spend(&mut self, energy: usize, step: String) {
        self.energy -= energy;
        self.steps.push(step);
    }

    fn navigate(&mut self, to: usize) {
        let from = std::mem::replace(&mut self.at, to);
        self.spend(HOP, format!("navigate {} waypoint{from} waypoint{to}", self.name));
    }

    /// Goes to the nearest sunny place and charges to at least what is enough there, or full.
    fn charge(&mut self, enough: impl Fn(&Self) -> usize) {
        for next in self.track.descend(&self.to_sun, self.at) {
            self.navigate(next);
        }
        let enough = enough(self).min(CHARGED);
        while self.energy < enough {
            self.energy += 20;
            self.steps.push(format!("recharge {} waypoint{}", self.name, self.at));
        }
    }

    /// Goes to the nearest of some places.
    fn go(&mut self, places: &[usize], dice: &mut Dice) {
        let distances = self.track.distances(places);
        while distances[self.at] > 0 {
            let next = self.track.descend(&distances, self.at)[0];
            if self.energy >= HOP * (1 + self.to_sun[next]) {
                self.navigate(next);
            } else {
                let spare = dice.between(6, 30);
                self.charge(|rover| {
                    let end = rover
                        .track
                        .descend(&distances, rover.at)
                        .last()
                        .copied()
                        .unwrap_or(rover.at);
                    HOP * (distances[rover.at] + rover.to_sun[end]) + spare
                });
            }
        }
        if self.to_sun[self.at] == 0 && self.energy < CHARGED && dice.chance(1, 12) {
            let more = self.energy + 1;
            self.charge(|_| more);
        }
    }

    /// Sees to it that something can be done here, and the sun still be reached.
    fn prepare(&mut self, cost: usize, dice: &mut Dice) {
        if self.energy < cost + HOP * self.to_sun[self.at] {
            let here = self.at;
            self.charge(|_| CHARGED);
            self.go(&[here], dice);
        }
    }

    fn gather(
        &mut self,
        task: &RoverTask,
        cameras: &[Camera],
        seen_from: &[Vec<usize>],
        dice: &mut Dice,
    ) {
        let name = self.name;
        let (kind, place, cost) = match *task {
            RoverTask::Soil(at) => ("soil", at, 3),
            RoverTask::Rock(at) => ("rock", at, 5),
            RoverTask::Image { objective, mode, camera } => {
                let target = cameras[camera].target;
                self.go(&seen_from[target], dice);
                self.prepare(2, dice);
                self.spend(
                    2,
                    format!(
                        "calibrate {name} camera{camera} objective{target} waypoint{}",
                        self.at
                    ),
                );
                self.go(&seen_from[objective], dice);
                self.prepare(1, dice);
                let mode = MODES[mode];
                self.spend(
                    1,
                    format!(
                        "take_image {name} waypoint{} objective{objective} camera{camera} {mode}",
                        self.at
                    ),
                );
                return;
            }
        };
        self.go(&[place], dice);
        self.prepare(cost, dice);
        if self.full {
            self.steps.push(format!("drop {name} {name}store"));
        }
        self.full = true;
        self.spend(cost, format!("sample_{kind} {name} {name}store waypoint{place}"));
    }

    fn report(&mut self, task: &RoverTask, lander: usize, near_lander: &[usize], dice: &mut Dice) {
        let (what, cost) = match *task {
            RoverTask::Soil(at) => (("soil", format!("waypoint{at}")), 4),
            RoverTask::Rock(at) => (("rock", format!("waypoint{at}")), 4),
            RoverTask::Image { objective, mode, .. } => {
                (("image", format!("objective{objective} {}", MODES[mode])), 6)
            }
        };
        self.go(near_lander, dice);
        self.prepare(cost, dice);
        let (kind, what) = what;
        let (name, at) = (self.name, self.at);
        self.spend(
            cost,
            format!("communicate_{kind}_data {name} general {what} waypoint{at} waypoint{lander}"),
        );
    }
}
