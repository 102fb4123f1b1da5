//! Numbers that are known within an error: conditions that hold for *every* true state within the
//! errors.
//!
//! A planner that works with measured numbers knows an *estimate* of each function, not its true
//! value. The distance between the two has a bound. This bound is a number like any other, so it is
//! a function like any other: `(error-of-level ?t)` bounds the error of `(level ?t)`. A function
//! that has such an error function is *blurred*; all others are exact.
//!
//! A true state *fits* an estimate when it has the same atoms, the same functions have values,
//! exact functions have the same ones, and each blurred one is within its error. A condition over
//! estimates and errors is *robust* for another when it implies that the other holds in every true
//! state that fits. For a linear comparison the answer is a margin: `a · x ≤ b` holds for all `x`
//! within `E` of `x̂` exactly if
//!
//! > `a · x̂ + Σ |aᵢ| Eᵢ ≤ b`,
//!
//! since the worst of them moves every function by its whole error in the direction of `a`. That is
//! linear again, so any numeric planner reads it.
//!
//! - [`ErrorFunctions`] finds and declares the error functions of a domain;
//! - [`robust`] gives a condition its margins;
//! - [`adapt`] gives a problem its initial errors, and its goal margins; [`Gap`] says what a
//!   problem lacks;
//! - [`for_records`] gives margins for recorded states: there each error is a number, the bound on
//!   the distance between record and truth; [`Promised`] bounds the errors of the successors of
//!   such states.

mod dynamics;
mod given;
mod normal;
mod problem;
mod promised;
mod records;
mod robust;

pub use crate::model::{ErrorFunctions, NameTaken};
pub use given::{Gap, errors_by_function};
pub use problem::{Adapted, NotAdapted, adapt};
pub use promised::Promised;
pub use records::for_records;
pub use robust::{NoMarginCause, NotRobust, robust};
