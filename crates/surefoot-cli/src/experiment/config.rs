//! The configuration of an experiment: as typed, and as resolved into cells.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::input;
use crate::output::shown_path;

/// A configuration file. What it leaves out is as in the paper.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Config {
    /// What the experiment is called.
    #[serde(default)]
    pub title: String,
    /// What folds and walks depend on.
    #[serde(default)]
    pub seed: u64,
    /// How many folds.
    #[serde(default = "five")]
    pub folds: usize,
    /// Numbers of traces to learn from.
    pub traces: Vec<usize>,
    /// Algorithms: `nsam`, `nsam-star`, `sam`.
    #[serde(default = "both")]
    pub algorithms: Vec<AlgorithmWord>,
    #[serde(default)]
    pub test: Test,
    #[serde(default)]
    pub planning: Option<Planning>,
    /// Settings of the dials; none: the class of the paper alone.
    #[serde(default, rename = "setting")]
    pub settings: Vec<Setting>,
    #[serde(rename = "domain")]
    pub domains: Vec<DomainConfig>,
}

fn five() -> usize {
    5
}

fn both() -> Vec<AlgorithmWord> {
    vec![AlgorithmWord::Nsam, AlgorithmWord::NsamStar]
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlgorithmWord {
    Nsam,
    NsamStar,
    Sam,
}

impl AlgorithmWord {
    pub fn name(self) -> &'static str {
        match self {
            AlgorithmWord::Nsam => "nsam",
            AlgorithmWord::NsamStar => "nsam-star",
            AlgorithmWord::Sam => "sam",
        }
    }
}

/// What models are tested on, beside the test traces.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Test {
    pub walks: usize,
    pub steps: usize,
    pub inapplicable: f64,
}

impl Default for Test {
    fn default() -> Self {
        Test { walks: 1, steps: 200, inapplicable: 0.25 }
    }
}

/// Coverage: which planners, and when.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Planning {
    /// Planners, as `plan --planner` takes them.
    pub planners: Vec<String>,
    /// Seconds for each problem.
    pub time_limit: f64,
    /// With which numbers of traces; none: with all.
    #[serde(default)]
    pub traces: Vec<usize>,
    /// At most so many test problems a fold; none: all.
    #[serde(default)]
    pub problems: Option<usize>,
}

/// A setting of the dials. What it leaves out, the domain says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Setting {
    pub name: String,
    #[serde(default)]
    pub arity: Option<usize>,
    #[serde(default)]
    pub effect_arity: Option<usize>,
    #[serde(default)]
    pub degree: Option<u32>,
    /// Recorded numbers that are learned from are rounded to so many decimals. Tests are not.
    #[serde(default)]
    pub decimals: Option<u32>,
    #[serde(default)]
    pub digits: Option<u32>,
    #[serde(default)]
    pub facet_budget: Option<usize>,
    #[serde(default)]
    pub positive_preconditions: bool,
    /// Whether the domain's monotone map is used.
    #[serde(default)]
    pub monotone: bool,
    /// Whether the domain's map of relevant functions is used; it is, unless said otherwise.
    #[serde(default)]
    pub relevant: Option<bool>,
}

/// A domain and where its traces come from: a folder, or a generator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DomainConfig {
    pub name: String,
    /// A folder with `domain.pddl` and, for each stem, a problem and a trajectory.
    #[serde(default)]
    pub folder: Option<PathBuf>,
    /// The built-in domain whose problems are generated.
    #[serde(default)]
    pub generate: Option<String>,
    /// Sizes of generated problems, by the generator's names: a number, or two for a range.
    #[serde(default)]
    pub sizes: std::collections::BTreeMap<String, String>,
    /// How many problems; of a folder, the first in the order of the seed.
    #[serde(default)]
    pub problems: Option<usize>,
    /// Traces of generated problems go on for so many random steps after the goal is reached: what a plan never shows, exploring does.
    #[serde(default)]
    pub wander: usize,
    #[serde(default)]
    pub decimals: Option<u32>,
    #[serde(default)]
    pub degree: Option<u32>,
    #[serde(default)]
    pub relevant: Option<PathBuf>,
    #[serde(default)]
    pub monotone: Option<PathBuf>,
    /// `stop`, `skip-action` or `quarantine`.
    #[serde(default)]
    pub on_bad_data: BadData,
    /// Numbers of traces for this domain alone.
    #[serde(default)]
    pub traces: Option<Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BadData {
    #[default]
    Stop,
    SkipAction,
    Quarantine,
}

/// What one cell is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Key {
    pub domain: String,
    pub setting: String,
    pub algorithm: String,
    pub traces: usize,
    pub fold: usize,
}

/// A cell, by the places of its parts in the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub domain: usize,
    pub setting: usize,
    pub algorithm: AlgorithmWord,
    pub traces: usize,
    pub fold: usize,
}

impl Config {
    /// Reads a configuration and checks what can be checked without its data. Paths become relative to the working folder.
    pub fn read(path: &Path, traces_root: Option<&Path>) -> Result<Self> {
        let source = input::source(path)?;
        let mut config: Config =
            toml::from_str(source.text()).with_context(|| format!("{} is not a configuration", shown_path(path)))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        if config.settings.is_empty() {
            config.settings.push(Setting { name: "plain".into(), ..Setting::default() });
        }
        for domain in &mut config.domains {
            domain.folder = domain.folder.take().map(|folder| traces_root.unwrap_or(beside).join(folder));
            for map in [&mut domain.relevant, &mut domain.monotone].into_iter().flatten() {
                *map = beside.join(&*map);
            }
        }
        config.check().with_context(|| format!("in {}", shown_path(path)))?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        if self.folds < 2 {
            bail!("expected at least 2 folds, found {}", self.folds);
        }
        if self.traces.is_empty() || self.traces.contains(&0) {
            bail!("traces: expected numbers above zero");
        }
        if !(0.0..=1.0).contains(&self.test.inapplicable) {
            bail!("test.inapplicable: expected a share from 0 to 1");
        }
        if let Some(planning) = &self.planning
            && !(planning.time_limit > 0.0 && planning.time_limit < 1e9)
        {
            bail!("planning.time-limit: expected seconds above zero");
        }
        unique("setting", self.settings.iter().map(|setting| &setting.name))?;
        unique("domain", self.domains.iter().map(|domain| &domain.name))?;
        for domain in &self.domains {
            match (&domain.folder, &domain.generate) {
                (Some(_), None) | (None, Some(_)) => {}
                _ => bail!("domain {}: expected either a folder or what to generate", domain.name),
            }
            if domain.wander > 0 && domain.generate.is_none() {
                bail!("domain {}: only traces of generated problems can wander", domain.name);
            }
            if domain.monotone.is_none() && self.settings.iter().any(|setting| setting.monotone) {
                bail!("domain {}: a setting wants its monotone map, but it has none", domain.name);
            }
        }
        Ok(())
    }

    /// All cells, in the order of the table.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for (domain, configured) in self.domains.iter().enumerate() {
            for setting in 0..self.settings.len() {
                for &algorithm in &self.algorithms {
                    for &traces in configured.traces.as_ref().unwrap_or(&self.traces) {
                        cells.extend((0..self.folds).map(|fold| Cell { domain, setting, algorithm, traces, fold }));
                    }
                }
            }
        }
        cells
    }

    /// What a cell is about, in words.
    pub fn key(&self, cell: &Cell) -> Key {
        Key {
            domain: self.domains[cell.domain].name.clone(),
            setting: self.settings[cell.setting].name.clone(),
            algorithm: cell.algorithm.name().into(),
            traces: cell.traces,
            fold: cell.fold,
        }
    }
}

fn unique<'a>(kind: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        let plain = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_+.*=".contains(letter));
        if !plain {
            bail!("{kind} {name:?}: names are made of letters, digits and - _ + . * =");
        }
        if !seen.insert(name) {
            bail!("there are two of {kind} {name}");
        }
    }
    if seen.is_empty() {
        bail!("expected at least one [[{kind}]]");
    }
    Ok(())
}

impl Key {
    /// The stem of the cell's file.
    pub fn stem(&self) -> String {
        format!("{}--{}--{}--{:04}--{}", self.domain, self.setting, self.algorithm, self.traces, self.fold)
    }
}
