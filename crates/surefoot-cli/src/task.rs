//! A task: a domain and a problem, as commands read them.

use anyhow::Result;
use surefoot_base::margins::{ErrorFunctions, Gap};
use surefoot_base::model::{Domain, Problem};
use surefoot_base::pddl::{Diagnostic, ReadError};
use surefoot_io::input::{ModelFile, model, problem, shown_input};
use surefoot_io::output::warn;
use surefoot_io::voice;

use crate::args::TaskArguments;

/// What is to be planned for, validated or explained.
pub struct Task {
    /// The domain to plan with, which may be a saved model.
    pub model: ModelFile,
    /// The domain: of a model, with whole hulls where these are known.
    pub domain: Domain,
    pub problem: Problem,
}

/// The domain and problem of a task. Names that differ are only remarked on: people rename domains.
pub fn task(task: &TaskArguments) -> Result<Task> {
    let model = model(&task.domain)?;
    let domain = model.for_planning(task.certificate.as_deref())?;
    let (problem, warnings) = problem(&task.problem, &domain, task.numbers.numbers())?;
    warn(&warnings);
    if !problem.domain_name.eq_ignore_ascii_case(&domain.name) {
        voice::note(&format!(
            "{} is a problem of domain {}, used with domain {}",
            shown_input(&task.problem),
            problem.domain_name,
            domain.name
        ));
    }
    Ok(Task { model, domain, problem })
}

/// Refuses a problem that gives no errors to a domain that has them, and warns of what else it
/// lacks. Without its errors nothing can be done, and "there is no plan" would be the wrong answer.
pub fn with_errors(arguments: &TaskArguments, task: &Task) -> Result<()> {
    if arguments.numbers.decimals.is_some()
        && !ErrorFunctions::of(&task.domain.signature).is_empty()
    {
        let message = "the numbers of the domain have errors, and --decimals would round \
                       these too: leave it out";
        return Err(ReadError::from(Diagnostic::of_file(
            &shown_input(&arguments.problem),
            message,
        ))
        .into());
    }
    let Some(gap) = Gap::of(&task.domain, &task.problem) else { return Ok(()) };
    let (domain, problem) = (shown_input(&arguments.domain), shown_input(&arguments.problem));
    let words = gap.words(&task.domain, &task.problem.objects);
    let help = format!(
        "`surefoot problem -m {domain} -p {problem}` writes the problem that goes with the domain"
    );
    match gap {
        Gap::NoErrors(_) | Gap::NegativeError(_) => {
            Err(ReadError::from(Diagnostic::of_file(&problem, words).help(help)).into())
        }
        Gap::MissingError(_) | Gap::NoMargins => {
            voice::warn(&format!("{problem}: {words}; {help}"));
            Ok(())
        }
    }
}
