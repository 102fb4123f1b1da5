//! What to do with a learned model besides planning: ask why it refuses a step, estimate what it
//! will allow, compare it with records or with the real domain, save it. And what to assume where
//! records refute the class: the parts of actions.
//!
//! *In*: records, and a model of `surefoot-learn` or a domain. *Out*: values, which front ends
//! print.
//!
//! ```text
//! explain     why is this step refused, and what would admit it?
//! assess      what will the model do with traces that it was not learned from?
//! evaluate    how good is the model, compared with the real domain or with new records?
//! lint        do the domain's types, predicates and parameters fit the records?
//! inspect     how large is a domain?
//! found       which parts of actions explain records that no single model explains?
//! saved       a model in one file, with its certificate and its evidence
//! bound       the bounds that assess and evaluate state
//! ```
//!
//! *The invariant*: nothing here changes what a spec and records make a model allow; `found` only
//! chooses a spec. *Where to begin*: the head of each room. `surefoot` re-exports what programs of
//! others need.
#![forbid(unsafe_code)]

pub mod assess;
mod bound;
pub mod evaluate;
pub mod explain;
pub mod found;
pub mod inspect;
pub mod lint;
pub mod saved;
