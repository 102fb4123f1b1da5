//! States of learners as bytes: any change of them is noticed, and a learner that goes on from them
//! comes to the same.

use surefoot_base::assumptions::SetAside;
use surefoot_base::pddl::{Numbers, write_domain};
use surefoot_learn::{
    Algorithm, Class, Conclusion, Degree, Learner, Observation, Settings, SnapshotError, in_words,
    load, save,
};

use crate::chance::Chance;
use crate::learning::{ACT, Shape, World, for_seeds, learned_domain, look};

fn observed(learner: &mut Learner, observations: &[Observation]) {
    observations.iter().for_each(|observation| learner.observe(ACT, observation));
}

/// A world, a learner of it that has seen nothing, and what there is to see.
fn world(random: &mut Chance) -> (World, Learner, Vec<Observation>) {
    let products = random.percent(30);
    let class = Class::default().with(|class| {
        class.degree = Degree {
            degree: if products { 2 } else { 1 },
            squares: products && random.percent(30),
        };
        class.numbers = if random.percent(30) { Numbers::Decimals(3) } else { Numbers::Exact };
    });
    let shape = Shape {
        constant: random.percent(30),
        undefined: *random.of(&[0, 10]),
        class: class.clone(),
        ..Shape::default()
    };
    let world = World::random(random, &shape);
    let empty = Learner::new(&world.domain, class).unwrap();
    let count = 2 + random.below(10);
    let steps = world.observe(random, count, |_| true);
    let observations = steps.iter().map(|step| look(&empty, &world.objects, step)).collect();
    (world, empty, observations)
}

/// All that a learner says.
fn said(learner: &Learner) -> Vec<String> {
    let nsam = Settings::default().with(|settings| settings.algorithm = Algorithm::Nsam);
    let literal = Settings::default().with(|settings| settings.algorithm = Algorithm::NsamLiteral);
    let arity = Settings::default().with(|settings| {
        settings.arity = Some(1);
        settings.effect_arity = Some(2);
    });
    let mut said = vec![write_domain(learner.domain())];
    for settings in [Settings::default(), nsam, literal, arity] {
        said.extend(in_words(learner, &settings));
        said.push(match learner.conclude(ACT, &settings) {
            Conclusion::Learned(action) => {
                write_domain(&learned_domain(learner, &[(ACT, &action)]))
            }
            other => format!("{other:?}"),
        });
    }
    said
}

fn aside(step: usize, what: &str) -> SetAside {
    SetAside { trace: "0123".into(), step, what: what.into() }
}

#[test]
fn a_state_of_which_one_bit_was_changed_is_refused() {
    for_seeds(6, |seed| {
        let mut random = Chance::new(seed);
        let (_, mut learner, observations) = world(&mut random);
        observed(&mut learner, &observations);
        let bytes = save(&learner).unwrap();
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << random.below(8);
            let refused = load(&changed).err().unwrap_or_else(|| {
                panic!("byte {place} of {} was changed, and is taken", bytes.len())
            });
            // Before that are the mark and the version, which have messages of their own: then the
            // digest, then the content.
            if place >= 20 {
                assert_eq!(refused, SnapshotError::Damaged, "byte {place}");
            }
        }
    });
}

#[test]
fn a_state_that_was_cut_off_or_has_more_at_its_end_is_refused() {
    let mut random = Chance::new(3);
    let (_, mut learner, observations) = world(&mut random);
    observed(&mut learner, &observations);
    let bytes = save(&learner).unwrap();
    for length in 0..bytes.len() {
        assert!(load(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert_eq!(load(&longer).err(), Some(SnapshotError::Damaged));
}

#[test]
fn what_is_loaded_is_what_was_saved() {
    for_seeds(60, |seed| {
        let mut random = Chance::new(seed);
        let (_, mut learner, observations) = world(&mut random);
        observed(&mut learner, &observations);
        for index in 0..random.below(3) {
            learner.set_step_aside(
                ACT,
                aside(index, &format!("t{index}.trajectory, line {}: act", 3 + index)),
            );
        }
        let bytes = save(&learner).unwrap();
        let loaded = load(&bytes).unwrap();
        assert!(loaded.is_compatible(&learner));
        assert_eq!(loaded.class(), learner.class());
        assert_eq!(loaded.set_aside(), learner.set_aside());
        assert_eq!(save(&loaded).unwrap(), bytes);
        learner.settle();
        assert_eq!(loaded.evidence(ACT), learner.evidence(ACT));
        // The bodies of the given domain are no part of the evidence.
        assert_eq!(said(&loaded)[1..], said(&learner)[1..]);
    });
}

/// Saved and loaded after any step, a learner goes on to the same bytes and says the same.
#[test]
fn a_resumed_learner_goes_on_to_the_same_bytes() {
    for_seeds(40, |seed| {
        let mut random = Chance::new(seed);
        let (_, empty, observations) = world(&mut random);
        let mut undisturbed = empty.clone();
        observed(&mut undisturbed, &observations);
        undisturbed.set_step_aside(ACT, aside(7, "t.trajectory, line 7: act"));
        let at = random.below(observations.len() + 1);
        let mut first = empty.clone();
        observed(&mut first, &observations[..at]);
        first.set_step_aside(ACT, aside(7, "t.trajectory, line 7: act"));
        let mut resumed = load(&save(&first).unwrap()).unwrap();
        observed(&mut resumed, &observations[at..]);
        assert_eq!(
            save(&resumed).unwrap(),
            save(&undisturbed).unwrap(),
            "resumed after {at} of {}",
            observations.len()
        );
        assert_eq!(said(&resumed)[1..], said(&undisturbed)[1..]);
        // Another state joins, with a step of its own set aside.
        let mut other = empty.empty();
        observed(&mut other, &observations[at..]);
        other.set_step_aside(ACT, aside(9, "u.trajectory, line 9: act"));
        let mut joined = load(&save(&first).unwrap()).unwrap();
        joined.merge(&load(&save(&other).unwrap()).unwrap());
        undisturbed.set_step_aside(ACT, aside(9, "u.trajectory, line 9: act"));
        assert_eq!(save(&joined).unwrap(), save(&undisturbed).unwrap());
        assert_eq!(joined.set_aside().len(), 2);
    });
}
