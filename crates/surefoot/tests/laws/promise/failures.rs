//! Failures and the three answers over random domains: what is forbidden can really not be done,
//! what is allowed really can; one failure at a time proves as much as all of them, whatever was
//! thinned; the rule is exact where no two functions are one; no split changes a byte; a budget
//! turns forbidden to unknown and nothing else; and no learned model allows what failed, whatever
//! was assumed.
//!
//! `SUREFOOT_FAILURE_CASES` is the number of domains.

use std::collections::BTreeMap;

use surefoot_base::ids::Id;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{ActionId, Attempt, Domain, Objects};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader};
use surefoot_check::ModelChecker;
use surefoot_learn::{
    Answer, Answers, Conclusion, Job, Learner, Monotone, Policy, Settings, Trace, Unwatched, load,
    save,
};

use super::generate::{Case, case};
use super::laws::Counts;
use super::product::{self, Method};
use super::questions::{Question, climb, grid, questions};
use super::world::{Action, Call, Condition, State};
use crate::chance::Chance;

/// What was tried and failed.
pub(super) type Tried = (Call, State);

pub(super) struct Setup<'c> {
    pub case: &'c Case,
    pub domain: Domain,
    pub objects: Objects,
    pub settings: Settings,
    pub empty: Learner,
    /// The real actions, as far as the learner models them.
    real: Vec<Action>,
}

impl<'c> Setup<'c> {
    pub fn new(case: &'c Case) -> Self {
        let texts = case.texts();
        let (domain, objects) = product::domain_of(&texts).unwrap();
        let (class, settings) = product::assumptions(&domain, &case.options).unwrap();
        let empty = Learner::new(&domain, class).unwrap();
        let atoms_only = case.options.method == Method::Sam;
        let real = case
            .world
            .actions
            .iter()
            .map(|one| if atoms_only { one.without_numbers() } else { one.clone() })
            .collect();
        Setup { case, domain, objects, settings, empty, real }
    }

    pub fn really(&self, (call, state): &Tried) -> Option<bool> {
        let after =
            self.case.world.successor(&self.real[call.action], &call.arguments, state).ok()?;
        Some(after.is_some())
    }

    fn failed(&self, (call, state): &Tried) -> String {
        let world = &self.case.world;
        format!("((:init{})\n(failed: {})\n)\n", world.facts(state), world.call(call))
    }

    fn read(&self, learner: &mut Learner, text: &str) {
        learner.read(&Source::new("trace", text), &self.objects).unwrap();
    }

    /// Asks about a state as if the action had been tried there.
    fn with<T>(&self, tried: &Tried, ask: impl FnOnce(Attempt<'_>) -> T) -> T {
        let source = Source::new("asked", self.failed(tried));
        let mut reader =
            TrajectoryReader::new(&source, &self.domain, &self.objects, Numbers::Exact).unwrap();
        let entry = reader.next_entry().unwrap().unwrap();
        ask(entry.event.attempt())
    }

    fn ask(&self, answers: &Answers, tried: &Tried) -> Answer {
        self.with(tried, |attempt| {
            answers.ask(&mut answers.observer(), &self.objects, attempt).unwrap()
        })
    }

    fn action(&self, tried: &Tried) -> ActionId {
        tried.0.action.into()
    }

    fn has_repeated_objects(&self, (call, _): &Tried) -> bool {
        let constants = self.case.world.constants;
        let arguments = &call.arguments;
        (0..arguments.len())
            .any(|at| arguments[at] < constants || arguments[..at].contains(&arguments[at]))
    }
}

/// States in which each action is asked about, and whether it can really be taken there.
fn asked(chance: &mut Chance, setup: &Setup<'_>, count: usize) -> Vec<(Tried, bool)> {
    let mut all = Vec::new();
    for (index, action) in setup.case.world.actions.iter().enumerate() {
        let mut questions = questions(chance, setup.case, action, count);
        questions.extend(grid(chance, setup.case, action).into_iter().take(count));
        questions.extend(climb(chance, setup.case, action, count / 4));
        for Question { state, arguments } in questions {
            let tried = (Call { action: index, arguments }, state);
            if let Some(real) = setup.really(&tried) {
                all.push((tried, real));
            }
        }
    }
    chance.shuffle(&mut all);
    all
}

fn examine(seed: u64, counts: &mut Counts) {
    let case = case(seed);
    let setup = Setup::new(&case);
    let texts = case.texts();
    let mut chance = Chance::scattered(seed ^ 0x0F0F_5A5A_A5A5_F0F0);
    let all = asked(&mut chance, &setup, 40);
    let failures: Vec<&Tried> =
        all.iter().filter(|(_, real)| !real).map(|(tried, _)| tried).take(12).collect();
    let mut traces = texts.traces.clone();
    traces.extend(failures.iter().map(|tried| setup.failed(tried)));
    let mut worked = setup.empty.clone();
    texts.traces.iter().for_each(|text| setup.read(&mut worked, text));
    let mut learner = worked.clone();
    failures.iter().for_each(|tried| setup.read(&mut learner, &setup.failed(tried)));
    splits(&mut chance, seed, &setup, &traces, &learner, counts);

    for id in setup.domain.action_ids() {
        // Nothing that is true is called a contradiction, and what is allowed does not change.
        let (with, without) =
            (learner.conclude(id, &setup.settings), worked.conclude(id, &setup.settings));
        assert_eq!(format!("{with:?}"), format!("{without:?}"), "seed {seed}");
    }
    let answers = Answers::new(&learner, &setup.settings);
    let alone: Vec<Answers> = failures
        .iter()
        .map(|tried| {
            let mut learner = worked.clone();
            setup.read(&mut learner, &setup.failed(tried));
            Answers::new(&learner, &setup.settings)
        })
        .collect();
    let budget = chance.below(4);
    let fewer = Answers::new(
        &learner,
        &setup.settings.clone().with(|settings| settings.failure_budget = budget),
    );
    for (tried, real) in all.iter().take(60) {
        let answer = setup.ask(&answers, tried);
        counts.add(answer.name(), 1);
        let what = || format!("seed {seed}: {:?}\n{}", answer, setup.failed(tried));
        match answer {
            Answer::Allowed => assert!(real, "{}", what()),
            Answer::Forbidden(_) => assert!(!real, "{}", what()),
            Answer::Unknown => {}
        }
        // What was tried is forbidden, unless effects in conflict may explain it.
        let forbidden = matches!(answer, Answer::Forbidden(_));
        let mine = |place: &usize| failures[*place].0.action == tried.0.action;
        let by_one = (0..failures.len())
            .filter(mine)
            .any(|place| setup.ask(&alone[place], tried).name() == "forbidden");
        assert_eq!(forbidden, by_one, "one at a time: {}", what());
        let less = setup.ask(&fewer, tried);
        assert!(
            less.name() == answer.name() || forbidden && less == Answer::Unknown,
            "{budget} of them: {}",
            what()
        );
        if answer != Answer::Allowed {
            exact(&setup, &worked, &failures, tried, forbidden, counts, &what);
        }
    }
    refutes(&mut chance, seed, &setup, &traces, &failures, counts);
}

/// Among the models that allow a state, the most restrictive one is what a learner makes of the
/// state as one more step that worked. The state is forbidden if and only if that model accepts a
/// failure.
fn exact(
    setup: &Setup<'_>,
    worked: &Learner,
    failures: &[&Tried],
    tried: &Tried,
    forbidden: bool,
    counts: &mut Counts,
    what: &dyn Fn() -> String,
) {
    let (call, state) = tried;
    let world = &setup.case.world;
    let always =
        Action { condition: Condition::And(Vec::new()), ..world.actions[call.action].clone() };
    let Ok(Some(after)) = world.successor(&always, &call.arguments, state) else { return };
    let mut learner = worked.clone();
    setup
        .read(&mut learner, &world.trajectory(&[state.clone(), after], std::slice::from_ref(call)));
    let id = setup.action(tried);
    let algorithm = match setup.settings.algorithm {
        surefoot_learn::Algorithm::Sam => surefoot_learn::Algorithm::Sam,
        _ => surefoot_learn::Algorithm::NsamStar,
    };
    let Conclusion::Learned(learned) = learner.conclude_spanned(
        id,
        &setup.settings.clone().with(|settings| settings.algorithm = algorithm),
    ) else {
        return;
    };
    let vocabulary = learner.vocabulary(id);
    let accepts = |failure: &&&Tried| {
        setup.with(failure, |attempt| {
            let seen = learner.lens().observer().observe_attempt(attempt);
            let classes = seen.pattern.classes(&vocabulary.atoms);
            let holds = |atom: &_| {
                classes
                    .iter()
                    .zip(&seen.holds)
                    .any(|(class, holds)| *holds == Some(true) && class.contains(atom))
            };
            let same = |equality: &_| seen.pattern.same(vocabulary.equalities[*equality]);
            let boolean = &learned.boolean;
            let literals = boolean.positive.iter().all(holds)
                && !boolean.negative.iter().any(holds)
                && boolean.equal.iter().all(same)
                && !boolean.different.iter().any(same);
            let column = |column: &_| vocabulary.column_value(*column, &seen.before);
            let Some(x) = learned.numeric.columns.iter().map(column).collect::<Option<Vec<_>>>()
            else {
                return false;
            };
            literals
                && learned.numeric.region.shadows.iter().all(|shadow| {
                    let x: Vec<_> =
                        shadow.columns.iter().map(|column| x[column.index()].clone()).collect();
                    shadow.set.contains(&x)
                })
        })
    };
    let mine: Vec<&&Tried> =
        failures.iter().filter(|failure| failure.0.action == call.action).collect();
    let simple = |failure: &&Tried| {
        let defined = failure.1.values.iter().all(Option::is_some)
            || world.values().iter().all(|&at| failure.1.values[at].is_some());
        defined && !setup.has_repeated_objects(failure)
    };
    if forbidden {
        counts.add("forbidden, compared", 1);
        assert!(mine.iter().any(accepts), "forbidden, though a model allows it: {}", what());
    } else if mine.iter().all(|failure| simple(failure)) {
        counts.add("unknown, compared", 1);
        assert!(!mine.iter().any(accepts), "unknown, though no model allows it: {}", what());
    }
}

/// Any order, any number of learners, states that were saved and loaded: the same bytes.
fn splits(
    chance: &mut Chance,
    seed: u64,
    setup: &Setup<'_>,
    traces: &[String],
    whole: &Learner,
    counts: &mut Counts,
) {
    let bytes = save(whole).unwrap();
    assert_eq!(save(&load(&bytes).unwrap()).unwrap(), bytes);
    for _ in 0..2 {
        let mut order: Vec<usize> = (0..traces.len()).collect();
        chance.shuffle(&mut order);
        order.push(chance.below(traces.len()));
        let mut learners = vec![setup.empty.clone(); 1 + chance.below(4)];
        for trace in order {
            let place = chance.below(learners.len());
            let learner = &mut learners[place];
            setup.read(learner, &traces[trace]);
            if chance.percent(20) {
                learner.settle();
            }
        }
        let mut merged = setup.empty.clone();
        for learner in learners {
            merged.merge(&if chance.percent(30) {
                load(&save(&learner).unwrap()).unwrap()
            } else {
                learner
            });
        }
        counts.add("splits", 1);
        assert!(save(&merged).unwrap() == bytes, "seed {seed}: another split, other bytes");
    }
}

/// No model allows what failed: an assumption that would make it do so is refuted, aloud.
fn refutes(
    chance: &mut Chance,
    seed: u64,
    setup: &Setup<'_>,
    traces: &[String],
    failures: &[&Tried],
    counts: &mut Counts,
) {
    let mut settings = setup.settings.clone();
    match chance.below(3) {
        0 => settings.arity = Some(1),
        1 => settings.positive_preconditions = true,
        _ => {
            for id in setup.domain.action_ids() {
                let columns = &setup.empty.vocabulary(id).columns;
                let marks: BTreeMap<_, _> = columns
                    .pairs()
                    .filter(|(_, column)| column.0.len() == 1)
                    .map(|(id, _)| (id, Monotone::Any))
                    .collect();
                settings.monotone.insert(id, marks);
            }
        }
    }
    if settings.check(&setup.empty).is_err() {
        return;
    }
    let recording: Vec<Trace> = traces
        .iter()
        .map(|text| Trace::new(Source::new("trace", text.clone()), &setup.objects))
        .collect();
    let recording = &recording[..];
    let job = Job {
        start: &setup.empty,
        settings: &settings,
        recording: &recording,
        policy: Policy::default(),
        digests: true,
        progress: &Unwatched,
    };
    match job.run() {
        Ok(model) => {
            counts.add("models under other assumptions", 1);
            let certificate = model.certificate().unwrap();
            let written = model.read_back();
            let mut checker = ModelChecker::new(&setup.domain, &written, &certificate);
            traces.iter().for_each(|text| {
                checker.read(&Source::new("trace", text.clone()), &setup.objects).unwrap()
            });
            let reasons: Vec<String> = checker.finish().iter().map(ToString::to_string).collect();
            assert!(reasons.is_empty(), "seed {seed}: {reasons:?}");
            counts
                .add("failures in certificates", certificate.failures.values().map(Vec::len).sum());
            let semantics = Semantics::new(model.for_states(), &setup.objects);
            for tried in failures {
                let allowed = setup.with(tried, |attempt| {
                    semantics.applicable(attempt.action, attempt.universe, attempt.before).is_ok()
                });
                assert!(
                    !allowed,
                    "seed {seed}: a model that allows what failed\n{}",
                    setup.failed(tried)
                );
            }
        }
        Err(error) => {
            let error = error.to_string();
            counts.add("assumptions refuted", 1);
            assert!(error.contains("is refuted by trace:"), "seed {seed}: {error}");
        }
    }
}

#[test]
fn the_three_answers_are_true_of_random_domains() {
    let mut counts = Counts::default();
    let cases = std::env::var("SUREFOOT_FAILURE_CASES").map_or(40, |text| text.parse().unwrap());
    (0..cases).for_each(|seed| examine(seed, &mut counts));
    println!("{counts:?}");
    for (kind, least) in [
        ("allowed", 300),
        ("forbidden", 150),
        ("unknown", 300),
        ("forbidden, compared", 100),
        ("unknown, compared", 100),
        ("assumptions refuted", 5),
        ("models under other assumptions", 5),
        ("failures in certificates", 20),
    ] {
        let number = counts.0.get(kind).copied().unwrap_or_default();
        assert!(number >= least, "only {number} {kind}");
    }
}
