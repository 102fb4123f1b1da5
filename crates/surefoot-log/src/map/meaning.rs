//! The meaning of a map, in the ids of its domain.

use std::collections::BTreeSet;
use std::path::PathBuf;

use indexmap::IndexMap;
use surefoot_base::assumptions::{FactDeclarations, Spec};
use surefoot_base::exact::Rational;
use surefoot_base::model::{ActionId, Domain, FunctionId, PredicateId, TypeId};
use surefoot_base::parts::{DeclaredParts, DomainParts, PartsMap};
use surefoot_base::pddl::{Diagnostic, Numbers, Source, Span};

use super::fact::truth;
use super::pattern::ColumnPattern;
use crate::names::Spellings;
use crate::table::Cell;

/// The meaning of a map: a domain, and how rows become facts and steps.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The domain: types, predicates, functions, actions with their parameters.
    pub domain: Domain,
    /// By predicate: what is known of it.
    pub predicates: Vec<PredicateRole>,
    /// By function: whether what the log does not say of it is undefined, not unknown.
    pub complete_functions: Vec<bool>,
    /// By type: whether its objects get its name in front.
    pub qualified: Vec<bool>,
    /// The column that says when.
    pub time: Option<MapColumn>,
    /// The columns that identify episodes.
    pub episode: Vec<MapColumn>,
    /// The column that names the action.
    pub action: MapColumn,
    /// Which rows are attempts that worked.
    pub status: Option<StatusColumns>,
    /// Columns of no interest.
    pub ignored: Vec<MapColumn>,
    /// Columns whose type the map says, with that type.
    pub object_columns: Vec<(String, TypeId)>,
    /// Those of them that no fact and no parameter reads, although a log has them; none before a
    /// log was looked at.
    pub unread: BTreeSet<String>,
    /// Where `?cell` is the cell itself, whatever its column is called.
    pub cell_variable: Option<Span>,
    /// What words stand for.
    pub names: Spellings,
    /// What columns show as it was before a step.
    pub before: Vec<CellReport>,
    /// What columns show as it is after a step.
    pub after: Vec<CellReport>,
    /// The meaning of a table of readings.
    pub values: Option<ReadingsMeaning>,
    /// By word of the action column: what it means.
    pub actions: IndexMap<String, ActionRule>,
    /// By action: the facts that it is declared to change.
    pub declared: Vec<Vec<DeclaredEffect>>,
    /// The columns with numbers that whoever acts chooses.
    pub inputs: Vec<InputColumn>,
    /// The function that is the value of such a number, where there are inputs.
    pub value_of_inputs: Option<FunctionId>,
    /// The numbers that a planner may choose, of types for which the map says it.
    pub choices: Vec<Choices>,
    /// What is declared, as models say it.
    pub declarations: FactDeclarations,
    /// The actions that behave in several ways, each with the parts of its states.
    pub split: Vec<SplitAction>,
    /// Tables and documents of what never changes.
    pub statics: Vec<Static>,
    /// A digest of all facts of `complete` symbols that a log and its files mention; `None` before a
    /// log was looked at, and where there is no such symbol.
    pub mentioned: Option<String>,
    /// The text it was read from, for messages.
    pub source: Source,
}

/// A column, and where the map names it.
#[derive(Clone, Debug)]
pub struct MapColumn {
    /// The name as the log has it.
    pub name: String,
    /// Where the map names it.
    pub span: Span,
}

/// A column with numbers that whoever acts chooses before the step.
#[derive(Clone, Debug)]
pub struct InputColumn {
    /// The name of the input.
    pub name: String,
    /// Where the map names it.
    pub name_span: Span,
    /// The column with its numbers.
    pub column: MapColumn,
    /// The type of its numbers.
    pub of: TypeId,
    /// The name of this type.
    pub type_name: String,
}

/// An action that behaves in several ways, each in one part of the states.
#[derive(Clone, Debug)]
pub struct SplitAction {
    /// The action.
    pub action: ActionId,
    /// Its parts, with tests in PDDL.
    pub parts: DeclaredParts,
    /// Where the map has them.
    pub span: Span,
}

/// The numbers of a type that a planner may choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    /// The type of the numbers.
    pub of: TypeId,
    /// The numbers that a planner may choose for the input.
    pub numbers: BTreeSet<Rational>,
}

/// What is known of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PredicateRole {
    /// The place of the argument that a cell names: the others say whose it is, and at most one
    /// object stands there.
    pub value: Option<usize>,
    /// Whether its changes are declared, not recorded.
    pub declared: bool,
    /// Whether some actions are declared to make it true, and others to make it false: each finds
    /// it the other way round.
    pub toggles: bool,
    /// Whether some table or document says how it is.
    pub recorded: bool,
    /// Whether what the log does not say of it is false, not unknown.
    pub complete: bool,
    /// What it is at the start of each episode where no file says it; `None`: that is unknown.
    pub start: Option<bool>,
}

/// Which rows are attempts that worked, and which are attempts that failed.
#[derive(Clone, Debug)]
pub struct StatusColumns {
    /// The column with the status.
    pub column: MapColumn,
    /// Its words for what worked.
    pub ok: Vec<String>,
    /// Its words for what failed.
    pub failed: Vec<String>,
    /// Columns with words for what happened by chance.
    pub chance: Vec<(MapColumn, Vec<String>)>,
    /// The column whose words messages quote for what failed: the one that the map names, or the
    /// only one of chance.
    pub code: Option<MapColumn>,
}

/// What became of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptOutcome {
    /// The attempt worked.
    Worked,
    /// The attempt failed.
    Failed,
    /// It failed or worked by chance: it counts neither way.
    Chance,
    /// The log does not say.
    Unknown,
}

/// What a cell says of the world.
#[derive(Clone, Debug)]
pub struct CellReport {
    /// Which columns have such cells.
    pub column: ColumnPattern,
    /// Where the map names them.
    pub span: Span,
    /// The fact that the cells report.
    pub fact: FactTemplate,
    /// What it means that a cell is empty.
    pub empty: Empty,
}

/// The meaning of a table of readings: each row has an object, an attribute, its value and a time.
#[derive(Clone, Debug)]
pub struct ReadingsMeaning {
    /// The column that says of what.
    pub object: MapColumn,
    /// The column that says which attribute.
    pub attribute: MapColumn,
    /// The column that says its value.
    pub value: MapColumn,
    /// The column that says when.
    pub time: MapColumn,
    /// Whether what is not in the table between two events did not change; else it is unknown,
    /// where the event may have changed it.
    pub all_changes: bool,
    /// Whether a reading of the time of an event is of the state after it.
    pub same_time_is_after: bool,
    /// By attribute: the fact that it is. Its object is what is captured.
    pub facts: IndexMap<String, FactTemplate>,
}

/// What an empty cell means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Empty {
    /// There is a value, but the log does not have it. The default, since nothing false can be
    /// learned from it.
    #[default]
    Unknown,
    /// The value is what it was.
    Unchanged,
    /// There is none: no object, a flag that is not set, a function without a value.
    None,
}

/// A fact, up to its objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactTemplate {
    /// What the cell is.
    pub kind: CellMeaning,
    /// Where the objects come from.
    pub arguments: ArgumentSources,
}

/// Where the objects of a fact come from.
pub type ArgumentSources = Vec<(Argument, TypeId)>;

/// What a cell is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellMeaning {
    /// The value of a function.
    Number(FunctionId),
    /// The object that stands in a place of a predicate.
    Object(PredicateId),
    /// Whether a predicate is true: it is where the cell is one of the words.
    Flag(PredicateId, Vec<String>),
}

/// A predicate or function: whether it is a function, and its number.
pub type SymbolKey = (bool, usize);

/// What a cell says of a fact, so that two cells can be compared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meant {
    /// A fixed number.
    Number(Rational),
    /// This object and no other.
    Object(String),
    /// Whether it is true.
    Flag(bool),
    /// No object, or no value.
    Nothing,
}

impl CellMeaning {
    /// Its predicate or function.
    pub fn symbol(&self) -> SymbolKey {
        match self {
            CellMeaning::Number(function) => (true, function.index()),
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                (false, predicate.index())
            }
        }
    }

    /// What a filled cell says; `None` where it is not what such a cell is.
    pub fn meant(&self, names: &Spellings, cell: Cell<'_>) -> Option<Meant> {
        Some(match self {
            CellMeaning::Number(_) => Meant::Number(Numbers::Exact.read(cell.text()).ok()?),
            CellMeaning::Object(_) => Meant::Object(names.of(cell).into_owned()),
            CellMeaning::Flag(_, words) => Meant::Flag(truth(words, &names.of(cell)).ok()?),
        })
    }
}

/// Where an object of a fact comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The cell of another column of the row.
    Column(String),
    /// A part of the column's name, by number.
    Captured(usize),
    /// The text of the cell.
    Cell,
}

/// What a word of the action column means.
#[derive(Clone, Debug)]
pub enum ActionRule {
    /// The row only says how things are.
    Report,
    /// An attempt at an action.
    Attempt(ActionId, Vec<Parameter>),
}

/// Where an argument of an action comes from.
#[derive(Clone, Debug)]
pub enum Parameter {
    /// A cell of the row that names an object.
    Column(MapColumn, TypeId),
    /// A cell of the row that is a chosen number.
    Input(MapColumn, TypeId),
    /// The object that a predicate names before the step, in the place that its cells name.
    Before(PredicateId, ArgumentSources),
}

/// A fact that an action is declared to change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredEffect {
    /// Whether it becomes true.
    pub add: bool,
    /// The predicate that is declared.
    pub predicate: PredicateId,
    /// Its arguments, as numbers of the action's parameters.
    pub parameters: Vec<usize>,
}

/// A table or document of what never changes, and of how episodes begin.
#[derive(Clone, Debug)]
pub struct Static {
    /// The file, as the map names it.
    pub file: PathBuf,
    /// Where the map names it.
    pub span: Span,
    /// The facts that the table reports.
    pub facts: Vec<StaticFact>,
}

/// A kind of fact of a table or document.
#[derive(Clone, Debug)]
pub struct StaticFact {
    /// The column of a table, or the path in a document.
    pub key: String,
    /// Where the map names it.
    pub span: Span,
    /// What it says. In a document, what is captured is numbered in the order of the path, without
    /// the episode.
    pub fact: FactTemplate,
    /// Whether it is said of single episodes: of the start of each, or of all of it.
    pub by_episode: bool,
}

impl Meaning {
    /// Whether the log, or a declaration, says anything that may change.
    pub fn has_states(&self) -> bool {
        let is_read = self.values.as_ref().is_some_and(|values| !values.facts.is_empty());
        !self.before.is_empty()
            || !self.after.is_empty()
            || is_read
            || !self.declarations.is_empty()
    }

    /// Whether `complete` says how facts are that the log never mentions.
    pub fn is_complete(&self, kind: &CellMeaning) -> bool {
        match kind {
            CellMeaning::Number(function) => self.complete_functions[function.index()],
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                self.predicates[predicate.index()].complete
            }
        }
    }

    /// Whether a declared fact says which object a parameter is.
    pub fn has_declared_parameters(&self) -> bool {
        let sources = self.actions.values().flat_map(|rule| match rule {
            ActionRule::Report => &[][..],
            ActionRule::Attempt(_, sources) => sources,
        });
        sources.into_iter().any(|source| match source {
            Parameter::Before(predicate, _) => self.predicates[predicate.index()].declared,
            Parameter::Column(..) | Parameter::Input(..) => false,
        })
    }

    /// The parts of actions, as files of parts have them.
    pub fn parts(&self) -> PartsMap {
        self.split.iter().map(|split| (self.name_of(split), split.parts.clone())).collect()
    }

    /// What is learned from a log with this map: the spec that was asked for, with the parts that
    /// the map declares.
    ///
    /// # Errors
    /// The spec has other parts of the same action, or its class of models has no such tests.
    pub fn with_parts(&self, mut spec: Spec) -> Result<Spec, Diagnostic> {
        for split in &self.split {
            match self.is_in(split, &spec)? {
                Some(true) => {}
                Some(false) => {
                    let name = self.name_of(split);
                    let message = format!(
                        "the map splits {name} here, and other parts of {name} were given beside it"
                    );
                    let help = "leave one of the two out, or make them equal";
                    return Err(self.error(split.span, message).help(help));
                }
                None => drop(spec.parts.insert(self.name_of(split), split.parts.clone())),
            }
        }
        Ok(spec)
    }

    /// The sentences about parts of this map that are not in the spec of a model.
    ///
    /// # Errors
    /// The class of models has no such tests.
    pub fn missing_parts(&self, spec: &Spec) -> Result<Vec<String>, Diagnostic> {
        let mut missing = Vec::new();
        for split in &self.split {
            if self.is_in(split, spec)? != Some(true) {
                let parts = self.read_parts(split, split.parts.clone(), spec)?;
                let parts = parts.declared(&self.domain);
                missing.extend(parts.iter().map(|(action, parts)| parts.sentence(action)));
            }
        }
        Ok(missing)
    }

    /// Whether a spec has the same parts of an action; `None` if it has none.
    fn is_in(&self, split: &SplitAction, spec: &Spec) -> Result<Option<bool>, Diagnostic> {
        let ours = self.read_parts(split, split.parts.clone(), spec)?;
        let name = self.name_of(split);
        let mut given = spec.parts.iter().filter(|(key, _)| key.eq_ignore_ascii_case(&name));
        let Some((_, given)) = given.next() else { return Ok(None) };
        let is_found = matches!(given, DeclaredParts::Found(_) | DeclaredParts::ToFind(_));
        let theirs = self.read_parts(split, given.clone(), spec);
        Ok(Some(!is_found && theirs.is_ok_and(|theirs| theirs == ours)))
    }

    fn read_parts(
        &self,
        split: &SplitAction,
        parts: DeclaredParts,
        spec: &Spec,
    ) -> Result<DomainParts, Diagnostic> {
        let map = PartsMap::from([(self.name_of(split), parts)]);
        DomainParts::read(&self.domain, &map, (spec.degree, spec.squares))
            .map_err(|error| self.error(split.span, error.0))
    }

    fn name_of(&self, split: &SplitAction) -> String {
        self.domain.action_name(split.action).to_owned()
    }

    /// A message about a place of the map.
    pub fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.source.error(message, span)
    }
}
