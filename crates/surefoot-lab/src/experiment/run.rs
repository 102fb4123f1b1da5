//! Runs all cells of an experiment, several at once, and continues where a run was stopped.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use surefoot_base::certificate::digest;
use surefoot_base::invariant::guarded;

use super::cell;
use super::columns::{self, PlannerColumn};
use super::config::{CellKey, Config, ExperimentCell, Planning};
use super::results::{CellRecord, Folder, TableCounts};
use super::sizes;
use super::source::{DataOrigin, Material};
use surefoot_io::output::shown_path;
use surefoot_io::progress;

/// What is stored beside the results, so that they can be made again and are not mixed with others.
#[derive(Serialize)]
struct ResolvedInputs<'a> {
    version: &'a str,
    config: &'a Config,
    /// By domain: what tells its data from others.
    data: Vec<Vec<String>>,
    /// By domain: the digests of its maps.
    maps: Vec<[Option<String>; 2]>,
}

impl ResolvedInputs<'_> {
    /// By domain: the digest of all that its cells depend on.
    fn identities(&self) -> Result<Vec<String>> {
        let mut identities = Vec::new();
        for (data, maps) in self.data.iter().zip(&self.maps) {
            identities.push(digest(&serde_json::to_string(&(
                self.version,
                self.config,
                data,
                maps,
            ))?));
        }
        Ok(identities)
    }
}

/// The part of what is stored that a folder of results must share.
#[derive(PartialEq, Deserialize)]
struct Stored {
    version: String,
    config: serde_json::Value,
}

/// An experiment that is ready to run.
pub struct Experiment {
    config: Config,
    /// Those for which there are enough traces.
    cells: Vec<ExperimentCell>,
    /// By domain: how many traces there are to learn from in each fold, at least.
    pub training: Vec<(String, usize)>,
    resolved: String,
    /// The sizes of the domains, as a table.
    sizes: String,
    /// By domain: the digest of all that its cells depend on.
    identities: Vec<String>,
    /// The columns of the table of coverage.
    columns: Vec<PlannerColumn>,
}

/// What a run came to.
pub struct Finished {
    /// All that was measured.
    pub tables: TableCounts,
    /// Cells that were there already.
    pub earlier: usize,
    /// How long it took, in seconds of the clock.
    pub seconds: f64,
    /// By the clocks of all workers: what cells and the reading of their data took.
    pub busy: f64,
    /// How many cells ran side by side.
    pub jobs: usize,
}

impl Experiment {
    /// Finds all data and counts cells.
    pub fn prepare(config: Config) -> Result<Self> {
        let mut training = Vec::new();
        let mut sizes = sizes::HEAD.to_owned();
        let mut resolved = ResolvedInputs {
            version: env!("CARGO_PKG_VERSION"),
            config: &config,
            data: Vec::new(),
            maps: Vec::new(),
        };
        for domain in &config.domains {
            let origin = DataOrigin::find(&config, domain)?;
            training.push((
                domain.name.clone(),
                origin.problems() - origin.problems().div_ceil(config.folds),
            ));
            resolved.data.push(origin.fingerprint()?);
            let real = origin.domain()?;
            origin.check_truth(&config, domain, &real)?;
            sizes += &sizes::line(domain, &real)?;
            resolved.maps.push([
                map_digest(domain.relevant.as_deref())?,
                map_digest(domain.monotone.as_deref())?,
            ]);
        }
        // Where the data are does not matter, only what they are.
        let mut portable = config.clone();
        for domain in &mut portable.domains {
            for path in [&mut domain.folder, &mut domain.relevant, &mut domain.monotone]
                .into_iter()
                .flatten()
            {
                *path = path.file_name().map(Into::into).unwrap_or_default();
            }
        }
        let resolved = ResolvedInputs { config: &portable, ..resolved };
        let identities = resolved.identities()?;
        let resolved = serde_json::to_string_pretty(&resolved)? + "\n";
        let cells = config
            .cells()
            .into_iter()
            .filter(|cell| cell.traces <= training[cell.domain].1)
            .collect();
        let columns = columns::find(&config);
        Ok(Experiment { config, cells, training, resolved, sizes, identities, columns })
    }

    /// How many cells the experiment has.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }

    /// How many cells were left out because there are too few traces for them.
    pub fn too_few(&self) -> usize {
        self.config.cells().len() - self.cells.len()
    }

    /// Which columns of coverage cannot be measured, and why; `None`: all can.
    pub fn missing_planners(&self) -> Option<String> {
        columns::missing(&self.columns)
    }

    /// By cell: what it is about, and what its result depends on.
    fn keys(&self) -> Vec<(CellKey, &str)> {
        self.cells.iter().map(|cell| (self.config.key(cell), self.identity(cell))).collect()
    }

    fn identity(&self, cell: &ExperimentCell) -> &str {
        &self.identities[cell.domain]
    }

    fn is_done(&self, cell: &ExperimentCell, folder: &Folder) -> bool {
        folder.record(&self.config.key(cell), self.identity(cell)).is_some()
    }

    /// How many cells a folder has already, if it is of this experiment.
    pub fn finished(&self, output: &Path) -> usize {
        if !output.join("experiment.json").exists() {
            return 0;
        }
        Folder::open(output).map_or(0, |folder| {
            self.cells.iter().filter(|cell| self.is_done(cell, &folder)).count()
        })
    }

    /// The cells of one domain, in their order.
    fn cells_of(&self, domain: usize) -> impl DoubleEndedIterator<Item = &ExperimentCell> {
        self.cells.iter().filter(move |cell| cell.domain == domain)
    }

    /// Works on the costliest cell of each domain and says how long all would take on so many
    /// workers: an upper estimate.
    pub fn estimate(&self, jobs: usize) -> Result<f64> {
        let mut seconds = 0.0;
        for index in 0..self.config.domains.len() {
            let Some(most) = self.cells_of(index).map(|cell| cell.traces).max() else { continue };
            let start = Instant::now();
            let material = Material::load(&self.config, &self.config.domains[index])?;
            let loading = start.elapsed().as_secs_f64();
            let mut costs = 0.0;
            for setting in 0..self.config.settings.len() {
                let Some(probe) = self
                    .cells_of(index)
                    .rfind(|cell| cell.setting == setting && cell.traces == most)
                else {
                    continue;
                };
                let mut without_plans = self.config.clone();
                without_plans.planning = None;
                let record = cell::run(&without_plans, probe, self.identity(probe), &material, &[]);
                // Cost grows with the traces, about as fast as they do.
                let alike = self.cells_of(index).filter(|cell| cell.setting == setting);
                let weight: f64 = alike.map(|cell| cell.traces as f64 / most as f64).sum();
                costs += record.seconds.total() * weight;
            }
            seconds += loading + costs / jobs as f64;
        }
        Ok(seconds)
    }

    /// The most that planning adds, if every planner uses all its time for every problem; zero
    /// without planning.
    pub fn planning_bound(&self, jobs: usize) -> f64 {
        let Some(planning) = &self.config.planning else { return 0.0 };
        let attempts: usize =
            self.cells.iter().map(|cell| self.planned_problems(planning, cell)).sum();
        (attempts * columns::planners(planning)) as f64 * planning.time_limit / jobs as f64
    }

    /// The most that learners which are programs of their own add, if each uses all its time in
    /// every cell; zero without any.
    pub fn command_bound(&self, jobs: usize) -> f64 {
        let limits =
            self.cells.iter().filter_map(|cell| self.config.command(self.config.learner(cell)));
        limits.map(|learner| learner.time_limit).sum::<f64>() / jobs as f64
    }

    /// How many problems of a cell are planned for.
    fn planned_problems(&self, planning: &Planning, cell: &ExperimentCell) -> usize {
        // Four fifths to learn from leave one fifth to test on, and so on.
        planning.of(cell, self.training[cell.domain].1.div_ceil(self.config.folds - 1))
    }

    /// Opens the folder of the results; one of another experiment is refused. Where only the data
    /// have changed, the cells made of them count as missing.
    pub(super) fn folder(&self, output: &Path) -> Result<Folder> {
        let folder = Folder::open(output)?;
        match folder.text("experiment.json") {
            None => folder.write("experiment.json", &self.resolved)?,
            Some(stored) if stored == self.resolved => {}
            Some(stored) if same_experiment(&stored, &self.resolved) => {
                folder.write("experiment.json", &self.resolved)?
            }
            Some(stored) => bail!("{}", difference(output, &stored, &self.resolved)),
        }
        Ok(folder)
    }

    /// The cells that a folder does not have yet, as their indices.
    pub(super) fn missing(&self, folder: &Folder) -> Vec<usize> {
        (0..self.cells.len()).filter(|&index| !self.is_done(&self.cells[index], folder)).collect()
    }

    /// The record of one cell, with its domain's data at hand or loaded.
    pub(super) fn record_of(
        &self,
        index: usize,
        shelf: &mut Option<(usize, Arc<Material>)>,
    ) -> Option<CellRecord> {
        let cell = self.cells.get(index)?;
        Some(self.guarded(cell, || {
            let material = match shelf.take().filter(|(domain, _)| *domain == cell.domain) {
                Some((_, material)) => Ok(material),
                None => self.load(cell).map(Arc::new).map_err(|error| format!("{error:#}")),
            };
            *shelf = material.as_ref().ok().map(|material| (cell.domain, Arc::clone(material)));
            self.worked(cell, material)
        }))
    }

    /// Reads the data of a cell's domain.
    fn load(&self, cell: &ExperimentCell) -> Result<Material> {
        Material::load(&self.config, &self.config.domains[cell.domain])
    }

    /// The record of a cell with its data, or without them and why.
    fn worked(&self, cell: &ExperimentCell, material: Result<Arc<Material>, String>) -> CellRecord {
        match material {
            Ok(material) => {
                cell::run(&self.config, cell, self.identity(cell), &material, &self.columns)
            }
            Err(message) => cell::failed(&self.config, cell, self.identity(cell), message),
        }
    }

    /// Writes the tables of a folder that has all cells.
    pub(super) fn tables(&self, folder: &Folder) -> Result<TableCounts> {
        folder.write("domains.csv", &self.sizes)?;
        folder.tables(&self.keys())
    }

    /// Runs what is missing in a folder, and writes the tables.
    pub fn run(&self, output: &Path, jobs: usize) -> Result<Finished> {
        let folder = self.folder(output)?;
        let start = Instant::now();
        let mut open: Vec<ExperimentCell> =
            self.cells.iter().filter(|cell| !self.is_done(cell, &folder)).copied().collect();
        let earlier = self.cells.len() - open.len();
        // The costliest first, so that no worker is left with one at the end; domains together, so
        // that few are in memory.
        open.sort_by_key(|cell| {
            (cell.domain, std::cmp::Reverse(cell.traces), cell.fold, cell.setting)
        });
        progress::stage("measuring", self.cells.len(), "cells");
        progress::done_before(earlier);
        let busy = self.work(&open, &folder, jobs)?;
        progress::clear();
        let tables = self.tables(&folder)?;
        Ok(Finished { tables, earlier, seconds: start.elapsed().as_secs_f64(), busy, jobs })
    }

    fn work(&self, open: &[ExperimentCell], folder: &Folder, jobs: usize) -> Result<f64> {
        let shelves: Vec<CellStore> = (0..self.config.domains.len())
            .map(|domain| CellStore::new(open.iter().filter(|cell| cell.domain == domain).count()))
            .collect();
        let next = AtomicUsize::new(0);
        let busy = Mutex::new(0.0);
        let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
        // Threads of their own, not the pool's: a worker that waits for data must not be handed
        // another cell meanwhile.
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| {
                    while let Some(cell) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let start = Instant::now();
                        let record = self.record(cell, &shelves[cell.domain]);
                        *busy.lock().unwrap_or_else(PoisonError::into_inner) +=
                            start.elapsed().as_secs_f64();
                        if let Err(error) = folder.save(&record) {
                            // A full disk, say: nothing more can be kept, so nothing more is done.
                            next.store(open.len(), Ordering::Relaxed);
                            failure
                                .lock()
                                .unwrap_or_else(PoisonError::into_inner)
                                .get_or_insert(error);
                        }
                        shelves[cell.domain].done();
                        progress::part_done();
                    }
                });
            }
        });
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(busy.into_inner().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    fn record(&self, cell: &ExperimentCell, shelf: &CellStore) -> CellRecord {
        self.guarded(cell, || self.worked(cell, shelf.material(|| self.load(cell))))
    }

    /// A cell that breaks is a failed cell, not the end of all.
    fn guarded(&self, cell: &ExperimentCell, work: impl FnOnce() -> CellRecord) -> CellRecord {
        guarded(work).unwrap_or_else(|broken| {
            cell::failed(&self.config, cell, self.identity(cell), broken.to_string())
        })
    }
}

/// A domain's data while there are cells that need them.
struct CellStore {
    material: Mutex<Option<Result<Arc<Material>, String>>>,
    left: AtomicUsize,
}

impl CellStore {
    fn new(cells: usize) -> Self {
        CellStore { material: Mutex::new(None), left: AtomicUsize::new(cells) }
    }

    fn material(&self, load: impl FnOnce() -> Result<Material>) -> Result<Arc<Material>, String> {
        let mut shelf = self.material.lock().unwrap_or_else(PoisonError::into_inner);
        shelf
            .get_or_insert_with(|| load().map(Arc::new).map_err(|error| format!("{error:#}")))
            .clone()
    }

    fn done(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            *self.material.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// Whether two descriptions differ in their data alone.
fn same_experiment(one: &str, other: &str) -> bool {
    match (serde_json::from_str::<Stored>(one), serde_json::from_str::<Stored>(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// The digest of a map, where there is one.
fn map_digest(path: Option<&Path>) -> Result<Option<String>> {
    path.map(|path| Ok(digest(surefoot_io::input::source(path)?.text()))).transpose()
}

fn difference(output: &Path, stored: &str, wanted: &str) -> String {
    let lines = stored.lines().zip(wanted.lines()).find(|(one, other)| one != other);
    let (one, other) = lines.map_or(("", ""), |(one, other)| (one.trim(), other.trim()));
    format!(
        "{} holds results of another experiment: it has `{one}` where this one has `{other}`. \
         Choose another folder, or remove it to \
         start again",
        shown_path(output)
    )
}

/// How many workers to use.
pub fn jobs(asked: Option<usize>) -> Result<usize> {
    match asked {
        Some(jobs) => Ok(jobs),
        None => Ok(std::thread::available_parallelism()
            .context("cannot find out how many cores there are; say how many jobs to run")?
            .get()),
    }
}
