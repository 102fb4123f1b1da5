//! What the Python package calls: trajectories folded into a learner, models made of it, planners, as the commands do it.

pub use crate::corpus::{Files, Given, Trace, find as find_traces};
pub use crate::coverage::Judged;
pub use crate::evaluation::{ActionScores, Coverage, Evaluation, Tests, evaluate};
pub use crate::experiment::parts::Parts;
pub use crate::input::{domain, plan, problem, source};
pub use crate::output::{Words, warning_texts};
pub use crate::planner::supervise::set_program;
pub use crate::planner::{Conclusion, Effort, Limits, Manner, Outcome as Search, Output, Planner, Setup, Watch, find as planner};
pub use crate::report::pictures;
pub use crate::tolerance::Tolerance;
