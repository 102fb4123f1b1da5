//! `surefoot report`: the results of an experiment as one page, with tables and figures beside it.

use anyhow::Result;
use serde_json::json;

use crate::args::{Format, ReportArguments};
use crate::guard;
use surefoot_io::output::{Answer, count, print, print_json, shown_path};
use surefoot_io::streams::is_standard;
use surefoot_lab::report;

pub fn run(arguments: &ReportArguments) -> Result<Answer> {
    guard::report(arguments)?;
    if arguments.output.as_deref().is_some_and(is_standard) {
        print(&report::page(&arguments.folder)?)?;
        return Ok(Answer::Yes);
    }
    let written = report::write(&arguments.folder, arguments.output.as_deref())?;
    if arguments.format == Format::Json {
        print_json(&json!({
            "page": shown_path(&written.page),
            "folder": shown_path(&written.beside),
            "figures": written.figures,
            "tables": written.tables,
        }))?;
    } else if !arguments.quiet {
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
