//! The seam for learners: ours go through it and give the same models, and one that is none of ours
//! needs nothing else.

use std::any::Any;
use std::sync::Arc;

use surefoot_base::assumptions::{Algorithm, Spec};
use surefoot_base::model::{Action, ActionId, Condition, Domain, Effect};
use surefoot_base::pddl::{Numbers, Source, read_domain};
use surefoot_learn::Settings;
use surefoot_learn::{
    Job, LEARNERS, LearnError, Learner, LearnerKind, Learns, Model, Observed, Policy, Trace,
    Unwatched, learn, learn_with,
};

fn domain() -> Domain {
    let text = "(define (domain tanks) (:types tank) (:predicates (open ?t - tank)) (:functions \
                (level ?t - tank))
        (:action fill :parameters (?t - tank)) (:action close :parameters (?t - tank)) (:action \
                drain :parameters (?t - tank)))";
    read_domain(&Source::new("domain.pddl", text)).unwrap()
}

fn trace(name: &str, levels: [i64; 3]) -> Trace {
    let [one, two, three] = levels;
    let text = format!(
        "((:init (open a) (= (level a) {one})) (operator: (fill a)) (:state (open a) (= (level a) \
         {two}))
          (operator: (fill a)) (:state (open a) (= (level a) {three})) (operator: (close a)) \
         (:state (= (level a) {three})))"
    );
    Trace::inferred(Source::new(name, text))
}

fn traces() -> Vec<Trace> {
    vec![trace("one", [0, 2, 4]), trace("two", [5, 7, 9])]
}

/// Believes that what it saw once is always possible and changes nothing.
struct Credulous {
    domain: Arc<Domain>,
    seen: Vec<bool>,
}

impl Credulous {
    fn new(domain: &Domain) -> Self {
        Credulous { domain: Arc::new(domain.clone()), seen: vec![false; domain.actions.len()] }
    }
}

impl Learns for Credulous {
    fn observe(&mut self, trace: &Observed<'_>) -> Result<(), LearnError> {
        trace.trajectory.actions.iter().for_each(|action| self.seen[action.symbol.index()] = true);
        Ok(())
    }

    fn merge(&mut self, other: &dyn Learns) -> Result<(), LearnError> {
        let other = other
            .as_any()
            .downcast_ref::<Credulous>()
            .ok_or_else(|| LearnError::Other("another kind".into()))?;
        self.seen.iter_mut().zip(&other.seen).for_each(|(seen, also)| *seen |= also);
        Ok(())
    }

    fn conclude(&self) -> Result<Model, LearnError> {
        let body = |id: ActionId| match self.seen[id.index()] {
            false => Err("never seen".to_owned()),
            true => {
                let mut action = self.domain.action(id).clone();
                (action.precondition, action.effect) = (Condition::TRUE, Effect::NONE);
                Ok(action)
            }
        };
        let bodies: Vec<Result<Action, String>> = self.domain.action_ids().map(body).collect();
        Ok(Model::of_other(
            Arc::clone(&self.domain),
            "Credulous",
            "it believes what it saw once.",
            bodies,
        ))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn a_learner_of_ones_own_needs_nothing_but_the_seam() {
    let (domain, traces) = (domain(), traces());
    let model = learn_with(
        Box::new(Credulous::new(&domain)),
        &domain,
        Numbers::Exact,
        &traces.as_slice(),
        &Unwatched,
    )
    .unwrap();
    let text = model.to_pddl();
    assert!(text.contains("NOT SAFE: it believes what it saw once."), "{text}");
    assert!(text.contains("; Left out: drain (never seen)."), "{text}");
    assert!(text.contains("(:action fill") && !text.contains("(:action drain"), "{text}");
    assert!(
        model.certificate().is_none() && model.assumptions().is_none() && model.grounds().is_none()
    );
    assert!(!text.contains("can be executed in the real world"), "{text}");
    // Ids are those of the domain it was learned for, and what is missing can never be taken.
    let drain = domain.actions.find("drain").map(ActionId::from).unwrap();
    assert!(model.for_states().action(drain).is_left_out());
    assert_eq!(model.missing(drain), Some("never seen"));
}

#[test]
fn learners_of_different_kinds_do_not_merge() {
    let domain = domain();
    let ours = || (LEARNERS[0].start)(&domain, &Spec::default()).unwrap();
    assert!(ours().merge(&Credulous::new(&domain)).is_err());
    assert!(Credulous::new(&domain).merge(&*ours()).is_err());
    assert!(ours().merge(&*ours()).is_ok());
    let wider =
        (LEARNERS[0].start)(&domain, &Spec::default().with(|spec| spec.degree = 2)).unwrap();
    assert!(ours().merge(&*wider).is_err());
}

#[test]
fn ours_give_the_same_model_through_the_seam_and_through_the_workflow_merged_or_not() {
    let (domain, traces) = (domain(), traces());
    for algorithm in Algorithm::ALL {
        let spec = Spec::default().with(|spec| spec.algorithm = algorithm);
        let expected = learn(&domain, &spec, &traces).unwrap().to_pddl();
        let kind = LEARNERS.iter().find(|kind| kind.name == algorithm.name()).unwrap();
        assert!(
            kind.is_safe() && kind.check_dials(&spec.clone().with(|spec| spec.degree = 2)).is_ok()
        );
        let start = || (kind.start)(&domain, &Spec::default()).unwrap();
        let through =
            learn_with(start(), &domain, Numbers::Exact, &traces.as_slice(), &Unwatched).unwrap();
        assert_eq!(through.to_pddl(), expected);
        let start = Learner::of(&domain, &spec).unwrap();
        let settings = Settings::of_spec(&spec, &start).unwrap();
        let (policy, recording) = (Policy::default(), &traces.as_slice());
        let job = Job {
            start: &start,
            settings: &settings,
            recording,
            policy,
            digests: false,
            progress: &Unwatched,
        };
        assert_eq!(job.run().unwrap().to_pddl(), expected);
    }
}

#[test]
fn a_dial_that_a_learner_does_not_read_is_refused() {
    let kind = LearnerKind {
        name: "credulous",
        title: "Credulous",
        about: "what was seen once is always possible",
        algorithm: None,
        dials: &["arity"],
        start: |domain, _| Ok(Box::new(Credulous::new(domain))),
    };
    assert!(!kind.is_safe());
    assert!(
        kind.check_dials(&Spec::default().with(|spec| {
            spec.arity = Some(1);
            spec.decimals = Some(2);
        }))
        .is_ok()
    );
    let said =
        kind.check_dials(&Spec::default().with(|spec| spec.degree = 2)).unwrap_err().to_string();
    assert_eq!(said, "Credulous does not read degree: leave it out");
    let (domain, traces) = (domain(), traces());
    let start = (kind.start)(&domain, &Spec::default()).unwrap();
    let model = learn_with(start, &domain, Numbers::Exact, &traces.as_slice(), &Unwatched).unwrap();
    let summary = model.summary();
    assert_eq!(summary.actions.iter().map(|action| action.steps).collect::<Vec<_>>(), [4, 2, 0]);
    // What another learner does not have is not shown as a zero; what its model says is counted.
    let row = summary
        .to_string()
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .map(str::to_owned)
        .collect::<Vec<_>>();
    assert_eq!(row, ["fill", "4", "-", "-", "-", "0", "0", "0", "0", "learned"]);
}

#[test]
fn a_table_of_learners_has_each_name_once() {
    let mut names: Vec<&str> = LEARNERS.iter().map(|kind| kind.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), LEARNERS.len());
}
