//! What is wrong is said, with its place: `file:row:column` and the cell.

use surefoot_base::pddl::Source;
use surefoot_learn::Recording;
use surefoot_log::Meaning;

use crate::warehouse::{Folder, open};

const MAP: &str = "episode = \"e\"\ntime = \"t\"\naction = \"do\"\nstatus = \
                   { column = \"ok\", ok = \"yes\", failed = \"no\" }\n[after]\nbattery \
                   = \"(battery ?robot)\"\nspot = \"(at ?robot ?spot)\"\n[actions]\nwork = \
                   [\"robot\"]\n";
const HEAD: &str = "e,t,do,ok,robot,battery,spot\n";

/// What is said of a log; nothing where it is read.
fn said(map: &str, log: &[u8]) -> String {
    let folder = Folder::new(&[("log.csv", log)]);
    let log = match open(&folder, map, &["log.csv"]) {
        Err(error) => return error.replace(&folder.root().display().to_string(), ""),
        Ok(log) => log,
    };
    let read = (0..log.traces()).map(|trace| log.digest(trace)).collect::<Result<Vec<_>, _>>();
    read.map_or_else(
        |error| error.to_string().replace(&folder.root().display().to_string(), ""),
        |_| String::new(),
    )
}

#[track_caller]
fn is_said(map: &str, log: &str, words: &[&str]) {
    let said = said(map, log.as_bytes());
    for word in words {
        assert!(said.contains(word), "{word:?} is not in:\n{said}");
    }
}

/// As in PDDL, `- spot` is the type of every variable before it.
#[test]
fn a_type_that_spreads_to_a_variable_before_it() {
    let map = MAP.replace("?robot ?spot", "?robot ?cell - spot");
    let words =
        ["map.toml:7", "`robot`", "of type robot", "of type spot", "write `?robot - robot`"];
    is_said(&map, &format!("{HEAD}1,1,work,yes,r,5,x\n"), &words);
    let map = MAP.replace("?robot ?spot", "?robot - robot ?cell - spot");
    assert_eq!(said(&map, format!("{HEAD}1,1,work,yes,r,5,x\n").as_bytes()), "");
}

/// A type `object` would be PDDL's root of all types, and a fact `not` could not be read back.
#[test]
fn words_that_pddl_has_a_meaning_for() {
    let log = format!("{HEAD}1,1,work,yes,r,5,x\n");
    for name in ["object", "number", "Either"] {
        is_said(
            &MAP.replace("?spot)", &format!("?cell - {name})")),
            &log,
            &[&format!("`{name}` means something else in PDDL"), "type"],
        );
    }
    for name in ["not", "and", "increase", "Assign"] {
        is_said(
            &MAP.replace("(battery ", &format!("({name} ")),
            &log,
            &[&format!("`{name}` means something else in PDDL"), "map.toml:6"],
        );
    }
}

#[test]
fn cells() {
    assert_eq!(said(MAP, format!("{HEAD}1,1,work,yes,r,5,x\n").as_bytes()), "");
    for (row, words) in [
        ("1,1,work,yes,r,abc,x", &["/log.csv:3:6", "battery = abc", "expected a number"][..]),
        ("1,1,work,yes,r,inf,x", &["/log.csv:3:6", "battery = inf"]),
        ("1,1,work,yes,r,1e999999,x", &["/log.csv:3:6", "digits"]),
        ("1,1,work,maybe,r,5,x", &["/log.csv:3:4", "ok = maybe", "the status `maybe`"]),
        ("1,1,jump,yes,r,5,x", &["/log.csv:3:3", "no action `jump`", "it has work"]),
        ("1,1,,yes,r,5,x", &["/log.csv:3:3", "names no action"]),
        ("1,0,work,yes,r,5,x", &["/log.csv:3:2", "t = 0", "the time goes back"]),
        (",1,work,yes,r,5,x", &["/log.csv:3:1", "which episode"]),
        (
            "1,1,work,yes,R,5,x",
            &[
                "/log.csv:3:5",
                "robot = R",
                "`r` (/log.csv:2, robot) look alike",
                "both would be `R`",
            ],
        ),
        (
            "1,1,work,yes,r,5,r",
            &[
                "/log.csv:3:7",
                "spot = r",
                "names an object of type spot here and one of type robot elsewhere",
            ],
        ),
        ("1,1,work,yes,r,5", &["/log.csv:3:6", "this row has 6 cells, but there are 7 columns"]),
        ("1,1,work,yes,r,5,x,y", &["/log.csv:3:7", "this row has 8 cells"]),
    ] {
        let log = format!("{HEAD}1,1,work,yes,r,5,x\n{row}\n");
        is_said(MAP, &log, words);
        // As spreadsheets and Python's csv module end their lines.
        is_said(MAP, &log.replace('\n', "\r\n"), words);
    }
    for missing in ["", "NaN", "nan", "NA", "null", "None"] {
        assert_eq!(
            said(MAP, format!("{HEAD}1,1,work,yes,r,{missing},x\n").as_bytes()),
            "",
            "{missing}"
        );
    }
}

#[test]
fn tables() {
    is_said(MAP, "", &["/log.csv", "the file is empty"]);
    is_said(
        MAP,
        "e,t,do,ok,robot,battery,battery\n",
        &["/log.csv:1:7", "two columns are named `battery`"],
    );
    is_said(
        MAP,
        "e,t,do,ok,robot,Battery,spot\n",
        &["map.toml:6:1", "has no column `battery`", "did you mean `Battery`?"],
    );
    let wrong = [HEAD.as_bytes(), b"1,1,work,yes,r\xff,5,x\n"].concat();
    let said = said(MAP, &wrong);
    assert!(said.contains("/log.csv:2:5") && said.contains("not UTF-8"), "{said}");
    is_said(MAP, "[{\"e\": 1}]", &["one JSON array"]);
    is_said(MAP, "{\"e\": 1}\n{\"e\": }\n", &["/log.csv:2:7", "not a JSON object"]);
    is_said(MAP, "{\"e\": 1, \"e\": 2}\n", &["/log.csv:1:1", "`e` stands here twice"]);
    is_said(
        MAP,
        &format!("{{\"e\": {}1{}}}\n", "[".repeat(100), "]".repeat(100)),
        &["/log.csv:1:1"],
    );
    is_said(MAP, "PAR1....", &["Parquet"]);
    is_said(MAP, HEAD, &["/log.csv", "the log has no rows"]);
}

#[test]
fn wide_text() {
    let text = format!("{HEAD}1,1,work,yes,r,5,x\n");
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in
        [[&[0xff, 0xfe][..], &little].concat(), [&[0xfe, 0xff][..], &big].concat(), little, big]
    {
        let said = said(MAP, &bytes);
        assert!(said.contains("/log.csv") && said.contains("iconv -f utf-16 -t utf-8"), "{said}");
    }
}

#[test]
fn decimal_commas() {
    let log = format!("{HEAD}1,1,work,yes,r,5,x\n1,1,work,yes,r,63.7,x\n")
        .replace(',', ";")
        .replace('.', ",");
    is_said(MAP, &log, &["/log.csv:3:6", "battery = 63,7", "a decimal comma?", "write 63.7"]);
}

#[test]
fn maps() {
    for (from, to, words) in [
        ("action = \"do\"", "acton = \"do\"", &["map.toml:3:1", "unknown field"][..]),
        ("action = \"do\"", "action = ", &["map.toml:3:"]),
        ("\"(battery ?robot)\"", "\"battery\"", &["map.toml:6:11", "expected a fact"]),
        ("\"(battery ?robot)\"", "\"(battery ?robo)\"", &["map.toml:6:1", "has no column `robo`"]),
        ("\"(battery ?robot)\"", "\"(at ?robot)\"", &["map.toml:7:8", "`at`"]),
        ("work = [\"robot\"]", "work = [\"robot\", \"robot\"]", &["two parameters"]),
        ("work = [\"robot\"]", "work = { r = \"(on ?robot)\" }", &["`on` names no object"]),
        ("work = [\"robot\"]", "work = \"nothing\"", &["expected \"report\""]),
        ("work = [\"robot\"]", "", &["names no action"]),
        (
            "[actions]",
            "[declared]\n\"(p ?x)\" = { from = \"work\" }\n[actions]",
            &["work has no parameter ?x"],
        ),
        ("[actions]", "[declared]\n\"(at ?robot)\" = { from = \"work\" }\n[actions]", &["`at`"]),
        (
            "[actions]",
            "[declared]\n\"(p ?robot)\" = { from = \"rest\" }\n[actions]",
            &["`rest` is not an action"],
        ),
        (
            "[actions]",
            "[static.\"none.json\"]\n\"a.{robot}\" = \"(c ?robot)\"\n[actions]",
            &["map.toml:8:9", "none.json cannot be read"],
        ),
        (
            "[after]",
            "empty = { battery = \"zero\" }\n[after]",
            &["\"unknown\", \"unchanged\" or \"none\""],
        ),
        ("[after]", "complete = [\"speed\"]\n[after]", &["no fact of this map is called `speed`"]),
    ] {
        is_said(&MAP.replace(from, to), &format!("{HEAD}1,1,work,yes,r,5,x\n"), words);
    }
    assert!(Meaning::read(&Source::new("m", "")).is_err());
    let typo = MAP.replace("work = ", "wrok = ");
    is_said(
        &typo,
        &format!("{HEAD}1,1,work,yes,r,5,x\n"),
        &["/log.csv:2:3", "it has `wrok` under [actions]: did you mean `work`?"],
    );
    // What does not agree because of a variable is told where that is.
    let asked = MAP
        .replace("[after]", "objects = { robot = \"robot\", spot = \"spot\" }\n[after]")
        .replace("(at ?robot ", "(at ?robo ");
    let asked = asked.replace("[\"robot\"]", "{ robot = \"robot\", from = \"(at ?robot)\" }");
    let words = [
        "map.toml:8:8",
        "?robo is neither a column nor a type under `objects`",
        "did you mean `?robot`?",
    ];
    is_said(&asked, &format!("{HEAD}1,1,work,yes,r,5,x\n"), &words);
}
