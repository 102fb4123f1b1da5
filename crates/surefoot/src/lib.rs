//! Learns PDDL action models from recorded executions, safely: a plan made with a learned model
//! works in the real world, provided that the assumptions in the model's header hold.
//!
//! ```
//! use surefoot::{Source, Spec, Trace, learn, read_domain};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let domain = "(define (domain lamps) (:types lamp) (:predicates (on ?l - lamp))
//!     (:functions (power)) (:action light :parameters (?l - lamp)))";
//! let record = "((:init (= (power) 3)) (operator: (light l1)) (:state (on l1) (= (power) 2))
//!     (operator: (light l2)) (:state (on l1) (on l2) (= (power) 1)))";
//! let domain = read_domain(&Source::new("domain.pddl", domain))?;
//! let trace = Trace::inferred(Source::new("monday.trajectory", record));
//! let model = learn(&domain, &Spec::default(), &[trace])?;
//! assert!(model.to_pddl().contains("(decrease (power) 1)"));
//! # Ok(())
//! # }
//! ```
//!
//! # The promise
//!
//! Let *T* be the recorded steps, and *C* the class of domains that the assumptions describe
//! ([`assumptions::Assumptions::in_words`] lists them all). For every domain *D* in *C* that
//! explains *T*, every state *s* and every ground action *a*, the learned model *M* satisfies
//!
//! > *M* allows *a* in *s*  ⟹  *D* allows *a* in *s*, and *M*(*s*, *a*) = *D*(*s*, *a*).
//!
//! So every plan of *M* is a plan of the real domain, if that is in *C* and *T* was recorded in it.
//! Nothing is promised the other way round: what *M* refuses may well be possible. (SAM models
//! atoms alone, and promises it of atoms.) Arithmetic is exact throughout. Why it is true is in
//! `docs/theory.md`. The method is that of Mordoch, Shperberg, Stern and Juba, *Learning Safe
//! Numeric Planning Action Models* ([arXiv 2312.10705](https://arxiv.org/abs/2312.10705)).
//!
//! # What is where
//!
//! ```text
//!            text           pddl      domain without bodies, traces, problems, plans
//!              │
//!              ▼
//!            values         model     states, actions, and what "applicable" and "successor" mean
//!              │
//!   step by step, mergeable
//!              ▼
//!           evidence        learn     what the records show of each action: a Learner
//!              │
//!      a Spec: all that is assumed
//!              ▼
//!            a Model        learn     conditions, effects, reasons, and a certificate
//!              │
//!    ┌─────────┼──────────┬─────────────┐
//!    ▼         ▼          ▼             ▼
//!  PDDL      plan       explain       check
//!  text      a plan     a refusal     accepted, or why not; shares no reasoning with learn
//! ```
//!
//! | to | see |
//! |---|---|
//! | read and write PDDL | [`pddl`] |
//! | ask what an action does in a state | [`model::Semantics`] |
//! | learn from files, logs or a stream | [`learn::Job`], [`learn::Recording`] |
//! | choose what happens to bad data | [`learn::Job`] |
//! | learn from steps one by one | [`Learner::read`], [`learn::Observer`] |
//! | learn in several places and merge | [`Learner::merge`] |
//! | stop learning, and go on later | [`learn::save`], [`learn::load`] |
//! | assume more, and learn more | [`Spec`] |
//! | compare with a learner of your own | [`learn::Learns`], [`learn::LEARNERS`] |
//! | find the steps to blame when no model explains the records | [`learn::outliers`] |
//! | save a model as one file, and load it | [`saved`] |
//! | know why an action is refused and what would admit it | [`mod@explain`] |
//! | make plans, and judge them | [`mod@plan`], [`mod@validate`] |
//! | know whether a domain's names fit the records | [`mod@lint`] |
//! | verify a model without trusting whoever learned it | [`mod@check`], [`Certificate`] |
//! | know how much traces are worth, without the real domain | [`mod@assess`] |
//! | compare a model with new records | [`evaluate`] |
//!
//! This crate is the front door: its items are meant for programs of others, and only they keep
//! their form between minor versions. The crates behind it (`surefoot-base`, `surefoot-learn`,
//! `surefoot-check`, `surefoot-plan`, `surefoot-analysis`) have more, for those who build on the
//! project itself.
//!
//! # The whole way
//!
//! Traces in, a model out; a plan made, a refusal explained, the certificate checked. This is
//! `tests/learn_a_model.rs`:
//!
//! ```
#![doc = include_str!("../tests/learn_a_model.rs")]
//! ```
#![forbid(unsafe_code)]
#![allow(
    clippy::test_attr_in_doctest,
    reason = "the test of the example calls its `main`, and so does its documentation"
)]

/// Exact numbers and convex regions.
pub mod exact {
    pub use surefoot_base::exact::{Constraint, Polyhedron, Rational};
}

/// Domains, states and actions, and the one definition of *applicable* and *successor*.
pub mod model {
    pub use surefoot_base::model::semantics::{Inapplicable, Semantics, StepChanges, Violation};
    pub use surefoot_base::model::{
        Action, ActionId, Attempt, Condition, Domain, Effect, Event, Expression, Ground,
        GroundAction, GroundAtom, GroundFunction, Objects, Problem, Signature, State, Step,
        Universe,
    };
}

/// PDDL as text: what is read, what is written, and errors with their place.
pub mod pddl {
    pub use surefoot_base::pddl::{
        Diagnostic, Numbers, Operands, Plan, PlanStep, ReadError, Source, TrajectoryReader, Writer,
        infer_objects, read_domain, read_plan, read_problem, write_domain, write_plan,
        write_problem, write_trajectory,
    };
}

/// All that may be assumed, each assumption as a sentence.
pub mod assumptions {
    pub use surefoot_base::assumptions::{
        Algorithm, Assumptions, ErrorBound, Misfit, Monotone, Spec, Unchanged,
    };
}

/// What a model rests on, as a file that anyone can check.
pub mod certificate {
    pub use surefoot_base::certificate::{Certificate, CertificateError};
}

/// Problems for models of inexact records: initial errors, and goals with margins.
pub mod margins {
    pub use surefoot_base::margins::{Adapted, NotAdapted, adapt};
}

/// Runs plans, with a verdict.
pub mod validate {
    pub use surefoot_base::validate::{FailedStep, PlanVerdict, ValidPlan, trace, validate};
}

/// Learns models from recorded executions.
pub mod learn {
    pub use surefoot_learn::{
        ActionSummary, Answer, Answers, BadData, Class, Conclusion, CutNote, Diagnosis, Grounds,
        Job, LEARNERS, LearnError, LearnedAction, Learner, LearnerKind, Learns, LeftOut, Lens,
        Model, NoTraces, Observation, Observed, Observer, OnBadData, Policy, Progress, Provenance,
        Recorded, Recording, Remembered, SetAsideLimit, Settings, SettingsError, SnapshotError,
        StepId, Summary, Trace, Unwatched, Visit, learn, learn_with, load, outliers, save,
    };
}

/// A model in one file, with its certificate and its evidence.
pub mod saved {
    pub use surefoot_analysis::saved::{SavedError, SavedModel, SavedParts, to_bytes};
}

/// Verifies a model and its certificate against the records, with code of its own.
pub mod check {
    pub use surefoot_check::{ModelChecker, Obligation, RejectionReason};
}

/// Finds plans, with the built-in planner.
pub mod plan {
    pub use surefoot_plan::{
        Blocked, NearestMiss, SearchEffort, SearchLimits, SearchOptions, SearchOutcome,
        SearchProgress, SearchReport, blocked, plan,
    };
}

/// Explains why a model allows or refuses a step.
pub mod explain {
    pub use surefoot_analysis::explain::{Asked, Explanation, Nearest, Question, Reason, nearest};
}

/// Estimates what a model will allow of traces that it was not learned from.
pub mod assess {
    pub use surefoot_analysis::assess::{
        ActionAssessment, Assessment, Estimate, Outlook, assess, learn_with_outlook,
    };
}

/// Compares a model with records that it was not learned from.
pub mod evaluate {
    pub use surefoot_analysis::evaluate::{ActionLogScore, LogScore, score};
}

/// Finds the parts of actions that no single model explains.
pub mod found {
    pub use surefoot_analysis::found::{FoundCuts, find_parts, with_proposed_parts};
}

/// Says whether the names of a domain fit the records.
pub mod lint {
    pub use surefoot_analysis::lint::{Finding, lint};
}

pub use assumptions::Spec;
pub use certificate::Certificate;
pub use check::ModelChecker;
pub use exact::Rational;
pub use learn::{Class, Learner, Model, Settings, Trace, learn};
pub use model::{Domain, Problem, Semantics, State, Universe};
pub use pddl::{Numbers, Source, read_domain, read_problem, write_domain};
