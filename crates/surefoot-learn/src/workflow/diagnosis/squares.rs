//! Least squares, in floating point: for messages.

/// Factors of the first columns that give the last one with the least squares of distances. Columns
/// that others give are left out.
pub fn least_squares(rows: &[Vec<f64>], columns: usize) -> Vec<f64> {
    let dot = |one: usize, other: usize| rows.iter().map(|row| row[one] * row[other]).sum::<f64>();
    let mut system: Vec<Vec<f64>> =
        (0..columns).map(|one| (0..=columns).map(|other| dot(one, other)).collect()).collect();
    let sizes: Vec<f64> = (0..columns).map(|place| system[place][place]).collect();
    let mut solved = vec![false; columns];
    for _ in 0..columns {
        let left = |place: &usize| {
            if solved[*place] {
                0.0
            } else {
                system[*place][*place] / sizes[*place].max(f64::MIN_POSITIVE)
            }
        };
        let Some(pivot) = (0..columns).max_by(|one, other| left(one).total_cmp(&left(other)))
        else {
            break;
        };
        if left(&pivot) < 1e-9 {
            break;
        }
        solved[pivot] = true;
        let row: Vec<f64> =
            system[pivot].iter().map(|entry| entry / system[pivot][pivot]).collect();
        for (place, other) in system.iter_mut().enumerate() {
            let factor = if place == pivot { 0.0 } else { other[pivot] };
            other.iter_mut().zip(&row).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
        system[pivot] = row;
    }
    (0..columns).map(|place| if solved[place] { system[place][columns] } else { 0.0 }).collect()
}
