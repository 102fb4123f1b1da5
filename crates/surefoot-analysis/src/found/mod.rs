//! Finds the parts of actions in the records (docs/theory.md, "Found parts").
//!
//! *In*: a spec that asks for found parts, and a recording. *Out*: [`FoundCuts`]: the spec with the
//! parts in their place, and a note for each action that no single model of the class explains.
//!
//! A first pass reads all records. Where they refute every model of the class for an action, all
//! cuts of a bounded family with the fewest parts are looked for, and what these have in common is
//! the result. Then each trace is held out: a cut is found and a model learned without it, and what
//! the model says of its events is compared with them. A part stands if enough steps in it were
//! predicted correctly, and if no direction of its numbers and literals is in one trace alone. One
//! wrong prediction refutes all parts of the action, and all parts stand or none: the steps of a
//! part also say where its neighbours end. Parts that stand are fixed: whoever learns with them
//! reads them as if they were declared, and says that they were found.
//!
//! *Where to begin*: `search` finds cuts, `feature` has the family, `held_out` tests, `rows` are
//! the records.

mod feature;
mod held_out;
mod rows;
mod search;

use std::collections::BTreeSet;

use serde_json::json;
use surefoot_base::advice::Text;
use surefoot_base::assumptions::{Algorithm, Spec};
use surefoot_base::dial;
use surefoot_base::model::{ActionId, Domain, Effect};
use surefoot_base::parts::{DeclaredParts, FindParts, FoundPart, FoundParts};
use surefoot_base::pddl::{ReadError, Writer};

use self::feature::Features;
use self::held_out::{CutModel, HeldOut, held_out, sets, texts};
use self::rows::{NotSearched, Rows, distinct_traces};
use self::search::{Cut, LITTLE_WORK, MOST_PARTS, MOST_WORK, Search, Searcher};
use surefoot_learn::{
    CutNote, Job, LearnError, Learner, OnBadData, Progress, Recording, Settings, SpecError,
    Unwatched, assumptions, is_refuted, places_of,
};

/// What was found in the records.
pub struct FoundCuts {
    /// The spec with the parts that stand. Actions for which none does have no parts in it.
    pub spec: Spec,
    /// A note for each action that no single model of the class explains.
    pub notes: Vec<CutNote>,
}

impl FoundCuts {
    /// An error of a job that was run with this spec, with what was found about the actions that it
    /// is about.
    pub fn explained(&self, error: LearnError) -> LearnError {
        match error {
            LearnError::BadData(bad) => bad.with_cuts(self.notes.clone()).into(),
            other => other,
        }
    }
}

/// Whether a spec asks to find parts.
pub fn asks_for_parts(spec: &Spec) -> bool {
    spec.parts.values().any(|parts| matches!(parts, DeclaredParts::ToFind(_)))
}

/// Finds the parts that a spec asks for. A spec that asks for none is returned as it is.
///
/// # Errors
/// The recording cannot be read, or the spec makes no sense for the domain, or together with parts
/// that are found.
pub fn find_parts(
    domain: &Domain,
    spec: &Spec,
    recording: &dyn Recording,
    on_bad: OnBadData,
    progress: &dyn Progress,
) -> Result<FoundCuts, LearnError> {
    search(domain, spec, recording, on_bad, (progress, MOST_WORK, true))
}

/// The same, with a bound on the work, and whether failures that no conjunction explains are a
/// reason to look for parts: they may have failed by chance.
fn search(
    domain: &Domain,
    spec: &Spec,
    recording: &dyn Recording,
    on_bad: OnBadData,
    (progress, most_work, by_failures): (&dyn Progress, usize, bool),
) -> Result<FoundCuts, LearnError> {
    if !asks_for_parts(spec) {
        return Ok(FoundCuts { spec: spec.clone(), notes: Vec::new() });
    }
    check(spec, on_bad)?;
    let wanted = wanted(domain, spec)?;
    let is_declared = |parts: &DeclaredParts| !matches!(parts, DeclaredParts::ToFind(_));
    let mut base = spec.clone();
    base.parts.retain(|_, parts| is_declared(parts));
    let start = Learner::of(domain, &base)?;
    let settings = Settings::of_spec(&base, &start)?;
    let job = Job {
        start: &start,
        settings: &settings,
        recording,
        policy: OnBadData::SkipAction.into(),
        digests: false,
        progress,
    };
    let parts = start.lens().parts();
    let mut refuted = job.refuted_actions(by_failures)?;
    refuted.retain(|action| wanted.contains(&parts.given_id(*action).0));
    let mut found = FoundCuts { spec: base.clone(), notes: Vec::new() };
    if refuted.is_empty() {
        return Ok(found);
    }
    let traces = distinct_traces(recording)?;
    let (base, start, settings) = (&base, &start, &settings);
    let finder = Finder { base, start, settings, recording, traces, most_work };
    for action in refuted {
        let (note, parts) = finder.find(action)?;
        if let Some(parts) = parts {
            found.spec.parts.insert(note.action.to_ascii_lowercase(), DeclaredParts::Found(parts));
        }
        found.notes.push(note);
    }
    Ok(found)
}

/// An error of a job, with cuts that would explain the records where they contradict the class. To
/// find parts is proposed only if that was tried, and a model was learned.
pub fn with_proposed_parts(job: &Job<'_>, error: LearnError) -> LearnError {
    match error {
        LearnError::BadData(bad) if bad.cuts.is_empty() && !job.start.has_seen_any() => {
            let cuts = proposed_cuts(job).unwrap_or_default();
            bad.with_cuts(cuts).into()
        }
        other => other,
    }
}

/// None where parts cannot be found with these settings.
fn proposed_cuts(job: &Job<'_>) -> Result<Vec<CutNote>, LearnError> {
    let given = job.start.given();
    let mut spec = assumptions(job.start, job.settings).spec;
    let to_find = DeclaredParts::ToFind(FindParts::Found);
    spec.parts.entry(FindParts::ALL_ACTIONS.to_owned()).or_insert(to_find);
    let (progress, recording) = (&Unwatched, job.recording);
    let mut found =
        search(given, &spec, recording, job.policy.on_bad, (progress, LITTLE_WORK, false))?;
    found.notes.retain(|note| note.is_cut);
    if found.notes.iter().any(|note| note.stands) {
        let start = &Learner::of(given, &found.spec)?;
        let settings = &Settings::of_spec(&found.spec, start)?;
        let policy = OnBadData::SkipAction.into();
        let job = Job { start, settings, recording, policy, digests: false, progress };
        let model = job.run()?;
        for note in found.notes.iter_mut().filter(|note| note.stands) {
            let action = given.actions.find(&note.action).map(ActionId::from);
            if action.is_some_and(|action| model.missing(action).is_none()) {
                note.words += " ";
                note.words += dial!("parts", FindParts::WORD);
                note.words += format!(" learns {} so.", note.action);
            }
        }
    }
    Ok(found.notes)
}

/// Refuses what is not supported together with parts that are found.
fn check(spec: &Spec, on_bad: OnBadData) -> Result<(), SpecError> {
    let error = |message: &str| SpecError { dial: "parts", message: message.into() };
    if !spec.error.is_empty() {
        return Err(error("parts cannot be found where recorded numbers have errors"));
    }
    if spec.unchanged.is_some() {
        return Err(error(
            "parts cannot be found while steps that changed nothing are read as failed attempts",
        ));
    }
    if spec.algorithm == Algorithm::Sam {
        return Err(error("SAM looks at no numbers, and parts are found by numbers, too"));
    }
    // What was found holds of what was recorded. These assumptions lead further, or hide tests.
    let leads_further = spec.arity.is_some()
        || spec.positive_preconditions
        || !spec.monotone.is_empty()
        || !spec.relevant.is_empty();
    if leads_further {
        return Err(error(
            "parts cannot be found together with assumptions about relevant functions, \
             monotonicity, arity or positive preconditions: declare the parts",
        ));
    }
    if on_bad != OnBadData::Stop {
        return Err(error(
            "parts cannot be found while records are left out: a step that contradicts others may \
             be an error or a part of its own",
        ));
    }
    Ok(())
}

/// The actions of which parts are to be found.
fn wanted(domain: &Domain, spec: &Spec) -> Result<BTreeSet<ActionId>, SpecError> {
    let mut wanted = BTreeSet::new();
    let is_named = |name: &str| spec.parts.keys().any(|key| key.eq_ignore_ascii_case(name));
    for (name, parts) in &spec.parts {
        if !matches!(parts, DeclaredParts::ToFind(_)) {
            continue;
        }
        if name == FindParts::ALL_ACTIONS {
            wanted.extend(domain.action_ids().filter(|id| !is_named(domain.action_name(*id))));
            continue;
        }
        match domain.actions.find(name) {
            Some(id) => drop(wanted.insert(id.into())),
            None => {
                let message = format!("the domain has no action {name}").into();
                return Err(SpecError { dial: "parts", message });
            }
        }
    }
    Ok(wanted)
}

/// Finds the parts of actions, one after another.
struct Finder<'a> {
    base: &'a Spec,
    start: &'a Learner,
    settings: &'a Settings,
    recording: &'a dyn Recording,
    /// The different traces, by digest.
    traces: Vec<usize>,
    most_work: usize,
}

impl Finder<'_> {
    fn find(&self, action: ActionId) -> Result<(CutNote, Option<FoundParts>), ReadError> {
        let Finder { start, settings, recording, ref traces, most_work, .. } = *self;
        let name = start.domain().action_name(action).to_owned();
        let none = |words: &str| {
            let words = Text::from(format!("{name}: {words}"));
            Ok((CutNote { action: name.clone(), words, is_cut: false, stands: false }, None))
        };
        let rows = match Rows::read(start, action, settings, recording, (traces, most_work)) {
            Ok(rows) => rows,
            Err(NotSearched::TooMany) => return none("too many records to find parts in them"),
            Err(NotSearched::Anomaly) => {
                return none(
                    "no parts were looked for, since a step contradicts every model by \
                             itself",
                );
            }
            Err(NotSearched::Read(error)) => return Err(error),
        };
        if !Features::are_known(&rows) {
            return none(
                "no parts were looked for, since a step lacks a value that a test may read",
            );
        }
        let all: Vec<usize> = (0..rows.rows.len()).collect();
        let cut = match Searcher::search(&rows, &all, MOST_PARTS) {
            Search::Cut(cut) => cut,
            Search::TooLarge => {
                return none("too many tests may separate its parts, so none was chosen");
            }
            // What refutes it needs more than its own records to see, or no cut explains them.
            Search::Whole | Search::Unexplained => {
                return none(&format!(
                    "no cut into at most {MOST_PARTS} parts by the tests that are tried explains \
                     its records"
                ));
            }
        };
        let held_out = held_out(&rows, self.base, &cut);
        if let Some(wrong) = held_out.wrong {
            let wrong = rows.rows[wrong].id;
            let places = places_of(start, &[wrong].into(), recording)?;
            let place = places
                .get(&wrong)
                .map_or(String::new(), |place| format!(" ({}:{})", place.file, place.line));
            return none(&format!(
                "a cut explains its records, but a model that is learned without a trace predicts \
                 a record of that trace wrongly{place}, so the cut is refuted"
            ));
        }
        self.concluded(&rows, &cut, &held_out, name)
    }

    /// Which parts stand, in words and as an assumption.
    fn concluded(
        &self,
        rows: &Rows<'_>,
        cut: &Cut,
        held_out: &HeldOut,
        name: String,
    ) -> Result<(CutNote, Option<FoundParts>), ReadError> {
        let mut parts = FoundParts { found: Vec::new() };
        let (mut sentences, mut lacking) = (Vec::new(), Vec::new());
        let effects = self.effects(rows, cut);
        let tests = texts(rows, &cut.parts);
        for (place, (part, tests)) in cut.parts.iter().zip(&tests).enumerate() {
            let steps = part.rows.iter().filter(|&&row| rows.step(row).is_some()).count();
            let (predicted, traces) = (held_out.predicted[place], held_out.traces[place].len());
            let part_rows = &part.rows;
            let part = FoundPart { tests: tests.clone(), steps, predicted, traces };
            let noun = if steps == 1 { "step" } else { "steps" };
            sentences.push(format!(
                "{} in {steps} {noun} where {}",
                effects[place],
                tests.join(" ")
            ));
            if !part.stands() {
                lacking.push(format!(
                    "{predicted} steps were predicted while they were held out, and at least {} \
                     are needed",
                    FoundPart::ENOUGH
                ));
            } else if rows.has_lone_direction(part_rows, sets(rows)) {
                lacking.push(
                    "one trace alone shows how some number or fact matters, so no other trace \
                     can confirm it"
                        .to_owned(),
                );
            } else {
                parts.found.push(part);
                continue;
            }
            if let Some(reason) = lacking.last_mut() {
                *reason = format!("Where {}, {reason}", tests.join(" "));
            }
        }
        let mut words =
            Text::from(format!("{name}: {}; nothing is known elsewhere.", sentences.join("; ")));
        for reason in &lacking {
            words += format!(" {reason}: record more.");
        }
        // Its steps say where the parts beside it end, so none stands without it.
        let stands = lacking.is_empty() && !parts.found.is_empty();
        if !stands && self.can_be_declared(rows, cut, &name, &tests)? {
            words += " If you know that these are its parts, declare them: ";
            words += dial!("parts", json!({ name.to_ascii_lowercase(): tests }));
            words += ".";
        }
        Ok((CutNote { action: name, words, is_cut: true, stands }, stands.then_some(parts)))
    }

    /// By part: what the action does there.
    fn effects(&self, rows: &Rows<'_>, cut: &Cut) -> Vec<String> {
        let Some(learned) = CutModel::learned(rows, self.base, &cut.parts) else {
            return vec!["one way".to_owned(); cut.parts.len()];
        };
        let lens = learned.learner.lens();
        let (id, _) = rows.learner.lens().parts().given_id(rows.action);
        let in_words = |action: ActionId| {
            let body = learned.model.action(action);
            let constants = &learned.model.signature.constants;
            let mut writer =
                Writer::new(&learned.model, constants).with_parameters(&body.parameters);
            match &body.effect {
                _ if body.is_left_out() => "an unknown effect".to_owned(),
                Effect::And(effects) if effects.is_empty() => "no effect".to_owned(),
                Effect::And(effects) => {
                    let all: Vec<String> =
                        effects.iter().map(|effect| writer.effect(effect)).collect();
                    all.join(" ")
                }
                effect => writer.effect(effect),
            }
        };
        lens.parts().learned_ids(id).map(in_words).collect()
    }

    /// Whether a model of the same parts, declared, explains the records.
    fn can_be_declared(
        &self,
        rows: &Rows<'_>,
        cut: &Cut,
        name: &str,
        tests: &[Vec<String>],
    ) -> Result<bool, ReadError> {
        let mut spec = self.base.clone();
        spec.parts.insert(name.to_ascii_lowercase(), DeclaredParts::Listed(tests.to_vec()));
        let Some(learned) = CutModel::learned(rows, self.base, &cut.parts) else {
            return Ok(false);
        };
        let (id, _) = rows.learner.lens().parts().given_id(rows.action);
        let mut ids = learned.learner.lens().parts().learned_ids(id);
        let is_whole = ids.all(|id| !learned.model.action(id).is_left_out());
        Ok(is_whole && !is_refuted(self.start.given(), &spec, self.recording)?)
    }
}
