//! A planner as coverage needs it: the word of a user resolved once, then called for each problem.

use std::time::Duration;

use anyhow::{Result, bail};
use surefoot::evaluate::Attempt;
use surefoot::model::{Domain, Problem};
use surefoot::plan::{Limits, Options, Outcome, plan};

/// A planner with its limit.
pub struct Solver {
    limit: Duration,
}

impl Solver {
    /// The planner that a user named.
    pub fn parse(spec: &str, limit: Duration) -> Result<Self> {
        match spec {
            "builtin" => Ok(Solver { limit }),
            _ => bail!("unknown planner {spec:?}"),
        }
    }

    /// Tries a problem.
    pub fn solve(&self, domain: &Domain, problem: &Problem) -> Attempt {
        let options = Options { limits: Limits { time: Some(self.limit), memory: None }, ..Options::default() };
        match plan(domain, problem, &options, &|_| true).outcome {
            Outcome::Solved(plan) => Attempt::Plan(plan),
            Outcome::Unsolvable => Attempt::Unsolvable,
            Outcome::TimeLimit | Outcome::MemoryLimit => Attempt::Limit,
            Outcome::Unsupported(message) => Attempt::Failed(message),
        }
    }
}
