//! Nothing that a log or a file says is dropped in silence: what cannot be placed is unknown, or an
//! error that names its place.

use surefoot_base::assumptions::Spec;
use surefoot_learn::OnBadData;

use crate::states::read;
use crate::truth::learned;
use crate::warehouse::{Folder, open};

const POUR: &str = "action = \"do\"\nepisode = \"run\"\ncomplete = [\"full\", \"size\"]\nobjects = \
                    { robot = \"robot\", can = \"can\" }\n[after]\nbattery = \"(battery \
                    ?robot)\"\n[actions]\npour = [\"robot\", \"can\"]\n";

/// A file that says how a fact is at the start of one episode mentions it: elsewhere it is unknown,
/// and not false.
#[test]
fn what_a_file_says_of_another_episode_is_not_false_here() {
    let map = format!(
        "{POUR}[static.\"starts.json\"]\n\"[run={{episode}}].{{can}}.full\" = \"(full ?can) if \
         true\"\n\"[run={{episode}}].{{can}}.size\" = \"(size ?can)\"\n"
    );
    let starts = r#"[{"run": "a", "c1": {"full": true, "size": 3}},
                     {"run": "b", "c2": {"full": true, "size": 3}}]"#;
    let log = "run,do,robot,can,battery\na,pour,r1,c1,9\nb,pour,r1,c1,9\nb,pour,r1,c3,9\n";
    // `run` is no can.
    let map = map.replace("].{can}", "].cans.{can}");
    let starts = starts
        .replace("\"c1\": {", "\"cans\": {\"c1\": {")
        .replace("\"c2\": {", "\"cans\": {\"c2\": {")
        .replace("}}", "}}}");
    let (steps, _) =
        read(&map, &[("log.csv", log), ("starts.json", &starts)], &["log.csv"]).unwrap();
    let [told, elsewhere, never] = &steps[..] else { panic!("{steps:?}") };
    assert!(told.contains("(full c1)") && told.contains("(= (size c1) 3.0)"), "{told}");
    for unknown in ["(unknown (full c1))", "(unknown (size c1))"] {
        assert!(elsewhere.contains(unknown), "{unknown} is not in {elsewhere}");
    }
    assert!(!never.contains("(full c3)") && !never.contains("(size c3)"), "{never}");
}

/// A remark that begins with a quote swallows no rows: that is an error where the quote opens.
#[test]
fn a_quote_that_is_not_closed_swallows_no_rows() {
    let map = "action = \"do\"\nobjects = { robot = \"robot\" }\nignore = \
               [\"remark\"]\n[after]\nbattery = \"(battery ?robot)\"\n[actions]\nwork = \
               [\"robot\"]\n";
    let rows = "do,robot,battery,remark\nwork,r1,9,\nwork,r1,8,REMARK\nwork,r1,7,\n\
                work,r1,6,OTHER\nwork,r1,5,\n";
    for (remark, other, wrong) in [
        ("5 inch", "7 inch", None),
        ("\"5\"\" inch\"", "7\"", None),
        ("\"a, b\nand c\"", "", None),
        ("\"5 inch", "\"7 inch", Some("is closed in line 5, where text follows")),
        ("\"5 inch", "7\"", Some("is closed in line 5, and the lines in between look like rows")),
        ("\"5 inch", "", Some("is never closed")),
        ("\"5\" inch", "", Some("goes on after its closing quote")),
    ] {
        let log = rows.replace("REMARK", remark).replace("OTHER", other);
        for log in [log.clone(), log.replace('\n', "\r\n"), format!("\u{feff}{log}")] {
            let found = read(map, &[("log.csv", &log)], &["log.csv"]);
            match wrong {
                None => assert_eq!(found.unwrap().0.len(), 5, "{log}"),
                Some(words) => {
                    let error = found.unwrap_err();
                    assert!(error.contains(words) && error.contains("log.csv:3:1"), "{error}");
                }
            }
        }
    }
}

const CHARGE: &str = "action = \"do\"\ncomplete = [\"charger\"]\nobjects = \
                      { robot = \"robot\", station = \"station\" }\n[after]\nbattery = \"(battery \
                      ?robot)\"\n[actions]\ncharge = [\"robot\", \"station\"]\n";

/// The one rule for names holds for members of documents: what only looks like the member that a
/// path names is an error.
#[test]
fn members_that_only_look_like_those_of_a_path_are_refused() {
    let map = format!(
        "{CHARGE}[static.\"st.json\"]\n\"stations.{{station}}.charger\" = \"(charger ?station) if \
         true\"\n"
    );
    let log = "do,robot,station,battery\ncharge,r1,s1,9\ncharge,r1,s2,9\n";
    let of = |map: &str, file: &str| {
        read(map, &[("log.csv", log), ("st.json", file)], &["log.csv"]).map(|(steps, _)| steps)
    };
    for (other, said) in [
        (r#"{"Charger": true}"#, "the member `Charger` looks like `charger`"),
        (r#"{" charger_": true}"#, "looks like `charger`"),
        (r#"{"charger": true, "CHARGER": false}"#, "the member `CHARGER` looks like `charger`"),
        (r#"{"charger": true, "charger ": false}"#, "(s2): two members are `charger`"),
        (r#""charger""#, "(s2): expected an object"),
        ("true", "(s2): expected an object"),
        (r#"["charger"]"#, "(s2): expected an object"),
    ] {
        let file = format!("{{\"stations\": {{\"s1\": {{\"charger\": true}}, \"s2\": {other}}}}}");
        let error = of(&map, &file).unwrap_err();
        assert!(error.contains(said) && error.contains("st.json"), "{said}: {error}");
    }
    let joined = format!("names = {{ \"Charger\" = \"charger\" }}\n{map}");
    let file = r#"{"stations": {"s1": {"charger": true}, "s2": {"Charger": true}}}"#;
    assert!(of(&joined, file).unwrap()[1].contains("(charger s2)"));
    // What is mentioned without a value is unknown; what is not mentioned is false.
    for (other, is_unknown) in [("null", true), (r#"{"charger": null}"#, true), ("{}", false)] {
        let file = format!("{{\"stations\": {{\"s1\": {{\"charger\": true}}, \"s2\": {other}}}}}");
        let steps = of(&map, &file).unwrap();
        assert_eq!(steps[1].contains("(unknown (charger s2))"), is_unknown, "{other}: {steps:?}");
        assert_eq!(steps[1].contains("(charger s2)"), is_unknown, "{other}: {steps:?}");
    }
    // Without `complete`, what says nothing leaves the fact unknown.
    let file = r#"{"stations": {"s1": {"charger": true}, "s2": "charger"}}"#;
    assert!(
        of(&map.replace("complete", "qualified").replace("\"charger\"]", "\"robot\"]"), file)
            .unwrap()[1]
            .contains("(unknown (charger s2))")
    );
}

/// A column beside a pattern that it fits but for its spelling would be a fact that nothing
/// mentions.
#[test]
fn columns_that_nearly_fit_a_pattern_are_refused() {
    let map = "action = \"do\"\nobjects = { robot = \"robot\" }\n[after]\n\"{robot}_load\" \
               = \"(load ?robot)\"\n[actions]\ngo = [\"robot\"]\n";
    let log = |name: &str| format!("do,robot,r1_load,{name}\ngo,r1,1,2\ngo,r2,1,2\n");
    read(map, &[("log.csv", &log("r2_load"))], &["log.csv"]).unwrap();
    for name in ["r2_Load", "r2-load", "r2 load"] {
        let error = read(map, &[("log.csv", &log(name))], &["log.csv"]).unwrap_err();
        assert!(error.contains(&format!("has a column `{name}`, which nearly fits")), "{error}");
        read(&format!("ignore = [\"{name}\"]\n{map}"), &[("log.csv", &log(name))], &["log.csv"])
            .unwrap();
    }
    let beside = format!(
        "{CHARGE}[static.\"st.csv\"]\n\"{{station}}_charger\" = \"(charger ?station) if true\"\n"
    );
    let (log, file) =
        ("do,robot,station,battery\ncharge,r1,s1,9\n", "s1_charger,s2_Charger\ntrue,true\n");
    let error = read(&beside, &[("log.csv", log), ("st.csv", file)], &["log.csv"]).unwrap_err();
    assert!(error.contains("st.csv has a column `s2_Charger`"), "{error}");
}

/// A number that is read first after a row shows a change only if later readings are nearer to it
/// than it is to the one before: noise is no change.
#[test]
fn noise_in_a_first_reading_is_no_change() {
    let map = "action = \"do\"\ntime = \"t\"\nobjects = { robot = \"robot\" }\n[actions]\nwork = \
               [\"robot\"]\n[values]\nobject = \"dev\"\nattribute = \"sig\"\nvalue = \"val\"\ntime \
               = \"t\"\nlogged = \"samples\"\n[values.facts]\nbat = \"(battery ?robot - \
               robot)\"\n";
    let log = "t,do,robot\n10,work,r1\n20,work,r1\n";
    let of = |first: &str, later: &[&str]| {
        let later: String = later
            .iter()
            .enumerate()
            .map(|(nth, value)| format!("1{},r1,bat,{value}\n", nth + 2))
            .collect();
        let readings = format!("t,dev,sig,val\n9,r1,bat,50.00\n10.1,r1,bat,{first}\n{later}");
        read(map, &[("log.csv", log), ("readings.csv", &readings)], &["log.csv", "readings.csv"])
            .unwrap()
            .0
            .remove(0)
    };
    for (first, later, is_told) in [
        ("47", &[][..], true),
        ("47.01", &["46.99", "47.02"], true),
        ("47", &["45", "45"], true),
        // A change that was read late, and one that may have been.
        ("50", &["47"], false),
        ("50.02", &["47.01"], false),
        ("49.99", &["50.01", "50.02"], false),
        ("49.98", &["50.00"], false),
        ("48", &["47", "46"], false),
        ("47", &["47", ""], false),
        // The same again is no other reading.
        ("50", &["50.00"], true),
    ] {
        let step = of(first, later);
        let after = step.split_once("->").unwrap().1;
        assert_eq!(!after.contains("(unknown (battery r1))"), is_told, "{first} {later:?}: {step}");
    }
}

/// A `pick` that worked was logged as failed. `pick` is left out then; but the log says that the
/// robot holds nothing when it weighs the item. That must take no condition from `weigh`.
#[test]
fn a_step_that_was_logged_as_failed_takes_no_condition_from_other_actions() {
    let map = "action = \"do\"\nepisode = \"shift\"\nstatus = { column = \"ok\", ok = \"yes\", \
               failed = \"no\" }\n[after]\nkg = \"(shown ?robot)\"\n\
               [actions]\n\"pick, place, weigh, \
               rest\" = [\"robot\", \"item\"]\n[declared]\n\"(holds ?robot ?item)\" = { from = \
               \"pick\", until = \"place\", start = false }\n";
    let mut rows = String::from("shift,do,ok,robot,item,kg\n");
    for (shift, item) in (0..8).flat_map(|shift| (0..3).map(move |item| (shift, item))) {
        let is_wrong = (shift, item) == (2, 1);
        let (ok, last) = if is_wrong { ("no", "rest") } else { ("yes", "place") };
        for (act, ok, kg) in [("pick", ok, 0), ("weigh", "yes", 5), (last, "yes", 0)] {
            rows += &format!("d{shift},{act},{ok},r,i{item},{kg}\n");
        }
    }
    let folder = Folder::new(&[("log.csv", rows.as_bytes())]);
    let log = open(&folder, map, &["log.csv"]).unwrap();
    for on_bad in [OnBadData::SkipAction, OnBadData::Quarantine] {
        let (model, _) = learned(log.domain(), &log, true, on_bad, &Spec::default()).unwrap();
        let weigh = model.split("(:action weigh").nth(1).expect("weigh is learned");
        let condition = weigh.split(":effect").next().unwrap();
        assert!(condition.contains("(holds ?robot ?item)"), "{model}");
        assert!(
            model.contains("Perhaps recorded wrongly, so its action was left out: ")
                && model.contains("log.csv:23, (pick r i1) failed")
                && model.contains("Left out: pick (no model of the class explains its steps)")
                && model.contains(
                    "Left out: rest (in none of the records that surefoot learned \
                                   from)"
                ),
            "{model}"
        );
    }
}

/// A column of objects that no fact and no parameter reads is as good as ignored: the header and
/// summary name it.
#[test]
fn a_column_of_objects_that_nothing_reads_is_named() {
    let map = "action = \"act\"\n[objects]\nrobot = [\"robot\"]\nplace = \
               [\"where\"]\n[after]\nbat = \"(bat ?robot)\"\n[actions]\ngo = [\"robot\"]\n";
    let log = "act,robot,where,bat\ngo,r1,hall,50\ngo,r1,dock,45\ngo,r1,lab,40\n";
    let folder = Folder::new(&[("log.csv", log.as_bytes())]);
    for (map, is_read) in [
        (map.to_owned(), false),
        (map.replace("[after]", "[after]\nwhere = \"(at ?robot ?where)\""), true),
        (map.replace("go = [\"robot\"]", "go = [\"robot\", \"where\"]"), true),
    ] {
        let log = open(&folder, &map, &["log.csv"]).unwrap();
        learned(log.domain(), &log, false, OnBadData::SkipAction, &Spec::default()).unwrap();
        let named = log.meaning().assumed().iter().any(|sentence| {
            sentence.starts_with("No action depends on `where` or on anything else")
        });
        assert_eq!(named, !is_read, "{:?}", log.meaning().assumed());
        assert_eq!(log.tally().to_string().contains("columns: where"), !is_read, "{}", log.tally());
    }
}
