//! Logs of other shapes: states before and after, of all objects, nested, with flags, with gaps.

use crate::warehouse::{Folder, open};

/// The trajectory of the first episode, without what stands at its top.
fn first(log: &surefoot_log::Log) -> String {
    let mut text = Vec::new();
    log.write(0, &mut text).unwrap_or_else(|error| panic!("{error:?}"));
    String::from_utf8(text)
        .unwrap()
        .lines()
        .skip_while(|line| line.starts_with(';'))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The trajectory of the first episode.
fn text(map: &str, log: &str) -> String {
    let folder = Folder::new(&[("log", log.as_bytes())]);
    let log = open(&folder, map, &["log"]).unwrap_or_else(|error| panic!("{error}"));
    first(&log)
}

const ALL: &str = "action = \"do\"\n[after]\n\"battery[{robot}]\" = \"(battery \
                   ?robot)\"\n[actions]\nwork = { r = \"who - robot\" }\n\"\" = \"report\"\n";

#[test]
fn objects_in_the_names_of_columns() {
    for names in ["battery[r1],battery[r2]", "battery.r1,battery.r2", "r1_battery,r2_battery"] {
        let pattern = if names.contains('[') {
            "battery[{robot}]"
        } else if names.contains('.') {
            "battery.{robot}"
        } else {
            "{robot}_battery"
        };
        let map = ALL.replace("battery[{robot}]", pattern);
        let log = format!("do,who,{names}\n,,5,7\nwork,r1,4,7\nwork,r2,4,6\n");
        assert_eq!(
            text(&map, &log),
            "((:init (= (battery r1) 5.0) (= (battery r2) 7.0))\n(operator: (work r1))\n(:state (= \
             (battery r1) 4.0) (= (battery r2) 7.0))\n\
             (operator: (work r2))\n(:state (= (battery r1) 4.0) (= (battery r2) 6.0))\n)\n"
        );
    }
}

/// What no row has told yet is unknown, not undefined.
#[test]
fn the_first_row_has_an_unknown_state_before() {
    let told = text(ALL, "do,who,battery[r1],battery[r2]\nwork,r1,4,7\nwork,r2,,6\n");
    assert_eq!(
        told,
        "((:init (unknown (battery r1)) (unknown (battery r2)))\n(operator: (work r1))\n(:state (= \
         (battery r1) 4.0) (= (battery r2) 7.0))\n\
         (operator: (work r2))\n(:state (= (battery r2) 6.0) (unknown (battery r1)))\n)\n"
    );
    let unchanged = ALL.replace("[after]", "empty = { \"*\" = \"unchanged\" }\n[after]");
    let told = text(&unchanged, "do,who,battery[r1],battery[r2]\nwork,r1,4,7\nwork,r2,,6\n");
    assert!(told.ends_with("(:state (= (battery r1) 4.0) (= (battery r2) 6.0))\n)\n"), "{told}");
}

/// What came of a step is what the next row says that speaks of the same robot.
#[test]
fn states_before_alone() {
    let map = "action = \"do\"\n[before]\nbattery = \"(battery ?robot)\"\n[actions]\nwork = \
               [\"robot\"]\n";
    assert_eq!(
        text(map, "do,robot,battery\nwork,r1,9\nwork,r2,5\nwork,r1,8\nwork,r2,4\nwork,r1,7\n"),
        "((:init (= (battery r1) 9.0) (= (battery r2) 5.0))\n(operator: (work r1))\n(:state (= \
         (battery r1) 8.0) (= (battery r2) 5.0))\n\
         (operator: (work r2))\n(:state (= (battery r1) 8.0) (= (battery r2) 4.0))\n(operator: \
         (work r1))\n\
         (:state (= (battery r1) 7.0) (= (battery r2) 4.0))\n(operator: (work r2))\n(:state (= \
         (battery r1) 7.0) (unknown (battery r2)))\n\
         (operator: (work r1))\n(:state (unknown (battery r1)) (unknown (battery r2)))\n)\n"
    );
}

const BEFORE: &str = "action = \"do\"\nstatus = \
                      { column = \"ok\", ok = \"1\", failed = \"0\" }\nobjects = \
                      { robot = [\"robot\", \"other\"] }\n[before]\nbattery = \"(battery \
                      ?robot)\"\n[actions]\nlook = \"report\"\nwork = [\"robot\"]\ncharge = \
                      { r = \"robot\", o = \"other\" }\n";

/// What is read after something was done to a thing tells nothing of how it was before.
#[test]
fn states_before_alone_stop_at_what_was_done_in_between() {
    let told = text(
        BEFORE,
        "do,robot,other,battery,ok\ncharge,r1,r2,50,1\ncharge,r1,r2,45,1\nwork,r2,,20,1\n\
         look,r1,,40,1\n",
    );
    assert_eq!(
        told,
        "((:init (= (battery r1) 50.0) (unknown (battery r2)))\n(operator: (charge r1 r2))\n\
         (:state (= (battery r1) 45.0) (unknown (battery r2)))\n(operator: (charge r1 r2))\n\
         (:state (= (battery r1) 40.0) (= (battery r2) 20.0))\n(operator: (work r2))\n\
         (:state (= (battery r1) 40.0) (unknown (battery r2)))\n)\n"
    );
    // Whatever became of what was done, and whomever it was done to where the row does not say.
    for between in
        ["charge,r2,r1,,1", "charge,r2,r1,,0", "charge,r2,r1,,", "charge,r2,,,1", "charge,r2,,,0"]
    {
        let told = text(
            BEFORE,
            &format!("do,robot,other,battery,ok\nwork,r1,,50,1\n{between}\nlook,r1,,40,1\n"),
        );
        let after = "(operator: (work r1))\n(:state (unknown (battery r1))";
        assert!(told.contains(after), "{between}: {told}");
    }
    let told =
        text(BEFORE, "do,robot,other,battery,ok\nwork,r1,,50,1\nwork,r2,,9,1\nlook,r1,,40,1\n");
    assert!(
        told.contains("(operator: (work r1))\n(:state (= (battery r1) 40.0) (= (battery r2) 9.0))"),
        "{told}"
    );
}

/// A thing that an action takes and that its row does not report.
#[test]
fn states_before_alone_of_what_a_row_acts_on_without_reporting_it() {
    let map = "action = \"do\"\nobjects = { shelf = [\"shelf\", \"target\"] }\n[before]\nstock \
               = \"(stock ?shelf)\"\n[actions]\npick = [\"target\"]\nscan = [\"shelf\"]\n";
    assert_eq!(
        text(
            map,
            "do,shelf,target,stock\nscan,a,,6\nscan,a,,6\npick,,a,\nscan,a,,5\npick,,a,\npick,,a,\n\
             scan,a,,3\n"
        ),
        "((:init (= (stock a) 6.0))\n(operator: (scan a))\n(:state (= (stock a) 6.0))\n(operator: \
         (scan a))\n(:state (unknown (stock a)))\n\
         (operator: (pick a))\n(:state (= (stock a) 5.0))\n(operator: (scan a))\n(:state (unknown \
         (stock a)))\n(operator: (pick a))\n\
         (:state (unknown (stock a)))\n(operator: (pick a))\n(:state (= (stock a) \
         3.0))\n(operator: (scan a))\n(:state (unknown (stock a)))\n)\n"
    );
}

/// A state before that is not where the last step ended: the world moved without a step.
#[test]
fn nested_states_before_and_after() {
    let map = "action = \"act.name\"\n[before]\n\"s.{robot}.x\" = \"(x ?robot)\"\n\"s.{robot}.in\" \
               = \"(in ?robot - robot ?cell - room)\"\n[after]\n\
               \"n.{robot}.x\" = \"(x ?robot)\"\n\"n.{robot}.in\" = \"(in ?robot - robot ?cell - \
               room)\"\n[actions]\ngo = { r = \"act.who - robot\", to = \"act.to - room\" }\n";
    let log = r#"{"act": {"name": "go", "who": "r", "to": "b"}, "s": {"r": {"x": 1, "in": "a"}}, "n": {"r": {"x": 2, "in": "b"}}}
{"act": {"name": "go", "who": "r", "to": "a"}, "s": {"r": {"x": 5, "in": "b"}}, "n": {"r": {"x": 6, "in": "a"}}}
"#;
    assert_eq!(
        text(map, log),
        "((:init (= (x r) 1.0) (in r a))\n(operator: (go r b))\n(:state (= (x r) 2.0) (in r \
         b))\n(:reset (= (x r) 5.0) (in r b))\n\
         (operator: (go r a))\n(:state (= (x r) 6.0) (in r a))\n)\n"
    );
}

#[test]
fn flags_and_what_is_held() {
    let map = "action = \"do\"\nempty = { holding = \"none\" }\n[after]\nopen = \"(open ?door) if \
               true\"\nmode = [\"(idle ?door) if idle\", \"(moving ?door) if opening|closing\"]\n\
               holding = \"(holds ?door ?key)\"\nobjects.key = \"holding\"\n[actions]\npush = \
               [\"door\"]\n";
    let map = map
        .replace("objects.key = \"holding\"\n", "")
        .replace("[after]", "objects = { key = \"holding\" }\n[after]");
    assert_eq!(
        text(&map, "do,door,open,mode,holding\npush,d,yes,idle,k\npush,d,0,closing,\n"),
        "((:init (unknown (open d)) (unknown (idle d)) (unknown (moving d)) (unknown (holds d \
         k)))\n(operator: (push d))\n\
         (:state (open d) (idle d) (holds d k))\n(operator: (push d))\n(:state (moving d))\n)\n"
    );
}

/// Telemetry that moves while nothing works is no effect of what failed.
#[test]
fn what_changes_with_a_failure_is_a_reset() {
    let map = "action = \"do\"\nstatus = \
               { column = \"ok\", ok = \"1\", failed = \"*\" }\n[after]\nbattery = \"(battery \
               ?robot)\"\n[actions]\nwork = [\"robot\"]\n";
    assert_eq!(
        text(map, "do,robot,battery,ok\nwork,r,9,1\nwork,r,8,E7\nwork,r,7,1\n"),
        "((:init (unknown (battery r)))\n(operator: (work r))\n(:state (= (battery r) \
         9.0))\n(failed: (work r))\n(:reset (= (battery r) 8.0))\n\
         (operator: (work r))\n(:state (= (battery r) 7.0))\n)\n"
    );
}

/// A step of which an object is not told may have been about any of them.
#[test]
fn a_missing_argument_makes_what_it_may_have_changed_unknown() {
    let map = "action = \"do\"\n[after]\nheat = \"(heat ?item)\"\n[actions]\ncook = \
               [\"item\"]\n[declared]\n\"(done ?item)\" = { from = \"cook\" }\n";
    let told = text(map, "do,item,heat\ncook,a,1\ncook,b,2\ncook,,\ncook,a,5\n");
    assert!(
        told.contains(
            "(:reset (unknown (heat a)) (unknown (heat b)) (unknown (done a)) (unknown (done b)))"
        ),
        "{told}"
    );
    // Also of what is met later: of c, the row may have been, too.
    let told = text(
        &map.replace("}", ", start = false }"),
        "do,item,heat\ncook,a,1\ncook,,\ncook,c,3\ncook,d,4\n",
    );
    assert!(
        told.starts_with("((:init (unknown (heat a)) (unknown (heat c)) (unknown (heat d)))"),
        "{told}"
    );
    assert!(
        told.contains(
            "(unknown (done a)) (unknown (done c)) (unknown (done d)))\n(operator: (cook c))"
        ),
        "{told}"
    );
}

const READ: &str = "action = \"do\"\ntime = \"t\"\n[actions]\nwork = \
                    { r = \"who - robot\" }\n[values]\nobject = \"thing\"\nattribute \
                    = \"signal\"\nvalue = \"is\"\nlogged = \"samples\"\n[values.facts]\nbat \
                    = \"(battery ?robot)\"\nroom = \"(in ?robot - robot ?cell - room)\"\n";

fn read(map: &str, events: &str, values: &str) -> String {
    let folder =
        Folder::new(&[("events.csv", events.as_bytes()), ("values.csv", values.as_bytes())]);
    let log =
        open(&folder, map, &["events.csv", "values.csv"]).unwrap_or_else(|error| panic!("{error}"));
    first(&log)
}

const EVENTS: &str = "t,do,who\n10,work,r1\n20,work,r2\n30,work,r1\n";

/// What is read first after an event is what came of it; what is read later without an event is
/// not.
#[test]
fn events_and_values_in_two_tables() {
    // Not in the order of time, as when devices report late; and one attribute that the map does
    // not know.
    let values = "t,thing,signal,is\n9,r1,bat,5\n8,r1,bat,6\n10,r1,bat,4\n12,r1,bat,3.5\n\
                  5,r2,bat,9\n21,r2,bat,8\n31,r1,bat,2\n1,r1,room,a\n11,r1,room,a\n32,r1,room,b\n\
                  2,r2,room,a\n22,r2,room,a\n3,r2,hum,1\n";
    assert_eq!(
        read(READ, EVENTS, values),
        "((:init (= (battery r2) 9.0) (= (battery r1) 5.0) (in r1 a) (in r2 a))\n(operator: (work \
         r1))\n\
         (:state (= (battery r2) 9.0) (= (battery r1) 4.0) (in r1 a) (in r2 a))\n\
         (:reset (= (battery r2) 9.0) (= (battery r1) 3.5) (in r1 a) (in r2 a))\n(operator: (work \
         r2))\n\
         (:state (= (battery r2) 8.0) (= (battery r1) 3.5) (in r1 a) (in r2 a))\n(operator: (work \
         r1))\n\
         (:state (= (battery r2) 8.0) (= (battery r1) 2.0) (in r2 a) (in r1 b))\n)\n"
    );
}

/// A change that is read only after the value before it was read once more may have come of the
/// event.
#[test]
fn a_first_reading_without_a_change_is_not_what_came_of_an_event_if_another_follows() {
    let start = "t,thing,signal,is\n1,r1,bat,5\n1,r2,bat,9\n";
    for logged in ["samples", "changes"] {
        let read = |values: &str| {
            read(&READ.replace("samples", logged), EVENTS, &format!("{start}{values}"))
        };
        let late = read("11,r1,bat,5\n12,r1,bat,4\n");
        assert!(
            late.contains(
                "(operator: (work r1))\n(:state (= (battery r2) 9.0) (unknown (battery r1))"
            ),
            "{late}"
        );
        assert!(
            late.contains("(:reset (= (battery r1) 4.0)")
                || late.contains("(:reset (= (battery r2) 9.0) (= (battery r1) 4.0)"),
            "{late}"
        );
        let once = read("11,r1,bat,5\n12,r1,bat,5\n");
        assert!(
            once.contains(
                "(operator: (work r1))\n(:state (= (battery r1) 5.0) (= (battery r2) 9.0)"
            ),
            "{once}"
        );
    }
}

/// A sensor that was renamed has two attributes, and one fact.
#[test]
fn what_is_read_first_does_not_depend_on_the_attribute_that_tells_it() {
    let map = READ.to_owned() + "charge = \"(battery ?robot)\"\n";
    let values = "t,thing,signal,is\n0,r1,bat,100\n0,r2,bat,9\n11,r1,bat,90\n15,r1,bat,85\n\
                  21,r2,bat,8\n31,r1,bat,75\n";
    let wanted = read(&map, EVENTS, values);
    assert!(wanted.contains("(= (battery r1) 90.0)") && wanted.contains("(:reset"), "{wanted}");
    for renamed in
        [values.replace("15,r1,bat", "15,r1,charge"), values.replace("11,r1,bat", "11,r1,charge")]
    {
        assert_eq!(read(&map, EVENTS, &renamed), wanted);
    }
}

/// A clock of hours and minutes begins again at midnight.
#[test]
fn readings_whose_clock_goes_back_are_refused() {
    let events = "t,do,who\n23:50:00,work,r1\n23:59:58,work,r1\n";
    let values = "t,thing,signal,is\n23:49:00,r1,bat,5\n23:50:05,r1,bat,4\n00:00:03,r1,bat,3\n";
    let folder =
        Folder::new(&[("events.csv", events.as_bytes()), ("values.csv", values.as_bytes())]);
    let error = open(&folder, READ, &["events.csv", "values.csv"]).err().unwrap();
    assert!(error.contains("values.csv:4:1") && error.contains("the time goes back"), "{error}");
    assert!(
        read(READ, events, &values.replace("00:00:03", "23:59:59"))
            .contains("(= (battery r1) 3.0)")
    );
    // A day in front and a year of two digits have no order.
    let dated =
        |text: &str| text.replace("23:49", "27.02.25 23:49").replace("23:5", "28.02.25 23:5");
    let values = dated(values).replace("00:00:03", "01.03.25 00:00:03");
    let folder =
        Folder::new(&[("events.csv", dated(events).as_bytes()), ("values.csv", values.as_bytes())]);
    let error = open(&folder, READ, &["events.csv", "values.csv"]).err().unwrap();
    assert!(
        error.contains("values.csv:2:1") && error.contains("nobody can tell which is earlier"),
        "{error}"
    );
}

/// Each log would get the readings of all of them.
#[test]
fn readings_of_two_logs_need_episodes() {
    let values = "t,thing,signal,is\n1,r1,bat,5\n11,r1,bat,4\n";
    let files = [
        ("a.csv", EVENTS.as_bytes()),
        ("b.csv", EVENTS.as_bytes()),
        ("values.csv", values.as_bytes()),
    ];
    let error = open(&Folder::new(&files), READ, &["a.csv", "b.csv", "values.csv"]).err().unwrap();
    assert!(error.contains("b.csv is a second log") && error.contains("`episode`"), "{error}");
}

/// Where the cells of the holder and of what is held are both lost, `place` did not leave it as it
/// was.
#[test]
fn an_empty_cell_that_means_none_is_unknown_where_its_owner_is_lost() {
    let map = "action = \"do\"\nempty = { held = \"none\" }\nobjects = \
               { robot = [\"robot\", \"holder\"], item = [\"item\", \"held\"] }\n\
               [after]\nheld = \"(holds ?holder ?held)\"\n[actions]\n\"pick, place\" = \
               [\"robot\", \"item\"]\n";
    let told = text(map, "do,robot,item,holder,held\npick,r1,i1,r1,i1\nplace,r1,i1,,\n");
    assert!(told.contains("(operator: (place r1 i1))\n(:state (unknown (holds r1 i1)))"), "{told}");
}

/// Between two samples anything may have happened to what an event is about; where every change is
/// logged, nothing did.
#[test]
fn what_is_not_read_is_unknown_unless_every_change_is_logged() {
    let values =
        "t,thing,signal,is\n1,r1,bat,5\n1,r2,bat,9\n1,r1,room,a\n1,r2,room,b\n15,r1,bat,4\n";
    let told = read(READ, EVENTS, values);
    assert!(
        told.contains(
            "(operator: (work r1))\n(:state (= (battery r1) 4.0) (= (battery r2) 9.0) (in r2 b) \
             (unknown (in r1 a)))\n"
        ),
        "{told}"
    );
    let told = read(&READ.replace("samples", "changes"), EVENTS, values);
    assert!(
        !told.contains("unknown")
            && told
                .contains("(:state (= (battery r1) 4.0) (= (battery r2) 9.0) (in r1 a) (in r2 b))"),
        "{told}"
    );
}

const HELD: &str = "episode = \"e\"\naction = \"do\"\n[after]\nload = \"(load \
                    ?robot)\"\n[actions]\n\"pick, place, look\" = \
                    [\"robot\", \"item\"]\n[declared]\n\"(holds ?robot ?item)\" = \
                    { from = \"pick\", until = \"place\" }\n";

/// A step that could not have worked as things are declared: what is declared is unknown before it,
/// and that is said.
#[test]
fn steps_that_do_not_fit_what_is_declared() {
    let folder = Folder::new(&[(
        "log.csv",
        b"e,do,robot,item,load\n1,look,r,i,1\n1,place,r,i,0\n1,pick,r,i,1\n1,place,r,i,0\n\
          1,place,r,i,0\n2,pick,r,i,1\n2,pick,r,i,1\n",
    )]);
    let log = open(&folder, HELD, &["log.csv"]).unwrap();
    let mut told = Vec::new();
    log.write(0, &mut told).unwrap();
    log.write(1, &mut told).unwrap();
    let told = String::from_utf8(told).unwrap();
    let told: String = told
        .lines()
        .filter(|line| !line.starts_with(';'))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(
        told,
        "((:init (unknown (load r)) (unknown (holds r i)))\n(operator: (look r i))\n(:state (= \
         (load r) 1.0) (unknown (holds r i)))\n\
         (operator: (place r i))\n(:state (= (load r) 0.0))\n(operator: (pick r i))\n(:state (= \
         (load r) 1.0) (holds r i))\n\
         (operator: (place r i))\n(:state (= (load r) 0.0) (unknown (holds r i)))\n(operator: \
         (place r i))\n(:state (= (load r) 0.0))\n)\n\
         ((:init (unknown (load r)) (unknown (holds r i)))\n(operator: (pick r i))\n(:state (= \
         (load r) 1.0) (unknown (holds r i)))\n\
         (operator: (pick r i))\n(:state (= (load r) 1.0) (holds r i))\n)\n"
    );
    let tally = log.tally();
    assert_eq!((tally.contradicted["place"].count, tally.contradicted["pick"].count), (1, 1));
    let warnings = tally.warnings();
    assert!(
        warnings[0].contains("pick works at")
            && warnings[0].contains("log.csv:8 although (holds r i) is already true there: is")
    );
    assert!(
        warnings[1].contains("log.csv:6 although (holds r i) is not true there: is"),
        "{warnings:?}"
    );
}

/// What a declared fact is at the start, nobody says, unless the map does; but a later row may tell
/// it, where nothing changed it before.
#[test]
fn how_a_declared_fact_is_at_the_start() {
    let init = |map: &str, rows: &str| {
        let told = text(map, &format!("e,do,robot,item,load\n{rows}"));
        told.lines()
            .next()
            .map(|line| line.replace("((:init (unknown (load r))", ""))
            .unwrap_or_default()
    };
    let (look, pick, place) = ("1,look,r,i,1\n", "1,pick,r,i,1\n", "1,place,r,i,1\n");
    let after = |rows: &[&str]| init(HELD, &rows.concat());
    assert_eq!(after(&[look]), " (unknown (holds r i)))");
    assert_eq!(after(&[look, place]), "((:init (holds r i) (unknown (load r)))");
    assert_eq!(after(&[look, pick]), ")");
    // The row between may have changed it.
    assert_eq!(after(&[look, "1,pick,r,,1\n", place]), " (unknown (holds r i)))");
    // What rows find is not relied on where they contradict each other.
    assert_eq!(after(&[look, place, place]), " (unknown (holds r i)))");
    for start in ["false", "true"] {
        let given = HELD.replace("\"place\" }", &format!("\"place\", start = {start} }}"));
        let known = if start == "true" { "((:init (holds r i) (unknown (load r)))" } else { ")" };
        assert_eq!(init(&given, look), known);
        // Until that is contradicted.
        let wrong = if start == "true" { pick } else { place };
        assert_eq!(init(&given, &[look, wrong].concat()), " (unknown (holds r i)))");
    }
    // A fact that nothing makes false may be made true again, so nothing is told of what was
    // before.
    let done = HELD.replace(", until = \"place\"", "");
    assert_eq!(init(&done, &[look, pick, pick].concat()), " (unknown (holds r i)))");
}

/// What is declared begins anew with an episode, so one episode in two files would be two.
#[test]
fn an_episode_in_two_files() {
    let folder = Folder::new(&[
        ("a.csv", b"e,do,robot,item,load\n1,pick,r,i,1\n"),
        ("b.csv", b"e,do,robot,item,load\n2,pick,r,i,1\n1,place,r,i,0\n"),
        ("c.csv", b"e,do,robot,item,load\n3,pick,r,i,1\n"),
    ]);
    let said = open(&folder, HELD, &["a.csv", "b.csv"]).err().unwrap();
    for words in ["b.csv:3", "the episode `1` is in", "a.csv too", "one file"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(open(&folder, HELD, &["a.csv", "c.csv"]).is_ok());
    // Without columns of episodes, a file is one.
    assert!(open(&folder, &HELD.replace("episode = \"e\"\n", ""), &["a.csv", "b.csv"]).is_ok());
}

#[test]
fn episodes_of_several_columns_stay_apart() {
    let map = "episode = [\"a\", \"b\"]\naction = \"do\"\n[after]\nbattery = \"(battery \
               ?robot)\"\n[actions]\nwork = [\"robot\"]\n";
    let folder = Folder::new(&[(
        "log",
        b"a,b,do,robot,battery\nx/y,z,work,r,10\nx,y/z,work,r,30\nx,y,work,r,5\n",
    )]);
    let log = open(&folder, map, &["log"]).unwrap();
    assert_eq!(log.episodes().collect::<Vec<_>>(), ["x\\/y/z", "x/y\\/z", "x/y"]);
    assert_eq!(log.file_names().len(), 3);
}

/// Times are compared as what they mean, not letter by letter.
#[test]
fn readings_with_fractions_and_offsets_come_in_time() {
    let events = "t,do,who\n2025-03-01T06:00:01Z,work,r1\n2025-03-01T08:00:02+02:00,work,r1\n";
    let values = "t,thing,signal,is\n2025-03-01T06:00:00.5Z,r1,bat,50\n\
                  2025-03-01T06:00:01.5Z,r1,bat,49\n2025-03-01T07:00:02.5+01:00,r1,bat,48\n";
    let told = read(&READ.replace("samples", "changes"), events, values);
    assert!(told.starts_with("((:init (= (battery r1) 50.0)"), "{told}");
    assert!(
        told.contains("(:state (= (battery r1) 49.0)")
            && told.contains("(:state (= (battery r1) 48.0)"),
        "{told}"
    );
}

#[test]
fn times_without_an_order_are_refused() {
    let values = |time: &str| {
        format!("t,thing,signal,is\n2025-03-01T06:00:00Z,r1,bat,50\n{time},r1,bat,49\n")
    };
    for (events, values, words) in [
        (
            "2025-03-01T06:00:00Z",
            values("2025-03-01T06:00:01"),
            ["values.csv:3:1", "2025-03-01T06:00:00Z"],
        ),
        (
            "2025-03-01T06:00:00",
            values("2025-03-01T06:00:01Z"),
            ["events.csv:2:1", "2025-03-01T06:00:00Z"],
        ),
        ("17", values("2025-03-01T06:00:01Z"), ["events.csv:2:1", "values.csv:2"]),
        (
            "2025-03-01T06:00:00Z,work,r1\n2025-03-01T06:00:00",
            values("2025-03-01T06:00:01Z"),
            ["events.csv:3:1", "06:00:00Z"],
        ),
    ] {
        let events = format!("t,do,who\n{events},work,r1\n");
        let folder =
            Folder::new(&[("events.csv", events.as_bytes()), ("values.csv", values.as_bytes())]);
        let said = match open(&folder, READ, &["events.csv", "values.csv"]) {
            Err(said) => said,
            Ok(log) => format!(
                "{:?}",
                log.write(0, &mut Vec::new())
                    .err()
                    .and_then(Result::err)
                    .map(|error| error.to_string())
            ),
        };
        for word in words.into_iter().chain(["cannot be compared"]) {
            assert!(said.contains(word), "{word:?} is not in:\n{said}");
        }
    }
}

/// A problem cannot say that something is unknown, so a comment does.
#[test]
fn what_is_unknown_at_the_start_is_a_comment_in_the_problem() {
    let map = "episode = \"e\"\naction = \"do\"\n[after]\nopen = \"(open ?door) if true\"\nheat \
               = \"(heat ?door)\"\n[actions]\npush = [\"door\"]\nlook = \"report\"\n";
    let folder = Folder::new(&[(
        "log",
        b"e,do,door,open,heat\n1,push,d,yes,3\n2,look,d,no,2\n2,push,d,yes,3\n3,look,d,no,\n",
    )]);
    let log = open(&folder, map, &["log"]).unwrap();
    let problems: Vec<String> =
        (0..3).map(|trace| log.write(trace, &mut Vec::new()).unwrap()).collect();
    assert!(
        problems[0].starts_with(
            "; unknown at the start: (heat d)\n; unknown at the start: (open d)\n(define"
        ),
        "{}",
        problems[0]
    );
    assert!(problems[1].starts_with("(define"), "{}", problems[1]);
    assert!(
        problems[2].starts_with("; unknown at the start: (heat d)\n(define"),
        "{}",
        problems[2]
    );
    for problem in &problems {
        assert!(
            surefoot_base::pddl::read_problem(
                &surefoot_base::pddl::Source::new("p", problem),
                log.domain(),
                surefoot_base::pddl::Numbers::Exact
            )
            .is_ok(),
            "{problem}"
        );
    }
    assert_eq!(log.tally().unknown_starts, 2);
    assert!(log.tally().to_string().contains("2  problem files lack facts"), "{}", log.tally());
}
