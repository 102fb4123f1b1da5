//! The JSON maps of the dials: relevant functions, monotone functions. Keys are read as PDDL expressions, not as strings.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use anyhow::{Context, Result, bail};
use surefoot::learn::{Learner, Monomial, Monotone, Vocabulary};
use surefoot::model::{ActionId, Domain};
use surefoot::pddl::{Source, read_expression};

use crate::input;

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let source = input::source(path)?;
    serde_json::from_str(source.text()).with_context(|| format!("{} is not such a map", path.display()))
}

fn action(domain: &Domain, origin: &dyn Display, name: &str) -> Result<ActionId> {
    let index = domain.actions.find(name);
    index.map(ActionId::from).with_context(|| format!("{origin}: the domain has no action {name}"))
}

fn monomial(domain: &Domain, vocabulary: &Vocabulary, origin: &dyn Display, action: ActionId, text: &str) -> Result<Monomial> {
    let name = format!("{origin}: {text}");
    let expression = read_expression(&Source::new(name.clone(), text), domain, action)?;
    let monomial = vocabulary.monomial(&expression);
    monomial.with_context(|| format!("{name}: expected a function of {}, or a product of some", domain.action_name(action)))
}

/// By action: the monomials that matter to it.
pub type RelevantMap = BTreeMap<String, Vec<String>>;
/// By action, or `*`: functions, and the word for which way they may move.
pub type MonotoneMap = BTreeMap<String, BTreeMap<String, String>>;

/// `{"drive": ["(fuel ?t)", "(* (a ?x) (b ?y))"], "walk": []}`
pub fn relevant(path: &Path, domain: &Domain) -> Result<BTreeMap<usize, Vec<Monomial>>> {
    relevant_of(read(path)?, &path.display(), domain)
}

/// The same from a map that comes from elsewhere; `origin` is what messages call it.
pub fn relevant_of(map: RelevantMap, origin: &dyn Display, domain: &Domain) -> Result<BTreeMap<usize, Vec<Monomial>>> {
    let mut relevant = BTreeMap::new();
    for (name, texts) in map {
        let id = action(domain, origin, &name)?;
        let vocabulary = Vocabulary::of(domain, id, surefoot::learn::Degree::LINEAR).context("too many functions")?;
        let read = texts.iter().map(|text| monomial(domain, &vocabulary, origin, id, text));
        let mut monomials: Vec<Monomial> = read.collect::<Result<_>>()?;
        monomials.sort_by(|one, other| (one.0.len(), one).cmp(&(other.0.len(), other)));
        monomials.dedup();
        relevant.insert(id.index(), monomials);
    }
    Ok(relevant)
}

/// `{"*": {"(fuel ?a)": "more"}, "turn_to": {"(fuel-used)": "any"}}`. Under `*` a function counts for every action that has it,
/// whatever its parameters are called; an action's own marks come before.
pub fn monotone(path: &Path, learner: &Learner) -> Result<BTreeMap<usize, BTreeMap<usize, Monotone>>> {
    monotone_of(&read(path)?, &path.display(), learner)
}

/// The same from a map that comes from elsewhere; `origin` is what messages call it.
pub fn monotone_of(
    map: &MonotoneMap,
    origin: &dyn Display,
    learner: &Learner,
) -> Result<BTreeMap<usize, BTreeMap<usize, Monotone>>> {
    let domain = learner.domain();
    let mut monotone: BTreeMap<usize, BTreeMap<usize, Monotone>> = BTreeMap::new();
    for (name, marks) in map.iter().filter(|(name, _)| *name != "*") {
        let id = action(domain, origin, name)?;
        for (text, word) in marks {
            let vocabulary = learner.vocabulary(id);
            let wanted = monomial(domain, vocabulary, origin, id, text)?;
            let Some(column) = vocabulary.columns.iter().position(|column| *column == wanted) else {
                bail!("{origin}: {text} is no column of {name}; with a map of relevant functions only those are");
            };
            monotone.entry(id.index()).or_default().insert(column, mark(origin, word)?);
        }
    }
    for (text, word) in map.get("*").into_iter().flatten() {
        let mut used = false;
        for id in domain.action_ids() {
            let vocabulary = learner.vocabulary(id);
            for (column, monomial) in vocabulary.columns.iter().enumerate() {
                if monomial.0.len() == 1 && same_function(&learner.written(id.index(), monomial), text) {
                    used = true;
                    let mark = mark(origin, word)?;
                    monotone.entry(id.index()).or_default().entry(column).or_insert(mark);
                }
            }
        }
        if !used {
            bail!("{origin}: {text} is a function of no action");
        }
    }
    Ok(monotone)
}

/// Whether two applications name one function with as many arguments.
fn same_function(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace())
            .split_whitespace()
            .map(str::to_ascii_lowercase)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    one.len() == other.len() && one.first() == other.first()
}

fn mark(origin: &dyn Display, word: &str) -> Result<Monotone> {
    match word {
        "more" => Ok(Monotone::More),
        "less" => Ok(Monotone::Less),
        "any" => Ok(Monotone::Any),
        _ => bail!("{origin}: expected \"more\", \"less\" or \"any\", found {word:?}"),
    }
}
