//! What looks wrong in a map after all rows of a log were read, although each row by itself is
//! right.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot_base::model::TypeId;

use crate::bind::{BoundArgument, BoundParameter, TableBinding};
use crate::expected_words::{Doubt, ExpectedWords, some_of};
use crate::map::{Argument, CellMeaning, FactTemplate, Meaning};
use crate::statics::Statics;
use crate::table::{Cell, TableRow};

/// Looks at every row of a log, for what is in none.
pub(crate) struct MapDoubts<'s> {
    /// Of [before], then of [after]: the words of each flag.
    flags: Vec<Option<ExpectedWords>>,
    status: Vec<ExpectedWords>,
    chance: Vec<ExpectedWords>,
    /// By attribute: the words of each flag of the readings.
    readings: Vec<Option<ExpectedWords>>,
    files: Vec<FileObjects<'s>>,
    types: BTreeMap<usize, String>,
}

/// The objects of one type that a file beside the log says something about.
struct FileObjects<'s> {
    file: &'s str,
    of: TypeId,
    all: usize,
    /// Those that were not met yet.
    unmet: FxHashSet<&'s str>,
    /// Whether the log has objects of the type.
    is_named: bool,
}

impl<'s> MapDoubts<'s> {
    pub fn new(meaning: &Meaning, statics: &'s Statics) -> MapDoubts<'s> {
        let reports = meaning.before.iter().chain(&meaning.after);
        let flags = reports.map(|report| {
            let place = format!("no cell of column {}", report.column);
            ExpectedWords::flag(meaning, &report.fact.kind, place)
        });
        let status = meaning.status.iter().flat_map(|status| {
            let words =
                [(&status.ok, ", so nothing worked"), (&status.failed, ", so nothing failed")];
            words.map(|(words, so)| {
                ExpectedWords::new(no_cell_of(&status.column.name), words, so.to_owned())
            })
        });
        let chance =
            meaning.status.iter().flat_map(|status| &status.chance).map(|(name, words)| {
                ExpectedWords::new(
                    no_cell_of(&name.name),
                    words,
                    ", so nothing was decided by chance".to_owned(),
                )
            });
        let readings =
            meaning.values.iter().flat_map(|values| &values.facts).map(|(attribute, fact)| {
                ExpectedWords::flag(meaning, &fact.kind, format!("no reading of {attribute}"))
            });
        let files = statics.files.iter().flat_map(|(file, types)| {
            types.iter().map(move |(of, objects)| {
                let unmet: FxHashSet<&str> = objects.iter().map(|object| &**object).collect();
                FileObjects { file, of: *of, all: unmet.len(), unmet, is_named: false }
            })
        });
        let types = &meaning.domain.signature.types;
        MapDoubts {
            flags: flags.collect(),
            status: status.collect(),
            chance: chance.collect(),
            readings: readings.collect(),
            files: files.collect(),
            types: types.ids().map(|of| (of.index(), types.name(of).to_owned())).collect(),
        }
    }

    /// Looks at a row of the events.
    pub fn row(&mut self, meaning: &Meaning, bound: &TableBinding, row: &TableRow) {
        if !meaning.names.is_empty() {
            // Which words of `names` the log has.
            row.cells().for_each(|cell| drop(meaning.names.of(cell)));
        }
        let reports = bound.before.iter().map(|report| (report, 0));
        for (report, first) in
            reports.chain(bound.after.iter().map(|report| (report, meaning.before.len())))
        {
            if let Some(Some(expected)) = self.flags.get_mut(first + report.rule) {
                expected.hear(&meaning.names.of(row.cell(report.column)));
            }
        }
        if let Some(column) = bound.status {
            let word = meaning.names.of(row.cell(column));
            self.status.iter_mut().for_each(|expected| expected.hear(&word));
        }
        for (expected, column) in self.chance.iter_mut().zip(&bound.chance) {
            if let Some(column) = column {
                expected.hear(&meaning.names.of(row.cell(*column)));
            }
        }
        if self.files.iter().all(|file_objects| file_objects.unmet.is_empty()) {
            return;
        }
        let before =
            bound.before.iter().map(|report| (report.column, &meaning.before[report.rule]));
        let after = bound.after.iter().map(|report| (report.column, &meaning.after[report.rule]));
        for (column, rule) in before.chain(after) {
            if let CellMeaning::Object(predicate) = rule.fact.kind {
                let value = meaning.predicates[predicate.index()].value.unwrap_or(0);
                let parameter = meaning.domain.signature.predicate(predicate).parameters.get(value);
                let types = parameter.into_iter().flat_map(|parameter| parameter.types.types());
                types.for_each(|of| self.object(*of, &meaning.names.of(row.cell(column))));
            }
        }
        let arguments =
            bound.before.iter().chain(&bound.after).flat_map(|report| &report.arguments);
        for argument in arguments {
            match argument {
                BoundArgument::Column(column, of) => {
                    self.object(*of, &meaning.names.of(row.cell(*column)))
                }
                BoundArgument::Name(name, of) => self.object(*of, name),
            }
        }
        for parameter in bound.parameters.iter().flatten() {
            if let BoundParameter::Column(column, of) = parameter {
                self.object(*of, &meaning.names.of(row.cell(*column)));
            }
        }
    }

    /// Looks at a reading.
    pub fn reading(
        &mut self,
        meaning: &Meaning,
        fact: (usize, &FactTemplate),
        object: &str,
        value: Cell<'_>,
    ) {
        let (attribute, template) = fact;
        if let Some(Some(expected)) = self.readings.get_mut(attribute) {
            expected.hear(&meaning.names.of(value));
        }
        for (argument, of) in &template.arguments {
            match (argument, &template.kind) {
                (Argument::Cell, CellMeaning::Object(_)) => {
                    self.object(*of, &meaning.names.of(value))
                }
                (Argument::Cell, _) => {}
                _ => self.object(*of, object),
            }
        }
    }

    fn object(&mut self, of: TypeId, name: &str) {
        if name.is_empty() {
            return;
        }
        for file_objects in self
            .files
            .iter_mut()
            .filter(|file_objects| file_objects.of == of && !file_objects.unmet.is_empty())
        {
            file_objects.is_named = true;
            file_objects.unmet.remove(name);
        }
    }

    /// What is to be doubted, in words.
    pub fn doubts(&self, meaning: &Meaning, statics: &Statics) -> Vec<Doubt> {
        let flags = self.flags.iter().chain(&self.readings).flatten();
        let mut doubts: Vec<Doubt> = flags
            .chain(&self.status)
            .chain(&self.chance)
            .filter_map(ExpectedWords::doubt)
            .collect();
        doubts.extend(statics.doubts());
        let unmet = meaning.names.unmet();
        if !unmet.is_empty() {
            let text = format!(
                "no cell is one of these words under `names`, so they stand for nothing: {}",
                some_of(&unmet)
            );
            doubts.push(Doubt { text, is_grave: false });
        }
        for file_objects in self.files.iter().filter(|file_objects| !file_objects.unmet.is_empty())
        {
            let of = self.types.get(&file_objects.of.index()).map_or("object", String::as_str);
            let (file, unmet, all) =
                (file_objects.file, file_objects.unmet.len(), file_objects.all);
            if file_objects.is_named && unmet == all {
                let text = format!(
                    "{file} says nothing about any {of} of this log: is it the right file?"
                );
                doubts.push(Doubt { text, is_grave: true });
            } else {
                let mut names: Vec<&str> = file_objects.unmet.iter().copied().collect();
                names.sort_unstable();
                let text = format!(
                    "{file} names {unmet} of {all} objects of type {of} that no row names: {}",
                    some_of(&names)
                );
                doubts.push(Doubt { text, is_grave: false });
            }
        }
        doubts
    }
}

fn no_cell_of(column: &str) -> String {
    format!("no cell of column {column}")
}
