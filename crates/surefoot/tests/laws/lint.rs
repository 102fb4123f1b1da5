//! The lint of the vocabulary: a defect that is put in is found, and what is sound is left alone.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chance::Chance;
use crate::learning::{ACT, Shape, Step, World, domain, for_seeds, objects};
use surefoot_analysis::lint::{Finding, lint};
use surefoot_base::assumptions::Spec;
use surefoot_base::model::{Condition, Domain, Effect, Objects};
use surefoot_base::pddl::{Numbers, Source, Trajectory, write_trajectory};
use surefoot_learn::{Trace, learn};

fn found(domain: &Domain, objects: &Objects, texts: &[String]) -> Vec<Finding> {
    let traces: Vec<Trace> = texts
        .iter()
        .map(|text| Trace::new(Source::new("t.trajectory", text.clone()), objects))
        .collect();
    lint(&&traces[..], domain, Numbers::Exact).unwrap()
}

fn recorded(domain: &Domain, objects: &Objects, step: &Step) -> String {
    let states = vec![step.before.clone(), step.after.clone()];
    let (universe, actions) = (step.universe.clone(), vec![step.action.clone()]);
    write_trajectory(
        domain,
        objects,
        &Trajectory { universe, states, actions, ..Trajectory::default() },
    )
}

/// The domain with the last parameter of its action taken away.
fn poorer(domain: &Domain) -> Domain {
    let mut poorer = domain.clone();
    let action = poorer.actions.value_mut(ACT.index());
    action.parameters.pop();
    (action.precondition, action.effect) = (Condition::TRUE, Effect::NONE);
    poorer
}

#[test]
fn what_an_action_changes_outside_its_parameters_is_found_and_nothing_else() {
    let counts: [AtomicUsize; 2] = Default::default();
    for_seeds(150, |seed| {
        let mut random = Chance::new(seed);
        let world = World::random(&mut random, &Shape { functions: 2, ..Shape::default() });
        let steps = world.observe(&mut random, 6, |_| true);
        let texts: Vec<String> =
            steps.iter().map(|step| recorded(&world.domain, &world.objects, step)).collect();
        let changes = |findings: &[Finding]| -> usize {
            findings
                .iter()
                .map(|finding| if let Finding::Change(change) = finding { change.steps } else { 0 })
                .sum()
        };
        assert_eq!(changes(&found(&world.domain, &world.objects, &texts)), 0);
        if world.domain.action(ACT).parameters.is_empty() {
            return;
        }
        let poorer = poorer(&world.domain);
        let constants = world.domain.signature.constants.len();
        let mut texts = Vec::new();
        let mut outside = 0;
        for step in &steps {
            let mut step = step.clone();
            step.action.arguments.pop();
            let named = |object: &surefoot_base::model::ObjectId| {
                object.index() < constants || step.action.arguments.contains(object)
            };
            let atoms = step
                .before
                .differing_atoms(&step.after)
                .map(|id| &step.universe.ground_atom(id).arguments);
            let values = step
                .before
                .differing_values(&step.after)
                .map(|id| &step.universe.ground_function(id).arguments);
            outside +=
                usize::from(atoms.chain(values).any(|arguments| !arguments.iter().all(named)));
            texts.push(recorded(&poorer, &world.objects, &step));
        }
        let findings = found(&poorer, &world.objects, &texts);
        assert_eq!(changes(&findings) > 0, outside > 0, "{findings:#?}");
        for finding in &findings {
            if let Finding::Change(change) = finding {
                assert!(
                    change.steps <= outside
                        && change.of == steps.len()
                        && !change.parameters.is_empty(),
                    "{change:?}"
                );
            }
        }
        counts[usize::from(outside > 0)].fetch_add(1, Ordering::Relaxed);
    });
    let counts = counts.map(AtomicUsize::into_inner);
    assert!(
        counts.iter().all(|&count| count > 5),
        "{counts:?} without and with a change outside: the law says nothing"
    );
}

const HOUSE: &str =
    "(define (domain house) (:requirements :typing :numeric-fluents) (:types robot \
                     room door)
    (:predicates (at ?r - robot ?p - room) (leads ?d - door ?p - room) (closed ?d - door))
    (:functions (battery ?r - robot) (trips ?r - robot) (tare ?r - robot) (gross ?r - robot) \
                     (all-trips))
    (:action move :parameters (?r - robot ?from ?to - room))
    (:action open :parameters (?r - robot))
    (:action brew :parameters (?r - robot ?spare - room)))";

/// Robots walk about a house; each room has a door, which a robot in the room opens; brewing
/// happens in the kitchen alone.
fn house(random: &mut Chance) -> String {
    let rooms = ["hall", "kitchen", "attic"];
    let (mut at, mut closed, mut trips, tare) = ([0, 2], [true; 3], [0, 0], [5, 7]);
    let mut battery = [90, 80];
    let mut text = String::from("(");
    let mut next = String::from(":init");
    for _ in 0..60 {
        let mut state = String::new();
        for (robot, &room) in at.iter().enumerate() {
            let (charge, gone, own) = (battery[robot], trips[robot], tare[robot]);
            write!(
                state,
                " (at r{robot} {}) (= (battery r{robot}) {charge}) (= (trips r{robot}) {gone})",
                rooms[room]
            )
            .unwrap();
            write!(state, " (= (tare r{robot}) {own}) (= (gross r{robot}) {})", 2 * gone + own + 1)
                .unwrap();
        }
        for (door, room) in rooms.iter().enumerate() {
            write!(state, " (leads d{door} {room})").unwrap();
            if closed[door] {
                write!(state, " (closed d{door})").unwrap();
            }
        }
        writeln!(text, "({next}{state} (= (all-trips) {}))", trips[0] + trips[1]).unwrap();
        let robot = random.below(2);
        let room = at[robot];
        if closed[room] && random.percent(60) {
            closed[room] = false;
            writeln!(text, "(operator: (open r{robot}))").unwrap();
        } else if room == 1 && random.percent(60) {
            battery[robot] -= 1;
            let spare = random.of(&rooms);
            writeln!(text, "(operator: (brew r{robot} {spare}))").unwrap();
        } else {
            let to = (room + 1 + random.below(2)) % 3;
            (at[robot], trips[robot], closed[room]) = (to, trips[robot] + 1, closed[room]);
            writeln!(text, "(operator: (move r{robot} {} {}))", rooms[room], rooms[to]).unwrap();
            // Doors fall shut behind who leaves by themselves, which only the recorder of `open` is
            // asked about.
            if random.percent(30) && closed.iter().all(|closed| !closed) {
                break;
            }
        }
        next = ":state".into();
    }
    let end = text.rfind("(operator").unwrap();
    if !text[end..].contains(":state") {
        text.truncate(end);
    }
    text + ")"
}

fn house_objects(domain: &Domain) -> Objects {
    objects(domain, "r0 r1 - robot hall kitchen attic - room d0 d1 d2 - door")
}

#[test]
fn a_house_with_every_defect_is_told_of_all_of_them_in_words_that_mend_it() {
    let domain = domain(HOUSE);
    let objects = house_objects(&domain);
    let mut random = Chance::new(7);
    let texts: Vec<String> = (0..12).map(|_| house(&mut random)).collect();
    let findings = found(&domain, &objects, &texts);
    let words: String = findings.iter().map(ToString::to_string).collect();
    for expected in [
        "open changes (closed ?door), a door that it does not name",
        "give it a parameter ?door - door: in all these steps it is the only one with (at ?r \
         ?other) and (leads ?door ?other)",
        "(at ?r kitchen) was true before every",
        "make kitchen a constant of the domain",
        "(gross ?x) is always (+ (* 2 (trips ?x)) (tare ?x) 1)",
        "(all-trips) is always the sum of trips over all objects",
    ] {
        assert!(words.contains(expected), "{expected}\n---\n{words}");
    }
    // No other action is said to need the kitchen, or to change what it does not name.
    assert_eq!(words.matches("cannot mention it").count(), 1, "{words}");
    assert_eq!(words.matches("that it does not name").count(), 1, "{words}");
    // The same records, the same words.
    assert_eq!(found(&domain, &objects, &texts), findings);
}

#[test]
fn parameters_of_which_nothing_is_said_are_needless_and_so_are_twins() {
    let text = "(define (domain d) (:predicates (p ?x) (q ?x ?y)) (:functions (n ?x))
        (:action act :parameters (?a ?b ?c ?d)))";
    let domain = domain(text);
    let objects = objects(&domain, "o0 o1 o2 o3");
    let state = "(p o0) (q o0 o1) (= (n o0) 1)";
    let step = format!("({state})").replacen('(', "(:init ", 1);
    // What is said of o2 is said together with o3, which the action does not name.
    let trace = format!("({step}\n(operator: (act o0 o1 o2 o0))\n(:state {state} (q o2 o3)))");
    let findings = found(&domain, &objects, &[trace.clone(), trace.clone(), trace]);
    let needless: Vec<(String, Option<String>)> = findings
        .iter()
        .filter_map(
            |finding| if let Finding::Parameter(found) = finding { Some(found) } else { None },
        )
        .map(|found| (found.parameter.clone(), found.same_as.clone()))
        .collect();
    assert_eq!(
        needless,
        [("?c".to_owned(), None), ("?d".to_owned(), Some("?a".to_owned()))],
        "{findings:#?}"
    );
}

const TANK: &str = "(define (domain d) (:functions (level) (flow)) (:action pour :parameters ()))";

/// Numbers as they are written down: before and after each of some pours.
fn pours(written: impl Fn(f64) -> String, mut random: Chance) -> String {
    let mut level = 500.0;
    let mut text = String::from("(");
    for step in 0..80 {
        let flow = 1.0 + random.below(40) as f64;
        let name = if step == 0 { ":init" } else { "(operator: (pour))\n(:state" };
        let open = if step == 0 { "(" } else { "" };
        writeln!(text, "{open}{name} (= (level) {}) (= (flow) {flow}))", written(level)).unwrap();
        level -= 0.1;
        if step % 7 == 0 {
            level -= 0.3;
        }
    }
    text + ")"
}

#[test]
fn noise_of_floating_point_is_told_with_the_decimals_that_remove_it() {
    let domain = domain(TANK);
    let objects = objects(&domain, "");
    let noisy = pours(|level| format!("{level:?}"), Chance::new(1));
    assert!(noisy.contains("99999999"), "{noisy}");
    let findings = found(&domain, &objects, &[noisy]);
    let [Finding::FloatNoise(noise)] = &findings[..] else { panic!("{findings:#?}") };
    assert_eq!((&*noise.function, noise.decimals), ("level", 1));
    assert!(findings[0].to_string().contains("read them with decimals 1"), "{}", findings[0]);
    let clean = pours(|level| format!("{level:.1}"), Chance::new(1));
    assert!(
        !found(&domain, &objects, &[clean])
            .iter()
            .any(|finding| matches!(finding, Finding::FloatNoise(_)))
    );
}

/// Where every step multiplies, no number of decimals is right: the error that is named explains
/// every step.
#[test]
fn floats_of_a_simulator_are_told_with_an_error() {
    let domain = domain("(define (domain d) (:functions (heat)) (:action act :parameters ()))");
    let objects = objects(&domain, "");
    let mut heat = 20.0;
    let mut text = format!("((:init (= (heat) {heat:?}))");
    for _ in 0..60 {
        heat = 0.97 * heat + 2.4;
        text += &format!("\n(operator: (act))\n(:state (= (heat) {heat:?}))");
    }
    let findings = found(&domain, &objects, &[text + ")"]);
    let [Finding::Floats(floats)] = &findings[..] else { panic!("{findings:#?}") };
    assert_eq!(
        (&*floats.function, &*floats.action, floats.steps, &*floats.error),
        ("(heat)", "act", 60, "1e-9")
    );
    let told = findings[0].to_string();
    assert!(told.contains("error {\"(heat)\": 1e-9}") && !told.contains("with decimals"), "{told}");
}

/// Each robot's sensor is noisy, whoever moves: that is no change by the action, and the error that
/// is named explains it.
#[test]
fn a_noisy_sensor_of_another_robot_is_no_missing_parameter() {
    let domain =
        domain("(define (domain d) (:functions (charge ?r) (way)) (:action go :parameters (?r)))");
    let objects = objects(&domain, "a b");
    for (unit, places, noisy) in [(0.1, 1, false), (0.001, 3, true)] {
        let mut random = Chance::new(5);
        let mut read = |charge: f64| {
            format!(
                "{:.places$}",
                charge
                    + random.between(-10, 10) as f64 / 10.0
                        * if noisy { 30.0 * unit } else { unit }
            )
        };
        let mut texts = Vec::new();
        for step in 0..60 {
            let (charge, way) = (20.0 + f64::from(step * 7 % 60), 1 + step % 5);
            let mut state = |one: f64| {
                format!(
                    "(= (charge a) {}) (= (charge b) {}) (= (way) {way})",
                    read(one),
                    read(50.0)
                )
            };
            let (before, after) = (state(charge), state(charge - f64::from(way)));
            texts.push(format!("((:init {before})\n(operator: (go a))\n(:state {after}))"));
        }
        let findings = found(&domain, &objects, &texts);
        let [Finding::Rounded(reading)] = &findings[..] else { panic!("{findings:#?}") };
        assert_eq!((&*reading.function, reading.noisy, reading.all), ("(charge ?r)", noisy, true));
        assert!(
            findings[0].to_string().contains(if noisy {
                "looks noisy: its changes"
            } else {
                "looks rounded: all"
            }),
            "{}",
            findings[0]
        );
        // What is advised is taken by the learner.
        let mut spec = Spec::default();
        spec.set("error", serde_json::json!({ &*reading.function: reading.error })).unwrap();
        let traces: Vec<Trace> =
            texts.iter().map(|text| Trace::inferred(Source::new("t", text.clone()))).collect();
        learn(&domain, &spec, &traces).unwrap_or_else(|error| panic!("{}: {error}", findings[0]));
    }
}

#[test]
fn readings_that_were_rounded_are_told_from_exact_ones() {
    let domain = domain(TANK);
    let objects = objects(&domain, "");
    // Levels are multiples of a part of one, and a pour takes so much for each unit of flow; one
    // decimal is written.
    let trace = |parts: f64, rate: f64| {
        let mut random = Chance::new(3);
        let mut texts = Vec::new();
        for _ in 0..60 {
            let (level, flow) =
                (100.0 + random.below(900) as f64 / parts, 1.0 + random.below(40) as f64);
            let after = level - rate * flow;
            texts.push(format!(
                "((:init (= (level) {level:.1}) (= (flow) {flow}))\n(operator: (pour))\n(:state (= \
                 (level) {after:.1}) (= (flow) {flow})))"
            ));
        }
        texts
    };
    let rounded = found(&domain, &objects, &trace(7.0, 0.37));
    let [Finding::Rounded(reading)] = &rounded[..] else { panic!("{rounded:#?}") };
    assert_eq!((&*reading.function, &*reading.unit, &*reading.action), ("(level)", "0.1", "pour"));
    assert!(reading.within > 0.03 && reading.within < 0.15, "{reading:?}");
    let error: f64 = reading.error.parse().unwrap();
    assert!((0.05..0.1).contains(&error), "{reading:?}");
    assert!(
        rounded[0].to_string().contains(&format!("error {{\"(level)\": {error}}}")),
        "{}",
        rounded[0]
    );
    // One decimal is all there is: nothing to say.
    assert_eq!(found(&domain, &objects, &trace(10.0, 0.3)), []);
}

/// Every move-east from a cell led to one other cell. Without a fact that says which, the model
/// allows any; with one, nothing is odd.
#[test]
fn a_target_that_the_position_determines_is_told_where_nothing_says_so() {
    let domain = domain(
        "(define (domain d) (:predicates (at ?r ?c) (east ?c ?d)) (:action move-east :parameters \
         (?r ?from ?to)))",
    );
    let objects = objects(&domain, "r c0 c1 c2 c3 c4");
    let texts = |known: bool| -> Vec<String> {
        let map = if known { "(east c0 c1) (east c1 c2) (east c2 c3) (east c3 c4)" } else { "" };
        let text = |_| {
            (0..4).fold(format!("((:init (at r c0) {map})"), |text, cell| {
                let next = cell + 1;
                format!(
                    "{text}\n(operator: (move-east r c{cell} c{next}))\n(:state (at r c{next}) \
                         {map})"
                )
            }) + ")"
        };
        (0..3).map(text).collect()
    };
    let told = |known: bool| -> Vec<(String, String)> {
        let target = |finding| match finding {
            Finding::Target(target) => Some((target.parameter, target.determined_by)),
            _ => None,
        };
        found(&domain, &objects, &texts(known)).into_iter().filter_map(target).collect()
    };
    assert_eq!(told(false), [("?to".to_owned(), "?from".to_owned())]);
    assert_eq!(told(true), []);
}
