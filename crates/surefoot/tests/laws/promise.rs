//! The promise over random domains: whatever a learned model allows can really be done and does
//! what the model says, what was shown is allowed, what was learned is accepted by `check`, every
//! split gives the same bytes, and no forgery of an unsafe model passes. The oracle shares nothing
//! with the learner but the reader of PDDL.
//!
//! The short run has fixed seeds. The long one is
//!
//! ```text
//! SUREFOOT_PROMISE_CASES=50000 cargo test --release -p surefoot --test laws -- --ignored \
//!     --nocapture long_run
//! ```
//!
//! with `SUREFOOT_PROMISE_SEED` for the first seed (0 without it), and `SUREFOOT_PROMISE_FILES` for
//! a folder that is to hold, for each violation, the smallest case found as files that the command
//! line reads.

mod failures;
mod generate;
mod growth;
mod laws;
pub mod number;
pub mod product;
mod questions;
mod tamper;
mod tried;
mod untold;
pub mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::chance::Chance;
use generate::{Case, case};
use laws::{Counts, Effort, Law, Violation, examine, smallest};
use product::{Mark, Method, Options, Split, Texts};
use questions::{Question, questions};
use world::Call;

const SLOW: Duration = Duration::from_secs(10);
const EFFORT: Effort = Effort { questions: 160, splits: 40, tampering: 30 };

/// Examines the seeds that `seeds` numbers, on all cores; `tell` hears of each violation.
fn run(
    seeds: &(impl Fn(u64) -> Option<u64> + Sync),
    effort: Effort,
    tell: impl Fn(u64, &Case, &Violation) + Sync,
) -> (Counts, BTreeMap<Law, usize>) {
    let next = AtomicU64::new(0);
    let done = AtomicBool::new(false);
    let all = Mutex::new((Counts::default(), BTreeMap::<Law, usize>::new(), (Duration::ZERO, 0)));
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let busy: Mutex<BTreeMap<u64, Instant>> = Mutex::default();
    std::thread::scope(|scope| {
        // Whatever takes long is named while it runs.
        scope.spawn(|| {
            let mut named = std::collections::BTreeSet::new();
            while !done.load(Ordering::Relaxed) || !busy.lock().unwrap().is_empty() {
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
                    let Some(seed) = seeds(next.fetch_add(1, Ordering::Relaxed)) else {
                        done.store(true, Ordering::Relaxed);
                        return;
                    };
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
                    violations
                        .iter()
                        .for_each(|violation| *all.1.entry(violation.law).or_default() += 1);
                    all.2 = all.2.max((took, seed));
                }
            });
        }
    });
    let (counts, broken, (took, seed)) = all.into_inner().unwrap();
    println!("slowest: seed {seed}, {} ms", took.as_millis());
    (counts, broken)
}

/// The oracle reads PDDL as the product does: otherwise all that follows would be about something
/// else.
#[test]
fn the_oracle_agrees_with_the_semantics() {
    let (mut applicable, mut inapplicable) = (0, 0);
    for seed in 0..150 {
        let case = case(seed);
        let (mut chance, world) = (Chance::scattered(seed), &case.world);
        let texts = Texts { domain: world.domain(&world.actions, true), ..case.texts() };
        for (index, action) in world.actions.iter().enumerate() {
            for Question { state, arguments } in
                questions(&mut chance, &case, action, 10).into_iter().rev().take(30)
            {
                let call = Call { action: index, arguments };
                let Ok(after) = world.successor(action, &call.arguments, &state) else { continue };
                let ends = after.clone().unwrap_or_else(|| state.clone());
                let text = world.trajectory(&[state, ends], std::slice::from_ref(&call));
                let said = product::reproduces(&texts, &text)
                    .unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(
                    said,
                    after.as_ref().map(|_| true),
                    "seed {seed}\n{}\n{text}",
                    texts.domain
                );
                if after.is_some() { applicable += 1 } else { inapplicable += 1 }
            }
        }
    }
    assert!(applicable > 500 && inapplicable > 500, "{applicable} and {inapplicable}");
}

/// So many cases from seed 0 on, and the telling ones.
const CASES: u64 = 800;

/// Cases that once gave an unsafe model (products under the dials: among random cases one in some
/// 150), refused a true effect arity or what functions that are one came to, or depended on the
/// split.
const TELLING: &[u64] = &[
    813, 900, 930, 941, 1033, 1039, 1114, 1154, 1185, 1360, 1387, 1601, 1757, 2036, 2064, 2085,
    2116, 2260, 2299, 2386, 2396, 2421, 2496, 2563, 2598, 2735, 2811, 2827, 2914, 3155, 3291, 3315,
    3465, 3560, 3632, 3799, 3878, 4054, 4057, 4078, 4266, 4302, 4387, 4580, 4585, 4592, 4620, 4702,
    4842, 5040, 5246, 5254, 5255, 5293, 5312, 5321, 5535, 5735, 5744, 5803, 5933, 5982, 6109, 6467,
    6543, 6554, 6654, 6662, 6669, 6980,
];

/// Allowed is really applicable with the same successor; what was shown is allowed; `check` accepts
/// what was learned, and prints the assumptions of the model's head; every split gives the same
/// bytes; forgeries of unsafe models are rejected.
#[test]
fn the_promise_holds_for_random_domains() {
    let seeds =
        |at: u64| if at < CASES { Some(at) } else { TELLING.get((at - CASES) as usize).copied() };
    let (counts, broken) = run(&seeds, EFFORT, |seed, _, violation| {
        println!("seed {seed}: {:?}: {}", violation.law, violation.what)
    });
    // The laws are about something.
    for (kind, least) in [
        ("questions allowed", 50_000),
        ("actions learned", 800),
        ("splits", 800),
        ("forged certificates", 2_000),
    ] {
        let number = counts.0.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "only {number} {kind}");
    }
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
#[ignore = "takes minutes; the number of cases is in SUREFOOT_PROMISE_CASES"]
fn long_run() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |text| text.parse().expect(name))
    };
    let (cases, first) =
        (number("SUREFOOT_PROMISE_CASES", 5_000), number("SUREFOOT_PROMISE_SEED", 0));
    let folder = std::env::var("SUREFOOT_PROMISE_FILES").ok();
    let start = Instant::now();
    let kept = Mutex::new(BTreeMap::<Law, usize>::new());
    let (counts, broken) =
        run(&|at| (at < cases).then_some(first + at), EFFORT, |seed, case, violation| {
            println!(
                "seed {seed}: {:?}: {}",
                violation.law,
                violation.what.lines().next().unwrap_or_default()
            );
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
    let violations = laws::examine_case(&case, seed, EFFORT, &mut Counts::default());
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
            .map(|(action, marks)| {
                (action, marks.iter().map(|(name, mark)| (name, word(mark))).collect())
            })
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
    let mut text =
        "surefoot learn -d domain.pddl -o learned.pddl --certificate certificate.json".to_owned();
    let method = match options.method {
        Method::NsamStar => "nsam-star",
        Method::Nsam => "nsam",
        Method::NsamLiteral => "nsam-literal",
        Method::Sam => "sam",
    };
    text += &format!(" --algorithm {method} --degree {}", options.degree);
    let number = |name: &str, value: Option<usize>| {
        value.map_or(String::new(), |value| format!(" --{name} {value}"))
    };
    text += &number("arity", options.arity);
    text += &number("effect-arity", options.effect_arity);
    text += &number("facet-budget", options.facet_budget);
    text += &number("digits", options.digits.map(|digits| digits as usize));
    text += if options.relevant.is_empty() { "" } else { " --relevant relevant.json" };
    text += if options.monotone.is_empty() { "" } else { " --monotone monotone.json" };
    text += if options.positive { " --positive-preconditions" } else { "" };
    text + " *.trajectory\n"
}

/// Few facets and few digits leave parts of regions, and their conditions look little like the
/// facets: `check` accepts these models all the same. Each of these seeds was once rejected.
#[test]
fn models_of_few_facets_and_few_digits_are_accepted() {
    let few_facets = |case: &mut Case, seed: u64| {
        case.options.facet_budget = Some(3 + (seed % 4) as usize);
    };
    let one_digit = |case: &mut Case, _: u64| {
        case.options.digits = Some(1);
        case.options.method = Method::NsamLiteral;
    };
    type Change = fn(&mut Case, u64);
    let seeds: [(Change, &[u64]); 2] =
        [(few_facets, &[304, 369, 444, 1148, 1364, 1488]), (one_digit, &[4157])];
    for (change, seeds) in seeds {
        for &seed in seeds {
            let mut case = case(seed);
            change(&mut case, seed);
            let texts = case.texts();
            let split = Split::whole(texts.traces.len());
            let learned = product::learn(&texts, &case.options, &split).unwrap();
            assert!(!learned.actions.is_empty(), "seed {seed}");
            let reasons = product::check(&texts, &learned.model, &learned.certificate);
            assert_eq!(reasons, [""; 0], "seed {seed}");
        }
    }
}
