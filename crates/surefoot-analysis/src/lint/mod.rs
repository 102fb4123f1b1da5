//! Finds problems of a domain's vocabulary, given what was recorded.
//!
//! *In*: a domain and a [`Recording`]. *Out*: [`Finding`]s. Each one says what was observed, how
//! often, and where first, and what would help.
//!
//! A learner takes types, predicates, functions and the parameters of actions for granted. Nothing
//! that it learns can mention an object that an action does not name. So a missing parameter makes
//! a rule wrong or impossible, and a needless number makes it too narrow. Whoever wrote the domain
//! by hand, or guessed it from a log, learns here what looks odd:
//!
//! - [`Change`]: an action changes what it does not name, so that no model of the class explains
//!   it;
//! - [`Context`]: an action happened only where something was true of objects that it does not
//!   name, so that no condition can say so;
//! - [`Needless`]: parameters that nothing mentions, and parameters that are always the same
//!   object;
//! - [`Target`]: the current position determined a target in every step, and nothing in the
//!   vocabulary says so;
//! - [`Sum`]: functions that others determine; each adds a dimension for the records to cover;
//! - [`Noise`], [`Floats`], [`Rounded`]: numbers with noise, numbers that were computed in floating
//!   point, and numbers that were rounded when they were recorded.
//!
//! *The invariants*: findings are advice and change nothing. The recording is read once, trace by
//! trace in order, and memory does not grow with the number of steps.
//!
//! *Where to begin*: [`lint`]; there is a file for each kind of finding. `relation` finds how an
//! unnamed object relates to the named ones; `words` has the sentences.

mod changes;
mod columns;
mod context;
mod parameters;
mod relation;
mod sums;
mod targets;
mod words;

pub use changes::{Change, Proposed};
pub use columns::{Floats, Noise, Rounded};
pub use context::Context;
pub use parameters::Needless;
pub use sums::Sum;
pub use targets::Target;

use std::collections::BTreeMap;

use serde::Serialize;

use surefoot_base::assumptions::Spec;
use surefoot_base::invariant::guarded;
use surefoot_base::model::{Attempt, Domain, Objects, State, Universe};
use surefoot_base::pddl::{Numbers, ReadError, SourcePlace};
use surefoot_learn::{Recording, is_refuted};

/// Something odd about a vocabulary.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Finding {
    /// An action changes what it does not name.
    Change(Change),
    /// An action happened only where something outside its parameters was so.
    Context(Context),
    /// A parameter is needless.
    Parameter(Needless),
    /// A parameter that another object determines, without a fact that says so.
    Target(Target),
    /// A function is a sum of others.
    Sum(Sum),
    /// Numbers have the noise of floating point.
    FloatNoise(Noise),
    /// Numbers were computed in floating point, and are no short decimals.
    Floats(Floats),
    /// The numbers of a function look rounded or noisy.
    Rounded(Rounded),
}

/// The place where something first occurred: `file:line`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(transparent)]
pub struct FirstPlace(String);

impl FirstPlace {
    fn new(place: &SourcePlace) -> Self {
        match place.position.line {
            0 => FirstPlace(place.file.to_string()),
            line => FirstPlace(format!("{}:{line}", place.file)),
        }
    }

    /// The place as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One state of a recording, and who numbers what is in it.
#[derive(Clone, Copy)]
struct View<'a> {
    state: &'a State,
    universe: &'a Universe,
    objects: &'a Objects,
}

/// What looks odd about a domain's vocabulary, given what was recorded: by kind, then in the order
/// of the domain.
///
/// # Errors
/// The recording cannot be read.
pub fn lint(
    recording: &dyn Recording,
    domain: &Domain,
    numbers: Numbers,
) -> Result<Vec<Finding>, ReadError> {
    guarded(|| lint_unguarded(recording, domain, numbers))?
}

fn lint_unguarded(
    recording: &dyn Recording,
    domain: &Domain,
    numbers: Numbers,
) -> Result<Vec<Finding>, ReadError> {
    let mut changes = changes::Changes::new(domain);
    let mut context = context::Contexts::new(domain);
    let mut parameters = parameters::Parameters::new(domain);
    let mut sums = sums::Sums::new(domain);
    let mut targets = targets::Targets::new(domain);
    let mut columns = columns::Columns::new(domain);
    for trace in 0..recording.traces() {
        context.start();
        sums.start();
        columns.start();
        recording.read(trace, domain, numbers, false, &mut |recorded| {
            let objects = recorded.objects;
            let Attempt { before: state, universe, .. } = recorded.event.attempt();
            let view = View { state, universe, objects };
            let find_place = || FirstPlace::new(&recorded.error(String::new()).place);
            context.look(view);
            sums.look(view);
            // What failed changed nothing, and happened wherever it was tried.
            if let Some(step) = recorded.step() {
                changes.step(step, objects, find_place);
                context.step(step.action, view, find_place);
                parameters.step(step);
                targets.step(step, view, find_place);
                columns.step(step);
                sums.look(View { state: step.after, ..view });
            }
            true
        })?;
    }
    let (of_columns, noise) = columns.findings(|function| changes.drift(function));
    let mut findings = changes.findings(|function| {
        changes.drift(function).is_some_and(|drift| columns::is_noise(&drift, noise.get(&function)))
    });
    findings.extend(context.findings());
    findings.extend(parameters.findings());
    findings.extend(targets.findings());
    findings.extend(sums.findings());
    findings.extend(of_columns);
    try_options(&mut findings, recording, domain)?;
    Ok(findings)
}

/// Tries the options that findings propose: those for rounding together, and those for errors.
fn try_options(
    findings: &mut [Finding],
    recording: &dyn Recording,
    domain: &Domain,
) -> Result<(), ReadError> {
    let mut decimals: Option<u32> = None;
    let mut errors: BTreeMap<String, String> = BTreeMap::new();
    for finding in findings.iter() {
        match finding {
            Finding::FloatNoise(noise) => decimals = Some(noise.decimals),
            Finding::Rounded(Rounded { function, error, .. })
            | Finding::Floats(Floats { function, error, .. }) => {
                errors.insert(function.clone(), error.clone());
            }
            _ => {}
        }
    }
    if let Some(places) = decimals {
        let spec = Spec::default().with(|spec| spec.decimals = Some(places));
        let tried = !is_refuted(domain, &spec, recording)?;
        findings.iter_mut().for_each(|finding| {
            if let Finding::FloatNoise(noise) = finding {
                noise.tried = tried;
            }
        });
    }
    if !errors.is_empty() {
        let mut spec = Spec::default();
        let is_spec = spec.set("error", serde_json::to_value(&errors).unwrap_or_default()).is_ok();
        let held = is_spec && !is_refuted(domain, &spec, recording)?;
        for finding in findings {
            match finding {
                Finding::Rounded(Rounded { tried, .. }) | Finding::Floats(Floats { tried, .. }) => {
                    *tried = held
                }
                _ => {}
            }
        }
    }
    Ok(())
}
