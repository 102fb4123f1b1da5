//! A diagnosis in words. What to do is offered where the data do not contradict it, as a question
//! where only the user can know.

use std::fmt;

use surefoot_base::pddl::visible;

use super::{
    Cause, Diagnosis, FailedGroup, FailureDiagnosis, FailureSign, NoSuggestion, Piece, Split,
    StepPlace, Suggestion, Way,
};

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for drift in &self.drifts {
            let steps = if drift.steps == 1 { "step" } else { "steps" };
            writeln!(
                f,
                "{} changes by up to {} in {} {steps} whose action does not reach it.",
                drift.function, drift.within, drift.steps
            )?;
        }
        if self.given && !self.rounded {
            let (steps, they) = counted(self.odd);
            return write!(
                f,
                "The --error that was given explains all steps but {steps} much farther away than \
                 the others{}. Perhaps {they}; then \
                 add --on-bad-data quarantine, which sets such steps aside.",
                at(self.odd, &self.places)
            );
        }
        f.write_str(
            "Numbers that are not exact can be learned from: --error says how far recorded values \
             may be from the true ones. ",
        )?;
        if self.rounded {
            return f.write_str(
                "Learn without --decimals, and the least error that explains these \
                                steps is named here.",
            );
        }
        let explained = match self.odd {
            0 => "these steps".to_owned(),
            odd => format!(
                "all steps but {} much farther away than the others{},",
                counted(odd).0,
                at(odd, &self.places)
            ),
        };
        let typed = match &self.one {
            Some(error) => format!("--error {error}"),
            None => {
                let errors: Vec<String> = self
                    .errors
                    .iter()
                    .map(|(name, error)| format!("\"{name}\": {error}"))
                    .collect();
                format!("--error errors.json, a file with {{{}}}", errors.join(", "))
            }
        };
        write!(
            f,
            "The least that explains {explained} is {typed}; say more if they may be further away."
        )?;
        for (function, shown) in &self.suspect {
            match shown.as_str() {
                "0" => write!(
                    f,
                    " But nothing shows that the numbers of {function} are rounded or noisy:"
                )?,
                _ => write!(
                    f,
                    " But the records of {function} show rounding and noise of {shown} at most:"
                )?,
            }
            f.write_str(
                " a larger error is a sign that something that matters is not recorded, or that \
                 the class of models is wrong.",
            )?;
        }
        if self.odd > 0 {
            let they = counted(self.odd).1;
            write!(
                f,
                " Perhaps {they}; then add --on-bad-data quarantine, which sets such steps aside."
            )?;
        }
        match &self.factors[..] {
            [] => Ok(()),
            factors => write!(
                f,
                " The class has products with {}, which has to be exact.",
                factors.join(", ")
            ),
        }
    }
}

impl fmt::Display for NoSuggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSuggestion::TooLarge { function, error, plausible, change } => write!(
                f,
                "Only recording errors of {error} would explain the changes of {function}, which \
                 are at most {change}; its records \
                 suggest at most {plausible}. So something that matters to {function} is not \
                 recorded, or its effect is of another form. \
                 No --error is proposed."
            ),
            NoSuggestion::Refuted => f.write_str(
                "Recording errors might explain these numbers, but a model learned with them was \
                 wrong about some of these records. So \
                 something that matters is not recorded, or an effect is of another form. No \
                 --error is proposed.",
            ),
        }
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
                Some(code) => format!("the {n} that failed with {}", visible(code)),
                None => format!("the {n} that failed"),
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
                         worked: {condition} before all of these {known} and before none of these \
                         {of_worked}."
                    )?;
                }
                Some(FailureSign::Condition(condition)) => {
                    write!(
                        f,
                        "{line}{action}: {of}{condition} before all of {failed} and before none of \
                         the {worked} steps that worked."
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

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.action)?;
        // A step as a whole needs no names of what it changes.
        if !self.about.is_empty()
            && !matches!(self.cause, Cause::Unchanged { .. } | Cause::Outliers | Cause::OwnRule)
        {
            write!(f, "{}: ", self.about.join(", "))?;
        }
        f.write_str(&self.sentences())?;
        if let Some([one, other]) = &self.twins
            && !matches!(self.cause, Cause::Chance)
        {
            write!(f, " The steps at {one} and {other} begin alike and end differently.")?;
        }
        let unknown = match self.unknown {
            0 => String::new(),
            1 => "; a value is unknown in 1 other".to_owned(),
            unknown => format!("; a value is unknown in {unknown} others"),
        };
        if self.looked_at < self.steps {
            write!(f, " (Of {} steps, {} were looked at{unknown}.)", self.steps, self.looked_at)?;
        }
        Ok(())
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

    fn sentences(&self) -> String {
        let (odd, all, at) = (self.odd, self.looked_at, self.at());
        match &self.cause {
            Cause::Unchanged { condition } => {
                let (change, them, attempts) = match odd {
                    1 => ("changes", "it", "this is an attempt"),
                    _ => ("change", "them", "these are attempts"),
                };
                let failed = match self.tried {
                    true => format!(" If {attempts} that failed, say so: --unchanged failed."),
                    false => format!(
                        " Perhaps {attempts} that failed; then mark {them} as failed \
                                      in the records."
                    ),
                };
                format!(
                    "{odd} of {all} steps {change} nothing at all{}{at}; without {them} some model \
                     fits the others.{failed}",
                    self.with(condition.as_ref())
                )
            }
            Cause::Pieces { pieces, condition, cap, floor, unchanged } => {
                let what = match (condition, cap) {
                    (_, Some(cap)) if *floor => format!(
                        ", where it ends at {cap} and never goes \
                        below: a floor"
                    ),
                    (_, Some(cap)) => format!(
                        ", where it ends at {cap} and never goes beyond: a \
                        cap"
                    ),
                    (Some(_), None) => ": an effect that depends on a condition".to_owned(),
                    (None, None) => ", and no single function or atom tells which".to_owned(),
                };
                let own = "No effect of the class does that: record such steps as an action of \
                           their own, or leave them out.";
                let failed = match self.tried {
                    true => {
                        "attempts that failed and were logged as if they had worked: mark them as \
                         failed, or see --unchanged failed."
                    }
                    false => {
                        "attempts that failed and were logged as if they had worked: mark \
                              them as failed."
                    }
                };
                let (what, advice) = match (unchanged, cap) {
                    (false, _) => (what, own.to_owned()),
                    (true, Some(_)) => (
                        what,
                        format!(
                            "{own} Or, since these steps change nothing at all, perhaps \
                                        they are {failed}"
                        ),
                    ),
                    (true, None) => (
                        String::new(),
                        format!(
                            "These steps change nothing at all: \
                        perhaps they are {failed}"
                        ),
                    ),
                };
                format!("{}{}{at}{what}. {advice}", told(pieces), self.with(condition.as_ref()))
            }
            Cause::Limit { way, by, limit, cap } => {
                let way = match way {
                    Way::Grows => "grows",
                    Way::Falls => "falls",
                    Way::Changes => "changes",
                };
                let (beyond, name) = if *cap { ("beyond", "a cap") } else { ("below", "a floor") };
                let end = if odd == 1 { "step ends" } else { "steps end" };
                format!(
                    "it {way} by {by} and never goes {beyond} {limit}, where {odd} of {all} \
                     {end}{at}: {name}. No effect of the class does \
                     that: record such steps as an action of their own, or leave them out."
                )
            }
            Cause::Product { products, squares, decimals, except } => {
                let by = if products.len() > 2 {
                    "products of two functions".to_owned()
                } else {
                    products.join(" and ")
                };
                let once = match (decimals, self.tried) {
                    (Some(decimals), true) => format!(
                        ", once numbers are rounded (--decimals \
                        {decimals})"
                    ),
                    (Some(decimals), false) => format!(
                        ", once numbers are rounded to {decimals} \
                        decimals"
                    ),
                    (None, _) => String::new(),
                };
                let degree = if *squares { "--degree 2 --squares" } else { "--degree 2" };
                let advice = match self.tried {
                    true => format!(
                        " Is {degree} true of it, or a --relevant map with the \
                                     product?"
                    ),
                    false => String::new(),
                };
                format!(
                    "explained by {by}: with that, an affine map fits {} \
                         exactly{once}.{advice}",
                    fitting(all, *except)
                )
            }
            Cause::Rounding { decimals, except } => {
                let advice =
                    if self.tried { format!(": --decimals {decimals}") } else { String::new() };
                format!(
                    "rounded to {decimals} decimals, which moves no number by more than a \
                     hundredth of the last one, {} fit an affine map \
                     exactly{advice}.",
                    fitting(all, *except)
                )
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
                let within = rough(*within);
                let why = match floating {
                    true => {
                        "these numbers were rounded, as computing in floating point does".to_owned()
                    }
                    false => format!(
                        "either these numbers are not exact (noise, rounding; they range over {}), \
                         or something that matters to them is \
                         not recorded or not in the domain",
                        rough(*spread)
                    ),
                };
                let only = match product {
                    Some(_) => " Numbers that are not exact cannot be factors of products.",
                    None => "",
                };
                format!(
                    "{steps} within about {within} of an affine map{of}, but not on it: \
                         {why}.{only}"
                )
            }
            Cause::Outliers | Cause::OwnRule => {
                let (does, they) = if odd == 1 {
                    ("does", "it is a recording error")
                } else {
                    (
                        "do",
                        "they are \
                        recording errors",
                    )
                };
                let change = match &self.about[..] {
                    [] => String::new(),
                    about => format!(" in what becomes of {}", about.join(", ")),
                };
                let what = match self.cause {
                    Cause::OwnRule => "But they follow a rule of their own, so something that is \
                                       not recorded decides"
                        .to_owned(),
                    _ => format!("Perhaps {they}"),
                };
                format!("{odd} of {all} steps {does} not fit the others{change}{at}. {what}.")
            }
            Cause::Chance => match &self.twins {
                Some([one, other]) => format!(
                    "{odd} of {all} steps do not fit the others. The steps at {one} and {other} \
                     begin alike and end differently: chance, \
                     or something that is not recorded decides."
                ),
                None => "steps begin alike and end differently: chance, or something that is not \
                         recorded decides."
                    .to_owned(),
            },
            Cause::Unexplained => match self.about.is_empty() {
                true => "no model of the class fits its steps. Does it have effects that happen \
                         only in some states?"
                    .to_owned(),
                false => format!(
                    "{odd} of {all} steps do not fit the others{at}. Does it have effects that \
                     happen only in some states?"
                ),
            },
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

/// The number of odd steps in words, and what they may be.
fn counted(odd: usize) -> (String, &'static str) {
    match odd {
        1 => ("1 that is".to_owned(), "it is a recording error"),
        _ => (format!("{odd} that are"), "they are recording errors"),
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
