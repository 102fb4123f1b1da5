//! Explanations that are exact: an affine map of more columns, or of rounded numbers, that fits
//! every step, over the rationals.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;
use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::IdVec;
use surefoot_base::pddl::Numbers;

use super::subject::ActionObservations;
use crate::evidence::{LiftedFunctionId, Monomial, Observation};
use crate::workflow::audit::alone;

/// What explains the changes of a function exactly, in every step where they are its own and known.
pub struct ExactExplanation {
    /// What the map reads besides the columns of the class.
    pub products: Vec<Monomial>,
    /// To how many decimals numbers are rounded first.
    pub decimals: Option<u32>,
    /// Whether it takes all products of two functions together.
    pub together: bool,
    /// How many steps, which change nothing at all, are left out.
    pub except: usize,
}

/// A map counts as an explanation if it fits this many more different steps than it has
/// coefficients.
const SURPLUS: usize = 3;

/// At most this many products are tried.
const PRODUCTS: usize = 600;

/// At most this many columns are tried together.
const TOGETHER: usize = 80;

/// Numbers are rounded to at most this many decimals.
const DECIMALS: u32 = 9;

/// What explains functions that the class does not explain.
pub fn explanations(
    seen: &ActionObservations<'_>,
    functions: &[LiftedFunctionId],
) -> BTreeMap<LiftedFunctionId, ExactExplanation> {
    let mut found = BTreeMap::new();
    let tables: Vec<ChangeTable> =
        functions.iter().filter_map(|&function| ChangeTable::of(seen, function)).collect();
    let tables: Vec<ChangeTable> =
        tables.into_iter().filter(|table| !table.is_explained()).collect();
    for table in &tables {
        if let Some(product) = table.product() {
            found.insert(
                table.function,
                ExactExplanation {
                    products: vec![product],
                    decimals: None,
                    together: false,
                    except: 0,
                },
            );
        }
    }
    if found.len() < tables.len() {
        for (function, explanation) in rounding(&tables).unwrap_or_default() {
            found.entry(function).or_insert(explanation);
        }
    }
    for table in &tables {
        let products: Vec<Monomial> =
            table.candidates().into_iter().filter(|product| product.0.len() == 2).collect();
        let products: Vec<Monomial> =
            products.into_iter().filter(|product| product.0[0] != product.0[1]).collect();
        let columns = [&table.columns[..], &products].concat();
        if !found.contains_key(&table.function)
            && columns.len() <= TOGETHER
            && table.fits(&columns, SURPLUS)
        {
            found.insert(
                table.function,
                ExactExplanation { products, decimals: None, together: true, except: 0 },
            );
        }
    }
    found
}

/// The most decimals that explain all functions, each with at most one product, where all numbers
/// are nearly such decimals.
fn rounding(tables: &[ChangeTable]) -> Option<BTreeMap<LiftedFunctionId, ExactExplanation>> {
    (0..=DECIMALS).rev().find_map(|decimals| {
        tables.iter().map(|table| Some((table.function, table.once_rounded(decimals)?))).collect()
    })
}

type ColumnValues = IdVec<LiftedFunctionId, Option<Rational>>;

/// The changes of one function, with what they may depend on.
pub struct ChangeTable {
    pub function: LiftedFunctionId,
    /// By row: its place among the steps that were looked at.
    pub rows: Vec<usize>,
    /// The columns of the class that are undefined in no row.
    pub columns: Vec<Monomial>,
    /// By row: the values before.
    pub before: Vec<ColumnValues>,
    /// By row: the change.
    pub change: Vec<Rational>,
    /// By row: the value after.
    pub after: Vec<Rational>,
}

impl ChangeTable {
    /// The steps in which the change of a function is its own, and known, as are all columns of the
    /// class.
    pub fn of(seen: &ActionObservations<'_>, function: LiftedFunctionId) -> Option<ChangeTable> {
        let all = ChangeTable::with_unknown_columns(seen, function)?;
        Some(all.with_values_of(all.columns.iter())).filter(|table| !table.rows.is_empty())
    }

    /// The steps in which the change of a function is its own, and known. In some of them, columns
    /// may be unknown.
    pub fn with_unknown_columns(
        seen: &ActionObservations<'_>,
        function: LiftedFunctionId,
    ) -> Option<ChangeTable> {
        let vocabulary = seen.vocabulary();
        let (rows, columns, before, change, after) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut table = ChangeTable { function, rows, columns, before, change, after };
        let mut patterns = BTreeMap::new();
        for (place, row) in seen.rows.iter().enumerate() {
            let Observation { pattern, before, after, .. } = row;
            let own = *patterns
                .entry(pattern)
                .or_insert_with(|| alone(pattern, &vocabulary.functions, function).is_some());
            if let (true, Some(first), Some(last)) = (own, &before[function], &after[function]) {
                table.rows.push(place);
                table.change.push(last - first);
                table.before.push(before.clone());
                table.after.push(last.clone());
            }
        }
        let rows = &table.rows;
        let columns = vocabulary.columns.iter().filter(|column| {
            let mut factors = column.0.iter();
            factors
                .all(|&factor| rows.iter().all(|&row| !seen.rows[row].is_undefined_before(factor)))
        });
        table.columns = columns.cloned().collect();
        (!table.change.is_empty()).then_some(table)
    }

    /// The rows in which some columns have values.
    pub fn with_values_of<'c>(&self, columns: impl Iterator<Item = &'c Monomial>) -> ChangeTable {
        let factors: BTreeSet<LiftedFunctionId> =
            columns.flat_map(|column| column.0.iter().copied()).collect();
        self.only(|row| factors.iter().all(|&factor| self.before[row][factor].is_some()))
    }

    /// The table without some of its rows, given in ascending order.
    pub fn without(&self, odd: &[usize]) -> ChangeTable {
        self.only(|row| odd.binary_search(&row).is_err())
    }

    fn only(&self, keeps: impl Fn(usize) -> bool) -> ChangeTable {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&row| keeps(row)).collect();
        ChangeTable {
            function: self.function,
            rows: kept.iter().map(|&row| self.rows[row]).collect(),
            columns: self.columns.clone(),
            before: kept.iter().map(|&row| self.before[row].clone()).collect(),
            change: kept.iter().map(|&row| self.change[row].clone()).collect(),
            after: kept.iter().map(|&row| self.after[row].clone()).collect(),
        }
    }

    /// Whether an affine map of the columns of the class gives every change.
    pub fn is_explained(&self) -> bool {
        self.fits(&self.columns, 0)
    }

    /// What might be read besides the columns of the class: functions, products of two, and last
    /// squares. Only what varies matters.
    pub fn candidates(&self) -> Vec<Monomial> {
        let Some(first) = self.before.first() else { return Vec::new() };
        let functions: Vec<LiftedFunctionId> = first
            .pairs()
            .map(|(function, _)| function)
            .filter(|&function| {
                first[function].is_some()
                    && self.before.iter().all(|row| row[function].is_some())
                    && self.before.iter().any(|row| row[function] != first[function])
            })
            .collect();
        let singles = functions.iter().map(|&function| vec![function]);
        let pairs = functions.iter().enumerate().flat_map(|(place, &one)| {
            functions[place + 1..].iter().map(move |&other| vec![one, other])
        });
        let squares = functions.iter().map(|&function| vec![function, function]);
        let all = singles.chain(pairs).chain(squares).map(Monomial);
        all.filter(|monomial| !self.columns.contains(monomial)).take(PRODUCTS).collect()
    }

    /// The first of these that, as one more column, explains every change.
    pub fn product(&self) -> Option<Monomial> {
        let mut columns = self.columns.clone();
        self.candidates().into_iter().find(|product| {
            columns.truncate(self.columns.len());
            columns.push(product.clone());
            self.fits(&columns, SURPLUS)
        })
    }

    /// The value of a product before a step; all its factors have one.
    pub fn value(&self, row: usize, product: &Monomial) -> Rational {
        let factors = product.0.iter().filter_map(|&factor| self.before[row][factor].as_ref());
        factors.fold(Rational::ONE, |value, factor| &value * factor)
    }

    /// Whether an affine map of the columns gives every change, with this many more different steps
    /// than the map needs.
    pub fn fits(&self, columns: &[Monomial], surplus: usize) -> bool {
        let mut span = Echelon::new(columns.len() + 2);
        let mut distinct = FxHashSet::default();
        for (row, change) in self.change.iter().enumerate() {
            let vector: Vec<Rational> = columns
                .iter()
                .map(|column| self.value(row, column))
                .chain([change.clone()])
                .collect();
            let point = Row::point(&vector);
            if span.insert(&point) && span.pivots().contains(&(columns.len() + 1)) {
                return false;
            }
            distinct.insert(point);
        }
        distinct.len() >= span.rank() + surplus
    }

    /// What explains every change once numbers are rounded, with at most one product.
    fn once_rounded(&self, decimals: u32) -> Option<ExactExplanation> {
        let rounded = self.rounded(decimals)?;
        let products = match rounded.fits(&rounded.columns, 0) {
            true => Vec::new(),
            false => vec![rounded.product()?],
        };
        Some(ExactExplanation { products, decimals: Some(decimals), together: false, except: 0 })
    }

    /// The table with rounded numbers; `None` unless all numbers are nearly such decimals, and some
    /// are not.
    fn rounded(&self, decimals: u32) -> Option<ChangeTable> {
        // A hundredth of the last decimal: tails of floating point are that small, readings with
        // that precision are not.
        let near = Rational::new(1, 10_i64.checked_pow(decimals + 2)?)?;
        let decimal = DecimalGrid { decimals, unit: 10_i64.checked_pow(decimals)?.into(), near };
        let mut before = Vec::new();
        for row in &self.before {
            let values: Option<Vec<Option<Rational>>> = row
                .iter()
                .map(|value| {
                    value.as_ref().map_or(Some(None), |value| decimal.nearest(value).map(Some))
                })
                .collect();
            before.push(ColumnValues::from(values?));
        }
        let after: Vec<Rational> =
            self.after.iter().map(|value| decimal.nearest(value)).collect::<Option<_>>()?;
        let moved = before != self.before || after != self.after;
        let change = before
            .iter()
            .zip(&after)
            .map(|(row, after)| Some(after - row[self.function].as_ref()?));
        let change: Vec<Rational> = change.collect::<Option<_>>()?;
        let (rows, columns) = (self.rows.clone(), self.columns.clone());
        moved.then(|| ChangeTable { function: self.function, rows, columns, before, change, after })
    }
}

/// Numbers with this many decimals.
struct DecimalGrid {
    decimals: u32,
    /// What makes integers of them.
    unit: Rational,
    /// How far other numbers may be from them.
    near: Rational,
}

impl DecimalGrid {
    /// The one of them that a number nearly is, if it nearly is one.
    fn nearest(&self, value: &Rational) -> Option<Rational> {
        if (value * &self.unit).is_integer() {
            return Some(value.clone());
        }
        let rounded = Numbers::Decimals(self.decimals).read(&value.to_decimal()?).ok()?;
        ((value - &rounded).abs() <= self.near).then_some(rounded)
    }
}
