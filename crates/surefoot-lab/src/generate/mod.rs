//! Generates problems of the built-in domains, each with a plan that solves it. The same seed gives
//! the same bytes.
//!
//! A domain is a folder under `domains/` with its text and JSON files, one file here with
//! everything else, and one line in [`GENERATORS`].

mod dice;
mod graph;
mod scene;
mod sizes;
#[cfg(test)]
mod tests;

mod counters;
mod depots;
mod driverlog;
mod driverlog_poly;
mod farmland;
mod minecraft;
mod rovers;
mod sailing;
mod satellite;
mod zenotravel;

use anyhow::{Result, bail};
use surefoot_base::exact::Rational;
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Domain, Problem, Universe};
use surefoot_base::pddl::{Numbers, Plan, Source, read_domain, read_plan, read_problem};
use surefoot_base::validate::{PlanVerdict, validate};

use dice::Dice;
use scene::ProblemBuilder;
pub use sizes::{Size, Sizes};

/// All generators, by name.
pub static GENERATORS: &[&Generator] = &[
    &counters::GENERATOR,
    &depots::GENERATOR,
    &driverlog::GENERATOR,
    &driverlog_poly::GENERATOR,
    &farmland::GENERATOR,
    &minecraft::GENERATOR,
    &rovers::GENERATOR,
    &sailing::GENERATOR,
    &satellite::GENERATOR,
    &zenotravel::GENERATOR,
];

/// The generator of that name.
pub fn find(name: &str) -> Option<&'static Generator> {
    GENERATORS.iter().copied().find(|generator| generator.name == name)
}

/// The names of all, in a line.
pub fn names() -> String {
    GENERATORS.iter().map(|generator| generator.name).collect::<Vec<_>>().join(", ")
}

/// A built-in domain and how its problems are made.
pub struct Generator {
    /// The folder under `domains/`; what a user types.
    pub name: &'static str,
    /// What the paper calls it, or people would; for headings.
    pub title: &'static str,
    /// What the domain is about, in a line.
    pub summary: &'static str,
    /// The text of the domain.
    pub text: &'static str,
    /// Its maps, by the word of an experiment's configuration: `monotone`, and for some domains
    /// `relevant`.
    pub maps: &'static [(&'static str, &'static str)],
    /// What a user can vary.
    pub sizes: &'static [Size],
    build: fn(&Sizes, &mut Dice) -> ProblemBuilder,
}

/// A problem and a plan that solves it: every step can be taken, the goal holds after the last and
/// does not at the start.
pub struct Generated {
    /// The problem's name and the stem of its files: domain, seed and index.
    pub name: String,
    /// The generated problem.
    pub problem: Problem,
    /// A plan that solves the problem, made with it.
    pub plan: Plan,
}

impl Generator {
    /// The domain as a value.
    pub fn domain(&self) -> Result<Domain> {
        Ok(read_domain(&Source::new(format!("domains/{}/domain.pddl", self.name), self.text))?)
    }

    /// The stem of a problem's files.
    pub fn stem(&self, seed: u64, index: u64) -> String {
        format!("{}-{seed}-{index:04}", self.name)
    }

    /// Problem `index` of those that `seed` gives; `domain` is [`Generator::domain`]. It depends on
    /// nothing else, so that a set can grow without changing. An error is a mistake of ours: the
    /// witness is run before it is returned.
    pub fn problem(
        &self,
        domain: &Domain,
        seed: u64,
        index: u64,
        sizes: &Sizes,
    ) -> Result<Generated> {
        let name = self.stem(seed, index);
        let scene = (self.build)(sizes, &mut Dice::new(self.name, seed, index));
        let problem = read_problem(
            &Source::new(format!("{name}.pddl"), scene.problem(&name, &domain.name)),
            domain,
            Numbers::Exact,
        )?;
        let plan = read_plan(
            &Source::new(format!("{name}.solution"), scene.plan()),
            domain,
            &problem.objects,
        )?;
        let verdict = validate(domain, &problem, &plan, &Rational::ZERO);
        if !matches!(verdict, PlanVerdict::Valid { .. }) {
            bail!("internal error: the plan of {name} does not solve it: {verdict:?}");
        }
        let mut universe = Universe::default();
        let start = problem.initial_state(&mut universe);
        if Semantics::new(domain, &problem.objects).holds(&problem.goal, &universe, &start)
            == Ok(true)
        {
            bail!("internal error: the goal of {name} holds at the start");
        }
        Ok(Generated { name, problem, plan })
    }
}

/// `prefix1`, `prefix2`, ...
fn numbered_from_one(prefix: &str, count: usize) -> Vec<String> {
    (1..=count).map(|index| format!("{prefix}{index}")).collect()
}

/// `prefix0`, `prefix1`, ...
fn numbered(prefix: &str, count: usize) -> Vec<String> {
    (0..count).map(|index| format!("{prefix}{index}")).collect()
}
