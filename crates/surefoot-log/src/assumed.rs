//! What a map takes for granted, in sentences for the head of a model: a log does not say these
//! things, and where one of them is false, so may be what was learned.
//!
//! Each key of a map, and each default, has the sentence that would be false if it were wrong.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use surefoot_base::assumptions::{Assumptions, OF_ONE_LOG};
use surefoot_base::model::{PredicateId, Symbol, TypeId};
use surefoot_base::pddl::visible;

use crate::map::fact::yes_or_no_of;
use crate::map::pattern::ColumnPattern;
use crate::map::{
    ActionRule, Argument, CellMeaning, CellReport, Empty, FactTemplate, MapColumn, Meaning,
    Parameter, StaticFact, SymbolKey as FactSymbol,
};
use crate::names::is_name;
use crate::table::MISSING;

/// In a path, what stands for the episode rather than for an object.
const EPISODE: &str = "episode";

impl Meaning {
    /// All that whoever learns from the log takes for granted, a sentence each: what is declared,
    /// and how the log is read.
    pub fn assumed(&self) -> BTreeSet<String> {
        let declared = self.declarations.iter().map(|(fact, declared)| declared.sentence(fact));
        declared.chain(self.reading()).map(|words| visible(words.trim()).into_owned()).collect()
    }

    /// What is assumed where the log is read so.
    pub fn reading(&self) -> Vec<String> {
        let mut sentences = self.of_rows();
        self.of_states(&mut sentences);
        self.of_readings(&mut sentences);
        self.of_declared(&mut sentences);
        self.of_files(&mut sentences);
        sentences
    }

    /// Which rows there are, what became of them, and in which order they come.
    fn of_rows(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let episode = self.episode_name();
        if self.has_starts() {
            let in_one = if self.episode.is_empty() {
                ""
            } else {
                " is spread over several files, and none"
            };
            sentences.push(format!("No {episode}{in_one} began before its first row."));
        }
        let ordered = match &self.time {
            None => String::new(),
            Some(time) => format!(", which is the order of {}", time.name),
        };
        sentences.push(format!(
            "The rows of each {episode} record every action in it (column `{}`), each once, in \
             the order in which they happened{ordered}.",
            self.action.name
        ));
        self.of_parameters(&mut sentences);
        let reports = self
            .actions
            .iter()
            .filter(|(_, rule)| matches!(rule, ActionRule::Report))
            .map(|(word, _)| word.as_str());
        let reports: Vec<&str> = reports.collect();
        if !reports.is_empty() {
            let words = either(reports.iter().copied());
            sentences.push(format!(
                "Rows with {} = {words} are not actions: they only report a state.",
                self.action.name
            ));
        }
        let Some(status) = &self.status else {
            sentences.push(
                "Every row records an action that worked, except the rows that another line here \
                 names as failures or reports."
                    .to_owned(),
            );
            return sentences;
        };
        let (column, words) =
            (name(&status.column), |words: &[String]| either(words.iter().map(String::as_str)));
        sentences
            .push(format!("Rows with {column} = {} are actions that worked.", words(&status.ok)));
        if !status.failed.is_empty() {
            let failed = words(&status.failed);
            sentences.push(format!(
                "Rows with {column} = {failed} are failed attempts. They changed nothing, except \
                 where \
                 rows of the log show a change."
            ));
        }
        for (column, chance) in &status.chance {
            sentences.push(format!(
                "Rows with {} = {} failed by chance: they count neither as worked nor as failed. \
                 The promise does not cover such failures of actions that this model allows.",
                column.name,
                either(chance.iter().map(String::as_str))
            ));
        }
        sentences
    }

    /// Where the parameters of actions come from, except from columns of their own names.
    fn of_parameters(&self, sentences: &mut Vec<String>) {
        for (word, rule) in &self.actions {
            let ActionRule::Attempt(action, sources) = rule else { continue };
            let parameters = &self.domain.action(*action).parameters;
            let others = parameters.iter().zip(sources).filter_map(|(parameter, source)| {
                let from = match source {
                    Parameter::Column(column, _) if *column.name == *parameter.name => return None,
                    Parameter::Column(column, _) => {
                        format!("the object in column `{}`", column.name)
                    }
                    // Its sentence is among those about inputs.
                    Parameter::Input(..) => return None,
                    Parameter::Before(predicate, owners) => {
                        let mut arguments = owners.clone();
                        let value = self.predicates[predicate.index()].value;
                        let place = value.unwrap_or(0).min(arguments.len());
                        arguments.insert(place, (Argument::Cell, TypeId::OBJECT));
                        let kind = CellMeaning::Object(*predicate);
                        let fact = self.fact_of(&FactTemplate { kind, arguments }, None);
                        format!("the object ?cell for which {fact} was true before the row")
                    }
                };
                Some(format!("?{} is {from}", parameter.name))
            });
            let others: Vec<String> = others.collect();
            if !others.is_empty() {
                sentences.push(format!(
                    "In rows with {} = {word}, {}.",
                    self.action.name,
                    others.join(", and ")
                ));
            }
        }
    }

    /// The name of a trace of the log: the columns that identify episodes, or a file.
    fn episode_name(&self) -> String {
        if self.episode.is_empty() {
            "file".to_owned()
        } else {
            listed(self.episode.iter().map(name))
        }
    }

    /// The columns whose cells name objects of facts or parameters of actions.
    fn columns_of_objects(&self) -> BTreeSet<&str> {
        let facts = self.before.iter().chain(&self.after).flat_map(|report| &report.fact.arguments);
        let facts = facts.filter_map(|(argument, _)| match argument {
            Argument::Column(column) => Some(column.as_str()),
            Argument::Captured(_) | Argument::Cell => None,
        });
        let parameters = self.actions.values().flat_map(|rule| match rule {
            ActionRule::Report => &[],
            ActionRule::Attempt(_, parameters) => &parameters[..],
        });
        let parameters = parameters.filter_map(|parameter| match parameter {
            Parameter::Column(column, _) => Some(column.name.as_str()),
            Parameter::Input(..) | Parameter::Before(..) => None,
        });
        facts.chain(parameters).collect()
    }

    /// What cells say of states, and what it means that they do not.
    fn of_states(&self, sentences: &mut Vec<String>) {
        let objects = self.columns_of_objects();
        let told_apart =
            self.episode.iter().chain(&self.time).filter(|column| !objects.contains(&*column.name));
        let unread = self.unread.iter().map(|column| format!("`{column}`"));
        let irrelevant = listed(told_apart.chain(&self.ignored).map(name).chain(unread));
        let irrelevant =
            if irrelevant.is_empty() { String::new() } else { format!("{irrelevant} or on ") };
        let anything = if irrelevant.is_empty() { "anything" } else { "anything else" };
        let or_input = if self.inputs.is_empty() { "" } else { " or as an input" };
        sentences.push(format!(
            "No action depends on {irrelevant}{anything} that the map does not read as a state or \
             as an object{or_input}."
        ));
        self.of_inputs(sentences);
        let columns = |reports: &[CellReport]| {
            listed(reports.iter().map(|report| as_word(&report.column.written())))
        };
        if !self.after.is_empty() {
            sentences.push(format!(
                "The values in {} are those after the action of their row.",
                columns(&self.after)
            ));
        }
        if !self.before.is_empty() {
            sentences.push(format!(
                "The values in {} are those before the action of their row.",
                columns(&self.before)
            ));
            sentences.push(
                "The result of a row is what the next row shows before its action, unless an \
                 action in between names the same objects."
                    .to_owned(),
            );
        }
        let episode = self.episode_name();
        let except = match self.predicates.iter().any(|role| role.declared) {
            true => ", except for declared facts",
            false => "",
        };
        sentences.push(format!(
            "A value that a row is not about (such as that of another object) stays as earlier \
             rows of its {episode} left it{except}: neither the action of the row nor anything \
             unrecorded changed it."
        ));
        let reports = || self.before.iter().chain(&self.after);
        for (empty, so) in [
            (Empty::Unknown, "the value is unknown"),
            (Empty::Unchanged, "nothing changed there"),
            (Empty::None, "there is no such thing"),
        ] {
            let columns = listed(
                reports()
                    .filter(|report| report.empty == empty)
                    .map(|report| as_word(&report.column.written())),
            );
            if !columns.is_empty() {
                sentences.push(format!("Where a cell of {columns} is empty, {so}."));
            }
        }
        if reports().any(|report| report.empty != Empty::Unknown)
            || self.actions.contains_key("")
            || self
                .status
                .as_ref()
                .is_some_and(|words| words.ok.iter().chain(&words.failed).any(String::is_empty))
        {
            sentences.push(format!(
                "A cell that says one of these words is empty: {}.",
                MISSING.join(", ")
            ));
        }
        self.of_complete(sentences);
        for report in reports() {
            let place = format!("column `{}`", report.column.written());
            let fact = self.fact_of(&report.fact, Some(&report.column));
            let and_no_other = ", and of no other";
            sentences.push(cell_sentence(&place, &fact, &report.fact.kind, and_no_other));
        }
        for (attribute, template) in self.values.iter().flat_map(|values| &values.facts) {
            let (place, fact) = (format!("attribute `{attribute}`"), self.fact_of(template, None));
            sentences.push(cell_sentence(&place, &fact, &template.kind, ", and of no other"));
        }
        for (file, fact) in
            self.statics.iter().flat_map(|file| file.facts.iter().map(move |fact| (file, fact)))
        {
            let place = format!("`{}` in {}", fact.key, file.file.display());
            let key = ColumnPattern::read(&fact.key).ok();
            let text = self.fact_of(&fact.fact, key.as_ref());
            // What files say of other objects has a sentence of its own.
            sentences.push(cell_sentence(&place, &text, &fact.fact.kind, ""));
        }
        let mut met = BTreeSet::new();
        sentences.retain(|sentence| met.insert(sentence.clone()));
        let mut names: Vec<String> = self
            .names
            .iter()
            .map(|(word, meant)| format!("{} is {}", as_word(word), as_word(meant)))
            .collect();
        if !names.is_empty() {
            names.sort_unstable();
            sentences
                .push(format!("Some words of the log stand for others: {}.", names.join(", ")));
        }
        let types = self.domain.signature.types.ids();
        if types.len() > 1 {
            sentences.push(
                "The same word of the same type names the same object wherever it is \
                            written, and different words name different objects."
                    .to_owned(),
            );
        }
    }

    /// Which column is which input.
    fn of_inputs(&self, sentences: &mut Vec<String>) {
        for rule in self.actions.values() {
            let ActionRule::Attempt(action, sources) = rule else { continue };
            let values = self.domain.inputs_of(*action);
            let columns = sources.iter().filter_map(|source| match source {
                Parameter::Input(column, _) => Some(&column.name),
                Parameter::Column(..) | Parameter::Before(..) => None,
            });
            for (column, value) in columns.zip(values) {
                let action = self.domain.action_name(*action);
                sentences
                    .push(format!("The numbers in column `{column}` are {value} of {action}."));
            }
        }
        let inputs = Assumptions::inputs_of(&self.domain);
        sentences.extend(Assumptions { inputs, ..Assumptions::default() }.about_inputs());
    }

    /// What it means that nothing mentions a fact. That is true of one log and its files: others may
    /// mention other facts.
    fn of_complete(&self, sentences: &mut Vec<String>) {
        let (in_rows, in_files) = self.complete_symbols();
        let of_kinds =
            [(in_rows, "neither the log nor its files mention"), (in_files, "no file mentions")];
        let of_kinds = of_kinds.iter().filter(|(symbols, _)| !symbols.is_empty());
        let said: Vec<String> =
            of_kinds.map(|(symbols, words)| self.complete_sentence(symbols, words)).collect();
        if !said.is_empty() {
            let digest = self.mentioned.as_ref();
            let of_one_log = digest.map(|digest| format!("{OF_ONE_LOG}{digest}."));
            sentences.push(said.join(" ") + &of_one_log.unwrap_or_default());
        }
    }

    /// What is assumed of facts and numbers that nothing mentions.
    fn complete_sentence(&self, symbols: &[FactSymbol], unmentioned: &str) -> String {
        let signature = &self.domain.signature;
        let of_kind = |wanted: bool| {
            let these = symbols.iter().filter(move |(is_function, _)| *is_function == wanted);
            listed(these.map(|(is_function, index)| match is_function {
                true => signature.functions.name(*index),
                false => signature.predicates.name(*index),
            }))
        };
        let (facts, numbers) = (of_kind(false), of_kind(true));
        let facts =
            (!facts.is_empty()).then(|| format!("A fact of {facts} that {unmentioned} is false."));
        let numbers = (!numbers.is_empty())
            .then(|| format!("A number of {numbers} that {unmentioned} has no value."));
        facts.into_iter().chain(numbers).collect::<Vec<_>>().join(" ")
    }

    /// The `complete` symbols: those that rows or readings report, and those that only files do.
    pub(crate) fn complete_symbols(&self) -> (Vec<FactSymbol>, Vec<FactSymbol>) {
        let functions = (0..).map(|index| (true, index)).zip(&self.complete_functions);
        let functions = functions.filter(|(_, complete)| **complete).map(|(symbol, _)| symbol);
        let predicates = (0..).map(|index| (false, index)).zip(&self.predicates);
        let predicates = predicates.filter(|(_, role)| role.complete).map(|(symbol, _)| symbol);
        let reported =
            self.before.iter().chain(&self.after).map(|report| report.fact.kind.symbol());
        let read = self
            .values
            .iter()
            .flat_map(|values| values.facts.values())
            .map(|fact| fact.kind.symbol());
        let reported: Vec<FactSymbol> = reported.chain(read).collect();
        functions.chain(predicates).partition(|symbol| reported.contains(symbol))
    }

    /// How readings of another table are placed among the rows.
    fn of_readings(&self, sentences: &mut Vec<String>) {
        let Some(values) = &self.values else { return };
        let side = if values.same_time_is_after { "after" } else { "before" };
        sentences.push(format!(
            "Each reading gives the value in {} of the attribute in {} of the object in {}.",
            values.value.name, values.attribute.name, values.object.name
        ));
        sentences.push(format!("A reading with the same time as a row was taken {side} it."));
        sentences.push(
            "The first reading between a row and the next shows the result of that row. This does \
             not hold if the reading shows no change and a later one there does, or if a later \
             number there is as far from it as it is from the number before the row."
                .to_owned(),
        );
        sentences.push(format!(
            "The times of {} and of the rows come from one clock, which never goes back.",
            values.time.name
        ));
        sentences.push(if values.all_changes {
            "Values that readings report change only where a reading shows it. This also holds \
             before the first reading and after the last one."
                .to_owned()
        } else {
            "A value that a reading reports of an object stays until an action names the object, \
             or until the next reading of it."
                .to_owned()
        });
    }

    /// How declared facts begin, and what rows say of them.
    fn of_declared(&self, sentences: &mut Vec<String>) {
        for (index, role) in self.predicates.iter().enumerate().filter(|(_, role)| role.declared) {
            let fact = self.fact(index.into());
            if let Some(start) = role.start {
                let unless = if role.recorded { ", unless a file says otherwise" } else { "" };
                let episode = self.episode_name();
                sentences.push(format!(
                    "{fact} is {start} at the start of each \
                {episode}{unless}."
                ));
            }
            if role.toggles {
                self.of_setters(index, sentences);
            }
        }
    }

    /// What is assumed of files beside the log.
    fn of_files(&self, sentences: &mut Vec<String>) {
        for file in &self.statics {
            let (name, episode) = (file.file.display(), self.episode_name());
            let (at_start, always): (Vec<&StaticFact>, Vec<&StaticFact>) =
                file.facts.iter().partition(|fact| self.is_of_start(fact));
            let (at_start, throughout): (Vec<&StaticFact>, Vec<&StaticFact>) =
                at_start.into_iter().partition(|fact| self.changes(&fact.fact.kind));
            if !throughout.is_empty() {
                sentences.push(format!(
                    "What {name} says of {} is true from the start of each {episode} to its end.",
                    self.symbols_of(&throughout)
                ));
            }
            if !always.is_empty() {
                sentences.push(format!(
                    "What {name} says of {} is true, and never changes.",
                    self.symbols_of(&always)
                ));
            }
            if !at_start.is_empty() {
                sentences.push(format!(
                    "What {name} says of {} is true at the start of each {episode}.",
                    self.symbols_of(&at_start)
                ));
            }
            let objects: Vec<&StaticFact> = file
                .facts
                .iter()
                .filter(|fact| matches!(fact.fact.kind, CellMeaning::Object(_)))
                .collect();
            if !objects.is_empty() {
                sentences.push(format!(
                    "Where {name} says for which objects {} is true, it is false for all others.",
                    self.symbols_of(&objects)
                ));
            }
        }
    }

    /// Whether the map or a file says how episodes begin.
    fn has_starts(&self) -> bool {
        let mut facts = self.statics.iter().flat_map(|file| &file.facts);
        self.predicates.iter().any(|role| role.start.is_some())
            || facts.any(|fact| self.is_of_start(fact))
    }

    /// Whether a file says how something is at the start of an episode, rather than always.
    fn is_of_start(&self, fact: &StaticFact) -> bool {
        fact.by_episode || self.changes(&fact.fact.kind)
    }

    /// Whether rows may change what a file says.
    fn changes(&self, kind: &CellMeaning) -> bool {
        let declared = match kind {
            CellMeaning::Number(_) => false,
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                self.predicates[predicate.index()].declared
            }
        };
        let read =
            self.values.iter().flat_map(|values| values.facts.values()).map(|fact| &fact.kind);
        declared
            || self
                .before
                .iter()
                .chain(&self.after)
                .map(|report| &report.fact.kind)
                .chain(read)
                .any(|other| is_same_symbol(kind, other))
    }

    /// How the actions that worked found the facts of a predicate that they are declared to change:
    /// what they make true was false, and the other way round.
    fn of_setters(&self, predicate: usize, sentences: &mut Vec<String>) {
        // By fact, over the parameters of the actions: those that make it true, and those that make
        // it false.
        let mut setters: IndexMap<String, [Vec<&str>; 2]> = IndexMap::new();
        for action in self.domain.action_ids() {
            let parameters = &self.domain.action(action).parameters;
            let effects = self.declared[action.index()].iter();
            for effect in effects.filter(|effect| effect.predicate.index() == predicate) {
                let name = self.domain.signature.predicates.name(predicate);
                let variables = effect.parameters.iter().map(|&at| &parameters[at].name);
                let variables = variables.map(|variable| format!(" ?{variable}"));
                let fact = format!("({name}{})", variables.collect::<String>());
                let of_fact = setters.entry(fact).or_default();
                of_fact[usize::from(!effect.add)].push(self.domain.action_name(action));
            }
        }
        for (fact, by_effect) in &setters {
            let found: Vec<String> = [("false", &by_effect[0]), ("true", &by_effect[1])]
                .iter()
                .filter(|(_, actions)| !actions.is_empty())
                .zip([&**fact, "it"])
                .map(|((truth, actions), fact)| {
                    let actions = either(actions.iter().copied());
                    format!("before each {actions} that worked, {fact} was {truth}")
                })
                .collect();
            let found = found.join("; ").replacen('b', "B", 1);
            sentences.push(format!("{found}."));
        }
    }

    fn symbols_of(&self, facts: &[&StaticFact]) -> String {
        let signature = &self.domain.signature;
        listed(facts.iter().map(|fact| match &fact.fact.kind {
            CellMeaning::Number(function) => signature.functions.name(function.index()),
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                signature.predicates.name(predicate.index())
            }
        }))
    }

    /// A predicate with its variables, as a map writes it.
    fn fact(&self, predicate: PredicateId) -> String {
        let signature = &self.domain.signature;
        with_variables(signature.predicates.name(predicate.index()), signature.predicate(predicate))
    }

    /// A fact of cells, as a map writes it: `?x` is the object in column `x` of the same row, or the
    /// part `{x}` of the column's own name; `?cell` is the cell.
    fn fact_of(&self, template: &FactTemplate, column: Option<&ColumnPattern>) -> String {
        let signature = &self.domain.signature;
        let (name, symbol) = match template.kind {
            CellMeaning::Number(function) => {
                (signature.functions.name(function.index()), signature.function(function))
            }
            CellMeaning::Object(predicate) | CellMeaning::Flag(predicate, _) => {
                (signature.predicates.name(predicate.index()), signature.predicate(predicate))
            }
        };
        let captures: Vec<&str> = column.into_iter().flat_map(ColumnPattern::captures).collect();
        let own = column.and_then(ColumnPattern::literal);
        let variables = symbol.parameters.iter().zip(&template.arguments);
        let variables = variables.map(|(variable, (argument, _))| match argument {
            Argument::Column(column) if is_name(column) => format!(" ?{column}"),
            Argument::Column(column) => format!(" ?`{column}`"),
            Argument::Captured(index) => {
                let capture = captures.iter().filter(|capture| **capture != EPISODE).nth(*index);
                format!(" ?{}", capture.copied().unwrap_or(&variable.name))
            }
            Argument::Cell if own == Some(&variable.name) => format!(" ?{}", variable.name),
            Argument::Cell => " ?cell".to_owned(),
        });
        format!("({name}{})", variables.collect::<String>())
    }
}

fn with_variables(name: &str, symbol: &Symbol) -> String {
    let variables = symbol.parameters.iter().map(|variable| format!(" ?{}", variable.name));
    format!("({name}{})", variables.collect::<String>())
}

fn name(column: &MapColumn) -> String {
    as_word(&column.name)
}

/// Words, each once, with commas between.
fn listed(words: impl Iterator<Item = impl Into<String>>) -> String {
    let mut seen = BTreeSet::new();
    let words: Vec<String> =
        words.map(Into::into).filter(|word: &String| seen.insert(word.clone())).collect();
    words.join(", ")
}

/// A choice of words, one of which a cell has.
fn either<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words
        .map(|word| match word {
            "" => "nothing".to_owned(),
            "*" => "any other word".to_owned(),
            word => as_word(word),
        })
        .collect::<Vec<_>>()
        .join(" or ")
}

/// A word of a log among those of a sentence: in quotes, unless it cannot be taken for more or less
/// than one word.
fn as_word(word: &str) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, ',' | ';' | '"' | '`');
    match word {
        "nothing" | "or" | "is" => format!("{word:?}"),
        word if word.chars().all(is_plain) => word.to_owned(),
        word => format!("{word:?}"),
    }
}

/// What a cell in some place says of a fact.
fn cell_sentence(place: &str, fact: &str, kind: &CellMeaning, and_no_other: &str) -> String {
    match kind {
        CellMeaning::Number(_) => format!("The numbers in {place} are values of {fact}."),
        CellMeaning::Object(_) => {
            format!("{fact} is true of the object in {place}{and_no_other}.")
        }
        CellMeaning::Flag(_, words) => match yes_or_no_of(words) {
            Some(wanted) => {
                let (yes, no) = ("yes (true, yes, on, 1)", "no (false, no, off, 0)");
                let (one, other) = if wanted { (yes, no) } else { (no, yes) };
                format!("{fact} is true where {place} says {one}, and false where it says {other}.")
            }
            None => {
                let words = either(words.iter().map(String::as_str));
                format!(
                    "{fact} is true where {place} is {words}, and false where it is another word. \
                     No action depends on which other word it is, unless another sentence here \
                     reads that word."
                )
            }
        },
    }
}

/// Whether two cells are about the same function, or about the same predicate.
fn is_same_symbol(one: &CellMeaning, other: &CellMeaning) -> bool {
    match (one, other) {
        (CellMeaning::Number(one), CellMeaning::Number(other)) => one == other,
        (
            CellMeaning::Object(one) | CellMeaning::Flag(one, _),
            CellMeaning::Object(other) | CellMeaning::Flag(other, _),
        ) => one == other,
        _ => false,
    }
}
