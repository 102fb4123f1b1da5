//! Plans for problems of one domain and prints, for each, the outcome and the CPU time it took.
//!
//! ```text
//! cargo run --release -p surefoot-measure --bin plan_time -- DOMAIN SECONDS PROBLEM...
//! ```
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::Duration;

use surefoot_base::pddl::{Numbers, Source, read_domain, read_problem};
use surefoot_plan::{SearchLimits, SearchOptions, SearchOutcome, plan};

/// The CPU seconds of this process so far, in hundredths.
fn seconds_used() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = std::fs::read_to_string(&arguments[0]).unwrap();
    let domain = read_domain(&Source::new(arguments[0].clone(), text)).unwrap();
    let seconds: f64 = arguments[1].parse().unwrap();
    let threads = std::env::var("THREADS").ok().and_then(|count| count.parse().ok()).unwrap_or(1);
    let (mut solved, mut times) = (0, Vec::new());
    for path in &arguments[2..] {
        let text = std::fs::read_to_string(path).unwrap();
        let started = seconds_used();
        let problem =
            read_problem(&Source::new(path.clone(), text), &domain, Numbers::Exact).unwrap();
        let limits =
            SearchLimits { time: Some(Duration::from_secs_f64(seconds)), memory: Some(4 << 30) };
        let report = plan(
            &domain,
            &problem,
            &SearchOptions::default().with(|options| {
                options.limits = limits;
                options.threads = threads;
            }),
            &|_| true,
        );
        let time = seconds_used() - started;
        times.push(time);
        let outcome = match &report.outcome {
            SearchOutcome::Solved(plan) => {
                solved += 1;
                format!("solved, {} steps", plan.steps.len())
            }
            other => format!("{other:?}").chars().take(300).collect(),
        };
        println!("{path}: {outcome}; {time:.3} s; {:?}", report.effort);
    }
    times.sort_by(f64::total_cmp);
    println!(
        "{}: {solved} of {}, median {:.3} s, most {:.3} s",
        arguments[0],
        times.len(),
        times[times.len() / 2],
        times[times.len() - 1]
    );
}
