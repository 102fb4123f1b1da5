//! A model with one action for each part of an action, as it is learned: the form in which records
//! are tried, and for planners that read no conditional effects. Where no action has parts, it is
//! the model itself.

use std::sync::Arc;

use surefoot_base::model::{Action, Domain};

use crate::conclude::Conclusion;
use crate::evidence::Learner;

/// The domains of a model in the ids of the learned domain.
#[derive(Clone, Debug)]
pub struct ByPart {
    vocabulary: Arc<Domain>,
    domain: Arc<Domain>,
    whole: Arc<Domain>,
}

impl ByPart {
    /// The domains of what a learner concluded. `estimates` is the domain over estimates, where
    /// records are not exact.
    pub(super) fn new(
        learner: &Learner,
        conclusions: &[Conclusion],
        estimates: Option<Domain>,
    ) -> Self {
        let vocabulary = Arc::new(learner.domain().clone());
        let body = |conclusion: &Conclusion, whole: bool| match conclusion {
            Conclusion::Learned(learned) if whole => Some(learned.whole()),
            Conclusion::Learned(learned) => Some(learned.action.clone()),
            _ => None,
        };
        let with_bodies = |whole: bool| {
            let bodies: Vec<Option<Action>> =
                conclusions.iter().map(|conclusion| body(conclusion, whole)).collect();
            Arc::new(vocabulary.with_bodies(|id| bodies[id.index()].as_ref()))
        };
        let written = with_bodies(false);
        let is_cut = conclusions.iter().any(|conclusion| {
            matches!(conclusion, Conclusion::Learned(action)
                if action.numeric.region.whole.is_some())
        });
        let whole = if is_cut { with_bodies(true) } else { Arc::clone(&written) };
        let domain = estimates.map_or(written, Arc::new);
        ByPart { vocabulary, domain, whole }
    }

    /// The form of a model without parts.
    pub(super) fn plain(vocabulary: &Arc<Domain>, domain: &Arc<Domain>) -> Self {
        let [vocabulary, domain] = [vocabulary, domain].map(Arc::clone);
        ByPart { vocabulary, whole: Arc::clone(&domain), domain }
    }

    /// The learned domain: the given one, in which an action with parts stands once for each part.
    pub fn vocabulary(&self) -> &Arc<Domain> {
        &self.vocabulary
    }

    /// The model as it is written, with the ids of [`ByPart::vocabulary`]. Where records are not
    /// exact, it is over estimates.
    pub fn domain(&self) -> &Arc<Domain> {
        &self.domain
    }

    /// The model for states that are records, with whole hulls.
    pub fn whole(&self) -> &Arc<Domain> {
        &self.whole
    }
}
