//! Records that leave something out: the same worlds, of which a share of the facts and values,
//! before and after steps, is unknown. Nothing that is learned from them is unsafe, honest data
//! never contradict themselves, `check` accepts what was learned and rejects forgeries, and every
//! split gives the same bytes.

use std::collections::BTreeMap;

use super::generate::{Case, case};
use super::laws::{Counts, Law, Violation, splits, unsafe_step};
use super::product::{self, Outcome, Split, Texts};
use super::questions::{climb, grid, questions};
use super::tamper;
use crate::chance::Chance;

/// The traces of a case with a share of everything unknown.
fn partly_told(case: &Case, chance: &mut Chance, percent: usize) -> Texts {
    let traces = case.traces.iter().map(|trace| {
        let told = &mut || !chance.percent(percent);
        case.world.trajectory_told(&trace.states, &trace.calls, told)
    });
    Texts { traces: traces.collect(), ..case.texts() }
}

fn examine(seed: u64, counts: &mut Counts) -> Vec<Violation> {
    let case = case(seed);
    let mut chance = Chance::scattered(seed ^ 0x0DD0_5EED);
    let percent = *chance.of(&[1, 2, 5, 10, 20, 40]);
    let texts = partly_told(&case, &mut chance, percent);
    let mut found = Vec::new();
    let learned = match product::learn(&texts, &case.options, &Split::whole(texts.traces.len())) {
        Ok(learned) => learned,
        Err(why) => return vec![Violation { law: Law::LearningRefused, what: why }],
    };
    for (name, outcome) in &learned.outcomes {
        match outcome {
            Outcome::Inconsistent(why) => {
                found.push(Violation {
                    law: Law::HonestInconsistent,
                    what: format!("{name}: {why}"),
                });
            }
            Outcome::LeftOut(_) => counts.add("left out", 1),
            Outcome::Learned(_) => counts.add("learned", 1),
        }
    }
    let mut asked = Vec::new();
    for action in &learned.actions {
        let mut all = questions(&mut chance, &case, action, 120);
        all.extend(grid(&mut chance, &case, action));
        all.extend(climb(&mut chance, &case, action, 60));
        if let Some(what) = unsafe_step(&case, action, &all, counts) {
            found.push(Violation { law: Law::Unsafe, what });
        }
        asked.push(all);
    }
    let reasons = product::check(&texts, &learned.model, &learned.certificate);
    if !reasons.is_empty() {
        found.push(Violation { law: Law::HonestRejected, what: reasons.join("\n") });
    }
    if chance.percent(40) {
        splits(&mut chance, &case, &texts, &learned, counts, &mut found);
    }
    if chance.percent(30) && found.is_empty() {
        tamper::tamper(&mut chance, &case, &texts, &learned, &asked, counts, &mut found);
    }
    found
}

fn run(seeds: impl Iterator<Item = u64>) -> (Counts, BTreeMap<Law, usize>) {
    let (mut counts, mut broken) = (Counts::default(), BTreeMap::new());
    for seed in seeds {
        for violation in examine(seed, &mut counts) {
            println!("seed {seed}: {:?}: {}", violation.law, violation.what);
            *broken.entry(violation.law).or_default() += 1;
        }
    }
    (counts, broken)
}

/// What is unknown is neither false nor zero: whatever a record leaves out, the promise holds, and
/// so do all laws of evidence.
#[test]
fn the_promise_holds_where_records_leave_things_out() {
    let (counts, broken) = run(0..400);
    for (kind, least) in [
        ("questions allowed", 10_000),
        ("learned", 200),
        ("splits", 300),
        ("forged certificates", 500),
    ] {
        let number = counts.0.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "only {number} {kind}");
    }
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
#[ignore = "takes minutes; the number of cases is in SUREFOOT_PROMISE_CASES"]
fn long_run_of_records_that_leave_things_out() {
    let cases = std::env::var("SUREFOOT_PROMISE_CASES").map_or(5_000, |text| text.parse().unwrap());
    let (counts, broken) = run(0..cases);
    counts.0.iter().for_each(|(what, number)| println!("{number:>10} {what}"));
    assert!(broken.is_empty(), "{broken:?}");
}
