//! Labels of numbers: trapezoids over clusters.

/// A fuzzy label: degree 0 outside (a, d), 1 in [b, c], linear between.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Trapezoid {
    pub(super) a: f64,
    pub(super) b: f64,
    pub(super) c: f64,
    pub(super) d: f64,
}

/// The number of bins of a cluster.
const BINS: usize = 20;

impl Trapezoid {
    /// The label of one value.
    pub(super) fn point(value: f64) -> Trapezoid {
        Trapezoid { a: value, b: value, c: value, d: value }
    }

    /// The label of a cluster, which is not empty: it is full up to where the histogram falls off.
    pub(super) fn of(cluster: &[f64]) -> Trapezoid {
        let min = cluster.iter().copied().fold(f64::INFINITY, f64::min);
        let max = cluster.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if min == max {
            return Trapezoid::point(min);
        }
        let bins = Histogram::of(cluster, min, (max - min) / BINS as f64);
        let (a, d) =
            (bins.lower[0] - bins.width / 500.0, bins.upper[BINS - 1] + bins.width / 100.0);
        Trapezoid { a, b: bins.full_from(a), c: bins.full_to(d), d }
    }

    /// How well a value fits the label.
    pub(super) fn degree(&self, value: f64) -> f64 {
        let Trapezoid { a, b, c, d } = *self;
        if value < a {
            0.0
        } else if value < b {
            (value - a) / (b - a)
        } else if value <= c {
            1.0
        } else if value < d {
            (d - value) / (d - c)
        } else {
            0.0
        }
    }

    /// The middle of where it is full.
    pub(super) fn middle(&self) -> f64 {
        (self.b + self.c) / 2.0
    }
}

struct Histogram {
    width: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// Percent of the values in each bin; the greatest is usually in none.
    heights: Vec<f64>,
}

impl Histogram {
    fn of(values: &[f64], min: f64, width: f64) -> Histogram {
        let edges = std::iter::successors(Some(min), |edge| Some(edge + width));
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            (edges.clone().take(BINS).collect(), edges.skip(1).take(BINS).collect());
        let heights = (0..BINS)
            .map(|bin| {
                let inside =
                    values.iter().filter(|&&value| lower[bin] <= value && value < upper[bin]);
                inside.count() as f64 / values.len() as f64 * 100.0
            })
            .collect();
        Histogram { width, lower, upper, heights }
    }

    /// The last bin before the first fall.
    fn peak(&self) -> usize {
        let mut previous = 0.0_f64;
        self.heights
            .iter()
            .take_while(|height| {
                let rises = **height >= previous.trunc();
                previous = **height;
                rises
            })
            .count()
            .saturating_sub(1)
    }

    fn full_from(&self, a: f64) -> f64 {
        let full = (0..=self.peak()).rev().find(|&from| {
            let slope = [(a, 0.0), (self.lower[from], self.heights[from])];
            (1..=from).all(|bin| {
                self.heights[bin] == 0.0
                    || !meet(upright(self.lower[bin], self.heights[bin]), slope)
            })
        });
        self.lower[full.unwrap_or(0)]
    }

    fn full_to(&self, d: f64) -> f64 {
        let full = (self.peak()..BINS).find(|&to| {
            let slope = [(self.upper[to], self.heights[to]), (d, 0.0)];
            (to..BINS).all(|bin| {
                // Seen from here a bin begins a width below its end, which is not quite where the
                // one before ends.
                let begin = self.upper[bin] - self.width;
                self.heights[bin] == 0.0 || !meet(upright(begin, self.heights[bin]), slope)
            })
        });
        self.upper[full.unwrap_or(BINS - 1)]
    }
}

type PlanePoint = (f64, f64);

fn upright(at: f64, height: f64) -> [PlanePoint; 2] {
    [(at, 0.0), (at, height)]
}

/// Whether two segments meet, by the orientations of their ends.
fn meet([p1, q1]: [PlanePoint; 2], [p2, q2]: [PlanePoint; 2]) -> bool {
    let (o1, o2) = (orientation(p1, q1, p2), orientation(p1, q1, q2));
    let (o3, o4) = (orientation(p2, q2, p1), orientation(p2, q2, q1));
    (o1 != o2 && o3 != o4)
        || (o1 == 0.0 && in_box(p1, p2, q1))
        || (o2 == 0.0 && in_box(p1, q2, q1))
        || (o3 == 0.0 && in_box(p2, p1, q2))
        || (o4 == 0.0 && in_box(p2, q1, q2))
}

/// The sign of the cross product, cut to an integer first: what is nearly straight counts as
/// straight.
fn orientation(p: PlanePoint, q: PlanePoint, r: PlanePoint) -> f64 {
    let cross = ((q.1 - p.1) * (r.0 - q.0) - (q.0 - p.0) * (r.1 - q.1)).trunc();
    if cross == 0.0 { 0.0 } else { cross.signum() }
}

fn is_between(a: f64, x: f64, b: f64) -> bool {
    x <= a.max(b) && x >= a.min(b)
}

fn in_box(from: PlanePoint, point: PlanePoint, to: PlanePoint) -> bool {
    is_between(from.0, point.0, to.0) && is_between(from.1, point.1, to.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_of_one_value_is_a_point() {
        let label = Trapezoid::of(&[2.0, 2.0]);
        assert_eq!(label, Trapezoid::point(2.0));
        assert_eq!([1.9, 2.0, 2.1].map(|value| label.degree(value)), [0.0, 1.0, 0.0]);
    }
}
