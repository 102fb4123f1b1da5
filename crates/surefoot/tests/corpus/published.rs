//! The published data, where it is at hand: every file reads, every plan validates, every
//! trajectory equals the trace of its plan, except where a committed table says otherwise. Run by
//! `SUREFOOT_CORPUS=<folder> cargo test --release -p surefoot --test corpus -- --ignored
//! published`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, Problem, State};
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, Writer, read_domain, read_plan, read_problem, write_domain,
    write_problem, write_trajectory,
};
use surefoot_base::validate::{PlanVerdict, trace, validate};

/// `domain <tab> problem <tab> outcome <tab> why`, one exception a line.
const EXPECTATIONS: &str = include_str!("published.tsv");

fn expectations() -> BTreeMap<String, &'static str> {
    let rows = EXPECTATIONS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    rows.map(|row| {
        let [domain, problem, outcome, _why] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {row}")
        };
        (format!("{domain}/{problem}"), outcome)
    })
    .collect()
}

fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The states with names instead of numbers, so that two universes can be compared.
fn facts(domain: &Domain, problem: &Problem, trajectory: &Trajectory) -> Vec<BTreeSet<String>> {
    let writer = Writer::new(domain, &problem.objects);
    let state = |state: &State| {
        let atoms = state.atoms().map(|id| writer.ground_atom(trajectory.universe.ground_atom(id)));
        let values = state.values().map(|(id, value)| {
            format!("{} = {value}", writer.ground_function(trajectory.universe.ground_function(id)))
        });
        atoms.chain(values).collect()
    };
    trajectory.states.iter().map(state).collect()
}

/// What happens to one problem: "valid", or what is different about it.
fn outcome(domain: &Domain, path: &Path) -> String {
    let text = source(path);
    let problem =
        read_problem(&text, domain, Numbers::Exact).unwrap_or_else(|error| panic!("{error}"));
    let again = read_problem(
        &Source::new("again", write_problem(domain, &problem)),
        domain,
        Numbers::Exact,
    );
    assert_eq!(again.as_ref(), Ok(&problem), "{}: written and read back", path.display());
    let plan = read_plan(&source(&path.with_extension("solution")), domain, &problem.objects);
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    let snapped = Numbers::Decimals(6);
    let published = Trajectory::read(
        &source(&path.with_extension("trajectory")),
        domain,
        &problem.objects,
        snapped,
    );
    let published = published.unwrap_or_else(|error| panic!("{error}"));
    assert!(
        published.actions.iter().eq(plan.steps.iter().map(|step| &step.action)),
        "{}: another plan",
        path.display()
    );
    let verdict = validate(domain, &problem, &plan, &Rational::ZERO);
    if let PlanVerdict::StepFails(failed) = verdict {
        return format!("step {} fails", failed.index + 1);
    }
    let ours = trace(domain, &problem, &plan).unwrap();
    let written = Source::new("ours", write_trajectory(domain, &problem.objects, &ours));
    let exactly = Trajectory::read(&written, domain, &problem.objects, Numbers::Exact).unwrap();
    assert_eq!(
        facts(domain, &problem, &exactly),
        facts(domain, &problem, &ours),
        "reads back to the same states"
    );
    let ours = Trajectory::read(&written, domain, &problem.objects, snapped).unwrap();
    let (ours, published) = (facts(domain, &problem, &ours), facts(domain, &problem, &published));
    if let Some(index) = ours.iter().zip(&published).position(|(ours, published)| ours != published)
    {
        return format!("state {index} differs");
    }
    if matches!(verdict, PlanVerdict::GoalUnmet(_)) { "goal unmet".into() } else { "valid".into() }
}

#[test]
#[ignore = "needs the published data; see the head of the file"]
fn published_plans_validate_and_published_trajectories_are_their_traces() {
    let corpus = PathBuf::from(
        std::env::var_os("SUREFOOT_CORPUS").expect("SUREFOOT_CORPUS names the folder of the data"),
    );
    let (mut differences, mut problems, mut exceptions) = (Vec::new(), 0, 0);
    let expected = expectations();
    for folder in sorted(&corpus) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let domain = read_domain(&source(&folder.join("domain.pddl")))
            .unwrap_or_else(|error| panic!("{error}"));
        let again = read_domain(&Source::new("again", write_domain(&domain)));
        assert_eq!(again.as_ref(), Ok(&domain), "{name}: written and read back");
        let is_problem = |path: &&PathBuf| {
            path.extension().is_some_and(|end| end == "pddl") && !path.ends_with("domain.pddl")
        };
        for path in sorted(&folder).iter().filter(is_problem) {
            let problem = format!("{name}/{}", path.file_stem().unwrap().display());
            let (found, wanted) = (outcome(&domain, path), expected.get(&problem).copied());
            problems += 1;
            if found != wanted.unwrap_or("valid") {
                differences.push(format!("{problem}: expected {wanted:?}, found {found:?}"));
            }
            exceptions += usize::from(wanted.is_some());
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(problems > 0, "no problems in {}", corpus.display());
    println!("{problems} problems, {exceptions} exceptions as expected");
}
