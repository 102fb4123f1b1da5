//! PlanMiner behind the seam for learners.
//!
//! It is no monoid of bounded size, as the learners of this library are: it keeps the rows of all
//! steps, and what it learns depends on the order of traces. Traces are taken in the order of their
//! numbers, whoever observed them.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::body::body;
use super::closed_world::see;
use super::observed::SeenTrace;
use super::regression::{EVALUATIONS_OF_A_RUN, Searching};
use super::repairs::Repairs;
use super::run::{Crash, End, MinerInputs, MinerRun, run};
use super::work::Work;
use surefoot_base::assumptions::{Repair, Spec};
use surefoot_base::model::{Action, Domain};
use surefoot_learn::LearnError;
use surefoot_learn::Model;
use surefoot_learn::{Learns, Observed};

/// What the rule learner may cost, in cells looked at. It ends loops that would not end by
/// themselves, and nothing else: the original does, by a rough estimate from its running times, a
/// tenth of this in the ten minutes that the paper gave it.
const RULE_WORK: u64 = 3_000_000_000;

/// What is not promised of its models.
const WARNING: &str = "PlanMiner generalises by rules that fit the records. What its model allows \
                       may fail, and what it does may be \
                       something else: nothing is promised";

/// How it is made, for heads and summaries: with which repairs, and with what else besides.
fn title(spec: &Spec, repairs: &[Repair]) -> String {
    let made: Vec<&str> = Repair::ALL
        .into_iter()
        .filter(|repair| repairs.contains(repair))
        .map(Repair::name)
        .collect();
    let is_all = made.len() == Repair::ALL.len();
    let mut how = Vec::new();
    if !made.is_empty() && !is_all {
        how.push(format!("repaired: {}", made.join(", ")));
    }
    how.extend(spec.seed.map(|seed| format!("seed {seed}")));
    how.extend(spec.decimals.map(|decimals| {
        format!(
            "numbers rounded to {decimals} {}",
            if decimals == 1 { "decimal" } else { "decimals" }
        )
    }));
    how.extend(spec.time_limit.map(|seconds| format!("time limit {seconds} s")));
    let name = if is_all { "PlanMiner, repaired" } else { "PlanMiner" };
    if how.is_empty() { name.to_owned() } else { format!("{name} ({})", how.join("; ")) }
}

/// PlanMiner, which has observed some traces.
pub(crate) struct PlanMiner {
    domain: Arc<Domain>,
    title: String,
    repairs: Repairs,
    seed: u64,
    limit: Option<Duration>,
    traces: BTreeMap<usize, SeenTrace>,
}

impl PlanMiner {
    /// As published, but for the repairs that were asked for.
    pub(crate) fn faithful(domain: &Domain, spec: &Spec) -> Result<Box<dyn Learns>, LearnError> {
        Ok(Box::new(PlanMiner::new(domain, spec, &spec.repair)))
    }

    /// Starts PlanMiner with all repairs.
    pub(crate) fn repaired(domain: &Domain, spec: &Spec) -> Result<Box<dyn Learns>, LearnError> {
        Ok(Box::new(PlanMiner::new(domain, spec, &Repair::ALL)))
    }

    fn new(domain: &Domain, spec: &Spec, repairs: &[Repair]) -> PlanMiner {
        PlanMiner {
            domain: Arc::new(domain.clone()),
            title: title(spec, repairs),
            repairs: repairs.iter().copied().collect(),
            seed: spec.seed.unwrap_or(0),
            limit: spec.time_limit.map(Duration::from_secs),
            traces: BTreeMap::new(),
        }
    }

    fn run(&self) -> MinerRun {
        let deadline = self.limit.and_then(|limit| Instant::now().checked_add(limit));
        let work = |limit: u64| {
            let work = Work::new((!self.repairs.bounded).then_some(limit));
            match deadline {
                Some(deadline) => work.until(deadline),
                None => work,
            }
        };
        let mut searching = Searching::new(self.repairs, self.seed, work(EVALUATIONS_OF_A_RUN - 1));
        let mut rule_work = work(RULE_WORK);
        let traces: Vec<&SeenTrace> = self.traces.values().collect();
        let inputs = MinerInputs { domain: &self.domain, traces: &traces, repairs: self.repairs };
        run(&inputs, &mut |_, tables, column| searching.find(tables, column), &mut rule_work)
    }

    /// Why there is no model at all, and what to do about it.
    fn lost(&self, end: &End) -> Option<String> {
        Some(match end {
            End::Complete => return None,
            End::Crash(action, Crash::Parameterless) => {
                format!(
                    "The authors' program crashes here: {} has no parameters. The repair \
                     `zero-arity` mends that.",
                    self.domain.action_name(*action)
                )
            }
            End::Crash(action, Crash::Ruleless) => {
                format!(
                    "The authors' program crashes here: it finds no rule for {}. The repair \
                     `bounded` mends that.",
                    self.domain.action_name(*action)
                )
            }
            End::Crash(action, Crash::Unlabelled) => {
                format!(
                    "The authors' program ends early here: a number of {} fits no label. No \
                         repair mends that.",
                    self.domain.action_name(*action)
                )
            }
            End::Unreadable(action) => format!(
                "The authors' program writes a file that no reader accepts: {} assigns a value to \
                 the clock. The repair `no-clock` mends that.",
                self.domain.action_name(*action)
            ),
            End::TimeLimit => "The authors' program would be killed here: two searches give up, \
                               which takes it 600 s. The repair \
                               `bounded` mends that."
                .to_owned(),
            End::Endless => {
                "The authors' program would be killed here: its search for rules does not end. \
                             The repair `bounded` mends that."
                    .to_owned()
            }
            End::Deadline => {
                format!(
                    "Stopped at the time limit of {} s: there is no model.",
                    self.limit.unwrap_or_default().as_secs()
                )
            }
        })
    }
}

impl Learns for PlanMiner {
    fn observe(&mut self, trace: &Observed<'_>) -> Result<(), LearnError> {
        if trace.trajectory.states.iter().any(|state| state.has_unknown()) {
            let what =
                "PlanMiner takes what a record does not tell for false; leave such traces out";
            return Err(LearnError::Other(format!(
                "trace {} has unknown values: {what}",
                trace.number
            )));
        }
        self.add(trace.number, see(&self.domain, trace.objects, trace.trajectory))
    }

    fn merge(&mut self, other: &dyn Learns) -> Result<(), LearnError> {
        let other = other.as_any().downcast_ref::<PlanMiner>();
        let Some(other) =
            other.filter(|other| (&other.domain, &other.title) == (&self.domain, &self.title))
        else {
            return Err(LearnError::Other(
                "these learners are of different kinds, domains or options".into(),
            ));
        };
        other.traces.iter().try_for_each(|(number, trace)| self.add(*number, trace.clone()))
    }

    fn conclude(&self) -> Result<Model, LearnError> {
        let run = self.run();
        let lost = self.lost(&run.end);
        let mut unfit = 0;
        let mut bodies: Vec<Result<Action, String>> = Vec::new();
        for id in self.domain.action_ids() {
            let concluded = run
                .actions
                .iter()
                .find(|learned| learned.action == id)
                .and_then(|learned| learned.concluded.as_ref());
            bodies.push(match (&lost, concluded) {
                (Some(_), _) => Err("lost, see below".to_owned()),
                (None, None) => Err("never observed".to_owned()),
                (None, Some(concluded)) => {
                    let (action, left_out) =
                        body(&self.domain, &self.domain.action(id).parameters, concluded);
                    unfit += left_out;
                    Ok(action)
                }
            });
        }
        let warning = match unfit {
            0 => format!("{WARNING}."),
            count => format!(
                "{WARNING}. Left out, since the types of the domain do not allow them: {count} of \
                 its literals."
            ),
        };
        Ok(Model::of_other(Arc::clone(&self.domain), &*self.title, warning, bodies)
            .lost_because(lost))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl PlanMiner {
    fn add(&mut self, number: usize, seen: SeenTrace) -> Result<(), LearnError> {
        match self.traces.entry(number) {
            std::collections::btree_map::Entry::Occupied(known) if *known.get() != seen => {
                Err(LearnError::Other(format!(
                    "two different traces have the number {number}: PlanMiner needs their order"
                )))
            }
            std::collections::btree_map::Entry::Occupied(_) => Ok(()),
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(seen);
                Ok(())
            }
        }
    }
}
