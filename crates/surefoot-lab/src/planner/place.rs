//! Where planners of others are found: where the user says, where a variable of the environment
//! says, in the usual places.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Arg, ArgMatches, Args, Command, ValueHint, value_parser};

use surefoot_base::advice::{Setting, Spelling};
use surefoot_io::output::shown_path;
use surefoot_io::spelling::Options;

use super::PLANNERS;

/// Where a planner is found.
pub struct PlannerPlace {
    /// The planner as its authors write it.
    pub title: &'static str,
    /// What is looked for, in a word.
    pub what: &'static str,
    /// The same, as it stands for the value in the help.
    pub value: &'static str,
    /// The option that names it, without dashes.
    pub option: &'static str,
    /// The variable of the environment that names it where the option does not.
    pub variable: &'static str,
    /// Where it is otherwise, in words.
    pub otherwise: &'static str,
    /// Looks in the usual places.
    pub usual: fn() -> Option<PathBuf>,
    /// What a user can do when it is nowhere.
    pub advice: &'static str,
}

impl PlannerPlace {
    /// The file named, or that of the variable, or the one in the usual places.
    pub fn find(&self, places: &PlannerPlaces) -> Result<PathBuf> {
        let PlannerPlace { title, what, option, variable, advice, .. } = self;
        if let Some(path) = places.named.get(option) {
            return named_file(path, &Options.name(Setting::Files(option)));
        }
        if let Some(path) = env::var_os(variable).filter(|value| !value.is_empty()) {
            return named_file(Path::new(&path), variable);
        }
        match (self.usual)() {
            Some(path) => Ok(path),
            None => bail!(
                "{title} was not found: name its {what} in the environment variable {variable}, \
                 or {advice}"
            ),
        }
    }

    fn argument(&self) -> Arg {
        let PlannerPlace { title, what, value, option, variable, otherwise, .. } = self;
        Arg::new(*option)
            .long(*option)
            .value_name(*value)
            .value_parser(value_parser!(PathBuf))
            .value_hint(ValueHint::ExecutablePath)
            .help(format!("The {what} of {title}; without it {variable}, then {otherwise}"))
    }
}

/// Where a user says that planners are: an option for each planner of the table that has a place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlannerPlaces {
    /// The files that options name, by option.
    named: BTreeMap<&'static str, PathBuf>,
}

impl PlannerPlaces {
    /// All that are named.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.named.values().map(PathBuf::as_path)
    }
}

fn all() -> impl Iterator<Item = &'static PlannerPlace> {
    PLANNERS.iter().filter_map(|entry| entry.place.as_ref())
}

impl Args for PlannerPlaces {
    fn augment_args(command: Command) -> Command {
        command.args(all().map(PlannerPlace::argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for PlannerPlaces {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = all().filter_map(|place| {
            Some((place.option, matches.get_one::<PathBuf>(place.option)?.clone()))
        });
        Ok(PlannerPlaces { named: named.collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A file that a user named.
fn named_file(path: &Path, option: &str) -> Result<PathBuf> {
    if !path.is_file() {
        bail!("{}: there is no such file ({option})", shown_path(path));
    }
    Ok(std::path::absolute(path)?)
}

/// What `scripts/planners.sh` installed below the folder we are in:
/// `.tools/planners/PREFIX*/INNER`.
pub(super) fn installed(prefix: &str, inner: &str) -> Option<PathBuf> {
    let folders = std::fs::read_dir(Path::new(".tools/planners")).ok()?;
    let matching =
        folders.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let found =
        matching.map(|entry| entry.path().join(inner)).filter(|path| path.is_file()).max()?;
    std::path::absolute(found).ok()
}

/// The file that a program's name stands for: itself where it is a path, else the first of that
/// name on `PATH`.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let folders = if program.contains('/') {
        vec![PathBuf::new()]
    } else {
        std::env::split_paths(&std::env::var_os("PATH")?).collect()
    };
    folders.into_iter().map(|folder| folder.join(program)).find(|path| path.is_file())
}
