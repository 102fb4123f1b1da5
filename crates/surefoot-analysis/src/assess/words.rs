//! An assessment as people read it.

use std::fmt;

use surefoot_base::model::{ActionId, Domain};
use surefoot_learn::TakesBack;

use super::rule::FailedRule;
use super::{ActionAssessment, Assessment, More, NoNumber, Theory, Wrong};

/// `1 step was`, `2 steps were`.
pub(super) fn steps(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 step {one}") } else { format!("{count} steps {many}") }
}

/// The number of actions, and of reasons for each, that are shown.
const ACTIONS: usize = 8;
const REASONS: usize = 3;

/// The largest number of letters in a line of a paragraph.
const WIDTH: usize = 100;

/// A share that is at least that, rounded down: what is printed is never more than what is proved.
fn at_least(share: f64) -> String {
    format!("{} %", decimals((share * 1000.0).floor() / 10.0))
}

/// A share that is at most that, in percent and rounded up: what is printed is never less than what
/// is proved.
pub fn at_most(share: f64) -> String {
    format!("{} %", decimals((share * 1000.0).ceil() / 10.0))
}

/// A share, rounded; 100 only where it is.
fn about(share: f64) -> String {
    let percent = (share * 1000.0).round() / 10.0;
    let percent = if percent >= 100.0 && share < 1.0 { 99.9 } else { percent };
    format!("{} %", decimals(percent))
}

fn decimals(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// A share that someone chose, as they gave it.
fn given(share: f64) -> String {
    let text = format!("{:.9}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn traces(count: usize) -> String {
    if count == 1 { "1 trace".to_owned() } else { format!("{count} traces") }
}

/// Why bounds that rest on monotone learning do not hold.
pub(super) fn taking_back(domain: &Domain, action: ActionId, why: TakesBack) -> String {
    let name = domain.action_name(action);
    let aliasing = format!(
        "in steps of {name} several functions are one, because parameters stand for one object"
    );
    let why = match why {
        TakesBack::Shared => format!("{aliasing}, and its records are not exact"),
        TakesBack::SharedFirstValue => {
            format!("{aliasing}, and a step gives one of them its first value")
        }
        TakesBack::SharedReadsMore => {
            format!(
                "{aliasing}, and only effects that read more than the effect arity says explain \
                 what becomes of them"
            )
        }
        TakesBack::SharedReadsAny => {
            format!(
                "{aliasing}, and their effects read a function that is marked `any`, which need \
                 not have a value"
            )
        }
        TakesBack::SharedUnexplained => {
            format!(
                "{aliasing}, and the search for effects that explain what becomes of them was \
                 given up"
            )
        }
        TakesBack::UnlistedChanged => {
            format!(
                "steps of {name} change a function that the map of relevant functions does not list"
            )
        }
        TakesBack::Unsettled => format!(
            "records of {name} are not exact, and arity and marks count only as long as its \
             effects are known beyond what was recorded"
        ),
    };
    format!("more traces may have made the model allow less: {why}")
}

/// A paragraph in lines, for people.
pub fn in_lines(text: &str) -> String {
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > WIDTH {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines += word;
        length += letters;
    }
    lines + "\n"
}

fn paragraph(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str(&in_lines(text))
}

impl fmt::Display for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, {}\n", traces(self.traces), steps(self.steps, "", "").trim_end())?;
        // The most valuable record of all comes first.
        if self.wrong.wrong > 0 {
            self.went_wrong(f)?;
            f.write_str("\n")?;
        }
        if let (Some(share), Some(whole)) = (self.step_share.estimate, self.whole_traces.estimate) {
            let (share, proved) = (about(share), self.proved(self.step_share.at_least));
            let text = format!(
                "On average over unseen traces, this model would allow about {share} of a trace's \
                 steps{proved}."
            );
            paragraph(f, &text)?;
            let (whole, proved) = (about(whole), self.proved(self.whole_traces.at_least));
            let text = format!(
                "An unseen trace would be allowed as a whole with probability about \
                 {whole}{proved}."
            );
            paragraph(f, &text)?;
        } else {
            let text = "These are too few traces for an estimate: each is tested with a model \
                        of the others, so it takes at least two.";
            paragraph(f, text)?;
        }
        self.sufficient(f)?;
        if let Some(why) = &self.void {
            let which = if self.compression.is_some() { "No other bound" } else { "No bound" };
            paragraph(
                f,
                &format!("{which} on what the model allows is proved here, since {why}."),
            )?;
        }
        if self.copies > 0 {
            let copies = if self.copies == 1 {
                "1 trace is a copy of another".to_owned()
            } else {
                format!("{} traces are copies of others", self.copies)
            };
            paragraph(f, &format!("Note that {copies}: bounds need independent traces."))?;
        }
        f.write_str("\n")?;
        self.more(f)?;
        paragraph(f, &self.theory())?;
        self.weakest(f)?;
        f.write_str("\n")?;
        if self.wrong.wrong == 0 {
            self.went_wrong(f)?;
            f.write_str("\n")?;
        }
        paragraph(
            f,
            "All of this holds for traces like these that are drawn independently, if the \
             options were chosen before looking at them. Each bound holds by itself. The \
             figures are about whole regions: if `learn` warns about the facet budget, or \
             rounds digits, the written model allows less.",
        )
    }
}

impl Assessment {
    fn proved(&self, bound: Option<f64>) -> String {
        match bound {
            None => String::new(),
            Some(bound) if bound >= 0.001 => {
                format!(
                    " (at least {} with confidence {})",
                    at_least(bound),
                    given(self.confidence)
                )
            }
            Some(_) => format!(" (no bound above 0 with confidence {})", given(self.confidence)),
        }
    }

    fn sufficient(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(found) = &self.compression else { return Ok(()) };
        let (few, all) = (found.sufficient, traces(self.traces));
        if found.at_least < 0.001 {
            let text = match few == self.traces {
                true => format!(
                    "No model learned from fewer than {all} was found that allows all of them, so \
                     the traces prove no such lower bound yet: record more."
                ),
                false => format!(
                    "No model learned from fewer than {few} of the {all} was found that allows \
                     all of them, so the traces prove no such lower bound: record more."
                ),
            };
            return paragraph(f, &text);
        }
        let suffice = if few == 1 { "suffices" } else { "suffice" };
        let text = format!(
            "{few} of the {all} {suffice} for a model that allows all others, so with confidence \
             {} a new trace is allowed as a \
             whole with probability at least {}.",
            given(self.confidence),
            at_least(found.at_least)
        );
        paragraph(f, &text)
    }

    /// What is left if the assumptions of the model are false.
    fn went_wrong(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { tried, allowed, wrong, wrong_traces, without_model, .. } = self.wrong;
        if let Some(first) = self.wrong.first.first() {
            writeln!(
                f,
                "A model of other traces allows a step that went wrong, so an assumption or a \
                 record is false:\n\n{}\n",
                first.trim_end()
            )?;
        }
        let mut text = if tried == 0 {
            "No trace could be tried in a model of others, so these traces do not show how often \
             an allowed step goes wrong."
                .to_owned()
        } else {
            format!(
                "Tried on held-out traces: {}, {} went wrong{}.",
                steps(allowed as usize, "allowed", "allowed"),
                match wrong {
                    0 => "none".to_owned(),
                    some => format!("{some} of them"),
                },
                match wrong_traces {
                    0 => String::new(),
                    some => format!(", in {}", traces(some)),
                }
            )
        };
        if tried > 0 && without_model > 0 {
            let of = traces(without_model);
            text += &format!(" No model could be learned to try {of}.");
        }
        paragraph(f, &text)?;
        let text = match &self.wrong.bound {
            Some(bound) if bound.at_most < 0.9995 => format!(
                "With confidence {}, at most {} of new traces contain a step that the model \
                 allows and that fails, or ends in another state than the model predicts. This \
                 relies on no assumption about the actions, only on the records being read \
                 correctly: {} of the {} give the same model, and in \
                 the others nothing went wrong. The bound is about traces from the same source. \
                 If this source records no failed attempts, the bound says nothing about steps \
                 that fail.",
                given(self.confidence),
                at_most(bound.at_most),
                bound.sufficient,
                traces(self.traces)
            ),
            _ => "Without the assumptions of the model, these traces prove no bound on the share \
                  of new traces in which an allowed step goes wrong: they are too few for that."
                .to_owned(),
        };
        paragraph(f, &text)
    }

    fn more(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = given(self.wanted);
        let text = match self.more_traces {
            More::Reached if self.step_share.estimate.is_none() => return Ok(()),
            More::Reached => format!(
                "By this estimate, the model already allows {wanted} of \
                                      the steps."
            ),
            More::About(more) => {
                let more = if more == 1 {
                    "1 more trace".to_owned()
                } else {
                    format!("{more} more traces")
                };
                format!("To allow {wanted} of the steps, the curve so far suggests about {more}.")
            }
            More::BeyondTwice => format!(
                "To allow {wanted} of the steps takes more than twice as many traces, if more \
                 traces help at all; these traces cannot say how many."
            ),
            More::CannotSay => format!(
                "So few traces cannot say how many more it takes to allow {wanted} of the steps."
            ),
        };
        paragraph(f, &text)
    }

    /// How many traces theory needs, and for what.
    fn need(&self, needed: usize) -> String {
        format!(
            "theory needs {} for {} of new traces to be allowed as a whole with confidence {}",
            traces(needed),
            given(self.wanted),
            given(self.confidence)
        )
    }

    fn theory(&self) -> String {
        let Theory { traces: needed, applies, missing, .. } = self.theory;
        let unless_one = "If conditions may mention several functions, no number of traces \
        suffices for every source of traces";
        match (needed, missing) {
            (Some(needed), _) if applies => {
                format!("Whatever the distribution of traces, {}.", self.need(needed))
            }
            (Some(needed), _) => {
                format!("{unless_one}; if each mentions only one (arity 1), {}.", self.need(needed))
            }
            (None, Some(NoNumber::NoneIsEnough)) if applies => {
                "No number of traces is enough for every distribution, since conditions may \
                 mention powers of a function."
                    .to_owned()
            }
            (None, _) if !applies => format!("{unless_one}."),
            (None, Some(NoNumber::TooLarge)) => {
                "Whatever the distribution of traces, theory needs more than \
                 1,000,000,000,000 of them."
                    .to_owned()
            }
            (None, _) => "The number of traces that theory needs was not counted: there are \
                          too many ways to bind the parameters of an action."
                .to_owned(),
        }
    }

    fn weakest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weak: Vec<&ActionAssessment> =
            self.actions.iter().filter(|action| action.refused > 0 || action.steps == 0).collect();
        if weak.is_empty() || self.step_share.estimate.is_none() {
            return Ok(());
        }
        f.write_str("\n")?;
        paragraph(
            f,
            "Held-out steps that a model learned from the other traces refuses, the most refused \
             action first, with the most frequent reasons (a step can have several):",
        )?;
        let width = weak
            .iter()
            .take(ACTIONS)
            .map(|action| action.action.chars().count())
            .max()
            .unwrap_or(0);
        for action in weak.iter().take(ACTIONS) {
            let ActionAssessment { action: name, steps: count, refused, reasons } = action;
            if *count == 0 {
                writeln!(f, "  {name:<width$}  never observed")?;
                continue;
            }
            let of = steps(*count, "", "");
            writeln!(
                f,
                "  {name:<width$}  {refused} of {} ({})",
                of.trim_end(),
                about(action.refused_share())
            )?;
            for reason in reasons.iter().take(REASONS) {
                writeln!(f, "  {:<width$}    {:>6}  {}", "", reason.steps, reason.reason)?;
            }
        }
        match weak.len().saturating_sub(ACTIONS) {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more"),
        }
    }
}

impl fmt::Display for FailedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FailedRule::Missing => f.write_str("the action was not learned"),
            FailedRule::Condition(text) => write!(f, "{text} held before all observed steps"),
            FailedRule::Range(text) => write!(f, "{text} outside the observed range"),
            FailedRule::Undefined(text) => write!(f, "{text} has no value"),
            FailedRule::Equation(text) => write!(f, "a relation that held so far between {text}"),
            FailedRule::Together => f.write_str(
                "each number is in its recorded range, but the combination lies \
                outside the region",
            ),
            FailedRule::Guard(text) => write!(f, "effects not known unless {text}"),
        }
    }
}
