//! Verifies a learned model against the recorded steps, without trusting whoever learned it
//! (docs/theory.md, "Certificates").
//!
//! *In*: a model, its certificate, the domain without bodies, and the recorded trajectories. *Out*:
//! accepted, or the obligations that are not met, by action.
//!
//! The code is plain on purpose. It shares with the learner the numbers, the readers, the
//! semantics, the [assumptions](surefoot_base::assumptions) and the
//! [format](surefoot_base::certificate) of certificates. It shares no code that finds models. It
//! verifies what the certificate lists, and searches for nothing.
//!
//! *Where to begin*: [`ModelChecker`] below, then the file that an obligation names.
//!
//! The promise: for every real model of the class that the assumptions describe, if it explains all
//! recorded steps, then whatever the learned model allows is really applicable, and has the same
//! outcome. A model is accepted if each of these obligations is met.
//!
//! 0. *The same world.* The certificate names this model, this vocabulary and these trajectories,
//!    all of them and no others. Steps that it sets aside as recording errors are there, and are
//!    left out; everything else is read. The assumptions at the top of each trajectory are among
//!    those of the certificate, and the header of the model states all of these and no others, in
//!    sentences and in its stamp.
//! 1. *Reproduction.* Every step satisfies the conditions, and the effects alone turn its state
//!    before into its state after, by [`surefoot_base::model::semantics`]. (Steps may lie outside
//!    the numeric region if the certificate says that the region is only a part of what is safe, or
//!    that numbers were rounded: then the model allows less. Even then, steps satisfy all other
//!    conditions, except that a step outside a part need not satisfy guards: the model refuses it
//!    anyway, and no other obligation concludes anything from the conditions that steps satisfy.)
//! 2. *Literals.* A literal of L(α), or an (in)equality of terms, that no step refutes may be a
//!    real condition, so it is a condition of the model. (Under the assumption "no negative atoms",
//!    negated atoms may not. Chosen numbers are compared by their values alone, `inputs.rs`.) Every
//!    Boolean condition of the real action then follows from the model's.
//! 3. *Boolean effects.* Take every way to bind terms to equal or different objects that the
//!    conditions allow, each ground atom, and each truth value that the atom may have before. If
//!    the real action left the atom with another truth value than the model does, this would
//!    contradict the steps (`propagate.rs`).
//! 4. *Region.* A real numeric condition is convex. It holds for all observed vectors, and along
//!    the rays of the monotonicity assumptions (`rays.rs`), so it holds in `conv(P) + cone(R)`.
//!    Under an arity k it mentions at most k functions, so it holds wherever the shadow on their
//!    columns is in the shadow of that set. For each shadow that the assumptions require, the
//!    certificate lists one that covers it. The facets of the listed shadow follow from the model's
//!    inequalities. They are all of the boundary of the points and rays that they are made of
//!    (`boundary.rs`), and the model's equations keep to the span of these. So the region lies in
//!    what is safe. If no assumption leaves a column unbounded in both directions, the column is
//!    bounded there, so the model reads it, and real conditions read nothing that has no value.
//! 5. *Numeric effects.* Under every binding that the conditions allow, the equations of the
//!    precondition and what is left of its guards confine the state to where the steps determine
//!    the new value of each function (`effects.rs`). A function without a value before some step is
//!    never read, and at most assigned; a function without a value before and after it is not even
//!    assigned.
//! 6. *Evidence.* An action of the model was observed; for N-SAM, often enough.
//! 7. *Failures.* The model allows no attempt that failed, and every failure that the certificate
//!    lists was recorded. If a step is read as a failed attempt because it changed nothing (an
//!    assumption), it did change nothing, and the model would have changed something
//!    (`failures.rs`). Under this assumption, every other step that changed nothing is left out,
//!    because nobody knows whether it worked.
//! 8. *Errors.* If recorded values may have errors, the model computes with error functions. Its
//!    statements about estimates are turned into statements about true states, and all obligations
//!    above apply to these (`margin.rs`). The facets of the recorded vectors follow with a margin
//!    for the errors of records. Effects are within proved bounds of the true ones (`inexact.rs`),
//!    or equal to them (`settled.rs`). Errors grow by no less than these bounds, and functions
//!    without an error function cannot have errors. Functions that an action cannot reach differ by
//!    at most two errors before and after a step. The recorded state of a failed attempt is an
//!    estimate, too: it has the errors of records, and a listed failure has margins for them
//!    (`failures.rs`).
//!
//! Obligations 2 and 4 make the real precondition hold. Obligations 3 and 5 make the real effects
//! possible, and their outcome the same. Obligations 0 and 1 say that the others are about these
//! steps, this model and these assumptions.
//!
//! 9. *Parts.* Where actions behave in several ways, each in one part of the states, the parts are
//!    disjoint, each action of the model is made of actions for its parts and nothing else, each
//!    step is one of the part that its state is in, and all of the above is asked of the action for
//!    each part (`parts.rs`). Of parts that were found in the records, the steps are counted again,
//!    and every bound is at a recorded step. How many steps were predicted while they were held out
//!    is the learner's word: nobody can tell without learning anew.
//!
//! All work is bounded: whatever would take too long to verify is rejected, with
//! [`Obligation::Unverifiable`].

#![forbid(unsafe_code)]

mod agreed;
mod bindings;
mod boolean;
mod boundary;
mod checker;
mod conclude;
mod effects;
mod errors;
mod evidence;
mod failures;
mod guards;
mod implied;
mod inexact;
mod inputs;
mod linear;
mod margin;
mod numeric;
mod observe;
mod parts;
mod propagate;
mod rays;
mod records;
mod region;
mod settled;
mod spoiled;
mod vocabulary;
mod words;

use std::fmt;

pub use agreed::{excess, stamp_differences};
pub use checker::ModelChecker;

/// Why a model is not accepted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RejectionReason {
    /// The action, where it is about one.
    pub action: Option<String>,
    /// Which obligation is not met.
    pub kind: Obligation,
    /// The reason, as a sentence.
    pub what: String,
}

/// Which obligation is not met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Obligation {
    /// The domain or the model has another vocabulary.
    Vocabulary,
    /// The trajectories are others.
    Traces,
    /// Something is assumed that the certificate, or the head of the model, does not state.
    Assumption,
    /// The certificate is of another model, or contradicts itself or the steps.
    Certificate,
    /// There are too few observations.
    Evidence,
    /// A step contradicts a condition.
    Condition,
    /// A literal that may be a precondition is missing.
    Literal,
    /// An equation is missing.
    Equation,
    /// A facet is missing, or an inequality is none.
    Facet,
    /// An effect does not reproduce the steps, or is not determined by them.
    Effect,
    /// A failed attempt is allowed, or one is listed that was not recorded.
    Failure,
    /// Something is in the model that cannot be verified.
    Unverifiable,
}

impl fmt::Display for RejectionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Some(action) => write!(f, "{action}: {}", self.what),
            None => f.write_str(&self.what),
        }
    }
}
