//! Numeric effects: for each function the affine map that all observations agree on, in the form a person would write.
//!
//! The joint affine hull of columns and changes says everything (theory, section 9): a set S of columns explains the change of a
//! function iff no direction of the hull moves the change while it leaves S alone. On the affine hull of the observed vectors the
//! map is unique; off it many fit, and any is safe, since the precondition stays on it. The simplest is chosen: unchanged, before
//! a constant change, before the fewest functions; integers before fractions; a change before an assignment.

use crate::exact::{Echelon, Rational, Row};

/// How a function changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumericForm {
    /// It does not.
    Unchanged,
    /// This is added to it.
    Change(Affine),
    /// It becomes this.
    Assign(Affine),
}

/// `constant + Σ coefficient · column`; columns ascending, coefficients not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Affine {
    /// The constant term.
    pub constant: Rational,
    /// Columns (by position among the active ones) and their coefficients.
    pub terms: Vec<(usize, Rational)>,
}

impl Affine {
    /// The value at a vector.
    pub fn at(&self, x: &[Rational]) -> Rational {
        self.terms.iter().fold(self.constant.clone(), |sum, (column, coefficient)| &sum + &(coefficient * &x[*column]))
    }

    /// The map minus one column.
    fn minus(mut self, column: usize) -> Self {
        match self.terms.binary_search_by_key(&column, |(column, _)| *column) {
            Ok(place) => self.terms[place].1 = &self.terms[place].1 - &Rational::ONE,
            Err(place) => self.terms.insert(place, (column, -&Rational::ONE)),
        }
        self.terms.retain(|(_, coefficient)| !coefficient.is_zero());
        self
    }

    fn is_integral(&self) -> bool {
        self.constant.is_integer() && self.terms.iter().all(|(_, coefficient)| coefficient.is_integer())
    }
}

impl NumericForm {
    /// The change at a vector, given the position of the function's own column.
    pub fn change_at(&self, x: &[Rational], own: Option<usize>) -> Option<Rational> {
        match self {
            NumericForm::Unchanged => Some(Rational::ZERO),
            NumericForm::Change(change) => Some(change.at(x)),
            NumericForm::Assign(value) => Some(&value.at(x) - &x[own?]),
        }
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

/// So many sets of columns are tried for one function before the search for the fewest is given up.
const MAX_TRIES: u64 = 20_000;

/// The simplest form. `hull` spans rows `(1, columns, change)`; `own` is the position of the function's own column.
pub fn simplest(hull: &Echelon, own: Option<usize>, arity: Option<usize>) -> Result<NumericForm, Unexplained> {
    let columns = hull.columns() - 2;
    let change = Target { hull, own: None };
    let value = Target { hull, own };
    if change.explained_by(&[]).is_some_and(|affine| affine.constant.is_zero()) {
        return Ok(NumericForm::Unchanged);
    }
    if change.explained_by(&(0..columns).collect::<Vec<_>>()).is_none() {
        return Err(Unexplained::NotAffine);
    }
    let mut tries = 0;
    for size in 0..=arity.unwrap_or(columns).min(columns) {
        tries += binomial(columns, size);
        if tries > MAX_TRIES && arity.is_none() {
            break;
        }
        let mut found: Vec<NumericForm> = Vec::new();
        for_each_subset(columns, size, &mut |subset| {
            if own.is_none_or(|own| !subset.contains(&own)) {
                found.extend(change.explained_by(subset).map(NumericForm::Change));
            }
            if own.is_some() {
                found.extend(value.explained_by(subset).map(NumericForm::Assign));
            }
        });
        // The first of the best: changes before assignments, integers before fractions, then the order of the columns.
        let rank = |form: &NumericForm| match form {
            NumericForm::Unchanged => (false, false),
            NumericForm::Change(affine) => (false, !affine.is_integral()),
            NumericForm::Assign(affine) => (true, !affine.is_integral()),
        };
        if let Some(best) = found.into_iter().min_by_key(rank) {
            return Ok(best);
        }
    }
    if arity.is_some() {
        return Err(Unexplained::Arity);
    }
    // Too many sets to try: the map over the columns that determine all others.
    let all: Vec<usize> = (0..columns).collect();
    change.explained_by(&all).map(NumericForm::Change).ok_or(Unexplained::NotAffine)
}

struct Target<'a> {
    hull: &'a Echelon,
    /// Where given, the target is the value afterwards: change plus own column.
    own: Option<usize>,
}

impl Target<'_> {
    /// The affine map over these columns, if there is one.
    fn explained_by(&self, columns: &[usize]) -> Option<Affine> {
        let last = self.hull.columns() - 1;
        let mut projected = Echelon::new(columns.len() + 2);
        for row in self.hull.rows() {
            let mut entries = Vec::with_capacity(columns.len() + 2);
            entries.push(row.integer(0));
            entries.extend(columns.iter().map(|&column| row.integer(column + 1)));
            entries.push(match self.own {
                Some(own) => row.integer(last) + row.integer(own + 1),
                None => row.integer(last),
            });
            projected.insert(&Row::from_integers(entries));
        }
        solution(&projected, columns)
    }
}

/// In the last column of a subspace of rows `(1, columns, target)`: the target by the others.
fn solution(subspace: &Echelon, columns: &[usize]) -> Option<Affine> {
    let target = subspace.columns() - 1;
    if subspace.pivots().contains(&target) {
        return None;
    }
    // The target is no pivot, so its equation is the last of the null space and mentions it.
    let equation = subspace.null_space().pop()?;
    let scale = -&equation.entry(target);
    let coefficient = |index: usize| equation.entry(index).checked_div(&scale);
    let terms = columns.iter().enumerate().map(|(index, &column)| Some((column, coefficient(index + 1)?)));
    let terms: Vec<_> = terms.collect::<Option<_>>()?;
    Some(Affine { constant: coefficient(0)?, terms: terms.into_iter().filter(|(_, value)| !value.is_zero()).collect() })
}

/// All sets of the given size that explain the change, or the value afterwards, with the change they give.
pub fn supports(hull: &Echelon, own: Option<usize>, size: usize) -> Vec<(Vec<usize>, Affine)> {
    let columns = hull.columns() - 2;
    let mut found = Vec::new();
    for_each_subset(columns, size.min(columns), &mut |subset| {
        found.extend(Target { hull, own: None }.explained_by(subset).map(|change| (subset.to_vec(), change)));
        if let Some(own) = own {
            let value = Target { hull, own: Some(own) }.explained_by(subset);
            found.extend(value.map(|value| (subset.to_vec(), value.minus(own))));
        }
    });
    found
}

/// Visits all subsets of `0..among` of a size, in lexicographic order.
pub fn for_each_subset(among: usize, size: usize, visit: &mut impl FnMut(&[usize])) {
    let mut subset: Vec<usize> = (0..size).collect();
    if size > among {
        return;
    }
    loop {
        visit(&subset);
        let Some(wheel) = (0..size).rev().find(|&wheel| subset[wheel] < among - size + wheel) else { return };
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
