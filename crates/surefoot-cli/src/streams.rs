//! Which arguments of the command line name files that are read or written, so that only one of
//! each is a standard stream.
//!
//! At most one file of a command line can be `-` either way, and no folder can. This is decided
//! from the declaration of the command line, for every option alike.

use std::any::TypeId;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, ValueHint};
use surefoot_io::streams::is_standard;

/// What a command does with what an argument names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The command reads this file.
    Read,
    /// The command writes this file.
    Written,
    /// Looks into this folder, or writes there, or runs this program.
    Other,
}

/// The files that a command writes, besides `--output`.
const WRITTEN: &[(&str, &str)] =
    &[("learn", "state"), ("learn", "certificate"), ("problem", "one_action_per_part")];

/// What a command does with an argument; `None`: it names no file.
pub fn role(command: &str, argument: &Arg) -> Option<Role> {
    if argument.get_value_parser().type_id() != TypeId::of::<PathBuf>() {
        return None;
    }
    let name = argument.get_id().as_str();
    Some(match argument.get_value_hint() {
        ValueHint::DirPath | ValueHint::ExecutablePath => Role::Other,
        _ if name == "output" || WRITTEN.contains(&(command, name)) => Role::Written,
        _ => Role::Read,
    })
}

/// An argument as the user knows it: `-d`, `--certificate`, `PLAN`.
pub fn shown(argument: &Arg) -> String {
    match (argument.get_short(), argument.get_long(), argument.get_value_names()) {
        (Some(short), ..) => format!("-{short}"),
        (_, Some(long), _) => format!("--{long}"),
        (.., Some([name, ..])) => name.to_string(),
        _ => argument.get_id().to_string(),
    }
}

/// Refuses command lines in which two files are one standard stream, or a folder is one.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<()> {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let mut leaves_output_open = None;
    for argument in command.get_arguments() {
        let Some(role) = role(command.get_name(), argument) else { continue };
        let id = argument.get_id().as_str();
        let typed = matches.value_source(id) == Some(ValueSource::CommandLine);
        if id == "output" && role == Role::Written && !typed && !argument.is_required_set() {
            leaves_output_open = Some(argument);
        }
        let values = matches.get_many::<PathBuf>(id).filter(|_| typed).into_iter().flatten();
        for _ in values.filter(|path| is_standard(path)) {
            match role {
                Role::Read => read.push(shown(argument)),
                Role::Written => written.push(shown(argument)),
                Role::Other => bail!(
                    "{} cannot be a standard stream; what is called - here is named ./-",
                    shown(argument)
                ),
            }
        }
    }
    if let [one, other, ..] = &read[..] {
        bail!(
            "{} standard input: it can be read once, so only one file can be -",
            both(one, other, "is", "are both")
        );
    }
    if let [one, other, ..] = &written[..] {
        bail!("{} standard output: only one file can be -", both(one, other, "is", "are both"));
    }
    if let (Some(output), [one, ..]) = (leaves_output_open, &written[..]) {
        let output = shown(output);
        bail!(
            "without {output} the result goes to standard output, where {one} would go too: name a \
             file for one of them"
        );
    }
    Ok(())
}

fn both(one: &str, other: &str, twice: &str, two: &str) -> String {
    if one == other {
        format!("{one} {twice} more than once")
    } else {
        format!("{one} and {other} {two}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::all_options;

    /// Files and folders of every command. What is read or written here has a line in
    /// `tests/commands/streams.rs`, too.
    const ALL: &[(&str, &str, &str)] = &[
        ("demo", "", ""),
        ("import", "LOG --map", ""),
        (
            "learn",
            "-d --map TRACE_OR_FOLDER --relevant --parts --monotone --declared --reading \
             --resume",
            "-o --save-state --certificate",
        ),
        (
            "assess",
            "-d --map TRACE_OR_FOLDER --relevant --parts --monotone --declared --reading",
            "",
        ),
        ("merge", "STATE", "-o"),
        ("explain", "-m -p -c --after --state --traces --map --monotone --declared --reading", ""),
        ("lint", "-d --map TRACE_OR_FOLDER", ""),
        ("check", "-d --map TRACE_OR_FOLDER -m -c --assume", ""),
        ("problem", "-m -p", "-o --one-action-per-part"),
        ("validate", "-d -p -c PLAN", ""),
        ("plan", "-d -p -c", "-o"),
        ("trace", "-d -p -c PLAN", "-o"),
        ("score", "TRACE_OR_FOLDER -m -d --map", ""),
        ("evaluate", "--truth -m -c --state", ""),
        ("experiment", "CONFIG.toml", ""),
        ("report", "", "-o"),
        ("inspect", "DOMAIN --relevant", ""),
        ("generate", "", ""),
        ("completions", "", ""),
        ("manual", "", ""),
    ];

    #[test]
    fn every_argument_that_names_a_file_is_known_to_be_read_or_written() {
        let mut found = Vec::new();
        for command in all_options().get_subcommands() {
            let of = |wanted: Role| {
                let arguments = command
                    .get_arguments()
                    .filter(|argument| role(command.get_name(), argument) == Some(wanted));
                arguments.map(shown).collect::<Vec<_>>().join(" ")
            };
            found.push((command.get_name().to_owned(), of(Role::Read), of(Role::Written)));
        }
        let known: Vec<_> = ALL
            .iter()
            .map(|(name, read, written)| (name.to_string(), read.to_string(), written.to_string()))
            .collect();
        assert_eq!(found, known);
    }

    #[test]
    fn every_command_speaks_as_it_is_asked_to() {
        for command in all_options().get_subcommands() {
            for name in ["format", "quiet"] {
                let has = command.get_arguments().any(|argument| argument.get_long() == Some(name));
                assert!(has, "{} has no --{name}", command.get_name());
            }
        }
    }
}
