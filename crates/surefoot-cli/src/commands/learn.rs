//! `surefoot learn`: from trajectories to a safe domain.

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, bail};
use surefoot_analysis::assess::{Outlook, learn_with_outlook};
use surefoot_analysis::found::{asks_for_parts, find_parts, with_proposed_parts};
use surefoot_analysis::saved::{EXTENSION, to_bytes};
use surefoot_base::advice::Worded;
use surefoot_base::assumptions::{Spec, misfits};
use surefoot_base::model::Domain;
use surefoot_base::pddl::{Operands, visible};
use surefoot_learn::Class;
use surefoot_learn::Settings;
use surefoot_learn::{
    Both, Job, LearnError, Learner, LearnerKind, Model, OnBadData, Policy, Recording,
    SetAsideLimit, assumptions, learn_with, save,
};

use crate::args::{Format, Learn};
use crate::dials::differing;
use crate::guard;
use crate::records::GivenRecords;
use surefoot_io::output::{Answer, Outputs, print_summary_json, shown_path, to_file};
use surefoot_io::progress::{self, ProgressLine};
use surefoot_io::spelling::Options;
use surefoot_io::streams::is_standard;
use surefoot_io::{input, paint, voice};

pub fn run(arguments: &Learn) -> Result<Answer> {
    let records = GivenRecords::of(&arguments.recorded)?;
    if is_saved_model(&arguments.output) && arguments.binary {
        bail!("--binary is about PDDL: leave it out where -o names a .{EXTENSION} file");
    }
    let mut spec = spec(arguments)?;
    let kind = arguments.dials.learner();
    kind.check_dials(&spec)?;
    match kind.is_safe() {
        true => spec = records.with_parts(spec)?,
        false if records.has_parts() => voice::warn(&format!(
            "{} learns every action as one, so `split` of the map is not used",
            kind.title
        )),
        false => {}
    }
    if spec.squares {
        voice::warn(
            "with --squares, records can refute almost nothing between two observed values: \
             expect a model that allows little more than the recorded values",
        );
    }
    let mut outputs = Outputs::default();
    let learned = match kind.is_safe() {
        true => safe(arguments, &records, &spec, &mut outputs),
        false => other(arguments, &records, &spec, kind).map(|model| (model, None)),
    };
    // What contradicts the map may be why nothing is learned.
    if let GivenRecords::Log(log) = &records {
        log.tally().warnings().iter().for_each(|warning| voice::warn(warning));
    }
    let (model, outlook) = learned?;
    let operands = if arguments.binary { Operands::Two } else { Operands::Many };
    let bytes = match is_saved_model(&arguments.output) {
        true => to_bytes(&model, &spec, rests_on_known_traces(arguments)?)?,
        false => model.to_pddl_with(operands).into_bytes(),
    };
    outputs.add(to_file(&arguments.output).unwrap_or(Path::new("-")), bytes);
    outputs.write()?;
    if !model.summary().actions.iter().any(|action| action.learned) {
        voice::warn("no action was learned: the model allows nothing");
    }
    match arguments.format {
        Format::Json => print_summary_json(&model.summary(), is_output_taken(arguments))?,
        Format::Text => {
            if let GivenRecords::Log(log) = &records {
                voice::summary(&format!("{}\n", log.tally()));
            }
            let summary = model.summary();
            voice::summary(&paint::headed(&summary.spelled(&Options)));
            if matches!(records, GivenRecords::Log(_))
                && summary.actions.iter().any(|action| action.unclear > 0)
            {
                voice::summary(
                    "(A fact that no row or file reports is unknown. If such facts are false, \
                     say so in the map with `complete`.)\n",
                );
            }
            if let Some(outlook) = outlook {
                voice::summary(&format!("{outlook}\n"));
            }
        }
    }
    Ok(Answer::Yes)
}

/// Whether a file is to hold a model with all that it is, and not its PDDL.
fn is_saved_model(output: &Option<PathBuf>) -> bool {
    to_file(output).is_some_and(|path| path.extension().is_some_and(|end| end == EXTENSION))
}

/// The dials as typed; where none is, and a saved model is to be continued from, its dials.
fn spec(arguments: &Learn) -> Result<Spec> {
    let path = arguments.resume.as_deref().filter(|_| !arguments.dials.is_turned());
    let model = match path {
        Some(path) if input::saved(path)?.is_some() => input::model_to_check(path)?,
        _ => return arguments.dials.spec(),
    };
    match (model.spec(), &model.saved) {
        (Some(stamped), Some(saved)) => {
            // The stamp has no sentences about records.
            let spec = stamped.clone().with(|spec| spec.reading = saved.spec().reading.clone());
            if spec != Spec::default() {
                voice::note(&format!(
                    "options are those of {}: name any to choose all of them anew",
                    shown_path(path.unwrap_or(Path::new("")))
                ));
            }
            Ok(spec)
        }
        _ => arguments.dials.spec(),
    }
}

/// Whether all that is learned from is in traces that are known. What a saved model rests on may
/// not be.
fn rests_on_known_traces(arguments: &Learn) -> Result<bool> {
    let earlier = arguments.resume.as_deref().map(input::saved).transpose()?.flatten();
    Ok(earlier.is_none_or(|earlier| earlier.is_complete()))
}

/// Whether something goes to standard output that is not the summary.
fn is_output_taken(arguments: &Learn) -> bool {
    let Learn { output, state, certificate, .. } = arguments;
    to_file(output).is_none()
        || [state, certificate].into_iter().flatten().any(|path| is_standard(path))
}

/// A safe model; what can be stored of it besides is among the outputs.
fn safe(
    arguments: &Learn,
    records: &GivenRecords,
    spec: &Spec,
    outputs: &mut Outputs<'_>,
) -> Result<(Model, Option<Outlook>)> {
    if !asks_for_parts(spec) {
        let earlier = match &arguments.resume {
            Some(path) => Some(earlier(arguments, path, records.domain(), spec)?),
            None => None,
        };
        return fixed(arguments, records, records, (spec, false, earlier), outputs);
    }
    // All records together show which parts an action has.
    let mut spec = spec.clone();
    let (kept, new) = match &arguments.resume {
        None => (Vec::new(), None),
        Some(path) => {
            let earlier = input::learner(path)?;
            spec.reading.extend(earlier.history().assumed.iter().cloned());
            let Some((kept, new)) = earlier.kept_beside(records)? else {
                bail!(
                    "{0} cannot be continued with --parts found: all records together show which \
                     parts an action has, and {0} does not hold its trajectories. Learn from all \
                     records in one run. (With --parts found, states of trajectories hold up to \
                     64 MB of their text, and can be resumed)",
                    shown_path(path)
                );
            };
            (kept, Some(new))
        }
    };
    let kept = &kept[..];
    let new: &dyn Recording = new.as_ref().map_or(records, |new| new);
    let recording = Both(new, &kept);
    check(arguments, records)?;
    let found =
        find_parts(records.domain(), &spec, &recording, arguments.on_bad_data, &ProgressLine)
            .map_err(|error| match error {
                LearnError::Spec(error) => arguments.dials.explained(error),
                error => error.into(),
            })?;
    let learned = fixed(arguments, records, &recording, (&found.spec, true, None), outputs);
    if learned.is_ok() {
        for note in found.notes.iter().filter(|note| !note.stands) {
            voice::note(&note.words.spelled(&Options));
        }
    }
    learned.map_err(|error| match error.downcast::<LearnError>() {
        Ok(error) => found.explained(error).into(),
        Err(error) => error,
    })
}

/// The learner that a file holds, if it goes on with these options.
fn earlier(arguments: &Learn, path: &Path, domain: &Domain, spec: &Spec) -> Result<Learner> {
    let start = arguments.dials.start(domain, spec)?;
    let earlier = input::learner(path)?;
    let path = shown_path(path);
    if !earlier.is_compatible(&start) {
        match earlier.has_domain_of(&start) {
            true => bail!(
                "{path} was made with other options: {}; give the same options \
                 as when it was made",
                differing(&earlier, &start)
            ),
            false => bail!("{path} is the state of another domain"),
        }
    }
    Ok(earlier)
}

/// A safe model of a class whose parts are known; `found` says whether they were looked for.
fn fixed(
    arguments: &Learn,
    records: &GivenRecords,
    recording: &dyn Recording,
    (spec, found, earlier): (&Spec, bool, Option<Learner>),
    outputs: &mut Outputs<'_>,
) -> Result<(Model, Option<Outlook>)> {
    let domain = records.domain();
    let start = match earlier {
        Some(earlier) => earlier,
        None => arguments.dials.start(domain, spec)?,
    };
    let settings =
        Settings::of_spec(spec, &start).map_err(|error| arguments.dials.explained(error))?;
    check(arguments, records)?;
    for misfit in misfits(domain, &assumptions(&start, &settings)) {
        voice::warn(&format!(
            "{}: {}. No model of the class has that, so the learned model may not be safe",
            shown_path(
                arguments
                    .recorded
                    .domain
                    .iter()
                    .chain(&arguments.recorded.map)
                    .next()
                    .map_or(Path::new(""), |path| path)
            ),
            visible(&misfit.to_string())
        ));
    }
    let limit =
        SetAsideLimit { share: arguments.set_aside_share, steps: arguments.set_aside_steps };
    let job = Job {
        start: &start,
        settings: &settings,
        recording,
        policy: Policy { on_bad: arguments.on_bad_data, limit },
        digests: arguments.state.is_some()
            || arguments.certificate.is_some()
            || is_saved_model(&arguments.output),
        progress: &ProgressLine,
    };
    // Who does not read the summary does not wait for the line about unseen traces.
    let summary = arguments.format == Format::Text && !arguments.quiet;
    // The line is about models with the same parts, and others may find other ones.
    let summary = summary && start.lens().parts().found().next().is_none();
    let learned =
        if summary { learn_with_outlook(&job) } else { job.run().map(|model| (model, None)) };
    let learned = learned.map_err(|error| match found {
        true => error,
        false => with_proposed_parts(&job, error),
    });
    let (model, outlook) = learned.map_err(|error| match (&arguments.resume, &error) {
        (Some(path), LearnError::SeveralLogs { is_earlier: true, .. }) => {
            let what = format!("{} cannot be resumed with more rows", shown_path(path));
            Error::new(error).context(what)
        }
        _ => error.into(),
    })?;
    if let (Some(path), Some(grounds)) = (&arguments.state, model.grounds()) {
        let learner = &grounds.learner;
        let bytes = match found {
            true => save(&learner.with_kept(recording)?)?,
            false => save(learner)?,
        };
        outputs.add(path, bytes);
    }
    if let Some(path) = &arguments.certificate {
        progress::stage("making the certificate", 0, "");
        if let Some(certificate) = model.certificate() {
            outputs.add(path, certificate.to_json()?.into_bytes());
        }
    }
    Ok((model, outlook))
}

/// A model of a learner that promises nothing.
fn other(
    arguments: &Learn,
    records: &GivenRecords,
    spec: &Spec,
    kind: &LearnerKind,
) -> Result<Model> {
    for (option, path) in [
        ("--save-state", &arguments.state),
        ("--resume", &arguments.resume),
        ("--certificate", &arguments.certificate),
    ] {
        if path.is_some() {
            bail!(
                "{option} needs a safe learner, and {} is not one: its models can be neither \
                 resumed nor checked",
                kind.title
            );
        }
    }
    let usual = SetAsideLimit::default();
    for (option, is_turned) in [
        ("--on-bad-data", arguments.on_bad_data != OnBadData::Stop),
        ("--set-aside-share", arguments.set_aside_share != usual.share),
        ("--set-aside-steps", arguments.set_aside_steps != usual.steps),
    ] {
        if is_turned {
            bail!("{} does not read {option}: leave it out", kind.title);
        }
    }
    check(arguments, records)?;
    let domain = records.domain();
    progress::stage("reading", records.len(), "traces");
    let numbers =
        Class::of_spec(spec, domain).map_err(|error| arguments.dials.explained(error))?.numbers;
    let model = learn_with((kind.start)(domain, spec)?, domain, numbers, records, &ProgressLine);
    if arguments.quiet {
        voice::warn(&format!(
            "{} is not a safe learner: what its model allows may fail",
            kind.title
        ));
    }
    Ok(model?)
}

fn check(arguments: &Learn, records: &GivenRecords) -> Result<()> {
    if records.len() == 0 && arguments.resume.is_none() {
        bail!("name trajectories to learn from, or a folder of them");
    }
    guard::learn(arguments, records.traces())
}
