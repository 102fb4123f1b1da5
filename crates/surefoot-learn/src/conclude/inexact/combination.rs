//! Which dials go together with errors, and why others do not.
//!
//! The bound on an effect holds on the hull of the true vectors. Marks and an arity allow states
//! outside it, where it holds only if the effect is known there: by its decimals, or, under an
//! effect arity j, since the difference of two such effects reads at most 2j + 1 functions, whose
//! values lie in the hull of theirs.

use surefoot_base::advice::Text;
use surefoot_base::assumptions::{Algorithm, Spec};
use surefoot_base::dial;
use surefoot_base::model::ErrorFunctions;

use crate::conclude::settings::Settings;
use crate::evidence::{Learner, Monomial};

/// Where marks and an arity allow states that no record is near.
const OUTSIDE: &str = "outside the recorded range, where its effects are known only approximately \
                       and nothing bounds them";

/// Refuses combinations of dials for which nothing can be promised, with the reason.
pub(crate) fn check_combination(
    spec: &Spec,
    settings: &Settings,
    learner: &Learner,
) -> Result<(), Text> {
    let (domain, errors) = (learner.domain(), &learner.class().errors);
    if errors.is_empty() {
        return match spec.effect_decimals {
            Some(_) => Err(Text::from(dial!("effect-decimals"))
                + " is for records with errors; exact records determine effects by themselves"),
            None => Ok(()),
        };
    }
    if settings.algorithm == Algorithm::Sam {
        return Err("SAM ignores numbers, so it cannot use their errors".into());
    }
    if spec.squares {
        return Err(Text::from(
            "the square of an inexact number has an error without a bound; leave ",
        ) + dial!("squares")
            + " out");
    }
    if settings.unchanged_failed {
        return Err(Text::from(
            "where records are not exact, nobody can say whether a step changed something; leave ",
        ) + dial!("unchanged")
            + " or "
            + dial!("error")
            + " out");
    }
    for (name, _) in domain.signature.functions.iter() {
        let name = format!("{}{name}", ErrorFunctions::PREFIX);
        if domain.signature.functions.find(&name).is_some() {
            return Err(format!(
                "the domain has a function {name}; rename it, since the model needs this name for \
                 an error"
            )
            .into());
        }
    }
    for action in domain.action_ids() {
        let (vocabulary, name) = (learner.vocabulary(action), domain.action_name(action));
        for column in vocabulary.columns.iter().filter(|column| column.0.len() > 1) {
            if let Some(&factor) =
                column.0.iter().find(|factor| !vocabulary.error(**factor).is_zero())
            {
                let (product, factor) = (
                    learner.written(action, column),
                    learner.written(action, &Monomial(vec![factor])),
                );
                return Err(Text::from(format!(
                    "{factor} is not exact, so the error of {product} in {name} has no bound: \
                     leave "
                )) + dial!("degree")
                    + " out, or list other products as "
                    + dial!("relevant"));
            }
        }
        if !vocabulary.is_inexact() || settings.effect_decimals.is_some() {
            continue;
        }
        if settings.monotone.get(&action).is_some_and(|marks| !marks.is_empty()) {
            return Err(Text::from(dial!("monotone"))
                + format!(" would allow {name} {OUTSIDE}; give ")
                + dial!("effect-decimals")
                + format!(", or leave out the marks of {name}"));
        }
        if let Some(arity) = settings.arity {
            match settings.effect_arity {
                Some(reads) if arity > 2 * reads => {}
                Some(reads) => {
                    let needed = 2 * reads + 1;
                    return Err(Text::from(dial!("arity", arity))
                        + format!(" would allow {name} {OUTSIDE}; with ")
                        + dial!("effect-arity", reads)
                        + " they are bounded from "
                        + dial!("arity", needed)
                        + " on; or give "
                        + dial!("effect-decimals"));
                }
                None => {
                    return Err(Text::from(dial!("arity"))
                        + format!(" would allow {name} {OUTSIDE}; give ")
                        + dial!("effect-decimals")
                        + ", or K for "
                        + dial!("effect-arity")
                        + " and at least 2 K + 1 for "
                        + dial!("arity"));
                }
            }
        }
    }
    Ok(())
}
