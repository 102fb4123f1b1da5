//! What was recorded, as it is typed: trajectories and their domain, or logs and their map.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Trajectories or logs; some must be named where `REQUIRED` says so.
#[derive(Args)]
pub struct RecordedArguments<const REQUIRED: bool> {
    /// The domain file. Its actions need only a name and parameters
    #[arg(short, long, value_name = "DOMAIN")]
    pub domain: Option<PathBuf>,
    /// A TOML file that says what the columns of a log mean. With it, the records are logs, and the
    /// domain comes from it
    #[arg(long, value_name = "MAP.toml", conflicts_with_all = ["domain", "problems"])]
    pub map: Option<PathBuf>,
    /// Trajectories, or folders of them; with --map, logs: CSV, TSV, JSON lines, also compressed
    #[arg(value_name = "TRACE_OR_FOLDER", value_hint = ValueHint::AnyPath, required = REQUIRED)]
    pub traces: Vec<PathBuf>,
    /// The folder with the problem of each trajectory (same stem), if it is not beside it
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub problems: Option<PathBuf>,
}
