//! A small warehouse of our own, as a log: two robots that move, pick and place, with failures, a
//! slipping gripper and a robot that is charged.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use surefoot_base::assumptions::Spec;
use surefoot_base::pddl::{ReadError, Source};
use surefoot_learn::Settings;
use surefoot_learn::{Job, LearnError, Learner, Model, Policy, Recording, Unwatched};
use surefoot_log::{Log, Meaning, Table};

/// What its columns mean.
pub const MAP: &str = r#"
time = "t"
episode = "day"
action = "what"
status = { column = "status", ok = "ok", failed = "failed", chance = { error = "SLIP" } }
ignore = ["note"]
objects = { robot = "robot", item = "item", place = ["place", "target"] }
[after]
place = "(at ?robot ?place)"
battery = "(battery ?robot)"
load = "(load ?robot)"
[actions]
boot = "report"
go = { robot = "robot", from = "(at ?robot)", to = "target" }
"pick, drop" = ["robot", "item", "place"]
charge = ["robot", "place"]
[declared]
"(holds ?robot ?item)" = { from = "pick", until = "drop", start = false }
"(lies ?item ?place)" = { from = "drop", until = "pick" }
[static."static.json"]
"robots.{robot}.capacity" = "(capacity ?robot)"
"weights.{item}" = "(weight ?item)"
"places.{place}.socket" = "(socket ?place) if true"
"distance.{a}.{b}" = "(distance ?a - place ?b - place)"
"days[day={episode}].items.{item}" = "(lies ?item ?place)"
"#;

const PLACES: [(&str, i64); 3] = [("dock", 0), ("shelf a", 3), ("9", 8)];
const ITEMS: [(&str, i64); 3] = [("Box", 4), ("crate", 7), ("SKU-3", 2)];
const CAPACITY: i64 = 8;

/// Numbers that look like chance and are the same on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

#[derive(Clone)]
struct Robot {
    at: usize,
    battery: i64,
    load: i64,
    holds: Vec<usize>,
}

/// A log: its rows, and what is static.
pub struct Warehouse {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    pub statics: String,
}

impl Warehouse {
    /// The log of some days; a tenth of all attempts are at random, and may fail.
    pub fn simulate(seed: u64, days: usize, attempts: usize) -> Warehouse {
        let mut dice = Dice(seed);
        let columns = vec![
            "t", "day", "robot", "what", "item", "place", "target", "battery", "load", "status",
            "error", "note",
        ];
        let (mut rows, mut starts) = (Vec::new(), Vec::new());
        for day in 0..days {
            let name = format!("D{day}");
            let mut lies: Vec<Option<usize>> = ITEMS.iter().map(|_| Some(dice.roll(3))).collect();
            let items: Vec<String> = ITEMS
                .iter()
                .zip(&lies)
                .map(|((item, _), at)| format!("\"{item}\": \"{}\"", PLACES[at.unwrap()].0))
                .collect();
            starts.push(format!("{{\"day\": \"{name}\", \"items\": {{{}}}}}", items.join(", ")));
            let mut robots = [
                Robot { at: 0, battery: 600, load: 0, holds: vec![] },
                Robot { at: 1, battery: 900, load: 0, holds: vec![] },
            ];
            for turn in 0..attempts + 2 {
                let number = if turn < 2 { turn } else { dice.roll(2) };
                let choice = dice.roll(4);
                let (item, target) = (dice.roll(3), dice.roll(3));
                let robot = &mut robots[number];
                let (what, error) = match choice {
                    _ if turn < 2 => ("boot", ""),
                    0 => {
                        let way = (PLACES[robot.at].1 - PLACES[target].1).abs();
                        let cost = 5 * way;
                        if target == robot.at {
                            ("go", "THERE")
                        } else if robot.battery - cost < 50 {
                            ("go", "BATTERY")
                        } else {
                            robot.battery -= cost;
                            robot.at = target;
                            ("go", "")
                        }
                    }
                    1 if lies[item] != Some(robot.at) => ("pick", "NO_ITEM"),
                    1 if robot.load + ITEMS[item].1 > CAPACITY => ("pick", "OVERLOAD"),
                    1 if dice.roll(10) == 0 => ("pick", "SLIP"),
                    1 => {
                        robot.load += ITEMS[item].1;
                        robot.battery -= 4;
                        robot.holds.push(item);
                        lies[item] = None;
                        ("pick", "")
                    }
                    2 if !robot.holds.contains(&item) => ("drop", "NOT_HELD"),
                    2 => {
                        robot.load -= ITEMS[item].1;
                        robot.holds.retain(|held| *held != item);
                        lies[item] = Some(robot.at);
                        ("drop", "")
                    }
                    _ if robot.at != 0 => ("charge", "NO_SOCKET"),
                    _ => {
                        robot.battery = 1000;
                        ("charge", "")
                    }
                };
                let status = if error.is_empty() { "ok" } else { "failed" };
                rows.push(vec![
                    format!("{}", 10 * turn),
                    name.clone(),
                    format!("r-{number}"),
                    what.to_owned(),
                    if matches!(what, "pick" | "drop") {
                        ITEMS[item].0.to_owned()
                    } else {
                        String::new()
                    },
                    PLACES[robot.at].0.to_owned(),
                    if what == "go" { PLACES[target].0.to_owned() } else { String::new() },
                    // As programs print it: a tenth is not exact in binary.
                    format!("{}", robot.battery as f64 / 10.0),
                    robot.load.to_string(),
                    status.to_owned(),
                    error.to_owned(),
                    "n/a".to_owned(),
                ]);
            }
        }
        let robots: Vec<String> =
            (0..2).map(|number| format!("\"r-{number}\": {{\"capacity\": {CAPACITY}}}")).collect();
        let weights: Vec<String> =
            ITEMS.iter().map(|(item, weight)| format!("\"{item}\": {weight}")).collect();
        let places: Vec<String> = PLACES
            .iter()
            .map(|(place, at)| format!("\"{place}\": {{\"socket\": {}}}", *at == 0))
            .collect();
        let mut distance = Vec::new();
        for (one, from) in PLACES {
            let others = PLACES.iter().filter(|(other, _)| *other != one);
            let ways: Vec<String> =
                others.map(|(other, to)| format!("\"{other}\": {}", (from - to).abs())).collect();
            distance.push(format!("\"{one}\": {{{}}}", ways.join(", ")));
        }
        let statics = format!(
            "{{\"robots\": {{{}}}, \"weights\": {{{}}}, \"places\": {{{}}}, \"distance\": \
             {{{}}}, \"days\": [{}]}}",
            robots.join(", "),
            weights.join(", "),
            places.join(", "),
            distance.join(", "),
            starts.join(", ")
        );
        Warehouse { columns, rows, statics }
    }

    pub fn csv(&self, delimiter: char) -> String {
        let line = |cells: &[String]| cells.join(&delimiter.to_string()) + "\n";
        let head: Vec<String> = self.columns.iter().map(|name| (*name).to_owned()).collect();
        self.rows.iter().fold(line(&head), |text, row| text + &line(row))
    }

    /// Empty cells are left out in every second row, and null in the others.
    pub fn json_lines(&self) -> String {
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cells = self
                .columns
                .iter()
                .zip(row)
                .filter(|(_, cell)| !cell.is_empty() || number % 2 == 0);
            let members: Vec<String> = cells
                .map(|(name, cell)| match *name {
                    "battery" | "load" | "t" => format!("\"{name}\": {cell}"),
                    name if cell.is_empty() => format!("\"{name}\": null"),
                    name => format!("\"{name}\": \"{cell}\""),
                })
                .collect();
            writeln!(text, "{{{}}}", members.join(", ")).unwrap();
        }
        text
    }
}

/// A folder for one test, which is removed with it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            std::fs::write(folder.path(name), bytes).unwrap();
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }
}

/// Opens logs of a folder with a map. Whether rows are kept in memory or parsed each time makes no
/// difference.
pub fn open(folder: &Folder, map: &str, logs: &[&str]) -> Result<Log, String> {
    let meaning =
        Meaning::read(&Source::new("map.toml", map)).map_err(|error| error.to_string())?;
    let tables =
        logs.iter().map(|name| Table::open(&folder.path(name)).map_err(|error| error.to_string()));
    let tables: Vec<Table> = tables.collect::<Result<_, _>>()?;
    let parsed_again = Log::open_within(meaning.clone(), folder.root(), tables.clone(), 0);
    let kept = Log::open(meaning, folder.root(), tables);
    let read = |log: &Result<Log, ReadError>| match log {
        Ok(log) => (0..log.traces())
            .map(|trace| log.digest(trace).map_err(|error| error.to_string()))
            .collect(),
        Err(error) => vec![Err(error.to_string())],
    };
    assert_eq!(read(&kept), read(&parsed_again));
    kept.map_err(|error| error.to_string())
}

/// What is learned from a recording, as PDDL, and its certificate.
pub fn learn(
    domain: &surefoot_base::model::Domain,
    recording: &dyn Recording,
    spec: &Spec,
) -> Result<Model, LearnError> {
    let start = Learner::of(domain, spec)?;
    let settings = Settings::of_spec(spec, &start)?;
    Job {
        start: &start,
        settings: &settings,
        recording,
        policy: Policy::default(),
        digests: true,
        progress: &Unwatched,
    }
    .run()
}

/// How the warehouse is learned: batteries are tenths.
pub fn spec(log: &Log) -> Spec {
    Spec::default().with(|spec| {
        spec.decimals = Some(6);
        spec.declared = log.meaning().declarations.clone();
    })
}
