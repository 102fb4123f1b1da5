//! Words of a map that a log should have: one that no cell has is probably not the right one.
//!
//! A flag whose word never comes is false from the first row to the last. Nothing in the log
//! contradicts that, and a model that needs it to be false would be learned; so somebody has to be
//! told.

use std::collections::BTreeSet;

use serde::Serialize;
use surefoot_base::pddl::visible;

use crate::map::fact::{truth, yes_or_no, yes_or_no_of};
use crate::map::{CellMeaning, Meaning};

/// The words of other cells that a message shows.
const SHOWN: usize = 8;

/// The first of some words, for a message.
pub(crate) fn some_of(words: &[&str]) -> String {
    let more = if words.len() > SHOWN { ", …" } else { "" };
    let shown = &words[..words.len().min(SHOWN)];
    visible(&format!("{}{more}", shown.join(", "))).into_owned()
}

/// Something in a map that is probably not meant, though nothing in the log contradicts it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Doubt {
    /// What it is, in words.
    pub text: String,
    /// Whether what is learned would be wrong if the map is.
    pub is_grave: bool,
}

/// Words that are looked for in cells, and what was found instead.
#[derive(Clone, Debug)]
pub(crate) struct ExpectedWords {
    /// How a message begins: `no cell of column light`.
    place: String,
    words: Vec<String>,
    /// What it means that no word comes.
    so: String,
    /// By word: whether a cell has it.
    met: Vec<bool>,
    /// Whether the words mean yes, or no: then one of either is enough to see that they are right.
    is_plain: bool,
    is_grave: bool,
    others: BTreeSet<Box<str>>,
}

impl ExpectedWords {
    pub fn new(place: String, words: &[String], so: String) -> ExpectedWords {
        // `*` is every word, and the empty word the empty cell.
        let words: Vec<String> =
            words.iter().filter(|word| !word.is_empty() && *word != "*").cloned().collect();
        let met = vec![false; words.len()];
        ExpectedWords {
            place,
            words,
            so,
            met,
            is_plain: false,
            is_grave: false,
            others: BTreeSet::new(),
        }
    }

    /// The words of a flag; `None` of any other fact.
    pub fn flag(meaning: &Meaning, kind: &CellMeaning, place: String) -> Option<ExpectedWords> {
        let CellMeaning::Flag(predicate, words) = kind else { return None };
        let signature = &meaning.domain.signature;
        let variables = signature
            .predicate(*predicate)
            .parameters
            .iter()
            .map(|variable| format!(" ?{}", variable.name));
        let fact = format!(
            "({}{})",
            signature.predicates.name(predicate.index()),
            variables.collect::<String>()
        );
        let mut expected = ExpectedWords::new(place, words, format!(", so {fact} is never true"));
        expected.is_plain = yes_or_no_of(words).is_some();
        expected.is_grave = true;
        Some(expected)
    }

    /// Looks at the word of a cell; empty where the cell is.
    pub fn hear(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.is_plain && yes_or_no(text).is_some() {
            self.met.fill(true);
        } else if let Some(place) =
            self.words.iter().position(|word| truth(std::slice::from_ref(word), text) == Ok(true))
        {
            self.met[place] = true;
        } else if self.others.len() <= SHOWN && !self.others.contains(text) {
            self.others.insert(text.into());
        }
    }

    /// What is to be doubted. Where all cells are empty nothing is: what they would say is unknown.
    pub fn doubt(&self) -> Option<Doubt> {
        let is_met = self.met.contains(&true);
        let missed = self
            .words
            .iter()
            .zip(&self.met)
            .filter(|(_, met)| !**met)
            .map(|(word, _)| word.as_str());
        let missed: Vec<&str> = missed.collect();
        if missed.is_empty() || !is_met && self.others.is_empty() {
            return None;
        }
        let so = if is_met { "" } else { self.so.as_str() };
        let there: Vec<&str> = self.others.iter().map(|word| &**word).collect();
        let others = if there.is_empty() {
            String::new()
        } else {
            format!(" Others are {}", some_of(&there))
        };
        let text = format!(
            "{} is `{}`{so}: is the word right?{others}",
            self.place,
            missed.join("` or `")
        );
        Some(Doubt { text: visible(&text).into_owned(), is_grave: self.is_grave && !is_met })
    }
}
