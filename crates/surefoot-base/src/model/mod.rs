//! What a planning task means: its values, and the one definition of *applicable* and *successor*.
//!
//! *In*: names, from readers of PDDL or from a learner. *Out*: domains, problems and states with
//! ids instead of names, and answers about them: is this action applicable here, what does it
//! change, which actions are applicable? Nothing here depends on text or on learning.
//!
//! ```text
//! signature (types, predicates, functions, objects)
//!     └─▶ expression (conditions, effects) ─▶ action (Action, Domain, Problem)
//!                                                │
//! state (State, Universe, Step) ─────────────────┴─▶ semantics ─▶ applicable? successor?
//!                                                    compiled     the same, fast
//! ```
//!
//! *The invariants*: [`semantics`] is the only definition of "applicable"; [`compiled`] gives the
//! same answers. Undefined and unknown values are never taken for zero or false. A learned region
//! is one condition ([`Region`]), however many facets it has.
//!
//! *Where to begin*: `action` and `state` for the values, `semantics` for their meaning. `region`
//! has polyhedra as conditions, `linear` and `polynomial` the normal forms of numeric expressions,
//! `readable` conditions as people write them. `enabled` finds all applicable actions of a state.
//! `errors` names the functions that bound the errors of others, `inputs` the parameters that are
//! numbers.

mod action;
pub mod compiled;
mod enabled;
mod errors;
mod expression;
mod ids;
mod inputs;
mod linear;
mod polynomial;
mod readable;
mod region;
mod satisfiable;
pub mod semantics;
mod signature;
mod state;
mod weight;

pub use action::{Action, Direction, Domain, Metric, Problem};
pub use enabled::applicable_actions;
pub use errors::{ErrorFunctions, NameTaken};
pub use expression::{
    Comparison, Condition, Effect, Expression, Lifted, LiftedAtom, LiftedFunction, NumericEffect,
    NumericOperator, Term, Variable,
};
pub use ids::{ActionId, AtomId, FunctionId, ObjectId, PredicateId, TypeId, ValueId};
pub use inputs::{CHOSEN_NUMBER, Inputs};
pub use polynomial::Polynomial;
pub use readable::{linear_condition, scaled, sum};
pub use region::{Gathered, Region};
pub use satisfiable::Unsatisfiable;
pub use signature::{Names, Object, Objects, Signature, Symbol, TypeSet, Types};
pub use state::{
    Arguments, Attempt, Event, Ground, GroundAction, GroundAtom, GroundFunction, State, Step,
    Universe,
};
