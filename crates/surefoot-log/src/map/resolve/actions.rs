//! What actions are, which facts they are declared to change, and where their arguments come from.

use indexmap::IndexMap;
use surefoot_base::assumptions::{Declared, FactDeclarations};
use surefoot_base::model::{Action, Condition, Effect, Names, TypeId, TypeSet, Variable};
use surefoot_base::pddl::{Diagnostic, Span};
use toml::Spanned;

use super::{MapResolver, Own, span};
use crate::map::ActionMap;
use crate::map::fact::MapFact;
use crate::map::meaning::{ActionRule, ArgumentSources, DeclaredEffect, MapColumn, Parameter};
use crate::names::{is_name, named};

impl MapResolver<'_> {
    pub(super) fn actions(
        &mut self,
    ) -> Result<(Names<Action>, IndexMap<String, ActionRule>), Diagnostic> {
        let (mut actions, mut rules) = (Names::default(), IndexMap::new());
        for (key, what) in &self.map.actions {
            let at = span(what);
            for word in key.get_ref().split(',').map(str::trim) {
                let rule = match what.get_ref() {
                    ActionMap::Word(kind) if kind == "report" => ActionRule::Report,
                    ActionMap::Word(_) => {
                        let message = "expected \"report\", a list of columns, or parameters with \
                                       their columns";
                        return Err(self.error(at, message));
                    }
                    ActionMap::Columns(columns) => {
                        let pairs = columns
                            .iter()
                            .map(|column| {
                                (self.name_of_parameter(untyped(column)), column.as_str())
                            })
                            .collect::<Vec<_>>();
                        self.attempt(word, pairs.into_iter(), at, &mut actions)?
                    }
                    ActionMap::Parameters(parameters) => {
                        let pairs =
                            parameters.iter().map(|(name, from)| (name.clone(), from.as_str()));
                        self.attempt(word, pairs, at, &mut actions)?
                    }
                };
                if rules.insert(word.to_owned(), rule).is_some() {
                    return Err(
                        self.error(span(key), format!("the action `{word}` is listed twice"))
                    );
                }
            }
        }
        let sources = rules.values().flat_map(|rule| match rule {
            ActionRule::Report => &[][..],
            ActionRule::Attempt(_, sources) => sources,
        });
        let used = sources.filter_map(|source| match source {
            Parameter::Input(column, _) => Some(column.name.clone()),
            Parameter::Column(..) | Parameter::Before(..) => None,
        });
        self.all_used(&used.collect())?;
        if actions.is_empty() {
            return Err(Diagnostic::of_file(self.source.name(), "the map names no action")
                .help("see [actions]"));
        }
        Ok((actions, rules))
    }

    /// The parameter that a column in a list is.
    fn name_of_parameter(&self, column: &str) -> String {
        self.input(column).map_or_else(|| named(column, "p"), |input| input.name.clone())
    }

    fn attempt<'w>(
        &mut self,
        word: &str,
        parameters: impl Iterator<Item = (String, &'w str)>,
        at: Span,
        actions: &mut Names<Action>,
    ) -> Result<ActionRule, Diagnostic> {
        let (mut variables, mut sources) = (Vec::<Variable>::new(), Vec::<Parameter>::new());
        for (name, from) in parameters {
            if !is_name(&name) {
                return Err(self.error(
                    at,
                    format!(
                        "`{name}` cannot be a parameter: a letter, then \
                        letters, digits, `-` and `_`"
                    ),
                ));
            }
            if variables.iter().any(|known| *known.name == *name) {
                return Err(self
                    .error(at, format!("two parameters of {word} are called `{name}`"))
                    .help("give them names: { from = \"a\", to = \"b\" }"));
            }
            let (parameter, of) = self.parameter(from, at)?;
            let is_input = matches!(parameter, Parameter::Input(..));
            if let (Some(input), false) =
                (self.inputs.iter().find(|input| input.name == name), is_input)
            {
                let message =
                    format!("`{}` is an input, and another parameter of {word}", input.name);
                return Err(self.error(at, message).help("give one of them another name"));
            }
            let same = |source: &Parameter| match (source, &parameter) {
                (Parameter::Input(one, _), Parameter::Input(other, _)) => one.name == other.name,
                _ => false,
            };
            if sources.iter().any(same) {
                let message = format!("two parameters of {word} are the same input");
                return Err(self.error(at, message));
            }
            variables.push(Variable { name: name.into(), types: TypeSet::either([of]) });
            sources.push(parameter);
        }
        let name = named(word, "action");
        let action =
            Action { parameters: variables, precondition: Condition::TRUE, effect: Effect::NONE };
        match actions.insert(&name, action) {
            Ok(index) => Ok(ActionRule::Attempt(index.into(), sources)),
            Err(_) => Err(self.error(at, format!("two actions would be called `{name}` in PDDL"))),
        }
    }

    /// `COLUMN`, `COLUMN - TYPE`, or `(PREDICATE ?COLUMN ...)`: what it names before the step.
    fn parameter(&mut self, from: &str, at: Span) -> Result<(Parameter, TypeId), Diagnostic> {
        if !from.trim_start().starts_with('(') {
            let name = untyped(from).to_owned();
            if let Some(input) = self.input(&name) {
                if from.trim() != name {
                    let (column, of) = (&input.column.name, &input.type_name);
                    let message = format!("`{name}` is an input, whose numbers have the type {of}");
                    let help = format!(
                        "for another type, write {} = \"{column} - TYPE\" under `inputs`",
                        input.name
                    );
                    return Err(self.error(at, message).help(help));
                }
                let column = MapColumn { name: input.column.name.clone(), span: input.column.span };
                return Ok((Parameter::Input(column, input.of), input.of));
            }
            let of = match from.split_once(" - ") {
                Some((_, of)) => self.declare(of.trim(), at)?,
                None => self.type_of(&name, at)?,
            };
            self.no_input(&[of], &name, at)?;
            self.mention(&name, of, at)?;
            return Ok((Parameter::Column(MapColumn { name, span: at }, of), of));
        }
        let fact = MapFact::plain(from).map_err(|message| self.error(at, message))?;
        let found = self
            .signature
            .predicates
            .find(&fact.name)
            .map(|index| (index, self.predicates[index].value));
        let Some((index, Some(value))) = found else {
            let message = format!(
                "`{}` names no object: no column of this map is said to be (… ?{})",
                fact.name, fact.name
            );
            return Err(self
                .error(at, message)
                .help("expected a fact of [before] or [after] whose cells name objects"));
        };
        let types: Vec<TypeId> = {
            let parameters = &self.signature.predicate(index.into()).parameters;
            parameters.iter().flat_map(|parameter| parameter.types.types()).copied().collect()
        };
        let own = Own { literal: None, captures: Vec::new() };
        let mut arguments = ArgumentSources::new();
        for variable in &fact.variables {
            arguments.push(self.argument(variable, &own, false, at)?);
        }
        let wanted: Vec<TypeId> = types
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != value)
            .map(|(_, of)| *of)
            .collect();
        if arguments.iter().map(|(_, of)| *of).ne(wanted.iter().copied()) {
            if let Some(error) = self.slip() {
                return Err(error);
            }
            let message = format!(
                "`{}` is asked for the object in its place {}, with all other places given",
                fact.name,
                value + 1
            );
            return Err(self.error(at, message));
        }
        Ok((Parameter::Before(index.into(), arguments), types[value]))
    }

    pub(super) fn declared(
        &mut self,
        actions: &Names<Action>,
        rules: &IndexMap<String, ActionRule>,
    ) -> Result<(Vec<Vec<DeclaredEffect>>, FactDeclarations), Diagnostic> {
        let mut effects = vec![Vec::new(); actions.len()];
        let mut declarations = FactDeclarations::new();
        for (key, what) in &self.map.declared {
            let at = span(key);
            let fact = MapFact::plain(key.get_ref()).map_err(|message| self.error(at, message))?;
            let what = what.get_ref();
            if what.from.0.is_empty() && what.until.0.is_empty() {
                return Err(self.error(at, "a declared fact has a `from`, an `until`, or both"));
            }
            let mut named_by = [Vec::new(), Vec::new()];
            let both = [(true, &what.from), (false, &what.until)];
            for (add, word) in
                both.iter().flat_map(|(add, words)| words.0.iter().map(move |word| (*add, word)))
            {
                let Some(ActionRule::Attempt(action, _)) = rules.get(word) else {
                    return Err(self.error(at, format!("`{word}` is not an action of this map")));
                };
                let parameters = &actions.value(action.index()).parameters;
                let mut numbers = Vec::new();
                for variable in &fact.variables {
                    let Some(number) =
                        parameters.iter().position(|parameter| *parameter.name == *variable.name)
                    else {
                        let known: Vec<&str> =
                            parameters.iter().map(|parameter| &*parameter.name).collect();
                        let message = format!(
                            "{word} has no parameter ?{}; it has {}",
                            variable.name,
                            known.join(", ")
                        );
                        return Err(self.error(at, message));
                    };
                    numbers.push(number);
                }
                let types: Vec<TypeId> = numbers
                    .iter()
                    .flat_map(|&number| parameters[number].types.types())
                    .copied()
                    .collect();
                let names = fact.variables.iter().map(|variable| variable.name.as_str());
                let predicate = self.predicate(&fact.name, names, &types, at)?;
                self.predicates[predicate.index()].declared = true;
                effects[action.index()].push(DeclaredEffect {
                    add,
                    predicate,
                    parameters: numbers,
                });
                named_by[usize::from(!add)].push(actions.name(action.index()).to_owned());
            }
            let of_columns = self.map.after.values().chain(self.map.before.values());
            let of_readings = self.map.values.iter().flat_map(|values| values.facts.values());
            let mut reported = of_columns
                .flat_map(|facts| &facts.get_ref().0)
                .chain(of_readings.map(Spanned::get_ref))
                .filter_map(|text| MapFact::read(text).ok());
            if reported.any(|other| other.name == fact.name) {
                let message = format!(
                    "a column says how `{}` is, so its changes cannot be declared",
                    fact.name
                );
                return Err(self.error(at, message));
            }
            if let Some(start) = what.start {
                let is_given = self
                    .signature
                    .predicates
                    .find(&fact.name)
                    .map(|predicate| &mut self.predicates[predicate]);
                if let Some(role) = is_given {
                    if role.value.is_some() && start {
                        let message = format!(
                            "cells of a file under [static] say for which objects `{}` is true at \
                             the start",
                            fact.name
                        );
                        return Err(self
                            .error(at, message)
                            .help("leave `start` out, or write `start = false` for all others"));
                    }
                    if role.start.is_some_and(|other| other != start) {
                        return Err(self.error(
                            at,
                            format!(
                                "`{}` is true at the start here, and false elsewhere",
                                fact.name
                            ),
                        ));
                    }
                    role.start = Some(start);
                }
            }
            let variables: String =
                fact.variables.iter().map(|variable| format!(" ?{}", variable.name)).collect();
            let [from, until] = named_by;
            declarations.insert(format!("({}{variables})", fact.name), Declared { from, until });
        }
        for (index, role) in self.predicates.iter_mut().enumerate() {
            let mut changes =
                effects.iter().flatten().filter(|effect| effect.predicate.index() == index);
            let first = changes.next().map(|effect| effect.add);
            role.toggles = changes.any(|effect| Some(effect.add) != first);
        }
        Ok((effects, declarations))
    }
}

fn untyped(column: &str) -> &str {
    column.split_once(" - ").map_or(column, |(column, _)| column).trim()
}
