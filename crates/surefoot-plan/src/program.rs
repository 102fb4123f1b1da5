//! Small dense linear programs, by the dual simplex method, in floats: good enough to guide, never to decide.

/// Makes `Σ cost·x` small for `x ≥ 0` with `row·x ≥ bound` for each row; costs are not negative. `None` when there is no
/// such `x`, or when it is not found soon.
pub fn minimize(costs: &[f64], rows: &[(Vec<f64>, f64)]) -> Option<Vec<f64>> {
    let columns = costs.len();
    // Each row says: slack = row·x − bound. A basic variable is a combination of the others, all of which are zero.
    let mut table: Vec<Vec<f64>> = rows.iter().map(|(row, bound)| row.iter().copied().chain([-bound]).collect()).collect();
    let mut prices = costs.to_vec();
    // Which variable each row and each column stands for: x first, then slacks.
    let mut basic: Vec<usize> = (columns..columns + rows.len()).collect();
    let mut free: Vec<usize> = (0..columns).collect();
    for _ in 0..4 * (columns + rows.len()) {
        let worst = (0..table.len()).min_by(|&a, &b| table[a][columns].total_cmp(&table[b][columns]));
        let Some(leaving) = worst.filter(|&row| table[row][columns] < -1e-9) else {
            let mut solution = vec![0.0; columns];
            for (row, &variable) in basic.iter().enumerate() {
                if variable < columns {
                    solution[variable] = table[row][columns].max(0.0);
                }
            }
            return Some(solution);
        };
        // The variable that raises this row at the least price.
        let candidates = (0..columns).filter(|&column| table[leaving][column] > 1e-9);
        let ratio = |column: usize| prices[column] / table[leaving][column];
        let entering = candidates.min_by(|&a, &b| ratio(a).total_cmp(&ratio(b)))?;
        pivot(&mut table, &mut prices, leaving, entering);
        std::mem::swap(&mut basic[leaving], &mut free[entering]);
    }
    None
}

/// Exchanges the variable of a row with that of a column.
fn pivot(table: &mut [Vec<f64>], prices: &mut [f64], row: usize, column: usize) {
    let mut made = std::mem::take(&mut table[row]);
    let factor = made[column];
    // x_column = (x_row − the rest) / factor
    for (at, entry) in made.iter_mut().enumerate() {
        *entry = if at == column { 1.0 / factor } else { -*entry / factor };
    }
    for other in table.iter_mut().filter(|other| !other.is_empty()) {
        substitute(other, &made, column);
    }
    let price = prices[column];
    if price != 0.0 {
        prices[column] = 0.0;
        prices.iter_mut().zip(&made).for_each(|(entry, &by)| *entry += price * by);
    }
    table[row] = made;
}

fn substitute(row: &mut [f64], by: &[f64], column: usize) {
    let factor = row[column];
    if factor != 0.0 {
        row[column] = 0.0;
        row.iter_mut().zip(by).for_each(|(entry, &by)| *entry += factor * by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transport_problem_has_its_known_optimum() {
        // x + y ≥ 4, x ≥ 1, y ≤ 2, prices 3 and 2: x = 2, y = 2.
        let rows = vec![(vec![1.0, 1.0], 4.0), (vec![1.0, 0.0], 1.0), (vec![0.0, -1.0], -2.0)];
        assert_eq!(minimize(&[3.0, 2.0], &rows), Some(vec![2.0, 2.0]));
    }

    #[test]
    fn contradictory_rows_have_no_solution() {
        assert_eq!(minimize(&[1.0], &[(vec![1.0], 3.0), (vec![-1.0], -2.0)]), None);
    }
}
