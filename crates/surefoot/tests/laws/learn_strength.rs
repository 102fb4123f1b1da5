//! As strong as can be: what a learned action forbids, some model of the class that explains the
//! steps forbids too. And the dials are ordered as docs/theory.md says ("The region", "Arity",
//! "Monotone marks", "Effects"), and each is unsafe where its assumption is false.

use std::collections::BTreeMap;

use crate::chance::Chance;
use crate::learning::{ACT, Shape, World, domain, for_seeds, learned, learner, model, with_bodies};
use surefoot_base::exact::{Membership, PointPosition, Rational};
use surefoot_base::ids::{Id, first_ids};
use surefoot_base::model::ActionId;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Condition, Universe};
use surefoot_learn::LiftedAtomId;
use surefoot_learn::{
    ActiveColumn, Algorithm, Class, ColumnId, Conclusion, Learner, LeftOut, Monotone, NumericForm,
    Observation, Pattern, Region, Settings, UnknownValues,
};

type Vector = Vec<Rational>;

fn integers(values: &[i64]) -> Vector {
    values.iter().map(|&value| Rational::integer(value)).collect()
}

/// A learner of `act`, without parameters, that saw these vectors and changes.
fn numeric(functions: usize, rows: &[(Vector, Vector)]) -> Learner {
    let declared: String = (0..functions).map(|function| format!(" (f{function})")).collect();
    let domain =
        domain(&format!("(define (domain d) (:functions{declared}) (:action act :parameters ()))"));
    let mut learner = Learner::new(&domain, Class::default()).unwrap();
    for (before, change) in rows {
        let after =
            before.iter().zip(change).map(|(before, change)| Some(before + change)).collect();
        let before = before.iter().cloned().map(Some).collect();
        learner.observe(
            ACT,
            &Observation {
                pattern: Pattern(Vec::new()),
                seen: Vec::new(),
                before,
                after,
                unknown: UnknownValues::default(),
            },
        );
    }
    learner
}

fn idle(points: &[Vector]) -> Learner {
    let columns = points[0].len();
    numeric(
        columns,
        &points
            .iter()
            .map(|point| (point.clone(), vec![Rational::ZERO; columns]))
            .collect::<Vec<_>>(),
    )
}

fn region(learner: &Learner, settings: &Settings) -> Region {
    learned(learner, "act", settings).numeric.region
}

fn cloud(random: &mut Chance, columns: usize) -> Vec<Vector> {
    // Few points, and often on a common flat.
    let count = 1 + random.below(7);
    let flat = random.percent(30);
    let mut points: Vec<Vector> = (0..count)
        .map(|_| integers(&(0..columns).map(|_| random.between(-3, 3)).collect::<Vec<_>>()))
        .collect();
    if flat && columns > 1 {
        points.iter_mut().for_each(|point| point[columns - 1] = &point[0] + &Rational::ONE);
    }
    points
}

/// A question: anywhere near, or a mixture of two points.
fn question(random: &mut Chance, points: &[Vector]) -> Vector {
    let columns = points[0].len();
    if random.percent(50) {
        let (one, two) = (random.of(points).clone(), random.of(points).clone());
        let weight = Rational::new(random.between(-1, 5), 4).unwrap();
        return one.iter().zip(&two).map(|(one, two)| one + &(&weight * &(two - one))).collect();
    }
    (0..columns).map(|_| Rational::new(random.between(-8, 8), 2).unwrap()).collect()
}

fn marked(random: &mut Chance, columns: usize) -> (BTreeMap<ColumnId, Monotone>, Vec<Vector>) {
    let (mut marks, mut rays) = (BTreeMap::new(), Vec::new());
    for column in 0..columns {
        let mark =
            *random.of(&[None, Some(Monotone::More), Some(Monotone::Less), Some(Monotone::Any)]);
        let mut ray = |value: i64| {
            let mut ray = vec![Rational::ZERO; columns];
            ray[column] = Rational::integer(value);
            rays.push(ray);
        };
        if matches!(mark, Some(Monotone::More | Monotone::Any)) {
            ray(1);
        }
        if matches!(mark, Some(Monotone::Less | Monotone::Any)) {
            ray(-1);
        }
        marks.extend(mark.map(|mark| (ColumnId::from_index(column), mark)));
    }
    (marks, rays)
}

fn project(vectors: &[Vector], subset: &[usize]) -> Vec<Vector> {
    vectors
        .iter()
        .map(|vector| subset.iter().map(|&column| vector[column].clone()).collect())
        .collect()
}

fn dot(constraint: &surefoot_base::exact::Constraint, x: &[Rational]) -> Rational {
    constraint
        .coefficients()
        .zip(x)
        .fold(Rational::ZERO, |sum, (coefficient, value)| &sum + &(&coefficient * value))
}

/// The region is the set of vectors that no consistent condition forbids: each vector outside is
/// forbidden by a half-space over at most k columns that all observations satisfy and that respects
/// the marks; each vector inside is in all of them.
#[test]
fn region_is_what_no_consistent_condition_forbids() {
    let counts = std::cell::Cell::new((0, 0));
    for_seeds(400, |seed| {
        let mut random = Chance::new(seed);
        let columns = 1 + random.below(4);
        let points = cloud(&mut random, columns);
        let (marks, rays) =
            if random.percent(60) { marked(&mut random, columns) } else { Default::default() };
        let arity = 1 + random.below(columns);
        let settings = Settings::default().with(|settings| {
            settings.arity = Some(arity);
            settings.monotone = BTreeMap::from([(ActionId(0), marks)]);
        });
        let learner = idle(&points);
        // An effect is known only on the affine hull of what was seen: compare with the region
        // before that is taken into account.
        let known = region(&learner, &Settings::default()).equations().to_vec();
        let region = region(&learner, &settings);
        let subsets: Vec<Vec<usize>> = (0..1usize << columns)
            .map(|mask| (0..columns).filter(|column| mask >> column & 1 == 1).collect())
            .filter(|subset: &Vec<usize>| subset.len() == arity)
            .collect();
        for _ in 0..25 {
            let x = question(&mut random, &points);
            let mut forbidden = !known.iter().all(|equation| equation.compare(&x).is_eq());
            for subset in &subsets {
                let (points, rays) = (project(&points, subset), project(&rays, subset));
                let x = project(std::slice::from_ref(&x), subset).remove(0);
                if let PointPosition::Outside(half_space) =
                    Membership::new(&points, &rays).decide(&x)
                {
                    forbidden = true;
                    assert!(
                        points.iter().all(|point| dot(&half_space, point) <= half_space.bound())
                    );
                    assert!(rays.iter().all(|ray| dot(&half_space, ray).signum() <= 0));
                    assert!(dot(&half_space, &x) > half_space.bound());
                }
            }
            assert_eq!(region.contains(&x), !forbidden, "{x:?} {points:?} {settings:?}");
            let (inside, outside) = counts.get();
            counts.set(if forbidden { (inside, outside + 1) } else { (inside + 1, outside) });
        }
    });
    let (inside, outside) = counts.get();
    assert!(
        std::env::var("SUREFOOT_SEED").is_ok() || (inside > 1000 && outside > 1000),
        "{inside} {outside}"
    );
}

/// The most affinely independent ones of some points: differences to the first, eliminated one by
/// one.
fn affine_rank(points: &[Vector]) -> usize {
    let mut kept: Vec<(usize, Vector)> = Vec::new();
    for point in points {
        let mut rest: Vector =
            point.iter().zip(&points[0]).map(|(one, other)| one - other).collect();
        for (pivot, row) in &kept {
            let factor = rest[*pivot].checked_div(&row[*pivot]).unwrap();
            rest = rest.iter().zip(row).map(|(value, other)| value - &(&factor * other)).collect();
        }
        if let Some(pivot) = rest.iter().position(|value| !value.is_zero()) {
            kept.push((pivot, rest));
        }
    }
    kept.len() + 1
}

/// H_1 ⊇ H_2 ⊇ … ⊇ H_n = conv(P) ⊆ H^M, and N-SAM, by either reading, is N-SAM* or nothing; the
/// literal one asks for more.
#[test]
fn dials_only_widen() {
    for_seeds(250, |seed| {
        let mut random = Chance::new(seed);
        let columns = 1 + random.below(4);
        let points = cloud(&mut random, columns);
        let learner = idle(&points);
        let exact = region(&learner, &Settings::default());
        let by_arity: Vec<Region> = (1..=columns)
            .map(|arity| {
                region(&learner, &Settings::default().with(|settings| settings.arity = Some(arity)))
            })
            .collect();
        let (marks, _) = marked(&mut random, columns);
        let monotone = Settings::default()
            .with(|settings| settings.monotone = BTreeMap::from([(ActionId(0), marks)]));
        let wide = region(&learner, &monotone);
        assert_eq!(by_arity[columns - 1], exact);
        assert!(points.iter().all(|point| exact.contains(point)));
        for _ in 0..40 {
            let x = question(&mut random, &points);
            for pair in by_arity.windows(2) {
                assert!(pair[0].contains(&x) || !pair[1].contains(&x), "{x:?} {points:?}");
            }
            assert!(wide.contains(&x) || !exact.contains(&x), "{x:?} {points:?} {monotone:?}");
        }
        let distinct: std::collections::BTreeSet<_> = points.iter().collect();
        match learner.conclude(
            ACT,
            &Settings::default().with(|settings| settings.algorithm = Algorithm::Nsam),
        ) {
            Conclusion::Learned(action) => {
                assert!(distinct.len() > columns && action.numeric.region == exact)
            }
            Conclusion::LeftOut(LeftOut::TooFewVectors { distinct: seen, needed }) => {
                assert!(
                    distinct.len() <= columns && seen == distinct.len() && needed == columns + 1
                );
            }
            other => panic!("{other:?}"),
        }
        let rank = affine_rank(&points);
        assert!(rank <= distinct.len());
        match learner.conclude(
            ACT,
            &Settings::default().with(|settings| settings.algorithm = Algorithm::NsamLiteral),
        ) {
            Conclusion::Learned(action) => {
                assert!(rank == columns + 1 && action.numeric.region == exact)
            }
            Conclusion::LeftOut(LeftOut::TooFewIndependent { independent, needed }) => {
                assert!(
                    rank <= columns && independent == rank && needed == columns + 1,
                    "{points:?}"
                );
            }
            other => panic!("{other:?}"),
        }
    });
}

/// Under E(k) the learned effect is known exactly where all maps over at most k columns that
/// explain the changes agree.
#[test]
fn effects_are_known_where_all_maps_agree() {
    for_seeds(250, |seed| {
        let mut random = Chance::new(seed);
        let columns = 1 + random.below(3);
        let points = cloud(&mut random, columns);
        // The change of the first function reads at most `arity` columns; the others do not change.
        let arity = random.below(columns + 1);
        let mut read: Vec<usize> = (0..columns).collect();
        random.shuffle(&mut read);
        read.truncate(arity);
        let (weights, constant) = (integers(&[1, 2, -1]), Rational::integer(random.between(-1, 1)));
        let change = |point: &Vector| {
            let mut change = vec![Rational::ZERO; columns];
            change[0] = read
                .iter()
                .zip(&weights)
                .fold(constant.clone(), |sum, (&column, weight)| &sum + &(weight * &point[column]));
            change
        };
        let rows: Vec<_> = points.iter().map(|point| (point.clone(), change(point))).collect();
        let marks = first_ids(columns).map(|column| (column, Monotone::Any)).collect();
        // Nothing is said about applicability, so that the region is where the effects are known.
        let settings = Settings::default().with(|settings| {
            settings.effect_arity = Some(arity);
            settings.monotone = BTreeMap::from([(ActionId(0), marks)]);
        });
        let action = learned(&numeric(columns, &rows), "act", &settings);
        assert!(rows.iter().all(|(before, _)| action.numeric.region.contains(before)));
        for _ in 0..20 {
            let x = question(&mut random, &points);
            if action.numeric.region.contains(&x) {
                let own = action.numeric.columns.position(|column| column.index() == 0);
                assert_eq!(
                    action.numeric.effects.as_slice()[0].change_at(&x, own).unwrap(),
                    change(&x)[0],
                    "{x:?} {rows:?}"
                );
            }
        }
        assert!(
            action.numeric.effects.as_slice()[1..]
                .iter()
                .all(|form| *form == NumericForm::Unchanged)
        );
    });
}

/// Each literal that is kept could be a condition of the real action: with it alone for
/// precondition, the real action takes every observed step.
#[test]
fn kept_literals_are_consistent() {
    let kept = std::cell::Cell::new(0);
    for_seeds(300, |seed| {
        let mut random = Chance::new(seed);
        let constant = random.percent(30);
        let world =
            World::random(&mut random, &Shape { functions: 0, constant, ..Shape::default() });
        let count = 1 + random.below(6);
        let steps = world.observe(&mut random, count, |_| true);
        if steps.is_empty() {
            return;
        }
        let settings = Settings::default().with(|settings| settings.algorithm = Algorithm::Sam);
        let learner = learner(&world.domain, Class::default(), &world.objects, &steps);
        let Condition::And(literals) = with_bodies(&world.domain, &model(&learner, &settings))
            .action(ACT)
            .precondition
            .clone()
        else {
            panic!("a conjunction")
        };
        for literal in literals.iter().filter(|literal| !matches!(literal, Condition::Or(_))) {
            let mut possible = world.domain.clone();
            possible.actions.value_mut(0).precondition = literal.clone();
            for step in &steps {
                let mut universe: Universe = step.universe.clone();
                let after = Semantics::new(&possible, &world.objects).successor(
                    &step.action,
                    &mut universe,
                    &step.before,
                );
                assert_eq!(after.as_ref(), Ok(&step.after), "{literal:?}");
            }
            kept.set(kept.get() + 1);
        }
    });
    assert!(std::env::var("SUREFOOT_SEED").is_ok() || kept.get() > 300);
}

/// A dial turned although its assumption is false gives a model that allows what must not be: the
/// assumptions matter.
mod without_their_assumption {
    use super::*;

    fn points(rows: &[[i64; 2]]) -> Vec<Vector> {
        rows.iter().map(|row| integers(row)).collect()
    }

    #[test]
    fn arity() {
        // The real condition is x + y ≤ 5.
        let learner = idle(&points(&[[0, 0], [5, 0], [0, 5]]));
        let forbidden = integers(&[5, 5]);
        assert!(!region(&learner, &Settings::default()).contains(&forbidden));
        assert!(
            region(&learner, &Settings::default().with(|settings| settings.arity = Some(1)))
                .contains(&forbidden)
        );
    }

    #[test]
    fn monotone() {
        // The real condition is x ≤ 5, marked as if more never hurt.
        let learner = idle(&points(&[[0, 0], [5, 0], [0, 5], [5, 5]]));
        let forbidden = integers(&[6, 0]);
        assert!(!region(&learner, &Settings::default()).contains(&forbidden));
        let monotone = |mark| {
            Settings::default().with(|settings| {
                settings.monotone = BTreeMap::from([(
                    ActionId(0),
                    BTreeMap::from([(ColumnId::from_index(0), mark)]),
                )])
            })
        };
        assert!(region(&learner, &monotone(Monotone::More)).contains(&forbidden));
        assert!(region(&learner, &monotone(Monotone::Any)).contains(&forbidden));
        assert!(!region(&learner, &monotone(Monotone::Less)).contains(&forbidden));
    }

    #[test]
    fn effect_arity() {
        // The real effect is f0 += f1 + f2, seen where f3 is that sum; f3 does not matter for
        // applicability.
        let row = |f0: i64, f1: i64, f2: i64| {
            (integers(&[f0, f1, f2, f1 + f2]), integers(&[f1 + f2, 0, 0, 0]))
        };
        let learner = numeric(4, &[row(0, 0, 0), row(4, 0, 0), row(0, 4, 0), row(0, 0, 4)]);
        let settings = |effect_arity| {
            Settings::default().with(|settings| {
                settings.effect_arity = effect_arity;
                settings.monotone = BTreeMap::from([(
                    ActionId(0),
                    BTreeMap::from([(ColumnId::from_index(3), Monotone::Any)]),
                )]);
            })
        };
        let x = integers(&[1, 1, 1, 9]);
        assert!(!region(&learner, &settings(None)).contains(&x));
        assert!(!region(&learner, &settings(Some(2))).contains(&x));
        let action = learned(&learner, "act", &settings(Some(1)));
        assert!(action.numeric.region.contains(&x));
        let own = Some(ActiveColumn::from_index(0));
        assert_eq!(
            action.numeric.effects.as_slice()[0].change_at(&x, own),
            Some(Rational::integer(9))
        );
    }

    #[test]
    fn positive_preconditions() {
        // The real action needs (not (p)), and adds (p).
        let domain = domain("(define (domain d) (:predicates (p)) (:action act :parameters ()))");
        let text = ["((:init) (operator: (act )) (:state (p )))"];
        let learner = crate::learning::from_text(
            &domain,
            Class::default(),
            &crate::learning::objects(&domain, ""),
            &text,
        );
        assert_eq!(
            learned(&learner, "act", &Settings::default()).boolean.negative,
            [LiftedAtomId::from_index(0)]
        );
        let settings = Settings::default().with(|settings| settings.positive_preconditions = true);
        assert_eq!(
            learned(&learner, "act", &settings).action.precondition,
            Condition::And(Vec::new())
        );
    }

    #[test]
    fn relevant_map() {
        // The real condition is f0 ≥ 1; the map says that no number is relevant.
        let domain = domain("(define (domain d) (:functions (f0)) (:action act :parameters ()))");
        let class = Class::default()
            .with(|class| class.relevant = BTreeMap::from([(ActionId(0), Vec::new())]));
        let text = ["((:init (= (f0 ) 1)) (operator: (act )) (:state (= (f0 ) 1)))"];
        let learner = crate::learning::from_text(
            &domain,
            class.clone(),
            &crate::learning::objects(&domain, ""),
            &text,
        );
        assert_eq!(
            learned(&learner, "act", &Settings::default()).action.precondition,
            Condition::And(Vec::new())
        );
        // What is not listed but seen to change may be increased or assigned, so the value before
        // is kept to.
        let text = ["((:init (= (f0 ) 1)) (operator: (act )) (:state (= (f0 ) 3)))"];
        let learner = crate::learning::from_text(
            &domain,
            class,
            &crate::learning::objects(&domain, ""),
            &text,
        );
        let model = crate::learning::pddl(&learner, &Settings::default());
        assert!(model.contains("(= (f0) 1)"), "{model}");
    }
}
