//! The configuration of an experiment: as typed, and as resolved into cells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::learners;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use surefoot_base::assumptions::{Algorithm, Spec};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, FunctionId};
use surefoot_learn::{Learner, OnBadData};

use super::command::CommandLearner;
use surefoot_io::input;
use surefoot_io::maps;
use surefoot_io::output::shown_path;
use surefoot_io::tolerance::Tolerance;

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
    /// The number of folds of the cross-validation.
    #[serde(default = "five")]
    pub folds: usize,
    /// Numbers of traces to learn from.
    pub traces: Vec<usize>,
    /// Learners, by name: those of this program, and those that are declared here.
    #[serde(default = "both")]
    pub algorithms: Vec<String>,
    /// Learners that are programs of their own.
    #[serde(default, rename = "learner", skip_serializing_if = "Vec::is_empty")]
    pub learners: Vec<CommandLearner>,
    /// How models are tested.
    #[serde(default)]
    pub test: Test,
    /// Whether problems are solved with the models, and how; `None`: they are not.
    #[serde(default)]
    pub planning: Option<Planning>,
    /// Settings of the dials; none: the class of the paper alone.
    #[serde(default, rename = "setting")]
    pub settings: Vec<Setting>,
    /// The domains, each with its traces.
    #[serde(rename = "domain")]
    pub domains: Vec<DomainConfig>,
}

fn five() -> usize {
    5
}

fn both() -> Vec<String> {
    [Algorithm::Nsam, Algorithm::NsamStar].map(|algorithm| algorithm.name().to_owned()).into()
}

/// What models are tested on, beside the test traces.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Test {
    /// Walks for each problem.
    pub walks: usize,
    /// Steps of a walk.
    pub steps: usize,
    /// The share of steps that cannot be taken.
    pub inapplicable: f64,
    /// By how much numeric comparisons may be missed: in both models where steps are compared, in
    /// the real one where plans are judged, and by planners that have an option for it. Zero is
    /// exact; the paper has 0.1.
    #[serde(skip_serializing_if = "Tolerance::is_zero")]
    pub tolerance: Tolerance,
}

impl Default for Test {
    fn default() -> Self {
        Test { walks: 1, steps: 200, inapplicable: 0.25, tolerance: Tolerance::default() }
    }
}

/// Coverage: which planners, and when. Each entry is a column of its own; planners with `+` between
/// are tried one after the other, which is one column (`metric-ff+enhsp`, as the paper measures).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Planning {
    /// Planners, as `evaluate --planner` takes them.
    pub planners: Vec<String>,
    /// Seconds for each planner and problem.
    pub time_limit: f64,
    /// With which numbers of traces; none: with all.
    #[serde(default)]
    pub traces: Vec<usize>,
    /// At most so many test problems a fold; none: all.
    #[serde(default)]
    pub problems: Option<usize>,
    /// In so many folds, the first ones; none: in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folds: Option<usize>,
}

impl Planning {
    /// How many of a cell's test problems are planned for.
    pub fn of(&self, cell: &ExperimentCell, test_problems: usize) -> usize {
        let left_out = !self.traces.is_empty() && !self.traces.contains(&cell.traces)
            || self.folds.is_some_and(|folds| cell.fold >= folds);
        if left_out { 0 } else { self.problems.unwrap_or(test_problems).min(test_problems) }
    }
}

/// A setting of the dials. What it leaves out, the domain says.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Setting {
    /// Its name in results.
    pub name: String,
    /// Whether the domain's monotone map is used.
    #[serde(default)]
    pub monotone: bool,
    /// Whether the domain's map of relevant functions is used; it is, unless said otherwise.
    #[serde(default)]
    pub relevant: Option<bool>,
    /// The other dials, by name. Recorded numbers that are learned from are rounded to `decimals`;
    /// tests are not.
    #[serde(flatten)]
    pub dials: BTreeMap<String, Value>,
}

impl Setting {
    /// The dials that it sets, on top of others.
    fn set(&self, spec: &mut Spec) -> Result<()> {
        for (name, value) in &self.dials {
            if name == "algorithm" {
                bail!("setting {}: algorithms have a list of their own", self.name);
            }
            if name == "parts" {
                bail!("setting {}: experiments do not learn actions by parts", self.name);
            }
            spec.set(name, value.clone()).with_context(|| format!("setting {}", self.name))?;
        }
        Ok(())
    }

    /// The dials that it sets, the rest as usual.
    pub fn spec(&self) -> Spec {
        let mut spec = Spec::default();
        // A configuration that was read is one whose dials fit.
        let _ = self.set(&mut spec);
        spec
    }

    /// To how many decimals it rounds recorded numbers, beyond what the domain says.
    pub fn decimals(&self) -> Option<u32> {
        self.dials
            .get("decimals")
            .and_then(Value::as_u64)
            .and_then(|places| u32::try_from(places).ok())
    }
}

/// A domain and where its traces come from: a folder, or a generator.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DomainConfig {
    /// Its name in results.
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
    /// Traces of generated problems go on for so many random steps after the goal is reached: what
    /// a plan never shows, exploring does.
    #[serde(default)]
    pub wander: usize,
    /// Recorded numbers are rounded to this many decimals.
    #[serde(default)]
    pub decimals: Option<u32>,
    /// The degree of products.
    #[serde(default)]
    pub degree: Option<u32>,
    /// A file of relevant functions.
    #[serde(default)]
    pub relevant: Option<PathBuf>,
    /// A file of monotone marks.
    #[serde(default)]
    pub monotone: Option<PathBuf>,
    /// What models of this domain are measured against.
    #[serde(default, skip_serializing_if = "Measured::is_usual")]
    pub truth: Measured,
    /// `stop`, `skip-action` or `quarantine`. With `quarantine`, the real domain need not replay
    /// the few steps that count as recording errors, either.
    #[serde(default)]
    pub on_bad_data: OnBadData,
    /// Numbers of traces for this domain alone.
    #[serde(default)]
    pub traces: Option<Vec<usize>>,
}

/// What models are measured against.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// The bodies of the actions in `domain.pddl`, which replay the traces.
    #[default]
    Domain,
    /// Nobody knows the real domain: held-out traces are scored.
    None,
}

impl Measured {
    fn is_usual(&self) -> bool {
        *self == Measured::Domain
    }
}

/// What one cell is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CellKey {
    /// The name of the domain.
    pub domain: String,
    /// The name of the setting.
    pub setting: String,
    /// The name of the learner.
    pub algorithm: String,
    /// How many traces are learned from.
    pub traces: usize,
    /// The fold, from 0.
    pub fold: usize,
}

/// A cell, by the places of its parts in the configuration.
#[derive(Clone, Copy, Debug)]
pub struct ExperimentCell {
    /// Which domain of the configuration.
    pub domain: usize,
    /// The index of the setting in the configuration.
    pub setting: usize,
    /// The index of the learner in the configuration.
    pub algorithm: usize,
    /// How many traces are learned from.
    pub traces: usize,
    /// The fold, from 0.
    pub fold: usize,
}

impl Config {
    /// Reads a configuration and checks what can be checked without its data. Paths become relative
    /// to the working folder.
    pub fn read(path: &Path, traces_root: Option<&Path>) -> Result<Self> {
        let source = input::source(path)?;
        let mut config: Config = toml::from_str(source.text())
            .with_context(|| format!("{} is not a configuration", shown_path(path)))?;
        let beside = path.parent().unwrap_or(Path::new(""));
        if config.settings.is_empty() {
            config.settings.push(Setting { name: "plain".into(), ..Setting::default() });
        }
        for domain in &mut config.domains {
            domain.folder =
                domain.folder.take().map(|folder| traces_root.unwrap_or(beside).join(folder));
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
        self.settings.iter().try_for_each(|setting| setting.set(&mut Spec::default()))?;
        if !self.learners.is_empty() {
            unique("learner", self.learners.iter().map(|learner| &learner.name))?;
        }
        for learner in &self.learners {
            learner.check()?;
        }
        unique("algorithm", self.algorithms.iter())?;
        for name in &self.algorithms {
            if learners::find(name).is_none() && self.command(name).is_none() {
                bail!(
                    "algorithms: there is no learner {name}; declare it with [[learner]], its name \
                     and its command"
                );
            }
        }
        for (index, name) in self.algorithms.iter().enumerate() {
            if !(0..self.settings.len()).any(|setting| self.goes_with(setting, index)) {
                bail!(
                    "algorithms: {name} reads what no [[setting]] sets; add one that sets nothing"
                );
            }
        }
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
    pub fn cells(&self) -> Vec<ExperimentCell> {
        let mut cells = Vec::new();
        for (domain, configured) in self.domains.iter().enumerate() {
            for setting in 0..self.settings.len() {
                for algorithm in (0..self.algorithms.len())
                    .filter(|&algorithm| self.goes_with(setting, algorithm))
                {
                    for &traces in configured.traces.as_ref().unwrap_or(&self.traces) {
                        cells.extend((0..self.folds).map(|fold| ExperimentCell {
                            domain,
                            setting,
                            algorithm,
                            traces,
                            fold,
                        }));
                    }
                }
            }
        }
        cells
    }

    /// Whether a learner of this program reads what a setting sets: one that does not has no cells
    /// there.
    fn goes_with(&self, setting: usize, algorithm: usize) -> bool {
        let Some(kind) = learners::find(&self.algorithms[algorithm]) else { return true };
        let setting = &self.settings[setting];
        kind.check_dials(&setting.spec()).is_ok() && (kind.is_safe() || !setting.monotone)
    }

    /// The learner that is a program, of a name.
    pub fn command(&self, name: &str) -> Option<&CommandLearner> {
        self.learners.iter().find(|learner| learner.name == name)
    }

    /// The name of a cell's learner.
    pub fn learner(&self, cell: &ExperimentCell) -> &str {
        &self.algorithms[cell.algorithm]
    }

    /// The dials of a cell: those of its setting, and what its domain says besides.
    pub fn spec(&self, cell: &ExperimentCell) -> Result<Spec> {
        let (setting, domain) = (&self.settings[cell.setting], &self.domains[cell.domain]);
        let mut spec = Spec::default().with(|spec| {
            spec.degree = domain.degree.unwrap_or(1);
            spec.decimals = domain.decimals;
        });
        spec.algorithm = Algorithm::find(self.learner(cell)).unwrap_or_default();
        if let (Some(path), true) = (&domain.relevant, setting.relevant.unwrap_or(true)) {
            spec.relevant = maps::relevant(path)?;
        }
        if let (Some(path), true) = (&domain.monotone, setting.monotone) {
            spec.monotone = maps::monotone(path)?;
        }
        setting.set(&mut spec)?;
        Ok(spec)
    }

    /// How far recorded numbers may be from the true ones by what any setting says.
    pub fn errors(&self, domain: &Domain) -> BTreeMap<FunctionId, Rational> {
        let specs = self.settings.iter().map(Setting::spec).filter(|spec| !spec.error.is_empty());
        let mut errors = BTreeMap::new();
        // A setting that does not fit the domain fails in its cells.
        for learner in specs.filter_map(|spec| Learner::of(domain, &spec).ok()) {
            for (&function, error) in &learner.class().errors {
                let largest = errors.entry(function).or_insert_with(|| error.clone());
                *largest = largest.clone().max(error.clone());
            }
        }
        errors
    }

    /// What a cell is about, in words.
    pub fn key(&self, cell: &ExperimentCell) -> CellKey {
        CellKey {
            domain: self.domains[cell.domain].name.clone(),
            setting: self.settings[cell.setting].name.clone(),
            algorithm: self.algorithms[cell.algorithm].clone(),
            traces: cell.traces,
            fold: cell.fold,
        }
    }
}

fn unique<'a>(kind: &str, names: impl Iterator<Item = &'a String>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for name in names {
        let plain = !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "-_+.*=".contains(letter));
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

impl CellKey {
    /// The stem of the cell's file.
    pub fn stem(&self) -> String {
        format!(
            "{}--{}--{}--{:04}--{}",
            self.domain, self.setting, self.algorithm, self.traces, self.fold
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn ready_configurations_are_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
        let mut files: Vec<PathBuf> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in &files {
            let config = Config::read(file, None);
            assert!(config.is_ok(), "{}: {:#}", file.display(), config.err().unwrap());
        }
        assert!(files.len() >= 5, "{files:?}");
    }
}
