//! Inputs: columns with numbers that whoever acts chooses before the step.

use std::collections::BTreeSet;

use surefoot_base::exact::Rational;
use surefoot_base::model::{CHOSEN_NUMBER, Symbol, TypeId, TypeSet, Variable};
use surefoot_base::pddl::{Diagnostic, Numbers, Span, nearest};
use toml::Spanned;

use super::{MapResolver, span};
use crate::map::meaning::{Choices, InputColumn, MapColumn};
use crate::map::pattern::ColumnPattern;
use crate::map::{ChoicesMap, MapNumber, WordList};
use crate::names::{NUMBER_TYPE, is_name, stem_of_numbers};

/// A range has at most so many numbers: each is an object of every problem.
const MOST_CHOICES: usize = 10_000;

impl MapResolver<'_> {
    /// The columns that are inputs, each with a type of numbers. Comes after `objects`.
    pub(super) fn inputs(&mut self) -> Result<(), Diagnostic> {
        for (name, what) in &self.map.inputs {
            let (at, text) = (span(name), name.get_ref());
            let (column, of) = match what.get_ref().rsplit_once(" - ") {
                Some((column, of)) => (column.trim(), of.trim().to_owned()),
                None => (what.get_ref().trim(), format!("{text}{NUMBER_TYPE}")),
            };
            if !is_name(text) {
                let message = format!(
                    "`{text}` cannot be an input: a letter, then letters, digits, `-` and `_`"
                );
                return Err(self.error(at, message));
            }
            let named = self.map.objects.keys().map(|of| of.get_ref().as_str());
            if named
                .chain(self.columns.keys().copied())
                .any(|known| known == text && known != column)
            {
                let message =
                    format!("`{text}` is an input here, and names objects under `objects`");
                return Err(self.error(at, message).help("give the input another name"));
            }
            if let Some(other) = self.inputs.iter().find(|other| other.column.name == column) {
                let message = format!("`{column}` is the input `{}` already", other.name);
                return Err(self.error(span(what), message));
            }
            self.is_read_once(column, span(what))?;
            // The type is of chosen numbers and of nothing else.
            let is_shared = self.inputs.iter().any(|other| other.type_name == of);
            if !is_shared && self.signature.types.find(&of).is_some() {
                let message = format!("`{of}` is a type of objects, so no chosen number has it");
                let help = format!("name the type of the numbers: {text} = \"{column} - TYPE\"");
                return Err(self.error(span(what), message).help(help));
            }
            let id = self.declare(&of, span(what))?;
            let all = self.signature.types.declare(CHOSEN_NUMBER);
            self.signature.types.add_parent(id, all);
            let taken = |other: &&InputColumn| {
                other.of != id && stem_of_numbers(&other.type_name) == stem_of_numbers(&of)
            };
            if let Some(other) = self.inputs.iter().find(taken) {
                let message = format!(
                    "numbers of the types `{of}` and `{}` would have the same names",
                    other.type_name
                );
                return Err(self
                    .error(span(what), message)
                    .help("give one of the types another name"));
            }
            self.inputs.push(InputColumn {
                name: text.clone(),
                name_span: at,
                column: MapColumn { name: column.to_owned(), span: span(what) },
                of: id,
                type_name: of,
            });
        }
        Ok(())
    }

    /// A column that is an input is read in no other way.
    fn is_read_once(&self, column: &str, at: Span) -> Result<(), Diagnostic> {
        let map = self.map;
        let is = |word: &Spanned<String>| word.get_ref() == column;
        let reports = |listed: &indexmap::IndexMap<Spanned<String>, Spanned<WordList>>| {
            listed.keys().any(|key| {
                let pattern = ColumnPattern::read(key.get_ref());
                is(key) || pattern.is_ok_and(|pattern| pattern.matches(column).is_some())
            })
        };
        let status = map.status.as_ref();
        let roles = [
            (reports(&map.before), "the state before the row"),
            (reports(&map.after), "the state after the row"),
            (reports(&map.before_or_after), "the state before or after the row"),
            (self.columns.contains_key(column), "an object"),
            (is(&map.action), "the action"),
            (map.time.as_ref().is_some_and(is), "the time"),
            (
                map.episode
                    .as_ref()
                    .is_some_and(|words| words.get_ref().0.iter().any(|w| w == column)),
                "the episode",
            ),
            (status.is_some_and(|status| is(&status.column)), "the status"),
            (
                status.is_some_and(|status| {
                    status.chance.keys().any(is) || status.code.as_ref().is_some_and(is)
                }),
                "why a row failed",
            ),
        ];
        if let Some((_, role)) = roles.iter().find(|(reads, _)| *reads) {
            let message = format!(
                "`{column}` shows {role} elsewhere in the map, so it is not a number that is \
                 chosen before the step"
            );
            return Err(self.error(at, message));
        }
        if map.ignore.iter().any(is) {
            return Err(
                self.error(at, format!("`{column}` is an input, but stands under `ignore`"))
            );
        }
        Ok(())
    }

    /// The input that a word under [actions] is, by its name or its column.
    pub(super) fn input(&self, word: &str) -> Option<&InputColumn> {
        let by_name = self.inputs.iter().find(|input| input.name == word);
        by_name.or_else(|| self.inputs.iter().find(|input| input.column.name == word))
    }

    /// Nothing but their value is about chosen numbers.
    pub(super) fn no_input(
        &self,
        types: &[TypeId],
        fact: &str,
        at: Span,
    ) -> Result<(), Diagnostic> {
        match self.inputs.iter().find(|input| types.contains(&input.of)) {
            None => Ok(()),
            Some(input) => {
                let message = format!(
                    "`{fact}` would be about the input `{}`, a number that has only its value",
                    input.name
                );
                let help = "where the number is a code or a tariff that facts are about, list its \
                            column under `objects`";
                Err(self.error(at, message).help(help))
            }
        }
    }

    /// Each input is a parameter of some action. `used` are the columns of those that are.
    pub(super) fn all_used(&self, used: &BTreeSet<String>) -> Result<(), Diagnostic> {
        let Some(input) = self.inputs.iter().find(|input| !used.contains(&input.column.name))
        else {
            return Ok(());
        };
        let name = &input.name;
        let error = self.error(input.name_span, format!("no action has the input `{name}`"));
        Err(error.help(format!(
            "list it among the parameters of the actions whose rows have it, such as pay = \
             [\"fine\", \"{name}\"]; a row that only reports has no input"
        )))
    }

    /// Declares the value of chosen numbers, under a name that no fact has.
    pub(super) fn value_of_inputs(&mut self) -> Option<usize> {
        let of = self.inputs.first().and_then(|_| self.signature.types.find(CHOSEN_NUMBER))?;
        let numbered = (2..).map(|number| format!("value-{number}"));
        let is_free = |name: &String| {
            self.signature.functions.find(name).is_none()
                && self.signature.predicates.find(name).is_none()
        };
        let mut names = ["value".to_owned(), "chosen-value".to_owned()].into_iter().chain(numbered);
        let name = names.find(is_free)?;
        let number = Variable { name: "n".into(), types: TypeSet::either([of]) };
        let (Ok(index) | Err(index)) =
            self.signature.functions.insert(&name, Symbol { parameters: vec![number] });
        Some(index)
    }

    /// The numbers that a planner may choose.
    pub(super) fn choices(&self) -> Result<Vec<Choices>, Diagnostic> {
        let mut all: Vec<Choices> = Vec::new();
        for (name, what) in &self.map.choices {
            let Some(input) = self.inputs.iter().find(|input| input.name == *name.get_ref()) else {
                let error =
                    self.error(span(name), format!("the map has no input `{}`", name.get_ref()));
                let known = self.inputs.iter().map(|input| input.name.as_str());
                return Err(match nearest(name.get_ref(), known) {
                    Some(near) => error.help(format!("did you mean `{near}`?")),
                    None => {
                        error.help("`choices` says which numbers of an input a planner may choose")
                    }
                });
            };
            if all.iter().any(|other| other.of == input.of) {
                let message =
                    format!("the numbers of type `{}` have choices already", input.type_name);
                return Err(self.error(span(name), message));
            }
            let numbers = match what.get_ref() {
                ChoicesMap::List(numbers) => {
                    numbers.iter().map(|number| self.number(number)).collect::<Result<_, _>>()?
                }
                ChoicesMap::Range { from, to, step } => {
                    let ends = (self.number(from)?, self.number(to)?, self.number(step)?);
                    range(ends).map_err(|message| self.error(span(what), message))?
                }
            };
            all.push(Choices { of: input.of, numbers });
        }
        Ok(all)
    }

    /// A number of the map, exactly as it is written there.
    fn number(&self, number: &Spanned<MapNumber>) -> Result<Rational, Diagnostic> {
        let text = self.source.text().get(number.span()).unwrap_or_default();
        let read = Numbers::Exact.read(text);
        read.map_err(|error| self.error(span(number), format!("`{text}`: {error}")))
    }
}

/// The numbers from one to another, one step apart.
fn range((from, to, step): (Rational, Rational, Rational)) -> Result<BTreeSet<Rational>, String> {
    if step.signum() <= 0 {
        return Err("the step of a range is above zero".to_owned());
    }
    if from > to {
        return Err(format!("a range ends above its begin: from {from} to {to}"));
    }
    let mut numbers = BTreeSet::new();
    let mut next = from;
    while next <= to {
        if numbers.len() == MOST_CHOICES {
            return Err(format!(
                "this range has more than {MOST_CHOICES} numbers, each an object of every problem: \
                 take a larger step"
            ));
        }
        numbers.insert(next.clone());
        next = &next + &step;
    }
    Ok(numbers)
}
