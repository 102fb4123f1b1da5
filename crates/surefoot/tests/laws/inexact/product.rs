//! The only place that calls the product: texts and options in; texts, and the learned actions in
//! the oracle's words, out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use surefoot_base::assumptions::Spec;
use surefoot_base::certificate::{Certificate, digest};
use surefoot_base::exact::Rational;
use surefoot_base::margins::adapt;
use surefoot_base::model::{Domain, ErrorFunctions, FunctionId, Objects};
use surefoot_base::pddl::{Numbers, PlanStep, Source, TrajectoryReader, read_domain, read_problem};
use surefoot_check::ModelChecker;
use surefoot_learn::Settings;
use surefoot_learn::{
    Answers, Job, Learner, Model, OnBadData, Policy, Trace, Unwatched, load, save,
};
use surefoot_plan::{SearchLimits, SearchOptions, SearchOutcome};

use super::generate::{Case, Options};
use crate::promise::number::Rat;
pub use crate::promise::product::Split;
use crate::promise::product::read_actions;
use crate::promise::world::{Action, Call, State, Symbol, World};
use crate::saved::comes_back;

/// What came of learning.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The model as it is written, its head included.
    pub model: String,
    pub certificate: String,
    /// The learner's state.
    pub state: Vec<u8>,
    /// By action: that it was learned, or why not.
    pub results: BTreeMap<String, String>,
    /// The actions of the model as they read back, unless a number is too large for the oracle.
    pub actions: Option<Vec<Action>>,
    /// By error function, in the order of the model: the function whose error it is.
    pub error_functions: Vec<usize>,
}

impl Learned {
    /// The world with the error functions of the model after its own functions.
    pub fn estimates(&self, world: &World) -> World {
        let mut world = world.clone();
        for &function in &self.error_functions {
            let Symbol { name, places } = &world.functions[function];
            let symbol = Symbol { name: format!("error-of-{name}"), places: places.clone() };
            world.functions.push(symbol);
        }
        world
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

pub fn domain_of(case: &Case) -> Result<(Domain, Objects), String> {
    let world = &case.world;
    let domain = read_domain(&Source::new("domain.pddl", world.domain(&world.actions, false)))
        .map_err(text)?;
    let problem =
        read_problem(&Source::new("problem.pddl", world.problem()), &domain, Numbers::Exact)
            .map_err(text)?;
    Ok((domain, problem.objects))
}

/// What the user says.
pub fn spec(case: &Case, errors: &[Rat], options: &Options) -> Result<Spec, String> {
    let names = case.world.functions.iter().map(|function| function.name.clone());
    let errors: serde_json::Map<_, _> =
        names.zip(errors).map(|(name, error)| (name, error.written().into())).collect();
    let mut spec = Spec::default();
    let mut set = |name: &str, value: serde_json::Value| spec.set(name, value).map_err(text);
    if !errors.is_empty() {
        set("error", errors.into())?;
    }
    for (name, value) in [
        ("effect-decimals", options.effect_decimals.map(|decimals| decimals as usize)),
        ("arity", options.arity),
        ("effect-arity", options.effect_arity),
    ] {
        if let Some(value) = value {
            set(name, value.into())?;
        }
    }
    if !options.relevant.is_empty() {
        set("relevant", serde_json::to_value(&options.relevant).map_err(text)?)?;
    }
    if !options.monotone.is_empty() {
        set("monotone", serde_json::to_value(&options.monotone).map_err(text)?)?;
    }
    Ok(spec)
}

/// Learns with the errors of the case. `Err` where the product refuses.
pub fn learn(case: &Case, split: &Split) -> Result<Learned, String> {
    learn_with(case, &spec(case, &case.errors, &case.options)?, split)
}

pub fn learn_with(case: &Case, spec: &Spec, split: &Split) -> Result<Learned, String> {
    let (domain, objects) = domain_of(case)?;
    let start = Learner::of(&domain, spec).map_err(text)?;
    let settings = Settings::of_spec(spec, &start).map_err(text)?;
    let texts = case.texts();
    let traces: Vec<Trace> = (texts.iter().enumerate())
        .map(|(index, text)| {
            Trace::new(Source::new(format!("{index}.trajectory"), text.clone()), &objects)
        })
        .collect();
    let stored = |learner: Learner| match split.stored {
        true => load(&save(&learner).map_err(text)?).map_err(text),
        false => Ok(learner),
    };
    let mut whole = start.empty();
    for group in &split.groups {
        let group: Vec<Trace> = group.iter().map(|&trace| traces[trace].clone()).collect();
        let (recording, policy) = (&&group[..], Policy::default());
        let job = Job {
            start: &start,
            settings: &settings,
            recording,
            policy,
            digests: true,
            progress: &Unwatched,
        };
        let reading = job.read(&BTreeSet::new()).map_err(text)?;
        if let Some(finding) = reading.findings.first() {
            return Err(format!("a step that no model explains: {:?}", finding.diagnostic));
        }
        whole.merge(&stored(reading.learner)?);
    }
    let mut whole = stored(whole)?;
    whole.settle();
    let model = Model::of(&whole, &settings, &&traces[..], OnBadData::Stop).map_err(text)?;
    if split.stored {
        comes_back(&model);
    }
    let pddl = model.to_pddl();
    let read = read_domain(&Source::new("model.pddl", pddl.clone()))
        .map_err(|error| format!("does not read back: {error}"))?;
    let actions = match read_actions(&pddl) {
        Ok(actions) => Some(actions),
        Err(why) if why.contains("too large") => None,
        Err(why) => return Err(why),
    };
    let names: Vec<&str> = read.signature.functions.iter().map(|(name, _)| name).collect();
    let own = case.world.functions.len();
    let place = |name: &&str| {
        let of = name
            .strip_prefix("error-of-")
            .ok_or_else(|| format!("a function that nobody knows: {name}"))?;
        names
            .iter()
            .position(|name| *name == of)
            .ok_or_else(|| format!("an error of nothing: {of}"))
    };
    Ok(Learned {
        error_functions: names[own..].iter().map(place).collect::<Result<_, _>>()?,
        results: model.summary().actions.into_iter().map(|row| (row.action, row.result)).collect(),
        certificate: model.certificate().ok_or("no certificate")?.to_json().map_err(text)?,
        state: save(&whole).map_err(text)?,
        model: pddl,
        actions,
    })
}

/// A plan of the built-in planner for a problem with margins: from a record to a value of a ground
/// function, at least or at most.
pub fn plan(
    case: &Case,
    learned: &Learned,
    record: &State,
    (at, up, goal): (usize, bool, Rat),
) -> Option<Vec<Call>> {
    let world = &case.world;
    let model = read_domain(&Source::new("model.pddl", learned.model.clone())).unwrap();
    let function = world.ground_function(at)?;
    let goal = format!("({} {function} {})", if up { ">=" } else { "<=" }, goal.written());
    let text = world.problem().replace("(:init)", &format!("(:init{})", world.facts(record)));
    let text = text.replace("(:goal (and))", &format!("(:goal {goal})"));
    let problem = read_problem(&Source::new("problem.pddl", text), &model, Numbers::Exact).unwrap();
    let read = |error: &Rat| {
        Rational::new(error.num.try_into().unwrap(), error.den.try_into().unwrap()).unwrap()
    };
    let errors = learned
        .error_functions
        .iter()
        .map(|&of| (FunctionId::from(of), read(&case.errors[of])))
        .collect();
    let problem = adapt(&model, &problem, &errors).unwrap().problem;
    let limits = SearchLimits { time: Some(Duration::from_millis(400)), ..SearchLimits::default() };
    let found = surefoot_plan::plan(
        &model,
        &problem,
        &SearchOptions::default().with(|options| options.limits = limits),
        &|_| true,
    );
    let SearchOutcome::Solved(plan) = found.outcome else { return None };
    let call = |step: &PlanStep| Call {
        action: world
            .actions
            .iter()
            .position(|one| one.name == model.action_name(step.action.symbol))
            .unwrap(),
        arguments: step.action.arguments.iter().map(|object| object.index()).collect(),
    };
    Some(plan.steps.iter().map(call).collect())
}

/// What the records tell of steps that are asked about.
pub struct Asker {
    answers: Answers,
    domain: Domain,
    objects: Objects,
    errors: ErrorFunctions,
}

impl Asker {
    /// For states of a world with the error functions of what was learned.
    pub fn new(case: &Case, with_errors: &World) -> Result<Asker, String> {
        let (plain, objects) = domain_of(case)?;
        let start = Learner::of(&plain, &spec(case, &case.errors, &case.options)?).map_err(text)?;
        let settings =
            Settings::of_spec(&spec(case, &case.errors, &case.options)?, &start).map_err(text)?;
        let mut learner = start.empty();
        for told in case.texts() {
            learner.read(&Source::new("trace", told), &objects).map_err(text)?;
        }
        let domain = read_domain(&Source::new(
            "domain.pddl",
            with_errors.domain(&case.world.actions, false),
        ))
        .map_err(text)?;
        let errors = ErrorFunctions::of(&domain.signature);
        Ok(Asker { answers: Answers::new(&learner, &settings), domain, objects, errors })
    }

    /// Whether no model allows the step in an estimate, since some attempt failed.
    pub fn is_forbidden(&self, with_errors: &World, call: &Call, estimate: &State) -> bool {
        let told = format!(
            "((:init{})\n(failed: {})\n)\n",
            with_errors.facts(estimate),
            with_errors.call(call)
        );
        let source = Source::new("asked", told);
        let mut reader =
            TrajectoryReader::new(&source, &self.domain, &self.objects, Numbers::Exact).unwrap();
        let entry = reader.next_entry().unwrap().unwrap();
        let errors = Some(&self.errors).filter(|errors| !errors.is_empty());
        self.answers
            .refutation_within(&mut self.answers.observer(), entry.event.attempt(), errors)
            .is_some()
    }
}

/// The same certificate for what a case tells.
pub fn of_traces(case: &Case, learned: &Learned) -> Learned {
    let mut certificate = Certificate::from_json(&learned.certificate).unwrap();
    certificate.traces = case.texts().iter().map(|text| digest(text)).collect();
    Learned { certificate: certificate.to_json().unwrap(), ..learned.clone() }
}

/// Why `check` does not accept what was learned; nothing where it does.
pub fn check(case: &Case, learned: &Learned) -> Vec<String> {
    let checked = || -> Result<Vec<String>, String> {
        let (domain, objects) = domain_of(case)?;
        let model = read_domain(&Source::new("model.pddl", learned.model.clone())).map_err(text)?;
        let certificate = Certificate::from_json(&learned.certificate).map_err(text)?;
        let mut checker = ModelChecker::new(&domain, &model, &certificate);
        for (index, text) in case.texts().into_iter().enumerate() {
            checker
                .read(&Source::new(format!("{index}.trajectory"), text), &objects)
                .map_err(|error| error.to_string())?;
        }
        Ok(checker.finish().iter().map(|reason| format!("{:?}: {reason}", reason.kind)).collect())
    };
    checked().unwrap_or_else(|why| vec![format!("not read: {why}")])
}
