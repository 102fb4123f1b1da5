//! PDDL text in and out: readers from text to [`model`](crate::model) values, and writers back.
//! Strings stop here.
//!
//! text → [`sexpr`] → domain, problem, plan, trajectory. Errors point into the text
//! ([`Diagnostic`]).

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

pub use diagnostic::{Diagnostic, Place, ReadError, Warning, nearest};
pub use domain::{read_domain, read_expression};
pub use infer::infer_objects;
pub use number::{NumberError, Numbers};
pub use plan::{Plan, PlanStep, read_plan};
pub use problem::{read_problem, read_published_problem};
pub use source::{Position, Source, Span};
pub use trajectory::{Entry, Trajectory, TrajectoryReader, Transition, assumed_by};
pub use visible::{is_visible, visible, visible_lines};
pub use write::{
    Operands, Writer, write_action, write_assumed, write_domain, write_domain_with, write_plan,
    write_problem, write_problem_with, write_trajectory,
};
