//! What the cells of a column do not decide, a guess asks.

use surefoot_log::{GuessedMap, Table, guess};

use crate::warehouse::Dice;

fn guessed(log: &str) -> GuessedMap {
    guess(&Table::read("log", &mut log.as_bytes(), None).unwrap())
        .unwrap_or_else(|error| panic!("{error}"))
}

fn asks(map: &GuessedMap, name: &str) -> bool {
    map.questions.iter().any(|question| question.name == name)
}

/// A log of two robots that take turns, with one more column.
fn with_column(name: &str, cell: impl Fn(usize, usize) -> String) -> GuessedMap {
    let mut log = format!("action,robot,load,{name}\n");
    let mut load = [3, 4];
    for row in 0..60 {
        let (robot, lifts) = (row * 7 / 3 % 2, row % 5 < 2);
        load[robot] += if lifts { 3 } else { -1 };
        let action = if lifts { "lift" } else { "drop" };
        log += &format!("{action},r{robot},{},{}\n", load[robot], cell(row, robot));
    }
    guessed(&log)
}

#[test]
fn bytes_that_look_like_times_may_be_a_state() {
    let bytes = |row: usize, robot: usize| (3_000_000_000 - row * 1000 + robot).to_string();
    assert!(asks(&with_column("free_bytes", bytes), "free_bytes"));
    let rising =
        |row: usize, robot: usize| (1_200_000_000 + 1_000_000_000 * robot + row * 1000).to_string();
    for name in ["odometer_mm", "ends"] {
        assert!(asks(&with_column(name, rising), name), "{name}");
    }
    let map = with_column("ends", |row, _| (1_740_808_816 + row).to_string());
    assert!(!asks(&map, "ends") && map.text.contains("\"ends\",  # another time"), "{}", map.text);
}

#[test]
fn a_number_that_starts_anew_may_be_a_state() {
    let mut log = String::from("run,action,lift,floor_no,load\n");
    for row in 0..40 {
        let (run, step) = (row / 5, row % 5);
        log += &format!("{run},up,l{},{},2\n", run % 2, run % 3 + step);
    }
    assert!(asks(&guessed(&log), "floor_no"));
    let own = |row: usize, robot: usize| (row / 2 + 40 * robot).to_string();
    assert!(asks(&with_column("floor_no", own), "floor_no"));
    for name in ["floor_no", "event_id", "seq"] {
        let map = with_column(name, |row, _| row.to_string());
        assert!(!asks(&map, name) && map.text.contains("a number of the row"), "{}", map.text);
    }
}

#[test]
fn a_short_name_is_no_time() {
    for name in ["t", "at", "cook_time", "time"] {
        let mut log = format!("run,action,oven,{name},gas\n");
        for row in 0..60 {
            let (run, step) = (row / 6, row % 6);
            let action = if step % 3 == 0 { "fan" } else { "heat" };
            let heat = 40 + 10 * (run % 3) + 10 * (step - step / 3);
            log += &format!("{run},{action},o{},{heat},{}\n", run % 2, 90 - 3 * step);
        }
        assert!(asks(&guessed(&log), name), "{name}");
        let map = with_column(name, |row, _| row.to_string());
        assert!(!asks(&map, name) && map.text.contains("time = "), "{}", map.text);
    }
}

/// A log of cranes that lift boxes of some weights.
fn of_boxes(weights: [usize; 3]) -> GuessedMap {
    let mut log = String::from("action,crane,box,kg,charge,status\n");
    let mut charge = [190, 180];
    let mut dice = Dice(3);
    for _ in 0..60 {
        let (crane, item, lifts) = (dice.roll(2), dice.roll(3), dice.roll(3) < 2);
        let action = if lifts { "lift" } else { "look" };
        charge[crane] -= if lifts { 2 } else { 1 };
        log += &format!("{action},c{crane},b{item},{},{},ok\n", weights[item], charge[crane]);
    }
    guessed(&log)
}

#[test]
fn a_number_that_two_columns_fix_is_asked_about() {
    let map = of_boxes([40, 40, 40]);
    let question = map.questions.iter().find(|question| question.name == "kg").expect("a question");
    assert!(question.text.contains("`crane`") && question.text.contains("`box`"), "{question:?}");
    let map = of_boxes([30, 40, 50]);
    assert!(map.text.contains("\"kg\" = \"(kg ?box)\"") && !asks(&map, "kg"), "{}", map.text);
    assert!(!asks(&map, "charge"), "{}", map.text);
}

/// Rows of units that act at sites. Only one action, which is rare, shows the level of a site.
#[test]
fn a_number_with_few_neighbouring_rows_has_no_certain_owner() {
    let mut log = String::from("act,unit,site,fuel,level,status\n");
    let (mut fuel, mut level) = ([400, 390], [5, 7, 9]);
    for row in 0..120 {
        let (unit, site) = (row * 7 / 3 % 2, row * 11 / 4 % 3);
        fuel[unit] -= if row % 6 == 0 { 3 } else { 1 };
        if row % 6 == 0 {
            level[site] += 2;
            log += &format!("fill,u{unit},s{site},{},{},ok\n", fuel[unit], level[site]);
        } else {
            log += &format!("move,u{unit},,{},,ok\n", fuel[unit]);
        }
    }
    let map = guessed(&log);
    assert!(asks(&map, "level") && !asks(&map, "fuel"), "{}", map.text);
}

/// The unit is a parameter of both actions; by part, it stays in half of the rows.
#[test]
fn words_that_may_name_objects_are_no_certain_flags() {
    let mut dice = Dice(5);
    let mut log = String::from("act,unit,part,uval,pval\n");
    let (mut uval, pval) = ([4, 9], [6, 8, 4, 8]);
    for _ in 0..100 {
        let (unit, part, is_first) = (dice.roll(2), dice.roll(4), dice.roll(8) == 0);
        uval[unit] += usize::from(is_first);
        let act = if is_first { "do0" } else { "do1" };
        log += &format!("{act},u{unit},k{part},{},{}\n", uval[unit], pval[part]);
    }
    let map = guessed(&log);
    let is_parameter = map.text.contains("\"do0\" = [\"unit\", \"part\"]");
    assert!(is_parameter || asks(&map, "unit"), "{}", map.text);
    assert!(map.text.contains("\"(uval ?unit)\"") || asks(&map, "uval"), "{}", map.text);
}

/// A number that counts the rows, whatever is done, needs no clear name.
#[test]
fn what_counts_the_rows_is_a_time() {
    let map = with_column("t", |row, _| row.to_string());
    assert!(!asks(&map, "t") && map.text.contains("time = \"t\""), "{}", map.text);
}

/// A job may be an execution of its own, or what two robots work on in turn.
#[test]
fn a_column_whose_rows_alternate_may_name_objects() {
    let log = |column: &str, word: &dyn Fn(usize) -> usize| {
        let rows: String =
            (0..60).map(|row| format!("work,r,{},{}\n", 200 - 2 * row, word(row))).collect();
        guessed(&format!("action,robot,battery,{column}\n{rows}"))
    };
    let (alternating, whole) = (|row: usize| row % 2, |row: usize| row / 30);
    assert!(asks(&log("job", &alternating), "episode"));
    assert!(!asks(&log("job", &whole), "episode"));
    assert!(!asks(&log("episode", &alternating), "episode"));
}
