//! Reads plans as planners write them: one `(action object ...)` per line, with or without times
//! and durations, or a log of Metric-FF that contains one.

use super::diagnostic::{Diagnostic, ReadError};
use super::ground::Resolver;
use super::source::{Source, Span};
use super::syntax::MAX_KEPT;
use crate::model::{Domain, GroundAction, Objects};

/// A sequence of ground actions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plan {
    /// The steps, in order.
    pub steps: Vec<PlanStep>,
}

/// A step of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanStep {
    /// The action with its objects.
    pub action: GroundAction,
    /// The line of the file it stands on; 0 for a plan that was not read.
    pub line: usize,
}

impl Plan {
    /// A plan of these actions.
    pub fn of(actions: impl IntoIterator<Item = GroundAction>) -> Self {
        Plan { steps: actions.into_iter().map(|action| PlanStep { action, line: 0 }).collect() }
    }
}

/// Reads a plan. An empty file is the empty plan.
pub fn read_plan(source: &Source, domain: &Domain, objects: &Objects) -> Result<Plan, ReadError> {
    let reader = PlanReader { resolver: Resolver { source, domain, objects }, source, domain };
    let lines = lines(source);
    // Comments are left out: a plan may say there which planner made it.
    let steps = if let Some(found) = line_with(source, &lines, "found legal plan as follows") {
        reader.metric_ff_plan(&lines, found + 1)
    } else if line_with(source, &lines, "goal can be simplified to TRUE").is_some() {
        Ok(Vec::new())
    } else if line_with(source, &lines, "ff: parsing domain file").is_some() {
        Err(no_plan(source))
    } else {
        reader.listed_plan(&lines)
    };
    Ok(Plan { steps: steps? })
}

/// The first line that contains these words.
fn line_with(source: &Source, lines: &[Span], words: &str) -> Option<usize> {
    lines.iter().position(|line| source.slice(*line).contains(words))
}

fn no_plan(source: &Source) -> ReadError {
    Diagnostic::of_file(source.name(), "this log of Metric-FF contains no plan").into()
}

struct PlanReader<'a> {
    resolver: Resolver<'a>,
    source: &'a Source,
    domain: &'a Domain,
}

impl PlanReader<'_> {
    fn listed_plan(&self, lines: &[Span]) -> Result<Vec<PlanStep>, ReadError> {
        let (mut steps, mut diagnostics) = (Vec::new(), Vec::new());
        for (index, line) in lines.iter().enumerate() {
            if let Err(diagnostic) = self.line(*line, index + 1, &mut steps) {
                diagnostics.push(diagnostic);
                if diagnostics.len() == MAX_KEPT {
                    break;
                }
            }
        }
        if diagnostics.is_empty() { Ok(steps) } else { Err(ReadError::new(diagnostics)) }
    }

    /// `(a b c)`, `0.001: (a b c) [1]`, `step 0: A B C`, `0: A B C`, or several lists.
    fn line(&self, line: Span, number: usize, steps: &mut Vec<PlanStep>) -> Result<(), Diagnostic> {
        let mut rest = line;
        if let Some(after) = self.after_time(rest) {
            rest = after;
            if !self.source.slice(rest).starts_with('(') {
                return self.step(rest, number).map(|step| steps.push(step));
            }
        }
        while !self.source.slice(rest).is_empty() {
            let text = self.source.slice(rest);
            let start = rest.range().start;
            if text.starts_with('(') {
                let Some(close) = text.find(')') else {
                    return Err(self
                        .source
                        .error("this `(` is never closed", (start..start + 1).into()));
                };
                steps.push(self.step((start + 1..start + close).into(), number)?);
                rest = trimmed(self.source, (start + close + 1..rest.range().end).into());
            } else if text.starts_with('[') {
                // A duration. LPG's `[D:1.0; C:0.1]` ends in what looks like a comment, and is gone
                // by now.
                let length = text.find(']').map_or(text.len(), |close| close + 1);
                rest = trimmed(self.source, (start + length..rest.range().end).into());
            } else {
                return Err(self
                    .source
                    .error("expected a step such as `(action object ...)`", rest));
            }
        }
        Ok(())
    }

    /// Metric-FF's numbered steps, up to the first line that is none.
    fn metric_ff_plan(&self, lines: &[Span], from: usize) -> Result<Vec<PlanStep>, ReadError> {
        let (mut steps, mut started) = (Vec::new(), false);
        for (index, line) in lines.iter().enumerate().skip(from) {
            let Some(step) = self.after_time(*line) else {
                if started || !self.source.slice(*line).is_empty() {
                    break;
                }
                continue;
            };
            started = true;
            // What Metric-FF adds when it compiles a goal away.
            if self.source.slice(step) != "REACH-GOAL"
                || self.domain.actions.find("reach-goal").is_some()
            {
                steps.push(self.step(step, index + 1)?);
            }
        }
        if started { Ok(steps) } else { Err(no_plan(self.source)) }
    }

    /// What follows `12:`, `0.001:` or `step 12:`.
    fn after_time(&self, line: Span) -> Option<Span> {
        let text = self.source.slice(line);
        let colon = text.find(':')?;
        let time = text[..colon].trim();
        let is_step = time.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("step"));
        let time = if is_step { time[4..].trim() } else { time };
        let is_time =
            !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        is_time.then(|| {
            trimmed(self.source, (line.range().start + colon + 1..line.range().end).into())
        })
    }

    fn step(&self, words: Span, line: usize) -> Result<PlanStep, Diagnostic> {
        Ok(PlanStep { action: self.resolver.action(words)?, line })
    }
}

/// The lines, without comments and the white space around them.
fn lines(source: &Source) -> Vec<Span> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in source.text().split('\n') {
        let span = (start..start + line.len()).into();
        lines.push(trimmed(source, without_comment(source, span)));
        start += line.len() + 1;
    }
    lines
}

fn without_comment(source: &Source, line: Span) -> Span {
    let length = source.slice(line).find(';').unwrap_or(line.range().len());
    (line.range().start..line.range().start + length).into()
}

fn trimmed(source: &Source, span: Span) -> Span {
    let text = source.slice(span);
    let start = span.range().start + (text.len() - text.trim_start().len());
    (start..start + text.trim().len()).into()
}
