//! What never changes, and how episodes begin: read once, from tables and documents beside the log.

use std::path::Path as FilePath;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot::exact::Rational;
use surefoot::model::{FunctionId, GroundAtom, GroundFunction, PredicateId, TypeId};
use surefoot::pddl::{Diagnostic, Numbers, Source, visible};

use crate::document::{EPISODE, Node, Path};
use crate::map::fact::truth;
use crate::map::pattern::Pattern;
use crate::map::{Argument, Kind, Meaning, Static, StaticFact, Template};
use crate::sought::{Doubt, Sought};
use crate::table::{Cell, Row, Table, number};

/// What is said of one fact. Numbers stay text until it is decided how they are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    Number(Box<str>),
    /// The objects that stand in the place that cells name.
    Objects(Vec<Box<str>>),
    Flag(bool),
    /// It is mentioned, but its value is missing.
    Missing,
}

/// What a fact is about: a symbol and the names of its objects, without the one that is told.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key(String);

impl Key {
    pub fn of_function<'n>(function: FunctionId, objects: impl Iterator<Item = &'n str>) -> Key {
        Self::new('f', function.index(), objects)
    }

    pub fn of_predicate<'n>(predicate: PredicateId, objects: impl Iterator<Item = &'n str>) -> Key {
        Self::new('p', predicate.index(), objects)
    }

    fn new<'n>(kind: char, index: usize, objects: impl Iterator<Item = &'n str>) -> Key {
        let mut key = format!("{kind}{index}");
        for object in objects {
            key.push('\u{1f}');
            key.push_str(object);
        }
        Key(key)
    }
}

impl Key {
    /// Whether it is of a function, the number of its symbol, and the names of its objects.
    pub fn parts(&self) -> Option<(bool, usize, Vec<&str>)> {
        let mut parts = self.0.split('\u{1f}');
        let symbol = parts.next()?;
        let index = symbol.get(1..)?.parse().ok()?;
        Some((symbol.starts_with('f'), index, parts.collect()))
    }
}

type Facts = FxHashMap<Key, Told>;

/// True atoms, and values of functions.
pub(crate) type Grounded = (Vec<GroundAtom>, Vec<(GroundFunction, Rational)>);

/// By type: objects that are mentioned.
pub(crate) type Mentioned = IndexMap<TypeId, FxHashSet<Box<str>>>;

/// Everything that tables and documents beside a log say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statics {
    always: Facts,
    /// By episode.
    at_start: FxHashMap<Box<str>, Facts>,
    /// By fact of all files, in the order of the map: the words of a flag.
    sought: Vec<Option<Sought>>,
    /// By file, and by type: the objects that it tells something about.
    pub told: Vec<(String, Mentioned)>,
}

impl Statics {
    /// Reads the files that a map names; they are looked for in `folder`.
    pub fn read(meaning: &Meaning, folder: &FilePath) -> Result<Self, Diagnostic> {
        let mut statics = Statics::default();
        for file in &meaning.statics {
            let path = folder.join(&file.file);
            let name = file.file.display().to_string();
            statics.told.push((visible(&name).into_owned(), IndexMap::new()));
            for fact in &file.facts {
                let place = format!("{name}: no value of {}", fact.key);
                statics.sought.push(Sought::flag(meaning, &fact.fact.kind, place));
            }
            if path.extension().is_some_and(|end| end == "json") {
                statics.document(meaning, file, &path)?;
            } else {
                statics.table(meaning, file, &Table::open(&path)?)?;
            }
        }
        Ok(statics)
    }

    /// What is said of a fact at the start of an episode.
    pub fn find(&self, episode: &str, key: &Key) -> Option<&Told> {
        self.at_start.get(episode).and_then(|facts| facts.get(key)).or_else(|| self.always.get(key))
    }

    /// What the words of the map are doubted for.
    pub fn doubts(&self) -> impl Iterator<Item = Doubt> {
        self.sought.iter().flatten().filter_map(Sought::doubt)
    }

    /// All that holds at the start of an episode, whatever its rows mention; in no order.
    pub fn all<'s>(&'s self, episode: &str) -> impl Iterator<Item = (&'s Key, &'s Told)> {
        self.at_start.get(episode).into_iter().flatten().chain(&self.always)
    }

    fn document(&mut self, meaning: &Meaning, file: &Static, path: &FilePath) -> Result<(), Diagnostic> {
        let name = path.to_string_lossy();
        let bytes = std::fs::read(path).map_err(|error| {
            meaning.error(file.span, format!("{name} cannot be read: {error}")).help("files are looked for beside the map")
        })?;
        let node = Node::read(&Source::from_bytes(&*name, bytes)?)?;
        let first = self.sought.len() - file.facts.len();
        for (number, fact) in file.facts.iter().enumerate() {
            let way = Path::read(&fact.key).map_err(|message| meaning.error(fact.span, message))?;
            let mut problem = None;
            let found = way.visit(&node, &mut |episode, captured, value| {
                let told = objects(&fact.fact, captured, |_| None)
                    .and_then(|objects| self.tell(first + number, fact, episode, &objects, value.cell()));
                if let (Err(message), None) = (told, &problem) {
                    problem = Some(format!("{}: {message}", shown(&fact.key, episode, captured)));
                }
            });
            if let Some(message) = problem {
                return Err(Diagnostic::of_file(&name, message));
            }
            if found == 0 {
                return Err(meaning.error(fact.span, format!("{name} has nothing at this path")));
            }
        }
        Ok(())
    }

    fn table(&mut self, meaning: &Meaning, file: &Static, table: &Table) -> Result<(), Diagnostic> {
        let patterns: Vec<(&StaticFact, Pattern)> = file
            .facts
            .iter()
            .map(|fact| Ok((fact, Pattern::read(&fact.key).map_err(|message| meaning.error(fact.span, message))?)))
            .collect::<Result<_, Diagnostic>>()?;
        let mut rows = table.rows()?;
        let mut row = Row::default();
        let mut used = vec![false; patterns.len()];
        let first = self.sought.len() - patterns.len();
        while rows.next(&mut row)? {
            let columns = rows.columns();
            let episode = match columns.find(EPISODE).or_else(|| columns.find(&meaning.episode.first()?.name)) {
                Some(column) if meaning.episode.len() == 1 => {
                    Some(row.cell(column).text().to_owned()).filter(|text| !text.is_empty())
                }
                _ => None,
            };
            for column in 0..columns.len() {
                for (number, ((fact, pattern), used)) in patterns.iter().zip(&mut used).enumerate() {
                    let Some(captured) = pattern.matches(columns.name(column)) else { continue };
                    *used = true;
                    let beside = |name: &str| columns.find(name).map(|column| row.cell(column).text().to_owned());
                    let told = objects(&fact.fact, &captured, beside)
                        .and_then(|objects| self.tell(first + number, fact, episode.as_deref(), &objects, row.cell(column)));
                    told.map_err(|message| table.error(&row, column, columns.name(column), message))?;
                }
            }
        }
        match patterns.iter().zip(used).find(|(_, used)| !used) {
            Some(((fact, _), _)) => Err(meaning.error(fact.span, format!("{} has no such column", table.name()))),
            None => Ok(()),
        }
    }

    /// Notes one fact; `objects` are its arguments but for the cell.
    fn tell(
        &mut self,
        place: usize,
        fact: &StaticFact,
        episode: Option<&str>,
        objects: &[String],
        cell: Cell<'_>,
    ) -> Result<(), String> {
        if let Some(Some(sought)) = self.sought.get_mut(place) {
            sought.hear(cell);
        }
        let types = fact.fact.arguments.iter().filter(|(argument, _)| *argument != Argument::Cell).map(|(_, of)| *of);
        if let Some((_, told)) = self.told.last_mut() {
            for (of, object) in types.zip(objects) {
                told.entry(of).or_default().insert(object.as_str().into());
            }
        }
        let names = objects.iter().map(String::as_str);
        let text = cell.text();
        let (key, told) = match &fact.fact.kind {
            Kind::Number(function) => {
                let told = match cell {
                    Cell::Missing => Told::Missing,
                    Cell::Flag(_) => return Err("expected a number; a flag is written `(open ?door) if true`".into()),
                    Cell::Text(text) | Cell::Number(text) => {
                        number(Numbers::Exact, text)?;
                        Told::Number(text.into())
                    }
                };
                (Key::of_function(*function, names), told)
            }
            Kind::Object(predicate) => {
                let told = if cell == Cell::Missing { Told::Missing } else { Told::Objects(vec![text.into()]) };
                (Key::of_predicate(*predicate, names), told)
            }
            Kind::Flag(predicate, words) => {
                let told = match cell {
                    Cell::Missing => Told::Missing,
                    _ => Told::Flag(truth(words, text)?),
                };
                (Key::of_predicate(*predicate, names), told)
            }
        };
        let facts = match episode {
            None => &mut self.always,
            Some(episode) => self.at_start.entry(episode.into()).or_default(),
        };
        match facts.get_mut(&key) {
            None => {
                facts.insert(key, told);
            }
            Some(earlier) if *earlier == told => {}
            Some(Told::Objects(earlier)) => match told {
                Told::Objects(more) => earlier.extend(more),
                _ => return Err("this says something else than an earlier place does".into()),
            },
            Some(_) => return Err("this says something else than an earlier place does".into()),
        }
        Ok(())
    }
}

/// The objects of a fact but for the cell.
fn objects(fact: &Template, captured: &[&str], beside: impl Fn(&str) -> Option<String>) -> Result<Vec<String>, String> {
    let named = fact.arguments.iter().filter(|(argument, _)| *argument != Argument::Cell).map(|(argument, _)| match argument {
        Argument::Captured(index) => Ok(captured.get(*index).copied().unwrap_or("").to_owned()),
        Argument::Column(name) => match beside(name) {
            Some(object) if !object.is_empty() => Ok(object),
            Some(_) => Err(format!("the cell of `{name}`, which says of what this is, is empty")),
            None => Err(format!("there is no column `{name}`, which would say of what this is")),
        },
        Argument::Cell => Ok(String::new()),
    });
    named.collect()
}

fn shown(key: &str, episode: Option<&str>, captured: &[&str]) -> String {
    let names: Vec<&str> = episode.into_iter().chain(captured.iter().copied()).collect();
    format!("{key} ({})", names.join(", "))
}
