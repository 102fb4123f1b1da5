//! Says what is wrong with an action.

use std::collections::BTreeSet;

use super::bindings::BindingPattern;
use super::linear::NumberRow;
use super::rays::NoRays;
use super::vocabulary::{ActionVocabulary, FunctionProduct, RowColumns};
use super::{Obligation, RejectionReason};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Action, Condition, Effect, ObjectId, Objects};
use surefoot_base::pddl::Writer;

/// Whether words such as `day.csv:12, (pick r i) does not fit the other steps of pick.` are about
/// this record and nothing else: they begin with its line of the file of that name, in whichever
/// folder the file is, and are one sentence.
pub(super) fn names_record(words: &str, place: &str, call: &str) -> bool {
    let file = place.rsplit(['/', '\\']).next().unwrap_or(place);
    let folder = &place[..place.len() - file.len()];
    // A folder, as it was typed; elsewhere it is another one, without room for other words.
    let is_folder = |said: &str| {
        said == folder
            || said.is_empty()
            || said.ends_with(['/', '\\']) && !said.contains(char::is_whitespace)
    };
    let is_about = |said: &str| {
        let names = said.get(..call.len()).is_some_and(|name| name.eq_ignore_ascii_case(call));
        let is_sentence = |rest: &str| rest.starts_with([' ', ':', ',']) && !rest.contains(". ");
        names && is_sentence(&said[call.len()..])
    };
    let begin = format!("{file}, ");
    words
        .match_indices(&begin)
        .any(|(at, _)| is_folder(&words[..at]) && is_about(&words[at + begin.len()..]))
}

/// Collects reasons about one action.
pub(super) struct Reasons<'a> {
    pub(super) action: &'a Action,
    pub(super) name: &'a str,
    pub(super) vocabulary: &'a ActionVocabulary,
    pub(super) constants: &'a Objects,
    pub(super) writer: Writer<'a>,
    pub(super) reasons: BTreeSet<RejectionReason>,
}

/// Where there is more to say than this of one kind, it is not said.
const MAX_REASONS: usize = 200;

impl Reasons<'_> {
    pub(super) fn push(&mut self, kind: Obligation, what: impl Into<String>) {
        if self.reasons.iter().filter(|reason| reason.kind == kind).count() < MAX_REASONS {
            self.reasons.insert(RejectionReason {
                action: Some(self.name.to_owned()),
                kind,
                what: what.into(),
            });
        }
    }

    pub(super) fn condition(&mut self, condition: &Condition) -> String {
        self.writer.condition(condition)
    }

    pub(super) fn foreign_effect(&mut self, effect: &Effect) {
        let effect = self.writer.effect(effect);
        self.push(Obligation::Unverifiable, format!("the effect {effect} is not of the class"));
    }

    pub(super) fn no_rays(&mut self, none: NoRays) {
        match none {
            NoRays::TooMany => {
                self.push(Obligation::Unverifiable, "its monotone marks allow too many directions")
            }
            NoRays::Undefined(function, column) => {
                let (function, column) = (self.function(function), self.monomial(&column));
                self.push(
                    Obligation::Certificate,
                    format!("the mark of {function} means nothing for {column}"),
                );
            }
        }
    }

    pub(super) fn atom(&self, atom: u32) -> String {
        self.vocabulary
            .atoms
            .get(atom as usize)
            .map_or_else(String::new, |atom| self.writer.atom(atom))
    }

    pub(super) fn function(&self, function: usize) -> String {
        self.vocabulary
            .functions
            .get(function)
            .map_or_else(String::new, |function| self.writer.function(function))
    }

    pub(super) fn monomial(&self, monomial: &FunctionProduct) -> String {
        let names: Vec<String> = monomial.iter().map(|&function| self.function(function)).collect();
        if names.len() == 1 { names.concat() } else { format!("(* {})", names.join(" ")) }
    }

    /// `2 (fuel ?t) - (load ?t) + 3`
    pub(super) fn row(&self, columns: &RowColumns, row: &NumberRow) -> String {
        let mut text = String::new();
        let constant =
            row.first().filter(|value| !value.is_zero()).map(|value| (value, String::new()));
        let terms =
            columns.all.iter().zip(row.iter().skip(1)).filter(|(_, value)| !value.is_zero());
        for (value, name) in
            terms.map(|(column, value)| (value, self.monomial(column))).chain(constant)
        {
            let sign = match (value.signum() < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            let size = value.abs();
            text += sign;
            text += &match (size == Rational::ONE, name.is_empty()) {
                (true, false) => name,
                (_, true) => size.to_string(),
                (false, false) => format!("{size} {name}"),
            };
        }
        if text.is_empty() { "0".into() } else { text }
    }

    /// `(fuel ?t) = 3, (load ?t) = 4`
    pub(super) fn point(&self, columns: &RowColumns, point: &NumberRow) -> String {
        let values = columns.all.iter().zip(point.iter().skip(1));
        values
            .map(|(column, value)| format!("{} = {value}", self.monomial(column)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// `, with ?a = ?b`, if terms are the same object.
    pub(super) fn binding(&self, binding: &BindingPattern) -> String {
        let equal = binding.iter().enumerate().filter(|(slot, place)| *slot != **place);
        let equal: Vec<String> = equal
            .map(|(slot, place)| format!("{} = {}", self.place(slot), self.place(*place)))
            .collect();
        if equal.is_empty() { String::new() } else { format!(", with {}", equal.join(" and ")) }
    }

    /// The parameter or constant at a place of a binding.
    fn place(&self, place: usize) -> String {
        let parameters = &self.action.parameters;
        match parameters.get(place) {
            Some(parameter) => format!("?{}", parameter.name),
            None => self.constants.name(ObjectId::from(place - parameters.len())).to_owned(),
        }
    }
}
