//! The simplest map that is consistent with all records: fewest columns, changes before
//! assignments, then numbers with few decimals.
//!
//! A map `f` is *consistent* iff `|f(x_j) - y_j| ≤ Σ |f_i| e_i + e_y` for all records `j`. For
//! given signs `σ` of the coefficients, `|f(x_j) - y_j| ≤ Σ σ_i f_i e_i + e_y` is linear, and no
//! weaker whatever the signs of `f` are: the consistent maps are the union of the bands of all
//! signs. The signs of the map that fits best come first; all of them are tried before it is said
//! that there is none.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::ids::{Id, first_ids};
use surefoot_base::invariant::Invariant;

use super::band::{Band, RecordVectors};
use super::fit::{RecordedOutcomes, Unfit};
use super::outer_band::Outer;
use crate::conclude::effect::{Affine, MAX_SUPPORTS, binomial, for_each_subset};
use crate::evidence::ActiveColumn;

/// At most this many sets of columns are tried for one function before the search for the fewest is
/// given up.
const MAX_TRIES: u64 = 300;

/// Before sets of this size are tried, the search finds out which columns are needed.
const LOOK_AHEAD: usize = 2;

/// At most this many maps with the same number of columns are compared by their numbers.
const MAX_COMPARED: usize = 4;

/// At most this many choices of signs are tried for one set of columns: all of them, for up to
/// eight inexact columns.
const MAX_SIGNS: usize = 256;

/// Coefficients that are known.
#[derive(Clone, Default)]
pub(super) struct KnownCoefficients {
    pub columns: BTreeMap<ActiveColumn, Rational>,
    pub constant: Option<Rational>,
}

/// Some columns with known coefficients, and others that are free.
struct ColumnCandidate {
    known: KnownCoefficients,
    free: Vec<ActiveColumn>,
}

/// The search for one target.
pub(super) struct Search<'a> {
    target: &'a RecordedOutcomes<'a>,
    records: &'a RecordVectors<'a>,
    /// What is known of the map beforehand.
    known: &'a KnownCoefficients,
    working: BTreeSet<usize>,
    /// Columns whose coefficients are zero in no consistent map.
    needed: BTreeSet<ActiveColumn>,
    /// Whether the function's own coefficient may be 1 in some consistent map.
    changes: bool,
}

impl<'a> Search<'a> {
    pub fn new(
        target: &'a RecordedOutcomes<'a>,
        records: &'a RecordVectors<'a>,
        known: &'a KnownCoefficients,
    ) -> Self {
        Search {
            target,
            records,
            known,
            working: records.extreme(),
            needed: BTreeSet::new(),
            changes: true,
        }
    }

    /// Finds out which columns every consistent map reads, so that fewer sets of columns have to be
    /// tried.
    fn look_ahead(&mut self) {
        let Some(outer) = Outer::new(self.target, self.records, self.known, &mut self.working)
        else {
            return;
        };
        let mut bounds = outer.band.bounds(&self.working);
        for column in self.open() {
            let (low, high) = bounds.range(Some(column));
            if !is_within(&Rational::ZERO, low.as_ref(), high.as_ref()) {
                self.needed.insert(column);
            }
            self.changes &= self.target.own != Some(column)
                || is_within(&Rational::ONE, low.as_ref(), high.as_ref());
        }
        self.working = bounds.into_working();
    }

    /// The columns whose coefficients are not known.
    fn open(&self) -> Vec<ActiveColumn> {
        first_ids(self.target.errors.len())
            .filter(|column| !self.known.columns.contains_key(column))
            .collect()
    }

    /// The simplest map that is consistent with all records.
    pub fn simplest(&mut self, arity: Option<usize>) -> Result<Affine, Unfit> {
        if let Some(map) = self.fewest_columns(arity) {
            return Ok(map);
        }
        let all = self.open();
        let sets = arity.and_then(|arity| self.target.factors.sets(arity, MAX_SUPPORTS));
        if let Some(sets) = sets {
            for set in &sets {
                let free: Vec<ActiveColumn> =
                    set.iter().copied().filter(|column| all.contains(column)).collect();
                if let Some(map) = self.over(&free, arity) {
                    return Ok(map);
                }
            }
        } else if let Some(map) = self.over(&all, None) {
            return Ok(map);
        }
        let candidate = ColumnCandidate { known: self.known.clone(), free: all };
        let tried =
            is_all(candidate.free.iter().filter(|column| !self.error(**column).is_zero()).count());
        let (band, fits) = self.consistent(&candidate, true);
        if arity.is_some() && fits {
            return Err(Unfit::Arity);
        }
        // Too many signs to try: any map has its bound.
        if arity.is_none() && !tried {
            let (_, at) = band.widest(&self.working);
            return Ok(candidate.map(band.columns(), &at));
        }
        Err(Unfit::NotAffine)
    }

    fn error(&self, column: ActiveColumn) -> &'a Rational {
        &self.target.errors[column.index()]
    }

    /// The function's own column, if the map can be a change of it.
    fn changed(&self) -> Option<ActiveColumn> {
        self.target.own.filter(|own| self.changes && !self.known.columns.contains_key(own))
    }

    /// A change that reads these columns, among others than the function's own.
    fn change(&self, own: ActiveColumn, free: &[ActiveColumn]) -> ColumnCandidate {
        let mut known = self.known.clone();
        known.columns.insert(own, Rational::ONE);
        ColumnCandidate {
            known,
            free: free.iter().copied().filter(|&column| column != own).collect(),
        }
    }

    /// An assignment that reads these columns.
    fn assignment(&self, free: &[ActiveColumn]) -> ColumnCandidate {
        ColumnCandidate { known: self.known.clone(), free: free.to_vec() }
    }

    /// Whether a candidate reads at most this many functions, not counting its own if it is a
    /// change.
    fn is_narrow(&self, candidate: &ColumnCandidate, arity: Option<usize>) -> bool {
        let known = candidate.known.columns.iter().filter(|(column, value)| {
            let is_change = self.target.own == Some(**column) && **value == Rational::ONE;
            !value.is_zero() && !is_change
        });
        let read = known.map(|(column, _)| *column).chain(candidate.free.iter().copied());
        arity.is_none_or(|arity| self.target.factors.count(read) <= arity)
    }

    /// The map with the fewest columns; `None` when none was found in time.
    fn fewest_columns(&mut self, arity: Option<usize>) -> Option<Affine> {
        let open = self.open();
        let others: Vec<ActiveColumn> =
            open.iter().copied().filter(|column| Some(*column) != self.target.own).collect();
        let mut tries = 0u64;
        for size in 0..=open.len() {
            // Most maps read hardly anything; for others it pays to know what they read.
            if size == LOOK_AHEAD {
                self.look_ahead();
            }
            let own = self.changed();
            let changes = own.map_or(0, |_| self.count_supersets(&others, size));
            tries = tries.saturating_add(changes).saturating_add(self.count_supersets(&open, size));
            if tries > MAX_TRIES {
                return None;
            }
            let mut changes: Vec<ColumnCandidate> = Vec::new();
            if let Some(own) = own {
                let sets = self.supersets(&others, size);
                changes.extend(sets.iter().map(|free| self.change(own, free)));
            }
            let assignments =
                self.supersets(&open, size).iter().map(|free| self.assignment(free)).collect();
            for mut candidates in [changes, assignments] {
                candidates.retain(|candidate| self.is_narrow(candidate, arity));
                let mut found: Vec<Affine> = Vec::new();
                for candidate in &candidates {
                    if found.len() < MAX_COMPARED
                        && let (band, true) = self.consistent(candidate, false)
                    {
                        found.push(self.rounded(candidate, band));
                    }
                }
                // The first of the best.
                if let Some(best) = found.into_iter().min_by_key(decimals) {
                    return Some(best);
                }
            }
        }
        None
    }

    /// How many sets [`Search::supersets`] gives.
    fn count_supersets(&self, columns: &[ActiveColumn], size: usize) -> u64 {
        let needed = columns.iter().filter(|column| self.needed.contains(column)).count();
        size.checked_sub(needed).map_or(0, |more| binomial(columns.len() - needed, more))
    }

    /// All sets of this many of the columns, each with the columns that are needed anyway, in the
    /// order of the columns.
    fn supersets(&self, columns: &[ActiveColumn], size: usize) -> Vec<Vec<ActiveColumn>> {
        let (needed, rest): (Vec<ActiveColumn>, Vec<ActiveColumn>) =
            columns.iter().copied().partition(|column| self.needed.contains(column));
        let mut sets = Vec::new();
        let Some(more) = size.checked_sub(needed.len()) else { return sets };
        for_each_subset(rest.len(), more, &mut |places| {
            let mut set: Vec<ActiveColumn> =
                needed.iter().copied().chain(places.iter().map(|&place| rest[place])).collect();
            set.sort_unstable();
            sets.push(set);
        });
        sets
    }

    /// A map over these columns, whatever their number; zeros are preferred.
    fn over(&mut self, free: &[ActiveColumn], arity: Option<usize>) -> Option<Affine> {
        let change = self.changed().map(|own| self.change(own, free));
        for candidate in change.into_iter().chain([self.assignment(free)]) {
            if self.is_narrow(&candidate, arity)
                && let (band, true) = self.consistent(&candidate, true)
            {
                return Some(self.rounded(&candidate, band));
            }
        }
        None
    }

    /// A band of consistent maps that is not empty; where there is none, the one of the signs that
    /// fit best.
    fn consistent(&mut self, candidate: &ColumnCandidate, all_signs: bool) -> (Band<'a>, bool) {
        let plain = self.plain(candidate);
        let inexact: Vec<usize> = (0..candidate.free.len())
            .filter(|&i| !self.error(candidate.free[i]).is_zero())
            .collect();
        if inexact.is_empty() {
            let fits = plain.middle(&mut self.working).is_some();
            return (plain, fits);
        }
        let (_, at) = plain.widest(&self.working);
        let first = at.len() - candidate.free.len();
        let signs: Vec<bool> = inexact.iter().map(|&i| at[first + i].signum() < 0).collect();
        let errors = self.target.errors;
        let tilt_by = |flips: u64| {
            let mut tilt = vec![Rational::ZERO; candidate.free.len()];
            for (place, &i) in inexact.iter().enumerate() {
                let error = &errors[candidate.free[i].index()];
                tilt[i] =
                    if signs[place] == (flips >> place & 1 == 0) { -error } else { error.clone() };
            }
            plain.tilted(tilt)
        };
        let best = tilt_by(0);
        let mut working = std::mem::take(&mut self.working);
        let tries = if all_signs { flips(inexact.len()) } else { vec![0] };
        let found = tries.into_iter().map(tilt_by).find(|band| band.middle(&mut working).is_some());
        self.working = working;
        let fits = found.is_some();
        (found.unwrap_or(best), fits)
    }

    /// The maps that explain what is left once the known part is taken off, as if free columns were
    /// exact.
    fn plain(&self, candidate: &ColumnCandidate) -> Band<'a> {
        let known = &candidate.known;
        let sizes = known.columns.iter().map(|(column, value)| &value.abs() * self.error(*column));
        let slack = sizes.fold(self.target.error.clone(), |sum, size| &sum + &size);
        let targets = self.records.rows().iter().map(|(x, after)| {
            known
                .columns
                .iter()
                .fold(after.clone(), |rest, (column, value)| &rest - &(value * &x[column.index()]))
        });
        let band = Band::new(self.records, candidate.free.clone(), targets.collect(), slack);
        match &known.constant {
            Some(value) => band.fixed(None, value),
            None => band,
        }
    }

    /// A map of a band that is not empty, with simple numbers: one after the other, each within
    /// what the others leave, the constant last.
    fn rounded(&mut self, candidate: &ColumnCandidate, mut band: Band<'a>) -> Affine {
        let mut map = candidate.known.clone();
        let constant = candidate.known.constant.is_none().then_some(None);
        for variable in candidate.free.iter().copied().map(Some).chain(constant) {
            let mut bounds = band.bounds(&self.working);
            let (low, high) = bounds.range(variable);
            self.working = bounds.into_working();
            let value = simple_within(low.as_ref(), high.as_ref());
            band = band.fixed(variable, &value);
            match variable {
                Some(column) => drop(map.columns.insert(column, value)),
                None => map.constant = Some(value),
            }
        }
        map.affine()
    }
}

impl ColumnCandidate {
    /// The map with these values of the variables of a band.
    fn map(&self, columns: &[ActiveColumn], at: &[Rational]) -> Affine {
        let mut map = self.known.clone();
        let first = at.len() - columns.len();
        if first > 0 {
            map.constant = Some(at[0].clone());
        }
        map.columns.extend(columns.iter().copied().zip(at[first..].iter().cloned()));
        map.affine()
    }
}

impl KnownCoefficients {
    /// The map, with zero for what is not known.
    pub fn affine(&self) -> Affine {
        let terms = self.columns.iter().filter(|(_, value)| !value.is_zero());
        Affine {
            constant: self.constant.clone().unwrap_or(Rational::ZERO),
            terms: terms.map(|(column, value)| (*column, value.clone())).collect(),
        }
    }
}

/// Whether some affine map is found to be consistent. For up to eight inexact columns all signs are
/// tried: then none is if none is found.
pub(super) fn finds_consistent(
    target: &RecordedOutcomes<'_>,
    records: &RecordVectors<'_>,
    working: &mut BTreeSet<usize>,
) -> bool {
    let known = KnownCoefficients::default();
    let mut search =
        Search { working: std::mem::take(working), ..Search::new(target, records, &known) };
    let candidate = ColumnCandidate { known: KnownCoefficients::default(), free: search.open() };
    let found = search.consistent(&candidate, true).1;
    *working = search.working;
    found
}

/// Whether all choices of this many signs are tried.
pub(super) fn is_all(signs: usize) -> bool {
    signs <= MAX_SIGNS.ilog2() as usize
}

/// Which signs are flipped: few before many, at most [`MAX_SIGNS`] choices.
fn flips(signs: usize) -> Vec<u64> {
    let mut flips = Vec::new();
    for size in 0..=signs {
        for_each_subset(signs, size, &mut |places| {
            if flips.len() < MAX_SIGNS {
                flips.push(places.iter().fold(0u64, |flips, &place| flips | 1 << place.min(63)));
            }
        });
        if flips.len() >= MAX_SIGNS {
            break;
        }
    }
    flips
}

/// How many decimals the numbers of a map have, all in all; fractions without a decimal form come
/// last.
fn decimals(map: &Affine) -> usize {
    let numbers = map.terms.iter().map(|(_, value)| value).chain([&map.constant]);
    numbers.map(|value| count_decimals(value).unwrap_or(1000)).sum()
}

/// How many decimals a number has; `None` if it has no decimal form.
fn count_decimals(value: &Rational) -> Option<usize> {
    let text = value.to_decimal()?;
    Some(text.split_once('.').map_or(0, |(_, decimals)| decimals.len()))
}

/// Whether a number is within bounds, where there are any.
fn is_within(value: &Rational, low: Option<&Rational>, high: Option<&Rational>) -> bool {
    low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)
}

/// The number within a range that a person would write: zero, one, minus one; otherwise one with
/// the fewest decimals, near the middle.
///
/// No bound is infinite. Where the lower bound is above the upper one, the lower one.
fn simple_within(low: Option<&Rational>, high: Option<&Rational>) -> Rational {
    for simple in [0, 1, -1].map(Rational::integer) {
        if is_within(&simple, low, high) {
            return simple;
        }
    }
    let (Some(low), Some(high)) = (low, high) else {
        // One of both is there, or zero would be within; the next integer beyond it is the nearest
        // to zero.
        let end = low.or(high).cloned().invariant("zero is within no bounds");
        return end.with_decimals(0, if low.is_some() { Rounding::Up } else { Rounding::Down });
    };
    if low >= high {
        return low.clone();
    }
    let middle = (low + high).checked_div(&Rational::integer(2)).invariant("two is not zero");
    let mut places = 0u32;
    loop {
        let below = middle.with_decimals(places, Rounding::Down);
        let above = middle.with_decimals(places, Rounding::Up);
        let near =
            [below, above].into_iter().filter(|value| is_within(value, Some(low), Some(high)));
        if let Some(value) = near.min_by_key(|value| (value - &middle).abs()) {
            return value;
        }
        places += 1;
    }
}
