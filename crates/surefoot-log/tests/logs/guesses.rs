//! Maps that are guessed: they read the log they were guessed from, and say why.

use surefoot_base::pddl::{Source, write_domain};
use surefoot_learn::Recording;
use surefoot_log::{Log, Meaning, Table, guess};

use crate::warehouse::Warehouse;

fn guessed(log: &str) -> String {
    guess(&Table::read("log", &mut log.as_bytes(), None).unwrap())
        .unwrap_or_else(|error| panic!("{error}"))
        .text
}

#[track_caller]
fn has(map: &str, lines: &[&str]) {
    for line in lines {
        assert!(map.lines().any(|found| found.starts_with(line)), "{line:?} is not in\n{map}");
    }
}

#[test]
fn of_a_warehouse() {
    let warehouse = Warehouse::simulate(11, 6, 60);
    for log in [warehouse.csv(','), warehouse.json_lines()] {
        let map = guessed(&log);
        has(
            &map,
            &[
                "time = \"t\"",
                "episode = \"day\"",
                "action = \"what\"",
                "# error says why something failed:",
                "status = \
                 { column = \"status\", ok = [\"ok\"], failed = [\"failed\"], code = \"error\" }",
                "place = [\"place\", \"target\"]",
                "[after]",
                "\"place\" = \"(place-of ?robot ?place)\"",
                "\"battery\" = \"(battery ?robot)\"",
                "\"load\" = \"(load ?robot)\"",
                "\"boot\" = \"report\"",
                "\"go\" = \
                 { robot = \"robot\", place-before = \"(place-of ?robot)\", target = \"target\" }",
                "\"pick\" = [\"robot\", \"item\", \"place\"]",
                "\"charge\" = [\"robot\", \"place\"]",
            ],
        );
        // Each guess has its reason beside it.
        let bare = map
            .lines()
            .filter(|line| line.contains(" = ") && !line.contains('#'))
            .collect::<Vec<_>>();
        assert!(bare.is_empty(), "{bare:?}");
        let meaning = Meaning::read(&Source::new("guess.toml", &map)).unwrap();
        assert!(write_domain(&meaning.domain).contains(
            "(:action pick\n    :parameters (?robot - robot ?item - item ?place - place)"
        ));
        let table = Table::read("log", &mut log.as_bytes(), None).unwrap();
        let log = Log::open(meaning, std::path::Path::new("."), vec![table]).unwrap();
        for trace in 0..log.traces() {
            log.digest(trace).unwrap();
        }
        assert_eq!((log.tally().episodes, log.tally().moved), (6, 0));
    }
}

#[test]
fn objects_in_the_names_of_columns() {
    for (names, key) in [
        ("battery[r1],battery[r2]", "\"battery[{who}]\" = \"(battery ?who)\""),
        ("battery.r1,battery.r2", "\"battery.{who}\" = \"(battery ?who)\""),
        ("r1_battery,r2_battery", "\"{who}_battery\" = \"(battery ?who)\""),
        ("battery_r1,battery_r2", "\"battery_{who}\" = \"(battery ?who)\""),
    ] {
        let mut log = format!("do,who,{names}\n");
        for turn in 0..20 {
            log += &format!("work,r{},{},{}\n", turn % 2 + 1, 50 - turn, 70 - turn / 2);
        }
        has(&guessed(&log), &[key, "\"work\" = [\"who\"]"]);
    }
}

#[test]
fn times_and_ids_are_no_numbers() {
    let mut log = String::from("event_id,at,robot_id,event,uuid,speed,seen\n");
    for row in 0..40 {
        log += &format!(
            "{row},{},{},{},u{row},{},{}\n",
            1_740_808_816 + row,
            row % 3,
            ["go", "stop"][row % 2],
            [0.5, 0.25][row / 20],
            row < 9
        );
    }
    let map = guessed(&log);
    has(
        &map,
        &[
            "time = \"at\"",
            "action = \"event\"",
            "  \"event_id\",",
            "  \"uuid\",",
            "robot = [\"robot_id\"]",
            "\"speed\" = \"(speed ?robot_id)\"",
        ],
    );
    assert!(map.contains("\"(seen ?robot_id) if true\""), "{map}");
}

#[test]
fn what_has_no_action_is_refused() {
    let table = Table::read("log", &mut &b"a,b\n1.5,2\n2.5,3\n"[..], None).unwrap();
    assert!(guess(&table).unwrap_err().to_string().contains("what was done"));
}

#[test]
fn what_has_no_rows_is_refused() {
    for log in ["do,robot\n", "do\n", "{}\n"] {
        let table = Table::read("log", &mut log.as_bytes(), None).unwrap();
        let refused = guess(&table).unwrap_err().to_string();
        assert!(
            refused.contains("no rows")
                || log.starts_with('{') && refused.contains("what was done"),
            "{log}: {refused}"
        );
    }
}

#[test]
fn decimal_commas_are_numbers_that_cannot_be_read() {
    let mut log = String::from("do;robot;battery;load\n");
    for row in 0..40 {
        log +=
            &format!("{};r{};{},5;{}\n", ["go", "stop"][row % 2], row % 3, 60 - row / 3, row / 10);
    }
    let map = guessed(&log);
    has(
        &map,
        &[
            "  \"battery\",  # numbers with decimal commas? write them with points (63.7)",
            "robot = [\"robot\"]",
        ],
    );
    assert!(!map.contains("battery = ") && !map.contains("?battery"), "{map}");
}

#[test]
fn undecided_maps_are_refused_with_their_questions() {
    let rest = "action = \"do\"\n[before-or-after]\nlevel = \"(level ?door)\"\n[actions]\ngo = \
                [\"door\"]\n";
    let read = |text: &str| {
        Meaning::read(&Source::new("map.toml", text)).map(|_| ()).map_err(|error| error.to_string())
    };
    let asked = format!(
        "undecided.side = \"before or after?\"\nundecided.status = \"which word?\"\n{rest}"
    );
    let refused = read(&asked).unwrap_err();
    for said in [
        "2 questions",
        "`side`, `status`",
        "before or after?",
        "map.toml:1:",
        "delete the answered question",
    ] {
        assert!(refused.contains(said), "{said} is not in {refused}");
    }
    let refused = read(rest).unwrap_err();
    assert!(
        refused.contains("map.toml:3:") && refused.contains("rename [before-or-after]"),
        "{refused}"
    );
    for side in ["before", "after"] {
        read(&rest.replace("before-or-after", side)).unwrap();
        let draft = Meaning::draft(&Source::new("map.toml", &asked), side == "before").unwrap();
        assert_eq!(
            (draft.before.len(), draft.after.len()),
            if side == "before" { (1, 0) } else { (0, 1) }
        );
    }
}

#[test]
fn a_variable_names_a_column_that_pddl_cannot_name() {
    let map = "action = \"do\"\nobjects = \
               { order = [\"case:name\", \"part of\"] }\n[after]\namount = \"(amount \
               ?case-name)\"\n[actions]\ngo = { order = \"case:name\" }\n";
    let table = Table::read(
        "log",
        &mut &b"do,case:name,part of,amount\ngo,o1,o2,3\ngo,o1,o2,2\n"[..],
        None,
    )
    .unwrap();
    let log = Log::open(
        Meaning::read(&Source::new("map.toml", map)).unwrap(),
        std::path::Path::new("."),
        vec![table],
    )
    .unwrap();
    let mut written = Vec::new();
    log.write(0, &mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(written.contains("(amount o1)"), "{written}");
}

/// A value that is never seen twice is not one that never changes.
#[test]
fn values_of_single_rows_are_asked_about() {
    let rows: String =
        (0..30).map(|run| format!("run{run},use,r0,5\nrun{run},use,r1,7\n")).collect();
    let map = guessed(&format!("run,action,robot,battery\n{rows}"));
    has(&map, &["undecided.\"side\"", "[before-or-after]"]);
}

/// What is written in the last row of an object, and never changes, is certain of the time before
/// that row's action alone.
#[test]
fn values_that_never_change_are_certain_before_a_last_action() {
    let run = |run: usize| {
        ["register", "check", "check", "ship"]
            .map(|act| format!("run{run},{act},r{},{run}\n", run % 2))
            .concat()
    };
    let map = guessed(&format!("run,action,robot,weight\n{}", (0..8).map(run).collect::<String>()));
    has(&map, &["\"register\" = \"report\"", "[before]", "\"weight\" = \"(weight ?robot)\""]);
}

/// Rows in which `0` worked and that show the state after look like rows in which `1` worked and
/// that show the state before.
#[test]
fn one_and_zero_of_a_status_are_asked_about() {
    let mut level = 0;
    let mut log = String::from("time,robot,action,status,level\n");
    for time in 0..60 {
        let works = time % 3 != 1;
        level += if works { 2 } else { 0 };
        log += &format!("{time},r1,work,{},{level}\n", u8::from(!works));
    }
    has(&guessed(&log), &["undecided.\"status\""]);
}

/// What failed changed nothing, so it does not tell what the action changes where it works.
#[test]
fn values_that_never_change_between_failures_do_not_tell_the_side() {
    let run = |run: usize, last: &str| {
        let rows = ["scan,ok", "wash,failed", "scan,ok", "wash,failed", "scan,ok", last];
        rows.map(|row| format!("run{run},r1,{row},{}\n", run % 4)).concat()
    };
    let runs = |last: &str| (0..8).map(|number| run(number, last)).collect::<String>();
    let head = "run,robot,action,status,battery\n";
    let map = guessed(&format!("{head}{}", runs("wash,ok")));
    has(&map, &["undecided.\"side\"", "[before-or-after]"]);
    // Nothing that worked comes last.
    let map = guessed(&format!("{head}{}", runs("wash,failed")));
    assert!(!map.contains("undecided"), "{map}");
}

#[test]
fn a_fault_may_be_a_state() {
    let rows = |name: &str| {
        let acts = ["drive,false", "stress,true", "fix,false", "charge,false"];
        let row =
            |time: usize| format!("{time},r{},{},{}\n", time % 3, acts[time % 4], time * 7 % 40);
        format!("time,robot,action,{name},battery\n{}", (0..60).map(row).collect::<String>())
    };
    for (name, is_asked) in [("fault", true), ("error", true), ("failed", false)] {
        let map = guessed(&rows(name));
        assert_eq!(map.contains("undecided.\"status\""), is_asked, "{map}");
    }
}

#[test]
fn a_state_that_only_falls_may_look_like_an_episode() {
    let row = |time: usize| {
        format!(
            "{time},r{},{},{},{}\n",
            time % 2,
            ["work", "charge"][time / 2 % 2],
            time * 7 % 40,
            6 - time / 15
        )
    };
    let log = |name: &str| {
        format!("time,robot,action,battery,{name}\n{}", (0..60).map(row).collect::<String>())
    };
    has(&guessed(&log("level")), &["undecided.\"episode\"", "episode = \"level\""]);
    assert!(!guessed(&log("shift")).contains("undecided.\"episode\""));
}

/// Nothing in a log tells that actions do not need what never changes.
#[test]
fn what_never_changes_is_read_as_a_state() {
    let row = |time: usize| {
        format!(
            "{time},r{},{},{},closed,7,true\n",
            time % 2,
            ["drive", "charge"][time / 2 % 2],
            50 - time / 4 % 2
        )
    };
    let map = guessed(&format!(
        "time,robot,action,battery,door,width,ready\n{}",
        (0..40).map(row).collect::<String>()
    ));
    has(
        &map,
        &[
            "\"door\" = \"(door-closed ?robot) if closed\"",
            "\"width\" = \"(width ?robot)\"",
            "\"ready\" = \"(ready ?robot) if true\"",
        ],
    );
    assert!(!map.contains("always the same"), "{map}");
}

/// With one robot, rows do not tell whether the battery is of the robot or of the place where it
/// is.
#[test]
fn with_one_robot_the_owner_of_a_number_is_a_question() {
    let mut rows = String::from("run,cmd,robot,station,battery\n");
    let stations = [1, 1, 2, 3, 3, 1, 2, 2, 1, 3];
    for (number, station) in stations.iter().enumerate() {
        let cmd = if number % 3 == 0 { "move" } else { "dock" };
        rows += &format!("a,{cmd},r1,s{station},{}\n", 90 - 5 * number);
    }
    let owner = |log: &str| {
        let map = guess(&Table::read("log", &mut log.as_bytes(), None).unwrap()).unwrap();
        let question = map.questions.iter().find(|question| question.name == "owner");
        question.map(|question| question.text.clone())
    };
    assert!(owner(&rows).is_some_and(|text| text.contains("`robot`")));
    // A second robot rests beside it, wherever the first one is.
    let second: String = rows
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            format!("{row}\na,wait,r2,{},40\n", cells[3])
        })
        .collect();
    assert_eq!(owner(&format!("run,cmd,robot,station,battery\n{second}")), None);
}

/// What is empty in the rows that a guess reads may decide in later ones.
#[test]
fn a_column_that_is_empty_in_the_first_rows_is_a_question() {
    let rows: String =
        (0..60_000).map(|row| format!("move,r{},{},\n", row % 2, 90 - row % 7)).collect();
    let log = format!("cmd,robot,battery,spare\n{rows}");
    let map = guess(&Table::read("log", &mut log.as_bytes(), None).unwrap()).unwrap();
    assert!(map.text.contains("guessed from its first "), "{}", map.text);
    let asked = map.questions.iter().any(|question| question.name == "spare");
    assert!(
        asked && map.text.contains("\"spare\",  # it is empty in the first rows"),
        "{}",
        map.text
    );
}

/// Two words of which one means success may say how attempts went, whatever the other one is.
#[test]
fn a_word_of_success_beside_another_word_is_a_question() {
    let rows: String = (0..12)
        .map(|row| match row % 3 {
            0 => format!("lift,r1,{},nope\n", 90 - row),
            1 => format!("work,r1,{},done\n", 90 - row),
            _ => format!("rest,r1,{},done\n", 91 - row),
        })
        .collect();
    let log = format!("cmd,robot,battery,ack\n{rows}");
    let map = guess(&Table::read("log", &mut log.as_bytes(), None).unwrap()).unwrap();
    let question = map.questions.iter().find(|question| question.name == "status").unwrap();
    assert!(question.text.contains("`ack`") && question.text.contains("nope 4"), "{}", map.text);
}
