//! Exact arithmetic: numbers and linear algebra without rounding. Knows nothing of planning.

mod basis;
mod cone;
mod constraint;
mod digits;
mod echelon;
mod frame;
mod hull;
mod integer;
mod member;
mod membership;
mod polyhedron;
mod program;
mod rational;
mod row;
mod simplex;
mod tester;

pub use constraint::Constraint;
pub use digits::Rounding;
pub use echelon::Echelon;
pub use hull::{Budget, Inner, OverBudget, hull, inner};
pub use membership::{Membership, Position, vertices};
pub use polyhedron::{Facet, Generators, Polyhedron, Span};
pub use program::{Multipliers, Optimum, Program};
pub use rational::Rational;
pub use row::Row;
pub use tester::{Coordinates, Doubles, Memory, Point, SignTest, Tester, error_bound};
