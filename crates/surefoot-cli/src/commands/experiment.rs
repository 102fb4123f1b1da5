//! `surefoot experiment`: measures learners over domains, algorithms, settings, trace counts and
//! folds.

use anyhow::Result;
use serde_json::json;

use crate::args::{ExperimentArguments, Format};
use crate::guard;
use surefoot_io::output::{Answer, count, print, print_json, shown_path};
use surefoot_io::voice;
use surefoot_lab::experiment::config::Config;
use surefoot_lab::experiment::results::TableCounts;
use surefoot_lab::experiment::run::{Experiment, jobs};

pub fn run(arguments: &ExperimentArguments) -> Result<Answer> {
    let config = Config::read(&arguments.config, arguments.traces_root.as_deref())?;
    guard::experiment(arguments, &config)?;
    let experiment = Experiment::prepare(config)?;
    let jobs = jobs(arguments.jobs)?;
    let is_json = arguments.format == Format::Json;
    if experiment.too_few() > 0 {
        let few: Vec<String> =
            experiment.training.iter().map(|(name, traces)| format!("{name} {traces}")).collect();
        voice::note(&format!(
            "{} left out for want of traces; there are to learn from: {}",
            count(experiment.too_few(), "cell"),
            few.join(", ")
        ));
    }
    if let Some(missing) = experiment.missing_planners() {
        voice::warn(&format!("coverage is not measured in full. {missing}"));
    }
    if arguments.dry_run {
        let finished = experiment.finished(&arguments.output);
        let seconds = experiment.estimate(jobs)?;
        if is_json {
            print_json(&json!({
                "cells": experiment.cells(),
                "finished": finished,
                "jobs": jobs,
                "seconds": seconds,
                "planning_seconds_at_most": experiment.planning_bound(jobs),
                "command_seconds_at_most": experiment.command_bound(jobs),
            }))?;
            return Ok(Answer::Yes);
        }
        print(&format!(
            "{}, {finished} of them finished; with {} all take about {}{}{}\n",
            count(experiment.cells(), "cell"),
            count(jobs, "job"),
            duration(seconds),
            at_most(", and planning", experiment.planning_bound(jobs)),
            at_most("; your own learners", experiment.command_bound(jobs))
        ))?;
        return Ok(Answer::Yes);
    }
    let finished = experiment.run(&arguments.output, jobs)?;
    let TableCounts { cells, failed, .. } = finished.tables;
    let failures = shown_path(arguments.output.join("failures.csv"));
    if is_json {
        print_json(&json!({
            "folder": shown_path(&arguments.output),
            "cells": cells,
            "earlier": finished.earlier,
            "failed": failed,
            "failures": Some(&failures).filter(|_| failed > 0),
            "seconds": finished.seconds,
        }))?;
    }
    let all = finished.seconds * finished.jobs as f64;
    voice::summary(&format!(
        "{} ({} from before) in {}; {:.1} % of the workers' time went into cells\n",
        count(cells, "cell"),
        finished.earlier,
        duration(finished.seconds),
        if all > 0.0 { 100.0 * finished.busy / all } else { 100.0 }
    ));
    if failed > 0 {
        voice::warn(&format!("{} failed; {failures} says why", count(failed, "cell")));
        return Ok(Answer::No);
    }
    Ok(Answer::Yes)
}

/// What something adds to the time of an experiment; nothing if it takes none.
fn at_most(what: &str, seconds: f64) -> String {
    if seconds > 0.0 { format!("{what} at most {} more", duration(seconds)) } else { String::new() }
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 90.0 => format!("{seconds:.1} s"),
        seconds if seconds < 5400.0 => format!("{:.1} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}
