//! How much is enough (docs/theory.md, "How much is enough"): bounds against exact arithmetic and
//! against chance, models by what spans them against models by facets, and the whole assessment
//! against one that learns every model anew.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use surefoot_analysis::assess::{
    Assessment, More, NoNumber, Question, assess, compression, lower_bound, traces_needed,
};
use surefoot_base::assumptions::Spec;
use surefoot_base::exact::Rational;
use surefoot_base::ids::first_ids;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Domain, Objects};
use surefoot_base::pddl::{Numbers, Source, Trajectory, write_trajectory};
use surefoot_learn::{
    Algorithm, Class, ColumnId, Conclusion, Degree, Job, Learner, Monotone, Policy, Recording,
    Settings, Trace, Unwatched,
};

use crate::chance::Chance;
use crate::learning::{
    ACT, Shape, Step, World, domain, for_seeds, learned_domain, learner, objects,
};

/// What a learner makes of the action, by facets or by what spans its region.
fn model(learner: &Learner, settings: &Settings, spanned: bool) -> Option<Domain> {
    let concluded = if spanned {
        learner.conclude_spanned(ACT, settings)
    } else {
        learner.conclude(ACT, settings)
    };
    match concluded {
        Conclusion::Learned(action) => Some(learned_domain(learner, &[(ACT, &action)])),
        _ => None,
    }
}

/// Random dials for a learner.
fn dials(random: &mut Chance, learner: &Learner) -> Settings {
    let marks = [Some(Monotone::More), Some(Monotone::Less), Some(Monotone::Any), None, None, None];
    let columns = learner.vocabulary(ACT).columns.len();
    let marked: BTreeMap<ColumnId, Monotone> =
        first_ids(columns).filter_map(|column| Some((column, (*random.of(&marks))?))).collect();
    Settings::default().with(|settings| {
        settings.algorithm = *random.of(&[
            Algorithm::NsamStar,
            Algorithm::NsamStar,
            Algorithm::Nsam,
            Algorithm::NsamLiteral,
            Algorithm::Sam,
        ]);
        settings.arity = *random.of(&[None, None, Some(1), Some(2), Some(3)]);
        settings.effect_arity = *random.of(&[None, None, None, Some(1), Some(2)]);
        settings.monotone =
            if random.percent(40) { BTreeMap::from([(ACT, marked)]) } else { BTreeMap::new() };
        settings.positive_preconditions = random.percent(20);
    })
}

fn shape(random: &mut Chance) -> Shape {
    let degree =
        if random.percent(25) { Degree { degree: 2, squares: false } } else { Degree::LINEAR };
    Shape {
        functions: 1 + random.below(4),
        constant: random.percent(20),
        undefined: if random.percent(20) { 10 } else { 0 },
        class: Class::default().with(|class| class.degree = degree),
        ..Shape::default()
    }
}

#[test]
fn what_spans_a_model_says_what_its_facets_say_and_more_steps_never_take_back() {
    let (asked, allowed, grown) = (Cell::new(0), Cell::new(0), Cell::new(0));
    for_seeds(150, |seed| {
        let mut random = Chance::new(seed);
        let shape = shape(&mut random);
        let world = World::random(&mut random, &shape);
        let count = *random.of(&[3, 8, 20]);
        let steps = world.observe(&mut random, count, |_| true);
        let few = steps.len().div_ceil(2);
        let of =
            |steps: &[Step]| learner(&world.domain, shape.class.clone(), &world.objects, steps);
        let (half, all) = (of(&steps[..few]), of(&steps));
        let settings = dials(&mut random, &all);
        let (spanned, before) = (model(&all, &settings, true), model(&half, &settings, true));
        // In many dimensions there are too many facets to compare with.
        let by_facets = match all.vocabulary(ACT).columns.len() {
            ..=5 => model(&all, &settings, false),
            _ => spanned.clone(),
        };
        assert_eq!(by_facets.is_some(), spanned.is_some(), "seed {seed}");
        assert!(
            before.is_none() || spanned.is_some() || settings.effect_arity.is_some(),
            "an action was lost: seed {seed}"
        );
        let (Some(by_facets), Some(spanned)) = (by_facets, spanned) else { return };
        for _ in 0..15 {
            let mut universe =
                steps.first().map_or_else(Default::default, |step| step.universe.clone());
            let state = world.state(&mut random, &mut universe);
            for action in world.steps() {
                let allows = |model: &Domain| {
                    Semantics::new(model, &world.objects)
                        .applicable(&action, &universe, &state)
                        .is_ok()
                };
                let now = allows(&spanned);
                assert_eq!(now, allows(&by_facets), "seed {seed}");
                asked.set(asked.get() + 1);
                allowed.set(allowed.get() + usize::from(now));
                if let Some(before) = &before {
                    let then = allows(before);
                    let may = all.may_take_back(ACT, &settings).is_some();
                    assert!(now || !then || may, "more steps took a state back: seed {seed}");
                    grown.set(grown.get() + usize::from(now && !then));
                }
            }
        }
    });
    assert!(allowed.get() > 500 && grown.get() > 50, "{asked:?} {allowed:?} {grown:?}");
}

/// Traces of a world: chains of nothing, a few steps each, every one from a state of its own.
fn traces(world: &World, random: &mut Chance, count: usize) -> Vec<Vec<Step>> {
    let length = 1 + random.below(3);
    (0..count)
        .map(|_| world.observe(random, length, |_| true))
        .filter(|steps| !steps.is_empty())
        .map(|steps| steps[..1].to_vec())
        .collect()
}

fn written(world: &World, steps: &[Step]) -> Trace {
    let step = &steps[0];
    let states = vec![step.before.clone(), step.after.clone()];
    let trajectory = Trajectory {
        universe: step.universe.clone(),
        states,
        actions: vec![step.action.clone()],
        ..Trajectory::default()
    };
    Trace::new(
        Source::new("t.trajectory", write_trajectory(&world.domain, &world.objects, &trajectory)),
        &world.objects,
    )
}

fn assessed(
    world: &World,
    class: &Class,
    settings: &Settings,
    traces: &[Vec<Step>],
    question: Question,
) -> Assessment {
    let start = Learner::new(&world.domain, class.clone()).unwrap();
    let recording: Vec<Trace> = traces.iter().map(|steps| written(world, steps)).collect();
    let job = Job {
        start: &start,
        settings,
        recording: &&recording[..],
        policy: Policy::default(),
        digests: false,
        progress: &Unwatched,
    };
    assess(&job, question).unwrap()
}

#[test]
fn traces_left_out_and_traces_that_suffice_are_as_if_every_model_were_learned_anew() {
    let (refused, dropped) = (Cell::new(0), Cell::new(0));
    for_seeds(60, |seed| {
        let mut random = Chance::new(seed);
        let shape = Shape { functions: 2, ..shape(&mut random) };
        let world = World::random(&mut random, &shape);
        let count = *random.of(&[2, 5, 12]);
        let mut traces = traces(&world, &mut random, count);
        // States that several traces have.
        let copied = random.below(traces.len() + 1);
        traces.extend_from_within(..copied);
        let all = learner(&world.domain, shape.class.clone(), &world.objects, &traces.concat());
        let settings = dials(&mut random, &all).with(|settings| settings.effect_arity = None);
        let found = assessed(&world, &shape.class, &settings, &traces, Question::default());
        assert_eq!((found.traces, found.steps), (traces.len(), traces.concat().len()));
        let allows = |among: &[Vec<Step>], trace: &[Step]| {
            let learner =
                learner(&world.domain, shape.class.clone(), &world.objects, &among.concat());
            let Some(model) = model(&learner, &settings, false) else { return false };
            let allowed = |step: &Step| {
                Semantics::new(&model, &world.objects)
                    .applicable(&step.action, &step.universe, &step.before)
                    .is_ok()
            };
            trace.iter().all(allowed)
        };
        if traces.len() > 1 {
            let left_out = |number: usize| {
                let others: Vec<Vec<Step>> = traces
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != number)
                    .map(|(_, steps)| steps.clone())
                    .collect();
                allows(&others, &traces[number])
            };
            let whole = (0..traces.len()).filter(|&number| left_out(number)).count();
            assert_eq!(
                found.whole_traces.estimate,
                Some(whole as f64 / traces.len() as f64),
                "seed {seed}"
            );
            assert_eq!(found.actions[0].refused, traces.len() - whole, "seed {seed}");
            assert!(whole == traces.len() || !found.actions[0].reasons.is_empty(), "seed {seed}");
            refused.set(refused.get() + traces.len() - whole);
        }
        let compression = found.compression.unwrap();
        let few: Vec<Vec<Step>> =
            compression.which.iter().map(|&number| traces[number].clone()).collect();
        let chosen: BTreeSet<usize> = compression.which.iter().copied().collect();
        assert_eq!((compression.sufficient, chosen.len()), (few.len(), few.len()));
        let others = traces.iter().enumerate().filter(|(number, _)| !chosen.contains(number));
        for (_, trace) in others {
            assert!(allows(&few, trace), "what suffices does not: seed {seed}");
            dropped.set(dropped.get() + 1);
        }
        for bound in [&found.step_share, &found.whole_traces] {
            assert!(bound.at_least.unwrap_or(0.0) <= bound.estimate.unwrap_or(1.0), "seed {seed}");
            assert_eq!(
                bound.at_least.is_none(),
                all.may_take_back(ACT, &settings).is_some(),
                "seed {seed}"
            );
        }
    });
    assert!(refused.get() > 50 && dropped.get() > 50, "{refused:?} {dropped:?}");
}

fn power(base: &Rational, exponent: usize) -> Rational {
    let (mut result, mut square, mut left) = (Rational::ONE, base.clone(), exponent);
    while left > 0 {
        if left % 2 == 1 {
            result = &result * &square;
        }
        square = &square * &square;
        left /= 2;
    }
    result
}

fn choose(n: usize, k: usize) -> Rational {
    let factor = |i: usize| {
        Rational::integer((n - i) as i64).checked_div(&Rational::integer(i as i64 + 1)).unwrap()
    };
    (0..k).fold(Rational::ONE, |product, i| &product * &factor(i))
}

/// Parts of a million.
fn millionths(number: f64) -> Rational {
    Rational::integer(number as i64).checked_div(&Rational::integer(1_000_000)).unwrap()
}

#[test]
fn the_compression_bound_is_not_above_the_exact_one_and_close_to_it() {
    for_seeds(200, |seed| {
        let mut random = Chance::new(seed);
        let m = 1 + random.below(300);
        let k = random.below(m + 1);
        let percent = 1 + random.below(30);
        let delta = Rational::integer(percent as i64).checked_div(&Rational::integer(100)).unwrap();
        let bound = compression(m, k, percent as f64 / 100.0);
        if k == m {
            return assert_eq!(bound, 0.0);
        }
        let ways = &Rational::integer(m as i64) * &choose(m, k);
        let chance = |share: &Rational| &power(share, m - k) * &ways;
        assert!(
            chance(&millionths((bound * 1e6).floor())) <= delta,
            "m {m}, k {k}: {bound} is not proved"
        );
        assert!(
            chance(&millionths((bound * 1e6).ceil() + 1.0)) > delta,
            "m {m}, k {k}: more than {bound} is proved"
        );
    });
}

#[test]
fn the_number_of_traces_is_the_least_that_is_proved_enough() {
    for (d, share, delta) in
        [(1, 90, 5), (3, 80, 10), (10, 90, 5), (25, 95, 1), (60, 50, 50), (0, 90, 5)]
    {
        let m = traces_needed(d, f64::from(share) / 100.0, f64::from(delta) / 100.0).unwrap();
        let hundredths = |number: i32| {
            Rational::integer(i64::from(number)).checked_div(&Rational::integer(100)).unwrap()
        };
        let chance = |m: usize| &choose(m, d) * &power(&hundredths(share), m - d);
        assert!(
            chance(m) <= hundredths(delta) && chance(m - 1) > hundredths(delta),
            "d {d}, {share} %, {delta} %: {m}"
        );
    }
    assert_eq!(traces_needed(3, 1.0, 0.05), None);
    assert_eq!(traces_needed(3, 0.9, 0.0), None);
}

/// Learners of intervals from points: the known family. A trace is a few points; a new one is
/// allowed if all of them are within those seen.
#[test]
fn the_compression_bound_holds_of_intervals_as_often_as_it_says() {
    let delta = 0.2;
    let (mut wrong, mut trials, mut gap) = (0, 0, 0.0);
    for seed in 0..2000 {
        let mut random = Chance::scattered(seed);
        let (m, points, range) = (10 + random.below(40), 1 + random.below(3), 1_000_000);
        let trace =
            |random: &mut Chance| (0..points).map(|_| random.below(range)).collect::<Vec<usize>>();
        let traces: Vec<Vec<usize>> = (0..m).map(|_| trace(&mut random)).collect();
        let least = *traces.iter().flatten().min().unwrap();
        let most = *traces.iter().flatten().max().unwrap();
        let has = |wanted: usize| traces.iter().position(|trace| trace.contains(&wanted));
        let k = if has(least) == has(most) { 1 } else { 2 };
        let truth = ((most - least + 1) as f64 / range as f64).powi(points as i32);
        let bound = compression(m, k, delta);
        wrong += usize::from(truth < bound);
        trials += 1;
        gap += truth - bound;
    }
    assert!(wrong as f64 <= delta * f64::from(trials), "{wrong} of {trials}");
    assert!(gap / f64::from(trials) < 0.45, "the bound says nothing: {gap}");
}

/// Means that grow, as those of models do; the bound is one on the last.
#[test]
fn the_bound_by_betting_holds_as_often_as_it_says_and_says_something() {
    for (start, end, coarse) in [
        (0.5, 0.9, false),
        (0.0, 0.98, true),
        (0.9, 0.95, true),
        (0.3, 0.3, false),
        (0.999, 0.999, true),
    ] {
        let (delta, count, trials) = (0.1, 60, 1000);
        let (mut wrong, mut sum) = (0, 0.0);
        for seed in 0..trials {
            let mut random = Chance::scattered(seed);
            let mut unit = || random.below(1_000_000) as f64 / 1e6;
            let mut sequence = |_| {
                let mean = |place: usize| {
                    start + (end - start) * (place as f64 / (count - 1) as f64).sqrt()
                };
                let value = |place: usize, draw: f64| match coarse {
                    true => f64::from(u8::from(draw < mean(place))),
                    // Uniform around the mean, as wide as fits.
                    false => mean(place) + (2.0 * draw - 1.0) * mean(place).min(1.0 - mean(place)),
                };
                (0..count).map(|place| value(place, unit())).collect::<Vec<f64>>()
            };
            let sequences: Vec<Vec<f64>> = (0..1 + seed % 3).map(&mut sequence).collect();
            let bound = lower_bound(&sequences, delta);
            wrong += u64::from(bound > end);
            sum += bound;
        }
        assert!(wrong as f64 <= delta * trials as f64, "{start} to {end}: {wrong} of {trials}");
        assert!(
            sum / trials as f64 > 0.5 * start,
            "{start} to {end}: a bound of {} says nothing",
            sum / trials as f64
        );
    }
    assert_eq!(lower_bound(&[], 0.05), 0.0);
    assert_eq!(lower_bound(&[vec![]], 0.05), 0.0);
    assert!(lower_bound(&[vec![1.0; 50]], 0.05) > 0.92);
}

#[test]
fn few_traces_say_little_and_say_so() {
    let mut random = Chance::new(1);
    let shape = Shape { functions: 2, ..Shape::default() };
    let world = World::random(&mut random, &shape);
    let some = traces(&world, &mut random, 30);
    for count in [0, 1, 2] {
        let found = assessed(
            &world,
            &shape.class,
            &Settings::default(),
            &some[..count],
            Question::default(),
        );
        assert_eq!(found.traces, count);
        assert_eq!(found.step_share.estimate.is_some(), count > 1);
        assert!(
            found.step_share.at_least.unwrap() < 0.5
                && found.compression.as_ref().unwrap().at_least < 0.5
        );
        assert!(found.theory.traces.is_some() && !found.theory.applies);
        assert!(!matches!(found.more_traces, More::About(_)));
        assert_eq!(
            found.to_string().contains("too few traces for an estimate"),
            count < 2,
            "{found}"
        );
    }
}

/// Traces in a domain with one action, each with the states it goes through and the objects of its
/// step.
struct Told {
    domain: Domain,
    objects: Objects,
    traces: Vec<Trace>,
}

impl Told {
    /// By trace: the numbers before each step, the objects of the step, and the numbers after it.
    fn new(declared: &str, listed: &str, traces: &[&[[&str; 3]]]) -> Told {
        let domain = domain(&format!(
            "(define (domain d) (:requirements :typing :fluents) (:types o) {declared})"
        ));
        let objects = objects(&domain, listed);
        let written = |steps: &&[[&str; 3]]| {
            let mut text = format!("((:init {})\n", steps[0][0]);
            for [before, arguments, after] in *steps {
                assert!(text.ends_with(&format!("{before})\n")), "{before} does not follow");
                text += &format!("(operator: (a {arguments}))\n(:state {after})\n");
            }
            Trace::new(Source::new("t.trajectory", text + ")"), &objects)
        };
        let traces = traces.iter().map(written).collect();
        Told { domain, objects, traces }
    }

    fn assessed(&self, dials: &[(&str, serde_json::Value)]) -> Assessment {
        let mut spec = Spec::default();
        dials.iter().for_each(|(name, value)| spec.set(name, value.clone()).unwrap());
        let start = Learner::of(&self.domain, &spec).unwrap();
        let settings = Settings::of_spec(&spec, &start).unwrap();
        let recording = &&self.traces[..];
        let (policy, progress) = (Policy::default(), &Unwatched);
        let job =
            Job { start: &start, settings: &settings, recording, policy, digests: false, progress };
        assess(&job, Question::default()).unwrap()
    }

    /// Whether the model of the first traces allows a step.
    fn allows(
        &self,
        count: usize,
        dials: &[(&str, serde_json::Value)],
        state: &str,
        arguments: &str,
    ) -> bool {
        let text = format!("((:init {state})\n(operator: (a {arguments}))\n(:state {state})\n)");
        let asked = Trace::new(Source::new("t.trajectory", text), &self.objects);
        let mut spec = Spec::default();
        dials.iter().for_each(|(name, value)| spec.set(name, value.clone()).unwrap());
        let start = Learner::of(&self.domain, &spec).unwrap();
        let settings = Settings::of_spec(&spec, &start).unwrap();
        let (policy, progress) = (Policy::default(), &Unwatched);
        let read = |traces: &[Trace]| {
            let job = Job {
                start: &start,
                settings: &settings,
                recording: &traces,
                policy,
                digests: false,
                progress,
            };
            job.read(&BTreeSet::new()).unwrap().learner
        };
        let model = model(&read(&self.traces[..count]), &settings, true).unwrap();
        let mut allowed = None;
        let recording: &[Trace] = &[asked];
        (&recording)
            .read(0, &self.domain, Numbers::Exact, false, &mut |recorded| {
                let step = recorded.step().unwrap();
                let semantics = Semantics::new(&model, recorded.objects);
                allowed =
                    Some(semantics.applicable(step.action, step.universe, step.before).is_ok());
                true
            })
            .unwrap();
        allowed.unwrap()
    }
}

#[test]
fn where_functions_were_one_more_traces_allow_no_less() {
    let state = "(= (v x1) 1) (= (g x1) 0) (= (v y1) 1) (= (g y1) 0) (= (v x2) 2) (= (g x2) 0) (= \
                 (v y2) 2) (= (g y2) 0)";
    let other = "(= (v x1) 1) (= (g x1) 1)";
    let apart: &[[&str; 3]] = &[[state, "x1 y1", state], [state, "x2 y2", state]];
    let (one, new) = ([[state, "x1 x1", state]], [[other, "x1 x1", other]]);
    let declared = "(:functions (v ?a - o) (g ?a - o)) (:action a :parameters (?p ?q - o))";
    let mut traces = vec![apart, &one, &new];
    traces.extend([apart; 20]);
    let told = Told::new(declared, "x1 y1 x2 y2 - o", &traces);
    // Of x2 alone (g x2) = 1 was never seen. The third trace makes the region wider, and the model
    // asks for (g x2) = 0 there.
    assert!(told.allows(2, &[], state, "x2 x2") && told.allows(3, &[], state, "x2 x2"));
    assert!(!told.allows(3, &[], "(= (v x2) 2) (= (g x2) 1)", "x2 x2"));
    let found = told.assessed(&[]);
    assert_eq!(found.void, None, "{found}");
    assert!(
        found.step_share.at_least.is_some() && found.whole_traces.at_least.is_some(),
        "{found}"
    );
    assert_eq!(found.copies, 20);
}

#[test]
fn where_functions_were_one_a_first_value_may_allow_less_and_only_the_same_model_proves_something()
{
    let state = |p: usize, c: usize| format!("(= (v x1) {p}) (= (v y1) 5) (= (c) {c})");
    let states = [state(0, 0), state(9, 0), state(0, 1), state(9, 1)];
    let steps: Vec<[[&str; 3]; 1]> =
        states.iter().map(|state| [[state.as_str(), "x1 y1", state.as_str()]]).collect();
    let (kept, undefined, asked) = (state(5, 0), "(= (v x1) 0) (= (c) 0)", state(5, 1));
    // (v ?q) is assigned 5, which shows only where it had no value.
    let (one, new) = ([[&kept[..], "x1 x1", &kept]], [[undefined, "x1 y1", &states[0]]]);
    let declared = "(:functions (v ?a - o) (c)) (:action a :parameters (?p ?q - o))";
    let mut traces: Vec<&[[&str; 3]]> = steps.iter().map(|step| &step[..]).collect();
    traces.extend([&one[..], &new]);
    traces.extend([&steps[0][..]; 20]);
    let told = Told::new(declared, "x1 y1 - o", &traces);
    assert!(told.allows(5, &[], &asked, "x1 x1") && !told.allows(6, &[], &asked, "x1 x1"));
    let found = told.assessed(&[]);
    let void = found.void.as_ref().unwrap();
    assert!(void.contains("several functions are one") && void.contains("first value"), "{found}");
    assert_eq!((found.step_share.at_least, found.whole_traces.at_least), (None, None));
    let compression = found.compression.as_ref().unwrap();
    assert!(
        compression.which.contains(&5),
        "the sixth makes the model refuse a step, so it belongs to those that suffice"
    );
    assert_eq!(found.copies, 20);
    let text = found.to_string();
    assert!(
        text.contains("No other bound on what the model allows is proved here")
            && text.contains("20 traces are copies of others"),
        "{text}"
    );
    // Conditions that refuse are set in, and as long as they are.
    assert!(
        text.lines().all(|line| line.starts_with(' ') || line.chars().count() <= 100),
        "{text}"
    );
    // Who does not look at numbers does not mind.
    assert_eq!(told.assessed(&[("algorithm", "sam".into())]).void, None);
}

#[test]
fn where_an_unlisted_function_changes_more_traces_may_allow_less() {
    let state = |x: usize, y: usize| format!("(= (x o1) {x}) (= (y o1) {y})");
    let (kept, before, after, asked) = (state(1, 7), state(2, 7), state(2, 12), state(1, 8));
    let declared = "(:functions (x ?a - o) (y ?a - o)) (:action a :parameters (?p - o))";
    let map = [("relevant", serde_json::json!({"a": ["(x ?p)"]}))];
    let told =
        Told::new(declared, "o1 - o", &[&[[&kept, "o1", &kept]], &[[&before, "o1", &after]]]);
    assert!(told.allows(1, &map, &asked, "o1") && !told.allows(2, &map, &asked, "o1"));
    let found = told.assessed(&map);
    assert!(found.void.as_ref().unwrap().contains("does not list"), "{found}");
    assert_eq!(found.step_share.at_least, None);
    let few = Told { traces: told.traces[..1].to_vec(), ..told };
    assert_eq!(few.assessed(&map).void, None);
}

#[test]
fn theory_tells_none_from_not_counted() {
    let theory = |declared: &str, dials: &[(&str, serde_json::Value)]| {
        Told::new(declared, "x - o", &[]).assessed(dials).theory
    };
    let boolean = theory("(:predicates (p)) (:action a :parameters ())", &[]);
    assert!(boolean.applies && boolean.traces.is_some());
    // An action without a vocabulary has to be seen once.
    assert_eq!(theory("(:action a :parameters ())", &[]).determining_steps, Some(1));
    let single = theory("(:functions (n)) (:action a :parameters ())", &[]);
    assert!(single.applies && single.traces.is_some());
    let two = "(:functions (n) (m)) (:action a :parameters ())";
    assert!(!theory(two, &[]).applies && theory(two, &[("arity", 1.into())]).applies);
    assert!(theory(two, &[("algorithm", "sam".into())]).applies);
    let powers =
        theory(two, &[("arity", 1.into()), ("degree", 2.into()), ("squares", true.into())]);
    assert_eq!((powers.traces, powers.missing), (None, Some(NoNumber::NoneIsEnough)));
}
