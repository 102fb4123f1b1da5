//! From the rows of an episode to its steps.
//!
//! Each row is looked at in this order: what it shows as it was before, what was tried, what became of it, and what it shows as it is after.
//! Values that a row does not speak of stay what they were. Where a row shows that the world is not where the last step left it (a robot
//! that was restarted, a sensor that drifts), the world moves there without a step: what follows starts from the new state, and nobody is
//! told that an action did it.
//!
//! Where columns show the state *before* a step alone, later rows tell what came of it (`ahead`). That takes the rows of one episode in
//! memory; otherwise one row is kept.

mod ahead;
mod merged;

use std::cmp::Ordering;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use surefoot::learn::Recorded;
use surefoot::model::{ActionId, Arguments, Attempt, Event, Ground, GroundAction, GroundAtom, Step};
use surefoot::pddl::{Diagnostic, Numbers, nearest};

use crate::bind::{BoundArgument, BoundParameter, BoundReport, Opened};
use crate::map::fact::{otherwise_spelled, truth};
use crate::map::{ActionRule, DeclaredEffect, Empty, Kind, Meaning, Outcome, Parameter, Report};
use crate::readings::{Reading, Readings};
use crate::table::{Cell, Row, number};
use crate::tally::{Contradicted, Tally};
use crate::time::{HELP, Time};
use crate::world::{Dynamic, World};

/// Is shown every event, and whether the world moved before it without one; says whether to go on.
pub(crate) type Sink<'s> = dyn FnMut(&Recorded<'_>, bool) -> bool + 's;

/// The reading of one episode.
pub(crate) struct Episode<'l> {
    meaning: &'l Meaning,
    opened: &'l Opened,
    dynamic: FxHashSet<Dynamic>,
    numbers: Numbers,
    pub world: World<'l>,
    pub tally: Tally,
    index: usize,
    moved: bool,
    /// The time of the last row that has one, and how it was written.
    time: Option<(Time, String)>,
    /// The readings of this episode that were not taken yet, and all readings, for messages.
    readings: Option<(&'l Readings, &'l [Reading])>,
    /// The last row, until it is known which readings come after it.
    held: Option<Row>,
}

/// Where the cells of what a row shows are.
enum Shown<'r> {
    /// In the row itself.
    Here,
    /// In later rows that speak of the same things.
    Later(&'r [Row], &'r [ahead::Later]),
    /// In the row itself, and in readings between it and the next.
    Read(&'r [Reading]),
}

impl<'l> Episode<'l> {
    pub fn new(meaning: &'l Meaning, opened: &'l Opened, world: World<'l>, numbers: Numbers) -> Self {
        let reported = meaning.before.iter().chain(&meaning.after).map(|report| symbol(&report.fact.kind));
        let declared = meaning.declared.iter().flatten().map(|effect| Dynamic::Predicate(effect.predicate.index()));
        let read = meaning.values.iter().flat_map(|values| values.facts.values()).map(|fact| symbol(&fact.kind));
        let dynamic = reported.chain(declared).chain(read).collect();
        let tally = Tally { episodes: 1, unmentioned: opened.bound.unmentioned.clone(), ..Tally::default() };
        Episode {
            meaning,
            opened,
            dynamic,
            numbers,
            world,
            tally,
            index: 0,
            moved: false,
            time: None,
            readings: None,
            held: None,
        }
    }

    /// Whether what comes of a step is in a later row.
    pub fn looks_ahead(meaning: &Meaning) -> bool {
        meaning.after.is_empty() && !meaning.before.is_empty()
    }

    fn take_row(&mut self, row: &Row, after: &Shown<'_>, sink: &mut Sink<'_>) -> Result<bool, Diagnostic> {
        self.tally.rows += 1;
        self.in_time(row)?;
        let bound = &self.opened.bound;
        let word = &*self.meaning.names.of(row.cell(bound.action));
        let Some((number, _, rule)) = self.meaning.actions.get_full(word) else { return Err(self.no_action(row, word)) };
        let (outcome, by_chance) = self.outcome(row)?;
        self.reports(&bound.before, &self.meaning.before, row)?;
        self.settle();
        let ActionRule::Attempt(action, sources) = rule else {
            self.tally.reports += 1;
            self.reported_after(row, after, None)?;
            self.settle();
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
            let reason = format!("{word}: ?{} is not known", missing.join(", ?"));
            Tally::count(&mut self.tally.unusable, &reason);
            if outcome != Outcome::Failed {
                self.forget(*action, &found)?;
            }
            self.reported_after(row, after, None)?;
            self.settle();
            return Ok(true);
        };
        let action = Ground { symbol: *action, arguments };
        self.world.ground(&action).map_err(|message| self.error(row, bound.action, message))?;
        if by_chance || outcome == Outcome::Unknown {
            match by_chance {
                true => self.tally.chance += 1,
                false => Tally::count(&mut self.tally.unusable, &format!("{word}: the status is empty")),
            }
            if outcome != Outcome::Failed {
                self.declare(&action, row, |_| None)?;
            }
            self.reported_after(row, after, None)?;
            self.settle();
            return Ok(true);
        }
        let name = self.meaning.domain.action_name(action.symbol);
        match outcome {
            Outcome::Failed => {
                Tally::count(&mut self.tally.failed, name);
                let go_on = self.show(&action, false, row, sink);
                self.reported_after(row, after, None)?;
                self.settle();
                Ok(go_on)
            }
            _ => {
                Tally::count(&mut self.tally.worked, name);
                self.doubt(&action, row);
                self.declare(&action, row, Some)?;
                self.reported_after(row, after, Some(&action))?;
                let go_on = self.show(&action, true, row, sink);
                self.world.commit();
                Ok(go_on)
            }
        }
    }

    fn show(&mut self, action: &GroundAction, worked: bool, row: &Row, sink: &mut Sink<'_>) -> bool {
        let World { before, after, universe, objects, .. } = &self.world;
        let event = match worked {
            true => Event::Worked(Step { before, action, after, universe }),
            false => Event::Failed(Attempt { before, action, universe }),
        };
        let opened = self.opened;
        let place = |message: String| {
            let column = opened.bound.action;
            opened.table.error(row, column, opened.columns.name(column), message)
        };
        let moved = std::mem::take(&mut self.moved);
        let index = self.index;
        self.index += 1;
        sink(&Recorded::new(index, event, objects, &place), moved)
    }

    /// The world is where rows say it is, without a step.
    fn settle(&mut self) {
        if self.world.has_moved() {
            self.tally.moved += usize::from(self.index > 0);
            self.moved = true;
            self.world.commit();
        }
    }

    fn reported_after(&mut self, row: &Row, after: &Shown<'_>, action: Option<&GroundAction>) -> Result<(), Diagnostic> {
        let bound = &self.opened.bound;
        match after {
            Shown::Read(readings) => {
                self.readings_after(readings, action)?;
                self.reports(&bound.after, &self.meaning.after, row)
            }
            Shown::Here => self.reports(&bound.after, &self.meaning.after, row),
            Shown::Later(rows, later) => self.told_later(rows, later),
        }
    }

    fn reports(&mut self, bound: &'l [BoundReport], rules: &'l [Report], row: &Row) -> Result<(), Diagnostic> {
        let idle = self.agree(bound, rules, row)?;
        let told = bound.iter().enumerate().filter(|(number, _)| idle.is_empty() || !idle.contains(number));
        told.map(|(_, report)| report).try_for_each(|report| self.report(report, &rules[report.rule], row, true))
    }

    /// What a cell says.
    fn report(&mut self, report: &BoundReport, rule: &Report, row: &Row, counts: bool) -> Result<(), Diagnostic> {
        let cell = row.cell(report.column);
        let Some(arguments) = self.objects(&report.arguments, row, report.column)? else {
            if cell != Cell::Missing {
                // It is said of something that is not told: of everything it may be.
                let said = symbol(&rule.fact.kind);
                for argument in &report.arguments {
                    let (BoundArgument::Column(_, of) | BoundArgument::Name(_, of)) = argument;
                    self.world.forget_type(*of, &|dynamic| dynamic == said);
                }
            }
            return Ok(());
        };
        if cell == Cell::Missing {
            if counts && rule.empty == Empty::Unknown {
                Tally::count(&mut self.tally.unknown_cells, self.opened.columns.name(report.column));
            }
            return self.empty(&rule.fact.kind, arguments, rule.empty).map_err(|message| self.error(row, report.column, message));
        }
        let at = place(self.opened, row, report.column);
        self.set(&rule.fact.kind, arguments, cell, &at).map_err(|message| self.error(row, report.column, message))
    }

    /// Makes true what a cell says.
    fn set(&mut self, kind: &Kind, arguments: Arguments, cell: Cell<'_>, at: &dyn Fn() -> String) -> Result<(), String> {
        match kind {
            Kind::Number(function) => {
                if let Cell::Flag(_) = cell {
                    return Err("expected a number; a flag is written `(open ?door) if true` in the map".to_owned());
                }
                let value = number(self.numbers, cell.text())?;
                self.world.set_value(&Ground { symbol: *function, arguments }, Some(value))
            }
            Kind::Object(predicate) => {
                let value = self.meaning.predicates[predicate.index()].value.unwrap_or(0);
                let of = self.meaning.domain.signature.predicate(*predicate).parameters[value].types.types()[0];
                let object = self.world.object(of, &self.meaning.names.of(cell), at)?;
                self.world.set_slot(&Ground { symbol: *predicate, arguments }, value, Some(Some(object)))
            }
            Kind::Flag(predicate, words) => {
                let truth = truth(words, &self.meaning.names.of(cell))?;
                self.world.set_atom(&Ground { symbol: *predicate, arguments }, Some(truth))
            }
        }
    }

    fn no_report(&mut self, report: &BoundReport, rule: &Report, row: &Row) -> Result<(), Diagnostic> {
        let Some(arguments) = self.objects(&report.arguments, row, report.column)? else { return Ok(()) };
        self.empty(&rule.fact.kind, arguments, Empty::Unknown).map_err(|message| self.error(row, report.column, message))
    }

    /// What it means that nothing is said.
    fn empty(&mut self, kind: &Kind, arguments: Arguments, empty: Empty) -> Result<(), String> {
        match (empty, kind) {
            (Empty::Unchanged, _) => Ok(()),
            (Empty::Unknown, Kind::Number(function)) => self.world.set_value(&Ground { symbol: *function, arguments }, None),
            (Empty::None, Kind::Number(function)) => self.world.unset_value(&Ground { symbol: *function, arguments }),
            (empty, Kind::Object(predicate)) => {
                let value = self.meaning.predicates[predicate.index()].value.unwrap_or(0);
                let object = if empty == Empty::None { Some(None) } else { None };
                self.world.set_slot(&Ground { symbol: *predicate, arguments }, value, object)
            }
            (empty, Kind::Flag(predicate, _)) => {
                let truth = if empty == Empty::None { Some(false) } else { None };
                self.world.set_atom(&Ground { symbol: *predicate, arguments }, truth)
            }
        }
    }

    /// The objects that a fact is about; `None` where one of their cells is empty.
    fn objects(&mut self, arguments: &[BoundArgument], row: &Row, own: usize) -> Result<Option<Arguments>, Diagnostic> {
        let (opened, meaning) = (self.opened, self.meaning);
        let mut objects = Arguments::new();
        for argument in arguments {
            objects.push(match argument {
                BoundArgument::Name(name, of) => {
                    let at = || format!("in the name of the column `{}`", opened.columns.name(own));
                    self.world
                        .object(*of, name, &at)
                        .map_err(|message| self.error(row, own, format!("in the name of this column: {message}")))?
                }
                BoundArgument::Column(column, of) => match row.cell(*column) {
                    Cell::Missing => return Ok(None),
                    cell => {
                        let object = self.world.object(*of, &meaning.names.of(cell), &place(opened, row, *column));
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
        row: &Row,
    ) -> Result<SmallVec<[Option<surefoot::model::ObjectId>; 4]>, Diagnostic> {
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
                            let value = self.meaning.predicates[predicate.index()].value.unwrap_or(0);
                            let object = self.world.slot(&Ground { symbol: *predicate, arguments }, value);
                            object.map_err(|message| self.error(row, self.opened.bound.action, message))?
                        }
                    }
                }
                (Parameter::Column(..), BoundParameter::Before(_)) => None,
            });
        }
        debug_assert_eq!(found.len(), self.meaning.domain.action(action).parameters.len());
        Ok(found)
    }

    /// Where a step worked that, as things are declared, could not or would change nothing, what is declared is unknown before it.
    fn doubt(&mut self, action: &GroundAction, row: &Row) {
        let meaning = self.meaning;
        let effects = &meaning.declared[action.symbol.index()];
        let atom = |effect: &DeclaredEffect| -> GroundAtom {
            Ground {
                symbol: effect.predicate,
                arguments: effect.parameters.iter().map(|&number| action.arguments[number]).collect(),
            }
        };
        for effect in effects {
            let doubted = atom(effect);
            // What a step makes false and true again may have been either.
            if effects.iter().any(|other| other.add != effect.add && atom(other) == doubted) {
                continue;
            }
            let World { universe, after: now, .. } = &self.world;
            let known = universe.find_atom(&doubted).filter(|id| !now.is_atom_unknown(*id)).map(|id| now.contains(id));
            if known != Some(effect.add) {
                continue;
            }
            let name = meaning.domain.action_name(action.symbol);
            let found = self.tally.contradicted.entry(name.to_owned()).or_insert_with(|| {
                let objects = doubted.arguments.iter().map(|&object| self.world.objects.name(object));
                let fact: Vec<&str> =
                    std::iter::once(meaning.domain.signature.predicates.name(effect.predicate.index())).chain(objects).collect();
                let (place, is) = (self.opened.table.name(), if effect.add { "already" } else { "not" });
                let first =
                    format!("{name} works at {place}:{} although ({}) is {is} true there", row.mark().line(), fact.join(" "));
                Contradicted { count: 0, first }
            });
            found.count += 1;
            // Its objects were met, so nothing can go wrong with their names.
            let _ = self.world.set_atom(&doubted, None);
        }
        self.settle();
    }

    /// Applies what an action is declared to do; `truth` says what becomes of it.
    fn declare(&mut self, action: &GroundAction, row: &Row, truth: impl Fn(bool) -> Option<bool>) -> Result<(), Diagnostic> {
        let effects = &self.meaning.declared[action.symbol.index()];
        // As in PDDL: first what becomes false.
        for effect in effects.iter().filter(|effect| !effect.add).chain(effects.iter().filter(|effect| effect.add)) {
            let arguments = effect.parameters.iter().map(|&number| action.arguments[number]).collect();
            let atom: GroundAtom = Ground { symbol: effect.predicate, arguments };
            let set = self.world.set_atom(&atom, truth(effect.add));
            set.map_err(|message| self.error(row, self.opened.bound.action, message))?;
        }
        Ok(())
    }

    /// Forgets what a step may have changed of which not all objects are known.
    fn forget(&mut self, action: ActionId, found: &[Option<surefoot::model::ObjectId>]) -> Result<(), Diagnostic> {
        let parameters = &self.meaning.domain.action(action).parameters;
        for (_, parameter) in found.iter().zip(parameters).filter(|(found, _)| found.is_none()) {
            for &of in parameter.types.types() {
                self.world.forget_type(of, &|dynamic| self.dynamic.contains(&dynamic));
            }
        }
        for effect in &self.meaning.declared[action.index()] {
            let arguments: Option<Arguments> = effect.parameters.iter().map(|&number| found[number]).collect();
            if let Some(arguments) = arguments {
                let atom = Ground { symbol: effect.predicate, arguments };
                // Its objects were met, so nothing can go wrong with their names.
                let _ = self.world.set_atom(&atom, Some(effect.add));
            }
        }
        Ok(())
    }

    /// What became of an attempt, and whether chance decided.
    fn outcome(&self, row: &Row) -> Result<(Outcome, bool), Diagnostic> {
        let (Some(status), Some(column)) = (&self.meaning.status, self.opened.bound.status) else {
            return Ok((Outcome::Worked, false));
        };
        let is = |words: &[String], text: &str| words.iter().any(|word| word == text);
        let mut by_chance = false;
        for ((_, words), column) in status.chance.iter().zip(&self.opened.bound.chance) {
            let Some(column) = *column else { continue };
            let text = &*self.meaning.names.of(row.cell(column));
            let here = !text.is_empty() && is(words, text);
            if let (false, Some(message)) = (here, otherwise_spelled(words, text)) {
                return Err(self.error(row, column, message));
            }
            by_chance |= here;
        }
        let text = &*self.meaning.names.of(row.cell(column));
        let outcome = if is(&status.ok, text) {
            Outcome::Worked
        } else if is(&status.failed, text) {
            Outcome::Failed
        } else if text.is_empty() {
            Outcome::Unknown
        } else if let Some(message) = otherwise_spelled(&status.ok, text).or_else(|| otherwise_spelled(&status.failed, text)) {
            return Err(self.error(row, column, message));
        } else if is(&status.ok, "*") {
            Outcome::Worked
        } else if is(&status.failed, "*") {
            Outcome::Failed
        } else {
            let known = [&status.ok[..], &status.failed[..]].concat().join(", ");
            return Err(self
                .error(row, column, format!("the map does not say what the status `{text}` means"))
                .help(format!("it knows {known}; add the word to `ok` or `failed`, or \"*\" for all others")));
        };
        Ok((outcome, by_chance))
    }

    /// Rows come in the order of time.
    fn in_time(&mut self, row: &Row) -> Result<(), Diagnostic> {
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
                let message =
                    format!("this is {this} and cannot be compared with `{written}` of an earlier row, which is {that}");
                return Err(self.error(row, column, message).help(HELP));
            }
            if order == Some(Ordering::Less) {
                let message = format!("the time goes back: the row before it in this episode is of {written}");
                return Err(self
                    .error(row, column, message)
                    .help("sort the log by episode and time, or leave `time` out of the map"));
            }
        }
        self.time = Some((time, text.to_owned()));
        Ok(())
    }

    fn no_action(&self, row: &Row, word: &str) -> Diagnostic {
        let known: Vec<&str> = self.meaning.actions.keys().map(String::as_str).collect();
        let what =
            if word.is_empty() { "this row names no action".to_owned() } else { format!("the map has no action `{word}`") };
        let error = self.error(row, self.opened.bound.action, what);
        if let Some(near) = nearest(word, known.iter().copied().filter(|known| !known.is_empty())) {
            return error.help(format!("it has `{near}` under [actions]: did you mean `{word}`?"));
        }
        error.help(format!(
            "it has {}; `\"{word}\" = \"report\"` under [actions] is for rows that only say how things are",
            known.join(", ")
        ))
    }

    fn error(&self, row: &Row, column: usize, message: impl Into<String>) -> Diagnostic {
        self.opened.table.error(row, column, self.opened.columns.name(column), message)
    }
}

/// Where a cell is, in words.
fn place<'p>(opened: &'p Opened, row: &'p Row, column: usize) -> impl Fn() -> String + 'p {
    move || format!("{}:{}, {}", opened.table.name(), row.mark().line(), opened.columns.name(column))
}

fn symbol(kind: &Kind) -> Dynamic {
    match kind {
        Kind::Number(function) => Dynamic::Function(function.index()),
        Kind::Object(predicate) | Kind::Flag(predicate, _) => Dynamic::Predicate(predicate.index()),
    }
}
