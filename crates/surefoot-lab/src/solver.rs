//! Planners for measuring coverage: named by the user, resolved once, then called for each problem.
//!
//! What is named is a *chain*: `metric-ff+enhsp` is Metric-FF, and where that has no plan, ENHSP,
//! each within the same limit, as the paper measures. One planner is a chain of one.

use std::time::Duration;

use anyhow::Result;
use surefoot_analysis::evaluate::Attempt;
use surefoot_base::model::{Domain, Problem};

use crate::planner::{Limits, Planner, PlannerConclusion, Setup, find, is_command};
use surefoot_io::tolerance::Tolerance;

/// Planners that are tried one after the other.
#[derive(Debug)]
pub struct Solver {
    planners: Vec<Box<dyn Planner>>,
    /// Whether no comparison may be missed.
    exact: bool,
}

/// The planners of a chain as they were named. A command, whatever is in it, is one.
pub fn links(spec: &str) -> Vec<&str> {
    if is_command(spec) { vec![spec] } else { spec.split('+').map(str::trim).collect() }
}

impl Solver {
    /// The planners that a user named, with `+` between. Where one cannot be called the chain
    /// cannot, and the error says what is missing.
    pub fn parse(spec: &str) -> Result<Self> {
        Self::within(spec, &Tolerance::default())
    }

    /// The same; those that have an option for it may miss comparisons by the tolerance.
    pub fn within(spec: &str, tolerance: &Tolerance) -> Result<Self> {
        let setup = Setup { tolerance: tolerance.clone(), ..Setup::default() };
        let planners =
            links(spec).into_iter().map(|link| find(link, &setup)).collect::<Result<_>>()?;
        Ok(Solver { planners, exact: tolerance.is_zero() })
    }

    /// Tries a problem, each planner within the limit. The first plan counts, and so does the first
    /// proof that there is none. Where no planner has either, a limit that one of them ran into
    /// says more than that another failed: with more time there might be a plan. With a tolerance,
    /// a planner that is exact proves nothing for those after it.
    pub fn solve(&self, domain: &Domain, problem: &Problem, limit: Duration) -> Attempt {
        let limits = Limits { time: Some(limit), ..Limits::default() };
        let (mut limited, mut unsolvable, mut failures) = (false, false, Vec::new());
        for planner in &self.planners {
            let message = match planner.solve(domain, problem, &limits).result {
                PlannerConclusion::Solved(plan) => return Attempt::Plan(plan.into_plan()),
                PlannerConclusion::Unsolvable if self.exact => return Attempt::Unsolvable,
                PlannerConclusion::Unsolvable => {
                    unsolvable = true;
                    continue;
                }
                PlannerConclusion::TimeLimit | PlannerConclusion::MemoryLimit => {
                    limited = true;
                    continue;
                }
                PlannerConclusion::Unknown(message)
                | PlannerConclusion::Unsupported(message)
                | PlannerConclusion::Failed(message) => message,
                PlannerConclusion::Rejected { .. } => {
                    "it returned a plan that the learned model does not allow".into()
                }
                PlannerConclusion::Cancelled => {
                    return Attempt::Failed("it was told to stop".into());
                }
            };
            failures.push(if self.planners.len() == 1 {
                message
            } else {
                format!("{}: {message}", planner.name())
            });
        }
        match (limited, unsolvable) {
            (true, _) => Attempt::Limit,
            (false, true) => Attempt::Unsolvable,
            (false, false) => Attempt::Failed(failures.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::planner::PlannerAttempt;
    use surefoot_base::model::{ActionId, GroundAction};
    use surefoot_base::pddl::{Numbers, Plan, Source, read_domain, read_problem};

    /// Comes to the same whatever it is asked; with nothing to come to, it plans `(a)`.
    #[derive(Debug)]
    struct Stub(Option<PlannerConclusion>);

    impl Planner for Stub {
        fn name(&self) -> &str {
            "stub"
        }

        fn attempt(&self, work: &mut PlannerAttempt<'_>) -> PlannerConclusion {
            let step = GroundAction { symbol: ActionId(0), arguments: Default::default() };
            self.0.clone().unwrap_or_else(|| work.checked(Plan::of(vec![step])))
        }
    }

    /// What a chain makes of a task that `(a)` solves.
    fn tried(chain: &[Option<PlannerConclusion>]) -> Attempt {
        let domain = "(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))";
        let domain = read_domain(&Source::new("d", domain)).unwrap();
        let problem = "(define (problem x) (:domain d) (:init) (:goal (p)))";
        let problem = read_problem(&Source::new("x", problem), &domain, Numbers::Exact).unwrap();
        let planners = chain
            .iter()
            .map(|conclusion| Box::new(Stub(conclusion.clone())) as Box<dyn Planner>)
            .collect();
        Solver { planners, exact: true }.solve(&domain, &problem, Duration::from_secs(60))
    }

    #[test]
    fn a_name_is_a_chain_and_a_command_is_not() {
        assert_eq!(links("metric-ff+enhsp"), ["metric-ff", "enhsp"]);
        assert_eq!(links("builtin"), ["builtin"]);
        assert_eq!(links("sh -c 'a + b' {domain} {problem}"), ["sh -c 'a + b' {domain} {problem}"]);
        let unknown = Solver::parse("builtin+nobody").unwrap_err().to_string();
        assert!(unknown.contains("unknown planner `nobody`"), "{unknown}");
    }

    #[test]
    fn the_first_plan_or_proof_counts_and_a_limit_says_more_than_a_failure() {
        let (limit, failed) = (
            Some(PlannerConclusion::TimeLimit),
            Some(PlannerConclusion::Failed("it crashed".into())),
        );
        let (no_plan, unknown) = (
            Some(PlannerConclusion::Unsolvable),
            Some(PlannerConclusion::Unknown("it gave up".into())),
        );
        for before in [&limit, &failed, &unknown] {
            let Attempt::Plan(plan) = tried(&[before.clone(), None]) else {
                panic!("the next planner finds a plan")
            };
            assert_eq!(plan.steps.len(), 1);
            assert_eq!(tried(&[before.clone(), no_plan.clone(), None]), Attempt::Unsolvable);
            assert_eq!(tried(&[before.clone(), limit.clone()]), Attempt::Limit);
        }
        assert_eq!(tried(&[limit, failed.clone()]), Attempt::Limit);
        assert_eq!(tried(std::slice::from_ref(&failed)), Attempt::Failed("it crashed".into()));
        assert_eq!(
            tried(&[failed, unknown]),
            Attempt::Failed("stub: it crashed; stub: it gave up".into())
        );
    }
}
