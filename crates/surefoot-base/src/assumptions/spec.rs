//! Every dial of the learner, declared once: its name, its words, its bounds and its default.
//!
//! A [`Spec`] holds the dials as a user says them, in names and texts. The command line,
//! configuration files, Python and certificates all go through it: [`DIALS`] says what there is,
//! [`Spec::set`] takes a value, and serde reads and writes the whole. `learn` resolves it against a
//! domain. A new dial is a field, a line in the table, its sentence in [`super::Assumptions`], and
//! what the learner does.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::invariant::Invariant;
use crate::parts::{DeclaredParts, FindParts, PartsMap};

use super::{Algorithm, ErrorBound, ErrorMap, Monotone, Repair};

/// By action: functions and products of functions, as PDDL.
pub type RelevantMap = BTreeMap<String, Vec<String>>;

/// By action (`*`: all): functions and products of functions, as PDDL, and which way each may move.
pub type MonotoneMap = BTreeMap<String, BTreeMap<String, Monotone>>;

/// By fact, as PDDL over the parameters of actions: which actions make it true, and which false.
pub type FactDeclarations = BTreeMap<String, Declared>;

/// Which actions are said to make a fact true, and which false.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// The actions that make it true.
    pub from: Vec<String>,
    /// The actions that make it false.
    pub until: Vec<String>,
}

/// The dials as a user says them. What is left out is as in the paper.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Spec {
    /// Which actions are learned, and whether numbers are modelled.
    pub algorithm: Algorithm,
    /// The most factors of a product of functions that conditions and effects are linear in.
    pub degree: u32,
    /// Whether a factor may repeat.
    pub squares: bool,
    /// By action: the only functions and products that its conditions and effects read.
    pub relevant: RelevantMap,
    /// By action: the parts of the states in each of which it behaves in one way.
    #[serde(skip_serializing_if = "PartsMap::is_empty")]
    pub parts: PartsMap,
    /// To how many decimals recorded numbers are rounded.
    pub decimals: Option<u32>,
    /// N(e): by function, how far recorded values may be from the true ones. Empty: they are exact.
    #[serde(skip_serializing_if = "ErrorMap::is_empty")]
    pub error: ErrorMap,
    /// A(k): the most functions that a numeric condition mentions.
    pub arity: Option<usize>,
    /// E(k): the most functions that the right-hand side of a numeric effect reads.
    pub effect_arity: Option<usize>,
    /// Q(N): the most decimals of the coefficients and constants of numeric effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect_decimals: Option<u32>,
    /// M: by action, functions and products, and which way they may move.
    pub monotone: MonotoneMap,
    /// Whether preconditions have no negative atoms.
    pub positive_preconditions: bool,
    /// The most facets an action may have; beyond, a polytope inside is learned.
    pub facet_budget: usize,
    /// The most digits a coefficient may have; longer ones are rounded inward.
    pub digits: Option<u32>,
    /// The most failed attempts of an action that are made use of.
    #[serde(skip_serializing_if = "is_usual_failure_budget")]
    pub failure_budget: usize,
    /// How recorded steps are read that changed nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<Unchanged>,
    /// The facts that nobody recorded: they were put into the traces because someone knows which
    /// actions change them.
    #[serde(skip_serializing_if = "FactDeclarations::is_empty")]
    pub declared: FactDeclarations,
    /// Sentences about how the records were read: what was taken for granted on the way from a log
    /// to steps.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub reading: BTreeSet<String>,
    /// PlanMiner: the repairs that are made. The safe learners refuse this and what follows, and
    /// certificates have none of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repair: Vec<Repair>,
    /// PlanMiner: the seed of the samples that expressions are judged by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// PlanMiner: the seconds after which a run is killed, as the paper did after 600.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<u64>,
}

impl Default for Spec {
    /// The class of the paper.
    fn default() -> Self {
        Spec {
            algorithm: Algorithm::default(),
            degree: 1,
            squares: false,
            relevant: RelevantMap::new(),
            parts: PartsMap::new(),
            decimals: None,
            error: ErrorMap::new(),
            arity: None,
            effect_arity: None,
            effect_decimals: None,
            monotone: MonotoneMap::new(),
            positive_preconditions: false,
            facet_budget: 100_000,
            digits: None,
            failure_budget: FAILURE_BUDGET,
            unchanged: None,
            declared: FactDeclarations::new(),
            reading: BTreeSet::new(),
            repair: Vec::new(),
            seed: None,
            time_limit: None,
        }
    }
}

/// The number of failed attempts of an action that are used by default.
const FAILURE_BUDGET: usize = 1_000;

/// Certificates of records without failures are as they were before there were any.
fn is_usual_failure_budget(budget: &usize) -> bool {
    *budget == FAILURE_BUDGET
}

/// How recorded steps are read that changed nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unchanged {
    /// As failed attempts, where their action would have changed something.
    Failed,
}

/// What a dial takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Nothing: it is on or off.
    Switch,
    /// The name of an algorithm.
    Algorithm,
    /// One of some words.
    Word(&'static [&'static str]),
    /// A whole number within these bounds.
    Number(u64, u64),
    /// A map from actions to lists of functions.
    Relevant,
    /// The word `found`, or a map from actions to tests.
    Parts,
    /// A map from actions to functions and marks.
    Monotone,
    /// A number that is not below zero, or a map from functions to such numbers.
    Errors,
    /// A map from facts to the actions that make them true and false.
    Declared,
    /// A list of sentences.
    Sentences,
    /// A list of repairs of PlanMiner, or the word `all`.
    Repairs,
}

/// What a dial is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DialGroup {
    /// The class of models: fixed when a learner is made, and part of its state.
    Class,
    /// Stronger assumptions and limits: chosen for each model that is made from the same evidence.
    Model,
    /// For PlanMiner, which promises nothing; the safe learners refuse them.
    PlanMiner,
}

/// The declaration of a dial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dial {
    /// Its name, with `-` between words.
    pub name: &'static str,
    /// What it is about.
    pub group: DialGroup,
    /// The kind of value that it takes.
    pub takes: Takes,
    /// What stands for its value in help.
    pub value: &'static str,
    /// What the dial does, for help.
    pub about: &'static str,
}

/// The largest number that a dial without a bound of its own takes.
const UNBOUNDED: u64 = u32::MAX as u64;

/// All dials, in the order of help.
pub const DIALS: &[Dial] = &[
    Dial {
        name: "degree",
        group: DialGroup::Class,
        takes: Takes::Number(1, 10),
        value: "N",
        about: "Learn conditions and effects that are linear in products of at most N different \
                functions",
    },
    Dial {
        name: "squares",
        group: DialGroup::Class,
        takes: Takes::Switch,
        value: "",
        about: "Let products repeat a factor, where the degree is at least 2. Expect a model that \
                allows little more than the recorded values: records say almost nothing about the \
                values \
                between them",
    },
    Dial {
        name: "relevant",
        group: DialGroup::Class,
        takes: Takes::Relevant,
        value: "RELEVANT.json",
        about: "JSON: for each action, the only functions and products that its conditions and \
        effects read. With a degree, also products of these functions",
    },
    Dial {
        name: "parts",
        group: DialGroup::Class,
        takes: Takes::Parts,
        value: "found|PARTS.json",
        about: "JSON: by action, the test that separates two ways in which it behaves, such as \
                {\"charge\": \"(<= (battery ?r) 70)\"}; a list of such tests; or a list of parts, \
                each a list of all its tests. Each part is learned as an action of its own. The \
                word `found` finds the parts in the records where these refute an action",
    },
    Dial {
        name: "decimals",
        group: DialGroup::Class,
        takes: Takes::Number(0, 1000),
        value: "N",
        about: "Round recorded numbers to N decimals; without it, they are exactly what is \
                written",
    },
    Dial {
        name: "error",
        group: DialGroup::Class,
        takes: Takes::Errors,
        value: "E|ERRORS.json",
        about: "Each recorded value is within E of the true one. Or JSON: by function (or \
                \"*\"), within how much; 0 means exact. The model keeps margins for these \
                errors, and says how far off its numbers can be",
    },
    Dial {
        name: "algorithm",
        group: DialGroup::Model,
        takes: Takes::Algorithm,
        value: "NAME",
        about: "Which actions are learned, and from how much evidence",
    },
    Dial {
        name: "arity",
        group: DialGroup::Model,
        takes: Takes::Number(1, UNBOUNDED),
        value: "K",
        about: "Assume that each numeric condition mentions at most K functions",
    },
    Dial {
        name: "effect-arity",
        group: DialGroup::Model,
        takes: Takes::Number(0, UNBOUNDED),
        value: "K",
        about: "Assume that the right-hand side of each numeric effect reads at most K functions",
    },
    Dial {
        name: "effect-decimals",
        group: DialGroup::Model,
        takes: Takes::Number(0, 1000),
        value: "N",
        about: "For records with errors: assume that coefficients and constants of numeric \
                effects have at most N decimals. Where the records leave only one such effect, \
                it is exact",
    },
    Dial {
        name: "monotone",
        group: DialGroup::Model,
        takes: Takes::Monotone,
        value: "FILE.json",
        about: "JSON: by action (or \"*\"), functions of which more, less, or any amount never \
                makes the action inapplicable",
    },
    Dial {
        name: "positive-preconditions",
        group: DialGroup::Model,
        takes: Takes::Switch,
        value: "",
        about: "Assume that preconditions have no negative atoms",
    },
    Dial {
        name: "facet-budget",
        group: DialGroup::Model,
        takes: Takes::Number(1, UNBOUNDED),
        value: "N",
        about: "The most facets of an action. With an arity of K, each set of K functions gets an \
        equal share, at least about 1000. If there are more, the model has a smaller region, \
        which is safe",
    },
    Dial {
        name: "digits",
        group: DialGroup::Model,
        takes: Takes::Number(1, 1000),
        value: "N",
        about: "The most digits of a coefficient; longer ones are rounded so that the region \
                shrinks",
    },
    Dial {
        name: "failure-budget",
        group: DialGroup::Model,
        takes: Takes::Number(0, UNBOUNDED),
        value: "N",
        about: "The most failed attempts of an action that are used; with fewer, more answers \
                are `unknown`",
    },
    Dial {
        name: "unchanged",
        group: DialGroup::Model,
        takes: Takes::Word(&["failed"]),
        value: "HOW",
        about: "Read recorded steps as failed attempts if they changed nothing although their \
                action would have changed something",
    },
    Dial {
        name: "declared",
        group: DialGroup::Model,
        takes: Takes::Declared,
        value: "DECLARED.json",
        about: "JSON: for each fact that was declared and not recorded, the actions that make it \
        true (from) and false (until). The header of the model says so",
    },
    Dial {
        name: "reading",
        group: DialGroup::Model,
        takes: Takes::Sentences,
        value: "SENTENCES.txt",
        about: "A text with one sentence a line: what was assumed when the records were made \
                from a log. The header of the model says so",
    },
    Dial {
        name: "repair",
        group: DialGroup::PlanMiner,
        takes: Takes::Repairs,
        value: "NAMES",
        about: "PlanMiner: the flaws to repair, with commas between them; without it, PlanMiner \
                is as published",
    },
    Dial {
        name: "seed",
        group: DialGroup::PlanMiner,
        takes: Takes::Number(0, UNBOUNDED),
        value: "N",
        about: "PlanMiner: the seed of the random samples of steps that judge expressions",
    },
    Dial {
        name: "time-limit",
        group: DialGroup::PlanMiner,
        takes: Takes::Number(1, UNBOUNDED),
        value: "SECONDS",
        about: "PlanMiner: the seconds after which the run ends, 600 in the paper; without it, \
                only counted work is limited",
    },
];

/// Why a dial does not take a value.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DialError {
    /// There is no such dial.
    #[error("a learner has no option {0:?}")]
    Unknown(String),
    /// It takes something else.
    #[error("{0} is {1}, found {2}")]
    Unfit(String, String, String),
}

/// Whether two names are the same; `==` cannot be used in constants.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

impl Dial {
    /// The dial of a name, with `-` or `_`.
    pub fn find(name: &str) -> Option<&'static Dial> {
        DIALS.iter().find(|dial| dial.name.replace('-', "_") == name.replace('-', "_"))
    }

    /// The dial of a name that is known to be one. Meant for constants: a name that is not in the
    /// table does not compile there.
    pub const fn of(name: &str) -> &'static Dial {
        let mut place = 0;
        while place < DIALS.len() {
            if is_same(DIALS[place].name, name) {
                return &DIALS[place];
            }
            place += 1;
        }
        panic!("there is no such dial")
    }

    /// Its name with `_`.
    pub fn keyword(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Its value without the user's asking; `null`: none.
    pub fn usual(&self) -> Value {
        Spec::default().get(self)
    }

    fn expects(&self) -> String {
        match self.takes {
            Takes::Switch => "true or false".to_owned(),
            Takes::Word(words) => format!("one of {}", words.join(", ")),
            Takes::Number(1, UNBOUNDED) => "a whole number above zero".to_owned(),
            Takes::Number(least, UNBOUNDED) => format!("a whole number, at least {least}"),
            Takes::Number(least, most) => format!("a number from {least} to {most}"),
            Takes::Algorithm => {
                let names: Vec<String> = Algorithm::ALL
                    .iter()
                    .map(|algorithm| format!("{:?}", algorithm.name()))
                    .collect();
                format!("one of {}", names.join(", "))
            }
            Takes::Relevant => "a map from actions to lists of functions, such as \
                                {\"drive\": [\"(fuel ?t)\"]}"
                .to_owned(),
            Takes::Parts => {
                "the word \"found\", or a map from actions to a test, a list of tests, \
                             a list of parts or the word \"found\", such as {\"charge\": \
                             \"(<= (battery ?r) 70)\"}"
                    .to_owned()
            }
            Takes::Monotone => "a map from actions (or \"*\") to functions and \"more\", \"less\" \
                                or \"any\", such as \
                                {\"*\": {\"(fuel ?t)\": \"more\"}}"
                .to_owned(),
            Takes::Errors => "a number that is not below zero, or a map from functions (or \"*\") \
                              to such numbers, such as \
                              {\"battery\": 0.1, \"*\": 0}"
                .to_owned(),
            Takes::Declared => "a map from facts to actions, such as \
                 {\"(holds ?r ?i)\": {\"from\": [\"pick\"], \"until\": [\"place\"]}}"
                .to_owned(),
            Takes::Sentences => "a list of sentences".to_owned(),
            Takes::Repairs => {
                let names: Vec<String> =
                    Repair::ALL.iter().map(|repair| format!("{:?}", repair.name())).collect();
                format!("\"all\", or a list of {}", names.join(", "))
            }
        }
    }

    /// Whether it may be left unset.
    fn is_optional(&self) -> bool {
        self.usual().is_null()
    }

    fn admits(&self, value: &Value) -> bool {
        match (self.takes, value) {
            (_, Value::Null) => self.is_optional(),
            (Takes::Number(least, most), value) => {
                value.as_u64().is_some_and(|number| (least..=most).contains(&number))
            }
            _ => true,
        }
    }
}

impl Spec {
    /// These dials, changed by `change`. Fields may be added, so this is how to make one:
    /// `Spec::default().with(|spec| ..)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Takes a value over: of a number dial a number, of a map dial a map. `null` stands for what a
    /// dial is without the user's asking.
    ///
    /// # Errors
    /// There is no such dial, or it does not take that value. Nothing changes then.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), DialError> {
        let dial = Dial::find(name).ok_or_else(|| DialError::Unknown(name.to_owned()))?;
        let unfit = || DialError::Unfit(dial.keyword(), dial.expects(), shown(&value));
        let given = match (dial.takes, &value) {
            (_, Value::Null) => dial.usual(),
            (Takes::Errors, Value::Number(_) | Value::String(_)) => {
                let mut all = serde_json::Map::new();
                all.insert(ErrorBound::OTHERS.to_owned(), value.clone());
                Value::Object(all)
            }
            (Takes::Parts, Value::String(word)) if word == FindParts::WORD => {
                let mut all = serde_json::Map::new();
                all.insert(FindParts::ALL_ACTIONS.to_owned(), value.clone());
                Value::Object(all)
            }
            (Takes::Repairs, Value::String(word)) if word == "all" => {
                Repair::ALL.map(Repair::name).to_vec().into()
            }
            _ => value.clone(),
        };
        let mut all = self.to_value();
        if !dial.admits(&given) {
            return Err(unfit());
        }
        if let Value::Object(fields) = &mut all {
            match given {
                Value::Null => fields.remove(dial.name),
                given => fields.insert(dial.name.to_owned(), given),
            };
        }
        let changed: Spec = serde_json::from_value(all).map_err(|_| unfit())?;
        // What was found in records, no user says.
        let is_record = |parts: &DeclaredParts| matches!(parts, DeclaredParts::Found(_));
        if dial.takes == Takes::Parts && changed.parts.values().any(is_record) {
            return Err(unfit());
        }
        *self = changed;
        Ok(())
    }

    /// What the dials, except maps, add to the paper's assumptions, in short.
    pub fn in_short(&self) -> Vec<String> {
        let usual = Spec::default();
        let functions = |count: usize| {
            if count == 1 { "1 function".to_owned() } else { format!("{count} functions") }
        };
        let mut words = Vec::new();
        if let Some(arity) = self.arity {
            words.push(format!("each numeric condition mentions at most {}", functions(arity)));
        }
        if let Some(arity) = self.effect_arity {
            words.push(format!("each numeric effect reads at most {}", functions(arity)));
        }
        if self.positive_preconditions {
            words.push("preconditions have no negative atoms".to_owned());
        }
        if self.degree != usual.degree {
            words.push(format!(
                "conditions and effects are linear in products of at most {} functions",
                self.degree
            ));
        }
        if self.squares {
            words.push("products may repeat a factor".to_owned());
        }
        if let Some(decimals) = self.decimals {
            words.push(format!("recorded numbers are exact to {decimals} decimals"));
        }
        if let Some(bound) = self.error.get(ErrorBound::OTHERS).filter(|_| self.error.len() == 1) {
            words.push(format!("recorded numbers are within {bound} of the true ones"));
        } else if !self.error.is_empty() {
            let bound = |(name, bound): (&String, &ErrorBound)| format!("{bound} ({name})");
            let bounds: Vec<String> = self.error.iter().map(bound).collect();
            words.push(format!(
                "recorded numbers are this near to the true ones: {}",
                bounds.join(", ")
            ));
        }
        if let Some(decimals) = self.effect_decimals {
            words.push(format!("effects have at most {decimals} decimals"));
        }
        if let Some(digits) = self.digits {
            words.push(format!("coefficients have at most {digits} digits (rounded inward)"));
        }
        if self.facet_budget != usual.facet_budget {
            words.push(format!("at most {} facets an action", self.facet_budget));
        }
        if self.failure_budget != usual.failure_budget {
            words.push(format!("at most {} failed attempts an action", self.failure_budget));
        }
        if self.unchanged == Some(Unchanged::Failed) {
            words.push(
                "steps that changed nothing, where they should have, are failed attempts, and \
                 count neither way elsewhere"
                    .to_owned(),
            );
        }
        if !self.repair.is_empty() {
            let names: Vec<&str> = self.repair.iter().map(|repair| repair.name()).collect();
            words.push(format!("PlanMiner repaired: {}", names.join(", ")));
        }
        if let Some(seed) = self.seed {
            words.push(format!("PlanMiner with seed {seed}"));
        }
        if let Some(seconds) = self.time_limit {
            words.push(format!("PlanMiner killed after {seconds} s"));
        }
        words
    }

    /// The dials that differ from their defaults, by name.
    pub fn turned(&self) -> serde_json::Map<String, Value> {
        let turned = DIALS.iter().map(|dial| (dial, self.get(dial)));
        let turned = turned.filter(|(dial, value)| *value != dial.usual());
        turned.map(|(dial, value)| (dial.name.to_owned(), value)).collect()
    }

    /// The value of a dial.
    pub fn get(&self, dial: &Dial) -> Value {
        self.to_value().get(dial.name).cloned().unwrap_or_default()
    }

    fn to_value(&self) -> Value {
        let mut value = serde_json::to_value(self).invariant("a spec is written as JSON");
        if let Value::Object(fields) = &mut value {
            // Left out where it is the usual one.
            fields.insert("failure-budget".to_owned(), self.failure_budget.into());
        }
        value
    }
}

/// A value in a message, cut where it is long.
fn shown(value: &Value) -> String {
    const LONGEST: usize = 60;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        None => text,
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::DeclaredParts;

    #[test]
    fn the_table_names_every_field_and_nothing_else() {
        // What is for PlanMiner alone, and what is declared, is left out where it is not turned.
        let declared = FactDeclarations::from([("(p)".to_owned(), Declared::default())]);
        let turned = Spec {
            declared,
            parts: PartsMap::from([("a".to_owned(), DeclaredParts::Cut("(p)".to_owned()))]),
            error: ErrorMap::from([("*".to_owned(), ErrorBound::read("0.1").unwrap())]),
            effect_decimals: Some(2),
            reading: BTreeSet::from(["Nothing was.".to_owned()]),
            repair: vec![Repair::Bounded],
            seed: Some(1),
            time_limit: Some(1),
            unchanged: Some(Unchanged::Failed),
            failure_budget: 1,
            ..Spec::default()
        };
        let Value::Object(fields) = turned.to_value() else { panic!("a spec is a map") };
        let mut declared: Vec<&str> = fields.keys().map(String::as_str).collect();
        let mut listed: Vec<&str> = DIALS.iter().map(|dial| dial.name).collect();
        declared.sort_unstable();
        listed.sort_unstable();
        assert_eq!(declared, listed);
    }

    #[test]
    fn a_dial_takes_what_it_says_and_refuses_the_rest() {
        let mut spec = Spec::default();
        spec.set("effect_arity", 0.into()).unwrap();
        spec.set("effect-arity", 2.into()).unwrap();
        assert_eq!(spec.effect_arity, Some(2));
        spec.set("effect-arity", Value::Null).unwrap();
        assert_eq!(spec, Spec::default());
        for (name, value) in [
            ("arity", 0.into()),
            ("degree", 11.into()),
            ("digits", 0.into()),
            ("digits", "many".into()),
            ("squares", 1.into()),
            ("algorithm", "magic".into()),
            ("decimals", Value::from(-1)),
            ("relevant", Value::from(vec!["(fuel)"])),
        ] {
            let said = spec.set(name, value).unwrap_err().to_string();
            assert!(said.starts_with(&format!("{name} is ")), "{said}");
        }
        assert_eq!(
            spec.set("speed", 1.into()).unwrap_err().to_string(),
            "a learner has no option \"speed\""
        );
        assert_eq!(spec, Spec::default());
    }

    #[test]
    fn parts_are_found_or_declared() {
        let mut spec = Spec::default();
        spec.set("parts", "found".into()).unwrap();
        let to_find = DeclaredParts::ToFind(FindParts::Found);
        assert_eq!(spec.parts, PartsMap::from([("*".to_owned(), to_find.clone())]));
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
        let map = serde_json::json!({"charge": "found", "go": "(hot ?r)"});
        spec.set("parts", map).unwrap();
        assert_eq!(spec.parts["charge"], to_find);
        assert_eq!(spec.parts["go"], DeclaredParts::Cut("(hot ?r)".to_owned()));
        // Counts are for headers and certificates.
        let counted = serde_json::json!({"go": {"found": []}});
        for value in ["fond".into(), 3.into(), counted] {
            let said = spec.set("parts", value).unwrap_err().to_string();
            assert!(said.starts_with("parts is the word \"found\", or a map"), "{said}");
        }
    }

    #[test]
    fn repairs_are_a_list_or_all() {
        let mut spec = Spec::default();
        spec.set("repair", "all".into()).unwrap();
        assert_eq!(spec.repair, Repair::ALL);
        spec.set("repair", vec!["no-clock"].into()).unwrap();
        assert_eq!(spec.repair, [Repair::NoClock]);
        assert!(spec.set("repair", "everything".into()).is_err());
        spec.set("repair", Value::Null).unwrap();
        assert_eq!(spec, Spec::default());
        assert!(!serde_json::to_string(&spec).unwrap().contains("repair"));
    }

    #[test]
    fn a_spec_is_read_back_as_it_was_written() {
        let mut spec = Spec { arity: Some(2), algorithm: Algorithm::Nsam, ..Spec::default() };
        spec.set("monotone", serde_json::json!({"*": {"(fuel ?t)": "more"}})).unwrap();
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
        assert!(serde_json::from_str::<Spec>(r#"{"speed": 1}"#).is_err());
    }
}
