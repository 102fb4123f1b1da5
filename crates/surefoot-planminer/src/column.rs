//! What columns of a table are about, and how the original names them.

use super::observed::{Lifted, Symbol};
use super::types::{HeaderTypes, symbol_name};
use surefoot::model::{ActionId, Domain, TypeId};

/// What has a number in every state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Quantity {
    /// The index of the state in its trace, which PlanMiner treats as one more function.
    Clock,
    Function(Lifted),
}

/// An operator of expressions, in the order in which the search tries them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Operator {
    Plus,
    Times,
    Minus,
    Over,
}

impl Operator {
    pub(super) const ALL: [Operator; 4] =
        [Operator::Plus, Operator::Times, Operator::Minus, Operator::Over];

    pub(super) fn sign(self) -> &'static str {
        match self {
            Operator::Plus => "+",
            Operator::Times => "*",
            Operator::Minus => "-",
            Operator::Over => "/",
        }
    }

    /// Whether it binds tighter than plus and minus.
    pub(super) fn is_tight(self) -> bool {
        matches!(self, Operator::Times | Operator::Over)
    }
}

/// An expression for the size of a change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Amount {
    Constant(i64),
    Function(Lifted),
    Operation(Operator, Box<[Amount; 2]>),
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Relation {
    Equal,
    Less,
    Greater,
}

impl Relation {
    pub(super) const ALL: [Relation; 3] = [Relation::Equal, Relation::Less, Relation::Greater];

    pub(super) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Less => left < right,
            Relation::Greater => left > right,
        }
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Column {
    /// True or false.
    Fact(Lifted),
    /// A number.
    Number(Quantity),
    /// Whether a number compares so with another, or with the size of a change.
    Comparison(Relation, Quantity, Amount),
    /// Which way a number changes, by so much.
    Direction(Quantity, Amount),
}

impl Column {
    /// The same with the types of parameters replaced: columns that differ in types only become
    /// equal.
    pub(super) fn with_types(&self, types: &[TypeId]) -> Column {
        match self {
            Column::Fact(fact) => Column::Fact(fact.with_types(types)),
            Column::Number(quantity) => Column::Number(quantity.with_types(types)),
            Column::Comparison(relation, left, right) => {
                Column::Comparison(*relation, left.with_types(types), right.with_types(types))
            }
            Column::Direction(quantity, amount) => {
                Column::Direction(quantity.with_types(types), amount.with_types(types))
            }
        }
    }
}

impl Quantity {
    fn with_types(&self, types: &[TypeId]) -> Quantity {
        match self {
            Quantity::Clock => Quantity::Clock,
            Quantity::Function(function) => Quantity::Function(function.with_types(types)),
        }
    }
}

impl Amount {
    fn with_types(&self, types: &[TypeId]) -> Amount {
        match self {
            Amount::Constant(number) => Amount::Constant(*number),
            Amount::Function(function) => Amount::Function(function.with_types(types)),
            Amount::Operation(operator, sides) => Amount::Operation(
                *operator,
                Box::new([sides[0].with_types(types), sides[1].with_types(types)]),
            ),
        }
    }
}

impl Lifted {
    fn with_types(&self, types: &[TypeId]) -> Lifted {
        let typed = |&(parameter, of): &(usize, TypeId)| {
            (parameter, types.get(parameter).copied().unwrap_or(of))
        };
        Lifted { symbol: self.symbol, arguments: self.arguments.iter().map(typed).collect() }
    }
}

/// Writes columns as the original names them, with types, in upper case. Its sorting goes by these
/// texts.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    pub(super) domain: &'a Domain,
    pub(super) types: &'a HeaderTypes,
}

impl Words<'_> {
    /// An action's name, in the letter case of the input.
    pub(super) fn action(&self, action: ActionId) -> String {
        self.domain.action_name(action).to_ascii_uppercase()
    }

    pub(super) fn symbol(&self, symbol: Symbol) -> String {
        symbol_name(self.domain, symbol).to_ascii_uppercase()
    }

    pub(super) fn lifted(&self, lifted: &Lifted) -> String {
        let mut text = format!("( {} ", self.symbol(lifted.symbol));
        for &(parameter, of) in &lifted.arguments {
            text += &format!("?param_{parameter} ~ {} ", self.types.name(of));
        }
        text + ")"
    }

    pub(super) fn quantity(&self, quantity: &Quantity) -> String {
        match quantity {
            // Sorts after every function: these begin with a parenthesis.
            Quantity::Clock => "CLOCK".to_owned(),
            Quantity::Function(function) => self.lifted(function),
        }
    }

    pub(super) fn amount(&self, amount: &Amount) -> String {
        match amount {
            Amount::Constant(number) => number.to_string(),
            Amount::Function(function) => self.lifted(function),
            Amount::Operation(operator, sides) => {
                format!(
                    "( {} {} {} )",
                    operator.sign(),
                    self.amount(&sides[0]),
                    self.amount(&sides[1])
                )
            }
        }
    }
}
