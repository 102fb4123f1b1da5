//! The built-in domains and the published data. The latter is compared where it is at hand:
//! `SUREFOOT_CORPUS=<folder> cargo test --release -p surefoot --test corpus -- --ignored
//! --nocapture`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod domains;
mod ipc2023;
mod learning;
mod published;
