//! `surefoot experiment`: measures learners over domains, algorithms, settings, trace counts and folds.

use anyhow::Result;

use crate::args::ExperimentArguments;
use crate::experiment::config::Config;
use crate::experiment::run::{Experiment, jobs};
use crate::guard;
use crate::output::{Answer, count, print, shown_path};

pub fn run(arguments: &ExperimentArguments) -> Result<Answer> {
    let config = Config::read(&arguments.config, arguments.traces_root.as_deref())?;
    guard::experiment(arguments, &config)?;
    let experiment = Experiment::prepare(config)?;
    let jobs = jobs(arguments.jobs)?;
    if experiment.too_few() > 0 && !arguments.quiet {
        let few: Vec<String> = experiment.training.iter().map(|(name, traces)| format!("{name} {traces}")).collect();
        eprintln!(
            "note: {} left out for want of traces; there are to learn from: {}",
            count(experiment.too_few(), "cell"),
            few.join(", ")
        );
    }
    if let Some(missing) = experiment.missing_planners() {
        eprintln!("note: coverage is not measured in full. {missing}");
    }
    if arguments.dry_run {
        let finished = experiment.finished(&arguments.output);
        let seconds = experiment.estimate(jobs)?;
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
    let finished = experiment.run(&arguments.output, jobs, arguments.quiet)?;
    if !arguments.quiet {
        let all = finished.seconds * finished.jobs as f64;
        eprintln!(
            "{} ({} from before) in {}; {:.1} % of the workers' time went into cells",
            count(finished.tables.cells, "cell"),
            finished.earlier,
            duration(finished.seconds),
            if all > 0.0 { 100.0 * finished.busy / all } else { 100.0 }
        );
    }
    if finished.tables.failed > 0 {
        eprintln!(
            "{} failed; {} says why",
            count(finished.tables.failed, "cell"),
            shown_path(arguments.output.join("failures.csv"))
        );
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
