//! Linear programs over few variables and many constraints, solved exactly and with proof.
//!
//! `max c·x` subject to `a_k·x ≤ b_k`, with `x` free. Its dual, `min b·y` subject to
//! `Σ y_k a_k = c` and `y ≥ 0`, has few rows and many columns: the revised simplex method with a
//! small basis (`simplex`). Whatever the answer, it comes with its proof.

use dashu_int::IBig;

use super::integer::{Entry, Fixed, minor_bits};
use super::simplex::{SimplexSearch, Solution};
use super::{Rational, Row};

/// Constraints and their multipliers: each by its number, ascending, multipliers positive.
pub type Multipliers = Vec<(usize, Rational)>;

/// The result of a linear program, with proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optimum {
    /// The largest value of the objective, and a point where it is taken.
    Found {
        /// The largest value of the objective.
        value: Rational,
        /// A point that satisfies all constraints and has this value.
        at: Vec<Rational>,
        /// The rows times the multipliers add up to the objective, the bounds to the value: no
        /// point has more.
        proof: Multipliers,
    },
    /// Some points satisfy all constraints, and there the objective has no largest value.
    Unbounded {
        /// The objective grows in this direction, and no constraint forbids to go on.
        direction: Vec<Rational>,
    },
    /// No point satisfies all constraints.
    Infeasible {
        /// The rows times the multipliers add up to zero, the bounds to a negative number.
        proof: Multipliers,
    },
}

/// Constraints `a·x ≤ b`, made ready for objectives.
///
/// ```
/// use surefoot_base::exact::{Optimum, Program, Rational};
///
/// let mut program = Program::new(1);
/// program.add(&[Rational::integer(2)], &Rational::integer(3));
/// let Optimum::Found { value, .. } = program.maximise(&[Rational::ONE]) else { unreachable!() };
/// assert_eq!(value, Rational::new(3, 2).unwrap());
/// assert!(matches!(program.maximise(&[Rational::integer(-1)]), Optimum::Unbounded { .. }));
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    variables: usize,
    /// Rows `(a, b)`, made primitive.
    rows: Vec<Row>,
    /// What each row was divided by.
    scales: Vec<Rational>,
}

impl Program {
    /// A program without constraints.
    pub fn new(variables: usize) -> Self {
        Program { variables, rows: Vec::new(), scales: Vec::new() }
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds the constraint `a·x ≤ b`; its number is how many there were before. Missing
    /// coefficients are zero.
    pub fn add(&mut self, a: &[Rational], b: &Rational) {
        let mut entries = a.to_vec();
        entries.resize(self.variables, Rational::ZERO);
        entries.push(b.clone());
        let row = Row::direction(&entries);
        let scale = row.leading().and_then(|j| entries[j].checked_div(&row.entry(j)));
        self.scales.push(scale.unwrap_or(Rational::ONE));
        self.rows.push(row);
    }

    /// Adds the equation `a·x = b`, as two constraints.
    pub fn add_equation(&mut self, a: &[Rational], b: &Rational) {
        self.add(a, b);
        let opposite: Vec<Rational> = a.iter().map(|value| -value).collect();
        self.add(&opposite, &-b);
    }

    /// Forgets all but the first constraints.
    pub fn truncate(&mut self, count: usize) {
        self.rows.truncate(count);
        self.scales.truncate(count);
    }

    /// The largest value of `c·x`. The answer depends on nothing but the constraints, their order,
    /// and the objective.
    pub fn maximise(&self, objective: &[Rational]) -> Optimum {
        let mut entries = objective.to_vec();
        entries.resize(self.variables, Rational::ZERO);
        let target = Row::direction(&entries);
        let scale = target
            .leading()
            .and_then(|j| entries[j].checked_div(&target.entry(j)))
            .unwrap_or(Rational::ONE);
        match self.solve(&target) {
            Solution::Found { at, multipliers } => {
                let value =
                    entries.iter().zip(&at).fold(Rational::ZERO, |sum, (c, x)| &sum + &(c * x));
                Optimum::Found { value, at, proof: self.unscaled(multipliers, &scale) }
            }
            Solution::Infeasible(multipliers) => {
                Optimum::Infeasible { proof: self.unscaled(multipliers, &Rational::ONE) }
            }
            Solution::Improving(direction) => {
                match self.solve(&Row::from_integers(vec![IBig::ZERO; self.variables])) {
                    Solution::Infeasible(multipliers) => {
                        Optimum::Infeasible { proof: self.unscaled(multipliers, &Rational::ONE) }
                    }
                    _ => Optimum::Unbounded { direction },
                }
            }
        }
    }

    /// Some point that satisfies all constraints, or the proof that there is none.
    pub fn feasible(&self) -> Result<Vec<Rational>, Multipliers> {
        match self.maximise(&[]) {
            Optimum::Found { at, .. } => Ok(at),
            Optimum::Unbounded { direction } => Ok(direction),
            Optimum::Infeasible { proof } => Err(proof),
        }
    }

    /// Multipliers of the constraints as they were given, from those of primitive rows.
    fn unscaled(&self, multipliers: Multipliers, objective: &Rational) -> Multipliers {
        let original = |(k, value): (usize, Rational)| {
            Some((k, (&value * objective).checked_div(&self.scales[k])?))
        };
        let mut multipliers: Multipliers = multipliers.into_iter().filter_map(original).collect();
        multipliers.sort_unstable();
        multipliers
    }

    /// Solves in the narrowest integers that hold all minors.
    fn solve(&self, target: &Row) -> Solution {
        let size = self.variables + 1;
        let mut widths = vec![1u64; size];
        let mut machine = target.as_small().is_some();
        for row in self.rows.iter().chain([target]) {
            let Some(entries) = row.as_small() else {
                machine = false;
                break;
            };
            widths
                .iter_mut()
                .zip(entries)
                .for_each(|(width, entry)| *width = (*width).max(Entry::bits(entry) as u64));
        }
        // Sums of as many functionals as there are columns must fit, too; and opposites of rows
        // must be rows.
        let room = u64::from(size.next_power_of_two().trailing_zeros());
        machine &= widths.iter().all(|&width| width <= 63);
        match if machine { minor_bits(&widths) + room } else { u64::MAX } {
            ..=127 => SimplexSearch::<Fixed<2>>::new(&self.rows, target).solve(),
            128..=255 => SimplexSearch::<Fixed<4>>::new(&self.rows, target).solve(),
            256..=511 => SimplexSearch::<Fixed<8>>::new(&self.rows, target).solve(),
            _ => SimplexSearch::<IBig>::new(&self.rows, target).solve(),
        }
    }
}
