//! Rays: the directions that monotone marks say the real precondition is closed under
//! (docs/theory.md, "Monotone marks").

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::Monotone;
use surefoot_base::exact::{Rational, Row};
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::invariant::Invariant;

use crate::evidence::{ActiveColumn, ActiveColumns, ColumnId, LiftedFunctionId, Vocabulary};

/// Why marks cannot be taken into account.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnfitMark<C = ColumnId, F = LiftedFunctionId> {
    /// A marked function occurs squared in a column: what moves it is no straight line.
    Squared {
        /// The function whose mark it is.
        function: F,
        /// The column that would change.
        column: C,
    },
    /// A marked function is a factor of a column whose other factors are no column, so that nobody
    /// knows how far the product moves.
    NotClosed {
        /// The function whose mark it is.
        function: F,
        /// The column that would change.
        column: C,
    },
}

/// Columns that are products of some kind of functions, factors ascending, and marks on some of
/// them.
pub struct Marked<'a, C, F> {
    products: IdVec<C, &'a [F]>,
    marks: BTreeMap<C, Monotone>,
}

impl<'a, C: Id + Ord, F: Ord + Copy> Marked<'a, C, F> {
    /// Columns, and marks by column. Marks on what is no column bound nothing.
    pub fn new(products: IdVec<C, &'a [F]>, mut marks: BTreeMap<C, Monotone>) -> Self {
        marks.retain(|&column, _| products.get(column).is_some());
        Marked { products, marks }
    }

    /// A mark on a column that is a function is about the function; one on a product is about that
    /// column.
    fn functions(&self) -> Vec<(F, Monotone)> {
        self.marks
            .iter()
            .filter_map(|(&column, &mark)| match self.products[column] {
                [function] => Some((*function, mark)),
                _ => None,
            })
            .collect()
    }

    /// Whether the marks make sense.
    pub fn check(&self) -> Result<(), UnfitMark<C, F>> {
        let known: BTreeSet<&[F]> = self.products.iter().copied().collect();
        for (function, _) in self.functions() {
            for (column, product) in
                self.products.pairs().filter(|(_, product)| product.contains(&function))
            {
                let rest = without(product, function);
                if rest.contains(&function) {
                    return Err(UnfitMark::Squared { function, column });
                }
                if !rest.is_empty() && !known.contains(&rest[..]) {
                    return Err(UnfitMark::NotClosed { function, column });
                }
            }
        }
        Ok(())
    }

    /// The directions that the marks say the real precondition is closed under, sorted, each once;
    /// none where the marks make no sense.
    ///
    /// Moving a function f moves every column that contains it, by the value of its other factors:
    /// at an observed z the ray has the value of m/f at every column m that contains f. Moving
    /// several functions at once adds, for each set V of them, the derivative with respect to all
    /// of V. Every half-space that contains the observations and all that the marks reach from them
    /// contains these rays, and their cone with the observations is the strongest set with that
    /// property.
    pub fn rays(&self, points: &[Vec<Rational>]) -> Vec<Vec<Rational>> {
        if self.marks.is_empty() || self.check().is_err() {
            return Vec::new();
        }
        let columns = self.products.len();
        let known: BTreeMap<&[F], C> =
            self.products.pairs().map(|(column, &product)| (product, column)).collect();
        let mut rows: BTreeSet<Row> = BTreeSet::new();
        for (&column, mark) in
            self.marks.iter().filter(|(column, _)| self.products[**column].len() > 1)
        {
            let mut ray = vec![Rational::ZERO; columns];
            ray[column.index()] = Rational::ONE;
            add_rays(&mut rows, &ray, mark.signs());
        }
        for (moved, signs) in self.moved_together() {
            // The columns that move, each with the column whose value says how far; without one, it
            // moves by 1.
            let mut moves: Vec<(C, Option<C>)> = Vec::new();
            for (column, product) in self.products.pairs() {
                let rest = (moved.iter()).try_fold(product.to_vec(), |rest, function| {
                    rest.contains(function).then(|| without(&rest, *function))
                });
                match rest {
                    None => {}
                    Some(rest) if rest.is_empty() => moves.push((column, None)),
                    Some(rest) => {
                        let by = known.get(&rest[..]).copied();
                        moves.push((
                            column,
                            Some(
                                by.invariant(
                                    "the columns are closed under removing marked factors",
                                ),
                            ),
                        ));
                    }
                }
            }
            let constant = moves.iter().all(|(_, by)| by.is_none());
            for point in points.iter().take(if constant { 1 } else { usize::MAX }) {
                let mut ray = vec![Rational::ZERO; columns];
                for &(column, by) in &moves {
                    ray[column.index()] = by.map_or(Rational::ONE, |by| point[by.index()].clone());
                }
                add_rays(&mut rows, &ray, &signs);
            }
        }
        rows.iter().map(|row| (1..row.len()).map(|index| row.entry(index)).collect()).collect()
    }

    /// The sets of marked functions that some column contains, each with the signs that its
    /// derivative has.
    fn moved_together(&self) -> Vec<(Vec<F>, Vec<i64>)> {
        let marked = self.functions();
        let mut sets: BTreeSet<Vec<F>> = BTreeSet::new();
        for factors in &self.products {
            let mine: Vec<F> = marked
                .iter()
                .map(|(function, _)| *function)
                .filter(|function| factors.contains(function))
                .collect();
            for bits in 1u64..1 << mine.len().min(20) {
                let chosen = mine.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
                sets.insert(chosen.map(|(_, &function)| function).collect());
            }
        }
        sets.into_iter()
            .map(|set| {
                let signs = derivative_signs(&marked, &set);
                (set, signs)
            })
            .collect()
    }
}

/// Adds a direction with each of these signs, unless it is zero.
fn add_rays(rows: &mut BTreeSet<Row>, ray: &[Rational], signs: &[i64]) {
    for &sign in signs {
        let ray: Vec<Rational> = ray.iter().map(|value| value * &Rational::integer(sign)).collect();
        let row = Row::ray(&ray);
        if !row.is_zero() {
            rows.insert(row);
        }
    }
}

/// The signs that the derivative with respect to a set of marked functions has, ascending.
fn derivative_signs<F: PartialEq>(marked: &[(F, Monotone)], set: &[F]) -> Vec<i64> {
    let mut signs = BTreeSet::from([1]);
    for (_, mark) in marked.iter().filter(|(function, _)| set.contains(function)) {
        signs = signs
            .iter()
            .flat_map(|sign| mark.signs().iter().map(move |other| sign * other))
            .collect();
    }
    signs.into_iter().collect()
}

/// Whether some ray moves a column, so that nothing bounds it in that direction.
pub(crate) fn is_moved(column: ActiveColumn, rays: &[Vec<Rational>]) -> bool {
    rays.iter().any(|ray| !ray[column.index()].is_zero())
}

/// A product without one occurrence of a factor.
fn without<F: Ord + Copy>(factors: &[F], factor: F) -> Vec<F> {
    let place = factors.iter().position(|&other| other == factor);
    factors
        .iter()
        .enumerate()
        .filter(|(index, _)| Some(*index) != place)
        .map(|(_, &other)| other)
        .collect()
}

/// Whether the marks of some columns make sense in a vocabulary.
pub fn check_marks(
    vocabulary: &Vocabulary,
    marks: &BTreeMap<ColumnId, Monotone>,
) -> Result<(), UnfitMark> {
    let products = vocabulary.columns.iter().map(|column| &column.0[..]).collect();
    Marked::new(products, marks.clone()).check()
}

/// The rays of marks on columns of a vocabulary, over those of them that are active. Columns that
/// have no value in some observed state are not active, and then nothing is that contains their
/// factors: so all that the marks need is active, or nothing.
pub fn rays(
    vocabulary: &Vocabulary,
    columns: &ActiveColumns,
    marks: Option<&BTreeMap<ColumnId, Monotone>>,
    points: &[Vec<Rational>],
) -> Vec<Vec<Rational>> {
    let Some(marks) = marks.filter(|marks| {
        check_marks(vocabulary, marks).is_ok()
            && marks.keys().all(|&column| vocabulary.columns.get(column).is_some())
    }) else {
        return Vec::new();
    };
    let marks: BTreeMap<ActiveColumn, Monotone> = marks
        .iter()
        .filter_map(|(marked, mark)| Some((columns.position(|column| column == marked)?, *mark)))
        .collect();
    Marked::new(columns.iter().map(|&column| &vocabulary.columns[column].0[..]).collect(), marks)
        .rays(points)
}
