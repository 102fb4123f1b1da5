//! Maps and lists that options and configurations name: files of JSON, and texts with a sentence a
//! line.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use anyhow::Result;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use surefoot_base::assumptions::{
    ErrorBound, ErrorMap, FactDeclarations, Monotone, MonotoneMap, RelevantMap,
};
use surefoot_base::parts::{DeclaredParts, FindParts, PartsMap};

use crate::input;
use crate::output::shown_path;
use crate::streams::is_standard;

/// A JSON object in which no key stands twice: where one does, nobody can tell which of the two was
/// meant.
struct Unique<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Unique<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor(PhantomData))
    }
}

struct UniqueVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueVisitor<T> {
    type Value = Unique<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique<T>, A::Error> {
        let mut unique = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            match unique.entry(key) {
                Entry::Occupied(taken) => {
                    return Err(Error::custom(format!(
                        "the key {:?} stands there twice",
                        taken.key()
                    )));
                }
                Entry::Vacant(free) => free.insert(map.next_value()?),
            };
        }
        Ok(Unique(unique))
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let source = input::source(path)?;
    Ok(serde_json::from_str(source.text())
        .map_err(|error| input::wrong_json(&source, "this is not such a file", &error))?)
}

/// A file of relevant functions: `{"drive": ["(fuel ?t)", "(* (a ?x) (b ?y))"], "walk": []}`
pub fn relevant(path: &Path) -> Result<RelevantMap> {
    let Unique(map) = read(path)?;
    Ok(map)
}

/// A file of parts: `{"charge": "(<= (battery ?r) 70)"}`
pub fn parts(path: &Path) -> Result<PartsMap> {
    if !is_standard(path) && !path.exists() {
        anyhow::bail!(
            "--parts {}: expected the word {}, or a file with a map of tests; there is no such \
             file",
            shown_word(&path.to_string_lossy()),
            FindParts::WORD
        );
    }
    let Unique::<DeclaredParts>(map) = read(path)?;
    let counted = |parts: &DeclaredParts| matches!(parts, DeclaredParts::Found(_));
    if let Some((action, _)) = map.iter().find(|(_, parts)| counted(parts)) {
        anyhow::bail!(
            "{}: {action}: parts are tests, or the word {}; nobody declares counts of what was \
             found",
            shown_path(path),
            FindParts::WORD
        );
    }
    Ok(map)
}

/// A file of marks: `{"*": {"(fuel ?a)": "more"}, "turn_to": {"(fuel-used)": "any"}}`
pub fn monotone(path: &Path) -> Result<MonotoneMap> {
    let Unique::<Unique<Monotone>>(map) = read(path)?;
    Ok(map.into_iter().map(|(name, Unique(marks))| (name, marks)).collect())
}

/// Whether a text is meant as a number and not as the name of a file.
pub fn is_number(text: &str) -> bool {
    ErrorBound::read(text.trim_start_matches('-')).is_some() || text.parse::<f64>().is_ok()
}

/// A number, or a file of errors: `{"battery": 0.1, "(level ?t)": "1e-9", "*": 0}`. Numbers are
/// exactly what is written.
pub fn errors(text: &str) -> Result<ErrorMap> {
    if is_number(text) {
        let bound = error_bound(text).map_err(|why| anyhow::anyhow!("--error {text}: {why}"))?;
        return Ok(ErrorMap::from([(ErrorBound::OTHERS.to_owned(), bound)]));
    }
    let path = Path::new(text);
    if !is_standard(path) && !path.exists() {
        anyhow::bail!(
            "--error {}: expected a number such as 0.2, or a file with a map of them; this is no \
             number, and there is no such file",
            shown_word(text)
        );
    }
    let Unique::<Box<RawValue>>(map) = read(path)?;
    let mut bounds = Vec::new();
    for (name, value) in map {
        let word =
            serde_json::from_str::<String>(value.get()).unwrap_or_else(|_| value.get().to_owned());
        let bound = error_bound(&word)
            .map_err(|why| anyhow::anyhow!("{}: {name}: {why}", shown_path(path)))?;
        bounds.push((name, bound));
    }
    Ok(bounds.into_iter().collect())
}

/// How far a recorded value may be from the true one, or why that makes no sense.
fn error_bound(word: &str) -> Result<ErrorBound, String> {
    if let Some(bound) = ErrorBound::read(word) {
        return Ok(bound);
    }
    let what = if ErrorBound::read(word.trim().trim_start_matches('-')).is_some() {
        "an error says how far apart two numbers may be, so it is not below zero"
    } else {
        "expected a number such as 0.05, 1e-9 or \"1/3\""
    };
    Err(format!("{what}, found {}", shown_word(word)))
}

/// A word as it stands in a message.
fn shown_word(word: &str) -> String {
    const SHOWN: usize = 40;
    if word.chars().count() > SHOWN {
        word.chars().take(SHOWN).chain(['…']).collect()
    } else {
        word.to_owned()
    }
}

/// A text with a sentence a line.
pub fn sentences(path: &Path) -> Result<Vec<String>> {
    let source = input::source(path)?;
    let lines = source.text().lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// A file of declared facts: `{"(holds ?r ?i)": {"from": ["pick"], "until": ["place"]}}`
pub fn declared(path: &Path) -> Result<FactDeclarations> {
    let Unique(map) = read(path)?;
    Ok(map)
}
