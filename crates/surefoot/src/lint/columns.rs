//! Numbers that are not what they seem: the noise of floating point, and readings that were rounded.
//!
//! A program that adds 0.1 ten times writes 0.9999999999999999. Exactly taken such numbers fit no rule; to a few decimals they do,
//! and `--decimals` reads them so. Where it multiplies by 0.97 again and again, true values have ever more decimals and no number of them is
//! right: that takes `--error`. So does a sensor that writes one decimal, whose rounding errors are as large as its unit. It is
//! recognised by changes that fit an affine rule nearly and not exactly, on numbers that all have few decimals.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Finding;
use crate::exact::{Rational, Rounding};
use crate::ids::IdVec;
use crate::learn::{LiftedFunctionId, Vocabulary, least_squares};
use crate::model::{ActionId, Domain, FunctionId, LiftedFunction, Step};
use crate::pddl::{Numbers, Writer};

/// A function whose numbers have the noise of floating point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Noise {
    /// The function.
    pub function: String,
    /// How many of its numbers are noisy.
    pub noisy: usize,
    /// Of how many.
    pub of: usize,
    /// One of them, as it was recorded.
    pub example: String,
    /// So many decimals have these numbers, and those of all other functions, without the noise: the option is one for all.
    pub decimals: u32,
}

/// A function whose numbers look rounded.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rounded {
    /// The function.
    pub function: String,
    /// All its numbers are multiples of this.
    pub unit: String,
    /// The action whose changes of it show it.
    pub action: String,
    /// The changes fit an affine rule up to this, and no better.
    pub within: f64,
    /// In so many steps.
    pub steps: usize,
    /// So far recorded values may be from the true ones: half the unit, or what explains the changes if that is more.
    pub error: String,
}

/// A function whose numbers were computed in floating point and are no short decimals.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Floats {
    /// The function.
    pub function: String,
    /// One of its numbers, as it was recorded.
    pub example: String,
    /// The action whose changes of it fit an affine rule up to what floating point explains.
    pub action: String,
    /// In so many steps.
    pub steps: usize,
    /// So far recorded values may be from the true ones.
    pub error: String,
}

/// Doubles have some 16 digits: a number with so many is one that was computed.
const COMPUTED: usize = 15;

/// More decimals than this are not proposed.
const MOST_DECIMALS: u32 = 9;

/// So many steps of an action are kept for fits.
const KEPT: usize = 300;

/// Actions with more functions than this are not fitted.
const FITTED: usize = 24;

/// Errors of computing in doubles, as a share of the largest value: generous, since they add up.
const FLOATING: f64 = 1e-11;

/// Rounding moves changes by so many units at most, noise beneath it included.
const UNITS: f64 = 5.0;

#[derive(Clone, Default)]
struct OfFunction {
    values: usize,
    noisy: usize,
    example: Option<String>,
    /// The decimals that have all numbers without noise; `None`: no number was seen.
    decimals: Option<u32>,
    /// Whether some number has more decimals than are proposed.
    deep: bool,
    /// One that was computed, and has more.
    computed: Option<String>,
    /// The largest absolute value.
    most: f64,
}

/// The values before a step, and the changes it makes.
type Fitted = (Vec<f64>, Vec<f64>);

#[derive(Default)]
struct OfAction {
    functions: IdVec<LiftedFunctionId, LiftedFunction>,
    steps: Vec<Fitted>,
}

/// The numbers of a recording, as they are met.
pub(super) struct Columns<'a> {
    domain: &'a Domain,
    functions: Vec<OfFunction>,
    actions: Vec<OfAction>,
    started: bool,
}

impl<'a> Columns<'a> {
    pub fn new(domain: &'a Domain) -> Self {
        // An action with too many functions is not fitted, and so needs none.
        let of = |action: ActionId| OfAction {
            functions: Vocabulary::functions_of(domain, action).ok().filter(|found| found.len() <= FITTED).unwrap_or_default(),
            steps: Vec::new(),
        };
        let functions = vec![OfFunction::default(); domain.signature.functions.len()];
        Columns { domain, functions, actions: domain.action_ids().map(of).collect(), started: false }
    }

    /// A new trace begins.
    pub fn start(&mut self) {
        self.started = false;
    }

    pub fn step(&mut self, step: Step<'_>) {
        let mut look = |id, value: &Rational| self.functions[step.universe.ground_function(id).symbol.index()].look(value);
        if !self.started {
            step.before.values().for_each(|(id, value)| look(id, value));
            self.started = true;
        }
        for id in step.before.differing_values(step.after) {
            if let Some(value) = step.after.value(id) {
                look(id, value);
            }
        }
        let entry = &mut self.actions[step.action.symbol.index()];
        if entry.steps.len() >= KEPT || entry.functions.is_empty() {
            return;
        }
        let value = |state: &crate::model::State, function: &LiftedFunction| {
            let id = step.universe.find_value(&function.ground(&step.action.arguments))?;
            state.value(id).map(Rational::to_f64)
        };
        let values = |state| entry.functions.iter().map(|function| value(state, function)).collect::<Option<Vec<f64>>>();
        if let (Some(before), Some(after)) = (values(step.before), values(step.after)) {
            let changes = before.iter().zip(&after).map(|(before, after)| after - before).collect();
            entry.steps.push((before, changes));
        }
    }

    pub fn findings(&self) -> Vec<Finding> {
        let signature = &self.domain.signature;
        let mut findings = Vec::new();
        let plain = self.functions.iter().filter(|found| !found.deep);
        let decimals = plain.filter_map(|found| found.decimals).max().unwrap_or(0);
        for (place, found) in self.functions.iter().enumerate() {
            if let (Some(example), false) = (&found.example, found.deep) {
                let function = signature.functions.name(place).to_owned();
                let (noisy, of, example) = (found.noisy, found.values, example.clone());
                findings.push(Finding::FloatNoise(Noise { function, noisy, of, example, decimals }));
            }
        }
        // Each function once, with the action that shows it in most steps.
        let mut rounded: BTreeMap<FunctionId, Rounded> = BTreeMap::new();
        let mut floats: BTreeMap<FunctionId, Floats> = BTreeMap::new();
        for (action, found) in self.domain.action_ids().zip(&self.actions) {
            let parameters = &self.domain.action(action).parameters;
            for (place, function) in found.functions.iter().enumerate() {
                let numbers = &self.functions[FunctionId::index(function.symbol)];
                let writer = Writer::new(self.domain, &signature.constants).with_parameters(parameters);
                let action = || self.domain.action_name(action).to_owned();
                if let (Some(example), Some(fit)) = (&numbers.computed, residual(&found.steps, place))
                    && fit.error() <= FLOATING * numbers.most
                {
                    floats.entry(function.symbol).or_insert_with(|| Floats {
                        function: writer.function(function),
                        example: example.clone(),
                        action: action(),
                        steps: found.steps.len(),
                        error: format!("{:e}", 10f64.powf((FLOATING * numbers.most).log10().ceil())),
                    });
                }
                let Some(decimals) = numbers.decimals.filter(|&decimals| (1..=3).contains(&decimals) && numbers.noisy == 0)
                else {
                    continue;
                };
                let unit = 10f64.powi(-i32::try_from(decimals).unwrap_or(0));
                let near = |fit: &Residual| fit.within > unit / 100.0 && fit.within <= UNITS * unit;
                let Some(fit) = residual(&found.steps, place).filter(near) else { continue };
                let finding = Rounded {
                    function: writer.function(function),
                    unit: Rational::new(1, 10i64.pow(decimals)).unwrap_or(Rational::ONE).to_string(),
                    action: action(),
                    within: (fit.within * 1000.0 / unit).ceil() * unit / 1000.0,
                    steps: found.steps.len(),
                    error: short(fit.error().max(unit / 2.0)),
                };
                match rounded.get(&function.symbol) {
                    Some(known) if known.steps >= finding.steps => {}
                    _ => drop(rounded.insert(function.symbol, finding)),
                }
            }
        }
        findings.extend(floats.into_values().map(Finding::Floats));
        findings.extend(rounded.into_values().map(Finding::Rounded));
        findings
    }
}

impl OfFunction {
    fn look(&mut self, value: &Rational) {
        self.values += 1;
        self.most = self.most.max(value.to_f64().abs());
        let Some(text) = value.to_decimal() else {
            self.deep = true;
            return;
        };
        let digits = text.chars().filter(char::is_ascii_digit).skip_while(|&digit| digit == '0').count();
        let places = text.split_once('.').map_or(0, |(_, places)| places.len());
        let needed = if digits >= COMPUTED && places > 0 {
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

/// The least number of decimals that a number has but for noise; `None` where it needs more than are proposed.
fn plain_decimals(value: f64) -> Option<u32> {
    (0..=MOST_DECIMALS).find(|&decimals| {
        let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
        // A large number is near some decimal with many places, whatever it is: noise is small beside the last one.
        let noise = (1e-10 * value.abs().max(1.0)).min(0.01 / scale);
        ((value * scale).round() / scale - value).abs() <= noise
    })
}

/// How far changes are from an affine rule.
struct Residual {
    within: f64,
    /// The coefficient of the function itself in what it is afterwards.
    own: f64,
}

impl Residual {
    /// The least error of recorded values of the function that explains it, before and after a step.
    fn error(&self) -> f64 {
        self.within / (1.0 + self.own.abs())
    }
}

/// A number to two digits, rounded up.
fn short(number: f64) -> String {
    let exact = Numbers::Exact.read(&format!("{number:e}")).unwrap_or(Rational::ZERO).with_digits(2, Rounding::Up);
    exact.to_decimal().unwrap_or_else(|| exact.to_string())
}

/// The largest residual of the changes of a function, by the affine rule of least squares over all functions that vary; `None` where
/// there are too few steps to tell, nothing changes, or the rule is no better than none.
fn residual(steps: &[Fitted], target: usize) -> Option<Residual> {
    let width = steps.first()?.0.len();
    let varying: Vec<usize> =
        (0..width).filter(|&place| steps.iter().any(|(before, _)| before[place] != steps[0].0[place])).collect();
    if steps.len() < 3 * (varying.len() + 1) || steps.iter().all(|(_, change)| change[target] == 0.0) {
        return None;
    }
    let count = steps.len() as f64;
    let mean = |of: &dyn Fn(&Fitted) -> f64| steps.iter().map(of).sum::<f64>() / count;
    let means: Vec<f64> = varying.iter().map(|&place| mean(&|step| step.0[place])).collect();
    let changed = mean(&|step| step.1[target]);
    let rows: Vec<Vec<f64>> = steps
        .iter()
        .map(|(before, change)| {
            let centred = varying.iter().zip(&means).map(|(&place, mean)| before[place] - mean);
            centred.chain([change[target] - changed]).collect()
        })
        .collect();
    let solution = least_squares(&rows, varying.len());
    let error = |row: &Vec<f64>| {
        (row[varying.len()] - row.iter().zip(&solution).map(|(value, factor)| value * factor).sum::<f64>()).abs()
    };
    let within = rows.iter().map(error).fold(0.0, f64::max);
    let spread = rows.iter().map(|row| row[varying.len()].abs()).fold(0.0, f64::max);
    let typical = changed.abs().max(spread);
    let own = 1.0 + varying.iter().position(|&place| place == target).map_or(0.0, |place| solution[place]);
    (within <= typical / 2.0).then_some(Residual { within, own })
}
