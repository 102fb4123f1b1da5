//! What the records, together, leave wrong with a model (obligations 2 to 7).

use std::collections::BTreeSet;

use super::boolean::{Literals, conjuncts, flat, reads_numbers};
use super::checker::{ActionCheck, ModelChecker};
use super::failures::WorkedSteps;
use super::linear::{NumberRow, RowSpan};
use super::vocabulary::{FunctionProduct, row};
use super::words::Reasons;
use super::{Obligation, RejectionReason, bindings, boolean, failures};
use surefoot_base::assumptions::{Algorithm, FAILS_ONLY, Unchanged};
use surefoot_base::certificate::Certificate;
use surefoot_base::invariant::guarded;
use surefoot_base::model::{ActionId, Effect};
use surefoot_base::pddl::Writer;

impl ModelChecker<'_> {
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
            for what in self.parts.wrong_counts() {
                self.global(Obligation::Certificate, what);
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
