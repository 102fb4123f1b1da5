//! Which columns may be numbers that whoever acts chooses before the step, and which may just as
//! well be outcomes. Nothing in a log tells the two apart, so each such column is a question.

use std::collections::BTreeMap;

use surefoot_base::exact::Rational;
use surefoot_base::pddl::Numbers;

use super::MapQuestion;
use super::profile::LogSample;
use super::roles::Roles;

/// How many changes must follow a column, and how many of all changes.
const LEAST_CHANGES: usize = 3;
const LEAST_PERCENT: usize = 80;

/// A column that may be an input.
pub(super) struct PossibleInput {
    pub column: usize,
    /// The words of the actions whose rows fill it.
    actions: Vec<String>,
    /// The column that changes by it.
    follower: usize,
}

/// The columns of numbers that only rows of some actions fill, and by which another column changes.
/// `owners` are columns that may name whose state a row shows.
pub(super) fn possible_inputs(
    sample: &LogSample,
    roles: &Roles,
    (numbers, owners): (&[usize], &[usize]),
) -> Vec<PossibleInput> {
    let found = numbers.iter().filter_map(|&column| {
        let actions = actions_that_fill(sample, roles, column)?;
        let mut others = numbers.iter().copied().filter(|&other| other != column);
        let follower = others.find(|&other| follows(sample, roles, owners, (column, other)))?;
        Some(PossibleInput { column, actions, follower })
    });
    found.collect()
}

impl PossibleInput {
    pub fn question(&self, sample: &LogSample) -> MapQuestion {
        let name = sample.columns.name(self.column);
        let (actions, follower) = (self.actions.join(", "), sample.columns.name(self.follower));
        let text = format!(
            "Is `{name}` chosen by whoever acts, before the step, or is it an outcome? Only rows \
             of {actions} have it, and `{follower}` changes by it. This map does not read it. If \
             it is chosen, take it out of `ignore`, write inputs = {{ amount = \"{name}\" }}, and \
             list \"amount\" among the parameters of {actions}. If the world decides it, like the \
             proceeds of a sale, leave it out: read as an input, it would let a planner choose the \
             outcome."
        );
        MapQuestion { name: name.to_owned(), text }
    }
}

/// The actions whose rows fill a column, where the rows of others leave it empty.
fn actions_that_fill(sample: &LogSample, roles: &Roles, column: usize) -> Option<Vec<String>> {
    let action = roles.action.as_ref()?.column;
    let (mut filling, mut others) = (Vec::new(), 0);
    for (word, count) in sample.words(action) {
        let rows = (0..sample.rows).filter(|&row| sample.cell(action, row) == Some(word));
        let filled = rows.filter(|&row| sample.cell(column, row).is_some()).count();
        match filled {
            0 => others += 1,
            _ if filled * 10 >= count * 9 => filling.push(word.to_owned()),
            _ => return None,
        }
    }
    (!filling.is_empty() && others > 0).then_some(filling)
}

/// Whether a column changes by a multiple of another, always the same, in rows that worked.
fn follows(
    sample: &LogSample,
    roles: &Roles,
    owners: &[usize],
    (column, follower): (usize, usize),
) -> bool {
    let episode = roles.episode.as_ref().map(|guessed| guessed.column);
    let owners = std::iter::once(None).chain(owners.iter().copied().map(Some));
    let number = |column: usize, row: usize| Numbers::Exact.read(sample.cell(column, row)?).ok();
    owners.flat_map(|owner| [(owner, false), (owner, true)]).any(|(owner, is_before)| {
        // By change: the amount, and by how much the other column changed.
        let change = |(earlier, later): (usize, usize)| -> Option<(Rational, Rational)> {
            let row = if is_before { earlier } else { later };
            let amount = number(column, row).filter(|_| roles.worked(sample, row) == Some(true))?;
            let change = &number(follower, later)? - &number(follower, earlier)?;
            (!amount.is_zero()).then_some((amount, change))
        };
        let changes: Vec<(Rational, Rational)> =
            sample.pairs(episode, owner).into_iter().filter_map(change).collect();
        let mut by_factor: BTreeMap<Rational, Vec<&Rational>> = BTreeMap::new();
        for (amount, change) in &changes {
            if let Some(factor) = change.checked_div(amount).filter(|factor| !factor.is_zero()) {
                by_factor.entry(factor).or_default().push(amount);
            }
        }
        let Some(fitting) = by_factor.into_values().max_by_key(Vec::len) else { return false };
        fitting.len() >= LEAST_CHANGES
            && fitting.len() * 100 >= changes.len() * LEAST_PERCENT
            && fitting.iter().any(|amount| *amount != fitting[0])
    })
}
