//! Integer coordinates for a polyhedron: the columns that matter, measured in units in which all
//! generators are integers.

use std::borrow::Cow;

use dashu_int::IBig;

use super::integer::Integer;
use super::row::{gcd_of, lcm, numerator_over};
use super::{Constraint, Echelon, Rational, Row};
use crate::invariant::Invariant;

/// The length of the longest vector.
pub(super) fn columns(points: &[Vec<Rational>], rays: &[Vec<Rational>]) -> usize {
    points.iter().chain(rays).map(Vec::len).max().unwrap_or(0)
}

/// Where a generator came from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum GeneratorSource {
    Point(usize),
    Ray(usize),
}

impl GeneratorSource {
    /// The place among the points or among the rays.
    pub(super) fn index(self) -> usize {
        match self {
            GeneratorSource::Point(index) | GeneratorSource::Ray(index) => index,
        }
    }
}

/// The coordinates in which the set is a cross-section of a pointed cone of full dimension.
///
/// With `j` running over [`CoordinateFrame::active`], coordinate `j` of a point is
/// `(x_j - offset_j) / unit_j`, an integer; coordinate 0 is 1.
pub(super) struct CoordinateFrame {
    pub(super) columns: usize,
    pub(super) span: Echelon,
    pub(super) lines: Echelon,
    /// The homogeneous columns that are coordinates; column 0 first.
    pub(super) active: Vec<usize>,
    offset: Vec<Rational>,
    unit: Vec<Rational>,
    /// How much longer each ray's generator is than the ray; none where lines were divided out, and
    /// for rays of zeros.
    pub(super) stretch: Vec<Option<Rational>>,
    /// The distinct integer generators, sorted, and the first source of each.
    pub(super) generators: Vec<(Vec<IBig>, GeneratorSource)>,
    /// For each point and then each ray its generator; none for a ray that vanishes modulo the
    /// lines.
    pub(super) image: Vec<Option<usize>>,
}

impl CoordinateFrame {
    /// `None` when there are no points. `lines` says which subspace spanned by rays is to be
    /// divided out.
    pub(super) fn new(
        points: &[Vec<Rational>],
        rays: &[Vec<Rational>],
        lines: impl Fn(&[Row], usize) -> Echelon,
    ) -> Option<Self> {
        if points.is_empty() {
            return None;
        }
        let columns = columns(points, rays);
        let mut frame = CoordinateFrame {
            columns,
            span: Echelon::new(columns + 1),
            lines: Echelon::new(columns + 1),
            active: Vec::new(),
            offset: Vec::new(),
            unit: Vec::new(),
            stretch: Vec::new(),
            generators: Vec::new(),
            image: Vec::new(),
        };
        let point_rows: Vec<Row> = points.iter().map(|x| frame.row(x, true)).collect();
        let ray_rows: Vec<Row> = rays.iter().map(|r| frame.row(r, false)).collect();
        for row in point_rows.iter().chain(&ray_rows) {
            frame.span.insert(row);
        }
        frame.lines = lines(&ray_rows, columns + 1);
        let active = frame
            .span
            .pivots()
            .iter()
            .filter(|pivot| frame.lines.pivots().binary_search(pivot).is_err());
        frame.active = active.copied().collect();
        frame.measure(points, rays, &point_rows, &ray_rows);
        Some(frame)
    }

    /// The homogeneous row of a point or a ray, filled up with zeros.
    pub(super) fn row(&self, vector: &[Rational], point: bool) -> Row {
        let vector = if vector.len() == self.columns {
            Cow::Borrowed(vector)
        } else {
            Cow::Owned(self.padded(vector))
        };
        if point { Row::point(&vector) } else { Row::ray(&vector) }
    }

    /// A vector filled up with zeros.
    pub(super) fn padded(&self, vector: &[Rational]) -> Vec<Rational> {
        let mut padded = Vec::with_capacity(self.columns);
        padded.extend_from_slice(vector);
        padded.resize(self.columns, Rational::ZERO);
        padded
    }

    /// Finds offsets and units, and from them the integer generators.
    fn measure(
        &mut self,
        points: &[Vec<Rational>],
        rays: &[Vec<Rational>],
        point_rows: &[Row],
        ray_rows: &[Row],
    ) {
        let straight = self.lines.rank() == 0;
        let reduced: Vec<Row> = if straight {
            Vec::new()
        } else {
            point_rows.iter().map(|row| self.lines.reduced(row)).collect()
        };
        let mut integers: Vec<Vec<IBig>> = vec![vec![IBig::ONE]; points.len()];
        for &column in self.active.iter().skip(1) {
            let values: Vec<Rational> = if straight {
                points.iter().map(|point| value_at(point, column)).collect()
            } else {
                reduced.iter().map(|row| row.coordinate(column)).collect()
            };
            let (offset, unit, coordinates) = ruler(&values);
            self.offset.push(offset);
            self.unit.push(unit);
            integers.iter_mut().zip(coordinates).for_each(|(row, coordinate)| row.push(coordinate));
        }
        let mut all: Vec<(Vec<IBig>, GeneratorSource)> = integers
            .into_iter()
            .enumerate()
            .map(|(i, row)| (row, GeneratorSource::Point(i)))
            .collect();
        for (i, row) in ray_rows.iter().enumerate() {
            let row = self.lines.reduced(row);
            let scaled = self.active.iter().skip(1).zip(&self.unit);
            let scaled: Option<Vec<Rational>> =
                scaled.map(|(&column, unit)| row.entry(column).checked_div(unit)).collect();
            let row = Row::ray(&scaled.invariant(UNIT));
            // Where lines were divided out, a generator is not a multiple of one ray. A ray of
            // zeros is no generator.
            self.stretch.push(row.leading().filter(|_| straight).map(|lead| {
                let length = value_at(&rays[i], self.active[lead]);
                (&row.entry(lead) * &self.unit[lead - 1]).checked_div(&length).invariant(UNIT)
            }));
            all.push(((0..row.len()).map(|j| row.integer(j)).collect(), GeneratorSource::Ray(i)));
        }
        all.sort_unstable();
        self.image = vec![None; points.len() + ray_rows.len()];
        for (row, source) in all {
            if row.iter().all(|entry| *entry == IBig::ZERO) {
                continue;
            }
            if self.generators.last().is_none_or(|(last, _)| *last != row) {
                self.generators.push((row, source));
            }
            let at = match source {
                GeneratorSource::Point(i) => i,
                GeneratorSource::Ray(i) => points.len() + i,
            };
            self.image[at] = Some(self.generators.len() - 1);
        }
    }

    /// The bit length of the largest entry of each coordinate.
    pub(super) fn widths(&self) -> Vec<u64> {
        (0..self.active.len()).map(|j| self.width(j)).collect()
    }

    fn width(&self, j: usize) -> u64 {
        self.generators.iter().map(|(row, _)| Integer::bits(&row[j]) as u64).max().unwrap_or(0)
    }

    /// A positive multiple of the coordinates `(1, …)` of any point, as integers.
    pub(super) fn locate(&self, x: &[Rational]) -> Row {
        let rulers = self.active.iter().skip(1).zip(self.offset.iter().zip(&self.unit));
        let coordinates: Vec<Rational> = rulers
            .map(|(&column, (offset, unit))| {
                (&value_at(x, column) - offset).checked_div(unit).invariant(UNIT)
            })
            .collect();
        Row::point(&coordinates)
    }
}

/// Of the units of coordinates.
const UNIT: &str = "the unit of a coordinate is not zero";

/// Of columns whose values differ.
const VALUES: &str = "a column with different values has values";

/// What a vector has in a homogeneous column other than 0. A column past the end reads as zero.
#[inline]
fn value_at(x: &[Rational], column: usize) -> Rational {
    x.get(column - 1).cloned().unwrap_or(Rational::ZERO)
}

/// Integer coordinates for one column: `value = offset + unit · coordinate`, with zero in the
/// middle and coprime differences.
fn ruler(values: &[Rational]) -> (Rational, Rational, Vec<IBig>) {
    let cleared = Row::point(values);
    let start = cleared.integer(1);
    let differences: Vec<IBig> = (1..=values.len()).map(|i| cleared.integer(i) - &start).collect();
    let primitive = Row::from_integers(differences.clone());
    let Some(some) = primitive.leading() else {
        return (values.first().cloned().unwrap_or(Rational::ZERO), Rational::ONE, differences);
    };
    let unit = Rational::from_integers(
        differences[some].clone(),
        primitive.integer(some) * cleared.integer(0),
    );
    let unit = unit.invariant("common denominators and leading entries are not zero");
    let coordinates: Vec<IBig> = (0..values.len()).map(|i| primitive.integer(i)).collect();
    let (low, high) = (coordinates.iter().min(), coordinates.iter().max());
    let middle = (low.invariant(VALUES).clone() + high.invariant(VALUES)) / IBig::from(2);
    let shift = Rational::from_integers(middle.clone(), IBig::ONE).invariant("one is not zero");
    let offset = &values[0] + &(&unit * &shift);
    (offset, unit, coordinates.into_iter().map(|coordinate| coordinate - &middle).collect())
}

/// The integer within 128 bits, where it fits.
#[inline]
fn narrowed(value: &IBig) -> Option<i128> {
    i128::try_from(value).ok()
}

/// Rewrites functionals of the frame's coordinates as constraints over the input's columns.
pub(super) struct ConstraintWriter<'a> {
    frame: &'a CoordinateFrame,
    /// A common denominator `m` of all `1 / unit` and `offset / unit`, and these multiplied by it.
    scale: IBig,
    factors: Vec<(IBig, IBig)>,
    /// Scale and factors as machine integers, when they fit and there are no lines.
    narrow: Option<(i128, Vec<(i128, i128)>)>,
    /// For the lines: a common multiple of their leading entries.
    lead: IBig,
}

impl<'a> ConstraintWriter<'a> {
    pub(super) fn new(frame: &'a CoordinateFrame) -> Self {
        let ratios: Vec<(Rational, Rational)> = (frame.offset.iter().zip(&frame.unit))
            .map(|(offset, unit)| {
                let factor = unit.recip().invariant(UNIT);
                let shift = offset * &factor;
                (factor, shift)
            })
            .collect();
        let scale = ratios
            .iter()
            .fold(IBig::ONE, |m, (a, b)| lcm(lcm(m, a.denominator()), b.denominator()));
        let factors: Vec<(IBig, IBig)> = ratios
            .iter()
            .map(|(a, b)| (numerator_over(a, &scale), numerator_over(b, &scale)))
            .collect();
        let lines = frame.lines.rows().iter().zip(frame.lines.pivots());
        let lead = lines.fold(IBig::ONE, |m, (row, &pivot)| lcm(m, row.integer(pivot)));
        let pairs: Option<Vec<(i128, i128)>> =
            factors.iter().map(|(a, b)| narrowed(a).zip(narrowed(b))).collect();
        let narrow = narrowed(&scale).zip(pairs).filter(|_| frame.lines.rank() == 0);
        ConstraintWriter { frame, scale, factors, narrow, lead }
    }

    /// The constraint `functional ≤ 0`.
    pub(super) fn constraint(&self, functional: &[IBig]) -> Constraint {
        if let Some(row) = self.narrow_row(functional) {
            return Constraint::homogeneous(row);
        }
        let frame = self.frame;
        let mut row = vec![IBig::ZERO; frame.columns + 1];
        row[0] = functional.first().map_or(IBig::ZERO, |first| first * &self.scale);
        for ((value, (factor, shift)), &column) in
            functional.iter().skip(1).zip(&self.factors).zip(&frame.active[1..])
        {
            row[column] = value * factor;
            row[0] -= value * shift;
        }
        // On a line the functional must vanish, which gives its value in the column the line leads
        // with.
        if frame.lines.rank() > 0 {
            row.iter_mut().for_each(|value| *value *= &self.lead);
            for (line, &pivot) in frame.lines.rows().iter().zip(frame.lines.pivots()) {
                let along =
                    frame.active.iter().fold(IBig::ZERO, |sum, &j| sum + &row[j] * line.integer(j));
                row[pivot] = -along / line.integer(pivot);
            }
        }
        Constraint::homogeneous(Row::from_integers(row))
    }

    /// Like `row`, within 128 bits, if that suffices and there are no lines.
    fn narrow_row(&self, functional: &[IBig]) -> Option<Row> {
        let (scale, factors) = self.narrow.as_ref()?;
        let values: Vec<i128> = functional.iter().map(narrowed).collect::<Option<_>>()?;
        let gcd = gcd_of(&values)?;
        let mut row = vec![0i128; self.frame.columns + 1];
        row[0] = (values.first()? / gcd).checked_mul(*scale)?;
        for ((value, (factor, shift)), &column) in
            values.iter().skip(1).zip(factors).zip(&self.frame.active[1..])
        {
            row[column] = (value / gcd).checked_mul(*factor)?;
            row[0] = row[0].checked_sub((value / gcd).checked_mul(*shift)?)?;
        }
        Row::from_narrow(row)
    }
}
