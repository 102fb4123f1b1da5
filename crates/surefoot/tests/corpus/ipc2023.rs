//! The numeric set of the International Planning Competition 2023, where it is at hand: every
//! domain and every problem reads as it was published, and what is written of them reads back
//! strictly, to the same values. Run by
//! `SUREFOOT_IPC2023=<folder> cargo test --release -p surefoot --test corpus -- --ignored ipc2023`.
//! The folder has a folder for each domain, with `domain.pddl` and problems beside it or in
//! `instances/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use surefoot_base::pddl::{
    Numbers, Source, read_domain, read_problem, read_published_problem, write_domain, write_problem,
};

/// The domains of the set.
const DOMAINS: [&str; 20] = [
    "block-grouping",
    "counters",
    "delivery",
    "drone",
    "expedition",
    "ext-plant-watering",
    "farmland",
    "fo-counters",
    "fo-farmland",
    "fo-sailing",
    "hydropower",
    "markettrader",
    "mprime",
    "pathwaysmetric",
    "rover",
    "sailing",
    "settlersnumeric",
    "sugar",
    "tpp",
    "zenotravel",
];

/// What is passed over, by domain; nothing is in the others.
const WARNINGS: [(&str, &[&str]); 2] = [
    (
        "fo-counters",
        &["`(total-cost)` has no initial value; it is only increased, and nothing reads it: it \
             starts at 0"],
    ),
    (
        "markettrader",
        &[
            "the domain declares no function `fuel-used`: its value is passed over",
            "the domain declares no function `fuel`: its value is passed over",
        ],
    ),
];

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap()
}

fn problems(folder: &Path) -> Vec<PathBuf> {
    let instances = folder.join("instances");
    let files = fs::read_dir(if instances.is_dir() { &instances } else { folder }).unwrap();
    let mut found: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| {
        path.extension().is_some_and(|end| end == "pddl")
            && path.file_name().unwrap() != "domain.pddl"
    });
    found.sort();
    found
}

#[test]
#[ignore = "needs the set: SUREFOOT_IPC2023=<folder>"]
fn ipc2023_reads_as_it_was_published() {
    let root = PathBuf::from(
        std::env::var("SUREFOOT_IPC2023").expect("SUREFOOT_IPC2023 names the folder"),
    );
    let expected: BTreeMap<&str, &[&str]> = WARNINGS.into_iter().collect();
    let mut read = 0;
    for name in DOMAINS {
        let folder = root.join(name);
        let domain = read_domain(&source(&folder.join("domain.pddl")))
            .unwrap_or_else(|error| panic!("{error}"));
        let again = read_domain(&Source::new("again", write_domain(&domain)));
        assert_eq!(again.as_ref(), Ok(&domain), "{name}: written and read back");
        let files = problems(&folder);
        assert!(files.len() >= 10, "{name}: {} problems", files.len());
        let mut warned = BTreeSet::new();
        for file in files {
            let (problem, warnings) =
                read_published_problem(&source(&file), &domain, Numbers::Exact)
                    .unwrap_or_else(|error| panic!("{error}"));
            warned.extend(warnings.into_iter().map(|warning| warning.0.message));
            let again = read_problem(
                &Source::new("again", write_problem(&domain, &problem)),
                &domain,
                Numbers::Exact,
            );
            assert_eq!(again.as_ref(), Ok(&problem), "{}: written and read back", file.display());
            read += 1;
        }
        let expected = expected.get(name).copied().unwrap_or_default();
        assert_eq!(
            warned,
            expected.iter().map(|message| (*message).to_owned()).collect(),
            "{name}"
        );
    }
    println!("{} domains and {read} problems read", DOMAINS.len());
}
