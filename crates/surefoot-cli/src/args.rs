//! The command line as typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use surefoot::exact::Rational;
use surefoot::pddl::Numbers;

/// Learns PDDL action models from recorded executions, safely.
#[derive(Parser)]
#[command(version, about, max_term_width = 100, arg_required_else_help = true, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 yes (valid, done), 1 no (invalid plan, failed step), 2 wrong input. \
Results go to standard output, everything else to standard error.";

#[derive(Subcommand)]
pub enum Command {
    /// Show what surefoot does, on a built-in example
    Demo(Demo),
    /// Run a plan: valid, or the first step that fails and why
    Validate(Validate),
    /// Simulate a plan into a trajectory file
    Trace(Trace),
    /// Measure domains: the columns of the paper's table of domains
    Inspect(Inspect),
    /// Print a completion script for a shell
    Completions(Completions),
}

#[derive(Args)]
pub struct Demo {}

/// A domain and a problem of it.
#[derive(Args)]
pub struct Task {
    /// The domain file
    #[arg(short, long, value_name = "DOMAIN")]
    pub domain: PathBuf,
    /// The problem file
    #[arg(short, long, value_name = "PROBLEM")]
    pub problem: PathBuf,
    #[command(flatten)]
    pub numbers: NumberPolicy,
}

#[derive(Args)]
pub struct NumberPolicy {
    /// Round the numbers of the initial state to N decimals; without it they are exactly what is written
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub decimals: Option<u32>,
}

impl NumberPolicy {
    pub fn numbers(&self) -> Numbers {
        self.decimals.map_or(Numbers::Exact, Numbers::Decimals)
    }
}

#[derive(Args)]
pub struct Validate {
    #[command(flatten)]
    pub task: Task,
    /// The plan: one (action object ...) a line, with or without times, or a Metric-FF log
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// By how much a numeric comparison may be missed (the paper uses 0.1); without it comparisons are exact
    #[arg(long, value_name = "T", value_parser = tolerance)]
    pub tolerance: Option<Rational>,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct Trace {
    #[command(flatten)]
    pub task: Task,
    /// The plan
    #[arg(value_name = "PLAN")]
    pub plan: PathBuf,
    /// Where to write the trajectory; without it, to standard output
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct Inspect {
    /// Domain files
    #[arg(value_name = "DOMAIN", required = true)]
    pub domains: Vec<PathBuf>,
    /// Count parameter-bound monomials up to this degree
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub degree: u32,
    /// How to print the table
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// For machines; numbers are exact, as strings
    Json,
}

fn tolerance(word: &str) -> Result<Rational, String> {
    let value = Numbers::Exact.read(word).map_err(|error| error.to_string())?;
    if value.signum() < 0 { Err("a tolerance is not negative".into()) } else { Ok(value) }
}
