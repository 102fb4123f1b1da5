//! Laws of linear programs: every answer proves itself, and the largest value is that of the best
//! vertex, found by trying all.

use proptest::prelude::*;
use surefoot_base::exact::{Multipliers, Optimum, Program, Rational};

type Vector = Vec<Rational>;

/// Constraints `a·x ≤ b` and an objective.
#[derive(Clone, Debug)]
struct Case {
    constraints: Vec<(Vector, Rational)>,
    objective: Vector,
}

impl Case {
    fn program(&self) -> Program {
        let mut program = Program::new(self.objective.len());
        self.constraints.iter().for_each(|(a, b)| program.add(a, b));
        program
    }

    fn is_feasible(&self, x: &[Rational]) -> bool {
        self.constraints.iter().all(|(a, b)| dot(a, x) <= *b)
    }

    /// `Σ multiplier · (a, b)`; multipliers must be positive, and each of one constraint.
    fn sum(&self, proof: &Multipliers) -> (Vector, Rational) {
        assert!(proof.windows(2).all(|pair| pair[0].0 < pair[1].0), "each constraint once");
        let mut sum = (vec![Rational::ZERO; self.objective.len()], Rational::ZERO);
        for (k, weight) in proof {
            assert!(weight.signum() > 0, "multipliers are positive");
            let (a, b) = &self.constraints[*k];
            sum.0.iter_mut().zip(a).for_each(|(total, value)| *total += &(weight * value));
            sum.1 += &(weight * b);
        }
        sum
    }

    /// Panics unless the answer is proved by what comes with it.
    fn verify(&self, answer: &Optimum) {
        match answer {
            Optimum::Found { value, at, proof } => {
                assert!(self.is_feasible(at));
                assert_eq!(dot(&self.objective, at), *value);
                assert_eq!(self.sum(proof), (self.objective.clone(), value.clone()));
            }
            Optimum::Unbounded { direction } => {
                assert!(self.is_feasible(&self.program().feasible().unwrap()));
                assert!(self.constraints.iter().all(|(a, _)| dot(a, direction).signum() <= 0));
                assert!(dot(&self.objective, direction).signum() > 0);
            }
            Optimum::Infeasible { proof } => {
                let (row, bound) = self.sum(proof);
                assert!(row.iter().all(Rational::is_zero) && bound.signum() < 0);
            }
        }
    }

    /// The largest value at a vertex. With a bounded feasible set, that is the largest of all.
    fn best_vertex(&self) -> Option<Rational> {
        let size = self.objective.len();
        let choices =
            (0..1usize << self.constraints.len()).filter(|mask| mask.count_ones() as usize == size);
        let chosen = |mask: usize| (0..self.constraints.len()).filter(move |k| mask >> k & 1 == 1);
        let systems = choices
            .map(|mask| chosen(mask).map(|k| self.constraints[k].clone()).collect::<Vec<_>>());
        let vertices = systems.filter_map(solved).filter(|x| self.is_feasible(x));
        vertices.map(|x| dot(&self.objective, &x)).max()
    }
}

fn dot(a: &[Rational], b: &[Rational]) -> Rational {
    a.iter().zip(b).fold(Rational::ZERO, |sum, (a, b)| &sum + &(a * b))
}

/// The one solution of a square system.
fn solved(mut system: Vec<(Vector, Rational)>) -> Option<Vector> {
    for k in 0..system.len() {
        let found = (k..system.len()).find(|&i| !system[i].0[k].is_zero())?;
        system.swap(k, found);
        let inverse = system[k].0[k].recip()?;
        let lead: (Vector, Rational) =
            (system[k].0.iter().map(|value| value * &inverse).collect(), &system[k].1 * &inverse);
        for (i, (row, bound)) in system.iter_mut().enumerate() {
            if i != k {
                let factor = -&row[k];
                row.iter_mut().zip(&lead.0).for_each(|(value, left)| *value += &(&factor * left));
                *bound += &(&factor * &lead.1);
            }
        }
        system[k] = lead;
    }
    Some(system.into_iter().map(|(_, value)| value).collect())
}

fn number() -> impl Strategy<Value = Rational> {
    prop_oneof![
        6 => (-3i64..4).prop_map(Rational::integer),
        2 => (-30i64..30, 1i64..9).prop_map(|(num, den)| Rational::new(num, den).unwrap()),
        1 => (any::<i64>(), 1i64..1_000_000_000_000)
            .prop_map(|(num, den)| Rational::new(num, den).unwrap()),
    ]
}

fn small() -> impl Strategy<Value = Rational> {
    (-3i64..4).prop_map(Rational::integer)
}

fn case<N: Strategy<Value = Rational> + Clone>(
    number: N,
    sizes: std::ops::Range<usize>,
    most: usize,
) -> impl Strategy<Value = Case> {
    sizes.prop_flat_map(move |size| {
        let vector = prop::collection::vec(number.clone(), size);
        let constraints = prop::collection::vec((vector.clone(), number.clone()), 0..most);
        (constraints, vector).prop_map(|(constraints, objective)| Case { constraints, objective })
    })
}

proptest! {
    #[test]
    fn every_answer_proves_itself(
        case in prop_oneof![case(small().boxed(), 0..5, 12), case(number().boxed(), 0..5, 30)],
    ) {
        case.verify(&case.program().maximise(&case.objective));
    }

    #[test]
    fn the_largest_value_is_that_of_the_best_vertex(
        mut case in case(small().boxed(), 1..4, 6),
        box_size in 1i64..5,
    ) {
        for j in 0..case.objective.len() {
            for side in [-1, 1] {
                let mut row = vec![Rational::ZERO; case.objective.len()];
                row[j] = Rational::integer(side);
                case.constraints.push((row, Rational::integer(box_size)));
            }
        }
        let answer = case.program().maximise(&case.objective);
        case.verify(&answer);
        let found = if let Optimum::Found { value, .. } = answer { Some(value) } else { None };
        prop_assert_eq!(found, case.best_vertex());
    }

    /// Fits with many records, nearly degenerate: values near one another, bounds far below the
    /// rounding of doubles.
    #[test]
    fn tiny_slacks_are_decided(
        points in prop::collection::vec(prop::collection::vec(0i64..1_000_000, 3), 5..60),
        hidden in prop::collection::vec(-5i64..6, 4),
        objective in prop::collection::vec(-2i64..3, 4),
        digits in 3u32..16,
    ) {
        let tiny = Rational::new(1, 10i64.pow(digits)).unwrap();
        let mut constraints = Vec::new();
        for point in &points {
            let mut row = vec![Rational::ONE];
            row.extend(point.iter().map(|value| Rational::new(*value, 1_000_000).unwrap()));
            let value =
                dot(&row, &hidden.iter().copied().map(Rational::integer).collect::<Vec<_>>());
            let opposite = row.iter().map(|value| -value).collect();
            constraints.push((row, &value + &tiny));
            constraints.push((opposite, &tiny - &value));
        }
        let case =
            Case { constraints, objective: objective.into_iter().map(Rational::integer).collect() };
        let answer = case.program().maximise(&case.objective);
        case.verify(&answer);
        let infeasible = matches!(answer, Optimum::Infeasible { .. });
        prop_assert!(!infeasible);
    }
}
