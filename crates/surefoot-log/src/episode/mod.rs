//! From the rows of an episode to its steps.
//!
//! Each row is read in this order: the state that it reports before, what was tried, whether it
//! worked, and the state that it reports after. Values that a row does not mention stay as they
//! were. If a row shows that the world is not as the last step left it (a robot was restarted, a
//! sensor drifts), the world changes without a step: the next step starts from the new state, and
//! no action is taken for the cause.
//!
//! Later rows may show the result of a step: if a column reports the state *before* a row
//! (`ahead`), if another table has readings (`merged`), and if facts are declared (`declared`).
//! Then the rows of one episode are kept in memory; otherwise one row is.

mod ahead;
mod declared;
mod merged;

use std::cmp::Ordering;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use surefoot_base::model::{
    ActionId, Arguments, Attempt, Event, Ground, GroundAction, GroundAtom, ObjectId, Step, TypeId,
};
use surefoot_base::pddl::{Diagnostic, Numbers, nearest};
use surefoot_learn::Recorded;

use crate::bind::{BoundArgument, BoundParameter, BoundReport, Opened};
use crate::map::fact::{otherwise_spelled, truth};
use crate::map::{
    ActionRule, AttemptOutcome, CellMeaning, CellReport, DeclaredEffect, Empty, Meaning, Meant,
    Parameter,
};
use crate::names::looks_empty;
use crate::readings::{Readings, SensorReading};
use crate::table::{Cell, TableRow, number};
use crate::tally::{Contradicted, LogTally};
use crate::time::{HELP, Time};
use crate::world::{Dynamic, KnownWorld};
use declared::Turn;
pub(crate) use declared::{DeclaredFacts, Turns};

/// Receives every event, and whether the world changed before it without a step; returns whether to
/// go on.
pub(crate) type Sink<'s> = dyn FnMut(&Recorded<'_>, bool) -> bool + 's;

/// The reading of one episode.
pub(crate) struct EpisodeReader<'l> {
    meaning: &'l Meaning,
    opened: &'l Opened,
    reported: FxHashSet<Dynamic>,
    numbers: Numbers,
    pub world: KnownWorld<'l>,
    pub tally: LogTally,
    index: usize,
    moved: bool,
    /// The number of the row that is read.
    number: usize,
    /// The time of the last row that has one, and how it was written.
    time: Option<(Time, String)>,
    /// The readings of this episode, and all readings, for messages.
    readings: Option<(&'l Readings, &'l [SensorReading])>,
    /// What all rows show of declared facts; `None` while that is being computed.
    declared: Option<Rc<DeclaredFacts>>,
    pub turns: Turns,
    /// In words: facts of this row that differ from the state, although no action since then names
    /// them.
    unexplained: Vec<String>,
}

/// What other rows and tables say of a row.
#[derive(Default)]
struct RowContext<'r> {
    rows: &'r [TableRow],
    /// What later rows say of it.
    later: &'r [ahead::Later],
    /// The readings that show its outcome.
    readings: Vec<&'r SensorReading>,
    /// Likewise, if a later reading before the next row has another value.
    overtaken: Vec<merged::Overtaken<'r>>,
    /// Readings of what this row may have changed, and a later one of the same time as well.
    shared: Vec<&'r SensorReading>,
}

impl<'l> EpisodeReader<'l> {
    pub fn new(
        meaning: &'l Meaning,
        opened: &'l Opened,
        world: KnownWorld<'l>,
        numbers: Numbers,
        declared: Option<Rc<DeclaredFacts>>,
    ) -> Self {
        let reported =
            meaning.before.iter().chain(&meaning.after).map(|report| symbol(&report.fact.kind));
        let read = meaning
            .values
            .iter()
            .flat_map(|values| values.facts.values())
            .map(|fact| symbol(&fact.kind));
        let tally = LogTally {
            episodes: 1,
            unmentioned: opened.bound.unmentioned.clone(),
            unread: opened.bound.unread.clone(),
            ..LogTally::default()
        };
        EpisodeReader {
            meaning,
            opened,
            reported: reported.chain(read).collect(),
            numbers,
            world,
            tally,
            index: 0,
            moved: false,
            number: 0,
            time: None,
            readings: None,
            declared,
            turns: Turns::default(),
            unexplained: Vec::new(),
        }
    }

    /// Whether later rows, or another table, say something of a row.
    pub fn looks_ahead(meaning: &Meaning) -> bool {
        !meaning.before.is_empty() || meaning.values.is_some() || !meaning.declarations.is_empty()
    }

    /// Reads a row that no other row or table says anything of; false: the sink wants no more.
    pub fn take(&mut self, row: &TableRow, sink: &mut Sink<'_>) -> Result<bool, Diagnostic> {
        self.take_row(row, &RowContext::default(), sink)
    }

    /// Reads all rows of an episode; false: the sink wants no more.
    pub fn take_all(&mut self, rows: &[TableRow], sink: &mut Sink<'_>) -> Result<bool, Diagnostic> {
        if let Some(declared) = self.declared.clone() {
            self.set_declared(&declared.at_start);
        }
        let later = self.reported_later(rows)?;
        self.settle();
        if self.readings.is_some() {
            return self.take_with_readings(rows, &later, sink);
        }
        for (number, row) in rows.iter().enumerate() {
            self.number = number;
            let context = RowContext {
                rows,
                later: later.get(number).map_or(&[], |later| later),
                ..RowContext::default()
            };
            if !self.take_row(row, &context, sink)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn take_row(
        &mut self,
        row: &TableRow,
        after: &RowContext<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<bool, Diagnostic> {
        // What the row before this one acted on may have changed.
        self.unexplained.clear();
        self.tally.rows += 1;
        self.in_time(row)?;
        let bound = &self.opened.bound;
        let word = &*self.meaning.names.of(row.cell(bound.action));
        let Some((number, _, rule)) = self.meaning.actions.get_full(word) else {
            return Err(self.no_action(row, word));
        };
        let (outcome, by_chance) = self.outcome(row)?;
        self.reports(&bound.before, &self.meaning.before, row)?;
        self.settle();
        self.count_unexplained();
        let ActionRule::Attempt(action, sources) = rule else {
            self.tally.reports += 1;
            self.reported_after(row, after, &[])?;
            self.settle();
            self.count_unexplained();
            return Ok(true);
        };
        let found = self.arguments(*action, sources, &bound.parameters[number], row)?;
        let Some(arguments) = found.iter().copied().collect::<Option<Arguments>>() else {
            let missing: Vec<&str> = found
                .iter()
                .zip(&self.meaning.domain.action(*action).parameters)
                .filter(|(found, _)| found.is_none())
                .map(|(_, parameter)| &*parameter.name)
                .collect();
            let mut reason = format!("{word}: ?{} is not known", missing.join(", ?"));
            let is_no_number = |place: &BoundParameter| {
                place.input().is_some_and(|column| row.cell(column) != Cell::Missing)
            };
            let places = found.iter().zip(&bound.parameters[number]);
            if places.filter(|(found, _)| found.is_none()).any(|(_, place)| is_no_number(place)) {
                reason += ", because a cell is not a number";
            }
            LogTally::count(&mut self.tally.unusable, &reason);
            self.forget(*action, &found, outcome, by_chance);
            self.world.act_on(found.iter().copied().flatten());
            self.reported_after(row, after, &found.into_iter().flatten().collect::<Arguments>())?;
            self.settle();
            return Ok(true);
        };
        let action = Ground { symbol: *action, arguments };
        self.world.ground(&action).map_err(|message| self.error(row, bound.action, message))?;
        if by_chance || outcome == AttemptOutcome::Unknown {
            match by_chance {
                true => self.tally.chance += 1,
                false => LogTally::count(
                    &mut self.tally.unusable,
                    &format!("{word}: the status is empty"),
                ),
            }
            if outcome != AttemptOutcome::Failed {
                self.declare(&action, false);
            }
            self.reported_after(row, after, &action.arguments)?;
            self.settle();
            return Ok(true);
        }
        let name = self.meaning.domain.action_name(action.symbol);
        match outcome {
            AttemptOutcome::Failed => {
                LogTally::count(&mut self.tally.failed, name);
                let go_on = self.show(&action, false, row, sink);
                self.reported_after(row, after, &action.arguments)?;
                self.settle();
                Ok(go_on)
            }
            _ => {
                LogTally::count(&mut self.tally.worked, name);
                self.doubt(name, row);
                self.declare(&action, true);
                self.reported_after(row, after, &action.arguments)?;
                let go_on = self.show(&action, true, row, sink);
                self.world.commit();
                Ok(go_on)
            }
        }
    }

    fn show(
        &mut self,
        action: &GroundAction,
        worked: bool,
        row: &TableRow,
        sink: &mut Sink<'_>,
    ) -> bool {
        let KnownWorld { before, after, universe, objects, .. } = &self.world;
        let event = match worked {
            true => Event::Worked(Step { before, action, after, universe }),
            false => Event::Failed(Attempt { before, action, universe }),
        };
        let opened = self.opened;
        let place = |message: String| {
            let column = opened.bound.action;
            opened.table.error(row, column, opened.columns.name(column), message)
        };
        // What comes before the first event is how the episode begins.
        let moved = std::mem::take(&mut self.moved) && self.index > 0;
        self.tally.moved += usize::from(moved);
        let index = self.index;
        self.index += 1;
        let code = [opened.bound.code, opened.bound.status]
            .into_iter()
            .flatten()
            .map(|column| row.cell(column))
            .find(|cell| *cell != Cell::Missing && !worked)
            .map(|cell| cell.text());
        sink(&Recorded::new(index, event, objects, &place).with_code(code), moved)
    }

    /// The world is where rows say it is, without a step.
    fn settle(&mut self) {
        if self.world.has_moved() {
            self.moved = true;
            self.world.commit();
        }
    }

    /// Counts the facts that changed although nothing was done to their objects.
    fn count_unexplained(&mut self) {
        for first in self.unexplained.drain(..).filter(|_| self.index > 0) {
            self.tally.unframed.get_or_insert(Contradicted { count: 0, first }).count += 1;
        }
    }

    /// `acted` are the objects that the row is known to act on.
    fn reported_after(
        &mut self,
        row: &TableRow,
        after: &RowContext<'_>,
        acted: &[ObjectId],
    ) -> Result<(), Diagnostic> {
        self.forget_nameless(row, acted)?;
        self.readings_after(after, acted)?;
        self.later_after(after)?;
        self.reports(&self.opened.bound.after, &self.meaning.after, row)
    }

    /// Whether a cell was lost that other rows of the same action fill, and may have said something:
    /// other empty cells are about nothing.
    fn is_lost(&self, report: &BoundReport, rule: &CellReport, row: &TableRow) -> bool {
        let Opened { bound, filled, .. } = self.opened;
        rule.empty == Empty::Unknown
            && row.cell(report.column) == Cell::Missing
            && filled.fills(self.meaning, bound.action, row, report.column)
    }

    /// Where a cell and the cell that says whose it is are both lost, the row may have been about
    /// any object that it acts on: such facts become unknown, except those that another cell of the
    /// row reports.
    fn forget_nameless(&mut self, row: &TableRow, acted: &[ObjectId]) -> Result<(), Diagnostic> {
        let (bound, rules) = (&self.opened.bound.after, &self.meaning.after);
        for report in bound {
            let names_all_objects = !report.arguments.iter().any(|argument| match argument {
                BoundArgument::Column(column, _) => row.cell(*column) == Cell::Missing,
                BoundArgument::Name(..) => false,
            });
            if rules[report.rule].empty == Empty::Unchanged
                || row.cell(report.column) != Cell::Missing
                || names_all_objects
            {
                continue;
            }
            let kind = &rules[report.rule].fact.kind;
            let mut reported: Vec<Arguments> = Vec::new();
            for other in
                bound.iter().filter(|other| rules[other.rule].fact.kind.symbol() == kind.symbol())
            {
                if row.cell(other.column) != Cell::Missing {
                    reported.extend(self.objects(&other.arguments, row, other.column)?);
                }
            }
            for arguments in self.candidates(report, row, acted)? {
                if !reported.contains(&arguments) {
                    let forgotten = self.empty(kind, arguments, Empty::Unknown);
                    forgotten.map_err(|message| self.error(row, report.column, message))?;
                }
            }
        }
        Ok(())
    }

    /// The objects that a cell may be about, where the row names only some of them.
    fn candidates(
        &mut self,
        report: &BoundReport,
        row: &TableRow,
        acted: &[ObjectId],
    ) -> Result<Vec<Arguments>, Diagnostic> {
        let mut all = vec![Arguments::new()];
        for argument in &report.arguments {
            let objects: Vec<ObjectId> =
                match self.objects(std::slice::from_ref(argument), row, report.column)? {
                    Some(object) => object.to_vec(),
                    None => {
                        let (BoundArgument::Column(_, of) | BoundArgument::Name(_, of)) = argument;
                        let (types, objects) =
                            (&self.meaning.domain.signature.types, &self.world.objects);
                        acted
                            .iter()
                            .copied()
                            .filter(|object| types.is_subtype(objects.type_of(*object), *of))
                            .collect()
                    }
                };
            all = all
                .iter()
                .flat_map(|first| {
                    objects
                        .iter()
                        .map(|&object| first.iter().copied().chain([object]).collect())
                        .collect::<Vec<Arguments>>()
                })
                .collect();
        }
        Ok(all)
    }

    fn reports(
        &mut self,
        bound: &'l [BoundReport],
        rules: &'l [CellReport],
        row: &TableRow,
    ) -> Result<(), Diagnostic> {
        let idle = self.agree(bound, rules, row)?;
        let told = bound
            .iter()
            .enumerate()
            .filter(|(number, _)| idle.is_empty() || !idle.contains(number));
        told.map(|(_, report)| report)
            .try_for_each(|report| self.report(report, &rules[report.rule], row, true))
    }

    /// What a cell says.
    fn report(
        &mut self,
        report: &BoundReport,
        rule: &CellReport,
        row: &TableRow,
        counts: bool,
    ) -> Result<(), Diagnostic> {
        let cell = row.cell(report.column);
        let Some(arguments) = self.objects(&report.arguments, row, report.column)? else {
            if cell != Cell::Missing || self.is_lost(report, rule, row) {
                // Its object is unknown: the fact may be about any object.
                self.world.forget(&[symbol(&rule.fact.kind)]);
            }
            return Ok(());
        };
        if cell == Cell::Missing {
            if counts && rule.empty == Empty::Unknown {
                LogTally::count(
                    &mut self.tally.unknown_cells,
                    self.opened.columns.name(report.column),
                );
            }
            return self
                .empty(&rule.fact.kind, arguments, rule.empty)
                .map_err(|message| self.error(row, report.column, message));
        }
        let at = place(self.opened, row, report.column);
        let changes = self.world.changes();
        let objects = arguments.clone();
        self.set(&rule.fact.kind, arguments, cell, &at)
            .map_err(|message| self.error(row, report.column, message))?;
        let symbol = rule.fact.kind.symbol();
        if self.world.has_changed_known(changes)
            && self.meaning.before.iter().any(|report| report.fact.kind.symbol() == symbol)
        {
            let objects: Vec<&str> =
                objects.iter().map(|&object| self.world.objects.name(object)).collect();
            let of = if objects.is_empty() {
                String::new()
            } else {
                format!(" of {}", objects.join(", "))
            };
            let (table, line, column) = (
                self.opened.table.name(),
                row.mark().line(),
                self.opened.columns.name(report.column),
            );
            self.unexplained.push(format!(
                "{table}:{line}: {column}{of} is {} and was another before, but no action in \
                 between names its objects",
                cell.text()
            ));
        }
        Ok(())
    }

    /// Makes true what a cell says.
    fn set(
        &mut self,
        kind: &CellMeaning,
        arguments: Arguments,
        cell: Cell<'_>,
        at: &dyn Fn() -> String,
    ) -> Result<(), String> {
        if self.world.files_speak_of(kind)
            && let Some(meant) = kind.meant(&self.meaning.names, cell)
        {
            self.world.compare_with_files(kind, &arguments, &meant)?;
        }
        match kind {
            CellMeaning::Number(function) => {
                if let Cell::Flag(_) = cell {
                    return Err(
                        "expected a number; a flag is written `(open ?door) if true` in the map"
                            .to_owned(),
                    );
                }
                let value = number(self.numbers, cell.text())?;
                self.world.set_value(&Ground { symbol: *function, arguments }, Some(value))
            }
            CellMeaning::Object(predicate) => {
                let value = self.meaning.predicates[predicate.index()].value.unwrap_or(0);
                let of = self.meaning.domain.signature.predicate(*predicate).parameters[value]
                    .types
                    .types()[0];
                let object = self.world.object(of, &self.meaning.names.of(cell), at)?;
                self.world.set_slot(
                    &Ground { symbol: *predicate, arguments },
                    value,
                    Some(Some(object)),
                )
            }
            CellMeaning::Flag(predicate, words) => {
                let truth = truth(words, &self.meaning.names.of(cell))?;
                self.world.set_atom(&Ground { symbol: *predicate, arguments }, Some(truth))
            }
        }
    }

    fn no_report(
        &mut self,
        report: &BoundReport,
        rule: &CellReport,
        row: &TableRow,
    ) -> Result<(), Diagnostic> {
        let Some(arguments) = self.objects(&report.arguments, row, report.column)? else {
            return Ok(());
        };
        self.empty(&rule.fact.kind, arguments, Empty::Unknown)
            .map_err(|message| self.error(row, report.column, message))
    }

    /// What it means that nothing is said.
    fn empty(
        &mut self,
        kind: &CellMeaning,
        arguments: Arguments,
        empty: Empty,
    ) -> Result<(), String> {
        if empty == Empty::None {
            let meant =
                if let CellMeaning::Flag(..) = kind { Meant::Flag(false) } else { Meant::Nothing };
            self.world.compare_with_files(kind, &arguments, &meant)?;
        }
        match (empty, kind) {
            (Empty::Unchanged, _) => Ok(()),
            (Empty::Unknown, CellMeaning::Number(function)) => {
                self.world.set_value(&Ground { symbol: *function, arguments }, None)
            }
            (Empty::None, CellMeaning::Number(function)) => {
                self.world.unset_value(&Ground { symbol: *function, arguments })
            }
            (empty, CellMeaning::Object(predicate)) => {
                let value = self.meaning.predicates[predicate.index()].value.unwrap_or(0);
                let object = if empty == Empty::None { Some(None) } else { None };
                self.world.set_slot(&Ground { symbol: *predicate, arguments }, value, object)
            }
            (empty, CellMeaning::Flag(predicate, _)) => {
                let truth = if empty == Empty::None { Some(false) } else { None };
                self.world.set_atom(&Ground { symbol: *predicate, arguments }, truth)
            }
        }
    }

    /// The objects that a fact is about; `None` where one of their cells is empty.
    fn objects(
        &mut self,
        arguments: &[BoundArgument],
        row: &TableRow,
        own: usize,
    ) -> Result<Option<Arguments>, Diagnostic> {
        let (opened, meaning) = (self.opened, self.meaning);
        let mut objects = Arguments::new();
        for argument in arguments {
            objects.push(match argument {
                BoundArgument::Name(name, of) => {
                    let at = || format!("in the name of the column `{}`", opened.columns.name(own));
                    self.world.object(*of, name, &at).map_err(|message| {
                        self.error(row, own, format!("in the name of this column: {message}"))
                    })?
                }
                BoundArgument::Column(column, of) => match row.cell(*column) {
                    Cell::Missing => return Ok(None),
                    cell => {
                        let object = self.world.object(
                            *of,
                            &meaning.names.of(cell),
                            &place(opened, row, *column),
                        );
                        object.map_err(|message| self.error(row, *column, message))?
                    }
                },
            });
        }
        Ok(Some(objects))
    }

    /// The arguments of an action; `None` for each that is not known.
    fn arguments(
        &mut self,
        action: ActionId,
        sources: &[Parameter],
        bound: &[BoundParameter],
        row: &TableRow,
    ) -> Result<SmallVec<[Option<ObjectId>; 4]>, Diagnostic> {
        let meaning = self.meaning;
        let mut found = SmallVec::new();
        for (source, bound) in sources.iter().zip(bound) {
            found.push(match (source, bound) {
                (_, BoundParameter::Column(column, of)) => match row.cell(*column) {
                    Cell::Missing => None,
                    cell => {
                        let at = place(self.opened, row, *column);
                        let object = self.world.object(*of, &meaning.names.of(cell), &at);
                        Some(object.map_err(|message| self.error(row, *column, message))?)
                    }
                },
                (Parameter::Before(predicate, _), BoundParameter::Before(arguments)) => {
                    match self.objects(arguments, row, self.opened.bound.action)? {
                        None => None,
                        Some(arguments) => {
                            let value =
                                self.meaning.predicates[predicate.index()].value.unwrap_or(0);
                            let object =
                                self.world.slot(&Ground { symbol: *predicate, arguments }, value);
                            object.map_err(|message| {
                                self.error(row, self.opened.bound.action, message)
                            })?
                        }
                    }
                }
                (_, BoundParameter::Input(column, of)) => {
                    match number(self.numbers, row.cell(*column).text()) {
                        Err(_) => None,
                        Ok(value) => {
                            let object = self.world.chosen_number(*of, value);
                            Some(object.map_err(|message| self.error(row, *column, message))?)
                        }
                    }
                }
                (Parameter::Column(..) | Parameter::Input(..), BoundParameter::Before(_)) => None,
            });
        }
        debug_assert_eq!(found.len(), self.meaning.domain.action(action).parameters.len());
        Ok(found)
    }

    /// Says where a step worked that, as things are declared, could not or would change nothing.
    fn doubt(&mut self, name: &str, row: &TableRow) {
        let Some(declared) = self.declared.clone() else { return };
        let Some(contradicted) = declared.contradicted.get(&self.number) else { return };
        let predicates = &self.meaning.domain.signature.predicates;
        for (atom, is_true) in contradicted {
            let found = self.tally.contradicted.entry(name.to_owned()).or_insert_with(|| {
                let objects = atom.arguments.iter().map(|&object| self.world.objects.name(object));
                let fact: Vec<&str> =
                    std::iter::once(predicates.name(atom.symbol.index())).chain(objects).collect();
                let (place, is) =
                    (self.opened.table.name(), if *is_true { "already" } else { "not" });
                let first = format!(
                    "{name} works at {place}:{} although ({}) is {is} true there",
                    row.mark().line(),
                    fact.join(" ")
                );
                Contradicted { count: 0, first }
            });
            found.count += 1;
        }
    }

    /// Applies what an action is declared to do; `worked`: it did, and else it may have.
    fn declare(&mut self, action: &GroundAction, worked: bool) {
        // As in PDDL: first what becomes false.
        let effects = &self.meaning.declared[action.symbol.index()];
        for effect in effects
            .iter()
            .filter(|effect| !effect.add)
            .chain(effects.iter().filter(|effect| effect.add))
        {
            let arguments =
                effect.parameters.iter().map(|&number| action.arguments[number]).collect();
            self.turn(Ground { symbol: effect.predicate, arguments }, effect.add, worked);
        }
        self.declared_after();
    }

    /// Notes that a row may change a declared fact. Until it is computed what all rows show,
    /// nothing else is known of it.
    fn turn(&mut self, atom: GroundAtom, add: bool, worked: bool) {
        let left = worked.then_some(add);
        if self.declared.is_none() {
            self.set_declared(&[(atom.clone(), left)]);
        }
        let toggles = self.meaning.predicates[atom.symbol.index()].toggles;
        let found = (worked && toggles).then_some(!add);
        self.turns.add(atom, Turn { row: self.number, found, left });
    }

    /// Applies what all rows show of declared facts after this one.
    fn declared_after(&mut self) {
        if let Some(declared) = self.declared.clone()
            && let Some(facts) = declared.after_row.get(&self.number)
        {
            self.set_declared(facts);
        }
    }

    fn set_declared(&mut self, facts: &[(GroundAtom, Option<bool>)]) {
        for (atom, truth) in facts {
            // Its objects were met, so nothing can go wrong with their names.
            let _ = self.world.set_atom(atom, *truth);
        }
    }

    /// Forgets what a row may have changed, if not all objects are known.
    fn forget(
        &mut self,
        action: ActionId,
        found: &[Option<ObjectId>],
        outcome: AttemptOutcome,
        by_chance: bool,
    ) {
        let (meaning, read) = (self.meaning, self.values_are_samples());
        let parameters = &meaning.domain.action(action).parameters;
        let lost = found.iter().zip(parameters).filter(|(found, _)| found.is_none());
        let lost: Vec<TypeId> =
            lost.flat_map(|(_, parameter)| parameter.types.types().iter().copied()).collect();
        // An attempt that failed changes nothing that is not reported; what is not read now and
        // then, however, may be anything.
        let mut changed: Vec<Dynamic> = self.reported.iter().copied().collect();
        changed.retain(|symbol| {
            (outcome != AttemptOutcome::Failed || read.contains(symbol))
                && symbol
                    .parameters(&meaning.domain)
                    .iter()
                    .any(|parameter| parameter.types.types().iter().any(|of| lost.contains(of)))
        });
        let known = |effect: &DeclaredEffect| {
            effect.parameters.iter().map(|&number| found[number]).collect::<Option<Arguments>>()
        };
        let effects = if outcome == AttemptOutcome::Failed {
            &[][..]
        } else {
            &meaning.declared[action.index()]
        };
        for effect in effects.iter().filter(|effect| known(effect).is_none()) {
            self.turns.add_any(effect.predicate, self.number);
            changed.push(Dynamic::Predicate(effect.predicate.index()));
        }
        self.world.forget(&changed);
        let worked = outcome == AttemptOutcome::Worked && !by_chance;
        for effect in effects {
            if let Some(arguments) = known(effect)
                && !changed.contains(&Dynamic::Predicate(effect.predicate.index()))
            {
                self.turn(Ground { symbol: effect.predicate, arguments }, effect.add, worked);
            }
        }
        self.declared_after();
    }

    /// What became of an attempt, and whether chance decided.
    fn outcome(&self, row: &TableRow) -> Result<(AttemptOutcome, bool), Diagnostic> {
        let (Some(status), Some(column)) = (&self.meaning.status, self.opened.bound.status) else {
            return Ok((AttemptOutcome::Worked, false));
        };
        let mut by_chance = false;
        for ((_, words), column) in status.chance.iter().zip(&self.opened.bound.chance) {
            let Some(column) = *column else { continue };
            let text = &*self.meaning.names.of(row.cell(column));
            let here = !text.is_empty() && is_among(words, text);
            if let (false, Some(message)) = (here, otherwise_spelled(words, text)) {
                return Err(self.error(row, column, message));
            }
            by_chance |= here;
        }
        let text = &*self.meaning.names.of(row.cell(column));
        let outcome = if is_among(&status.ok, text) {
            AttemptOutcome::Worked
        } else if is_among(&status.failed, text) {
            AttemptOutcome::Failed
        } else if text.is_empty() {
            AttemptOutcome::Unknown
        } else if let Some(message) =
            otherwise_spelled(&status.ok, text).or_else(|| otherwise_spelled(&status.failed, text))
        {
            return Err(self.error(row, column, message));
        } else if let Some(message) = looks_empty(text) {
            return Err(self.error(row, column, message));
        } else if is_among(&status.ok, "*") {
            AttemptOutcome::Worked
        } else if is_among(&status.failed, "*") {
            AttemptOutcome::Failed
        } else {
            let known = [&status.ok[..], &status.failed[..]].concat().join(", ");
            return Err(self
                .error(row, column, format!("the map does not say what the status `{text}` means"))
                .help(format!(
                    "it knows {known}; add the word to `ok` or `failed`, or \"*\" for all others"
                )));
        };
        Ok((outcome, by_chance))
    }

    /// Rows come in the order of time.
    fn in_time(&mut self, row: &TableRow) -> Result<(), Diagnostic> {
        let Some(column) = self.opened.bound.time else { return Ok(()) };
        let text = row.cell(column).text();
        if text.is_empty() {
            return Ok(());
        }
        let time = Time::read(text);
        if let Some((last, written)) = &self.time {
            let order = time.compare(last);
            if order.is_none() {
                let (this, that) = (time.kind(), last.kind());
                let message = format!(
                    "this is {this} and cannot be compared with `{written}` of an earlier row, \
                     which is {that}"
                );
                return Err(self.error(row, column, message).help(HELP));
            }
            if order == Some(Ordering::Less) {
                let message = format!(
                    "the time goes back: the row before it in this episode is of {written}"
                );
                return Err(self
                    .error(row, column, message)
                    .help("sort the log by episode and time, or leave `time` out of the map"));
            }
        }
        self.time = Some((time, text.to_owned()));
        Ok(())
    }

    fn no_action(&self, row: &TableRow, word: &str) -> Diagnostic {
        let known: Vec<&str> = self.meaning.actions.keys().map(String::as_str).collect();
        let what = if word.is_empty() {
            "this row names no action".to_owned()
        } else {
            format!("the map has no action `{word}`")
        };
        let error = self.error(row, self.opened.bound.action, what);
        if let Some(near) = nearest(word, known.iter().copied().filter(|known| !known.is_empty())) {
            return error.help(format!("it has `{near}` under [actions]: did you mean `{word}`?"));
        }
        error.help(format!(
            "it has {}; `\"{word}\" = \"report\"` under [actions] is for rows that only say how \
             things are",
            known.join(", ")
        ))
    }

    fn error(&self, row: &TableRow, column: usize, message: impl Into<String>) -> Diagnostic {
        self.opened.table.error(row, column, self.opened.columns.name(column), message)
    }
}

/// Where a cell is, in words.
fn place<'p>(opened: &'p Opened, row: &'p TableRow, column: usize) -> impl Fn() -> String + 'p {
    move || {
        format!("{}:{}, {}", opened.table.name(), row.mark().line(), opened.columns.name(column))
    }
}

fn symbol(kind: &CellMeaning) -> Dynamic {
    match kind {
        CellMeaning::Number(function) => Dynamic::Function(function.index()),
        CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
            Dynamic::Predicate(predicate.index())
        }
    }
}

fn is_among(words: &[String], text: &str) -> bool {
    words.iter().any(|word| word == text)
}
