//! What laws and cases share: texts read that must be right, and a small domain in PDDL.

use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{
    Numbers, Plan, Source, Trajectory, read_domain, read_plan, read_problem,
};

/// Reads a domain that must be right.
#[track_caller]
pub fn domain(text: &str) -> Domain {
    read_domain(&Source::new("domain.pddl", text)).unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a problem that must be right.
#[track_caller]
pub fn problem(domain: &Domain, text: &str) -> Problem {
    read_problem(&Source::new("problem.pddl", text), domain, Numbers::Exact)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a plan that must be right.
#[track_caller]
pub fn plan(domain: &Domain, problem: &Problem, text: &str) -> Plan {
    read_plan(&Source::new("plan", text), domain, &problem.objects)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a trajectory that must be right.
#[track_caller]
pub fn trajectory(domain: &Domain, problem: &Problem, text: &str) -> Trajectory {
    let source = Source::new("trajectory", text);
    Trajectory::read(&source, domain, &problem.objects, Numbers::Exact)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Lorries drive on roads and burn fuel: the domain of the cases about problems, plans and
/// trajectories.
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
