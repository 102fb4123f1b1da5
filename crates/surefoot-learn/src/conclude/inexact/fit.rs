//! Effects from records that are not exact: the simplest affine map that can be the true one, with
//! a proved bound on its error.

use std::collections::BTreeSet;

use surefoot_base::exact::{Rational, Row};
use surefoot_base::ids::Id;
use surefoot_base::invariant::Invariant;

use super::band::RecordVectors;
use super::exact_coefficients::{Dropped, Refuted, Settled, settle};
use super::simplest::{KnownCoefficients, Search, finds_consistent, is_all};
use crate::conclude::effect::{Affine, Factors, NumericForm};
use crate::evidence::ActiveColumn;

/// What was recorded of one function: vectors before, and its value afterwards.
pub struct RecordedOutcomes<'a> {
    /// Vectors over the columns, and the value afterwards; sorted.
    pub records: &'a [(Vec<Rational>, Rational)],
    /// By column: how far a recorded value may be from the true one.
    pub errors: &'a [Rational],
    /// How far the recorded value afterwards may be from the true one.
    pub error: Rational,
    /// The column that is the function itself.
    pub own: Option<ActiveColumn>,
    /// Which functions the columns are products of.
    pub(crate) factors: &'a Factors,
    /// Equations `(c, a)` over exact columns that hold wherever the model allows a step.
    pub equations: &'a [Row],
    /// Whether arity or marks allow steps outside the hull of the records: then it matters which
    /// coefficients are settled, even where the bound is zero.
    pub beyond: bool,
}

/// An effect, and how far it can be from the true one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    /// The map to the value after the step.
    pub map: Affine,
    /// The map as an effect.
    pub form: NumericForm,
    /// The largest distance to a recorded value.
    pub residual: Rational,
    /// The largest distance to the true value, wherever the model allows a step; zero where the
    /// effect is the true one.
    pub bound: Rational,
    /// The columns whose coefficients are the true ones.
    pub settled: BTreeSet<ActiveColumn>,
    /// Whether the constant is the true one.
    pub constant_settled: bool,
    /// Why that is so.
    pub stages: Vec<Stage>,
}

/// Weights of records, by number.
pub type Weights = Vec<(usize, Rational)>;

/// Coefficients that settle together, given those of earlier stages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// By inexact column that is not settled yet: weights that bound its coefficient.
    pub spread: Vec<(ActiveColumn, Weights)>,
    /// The records that leave each coefficient only one value.
    pub settled: Vec<Settlement>,
}

/// A coefficient for which one value is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The column; none for the constant.
    pub column: Option<ActiveColumn>,
    /// The value that is left.
    pub value: Rational,
    /// Weights that bound it from above.
    pub above: Weights,
    /// Weights that bound it from below.
    pub below: Weights,
}

/// Why there is no map.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// No affine map is within the errors of all records.
    NotAffine,
    /// None that reads at most the assumed number of functions is.
    Arity,
    /// None that has at most the assumed number of decimals is.
    Decimals,
}

/// The simplest map that is within the errors of all records; where decimals are assumed, the true
/// one as far as they settle it.
///
/// The bound is that of docs/theory.md, "Numbers that are not exact": the largest residual, plus
/// what errors of the columns do to the map, plus the error of the value afterwards; less where the
/// constant alone is open, and zero where everything is settled.
///
/// # Errors
/// There is none of the class.
pub fn fit(
    target: &RecordedOutcomes<'_>,
    effect_arity: Option<usize>,
    decimals: Option<u32>,
) -> Result<Fit, Unfit> {
    let records = RecordVectors::new(target.records);
    let Some(decimals) = decimals else { return target.fit_unsettled(&records, effect_arity) };
    if target.error.is_zero() && !target.beyond {
        // An exact function that exact ones determine: the simplest map has no error, whether or
        // not others could settle.
        let exact = target.fit_unsettled(&records, effect_arity)?;
        if exact.bound.is_zero() {
            return Ok(exact);
        }
    }
    let mut settled = settle(target, &records, decimals, Dropped::Latest)
        .map_err(|Refuted| target.why_refuted(&records, effect_arity))?;
    if !settled.known.is_complete(target) && !target.equations.is_empty() {
        // Equations may spread what a map reads over more functions than an effect arity allows.
        let dropped = if effect_arity.is_some() { Dropped::Nothing } else { Dropped::Earliest };
        settled = settle(target, &records, decimals, dropped)
            .map_err(|Refuted| target.why_refuted(&records, effect_arity))?;
    }
    if settled.known.is_complete(target) {
        let fit = target.fit(settled.known.affine(), settled);
        return if fit.residual <= target.slack(&fit.map) {
            Ok(Fit { bound: Rational::ZERO, ..fit })
        } else {
            Err(target.why_refuted(&records, effect_arity))
        };
    }
    match Search::new(target, &records, &settled.known).simplest(effect_arity) {
        Ok(map) => Ok(target.fit(map, settled)),
        Err(Unfit::NotAffine) => Err(target.why_refuted(&records, effect_arity)),
        Err(unfit) => Err(unfit),
    }
}

/// Whether some affine map may be within the errors of all records.
///
/// For more than eight inexact columns `false` is not said: too many choices of signs would have to
/// be refuted.
pub(crate) fn is_consistent(target: &RecordedOutcomes<'_>) -> bool {
    let records = RecordVectors::new(target.records);
    let inexact = target.errors.iter().filter(|error| !error.is_zero()).count();
    !is_all(inexact) || finds_consistent(target, &records, &mut records.extreme())
}

impl KnownCoefficients {
    fn is_complete(&self, target: &RecordedOutcomes<'_>) -> bool {
        self.columns.len() == target.errors.len() && self.constant.is_some()
    }
}

/// Why a fit has records.
const RECORDS: &str = "a map is fitted to at least one record";

impl RecordedOutcomes<'_> {
    /// How far the values that a map gives may be from what was recorded, if it is the true one.
    pub(crate) fn slack(&self, map: &Affine) -> Rational {
        let terms = map.terms.iter();
        terms.fold(self.error.clone(), |sum, (column, value)| {
            &sum + &(&value.abs() * &self.errors[column.index()])
        })
    }

    /// The largest distance of what a map gives to what was recorded.
    pub(crate) fn residual(&self, map: &Affine) -> Rational {
        let distances = self.records.iter().map(|(x, after)| (&map.at(x) - after).abs());
        distances.max().invariant(RECORDS)
    }

    /// The simplest map, if nothing is assumed about decimals.
    fn fit_unsettled(
        &self,
        records: &RecordVectors<'_>,
        effect_arity: Option<usize>,
    ) -> Result<Fit, Unfit> {
        let map =
            Search::new(self, records, &KnownCoefficients::default()).simplest(effect_arity)?;
        Ok(self.fit(map, Settled::default()))
    }

    /// Why no map has the assumed number of decimals: that there is no map at all differs from that
    /// there is none with this few decimals.
    fn why_refuted(&self, records: &RecordVectors<'_>, effect_arity: Option<usize>) -> Unfit {
        self.fit_unsettled(records, effect_arity).err().unwrap_or(Unfit::Decimals)
    }

    /// The map that leaves the function as it is.
    pub(super) fn unchanged(&self, own: ActiveColumn) -> Fit {
        let map = Affine { constant: Rational::ZERO, terms: vec![(own, Rational::ONE)] };
        self.fit(map, Settled::default())
    }

    fn fit(&self, map: Affine, settled: Settled) -> Fit {
        let residual = self.residual(&map);
        let mut bound = &residual + &self.slack(&map);
        let constant_settled = settled.known.constant.is_some();
        if settled.known.columns.len() == self.errors.len() && !constant_settled {
            bound = bound.min(self.open_constant(&map));
        }
        let columns = settled.known.columns.into_keys().collect();
        Fit {
            form: self.form(&map),
            map,
            residual,
            bound,
            settled: columns,
            constant_settled,
            stages: settled.stages,
        }
    }

    /// How far a map whose coefficients are the true ones can be off: its constant alone may
    /// differ, and the true one is within the slack of all records.
    fn open_constant(&self, map: &Affine) -> Rational {
        let above: Vec<Rational> =
            self.records.iter().map(|(x, after)| after - &map.at(x)).collect();
        let least = above.iter().min().invariant(RECORDS);
        let most = above.iter().max().invariant(RECORDS);
        let slack = self.slack(map);
        (&slack + least).max(&slack - most)
    }

    /// A map as an effect: what is added to the function where that is all, otherwise what it
    /// becomes.
    fn form(&self, map: &Affine) -> NumericForm {
        let own = map
            .terms
            .iter()
            .position(|(column, value)| Some(*column) == self.own && *value == Rational::ONE);
        let Some(place) = own else { return NumericForm::Assign(map.clone()) };
        let mut change = map.clone();
        change.terms.remove(place);
        if change.terms.is_empty() && change.constant.is_zero() {
            NumericForm::Unchanged
        } else {
            NumericForm::Change(change)
        }
    }
}
