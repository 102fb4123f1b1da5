//! PDDL text in and out: readers from text to [`model`](crate::model) values, and writers back.
//!
//! *In*: a [`Source`], which is a text with its name. *Out*: domains, problems, plans and
//! trajectories as values, or a [`ReadError`] that points into the text. Strings stop here.
//!
//! ```text
//! Source ─▶ sexpr (nested lists) ─▶ domain, problem ─▶ Domain, Problem
//!                                ─▶ plan            ─▶ Plan
//!                                ─▶ trajectory      ─▶ Transition, one at a time
//! values ─▶ write ─▶ text
//! ```
//!
//! *The invariants*: what is written reads back to the same value. No input makes a reader panic,
//! and nesting that is too deep is refused. Numbers are exact; [`Numbers`] says what becomes of a
//! decimal. Nothing is skipped silently: whatever a reader ignores is a [`Warning`]. Control
//! characters in the text are made visible before it is printed ([`visible()`]).
//!
//! *Where to begin*: `domain`, then `formula` (conditions and effects) and `syntax` (what readers
//! share). `diagnostic` has messages and places. `trajectory` is written for speed: it looks facts
//! up by their text. `infer` finds the objects of a trajectory without a problem, `counted` the
//! functions that may start at 0.

mod counted;
mod diagnostic;
mod domain;
mod formula;
mod ground;
mod infer;
mod number;
mod plan;
mod problem;
pub mod sexpr;
mod source;
mod syntax;
mod trajectory;
mod visible;
mod write;

pub use diagnostic::{Diagnostic, ReadError, SourcePlace, Warning, nearest};
pub use domain::{read_condition, read_domain, read_expression};
pub use infer::{infer_objects, with_chosen_numbers};
pub use number::{NumberError, Numbers};
pub use plan::{Plan, PlanStep, read_plan};
pub use problem::{read_problem, read_published_problem};
pub use source::{Position, Source, Span};
pub use trajectory::{Trajectory, TrajectoryEntry, TrajectoryReader, Transition, assumed_by};
pub use visible::{is_visible, visible, visible_lines};
pub use write::{
    Operands, UNKNOWN_AT_START, Writer, write_action, write_assumed, write_domain,
    write_domain_with, write_plan, write_problem, write_problem_with, write_trajectory,
};
