//! Planners for measuring coverage: named by the user, resolved once, then called for each problem.

use std::time::Duration;

use anyhow::Result;
use surefoot::evaluate::Attempt;
use surefoot::model::{Domain, Problem};

use crate::planner::{Conclusion, Limits, Planner, Setup, find};
use crate::tolerance::Tolerance;

/// A planner with its limit.
pub struct Solver {
    planner: Box<dyn Planner>,
    limits: Limits,
}

impl Solver {
    /// The planner that a user named; its plans are exact.
    pub fn parse(spec: &str, limit: Duration) -> Result<Self> {
        Self::parse_within(spec, limit, &Tolerance::default())
    }

    /// The same; it may miss comparisons by the tolerance if it has an option for that.
    pub fn parse_within(spec: &str, limit: Duration, tolerance: &Tolerance) -> Result<Self> {
        let setup = Setup { tolerance: tolerance.clone(), ..Setup::default() };
        Ok(Solver { planner: find(spec, &setup)?, limits: Limits { time: Some(limit), ..Limits::default() } })
    }

    /// Tries a problem.
    pub fn solve(&self, domain: &Domain, problem: &Problem) -> Attempt {
        match self.planner.solve(domain, problem, &self.limits).result {
            Conclusion::Solved(plan) => Attempt::Plan(plan.into_plan()),
            Conclusion::Unsolvable => Attempt::Unsolvable,
            Conclusion::TimeLimit | Conclusion::MemoryLimit => Attempt::Limit,
            Conclusion::Unknown(message) | Conclusion::Unsupported(message) | Conclusion::Failed(message) => {
                Attempt::Failed(message)
            }
            Conclusion::Rejected { .. } => Attempt::Failed("it returned a plan that the learned model does not allow".into()),
            Conclusion::Cancelled => Attempt::Failed("it was told to stop".into()),
        }
    }
}
