//! `surefoot problem`: the problem that goes with a model learned from numbers with errors.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use surefoot_base::assumptions::ErrorMap;
use surefoot_base::exact::Rational;
use surefoot_base::margins::{Adapted, ErrorFunctions, adapt, errors_by_function};
use surefoot_base::model::{Domain, FunctionId};
use surefoot_base::pddl::{
    Diagnostic, Numbers, Operands, ReadError, write_domain_with, write_problem_with,
};

use crate::args::{Format, ProblemArguments};
use crate::by_part;
use crate::guard;
use surefoot_io::input::{self, ModelFile};
use surefoot_io::maps;
use surefoot_io::output::{
    Answer, count, print, print_summary_json, shown_output, to_file, warn, write_file,
};
use surefoot_io::voice;

/// What `--format json` prints.
#[derive(Serialize)]
struct ProblemReport {
    output: String,
    /// How many initial errors were added.
    errors_added: usize,
    /// By function: the error of initial values.
    errors: BTreeMap<String, String>,
    /// Whether the goal is another one than before.
    goal_changed: bool,
    remarks: Vec<String>,
}

pub fn run(arguments: &ProblemArguments) -> Result<Answer> {
    guard::problem(arguments)?;
    let model = input::model(&arguments.domain)?;
    let domain = &model.domain;
    let given = arguments.error.as_deref().map(maps::errors).transpose()?;
    if let Some(path) = &arguments.one_action_per_part {
        let split = by_part::one_action_per_part(&arguments.domain, &model, domain)?;
        let operands = if arguments.binary { Operands::Two } else { Operands::Many };
        let head = "; For planners: an action for each part of an action of a learned model, \
                    whose header\n; says what is assumed. `validate -m MODEL` reads plans in \
                    these names.\n";
        write_file(path, format!("{head}{}", write_domain_with(&split, operands)).as_bytes())?;
    }
    if ErrorFunctions::of(&domain.signature).is_empty() {
        return unchanged(arguments, domain, given.as_ref());
    }
    let errors = errors(arguments, &model, given)?;
    let (problem, warnings) = input::problem(&arguments.problem, domain, Numbers::Exact)?;
    warn(&warnings);
    let Adapted { problem: adapted, remarks } = adapt(domain, &problem, &errors)
        .map_err(|reason| wrong(&arguments.problem, reason.to_string()))?;
    remarks.iter().for_each(|remark| voice::note(remark));
    let operands = if arguments.binary { Operands::Two } else { Operands::Many };
    let text = format!("{HEAD}{}", write_problem_with(domain, &adapted, operands));
    let name = |function: FunctionId| domain.signature.functions.name(function.index()).to_owned();
    let blurred = ErrorFunctions::of(&domain.signature);
    let shown =
        |function| errors.get(&function).map_or_else(|| "0".to_owned(), Rational::to_string);
    let report = ProblemReport {
        output: String::new(),
        errors_added: adapted.values.len() - problem.values.len(),
        errors: blurred.iter().map(|(function, _)| (name(function), shown(function))).collect(),
        goal_changed: adapted.goal != problem.goal,
        remarks,
    };
    finish(arguments, &text, report)
}

/// What stands at the beginning of a problem with margins.
const HEAD: &str = "; Initial values are estimates: each is within its error of the true one, and \
                    the goal has margins for the errors.\n\
                    ; A plan for this problem reaches the goal from every true initial state \
                    within them.\n";

/// A problem of a model that takes all numbers for exact: to the byte what was read.
fn unchanged(
    arguments: &ProblemArguments,
    domain: &Domain,
    given: Option<&ErrorMap>,
) -> Result<Answer> {
    if let Some(map) = given {
        let named =
            errors_by_function(domain, map).map_err(|reason| wrong_error(arguments, reason))?;
        if named
            .values()
            .chain(map.values().map(|bound| bound.value()))
            .any(|error| !error.is_zero())
        {
            let why = "the model takes every number for exact: it has no error functions, so no \
                       error can be given; learn it with --error";
            return Err(wrong(&arguments.domain, why.to_owned()).into());
        }
    }
    let source = input::source(&arguments.problem)?;
    // What is no problem of the domain is said here, and not by the planner.
    let (_, warnings) = input::problem(&arguments.problem, domain, Numbers::Exact)?;
    warn(&warnings);
    voice::note(
        "nothing to do: every number of the model is exact, so it can use the problem as it is",
    );
    let report = ProblemReport {
        output: String::new(),
        errors_added: 0,
        errors: BTreeMap::new(),
        goal_changed: false,
        remarks: Vec::new(),
    };
    finish(arguments, source.text(), report)
}

/// The errors of initial values: those given, or else those of records, which the model's stamp
/// says.
fn errors(
    arguments: &ProblemArguments,
    model: &ModelFile,
    given: Option<ErrorMap>,
) -> Result<BTreeMap<FunctionId, Rational>> {
    if let Some(map) = given {
        return Ok(errors_by_function(&model.domain, &map)
            .map_err(|reason| wrong_error(arguments, reason))?);
    }
    Ok(model.errors(&model.domain)?)
}

fn wrong(path: &Path, message: String) -> ReadError {
    Diagnostic::of_file(&input::shown_input(path), message).into()
}

fn wrong_error(arguments: &ProblemArguments, reason: String) -> ReadError {
    wrong(Path::new(arguments.error.as_deref().unwrap_or_default()), reason)
}

fn finish(arguments: &ProblemArguments, text: &str, report: ProblemReport) -> Result<Answer> {
    let path = to_file(&arguments.output);
    match path {
        None => print(text)?,
        Some(path) => write_file(path, text.as_bytes())?,
    }
    let report = ProblemReport { output: shown_output(path.unwrap_or(Path::new("-"))), ..report };
    match arguments.speech.format {
        Format::Json => print_summary_json(&report, path.is_none())?,
        Format::Text if path.is_some() => {
            let goal =
                if report.goal_changed { "the goal with margins" } else { "the goal as it was" };
            voice::summary(&format!(
                "{}: {}, {goal}\n",
                report.output,
                count(report.errors_added, "initial error")
            ));
        }
        Format::Text => {}
    }
    Ok(Answer::Yes)
}
