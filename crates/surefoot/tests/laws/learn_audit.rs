//! Data that contradict the class (docs/theory.md, "Bad data"): what is found, and that nothing is
//! blamed on clean data.

use crate::chance::Chance;
use crate::learning::{
    ACT, Shape, World, domain, for_seeds, from_text, look, number, objects, story,
};
use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;
use surefoot_base::model::{Domain, State, Universe};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader};
use surefoot_learn::{
    Anomaly, Class, Conclusion, Inconsistency, Learner, Observation, Pattern, Recorded, Recording,
    Remembered, Settings, StateKey, TruthPairs, UnknownValues, outliers,
};
use surefoot_learn::{LiftedAtomId, LiftedFunctionId};

fn anomaly(domain: &Domain, text: &str) -> (Anomaly, String) {
    let objects = objects(domain, "u v");
    let learner = Learner::new(domain, Class::default()).unwrap();
    let source = Source::new("t.trajectory", text);
    let mut reader = TrajectoryReader::new(&source, domain, &objects, Numbers::Exact).unwrap();
    let step = reader.next_transition().unwrap().unwrap();
    let anomaly = learner.lens().observer().observe_step(step.step()).unwrap_err();
    let writer = surefoot_base::pddl::Writer::new(domain, &objects);
    let named = match anomaly {
        Anomaly::AtomChanged(atom) => writer.ground_atom(step.universe.ground_atom(atom)),
        Anomaly::FunctionChanged(id)
        | Anomaly::Apart(id, _)
        | Anomaly::BecameUndefined(id)
        | Anomaly::InputChanged(id) => writer.ground_function(step.universe.ground_function(id)),
    };
    (anomaly, named)
}

#[test]
fn nothing_is_learned_from_a_trajectory_with_a_step_that_nothing_explains() {
    let domain = domain("(define (domain d) (:predicates (p ?x)) (:action act :parameters (?a)))");
    let objects = objects(&domain, "u v");
    let text = "((:init (p u)) (operator: (act u)) (:state) (operator: (act u)) (:state (p v)))";
    let mut learner = Learner::new(&domain, Class::default()).unwrap();
    let error = learner.read(&Source::new("t.trajectory", text), &objects).unwrap_err().to_string();
    assert!(
        error.contains("(act u) changes (p v), whose objects are not among its arguments"),
        "{error}"
    );
    assert!(learner.evidence(ACT).is_empty() && learner.history().traces.is_empty());
    learner
        .read(
            &Source::new("t.trajectory", "((:init (p u)) (operator: (act u)) (:state))"),
            &objects,
        )
        .unwrap();
    assert!(!learner.evidence(ACT).is_empty() && learner.history().traces.len() == 1);
}

#[test]
fn changes_outside_the_vocabulary() {
    let domain = domain(
        "(define (domain d) (:predicates (p ?x)) (:functions (f ?x)) (:action act :parameters \
         (?a)))",
    );
    let found = |before: &str, after: &str| {
        anomaly(&domain, &format!("((:init {before}) (operator: (act u)) (:state {after}))"))
    };
    let (kind, name) = found("(p v)", "");
    assert!(matches!(kind, Anomaly::AtomChanged(_)) && name == "(p v)", "{kind:?} {name}");
    let (kind, name) = found("(p u)", "(p v)");
    assert!(matches!(kind, Anomaly::AtomChanged(_)) && name == "(p v)", "{kind:?} {name}");
    let (kind, name) = found("(= (f u) 1) (= (f v) 1)", "(= (f u) 2) (= (f v) 2)");
    assert!(matches!(kind, Anomaly::FunctionChanged(_)) && name == "(f v)", "{kind:?} {name}");
    let (kind, name) = found("", "(= (f v) 2)");
    assert!(matches!(kind, Anomaly::FunctionChanged(_)) && name == "(f v)", "{kind:?} {name}");
    let (kind, name) = found("(= (f u) 2)", "");
    assert!(matches!(kind, Anomaly::BecameUndefined(_)) && name == "(f u)", "{kind:?} {name}");
}

#[test]
fn contradictions_are_named() {
    let domain = domain(
        "(define (domain d) (:predicates (p) (q)) (:functions (f) (g)) (:action act :parameters \
         ()))",
    );
    let objects = objects(&domain, "");
    let conclude = |steps: &[(&str, &str)]| {
        let text = |(before, after): &(&str, &str)| {
            format!("((:init {before}) (operator: (act )) (:state {after}))")
        };
        let texts: Vec<String> = steps.iter().map(text).collect();
        let learner = from_text(
            &domain,
            Class::default(),
            &objects,
            &texts.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        match learner.conclude(ACT, &Settings::default()) {
            Conclusion::Inconsistent(why) => why,
            other => panic!("{other:?}"),
        }
    };
    // One pre-state, two outcomes.
    let state = |f: &str, g: &str, atoms: &str| format!("(= (f ) {f}) (= (g ) {g}) {atoms}");
    let (zero, one) = (state("0", "0", ""), state("0", "0", "(q )"));
    match conclude(&[(&zero, &zero), (&zero, &one)]) {
        Inconsistency::Boolean(found) => {
            assert!(found.class == [LiftedAtomId::from_index(1)] && found.became)
        }
        other => panic!("{other:?}"),
    }
    match conclude(&[(&one, &zero), (&one, &one)]) {
        Inconsistency::Boolean(found) => {
            assert!(found.class == [LiftedAtomId::from_index(1)] && !found.became)
        }
        other => panic!("{other:?}"),
    }
    let changed = state("0", "1", "");
    assert_eq!(
        conclude(&[(&zero, &zero), (&zero, &changed)]),
        Inconsistency::NotAffine { function: LiftedFunctionId::from_index(1) }
    );
    // A square is no affine function.
    let squares: Vec<(String, String)> = (0..3)
        .map(|f| (state(&f.to_string(), "0", ""), state(&f.to_string(), &(f * f).to_string(), "")))
        .collect();
    let squares: Vec<(&str, &str)> =
        squares.iter().map(|(before, after)| (&**before, &**after)).collect();
    assert_eq!(
        conclude(&squares),
        Inconsistency::NotAffine { function: LiftedFunctionId::from_index(1) }
    );
}

fn observations(
    world: &World,
    empty: &Learner,
    random: &mut Chance,
    count: usize,
) -> Vec<Observation> {
    let steps = world.observe(random, count, |_| true);
    steps.iter().map(|step| look(empty, &world.objects, step)).collect()
}

/// What is kept of steps in memory shows what was seen of them, repeated arguments, constants and
/// missing values included.
#[test]
fn remembered_steps_show_what_was_seen() {
    for_seeds(100, |seed| {
        let mut random = Chance::new(seed);
        let constant = random.percent(50);
        let undefined = *random.of(&[0, 10]);
        let world = World::random(&mut random, &Shape { constant, undefined, ..Shape::default() });
        let empty = Learner::new(&world.domain, Class::default()).unwrap();
        let rows = observations(&world, &empty, &mut random, 8);
        let mut remembered = Remembered::new(empty.lens());
        let ends = [StateKey::of(&world.objects, &Universe::default(), &State::default()); 2];
        remembered.begin();
        for (index, row) in rows.iter().enumerate() {
            let names = row.pattern.0.iter().map(|slot| format!("o{slot}").into()).collect();
            remembered.push(index, ACT, names, row, ends);
        }
        let (mut again, mut observer) = (Vec::new(), empty.lens().observer());
        let visit = &mut |recorded: &Recorded<'_>| {
            again.push(observer.observe_step(recorded.step().unwrap()).unwrap());
            true
        };
        remembered.read(0, &world.domain, Numbers::Exact, false, visit).unwrap();
        assert!(again == rows && remembered.is_complete(), "{}", story(&world, &[], None));
        // A call that failed is taken back, and nothing of it is shown.
        let Some(first) = rows.first() else { return };
        remembered.begin();
        remembered.push(0, ACT, Vec::new(), first, ends);
        remembered.take_back();
        let nothing = &mut |_: &Recorded<'_>| panic!("a step that was taken back");
        remembered.read(1, &world.domain, Numbers::Exact, false, nothing).unwrap();
    });
}

/// Repeated arguments, constants and missing values included.
#[test]
fn nothing_is_blamed_on_clean_data() {
    for_seeds(200, |seed| {
        let mut random = Chance::new(seed);
        let constant = random.percent(30);
        let undefined = *random.of(&[0, 0, 10]);
        let world = World::random(&mut random, &Shape { constant, undefined, ..Shape::default() });
        let empty = Learner::new(&world.domain, Class::default()).unwrap();
        let rows = observations(&world, &empty, &mut random, 16);
        let blamed = outliers(&world.vocabulary, &rows).rows;
        assert!(blamed.is_empty(), "{blamed:?} {}", story(&world, &[], None));
    });
}

/// Whatever was done to the rows: without the outliers some model explains the rest.
#[test]
fn what_is_left_is_consistent() {
    for_seeds(150, |seed| {
        let mut random = Chance::new(seed);
        let world = World::random(&mut random, &Shape { functions: 1, ..Shape::default() });
        let empty = Learner::new(&world.domain, Class::default()).unwrap();
        let mut rows = observations(&world, &empty, &mut random, 14);
        let bad = random.below(4);
        for row in rows.iter_mut().take(bad) {
            corrupt(&mut random, row);
        }
        let blamed = outliers(&world.vocabulary, &rows).rows;
        assert!(blamed.windows(2).all(|pair| pair[0] < pair[1]));
        let mut learner = empty.empty();
        for (_, row) in rows.iter().enumerate().filter(|(index, _)| !blamed.contains(index)) {
            learner.observe(ACT, row);
        }
        let conclusion = learner.conclude(ACT, &Settings::default());
        assert!(
            !matches!(conclusion, Conclusion::Inconsistent(_)),
            "{conclusion:?} {blamed:?}\n{}",
            story(&world, &[], None)
        );
    });
}

/// Changes the outcome of a row: another value, or another truth. Functions that are one ground
/// function stay so.
fn corrupt(random: &mut Chance, row: &mut Observation) {
    let places = row.seen.len() + usize::from(!row.after.is_empty());
    if places == 0 {
        return;
    }
    match row.seen.get_mut(random.below(places)) {
        Some(seen) => {
            let (before, after) = (
                seen.any(TruthPairs::KEPT.or(TruthPairs::DELETED)),
                seen.any(TruthPairs::KEPT.or(TruthPairs::ADDED)),
            );
            *seen = TruthPairs::new(before, !after);
        }
        None => {
            let by = Rational::integer(random.between(1, 9));
            let distinct = |slot: &u32| (*slot as usize) < row.pattern.0.len();
            if row
                .pattern
                .0
                .iter()
                .enumerate()
                .all(|(slot, first)| distinct(first) && slot == *first as usize)
            {
                let changed = random.below(row.after.len());
                row.after.as_mut_slice()[changed] =
                    row.after.as_slice()[changed].as_ref().map(|after| after + &by);
            }
        }
    }
}

/// A hauling action: `f0` falls by the distance and a half, `f1` is set to the distance, `(p ?a)`
/// moves to `?b`.
fn haul(random: &mut Chance, sound: bool) -> Observation {
    let before: Vec<Rational> = (0..3).map(|_| Rational::integer(random.between(1, 60))).collect();
    let zero = Rational::ZERO;
    let fall = -&(&before[2] * &number("1.5"));
    let set = &before[2] - &before[1];
    let (seen, change) = if sound {
        (vec![TruthPairs::DELETED, TruthPairs::ADDED], vec![fall, set, zero])
    } else {
        // A failed step, recorded as if it had succeeded.
        (vec![TruthPairs::KEPT, TruthPairs::ABSENT], vec![zero.clone(), zero.clone(), zero])
    };
    let after = before.iter().zip(&change).map(|(before, change)| Some(before + change)).collect();
    Observation {
        pattern: Pattern(vec![0, 1]),
        seen,
        before: before.into_iter().map(Some).collect(),
        after,
        unknown: UnknownValues::default(),
    }
}

#[test]
fn failed_steps_are_found_and_no_others() {
    let domain = domain(
        "(define (domain d) (:predicates (p ?x)) (:functions (f0) (f1) (f2)) (:action act \
         :parameters (?a ?b)))",
    );
    let learner = Learner::new(&domain, Class::default()).unwrap();
    for_seeds(60, |seed| {
        let mut random = Chance::new(seed);
        let bad: Vec<usize> = (0..30).filter(|_| random.percent(6)).collect();
        let mut rows: Vec<Observation> =
            (0..30).map(|index| haul(&mut random, !bad.contains(&index))).collect();
        assert_eq!(outliers(learner.vocabulary(ACT), &rows).rows, bad);
        // One number recorded wrongly.
        let wrong = random.below(30);
        let function = random.below(2);
        rows[wrong].after.as_mut_slice()[function] = rows[wrong].after.as_slice()[function]
            .as_ref()
            .map(|after| after + &number("0.000001"));
        let mut expected: Vec<usize> = bad.iter().copied().chain([wrong]).collect();
        expected.sort_unstable();
        expected.dedup();
        assert_eq!(outliers(learner.vocabulary(ACT), &rows).rows, expected);
    });
}
