//! The folder of an experiment, read back: what `surefoot experiment` wrote, checked.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::experiment::config::{Config, Key};
use crate::experiment::results::Record;
use crate::output::shown_path;
use crate::portrait::Portrait;

/// All that a report needs.
pub struct Results {
    pub config: Config,
    pub version: String,
    pub summary: Vec<Figure>,
    pub assumptions: Vec<Assumption>,
    pub failures: Vec<Failure>,
    pub models: Vec<Model>,
}

/// A row of `summary.csv`. Numbers are kept as they are written there, too.
#[derive(Clone, Debug, Deserialize)]
pub struct Figure {
    pub domain: String,
    pub setting: String,
    pub algorithm: String,
    pub traces: usize,
    pub assumption: String,
    pub metric: String,
    pub mean: String,
    pub half_width_95: String,
}

impl Figure {
    /// The mean; rows are checked when they are read.
    pub fn value(&self) -> f64 {
        self.mean.parse().unwrap_or(f64::NAN)
    }

    /// Half the width of the confidence interval; `None` of a single fold.
    pub fn half_width(&self) -> Option<f64> {
        self.half_width_95.parse().ok()
    }
}

/// A row of `assumptions.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct Assumption {
    pub domain: String,
    pub setting: String,
    /// Empty: all.
    #[serde(default)]
    pub algorithm: String,
    /// What the figures are about.
    #[serde(default)]
    pub measured: String,
    pub assumption: String,
    pub refuted_by: String,
    #[serde(default)]
    pub undecided: String,
}

impl Assumption {
    pub fn holds(&self) -> bool {
        self.assumption == "holds"
    }
}

/// A row of `failures.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct Failure {
    pub domain: String,
    pub setting: String,
    pub algorithm: String,
    pub traces: usize,
    pub fold: usize,
    /// What of the cell failed: `all`, or `coverage` alone.
    #[serde(default = "all")]
    pub part: String,
    pub error: String,
}

fn all() -> String {
    "all".into()
}

/// A learned model that was kept, and which algorithms came to it.
pub struct Model {
    pub domain: String,
    pub setting: String,
    pub algorithms: Vec<String>,
    pub traces: usize,
    pub portrait: Portrait,
}

#[derive(Deserialize)]
struct Resolved {
    version: String,
    config: Config,
}

impl Results {
    /// Reads a folder; says what is missing or damaged in it, and what to do.
    pub fn read(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            bail!("{}: there is no such folder; `surefoot experiment CONFIG.toml -o FOLDER` makes one", shown_path(folder));
        }
        let described = folder.join("experiment.json");
        if !described.exists() {
            bail!(
                "{} holds no experiment: it has no experiment.json; `surefoot experiment CONFIG.toml -o FOLDER` makes one",
                shown_path(folder)
            );
        }
        let Resolved { version, config } = serde_json::from_str(&text(&described)?)
            .with_context(|| format!("{} is damaged; remove the folder and run the experiment again", shown_path(described)))?;
        if !folder.join("summary.csv").exists() {
            bail!(
                "{} has no summary.csv: the experiment was stopped before its end; run the same `surefoot experiment` command again, \
                 which goes on where it was",
                shown_path(folder)
            );
        }
        let summary: Vec<Figure> = table(&folder.join("summary.csv"))?;
        for (index, figure) in summary.iter().enumerate() {
            let number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
            if !number(&figure.mean) || !(figure.half_width_95.is_empty() || number(&figure.half_width_95)) {
                let file = folder.join("summary.csv");
                bail!("{}:{}: expected numbers for mean and half_width_95; {ADVICE}", shown_path(file), index + 2);
            }
        }
        let failures: Vec<Failure> = table(&folder.join("failures.csv"))?;
        if summary.is_empty() && failures.is_empty() {
            bail!("{} has no results: summary.csv and failures.csv are empty", shown_path(folder));
        }
        let assumptions = table(&folder.join("assumptions.csv"))?;
        let models = models(folder, &config)?;
        Ok(Results { config, version, summary, assumptions, failures, models })
    }

    /// A figure of the summary.
    pub fn figure(&self, domain: &str, setting: &str, algorithm: &str, traces: usize, metric: &str) -> Option<&Figure> {
        self.summary.iter().find(|row| {
            row.domain == domain
                && row.setting == setting
                && row.algorithm == algorithm
                && row.traces == traces
                && row.metric == metric
        })
    }

    /// The figures of one line of a learning curve, by growing numbers of traces.
    pub fn curve(&self, domain: &str, setting: &str, algorithm: &str, metric: &str) -> Vec<&Figure> {
        let mine =
            |row: &&Figure| row.domain == domain && row.setting == setting && row.algorithm == algorithm && row.metric == metric;
        let mut rows: Vec<&Figure> = self.summary.iter().filter(mine).collect();
        rows.sort_by_key(|row| row.traces);
        rows
    }

    /// The figure with the most traces.
    pub fn last(&self, domain: &str, setting: &str, algorithm: &str, metric: &str) -> Option<&Figure> {
        self.curve(domain, setting, algorithm, metric).pop()
    }

    /// Numbers of traces that a domain has figures of, ascending.
    pub fn traces(&self, domain: &str) -> Vec<usize> {
        let mut traces: Vec<usize> = self.summary.iter().filter(|row| row.domain == domain).map(|row| row.traces).collect();
        traces.sort_unstable();
        traces.dedup();
        traces
    }

    /// What is true of what one algorithm assumes.
    pub fn assumption(&self, domain: &str, setting: &str, algorithm: &str) -> Option<&Assumption> {
        self.assumptions.iter().find(|row| {
            row.domain == domain && row.setting == setting && (row.algorithm == algorithm || row.algorithm.is_empty())
        })
    }

    /// Names of the algorithms, in the order of the configuration.
    pub fn algorithms(&self) -> Vec<&str> {
        self.config.algorithms.iter().map(String::as_str).collect()
    }
}

const ADVICE: &str = "run the same `surefoot experiment` command again, which writes it anew";

fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", shown_path(path)))
}

fn table<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = text(path)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize().collect::<Result<Vec<T>, csv::Error>>();
    rows.map_err(|error| anyhow!("{}: {error}; {ADVICE}", shown_path(path)))
}

/// The models that were kept: of each domain, setting and algorithm the one with the most traces. Equal ones become one.
fn models(folder: &Path, config: &Config) -> Result<Vec<Model>> {
    let mut models: Vec<Model> = Vec::new();
    for domain in &config.domains {
        let mut numbers = domain.traces.as_ref().unwrap_or(&config.traces).clone();
        numbers.sort_unstable();
        for setting in &config.settings {
            for algorithm in &config.algorithms {
                let key = |&traces: &usize| Key {
                    domain: domain.name.clone(),
                    setting: setting.name.clone(),
                    algorithm: algorithm.clone(),
                    traces,
                    fold: 0,
                };
                let path = |key: &Key| folder.join("cells").join(key.stem() + ".json");
                let Some(key) = numbers.iter().rev().map(key).find(|key| path(key).exists()) else { continue };
                let record: Record = serde_json::from_str(&text(&path(&key))?)
                    .with_context(|| format!("{} is damaged; {ADVICE}", shown_path(path(&key))))?;
                let Some(portrait) = record.portrait else { continue };
                let same =
                    |model: &&mut Model| model.domain == key.domain && model.setting == key.setting && model.portrait == portrait;
                match models.iter_mut().find(same) {
                    Some(model) => model.algorithms.push(key.algorithm),
                    None => models.push(Model {
                        domain: key.domain,
                        setting: key.setting,
                        algorithms: vec![key.algorithm],
                        traces: key.traces,
                        portrait,
                    }),
                }
            }
        }
    }
    Ok(models)
}
