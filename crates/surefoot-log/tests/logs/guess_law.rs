//! Law: what is guessed of a random log reads that log, or has questions and is refused; and the
//! side of states, the status and the action are right or asked.

use proptest::prelude::*;
use surefoot_base::assumptions::Spec;
use surefoot_base::pddl::Source;
use surefoot_learn::{OnBadData, Recording};
use surefoot_log::{GuessedMap, Log, MapQuestion, Meaning, Table, guess};

use crate::truth::learned;

/// What is true of a log.
struct Truth {
    action: String,
    /// The column, and a word of success and one of failure of each kind.
    status: Option<(String, Vec<String>, Vec<String>)>,
    nothing_failed: bool,
    /// Columns of the state, and whether they show it before.
    state: Vec<(String, bool)>,
    /// Whether some row shows another state than the one before it of the same robot. If none does,
    /// both sides are right.
    changes: bool,
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const ACTIONS: [&str; 9] = [
    "action",
    "cmd",
    "Command",
    "op",
    "robot action",
    "event",
    "verb:name",
    "col 7",
    "concept:name",
];
const OWNERS: [&str; 6] = ["robot", "agv id", "who:is", "object", "a.b", "unit(1)"];
const PLACES: [[&str; 2]; 5] = [
    ["place", "target"],
    ["state.node", "params.target"],
    ["p.1st", "goal"],
    ["my place", "to"],
    ["at-node", "2nd node"],
];
const NUMBERS: [&str; 9] =
    ["battery", "soc %", "bat.level", "état", "x{y}", "not", "cell", "level[0]", "(v)"];

/// By name of the column: the words of success, and those of failure.
fn conventions(random: &mut Random) -> (&'static str, Vec<&'static str>, Vec<&'static str>) {
    match random.below(13) {
        0 => ("result", vec!["OK"], vec!["E_BATT", "E_NODOCK"]),
        1 => ("rc", vec!["0"], vec!["E11", "E12"]),
        2 => ("ok", vec!["True"], vec!["False"]),
        3 => ("error", vec!["False"], vec!["True"]),
        4 => ("result", vec!["1"], vec!["0"]),
        5 => ("status", vec!["0"], vec!["1"]),
        6 => ("outcome", vec!["success"], vec!["failure"]),
        7 => ("http status", vec!["200", "201"], vec!["404", "409"]),
        8 => ("error", vec![""], vec!["LOW", "FAR"]),
        9 => ("status", vec!["A"], vec!["B"]),
        10 => ("result", vec!["DONE", "SLOW"], vec!["BUSY"]),
        11 => ("rc", vec!["0"], vec!["1", "7"]),
        _ => ("x9", vec!["ok"], vec!["failed"]),
    }
}

fn log(seed: u64) -> (String, Truth) {
    let mut random = Random(seed);
    let action = random.of(&ACTIONS).to_owned();
    let owner = random.of(&OWNERS);
    let number = random.of(&NUMBERS);
    let status = random.chance(75).then(|| conventions(&mut random));
    let (side, is_wide, is_json) = (random.below(3), random.chance(25), random.chance(40));
    let (has_cap, has_places) = (random.chance(40), random.chance(40));
    // Drawn from the seed alone, so that the other choices stay as they are.
    let [place_name, target_name] = PLACES[seed as usize % PLACES.len()];
    let (distract, drift) = (random.below(4), random.chance(15));
    let robots = ["r1", "r2"];
    let mut header: Vec<String> = vec!["run".into(), owner.into(), action.clone()];
    let mut state = Vec::new();
    let names: Vec<String> = if is_wide {
        robots.iter().map(|robot| format!("{robot}_bat")).collect()
    } else {
        vec![number.into()]
    };
    let paired = [
        ("{}_before", "{}_after"),
        ("before.{}", "after.{}"),
        ("{}", "next_{}"),
        ("prev_{}", "new_{}"),
    ][random.below(4)];
    let sides: &[bool] = match side {
        0 => &[true],
        1 => &[false],
        _ => &[true, false],
    };
    for &before in sides {
        for name in &names {
            let pattern = if before { paired.0 } else { paired.1 };
            let name = if sides.len() == 2 { pattern.replace("{}", name) } else { name.clone() };
            header.push(name.clone());
            state.push((name, before));
        }
    }
    if has_places {
        header.extend([place_name.to_owned(), target_name.to_owned()]);
    }
    if let Some((name, _, _)) = &status {
        header.push((*name).to_owned());
    }
    header.extend(
        ["took".to_owned(), "kind".to_owned(), "power".to_owned()].into_iter().take(distract),
    );
    let (mut battery, mut place) = ([60i64, 80], [0usize, 1]);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let (mut nothing_failed, mut changes) = (true, false);
    let mut shown_last: std::collections::BTreeMap<(usize, usize), (i64, usize)> =
        std::collections::BTreeMap::new();
    let length = 12 + random.below(60);
    let strict = random.chance(20);
    for turn in 0..length {
        let run = turn * 3 / length;
        let who = random.below(2);
        let verb = if strict {
            ["work", "peek", "charge", "wait"][turn / 2 % 4]
        } else {
            random.of(&["work", "charge", "peek", "go"])
        };
        let target = random.below(3);
        let (was, at) = (battery, place);
        let works = match verb {
            "work" => battery[who] >= 10,
            "charge" => has_cap || battery[who] <= 70,
            "go" => battery[who] >= 5 && (!has_places || place[who] != target),
            _ => true,
        };
        if !works && status.is_none() {
            continue;
        }
        nothing_failed &= works;
        if works {
            match verb {
                "work" => battery[who] -= 10,
                "charge" => battery[who] = (battery[who] + 30).min(100),
                "go" => (battery[who], place[who]) = (battery[who] - 5, target),
                _ => {}
            }
        }
        if drift && random.chance(20) {
            battery[who] -= 1;
        }
        for robot in (0..2).filter(|&robot| is_wide || robot == who) {
            let shown = match sides[0] {
                true => (was[robot], at[robot]),
                false => (battery[robot], place[robot]),
            };
            let last = shown_last.insert((run, robot), shown);
            changes |= last.is_some_and(|last| last != shown);
        }
        let mut row = vec![format!("n{run}"), robots[who].to_owned(), verb.to_owned()];
        for &before in sides {
            let shown = if before { was } else { battery };
            if is_wide {
                row.extend(shown.iter().map(i64::to_string));
            } else {
                row.push(shown[who].to_string());
            }
        }
        if has_places {
            let shown = if sides[0] { at } else { place };
            row.push(format!("s{}", shown[who]));
            row.push(if verb == "go" { format!("s{target}") } else { String::new() });
        }
        if let Some((_, ok, failed)) = &status {
            row.push(random.of(if works { ok } else { failed }).to_owned());
        }
        let power =
            ["work", "charge", "peek", "go", "wait"].iter().position(|one| *one == verb).unwrap()
                * 10;
        row.extend(
            [random.below(900).to_string(), random.of(&["x", "y"]).to_owned(), power.to_string()]
                .into_iter()
                .take(distract),
        );
        rows.push(row);
    }
    let lower = |word: &&str| {
        if is_json && matches!(*word, "True" | "False") {
            word.to_lowercase()
        } else {
            (*word).to_owned()
        }
    };
    let written = status.map(|(name, ok, failed)| {
        (name.to_owned(), ok.iter().map(lower).collect(), failed.iter().map(lower).collect())
    });
    let truth = Truth { action, status: written, nothing_failed, state, changes };
    if !is_json {
        let line = |cells: &Vec<String>| cells.join(",") + "\n";
        return (line(&header) + &rows.iter().map(line).collect::<String>(), truth);
    }
    let value = |cell: &String| match cell.as_str() {
        "" => "null".to_owned(),
        "True" | "False" => cell.to_lowercase(),
        _ if cell.parse::<f64>().is_ok() => cell.clone(),
        _ => format!("\"{cell}\""),
    };
    let object = |row: &Vec<String>| {
        let members: Vec<String> = header
            .iter()
            .zip(row)
            .map(|(name, cell)| format!("\"{name}\": {}", value(cell)))
            .collect();
        format!("{{{}}}\n", members.join(", "))
    };
    (rows.iter().map(object).collect(), truth)
}

/// Whether the map reads its log; where it has questions, that it is refused with all of them.
fn is_read(map: &GuessedMap, log: &str) -> Result<(), String> {
    let meaning =
        Meaning::read(&Source::new("map.toml", &map.text)).map_err(|error| error.to_string());
    if map.questions.is_empty() {
        let table = Table::read("log", &mut log.as_bytes(), None).unwrap();
        let log = Log::open(meaning?, std::path::Path::new("."), vec![table])
            .map_err(|error| error.to_string())?;
        (0..log.traces())
            .try_for_each(|trace| log.digest(trace).map(drop).map_err(|error| error.to_string()))?;
        return learned(log.domain(), &log, false, OnBadData::SkipAction, &Spec::default())
            .map(drop);
    }
    let refused = meaning.err().ok_or("a map with questions is read")?;
    match map.questions.iter().find(|question| !refused.contains(&question.name)) {
        None => Ok(()),
        Some(question) => {
            Err(format!("`{}` is not among the questions of: {refused}", question.name))
        }
    }
}

fn is_right(map: &GuessedMap, truth: &Truth) -> Result<(), String> {
    let asks = |name: &str| map.questions.iter().any(|question| question.name == name);
    let table: toml::Table = toml::from_str(&map.text).map_err(|error| error.to_string())?;
    if table["action"].as_str() != Some(&truth.action) && !asks("action") {
        return Err(format!("the action is {:?}", table["action"]));
    }
    let words = |kind: &str| -> Vec<&str> {
        table
            .get("status")
            .and_then(|status| status[kind].as_array())
            .into_iter()
            .flatten()
            .filter_map(|word| word.as_str())
            .collect()
    };
    match (&truth.status, table.get("status")) {
        _ if asks("status") => {}
        (None, None) => {}
        // Without a status every row counts as one that worked, and here it did.
        (Some(_), None) if truth.nothing_failed => {}
        // Where nothing failed, no word of failure is there.
        (Some((name, ok, failed)), Some(status)) if status["column"].as_str() == Some(name) => {
            if let Some(wrong) =
                words("ok").into_iter().find(|word| !ok.iter().any(|known| known == word))
            {
                return Err(format!("{wrong} counts as success"));
            }
            if let Some(wrong) =
                words("failed").into_iter().find(|word| !failed.iter().any(|known| known == word))
            {
                return Err(format!("{wrong} counts as failure"));
            }
        }
        (truth, found) => {
            return Err(format!(
                "the status is {found:?}, really {:?}",
                truth.as_ref().map(|(name, _, _)| name)
            ));
        }
    }
    for (name, before) in truth.state.iter().filter(|_| truth.changes) {
        let wrong = if *before { "after" } else { "before" };
        let stands = |section: &str| {
            table
                .get(section)
                .and_then(|section| section.as_table())
                .is_some_and(|section| section.contains_key(name))
        };
        let pattern = |section: &str| {
            table
                .get(section)
                .and_then(|section| section.as_table())
                .is_some_and(|section| section.contains_key("{robot}_bat"))
        };
        if stands(wrong) || truth.state.len() < 4 && name.ends_with("_bat") && pattern(wrong) {
            return Err(format!("{name} stands under [{wrong}]"));
        }
    }
    Ok(())
}

/// Prints how many of so many logs are read at once: `SUREFOOT_GUESSES=1000`.
#[test]
fn some_guesses_need_no_answer() {
    let mut asked = std::collections::BTreeMap::<String, usize>::new();
    let count = std::env::var("SUREFOOT_GUESSES")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(100u64);
    let mut free = 0;
    for seed in 0..count {
        let (text, truth) = log(seed);
        let map = guess(&Table::read("log", &mut text.as_bytes(), None).unwrap()).unwrap();
        free += usize::from(map.questions.is_empty());
        map.questions
            .iter()
            .for_each(|question| *asked.entry(question.name.clone()).or_default() += 1);
        is_read(&map, &text)
            .and_then(|()| is_right(&map, &truth))
            .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}\n{}", map.text));
        // A map without a state is refused, and rightly so where no column of it can be written;
        // nothing else is.
        let reads = |question: &MapQuestion| {
            question.name != "reading" || question.text.contains("says nothing of states")
        };
        assert!(map.questions.iter().all(reads), "seed {seed}: {text}\n{}", map.text);
    }
    eprintln!("{free} of {count} without a question; asked: {asked:?}");
    // Most of these logs have a column of no state on purpose; a guess that asks about every log
    // would be right, and of no use.
    assert!(free * 20 > count as usize, "{free} of {count}: {asked:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn guesses_read_their_log_and_are_right_or_ask(seed in any::<u64>()) {
        let (text, truth) = log(seed);
        let map = guess(&Table::read("log", &mut text.as_bytes(), None).unwrap()).unwrap();
        let judged = is_read(&map, &text).and_then(|()| is_right(&map, &truth));
        prop_assert!(judged.is_ok(), "{}\n{text}\n{}", judged.unwrap_err(), map.text);
    }
}
