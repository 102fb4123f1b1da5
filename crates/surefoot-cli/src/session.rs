//! What other programs of ours call: many trajectories folded into a learner, models made of it, planners, as the commands do it.

pub use crate::args::OnBadData;
pub use crate::bad_data::{BadData, Policy, SetAsideLimit};
pub use crate::commands::learn::{ActionSummary, Outcome, Reading as Workflow, Summary, learn_watched as learn};
pub use crate::corpus::{Audience, Finding, Given, Reading, StepId, Stopped, Trace, find as find_traces, read};
pub use crate::coverage::Judged;
pub use crate::evaluation::{ActionScores, Coverage, Evaluation, Tests, evaluate};
pub use crate::experiment::parts::Parts;
pub use crate::input::{domain, plan, problem, source};
pub use crate::maps::{MonotoneMap, RelevantMap, monotone_of, relevant_of};
pub use crate::output::Words;
pub use crate::planner::supervise::set_program;
pub use crate::planner::{Conclusion, Effort, Limits, Manner, Outcome as Search, Output, Planner, Setup, Watch, find as planner};
pub use crate::report::pictures;
