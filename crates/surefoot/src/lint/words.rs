//! Findings in words: what was observed, and what would mend it.

use std::fmt;

use super::{Finding, Floats, Rounded, Target};

fn times(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u', 'A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Change(change) => {
                let (action, what, first) = (&change.action, &change.what, change.first.as_str());
                let whose: Vec<String> = change
                    .parameters
                    .iter()
                    .map(|one| format!("{} {}", article(&one.of), one.of))
                    .collect();
                write!(
                    f,
                    "{action} changes {what}, {} that it does not name",
                    whose.join(" and ")
                )?;
                writeln!(
                    f,
                    " (in {} of {}, first at {first}): no model can say so",
                    change.steps,
                    times(change.of, "step")
                )?;
                for one in &change.parameters {
                    write!(f, "  give it a parameter ?{} - {}", one.name, one.of)?;
                    match &one.bound_by {
                        Some(relation) => {
                            writeln!(f, ": in all these steps it is the only one with {relation}")?
                        }
                        None => writeln!(
                            f,
                            ": nothing recorded says which one, so whoever records must"
                        )?,
                    }
                }
                Ok(())
            }
            Finding::Context(context) => {
                let (action, what, steps) = (&context.action, &context.what, context.steps);
                let returns = times(context.returns, "time");
                writeln!(
                    f,
                    "every {action} ({}) happened with {what}, of which it cannot speak",
                    times(steps, "step")
                )?;
                write!(
                    f,
                    "  chance, or a condition? It was false before, {returns}, and true again for \
                     {action}. If a condition: "
                )?;
                match &context.parameter {
                    Some((name, of)) => writeln!(f, "give it a parameter ?{name} - {of}"),
                    None => writeln!(
                        f,
                        "make {} a constant of the domain",
                        context.constants.join(" and ")
                    ),
                }
            }
            Finding::Parameter(needless) => {
                let (action, parameter, steps) =
                    (&needless.action, &needless.parameter, times(needless.steps, "step"));
                match &needless.same_as {
                    Some(other) => {
                        writeln!(
                            f,
                            "{parameter} of {action} is the same object as {other} in all {steps}: \
                             leave one of them out"
                        )
                    }
                    None => writeln!(
                        f,
                        "nothing is ever said of {parameter} of {action} ({steps}), neither an \
                         atom nor a number: leave it out, or \
                         record what matters about it"
                    ),
                }
            }
            Finding::Target(target) => {
                let Target { action, parameter, determined_by, positions, steps, first } = target;
                writeln!(
                    f,
                    "{determined_by} determined {parameter} in all {steps} steps of {action}, from \
                     {positions} positions (first at {}), and \
                     no fact or number says so",
                    first.as_str()
                )?;
                writeln!(
                    f,
                    "  a learned model allows any {parameter}: record which one is reached, as a \
                     fact about both objects"
                )
            }
            Finding::Sum(sum) => writeln!(
                f,
                "{} is always {} ({} different values seen): leave it out; each number more has to \
                 be seen from all sides",
                sum.function, sum.is, sum.vectors
            ),
            Finding::FloatNoise(noise) if !noise.tried => writeln!(
                f,
                "{} has the noise of floating point in {} of {} numbers, such as {}. Rounding was \
                 tried: the records refute the model",
                noise.function, noise.noisy, noise.of, noise.example
            ),
            Finding::FloatNoise(noise) => writeln!(
                f,
                "{} has the noise of floating point in {} of {} numbers, such as {}: read them \
                 with --decimals {}",
                noise.function, noise.noisy, noise.of, noise.example, noise.decimals
            ),
            Finding::Rounded(Rounded { function, action, within, steps, tried: false, .. }) => {
                writeln!(
                    f,
                    "the changes of {function} by {action} fit an affine rule up to {} in {}, but \
                 not exactly. Recording errors were tried as the \
                 reason: the records refute the model. Perhaps something that matters is not \
                 recorded",
                    Short(*within),
                    times(*steps, "step")
                )
            }
            Finding::Rounded(rounded) => {
                let (looks, more) = match rounded.noisy {
                    false => (
                        format!("rounded: all its numbers are multiples of {}, and", rounded.unit),
                        "Record more digits if you can, or say",
                    ),
                    true => ("noisy:".to_owned(), "Say"),
                };
                let about =
                    if rounded.all { "" } else { ", or more: not all steps were looked at" };
                let sign = match rounded.is_beyond_rounding() {
                    true => {
                        ". That is more than rounding explains: noise, or a sign that something \
                         that matters is not recorded"
                    }
                    false => "",
                };
                writeln!(
                    f,
                    "{} looks {looks} its changes by {} fit an affine rule up to {} in {}, but not \
                     exactly. {more} how far they may be from \
                     the true ones: --error, a map with {{\"{}\": {}}}{about}{sign}",
                    rounded.function,
                    rounded.action,
                    Short(rounded.within),
                    times(rounded.steps, "step"),
                    rounded.function,
                    rounded.error
                )
            }
            Finding::Floats(Floats { function, example, tried: false, .. }) => writeln!(
                f,
                "{function} was computed in floating point, such as {example}. Recording errors \
                 were tried as the reason: the records refute \
                 the model"
            ),
            Finding::Floats(floats) => writeln!(
                f,
                "{} was computed in floating point, such as {}, and no number of decimals is right \
                 for it: its changes by {} fit an affine \
                 rule in {}, but not exactly. Say how far they may be from the true ones: --error, \
                 a map with {{\"{}\": {}}}",
                floats.function,
                floats.example,
                floats.action,
                times(floats.steps, "step"),
                floats.function,
                floats.error
            ),
        }
    }
}

/// A number with few digits.
struct Short(f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.4}", self.0);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}
