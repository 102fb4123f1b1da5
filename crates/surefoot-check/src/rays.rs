//! The directions along which monotone marks say that the real precondition is closed
//! (docs/theory.md, "Monotone marks").
//!
//! A mark says that states with more (or less) of a function f stay inside. Columns are products
//! with each factor once, so moving f by t from a state z moves each column m that contains f by t
//! · (m/f)(z), along a ray. Moving all functions of a set V by t at once is a polynomial in t,
//! whose power |V| has the value of m/V at z for each column m that contains all of V: a half-space
//! that contains all those states has no positive product with that direction either. A mark on a
//! product is about that column alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::linear::{NumberRow, direction, is_zero};
use super::vocabulary::{FunctionProduct, RowColumns};
use surefoot_base::assumptions::Monotone;
use surefoot_base::exact::Rational;

/// More rays than this are not looked at.
const MAX_RAYS: usize = 300_000;

/// Why marks give no rays.
#[derive(Debug)]
pub(super) enum NoRays {
    /// The function occurs in this column more than once, or what is left of the column without it
    /// is no column.
    Undefined(usize, FunctionProduct),
    TooMany,
}

/// The rays, as homogeneous rows over the columns, one for each direction, in order.
pub(super) fn rays(
    columns: &RowColumns,
    marks: &BTreeMap<FunctionProduct, Monotone>,
    points: &[NumberRow],
) -> Result<Vec<NumberRow>, NoRays> {
    let mut rays: HashSet<NumberRow> = HashSet::new();
    let mut functions: BTreeMap<usize, Monotone> = BTreeMap::new();
    for (monomial, mark) in marks {
        if let [function] = monomial[..] {
            functions.insert(function, *mark);
        } else if let Some(column) = columns.find(monomial) {
            rays.extend(mark.signs().iter().map(|&sign| unit(columns.width(), column, sign)));
        }
    }
    let mut sets: BTreeSet<FunctionProduct> = BTreeSet::new();
    for column in &columns.all {
        let marked: Vec<usize> =
            column.iter().copied().filter(|factor| functions.contains_key(factor)).collect();
        for &factor in &marked {
            let rest = without(column, &[factor]);
            if rest.contains(&factor) || !(rest.is_empty() || columns.find(&rest).is_some()) {
                return Err(NoRays::Undefined(factor, column.clone()));
            }
        }
        // Each of its subsets is a column too, or a factor less, so there are not many.
        let mut subsets: Vec<FunctionProduct> = vec![Vec::new()];
        for factor in marked {
            subsets.extend(
                subsets
                    .clone()
                    .into_iter()
                    .map(|subset| subset.into_iter().chain([factor]).collect()),
            );
            if subsets.len() > MAX_RAYS {
                return Err(NoRays::TooMany);
            }
        }
        sets.extend(subsets.into_iter().filter(|subset| !subset.is_empty()));
        if sets.len() > MAX_RAYS {
            return Err(NoRays::TooMany);
        }
    }
    for set in sets {
        let mut signs: BTreeSet<i64> = BTreeSet::from([1]);
        for mark in set.iter().filter_map(|function| functions.get(function)) {
            signs = signs
                .iter()
                .flat_map(|sign| mark.signs().iter().map(move |other| sign * other))
                .collect();
        }
        // By column that contains the set: where the value of what is left of it stands in a row; 0
        // is the constant.
        let factors: Option<Vec<(usize, usize)>> = (columns.all.iter().enumerate())
            .filter(|(_, column)| set.iter().all(|function| column.contains(function)))
            .map(|(number, column)| {
                let rest = without(column, &set);
                let place = if rest.is_empty() { 0 } else { 1 + columns.find(&rest)? };
                Some((number + 1, place))
            })
            .collect();
        let Some(factors) = factors else { return Err(NoRays::Undefined(set[0], set)) };
        let same_everywhere = factors.iter().all(|(_, place)| *place == 0);
        for point in points.iter().take(if same_everywhere { 1 } else { points.len() }) {
            let mut ray = vec![Rational::ZERO; columns.width()];
            factors.iter().for_each(|&(at, place)| ray[at] = point[place].clone());
            if is_zero(&ray) {
                continue;
            }
            for &sign in &signs {
                let sign = Rational::integer(sign);
                rays.insert(direction(
                    &ray.iter().map(|value| value * &sign).collect::<NumberRow>(),
                ));
            }
            if rays.len() > MAX_RAYS {
                return Err(NoRays::TooMany);
            }
        }
    }
    let mut rays: Vec<NumberRow> = rays.into_iter().collect();
    rays.sort_unstable();
    Ok(rays)
}

fn unit(width: usize, column: usize, sign: i64) -> NumberRow {
    let mut row = vec![Rational::ZERO; width];
    row.iter_mut().skip(column + 1).take(1).for_each(|entry| *entry = Rational::integer(sign));
    row
}

/// A product without some of its factors, each once.
fn without(column: &[usize], factors: &[usize]) -> FunctionProduct {
    let mut rest = column.to_vec();
    for factor in factors {
        if let Some(at) = rest.iter().position(|other| other == factor) {
            rest.remove(at);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[i64]) -> NumberRow {
        values.iter().map(|&value| Rational::integer(value)).collect()
    }

    fn marks(marks: &[(&[usize], Monotone)]) -> BTreeMap<FunctionProduct, Monotone> {
        marks.iter().map(|(monomial, mark)| (monomial.to_vec(), *mark)).collect()
    }

    #[test]
    fn a_function_moves_its_products() {
        let columns = RowColumns::new(vec![vec![0], vec![1], vec![0, 1]]);
        // (f, g) = (2, 3) and (2, -1).
        let points = [row(&[1, 2, 3, 6]), row(&[1, 2, -1, -2])];
        let more = rays(&columns, &marks(&[(&[0], Monotone::More)]), &points).unwrap();
        assert_eq!(more, [row(&[0, 1, 0, -1]), row(&[0, 1, 0, 3])]);
        let less = rays(&columns, &marks(&[(&[0], Monotone::Less)]), &points).unwrap();
        assert_eq!(less, [row(&[0, -1, 0, -3]), row(&[0, -1, 0, 1])]);
        // Both together: g moves f·g by f = 2, and both at once move f·g alone, downwards.
        let both =
            rays(&columns, &marks(&[(&[0], Monotone::More), (&[1], Monotone::Less)]), &points)
                .unwrap();
        assert_eq!(
            both,
            [row(&[0, 0, -1, -2]), row(&[0, 0, 0, -1]), row(&[0, 1, 0, -1]), row(&[0, 1, 0, 3])]
        );
        let product = rays(&columns, &marks(&[(&[0, 1], Monotone::Any)]), &points).unwrap();
        assert_eq!(product, [row(&[0, 0, 0, -1]), row(&[0, 0, 0, 1])]);
    }

    #[test]
    fn where_a_mark_means_nothing() {
        let square = RowColumns::new(vec![vec![0], vec![0, 0]]);
        let more = marks(&[(&[0], Monotone::More)]);
        assert!(matches!(rays(&square, &more, &[row(&[1, 2, 4])]), Err(NoRays::Undefined(0, _))));
        let product_alone = RowColumns::new(vec![vec![0], vec![0, 1]]);
        assert!(matches!(
            rays(&product_alone, &more, &[row(&[1, 2, 4])]),
            Err(NoRays::Undefined(0, _))
        ));
        let unmarked = RowColumns::new(vec![vec![1], vec![0, 1]]);
        assert_eq!(
            rays(&unmarked, &more, &[row(&[1, 3, 6]), row(&[1, 0, 0])]).unwrap(),
            [row(&[0, 0, 1])]
        );
    }
}
