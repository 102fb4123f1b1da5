//! Facts as a map writes them: `(at ?robot ?station)`, `(distance ?a - station ?b - station)`,
//! `(open ?door) if open|ajar`.

use surefoot_base::pddl::Numbers;

use crate::names::{alike, is_name, looks_empty};

/// A fact over variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapFact {
    /// The predicate or function.
    pub name: String,
    /// What it is applied to.
    pub variables: Vec<FactVariable>,
    /// With `if`: the words of a cell that make it true; every other word makes it false.
    pub words: Option<Vec<String>>,
}

/// A variable of a fact, with its type where the map says one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactVariable {
    /// Its name, without the question mark.
    pub name: String,
    /// The type of the variable.
    pub of: Option<String>,
}

/// How tables write yes, in whatever letter case.
const YES: [&str; 5] = ["true", "yes", "on", "1", "1.0"];
/// How they write no.
const NO: [&str; 5] = ["false", "no", "off", "0", "0.0"];
/// Of these, the words that mean nothing but yes or no: a column of them has no third word.
const PLAIN: [&str; 4] = ["true", "yes", "false", "no"];

impl MapFact {
    /// Reads a fact; the error says what is wrong with it.
    pub fn read(text: &str) -> Result<MapFact, String> {
        let text = text.trim();
        let (Some(rest), Some(close)) = (text.strip_prefix('('), text.find(')')) else {
            return Err(format!("expected a fact such as (battery ?robot), found `{text}`"));
        };
        let inside = rest.get(..close.saturating_sub(1)).unwrap_or("");
        let words = match text[close + 1..].trim() {
            "" => None,
            tail => match tail.strip_prefix("if ") {
                Some(words) => Some(words.split('|').map(|word| word.trim().to_owned()).collect()),
                None => {
                    return Err(format!("after a fact only `if WORD` may stand, found `{tail}`"));
                }
            },
        };
        let spaced = inside.replace('?', " ?");
        let mut parts = spaced.split_whitespace();
        let name = parts.next().unwrap_or("").to_owned();
        if !is_name(&name) {
            return Err(format!(
                "expected the name of a predicate or function after `(`, found `{name}`"
            ));
        }
        let mut variables: Vec<FactVariable> = Vec::new();
        while let Some(part) = parts.next() {
            match part.strip_prefix('?') {
                Some(variable) if is_name(variable) => {
                    if variables.iter().any(|known| known.name == variable) {
                        return Err(format!("?{variable} is in one fact twice"));
                    }
                    variables.push(FactVariable { name: variable.to_owned(), of: None });
                }
                None if part == "-" => {
                    let of =
                        parts.next().filter(|of| is_name(of)).ok_or("expected a type after `-`")?;
                    // As in PDDL: a type is that of all variables before it that have none.
                    let untyped =
                        variables.iter_mut().rev().take_while(|variable| variable.of.is_none());
                    let count = untyped.map(|variable| variable.of = Some(of.to_owned())).count();
                    if count == 0 {
                        return Err(format!("`- {of}` follows no variable"));
                    }
                }
                _ => return Err(format!("expected a variable such as ?robot, found `{part}`")),
            }
        }
        Ok(MapFact { name, variables, words })
    }

    /// Reads a fact with no `if`.
    pub fn plain(text: &str) -> Result<MapFact, String> {
        match MapFact::read(text)? {
            MapFact { words: Some(_), .. } => Err("`if` does not belong here".into()),
            fact => Ok(fact),
        }
    }
}

/// Yes or no, where a word is one of either.
pub fn yes_or_no(word: &str) -> Option<bool> {
    if YES.iter().any(|known| known.eq_ignore_ascii_case(word)) {
        Some(true)
    } else if NO.iter().any(|known| known.eq_ignore_ascii_case(word)) {
        Some(false)
    } else {
        None
    }
}

/// What the words of a flag ask for, where all of them mean yes, or all mean no.
pub fn asks(words: &[String]) -> Option<bool> {
    let (first, rest) = words.split_first()?;
    yes_or_no(first).filter(|&wanted| rest.iter().all(|word| yes_or_no(word) == Some(wanted)))
}

/// What the words of a flag ask for, where they make it a question of yes or no: `true`, `yes`,
/// `false` or `no` is among them.
pub fn yes_or_no_of(words: &[String]) -> Option<bool> {
    asks(words).filter(|_| {
        words.iter().any(|word| PLAIN.iter().any(|plain| plain.eq_ignore_ascii_case(word)))
    })
}

/// Whether a cell makes a flag true.
///
/// Where the words make it a question of yes or no, every word for yes or no is an answer.
/// Otherwise a word is to be met as it is written, or as an equal number. A cell that only looks
/// like a word, or may mean the same, would make the fact false in silence, so it is an error.
///
/// # Errors
/// What is wrong with the cell, or with the map.
pub fn truth(words: &[String], cell: &str) -> Result<bool, String> {
    if let (false, Some(message)) = (words.iter().any(|word| word == cell), looks_empty(cell)) {
        return Err(message);
    }
    if let Some(wanted) = yes_or_no_of(words) {
        let said =
            yes_or_no(cell).ok_or("expected yes or no: true, false, 1, 0, yes, no, on, off")?;
        return Ok(said == wanted);
    }
    if words.iter().any(|word| word == cell || is_same_number(word, cell)) {
        return Ok(true);
    }
    if let Some(said) = yes_or_no(cell)
        && let Some(word) = words.iter().find(|word| yes_or_no(word) == Some(said))
    {
        let plain = if said { "true" } else { "false" };
        return Err(format!(
            "the map says `{word}`, the cell says `{cell}`: write `if {plain}` if they mean the \
             same; if not, give the cell another name \
             with `names`"
        ));
    }
    otherwise_spelled(words, cell).map_or(Ok(false), Err)
}

/// A complaint about a cell that is not a word of the map, but looks like one.
pub fn otherwise_spelled<'w>(
    words: impl IntoIterator<Item = &'w String>,
    cell: &str,
) -> Option<String> {
    if cell.is_empty() {
        return None;
    }
    let key = alike(cell);
    let word =
        words.into_iter().find(|word| !word.is_empty() && *word != "*" && alike(word) == key)?;
    Some(format!(
        "the map says `{word}`, the cell says `{cell}`: write it in the map as the log does"
    ))
}

fn is_same_number(one: &str, other: &str) -> bool {
    Numbers::Exact
        .read(one)
        .is_ok_and(|one| Numbers::Exact.read(other).is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_as_people_write_them() {
        let fact = MapFact::read(" (distance ?a ?b - station) ").unwrap();
        let of: Vec<_> = fact
            .variables
            .iter()
            .map(|variable| (variable.name.as_str(), variable.of.as_deref()))
            .collect();
        assert_eq!(of, [("a", Some("station")), ("b", Some("station"))]);
        let flag = MapFact::read("(open ?door) if open | ajar").unwrap();
        assert_eq!(flag.words.unwrap(), ["open", "ajar"]);
        assert!(MapFact::read("(total)").unwrap().variables.is_empty());
    }

    #[test]
    fn what_is_no_fact_is_refused() {
        for text in [
            "",
            "battery",
            "(",
            ")",
            "()",
            "(a b)",
            "(a ?)",
            "(a ?x",
            "(a ?x) when true",
            "(a ?x ?x)",
            "(a - t)",
            "(a ?x -)",
        ] {
            assert!(MapFact::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn yes_and_no() {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        for yes in ["true", "True", "TRUE", "yes", "Yes", "on", "ON", "1", "1.0"] {
            for no in ["false", "False", "no", "NO", "off", "0", "0.0"] {
                let both = |word: &str| (truth(&words(&[word]), yes), truth(&words(&[word]), no));
                for word in ["true", "YES", "True"] {
                    assert_eq!(both(word), (Ok(true), Ok(false)), "{word}: {yes}, {no}");
                }
                for word in ["false", "no"] {
                    assert_eq!(both(word), (Ok(false), Ok(true)), "{word}: {yes}, {no}");
                }
            }
        }
        // Gears may be called off, 0, 1 and 2: only what makes it a question of yes or no is one.
        for (word, same) in [("0", "0.0"), ("1", "1"), ("1.0", "1"), ("on", "on"), ("off", "off")] {
            assert_eq!(truth(&words(&[word]), same), Ok(true), "{word}");
            assert_eq!(truth(&words(&[word]), "2"), Ok(false), "{word}");
        }
        assert!(truth(&words(&["0"]), "off").unwrap_err().contains("`if false`"));
        assert!(truth(&words(&["on"]), "1").unwrap_err().contains("`if true`"));
        assert_eq!(truth(&words(&["0"]), "on"), Ok(false));
        assert!(truth(&words(&["True"]), "maybe").is_err());
        assert_eq!(truth(&words(&["on"]), "standby"), Ok(false));
        let open = words(&["open", "ajar"]);
        assert_eq!((truth(&open, "ajar"), truth(&open, "shut")), (Ok(true), Ok(false)));
        assert!(
            truth(&open, "Open").unwrap_err().contains("the map says `open`, the cell says `Open`")
        );
        assert!(truth(&words(&["grün"]), "GRÜN").is_err());
    }
}
