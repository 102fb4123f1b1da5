//! What is kept of recorded steps: rows of lifted literals, in the order in which the original
//! would read them.
//!
//! Order matters to PlanMiner: columns come in the order in which their literals are met, and ties
//! are broken by columns.

use smallvec::SmallVec;

use surefoot_base::model::{ActionId, FunctionId, PredicateId, TypeId};

/// A predicate or a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum SymbolId {
    Predicate(PredicateId),
    Function(FunctionId),
}

/// A predicate or function applied to parameters of an action, each with the type of the object it
/// stood for. Literals that differ in types only are different columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct TypedApplication {
    pub(super) symbol: SymbolId,
    pub(super) arguments: SmallVec<[(usize, TypeId); 3]>,
}

/// What a state says of a step's own objects. What it does not mention is unknown.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct StateRow {
    /// The index of the state in its trace.
    pub(super) clock: usize,
    /// Literals and functions, as written; 1 is true, 0 is false.
    pub(super) literals: Vec<(TypedApplication, f64)>,
}

/// A step: the types of its objects, what was before and what was after.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SeenStep {
    pub(super) action: ActionId,
    pub(super) types: SmallVec<[TypeId; 4]>,
    pub(super) before: StateRow,
    pub(super) after: StateRow,
}

/// A type met at a position of a predicate or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct TypeUse {
    pub(super) symbol: SymbolId,
    pub(super) position: usize,
    pub(super) of: TypeId,
}

/// A trace, reduced to what PlanMiner looks at.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct SeenTrace {
    pub(super) steps: Vec<SeenStep>,
    /// In order of first appearance, each once.
    pub(super) uses: Vec<TypeUse>,
}
