//! Learning is a fold (docs/theory.md, "Evidence is a fold"): any order, any sharding and any
//! repetition of the same steps gives the same learner and the same bytes.

use crate::chance::Chance;
use crate::learning::{ACT, Shape, World, domain, for_seeds, look, model};
use surefoot_base::exact::Rational;
use surefoot_base::ids::Id;
use surefoot_base::pddl::write_domain;
use surefoot_learn::{
    Class, ColumnId, Conclusion, Degree, Learner, Observation, Pattern, Settings, UnknownValues,
};

fn fold(empty: &Learner, observations: &[Observation]) -> Learner {
    let mut learner = empty.empty();
    observations.iter().for_each(|observation| learner.observe(ACT, observation));
    learner
}

fn merged(one: &Learner, other: &Learner) -> Learner {
    let mut both = one.clone();
    both.merge(other);
    both
}

fn settled(mut learner: Learner) -> Learner {
    learner.settle();
    learner
}

/// The learned domain, or why there is none.
fn bytes(learner: &Learner, settings: &Settings) -> String {
    match learner.conclude(ACT, settings) {
        Conclusion::Learned(_) => write_domain(&model(learner, settings)),
        other => format!("{other:?}"),
    }
}

fn assert_same(one: &Learner, other: &Learner, what: &str) {
    let (one, other) = (settled(one.clone()), settled(other.clone()));
    assert!(
        one.evidence(ACT) == other.evidence(ACT),
        "{what}: {:?}\n{:?}",
        one.evidence(ACT),
        other.evidence(ACT)
    );
    assert_eq!(one.evidence(ACT).rows(), other.evidence(ACT).rows(), "{what}");
    let nsam =
        Settings::default().with(|settings| settings.algorithm = surefoot_learn::Algorithm::Nsam);
    let literal = Settings::default()
        .with(|settings| settings.algorithm = surefoot_learn::Algorithm::NsamLiteral);
    for settings in [
        Settings::default(),
        nsam,
        literal,
        Settings::default().with(|settings| {
            settings.arity = Some(1);
            settings.effect_arity = Some(1);
        }),
    ] {
        assert_eq!(bytes(&one, &settings), bytes(&other, &settings), "{what}");
    }
}

/// All laws, for one list of observations.
fn laws(random: &mut Chance, empty: &Learner, observations: &[Observation]) {
    let whole = fold(empty, observations);
    let mut shuffled: Vec<Observation> = observations.to_vec();
    for _ in 0..random.below(4) {
        shuffled.push(random.of(observations).clone());
    }
    random.shuffle(&mut shuffled);
    assert_same(&whole, &fold(empty, &shuffled), "order and repetition");
    let (left, right) = shuffled.split_at(random.below(shuffled.len() + 1));
    let (middle, right) = right.split_at(random.below(right.len() + 1));
    let [a, b, c] = [left, middle, right].map(|part| fold(empty, part));
    let [a, b, c] = [a, b, c].map(|shard| if random.percent(30) { settled(shard) } else { shard });
    assert_same(&merged(&merged(&a, &b), &c), &merged(&a, &merged(&b, &c)), "associative");
    assert_same(&merged(&a, &b), &merged(&b, &a), "commutative");
    assert_same(&merged(&a, &a), &a, "idempotent");
    assert_same(&merged(&a, &empty.empty()), &a, "nothing on the right");
    assert_same(&merged(&empty.empty(), &a), &a, "nothing on the left");
    assert_same(&merged(&merged(&a, &b), &c), &whole, "sharding");
    // A shard that went on after it was merged.
    let mut resumed = merged(&a, &c);
    middle.iter().for_each(|observation| resumed.observe(ACT, observation));
    assert_same(&resumed, &whole, "resuming");
}

#[test]
fn random_worlds() {
    for_seeds(250, |seed| {
        let mut random = Chance::new(seed);
        let (constant, products) = (random.percent(30), random.percent(20));
        let class = Class::default().with(|class| {
            class.degree = Degree { degree: if products { 2 } else { 1 }, squares: false }
        });
        let undefined = *random.of(&[0, 10, 30]);
        let shape = Shape {
            constant,
            products,
            undefined,
            class: class.clone(),
            functions: 3,
            ..Shape::default()
        };
        let world = World::random(&mut random, &shape);
        let count = 1 + random.below(12);
        let steps = world.observe(&mut random, count, |_| true);
        let empty = Learner::new(&world.domain, class).unwrap();
        let observations: Vec<_> =
            steps.iter().map(|step| look(&empty, &world.objects, step)).collect();
        if !observations.is_empty() {
            laws(&mut random, &empty, &observations);
        }
    });
}

/// Corrupted steps are no excuse: the same contradiction is found in any order.
#[test]
fn inconsistent_worlds() {
    for_seeds(60, |seed| {
        let mut random = Chance::new(seed);
        // More functions than rows would be explained by anything, after a long search.
        let world = World::random(&mut random, &Shape { functions: 1, ..Shape::default() });
        let steps = world.observe(&mut random, 10, |_| true);
        let empty = Learner::new(&world.domain, Class::default()).unwrap();
        let mut observations: Vec<_> =
            steps.iter().map(|step| look(&empty, &world.objects, step)).collect();
        for observation in &mut observations {
            for after in observation.after.as_mut_slice().iter_mut().flatten() {
                if random.percent(20) {
                    *after = &*after + &Rational::ONE;
                }
            }
        }
        if !observations.is_empty() {
            laws(&mut random, &empty, &observations);
        }
    });
}

fn observation(before: &[Option<i64>], change: &[i64]) -> Observation {
    Observation {
        pattern: Pattern(Vec::new()),
        seen: Vec::new(),
        before: before.iter().map(|value| value.map(Rational::integer)).collect(),
        after: before
            .iter()
            .zip(change)
            .map(|(value, by)| value.map(|value| Rational::integer(value + by)))
            .collect(),
        unknown: UnknownValues::default(),
    }
}

/// More vectors than are kept: a shard thins where the whole does not, and the other way round.
#[test]
fn thinned_vectors() {
    let domain = domain("(define (domain d) (:functions (x) (y)) (:action act :parameters ()))");
    let empty = Learner::new(&domain, Class::default()).unwrap();
    // A disc: many vectors, and not few vertices.
    let disc = (-40..=40i64)
        .flat_map(|x| (-40..=40i64).map(move |y| (x, y)))
        .filter(|(x, y)| x * x + y * y <= 1600);
    let mut observations: Vec<_> =
        disc.map(|(x, y)| observation(&[Some(x), Some(y)], &[1, -y])).collect();
    assert!(observations.len() > 4096);
    let mut random = Chance::new(1);
    let (inner, outer): (Vec<_>, Vec<_>) = observations.iter().cloned().partition(|observation| {
        let square = |value: &Option<Rational>| value.as_ref().map(|value| value * value).unwrap();
        &square(&observation.before.as_slice()[0]) + &square(&observation.before.as_slice()[1])
            < Rational::integer(100)
    });
    // What was thinned away comes again.
    let again = merged(&settled(fold(&empty, &observations)), &fold(&empty, &inner));
    assert_same(&again, &fold(&empty, &outer), "thinned vectors come again");
    laws(&mut random, &empty, &observations);
    random.shuffle(&mut observations);
    laws(&mut random, &empty, &observations);
    let kept = settled(fold(&empty, &observations)).evidence(ACT).rows().0.len();
    assert!(kept < 200, "{kept} vertices");
}

/// A function turns out to be undefined when its vectors were thinned already.
#[test]
fn undefined_functions_discovered_late() {
    let domain =
        domain("(define (domain d) (:functions (x) (y) (z)) (:action act :parameters ()))");
    let empty = Learner::new(&domain, Class::default()).unwrap();
    let mut observations = Vec::new();
    for x in 0..17i64 {
        for y in 0..17i64 {
            // Rows with a different z for each (x, y, w): the projection has far fewer.
            observations.extend(
                (0..17i64).map(|w| observation(&[Some(x), Some(y), Some(x * y + w)], &[y, 0, 0])),
            );
        }
    }
    let mut random = Chance::new(2);
    random.shuffle(&mut observations);
    assert!(observations.len() > 4096);
    observations.push(observation(&[Some(3), Some(20), None], &[20, 0, 0]));
    let late = fold(&empty, &observations);
    observations.rotate_right(1);
    let early = fold(&empty, &observations);
    assert_same(&late, &early, "late and early");
    observations.push(observation(&[Some(30), None, Some(2)], &[0, 0, 0]));
    observations[0].after.as_mut_slice()[0] = observations[0].before.as_slice()[0].clone();
    let whole = fold(&empty, &observations);
    let [a, b] = [&observations[..2500], &observations[2500..]].map(|part| fold(&empty, part));
    assert_same(&merged(&a, &b), &whole, "sharded");
    assert_same(&merged(&settled(b), &settled(a)), &whole, "sharded, settled");
    assert_eq!(
        whole.evidence(ACT).columns(whole.vocabulary(ACT)).as_slice(),
        [ColumnId::from_index(0)]
    );
}
