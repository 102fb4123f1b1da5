//! A log: tables of rows, what their columns mean, and the executions that they record.
//!
//! When a log is opened its rows are parsed, to see which episode each belongs to. Rows up to a
//! fixed size are kept: such a log is parsed once, however often its episodes are read. A larger
//! log is parsed again from where an episode lies in the file, as often as need be and by several
//! threads at once. What is then kept in memory grows with the number of stretches of rows of one
//! episode: with the number of episodes where the log is sorted by them, with the number of rows
//! where they alternate.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;
use std::sync::Mutex;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use surefoot_base::invariant::guarded;
use surefoot_base::model::{Condition, Domain, Event, Objects, Problem, State, Universe};
use surefoot_base::pddl::{
    Diagnostic, Numbers, ReadError, UNKNOWN_AT_START, Writer, write_assumed, write_problem,
};
use surefoot_learn::{Provenance, Recorded, Recording, Visit};

use crate::bind::{Opened, TableBinding};
use crate::episode::{DeclaredFacts, EpisodeReader, Sink};
use crate::expected_words::{Doubt, some_of};
use crate::filled::FilledColumns;
use crate::map::{Argument, Meaning};
use crate::map_doubts::MapDoubts;
use crate::names::{add_part, alike, alike_message, named};
use crate::readings::Readings;
use crate::recorded_numbers::RecordedNumbers;
use crate::reported::Reported;
use crate::statics::Statics;
use crate::table::{ColumnNames, Mark, Table, TableRow};
use crate::tally::LogTally;
use crate::world::{KnownWorld, Lexicon};

/// How often an episode is read to find out which objects its rows name, where declared facts say
/// it.
const ROUNDS: usize = 16;

/// The number of bytes of rows that a log keeps in memory by default.
const KEPT_BYTES: usize = 32 << 20;

/// Rows of one episode, one after the other.
#[derive(Clone, Copy, Debug)]
struct RowRange {
    from: Mark,
    /// How many rows of the table come before.
    first: usize,
    rows: usize,
}

/// The rows of one episode.
struct EpisodeRows {
    name: Box<str>,
    table: usize,
    stretches: Vec<RowRange>,
}

/// Tables of rows, what their columns mean, and the executions that they record.
pub struct Log {
    meaning: Meaning,
    lexicon: Lexicon,
    statics: Statics,
    reported: Reported,
    numbers: RecordedNumbers,
    tables: Vec<Opened>,
    readings: Readings,
    episodes: Vec<EpisodeRows>,
    /// By episode, once it was read to its end.
    tallies: Mutex<Vec<Option<LogTally>>>,
    doubts: Vec<Doubt>,
}

impl Log {
    /// Opens a log. Files that the map names are looked for in `folder`.
    ///
    /// # Errors
    /// A table cannot be read, lacks a column that the map names, or a file beside the log does not
    /// fit.
    pub fn open(meaning: Meaning, folder: &Path, tables: Vec<Table>) -> Result<Log, ReadError> {
        Log::open_within(meaning, folder, tables, KEPT_BYTES)
    }

    /// Opens a log that keeps at most this many bytes of rows in memory. Tables with more rows are
    /// parsed each time they are read.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn open_within(
        meaning: Meaning,
        folder: &Path,
        tables: Vec<Table>,
        kept_bytes: usize,
    ) -> Result<Log, ReadError> {
        guarded(|| Log::open_unguarded(meaning, folder, tables, kept_bytes))?
    }

    fn open_unguarded(
        mut meaning: Meaning,
        folder: &Path,
        tables: Vec<Table>,
        kept_bytes: usize,
    ) -> Result<Log, ReadError> {
        let lexicon = Lexicon::of(&meaning)
            .map_err(|message| Diagnostic::of_file(meaning.source.name(), message))?;
        if !meaning.has_states() {
            let message = "the map says nothing of states: no column shows a state, so \
                           nothing can be learned of what actions need and do";
            let help = "name the columns that show states under [after] or [before], such as \
                        battery = \"(battery ?robot)\", or declare facts";
            return Err(meaning.error(meaning.action.span, message).help(help).into());
        }
        let statics = Statics::read(&meaning, folder)?;
        for &file in &statics.by_episode {
            meaning.statics[file].facts.iter_mut().for_each(|fact| fact.by_episode = true);
        }
        for ((file, fact, variable), column) in &statics.columns {
            let arguments = &mut meaning.statics[*file].facts[*fact].fact.arguments;
            let variable = Argument::Column(variable.clone());
            for (argument, _) in arguments.iter_mut().filter(|(argument, _)| *argument == variable)
            {
                *argument = Argument::Column(column.clone());
            }
        }
        let (mut opened, mut episodes) = (Vec::new(), Vec::new());
        let mut readings = Readings::default();
        let (mut map_doubts, mut reported) =
            (MapDoubts::new(&meaning, &statics), Reported::default());
        let mut numbers = RecordedNumbers::default();
        let mut room = kept_bytes;
        for table in tables {
            let (columns, rows) = all_columns(&table, &mut room)?;
            if let (true, Some(values)) = (Readings::has(&meaning, &columns), &meaning.values) {
                readings.add(
                    &meaning,
                    values,
                    &table,
                    &columns,
                    (&mut map_doubts, &mut reported),
                )?;
                continue;
            }
            let bound = TableBinding::new(&meaning, &table, &columns, table.has_fixed_columns())?;
            meaning.unread.extend(bound.unread.iter().cloned());
            let mut filled = FilledColumns::new(&meaning, columns.len());
            let mut table =
                Opened { table, columns, bound, rows, filled: FilledColumns::default() };
            let mut found = EpisodeFinder::new(&meaning, &table);
            let look = &mut |row: &TableRow| {
                map_doubts.row(&meaning, &table.bound, row);
                reported.row(&meaning, &table.bound, row);
                numbers.row(&meaning, &table.bound, row);
                filled.row(&meaning, table.bound.action, row);
                found.add(row)
            };
            let kept = match &table.rows {
                Some(rows) => {
                    rows.iter().try_for_each(look)?;
                    None
                }
                None => parsed(&table.table, &mut room, look)?.1,
            };
            episodes.extend(found.episodes(opened.len()));
            table.rows = table.rows.or(kept);
            table.filled = filled;
            opened.push(table);
        }
        if !meaning.episode.is_empty() {
            each_in_one_table(&episodes, &opened)?;
        }
        if let Some(values) = &meaning.values {
            if let ([_, second, ..], true) = (&opened[..], meaning.episode.is_empty()) {
                let message = format!(
                    "{} is a second log, and nothing says to which log a reading belongs",
                    second.table.name()
                );
                let help = "add a column to the logs and the readings that identifies \
                            episodes, and name it with `episode`";
                return Err(meaning.error(values.object.span, message).help(help).into());
            }
            readings.sort(&meaning, values)?;
        }
        if let (Some(values), 0) = (&meaning.values, readings.count) {
            return Err(meaning
                .error(values.object.span, "no table has readings: name it beside the log")
                .into());
        }
        if episodes.is_empty() {
            let names: Vec<&str> = opened.iter().map(|opened| opened.table.name()).collect();
            return Err(Diagnostic::of_file(&names.join(", "), "the log has no rows").into());
        }
        numbers.all_met(&meaning)?;
        let (in_rows, in_files) = meaning.complete_symbols();
        let complete = [in_rows, in_files].concat();
        if !complete.is_empty() {
            meaning.mentioned = Some(reported.digest(&complete, &statics));
        }
        let mut doubts = map_doubts.doubts(&meaning, &statics);
        doubts.extend(names_without_rows(&episodes, &opened, &meaning, &statics, &readings)?);
        let tallies = Mutex::new(vec![None; episodes.len()]);
        Ok(Log {
            meaning,
            lexicon,
            statics,
            reported,
            numbers,
            tables: opened,
            readings,
            episodes,
            tallies,
            doubts,
        })
    }

    /// The domain that the map means: types, predicates, functions, actions with their parameters.
    pub fn domain(&self) -> &Domain {
        &self.meaning.domain
    }

    /// What its columns mean.
    pub fn meaning(&self) -> &Meaning {
        &self.meaning
    }

    /// The names of its episodes, in the order in which they begin; one for each trace.
    pub fn episodes(&self) -> impl ExactSizeIterator<Item = &str> {
        self.episodes.iter().map(|episode| &*episode.name)
    }

    /// Names of files for its episodes: what a file's name may have, each once.
    pub fn file_names(&self) -> Vec<String> {
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let mut names = Vec::with_capacity(self.episodes.len());
        for episode in &self.episodes {
            let stem = named(&episode.name, "episode");
            let numbered = (2..).map(|number| format!("{stem}-{number}"));
            // Where letter case does not count, two names may be one.
            let free = std::iter::once(stem.clone())
                .chain(numbered)
                .find(|name| taken.insert(name.to_ascii_lowercase()));
            names.push(free.unwrap_or(stem));
        }
        names
    }

    /// What was found in the episodes that were read to their end.
    pub fn tally(&self) -> LogTally {
        let mut sum = LogTally::default();
        if let Ok(tallies) = self.tallies.lock() {
            tallies.iter().flatten().for_each(|tally| sum.add(tally));
        }
        sum
    }

    /// What the map probably gets wrong: words that no cell has, files beside the log about other
    /// objects.
    pub fn doubts(&self) -> &[Doubt] {
        &self.doubts
    }

    /// Writes an episode as a trajectory, headed by what the map takes for granted, and returns the
    /// problem that its objects and first state are of.
    ///
    /// A problem cannot say that something is unknown: what is so in the first state stands in
    /// comments before it.
    ///
    /// # Errors
    /// A row says what cannot be, or the writer fails; `Err(Ok(..))` is the writer's error.
    pub fn write(
        &self,
        trace: usize,
        target: &mut dyn Write,
    ) -> Result<String, Result<std::io::Error, ReadError>> {
        let written = guarded(|| {
            let rows = self.rows(trace).map_err(|error| Err(error.into()))?;
            self.write_rows(trace, &rows, &mut |_| true, target)
        });
        written.unwrap_or_else(|broken| Err(Err(broken.into())))
    }

    /// Writes rows that were read, while the events are passed on, for as long as they are wanted.
    fn write_rows(
        &self,
        trace: usize,
        rows: &[TableRow],
        visit: &mut Visit<'_>,
        target: &mut dyn Write,
    ) -> Result<String, Result<std::io::Error, ReadError>> {
        let wrong = |error: Diagnostic| Err(ReadError::from(error));
        let domain = self.domain();
        let mut problem = Problem {
            name: named(&self.episodes[trace].name, "episode").into(),
            domain_name: domain.name.clone(),
            objects: Objects::default(),
            atoms: Vec::new(),
            values: Vec::new(),
            goal: Condition::TRUE,
            metric: None,
        };
        target.write_all(write_assumed(&self.meaning.assumed()).as_bytes()).map_err(Ok)?;
        let mut failed = None;
        let (mut begun, mut wanted) = (false, true);
        let mut unknown = Vec::new();
        let (world, mut tally) = self
            .run_rows(trace, rows, Numbers::Exact, true, &mut |recorded, moved| {
                if !begun {
                    let attempt = recorded.event.attempt();
                    unknown = unknown_facts(
                        &Writer::new(domain, recorded.objects),
                        attempt.universe,
                        attempt.before,
                    );
                }
                wanted = wanted && visit(recorded);
                let written =
                    write_event(domain, recorded, moved, &mut begun, &mut problem, target);
                failed = written.err();
                failed.is_none()
            })
            .map_err(wrong)?;
        if let Some(error) = failed {
            return Err(Ok(error));
        }
        let mut rest = |target: &mut dyn Write| {
            if !begun {
                let writer = Writer::new(domain, &world.objects);
                unknown = unknown_facts(&writer, &world.universe, &world.before);
                target.write_all(b"(")?;
                target.write_all(
                    writer.trajectory_state(":init", &world.universe, &world.before).as_bytes(),
                )?;
            }
            target.write_all(b")\n")
        };
        rest(target).map_err(Ok)?;
        let (atoms, values) = world
            .further_statics()
            .map_err(|message| wrong(Diagnostic::of_file(self.name(trace), message)))?;
        problem.atoms.extend(atoms);
        problem.values.extend(values);
        self.numbers
            .offer(&self.meaning, &mut problem, world.objects)
            .map_err(|message| wrong(Diagnostic::of_file(self.name(trace), message)))?;
        tally.unknown_starts = usize::from(!unknown.is_empty());
        self.keep(trace, tally);
        let unknown: String =
            unknown.iter().map(|fact| format!("{UNKNOWN_AT_START} {fact}\n")).collect();
        Ok(unknown + &write_problem(domain, &problem))
    }

    fn keep(&self, trace: usize, tally: LogTally) {
        if let Ok(mut tallies) = self.tallies.lock() {
            tallies[trace] = Some(tally);
        }
    }

    fn name(&self, trace: usize) -> &str {
        self.tables[self.episodes[trace].table].table.name()
    }

    /// Shows the rows of an episode, until no more are wanted.
    fn each_row(
        &self,
        trace: usize,
        visit: &mut dyn FnMut(&TableRow) -> Result<bool, Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let EpisodeRows { table, stretches, .. } = &self.episodes[trace];
        let opened = &self.tables[*table];
        let mut row = TableRow::default();
        for stretch in stretches {
            if let Some(rows) = &opened.rows {
                for row in &rows[stretch.first..stretch.first + stretch.rows] {
                    if !visit(row)? {
                        return Ok(());
                    }
                }
                continue;
            }
            let mut source = opened.table.rows_from(stretch.from, opened.columns.clone())?;
            for _ in 0..stretch.rows {
                if !source.next(&mut row)? {
                    return Err(Diagnostic::of_file(
                        opened.table.name(),
                        "the file became shorter while it was read",
                    ));
                }
                if !visit(&row)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn rows(&self, trace: usize) -> Result<Vec<TableRow>, Diagnostic> {
        let mut rows = Vec::new();
        self.each_row(trace, &mut |row| {
            rows.push(row.clone());
            Ok(true)
        })?;
        Ok(rows)
    }

    fn episode<'l>(
        &'l self,
        trace: usize,
        world: KnownWorld<'l>,
        numbers: Numbers,
        declared: Option<Rc<DeclaredFacts>>,
    ) -> EpisodeReader<'l> {
        let rows = &self.episodes[trace];
        let mut episode =
            EpisodeReader::new(&self.meaning, &self.tables[rows.table], world, numbers, declared);
        episode.with_readings(&self.readings, &rows.name);
        episode
    }

    fn world(&self, trace: usize, numbers: Numbers) -> KnownWorld<'_> {
        KnownWorld::new(
            &self.meaning,
            &self.lexicon,
            (&self.statics, &self.reported),
            &self.episodes[trace].name,
            numbers,
        )
    }

    /// Shows the events of an episode, until the sink wants no more.
    fn run(
        &self,
        trace: usize,
        numbers: Numbers,
        sink: &mut Sink<'_>,
    ) -> Result<LogTally, Diagnostic> {
        if EpisodeReader::looks_ahead(&self.meaning) {
            let rows = self.rows(trace)?;
            return self.run_rows(trace, &rows, numbers, false, sink).map(|(_, tally)| tally);
        }
        let mut episode = self.episode(trace, self.world(trace, numbers), numbers, None);
        self.each_row(trace, &mut |row| episode.take(row, sink))?;
        Ok(episode.tally)
    }

    /// Shows the events of an episode from its rows. `whole`: each state has all that is ever
    /// needed, from the first to the last.
    fn run_rows(
        &self,
        trace: usize,
        rows: &[TableRow],
        numbers: Numbers,
        whole: bool,
        sink: &mut Sink<'_>,
    ) -> Result<(KnownWorld<'_>, LogTally), Diagnostic> {
        let mut world = self.world(trace, numbers);
        let mut declared: Option<Rc<DeclaredFacts>> = None;
        if whole || !self.meaning.declarations.is_empty() {
            // What rows say of declared facts may determine which object a parameter is, and so
            // what other rows say.
            for round in 0.. {
                let (next, turns) = {
                    let mut episode = self.episode(trace, world, numbers, declared.clone());
                    episode.take_all(rows, &mut |_, _| true)?;
                    (episode.world, episode.turns)
                };
                let is_settled =
                    declared.as_ref().map_or(turns.is_empty(), |declared| declared.turns == turns);
                if !is_settled {
                    declared = Some(Rc::new(turns.declared_facts(&next)));
                }
                world = next
                    .restarted()
                    .map_err(|message| Diagnostic::of_file(self.name(trace), message))?;
                if is_settled || !self.meaning.has_declared_parameters() {
                    break;
                }
                if round == ROUNDS {
                    let message = "which objects its rows name depends on declared facts that its \
                                   rows contradict";
                    let episode =
                        surefoot_base::pddl::visible(&self.episodes[trace].name).into_owned();
                    return Err(Diagnostic::of_file(
                        self.name(trace),
                        format!("the episode `{episode}` cannot be read: {message}"),
                    ));
                }
            }
        }
        let mut episode = self.episode(trace, world, numbers, declared);
        episode.take_all(rows, sink)?;
        Ok((episode.world, episode.tally))
    }

    fn is_of(&self, domain: &Domain) -> bool {
        let ours = self.domain();
        let mut actions = ours.actions.iter().zip(domain.actions.iter());
        ours.signature == domain.signature
            && ours.actions.len() == domain.actions.len()
            && actions.all(|((name, action), (other, theirs))| {
                name == other && action.parameters == theirs.parameters
            })
    }
}

impl Recording for Log {
    fn traces(&self) -> usize {
        self.episodes.len()
    }

    fn read(
        &self,
        trace: usize,
        domain: &Domain,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        if !self.is_of(domain) {
            return Err(Diagnostic::of_file(
                self.meaning.source.name(),
                "the domain is not the one that this map means",
            )
            .into());
        }
        guarded(|| self.read_unguarded(trace, numbers, with_digest, visit))?
    }

    /// The digest of the trajectory that [`Log::write`] writes, so that what was learned from a log
    /// can be checked against its import.
    fn digest(&self, trace: usize) -> Result<String, ReadError> {
        guarded(|| self.digest_of(trace, &self.rows(trace)?, &mut |_| true))?
    }
}

impl Log {
    fn read_unguarded(
        &self,
        trace: usize,
        numbers: Numbers,
        with_digest: bool,
        visit: &mut Visit<'_>,
    ) -> Result<Provenance, ReadError> {
        if with_digest && numbers == Numbers::Exact {
            let rows = self.rows(trace)?;
            let digest = Some(self.digest_of(trace, &rows, visit)?);
            return Ok(Provenance { digest, assumed: self.meaning.assumed() });
        }
        let mut stopped = false;
        let tally = self.run(trace, numbers, &mut |recorded, _| {
            let go_on = visit(recorded);
            stopped |= !go_on;
            go_on
        })?;
        if !stopped {
            self.keep(trace, tally);
        }
        let digest = with_digest.then(|| self.digest(trace)).transpose()?;
        Ok(Provenance { digest, assumed: self.meaning.assumed() })
    }

    fn digest_of(
        &self,
        trace: usize,
        rows: &[TableRow],
        visit: &mut Visit<'_>,
    ) -> Result<String, ReadError> {
        let mut hasher = Sha256::new();
        self.write_rows(trace, rows, visit, &mut Hashing(&mut hasher)).map_err(
            |error| match error {
                Ok(error) => Diagnostic::of_file(self.name(trace), error.to_string()).into(),
                Err(error) => error,
            },
        )?;
        let mut digest = String::new();
        hasher.finalize().iter().for_each(|byte| {
            let _ = write!(digest, "{byte:02x}");
        });
        Ok(digest)
    }
}

struct Hashing<'h>(&'h mut Sha256);

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The facts that are unknown in a state.
fn unknown_facts(writer: &Writer<'_>, universe: &Universe, state: &State) -> Vec<String> {
    let values =
        state.unknown_values().map(|id| writer.ground_function(universe.ground_function(id)));
    let atoms = state.unknown_atoms().map(|id| writer.ground_atom(universe.ground_atom(id)));
    values.chain(atoms).collect()
}

fn write_event(
    domain: &Domain,
    recorded: &Recorded<'_>,
    moved: bool,
    begun: &mut bool,
    problem: &mut Problem,
    target: &mut dyn Write,
) -> std::io::Result<()> {
    let writer = Writer::new(domain, recorded.objects);
    let attempt = recorded.event.attempt();
    let (universe, before) = (attempt.universe, attempt.before);
    if !*begun {
        *begun = true;
        target.write_all(b"(")?;
        target.write_all(writer.trajectory_state(":init", universe, before).as_bytes())?;
        problem.atoms = before.atoms().map(|id| universe.ground_atom(id).clone()).collect();
        problem.values = before
            .values()
            .map(|(id, value)| (universe.ground_function(id).clone(), value.clone()))
            .collect();
    } else if moved {
        target.write_all(writer.trajectory_state(":reset", universe, before).as_bytes())?;
    }
    match recorded.event {
        Event::Worked(step) => {
            target.write_all(writer.trajectory_action("operator:", step.action).as_bytes())?;
            target.write_all(writer.trajectory_state(":state", universe, step.after).as_bytes())
        }
        Event::Failed(attempt) => {
            target.write_all(writer.trajectory_action("failed:", attempt.action).as_bytes())
        }
    }
}

/// All columns of a table. Where they come with the rows, all rows are parsed; they are returned if
/// there is room for them.
fn all_columns(
    table: &Table,
    room: &mut usize,
) -> Result<(ColumnNames, Option<Vec<TableRow>>), Diagnostic> {
    match table.has_fixed_columns() {
        true => Ok((table.rows()?.columns().clone(), None)),
        false => parsed(table, room, &mut |_| Ok(())),
    }
}

/// Parses a table: its columns, and its rows if there is room for all of them.
fn parsed(
    table: &Table,
    room: &mut usize,
    visit: &mut dyn FnMut(&TableRow) -> Result<(), Diagnostic>,
) -> Result<(ColumnNames, Option<Vec<TableRow>>), Diagnostic> {
    let mut source = table.rows()?;
    let (mut row, mut taken) = (TableRow::default(), 0);
    let mut kept = Some(Vec::new());
    while source.next(&mut row)? {
        visit(&row)?;
        taken += row.size();
        match &mut kept {
            Some(rows) if taken <= *room => rows.push(row.clone()),
            _ => kept = None,
        }
    }
    if kept.is_some() {
        *room -= taken;
    }
    Ok((source.columns().clone(), kept))
}

/// An episode that goes on in another table would begin there again, with all that is known of its
/// start.
fn each_in_one_table(episodes: &[EpisodeRows], tables: &[Opened]) -> Result<(), Diagnostic> {
    let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
    for episode in episodes {
        if let Some(earlier) = seen.insert(&episode.name, episode.table) {
            let (opened, earlier) = (&tables[episode.table], tables[earlier].table.name());
            let message = format!(
                "the episode `{}` is in {earlier} too",
                surefoot_base::pddl::visible(&episode.name)
            );
            let from = episode.stretches.first().map_or_else(Mark::default, |stretch| stretch.from);
            return Err(opened.table.row_error(from, message).help(
                "where it is one episode, put its rows into one file, in the order of time; where \
                 it is not, add a column that tells the \
                 files apart to `episode`",
            ));
        }
    }
    Ok(())
}

/// Episodes that only look different are an error; those that a file or a reading names and no row
/// has are named.
fn names_without_rows(
    episodes: &[EpisodeRows],
    tables: &[Opened],
    meaning: &Meaning,
    statics: &Statics,
    readings: &Readings,
) -> Result<Vec<Doubt>, Diagnostic> {
    let mut known: FxHashMap<String, &EpisodeRows> = FxHashMap::default();
    for episode in episodes {
        if let Some(earlier) = known.insert(alike(&episode.name), episode)
            && earlier.name != episode.name
        {
            let place =
                format!("{}:{}", tables[earlier.table].table.name(), first_mark(earlier).line());
            let (word, other) = differing(&episode.name, &earlier.name);
            let message = format!("two episodes? {}", alike_message(word, other, &place));
            return Err(tables[episode.table].table.row_error(first_mark(episode), message));
        }
    }
    // Without `episode`, readings are of the one file.
    let read = readings.episodes().filter(|_| !meaning.episode.is_empty());
    let (mut unknown, mut doubts) = (Vec::new(), Vec::new());
    for (what, names) in
        [("files", statics.episodes().collect::<Vec<_>>()), ("readings", read.collect())]
    {
        for (name, place) in &names {
            match known.get(&alike(name)) {
                Some(episode) if *episode.name != **name => {
                    let here = format!(
                        "{}:{}",
                        tables[episode.table].table.name(),
                        first_mark(episode).line()
                    );
                    let (word, other) = differing(name, &episode.name);
                    let message = format!("two episodes? {}", alike_message(word, other, &here));
                    return Err(Diagnostic::of_file(place, message));
                }
                Some(_) => {}
                None => unknown.push(*name),
            }
        }
        if !unknown.is_empty() {
            unknown.sort_unstable();
            let text = format!(
                "{what} name {} of {} episodes that have no row: {}",
                unknown.len(),
                names.len(),
                some_of(&unknown)
            );
            doubts.push(Doubt { text, is_grave: unknown.len() == names.len() });
        }
        unknown.clear();
    }
    if !readings.unread.is_empty() {
        let count: usize = readings.unread.values().sum();
        let names: Vec<&str> = readings.unread.keys().map(String::as_str).collect();
        let text = format!(
            "{count} readings are of attributes that the map does not read: {}",
            some_of(&names)
        );
        doubts.push(Doubt { text, is_grave: false });
    }
    Ok(doubts)
}

/// The first parts in which the names of two episodes differ, as `names` of a map would say them.
fn differing<'n>(one: &'n str, other: &'n str) -> (&'n str, &'n str) {
    let is_plain = !one.contains('\\')
        && !other.contains('\\')
        && one.matches('/').count() == other.matches('/').count();
    let parts = one.split('/').zip(other.split('/')).find(|(one, other)| one != other);
    parts.filter(|_| is_plain).unwrap_or((one, other))
}

fn first_mark(episode: &EpisodeRows) -> Mark {
    episode.stretches.first().map_or_else(Mark::default, |stretch| stretch.from)
}

/// Finds the episodes of a table while its rows are parsed.
struct EpisodeFinder<'o> {
    meaning: &'o Meaning,
    table: Table,
    columns: ColumnNames,
    /// The columns whose cells together name the episode of a row.
    named_by: Vec<usize>,
    episodes: IndexMap<Box<str>, Vec<RowRange>, FxBuildHasher>,
    name: String,
    last: Option<usize>,
    rows: usize,
}

impl<'o> EpisodeFinder<'o> {
    fn new(meaning: &'o Meaning, opened: &Opened) -> Self {
        EpisodeFinder {
            meaning,
            table: opened.table.clone(),
            columns: opened.columns.clone(),
            named_by: opened.bound.episode.clone(),
            episodes: IndexMap::default(),
            name: String::new(),
            last: None,
            rows: 0,
        }
    }

    /// Adds the next row of the table.
    fn add(&mut self, row: &TableRow) -> Result<(), Diagnostic> {
        self.name.clear();
        for &column in &self.named_by {
            let word = self.meaning.names.of(row.cell(column));
            if word.is_empty() {
                let message = "this row does not say which episode it belongs to";
                return Err(self.table.error(row, column, self.columns.name(column), message));
            }
            add_part(&mut self.name, &word, self.named_by.len());
        }
        let same = match self.named_by.is_empty() {
            true => self.last,
            false => self.episodes.get_index_of(self.name.as_str()),
        };
        if same.is_none() && self.named_by.is_empty() {
            self.name = stem(self.table.name());
        }
        let index = same
            .unwrap_or_else(|| self.episodes.insert_full(self.name.as_str().into(), Vec::new()).0);
        let stretches = &mut self.episodes[index];
        match stretches.last_mut() {
            Some(stretch) if self.last == Some(index) => stretch.rows += 1,
            _ => stretches.push(RowRange { from: row.mark(), first: self.rows, rows: 1 }),
        }
        self.last = Some(index);
        self.rows += 1;
        Ok(())
    }

    /// The episodes of the rows, in the order in which they begin; `table` is the number of their
    /// table.
    fn episodes(self, table: usize) -> impl Iterator<Item = EpisodeRows> {
        self.episodes.into_iter().map(move |(name, stretches)| EpisodeRows {
            name,
            table,
            stretches,
        })
    }
}

fn stem(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("log").to_owned()
}
