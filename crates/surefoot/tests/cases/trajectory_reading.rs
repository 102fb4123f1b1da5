//! Items of a state that repeat the state before are recognised by their text and not read again.
//! Whatever changes, moves, comes or goes must be read all the same.

use surefoot_base::model::Domain;
use surefoot_base::pddl::{Numbers, Source, Trajectory, Writer, read_domain, read_problem};

const DOMAIN: &str = "(define (domain d) (:types t) (:predicates (p ?a - t) (q))
  (:functions (f ?a - t) (g)) (:action act :parameters (?a - t)))";
const PROBLEM: &str = "(define (problem x) (:domain d) (:objects a ab - t) (:init) (:goal (and)))";

fn read(text: &str) -> Result<Vec<String>, String> {
    let domain: Domain = read_domain(&Source::new("domain", DOMAIN)).unwrap();
    let objects =
        read_problem(&Source::new("problem", PROBLEM), &domain, Numbers::Exact).unwrap().objects;
    let source = Source::new("trace", text);
    let trajectory = Trajectory::read(&source, &domain, &objects, Numbers::Exact)
        .map_err(|error| error.to_string())?;
    let writer = Writer::new(&domain, &objects);
    let universe = &trajectory.universe;
    let state = |state: &surefoot_base::model::State| {
        let atoms = state.atoms().map(|id| writer.ground_atom(universe.ground_atom(id)));
        let values = state.values().map(|(id, value)| {
            format!("{}={value}", writer.ground_function(universe.ground_function(id)))
        });
        let mut facts: Vec<String> = atoms.chain(values).collect();
        facts.sort();
        facts.join(" ")
    };
    Ok(trajectory.states.iter().map(state).collect())
}

/// The states of a trajectory with these bodies.
fn states(bodies: &[&str]) -> Result<Vec<String>, String> {
    let rest: String =
        bodies[1..].iter().map(|body| format!("(operator: (act a))\n(:state {body})\n")).collect();
    read(&format!("((:init {})\n{rest})", bodies[0]))
}

#[test]
fn every_state_is_read_as_if_it_were_the_first() {
    let bodies = [
        "(= (f a) 1.0) (= (f ab) 2) (p a) (q)",
        "(= (f a) 1.0) (= (f ab) 2) (p a) (q)",
        "(= (f a) 1.05) (= (f ab) 2) (p a)",
        "(p ab) (= (f ab) 2) (q) (p a) (= (f a) 1.0)",
        "",
        "(= (g) (/ 1 3)) (not (p a)) (q ) (= (f a) 1.0)",
        "(= (g) (/ 1 3)) (q ) (= (f a) 1)",
        "(= (g) (/ 2 3)) (q) ; (p a)\n (= (f a) 1)(p ab)",
        "(= (g) (/ 2 3)) (q) (= (f a) 1)(p ab)",
    ];
    let together = states(&bodies).unwrap();
    for (body, state) in bodies.iter().zip(&together) {
        assert_eq!(states(&[body]).unwrap(), std::slice::from_ref(state), "{body}");
    }
}

#[test]
fn two_values_in_one_state_are_refused_wherever_they_were_seen_before() {
    for last in [
        "(= (f a) 2) (= (f a) 1)",
        "(= (g) 5) (= (f a) 1) (= (f a) 2)",
        "(= (f a) 2) (= (g) 5) (= (f a) 1)",
    ] {
        let message = states(&["(= (g) 5) (= (f a) 1)", last]).unwrap_err();
        assert!(message.contains("another value earlier"), "{message}");
    }
    assert!(states(&["(= (g) 5) (= (f a) 1)", "(= (f a) 1.0) (= (g) 5) (= (f a) 1)"]).is_ok());
}

#[test]
fn a_file_cut_off_within_a_repeated_item_is_refused() {
    let whole = "((:init (= (f a) 1) (p a))\n(operator: (act a))\n(:state (= (f a) 1) (p a))\n)";
    assert_eq!(read(whole).unwrap().len(), 2);
    for end in whole.find("(:state").unwrap()..whole.len() {
        assert!(read(&whole[..end]).is_err(), "{}", &whole[..end]);
    }
}
