//! Law: each column of the state stands under the side that it shows, or its side is a question;
//! also where a log shows some columns before the action of a row and others after it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use surefoot_log::{GuessedMap, Table, guess};

/// What a column of the state shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shown {
    Battery,
    Place,
    Load,
    Gear,
    Weight,
}

const SHOWN: [Shown; 5] = [Shown::Battery, Shown::Place, Shown::Load, Shown::Gear, Shown::Weight];

impl Shown {
    fn column(self) -> &'static str {
        match self {
            Shown::Battery => "battery",
            Shown::Place => "place",
            Shown::Load => "load",
            Shown::Gear => "gear",
            Shown::Weight => "weight",
        }
    }
}

#[derive(Clone, Copy)]
struct Robot {
    battery: i64,
    place: usize,
    load: i64,
    is_high: bool,
}

impl Robot {
    fn cell(self, shown: Shown, robot: usize) -> String {
        match shown {
            Shown::Battery => self.battery.to_string(),
            Shown::Place => format!("p{}", self.place),
            Shown::Load => self.load.to_string(),
            Shown::Gear => (if self.is_high { "high" } else { "low" }).to_owned(),
            Shown::Weight => (20 + 5 * robot).to_string(),
        }
    }
}

/// How the world of a log works.
#[derive(Clone, Copy)]
struct World {
    /// Charging adds so much, or fills the battery.
    charge: Option<i64>,
    is_far: bool,
    drifts: bool,
}

impl World {
    fn step(self, robot: &mut Robot, verb: &str, target: usize) -> bool {
        let cost = if self.is_far { 2 + 3 * robot.place.abs_diff(target) as i64 } else { 5 };
        match verb {
            "move" if robot.battery >= cost && robot.place != target => {
                (robot.battery, robot.place) = (robot.battery - cost, target);
            }
            "work" if robot.battery >= 10 && robot.is_high => robot.battery -= 10,
            "take" if robot.load < 3 => robot.load += 1,
            "drop" if robot.load > 0 => robot.load = 0,
            "charge" if robot.battery <= 70 => {
                robot.battery = self.charge.map_or(100, |charge| robot.battery + charge);
            }
            "shift" => robot.is_high = !robot.is_high,
            "peek" => {}
            _ => return false,
        }
        true
    }
}

/// A log, and each column of its state: its name, whether it shows the state before, and whether it
/// changes between two rows of a robot.
struct SidedLog {
    text: String,
    /// Whether something failed, and the log has a status.
    has_failures: bool,
    columns: Vec<(&'static str, bool, bool)>,
}

fn log(seed: u64, is_mixed: bool, [status, ok, failed]: [&str; 3]) -> SidedLog {
    let mut state = seed ^ 0x51de;
    let mut below = |limit: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    let mut shown: Vec<Shown> = SHOWN.into_iter().filter(|_| below(5) < 3).collect();
    if shown.len() < 2 {
        shown = vec![Shown::Battery, Shown::Place];
    }
    let first = below(2) == 0;
    let sides: Vec<bool> =
        shown.iter().map(|_| if is_mixed { below(2) == 0 } else { first }).collect();
    let world = World {
        charge: [Some(30), Some(10), None][below(3)],
        is_far: below(3) == 0,
        drifts: below(8) == 0,
    };
    let (has_status, has_target, robots) = (below(4) > 0, below(3) > 0, 1 + below(3));
    let (length, runs) = (15 + below(120), 1 + below(4));
    let all = ["move", "work", "take", "drop", "charge", "shift", "peek"];
    let verbs: Vec<&str> = all.into_iter().filter(|_| below(4) > 0).collect();
    let verbs = if verbs.len() < 2 { vec!["move", "charge"] } else { verbs };
    // In a fixed order, in an order with some habits, or in any order.
    let habit = [0, 0, 0, 40, 85, 100][below(6)];
    let reacts = below(4) == 0;
    let mut fleet: Vec<Robot> = Vec::new();
    for robot in 0..robots {
        let (battery, place) = (40 + 10 * below(7) as i64, robot % 3);
        fleet.push(Robot { battery, place, load: 0, is_high: below(2) == 0 });
    }
    let mut text = String::from("run,robot,action");
    text += if has_target { ",target" } else { "" };
    shown.iter().for_each(|one| text += &format!(",{}", one.column()));
    text += if has_status { "," } else { "" };
    text += if has_status { status } else { "" };
    text += "\n";
    let mut has_failures = false;
    let mut last: BTreeMap<(usize, usize, usize), String> = BTreeMap::new();
    let mut changes = vec![false; shown.len()];
    for turn in 0..length {
        let run = turn * runs / length;
        let who = below(robots);
        let verb = match below(100) < habit {
            true => verbs[turn / robots % verbs.len()],
            false => verbs[below(verbs.len())],
        };
        // Whoever is low charges, and whoever is full drops.
        let verb = match fleet[who] {
            Robot { battery, .. } if reacts && battery < 30 => "charge",
            Robot { load: 3, .. } if reacts => "drop",
            _ => verb,
        };
        let target = below(3);
        let before = fleet[who];
        let works = world.step(&mut fleet[who], verb, target);
        if !works && !has_status {
            continue;
        }
        let _ = write!(text, "n{run},r{who},{verb}");
        if has_target {
            let target = if verb == "move" { format!("p{target}") } else { String::new() };
            let _ = write!(text, ",{target}");
        }
        for (place, (&one, &is_before)) in shown.iter().zip(&sides).enumerate() {
            let cell = (if is_before { before } else { fleet[who] }).cell(one, who);
            let _ = write!(text, ",{cell}");
            let earlier = last.insert((run, who, place), cell.clone());
            changes[place] |= earlier.is_some_and(|earlier| earlier != cell);
        }
        if has_status {
            let _ = write!(text, ",{}", if works { ok } else { failed });
        }
        text += "\n";
        has_failures |= !works;
        if world.drifts && below(5) == 0 {
            fleet[who].battery -= 1;
        }
    }
    let columns = shown.iter().zip(sides).zip(changes);
    let columns = columns.map(|((one, side), changes)| (one.column(), side, changes)).collect();
    SidedLog { text, has_failures, columns }
}

/// The columns that stand under the wrong side, without a question about the side.
fn wrong(map: &GuessedMap, log: &SidedLog) -> Vec<String> {
    let table: toml::Table = toml::from_str(&map.text).unwrap();
    let stands = |section: &str, column: &str| {
        let section = table.get(section).and_then(toml::Value::as_table);
        section.is_some_and(|section| section.contains_key(column))
    };
    let columns = log.columns.iter().filter(|(column, is_before, changes)| {
        *changes && stands(if *is_before { "after" } else { "before" }, column)
    });
    columns.map(|(column, ..)| format!("{column} stands under the wrong side")).collect()
}

/// A column of the status with words that say so.
const PLAIN: [&str; 3] = ["result", "ok", "failed"];

fn guessed(log: &SidedLog) -> GuessedMap {
    guess(&Table::read("log", &mut log.text.as_bytes(), None).unwrap()).unwrap()
}

fn asks(map: &GuessedMap) -> bool {
    map.questions.iter().any(|question| question.name == "side")
}

/// Prints what share of the logs is asked about: `SUREFOOT_GUESSES=2000`.
#[test]
fn each_column_stands_under_the_side_that_it_shows_or_is_asked_about() {
    let count = std::env::var("SUREFOOT_GUESSES").ok().and_then(|count| count.parse().ok());
    let count: u64 = count.unwrap_or(200);
    for is_mixed in [false, true] {
        let (mut asked, mut open, mut bad) = (0, 0, Vec::new());
        for seed in 0..count {
            let log = log(seed, is_mixed, PLAIN);
            let map = guessed(&log);
            asked += usize::from(asks(&map));
            open += usize::from(!map.questions.is_empty());
            let wrong = wrong(&map, &log);
            if !wrong.is_empty() {
                bad.push(format!("seed {seed}: {}\n{}\n{}", wrong.join(", "), log.text, map.text));
            }
        }
        eprintln!(
            "mixed {is_mixed}: {} of {count} wrong, {asked} ask about a side, {open} ask",
            bad.len()
        );
        assert!(bad.is_empty(), "{}", bad[0]);
        // A guess that asks about every log would be right, and of no use.
        assert!(is_mixed || asked * 4 < 3 * count as usize, "{asked} of {count}");
    }
}

/// Prints how many statuses are found, and how many states are taken for one.
#[test]
fn a_mark_of_success_without_a_name_is_asked_about() {
    let count = std::env::var("SUREFOOT_GUESSES").ok().and_then(|count| count.parse().ok());
    let count: u64 = count.unwrap_or(100);
    let (mut marks, mut found, mut states, mut vain) = (0, 0, 0, 0);
    let columns = [["flag", "P", "N"], ["flag", "", "x"]];
    for (seed, column) in (0..count).flat_map(|seed| columns.map(|column| (seed, column))) {
        let log = log(seed, seed % 4 == 0, column);
        let map = guessed(&log);
        let asked = map.questions.iter().find(|question| question.name == "status");
        if log.has_failures {
            marks += 1;
            found += usize::from(asked.is_some_and(|question| question.text.contains("`flag`")));
        } else {
            states += 1;
            vain += usize::from(asked.is_some());
        }
    }
    eprintln!("{found} of {marks} statuses asked about, {vain} of {states} logs without in vain");
    assert!(found * 5 > marks * 4 && vain * 10 <= states, "{found} {marks} {vain} {states}");
}
