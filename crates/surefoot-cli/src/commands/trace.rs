//! `surefoot trace`: simulates a plan into a trajectory.

use anyhow::Result;
use surefoot::pddl::write_trajectory;
use surefoot::validate::{Verdict, trace};

use crate::args::TraceArguments;
use crate::output::{Answer, Words, count, print, shown_path, write_file};
use crate::{guard, input};

pub fn run(arguments: &TraceArguments) -> Result<Answer> {
    guard::trace(arguments)?;
    let input::Task { domain, problem, .. } = input::task(&arguments.task)?;
    let plan = input::plan(&arguments.plan, &domain, &problem.objects)?;
    let trajectory = match trace(&domain, &problem, &plan) {
        Ok(trajectory) => trajectory,
        Err(failed) => {
            let words = Words::new(&domain, &problem.objects);
            eprint!("{}", words.verdict(&problem, &plan, &Verdict::StepFails(failed)));
            return Ok(Answer::No);
        }
    };
    let written = write_trajectory(&domain, &problem.objects, &trajectory);
    match &arguments.output {
        None => print(&written)?,
        Some(path) => {
            write_file(path, written.as_bytes())?;
            eprintln!("{}: {}", shown_path(path), count(trajectory.actions.len(), "step"));
        }
    }
    Ok(Answer::Yes)
}
