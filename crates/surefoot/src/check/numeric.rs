//! Obligations 5 to 7: the numeric precondition lies in what the observations prove safe, and numeric effects are determined there.

use std::collections::{BTreeMap, BTreeSet};

use super::boolean::{Binding, key};
use super::boundary::{Flaw, closed};
use super::linear::{Scaled, Span, dot, subsets};
use super::vocabulary::{Monomial, Vocabulary};
use crate::exact::Rational;
use crate::learn::MonotoneRecord;
use crate::model::{Comparison, Condition, Effect, NumericOperator};

/// The numeric conditions of a model, as rows over `(1, columns)`.
#[derive(Default)]
pub(super) struct Region {
    /// `row · (1, x) = 0`.
    pub(super) equations: Vec<Vec<Rational>>,
    /// `row · (1, x) ≤ 0`.
    pub(super) inequalities: Vec<Vec<Rational>>,
    /// Conditions that are no linear ones over the columns.
    pub(super) foreign: Vec<Condition>,
}

impl Region {
    pub(super) fn of(vocabulary: &Vocabulary, columns: &[Monomial], conditions: &[&Condition]) -> Self {
        let mut region = Region::default();
        for condition in conditions {
            let Condition::Compare(comparison, sides) = condition else { continue };
            let side = |index: usize| vocabulary.polynomial(&sides[index]);
            let row = |left: usize, right: usize| side(left)?.minus(&side(right)?).row(columns);
            let (row, list) = match comparison {
                Comparison::Equal => (row(0, 1), &mut region.equations),
                Comparison::LessOrEqual => (row(0, 1), &mut region.inequalities),
                Comparison::GreaterOrEqual => (row(1, 0), &mut region.inequalities),
                Comparison::Less | Comparison::Greater => (None, &mut region.inequalities),
            };
            match row {
                Some(row) => list.push(row),
                None => region.foreign.push((*condition).clone()),
            }
        }
        region
    }

    fn equation_span(&self, width: usize) -> Span {
        Span::of(width, &self.equations)
    }
}

/// What bounds the region from outside.
pub(super) struct Frame<'a> {
    pub(super) width: usize,
    /// The observed vectors, as rows `(1, x)`.
    pub(super) points: &'a BTreeSet<Vec<Rational>>,
    /// By column.
    pub(super) marks: &'a BTreeMap<usize, MonotoneRecord>,
    /// The size of the subsets of columns to look at.
    pub(super) arity: Option<usize>,
    /// Whether the region need not cover all observations.
    pub(super) inner: bool,
    /// Whether its equations need not hold for all observations.
    pub(super) restricted: bool,
}

/// The first of the exact inequalities that the printed ones do not imply. Each must follow from one printed inequality and the
/// printed bounds of single columns: `a · x ≤ λ (a' · x) + max (a - λ a') · x ≤ λ b' + max (a - λ a') · x ≤ b`, the maximum being
/// over the box. The right-hand side is convex and piecewise linear in λ, so the λ that make some `a - λ a'` zero decide.
pub(super) fn not_implied(printed: &[Vec<Rational>], exact: &[Vec<Rational>]) -> Option<usize> {
    let width = exact.first().map_or(0, Vec::len);
    let mut bounds: Vec<[Option<Rational>; 2]> = vec![[None, None]; width];
    for row in printed {
        let mentioned: Vec<usize> = (1..row.len().min(width)).filter(|&at| !row[at].is_zero()).collect();
        if let [at] = mentioned[..]
            && let Some(bound) = (-&row[0]).checked_div(&row[at])
        {
            let (side, above) = if row[at].signum() > 0 { (1, true) } else { (0, false) };
            let tighter = bounds[at][side].as_ref().is_none_or(|known| if above { bound < *known } else { bound > *known });
            if tighter {
                bounds[at][side] = Some(bound);
            }
        }
    }
    let follows = |wanted: &[Rational], given: &[Rational], factor: &Rational| {
        // The largest value of the difference in the box; none where it is unbounded.
        let mut largest = &wanted[0] - &(factor * &given[0]);
        for at in 1..width {
            let rest = &wanted[at] - &(factor * &given[at]);
            match &bounds[at][usize::from(rest.signum() > 0)] {
                _ if rest.is_zero() => {}
                Some(bound) => largest = &largest + &(&rest * bound),
                None => return false,
            }
        }
        largest.signum() <= 0
    };
    let proven = |wanted: &Vec<Rational>, given: &Vec<Rational>| {
        let ratios = (1..width).filter_map(|at| wanted[at].checked_div(&given[at])).filter(|ratio| ratio.signum() >= 0);
        ratios.chain([Rational::ZERO]).any(|factor| follows(wanted, given, &factor))
    };
    // The likeliest is the one that points the same way; doubles only order the attempts.
    let direction = |row: &Vec<Rational>| {
        let entries: Vec<f64> = row.iter().skip(1).map(Rational::to_f64).collect();
        let length = entries.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        entries.into_iter().map(|entry| entry / length).collect::<Vec<f64>>()
    };
    let directions: Vec<Vec<f64>> = printed.iter().map(direction).collect();
    exact.iter().position(|wanted| {
        let mine = direction(wanted);
        let likeness = |other: &Vec<f64>| mine.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
        let mut order: Vec<(f64, usize)> = directions.iter().map(likeness).zip(0..).collect();
        order.sort_by(|one, other| other.0.total_cmp(&one.0));
        !order.iter().take(8).any(|(_, index)| proven(wanted, &printed[*index]))
    })
}

/// What is wrong with a region. Inequalities are named by number.
pub(super) enum Fault {
    /// An observation is outside.
    OutsideEquation(usize, Vec<Rational>),
    OutsideInequality(usize, Vec<Rational>),
    /// The region leaves the affine hull of the observations over these columns: this equation is missing.
    MissingEquation(Vec<Rational>),
    /// The boundary over these columns is not closed, perhaps beside this inequality.
    MissingFacet(Vec<usize>, Option<usize>),
    /// An inequality forbids a direction that is assumed to do no harm.
    Direction(usize),
    /// An inequality is spanned by no observations.
    Unspanned(usize),
    /// No observation lies in the region.
    Empty,
}

/// The shadow of a region on some columns.
struct Shadow {
    /// The columns that matter.
    kept: Vec<usize>,
    /// Over these.
    generators: Vec<Vec<Rational>>,
    /// The inequalities that are facets.
    facets: Vec<usize>,
}

impl Frame<'_> {
    /// Obligation 5.
    pub(super) fn faults(&self, region: &Region) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !self.inner {
            self.outside(region, &mut faults);
        }
        let columns = self.width - 1;
        let size = self.arity.unwrap_or(columns).min(columns);
        let equations = region.equation_span(self.width);
        let mut spanned: BTreeSet<usize> = BTreeSet::new();
        let mut missing = Span::new(self.width);
        let mut all_closed = true;
        for subset in subsets(columns, size) {
            match self.shadow(region, &subset, &mut faults) {
                None => all_closed = false,
                Some(Shadow { kept, generators, facets }) => {
                    spanned.extend(facets);
                    let hull = Span::of(kept.len() + 1, &generators);
                    for orthogonal in hull.null_space() {
                        let mut row = vec![Rational::ZERO; self.width];
                        row[0] = orthogonal[0].clone();
                        kept.iter().zip(&orthogonal[1..]).for_each(|(&column, value)| row[column + 1] = value.clone());
                        if !equations.contains(&row) && missing.insert(&row) {
                            faults.push(Fault::MissingEquation(row));
                        }
                    }
                }
            }
        }
        // Where the boundary is open that says more. In a part, more inequalities only make it smaller.
        let unspanned = (0..region.inequalities.len()).filter(|index| all_closed && !self.inner && !spanned.contains(index));
        faults.extend(unspanned.map(Fault::Unspanned));
        faults
    }

    fn outside(&self, region: &Region, faults: &mut Vec<Fault>) {
        let points: Vec<(&Vec<Rational>, Scaled)> = self.points.iter().map(|point| (point, Scaled::new(point))).collect();
        for (index, row) in region.equations.iter().enumerate() {
            let row = Scaled::new(row);
            let witness = points.iter().find(|(_, point)| !self.restricted && row.product_sign(point) != 0);
            faults.extend(witness.map(|(point, _)| Fault::OutsideEquation(index, point.to_vec())));
        }
        for (index, row) in region.inequalities.iter().enumerate() {
            let row = Scaled::new(row);
            let witness = points.iter().find(|(_, point)| row.product_sign(point) > 0);
            faults.extend(witness.map(|(point, _)| Fault::OutsideInequality(index, point.to_vec())));
        }
    }

    /// The shadow of the region on some columns, if its boundary is closed.
    fn shadow(&self, region: &Region, subset: &[usize], faults: &mut Vec<Fault>) -> Option<Shadow> {
        let only = |row: &Vec<Rational>, kept: &[usize]| {
            row.iter().enumerate().skip(1).all(|(at, value)| value.is_zero() || kept.contains(&(at - 1)))
        };
        let mine: Vec<usize> =
            (0..region.inequalities.len()).filter(|&index| only(&region.inequalities[index], subset)).collect();
        let mentioned = |column: usize| mine.iter().any(|&index| !region.inequalities[index][column + 1].is_zero());
        // The body is a cylinder along a column that does not matter: it is as wide as its shadow without it.
        let free = |column: usize| self.marks.get(&column) == Some(&MonotoneRecord::Any) && !mentioned(column);
        let kept: Vec<usize> = subset.iter().copied().filter(|&column| !free(column)).collect();
        let narrow = |row: &Vec<Rational>| -> Vec<Rational> {
            std::iter::once(0).chain(kept.iter().map(|column| column + 1)).map(|at| row[at].clone()).collect()
        };
        let inequalities: Vec<Vec<Rational>> = mine.iter().map(|&index| narrow(&region.inequalities[index])).collect();
        let equations: Vec<Vec<Rational>> = region.equations.iter().filter(|row| only(row, &kept)).map(narrow).collect();
        let mut generators: BTreeSet<Vec<Rational>> = self.points.iter().map(narrow).collect();
        let mut rays: Vec<Vec<Rational>> = Vec::new();
        for (position, column) in kept.iter().enumerate() {
            let mut ray = |sign: i64| {
                let mut ray = vec![Rational::ZERO; kept.len() + 1];
                ray[position + 1] = Rational::integer(sign);
                rays.push(ray);
            };
            let mark = self.marks.get(column);
            if matches!(mark, Some(MonotoneRecord::More | MonotoneRecord::Any)) {
                ray(1);
            }
            if matches!(mark, Some(MonotoneRecord::Less | MonotoneRecord::Any)) {
                ray(-1);
            }
        }
        if self.inner {
            // What lies inside spans a part of the safe set, and to lie in that is enough. Any part will do: with the equations that
            // make it flat, or without those that were added for the sake of effects.
            let inside = |row: &Vec<Rational>| inequalities.iter().all(|inequality| dot(inequality, row).signum() <= 0);
            let flat = |row: &Vec<Rational>| equations.iter().all(|equation| dot(equation, row).is_zero());
            generators.retain(inside);
            rays.retain(inside);
            let part: Vec<Vec<Rational>> = generators.iter().chain(&rays).filter(|row| flat(row)).cloned().collect();
            if part.iter().any(|row| !row[0].is_zero())
                && let Ok(facets) = closed(&part, &inequalities.iter().collect::<Vec<_>>())
            {
                let facets = facets.into_iter().map(|index| mine[index]).collect();
                return Some(Shadow { kept, generators: part, facets });
            }
            if generators.is_empty() {
                faults.push(Fault::Empty);
                return None;
            }
        }
        let mut generators: Vec<Vec<Rational>> = generators.into_iter().collect();
        generators.extend(rays);
        match closed(&generators, &inequalities.iter().collect::<Vec<_>>()) {
            Ok(facets) => {
                let facets = facets.into_iter().map(|index| mine[index]).collect();
                Some(Shadow { kept, generators, facets })
            }
            Err(Flaw::Violated(index, generator)) => {
                // Observations outside are reported as such.
                if generators[generator][0].is_zero() {
                    faults.push(Fault::Direction(mine.get(index).copied().unwrap_or(0)));
                }
                None
            }
            Err(Flaw::Open(index)) => {
                faults.push(Fault::MissingFacet(kept, index.and_then(|index| mine.get(index).copied())));
                None
            }
        }
    }
}

/// What steps under one binding show: rows `(1, x)` and the changes of all functions.
pub(super) type Changes = BTreeMap<Binding, BTreeSet<(Vec<Rational>, Vec<Rational>)>>;

/// The learned effect on a function.
#[derive(Clone)]
struct Form {
    /// The change, as a row.
    change: Vec<Rational>,
    assigns: bool,
}

/// Obligation 7.
pub(super) struct Effects<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) columns: &'a [Monomial],
    pub(super) changes: &'a Changes,
    pub(super) undefined: &'a BTreeSet<usize>,
    pub(super) arity: Option<usize>,
}

/// What is wrong with an effect on a function.
pub(super) enum EffectFault {
    /// It is not of the class.
    Foreign(Effect),
    /// It reads or changes a function that has no value in some step.
    Undefined(usize),
    /// What was seen leaves it open somewhere in the region.
    Undetermined(usize),
    /// Two assignments to functions that may be one.
    Clash(usize, usize),
}

impl Effects<'_> {
    pub(super) fn faults(&self, region: &Region, effects: &[&Effect], admitted: &[Binding]) -> Vec<EffectFault> {
        let forms = match self.forms(effects) {
            Ok(forms) => forms,
            Err(fault) => return vec![fault],
        };
        let width = self.columns.len() + 1;
        let equations = region.equation_span(width);
        let functions = self.vocabulary.functions.len();
        let mut faults: BTreeMap<usize, EffectFault> = BTreeMap::new();
        faults.extend(
            self.undefined.iter().filter(|function| forms.contains_key(function)).map(|&f| (f, EffectFault::Undefined(f))),
        );
        let determined: Vec<bool> = (0..functions)
            .map(|function| {
                self.undefined.contains(&function) || self.alone_determined(function, forms.get(&function), &equations)
            })
            .collect();
        for binding in admitted {
            let mut classes: BTreeMap<(u32, Vec<usize>), Vec<usize>> = BTreeMap::new();
            for (index, function) in self.vocabulary.functions.iter().enumerate() {
                let (symbol, places) = key(binding, function);
                classes.entry((symbol.0, places)).or_default().push(index);
            }
            // Which functions are one under this binding, as equations.
            let mut together = equations.clone();
            for class in classes.values() {
                for pair in class.windows(2) {
                    let place = |function: usize| self.columns.iter().position(|column| column[..] == [function]);
                    if let (Some(one), Some(other)) = (place(pair[0]), place(pair[1])) {
                        let mut row = vec![Rational::ZERO; width];
                        row[one + 1] = Rational::ONE;
                        row[other + 1] = Rational::integer(-1);
                        together.insert(&row);
                    }
                }
            }
            for class in classes.values() {
                let assigning: Vec<usize> =
                    class.iter().copied().filter(|function| forms.get(function).is_some_and(|form| form.assigns)).collect();
                if let [one, other, ..] = assigning[..] {
                    faults.entry(one).or_insert(EffectFault::Clash(one, other));
                }
                let open = class.iter().copied().find(|&function| !determined[function]);
                if let Some(function) = open
                    && !self.seen_together(binding, &together)
                {
                    faults.entry(function).or_insert(EffectFault::Undetermined(function));
                }
            }
        }
        faults.into_values().collect()
    }

    fn forms(&self, effects: &[&Effect]) -> Result<BTreeMap<usize, Form>, EffectFault> {
        let mut forms = BTreeMap::new();
        for effect in effects {
            let numeric = match effect {
                Effect::Numeric(numeric) => numeric,
                Effect::Add(_) | Effect::Delete(_) => continue,
                _ => return Err(EffectFault::Foreign((*effect).clone())),
            };
            let form = || {
                let target = self.vocabulary.functions.iter().position(|known| *known == numeric.target)?;
                let value = self.vocabulary.polynomial(&numeric.value)?.row(self.columns)?;
                let (change, assigns) = match numeric.operator {
                    NumericOperator::Increase => (value, false),
                    NumericOperator::Decrease => (value.iter().map(|entry| -entry).collect(), false),
                    NumericOperator::Assign => {
                        let own = 1 + self.columns.iter().position(|column| column[..] == [target])?;
                        let mut change = value;
                        change[own] = &change[own] - &Rational::ONE;
                        (change, true)
                    }
                    NumericOperator::ScaleUp | NumericOperator::ScaleDown => return None,
                };
                Some((target, Form { change, assigns }))
            };
            let Some((target, form)) = form() else { return Err(EffectFault::Foreign((*effect).clone())) };
            if forms.insert(target, form).is_some() {
                return Err(EffectFault::Foreign((*effect).clone()));
            }
        }
        Ok(forms)
    }

    /// Whether every map that explains the changes of a function, where no other function is the same, agrees with the learned one
    /// all over the region.
    fn alone_determined(&self, function: usize, form: Option<&Form>, equations: &Span) -> bool {
        let width = self.columns.len() + 1;
        let mut joint = Span::new(width + 1);
        for (binding, steps) in self.changes {
            let mine = key(binding, &self.vocabulary.functions[function]);
            let same = self.vocabulary.functions.iter().filter(|other| key(binding, other) == mine).count();
            if same == 1 {
                for (row, changes) in steps {
                    let with: Vec<Rational> = row.iter().cloned().chain([changes[function].clone()]).collect();
                    joint.insert(&with);
                }
            }
        }
        if joint.rank() == 0 {
            return false;
        }
        let rows: Vec<Vec<Rational>> = joint.rows().cloned().collect();
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let Some(arity) = self.arity.filter(|&arity| arity < all.len()) else {
            return spans(&rows, &all, width, equations);
        };
        // Under E(k): every map that reads k columns, be it of the change or of the value.
        let learned = form.map_or_else(|| vec![Rational::ZERO; width], |form| form.change.clone());
        let own = self.columns.iter().position(|column| column[..] == [function]);
        let mut explained = false;
        let mut agrees = |subset: &Vec<usize>, value: Option<usize>| {
            let target = |row: &Vec<Rational>| value.map_or_else(|| row[width].clone(), |own| &row[width] + &row[own + 1]);
            let narrow = |row: &Vec<Rational>| -> Vec<Rational> {
                std::iter::once(&row[0])
                    .chain(subset.iter().map(|column| &row[column + 1]))
                    .cloned()
                    .chain([target(row)])
                    .collect()
            };
            let narrowed: Vec<Vec<Rational>> = rows.iter().map(narrow).collect();
            let span = Span::of(subset.len() + 2, &narrowed);
            let last = subset.len() + 1;
            if span.has_pivot(last) {
                return true;
            }
            explained = true;
            // The target is the last column, by the others: its orthogonal row has a one there.
            let Some(map) = span.null_space().pop() else { return false };
            let mut difference: Vec<Rational> = learned.clone();
            difference[0] = &difference[0] + &map[0];
            subset.iter().zip(&map[1..]).for_each(|(column, value)| difference[column + 1] = &difference[column + 1] + value);
            if let Some(own) = value {
                difference[own + 1] = &difference[own + 1] + &Rational::ONE;
            }
            spans(&rows, subset, width, equations) && equations.contains(&difference)
        };
        let sound = |subset: &Vec<usize>| agrees(subset, None) && own.is_none_or(|own| agrees(subset, Some(own)));
        subsets(all.len(), arity).iter().all(sound) && explained
    }

    /// Whether the binding was seen, and its steps determine all that happens under it in the region.
    fn seen_together(&self, binding: &Binding, equations: &Span) -> bool {
        let width = self.columns.len() + 1;
        let all: Vec<usize> = (0..self.columns.len()).collect();
        self.changes.get(binding).is_some_and(|steps| {
            let rows: Vec<Vec<Rational>> = steps.iter().map(|(row, _)| row.clone()).collect();
            spans(&rows, &all, width, equations)
        })
    }
}

/// Whether the equations keep some columns within the affine hull of the rows.
fn spans(rows: &[Vec<Rational>], columns: &[usize], width: usize, equations: &Span) -> bool {
    let narrow = |row: &Vec<Rational>| -> Vec<Rational> {
        std::iter::once(0).chain(columns.iter().map(|column| column + 1)).map(|at| row[at].clone()).collect()
    };
    let narrowed: Vec<Vec<Rational>> = rows.iter().map(narrow).collect();
    Span::of(columns.len() + 1, &narrowed).null_space().iter().all(|orthogonal| {
        let mut row = vec![Rational::ZERO; width];
        row[0] = orthogonal[0].clone();
        columns.iter().zip(&orthogonal[1..]).for_each(|(&column, value)| row[column + 1] = value.clone());
        equations.contains(&row)
    })
}
