//! `split`: where an action changes its behaviour, as the map says it.

use std::fmt::Write as _;

use surefoot_base::assumptions::Spec;
use surefoot_base::parts::{DeclaredParts, DomainParts, PartsMap};
use surefoot_base::pddl::{Source, infer_objects};
use surefoot_check::ModelChecker;
use surefoot_learn::{Recording, Trace};
use surefoot_log::{Log, Meaning};

use crate::warehouse::{Folder, learn, open};

const MAP: &str = r#"episode = "run"
action = "what"
objects = { robot = ["robot", "other"], dock = ["dock", "target"] }
inputs = { amount = "kwh" }
[after]
battery_pct = "(battery ?robot)"
"load kg" = "(load ?robot)"
dock = "(at ?robot ?dock)"
closed = "(open ?dock) if false"
docked = "(docked ?robot) if true"
state = "(moving ?robot) if opening|closing"
other_pct = "(battery ?other)"
[actions]
look = "report"
charge = ["robot"]
move = { who = "robot", to = "target", from = "(at ?robot)" }
give = { who = "robot", whom = "other", much = "amount" }
open-dock = ["dock"]
"#;

/// The meaning of the map with this line.
fn meaning(split: &str) -> Result<Meaning, String> {
    let text = format!("split = {split}\n{MAP}");
    Meaning::read(&Source::new("map.toml", text)).map_err(|error| error.to_string())
}

/// The parts of an action, as PDDL.
fn parts(split: &str) -> Vec<Vec<String>> {
    let meaning = meaning(split).unwrap_or_else(|error| panic!("{split}: {error}"));
    let parts = DomainParts::read(&meaning.domain, &meaning.parts(), (1, false)).unwrap();
    let mut declared = parts.declared(&meaning.domain);
    match declared.pop_first() {
        Some((_, DeclaredParts::Listed(parts))) => parts,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tests_are_written_with_columns_facts_and_parameters() {
    for (split, first) in [
        ("{ charge = \"battery <= 70\" }", "(<= (battery ?robot) 70)"),
        ("{ charge = \"battery_pct<=70\" }", "(<= (battery ?robot) 70)"),
        ("{ charge = \"(<= (battery ?robot) 70)\" }", "(<= (battery ?robot) 70)"),
        ("{ charge = \"(battery ?robot) <= 70\" }", "(<= (battery ?robot) 70)"),
        ("{ charge = \"load kg > -2.5\" }", "(> (load ?robot) -2.5)"),
        (
            "{ charge = \"battery - load >= 3 + load\" }",
            "(>= (- (battery ?robot) (load ?robot)) (+ 3 (load ?robot)))",
        ),
        ("{ charge = \"docked\" }", "(docked ?robot)"),
        ("{ charge = \"not docked\" }", "(not (docked ?robot))"),
        ("{ charge = \"(docked ?robot)\" }", "(docked ?robot)"),
        ("{ charge = \"not moving\" }", "(not (moving ?robot))"),
        // The column says the opposite of the fact.
        ("{ open-dock = \"closed\" }", "(not (open ?dock))"),
        ("{ open-dock = \"open\" }", "(open ?dock)"),
        // A column means the object of its row; parameters have other names than columns.
        ("{ give = \"battery_pct <= 70\" }", "(<= (battery ?who) 70)"),
        ("{ give = \"other_pct <= 70\" }", "(<= (battery ?whom) 70)"),
        ("{ give = \"amount < 5\" }", "(< (value ?much) 5)"),
        ("{ give = \"kwh < battery_pct\" }", "(< (value ?much) (battery ?who))"),
        ("{ move = \"to = from\" }", "(= ?to ?from)"),
        ("{ move = \"target != ?from\" }", "(not (= ?to ?from))"),
        ("{ move = \"dock = target\" }", "(at ?who ?to)"),
        ("{ move = \"target != dock\" }", "(not (at ?who ?to))"),
    ] {
        assert_eq!(parts(split)[0], [first], "{split}");
    }
    let charge = |value: &str| parts(&format!("{{ charge = {value} }}"));
    assert_eq!(charge("[\"battery <= 70\", \"docked\"]").len(), 4);
    assert_eq!(
        charge("\"battery <= 70 and not docked\""),
        [
            &["(<= (battery ?robot) 70)", "(not (docked ?robot))"][..],
            &["(<= (battery ?robot) 70)", "(docked ?robot)"],
            &["(> (battery ?robot) 70)"]
        ]
    );
    assert_eq!(
        charge("[[\"battery <= 66\", \"docked\"], [\"battery >= 74 and load = 0\"]]"),
        [
            ["(<= (battery ?robot) 66)", "(docked ?robot)"],
            ["(>= (battery ?robot) 74)", "(= (load ?robot) 0)"]
        ]
    );
    assert_eq!(meaning("{ \"charge, open-dock\" = \"(= 1 1)\" }").unwrap_err().lines().count(), 5);
}

#[test]
fn what_is_no_test_is_refused_where_it_stands() {
    for (split, words) in [
        (
            "{ charge = \"batery <= 70\" }",
            &["map.toml:1:20", "charge: `batery` is neither a column", "did you mean `battery`?"][..],
        ),
        ("{ charge = [\"docked\", \"batery <= 70\"] }", &["map.toml:1:31", "`batery`"]),
        ("{ charge = [[\"docked\"], [\"not docked\", \"x > 1\"]] }", &["map.toml:1:48", "`x`"]),
        ("{ charge = \"(<= (batery ?robot) 70)\" }", &["map.toml:1:20", "batery"]),
        (
            "{ charg = \"docked\" }",
            &["map.toml:1:11", "`charg` is not an action", "did you mean `charge`?"],
        ),
        ("{ look = \"docked\" }", &["rows of `look` only report a state"]),
        ("{ charge = \"docked\", \"charge, move\" = \"docked\" }", &["map.toml:1:30", "twice"]),
        // Two robots, and nothing says whose battery.
        ("{ give = \"battery <= 70\" }", &["`battery` may mean (battery ?who) or (battery ?whom)"]),
        (
            "{ charge = \"other_pct <= 70\" }",
            &["about the object in column `other`, which is no parameter of charge"],
        ),
        ("{ open-dock = \"battery <= 70\" }", &["is about objects that open-dock does not have"]),
        ("{ charge = \"state\" }", &["neither yes nor no", "`moving` or `not moving`"]),
        ("{ charge = \"not not docked\" }", &["is no test"]),
        ("{ charge = \"docked = true\" }", &["`docked` is true or false"]),
        ("{ charge = \"battery\" }", &["`battery` is no test", "compare it"]),
        ("{ charge = \"50 <= battery <= 70\" }", &["more than one comparison", "and"]),
        ("{ charge = \"battery <= 70 or docked\" }", &["`or` joins no tests", "list the cuts"]),
        ("{ charge = \"battery =< 70\" }", &["`=<` compares nothing"]),
        ("{ charge = \"2 * battery <= 70\" }", &["anything else in PDDL"]),
        ("{ charge = \"(<= (battery ?robot) 70\" }", &["a `)` is missing"]),
        ("{ charge = \"\" }", &["is no test"]),
        ("{ charge = \"battery <= 70 and\" }", &["is no test"]),
        ("{ charge = \"battery <= \" }", &["is no test"]),
        ("{ charge = \"docked + 1 <= 3\" }", &["adds what is no number"]),
        ("{ move = \"to <= from\" }", &["`<=` does not compare ?to with ?from"]),
        ("{ move = \"dock = dock1\" }", &["`dock1` is neither a column"]),
        ("{ charge = \"battery = 70\" }", &["charge: (= (battery ?robot) 70) cannot be a cut"]),
        (
            "{ charge = [[\"battery <= 70\"], [\"battery >= 70\"]] }",
            &["map.toml:1:20", "parts 1 and 2 overlap"],
        ),
        ("{ charge = [\"docked\", [\"not docked\"]] }", &["cuts, or parts in brackets, not both"]),
        ("{ charge = [] }", &["no part is declared"]),
        ("{ charge = 70 }", &["map.toml:1:20", "a test such as"]),
        ("{ charge = \"(<= (battery ?robot) 70) ; docked\" }", &["is no test"]),
        ("{ charge = \"(docked ?robot ; )\\n)\" }", &["is no test"]),
    ] {
        let said = meaning(split).map(|_| String::new()).unwrap_or_else(|error| error);
        for word in words {
            assert!(said.contains(word), "{split}: {word:?} is not in:\n{said}");
        }
    }
}

/// A battery that stops at 100, charged by 30 each.
fn charges() -> String {
    let mut text = "run,what,robot,battery\n".to_owned();
    for (run, level) in [0, 10, 25, 40, 55, 70, 72, 80, 90, 100].into_iter().enumerate() {
        writeln!(text, "{run},look,r,{level}\n{run},charge,r,{}", (level + 30).min(100)).unwrap();
    }
    text
}

const CHARGES: &str = "episode = \"run\"\naction = \"what\"\nsplit = { charge = \"battery <= 70\" }\n\
                       [after]\nbattery = \"(battery ?robot)\"\n[actions]\nlook = \
                       \"report\"\ncharge = [\"robot\"]\n";

fn opened(map: &str) -> Log {
    open(&Folder::new(&[("log.csv", charges().as_bytes())]), map, &["log.csv"]).unwrap()
}

/// Learning with the map is learning from its import with the parts of the map.
#[test]
fn a_log_is_learned_as_its_import_with_the_parts_of_its_map() {
    let log = opened(CHARGES);
    let spec = log.meaning().with_parts(Spec::default()).unwrap();
    let model = learn(log.domain(), &log, &spec).unwrap();
    let text = model.to_pddl();
    let header = "The parts of charge were declared, not found: charge--1 where (<= (battery \
                  ?robot) 70); charge--2 where (> (battery ?robot) 70).";
    assert!(text.contains(header), "{text}");
    let traces: Vec<_> = (0..log.traces())
        .map(|trace| {
            let mut written = Vec::new();
            log.write(trace, &mut written).unwrap();
            let source = Source::from_bytes("trajectory", written).unwrap();
            let objects = infer_objects(&source, log.domain()).unwrap();
            (source, objects)
        })
        .collect();
    let recording: Vec<Trace> =
        traces.iter().map(|(source, objects)| Trace::new(source.clone(), objects)).collect();
    let json = serde_json::to_value(log.meaning().parts()).unwrap();
    assert_eq!(json, serde_json::json!({ "charge": "(<= (battery ?robot) 70)" }));
    let parts: PartsMap = serde_json::from_value(json).unwrap();
    let imported = Spec::default().with(|spec| spec.parts = parts);
    let again = learn(log.domain(), &&recording[..], &imported).unwrap();
    assert_eq!(again.to_pddl(), text);
    let certificate = model.certificate().unwrap();
    assert!(again.certificate().unwrap() == certificate);
    let written = model.read_back();
    let mut checker = ModelChecker::new(log.domain(), &written, &certificate);
    traces.iter().for_each(|(source, objects)| checker.read(source, objects).unwrap());
    assert_eq!(checker.finish(), []);
    assert_eq!(log.meaning().missing_parts(&certificate.assumptions.spec).unwrap(), [""; 0]);
    // Without the parts nothing explains the records, and the map asks for them.
    assert!(learn(log.domain(), &log, &Spec::default()).is_err());
    let missing = log.meaning().missing_parts(&Spec::default()).unwrap();
    assert!(missing[0].starts_with("The parts of charge were declared, not found"), "{missing:?}");
}

#[test]
fn a_spec_has_the_same_parts_or_none_of_the_action() {
    let log = opened(CHARGES);
    let with = |parts: serde_json::Value| {
        let parts = serde_json::from_value(parts).unwrap();
        let spec = Spec::default().with(|spec| spec.parts = parts);
        log.meaning().with_parts(spec).map_err(|error| error.to_string())
    };
    for equal in [
        serde_json::json!({ "charge": "(<= (battery ?robot) 70)" }),
        serde_json::json!({ "CHARGE": "(<= (battery ?ROBOT) 70.0)" }),
        serde_json::json!({ "charge": [["(<= (battery ?robot) 70)"], ["(> (battery ?robot) 70)"]] }),
    ] {
        let spec = with(equal.clone()).unwrap_or_else(|error| panic!("{equal}: {error}"));
        assert_eq!(spec.parts.len(), 1);
    }
    for other in [
        serde_json::json!({ "charge": "(<= (battery ?robot) 60)" }),
        serde_json::json!({ "charge": "(> (battery ?robot) 70)" }),
        serde_json::json!({ "charge": "(<= (batery ?robot) 70)" }),
        serde_json::json!({ "charge": "found" }),
    ] {
        let said = with(other.clone()).unwrap_err();
        assert!(said.contains("map.toml:3"), "{said}");
        assert!(said.contains("other parts of charge were given beside it"), "{said}");
    }
    // What is asked of all other actions stays.
    let spec = with(serde_json::json!({ "*": "found" })).unwrap();
    assert_eq!(spec.parts.len(), 2);
    // A product is a test only of a class of models with products.
    let map = CHARGES.replace("battery <= 70", "(<= (* (battery ?robot) (battery ?robot)) 4900)");
    let log = opened(&map);
    let said = log.meaning().with_parts(Spec::default()).unwrap_err().to_string();
    assert!(said.contains("map.toml:3") && said.contains("multiplies functions"), "{said}");
    let spec = Spec::default().with(|spec| (spec.degree, spec.squares) = (2, true));
    assert_eq!(log.meaning().with_parts(spec).unwrap().parts.len(), 1);
}
