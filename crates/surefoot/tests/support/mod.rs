//! What several test files share: marked texts, a small domain in PDDL, and (in [`generate`]) random planning tasks.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod generate;
pub mod naive;

use surefoot::model::{Domain, Problem};
use surefoot::pddl::{Numbers, Plan, Position, ReadError, Source, Trajectory, read_domain, read_plan, read_problem};

/// A text in which `«` marks places: the text without the marks, and the places. Counted by hand here, so that the
/// positions in messages are checked against something other than themselves.
pub fn marked(text: &str) -> (String, Vec<Position>) {
    let (mut plain, mut places) = (String::new(), Vec::new());
    let (mut line, mut column) = (1, 1);
    for character in text.chars() {
        match character {
            '«' => places.push(Position { line, column }),
            '\n' => {
                (line, column) = (line + 1, 1);
                plain.push('\n');
            }
            other => {
                column += 1;
                plain.push(other);
            }
        }
    }
    (plain, places)
}

/// Asserts that the text is refused with exactly these messages, in this order, each at a mark of the text.
#[track_caller]
pub fn assert_refused<T>(read: impl FnOnce(&Source) -> Result<T, ReadError>, text: &str, messages: &[&str]) {
    let (plain, places) = marked(text);
    let Err(error) = read(&Source::new("the-file", plain)) else { panic!("accepted, but expected {messages:?}") };
    let said: Vec<_> = error.diagnostics.iter().map(|diagnostic| (diagnostic.place.position, &*diagnostic.message)).collect();
    let expected: Vec<_> = places.into_iter().zip(messages.iter().copied()).collect();
    assert_eq!(said, expected, "\n{error}");
    assert_eq!(said.len(), messages.len(), "a mark is missing");
}

/// Reads a domain that must be right.
#[track_caller]
pub fn domain(text: &str) -> Domain {
    read_domain(&Source::new("domain.pddl", text)).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a problem that must be right.
#[track_caller]
pub fn problem(domain: &Domain, text: &str) -> Problem {
    read_problem(&Source::new("problem.pddl", text), domain, Numbers::Exact).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a plan that must be right.
#[track_caller]
pub fn plan(domain: &Domain, problem: &Problem, text: &str) -> Plan {
    read_plan(&Source::new("plan", text), domain, &problem.objects).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a trajectory that must be right.
#[track_caller]
pub fn trajectory(domain: &Domain, problem: &Problem, text: &str) -> Trajectory {
    let source = Source::new("trajectory", text);
    Trajectory::read(&source, domain, &problem.objects, Numbers::Exact).unwrap_or_else(|error| panic!("{error}"))
}

/// Lorries drive on roads and burn fuel: the domain of the cases about problems, plans and trajectories.
pub const LORRIES: &str = "(define (domain lorries)
  (:types place lorry - object van - lorry)
  (:predicates (at ?l - lorry ?p - place) (road ?from ?to - place) (raining))
  (:functions (fuel ?l - lorry) (total-cost))
  (:action drive
    :parameters (?l - lorry ?from ?to - place)
    :precondition (and (at ?l ?from) (road ?from ?to) (>= (fuel ?l) 1))
    :effect (and (not (at ?l ?from)) (at ?l ?to) (decrease (fuel ?l) 1) (increase (total-cost) 2)))
  (:action wait :parameters () :precondition (raining) :effect (not (raining))))";

/// A problem of [`LORRIES`].
pub const DELIVERY: &str = "(define (problem delivery) (:domain lorries)
  (:objects home mill - place red - van)
  (:init (at red home) (road home mill) (= (fuel red) 3) (= (total-cost) 0))
  (:goal (at red mill)))";
