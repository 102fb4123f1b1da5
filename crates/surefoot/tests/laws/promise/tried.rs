//! The model is tried on everything it was learned from: whatever the dials, whatever is unknown,
//! on every path. No model is written that allows a recorded failure, and each recorded step is
//! allowed and ends where it ended, or is counted as refused.

use std::collections::BTreeMap;

use surefoot_base::exact::Rational;
use surefoot_base::margins::for_records;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Event, FunctionId, Objects};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader};
use surefoot_learn::{
    Job, LearnError, Learner, Model, OnBadData, Policy, Settings, Trace, Unwatched, assumptions,
    load, save,
};

use super::failures::Setup;
use super::generate::case;
use super::laws::Counts;
use super::product::Method;
use super::questions::{Question, questions};
use super::world::Call;
use crate::chance::Chance;
use crate::saved::comes_back;

/// Trajectories of a case of which something is unknown, and attempts: most of them really failed.
fn records(chance: &mut Chance, setup: &Setup<'_>) -> Vec<String> {
    let world = &setup.case.world;
    let untold = if chance.percent(50) { 0 } else { chance.between(1, 12) as usize };
    let mut texts = Vec::new();
    for trace in &setup.case.traces {
        texts.push(
            world.trajectory_told(&trace.states, &trace.calls, &mut || !chance.percent(untold)),
        );
    }
    let planted = chance.percent(25);
    for (index, action) in world.actions.iter().enumerate() {
        for Question { state, arguments } in questions(chance, setup.case, action, 12) {
            let tried = (Call { action: index, arguments }, state);
            if setup.really(&tried) == Some(false) || planted && chance.percent(10) {
                let facts = world.facts_told(&tried.1, &mut || !chance.percent(untold));
                texts.push(format!("((:init{facts})\n(failed: {})\n)\n", world.call(&tried.0)));
            }
        }
    }
    texts
}

fn dials(chance: &mut Chance, setup: &Setup<'_>) -> Settings {
    let mut settings = setup.settings.clone();
    match chance.below(6) {
        0 => settings.facet_budget = chance.between(0, 8) as usize,
        1 => settings.digits = Some(chance.between(1, 3) as u32),
        2 => settings.arity = Some(1),
        3 => settings.positive_preconditions = true,
        4 => settings.unchanged_failed = true,
        _ => {}
    }
    settings
}

/// A learner that takes some records for inexact. They are exact, so they are within any errors.
fn with_errors(chance: &mut Chance, setup: &Setup<'_>) -> Learner {
    let functions = setup.domain.signature.functions.len();
    let mut errors = BTreeMap::new();
    for function in (0..functions).map(FunctionId::from) {
        if chance.percent(60) {
            errors.insert(function, Rational::new(chance.between(1, 4), 8).unwrap());
        }
    }
    let class = setup.empty.class().clone().with(|class| class.errors = errors);
    Learner::new(&setup.domain, class).unwrap_or_else(|_| setup.empty.clone())
}

fn learn(
    start: &Learner,
    settings: &Settings,
    texts: &[String],
    objects: &Objects,
    on_bad: OnBadData,
) -> Result<Model, LearnError> {
    let traces: Vec<Trace> =
        texts.iter().map(|text| Trace::new(Source::new("trace", text.clone()), objects)).collect();
    let recording = &traces[..];
    let policy = Policy::from(on_bad);
    Job { start, settings, recording: &recording, policy, digests: true, progress: &Unwatched }
        .run()
}

/// Holds a model against records; `counted` where it was learned from all of them at once, so that
/// it tells how many it refuses.
fn obeys(
    seed: u64,
    setup: &Setup<'_>,
    model: &Model,
    texts: &[String],
    counted: bool,
    counts: &mut Counts,
) {
    let grounds = model.grounds().unwrap();
    let (settings, errors) = (&grounds.settings, &grounds.learner.class().errors);
    // With errors, the written model is about estimates; this one is about records.
    let written = for_records(model.for_planning(), errors);
    let mut refused = vec![0; setup.domain.actions.len()];
    for text in texts {
        let source = Source::new("trace", text.clone());
        let mut reader =
            TrajectoryReader::new(&source, &setup.domain, &setup.objects, Numbers::Exact).unwrap();
        while let Some(entry) = reader.next_entry().unwrap() {
            let attempt = entry.event.attempt();
            let action = attempt.action.symbol;
            if model.missing(action).is_some() {
                continue;
            }
            let changes = |domain| {
                Semantics::new(domain, &setup.objects).changes(
                    attempt.action,
                    attempt.universe,
                    attempt.before,
                )
            };
            match entry.event {
                Event::Failed(_) => {
                    counts.add("failures", 1);
                    counts.add(
                        "failures with something unknown",
                        usize::from(attempt.before.has_unknown()),
                    );
                    for domain in [&written, &**model.for_states()] {
                        assert!(
                            changes(domain).is_err(),
                            "seed {seed}: a model that allows what failed\n{text}\n{model}"
                        );
                    }
                }
                Event::Worked(step) => {
                    let is_unchanged = step.before.differing_atoms(step.after).next().is_none()
                        && step.before.differing_values(step.after).next().is_none();
                    if settings.unchanged_failed && is_unchanged {
                        continue;
                    }
                    let Ok(changes) = changes(&written) else {
                        refused[action.index()] += usize::from(!step.before.has_unknown());
                        continue;
                    };
                    counts.add("steps", 1);
                    let (mut universe, mut next) = (step.universe.clone(), step.before.clone());
                    changes.apply(&mut universe, &mut next);
                    // What becomes of numbers is known within the errors alone then.
                    let numbers = setup.case.options.method != Method::Sam && errors.is_empty();
                    let same = next.differing_atoms(step.after).next().is_none()
                        && (!numbers || next.differing_values(step.after).next().is_none());
                    assert!(same, "seed {seed}: a step that ended elsewhere\n{text}\n{model}");
                }
            }
        }
    }
    for (row, refused) in model.summary().actions.iter().zip(refused) {
        counts.add("refused", refused);
        let said = row.refused.unwrap_or_default();
        assert!(
            !counted || !row.learned || said >= refused,
            "seed {seed}: {said} said, {refused} of {} refused",
            row.action
        );
    }
}

fn examine(seed: u64, counts: &mut Counts) {
    let case = case(seed);
    let setup = Setup::new(&case);
    let mut chance = Chance::scattered(seed ^ 0x7214_ED00);
    let mut texts = records(&mut chance, &setup);
    let settings = dials(&mut chance, &setup);
    // SAM takes no errors: it ignores numbers.
    let is_inexact = chance.percent(60) && setup.case.options.method != Method::Sam;
    let mut start = match is_inexact {
        true => with_errors(&mut chance, &setup),
        false => setup.empty.clone(),
    };
    // Some combinations with errors are refused, such as products of what is not exact.
    if Settings::of_spec(&assumptions(&start, &settings).spec, &start).is_err() {
        start = setup.empty.clone();
    }
    if settings.check(&start).is_err() {
        return;
    }
    counts.add("learners with errors", usize::from(!start.class().errors.is_empty()));
    let on_bad = if chance.percent(50) { OnBadData::Stop } else { OnBadData::SkipAction };
    let whole = learn(&start, &settings, &texts, &setup.objects, on_bad);
    match &whole {
        Ok(model) => {
            counts.add("models", 1);
            obeys(seed, &setup, model, &texts, true, counts);
            comes_back(model);
        }
        Err(error) => {
            counts.add("refusals", 1);
            let told = !matches!(error, LearnError::Invariant(_) | LearnError::Internal(_));
            assert!(told, "seed {seed}: {error}\n{}", texts.join("\n"));
        }
    }
    // The same in two runs, the second of which has no record of the first.
    chance.shuffle(&mut texts);
    let (first, second) = texts.split_at(chance.below(texts.len()));
    let Ok(earlier) = learn(&start, &settings, first, &setup.objects, on_bad) else { return };
    let state = load(&save(&earlier.grounds().unwrap().learner).unwrap()).unwrap();
    let resumed = learn(&state, &settings, second, &setup.objects, on_bad);
    if let Ok(model) = &resumed {
        counts.add("models after a resume", 1);
        obeys(seed, &setup, model, &texts, false, counts);
    }
    // And from two states that are merged.
    let Ok(later) = learn(&start, &settings, second, &setup.objects, on_bad) else { return };
    let mut merged = state;
    merged.merge(&later.grounds().unwrap().learner);
    if let Ok(model) = learn(&merged, &settings, &[], &setup.objects, on_bad) {
        counts.add("models after a merge", 1);
        obeys(seed, &setup, &model, &texts, false, counts);
        comes_back(&model);
        // What is kept of failures decides as the failures did, those with something unknown among
        // them.
        if let (Ok(whole), OnBadData::Stop, false) = (&whole, on_bad, settings.unchanged_failed) {
            counts.add("models that are the same after a merge", 1);
            assert!(
                model.to_pddl() == whole.to_pddl(),
                "seed {seed}: {}\n{}",
                whole.to_pddl(),
                model.to_pddl()
            );
        }
    }
}

#[test]
fn the_model_is_tried_on_everything_it_was_learned_from() {
    let mut counts = Counts::default();
    let cases = std::env::var("SUREFOOT_FAILURE_CASES").map_or(60, |text| text.parse().unwrap());
    (0..cases).for_each(|seed| examine(seed, &mut counts));
    println!("{counts:?}");
    for (kind, least) in [
        ("models", 20),
        ("refusals", 3),
        ("models after a resume", 10),
        ("models after a merge", 10),
        ("models that are the same after a merge", 10),
        ("failures", 200),
        ("failures with something unknown", 50),
        ("steps", 500),
        ("learners with errors", 2),
        ("refused", 5),
    ] {
        let number = counts.0.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "only {number} {kind}");
    }
}
