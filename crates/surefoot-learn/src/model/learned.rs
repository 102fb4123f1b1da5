//! A learned model: what each action needs and does, why others are missing, and on which
//! assumptions all of it rests.

use std::fmt;
use std::sync::Arc;

use surefoot_base::advice::Text;
use surefoot_base::assumptions::{Assumptions, Misfit, misfits, short_number};
use surefoot_base::certificate::{Certificate, successors_in_words};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Action, ActionId, Domain};
use surefoot_base::pddl::{Operands, visible, write_action, write_domain_with};
use surefoot_base::stamp::Stamp;

use super::by_part::ByPart;
use super::certify::certificate;
use super::summary::{ActionSummary, OutsideSummary, Summary};
use super::verdict::Verdicts;
use crate::conclude::{
    BooleanEffect, Conclusion, Extent, LearnedAction, NumericForm, Settings, assumptions,
};
use crate::evidence::{Attempts, Learner, Mention, Outside};

/// A learned model. Its actions have the ids of the domain it was learned for.
///
/// A model of this library's learners is *safe*: what it allows is possible in the real world and
/// does what it says, if its assumptions are true. A model of another learner promises nothing, and
/// says so.
#[derive(Clone, Debug)]
pub struct Model {
    vocabulary: Arc<Domain>,
    /// What its PDDL says, in the ids of the vocabulary. Where a region has too many facets to be
    /// written, this is a part of it. Where records are not exact, it is over estimates.
    written: Arc<Domain>,
    /// For states that are records: regions are whole, and margins hold what a record may be off.
    states: Arc<Domain>,
    /// The same with an action for each part of an action.
    by_part: ByPart,
    /// By action of the learned domain.
    actions: Vec<ActionOutcome>,
    /// By action: why it is not in the model.
    missing: Vec<Option<String>>,
    /// By action: how many recorded events are in no part of it.
    outside: Vec<Outside>,
    /// How many steps that changed nothing count neither way.
    left_out: usize,
    origin: Origin,
}

/// What became of an action.
#[derive(Clone, Debug)]
struct ActionOutcome {
    /// Why it is not in the model.
    missing: Option<String>,
    /// What would help where errors of records leave nothing of it.
    remedies: Option<Text>,
    /// The number of its observed steps.
    steps: usize,
    /// How many of them the model refuses.
    refused: usize,
    /// How many attempts failed.
    attempts: Attempts,
}

/// What a model rests on.
#[derive(Clone, Debug)]
enum Origin {
    Safe(Box<Grounds>),
    Other { learner: String, warning: String, lost: Option<String> },
}

/// What a safe model rests on.
#[derive(Clone, Debug)]
pub struct Grounds {
    /// The evidence that the model is learned from.
    pub learner: Learner,
    /// What the model was made with.
    pub settings: Settings,
    /// By action: what its evidence amounts to.
    pub conclusions: Vec<Conclusion>,
    /// What in the given domain shows that the class does not fit.
    pub misfits: Vec<Misfit>,
}

impl Model {
    /// A safe model. What it says depends on the learner and the settings alone. Nobody gets it
    /// before it was tried on all that it was learned from and is at hand (`workflow`).
    pub(crate) fn new(
        learner: Learner,
        settings: Settings,
        steps: &[usize],
        verdicts: Verdicts,
    ) -> Model {
        let Verdicts { conclusions, estimates } = verdicts;
        let by_part = ByPart::new(&learner, &conclusions, estimates);
        let outcome = |((id, conclusion), &steps): ((ActionId, &Conclusion), &usize)| {
            let missing = (!matches!(conclusion, Conclusion::Learned(_)))
                .then(|| learner.reason(id, conclusion));
            let remedies = learner.remedies(&settings, id, conclusion);
            ActionOutcome { missing, remedies, steps, refused: 0, attempts: Attempts::default() }
        };
        let ids = learner.domain().action_ids().zip(&conclusions);
        let actions: Vec<ActionOutcome> = ids.zip(steps).map(outcome).collect();
        let misfits = misfits(learner.given(), &assumptions(&learner, &settings));
        let parts = learner.lens().parts();
        let (vocabulary, written, states) = if parts.is_empty() {
            let shared = |domain: &Arc<Domain>| Arc::clone(domain);
            (shared(by_part.vocabulary()), shared(by_part.domain()), shared(by_part.whole()))
        } else {
            let merged = |domain: &Domain| Arc::new(parts.merged(learner.given(), domain));
            let written = merged(by_part.domain());
            let states = match Arc::ptr_eq(by_part.domain(), by_part.whole()) {
                true => Arc::clone(&written),
                false => merged(by_part.whole()),
            };
            (Arc::new(learner.given().clone()), written, states)
        };
        let outside = vec![Outside::default(); vocabulary.actions.len()];
        let missing = missing(&learner, &actions);
        let grounds = Grounds { learner, settings, conclusions, misfits };
        Model {
            vocabulary,
            written,
            states,
            by_part,
            actions,
            missing,
            outside,
            left_out: 0,
            origin: Origin::Safe(Box::new(grounds)),
        }
    }

    /// An action whose kept failures the model allows. There is none, since the verdict leaves such
    /// actions out.
    pub(crate) fn allowed_failure(&self) -> Option<ActionId> {
        let grounds = self.grounds()?;
        grounds.learner.allowed_failure(self.by_part.whole(), &grounds.conclusions)
    }

    /// Adds how many recorded steps of each action the model refuses.
    pub(crate) fn with_refused(mut self, refused: &[usize]) -> Model {
        let actions = self.actions.iter_mut().zip(refused);
        actions.for_each(|(action, &refused)| action.refused = refused);
        self
    }

    /// A model that another learner made, in the ids of the domain it was learned for. `learner` is
    /// its title; `bodies` says, by action in the order of their ids, what was learned, or why
    /// nothing was; `warning` is a sentence that says what is not promised of it.
    pub fn of_other(
        vocabulary: Arc<Domain>,
        learner: impl Into<String>,
        warning: impl Into<String>,
        bodies: Vec<Result<Action, String>>,
    ) -> Model {
        let missing = |id: ActionId| match bodies.get(id.index()) {
            Some(Ok(_)) => None,
            Some(Err(reason)) => Some(reason.clone()),
            None => Some("not learned".to_owned()),
        };
        let outcome = |id: ActionId| ActionOutcome {
            missing: missing(id),
            remedies: None,
            steps: 0,
            refused: 0,
            attempts: Attempts::default(),
        };
        let actions: Vec<ActionOutcome> = vocabulary.action_ids().map(outcome).collect();
        let missing = actions.iter().map(|action| action.missing.clone()).collect();
        let body = |id: ActionId| bodies.get(id.index()).and_then(|body| body.as_ref().ok());
        let written = Arc::new(vocabulary.with_bodies(body));
        let origin = Origin::Other { learner: learner.into(), warning: warning.into(), lost: None };
        Model {
            by_part: ByPart::plain(&vocabulary, &written),
            outside: vec![Outside::default(); vocabulary.actions.len()],
            states: Arc::clone(&written),
            written,
            vocabulary,
            actions,
            missing,
            left_out: 0,
            origin,
        }
    }

    /// The same model, learned for a domain with these bodies: where they show that the class does
    /// not fit, [`Model::promise`] says so. The domain has the vocabulary that the model has.
    pub fn of_given(mut self, domain: Domain) -> Model {
        if let Origin::Safe(grounds) = &mut self.origin {
            grounds.misfits = misfits(&domain, &assumptions(&grounds.learner, &grounds.settings));
        }
        self.vocabulary = Arc::new(domain);
        self
    }

    /// Adds why another learner has no model at all, in a sentence.
    pub fn lost_because(mut self, why: Option<String>) -> Model {
        if let Origin::Other { lost, .. } = &mut self.origin {
            *lost = why;
        }
        self
    }

    /// Adds the number of steps of each action.
    pub(crate) fn with_steps(mut self, steps: &[usize]) -> Model {
        self.actions.iter_mut().zip(steps).for_each(|(action, &steps)| action.steps = steps);
        self
    }

    /// Adds the number of failed attempts of each action.
    pub(crate) fn with_attempts(mut self, attempts: &[Attempts]) -> Model {
        self.actions
            .iter_mut()
            .zip(attempts)
            .for_each(|(action, attempts)| action.attempts = attempts.clone());
        self
    }

    /// Adds how many events of each action of the given domain are in no part of it.
    pub(crate) fn with_outside(mut self, outside: &[Outside]) -> Model {
        self.outside = outside.to_vec();
        self
    }

    /// Adds the number of steps that changed nothing and count neither way.
    pub(crate) fn with_left_out(mut self, steps: usize) -> Model {
        self.left_out = steps;
        self
    }

    /// The domain it was learned for: its vocabulary, and whatever bodies were given, which nobody
    /// looked at.
    pub fn vocabulary(&self) -> &Arc<Domain> {
        &self.vocabulary
    }

    /// *May I do this in this recorded state?* The model as a domain with the ids of
    /// [`Model::vocabulary`]; an action that is missing is there, and can never be taken.
    ///
    /// Regions are whole, also where they have too many facets to be written. Where records are not
    /// exact, the state is taken for a record: conditions have margins for what it may be off.
    pub fn for_states(&self) -> &Arc<Domain> {
        &self.states
    }

    /// *What does a planner get?* The model as a domain with the ids of [`Model::vocabulary`]; an
    /// action that is missing is there, and can never be taken.
    ///
    /// Where records are exact, states that a plan reaches are as good as recorded ones, and this
    /// is [`Model::for_states`]. Otherwise the numbers of a plan are estimates that get worse with
    /// each step: error functions, after those of the vocabulary, carry their errors along.
    pub fn for_planning(&self) -> &Arc<Domain> {
        match self.is_exact() {
            true => &self.states,
            false => &self.written,
        }
    }

    /// The model with an action for each part of an action, in the ids of the domain that is
    /// learned. What [`Grounds`] say of actions is in these ids.
    pub fn by_part(&self) -> &ByPart {
        &self.by_part
    }

    /// *What does the file say?* The domain that a reader of [`Model::to_pddl`] gets: the learned
    /// actions alone, numbered anew, with regions as comparisons. For those who check or measure
    /// the file; a region with more facets than the budget is a part there, so the file may allow
    /// less than [`Model::for_planning`].
    pub fn read_back(&self) -> Domain {
        let mut domain = self.written.of_known_actions();
        for id in domain.action_ids() {
            let action = domain.actions.value_mut(id.index());
            action.precondition = action.precondition.expanded();
        }
        domain
    }

    /// An action as [`Model::to_pddl`] writes it.
    pub fn action_to_pddl(&self, id: ActionId) -> String {
        write_action(&self.written, id)
    }

    /// Whether it was learned from records that are taken for exact.
    fn is_exact(&self) -> bool {
        self.grounds().is_none_or(|grounds| grounds.learner.class().errors.is_empty())
    }

    /// Why an action is not in the model; `None` where it is.
    pub fn missing(&self, action: ActionId) -> Option<&str> {
        self.missing[action.index()].as_deref()
    }

    /// What a safe model rests on; `None` for a model of another learner.
    pub fn grounds(&self) -> Option<&Grounds> {
        match &self.origin {
            Origin::Safe(grounds) => Some(grounds),
            Origin::Other { .. } => None,
        }
    }

    /// What must be true of the real world for the promise to hold; `None` where nothing is
    /// promised.
    pub fn assumptions(&self) -> Option<Assumptions> {
        self.grounds().map(|grounds| assumptions(&grounds.learner, &grounds.settings))
    }

    /// The paper's name of the algorithm, or the name of the other learner.
    pub fn title(&self) -> &str {
        match &self.origin {
            Origin::Safe(grounds) => grounds.settings.algorithm.title(),
            Origin::Other { learner, .. } => learner,
        }
    }

    /// What is not promised of a model of another learner; `None` for a safe one.
    pub fn warning(&self) -> Option<&str> {
        match &self.origin {
            Origin::Safe(_) => None,
            Origin::Other { warning, .. } => Some(warning),
        }
    }

    /// Why another learner has no model at all; `None` where it has one.
    pub fn lost(&self) -> Option<&str> {
        match &self.origin {
            Origin::Safe(_) => None,
            Origin::Other { lost, .. } => lost.as_deref(),
        }
    }

    /// What it promises, on which assumptions, what shows that these do not hold, and which actions
    /// are missing, with the stamp: the header of its PDDL.
    pub fn promise(&self) -> String {
        let mut head =
            format!("; Learned by surefoot {} with {}.\n", env!("CARGO_PKG_VERSION"), self.title());
        match &self.origin {
            Origin::Other { warning, .. } => {
                head += &format!("; NOT SAFE: {}\n", visible(warning));
            }
            Origin::Safe(grounds) => {
                let assumptions = assumptions(&grounds.learner, &grounds.settings);
                head += &format!("; {}\n", assumptions.heading());
                for sentence in assumptions.in_words() {
                    head += &format!(";  - {sentence}\n");
                }
                head += &self.successors(grounds);
                if !grounds.misfits.is_empty() {
                    head += "; THE PROMISE IS VOID, because actions of the given domain \
                             contradict these assumptions:\n";
                }
                for misfit in &grounds.misfits {
                    head += &format!(";  - {}.\n", visible(&misfit.to_string()));
                }
            }
        }
        head += &self.parts_in_words();
        let vocabulary = self.by_part.vocabulary();
        for (id, action) in vocabulary.action_ids().zip(&self.actions) {
            if let Some(reason) = &action.missing {
                head +=
                    &format!("; Left out: {} ({}).\n", vocabulary.action_name(id), visible(reason));
            }
        }
        if let Some(why) = self.lost() {
            head += &format!("; {}\n", visible(why));
        }
        head + &self.stamp().line()
    }

    /// What the header says for programs.
    pub fn stamp(&self) -> Stamp {
        match &self.origin {
            Origin::Other { warning, .. } => Stamp::NotSafe(visible(warning).into_owned()),
            Origin::Safe(grounds) => {
                Stamp::safe(&assumptions(&grounds.learner, &grounds.settings).spec)
            }
        }
    }

    /// From how many steps each part was learned, and what lies in none, a line each.
    fn parts_in_words(&self) -> String {
        let mut lines = String::new();
        let Some(grounds) = self.grounds() else { return lines };
        let parts = grounds.learner.lens().parts();
        for given in parts.actions() {
            for (id, part) in parts.learned_ids(given).zip(parts.of(given)) {
                let steps = self.actions[id.index()].steps;
                if steps > 0 && self.actions[id.index()].missing.is_none() {
                    lines += &format!("; Learned: {} from {}.\n", part.name, counted(steps));
                }
            }
            let (name, outside) = (self.vocabulary.action_name(given), self.outside[given.index()]);
            if outside.steps > 0 {
                let steps = counted(outside.steps);
                lines += &format!(
                    "; Outside all parts of {name}: {steps}; nothing was learned \
                                   from them.\n"
                );
            }
        }
        lines
    }

    /// How far off the successors of inexact actions can be, a line an action.
    fn successors(&self, grounds: &Grounds) -> String {
        let mut lines = String::new();
        for id in self.by_part.vocabulary().action_ids() {
            let Some(inexact) =
                grounds.learned(id).and_then(|learned| learned.numeric.inexact.as_ref())
            else {
                continue;
            };
            let name = self.by_part.vocabulary().action_name(id);
            let written =
                |function| grounds.learner.lens().written_mention(id, Mention::Function(function));
            let fits = inexact.fits.pairs();
            let bounds: Vec<(String, Rational)> = fits
                .filter_map(|(function, fit)| {
                    Some((written(function), fit.as_ref()?.bound.clone()))
                })
                .collect();
            lines += &format!("; {}\n", successors_in_words(name, &bounds));
            if let Some(function) = inexact.kept_within {
                let function = written(function);
                lines += &format!(
                    "; {name} is allowed only in the recorded range, whatever the assumptions on \
                     arity and monotonicity would allow: outside it, the effect on {function} is \
                     not known well enough.\n"
                );
            }
        }
        if lines.is_empty() {
            return lines;
        }
        format!(
            "; Errors that one step adds to those before it (the error-of functions hold \
                 both):\n{lines}"
        )
    }

    /// The model as PDDL, headed by what it promises.
    pub fn to_pddl(&self) -> String {
        self.to_pddl_with(Operands::Many)
    }

    /// The model as PDDL, with sums and products of two operands each if other programs need that.
    /// The certificate covers both forms.
    pub fn to_pddl_with(&self, operands: Operands) -> String {
        // The writer spells regions out by itself.
        self.promise() + &write_domain_with(&self.written.of_known_actions(), operands)
    }

    /// The certificate of a safe model, for `surefoot-check`. It names the traces that the learner
    /// remembers.
    pub fn certificate(&self) -> Option<Certificate> {
        let Grounds { learner, settings, conclusions, .. } = self.grounds()?;
        Some(certificate(
            learner,
            settings,
            &self.written.of_known_actions(),
            &learned(conclusions),
        ))
    }

    /// How many linear conditions it has.
    pub fn linear_conditions(&self) -> usize {
        self.summary().actions.iter().map(|action| action.equations + action.facets).sum()
    }

    /// The model in numbers.
    pub fn summary(&self) -> Summary {
        Summary {
            domain: self.vocabulary.name.to_string(),
            algorithm: self.title().to_owned(),
            assumptions: self
                .assumptions()
                .map(|assumptions| assumptions.in_words())
                .unwrap_or_default(),
            not_safe: self.warning().map(str::to_owned),
            lost: self.lost().map(str::to_owned),
            set_aside: self.grounds().map_or(0, Grounds::set_aside),
            left_out: self.left_out,
            outside: self.outside_in_numbers(),
            arity: self.grounds().and_then(|grounds| grounds.settings.arity),
            actions: self.by_part.vocabulary().action_ids().map(|id| self.row(id)).collect(),
        }
    }

    /// The events in no part of an action, where there are any.
    fn outside_in_numbers(&self) -> Vec<OutsideSummary> {
        let counts = self.vocabulary.action_ids().zip(&self.outside);
        counts
            .filter(|(_, outside)| **outside != Outside::default())
            .map(|(id, outside)| OutsideSummary {
                action: self.vocabulary.action_name(id).to_owned(),
                steps: outside.steps,
                failed: outside.failed,
            })
            .collect()
    }

    fn row(&self, id: ActionId) -> ActionSummary {
        let ActionOutcome { missing, remedies, steps, refused, attempts } =
            &self.actions[id.index()];
        // What only the safe learners have.
        let known = self.grounds().map(|_| 0);
        let mut row = ActionSummary {
            action: self.by_part.vocabulary().action_name(id).to_owned(),
            steps: *steps,
            failed: attempts.failed,
            unclear: attempts.unclear,
            remedies: remedies.clone(),
            advice: remedies.iter().flat_map(Text::advice).cloned().collect(),
            result: missing.clone().unwrap_or_else(|| "learned".to_owned()),
            learned: missing.is_none(),
            set_aside: self.grounds().map(|grounds| grounds.set_aside_of(id)),
            refused: known.map(|_| *refused),
            vectors: known,
            columns: known,
            dimension: known,
            uncovered: known,
            ..ActionSummary::default()
        };
        if self.grounds().is_none() && row.learned {
            row.count(self.written.action(id));
        }
        if let Some(grounds) = self.grounds() {
            row.tests = grounds.learner.tests_in_words(id);
            row.unknown = attempts
                .unknown
                .iter()
                .map(|mention| grounds.learner.lens().written_mention(id, *mention))
                .collect();
            row.telling = grounds.learner.evidence(id).failures().len();
            row.inexact = grounds.learner.vocabulary(id).is_inexact();
            row.beyond_budget = row.telling.saturating_sub(grounds.settings.failure_budget);
        }
        if let Some(grounds) = self.grounds()
            && let Conclusion::Learned(learned) = &grounds.conclusions[id.index()]
        {
            let LearnedAction { boolean, numeric, .. } = &**learned;
            row.vectors = Some(grounds.learner.evidence(id).points(&numeric.columns).len());
            row.columns = Some(numeric.columns.len());
            row.dimension = Some(numeric.region.dimension);
            row.literals = boolean.positive.len()
                + boolean.negative.len()
                + boolean.equal.len()
                + boolean.different.len();
            row.literals += boolean.guards.len() + numeric.guards.len();
            row.equations = numeric.region.equations().len();
            row.facets = numeric.region.set.facets().len();
            row.effects =
                boolean.effects.iter().filter(|effect| **effect != BooleanEffect::None).count();
            row.numeric_effects =
                numeric.effects.iter().filter(|form| **form != NumericForm::Unchanged).count();
            row.uncovered = Some(numeric.region.uncovered);
            row.inner = numeric.region.extent == Extent::Inner;
            let bounds = numeric
                .inexact
                .iter()
                .flat_map(|inexact| &inexact.fits)
                .flatten()
                .map(|fit| &fit.bound);
            row.within = bounds.max().map(short_number);
            let kept = numeric.inexact.as_ref().and_then(|inexact| inexact.kept_within);
            row.kept_within = kept.map(|function| {
                grounds.learner.lens().written_mention(id, Mention::Function(function))
            });
        }
        row
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_pddl())
    }
}

impl Grounds {
    /// What an action's evidence amounts to, where it is learned.
    pub fn learned(&self, id: ActionId) -> Option<&LearnedAction> {
        match &self.conclusions[id.index()] {
            Conclusion::Learned(action) => Some(action),
            _ => None,
        }
    }

    /// The steps set aside as recording errors.
    pub fn set_aside(&self) -> usize {
        self.learner.set_aside().len()
    }

    /// Those of an action, as far as it is known whose they are.
    pub fn set_aside_of(&self, id: ActionId) -> usize {
        self.learner.history().set_aside_of.values().filter(|&&action| action == id).count()
    }
}

/// By action of the given domain: why it is not in the model, unless some part of it is.
fn missing(learner: &Learner, actions: &[ActionOutcome]) -> Vec<Option<String>> {
    let parts = learner.lens().parts();
    let reason = |given: ActionId| -> Option<String> {
        let ids: Vec<ActionId> = parts.learned_ids(given).collect();
        let reasons: Vec<&String> =
            ids.iter().map(|id| actions[id.index()].missing.as_ref()).collect::<Option<_>>()?;
        match &reasons[..] {
            [only] => Some((*only).clone()),
            several => {
                let name = |id: &ActionId| learner.domain().action_name(*id);
                let named = ids.iter().zip(several);
                let named: Vec<String> =
                    named.map(|(id, reason)| format!("{}: {reason}", name(id))).collect();
                Some(named.join("; "))
            }
        }
    };
    learner.given().action_ids().map(reason).collect()
}

fn counted(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}

fn learned(conclusions: &[Conclusion]) -> Vec<(ActionId, &LearnedAction)> {
    let learned =
        conclusions.iter().enumerate().filter_map(|(index, conclusion)| match conclusion {
            Conclusion::Learned(action) => Some((ActionId::from(index), &**action)),
            _ => None,
        });
    learned.collect()
}
