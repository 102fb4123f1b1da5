//! What became of planning with a learned model, judged in the real one.

use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, GroundAction, Problem};
use surefoot_base::pddl::Plan;
use surefoot_base::validate::{PlanVerdict, validate};

/// What a planner said of one problem and a learned model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// It has a plan, in the ids of the learned domain.
    Plan(Plan),
    /// It says that there is none.
    Unsolvable,
    /// It ran out of time or memory.
    Limit,
    /// It crashed, or printed what cannot be read.
    Failed(String),
}

/// What that came to in the real world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PlanOutcome {
    /// A plan whose every step is applicable, and after which the goal holds.
    Solved,
    /// The planner says that there is no plan.
    Unsolvable,
    /// The planner ran out of time or memory.
    Limit,
    /// A plan with a step that cannot be taken.
    Inapplicable,
    /// A plan after which the goal does not hold.
    GoalUnmet,
    /// The planner ended with an error.
    Failed,
}

impl PlanOutcome {
    /// All, in the order of tables.
    pub const ALL: [PlanOutcome; 6] = [
        PlanOutcome::Solved,
        PlanOutcome::Unsolvable,
        PlanOutcome::Limit,
        PlanOutcome::Inapplicable,
        PlanOutcome::GoalUnmet,
        PlanOutcome::Failed,
    ];

    /// A word for tables.
    pub fn name(self) -> &'static str {
        match self {
            PlanOutcome::Solved => "solved",
            PlanOutcome::Unsolvable => "unsolvable",
            PlanOutcome::Limit => "limit",
            PlanOutcome::Inapplicable => "inapplicable",
            PlanOutcome::GoalUnmet => "goal-unmet",
            PlanOutcome::Failed => "failed",
        }
    }

    /// The outcome of a word.
    pub fn of_name(name: &str) -> Option<PlanOutcome> {
        PlanOutcome::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// A plan of one domain in the ids of another: actions go by their names, objects stay. `None`
/// where an action has no counterpart.
pub fn translated(plan: &Plan, from: &Domain, to: &Domain) -> Option<Plan> {
    let steps = plan.steps.iter().map(|planned| counterpart(&planned.action, from, to));
    Some(Plan::of(steps.collect::<Option<Vec<_>>>()?))
}

/// The action of the same name with the same objects.
fn counterpart(action: &GroundAction, from: &Domain, to: &Domain) -> Option<GroundAction> {
    let symbol = to.actions.find(from.action_name(action.symbol))?.into();
    Some(GroundAction { symbol, arguments: action.arguments.clone() })
}

/// Judges an attempt made with a learned domain by running its plan in the real one. The objects of
/// the problem have the same ids in both.
pub fn judge(
    attempt: &Attempt,
    learned: &Domain,
    real: &Domain,
    problem: &Problem,
    tolerance: &Rational,
) -> PlanOutcome {
    match attempt {
        Attempt::Unsolvable => PlanOutcome::Unsolvable,
        Attempt::Limit => PlanOutcome::Limit,
        Attempt::Failed(_) => PlanOutcome::Failed,
        Attempt::Plan(plan) => match translated(plan, learned, real) {
            None => PlanOutcome::Inapplicable,
            Some(plan) => match validate(real, problem, &plan, tolerance) {
                PlanVerdict::Valid { .. } => PlanOutcome::Solved,
                PlanVerdict::StepFails(_) => PlanOutcome::Inapplicable,
                PlanVerdict::GoalUnmet(_) => PlanOutcome::GoalUnmet,
            },
        },
    }
}
