//! Small worlds of our own.

mod concluding;
mod example;
mod learner;
mod searching;
mod typing;
