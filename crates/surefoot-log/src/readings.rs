//! Readings: a table beside that of the events, with an object, an attribute, a value and a time in
//! each row.
//!
//! They are kept in memory, by episode and in the order of time, since events and readings are
//! merged as they happened.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use surefoot_base::pddl::Diagnostic;

use crate::map::fact::otherwise_spelled;
use crate::map::{Meaning, Meant, ReadingsMeaning, SymbolKey};
use crate::map_doubts::MapDoubts;
use crate::names::add_part;
use crate::reported::Reported;
use crate::table::{Cell, ColumnNames, Table, TableRow, Value};
use crate::tally::LogTally;
use crate::time::{HELP, Time};

/// One reading, as a row has it.
#[derive(Clone, Debug)]
pub(crate) struct SensorReading {
    pub time: Time,
    /// The time, as it was written.
    pub written: Box<str>,
    pub object: Box<str>,
    /// The number of its attribute in the map.
    pub attribute: usize,
    pub value: Value,
    /// Where it is: the number of its table, its line, and the columns of its value and its time.
    table: usize,
    line: usize,
    column: usize,
    time_column: usize,
}

/// The readings of a log.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    tables: Vec<Table>,
    by_episode: FxHashMap<Box<str>, Vec<SensorReading>>,
    pub count: usize,
    /// By attribute that the map does not read: how many readings there are.
    pub unread: BTreeMap<String, usize>,
}

impl Readings {
    /// Whether a table has readings, not events.
    pub fn has(meaning: &Meaning, columns: &ColumnNames) -> bool {
        meaning.values.as_ref().is_some_and(|values| {
            let there = [&values.object, &values.attribute, &values.value];
            columns.find(&meaning.action.name).is_none()
                && there.iter().all(|column| columns.find(&column.name).is_some())
        })
    }

    /// Takes all rows of a table.
    pub fn add(
        &mut self,
        meaning: &Meaning,
        values: &ReadingsMeaning,
        table: &Table,
        columns: &ColumnNames,
        (map_doubts, reported): (&mut MapDoubts<'_>, &mut Reported),
    ) -> Result<(), Diagnostic> {
        let find = |column: &crate::map::MapColumn| {
            columns.find(&column.name).ok_or_else(|| {
                meaning
                    .error(column.span, format!("{} has no column `{}`", table.name(), column.name))
            })
        };
        let (object, attribute, value, time) = (
            find(&values.object)?,
            find(&values.attribute)?,
            find(&values.value)?,
            find(&values.time)?,
        );
        let episode = meaning.episode.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let number = self.tables.len();
        self.tables.push(table.clone());
        let (mut rows, mut row) = (table.rows()?, TableRow::default());
        while rows.next(&mut row)? {
            let filled = |column: usize| match row.cell(column) {
                Cell::Missing => Err(table.error(
                    &row,
                    column,
                    columns.name(column),
                    "a reading cannot be placed without this",
                )),
                cell => Ok(meaning.names.of(cell)),
            };
            let word = filled(attribute)?;
            let Some((known, _, fact)) = values.facts.get_full(&*word) else {
                if let Some(message) = otherwise_spelled(values.facts.keys(), &word) {
                    let error = table.error(&row, attribute, columns.name(attribute), message);
                    return Err(error.help(
                        "under [values.facts]; `names` in the map is for what is not meant",
                    ));
                }
                LogTally::count(&mut self.unread, &word);
                continue;
            };
            let mut name = String::new();
            for &column in &episode {
                add_part(&mut name, &filled(column)?, episode.len());
            }
            self.count += 1;
            map_doubts.reading(meaning, (known, fact), &filled(object)?, row.cell(value));
            reported.reading(meaning, fact, &filled(object)?);
            self.by_episode.entry(name.into()).or_default().push(SensorReading {
                time: Time::read(row.cell(time).text()),
                written: filled(time).map(|_| row.cell(time).text())?.into(),
                object: filled(object)?.into(),
                attribute: known,
                value: match row.cell(value) {
                    Cell::Missing => Value::Missing,
                    Cell::Text(text) => Value::Text(text.into()),
                    Cell::Number(text) => Value::Number(text.into()),
                    Cell::Flag(flag) => Value::Flag(flag),
                },
                table: number,
                line: row.mark().line(),
                column: value,
                time_column: time,
            });
        }
        Ok(())
    }

    /// Puts all readings into the order of time; those of one time stay in the order of their rows.
    pub fn sort(&mut self, meaning: &Meaning, values: &ReadingsMeaning) -> Result<(), Diagnostic> {
        for readings in self.by_episode.values() {
            let Some(first) = readings.first() else { continue };
            if first.time.compare(&first.time).is_none() {
                let message =
                    "in times written like this one, nobody can tell which is earlier".to_owned();
                let table = &self.tables[first.table];
                return Err(table
                    .error_at(
                        first.line,
                        first.time_column,
                        &values.time.name,
                        &first.written,
                        message,
                    )
                    .help(HELP));
            }
            if let Some(other) =
                readings.iter().find(|reading| reading.time.compare(&first.time).is_none())
            {
                let message = format!(
                    "`{}` is {} and cannot be compared with `{}` ({}), which is {}",
                    other.written,
                    other.time.kind(),
                    first.written,
                    self.place(first),
                    first.time.kind()
                );
                let table = &self.tables[other.table];
                return Err(table
                    .error_at(
                        other.line,
                        other.time_column,
                        &values.time.name,
                        &other.written,
                        message,
                    )
                    .help(HELP));
            }
        }
        for readings in self.by_episode.values() {
            if let Some([earlier, reading]) =
                readings.windows(2).find(|pair| goes_back(&pair[0], &pair[1]))
            {
                let message = format!(
                    "the time goes back: the reading before it ({}) is of {}",
                    self.place(earlier),
                    earlier.written
                );
                let table = &self.tables[reading.table];
                return Err(table
                    .error_at(
                        reading.line,
                        reading.time_column,
                        &values.time.name,
                        &reading.written,
                        message,
                    )
                    .help(HELP));
            }
        }
        self.by_episode.values_mut().for_each(|readings| {
            readings.sort_by(|one, other| one.time.compare(&other.time).unwrap_or(Ordering::Equal))
        });
        self.by_episode
            .values()
            .try_for_each(|readings| self.agree_in_time(meaning, values, readings))
    }

    /// At one time, one attribute of one object has one value. The readings are in the order of
    /// time.
    fn agree_in_time(
        &self,
        meaning: &Meaning,
        values: &ReadingsMeaning,
        readings: &[SensorReading],
    ) -> Result<(), Diagnostic> {
        for at_once in
            readings.chunk_by(|one, other| one.time.compare(&other.time) == Some(Ordering::Equal))
        {
            let mut said: FxHashMap<(&str, SymbolKey), (&SensorReading, Meant)> =
                FxHashMap::default();
            for reading in at_once
                .iter()
                .filter(|reading| at_once.len() > 1 && reading.value != Value::Missing)
            {
                let kind = &values.facts[reading.attribute].kind;
                // What cannot be read is an error where it is used.
                let Some(meant) = kind.meant(&meaning.names, reading.value.cell()) else {
                    continue;
                };
                let (earlier, other) = said
                    .entry((&reading.object, kind.symbol()))
                    .or_insert_with(|| (reading, meant.clone()));
                if *other != meant {
                    let (this, that) = (reading.value.cell().text(), earlier.value.cell().text());
                    let message = format!(
                        "this reading of {} is {this}, the one at {} is {that}: two values of one \
                         fact at one time",
                        reading.object,
                        self.place(earlier)
                    );
                    return Err(self.error(reading, &values.value.name, message));
                }
            }
        }
        Ok(())
    }

    /// The episodes that have readings, with the first place of each.
    pub fn episodes(&self) -> impl Iterator<Item = (&str, String)> {
        self.by_episode
            .iter()
            .filter_map(|(name, readings)| Some((&**name, self.place(readings.first()?))))
    }

    /// Where a reading is.
    pub fn place(&self, reading: &SensorReading) -> String {
        format!("{}:{}", self.tables[reading.table].name(), reading.line)
    }

    /// The readings of an episode, in the order of time.
    pub fn of(&self, episode: &str) -> &[SensorReading] {
        self.by_episode.get(episode).map_or(&[], |readings| readings)
    }

    /// A message about a reading.
    pub fn error(&self, reading: &SensorReading, name: &str, message: String) -> Diagnostic {
        self.tables[reading.table].error_at(
            reading.line,
            reading.column,
            name,
            reading.value.cell().text(),
            message,
        )
    }
}

/// Whether the text of a time is earlier than that of the row before it. Other times are sorted as
/// what they mean; a text may be a clock that begins again at midnight.
fn goes_back(earlier: &SensorReading, reading: &SensorReading) -> bool {
    let is_text = matches!(reading.time, Time::Text(_)) && earlier.table == reading.table;
    is_text && reading.time.compare(&earlier.time) == Some(Ordering::Less)
}
