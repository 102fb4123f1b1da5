//! What later rows say of earlier steps, where columns show how something was *before* a step and
//! the row does not show it after.
//!
//! The outcome of a step is what the next row about the same thing says, as long as nothing was
//! done to that thing in between: a row that has one of its objects among the arguments of its
//! action, whatever became of the attempt, may have changed it, and what is read after that row
//! tells nothing of what was before it. The same holds for the start of an episode. Where no row
//! tells, the value is unknown. What a row shows as it is after tells what was before it, too,
//! unless its own action may have changed that. A cell that does not say whose it is may be the one
//! that tells: what is read after it tells nothing of what was before it.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use surefoot_base::model::TypeId;
use surefoot_base::pddl::Diagnostic;

use super::{EpisodeReader, RowContext, symbol};
use crate::bind::{BoundArgument, BoundParameter, BoundReport};
use crate::map::{ActionRule, CellMeaning, CellReport, Empty, Meant, Parameter, SymbolKey};
use crate::table::{Cell, TableRow};
use crate::world::Dynamic;

/// A cell that reports: its row, and the place of its column among those of `[before]`, then of
/// `[after]`.
pub(super) type ReportingCell = (u32, u32);

/// The later value of a fact: the cell about the fact, and the later cell with its value; `None`:
/// it is unknown.
pub(super) type Later = (ReportingCell, Option<ReportingCell>);

/// An object, by its type and its name in the log.
type Named = (TypeId, Box<str>);

/// A fact without what its cell says.
type DynamicSubject = (Dynamic, Vec<Named>);

/// The facts that the rows of an episode report.
#[derive(Default)]
struct ReportedFacts {
    /// With the first cell that speaks of each.
    known: IndexMap<DynamicSubject, ReportingCell, FxBuildHasher>,
    of_object: FxHashMap<Named, Vec<usize>>,
    of_type: FxHashMap<TypeId, Vec<usize>>,
    of_nothing: Vec<usize>,
}

impl ReportedFacts {
    fn add(&mut self, fact: DynamicSubject, cell: ReportingCell) {
        let number = self.known.len();
        let objects = match self.known.entry(fact) {
            indexmap::map::Entry::Occupied(_) => return,
            indexmap::map::Entry::Vacant(entry) => {
                let objects = entry.key().1.clone();
                entry.insert(cell);
                objects
            }
        };
        if objects.is_empty() {
            self.of_nothing.push(number);
        }
        for object in objects {
            self.of_type.entry(object.0).or_default().push(number);
            self.of_object.entry(object).or_default().push(number);
        }
    }
}

/// By fact: the next cell that reports it, while rows are gone through from the last to the first.
struct NextCells {
    cells: Vec<Option<ReportingCell>>,
    /// The facts that have one.
    known: FxHashSet<usize>,
}

impl NextCells {
    fn new(facts: usize) -> Self {
        NextCells { cells: vec![None; facts], known: FxHashSet::default() }
    }

    fn set(&mut self, fact: usize, cell: Option<ReportingCell>) {
        self.cells[fact] = cell;
        match cell {
            Some(_) => self.known.insert(fact),
            None => self.known.remove(&fact),
        };
    }

    /// Forgets the cells about some symbols.
    fn forget(&mut self, symbols: &[Dynamic], facts: &ReportedFacts) {
        if symbols.is_empty() {
            return;
        }
        let NextCells { cells, known } = self;
        known.retain(|&fact| {
            let subject = facts.known.get_index(fact).map(|((of, _), _)| of);
            let is_kept = subject.is_some_and(|of| !symbols.contains(of));
            if !is_kept {
                cells[fact] = None;
            }
            is_kept
        });
    }
}

impl<'l> EpisodeReader<'l> {
    /// By row: what later rows say of it, if columns show how things were before. What is said of a
    /// thing before anything was done to it was true from the start, and is reported at once.
    pub(super) fn reported_later(
        &mut self,
        rows: &[TableRow],
    ) -> Result<Vec<Vec<Later>>, Diagnostic> {
        let (before, after) = (&self.opened.bound.before, &self.opened.bound.after);
        if before.is_empty() {
            return Ok(Vec::new());
        }
        let mut facts = ReportedFacts::default();
        for (number, row) in rows.iter().enumerate() {
            for (place, report) in before.iter().enumerate() {
                if let Some(fact) = self.fact(report, &self.meaning.before[report.rule], row) {
                    facts.add(fact, (number as u32, place as u32));
                }
            }
        }
        let mut next = NextCells::new(facts.known.len());
        let mut later: Vec<Vec<Later>> = vec![Vec::new(); rows.len()];
        for (number, row) in rows.iter().enumerate().rev() {
            let found = self.reported_by(row, before, &self.meaning.before, &facts, (number, 0));
            let left =
                self.reported_by(row, after, &self.meaning.after, &facts, (number, before.len()));
            let acted = self.acted(row, &facts);
            let nameless = self.nameless(row);
            next.forget(&nameless, &facts);
            let mut seen: FxHashSet<usize> = left.iter().map(|(fact, _)| *fact).collect();
            let spoken = found.iter().map(|(fact, _)| *fact).chain(acted.iter().copied());
            later[number] = spoken
                .filter(|fact| seen.insert(*fact))
                .map(|fact| (facts.known[fact], next.cells[fact]))
                .collect();
            let is_filled = |place: u32| {
                let report = before.iter().chain(after).nth(place as usize);
                report.is_some_and(|report| row.cell(report.column) != Cell::Missing)
            };
            for (fact, cell) in left {
                next.set(fact, Some(cell));
            }
            for fact in acted {
                next.set(fact, None);
            }
            for (fact, cell) in found {
                // Of two cells of one row, the one that is not empty counts.
                let is_reported = next.cells[fact].is_some_and(|(row, place)| {
                    row == number as u32 && (place as usize) < before.len() && is_filled(place)
                });
                if !is_reported || is_filled(cell.1) {
                    next.set(fact, Some(cell));
                }
            }
            next.forget(&nameless, &facts);
        }
        let mut first: Vec<ReportingCell> = next.cells.into_iter().flatten().collect();
        first.sort_unstable();
        for cell in first {
            let (report, rule, row) = self.cell_of(cell, rows);
            self.report(report, rule, row, false)?;
        }
        Ok(later)
    }

    /// The known facts that a row reports, with the cells that report them. The row has this number
    /// in its episode, and the first report this place among those of all columns.
    fn reported_by(
        &self,
        row: &TableRow,
        reports: &[BoundReport],
        rules: &[CellReport],
        facts: &ReportedFacts,
        (number, first): (usize, usize),
    ) -> Vec<(usize, ReportingCell)> {
        let mut reported = Vec::new();
        for (place, report) in reports.iter().enumerate() {
            let fact = self.fact(report, &rules[report.rule], row);
            if let Some(known) = fact.and_then(|fact| facts.known.get_index_of(&fact)) {
                reported.push((known, (number as u32, (first + place) as u32)));
            }
        }
        reported
    }

    /// The symbols of filled or lost cells of which the row does not say what they are about.
    fn nameless(&self, row: &TableRow) -> Vec<Dynamic> {
        let bound = &self.opened.bound;
        let before = bound.before.iter().map(|report| (report, &self.meaning.before[report.rule]));
        let after = bound.after.iter().map(|report| (report, &self.meaning.after[report.rule]));
        before
            .chain(after)
            .filter(|(report, rule)| {
                row.cell(report.column) != Cell::Missing || self.is_lost(report, rule, row)
            })
            .filter(|(report, _)| self.names(&report.arguments, row).is_none())
            .map(|(_, rule)| symbol(&rule.fact.kind))
            .collect()
    }

    /// Reports what later rows say of a row.
    pub(super) fn later_after(&mut self, context: &RowContext<'_>) -> Result<(), Diagnostic> {
        for &(about, cell) in context.later {
            let (report, rule, row) = self.cell_of(cell.unwrap_or(about), context.rows);
            match cell {
                Some(_) => self.report(report, rule, row, false)?,
                None => self.no_report(report, rule, row)?,
            }
        }
        Ok(())
    }

    fn cell_of<'r>(
        &self,
        (number, place): ReportingCell,
        rows: &'r [TableRow],
    ) -> (&'l BoundReport, &'l CellReport, &'r TableRow) {
        let (bound, place) = (&self.opened.bound, place as usize);
        let (report, rules) = match place.checked_sub(bound.before.len()) {
            None => (&bound.before[place], &self.meaning.before),
            Some(place) => (&bound.after[place], &self.meaning.after),
        };
        (report, &rules[report.rule], &rows[number as usize])
    }

    /// The fact that a cell speaks of; `None` where the row does not say of what.
    fn fact(
        &self,
        report: &BoundReport,
        rule: &CellReport,
        row: &TableRow,
    ) -> Option<DynamicSubject> {
        Some((symbol(&rule.fact.kind), self.names(&report.arguments, row)?))
    }

    /// The facts about something that the action of a row has among its arguments.
    fn acted(&self, row: &TableRow, facts: &ReportedFacts) -> Vec<usize> {
        let bound = &self.opened.bound;
        let Some((number, _, ActionRule::Attempt(action, sources))) =
            self.meaning.actions.get_full(&*self.meaning.names.of(row.cell(bound.action)))
        else {
            return Vec::new();
        };
        let mut acted = facts.of_nothing.clone();
        let parameters = &self.meaning.domain.action(*action).parameters;
        for ((source, place), parameter) in
            sources.iter().zip(&bound.parameters[number]).zip(parameters)
        {
            let object: Option<Named> = match (source, place) {
                (_, BoundParameter::Column(column, of)) => self.named(*of, row.cell(*column)),
                (Parameter::Before(predicate, _), BoundParameter::Before(arguments)) => {
                    // Two lost cells need not have named the same object.
                    let wanted = self.names(arguments, row);
                    let shown = bound.before.iter().find(|report| {
                        let fact = &self.meaning.before[report.rule].fact;
                        fact.kind == CellMeaning::Object(*predicate)
                            && wanted.is_some()
                            && self.names(&report.arguments, row) == wanted
                    });
                    shown.and_then(|report| {
                        self.named(*parameter.types.types().first()?, row.cell(report.column))
                    })
                }
                // No fact is about a chosen number.
                (_, BoundParameter::Input(..)) => continue,
                (Parameter::Column(..) | Parameter::Input(..), BoundParameter::Before(_)) => None,
            };
            match object {
                Some(object) => acted.extend(facts.of_object.get(&object).into_iter().flatten()),
                // It may be any object of its type.
                None => {
                    let types = parameter.types.types();
                    acted.extend(types.iter().filter_map(|of| facts.of_type.get(of)).flatten());
                }
            }
        }
        acted
    }

    /// Compares the cells of a row that speak of one fact: where two say different things, that is
    /// an error. Returns the reports whose cell is empty while another one says how it is.
    pub(super) fn agree(
        &self,
        bound: &[BoundReport],
        rules: &[CellReport],
        row: &TableRow,
    ) -> Result<FxHashSet<usize>, Diagnostic> {
        let mut said: FxHashMap<(SymbolKey, Vec<Named>), (usize, Option<Meant>)> =
            FxHashMap::default();
        let mut idle = FxHashSet::default();
        for (number, report) in bound.iter().enumerate().filter(|(_, report)| report.is_shared) {
            let rule = &rules[report.rule];
            let (kind, cell) = (&rule.fact.kind, row.cell(report.column));
            let Some(names) = self.names(&report.arguments, row) else { continue };
            let meant = match (cell, rule.empty, kind) {
                (Cell::Missing, Empty::Unchanged, _) => continue,
                (Cell::Missing, Empty::Unknown, _) => None,
                (Cell::Missing, Empty::None, CellMeaning::Flag(..)) => Some(Meant::Flag(false)),
                (Cell::Missing, Empty::None, _) => Some(Meant::Nothing),
                // What cannot be read is an error where it is used.
                _ => match kind.meant(&self.meaning.names, cell) {
                    Some(meant) => Some(meant),
                    None => continue,
                },
            };
            let Some((earlier, other)) = said.get_mut(&(kind.symbol(), names.clone())) else {
                said.insert((kind.symbol(), names), (number, meant));
                continue;
            };
            match (&*other, &meant) {
                (Some(one), Some(this)) if one != this => {
                    let (columns, before) = (&self.opened.columns, bound[*earlier].column);
                    let (symbols, objects) =
                        (&self.meaning.domain.signature, names.iter().map(|(_, name)| &**name));
                    let symbol = match kind.symbol() {
                        (true, index) => symbols.functions.name(index),
                        (false, index) => symbols.predicates.name(index),
                    };
                    let fact: Vec<&str> = std::iter::once(symbol).chain(objects).collect();
                    let message = format!(
                        "this row contradicts itself about ({}): `{}` says `{}`, `{}` says `{}`",
                        fact.join(" "),
                        columns.name(before),
                        row.cell(before).text(),
                        columns.name(report.column),
                        cell.text()
                    );
                    return Err(self.error(row, report.column, message));
                }
                (None, Some(_)) => {
                    idle.insert(*earlier);
                    (*earlier, *other) = (number, meant);
                }
                (Some(_), None) => drop(idle.insert(number)),
                _ => {}
            }
        }
        Ok(idle)
    }

    fn named(&self, of: TypeId, cell: Cell<'_>) -> Option<Named> {
        (cell != Cell::Missing).then(|| (of, (&*self.meaning.names.of(cell)).into()))
    }

    /// The objects of a fact but for the cell; `None` where the row does not name one.
    fn names(&self, arguments: &[BoundArgument], row: &TableRow) -> Option<Vec<Named>> {
        arguments
            .iter()
            .map(|argument| match argument {
                BoundArgument::Name(name, of) => Some((*of, name.clone())),
                BoundArgument::Column(column, of) => self.named(*of, row.cell(*column)),
            })
            .collect()
    }
}
