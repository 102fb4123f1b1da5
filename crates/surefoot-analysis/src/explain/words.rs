//! An explanation in at most five lines, in numbers that a person reads.

use super::reason::Together;
use super::{
    Admission, Applicability, Asked, Bound, Explanation, Grounds, Nearest, Question, Reason,
};
use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::model::semantics::{Inapplicable, StepChanges};
use surefoot_base::model::{
    ActionId, Domain, ErrorFunctions, Ground, GroundFunction, Objects, Term,
};
use surefoot_base::pddl::Writer;
use surefoot_learn::{Answer, ColumnId, Learner, Monotone};

/// Numbers with at most this many digits are shown as they are.
const EXACT: u32 = 6;

/// All others are rounded to this many digits, and marked as rounded.
const DIGITS: u32 = 4;

/// A condition over more numbers than this is not spelt out: nobody reads it.
const SPELT: usize = 4;

/// The number of values shown for the nearest recorded step: those that differ most.
const TOLD: usize = 3;

/// A number as a person reads it: as it is where that is short, else rounded and said to be
/// (`about 6.233`).
pub fn number_in_words(number: &Rational) -> String {
    rounded(number, DIGITS)
}

fn rounded(number: &Rational, digits: u32) -> String {
    match shown(number, digits) {
        short if short == *number => short.to_string(),
        short => format!("about {short}"),
    }
}

/// The number as it is shown, with this many digits.
fn shown(number: &Rational, digits: u32) -> Rational {
    let short = number.with_digits(EXACT.max(digits), Rounding::Nearest);
    if short == *number { short } else { number.with_digits(digits, Rounding::Nearest) }
}

/// Two different numbers, with enough digits to show the difference.
fn apart(one: &Rational, other: &Rational) -> [String; 2] {
    let digits =
        (DIGITS..=30).find(|&digits| shown(one, digits) != shown(other, digits)).unwrap_or(DIGITS);
    [rounded(one, digits), rounded(other, digits)]
}

/// A function of objects: `battery of r1`, `distance of a and b`.
pub fn function_in_words(domain: &Domain, objects: &Objects, function: &GroundFunction) -> String {
    let name = domain.signature.functions.name(function.symbol.index());
    let names: Vec<&str> = function.arguments.iter().map(|&object| objects.name(object)).collect();
    applied(name, &names)
}

fn applied(name: &str, arguments: &[&str]) -> String {
    match arguments {
        [] => name.to_owned(),
        [only] => format!("{name} of {only}"),
        [first @ .., last] => format!("{name} of {} and {last}", first.join(", ")),
    }
}

/// A column of an action, for whatever objects: `battery of ?r`.
fn column_in_words(learner: &Learner, action: ActionId, column: ColumnId) -> String {
    let domain = learner.domain();
    let parameters = &domain.action(action).parameters;
    let term = |term: &Term| match *term {
        Term::Variable(slot) => format!("?{}", parameters[slot as usize].name),
        Term::Object(object) => domain.signature.constants.name(object).to_owned(),
    };
    let vocabulary = learner.vocabulary(action);
    let factors = vocabulary.factors(column).map(|function| {
        // The value of an input is called as the input is.
        if let (true, [Term::Variable(slot)]) =
            (Some(function.symbol) == vocabulary.value_of_inputs, &function.terms[..])
        {
            return parameters[*slot as usize].name.to_string();
        }
        let terms: Vec<String> = function.terms.iter().map(term).collect();
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        applied(domain.signature.functions.name(function.symbol.index()), &terms)
    });
    factors.collect::<Vec<_>>().join(" × ")
}

impl Explanation {
    /// The explanation for people: what the model says, why, what worked that is nearest, and what
    /// one may ask. At most five lines. `more` says how to see the rest, such as `--all`.
    pub fn lines(
        &self,
        model: &Domain,
        asked: Asked<'_>,
        grounds: Option<Grounds<'_>>,
        more: &str,
    ) -> Vec<String> {
        let words = Words { model, asked, action: model.action_name(asked.step.symbol) };
        let name = Writer::new(model, asked.objects).ground_action(asked.step);
        let first = match &self.applicability {
            Applicability::Applicable(changes) => {
                return [Some(format!("{name} is applicable")), words.follows(changes)]
                    .into_iter()
                    .flatten()
                    .collect();
            }
            Applicability::Missing(why) => {
                format!("{name} is not applicable: it is left out of the model ({why})")
            }
            Applicability::Refused(Inapplicable::Precondition(violations)) => {
                match violations.len() {
                    1 => {
                        format!("{name} is not applicable: 1 condition of the model does not hold")
                    }
                    all => format!(
                        "{name} is not applicable: {all} conditions of the model do not hold"
                    ),
                }
            }
            Applicability::Refused(_) => format!("{name} is not applicable"),
        };
        let known = match &self.answer {
            Some(Answer::Forbidden(_)) => {
                "; forbidden: no model that explains the records allows it"
            }
            Some(Answer::Unknown) => "; unknown: the records leave open whether it would work",
            Some(Answer::Allowed) | None => "",
        };
        let grounds = grounds.and_then(|grounds| grounds.in_part(asked));
        let mut lines = vec![format!("{first}{known}")];
        lines.extend(self.part.clone());
        lines.extend(self.witness.clone());
        let mut told: Vec<String> =
            self.telling().filter_map(|reason| words.reason(reason, self)).collect();
        let rest = told.len().saturating_sub(2);
        told.truncate(2);
        if let (Some(last), true) = (told.last_mut(), rest > 0) {
            *last += &format!("; and {rest} more ({more})");
        }
        lines.extend(told);
        if let Some(grounds) = grounds {
            lines.extend(self.nearest.as_ref().map(|nearest| words.nearest(nearest, grounds)));
            if let [first, others @ ..] = &self.questions[..] {
                let others = if others.is_empty() {
                    String::new()
                } else {
                    format!(" (other questions: {more})")
                };
                lines.push(format!("{}{others}", first.in_words(grounds.learner, grounds.action)));
            }
        }
        lines
    }

    /// The reasons that are shown: of conditions over several numbers only the first, and only if
    /// nothing simpler is wrong.
    fn telling(&self) -> impl Iterator<Item = &Reason> {
        let simple = |reason: &&Reason| !matches!(reason, Reason::Together(_));
        let simpler = self.reasons.iter().filter(simple).count();
        self.reasons.iter().take(if simpler > 0 { simpler } else { 1 })
    }

    /// A reason in words; `None` for what has no words of its own, and stands among
    /// [`Explanation::violations`].
    pub fn reason_in_words(
        &self,
        reason: &Reason,
        model: &Domain,
        asked: Asked<'_>,
    ) -> Option<String> {
        Words { model, asked, action: model.action_name(asked.step.symbol) }.reason(reason, self)
    }
}

impl Question {
    /// The question as a sentence.
    pub fn in_words(&self, learner: &Learner, action: ActionId) -> String {
        let domain = learner.domain();
        let name = domain.action_name(action);
        match &self.admission {
            Admission::Monotone(column, mark) => {
                let number = column_in_words(learner, action, *column);
                let word = match mark {
                    Monotone::More => "more",
                    Monotone::Less => "less",
                    Monotone::Any => "any",
                };
                let foreseen = self.foreseen;
                let failures =
                    if self.is_tried { ", and no recorded failure refutes it" } else { "" };
                format!(
                    "is it true that {word} {number} never hurts {name}? {foreseen} recorded \
                     combinations of the numbers of {name} support it{failures}."
                )
            }
            Admission::Arity(arity, _) => {
                format!(
                    "is it true that each condition of {name} mentions at most {arity} numbers?"
                )
            }
            Admission::PositivePreconditions => {
                "is it true that preconditions have no negative atoms?".to_owned()
            }
        }
    }
}

impl Reason {
    /// The amount by which a bound with a margin is missed, and the margin, in the scale in which
    /// the bound is shown; `None` if there is no margin.
    pub fn refused_by(&self) -> Option<(Rational, Rational)> {
        let (missed, margin) = match self {
            Reason::Number { here, bound, margin, .. } => {
                ((here - bound.value()).abs(), margin.clone())
            }
            Reason::Together(together) => {
                let missed = (&together.here - &together.bound).abs();
                (together.scaled(&missed), together.scaled(&together.margin))
            }
            _ => return None,
        };
        (!margin.is_zero()).then_some((missed, margin))
    }
}

impl Together {
    /// A number as it is shown: short numbers stay as they are; others are easier to compare if the
    /// greatest coefficient is 1.
    fn scaled(&self, number: &Rational) -> Rational {
        let mut numbers =
            self.terms.iter().map(|(_, coefficient)| coefficient).chain([&self.bound]);
        if numbers.all(|number| number.with_digits(DIGITS, Rounding::Nearest) == *number) {
            return number.clone();
        }
        let greatest = self.terms.iter().map(|(_, coefficient)| coefficient.abs()).max();
        greatest
            .and_then(|greatest| number.checked_div(&greatest))
            .unwrap_or_else(|| number.clone())
    }
}

/// How much of what is missed is a margin for numbers that are not exact.
fn within(missed: &Rational, margin: &Rational) -> String {
    match margin {
        margin if margin.is_zero() => String::new(),
        margin if missed <= margin => format!(
            ": refused by {}, which is within the margin of {} for numbers that are known \
             within errors",
            number_in_words(missed),
            number_in_words(margin)
        ),
        margin => format!(
            ": refused by {}; {} of that is the margin for numbers that are known within errors",
            number_in_words(missed),
            number_in_words(margin)
        ),
    }
}

/// The recorded value that worked, shown with a bound that has a margin; it names the number, if
/// others are shown with it.
fn worked(recorded: &Rational, bound: &Rational, is_alone: bool) -> String {
    let [recorded, bound] = apart(recorded, bound);
    let instead = if is_alone { String::new() } else { format!(" in place of {bound}") };
    format!(" ({recorded}{instead} was recorded to work)")
}

/// Words about one action.
struct Words<'a> {
    model: &'a Domain,
    asked: Asked<'a>,
    action: &'a str,
}

impl Words<'_> {
    /// A function in words: the value of an input is called as the input is.
    fn function(&self, function: &GroundFunction) -> String {
        let Words { model, asked: Asked { objects, step, .. }, .. } = *self;
        let is_value =
            matches!(model.inputs(), Ok(Some(inputs)) if inputs.value == function.symbol);
        let parameters = model.action(step.symbol).parameters.iter().zip(&step.arguments);
        let inputs =
            parameters.filter(|(_, object)| is_value && function.arguments[..] == [**object]);
        let names: Vec<&str> = inputs.map(|(parameter, _)| &*parameter.name).collect();
        match names.is_empty() {
            true => function_in_words(model, objects, function),
            false => names.join(" and "),
        }
    }

    /// A product of functions.
    fn product(&self, factors: &[GroundFunction]) -> String {
        let factors: Vec<String> = factors.iter().map(|factor| self.function(factor)).collect();
        factors.join(" × ")
    }

    fn reason(&self, reason: &Reason, of: &Explanation) -> Option<String> {
        let Words { model, asked: Asked { objects, universe, state, .. }, action } = *self;
        Some(match reason {
            Reason::Number { factors, here, bound, seen, margin, recorded } => {
                let number = self.product(factors);
                let limit = bound.value();
                let within = within(&(here - limit).abs(), margin);
                let [here, shown] = apart(here, limit);
                let asked = match bound {
                    Bound::AtLeast(_) => format!("{shown} or more"),
                    Bound::AtMost(_) => format!("{shown} or less"),
                    Bound::Only(_) => shown,
                };
                match seen {
                    true => format!(
                        "{number} is {here}; every recorded value with which {action} worked is \
                         {asked}"
                    ),
                    false => {
                        let worked = recorded
                            .as_ref()
                            .map(|recorded| worked(recorded, limit, true))
                            .unwrap_or_default();
                        format!("{number} is {here}; the model asks for {asked}{worked}{within}")
                    }
                }
            }
            Reason::Atom { atom, wanted } => {
                let unknown = universe.find_atom(atom).is_some_and(|id| state.is_atom_unknown(id));
                let atom = Writer::new(model, objects).ground_atom(atom);
                let truth =
                    if unknown { "not known here".to_owned() } else { (!wanted).to_string() };
                format!(
                    "{atom} is {truth}; such an atom was {wanted} before every recorded success \
                     of {action}"
                )
            }
            Reason::Objects { pair, same } => {
                let [one, other] = pair.map(|object| objects.name(object));
                match same {
                    true => format!(
                        "{one} is not {other}; both were one object in every recorded success of \
                         {action}"
                    ),
                    false => format!(
                        "{one} stands for two parameters; they were different objects in every \
                         recorded success of {action}"
                    ),
                }
            }
            Reason::NoValue(function) => {
                let unknown =
                    universe.find_value(function).is_some_and(|id| state.is_value_unknown(id));
                let number = self.function(function);
                if unknown {
                    format!("{number} is not known here")
                } else {
                    format!("{number} has no value")
                }
            }
            Reason::Condition(place) => {
                let violation = of.violations().get(*place)?;
                let text = Writer::new(model, objects)
                    .with_objects(&violation.environment)
                    .condition(&violation.condition);
                format!("{text} does not hold")
            }
            Reason::Together(together) => self.together(together, reason.refused_by()),
            Reason::Other => match &of.applicability {
                Applicability::Refused(Inapplicable::Conflict(function)) => {
                    format!("its effects disagree about {}", self.function(function))
                }
                Applicability::Refused(Inapplicable::Arguments(_)) => {
                    "its arguments do not fit its parameters".to_owned()
                }
                _ => "its effect cannot be computed".to_owned(),
            },
        })
    }

    /// A condition over several numbers, what is subtracted on the other side.
    fn together(&self, together: &Together, refused: Option<(Rational, Rational)>) -> String {
        let action = self.action;
        let scaled = |number: &Rational| together.scaled(number);
        let names: Vec<String> =
            together.terms.iter().map(|(factors, _)| self.product(factors)).collect();
        if names.len() > SPELT {
            let first = names[..2].join(", ");
            if let Some((missed, margin)) = refused {
                let within = within(&missed, &margin);
                return format!(
                    "what the model asks for of {first} and {} other numbers together does not \
                     hold{within}",
                    names.len() - 2
                );
            }
            return format!(
                "{first} and {} other numbers were never recorded like this where {action} worked",
                names.len() - 2
            );
        }
        let side = |sign: i32| {
            let terms = together
                .terms
                .iter()
                .zip(&names)
                .filter(|((_, coefficient), _)| coefficient.signum() == sign);
            let mut words: Vec<String> = terms
                .map(|((_, coefficient), name)| match scaled(&coefficient.abs()) {
                    one if one == Rational::ONE => name.clone(),
                    other => format!("{} · {name}", number_in_words(&other)),
                })
                .collect();
            if together.bound.signum() == -sign {
                words.push(number_in_words(&scaled(&together.bound.abs())));
            }
            if words.is_empty() { "0".to_owned() } else { words.join(" + ") }
        };
        let relation = if together.equation { "=" } else { "≤" };
        let (left, right) = (side(1), side(-1));
        if let Some((missed, margin)) = refused {
            // The bound stands on one side as its absolute value, and so does what was recorded.
            let recorded = together
                .recorded
                .as_ref()
                .filter(|recorded| recorded.signum() == together.bound.signum());
            let worked = recorded.map(|recorded| {
                let is_alone = together
                    .terms
                    .iter()
                    .all(|(_, coefficient)| coefficient.signum() == together.bound.signum());
                worked(&scaled(&recorded.abs()), &scaled(&together.bound.abs()), is_alone)
            });
            let worked = worked.unwrap_or_default();
            return format!(
                "the model asks for {left} {relation} {right}{worked}{}",
                within(&missed, &margin)
            );
        }
        let missed = number_in_words(&scaled(&(&together.here - &together.bound).abs()));
        format!(
            "{left} {relation} {right} whenever {action} worked and these numbers are recorded; \
             here it is missed by {missed}"
        )
    }

    /// What an allowed step leaves known within errors only, and within which.
    fn follows(&self, changes: &StepChanges) -> Option<String> {
        let Words { model, asked: Asked { objects, .. }, .. } = *self;
        let errors = ErrorFunctions::of(&model.signature);
        let off = |(error, value): &(GroundFunction, Rational)| {
            let function = Ground {
                symbol: errors.function_of(error.symbol)?,
                arguments: error.arguments.clone(),
            };
            let name = function_in_words(model, objects, &function);
            Some(format!("{name} within {}", number_in_words(value)))
        };
        let off: Vec<String> = changes.values.iter().filter_map(off).collect();
        (!off.is_empty())
            .then(|| format!("what follows is known within errors: {}", off.join(", ")))
    }

    fn nearest(&self, nearest: &Nearest, grounds: Grounds<'_>) -> String {
        let spread = |column: ColumnId| {
            let columns = std::iter::once(column).collect();
            let points = grounds.learner.evidence(grounds.action).points(&columns);
            let values = || points.iter().filter_map(|point| point.first());
            match (values().max(), values().min()) {
                (Some(most), Some(least)) if most > least => (most - least).to_f64(),
                _ => 1.0,
            }
        };
        let mut differing: Vec<(f64, String)> = nearest
            .columns
            .iter()
            .filter(|(_, here, observed)| here != observed)
            .map(|(column, here, observed)| {
                let [here_text, observed_text] = apart(here, observed);
                let name = column_in_words(grounds.learner, grounds.action, *column);
                (
                    (here - observed).abs().to_f64() / spread(*column),
                    format!("{name} {observed_text} (here {here_text})"),
                )
            })
            .collect();
        differing.sort_by(|one, other| other.0.total_cmp(&one.0));
        let rest = differing.len().saturating_sub(TOLD);
        let mut told: Vec<String> =
            differing.into_iter().take(TOLD).map(|(_, text)| text).collect();
        if rest > 0 {
            told.push(format!("and {rest} more"));
        }
        let told = if told.is_empty() { "the same numbers".to_owned() } else { told.join(", ") };
        match &nearest.recorded {
            None => format!("nearest {} that worked: {told}", self.action),
            Some(recorded) => {
                let place = &recorded.place;
                let line = if place.position.line == 0 {
                    String::new()
                } else {
                    format!(":{}", place.position.line)
                };
                format!("nearest that worked: {} at {}{line}: {told}", recorded.step, place.file)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_stay_and_long_ones_are_rounded_and_said_to_be() {
        let number = |num, den| Rational::new(num, den).unwrap();
        assert_eq!(number_in_words(&number(62, 10)), "6.2");
        assert_eq!(number_in_words(&number(123_456, 1)), "123456");
        assert_eq!(number_in_words(&number(1, 3)), "about 0.3333");
        assert_eq!(
            number_in_words(&number(7_585_099_999_999_999, 1_000_000_000_000)),
            "about 7585"
        );
        // Numbers that differ are shown with enough digits to differ.
        assert_eq!(
            apart(&number(62, 10), &number(61_999_999_999, 10_000_000_000)),
            ["6.2", "6.1999999999"]
        );
        assert_eq!(
            apart(&number(10_000_001, 3), &number(10_000_004, 3)),
            ["about 3333334", "about 3333335"]
        );
        assert_eq!(apart(&number(1, 3), &number(2, 3)), ["about 0.3333", "about 0.6667"]);
    }
}
