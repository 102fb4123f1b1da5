//! Parts (docs/theory.md, "Parts"): worlds whose action behaves in several ways. Whatever a
//! learned model allows works and ends as it says, what was shown in a part is allowed, the order
//! of traces does not matter, and `check` accepts.

use std::cell::RefCell;

use crate::chance::Chance;
use crate::learning::{ACT, Shape, Step, Tally, World, for_seeds};
use surefoot_base::assumptions::{Algorithm, Monotone, MonotoneMap, Spec};
use surefoot_base::certificate::{Certificate, vocabulary_of};
use surefoot_base::model::compiled::{self, Compiled};
use surefoot_base::model::semantics::{Inapplicable, Semantics};
use surefoot_base::model::{
    ActionId, Attempt, Comparison, Condition, Domain, Expression, GroundAction, State, Universe,
};
use surefoot_base::parts::{DeclaredParts, DomainParts};
use surefoot_base::pddl::{
    Source, Trajectory, Writer, read_domain, write_domain, write_trajectory,
};
use surefoot_check::{ModelChecker, Obligation};
use surefoot_learn::{
    Answer, Answers, Class, Degree, Learner, Model, NoTraces, OnBadData, Pattern, Settings, Trace,
    learn, load, save,
};

/// A world in which one action behaves otherwise in each part.
struct PartedWorld {
    /// Vocabulary and objects; and what happens in no part.
    world: World,
    /// By part of the real world: its tests, and the body there.
    real: Vec<(Vec<Condition>, World)>,
    declared: DeclaredParts,
    parts: DomainParts,
}

/// A random test on what an action may mention.
fn test(random: &mut Chance, world: &World) -> Option<Condition> {
    let vocabulary = &world.vocabulary;
    let mut kinds = Vec::new();
    for (kind, is_there) in [
        (0, vocabulary.atoms.iter().next().is_some()),
        (1, vocabulary.equalities.iter().next().is_some()),
        (2, !vocabulary.functions.is_empty()),
        (2, !vocabulary.functions.is_empty()),
        (2, !vocabulary.functions.is_empty()),
    ] {
        kinds.extend(is_there.then_some(kind));
    }
    if kinds.is_empty() {
        return None;
    }
    Some(match random.of(&kinds) {
        0 => {
            let atoms: Vec<_> = vocabulary.atoms.iter().cloned().collect();
            Condition::Atom(random.of(&atoms).clone())
        }
        1 => {
            let pairs: Vec<_> = vocabulary.equalities.iter().copied().collect();
            let (left, right) = *random.of(&pairs);
            Condition::Same(left, right)
        }
        _ => {
            let functions: Vec<_> = vocabulary.functions.iter().cloned().collect();
            let one = Expression::Function(random.of(&functions).clone());
            let other = Expression::Function(random.of(&functions).clone());
            let left = match random.below(4) {
                0 if one != other => Expression::Sum(vec![one, other]),
                1 if one != other => Expression::Difference(Box::new([one, other])),
                _ => one,
            };
            let number =
                Expression::Number(surefoot_base::exact::Rational::integer(random.between(0, 5)));
            let comparison = *random.of(&[
                Comparison::LessOrEqual,
                Comparison::Less,
                Comparison::GreaterOrEqual,
                Comparison::Greater,
            ]);
            Condition::Compare(comparison, Box::new([left, number]))
        }
    })
}

impl PartedWorld {
    fn random(random: &mut Chance, shape: &Shape) -> Option<Self> {
        let world = World::random(random, shape);
        let text = |test: &Condition| {
            let domain = &world.domain;
            Writer::new(domain, &domain.signature.constants)
                .with_parameters(&domain.action(ACT).parameters)
                .condition(test)
        };
        let read = |declared: &DeclaredParts| {
            let map = [("act".to_owned(), declared.clone())].into();
            DomainParts::read(&world.domain, &map, (1, false)).ok()
        };
        let cuts: Vec<String> = (0..1 + random.below(2))
            .map(|_| test(random, &world).map(|test| text(&test)))
            .collect::<Option<_>>()?;
        let truth = DeclaredParts::Cuts(cuts.clone());
        let real = read(&truth)?;
        let tests: Vec<Vec<Condition>> =
            real.of(ACT).iter().map(|part| part.tests.clone()).collect();
        let declared = match random.below(4) {
            // Cut finer than is true.
            0 => DeclaredParts::Cuts(
                cuts.into_iter().chain(test(random, &world).map(|test| text(&test))).collect(),
            ),
            // Not everything is in a part.
            1 => {
                let DeclaredParts::Listed(mut listed) = real.declared(&world.domain)["act"].clone()
                else {
                    return None;
                };
                listed.remove(random.below(listed.len()));
                DeclaredParts::Listed(listed)
            }
            _ => truth,
        };
        let parts = read(&declared)?;
        let real = tests.into_iter().map(|tests| (tests, world.another(random))).collect();
        Some(PartedWorld { world, real, declared, parts })
    }

    fn spec(&self) -> Spec {
        Spec { parts: [("act".to_owned(), self.declared.clone())].into(), ..Spec::default() }
    }

    /// The body of the action in a state.
    fn body(&self, universe: &Universe, state: &State, action: &GroundAction) -> &World {
        let semantics = self.world.semantics();
        let holds = |tests: &Vec<Condition>| {
            tests.iter().all(|test| {
                semantics.holds_with(test, &action.arguments, universe, state) == Ok(true)
            })
        };
        self.real.iter().find(|(tests, _)| holds(tests)).map_or(&self.world, |(_, body)| body)
    }

    fn successor(
        &self,
        universe: &mut Universe,
        state: &State,
        action: &GroundAction,
    ) -> Result<State, Inapplicable> {
        self.body(universe, state, action).semantics().successor(action, universe, state)
    }

    /// Steps that worked, and states in which the action failed because of its precondition.
    fn observe(&self, random: &mut Chance, count: usize) -> (Vec<Step>, Vec<Step>) {
        let possible = self.world.steps();
        let (mut worked, mut failed) = (Vec::new(), Vec::new());
        if possible.is_empty() {
            return (worked, failed);
        }
        for _ in 0..4 * count {
            let mut universe = Universe::default();
            let mut before = self.world.state(random, &mut universe);
            let action = random.of(&possible).clone();
            self.body(&universe, &before, &action).favour(&mut universe, &mut before, &action);
            match self.successor(&mut universe, &before, &action) {
                Ok(after) if after.values().count() == before.values().count() => {
                    worked.push(Step { universe, before, action, after });
                }
                Err(Inapplicable::Precondition(_)) if failed.len() < count => {
                    failed.push(Step { universe, after: before.clone(), before, action });
                }
                _ => {}
            }
            if worked.len() == count {
                break;
            }
        }
        (worked, failed)
    }

    fn text(&self, step: &Step, worked: bool) -> String {
        let mut trajectory = Trajectory {
            universe: step.universe.clone(),
            states: vec![step.before.clone()],
            ..Trajectory::default()
        };
        if worked {
            trajectory.states.push(step.after.clone());
            trajectory.actions.push(step.action.clone());
        } else {
            trajectory.failures.push((0, step.action.clone()));
        }
        write_trajectory(&self.world.domain, &self.world.objects, &trajectory)
    }
}

/// The marks of the functions of an action whose coefficients all have the sign of the shape.
fn marks(world: &World, shape: &Shape) -> MonotoneMap {
    let Some(sign) = shape.signs.first() else { return MonotoneMap::new() };
    let mark = match sign {
        -1 => Monotone::More,
        1 => Monotone::Less,
        _ => Monotone::Any,
    };
    let domain = &world.domain;
    let writer = Writer::new(domain, &domain.signature.constants)
        .with_parameters(&domain.action(ACT).parameters);
    let functions = world.vocabulary.functions.iter();
    let marks = functions.map(|function| (writer.function(function), mark)).collect();
    MonotoneMap::from([("act".to_owned(), marks)])
}

/// What is wrong with a model by its certificate and these trajectories.
fn wrong(
    given: &Domain,
    text: &str,
    certificate: &Certificate,
    traces: &[Source],
    world: &World,
) -> Vec<(Obligation, String)> {
    let model = read_domain(&Source::new("model", text)).unwrap();
    let mut checker = ModelChecker::new(given, &model, certificate);
    for trace in traces {
        checker.read(trace, &world.objects).unwrap();
    }
    checker.finish().into_iter().map(|reason| (reason.kind, reason.to_string())).collect()
}

/// The promise by parts.
fn promise(cases: u32, choose: impl Fn(&mut Chance) -> (Shape, Spec), yes: usize) {
    let tally = RefCell::new(Tally::default());
    for_seeds(cases, |seed| {
        let mut random = Chance::new(seed);
        let (shape, dials) = choose(&mut random);
        let Some(parted) = PartedWorld::random(&mut random, &shape) else { return };
        let count = *random.of(&[2, 4, 8, 16, 24]);
        let (steps, failures) = parted.observe(&mut random, count);
        if steps.is_empty() {
            return;
        }
        let monotone = marks(&parted.world, &shape);
        let dials = Spec { parts: parted.spec().parts, monotone, ..dials };
        check(&mut random, &parted, &steps, &failures, &dials, &mut tally.borrow_mut());
    });
    let Tally { asked, applicable } = tally.into_inner();
    assert!(
        std::env::var("SUREFOOT_SEED").is_ok() || applicable * 100 >= asked * yes,
        "{applicable} of {asked} probes were applicable"
    );
}

fn check(
    random: &mut Chance,
    parted: &PartedWorld,
    steps: &[Step],
    failures: &[Step],
    spec: &Spec,
    tally: &mut Tally,
) {
    let world = &parted.world;
    let given = vocabulary_of(&world.domain);
    let texts: Vec<String> = (steps.iter().map(|step| parted.text(step, true)))
        .chain(failures.iter().map(|step| parted.text(step, false)))
        .collect();
    let sources: Vec<Source> = (texts.iter().enumerate())
        .map(|(place, text)| Source::new(format!("t{place}"), text.as_str()))
        .collect();
    let traces: Vec<Trace> =
        sources.iter().map(|source| Trace::new(source.clone(), &world.objects)).collect();
    let story = || {
        let bodies = parted.real.iter().map(|(_, body)| write_domain(&body.domain));
        format!(
            "{:?}\n{}\n{}\n{}",
            parted.declared,
            write_domain(&world.domain),
            bodies.collect::<Vec<_>>().join("\n"),
            texts.join("\n")
        )
    };
    let model = learn(&given, spec, &traces).unwrap_or_else(|error| panic!("{error}\n{}", story()));
    let text = model.to_pddl();
    let read_back = read_domain(&Source::new("model", text.as_str())).unwrap();
    let ids = |name: &str| read_back.actions.find(name).map(ActionId::from);

    // What was shown in a part is allowed.
    let belief = Semantics::new(model.for_planning(), &world.objects);
    let by_text = Semantics::new(&read_back, &world.objects);
    let constants = given.signature.constants.len();
    for step in steps {
        let (before, action, universe) = (&step.before, &step.action, &step.universe);
        let part = parted.parts.part_of(&given, Attempt { before, action, universe });
        if part.is_none_or(|part| model.grounds().unwrap().learned(part).is_none()) {
            continue;
        }
        let mut universe = step.universe.clone();
        let pattern = Pattern::of(&step.action.arguments, constants, &[]);
        let functions = &world.vocabulary.functions;
        let apart = pattern.classes(functions).iter().all(|class| class.len() == 1);
        match belief.successor(&step.action, &mut universe, &step.before) {
            Ok(after) => assert!(after == step.after, "another outcome\n{text}\n{}", story()),
            Err(why) => assert!(
                !apart && spec.algorithm != Algorithm::Sam
                    || step.before.values().count() < world.functions().len()
                    || !spec.relevant.is_empty(),
                "{why:?}\n{text}\n{}",
                story()
            ),
        }
    }

    // What is allowed works, and ends as it says; what is forbidden does not.
    let answers = Answers::of(&model).unwrap();
    let by_part = model.by_part();
    let split = Semantics::new(by_part.domain(), &world.objects);
    let compiled = Compiled::new(model.for_planning());
    for _ in 0..60 {
        let (mut universe, state, action) = world.probe(random, steps);
        tally.asked += 1;
        let mut fast = compiled::Checker::new(&compiled, &world.objects);
        let step = fast.step(&action, &mut universe);
        let allowed = fast.applicable(step, &universe, &state)
            && fast.changes(step, &universe, &state).is_ok();
        let expected = belief.successor(&action, &mut universe, &state);
        assert_eq!(allowed, expected.is_ok(), "compiled\n{text}\n{}", story());
        let told = |what: &str| {
            let states = vec![state.clone()];
            let mut probe =
                Trajectory { universe: universe.clone(), states, ..Trajectory::default() };
            probe.failures.push((0, action.clone()));
            let probe = write_trajectory(&world.domain, &world.objects, &probe);
            format!("{what}\nprobe {probe}\n{text}\n{}", story())
        };
        let from_text = ids("act").map(|symbol| {
            let named = GroundAction { symbol, arguments: action.arguments.clone() };
            by_text.successor(&named, &mut universe.clone(), &state)
        });
        assert_eq!(
            from_text.and_then(Result::ok),
            expected.clone().ok(),
            "{}",
            told("the text says something else")
        );
        let attempt = Attempt { before: &state, action: &action, universe: &universe };
        let in_part = parted
            .parts
            .part_of(&given, attempt)
            .map(|symbol| GroundAction { symbol, arguments: action.arguments.clone() });
        let of_part = in_part
            .as_ref()
            .and_then(|action| split.successor(action, &mut universe.clone(), &state).ok());
        if let Ok(expected) = &expected {
            assert_eq!(of_part.as_ref(), Some(expected), "{}", told("the part says otherwise"));
        }
        let real = parted.successor(&mut universe.clone(), &state, &action);
        match answers.ask(&mut answers.observer(), &world.objects, attempt).unwrap() {
            Answer::Forbidden(_) => {
                assert!(real.is_err(), "{}", told("forbidden, and it works"))
            }
            Answer::Allowed => assert!(in_part.is_some(), "{}", told("allowed in no part")),
            Answer::Unknown => assert!(expected.is_err(), "{}", told("allowed, and unknown")),
        }
        let Ok(expected) = expected else { continue };
        tally.applicable += 1;
        match real {
            Ok(after) if after == expected => {}
            Ok(_) => panic!("{}", told("another outcome")),
            Err(why) => panic!("{}", told(&format!("not applicable: {why:?}"))),
        }
    }

    // The checker accepts.
    let certificate = model.certificate().unwrap();
    let again = Certificate::from_json(&certificate.to_json().unwrap()).unwrap();
    assert_eq!(certificate, again);
    let found = wrong(&given, &text, &certificate, &sources, world);
    assert!(found.is_empty(), "{found:?}\n{text}\n{}", story());

    // Order and sharding do not matter, and states are read back.
    let start = Learner::of(&given, spec).unwrap();
    let (mut one, mut other) = (start.empty(), start.empty());
    for source in sources.iter().rev() {
        let half = if random.percent(50) { &mut one } else { &mut other };
        half.read(source, &world.objects).unwrap();
    }
    let one = load(&save(&one).unwrap()).unwrap();
    let mut other = load(&save(&other).unwrap()).unwrap();
    assert!(one.is_compatible(&start));
    other.merge(&one);
    let mut whole = start.empty();
    sources.iter().for_each(|source| whole.read(source, &world.objects).unwrap());
    assert!(save(&whole).unwrap() == save(&other).unwrap(), "{}", story());
    let settings = Settings::of_spec(spec, &other).unwrap();
    let merged = Model::of(&other, &settings, &NoTraces, OnBadData::Stop).unwrap();
    assert_eq!(write_domain(&merged.read_back()), write_domain(&model.read_back()), "{}", story());
    assert_eq!(merged.certificate().unwrap().to_json().unwrap(), certificate.to_json().unwrap());
}

#[test]
fn numbers_and_atoms() {
    let choose = |random: &mut Chance| {
        let shape = Shape { constant: random.percent(25), functions: 2, ..Shape::default() };
        (shape, Spec::default())
    };
    promise(250, choose, 8);
}

#[test]
fn functions_without_values() {
    let choose = |_: &mut Chance| {
        (Shape { undefined: 15, functions: 3, ..Shape::default() }, Spec::default())
    };
    promise(120, choose, 5);
}

#[test]
fn conditions_of_bounded_arity() {
    let choose = |random: &mut Chance| {
        let arity = 1 + random.below(2);
        let spec = Spec { arity: Some(arity), ..Spec::default() };
        (Shape { arity, functions: 3, ..Shape::default() }, spec)
    };
    promise(120, choose, 8);
}

#[test]
fn the_evidence_that_nsam_asks_for() {
    let choose =
        |_: &mut Chance| (Shape::default(), Spec { algorithm: Algorithm::Nsam, ..Spec::default() });
    promise(80, choose, 0);
}

#[test]
fn products() {
    let degree = Degree { degree: 2, squares: false };
    let class = Class::default().with(|class| class.degree = degree);
    let choose = |_: &mut Chance| {
        let shape = Shape { products: true, class: class.clone(), ..Shape::default() };
        (shape, Spec { degree: 2, ..Spec::default() })
    };
    promise(60, choose, 2);
}

#[test]
fn marks_that_are_true_in_every_part() {
    let choose = |random: &mut Chance| {
        let sign = *random.of(&[-1, 1, 0]);
        (Shape { functions: 2, signs: vec![sign; 8], ..Shape::default() }, Spec::default())
    };
    promise(200, choose, 8);
}
