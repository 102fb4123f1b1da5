//! States and times, as logs of users have them.

use surefoot_base::model::Event;
use surefoot_base::pddl::{Numbers, Writer};
use surefoot_learn::Recording;

use crate::warehouse::{Folder, open};

/// What is read: a line for each step with what it begins and ends with, and the warnings; or the
/// error.
pub fn read(
    map: &str,
    files: &[(&str, &str)],
    tables: &[&str],
) -> Result<(Vec<String>, Vec<String>), String> {
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let folder = Folder::new(&files);
    let log = open(&folder, map, tables)?;
    let mut lines = Vec::new();
    for trace in 0..log.traces() {
        let read = log.read(trace, log.domain(), Numbers::Exact, false, &mut |recorded| {
            let (attempt, writer) =
                (recorded.event.attempt(), Writer::new(log.domain(), recorded.objects));
            let state = |state| {
                writer
                    .trajectory_state("", attempt.universe, state)
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let after = match recorded.event {
                Event::Worked(step) => state(step.after),
                Event::Failed(_) => "failed".to_owned(),
            };
            lines.push(format!("{} -> {after}", state(attempt.before)));
            true
        });
        read.map_err(|error| error.to_string())?;
    }
    Ok((lines, log.tally().warnings()))
}

const ROBOTS: &str = "action = \"do\"\nobjects = { robot = \"robot\" }\n";
const GO: &str = "[actions]\nsee = \"report\"\ngo = [\"robot\"]\n";

/// A file says how an episode begins; the first row that speaks of it, before anything was done,
/// says otherwise.
#[test]
fn a_first_row_that_contradicts_a_file_is_an_error_that_names_both() {
    let static_file = "[static.\"start.json\"]\n\"{robot}.battery\" = \"(battery ?robot)\"\n";
    for section in ["[before]", "[after]"] {
        let map = format!("{ROBOTS}{section}\nbattery = \"(battery ?robot)\"\n{GO}{static_file}");
        let of = |start: &str| {
            let log = "do,robot,battery\nsee,r1,9\ngo,r1,8\nsee,r1,8\ngo,r1,7\n";
            read(&map, &[("log.csv", log), ("start.json", start)], &["log.csv"])
        };
        let error = of("{\"r1\": {\"battery\": 10}}").unwrap_err();
        assert!(
            error.contains("log.csv:2:") && error.contains("start.json, {robot}.battery says 10"),
            "{error}"
        );
        assert!(error.contains("(battery r1)"), "{error}");
        of("{\"r1\": {\"battery\": 9.0}}").unwrap();
        of("{\"r1\": {\"battery\": null}}").unwrap();
    }
    // An action may have changed it before a row speaks of it.
    let map = format!("{ROBOTS}[after]\nbattery = \"(battery ?robot)\"\n{GO}{static_file}");
    let log = "do,robot,battery\ngo,r1,8\nsee,r1,8\n";
    read(&map, &[("log.csv", log), ("start.json", "{\"r1\": {\"battery\": 10}}")], &["log.csv"])
        .unwrap();
}

#[test]
fn a_row_that_contradicts_the_frame_of_a_fact_given_before_is_named() {
    let map = format!("{ROBOTS}[before]\nbattery = \"(battery ?robot)\"\n{GO}");
    let of = |log: &str| read(&map, &[("log.csv", log)], &["log.csv"]).unwrap().1;
    let warnings = of("do,robot,battery\ngo,r2,20\nsee,r1,6\ngo,r2,16\nsee,r1,5\ngo,r2,14\n");
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.contains("log.csv:5: battery of r1 is 5 and was another before"), "{warning}");
    assert_eq!(
        of("do,robot,battery\ngo,r2,20\nsee,r1,6\ngo,r2,16\nsee,r1,6\ngo,r1,6\ngo,r2,14\n\
             see,r1,4\n"),
        [""; 0]
    );
}

/// The result of a step is what the next row shows of the same object. Where a row does not say of
/// which object its cell is, nobody knows whether it is that row; an empty cell that means that
/// nothing changed since the value was last shown does not help either.
#[test]
fn a_cell_after_one_without_its_object_tells_nothing() {
    let map = "action = \"do\"\nobjects = { robot = \"robot\", place = \"place\" }\n\
               empty = { battery = \"unchanged\" }\n[before]\nbattery = \"(battery ?robot)\"\n\
               [actions]\ngo = [\"robot\"]\nlook = [\"place\"]\nsee = \"report\"\n";
    let first = |whose: &str, next: &str| {
        let rows = format!("go,r1,,6\nlook,{whose},p,8\ngo,r1,,{next}\nsee,r1,,10\n");
        let log = format!("do,robot,place,battery\n{rows}");
        let (steps, _) = read(map, &[("log.csv", &log)], &["log.csv"]).unwrap();
        steps[0].clone()
    };
    for next in ["", "9"] {
        let known = first("r1", next);
        assert!(known.ends_with("-> ( (= (battery r1) 8.0))"), "{known}");
        let lost = first("", next);
        assert!(lost.ends_with("-> ( (unknown (battery r1)))"), "{lost}");
    }
}

/// A name with an object in it that can be read in two ways names an object that may not exist.
#[test]
fn a_column_that_fits_two_keys_is_refused() {
    let map = "action = \"do\"\nobjects = { robot = \"robot\" }\n[after]\n\
               \"bat.{robot}\" = \"(battery ?robot)\"\n\"bat.{robot}_b\" = \"(backup ?robot)\"\n\
               [actions]\ngo = [\"robot\"]\n";
    let log = "do,robot,bat.r2,bat.r2_b\ngo,r2,6,1\n";
    let error = read(map, &[("log.csv", log)], &["log.csv"]).unwrap_err();
    let words = "log.csv has a column `bat.r2_b`, which fits this and `bat.{robot}`";
    assert!(error.contains(words), "{error}");
}

/// Where `ship` took something is where the other robot is; both cells that name robots are lost.
#[test]
fn two_lost_cells_are_not_one_object() {
    let map = "action = \"act\"\n[objects]\nrobot = [\"robot\", \"other\"]\nplace = [\"place\", \
               \"here\"]\n[before]\nplace = \"(at ?robot ?place)\"\nstock = \"(stock ?here)\"\n\
               [actions]\nfill = [\"here\"]\nship = { other = \"other\", from = \"(at ?other)\" }\n\
               look = \"report\"\n";
    let first = |robots: &str| {
        let log = format!(
            "act,robot,other,place,here,stock\nlook,r2,,p2,,\nfill,,,,p2,5\nship,{robots},p1,p1,4\n\
             fill,,,,p2,7\nlook,,,,p2,10\n"
        );
        let (steps, _) = read(map, &[("log.csv", &log)], &["log.csv"]).unwrap();
        steps[0].clone()
    };
    for robots in ["r1,r2", ","] {
        let step = first(robots);
        assert!(step.split("->").nth(1).unwrap().contains("(unknown (stock p2))"), "{step}");
    }
}

/// Somebody charges the robot, and a row that would show it lost the value and the name: the next
/// action did not make the change. Rows that are never about a robot lose nothing.
#[test]
fn a_row_that_lost_a_value_and_its_object_may_have_been_about_any() {
    let map = |section: &str, look: &str| {
        format!(
            "action = \"act\"\nobjects = {{ robot = \"robot\" }}\n[{section}]\n\
             bat = \"(bat ?robot)\"\n[actions]\nadd = [\"robot\"]\nlook = {look}\nwait = []\n"
        )
    };
    let steps = |map: &str, row: &str| {
        let log = format!("act,robot,bat\nlook,r1,21\n{row}\nadd,r1,31\nlook,r1,32\n");
        read(map, &[("log.csv", &log)], &["log.csv"]).unwrap().0
    };
    let is_unknown = |step: &String| step.starts_with("( (unknown (bat r1))) ->");
    let lost = steps(&map("after", "\"report\""), "look,,");
    assert!(is_unknown(&lost[0]), "{lost:?}");
    let of_none = steps(&map("after", "\"report\""), "wait,,");
    assert!(of_none.iter().any(|step| step.starts_with("( (= (bat r1) 21.0)) ->")), "{of_none:?}");
    // Before: the result of the first step is not what is seen after the row that lost both.
    let log = "act,robot,bat\nadd,r1,21\nlook,,\nlook,r1,30\n";
    let map = map("before", "\"report\"");
    let steps = read(&map, &[("log.csv", log)], &["log.csv"]).unwrap().0;
    assert!(steps[0].ends_with("-> ( (unknown (bat r1)))"), "{steps:?}");
}
