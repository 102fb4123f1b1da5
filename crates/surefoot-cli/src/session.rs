//! What the Python package calls: trajectories folded into a learner, models made of it, planners, as the commands do it.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Parser;

use crate::args::{Arguments, Command};
use crate::commands::evaluate;

pub use crate::corpus::{Files, Given, Trace, find as find_traces};
pub use crate::experiment::parts::Parts;
pub use crate::input::{domain, plan, problem, source};
pub use crate::output::Words;
pub use crate::planner::supervise::set_program;
pub use crate::planner::{Conclusion, Effort, Limits, Manner, Outcome as Search, Output, Planner, Setup, Watch, find as planner};
pub use crate::report::pictures;

/// What `surefoot evaluate` with these options prints as JSON.
pub fn evaluate(options: Vec<OsString>) -> Result<String> {
    let words = ["surefoot".into(), "evaluate".into()].into_iter().chain(options);
    match Arguments::try_parse_from(words)?.command {
        Command::Evaluate(arguments) => evaluate::json(&arguments),
        _ => bail!("expected options of `surefoot evaluate`"),
    }
}
