//! `surefoot report`: the results of an experiment as one page, with tables and figures beside it.

use anyhow::Result;

use crate::args::ReportArguments;
use crate::output::{Answer, count, print, shown_path};
use crate::{guard, report};

pub fn run(arguments: &ReportArguments) -> Result<Answer> {
    guard::report(arguments)?;
    let written = report::write(&arguments.folder, arguments.output.as_deref())?;
    if !arguments.quiet {
        print(&format!(
            "{}\n  and in {}: {}, {} as Markdown and LaTeX\n",
            shown_path(&written.page),
            shown_path(&written.beside),
            count(written.figures, "figure"),
            count(written.tables, "table")
        ))?;
    }
    Ok(Answer::Yes)
}
