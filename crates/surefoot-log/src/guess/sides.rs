//! Whether columns show the state before or after the action of their row: decided where the log
//! decides it, else asked.
//!
//! A column that changes between two rows of one object was changed by the later row's action if
//! rows show the state after it, and by the earlier row's action if they show the state before it.
//! Three kinds of evidence refute one of these readings: what failed changes nothing; the same
//! action does the same again; and whoever goes somewhere is there afterwards. A column speaks only
//! where it fits one reading without exception and contradicts the other at least three times.
//! Which rows are of one object is itself a guess, so the columns speak again with every other
//! column as the owner. Where any of this disagrees, or nothing speaks, it is a question.
//!
//! A log may show some columns before the action and others after it. So a column that changes has
//! the side of the columns that speak only if its own changes say the same, with less evidence.
//! Otherwise its side is a question.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use surefoot_base::pddl::Numbers;

use super::listed;
use super::profile::{CellFormat, LogSample};
use super::roles::Roles;
use crate::table::number;

/// When a column shows the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StateSide {
    Before,
    After,
    /// The log does not determine it.
    Either,
}

/// A column of the state, and the column that says whose.
#[derive(Clone, Copy)]
pub(super) struct Tracked {
    pub column: usize,
    pub owner: Option<usize>,
}

const ASK: &str = "rename this to [before] or to [after]";

/// How often evidence is needed.
const ENOUGH: usize = 3;

/// How much more likely its changes must be on the side that other columns show, for a column that
/// decides nothing by itself: by a factor of 3,000, as a logarithm.
const CLEARER: f64 = 8.0;

/// How often a reading must contradict that the same action does the same again. A rule that is
/// read off few rows fits by accident.
const RULES: usize = 6;

/// The rows that a reading is tried on.
pub(super) struct SideEvidence<'s> {
    sample: &'s LogSample,
    roles: &'s Roles,
    /// Columns that name objects.
    objects: Vec<usize>,
}

/// The side that a log determines, and the columns of which it does not.
pub(super) struct Sides {
    pub side: StateSide,
    pub why: String,
    /// By group of columns: the side, or a question.
    pub by_group: Vec<StateSide>,
}

/// How well a reading explains a column.
#[derive(Clone, Copy)]
struct SideFit {
    /// Transitions beyond those that any rule would explain.
    support: usize,
    contradictions: usize,
}

impl<'s> SideEvidence<'s> {
    pub fn new(sample: &'s LogSample, roles: &'s Roles, objects: &[usize]) -> Self {
        SideEvidence { sample, roles, objects: objects.to_vec() }
    }

    pub fn pairs(&self, owner: Option<usize>) -> Vec<(usize, usize)> {
        self.sample.pairs(self.roles.episode.as_ref().map(|guessed| guessed.column), owner)
    }

    /// The pairs of rows between which a column changes, if both rows have a value.
    fn known_pairs(&self, tracked: Tracked) -> Vec<(usize, usize)> {
        self.pairs(tracked.owner)
            .into_iter()
            .filter(|&(earlier, row)| {
                self.sample.cell(tracked.column, earlier).is_some()
                    && self.sample.cell(tracked.column, row).is_some()
            })
            .collect()
    }

    fn changes(&self, tracked: Tracked, pair: (usize, usize)) -> bool {
        self.sample.cell(tracked.column, pair.0) != self.sample.cell(tracked.column, pair.1)
    }

    /// Whether a column changes from some row to the next one of its owner.
    pub fn ever_changes(&self, tracked: Tracked) -> bool {
        self.known_pairs(tracked).into_iter().any(|pair| self.changes(tracked, pair))
    }

    /// How many different changes of numbers the actions make, on the side with fewer. The owner
    /// whose numbers they are leaves few.
    pub fn ways(&self, tracked: Tracked) -> usize {
        let Some(action) = &self.roles.action else { return 0 };
        let read = |row: usize| {
            let text = self.sample.cell(tracked.column, row)?;
            number(Numbers::Exact, text).ok()
        };
        let [mut of_earlier, mut of_later] = [BTreeSet::new(), BTreeSet::new()];
        for (earlier, row) in self.known_pairs(tracked) {
            if let (Some(from), Some(to)) = (read(earlier), read(row)) {
                let change = &to - &from;
                of_earlier.insert((self.sample.cell(action.column, earlier), change.clone()));
                of_later.insert((self.sample.cell(action.column, row), change));
            }
        }
        of_earlier.len().min(of_later.len())
    }

    /// The side that the log determines, and why; and for each group of columns whether that side
    /// is theirs, or a question. Columns that differ in an object alone are looked at together, and
    /// all of them are where none speaks by itself.
    /// `rivals` are columns that may name the owner instead: then all of them must say so.
    pub fn sides(&self, groups: &[Vec<Tracked>], rivals: &[Option<usize>]) -> Sides {
        let (side, why) = self.side(groups);
        let of_group = |group: &Vec<Tracked>| {
            let with = |owner: Option<usize>| -> Vec<Tracked> {
                group.iter().map(|one| Tracked { column: one.column, owner }).collect()
            };
            let of_rivals = rivals.iter().filter(|_| group.iter().any(|one| one.owner.is_some()));
            let agrees = side != StateSide::Either
                && self.agrees(group, side)
                && of_rivals.copied().all(|rival| self.agrees(&with(rival), side));
            if agrees { side } else { StateSide::Either }
        };
        Sides { side, why, by_group: groups.iter().map(of_group).collect() }
    }

    fn side(&self, groups: &[Vec<Tracked>]) -> (StateSide, String) {
        let mut votes = self.votes(groups);
        let all = groups.concat();
        if votes.iter().all(Vec::is_empty) && groups.len() > 1 {
            votes = self.votes(std::slice::from_ref(&all));
        }
        let others = self.votes(&self.with_other_owners(&all));
        match (&votes[0][..], &votes[1][..]) {
            ([why, ..], []) if others[1].is_empty() => {
                (StateSide::Before, format!("{why}: so this is the state before the row's action"))
            }
            ([], [why, ..]) if others[0].is_empty() => {
                (StateSide::After, format!("{why}: so this is the state after the row's action"))
            }
            ([], []) => match self.unchanged(&all) {
                Some(side) => (
                    side,
                    "no value changes from row to row: before and after are the same".to_owned(),
                ),
                None => (StateSide::Either, ASK.to_owned()),
            },
            _ => (StateSide::Either, ASK.to_owned()),
        }
    }

    /// Whether the rows of some columns themselves say that they are on the side that the log
    /// determines. Less evidence is needed than without it, but some: logs may show some columns
    /// before the action of a row and others after it.
    fn agrees(&self, group: &[Tracked], side: StateSide) -> bool {
        // Before and after are the same.
        if group.iter().all(|&one| !self.ever_changes(one)) {
            return true;
        }
        let is_after = side == StateSide::After;
        let failures = self.failures_of(group);
        // Where what failed changes something all the same, something else changes it, too, and
        // nothing follows from which side is likelier.
        let is_disturbed = failures.is_some_and(|[before, after]| before.0 > 0 && after.0 > 0);
        let [likely, other] = [is_after, !is_after].map(|after| self.log_likelihood(group, after));
        if !is_disturbed && likely > other + CLEARER {
            return true;
        }
        let (fitting, other) = (self.fit_of(group, is_after), self.fit_of(group, !is_after));
        if fitting.contradictions > other.contradictions {
            return false;
        }
        let by_rules = fitting.contradictions == 0
            && fitting.support >= 2 * ENOUGH
            && other.contradictions >= ENOUGH
            && !group.iter().any(|tracked| self.is_of_the_row(tracked.column));
        let by_failures = failures.is_some_and(|[before, after]| {
            let (fitting, refuted) = if is_after { (after, before) } else { (before, after) };
            fitting.0 == 0 && fitting.1 > 1 && refuted.0 > 0
        });
        let mut own =
            [self.failures(group), self.rules(group), self.destinations(group)].into_iter();
        by_rules || by_failures || own.any(|vote| vote.is_some())
    }

    /// How likely the changes of some columns are, by the action of the row that made them, if rows
    /// show the state after it, or before it; as a logarithm.
    fn log_likelihood(&self, group: &[Tracked], after: bool) -> f64 {
        let Some(action) = &self.roles.action else { return 0.0 };
        let mut counts: BTreeMap<_, (usize, usize)> = BTreeMap::new();
        for &tracked in group {
            for pair in self.known_pairs(tracked) {
                let by = if after { pair.1 } else { pair.0 };
                let key = (self.sample.cell(action.column, by), self.roles.worked(self.sample, by));
                let count = counts.entry(key).or_default();
                *count = (count.0 + usize::from(self.changes(tracked, pair)), count.1 + 1);
            }
        }
        let of = |count: usize, all: usize| match count {
            0 => 0.0,
            count => count as f64 * (count as f64 / all as f64).ln(),
        };
        counts.values().map(|&(moved, all)| of(moved, all) + of(all - moved, all)).sum()
    }

    fn fit_of(&self, group: &[Tracked], after: bool) -> SideFit {
        let fits = group.iter().map(|&tracked| self.fit(tracked, after));
        fits.fold(SideFit { support: 0, contradictions: 0 }, |sum, fit| SideFit {
            support: sum.support + fit.support,
            contradictions: sum.contradictions + fit.contradictions,
        })
    }

    /// Each column by itself, with each column that it may belong to instead.
    fn with_other_owners(&self, all: &[Tracked]) -> Vec<Vec<Tracked>> {
        let frame: Vec<usize> = [&self.roles.episode, &self.roles.action, &self.roles.status]
            .into_iter()
            .flatten()
            .map(|guessed| guessed.column)
            .collect();
        let owners: Vec<usize> = (0..self.sample.columns.len())
            .filter(|column| {
                matches!(self.sample.looks(*column), CellFormat::Word | CellFormat::Count)
                    && !frame.contains(column)
            })
            .collect();
        all.iter()
            .flat_map(|one| {
                let Tracked { column, owner } = *one;
                let others = owners.iter().map(|&other| Some(other)).chain([None]);
                let others = others.filter(move |other| *other != owner && *other != Some(column));
                others.map(move |owner| vec![Tracked { column, owner }]).collect::<Vec<_>>()
            })
            .collect()
    }

    /// A side that is right in either case, because the columns never change; `None` if a value
    /// changes, or if the sides differ.
    ///
    /// Every row has the value of the row before it and of the row after it. So what is written in
    /// the first row of an object is certain after its action alone, and in the last row before it
    /// alone. An action that is only ever first is a report, of which neither is asked. Only rows
    /// that worked tell what an action changes.
    fn unchanged(&self, all: &[Tracked]) -> Option<StateSide> {
        let action = self.roles.action.as_ref().filter(|_| !self.roles.asks("status"))?.column;
        let (mut is_first, mut is_last, mut are_often_between) = (false, false, true);
        let mut actions = 0;
        for &tracked in all {
            let mut neighbours = vec![[false; 2]; self.sample.rows];
            for pair in self.known_pairs(tracked) {
                if self.changes(tracked, pair) {
                    return None;
                }
                neighbours[pair.1][0] = true;
                neighbours[pair.0][1] = true;
            }
            let mut later = vec![false; self.sample.rows];
            self.pairs(tracked.owner).iter().for_each(|&(_, row)| later[row] = true);
            let mut by_action: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
            for row in 0..self.sample.rows {
                if self.sample.cell(tracked.column, row).is_none()
                    || self.roles.worked(self.sample, row) == Some(false)
                {
                    continue;
                }
                by_action.entry(self.sample.cell(action, row)).or_default().push(row);
            }
            for rows in by_action.values().filter(|rows| rows.iter().any(|&row| later[row])) {
                actions += 1;
                let [earlier, later] =
                    [0, 1].map(|side| rows.iter().filter(|&&row| neighbours[row][side]).count());
                is_first |= earlier < rows.len();
                is_last |= later < rows.len();
                are_often_between &= earlier >= ENOUGH && later >= ENOUGH;
            }
        }
        match (is_first, is_last) {
            _ if actions == 0 => None,
            (_, false) => Some(StateSide::After),
            (false, true) => Some(StateSide::Before),
            (true, true) => are_often_between.then_some(StateSide::After),
        }
    }

    /// What speaks for the state before, and for the state after.
    fn votes(&self, groups: &[Vec<Tracked>]) -> [Vec<String>; 2] {
        let mut votes: [Vec<String>; 2] = [Vec::new(), Vec::new()];
        // Whose state a column is follows from which column is the action, and so does every pair
        // of rows.
        if self.roles.asks("action") {
            return votes;
        }
        for group in groups {
            for (side, why) in [self.failures(group), self.rules(group), self.destinations(group)]
                .into_iter()
                .flatten()
            {
                votes[usize::from(side == StateSide::After)].push(why);
            }
        }
        votes
    }

    /// Whether some action never changes a column, more often than if its cells came at random:
    /// such a column is a state, not a parameter.
    pub fn keeps(&self, tracked: Tracked) -> bool {
        let Some(action) = self.roles.action.as_ref().map(|guessed| guessed.column) else {
            return false;
        };
        let words = self.sample.words(tracked.column);
        let all = words.iter().map(|(_, count)| count).sum::<usize>() as f64;
        let by_chance: f64 = words.iter().map(|&(_, count)| (count as f64 / all).powi(2)).sum();
        let pairs = self.known_pairs(tracked);
        [true, false].into_iter().any(|after| {
            let mut counts: BTreeMap<Option<&str>, (usize, usize)> = BTreeMap::new();
            for &pair in &pairs {
                let count = counts
                    .entry(self.sample.cell(action, if after { pair.1 } else { pair.0 }))
                    .or_default();
                *count = (count.0 + usize::from(self.changes(tracked, pair)), count.1 + 1);
            }
            counts.values().any(|&(moved, times)| moved == 0 && by_chance.powf(times as f64) < 0.01)
        })
    }

    /// The question about the side of some columns, with the two readings of some change;
    /// `decided` is the side of other columns.
    pub fn question(&self, groups: &[Vec<Tracked>], decided: StateSide) -> String {
        let mut text =
            "Do the columns under [before-or-after] show the state before or after the action of \
             their row?"
                .to_owned();
        text += match decided {
            StateSide::Before => " The rows decide for other columns, which show the state before.",
            StateSide::After => " The rows decide for other columns, which show the state after.",
            StateSide::Either => "",
        };
        let change = groups.iter().flatten().find_map(|&one| {
            let pair = self.known_pairs(one).into_iter().find(|&(earlier, row)| {
                self.changes(one, (earlier, row))
                    && self.action_word(earlier) != self.action_word(row)
            })?;
            Some((one, pair))
        });
        if let Some((one, (earlier, row))) = change {
            let of = one.owner.and_then(|owner| self.sample.cell(owner, row));
            text += &format!(
                " Example: `{}`{} is {} in line {} and {} in line {}. If rows show the state \
                 before, {} changed it; if they show the state after, {} did.",
                self.sample.columns.name(one.column),
                of.map_or_else(String::new, |of| format!(" of {of}")),
                self.sample.cell(one.column, earlier).unwrap_or(""),
                self.sample.lines[earlier],
                self.sample.cell(one.column, row).unwrap_or(""),
                self.sample.lines[row],
                self.action_in_words(earlier),
                self.action_in_words(row)
            );
        }
        text + " Move each column under [before-or-after] to [before] or to [after]. If all of \
                them show the same side, and the map has no such section yet, rename the section."
    }

    fn action_word(&self, row: usize) -> Option<&'s str> {
        let action = self.roles.action.as_ref()?;
        self.sample.cell(action.column, row)
    }

    fn action_in_words(&self, row: usize) -> String {
        let word = self.action_word(row).unwrap_or("");
        format!("`{word}` of line {}", self.sample.lines[row])
    }

    /// What failed changes nothing: neither in its row, if rows show the state after, nor after its
    /// row, if they show the state before.
    pub fn changes_of_failures(&self, tracked: Tracked) -> Option<[(usize, usize); 2]> {
        if self.roles.status.is_none() || self.roles.asks("status") {
            return None;
        }
        let mut counts = [(0, 0); 2];
        for pair in self.known_pairs(tracked) {
            let moved = usize::from(self.changes(tracked, pair));
            for (count, row) in counts.iter_mut().zip([pair.0, pair.1]) {
                if self.roles.worked(self.sample, row) == Some(false) {
                    *count = (count.0 + moved, count.1 + 1);
                }
            }
        }
        Some(counts)
    }

    fn failures_of(&self, group: &[Tracked]) -> Option<[(usize, usize); 2]> {
        let mut counts = [(0, 0); 2];
        for &tracked in group {
            for (sum, count) in counts.iter_mut().zip(self.changes_of_failures(tracked)?) {
                *sum = (sum.0 + count.0, sum.1 + count.1);
            }
        }
        Some(counts)
    }

    fn failures(&self, group: &[Tracked]) -> Option<(StateSide, String)> {
        let [before, after] = self.failures_of(group)?;
        let name = self.named(group);
        if failures_speak(after, before) {
            let why = format!(
                "{name} differs from the row before in none of the {} rows that failed, but in {} \
                 of the {} rows that follow a failed one, and a failed action changes nothing",
                after.1, before.0, before.1
            );
            Some((StateSide::After, why))
        } else if failures_speak(before, after) {
            let why = format!(
                "{name} changes in none of the {} rows that follow a failed one, and a failed \
                 action changes nothing, but in {} of the \
                 {} rows that failed",
                before.1, after.0, after.1
            );
            Some((StateSide::Before, why))
        } else {
            None
        }
    }

    fn named(&self, group: &[Tracked]) -> String {
        let names: Vec<String> = group
            .iter()
            .map(|tracked| self.sample.columns.name(tracked.column).to_owned())
            .collect();
        listed(&names)
    }

    /// Whether the row's own action, or what it is done to, fixes the cell: then it may be what the
    /// row took, which no state explains.
    fn is_of_the_row(&self, column: usize) -> bool {
        let Some(action) = &self.roles.action else { return false };
        let mut by_action: IndexMap<Vec<Option<&str>>, &str> = IndexMap::new();
        let rows =
            (0..self.sample.rows).filter_map(|row| Some((row, self.sample.cell(column, row)?)));
        rows.into_iter().all(|(row, cell)| {
            let objects = self.objects.iter().filter(|&&object| object != column);
            let key = [action.column]
                .iter()
                .chain(objects)
                .map(|&of| self.sample.cell(of, row))
                .collect();
            *by_action.entry(key).or_insert(cell) == cell
        })
    }

    /// Decides by rules: the same action does the same again.
    fn rules(&self, group: &[Tracked]) -> Option<(StateSide, String)> {
        if self.roles.action.is_none()
            || self.roles.asks("action")
            || self.roles.asks("status")
            || group.iter().any(|tracked| self.is_of_the_row(tracked.column))
        {
            return None;
        }
        let [before, after] = [false, true].map(|after| self.fit_of(group, after));
        let name = self.named(group);
        let (side, other, refuted) = if before.speaks_against(after) {
            (StateSide::Before, "after", after)
        } else if after.speaks_against(before) {
            (StateSide::After, "before", before)
        } else {
            return None;
        };
        let why = format!(
            "the same action changes {name} differently in {} rows if rows show the state \
             {other} it",
            refuted.contradictions
        );
        Some((side, why))
    }

    /// How well one reading explains a column: by the action alone, or by the action and the
    /// objects of its row.
    pub fn explains(&self, tracked: Tracked, side: StateSide) -> bool {
        match side {
            StateSide::Before => self.fit(tracked, false).is_enough(),
            StateSide::After => self.fit(tracked, true).is_enough(),
            StateSide::Either => {
                self.fit(tracked, false).is_enough() || self.fit(tracked, true).is_enough()
            }
        }
    }

    /// Whether a rule of actions alone may say how a column changes.
    pub fn may_be_ruled(&self, tracked: Tracked) -> bool {
        let pairs = self.known_pairs(tracked);
        [true, false]
            .into_iter()
            .any(|after| self.fit_by(tracked, after, &pairs, &[]).contradictions == 0)
    }

    fn fit(&self, tracked: Tracked, after: bool) -> SideFit {
        let pairs = self.known_pairs(tracked);
        let objects: Vec<usize> =
            self.objects.iter().copied().filter(|&object| object != tracked.column).collect();
        let [coarse, fine] =
            [&[][..], &objects[..]].map(|objects| self.fit_by(tracked, after, &pairs, objects));
        if (coarse.contradictions, fine.support) <= (fine.contradictions, coarse.support) {
            coarse
        } else {
            fine
        }
    }

    fn fit_by(
        &self,
        tracked: Tracked,
        after: bool,
        pairs: &[(usize, usize)],
        objects: &[usize],
    ) -> SideFit {
        let mut groups: BTreeMap<Vec<Option<&str>>, Vec<(&str, &str)>> = BTreeMap::new();
        for &(earlier, row) in pairs {
            let by = if after { row } else { earlier };
            if self.roles.worked(self.sample, by) != Some(true) {
                continue;
            }
            let action = self.roles.action.as_ref().map(|guessed| guessed.column);
            let key = action.iter().chain(objects).map(|&of| self.sample.cell(of, by)).collect();
            let cells = self
                .sample
                .cell(tracked.column, earlier)
                .zip(self.sample.cell(tracked.column, row));
            groups.entry(key).or_default().extend(cells);
        }
        let is_number = self.sample.looks(tracked.column).is_number();
        let mut whole = SideFit { support: 0, contradictions: 0 };
        for group in groups.values() {
            let fit = if is_number { affine(group) } else { determined(group) };
            whole.support += fit.support;
            whole.contradictions += fit.contradictions;
        }
        whole
    }

    /// How attempts at an action that worked end, if rows show the state after them, or before.
    fn arrivals(
        &self,
        tracked: Tracked,
        target: usize,
        (action, word): (usize, &str),
        pairs: &[(usize, usize)],
        is_after: bool,
    ) -> Arrivals {
        let mut arrivals = Arrivals::default();
        for &(earlier, row) in pairs {
            let by = if is_after { row } else { earlier };
            if self.sample.cell(action, by) != Some(word)
                || self.sample.cell(target, by).is_none()
                || self.roles.worked(self.sample, by) != Some(true)
            {
                continue;
            }
            let is_there = self.sample.cell(tracked.column, row) == self.sample.cell(target, by);
            arrivals.attempts += 1;
            arrivals.elsewhere += usize::from(!is_there);
            arrivals.moved += usize::from(self.changes(tracked, (earlier, row)));
        }
        arrivals
    }

    /// Whoever goes somewhere is there afterwards: in the same row, or in the next.
    fn destinations(&self, group: &[Tracked]) -> Option<(StateSide, String)> {
        let &[tracked] = group else { return None };
        if !self.objects.contains(&tracked.column)
            || self.roles.asks("action")
            || self.roles.asks("status")
        {
            return None;
        }
        let action = self.roles.action.as_ref()?.column;
        let pairs = self.known_pairs(tracked);
        for &target in self
            .objects
            .iter()
            .filter(|&&target| target != tracked.column && Some(target) != tracked.owner)
        {
            for (word, _) in self.sample.words(action) {
                let sides = [(true, StateSide::After), (false, StateSide::Before)];
                let [after, before] = sides.map(|(is_after, _)| {
                    self.arrivals(tracked, target, (action, word), &pairs, is_after)
                });
                for ((_, side), (fitting, refuted)) in
                    sides.into_iter().zip([(after, before), (before, after)])
                {
                    if fitting.elsewhere == 0
                        && fitting.attempts >= ENOUGH
                        && refuted.elsewhere >= ENOUGH
                        && fitting.moved >= ENOUGH
                    {
                        let place = self.sample.columns.name(tracked.column);
                        let target = self.sample.columns.name(target);
                        let times = fitting.attempts;
                        return Some((
                            side,
                            format!("{place} is {target} after each of {times} {word}"),
                        ));
                    }
                }
            }
        }
        None
    }
}

/// How attempts to go somewhere ended.
#[derive(Clone, Copy, Default)]
struct Arrivals {
    attempts: usize,
    elsewhere: usize,
    /// That it was somewhere else before shows that the action goes there.
    moved: usize,
}

impl SideFit {
    fn is_enough(self) -> bool {
        self.contradictions == 0 && self.support >= ENOUGH
    }

    /// Whether one side explains all rows, and the other side cannot.
    fn speaks_against(self, other: SideFit) -> bool {
        self.contradictions == 0 && self.support >= 2 * RULES && other.contradictions >= RULES
    }
}

/// Whether failures decide the side: of (changed, all) rows, none changed on the one side, and
/// enough changed on the other.
fn failures_speak(fitting: (usize, usize), refuted: (usize, usize)) -> bool {
    fitting.0 == 0 && fitting.1 >= 5 && refuted.0 >= ENOUGH
}

/// How well one affine map of the earlier number explains the later one.
fn affine(cells: &[(&str, &str)]) -> SideFit {
    let numbers: Vec<(f64, f64)> = cells
        .iter()
        .filter_map(|(earlier, later)| Some((earlier.parse().ok()?, later.parse().ok()?)))
        .collect();
    let Some(&(x, y)) = numbers.first() else { return SideFit { support: 0, contradictions: 0 } };
    let shifted = on_line(&numbers, 1.0, y - x);
    if shifted == numbers.len() {
        return SideFit { support: numbers.len() - 1, contradictions: 0 };
    }
    let Some(&(other, there)) = numbers.iter().find(|(other, _)| !is_close(*other, x)) else {
        // One number, and different ones after it.
        let most = numbers
            .iter()
            .take(50)
            .map(|(_, y)| numbers.iter().filter(|(_, other)| is_close(*y, *other)).count())
            .max();
        return SideFit {
            support: most.unwrap_or(0).saturating_sub(1),
            contradictions: numbers.len() - most.unwrap_or(0),
        };
    };
    let slope = (there - y) / (other - x);
    let fitting = on_line(&numbers, slope, y - slope * x);
    if fitting == numbers.len() {
        return SideFit { support: fitting.saturating_sub(2), contradictions: 0 };
    }
    let most = numbers
        .iter()
        .take(50)
        .map(|(x, y)| on_line(&numbers, 1.0, y - x))
        .max()
        .unwrap_or(0)
        .max(fitting);
    SideFit { support: most.saturating_sub(2), contradictions: numbers.len() - most }
}

/// How well the earlier word determines the later one.
fn determined(cells: &[(&str, &str)]) -> SideFit {
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (earlier, later) in cells {
        *counts.entry(earlier).or_default().entry(later).or_default() += 1;
    }
    let mut fit = SideFit { support: 0, contradictions: 0 };
    for later in counts.values() {
        let (most, all) =
            (later.values().max().copied().unwrap_or(0), later.values().sum::<usize>());
        fit.support += most.saturating_sub(1);
        fit.contradictions += all - most;
    }
    fit
}

fn is_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-6 * one.abs().max(other.abs()).max(1.0)
}

/// How many points are on a line.
fn on_line(points: &[(f64, f64)], slope: f64, offset: f64) -> usize {
    points.iter().filter(|(x, y)| is_close(slope * x + offset, *y)).count()
}
