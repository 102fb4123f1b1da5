//! Law: each key of a map has the sentence that would be false if the key were wrong.

use surefoot_base::assumptions::Spec;
use surefoot_base::pddl::Source;
use surefoot_log::Meaning;

use crate::warehouse::{Folder, open};

fn assumed(map: &str) -> Result<Vec<String>, String> {
    let meaning =
        Meaning::read(&Source::new("map.toml", map)).map_err(|error| error.to_string())?;
    // The parts of actions are in the spec of a model, which has their sentences.
    let parts = meaning.missing_parts(&Spec::default()).map_err(|error| error.to_string())?;
    Ok(meaning.assumed().into_iter().chain(parts).collect())
}

const MAP: &str = r#"
domain = "warehouse"
time = "t"
episode = "day"
action = "do"
status = { column = "ok", ok = "yes", failed = "no", chance = { code = "SLIP" } }
ignore = ["note"]
objects = { robot = "robot", room = "room", item = "item" }
inputs = { force = "newton" }
choices = { force = [1, 2.5] }
qualified = ["room"]
split = { drop = "hatch" }
names = { R1 = "r1" }
empty = { lamp = "unchanged", room = "none" }
complete = ["way"]
[before]
fuel = "(fuel ?robot)"
[after]
room = "(in ?robot ?room)"
lamp = "(lit ?robot) if green|blue"
hatch = "(open ?robot) if true"
[actions]
see = "report"
take = ["robot", "item", "force"]
drop = ["robot", "item"]
[declared]
"(holds ?robot ?item)" = { from = "take", until = "drop", start = false }
[values]
object = "thing"
attribute = "signal"
value = "reading"
time = "at"
logged = "changes"
same-time = "before"
facts = { heat = "(heat ?robot)" }
[static."plan.json"]
"ways.{a}.{b}" = "(way ?a - room ?b - room)"
"start.{robot}" = "(fuel ?robot)"
"homes.{robot}" = "(home ?robot ?room)"
"items[day={episode}].{item}" = "(tall ?item) if tall"
"#;

/// The sentence of each key; where a key says nothing of the world, nothing.
const SENTENCES: [(&str, &[(&str, &str)]); 4] = [
    (
        "",
        &[
            ("domain", ""),
            (
                "time",
                "The rows of each day record every action in it (column `do`), each once, in the \
                 order in which they happened, which is the order of t.",
            ),
            (
                "episode",
                "The rows of each day record every action in it (column `do`), each once, in the \
                 order in which they happened, which is the order of t.",
            ),
            (
                "episode",
                "No day is spread over several files, and none began before its first row.",
            ),
            (
                "split",
                "The parts of drop were declared, not found: drop--1 where (open ?robot); drop--2 \
                 where (not (open ?robot)).",
            ),
            ("action", "Rows with do = see are not actions: they only report a state."),
            ("action", "The rows of each day record every action in it (column `do`)"),
            ("status", "Rows with ok = yes are actions that worked."),
            (
                "ignore",
                "No action depends on day, t, note or on anything else that the map does not read \
                 as a state or as an object or as an input.",
            ),
            ("inputs", "The numbers in column `newton` are (value ?force) of take."),
            (
                "inputs",
                "Whoever acts chooses (value ?force) of take before the step; it is not an \
                 outcome of the step.",
            ),
            ("inputs", "Actions read chosen numbers only as numbers: a number between"),
            // It only decides among which numbers a planner chooses.
            ("choices", ""),
            (
                "objects",
                "The same word of the same type names the same object wherever it is written, and \
                 different words name different objects.",
            ),
            // It only decides how objects are called.
            ("qualified", ""),
            ("names", "Some words of the log stand for others: R1 is r1."),
            ("before", "The values in fuel are those before the action of their row."),
            ("after", "The values in room, lamp, hatch are those after the action of their row."),
            ("after", "(in ?robot ?room) is true of the object in column `room`, and of no other."),
            (
                "after",
                "(lit ?robot) is true where column `lamp` is green or blue, and false where it is \
                 another \
                 word. No action depends on which",
            ),
            (
                "after",
                "A value that a row is not about (such as that of another object) stays as \
                 earlier rows of its day left it, except for declared facts: neither the action \
                 of the row nor anything unrecorded",
            ),
            ("before", "The numbers in column `fuel` are values of (fuel ?robot)."),
            (
                "after",
                "(open ?robot) is true where column `hatch` says yes (true, yes, on, 1), and \
                 false where it \
                 says no (false, no, off, 0).",
            ),
            // A map that has these is refused.
            ("before-or-after", ""),
            ("undecided", ""),
            ("empty", "Where a cell of lamp is empty, nothing changed there."),
            ("empty", "Where a cell of room is empty, there is no such thing."),
            (
                "empty",
                "A cell that says one of these words is empty: NaN, nan, NA, N/A, <NA>, NaT, null, \
                 NULL, None.",
            ),
            ("complete", "A number of way that no file mentions has no value."),
            ("actions", "Rows with do = see are not actions: they only report a state."),
            (
                "declared",
                "Declared, not learned: (holds ?robot ?item) is made true by take and false by \
                 drop",
            ),
            (
                "values",
                "The first reading between a row and the next shows the result of that row. This \
                 does not hold if the reading shows no change and a later one there does, or if a \
                 later number there is as far from it as it is from the number before the row.",
            ),
            ("static", "What plan.json says of way, home is true, and never changes."),
            ("static", "The numbers in `ways.{a}.{b}` in plan.json are values of (way ?a ?b)."),
            (
                "static",
                "(home ?robot ?cell) is true of the object in `homes.{robot}` in plan.json.",
            ),
            ("static", "What plan.json says of fuel is true at the start of each day."),
            (
                "static",
                "What plan.json says of tall is true from the start of each day to its end.",
            ),
            (
                "static",
                "(tall ?item) is true where `items[day={episode}].{item}` in plan.json is tall, \
                 and false where it is another",
            ),
            (
                "static",
                "Where plan.json says for which objects home is true, it is false for all others.",
            ),
        ],
    ),
    (
        "status",
        &[
            ("column", "Rows with ok = yes are actions that worked."),
            ("ok", "Rows with ok = yes are actions that worked."),
            (
                "failed",
                "Rows with ok = no are failed attempts. They changed nothing, except where \
            rows of the log show a change.",
            ),
            ("chance", "Rows with code = SLIP failed by chance"),
            // Messages quote it, and nothing is learned from it.
            ("code", ""),
        ],
    ),
    (
        "values",
        &[
            ("object", "The numbers in attribute `heat` are values of (heat ?robot)."),
            ("object", "The first reading between a row and the next"),
            (
                "attribute",
                "Each reading gives the value in reading of the attribute in signal of the object \
                 in thing.",
            ),
            (
                "value",
                "Each reading gives the value in reading of the attribute in signal of the object \
                 in thing.",
            ),
            (
                "time",
                "The times of at and of the rows come from one clock, which never goes \
                      back.",
            ),
            (
                "logged",
                "Values that readings report change only where a reading shows it. This also \
                 holds before the first reading and after the last one.",
            ),
            ("same-time", "A reading with the same time as a row was taken before it."),
            ("facts", "The first reading between a row and the next"),
        ],
    ),
    (
        "declared",
        &[
            (
                "from",
                "Before each take that worked, (holds ?robot ?item) was false; before each \
                 drop that worked, it was true.",
            ),
            (
                "until",
                "Before each take that worked, (holds ?robot ?item) was false; before each \
                 drop that worked, it was true.",
            ),
            ("start", "(holds ?robot ?item) is false at the start of each day."),
        ],
    ),
];

/// The keys that a map may have: what a message about an unknown one lists.
fn keys(section: &str) -> Vec<String> {
    let map = match section {
        "" => format!("no-such-key = 1\n{MAP}"),
        "status" => MAP.replace("{ column", "{ no-such-key = 1, column"),
        "values" => MAP.replace("[values]\n", "[values]\nno-such-key = 1\n"),
        _ => MAP.replace("{ from", "{ no-such-key = 1, from"),
    };
    let error = assumed(&map).unwrap_err();
    let listed = error.split("expected one of ").nth(1).unwrap_or_else(|| panic!("{error}"));
    let listed = listed.lines().next().unwrap();
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn each_key_of_a_map_has_its_sentence() {
    let said = assumed(MAP).unwrap_or_else(|error| panic!("{error}"));
    for (section, sentences) in SENTENCES {
        let keys = keys(section);
        for key in &keys {
            assert!(
                sentences.iter().any(|(known, _)| known == key),
                "which sentence is false if `{key}` of [{section}] is wrong?"
            );
        }
        for (key, sentence) in sentences {
            assert!(keys.iter().any(|known| known == key), "[{section}] has no `{key}`");
            assert!(
                said.iter().any(|words| words.starts_with(sentence)),
                "{key}: {sentence}\n{said:#?}"
            );
        }
    }
}

/// What a map does not say is taken for granted, too.
#[test]
fn each_default_has_its_sentence() {
    let map = "action = \"do\"\nobjects = { robot = \"robot\" }\n[actions]\ngo = [\"robot\"]\n\
               [values]\nobject = \"thing\"\nattribute = \"signal\"\nvalue = \"reading\"\ntime \
               = \"at\"\nlogged = \"samples\"\n\
               facts = { heat = \"(heat ?robot)\" }\n";
    let map = format!("time = \"t\"\n{map}");
    let said = assumed(&map).unwrap_or_else(|error| panic!("{error}"));
    for sentence in [
        "Every row records an action that worked, except the rows that another line here names as \
         failures or reports.",
        "No action depends on t or on anything else that the map does not read as a state or \
         as an object.",
        "The rows of each file record every action in it (column `do`), each once, in the order \
         in which they happened, which is the order of t.",
        "A reading with the same time as a row was taken after it.",
        "A value that a reading reports of an object stays until an action names the object, or \
         until the next reading of it.",
    ] {
        assert!(said.iter().any(|words| words == sentence), "{sentence}\n{said:#?}");
    }
}

/// A robot gives an item to another one: what `give` found is said of both.
#[test]
fn each_declared_fact_of_a_predicate_has_its_sentences() {
    let map = "action = \"do\"\nobjects = { robot = [\"r\", \"o\"], item = \"item\" }\n[actions]\n\
               pick = [\"r\", \"item\"]\ngive = [\"r\", \"o\", \"item\"]\n[declared]\n\
               \"(holds ?r ?item)\" = { from = \"pick\", until = \"give\" }\n\
               \"(holds ?o ?item)\" = { from = \"give\" }\n";
    let said = assumed(map).unwrap_or_else(|error| panic!("{error}"));
    for sentence in [
        "Before each pick that worked, (holds ?r ?item) was false; before each give that worked, \
         it was true.",
        "Before each give that worked, (holds ?o ?item) was false.",
        "Declared, not learned: (holds ?o ?item) is made true by give. No other change of holds \
         happens, unless it is declared, too.",
    ] {
        assert!(said.iter().any(|words| words == sentence), "{sentence}\n{said:#?}");
    }
}

/// An action may be called NA, and rows without an action may be reports.
#[test]
fn words_that_count_as_empty_are_named_where_rows_without_an_action_are_reports() {
    let map = "action = \"do\"\nobjects = { robot = \"robot\" }\n[after]\nx = \"(x ?robot)\"\n\
               [actions]\ngo = [\"robot\"]\n";
    let is_named = |map: &str| {
        let said = assumed(map).unwrap_or_else(|error| panic!("{error}"));
        said.iter().any(|words| words.starts_with("A cell that says one of these words is empty"))
    };
    assert!(!is_named(map));
    assert!(is_named(&format!("{map}\"\" = \"report\"\n")));
}

/// Two maps with the same domain that read a log in different ways: where one is right and the
/// other is wrong, so must be some sentence.
#[test]
fn maps_that_read_a_log_in_different_ways_have_different_sentences() {
    const PAIR: &str = r#"
action = "do"
objects = { robot = ["robot", "other", "third"], place = ["place", "from", "to"] }
[after]
bat = "(bat ?robot)"
obat = "(bat ?other)"
place = "(at ?robot ?place)"
seen = "(at ?other - robot ?cell - place)"
lit = "(lit ?robot) if yes"
"{robot}.load" = "(load ?robot)"
[actions]
give = ["robot", "other", "third"]
go = { robot = "robot", start = "(at ?robot)", end = "to" }
[static."places.csv"]
metres = "(far ?a - place ?b - place)"
dock = "(dock ?robot - robot ?cell - place)"
[static."plan.json"]
"ways.{a}.{b}" = "(way ?a - place ?b - place)"
[values]
object = "thing"
attribute = "signal"
value = "reading"
time = "at"
logged = "changes"
facts = { heat = "(heat ?robot)" }
"#;
    let map = |text: &str| format!("time = \"t\"\n{text}");
    let said = |text: &str| assumed(&map(text)).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let plain = said(PAIR);
    for (from, to) in [
        ("action = \"do\"", "action = \"did\""),
        ("obat = \"(bat ?other)\"", "obat = \"(bat ?third)\""),
        ("obat = \"(bat ?other)\"", "pbat = \"(bat ?other)\""),
        ("seen = \"(at ?other", "seen = \"(at ?third"),
        ("(lit ?robot) if", "(lit ?other) if"),
        ("\"{robot}.load\"", "\"{robot}.mass\""),
        ("start = \"(at ?robot)\"", "start = \"(at ?other)\""),
        ("end = \"to\"", "end = \"from\""),
        ("metres =", "minutes ="),
        ("dock =", "home ="),
        ("(far ?a - place ?b - place)", "(far ?b - place ?a - place)"),
        ("\"ways.{a}.{b}\"", "\"ways.{b}.{a}\""),
        ("object = \"thing\"", "object = \"device\""),
        ("attribute = \"signal\"", "attribute = \"kind\""),
        ("value = \"reading\"", "value = \"level\""),
    ] {
        assert!(PAIR.contains(from), "{from}");
        assert_ne!(plain, said(&PAIR.replace(from, to)), "{from} or {to}");
    }
}

/// Words and names with blanks in them: what is one word of the log is one word of its sentence.
#[test]
fn words_of_a_log_are_told_apart_in_sentences() {
    let map = |status: &str, parameter: &str| {
        format!(
            "action = \"do\"\nstatus = {{ column = \"how\", ok = {status}, failed = \"*\" }}\n\
             objects = {{ place = [\"from place\", \"from-place\"] }}\n[after]\n\
             level = \"(level ?cell - height)\"\n[actions]\ngo = {{ from-place = {parameter} }}\n"
        )
    };
    let said = |status: &str, parameter: &str| {
        assumed(&map(status, parameter)).unwrap_or_else(|error| panic!("{error}"))
    };
    let plain = said("[\"done\", \"skipped\"]", "\"from-place\"");
    assert_ne!(plain, said("[\"done or skipped\"]", "\"from-place\""));
    assert_ne!(plain, said("[\"done\", \"skipped\"]", "\"from place\""));
}

/// A variable of a table that is no column of it is the one column of its type: which one, the
/// header says.
#[test]
fn a_column_of_a_table_that_is_found_by_its_type_is_named() {
    let said = |column: &str| {
        let map = format!(
            "action = \"do\"\n[objects]\ntank = [\"tank\", \"{column}\"]\n[after]\n\
             level = \"(level ?tank)\"\n[actions]\npour = [\"tank\"]\n\
             [static.\"caps.csv\"]\ncap = \"(cap ?vessel - tank)\"\n"
        );
        let files: [(&str, &[u8]); 2] =
            [("log.csv", b"do,tank,level\npour,t,1\n"), ("caps.csv", b"src,dst,cap\nt,u,9\n")];
        open(&Folder::new(&files), &map, &["log.csv"]).unwrap().meaning().assumed()
    };
    for column in ["src", "dst"] {
        let words = format!("The numbers in `cap` in caps.csv are values of (cap ?{column}).");
        assert!(said(column).contains(&words), "{:#?}", said(column));
    }
}

/// A table beside the log says by a column which episode a row is about: then nothing of it holds
/// of all episodes.
#[test]
fn a_table_about_single_episodes_is_not_taken_for_one_about_all() {
    let map = "episode = \"run\"\naction = \"do\"\nobjects = \
               { robot = \"robot\", room = \"room\" }\n[after]\nx = \"(x ?robot)\"\n\
               [actions]\ngo = [\"robot\", \"room\"]\n[static.\"start.csv\"]\nlamp = \"(lamp \
               ?room) if yes\"\n";
    let said = |start: &str| {
        let log = "run,do,robot,room,x\n1,go,r,k,1\n1,go,r,h,2\n";
        let folder = Folder::new(&[("log.csv", log.as_bytes()), ("start.csv", start.as_bytes())]);
        open(&folder, map, &["log.csv"]).unwrap().meaning().assumed()
    };
    let (always, by_run) = (
        "What start.csv says of lamp is true, and never changes.",
        "is true from the start of each run to its end.",
    );
    let plain = said("room,lamp\nk,yes\nh,no\n");
    assert!(plain.contains(always), "{plain:#?}");
    for head in ["episode", "run"] {
        let told = said(&format!("{head},room,lamp\n1,k,yes\n1,h,no\n"));
        assert!(
            !told.contains(always) && told.iter().any(|words| words.ends_with(by_run)),
            "{told:#?}"
        );
        assert!(
            told.iter().any(|words| words.ends_with("began before its first row.")),
            "{told:#?}"
        );
    }
}
