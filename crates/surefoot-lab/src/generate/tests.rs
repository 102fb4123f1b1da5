//! Laws of the generators.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;
use std::path::Path;

use surefoot_base::model::Domain;
use surefoot_base::pddl::{Numbers, Source, read_plan, read_problem, write_plan, write_problem};

use super::{Dice, GENERATORS, Generator, ProblemBuilder, Size, Sizes, find};

fn text(generator: &Generator, domain: &Domain, seed: u64, index: u64, sizes: &Sizes) -> String {
    let made =
        generator.problem(domain, seed, index, sizes).unwrap_or_else(|error| panic!("{error:#}"));
    write_problem(domain, &made.problem) + &write_plan(domain, &made.problem.objects, &made.plan)
}

/// A number that differs where texts do, almost surely (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[test]
fn every_witness_is_valid_and_all_reads_back_from_the_smallest_to_ten_times_the_usual() {
    for generator in GENERATORS {
        let domain = generator.domain().unwrap();
        let mut smallest = Sizes::usual(generator.sizes);
        for size in generator.sizes {
            smallest.set(&format!("{}={}", size.name, size.limits.0)).unwrap();
        }
        let mut large = Sizes::usual(generator.sizes);
        large.scale(10).unwrap();
        let sets = [(smallest, 10), (Sizes::usual(generator.sizes), 12), (large, 8)];
        for (sizes, count) in sets {
            for index in 0..count {
                // `problem` refuses a witness that fails and a goal that holds at the start.
                let made = generator
                    .problem(&domain, 1, index, &sizes)
                    .unwrap_or_else(|error| panic!("{error:#}"));
                let written = Source::new("problem", write_problem(&domain, &made.problem));
                assert_eq!(
                    read_problem(&written, &domain, Numbers::Exact).as_ref(),
                    Ok(&made.problem),
                    "{}",
                    made.name
                );
                let objects = &made.problem.objects;
                let plan = read_plan(
                    &Source::new("plan", write_plan(&domain, objects, &made.plan)),
                    &domain,
                    objects,
                )
                .unwrap();
                assert!(!plan.steps.is_empty(), "{}: something is to be done", made.name);
                assert!(
                    plan.steps.iter().map(|step| &step.action).eq(made
                        .plan
                        .steps
                        .iter()
                        .map(|step| &step.action))
                );
            }
        }
    }
}

#[test]
fn another_seed_or_index_is_another_problem_and_the_same_is_the_same() {
    for generator in GENERATORS {
        let domain = generator.domain().unwrap();
        let sizes = Sizes::usual(generator.sizes);
        let made = |seed, index| text(generator, &domain, seed, index, &sizes);
        let body = |text: String| text.split_once('\n').map(|(_, body)| body.to_owned());
        assert_eq!(made(7, 3), made(7, 3), "{}", generator.name);
        assert_ne!(body(made(7, 3)), body(made(7, 4)), "{}", generator.name);
        assert_ne!(body(made(7, 3)), body(made(8, 3)), "{}", generator.name);
    }
}

/// What was published by its seed must stay what it is. Whoever changes a generator on purpose puts
/// the new numbers here.
#[test]
fn the_problems_of_a_seed_are_the_same_on_every_machine_and_in_every_version() {
    let found: Vec<(&str, u64)> = GENERATORS
        .iter()
        .map(|generator| {
            let (domain, sizes) = (generator.domain().unwrap(), Sizes::usual(generator.sizes));
            let all: String =
                (0..5).map(|index| text(generator, &domain, 0, index, &sizes)).collect();
            (generator.name, fingerprint(&all))
        })
        .collect();
    assert_eq!(found, FINGERPRINTS);
}

const FINGERPRINTS: &[(&str, u64)] = &[
    ("counters", 0x2c56_d127_805f_2914),
    ("depots", 0x957a_7f9c_7eba_4d91),
    ("driverlog", 0x6821_48bb_b463_03d4),
    ("driverlog_poly", 0x977a_6fe1_1a3f_b55f),
    ("farmland", 0xb488_dbce_8fa2_f7f4),
    ("minecraft", 0x92f9_78b8_cf2c_9bad),
    ("rovers", 0xf3d3_3234_3890_1dee),
    ("sailing", 0xd934_cc15_41e6_e8b9),
    ("satellite", 0xe1a3_6fcf_ab39_75f8),
    ("zenotravel", 0x1734_8a78_e95d_5e04),
];

#[test]
fn every_size_a_user_can_set_changes_the_problem() {
    for generator in GENERATORS {
        let domain = generator.domain().unwrap();
        for size in generator.sizes {
            let with = |number: usize| {
                let mut sizes = Sizes::usual(generator.sizes);
                sizes.set(&format!("{}={number}", size.name)).unwrap();
                (0..10).map(|index| text(generator, &domain, 0, index, &sizes)).collect::<String>()
            };
            let (less, more) =
                (size.limits.0, (2 * size.usual.1).clamp(size.limits.0 + 1, size.limits.1));
            assert_ne!(with(less), with(more), "{} of {}", size.name, generator.name);
        }
    }
}

#[test]
fn names_are_unique_and_in_order_and_found() {
    assert!(GENERATORS.is_sorted_by(|left, right| left.name < right.name));
    for generator in GENERATORS {
        assert_eq!(find(generator.name).unwrap().name, generator.name);
    }
    assert!(find("nowhere").is_none());
}

#[test]
fn sizes_out_of_bounds_unknown_or_malformed_are_refused_and_change_nothing() {
    let mut sizes = Sizes::usual(find("farmland").unwrap().sizes);
    let before = sizes.written();
    for word in [
        "farms",
        "farms=",
        "farms=x",
        "farms=1",
        "farms=9..5",
        "farms=2..9..9",
        "farms=-3",
        "barns=3",
        "farms=2..999999999",
    ] {
        assert!(sizes.set(word).is_err(), "{word}");
        assert_eq!(sizes.written(), before);
    }
    assert!(sizes.scale(usize::MAX).is_err());
    sizes.set("farms=3..5").unwrap();
    assert_eq!(sizes.written(), " --size farms=3..5 --size workers=8..20");
}

#[test]
fn draws_stay_below_their_bound_and_reach_every_number() {
    let mut dice = Dice::new("law", 0, 0);
    for bound in [1, 2, 3, 7, 100] {
        let mut seen = vec![false; bound];
        (0..100 * bound).for_each(|_| seen[dice.below(bound)] = true);
        assert!(seen.iter().all(|&seen| seen), "{bound}");
    }
    assert_eq!(dice.below(0), 0);
    assert!((0..100).all(|_| (5..=9).contains(&dice.between(5, 9))));
}

#[test]
fn interleaving_keeps_every_step_and_the_order_of_each_sequence() {
    let sequences: Vec<Vec<String>> =
        vec![super::numbered("a", 20), Vec::new(), super::numbered("b", 30)];
    let mixed = Dice::new("law", 0, 1).interleave(sequences.clone());
    for (sequence, letter) in sequences.iter().zip(["a", "-", "b"]) {
        let kept: Vec<&String> = mixed.iter().filter(|step| step.starts_with(letter)).collect();
        assert_eq!(kept, sequence.iter().collect::<Vec<_>>());
    }
    assert_ne!(mixed, sequences.concat());
}

#[test]
fn every_domain_has_the_map_that_the_demo_asks_for() {
    for generator in GENERATORS {
        assert!(generator.maps.iter().any(|(kind, _)| *kind == "monotone"), "{}", generator.name);
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

/// The folders and the table are the same domains, and what a folder holds is what the table has of
/// it.
#[test]
fn every_folder_of_domains_is_in_the_table_with_all_its_maps() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("domains");
    assert_eq!(
        names_in(&root),
        GENERATORS.iter().map(|generator| generator.name).collect::<Vec<_>>()
    );
    for generator in GENERATORS {
        let folder = root.join(generator.name);
        assert_eq!(
            fs::read_to_string(folder.join("domain.pddl")).unwrap(),
            generator.text,
            "{}",
            generator.name
        );
        let maps: Vec<String> =
            generator.maps.iter().map(|(kind, _)| format!("{kind}.json")).collect();
        let files: Vec<String> =
            names_in(&folder).into_iter().filter(|name| name.ends_with(".json")).collect();
        assert_eq!(maps, files, "{}", generator.name);
        for (kind, text) in generator.maps {
            assert_eq!(
                fs::read_to_string(folder.join(format!("{kind}.json"))).unwrap(),
                *text,
                "{}: {kind}",
                generator.name
            );
        }
    }
}

/// A domain that is none of ours: a value is all it takes.
static TOGGLE: Generator = Generator {
    name: "toggle",
    title: "Toggle",
    summary: "switch some lamps on",
    text: "(define (domain toggle) (:predicates (on ?l)) (:action press :parameters (?l) :effect \
           (on ?l)))",
    maps: &[],
    sizes: &[Size::count("lamps", (1, 5), (1, 100), "lamps that are off")],
    build: |sizes, dice| {
        let names = super::numbered("lamp", sizes.draw("lamps", dice));
        let mut scene = ProblemBuilder::default();
        scene.objects("object", &names);
        names.iter().for_each(|name| scene.goal(format!("on {name}")));
        scene.steps(names.iter().map(|name| format!("press {name}")));
        scene
    },
};

#[test]
fn a_domain_is_a_value_of_the_table() {
    let domain = TOGGLE.domain().unwrap();
    let mut sizes = Sizes::usual(TOGGLE.sizes);
    sizes.set("lamps=3").unwrap();
    let made = TOGGLE.problem(&domain, 0, 7, &sizes).unwrap();
    assert_eq!(made.name, "toggle-0-0007");
    assert_eq!(made.plan.steps.len(), 3);
}
