//! The rows of an episode, merged with readings of another table by their times.
//!
//! A row is held back until the next one comes: what is read in between is what came of it, or where the world went after it.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;
use surefoot::model::{Arguments, GroundAction};
use surefoot::pddl::Diagnostic;

use super::{Episode, Shown, Sink};
use crate::map::{Argument, Empty};
use crate::readings::{Reading, Readings};
use crate::table::{Cell, Row};
use crate::time::{HELP, Time};

impl<'l> Episode<'l> {
    /// Reads a row; false: the sink wants no more.
    pub fn take(&mut self, row: &Row, sink: &mut Sink<'_>) -> Result<bool, Diagnostic> {
        if self.readings.is_none() {
            return self.take_row(row, &Shown::Here, sink);
        }
        let Some(column) = self.opened.bound.time else { return self.take_row(row, &Shown::Here, sink) };
        let (text, after) =
            (row.cell(column).text(), self.meaning.values.as_ref().is_none_or(|values| values.same_time_is_after));
        if text.is_empty() {
            return Err(self.error(row, column, "an event without a time cannot be told from the readings around it"));
        }
        let time = Time::read(text);
        // All readings of an episode have an order, so this row has one with all of them or with none.
        if let Some((all, [first, ..])) = self.readings
            && first.time.compare(&time).is_none()
        {
            let (place, this, that) = (all.place(first), time.kind(), first.time.kind());
            let message = format!(
                "this is {this} and cannot be compared with `{}` of the reading at {place}, which is {that}",
                first.written
            );
            return Err(self.error(row, column, message).help(HELP));
        }
        // What is read before this row comes after the last one.
        let early = self.readings.map_or(0, |(_, rest)| {
            rest.partition_point(|reading| {
                let order = reading.time.compare(&time);
                order == Some(Ordering::Less) || order == Some(Ordering::Equal) && !after
            })
        });
        let go_on = self.take_held(early, sink)?;
        self.held = Some(row.clone());
        Ok(go_on)
    }

    /// Reads the row that is held back, where readings come after rows.
    pub fn finish(&mut self, sink: &mut Sink<'_>) -> Result<bool, Diagnostic> {
        let rest = self.readings.map_or(0, |(_, rest)| rest.len());
        self.take_held(rest, sink)
    }

    /// Readings of the same episode, which are merged with its rows.
    pub fn with_readings(&mut self, readings: &'l Readings, episode: &str) {
        if self.meaning.values.is_some() {
            let episode = if self.meaning.episode.is_empty() { "" } else { episode };
            self.readings = Some((readings, readings.of(episode)));
        }
    }

    /// Takes the row that is held back with the first of the readings that are left, or these alone.
    fn take_held(&mut self, count: usize, sink: &mut Sink<'_>) -> Result<bool, Diagnostic> {
        let Some((all, rest)) = self.readings else { return Ok(true) };
        let (now, later) = rest.split_at(count);
        self.readings = Some((all, later));
        let go_on = match self.held.take() {
            Some(row) => self.take_row(&row, &Shown::Read(now), sink)?,
            None => true,
        };
        // Where something was read more than once, the world is where it was read last.
        for reading in now {
            self.take_reading(reading)?;
        }
        self.settle();
        Ok(go_on)
    }

    fn take_reading(&mut self, reading: &Reading) -> Result<(), Diagnostic> {
        let Some((values, (all, _))) = self.meaning.values.as_ref().zip(self.readings) else { return Ok(()) };
        let fact = &values.facts[reading.attribute];
        let object = fact.arguments.iter().find(|(argument, _)| *argument != Argument::Cell).map(|(_, of)| *of);
        let set = object.map_or(Ok(()), |of| {
            let at = || format!("the reading at {}", all.place(reading));
            let arguments = Arguments::from_iter([self.world.object(of, &reading.object, &at)?]);
            match reading.value.cell() {
                Cell::Missing => self.empty(&fact.kind, arguments, Empty::Unknown),
                cell => self.set(&fact.kind, arguments, cell, &at),
            }
        });
        set.map_err(|message| all.error(reading, &values.value.name, message))
    }

    /// What is read first after a step is what came of it. What was not read is unknown, unless every change is.
    pub(super) fn readings_after(&mut self, readings: &[Reading], action: Option<&GroundAction>) -> Result<(), Diagnostic> {
        let Some(values) = &self.meaning.values else { return Ok(()) };
        let mut told: FxHashSet<(usize, &str)> = FxHashSet::default();
        let first: Vec<&Reading> = readings.iter().filter(|reading| told.insert((reading.attribute, &*reading.object))).collect();
        if let (false, Some(action)) = (values.all_changes, action) {
            for fact in values.facts.values() {
                for (_, of) in fact.arguments.iter().filter(|(argument, _)| *argument != Argument::Cell) {
                    for &object in
                        action.arguments.iter().filter(|&&object| self.world.objects.type_of(object) == *of).collect::<Vec<_>>()
                    {
                        // Its objects were met, so nothing can go wrong with their names.
                        let _ = self.empty(&fact.kind, Arguments::from_iter([object]), Empty::Unknown);
                    }
                }
            }
        }
        first.into_iter().try_for_each(|reading| self.take_reading(reading))
    }
}
