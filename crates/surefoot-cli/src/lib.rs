//! The command line of surefoot: arguments as typed, then one module for each command. A library, so that other programs have the same
//! command, and the same reading of many files, from the same code.

mod args;
mod commands;
mod corpus;
mod coverage;
mod demo;
mod dials;
mod evaluation;
mod experiment;
mod generate;
mod guard;
mod input;
mod output;
mod planner;
mod portrait;
mod report;
pub mod session;
mod solver;
mod tolerance;

use std::ffi::OsString;
use std::io::{self, Write};

use clap::Parser;

use args::{Command, CommandLine};
use output::Answer;
use surefoot::pddl::visible_lines;

/// Runs a command line, the program's name first, and returns its exit code. Results are on standard output when this returns.
pub fn run(arguments: &[OsString]) -> u8 {
    if let Some(code) = planner::supervise::entry(arguments) {
        return code;
    }
    let code = match CommandLine::try_parse_from(arguments) {
        Ok(arguments) => answer(arguments.command),
        Err(message) => {
            // Help and versions are messages too, with code 0; nobody is left to tell when they cannot be printed.
            let _ = message.print();
            u8::try_from(message.exit_code()).unwrap_or(2)
        }
    };
    // Whoever calls us need not be a Rust program, which would do this at its end.
    let _ = io::stdout().flush();
    code
}

fn answer(command: Command) -> u8 {
    let outcome = match command {
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Learn(arguments) => commands::learn::run(&arguments),
        Command::Assess(arguments) => commands::assess::run(&arguments),
        Command::Merge(arguments) => commands::merge::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Lint(arguments) => commands::lint::run(&arguments),
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
        Command::Manual(arguments) => commands::manual::run(&arguments),
    };
    match outcome {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        Ok(Answer::Limit) => 3,
        Ok(Answer::Interrupted(signal)) => 128 + signal,
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => {
            // Messages about input say "error:" themselves, one for each place.
            let message = format!("{error:#}");
            let message = visible_lines(&message);
            if message.starts_with("error:") {
                eprintln!("{message}")
            } else {
                eprintln!("error: {message}")
            }
            2
        }
    }
}
