//! What became of an action: it is learned, left out for want of evidence, or nothing of the class
//! explains its records.

use std::fmt;
use std::sync::Arc;

use surefoot_base::advice::Text;
use surefoot_base::model::{Action, Condition, Region, Unsatisfiable};

use super::literals::{BooleanModel, Contradiction};
use super::numeric::NumericModel;
use crate::evidence::{LiftedAtomId, LiftedFunctionId, Thin, Vocabulary};

/// What became of one action.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// The action is learned.
    Learned(Box<LearnedAction>),
    /// There is too little evidence for it.
    LeftOut(LeftOut),
    /// No model of the class explains the observations.
    Inconsistent(Inconsistency),
}

impl From<Inconsistency> for Conclusion {
    fn from(why: Inconsistency) -> Self {
        Conclusion::Inconsistent(why)
    }
}

impl fmt::Display for Conclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conclusion::Learned(_) => f.write_str("learned"),
            Conclusion::Inconsistent(_) => f.write_str("no model of the class explains its steps"),
            Conclusion::LeftOut(why) => why.fmt(f),
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LeftOut::NeverObserved => f.write_str("never observed"),
            LeftOut::NothingLeft => {
                f.write_str("in none of the records that surefoot learned from")
            }
            LeftOut::TooFewVectors { distinct, needed } => {
                write!(f, "{distinct} distinct vectors; N-SAM needs {needed}")
            }
            LeftOut::TooFewIndependent { independent, needed } => {
                write!(
                    f,
                    "{independent} affinely independent vectors; N-SAM's Algorithm 1 needs \
                     {needed}"
                )
            }
            // Which of them are to blame, and how many, depends on what was read together.
            LeftOut::Skipped { .. } => f.write_str("no model of the class explains its steps"),
            LeftOut::NeverComplete => {
                f.write_str("every recorded step lacks the value of some function of this action")
            }
            LeftOut::OutcomeUnknown(Unknown::Atom(_)) => {
                f.write_str("no recorded step shows whether one of its facts is true afterwards")
            }
            LeftOut::OutcomeUnknown(Unknown::Function(_)) => {
                f.write_str("no recorded step shows the value of one of its functions afterwards")
            }
            LeftOut::NeverApart => f.write_str(
                "no recorded step has values for all numbers of this action with its functions \
                 referring to different objects",
            ),
            LeftOut::Unlisted(_) => f.write_str(
                "it changes a function that its list of relevant functions does not name",
            ),
            LeftOut::UnlistedElsewhere(_) => f.write_str(
                "outside this part it changes a function that its list of relevant functions does \
                 not name",
            ),
            LeftOut::Thin(_) => {
                f.write_str("its recorded values span less than the recording errors")
            }
            LeftOut::Blurred => f.write_str("its effects multiply numbers that are not exact"),
            LeftOut::NeverApplicable(Unsatisfiable::Atom(_)) => f.write_str(
                "its precondition would require an atom and its opposite: no recorded step shows \
                 whether the atom was true before it",
            ),
            LeftOut::NeverApplicable(Unsatisfiable::Numbers) => {
                f.write_str("no state satisfies its numeric conditions")
            }
            LeftOut::NeverApplicable(Unsatisfiable::Together) => {
                f.write_str("no state satisfies all its conditions")
            }
        }
    }
}

/// A learned action, and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LearnedAction {
    /// The action, with its conditions and effects.
    pub action: Action,
    /// Literals, Boolean effects and their guards.
    pub boolean: BooleanModel,
    /// The region and the numeric effects.
    pub numeric: NumericModel,
}

impl LearnedAction {
    /// The action with the whole region, where its own is a part of one that is too large for
    /// facets.
    pub fn whole(&self) -> Action {
        let mut action = self.action.clone();
        if let (Some(whole), Condition::And(parts)) =
            (&self.numeric.region.whole, &mut action.precondition)
        {
            for part in parts {
                if let Condition::Within(region) = part {
                    region.set = Arc::clone(whole);
                }
            }
        }
        action
    }

    /// Adds to the precondition that each shadow of the region holds by itself.
    pub(super) fn bound_by_shadows(&mut self, vocabulary: &Vocabulary) {
        let Condition::And(parts) = &mut self.action.precondition else { return };
        let columns = &self.numeric.columns;
        for shadow in &self.numeric.region.shadows {
            let columns = shadow
                .columns
                .iter()
                .map(|&column| vocabulary.factors(columns[column]).cloned().collect())
                .collect();
            parts.push(Condition::Within(Region { columns, set: Arc::new(shadow.set.clone()) }));
        }
    }

    /// Whether the action certainly allows every step that it was learned from: its region leaves
    /// out no observed vector, and no guard forbids an observation.
    pub fn allows_all_seen(&self) -> bool {
        self.numeric.region.uncovered == 0 && self.numeric.forbidden.is_empty()
    }
}

/// Why an action is not in the model although nothing contradicts it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// No step of the action was observed.
    NeverObserved,
    /// No step of the action was observed, apart from recording errors and what these may have
    /// spoiled, if there are any.
    NothingLeft,
    /// N-SAM asks for more distinct vectors.
    TooFewVectors {
        /// The number of distinct observed vectors.
        distinct: usize,
        /// How many it asks for.
        needed: usize,
    },
    /// N-SAM's Algorithm 1, read literally, asks for more affinely independent vectors.
    TooFewIndependent {
        /// The number of affinely independent observed vectors.
        independent: usize,
        /// How many it asks for.
        needed: usize,
    },
    /// Some of its steps contradict every model, and the user chose to leave such actions out.
    Skipped {
        /// The number of such steps.
        steps: usize,
    },
    /// In each of its steps the value of some function before it is unknown, so that nothing bounds
    /// what it may need. Under an arity assumption: of some functions that may be read together.
    NeverComplete,
    /// No recorded step says what becomes of this.
    OutcomeUnknown(Unknown),
    /// Records are not exact, and no step counts: in each one a number is unknown, or two functions
    /// alias.
    NeverApart,
    /// Records are not exact, and these functions change, which are not listed as relevant.
    Unlisted(Vec<LiftedFunctionId>),
    /// It is one of several parts of an action, and these functions, which are not listed as
    /// relevant, change in a step outside this part.
    UnlistedElsewhere(Vec<LiftedFunctionId>),
    /// Records are not exact, and differ by so little that nothing is certainly allowed: the
    /// functions to blame.
    Thin(Vec<(LiftedFunctionId, Thin)>),
    /// Records are not exact, and the model would multiply numbers that are known within an error
    /// only.
    Blurred,
    /// No state would satisfy its precondition.
    NeverApplicable(Unsatisfiable),
}

/// Something that no record says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Whether an atom is true afterwards.
    Atom(LiftedAtomId),
    /// The value of a function afterwards.
    Function(LiftedFunctionId),
}

/// Why no model of the class explains an action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inconsistency {
    /// It failed in a state that every model of the class allows.
    Failed,
    /// It failed in a state that every model allows for which the user's assumptions hold.
    FailedAssumed {
        /// The assumption, or several of which each is needed.
        assumption: Text,
    },
    /// An atom changed in a way no effect explains.
    Boolean(Contradiction),
    /// The change of a function is no affine function of the columns.
    NotAffine {
        /// The function whose change no effect explains.
        function: LiftedFunctionId,
    },
    /// No map that reads at most the assumed number of columns explains a change: E(k) is refuted.
    EffectArity {
        /// The function whose changes refute the assumption.
        function: LiftedFunctionId,
    },
    /// No map with the assumed number of decimals is within the errors of what was recorded: Q(N)
    /// is refuted.
    EffectDecimals {
        /// The function whose changes refute the assumption.
        function: LiftedFunctionId,
    },
    /// Functions (one, or several aliases) changed that nothing can change: in other steps they had
    /// no value before, and none after.
    Undefined {
        /// The functions whose changes no effect explains.
        functions: Vec<LiftedFunctionId>,
    },
    /// If several functions alias, no effects on them add up to the observed ones.
    Composition {
        /// The functions whose changes no effect explains.
        functions: Vec<LiftedFunctionId>,
    },
}
