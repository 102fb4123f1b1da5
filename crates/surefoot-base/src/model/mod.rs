//! What a planning task means: ids, signatures, expressions, actions, states, and the one
//! definition of "applicable" and "successor" ([`semantics`]). Knows nothing of text and nothing of
//! learning.

mod action;
pub mod compiled;
mod enabled;
mod errors;
mod expression;
mod ids;
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
pub use polynomial::Polynomial;
pub use readable::{linear_condition, scaled, sum};
pub use region::{Gathered, Region};
pub use satisfiable::Unsatisfiable;
pub use signature::{Names, Object, Objects, Signature, Symbol, TypeSet, Types};
pub use state::{
    Arguments, Attempt, Event, Ground, GroundAction, GroundAtom, GroundFunction, State, Step,
    Universe,
};
