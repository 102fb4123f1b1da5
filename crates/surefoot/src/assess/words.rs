//! An assessment as people read it.

use std::fmt;

use super::rule::Reason;
use super::{ActionAssessment, Assessment, More};

/// `1 step was`, `2 steps were`.
pub(super) fn steps(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 step {one}") } else { format!("{count} steps {many}") }
}

/// So many actions, and so many reasons of each, are shown.
const ACTIONS: usize = 8;
const REASONS: usize = 3;

/// A share that is at least that, rounded down: what is printed is never more than what is proved.
fn at_least(share: f64) -> String {
    format!("{} %", decimals((share * 1000.0).floor() / 10.0))
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

impl fmt::Display for Assessment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} traces, {} steps", self.traces, self.steps)?;
        let confidence = about(self.confidence);
        if let (Some(share), Some(whole)) = (self.step_share.estimate, self.whole_traces.estimate) {
            writeln!(
                f,
                "\nOf the steps of an unseen trace this model would allow about {}{}.",
                about(share),
                self.proved(self.step_share.at_least)
            )?;
            writeln!(
                f,
                "An unseen trace would be allowed as a whole with probability about {}{}.",
                about(whole),
                self.proved(self.whole_traces.at_least)
            )?;
        } else {
            writeln!(
                f,
                "\nToo few traces to estimate anything from: each is tried in the model of the others, so it takes two at least."
            )?;
        }
        match &self.compression {
            Some(found) if found.at_least >= 0.001 => writeln!(
                f,
                "{} of the {} traces suffice for a model that allows all others, so with confidence {confidence} a new trace \
                 is allowed as a whole with probability at least {}.",
                found.sufficient,
                self.traces,
                at_least(found.at_least)
            )?,
            Some(found) => writeln!(
                f,
                "It takes {} of the {} traces for a model that allows all others: too many for a bound from that.",
                found.sufficient, self.traces
            )?,
            None => {}
        }
        if let Some(why) = &self.void {
            writeln!(f, "No bound is proved here, since {why}.")?;
        }
        self.more(f)?;
        self.theory(f)?;
        self.weakest(f)?;
        writeln!(
            f,
            "\nAll of this is about traces like these, drawn independently of each other, with dials chosen before looking at \
             them; each bound holds by itself. Allowed is meant of whole regions: where `learn` warns of a budget of facets, or rounds \
             digits, what it writes allows less."
        )
    }
}

impl Assessment {
    fn proved(&self, bound: f64) -> String {
        if self.void.is_some() {
            return String::new();
        }
        match bound >= 0.001 {
            true => format!(" (at least {} with confidence {})", at_least(bound), about(self.confidence)),
            false => format!(" (too few traces for a bound with confidence {})", about(self.confidence)),
        }
    }

    fn more(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wanted = about(self.wanted);
        match self.more_traces {
            More::Reached if self.step_share.estimate.is_none() => Ok(()),
            More::Reached => writeln!(f, "\nBy the estimate, {wanted} of the steps are reached."),
            More::About(traces) => {
                writeln!(f, "\nTo allow {wanted} of the steps, the curve so far suggests about {traces} more traces.")
            }
            More::BeyondTwice => writeln!(
                f,
                "\nTo allow {wanted} of the steps takes more than as many traces again, if more traces are the answer: how \
                 many, these cannot say."
            ),
            More::CannotSay => writeln!(f, "\nHow many more traces {wanted} of the steps would take, so few traces cannot say."),
        }
    }

    fn theory(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wanted, confidence) = (about(self.wanted), about(self.confidence));
        match (self.theory.traces, self.theory.applies) {
            (Some(traces), true) => writeln!(
                f,
                "Before any trace is seen, and whatever their distribution, theory asks for {traces} traces for {wanted} of new \
                 traces to be allowed as a whole with confidence {confidence}."
            ),
            (Some(traces), false) => writeln!(
                f,
                "Before any trace is seen no number of them is enough for every distribution; if each condition mentions one \
                 function alone (--arity 1), theory asks for {traces} traces for {wanted} of new traces with confidence {confidence}."
            ),
            (None, _) => writeln!(f, "Before any trace is seen no number of them is enough for every distribution."),
        }
    }

    fn weakest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weak: Vec<&ActionAssessment> = self.actions.iter().filter(|action| action.refused > 0 || action.steps == 0).collect();
        if weak.is_empty() || self.step_share.estimate.is_none() {
            return Ok(());
        }
        writeln!(f, "\nWhat the models of the other traces refuse, the weakest action first:")?;
        let width = weak.iter().take(ACTIONS).map(|action| action.action.chars().count()).max().unwrap_or(0);
        for action in weak.iter().take(ACTIONS) {
            let ActionAssessment { action: name, steps, refused, reasons } = action;
            if *steps == 0 {
                writeln!(f, "  {name:<width$}  never seen")?;
                continue;
            }
            writeln!(f, "  {name:<width$}  {refused} of {steps} steps ({})", about(action.refused_share()))?;
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

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Missing => f.write_str("the action was not learned"),
            Reason::Condition(text) => write!(f, "{text} held in all steps seen"),
            Reason::Range(text) => write!(f, "{text} beyond what was seen"),
            Reason::Undefined(text) => write!(f, "{text} has no value"),
            Reason::Equation(text) => write!(f, "a relation that held so far between {text}"),
            Reason::Together => f.write_str("numbers that were seen one by one, but not together"),
            Reason::Guard(text) => write!(f, "effects not known unless {text}"),
        }
    }
}
