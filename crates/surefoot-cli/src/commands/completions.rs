//! `surefoot completions`: completion scripts from the definition of the command line.

use anyhow::Result;
use clap::CommandFactory;

use crate::args::{CommandLine, Completions};
use crate::output::{Answer, print};

pub fn run(arguments: &Completions) -> Result<Answer> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "surefoot", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Answer::Yes)
}
