//! What changes in a way that nothing explains, in which steps, and what became of it there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::exact::Rational;
use surefoot_base::model::ActionId;

use super::exact::ExactExplanation;
use super::limit::is_cap;
use super::split::{Split, find};
use super::{Cause, Piece, writer};
use crate::evidence::{
    Learner, LiftedAtomId, LiftedFunctionId, Observation, Pattern, TruthPairs, Vocabulary,
};
use crate::workflow::audit::{alone, cheapest, inconsistent_changes};

/// A function or an atom of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Function(LiftedFunctionId),
    Atom(LiftedAtomId),
}

impl Subject {
    pub fn function(self) -> Option<LiftedFunctionId> {
        match self {
            Subject::Function(function) => Some(function),
            Subject::Atom(_) => None,
        }
    }
}

/// The observations of an action.
#[derive(Clone, Copy)]
pub struct ActionObservations<'a> {
    pub learner: &'a Learner,
    pub action: ActionId,
    pub rows: &'a [Observation],
}

/// Some rows of an action: those that show what a claim is about.
pub struct RowSubset<'a> {
    observations: Cow<'a, [Observation]>,
    /// By row: its place among all rows of the action, ascending.
    pub places: Vec<usize>,
}

impl<'a> RowSubset<'a> {
    pub fn of(seen: &ActionObservations<'a>, keeps: impl Fn(&Observation) -> bool) -> Self {
        RowSubset::at(seen, (0..seen.rows.len()).filter(|&row| keeps(&seen.rows[row])).collect())
    }

    fn at(seen: &ActionObservations<'a>, places: Vec<usize>) -> Self {
        let observations = match places.len() == seen.rows.len() {
            true => Cow::Borrowed(seen.rows),
            false => Cow::Owned(places.iter().map(|&row| seen.rows[row].clone()).collect()),
        };
        RowSubset { observations, places }
    }

    /// These rows as those of an action.
    pub fn seen<'s>(&'s self, all: &ActionObservations<'s>) -> ActionObservations<'s> {
        ActionObservations { rows: &self.observations, ..*all }
    }

    /// Rows of the action as rows of this subset; what is not in it is left out.
    pub fn own(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().filter_map(|row| self.places.binary_search(row).ok()).collect()
    }

    /// Rows of this subset as rows of the action.
    pub fn placed(&self, rows: &[usize]) -> Vec<usize> {
        rows.iter().map(|&row| self.places[row]).collect()
    }
}

/// What is known before a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Beginning {
    /// All that its action can see.
    Known,
    /// Not all of it.
    Unknown,
}

/// What became of a subject in a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Change(Rational),
    Truth(u8),
}

impl Outcome {
    fn in_words(&self) -> String {
        match self {
            Outcome::Change(change) if change.signum() < 0 => shown(change),
            Outcome::Change(change) => format!("+{}", shown(change)),
            Outcome::Truth(seen) => match TruthPairs(*seen) {
                TruthPairs::ADDED => "becomes true",
                TruthPairs::DELETED => "becomes false",
                TruthPairs::KEPT => "stays true",
                TruthPairs::ABSENT => "stays false",
                seen if seen.any(TruthPairs::TRUE_AFTER) => "is true afterwards",
                _ => "is false afterwards",
            }
            .to_owned(),
        }
    }
}

/// If there are more outcomes, they are not listed one by one.
const FEW: usize = 4;

/// A number as a person writes it.
pub fn shown(number: &Rational) -> String {
    number.to_decimal().unwrap_or_else(|| number.to_string())
}

/// Whether a step changes something that its action can see; `None` if its record does not show
/// that.
pub fn changes(row: &Observation) -> Option<bool> {
    let mut values = row.functions().filter(|(function, ..)| row.is_known(*function));
    let is_changed = values.any(|(_, before, after)| before != after)
        || row.seen.iter().any(|seen| seen.any(TruthPairs::ADDED.or(TruthPairs::DELETED)));
    (is_changed || row.is_complete()).then_some(is_changed)
}

/// Whether the record of a step shows that it changes nothing.
fn is_unchanged(row: &Observation) -> bool {
    changes(row) == Some(false)
}

/// Whether all that is known before two steps is the same, as far as their action can see, and the
/// same is unknown.
fn begins_like(one: &Observation, other: &Observation) -> bool {
    let truths = one.seen.iter().map(|seen| seen.truths()[0]);
    one.pattern == other.pattern
        && one.before == other.before
        && one.unknown.before == other.unknown.before
        && truths.eq(other.seen.iter().map(|seen| seen.truths()[0]))
}

/// What nothing explains, with the fewest rows found without which something would.
pub fn subjects(seen: &ActionObservations<'_>, numbers: bool) -> Vec<(Subject, Vec<usize>)> {
    let vocabulary = seen.vocabulary();
    let atoms = vocabulary
        .atoms
        .ids()
        .map(|atom| (Subject::Atom(atom), cheapest(vocabulary, seen.rows, atom).rows));
    let nothing = Default::default();
    let functions = vocabulary.functions.ids().filter(|_| numbers).map(|function| {
        (
            Subject::Function(function),
            inconsistent_changes(vocabulary, seen.rows, &nothing, function).rows,
        )
    });
    functions.chain(atoms).filter(|(_, odd)| !odd.is_empty()).collect()
}

/// Whether each subject is explained without these rows, and something happens in the others.
pub fn fits_without(seen: &ActionObservations<'_>, rows: &[usize], numbers: bool) -> bool {
    if rows.is_empty() || rows.len() == seen.rows.len() {
        return false;
    }
    subjects(&ActionObservations { rows: &without(seen, rows), ..*seen }, numbers).is_empty()
}

/// All rows but these, which ascend.
pub fn without(seen: &ActionObservations<'_>, rows: &[usize]) -> Vec<Observation> {
    let mut without = rows.iter().copied().peekable();
    let others = seen.rows.iter().enumerate().filter(|(row, _)| without.next_if_eq(row).is_none());
    others.map(|(_, observation)| observation.clone()).collect()
}

/// The outcomes of some rows, which ascend.
fn outcomes_of<'o>(outcomes: &'o [(usize, Outcome)], rows: &[usize]) -> BTreeSet<&'o Outcome> {
    let own = outcomes.iter().filter(|(row, _)| rows.binary_search(row).is_ok());
    own.map(|(_, outcome)| outcome).collect()
}

impl<'a> ActionObservations<'a> {
    pub fn vocabulary(&self) -> &'a Vocabulary {
        self.learner.vocabulary(self.action)
    }

    /// A subject in PDDL.
    pub fn written(&self, subject: Subject) -> String {
        let writer = writer(self.learner, self.action);
        match subject {
            Subject::Function(function) => writer.function(&self.vocabulary().functions[function]),
            Subject::Atom(atom) => writer.atom(&self.vocabulary().atoms[atom]),
        }
    }

    /// The rows that record the new value of a subject.
    pub fn showing(&self, subject: Subject) -> RowSubset<'a> {
        RowSubset::of(self, |row| match subject {
            Subject::Function(function) => row.is_known(function),
            Subject::Atom(_) if row.is_complete() => true,
            Subject::Atom(atom) => {
                let classes = row.pattern.classes(&self.vocabulary().atoms);
                let class = classes.iter().position(|class| class.contains(&atom));
                class.is_none_or(|class| row.seen[class].truths()[1].is_some())
            }
        })
    }

    /// The rows that record the new value of a subject, and all that an effect of the class on it
    /// may read.
    pub fn showing_read(&self, subject: Subject) -> RowSubset<'a> {
        let shown = self.showing(subject);
        let Subject::Function(_) = subject else { return shown };
        let columns = self.vocabulary().columns.iter().filter(|column| {
            let mut factors = column.0.iter();
            !factors.any(|&factor| self.rows.iter().any(|row| row.is_undefined_before(factor)))
        });
        let read: BTreeSet<LiftedFunctionId> =
            columns.flat_map(|column| column.0.iter().copied()).collect();
        let mut places = shown.places;
        places.retain(|&row| read.iter().all(|&factor| self.rows[row].is_known_before(factor)));
        RowSubset::at(self, places)
    }

    /// What became of a subject, in the steps where that is its own and known.
    fn outcomes(&self, subject: Subject) -> Vec<(usize, Outcome)> {
        let vocabulary = self.vocabulary();
        let mut places: BTreeMap<&Pattern, Option<usize>> = BTreeMap::new();
        let outcomes = self.rows.iter().enumerate().filter_map(|(index, row)| {
            let place = match subject {
                Subject::Atom(atom) => *places
                    .entry(&row.pattern)
                    .or_insert_with(|| alone(&row.pattern, &vocabulary.atoms, atom)),
                Subject::Function(function) => *places
                    .entry(&row.pattern)
                    .or_insert_with(|| alone(&row.pattern, &vocabulary.functions, function)),
            }?;
            match subject {
                Subject::Atom(_) => {
                    let seen = row.seen[place];
                    seen.truths()[1].map(|_| (index, Outcome::Truth(seen.0)))
                }
                Subject::Function(function) => {
                    let change = row.after[function].as_ref()? - row.before[function].as_ref()?;
                    Some((index, Outcome::Change(change)))
                }
            }
        });
        outcomes.collect()
    }

    /// The condition that distinguishes some rows from all others; `first` is tried before all
    /// else.
    pub fn split(&self, odd: &[usize], first: Option<LiftedFunctionId>) -> Option<Split> {
        let odd = odd.iter().copied().collect();
        find(self.vocabulary(), &writer(self.learner, self.action), self.rows, &odd, first)
    }

    /// The steps with one of few outcomes, if a condition distinguishes these from all others, and
    /// some map explains the others. A limit is found before a condition, and few steps before
    /// many. A map that reads several functions may explain more steps, and say nothing to anybody.
    pub fn split_by_outcome(&self, subject: Subject) -> Option<(Vec<usize>, Split)> {
        let function = subject.function()?;
        let mut by_change: BTreeMap<Outcome, Vec<usize>> = BTreeMap::new();
        for (row, change) in self.outcomes(subject) {
            by_change.entry(change).or_default().push(row);
            if by_change.len() > FEW {
                return None;
            }
        }
        let mut candidates: Vec<Vec<usize>> = by_change.into_values().collect();
        candidates.sort_by_key(|rows| (self.cap(function, rows).is_none(), rows.len()));
        let nothing = BTreeSet::new();
        candidates.into_iter().find_map(|rows| {
            let others = without(self, &rows);
            let left = inconsistent_changes(self.vocabulary(), &others, &nothing, function);
            if !left.rows.is_empty() {
                return None;
            }
            let split = self.split(&rows, Some(function))?;
            Some((rows, split))
        })
    }

    /// Whether what is said of some rows can be said with outcomes: there are many outcomes, or no
    /// other row has the outcome of one of them.
    pub fn is_by_outcome(&self, subject: Subject, odd: &[usize]) -> bool {
        let outcomes = self.outcomes(subject);
        let own = outcomes_of(&outcomes, odd);
        let all: BTreeSet<&Outcome> = outcomes.iter().map(|(_, outcome)| outcome).collect();
        all.len() > FEW
            || outcomes
                .iter()
                .all(|(row, outcome)| odd.binary_search(row).is_ok() == own.contains(outcome))
    }

    /// Two steps that begin alike, and after which a subject differs.
    pub fn twins(&self, subject: Subject) -> Option<[usize; 2]> {
        let mut known: BTreeMap<_, (usize, Outcome)> = BTreeMap::new();
        for (index, outcome) in self.outcomes(subject) {
            let row = &self.rows[index];
            // A value that is unknown may have been another one.
            if !row.is_complete_before() {
                continue;
            }
            let truths: Vec<Option<bool>> = row.seen.iter().map(|seen| seen.truths()[0]).collect();
            let before = (&row.pattern, truths, row.before.as_slice());
            let (first, other) = known.entry(before).or_insert_with(|| (index, outcome.clone()));
            if *other != outcome {
                return Some([*first, index]);
            }
        }
        None
    }

    /// Whether one of some steps begins like another one, after which the subject differs; and
    /// whether all is known before such a step.
    pub fn has_twin(&self, subject: Subject, rows: &[usize]) -> Option<Beginning> {
        let outcomes: BTreeMap<usize, Outcome> = self.outcomes(subject).into_iter().collect();
        let beginnings = rows.iter().filter_map(|row| {
            let own = outcomes.get(row)?;
            let mut others = outcomes.iter().filter(|(_, outcome)| *outcome != own);
            let has_twin =
                others.any(|(other, _)| begins_like(&self.rows[*row], &self.rows[*other]));
            let known = if self.rows[*row].is_complete_before() {
                Beginning::Known
            } else {
                Beginning::Unknown
            };
            has_twin.then_some(known)
        });
        beginnings.min()
    }

    /// Steps with different outcomes, some of which do not fit the others.
    pub fn pieces(&self, subject: Subject, odd: &[usize], condition: Option<Split>) -> Cause {
        let pieces = self.counted(subject, odd);
        let limit = subject.function().and_then(|function| self.cap(function, odd));
        let floor = limit.as_ref().is_some_and(|(_, is_cap)| !is_cap);
        let cap = limit.map(|(number, _)| shown(&number));
        let unchanged = odd.iter().all(|&row| is_unchanged(&self.rows[row]));
        Cause::Pieces { pieces, condition, cap, floor, unchanged }
    }

    /// How often each outcome was observed; if there are many, only how many fit.
    fn counted(&self, subject: Subject, odd: &[usize]) -> Vec<Piece> {
        let outcomes = self.outcomes(subject);
        let mut counts: BTreeMap<&Outcome, usize> = BTreeMap::new();
        outcomes.iter().for_each(|(_, outcome)| *counts.entry(outcome).or_default() += 1);
        if counts.len() > FEW {
            let fitting = Piece {
                outcome: "one linear formula".to_owned(),
                steps: outcomes.len().saturating_sub(odd.len()),
            };
            return vec![fitting, Piece { outcome: "another change".to_owned(), steps: odd.len() }];
        }
        // What is said of the odd steps is said behind their outcomes.
        let own = outcomes_of(&outcomes, odd);
        let mut pieces: Vec<(&Outcome, usize)> = counts.into_iter().collect();
        pieces.sort_by_key(|(outcome, steps)| {
            (own.contains(outcome), std::cmp::Reverse(*steps), *outcome)
        });
        pieces
            .into_iter()
            .map(|(outcome, steps)| Piece { outcome: outcome.in_words(), steps })
            .collect()
    }

    /// Where a function ends in all odd steps, if that is a limit: all other steps follow a
    /// map that goes beyond it there. And whether it is a cap; otherwise, a floor.
    fn cap(&self, function: LiftedFunctionId, odd: &[usize]) -> Option<(Rational, bool)> {
        let end = self.rows[*odd.first()?].after[function].as_ref()?;
        let is_cap = odd
            .iter()
            .all(|&row| self.rows[row].after[function].as_ref() == Some(end))
            .then(|| is_cap(self, function, end))
            .flatten()?;
        Some((end.clone(), is_cap))
    }

    /// Whether the outcomes are listed one by one.
    pub fn has_few_outcomes(&self, subject: Subject) -> bool {
        self.outcomes(subject)
            .into_iter()
            .map(|(_, outcome)| outcome)
            .collect::<BTreeSet<_>>()
            .len()
            <= FEW
    }

    /// An exact explanation by products.
    pub fn product(
        &self,
        ExactExplanation { products, decimals, except, .. }: &ExactExplanation,
    ) -> Cause {
        let squares =
            products.iter().any(|product| product.0.windows(2).any(|pair| pair[0] == pair[1]));
        let products =
            products.iter().map(|product| self.learner.written(self.action, product)).collect();
        Cause::Product { products, squares, decimals: *decimals, except: *except }
    }

    /// Of few outcomes, the rows with all but the most frequent one.
    pub fn less_frequent(&self, subject: Subject) -> Option<Vec<usize>> {
        let outcomes = self.outcomes(subject);
        let mut counts: BTreeMap<&Outcome, usize> = BTreeMap::new();
        outcomes.iter().for_each(|(_, outcome)| *counts.entry(outcome).or_default() += 1);
        let most =
            counts.iter().max_by_key(|(outcome, steps)| (**steps, std::cmp::Reverse(**outcome)));
        let most = most.map(|(outcome, _)| *outcome).filter(|_| counts.len() <= FEW)?;
        Some(outcomes.iter().filter(|(_, outcome)| outcome != most).map(|(row, _)| *row).collect())
    }

    /// Whether the odd steps are those that end at a limit.
    pub fn is_limited(&self, subject: Subject, odd: &[usize]) -> bool {
        subject.function().is_some_and(|function| self.cap(function, odd).is_some())
    }
}
