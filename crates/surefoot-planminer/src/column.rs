//! What columns of a table are about, and how the original names them.

use super::observed::{SymbolId, TypedApplication};
use super::types::{HeaderTypes, symbol_name};
use surefoot_base::model::{ActionId, Domain, TypeId};

/// What has a number in every state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum NumericQuantity {
    /// The index of the state in its trace, which PlanMiner treats as one more function.
    Clock,
    Function(TypedApplication),
}

/// An operator of expressions, in the order in which the search tries them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ArithmeticOperator {
    Plus,
    Times,
    Minus,
    Over,
}

impl ArithmeticOperator {
    pub(super) const ALL: [ArithmeticOperator; 4] = [
        ArithmeticOperator::Plus,
        ArithmeticOperator::Times,
        ArithmeticOperator::Minus,
        ArithmeticOperator::Over,
    ];

    pub(super) fn sign(self) -> &'static str {
        match self {
            ArithmeticOperator::Plus => "+",
            ArithmeticOperator::Times => "*",
            ArithmeticOperator::Minus => "-",
            ArithmeticOperator::Over => "/",
        }
    }

    /// Whether it binds tighter than plus and minus.
    pub(super) fn is_tight(self) -> bool {
        matches!(self, ArithmeticOperator::Times | ArithmeticOperator::Over)
    }
}

/// An expression for the size of a change.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Amount {
    Constant(i64),
    Function(TypedApplication),
    Operation(ArithmeticOperator, Box<[Amount; 2]>),
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum NumericRelation {
    Equal,
    Less,
    Greater,
}

impl NumericRelation {
    pub(super) const ALL: [NumericRelation; 3] =
        [NumericRelation::Equal, NumericRelation::Less, NumericRelation::Greater];

    pub(super) fn holds(self, left: f64, right: f64) -> bool {
        match self {
            NumericRelation::Equal => left == right,
            NumericRelation::Less => left < right,
            NumericRelation::Greater => left > right,
        }
    }
}

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum TableColumn {
    /// A fact, which is true or false in each row.
    Fact(TypedApplication),
    /// A quantity, which is a number in each row.
    Number(NumericQuantity),
    /// Whether a number compares so with another, or with the size of a change.
    Comparison(NumericRelation, NumericQuantity, Amount),
    /// Which way a number changes, by so much.
    Direction(NumericQuantity, Amount),
}

impl TableColumn {
    /// The same with the types of parameters replaced: columns that differ in types only become
    /// equal.
    pub(super) fn with_types(&self, types: &[TypeId]) -> TableColumn {
        match self {
            TableColumn::Fact(fact) => TableColumn::Fact(fact.with_types(types)),
            TableColumn::Number(quantity) => TableColumn::Number(quantity.with_types(types)),
            TableColumn::Comparison(relation, left, right) => {
                TableColumn::Comparison(*relation, left.with_types(types), right.with_types(types))
            }
            TableColumn::Direction(quantity, amount) => {
                TableColumn::Direction(quantity.with_types(types), amount.with_types(types))
            }
        }
    }
}

impl NumericQuantity {
    fn with_types(&self, types: &[TypeId]) -> NumericQuantity {
        match self {
            NumericQuantity::Clock => NumericQuantity::Clock,
            NumericQuantity::Function(function) => {
                NumericQuantity::Function(function.with_types(types))
            }
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

impl TypedApplication {
    fn with_types(&self, types: &[TypeId]) -> TypedApplication {
        TypedApplication {
            symbol: self.symbol,
            arguments: self
                .arguments
                .iter()
                .map(|&(parameter, of): &(usize, TypeId)| {
                    (parameter, types.get(parameter).copied().unwrap_or(of))
                })
                .collect(),
        }
    }
}

/// Writes columns as the original names them, with types, in upper case. Its sorting goes by these
/// texts.
#[derive(Clone, Copy)]
pub(super) struct ColumnWriter<'a> {
    pub(super) domain: &'a Domain,
    pub(super) types: &'a HeaderTypes,
}

impl ColumnWriter<'_> {
    /// An action's name, in the letter case of the input.
    pub(super) fn action(&self, action: ActionId) -> String {
        self.domain.action_name(action).to_ascii_uppercase()
    }

    pub(super) fn symbol(&self, symbol: SymbolId) -> String {
        symbol_name(self.domain, symbol).to_ascii_uppercase()
    }

    pub(super) fn lifted(&self, lifted: &TypedApplication) -> String {
        let mut text = format!("( {} ", self.symbol(lifted.symbol));
        for &(parameter, of) in &lifted.arguments {
            text += &format!("?param_{parameter} ~ {} ", self.types.name(of));
        }
        text + ")"
    }

    pub(super) fn quantity(&self, quantity: &NumericQuantity) -> String {
        match quantity {
            // Sorts after every function: these begin with a parenthesis.
            NumericQuantity::Clock => "CLOCK".to_owned(),
            NumericQuantity::Function(function) => self.lifted(function),
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
