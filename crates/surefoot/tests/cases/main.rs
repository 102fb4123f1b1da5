//! Cases: small inputs written by hand, and what must come of each.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

// What several of them share.
mod handmade;
#[path = "../support.rs"]
mod support;

mod advice;
mod bad_input;
mod certificates;
mod check_laws;
mod evaluate_assumptions;
mod evaluate_examples;
mod evaluate_log;
mod examples;
mod found_parts;
mod good_input;
mod inexact_certificates;
#[path = "../learn_a_model.rs"]
mod learn_a_model;
mod learners;
mod parts;
mod plan;
mod published_input;
mod rooms;
mod running_example;
mod saved;
mod trajectory_reading;
