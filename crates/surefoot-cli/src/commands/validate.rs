//! `surefoot validate`: a plan against a domain and a problem.

use anyhow::Result;
use serde::Serialize;
use surefoot_base::model::semantics::{Inapplicable, Violation, ViolationCause};
use surefoot_base::pddl::Plan;
use surefoot_base::validate::{PlanVerdict, validate};

use crate::args::{Format, Validate};
use crate::by_part;
use crate::task;
use surefoot_io::output::{Answer, ConditionWriter, print_json, say};
use surefoot_io::paint;

/// What `--format json` prints.
#[derive(Serialize)]
pub struct ValidationReport {
    valid: bool,
    steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failing_step: Option<FailingStep>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmet_goals: Vec<Unmet>,
}

#[derive(Serialize)]
struct FailingStep {
    /// The number of the step that fails, from 1.
    step: usize,
    line: usize,
    action: String,
    reasons: Vec<String>,
    violations: Vec<Unmet>,
}

#[derive(Serialize)]
struct Unmet {
    condition: String,
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<[String; 2]>,
}

pub fn run(arguments: &Validate) -> Result<Answer> {
    let task = task::task(&arguments.task)?;
    task::with_errors(&arguments.task, &task)?;
    let task::Task { model, domain, problem } = task;
    let model = (&*arguments.task.domain, &model);
    let plan = by_part::plan(&arguments.plan, model, &domain, &problem.objects)?;
    let verdict = validate(&domain, &problem, &plan, arguments.tolerance.number());
    let words = ConditionWriter::new(&domain, &problem.objects);
    match arguments.format {
        Format::Text => say(&paint::verdict(&words.verdict(&problem, &plan, &verdict)))?,
        Format::Json => print_json(&report(&words, &plan, &verdict))?,
    }
    Ok(if matches!(verdict, PlanVerdict::Valid { .. }) { Answer::Yes } else { Answer::No })
}

fn unmet(words: &ConditionWriter<'_>, violations: &[Violation]) -> Vec<Unmet> {
    let mut unmet = Vec::new();
    for violation in violations {
        unmet.push(Unmet {
            condition: words.condition(violation),
            reason: words.cause(violation),
            values: match &violation.cause {
                ViolationCause::Values(left, right) => Some([left.to_string(), right.to_string()]),
                _ => None,
            },
        });
    }
    unmet
}

/// What became of a plan, for machines: all of it, and every number exact.
pub fn report(words: &ConditionWriter<'_>, plan: &Plan, verdict: &PlanVerdict) -> ValidationReport {
    let mut report = ValidationReport {
        valid: false,
        steps: plan.steps.len(),
        metric: None,
        failing_step: None,
        unmet_goals: Vec::new(),
    };
    match verdict {
        PlanVerdict::Valid { metric } => {
            report.valid = true;
            report.metric =
                metric.as_ref().and_then(|value| Some(value.as_ref().ok()?.to_string()));
        }
        PlanVerdict::StepFails(failed) => {
            report.failing_step = Some(FailingStep {
                step: failed.index + 1,
                line: plan.steps[failed.index].line,
                action: words.action(&failed.action),
                reasons: words.reasons(&failed.action, &failed.reason),
                violations: match &failed.reason {
                    Inapplicable::Precondition(violations) => unmet(words, violations),
                    _ => Vec::new(),
                },
            });
        }
        PlanVerdict::GoalUnmet(violations) => report.unmet_goals = unmet(words, violations),
    }
    report
}
