//! Steps that no model of the class explains: which they are, what a user can be told about them, and when setting them aside is no
//! repair.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::audit::outliers;
use super::evidence::Observation;
use super::ids::LiftedFunctionId;
use super::learner::Learner;
use super::observer::Observer;
use super::recording::{Recorded, Recording};
use super::vocabulary::{Degree, Vocabulary};
use crate::assumptions::{Algorithm, SetAside};
use crate::exact::{Echelon, Rational, Row};
use crate::model::ActionId;
use crate::pddl::{Diagnostic, Numbers, ReadError, Writer};

/// A step of some trace: which trace, and which step, from 0.
pub type StepId = (usize, usize);

/// A step that no model explains, or that spoils the explanation of others.
pub struct Finding {
    /// The action of the step.
    pub action: ActionId,
    /// Which step.
    pub step: StepId,
    /// What is wrong, and where.
    pub diagnostic: Diagnostic,
}

/// What becomes of steps that no model of the class explains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnBadData {
    /// They are reported, and nothing is learned.
    #[default]
    Stop,
    /// Their actions are left out.
    SkipAction,
    /// The fewest of them are set aside as recording errors, which becomes an assumption.
    Quarantine,
}

impl OnBadData {
    /// All choices, with their names and what they do.
    pub const ALL: [(OnBadData, &'static str, &'static str); 3] = [
        (OnBadData::Stop, "stop", "Report them, and learn nothing"),
        (OnBadData::SkipAction, "skip-action", "Leave their actions out"),
        (OnBadData::Quarantine, "quarantine", "Set the fewest of them aside as recording errors, which becomes an assumption"),
    ];

    /// The choice of a name.
    pub fn find(name: &str) -> Option<OnBadData> {
        OnBadData::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(choice, _, _)| choice)
    }
}

/// What to do about steps that no model of the class explains.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// The choice.
    pub on_bad: OnBadData,
    /// How many steps may be set aside.
    pub limit: SetAsideLimit,
}

impl From<OnBadData> for Policy {
    fn from(on_bad: OnBadData) -> Self {
        Policy { on_bad, limit: SetAsideLimit::default() }
    }
}

/// How many steps of an action may be set aside as recording errors: by default, one in twenty, or two. Where more contradict the rest,
/// the class is wrong, not the records.
#[derive(Clone, Copy, Debug)]
pub struct SetAsideLimit {
    /// The share of its steps.
    pub share: f64,
    /// So many in any case.
    pub steps: usize,
}

impl Default for SetAsideLimit {
    fn default() -> Self {
        SetAsideLimit { share: 0.05, steps: 2 }
    }
}

impl SetAsideLimit {
    /// Whether `bad` of `all` steps may be set aside.
    pub fn admits(&self, bad: usize, all: usize) -> bool {
        // A share such as 0.29 is no double: 29 of 100 is not more than it.
        const ROUNDING: f64 = 1e-12;
        bad <= self.steps || bad as f64 <= self.share * all as f64 * (1.0 + ROUNDING)
    }
}

/// The observed steps of actions that no model explains.
pub type Rows = BTreeMap<ActionId, Vec<(StepId, Observation)>>;

/// The actions that no model of the class explains. SAM does not look at numbers.
pub fn contradictory(learner: &Learner, algorithm: Algorithm) -> BTreeSet<ActionId> {
    let skipped = |id: &ActionId| learner.history().skipped.contains_key(id);
    let numbers = algorithm != Algorithm::Sam;
    let actions: Vec<ActionId> = learner.domain().action_ids().filter(|id| !skipped(id)).collect();
    actions.into_par_iter().filter(|id| learner.contradiction(*id, numbers).is_some()).collect()
}

/// Shows every step of some traces.
fn each(
    learner: &Learner,
    recording: &dyn Recording,
    traces: impl IntoIterator<Item = usize>,
    mut visit: impl FnMut(StepId, &Recorded<'_>, &mut Observer),
) -> Result<(), ReadError> {
    for trace in traces {
        let mut observer = Observer::default();
        recording.read(trace, learner.domain(), learner.class().numbers, false, &mut |recorded| {
            visit((trace, recorded.index), recorded, &mut observer);
            true
        })?;
    }
    Ok(())
}

/// The steps of some actions.
pub fn rows(learner: &Learner, bad: &BTreeSet<ActionId>, recording: &dyn Recording) -> Result<Rows, ReadError> {
    let mut rows = Rows::new();
    if bad.is_empty() {
        return Ok(rows);
    }
    each(learner, recording, 0..recording.traces(), |id, recorded, observer| {
        if let Some(step) = recorded.step()
            && let action = step.action.symbol
            && bad.contains(&action)
            && let Ok(observation) = observer.observe_step(learner, step)
        {
            rows.entry(action).or_default().push((id, observation));
        }
    })?;
    Ok(rows)
}

/// The fewest of these steps whose removal leaves what some model explains. What was learned before cannot be taken back: of steps that
/// contradict it, the new ones are to blame.
pub fn blamed(
    start: &Learner,
    learner: &Learner,
    rows: &Rows,
    recording: &dyn Recording,
    algorithm: Algorithm,
) -> Result<Vec<Finding>, ReadError> {
    let mut blamed: BTreeSet<StepId> = BTreeSet::new();
    for (action, rows) in rows {
        let (ids, observations): (Vec<StepId>, Vec<Observation>) = rows.iter().cloned().unzip();
        let removed = if start.evidence(*action).is_empty() {
            outliers(learner.vocabulary(*action), &observations)
        } else {
            contradicting(start, *action, &observations, algorithm != Algorithm::Sam)
        };
        blamed.extend(removed.into_iter().map(|index| ids[index]));
    }
    let mut findings = Vec::new();
    if blamed.is_empty() {
        return Ok(findings);
    }
    let traces: BTreeSet<usize> = blamed.iter().map(|(trace, _)| *trace).collect();
    each(learner, recording, traces, |id, recorded, _| {
        if blamed.contains(&id)
            && let Some(step) = recorded.step()
        {
            let action = Writer::new(learner.domain(), recorded.objects).ground_action(step.action);
            let same = step.before == step.after;
            let what = if same { "changes nothing, unlike its other steps" } else { "does not fit its other steps" };
            let diagnostic = recorded.error(format!("{action} {what}"));
            findings.push(Finding { action: step.action.symbol, step: id, diagnostic });
        }
    })?;
    Ok(findings)
}

/// The steps, one after another, that contradict what was learned before them.
fn contradicting(start: &Learner, action: ActionId, observations: &[Observation], numbers: bool) -> Vec<usize> {
    let mut learner = start.clone();
    let mut found = Vec::new();
    for (index, observation) in observations.iter().enumerate() {
        let mut grown = learner.clone();
        grown.observe(action, observation);
        if grown.contradiction(action, numbers).is_some() {
            found.push(index);
        } else {
            learner = grown;
        }
    }
    found
}

/// Whether so many steps may be set aside although what was learned before cannot be looked at again: only where what was learned before
/// clearly outweighs them.
pub fn outweighed(start: &Learner, findings: &[Finding]) -> bool {
    let mut bad: BTreeMap<ActionId, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *bad.entry(finding.action).or_default() += 1);
    let earlier = |id: ActionId| start.history().traces.values().map(|steps| steps[id.index()]).sum::<usize>();
    bad.into_iter().all(|(id, bad)| start.evidence(id).is_empty() || earlier(id) > 2 * bad)
}

/// Findings as steps that can be named in assumptions.
pub fn named(findings: &[Finding], recording: &dyn Recording) -> Result<Vec<(ActionId, SetAside)>, ReadError> {
    let traces: BTreeSet<usize> = findings.iter().map(|finding| finding.step.0).collect();
    let mut digests: BTreeMap<usize, String> = BTreeMap::new();
    for trace in traces {
        digests.insert(trace, recording.digest(trace)?);
    }
    let mut steps = Vec::new();
    for finding in findings {
        let (trace, step) = finding.step;
        let place = &finding.diagnostic.place;
        let what = format!("{}:{}, {}.", place.file, place.position.line, finding.diagnostic.message);
        steps.push((finding.action, SetAside { trace: digests[&trace].clone(), step, what }));
    }
    Ok(steps)
}

/// Steps that contradict every model of the class.
#[derive(Debug)]
pub struct BadData {
    /// The first of them.
    pub first: Box<Diagnostic>,
    message: String,
}

impl BadData {
    /// A message about some findings, of which there is at least one, and what else there is to say.
    pub fn new(findings: &[Finding], policy: Policy, advice: String) -> Self {
        let first = findings.first().map_or_else(|| Diagnostic::of_file("", ""), |finding| finding.diagnostic.clone());
        BadData { first: Box::new(first), message: refusal(findings, policy) + &advice }
    }
}

impl fmt::Display for BadData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for BadData {}

fn refusal(findings: &[Finding], policy: Policy) -> String {
    const SHOWN: usize = 10;
    let mut text: String = findings.iter().take(SHOWN).map(|finding| format!("{}\n\n", finding.diagnostic)).collect();
    if findings.len() > SHOWN {
        text += &format!("and {} more\n\n", findings.len() - SHOWN);
    }
    let (noun, verb) = if findings.len() == 1 { ("step", "contradicts") } else { ("steps", "contradict") };
    text += &format!("{} {noun} {verb} every model of the class.", findings.len());
    match policy.on_bad {
        OnBadData::Quarantine => text,
        _ => {
            text + " --on-bad-data skip-action leaves such actions out; --on-bad-data quarantine sets the steps aside as recording \
                    errors"
        }
    }
}

/// The actions of which more steps contradict the rest than may be set aside: `(action, how many, of how many)`.
pub fn excessive(steps: &[usize], findings: &[Finding], limit: SetAsideLimit) -> Vec<(ActionId, usize, usize)> {
    let mut bad: BTreeMap<ActionId, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *bad.entry(finding.action).or_default() += 1);
    let of = |id: ActionId| steps.get(id.index()).copied().unwrap_or(0);
    bad.into_iter().map(|(id, bad)| (id, bad, of(id))).filter(|(_, bad, all)| !limit.admits(*bad, *all)).collect()
}

/// Where much of an action contradicts the class, the class is to blame rather than the records: what the data say about it.
pub fn wrong_class(learner: &Learner, excessive: &[(ActionId, usize, usize)], rows: &Rows) -> String {
    let mut text = String::new();
    for &(id, bad, all) in excessive {
        let name = learner.domain().action_name(id);
        text += &format!(
            "\n{bad} of {all} steps of {name} contradict the others, so the class of models is likely to be wrong, not the records."
        );
        let observations: Vec<&Observation> = rows.get(&id).into_iter().flatten().map(|(_, observation)| observation).collect();
        let told = diagnosis(learner, id, &observations);
        text += &told.unwrap_or_else(|| " Does it have effects that happen only in some states?".to_owned());
    }
    text
}

/// What the numbers of an action look like, where that explains why no model of the class fits.
fn diagnosis(learner: &Learner, id: ActionId, observations: &[&Observation]) -> Option<String> {
    let vocabulary = learner.vocabulary(id);
    let domain = learner.domain();
    let writer = Writer::new(domain, &domain.signature.constants).with_parameters(&domain.action(id).parameters);
    for function in vocabulary.functions.ids() {
        let alone = |row: &&&Observation| {
            row.pattern.classes(&vocabulary.functions).contains(&vec![function])
                && row.before.iter().all(Option::is_some)
                && row.after[function].is_some()
        };
        let rows: Vec<&Observation> = observations.iter().filter(alone).copied().collect();
        if rows.is_empty() || explains(vocabulary, function, &rows) {
            continue;
        }
        let name = writer.function(&vocabulary.functions[function]);
        if learner.class().degree.degree == 1
            && let Ok(larger) = Vocabulary::of(domain, id, Degree { degree: 2, squares: false })
            && larger.columns.len() > vocabulary.columns.len()
            && rows.len() > larger.columns.len() + 3
            && explains(&larger, function, &rows)
        {
            return Some(format!(
                " The changes of {name} are explained by products of two functions: is --degree 2 true of it, or a --relevant map with \
                 the product?"
            ));
        }
        if let Some((residual, scale)) = least_residual(vocabulary, function, &rows) {
            if residual <= 1e-6 * scale {
                return Some(format!(
                    " The changes of {name} are within {residual:.0e} of an affine map: these numbers were rounded, as computing in \
                     floating point does. Only exact numbers can be learned from: record what is computed exactly, such as integers, \
                     decimals or fractions.{}",
                    if rounding_helps(vocabulary, function, &rows) { TRY_ROUNDING } else { "" }
                ));
            }
            if residual <= 0.05 * scale {
                return Some(format!(
                    " The changes of {name} are within {residual:.2} of an affine map, but not on it: these numbers seem to be \
                     measured with some noise, or rounded. Only exact numbers can be learned from.{}",
                    try_decimals(learner, &rows)
                ));
            }
        }
    }
    None
}

const TRY_ROUNDING: &str = " Rounded to six decimals they are on it: try `--decimals 6`.";

/// Whether an affine map explains the change of a function once all numbers are rounded to six decimals.
fn rounding_helps(vocabulary: &Vocabulary, function: LiftedFunctionId, rows: &[&Observation]) -> bool {
    let round = |value: &Option<Rational>| match value.as_ref().and_then(Rational::to_decimal) {
        Some(text) => Numbers::Decimals(6).read(&text).ok(),
        None => value.clone(),
    };
    let rounded = |row: &&Observation| Observation {
        before: row.before.iter().map(round).collect(),
        after: row.after.iter().map(round).collect(),
        ..(*row).clone()
    };
    let rounded: Vec<Observation> = rows.iter().map(rounded).collect();
    explains(vocabulary, function, &rounded.iter().collect::<Vec<_>>())
}

/// A hint where numbers were recorded with more than six decimals: floating point leaves such tails.
fn try_decimals(learner: &Learner, rows: &[&Observation]) -> &'static str {
    let is_long = |number: &Rational| !(number * &Rational::from(1_000_000)).is_integer();
    let mut numbers = rows.iter().flat_map(|row| row.before.iter().chain(row.after.iter())).flatten();
    if learner.class().numbers == Numbers::Exact && numbers.any(is_long) {
        " If this is float noise, try `--decimals 6`."
    } else {
        ""
    }
}

fn change(row: &Observation, function: LiftedFunctionId) -> Option<Rational> {
    Some(row.after[function].as_ref()? - row.before[function].as_ref()?)
}

/// Whether the change of a function is an affine function of the columns.
fn explains(vocabulary: &Vocabulary, function: LiftedFunctionId, rows: &[&Observation]) -> bool {
    let columns = vocabulary.columns.len();
    let joint = rows.iter().filter_map(|row| {
        let values: Option<Vec<Rational>> =
            vocabulary.columns.ids().map(|column| vocabulary.column_value(column, &row.before)).collect();
        let mut vector = values?;
        vector.push(change(row, function)?);
        Some(Row::point(&vector))
    });
    !Echelon::span(columns + 2, joint).pivots().contains(&(columns + 1))
}

/// More columns than this are not fitted.
const MAX_FITTED: usize = 40;

/// The largest residual of the affine map that fits the changes of a function best (least squares), and the size of its values. In
/// floating point: this is for a message, not for a model.
fn least_residual(vocabulary: &Vocabulary, function: LiftedFunctionId, rows: &[&Observation]) -> Option<(f64, f64)> {
    let columns = vocabulary.columns.len();
    if columns > MAX_FITTED || rows.len() < columns + 3 {
        return None;
    }
    let mut matrix: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let values =
            vocabulary.columns.ids().map(|column| vocabulary.column_value(column, &row.before).map(|value| value.to_f64()));
        let mut line: Vec<f64> = values.collect::<Option<_>>()?;
        line.push(1.0);
        line.push(change(row, function)?.to_f64());
        matrix.push(line);
    }
    let scale = rows.iter().filter_map(|row| Some(row.after[function].as_ref()?.to_f64().abs())).fold(0.0, f64::max);
    let width = columns + 1;
    // Gram-Schmidt, twice for good measure: what is left of the last column is the residual.
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    let column = |at: usize| matrix.iter().map(|line| line[at]).collect::<Vec<f64>>();
    let reduced = |mut vector: Vec<f64>, basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for known in basis {
                let along = dot(&vector, known);
                vector.iter_mut().zip(known).for_each(|(value, known)| *value -= along * known);
            }
        }
        vector
    };
    for at in (0..width).rev() {
        let original = column(at);
        let length = dot(&original, &original).sqrt();
        let rest = reduced(original, &basis);
        let left = dot(&rest, &rest).sqrt();
        if left > 1e-9 * length && left > 0.0 {
            basis.push(rest.into_iter().map(|value| value / left).collect());
        }
    }
    let residual = reduced(column(width), &basis).into_iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    Some((residual, scale.max(f64::MIN_POSITIVE)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_twentieth_is_refused_if_that_is_at_least_three_steps() {
        let usual = SetAsideLimit::default();
        for (bad, all, admitted) in [(2, 2, true), (3, 59, false), (3, 60, true), (4, 79, false), (4, 80, true)] {
            assert_eq!(usual.admits(bad, all), admitted, "{bad} of {all}");
        }
        assert!(SetAsideLimit { steps: 3, ..usual }.admits(3, 4));
        for percent in 1..=100 {
            let limit = SetAsideLimit { share: f64::from(percent) / 100.0, steps: 0 };
            assert!(limit.admits(percent as usize, 100) && !limit.admits(percent as usize + 1, 100), "{percent}");
        }
    }
}
