//! Learns safe PDDL action models from recorded executions: a plan made with a learned model works
//! in the real world, provided that the model's assumptions hold.
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
//!      a Spec: all assumptions
//!              ▼
//!            a Model        learn     conditions and effects, what is missing and why, and a certificate
//!              │
//!    ┌─────────┼──────────┬─────────────┐
//!    ▼         ▼          ▼             ▼
//!  PDDL      plan       explain       check
//!  text      a plan     a refusal     accepted, or why not; shares no reasoning with learn
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
//! The converse is not promised: a step that *M* refuses may well be possible. (SAM models only
//! atoms, and the promise is about atoms.) Arithmetic is exact throughout. `docs/theory.md` has the
//! proofs. The method is that of Mordoch, Shperberg, Stern and Juba, *Learning Safe
//! Numeric Planning Action Models* ([arXiv 2312.10705](https://arxiv.org/abs/2312.10705)).
//!
//! # From traces to a checked model
//!
//! This is `tests/learn_a_model.rs`:
//!
//! ```
#![doc = include_str!("../tests/learn_a_model.rs")]
//! ```
//!
//! # Where to go on
//!
//! | to | see |
//! |---|---|
//! | read and write PDDL | [`pddl`] |
//! | ask what an action does in a state | [`model::semantics`] |
//! | learn from files, logs or a stream, and decide about bad data | [`learn::Job`], [`learn::Recording`] |
//! | learn from steps one by one | [`Learner::read`], [`learn::Observer`] |
//! | learn in several places and merge the results, or go on later | [`Learner::merge`], [`learn::save`], [`learn::load`] |
//! | assume more, and learn more | [`Spec`] |
//! | compare with a learner of your own | [`learn::Learns`], [`learn::LEARNERS`] |
//! | find the steps to blame when no model explains all steps | [`learn::outliers`] |
//! | know why an action is refused and what would admit it | [`mod@explain`] |
//! | make plans, and judge them | [`mod@plan`], [`mod@validate`] |
//! | know whether a domain's names fit what was recorded | [`mod@lint`] |
//! | verify a model without trusting whoever learned it | [`mod@check`], [`Certificate`] |
//! | know what traces are worth, without the real domain | [`mod@assess`] |
//! | keep a model with all that it is, in one file | [`saved`] |
//! | compare a model with the real domain | [`evaluate`] |
//! | compute with exact convex hulls | [`exact`] |
#![forbid(unsafe_code)]
#![allow(
    clippy::test_attr_in_doctest,
    reason = "the test of the example calls its `main`, and so does its documentation"
)]

pub mod assess;
pub mod evaluate;
pub mod explain;
pub mod inspect;

pub mod lint;
pub mod saved;

pub use surefoot_base::{
    advice, assumptions, certificate, dial, exact, ids, invariant, margins, model, pddl, random,
    stamp, validate,
};
pub use surefoot_check as check;
pub use surefoot_learn as learn;
pub use surefoot_plan as plan;

pub use assumptions::Spec;
pub use certificate::Certificate;
pub use check::ModelChecker;
pub use exact::Rational;
pub use learn::{Class, Conclusion, Learner, Model, Settings, learn};
pub use model::semantics::Semantics;
pub use model::{Domain, Problem, State, Universe};
pub use pddl::{Numbers, Source, read_domain, read_problem, write_domain};
