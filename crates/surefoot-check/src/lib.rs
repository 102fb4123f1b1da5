//! Verifies a learned model against the recorded steps, without trusting whoever learned it
//! (docs/theory.md, "Certificates").
//!
//! *In*: a model, its certificate, the domain without bodies, and the recorded trajectories. *Out*:
//! accepted, or the obligations that are not met, by action.
//!
//! The code is plain on purpose. It shares with the learner the numbers, the readers, the
//! semantics, the [assumptions](surefoot_base::assumptions) and the
//! [format](surefoot_base::certificate) of certificates. It shares no code that finds models. It
//! verifies what the certificate lists, and searches for nothing.
//!
//! *Where to begin*: [`ModelChecker`] below, then the file that an obligation names.
//!
//! The promise: for every real model of the class that the assumptions describe, if it explains all
//! recorded steps, then whatever the learned model allows is really applicable, and has the same
//! outcome. A model is accepted if each of these obligations is met.
//!
//! 0. *The same world.* The certificate names this model, this vocabulary and these trajectories,
//!    all of them and no others. Steps that it sets aside as recording errors are there, and are
//!    left out; everything else is read. The assumptions at the top of each trajectory are among
//!    those of the certificate, and the header of the model states all of these and no others, in
//!    sentences and in its stamp.
//! 1. *Reproduction.* Every step satisfies the conditions, and the effects alone turn its state
//!    before into its state after, by [`surefoot_base::model::semantics`]. (Steps may lie outside
//!    the numeric region if the certificate says that the region is only a part of what is safe, or
//!    that numbers were rounded: then the model allows less. Even then, steps satisfy all other
//!    conditions.)
//! 2. *Literals.* A literal of L(α), or an (in)equality of terms, that no step refutes may be a
//!    real condition, so it is a condition of the model. (Under the assumption "no negative atoms",
//!    negated atoms may not. Chosen numbers are compared by their values alone, `inputs.rs`.) Every
//!    Boolean condition of the real action then follows from the model's.
//! 3. *Boolean effects.* Take every way to bind terms to equal or different objects that the
//!    conditions allow, each ground atom, and each truth value that the atom may have before. If
//!    the real action left the atom with another truth value than the model does, this would
//!    contradict the steps (`propagate.rs`).
//! 4. *Region.* A real numeric condition is convex. It holds for all observed vectors, and along
//!    the rays of the monotonicity assumptions (`rays.rs`), so it holds in `conv(P) + cone(R)`.
//!    Under an arity k it mentions at most k functions, so it holds wherever the shadow on their
//!    columns is in the shadow of that set. For each shadow that the assumptions require, the
//!    certificate lists one that covers it. The facets of the listed shadow follow from the model's
//!    inequalities. They are all of the boundary of the points and rays that they are made of
//!    (`boundary.rs`), and the model's equations keep to the span of these. So the region lies in
//!    what is safe. If no assumption leaves a column unbounded in both directions, the column is
//!    bounded there, so the model reads it, and real conditions read nothing that has no value.
//! 5. *Numeric effects.* Under every binding that the conditions allow, the equations of the
//!    precondition and what is left of its guards confine the state to where the steps determine
//!    the new value of each function (`effects.rs`). A function without a value before some step is
//!    never read, and at most assigned; a function without a value before and after it is not even
//!    assigned.
//! 6. *Evidence.* An action of the model was observed; for N-SAM, often enough.
//! 7. *Failures.* The model allows no attempt that failed, and every failure that the certificate
//!    lists was recorded. If a step is read as a failed attempt because it changed nothing (an
//!    assumption), it did change nothing, and the model would have changed something
//!    (`failures.rs`). Under this assumption, every other step that changed nothing is left out,
//!    because nobody knows whether it worked.
//! 8. *Errors.* If recorded values may have errors, the model computes with error functions. Its
//!    statements about estimates are turned into statements about true states, and all obligations
//!    above apply to these (`margin.rs`). The facets of the recorded vectors follow with a margin
//!    for the errors of records. Effects are within proved bounds of the true ones (`inexact.rs`),
//!    or equal to them (`settled.rs`). Errors grow by no less than these bounds, and functions
//!    without an error function cannot have errors. Functions that an action cannot reach differ by
//!    at most two errors before and after a step. The recorded state of a failed attempt is an
//!    estimate, too: it has the errors of records, and a listed failure has margins for them
//!    (`failures.rs`).
//!
//! Obligations 2 and 4 make the real precondition hold. Obligations 3 and 5 make the real effects
//! possible, and their outcome the same. Obligations 0 and 1 say that the others are about these
//! steps, this model and these assumptions.
//!
//! 9. *Parts.* Where actions behave in several ways, each in one part of the states, the parts are
//!    disjoint, each action of the model is made of actions for its parts and nothing else, each
//!    step is one of the part that its state is in, and all of the above is asked of the action for
//!    each part (`parts.rs`).
//!
//! All work is bounded: whatever would take too long to verify is rejected, with
//! [`Obligation::Unverifiable`].

#![forbid(unsafe_code)]

mod agreed;
mod bindings;
mod boolean;
mod boundary;
mod effects;
mod errors;
mod evidence;
mod failures;
mod guards;
mod implied;
mod inexact;
mod inputs;
mod linear;
mod margin;
mod numeric;
mod observe;
mod parts;
mod propagate;
mod rays;
mod region;
mod settled;
mod vocabulary;
mod words;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use boolean::{Literals, conjuncts};
use errors::RecordErrors;
use failures::{CheckedFailure, WorkedSteps};
use inexact::is_plain;
use linear::{NumberRow, RowSpan};
use margin::{Growth, cores};
use observe::{Compared, ObservedSteps, StepAtoms, reproduced};
use parts::{PartedActions, without_tests};
use vocabulary::{ActionVocabulary, FunctionProduct, MAX_COLUMNS};
use words::Reasons;

pub use agreed::{excess, head_differences, stamp_differences};

use surefoot_base::assumptions::{
    Algorithm, FAILS_ONLY, Misfit, Monotone, SetAside, Spec, Unchanged, misfits, of_one_log,
};
use surefoot_base::certificate::{
    Certificate, FORMAT_WITH_ERRORS, FORMAT_WITH_PARTS, digest, model_digest, vocabulary_digest,
};
use surefoot_base::exact::Rational;
use surefoot_base::invariant::{Invariant, guarded};
use surefoot_base::model::semantics::{BITS, Semantics};
use surefoot_base::model::{
    Action, ActionId, Attempt, Condition, Domain, Effect, GroundAction, Objects, Step,
};
use surefoot_base::pddl::{
    Numbers, ReadError, Source, TrajectoryReader, Writer, assumed_by, read_expression,
};

/// Why a model is not accepted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RejectionReason {
    /// The action, where it is about one.
    pub action: Option<String>,
    /// Which obligation is not met.
    pub kind: Obligation,
    /// The reason, as a sentence.
    pub what: String,
}

/// Which obligation is not met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Obligation {
    /// The domain or the model has another vocabulary.
    Vocabulary,
    /// The trajectories are others.
    Traces,
    /// Something is assumed that the certificate, or the head of the model, does not state.
    Assumption,
    /// The certificate is of another model, or contradicts itself or the steps.
    Certificate,
    /// There are too few observations.
    Evidence,
    /// A step contradicts a condition.
    Condition,
    /// A literal that may be a precondition is missing.
    Literal,
    /// An equation is missing.
    Equation,
    /// A facet is missing, or an inequality is none.
    Facet,
    /// An effect does not reproduce the steps, or is not determined by them.
    Effect,
    /// A failed attempt is allowed, or one is listed that was not recorded.
    Failure,
    /// Something is in the model that cannot be verified.
    Unverifiable,
}

impl fmt::Display for RejectionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Some(action) => write!(f, "{action}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}

/// Reads the trajectories, then says what is wrong.
pub struct ModelChecker<'a> {
    /// The domain that trajectories are read with.
    given: &'a Domain,
    /// The domain whose actions are checked: the given one with an action for each part.
    domain: Cow<'a, Domain>,
    parts: PartedActions,
    /// Where records have errors: what it says of true states, over the functions of the domain.
    model: Cow<'a, Domain>,
    /// The model as it reads back, with an action for each part.
    written: Cow<'a, Domain>,
    certificate: &'a Certificate,
    errors: RecordErrors,
    /// By action of the domain, where the model has it.
    actions: Vec<Option<ActionCheck<'a>>>,
    traces: BTreeSet<String>,
    /// What the trajectories say was taken for granted when they were made.
    assumed: BTreeSet<String>,
    /// The logs that trajectories come from, by what is assumed of one log alone.
    logs: BTreeSet<Vec<String>>,
    /// The steps set aside that were there.
    met: BTreeSet<(String, usize)>,
    reasons: BTreeSet<RejectionReason>,
    /// Whether ids of domain and model mean the same, so that going on makes sense.
    comparable: bool,
}

/// The observations of one action, and what the model says of them.
struct ActionCheck<'a> {
    name: String,
    action: Cow<'a, Action>,
    /// Its number in the model.
    number: ActionId,
    /// How errors grow; nothing where records have none.
    growth: Growth,
    /// Whether records of some function that it can reach have errors.
    inexact: bool,
    vocabulary: ActionVocabulary,
    /// The columns of the class; none where numbers are not modelled.
    columns: Vec<FunctionProduct>,
    marks: BTreeMap<FunctionProduct, Monotone>,
    /// The conjuncts that are not compared as rows.
    conditions: Condition,
    observed: ObservedSteps,
    /// The attempts that failed, where the certificate lists some.
    tried: BTreeSet<CheckedFailure>,
}

/// How many atoms of ground actions are remembered at once.
const MAX_REMEMBERED: usize = 3_000_000;

impl<'a> ModelChecker<'a> {
    /// Starts with the domain, the learned model as it reads back, and its certificate.
    pub fn new(domain: &'a Domain, model: &'a Domain, certificate: &'a Certificate) -> Self {
        let errors = RecordErrors::of(domain, &certificate.assumptions.spec.error);
        let taken_apart = taken_apart(domain, model, certificate);
        let (parts, of_parts, wrong) = match taken_apart {
            Ok(None) => (PartedActions::default(), None, None),
            Ok(Some((parts, domain, model))) => (parts, Some((domain, model)), None),
            Err(what) => (PartedActions::default(), None, Some(what)),
        };
        let (learned, written) = match of_parts {
            None => (Cow::Borrowed(domain), Cow::Borrowed(model)),
            Some((domain, model)) => (Cow::Owned(domain), Cow::Owned(model)),
        };
        let mut checker = ModelChecker {
            given: domain,
            domain: learned,
            parts,
            model: written.clone(),
            written,
            certificate,
            errors: RecordErrors::none(domain),
            actions: Vec::new(),
            traces: BTreeSet::new(),
            assumed: BTreeSet::new(),
            logs: BTreeSet::new(),
            met: BTreeSet::new(),
            reasons: BTreeSet::new(),
            comparable: true,
        };
        checker.actions = checker.domain.action_ids().map(|_| None).collect();
        if let Some(what) = wrong {
            checker.global(Obligation::Certificate, what);
            checker.comparable = false;
        }
        if vocabulary_digest(domain) != certificate.vocabulary {
            checker.global(
                Obligation::Vocabulary,
                "the certificate is of another domain: its vocabulary has another digest",
            );
        }
        if model_digest(model) != certificate.model {
            checker.global(
                Obligation::Certificate,
                "the certificate is of another model, which has another digest",
            );
        }
        match inputs::of_domain(domain) {
            Ok(inputs) if inputs == certificate.assumptions.inputs => {}
            Ok(_) => checker.global(
                Obligation::Assumption,
                "the certificate does not state the inputs that the domain has, and no others",
            ),
            Err(what) => checker.global(Obligation::Unverifiable, what),
        }
        match errors {
            Ok(errors) => checker.errors = errors,
            Err(what) => checker.global(Obligation::Certificate, what),
        }
        if !checker.errors.find_carried(domain, model) {
            let what = "the types, constants, predicates or functions of the model are not those \
                        of the domain";
            checker.global(Obligation::Vocabulary, what);
            checker.comparable = false;
            return checker;
        }
        if !checker.comparable {
            return checker;
        }
        let growths = checker.read_errors();
        let (domain, model) = (checker.domain.clone(), checker.written.clone());
        for number in model.action_ids() {
            let name = model.action_name(number);
            let action = match &checker.model {
                Cow::Borrowed(model) => Cow::Borrowed(model.action(number)),
                Cow::Owned(core) => Cow::Owned(core.action(number).clone()),
            };
            let growth = match &growths {
                Some(growths) => growths
                    .get(number.index())
                    .cloned()
                    .invariant("errors are read of every action"),
                None => Growth::default(),
            };
            match domain.actions.find(name) {
                Some(index) if domain.action(index.into()).parameters == action.parameters => {
                    checker.add(index.into(), number, (action, growth));
                }
                Some(_) => {
                    checker.global(
                        Obligation::Vocabulary,
                        format!("{name} has other parameters in the model than in the domain"),
                    );
                }
                None => checker.global(
                    Obligation::Vocabulary,
                    format!("the domain has no action {name}, but the model has"),
                ),
            }
        }
        for name in certificate.actions.keys().filter(|name| model.actions.find(name).is_none()) {
            checker.global(
                Obligation::Certificate,
                format!("the certificate has an action {name}, but the model has not"),
            );
        }
        checker
    }

    fn global(&mut self, kind: Obligation, what: impl Into<String>) {
        self.reasons.insert(RejectionReason { action: None, kind, what: what.into() });
    }

    /// Where records have errors, looks at what the model says of true states; how errors grow, by
    /// action.
    fn read_errors(&mut self) -> Option<Vec<Growth>> {
        let Certificate { format, assumptions, .. } = self.certificate;
        if (*format == FORMAT_WITH_ERRORS) == self.errors.is_empty() {
            let what = "the format of the certificate is that of records with errors exactly where \
                        it assumes some";
            self.global(Obligation::Certificate, what);
        }
        if self.errors.is_empty() {
            return None;
        }
        if !self.parts.is_empty() {
            let what = "the certificate assumes errors together with parts of actions";
            self.global(Obligation::Unverifiable, what);
        }
        let Spec { algorithm, decimals, unchanged, .. } = &assumptions.spec;
        if decimals.is_some() || unchanged.is_some() || *algorithm == Algorithm::Sam {
            let what = "the certificate assumes errors together with what says nothing of records \
                        that have some";
            self.global(Obligation::Certificate, what);
        }
        for function in self.errors.forgotten().collect::<Vec<_>>() {
            let name = self.domain.signature.functions.name(function.index());
            let what = format!(
                "records of {name} may be off, but the model has no function for its error"
            );
            self.global(Obligation::Vocabulary, what);
        }
        let (core, growths) = cores(&self.domain, &self.written, &self.errors, &mut self.reasons);
        self.model = Cow::Owned(core);
        Some(growths)
    }

    fn add(&mut self, id: ActionId, number: ActionId, action: (Cow<'a, Action>, Growth)) {
        let name = self.domain.action_name(id).to_ascii_lowercase();
        let check = self.action(id, number, action, &name);
        match check {
            Ok(check) => self.actions[id.index()] = Some(check),
            Err((kind, what)) => {
                self.reasons.insert(RejectionReason { action: Some(name), kind, what });
            }
        }
    }

    fn action(
        &self,
        id: ActionId,
        number: ActionId,
        (action, growth): (Cow<'a, Action>, Growth),
        name: &str,
    ) -> Result<ActionCheck<'a>, (Obligation, String)> {
        let Spec { algorithm, degree, squares, relevant, monotone, .. } =
            &self.certificate.assumptions.spec;
        if action.precondition.has_regions() {
            return Err((
                Obligation::Unverifiable,
                "its precondition has a region that is not written out: check the model as it \
                 reads back"
                    .into(),
            ));
        }
        let vocabulary = ActionVocabulary::of(&self.domain, &action)
            .map_err(|what| (Obligation::Unverifiable, what))?;
        if let Some(flaw) = vocabulary.inputs.flaw(&action) {
            return Err((Obligation::Unverifiable, flaw.into()));
        }
        let (mut columns, mut marks) = (Vec::new(), BTreeMap::new());
        if *algorithm != Algorithm::Sam {
            let listed = relevant.get(name).map(|texts| {
                texts.iter().map(|text| self.monomial(&vocabulary, id, text)).collect()
            });
            let listed: Option<Vec<FunctionProduct>> =
                listed.transpose().map_err(|what| (Obligation::Certificate, what))?;
            columns =
                vocabulary.columns(*degree, *squares, listed.as_deref()).ok_or_else(|| {
                    let what = format!(
                        "there are more than {MAX_COLUMNS} functions and products that \
                                    it could read"
                    );
                    (Obligation::Unverifiable, what)
                })?;
            for (text, mark) in monotone.get(name).into_iter().flatten() {
                let monomial = self
                    .monomial(&vocabulary, id, text)
                    .map_err(|what| (Obligation::Certificate, what))?;
                if marks.insert(monomial, *mark).is_some() {
                    return Err((
                        Obligation::Certificate,
                        format!("the certificate marks {text} twice"),
                    ));
                }
            }
        }
        let tests = self.parts.tests(id);
        let action = match tests.is_empty() {
            true => action,
            false => {
                let precondition =
                    without_tests(&action.precondition, tests, &vocabulary, &columns);
                Cow::Owned(Action { precondition, ..action.into_owned() })
            }
        };
        let others = conjuncts(&action.precondition)
            .into_iter()
            .filter(|part| !matches!(part, Condition::Compare(..)));
        let conditions = Condition::And(others.cloned().collect());
        let name = name.to_owned();
        Ok(ActionCheck {
            name,
            action,
            number,
            growth,
            inexact: self.errors.reach(&vocabulary),
            vocabulary,
            columns,
            marks,
            conditions,
            observed: ObservedSteps::default(),
            tried: BTreeSet::new(),
        })
    }

    /// A product of functions that the certificate names.
    fn monomial(
        &self,
        vocabulary: &ActionVocabulary,
        id: ActionId,
        text: &str,
    ) -> Result<FunctionProduct, String> {
        let source = Source::new("certificate", text);
        let expression = read_expression(&source, &self.domain, id)
            .map_err(|_| format!("the certificate names {text:?}, which is no expression"))?;
        let polynomial = vocabulary.polynomial(&expression);
        match polynomial
            .as_ref()
            .map(|polynomial| polynomial.0.iter().collect::<Vec<_>>())
            .as_deref()
        {
            Some([(monomial, one)]) if **one == Rational::ONE && !monomial.is_empty() => {
                Ok((*monomial).clone())
            }
            _ => Err(format!(
                "the certificate names {text}, which is no product of functions of the action"
            )),
        }
    }

    /// What the verdict takes for granted, in words: those of the model's head.
    pub fn assumptions(&self) -> Vec<String> {
        self.certificate.assumptions.in_words()
    }

    /// Where the bodies of the given domain show that what is assumed is not so.
    pub fn misfits(&self) -> Vec<Misfit> {
        misfits(self.given, &self.certificate.assumptions)
    }

    /// How numbers are to be read.
    pub fn numbers(&self) -> Numbers {
        self.certificate.assumptions.spec.decimals.map_or(Numbers::Exact, Numbers::Decimals)
    }

    /// Reads one trajectory. `Err` where it does not read as one of the domain.
    pub fn read(&mut self, trace: &Source, objects: &Objects) -> Result<(), ReadError> {
        let name = digest(trace.text());
        if !self.comparable || !self.traces.insert(name.clone()) {
            return Ok(());
        }
        let assumed = assumed_by(trace.text());
        self.logs.insert(of_one_log(&assumed).map(str::to_owned).collect());
        self.assumed.extend(assumed);
        let assumptions = &self.certificate.assumptions;
        let here = |records: &'a BTreeSet<SetAside>| {
            records.iter().filter(|one| one.trace == name).collect::<Vec<&SetAside>>()
        };
        let named = [here(&assumptions.set_aside), here(&assumptions.doubtful)];
        let [aside, doubtful] = named
            .each_ref()
            .map(|records| records.iter().map(|one| one.step).collect::<BTreeSet<usize>>());
        let spoiled = self.spoiled(trace, objects, &aside.union(&doubtful).copied().collect())?;
        let read_as_failed = assumptions.read_as_failed.get(&name).cloned().unwrap_or_default();
        let atoms_only = assumptions.spec.algorithm == Algorithm::Sam;
        let unchanged = assumptions.spec.unchanged;
        let semantics = Semantics::new(&self.model, objects);
        let written = Semantics::new(&self.written, objects);
        let mut reader = TrajectoryReader::new(trace, self.given, objects, self.numbers())?;
        let constants = self.domain.signature.constants.len();
        let mut groundings: HashMap<GroundAction, StepAtoms> = HashMap::new();
        let mut index = 0;
        while let Some(entry) = reader.next_entry()? {
            let given = entry.event.action();
            let in_part = self.parts.part_of(entry.event.attempt());
            if let Some(step) = entry.event.step().filter(|_| {
                !aside.contains(&index)
                    && !doubtful.contains(&index)
                    && !spoiled.contains(&index)
                    && !read_as_failed.contains(&index)
            }) && (unchanged.is_none() || failures::changed(step))
            {
                let part = in_part.as_ref().map(|action| action.symbol);
                self.parts.note(&step, part);
            }
            let Some(action) = &in_part else {
                // In no part the model allows nothing, and nothing is shown. What the certificate
                // says of such a record is met all the same.
                let left_out = aside.contains(&index) || doubtful.contains(&index);
                if left_out || read_as_failed.contains(&index) {
                    self.met.insert((name.clone(), index));
                }
                index += 1;
                continue;
            };
            let attempt = Attempt { action, ..entry.event.attempt() };
            let worked = entry.event.step().map(|step| Step { action, ..step });
            let at = |what: &str| {
                let writer = Writer::new(self.given, objects);
                format!(
                    "{what} ({}:{}, {})",
                    trace.name(),
                    entry.position().line,
                    writer.ground_action(given)
                )
            };
            for one in named.iter().flatten().filter(|one| one.step == index) {
                let call = Writer::new(&self.domain, objects).ground_action(action);
                let place = format!("{}:{}", trace.name(), entry.position().line);
                if !words::names_record(&one.what, &place, &call) {
                    let what = format!(
                        "the certificate says of a record that it leaves out: {:?}. It is {call}, \
                         at {place}",
                        one.what
                    );
                    let kind = Obligation::Certificate;
                    self.reasons.insert(RejectionReason { action: None, kind, what });
                }
            }
            if doubtful.contains(&index) {
                self.met.insert((name.clone(), index));
                if let Some(check) =
                    self.actions.get(action.symbol.index()).and_then(Option::as_ref)
                {
                    let what = at("the certificate doubts a record of an action that it does not \
                                   leave out");
                    self.reasons.insert(RejectionReason {
                        action: Some(check.name.clone()),
                        kind: Obligation::Certificate,
                        what,
                    });
                }
            }
            let failed = match worked {
                None => true,
                Some(step) if read_as_failed.contains(&index) => {
                    self.met.insert((name.clone(), index));
                    if let Some(check) =
                        self.actions.get(action.symbol.index()).and_then(Option::as_ref)
                    {
                        let number = GroundAction {
                            symbol: check.number,
                            arguments: action.arguments.clone(),
                        };
                        if let Some(what) = failures::misread(&semantics, &number, step) {
                            let reason = RejectionReason {
                                action: Some(check.name.clone()),
                                kind: Obligation::Failure,
                                what: at(what),
                            };
                            self.reasons.insert(reason);
                        }
                    }
                    true
                }
                Some(_) => false,
            };
            if failed {
                // A failure is held against the model whatever the certificate sets aside.
                if let Some(check) =
                    self.actions.get_mut(action.symbol.index()).and_then(Option::as_mut)
                {
                    let number =
                        GroundAction { symbol: check.number, arguments: action.arguments.clone() };
                    // What is refused of true states is refused of estimates; where it is not, the
                    // state is an estimate, as far off as records are.
                    if failures::is_allowed(&semantics, &number, attempt)
                        && (self.errors.is_empty() || {
                            let (universe, before) =
                                self.errors.of_record(&check.vocabulary, attempt);
                            let attempt =
                                Attempt { before: &before, universe: &universe, ..attempt };
                            failures::is_allowed(&written, &number, attempt)
                        })
                    {
                        let what = at("the model allows an attempt that failed");
                        self.reasons.insert(RejectionReason {
                            action: Some(check.name.clone()),
                            kind: Obligation::Failure,
                            what,
                        });
                    }
                    // In a state that an error may have spoiled, it is no witness of anything.
                    if !spoiled.contains(&index)
                        && self.certificate.failures.contains_key(&check.name)
                    {
                        check.tried.insert(CheckedFailure::of(
                            &check.vocabulary,
                            attempt,
                            constants,
                        ));
                    }
                }
                index += 1;
                continue;
            }
            let Some(step) = worked else { continue };
            if aside.contains(&index) {
                self.met.insert((name.clone(), index));
            } else if spoiled.contains(&index) {
                // It shows nothing, and nothing is asked of the model there.
            } else if unchanged == Some(Unchanged::Failed) && !failures::changed(step) {
                // It may have failed: it shows nothing, and nothing is asked of the model there.
            } else if let Some(check) =
                self.actions.get_mut(step.action.symbol.index()).and_then(Option::as_mut)
            {
                if groundings.len().saturating_mul(check.vocabulary.atoms.len()) > MAX_REMEMBERED {
                    groundings.clear();
                }
                let grounding = groundings.entry(step.action.clone()).or_insert_with(|| {
                    StepAtoms::new(
                        &check.vocabulary,
                        step.action,
                        constants,
                        &mut check.observed.classes,
                    )
                });
                check.observed.add(grounding, &step);
                // The model numbers actions in its own order.
                let action =
                    GroundAction { symbol: check.number, arguments: step.action.arguments.clone() };
                // The model refuses an inexact action if functions alias.
                let refused = check.inexact && !is_plain(&grounding.binding, &check.vocabulary);
                // If something is unknown before the step, the record does not decide whether
                // conditions hold; unless the model allows the step whatever the unknown values
                // are.
                let untold = grounding.is_untold(step.universe, step.before);
                let mut wrong = match refused
                    || untold && semantics.applicable(&action, step.universe, step.before).is_err()
                {
                    true => Vec::new(),
                    false => {
                        let told = !untold && !grounding.is_untold(step.universe, step.after);
                        let conditions = Some(&check.conditions).filter(|_| told);
                        let compared = match check.inexact {
                            _ if atoms_only => Compared::None,
                            true => Compared::Beyond(&self.errors, grounding),
                            false if self.errors.is_empty() => Compared::All,
                            false => Compared::About(&self.errors),
                        };
                        reproduced(&semantics, &action, conditions, &step, &compared)
                    }
                };
                if self.domain.check_arguments(step.action, objects).is_err() {
                    wrong.push((
                        Obligation::Condition,
                        "a recorded step has arguments of other types than its parameters",
                    ));
                }
                for (kind, what) in wrong {
                    // One witness a kind is enough; a wrong effect is wrong in every step.
                    let mut known = self
                        .reasons
                        .iter()
                        .filter(|reason| reason.action.as_deref() == Some(&check.name));
                    if !known.any(|reason| reason.kind == kind) {
                        let writer = Writer::new(self.given, objects);
                        let place = entry.position();
                        let what = format!(
                            "{what} ({}:{}, {})",
                            trace.name(),
                            place.line,
                            writer.ground_action(given)
                        );
                        self.reasons.insert(RejectionReason {
                            action: Some(check.name.clone()),
                            kind,
                            what,
                        });
                    }
                }
            }
            index += 1;
        }
        Ok(())
    }

    /// The records that rest on a state that a step set aside may have spoiled: the states before
    /// and after it. Where values were carried forward, which a trajectory says at its top, these
    /// are all records of the trace.
    fn spoiled(
        &self,
        trace: &Source,
        objects: &Objects,
        aside: &BTreeSet<usize>,
    ) -> Result<BTreeSet<usize>, ReadError> {
        let mut spoiled = BTreeSet::new();
        if aside.is_empty() {
            return Ok(spoiled);
        }
        let carried = !assumed_by(trace.text()).is_empty();
        let mut reader = TrajectoryReader::new(trace, self.given, objects, self.numbers())?;
        // Whether the state at hand may be wrong, and the records that lead to it or were tried in
        // it.
        let (mut doubtful, mut here, mut index) = (false, Vec::new(), 0);
        while let Some(entry) = reader.next_entry()? {
            let (worked, is_error) = (entry.event.step().is_some(), aside.contains(&index));
            if is_error {
                spoiled.extend(here.drain(..));
            }
            if doubtful || carried {
                spoiled.insert(index);
            }
            doubtful = is_error || doubtful && !worked;
            if worked {
                here.clear();
            }
            here.push(index);
            index += 1;
        }
        Ok(spoiled)
    }

    /// What is wrong; nothing when the model is accepted. Where the checker itself fails, that is a
    /// reason: nothing is accepted then.
    pub fn finish(self) -> Vec<RejectionReason> {
        self.finish_telling(&mut |_| {})
    }

    /// Like [`Self::finish`]. Calls `begun` with the name of each action before judging it, which
    /// may take long.
    pub fn finish_telling(self, begun: &mut dyn FnMut(&str)) -> Vec<RejectionReason> {
        guarded(|| self.judged(begun)).unwrap_or_else(|broken| {
            let (kind, what) = (Obligation::Unverifiable, broken.to_string());
            vec![RejectionReason { action: None, kind, what }]
        })
    }

    fn judged(mut self, begun: &mut dyn FnMut(&str)) -> Vec<RejectionReason> {
        if self.comparable {
            let missing = self.certificate.traces.difference(&self.traces).count();
            let extra = self.traces.difference(&self.certificate.traces).count();
            if missing > 0 {
                let what = format!(
                    "{missing} of the trajectories that the certificate names are not among those \
                     given"
                );
                self.global(Obligation::Traces, what);
            }
            if extra > 0 {
                let what = format!(
                    "{extra} of the trajectories given are not among those the certificate names"
                );
                self.global(Obligation::Traces, what);
            }
            let of_several = match self.logs.len() {
                0 | 1 => None,
                _ => self.logs.iter().flatten().next().cloned(),
            };
            if let Some(words) = of_several {
                let what = format!(
                    "the trajectories come from several logs, and this was assumed of one of them \
                     alone: {words}"
                );
                self.global(Obligation::Assumption, what);
            }
            let stated = self.assumptions();
            for words in
                std::mem::take(&mut self.assumed).iter().filter(|words| !stated.contains(words))
            {
                let what = format!(
                    "the certificate does not state what the trajectories take for granted: {words}"
                );
                self.global(Obligation::Assumption, what);
            }
            let assumptions = &self.certificate.assumptions;
            let absent = assumptions
                .set_aside
                .iter()
                .chain(&assumptions.doubtful)
                .filter(|one| !self.met.contains(&(one.trace.clone(), one.step)))
                .count();
            if absent > 0 {
                self.global(
                    Obligation::Certificate,
                    format!(
                        "{absent} of the records that the certificate sets aside or doubts are \
                         not there"
                    ),
                );
            }
            self.conclude_failures();
            let checks = std::mem::take(&mut self.actions).into_iter().enumerate();
            for (number, check) in checks.filter_map(|(number, check)| Some((number, check?))) {
                begun(&check.name);
                let constants = &self.domain.signature.constants;
                let mut found = Reasons {
                    action: &check.action,
                    name: &check.name,
                    vocabulary: &check.vocabulary,
                    constants,
                    writer: Writer::new(&self.domain, constants)
                        .with_parameters(&check.action.parameters),
                    reasons: BTreeSet::new(),
                };
                self.conclude_part(number.into(), &check, &mut found);
                self.conclude(&check, &mut found);
                let reasons = found.reasons;
                self.reasons.extend(reasons);
            }
        }
        self.reasons.into_iter().collect()
    }

    /// What is wrong about failures as a whole.
    fn conclude_failures(&mut self) {
        let Certificate { assumptions, failures, forbidden_if, .. } = self.certificate;
        let read = assumptions
            .read_as_failed
            .iter()
            .flat_map(|(trace, steps)| steps.iter().map(move |&step| (trace, step)));
        let absent =
            read.filter(|(trace, step)| !self.met.contains(&((*trace).clone(), *step))).count();
        if absent > 0 {
            let what = format!(
                "{absent} of the steps that the certificate reads as failed attempts are not there"
            );
            self.global(Obligation::Certificate, what);
        }
        if !assumptions.read_as_failed.is_empty()
            && assumptions.spec.unchanged != Some(Unchanged::Failed)
        {
            let what = "the certificate reads steps as failed attempts, and does not say that it \
                        assumes so";
            self.global(Obligation::Certificate, what);
        }
        if !failures.is_empty() && forbidden_if.as_deref() != Some(FAILS_ONLY) {
            let what = "the certificate lists failures, and does not say what follows from them, \
                        and if what is true";
            self.global(Obligation::Certificate, what);
        }
        for name in failures.keys().filter(|name| self.model.actions.find(name).is_none()) {
            let what =
                format!("the certificate lists failures of {name}, which the model does not have");
            self.reasons.insert(RejectionReason {
                action: None,
                kind: Obligation::Certificate,
                what,
            });
        }
    }

    /// What a map of relevant functions does not list must not change in any part of an action, nor
    /// in none: then nothing tells that it stays as it is in the others.
    fn conclude_part(&self, id: ActionId, check: &ActionCheck<'_>, found: &mut Reasons<'_>) {
        if !self.certificate.assumptions.spec.relevant.contains_key(&check.name) {
            return;
        }
        let listed = check.listed();
        for function in self.parts.changed_elsewhere(id).into_iter().filter(|&at| !listed[at]) {
            let function = found.function(function);
            found.push(
                Obligation::Effect,
                format!(
                    "a step outside this part changes {function}, which the map of relevant \
                     functions does not list"
                ),
            );
        }
    }

    /// Obligations 2, 3 and 6, then the numeric ones.
    fn conclude(&self, check: &ActionCheck<'_>, found: &mut Reasons<'_>) {
        let assumptions = &self.certificate.assumptions;
        let conditions = conjuncts(&check.action.precondition);
        let effects = flat(&check.action.effect);
        let Some(record) = self.certificate.actions.get(&check.name) else {
            return found
                .push(Obligation::Certificate, "the certificate does not have this action");
        };
        let observed = &check.observed;
        if observed.steps.is_empty() {
            return found.push(Obligation::Evidence, "it was never observed");
        }
        if let Some(listed) = self.certificate.failures.get(&check.name) {
            let (undefined, _) = observed.undefined(check.vocabulary.functions.len());
            let defined = check
                .columns
                .iter()
                .filter(|column| !column.iter().any(|&function| undefined[function]));
            let columns: Vec<FunctionProduct> = defined.cloned().collect();
            let seen = (&observed.classes, &undefined[..], &columns[..]);
            let rows: Vec<NumberRow> =
                observed.all().filter_map(|step| row(&columns, &step.before)).collect();
            let errors = self.errors.of_columns(&check.vocabulary, &columns);
            let worked =
                WorkedSteps { span: RowSpan::of(columns.len() + 1, &rows), record, errors };
            failures::check(listed, &check.tried, &check.vocabulary, seen, &worked, found);
        }
        let literals = Literals::of(&conditions);
        let bindings = observed.steps.keys();
        for literal in literals.missing(
            &check.vocabulary,
            &observed.classes,
            bindings,
            assumptions.spec.positive_preconditions,
        ) {
            let literal = found.condition(&literal);
            found.push(
                Obligation::Literal,
                format!("{literal} held before every step, but is not in the precondition"),
            );
        }
        let too_many = "too many ways to bind one object to several parameters";
        let constants = self.domain.signature.constants.len();
        let Some(admitted) = bindings::admitted(&check.vocabulary, constants, &conditions) else {
            return found.push(Obligation::Unverifiable, too_many);
        };
        let changes = match boolean::changes(&check.vocabulary, &effects) {
            Ok(changes) => changes,
            Err(effect) => return found.foreign_effect(effect),
        };
        let outcomes =
            boolean::outcomes(&check.vocabulary, &observed.classes, &admitted, &literals, &changes);
        let Some(outcomes) = outcomes else {
            return found.push(Obligation::Unverifiable, too_many);
        };
        for open in outcomes.undetermined {
            let (atom, binding) = (found.atom(open.atom), found.binding(&open.binding));
            let truth = if open.before { "true" } else { "false" };
            found.push(
                Obligation::Effect,
                format!(
                    "where {atom} is {truth} before{binding}, the steps do not determine what \
                         it is afterwards"
                ),
            );
        }
        if assumptions.spec.algorithm == Algorithm::Sam {
            let plain =
                effects.iter().all(|effect| matches!(effect, Effect::Add(_) | Effect::Delete(_)));
            if !plain || conditions.iter().any(|part| reads_numbers(part)) {
                found.push(Obligation::Unverifiable, "SAM looks at no numbers, but the model does");
            }
            return;
        }
        if check.inexact {
            self.conclude_inexact(
                check,
                record,
                (&conditions, &effects),
                &outcomes.possible,
                found,
            );
        } else {
            self.conclude_numeric(check, record, &conditions, &effects, &outcomes.possible, found);
        }
    }
}

/// The parts that a certificate assumes, and the domain and the model with an action for each;
/// `None` if no action has parts.
fn taken_apart(
    domain: &Domain,
    model: &Domain,
    certificate: &Certificate,
) -> Result<Option<(PartedActions, Domain, Domain)>, String> {
    let parts = PartedActions::of(domain, certificate)?;
    if parts.is_empty() != (certificate.format != FORMAT_WITH_PARTS) {
        return Err(
            "the format of the certificate is that of actions with parts exactly where it \
                    assumes some"
                .to_owned(),
        );
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let learned = parts
        .domain(domain)
        .ok_or_else(|| "two actions or parts of actions have the same name".to_owned())?;
    let of_parts = parts.model(domain, model)?;
    Ok(Some((parts, learned, of_parts)))
}

/// `(1, x)` over some columns; `None` where one has no value, or one of too many digits.
fn row(columns: &[FunctionProduct], before: &[Option<Rational>]) -> Option<NumberRow> {
    std::iter::once(Some(Rational::ONE))
        .chain(columns.iter().map(|column| product(column, before)))
        .collect()
}

fn product(column: &FunctionProduct, before: &[Option<Rational>]) -> Option<Rational> {
    let mut product = Rational::ONE;
    for &factor in column {
        product = &product * before[factor].as_ref()?;
        if product.as_small().is_none() && product.bits() > BITS {
            return None;
        }
    }
    Some(product)
}

/// Whether names are the same, in the same order; case does not matter.
fn same_names(one: &[String], other: &[String]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| one.eq_ignore_ascii_case(other))
}

fn flat(effect: &Effect) -> Vec<&Effect> {
    match effect {
        Effect::And(parts) => parts.iter().flat_map(flat).collect(),
        other => vec![other],
    }
}

fn reads_numbers(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(reads_numbers),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            reads_numbers(inner)
        }
        Condition::Imply(both) => both.iter().any(reads_numbers),
        Condition::Compare(..) | Condition::Within(_) => true,
        Condition::Atom(_) | Condition::Same(..) => false,
    }
}
