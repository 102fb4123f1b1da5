//! The JSON maps of the dials: relevant functions, monotone functions. Keys are read as PDDL expressions, not as strings.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use surefoot::learn::{Learner, Monomial, Monotone, Vocabulary};
use surefoot::model::{ActionId, Domain, FunctionId};
use surefoot::pddl::{Source, read_expression};

use crate::input;
use crate::output::shown_path;

/// A JSON object in which no key stands twice: where one does, nobody can tell which of the two was meant.
struct Unique<T>(BTreeMap<String, T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Unique<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor(PhantomData))
    }
}

struct UniqueVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueVisitor<T> {
    type Value = Unique<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique<T>, A::Error> {
        let mut unique = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            match unique.entry(key) {
                Entry::Occupied(taken) => return Err(Error::custom(format!("the key {:?} stands there twice", taken.key()))),
                Entry::Vacant(free) => free.insert(map.next_value()?),
            };
        }
        Ok(Unique(unique))
    }
}

/// Notes that a key means something; `Err` when another one meant the same.
fn note<M: Ord>(meanings: &mut BTreeMap<M, String>, meaning: M, key: &str, origin: &dyn Display) -> Result<()> {
    match meanings.insert(meaning, key.to_owned()) {
        None => Ok(()),
        Some(other) if other == key => bail!("{origin}: {key:?} stands there twice"),
        Some(other) => bail!("{origin}: {other:?} and {key:?} mean the same; one of them is to stand there"),
    }
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T> {
    let source = input::source(path)?;
    serde_json::from_str(source.text()).with_context(|| format!("{} is not such a map", shown_path(path)))
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
    let Unique(map) = read(path)?;
    relevant_of(map, &shown_path(path), domain)
}

/// The same from a map that comes from elsewhere; `origin` is what messages call it.
pub fn relevant_of(map: RelevantMap, origin: &dyn Display, domain: &Domain) -> Result<BTreeMap<usize, Vec<Monomial>>> {
    let mut relevant = BTreeMap::new();
    let mut actions = BTreeMap::new();
    for (name, texts) in map {
        let id = action(domain, origin, &name)?;
        note(&mut actions, id, &name, origin)?;
        let vocabulary = Vocabulary::of(domain, id, surefoot::learn::Degree::LINEAR).context("too many functions")?;
        let mut listed = BTreeMap::new();
        for text in &texts {
            note(&mut listed, monomial(domain, &vocabulary, origin, id, text)?, text, &format!("{origin}: {name}"))?;
        }
        let mut monomials: Vec<Monomial> = listed.into_keys().collect();
        monomials.sort_by(|one, other| (one.0.len(), one).cmp(&(other.0.len(), other)));
        relevant.insert(id.index(), monomials);
    }
    Ok(relevant)
}

/// `{"*": {"(fuel ?a)": "more"}, "turn_to": {"(fuel-used)": "any"}}`. Under `*` a function counts for every action that has it,
/// whatever its parameters are called; an action's own marks come before.
pub fn monotone(path: &Path, learner: &Learner) -> Result<BTreeMap<usize, BTreeMap<usize, Monotone>>> {
    let Unique::<Unique<String>>(map) = read(path)?;
    monotone_of(&map.into_iter().map(|(name, Unique(marks))| (name, marks)).collect(), &shown_path(path), learner)
}

/// The same from a map that comes from elsewhere; `origin` is what messages call it.
pub fn monotone_of(
    map: &MonotoneMap,
    origin: &dyn Display,
    learner: &Learner,
) -> Result<BTreeMap<usize, BTreeMap<usize, Monotone>>> {
    let domain = learner.domain();
    let mut monotone: BTreeMap<usize, BTreeMap<usize, Monotone>> = BTreeMap::new();
    let mut actions = BTreeMap::new();
    for (name, marks) in map.iter().filter(|(name, _)| *name != "*") {
        let id = action(domain, origin, name)?;
        note(&mut actions, id, name, origin)?;
        let mut columns = BTreeMap::new();
        for (text, word) in marks {
            let vocabulary = learner.vocabulary(id);
            let wanted = monomial(domain, vocabulary, origin, id, text)?;
            let Some(column) = vocabulary.columns.iter().position(|column| *column == wanted) else {
                bail!("{origin}: {text} is no column of {name}; with a map of relevant functions only those are");
            };
            note(&mut columns, column, text, &format!("{origin}: {name}"))?;
            monotone.entry(id.index()).or_default().insert(column, mark(origin, word)?);
        }
    }
    let mut functions = BTreeMap::new();
    for (text, word) in map.get("*").into_iter().flatten() {
        let Some(wanted) = function(domain, text) else { bail!("{origin}: {text} is a function of no action") };
        note(&mut functions, wanted, text, &format!("{origin}: *"))?;
        let mut used = false;
        for id in domain.action_ids() {
            let vocabulary = learner.vocabulary(id);
            for (column, monomial) in vocabulary.columns.iter().enumerate() {
                if let [factor] = monomial.0[..]
                    && vocabulary.functions[factor].symbol == wanted
                {
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

/// The function that a user applies, to as many arguments as it has, whatever they are called.
fn function(domain: &Domain, text: &str) -> Option<FunctionId> {
    let mut words = text.trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace()).split_whitespace();
    let id = FunctionId::from(domain.signature.functions.find(words.next()?)?);
    (domain.signature.function(id).parameters.len() == words.count()).then_some(id)
}

fn mark(origin: &dyn Display, word: &str) -> Result<Monotone> {
    match word {
        "more" => Ok(Monotone::More),
        "less" => Ok(Monotone::Less),
        "any" => Ok(Monotone::Any),
        _ => bail!("{origin}: expected \"more\", \"less\" or \"any\", found {word:?}"),
    }
}
