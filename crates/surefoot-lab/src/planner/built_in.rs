//! Our own planner, in this process.

use std::sync::atomic::{AtomicBool, Ordering};

use surefoot_plan::{self as plan, SearchProgress};

use super::{Manner, Planner, PlannerAttempt, PlannerConclusion, PlannerEntry};

pub const ENTRY: PlannerEntry =
    PlannerEntry { name: NAME, place: None, find: |setup| Ok(Box::new(BuiltIn(setup.manner))) };

const NAME: &str = "builtin";

#[derive(Debug)]
struct BuiltIn(Manner);

impl Planner for BuiltIn {
    fn name(&self) -> &str {
        NAME
    }

    fn attempt(&self, attempt: &mut PlannerAttempt<'_>) -> PlannerConclusion {
        let Manner { minimize, seed, threads } = self.0;
        let threads = threads.max(1);
        // On that many cores, no more processor time than allowed can pass in this time.
        let cpu = attempt.limits.cpu.map(|cpu| cpu / u32::try_from(threads).unwrap_or(u32::MAX));
        let time = [attempt.limits.time, cpu].into_iter().flatten().min();
        let memory =
            attempt.limits.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let options = plan::SearchOptions::default().with(|options| {
            options.limits = plan::SearchLimits { time, memory };
            options.minimize = minimize;
            options.seed = seed;
            options.threads = threads;
        });
        let stopped = AtomicBool::new(false);
        let report =
            plan::plan(attempt.domain, attempt.problem, &options, &|progress: &SearchProgress| {
                let go_on = attempt.goes_on(Some(progress));
                if !go_on {
                    stopped.store(true, Ordering::Relaxed);
                }
                go_on
            });
        attempt.effort.search = Some(report.effort);
        match report.outcome {
            plan::SearchOutcome::Solved(plan) => PlannerConclusion::Solved(plan),
            plan::SearchOutcome::Unsolvable => PlannerConclusion::Unsolvable,
            plan::SearchOutcome::TimeLimit if stopped.into_inner() => PlannerConclusion::Cancelled,
            plan::SearchOutcome::TimeLimit => PlannerConclusion::TimeLimit,
            plan::SearchOutcome::MemoryLimit => PlannerConclusion::MemoryLimit,
            plan::SearchOutcome::Fault(what) => PlannerConclusion::Failed(what),
        }
    }
}
