//! The cells of an experiment one by one, for workers that share no memory.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};

use super::config::Config;
use super::results::CellRecord;
use super::run::Experiment;
use super::source::Material;

/// An experiment whose cells are worked on one at a time, anywhere. Keeps the data of the domain it
/// was last asked about.
pub struct CellwiseExperiment {
    experiment: Experiment,
    shelf: Mutex<Option<(usize, Arc<Material>)>>,
}

impl CellwiseExperiment {
    /// Reads a configuration and finds its data.
    pub fn open(config: &Path, traces_root: Option<&Path>) -> Result<Self> {
        let experiment = Experiment::prepare(Config::read(config, traces_root)?)?;
        Ok(CellwiseExperiment { experiment, shelf: Mutex::new(None) })
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.experiment.cells()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The cells that a folder does not have yet. Makes the folder; one of another experiment is
    /// refused.
    pub fn missing(&self, output: &Path) -> Result<Vec<usize>> {
        Ok(self.experiment.missing(&self.experiment.folder(output)?))
    }

    /// Works on a cell, and returns its record as JSON.
    pub fn work(&self, cell: usize) -> Result<String> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let record = self
            .experiment
            .record_of(cell, &mut shelf)
            .with_context(|| format!("there is no cell {cell}"))?;
        Ok(serde_json::to_string(&record)?)
    }

    /// Keeps a record in a folder.
    pub fn keep(&self, output: &Path, record: &str) -> Result<()> {
        let record: CellRecord =
            serde_json::from_str(record).context("this is no record of a cell")?;
        self.experiment.folder(output)?.save(&record)
    }

    /// Writes the tables of a folder that has all records; returns how many cells there are, and
    /// how many failed.
    pub fn finish(&self, output: &Path) -> Result<(usize, usize)> {
        let tables = self.experiment.tables(&self.experiment.folder(output)?)?;
        Ok((tables.cells, tables.failed))
    }
}
