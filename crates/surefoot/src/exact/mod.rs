//! Exact arithmetic: numbers and linear algebra without rounding. Knows nothing of planning.

mod echelon;
mod integer;
mod rational;
mod row;

pub use echelon::Echelon;
pub use rational::Rational;
pub use row::Row;
