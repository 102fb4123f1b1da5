//! Numbers as a person reads them. A coefficient of a learned condition may have a hundred digits;
//! people get a few of them, and are told so. What is for machines has all.

use surefoot_base::exact::{Rational, Rounding};
use surefoot_base::model::{Condition, Expression};

/// Numbers with no more digits than this are shown as they are.
const EXACT: u32 = 6;
/// All others are rounded to so many.
const DIGITS: u32 = 4;

/// The number that people are shown.
fn short(number: &Rational) -> Rational {
    let exact = number.with_digits(EXACT, Rounding::Nearest);
    if exact == *number { exact } else { number.with_digits(DIGITS, Rounding::Nearest) }
}

/// A number for people: as it is where that is short, else rounded and said to be (`about 6.233`).
pub fn number(number: &Rational) -> String {
    match short(number) {
        short if short == *number => short.to_string(),
        short => format!("about {short}"),
    }
}

/// Two numbers that differ, for people: with as many digits as tell them apart.
pub fn pair(one: &Rational, other: &Rational) -> [String; 2] {
    if short(one) != short(other) || one == other {
        return [number(one), number(other)];
    }
    let digits = (DIGITS..40)
        .find(|&digits| {
            let [one, other] =
                [one, other].map(|number| number.with_digits(digits, Rounding::Nearest));
            one != other
        })
        .unwrap_or(40);
    [one, other].map(|number| match number.with_digits(digits, Rounding::Nearest) {
        short if short == *number => short.to_string(),
        short => format!("about {short}"),
    })
}

/// A condition with short numbers; `None` where it has no others.
pub fn condition(condition: &Condition) -> Option<Condition> {
    let rounded = in_condition(condition);
    (rounded != *condition).then_some(rounded)
}

fn in_condition(condition: &Condition) -> Condition {
    match condition {
        Condition::And(parts) => Condition::And(parts.iter().map(in_condition).collect()),
        Condition::Or(parts) => Condition::Or(parts.iter().map(in_condition).collect()),
        Condition::Not(inner) => Condition::Not(Box::new(in_condition(inner))),
        Condition::Imply(parts) => Condition::Imply(Box::new(parts.each_ref().map(in_condition))),
        Condition::ForAll(variables, inner) => {
            Condition::ForAll(variables.clone(), Box::new(in_condition(inner)))
        }
        Condition::Exists(variables, inner) => {
            Condition::Exists(variables.clone(), Box::new(in_condition(inner)))
        }
        Condition::Compare(comparison, sides) => {
            Condition::Compare(*comparison, Box::new(sides.each_ref().map(in_expression)))
        }
        Condition::Atom(_) | Condition::Same(..) | Condition::Within(_) => condition.clone(),
    }
}

fn in_expression(expression: &Expression) -> Expression {
    match expression {
        Expression::Number(number) => Expression::Number(short(number)),
        Expression::Sum(parts) => Expression::Sum(parts.iter().map(in_expression).collect()),
        Expression::Product(parts) => {
            Expression::Product(parts.iter().map(in_expression).collect())
        }
        Expression::Difference(parts) => {
            Expression::Difference(Box::new(parts.each_ref().map(in_expression)))
        }
        Expression::Negation(inner) => Expression::Negation(Box::new(in_expression(inner))),
        Expression::Quotient(parts) => {
            Expression::Quotient(Box::new(parts.each_ref().map(in_expression)))
        }
        Expression::Function(_) | Expression::TotalTime => expression.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(num: i64, den: i64) -> Rational {
        Rational::new(num, den).unwrap()
    }

    #[test]
    fn short_numbers_stay_and_long_ones_are_said_to_be_rounded() {
        assert_eq!(number(&rational(123_456, 1000)), "123.456");
        assert_eq!(number(&rational(-3, 1)), "-3");
        assert_eq!(number(&rational(1, 3)), "about 0.3333");
        assert_eq!(number(&rational(1_234_567, 1)), "about 1235000");
    }

    #[test]
    fn numbers_that_differ_look_different() {
        let (one, other) = (rational(10_000_001, 10_000_000), rational(10_000_002, 10_000_000));
        assert_eq!(pair(&one, &other), ["1.0000001".to_owned(), "1.0000002".to_owned()]);
        let (one, other) = (rational(1, 3), rational(333_334, 1_000_000));
        assert_eq!(pair(&one, &other), ["about 0.3333".to_owned(), "0.333334".to_owned()]);
        assert_eq!(pair(&one, &one), ["about 0.3333".to_owned(), "about 0.3333".to_owned()]);
    }

    #[test]
    fn a_condition_with_short_numbers_is_left_as_it_is() {
        use surefoot_base::model::Comparison;
        let compare = |number| {
            let sides = Box::new([Expression::Number(number), Expression::Number(Rational::ONE)]);
            Condition::And(vec![Condition::Compare(Comparison::LessOrEqual, sides)])
        };
        assert_eq!(condition(&compare(rational(5, 2))), None);
        assert_eq!(condition(&compare(rational(1, 3))), Some(compare(rational(3333, 10_000))));
    }
}
