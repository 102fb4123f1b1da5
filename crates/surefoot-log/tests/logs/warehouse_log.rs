//! The laws of reading a log, on the warehouse.

use surefoot_base::assumptions::Spec;
use surefoot_base::model::Objects;
use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};
use surefoot_check::ModelChecker;
use surefoot_learn::{Recording, Trace};

use crate::warehouse::{Folder, MAP, Warehouse, learn, open, spec};

fn folder(warehouse: &Warehouse) -> Folder {
    Folder::new(&[
        ("log.csv", warehouse.csv(',').as_bytes()),
        ("log.jsonl", warehouse.json_lines().as_bytes()),
        ("static.json", warehouse.statics.as_bytes()),
    ])
}

#[test]
fn it_is_learned_without_pddl_and_says_what_was_declared() {
    let folder = folder(&Warehouse::simulate(1, 12, 60));
    let log = open(&folder, MAP, &["log.csv"]).unwrap();
    let text = learn(log.domain(), &log, &spec(&log)).unwrap().to_pddl();
    assert!(
        text.contains(
            "Declared, not learned: (holds ?robot ?item) is made true by pick and false by drop"
        ),
        "{text}"
    );
    for learned in [
        "(at ?robot ?from)",
        "(lies ?item ?place)",
        "(increase (load ?robot) (weight ?item))",
        "(assign (battery ?robot) 100)",
    ] {
        assert!(text.contains(learned), "{learned} is not in\n{text}");
    }
    let tally = log.tally();
    assert_eq!((tally.episodes, tally.rows, tally.reports), (12, 12 * 62, 24));
    assert!(
        tally.chance > 0
            && !tally.failed.is_empty()
            && tally.moved == 0
            && tally.unusable.is_empty(),
        "{tally}"
    );
    let all = tally.worked.values().chain(tally.failed.values()).sum::<usize>()
        + tally.chance
        + tally.reports;
    assert_eq!(all, tally.rows);
}

#[test]
fn a_log_without_declarations_does_not_speak_of_them() {
    let folder = folder(&Warehouse::simulate(2, 4, 30));
    let map = MAP.split("[declared]").next().unwrap().replace(
        "\"pick, drop\" = [\"robot\", \"item\", \"place\"]",
        "\"pick, drop\" = [\"robot\"]",
    );
    // Without them neither the load nor most failures are explained: learn what has no number from
    // what worked.
    let map = map.replace("chance = { error = \"SLIP\" }", "chance = { status = \"failed\" }");
    let log = open(&folder, &map, &["log.csv"]).unwrap();
    let spec = spec(&log).with(|spec| spec.algorithm = surefoot_learn::Algorithm::Sam);
    let text = learn(log.domain(), &log, &spec).unwrap().to_pddl();
    assert!(!text.contains("Declared"), "{text}");
}

/// Every format says the same.
#[test]
fn csv_and_json_lines_give_the_same_bytes() {
    let folder = folder(&Warehouse::simulate(3, 6, 50));
    let [one, other] = ["log.csv", "log.jsonl"].map(|name| {
        let log = open(&folder, MAP, &[name]).unwrap();
        let model = learn(log.domain(), &log, &spec(&log)).unwrap();
        (model.to_pddl(), model.certificate().unwrap().to_json().unwrap())
    });
    assert!(one == other);
}

#[test]
fn the_imported_folder_gives_the_same_bytes_and_certificate() {
    let folder = folder(&Warehouse::simulate(4, 6, 50));
    let log = open(&folder, MAP, &["log.csv"]).unwrap();
    let model = learn(log.domain(), &log, &spec(&log)).unwrap();
    let domain =
        read_domain(&Source::new("domain.pddl", surefoot_base::pddl::write_domain(log.domain())))
            .unwrap();
    let mut traces = Vec::new();
    for trace in 0..log.traces() {
        let mut text = Vec::new();
        let problem = log.write(trace, &mut text).unwrap();
        let problem = read_problem(&Source::new("p", problem), &domain, Numbers::Exact).unwrap();
        let source = Source::from_bytes("t", text).unwrap();
        traces.push((source, problem.objects));
    }
    let recording: Vec<Trace> =
        traces.iter().map(|(source, objects)| Trace::new(source.clone(), objects)).collect();
    let again = learn(&domain, &&recording[..], &spec(&log)).unwrap();
    assert_eq!(again.to_pddl(), model.to_pddl());
    let certificate = model.certificate().unwrap();
    assert!(again.certificate().unwrap().to_json().unwrap() == certificate.to_json().unwrap());
    let learned = read_domain(&Source::new("m", model.to_pddl())).unwrap();
    let mut checker = ModelChecker::new(&domain, &learned, &certificate);
    for (source, objects) in &traces {
        checker.read(source, objects).unwrap();
    }
    let reasons = checker.finish();
    assert!(reasons.is_empty(), "{reasons:?}");
}

/// Nobody has to repeat what a map takes for granted: the trajectories say it, the head of the
/// model states it, and `check` asks for it.
#[test]
fn what_the_map_takes_for_granted_goes_with_the_import() {
    let folder = folder(&Warehouse::simulate(4, 6, 50));
    let log = open(&folder, MAP, &["log.csv"]).unwrap();
    let spec = Spec::default().with(|spec| spec.decimals = Some(6));
    let model = learn(log.domain(), &log, &spec).unwrap();
    let assumed = log.meaning().assumed();
    assert!(
        assumed.iter().any(|words| words.starts_with("Declared, not learned:"))
            && assumed.len() > 1,
        "{assumed:?}"
    );
    let said = model.assumptions().unwrap().in_words();
    assert!(assumed.iter().all(|words| said.contains(words)), "{said:?}");
    let traces: Vec<(Source, Objects)> = (0..log.traces())
        .map(|trace| {
            let mut text = Vec::new();
            let problem = log.write(trace, &mut text).unwrap();
            let problem =
                read_problem(&Source::new("p", problem), log.domain(), Numbers::Exact).unwrap();
            (Source::from_bytes("t", text).unwrap(), problem.objects)
        })
        .collect();
    let recording: Vec<Trace> =
        traces.iter().map(|(source, objects)| Trace::new(source.clone(), objects)).collect();
    let imported = learn(log.domain(), &&recording[..], &spec).unwrap();
    assert_eq!(imported.to_pddl(), model.to_pddl());
    let mut certificate = model.certificate().unwrap();
    assert!(imported.certificate().unwrap() == certificate);
    let learned = read_domain(&Source::new("m", model.to_pddl())).unwrap();
    for words in &assumed {
        certificate.assumptions.spec.reading.remove(words);
        let mut checker = ModelChecker::new(log.domain(), &learned, &certificate);
        traces.iter().for_each(|(source, objects)| checker.read(source, objects).unwrap());
        let reasons = checker.finish();
        assert!(reasons.iter().any(|reason| reason.what.ends_with(words)), "{words}: {reasons:?}");
        certificate.assumptions.spec.reading.insert(words.clone());
    }
}

/// Rows of one episode stay in order; how episodes are mixed does not matter, nor in how many files
/// they are.
#[test]
fn the_order_of_independent_episodes_does_not_matter() {
    let mut warehouse = Warehouse::simulate(5, 5, 40);
    let folder = folder(&warehouse);
    let log = open(&folder, MAP, &["log.csv"]).unwrap();
    let model = learn(log.domain(), &log, &spec(&log)).unwrap();
    // By turn, then by day: rows of all episodes alternate.
    warehouse.rows.sort_by_key(|row| row[0].parse::<u32>().unwrap());
    let (early, late) = (warehouse.csv(','), model.to_pddl());
    std::fs::write(folder.path("mixed.csv"), early).unwrap();
    let mixed = open(&folder, MAP, &["mixed.csv"]).unwrap();
    let again = learn(mixed.domain(), &mixed, &spec(&mixed)).unwrap();
    assert_eq!(again.to_pddl(), late);
    assert!(
        again.certificate().unwrap().to_json().unwrap()
            == model.certificate().unwrap().to_json().unwrap()
    );
    // Each day a file of its own, the last first.
    let mut names = Vec::new();
    for day in (0..5).rev() {
        let rows =
            warehouse.rows.iter().filter(|row| row[1] == format!("D{day}")).cloned().collect();
        let part = Warehouse { columns: warehouse.columns.clone(), rows, statics: String::new() };
        names.push(format!("{day}.csv"));
        std::fs::write(folder.path(&names[names.len() - 1]), part.csv(',')).unwrap();
    }
    let split = open(&folder, MAP, &names.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    assert_eq!(learn(split.domain(), &split, &spec(&split)).unwrap().to_pddl(), late);
}

/// A plan may go where no robot went that day: a problem has all static facts about its objects.
#[test]
fn an_imported_problem_has_the_ways_that_nobody_went() {
    let folder = folder(&Warehouse::simulate(5, 3, 12));
    let log = open(&folder, MAP, &["log.csv"]).unwrap();
    let mut steps = 0;
    for trace in 0..log.traces() {
        let problem = log.write(trace, &mut Vec::new()).unwrap();
        let problem =
            read_problem(&Source::new("p", problem), log.domain(), Numbers::Exact).unwrap();
        let of = |name: &str| log.domain().signature.functions.find(name).unwrap();
        let ways = problem
            .values
            .iter()
            .filter(|(function, _)| function.symbol.index() == of("distance"))
            .count();
        let place = log.domain().signature.types.find("place").unwrap();
        let places =
            problem.objects.ids().filter(|&id| problem.objects.type_of(id) == place).count();
        assert_eq!(ways, places * (places - 1));
        steps += ways;
    }
    assert!(steps > 0);
}
