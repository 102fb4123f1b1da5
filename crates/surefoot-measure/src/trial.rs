//! A model learned from records that are not exact, tried in the world that they are of: held-out
//! steps, and plans.
#![allow(
    clippy::unwrap_used,
    reason = "a program that cannot read its data has nothing to measure"
)]

use std::collections::BTreeMap;
use std::time::Duration;

use surefoot_base::assumptions::Spec;
use surefoot_base::exact::Rational;
use surefoot_base::margins::{ErrorFunctions, adapt};
use surefoot_base::model::compiled::{Checker, Compiled};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{
    Domain, FunctionId, GroundFunction, Problem, State, Universe, applicable_actions,
};
use surefoot_base::pddl::{Source, Trajectory, write_trajectory};
use surefoot_base::random::Random;
use surefoot_base::validate::{PlanVerdict, ValidPlan, validate};
use surefoot_learn::Settings;
use surefoot_learn::{Job, Learner, Model, OnBadData, Policy, Trace, Unwatched};
use surefoot_plan::{SearchLimits, SearchOptions, SearchOutcome, plan};

use crate::worlds::{RecordingKind, SimulatedWorld};

/// What happened in a run, and what was recorded of it.
pub struct RecordedRun {
    /// Where it began, and what was to be reached.
    pub problem: Problem,
    /// The execution as it really happened.
    pub truth: Trajectory,
    /// The same execution as it was recorded, with errors.
    pub record: Trajectory,
}

/// So many runs of so many steps, recorded one way. What happens is the same however it is
/// recorded.
pub fn runs(
    world: &SimulatedWorld,
    kind: RecordingKind,
    seed: u64,
    part: &str,
    count: usize,
    steps: usize,
) -> Vec<RecordedRun> {
    let mut runs = Vec::with_capacity(count);
    for number in 0..count {
        let mut random = Random::for_part(seed, &format!("{} {part} {number}", world.name));
        let problem = world.problem(&mut random);
        let truth = world.run(&problem, steps, &mut random);
        let problem = world.with_goal(problem, 4, &mut random);
        let record = world.record(kind, &problem, &truth, &mut random);
        runs.push(RecordedRun { problem, truth, record });
    }
    runs
}

fn learn_once(
    world: &SimulatedWorld,
    spec: &Spec,
    traces: &[Trace],
    on_bad: OnBadData,
) -> Result<Model, String> {
    let start = Learner::of(&world.domain, spec).map_err(|error| error.to_string())?;
    let settings = Settings::of_spec(spec, &start).map_err(|error| error.to_string())?;
    let job = Job {
        start: &start,
        settings: &settings,
        recording: &traces,
        policy: Policy::from(on_bad),
        digests: false,
        progress: &Unwatched,
    };
    job.run().map_err(|error| error.to_string())
}

/// Learns from runs; with the CPU time in milliseconds.
pub fn learn(
    world: &SimulatedWorld,
    spec: &Spec,
    runs: &[RecordedRun],
    on_bad: OnBadData,
) -> (Result<Model, String>, f64) {
    let traces: Vec<Trace> = (runs.iter().enumerate())
        .map(|(number, run)| {
            let text = write_trajectory(&world.domain, &run.problem.objects, &run.record);
            Trace::new(Source::new(format!("{number}.trajectory"), text), &run.problem.objects)
        })
        .collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        // The clock of a thread moves by some milliseconds at a time.
        let (start, mut times) = (cpu_ms(), 0.0);
        loop {
            let model = learn_once(world, spec, &traces, on_bad);
            times += 1.0;
            let spent = cpu_ms() - start;
            if spent >= 60.0 {
                return (model, spent / times);
            }
        }
    })
}

/// Time of this thread on a core.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}

/// What came of trying a model.
#[derive(Clone, Copy, Default, Debug)]
pub struct TrialTally {
    /// Records of which no model was learned.
    pub refused: usize,
    /// Held-out steps that really were taken.
    pub steps: usize,
    /// Those that the model allows.
    pub allowed: usize,
    /// Ground actions that the model allows in held-out states.
    pub asked: usize,
    /// Those that cannot really be taken.
    pub failing: usize,
    /// Those whose true successor is further off than the model says.
    pub outside: usize,
    /// The largest part of its bound that an error of a successor was.
    pub share_of_bound: f64,
    /// The number of problems that were tried.
    pub problems: usize,
    /// Problems with a plan.
    pub solved: usize,
    /// Plans that really reach the goal, exactly; from every true state that was tried.
    pub reaching: usize,
    /// The same where comparisons may be missed by 0.1, from the true state itself.
    pub within_tolerance: usize,
    /// The time of learning, in milliseconds.
    pub learning: f64,
}

impl TrialTally {
    /// Adds the counts of another trial.
    pub fn add(&mut self, other: &TrialTally) {
        self.refused += other.refused;
        self.steps += other.steps;
        self.allowed += other.allowed;
        self.asked += other.asked;
        self.failing += other.failing;
        self.outside += other.outside;
        self.share_of_bound = self.share_of_bound.max(other.share_of_bound);
        self.problems += other.problems;
        self.solved += other.solved;
        self.reaching += other.reaching;
        self.within_tolerance += other.within_tolerance;
        self.learning += other.learning;
    }
}

/// A model, and how far off the records are that it is asked about.
pub struct ModelTrial<'a> {
    world: &'a SimulatedWorld,
    model: &'a Domain,
    errors: BTreeMap<FunctionId, (FunctionId, Rational)>,
}

impl<'a> ModelTrial<'a> {
    /// Of a model's domain.
    pub fn new(world: &'a SimulatedWorld, model: &'a Domain, kind: RecordingKind) -> Self {
        let errors = ErrorFunctions::of(&model.signature);
        let errors = errors
            .iter()
            .map(|(function, error)| {
                let size = if world.is_exact(function) { Rational::ZERO } else { kind.error() };
                (function, (error, size))
            })
            .collect();
        ModelTrial { world, model, errors }
    }

    /// Asks about every state of runs that were not learned from.
    pub fn steps(&self, runs: &[RecordedRun], tally: &mut TrialTally) {
        let compiled = Compiled::new(self.model);
        for RecordedRun { problem, truth, record } in runs {
            let (real, learned) = (
                Semantics::new(&self.world.domain, &problem.objects),
                Semantics::new(self.model, &problem.objects),
            );
            let mut checker = Checker::new(&compiled, &problem.objects);
            let mut universe = record.universe.clone();
            for (index, (state, record)) in truth.states.iter().zip(&record.states).enumerate() {
                let estimate = self.estimate(&mut universe, record);
                let allowed =
                    applicable_actions(&mut checker, &mut universe, &estimate, &mut || true);
                if let Some(taken) = truth.actions.get(index) {
                    tally.steps += 1;
                    tally.allowed += usize::from(allowed.contains(taken));
                }
                for action in allowed {
                    tally.asked += 1;
                    let said = learned.successor(&action, &mut universe, &estimate).unwrap();
                    match real.successor(&action, &mut universe, state) {
                        Err(_) => tally.failing += 1,
                        Ok(ends) => {
                            let share = self.off(&universe, &said, &ends);
                            tally.outside += usize::from(share > 1.0);
                            tally.share_of_bound = tally.share_of_bound.max(share);
                        }
                    }
                }
            }
        }
    }

    /// What the model knows of a recorded state.
    fn estimate(&self, universe: &mut Universe, record: &State) -> State {
        let mut estimate = record.clone();
        let values: Vec<GroundFunction> =
            record.values().map(|(id, _)| universe.ground_function(id).clone()).collect();
        for function in values {
            if let Some((error, size)) = self.errors.get(&function.symbol) {
                let id = universe
                    .value(&GroundFunction { symbol: *error, arguments: function.arguments });
                estimate.set_value(id, size.clone());
            }
        }
        estimate
    }

    /// How far a true state is from an estimate, as a part of what the estimate admits; infinite
    /// where it is elsewhere.
    fn off(&self, universe: &Universe, estimate: &State, truth: &State) -> f64 {
        if estimate.differing_atoms(truth).next().is_some() {
            return f64::INFINITY;
        }
        let mut largest: f64 = 0.0;
        for (id, real) in truth.values() {
            let function = universe.ground_function(id);
            let Some(said) = estimate.value(id) else { return f64::INFINITY };
            let off = (real - said).abs();
            let error = self.errors.get(&function.symbol).and_then(|(symbol, _)| {
                estimate.value(universe.find_value(&GroundFunction {
                    symbol: *symbol,
                    arguments: function.arguments.clone(),
                })?)
            });
            match error.unwrap_or(&Rational::ZERO) {
                error if off > *error => return f64::INFINITY,
                error if !error.is_zero() => largest = largest.max(off.to_f64() / error.to_f64()),
                _ => {}
            }
        }
        largest
    }

    /// Solves the problems of runs with the model, from what was recorded of their first states.
    pub fn plans(
        &self,
        runs: &[RecordedRun],
        time: Duration,
        random: &mut Random,
        tally: &mut TrialTally,
    ) {
        for RecordedRun { problem, record, .. } in runs {
            tally.problems += 1;
            let Some(found) = self.plan(problem, record, time) else { continue };
            tally.solved += 1;
            let tenth = Rational::new(1, 10).unwrap();
            tally.within_tolerance += usize::from(self.reaches(problem, &found, &tenth));
            let others = (0..4).map(|_| self.possible(problem, record, random));
            let all = std::iter::once(problem.clone())
                .chain(others)
                .all(|problem| self.reaches(&problem, &found, &Rational::ZERO));
            tally.reaching += usize::from(all);
        }
    }

    /// Whether a plan really reaches the goal, with comparisons missed by so much.
    fn reaches(&self, problem: &Problem, plan: &ValidPlan, tolerance: &Rational) -> bool {
        matches!(validate(&self.world.domain, problem, plan, tolerance), PlanVerdict::Valid { .. })
    }

    fn plan(&self, problem: &Problem, record: &Trajectory, time: Duration) -> Option<ValidPlan> {
        let mut recorded = problem.clone();
        for (function, value) in &mut recorded.values {
            *value = record.states[0].value(record.universe.find_value(function)?)?.clone();
        }
        let initial =
            self.errors.iter().map(|(function, (_, size))| (*function, size.clone())).collect();
        let adapted = adapt(self.model, &recorded, &initial).ok()?.problem;
        let limits = SearchLimits { time: Some(time), ..SearchLimits::default() };
        match plan(
            self.model,
            &adapted,
            &SearchOptions::default().with(|options| options.limits = limits),
            &|_| true,
        )
        .outcome
        {
            SearchOutcome::Solved(plan) => Some(plan),
            _ => None,
        }
    }

    /// Another true beginning that the record leaves possible: a corner.
    fn possible(&self, problem: &Problem, record: &Trajectory, random: &mut Random) -> Problem {
        let mut other = problem.clone();
        for (function, value) in &mut other.values {
            let recorded =
                record.universe.find_value(function).and_then(|id| record.states[0].value(id));
            if let (Some((_, size)), Some(recorded)) = (self.errors.get(&function.symbol), recorded)
            {
                *value = if random.below(2) == 0 { recorded + size } else { recorded - size };
            }
        }
        other
    }
}
