//! [`Semantics`] made fast: conditions prepared once for a domain, resolved once for a ground
//! action, decided by bits and doubles.
//!
//! The meaning is that of [`semantics`](super::semantics), which also decides whatever has no fast
//! form: quantifiers, disjunctions, quotients, conditional effects, and numbers so large that a
//! value along the way may have more than [`BITS`](super::semantics::BITS) bits. A learned hull of
//! tens of thousands of facets is one block of numbers shared by all ground actions; a state that
//! fails one of its facets is tried against that one first the next time.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::action::{Action, Domain};
use super::expression::{
    Comparison, Condition, Effect, Expression, LiftedAtom, LiftedFunction, NumericOperator, Term,
};
use super::ids::{ActionId, AtomId, FunctionId, ObjectId, ValueId};
use super::linear::Linear;
use super::region::Region;
use super::semantics::{Inapplicable, Semantics, StepChanges};
use super::signature::Objects;
use super::state::{GroundAction, GroundAtom, GroundFunction, State, Universe};
use super::weight::{Weight, changes, comparisons};
use crate::exact::{Point, Polyhedron, Rational, Tester, TesterMemory};

/// A domain whose actions are taken apart: what can be decided fast, and the rest.
#[derive(Debug)]
pub struct Compiled<'a> {
    domain: &'a Domain,
    actions: Arc<[ActionParts]>,
    /// By how much a numeric condition may be missed.
    tolerance: Rational,
}

/// A [`Compiled`] domain without the domain: what keeps a value that owns its domain from borrowing
/// from itself.
#[derive(Clone, Debug)]
pub struct CompiledParts {
    actions: Arc<[ActionParts]>,
    tolerance: Rational,
}

/// One action's precondition and effect, taken apart.
#[derive(Debug, Default)]
struct ActionParts {
    /// Atoms and whether they must be true.
    literals: Vec<(LiftedAtom, bool)>,
    /// Pairs of terms and whether they must be one object.
    equalities: Vec<(Term, Term, bool)>,
    /// Conditions without numbers that are none of the above.
    boolean: Vec<Condition>,
    /// Linear conditions, over as many columns each.
    blocks: Vec<Block>,
    /// Functions that linear conditions read.
    read: Vec<LiftedFunction>,
    /// Conditions with numbers that are not linear in products.
    numeric: Vec<Condition>,
    /// Functions that effects read; `None` where effects have no fast form.
    effect: Option<Vec<LiftedFunction>>,
    /// The most bits that every value read may have without any value of the fast forms having more
    /// than [`BITS`](super::semantics::BITS); `None` where machine integers may already lead there.
    room: Option<usize>,
}

/// Linear conditions over the same columns.
#[derive(Debug)]
struct Block {
    /// The products of functions; none where a column is not read.
    columns: Vec<Vec<LiftedFunction>>,
    conditions: Conditions,
}

#[derive(Debug)]
enum Conditions {
    /// Comparisons of this action.
    Own(Tester),
    /// Membership in a region.
    Within(Arc<Polyhedron>),
}

impl Block {
    fn of(region: &Region) -> Self {
        Block {
            columns: region.read().map(<[LiftedFunction]>::to_vec).collect(),
            conditions: Conditions::Within(Arc::clone(&region.set)),
        }
    }

    fn tester(&self) -> &Tester {
        match &self.conditions {
            Conditions::Own(tester) => tester,
            Conditions::Within(set) => set.tester(),
        }
    }
}

impl<'a> Compiled<'a> {
    /// Takes a domain apart. Its conditions are exact.
    pub fn new(domain: &'a Domain) -> Self {
        Self::with_tolerance(domain, &Rational::ZERO)
    }

    /// Takes a domain apart whose numeric conditions may be missed by up to `tolerance`: what
    /// [`Semantics::with_tolerance`] says. Zero is exact. Only what fails exactly is looked at
    /// again, which takes longer.
    pub fn with_tolerance(domain: &'a Domain, tolerance: &Rational) -> Self {
        let actions = domain.actions.iter().map(|(_, action)| ActionParts::of(action)).collect();
        Compiled { domain, actions, tolerance: tolerance.abs() }
    }

    /// The prepared conditions without the domain, for callers that own the domain.
    pub fn prepared(&self) -> CompiledParts {
        CompiledParts { actions: Arc::clone(&self.actions), tolerance: self.tolerance.clone() }
    }

    /// The domain that was prepared, once more.
    pub fn again(domain: &'a Domain, prepared: &CompiledParts) -> Self {
        Compiled {
            domain,
            actions: Arc::clone(&prepared.actions),
            tolerance: prepared.tolerance.clone(),
        }
    }

    /// The domain whose conditions were prepared.
    pub fn domain(&self) -> &'a Domain {
        self.domain
    }

    /// How many linear conditions an action has.
    pub fn facets(&self, action: ActionId) -> usize {
        self.actions[action.index()].blocks.iter().map(|block| block.tester().len()).sum()
    }
}

impl ActionParts {
    fn of(action: &Action) -> Self {
        let mut parts = ActionParts::default();
        let mut linear = Linear::default();
        parts.take(&action.precondition, true, &mut linear);
        parts.read = parts
            .blocks
            .iter()
            .flat_map(|block| block.columns.iter().flatten())
            .chain(&linear.read)
            .cloned()
            .collect();
        if !linear.forms.is_empty() {
            let conditions = Conditions::Own(linear.tester());
            parts.blocks.push(Block { columns: linear.columns.into_iter().collect(), conditions });
        }
        let mut effects = Vec::new();
        parts.effect = plain_effects(&action.effect, &mut effects).then_some(effects);
        let mut most = Weight {
            functions: parts.blocks.iter().flat_map(|block| &block.columns).map(Vec::len).sum(),
            bits: 0,
        };
        most = most.most(comparisons(&action.precondition));
        if parts.effect.is_some() {
            most = most.most(changes(&action.effect));
        }
        parts.room = most.room();
        parts
    }

    /// Sorts the conjuncts of a condition, or of its negation.
    fn take(&mut self, condition: &Condition, wanted: bool, linear: &mut Linear) {
        match (condition, wanted) {
            (Condition::And(parts), true) => {
                parts.iter().for_each(|part| self.take(part, true, linear))
            }
            (Condition::Or(parts), false) => {
                parts.iter().for_each(|part| self.take(part, false, linear))
            }
            (Condition::Not(inner), _) => self.take(inner, !wanted, linear),
            (Condition::Atom(atom), _) => self.literals.push((atom.clone(), wanted)),
            (Condition::Same(left, right), _) => self.equalities.push((*left, *right, wanted)),
            (Condition::Compare(comparison, sides), _) => {
                let negated = match comparison {
                    Comparison::Less => Some(Comparison::GreaterOrEqual),
                    Comparison::LessOrEqual => Some(Comparison::Greater),
                    Comparison::GreaterOrEqual => Some(Comparison::Less),
                    Comparison::Greater => Some(Comparison::LessOrEqual),
                    Comparison::Equal => None,
                };
                let comparison = if wanted { Some(*comparison) } else { negated };
                if !comparison.is_some_and(|comparison| linear.add(sides, comparison)) {
                    self.rest(condition, wanted);
                }
            }
            (Condition::Within(region), true) => self.blocks.push(Block::of(region)),
            _ => self.rest(condition, wanted),
        }
    }

    fn rest(&mut self, condition: &Condition, wanted: bool) {
        let numeric = reads_numbers(condition);
        let condition =
            if wanted { condition.clone() } else { Condition::Not(Box::new(condition.clone())) };
        if numeric { self.numeric.push(condition) } else { self.boolean.push(condition) }
    }
}

fn reads_numbers(condition: &Condition) -> bool {
    match condition {
        Condition::And(parts) | Condition::Or(parts) => parts.iter().any(reads_numbers),
        Condition::Not(inner) | Condition::ForAll(_, inner) | Condition::Exists(_, inner) => {
            reads_numbers(inner)
        }
        Condition::Imply(both) => both.iter().any(reads_numbers),
        Condition::Compare(..) | Condition::Within(_) => true,
        Condition::Atom(_) | Condition::Same(..) => false,
    }
}

/// Whether effects always have a value once all they read is defined; collects what they read.
fn plain_effects(effect: &Effect, read: &mut Vec<LiftedFunction>) -> bool {
    fn values(expression: &Expression, read: &mut Vec<LiftedFunction>) -> bool {
        match expression {
            Expression::Number(_) => true,
            Expression::Function(function) => {
                read.push(function.clone());
                true
            }
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().all(|part| values(part, read))
            }
            Expression::Difference(sides) => sides.iter().all(|side| values(side, read)),
            Expression::Negation(inner) => values(inner, read),
            Expression::Quotient(_) | Expression::TotalTime => false,
        }
    }
    fn each(
        effect: &Effect,
        read: &mut Vec<LiftedFunction>,
        targets: &mut Vec<(FunctionId, bool)>,
    ) -> bool {
        match effect {
            Effect::And(parts) => parts.iter().all(|part| each(part, read, targets)),
            Effect::Add(_) | Effect::Delete(_) => true,
            Effect::Numeric(numeric) => {
                targets.push((
                    numeric.target.symbol,
                    matches!(
                        numeric.operator,
                        NumericOperator::Increase | NumericOperator::Decrease
                    ),
                ));
                if numeric.operator != NumericOperator::Assign {
                    read.push(numeric.target.clone());
                }
                numeric.operator != NumericOperator::ScaleDown && values(&numeric.value, read)
            }
            Effect::When(..) | Effect::ForAll(..) => false,
        }
    }
    let mut targets = Vec::new();
    let plain = each(effect, read, &mut targets);
    plain && !may_clash(&targets)
}

/// Whether some of the changes, given by function and whether they add, may disagree. Two may meet
/// in one ground function: additions add up, anything else may disagree.
fn may_clash(changes: &[(FunctionId, bool)]) -> bool {
    changes.iter().enumerate().any(|(index, &(symbol, adds))| {
        changes[..index].iter().any(|&(other, also)| other == symbol && !(adds && also))
    })
}

/// Which parts of a precondition hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The conditions without numbers.
    pub boolean: bool,
    /// The conditions with numbers, and whether every effect has a value.
    pub numeric: bool,
}

impl Held {
    /// Whether all conditions hold.
    pub fn all(self) -> bool {
        self.boolean && self.numeric
    }
}

/// A ground action of a [`Checker`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroundStepId(u32);

/// Decides the steps of one problem. Ground actions are resolved when they are met for the first
/// time.
#[derive(Debug)]
pub struct Checker<'a> {
    compiled: &'a Compiled<'a>,
    semantics: Semantics<'a>,
    objects: &'a Objects,
    numbers: FxHashMap<GroundAction, GroundStepId>,
    steps: Vec<(GroundAction, ResolvedStep)>,
    /// By action: what is remembered of each of its blocks.
    memory: Vec<Vec<TesterMemory>>,
}

/// What a [`Checker`] remembers, without what it borrows: ground actions, resolved, and facets that
/// failed.
#[derive(Debug)]
pub struct Resolutions {
    numbers: FxHashMap<GroundAction, GroundStepId>,
    steps: Vec<(GroundAction, ResolvedStep)>,
    memory: Vec<Vec<TesterMemory>>,
}

#[derive(Debug)]
struct ResolvedStep {
    /// Whether the arguments fit.
    fits: bool,
    /// Whether equalities hold, which no state changes.
    possible: bool,
    literals: SmallVec<[(AtomId, bool); 8]>,
    /// By block of conditions: the functions of each column.
    columns: Vec<Vec<SmallVec<[ValueId; 1]>>>,
    /// What must be defined.
    read: Vec<ValueId>,
    /// How much was numbered when something of it was not; `None` where all of it was.
    open: Option<(usize, usize)>,
}

impl ResolvedStep {
    /// For arguments that do not fit.
    fn misfit() -> Self {
        ResolvedStep {
            fits: false,
            possible: false,
            literals: SmallVec::new(),
            columns: Vec::new(),
            read: Vec::new(),
            open: None,
        }
    }

    /// For arguments that fit.
    fn of(parts: &ActionParts, arguments: &[ObjectId], numbering: &mut impl Numbering) -> Self {
        let mut columns = Vec::with_capacity(parts.blocks.len());
        let mut value = |function: &LiftedFunction| numbering.value(&function.ground(arguments));
        for block in &parts.blocks {
            columns.push(
                block
                    .columns
                    .iter()
                    .map(|factors| factors.iter().map(&mut value).collect())
                    .collect(),
            );
        }
        let mut read: Vec<ValueId> =
            parts.read.iter().chain(parts.effect.iter().flatten()).map(&mut value).collect();
        read.sort_unstable();
        read.dedup();
        let literals = parts
            .literals
            .iter()
            .map(|(atom, wanted)| (numbering.atom(&atom.ground(arguments)), *wanted));
        let possible = (parts.equalities.iter()).all(|(left, right, wanted)| {
            (left.ground(arguments) == right.ground(arguments)) == *wanted
        });
        ResolvedStep {
            fits: true,
            possible,
            literals: literals.collect(),
            columns,
            read,
            open: None,
        }
    }
}

/// Where atoms and functions get their numbers from.
trait Numbering {
    fn atom(&mut self, atom: &GroundAtom) -> AtomId;
    fn value(&mut self, function: &GroundFunction) -> ValueId;
}

/// What was never met is numbered.
impl Numbering for Universe {
    fn atom(&mut self, atom: &GroundAtom) -> AtomId {
        Universe::atom(self, atom)
    }

    fn value(&mut self, function: &GroundFunction) -> ValueId {
        Universe::value(self, function)
    }
}

/// What was never met has a number that nothing has: as an atom it is false, as a function
/// undefined.
struct FixedNumbering<'u> {
    universe: &'u Universe,
    all: bool,
}

/// An index that no universe has.
const NOTHING: usize = u32::MAX as usize;

impl Numbering for FixedNumbering<'_> {
    fn atom(&mut self, atom: &GroundAtom) -> AtomId {
        let found = self.universe.find_atom(atom);
        self.all &= found.is_some();
        found.unwrap_or(NOTHING.into())
    }

    fn value(&mut self, function: &GroundFunction) -> ValueId {
        let found = self.universe.find_value(function);
        self.all &= found.is_some();
        found.unwrap_or(NOTHING.into())
    }
}

/// The product of some values; `None` where one is not defined.
#[inline]
fn product(factors: &[ValueId], state: &State) -> Option<Rational> {
    match factors {
        [only] => state.value(*only).cloned(),
        _ => factors
            .iter()
            .try_fold(Rational::ONE, |product, &factor| Some(&product * state.value(factor)?)),
    }
}

/// At least the bits of a number: where it is small, as many as a machine integer can have.
#[inline]
fn bits_at_most(value: &Rational) -> usize {
    if value.as_small().is_some() { 64 } else { value.bits() }
}

impl<'a> Checker<'a> {
    /// A checker over the objects of a problem.
    pub fn new(compiled: &'a Compiled<'a>, objects: &'a Objects) -> Self {
        let memory = compiled
            .actions
            .iter()
            .map(|parts| parts.blocks.iter().map(|_| TesterMemory::of_points()).collect());
        Self::again(
            compiled,
            objects,
            Resolutions {
                numbers: FxHashMap::default(),
                steps: Vec::new(),
                memory: memory.collect(),
            },
        )
    }

    /// A checker that goes on where another one of the same domain, objects and universe ended.
    pub fn again(compiled: &'a Compiled<'a>, objects: &'a Objects, known: Resolutions) -> Self {
        let Resolutions { numbers, steps, memory } = known;
        let semantics =
            Semantics::new(compiled.domain, objects).with_tolerance(&compiled.tolerance);
        Checker { compiled, semantics, objects, numbers, steps, memory }
    }

    /// What it remembers, for [`Checker::again`].
    pub fn into_resolutions(self) -> Resolutions {
        Resolutions { numbers: self.numbers, steps: self.steps, memory: self.memory }
    }

    /// The domain it decides steps of.
    pub fn domain(&self) -> &'a Domain {
        self.compiled.domain
    }

    /// The objects there are.
    pub fn objects(&self) -> &'a Objects {
        self.objects
    }

    /// Resolves a ground action: what it reads is numbered in `universe`.
    pub fn step(&mut self, action: &GroundAction, universe: &mut Universe) -> GroundStepId {
        if let Some(&known) = self.numbers.get(action) {
            return known;
        }
        let resolved = self.resolved(action, universe);
        self.add(action, resolved)
    }

    /// Like [`Self::step`], for a universe that others go on numbering: what is missing now is
    /// looked up again when the universe has grown.
    pub fn step_found(&mut self, action: &GroundAction, universe: &Universe) -> GroundStepId {
        let known = self.numbers.get(action).copied();
        let counts = (universe.atom_count(), universe.value_count());
        if let Some(id) = known
            && self.steps[id.0 as usize].1.open.is_none_or(|then| then == counts)
        {
            return id;
        }
        let mut found = FixedNumbering { universe, all: true };
        let mut resolved = self.resolved(action, &mut found);
        resolved.open = (!found.all).then_some(counts);
        match known {
            Some(id) => {
                self.steps[id.0 as usize].1 = resolved;
                id
            }
            None => self.add(action, resolved),
        }
    }

    fn resolved(&self, action: &GroundAction, numbering: &mut impl Numbering) -> ResolvedStep {
        match self.compiled.domain.check_arguments(action, self.objects) {
            Ok(()) => ResolvedStep::of(
                &self.compiled.actions[action.symbol.index()],
                &action.arguments,
                numbering,
            ),
            Err(_) => ResolvedStep::misfit(),
        }
    }

    fn add(&mut self, action: &GroundAction, resolved: ResolvedStep) -> GroundStepId {
        let id = GroundStepId(self.steps.len() as u32);
        self.numbers.insert(action.clone(), id);
        self.steps.push((action.clone(), resolved));
        id
    }

    /// The ground action of a step.
    pub fn action(&self, step: GroundStepId) -> &GroundAction {
        &self.steps[step.0 as usize].0
    }

    /// Whether the step can be taken: what [`Semantics::applicable`] says.
    pub fn applicable(&mut self, step: GroundStepId, universe: &Universe, state: &State) -> bool {
        self.boolean(step, universe, state) && self.numeric(step, universe, state)
    }

    /// Which parts of the precondition hold. Arguments of a wrong type count as Boolean.
    pub fn held(&mut self, step: GroundStepId, universe: &Universe, state: &State) -> Held {
        Held {
            boolean: self.boolean(step, universe, state),
            numeric: self.numeric(step, universe, state),
        }
    }

    /// What the step changes, where [`Self::applicable`] said that it can be taken.
    pub fn changes(
        &self,
        step: GroundStepId,
        universe: &Universe,
        state: &State,
    ) -> Result<StepChanges, Inapplicable> {
        self.semantics.effects(self.action(step), universe, state)
    }

    fn boolean(&self, step: GroundStepId, universe: &Universe, state: &State) -> bool {
        let (action, resolved) = &self.steps[step.0 as usize];
        let parts = &self.compiled.actions[action.symbol.index()];
        resolved.possible
            && resolved.literals.iter().all(|&(atom, wanted)| {
                state.contains(atom) == wanted && !state.is_atom_unknown(atom)
            })
            && parts.boolean.iter().all(|rest| self.holds(rest, action, universe, state))
    }

    /// Whether the conditions with numbers hold. A tolerance only ever loosens them, so what holds
    /// exactly holds.
    fn numeric(&mut self, step: GroundStepId, universe: &Universe, state: &State) -> bool {
        if self.numeric_exactly(step, universe, state) {
            return true;
        }
        let (action, resolved) = &self.steps[step.0 as usize];
        !self.compiled.tolerance.is_zero()
            && resolved.fits
            && self.numeric_by_semantics(action, universe, state)
    }

    fn numeric_exactly(&mut self, step: GroundStepId, universe: &Universe, state: &State) -> bool {
        let (action, resolved) = &self.steps[step.0 as usize];
        let index = action.symbol.index();
        let parts = &self.compiled.actions[index];
        if !resolved.fits || resolved.read.iter().any(|&function| state.value(function).is_none()) {
            return false;
        }
        let mut values = resolved.read.iter().filter_map(|&function| state.value(function));
        if !parts.room.is_some_and(|room| values.all(|value| bits_at_most(value) <= room)) {
            return self.numeric_by_semantics(action, universe, state);
        }
        for ((block, columns), memory) in
            parts.blocks.iter().zip(&resolved.columns).zip(&mut self.memory[index])
        {
            let point = columns
                .iter()
                .map(|factors| product(factors, state))
                .collect::<Option<SmallVec<[Rational; 10]>>>();
            if !point.is_some_and(|point| block.tester().contains(&mut Point::of(&point), memory)) {
                return false;
            }
        }
        parts.numeric.iter().all(|rest| self.holds(rest, action, universe, state))
            && (parts.effect.is_some() || self.semantics.effects(action, universe, state).is_ok())
    }

    fn holds(
        &self,
        condition: &Condition,
        action: &GroundAction,
        universe: &Universe,
        state: &State,
    ) -> bool {
        self.semantics.holds_with(condition, &action.arguments, universe, state) == Ok(true)
    }

    /// Decides numeric conditions by the plain semantics, without fast forms.
    fn numeric_by_semantics(
        &self,
        action: &GroundAction,
        universe: &Universe,
        state: &State,
    ) -> bool {
        let precondition = &self.compiled.domain.action(action.symbol).precondition;
        self.numbers_hold(precondition, true, &action.arguments, universe, state)
            && self.semantics.effects(action, universe, state).is_ok()
    }

    /// Whether those conjuncts of a condition, or of its negation, that read numbers hold.
    fn numbers_hold(
        &self,
        condition: &Condition,
        wanted: bool,
        arguments: &[ObjectId],
        universe: &Universe,
        state: &State,
    ) -> bool {
        match (condition, wanted) {
            (Condition::And(parts), true) | (Condition::Or(parts), false) => {
                parts.iter().all(|part| self.numbers_hold(part, wanted, arguments, universe, state))
            }
            (Condition::Not(inner), _) => {
                self.numbers_hold(inner, !wanted, arguments, universe, state)
            }
            _ if !reads_numbers(condition) => true,
            (_, true) => {
                self.semantics.holds_with(condition, arguments, universe, state) == Ok(true)
            }
            // What is loosened is the negation.
            (_, false) => {
                let negated = Condition::Not(Box::new(condition.clone()));
                self.semantics.holds_with(&negated, arguments, universe, state) == Ok(true)
            }
        }
    }
}
