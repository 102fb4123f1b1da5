//! The folder of an experiment, read back: what `surefoot experiment` wrote, checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use surefoot_analysis::evaluate::Metric;

use crate::experiment::config::{CellKey, Config};
use crate::experiment::measure::{FailedPart, Measure, Standing};
use crate::experiment::results::CellRecord;
use crate::portrait::{Mistakes, Portrait};
use surefoot_io::output::shown_path;

/// All that a report needs.
pub struct Results {
    pub config: Config,
    pub version: String,
    pub summary: SummaryFigures,
    pub assumptions: Vec<Assumption>,
    pub failures: Vec<FailureRow>,
    pub times: Times,
    pub sizes: Vec<DomainSize>,
    pub models: Vec<ModelFigures>,
    pub mistaken: Vec<MistakenModel>,
}

/// A mean over folds.
#[derive(Clone, Debug)]
pub struct Figure {
    pub domain: String,
    pub setting: String,
    pub algorithm: String,
    pub traces: usize,
    pub standing: Standing,
    pub metric: Measure,
    /// How many folds it is the mean of.
    pub folds: usize,
    pub mean: f64,
    /// Half the width of the confidence interval; `None` of one or two folds, of which it is wider
    /// than all that a share can be.
    pub half_width: Option<f64>,
}

impl Figure {
    /// The sum over folds.
    pub fn total(&self) -> f64 {
        self.mean * self.folds as f64
    }
}

/// A row of `summary.csv`.
#[derive(Deserialize)]
struct SummaryRow {
    domain: String,
    setting: String,
    algorithm: String,
    traces: usize,
    assumption: Standing,
    metric: String,
    folds: usize,
    mean: String,
    half_width_95: String,
}

impl SummaryRow {
    fn figure(self) -> Result<Figure> {
        let width = (!self.half_width_95.is_empty()).then(|| finite(&self.half_width_95));
        let (Some(mean), None | Some(Some(_))) = (finite(&self.mean), width) else {
            bail!("expected numbers for mean and half_width_95");
        };
        Ok(Figure {
            metric: self.metric.parse()?,
            domain: self.domain,
            setting: self.setting,
            algorithm: self.algorithm,
            traces: self.traces,
            standing: self.assumption,
            folds: self.folds,
            mean,
            half_width: width.flatten().filter(|_| self.folds > 2),
        })
    }
}

/// A number that is neither infinite nor missing.
fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Which line of a learning curve: a domain, a setting and an algorithm, by their names in the
/// configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SummaryLine<'a> {
    pub domain: &'a str,
    pub setting: &'a str,
    pub algorithm: &'a str,
}

/// The figures of a summary, in its order, found by what they are of.
pub struct SummaryFigures {
    figures: Vec<Figure>,
    /// By domain, setting, algorithm and measure: places among the figures, by growing numbers of
    /// traces.
    curves: BTreeMap<(String, String, String), HashMap<Measure, Vec<usize>>>,
}

impl SummaryFigures {
    fn new(figures: Vec<Figure>) -> Self {
        let mut curves: BTreeMap<_, HashMap<Measure, Vec<usize>>> = BTreeMap::new();
        for (place, figure) in figures.iter().enumerate() {
            let line = (figure.domain.clone(), figure.setting.clone(), figure.algorithm.clone());
            curves.entry(line).or_default().entry(figure.metric.clone()).or_default().push(place);
        }
        curves
            .values_mut()
            .flat_map(HashMap::values_mut)
            .for_each(|places| places.sort_by_key(|&place| figures[place].traces));
        SummaryFigures { figures, curves }
    }

    fn is_empty(&self) -> bool {
        self.figures.is_empty()
    }

    /// All figures of a metric, in the order of the file.
    pub fn of(&self, metric: Metric) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |figure| figure.metric == Measure::Metric(metric))
    }

    /// The figures of one line of a learning curve, by growing numbers of traces.
    pub fn curve(
        &self,
        line: SummaryLine<'_>,
        measure: impl Into<Measure>,
    ) -> impl DoubleEndedIterator<Item = &Figure> {
        let key = (line.domain.to_owned(), line.setting.to_owned(), line.algorithm.to_owned());
        let places = self.curves.get(&key).and_then(|curves| curves.get(&measure.into()));
        places.into_iter().flatten().map(|&place| &self.figures[place])
    }

    /// One figure of a line.
    pub fn figure(
        &self,
        line: SummaryLine<'_>,
        traces: usize,
        measure: impl Into<Measure>,
    ) -> Option<&Figure> {
        self.curve(line, measure).find(|figure| figure.traces == traces)
    }

    /// Whether there are figures of an algorithm.
    pub fn has(&self, algorithm: &str) -> bool {
        self.figures.iter().any(|figure| figure.algorithm == algorithm)
    }

    /// The figure with the most traces.
    pub fn last(&self, line: SummaryLine<'_>, measure: impl Into<Measure>) -> Option<&Figure> {
        self.curve(line, measure).next_back()
    }

    /// Numbers of traces that a domain has figures of, ascending.
    pub fn traces(&self, domain: &str) -> BTreeSet<usize> {
        self.figures
            .iter()
            .filter(|figure| figure.domain == domain)
            .map(|figure| figure.traces)
            .collect()
    }
}

/// A row of `assumptions.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct Assumption {
    pub domain: String,
    pub setting: String,
    /// The learner; an empty name stands for all of them.
    #[serde(default)]
    pub algorithm: String,
    /// What the figures are about.
    #[serde(default)]
    pub measured: String,
    #[serde(rename = "assumption")]
    pub standing: Standing,
    pub refuted_by: String,
    #[serde(default)]
    pub undecided: String,
}

impl Assumption {
    pub fn holds(&self) -> bool {
        self.standing == Standing::Holds
    }

    fn is_of(&self, line: SummaryLine<'_>) -> bool {
        let of_algorithm = self.algorithm.is_empty() || self.algorithm == line.algorithm;
        self.domain == line.domain && self.setting == line.setting && of_algorithm
    }
}

/// A row of `failures.csv`.
#[derive(Clone, Debug, Deserialize)]
pub struct FailureRow {
    pub domain: String,
    pub setting: String,
    pub algorithm: String,
    pub traces: usize,
    pub fold: usize,
    /// What of the cell failed.
    #[serde(default)]
    pub part: FailedPart,
    pub error: String,
}

/// A row of `domains.csv`: a domain's size as the paper's Table 2 counts it.
#[derive(Clone, Debug, Deserialize)]
pub struct DomainSize {
    pub domain: String,
    pub actions: String,
    pub numeric_actions: String,
    pub predicates: String,
    pub functions: String,
    pub numeric_preconditions: String,
    pub numeric_effects: String,
    pub max_literals: String,
    pub max_functions: String,
}

impl DomainSize {
    /// Its counts, in the order of Table 2.
    pub fn counts(&self) -> [&str; 8] {
        [
            &self.actions,
            &self.numeric_actions,
            &self.predicates,
            &self.functions,
            &self.numeric_preconditions,
            &self.numeric_effects,
            &self.max_literals,
            &self.max_functions,
        ]
    }
}

/// A row of `timings.csv`.
#[derive(Clone, Debug, Deserialize)]
struct Timing {
    domain: String,
    setting: String,
    algorithm: String,
    traces: usize,
    learn_seconds: f64,
}

/// How long learning took, by the clock, so that it differs from run to run.
#[derive(Default)]
pub struct Times {
    rows: Vec<Timing>,
}

impl Times {
    fn read(file: &Path) -> Result<Self> {
        Ok(Times { rows: table_if_there(file)? })
    }

    /// Seconds for one line by number of traces: the mean over folds. A cell that was not measured
    /// has none.
    pub fn curve(&self, line: SummaryLine<'_>) -> Vec<(usize, f64)> {
        let mut folds: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.learn_seconds > 0.0) {
            if row.domain == line.domain
                && row.setting == line.setting
                && row.algorithm == line.algorithm
            {
                folds.entry(row.traces).or_default().push(row.learn_seconds);
            }
        }
        folds
            .into_iter()
            .map(|(traces, seconds)| (traces, seconds.iter().sum::<f64>() / seconds.len() as f64))
            .collect()
    }
}

/// A learned model that was kept, and which algorithms came to it.
pub struct ModelFigures {
    pub domain: String,
    pub setting: String,
    pub algorithms: Vec<String>,
    pub traces: usize,
    pub portrait: Portrait,
}

/// A model of a learner that promises nothing, and what it got wrong.
pub struct MistakenModel {
    pub domain: String,
    pub setting: String,
    pub algorithm: String,
    pub traces: usize,
    pub mistakes: Mistakes,
}

impl ModelFigures {
    /// Whether another algorithm came to this model, too.
    fn is_same(&self, key: &CellKey, portrait: &Portrait) -> bool {
        self.domain == key.domain && self.setting == key.setting && self.portrait == *portrait
    }
}

#[derive(Deserialize)]
struct ResolvedConfig {
    version: String,
    config: Config,
}

impl Results {
    /// Reads a folder; says what is missing or damaged in it, and what to do.
    pub fn read(folder: &Path) -> Result<Self> {
        if !folder.is_dir() {
            bail!(
                "{}: there is no such folder; `surefoot experiment CONFIG.toml -o FOLDER` makes \
                 one",
                shown_path(folder)
            );
        }
        let described = folder.join("experiment.json");
        if !described.exists() {
            bail!(
                "{} holds no experiment: it has no experiment.json; `surefoot experiment \
                 CONFIG.toml -o FOLDER` makes one",
                shown_path(folder)
            );
        }
        let ResolvedConfig { version, config } = serde_json::from_str(&text(&described)?)
            .with_context(|| {
                format!(
                    "{} is damaged; remove the folder and run the experiment again",
                    shown_path(described)
                )
            })?;
        if !folder.join("summary.csv").exists() {
            bail!(
                "{} has no summary.csv: the experiment was stopped before its end; run the same \
                 `surefoot experiment` command again, \
                 which goes on where it was",
                shown_path(folder)
            );
        }
        let summary = SummaryFigures::new(figures(&folder.join("summary.csv"))?);
        let failures: Vec<FailureRow> = table(&folder.join("failures.csv"))?;
        if summary.is_empty() && failures.is_empty() {
            bail!("{} has no results: summary.csv and failures.csv are empty", shown_path(folder));
        }
        let assumptions = table(&folder.join("assumptions.csv"))?;
        let times = Times::read(&folder.join("timings.csv"))?;
        let sizes = table_if_there(&folder.join("domains.csv"))?;
        let (models, mistaken) = models(folder, &config)?;
        Ok(Results {
            config,
            version,
            summary,
            assumptions,
            failures,
            times,
            sizes,
            models,
            mistaken,
        })
    }

    /// Every line, in the order of the configuration.
    pub fn lines(&self) -> impl Iterator<Item = SummaryLine<'_>> {
        let Config { domains, settings, .. } = &self.config;
        domains.iter().flat_map(move |domain| {
            settings.iter().flat_map(move |setting| {
                let algorithms = self.algorithms().into_iter();
                algorithms.map(|algorithm| SummaryLine {
                    domain: &domain.name,
                    setting: &setting.name,
                    algorithm,
                })
            })
        })
    }

    /// What is true of what one algorithm assumes.
    pub fn assumption(&self, line: SummaryLine<'_>) -> Option<&Assumption> {
        self.assumptions.iter().find(|row| row.is_of(line))
    }

    /// How many cells failed, or this part of them.
    pub fn failed(&self, part: FailedPart) -> usize {
        self.failures.iter().filter(|row| row.part == part).count()
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

/// A table that experiments of earlier versions did not write.
fn table_if_there<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    if path.exists() { table(path) } else { Ok(Vec::new()) }
}

/// The figures of a `summary.csv`, in its order.
fn figures(file: &Path) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (index, row) in table::<SummaryRow>(file)?.into_iter().enumerate() {
        figures.push(
            row.figure().map_err(|error| {
                anyhow!("{}:{}: {error}; {ADVICE}", shown_path(file), index + 2)
            })?,
        );
    }
    Ok(figures)
}

/// Where the record of a cell is.
fn record_path(folder: &Path, key: &CellKey) -> PathBuf {
    folder.join("cells").join(key.stem() + ".json")
}

/// What was kept of models: of each domain, setting and algorithm the one with the most traces.
/// Equal ones that are safe become one.
fn models(folder: &Path, config: &Config) -> Result<(Vec<ModelFigures>, Vec<MistakenModel>)> {
    let mut models: Vec<ModelFigures> = Vec::new();
    let mut mistaken = Vec::new();
    for domain in &config.domains {
        let mut numbers = domain.traces.as_ref().unwrap_or(&config.traces).clone();
        numbers.sort_unstable();
        for setting in &config.settings {
            for algorithm in &config.algorithms {
                let mut keys = numbers.iter().rev().map(|&traces| CellKey {
                    domain: domain.name.clone(),
                    setting: setting.name.clone(),
                    algorithm: algorithm.clone(),
                    traces,
                    fold: 0,
                });
                let Some(key) = keys.find(|key| record_path(folder, key).exists()) else {
                    continue;
                };
                let path = record_path(folder, &key);
                let record: CellRecord = serde_json::from_str(&text(&path)?)
                    .with_context(|| format!("{} is damaged; {ADVICE}", shown_path(&path)))?;
                if let Some(mistakes) = record.mistakes {
                    let CellKey { domain, setting, algorithm, traces, .. } = key.clone();
                    mistaken.push(MistakenModel { domain, setting, algorithm, traces, mistakes });
                }
                let Some(portrait) = record.portrait else { continue };
                match models.iter_mut().find(|model| model.is_same(&key, &portrait)) {
                    Some(model) => model.algorithms.push(key.algorithm),
                    None => models.push(ModelFigures {
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
    Ok((models, mistaken))
}
