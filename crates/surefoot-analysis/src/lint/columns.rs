//! Numbers that are not what they seem: the noise of floating point, and readings that were
//! rounded.
//!
//! A program that adds 0.1 ten times writes 0.9999999999999999. Exactly taken such numbers fit no
//! rule; to a few decimals they do, and `--decimals` reads them so. Where it multiplies by 0.97
//! again and again, true values have ever more decimals and no number of them is right: that takes
//! `--error`. So does a sensor that writes one decimal, whose rounding errors are as large as its
//! unit. It is recognised by changes that fit an affine rule nearly and not exactly, on numbers
//! that all have few decimals. A noisy sensor is, by changes that fit up to little beside the range
//! of its numbers. The error that is named is the least that explains the steps that were kept.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Finding;
use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::ids::IdVec;
use surefoot_base::model::{
    ActionId, Domain, FunctionId, LiftedFunction, State, Step, Universe, ValueId,
};
use surefoot_base::pddl::Writer;
use surefoot_learn::{
    AffineFit, FLOATING, LiftedFunctionId, NOISE, Vocabulary, is_computed, smallest_error,
};

/// A function whose numbers have the noise of floating point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Noise {
    /// The name of the function.
    pub function: String,
    /// How many of its numbers are noisy.
    pub noisy: usize,
    /// The number of values that it has.
    pub of: usize,
    /// One of them, as it was recorded.
    pub example: String,
    /// The decimals left once the noise is removed, over all functions, because there is one option
    /// for all of them.
    pub decimals: u32,
    /// Whether the option was tried, and no record refutes a model learned with it.
    pub tried: bool,
}

/// A function whose numbers look rounded, or noisy.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rounded {
    /// The name of the function.
    pub function: String,
    /// All its numbers are multiples of this.
    pub unit: String,
    /// The action whose changes of it show it.
    pub action: String,
    /// The changes fit an affine rule up to this, and no better.
    pub within: f64,
    /// The number of steps in which it changes.
    pub steps: usize,
    /// Whether they are further off than rounding explains.
    pub noisy: bool,
    /// How far recorded values may be from the true ones: half the unit, or, if that is more, the
    /// least error that explains the examined steps of all actions, including those that do not
    /// change the function.
    pub error: String,
    /// Whether these were all.
    pub all: bool,
    /// Whether the option was tried, and no record refutes a model learned with it.
    pub tried: bool,
}

impl Rounded {
    /// Whether the error is more than rounding explains.
    pub fn is_beyond_rounding(&self) -> bool {
        let half = self.unit.parse().map_or(f64::INFINITY, |unit: f64| unit / 2.0);
        self.noisy || self.error.parse().is_ok_and(|error: f64| error > half * (1.0 + f64::EPSILON))
    }
}

/// A function whose numbers were computed in floating point and are no short decimals.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Floats {
    /// The name of the function.
    pub function: String,
    /// One of its numbers, as it was recorded.
    pub example: String,
    /// The action whose changes of it fit an affine rule up to what floating point explains.
    pub action: String,
    /// The number of steps in which it changes.
    pub steps: usize,
    /// How far recorded values may be from the true ones.
    pub error: String,
    /// Whether the option was tried, and no record refutes a model learned with it.
    pub tried: bool,
}

/// More decimals than this are not proposed.
const MOST_DECIMALS: u32 = 9;

/// At most this many steps of an action are kept for fits.
const KEPT: usize = 300;

/// Actions with more functions than this are not fitted.
const FITTED: usize = 24;

/// The least error that is proposed for numbers computed in doubles, as a share of the largest
/// value: generous, since errors add up.
const ACCUMULATED: f64 = 1e-11;

/// Rounding moves changes by at most this many units, including the noise beneath it.
const UNITS: f64 = 5.0;

#[derive(Clone, Default)]
struct OfFunction {
    values: usize,
    noisy: usize,
    example: Option<String>,
    /// The decimals that suffice for all numbers once the noise is removed; `None`: there was no
    /// number.
    decimals: Option<u32>,
    /// Whether some number has more decimals than can be proposed.
    deep: bool,
    /// One that was computed, and has more.
    computed: Option<String>,
    /// The largest absolute value.
    most: f64,
    /// The least and the largest value.
    range: Option<(f64, f64)>,
}

/// The values before a step, and the changes it makes.
type Fitted = (Vec<f64>, Vec<f64>);

#[derive(Default)]
struct ActionColumns {
    functions: IdVec<LiftedFunctionId, LiftedFunction>,
    steps: Vec<Fitted>,
    /// The kept steps as recorded: all values before and after.
    exact: Vec<(Vec<Rational>, Vec<Rational>)>,
    /// How many steps there are.
    seen: usize,
}

impl ActionColumns {
    fn new(domain: &Domain, action: ActionId) -> Self {
        ActionColumns {
            // An action with too many functions is not fitted, and so needs none.
            functions: Vocabulary::functions_of(domain, action)
                .ok()
                .filter(|found| found.len() <= FITTED)
                .unwrap_or_default(),
            ..ActionColumns::default()
        }
    }

    /// The values of the functions of a step in a state; `None` where one is undefined.
    fn values(&self, step: Step<'_>, state: &State) -> Option<Vec<Rational>> {
        self.functions
            .iter()
            .map(|function| {
                let id = step.universe.find_value(&function.ground(&step.action.arguments))?;
                state.value(id).cloned()
            })
            .collect()
    }

    /// The least error of a function that explains all steps that were kept, where all others are
    /// exact.
    fn least_error(&self, target: usize) -> Rational {
        let records: BTreeSet<(Vec<Rational>, Rational)> = self
            .exact
            .iter()
            .map(|(before, after)| (before.clone(), after[target].clone()))
            .collect();
        let records: Vec<(Vec<Rational>, Rational)> = records.into_iter().collect();
        if records.is_empty() {
            return Rational::ZERO;
        }
        let inexact: Vec<bool> = (0..self.functions.len()).map(|place| place == target).collect();
        smallest_error(&records, &inexact)
    }
}

/// The numbers of a recording, as they are met.
pub(super) struct Columns<'a> {
    domain: &'a Domain,
    functions: Vec<OfFunction>,
    actions: Vec<ActionColumns>,
    started: bool,
}

impl<'a> Columns<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        Columns {
            domain,
            functions: vec![OfFunction::default(); domain.signature.functions.len()],
            actions: domain.action_ids().map(|action| ActionColumns::new(domain, action)).collect(),
            started: false,
        }
    }

    /// A new trace begins.
    pub fn start(&mut self) {
        self.started = false;
    }

    pub fn step(&mut self, step: Step<'_>) {
        if !self.started {
            step.before.values().for_each(|(id, value)| self.look(step.universe, id, value));
            self.started = true;
        }
        for id in step.before.differing_values(step.after) {
            if let Some(value) = step.after.value(id) {
                self.look(step.universe, id, value);
            }
        }
        let entry = &mut self.actions[step.action.symbol.index()];
        entry.seen += 1;
        if entry.steps.len() >= KEPT || entry.functions.is_empty() {
            return;
        }
        if let (Some(before), Some(after)) =
            (entry.values(step, step.before), entry.values(step, step.after))
        {
            let changes = before
                .iter()
                .zip(&after)
                .map(|(before, after)| after.to_f64() - before.to_f64())
                .collect();
            entry.steps.push((before.iter().map(Rational::to_f64).collect(), changes));
            entry.exact.push((before, after));
        }
    }

    fn look(&mut self, universe: &Universe, id: ValueId, value: &Rational) {
        self.functions[universe.ground_function(id).symbol.index()].look(value);
    }

    /// The findings, and by function how far its changes are from an affine rule if it is rounded
    /// or noisy. `drift`: by function, the largest change in a step that does not reach it.
    pub fn findings(
        &self,
        drift: impl Fn(FunctionId) -> Option<Rational>,
    ) -> (Vec<Finding>, BTreeMap<FunctionId, f64>) {
        let signature = &self.domain.signature;
        let mut findings = Vec::new();
        let plain = self.functions.iter().filter(|found| !found.deep);
        let decimals = plain.filter_map(|found| found.decimals).max().unwrap_or(0);
        for (place, found) in self.functions.iter().enumerate() {
            if let (Some(example), false) = (&found.example, found.deep) {
                let function = signature.functions.name(place).to_owned();
                let (noisy, of, example) = (found.noisy, found.values, example.clone());
                findings.push(Finding::FloatNoise(Noise {
                    function,
                    noisy,
                    of,
                    example,
                    decimals,
                    tried: false,
                }));
            }
        }
        // Each function once, with the action that shows it in most steps.
        let mut rounded: BTreeMap<FunctionId, Rounded> = BTreeMap::new();
        let mut floats: BTreeMap<FunctionId, (Floats, f64)> = BTreeMap::new();
        let mut noise: BTreeMap<FunctionId, f64> = BTreeMap::new();
        for (action, found) in self.domain.action_ids().zip(&self.actions) {
            let parameters = &self.domain.action(action).parameters;
            for (place, function) in found.functions.iter().enumerate() {
                let numbers = &self.functions[FunctionId::index(function.symbol)];
                let writer =
                    Writer::new(self.domain, &signature.constants).with_parameters(parameters);
                let action = self.domain.action_name(action);
                if let (Some(example), Some(fit)) =
                    (&numbers.computed, residual(&found.steps, place))
                    && fit.error() <= FLOATING * numbers.most
                {
                    let (_, error) = floats.entry(function.symbol).or_insert_with(|| {
                        let function = writer.function(function);
                        let (example, action) = (example.clone(), action.to_owned());
                        let (steps, error) = (found.steps.len(), String::new());
                        (Floats { function, example, action, steps, error, tried: false }, 0.0)
                    });
                    *error = fit.error().max(ACCUMULATED * numbers.most).max(*error);
                }
                let Some(decimals) = numbers.few_decimals() else { continue };
                let unit = 10f64.powi(-i32::try_from(decimals).unwrap_or(0));
                let Some(fit) = residual(&found.steps, place) else { continue };
                let is_rounded = decimals <= 3 && fit.within <= UNITS * unit;
                let is_noisy = fit.within > UNITS * unit && fit.within <= NOISE * numbers.spread();
                // Changes that fit to a hundredth of the unit show neither.
                if !(fit.within > unit / 100.0 && (is_rounded || is_noisy)) {
                    continue;
                }
                let within = noise.entry(function.symbol).or_insert(fit.within);
                *within = within.max(fit.within);
                let finding = Rounded {
                    function: writer.function(function),
                    unit: Rational::new(1, 10i64.pow(decimals))
                        .unwrap_or(Rational::ONE)
                        .to_string(),
                    action: action.to_owned(),
                    within: (fit.within * 1000.0 / unit).ceil() * unit / 1000.0,
                    steps: found.steps.len(),
                    noisy: !is_rounded,
                    error: String::new(),
                    all: true,
                    tried: false,
                };
                match rounded.get(&function.symbol) {
                    Some(known) if known.steps >= finding.steps => {}
                    _ => drop(rounded.insert(function.symbol, finding)),
                }
            }
        }
        for (function, finding) in &mut rounded {
            let drift = drift(*function).filter(|drift| is_noise(drift, noise.get(function)));
            let (error, all) =
                self.error(*function, drift, noise.get(function).copied().unwrap_or(0.0));
            (finding.error, finding.all) = (error, all);
        }
        findings.extend(floats.into_values().map(|(floats, least)| {
            let error = format!("{:e}", 10f64.powf(least.log10().ceil()));
            Finding::Floats(Floats { error, ..floats })
        }));
        findings.extend(rounded.into_values().map(Finding::Rounded));
        (findings, noise)
    }

    /// The error of a rounded or noisy function, and whether all steps were looked at.
    fn error(&self, function: FunctionId, drift: Option<Rational>, within: f64) -> (String, bool) {
        let half = Rational::new(1, 2).unwrap_or(Rational::ONE);
        let decimals = self.functions[function.index()].decimals.unwrap_or(0);
        let unit = Rational::new(1, 10i64.checked_pow(decimals).unwrap_or(i64::MAX))
            .unwrap_or(Rational::ONE);
        let (mut error, mut all) = (&drift.unwrap_or(Rational::ZERO).max(unit) * &half, true);
        for found in &self.actions {
            for (place, _) in
                found.functions.iter().enumerate().filter(|(_, one)| one.symbol == function)
            {
                // What is no affine rule at all is not explained by an error.
                let least = found.least_error(place);
                if least.to_f64() <= 2.0 * within {
                    all &= found.exact.len() == found.seen;
                    error = error.max(least);
                }
            }
        }
        let error = error.with_digits(2, Rounding::Up);
        (error.to_decimal().unwrap_or_else(|| error.to_string()), all)
    }
}

/// Whether a change of what an action does not reach is as large as noise makes it: that of a
/// change by an action that reaches it may be the smaller of the two.
pub(super) fn is_noise(drift: &Rational, within: Option<&f64>) -> bool {
    within.is_some_and(|within| drift.to_f64() <= 2.0 * within)
}

impl OfFunction {
    /// The decimals of its numbers, if they have some and not many, and no noise.
    fn few_decimals(&self) -> Option<u32> {
        self.decimals.filter(|decimals| {
            (1..=MOST_DECIMALS).contains(decimals) && self.noisy == 0 && !self.deep
        })
    }

    fn spread(&self) -> f64 {
        self.range.map_or(0.0, |(least, largest)| largest - least)
    }

    fn look(&mut self, value: &Rational) {
        self.values += 1;
        let number = value.to_f64();
        self.most = self.most.max(number.abs());
        let (least, largest) = self.range.unwrap_or((number, number));
        self.range = Some((least.min(number), largest.max(number)));
        let Some(text) = value.to_decimal() else {
            self.deep = true;
            return;
        };
        let places = text.split_once('.').map_or(0, |(_, places)| places.len());
        let needed = if is_computed(value) {
            match plain_decimals(value.to_f64()) {
                Some(decimals) => {
                    self.noisy += 1;
                    self.example.get_or_insert(text);
                    decimals
                }
                None => {
                    self.computed.get_or_insert(text);
                    MOST_DECIMALS + 1
                }
            }
        } else {
            u32::try_from(places).unwrap_or(u32::MAX)
        };
        self.deep |= needed > MOST_DECIMALS;
        self.decimals = Some(self.decimals.unwrap_or(0).max(needed));
    }
}

/// The least number of decimals that a number has once the noise is removed; `None` if it needs
/// more than can be proposed.
fn plain_decimals(value: f64) -> Option<u32> {
    (0..=MOST_DECIMALS).find(|&decimals| {
        let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
        // A large number is near some decimal with many places in any case: noise is small compared
        // with the last place.
        let noise = (1e-10 * value.abs().max(1.0)).min(0.01 / scale);
        ((value * scale).round() / scale - value).abs() <= noise
    })
}

/// How far changes are from an affine rule.
struct AffineResidual {
    within: f64,
    /// The coefficient of the function itself in what it is afterwards.
    own: f64,
}

impl AffineResidual {
    /// The least error of recorded values of the function that explains it, before and after a
    /// step.
    fn error(&self) -> f64 {
        self.within / (1.0 + self.own.abs())
    }
}

/// The largest residual of the changes of a function, by the affine rule of least squares over all
/// functions that vary; `None` if there are too few steps, nothing changes, or the rule explains
/// nothing.
fn residual(steps: &[Fitted], target: usize) -> Option<AffineResidual> {
    let width = steps.first()?.0.len();
    let varying: Vec<usize> = (0..width)
        .filter(|&place| steps.iter().any(|(before, _)| before[place] != steps[0].0[place]))
        .collect();
    if steps.len() < 3 * (varying.len() + 1)
        || steps.iter().all(|(_, change)| change[target] == 0.0)
    {
        return None;
    }
    let others: Vec<Vec<f64>> = varying
        .iter()
        .filter(|&&place| place != target)
        .map(|&place| values_before(steps, place))
        .collect();
    let changes: Vec<f64> = steps.iter().map(|(_, change)| change[target]).collect();
    let without = AffineFit::over_all(&others, steps.len());
    let own_values = values_before(steps, target);
    let own = 1.0 + without.coefficient(&own_values, &changes);
    let fit = AffineFit::over_all(&[others, vec![own_values]].concat(), steps.len());
    let within = largest(&fit.rest(&changes));
    let mean = changes.iter().sum::<f64>() / steps.len() as f64;
    let around: Vec<f64> = changes.iter().map(|change| change - mean).collect();
    let typical = mean.abs().max(largest(&around));
    (within <= typical / 2.0).then_some(AffineResidual { within, own })
}

fn values_before(steps: &[Fitted], place: usize) -> Vec<f64> {
    steps.iter().map(|(before, _)| before[place]).collect()
}

/// The largest absolute value.
fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| value.abs().max(most))
}
