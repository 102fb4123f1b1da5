//! What other programs of ours call: many trajectories folded into a learner, models made of it, planners, as the commands do it.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Parser;

use crate::args::{Arguments, Command};
use crate::commands::evaluate;

pub use crate::args::OnBadData;
pub use crate::bad_data::{BadData, Policy, SetAsideLimit};
pub use crate::commands::learn::{ActionSummary, Outcome, Reading as Workflow, Summary, learn_watched as learn};
pub use crate::corpus::{Audience, Finding, Given, Reading, StepId, Stopped, Trace, find as find_traces, read};
pub use crate::experiment::parts::Parts;
pub use crate::input::{domain, plan, problem, source};
pub use crate::maps::{MonotoneMap, RelevantMap, monotone_of, relevant_of};
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
