//! What looks wrong in a map once all rows of a log were seen, though each row by itself is right.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use surefoot::model::TypeId;

use crate::bind::{Bound, BoundArgument, BoundParameter};
use crate::map::{Kind, Meaning};
use crate::sought::{Doubt, Sought};
use crate::statics::Statics;
use crate::table::{Cell, Row};

/// Looks at every row of a log, for what is in none.
pub(crate) struct Watch<'s> {
    /// Of [before], then of [after]: the words of each flag.
    flags: Vec<Option<Sought>>,
    status: Vec<Sought>,
    chance: Vec<Sought>,
    /// By attribute: the words of each flag of the readings.
    readings: Vec<Option<Sought>>,
    files: Vec<Told<'s>>,
    types: BTreeMap<usize, String>,
}

/// The objects of one type that a file beside the log tells something about.
struct Told<'s> {
    file: &'s str,
    of: TypeId,
    objects: &'s FxHashSet<Box<str>>,
    /// Whether the log has objects of the type, and one of these among them.
    met: (bool, bool),
}

impl<'s> Watch<'s> {
    pub fn new(meaning: &Meaning, statics: &'s Statics) -> Watch<'s> {
        let reports = meaning.before.iter().chain(&meaning.after);
        let flags = reports.map(|report| {
            let place = format!("no cell of column {}", report.column);
            Sought::flag(meaning, &report.fact.kind, place)
        });
        let column = |name: &str| format!("no cell of column {name}");
        let status = meaning.status.iter().flat_map(|status| {
            let sought = |words: &[String], so: &str| Sought::new(column(&status.column.name), words, so.to_owned());
            [sought(&status.ok, ", so nothing worked"), sought(&status.failed, ", so nothing failed")]
        });
        let chance = meaning
            .status
            .iter()
            .flat_map(|status| &status.chance)
            .map(|(name, words)| Sought::new(column(&name.name), words, ", so nothing was decided by chance".to_owned()));
        let readings = meaning
            .values
            .iter()
            .flat_map(|values| &values.facts)
            .map(|(attribute, fact)| Sought::flag(meaning, &fact.kind, format!("no reading of {attribute}")));
        let files = statics.told.iter().flat_map(|(file, types)| {
            types.iter().map(move |(of, objects)| Told { file, of: *of, objects, met: (false, false) })
        });
        let types = &meaning.domain.signature.types;
        Watch {
            flags: flags.collect(),
            status: status.collect(),
            chance: chance.collect(),
            readings: readings.collect(),
            files: files.collect(),
            types: types.ids().map(|of| (of.index(), types.name(of).to_owned())).collect(),
        }
    }

    /// Looks at a row of the events.
    pub fn row(&mut self, meaning: &Meaning, bound: &Bound, row: &Row) {
        let reports = bound.before.iter().map(|report| (report, 0));
        for (report, first) in reports.chain(bound.after.iter().map(|report| (report, meaning.before.len()))) {
            if let Some(Some(sought)) = self.flags.get_mut(first + report.rule) {
                sought.hear(row.cell(report.column));
            }
        }
        if let Some(column) = bound.status {
            self.status.iter_mut().for_each(|sought| sought.hear(row.cell(column)));
        }
        for (sought, column) in self.chance.iter_mut().zip(&bound.chance) {
            if let Some(column) = column {
                sought.hear(row.cell(*column));
            }
        }
        if self.files.iter().all(|told| told.met.1) {
            return;
        }
        let before = bound.before.iter().map(|report| (report.column, &meaning.before[report.rule]));
        let after = bound.after.iter().map(|report| (report.column, &meaning.after[report.rule]));
        for (column, rule) in before.chain(after) {
            if let Kind::Object(predicate) = rule.fact.kind {
                let value = meaning.predicates[predicate.index()].value.unwrap_or(0);
                let parameter = meaning.domain.signature.predicate(predicate).parameters.get(value);
                let types = parameter.into_iter().flat_map(|parameter| parameter.types.types());
                types.for_each(|of| self.object(*of, row.cell(column).text()));
            }
        }
        let arguments = bound.before.iter().chain(&bound.after).flat_map(|report| &report.arguments);
        for argument in arguments {
            match argument {
                BoundArgument::Column(column, of) => self.object(*of, row.cell(*column).text()),
                BoundArgument::Name(name, of) => self.object(*of, name),
            }
        }
        for parameter in bound.parameters.iter().flatten() {
            if let BoundParameter::Column(column, of) = parameter {
                self.object(*of, row.cell(*column).text());
            }
        }
    }

    /// Looks at a reading.
    pub fn reading(&mut self, attribute: usize, value: Cell<'_>) {
        if let Some(Some(sought)) = self.readings.get_mut(attribute) {
            sought.hear(value);
        }
    }

    fn object(&mut self, of: TypeId, name: &str) {
        if name.is_empty() {
            return;
        }
        for told in self.files.iter_mut().filter(|told| told.of == of && !told.met.1) {
            told.met = (true, told.objects.contains(name));
        }
    }

    /// What is to be doubted, in words.
    pub fn doubts(&self, statics: &Statics) -> Vec<Doubt> {
        let flags = self.flags.iter().chain(&self.readings).flatten();
        let mut doubts: Vec<Doubt> = flags.chain(&self.status).chain(&self.chance).filter_map(Sought::doubt).collect();
        doubts.extend(statics.doubts());
        for told in self.files.iter().filter(|told| told.met == (true, false)) {
            let of = self.types.get(&told.of.index()).map_or("object", String::as_str);
            let text = format!("{} says nothing about any {of} of this log: is it the right file?", told.file);
            doubts.push(Doubt { text, is_grave: true });
        }
        doubts
    }
}
