//! `surefoot lint`: whether a domain's names fit what was recorded.

use anyhow::Result;
use serde_json::{Value, json};
use surefoot_analysis::lint::{Finding, lint};
use surefoot_base::advice::Worded;

use crate::args::{Format, Lint};
use crate::records::GivenRecords;
use surefoot_io::output::{Answer, print, print_json};
use surefoot_io::spelling::Options;

pub fn run(arguments: &Lint) -> Result<Answer> {
    let records = GivenRecords::of(&arguments.recorded)?;
    let findings = lint(&records, records.domain(), arguments.numbers.numbers())?;
    match arguments.format {
        Format::Json => print_json(&json!({ "findings": as_json(&findings)? }))?,
        Format::Text => {
            let mut text = in_words(&findings);
            if findings.is_empty() && !arguments.quiet {
                text = "no problem found in the predicates, functions and parameters\n".to_owned();
            }
            print(&text)?;
        }
    }
    // It advises: what is odd may be right.
    Ok(Answer::Yes)
}

/// The findings as sentences, or that there are none.
pub fn in_words(findings: &[Finding]) -> String {
    findings.iter().map(|finding| finding.spelled(&Options)).collect()
}

/// Findings for machines, each with its words.
pub fn as_json(findings: &[Finding]) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for finding in findings {
        let mut value = serde_json::to_value(finding)?;
        let text = finding.text();
        value["words"] = Value::from(text.spelled(&Options).trim_end());
        value["advice"] = serde_json::to_value(text.advice())?;
        all.push(value);
    }
    Ok(all)
}
