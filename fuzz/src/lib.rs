//! What each fuzz target does with its bytes. `crates/surefoot/tests/laws/seeds.rs` includes this
//! file and runs the seeds through the same functions.
//!
//! Every function panics when a promise is broken: a reader panics, a message points outside its
//! text, or what was read is not read back from what is written. Otherwise it says whether the
//! input was accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, GroundAtom, GroundFunction, Problem};
use surefoot_base::pddl::sexpr::{Expr, Tree};
use surefoot_base::pddl::{
    Diagnostic, Numbers, Plan, ReadError, Source, Trajectory, read_domain, read_plan, read_problem,
    read_published_problem, write_domain, write_plan, write_problem, write_trajectory,
};

/// The domain that problems, trajectories and plans are read against: every kind of declaration,
/// all small.
pub const DOMAIN: &str = include_str!("domain.pddl");
/// The problem that trajectories and plans are read against.
pub const PROBLEM: &str = include_str!("problem.pddl");

static FIXED: LazyLock<(Domain, Problem)> = LazyLock::new(|| {
    let domain =
        read_domain(&Source::new("domain.pddl", DOMAIN)).expect("the fixed domain is right");
    let problem = read_problem(&Source::new("problem.pddl", PROBLEM), &domain, Numbers::Exact)
        .expect("the fixed problem is right");
    (domain, problem)
});

/// The fixed domain.
pub fn fixed_domain() -> &'static Domain {
    &FIXED.0
}

/// The fixed problem.
pub fn fixed_problem() -> &'static Problem {
    &FIXED.1
}

fn source(bytes: &[u8]) -> Option<Source> {
    match Source::from_bytes("input", bytes.to_vec()) {
        Ok(source) => Some(source),
        Err(diagnostic) => {
            check(&diagnostic, &String::from_utf8_lossy(bytes));
            None
        }
    }
}

/// A message that can be shown: it points into the text and its excerpt is short.
fn check(diagnostic: &Diagnostic, text: &str) {
    let place = &*diagnostic.place;
    assert!(!diagnostic.message.is_empty());
    assert!(!diagnostic.to_string().is_empty());
    assert!(place.position.line <= text.matches('\n').count() + 1, "{diagnostic}");
    assert!(place.excerpt.chars().count() <= 250, "a long excerpt: {diagnostic}");
    assert!(place.mark.start <= place.excerpt.chars().count(), "{diagnostic}");
    assert!(!place.excerpt.contains(char::is_control));
}

/// The value; or `None` after checking the messages.
fn accepted<T>(outcome: Result<T, ReadError>, text: &str) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(!error.diagnostics.is_empty());
            assert!(
                error.diagnostics.is_sorted_by_key(|diagnostic| diagnostic.place.position),
                "{error}"
            );
            error.diagnostics.iter().for_each(|diagnostic| check(diagnostic, text));
            None
        }
    }
}

fn read_back<T>(text: &str, read: impl FnOnce(&Source) -> Result<T, ReadError>) -> T {
    match read(&Source::new("written", text)) {
        Ok(value) => value,
        Err(error) => panic!("what was written is not read back:\n{error}\n{text}"),
    }
}

/// Nested lists.
pub fn sexpr(bytes: &[u8]) -> bool {
    fn write(expr: Expr<'_>, text: &mut String) {
        match expr.word() {
            Some(word) => {
                assert!(!word.is_empty());
                text.push_str(word);
            }
            None => {
                text.push('(');
                for item in expr.items() {
                    assert!(
                        expr.span().start < item.span().start && item.span().end < expr.span().end
                    );
                    write(item, text);
                    text.push(' ');
                }
                text.push(')');
            }
        }
    }
    let Some(source) = source(bytes) else { return false };
    let Some(tree) = accepted(Tree::read(&source).map_err(ReadError::from), source.text()) else {
        return false;
    };
    let mut written = String::new();
    write(tree.root(), &mut written);
    let again = Source::new("written", written.as_str());
    let mut twice = String::new();
    write(Tree::read(&again).expect("what was written is read").root(), &mut twice);
    assert_eq!(written, twice);
    true
}

/// A domain.
pub fn domain(bytes: &[u8]) -> bool {
    let Some(source) = source(bytes) else { return false };
    let Some(domain) = accepted(read_domain(&source), source.text()) else { return false };
    let written = write_domain(&domain);
    assert_eq!(read_back(&written, read_domain), domain, "{written}");
    true
}

/// A problem of the fixed domain, also as it may be published: then only values are passed over or
/// added, and what is written of it is read by the strict reader.
pub fn problem(bytes: &[u8]) -> bool {
    let Some(source) = source(bytes) else { return false };
    let read = |source: &Source| read_problem(source, fixed_domain(), Numbers::Exact);
    let strict = accepted(read(&source), source.text());
    let published =
        accepted(read_published_problem(&source, fixed_domain(), Numbers::Exact), source.text());
    if let Some((published, warnings)) = &published {
        warnings.iter().for_each(|warning| check(&warning.0, source.text()));
        let written = write_problem(fixed_domain(), published);
        assert_eq!(&read_back(&written, read), published, "{written}");
    }
    let Some(problem) = strict else { return published.is_some() };
    let (mut published, warnings) = published.expect("what is read strictly is read");
    assert!(published.values.starts_with(&problem.values));
    assert_eq!(published.values.len() > problem.values.len(), !warnings.is_empty());
    published.values.truncate(problem.values.len());
    assert_eq!(published, problem);
    let written = write_problem(fixed_domain(), &problem);
    assert_eq!(read_back(&written, read), problem, "{written}");
    true
}

/// The content of a state, without the numbering of a universe.
pub type Facts = (BTreeSet<GroundAtom>, BTreeMap<GroundFunction, Rational>);

/// The contents of a trajectory's states.
pub fn facts(trajectory: &Trajectory) -> Vec<Facts> {
    let universe = &trajectory.universe;
    let content = |state: &surefoot_base::model::State| {
        let values =
            state.values().map(|(id, value)| (universe.ground_function(id).clone(), value.clone()));
        (state.atoms().map(|id| universe.ground_atom(id).clone()).collect(), values.collect())
    };
    trajectory.states.iter().map(content).collect()
}

/// A trajectory of the fixed problem.
pub fn trajectory(bytes: &[u8]) -> bool {
    let Some(source) = source(bytes) else { return false };
    let objects = &fixed_problem().objects;
    let read = |source: &Source| Trajectory::read(source, fixed_domain(), objects, Numbers::Exact);
    // Rounding takes another way through the numbers.
    let _ = accepted(
        Trajectory::read(&source, fixed_domain(), objects, Numbers::Decimals(2)),
        source.text(),
    );
    let Some(trajectory) = accepted(read(&source), source.text()) else { return false };
    // A reader of trajectories that is quicker than the reader of lists must not be laxer.
    assert!(Tree::read(&source).is_ok(), "accepted, but not one list");
    assert_eq!(trajectory.states.len(), trajectory.actions.len() + 1);
    let written = write_trajectory(fixed_domain(), objects, &trajectory);
    let again = read_back(&written, read);
    assert_eq!(again.actions, trajectory.actions, "{written}");
    assert_eq!(facts(&again), facts(&trajectory), "{written}");
    true
}

/// A plan for the fixed problem.
pub fn plan(bytes: &[u8]) -> bool {
    let Some(source) = source(bytes) else { return false };
    let objects = &fixed_problem().objects;
    let read = |source: &Source| read_plan(source, fixed_domain(), objects);
    let Some(plan) = accepted(read(&source), source.text()) else { return false };
    let written = write_plan(fixed_domain(), objects, &plan);
    let actions =
        |plan: &Plan| plan.steps.iter().map(|step| step.action.clone()).collect::<Vec<_>>();
    assert_eq!(actions(&read_back(&written, read)), actions(&plan), "{written}");
    true
}
