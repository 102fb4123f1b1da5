//! Runs a plan: its verdict, or the trajectory it produces.

use std::ops::Deref;

use crate::exact::Rational;
use crate::model::semantics::{Fault, Inapplicable, Semantics, Violation};
use crate::model::{Domain, GroundAction, Problem, Universe};
use crate::pddl::{Plan, Trajectory};

/// What became of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanVerdict {
    /// Every step can be taken, and the goal holds afterwards.
    Valid {
        /// The value of the metric, where the problem has one.
        metric: Option<Result<Rational, Fault>>,
    },
    /// This step cannot be taken.
    StepFails(FailedStep),
    /// Every step can be taken, but these parts of the goal do not hold afterwards.
    GoalUnmet(Vec<Violation>),
}

/// The first step of a plan that cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedStep {
    /// Its index in the plan, from 0.
    pub index: usize,
    /// What was to be done.
    pub action: GroundAction,
    /// Why it cannot be.
    pub reason: Inapplicable,
}

/// A plan that was run in its task: in exact arithmetic every step can be taken, and the goal holds
/// afterwards, where its [tolerance](ValidPlan::tolerance) is zero. There is no other way to make
/// one, so whoever has it need not run it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValidPlan {
    plan: Plan,
    metric: Option<Result<Rational, Fault>>,
    tolerance: Rational,
}

impl ValidPlan {
    /// Runs a plan. A plan that is not valid is returned with its verdict.
    pub fn of(
        domain: &Domain,
        problem: &Problem,
        plan: Plan,
    ) -> Result<ValidPlan, (Plan, PlanVerdict)> {
        Self::within(domain, problem, plan, &Rational::ZERO)
    }

    /// Runs a plan whose comparisons may be missed by `tolerance`.
    pub fn within(
        domain: &Domain,
        problem: &Problem,
        plan: Plan,
        tolerance: &Rational,
    ) -> Result<ValidPlan, (Plan, PlanVerdict)> {
        match validate(domain, problem, &plan, tolerance) {
            PlanVerdict::Valid { metric } => {
                Ok(ValidPlan { plan, metric, tolerance: tolerance.clone() })
            }
            verdict => Err((plan, verdict)),
        }
    }

    /// By how much comparisons could be missed when the plan was run; zero, unless the caller asked
    /// for more.
    pub fn tolerance(&self) -> &Rational {
        &self.tolerance
    }

    /// The value of the metric after it, where the problem has one and it has a value there.
    pub fn metric(&self) -> Option<&Rational> {
        self.metric.as_ref()?.as_ref().ok()
    }

    /// The plan without its proof of validity.
    pub fn into_plan(self) -> Plan {
        self.plan
    }
}

impl Deref for ValidPlan {
    type Target = Plan;

    fn deref(&self) -> &Plan {
        &self.plan
    }
}

/// Runs a plan from the problem's initial state. Comparisons may be missed by `tolerance`; zero is
/// exact.
pub fn validate(
    domain: &Domain,
    problem: &Problem,
    plan: &Plan,
    tolerance: &Rational,
) -> PlanVerdict {
    let semantics = Semantics::new(domain, &problem.objects).with_tolerance(tolerance);
    let mut universe = Universe::default();
    let mut state = problem.initial_state(&mut universe);
    for (index, step) in plan.steps.iter().enumerate() {
        match semantics.changes(&step.action, &universe, &state) {
            Ok(changes) => changes.apply(&mut universe, &mut state),
            Err(reason) => {
                return PlanVerdict::StepFails(FailedStep {
                    index,
                    action: step.action.clone(),
                    reason,
                });
            }
        }
    }
    if semantics.holds(&problem.goal, &universe, &state) != Ok(true) {
        return PlanVerdict::GoalUnmet(semantics.violations(&problem.goal, &universe, &state));
    }
    let metric = problem
        .metric
        .as_ref()
        .map(|metric| semantics.metric(metric, &universe, &state, plan.steps.len()));
    PlanVerdict::Valid { metric }
}

/// Runs a plan from the problem's initial state and keeps every state. Exact; the goal does not
/// matter.
pub fn trace(domain: &Domain, problem: &Problem, plan: &Plan) -> Result<Trajectory, FailedStep> {
    let semantics = Semantics::new(domain, &problem.objects);
    let mut trajectory = Trajectory::default();
    let mut state = problem.initial_state(&mut trajectory.universe);
    for (index, step) in plan.steps.iter().enumerate() {
        let next = semantics.successor(&step.action, &mut trajectory.universe, &state);
        let next =
            next.map_err(|reason| FailedStep { index, action: step.action.clone(), reason })?;
        trajectory.states.push(std::mem::replace(&mut state, next));
        trajectory.actions.push(step.action.clone());
    }
    trajectory.states.push(state);
    Ok(trajectory)
}
