//! The columns of coverage: each a chain of planners, found once for all cells.

use super::config::{Config, Planning};
use crate::solver::{Solver, links};

/// A column of the tables of an experiment.
#[derive(Debug)]
pub struct PlannerColumn {
    /// As the configuration has it: `metric-ff+enhsp`.
    pub name: String,
    /// Its planners, or what is missing.
    pub solver: Result<Solver, String>,
}

/// The columns of a configuration, in its order.
pub fn find(config: &Config) -> Vec<PlannerColumn> {
    let names = config.planning.as_ref().map_or(&[][..], |planning| &planning.planners);
    let solver = |name: &String| {
        Solver::within(name, &config.test.tolerance).map_err(|error| format!("{error:#}"))
    };
    names.iter().map(|name| PlannerColumn { name: name.clone(), solver: solver(name) }).collect()
}

/// Why columns cannot be measured; `None`: all can.
pub fn missing(columns: &[PlannerColumn]) -> Option<String> {
    let reasons: Vec<String> = columns
        .iter()
        .filter_map(|PlannerColumn { name, solver }| {
            Some(format!("{name}: {}", solver.as_ref().err()?))
        })
        .collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// How many planners there are in all columns together.
pub fn planners(planning: &Planning) -> usize {
    planning.planners.iter().map(|name| links(name).len()).sum()
}
