//! JSON documents of what never changes: a tree with numbers as they were written, and paths into
//! it.
//!
//! `robots.{robot}.capacity` goes through members and captures names;
//! `shifts[id={episode}].items.{item}` goes through the items of a list and captures what one of
//! their members says; `[*]` goes through all items.

use rustc_hash::FxHashSet;
use serde_json::value::RawValue;
use surefoot_base::pddl::{Diagnostic, Source};

use crate::names::{Spellings, alike, is_name};
use crate::table::{Cell, JsonObject, JsonText, Value};

/// Deeper than any document that people write; keeps brackets from eating the stack.
const MAX_DEPTH: usize = 64;

/// A part of a document.
#[derive(Clone, Debug)]
pub enum DocumentNode {
    /// An object with named members.
    Members(Vec<(String, DocumentNode)>),
    /// Items of a list.
    Items(Vec<DocumentNode>),
    /// A single value, such as a number.
    Leaf(Value),
}

impl DocumentNode {
    /// Reads a JSON document, in which no object has a member twice.
    ///
    /// # Errors
    /// It is not JSON.
    pub fn read(source: &Source) -> Result<DocumentNode, Diagnostic> {
        let raw: &RawValue = serde_json::from_str(source.text()).map_err(|error| {
            let line = source
                .text()
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1))
                .map(str::len)
                .sum::<usize>();
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or(&what).to_owned();
            source.error(
                format!("this is not JSON: {what}"),
                source.span_at(line + error.column().saturating_sub(1)),
            )
        })?;
        node(raw.get(), 0).map_err(|message| Diagnostic::of_file(source.name(), message))
    }
}

fn node(text: &str, depth: usize) -> Result<DocumentNode, String> {
    if depth > MAX_DEPTH {
        return Err("the document is nested too deeply".into());
    }
    Ok(match text.as_bytes().first() {
        Some(b'{') => {
            let object: JsonObject<'_> =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            let mut known = FxHashSet::default();
            if let Some((twice, _)) = object.0.iter().find(|(key, _)| !known.insert(&**key)) {
                return Err(format!("one object has two members `{twice}`"));
            }
            let members = object
                .0
                .into_iter()
                .map(|(key, value)| Ok((key.into_owned(), node(value.get(), depth + 1)?)));
            DocumentNode::Members(members.collect::<Result<_, String>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            DocumentNode::Items(
                items
                    .into_iter()
                    .map(|item| node(item.get(), depth + 1))
                    .collect::<Result<_, _>>()?,
            )
        }
        Some(b'"') => {
            let word: JsonText<'_> =
                serde_json::from_str(text).map_err(|error| error.to_string())?;
            DocumentNode::Leaf(Value::of_text(&word.0))
        }
        Some(b't') => DocumentNode::Leaf(Value::Flag(true)),
        Some(b'f') => DocumentNode::Leaf(Value::Flag(false)),
        Some(b'n') | None => DocumentNode::Leaf(Value::Missing),
        Some(_) => DocumentNode::Leaf(Value::Number(text.into())),
    })
}

/// A way into a document, along which names are captured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path(Vec<PathPart>);

#[derive(Clone, PartialEq, Eq, Debug)]
enum PathPart {
    Member(String),
    AnyMember(String),
    AnyItem,
    ItemWith(String, String),
}

impl PathPart {
    fn captures(&self) -> bool {
        matches!(self, PathPart::AnyMember(_) | PathPart::ItemWith(..))
    }
}

/// Receives a value: the episode it belongs to, the objects captured on the path, and the value.
pub type ValueVisitor<'n, 'v> = dyn FnMut(Option<Cell<'n>>, &[Cell<'n>], &'n Value) + 'v;

/// What stands for the episode in a path.
pub const EPISODE: &str = "episode";

impl Path {
    /// Reads a path; the error says what is wrong with it.
    pub fn read(text: &str) -> Result<Path, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let close =
                    inside.find(']').ok_or_else(|| format!("a `]` is missing in `{text}`"))?;
                let (item, after) = (&inside[..close], &inside[close + 1..]);
                parts.push(match item.split_once('=') {
                    None if item == "*" => PathPart::AnyItem,
                    Some((key, capture)) => {
                        PathPart::ItemWith(key.trim().to_owned(), captured(capture.trim(), text)?)
                    }
                    None => {
                        return Err(format!("expected `[*]` or `[member={{name}}]` in `{text}`"));
                    }
                });
                rest = after.strip_prefix('.').unwrap_or(after);
                continue;
            }
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let word = &rest[..end];
            parts.push(match word {
                "" => return Err(format!("a name is missing in `{text}`")),
                word if word.starts_with('{') => PathPart::AnyMember(captured(word, text)?),
                word => PathPart::Member(word.to_owned()),
            });
            rest = rest[end..].strip_prefix('.').unwrap_or(&rest[end..]);
        }
        let path = Path(parts);
        let names: Vec<&str> = path.all_captures().collect();
        match names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)) {
            Some((_, twice)) => Err(format!("{{{twice}}} is in `{text}` twice")),
            None if path.0.is_empty() => {
                Err("expected a path such as robots.{robot}.capacity".into())
            }
            None => Ok(path),
        }
    }

    fn all_captures(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            PathPart::AnyMember(name) | PathPart::ItemWith(_, name) => Some(name.as_str()),
            PathPart::Member(_) | PathPart::AnyItem => None,
        })
    }

    /// What it captures, in order, without the episode.
    pub fn captures(&self) -> Vec<&str> {
        self.all_captures().filter(|name| *name != EPISODE).collect()
    }

    /// Shows every value at the end of this path, with the episode it belongs to and what was
    /// captured. Returns how many there are. `null` on the way is a value that is missing, once
    /// everything is captured. `is_strict`: whatever else is on the way without a value at the end
    /// is an error, since it would count as saying something.
    ///
    /// # Errors
    /// An item does not say what is to be captured, a member only looks like one that the path
    /// names, or there is no single value at the end.
    pub fn visit<'n>(
        &self,
        root: &'n DocumentNode,
        (names, is_strict): (&'n Spellings, bool),
        visit: &mut ValueVisitor<'n, '_>,
    ) -> Result<usize, String> {
        let mut walk = PathWalk {
            names,
            is_strict,
            episode: None,
            captured: Vec::new(),
            found: 0,
            problem: None,
            visit,
        };
        walk.go(&self.0, root);
        walk.problem.map_or(Ok(walk.found), Err)
    }
}

fn captured(word: &str, text: &str) -> Result<String, String> {
    let name = word.strip_prefix('{').and_then(|word| word.strip_suffix('}')).unwrap_or("");
    if is_name(name) {
        Ok(name.to_owned())
    } else {
        Err(format!("expected a name in braces, found `{word}` in `{text}`"))
    }
}

struct PathWalk<'n, 'v> {
    names: &'n Spellings,
    is_strict: bool,
    episode: Option<Cell<'n>>,
    captured: Vec<Cell<'n>>,
    found: usize,
    problem: Option<String>,
    visit: &'v mut ValueVisitor<'n, 'v>,
}

impl<'n> PathWalk<'n, '_> {
    fn go(&mut self, parts: &[PathPart], node: &'n DocumentNode) {
        match (parts.split_first(), node) {
            (None, DocumentNode::Leaf(value)) => {
                self.found += 1;
                (self.visit)(self.episode, &self.captured, value);
            }
            (None, DocumentNode::Members(_) | DocumentNode::Items(_)) => {
                self.wrong("expected a single value, found an object or a list");
            }
            (Some((PathPart::Member(name), rest)), DocumentNode::Members(members)) => {
                if let Some(member) = self.member(name, members) {
                    self.go(rest, member);
                }
            }
            (Some((PathPart::AnyMember(name), rest)), DocumentNode::Members(members)) => {
                for (key, member) in members {
                    self.with(name, Cell::Text(key), |walk| walk.go(rest, member));
                }
            }
            (Some((PathPart::AnyItem, rest)), DocumentNode::Items(items)) => {
                items.iter().for_each(|item| self.go(rest, item))
            }
            (Some((PathPart::ItemWith(key, name), rest)), DocumentNode::Items(items)) => {
                for item in items {
                    let members: &[(String, DocumentNode)] =
                        if let DocumentNode::Members(members) = item { members } else { &[] };
                    match self.member(key, members) {
                        Some(DocumentNode::Leaf(value)) if *value != Value::Missing => {
                            self.with(name, value.cell(), |walk| walk.go(rest, item));
                        }
                        _ => {
                            self.problem
                                .get_or_insert(format!("an item of the list has no `{key}`"));
                        }
                    }
                }
            }
            (Some(_), DocumentNode::Leaf(missing @ Value::Missing))
                if !parts.iter().any(PathPart::captures) =>
            {
                self.found += 1;
                (self.visit)(self.episode, &self.captured, missing);
            }
            (Some((PathPart::Member(_) | PathPart::AnyMember(_), _)), _) if self.is_strict => {
                self.wrong("expected an object")
            }
            (Some((PathPart::AnyItem | PathPart::ItemWith(..), _)), _) if self.is_strict => {
                self.wrong("expected a list")
            }
            // It says nothing that the path asks for.
            (Some(_), _) => {}
        }
    }

    /// The member of a name. One that only looks so is an error.
    fn member(
        &mut self,
        name: &str,
        members: &'n [(String, DocumentNode)],
    ) -> Option<&'n DocumentNode> {
        let mut found = None;
        for (key, member) in members {
            let word = self.names.word(key);
            if word == name && found.is_none() {
                found = Some(member);
            } else if word == name {
                self.wrong(&format!("two members are `{name}`"));
            } else if alike(word) == alike(name) {
                self.wrong(&format!(
                    "the member `{key}` looks like `{name}`, which the map reads: one thing or \
                     two? If one, write `names = {{ \"{key}\" = \"{name}\" }}` at the \
                     top of the map; if two, `names` can give it a name that looks different"
                ));
            }
        }
        found
    }

    fn wrong(&mut self, what: &str) {
        let names: Vec<&str> =
            self.episode.iter().chain(&self.captured).map(|cell| cell.text()).collect();
        let place =
            if names.is_empty() { String::new() } else { format!("({}): ", names.join(", ")) };
        self.problem.get_or_insert(format!("{place}{what}"));
    }

    fn with(&mut self, name: &str, word: Cell<'n>, go: impl FnOnce(&mut Self)) {
        if name == EPISODE {
            let outer = self.episode.replace(word);
            go(self);
            self.episode = outer;
        } else {
            self.captured.push(word);
            go(self);
            self.captured.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_members_and_items() {
        let text = r#"{"robots": {"r1": {"cap": 40.10}, "r2": {"cap": 7}},
            "shifts": [{"id": "S0", "items": {"a": "x"}}, {"id": 1, "items": {"a": "y"}}]}"#;
        let node = DocumentNode::read(&Source::new("s", text)).unwrap();
        let mut found = Vec::new();
        for path in [
            "robots.{robot}.cap",
            "shifts[id={episode}].items.{item}",
            "shifts[*].items.a",
            "nothing.{x}",
        ] {
            let count = Path::read(path).unwrap().visit(
                &node,
                (&Spellings::default(), true),
                &mut |episode, captured, value| {
                    found.push(format!("{episode:?} {captured:?} {value:?}"));
                },
            );
            found.push(count.unwrap().to_string());
        }
        assert_eq!(
            found,
            [
                r#"None [Text("r1")] Number("40.10")"#,
                r#"None [Text("r2")] Number("7")"#,
                "2",
                r#"Some(Text("S0")) [Text("a")] Text("x")"#,
                r#"Some(Number("1")) [Text("a")] Text("y")"#,
                "2",
                r#"None [] Text("x")"#,
                r#"None [] Text("y")"#,
                "2",
                "0",
            ]
        );
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "a..b", "a.{", "a[", "a[0]", "a[x=y]", "{a}.{a}", "a.{1}"] {
            assert!(Path::read(text).is_err(), "{text}");
        }
    }
}
