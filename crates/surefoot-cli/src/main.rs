//! The command line of surefoot: arguments as typed, then one module a verb.

mod args;
mod commands;
mod corpus;
mod coverage;
mod demo;
mod experiment;
mod generate;
mod input;
mod maps;
mod output;
mod planner;
mod portrait;
mod report;
mod solver;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use output::Answer;

fn main() -> ExitCode {
    if let Some(code) = planner::supervise::entry() {
        return code;
    }
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Learn(arguments) => commands::learn::run(&arguments),
        Command::Merge(arguments) => commands::merge::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Validate(arguments) => commands::validate::run(&arguments),
        Command::Plan(arguments) => commands::plan::run(&arguments),
        Command::Trace(arguments) => commands::trace::run(&arguments),
        Command::Evaluate(arguments) => commands::evaluate::run(&arguments),
        Command::Experiment(arguments) => commands::experiment::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Generate(arguments) => commands::generate::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
    };
    match outcome {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Ok(Answer::Limit) => ExitCode::from(3),
        Ok(Answer::Interrupted(signal)) => ExitCode::from(128 + signal),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Messages about input say "error:" themselves, one for each place.
            let message = format!("{error:#}");
            if message.starts_with("error:") {
                eprintln!("{message}")
            } else {
                eprintln!("error: {message}")
            }
            ExitCode::from(2)
        }
    }
}
