//! Which dials go together with errors, and why others do not.
//!
//! The bound on an effect holds on the hull of the true vectors. Marks and an arity allow states
//! outside it, where it holds only if the effect is known there: by its decimals, or, under an
//! effect arity j, since the difference of two such effects reads at most 2j + 1 functions, whose
//! values lie in the hull of theirs.

use surefoot_base::assumptions::{Algorithm, Spec};
use surefoot_base::model::ErrorFunctions;

use crate::conclude::settings::Settings;
use crate::evidence::{Learner, LiftedFunctionId, Monomial};

/// Refuses combinations of dials for which nothing can be promised, with the reason.
pub(crate) fn check_combination(
    spec: &Spec,
    settings: &Settings,
    learner: &Learner,
) -> Result<(), String> {
    let (domain, errors) = (learner.domain(), &learner.class().errors);
    if errors.is_empty() {
        return match spec.effect_decimals {
            Some(_) => Err(
                "--effect-decimals is for records with errors; exact records determine effects \
                     by themselves"
                    .to_owned(),
            ),
            None => Ok(()),
        };
    }
    if settings.algorithm == Algorithm::Sam {
        return Err("SAM looks at no numbers, so their errors mean nothing to it".to_owned());
    }
    if spec.squares {
        return Err(
            "the square of a number that is off has an error without a bound; leave --squares out"
                .to_owned(),
        );
    }
    if settings.unchanged_failed {
        return Err(
            "a step that changed nothing cannot be told from one that did where records are not \
                    exact; leave --unchanged \
                    or --error out"
                .to_owned(),
        );
    }
    for (name, _) in domain.signature.functions.iter() {
        let name = format!("{}{name}", ErrorFunctions::PREFIX);
        if domain.signature.functions.find(&name).is_some() {
            return Err(format!(
                "the domain has a function {name}, which is the name of the error that the model \
                 would carry along"
            ));
        }
    }
    for action in domain.action_ids() {
        let (vocabulary, name) = (learner.vocabulary(action), domain.action_name(action));
        let inexact = |function: &&LiftedFunctionId| !vocabulary.error(**function).is_zero();
        for column in vocabulary.columns.iter().filter(|column| column.0.len() > 1) {
            if let Some(&factor) = column.0.iter().find(inexact) {
                let (product, factor) = (
                    learner.written(action, column),
                    learner.written(action, &Monomial(vec![factor])),
                );
                return Err(format!(
                    "{factor} is not exact, so the error of {product} in {name} has no bound: \
                                    leave --degree out, or list \
                                    other products as relevant"
                ));
            }
        }
        if !vocabulary.is_inexact() || settings.effect_decimals.is_some() {
            continue;
        }
        if settings.monotone.get(&action).is_some_and(|marks| !marks.is_empty()) {
            return Err(format!(
                "marks allow {name} beyond what was recorded, where nothing bounds its effects \
                                while they are known only \
                                about; give --effect-decimals, or leave out the marks of {name}"
            ));
        }
        if let Some(arity) = settings.arity {
            match settings.effect_arity {
                Some(reads) if arity > 2 * reads => {}
                Some(reads) => {
                    let needed = 2 * reads + 1;
                    return Err(format!(
                        "--arity {arity} allows {name} beyond what was recorded; under \
                                        --effect-arity {reads} its effects \
                                        are bounded there from --arity {needed} on; or give \
                                        --effect-decimals"
                    ));
                }
                None => {
                    return Err(format!(
                        "--arity allows {name} beyond what was recorded, where nothing bounds its \
                                        effects while they are \
                                        known only about; give --effect-decimals, or \
                                        --effect-arity K with --arity of at least 2 K + 1"
                    ));
                }
            }
        }
    }
    Ok(())
}
