//! The dials of a [`Spec`] against a domain: names and texts become ids, or the reason why they
//! mean nothing there.

use std::collections::BTreeMap;

use surefoot_base::advice::{Text, Worded};
use surefoot_base::assumptions::{
    Algorithm, DIALS, Declared, DialGroup, ErrorBound, FactDeclarations, Monotone, Spec, Unchanged,
};
use surefoot_base::dial;
use surefoot_base::exact::Rational;
use surefoot_base::model::{ActionId, Domain, FunctionId};
use surefoot_base::parts::{DomainParts, LinearTest};
use surefoot_base::pddl::{Diagnostic, Numbers, ReadError, Source, read_expression};

use super::inexact::check_combination;
use super::settings::Settings;
use crate::evidence::{Class, ColumnId, Degree, Learner, Monomial, Vocabulary};

/// Why dials make no sense for a domain.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{dial}: {message}")]
pub struct SpecError {
    /// The dial whose value does not fit.
    pub dial: &'static str,
    /// What is wrong with its value.
    pub message: Text,
}

impl Worded for SpecError {
    fn text(&self) -> Text {
        Text::from(self.dial) + ": " + self.message.clone()
    }
}

/// Larger errors are refused.
const LARGEST_ERROR: i64 = 1_000_000_000_000_000;

type Result<T> = std::result::Result<T, SpecError>;

impl Class {
    /// The class of models, in the ids of a domain.
    ///
    /// # Errors
    /// The map of relevant functions, or of errors, names what the domain does not have; or
    /// recorded numbers are to be inexact and rounded.
    pub fn of_spec(spec: &Spec, domain: &Domain) -> Result<Class> {
        let parts = parts(spec, domain)?;
        Ok(Class {
            degree: Degree { degree: spec.degree, squares: spec.squares },
            relevant: relevant(spec, domain, &parts)?,
            numbers: spec.decimals.map_or(Numbers::Exact, Numbers::Decimals),
            errors: errors(spec, domain)?,
            parts,
        })
    }
}

impl Settings {
    /// What models are made with, in the ids of a learner.
    ///
    /// # Errors
    /// The map of marks names what the learner's actions do not have, or marks what cannot be
    /// marked; or a dial of PlanMiner is turned.
    pub fn of_spec(spec: &Spec, learner: &Learner) -> Result<Settings> {
        if let Some(dial) = DIALS
            .iter()
            .find(|dial| dial.group == DialGroup::PlanMiner && spec.get(dial) != dial.usual())
        {
            return Err(SpecError {
                dial: dial.name,
                message: "only PlanMiner reads it; the safe learners do not".into(),
            });
        }
        let settings = Settings {
            algorithm: spec.algorithm,
            arity: spec.arity,
            effect_arity: spec.effect_arity,
            effect_decimals: spec.effect_decimals,
            monotone: monotone(spec, learner)?,
            positive_preconditions: spec.positive_preconditions,
            facet_budget: spec.facet_budget,
            digits: spec.digits,
            failure_budget: spec.failure_budget,
            unchanged_failed: spec.unchanged == Some(Unchanged::Failed),
            declared: declared(spec, learner.given())?,
            reading: spec.reading.clone(),
        };
        check_parts(&settings, learner)
            .map_err(|message| SpecError { dial: "parts", message: message.into() })?;
        check_combination(spec, &settings, learner)
            .map_err(|message| SpecError { dial: "error", message })?;
        settings
            .check(learner)
            .map_err(|error| SpecError { dial: "monotone", message: error.to_string().into() })?;
        Ok(settings)
    }
}

/// `{"charge": "(<= (battery ?r) 70)"}`
fn parts(spec: &Spec, domain: &Domain) -> Result<DomainParts> {
    DomainParts::read(domain, &spec.parts, (spec.degree, spec.squares))
        .map_err(|error| SpecError { dial: "parts", message: error.to_string().into() })
}

/// Refuses parts where nothing can be promised of them.
fn check_parts(settings: &Settings, learner: &Learner) -> std::result::Result<(), String> {
    let parts = learner.lens().parts();
    if parts.is_empty() {
        return Ok(());
    }
    if !learner.class().errors.is_empty() {
        return Err("recorded numbers must be exact where actions have parts: which part a state \
                    is in cannot be told from numbers that may be off; leave the errors or the \
                    parts out"
            .to_owned());
    }
    let reads_number = |action: &ActionId| {
        let tests = parts.of(*action).iter().flat_map(|part| &part.tests);
        tests.into_iter().any(|test| LinearTest::of(test).is_some())
    };
    match parts.actions().find(reads_number) {
        Some(action) if settings.algorithm == Algorithm::Sam => Err(format!(
            "SAM looks at no numbers, and the parts of {} do",
            learner.given().action_name(action)
        )),
        _ => Ok(()),
    }
}

/// `{"battery": 0.1, "(level ?t)": 0.01, "*": 0}`: by function, those that are not zero.
fn errors(spec: &Spec, domain: &Domain) -> Result<BTreeMap<FunctionId, Rational>> {
    let map = Map("error");
    let (mut errors, mut named) = (BTreeMap::new(), BTreeMap::new());
    let chosen = domain.inputs().ok().flatten().map(|inputs| inputs.value);
    for (text, bound) in spec.error.iter().filter(|(text, _)| *text != ErrorBound::OTHERS) {
        let Some(function) = applied(domain, text).or_else(|| named_function(domain, text)) else {
            return Err(map.error(format!("the domain has no function {text}")));
        };
        map.note(&mut named, function, text, "")?;
        map.of_sane_size(text, bound)?;
        if Some(function) == chosen && !bound.value().is_zero() {
            return Err(
                map.error(format!("{text} is the value of chosen numbers, which are exact"))
            );
        }
        errors.insert(function, bound.value().clone());
    }
    if let Some(bound) = spec.error.get(ErrorBound::OTHERS) {
        map.of_sane_size("every function", bound)?;
        let functions = (0..domain.signature.functions.len()).map(FunctionId::from);
        for function in functions.filter(|function| Some(*function) != chosen) {
            errors.entry(function).or_insert_with(|| bound.value().clone());
        }
    }
    errors.retain(|_, bound| !bound.is_zero());
    if !errors.is_empty() && spec.decimals.is_some() {
        let why = Text::from("rounding by ")
            + dial!("decimals")
            + " would move recorded numbers further from the true ones; leave one of the two out";
        return Err(map.error(why));
    }
    Ok(errors)
}

/// The function of a name without arguments.
fn named_function(domain: &Domain, name: &str) -> Option<FunctionId> {
    domain.signature.functions.find(name.trim()).map(FunctionId::from)
}

/// A function with the parameters that it is declared with.
fn with_parameters(domain: &Domain, function: FunctionId) -> String {
    let symbol = domain.signature.function(function);
    let parameters: String =
        symbol.parameters.iter().map(|parameter| format!(" ?{}", parameter.name)).collect();
    format!("({}{parameters})", domain.signature.functions.name(function.index()))
}

/// A map under its dial's name.
struct Map(&'static str);

impl Map {
    fn error(&self, message: impl Into<Text>) -> SpecError {
        SpecError { dial: self.0, message: message.into() }
    }

    /// Notes that a key means something; `Err` when another one meant the same.
    fn note<M: Ord>(
        &self,
        meanings: &mut BTreeMap<M, String>,
        meaning: M,
        key: &str,
        of: &str,
    ) -> Result<()> {
        match meanings.insert(meaning, key.to_owned()) {
            None => Ok(()),
            Some(other) if other == key => Err(self.error(format!("{of}{key:?} is listed twice"))),
            Some(other) => Err(self
                .error(format!("{of}{other:?} and {key:?} mean the same; list only one of them"))),
        }
    }

    /// Refuses an error beyond what anybody measures: a slip of the pen, under which nothing is
    /// learned.
    fn of_sane_size(&self, of: &str, bound: &ErrorBound) -> Result<()> {
        match bound.value() > &Rational::integer(LARGEST_ERROR) {
            true => Err(self.error(format!(
                "an error above 1e15 for {of} leaves nothing to learn from: give the largest \
                 distance between a recorded value and the true one"
            ))),
            false => Ok(()),
        }
    }

    fn action(&self, domain: &Domain, name: &str) -> Result<ActionId> {
        let index = domain.actions.find(name);
        index
            .map(ActionId::from)
            .ok_or_else(|| self.error(format!("the domain has no action {name}")))
    }

    /// The actions of the learned domain that a name stands for: all parts of an action of the
    /// given one, or one part.
    fn actions(
        &self,
        given: &Domain,
        learned: &Domain,
        parts: &DomainParts,
        name: &str,
    ) -> Result<Vec<ActionId>> {
        match (given.actions.find(name), learned.actions.find(name)) {
            (Some(action), _) => Ok(parts.learned_ids(action.into()).collect()),
            (None, Some(part)) => Ok(vec![part.into()]),
            (None, None) => self.action(given, name).map(|action| vec![action]),
        }
    }

    fn monomial(
        &self,
        domain: &Domain,
        vocabulary: &Vocabulary,
        action: ActionId,
        text: &str,
    ) -> Result<Monomial> {
        let source = Source::new(self.0, text);
        let expression = read_expression(&source, domain, action)
            .map_err(|error| self.error(format!("{text}: {}", in_short(&error))))?;
        vocabulary.monomial(&expression).ok_or_else(|| {
            self.error(format!(
                "{text}: expected a function of {}, or a product of some",
                domain.action_name(action)
            ))
        })
    }
}

/// The first thing that is wrong with a short text, on one line.
fn in_short(error: &ReadError) -> String {
    match error.diagnostics.first() {
        Some(Diagnostic { message, help: Some(help), .. }) => format!("{message} ({help})"),
        Some(Diagnostic { message, .. }) => message.clone(),
        None => error.to_string(),
    }
}

/// `{"(holds ?r ?i)": {"from": ["pick"], "until": ["place"]}}`: the predicate and the actions are
/// of the domain.
fn declared(spec: &Spec, domain: &Domain) -> Result<FactDeclarations> {
    let map = Map("declared");
    let mut resolved = FactDeclarations::new();
    for (fact, declared) in &spec.declared {
        let name = fact.trim_start_matches('(').split([' ', ')']).next().unwrap_or("");
        if domain.signature.predicates.find(name).is_none() {
            return Err(map.error(format!("the domain does not have the predicate of {fact}")));
        }
        let actions = |names: &[String]| -> Result<Vec<String>> {
            names
                .iter()
                .map(|name| map.action(domain, name).map(|_| name.to_ascii_lowercase()))
                .collect()
        };
        resolved.insert(
            fact.clone(),
            Declared { from: actions(&declared.from)?, until: actions(&declared.until)? },
        );
    }
    Ok(resolved)
}

/// `{"drive": ["(fuel ?t)", "(* (a ?x) (b ?y))"], "walk": []}`
fn relevant(
    spec: &Spec,
    given: &Domain,
    parts: &DomainParts,
) -> Result<BTreeMap<ActionId, Vec<Monomial>>> {
    let (map, domain) = (Map("relevant"), &parts.learned_domain(given));
    let (mut relevant, mut actions) = (BTreeMap::new(), BTreeMap::new());
    for (name, texts) in &spec.relevant {
        let ids = map.actions(given, domain, parts, name)?;
        for &id in &ids {
            map.note(&mut actions, id, name, "")?;
        }
        let Some(&id) = ids.first() else { continue };
        let vocabulary = Vocabulary::of(domain, id, Degree::LINEAR)
            .map_err(|error| map.error(format!("{name} has {error}")))?;
        let mut listed = BTreeMap::new();
        for text in texts {
            map.note(
                &mut listed,
                map.monomial(domain, &vocabulary, id, text)?,
                text,
                &format!("{name}: "),
            )?;
        }
        let mut monomials: Vec<Monomial> = listed.into_keys().collect();
        monomials.sort_by(|one, other| (one.0.len(), one).cmp(&(other.0.len(), other)));
        relevant.extend(ids.into_iter().map(|id| (id, monomials.clone())));
    }
    Ok(relevant)
}

/// `{"*": {"(fuel ?a)": "more"}, "turn_to": {"(fuel-used)": "any"}}`. Under `*` a function counts
/// for every action that has it, whatever its parameters are called; an action's own marks come
/// before.
fn monotone(
    spec: &Spec,
    learner: &Learner,
) -> Result<BTreeMap<ActionId, BTreeMap<ColumnId, Monotone>>> {
    let (map, domain) = (Map("monotone"), learner.domain());
    let (given, parts) = (learner.given(), learner.lens().parts());
    let mut monotone: BTreeMap<ActionId, BTreeMap<ColumnId, Monotone>> = BTreeMap::new();
    let mut actions = BTreeMap::new();
    for (name, marks) in spec.monotone.iter().filter(|(name, _)| *name != "*") {
        for id in map.actions(given, domain, parts, name)? {
            map.note(&mut actions, id, name, "")?;
            let mut columns = BTreeMap::new();
            for (text, mark) in marks {
                let vocabulary = learner.vocabulary(id);
                let wanted = map.monomial(domain, vocabulary, id, text)?;
                let Some(column) = vocabulary.columns.position(|column| *column == wanted) else {
                    return Err(map.error(format!(
                        "conditions of {name} cannot read {text}: it is not among the functions \
                         and products of its class, or its list of relevant functions leaves it \
                         out"
                    )));
                };
                map.note(&mut columns, column, text, &format!("{name}: "))?;
                monotone.entry(id).or_default().insert(column, *mark);
            }
        }
    }
    let mut functions = BTreeMap::new();
    for (text, mark) in spec.monotone.get("*").into_iter().flatten() {
        let Some(wanted) = applied(domain, text) else {
            let meant =
                named_function(domain, text).map(|function| with_parameters(domain, function));
            let message = meant.map(|meant| format!("{text} has parameters: write {meant}"));
            return Err(
                map.error(message.unwrap_or_else(|| format!("no action has the function {text}")))
            );
        };
        map.note(&mut functions, wanted, text, "*: ")?;
        let mut used = false;
        for id in domain.action_ids() {
            let vocabulary = learner.vocabulary(id);
            for (column, monomial) in vocabulary.columns.pairs() {
                if let [factor] = monomial.0[..]
                    && vocabulary.functions[factor].symbol == wanted
                {
                    used = true;
                    monotone.entry(id).or_default().entry(column).or_insert(*mark);
                }
            }
        }
        if !used {
            return Err(map.error(format!("no action has the function {text}")));
        }
    }
    Ok(monotone)
}

/// The function that a user applies, to as many arguments as it has, whatever they are called.
fn applied(domain: &Domain, text: &str) -> Option<FunctionId> {
    let mut words =
        text.trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace()).split_whitespace();
    let id = FunctionId::from(domain.signature.functions.find(words.next()?)?);
    (domain.signature.function(id).parameters.len() == words.count()).then_some(id)
}
