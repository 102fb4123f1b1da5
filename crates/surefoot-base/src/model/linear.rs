//! Many comparisons as linear forms over the same columns: products of functions, numbered as they
//! are met.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::expression::{Comparison, Expression, LiftedFunction};
use super::polynomial::Polynomial;
use crate::exact::{Rational, Row, SignTest, Tester};

/// Linear conditions while they are collected.
#[derive(Default)]
pub struct Linear {
    /// The products of functions.
    pub columns: IndexSet<Vec<LiftedFunction>, FxBuildHasher>,
    /// Every function that is read, also where its terms cancel: an undefined one leaves its
    /// condition without a truth value.
    pub read: IndexSet<LiftedFunction, FxBuildHasher>,
    /// By condition: the constant, then the coefficients of the columns numbered until then.
    pub forms: Vec<(Vec<Rational>, Comparison)>,
    /// How often functions are mentioned, where nothing had to be multiplied out.
    mentions: usize,
    /// Whether the last condition had to be multiplied out.
    multiplied: bool,
}

impl Linear {
    /// Adds the condition that the sides compare so; false where their difference is not linear in
    /// products.
    pub fn add(&mut self, sides: &[Expression; 2], comparison: Comparison) -> bool {
        let mut form = vec![Rational::ZERO; self.columns.len() + 1];
        let plain = self.gather(&sides[0], &Rational::ONE, &mut form)
            && self.gather(&sides[1], &-&Rational::ONE, &mut form);
        self.multiplied = !plain;
        if !plain {
            // Something to multiply out. What was gathered may have numbered columns and functions,
            // all of which the sides mention.
            let Some(difference) = difference(sides) else { return false };
            form = vec![difference.constant_term()];
            for (factors, coefficient) in difference.columns() {
                self.put(factors, coefficient, &mut form);
            }
            self.read.extend(difference.mentioned);
        }
        self.forms.push((form, comparison));
        true
    }

    /// Like [`Self::add`], but false also if a side reads a function whose terms cancel.
    pub fn add_plain(&mut self, sides: &[Expression; 2], comparison: Comparison) -> bool {
        let before = self.mentions;
        if !self.add(sides, comparison) {
            return false;
        }
        let Some((form, _)) = self.forms.last() else { return false };
        let columns = form
            .iter()
            .skip(1)
            .zip(&self.columns)
            .filter(|(factor, _)| !factor.is_zero())
            .map(|(_, column)| column);
        // As many mentions as factors: none is lost.
        let plain = !self.multiplied
            && self.mentions - before == columns.clone().map(Vec::len).sum::<usize>()
            || sides.iter().all(|side| {
                reads_only(side, &|function| {
                    columns.clone().any(|column| column.contains(function))
                })
            });
        if !plain {
            self.forms.pop();
        }
        plain
    }

    /// The conditions, ready to be decided.
    pub fn tester(&self) -> Tester {
        let mut tester = Tester::over(self.columns.len());
        for (form, comparison) in &self.forms {
            let row = Row::direction(form);
            let (row, test) = match comparison {
                Comparison::LessOrEqual => (row, SignTest::NonNegative),
                Comparison::Less => (row, SignTest::Positive),
                Comparison::Equal => (row, SignTest::Zero),
                Comparison::GreaterOrEqual => (row.negated(), SignTest::NonNegative),
                Comparison::Greater => (row.negated(), SignTest::Positive),
            };
            tester.push(row, test);
        }
        tester
    }

    fn put(
        &mut self,
        factors: &[LiftedFunction],
        coefficient: &Rational,
        form: &mut Vec<Rational>,
    ) {
        let column = match self.columns.get_index_of(factors) {
            Some(known) => known,
            None => self.columns.insert_full(factors.to_vec()).0,
        };
        if form.len() < column + 2 {
            form.resize(column + 2, Rational::ZERO);
        }
        form[column + 1] += coefficient;
    }

    /// Adds a multiple of an expression, as long as nothing must be multiplied out. A learned hull
    /// has tens of thousands of such conditions.
    fn gather(
        &mut self,
        expression: &Expression,
        factor: &Rational,
        form: &mut Vec<Rational>,
    ) -> bool {
        match expression {
            Expression::Number(number) => {
                form[0] += &(number * factor);
                true
            }
            Expression::Function(function) => {
                self.note(function);
                self.put(std::slice::from_ref(function), factor, form);
                true
            }
            Expression::Sum(parts) => parts.iter().all(|part| self.gather(part, factor, form)),
            Expression::Difference(sides) => {
                self.gather(&sides[0], factor, form) && self.gather(&sides[1], &-factor, form)
            }
            Expression::Negation(inner) => self.gather(inner, &-factor, form),
            Expression::Product(parts) => {
                let mut factor = factor.clone();
                let mut functions: SmallVec<[&LiftedFunction; 2]> = SmallVec::new();
                for part in parts {
                    match part {
                        Expression::Number(number) => factor = &factor * number,
                        Expression::Function(function) => functions.push(function),
                        _ => return false,
                    }
                }
                functions.iter().for_each(|function| self.note(function));
                match &functions[..] {
                    [] => form[0] += &factor,
                    [only] => self.put(std::slice::from_ref(*only), &factor, form),
                    several => {
                        let mut factors: Vec<LiftedFunction> =
                            several.iter().map(|function| (*function).clone()).collect();
                        factors.sort_unstable();
                        self.put(&factors, &factor, form);
                    }
                }
                true
            }
            Expression::Quotient(_) | Expression::TotalTime => false,
        }
    }

    fn note(&mut self, function: &LiftedFunction) {
        self.mentions += 1;
        if !self.read.contains(function) {
            self.read.insert(function.clone());
        }
    }
}

/// The left side minus the right one, multiplied out.
fn difference(sides: &[Expression; 2]) -> Option<Polynomial> {
    Polynomial::of(&sides[0])?.minus(Polynomial::of(&sides[1])?)
}

/// Whether all functions that an expression reads are known.
fn reads_only(expression: &Expression, known: &dyn Fn(&LiftedFunction) -> bool) -> bool {
    match expression {
        Expression::Number(_) | Expression::TotalTime => true,
        Expression::Function(function) => known(function),
        Expression::Sum(parts) | Expression::Product(parts) => {
            parts.iter().all(|part| reads_only(part, known))
        }
        Expression::Difference(sides) | Expression::Quotient(sides) => {
            sides.iter().all(|side| reads_only(side, known))
        }
        Expression::Negation(inner) => reads_only(inner, known),
    }
}
