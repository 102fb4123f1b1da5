//! A certificate may leave records out: as recording errors, as doubtful, or because they rest on
//! states that these may have spoiled. Whatever it leaves out, it hides no record that contradicts
//! the model. The forger here learns from the episodes that fit, and excuses all others by a record
//! of an action that the model does not have, or by a step that is set aside.
//!
//! And which records are left out depends on all of them, not on the way in which they were read.

use std::cell::Cell;

use surefoot_base::assumptions::{SetAside, Spec};
use surefoot_base::certificate::{Certificate, digest};
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{Source, read_domain};
use surefoot_check::{ModelChecker, RejectionReason};
use surefoot_learn::{
    Job, LearnError, Learner, Model, OnBadData, Policy, Settings, Trace, Unwatched, learn, load,
    save,
};

use crate::chance::Chance;
use crate::learning::{domain, for_seeds};

const DOMAIN: &str = "(define (domain d) (:functions (n)) (:action go \
                      :parameters ()) (:action wait :parameters ()) (:action look :parameters ()))";

/// An episode: its records, and what they say.
struct Episode {
    text: String,
    /// By record: the action, `n` before, `n` after; `None` where it failed.
    records: Vec<(&'static str, i64, Option<i64>)>,
}

/// A walk in which `go` adds 1, or 2 in a mode that nothing shows, and sometimes fails. With
/// `look`, a record that can serve as an excuse.
fn walk(random: &mut Chance, is_odd: bool, carried: bool) -> Episode {
    let mut n = random.between(0, 3);
    let mut text = String::from(if carried { "; assumed: Values carry forward.\n" } else { "" });
    text += &format!("((:init (= (n) {n}))\n");
    let mut records = Vec::new();
    for _ in 0..random.between(3, 7) {
        let action = *random.of(&["go", "go", "wait", "look"]);
        if is_odd && action == "go" && random.percent(20) {
            text += "(failed: (go))\n";
            records.push((action, n, None));
            continue;
        }
        let before = n;
        if action == "go" {
            n += if is_odd && random.percent(70) { 2 } else { 1 };
        }
        text += &format!("(operator: ({action}))\n(:state (= (n) {n}))\n");
        records.push((action, before, Some(n)));
    }
    Episode { text: text + ")", records }
}

fn verdict(
    domain: &Domain,
    model: &str,
    certificate: &Certificate,
    traces: &[Source],
) -> Vec<RejectionReason> {
    let model = read_domain(&Source::new("model", model)).unwrap();
    let mut checker = ModelChecker::new(domain, &model, certificate);
    for trace in traces {
        checker.read(trace, &Objects::default()).unwrap();
    }
    checker.finish()
}

/// Where the model allows `go`, by the numbers of its steps that worked, and that `go` adds 1: what
/// an honest reader of the model finds.
fn contradicts(good: &[Episode], odd: &Episode, excused: usize) -> bool {
    let steps = || good.iter().flat_map(|episode| &episode.records).filter(|step| step.0 == "go");
    let (Some(low), Some(high)) =
        (steps().map(|step| step.1).min(), steps().map(|step| step.1).max())
    else {
        return false;
    };
    let is_wrong = |&(action, before, after): &(&str, i64, Option<i64>)| {
        action == "go" && (low..=high).contains(&before) && after != Some(before + 1)
    };
    let others = odd.records.iter().enumerate().filter(|(index, _)| *index != excused);
    others.map(|(_, record)| record).any(is_wrong)
}

#[test]
fn a_certificate_hides_no_record_that_contradicts_the_model() {
    // The model has no `look`: it was never observed where the model was learned.
    let domain = domain(DOMAIN);
    let (accepted, rejected) = (Cell::new(0), Cell::new(0));
    for_seeds(400, |seed| {
        let random = &mut Chance::new(seed);
        let carried = random.percent(50);
        let good: Vec<Episode> = (0..random.between(2, 4))
            .map(|_| walk(random, false, carried))
            .filter(|episode| episode.records.iter().all(|record| record.0 != "look"))
            .collect();
        let odd = walk(random, true, carried);
        let source = |episode: &Episode| Source::new("day", episode.text.clone());
        let traces: Vec<Trace> = good.iter().map(|good| Trace::inferred(source(good))).collect();
        let Ok(model) = learn(&domain, &Spec::default(), &traces) else { return };
        let mut certificate = model.certificate().unwrap();
        if certificate.actions.is_empty() {
            return;
        }
        let mut sources: Vec<Source> = good.iter().map(source).collect();
        assert_eq!(verdict(&domain, &model.to_string(), &certificate, &sources), [], "{seed}");

        // The forgery: the odd episode is excused by one of its records.
        let step = random.below(odd.records.len());
        let (action, _, after) = odd.records[step];
        let line = 2
            + usize::from(carried)
            + odd.records[..step]
                .iter()
                .map(|record| 1 + usize::from(record.2.is_some()))
                .sum::<usize>();
        let trace = digest(&odd.text);
        let what = format!("day:{line}, ({action}) does not fit the other steps of {action}.");
        let excuse = SetAside { trace: trace.clone(), step, what };
        certificate.traces.insert(trace);
        match action {
            "look" => certificate.assumptions.doubtful.insert(excuse),
            _ => certificate.assumptions.set_aside.insert(excuse),
        };
        sources.push(source(&odd));
        let found = verdict(&domain, &model.to_string(), &certificate, &sources);
        let is_contradicted = contradicts(&good, &odd, step)
            || action == "go" && after.is_none() && contradicts(&good, &odd, usize::MAX);
        if is_contradicted {
            rejected.set(rejected.get() + 1);
            assert!(!found.is_empty(), "{seed}: {}\n{model}", odd.text);
        }
        accepted.set(accepted.get() + usize::from(found.is_empty()));
    });
    assert!(accepted.get() > 10 && rejected.get() > 30, "{accepted:?} {rejected:?}");
}

/// Learns with quarantine from some episodes, after what a state holds; the model, and the state.
fn quarantined(start: &Learner, traces: &[Trace]) -> Result<(String, Vec<u8>), LearnError> {
    let settings = Settings::of_spec(&Spec::default(), start).unwrap();
    let job = Job {
        start,
        settings: &settings,
        recording: &traces,
        policy: Policy::from(OnBadData::Quarantine),
        digests: true,
        progress: &Unwatched,
    };
    let model: Model = job.run()?;
    let state = save(&model.grounds().unwrap().learner).unwrap();
    Ok((model.to_string(), state))
}

#[test]
fn what_is_set_aside_does_not_depend_on_how_the_records_were_split() {
    let domain = domain(DOMAIN);
    let empty = Learner::of(&domain, &Spec::default()).unwrap();
    let (aside, refused, left_out) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_seeds(150, |seed| {
        let random = &mut Chance::new(seed);
        let count = random.between(2, 6);
        let odd = random.below(count as usize);
        let mut traces: Vec<Trace> = (0..count as usize)
            .map(|number| {
                let is_odd = number == odd && random.percent(80);
                let episode = walk(random, is_odd, false);
                Trace::inferred(Source::new(format!("day {number}"), episode.text))
            })
            .collect();
        let whole = quarantined(&empty, &traces);
        random.shuffle(&mut traces);
        let (first, rest) = traces.split_at(random.below(count as usize));
        let Ok((_, state)) = quarantined(&empty, first) else { return };
        let split = quarantined(&load(&state).unwrap(), rest);
        match (whole, split) {
            (Ok(whole), Ok(split)) => {
                assert!(whole == split, "{seed}:\n{}\n{}", whole.0, split.0);
                aside.set(aside.get() + usize::from(whole.0.contains("Set aside")));
                left_out.set(left_out.get() + usize::from(whole.0.contains("Left out")));
            }
            (Err(_), Err(_)) => refused.set(refused.get() + 1),
            (whole, split) => panic!("{seed}: {whole:?} {split:?}"),
        }
    });
    let counts = (aside.get(), left_out.get(), refused.get());
    assert!(counts.0 > 10 && counts.1 > 5, "{counts:?}");
}
