//! The dials of the learner on the command line, made from their one declaration in the library.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::Value;
use surefoot_base::advice::Text;
use surefoot_base::assumptions::{Algorithm, DIALS, Dial, DialGroup, Repair, Spec, Takes};
use surefoot_base::model::Domain;
use surefoot_base::parts::FindParts;
use surefoot_learn::{LEARNERS, LearnError, Learner, LearnerKind, SpecError};

use surefoot_io::maps::{declared, errors, is_number, monotone, parts, relevant, sentences};
use surefoot_io::output::shown_path;
use surefoot_lab::learners;

/// In which dials the classes of two learners of one domain differ.
pub fn differing(one: &Learner, other: &Learner) -> String {
    let names = one.differing(other);
    let verb = if names.len() == 1 { "differs" } else { "differ" };
    let options: Vec<String> = names.iter().map(|name| format!("--{name}")).collect();
    format!("{} {verb}", options.join(" and "))
}

/// Whether an option is one of PlanMiner's own.
pub fn is_of_planminer(name: &str) -> bool {
    DIALS.iter().any(|dial| dial.name == name && dial.group == DialGroup::PlanMiner)
}

/// Why two logs are to be read in one go.
pub fn one_reading(sentence: &str) -> String {
    format!(
        "a fact that one log does not mention may be mentioned by another, so all logs must \
         be read together. Learn from all of them in one run (it was assumed: {sentence})"
    )
}

/// The word for all repairs of PlanMiner.
const ALL_REPAIRS: &str = "all";

/// The dials as typed: all of them, or those of models made from given evidence.
#[derive(Clone, Default)]
pub struct Dials<const ALL: bool> {
    typed: Vec<(&'static Dial, String)>,
}

fn listed<const ALL: bool>() -> impl Iterator<Item = &'static Dial> {
    DIALS.iter().filter(|dial| ALL || dial.group == DialGroup::Model)
}

impl<const ALL: bool> Dials<ALL> {
    /// What was typed, the rest as usual. Maps are read from their files.
    pub fn spec(&self) -> Result<Spec> {
        let mut spec = Spec::default();
        for (dial, text) in &self.typed {
            let value = match dial.takes {
                Takes::Switch => Value::Bool(true),
                Takes::Number(..) => serde_json::from_str(text).unwrap_or_default(),
                Takes::Algorithm if Algorithm::find(text).is_none() => continue,
                Takes::Algorithm | Takes::Word(_) => Value::from(text.as_str()),
                Takes::Relevant => serde_json::to_value(relevant(Path::new(text))?)?,
                Takes::Parts if text == FindParts::WORD => Value::from(FindParts::WORD),
                Takes::Parts => serde_json::to_value(parts(Path::new(text))?)?,
                Takes::Monotone => serde_json::to_value(monotone(Path::new(text))?)?,
                Takes::Errors => serde_json::to_value(errors(text)?)?,
                Takes::Declared => serde_json::to_value(declared(Path::new(text))?)?,
                Takes::Sentences => serde_json::to_value(sentences(Path::new(text))?)?,
                Takes::Repairs if text.split(',').any(|name| name == ALL_REPAIRS) => {
                    Value::from(ALL_REPAIRS)
                }
                Takes::Repairs => text.split(',').collect(),
            };
            spec.set(dial.name, value)?;
        }
        Ok(spec)
    }

    /// The kind of learner that was asked for.
    pub fn learner(&self) -> &'static LearnerKind {
        let typed = self.typed.iter().find(|(dial, _)| dial.takes == Takes::Algorithm);
        typed.and_then(|(_, name)| learners::find(name)).unwrap_or(&LEARNERS[0])
    }

    /// Whether any was typed.
    pub fn is_turned(&self) -> bool {
        !self.typed.is_empty()
    }

    /// The files that maps are read from.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        let maps = self.typed.iter().filter(|(dial, text)| match dial.takes {
            Takes::Relevant | Takes::Monotone | Takes::Declared | Takes::Sentences => true,
            Takes::Parts => text != FindParts::WORD,
            Takes::Errors => !is_number(text),
            _ => false,
        });
        maps.map(|(_, path)| PathBuf::from(path))
    }

    /// A learner of the class that the dials say, that has observed nothing.
    pub fn start(&self, domain: &Domain, spec: &Spec) -> Result<Learner> {
        Learner::of(domain, spec).map_err(|error| match error {
            LearnError::Spec(error) => self.explained(error),
            other => other.into(),
        })
    }

    /// A message about a dial's map, with the name of its file.
    pub fn explained(&self, error: SpecError) -> anyhow::Error {
        match self.typed.iter().find(|(dial, _)| dial.name == error.dial) {
            Some((dial, text)) if dial.takes == Takes::Errors && is_number(text) => {
                (Text::from(format!("--error {text}: ")) + error.message).into()
            }
            Some((dial, text)) if dial.takes == Takes::Parts && text == FindParts::WORD => {
                (Text::from(format!("--parts {text}: ")) + error.message).into()
            }
            Some((_, path)) => {
                (Text::from(shown_path(Path::new(path))) + ": " + error.message).into()
            }
            None => error.into(),
        }
    }
}

/// What was typed for a dial; `None` where it was not turned.
fn typed(dial: &Dial, matches: &ArgMatches) -> Option<String> {
    let given = matches.value_source(dial.name) == Some(ValueSource::CommandLine);
    let text = match dial.takes {
        Takes::Switch => Some(String::new()).filter(|_| matches.get_flag(dial.name)),
        Takes::Number(..) => matches.get_one::<u64>(dial.name).map(u64::to_string),
        Takes::Algorithm | Takes::Word(_) | Takes::Errors => {
            matches.get_one::<String>(dial.name).cloned()
        }
        Takes::Relevant | Takes::Parts | Takes::Monotone | Takes::Declared | Takes::Sentences => {
            matches.get_one::<PathBuf>(dial.name).map(|path| path.to_string_lossy().into_owned())
        }
        Takes::Repairs => {
            let names = matches
                .get_many::<String>(dial.name)
                .map(|names| names.map(String::as_str).collect::<Vec<_>>());
            names.map(|names| names.join(","))
        }
    };
    text.filter(|_| given)
}

impl<const ALL: bool> clap::FromArgMatches for Dials<ALL> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Dials {
            typed: listed::<ALL>().filter_map(|dial| Some((dial, typed(dial, matches)?))).collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const ALL: bool> clap::Args for Dials<ALL> {
    fn augment_args(command: Command) -> Command {
        listed::<ALL>().fold(command, |command, dial| command.arg(argument(dial)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// All dials, for a command that refuses learners that are not safe: its help does not offer them,
/// nor their dials.
pub struct SafeDials(pub Dials<true>);

impl clap::FromArgMatches for SafeDials {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Dials::from_arg_matches(matches).map(SafeDials)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl clap::Args for SafeDials {
    fn augment_args(command: Command) -> Command {
        let shown = |dial: &Dial| match dial.takes {
            Takes::Algorithm => {
                let kinds = learners::all().map(|kind| {
                    PossibleValue::new(kind.name).help(kind.about).hide(!kind.is_safe())
                });
                argument(dial).value_parser(PossibleValuesParser::new(kinds))
            }
            _ => argument(dial).hide(dial.group == DialGroup::PlanMiner),
        };
        listed::<true>().fold(command, |command, dial| command.arg(shown(dial)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn argument(dial: &Dial) -> Arg {
    let heading = match dial.group {
        DialGroup::Class => "The class of models",
        DialGroup::Model => "Stronger assumptions, and limits",
        DialGroup::PlanMiner => "For --algorithm planminer alone",
    };
    let argument = Arg::new(dial.name).long(dial.name).help(dial.about).help_heading(heading);
    let argument = match dial.takes {
        Takes::Switch => return argument.action(ArgAction::SetTrue),
        Takes::Number(1, most) if most == u64::from(u32::MAX) => argument.value_parser(positive),
        Takes::Number(least, most) => {
            argument.value_parser(clap::value_parser!(u64).range(least..=most))
        }
        Takes::Algorithm => {
            let kinds = learners::all().map(|kind| PossibleValue::new(kind.name).help(kind.about));
            argument.value_parser(PossibleValuesParser::new(kinds))
        }
        Takes::Word(words) => argument.value_parser(PossibleValuesParser::new(words)),
        Takes::Errors => argument.allow_negative_numbers(true),
        Takes::Relevant | Takes::Parts | Takes::Monotone | Takes::Declared | Takes::Sentences => {
            argument.value_parser(clap::value_parser!(PathBuf))
        }
        Takes::Repairs => {
            let repairs = Repair::ALL
                .iter()
                .map(|repair| PossibleValue::new(repair.name()).help(repair.about()));
            let all =
                PossibleValue::new(ALL_REPAIRS).help("All of them, as planminer-repaired has them");
            argument
                .value_delimiter(',')
                .value_parser(Trimmed(PossibleValuesParser::new(repairs.chain([all]))))
        }
    };
    match dial.usual() {
        Value::Number(usual) => argument.default_value(usual.to_string()),
        Value::String(usual) => argument.default_value(usual),
        _ => argument,
    }
    .value_name(dial.value)
}

/// One of some names, with blanks around it or not: people put them after commas.
#[derive(Clone)]
struct Trimmed(PossibleValuesParser);

impl TypedValueParser for Trimmed {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let trimmed = value.to_str().map_or(value, |text| OsStr::new(text.trim()));
        self.0.parse_ref(command, argument, trimmed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

fn positive(word: &str) -> Result<u64, String> {
    word.parse()
        .ok()
        .filter(|&number| number > 0)
        .ok_or_else(|| "expected a whole number above zero".into())
}
