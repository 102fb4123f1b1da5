//! The keywords of a learner: what it learns from, and what its models are made with.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use surefoot::learn::{Algorithm, Class, Degree, Learner as Core, Settings};
use surefoot::model::Domain;
use surefoot_cli::session::{MonotoneMap, OnBadData, RelevantMap, monotone_of, relevant_of};

use crate::error::{any, wrong_type, wrong_value};
use crate::number::shown;
use crate::task::numbers;

/// What a model is made with, as the user said it.
#[derive(Clone, PartialEq)]
pub struct Options {
    pub algorithm: String,
    pub arity: Option<usize>,
    pub effect_arity: Option<usize>,
    pub monotone: MonotoneMap,
    pub positive_preconditions: bool,
    pub facet_budget: usize,
    pub digits: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        let usual = Settings::default();
        Options {
            algorithm: "nsam-star".into(),
            arity: None,
            effect_arity: None,
            monotone: MonotoneMap::new(),
            positive_preconditions: false,
            facet_budget: usual.facet_budget,
            digits: None,
        }
    }
}

impl Options {
    /// Takes keywords over; those that are left out stay as they were.
    pub fn updated(&self, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut options = self.clone();
        for (key, value) in keywords.into_iter().flat_map(|map| map.iter()) {
            let key: String = key.extract()?;
            match &*key {
                "algorithm" => options.algorithm = value.extract()?,
                "arity" => options.arity = positive(&key, &value)?,
                "effect_arity" => options.effect_arity = value.extract()?,
                "monotone" => options.monotone = monotone_map(&value)?,
                "positive_preconditions" => options.positive_preconditions = value.extract()?,
                "facet_budget" => {
                    options.facet_budget = positive(&key, &value)?.ok_or_else(|| wrong_value("facet_budget is a number"))?;
                }
                "digits" => {
                    options.digits = value.extract::<Option<u32>>()?;
                    if !options.digits.is_none_or(|digits| (1..=1000).contains(&digits)) {
                        return Err(wrong_value("digits is a number from 1 to 1000"));
                    }
                }
                _ => return Err(wrong_type(format!("a learner has no option {key:?}"))),
            }
        }
        options.algorithm()?;
        Ok(options)
    }

    fn algorithm(&self) -> PyResult<Algorithm> {
        match &*self.algorithm {
            "nsam-star" => Ok(Algorithm::NsamStar),
            "nsam" => Ok(Algorithm::Nsam),
            "sam" => Ok(Algorithm::Sam),
            other => Err(wrong_value(format!("unknown algorithm {other:?}: expected \"nsam-star\", \"nsam\" or \"sam\""))),
        }
    }

    /// The same for the library.
    pub fn settings(&self, learner: &Core) -> PyResult<Settings> {
        Ok(Settings {
            algorithm: self.algorithm()?,
            arity: self.arity,
            effect_arity: self.effect_arity,
            monotone: monotone_of(&self.monotone, &"monotone", learner).map_err(|error| any(&error))?,
            positive_preconditions: self.positive_preconditions,
            facet_budget: self.facet_budget,
            digits: self.digits,
        })
    }

    /// The same as keywords.
    pub fn keywords<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let map = PyDict::new(py);
        map.set_item("algorithm", &self.algorithm)?;
        map.set_item("arity", self.arity)?;
        map.set_item("effect_arity", self.effect_arity)?;
        map.set_item("monotone", &self.monotone)?;
        map.set_item("positive_preconditions", self.positive_preconditions)?;
        map.set_item("facet_budget", self.facet_budget)?;
        map.set_item("digits", self.digits)?;
        Ok(map)
    }
}

fn positive(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let number: Option<usize> =
        value.extract().map_err(|_| wrong_value(format!("{key} is a whole number above zero, found {}", shown(value))))?;
    if number == Some(0) { Err(wrong_value(format!("{key} is a whole number above zero"))) } else { Ok(number) }
}

/// `{"*": {"(fuel ?t)": "more"}}`; the short `{"(fuel ?t)": "more"}` is for all actions.
fn monotone_map(value: &Bound<'_, PyAny>) -> PyResult<MonotoneMap> {
    let expected = || {
        wrong_type(format!(
            "monotone maps actions (or \"*\") to functions and \"more\", \"less\" or \"any\", such as \
             {{\"*\": {{\"(fuel ?t)\": \"more\"}}}}; found {}",
            shown(value)
        ))
    };
    if value.is_none() {
        return Ok(MonotoneMap::new());
    }
    let map = value.cast::<PyDict>().map_err(|_| expected())?;
    let mut marks = MonotoneMap::new();
    for (key, value) in map.iter() {
        let key: String = key.extract().map_err(|_| expected())?;
        let (action, given) = if value.is_instance_of::<PyString>() {
            ("*".into(), BTreeMap::from([(key, value.extract()?)]))
        } else {
            (key, value.extract::<BTreeMap<String, String>>().map_err(|_| expected())?)
        };
        let of_action = marks.entry(action).or_default();
        for (function, word) in given {
            if of_action.insert(function.clone(), word).is_some() {
                return Err(wrong_value(format!("monotone: {function:?} stands there twice, for all actions")));
            }
        }
    }
    Ok(marks)
}

/// What is fixed when a learner is made.
pub fn class(
    domain: &Domain,
    degree: u32,
    squares: bool,
    relevant: Option<RelevantMap>,
    decimals: Option<u32>,
) -> PyResult<Class> {
    if !(1..=10).contains(&degree) {
        return Err(wrong_value("degree is a number from 1 to 10"));
    }
    if decimals.is_some_and(|decimals| decimals > 1000) {
        return Err(wrong_value("decimals is a number from 0 to 1000"));
    }
    let relevant =
        relevant.map_or(Ok(BTreeMap::new()), |map| relevant_of(map, &"relevant", domain)).map_err(|error| any(&error))?;
    Ok(Class { degree: Degree { degree, squares }, relevant, numbers: numbers(decimals) })
}

/// What to do about steps that nothing explains.
pub fn on_bad_data(word: &str) -> PyResult<OnBadData> {
    match word {
        "stop" => Ok(OnBadData::Stop),
        "skip-action" => Ok(OnBadData::SkipAction),
        "quarantine" => Ok(OnBadData::Quarantine),
        other => Err(wrong_value(format!("on_bad_data is \"stop\", \"skip-action\" or \"quarantine\", found {other:?}"))),
    }
}
