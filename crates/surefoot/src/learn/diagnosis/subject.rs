//! What changes in a way that nothing explains, in which steps, and what became of it there.

use std::collections::{BTreeMap, BTreeSet};

use super::exact::Explanation;
use super::limit::is_cap;
use super::split::{Split, find};
use super::{Cause, Piece, writer};
use crate::exact::Rational;
use crate::learn::audit::{alone, cheapest, inconsistent_changes};
use crate::learn::binding::Pattern;
use crate::learn::evidence::Observation;
use crate::learn::ids::{LiftedAtomId, LiftedFunctionId};
use crate::learn::learner::Learner;
use crate::learn::literals::TruthPairs;
use crate::learn::vocabulary::Vocabulary;
use crate::model::ActionId;

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

/// What was seen of an action.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    pub learner: &'a Learner,
    pub action: ActionId,
    pub rows: &'a [Observation],
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
                _ => "stays false",
            }
            .to_owned(),
        }
    }
}

/// More outcomes than these are not told one by one.
const FEW: usize = 4;

/// A number as a person writes it.
pub fn shown(number: &Rational) -> String {
    number.to_decimal().unwrap_or_else(|| number.to_string())
}

/// Whether a step changes nothing that its action can see.
pub fn is_unchanged(row: &Observation) -> bool {
    row.before == row.after && !row.seen.iter().any(|seen| seen.any(TruthPairs::ADDED.or(TruthPairs::DELETED)))
}

/// Whether all is the same before two steps, as far as their action can see, and known.
pub fn begins_like(one: &Observation, other: &Observation) -> bool {
    let truths = |row: &Observation| row.seen.iter().map(|seen| seen.truths()[0]).collect::<Vec<_>>();
    one.pattern == other.pattern
        && one.before == other.before
        && one.before.iter().all(Option::is_some)
        && truths(one) == truths(other)
        && truths(one).iter().all(Option::is_some)
}

/// What nothing explains, with the fewest rows found without which something would.
pub fn subjects(seen: &Seen<'_>, numbers: bool) -> Vec<(Subject, Vec<usize>)> {
    let vocabulary = seen.vocabulary();
    let atoms = vocabulary.atoms.ids().map(|atom| (Subject::Atom(atom), cheapest(vocabulary, seen.rows, atom)));
    let nothing = Default::default();
    let functions = vocabulary
        .functions
        .ids()
        .filter(|_| numbers)
        .map(|function| (Subject::Function(function), inconsistent_changes(vocabulary, seen.rows, &nothing, function)));
    functions.chain(atoms).filter(|(_, odd)| !odd.is_empty()).collect()
}

/// Whether each subject is explained without these rows, and something happens in the others.
pub fn fits_without(seen: &Seen<'_>, rows: &[usize], numbers: bool) -> bool {
    if rows.is_empty() || rows.len() == seen.rows.len() {
        return false;
    }
    subjects(&Seen { rows: &without(seen, rows), ..*seen }, numbers).is_empty()
}

/// All rows but these, which ascend.
pub fn without(seen: &Seen<'_>, rows: &[usize]) -> Vec<Observation> {
    let mut without = rows.iter().copied().peekable();
    let others = seen.rows.iter().enumerate().filter(|(row, _)| without.next_if_eq(row).is_none());
    others.map(|(_, observation)| observation.clone()).collect()
}

impl<'a> Seen<'a> {
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

    /// What became of a subject, in the steps where that is its own and known.
    fn outcomes(&self, subject: Subject) -> Vec<(usize, Outcome)> {
        let vocabulary = self.vocabulary();
        let mut places: BTreeMap<&Pattern, Option<usize>> = BTreeMap::new();
        let outcome = |(index, row): (usize, &'a Observation)| {
            let place = match subject {
                Subject::Atom(atom) => {
                    *places.entry(&row.pattern).or_insert_with(|| alone(&row.pattern, &vocabulary.atoms, atom))
                }
                Subject::Function(function) => {
                    *places.entry(&row.pattern).or_insert_with(|| alone(&row.pattern, &vocabulary.functions, function))
                }
            }?;
            match subject {
                Subject::Atom(_) => Some((index, Outcome::Truth(row.seen[place].0))),
                Subject::Function(function) => {
                    let change = row.after[function].as_ref()? - row.before[function].as_ref()?;
                    Some((index, Outcome::Change(change)))
                }
            }
        };
        self.rows.iter().enumerate().filter_map(outcome).collect()
    }

    /// What tells some rows from all others; `first` is looked at before all else.
    pub fn split(&self, odd: &[usize], first: Option<LiftedFunctionId>) -> Option<Split> {
        let odd = odd.iter().copied().collect();
        find(self.vocabulary(), &writer(self.learner, self.action), self.rows, &odd, first)
    }

    /// The steps with one of few outcomes, if a condition tells these from all others, and some map explains the others. A limit is found
    /// before a condition, and few steps before many. A map that reads several functions may explain more steps, and say nothing to anybody.
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
        let explained = |rows: &Vec<usize>| {
            inconsistent_changes(self.vocabulary(), &without(self, rows), &Default::default(), function).is_empty()
        };
        candidates.into_iter().filter(explained).find_map(|rows| {
            let split = self.split(&rows, Some(function))?;
            Some((rows, split))
        })
    }

    /// Whether what is said of some rows can be said with outcomes: there are many outcomes, or no other row has the outcome of one of them.
    pub fn is_by_outcome(&self, subject: Subject, odd: &[usize]) -> bool {
        let outcomes = self.outcomes(subject);
        let is_odd = |row: &usize| odd.binary_search(row).is_ok();
        let own: BTreeSet<&Outcome> = outcomes.iter().filter(|(row, _)| is_odd(row)).map(|(_, outcome)| outcome).collect();
        let all: BTreeSet<&Outcome> = outcomes.iter().map(|(_, outcome)| outcome).collect();
        all.len() > FEW || outcomes.iter().all(|(row, outcome)| is_odd(row) == own.contains(outcome))
    }

    /// Two steps that begin alike, and after which a subject differs.
    pub fn twins(&self, subject: Subject) -> Option<[usize; 2]> {
        let before = |row: &'a Observation| {
            let truths: Vec<bool> = row.seen.iter().map(|seen| seen.any(TruthPairs::DELETED.or(TruthPairs::KEPT))).collect();
            (&row.pattern, truths, row.before.as_slice())
        };
        let mut known: BTreeMap<_, (usize, Outcome)> = BTreeMap::new();
        for (index, outcome) in self.outcomes(subject) {
            // Where a value is missing, it may have been another one.
            if self.rows[index].before.iter().any(Option::is_none) {
                continue;
            }
            let (first, other) = known.entry(before(&self.rows[index])).or_insert_with(|| (index, outcome.clone()));
            if *other != outcome {
                return Some([*first, index]);
            }
        }
        None
    }

    /// Whether a step begins like another one, after which the subject differs.
    pub fn has_twin(&self, subject: Subject, row: usize) -> bool {
        let outcomes = self.outcomes(subject);
        let Some((_, own)) = outcomes.iter().find(|(index, _)| *index == row) else { return false };
        outcomes.iter().any(|(index, outcome)| outcome != own && begins_like(&self.rows[row], &self.rows[*index]))
    }

    /// Steps with different outcomes, of which some do not fit the others.
    pub fn pieces(&self, subject: Subject, odd: &[usize], condition: Option<Split>) -> Cause {
        let pieces = self.counted(subject, odd);
        let limit = subject.function().and_then(|function| self.cap(function, odd));
        let floor = limit.as_ref().is_some_and(|(_, is_cap)| !is_cap);
        let cap = limit.map(|(number, _)| shown(&number));
        let unchanged = odd.iter().all(|&row| is_unchanged(&self.rows[row]));
        Cause::Pieces { pieces, condition, cap, floor, unchanged }
    }

    /// How often each outcome was seen; where they are many, only whether they fit.
    fn counted(&self, subject: Subject, odd: &[usize]) -> Vec<Piece> {
        let outcomes = self.outcomes(subject);
        let mut counts: BTreeMap<&Outcome, usize> = BTreeMap::new();
        outcomes.iter().for_each(|(_, outcome)| *counts.entry(outcome).or_default() += 1);
        if counts.len() > FEW {
            let fitting = Piece { outcome: "one affine map".to_owned(), steps: outcomes.len().saturating_sub(odd.len()) };
            return vec![fitting, Piece { outcome: "another change".to_owned(), steps: odd.len() }];
        }
        // What is said of the odd steps is said behind their outcomes.
        let is_odd = |row: &usize| odd.binary_search(row).is_ok();
        let own: BTreeSet<&Outcome> = outcomes.iter().filter(|(row, _)| is_odd(row)).map(|(_, outcome)| outcome).collect();
        let mut pieces: Vec<(&Outcome, usize)> = counts.into_iter().collect();
        pieces.sort_by_key(|(outcome, steps)| (own.contains(outcome), std::cmp::Reverse(*steps), *outcome));
        pieces.into_iter().map(|(outcome, steps)| Piece { outcome: outcome.in_words(), steps }).collect()
    }

    /// Where a function ends in all odd steps, if that is a limit: all other steps follow a
    /// map that goes beyond it there. And whether it is a cap; otherwise, a floor.
    fn cap(&self, function: LiftedFunctionId, odd: &[usize]) -> Option<(Rational, bool)> {
        let end = self.rows[*odd.first()?].after[function].as_ref()?;
        let ends_there = |row: usize| self.rows[row].after[function].as_ref() == Some(end);
        let is_cap = odd.iter().all(|&row| ends_there(row)).then(|| is_cap(self, function, end)).flatten()?;
        Some((end.clone(), is_cap))
    }

    /// Whether the outcomes are told one by one.
    pub fn has_few_outcomes(&self, subject: Subject) -> bool {
        self.outcomes(subject).into_iter().map(|(_, outcome)| outcome).collect::<BTreeSet<_>>().len() <= FEW
    }

    /// An exact explanation by products.
    pub fn product(&self, Explanation { products, decimals, except, .. }: &Explanation) -> Cause {
        let squares = products.iter().any(|product| product.0.windows(2).any(|pair| pair[0] == pair[1]));
        let products = products.iter().map(|product| self.learner.written(self.action, product)).collect();
        Cause::Product { products, squares, decimals: *decimals, except: *except }
    }

    /// What is left to say. Of few outcomes, all but the most frequent are odd.
    pub fn unexplained(&self, subject: Subject, odd: &mut Vec<usize>, twins: bool) -> Cause {
        if twins {
            return Cause::Chance;
        }
        let outcomes = self.outcomes(subject);
        let mut counts: BTreeMap<&Outcome, usize> = BTreeMap::new();
        outcomes.iter().for_each(|(_, outcome)| *counts.entry(outcome).or_default() += 1);
        let most =
            counts.iter().max_by_key(|(outcome, steps)| (**steps, std::cmp::Reverse(**outcome))).map(|(outcome, _)| *outcome);
        match (counts.len() <= FEW, most) {
            (true, Some(most)) => {
                *odd = outcomes.iter().filter(|(_, outcome)| outcome != most).map(|(row, _)| *row).collect();
                self.pieces(subject, odd, None)
            }
            _ => Cause::Unexplained,
        }
    }

    /// Whether the odd steps are those that end at a limit.
    pub fn is_limited(&self, subject: Subject, odd: &[usize]) -> bool {
        subject.function().is_some_and(|function| self.cap(function, odd).is_some())
    }
}
