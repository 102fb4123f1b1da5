//! From the text of a map to its meaning: which column each variable is, which type it has, and
//! what the domain declares.

mod actions;
mod inputs;
mod split;

use indexmap::IndexMap;
use surefoot_base::model::{
    CHOSEN_NUMBER, Domain, FunctionId, PredicateId, Signature, Symbol, TypeId, TypeSet, Variable,
};
use surefoot_base::pddl::{Diagnostic, Source, Span, nearest};
use toml::Spanned;

use crate::document::Path;
use crate::map::fact::{FactVariable, MapFact};
use crate::map::meaning::{
    Argument, ArgumentSources, CellMeaning, CellReport, Empty, FactTemplate, InputColumn,
    MapColumn, Meaning, PredicateRole, ReadingsMeaning, Static, StaticFact, StatusColumns,
};
use crate::map::pattern::ColumnPattern;
use crate::map::{ActionMap, CELL, MapFile, WordList};
use crate::names::{Spellings, is_name, is_reserved, named};

impl Meaning {
    /// What a map means.
    ///
    /// # Errors
    /// It is not TOML, says what cannot be, or leaves a question undecided.
    pub fn read(source: &Source) -> Result<Meaning, Diagnostic> {
        let map = MapFile::read(source)?;
        map.is_decided(source)?;
        Meaning::resolve(source, &map)
    }

    /// What a map would mean if its questions were answered as it proposes, and `[before-or-after]`
    /// were `[after]` or (`before`) `[before]`.
    ///
    /// This is for showing what a guessed map means. Nothing must be learned with it.
    ///
    /// # Errors
    /// It is not TOML, or says what cannot be.
    pub fn draft(source: &Source, before: bool) -> Result<Meaning, Diagnostic> {
        let mut map = MapFile::read(source)?;
        let unsided = std::mem::take(&mut map.before_or_after);
        if before { &mut map.before } else { &mut map.after }.extend(unsided);
        Meaning::resolve(source, &map)
    }

    fn resolve(source: &Source, map: &MapFile) -> Result<Meaning, Diagnostic> {
        MapResolver {
            source,
            map,
            signature: Signature::default(),
            predicates: Vec::new(),
            columns: IndexMap::new(),
            unlisted: IndexMap::new(),
            unsaid: Vec::new(),
            inputs: Vec::new(),
            cell_variable: None,
        }
        .resolve()
    }
}

struct MapResolver<'m> {
    source: &'m Source,
    map: &'m MapFile,
    signature: Signature,
    predicates: Vec<PredicateRole>,
    /// The columns whose type the map says.
    columns: IndexMap<&'m str, TypeId>,
    /// The types that facts and actions give to the other columns.
    unlisted: IndexMap<String, TypeId>,
    /// Variables that are neither a column nor a type that the map has said before: columns of the
    /// log, or slips of the pen.
    unsaid: Vec<(String, Span)>,
    /// The columns with numbers that whoever acts chooses.
    inputs: Vec<InputColumn>,
    /// Where `?cell` is the cell itself, whatever its column is called.
    cell_variable: Option<Span>,
}

/// The column that a fact belongs to.
struct Own<'p> {
    /// Its name, unless objects are in it.
    literal: Option<&'p str>,
    captures: Vec<&'p str>,
}

fn span<T>(spanned: &Spanned<T>) -> Span {
    spanned.span().into()
}

fn column(spanned: &Spanned<String>) -> MapColumn {
    MapColumn { name: spanned.get_ref().clone(), span: span(spanned) }
}

impl<'m> MapResolver<'m> {
    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.source.error(message, span)
    }

    fn resolve(mut self) -> Result<Meaning, Diagnostic> {
        let map = self.map;
        self.objects()?;
        self.inputs()?;
        let choices = self.choices()?;
        let after = self.reports(&map.after)?;
        let before = self.reports(&map.before)?;
        self.all_empty_known()?;
        let values = self.values()?;
        let statics = self.statics()?;
        let (actions, rules) = self.actions()?;
        let (declared, declarations) = self.declared(&actions, &rules)?;
        let mut complete_functions = vec![false; self.signature.functions.len()];
        for name in &map.complete {
            let symbol = name.get_ref();
            if let Some(predicate) = self.signature.predicates.find(symbol) {
                let role = &mut self.predicates[predicate];
                // Nothing mentions a declared fact, so what files leave out is said of its start.
                match (role.declared, role.start) {
                    (false, _) => role.complete = true,
                    (true, Some(true)) => {
                        let message = format!(
                            "`{symbol}` is true at the start, so what no file says of it is not \
                             false"
                        );
                        return Err(self
                            .error(span(name), message)
                            .help("leave it out of `complete`, or write `start = false`"));
                    }
                    (true, _) => role.start = Some(false),
                }
            } else if let Some(function) = self.signature.functions.find(symbol) {
                complete_functions[function] = true;
            } else {
                return Err(
                    self.error(span(name), format!("no fact of this map is called `{symbol}`"))
                );
            }
        }
        let value_of_inputs = self.value_of_inputs();
        complete_functions.resize(self.signature.functions.len(), false);
        let mut qualified = vec![false; self.signature.types.ids().len()];
        for name in &map.qualified {
            match self.signature.types.find(name.get_ref()) {
                Some(of) => qualified[of.index()] = true,
                None => {
                    return Err(self.error(
                        span(name),
                        format!("no type of this map is called `{}`", name.get_ref()),
                    ));
                }
            }
        }
        let names = self.spellings()?;
        let mut domain = Domain {
            name: self.name()?.into(),
            requirements: Vec::new(),
            signature: self.signature,
            actions,
        };
        domain.requirements = domain.used_requirements();
        let value_of_inputs = value_of_inputs.map(FunctionId::from);
        let split = split::SplitReader {
            source: self.source,
            domain: &domain,
            rules: &rules,
            reports: before.iter().chain(&after).collect(),
            inputs: &self.inputs,
            value_of_inputs,
        };
        let split = split.read(&map.split)?;
        Ok(Meaning {
            mentioned: None,
            unread: std::collections::BTreeSet::new(),
            domain,
            predicates: self.predicates,
            complete_functions,
            qualified,
            time: map.time.as_ref().map(column),
            episode: map.episode.as_ref().map_or_else(Vec::new, |words| {
                words
                    .get_ref()
                    .0
                    .iter()
                    .map(|name| MapColumn { name: name.clone(), span: span(words) })
                    .collect()
            }),
            action: column(&map.action),
            status: map.status.as_ref().map(|status| StatusColumns {
                column: column(&status.column),
                ok: status.ok.get_ref().0.clone(),
                failed: status
                    .failed
                    .as_ref()
                    .map_or_else(Vec::new, |words| words.get_ref().0.clone()),
                chance: status
                    .chance
                    .iter()
                    .map(|(name, words)| (column(name), words.get_ref().0.clone()))
                    .collect(),
                code: status
                    .code
                    .as_ref()
                    .or(status.chance.keys().next().filter(|_| status.chance.len() == 1))
                    .map(column),
            }),
            ignored: map.ignore.iter().map(column).collect(),
            object_columns: self
                .columns
                .iter()
                .map(|(name, of)| ((*name).to_owned(), *of))
                .collect(),
            cell_variable: self.cell_variable,
            names,
            before,
            after,
            values,
            actions: rules,
            declared,
            inputs: self.inputs,
            value_of_inputs,
            choices,
            declarations,
            split,
            statics,
            source: self.source.clone(),
        })
    }

    fn name(&self) -> Result<String, Diagnostic> {
        match &self.map.domain {
            Some(name) if is_name(name.get_ref()) => Ok(name.get_ref().clone()),
            Some(name) => Err(self.error(
                span(name),
                "a domain's name is a letter, then letters, digits, `-` and `_`",
            )),
            None => {
                let file = self.source.name().rsplit(['/', '\\']).next().unwrap_or("log");
                let stem = file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or("log");
                Ok(named(stem, "log"))
            }
        }
    }

    /// What words stand for. A word that another stands for is itself no other, so that one look is
    /// enough.
    fn spellings(&self) -> Result<Spellings, Diagnostic> {
        let mut spellings = Spellings::default();
        for (word, meant) in &self.map.names {
            let (from, to) = (word.get_ref().trim(), meant.get_ref().trim());
            if from.is_empty() || to.is_empty() {
                return Err(self.error(
                    span(word),
                    "`names` says what a word stands for: neither of the two may be empty",
                ));
            }
            if !spellings.add(from, to) {
                return Err(
                    self.error(span(word), format!("`{from}` is listed under `names` twice"))
                );
            }
        }
        match self.map.names.values().find(|meant| spellings.contains(meant.get_ref().trim())) {
            Some(meant) => {
                let message = format!(
                    "`{}` itself stands for another word under `names`",
                    meant.get_ref().trim()
                );
                Err(self
                    .error(span(meant), message)
                    .help("write the word that is meant in the end"))
            }
            None => Ok(spellings),
        }
    }

    /// Types, and the columns that name objects of them.
    fn objects(&mut self) -> Result<(), Diagnostic> {
        for (of, columns) in &self.map.objects {
            let id = self.declare(of.get_ref(), span(of))?;
            for name in &columns.get_ref().0 {
                if self.columns.insert(name, id).is_some_and(|earlier| earlier != id) {
                    return Err(
                        self.error(span(columns), format!("the column `{name}` has two types"))
                    );
                }
            }
        }
        Ok(())
    }

    fn declare(&mut self, name: &str, span: Span) -> Result<TypeId, Diagnostic> {
        if name.eq_ignore_ascii_case(CHOSEN_NUMBER) {
            let message = format!("`{name}` is the type of all numbers of `inputs`, and no other");
            return Err(self.error(span, message).help("give the type another name"));
        }
        if is_reserved(name) {
            let message = format!("`{name}` means something else in PDDL, so it cannot be a type");
            return Err(self
                .error(span, message)
                .help("give the column a type of another name under `objects`"));
        }
        if !is_name(name) {
            let message =
                format!("`{name}` cannot be a type: a letter, then letters, digits, `-` and `_`");
            return Err(self
                .error(span, message)
                .help("name the type of the column under [objects]"));
        }
        Ok(self.signature.types.declare(name))
    }

    /// The type of what a column names: said by the map, or else called as the column is.
    fn type_of(&mut self, column: &str, span: Span) -> Result<TypeId, Diagnostic> {
        match self.columns.get(column) {
            Some(&of) => Ok(of),
            None => self.declare(column, span),
        }
    }

    /// Notes the type that a fact or an action gives to a column: every mention gives it the same
    /// one.
    fn mention(&mut self, column: &str, of: TypeId, span: Span) -> Result<TypeId, Diagnostic> {
        let known = match self.columns.get(column) {
            Some(&known) => known,
            None => *self.unlisted.entry(column.to_owned()).or_insert(of),
        };
        if known == of {
            return Ok(of);
        }
        let (of, known) = (self.signature.types.name(of), self.signature.types.name(known));
        let message = format!(
            "the column `{column}` names objects of type {known} elsewhere in the map, but of type \
             {of} here"
        );
        let likely = if of == column { of } else { known };
        let help = format!(
            "a type applies to every variable before it that has none: write `?{column} - {likely}`"
        );
        Err(self.error(span, message).help(help))
    }

    fn reports(
        &mut self,
        listed: &'m IndexMap<Spanned<String>, Spanned<WordList>>,
    ) -> Result<Vec<CellReport>, Diagnostic> {
        let mut reports = Vec::new();
        for (key, facts) in listed {
            let pattern = ColumnPattern::read(key.get_ref())
                .map_err(|message| self.error(span(key), message))?;
            let empty = self.empty(key.get_ref())?;
            for text in &facts.get_ref().0 {
                let fact =
                    MapFact::read(text).map_err(|message| self.error(span(facts), message))?;
                let own =
                    Own { literal: pattern.literal(), captures: pattern.captures().collect() };
                let fact = self.template(&fact, &own, span(facts))?;
                reports.push(CellReport { column: pattern.clone(), span: span(key), fact, empty });
            }
        }
        Ok(reports)
    }

    fn empty(&self, column: &str) -> Result<Empty, Diagnostic> {
        let empty = &self.map.empty;
        let own = empty.iter().find(|(key, _)| key.get_ref() == column);
        match own.or_else(|| empty.iter().find(|(key, _)| key.get_ref() == "*")) {
            None => Ok(Empty::default()),
            Some((_, word)) => match word.get_ref().as_str() {
                "unknown" => Ok(Empty::Unknown),
                "unchanged" => Ok(Empty::Unchanged),
                "none" => Ok(Empty::None),
                _ => Err(self
                    .error(span(word), "an empty cell is \"unknown\", \"unchanged\" or \"none\"")),
            },
        }
    }

    /// A column of `empty` that reports nothing is a slip of the pen, and its cells would mean
    /// something else.
    fn all_empty_known(&self) -> Result<(), Diagnostic> {
        let reports = self.map.before.keys().chain(self.map.after.keys());
        let columns: Vec<&str> = reports.map(|key| key.get_ref().as_str()).collect();
        let mut keys = self.map.empty.keys();
        let Some(key) =
            keys.find(|key| *key.get_ref() != "*" && !columns.contains(&key.get_ref().as_str()))
        else {
            return Ok(());
        };
        let error = self.error(
            span(key),
            format!("no column of [before] or [after] is called `{}`", key.get_ref()),
        );
        Err(match nearest(key.get_ref(), columns.into_iter()) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`empty` says what an empty cell of such a column means"),
        })
    }

    /// A fact of a column of a table.
    fn template(
        &mut self,
        fact: &MapFact,
        own: &Own<'_>,
        span: Span,
    ) -> Result<FactTemplate, Diagnostic> {
        let mut arguments = ArgumentSources::new();
        for variable in &fact.variables {
            let is_cell_taken = arguments.iter().any(|(argument, _)| *argument == Argument::Cell);
            let may_be_cell = fact.words.is_none() && !is_cell_taken;
            arguments.push(self.argument(variable, own, may_be_cell, span)?);
        }
        self.register(fact, arguments, span)
    }

    fn argument(
        &mut self,
        variable: &FactVariable,
        own: &Own<'_>,
        may_be_cell: bool,
        span: Span,
    ) -> Result<(Argument, TypeId), Diagnostic> {
        let name = variable.name.as_str();
        let told = variable.of.as_deref().map(|of| self.declare(of, span)).transpose()?;
        if let Some(input) = self.input(name) {
            self.no_input(&[input.of], &format!("?{name}"), span)?;
        }
        if let Some(index) = own.captures.iter().position(|capture| *capture == name) {
            return Ok((
                Argument::Captured(index),
                told.map_or_else(|| self.declare(name, span), Ok)?,
            ));
        }
        let is_own = own.literal == Some(name);
        if is_own || name == CELL && !self.names_a_column_cell() {
            if !may_be_cell {
                return Err(self.error(
                    span,
                    format!("?{name} is this column itself, whose cells name no object here"),
                ));
            }
            if told.is_none() && !is_own {
                return Err(
                    self.error(span, "say which type of object the cells name: `?cell - TYPE`")
                );
            }
            if !is_own {
                self.cell_variable.get_or_insert(span);
            }
            return Ok((Argument::Cell, told.map_or_else(|| self.type_of(name, span), Ok)?));
        }
        if let Some(&of) = self.columns.get(name) {
            return Ok((
                Argument::Column(name.to_owned()),
                self.mention(name, told.unwrap_or(of), span)?,
            ));
        }
        // A column whose name PDDL cannot have: its variable is that name as PDDL would write it.
        let mut written_so =
            self.columns.keys().filter(|column| !is_name(column) && named(column, "p") == name);
        if let (Some(column), None) = (written_so.next().copied(), written_so.next()) {
            return Ok((
                Argument::Column(column.to_owned()),
                told.map_or_else(|| self.type_of(column, span), Ok)?,
            ));
        }
        // A type: the column of it, if there is one.
        let wanted = told.or_else(|| self.signature.types.find(name));
        let of_type: Vec<&str> = self
            .columns
            .iter()
            .filter(|(_, of)| Some(**of) == wanted)
            .map(|(column, _)| *column)
            .collect();
        match (wanted, &of_type[..]) {
            (Some(of), columns)
                if may_be_cell && own.literal.is_some_and(|own| columns.contains(&own)) =>
            {
                Ok((Argument::Cell, of))
            }
            (Some(of), [only]) => Ok((Argument::Column((*only).to_owned()), of)),
            (Some(_), [one, other, ..]) => {
                let message =
                    format!("?{name} may be `{one}` or `{other}`, which name objects of that type");
                Err(self
                    .error(span, message)
                    .help("write the column's name after the question mark"))
            }
            (of, _) => {
                self.unsaid.push((name.to_owned(), span));
                let of = of.map_or_else(|| self.declare(name, span), Ok)?;
                Ok((Argument::Column(name.to_owned()), self.mention(name, of, span)?))
            }
        }
    }

    /// Whether the map names a column called `cell`: `?cell` then is that column.
    fn names_a_column_cell(&self) -> bool {
        self.columns.contains_key(CELL)
            || self.map.before.keys().chain(self.map.after.keys()).any(|key| key.get_ref() == CELL)
            || self.map.actions.values().any(|what| match what.get_ref() {
                ActionMap::Word(_) => false,
                ActionMap::Columns(columns) => columns.iter().any(|column| is_cell_column(column)),
                ActionMap::Parameters(parameters) => {
                    parameters.values().any(|column| is_cell_column(column))
                }
            })
    }

    /// A fact in a table beside the log: its variables are columns of that table.
    fn in_table(
        &mut self,
        fact: &MapFact,
        own: &Own<'_>,
        span: Span,
    ) -> Result<FactTemplate, Diagnostic> {
        let mut arguments = ArgumentSources::new();
        for variable in &fact.variables {
            let name = variable.name.as_str();
            let told = variable.of.as_deref().map(|of| self.declare(of, span)).transpose()?;
            if let Some(index) = own.captures.iter().position(|capture| *capture == name) {
                arguments.push((
                    Argument::Captured(index),
                    told.map_or_else(|| self.declare(name, span), Ok)?,
                ));
                continue;
            }
            let of = told.map_or_else(|| self.type_of(name, span), Ok)?;
            let is_taken = arguments.iter().any(|(argument, _)| *argument == Argument::Cell);
            let own_type = own.literal.and_then(|own| self.columns.get(own));
            let is_cell = name == CELL && told.is_some() && !self.names_a_column_cell();
            let is_own = own.literal == Some(name)
                || is_cell
                || !self.columns.contains_key(name) && own_type == Some(&of);
            arguments.push(match is_own && fact.words.is_none() && !is_taken {
                true => (Argument::Cell, of),
                false => (Argument::Column(name.to_owned()), of),
            });
        }
        self.register(fact, arguments, span)
    }

    /// Declares the predicate or function of a fact, or compares it with how it was declared
    /// before.
    fn register(
        &mut self,
        fact: &MapFact,
        arguments: ArgumentSources,
        span: Span,
    ) -> Result<FactTemplate, Diagnostic> {
        if is_reserved(&fact.name) {
            return Err(self.error(
                span,
                format!("`{}` means something else in PDDL: give the fact another name", fact.name),
            ));
        }
        let value = arguments.iter().position(|(argument, _)| *argument == Argument::Cell);
        let types: Vec<TypeId> = arguments.iter().map(|(_, of)| *of).collect();
        let names = fact.variables.iter().map(|variable| variable.name.as_str());
        let kind = match (&fact.words, value) {
            (None, None) => CellMeaning::Number(self.function(&fact.name, names, &types, span)?),
            (words, _) => {
                let predicate = self.predicate(&fact.name, names, &types, span)?;
                let role = &mut self.predicates[predicate.index()];
                if role.recorded && role.value != value {
                    let message =
                        format!("the cells that say `{}` name different places of it", fact.name);
                    return Err(self.error(span, message));
                }
                role.value = value;
                role.recorded = true;
                match words {
                    Some(words) => CellMeaning::Flag(predicate, words.clone()),
                    None => CellMeaning::Object(predicate),
                }
            }
        };
        Ok(FactTemplate { kind, arguments })
    }

    fn function<'n>(
        &mut self,
        name: &str,
        names: impl Iterator<Item = &'n str>,
        types: &[TypeId],
        span: Span,
    ) -> Result<FunctionId, Diagnostic> {
        self.no_input(types, name, span)?;
        if self.signature.predicates.find(name).is_some() {
            let message =
                format!("`{name}` is a number here, and true or false elsewhere in this map");
            return Err(self.error(span, message).help("a flag is written `(open ?door) if true`"));
        }
        let symbol = symbol(names, types);
        self.agree(
            self.signature.functions.find(name).map(|known| self.signature.functions.value(known)),
            name,
            types,
            span,
        )?;
        let (Ok(index) | Err(index)) = self.signature.functions.insert(name, symbol);
        Ok(index.into())
    }

    fn predicate<'n>(
        &mut self,
        name: &str,
        names: impl Iterator<Item = &'n str>,
        types: &[TypeId],
        span: Span,
    ) -> Result<PredicateId, Diagnostic> {
        self.no_input(types, name, span)?;
        if self.signature.functions.find(name).is_some() {
            return Err(self.error(
                span,
                format!("`{name}` is true or false here, and a number elsewhere in this map"),
            ));
        }
        let symbol = symbol(names, types);
        self.agree(
            self.signature
                .predicates
                .find(name)
                .map(|known| self.signature.predicates.value(known)),
            name,
            types,
            span,
        )?;
        let (Ok(index) | Err(index)) = self.signature.predicates.insert(name, symbol);
        if index == self.predicates.len() {
            self.predicates.push(PredicateRole::default());
        }
        Ok(index.into())
    }

    fn agree(
        &self,
        known: Option<&Symbol>,
        name: &str,
        types: &[TypeId],
        span: Span,
    ) -> Result<(), Diagnostic> {
        let Some(known) = known else { return Ok(()) };
        let declared: Vec<TypeId> = known
            .parameters
            .iter()
            .flat_map(|parameter| parameter.types.types())
            .copied()
            .collect();
        if declared == types {
            return Ok(());
        }
        if let Some(error) = self.slip() {
            return Err(error);
        }
        let message = format!(
            "`{name}` is of ({}) here, and of ({}) elsewhere in this map",
            self.type_names(types),
            self.type_names(&declared)
        );
        Err(self.error(span, message).help("`?x - TYPE` says which type a variable has"))
    }

    fn type_names(&self, types: &[TypeId]) -> String {
        types.iter().map(|&of| self.signature.types.name(of)).collect::<Vec<_>>().join(", ")
    }

    /// Where facts do not agree, a variable that is nearly a column or type of the map is the
    /// likely reason.
    fn slip(&self) -> Option<Diagnostic> {
        self.unsaid.iter().find_map(|(name, at): &(String, Span)| {
            let types = self.map.objects.keys().map(|of| of.get_ref().as_str());
            let known = types.chain(self.columns.keys().copied());
            let near = nearest(name, known).filter(|near| near != name)?;
            let message = format!("?{name} is neither a column nor a type under `objects`");
            Some(self.error(*at, message).help(format!("did you mean `?{near}`?")))
        })
    }

    fn values(&mut self) -> Result<Option<ReadingsMeaning>, Diagnostic> {
        let Some(values) = &self.map.values else { return Ok(None) };
        let Some(time) = values.time.as_ref().or(self.map.time.as_ref()) else {
            return Err(self.error(
                span(&values.object),
                "readings and events are ordered by time: name its column with `time`",
            ));
        };
        if self.map.time.is_none() {
            return Err(self.error(
                span(time),
                "the events need a time, too: name its column with `time` at the top of the map",
            ));
        }
        let all_changes = match values.logged.get_ref().as_str() {
            "changes" => true,
            "samples" => false,
            _ => {
                return Err(self.error(
                    span(&values.logged),
                    "what is logged is \"changes\", every one of them, or \"samples\", now and \
                     then one",
                ));
            }
        };
        let same_time_is_after =
            match values.same_time.as_ref().map(|word| (word.get_ref().as_str(), span(word))) {
                None | Some(("after", _)) => true,
                Some(("before", _)) => false,
                Some((_, at)) => {
                    return Err(self.error(
                        at,
                        "a reading of the time of an event is \"after\" it, or \"before\"",
                    ));
                }
            };
        let mut facts = IndexMap::new();
        for (attribute, text) in &values.facts {
            let fact =
                MapFact::read(text.get_ref()).map_err(|message| self.error(span(text), message))?;
            let objects: Vec<&str> = fact
                .variables
                .iter()
                .map(|variable| variable.name.as_str())
                .filter(|name| *name != CELL)
                .collect();
            let untyped = fact
                .variables
                .iter()
                .any(|variable| variable.name == CELL && variable.of.is_none());
            if objects.len() != 1 || untyped {
                let message = "expected a fact of one object, such as (battery ?robot) or (at \
                               ?robot - robot ?cell - station)";
                return Err(self.error(span(text), message));
            }
            facts.insert(
                attribute.get_ref().clone(),
                self.in_document(&fact, &objects, span(text))?,
            );
        }
        Ok(Some(ReadingsMeaning {
            object: column(&values.object),
            attribute: column(&values.attribute),
            value: column(&values.value),
            time: column(time),
            all_changes,
            same_time_is_after,
            facts,
        }))
    }

    fn statics(&mut self) -> Result<Vec<Static>, Diagnostic> {
        let mut statics = Vec::new();
        for (file, facts) in &self.map.statics {
            let is_document = file.get_ref().ends_with(".json");
            let mut list = Vec::new();
            for (key, texts) in facts {
                for text in &texts.get_ref().0 {
                    let fact =
                        MapFact::read(text).map_err(|message| self.error(span(texts), message))?;
                    let template = if is_document {
                        let path = Path::read(key.get_ref())
                            .map_err(|message| self.error(span(key), message))?;
                        self.in_document(&fact, &path.captures(), span(texts))?
                    } else {
                        let pattern = ColumnPattern::read(key.get_ref())
                            .map_err(|message| self.error(span(key), message))?;
                        let own = Own {
                            literal: pattern.literal(),
                            captures: pattern.captures().collect(),
                        };
                        self.in_table(&fact, &own, span(texts))?
                    };
                    let by_episode = key.get_ref().contains("{episode}");
                    list.push(StaticFact {
                        key: key.get_ref().clone(),
                        span: span(key),
                        fact: template,
                        by_episode,
                    });
                }
            }
            statics.push(Static { file: file.get_ref().into(), span: span(file), facts: list });
        }
        Ok(statics)
    }

    /// A fact of a document: what its path does not capture is the value found there.
    fn in_document(
        &mut self,
        fact: &MapFact,
        captures: &[&str],
        span: Span,
    ) -> Result<FactTemplate, Diagnostic> {
        let mut arguments = ArgumentSources::new();
        for variable in &fact.variables {
            let of = self.declare(variable.of.as_deref().unwrap_or(&variable.name), span)?;
            let argument = match captures.iter().position(|capture| *capture == variable.name) {
                Some(index) => Argument::Captured(index),
                None if fact.words.is_none()
                    && arguments.iter().all(|(argument, _)| *argument != Argument::Cell) =>
                {
                    Argument::Cell
                }
                None => {
                    let message = format!("?{} is nowhere in the path", variable.name);
                    return Err(self.error(span, message).help(
                        "write it in braces where its objects are: `robots.{robot}.capacity`",
                    ));
                }
            };
            arguments.push((argument, of));
        }
        self.register(fact, arguments, span)
    }
}

fn symbol<'n>(names: impl Iterator<Item = &'n str>, types: &[TypeId]) -> Symbol {
    let parameters = names
        .zip(types)
        .map(|(name, of)| Variable { name: name.into(), types: TypeSet::either([*of]) });
    Symbol { parameters: parameters.collect() }
}

/// Whether a parameter is read from a column called `cell`.
fn is_cell_column(source: &str) -> bool {
    source.split_once(" - ").map_or(source, |(column, _)| column).trim() == CELL
}
