//! Exact arithmetic and convex geometry: numbers and linear algebra without rounding.
//!
//! *In*: rational numbers, points, rays, linear conditions. *Out*: convex hulls with their facets,
//! answers to "is this point inside?", and solutions of linear programs. Nothing here depends on
//! planning.
//!
//! ```text
//! Rational ─▶ Row (coprime integers) ─▶ Echelon (subspaces, equations)
//!                  │
//!                  ├─▶ hull, inner ─▶ Polyhedron ─▶ Tester      many points, one region
//!                  ├─▶ Membership                               one point, no facets
//!                  └─▶ Program                                  optima of linear functions
//! ```
//!
//! *The invariants*: a value has one representation, so equality is structural and the same set
//! gives the same bytes, whatever the order of its points. Doubles may guess; integers decide. A
//! membership and an optimum come with a proof that is checked before it is returned. If a budget
//! is exceeded, the result says so ([`OverBudget`]), or is a part of the set ([`inner`]).
//!
//! *Where to begin*: `rational` and `row` for numbers, `polyhedron` for sets. `hull` computes
//! facets, with `cone` (Quickhull), `frame` (integer coordinates) and `integer` (determinants).
//! `tester` has the one analysis of rounding errors. `membership` and `program` are two simplex
//! methods; `basis`, `member` and `simplex` are their parts. `digits` rounds to few digits, in a
//! direction.

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
pub use membership::{Membership, PointPosition, vertices};
pub use polyhedron::{Facet, GeneratorSubset, Generators, Polyhedron};
pub use program::{Multipliers, Optimum, Program};
pub use rational::Rational;
pub use row::Row;
pub use tester::{Coordinates, Doubles, Point, SignTest, Tester, TesterMemory, error_bound};
