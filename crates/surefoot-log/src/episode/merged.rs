//! The rows of an episode, merged with readings of another table by their times.
//!
//! What is read between a row and the next is what came of it, or where the world went after it.
//! Rows of one time have no order among readings: what is read after them goes to the one row whose
//! action names the object. Where several do, it is known after the last of them alone, and after
//! none of them if it is read with several values; where none does, none of them may have changed
//! it.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Arguments, ObjectId, TypeId};
use surefoot_base::pddl::Diagnostic;

use super::{EpisodeReader, RowContext, Sink, ahead, symbol};
use crate::bind::{BoundArgument, BoundParameter};
use crate::map::{ActionRule, Argument, CellMeaning, Empty, FactTemplate, Meant, SymbolKey};
use crate::readings::{Readings, SensorReading};
use crate::table::{Cell, TableRow, number};
use crate::time::{HELP, Time};
use crate::world::Dynamic;

/// A reading that is followed by another of the same fact before the next row.
pub(super) struct Overtaken<'r> {
    reading: &'r SensorReading,
    /// For numbers: the largest distance of later values. `None` if one of them is unknown.
    later: Option<Rational>,
}

/// How a row is about the object of a reading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ObjectMention {
    /// It has the object among the arguments of its action, or may have.
    Acts,
    /// It only says how things are, of this object among others.
    Reports,
    /// It is an attempt at an action on other objects.
    Elsewhere,
    /// It only says how other things are.
    No,
}

impl<'l> EpisodeReader<'l> {
    /// Readings of the same episode, which are merged with its rows.
    pub fn with_readings(&mut self, readings: &'l Readings, episode: &str) {
        if self.meaning.values.is_some() {
            let episode = if self.meaning.episode.is_empty() { "" } else { episode };
            self.readings = Some((readings, readings.of(episode)));
        }
    }

    /// Reads all rows of an episode, and its readings; false: the sink wants no more.
    pub(super) fn take_with_readings(
        &mut self,
        rows: &[TableRow],
        later: &[Vec<ahead::Later>],
        sink: &mut Sink<'_>,
    ) -> Result<bool, Diagnostic> {
        let Some((_, all)) = self.readings else { return Ok(true) };
        let times = rows.iter().map(|row| self.time_of(row)).collect::<Result<Vec<Time>, _>>()?;
        let is_after = self.meaning.values.as_ref().is_none_or(|values| values.same_time_is_after);
        // How many readings come before a row.
        let mut taken =
            times.first().map_or(all.len(), |time| readings_before(all, time, is_after));
        self.take_readings(&all[..taken])?;
        self.settle();
        let mut first = 0;
        while first < rows.len() {
            let end = first
                + times[first..]
                    .iter()
                    .take_while(|time| time.compare(&times[first]) == Some(Ordering::Equal))
                    .count()
                    .max(1);
            let until = times
                .get(end)
                .map_or(all.len(), |time| readings_before(all, time, is_after))
                .max(taken);
            if !self.take_of_one_time(rows, first..end, later, &all[taken..until], sink)? {
                return Ok(false);
            }
            (first, taken) = (end, until);
        }
        Ok(true)
    }

    fn time_of(&self, row: &TableRow) -> Result<Time, Diagnostic> {
        let column = self.opened.bound.time.unwrap_or(self.opened.bound.action);
        let text = row.cell(column).text();
        if text.is_empty() {
            return Err(self.error(
                row,
                column,
                "an event without a time cannot be ordered among the readings around it",
            ));
        }
        let time = Time::read(text);
        // All readings of an episode have an order, so this row has one with all of them or with
        // none.
        if let Some((all, [first, ..])) = self.readings
            && first.time.compare(&time).is_none()
        {
            let (place, this, that) = (all.place(first), time.kind(), first.time.kind());
            let message = format!(
                "this is {this} and cannot be compared with `{}` of the reading at {place}, which \
                 is {that}",
                first.written
            );
            return Err(self.error(row, column, message).help(HELP));
        }
        Ok(time)
    }

    /// Reads rows of one time, with the readings up to the next.
    fn take_of_one_time(
        &mut self,
        rows: &[TableRow],
        group: std::ops::Range<usize>,
        later: &[Vec<ahead::Later>],
        readings: &[SensorReading],
        sink: &mut Sink<'_>,
    ) -> Result<bool, Diagnostic> {
        let mut contexts: Vec<RowContext<'_>> = group
            .clone()
            .map(|number| RowContext {
                rows,
                later: later.get(number).map_or(&[], |later| later),
                ..RowContext::default()
            })
            .collect();
        let mut met: FxHashSet<(Option<SymbolKey>, &str)> = FxHashSet::default();
        let (first, again): (Vec<&SensorReading>, Vec<&SensorReading>) = readings
            .iter()
            .partition(|reading| met.insert((self.symbol_of(reading), &*reading.object)));
        let mut of_none = Vec::new();
        for reading in first {
            let mentions: Vec<ObjectMention> =
                group.clone().map(|number| self.about(&rows[number], reading)).collect();
            let places = |wanted: &[ObjectMention]| -> Vec<usize> {
                (0..mentions.len()).filter(|&at| wanted.contains(&mentions[at])).collect()
            };
            let (acts, reports, elsewhere) = (
                places(&[ObjectMention::Acts]),
                places(&[ObjectMention::Reports]),
                places(&[ObjectMention::Elsewhere]),
            );
            let changed_again = || again.iter().any(|other| self.is_changed_by(reading, other));
            let place = match (&acts[..], &reports[..], &elsewhere[..]) {
                // It changed more than once, and nothing says which row made which change.
                ([_, _, ..], ..) if changed_again() => {
                    acts.iter().for_each(|&at| contexts[at].shared.push(reading));
                    continue;
                }
                ([earlier @ .., last], ..) => {
                    earlier.iter().for_each(|&at| contexts[at].shared.push(reading));
                    *last
                }
                ([], [.., last], _) | ([], [], [last]) => *last,
                ([], [], []) => mentions.len() - 1,
                ([], [], _) => {
                    of_none.push(reading);
                    continue;
                }
            };
            let readings = &mut contexts[place];
            match changed_again() {
                true => readings
                    .overtaken
                    .push(Overtaken { reading, later: self.farthest(reading, &again) }),
                false => readings.readings.push(reading),
            }
        }
        for (number, context) in group.clone().zip(&contexts) {
            self.number = number;
            if !self.take_row(&rows[number], context, sink)? {
                return Ok(false);
            }
        }
        for reading in of_none {
            self.take_reading(reading)?;
            if self.world.has_changed_known(0) {
                return Err(self.ambiguous(reading, rows, group));
            }
        }
        // Where something was read more than once, the world is where it was read last.
        for reading in again {
            self.take_reading(reading)?;
        }
        self.settle();
        Ok(true)
    }

    /// The subject of a reading, whichever attribute it has.
    fn kind_of(&self, reading: &SensorReading) -> Option<&'l CellMeaning> {
        self.meaning.values.as_ref().map(|values| &values.facts[reading.attribute].kind)
    }

    fn symbol_of(&self, reading: &SensorReading) -> Option<SymbolKey> {
        self.kind_of(reading).map(CellMeaning::symbol)
    }

    /// Whether a later reading of the same fact says something else than an earlier one, or may say
    /// it.
    fn is_changed_by(&self, earlier: &SensorReading, later: &SensorReading) -> bool {
        let is_same_fact =
            earlier.object == later.object && self.symbol_of(earlier) == self.symbol_of(later);
        is_same_fact && self.meant(earlier).is_none_or(|said| self.meant(later) != Some(said))
    }

    fn meant(&self, reading: &SensorReading) -> Option<Meant> {
        self.kind_of(reading)?.meant(&self.meaning.names, reading.value.cell())
    }

    fn number_of(&self, reading: &SensorReading) -> Option<Rational> {
        number(self.numbers, reading.value.cell().text()).ok()
    }

    /// How far later readings of the same fact are from an earlier one at most, as numbers.
    fn farthest(&self, reading: &SensorReading, later: &[&SensorReading]) -> Option<Rational> {
        let first = self.number_of(reading)?;
        let mut far = later
            .iter()
            .filter(|other| {
                other.object == reading.object && self.symbol_of(other) == self.symbol_of(reading)
            })
            .map(|other| Some((&self.number_of(other)? - &first).abs()));
        far.try_fold(Rational::ZERO, |most, far| Some(most.max(far?)))
    }

    fn ambiguous(
        &self,
        reading: &SensorReading,
        rows: &[TableRow],
        group: std::ops::Range<usize>,
    ) -> Diagnostic {
        let Some((values, (all, _))) = self.meaning.values.as_ref().zip(self.readings) else {
            return Diagnostic::of_file(
                self.opened.table.name(),
                "a reading without a table of readings",
            );
        };
        let (from, to) = (rows[group.start].mark().line(), rows[group.end - 1].mark().line());
        let message = format!(
            "`{}` changed, but the rows before this reading ({}:{from}-{to}) have one time and \
             none of them names it: any of them may have \
             changed it",
            reading.object,
            self.opened.table.name()
        );
        all.error(reading, &values.value.name, message)
            .help("give each row of the log a time of its own")
    }

    /// How a row is about the object of a reading.
    fn about(&self, row: &TableRow, reading: &SensorReading) -> ObjectMention {
        let (meaning, bound) = (self.meaning, &self.opened.bound);
        let Some(of) = meaning
            .values
            .as_ref()
            .and_then(|values| object_type(&values.facts[reading.attribute]))
        else {
            return ObjectMention::No;
        };
        match meaning.actions.get_full(&*meaning.names.of(row.cell(bound.action))) {
            Some((number, _, ActionRule::Attempt(action, _))) => {
                let parameters = &meaning.domain.action(*action).parameters;
                let acts =
                    bound.parameters[number].iter().zip(parameters).any(|(source, parameter)| {
                        let may_be = parameter.types.types().contains(&of);
                        may_be
                            && match source {
                                BoundParameter::Column(column, _) => {
                                    row.cell(*column) == Cell::Missing
                                        || meaning.names.is_word(row.cell(*column), &reading.object)
                                }
                                // Which object that is depends on the rows before.
                                BoundParameter::Before(_) => true,
                                BoundParameter::Input(..) => false,
                            }
                    });
                if acts { ObjectMention::Acts } else { ObjectMention::Elsewhere }
            }
            _ => {
                let parameters =
                    bound.parameters.iter().flatten().filter_map(|source| match source {
                        BoundParameter::Column(column, named) => Some((*column, *named)),
                        BoundParameter::Input(..) | BoundParameter::Before(_) => None,
                    });
                let reports =
                    bound.before.iter().chain(&bound.after).flat_map(|report| &report.arguments);
                let reports = reports.filter_map(|argument| match argument {
                    BoundArgument::Column(column, named) => Some((*column, *named)),
                    BoundArgument::Name(..) => None,
                });
                let reports = parameters.chain(reports).any(|(column, named)| {
                    named == of && meaning.names.is_word(row.cell(column), &reading.object)
                });
                if reports { ObjectMention::Reports } else { ObjectMention::No }
            }
        }
    }

    fn take_readings(&mut self, readings: &[SensorReading]) -> Result<(), Diagnostic> {
        readings.iter().try_for_each(|reading| self.take_reading(reading))
    }

    fn take_reading(&mut self, reading: &SensorReading) -> Result<(), Diagnostic> {
        self.set_reading(reading, reading.value.cell())
    }

    /// Makes true what a reading says, or what it would say with another value.
    fn set_reading(&mut self, reading: &SensorReading, cell: Cell<'_>) -> Result<(), Diagnostic> {
        let Some((values, (all, _))) = self.meaning.values.as_ref().zip(self.readings) else {
            return Ok(());
        };
        let fact = &values.facts[reading.attribute];
        let set = object_type(fact).map_or(Ok(()), |of| {
            let at = || format!("the reading at {}", all.place(reading));
            let arguments = Arguments::from_iter([self.world.object(of, &reading.object, &at)?]);
            match cell {
                Cell::Missing => self.empty(&fact.kind, arguments, Empty::Unknown),
                cell => self.set(&fact.kind, arguments, cell, &at),
            }
        });
        set.map_err(|message| all.error(reading, &values.value.name, message))
    }

    /// The symbols that are read now and then, so that what is not read is unknown.
    pub(super) fn values_are_samples(&self) -> Vec<Dynamic> {
        let samples = self.meaning.values.iter().filter(|values| !values.all_changes);
        samples.flat_map(|values| values.facts.values()).map(|fact| symbol(&fact.kind)).collect()
    }

    /// What is read first after a step is what came of it, unless it shows no change and a later
    /// reading does. Numbers may be off, so a number shows a change only if it is farther from the
    /// one before than later ones are from it. What was not read is unknown, unless every change
    /// is.
    pub(super) fn readings_after(
        &mut self,
        context: &RowContext<'_>,
        acted: &[ObjectId],
    ) -> Result<(), Diagnostic> {
        let Some(values) = &self.meaning.values else { return Ok(()) };
        if !values.all_changes {
            for fact in values.facts.values() {
                let Some(of) = object_type(fact) else { continue };
                let objects = acted
                    .iter()
                    .copied()
                    .filter(|&object| self.world.objects.type_of(object) == of);
                for object in objects.collect::<Vec<_>>() {
                    // Its objects were met, so nothing can go wrong with their names.
                    let _ = self.empty(&fact.kind, Arguments::from_iter([object]), Empty::Unknown);
                }
            }
        }
        context.shared.iter().try_for_each(|reading| self.set_reading(reading, Cell::Missing))?;
        for Overtaken { reading, later } in &context.overtaken {
            let changes = self.world.changes();
            self.take_reading(reading)?;
            let shows_change = match (self.kind_of(reading), later) {
                (Some(CellMeaning::Number(_)), None) => false,
                (Some(CellMeaning::Number(_)), Some(later)) => {
                    self.world.largest_change(changes).is_some_and(|change| change > *later)
                }
                _ => self.world.has_changed_known(changes),
            };
            // Either the row changed nothing, or its change was read late.
            if !shows_change {
                self.set_reading(reading, Cell::Missing)?;
            }
        }
        context.readings.iter().try_for_each(|reading| self.take_reading(reading))
    }
}

/// The type of the object that a fact of a reading is about.
fn object_type(fact: &FactTemplate) -> Option<TypeId> {
    fact.arguments.iter().find(|(argument, _)| *argument != Argument::Cell).map(|(_, of)| *of)
}

/// How many readings come before the rows of a time. A reading of that time is one of them, unless
/// it is of the state after the rows.
fn readings_before(readings: &[SensorReading], time: &Time, is_after: bool) -> usize {
    readings.partition_point(|reading| match reading.time.compare(time) {
        Some(Ordering::Less) => true,
        Some(Ordering::Equal) => !is_after,
        _ => false,
    })
}
