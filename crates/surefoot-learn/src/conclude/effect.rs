//! Numeric effects: for each function the affine map that all observations agree on, in the form a
//! person would write.
//!
//! The joint affine hull of columns and a target says everything (docs/theory.md, "Effects"): a set
//! S of columns explains the target iff no direction of the hull moves the target while it leaves S
//! alone. On the affine hull of the observed vectors the map is unique; off it many fit, and any is
//! safe, since the precondition stays on it. The simplest is chosen: unchanged, before a constant
//! change, before the fewest functions; integers before fractions; a change before an assignment.

use std::collections::BTreeSet;

use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{Id, IdVec, first_ids};

use crate::evidence::{ActiveColumn, LiftedFunctionId};

/// How a function changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumericForm {
    /// The value stays as it is.
    Unchanged,
    /// This is added to it.
    Change(Affine),
    /// The value becomes the value of this map.
    Assign(Affine),
    /// It is multiplied by this.
    Scale(Rational),
}

/// `constant + Σ coefficient · column`; columns ascending, coefficients not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Affine {
    /// The constant term of the linear formula.
    pub constant: Rational,
    /// Columns and their coefficients.
    pub terms: Vec<(ActiveColumn, Rational)>,
}

impl Affine {
    /// The map that is zero everywhere.
    pub(crate) fn zero() -> Self {
        Affine { constant: Rational::ZERO, terms: Vec::new() }
    }

    /// From a constant and a coefficient for each column.
    pub(crate) fn from_coefficients(
        constant: Rational,
        coefficients: impl IntoIterator<Item = Rational>,
    ) -> Self {
        let terms = coefficients
            .into_iter()
            .enumerate()
            .map(|(index, coefficient)| (ActiveColumn::from_index(index), coefficient));
        let terms = terms.filter(|(_, coefficient)| !coefficient.is_zero()).collect();
        Affine { constant, terms }
    }

    /// The value at a vector.
    pub fn at(&self, x: &[Rational]) -> Rational {
        self.terms.iter().fold(self.constant.clone(), |sum, (column, coefficient)| {
            &sum + &(coefficient * &x[column.index()])
        })
    }

    /// The value at a homogeneous row `(t, t·x, ...)`, times `t`.
    pub(crate) fn at_row(&self, row: &Row) -> Rational {
        let constant = &self.constant * &row.entry(0);
        self.terms.iter().fold(constant, |sum, (column, coefficient)| {
            &sum + &(coefficient * &row.entry(column.entry()))
        })
    }

    /// The map minus one column.
    fn minus(mut self, column: ActiveColumn) -> Self {
        match self.terms.binary_search_by_key(&column, |(column, _)| *column) {
            Ok(place) => self.terms[place].1 = &self.terms[place].1 - &Rational::ONE,
            Err(place) => self.terms.insert(place, (column, -&Rational::ONE)),
        }
        self.terms.retain(|(_, coefficient)| !coefficient.is_zero());
        self
    }

    /// The equation that two maps agree, unless they always do.
    pub(crate) fn difference(&self, other: &Affine, columns: usize) -> Option<Row> {
        let mut entries = vec![Rational::ZERO; columns + 1];
        entries[0] = &self.constant - &other.constant;
        for (column, value) in &self.terms {
            entries[column.entry()] += value;
        }
        for (column, value) in &other.terms {
            entries[column.entry()] += &-value;
        }
        let row = Row::direction(&entries);
        (!row.is_zero()).then_some(row)
    }

    fn is_integral(&self) -> bool {
        self.constant.is_integer()
            && self.terms.iter().all(|(_, coefficient)| coefficient.is_integer())
    }
}

impl NumericForm {
    /// The change at a vector, given the function's own column.
    pub fn change_at(&self, x: &[Rational], own: Option<ActiveColumn>) -> Option<Rational> {
        match self {
            NumericForm::Unchanged => Some(Rational::ZERO),
            NumericForm::Change(change) => Some(change.at(x)),
            NumericForm::Assign(value) => Some(&value.at(x) - &x[own?.index()]),
            NumericForm::Scale(factor) => Some(&(factor - &Rational::ONE) * &x[own?.index()]),
        }
    }

    /// Among forms that read equally many columns, the least is the simplest: changes before
    /// assignments, integers before fractions.
    fn rank(&self) -> (bool, bool) {
        match self {
            NumericForm::Unchanged | NumericForm::Scale(_) => (false, false),
            NumericForm::Change(affine) => (false, !affine.is_integral()),
            NumericForm::Assign(affine) => (true, !affine.is_integral()),
        }
    }

    /// The change as a map, given the function's own column; `None` if the function is no column
    /// and its change cannot be determined.
    pub(crate) fn change(&self, own: Option<ActiveColumn>) -> Option<Affine> {
        Some(match self {
            NumericForm::Unchanged => Affine::zero(),
            NumericForm::Change(change) => change.clone(),
            NumericForm::Assign(value) => value.clone().minus(own?),
            NumericForm::Scale(factor) => {
                let rest = factor - &Rational::ONE;
                let terms = Some((own?, rest)).filter(|(_, rest)| !rest.is_zero());
                Affine { constant: Rational::ZERO, terms: terms.into_iter().collect() }
            }
        })
    }
}

/// Why no map explains a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unexplained {
    /// No affine map at all.
    NotAffine,
    /// None that reads at most the assumed number of functions.
    Arity,
}

/// Which functions the columns are products of.
pub(crate) struct Factors {
    /// By column: the factors, each once, ascending.
    by_column: IdVec<ActiveColumn, Vec<LiftedFunctionId>>,
    /// All functions that occur, ascending.
    functions: Vec<LiftedFunctionId>,
}

impl Factors {
    pub fn new<'f>(columns: impl IntoIterator<Item = &'f Vec<LiftedFunctionId>>) -> Self {
        let by_column: IdVec<ActiveColumn, Vec<LiftedFunctionId>> = columns
            .into_iter()
            .map(|factors| factors.iter().copied().collect::<BTreeSet<_>>().into_iter().collect())
            .collect();
        let functions =
            by_column.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        Factors { by_column, functions }
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.by_column.len()
    }

    /// The place of the target in rows `(1, columns, target)`.
    pub fn target(&self) -> usize {
        self.columns() + 1
    }

    /// How many functions these columns read.
    pub fn count(&self, columns: impl IntoIterator<Item = ActiveColumn>) -> usize {
        columns
            .into_iter()
            .flat_map(|column| &self.by_column[column])
            .collect::<BTreeSet<_>>()
            .len()
    }

    /// cols(S) for every set S of `arity` functions, each set of columns once and none within
    /// another; all columns where there are no more functions than that. `None` when there are more
    /// than `most` sets.
    pub fn sets(&self, arity: usize, most: u64) -> Option<Vec<Vec<ActiveColumn>>> {
        if arity >= self.functions.len() {
            return Some(vec![self.by_column.ids().collect()]);
        }
        if binomial(self.functions.len(), arity) > most {
            return None;
        }
        let mut sets: BTreeSet<Vec<ActiveColumn>> = BTreeSet::new();
        for_each_subset(self.functions.len(), arity, &mut |subset| {
            let chosen: Vec<LiftedFunctionId> =
                subset.iter().map(|&place| self.functions[place]).collect();
            sets.insert(
                self.by_column
                    .ids()
                    .filter(|&column| {
                        self.by_column[column].iter().all(|function| chosen.contains(function))
                    })
                    .collect(),
            );
        });
        // Where each function is a column, sets of equal size give no column set within another.
        let plain = self.by_column.iter().filter(|factors| factors.len() == 1).count()
            == self.functions.len();
        if !plain {
            let all: Vec<Vec<ActiveColumn>> = sets.iter().cloned().collect();
            sets.retain(|one| !all.iter().any(|other| is_proper_subset(one, other)));
        }
        Some(sets.into_iter().collect())
    }
}

/// Whether a set of columns is a part of another, which is ascending, but not all of it.
fn is_proper_subset(one: &[ActiveColumn], other: &[ActiveColumn]) -> bool {
    one.len() < other.len() && one.iter().all(|column| other.binary_search(column).is_ok())
}

/// At most this many sets of columns are tried for one function before the search for the fewest is
/// given up.
const MAX_TRIES: u64 = 20_000;

/// At most this many sets of functions are examined for one function under an effect arity; with
/// more, the assumption is not used.
pub(crate) const MAX_SUPPORTS: u64 = 20_000;

/// The observations of the effect on one function that does not alias another.
pub(crate) struct SeenEffect<'a> {
    /// Rows `(1, columns, change)`; none where a change means nothing.
    pub change: Option<&'a Echelon>,
    /// Rows `(1, columns, value after)`; none where that is not known.
    pub after: Option<&'a Echelon>,
    /// The function's own column.
    pub own: Option<ActiveColumn>,
    pub factors: &'a Factors,
}

impl SeenEffect<'_> {
    fn columns(&self) -> usize {
        self.factors.columns()
    }

    /// Whether some affine map explains it, as a change or as a value: of a function that is no
    /// column, a map may give the value and none the change.
    pub fn is_affine(&self) -> bool {
        let explains = |hull: &Echelon| !hull.pivots().contains(&self.factors.target());
        [self.change, self.after].into_iter().flatten().any(explains)
    }

    /// Whether it never changes.
    pub fn is_unchanged(&self) -> bool {
        let target = self.factors.target();
        self.change.is_some_and(|hull| hull.rows().iter().all(|row| row.signum(target) == 0))
    }

    /// The simplest form that explains the observations.
    pub fn simplest(&self, arity: Option<usize>) -> Result<NumericForm, Unexplained> {
        if self.is_unchanged() {
            return Ok(NumericForm::Unchanged);
        }
        if !self.is_affine() {
            return Err(Unexplained::NotAffine);
        }
        if let Some(form) = self.fewest_columns(arity) {
            return Ok(form);
        }
        let all: Vec<ActiveColumn> = first_ids(self.columns()).collect();
        let Some(arity) = arity else {
            // Too many sets to try: the map over the columns that determine all others.
            return self.over(&all).ok_or(Unexplained::NotAffine);
        };
        match self.factors.sets(arity, MAX_SUPPORTS) {
            Some(sets) => {
                sets.iter().find_map(|columns| self.over(columns)).ok_or(Unexplained::Arity)
            }
            None => self.over(&all).ok_or(Unexplained::NotAffine),
        }
    }

    /// The form that reads the fewest columns, among those that read at most this many functions;
    /// `None` when none was found in time.
    fn fewest_columns(&self, arity: Option<usize>) -> Option<NumericForm> {
        let columns = self.columns();
        let mut tries = 0u64;
        for size in 0..=columns {
            tries = tries.saturating_add(binomial(columns, size));
            if tries > MAX_TRIES {
                return None;
            }
            let mut found: Vec<NumericForm> = Vec::new();
            for_each_subset(columns, size, &mut |places| {
                let subset: Vec<ActiveColumn> =
                    places.iter().map(|&place| ActiveColumn::from_index(place)).collect();
                if arity.is_some_and(|arity| self.factors.count(subset.iter().copied()) > arity) {
                    return;
                }
                if let Some(hull) = self.change
                    && self.own.is_none_or(|own| !subset.contains(&own))
                {
                    found.extend(explained(hull, &subset).map(NumericForm::Change));
                }
                if let Some(hull) = self.after {
                    found.extend(explained(hull, &subset).map(NumericForm::Assign));
                }
            });
            // The first of the best, in the order of the columns.
            if let Some(best) = found.into_iter().min_by_key(NumericForm::rank) {
                return Some(best);
            }
        }
        None
    }

    /// A form over these columns, if there is one.
    fn over(&self, columns: &[ActiveColumn]) -> Option<NumericForm> {
        let change = self.change.and_then(|hull| explained(hull, columns)).map(NumericForm::Change);
        change.or_else(|| {
            self.after.and_then(|hull| explained(hull, columns)).map(NumericForm::Assign)
        })
    }

    /// The equations of the set on which all maps that the evidence leaves possible agree with the
    /// given form.
    pub fn determined(&self, form: &NumericForm, arity: Option<usize>) -> Vec<Row> {
        let columns = self.columns();
        let Some(hull) = self.change.or(self.after) else { return Vec::new() };
        let affine =
            Echelon::span(columns + 1, hull.rows().iter().map(|row| entries_at(row, 0..=columns)));
        let supports = arity.and_then(|arity| self.factors.sets(arity, MAX_SUPPORTS));
        let Some(supports) =
            supports.filter(|sets| sets.first().is_none_or(|set| set.len() < columns))
        else {
            return affine.null_space();
        };
        // All of these hold on the affine hull of the observations, so there are no more than
        // define it.
        let most = columns + 1 - affine.rank();
        let mut equations = Echelon::new(columns + 1);
        let value = match form {
            NumericForm::Assign(value) => Some(value.clone()),
            _ => None,
        };
        let change = form.change(self.own);
        for subset in supports {
            if equations.rank() == most {
                break;
            }
            let by_change = self.change.and_then(|hull| explained(hull, &subset)).map(|map| {
                change
                    .as_ref()
                    .map_or_else(|| Some(Err(())), |form| form.difference(&map, columns).map(Ok))
            });
            let by_value = self.after.and_then(|hull| explained(hull, &subset)).map(|map| {
                match (&value, &change, self.own) {
                    (Some(form), ..) => form.difference(&map, columns).map(Ok),
                    (None, Some(form), Some(own)) => {
                        form.difference(&map.minus(own), columns).map(Ok)
                    }
                    _ => Some(Err(())),
                }
            });
            for difference in [by_change, by_value].into_iter().flatten() {
                let kept: Vec<usize> =
                    std::iter::once(0).chain(subset.iter().map(|column| column.entry())).collect();
                let rows = hull.rows().iter().map(|row| entries_at(row, kept.iter().copied()));
                let shadow = Echelon::span(kept.len(), rows);
                for equation in shadow.null_space() {
                    let mut entries = vec![0.into(); columns + 1];
                    kept.iter()
                        .enumerate()
                        .for_each(|(index, &place)| entries[place] = equation.integer(index));
                    equations.insert(&Row::from_integers(entries));
                }
                match difference {
                    None => {}
                    Some(Ok(row)) => drop(equations.insert(&row)),
                    // One is a change, the other a value of a function that is no column: they
                    // agree where both were observed.
                    Some(Err(())) => return affine.null_space(),
                }
            }
        }
        equations.rows().to_vec()
    }
}

/// A row of the entries at some places of another one.
pub(crate) fn entries_at(row: &Row, places: impl IntoIterator<Item = usize>) -> Row {
    Row::from_integers(places.into_iter().map(|place| row.integer(place)).collect())
}

/// The affine map over these columns that explains the last column of rows `(1, columns, target)`,
/// if there is one.
pub(crate) fn explained(hull: &Echelon, columns: &[ActiveColumn]) -> Option<Affine> {
    let last = hull.columns() - 1;
    let mut projected = Echelon::new(columns.len() + 2);
    for row in hull.rows() {
        let mut entries = Vec::with_capacity(columns.len() + 2);
        entries.push(row.integer(0));
        entries.extend(columns.iter().map(|&column| row.integer(column.entry())));
        entries.push(row.integer(last));
        projected.insert(&Row::from_integers(entries));
    }
    let target = columns.len() + 1;
    if projected.pivots().contains(&target) {
        return None;
    }
    // The target is no pivot, so its equation is the last of the null space and mentions it.
    let equation = projected.null_space().pop()?;
    let scale = -&equation.entry(target);
    let mut terms = Vec::new();
    for (index, &column) in columns.iter().enumerate() {
        let coefficient = equation.entry(index + 1).checked_div(&scale)?;
        if !coefficient.is_zero() {
            terms.push((column, coefficient));
        }
    }
    Some(Affine { constant: equation.entry(0).checked_div(&scale)?, terms })
}

/// Visits all subsets of `0..among` of a size, in lexicographic order.
pub fn for_each_subset(among: usize, size: usize, visit: &mut impl FnMut(&[usize])) {
    let mut subset: Vec<usize> = (0..size).collect();
    if size > among {
        return;
    }
    loop {
        visit(&subset);
        let Some(wheel) = (0..size).rev().find(|&wheel| subset[wheel] < among - size + wheel)
        else {
            return;
        };
        subset[wheel] += 1;
        for later in wheel + 1..size {
            subset[later] = subset[later - 1] + 1;
        }
    }
}

/// How many subsets there are; saturates.
pub fn binomial(among: usize, size: usize) -> u64 {
    let mut count: u64 = 1;
    for step in 0..size as u64 {
        count = count.saturating_mul((among as u64).saturating_sub(step)) / (step + 1);
    }
    count
}
