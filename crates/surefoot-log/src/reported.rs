//! Which facts of `complete` symbols the log speaks of somewhere.
//!
//! `complete` gives a value to facts that the log never mentions. A fact that some row or reading
//! mentions exists, so before that row, and in other episodes, it is unknown rather than absent.
//! All rows are therefore looked at before the first one is read. The same holds for a fact that a
//! file mentions for another episode (`Statics::mentions`).

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use sha2::{Digest, Sha256};

use crate::bind::{BoundArgument, BoundReport, TableBinding};
use crate::map::{Argument, CellMeaning, CellReport, FactTemplate, Meaning, SymbolKey};
use crate::statics::{FactSubject, Statics};
use crate::table::{Cell, TableRow};

/// How much of a digest a sentence shows.
const DIGEST_BYTES: usize = 8;

/// The facts of `complete` symbols that rows or readings mention, with or without a value.
#[derive(Default)]
pub(crate) struct Reported {
    facts: FxHashSet<FactSubject>,
    /// Symbols with a value whose row does not name its object: it may be about any fact.
    symbols: FxHashSet<SymbolKey>,
}

impl Reported {
    /// Whether the log mentions a fact of a `complete` symbol, or may mention it.
    pub fn mentions(&self, symbol: SymbolKey, fact: &FactSubject) -> bool {
        self.symbols.contains(&symbol) || self.facts.contains(fact)
    }

    /// A digest of all that rows, readings and files mention of some symbols. Whatever else two
    /// logs say, what is absent is absent from both if they have the same.
    pub fn digest(&self, symbols: &[SymbolKey], statics: &Statics) -> String {
        let facts: BTreeSet<&FactSubject> = self
            .facts
            .iter()
            .chain(statics.mentioned())
            .filter(|key| {
                key.parts().is_some_and(|(kind, index, _)| symbols.contains(&(kind, index)))
            })
            .collect();
        let any: BTreeSet<&SymbolKey> =
            self.symbols.iter().filter(|symbol| symbols.contains(symbol)).collect();
        let mut hasher = Sha256::new();
        for (is_function, index) in any {
            hasher.update(format!("{is_function} {index}\n"));
        }
        for key in facts {
            hasher.update(format!("{}\n", key.text().len()));
            hasher.update(key.text());
        }
        hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Looks at a row of the events.
    pub fn row(&mut self, meaning: &Meaning, bound: &TableBinding, row: &TableRow) {
        let before = bound.before.iter().map(|report| (report, &meaning.before[report.rule]));
        let after = bound.after.iter().map(|report| (report, &meaning.after[report.rule]));
        before.chain(after).for_each(|(report, rule)| self.cell(meaning, report, rule, row));
    }

    fn cell(&mut self, meaning: &Meaning, report: &BoundReport, rule: &CellReport, row: &TableRow) {
        let kind = &rule.fact.kind;
        if !meaning.is_complete(kind) {
            return;
        }
        let name = |argument: &BoundArgument| match argument {
            BoundArgument::Name(name, _) => Some(name.to_string()),
            BoundArgument::Column(column, _) => match row.cell(*column) {
                Cell::Missing => None,
                cell => Some(meaning.names.of(cell).into_owned()),
            },
        };
        match report.arguments.iter().map(name).collect::<Option<Vec<_>>>() {
            Some(names) => self.fact(kind, names.iter().map(String::as_str)),
            None if row.cell(report.column) != Cell::Missing => {
                self.symbols.insert(kind.symbol());
            }
            None => {}
        }
    }

    /// Looks at a reading of an object.
    pub fn reading(&mut self, meaning: &Meaning, fact: &FactTemplate, object: &str) {
        if meaning.is_complete(&fact.kind) {
            let names = fact
                .arguments
                .iter()
                .filter(|(argument, _)| *argument != Argument::Cell)
                .map(|_| object);
            self.fact(&fact.kind, names);
        }
    }

    fn fact<'n>(&mut self, kind: &CellMeaning, names: impl Iterator<Item = &'n str>) {
        self.facts.insert(match kind {
            CellMeaning::Number(function) => FactSubject::of_function(*function, names),
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                FactSubject::of_predicate(*predicate, names)
            }
        });
    }
}
