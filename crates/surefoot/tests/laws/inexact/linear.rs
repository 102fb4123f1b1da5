//! Linear expressions over applied functions, read off conditions and effects by the oracle.

use std::collections::BTreeMap;

use crate::promise::number::{Rat, TooLarge};
use crate::promise::world::{Action, Applied, Comparison, Condition, Expression, State, World};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    /// None of them zero.
    pub terms: BTreeMap<Applied, Rat>,
    pub constant: Rat,
}

impl Default for Linear {
    fn default() -> Self {
        Linear { terms: BTreeMap::new(), constant: Rat::ZERO }
    }
}

impl Linear {
    pub fn add(&mut self, function: Applied, by: Rat) -> Result<(), TooLarge> {
        let sum = self.terms.get(&function).copied().unwrap_or(Rat::ZERO).plus(by)?;
        match sum.is_zero() {
            true => drop(self.terms.remove(&function)),
            false => drop(self.terms.insert(function, sum)),
        }
        Ok(())
    }

    fn plus(mut self, other: &Linear, times: Rat) -> Result<Linear, TooLarge> {
        self.constant = self.constant.plus(other.constant.times(times)?)?;
        for (function, by) in &other.terms {
            self.add(function.clone(), by.times(times)?)?;
        }
        Ok(self)
    }

    /// What an expression says; `None` where it is not linear.
    pub fn of(expression: &Expression) -> Result<Option<Linear>, TooLarge> {
        let constant = |constant| Linear { constant, ..Linear::default() };
        Ok(match expression {
            Expression::Number(number) => Some(constant(*number)),
            Expression::Function(function) => {
                let mut linear = Linear::default();
                linear.add(function.clone(), Rat::ONE)?;
                Some(linear)
            }
            Expression::Sum(parts) => {
                let mut sum = Linear::default();
                for part in parts {
                    let Some(part) = Linear::of(part)? else { return Ok(None) };
                    sum = sum.plus(&part, Rat::ONE)?;
                }
                Some(sum)
            }
            Expression::Difference(both) => match (Linear::of(&both[0])?, Linear::of(&both[1])?) {
                (Some(one), Some(other)) => Some(one.plus(&other, Rat::int(-1))?),
                _ => None,
            },
            Expression::Negation(inner) => match Linear::of(inner)? {
                Some(inner) => Some(Linear::default().plus(&inner, Rat::int(-1))?),
                None => None,
            },
            Expression::Product(parts) => {
                let mut product = constant(Rat::ONE);
                for part in parts {
                    let Some(part) = Linear::of(part)? else { return Ok(None) };
                    product = match (product.terms.is_empty(), part.terms.is_empty()) {
                        (_, true) => Linear::default().plus(&product, part.constant)?,
                        (true, false) => Linear::default().plus(&part, product.constant)?,
                        (false, false) => return Ok(None),
                    };
                }
                Some(product)
            }
            Expression::Quotient(both) => match (Linear::of(&both[0])?, Linear::of(&both[1])?) {
                (Some(one), Some(other)) if other.terms.is_empty() => {
                    match Rat::ONE.over(other.constant)? {
                        Some(by) => Some(Linear::default().plus(&one, by)?),
                        None => None,
                    }
                }
                _ => None,
            },
        })
    }

    /// The comparisons among the conjuncts of an action, each as "at most zero"; equations twice.
    pub fn conditions(action: &Action) -> Result<Vec<Linear>, TooLarge> {
        let mut all = Vec::new();
        for part in action.conjuncts() {
            let Condition::Compare(comparison, left, right) = part else { continue };
            let (Some(left), Some(right)) = (Linear::of(left)?, Linear::of(right)?) else {
                continue;
            };
            let (up, down) =
                (left.clone().plus(&right, Rat::int(-1))?, right.plus(&left, Rat::int(-1))?);
            match comparison {
                Comparison::Less | Comparison::AtMost => all.push(up),
                Comparison::AtLeast | Comparison::More => all.push(down),
                Comparison::Equal => all.extend([up, down]),
            }
        }
        Ok(all)
    }

    /// Its value in a state; `None` where something has none.
    pub fn value(
        &self,
        world: &World,
        arguments: &[usize],
        state: &State,
    ) -> Result<Option<Rat>, TooLarge> {
        let mut sum = self.constant;
        for (function, by) in &self.terms {
            let Some(value) = state.values[world.function_index(function, arguments)] else {
                return Ok(None);
            };
            sum = sum.plus(by.times(value)?)?;
        }
        Ok(Some(sum))
    }

    pub fn expression(&self) -> Expression {
        let term = |(function, by): (&Applied, &Rat)| {
            Expression::Product(vec![
                Expression::Number(*by),
                Expression::Function(function.clone()),
            ])
        };
        let constant = Expression::Number(self.constant);
        Expression::Sum(self.terms.iter().map(term).chain([constant]).collect())
    }
}
