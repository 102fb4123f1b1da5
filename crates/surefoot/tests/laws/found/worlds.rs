//! Worlds whose action behaves in several ways, simulated by plain code over integers.

use crate::chance::Chance;

/// The domain of all worlds.
pub const DOMAIN: &str = "(define (domain world) (:types thing)
    (:predicates (p ?t - thing) (q ?t - thing)) (:functions (x ?t - thing) (y) (z))
    (:action act :parameters (?s - thing ?t - thing)))";

/// The objects of all worlds.
pub const OBJECTS: &str = "a b - thing";

/// A state of two things.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Things {
    pub p: [bool; 2],
    pub q: [bool; 2],
    pub x: [i64; 2],
    pub y: i64,
    pub z: i64,
}

/// What the action does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `x` of the first thing grows up to a cap.
    Cap,
    /// `x` of the first thing shrinks by `y`, down to zero.
    Floor,
    /// `x` of the first thing grows by one number below a threshold, by another one above it.
    Threshold,
    /// What happens depends on the sum of `x` and `y`.
    Sum,
    /// What happens depends on an atom of the first thing.
    Atom,
    /// What happens depends on whether both things are one.
    Same,
    /// `x` goes up below one number, stays between two, and goes down above the other.
    Band,
    /// Where an atom holds, a threshold decides; elsewhere it does not.
    Nested,
    /// Two atoms decide, each combination in its own way.
    Quadrant,
    /// It fails where two atoms hold.
    Wall,
    /// It fails where `x` is between two numbers.
    Hole,
    /// `x` becomes the smaller one of `x + y` and `z`.
    Meeting,
    /// It behaves in one way everywhere.
    Plain,
}

pub const KINDS: [Kind; 13] = [
    Kind::Cap,
    Kind::Floor,
    Kind::Threshold,
    Kind::Sum,
    Kind::Atom,
    Kind::Same,
    Kind::Band,
    Kind::Nested,
    Kind::Quadrant,
    Kind::Wall,
    Kind::Hole,
    Kind::Meeting,
    Kind::Plain,
];

/// A world with its numbers.
#[derive(Clone, Debug)]
pub struct ThingWorld {
    pub kind: Kind,
    /// Numbers that mean what the kind says.
    pub numbers: [i64; 4],
    /// The largest value of numbers in first states.
    pub range: i64,
    /// Whether the action also needs an atom.
    pub needs: bool,
}

impl ThingWorld {
    pub fn random(random: &mut Chance, kind: Kind) -> ThingWorld {
        let range = *random.of(&[10, 30, 100]);
        let low = random.between(range / 5, range / 2);
        let high = low + random.between(1, range / 2);
        let numbers = [low, high, random.between(1, 5), random.between(-5, -1)];
        ThingWorld { kind, numbers, range, needs: random.percent(30) }
    }

    pub fn state(&self, random: &mut Chance) -> Things {
        let mut number = || random.between(0, self.range);
        let (x, y, z) = ([number(), number()], number(), number());
        let mut truth = || random.percent(50);
        let (p, q) = ([truth(), truth()], [truth(), truth()]);
        Things { p, q, x, y, z }
    }

    /// What the action is done with. Where it does not matter whether things are one, they are not:
    /// aliasing has laws of its own, and takes long.
    pub fn things(&self, random: &mut Chance) -> [usize; 2] {
        let first = random.below(2);
        match self.kind {
            Kind::Same | Kind::Atom => [first, random.below(2)],
            _ => [first, 1 - first],
        }
    }

    /// The state after the action with these two things; `None` if it fails.
    pub fn after(&self, before: &Things, [s, t]: [usize; 2]) -> Option<Things> {
        let [low, high, more, less] = self.numbers;
        let mut after = before.clone();
        if self.needs && !before.q[t] && self.kind != Kind::Wall {
            return None;
        }
        let x = before.x[s];
        match self.kind {
            Kind::Cap => after.x[s] = (x + more).min(high),
            Kind::Floor => after.x[s] = (x - before.y).max(0),
            Kind::Threshold => after.x[s] += if x <= low { more } else { less },
            Kind::Sum => match x + before.y <= high {
                true => after.z += more,
                false => after.y += less,
            },
            Kind::Atom => match before.p[s] {
                true => after.x[s] += more,
                false => (after.p[s], after.z) = (true, before.z + less),
            },
            Kind::Same => after.z += if s == t { more } else { less },
            Kind::Band => {
                after.x[s] += match x {
                    _ if x <= low => more,
                    _ if x <= high => 0,
                    _ => less,
                }
            }
            Kind::Nested => {
                after.z += match before.p[s] {
                    true if x <= low => more,
                    true => less,
                    false => 0,
                }
            }
            Kind::Quadrant => match (before.p[s], before.q[s]) {
                (false, false) => after.z += more,
                (false, true) => after.z += less,
                (true, false) => after.y += more,
                (true, true) => after.y += less,
            },
            Kind::Wall if before.p[s] && before.q[s] => return None,
            Kind::Hole if x > low && x < high => return None,
            Kind::Wall | Kind::Hole | Kind::Plain => after.z += more,
            Kind::Meeting => after.x[s] = (x + before.y).min(before.z),
        }
        Some(after)
    }

    /// The tests of the true parts, where the cut is known; and the same as `after` decides.
    pub fn trace(&self, random: &mut Chance, steps: usize) -> Recorded {
        let mut recorded = Recorded { first: self.state(random), events: Vec::new() };
        let mut state = recorded.first.clone();
        for _ in 0..steps {
            let things = self.things(random);
            let after = self.after(&state, things);
            if let Some(after) = &after {
                state = after.clone();
            }
            recorded.events.push((things, after));
        }
        recorded
    }
}

/// A recorded execution: what was done, and the state after it if it worked.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub first: Things,
    pub events: Vec<([usize; 2], Option<Things>)>,
}

impl Recorded {
    /// As a trajectory; without failures if that is asked for.
    pub fn text(&self, with_failures: bool) -> String {
        let name = ["a", "b"];
        let mut text = format!("((:init {})\n", self.first.text());
        for ([s, t], after) in &self.events {
            let call = format!("(act {} {})", name[*s], name[*t]);
            match after {
                Some(after) => text += &format!("(operator: {call})\n(:state {})\n", after.text()),
                None if with_failures => text += &format!("(failed: {call})\n"),
                None => {}
            }
        }
        text + ")"
    }
}

impl Things {
    pub fn text(&self) -> String {
        let mut text = format!("(= (y) {}) (= (z) {})", self.y, self.z);
        for (place, name) in ["a", "b"].iter().enumerate() {
            text += &format!(" (= (x {name}) {})", self.x[place]);
            for (atom, holds) in [("p", self.p[place]), ("q", self.q[place])] {
                if holds {
                    text += &format!(" ({atom} {name})");
                }
            }
        }
        text
    }
}
