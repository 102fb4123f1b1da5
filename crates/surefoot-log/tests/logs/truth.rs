//! Law: whatever a log is read to say about a step is true of the world that wrote the log.
//!
//! A small world is simulated and writes rows, and readings into a second table. Cells get lost,
//! the log begins in the middle, several rows share a time, and the map reads any of its columns.
//! The simulator knows every state, so it needs no second reader to say what is true. A naive
//! reader of single rows says what must be known at the least.
//!
//! The same logs show the second law: learning from a log gives what learning from its import
//! gives, byte for byte.

use std::fmt::Write as _;

use proptest::prelude::*;
use surefoot_base::assumptions::{Spec, Unchanged};
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Attempt, Domain, Event, FunctionId, Ground, GroundAction, Objects, PredicateId, State, Universe,
};
use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem, write_domain};
use surefoot_learn::Settings;
use surefoot_learn::{Job, Learner, OnBadData, Policy, Recording, Trace, Unwatched};
use surefoot_log::{Log, Meaning};

use crate::warehouse::{Folder, open};

const ROBOTS: usize = 3;
const PLACES: usize = 3;
const ITEMS: usize = 2;

/// Chance that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

#[derive(Clone, Debug)]
struct Truth {
    battery: [i64; ROBOTS],
    at: [usize; ROBOTS],
    lit: [bool; PLACES],
    holds: [[bool; ITEMS]; ROBOTS],
}

#[derive(Clone, Copy, Debug)]
enum Act {
    Look { robot: usize, place: Option<usize> },
    Move { robot: usize, to: usize },
    Charge { robot: usize },
    Flip { robot: usize, place: usize },
    Pick { robot: usize, item: usize },
    Drop { robot: usize, item: usize },
    Weigh { robot: usize, item: usize },
}

impl Act {
    fn random(dice: &mut Dice) -> Act {
        let (robot, place, item) = (dice.below(ROBOTS), dice.below(PLACES), dice.below(ITEMS));
        match dice.below(8) {
            0 => Act::Look { robot, place: dice.once_in(2).then_some(place) },
            1 => Act::Charge { robot },
            2 => Act::Flip { robot, place },
            3 => Act::Pick { robot, item },
            4 => Act::Drop { robot, item },
            5 => Act::Weigh { robot, item },
            _ => Act::Move { robot, to: place },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Act::Look { .. } => "look",
            Act::Move { .. } => "move",
            Act::Charge { .. } => "charge",
            Act::Flip { .. } => "flip",
            Act::Pick { .. } => "pick",
            Act::Drop { .. } => "drop",
            Act::Weigh { .. } => "weigh",
        }
    }

    fn robot(self) -> usize {
        match self {
            Act::Look { robot, .. }
            | Act::Move { robot, .. }
            | Act::Charge { robot }
            | Act::Flip { robot, .. }
            | Act::Pick { robot, .. }
            | Act::Drop { robot, .. }
            | Act::Weigh { robot, .. } => robot,
        }
    }

    fn place(self) -> Option<usize> {
        match self {
            Act::Flip { place, .. } => Some(place),
            Act::Look { place, .. } => place,
            _ => None,
        }
    }

    fn item(self) -> Option<usize> {
        match self {
            Act::Pick { item, .. } | Act::Drop { item, .. } | Act::Weigh { item, .. } => Some(item),
            _ => None,
        }
    }

    /// What comes of it, where it works.
    fn done(self, truth: &Truth) -> Option<Truth> {
        let mut after = truth.clone();
        let works = match self {
            Act::Look { .. } => true,
            Act::Move { robot, to } => {
                after.battery[robot] -= 2;
                after.at[robot] = to;
                truth.at[robot] != to && truth.battery[robot] >= 2
            }
            Act::Charge { robot } => {
                after.battery[robot] += 5;
                truth.battery[robot] <= 20
            }
            Act::Flip { robot, place } => {
                after.lit[place] = !truth.lit[place];
                truth.at[robot] == place
            }
            Act::Pick { robot, item } => {
                after.holds[robot][item] = true;
                truth.holds.iter().all(|held| !held[item])
            }
            Act::Drop { robot, item } => {
                after.holds[robot][item] = false;
                truth.holds[robot][item]
            }
            Act::Weigh { robot, item } => truth.holds[robot][item],
        };
        works.then_some(after)
    }
}

/// Where the cells of a quantity stand, for the map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Before,
    After,
    Both,
    Unread,
}

impl Side {
    fn random(dice: &mut Dice) -> Side {
        [Side::Before, Side::After, Side::Both, Side::Unread][dice.below(4)]
    }

    fn before(self) -> bool {
        matches!(self, Side::Before | Side::Both)
    }

    fn after(self) -> bool {
        matches!(self, Side::After | Side::Both)
    }
}

struct Plan {
    battery: Side,
    at: Side,
    lit: Side,
    declared: bool,
    start_false: bool,
    moves_from: bool,
    /// The place of a flip is not read from its cell but is where the robot is.
    flips_here: bool,
    /// Symbols of which the log mentions every fact that is true or has a value.
    complete: Vec<&'static str>,
    readings: Option<Sampling>,
}

/// How the second table is written, and which attributes the map reads from it.
#[derive(Clone, Copy, Debug)]
struct Sampling {
    all_changes: bool,
    same_time_is_after: bool,
    shared_times: bool,
    /// Of battery, place and light.
    attributes: [bool; 3],
}

impl Sampling {
    fn random(dice: &mut Dice) -> Sampling {
        let [all_changes, same_time_is_after, shared_times] = [(); 3].map(|()| dice.once_in(2));
        let mut attributes = [(); 3].map(|()| dice.once_in(2));
        attributes[dice.below(3)] = true;
        Sampling { all_changes, same_time_is_after, shared_times, attributes }
    }
}

impl Plan {
    fn random(
        dice: &mut Dice,
        nothing_held: bool,
        flips_here: bool,
        rows: &[Row],
        readings: Option<Sampling>,
    ) -> Plan {
        let (battery, at, lit) = (Side::random(dice), Side::random(dice), Side::random(dice));
        let declared = dice.once_in(2);
        let at_is_read =
            at != Side::Unread || readings.is_some_and(|readings| readings.attributes[1]);
        let moves_from = at_is_read && dice.once_in(2);
        let start_false = declared && nothing_held && dice.once_in(2);
        let flips_here = flips_here && at_is_read && dice.once_in(2);
        let mentions = |place: usize| rows.iter().any(|row| row.place == Some(place));
        let is_lit =
            |place: usize| rows.iter().any(|row| row.before.lit[place] || row.after.lit[place]);
        let all_lit = (0..PLACES).all(|place| mentions(place) || !is_lit(place));
        let complete =
            [("battery", battery != Side::Unread), ("lit", lit != Side::Unread && all_lit)];
        let complete = complete
            .into_iter()
            .filter(|(_, is_true)| *is_true && dice.once_in(2))
            .map(|(symbol, _)| symbol);
        let complete = complete.collect();
        Plan { battery, at, lit, declared, start_false, moves_from, flips_here, complete, readings }
    }

    fn map(&self) -> String {
        let mut map = String::from(
            "time = \"t\"\nepisode = \"run\"\naction = \"do\"\nstatus = \
             { column = \"ok\", ok = \"1\", failed = \"0\", chance = { code = \"SLIP\" } }\n\
             objects = \
             { robot = \"robot\", item = \"item\", \
              place = [\"place\", \"target\", \"at_b\", \"at_a\"] }\n",
        );
        if !self.complete.is_empty() {
            let _ = writeln!(map, "complete = {:?}", self.complete);
        }
        let facts = [
            (self.battery, "battery", "(battery ?robot)"),
            (self.at, "at", "(at ?robot - robot ?cell - place)"),
            (self.lit, "lit", "(lit ?place) if true"),
        ];
        for (section, letter, is) in
            [("before", 'b', Side::before as fn(Side) -> bool), ("after", 'a', Side::after)]
        {
            if facts.iter().any(|(side, ..)| is(*side)) {
                let _ = writeln!(map, "[{section}]");
            }
            for (_, column, fact) in facts.iter().filter(|(side, ..)| is(*side)) {
                let _ = writeln!(map, "{column}_{letter} = \"{fact}\"");
            }
        }
        let from = if self.moves_from { "from = \"(at ?robot)\", " } else { "" };
        let place = if self.flips_here { "(at ?robot)" } else { "place" };
        let _ = write!(
            map,
            "[actions]\nlook = \"report\"\nmove = {{ robot = \"robot\", {from}to = \"target\" \
             }}\ncharge = [\"robot\"]\n\
             flip = {{ robot = \"robot\", place = \"{place}\" }}\n\"pick, drop, weigh\" = \
             [\"robot\", \"item\"]\n",
        );
        if self.declared {
            let start = if self.start_false { ", start = false" } else { "" };
            let _ = writeln!(
                map,
                "[declared]\n\"(holds ?robot ?item)\" = {{ from = \"pick\", until \
                 = \"drop\"{start} }}"
            );
        }
        if let Some(readings) = self.readings {
            let logged = if readings.all_changes { "changes" } else { "samples" };
            let same_time = if readings.same_time_is_after { "after" } else { "before" };
            let _ = writeln!(
                map,
                "[values]\nobject = \"thing\"\nattribute = \"signal\"\nvalue = \"reading\"\nlogged \
                 = \"{logged}\"\nsame-time = \"{same_time}\"\n[values.facts]"
            );
            let facts =
                ["(battery ?robot)", "(at ?robot - robot ?cell - place)", "(lit ?place) if true"];
            for ((attribute, fact), _) in ATTRIBUTES
                .iter()
                .zip(facts)
                .zip(readings.attributes)
                .filter(|(_, is_read)| *is_read)
            {
                let _ = writeln!(map, "{attribute} = \"{fact}\"");
            }
        }
        map
    }
}

const ATTRIBUTES: [&str; 3] = ["battery", "at", "lit"];

impl Truth {
    /// What a reading of an attribute of an object says.
    fn reading(&self, attribute: usize, object: usize) -> String {
        match attribute {
            0 => self.battery[object].to_string(),
            1 => format!("p{}", self.at[object]),
            _ => self.lit[object].to_string(),
        }
    }
}

struct Row {
    act: Act,
    worked: bool,
    /// Of what worked or not, the log says so; not by chance.
    counts: bool,
    parameters: bool,
    /// The place that the row names.
    place: Option<usize>,
    before: Truth,
    after: Truth,
    told: [bool; 6],
    time: usize,
    /// What is read of its objects before the next row: battery, place and light. Only where no
    /// other row has its time.
    read: [bool; 3],
}

const HEAD: &str =
    "run,do,ok,code,robot,target,place,item,battery_b,battery_a,at_b,at_a,lit_b,lit_a,t\n";

/// Writes what is read while a run goes on. Every change is read, or some things are now and then.
fn write_readings(
    dice: &mut Dice,
    text: &mut String,
    run: usize,
    rows: &mut [Row],
    start: &Truth,
    plan: Sampling,
    losses: usize,
) {
    let mut write =
        |dice: &mut Dice, time: String, attribute: usize, object: usize, truth: &Truth| {
            let is_lost = losses > 0 && dice.once_in(losses);
            let value = if is_lost { String::new() } else { truth.reading(attribute, object) };
            let letter = if attribute == 2 { 'p' } else { 'r' };
            let _ =
                writeln!(text, "{run},{time},{letter}{object},{},{value}", ATTRIBUTES[attribute]);
            !is_lost
        };
    let things = || (0..3).flat_map(|attribute| (0..3).map(move |object| (attribute, object)));
    for (attribute, object) in things() {
        if object == 0 || dice.once_in(2) {
            write(dice, "1".to_owned(), attribute, object, start);
        }
    }
    let mut first = 0;
    while first < rows.len() {
        let time = rows[first].time;
        let end = first + rows[first..].iter().take_while(|row| row.time == time).count();
        let after = rows[end - 1].after.clone();
        for (attribute, object) in things() {
            if !plan.same_time_is_after && dice.once_in(8) {
                let is_read = write(dice, time.to_string(), attribute, object, &rows[first].before);
                // A second reading that is lost may have shown that the first came too early.
                if let (false, Some(earlier)) = (is_read, first.checked_sub(1)) {
                    rows[earlier].read[attribute] = false;
                }
            }
            let own_time = |dice: &mut Dice| {
                if plan.same_time_is_after && dice.once_in(2) { 0 } else { 1 + dice.below(3) }
            };
            let value = |truth: &Truth| truth.reading(attribute, object);
            let mut is_read = false;
            if plan.all_changes {
                let changed =
                    (first..end).filter(|&row| value(&rows[row].before) != value(&rows[row].after));
                // Several changes at one time are written one after the other.
                for (number, row) in changed.collect::<Vec<_>>().into_iter().enumerate() {
                    let at = time + 4 * number + own_time(dice);
                    let truth = rows[row].after.clone();
                    is_read |= write(dice, at.to_string(), attribute, object, &truth);
                }
            } else if dice.once_in(3) {
                let at = time + own_time(dice);
                is_read = write(dice, at.to_string(), attribute, object, &after);
            }
            let row = &mut rows[first];
            let of_row = if attribute == 2 { row.act.place() } else { Some(row.act.robot()) };
            row.read[attribute] |= is_read && end == first + 1 && of_row == Some(object);
        }
        first = end;
    }
}

/// How a run is written.
#[derive(Clone, Copy)]
struct Manner {
    losses: usize,
    shared_times: bool,
    flips_here: bool,
}

fn rows(
    dice: &mut Dice,
    text: &mut String,
    run: usize,
    mut truth: Truth,
    manner: Manner,
) -> Vec<Row> {
    let Manner { losses, shared_times, flips_here } = manner;
    let mut rows: Vec<Row> = Vec::new();
    let mut time = 0;
    for _ in 0..4 + dice.below(12) {
        let act = match Act::random(dice) {
            Act::Flip { robot, .. } if flips_here => Act::Flip { robot, place: truth.at[robot] },
            act => act,
        };
        let slips = !matches!(act, Act::Look { .. }) && dice.once_in(12);
        if !shared_times || rows.is_empty() || dice.once_in(2) {
            time += 100;
        }
        let done = act.done(&truth).filter(|_| !slips);
        let worked = done.is_some();
        let before = truth.clone();
        truth = done.unwrap_or(truth);
        let mut lost = || losses > 0 && dice.once_in(losses);
        let status = if lost() { "" } else { ["0", "1"][usize::from(worked)] };
        let robot = (!lost()).then(|| format!("r{}", act.robot()));
        let target = match act {
            Act::Move { to, .. } => (!lost()).then(|| format!("p{to}")),
            _ => Some(String::new()),
        };
        let place =
            act.place().map_or(Some(String::new()), |place| (!lost()).then(|| format!("p{place}")));
        let item =
            act.item().map_or(Some(String::new()), |item| (!lost()).then(|| format!("i{item}")));
        let parameters = robot.is_some() && target.is_some() && place.is_some() && item.is_some();
        let mut told = [true; 6];
        let mut cell = |index: usize, value: String| {
            told[index] = robot.is_some() && !lost();
            if told[index] { value } else { String::new() }
        };
        let r = act.robot();
        let cells = [
            cell(0, before.battery[r].to_string()),
            cell(1, truth.battery[r].to_string()),
            cell(2, format!("p{}", before.at[r])),
            cell(3, format!("p{}", truth.at[r])),
        ];
        let mut lit = |index: usize, state: &Truth| match (act.place(), &place) {
            (Some(number), Some(_)) if !lost() => state.lit[number].to_string(),
            _ => {
                told[index] = false;
                String::new()
            }
        };
        let lit = [lit(4, &before), lit(5, &truth)];
        let word = |word: &Option<String>| word.clone().unwrap_or_default();
        let _ = writeln!(
            text,
            "{run},{},{status},{},{},{},{},{},{},{},{time}",
            act.name(),
            if slips { "SLIP" } else { "" },
            word(&robot),
            word(&target),
            word(&place),
            word(&item),
            cells.join(","),
            lit.join(","),
        );
        let counts = !status.is_empty() && !slips;
        let place = act.place().filter(|_| place.is_some());
        rows.push(Row {
            act,
            worked,
            counts,
            parameters,
            place,
            before,
            after: truth.clone(),
            told,
            time,
            read: [false; 3],
        });
    }
    rows
}

/// What a state is read to say of a predicate of objects: nothing, or whether it is true.
fn atom(
    domain: &Domain,
    objects: &Objects,
    attempt: &Attempt<'_>,
    state: &State,
    name: &str,
    words: &[String],
) -> Option<bool> {
    let symbol = PredicateId(domain.signature.predicates.find(name)?.try_into().unwrap());
    let arguments: Option<_> = words.iter().map(|word| objects.find(word)).collect();
    // An object that was never met is no argument of the step.
    let found = attempt.universe.find_atom(&Ground { symbol, arguments: arguments? });
    let Some(id) = found else { return Some(false) };
    (!state.is_atom_unknown(id)).then(|| state.contains(id))
}

/// What a state is read to say of a number: nothing, or its value, if it has one.
fn value(
    domain: &Domain,
    objects: &Objects,
    attempt: &Attempt<'_>,
    state: &State,
    robot: &str,
) -> Option<Option<Rational>> {
    let symbol = FunctionId(domain.signature.functions.find("battery")?.try_into().unwrap());
    let found = attempt
        .universe
        .find_value(&Ground { symbol, arguments: [objects.find(robot)?].into_iter().collect() });
    let Some(id) = found else { return Some(None) };
    (!state.is_value_unknown(id)).then(|| state.value(id).cloned())
}

struct Seen<'a> {
    domain: &'a Domain,
    objects: &'a Objects,
    attempt: Attempt<'a>,
    /// Which cells of the row speak of this moment.
    told: [bool; 3],
    row: usize,
}

impl Seen<'_> {
    /// Everything that is read about the objects of the step is true, and what the row itself says
    /// is read.
    fn agrees(&self, state: &State, truth: &Truth, act: Act, sides: [bool; 3], when: &str) {
        let (domain, objects, attempt) = (self.domain, self.objects, &self.attempt);
        let names: Vec<String> =
            attempt.action.arguments.iter().map(|&id| objects.name(id).to_owned()).collect();
        let number = |name: &str| name[1..].parse::<usize>().unwrap();
        let of = |kind: char| names.iter().filter(move |name| name.starts_with(kind));
        let line = self.row + 2;
        for robot in of('r') {
            let told = value(domain, objects, attempt, state, robot);
            if let Some(told) = &told {
                assert_eq!(
                    *told,
                    Some(Rational::integer(truth.battery[number(robot)])),
                    "line {line}, {when}: (battery {robot})"
                );
            }
            assert!(
                told.is_some() || !(sides[0] && self.told[0]),
                "line {line}, {when}: (battery {robot}) is told"
            );
            for place in of('p') {
                let told =
                    atom(domain, objects, attempt, state, "at", &[robot.clone(), place.clone()]);
                let really = truth.at[number(robot)] == number(place);
                assert!(
                    told.is_none_or(|told| told == really),
                    "line {line}, {when}: (at {robot} {place}) is {really}"
                );
                assert!(
                    told.is_some() || !(sides[1] && self.told[1]),
                    "line {line}, {when}: (at {robot} {place}) is told"
                );
            }
            for item in of('i') {
                let told =
                    atom(domain, objects, attempt, state, "holds", &[robot.clone(), item.clone()]);
                let really = truth.holds[number(robot)][number(item)];
                assert!(
                    told.is_none_or(|told| told == really),
                    "line {line}, {when}: (holds {robot} {item}) is {really}"
                );
            }
        }
        for place in of('p') {
            let told = atom(domain, objects, attempt, state, "lit", std::slice::from_ref(place));
            let really = truth.lit[number(place)];
            assert!(
                told.is_none_or(|told| told == really),
                "line {line}, {when}: (lit {place}) is {really}"
            );
            let mine = act.place() == Some(number(place));
            assert!(
                told.is_some() || !(sides[2] && self.told[2] && mine),
                "line {line}, {when}: (lit {place}) is told"
            );
        }
    }
}

/// A log of the world, with its map, or nothing where the map would read nothing.
struct Written {
    folder: Folder,
    text: String,
    map: String,
    plan: Plan,
    rows: Vec<Row>,
    log: Log,
    /// The line that was changed.
    changed: Option<usize>,
}

fn write_log(seed: u64) -> Option<Written> {
    write_log_with(seed, |_| None)
}

/// The same, with a line of the log changed: its number is returned.
fn write_log_with(seed: u64, change: impl FnOnce(&mut String) -> Option<usize>) -> Option<Written> {
    let mut dice = Dice(seed);
    let dice = &mut dice;
    let mut truth = Truth {
        battery: [0; ROBOTS],
        at: [0; ROBOTS],
        lit: [false; PLACES],
        holds: [[false; ITEMS]; ROBOTS],
    };
    let losses = [0, 0, 4, 10][dice.below(4)];
    let sampling = dice.once_in(2).then(|| Sampling::random(dice));
    let flips_here = dice.once_in(2);
    let mut text = String::from(HEAD);
    let mut read = String::from("run,t,thing,signal,reading\n");
    let mut all = Vec::new();
    let mut nothing_held = true;
    for run in 0..1 + dice.below(3) {
        for robot in 0..ROBOTS {
            truth.battery[robot] = i64::try_from(dice.below(25)).unwrap();
            truth.at[robot] = dice.below(PLACES);
        }
        // The log begins in the middle.
        for _ in 0..[0, 15][dice.below(2)] {
            truth = Act::random(dice).done(&truth).unwrap_or(truth);
        }
        nothing_held &= truth.holds.iter().flatten().all(|held| !held);
        let shared_times = sampling.is_some_and(|sampling| sampling.shared_times);
        let manner = Manner { losses, shared_times, flips_here };
        let mut rows = rows(dice, &mut text, run, truth.clone(), manner);
        if let Some(sampling) = sampling {
            write_readings(dice, &mut read, run, &mut rows, &truth, sampling, losses);
        }
        truth = rows.last().map_or(truth, |row| row.after.clone());
        all.extend(rows);
    }
    let plan = Plan::random(dice, nothing_held, flips_here, &all, sampling);
    if sampling.is_none()
        && [plan.battery, plan.at, plan.lit].iter().all(|side| *side == Side::Unread)
    {
        return None;
    }
    let map = plan.map();
    let changed = change(&mut text);
    let folder = Folder::new(&[("log.csv", text.as_bytes()), ("read.csv", read.as_bytes())]);
    let names: &[&str] = if sampling.is_some() { &["log.csv", "read.csv"] } else { &["log.csv"] };
    let text = if sampling.is_some() { text + &read } else { text };
    let log = open(&folder, &map, names).unwrap_or_else(|error| panic!("{error}\n{map}\n{text}"));
    Some(Written { folder, text, map, plan, rows: all, log, changed })
}

fn holds(seed: u64) {
    let Some(written) = write_log(seed) else { return };
    let Written { text, map, plan, rows: all, log, .. } = &written;
    let mut met = vec![false; all.len()];
    for trace in 0..log.traces() {
        let read = log.read(trace, log.domain(), Numbers::Exact, false, &mut |recorded| {
            let line = recorded.error(String::new()).place.position.line;
            let row = &all[line - 2];
            met[line - 2] = true;
            let attempt = recorded.event.attempt();
            let action = log.domain().action_name(attempt.action.symbol);
            assert_eq!(action, row.act.name(), "line {line}");
            assert!(
                row.counts,
                "line {line}: what the log does not say of a row is not read from it"
            );
            let told = |side: usize| [0, 2, 4].map(|cell| row.told[cell + side]);
            let seen = |side| Seen {
                domain: log.domain(),
                objects: recorded.objects,
                attempt,
                told: told(side),
                row: line - 2,
            };
            let sides = |is: fn(Side) -> bool| [plan.battery, plan.at, plan.lit].map(is);
            seen(0).agrees(attempt.before, &row.before, row.act, sides(Side::before), "before");
            match recorded.event {
                Event::Worked(step) => {
                    assert!(row.worked, "line {line} failed");
                    seen(1).agrees(step.after, &row.after, row.act, sides(Side::after), "after");
                    let read = |number: usize| {
                        plan.readings
                            .is_some_and(|readings| readings.attributes[number] && row.read[number])
                    };
                    // A cell that is empty where its column is read says that the value is unknown,
                    // whatever a reading says.
                    let sides = [(0, plan.battery), (1, plan.at), (2, plan.lit)]
                        .map(|(number, side)| read(number) && side == Side::Unread);
                    Seen { told: [true; 3], ..seen(1) }.agrees(
                        step.after,
                        &row.after,
                        row.act,
                        sides,
                        "after, as it is read",
                    );
                }
                Event::Failed(_) => assert!(!row.worked, "line {line} worked"),
            }
            true
        });
        read.unwrap_or_else(|error| panic!("{error}\n{map}\n{text}"));
    }
    for (row, met) in all.iter().zip(&met) {
        let known = row.parameters && row.counts && !matches!(row.act, Act::Look { .. });
        let reads_position = match row.act {
            Act::Move { .. } => plan.moves_from,
            Act::Flip { .. } => plan.flips_here,
            _ => false,
        };
        let from_known = !reads_position || (plan.at.before() && row.told[2]);
        assert!(*met || !(known && from_known), "a row that says all is read\n{map}\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_read_is_true_of_the_world_that_wrote_the_log(seed in any::<u64>()) {
        holds(seed);
    }
}

/// What is learned from a recording: the model and its certificate, or that nothing is.
pub fn learned(
    domain: &Domain,
    recording: &dyn Recording,
    digests: bool,
    on_bad: OnBadData,
    spec: &Spec,
) -> Result<(String, Option<String>), String> {
    let start = Learner::of(domain, spec).unwrap();
    let settings = Settings::of_spec(spec, &start).unwrap();
    let policy = Policy::from(on_bad);
    let job = Job {
        start: &start,
        settings: &settings,
        recording,
        policy,
        digests,
        progress: &Unwatched,
    };
    let model = job.run().map_err(|error| error.to_string())?;
    Ok((
        model.to_pddl(),
        model.certificate().filter(|_| digests).map(|certificate| certificate.to_json().unwrap()),
    ))
}

/// A text without the places at which steps stand in the log or in its import.
fn without_places(text: &str, folder: &Folder) -> String {
    let log = folder.path("log.csv").display().to_string() + ":";
    let (mut rest, mut all) = (text, String::new());
    while let Some((place, length)) = [&*log, "trajectory:"]
        .into_iter()
        .filter_map(|file| Some((rest.find(file)?, file.len())))
        .min()
    {
        all += &rest[..place];
        rest = rest[place + length..].trim_start_matches(|digit: char| digit.is_ascii_digit());
    }
    all + rest
}

/// `learn LOG` is `import` and then `learn`, byte for byte, whether or not a certificate is asked
/// for.
fn import_changes_nothing(seed: u64) {
    let Some(written) = write_log(seed) else { return };
    let Written { text, map, log, .. } = &written;
    let domain = read_domain(&Source::new("domain.pddl", write_domain(log.domain()))).unwrap();
    let imported: Vec<(Source, Objects)> = (0..log.traces())
        .map(|trace| {
            let mut trajectory = Vec::new();
            let problem = log.write(trace, &mut trajectory).unwrap();
            let problem =
                read_problem(&Source::new("problem.pddl", problem), &domain, Numbers::Exact)
                    .unwrap();
            (Source::from_bytes("trajectory", trajectory).unwrap(), problem.objects)
        })
        .collect();
    let traces: Vec<Trace> =
        imported.iter().map(|(source, objects)| Trace::new(source.clone(), objects)).collect();
    // Places are where they are: in the log, or in its import.
    let placeless = |(model, certificate): (String, Option<String>)| {
        let without = |text: String| without_places(&text, &written.folder);
        (without(model), certificate.map(without))
    };
    let mut dice = Dice(seed ^ 0x0bad_da7a);
    let on_bad = OnBadData::ALL[dice.below(3)].0;
    let unchanged = dice.once_in(3).then_some(Unchanged::Failed);
    let spec = Spec::default().with(|spec| spec.unchanged = unchanged);
    // The parts that a map declares are a file of parts beside its import.
    let cut = format!("split = {{ charge = \"battery <= {}\" }}\n{map}", dice.below(25));
    let split = Meaning::read(&Source::new("map.toml", cut)).ok().filter(|_| dice.once_in(2));
    let (spec, of_file) = match &split {
        None => (spec.clone(), spec),
        Some(meaning) => {
            let file = serde_json::to_string(&meaning.parts()).unwrap();
            let parts = serde_json::from_str(&file).unwrap();
            (meaning.with_parts(spec.clone()).unwrap(), spec.with(|spec| spec.parts = parts))
        }
    };
    let of_log = learned(log.domain(), log, true, on_bad, &spec).map(placeless);
    let of_import = learned(&domain, &&traces[..], true, on_bad, &of_file).map(placeless);
    let are_equal = match (&of_log, &of_import) {
        (Ok(one), Ok(other)) => one == other,
        (one, other) => one.is_err() && other.is_err(),
    };
    assert!(are_equal, "{on_bad:?} {unchanged:?}\n{map}\n{text}\n{of_log:?}\n{of_import:?}");
    let without = learned(log.domain(), log, false, on_bad, &spec).map(placeless);
    let models = [&of_log, &without].map(|learned| learned.as_ref().map(|(model, _)| model).ok());
    assert!(models[0] == models[1], "{map}\n{text}\n{models:?}");
    let of_log = match of_log {
        // Bad data stop whoever does not choose otherwise.
        Err(_) if on_bad != OnBadData::SkipAction || unchanged.is_some() => return,
        of_log => of_log,
    };
    let (model, certificate) = of_log.unwrap_or_else(|error| panic!("{error}\n{map}\n{text}"));
    let said: String =
        model.lines().map(|line| line.trim_start_matches(';').trim().to_owned() + " ").collect();
    assert!(
        certificate.is_some()
            && log.meaning().assumed().iter().all(|words| said.contains(words.as_str())),
        "{model}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn learning_from_a_log_is_learning_from_its_import(seed in any::<u64>()) {
        import_changes_nothing(seed);
    }
}

impl Plan {
    /// Whether the map reads all that an action depends on and changes, and the class of models has
    /// the real one. It has no flip, which toggles; and who may pick depends on what others hold.
    fn shows(&self, act: Act) -> bool {
        let read = |side: Side, number: usize| {
            side != Side::Unread || self.readings.is_some_and(|read| read.attributes[number])
        };
        let (battery, at) = (read(self.battery, 0), read(self.at, 1));
        match act {
            Act::Look { .. } | Act::Pick { .. } | Act::Flip { .. } => false,
            Act::Move { .. } => battery && at,
            Act::Charge { .. } => battery,
            Act::Drop { .. } | Act::Weigh { .. } => self.declared,
        }
    }

    /// The objects of an action, as the map orders them.
    fn arguments(&self, act: Act, truth: &Truth) -> Vec<String> {
        let robot = format!("r{}", act.robot());
        let here = format!("p{}", truth.at[act.robot()]);
        match act {
            Act::Move { to, .. } if self.moves_from => vec![robot, here, format!("p{to}")],
            Act::Move { to, .. } => vec![robot, format!("p{to}")],
            Act::Flip { .. } if self.flips_here => vec![robot, here],
            Act::Flip { place, .. } => vec![robot, format!("p{place}")],
            Act::Drop { item, .. } | Act::Weigh { item, .. } | Act::Pick { item, .. } => {
                vec![robot, format!("i{item}")]
            }
            Act::Charge { .. } | Act::Look { .. } => vec![robot],
        }
    }
}

impl Truth {
    /// Any state of the world.
    fn random(dice: &mut Dice) -> Truth {
        let mut truth = Truth {
            battery: [0; ROBOTS],
            at: [0; ROBOTS],
            lit: [false; PLACES],
            holds: [[false; ITEMS]; ROBOTS],
        };
        for robot in 0..ROBOTS {
            truth.battery[robot] = i64::try_from(dice.below(28)).unwrap();
            truth.at[robot] = dice.below(PLACES);
        }
        truth.lit.iter_mut().for_each(|lit| *lit = dice.once_in(2));
        for item in 0..ITEMS {
            if let Some(holder) = truth.holds.get_mut(dice.below(ROBOTS + 1)) {
                holder[item] = true;
            }
        }
        truth
    }

    /// The facts of the symbols that a domain has, and its objects, as a problem. Nothing of it
    /// comes from a reader of logs.
    fn problem(&self, domain: &Domain) -> String {
        let kinds = [("robot", 'r', ROBOTS), ("place", 'p', PLACES), ("item", 'i', ITEMS)];
        let known =
            kinds.into_iter().filter(|(kind, ..)| domain.signature.types.find(kind).is_some());
        let objects: String = known
            .flat_map(|(kind, letter, count)| {
                (0..count).map(move |number| format!(" {letter}{number} - {kind}"))
            })
            .collect();
        let has = |name: &str| domain.signature.predicates.find(name).is_some();
        let mut facts: Vec<String> = Vec::new();
        for robot in 0..ROBOTS {
            if domain.signature.functions.find("battery").is_some() {
                facts.push(format!("(= (battery r{robot}) {})", self.battery[robot]));
            }
            if has("at") {
                facts.push(format!("(at r{robot} p{})", self.at[robot]));
            }
            let held = (0..ITEMS).filter(|&item| has("holds") && self.holds[robot][item]);
            facts.extend(held.map(|item| format!("(holds r{robot} i{item})")));
        }
        facts.extend(
            (0..PLACES)
                .filter(|&place| has("lit") && self.lit[place])
                .map(|place| format!("(lit p{place})")),
        );
        format!(
            "(define (problem world) (:domain {}) (:objects{objects}) (:init {}) (:goal (and)))",
            domain.name,
            facts.join(" ")
        )
    }
}

/// What is true in a state, as text: the same for the same states.
fn shown(domain: &Domain, objects: &Objects, universe: &Universe, state: &State) -> Vec<String> {
    let name = |id| objects.name(id);
    let atoms = state.atoms().map(|id| {
        let atom = universe.ground_atom(id);
        let arguments: Vec<&str> = atom.arguments.iter().map(|&id| name(id)).collect();
        format!("{} {}", domain.signature.predicates.name(atom.symbol.index()), arguments.join(" "))
    });
    let values = state.values().map(|(id, value)| {
        let function = universe.ground_function(id);
        let arguments: Vec<&str> = function.arguments.iter().map(|&id| name(id)).collect();
        format!(
            "{} {} = {value}",
            domain.signature.functions.name(function.symbol.index()),
            arguments.join(" ")
        )
    });
    let mut all: Vec<String> = atoms.chain(values).collect();
    all.sort_unstable();
    all
}

/// Everything that a model of a log allows works in the world that wrote the log, and ends where
/// the model says: the simulator judges it in states that the log does not have.
fn what_is_learned_is_true(seed: u64) -> usize {
    let Some(written) = write_log(seed) else { return 0 };
    let Written { text, map, log, .. } = &written;
    let on_bad = [OnBadData::SkipAction, OnBadData::Quarantine][(seed % 2) as usize];
    match learned(log.domain(), log, false, on_bad, &Spec::default()) {
        Ok((model, _)) => judged(seed, &written, &model),
        // Nothing but what is refused was recorded.
        Err(_) if on_bad == OnBadData::Quarantine => 0,
        Err(error) => panic!("{error}\n{map}\n{text}"),
    }
}

/// Writes a row that worked as one that failed.
fn misreport(text: &mut String, dice: &mut Dice) -> Option<usize> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let worked: Vec<usize> = (1..lines.len())
        .filter(|&line| lines[line].split(',').nth(2).is_some_and(|ok| ok == "1"))
        .collect();
    let line = *worked.get(dice.below(worked.len().max(1)))?;
    let mut cells: Vec<&str> = lines[line].split(',').collect();
    cells[2] = "0";
    lines[line] = cells.join(",");
    *text = lines.join("\n") + "\n";
    Some(line + 1)
}

/// A step that worked is logged as one that failed. Where it is this row that the model calls
/// doubtful, nothing else that it allows is wrong.
fn what_rests_on_a_doubtful_row_is_not_learned(seed: u64, doubted: &mut usize) -> usize {
    let mut dice = Dice(seed ^ 0xd0_0b7);
    let Some(written) = write_log_with(seed, |text| misreport(text, &mut dice)) else { return 0 };
    let (Written { log, .. }, Some(line)) = (&written, written.changed) else { return 0 };
    let on_bad = [OnBadData::SkipAction, OnBadData::Quarantine][(seed % 2) as usize];
    let Ok((model, _)) = learned(log.domain(), log, false, on_bad, &Spec::default()) else {
        return 0;
    };
    let said: Vec<&str> = model
        .lines()
        .filter(|line| line.contains("Perhaps recorded wrongly") || line.contains("Set aside"))
        .collect();
    if said.len() != 1 || !said[0].contains(&format!("log.csv:{line}, ")) {
        return 0;
    }
    *doubted += 1;
    judged(seed, &written, &model)
}

/// Judges what a model allows in random states of the world; how often it allows something.
fn judged(seed: u64, written: &Written, model: &str) -> usize {
    let Written { text, map, plan, .. } = written;
    let domain = read_domain(&Source::new("model.pddl", model)).unwrap();
    let (dice, mut allowed) = (&mut Dice(seed ^ 0x5eed), 0);
    for _ in 0..200 {
        let (truth, act) = (Truth::random(dice), Act::random(dice));
        let Some(symbol) = domain.actions.find(act.name()).filter(|_| plan.shows(act)) else {
            continue;
        };
        let read = |truth: &Truth| {
            read_problem(&Source::new("world", truth.problem(&domain)), &domain, Numbers::Exact)
                .unwrap()
        };
        let problem = read(&truth);
        let arguments = plan
            .arguments(act, &truth)
            .iter()
            .map(|name| problem.objects.find(name).unwrap())
            .collect();
        let step = GroundAction { symbol: symbol.into(), arguments };
        let mut universe = Universe::default();
        let state = problem.initial_state(&mut universe);
        let Ok(after) =
            Semantics::new(&domain, &problem.objects).successor(&step, &mut universe, &state)
        else {
            continue;
        };
        let Some(really) = act.done(&truth) else {
            panic!("{act:?} fails in {truth:?}\n{model}\n{map}\n{text}")
        };
        let mut real_universe = Universe::default();
        let real = read(&really).initial_state(&mut real_universe);
        let [told, real] = [(&universe, &after), (&real_universe, &real)]
            .map(|(universe, state)| shown(&domain, &problem.objects, universe, state));
        assert!(told == real, "{act:?} in {truth:?}:\n{told:?}\n{real:?}\n{model}\n{map}\n{text}");
        allowed += 1;
    }
    allowed
}

#[test]
fn what_a_model_of_a_log_allows_works_in_the_world_that_wrote_it() {
    let allowed: usize = (0..150).map(what_is_learned_is_true).sum();
    assert!(allowed > 100, "{allowed}");
}

#[test]
fn a_step_that_was_logged_as_failed_and_is_doubted_makes_no_model_wrong() {
    let mut doubted = 0;
    let allowed: usize =
        (0..3000).map(|seed| what_rests_on_a_doubtful_row_is_not_learned(seed, &mut doubted)).sum();
    assert!(doubted > 10 && allowed > 10, "{doubted} rows in doubt, {allowed} steps allowed");
}
