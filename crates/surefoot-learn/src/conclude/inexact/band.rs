//! Affine maps within a band around what was recorded, and linear programs over them.
//!
//! A *band* is the set of maps `f` with `|f(x_j) - T_j| ≤ S + d·f` for all records `j`: `S` is how
//! far a map may be off whatever it is, and `d` how much more it may be off for each unit of a
//! coefficient (an error, with the sign that the coefficient is taken to have). Records are many
//! and few of them matter, so a program is solved over some, and records that its answer violates
//! are added until there are none. Doubles say which; where they cannot, exact numbers do.

use std::collections::BTreeSet;

use surefoot_base::exact::{Multipliers, Optimum, Program, Rational};
use surefoot_base::ids::Id;
use surefoot_base::invariant::Invariant;

use crate::evidence::ActiveColumn;

/// Records as exact numbers and as doubles.
pub(super) struct RecordVectors<'a> {
    rows: &'a [(Vec<Rational>, Rational)],
    doubles: Vec<Vec<f64>>,
}

impl<'a> RecordVectors<'a> {
    pub fn new(rows: &'a [(Vec<Rational>, Rational)]) -> Self {
        RecordVectors {
            rows,
            doubles: rows.iter().map(|(x, _)| x.iter().map(Rational::to_f64).collect()).collect(),
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The vectors and the values afterwards.
    pub fn rows(&self) -> &'a [(Vec<Rational>, Rational)] {
        self.rows
    }

    fn value(&self, j: usize, column: ActiveColumn) -> &'a Rational {
        &self.rows[j].0[column.index()]
    }

    /// The records that programs start with: those where a column or the value afterwards is least
    /// or largest.
    pub fn extreme(&self) -> BTreeSet<usize> {
        let columns = self.rows.first().map_or(0, |(x, _)| x.len());
        let mut extreme = BTreeSet::new();
        for place in 0..=columns {
            extreme.extend((0..self.len()).min_by_key(|&j| self.number(j, place)));
            extreme.extend((0..self.len()).max_by_key(|&j| self.number(j, place)));
        }
        extreme
    }

    /// The value of a column; after the last column the value afterwards.
    fn number(&self, j: usize, place: usize) -> &'a Rational {
        let (x, after) = &self.rows[j];
        x.get(place).unwrap_or(after)
    }
}

/// Maps over some columns within a distance of all records.
#[derive(Clone)]
pub(super) struct Band<'a> {
    records: &'a RecordVectors<'a>,
    /// Whether the constant is a variable; then it is the first.
    constant: bool,
    columns: Vec<ActiveColumn>,
    /// `T_j`, exactly and as doubles.
    targets: Vec<Rational>,
    target_doubles: Vec<f64>,
    /// How much room the band leaves, `S` in the proof.
    slack: Rational,
    /// The tilt `d`, by column.
    tilt: Vec<Rational>,
}

/// The result of a program over a band. Multipliers of records are signed: positive where the map
/// is at its upper end.
pub(super) enum Extreme {
    /// The largest value, and weights `c_j` of records that add up to the objective.
    Found {
        value: Rational,
        weights: Vec<(usize, Rational)>,
    },
    Unbounded,
    Empty,
}

impl Extreme {
    /// The largest value, where there is one.
    pub fn value(self) -> Option<Rational> {
        match self {
            Extreme::Found { value, .. } => Some(value),
            Extreme::Unbounded | Extreme::Empty => None,
        }
    }
}

impl<'a> Band<'a> {
    pub fn new(
        records: &'a RecordVectors<'a>,
        columns: Vec<ActiveColumn>,
        targets: Vec<Rational>,
        slack: Rational,
    ) -> Self {
        let tilt = vec![Rational::ZERO; columns.len()];
        let target_doubles = targets.iter().map(Rational::to_f64).collect();
        Band { records, constant: true, columns, targets, target_doubles, slack, tilt }
    }

    /// The band with another tilt `d`.
    #[must_use]
    pub fn tilted(&self, tilt: Vec<Rational>) -> Self {
        Band { tilt, ..self.clone() }
    }

    pub fn columns(&self) -> &[ActiveColumn] {
        &self.columns
    }

    /// How many variables the maps have.
    pub fn variables(&self) -> usize {
        usize::from(self.constant) + self.columns.len()
    }

    /// The place of a column, or of the constant, among the variables.
    fn place(&self, column: Option<ActiveColumn>) -> Option<usize> {
        match column {
            None => self.constant.then_some(0),
            Some(column) => {
                let place = self.columns.iter().position(|&other| other == column)?;
                Some(place + usize::from(self.constant))
            }
        }
    }

    /// The maps whose coefficient of a column (or constant) is this.
    #[must_use]
    pub fn fixed(mut self, column: Option<ActiveColumn>, value: &Rational) -> Self {
        let Some(place) = self.place(column) else { return self };
        for (j, target) in self.targets.iter_mut().enumerate() {
            *target = match column {
                None => &*target - value,
                Some(column) => &*target - &(value * self.records.value(j, column)),
            };
        }
        self.target_doubles = self.targets.iter().map(Rational::to_f64).collect();
        if column.is_some() {
            let place = place - usize::from(self.constant);
            self.slack += &(&self.tilt[place] * value);
            self.columns.remove(place);
            self.tilt.remove(place);
        } else {
            self.constant = false;
        }
        self
    }

    /// Row `j` over the variables.
    fn row(&self, j: usize) -> Vec<Rational> {
        let constant = self.constant.then_some(Rational::ONE);
        constant
            .into_iter()
            .chain(self.columns.iter().map(|&column| self.records.value(j, column).clone()))
            .collect()
    }

    /// Both conditions of a record: `±(row · f - T) - d·f + t ≤ S`, where `t` is a last variable,
    /// if there is one.
    fn add(&self, program: &mut Program, j: usize, margin: bool) {
        let row = self.row(j);
        // The constant has no tilt.
        let tilts: Vec<&Rational> =
            self.constant.then_some(&Rational::ZERO).into_iter().chain(&self.tilt).collect();
        for upper in [true, false] {
            let mut entries: Vec<Rational> = row
                .iter()
                .enumerate()
                .map(|(i, value)| if upper { value - tilts[i] } else { &-value - tilts[i] })
                .collect();
            entries.extend(margin.then_some(Rational::ONE));
            let bound =
                if upper { &self.slack + &self.targets[j] } else { &self.slack - &self.targets[j] };
            program.add(&entries, &bound);
        }
    }

    /// The records that a map violates, the worst first. Of a direction (`homogeneous`) those that
    /// stop it.
    fn violated(&self, at: &[Rational], homogeneous: bool, known: &BTreeSet<usize>) -> Vec<usize> {
        let first = usize::from(self.constant);
        let doubles: Vec<f64> = at.iter().map(Rational::to_f64).collect();
        let tilts = self.tilt.iter().zip(&at[first..]);
        let slack = tilts
            .fold(if homogeneous { Rational::ZERO } else { self.slack.clone() }, |sum, (d, f)| {
                &sum + &(d * f)
            });
        let allowed = slack.to_f64();
        let mut found: Vec<(f64, usize)> = Vec::new();
        for j in (0..self.records.len()).filter(|j| !known.contains(j)) {
            let (mut sum, mut size) =
                if self.constant { (doubles[0], doubles[0].abs()) } else { (0.0, 0.0) };
            for (column, factor) in self.columns.iter().zip(&doubles[first..]) {
                let term = factor * self.records.doubles[j][column.index()];
                sum += term;
                size += term.abs();
            }
            let target = if homogeneous { 0.0 } else { self.target_doubles[j] };
            let excess = (sum - target).abs() - allowed;
            // Each number is off by three roundings at most, and each of the sums by one.
            let error =
                (at.len() as f64 + 16.0) * f64::EPSILON * (size + target.abs() + allowed.abs())
                    + f64::MIN_POSITIVE;
            let violated = if excess > error {
                true
            } else if excess < -error {
                false
            } else {
                let exact =
                    self.row(j).iter().zip(at).fold(Rational::ZERO, |sum, (x, f)| &sum + &(x * f));
                let distance = if homogeneous { exact } else { &exact - &self.targets[j] };
                distance.abs() > slack
            };
            if violated {
                found.push((if excess.is_nan() { f64::INFINITY } else { excess }, j));
            }
        }
        found.sort_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
        found.truncate(at.len() + 2);
        found.into_iter().map(|(_, j)| j).collect()
    }

    /// Ready for questions about coefficients, starting from some records.
    pub fn bounds(&self, working: &BTreeSet<usize>) -> Bounds<'_, 'a> {
        let mut bounds = Bounds {
            band: self,
            program: Program::new(self.variables()),
            order: Vec::new(),
            known: BTreeSet::new(),
        };
        bounds.add(working.iter().copied());
        bounds
    }

    /// A map as far inside as the records of a program allow, and how far: below zero where none is
    /// within.
    pub fn widest(&self, working: &BTreeSet<usize>) -> (Rational, Vec<Rational>) {
        let size = self.variables();
        let mut program = Program::new(size + 1);
        working.iter().for_each(|&j| self.add(&mut program, j, true));
        let mut margin = vec![Rational::ZERO; size + 1];
        margin[size] = Rational::ONE;
        // A map may fit far better than it must, without end where the band widens: enough is
        // enough.
        program.add(&margin, &self.slack.abs());
        match program.maximise(&margin) {
            Optimum::Found { value, mut at, .. } => {
                at.truncate(size);
                (value, at)
            }
            // A margin that is small enough is always possible, and it has a bound.
            Optimum::Unbounded { .. } | Optimum::Infeasible { .. } => {
                (-&Rational::ONE, vec![Rational::ZERO; size])
            }
        }
    }

    /// A map within the band, if there is one.
    pub fn middle(&self, working: &mut BTreeSet<usize>) -> Option<Vec<Rational>> {
        loop {
            let (margin, at) = self.widest(working);
            if margin.signum() < 0 {
                return None;
            }
            let added = self.violated(&at, false, working);
            if added.is_empty() {
                return Some(at);
            }
            working.extend(added);
        }
    }
}

/// A band as one program that grows: each question starts from the records that mattered to those
/// before.
pub(super) struct Bounds<'b, 'a> {
    band: &'b Band<'a>,
    program: Program,
    /// The records of the program, two conditions each.
    order: Vec<usize>,
    known: BTreeSet<usize>,
}

impl Bounds<'_, '_> {
    fn add(&mut self, records: impl IntoIterator<Item = usize>) {
        for j in records {
            if self.known.insert(j) {
                self.order.push(j);
                self.band.add(&mut self.program, j, false);
            }
        }
    }

    /// The records that mattered.
    pub fn into_working(self) -> BTreeSet<usize> {
        self.known
    }

    /// The least and the largest coefficient of a column (or constant), where there are such.
    pub fn range(&mut self, column: Option<ActiveColumn>) -> (Option<Rational>, Option<Rational>) {
        let high = self.extreme(column, true).value();
        let low = self.extreme(column, false).value().map(|value| -&value);
        (low, high)
    }

    /// The largest coefficient of a column (or constant), or the largest of its opposite.
    pub fn extreme(&mut self, column: Option<ActiveColumn>, upward: bool) -> Extreme {
        let mut objective = vec![Rational::ZERO; self.band.variables()];
        let Some(place) = self.band.place(column) else { return Extreme::Unbounded };
        objective[place] = if upward { Rational::ONE } else { -&Rational::ONE };
        loop {
            let added = match self.program.maximise(&objective) {
                Optimum::Infeasible { .. } => return Extreme::Empty,
                Optimum::Found { value, at, proof } => {
                    let added = self.band.violated(&at, false, &self.known);
                    if added.is_empty() {
                        return Extreme::Found {
                            value,
                            weights: signed(proof, &self.order, upward),
                        };
                    }
                    added
                }
                Optimum::Unbounded { direction } => {
                    let length = direction
                        .iter()
                        .map(Rational::abs)
                        .max()
                        .invariant("a program without variables is bounded");
                    let direction: Vec<Rational> = direction
                        .iter()
                        .map(|value| {
                            value.checked_div(&length).invariant("a direction is not zero")
                        })
                        .collect();
                    let added = self.band.violated(&direction, true, &self.known);
                    if added.is_empty() {
                        // The direction is free; whether there is a map at all is another question.
                        let some = self.band.middle(&mut self.known.clone()).is_some();
                        return if some { Extreme::Unbounded } else { Extreme::Empty };
                    }
                    added
                }
            };
            self.add(added);
        }
    }
}

/// Weights of records from the multipliers of their two conditions, sorted by record.
fn signed(proof: Multipliers, order: &[usize], upward: bool) -> Vec<(usize, Rational)> {
    let mut weights: Vec<(usize, Rational)> = Vec::new();
    for (condition, multiplier) in proof {
        let record = order[condition / 2];
        let weight = if (condition % 2 == 0) == upward { multiplier } else { -&multiplier };
        match weights.last_mut() {
            Some((last, sum)) if *last == record => *sum += &weight,
            _ => weights.push((record, weight)),
        }
    }
    weights.retain(|(_, weight)| !weight.is_zero());
    weights.sort_unstable();
    weights
}
