//! A diagnosis in words. What to do is offered where the data do not contradict it, as a question
//! where only the user can know.

use std::fmt;

use serde_json::Value;
use surefoot_base::advice::{Advice, Text, Worded};
use surefoot_base::dial;
use surefoot_base::pddl::visible;

use super::{
    Cause, Diagnosis, FailedGroup, FailureDiagnosis, FailureSign, NoSuggestion, Piece, Split,
    StepPlace, Suggestion, Way,
};

impl Suggestion {
    /// The setting that it proposes.
    pub fn advice(&self) -> Advice {
        match &self.one {
            Some(error) => dial!("error", number(error)),
            None => {
                let errors = self.errors.iter().map(|(name, error)| (name.clone(), number(error)));
                dial!("error", errors.collect::<serde_json::Map<_, _>>())
            }
        }
    }
}

/// A number that was written, as a value.
fn number(written: &str) -> Value {
    serde_json::from_str(written).unwrap_or_else(|_| written.into())
}

impl Worded for Suggestion {
    fn text(&self) -> Text {
        let mut text = Text::default();
        for drift in &self.drifts {
            let steps = if drift.steps == 1 { "step" } else { "steps" };
            text += format!(
                "{} changes by up to {} in {} {steps} of actions that cannot change it.\n",
                drift.function, drift.within, drift.steps
            );
        }
        let odd = odd_steps(self.odd, &self.places);
        if self.given && !self.rounded {
            text += "The given ";
            text += dial!("error");
            text += format!(" explains all steps but {odd}.");
            return text + set_aside(self.odd);
        }
        text += "surefoot can learn from inexact numbers: ";
        text += dial!("error");
        text += " says how far recorded values may be from the true ones. ";
        if self.rounded {
            text += "Learn without ";
            text += dial!("decimals");
            return text + ": then this message names the least error that explains these steps.";
        }
        let explained = match self.odd {
            0 => "these steps".to_owned(),
            _ => format!("all steps but {odd},"),
        };
        text += format!("The least error that explains {explained} is ");
        text += self.advice();
        text += "; give a larger one if recorded values may be further off.";
        for (function, shown) in &self.suspect {
            text += match shown.as_str() {
                "0" => {
                    format!(
                        " But nothing shows that the numbers of {function} are rounded or noisy:"
                    )
                }
                _ => {
                    format!(
                        " But the records of {function} show rounding and noise of {shown} at most:"
                    )
                }
            };
            text += " a larger error is a sign that something that matters is not recorded, or \
                     that the class of models is wrong.";
        }
        if self.odd > 0 {
            text += set_aside(self.odd);
        }
        if !self.factors.is_empty() {
            text += format!(
                " The class has products with {}, which must be exact.",
                self.factors.join(", ")
            );
        }
        text
    }
}

/// `1 that is much farther away than the others (log.csv:7)`
fn odd_steps(odd: usize, places: &[StepPlace]) -> String {
    let are = if odd == 1 { "is" } else { "are" };
    format!("{odd} that {are} much farther away than the others{}", at(odd, places))
}

/// That odd steps may be recording errors, and how to set them aside.
fn set_aside(odd: usize) -> Text {
    let they = match odd {
        1 => "it is a recording error",
        _ => "they are recording errors",
    };
    Text::from(format!(" Perhaps {they}; then add "))
        + Advice::on_bad_data("quarantine")
        + ", which sets such steps aside."
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Worded for NoSuggestion {
    fn text(&self) -> Text {
        let why = match self {
            NoSuggestion::TooLarge { function, error, plausible, change } => format!(
                "Only errors of {error} in its numbers would explain the changes of {function}, \
                 which \
                 are at most {change}; its records suggest errors of at most {plausible}. So \
                 something that matters to {function} is not recorded, or its effect has another \
                 form."
            ),
            NoSuggestion::Refuted => "Inexact numbers could explain this, but a model learned \
            with such errors contradicts some of these records. So some records are wrong, \
            something that matters is not recorded, or an effect has another form."
                .to_owned(),
            NoSuggestion::Untested { function, error, foreseen } => format!(
                "Recording errors of {error} would explain the changes of {function}, but nothing \
                 else shows that its records are so inexact. Models that are learned with such \
                 errors from parts of the records predict {foreseen} of the other steps, and a \
                 test takes {}. Perhaps something that matters is not recorded, or an effect has \
                 another form.",
                NoSuggestion::ENOUGH
            ),
        };
        Text::from(why) + " No " + dial!("error") + " is proposed."
    }
}

impl fmt::Display for NoSuggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl fmt::Display for FailureDiagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FailureDiagnosis { action, worked, all, codes } = self;
        let told: Vec<&FailedGroup> =
            std::iter::once(all).filter(|all| all.sign.is_some()).chain(codes).collect();
        for (place, group) in told.into_iter().enumerate() {
            let line = if place == 0 { "" } else { "\n" };
            let (n, of) = (
                group.attempts,
                group.code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default(),
            );
            let failed = match &group.code {
                Some(code) => format!("the {n} attempts that failed with {}", visible(code)),
                None => format!("the {n} failed attempts"),
            };
            let of = visible(&of);
            match &group.sign {
                None => {
                    let attempts = if n == 1 { "attempt" } else { "attempts" };
                    let code = group.code.as_deref().map(visible).unwrap_or_default();
                    write!(f, "{line}{action}: {n} {attempts} failed with {code}.")?;
                }
                Some(FailureSign::Worked { parameter, objects }) => write!(
                    f,
                    "{line}{action}: {of}{parameter} was {} in all {worked} steps that worked and \
                     in none of {failed}.",
                    objects.join(" or ")
                )?,
                Some(FailureSign::Failed { parameter, objects }) => write!(
                    f,
                    "{line}{action}: {of}{parameter} was {} in all of {failed} and in none of the \
                     {worked} steps that worked.",
                    objects.join(" or ")
                )?,
                Some(FailureSign::Condition(condition)) if condition.known != [n, *worked] => {
                    let ([known, of_worked], what) = (condition.known, &condition.of);
                    write!(
                        f,
                        "{line}{action}: {of}{what} is known before {known} of {failed} and before \
                         {of_worked} of the {worked} steps that \
                         worked; {condition} held before all of these {known} and before none of \
                         these {of_worked}."
                    )?;
                }
                Some(FailureSign::Condition(condition)) => {
                    write!(
                        f,
                        "{line}{action}: {of}{condition} held before all of {failed} and before \
                         none of the {worked} steps that worked."
                    )?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for StepPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.file),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// What to do about an effect that no model of the class has.
const OWN: &str = "No effect of the class does that: record such steps as an action of their own, \
                   or leave them out.";

impl Worded for Diagnosis {
    fn text(&self) -> Text {
        let mut text = Text::from(format!("{}: ", self.action));
        // A step as a whole needs no names of what it changes.
        if !self.about.is_empty()
            && !matches!(self.cause, Cause::Unchanged { .. } | Cause::Outliers | Cause::OwnRule)
        {
            text += format!("{}: ", self.about.join(", "));
        }
        text += self.sentences();
        if let Some([one, other]) = &self.twins
            && !matches!(self.cause, Cause::Chance)
        {
            text += format!(" The steps at {one} and {other} begin alike and end differently.");
        }
        let unknown = match self.unknown {
            0 => String::new(),
            1 => "; a value is unknown in 1 other".to_owned(),
            unknown => format!("; a value is unknown in {unknown} others"),
        };
        if self.looked_at < self.steps {
            text +=
                format!(" ({} of {} steps were examined{unknown}.)", self.looked_at, self.steps);
        }
        text
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl Diagnosis {
    /// What kind of cause it is, in one word.
    pub fn kind(&self) -> &'static str {
        match self.cause {
            Cause::Unchanged { .. } => "unchanged",
            Cause::Pieces { .. } => "pieces",
            Cause::Limit { .. } => "limit",
            Cause::Product { .. } => "product",
            Cause::Rounding { .. } => "rounding",
            Cause::Inexact { .. } => "inexact",
            Cause::Outliers => "outliers",
            Cause::OwnRule => "own-rule",
            Cause::Chance => "chance",
            Cause::Unexplained => "unexplained",
        }
    }

    fn sentences(&self) -> Text {
        let (odd, all, at) = (self.odd, self.looked_at, self.at());
        match &self.cause {
            Cause::Unchanged { condition } => self.unchanged(condition.as_ref()),
            Cause::Pieces { pieces, condition, cap, floor, unchanged } => {
                let end = match (condition, cap) {
                    (_, Some(cap)) if *floor => {
                        format!(", where it ends at {cap} and never goes below: a floor")
                    }
                    (_, Some(cap)) => {
                        format!(", where it ends at {cap} and never goes above: a cap")
                    }
                    (Some(_), None) => ": an effect that depends on a condition".to_owned(),
                    (None, None) => ", and these steps do not show what decides which".to_owned(),
                };
                let with = self.with(condition.as_ref());
                let what = format!("{}{with}{at}", told(pieces));
                match (unchanged, cap) {
                    (false, _) => format!("{what}{end}. {OWN}").into(),
                    (true, Some(_)) => self.failed_pieces(format!(
                        "{what}{end}. {OWN} Or, since these steps change \
                             nothing at all, perhaps they are "
                    )),
                    (true, None) => self.failed_pieces(format!(
                        "{what}. These steps change nothing at all: perhaps they are "
                    )),
                }
            }
            Cause::Limit { way, by, limit, cap } => {
                let way = match way {
                    Way::Grows => "grows",
                    Way::Falls => "falls",
                    Way::Changes => "changes",
                };
                let (side, name) = if *cap { ("above", "a cap") } else { ("below", "a floor") };
                let end = if odd == 1 { "step ends" } else { "steps end" };
                Text::from(format!(
                    "it {way} by {by} and never goes {side} {limit}, where {odd} of {all} \
                     {end}{at}: {name}. {OWN}"
                ))
            }
            Cause::Product { products, squares, decimals, except } => {
                let by = if products.len() > 2 {
                    "products of two functions".to_owned()
                } else {
                    products.join(" and ")
                };
                let fitting = fitting(all, *except);
                let mut text = Text::from(format!(
                    "explained by {by}: with that, a linear formula fits {fitting} exactly"
                ));
                if let Some(decimals) = decimals {
                    text += format!(", once numbers are rounded to {decimals} decimals");
                }
                if let (Some(decimals), true) = (decimals, self.tried) {
                    text += " (";
                    text += dial!("decimals", *decimals);
                    text += ")";
                }
                text += ".";
                if self.tried {
                    let mut degree = vec![dial!("degree", 2)];
                    degree.extend(squares.then(|| dial!("squares", true)));
                    text += format!(" May {} depend on this product? Then use ", self.action);
                    text += Text::together(degree);
                    text += ", or list the product in a ";
                    text += dial!("relevant");
                    text += " file.";
                }
                text
            }
            Cause::Rounding { decimals, except } => {
                let fitting = fitting(all, *except);
                let text = Text::from(format!(
                    "a linear formula fits {fitting} exactly once numbers are rounded to \
                     {decimals} decimals, which changes each by at most a hundredth of its last \
                     decimal"
                ));
                match self.tried {
                    true => text + " (" + dial!("decimals", *decimals) + ").",
                    false => text + ".",
                }
            }
            Cause::Inexact { within, except, spread, product, floating } => {
                let steps = match except {
                    0 => format!("all {all} steps are"),
                    _ => format!("all but {except} of {all} steps are"),
                };
                let of = product
                    .as_ref()
                    .map(|product| format!(" that also reads {product}"))
                    .unwrap_or_default();
                let why = match floating {
                    true => "floating-point arithmetic rounds that much".to_owned(),
                    false => format!(
                        "either these numbers are not exact (noise, rounding; from the smallest \
                         to the largest they differ by {}), \
                         or something that matters to them is not recorded or not in the domain",
                        rough(*spread)
                    ),
                };
                let only = match product {
                    Some(_) => " Numbers that are not exact cannot be factors of products.",
                    None => "",
                };
                let within = rough(*within);
                format!(
                    "{steps} within about {within} of a linear formula{of}, but not on it: \
                     {why}.{only}"
                )
                .into()
            }
            Cause::Outliers | Cause::OwnRule => {
                let (does, they) = match odd {
                    1 => ("does", "it is a recording error"),
                    _ => ("do", "they are recording errors"),
                };
                let change = match &self.about[..] {
                    [] => String::new(),
                    about => format!(" in the change of {}", about.join(", ")),
                };
                let what = match self.cause {
                    Cause::OwnRule => "But they follow a rule of their own, so something that is \
                                       not recorded decides"
                        .to_owned(),
                    _ => format!("Perhaps {they}"),
                };
                format!("{odd} of {all} steps {does} not fit the others{change}{at}. {what}.")
                    .into()
            }
            Cause::Chance => match &self.twins {
                Some([one, other]) => format!(
                    "{odd} of {all} steps do not fit the others. The steps at {one} and {other} \
                     begin alike and end differently: chance, or something that is not recorded \
                     decides."
                )
                .into(),
                None => "steps begin alike and end differently: chance, or something that is not \
                         recorded decides."
                    .into(),
            },
            Cause::Unexplained => match self.about.is_empty() {
                true => "no model of the class fits its steps. Does it have effects that happen \
                         only in some states?"
                    .into(),
                false => format!(
                    "{odd} of {all} steps do not fit the others{at}. Does it have effects that \
                     happen only in some states?"
                )
                .into(),
            },
        }
    }

    /// Steps that change nothing, unlike the others.
    fn unchanged(&self, condition: Option<&Split>) -> Text {
        let (odd, all, at) = (self.odd, self.looked_at, self.at());
        let (change, them, attempts) = match odd {
            1 => ("changes", "it", "this is an attempt"),
            _ => ("change", "them", "these are attempts"),
        };
        let text = Text::from(format!(
            "{odd} of {all} steps {change} nothing at all{}{at}; without {them} some model fits \
             the others.",
            self.with(condition)
        ));
        match self.tried {
            true => {
                text + format!(" If {attempts} that failed, say so: ")
                    + dial!("unchanged", "failed")
                    + "."
            }
            false => {
                text + format!(
                    " Perhaps {attempts} that failed; then mark {them} as failed in the records."
                )
            }
        }
    }

    /// Steps that change nothing and may be failed attempts; the words before that.
    fn failed_pieces(&self, before: String) -> Text {
        let text = Text::from(before)
            + "attempts that failed and were logged as if they had worked: mark them as failed";
        match self.tried {
            true => text + ", or learn with " + dial!("unchanged", "failed") + ".",
            false => text + ".",
        }
    }

    /// What holds before all odd steps, and before no other.
    fn with(&self, condition: Option<&Split>) -> String {
        let Some(condition) = condition else { return String::new() };
        let (odd, others, [known, known_of_others]) =
            (self.odd, self.looked_at - self.odd, condition.known);
        match (known, known_of_others) == (odd, others) {
            true => format!(", all with {condition}"),
            false => format!(
                ", all with {condition} where that is known (before {known} of these {odd} steps \
                 and {known_of_others} of the {others} \
                 others)"
            ),
        }
    }

    /// Where odd steps are.
    fn at(&self) -> String {
        at(self.odd, &self.places)
    }
}

/// The places of this many steps, given the first of them.
fn at(steps: usize, places: &[StepPlace]) -> String {
    let more = if steps > places.len() { ", …" } else { "" };
    match places {
        [] => String::new(),
        places => format!(
            " ({}{more})",
            places.iter().map(StepPlace::to_string).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The steps that an exact explanation is about.
fn fitting(all: usize, except: usize) -> String {
    match except {
        0 => format!("all {all} steps"),
        _ => format!("all steps but {except} of {all} that change nothing at all"),
    }
}

/// "+1 in 70 steps, +0 in 5"
fn told(pieces: &[Piece]) -> String {
    let each =
        pieces.iter().enumerate().map(|(place, Piece { outcome, steps })| match (place, steps) {
            (0, 1) => format!("{outcome} in 1 step"),
            (0, _) => format!("{outcome} in {steps} steps"),
            _ => format!("{outcome} in {steps}"),
        });
    each.collect::<Vec<_>>().join(", ")
}

/// A number to two digits.
fn rough(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        _ if (0.001..1e6).contains(&number) => {
            let digits = (1 - number.log10().floor() as i32).clamp(0, 9) as usize;
            format!("{number:.digits$}")
        }
        _ => format!("{number:.0e}"),
    }
}
