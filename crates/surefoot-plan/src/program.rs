//! Small sparse linear programs, by the dual simplex method, in floats: good enough to guide, never
//! to decide.

/// Entries of a row by column, in order; columns that are not listed are zero.
pub type SparseRow = Vec<(u32, f64)>;

/// What a linear program asks for.
pub struct Demand {
    /// How much each column adds to the row.
    pub gains: SparseRow,
    /// The least value that the row must reach.
    pub least: f64,
}

/// A solution, or none, and the work that went into it: entries looked at.
pub struct ProgramAnswer {
    /// The value of each column.
    pub solution: Option<Vec<f64>>,
    /// How many entries were looked at.
    pub work: u64,
}

/// Entries below this are as good as zero.
const TINY: f64 = 1e-12;

/// Makes `Σ cost·x` small for `x ≥ 0` with `gains·x ≥ least` for each demand; costs are not
/// negative. There is no solution when there is no such `x`, or when it is not found soon.
pub fn minimize(costs: &[f64], demands: Vec<Demand>) -> ProgramAnswer {
    let mut tableau = Tableau::new(costs, demands);
    let solution = tableau.solve();
    ProgramAnswer { solution, work: tableau.work }
}

/// Each row says: its basic variable = constant + entries · free variables, all of which are zero
/// now.
struct Tableau {
    rows: Vec<SparseRow>,
    constants: Vec<f64>,
    prices: Vec<f64>,
    /// Which variable each row and each column stands for: columns first, then slacks.
    basic: Vec<usize>,
    free: Vec<usize>,
    /// Room for a row that is being made.
    made: SparseRow,
    merged: SparseRow,
    work: u64,
}

impl Tableau {
    fn new(costs: &[f64], demands: Vec<Demand>) -> Self {
        let (columns, count) = (costs.len(), demands.len());
        let constants = demands.iter().map(|demand| -demand.least).collect();
        let rows: Vec<SparseRow> = demands.into_iter().map(|demand| demand.gains).collect();
        Tableau {
            work: rows.iter().map(|row| row.len() as u64).sum(),
            rows,
            constants,
            prices: costs.to_vec(),
            basic: (columns..columns + count).collect(),
            free: (0..columns).collect(),
            made: Vec::new(),
            merged: Vec::new(),
        }
    }

    fn solve(&mut self) -> Option<Vec<f64>> {
        let columns = self.free.len();
        for _ in 0..4 * (columns + self.rows.len()) {
            let worst = (0..self.rows.len())
                .min_by(|&a, &b| self.constants[a].total_cmp(&self.constants[b]));
            self.work += self.rows.len() as u64;
            let Some(leaving) = worst.filter(|&row| self.constants[row] < -1e-9) else {
                return Some(self.solution(columns));
            };
            // The variable that raises this row at the least price.
            let candidates = self.rows[leaving].iter().filter(|&&(_, gain)| gain > 1e-9);
            let ratios =
                candidates.map(|&(column, gain)| (self.prices[column as usize] / gain, column));
            let (_, entering) = ratios.min_by(|a, b| a.0.total_cmp(&b.0))?;
            self.pivot(leaving, entering);
            std::mem::swap(&mut self.basic[leaving], &mut self.free[entering as usize]);
        }
        None
    }

    fn solution(&self, columns: usize) -> Vec<f64> {
        let mut solution = vec![0.0; columns];
        for (&constant, &variable) in self.constants.iter().zip(&self.basic) {
            if variable < columns {
                solution[variable] = constant.max(0.0);
            }
        }
        solution
    }

    /// Exchanges the variable of a row with that of a column.
    fn pivot(&mut self, row: usize, column: u32) {
        let factor = entry(&self.rows[row], column);
        // x_column = (x_row − the rest) / factor
        let mut made = std::mem::take(&mut self.made);
        made.clear();
        made.extend(
            self.rows[row]
                .iter()
                .map(|&(at, gain)| (at, if at == column { 1.0 / factor } else { -gain / factor })),
        );
        let constant = -self.constants[row] / factor;
        for other in (0..self.rows.len()).filter(|&other| other != row) {
            let by = entry(&self.rows[other], column);
            if by != 0.0 {
                add_multiple(&self.rows[other], &made, by, column, &mut self.merged);
                self.work += self.merged.len() as u64;
                std::mem::swap(&mut self.rows[other], &mut self.merged);
                self.constants[other] += by * constant;
            }
        }
        let price = std::mem::take(&mut self.prices[column as usize]);
        made.iter().for_each(|&(at, by)| self.prices[at as usize] += price * by);
        self.constants[row] = constant;
        self.made = std::mem::replace(&mut self.rows[row], made);
        self.work += self.rows.len() as u64;
    }
}

fn entry(row: &SparseRow, column: u32) -> f64 {
    row.binary_search_by_key(&column, |&(at, _)| at).map_or(0.0, |at| row[at].1)
}

/// Writes `row + factor · by` into `sum`, where the entry of `row` in one column is not counted.
fn add_multiple(row: &SparseRow, by: &SparseRow, factor: f64, without: u32, sum: &mut SparseRow) {
    sum.clear();
    let (mut left, mut right) = (row.as_slice(), by.as_slice());
    loop {
        let (column, value) = match (left, right) {
            ([], []) => return,
            ([one, rest @ ..], []) => {
                left = rest;
                *one
            }
            ([], [other, rest @ ..]) => {
                right = rest;
                (other.0, factor * other.1)
            }
            ([one, rest @ ..], [other, ..]) if one.0 < other.0 => {
                left = rest;
                *one
            }
            ([one, ..], [other, rest @ ..]) if other.0 < one.0 => {
                right = rest;
                (other.0, factor * other.1)
            }
            ([one, rest_left @ ..], [other, rest @ ..]) => {
                (left, right) = (rest_left, rest);
                let before = if one.0 == without { 0.0 } else { one.1 };
                (one.0, before + factor * other.1)
            }
        };
        if value.abs() > TINY {
            sum.push((column, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(row: &[f64], least: f64) -> Demand {
        let entries = row.iter().enumerate().filter(|&(_, &gain)| gain != 0.0);
        Demand { gains: entries.map(|(at, &gain)| (at as u32, gain)).collect(), least }
    }

    #[test]
    fn a_transport_problem_has_its_known_optimum() {
        // x + y ≥ 4, x ≥ 1, y ≤ 2, prices 3 and 2: x = 2, y = 2.
        let demands =
            vec![demand(&[1.0, 1.0], 4.0), demand(&[1.0, 0.0], 1.0), demand(&[0.0, -1.0], -2.0)];
        assert_eq!(minimize(&[3.0, 2.0], demands).solution, Some(vec![2.0, 2.0]));
    }

    #[test]
    fn contradictory_rows_have_no_solution() {
        assert_eq!(
            minimize(&[1.0], vec![demand(&[1.0], 3.0), demand(&[-1.0], -2.0)]).solution,
            None
        );
    }
}
