//! `surefoot merge`: joins learner states. Any order and any repetition gives the same bytes.

use anyhow::{Result, bail};
use serde::Serialize;
use surefoot_analysis::saved::EXTENSION;
use surefoot_base::model::ActionId;
use surefoot_learn::{Learner, save};

use crate::args::{Format, Merge, OnMergedBadData};
use crate::dials::{differing, one_reading};
use crate::guard;
use surefoot_io::output::{
    Answer, count, print_summary_json, shown_output, shown_path, write_file,
};
use surefoot_io::streams::is_standard;
use surefoot_io::{input, progress, voice};

/// What `--format json` prints.
#[derive(Serialize)]
struct MergeReport {
    output: String,
    /// How many states were joined.
    states: usize,
}

pub fn run(arguments: &Merge) -> Result<Answer> {
    guard::merge(arguments)?;
    let (first, rest) = match &arguments.states[..] {
        [first, rest @ ..] => (first, rest),
        [] => bail!("name the states to merge"),
    };
    if arguments.output.extension().is_some_and(|end| end == EXTENSION) {
        bail!(
            "merge writes a state, not a model: name it otherwise than .{EXTENSION}; `surefoot \
             learn --resume STATE -o model.{EXTENSION}` makes a model of it"
        );
    }
    progress::stage("joining", arguments.states.len(), "states");
    let mut learner = input::learner(first)?;
    for path in rest {
        progress::part_done();
        let other = input::learner(path)?;
        if !learner.is_compatible(&other) {
            let (first, path) = (shown_path(first), shown_path(path));
            match learner.has_domain_of(&other) {
                true => {
                    bail!(
                        "{first} and {path} are states of different classes of models: {}",
                        differing(&learner, &other)
                    )
                }
                false => bail!("{first} and {path} are states of different domains"),
            }
        }
        if let Some(sentence) = learner.needs_one_reading(&other) {
            bail!(
                "{} is not merged with other states: {}",
                shown_path(path),
                one_reading(sentence)
            );
        }
        if let Some(records) = learner.left_out_apart(&other) {
            bail!(
                "{} is not merged with other states, since one of them left records out as wrong \
                 or doubtful ({records}). What those show of other actions is in no state. Learn \
                 from all their trajectories in one run",
                shown_path(path)
            );
        }
        learner.merge(&other);
    }
    if let (OnMergedBadData::Stop, Some(id)) = (arguments.on_bad_data, contradicted(&learner)) {
        bail!(
            "these states contradict each other: no model of the class explains all their \
             steps of {}. Learn from their trajectories together to find the steps to blame, \
             or leave such actions out: --on-bad-data skip-action, here and in `learn`",
            learner.domain().action_name(id)
        );
    }
    if let (OnMergedBadData::Stop, Some(id)) = (arguments.on_bad_data, allowed_failure(&learner)) {
        bail!(
            "these states contradict each other: an attempt at {} failed in a state where \
             every model of the class that explains all steps allows it. Learn from their \
             trajectories together to find this attempt, or leave such actions out: \
             --on-bad-data skip-action, here and in `learn`",
            learner.domain().action_name(id)
        );
    }
    write_file(&arguments.output, &save(&learner)?)?;
    let (output, states) = (shown_output(&arguments.output), arguments.states.len());
    match arguments.speech.format {
        Format::Json => {
            print_summary_json(&MergeReport { output, states }, is_standard(&arguments.output))?
        }
        Format::Text => voice::summary(&format!("{output}: {} merged\n", count(states, "state"))),
    }
    Ok(Answer::Yes)
}

/// The first action that failed in a state that every model allows, and that is not left out.
fn allowed_failure(learner: &Learner) -> Option<ActionId> {
    let skipped = &learner.history().skipped;
    learner
        .domain()
        .action_ids()
        .find(|id| !skipped.contains_key(id) && learner.contradicted_by_failures(*id))
}

/// The first action of whose steps no model of the class explains all, and that is not left out.
fn contradicted(learner: &Learner) -> Option<ActionId> {
    let skipped = &learner.history().skipped;
    learner
        .domain()
        .action_ids()
        .find(|id| !skipped.contains_key(id) && learner.contradiction(*id, true).is_some())
}
