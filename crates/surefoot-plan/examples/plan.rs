//! Plans a PDDL problem: `cargo run --release -p surefoot-plan --example plan -- DOMAIN PROBLEM`.

use std::{env, error::Error, fs};

use surefoot_base::pddl::{Numbers, Source, read_domain, read_published_problem, write_plan};
use surefoot_plan::{SearchOptions, SearchOutcome, plan};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = env::args().skip(1).collect();
    let [domain, problem] = &paths[..] else { return Err("usage: plan DOMAIN PROBLEM".into()) };
    let domain = read_domain(&Source::new(domain, fs::read_to_string(domain)?))?;
    let (problem, _) = read_published_problem(
        &Source::new(problem, fs::read_to_string(problem)?),
        &domain,
        Numbers::Exact,
    )?;
    let report = plan(&domain, &problem, &SearchOptions::default(), &|_| true);
    let SearchOutcome::Solved(plan) = report.outcome else {
        return Err(format!("{:?}", report.outcome).into());
    };
    print!("{}", write_plan(&domain, &problem.objects, &plan));
    Ok(())
}
