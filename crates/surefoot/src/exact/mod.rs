//! Exact arithmetic: numbers and linear algebra without rounding. Knows nothing of planning.

mod rational;

pub use rational::Rational;
