//! Learning from the published data, where it is at hand: no observed state is rejected and no
//! observed step is predicted wrongly by the model as it is written to PDDL and read back; the
//! audit blames the failed steps of satellite and nothing else. Run by
//! `SUREFOOT_CORPUS=<folder> cargo test --release -p surefoot --test corpus -- --ignored
//! --nocapture learning`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{ActionId, Domain, GroundAction, Objects};
use surefoot_base::pddl::{
    Numbers, Source, Trajectory, TrajectoryReader, read_domain, read_expression, read_problem,
    write_domain,
};
use surefoot_learn::{
    Algorithm, Class, Conclusion, Degree, Inconsistency, LearnedAction, Learner, Monomial,
    Observation, Settings, Vocabulary, outliers,
};

/// Satellite has float noise; all other domains have fewer decimals.
const NUMBERS: Numbers = Numbers::Decimals(6);

/// Domain, action, the only monomials it reads and changes: where degree 1 without a map does not
/// explain the effects.
const RELEVANT: &[(&str, &str, &[&str])] = &[
    ("zenotravel", "board", &["(onboard ?a)"]),
    ("zenotravel", "debark", &["(onboard ?a)"]),
    (
        "zenotravel",
        "fly",
        &["(fuel ?a)", "(total-fuel-used)", "(* (distance ?c1 ?c2) (slow-burn ?a))"],
    ),
    (
        "zenotravel",
        "zoom",
        &[
            "(fuel ?a)",
            "(total-fuel-used)",
            "(onboard ?a)",
            "(zoom-limit ?a)",
            "(* (distance ?c1 ?c2) (fast-burn ?a))",
        ],
    ),
    ("zenotravel", "refuel", &["(capacity ?a)", "(fuel ?a)"]),
    ("driverlog_poly", "load-truck", &["(load ?truck)", "(fuel-per-minute ?truck)"]),
    ("driverlog_poly", "unload-truck", &["(load ?truck)", "(fuel-per-minute ?truck)"]),
    ("driverlog_poly", "board-truck", &[]),
    ("driverlog_poly", "disembark-truck", &[]),
    (
        "driverlog_poly",
        "drive-truck",
        &["(fuel-used)", "(* (fuel-per-minute ?truck) (time-to-drive ?loc-from ?loc-to))"],
    ),
    ("driverlog_poly", "walk", &[]),
];

/// How many steps the audit blames.
const BLAMED: &[(&str, usize)] = &[("satellite", 4)];

struct Trace {
    objects: Objects,
    source: Source,
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

fn class(name: &str, domain: &Domain) -> Class {
    let mut relevant: BTreeMap<ActionId, Vec<Monomial>> = BTreeMap::new();
    for (_, action, texts) in RELEVANT.iter().filter(|(domain, _, _)| *domain == name) {
        let action: ActionId = domain.actions.find(action).unwrap().into();
        let vocabulary = Vocabulary::of(domain, action, Degree::LINEAR).unwrap();
        let monomial = |text: &&str| {
            let expression = read_expression(&Source::new("map", *text), domain, action).unwrap();
            vocabulary.monomial(&expression).unwrap()
        };
        relevant.insert(action, texts.iter().map(monomial).collect());
    }
    Class::default().with(|class| {
        class.relevant = relevant;
        class.numbers = NUMBERS;
    })
}

/// All steps, by action, with their places; and whether each changes nothing.
type Steps = BTreeMap<ActionId, Vec<((usize, usize), Observation, bool)>>;

fn steps(learner: &Learner, traces: &[Trace]) -> Steps {
    let mut steps = Steps::new();
    for (file, trace) in traces.iter().enumerate() {
        let mut reader =
            TrajectoryReader::new(&trace.source, learner.domain(), &trace.objects, NUMBERS)
                .unwrap();
        let mut observer = learner.lens().observer();
        let mut index = 0;
        while let Some(step) = reader.next_transition().unwrap() {
            let observation = observer
                .observe_step(step.step())
                .unwrap_or_else(|anomaly| panic!("{}: {anomaly:?}", step.error("")));
            let row = ((file, index), observation, step.before == step.after);
            steps.entry(step.action.symbol).or_default().push(row);
            index += 1;
        }
    }
    steps
}

/// The steps to blame: rows of actions that no model explains.
fn audit(learner: &Learner, steps: &Steps) -> BTreeSet<(usize, usize)> {
    let mut blamed = BTreeSet::new();
    for (&action, rows) in steps {
        let conclusion = learner.conclude(
            action,
            &Settings::default().with(|settings| settings.algorithm = Algorithm::Sam),
        );
        let numeric = learner
            .conclude(action, &Settings::default().with(|settings| settings.facet_budget = 2));
        let inconsistent = |conclusion: &Conclusion| match conclusion {
            Conclusion::Inconsistent(why) => !matches!(why, Inconsistency::EffectArity { .. }),
            _ => false,
        };
        if inconsistent(&conclusion) || inconsistent(&numeric) {
            let observations: Vec<Observation> =
                rows.iter().map(|(_, observation, _)| observation.clone()).collect();
            for index in outliers(learner.vocabulary(action), &observations).rows {
                assert!(rows[index].2, "{action:?}: a blamed step that changes something");
                blamed.insert(rows[index].0);
            }
        }
    }
    blamed
}

fn learned(start: &Learner, steps: &Steps, without: &BTreeSet<(usize, usize)>) -> Learner {
    let mut learner = start.empty();
    for (&action, rows) in steps {
        let kept = rows.iter().filter(|(place, _, _)| !without.contains(place));
        kept.for_each(|(_, observation, _)| learner.observe(action, observation));
    }
    learner
}

fn conclude(learner: &Learner, algorithm: Algorithm) -> Vec<(ActionId, LearnedAction)> {
    let settings = Settings::default().with(|settings| settings.algorithm = algorithm);
    let mut actions = Vec::new();
    for action in learner.domain().action_ids() {
        match learner.conclude(action, &settings) {
            Conclusion::Learned(learned) => actions.push((action, *learned)),
            Conclusion::LeftOut(_) => {}
            Conclusion::Inconsistent(why) => {
                panic!("{}: {why:?}", learner.domain().action_name(action))
            }
        }
    }
    actions
}

/// Steps that the model, read back from PDDL, has an action for; those it rejects; those it
/// predicts wrongly.
fn judge(
    model: &Domain,
    domain: &Domain,
    traces: &[Trace],
    without: &BTreeSet<(usize, usize)>,
) -> [usize; 3] {
    let [mut judged, mut rejected, mut wrong] = [0; 3];
    for (file, trace) in traces.iter().enumerate() {
        let mut trajectory =
            Trajectory::read(&trace.source, domain, &trace.objects, NUMBERS).unwrap();
        let semantics = Semantics::new(model, &trace.objects);
        for (index, action) in trajectory.actions.iter().enumerate() {
            let Some(learned) = model.actions.find(domain.action_name(action.symbol)) else {
                continue;
            };
            if without.contains(&(file, index)) {
                continue;
            }
            let step = GroundAction { symbol: learned.into(), arguments: action.arguments.clone() };
            judged += 1;
            match semantics.successor(&step, &mut trajectory.universe, &trajectory.states[index]) {
                Ok(after) => wrong += usize::from(after != trajectory.states[index + 1]),
                Err(_) => rejected += 1,
            }
        }
    }
    [judged, rejected, wrong]
}

fn check(folder: &Path) {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let domain = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
    let files = sorted(folder)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|end| end == "trajectory"));
    let trace = |path: PathBuf| Trace {
        objects: read_problem(&source(&path.with_extension("pddl")), &domain, NUMBERS)
            .unwrap()
            .objects,
        source: source(&path),
    };
    let traces: Vec<Trace> = files.map(trace).collect();
    let start = Learner::new(&domain, class(name, &domain)).unwrap();
    let steps = steps(&start, &traces);
    let blamed = audit(&learned(&start, &steps, &BTreeSet::new()), &steps);
    let expected = BLAMED.iter().find(|(domain, _)| *domain == name).map_or(0, |(_, count)| *count);
    assert_eq!(blamed.len(), expected, "{name}: the audit blames {blamed:?}");
    let learner = learned(&start, &steps, &blamed);
    for algorithm in [Algorithm::NsamStar, Algorithm::Nsam] {
        let actions = conclude(&learner, algorithm);
        let body = |wanted| {
            actions.iter().find(|(id, _)| *id == wanted).map(|(_, learned)| &learned.action)
        };
        let text = write_domain(&learner.domain().with_bodies(body).of_known_actions());
        let model = read_domain(&Source::new("learned", text.clone()))
            .unwrap_or_else(|error| panic!("{error}"));
        let [judged, rejected, wrong] = judge(&model, &domain, &traces, &blamed);
        println!(
            "{name} {algorithm:?}: {} actions, {} bytes; of {judged} steps {rejected} rejected, \
             {wrong} wrong; {} set aside",
            actions.len(),
            text.len(),
            blamed.len()
        );
        assert_eq!((rejected, wrong), (0, 0), "{name} {algorithm:?}");
        for (id, action) in actions.iter().filter(|_| algorithm == Algorithm::NsamStar) {
            let region = &action.numeric.region;
            println!(
                "  {}: {} vectors, dimension {} of {}, {} equations, {} facets",
                domain.action_name(*id),
                learner.evidence(*id).points(&action.numeric.columns).len(),
                region.dimension,
                action.numeric.columns.len(),
                region.equations().len(),
                region.set.facets().len()
            );
        }
    }
}

#[test]
#[ignore = "needs the published data; see the head of the file"]
fn models_of_the_published_data_accept_and_predict_what_they_were_learned_from() {
    let corpus = PathBuf::from(
        std::env::var_os("SUREFOOT_CORPUS").expect("SUREFOOT_CORPUS names the folder of the data"),
    );
    let folders: Vec<PathBuf> = sorted(&corpus).into_iter().filter(|path| path.is_dir()).collect();
    assert!(!folders.is_empty(), "no domains in {}", corpus.display());
    folders.iter().for_each(|folder| check(folder));
}
