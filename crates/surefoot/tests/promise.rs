//! The promise over random domains: whatever a learned model allows can really be done and does what the model says, what was shown
//! is allowed, what was learned is accepted by `check`, every split gives the same bytes, and no forgery of an unsafe model passes.
//!
//! The short run has fixed seeds. The long one is
//!
//! ```text
//! SUREFOOT_PROMISE_CASES=50000 cargo test --release -p surefoot --test promise -- --ignored --nocapture long_run
//! ```
//!
//! with `SUREFOOT_PROMISE_SEED` for the first seed (0 without it), and `SUREFOOT_PROMISE_FILES` for a folder that is to hold, for each
//! violation, the smallest case found as files that the command line reads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "promise/mod.rs"]
mod parts;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parts::generate::Case;
use parts::laws::{Counts, Effort, Law, Violation, examine, smallest};
use parts::product::{self, Mark, Method, Options, Split};

const SLOW: Duration = Duration::from_secs(10);
const EFFORT: Effort = Effort { questions: 160, splits: 40, tampering: 30 };

/// Examines some seeds on all cores; `tell` hears of each violation.
fn run(
    seeds: std::ops::Range<u64>,
    effort: Effort,
    tell: impl Fn(u64, &Case, &Violation) + Sync,
) -> (Counts, BTreeMap<Law, usize>) {
    let next = AtomicU64::new(seeds.start);
    let all = Mutex::new((Counts::default(), BTreeMap::<Law, usize>::new(), (Duration::ZERO, 0)));
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let busy: Mutex<BTreeMap<u64, Instant>> = Mutex::default();
    std::thread::scope(|scope| {
        // Whatever takes long is named while it runs.
        scope.spawn(|| {
            let mut named = std::collections::BTreeSet::new();
            while next.load(Ordering::Relaxed) < seeds.end || !busy.lock().unwrap().is_empty() {
                std::thread::sleep(Duration::from_millis(100));
                for (seed, start) in busy.lock().unwrap().iter() {
                    if start.elapsed() > SLOW && named.insert(*seed) {
                        println!("seed {seed} takes more than {} s", SLOW.as_secs());
                    }
                }
            }
        });
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let (start, mut counts) = (Instant::now(), Counts::default());
                    busy.lock().unwrap().insert(seed, start);
                    let (case, violations) = examine(seed, effort, &mut counts);
                    let took = start.elapsed();
                    for violation in &violations {
                        tell(seed, &case, violation);
                    }
                    busy.lock().unwrap().remove(&seed);
                    let mut all = all.lock().unwrap();
                    all.0.merge(&counts);
                    violations.iter().for_each(|violation| *all.1.entry(violation.law).or_default() += 1);
                    all.2 = all.2.max((took, seed));
                }
            });
        }
    });
    let (counts, broken, (took, seed)) = all.into_inner().unwrap();
    println!("slowest: seed {seed}, {} ms", took.as_millis());
    (counts, broken)
}

#[test]
fn the_promise_holds_for_random_domains() {
    let (counts, broken) =
        run(0..400, EFFORT, |seed, _, violation| println!("seed {seed}: {:?}: {}", violation.law, violation.what));
    // The laws are about something.
    for (kind, least) in [("questions allowed", 5_000), ("actions learned", 300), ("splits", 300), ("forged certificates", 300)] {
        let number = counts.0.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "only {number} {kind}");
    }
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
#[ignore = "takes minutes; the number of cases is in SUREFOOT_PROMISE_CASES"]
fn long_run() {
    let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().expect(name));
    let (cases, first) = (number("SUREFOOT_PROMISE_CASES", 5_000), number("SUREFOOT_PROMISE_SEED", 0));
    let folder = std::env::var("SUREFOOT_PROMISE_FILES").ok();
    let start = Instant::now();
    let kept = Mutex::new(BTreeMap::<Law, usize>::new());
    let (counts, broken) = run(first..first + cases, EFFORT, |seed, case, violation| {
        println!("seed {seed}: {:?}: {}", violation.law, violation.what.lines().next().unwrap_or_default());
        if let Some(folder) = &folder {
            let number = {
                let mut kept = kept.lock().unwrap();
                let number = kept.entry(violation.law).or_default();
                *number += 1;
                *number
            };
            if number <= 40 {
                keep(Path::new(folder), seed, case, violation);
            }
        }
    });
    println!("{} s", start.elapsed().as_secs());
    counts.0.iter().for_each(|(what, number)| println!("{number:>10} {what}"));
    broken.iter().for_each(|(law, number)| println!("{number:>10} violations: {law:?}"));
    assert!(broken.is_empty(), "{broken:?}");
}

/// The smallest case in which the same promise is broken, as files.
fn keep(folder: &Path, seed: u64, case: &Case, violation: &Violation) {
    let case = smallest(case, seed, EFFORT, violation.law);
    let violations = parts::laws::examine_case(&case, seed, EFFORT, &mut Counts::default());
    let what = violations.iter().find(|one| one.law == violation.law).unwrap_or(violation);
    let folder = folder.join(format!("{:?}-{seed}", violation.law));
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let texts = case.texts();
    write("domain.pddl", &case.world.domain(&case.world.actions, true));
    for (index, trace) in texts.traces.iter().enumerate() {
        write(&format!("{index}.trajectory"), trace);
        write(&format!("{index}.pddl"), &texts.problem);
    }
    write("command", &command(&case.options));
    if !case.options.relevant.is_empty() {
        write("relevant.json", &serde_json::to_string_pretty(&case.options.relevant).unwrap());
    }
    if !case.options.monotone.is_empty() {
        let word = |mark: &Mark| format!("{mark:?}").to_lowercase();
        let words: BTreeMap<_, BTreeMap<_, _>> = (case.options.monotone.iter())
            .map(|(action, marks)| (action, marks.iter().map(|(name, mark)| (name, word(mark))).collect()))
            .collect();
        write("monotone.json", &serde_json::to_string_pretty(&words).unwrap());
    }
    if let Ok(learned) = product::learn(&texts, &case.options, &Split::whole(texts.traces.len())) {
        write("learned.pddl", &learned.model);
        write("certificate.json", &learned.certificate);
    }
    write("violation", &format!("seed {seed}\n{:?}\n{}\n", what.law, what.what));
}

fn command(options: &Options) -> String {
    let mut text = "surefoot learn -d domain.pddl -o learned.pddl --certificate certificate.json".to_owned();
    let method = match options.method {
        Method::NsamStar => "nsam-star",
        Method::Nsam => "nsam",
        Method::Sam => "sam",
    };
    text += &format!(" --algorithm {method} --degree {}", options.degree);
    let number = |name: &str, value: Option<usize>| value.map_or(String::new(), |value| format!(" --{name} {value}"));
    text += &number("arity", options.arity);
    text += &number("effect-arity", options.effect_arity);
    text += &number("facet-budget", options.facet_budget);
    text += &number("digits", options.digits.map(|digits| digits as usize));
    text += if options.relevant.is_empty() { "" } else { " --relevant relevant.json" };
    text += if options.monotone.is_empty() { "" } else { " --monotone monotone.json" };
    text += if options.positive { " --positive-preconditions" } else { "" };
    text + " *.trajectory\n"
}
