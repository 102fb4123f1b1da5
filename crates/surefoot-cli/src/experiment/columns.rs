//! The columns of coverage: each a chain of planners, found once for all cells.

use super::config::Planning;
use crate::solver::{Solver, links};

/// A column.
#[derive(Debug)]
pub struct Column {
    /// As the configuration has it: `metric-ff+enhsp`.
    pub name: String,
    /// Its planners, or what is missing.
    pub solver: Result<Solver, String>,
}

/// The columns of a configuration, in its order.
pub fn find(planning: Option<&Planning>) -> Vec<Column> {
    let names = planning.map_or(&[][..], |planning| &planning.planners);
    names
        .iter()
        .map(|name| Column { name: name.clone(), solver: Solver::parse(name).map_err(|error| format!("{error:#}")) })
        .collect()
}

/// Why columns cannot be measured; `None`: all can.
pub fn missing(columns: &[Column]) -> Option<String> {
    let reasons: Vec<String> =
        columns.iter().filter_map(|Column { name, solver }| Some(format!("{name}: {}", solver.as_ref().err()?))).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// How many planners there are in all columns together.
pub fn planners(planning: &Planning) -> usize {
    planning.planners.iter().map(|name| links(name).len()).sum()
}
