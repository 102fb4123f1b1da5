//! Found parts (docs/theory.md, "Found parts"): worlds whose action behaves in several ways, which
//! nobody declared. Whatever a model with parts that were found allows works and ends as it says,
//! the order of traces does not matter, and `check` accepts.

mod worlds;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::learning::{domain, for_seeds, objects};
use surefoot_analysis::found::{FoundCuts, find_parts};
use surefoot_base::assumptions::Spec;
use surefoot_base::certificate::Certificate;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Domain, Event, Objects};
use surefoot_base::parts::{DeclaredParts, FindParts, FoundPart};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader, read_domain};
use surefoot_check::ModelChecker;
use surefoot_learn::{Job, Learner, Model, OnBadData, Settings, Trace, Unwatched};
use worlds::{DOMAIN, KINDS, Kind, OBJECTS, Recorded, ThingWorld, Things};

/// What is asked for.
fn to_find() -> Spec {
    let mut spec = Spec::default();
    spec.set("parts", FindParts::WORD.into()).unwrap();
    spec
}

fn sources(texts: &[String]) -> Vec<Source> {
    let named = texts.iter().enumerate();
    named.map(|(place, text)| Source::new(format!("t{place}"), text.as_str())).collect()
}

fn traces(texts: &[String], objects: &Objects) -> Vec<Trace> {
    sources(texts).into_iter().map(|source| Trace::new(source, objects)).collect()
}

fn found(given: &Domain, traces: &[Trace]) -> FoundCuts {
    find_parts(given, &to_find(), &traces, OnBadData::Stop, &Unwatched).unwrap()
}

/// A model of a spec whose parts are known; actions that it does not explain are left out.
fn learned(given: &Domain, spec: &Spec, traces: &[Trace]) -> Model {
    let start = Learner::of(given, spec).unwrap();
    let settings = Settings::of_spec(spec, &start).unwrap();
    let policy = OnBadData::SkipAction.into();
    let (start, recording) = (&start, &traces);
    let settings = &settings;
    Job { start, settings, recording, policy, digests: true, progress: &Unwatched }.run().unwrap()
}

/// How often a model allows what happens in a recorded execution, and how many events it has.
fn allowed(
    model: &Model,
    given: &Domain,
    objects: &Objects,
    recorded: &Recorded,
) -> Result<(usize, usize), String> {
    let source = Source::new("probe", recorded.text(true));
    let mut reader = TrajectoryReader::new(&source, given, objects, Numbers::Exact).unwrap();
    let semantics = Semantics::new(model.for_planning(), objects);
    let (mut allowed, mut steps) = (0, 0);
    while let Some(entry) = reader.next_entry().unwrap() {
        let attempt = entry.event.attempt();
        let mut universe = attempt.universe.clone();
        let predicted = semantics.successor(attempt.action, &mut universe, attempt.before);
        steps += usize::from(entry.event.step().is_some());
        match (predicted, entry.event) {
            (Err(_), _) => {}
            (Ok(after), Event::Worked(step)) if after == *step.after => allowed += 1,
            (Ok(_), Event::Worked(_)) => return Err("another outcome".to_owned()),
            (Ok(_), Event::Failed(_)) => return Err("it fails".to_owned()),
        }
    }
    Ok((allowed, steps))
}

/// What is wrong with a model by its certificate.
fn wrong(
    given: &Domain,
    text: &str,
    certificate: &Certificate,
    texts: &[String],
    objects: &Objects,
) -> Vec<String> {
    let model = read_domain(&Source::new("model", text)).unwrap();
    let mut checker = ModelChecker::new(given, &model, certificate);
    sources(texts).iter().for_each(|source| checker.read(source, objects).unwrap());
    let in_header = checker.header_differences(text);
    in_header.into_iter().chain(checker.finish()).map(|reason| reason.to_string()).collect()
}

/// A state near one that was recorded.
fn near(random: &mut Chance, world: &ThingWorld, recorded: &[Recorded]) -> Things {
    let mut state = random.of(recorded).first.clone();
    let fresh = world.state(random);
    for place in 0..2 {
        if random.percent(30) {
            state.x[place] += random.between(-3, 3);
        }
        if random.percent(20) {
            (state.p[place], state.q[place]) = (fresh.p[place], fresh.q[place]);
        }
    }
    if random.percent(20) {
        (state.y, state.z) = (fresh.y, fresh.z);
    }
    state
}

/// What is counted over many worlds.
#[derive(Default)]
struct FoundTally {
    worlds: usize,
    found: usize,
    asked: usize,
    allowed: usize,
    wrong: usize,
}

/// The law for one world.
fn law(random: &mut Chance, kind: Kind, tally: &mut FoundTally) {
    let given = domain(DOMAIN);
    let objects = objects(&given, OBJECTS);
    let world = ThingWorld::random(random, kind);
    let count = *random.of(&[3, 30, 60, 60]);
    let recorded: Vec<Recorded> = (0..count).map(|_| world.trace(random, 5)).collect();
    let texts: Vec<String> = recorded.iter().map(|trace| trace.text(true)).collect();
    let all = traces(&texts, &objects);
    let cuts = found(&given, &all);
    tally.worlds += 1;
    let story = || format!("{world:?}\n{}", texts.join("\n"));

    // The order of traces does not matter, nor does a trace that is given twice.
    let mut shuffled = texts.clone();
    random.shuffle(&mut shuffled);
    shuffled.push(shuffled[0].clone());
    let again = found(&given, &traces(&shuffled, &objects));
    assert_eq!(cuts.spec, again.spec, "{}", story());

    if cuts.spec.parts.is_empty() {
        // Without parts all is as if nobody had asked.
        assert_eq!(cuts.spec, Spec::default());
        assert!(cuts.notes.iter().all(|note| !note.stands));
        return;
    }
    tally.found += 1;
    let Some(DeclaredParts::Found(parts)) = cuts.spec.parts.get("act") else {
        panic!("{:?}", cuts.spec.parts)
    };
    assert!(parts.found.iter().all(|part| part.predicted >= FoundPart::ENOUGH));
    let model = learned(&given, &cuts.spec, &all);
    let text = model.to_pddl();
    assert!(text.contains("were found in the data, not declared"), "{text}");
    let certificate = model.certificate().unwrap();
    let again = Certificate::from_json(&certificate.to_json().unwrap()).unwrap();
    assert_eq!(certificate, again);
    let found_wrong = wrong(&given, &text, &certificate, &texts, &objects);
    assert!(found_wrong.is_empty(), "{found_wrong:?}\n{text}\n{}", story());
    let shuffled = learned(&given, &cuts.spec, &traces(&shuffled, &objects));
    assert_eq!(shuffled.to_pddl(), text, "{}", story());

    // What is allowed works, and ends as it says.
    for _ in 0..200 {
        let first = near(random, &world, &recorded);
        let things = world.things(random);
        let after = world.after(&first, things);
        let probe = Recorded { first, events: vec![(things, after)] };
        tally.asked += 1;
        match allowed(&model, &given, &objects, &probe) {
            Ok((allowed, _)) => tally.allowed += allowed,
            Err(why) => {
                tally.wrong += 1;
                eprintln!("{why}: {probe:?}\n{text}\n{}", story());
            }
        }
    }
}

fn laws(cases: u32, kinds: &[Kind]) -> FoundTally {
    let tally = RefCell::new(FoundTally::default());
    for_seeds(cases, |seed| {
        let mut random = Chance::new(seed);
        let kind = *random.of(kinds);
        law(&mut random, kind, &mut tally.borrow_mut());
    });
    let tally = tally.into_inner();
    eprintln!(
        "{} of {} worlds with parts that were found; {} of {} probes allowed, {} of them wrong",
        tally.found, tally.worlds, tally.allowed, tally.asked, tally.wrong
    );
    assert_eq!(tally.wrong, 0);
    tally
}

#[test]
fn what_is_allowed_in_found_parts_works() {
    let fails = |kind: &Kind| matches!(kind, Kind::Wall | Kind::Hole);
    let kinds: Vec<Kind> = KINDS.into_iter().filter(|kind| !fails(kind)).collect();
    let tally = laws(16, &kinds);
    assert!(std::env::var("SUREFOOT_SEED").is_ok() || tally.allowed >= 60 && tally.found >= 2);
}

#[test]
fn what_is_allowed_where_failures_show_the_parts_works() {
    laws(3, &[Kind::Wall, Kind::Hole]);
}

/// What the true cut of a kind of worlds tests, as it is written; none where there is none.
fn true_features(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Cap | Kind::Threshold | Kind::Band | Kind::Hole => &[" (x ?s) "],
        Kind::Floor => &["(- (x ?s) (y))"],
        Kind::Sum => &["(+ (x ?s) (y))"],
        Kind::Atom => &["(p ?s)"],
        Kind::Same => &["(= ?s ?t)"],
        Kind::Nested => &["(p ?s)", " (x ?s) "],
        Kind::Wall | Kind::Quadrant => &["(p ?s)", "(q ?s)"],
        Kind::Meeting => &["(- (+ (x ?s) (y)) (z))"],
        Kind::Plain => &[],
    }
}

/// The number of worlds of each kind that are measured.
const RUNS: usize = 100;

/// For each kind of world: how often parts are found, what share of the steps of fresh traces is
/// allowed, beside the share in the same world without the second behaviour, and how long it takes.
#[test]
#[ignore = "a measurement"]
fn measured() {
    let given = domain(DOMAIN);
    let objects = objects(&given, OBJECTS);
    for kind in KINDS {
        let (mut found_in, mut alone, mut among) = (0, 0, 0);
        let (mut right, mut steps, mut whole, mut of_whole, mut wrong) = (0, 0, 0, 0, 0);
        let (mut with, mut without) = (Duration::ZERO, Duration::ZERO);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for seed in 0..RUNS as u64 {
            let mut random = Chance::new(seed);
            let world = ThingWorld::random(&mut random, kind);
            let plain = ThingWorld { kind: Kind::Plain, ..world.clone() };
            let record = |world: &ThingWorld, random: &mut Chance, count: usize| -> Vec<Recorded> {
                (0..count).map(|_| world.trace(random, 5)).collect()
            };
            let texts = |recorded: &[Recorded]| -> Vec<String> {
                recorded.iter().map(|trace| trace.text(true)).collect()
            };
            let (train, test) = (record(&world, &mut random, 40), record(&world, &mut random, 20));
            let all = traces(&texts(&train), &objects);
            let began = Instant::now();
            let cuts = super::found::found(&given, &all);
            let model = learned(&given, &cuts.spec, &all);
            with += began.elapsed();
            if let Some(DeclaredParts::Found(parts)) = cuts.spec.parts.get("act") {
                found_in += 1;
                *counts.entry(parts.found.len()).or_default() += 1;
                let tests = || parts.found.iter().flat_map(|part| &part.tests);
                let is_true =
                    |test: &String| true_features(kind).iter().any(|text| test.contains(text));
                alone += usize::from(tests().all(is_true));
                among += usize::from(parts.found.iter().all(|part| part.tests.iter().any(is_true)));
            }
            for trace in &test {
                match allowed(&model, &given, &objects, trace) {
                    Ok((own, all)) => (right, steps) = (right + own, steps + all),
                    Err(_) => wrong += 1,
                }
            }
            let (train, test) = (record(&plain, &mut random, 40), record(&plain, &mut random, 20));
            let all = traces(&texts(&train), &objects);
            let began = Instant::now();
            let model = learned(&given, &Spec::default(), &all);
            without += began.elapsed();
            for trace in &test {
                let (own, all) = allowed(&model, &given, &objects, trace).unwrap();
                (whole, of_whole) = (whole + own, of_whole + all);
            }
        }
        println!(
            "{kind:?}: parts in {found_in} of {RUNS} worlds (numbers of parts: {counts:?}), by \
             the true tests alone in {alone}, among others in {among}; allowed {:.2} of the steps \
             of fresh traces, {:.2} without a second behaviour; {wrong} traces wrong; {:.0} ms, \
             {:.0} ms without a second behaviour",
            right as f64 / steps.max(1) as f64,
            whole as f64 / of_whole.max(1) as f64,
            with.as_secs_f64() * 1000.0 / RUNS as f64,
            without.as_secs_f64() * 1000.0 / RUNS as f64,
        );
    }
}
