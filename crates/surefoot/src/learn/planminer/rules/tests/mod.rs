//! Laws of the rule learner, judged by naive versions of its definitions.

mod example;
