//! Problems solved with a learned model and judged in the real one, whatever the planner.

use std::collections::BTreeMap;

use surefoot_analysis::evaluate::{Attempt, PlanOutcome, judge};
use surefoot_base::exact::Rational;
use surefoot_base::margins::adapt;
use surefoot_base::model::{Domain, FunctionId, Problem};

use surefoot_io::tolerance::Tolerance;

/// A planner, as coverage sees it: a learned domain and a problem in, an attempt out.
pub type Solve<'a> = dyn Fn(&Domain, &Problem) -> Attempt + Sync + 'a;

/// What became of one problem.
pub struct Judged {
    /// The name of the problem.
    pub problem: String,
    /// What it came to in the real model.
    pub outcome: PlanOutcome,
    /// What the planner said, where it failed, or why the goal cannot be promised.
    pub message: Option<String>,
}

/// A learned model, as coverage sees it.
#[derive(Clone, Copy)]
pub struct PlanningModel<'a> {
    /// The model, in the ids of the real domain; error functions follow.
    pub domain: &'a Domain,
    /// How far initial values may be from the true ones. Where the model has error functions, the
    /// planner gets the problem with these errors and with margins.
    pub errors: &'a BTreeMap<FunctionId, Rational>,
}

/// Tries a problem. A model in which nothing is learned is given to no planner: it solves what is
/// solved already. What comes of it is judged in the real model, whose comparisons may be missed by
/// the tolerance.
pub fn attempt(
    name: &str,
    learned: PlanningModel<'_>,
    real: &Domain,
    problem: &Problem,
    tolerance: &Tolerance,
    solve: &Solve<'_>,
) -> Judged {
    let (attempt, unpromised) = if learned.domain.actions.is_empty() {
        (without_actions(real, problem, tolerance), None)
    } else {
        match adapt(learned.domain, problem, learned.errors) {
            Ok(adapted) => (solve(learned.domain, &adapted.problem), None),
            Err(reason) => (Attempt::Unsolvable, Some(reason.to_string())),
        }
    };
    let outcome = judge(&attempt, learned.domain, real, problem, tolerance.number());
    let message = match attempt {
        Attempt::Failed(message) => Some(message),
        _ => unpromised,
    };
    Judged { problem: name.to_owned(), outcome, message }
}

fn without_actions(real: &Domain, problem: &Problem, tolerance: &Tolerance) -> Attempt {
    let plan = surefoot_base::pddl::Plan::default();
    match judge(&Attempt::Plan(plan.clone()), real, real, problem, tolerance.number()) {
        PlanOutcome::Solved => Attempt::Plan(plan),
        _ => Attempt::Unsolvable,
    }
}

/// How many problems had each outcome, in the order of [`PlanOutcome::ALL`].
pub fn tally<'a>(outcomes: impl IntoIterator<Item = &'a PlanOutcome>) -> [u64; 6] {
    let mut counts = [0; 6];
    for outcome in outcomes {
        if let Some(place) = PlanOutcome::ALL.iter().position(|other| other == outcome) {
            counts[place] += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};

    #[test]
    fn a_planner_that_fails_is_a_category_and_an_empty_model_needs_none() {
        let text = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))";
        let real = read_domain(&Source::new("d", text)).unwrap();
        let empty = Domain { actions: Default::default(), ..real.clone() };
        let problem = |goal: &str| {
            let text = format!("(define (problem x) (:domain d) (:init) (:goal {goal}))");
            read_problem(&Source::new("x", text), &real, Numbers::Exact).unwrap()
        };
        let errors = BTreeMap::new();
        let exact = |domain| PlanningModel { domain, errors: &errors };
        let crash = |_: &Domain, _: &Problem| Attempt::Failed("it crashed".into());
        let judged =
            attempt("x", exact(&real), &real, &problem("(p)"), &Tolerance::default(), &crash);
        assert_eq!(
            (judged.outcome, judged.message.as_deref()),
            (PlanOutcome::Failed, Some("it crashed"))
        );
        assert_eq!(
            attempt("x", exact(&empty), &real, &problem("(p)"), &Tolerance::default(), &crash)
                .outcome,
            PlanOutcome::Unsolvable
        );
        assert_eq!(
            attempt("x", exact(&empty), &real, &problem("(and)"), &Tolerance::default(), &crash)
                .outcome,
            PlanOutcome::Solved
        );
        assert_eq!(
            tally(&[PlanOutcome::Solved, PlanOutcome::Failed, PlanOutcome::Solved]),
            [2, 0, 0, 0, 0, 1]
        );
    }
}
