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
        let input = input_name(sample);
        let text = format!(
            "Is `{name}` chosen by whoever acts, before the step, or is it an outcome? Only rows \
             of {actions} have it, and `{follower}` changes by it. This map does not read it. If \
             it is chosen, take it out of `ignore`, write inputs = {{ {input} = \"{name}\" }}, and \
             list \"{input}\" among the parameters of {actions}. If the world decides it, like the \
             proceeds of a sale, leave it out: read as an input, it would let a planner choose the \
             outcome."
        );
        MapQuestion { name: name.to_owned(), text }
    }
}

/// A name for an input that no column has.
pub(super) fn input_name(sample: &LogSample) -> &'static str {
    const NAMES: [&str; 4] = ["amount", "number", "quantity", "chosen-amount"];
    let is_column = |name: &&str| {
        let mut columns = 0..sample.columns.len();
        columns.any(|column| sample.columns.name(column).eq_ignore_ascii_case(name))
    };
    NAMES.into_iter().find(|name| !is_column(name)).unwrap_or("chosen-number-of-the-step")
}

/// The actions whose rows fill a column with more than zeros, where the rows of others leave it
/// empty, or at zero.
fn actions_that_fill(sample: &LogSample, roles: &Roles, column: usize) -> Option<Vec<String>> {
    let action = roles.action.as_ref()?.column;
    let (mut filling, mut others) = (Vec::new(), 0);
    for (word, count) in sample.words(action) {
        let rows = (0..sample.rows).filter(|&row| sample.cell(action, row) == Some(word));
        let cells: Vec<&str> = rows.filter_map(|row| sample.cell(column, row)).collect();
        let is_zero = |cell: &&str| Numbers::Exact.read(cell).is_ok_and(|number| number.is_zero());
        if cells.iter().all(is_zero) {
            others += 1;
        } else if cells.len() * 10 >= count * 9 {
            filling.push(word.to_owned());
        } else {
            return None;
        }
    }
    (!filling.is_empty() && others > 0).then_some(filling)
}

/// Whether a column changes by a multiple of another, always the same for an action, in rows that
/// worked.
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
        // By change: the action, the amount, and by how much the other column changed.
        let change = |(earlier, later): (usize, usize)| -> Option<(&str, Rational, Rational)> {
            let row = if is_before { earlier } else { later };
            let action = sample.cell(roles.action.as_ref()?.column, row)?;
            let amount = number(column, row).filter(|_| roles.worked(sample, row) == Some(true))?;
            let change = &number(follower, later)? - &number(follower, earlier)?;
            (!amount.is_zero()).then_some((action, amount, change))
        };
        let changes: Vec<(&str, Rational, Rational)> =
            sample.pairs(episode, owner).into_iter().filter_map(change).collect();
        let mut by_action: BTreeMap<&str, BTreeMap<Rational, Vec<&Rational>>> = BTreeMap::new();
        for (action, amount, change) in &changes {
            if let Some(factor) = change.checked_div(amount).filter(|factor| !factor.is_zero()) {
                let by_factor = by_action.entry(action).or_default();
                by_factor.entry(factor).or_default().push(amount);
            }
        }
        let best = by_action.into_values();
        let best = best.filter_map(|by_factor| by_factor.into_values().max_by_key(Vec::len));
        // One change alone fits any factor.
        let fitting: Vec<&Rational> = best.filter(|fitting| fitting.len() > 1).flatten().collect();
        fitting.len() >= LEAST_CHANGES
            && fitting.len() * 100 >= changes.len() * LEAST_PERCENT
            && fitting.iter().any(|amount| *amount != fitting[0])
    })
}
