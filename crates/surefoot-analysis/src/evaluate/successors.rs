//! How far the successors of a model with error functions are from the true ones: the measured
//! distance, compared with the promised one.
//!
//! The paper calls it the error of bounded effects. A model with error functions promises it
//! itself: where nothing is off before a step, what it adds to the error of a function bounds how
//! far the function is from its true value after it.

use super::metric::Metric;
use super::semantic::ActionSemantics;
use surefoot_base::exact::Rational;
use surefoot_base::model::{Domain, Effect, ErrorFunctions, NumericOperator, Polynomial};

/// How far off the successors of an action are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Successors {
    /// The name of the action.
    pub action: String,
    /// The largest distance between a function after a step in the learned model and in the real
    /// one, over all steps that both allow.
    pub measured: Rational,
    /// What the model says that it is at most.
    pub promised: Rational,
}

impl Successors {
    /// Each action of a learned domain, where it has error functions; none where it takes all
    /// numbers for exact.
    pub fn of(learned: &Domain, meaning: &[ActionSemantics]) -> Vec<Successors> {
        let errors = ErrorFunctions::of(&learned.signature);
        if errors.is_empty() {
            return Vec::new();
        }
        let known = meaning.iter().filter_map(|of| Some((of, learned.known_action(&of.action)?)));
        let successors = known.map(|(of, action)| Successors {
            action: of.action.clone(),
            measured: of.largest_error.clone(),
            promised: promised(&errors, &learned.action(action).effect),
        });
        successors.collect()
    }

    /// Whether what was measured is more than what is promised.
    pub fn is_broken(&self) -> bool {
        self.measured > self.promised
    }

    /// The measured and the promised error, as metrics.
    pub fn scores(&self) -> [(Metric, &Rational); 2] {
        [(Metric::SuccessorError, &self.measured), (Metric::SuccessorBound, &self.promised)]
    }
}

/// The most that an effect adds to an error where nothing is off before.
fn promised(errors: &ErrorFunctions, effect: &Effect) -> Rational {
    match effect {
        Effect::And(parts) => {
            parts.iter().map(|part| promised(errors, part)).max().unwrap_or(Rational::ZERO)
        }
        Effect::Numeric(change)
            if errors.is_error(change.target.symbol)
                && change.operator == NumericOperator::Increase =>
        {
            Polynomial::of(&change.value).map_or(Rational::ZERO, |value| value.constant_term())
        }
        _ => Rational::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use surefoot_base::pddl::{Source, read_domain};

    #[test]
    fn what_is_promised_is_the_most_that_is_added_where_nothing_was_off() {
        let text = "(define (domain d) (:functions (a) (b) (error-of-a) (error-of-b)) (:action go \
                    :parameters () :effect (and
            (assign (a) (* 0.5 (a))) (increase (error-of-a) (+ (* -0.5 (error-of-a)) 0.25)) \
                    (increase (error-of-b) 0.1))))";
        let domain = read_domain(&Source::new("d", text)).unwrap();
        let errors = ErrorFunctions::of(&domain.signature);
        assert_eq!(
            promised(&errors, &domain.action(0.into()).effect),
            Rational::new(1, 4).unwrap()
        );
    }
}
