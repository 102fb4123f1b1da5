//! What never changes, and how episodes begin: read once, from the tables and documents beside the
//! log.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path as FilePath;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use surefoot_base::exact::Rational;
use surefoot_base::model::{FunctionId, GroundAtom, GroundFunction, PredicateId, TypeId};
use surefoot_base::pddl::{Diagnostic, Numbers, Source, visible};

use crate::document::{DocumentNode, EPISODE, Path};
use crate::expected_words::{Doubt, ExpectedWords};
use crate::map::fact::truth;
use crate::map::pattern::ColumnPattern;
use crate::map::{Argument, CellMeaning, FactTemplate, Meaning, Meant, Static, StaticFact};
use crate::names::{add_part, alike, alike_message, number as name_of_number};
use crate::table::{Cell, ColumnNames, Table, TableRow, number};

/// What is said of one fact. Numbers stay text until it is decided how they are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum StaticValue {
    Number(Box<str>),
    /// The objects that stand in the place that cells name.
    Objects(Vec<Box<str>>),
    Flag(bool),
    /// It is mentioned, but its value is missing.
    Missing,
}

/// The subject of a fact: a symbol and the names of its objects, without the object that the cell
/// says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct FactSubject(String);

impl FactSubject {
    pub fn of_function<'n>(
        function: FunctionId,
        objects: impl Iterator<Item = &'n str>,
    ) -> FactSubject {
        Self::new('f', function.index(), objects)
    }

    pub fn of_predicate<'n>(
        predicate: PredicateId,
        objects: impl Iterator<Item = &'n str>,
    ) -> FactSubject {
        Self::new('p', predicate.index(), objects)
    }

    fn new<'n>(kind: char, index: usize, objects: impl Iterator<Item = &'n str>) -> FactSubject {
        let mut key = format!("{kind}{index}");
        for object in objects {
            key.push('\u{1f}');
            key.push_str(object);
        }
        FactSubject(key)
    }
}

impl FactSubject {
    /// The key as text; keys that differ have different ones.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is of a function, the number of its symbol, and the names of its objects.
    pub fn parts(&self) -> Option<(bool, usize, Vec<&str>)> {
        let mut parts = self.0.split('\u{1f}');
        let symbol = parts.next()?;
        let index = symbol.get(1..)?.parse().ok()?;
        Some((symbol.starts_with('f'), index, parts.collect()))
    }
}

/// Where something is said: the number of the fact in the map, and the line of a table (0: it is in
/// a document).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Said {
    fact: usize,
    line: usize,
}

type StaticFacts = FxHashMap<FactSubject, (StaticValue, Said)>;

/// True atoms, and values of functions.
pub(crate) type Grounded = (Vec<GroundAtom>, Vec<(GroundFunction, Rational)>);

/// By type: objects that are mentioned.
pub(crate) type Mentioned = IndexMap<TypeId, FxHashSet<Box<str>>>;

/// Everything that tables and documents beside a log say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statics {
    always: StaticFacts,
    /// The facts at the start of each episode.
    at_start: FxHashMap<Box<str>, StaticFacts>,
    /// The facts that are given for the start of some episode.
    of_starts: FxHashSet<FactSubject>,
    /// By fact of all files, in the order of the map: the words of a flag.
    expected_words: Vec<Option<ExpectedWords>>,
    /// By fact of all files: its file and its key.
    places: Vec<(usize, Box<str>)>,
    /// By type, and by what alike words have in common: the word that is met first, and where.
    words: FxHashMap<(TypeId, Box<str>), (Box<str>, Said)>,
    /// By episode that a file names: where that is first.
    episodes: IndexMap<Box<str>, Said>,
    /// By file, and by type: the objects that the file says something about.
    pub files: Vec<(String, Mentioned)>,
    /// The numbers of the tables whose rows are about single episodes.
    pub by_episode: FxHashSet<usize>,
    /// By file, fact of the file, and variable that is no column of the table: the column that it
    /// is.
    pub columns: BTreeMap<(usize, usize, String), String>,
}

impl Statics {
    /// Reads the files that a map names; they are looked for in `folder`.
    pub fn read(meaning: &Meaning, folder: &FilePath) -> Result<Self, Diagnostic> {
        let mut statics = Statics::default();
        for file in &meaning.statics {
            let path = folder.join(&file.file);
            let name = file.file.display().to_string();
            statics.files.push((visible(&name).into_owned(), IndexMap::new()));
            for fact in &file.facts {
                let place = format!("{name}: no value of {}", fact.key);
                statics.places.push((statics.files.len() - 1, fact.key.as_str().into()));
                statics.expected_words.push(ExpectedWords::flag(meaning, &fact.fact.kind, place));
            }
            if path.extension().is_some_and(|end| end == "json") {
                statics.document(meaning, file, &path)?;
            } else {
                statics.table(meaning, file, &Table::open(&path)?)?;
            }
        }
        statics.agrees_at_starts()?;
        Ok(statics)
    }

    /// What never changes is so at the start of each episode, too.
    fn agrees_at_starts(&self) -> Result<(), Diagnostic> {
        for (episode, facts) in &self.at_start {
            for (key, (static_value, said)) in facts {
                if let Some((always, elsewhere)) =
                    self.always.get(key).filter(|(always, _)| always != static_value)
                {
                    let message = format!(
                        "{} says {} of the start of the episode `{episode}`, {} says {} of all \
                         episodes",
                        self.place(*said),
                        static_value_in_words(static_value),
                        self.place(*elsewhere),
                        static_value_in_words(always)
                    );
                    return Err(Diagnostic::of_file(
                        &self.files[self.places[said.fact].0].0,
                        visible(&message),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Where something is said, in words.
    fn place(&self, said: Said) -> String {
        let (file, key) = &self.places[said.fact];
        let file = &self.files[*file].0;
        if said.line == 0 {
            format!("{file}, {key}")
        } else {
            format!("{file}:{}, {key}", said.line)
        }
    }

    /// A word of the files that looks like this one, but is another, and where it is.
    pub fn alike(&self, of: TypeId, word: &str, key: &str) -> Option<(&str, String)> {
        if self.words.is_empty() {
            return None;
        }
        let (other, said) = self.words.get(&(of, key.into()))?;
        (**other != *word).then(|| (&**other, self.place(*said)))
    }

    /// The episodes that files name, and where.
    pub fn episodes(&self) -> impl Iterator<Item = (&str, String)> {
        self.episodes.iter().map(|(name, said)| (&**name, self.place(*said)))
    }

    /// Notes that a file names an object.
    fn names(&mut self, of: TypeId, word: &str, said: Said) -> Result<(), String> {
        if word.is_empty() {
            return Err("the name of an object is empty".to_owned());
        }
        let key = (of, alike(word).into());
        match self.words.get(&key) {
            Some((other, elsewhere)) if **other != *word => {
                Err(alike_message(word, other, &self.place(*elsewhere)))
            }
            Some(_) => Ok(()),
            None => {
                self.words.insert(key, (word.into(), said));
                Ok(())
            }
        }
    }

    /// What is said of a fact at the start of an episode.
    pub fn find(&self, episode: &str, key: &FactSubject) -> Option<&StaticValue> {
        self.at_start
            .get(episode)
            .and_then(|facts| facts.get(key))
            .or_else(|| self.always.get(key))
            .map(|(static_value, _)| static_value)
    }

    /// All facts that files mention.
    pub fn mentioned(&self) -> impl Iterator<Item = &FactSubject> {
        self.always.keys().chain(&self.of_starts)
    }

    /// Whether files say how a fact is at the start of some episode: in other episodes, it may be
    /// so as well.
    pub fn mentions(&self, key: &FactSubject) -> bool {
        self.of_starts.contains(key)
    }

    /// What files say of a fact at the start of an episode and where, if it is not this.
    pub fn differs(
        &self,
        episode: &str,
        key: &FactSubject,
        meant: &Meant,
    ) -> Option<(String, String)> {
        let (static_value, said) = self
            .at_start
            .get(episode)
            .and_then(|facts| facts.get(key))
            .or_else(|| self.always.get(key))?;
        let is_so = match (static_value, meant) {
            (StaticValue::Missing, _) => true,
            (StaticValue::Number(text), Meant::Number(value)) => {
                Numbers::Exact.read(text).is_ok_and(|number| number == *value)
            }
            (StaticValue::Objects(names), Meant::Object(name)) => {
                matches!(&names[..], [only] if **only == **name)
            }
            (StaticValue::Flag(flag), Meant::Flag(truth)) => flag == truth,
            _ => false,
        };
        (!is_so).then(|| (static_value_in_words(static_value), self.place(*said)))
    }

    /// What the words of the map are doubted for.
    pub fn doubts(&self) -> impl Iterator<Item = Doubt> {
        self.expected_words.iter().flatten().filter_map(ExpectedWords::doubt)
    }

    /// All that holds at the start of an episode, whatever its rows mention; in no order.
    pub fn all<'s>(
        &'s self,
        episode: &str,
    ) -> impl Iterator<Item = (&'s FactSubject, &'s StaticValue)> {
        self.at_start
            .get(episode)
            .into_iter()
            .flatten()
            .chain(&self.always)
            .map(|(key, (static_value, _))| (key, static_value))
    }

    fn document(
        &mut self,
        meaning: &Meaning,
        file: &Static,
        path: &FilePath,
    ) -> Result<(), Diagnostic> {
        let name = path.to_string_lossy();
        let bytes = std::fs::read(path).map_err(|error| {
            meaning
                .error(file.span, format!("{name} cannot be read: {error}"))
                .help("files are looked for beside the map")
        })?;
        let node = DocumentNode::read(&Source::from_bytes(&*name, bytes)?)?;
        let first = self.expected_words.len() - file.facts.len();
        for (number, fact) in file.facts.iter().enumerate() {
            let way = Path::read(&fact.key).map_err(|message| meaning.error(fact.span, message))?;
            let mut problem = None;
            let said = Said { fact: first + number, line: 0 };
            let strictly = (&meaning.names, meaning.is_complete(&fact.fact.kind));
            let found = way.visit(&node, strictly, &mut |episode, captured, value| {
                let captured: Vec<_> =
                    captured.iter().map(|cell| meaning.names.of(*cell)).collect();
                let episode = episode.map(|cell| meaning.names.of(cell));
                let noted = objects(&fact.fact, &captured, |_, _| Ok(None)).and_then(|objects| {
                    self.tell(meaning, said, fact, episode.as_deref(), &objects, value.cell())
                });
                if let (Err(message), None) = (noted, &problem) {
                    problem = Some(format!(
                        "{}: {message}",
                        shown(&fact.key, episode.as_deref(), &captured)
                    ));
                }
            });
            let found = found.map_err(|message| {
                Diagnostic::of_file(&name, format!("{}: {message}", fact.key))
            })?;
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
        let patterns: Vec<(&StaticFact, ColumnPattern)> = file
            .facts
            .iter()
            .map(|fact| {
                Ok((
                    fact,
                    ColumnPattern::read(&fact.key)
                        .map_err(|message| meaning.error(fact.span, message))?,
                ))
            })
            .collect::<Result<_, Diagnostic>>()?;
        let mut rows = table.rows()?;
        let mut row = TableRow::default();
        let mut used = vec![false; patterns.len()];
        let first = self.expected_words.len() - patterns.len();
        while rows.next(&mut row)? {
            let columns = rows.columns();
            let episode = episode(meaning, table, columns, &row)?;
            if episode.is_some() {
                self.by_episode.insert(self.files.len() - 1);
            }
            for column in 0..columns.len() {
                for (number, ((fact, pattern), used)) in patterns.iter().zip(&mut used).enumerate()
                {
                    let Some(captured) = pattern.matches(columns.name(column)) else { continue };
                    *used = true;
                    let captured: Vec<_> = captured
                        .into_iter()
                        .map(|word| Cow::Borrowed(meaning.names.word(word)))
                        .collect();
                    let said = Said { fact: first + number, line: row.mark().line() };
                    let (file, mut chosen) = (self.files.len() - 1, Vec::new());
                    let named = objects(&fact.fact, &captured, |name, of| {
                        let column = variable_column(meaning, columns, name, of)?;
                        Ok(column.map(|column| meaning.names.of(row.cell(column)).into_owned()))
                    });
                    for (argument, of) in &fact.fact.arguments {
                        if let Argument::Column(name) = argument
                            && let Ok(Some(column)) = variable_column(meaning, columns, name, *of)
                            && columns.name(column) != name
                        {
                            let place = (file, number, name.clone());
                            chosen.push((place, columns.name(column).to_owned()));
                        }
                    }
                    self.columns.extend(chosen);
                    let noted = named.and_then(|objects| {
                        self.tell(
                            meaning,
                            said,
                            fact,
                            episode.as_deref(),
                            &objects,
                            row.cell(column),
                        )
                    });
                    noted.map_err(|message| {
                        table.error(&row, column, columns.name(column), message)
                    })?;
                }
            }
        }
        nearly_read(meaning, table, rows.columns(), &patterns)?;
        match patterns.iter().zip(used).find(|(_, used)| !used) {
            Some(((fact, _), _)) => {
                Err(meaning.error(fact.span, format!("{} has no such column", table.name())))
            }
            None => Ok(()),
        }
    }

    /// Notes one fact; `objects` are its arguments but for the cell.
    fn tell(
        &mut self,
        meaning: &Meaning,
        said: Said,
        fact: &StaticFact,
        episode: Option<&str>,
        objects: &[String],
        cell: Cell<'_>,
    ) -> Result<(), String> {
        let word = meaning.names.of(cell);
        if let Some(Some(expected_words)) = self.expected_words.get_mut(said.fact) {
            expected_words.hear(&word);
        }
        if let Some(episode) = episode
            && !self.episodes.contains_key(episode)
        {
            self.episodes.insert(episode.into(), said);
        }
        let types = fact
            .fact
            .arguments
            .iter()
            .filter(|(argument, _)| *argument != Argument::Cell)
            .map(|(_, of)| *of);
        types.clone().zip(objects).try_for_each(|(of, object)| self.names(of, object, said))?;
        if let (CellMeaning::Object(_), false) = (&fact.fact.kind, cell == Cell::Missing) {
            let value =
                fact.fact.arguments.iter().find(|(argument, _)| *argument == Argument::Cell);
            value.map_or(Ok(()), |(_, of)| self.names(*of, &word, said))?;
        }
        if let Some((_, mentioned)) = self.files.last_mut() {
            for (of, object) in types.zip(objects) {
                mentioned.entry(of).or_default().insert(object.as_str().into());
            }
        }
        let names = objects.iter().map(String::as_str);
        let (key, static_value) = match &fact.fact.kind {
            CellMeaning::Number(function) => {
                let static_value = match cell {
                    Cell::Missing => StaticValue::Missing,
                    Cell::Flag(_) => {
                        return Err(
                            "expected a number; a flag is written `(open ?door) if true`".into()
                        );
                    }
                    Cell::Text(text) | Cell::Number(text) => {
                        number(Numbers::Exact, text)?;
                        StaticValue::Number(text.into())
                    }
                };
                (FactSubject::of_function(*function, names), static_value)
            }
            CellMeaning::Object(predicate) => {
                let static_value = if cell == Cell::Missing {
                    StaticValue::Missing
                } else {
                    StaticValue::Objects(vec![(&*word).into()])
                };
                (FactSubject::of_predicate(*predicate, names), static_value)
            }
            CellMeaning::Flag(predicate, words) => {
                let static_value = match cell {
                    Cell::Missing => StaticValue::Missing,
                    _ => StaticValue::Flag(truth(words, &word)?),
                };
                (FactSubject::of_predicate(*predicate, names), static_value)
            }
        };
        let facts = match episode {
            None => &mut self.always,
            Some(episode) => {
                self.of_starts.insert(key.clone());
                self.at_start.entry(episode.into()).or_default()
            }
        };
        match facts.get_mut(&key) {
            None => {
                facts.insert(key, (static_value, said));
                return Ok(());
            }
            Some((earlier, _)) if earlier.agrees(&static_value) => return Ok(()),
            // A relation: several objects stand in the place that cells name, unless rows name the
            // one and no other.
            Some((StaticValue::Objects(earlier), _)) if !is_one(meaning, &fact.fact.kind) => {
                if let StaticValue::Objects(more) = &static_value {
                    let new = more
                        .iter()
                        .filter(|object| !earlier.contains(object))
                        .cloned()
                        .collect::<Vec<_>>();
                    earlier.extend(new);
                    return Ok(());
                }
            }
            Some(_) => {}
        }
        let Some((earlier, elsewhere)) = facts.get(&key).cloned() else { return Ok(()) };
        let (this, that) = (static_value_in_words(&static_value), static_value_in_words(&earlier));
        Err(format!("this says {this}, but {} says {that} of the same fact", self.place(elsewhere)))
    }
}

impl StaticValue {
    fn agrees(&self, other: &StaticValue) -> bool {
        match (self, other) {
            (StaticValue::Number(one), StaticValue::Number(other)) => {
                name_of_number(one) == name_of_number(other)
            }
            (one, other) => one == other,
        }
    }
}

/// What is said, in words.
fn static_value_in_words(static_value: &StaticValue) -> String {
    match static_value {
        StaticValue::Number(text) => text.to_string(),
        StaticValue::Objects(objects) => objects.join(", "),
        StaticValue::Flag(truth) => truth.to_string(),
        StaticValue::Missing => "nothing".to_owned(),
    }
}

/// Whether rows or readings say of a predicate which object stands in a place of it, and no other.
fn is_one(meaning: &Meaning, kind: &CellMeaning) -> bool {
    let reports = meaning.before.iter().chain(&meaning.after).map(|report| &report.fact.kind);
    let readings =
        meaning.values.iter().flat_map(|values| values.facts.values()).map(|fact| &fact.kind);
    matches!(kind, CellMeaning::Object(_)) && reports.chain(readings).any(|other| other == kind)
}

/// A column that is not read, but would be if its name were written a little differently, is an
/// error.
fn nearly_read(
    meaning: &Meaning,
    table: &Table,
    columns: &ColumnNames,
    patterns: &[(&StaticFact, ColumnPattern)],
) -> Result<(), Diagnostic> {
    for name in columns.iter().filter(|name| !is_mentioned(meaning, patterns, name)) {
        if let Some((fact, _)) = patterns.iter().find(|(_, pattern)| pattern.nearly_matches(name)) {
            let message = format!(
                "{} has a column `{name}`, which nearly fits this and is not read",
                table.name()
            );
            let help = format!(
                "write its name there as the map does; if it is meant to be left out, ignore = \
                 [\"{name}\"]"
            );
            return Err(meaning.error(fact.span, message).help(help));
        }
    }
    Ok(())
}

/// The episode that a row of a table beside the log is about; `None`: all episodes.
fn episode(
    meaning: &Meaning,
    table: &Table,
    columns: &ColumnNames,
    row: &TableRow,
) -> Result<Option<String>, Diagnostic> {
    let named: Vec<usize> = match columns.find(EPISODE) {
        Some(column) => vec![column],
        None => meaning.episode.iter().filter_map(|column| columns.find(&column.name)).collect(),
    };
    if columns.find(EPISODE).is_none() && (named.is_empty() || named.len() < meaning.episode.len())
    {
        return match named.first() {
            None => Ok(None),
            Some(&column) => Err(table
                .error(
                    row,
                    column,
                    columns.name(column),
                    "this is a part of an episode's name, and the other parts are not there",
                )
                .help(format!("add all columns of `episode`, or one called `{EPISODE}`"))),
        };
    }
    let mut name = String::new();
    for &column in &named {
        let word = meaning.names.of(row.cell(column));
        if word.is_empty() {
            let message = "this row does not say which episode it is about";
            return Err(table.error(row, column, columns.name(column), message));
        }
        add_part(&mut name, &word, named.len());
    }
    Ok(Some(name))
}

/// The column of a table that a variable is: that of its name, or else the only one that the map
/// gives its type.
fn variable_column(
    meaning: &Meaning,
    columns: &ColumnNames,
    name: &str,
    of: TypeId,
) -> Result<Option<usize>, String> {
    if let Some(column) = columns.find(name) {
        return Ok(Some(column));
    }
    let typed = meaning.object_columns.iter().filter(|(_, other)| *other == of);
    let found: Vec<&str> = typed
        .map(|(column, _)| column.as_str())
        .filter(|column| columns.find(column).is_some())
        .collect();
    match found[..] {
        [] => Ok(None),
        [only] => Ok(columns.find(only)),
        [one, other, ..] => Err(format!(
            "?{name} may be the column `{one}` or `{other}`: write the column's name after the \
             question mark"
        )),
    }
}

/// The objects of a fact but for the cell.
fn objects(
    fact: &FactTemplate,
    captured: &[Cow<'_, str>],
    beside: impl Fn(&str, TypeId) -> Result<Option<String>, String>,
) -> Result<Vec<String>, String> {
    let named = fact.arguments.iter().filter(|(argument, _)| *argument != Argument::Cell).map(
        |(argument, of)| match argument {
            Argument::Captured(index) => {
                Ok(captured.get(*index).map_or("", |word| word).to_owned())
            }
            Argument::Column(name) => match beside(name, *of)? {
                Some(object) if !object.is_empty() => Ok(object),
                Some(_) => {
                    Err(format!("the cell of `{name}`, which says of what this is, is empty"))
                }
                None => {
                    Err(format!("there is no column `{name}`, which would say of what this is"))
                }
            },
            Argument::Cell => Ok(String::new()),
        },
    );
    named.collect()
}

fn shown(key: &str, episode: Option<&str>, captured: &[Cow<'_, str>]) -> String {
    let names: Vec<&str> = episode.into_iter().chain(captured.iter().map(|word| &**word)).collect();
    format!("{key} ({})", names.join(", "))
}

/// Whether the map says what a column is, or the column says which episode a row is of.
fn is_mentioned(meaning: &Meaning, patterns: &[(&StaticFact, ColumnPattern)], name: &str) -> bool {
    let mut arguments = patterns.iter().flat_map(|(fact, _)| &fact.fact.arguments);
    name == EPISODE
        || arguments
            .any(|(argument, _)| matches!(argument, Argument::Column(column) if column == name))
        || meaning.ignored.iter().chain(&meaning.episode).any(|column| column.name == name)
        || meaning.object_columns.iter().any(|(column, _)| column == name)
        || patterns.iter().any(|(_, pattern)| pattern.matches(name).is_some())
}
