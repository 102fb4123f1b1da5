//! Confidence intervals of means over folds.

/// A mean and the half width of its 95 % confidence interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The mean over the folds.
    pub mean: f64,
    /// Half the width of the interval; `None` for a single value, about whose spread nothing is
    /// known.
    pub half_width: Option<f64>,
    /// How many values there were.
    pub count: usize,
}

/// The 0.975 quantiles of Student's t distribution with 1 to 30 degrees of freedom.
const QUANTILES: [f64; 30] = [
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
    2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
    2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831,
    2.048407, 2.045230, 2.042272,
];

/// The 0.975 quantile of Student's t distribution; beyond the table by the Cornish-Fisher expansion
/// around the normal one, which is right to five digits there.
fn quantile(freedom: usize) -> f64 {
    match freedom {
        0 => f64::INFINITY,
        1..=30 => QUANTILES[freedom - 1],
        _ => {
            let (z, n) = (1.959_963_984_540_054_f64, freedom as f64);
            let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
            let third = (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * n.powi(3));
            z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n) + third
        }
    }
}

impl Interval {
    /// The mean of the values with its interval; `None` of no values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let mean = super::mean(values.iter().copied())?;
        let half_width = (count > 1).then(|| {
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            quantile(count - 1) * (squares / (count - 1) as f64 / count as f64).sqrt()
        });
        Some(Interval { mean, half_width, count })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn five_folds_by_hand() {
        // Mean 3, sample variance 2.5, standard error sqrt(0.5), t(4) = 2.776445.
        let interval = Interval::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert_eq!((interval.mean, interval.count), (3.0, 5));
        assert!((interval.half_width.unwrap() - 2.776445 * 0.5f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn equal_values_have_no_spread_one_value_an_unknown_one_and_none_no_mean() {
        assert_eq!(Interval::of(&[0.5; 5]).unwrap().half_width, Some(0.0));
        assert_eq!(Interval::of(&[0.5]).unwrap().half_width, None);
        assert_eq!(Interval::of(&[]), None);
    }

    #[test]
    fn the_expansion_goes_on_where_the_table_ends() {
        // From tables: t(40) = 2.021075, t(120) = 1.979930.
        assert!((quantile(40) - 2.021_075).abs() < 2e-5);
        assert!((quantile(120) - 1.979_930).abs() < 1e-5);
        assert!((1..60).all(|freedom| quantile(freedom) > quantile(freedom + 1)));
    }
}
