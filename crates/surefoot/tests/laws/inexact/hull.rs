//! Whether some point is in the hull of the true vectors, whatever these were.

use surefoot_base::exact::{Budget, Rational, hull};

use crate::promise::number::Rat;

fn rational(value: Rat) -> Rational {
    Rational::new(value.num.try_into().unwrap(), value.den.try_into().unwrap()).unwrap()
}

/// One of the vectors, or their middle, that is in the hull of all vectors within the errors of
/// these; `None` where each can be excluded. The facet that excludes it says how: all vectors move
/// against it.
pub fn certain(vectors: &[Vec<Rat>], errors: &[Rat]) -> Option<Vec<Rational>> {
    let points: Vec<Vec<Rational>> = vectors
        .iter()
        .map(|vector| vector.iter().map(|value| rational(*value)).collect())
        .collect();
    let errors: Vec<Rational> = errors.iter().map(|error| rational(*error)).collect();
    let all = hull(&points, &[], Budget::facets(100_000)).ok()?;
    let count = Rational::from(points.len() as i64);
    let middle: Vec<Rational> = (0..errors.len())
        .map(|at| {
            points
                .iter()
                .fold(Rational::ZERO, |sum, point| &sum + &point[at])
                .checked_div(&count)
                .unwrap()
        })
        .collect();
    let excluded = |point: &[Rational]| {
        let margin = |coefficients: &mut dyn Iterator<Item = Rational>| {
            coefficients
                .zip(&errors)
                .fold(Rational::ZERO, |sum, (by, error)| &sum + &(&by.abs() * error))
        };
        all.equations().iter().any(|one| margin(&mut one.coefficients()) > Rational::ZERO)
            || all.inequalities().any(|one| {
                let value = one
                    .coefficients()
                    .zip(point)
                    .fold(Rational::ZERO, |sum, (by, value)| &sum + &(&by * value));
                &value + &margin(&mut one.coefficients()) > one.bound()
            })
    };
    points.into_iter().chain([middle]).find(|point| !excluded(point))
}
