//! The verdict on every action: the one place that decides whether it is in a model, and why not.
//!
//! In this order: what the steps amount to (`conclude`), unless a failed attempt contradicts it
//! (`failures`), unless no state satisfies its precondition, unless errors of records leave nothing
//! of it to plan with (`estimates`).
//!
//! A new reason to leave an action out is a variant of [`LeftOut`] or
//! [`Inconsistency`](crate::conclude::Inconsistency) with its sentence beside it, both in
//! `conclude/conclusion.rs`, and one line. If it follows from the evidence of that action alone,
//! the line is in `conclude_from` (`conclude/action.rs`; about numbers: `conclude/numeric.rs`). If
//! it needs failures, satisfiability or other actions, the line is here.

use rayon::prelude::*;
use surefoot_base::model::{ActionId, Domain, Unsatisfiable};

use super::estimates::{Estimates, estimates};
use crate::conclude::{Conclusion, LeftOut, NumericModel, Settings};
use crate::evidence::{ActionEvidence, Learner, Phase, Progress};

/// The verdicts on all actions of a domain.
pub(crate) struct Verdicts {
    /// By action: its verdict.
    pub conclusions: Vec<Conclusion>,
    /// The domain over estimates, for planning; `None` where all records are exact.
    pub(super) estimates: Option<Domain>,
}

impl Verdicts {
    /// Decides on every action of a learner; `None` if the caller did not want it to go on. Depends
    /// on the set of records and the settings alone.
    pub fn new(learner: &Learner, settings: &Settings, progress: &dyn Progress) -> Option<Self> {
        let actions: Vec<ActionId> = learner.domain().action_ids().collect();
        let mut conclusions: Vec<Conclusion> = actions
            .into_par_iter()
            .map(|action| {
                progress.go_on().then(|| {
                    progress.part_begun(Phase::Concluding, learner.domain().action_name(action));
                    let conclusion = learner.conclude(action, settings);
                    progress.part_done();
                    conclusion
                })
            })
            .collect::<Option<_>>()?;
        let Some(Estimates { domain, left_out }) = estimates(learner, &conclusions) else {
            return Some(Verdicts { conclusions, estimates: None });
        };
        for (action, why) in left_out {
            conclusions[action.index()] = Conclusion::LeftOut(why);
        }
        Some(Verdicts { conclusions, estimates: Some(domain) })
    }
}

impl Learner {
    /// The verdict on one action by itself: all that `Verdicts` considers, except that planning
    /// with errors depends on all actions together. Depends on the set of records alone.
    pub fn conclude(&self, action: ActionId, settings: &Settings) -> Conclusion {
        let evidence = self.evidence(action).settled(self.vocabulary(action));
        let concluded = self.conclude_unrefused(action, &evidence, settings);
        self.decided(action, &evidence, settings, concluded)
    }

    /// The verdict on one action for those who ask whether steps are allowed and write nothing:
    /// regions are known by what spans them, and are whole whatever the number of their facets.
    /// `facet_budget` and `digits` count for nothing. With more steps it never allows less, unless
    /// [`may_take_back`](Self::may_take_back) says why.
    pub fn conclude_spanned(&self, action: ActionId, settings: &Settings) -> Conclusion {
        let spanned = self.conclude_spanned_unrefused(action, settings);
        self.decided(action, self.evidence(action), settings, spanned)
    }

    /// What was concluded from an action's steps, unless something else keeps it out of a model.
    fn decided(
        &self,
        action: ActionId,
        evidence: &ActionEvidence,
        settings: &Settings,
        concluded: Conclusion,
    ) -> Conclusion {
        let Conclusion::Learned(learned) = concluded else { return concluded };
        if let Some(inconsistency) = self.refused_by_failures(action, settings) {
            return Conclusion::Inconsistent(inconsistency);
        }
        if certainly_allows_some_step(evidence, &learned.numeric) {
            return Conclusion::Learned(learned);
        }
        match learned.action.precondition.unsatisfiable() {
            // This region is for recorded states. Where these have too large errors, better known
            // ones may still be allowed.
            Some(Unsatisfiable::Numbers) if learned.numeric.inexact.is_some() => {
                Conclusion::Learned(learned)
            }
            Some(why) => Conclusion::LeftOut(LeftOut::NeverApplicable(why)),
            None => Conclusion::Learned(learned),
        }
    }
}

/// Whether some recorded step certainly satisfies the precondition. Where records leave something
/// out, where coefficients are rounded or records are not exact, and where guards forbid what was
/// recorded, none need do so.
fn certainly_allows_some_step(evidence: &ActionEvidence, numeric: &NumericModel) -> bool {
    let NumericModel { columns, region, forbidden, inexact, .. } = numeric;
    !evidence.is_partial()
        && inexact.is_none()
        && forbidden.is_empty()
        && (region.uncovered == 0 || region.uncovered < evidence.points(columns).len())
}
