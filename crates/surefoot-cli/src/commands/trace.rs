//! `surefoot trace`: simulates a plan into a trajectory.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use surefoot_base::pddl::write_trajectory;
use surefoot_base::validate::{PlanVerdict, trace};

use super::validate;
use crate::args::{Format, TraceArguments};
use crate::by_part;
use crate::guard;
use crate::task;
use surefoot_io::output::{
    Answer, ConditionWriter, count, print, print_json, print_summary_json, shown_output, to_file,
    write_file,
};
use surefoot_io::{paint, voice};

/// What `--format json` prints.
#[derive(Serialize)]
struct TraceReport {
    output: String,
    steps: usize,
}

pub fn run(arguments: &TraceArguments) -> Result<Answer> {
    guard::trace(arguments)?;
    let task = task::task(&arguments.task)?;
    task::with_errors(&arguments.task, &task)?;
    let task::Task { model, domain, problem } = task;
    let model = (&*arguments.task.domain, &model);
    let plan = by_part::plan(&arguments.plan, model, &domain, &problem.objects)?;
    let trajectory = match trace(&domain, &problem, &plan) {
        Ok(trajectory) => trajectory,
        Err(failed) => {
            let words = ConditionWriter::new(&domain, &problem.objects);
            let verdict = PlanVerdict::StepFails(failed);
            match arguments.speech.format {
                Format::Json => print_json(&validate::report(&words, &plan, &verdict))?,
                // Standard output is for the trajectory, and there is none.
                Format::Text => {
                    voice::answer(&paint::verdict(&words.verdict(&problem, &plan, &verdict)))
                }
            }
            return Ok(Answer::No);
        }
    };
    let written = write_trajectory(&domain, &problem.objects, &trajectory);
    let (path, steps) = (to_file(&arguments.output), trajectory.actions.len());
    match path {
        None => print(&written)?,
        Some(path) => write_file(path, written.as_bytes())?,
    }
    let output = shown_output(path.unwrap_or(Path::new("-")));
    match arguments.speech.format {
        Format::Json => print_summary_json(&TraceReport { output, steps }, path.is_none())?,
        Format::Text if path.is_some() => {
            voice::summary(&format!("{output}: {}\n", count(steps, "step")))
        }
        Format::Text => {}
    }
    Ok(Answer::Yes)
}
