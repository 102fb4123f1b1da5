//! The log of a fleet manager that lies beside the project, where it does: `SUREFOOT_LOGS` names
//! its folder.

use std::path::PathBuf;

use surefoot_base::assumptions::Spec;
use surefoot_base::pddl::Source;
use surefoot_learn::Recording;
use surefoot_log::{Log, Meaning, Table};

use crate::warehouse::learn;

const MAP: &str = r#"time = "timestamp"
episode = "shift"
action = "action"
status = { column = "status", ok = "ok", failed = "failed", chance = { error = "GRIP_SLIP" } }
ignore = ["x_m", "y_m", "duration_s"]
objects = { robot = "robot", item = "item", station = ["station", "target"] }
[after]
station = "(at ?robot ?station)"
battery_pct = "(battery ?robot)"
load_kg = "(load ?robot)"
odometer_m = "(odometer ?robot)"
[actions]
boot = "report"
move = { robot = "robot", from = "(at ?robot)", to = "target" }
"pick, place, scan" = ["robot", "item", "station"]
charge = ["robot", "station"]
[declared]
"(holds ?robot ?item)" = { from = "pick", until = "place", start = false }
"(item-at ?item ?station)" = { from = "place", until = "pick" }
[static."warehouse_static.json"]
"robots.{robot}.capacity_kg" = "(capacity ?robot)"
"items.{item}.weight_kg" = "(weight ?item)"
"stations.{station}.charger" = "(charger ?station) if true"
"distance_m.{from}.{to}" = "(distance ?from - station ?to - station)"
"shifts[shift={episode}].items.{item}" = "(item-at ?item ?station)"
"#;

fn open(name: &str) -> Log {
    let folder = PathBuf::from(
        std::env::var("SUREFOOT_LOGS").expect("SUREFOOT_LOGS names the folder of the logs"),
    );
    let meaning = Meaning::read(&Source::new("warehouse.toml", MAP)).unwrap();
    let table = Table::open(&folder.join(name)).unwrap();
    Log::open(meaning, &folder, vec![table]).unwrap_or_else(|error| panic!("{error}"))
}

fn spec(log: &Log) -> Spec {
    let mut spec = Spec::default().with(|spec| {
        spec.decimals = Some(9);
        spec.declared = log.meaning().declarations.clone();
    });
    let listed = [
        "(battery ?robot)",
        "(odometer ?robot)",
        "(distance ?from ?to)",
        "(* (distance ?from ?to) (load ?robot))",
    ];
    spec.relevant.insert("move".into(), listed.map(str::to_owned).to_vec());
    spec
}

#[test]
#[ignore = "needs the logs beside the project"]
fn the_clean_log_is_learned_from_csv_and_json_lines_alike() {
    assert!(MAP.lines().count() <= 25);
    let [one, other] = ["warehouse_clean.csv", "warehouse.jsonl"].map(|name| {
        let log = open(name);
        let model =
            learn(log.domain(), &log, &spec(&log)).unwrap_or_else(|error| panic!("{error}"));
        let tally = log.tally();
        let all =
            |counts: &std::collections::BTreeMap<String, usize>| counts.values().sum::<usize>();
        assert_eq!(
            (tally.rows, all(&tally.worked), all(&tally.failed), tally.chance, tally.reports),
            (992, 562, 389, 9, 32)
        );
        assert!(
            tally.moved == 0 && tally.unusable.is_empty() && tally.unknown_cells.is_empty(),
            "{tally}"
        );
        (model.to_pddl(), model.certificate().unwrap().to_json().unwrap())
    });
    assert!(one == other);
    let text = one.0;
    let battery = text
        .lines()
        .find(|line| line.contains("(decrease (battery ?robot)") && line.contains("(load ?robot)"));
    assert!(battery.is_some_and(|line| line.contains("(distance ?from ?to)")), "{text}");
}

#[test]
#[ignore = "needs the logs beside the project"]
fn the_noisy_log_is_read_and_its_empty_cells_are_counted() {
    let log = open("warehouse_noisy.csv");
    for trace in 0..log.traces() {
        log.digest(trace).unwrap_or_else(|error| panic!("{error}"));
    }
    let unknown = log.tally().unknown_cells;
    assert_eq!((unknown["battery_pct"], unknown["load_kg"], unknown["odometer_m"]), (30, 26, 24));
}

#[test]
#[ignore = "needs the logs beside the project"]
fn a_guessed_map_reads_the_clean_log() {
    let folder = PathBuf::from(std::env::var("SUREFOOT_LOGS").unwrap());
    let table = Table::open(&folder.join("warehouse_clean.csv")).unwrap();
    let map = surefoot_log::guess(&table).unwrap();
    let meaning = Meaning::draft(&Source::new("guess.toml", &map.text), false).unwrap();
    let log = Log::open(meaning, &folder, vec![table]).unwrap();
    for trace in 0..log.traces() {
        log.digest(trace).unwrap();
    }
    assert_eq!(log.tally().rows, 992);
}
