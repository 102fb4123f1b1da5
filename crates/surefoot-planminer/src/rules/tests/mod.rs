//! Laws of the rule learner, judged by naive versions of its definitions.

mod example;
mod judging;
mod learning;
mod merging;
mod naive;
mod random;
