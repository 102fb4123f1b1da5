//! Planning, validation and simulation, as Python sees them.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{Numbers, Plan, Writer};
use surefoot_base::validate::{FailedStep, PlanVerdict};
use surefoot_io::output::ConditionWriter;
use surefoot_lab::planner::{Limits, Manner, PlannerConclusion, Setup};
use surefoot_learn::Progress;

use crate::error::{any, unreadable, wrong_value};
use crate::number::{fraction, rational};
use crate::scene::{NameScope, States, action_tuple};
use crate::task::{check_errors, planned_domain_of, problem_of};
use crate::waiting;

/// A plan: a path, or a list of actions.
fn plan_of(
    value: &Bound<'_, PyAny>,
    domain: &std::sync::Arc<Domain>,
    problem: &Problem,
) -> PyResult<Plan> {
    if value.is_instance_of::<PyString>() || value.hasattr("__fspath__")? {
        let path: PathBuf = value.extract()?;
        return surefoot_io::input::plan(&path, domain, &problem.objects)
            .map_err(|error| unreadable(&error));
    }
    let mut scene = NameScope::of_objects(value.py(), domain, &problem.objects)?;
    scene.begin();
    let steps = value.try_iter()?.map(|step| scene.action(&step?)).collect::<PyResult<Vec<_>>>()?;
    Ok(Plan::of(steps))
}

fn steps<'py>(
    py: Python<'py>,
    domain: &Domain,
    problem: &Problem,
    plan: &Plan,
) -> PyResult<Bound<'py, PyList>> {
    let tuples =
        plan.steps.iter().map(|step| action_tuple(py, domain, &problem.objects, &step.action));
    PyList::new(py, tuples.collect::<PyResult<Vec<_>>>()?)
}

/// Looks for a plan, and returns a Planned: its status is "solved", "unsolvable", "time-limit",
/// "memory-limit", "unknown", "unsupported" or "failed". A plan was validated in exact arithmetic
/// before it is returned, whoever found it.
///
/// `domain` is a Domain, a Model or a path, `problem` a Problem or a path. `planner` is "builtin",
/// "enhsp", "metric-ff", or a command such as "my-planner {domain} {problem} {plan}". `time_limit`
/// is in seconds, `memory_limit` in MB. `progress(stored, None)` is called now and then with the
/// number of states stored by the built-in planner.
#[pyfunction]
#[pyo3(signature = (domain, problem, *, planner = "builtin", time_limit = 300.0,
    memory_limit = 4096, minimize = false, seed = 0, threads = 1, progress = None))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn plan<'py>(
    py: Python<'py>,
    domain: &Bound<'py, PyAny>,
    problem: &Bound<'py, PyAny>,
    planner: &str,
    time_limit: f64,
    memory_limit: u64,
    minimize: bool,
    seed: u64,
    threads: usize,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let domain = planned_domain_of(domain)?;
    let problem = problem_of(problem, &domain)?;
    check_errors(&domain, &problem)?;
    let time = Duration::try_from_secs_f64(time_limit)
        .ok()
        .filter(|time| !time.is_zero() && time.as_secs() < 1 << 32);
    let time = time.ok_or_else(|| wrong_value("time_limit is a number of seconds above zero"))?;
    if !(1..=1 << 30).contains(&memory_limit) {
        return Err(wrong_value("memory_limit is a number of MB above zero"));
    }
    let setup = Setup { manner: Manner { minimize, seed, threads }, ..Setup::default() };
    let planner = surefoot_lab::planner::find(planner, &setup).map_err(|error| any(&error))?;
    let name = planner.name().to_owned();
    let limits = Limits { time: Some(time), cpu: None, memory: Some(memory_limit << 20) };
    let (inner_domain, inner_problem) = (domain.clone(), problem.clone());
    let search = waiting::run(py, progress, None, Some(threads.max(1)), move |watch| {
        planner.solve_watched(&inner_domain, &inner_problem, &limits, &|progress| {
            if let Some(progress) = progress {
                watch.set_done(usize::try_from(progress.effort.stored).unwrap_or(usize::MAX));
            }
            watch.go_on()
        })
    })?;
    let keywords = PyDict::new(py);
    keywords.set_item("planner", name)?;
    keywords.set_item("seconds", search.seconds)?;
    let (status, message) = match &search.result {
        PlannerConclusion::Solved(plan) => {
            keywords.set_item("plan", steps(py, &domain, &problem, plan)?)?;
            keywords.set_item(
                "metric",
                plan.metric().map(|metric| fraction(py, metric)).transpose()?,
            )?;
            ("solved", None)
        }
        PlannerConclusion::Unsolvable => ("unsolvable", None),
        PlannerConclusion::TimeLimit | PlannerConclusion::Cancelled => ("time-limit", None),
        PlannerConclusion::MemoryLimit => ("memory-limit", None),
        PlannerConclusion::Unknown(reason) => ("unknown", Some(reason.clone())),
        PlannerConclusion::Unsupported(what) => ("unsupported", Some(what.clone())),
        PlannerConclusion::Failed(reason) => ("failed", Some(reason.clone())),
        PlannerConclusion::Rejected { .. } => ("failed", Some("its plan does not work".into())),
    };
    keywords.set_item("status", status)?;
    keywords.set_item("message", message)?;
    if let Some(effort) = search.effort.search {
        keywords.set_item("expanded", effort.expanded)?;
        keywords.set_item("evaluated", effort.evaluated)?;
        keywords.set_item("stored", effort.stored)?;
    }
    py.import("surefoot._results")?.getattr("Planned")?.call((), Some(&keywords))
}

/// Runs a plan in exact arithmetic, and returns a Verdict: valid, or the first step that fails, or
/// the goals that are not met, and why. `plan` is a path or a list of actions; comparisons may be
/// missed by `tolerance`.
///
/// >>> from surefoot import Domain, Problem, validate
/// >>> domain = Domain.parse('''(define (domain counting) (:functions (n))
/// ...   (:action up :parameters () :precondition (< (n) 2) :effect (increase (n) 1)))''')
/// >>> problem = Problem.parse('''(define (problem two) (:domain counting)
/// ...   (:init (= (n) 0)) (:goal (= (n) 2)))''', domain)
/// >>> validate(domain, problem, [("up",), ("up",)]).valid
/// True
/// >>> verdict = validate(domain, problem, [("up",), ("up",), ("up",)])
/// >>> verdict.failing_step, verdict.reasons
/// (2, ['(< (n) 2): 2 < 2 is false'])
#[pyfunction]
#[pyo3(signature = (domain, problem, plan, *, tolerance = None))]
pub fn validate<'py>(
    py: Python<'py>,
    domain: &Bound<'py, PyAny>,
    problem: &Bound<'py, PyAny>,
    plan: &Bound<'py, PyAny>,
    tolerance: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let domain = planned_domain_of(domain)?;
    let problem = problem_of(problem, &domain)?;
    check_errors(&domain, &problem)?;
    let plan = plan_of(plan, &domain, &problem)?;
    let tolerance =
        tolerance.map_or(Ok(Rational::ZERO), |value| rational(value, Numbers::Exact))?;
    if tolerance.signum() < 0 {
        return Err(wrong_value("a tolerance is not negative"));
    }
    let keywords = PyDict::new(py);
    keywords.set_item("steps", plan.steps.len())?;
    let verdict = {
        let (domain, problem) = (domain.clone(), problem.clone());
        waiting::run(py, None, None, Some(1), move |_| {
            surefoot_base::validate::validate(&domain, &problem, &plan, &tolerance)
        })?
    };
    keywords.set_item("valid", matches!(verdict, PlanVerdict::Valid { .. }))?;
    let words = ConditionWriter::new(&domain, &problem.objects);
    match &verdict {
        PlanVerdict::Valid { metric } => {
            let metric = metric.as_ref().and_then(|metric| metric.as_ref().ok());
            keywords.set_item("metric", metric.map(|metric| fraction(py, metric)).transpose()?)?;
        }
        PlanVerdict::StepFails(FailedStep { index, action, reason }) => {
            keywords.set_item("failing_step", index)?;
            keywords.set_item("action", action_tuple(py, &domain, &problem.objects, action)?)?;
            keywords.set_item("reasons", words.reasons(action, reason))?;
        }
        PlanVerdict::GoalUnmet(unmet) => {
            keywords.set_item(
                "reasons",
                unmet.iter().map(|violation| words.violation(violation)).collect::<Vec<_>>(),
            )?;
        }
    }
    py.import("surefoot._results")?.getattr("Verdict")?.call((), Some(&keywords))
}

/// Runs a plan and returns its trajectory, `{"states": [...], "actions": [...], "objects": {...}}`.
/// Raises ValueError where a step cannot be taken. The goal does not matter.
///
/// >>> from surefoot import Domain, Problem, trace
/// >>> domain = Domain.parse('''(define (domain counting) (:functions (n))
/// ...   (:action up :parameters () :effect (increase (n) 1/2)))'''.replace("1/2", "0.5"))
/// >>> problem = Problem.parse('''(define (problem one) (:domain counting)
/// ...   (:init (= (n) 0)) (:goal (= (n) 1)))''', domain)
/// >>> [state["values"][("n",)] for state in trace(domain, problem, [("up",), ("up",)])["states"]]
/// [Fraction(0, 1), Fraction(1, 2), Fraction(1, 1)]
#[pyfunction]
pub fn trace<'py>(
    py: Python<'py>,
    domain: &Bound<'py, PyAny>,
    problem: &Bound<'py, PyAny>,
    plan: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let domain = planned_domain_of(domain)?;
    let problem = problem_of(problem, &domain)?;
    check_errors(&domain, &problem)?;
    let plan = plan_of(plan, &domain, &problem)?;
    let trajectory =
        surefoot_base::validate::trace(&domain, &problem, &plan).map_err(|failed| {
            let action = Writer::new(&domain, &problem.objects).ground_action(&failed.action);
            let reasons = ConditionWriter::new(&domain, &problem.objects)
                .reasons(&failed.action, &failed.reason);
            wrong_value(format!(
                "step {}, {action}, cannot be taken: {}",
                failed.index,
                reasons.join("; ")
            ))
        })?;
    let mut shared = States::new(py, &domain, &problem.objects, &trajectory.universe);
    let map = PyDict::new(py);
    map.set_item(
        "states",
        PyList::new(
            py,
            trajectory
                .states
                .iter()
                .map(|state| shared.dict(state))
                .collect::<PyResult<Vec<_>>>()?,
        )?,
    )?;
    map.set_item("actions", steps(py, &domain, &problem, &plan)?)?;
    map.set_item("objects", crate::task::object_dict(py, &domain, &problem.objects)?)?;
    Ok(map)
}
