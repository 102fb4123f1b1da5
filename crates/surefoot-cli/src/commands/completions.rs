//! `surefoot completions`: completion scripts from the definition of the command line.

use anyhow::Result;
use serde_json::json;

use crate::args::{Completions, Format, all_options};
use surefoot_io::output::{Answer, print, print_json};

pub fn run(arguments: &Completions) -> Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut all_options(), "surefoot", &mut script);
    let script = String::from_utf8_lossy(&script);
    match arguments.speech.format {
        Format::Json => {
            print_json(&json!({ "shell": arguments.shell.to_string(), "script": script }))?
        }
        Format::Text => print(&script)?,
    }
    Ok(Answer::Yes)
}
