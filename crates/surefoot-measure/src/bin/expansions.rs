//! How many states are expanded a second, breadth first and without estimates.
//!
//! ```text
//! cargo run --release -p surefoot-measure --bin expansions -- DOMAIN STATES PROBLEM...
//! ```

use std::time::Instant;

use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};
use surefoot_plan::enumerate;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [domain_path, most, problems @ ..] = &arguments[..] else {
        return Err("DOMAIN STATES PROBLEM...".into());
    };
    let domain =
        read_domain(&Source::new(domain_path.clone(), std::fs::read_to_string(domain_path)?))?;
    for path in problems {
        let problem = read_problem(
            &Source::new(path.clone(), std::fs::read_to_string(path)?),
            &domain,
            Numbers::Exact,
        )?;
        let started = Instant::now();
        let effort = enumerate(&domain, &problem, most.parse()?, &|_| true)?.unwrap_or_default();
        let seconds = started.elapsed().as_secs_f64();
        let rate = effort.expanded as f64 / seconds;
        println!(
            "{path}: {} actions, {} states expanded, {} stored, {rate:.0} a second",
            effort.actions, effort.expanded, effort.stored
        );
    }
    Ok(())
}
