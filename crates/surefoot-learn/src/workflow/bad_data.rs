//! Steps that no model of the class explains: which they are, what a user can be told about them,
//! and when setting them aside repairs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use surefoot_base::advice::{Advice, Setting, Text, Worded};
use surefoot_base::assumptions::{Algorithm, SetAside};
use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::ActionId;
use surefoot_base::pddl::{Diagnostic, ReadError, Writer};

use super::audit::{Outliers, evidence, outliers};
use super::diagnosis::{
    ActionObservations, ActionRows, Cause, Collector, Diagnosis, FailureDiagnosis, NoSuggestion,
    Proposal, StepPlace, Suggestion, drafts, failure_diagnoses, follow_a_rule,
};
use super::trial::Trial;
use crate::conclude::{Settings, contradiction};
use crate::evidence::{ActionEvidence, Learner, Observation, Recording, StepId, Vocabulary};

/// A step that no model explains, or that spoils the explanation of others.
pub struct Finding {
    /// The action of the step.
    pub action: ActionId,
    /// The step that does not fit.
    pub step: StepId,
    /// What is wrong, and where.
    pub diagnostic: Diagnostic,
}

/// What to do with steps that no model of the class explains.
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
        (
            OnBadData::Quarantine,
            "quarantine",
            "Set as few of them as possible aside as recording errors; the model states this \
             assumption",
        ),
    ];

    /// The choice of a name.
    pub fn find(name: &str) -> Option<OnBadData> {
        OnBadData::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(choice, _, _)| choice)
    }
}

/// What to do about steps that no model of the class explains.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// What to do with bad steps.
    pub on_bad: OnBadData,
    /// How many steps may be set aside.
    pub limit: SetAsideLimit,
}

impl From<OnBadData> for Policy {
    fn from(on_bad: OnBadData) -> Self {
        Policy { on_bad, limit: SetAsideLimit::default() }
    }
}

/// How many steps of an action may be set aside as recording errors: by default, one in twenty, or
/// two. Where more contradict the rest, they are no single recording errors.
#[derive(Clone, Copy, Debug)]
pub struct SetAsideLimit {
    /// The share of its steps.
    pub share: f64,
    /// At most this many steps, in any case.
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
pub type Rows = BTreeMap<ActionId, ActionRows>;

/// The actions that no model of the class explains. SAM does not look at numbers.
pub fn contradictory(learner: &Learner, algorithm: Algorithm) -> BTreeSet<ActionId> {
    let numbers = algorithm != Algorithm::Sam;
    let actions: Vec<ActionId> = (learner.domain().action_ids())
        .filter(|id| !learner.history().skipped.contains_key(id))
        .collect();
    actions.into_par_iter().filter(|id| learner.contradiction(*id, numbers).is_some()).collect()
}

/// The steps of some actions, as many as can be held.
pub fn rows(
    learner: &Learner,
    bad: &BTreeSet<ActionId>,
    recording: &dyn Recording,
) -> Result<Rows, ReadError> {
    let mut rows: BTreeMap<ActionId, Collector> = BTreeMap::new();
    if bad.is_empty() {
        return Ok(Rows::new());
    }
    learner.lens().each_event(recording, 0..recording.traces(), |id, recorded, observer| {
        if let Some(step) = recorded.step()
            && let action = step.action.symbol
            && bad.contains(&action)
            && let Ok(observation) = observer.observe_step(step)
        {
            rows.entry(action).or_default().push(id, observation);
        }
    })?;
    Ok(rows.into_iter().map(|(action, rows)| (action, rows.finish())).collect())
}

/// The steps to blame where no model explains all of them.
pub struct Blamed {
    /// The steps that contradict others, in the order of the records.
    pub findings: Vec<Finding>,
    /// The actions of which as few other steps may be to blame instead.
    pub tied: BTreeSet<ActionId>,
}

/// The fewest of these steps whose removal leaves what some model explains. What was learned before
/// cannot be taken back: of steps that contradict it, the new ones are to blame.
pub fn blamed(
    start: &Learner,
    learner: &Learner,
    rows: &Rows,
    recording: &dyn Recording,
    algorithm: Algorithm,
) -> Result<Blamed, ReadError> {
    let numbers = algorithm != Algorithm::Sam;
    let (mut blamed, mut tied) = (BTreeSet::new(), BTreeSet::new());
    let mut sieves: BTreeMap<ActionId, Sieve> = BTreeMap::new();
    for (&action, rows) in rows {
        let vocabulary = learner.vocabulary(action);
        if !start.evidence(action).is_empty() {
            sieves.insert(action, Sieve::new(start.evidence(action), numbers));
            continue;
        }
        let Outliers { rows: removed, is_tied } = outliers(vocabulary, &rows.observations);
        let removed: BTreeSet<usize> = removed.into_iter().collect();
        if is_tied {
            tied.insert(action);
        }
        if rows.is_complete() {
            blamed.extend(removed.into_iter().map(|index| rows.steps[index]));
        } else {
            sieves.insert(
                action,
                Sieve::new(&evidence(vocabulary, &rows.observations, &removed), numbers),
            );
        }
    }
    let mut findings = Vec::new();
    let traces: BTreeSet<usize> = match sieves.is_empty() {
        true => blamed.iter().map(|(trace, _)| *trace).collect(),
        false => (0..recording.traces()).collect(),
    };
    learner.lens().each_event(recording, traces, |id, recorded, observer| {
        let Some(step) = recorded.step() else { return };
        let sieve = sieves.get_mut(&step.action.symbol);
        let is_blamed = match sieve {
            None => blamed.contains(&id),
            Some(sieve) => (observer.observe_step(step)).is_ok_and(|observation| {
                !sieve.admits(learner.vocabulary(step.action.symbol), &observation)
            }),
        };
        if is_blamed {
            let action = Writer::new(learner.domain(), recorded.objects).ground_action(step.action);
            let same = step.before == step.after;
            let what = if same { "changes nothing, unlike" } else { "does not fit" };
            let name = learner.domain().action_name(step.action.symbol);
            let diagnostic = recorded.error(format!("{action} {what} the other steps of {name}"));
            findings.push(Finding { action: step.action.symbol, step: id, diagnostic });
        }
    })?;
    Ok(Blamed { findings, tied })
}

/// Lets steps through, one after another, that do not contradict what was let through before them.
struct Sieve {
    known: ActionEvidence,
    numbers: bool,
}

impl Sieve {
    fn new(known: &ActionEvidence, numbers: bool) -> Self {
        Sieve { known: effects_alone(known), numbers }
    }

    fn admits(&mut self, vocabulary: &Vocabulary, observation: &Observation) -> bool {
        let mut grown = self.known.clone();
        grown.observe(vocabulary, observation);
        let same = (&grown.patterns, &grown.undefined, &grown.untouched, &grown.inexact)
            == (
                &self.known.patterns,
                &self.known.undefined,
                &self.known.untouched,
                &self.known.inexact,
            );
        if !same && contradiction(vocabulary, &grown, self.numbers).is_some() {
            return false;
        }
        if !same {
            self.known = effects_alone(&grown);
        }
        true
    }
}

/// What evidence says about effects, without the vectors that say what is allowed.
fn effects_alone(evidence: &ActionEvidence) -> ActionEvidence {
    evidence.of_effects()
}

/// An action of which steps were learned from before that contradict those read now. How many
/// earlier steps there are of each kind is forgotten, so nobody knows which steps would be the
/// fewest to blame if all were read together. Steps that contradict the class by themselves are the
/// same in any company.
pub fn contradicts_earlier(start: &Learner, findings: &[Finding], rows: &Rows) -> Option<ActionId> {
    let mut actions = findings.iter().map(|finding| finding.action);
    actions.find(|id| rows.contains_key(id) && !start.evidence(*id).is_empty())
}

/// Findings as steps that can be named in assumptions.
pub fn named(
    findings: &[Finding],
    recording: &dyn Recording,
) -> Result<Vec<(ActionId, SetAside)>, ReadError> {
    let traces: BTreeSet<usize> = findings.iter().map(|finding| finding.step.0).collect();
    let mut digests: BTreeMap<usize, String> = BTreeMap::new();
    for trace in traces {
        digests.insert(trace, recording.digest(trace)?);
    }
    let mut steps = Vec::new();
    for finding in findings {
        let (trace, step) = finding.step;
        let place = &finding.diagnostic.place;
        let what =
            format!("{}:{}, {}.", place.file, place.position.line, finding.diagnostic.message);
        steps.push((finding.action, SetAside { trace: digests[&trace].clone(), step, what }));
    }
    Ok(steps)
}

/// What may explain why no model fits some actions: those with findings, if their rows are known.
pub fn diagnoses(
    learner: &Learner,
    rows: &Rows,
    recording: &dyn Recording,
    limit: SetAsideLimit,
    settings: &Settings,
) -> Result<Vec<Diagnosis>, ReadError> {
    let numbers = settings.algorithm != Algorithm::Sam;
    let found: Vec<_> = rows
        .iter()
        .map(|(&action, rows)| (action, rows, drafts(learner, action, rows, limit, numbers)))
        .collect();
    let mut wanted: BTreeMap<StepId, (ActionId, usize)> = BTreeMap::new();
    for (action, rows, drafts) in &found {
        let places = drafts.iter().flat_map(|draft| draft.wanted(rows));
        wanted.extend(places.map(|row| (rows.steps[row], (*action, row))));
    }
    let mut places: BTreeMap<ActionId, BTreeMap<usize, StepPlace>> = BTreeMap::new();
    for (id, place) in places_of(learner, &wanted.keys().copied().collect(), recording)? {
        if let Some(&(action, row)) = wanted.get(&id) {
            places.entry(action).or_default().insert(row, place);
        }
    }
    let mut diagnoses = Vec::new();
    for (action, rows, drafts) in found {
        let places = places.remove(&action).unwrap_or_default();
        let mut placed: Vec<Diagnosis> =
            drafts.into_iter().map(|draft| draft.placed(learner, action, rows, &places)).collect();
        let (mut class, mut assumed) = (learner.class().clone(), settings.clone());
        let named = placed
            .iter()
            .filter(|diagnosis| diagnosis.cause.set_options(&mut class, &mut assumed))
            .count();
        if named > 0 {
            let (without, actions) = (BTreeSet::new(), BTreeSet::from([action]));
            let trial = Trial {
                learner,
                class,
                settings: assumed,
                recording,
                without: &without,
                actions: &actions,
            };
            let tried = trial.passes()?;
            placed.iter_mut().for_each(|diagnosis| diagnosis.tried = tried);
        }
        diagnoses.extend(placed);
    }
    Ok(diagnoses)
}

/// Where some steps were recorded.
pub fn places_of(
    learner: &Learner,
    steps: &BTreeSet<StepId>,
    recording: &dyn Recording,
) -> Result<BTreeMap<StepId, StepPlace>, ReadError> {
    let mut places = BTreeMap::new();
    let traces: BTreeSet<usize> = steps.iter().map(|(trace, _)| *trace).collect();
    learner.lens().each_event(recording, traces, |id, recorded, _| {
        if steps.contains(&id) {
            let place = recorded.error(String::new()).place;
            let (line, column) = (place.position.line, place.position.column);
            places.insert(id, StepPlace { file: place.file.into(), line, column });
        }
    })?;
    Ok(places)
}

/// Steps that contradict every model of the class.
#[derive(Debug)]
pub struct BadData {
    /// The first of them.
    pub first: Box<Diagnostic>,
    /// Which one that is.
    pub first_step: StepId,
    /// How many there are.
    pub steps: usize,
    /// What may explain them, action by action.
    pub diagnoses: Vec<Diagnosis>,
    /// What distinguishes failed attempts at these actions from steps that worked.
    pub failures: Box<[FailureDiagnosis]>,
    /// The errors that explain them, where numbers are not exact. A model learned with them was
    /// tried on the records.
    pub suggestion: Option<Box<Suggestion>>,
    /// Why no errors are proposed, although some would explain the records.
    pub no_suggestion: Option<Box<NoSuggestion>>,
    /// What was found about the parts of these actions, if parts were looked for.
    pub cuts: Box<[CutNote]>,
    message: Box<Text>,
    choices: Box<Text>,
}

/// What was found about an action that no single model of the class explains.
#[derive(Clone, Debug)]
pub struct CutNote {
    /// The name of the action.
    pub action: String,
    /// The cut with numbers, or why there is none.
    pub words: Text,
    /// Whether there is a cut that explains the records and that no held-out record refutes.
    pub is_cut: bool,
    /// Whether all of its parts stood the test, so that they are among the assumptions.
    pub stands: bool,
}

/// An action whose bad steps cannot be set aside as recording errors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoQuarantine {
    /// The name of the action.
    pub action: String,
    /// How many of its steps contradict the others.
    pub odd: usize,
    /// How many steps it has.
    pub steps: usize,
    /// Why they cannot be set aside.
    pub why: NoQuarantineReason,
}

/// Why bad steps of an action cannot be set aside as recording errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoQuarantineReason {
    /// They are more than may be set aside.
    TooMany,
    /// They begin like other steps and end differently, so something that is not recorded decides.
    Alike,
    /// The steps begin alike in all that is known: an unknown value before them may decide.
    AlikeButForUnknown,
    /// Two or more of them follow a rule of their own, so something that is not recorded decides.
    OwnRule,
    /// As few other steps may be the recording errors instead.
    Tied,
    /// They are attempts that failed: no model may allow what failed.
    Failed,
    /// A model learned without them is refuted by other records.
    Refuted,
}

impl BadData {
    /// A message about some findings, of which there is at least one, and what may explain them.
    pub fn new(
        findings: &[Finding],
        policy: Policy,
        refused: &[NoQuarantine],
        diagnoses: Vec<Diagnosis>,
    ) -> Self {
        let first = findings
            .first()
            .map_or_else(|| Diagnostic::of_file("", ""), |finding| finding.diagnostic.clone());
        let message = refusal(findings, refused, &diagnoses);
        let actions: BTreeSet<ActionId> = findings.iter().map(|finding| finding.action).collect();
        let choices = choices(policy, refused, actions.len(), &diagnoses);
        BadData {
            first: Box::new(first),
            first_step: findings.first().map_or((0, 0), |finding| finding.step),
            steps: findings.len(),
            diagnoses,
            failures: Box::default(),
            suggestion: None,
            no_suggestion: None,
            cuts: Box::default(),
            message: Box::new(message),
            choices: Box::new(choices),
        }
    }

    /// Adds what distinguishes failed attempts from steps that worked.
    pub(crate) fn with_failures(
        self,
        learner: &Learner,
        findings: &[Finding],
        recording: &dyn Recording,
    ) -> Result<Self, ReadError> {
        let actions = findings.iter().map(|finding| finding.action).collect();
        Ok(BadData { failures: failure_diagnoses(learner, &actions, recording)?.into(), ..self })
    }

    /// Adds what was found about the parts of actions.
    #[must_use]
    pub fn with_cuts(self, cuts: Vec<CutNote>) -> Self {
        BadData { cuts: cuts.into(), ..self }
    }

    /// Adds errors that would explain the numbers, if these look inexact, or the reason why there
    /// are none.
    #[must_use]
    pub(crate) fn with_suggestion(self, advice: Option<Proposal>) -> Self {
        match advice {
            None => self,
            Some(Ok(suggestion)) => BadData { suggestion: Some(Box::new(suggestion)), ..self },
            Some(Err(why)) => BadData { no_suggestion: Some(Box::new(why)), ..self },
        }
    }
}

impl Worded for BadData {
    fn text(&self) -> Text {
        let mut text = (*self.message).clone();
        for failure in &self.failures {
            text += format!("\n{failure}");
        }
        for cut in &*self.cuts {
            text += "\n";
            text += cut.words.clone();
        }
        if let Some(suggestion) = &self.suggestion {
            text += "\n";
            text += suggestion.text();
        }
        if let Some(why) = &self.no_suggestion {
            text += "\n";
            text += why.text();
        }
        text + (*self.choices).clone()
    }
}

impl fmt::Display for BadData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

impl std::error::Error for BadData {}

fn refusal(findings: &[Finding], refused: &[NoQuarantine], diagnoses: &[Diagnosis]) -> Text {
    const SHOWN: usize = 3;
    const DIAGNOSES: usize = 10;
    let mut text: String =
        findings.iter().take(SHOWN).map(|finding| format!("{}\n\n", finding.diagnostic)).collect();
    if findings.len() > SHOWN {
        text += &format!("and {} more\n\n", findings.len() - SHOWN);
    }
    let these = match findings.len() {
        1 => "this step".to_owned(),
        count => format!("these {count} steps"),
    };
    text += &format!("No model of the class explains {these} together with the others.");
    for NoQuarantine { action, odd, steps, why } in refused {
        // Where the records may be to blame after all, the diagnosis says how.
        let is_class = diagnoses
            .iter()
            .filter(|diagnosis| diagnosis.action == *action)
            .all(|diagnosis| diagnosis.cause.blames_class());
        let so = match (why, is_class) {
            (NoQuarantineReason::TooMany, true) => {
                "so the assumed form of its rules (the class) is likely to be wrong, not the \
                 records"
            }
            (NoQuarantineReason::TooMany, false) => "too many to be single recording errors",
            _ => continue,
        };
        text += &format!("\n{odd} of {steps} steps of {action} contradict the others, {so}.");
    }
    let mut text = Text::from(text);
    for diagnosis in diagnoses.iter().take(DIAGNOSES) {
        text += "\n";
        text += diagnosis.text();
    }
    text
}

/// The options for the bad steps of this many actions. Diagnoses may say that something unrecorded
/// decides.
fn choices(
    policy: Policy,
    refused: &[NoQuarantine],
    actions: usize,
    diagnoses: &[Diagnosis],
) -> Text {
    let names: Vec<&str> = refused.iter().map(|refused| &*refused.action).collect();
    let is_refused = |why: NoQuarantineReason| refused.iter().any(|refused| refused.why == why);
    let is_told = diagnoses.iter().any(|diagnosis| diagnosis.cause == Cause::Chance);
    // Numbers that are not exact explain why steps that begin alike end differently.
    let has_twins = diagnoses
        .iter()
        .any(|diagnosis| diagnosis.twins.is_some() && !diagnosis.cause.is_inexact());
    let mut text = Text::default();
    if (has_twins || is_refused(NoQuarantineReason::Alike)) && !is_told {
        text += "\nSteps that begin alike and end differently are not recording errors: something \
                 that is not recorded decides.";
    }
    let is_ruled = diagnoses.iter().any(|diagnosis| diagnosis.cause == Cause::OwnRule);
    if is_refused(NoQuarantineReason::OwnRule) && !is_ruled {
        text += "\nSteps that follow a rule of their own are not recording errors: something that \
                 is not recorded decides.";
    }
    if is_refused(NoQuarantineReason::Tied) {
        text += "\nA different set of steps, no larger, could be the wrong records instead, so \
        none of these is set aside. Correct the records, or record more of them.";
    }
    if is_refused(NoQuarantineReason::Failed) {
        text += "\nAn attempt that failed cannot be set aside: no model may allow what failed. If \
                 the log is wrong, correct it there.";
    }
    if is_refused(NoQuarantineReason::AlikeButForUnknown) {
        text += "\nSteps that begin alike in all known values end differently: an unknown value \
                 may decide, so they cannot be set aside as recording errors.";
    }
    if policy.on_bad == OnBadData::Quarantine && is_refused(NoQuarantineReason::TooMany) {
        text += "\nQuarantine would set aside more steps of an action than ";
        text += Advice::named(Setting::SetAsideShare);
        text += " and ";
        text += Advice::named(Setting::SetAsideSteps);
        text += " allow.";
    }
    if policy.on_bad != OnBadData::Quarantine || !refused.is_empty() {
        text += "\n";
        text += Advice::on_bad_data("skip-action");
        text += " leaves such actions out";
    }
    if policy.on_bad != OnBadData::Quarantine && refused.len() < actions {
        text += "; ";
        text += Advice::on_bad_data("quarantine");
        text += " sets the steps aside as recording errors";
        if !names.is_empty() {
            text += format!(", and leaves {} out", names.join(", "));
        }
    }
    text
}

/// Why the number of steps of an action is known.
const COUNTED: &str = "the steps of every action were counted";

/// The actions whose bad steps cannot be set aside: too many of them contradict the others, several
/// of them begin like other steps and end differently, several follow a rule of their own, or as
/// few others may be to blame. One step that begins like others may be set aside by whoever asks
/// for it; nobody is told to.
pub fn refused(
    learner: &Learner,
    steps: &[usize],
    findings: &[Finding],
    (unrecorded, tied): (&Unrecorded, &BTreeSet<ActionId>),
    policy: Policy,
) -> Vec<NoQuarantine> {
    let asked = usize::from(policy.on_bad == OnBadData::Quarantine);
    let mut bad: BTreeMap<ActionId, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *bad.entry(finding.action).or_default() += 1);
    let mut refused = Vec::new();
    for (id, odd) in bad {
        let AlikeSteps { known, unknown } = unrecorded.alike.get(&id).copied().unwrap_or_default();
        let steps = *steps.get(id.index()).invariant(COUNTED);
        let why = match policy.limit.admits(odd, steps) {
            false => NoQuarantineReason::TooMany,
            true if known > asked => NoQuarantineReason::Alike,
            true if known + unknown > asked => NoQuarantineReason::AlikeButForUnknown,
            true if unrecorded.ruled.contains(&id) => NoQuarantineReason::OwnRule,
            true if tied.contains(&id) => NoQuarantineReason::Tied,
            true => continue,
        };
        let action = learner.domain().action_name(id).to_owned();
        refused.push(NoQuarantine { action, odd, steps, why });
    }
    refused
}

/// Of the actions whose bad steps could be set aside, those for which that does not help: a model
/// learned without them is refuted by other records, or by traces that were left out.
pub fn refuted(
    learner: &Learner,
    settings: &Settings,
    steps: &[usize],
    findings: &[Finding],
    refused: &[NoQuarantine],
    recording: &dyn Recording,
) -> Result<Vec<NoQuarantine>, ReadError> {
    let actions: BTreeSet<ActionId> = findings.iter().map(|finding| finding.action).collect();
    let mut found = Vec::new();
    for action in actions {
        let name = learner.domain().action_name(action);
        if refused.iter().any(|refused| refused.action == name) {
            continue;
        }
        let without: BTreeSet<StepId> = findings
            .iter()
            .filter(|finding| finding.action == action)
            .map(|finding| finding.step)
            .collect();
        let (class, settings, only) =
            (learner.class().clone(), settings.clone(), BTreeSet::from([action]));
        let trial =
            Trial { learner, class, settings, recording, without: &without, actions: &only };
        if !trial.passes()? {
            let steps = *steps.get(action.index()).invariant(COUNTED);
            found.push(NoQuarantine {
                action: name.to_owned(),
                odd: without.len(),
                steps,
                why: NoQuarantineReason::Refuted,
            });
        }
    }
    Ok(found)
}

/// What shows that something that is not recorded decides about bad steps.
pub struct Unrecorded {
    /// By action: how many begin like another step and end differently.
    alike: BTreeMap<ActionId, AlikeSteps>,
    /// The actions with two or more bad steps that follow a rule of their own.
    ruled: BTreeSet<ActionId>,
}

impl Unrecorded {
    /// Looks at the bad steps among the rows of their actions.
    pub fn of(learner: &Learner, findings: &[Finding], rows: &Rows, settings: &Settings) -> Self {
        let ruled = rows.iter().filter(|(action, rows)| {
            let bad: BTreeSet<StepId> = findings
                .iter()
                .filter(|finding| finding.action == **action)
                .map(|finding| finding.step)
                .collect();
            let odd: BTreeSet<usize> =
                (0..rows.steps.len()).filter(|&row| bad.contains(&rows.steps[row])).collect();
            let marked = settings
                .monotone
                .get(action)
                .into_iter()
                .flatten()
                .map(|(&column, _)| column)
                .collect();
            let seen = ActionObservations { learner, action: **action, rows: &rows.observations };
            odd.len() > 1
                && follow_a_rule(&seen, &odd, &marked, settings.algorithm != Algorithm::Sam)
        });
        Unrecorded {
            alike: alike(learner, findings, rows),
            ruled: ruled.map(|(action, _)| *action).collect(),
        }
    }
}

/// How many bad steps of an action begin like another one and end differently.
#[derive(Clone, Copy, Default)]
pub struct AlikeSteps {
    /// Those before which all is known.
    known: usize,
    /// Those that begin alike in all that is known.
    unknown: usize,
}

/// By action: how many bad steps begin like another step and end differently. Where records may be
/// off, steps begin alike if what is recorded before them may be the same.
fn alike(learner: &Learner, findings: &[Finding], rows: &Rows) -> BTreeMap<ActionId, AlikeSteps> {
    let mut alike: BTreeMap<ActionId, AlikeSteps> = BTreeMap::new();
    for finding in findings {
        let Some(rows) = rows.get(&finding.action) else { continue };
        let Some(place) = rows.steps.iter().position(|step| *step == finding.step) else {
            continue;
        };
        let row = &rows.observations[place];
        let vocabulary = learner.vocabulary(finding.action);
        if rows
            .observations
            .iter()
            .any(|other| begin_alike(vocabulary, row, other) && !end_alike(vocabulary, row, other))
        {
            let found = alike.entry(finding.action).or_default();
            *(if row.is_complete_before() { &mut found.known } else { &mut found.unknown }) += 1;
        }
    }
    alike
}

/// The actions of failed attempts that every model allows. They are not set aside: the model would
/// allow what failed.
pub fn refused_failures(
    learner: &Learner,
    attempts: &[usize],
    findings: &[Finding],
) -> Vec<NoQuarantine> {
    let mut failed: BTreeMap<ActionId, usize> = BTreeMap::new();
    findings.iter().for_each(|finding| *failed.entry(finding.action).or_default() += 1);
    let refused = failed.into_iter().map(|(id, odd)| NoQuarantine {
        action: learner.domain().action_name(id).to_owned(),
        odd,
        steps: *attempts.get(id.index()).invariant(COUNTED),
        why: NoQuarantineReason::Failed,
    });
    refused.collect()
}

/// Whether two steps began in the same way, as far as their action can see and their records show.
/// The same values are unknown before both.
fn begin_alike(vocabulary: &Vocabulary, one: &Observation, other: &Observation) -> bool {
    one.pattern == other.pattern
        && one.seen.iter().zip(&other.seen).all(|(one, other)| one.truths()[0] == other.truths()[0])
        && vocabulary.functions.ids().all(|function| {
            one.is_known_before(function) == other.is_known_before(function)
                && are_near(
                    &one.before[function],
                    &other.before[function],
                    vocabulary.error(function),
                )
        })
}

/// Whether two steps that began alike ended alike.
fn end_alike(vocabulary: &Vocabulary, one: &Observation, other: &Observation) -> bool {
    one.seen.iter().zip(&other.seen).all(|(one, other)| {
        let [one, other] = [one.truths()[1], other.truths()[1]];
        one.is_none() || other.is_none() || one == other
    }) && vocabulary.functions.ids().all(|function| {
        let unknown =
            one.unknown.after.contains(&function) || other.unknown.after.contains(&function);
        unknown
            || are_near(&one.after[function], &other.after[function], vocabulary.error(function))
    })
}

/// Whether two records may be of the same value, each off by at most this error.
fn are_near(one: &Option<Rational>, other: &Option<Rational>, error: &Rational) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= &Rational::integer(2) * error,
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_twentieth_is_refused_if_that_is_at_least_three_steps() {
        let usual = SetAsideLimit::default();
        for (bad, all, admitted) in
            [(2, 2, true), (3, 59, false), (3, 60, true), (4, 79, false), (4, 80, true)]
        {
            assert_eq!(usual.admits(bad, all), admitted, "{bad} of {all}");
        }
        assert!(SetAsideLimit { steps: 3, ..usual }.admits(3, 4));
        for percent in 1..=100 {
            let limit = SetAsideLimit { share: f64::from(percent) / 100.0, steps: 0 };
            assert!(
                limit.admits(percent as usize, 100) && !limit.admits(percent as usize + 1, 100),
                "{percent}"
            );
        }
    }
}
