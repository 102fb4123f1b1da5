//! Findings in words: what was observed, and what would mend it.

use std::fmt;

use serde_json::{Value, json};
use surefoot_base::advice::{Text, Worded};
use surefoot_base::dial;

use super::{Change, Context, Finding, Floats, Needless, Noise, Rounded, Target};

fn times(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

impl Worded for Finding {
    /// One or more lines, each with its end.
    fn text(&self) -> Text {
        let text = match self {
            Finding::Change(change) => change_words(change).into(),
            Finding::Context(context) => context_words(context).into(),
            Finding::Parameter(needless) => parameter_words(needless).into(),
            Finding::Target(target) => target_words(target).into(),
            Finding::Sum(sum) => format!(
                "{} is always {} ({} different values): leave it out; each further number has to \
                 be observed from all sides",
                sum.function, sum.is, sum.vectors
            )
            .into(),
            Finding::FloatNoise(noise) => noise_text(noise),
            Finding::Rounded(rounded) => rounded_text(rounded),
            Finding::Floats(floats) => floats_text(floats),
        };
        text + "\n"
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

fn change_words(change: &Change) -> String {
    let whose: Vec<String> =
        change.parameters.iter().map(|one| format!("{} {}", article(&one.of), one.of)).collect();
    let mut text = format!(
        "{} changes {}, {} that it does not name (in {} of {}, first at {}): no model can say so",
        change.action,
        change.what,
        whose.join(" and "),
        change.steps,
        times(change.of, "step"),
        change.first.as_str()
    );
    for one in &change.parameters {
        text += &format!("\n  give it a parameter ?{} - {}", one.name, one.of);
        text += &match &one.bound_by {
            Some(relation) => format!(": in all these steps it is the only one with {relation}"),
            None => ": nothing recorded says which one, so whoever records must".to_owned(),
        };
    }
    text
}

fn context_words(context: &Context) -> String {
    let Context { action, what, .. } = context;
    let (steps, returns) = (times(context.steps, "step"), times(context.returns, "time"));
    let advice = match &context.parameter {
        Some((name, of)) => format!("give it a parameter ?{name} - {of}"),
        None => format!("make {} a constant of the domain", context.constants.join(" and ")),
    };
    format!(
        "{what} was true before every {action} ({steps}), but {action} cannot mention it\n  \
         chance, or a condition? It was false before, {returns}, and true again for {action}. If \
         it is a condition: {advice}"
    )
}

fn parameter_words(needless: &Needless) -> String {
    let (action, parameter) = (&needless.action, &needless.parameter);
    let steps = times(needless.steps, "step");
    match &needless.same_as {
        Some(other) => format!(
            "{parameter} of {action} is the same object as {other} in all {steps}: leave one of \
             them out"
        ),
        None => format!(
            "no recorded atom or number is about {parameter} of {action} ({steps}): leave it out, \
             or record what matters about it"
        ),
    }
}

fn target_words(target: &Target) -> String {
    let Target { action, parameter, determined_by, positions, steps, first } = target;
    format!(
        "{determined_by} determined {parameter} in all {steps} steps of {action}, from {positions} \
         positions (first at {}), but no fact or number says so\n  a learned model allows any \
         {parameter}: record which one is reached, as a fact about both objects",
        first.as_str()
    )
}

fn noise_text(noise: &Noise) -> Text {
    let text = Text::from(format!(
        "{} has the noise of floating point in {} of {} numbers, such as {}",
        noise.function, noise.noisy, noise.of, noise.example
    ));
    match noise.tried {
        true => text + ": read them with " + dial!("decimals", noise.decimals),
        false => text + ". A model of rounded numbers was tried: the records refute it",
    }
}

fn rounded_text(rounded: &Rounded) -> Text {
    let Rounded { function, action, within, .. } = rounded;
    let fit = format!(
        "by {action} fit an affine rule up to {} in {}, but not exactly",
        Short(*within),
        times(rounded.steps, "step")
    );
    if !rounded.tried {
        return format!(
            "the changes of {function} {fit}. A model with recording errors was tried: the records \
             refute it. Perhaps something that matters is not recorded"
        )
        .into();
    }
    let text = Text::from(match rounded.noisy {
        false => format!(
            "{function} looks rounded: all its numbers are multiples of {}, and its changes {fit}. \
             Record more digits if you can, or learn with ",
            rounded.unit
        ),
        true => format!("{function} looks noisy: its changes {fit}. Learn with "),
    });
    let mut text = text + dial!("error", error_of(function, &rounded.error));
    if !rounded.all {
        text += ", or a larger one: not all steps were examined";
    }
    if rounded.is_beyond_rounding() {
        text += ". That is more than rounding explains: noise, or a sign that something that \
                 matters is not recorded";
    }
    text
}

fn floats_text(floats: &Floats) -> Text {
    let Floats { function, example, action, .. } = floats;
    let text = Text::from(format!("{function} was computed in floating point, such as {example}"));
    if !floats.tried {
        return text + ". A model with recording errors was tried: the records refute it";
    }
    let steps = times(floats.steps, "step");
    text + format!(
        ", and no number of decimals is right for it: its changes by {action} fit an affine rule \
         in {steps}, but not exactly. Learn with "
    ) + dial!("error", error_of(function, &floats.error))
}

/// A map with the error of one function.
fn error_of(function: &str, error: &str) -> Value {
    let error: Value = serde_json::from_str(error).unwrap_or_else(|_| error.into());
    json!({ function: error })
}

/// A number with few digits.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.4}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
