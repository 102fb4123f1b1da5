//! Learns a rule from three records, and shows what it rests on.
//!
//! A robot was recorded three times as it moved from one place to another. Nobody wrote down what
//! `move` needs or does:
//!
//! ```sh
//! cargo run -p surefoot --example learn
//! ```

use std::error::Error;

use surefoot::learn::Trace;
use surefoot::{Source, Spec, learn, read_domain};

/// What there is to speak of. Of `move` only the parameters are given.
const DOMAIN: &str = include_str!("../../../examples/robots/domain.pddl");
/// What was recorded: a state, what was done, the state after it.
const RECORDS: [&str; 3] = [
    include_str!("../../../examples/robots/monday.trajectory"),
    include_str!("../../../examples/robots/tuesday.trajectory"),
    include_str!("../../../examples/robots/wednesday.trajectory"),
];

/// From records to a rule.
pub fn main() -> Result<(), Box<dyn Error>> {
    let domain = read_domain(&Source::new("domain.pddl", DOMAIN))?;
    let traces = RECORDS.map(|record| Trace::inferred(Source::new("record", record)));

    // One call. `Spec` holds all that may be assumed beyond the paper; by default nothing is.
    let model = learn(&domain, &Spec::default(), &traces)?;

    // The head lists what has to be true of the real world for the promise to hold.
    println!("{}", model.to_pddl());
    assert!(model.to_pddl().contains("(decrease (battery ?r) (* 2 (distance ?a ?b)))"));
    for action in model.summary().actions {
        println!(
            "{}: {} steps, {} literals, {} inequalities",
            action.action, action.steps, action.literals, action.facets
        );
    }
    Ok(())
}
