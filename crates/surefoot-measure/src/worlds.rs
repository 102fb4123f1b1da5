//! Continuous worlds whose true values nobody sees: what happens in them is computed in exact
//! numbers, what is recorded of it is not exact. Counts and distances are whole numbers, and
//! recorded as they are.
#![allow(
    clippy::unwrap_used,
    reason = "a program that cannot make its worlds has nothing to measure"
)]

use std::collections::BTreeMap;

use surefoot_base::assumptions::Spec;
use surefoot_base::exact::Rational;
use surefoot_base::model::compiled::Compiled;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Comparison, Condition, Domain, Effect, Expression, FunctionId, GroundFunction, Lifted,
    LiftedFunction, NumericOperator, ObjectId, Problem, Term,
};
use surefoot_base::pddl::{Numbers, Source, Trajectory, read_domain, read_problem};
use surefoot_base::random::Random;

/// A world: its real domain, where it starts, and what a user would say of it.
pub struct SimulatedWorld {
    /// What it is called.
    pub name: &'static str,
    /// The real domain of the world, which learners never see.
    pub domain: Domain,
    /// How many decimals the coefficients of its effects have.
    pub effect_decimals: u32,
    /// The functions that are whole numbers, recorded as they are.
    exact: &'static [&'static str],
    /// By action: the functions that it has to do with.
    relevant: Option<&'static str>,
    start: fn(&mut Random) -> String,
}

/// How values are recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RecordingKind {
    /// Numbers are recorded as they are.
    Exact,
    /// By a simulator that computes in floats.
    Floats,
    /// Rounded to so many decimals.
    Rounded(u32),
    /// With uniform noise of a thousandth of the range.
    Noise,
}

/// What a range is large as.
const RANGE: i64 = 100;

impl RecordingKind {
    /// How far a record of this kind may be from the true value.
    pub fn error(self) -> Rational {
        match self {
            RecordingKind::Exact => Rational::ZERO,
            RecordingKind::Floats => Rational::new(1, 1_000_000_000).unwrap(),
            RecordingKind::Rounded(decimals) => Rational::new(1, 2 * 10_i64.pow(decimals)).unwrap(),
            RecordingKind::Noise => Rational::new(RANGE, 1000).unwrap(),
        }
    }

    /// What to call it.
    pub fn name(self) -> String {
        match self {
            RecordingKind::Exact => "exact".into(),
            RecordingKind::Floats => "floats".into(),
            RecordingKind::Rounded(decimals) => format!("{decimals} decimals"),
            RecordingKind::Noise => "noise".into(),
        }
    }
}

fn read_world(text: &str) -> Domain {
    read_domain(&Source::new("domain.pddl", text)).unwrap()
}

/// All simulated worlds, in the order of the table.
pub fn worlds() -> Vec<SimulatedWorld> {
    vec![
        SimulatedWorld {
            name: "tank",
            domain: read_world(include_str!("worlds/tank.pddl")),
            effect_decimals: 2,
            exact: &[],
            relevant: None,
            start: |random| {
                let mut facts = String::new();
                for tank in ["t1", "t2"] {
                    facts += &format!("(= (temperature {tank}) {})", tenths(random, 5, 95));
                    facts += &format!("(= (level {tank}) {})", tenths(random, 2, 100));
                }
                format!(
                    "(define (problem p) (:domain tank) (:objects t1 t2) (:init {facts}) (:goal \
                     (and)))"
                )
            },
        },
        SimulatedWorld {
            name: "battery",
            domain: read_world(include_str!("worlds/battery.pddl")),
            effect_decimals: 2,
            exact: &["distance", "carried"],
            relevant: None,
            start: |random| {
                let mut facts = format!(
                    "(charger p0)(at r p{})(= (battery r) {})",
                    random.below(4),
                    tenths(random, 3, 100)
                );
                let mut carried = 0;
                for number in 0..4 {
                    if carried < 3 && random.below(3) == 0 {
                        facts += &format!("(held b{number} r)");
                        carried += 1;
                    } else {
                        facts += &format!("(lies b{number} p{})", random.below(4));
                    }
                    for other in 0..number {
                        let distance = 1 + random.below(24);
                        facts += &format!("(= (distance p{number} p{other}) {distance})");
                        facts += &format!("(= (distance p{other} p{number}) {distance})");
                    }
                }
                facts += &format!("(= (carried r) {carried})");
                let objects = "r - robot p0 p1 p2 p3 - place b0 b1 b2 b3 - box";
                format!(
                    "(define (problem p) (:domain battery) (:objects {objects}) (:init {facts}) \
                     (:goal (and)))"
                )
            },
        },
        SimulatedWorld {
            name: "plant",
            domain: read_world(include_str!("worlds/plant.pddl")),
            effect_decimals: 2,
            exact: &["batches"],
            relevant: Some(
                r#"{"feed-acid": ["(acid ?r)", "(base ?r)", "(temperature ?r)"],
                    "feed-base": ["(acid ?r)", "(base ?r)", "(temperature ?r)"],
                    "heat": ["(temperature ?r)"],
                    "react": ["(acid ?r)", "(base ?r)", "(temperature ?r)", "(product ?r)"],
                    "ship": ["(product ?r)", "(batches ?r)"]}"#,
            ),
            start: |random| {
                let mut facts = format!("(= (batches r) {})", random.below(6));
                for (name, high) in
                    [("acid", 70), ("base", 70), ("temperature", 95), ("product", 60)]
                {
                    facts += &format!("(= ({name} r) {})", tenths(random, 5, high));
                }
                format!(
                    "(define (problem p) (:domain plant) (:objects r) (:init {facts}) (:goal \
                     (and)))"
                )
            },
        },
    ]
}

/// A number with one decimal, often near an end of its range, where conditions end too.
fn tenths(random: &mut Random, low: usize, high: usize) -> String {
    let value = match random.below(8) {
        0 => 10 * low + random.below(20),
        1 => 10 * high - random.below(20),
        _ => 10 * low + random.below(10 * (high - low) + 1),
    };
    format!("{}.{}", value / 10, value % 10)
}

impl SimulatedWorld {
    /// Where a run begins; with no goal.
    pub fn problem(&self, random: &mut Random) -> Problem {
        read_problem(
            &Source::new("problem.pddl", (self.start)(random)),
            &self.domain,
            Numbers::Exact,
        )
        .unwrap()
    }

    /// What really happened in some steps by chance.
    pub fn run(&self, problem: &Problem, steps: usize, random: &mut Random) -> Trajectory {
        let mut trajectory = Trajectory::default();
        let mut state = problem.initial_state(&mut trajectory.universe);
        let (compiled, semantics) =
            (Compiled::new(&self.domain), Semantics::new(&self.domain, &problem.objects));
        let universe = &mut trajectory.universe;
        let actions = surefoot_analysis::evaluate::wander(
            &compiled,
            &problem.objects,
            universe,
            &state,
            steps,
            random,
        );
        for action in actions {
            let next = semantics.successor(&action, universe, &state).unwrap();
            trajectory.states.push(std::mem::replace(&mut state, next));
            trajectory.actions.push(action);
        }
        trajectory.states.push(state);
        trajectory
    }

    /// A goal that some steps by chance reach: what became true of atoms, and two numbers near
    /// those reached.
    pub fn with_goal(&self, mut problem: Problem, steps: usize, random: &mut Random) -> Problem {
        let trajectory = self.run(&problem, steps, random);
        let (first, last) = (&trajectory.states[0], trajectory.states.last().unwrap());
        let mut goal = Vec::new();
        for atom in last.atoms().filter(|&atom| !first.contains(atom)) {
            let atom = trajectory.universe.ground_atom(atom);
            let terms = atom.arguments.iter().map(|&object| Term::Object(object)).collect();
            goal.push(Condition::Atom(Lifted { symbol: atom.symbol, terms }));
        }
        let mut changed: Vec<_> = last.differing_values(first).collect();
        random.shuffle(&mut changed);
        for id in changed.into_iter().take(2) {
            let function = trajectory.universe.ground_function(id);
            let terms = function.arguments.iter().map(|&object| Term::Object(object)).collect();
            let read = Expression::Function(Lifted { symbol: function.symbol, terms });
            let value = last.value(id).unwrap();
            let slack =
                if self.is_exact(function.symbol) { Rational::ZERO } else { Rational::from(4) };
            for (comparison, bound) in [
                (Comparison::GreaterOrEqual, value - &slack),
                (Comparison::LessOrEqual, value + &slack),
            ] {
                goal.push(Condition::Compare(
                    comparison,
                    Box::new([read.clone(), Expression::Number(bound)]),
                ));
            }
        }
        problem.goal = Condition::And(goal);
        problem
    }

    /// Whether a function is recorded as it is.
    pub fn is_exact(&self, function: FunctionId) -> bool {
        self.exact.contains(&self.domain.signature.functions.name(function.index()))
    }

    /// What a user says: how far records may be off, and how many decimals effects have, if that is
    /// said.
    pub fn spec(&self, kind: RecordingKind, effect_decimals: bool) -> Spec {
        let mut spec = Spec::default();
        if let Some(map) = self.relevant {
            spec.set("relevant", serde_json::from_str(map).unwrap()).unwrap();
        }
        if kind != RecordingKind::Exact {
            let mut map =
                serde_json::Map::from_iter([("*".to_owned(), kind.error().to_string().into())]);
            map.extend(self.exact.iter().map(|name| ((*name).to_owned(), 0.into())));
            spec.set("error", map.into()).unwrap();
            if effect_decimals {
                spec.set("effect-decimals", self.effect_decimals.into()).unwrap();
            }
        }
        spec
    }

    /// What is recorded of what happened.
    pub fn record(
        &self,
        kind: RecordingKind,
        problem: &Problem,
        truth: &Trajectory,
        random: &mut Random,
    ) -> Trajectory {
        let mut record = truth.clone();
        if kind == RecordingKind::Floats {
            self.float_states(problem, &mut record);
        }
        for (state, real) in record.states.iter_mut().zip(&truth.states) {
            for (id, value) in real.values() {
                if self.is_exact(truth.universe.ground_function(id).symbol) {
                    state.set_value(id, value.clone());
                    continue;
                }
                match kind {
                    RecordingKind::Exact | RecordingKind::Floats => {}
                    RecordingKind::Rounded(decimals) => {
                        state.set_value(id, rounded(value, decimals))
                    }
                    RecordingKind::Noise => {
                        state.set_value(id, rounded(&(value + &noise(random, &kind.error())), 4))
                    }
                }
                let off = state.value(id).unwrap() - value;
                assert!(
                    off.abs() <= kind.error(),
                    "a record that is further off than it should be"
                );
            }
        }
        record
    }

    /// The same steps as a simulator takes them that computes in floats.
    fn float_states(&self, problem: &Problem, record: &mut Trajectory) {
        let mut values: BTreeMap<GroundFunction, f64> = problem
            .values
            .iter()
            .map(|(function, value)| (function.clone(), value.to_f64()))
            .collect();
        for index in 0..record.states.len() {
            let state = &mut record.states[index];
            for (function, value) in &values {
                let value = Numbers::Exact.read(&format!("{value}")).unwrap();
                state.set_value(record.universe.value(function), value);
            }
            if let Some(action) = record.actions.get(index) {
                let mut after = values.clone();
                float_effect(
                    &self.domain.action(action.symbol).effect,
                    &action.arguments,
                    &values,
                    &mut after,
                );
                values = after;
            }
        }
    }
}

/// A uniform number within an error, the ends included.
fn noise(random: &mut Random, error: &Rational) -> Rational {
    // Fewer than the error, so that rounding stays within it.
    let part = Rational::new(random.below(1999) as i64 - 999, 1000).unwrap();
    &part * error
}

/// The nearest number with so many decimals.
pub fn rounded(value: &Rational, decimals: u32) -> Rational {
    Numbers::Decimals(decimals).read(&value.to_decimal().unwrap()).unwrap()
}

type FloatValues = BTreeMap<GroundFunction, f64>;

fn ground(function: &LiftedFunction, arguments: &[ObjectId]) -> GroundFunction {
    GroundFunction {
        symbol: function.symbol,
        arguments: function
            .terms
            .iter()
            .map(|term| match term {
                Term::Variable(slot) => arguments[*slot as usize],
                Term::Object(object) => *object,
            })
            .collect(),
    }
}

fn float_value(expression: &Expression, arguments: &[ObjectId], values: &FloatValues) -> f64 {
    let of = |part: &Expression| float_value(part, arguments, values);
    match expression {
        Expression::Number(number) => number.to_f64(),
        Expression::Function(function) => values[&ground(function, arguments)],
        Expression::Sum(parts) => parts.iter().map(of).sum(),
        Expression::Product(parts) => parts.iter().map(of).product(),
        Expression::Difference(both) => of(&both[0]) - of(&both[1]),
        Expression::Negation(inner) => -of(inner),
        Expression::Quotient(both) => of(&both[0]) / of(&both[1]),
        Expression::TotalTime => unreachable!("in metrics only"),
    }
}

fn float_effect(
    effect: &Effect,
    arguments: &[ObjectId],
    values: &FloatValues,
    after: &mut FloatValues,
) {
    match effect {
        Effect::And(parts) => {
            parts.iter().for_each(|part| float_effect(part, arguments, values, after))
        }
        Effect::Numeric(numeric) => {
            let (target, by) = (
                ground(&numeric.target, arguments),
                float_value(&numeric.value, arguments, values),
            );
            let old = values[&target];
            let new = match numeric.operator {
                NumericOperator::Assign => by,
                NumericOperator::Increase => old + by,
                NumericOperator::Decrease => old - by,
                NumericOperator::ScaleUp => old * by,
                NumericOperator::ScaleDown => old / by,
            };
            after.insert(target, new);
        }
        Effect::Add(_) | Effect::Delete(_) => {}
        Effect::When(..) | Effect::ForAll(..) => unreachable!("the worlds have no such effects"),
    }
}
