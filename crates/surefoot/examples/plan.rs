//! Plans with a rule that was learned, through states that were never recorded.
//!
//! On Thursday the robot shall go to the gate. It was never recorded to go there from the dock, nor
//! with such a battery, and still the plan works, wherever the assumptions of the model are true:
//!
//! ```sh
//! cargo run -p surefoot --example plan
//! ```

use std::error::Error;

use surefoot::learn::Trace;
use surefoot::pddl::write_plan;
use surefoot::plan::{SearchOptions, SearchOutcome, plan};
use surefoot::{Numbers, Source, Spec, learn, read_domain, read_problem};

const DOMAIN: &str = include_str!("../../../examples/robots/domain.pddl");
const PROBLEM: &str = include_str!("../../../examples/robots/problem.pddl");
const RECORDS: [&str; 3] = [
    include_str!("../../../examples/robots/monday.trajectory"),
    include_str!("../../../examples/robots/tuesday.trajectory"),
    include_str!("../../../examples/robots/wednesday.trajectory"),
];

/// From records to a plan.
pub fn main() -> Result<(), Box<dyn Error>> {
    let domain = read_domain(&Source::new("domain.pddl", DOMAIN))?;
    let problem = read_problem(&Source::new("problem.pddl", PROBLEM), &domain, Numbers::Exact)?;
    let traces = RECORDS.map(|record| Trace::inferred(Source::new("record", record)));
    let model = learn(&domain, &Spec::default(), &traces)?;

    // A model is a domain like any other, to this planner and to others. The last argument may stop
    // the search.
    let report = plan(model.for_planning(), &problem, &SearchOptions::default(), &|_| true);
    let SearchOutcome::Solved(steps) = report.outcome else {
        return Err("there is no plan".into());
    };
    let text = write_plan(model.for_planning(), &problem.objects, &steps);
    print!("{text}");
    assert_eq!(text, "(move r1 dock shelf)\n(move r1 shelf gate)\n");
    Ok(())
}
