//! Facts as a map writes them: `(at ?robot ?station)`, `(distance ?a - station ?b - station)`, `(open ?door) if open|ajar`.

use crate::names::is_name;

/// A fact over variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
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
    /// Its type.
    pub of: Option<String>,
}

/// What is true of a flag: how tables write yes.
const YES: [&str; 8] = ["true", "True", "TRUE", "1", "yes", "Yes", "YES", "on"];
/// How they write no.
const NO: [&str; 8] = ["false", "False", "FALSE", "0", "no", "No", "NO", "off"];

impl Fact {
    /// Reads a fact; the error says what is wrong with it.
    pub fn read(text: &str) -> Result<Fact, String> {
        let text = text.trim();
        let (Some(rest), Some(close)) = (text.strip_prefix('('), text.find(')')) else {
            return Err(format!("expected a fact such as (battery ?robot), found `{text}`"));
        };
        let inside = rest.get(..close.saturating_sub(1)).unwrap_or("");
        let words = match text[close + 1..].trim() {
            "" => None,
            tail => match tail.strip_prefix("if ") {
                Some(words) => Some(words.split('|').map(|word| word.trim().to_owned()).collect()),
                None => return Err(format!("after a fact only `if WORD` may stand, found `{tail}`")),
            },
        };
        let spaced = inside.replace('?', " ?");
        let mut parts = spaced.split_whitespace();
        let name = parts.next().unwrap_or("").to_owned();
        if !is_name(&name) {
            return Err(format!("expected the name of a predicate or function after `(`, found `{name}`"));
        }
        let mut variables: Vec<FactVariable> = Vec::new();
        while let Some(part) = parts.next() {
            match part.strip_prefix('?') {
                Some(variable) if is_name(variable) => {
                    if variables.iter().any(|known| known.name == variable) {
                        return Err(format!("?{variable} stands in one fact twice"));
                    }
                    variables.push(FactVariable { name: variable.to_owned(), of: None });
                }
                None if part == "-" => {
                    let of = parts.next().filter(|of| is_name(of)).ok_or("expected a type after `-`")?;
                    // As in PDDL: a type is that of all variables before it that have none.
                    let untyped = variables.iter_mut().rev().take_while(|variable| variable.of.is_none());
                    let count = untyped.map(|variable| variable.of = Some(of.to_owned())).count();
                    if count == 0 {
                        return Err(format!("`- {of}` stands after no variable"));
                    }
                }
                _ => return Err(format!("expected a variable such as ?robot, found `{part}`")),
            }
        }
        Ok(Fact { name, variables, words })
    }

    /// Reads a fact with no `if`.
    pub fn plain(text: &str) -> Result<Fact, String> {
        match Fact::read(text)? {
            Fact { words: Some(_), .. } => Err("`if` does not belong here".into()),
            fact => Ok(fact),
        }
    }
}

/// Whether a cell makes a flag true; `None` where it is neither a yes nor a no.
pub fn is_true(words: &[String], cell: &str) -> Option<bool> {
    match words {
        [word] if word == "true" || word == "false" => {
            let yes = if YES.contains(&cell) {
                true
            } else if NO.contains(&cell) {
                false
            } else {
                return None;
            };
            Some(yes == (word == "true"))
        }
        words => Some(words.iter().any(|word| word == cell)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_as_people_write_them() {
        let fact = Fact::read(" (distance ?a ?b - station) ").unwrap();
        let of: Vec<_> = fact.variables.iter().map(|variable| (variable.name.as_str(), variable.of.as_deref())).collect();
        assert_eq!(of, [("a", Some("station")), ("b", Some("station"))]);
        let flag = Fact::read("(open ?door) if open | ajar").unwrap();
        assert_eq!(flag.words.unwrap(), ["open", "ajar"]);
        assert!(Fact::read("(total)").unwrap().variables.is_empty());
    }

    #[test]
    fn what_is_no_fact_is_refused() {
        for text in
            ["", "battery", "(", ")", "()", "(a b)", "(a ?)", "(a ?x", "(a ?x) when true", "(a ?x ?x)", "(a - t)", "(a ?x -)"]
        {
            assert!(Fact::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn yes_and_no() {
        let flag = vec!["true".to_owned()];
        assert_eq!((is_true(&flag, "1"), is_true(&flag, "False"), is_true(&flag, "maybe")), (Some(true), Some(false), None));
        let words = vec!["open".to_owned(), "ajar".to_owned()];
        assert_eq!((is_true(&words, "ajar"), is_true(&words, "shut")), (Some(true), Some(false)));
    }
}
