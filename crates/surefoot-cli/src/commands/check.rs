//! `surefoot check`: a learned model and its certificate, verified against the trajectories.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use serde::Serialize;
use surefoot_base::assumptions::Misfit;
use surefoot_base::certificate::Certificate;
use surefoot_base::pddl::visible;
use surefoot_check::{ModelChecker, RejectionReason, excess, stamp_differences};
use surefoot_learn::whole;

use crate::args::{Check, Format};
use crate::records::GivenRecords;
use surefoot_io::output::{Answer, first_few, print_json, say, shown_path};
use surefoot_io::{input, paint, progress, voice};

pub fn run(arguments: &Check) -> Result<Answer> {
    let given = input::model_to_check(&arguments.model)?;
    if let Some(warning) = given.not_safe() {
        let what = format!("the model is marked NOT SAFE, so there is nothing to check: {warning}");
        let reasons = vec![ActionVerdict { action: None, kind: "promise".into(), what }];
        return rejected(arguments, reasons);
    }
    let records = GivenRecords::of(&arguments.recorded)?;
    let model = &given.domain;
    if let (true, Some(other)) = (given.is_saved(), &arguments.certificate) {
        bail!(
            "{} has its own certificate, which other commands use: leave out {}",
            shown_path(&arguments.model),
            shown_path(other)
        );
    }
    let Some(certificate) = given.certificate(arguments.certificate.as_deref())? else {
        bail!(
            "name the certificate of {} with -c: `learn --certificate` writes it",
            shown_path(&arguments.model)
        );
    };
    let agreed = arguments.assume.as_deref().map(agreed).transpose()?;
    progress::stage("reading", records.len(), "traces");
    let assumed = &certificate.assumptions;
    let names_records = !(assumed.set_aside.is_empty() && assumed.doubtful.is_empty());
    // Planning and scoring use these. A certificate without them fits no model, and is rejected.
    let with_hulls = whole(model, &certificate);
    let mut checker = ModelChecker::new(records.domain(), model, &certificate);
    if let Some(with_hulls) = with_hulls.as_ref().ok().filter(|with_hulls| *with_hulls != model) {
        checker = checker.with_whole_hulls(with_hulls);
    }
    for trace in 0..records.len() {
        let (source, objects) = records.text(trace, checker.numbers())?;
        let places = match names_records {
            true => records.places(trace, checker.numbers())?,
            false => BTreeMap::new(),
        };
        checker.read_from(&source, &objects, &places)?;
        progress::part_done();
    }
    progress::stage("checking", model.actions.len(), "actions");
    let mut judged = 0;
    let mut begun = |action: &str| {
        if judged > 0 {
            progress::part_done();
        }
        judged += 1;
        progress::message(format!("checking {}", visible(action)));
    };
    let excess = agreed.map_or_else(Vec::new, |agreed| excess(&certificate.assumptions, &agreed));
    let (assumptions, misfits) = (checker.assumptions(), checker.misfits());
    let mut reasons: Vec<ActionVerdict> = excess.into_iter().map(ActionVerdict::assumed).collect();
    reasons.extend(checker.header_differences(given.source.text()).iter().map(ActionVerdict::new));
    reasons.extend(
        stamp_differences(given.stamp.as_ref(), &certificate.assumptions)
            .iter()
            .map(ActionVerdict::new),
    );
    for sentence in records.missing_parts(&certificate.assumptions.spec)? {
        let what = format!("the map declares what the model does not assume: {sentence}");
        reasons.push(ActionVerdict { action: None, kind: "assumption".into(), what });
    }
    reasons.extend(checker.finish_telling(&mut begun).iter().map(ActionVerdict::new));
    if let (true, Err(error)) = (reasons.is_empty(), &with_hulls) {
        let (kind, what) = ("certificate".into(), error.to_string());
        reasons.push(ActionVerdict { action: None, kind, what });
    }
    if reasons.is_empty() && certificate.surefoot == env!("CARGO_PKG_VERSION") {
        reasons.extend(other_state(&given, &certificate));
    }
    let accepted = reasons.is_empty();
    progress::clear();
    match arguments.format {
        Format::Json => print_json(&CheckReport {
            accepted,
            reasons,
            assumptions: &assumptions,
            misfits: misfits.iter().map(Misfit::to_string).collect(),
        })?,
        Format::Text => {
            let (title, lines) = if accepted {
                (format!("accepted: {} safe, if:", safe(model.actions.len())), assumptions)
            } else {
                ("rejected:".to_owned(), in_words(&reasons))
            };
            say(&paint::verdict(&format!("{title}\n{}", items(&lines))))?;
            if accepted && given.is_saved() {
                voice::note(&format!(
                    "the learner's state in {} was not held against the records: `explain` takes \
                     proofs of failure from it, and `learn --resume` continues it. Learn again \
                     from the records for one that you can trust",
                    shown_path(&arguments.model)
                ));
            }
            for misfit in misfits {
                voice::warn(&format!(
                    "the given domain shows that this is false: {}",
                    visible(&misfit.to_string())
                ));
            }
        }
    }
    Ok(if accepted { Answer::Yes } else { Answer::No })
}

/// Whether the evidence in one file makes another model, or another certificate, than those beside
/// it: whoever loads the file as a whole plans with what its evidence makes. (Another version may
/// make another model of the same evidence.)
fn other_state(given: &input::ModelFile, certificate: &Certificate) -> Option<ActionVerdict> {
    let what = match given.remade() {
        Ok(None) => return None,
        Ok(Some(saved)) if saved.model.certificate().as_ref() == Some(certificate) => return None,
        Ok(Some(_)) => {
            "the learner's state in the file makes another certificate than the one beside it"
                .to_owned()
        }
        Err(error) => error.to_string(),
    };
    Some(ActionVerdict { action: None, kind: "certificate".into(), what })
}

/// A verdict without a look at the traces.
fn rejected(arguments: &Check, reasons: Vec<ActionVerdict>) -> Result<Answer> {
    match arguments.format {
        Format::Json => print_json(&CheckReport {
            accepted: false,
            reasons,
            assumptions: &[],
            misfits: Vec::new(),
        })?,
        Format::Text => {
            say(&paint::verdict(&format!("rejected:\n{}", items(&in_words(&reasons)))))?;
        }
    }
    Ok(Answer::No)
}

/// The first few reasons, and how many more there are.
fn in_words(reasons: &[ActionVerdict]) -> Vec<String> {
    first_few(reasons.iter().map(ActionVerdict::in_words), reasons.len(), "reason")
}

fn items(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {}\n", visible(line))).collect()
}

fn safe(actions: usize) -> String {
    if actions == 1 { "1 action is".into() } else { format!("{actions} actions are") }
}

/// The sentences of a file: its lines, but for blank ones and, in the head of a model, those that
/// are no items of a list.
fn agreed(path: &Path) -> Result<Vec<String>> {
    if path.as_os_str() == "none" {
        return Ok(Vec::new());
    }
    let source = input::source(path)?;
    Ok(source.text().lines().filter(|line| is_sentence(line)).map(str::to_owned).collect())
}

fn is_sentence(line: &str) -> bool {
    match line.trim().strip_prefix(';') {
        Some(comment) => comment.trim_start_matches(';').trim_start().starts_with('-'),
        None => !line.trim().is_empty(),
    }
}

#[derive(Serialize)]
struct CheckReport<'a> {
    accepted: bool,
    reasons: Vec<ActionVerdict>,
    assumptions: &'a [String],
    /// Where the given domain shows that what is assumed is not so.
    misfits: Vec<String>,
}

#[derive(Serialize)]
struct ActionVerdict {
    action: Option<String>,
    kind: String,
    what: String,
}

impl ActionVerdict {
    fn new(reason: &RejectionReason) -> Self {
        ActionVerdict {
            action: reason.action.clone(),
            kind: format!("{:?}", reason.kind).to_lowercase(),
            what: reason.what.clone(),
        }
    }

    fn assumed(sentence: String) -> Self {
        ActionVerdict {
            action: None,
            kind: "assumption".into(),
            what: format!("it assumes more than you accepted: {sentence}"),
        }
    }

    fn in_words(&self) -> String {
        match &self.action {
            Some(action) => format!("{action}: {}", self.what),
            None => self.what.clone(),
        }
    }
}
