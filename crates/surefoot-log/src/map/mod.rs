//! What the columns of a log mean: a short TOML file.
//!
//! The file is read in two steps. [`MapFile`] has the text of the file, word by word, with its
//! places. [`Meaning`] has what it means: a PDDL domain, and for every kind of row how it becomes
//! facts and steps. The meaning depends on the map alone, so all logs of one map have the same
//! domain. Whether a log has the columns that the map names is verified when its table is opened.

pub mod fact;
mod meaning;
pub mod pattern;
mod resolve;

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use surefoot_base::pddl::{Diagnostic, Source, Span, visible};
use toml::Spanned;

pub use meaning::{
    ActionRule, Argument, ArgumentSources, AttemptOutcome, CellMeaning, CellReport, Choices,
    DeclaredEffect, Empty, FactTemplate, InputColumn, MapColumn, Meaning, Meant, Parameter,
    PredicateRole, ReadingsMeaning, SplitAction, Static, StaticFact, StatusColumns, SymbolKey,
};

/// The variable that is the cell itself, unless the map names a column of this name.
pub const CELL: &str = "cell";

/// One or several words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WordList(pub Vec<String>);

/// The map as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MapFile {
    /// The name of the domain; without it, that of the file.
    pub domain: Option<Spanned<String>>,
    /// The column that says when.
    pub time: Option<Spanned<String>>,
    /// The columns that identify episodes.
    #[serde(default)]
    pub episode: Option<Spanned<WordList>>,
    /// The column that names the action.
    pub action: Spanned<String>,
    /// Which rows are attempts that worked, and which are attempts that failed.
    pub status: Option<StatusMap>,
    /// Columns that are of no interest.
    #[serde(default)]
    pub ignore: Vec<Spanned<String>>,
    /// By type: the columns whose cells name objects of it.
    #[serde(default)]
    pub objects: IndexMap<Spanned<String>, Spanned<WordList>>,
    /// By name: the column with numbers that whoever acts chooses before the step.
    #[serde(default)]
    pub inputs: IndexMap<Spanned<String>, Spanned<String>>,
    /// By name of an input: the numbers that a planner may choose; without it, the recorded ones.
    #[serde(default)]
    pub choices: IndexMap<Spanned<String>, Spanned<ChoicesMap>>,
    /// Types whose objects get the type's name in front.
    #[serde(default)]
    pub qualified: Vec<Spanned<String>>,
    /// By word: the word that it stands for, wherever it is met.
    #[serde(default)]
    pub names: IndexMap<Spanned<String>, Spanned<String>>,
    /// By column: the facts it shows as they were before the step.
    #[serde(default)]
    pub before: IndexMap<Spanned<String>, Spanned<WordList>>,
    /// By column: the facts it shows as they are after the step.
    #[serde(default)]
    pub after: IndexMap<Spanned<String>, Spanned<WordList>>,
    /// By column: facts for which it is still a question whether they are as before the step or as
    /// after it. A map with such a question is refused.
    #[serde(default)]
    pub before_or_after: IndexMap<Spanned<String>, Spanned<WordList>>,
    /// By name: a question that the log leaves undetermined. A map with a question is refused.
    #[serde(default)]
    pub undecided: IndexMap<Spanned<String>, Spanned<String>>,
    /// By column (`*`: all): what an empty cell means.
    #[serde(default)]
    pub empty: IndexMap<Spanned<String>, Spanned<String>>,
    /// Predicates and functions about which the log says everything: what it does not say is false,
    /// or undefined.
    #[serde(default)]
    pub complete: Vec<Spanned<String>>,
    /// By word of the action column: the parameters, and where they come from; or `"report"`.
    pub actions: IndexMap<Spanned<String>, Spanned<ActionMap>>,
    /// By fact: from which actions on it is true, and until which. The log does not record it.
    #[serde(default)]
    pub declared: IndexMap<Spanned<String>, Spanned<DeclaredMap>>,
    /// By word of the action column: the tests that split the states in which it behaves
    /// differently.
    #[serde(default)]
    pub split: IndexMap<Spanned<String>, Spanned<SplitMap>>,
    /// A second table with readings: an object, an attribute, a value and a time in each row.
    pub values: Option<ValuesMap>,
    /// By file: what never changes, and how episodes begin.
    #[serde(default, rename = "static")]
    pub statics: IndexMap<Spanned<String>, IndexMap<Spanned<String>, Spanned<WordList>>>,
}

/// Which rows are attempts that worked, and which are attempts that failed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusMap {
    /// The column with the status.
    pub column: Spanned<String>,
    /// Its words for what worked; `*`: every other word.
    pub ok: Spanned<WordList>,
    /// Its words for what failed; `*`: every other word.
    #[serde(default)]
    pub failed: Option<Spanned<WordList>>,
    /// By column: words for what failed, or worked, by chance. Such a row counts neither way.
    #[serde(default)]
    pub chance: IndexMap<Spanned<String>, Spanned<WordList>>,
    /// The column that says why something failed. Nothing is learned from it; messages quote it.
    #[serde(default)]
    pub code: Option<Spanned<String>>,
}

/// A table of readings: an object, an attribute, a value and a time in each row.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ValuesMap {
    /// The column that says of what.
    pub object: Spanned<String>,
    /// The column that says which attribute.
    pub attribute: Spanned<String>,
    /// The column that says its value.
    pub value: Spanned<String>,
    /// The column that says when; without it, that of the events.
    pub time: Option<Spanned<String>>,
    /// Whether every change is in the table (`changes`), or now and then a value (`samples`).
    pub logged: Spanned<String>,
    /// Whether a reading of the time of an event is of the state `after` it, which is the usual, or
    /// `before`.
    pub same_time: Option<Spanned<String>>,
    /// By attribute: the fact that it is.
    pub facts: IndexMap<Spanned<String>, Spanned<String>>,
}

/// What a word of the action column means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ActionMap {
    /// `"report"`: the row only says how things are.
    Word(String),
    /// The columns that the parameters are read from.
    Columns(Vec<String>),
    /// Parameters, each with where it is read from.
    Parameters(IndexMap<String, String>),
}

/// The tests that split the states of an action.
#[derive(Clone, Debug)]
pub enum SplitMap {
    /// One cut: the states where it holds, and the others.
    Cut(String),
    /// Several cuts, or the parts themselves.
    List(Vec<Spanned<SplitItem>>),
}

/// A cut, or the tests of one part.
#[derive(Clone, Debug)]
pub enum SplitItem {
    /// A cut.
    Cut(String),
    /// All tests of a part.
    Part(Vec<Spanned<String>>),
}

/// The numbers of an input that a planner may choose.
#[derive(Clone, Debug)]
pub enum ChoicesMap {
    /// These numbers, one by one.
    List(Vec<Spanned<MapNumber>>),
    /// Those from one number to another, one step apart.
    Range {
        /// The smallest number of the range.
        from: Spanned<MapNumber>,
        /// What none is above.
        to: Spanned<MapNumber>,
        /// How far apart they are.
        step: Spanned<MapNumber>,
    },
}

/// A number of a map. Its text stands in the map, where it is exact.
#[derive(Clone, Copy, Debug)]
pub struct MapNumber;

/// From which actions on a fact is true, and until which.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredMap {
    /// The actions that make it true.
    #[serde(default)]
    pub from: WordList,
    /// The actions that make it false.
    #[serde(default)]
    pub until: WordList,
    /// What it is at the start of each episode; without it, that is unknown.
    #[serde(default)]
    pub start: Option<bool>,
}

impl MapFile {
    /// Reads a map from TOML, without looking at a log.
    ///
    /// # Errors
    /// It is not TOML, or has keys that a map does not have.
    pub fn read(source: &Source) -> Result<MapFile, Diagnostic> {
        toml::from_str(source.text()).map_err(|error| {
            let span = error.span().map_or_else(|| source.span_at(0), Span::from);
            source.error(error.message().to_owned(), span)
        })
    }

    /// Whether nothing is left to be decided by a person.
    ///
    /// # Errors
    /// Names every question that is still in the map, and where the first one is.
    fn is_decided(&self, source: &Source) -> Result<(), Diagnostic> {
        if let Some((name, question)) = self.undecided.first() {
            let names: Vec<String> = self
                .undecided
                .keys()
                .map(|name| format!("`{}`", visible(name.get_ref())))
                .collect();
            let message = match names.len() {
                1 => format!(
                    "the map leaves {} undecided: {}",
                    names[0],
                    visible(question.get_ref())
                ),
                count => format!(
                    "the map leaves {count} questions undecided: {}. The first is: {}",
                    names.join(", "),
                    visible(question.get_ref())
                ),
            };
            let help = "change the map to what is true of your log, then delete the answered \
                        question from `undecided`";
            return Err(source.error(message, Span::from(name.span())).help(help));
        }
        match self.before_or_after.first() {
            None => Ok(()),
            Some((column, _)) => Err(source
                .error(
                    format!(
                        "the map leaves undecided whether `{}` shows the state before or after the \
                         action of its row",
                        visible(column.get_ref())
                    ),
                    Span::from(column.span()),
                )
                .help(
                    "rename [before-or-after] to [before] or to [after], or move its lines there",
                )),
        }
    }
}

impl<'de> Deserialize<'de> for WordList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = WordList;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a word in quotes, or a list of them")
            }

            fn visit_str<E>(self, word: &str) -> Result<WordList, E> {
                Ok(WordList(vec![word.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<WordList, A::Error> {
                let mut words = Vec::new();
                while let Some(word) = sequence.next_element()? {
                    words.push(word);
                }
                Ok(WordList(words))
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

impl<'de> Deserialize<'de> for MapNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyNumber;
        impl Visitor<'_> for AnyNumber {
            type Value = MapNumber;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E>(self, _: i64) -> Result<MapNumber, E> {
                Ok(MapNumber)
            }

            fn visit_f64<E>(self, _: f64) -> Result<MapNumber, E> {
                Ok(MapNumber)
            }
        }
        deserializer.deserialize_any(AnyNumber)
    }
}

impl<'de> Deserialize<'de> for ChoicesMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrRange;
        impl<'de> Visitor<'de> for ListOrRange {
            type Value = ChoicesMap;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of numbers, or { from = NUMBER, to = NUMBER, step = NUMBER }")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<ChoicesMap, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = sequence.next_element()? {
                    numbers.push(number);
                }
                Ok(ChoicesMap::List(numbers))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ChoicesMap, A::Error> {
                const KEYS: [&str; 3] = ["from", "to", "step"];
                let mut found: [Option<Spanned<MapNumber>>; 3] = [None, None, None];
                while let Some(key) = map.next_key::<String>()? {
                    match KEYS.iter().position(|known| *known == key) {
                        Some(place) => found[place] = Some(map.next_value()?),
                        None => return Err(serde::de::Error::unknown_field(&key, &KEYS)),
                    }
                }
                match found {
                    [Some(from), Some(to), Some(step)] => Ok(ChoicesMap::Range { from, to, step }),
                    _ => Err(serde::de::Error::custom(
                        "a range of numbers has `from`, `to` and `step`",
                    )),
                }
            }
        }
        deserializer.deserialize_any(ListOrRange)
    }
}

impl<'de> Deserialize<'de> for SplitMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CutOrList;
        impl<'de> Visitor<'de> for CutOrList {
            type Value = SplitMap;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a test such as \"battery <= 70\", or a list of them")
            }

            fn visit_str<E>(self, text: &str) -> Result<SplitMap, E> {
                Ok(SplitMap::Cut(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<SplitMap, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = sequence.next_element()? {
                    items.push(item);
                }
                Ok(SplitMap::List(items))
            }
        }
        deserializer.deserialize_any(CutOrList)
    }
}

impl<'de> Deserialize<'de> for SplitItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CutOrPart;
        impl<'de> Visitor<'de> for CutOrPart {
            type Value = SplitItem;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a test such as \"battery <= 70\", or the list of all tests of a part")
            }

            fn visit_str<E>(self, text: &str) -> Result<SplitItem, E> {
                Ok(SplitItem::Cut(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<SplitItem, A::Error> {
                let mut tests = Vec::new();
                while let Some(test) = sequence.next_element()? {
                    tests.push(test);
                }
                Ok(SplitItem::Part(tests))
            }
        }
        deserializer.deserialize_any(CutOrPart)
    }
}

impl<'de> Deserialize<'de> for ActionMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = ActionMap;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("\"report\", a list of columns, or parameters with their columns")
            }

            fn visit_str<E>(self, word: &str) -> Result<ActionMap, E> {
                Ok(ActionMap::Word(word.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<ActionMap, A::Error> {
                let mut columns = Vec::new();
                while let Some(column) = sequence.next_element()? {
                    columns.push(column);
                }
                Ok(ActionMap::Columns(columns))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ActionMap, A::Error> {
                let mut parameters = IndexMap::new();
                while let Some((name, from)) = map.next_entry()? {
                    parameters.insert(name, from);
                }
                Ok(ActionMap::Parameters(parameters))
            }
        }
        deserializer.deserialize_any(Any)
    }
}
