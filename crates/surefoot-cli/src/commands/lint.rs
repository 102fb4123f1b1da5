//! `surefoot lint`: whether a domain's names fit what was recorded.

use anyhow::Result;
use serde_json::{Value, json};
use surefoot::lint::{Finding, lint};

use crate::args::{Format, Lint};
use crate::corpus::{self, Files};
use crate::input;
use crate::output::{Answer, print, print_json};

pub fn run(arguments: &Lint) -> Result<Answer> {
    let domain = input::domain(&arguments.domain)?;
    let traces = corpus::traces(&arguments.traces, arguments.problems.as_deref())?;
    let findings = lint(&Files(&traces), &domain, arguments.numbers.numbers())?;
    match arguments.format {
        Format::Json => print_json(&as_json(&findings)?)?,
        Format::Text => {
            let mut text = in_words(&findings);
            if findings.is_empty() && !arguments.quiet {
                text = "nothing odd about the vocabulary\n".to_owned();
            }
            print(&text)?;
        }
    }
    // It advises: what is odd may be right.
    Ok(Answer::Yes)
}

fn in_words(findings: &[Finding]) -> String {
    findings.iter().map(ToString::to_string).collect()
}

fn as_json(findings: &[Finding]) -> Result<Value> {
    let mut all = Vec::new();
    for finding in findings {
        let mut value = serde_json::to_value(finding)?;
        value["words"] = Value::from(finding.to_string().trim_end());
        all.push(value);
    }
    Ok(json!({ "findings": all }))
}
