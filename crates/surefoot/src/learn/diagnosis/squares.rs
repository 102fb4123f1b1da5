//! Least squares, in floating point: for guesses and for messages.

/// The coefficients of least squares under these weights, and how far each row is from them.
pub fn fitted(rows: &[Vec<f64>], weights: &[f64], columns: usize) -> (Vec<f64>, Vec<f64>) {
    let mean = |place: usize| rows.iter().zip(weights).map(|(row, weight)| weight * row[place]).sum::<f64>();
    let means: Vec<f64> = (0..=columns).map(mean).collect();
    let centred: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().zip(&means).map(|(value, mean)| value - mean).collect()).collect();
    let slopes = least_squares(&centred, weights, columns);
    let distance =
        |row: &Vec<f64>| (row[columns] - row.iter().zip(&slopes).map(|(value, slope)| value * slope).sum::<f64>()).abs();
    let distances = centred.iter().map(distance).collect();
    (slopes, distances)
}

/// Factors of the first columns that give the last one with the least weighted squares of distances. Columns that others give are left
/// out.
pub fn least_squares(rows: &[Vec<f64>], weights: &[f64], columns: usize) -> Vec<f64> {
    let dot =
        |one: usize, other: usize| rows.iter().zip(weights).map(|(row, weight)| weight * row[one] * row[other]).sum::<f64>();
    let mut system: Vec<Vec<f64>> = (0..columns).map(|one| (0..=columns).map(|other| dot(one, other)).collect()).collect();
    let sizes: Vec<f64> = (0..columns).map(|place| system[place][place]).collect();
    let mut solved = vec![false; columns];
    for _ in 0..columns {
        let left =
            |place: &usize| if solved[*place] { 0.0 } else { system[*place][*place] / sizes[*place].max(f64::MIN_POSITIVE) };
        let Some(pivot) = (0..columns).max_by(|one, other| left(one).total_cmp(&left(other))) else { break };
        if left(&pivot) < 1e-9 {
            break;
        }
        solved[pivot] = true;
        let row: Vec<f64> = system[pivot].iter().map(|entry| entry / system[pivot][pivot]).collect();
        for (place, other) in system.iter_mut().enumerate() {
            let factor = if place == pivot { 0.0 } else { other[pivot] };
            other.iter_mut().zip(&row).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
        system[pivot] = row;
    }
    (0..columns).map(|place| if solved[place] { system[place][columns] } else { 0.0 }).collect()
}
