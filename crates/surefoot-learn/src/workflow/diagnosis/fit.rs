//! The affine map that fits recorded changes best: one fit, with one set of thresholds, for the
//! diagnosis of bad data and for `lint`. In floating point: for messages, never for models.

/// Distances that computing in doubles explains, as a share of the largest value.
pub const FLOATING: f64 = 1e-9;

/// Distances that are called noise are at most this share of the range of values.
pub const NOISE: f64 = 0.05;

/// The share of rows that a fit has to explain; the worst of the others may be recording errors.
const EXPLAINED: f64 = 0.95;

/// Whether so many rows are few, compared with all: a fit need not explain them.
pub fn is_few(odd: usize, all: usize) -> bool {
    odd as f64 <= (1.0 - EXPLAINED) * all as f64
}

/// Columns, made orthogonal on some of their rows: the affine map of the first columns that fits a
/// vector best on these rows is what [`AffineFit::rest`] takes from it. Columns that others
/// explain add nothing.
pub struct AffineFit {
    directions: Vec<Vec<f64>>,
    fitted: Vec<bool>,
}

impl AffineFit {
    /// The fit over a constant and these columns, by the rows that `fitted` names.
    pub fn over(columns: &[Vec<f64>], fitted: Vec<bool>) -> AffineFit {
        let mut fit = AffineFit { directions: Vec::new(), fitted };
        let constant = vec![1.0; fit.fitted.len()];
        for column in [&constant].into_iter().chain(columns) {
            fit.directions.extend(fit.direction(column));
        }
        fit
    }

    /// The linear formula that fits all rows best.
    pub fn over_all(columns: &[Vec<f64>], rows: usize) -> AffineFit {
        AffineFit::over(columns, vec![true; rows])
    }

    /// How far each row of a vector is from the map that fits the fitted rows best; twice for good
    /// measure.
    pub fn rest(&self, vector: &[f64]) -> Vec<f64> {
        let mut rest = vector.to_vec();
        for _ in 0..2 {
            for direction in &self.directions {
                let along = self.dot(&rest, direction);
                for (value, step) in rest.iter_mut().zip(direction) {
                    *value -= along * step;
                }
            }
        }
        rest
    }

    /// The direction, of length 1, that a column adds to those before, if it adds one.
    pub fn direction(&self, column: &[f64]) -> Option<Vec<f64>> {
        let length = self.dot(column, column).sqrt();
        let rest = self.rest(column);
        let left = self.dot(&rest, &rest).sqrt();
        (left > 1e-9 * length && left > 0.0)
            .then(|| rest.into_iter().map(|value| value / left).collect())
    }

    /// The coefficient of one more column in the map that fits a vector best.
    pub fn coefficient(&self, column: &[f64], vector: &[f64]) -> f64 {
        let rest = self.rest(column);
        let square = self.dot(&rest, &rest);
        match self.direction(column) {
            Some(_) => self.dot(&rest, vector) / square,
            None => 0.0,
        }
    }

    /// The inner product of two vectors, over the fitted rows.
    pub fn dot(&self, one: &[f64], other: &[f64]) -> f64 {
        let products = one.iter().zip(other).zip(&self.fitted).filter(|(_, fitted)| **fitted);
        products.map(|((a, b), _)| a * b).sum()
    }
}

/// How far each row is from the map that fits best once the worst do not count, and how far all but
/// these are at most.
pub fn trimmed_distances(columns: &[Vec<f64>], target: &[f64]) -> (Vec<f64>, f64) {
    const ROUNDS: usize = 3;
    let mut fitted = vec![true; target.len()];
    let mut distances: Vec<f64> = Vec::new();
    let mut usual = 0.0;
    for _ in 0..ROUNDS {
        let rest = AffineFit::over(columns, fitted).rest(target);
        distances = rest.into_iter().map(f64::abs).collect();
        let mut sorted = distances.clone();
        sorted.sort_by(f64::total_cmp);
        let last = ((EXPLAINED * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
        usual = sorted[last - 1];
        fitted = distances.iter().map(|distance| *distance <= usual).collect();
    }
    (distances, usual)
}
