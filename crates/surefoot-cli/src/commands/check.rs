//! `surefoot check`: a learned model and its certificate, verified against the trajectories.

use anyhow::Result;
use serde::Serialize;
use surefoot::check::{Checker, Reason};
use surefoot::pddl::visible;

use crate::args::{Check, Format};
use crate::corpus::{self, progress};
use crate::input;
use crate::output::{Answer, print, print_json};

pub fn run(arguments: &Check) -> Result<Answer> {
    let domain = input::domain(&arguments.domain)?;
    let model = input::domain(&arguments.model)?;
    let certificate = input::certificate(&arguments.certificate)?;
    let traces = corpus::traces(&arguments.traces, arguments.problems.as_deref())?;
    let bar = progress(traces.len(), arguments.quiet).with_message("checking");
    let mut checker = Checker::new(&domain, &model, &certificate);
    for trace in &traces {
        let source = input::source(&trace.path)?;
        let objects = trace.objects(&source, &domain, checker.numbers())?;
        checker.read(&source, &objects)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let assumptions = checker.assumptions();
    let reasons = checker.finish();
    match arguments.format {
        Format::Json => print_json(&Verdict {
            accepted: reasons.is_empty(),
            reasons: reasons.iter().map(Row::new).collect(),
            assumptions: &assumptions,
        })?,
        Format::Text if reasons.is_empty() && arguments.quiet => {}
        Format::Text if reasons.is_empty() => {
            let mut text = format!("accepted: {} actions are safe, if:\n", model.actions.len());
            text.extend(assumptions.iter().map(|assumption| format!("- {}\n", visible(assumption))));
            print(&text)?;
        }
        Format::Text => {
            let lines: String = reasons.iter().map(|reason| format!("- {}\n", visible(&reason.to_string()))).collect();
            print(&format!("rejected:\n{lines}"))?;
        }
    }
    Ok(if reasons.is_empty() { Answer::Yes } else { Answer::No })
}

#[derive(Serialize)]
struct Verdict<'a> {
    accepted: bool,
    reasons: Vec<Row<'a>>,
    assumptions: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    action: Option<&'a str>,
    kind: String,
    what: &'a str,
}

impl<'a> Row<'a> {
    fn new(reason: &'a Reason) -> Self {
        Row { action: reason.action.as_deref(), kind: format!("{:?}", reason.kind).to_lowercase(), what: &reason.what }
    }
}
