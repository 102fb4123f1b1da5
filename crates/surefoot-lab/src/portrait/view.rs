//! A view of an action's numbers on two of its functions: what was observed, the region around it,
//! and what is refused outside.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use surefoot_base::exact::{Budget, Constraint, Rational, hull};
use surefoot_base::ids::{Id, IdVec, first_ids};
use surefoot_learn::{ActiveColumn, Marked, Monotone};

/// Points on a plane. Numbers are rounded to doubles here and nowhere before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlaneView {
    /// What the horizontal axis shows.
    pub x: String,
    /// `None`: there is only one function, and points lie on a line.
    pub y: Option<String>,
    /// The least and greatest x, then y, of the picture.
    pub frame: [f64; 4],
    /// The region of the model, projected; its corners, cut off at the frame.
    pub outline: Vec<[f64; 2]>,
    /// Whether the region goes on beyond the frame, as an assumption allows.
    pub open: bool,
    /// The recorded points, by the two numbers of the picture.
    pub observed: Vec<[f64; 2]>,
    /// Test states that the real model allows and the learned region refuses.
    pub refused: Vec<[f64; 2]>,
    /// Test states that the region allows, and only the Boolean part refuses.
    pub refused_by_atoms: Vec<[f64; 2]>,
}

/// What there is to look at.
pub struct PortraitData {
    /// By column: its name, and which way it may move.
    pub names: IdVec<ActiveColumn, String>,
    pub marks: IdVec<ActiveColumn, Option<Monotone>>,
    /// Whether the region is a box: conditions mention one function each.
    pub boxed: bool,
    pub points: Vec<Vec<Rational>>,
    pub by_numbers: Vec<Vec<Rational>>,
    pub by_atoms: Vec<Vec<Rational>>,
}

/// The most points of a kind in a view; of more, so many are taken evenly.
const MOST: usize = 150;
/// With so few columns that vary, every pair is shown.
const FEW: usize = 3;

impl PortraitData {
    /// All pairs of columns where few of them vary, else the two with the most values, those first
    /// that conditions may mention. None without numbers.
    pub fn views(&self) -> Vec<PlaneView> {
        let counted = self.names.ids().map(|column| (self.values(column), column));
        let mut varying: Vec<(usize, ActiveColumn)> =
            counted.filter(|(values, _)| *values > 1).collect();
        varying.sort_by_key(|&(values, column)| {
            (self.is_free(column), std::cmp::Reverse(values), column)
        });
        let columns: Vec<ActiveColumn> = varying.iter().map(|&(_, column)| column).collect();
        match columns[..] {
            [] => Vec::new(),
            [only] => self.view(only, None).into_iter().collect(),
            _ if columns.len() <= FEW => {
                let mut columns = columns;
                columns.sort_unstable();
                let pairs = (0..columns.len())
                    .flat_map(|one| (one + 1..columns.len()).map(move |other| (one, other)));
                pairs
                    .filter_map(|(one, other)| self.view(columns[one], Some(columns[other])))
                    .collect()
            }
            [one, other, ..] => {
                self.view(one.min(other), Some(one.max(other))).into_iter().collect()
            }
        }
    }

    /// How many values of a column there are.
    fn values(&self, column: ActiveColumn) -> usize {
        let all = self.points.iter().chain(&self.by_numbers).map(|vector| &vector[column.index()]);
        all.collect::<BTreeSet<_>>().len()
    }

    /// Whether a column may be anything: the region says nothing about it.
    fn is_free(&self, column: ActiveColumn) -> bool {
        self.marks[column] == Some(Monotone::Any)
    }

    fn view(&self, x: ActiveColumn, y: Option<ActiveColumn>) -> Option<PlaneView> {
        let columns: Vec<ActiveColumn> = std::iter::once(x).chain(y).collect();
        let points = projected(&self.points, &columns);
        let observed = placed(&points);
        let refused = placed(&projected(&self.by_numbers, &columns));
        let by_atoms = placed(&projected(&self.by_atoms, &columns));
        let frame = frame([&observed, &refused, &by_atoms].into_iter().flatten(), y.is_some())?;
        let outline = clipped(&self.constraints(&points, &columns)?, frame);
        let open = columns.iter().any(|&column| self.marks[column].is_some());
        let names = (self.names[x].clone(), y.map(|y| self.names[y].clone()));
        Some(PlaneView {
            x: names.0,
            y: names.1,
            frame,
            outline,
            open,
            observed,
            refused,
            refused_by_atoms: by_atoms,
        })
    }

    /// The projected region. That of a hull is the hull of the projections; so it is where
    /// conditions mention at most k functions and two are looked at, if k is at least 2; with k = 1
    /// it is a box.
    fn constraints(
        &self,
        points: &[Vec<Rational>],
        columns: &[ActiveColumn],
    ) -> Option<Vec<Constraint>> {
        if !self.boxed || columns.len() < 2 {
            return self.hull_constraints(points, columns);
        }
        let mut all = Vec::new();
        for (position, column) in columns.iter().enumerate() {
            let shadow: BTreeSet<Vec<Rational>> =
                points.iter().map(|point| vec![point[position].clone()]).collect();
            let shadow: Vec<Vec<Rational>> = shadow.into_iter().collect();
            for constraint in self.hull_constraints(&shadow, &[*column])? {
                let mut row = [-&constraint.bound(), Rational::ZERO, Rational::ZERO];
                row[position + 1] = constraint.coefficient(0);
                let integers = row.iter().map(Rational::numerator).collect();
                all.push(Constraint::homogeneous(surefoot_base::exact::Row::from_integers(
                    integers,
                )));
            }
        }
        Some(all)
    }

    /// The hull of points and of the ways that their columns may go; an equation becomes two
    /// inequalities.
    fn hull_constraints(
        &self,
        points: &[Vec<Rational>],
        columns: &[ActiveColumn],
    ) -> Option<Vec<Constraint>> {
        // Looked at alone, these columns are all there are, and each is a function of its own.
        let products: Vec<[ActiveColumn; 1]> = columns.iter().map(|&column| [column]).collect();
        let places = first_ids::<ActiveColumn>(columns.len());
        let marks =
            places.zip(columns).filter_map(|(place, &column)| Some((place, self.marks[column]?)));
        let rays =
            Marked::new(products.iter().map(|product| &product[..]).collect(), marks.collect())
                .rays(points);
        let hull = hull(points, &rays, Budget::facets(10_000)).ok()?;
        let mut all: Vec<Constraint> = hull.inequalities().cloned().collect();
        for equation in hull.equations() {
            all.push(equation.reversed());
            all.push(equation.clone());
        }
        Some(all)
    }
}

/// The given columns of vectors, each value once.
fn projected(vectors: &[Vec<Rational>], columns: &[ActiveColumn]) -> Vec<Vec<Rational>> {
    let mut projected = BTreeSet::new();
    for vector in vectors {
        projected.insert(columns.iter().map(|&column| vector[column.index()].clone()).collect());
    }
    projected.into_iter().collect()
}

/// Vectors of one column or two as points of the picture.
fn placed(vectors: &[Vec<Rational>]) -> Vec<[f64; 2]> {
    thinned(vectors)
        .map(|vector| [vector[0].to_f64(), vector.get(1).map_or(0.0, Rational::to_f64)])
        .collect()
}

/// At most [`MOST`] of some vectors, evenly over their order.
fn thinned(vectors: &[Vec<Rational>]) -> impl Iterator<Item = &Vec<Rational>> {
    let shown = vectors.len().min(MOST);
    (0..shown).map(move |index| &vectors[index * vectors.len() / shown])
}

/// The extent of some points with a margin.
fn frame<'a>(points: impl Iterator<Item = &'a [f64; 2]>, plane: bool) -> Option<[f64; 4]> {
    let mut extent: Option<[f64; 4]> = None;
    for [x, y] in points.filter(|[x, y]| x.is_finite() && y.is_finite()) {
        let [x0, x1, y0, y1] = extent.unwrap_or([*x, *x, *y, *y]);
        extent = Some([x0.min(*x), x1.max(*x), y0.min(*y), y1.max(*y)]);
    }
    let [x0, x1, y0, y1] = extent?;
    let (across, up) = (margin(x0, x1), if plane { margin(y0, y1) } else { 1.0 });
    Some([x0 - across, x1 + across, y0 - up, y1 + up])
}

fn margin(low: f64, high: f64) -> f64 {
    if high > low { (high - low) * 0.08 } else { 1.0 }
}

/// The part of the frame that satisfies all conditions: half-planes cut it one after the other.
fn clipped(constraints: &[Constraint], [x0, x1, y0, y1]: [f64; 4]) -> Vec<[f64; 2]> {
    // Conditions that hold with equality must not fail by the last bit.
    let slack = 1e-9;
    let mut polygon = vec![[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
    for constraint in constraints {
        let a = constraint.coefficient(0).to_f64();
        let b = if constraint.columns() > 1 { constraint.coefficient(1).to_f64() } else { 0.0 };
        let bound = constraint.bound().to_f64();
        let scale = a.abs() * (x1 - x0) + b.abs() * (y1 - y0);
        let over: Vec<f64> =
            polygon.iter().map(|[x, y]| (a * x + b * y - bound) / scale - slack).collect();
        let mut kept = Vec::new();
        for (index, &here) in polygon.iter().enumerate() {
            let following = (index + 1) % polygon.len();
            let next = polygon[following];
            let (now, then) = (over[index], over[following]);
            if now <= 0.0 {
                kept.push(here);
            }
            if (now <= 0.0) != (then <= 0.0) {
                let share = now / (now - then);
                kept.push([
                    here[0] + share * (next[0] - here[0]),
                    here[1] + share * (next[1] - here[1]),
                ]);
            }
        }
        polygon = kept;
    }
    polygon
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn scene(points: &[[i64; 3]], marks: [Option<Monotone>; 3], boxed: bool) -> PortraitData {
        let vector = |point: &[i64; 3]| point.map(Rational::integer).to_vec();
        PortraitData {
            names: ["a", "b", "c"].map(String::from).into_iter().collect(),
            marks: marks.into_iter().collect(),
            boxed,
            points: points.iter().map(vector).collect(),
            by_numbers: vec![vector(&[20, 0, 0])],
            by_atoms: Vec::new(),
        }
    }

    /// Twice the area of a polygon.
    fn area(corners: &[[f64; 2]]) -> f64 {
        let next = |index: usize| corners[(index + 1) % corners.len()];
        corners
            .iter()
            .enumerate()
            .map(|(index, [x, y])| x * next(index)[1] - next(index)[0] * y)
            .sum::<f64>()
            .abs()
    }

    #[test]
    fn the_outline_is_the_projected_hull_a_box_under_arity_one_and_open_under_monotony() {
        let points = [[0, 0, 1], [10, 0, 2], [0, 10, 3], [3, 3, 9]];
        let views = scene(&points, [None; 3], false).views();
        assert_eq!(
            views.iter().map(|view| (view.x.as_str(), view.y.as_deref())).collect::<Vec<_>>(),
            [("a", Some("b")), ("a", Some("c")), ("b", Some("c"))]
        );
        assert!(
            (area(&views[0].outline) - 100.0).abs() < 1e-5,
            "the triangle: {:?}",
            views[0].outline
        );
        assert_eq!(views[0].refused, [[20.0, 0.0]]);
        let boxed = scene(&points, [None; 3], true).views();
        assert!(
            (area(&boxed[0].outline) - 200.0).abs() < 1e-5,
            "the square: {:?}",
            boxed[0].outline
        );
        let more = scene(&points, [Some(Monotone::More), None, None], false).views();
        let right = more[0].outline.iter().map(|[x, _]| *x).fold(f64::MIN, f64::max);
        assert!(more[0].open && right == more[0].frame[1], "to the frame: {:?}", more[0].outline);
    }

    #[test]
    fn one_column_is_a_line_none_is_nothing_and_many_are_the_two_that_vary_most() {
        let line = scene(&[[0, 5, 5], [9, 5, 5]], [None; 3], false);
        let line = PortraitData { by_numbers: Vec::new(), ..line };
        let views = line.views();
        assert_eq!((views.len(), &views[0].y), (1, &None));
        assert!(PortraitData { points: vec![line.points[0].clone()], ..line }.views().is_empty());
    }
}
