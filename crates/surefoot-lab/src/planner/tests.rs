//! A planner that is none of ours, through the seam: a file and an entry.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use surefoot_base::model::{ActionId, GroundAction};
use surefoot_base::pddl::{Numbers, read_domain, read_problem};

use super::*;

/// Repeats the domain's only action, which has no parameters, until the plan is valid. `careless`:
/// hands in its first guess.
#[derive(Debug)]
struct Repeater {
    careless: bool,
}

const ENTRIES: &[PlannerEntry] = &[
    PlannerEntry {
        name: "repeater",
        place: None,
        find: |_| Ok(Box::new(Repeater { careless: false })),
    },
    PlannerEntry {
        name: "careless",
        place: None,
        find: |_| Ok(Box::new(Repeater { careless: true })),
    },
];

impl Planner for Repeater {
    fn name(&self) -> &str {
        "repeater"
    }

    fn attempt(&self, attempt: &mut PlannerAttempt<'_>) -> PlannerConclusion {
        let mut steps = Vec::new();
        while attempt.goes_on(None) {
            let guess = attempt.checked(Plan::of(steps.clone()));
            if self.careless || matches!(guess, PlannerConclusion::Solved(_)) {
                return guess;
            }
            steps.push(GroundAction { symbol: ActionId(0), arguments: Default::default() });
        }
        PlannerConclusion::Cancelled
    }
}

fn task() -> (Domain, Problem) {
    let domain = "(define (domain counting) (:functions (n)) \
        (:action up :parameters () :precondition (< (n) 3) :effect (increase (n) 1)))";
    let domain = read_domain(&Source::new("domain", domain.to_owned())).unwrap();
    let problem = "(define (problem three) (:domain counting) (:init (= (n) 0)) (:goal (= (n) 3)) \
                   (:metric minimize (n)))";
    let problem =
        read_problem(&Source::new("problem", problem.to_owned()), &domain, Numbers::Exact).unwrap();
    (domain, problem)
}

#[test]
fn a_planner_is_an_entry_and_a_type() {
    let (domain, problem) = task();
    let planner = find_among(ENTRIES, " repeater ", &Setup::default()).unwrap();
    match planner.solve(&domain, &problem, &Limits::default()).result {
        PlannerConclusion::Solved(plan) => {
            assert_eq!(plan.steps.len(), 3);
            assert_eq!(plan.metric().unwrap().to_string(), "3");
        }
        other => panic!("{other:?}"),
    }
    let unknown = find_among(ENTRIES, "builtin", &Setup::default()).unwrap_err().to_string();
    assert!(unknown.contains("expected repeater, careless, or a command"), "{unknown}");
}

#[test]
fn what_a_planner_hands_in_is_run() {
    let (domain, problem) = task();
    let planner = find_among(ENTRIES, "careless", &Setup::default()).unwrap();
    let outcome = planner.solve(&domain, &problem, &Limits::default());
    assert!(
        matches!(
            outcome.result,
            PlannerConclusion::Rejected { verdict: PlanVerdict::GoalUnmet(_), .. }
        ),
        "{:?}",
        outcome.result
    );
}

#[test]
fn a_planner_stops_when_it_is_told_to() {
    let (domain, problem) = task();
    let planner = find_among(ENTRIES, "repeater", &Setup::default()).unwrap();
    let outcome = planner.solve_watched(&domain, &problem, &Limits::default(), &|_| false);
    assert_eq!(outcome.result, PlannerConclusion::Cancelled);
}

/// Names and options are what users type: none stands for two planners.
#[test]
fn names_and_options_are_distinct() {
    for (index, entry) in PLANNERS.iter().enumerate() {
        assert!(!entry.name.contains([',', '{', ' ']), "{}", entry.name);
        for other in &PLANNERS[..index] {
            assert_ne!(entry.name, other.name);
            if let (Some(place), Some(other)) = (&entry.place, &other.place) {
                assert_ne!((place.option, place.variable), (other.option, other.variable));
                assert_ne!(place.option, other.option);
            }
        }
    }
}
