//! What is in a map, and in no row: a wrong word would make a wrong model in silence.

use surefoot_learn::Recording;

use crate::warehouse::{Folder, open};

const MAP: &str = "action = \"do\"\nstatus = \
                   { column = \"ok\", ok = \"yes\", failed = \"*\", \
                   chance = { error = \"SLIP\" } }\n\
                   [after]\nlight = \"(green ?robot) if green\"\n\
                   [actions]\nwork = \
                   { robot = \"robot\", station = \"station\" }\n\
                   [static.\"static.json\"]\n\"stations.{station}.charger\" = \
                   \"(charger ?station) if true\"\n";
const LOG: &str = "do,ok,error,robot,station,light\nwork,yes,,r,s,green\nwork,no,SLIP,r,t,red\n";
const STATIC: &str = r#"{"stations": {"s": {"charger": true}, "t": {"charger": false}}}"#;

/// The first trajectory and the doubts, or the error.
fn told(map: &str, log: &str, statics: &str) -> Result<(String, Vec<(String, bool)>), String> {
    let folder = Folder::new(&[("log.csv", log.as_bytes()), ("static.json", statics.as_bytes())]);
    let log = open(&folder, map, &["log.csv"])?;
    assert_eq!(log.traces(), 1);
    let mut text = Vec::new();
    log.write(0, &mut text).map_err(|error| match error {
        Ok(error) => error.to_string(),
        Err(error) => error.to_string(),
    })?;
    let doubts = log.doubts().iter().map(|doubt| (doubt.text.clone(), doubt.is_grave)).collect();
    Ok((String::from_utf8(text).unwrap(), doubts))
}

#[test]
fn a_word_for_yes_is_every_word_for_yes() {
    let (wanted, doubts) = told(MAP, LOG, STATIC).unwrap();
    assert!(wanted.contains("(charger s)") && !wanted.contains("(charger t)"), "{wanted}");
    assert_eq!(doubts, []);
    for word in ["True", "TRUE", "yes"] {
        let map = MAP.replace("if true", &format!("if {word}"));
        assert_eq!(told(&map, LOG, STATIC).unwrap().0, wanted, "{word}");
        for other in ["\"YES\"", "1", "1.0", "\"on\""] {
            let statics = STATIC.replace("true", other);
            assert_eq!(told(&map, LOG, &statics).unwrap().0, wanted, "{word} and {other}");
        }
    }
    for word in ["False", "no"] {
        let map = MAP.replace("if true", &format!("if {word}"));
        let (text, doubts) = told(&map, LOG, STATIC).unwrap();
        assert!(text.contains("(charger t)") && !text.contains("(charger s)"), "{text}");
        assert_eq!(doubts, []);
    }
}

/// A column may have `0` and `off` and mean two things: gears, say.
#[test]
fn a_word_that_may_mean_more_than_yes_or_no_is_met_as_it_is_written() {
    for (word, other) in [("1", "\"on\""), ("on", "1"), ("0", "\"off\""), ("off", "\"no\"")] {
        let error = told(
            &MAP.replace("if true", &format!("if {word}")),
            LOG,
            &STATIC.replace("true", other),
        )
        .unwrap_err();
        assert!(
            error.contains("static.json") && error.contains(&format!("the map says `{word}`")),
            "{error}"
        );
    }
    let statics = STATIC.replace("true", "1.0").replace("false", "2");
    let (text, _) = told(&MAP.replace("if true", "if 1"), LOG, &statics).unwrap();
    assert!(text.contains("(charger s)") && !text.contains("(charger t)"), "{text}");
}

#[test]
fn another_letter_case_is_an_error() {
    for (from, to, words) in [
        (",green\n", ",GREEN\n", ["log.csv:2:6", "the map says `green`, the cell says `GREEN`"]),
        ("SLIP", "slip", ["log.csv:3:3", "the map says `SLIP`, the cell says `slip`"]),
        ("yes", "Yes", ["log.csv:2:2", "the map says `yes`, the cell says `Yes`"]),
    ] {
        let error = told(MAP, &LOG.replace(from, to), STATIC).unwrap_err();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
    let map = MAP.replace("if true", "if socket|coil");
    let error = told(&map, LOG, &STATIC.replace("true", "\"Coil\"")).unwrap_err();
    assert!(
        error.contains("static.json")
            && error.contains("the map says `coil`, the cell says `Coil`"),
        "{error}"
    );
}

#[test]
fn a_word_that_never_comes_is_doubted() {
    let of = |map: &str, log: &str| told(map, log, STATIC).unwrap().1;
    assert_eq!(
        of(&MAP.replace("if green", "if gren"), LOG),
        [(
            "no cell of column light is `gren`, so (green ?robot) is never true: is the word \
             right? Others are green, red"
                .into(),
            true
        )]
    );
    assert_eq!(
        of(&MAP.replace("if green", "if green|lime"), LOG),
        [("no cell of column light is `lime`: is the word right? Others are red".into(), false)]
    );
    assert_eq!(
        of(&MAP.replace("\"SLIP\"", "\"GRIP\""), LOG),
        [(
            "no cell of column error is `GRIP`, so nothing was decided by chance: is the word \
             right? Others are SLIP"
                .into(),
            false
        )]
    );
    assert_eq!(
        of(&MAP.replace("ok = \"yes\"", "ok = \"done\""), LOG),
        [(
            "no cell of column ok is `done`, so nothing worked: is the word right? Others are no, \
           yes"
            .into(),
            false
        )]
    );
    assert_eq!(
        of(&MAP.replace("if true", "if coil|socket"), LOG),
        [(
            "static.json: no value of stations.{station}.charger is `coil` or `socket`, so \
             (charger ?station) is never true: is the word right? \
             Others are false, true"
                .into(),
            true
        )]
    );
    // A column that is always empty says nothing, and a flag that is never set is one all the same.
    assert_eq!(of(MAP, &LOG.replace(",green\n", ",\n").replace(",red\n", ",\n")), []);
    assert_eq!(told(MAP, LOG, &STATIC.replace("true", "false")).unwrap().1, []);
}

#[test]
fn a_file_about_another_warehouse_is_doubted() {
    let statics = STATIC.replace("\"s\"", "\"a\"").replace("\"t\"", "\"b\"");
    let doubts = told(MAP, LOG, &statics).unwrap().1;
    assert_eq!(
        doubts,
        [(
            "static.json says nothing about any station of this log: is it the right file?".into(),
            true
        )]
    );
    // Where both know some objects, the others are named.
    let others = "static.json names 1 of 2 objects of type station that no row names: a".into();
    assert_eq!(told(MAP, LOG, &STATIC.replace("\"s\"", "\"a\"")).unwrap().1, [(others, false)]);
}

/// What failed is quoted by the column of codes: the one that the map names, or the only one of
/// chance; where that is empty, by the status.
#[test]
fn failures_have_the_code_of_their_column() {
    let codes = |status: &str| {
        let log = "do,ok,error,why,robot,station,light\nwork,yes,,,r,s,green\n\
                   work,no,FAR,a,r,t,red\nwork,no,,b,r,t,red\n";
        let map = MAP.replace(", chance = { error = \"SLIP\" }", status);
        let folder =
            Folder::new(&[("log.csv", log.as_bytes()), ("static.json", STATIC.as_bytes())]);
        let log = open(&folder, &map, &["log.csv"]).unwrap();
        let mut codes = Vec::new();
        log.read(0, log.domain(), surefoot_base::pddl::Numbers::Exact, false, &mut |recorded| {
            codes.push(recorded.code().map(str::to_owned));
            true
        })
        .unwrap();
        codes.into_iter().map(Option::unwrap_or_default).collect::<Vec<String>>()
    };
    assert_eq!(codes(""), ["", "no", "no"]);
    assert_eq!(codes(", code = \"error\""), ["", "FAR", "no"]);
    assert_eq!(codes(", chance = { error = \"SLIP\" }"), ["", "FAR", "no"]);
    assert_eq!(codes(", code = \"why\", chance = { error = \"SLIP\" }"), ["", "a", "b"]);
}
