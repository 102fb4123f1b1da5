//! `surefoot assess`: how much traces are worth, without the real domain.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use surefoot_analysis::assess::{Question, assess};
use surefoot_learn::Settings;
use surefoot_learn::{Job, Policy, SetAsideLimit};

use crate::args::{Assess, Format};
use crate::records::GivenRecords;
use surefoot_io::corpus::TraceFile;
use surefoot_io::output::{Answer, print, print_json, shown_path};
use surefoot_io::progress::{self, ProgressLine};

/// Bounds are about traces drawn independently: a file that two paths name is one draw.
fn each_once(traces: &[TraceFile]) -> Result<()> {
    let mut seen = BTreeSet::new();
    for trace in traces {
        // A file that is not there is told about when it is read.
        if let Ok(path) = trace.path.canonicalize()
            && !seen.insert(path)
        {
            bail!("{} is given twice: each trace counts once", shown_path(&trace.path));
        }
    }
    Ok(())
}

pub fn run(arguments: &Assess) -> Result<Answer> {
    let records = GivenRecords::of(&arguments.recorded)?;
    let dials = &arguments.dials.0;
    let spec = records.with_parts(dials.spec()?)?;
    let kind = dials.learner();
    if !kind.is_safe() {
        bail!(
            "the bounds are proved for the safe learners only, and {} is not one: choose \
             another --algorithm",
            kind.title
        );
    }
    let start = dials.start(records.domain(), &spec)?;
    let settings = Settings::of_spec(&spec, &start).map_err(|error| dials.explained(error))?;
    each_once(records.traces())?;
    let limit =
        SetAsideLimit { share: arguments.set_aside_share, steps: arguments.set_aside_steps };
    let job = Job {
        start: &start,
        settings: &settings,
        recording: &records,
        policy: Policy { on_bad: arguments.on_bad_data, limit },
        digests: false,
        progress: &ProgressLine,
    };
    let assessment =
        assess(&job, Question { confidence: arguments.confidence, share: arguments.share });
    progress::clear();
    match arguments.format {
        Format::Json => print_json(&assessment?)?,
        Format::Text => print(&assessment?.to_string())?,
    }
    Ok(Answer::Yes)
}
