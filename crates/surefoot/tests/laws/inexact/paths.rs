//! One model, however the records come to it: in one go, resumed, merged from states, and from its
//! own state alone. With errors or without, with digits, facet budgets and failures, each gives the
//! same bytes, and what a part takes for granted the whole takes for granted.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::{Spec, Unchanged};
use surefoot_base::pddl::Source;
use surefoot_learn::Settings;
use surefoot_learn::{
    Job, Learner, Model, NoTraces, OnBadData, Policy, Recording, Trace, Unwatched, load, save,
};

use super::generate::{Case, case};
use super::product::{domain_of, spec};
use crate::chance::Chance;
use crate::promise::number::Rat;
use crate::promise::world::Call;

/// All that a model says of itself, and what it was made of.
#[derive(PartialEq, Eq, Debug)]
struct Said {
    pddl: String,
    certificate: String,
    state: Vec<u8>,
    results: Vec<String>,
}

impl Said {
    fn of(model: &Model) -> Self {
        Said {
            pddl: model.to_pddl(),
            certificate: model.certificate().unwrap().to_json().unwrap(),
            state: save(&model.grounds().unwrap().learner).unwrap(),
            results: model.summary().actions.into_iter().map(|row| row.result).collect(),
        }
    }
}

fn sentences(model: &Model) -> BTreeSet<String> {
    model.assumptions().unwrap().in_words().into_iter().collect()
}

fn run(
    start: &Learner,
    (spec, on_bad): (&Spec, OnBadData),
    recording: &dyn Recording,
) -> Result<Model, String> {
    let settings = Settings::of_spec(spec, start).map_err(|error| error.to_string())?;
    let policy = Policy::from(on_bad);
    let job =
        Job { start, settings: &settings, recording, policy, digests: true, progress: &Unwatched };
    job.run().map_err(|error| error.to_string())
}

fn state(model: &Model) -> Learner {
    load(&save(&model.grounds().unwrap().learner).unwrap()).unwrap()
}

/// Attempts that really fail, as trajectories: where something was recorded, with other arguments
/// or another action.
fn failures(chance: &mut Chance, case: &Case) -> Vec<String> {
    let mut texts = Vec::new();
    for _ in 0..12 {
        let trace = chance.below(case.records.len());
        let at = chance.below(case.records[trace].states.len());
        let other = chance.below(case.truth.len());
        let call: Call = chance.of(&case.truth[other].calls).clone();
        let truth = &case.truth[trace].states[at];
        if let Ok(None) =
            case.world.successor(&case.world.actions[call.action], &call.arguments, truth)
        {
            let before = case.world.facts(&case.records[trace].states[at]);
            texts.push(format!("((:init{before})\n(failed: {})\n)\n", case.world.call(&call)));
        }
    }
    texts
}

/// The dials beyond those of the case.
fn turn(chance: &mut Chance, spec: &mut Spec) {
    if chance.percent(60) {
        spec.digits = Some(1 + chance.below(3) as u32);
    }
    if chance.percent(30) {
        spec.facet_budget = 2 + chance.below(6);
    }
}

fn examine(seed: u64, counts: &mut BTreeMap<&'static str, usize>) {
    let mut chance = Chance::scattered(seed ^ 0x9A7B_0011);
    let mut case = case(seed);
    let exact = chance.percent(50);
    if exact {
        case.records = case.truth.clone();
        case.options.effect_decimals = None;
        case.errors.iter_mut().for_each(|error| *error = Rat { num: 0, den: 1 });
    }
    let mut spec = spec(&case, &case.errors, &case.options).unwrap();
    turn(&mut chance, &mut spec);
    let on_bad = OnBadData::ALL[chance.below(3)].0;
    let unchanged = exact && chance.percent(60);
    if unchanged {
        spec.unchanged = Some(Unchanged::Failed);
    }
    let how = (&spec, on_bad);
    let (domain, objects) = domain_of(&case).unwrap();
    let mut texts = case.texts();
    let failed = failures(&mut chance, &case);
    let fails = !failed.is_empty();
    texts.extend(failed);
    let traces: Vec<Trace> = (texts.into_iter().enumerate())
        .map(|(index, text)| {
            let assumed = if chance.percent(40) {
                format!("; assumed: Nobody touched clock {index}.\n")
            } else {
                String::new()
            };
            Trace::new(Source::new(format!("{index}.trajectory"), assumed + &text), &objects)
        })
        .collect();
    let start = Learner::of(&domain, &spec).unwrap();
    // Dials that do not go together, and marks and arities that failures refute.
    let Ok(clean) = run(&start, (&spec, OnBadData::Stop), &&traces[..]) else { return };
    // What to do about bad data changes nothing where there are none.
    let whole = run(&start, how, &&traces[..]).unwrap();
    let (mut clean, said) = (Said::of(&clean), Said::of(&whole));
    if on_bad == OnBadData::Quarantine {
        // This state holds its trajectories.
        clean.state = said.state.clone();
    }
    assert!(clean == said, "seed {seed}");
    let mut order: Vec<usize> = (0..traces.len()).collect();
    chance.shuffle(&mut order);
    let (left, right) = order.split_at(chance.below(order.len() + 1));
    let [left, right] =
        [left, right].map(|part| part.iter().map(|&at| traces[at].clone()).collect::<Vec<_>>());
    // What a step that changed nothing means, all steps decide together: parts may be read
    // otherwise, or contradict each other. No sentence is lost all the same.
    if unchanged {
        let Ok(one) = run(&start, how, &&left[..]) else { return };
        if let Ok(resumed) = run(&state(&one), how, &&right[..]) {
            assert!(sentences(&one).is_subset(&sentences(&resumed)), "seed {seed}");
            *counts.entry("with unchanged steps that failed").or_default() += 1;
        }
        return;
    }
    let [one, other] = [&left, &right].map(|part| run(&start, how, &&part[..]).unwrap());
    for part in [&one, &other] {
        assert!(sentences(part).is_subset(&sentences(&whole)), "seed {seed}");
    }
    let mut merged = state(&one);
    merged.merge(&state(&other));
    merged.merge(&state(&one));
    let merged = load(&save(&merged).unwrap()).unwrap();
    let settings = Settings::of_spec(&spec, &merged).unwrap();
    let ways = [
        ("its own state", run(&state(&whole), how, &NoTraces).unwrap()),
        ("its own state, and a part again", run(&state(&whole), how, &&left[..]).unwrap()),
        ("resumed", run(&state(&one), how, &&right[..]).unwrap()),
        ("merged", run(&merged, how, &NoTraces).unwrap()),
        ("a learner by itself", Model::of(&merged, &settings, &NoTraces, on_bad).unwrap()),
    ];
    for (way, model) in &ways {
        let other = Said::of(model);
        assert!(
            other == said,
            "seed {seed}, {way}:\n{}\n{}\n{}\n{}",
            said.pddl,
            other.pddl,
            said.certificate,
            other.certificate
        );
    }
    let left_out = said.results.iter().any(|result| result != "learned");
    let facts = [
        ("with errors", !exact),
        ("with quarantine", on_bad == OnBadData::Quarantine),
        ("with actions skipped", on_bad == OnBadData::SkipAction),
        ("with digits", spec.digits.is_some()),
        ("with digits and errors", spec.digits.is_some() && !exact),
        ("with failures", fails),
        ("with failures and errors", fails && !exact),
        ("with an action left out", left_out),
        (
            "that refuse recorded steps",
            whole.summary().actions.iter().any(|row| row.refused > Some(0)),
        ),
    ];
    facts
        .iter()
        .filter(|(_, holds)| *holds)
        .for_each(|(fact, _)| *counts.entry(fact).or_default() += 1);
}

#[test]
fn every_way_to_the_same_records_gives_the_same_bytes_and_keeps_every_sentence() {
    let mut counts = BTreeMap::new();
    (0..60).for_each(|seed| examine(seed, &mut counts));
    let kinds = [
        "errors",
        "digits",
        "digits and errors",
        "failures",
        "failures and errors",
        "an action left out",
        "quarantine",
        "actions skipped",
    ];
    for kind in kinds
        .iter()
        .map(|kind| format!("with {kind}"))
        .chain(["that refuse recorded steps".to_owned()])
    {
        assert!(counts.get(&*kind).is_some_and(|&count| count > 2), "{kind}: {counts:?}");
    }
    assert!(counts.contains_key("with unchanged steps that failed"), "{counts:?}");
}
