//! The command line as people see it: which options `-h` shows, and old spellings, which are
//! accepted and shown nowhere.

use clap::{Arg, Command, CommandFactory};

use super::CommandLine;
use crate::dials::is_of_planminer;

/// What `surefoot learn -h` shows; `--help` shows the rest in groups.
const MOST_USED: &[&str] = &[
    "traces",
    "domain",
    "map",
    "output",
    "on_bad_data",
    "certificate",
    "state",
    "resume",
    "error",
    "relevant",
    "monotone",
];

/// Spellings of before, and what stands where another verb has another word: verb, argument, long,
/// short.
const ALIASES: &[(&str, &str, &str, Option<char>)] = &[
    ("learn", "state", "state", None),
    ("evaluate", "learned", "learned", None),
    ("problem", "domain", "domain", Some('d')),
    ("explain", "domain", "domain", Some('d')),
    ("plan", "domain", "model", Some('m')),
    ("validate", "domain", "model", Some('m')),
    ("trace", "domain", "model", Some('m')),
];

/// The command line with all of its options, and with the spellings of before.
pub fn all_options() -> Command {
    CommandLine::command().mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        verb.mut_args(|argument| {
            let id = argument.get_id().to_string();
            let aliases =
                ALIASES.iter().filter(|(verb, argument, ..)| *verb == name && *argument == id);
            let argument = match (&*name, &*id) {
                ("explain", "domain") => argument
                    .short('m')
                    .long("model")
                    .value_name("LEARNED")
                    .help("The learned domain, or all that belongs to it in one .surefoot file"),
                _ => argument,
            };
            aliases.fold(argument, |argument, &(.., long, short)| match short {
                Some(short) => argument.alias(long).short_alias(short),
                None => argument.alias(long),
            })
        })
    })
}

/// The command line as its help shows it. PlanMiner's own options are shown where PlanMiner is
/// asked for.
pub fn command_line(planminer: bool) -> Command {
    all_options().mut_subcommands(|verb| match verb.get_name() {
        "learn" => verb.mut_args(|argument| shown(argument, planminer)),
        _ => verb,
    })
}

/// An argument of `learn`, with the places that show it.
fn shown(argument: Arg, planminer: bool) -> Arg {
    if is_of_planminer(argument.get_id().as_str()) {
        return argument.hide(!planminer);
    }
    let most_used = MOST_USED.contains(&argument.get_id().as_str());
    argument.hide_short_help(!most_used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_before_are_accepted_and_not_shown() {
        for (words, shown) in [
            ("surefoot learn -d d.pddl --state s.bin traces", "--save-state"),
            ("surefoot explain -d m.pddl -p p.pddl (a)", "--model"),
            ("surefoot explain --domain m.pddl -p p.pddl (a)", "--model"),
            ("surefoot problem -d m.pddl -p p.pddl", "--model"),
            ("surefoot evaluate --truth d.pddl --learned m.pddl --problems f", "--model"),
            ("surefoot plan -m m.pddl -p p.pddl", "--domain"),
        ] {
            command_line(false)
                .try_get_matches_from(words.split(' '))
                .unwrap_or_else(|error| panic!("{words}: {error}"));
            let verb = words.split(' ').nth(1).unwrap_or_default();
            let mut program = command_line(false);
            let help = program
                .find_subcommand_mut(verb)
                .map(|verb| verb.render_long_help().to_string())
                .unwrap_or_default();
            assert!(help.contains(shown), "{verb}: {help}");
            for old in ["--state <STATE>\n          Write", "--learned"] {
                assert!(!help.contains(old), "{verb}: {help}");
            }
        }
    }

    #[test]
    fn learn_shows_ten_options_first_and_those_of_planminer_to_those_who_ask_for_it() {
        let help = |planminer: bool, long: bool| {
            let mut program = command_line(planminer);
            let learn = program.find_subcommand_mut("learn").map(|learn| match long {
                true => learn.render_long_help().to_string(),
                false => learn.render_help().to_string(),
            });
            learn.unwrap_or_default()
        };
        let options =
            |text: &str| text.lines().filter(|line| line.trim_start().starts_with('-')).count();
        assert_eq!(
            options(&help(false, false)),
            11,
            "ten options and --help: {}",
            help(false, false)
        );
        assert!(options(&help(false, true)) > 25);
        assert!(!help(false, true).contains("--repair") && help(true, true).contains("--repair"));
    }
}
