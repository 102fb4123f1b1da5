//! The model as it is checked: by action, over the vocabulary that the checker finds by itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::agreed::StepCounts;
use super::boolean::conjuncts;
use super::errors::RecordErrors;
use super::failures::CheckedFailure;
use super::margin::{Growth, cores};
use super::observe::ObservedSteps;
use super::parts::{PartedActions, without_tests};
use super::vocabulary::{ActionVocabulary, FunctionProduct, MAX_COLUMNS};
use super::{Obligation, RejectionReason, inputs};
use surefoot_base::assumptions::{Algorithm, Misfit, Monotone, Spec, misfits};
use surefoot_base::certificate::{
    ActionRecord, Certificate, FORMAT_WITH_ERRORS, FORMAT_WITH_PARTS, model_digest,
    vocabulary_digest,
};
use surefoot_base::exact::Rational;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{Action, ActionId, Condition, Domain};
use surefoot_base::pddl::{Numbers, Source, read_expression};

/// Reads the trajectories, then says what is wrong.
pub struct ModelChecker<'a> {
    /// The domain that trajectories are read with.
    pub(super) given: &'a Domain,
    /// The domain whose actions are checked: the given one with an action for each part.
    pub(super) domain: Cow<'a, Domain>,
    pub(super) parts: PartedActions,
    /// Where records have errors: what it says of true states, over the functions of the domain.
    pub(super) model: Cow<'a, Domain>,
    /// The model as it reads back, with an action for each part.
    pub(super) written: Cow<'a, Domain>,
    pub(super) certificate: &'a Certificate,
    pub(super) errors: RecordErrors,
    /// By action of the domain, where the model has it.
    pub(super) actions: Vec<Option<ActionCheck<'a>>>,
    pub(super) traces: BTreeSet<String>,
    /// What the trajectories say was taken for granted when they were made.
    pub(super) assumed: BTreeSet<String>,
    /// The logs that trajectories come from, by what is assumed of one log alone.
    pub(super) logs: BTreeSet<Vec<String>>,
    /// The recorded steps of actions with parts.
    pub(super) counts: StepCounts,
    /// The model with the whole hulls of its certificate, where it has only parts of them.
    pub(super) with_hulls: Option<&'a Domain>,
    /// The steps set aside that were there.
    pub(super) met: BTreeSet<(String, usize)>,
    pub(super) reasons: BTreeSet<RejectionReason>,
    /// Whether ids of domain and model mean the same, so that going on makes sense.
    pub(super) comparable: bool,
}

/// The observations of one action, and what the model says of them.
pub(super) struct ActionCheck<'a> {
    pub(super) name: String,
    pub(super) action: Cow<'a, Action>,
    /// Its number in the model.
    pub(super) number: ActionId,
    /// How errors grow; nothing where records have none.
    pub(super) growth: Growth,
    /// Whether records of some function that it can reach have errors.
    pub(super) inexact: bool,
    pub(super) vocabulary: ActionVocabulary,
    /// The columns of the class; none where numbers are not modelled.
    pub(super) columns: Vec<FunctionProduct>,
    pub(super) marks: BTreeMap<FunctionProduct, Monotone>,
    /// The conjuncts that are not compared as rows.
    pub(super) conditions: Condition,
    /// Where the region is a part of what is safe: those of them that do not depend on the region,
    /// and the comparisons.
    pub(super) of_part: Option<PartConditions>,
    pub(super) observed: ObservedSteps,
    /// The attempts that failed, where the certificate lists some.
    pub(super) tried: BTreeSet<CheckedFailure>,
}

/// What a model with a part of a region asks of steps outside that part, and what says that they
/// are.
pub(super) struct PartConditions {
    pub(super) literals: Condition,
    pub(super) comparisons: Condition,
}

impl PartConditions {
    fn of(conjuncts: &[&Condition]) -> Self {
        let is_literal = |condition: &Condition| match condition {
            Condition::Not(inner) => matches!(**inner, Condition::Atom(_) | Condition::Same(..)),
            _ => matches!(condition, Condition::Atom(_) | Condition::Same(..)),
        };
        let all = |is: &dyn Fn(&Condition) -> bool| {
            let parts = conjuncts.iter().copied().filter(|part| is(part));
            Condition::And(parts.cloned().collect())
        };
        PartConditions {
            literals: all(&is_literal),
            comparisons: all(&|part| matches!(part, Condition::Compare(..))),
        }
    }
}

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
            counts: StepCounts::default(),
            with_hulls: None,
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
        // Names are found in any letter case: under a second spelling of one, the certificate could
        // list what nobody verifies.
        let named = certificate.actions.keys().chain(certificate.failures.keys());
        for name in named.filter(|name| **name != name.to_ascii_lowercase()) {
            let what = format!("the certificate has {name} not in lower case");
            checker.global(Obligation::Certificate, what);
        }
        for name in certificate.actions.keys().filter(|name| model.actions.find(name).is_none()) {
            checker.global(
                Obligation::Certificate,
                format!("the certificate has an action {name}, but the model has not"),
            );
        }
        checker
    }

    /// Holds records also against the model with the whole hulls of its certificate, as planning
    /// uses it where the model as PDDL has only parts of hulls: it allows no attempt that failed,
    /// and predicts no step wrongly that nothing was learned from. Call this before records are
    /// read.
    ///
    /// (What is safe needs no second look. [`Self::finish`] verifies that the vertices were
    /// observed, so a whole hull lies in what is safe, and effects are known on the equations of
    /// the model, which the whole hull keeps.)
    pub fn with_whole_hulls(mut self, model: &'a Domain) -> Self {
        self.with_hulls = Some(model);
        self
    }

    pub(super) fn global(&mut self, kind: Obligation, what: impl Into<String>) {
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
        let all = conjuncts(&action.precondition);
        let others = all.iter().copied().filter(|part| !matches!(part, Condition::Compare(..)));
        let conditions = Condition::And(others.cloned().collect());
        let is_part =
            |record: &ActionRecord| record.shadows.iter().any(|shadow| shadow.part.is_some());
        let of_part = self.certificate.actions.get(name).filter(|record| is_part(record));
        let of_part = of_part.map(|_| PartConditions::of(&all));
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
            of_part,
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
