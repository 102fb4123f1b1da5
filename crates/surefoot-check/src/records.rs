//! Reads trajectories: what each record shows, and whether the model is true of it (obligations 0,
//! 1 and 7).
//!
//! *Every* record is held against the model, whatever the certificate says of it. A failed attempt
//! is never allowed. A step that worked is never allowed and predicted wrongly, unless the
//! certificate sets aside that very step, by name. What a certificate leaves out of the evidence
//! can therefore make the model smaller, and never hides a record that contradicts it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::agreed::StepCounts;
use super::checker::{ActionCheck, ModelChecker};
use super::errors::RecordErrors;
use super::failures::CheckedFailure;
use super::inexact::is_plain;
use super::observe::{Compared, StepAtoms, reproduced};
use super::parts::PartedActions;
use super::spoiled::{contradicts, spoiled};
use super::{Obligation, RejectionReason, failures, words};
use surefoot_base::assumptions::{Algorithm, SetAside, Spec, Unchanged, of_one_log};
use surefoot_base::certificate::{Certificate, digest};
use surefoot_base::model::semantics::Semantics;
use surefoot_base::model::{Attempt, Condition, Domain, GroundAction, Objects, Step};
use surefoot_base::pddl::{
    ReadError, Source, TrajectoryEntry, TrajectoryReader, Writer, assumed_by,
};

/// How many atoms of ground actions are remembered at once.
const MAX_REMEMBERED: usize = 3_000_000;

impl<'a> ModelChecker<'a> {
    /// Reads one trajectory. `Err` where it does not read as one of the domain.
    pub fn read(&mut self, trace: &Source, objects: &Objects) -> Result<(), ReadError> {
        self.read_from(trace, objects, &BTreeMap::new())
    }

    /// Reads one trajectory that was made from other records. `places` says where they stand, such
    /// as `day.csv:12`, by their number in the trajectory: a certificate may name them so.
    ///
    /// # Errors
    /// It does not read as a trajectory of the domain.
    pub fn read_from(
        &mut self,
        trace: &Source,
        objects: &Objects,
        places: &BTreeMap<usize, String>,
    ) -> Result<(), ReadError> {
        let name = digest(trace.text());
        if !self.comparable || !self.traces.insert(name.clone()) {
            return Ok(());
        }
        let assumed = assumed_by(trace.text());
        self.logs.insert(of_one_log(&assumed).map(str::to_owned).collect());
        self.assumed.extend(assumed);
        let numbers = self.numbers();
        let left_out = LeftOutRecords::of(self.certificate, &name);
        let reader = || TrajectoryReader::new(trace, self.given, objects, numbers);
        let Spec { reading, declared, .. } = &self.certificate.assumptions.spec;
        let carried = !(reading.is_empty() && declared.is_empty());
        let spoiled = spoiled(&mut reader()?, &left_out.errors(), carried)?;
        let mut reader = reader()?;
        let mut check = TraceCheck {
            given: self.given,
            domain: &self.domain,
            spec: &self.certificate.assumptions.spec,
            certificate: self.certificate,
            errors: &self.errors,
            semantics: Semantics::new(&self.model, objects),
            written: Semantics::new(&self.written, objects),
            with_hulls: self.with_hulls.map(|model| (model, Semantics::new(model, objects))),
            trace,
            places,
            name,
            objects,
            left_out,
            spoiled,
            groundings: HashMap::new(),
            parts: &mut self.parts,
            counts: &mut self.counts,
            actions: &mut self.actions,
            met: &mut self.met,
            reasons: &mut self.reasons,
        };
        let mut index = 0;
        while let Some(entry) = reader.next_entry()? {
            check.record(index, &entry);
            index += 1;
        }
        Ok(())
    }
}

/// The records of a trace that the certificate names, by their number.
struct LeftOutRecords<'c> {
    named: Vec<&'c SetAside>,
    /// Steps that are taken for recording errors.
    aside: BTreeSet<usize>,
    /// Records that may be recorded wrongly, so that their actions were left out.
    doubtful: BTreeSet<usize>,
    /// Steps that changed nothing, and are read as failed attempts.
    read_as_failed: BTreeSet<usize>,
}

impl<'c> LeftOutRecords<'c> {
    fn of(certificate: &'c Certificate, trace: &str) -> Self {
        let assumptions = &certificate.assumptions;
        let here = |records: &'c BTreeSet<SetAside>| {
            records.iter().filter(|one| one.trace == trace).collect::<Vec<&SetAside>>()
        };
        let [aside, doubtful] = [here(&assumptions.set_aside), here(&assumptions.doubtful)];
        let steps =
            |records: &[&SetAside]| records.iter().map(|one| one.step).collect::<BTreeSet<usize>>();
        LeftOutRecords {
            aside: steps(&aside),
            doubtful: steps(&doubtful),
            read_as_failed: assumptions.read_as_failed.get(trace).cloned().unwrap_or_default(),
            named: [aside, doubtful].concat(),
        }
    }

    /// The records that may be wrong themselves.
    fn errors(&self) -> BTreeSet<usize> {
        self.aside.union(&self.doubtful).copied().collect()
    }
}

/// Holds the records of one trajectory against the model, and keeps what they show.
struct TraceCheck<'c, 'a> {
    given: &'c Domain,
    domain: &'c Domain,
    spec: &'c Spec,
    certificate: &'c Certificate,
    errors: &'c RecordErrors,
    /// What the model says of true states.
    semantics: Semantics<'c>,
    /// What it says as it is written.
    written: Semantics<'c>,
    /// What it says with whole hulls, where it has only parts of some.
    with_hulls: Option<(&'c Domain, Semantics<'c>)>,
    trace: &'c Source,
    /// Where records stand that the trajectory was made from.
    places: &'c BTreeMap<usize, String>,
    /// The digest of the trajectory, by which the certificate names it.
    name: String,
    objects: &'c Objects,
    left_out: LeftOutRecords<'c>,
    /// The records that rest on a state that a recording error may have spoiled.
    spoiled: BTreeSet<usize>,
    groundings: HashMap<GroundAction, StepAtoms>,
    parts: &'c mut PartedActions,
    counts: &'c mut StepCounts,
    actions: &'c mut [Option<ActionCheck<'a>>],
    met: &'c mut BTreeSet<(String, usize)>,
    reasons: &'c mut BTreeSet<RejectionReason>,
}

/// A record of an action, in the part of it that its state is in.
struct PartRecord<'r> {
    index: usize,
    entry: &'r TrajectoryEntry<'r>,
    action: &'r GroundAction,
}

impl PartRecord<'_> {
    fn attempt(&self) -> Attempt<'_> {
        Attempt { action: self.action, ..self.entry.event.attempt() }
    }
}

impl TraceCheck<'_, '_> {
    fn record(&mut self, index: usize, entry: &TrajectoryEntry<'_>) {
        let in_part = self.parts.part_of(entry.event.attempt());
        if let Some(step) = entry.event.step() {
            self.parts.count(&step);
            let given = entry.event.action().symbol;
            let counts = self.spec.unchanged.is_none() || failures::changed(step);
            if counts && self.parts.has_parts(given) {
                self.counts.add(given, in_part.as_ref().map(|action| action.symbol));
            }
        }
        let shows = |step: &Step<'_>| {
            let LeftOutRecords { aside, doubtful, read_as_failed, .. } = &self.left_out;
            ![aside, doubtful, read_as_failed, &self.spoiled]
                .iter()
                .any(|some| some.contains(&index))
                && (self.spec.unchanged.is_none() || failures::changed(*step))
        };
        if let Some(step) = entry.event.step().filter(shows) {
            self.parts.note(&step, in_part.as_ref().map(|action| action.symbol));
        }
        // A failed attempt cannot be set aside, nor read as one.
        let LeftOutRecords { aside, doubtful, read_as_failed, .. } = &self.left_out;
        let is_named = entry.event.step().is_some()
            && (aside.contains(&index) || read_as_failed.contains(&index))
            || doubtful.contains(&index);
        if is_named {
            self.met.insert((self.name.clone(), index));
        }
        // In no part the model allows nothing, and nothing is shown.
        let Some(action) = &in_part else { return self.in_no_part(index, entry) };
        let record = PartRecord { index, entry, action };
        self.check_words(&record, self.domain);
        if self.left_out.doubtful.contains(&index) && self.check_of(action).is_some() {
            let what = "the certificate doubts a record of an action that it does not leave out";
            self.reject(&record, Obligation::Certificate, what);
        }
        match entry.event.step().map(|step| Step { action, ..step }) {
            None => self.failed(&record),
            Some(step) if self.left_out.read_as_failed.contains(&index) => {
                self.read_as_failed(&record, step);
            }
            Some(step) => self.worked(&record, step),
        }
    }

    /// A record in no part contradicts nothing, so there is no reason to leave it out, and with it
    /// what its neighbours show.
    fn in_no_part(&mut self, index: usize, entry: &TrajectoryEntry<'_>) {
        let LeftOutRecords { aside, doubtful, .. } = &self.left_out;
        if aside.contains(&index) || doubtful.contains(&index) {
            let record = PartRecord { index, entry, action: entry.event.action() };
            self.check_words(&record, self.given);
            let what = format!(
                "the certificate leaves out a record in no part of its action ({})",
                self.place(&record)
            );
            let kind = Obligation::Certificate;
            self.reasons.insert(RejectionReason { action: None, kind, what });
        }
    }

    fn check_of(&self, action: &GroundAction) -> Option<&ActionCheck<'_>> {
        self.actions.get(action.symbol.index())?.as_ref()
    }

    /// The action as the model numbers it, if the model has it.
    fn of_model(&self, action: &GroundAction) -> Option<GroundAction> {
        let symbol = self.check_of(action)?.number;
        Some(GroundAction { symbol, arguments: action.arguments.clone() })
    }

    /// `day.trajectory:12, (pick r i)`
    fn place(&self, record: &PartRecord<'_>) -> String {
        let call = Writer::new(self.given, self.objects).ground_action(record.entry.event.action());
        format!("{}:{}, {call}", self.trace.name(), record.entry.position().line)
    }

    fn reject(&mut self, record: &PartRecord<'_>, kind: Obligation, what: &str) {
        let what = format!("{what} ({})", self.place(record));
        let action = self.check_of(record.action).map(|check| check.name.clone());
        self.reasons.insert(RejectionReason { action, kind, what });
    }

    /// Whether the certificate speaks of this record where it leaves one out.
    fn check_words(&mut self, record: &PartRecord<'_>, domain: &Domain) {
        let call = Writer::new(domain, self.objects).ground_action(record.action);
        let place = format!("{}:{}", self.trace.name(), record.entry.position().line);
        let places = [Some(&place), self.places.get(&record.index)];
        for one in self.left_out.named.iter().filter(|one| one.step == record.index) {
            if !places.iter().flatten().any(|place| words::names_record(&one.what, place, &call)) {
                let what = format!(
                    "the certificate says of a record that it leaves out: {:?}. It is {call}, at \
                     {place}",
                    one.what
                );
                let kind = Obligation::Certificate;
                self.reasons.insert(RejectionReason { action: None, kind, what });
            }
        }
    }

    fn read_as_failed(&mut self, record: &PartRecord<'_>, step: Step<'_>) {
        if let Some(number) = self.of_model(record.action)
            && let Some(what) = failures::misread(&self.semantics, &number, step)
        {
            self.reject(record, Obligation::Failure, what);
        }
        self.failed(record);
    }

    /// A failure is held against the model whatever the certificate sets aside.
    fn failed(&mut self, record: &PartRecord<'_>) {
        let Some(number) = self.of_model(record.action) else { return };
        let attempt = record.attempt();
        // What is refused of true states is refused of estimates; where it is not, the state is an
        // estimate, as far off as records are.
        let is_allowed = failures::is_allowed(&self.semantics, &number, attempt)
            && (self.errors.is_empty()
                || self.check_of(record.action).is_some_and(|check| {
                    let (universe, before) = self.errors.of_record(&check.vocabulary, attempt);
                    let attempt = Attempt { before: &before, universe: &universe, ..attempt };
                    failures::is_allowed(&self.written, &number, attempt)
                }));
        if is_allowed {
            self.reject(record, Obligation::Failure, "the model allows an attempt that failed");
        } else if let Some((with_hulls, action)) = self.with_hulls(record)
            && failures::is_allowed(with_hulls, &action, attempt)
        {
            let what = "the exact region of the certificate allows an attempt that failed";
            self.reject(record, Obligation::Failure, what);
        }
        // In a state that an error may have spoiled, it is no witness of anything.
        let constants = self.domain.signature.constants.len();
        if !self.spoiled.contains(&record.index)
            && let Some(check) =
                self.actions.get_mut(record.action.symbol.index()).and_then(Option::as_mut)
            && self.certificate.failures.contains_key(&check.name)
        {
            check.tried.insert(CheckedFailure::of(&check.vocabulary, attempt, constants));
        }
    }

    /// What the model says with whole hulls, and the action as it numbers it.
    fn with_hulls(&self, record: &PartRecord<'_>) -> Option<(&Semantics<'_>, GroundAction)> {
        let (model, semantics) = self.with_hulls.as_ref()?;
        // Whole hulls are joined to actions again, so their names are those of the given domain.
        let action = record.entry.event.action();
        let symbol = model.actions.find(self.given.action_name(action.symbol))?.into();
        Some((semantics, GroundAction { symbol, ..action.clone() }))
    }

    fn worked(&mut self, record: &PartRecord<'_>, step: Step<'_>) {
        let index = record.index;
        let is_set_aside = self.left_out.aside.contains(&index);
        if !is_set_aside
            && self.spec.unchanged == Some(Unchanged::Failed)
            && !failures::changed(step)
        {
            // It may have failed: it shows nothing, and nothing is asked of the model there.
            return;
        }
        if is_set_aside || self.left_out.doubtful.contains(&index) || self.spoiled.contains(&index)
        {
            return self.shows_nothing(record, &step, is_set_aside);
        }
        self.shown(record, &step);
    }

    /// Nothing is learned from the step. Nevertheless, the model must not predict it wrongly,
    /// except where it is the very step that was set aside. That one does not fit the others, so
    /// the model cannot predict it (but for errors of records, within which it may).
    fn shows_nothing(&mut self, record: &PartRecord<'_>, step: &Step<'_>, is_set_aside: bool) {
        let Some(number) = self.of_model(record.action) else { return };
        let Some(check) = self.check_of(record.action) else { return };
        let errors = Some(self.errors).filter(|errors| !errors.is_empty());
        let judge = |semantics: &Semantics<'_>, action: &GroundAction| {
            contradicts(semantics, action, step, check, self.spec.algorithm, errors)
        };
        let judged = match errors {
            None => judge(&self.semantics, &number),
            Some(_) => judge(&self.written, &number),
        };
        // A state outside the part of a hull that is written may be inside the whole one.
        if judged.is_none()
            && !is_set_aside
            && let Some((with_hulls, action)) = self.with_hulls(record)
            && judge(with_hulls, &action) == Some(true)
        {
            let what = "with the exact region of the certificate, the model predicts another \
                        state after a step that nothing was learned from";
            return self.reject(record, Obligation::Effect, what);
        }
        match (judged, is_set_aside) {
            (Some(true), false) => self.reject(
                record,
                Obligation::Effect,
                "the model predicts another state after a step that nothing was learned from",
            ),
            (Some(false), true) if errors.is_none() => self.reject(
                record,
                Obligation::Certificate,
                "the certificate sets aside a step that ended as the model predicts",
            ),
            _ => {}
        }
    }

    /// A step that shows what the action does, and that the model must be true of.
    fn shown(&mut self, record: &PartRecord<'_>, step: &Step<'_>) {
        let constants = self.domain.signature.constants.len();
        let Some(check) = self.actions.get_mut(step.action.symbol.index()).and_then(Option::as_mut)
        else {
            return;
        };
        if self.groundings.len().saturating_mul(check.vocabulary.atoms.len()) > MAX_REMEMBERED {
            self.groundings.clear();
        }
        let grounding = self.groundings.entry(step.action.clone()).or_insert_with(|| {
            let classes = &mut check.observed.classes;
            StepAtoms::new(&check.vocabulary, step.action, constants, classes)
        });
        check.observed.add(grounding, step);
        // The model numbers actions in its own order.
        let action =
            GroundAction { symbol: check.number, arguments: step.action.arguments.clone() };
        // The model refuses an inexact action if functions alias.
        let refused = check.inexact && !is_plain(&grounding.binding, &check.vocabulary);
        // If something is unknown before the step, the record does not decide whether conditions
        // hold; unless the model allows the step whatever the unknown values are.
        let untold = grounding.is_untold(step.universe, step.before);
        let may_be_refused =
            untold && self.semantics.applicable(&action, step.universe, step.before).is_err();
        // Nevertheless, its effects are those of the model, where its numbers are evidence.
        let is_evidence = !check.inexact
            && is_plain(&grounding.binding, &check.vocabulary)
            && grounding.has_numbers(step.universe, step.before);
        let mut wrong = match refused || may_be_refused && !is_evidence {
            true => Vec::new(),
            false => {
                let told = !untold && !grounding.is_untold(step.universe, step.after);
                // A guard may say what the part of a region leaves of it. The model refuses steps
                // outside that part anyway, so such a guard may refuse them, too.
                let holds = |condition: &Condition| {
                    let Step { before, action, universe, .. } = *step;
                    let holds =
                        self.semantics.holds_with(condition, &action.arguments, universe, before);
                    holds == Ok(true)
                };
                let conditions = match &check.of_part {
                    Some(of_part) if !holds(&of_part.comparisons) => &of_part.literals,
                    _ => &check.conditions,
                };
                let conditions = Some(conditions).filter(|_| told);
                let compared = match check.inexact {
                    _ if self.spec.algorithm == Algorithm::Sam => Compared::None,
                    true => Compared::Beyond(self.errors, grounding),
                    false if self.errors.is_empty() => Compared::All,
                    false => Compared::About(self.errors),
                };
                reproduced(&self.semantics, &action, conditions, step, &compared)
            }
        };
        if self.domain.check_arguments(step.action, self.objects).is_err() {
            wrong.push((
                Obligation::Condition,
                "a recorded step has arguments of other types than its parameters",
            ));
        }
        let name = check.name.clone();
        for (kind, what) in wrong {
            // One witness a kind is enough; a wrong effect is wrong in every step.
            let known = |reason: &RejectionReason| {
                reason.action.as_deref() == Some(&name) && reason.kind == kind
            };
            if !self.reasons.iter().any(known) {
                self.reject(record, kind, what);
            }
        }
    }
}
