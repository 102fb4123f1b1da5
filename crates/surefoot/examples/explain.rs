//! Asks why a learned rule refuses a step, and what would admit it.
//!
//! Robot r2 has a battery of 100. No robot was recorded with one as full, so the rule does not let
//! it move. Whoever knows that a fuller battery never hurts can say so:
//!
//! ```sh
//! cargo run -p surefoot --example explain
//! ```

use std::error::Error;

use surefoot::assumptions::Monotone;
use surefoot::learn::Trace;
use surefoot::model::Inapplicable;
use surefoot::pddl::{Writer, read_plan};
use surefoot::{
    Numbers, Semantics, Source, Spec, Universe, explain, learn, read_domain, read_problem,
};

const DOMAIN: &str = include_str!("../../../examples/robots/domain.pddl");
const PROBLEM: &str = include_str!("../../../examples/robots/problem.pddl");
const RECORDS: [&str; 3] = [
    include_str!("../../../examples/robots/monday.trajectory"),
    include_str!("../../../examples/robots/tuesday.trajectory"),
    include_str!("../../../examples/robots/wednesday.trajectory"),
];

/// From a refusal to what admits the step.
pub fn main() -> Result<(), Box<dyn Error>> {
    let domain = read_domain(&Source::new("domain.pddl", DOMAIN))?;
    let problem = read_problem(&Source::new("problem.pddl", PROBLEM), &domain, Numbers::Exact)?;
    let traces = RECORDS.map(|record| Trace::inferred(Source::new("record", record)));
    let model = learn(&domain, &Spec::default(), &traces)?;

    let mut universe = Universe::default();
    let state = problem.initial_state(&mut universe);
    let step = read_plan(&Source::new("step", "(move r2 dock shelf)"), &domain, &problem.objects)?
        .steps
        .remove(0)
        .action;

    // The conditions that fail, with the objects of the step.
    let refused =
        Semantics::new(model.for_states(), &problem.objects).applicable(&step, &universe, &state);
    let Err(Inapplicable::Precondition(violations)) = refused else {
        return Err("not refused".into());
    };
    for violation in &violations {
        let mut writer =
            Writer::new(model.for_states(), &problem.objects).with_objects(&violation.environment);
        println!("fails: {}", writer.condition(&violation.condition));
    }

    // What was recorded nearest to it.
    let grounds = model.grounds().ok_or("a model of another learner")?;
    let nearest = explain::nearest(&grounds.learner, &step, &universe, &state)
        .ok_or("nothing was recorded")?;
    for (_, here, recorded) in &nearest.columns {
        println!("nearest record: {recorded}, here {here}");
    }

    // The same records with one more assumption, which the model states in its head.
    let marks = [("(battery ?r)".to_owned(), Monotone::More)];
    let told =
        Spec::default().with(|spec| spec.monotone = [("move".to_owned(), marks.into())].into());
    let model = learn(&domain, &told, &traces)?;
    assert!(
        Semantics::new(model.for_states(), &problem.objects)
            .applicable(&step, &universe, &state)
            .is_ok()
    );
    println!("told that a fuller battery never hurts: applicable");
    Ok(())
}
