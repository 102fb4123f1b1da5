//! Wrong, whatever is true (docs/theory.md): worlds outside the class of models, in which allowed
//! steps do go wrong. The bound of `assess` is compared with the true share of traces that go
//! wrong, which is known here, and the bound for traces that were kept apart with exact arithmetic.

use std::cell::Cell;
use std::fmt::Write as _;

use surefoot_analysis::assess::{Assessment, Question, assess, wrong_at_most};
use surefoot_analysis::evaluate::score;
use surefoot_base::assumptions::Spec;
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Domain, GroundAction, State, Universe};
use surefoot_base::pddl::{Numbers, Source};
use surefoot_learn::{
    Job, LearnError, Learner, Model, OnBadData, Policy, Recording, Settings, Trace, Unwatched,
};

use crate::chance::Chance;
use crate::learning::{domain, for_seeds, objects};

const DOMAIN: &str = "(define (domain d) (:requirements :typing :fluents) (:functions (x))
    (:action up :parameters ()))";

/// The numbers from which traces start.
const STARTS: i64 = 12;

/// A world with a mode that no record shows: in some traces, `up` does something else.
struct Moody {
    /// In how many traces of a hundred.
    rare: usize,
    /// What `up` does there.
    odd: Odd,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Odd {
    /// The step fails in the real world.
    Fails,
    /// It adds 2 instead of 1.
    AddsTwo,
}

impl Moody {
    /// A trace of one attempt.
    fn trace(&self, random: &mut Chance) -> String {
        let before = random.between(0, STARTS - 1);
        let mut text = format!("((:init (= (x) {before}))\n");
        let odd = random.percent(self.rare);
        let _ = match (odd, self.odd) {
            (true, Odd::Fails) => write!(text, "(failed: (up))\n)"),
            (true, Odd::AddsTwo) => {
                write!(text, "(operator: (up))\n(:state (= (x) {}))\n)", before + 2)
            }
            (false, _) => write!(text, "(operator: (up))\n(:state (= (x) {}))\n)", before + 1),
        };
        text
    }

    /// The share of traces that go wrong for a model: odd ones from a number that it allows.
    fn share(&self, model: &Model) -> f64 {
        let vocabulary = model.vocabulary();
        let objects = objects(vocabulary, "");
        let allowed = (0..STARTS).filter(|&x| allows(model.for_planning(), &objects, x)).count();
        self.rare as f64 / 100.0 * allowed as f64 / STARTS as f64
    }
}

fn allows(model: &Domain, objects: &surefoot_base::model::Objects, x: i64) -> bool {
    let text = format!("((:init (= (x) {x}))\n(failed: (up))\n)");
    let asked = [Trace::new(Source::new("asked.trajectory", text), objects)];
    let mut allowed = None;
    (&&asked[..])
        .read(0, model, Numbers::Exact, false, &mut |recorded| {
            let attempt = recorded.event.attempt();
            let (action, universe, state): (&GroundAction, &Universe, &State) =
                (attempt.action, attempt.universe, attempt.before);
            let semantics = Semantics::new(model, recorded.objects);
            allowed = Some(semantics.applicable(action, universe, state).is_ok());
            true
        })
        .unwrap();
    allowed.unwrap()
}

/// What is learned from traces, and what `assess` says of them.
fn learned(texts: &[String], on_bad: OnBadData) -> (Result<Model, LearnError>, Option<Assessment>) {
    let domain = domain(DOMAIN);
    let objects = objects(&domain, "");
    let traces: Vec<Trace> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| {
            Trace::new(Source::new(format!("{number}.trajectory"), text.clone()), &objects)
        })
        .collect();
    let spec = Spec::default();
    let start = Learner::of(&domain, &spec).unwrap();
    let settings = Settings::of_spec(&spec, &start).unwrap();
    let job = Job {
        start: &start,
        settings: &settings,
        recording: &&traces[..],
        policy: Policy::from(on_bad),
        digests: false,
        progress: &Unwatched,
    };
    (job.run(), assess(&job, Question::default()).ok())
}

#[test]
fn a_bound_on_what_goes_wrong_holds_though_the_class_of_models_is_false() {
    let (runs, bounds, some_wrong, violated) =
        (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    for_seeds(300, |seed| {
        let mut random = Chance::scattered(seed);
        let world =
            Moody { rare: *random.of(&[1, 2, 4, 8]), odd: *random.of(&[Odd::Fails, Odd::AddsTwo]) };
        let count = *random.of(&[20, 60, 120]);
        let texts: Vec<String> = (0..count).map(|_| world.trace(&mut random)).collect();
        let on_bad = *random.of(&[OnBadData::Stop, OnBadData::SkipAction, OnBadData::Quarantine]);
        let (model, found) = learned(&texts, on_bad);
        let (Ok(model), Some(found)) = (model, found) else { return };
        runs.set(runs.get() + 1);
        let share = world.share(&model);
        let Some(bound) = &found.wrong.bound else { return };
        bounds.set(bounds.get() + 1);
        some_wrong.set(some_wrong.get() + usize::from(share > 0.0 && bound.at_most < 0.5));
        violated.set(violated.get() + usize::from(share > bound.at_most));
        let text = found.to_string();
        assert!(text.contains("of new traces contain a step that the model allows"), "{text}");
    });
    assert!(bounds.get() > 60 && some_wrong.get() > 20, "{runs:?} {bounds:?} {some_wrong:?}");
    // With a confidence of 95 %, one in twenty may be violated.
    assert!(violated.get() * 20 <= bounds.get(), "{violated:?} of {bounds:?}");
}

/// What went wrong in traces that were left out is counted and named, and it is printed first.
#[test]
fn a_step_that_goes_wrong_is_named_before_all_else() {
    let trace = |x: i64, up: bool| match up {
        true => format!("((:init (= (x) {x}))\n(operator: (up))\n(:state (= (x) {}))\n)", x + 1),
        false => format!("((:init (= (x) {x}))\n(failed: (up))\n)"),
    };
    // The failure is outside of what the others show, so each model is consistent; but the model
    // without the only step from 8 and the failure allows neither.
    let mut texts: Vec<String> = (0..20).map(|number| trace(number % 7, true)).collect();
    let (model, found) = learned(&texts, OnBadData::Stop);
    let found = found.unwrap();
    assert!(model.is_ok() && found.wrong.wrong == 0 && found.wrong.allowed == 20, "{found}");
    assert_eq!((found.wrong.tried, found.wrong.without_model), (20, 0));
    // One of them failed, from a number from which it also worked: whoever left it out would have
    // allowed it. The action is left out of the model of all.
    texts.push(trace(3, false));
    let (_, found) = learned(&texts, OnBadData::SkipAction);
    let found = found.unwrap();
    assert_eq!((found.wrong.wrong, found.wrong.wrong_traces), (1, 1), "{found}");
    assert!(found.wrong.first[0].contains("20.trajectory"), "{:?}", found.wrong.first);
    let text = found.to_string();
    let (named, estimated) = (text.find("20.trajectory"), text.find("On average"));
    assert!(named.is_some() && named < estimated, "{text}");
}

/// `score` tells by trace what contradicts a model.
#[test]
fn a_score_knows_its_traces() {
    let trace = |x: i64, by: i64| {
        format!("((:init (= (x) {x}))\n(operator: (up))\n(:state (= (x) {}))\n)", x + by)
    };
    let model = learned(&[trace(0, 1), trace(9, 1)], OnBadData::Stop).0.unwrap();
    let objects = objects(model.vocabulary(), "");
    let told: Vec<Trace> = [trace(4, 1), trace(5, 2), trace(20, 1), trace(6, 3)]
        .iter()
        .map(|text| Trace::new(Source::new("t.trajectory", text.clone()), &objects))
        .collect();
    let scored = score(
        model.vocabulary(),
        model.for_planning(),
        &Default::default(),
        Numbers::Exact,
        false,
        &&told[..],
        &Unwatched,
    )
    .unwrap();
    assert_eq!((scored.traces, &scored.wrong_traces[..]), (4, &[1, 3][..]));
    assert_eq!(scored.total().all_allowed(), 3);
}

/// The bound for traces kept apart is that of Clopper and Pearson, from above: with it, as few
/// wrong ones are no more probable than one in twenty, and with a little less they are.
#[test]
fn a_bound_for_traces_kept_apart_is_exact_and_from_above() {
    let one = Rational::from(1);
    let choose = |m: usize, k: usize| {
        (0..k).fold(Rational::from(1), |all, i| {
            &all * &Rational::new((m - i) as i64, (i + 1) as i64).unwrap()
        })
    };
    let power =
        |base: &Rational, times: usize| (0..times).fold(Rational::from(1), |all, _| &all * base);
    // The probability that at most so many of m go wrong, at a share of parts in 2^20.
    let at_most = |m: usize, wrong: usize, parts: i64| {
        let share = Rational::new(parts, 1 << 20).unwrap();
        let right = &one - &share;
        (0..=wrong).fold(Rational::from(0), |sum, i| {
            &sum + &(&(&choose(m, i) * &power(&share, i)) * &power(&right, m - i))
        })
    };
    let delta = Rational::new(1, 20).unwrap();
    for (m, wrong) in [(2, 0), (2, 1), (10, 1), (16, 0), (59, 0), (59, 3), (100, 40), (200, 0)] {
        let bound = wrong_at_most(m, wrong, 0.05);
        let parts = (bound * f64::from(1 << 20)) as i64;
        assert!(at_most(m, wrong, parts + 1) <= delta, "{m} {wrong} {bound}");
        assert!(at_most(m, wrong, parts - 1) > delta, "{m} {wrong} {bound}");
    }
    assert_eq!([wrong_at_most(3, 3, 0.05), wrong_at_most(0, 0, 0.05)], [1.0, 1.0]);
}
