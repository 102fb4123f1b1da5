//! The command line of surefoot: the arguments, then one module for each command. It is a library,
//! so that other programs can run the same command, and read many files with the same code.

mod args;
mod by_part;
mod commands;
mod demo;
mod dials;
mod failure;
mod guard;
mod records;
mod streams;
mod task;

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic;
use std::sync::{Mutex, PoisonError};

use clap::{ArgMatches, ColorChoice, FromArgMatches};

use args::{Command, CommandLine, Format, command_line};
use failure::CommandFailure;
use surefoot_base::invariant::{BrokenInvariant, guarded};
use surefoot_io::interrupt::SignalWatch;
use surefoot_io::output::Answer;
use surefoot_io::{output, progress, voice};
use surefoot_lab::planner;

/// Runs a command line, the program's name first, and returns its exit code. Results are on
/// standard output when this returns.
pub fn run(arguments: &[OsString]) -> u8 {
    if let Some(code) = planner::supervise::entry(arguments) {
        return code;
    }
    let watch = SignalWatch::start(|signal| {
        progress::clear();
        report(&CommandFailure::of_signal(signal));
    });
    let code = match parse(arguments) {
        Ok(command) => answer(command),
        Err(UsageRefusal::Streams(error)) => report(&CommandFailure::of_streams(&error)),
        Err(UsageRefusal::Usage(message)) => {
            match CommandFailure::of_usage(&message).filter(|_| voice::is_json()) {
                Some(failure) => report(&failure),
                None => {
                    // Help and versions are messages too, with code 0; nobody is left to tell when
                    // they cannot be printed.
                    let _ = message.print();
                    u8::try_from(message.exit_code()).unwrap_or(2)
                }
            }
        }
    };
    // Whoever calls us need not be a Rust program, which would do this at its end.
    let _ = io::stdout().flush();
    drop(watch);
    code
}

/// Why a command line is not one.
enum UsageRefusal {
    /// Help and versions are such messages, too.
    Usage(clap::Error),
    /// Two files are one standard stream.
    Streams(anyhow::Error),
}

impl From<clap::Error> for UsageRefusal {
    fn from(error: clap::Error) -> Self {
        UsageRefusal::Usage(error)
    }
}

/// The command that the user typed. From here on, output uses the requested format, also in errors
/// about the command line.
fn parse(arguments: &[OsString]) -> Result<Command, UsageRefusal> {
    let color =
        typed(arguments, "--color").and_then(|word| word.parse().ok()).unwrap_or(ColorChoice::Auto);
    let choice = match color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
    voice::set(typed(arguments, "--format").is_some_and(|word| word == "json"), false);
    let mut program = command_line(
        typed(arguments, "--algorithm").is_some_and(|name| name.starts_with("planminer")),
    )
    .color(color);
    let matches = program.try_get_matches_from_mut(arguments)?;
    let command = CommandLine::from_arg_matches(&matches)
        .map_err(|error| error.format(&mut program))?
        .command;
    if let Some((name, matches)) = matches.subcommand() {
        voice::set(
            given(matches, "format") == Some(Format::Json),
            given(matches, "quiet") == Some(true),
        );
        if let Some(verb) = program.find_subcommand(name) {
            streams::check(verb, matches).map_err(UsageRefusal::Streams)?;
        }
    }
    Ok(command)
}

/// What is typed for an option, before it is known whether the command line is one: what its errors
/// look like depends on it.
fn typed<'a>(arguments: &'a [OsString], option: &str) -> Option<&'a str> {
    let words = arguments
        .iter()
        .map(|word| word.to_str().unwrap_or_default())
        .take_while(|word| *word != "--");
    let words: Vec<&str> = words.collect();
    words.iter().enumerate().rev().find_map(|(index, word)| match word.strip_prefix(option)? {
        "" => words.get(index + 1).copied(),
        rest => rest.strip_prefix('='),
    })
}

/// What a command was given for an argument that not all commands need to have.
fn given<T: Copy + Send + Sync + 'static>(matches: &ArgMatches, argument: &str) -> Option<T> {
    matches.try_get_one::<T>(argument).ok().flatten().copied()
}

/// Tells of a failure, and returns the exit code that goes with it.
fn report(failure: &CommandFailure) -> u8 {
    voice::error(&failure.text, &failure.value);
    failure.code
}

fn answer(command: Command) -> u8 {
    let outcome = whole(|| obey(command));
    progress::clear();
    match outcome {
        Ok(Answer::Yes) => 0,
        Ok(Answer::No) => 1,
        Ok(Answer::Limit) => 3,
        Ok(Answer::Interrupted(signal)) => report(&CommandFailure::of_signal(signal)),
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => report(&CommandFailure::of(&error)),
    }
}

/// What some work comes to. A panic in it is an error like others, said once, with its place.
fn whole(work: impl FnOnce() -> anyhow::Result<Answer>) -> anyhow::Result<Answer> {
    static PLACE: Mutex<String> = Mutex::new(String::new());
    let usual = panic::take_hook();
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    let outcome = guarded(work);
    panic::set_hook(usual);
    outcome.map_err(|BrokenInvariant(what)| {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        BrokenInvariant(if what.contains(&*place) { what } else { format!("{what} ({place})") })
    })?
}

fn obey(command: Command) -> anyhow::Result<Answer> {
    match command {
        Command::Demo(arguments) => commands::demo::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Learn(arguments) => commands::learn::run(&arguments),
        Command::Assess(arguments) => commands::assess::run(&arguments),
        Command::Merge(arguments) => commands::merge::run(&arguments),
        Command::Explain(arguments) => commands::explain::run(&arguments),
        Command::Lint(arguments) => commands::lint::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Problem(arguments) => commands::problem::run(&arguments),
        Command::Validate(arguments) => commands::validate::run(&arguments),
        Command::Plan(arguments) => commands::plan::run(&arguments),
        Command::Trace(arguments) => commands::trace::run(&arguments),
        Command::Score(arguments) => commands::score::run(&arguments),
        Command::Evaluate(arguments) => commands::evaluate::run(&arguments),
        Command::Experiment(arguments) => commands::experiment::run(&arguments),
        Command::Report(arguments) => commands::report::run(&arguments),
        Command::Inspect(arguments) => commands::inspect::run(&arguments),
        Command::Generate(arguments) => commands::generate::run(&arguments),
        Command::Completions(arguments) => commands::completions::run(&arguments),
        Command::Manual(arguments) => commands::manual::run(&arguments),
    }
}
