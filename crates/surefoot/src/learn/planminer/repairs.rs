//! Switches that mend what the original gets wrong. None is on where it is to be compared with what was published.

/// Which repairs are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Repairs {
    /// An action without parameters is written; the original crashes.
    pub(super) zero_arity: bool,
    /// The clock is no column.
    pub(super) no_clock: bool,
    /// The rule learner's last step ends after some repeats, and a table without rules is no crash.
    pub(super) bounded: bool,
    /// Expressions for changes read the state before the step.
    pub(super) pre_operands: bool,
    /// A number is compared with its own change too, and changes with their sizes.
    pub(super) own_change: bool,
    /// A fact that never varies is a precondition.
    pub(super) static_facts: bool,
}
