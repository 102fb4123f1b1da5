//! The results of cells on disk: one file for each, written whole; and the tables made of them.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefoot_analysis::evaluate::semantic::ActionSemantics;
use surefoot_analysis::evaluate::syntactic::ActionSyntax;
use surefoot_analysis::evaluate::{ActionLogScore, Interval, Kind, LogScore, Metric, Scores};
use surefoot_base::model::Domain;

use super::config::CellKey;
use super::measure::{FailedPart, Measure, Standing, as_text};
use crate::portrait::{Mistakes, Portrait};
use surefoot_io::interrupt;
use surefoot_io::output::{make_folder, shown_path, write_file};
use surefoot_io::tolerance::Tolerance;

/// The result of a cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CellRecord {
    /// Which cell it is.
    pub key: CellKey,
    /// The digest of all that the result depends on: the learner's version, the configuration and
    /// the data.
    #[serde(default)]
    pub identity: String,
    /// Why it failed; `None`: it did not.
    pub error: Option<String>,
    /// Why its coverage was not measured, though all else was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_error: Option<String>,
    /// What is assumed that is not true of the real domain.
    pub assumption: Vec<String>,
    /// Of what is assumed, what is not decided.
    #[serde(default)]
    pub undecided: Vec<String>,
    /// The measured values, in the order of the metrics.
    pub values: Vec<MetricValue>,
    /// By how much comparisons could be missed.
    #[serde(default, skip_serializing_if = "Tolerance::is_zero")]
    pub tolerance: Tolerance,
    /// The learned model to look at; kept of one fold with the most traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portrait: Option<Portrait>,
    /// What a model that promises nothing gets wrong in the tests; kept of one fold with the most
    /// traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mistakes: Option<Mistakes>,
    /// Not part of the tables of results, which are the same on every machine.
    pub seconds: Seconds,
}

/// One measured number of a cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MetricValue {
    /// Empty: the mean over actions, or a figure of the whole model.
    pub action: String,
    /// The quantity that was measured.
    pub metric: Measure,
    /// The value, as text, so that no digit is lost.
    #[serde(with = "as_text")]
    pub value: f64,
}

/// How long a cell took, by the clock.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Seconds {
    /// To read the traces, observe their steps and conclude a model, also where cells share what
    /// was observed.
    pub learn: f64,
    /// For testing the model.
    pub evaluate: f64,
    /// For planning with it.
    pub plan: f64,
}

impl Seconds {
    /// All of it together.
    pub fn total(self) -> f64 {
        self.learn + self.evaluate + self.plan
    }
}

impl CellRecord {
    /// A cell of which nothing is measured yet.
    pub fn new(key: CellKey, identity: &str) -> Self {
        CellRecord {
            key,
            identity: identity.to_owned(),
            error: None,
            coverage_error: None,
            assumption: Vec::new(),
            undecided: Vec::new(),
            values: Vec::new(),
            tolerance: Tolerance::default(),
            portrait: None,
            mistakes: None,
            seconds: Seconds::default(),
        }
    }

    /// What is true of the assumptions, in a word.
    fn standing(&self) -> Standing {
        match (&self.assumption[..], &self.undecided[..]) {
            ([], []) => Standing::Holds,
            ([], _) => Standing::Undecided,
            _ => Standing::Refuted,
        }
    }

    /// Notes a figure of the whole model.
    pub fn push(&mut self, metric: impl Into<Measure>, value: f64) {
        self.push_of("", metric, value);
    }

    fn push_of(&mut self, action: &str, metric: impl Into<Measure>, value: f64) {
        self.values.push(MetricValue { action: action.to_owned(), metric: metric.into(), value });
    }

    /// Notes what a comparison with the real model came to: means, then each action. Without
    /// `numbers` the model is about atoms alone, and so is the measure: no error of numeric
    /// effects.
    pub fn compare(
        &mut self,
        syntax: &[ActionSyntax],
        meaning: &[ActionSemantics],
        numbers: bool,
    ) -> Result<()> {
        let mean = Scores::mean(syntax, meaning).context("the domain has no actions")?;
        let actions: Vec<Scores> = syntax
            .iter()
            .zip(meaning)
            .map(|(syntax, meaning)| Scores::of(syntax, meaning))
            .collect();
        for kind in [Kind::Syntactic, Kind::Semantic] {
            self.scores("", &mean, kind, numbers);
            for (scores, action) in actions.iter().zip(meaning) {
                self.scores(&action.action, scores, kind, numbers);
                if kind == Kind::Semantic {
                    self.push_of(&action.action, Metric::Steps, action.steps as f64);
                    self.push_of(&action.action, Metric::StepsApplicable, action.real as f64);
                    self.allowed(&action.action, std::slice::from_ref(action), numbers);
                }
            }
        }
        self.allowed("", meaning, numbers);
        Ok(())
    }

    /// Notes what a model says of held-out traces: all actions, then each.
    pub fn held_out(&mut self, domain: &Domain, score: &LogScore) {
        self.figures("", score.total());
        for (id, of_action) in domain.action_ids().zip(&score.actions) {
            self.figures(domain.action_name(id), *of_action);
        }
    }

    fn figures(&mut self, action: &str, score: ActionLogScore) {
        for (metric, value) in score.figures() {
            if let Some(value) = value {
                self.push_of(action, metric, value);
            }
        }
    }

    /// Notes how many steps some actions allow, and what becomes of them: counts, so that shares
    /// over actions and folds weigh every step alike.
    fn allowed(&mut self, action: &str, meaning: &[ActionSemantics], numbers: bool) {
        let sum =
            |count: fn(&ActionSemantics) -> u64| meaning.iter().map(count).sum::<u64>() as f64;
        self.push_of(action, Metric::StepsAllowed, sum(|action| action.model));
        self.push_of(action, Metric::StepsFailing, sum(|action| action.model - action.both));
        if numbers {
            self.push_of(action, Metric::StepsElsewhere, sum(|action| action.elsewhere));
        }
    }

    fn scores(&mut self, action: &str, scores: &Scores, kind: Kind, numbers: bool) {
        for (metric, score) in
            scores.of_kind(kind).filter(|(metric, _)| numbers || *metric != Metric::SquaredError)
        {
            self.push_of(action, metric, score.to_f64());
        }
    }

    /// What was measured, in words: models of atoms alone are measured on atoms alone.
    fn measured(&self) -> String {
        let what = if self.key.algorithm == "sam" {
            "atoms of the model as PDDL"
        } else {
            "the model as PDDL"
        };
        if self.tolerance.is_zero() {
            what.to_owned()
        } else {
            format!("{what}; comparisons within {}", self.tolerance)
        }
    }
}

/// The files of an experiment's folder, but for those of its cells.
pub const FILES: [&str; 7] = [
    "experiment.json",
    "results.csv",
    "summary.csv",
    "assumptions.csv",
    "failures.csv",
    "domains.csv",
    "timings.csv",
];

/// The folder of an experiment.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder, or finds it; what a run that was killed left half-written is removed.
    pub fn open(path: &Path) -> Result<Self> {
        let cells = path.join("cells");
        make_folder(&cells)?;
        for folder in [path, &cells] {
            for entry in fs::read_dir(folder)
                .with_context(|| format!("cannot read folder {}", shown_path(folder)))?
            {
                let file = entry?.path();
                if file
                    .file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with(".surefoot-"))
                {
                    fs::remove_file(&file)
                        .with_context(|| format!("cannot remove {}", shown_path(file)))?;
                }
            }
        }
        Ok(Folder { path: path.to_owned() })
    }

    fn cell(&self, key: &CellKey) -> PathBuf {
        self.path.join("cells").join(key.stem() + ".json")
    }

    /// The record of a finished cell; `None` where there is none, none that can be read, or one of
    /// other data.
    pub fn record(&self, key: &CellKey, identity: &str) -> Option<CellRecord> {
        let record: CellRecord = serde_json::from_slice(&fs::read(self.cell(key)).ok()?).ok()?;
        (record.key == *key && record.identity == identity).then_some(record)
    }

    /// Writes a finished cell, whole or not at all. The disk is not waited for, which would take
    /// longer than most cells: a process that is killed loses nothing by that, and a record that a
    /// power cut leaves empty counts as none.
    pub fn save(&self, record: &CellRecord) -> Result<()> {
        let path = self.cell(&record.key);
        self.replace(&path, record).with_context(|| format!("cannot write {}", shown_path(path)))
    }

    fn replace(&self, path: &Path, record: &CellRecord) -> Result<()> {
        let _writing = interrupt::writing();
        let mut file =
            tempfile::Builder::new().prefix(".surefoot-").tempfile_in(self.path.join("cells"))?;
        file.write_all((serde_json::to_string(record)? + "\n").as_bytes())?;
        file.persist(path)?;
        Ok(())
    }

    /// The records of finished cells, in their order.
    fn records(&self, keys: &[(CellKey, &str)]) -> Result<Vec<CellRecord>> {
        let records = keys.par_iter().map(|(key, identity)| {
            self.record(key, identity)
                .with_context(|| format!("the record of cell {} is gone", key.stem()))
        });
        records.collect()
    }

    /// A file of the folder, where it is there.
    pub fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path.join(name)).ok()
    }

    /// Writes a file of the folder.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        write_file(&self.path.join(name), text.as_bytes())
    }

    /// Writes the tables of finished cells, in their order.
    pub fn tables(&self, keys: &[(CellKey, &str)]) -> Result<TableCounts> {
        let head = "domain,setting,algorithm,traces";
        let mut results = format!("{head},fold,assumption,action,metric,value\n");
        let mut failures = format!("{head},fold,part,error\n");
        let mut timings = format!("{head},fold,learn_seconds,evaluate_seconds,plan_seconds\n");
        let mut assumptions =
            "domain,setting,algorithm,measured,assumption,refuted_by,undecided\n".to_owned();
        let mut summary = SummaryRecord::default();
        let mut tables = TableCounts { cells: keys.len(), failed: 0 };
        let mut standing: Option<[String; 3]> = None;
        let records = self.records(keys)?;
        for ((key, _), record) in keys.iter().zip(&records) {
            let cell = cell_fields(key);
            let word = record.standing();
            for (part, error) in
                [(FailedPart::All, &record.error), (FailedPart::Coverage, &record.coverage_error)]
            {
                if let Some(error) = error {
                    tables.failed += 1;
                    failures += &format!("{cell},{},{},{}\n", key.fold, part.name(), field(error));
                }
            }
            for MetricValue { action, metric, value } in &record.values {
                results += &format!(
                    "{cell},{},{word},{},{},{value}\n",
                    key.fold,
                    field(action),
                    field(&metric.to_string())
                );
                if action.is_empty() {
                    summary.add(key, word, metric, *value);
                }
            }
            let Seconds { learn, evaluate, plan } = record.seconds;
            timings += &format!("{cell},{},{learn:.6},{evaluate:.6},{plan:.6}\n", key.fold);
            let about = [key.domain.clone(), key.setting.clone(), key.algorithm.clone()];
            if record.error.is_none() && standing.as_ref() != Some(&about) {
                let names = about.iter().map(|name| field(name)).collect::<Vec<_>>().join(",");
                let [refuted, undecided] = [&record.assumption, &record.undecided]
                    .map(|reasons| field(&reasons.join("; ")));
                assumptions +=
                    &format!("{names},{},{word},{refuted},{undecided}\n", record.measured());
                standing = Some(about);
            }
        }
        self.write("results.csv", &results)?;
        self.write("summary.csv", &summary.text(head))?;
        self.write("assumptions.csv", &assumptions)?;
        self.write("failures.csv", &failures)?;
        self.write("timings.csv", &timings)?;
        Ok(tables)
    }
}

/// What the tables hold.
pub struct TableCounts {
    /// How many cells there are.
    pub cells: usize,
    /// How many of them failed.
    pub failed: usize,
}

/// Means over folds, in the order in which cells and metrics come.
#[derive(Default)]
struct SummaryRecord<'a> {
    rows: Vec<(ResultRow<'a>, Vec<f64>)>,
    places: HashMap<(CellGroupKey<'a>, Standing, &'a Measure), usize>,
}

/// What a row of the summary is of; the key is that of its first fold.
struct ResultRow<'a> {
    key: &'a CellKey,
    standing: Standing,
    metric: &'a Measure,
}

/// A key without its fold: domain, setting, algorithm, traces.
type CellGroupKey<'a> = (&'a str, &'a str, &'a str, usize);

impl<'a> SummaryRecord<'a> {
    fn add(&mut self, key: &'a CellKey, standing: Standing, metric: &'a Measure, value: f64) {
        let line = (&*key.domain, &*key.setting, &*key.algorithm, key.traces);
        let place = *self.places.entry((line, standing, metric)).or_insert_with(|| {
            self.rows.push((ResultRow { key, standing, metric }, Vec::new()));
            self.rows.len() - 1
        });
        self.rows[place].1.push(value);
    }

    fn text(&self, head: &str) -> String {
        let mut text = format!("{head},assumption,metric,folds,mean,half_width_95\n");
        for (ResultRow { key, standing, metric }, values) in &self.rows {
            if let Some(interval) = Interval::of(values) {
                let width = interval.half_width.map_or(String::new(), |width| width.to_string());
                let (cell, metric) = (cell_fields(key), field(&metric.to_string()));
                text += &format!(
                    "{cell},{standing},{metric},{},{},{width}\n",
                    interval.count, interval.mean
                );
            }
        }
        text
    }
}

/// A key without its fold, as fields.
fn cell_fields(key: &CellKey) -> String {
    format!(
        "{},{},{},{}",
        field(&key.domain),
        field(&key.setting),
        field(&key.algorithm),
        key.traces
    )
}

/// A field of a CSV file, quoted where it must be.
pub(super) fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn record(traces: usize, fold: usize, value: f64) -> CellRecord {
        let key = CellKey {
            domain: "d".into(),
            setting: "plain".into(),
            algorithm: "nsam".into(),
            traces,
            fold,
        };
        let values = vec![
            MetricValue { action: String::new(), metric: Metric::SemanticRecall.into(), value },
            MetricValue {
                action: "go, \"there\"".into(),
                metric: Metric::SemanticRecall.into(),
                value,
            },
        ];
        CellRecord { values, ..CellRecord::new(key, "these data") }
    }

    #[test]
    fn tables_are_those_of_the_records_whatever_the_order_of_writing() {
        let records =
            [record(1, 0, 0.25), record(1, 1, 0.75), record(2, 0, 1.0), record(2, 1, 1.0)];
        let keys: Vec<(CellKey, &str)> =
            records.iter().map(|record| (record.key.clone(), "these data")).collect();
        let write = |order: &[usize]| {
            let temporary = tempfile::tempdir().unwrap();
            let folder = Folder::open(temporary.path()).unwrap();
            order.iter().for_each(|&index| folder.save(&records[index]).unwrap());
            folder.tables(&keys).unwrap();
            (folder.text("results.csv").unwrap(), folder.text("summary.csv").unwrap())
        };
        let (results, summary) = write(&[0, 1, 2, 3]);
        assert_eq!(write(&[3, 1, 0, 2]), (results.clone(), summary.clone()));
        assert_eq!(results.lines().count(), 9);
        assert!(
            results.contains("d,plain,nsam,1,0,holds,\"go, \"\"there\"\"\",semantic_recall,0.25\n")
        );
        // Mean 0.5; the deviation is 0.25 · sqrt 2, the error 0.25, t(1) = 12.706205.
        assert!(
            summary.contains("d,plain,nsam,1,holds,semantic_recall,2,0.5,3.17655125\n"),
            "{summary}"
        );
        assert!(summary.contains("d,plain,nsam,2,holds,semantic_recall,2,1,0\n"));
    }

    #[test]
    fn a_record_that_was_cut_off_is_none() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::open(temporary.path()).unwrap();
        let record = record(1, 0, 1.0);
        folder.save(&record).unwrap();
        assert!(folder.record(&record.key, "these data").is_some());
        assert!(folder.record(&record.key, "other data").is_none(), "a cell of other data is none");
        let file = folder.cell(&record.key);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, &text[..text.len() / 2]).unwrap();
        assert!(folder.record(&record.key, "these data").is_none());
    }
}
