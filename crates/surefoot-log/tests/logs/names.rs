//! One rule decides everywhere whether two words name the same thing, and no row, file or table of
//! readings contradicts itself.

use proptest::prelude::*;
use surefoot_learn::Recording;

use crate::warehouse::{Folder, open};

/// What is written of a log (trajectories and problems, then what is doubted), or what is wrong
/// with it.
fn read(map: &str, files: &[(&str, &str)], logs: &[&str]) -> Result<String, String> {
    let bytes: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let folder = Folder::new(&bytes);
    let shown = |error: String| error.replace(&format!("{}/", folder.root().display()), "");
    let log = open(&folder, map, logs).map_err(shown)?;
    let mut text = Vec::new();
    for trace in 0..log.traces() {
        let problem = log.write(trace, &mut text).map_err(|error| match error {
            Ok(error) => error.to_string(),
            Err(error) => shown(error.to_string()),
        })?;
        text.extend_from_slice(problem.as_bytes());
    }
    log.doubts()
        .iter()
        .for_each(|doubt| text.extend_from_slice(format!("; {}\n", doubt.text).as_bytes()));
    // The sentence about `names` is all that may tell joined words from equal ones.
    let text = String::from_utf8(text).unwrap();
    Ok(text
        .lines()
        .filter(|line| !line.starts_with("; assumed: Some words of the log stand"))
        .map(|line| format!("{line}\n"))
        .collect())
}

#[track_caller]
fn is_refused(map: &str, files: &[(&str, &str)], logs: &[&str], words: &[&str]) {
    let said = read(map, files, logs).expect_err("it is read");
    words.iter().for_each(|word| assert!(said.contains(word), "{word:?} is not in:\n{said}"));
}

const MAP: &str = "episode = \"run\"\naction = \"do\"\ncomplete = [\"charger\"]\nobjects = \
                   { robot = \"robot\", station = \"station\" }\n[after]\nbattery = \"(battery \
                   ?robot)\"\n[actions]\nboot = \"report\"\ncharge = \
                   [\"robot\", \"station\"]\n[static.\"static.json\"]\n\"c.{station}\" \
                   = \"(charger ?station) if true\"\n\"starts[run={episode}].{robot}\" = \"(rank \
                   ?robot)\"\n";
const LOG: &str =
    "run,robot,do,station,battery\na,r1,boot,,50\na,r1,charge,s1,60\na,r1,charge,s2,70\n";
const STATIC: &str = r#"{"c": {"s1": true, "s2": true}, "starts": [{"run": "a", "r1": 3}]}"#;

/// The map with a line at its top.
fn with(line: &str, map: &str) -> String {
    format!("{line}\n{map}")
}

#[test]
fn alike_words_in_a_file_beside_the_log_are_refused_and_can_be_joined() {
    // Without `run`, which is no robot, the path would read it.
    let map = MAP.replace("\"starts[run={episode}].{robot}\" = \"(rank ?robot)\"\n", "");
    let whole = read(&map, &[("log.csv", LOG), ("static.json", STATIC)], &["log.csv"]).unwrap();
    for spelled in ["S2", "s-2", "s02", "s_2", "S 2", "s2_"] {
        let statics = STATIC.replace("\"s2\"", &format!("{spelled:?}"));
        let files = [("log.csv", LOG), ("static.json", statics.as_str())];
        is_refused(
            &map,
            &files,
            &["log.csv"],
            &["log.csv:4:4", "`s2` here", &format!("`{spelled}`"), "static.json, c.{station}"],
        );
        // What the message says joins them; another name keeps them apart, and is named as met by
        // no row.
        assert_eq!(
            read(&with(&format!("names = {{ {spelled:?} = \"s2\" }}"), &map), &files, &["log.csv"])
                .unwrap(),
            whole
        );
        let apart = read(
            &with(&format!("names = {{ {spelled:?} = \"spare\" }}"), &map),
            &files,
            &["log.csv"],
        )
        .unwrap();
        assert!(
            apart.contains(
                "; static.json names 1 of 2 objects of type station that no row names: spare"
            ),
            "{apart}"
        );
    }
    // Blanks around a word do not count, of whatever kind they are.
    for spelled in [" s2", "s2 ", "\u{a0}s2\u{2003}"] {
        let statics = STATIC.replace("\"s2\"", &format!("\"{spelled}\""));
        assert_eq!(
            read(&map, &[("log.csv", LOG), ("static.json", &statics)], &["log.csv"]).unwrap(),
            whole,
            "{spelled:?}"
        );
    }
}

#[test]
fn the_head_of_a_model_says_what_words_stand_for() {
    let map = with("names = { S2 = \"s2\", A = \"a\" }", MAP);
    let meaning =
        surefoot_log::Meaning::read(&surefoot_base::pddl::Source::new("map.toml", &map)).unwrap();
    assert!(
        meaning
            .reading()
            .contains(&"Some words of the log stand for others: A is a, S2 is s2.".to_owned())
    );
}

#[test]
fn alike_words_in_cells_and_names_of_columns_are_refused_with_both_places() {
    let map = "action = \"do\"\n[before]\n\"{printer}_bed\" = \"(bed ?printer)\"\n[actions]\nheat \
               = [\"printer\"]\n";
    let log = "do,printer,p1_bed,p2_bed\nheat,P1,20,30\nheat,P2,35,30\n";
    is_refused(map, &[("log.csv", log)], &["log.csv"], &["`P1`", "`p1`", "the column `p1_bed`"]);
    let joined = with("names = { P1 = \"p1\", P2 = \"p2\" }", map);
    let lower = log.replace('P', "p");
    assert_eq!(
        read(&joined, &[("log.csv", log)], &["log.csv"]),
        read(map, &[("log.csv", &lower)], &["log.csv"])
    );
    // Within cells; and names that only PDDL cannot tell apart.
    for (one, other) in
        [("1", "01"), ("1", "1.0"), ("a b", "a-b"), ("tür", "tör"), ("a/b", "a-b"), ("r1", "R1")]
    {
        let map = "action = \"do\"\n[after]\nb = \"(b ?robot)\"\n[actions]\nwork = [\"robot\"]\n";
        let log = format!("do,robot,b\nwork,{one},1\nwork,{other},2\n");
        is_refused(
            map,
            &[("log.csv", &log)],
            &["log.csv"],
            &["log.csv:3:2", "log.csv:2, robot", "names = {"],
        );
        let told = read(
            &with(&format!("names = {{ {other:?} = \"other\" }}"), map),
            &[("log.csv", &log)],
            &["log.csv"],
        )
        .unwrap();
        assert!(told.contains("(b other)"), "{told}");
    }
}

#[test]
fn numbers_of_json_are_one_name_however_they_are_written() {
    let map = "action = \"do\"\nepisode = \"run\"\n[after]\nbattery = \"(battery ?robot)\"\nmode \
               = \"(eco ?robot) if 2\"\n[actions]\nboot = \"report\"\nwork = [\"robot\"]\n";
    let line = |run: &str, robot: &str, word: &str, mode: &str| {
        format!(
            "{{\"run\": {run}, \"robot\": {robot}, \"do\": \"{word}\", \"battery\": 4, \"mode\": \
             {mode}}}\n"
        )
    };
    let log = |run: &str, robot: &str, mode: &str| {
        line("1", "12345678901234567890", "boot", "2") + &line(run, robot, "work", mode)
    };
    let of = |log: String| read(map, &[("log.jsonl", &log)], &["log.jsonl"]);
    let plain = of(log("1", "12345678901234567890", "2")).unwrap();
    for (run, robot, mode) in [
        ("1.0", "12345678901234567890.0", "2.0"),
        ("1e0", "1234567890123456789e1", "20e-1"),
        ("\"1\"", "\"12345678901234567890\"", "\"2\""),
    ] {
        assert_eq!(of(log(run, robot, mode)).unwrap(), plain);
    }
    // Another number is another robot, though a float could not tell them apart.
    assert_ne!(of(log("1", "12345678901234567891", "2")).unwrap(), plain);
    // A text is a text: `1.0` in quotes only looks like 1.
    assert!(of(log("\"1.0\"", "12345678901234567890", "2")).unwrap_err().contains("two episodes?"));
}

#[test]
fn episodes_are_named_by_the_same_rule() {
    let statics = STATIC
        .replace("\"r1\": 3", "\"r1\": 3, \"x\": null")
        .replace("\"run\": \"a\"", "\"run\": \"A\"");
    let map = MAP
        .replace("{robot}\"", "r1.{robot}\"")
        .replace("starts[run={episode}].r1.{robot}", "starts[run={episode}].ranks.{robot}");
    let statics = statics.replace("\"r1\": 3, \"x\": null", "\"ranks\": {\"r1\": 3}");
    let files = [("log.csv", LOG), ("static.json", statics.as_str())];
    is_refused(
        &map,
        &files,
        &["log.csv"],
        &["two episodes?", "`A`", "`a` (log.csv:2)", "names = {"],
    );
    let joined = read(&with("names = { A = \"a\" }", &map), &files, &["log.csv"]).unwrap();
    assert!(joined.contains("(= (rank r1) 3)"), "{joined}");
    let other = statics.replace("\"A\"", "\"z\"");
    let told = read(&map, &[("log.csv", LOG), ("static.json", &other)], &["log.csv"]).unwrap();
    assert!(told.contains("; files name 1 of 1 episodes that have no row: z"), "{told}");
    // Rows of one episode whose name is written in two ways, in one or several columns.
    let log = LOG.replace("a,r1,charge,s2", "A,r1,charge,s2");
    is_refused(
        &map,
        &[("log.csv", &log), ("static.json", &other)],
        &["log.csv"],
        &["log.csv:4", "two episodes?", "log.csv:2"],
    );
    let pair =
        "episode = [\"a\", \"b\"]\naction = \"do\"\n[after]\nn = \"(n)\"\n[actions]\nwork = []\n";
    is_refused(
        pair,
        &[("log.csv", "a,b,do,n\nx,1,work,1\nx,01,work,2\n")],
        &["log.csv"],
        &["names = { \"01\" = \"1\" }"],
    );
    assert!(
        read(pair, &[("log.csv", "a,b,do,n\nx,yz,work,1\nxy,z,work,2\n")], &["log.csv"]).is_ok()
    );
}

const VALUES: &str = "time = \"t\"\naction = \"do\"\nobjects = \
                      { robot = \"robot\" }\n[actions]\nwork = [\"robot\"]\n[values]\nobject \
                      = \"dev\"\nattribute = \"sig\"\nvalue = \"v\"\nlogged \
                      = \"changes\"\n[values.facts]\nbat = \"(battery ?robot)\"\n";
const EVENTS: &str = "t,do,robot\n1,work,r1\n2,work,r1\n";

#[test]
fn readings_are_named_by_the_same_rule_and_do_not_contradict_each_other() {
    let of = |map: &str, values: &str| {
        let values = format!("t,dev,sig,v\n{values}");
        read(map, &[("log.csv", EVENTS), ("values.csv", &values)], &["log.csv", "values.csv"])
    };
    let whole = of(VALUES, "0,r1,bat,50\n1,r1,bat,40\n2,r1,bat,30\n").unwrap();
    for word in ["Bat", "b-at"] {
        let values = &format!("0,r1,{word},50\n1,r1,bat,40\n2,r1,bat,30\n");
        let said = of(VALUES, values).unwrap_err();
        assert!(said.contains("values.csv:2:3") && said.contains("the map says `bat`"), "{said}");
        assert_eq!(
            of(&with(&format!("names = {{ {word} = \"bat\" }}"), VALUES), values).unwrap(),
            whole
        );
    }
    let said = of(VALUES, "0,R1,bat,50\n1,r1,bat,40\n").unwrap_err();
    assert!(
        said.contains("`R1`") && said.contains("`r1`") && said.contains("values.csv:2"),
        "{said}"
    );
    assert!(
        of(VALUES, "0,r1,bat,50\n0,r1,temp,1\n0,r1,hum,2\n")
            .unwrap()
            .contains("; 2 readings are of attributes that the map does not read: hum, temp")
    );
    // Two values of one fact at one time; one value, said twice, is fine.
    let said = of(VALUES, "0,r1,bat,50\n1,r1,bat,40\n1.0,r1,bat,41\n").unwrap_err();
    assert!(said.contains("values.csv:4:4") && said.contains("values.csv:3 is 40"), "{said}");
    assert_eq!(
        of(VALUES, "0,r1,bat,50\n1,r1,bat,40\n1,r1,bat,40.0\n2,r1,bat,30\n").unwrap(),
        whole
    );
    let two = VALUES.to_owned() + "charge = \"(battery ?robot)\"\n";
    assert!(of(&two, "1,r1,bat,40\n1,r1,charge,41\n").is_err());
}

#[test]
fn a_row_that_contradicts_itself_is_refused() {
    let map = "action = \"do\"\nobjects = \
               { robot = [\"robot\", \"other\"], spot = [\"spot\", \"place\"] }\n[after]\nbat \
               = \"(battery ?robot)\"\nobat = \"(battery ?other)\"\nspot = \"(at ?robot \
               ?spot)\"\nplace = \"(at ?other ?place)\"\non = \"(on ?robot) if true\"\noff = \"(on \
               ?other) if false\"\n\"b.{robot}\" = \"(battery ?robot)\"\n[actions]\nboot \
               = \"report\"\ngive = [\"robot\", \"other\"]\n";
    let of = |row: &str| {
        read(
            map,
            &[(
                "log.csv",
                &format!(
                    "do,robot,other,bat,obat,spot,place,on,off,b.r1\nboot,r1,,5,,x,,1,,5\n{row}\n"
                ),
            )],
            &["log.csv"],
        )
    };
    let agrees = of("give,r1,r1,4,4,x,x,1,0,4").unwrap();
    // An empty cell is unknown, which another cell may know.
    for row in [
        "give,r1,r1,4.0,4,x,x,yes,no,4",
        "give,r1,r1,,4,x,,1,,4",
        "give,r1,r1,4,,,x,,0,",
        "give,r1,r1,,,,x,1,,4",
    ] {
        assert_eq!(of(row).unwrap(), agrees, "{row}");
    }
    for (row, words) in [
        (
            "give,r1,r1,4,6,x,x,1,0,4",
            &["log.csv:3:5", "(battery r1)", "`bat` says `4`, `obat` says `6`"][..],
        ),
        (
            "give,r1,r1,4,4,x,y,1,0,4",
            &["log.csv:3:7", "(at r1)", "`spot` says `x`, `place` says `y`"],
        ),
        ("give,r1,r1,4,4,x,x,1,1,4", &["log.csv:3:9", "(on r1)", "`on` says `1`, `off` says `1`"]),
        ("give,r1,r2,4,4,x,x,1,0,6", &["log.csv:3:10", "`bat` says `4`, `b.r1` says `6`"]),
    ] {
        let said = of(row).unwrap_err();
        words.iter().for_each(|word| assert!(said.contains(word), "{word} is not in\n{said}"));
        // What was before is compared with what was before.
        let before = read(
            &map.replace("[after]", "[before]"),
            &[("log.csv", &format!("do,robot,other,bat,obat,spot,place,on,off,b.r1\n{row}\n"))],
            &["log.csv"],
        );
        assert!(before.unwrap_err().contains("contradicts itself"), "{row}");
    }
    assert!(of("give,r1,r2,4,6,x,y,1,1,4").is_ok());
}

#[test]
fn files_beside_the_log_do_not_contradict_themselves() {
    let map = "action = \"do\"\nepisode = \"run\"\nobjects = \
               { tank = [\"src\", \"dst\"] }\n[after]\nvol = \"(vol ?src)\"\nbeside = \"(beside \
               ?src ?cell - tank)\"\n[actions]\ngo = \
               [\"src\", \"dst\"]\n[static.\"tanks.csv\"]\ncap = \"(cap ?tank)\"\nnext = \"(beside \
               ?tank ?cell - tank)\"\n";
    let log = "run,do,src,dst,vol,beside\n1,go,a,b,1,b\n1,go,b,a,2,a\n";
    let of = |tanks: &str| read(map, &[("log.csv", log), ("tanks.csv", tanks)], &["log.csv"]);
    let whole = of("tank,cap,next\na,3,b\nb,4,a\n").unwrap();
    assert!(whole.contains("(= (cap b) 4)"), "{whole}");
    assert_eq!(of("tank,cap,next\na,3,b\nb,4,a\na,3.0,b\n").unwrap(), whole);
    let said = of("tank,cap,next\na,3,b\nb,4,a\na,5,b\n").unwrap_err();
    assert!(
        said.contains("tanks.csv:4:2") && said.contains("says 5, but tanks.csv:2, cap says 3"),
        "{said}"
    );
    // Rows say which tank is beside, and no other: so a file cannot say two.
    assert!(
        of("tank,cap,next\na,3,b\nb,4,a\na,3,a\n")
            .unwrap_err()
            .contains("says a, but tanks.csv:2, next says b")
    );
    // What never changes is so at the start of an episode.
    assert!(of("tank,cap,next\na,3,b\nA,4,a\n").unwrap_err().contains("look alike"));
    let episodes = "tank,run,cap,next\na,1,3,b\nb,,4,a\n";
    assert!(of(episodes).unwrap_err().contains("which episode it is about"));
    let two = map.replace(
        "[static.\"tanks.csv\"]",
        "[static.\"all.json\"]\n\"{tank}\" = \"(cap ?tank)\"\n[static.\"tanks.csv\"]",
    );
    let files = [
        ("log.csv", log),
        ("tanks.csv", "tank,run,cap,next\na,1,3,b\nb,1,4,a\n"),
        ("all.json", "{\"a\": 3, \"b\": 5}"),
    ];
    is_refused(
        &two,
        &files,
        &["log.csv"],
        &["says 4 of the start of the episode `1`", "all.json, {tank} says 5"],
    );
    // A document that names a member twice has no one value.
    let files = [("log.csv", log), files[1], ("all.json", "{\"a\": 3, \"a\": 3}")];
    is_refused(&two, &files, &["log.csv"], &["two members `a`"]);
}

#[test]
fn a_column_called_cell() {
    let map = "action = \"do\"\n[after]\ncell = \"(at ?robot ?cell)\"\ntemp = \"(temp \
               ?cell)\"\n[actions]\ngo = [\"robot\", \"cell\"]\n";
    let told =
        read(map, &[("log.csv", "do,robot,cell,temp\ngo,r1,c1,20\n")], &["log.csv"]).unwrap();
    assert!(told.contains("(at r1 c1)") && told.contains("(= (temp c1) 20.0)"), "{told}");
    // Where the map names no such column, ?cell is the cell; a log that has one all the same is
    // ambiguous.
    let map = "action = \"do\"\n[after]\nroom = \"(in ?robot - robot ?cell - \
               room)\"\n[actions]\ngo = [\"robot\"]\n";
    assert!(
        read(map, &[("log.csv", "do,robot,room\ngo,r1,c1\n")], &["log.csv"])
            .unwrap()
            .contains("(in r1 c1)")
    );
    let files = [("log.csv", "do,robot,room,cell\ngo,r1,c1,x\n")];
    is_refused(
        map,
        &files,
        &["log.csv"],
        &["map.toml:3:8", "has a column `cell`, too", "ignore = [\"cell\"]"],
    );
    assert!(
        read(&with("ignore = [\"cell\"]", map), &files, &["log.csv"])
            .unwrap()
            .contains("(in r1 c1)")
    );
}

#[test]
fn numbers_are_read_exactly_or_refused_with_what_to_write() {
    let map = "action = \"do\"\n[after]\nb = \"(b ?robot)\"\n[actions]\nwork = [\"robot\"]\n";
    let of = |cell: &str| {
        read(map, &[("log.csv", &format!("do\trobot\tb\nwork\tr\t{cell}\n"))], &["log.csv"])
    };
    for (cell, advice) in [
        ("63,7", "write 63.7 "),
        ("0,125", "write 0.125 "),
        ("1234,567", "write 1234.567 "),
        ("1,000", "write 1000 or 1.000, whichever is meant"),
        ("-12,500", "write -12500 or -12.500, whichever is meant"),
        ("1,000,000", "write 1000000"),
        ("1,000.5", "write 1000.5"),
        ("1.000,5", "write 1000.5"),
        ("1.000.000", "write 1000000"),
        ("1 000", "write 1000"),
        ("1_000", "write 1000"),
        ("1'000", "write 1000"),
        ("0x10", "expected a number"),
        ("inf", "expected a number"),
        ("Infinity", "expected a number"),
        ("1,0,0", "expected a number"),
        ("12:30", "expected a number"),
        ("true", "expected a number"),
        ("5 %", "expected a number"),
    ] {
        let said = of(cell).unwrap_err();
        assert!(said.contains("log.csv:2:3") && said.contains(advice), "{cell}: {said}");
    }
    for (cell, value) in [("+5", "5.0"), ("1e3", "1000.0"), ("\u{a0}7 ", "7.0"), ("1e-2", "0.01")] {
        assert!(of(cell).unwrap().contains(&format!("(= (b r) {value})")), "{cell}");
    }
    assert!(of("1e400").unwrap().contains(&format!("(= (b r) 1{}", "0".repeat(400))));
    for unknown in ["", "NaN", "null"] {
        assert!(!of(unknown).unwrap().contains("(= (b r)"), "{unknown}");
    }
}

#[test]
fn what_tables_leave_open_is_refused_with_its_place() {
    let map = "action = \"do\"\ntime = \"t\"\nstatus = \
               { column = \"ok\", ok = \"fine\", failed = \"*\" }\n[after]\nb = \"(b \
               ?robot)\"\nlit = \"(lit ?robot) if true\"\n[actions]\nwork = [\"robot\"]\n";
    let line = |time: &str, ok: &str, robot: &str, lit: &str| {
        format!(
            "{{\"do\": \"work\", \"t\": {time}, \"ok\": {ok}, \"robot\": {robot}, \"b\": \
             1, \"lit\": {lit}}}\n"
        )
    };
    let of = |more: &str| {
        read(map, &[("log.jsonl", &(line("1", "\"fine\"", "1", "true") + more))], &["log.jsonl"])
    };
    let whole = of(&line("2", "\"fine\"", "1", "true")).unwrap();
    for lit in ["\"True\"", "1", "1.0", "\"yes\"", "\"on\"", "\"1\""] {
        assert_eq!(of(&line("2", "\"fine\"", "\"1\"", lit)).unwrap(), whole, "{lit}");
    }
    for (more, words) in [
        (line("2", "\"Fine\"", "1", "true"), &["log.jsonl:2", "the map says `fine`"][..]),
        (line("2", "\"fine_\"", "1", "true"), &["log.jsonl:2", "the map says `fine`"]),
        (line("\"2025-03-01\"", "\"fine\"", "1", "true"), &["log.jsonl:2", "cannot be compared"]),
        (line("2", "\"fine\"", "1", "\"maybe\""), &["log.jsonl:2", "expected yes or no"]),
        (line("2", "\"fine\"", "1", "2"), &["log.jsonl:2", "expected yes or no"]),
        (line("2", "\"fine\"", "\"01\"", "true"), &["log.jsonl:2", "look alike"]),
        (
            line("2", "\"fine\"", "1", "true").replace("\"b\"", "\"B\""),
            &["some rows have `B`, others `b`"],
        ),
        (
            line("2", "\"fine\"", "1", "true").replace("\"b\"", "\"b \""),
            &["some rows have `b `, others `b`"],
        ),
        (
            "{\"do\": \"work\", \"a.b\": 1, \"a\": {\"b\": 2}}\n".to_owned(),
            &["log.jsonl:2", "`a.b` stands here twice"],
        ),
    ] {
        let said = of(&more).unwrap_err();
        words.iter().for_each(|word| assert!(said.contains(word), "{word} is not in\n{said}"));
    }
    let zones = "do,t,ok,robot,b,lit\nwork,2025-03-01T06:00:00Z,fine,r,1,1\n\
                 work,2025-03-01T07:00:00,fine,r,1,1\n";
    is_refused(
        map,
        &[("log.csv", zones)],
        &["log.csv"],
        &["log.csv:3:2", "a time without an offset from UTC"],
    );
    let marked = "\u{feff}do,t,ok,robot,b,lit\nwork,1,fine,r,1,1\n";
    assert_eq!(
        read(map, &[("log.csv", marked)], &["log.csv"]),
        read(map, &[("log.csv", &marked[3..])], &["log.csv"])
    );
    is_refused(
        &with("empty = { bb = \"none\" }", map),
        &[("log.csv", zones)],
        &["log.csv"],
        &["map.toml:1:11", "is called `bb`"],
    );
    is_refused(
        &with("names = { a = \"b\", b = \"c\" }", map),
        &[("log.csv", zones)],
        &["log.csv"],
        &["map.toml:1:15", "`b` itself stands for"],
    );
}

/// The ways in which a word is written here and there; the first three are one word by the rule.
fn spellings() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..9, 24)
}

fn spelled(word: &str, way: usize) -> String {
    match way {
        0..=2 => word.to_owned(),
        3 => format!(" {word}"),
        4 => format!("{word}\u{a0}"),
        5 => word.to_uppercase(),
        6 => format!("{word}_"),
        7 => word.replace('1', "01"),
        _ => word.replace('1', " 1"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// However names are written, a log gives the same traces or an error, never others.
    #[test]
    fn a_log_in_other_spellings_is_the_same_or_refused(
        ways in spellings(),
        plain in any::<bool>(),
    ) {
        let mut ways = ways.into_iter().map(|way| if plain { way % 5 } else { way });
        let map = "episode = \"run\"\naction = \"do\"\ncomplete = [\"charger\", \"cap\"]\ntime \
                   = \"t\"\nobjects = \
                   { robot = [\"robot\", \"other\"], station = \"station\" }\n[after]\nstation \
                   = \"(at ?robot ?station)\"\n\"load.{robot}\" = \"(load \
                   ?robot)\"\n[actions]\ncharge = \
                   [\"robot\", \"other\", \"station\"]\n[values]\nobject = \"dev\"\nattribute \
                   = \"sig\"\nvalue = \"v\"\nlogged = \"changes\"\n[values.facts]\nbat1 \
                   = \"(battery ?robot)\"\n[static.\"static.json\"]\n\"c.{station}\" = \"(charger \
                   ?station) if true\"\n\"starts[run={episode}].cap.{robot}\" = \"(cap \
                   ?robot)\"\n";
        let mut write = |plainly: bool| {
            let mut word = |word: &str| {
                if plainly { word.to_owned() } else { spelled(word, ways.next().unwrap_or(0)) }
            };
            let log = format!(
                "run,t,robot,other,do,station,load.{}\n{},1,{},{},charge,{},4\n\
                 {},2,{},{},charge,{},5\n",
                word("r1"),
                word("e1"),
                word("r1"),
                word("r21"),
                word("s1"),
                word("e1"),
                word("r21"),
                word("r1"),
                word("s1"),
            );
            let values = format!(
                "run,t,dev,sig,v\n{},0,{},{},5\n{},1,{},{},6\n",
                word("e1"),
                word("r1"),
                word("bat1"),
                word("e1"),
                word("r1"),
                word("bat1"),
            );
            let statics = format!(
                "{{\"c\": {{\"{}\": true}}, \"starts\": \
                 [{{\"run\": \"{}\", \"cap\": {{\"{}\": 3}}}}]}}",
                word("s1"),
                word("e1"),
                word("r1"),
            );
            read(
                map,
                &[("log.csv", &log), ("values.csv", &values), ("static.json", &statics)],
                &["log.csv", "values.csv"],
            )
        };
        let usual = write(true).unwrap();
        match write(false) {
            Ok(text) => prop_assert_eq!(text, usual),
            Err(error) => prop_assert!(!plain, "{}", error),
        }
    }
}

/// pandas writes `None`, a program of one's own writes `none`: only one of them would be unknown.
#[test]
fn words_that_look_like_an_empty_cell_are_errors() {
    let map = "action = \"do\"\nstatus = { column = \"ok\", ok = \"1\", failed = \"*\" }\nobjects \
               = { robot = \"robot\", room = \"room\" }\n\
               [after]\nroom = \"(in ?robot ?room)\"\nlamp = \"(lit ?robot) if green\"\nfan \
               = \"(fan ?robot) if 1\"\n[actions]\ngo = [\"robot\"]\n";
    let of = |map: &str, row: &str| {
        let folder = Folder::new(&[(
            "log.csv",
            format!("do,ok,robot,room,lamp,fan\ngo,1,r1,hall,green,1\n{row}\n").as_bytes(),
        )]);
        let log = open(&folder, map, &["log.csv"])?;
        log.digest(0).map(|_| log.doubts().to_vec()).map_err(|error| error.to_string())
    };
    for row in [
        "go,1,r1,none,red,1",
        "go,1,r1,hall,Null,1",
        "go,1,r1,hall,red,n/a",
        "go,N.A.,r1,hall,red,1",
        "go,1,NONE,hall,red,1",
    ] {
        let error = of(map, row).unwrap_err();
        assert!(
            error.contains("log.csv:3:") && error.contains("looks like an empty cell"),
            "{row}: {error}"
        );
    }
    for row in ["go,1,r1,None,red,1", "go,1,r1,,null,1", "go,N/A,r1,hall,red,NaN"] {
        of(map, row).unwrap_or_else(|error| panic!("{row}: {error}"));
    }
    // A room that is called so gets another name, and a word that no cell has is named.
    let named = format!("names = {{ none = \"the-none\" }}\n{map}");
    assert_eq!(of(&named, "go,1,r1,none,red,1").unwrap(), []);
    let doubts = of(&named, "go,1,r1,hall,red,1").unwrap();
    assert_eq!(
        doubts[0].text,
        "no cell is one of these words under `names`, so they stand for nothing: none"
    );
}
