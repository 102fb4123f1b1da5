//! Conditions, numeric expressions and effects, with names resolved to ids.
//!
//! A variable is a slot of an environment: an action's parameters take the slots from 0, and each
//! quantifier takes the next free ones for its body. Two expressions that differ only in the names
//! of bound variables have the same slots.

use super::ids::{FunctionId, ObjectId, PredicateId};
use super::region::Region;
use super::signature::TypeSet;
use super::state::Ground;
use crate::exact::Rational;

/// A declared variable: a parameter, or bound by a quantifier.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Variable {
    /// The name, without the question mark.
    pub name: Box<str>,
    /// What it may stand for.
    pub types: TypeSet,
}

/// An argument: a variable (by slot) or an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// The variable in this slot of the environment.
    Variable(u32),
    /// A constant of the domain, or an object of the problem (in goals and metrics).
    Object(ObjectId),
}

impl Term {
    /// The object this term stands for, given the objects in the slots.
    pub fn ground(self, environment: &[ObjectId]) -> ObjectId {
        match self {
            Term::Variable(slot) => environment[slot as usize],
            Term::Object(object) => object,
        }
    }
}

/// A predicate, function or action applied to terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lifted<S> {
    /// The predicate or function.
    pub symbol: S,
    /// The terms it is applied to, in order.
    pub terms: Vec<Term>,
}

/// A predicate applied to terms.
pub type LiftedAtom = Lifted<PredicateId>;
/// A function applied to terms.
pub type LiftedFunction = Lifted<FunctionId>;

impl<S: Copy> Lifted<S> {
    /// Replaces variables by the objects in their slots.
    pub fn ground(&self, environment: &[ObjectId]) -> Ground<S> {
        Ground {
            symbol: self.symbol,
            arguments: self.terms.iter().map(|term| term.ground(environment)).collect(),
        }
    }
}

/// The five comparisons of PDDL.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `=`
    Equal,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
}

impl Comparison {
    /// How PDDL writes it.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Equal => "=",
            Comparison::GreaterOrEqual => ">=",
            Comparison::Greater => ">",
        }
    }
}

/// A numeric expression over functions and numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expression {
    /// A constant number.
    Number(Rational),
    /// The value of a function.
    Function(LiftedFunction),
    /// `(+ a b ...)`
    Sum(Vec<Expression>),
    /// `(* a b ...)`
    Product(Vec<Expression>),
    /// `(- a b)`
    Difference(Box<[Expression; 2]>),
    /// `(- a)`
    Negation(Box<Expression>),
    /// `(/ a b)`
    Quotient(Box<[Expression; 2]>),
    /// `(total-time)`, in metrics only: the number of steps of the plan.
    TotalTime,
}

impl Expression {
    /// Visits every function that it reads, from left to right.
    pub fn for_each_function<'e>(&'e self, visit: &mut impl FnMut(&'e LiftedFunction)) {
        match self {
            Expression::Number(_) | Expression::TotalTime => {}
            Expression::Function(function) => visit(function),
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().for_each(|part| part.for_each_function(visit))
            }
            Expression::Difference(both) | Expression::Quotient(both) => {
                both.iter().for_each(|part| part.for_each_function(visit));
            }
            Expression::Negation(inner) => inner.for_each_function(visit),
        }
    }
}

/// A condition on a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Condition {
    /// All hold; the empty conjunction always does.
    And(Vec<Condition>),
    /// At least one holds; the empty disjunction never does.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// If the first holds, so does the second.
    Imply(Box<[Condition; 2]>),
    /// It holds for every value of the variables.
    ForAll(Vec<Variable>, Box<Condition>),
    /// It holds for some value of the variables.
    Exists(Vec<Variable>, Box<Condition>),
    /// The atom is true.
    Atom(LiftedAtom),
    /// Both terms stand for the same object.
    Same(Term, Term),
    /// The comparison holds between the values.
    Compare(Comparison, Box<[Expression; 2]>),
    /// The point of some products of functions lies in a polyhedron: many comparisons as one
    /// condition. The reader of PDDL makes comparisons, and the writer writes them; in between a
    /// learned region stays one.
    Within(Region),
}

impl Condition {
    /// The condition that always holds, written `(and)`.
    pub const TRUE: Condition = Condition::And(Vec::new());

    /// The condition that never holds, written `(or)`.
    pub const FALSE: Condition = Condition::Or(Vec::new());

    /// The parts of a conjunction; of anything else, itself.
    pub fn conjuncts(&self) -> &[Condition] {
        match self {
            Condition::And(parts) => parts,
            single => std::slice::from_ref(single),
        }
    }
}

/// How a numeric effect changes its target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumericOperator {
    /// The value becomes the expression's.
    Assign,
    /// The expression is added.
    Increase,
    /// The expression is subtracted.
    Decrease,
    /// The value is multiplied by the expression.
    ScaleUp,
    /// The value is divided by the expression.
    ScaleDown,
}

/// A change of one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumericEffect {
    /// Whether the effect assigns, increases, decreases or scales.
    pub operator: NumericOperator,
    /// The function whose value changes.
    pub target: LiftedFunction,
    /// The right-hand side; reads the state before the step.
    pub value: Expression,
}

/// What an action does to a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// All of these effects.
    And(Vec<Effect>),
    /// The atom becomes true.
    Add(LiftedAtom),
    /// The atom becomes false, unless the same step adds it.
    Delete(LiftedAtom),
    /// A function gets a new value.
    Numeric(NumericEffect),
    /// The effect happens if the condition holds before the step.
    When(Condition, Box<Effect>),
    /// The effect happens for every value of the variables.
    ForAll(Vec<Variable>, Box<Effect>),
}

impl Effect {
    /// The effect that changes nothing, written `(and)`.
    pub const NONE: Effect = Effect::And(Vec::new());
}
