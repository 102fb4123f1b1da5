//! The columns that a map names, found in a table.

use surefoot_base::model::TypeId;
use surefoot_base::pddl::{Diagnostic, nearest};

use rustc_hash::FxHashMap;

use crate::filled::FilledColumns;
use crate::map::CELL;
use crate::map::{
    ActionRule, Argument, ArgumentSources, CellReport, MapColumn, Meaning, Parameter, SymbolKey,
};
use crate::table::{ColumnNames, Table, TableRow};

/// A table with its columns found.
pub(crate) struct Opened {
    pub table: Table,
    pub columns: ColumnNames,
    pub bound: TableBinding,
    /// All its rows, if they are few enough to be kept in memory.
    pub rows: Option<Vec<TableRow>>,
    /// The columns that rows of each action fill.
    pub filled: FilledColumns,
}

/// The columns of a table, by what they mean.
#[derive(Clone, Debug)]
pub(crate) struct TableBinding {
    pub action: usize,
    pub episode: Vec<usize>,
    pub time: Option<usize>,
    pub status: Option<usize>,
    /// By column of chance; `None` where the table has no such column.
    pub chance: Vec<Option<usize>>,
    /// Where codes of failures are; `None` where the table has no such column, or the map names
    /// none.
    pub code: Option<usize>,
    pub before: Vec<BoundReport>,
    pub after: Vec<BoundReport>,
    /// By word of the action column, in the order of the map: where each argument comes from.
    pub parameters: Vec<Vec<BoundParameter>>,
    /// The columns that the map does not mention.
    pub unmentioned: Vec<String>,
    /// Columns whose type the map says, and that no fact and no parameter reads.
    pub unread: Vec<String>,
}

/// A column that reports a fact.
#[derive(Clone, Debug)]
pub(crate) struct BoundReport {
    /// Its number in the table.
    pub column: usize,
    /// The number of its rule in the map.
    pub rule: usize,
    /// The objects that the fact is about, without the one that the cell names.
    pub arguments: Vec<BoundArgument>,
    /// Whether another column may say something of the same fact in the same row.
    pub is_shared: bool,
}

/// Where an object comes from.
#[derive(Clone, Debug)]
pub(crate) enum BoundArgument {
    Column(usize, TypeId),
    Name(Box<str>, TypeId),
}

/// Where an argument of an action comes from.
#[derive(Clone, Debug)]
pub(crate) enum BoundParameter {
    Column(usize, TypeId),
    Input(usize, TypeId),
    Before(Vec<BoundArgument>),
}

impl BoundParameter {
    /// The column of a chosen number.
    pub fn input(&self) -> Option<usize> {
        match self {
            BoundParameter::Input(column, _) => Some(*column),
            BoundParameter::Column(..) | BoundParameter::Before(_) => None,
        }
    }
}

impl TableBinding {
    /// Finds the columns of a map in a table. `fixed`: the table has the same columns in every row,
    /// so that one that is not there is nowhere.
    pub fn new(
        meaning: &Meaning,
        table: &Table,
        columns: &ColumnNames,
        fixed: bool,
    ) -> Result<TableBinding, Diagnostic> {
        let mut finder = Finder { meaning, table, columns, mentioned: vec![false; columns.len()] };
        let action = finder.find(&meaning.action)?;
        let episode =
            meaning.episode.iter().map(|column| finder.find(column)).collect::<Result<_, _>>()?;
        let time = meaning.time.as_ref().map(|column| finder.find(column)).transpose()?;
        let (mut status, mut chance, mut code) = (None, Vec::new(), None);
        if let Some(rule) = &meaning.status {
            status = Some(finder.find(&rule.column)?);
            for (column, _) in &rule.chance {
                // A log of JSON lines without errors has no column of errors.
                let found = finder.find(column);
                chance.push(if fixed { Some(found?) } else { found.ok() });
            }
            let found = rule.code.as_ref().map(|column| finder.find(column));
            code = if fixed { found.transpose()? } else { found.and_then(Result::ok) };
        }
        let before = finder.reports(&meaning.before)?;
        let after = finder.reports(&meaning.after)?;
        finder.refuse_columns_of_two_keys(&before, &after)?;
        let mut parameters = Vec::new();
        for rule in meaning.actions.values() {
            let mut bound = Vec::new();
            if let ActionRule::Attempt(_, sources) = rule {
                for source in sources {
                    bound.push(match source {
                        Parameter::Column(column, of) => {
                            BoundParameter::Column(finder.find(column)?, *of)
                        }
                        Parameter::Input(column, of) => {
                            BoundParameter::Input(finder.find(column)?, *of)
                        }
                        Parameter::Before(_, arguments) => BoundParameter::Before(
                            finder.arguments(arguments, &[], meaning.action.span)?,
                        ),
                    });
                }
            }
            parameters.push(bound);
        }
        for input in &meaning.inputs {
            if input.name != input.column.name && columns.find(&input.name).is_some() {
                let message = format!(
                    "{} has a column `{}` of its own, which is not the column of this input",
                    table.name(),
                    input.name
                );
                return Err(meaning
                    .error(input.name_span, message)
                    .help("give the input another name"));
            }
        }
        for column in &meaning.ignored {
            if let Some(index) = columns.find(&column.name) {
                finder.mentioned[index] = true;
            }
        }
        let others = columns.iter().enumerate().filter(|(index, _)| !finder.mentioned[*index]);
        let (unread, unmentioned): (Vec<String>, Vec<String>) = others
            .map(|(_, name)| name.to_owned())
            .partition(|name| is_object_column(meaning, name));
        if let (Some(span), true) =
            (meaning.cell_variable, unmentioned.iter().any(|name| name == CELL))
        {
            let message = format!(
                "?{CELL} is the cell of this column, but {} has a column `{CELL}`, too",
                table.name()
            );
            let help = format!(
                "if that is meant, name its type: objects = {{ TYPE = \"{CELL}\" }}; if not, \
                 ignore = [\"{CELL}\"]"
            );
            return Err(meaning.error(span, message).help(help));
        }
        for report in meaning.before.iter().chain(&meaning.after) {
            if let Some(name) = unmentioned.iter().find(|name| report.column.nearly_matches(name)) {
                let message = format!(
                    "{} has a column `{name}`, which nearly fits this and is not read",
                    table.name()
                );
                let help = format!(
                    "write its name in the log as the map does; if it is meant to be left out, \
                     ignore = [\"{name}\"]"
                );
                return Err(meaning.error(report.span, message).help(help));
            }
        }
        if !fixed {
            // Where columns come with the rows, one that is spelled in two ways would lose cells in
            // silence.
            let mentioned = columns
                .iter()
                .enumerate()
                .filter(|(index, _)| finder.mentioned[*index])
                .map(|(_, name)| name);
            let known: FxHashMap<String, &str> =
                mentioned.map(|name| (folded_spelling(name), name)).collect();
            let twice = unmentioned
                .iter()
                .find_map(|name| Some((name, known.get(&folded_spelling(name))?)));
            if let Some((name, other)) = twice {
                let message = format!(
                    "some rows have `{name}`, others `{other}`, which the map reads: one column or \
                     two?"
                );
                let help = format!(
                    "write it in one way in the log; if two columns are meant, ignore = \
                     [\"{name}\"]"
                );
                return Err(Diagnostic::of_file(table.name(), message).help(help));
            }
        }
        Ok(TableBinding {
            action,
            episode,
            time,
            status,
            chance,
            code,
            before,
            after,
            parameters,
            unmentioned,
            unread,
        })
    }
}

/// Marks reports that may say something of the same fact as others: those of one symbol, unless
/// names of columns keep them apart.
fn share(bound: &mut [BoundReport], rules: &[CellReport]) {
    let mut groups: FxHashMap<(SymbolKey, NamedObjects), usize> = FxHashMap::default();
    let mut symbols: FxHashMap<SymbolKey, (usize, bool)> = FxHashMap::default();
    for report in bound.iter() {
        let (symbol, names) = (rules[report.rule].fact.kind.symbol(), named_objects(report));
        let (count, any) = symbols.entry(symbol).or_default();
        *count += 1;
        *any |= names.is_none();
        *groups.entry((symbol, names)).or_default() += 1;
    }
    for report in bound {
        let (symbol, names) = (rules[report.rule].fact.kind.symbol(), named_objects(report));
        let (count, any) = symbols.get(&symbol).copied().unwrap_or_default();
        report.is_shared =
            count > 1 && (any || groups.get(&(symbol, names)).is_some_and(|&count| count > 1));
    }
}

struct Finder<'f> {
    meaning: &'f Meaning,
    table: &'f Table,
    columns: &'f ColumnNames,
    mentioned: Vec<bool>,
}

impl Finder<'_> {
    fn find(&mut self, column: &MapColumn) -> Result<usize, Diagnostic> {
        self.named(&column.name, column.span)
    }

    fn named(&mut self, name: &str, span: surefoot_base::pddl::Span) -> Result<usize, Diagnostic> {
        if let Some(index) = self.columns.find(name) {
            self.mentioned[index] = true;
            return Ok(index);
        }
        let known: Vec<&str> = self.columns.iter().take(40).collect();
        let near = nearest(name, self.columns.iter());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("its columns are {}", known.join(", ")),
        };
        Err(self
            .meaning
            .error(span, format!("{} has no column `{name}`", self.table.name()))
            .help(help))
    }

    fn reports(&mut self, rules: &[CellReport]) -> Result<Vec<BoundReport>, Diagnostic> {
        let mut bound = Vec::new();
        for (rule, report) in rules.iter().enumerate() {
            if let Some(name) = report.column.literal() {
                let column = self.named(name, report.span)?;
                let arguments = self.arguments(&report.fact.arguments, &[], report.span)?;
                bound.push(BoundReport { column, rule, arguments, is_shared: false });
                continue;
            }
            let found = bound.len();
            for column in 0..self.columns.len() {
                let Some(captured) = report.column.matches(self.columns.name(column)) else {
                    continue;
                };
                self.mentioned[column] = true;
                let arguments = self.arguments(&report.fact.arguments, &captured, report.span)?;
                bound.push(BoundReport { column, rule, arguments, is_shared: false });
            }
            if bound.len() == found {
                let message = format!("no column of {} fits this", self.table.name());
                return Err(self
                    .meaning
                    .error(report.span, message)
                    .help("objects stand in braces: `battery[{robot}]`"));
            }
        }
        share(&mut bound, rules);
        Ok(bound)
    }

    /// Objects in the names of columns may be read in two ways, and one of them names an object that
    /// is none.
    fn refuse_columns_of_two_keys(
        &self,
        before: &[BoundReport],
        after: &[BoundReport],
    ) -> Result<(), Diagnostic> {
        let before = before.iter().map(|report| (report, &self.meaning.before[report.rule]));
        let after = after.iter().map(|report| (report, &self.meaning.after[report.rule]));
        let mut keys: FxHashMap<usize, &CellReport> = FxHashMap::default();
        for (report, rule) in before.chain(after) {
            let earlier = *keys.entry(report.column).or_insert(rule);
            if earlier.column != rule.column {
                let message = format!(
                    "{} has a column `{}`, which fits this and `{}`",
                    self.table.name(),
                    self.columns.name(report.column),
                    earlier.column.written()
                );
                return Err(self.meaning.error(rule.span, message).help(
                    "a column has one meaning: give the columns names in which each object is \
                     read in one way",
                ));
            }
        }
        Ok(())
    }

    fn arguments(
        &mut self,
        arguments: &ArgumentSources,
        captured: &[&str],
        span: surefoot_base::pddl::Span,
    ) -> Result<Vec<BoundArgument>, Diagnostic> {
        let mut bound = Vec::new();
        for (argument, of) in arguments {
            match argument {
                Argument::Cell => {}
                Argument::Captured(index) => {
                    bound.push(BoundArgument::Name(
                        self.meaning.names.word(captured.get(*index).copied().unwrap_or("")).into(),
                        *of,
                    ));
                }
                Argument::Column(name) => {
                    let column = self.named(name, span).map_err(|error| {
                        let of = self.meaning.domain.signature.types.name(*of);
                        let help =
                            format!("if the cells of this column name it, say so: `?cell - {of}`");
                        error
                            .context(format!(
                                "?{name} is a column of the log, or a type that one column names"
                            ))
                            .help(help)
                    })?;
                    bound.push(BoundArgument::Column(column, *of));
                }
            }
        }
        Ok(bound)
    }
}

fn is_object_column(meaning: &Meaning, name: &str) -> bool {
    meaning.object_columns.iter().any(|(column, _)| column == name)
}

/// A name as it is compared with others that may only be spelled differently.
fn folded_spelling(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The objects of a report that the map or the name of its column says; `None` where cells say any.
type NamedObjects = Option<Vec<Box<str>>>;

fn named_objects(report: &BoundReport) -> NamedObjects {
    let arguments = report.arguments.iter().map(|argument| match argument {
        BoundArgument::Name(name, _) => Some(name.clone()),
        BoundArgument::Column(..) => None,
    });
    arguments.collect()
}
