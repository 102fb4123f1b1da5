//! The repairs of PlanMiner: faults of its authors' program that a user can have corrected.
//! PlanMiner promises nothing, with or without them.

use serde::{Deserialize, Serialize};

/// A repair of PlanMiner. None is made where it is to be compared with what was published.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// An action without parameters is written.
    ZeroArity,
    /// The clock is no column.
    NoClock,
    /// Every search ends, and the run is not killed but by a time limit.
    Bounded,
    /// Expressions for changes read the state before the step.
    PreOperands,
    /// A number is compared with its own change, too.
    OwnChange,
    /// A fact that never varies is a precondition.
    StaticFacts,
}

impl Repair {
    /// All repairs, in the order in which messages list them.
    pub const ALL: [Repair; 6] = [
        Repair::ZeroArity,
        Repair::NoClock,
        Repair::Bounded,
        Repair::PreOperands,
        Repair::OwnChange,
        Repair::StaticFacts,
    ];

    /// Its name on the command line and in configurations.
    pub const fn name(self) -> &'static str {
        match self {
            Repair::ZeroArity => "zero-arity",
            Repair::NoClock => "no-clock",
            Repair::Bounded => "bounded",
            Repair::PreOperands => "pre-operands",
            Repair::OwnChange => "own-change",
            Repair::StaticFacts => "static-facts",
        }
    }

    /// What it does, for help.
    pub const fn about(self) -> &'static str {
        match self {
            Repair::ZeroArity => "An action without parameters is written; the original crashes",
            Repair::NoClock => {
                "The index of a state is no column: no file is broken by an assignment to it"
            }
            Repair::Bounded => {
                "Every search ends by itself, a table without rules is no crash, and only \
                 the time limit ends the run"
            }
            Repair::PreOperands => {
                "The expression for a change reads the state before the step, as PDDL does; the \
                 original reads the one after"
            }
            Repair::OwnChange => {
                "A number is compared with its own change, too, and changes with their sizes"
            }
            Repair::StaticFacts => {
                "A fact with one value in all states is a precondition, and never an effect"
            }
        }
    }
}
