//! What the benchmarks read: trajectories made here, similar to the published satellite ones; and
//! the published ones, where `SUREFOOT_CORPUS` names the folder that holds a folder a domain.
#![allow(
    clippy::unwrap_used,
    reason = "a program that cannot read its data has nothing to measure"
)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use surefoot_base::model::{ActionId, Domain, Objects};
use surefoot_base::pddl::{Numbers, Source, TrajectoryReader, read_domain, read_problem};
use surefoot_learn::{Anomaly, Class, Learner, Observation};

/// Float noise of the published data is snapped; everything else has fewer decimals.
pub const NUMBERS: Numbers = Numbers::Decimals(6);

/// The traces of one domain, in memory.
pub struct DataFolder {
    /// The domain in it.
    pub domain: Domain,
    /// Its trajectories, each with its objects.
    pub traces: Vec<(Objects, Source)>,
    /// Where they come from, unless they were made here.
    pub files: Vec<PathBuf>,
}

/// The folders at hand: `made`, and the published domains.
pub fn names() -> Vec<String> {
    let mut names = vec!["made".to_owned()];
    if let Some(corpus) = corpus() {
        let mut folders: Vec<_> = paths(&corpus).into_iter().filter(|path| path.is_dir()).collect();
        folders.sort();
        names
            .extend(folders.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())));
    }
    names
}

fn corpus() -> Option<PathBuf> {
    std::env::var_os("SUREFOOT_CORPUS").map(PathBuf::from)
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The text of a file.
pub fn source(path: &Path) -> Source {
    Source::from_bytes(path.display().to_string(), fs::read(path).unwrap()).unwrap()
}

impl DataFolder {
    /// The folder of a built-in or published domain.
    pub fn named(name: &str) -> Self {
        if name == "made" {
            return made();
        }
        let folder = corpus().unwrap().join(name);
        let domain = read_domain(&source(&folder.join("domain.pddl"))).unwrap();
        let mut files = paths(&folder);
        files.retain(|path| path.extension().is_some_and(|end| end == "trajectory"));
        files.sort();
        DataFolder {
            traces: files.iter().map(|path| (objects(&domain, path), source(path))).collect(),
            domain,
            files,
        }
    }

    /// How long all trajectories are.
    pub fn bytes(&self) -> usize {
        self.traces.iter().map(|(_, source)| source.text().len()).sum()
    }

    /// All steps as a learner sees them.
    pub fn observations(&self) -> (Learner, Vec<(ActionId, Observation)>) {
        let learner =
            Learner::new(&self.domain, Class::default().with(|class| class.numbers = NUMBERS))
                .unwrap();
        let mut observations = Vec::new();
        for (objects, source) in &self.traces {
            let mut reader = TrajectoryReader::new(source, &self.domain, objects, NUMBERS).unwrap();
            let mut observer = learner.lens().observer();
            while let Some(step) = reader.next_transition().unwrap() {
                let seen: Result<Observation, Anomaly> = observer.observe_step(step.step());
                observations.extend(seen.ok().map(|seen| (step.action.symbol, seen)));
            }
        }
        (learner, observations)
    }
}

/// The objects of the problem beside a trajectory.
pub fn objects(domain: &Domain, trajectory: &Path) -> Objects {
    read_problem(&source(&trajectory.with_extension("pddl")), domain, NUMBERS).unwrap().objects
}

const DOMAIN: &str = "(define (domain made) (:requirements :typing :fluents)
  (:types satellite direction mode)
  (:predicates (pointing ?s - satellite ?d - direction) (have_image ?d - direction ?m - mode))
  (:functions (fuel ?s - satellite) (slew_time ?a - direction ?b - direction) (data ?d - direction \
                      ?m - mode) (fuel-used))
  (:action turn_to :parameters (?s - satellite ?to - direction ?from - direction))
  (:action take_image :parameters (?s - satellite ?d - direction ?m - mode)))";

const SATELLITES: usize = 4;
const DIRECTIONS: usize = 16;
const MODES: usize = 4;

/// Eight files of 1.4 MB: satellites that turn and take images; most numbers of a state never
/// change.
fn made() -> DataFolder {
    let domain = read_domain(&Source::new("made", DOMAIN)).unwrap();
    let problem = format!(
        "(define (problem made) (:domain made) (:objects{} - satellite{} - direction{} - mode) \
         (:init) (:goal (and)))",
        numbered("satellite", SATELLITES),
        numbered("direction", DIRECTIONS),
        numbered("mode", MODES)
    );
    let objects = read_problem(&Source::new("made", problem), &domain, NUMBERS).unwrap().objects;
    let traces = (0..8)
        .map(|seed| (objects.clone(), Source::new(format!("made{seed}"), trajectory(seed))))
        .collect();
    DataFolder { domain, traces, files: Vec::new() }
}

fn trajectory(seed: u64) -> String {
    let mut random = DataRandom(seed);
    let slew: Vec<u64> =
        (0..DIRECTIONS * DIRECTIONS).map(|_| 1_000 + random.below(99_000)).collect();
    let data: Vec<u64> = (0..DIRECTIONS * MODES).map(|_| 1 + random.below(300)).collect();
    let mut fuel = [40_000_000u64; SATELLITES];
    let mut pointing = [0; SATELLITES];
    let mut images: Vec<(usize, usize)> = Vec::new();
    let mut used = 0;
    let mut text = String::from("(");
    for step in 0..110 {
        text += if step == 0 { "(:init" } else { "(:state" };
        for (satellite, fuel) in fuel.iter().enumerate() {
            let _ = write!(text, " (= (fuel satellite{satellite}) {})", thousandths(*fuel));
        }
        for (index, time) in slew.iter().enumerate() {
            let (from, to) = (index / DIRECTIONS, index % DIRECTIONS);
            let _ = write!(
                text,
                " (= (slew_time direction{from} direction{to}) {})",
                thousandths(*time)
            );
        }
        for (index, amount) in data.iter().enumerate() {
            let _ = write!(
                text,
                " (= (data direction{} mode{}) {amount}.0)",
                index / MODES,
                index % MODES
            );
        }
        let _ = write!(text, " (= (fuel-used ) {})", thousandths(used));
        // As in the published files, atoms come in no order.
        let atoms = pointing
            .iter()
            .enumerate()
            .map(|(satellite, to)| format!(" (pointing satellite{satellite} direction{to})"));
        let taken = images
            .iter()
            .map(|(direction, mode)| format!(" (have_image direction{direction} mode{mode})"));
        let mut atoms: Vec<String> = atoms.chain(taken).collect();
        for index in 1..atoms.len() {
            atoms.swap(index, random.below(index as u64 + 1) as usize);
        }
        text += &atoms.concat();
        text += ")\n";
        let (satellite, to) =
            (random.below(SATELLITES as u64) as usize, random.below(DIRECTIONS as u64) as usize);
        if to == pointing[satellite] {
            let image = (to, random.below(MODES as u64) as usize);
            let _ = writeln!(
                text,
                "(operator: (take_image satellite{satellite} direction{} mode{}))",
                image.0, image.1
            );
            if !images.contains(&image) {
                images.push(image);
            }
        } else {
            let from = std::mem::replace(&mut pointing[satellite], to);
            let _ = writeln!(
                text,
                "(operator: (turn_to satellite{satellite} direction{to} direction{from}))"
            );
            let time = slew[to * DIRECTIONS + from];
            fuel[satellite] -= time;
            used += time;
        }
    }
    // The last action has no state after it; a trajectory ends with a state.
    let end = text.rfind("(operator:").unwrap();
    text.truncate(end);
    text + ")\n"
}

fn thousandths(value: u64) -> String {
    format!("{}.{:03}", value / 1000, value % 1000)
}

struct DataRandom(u64);

impl DataRandom {
    /// A number below a bound (splitmix64).
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % bound
    }
}

fn numbered(name: &str, count: usize) -> String {
    (0..count).map(|index| format!(" {name}{index}")).collect()
}
