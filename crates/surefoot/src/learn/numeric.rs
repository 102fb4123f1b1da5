//! The numeric part of a learned action: effects, the region where they are known and the precondition proves safe, and what
//! happens where several functions are one ground function (theory, sections 3, 4 and 6).

use std::collections::{BTreeMap, BTreeSet};

use super::assumptions::{Monotone, Settings};
use super::binding::Pattern;
use super::effect::{self, Affine, NumericForm, Unexplained};
use super::evidence::{ActionEvidence, PatternEvidence};
use super::learner::{Inconsistency, LeftOut};
use super::linear;
use super::literals::{BooleanModel, Disjunct, all_equal, not_all_equal};
use super::precondition::{Extent, Region, rays, region};
use super::rounding::round_inward;
use super::vocabulary::Vocabulary;
use crate::exact::{Constraint, Echelon, Rational, Row};
use crate::model::Condition;

/// The numeric part of a learned action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumericModel {
    /// The active columns; positions in regions and effects refer to these.
    pub columns: Vec<usize>,
    /// The numeric precondition.
    pub region: Region,
    /// By function.
    pub effects: Vec<NumericForm>,
    /// Conditions that keep several changes of one function apart where that was never seen.
    pub guards: Vec<Condition>,
}

impl Default for NumericModel {
    fn default() -> Self {
        let region =
            Region { equations: Vec::new(), inequalities: Vec::new(), dimension: 0, uncovered: 0, extent: Extent::Exact };
        NumericModel { columns: Vec::new(), region, effects: Vec::new(), guards: Vec::new() }
    }
}

/// Why there is no numeric part.
pub(super) enum NumericFailure {
    LeftOut(LeftOut),
    Inconsistent(Inconsistency),
}

/// The numeric part of one action, being concluded.
pub(super) struct Numeric<'a> {
    pub vocabulary: &'a Vocabulary,
    pub evidence: &'a ActionEvidence,
    /// The active columns.
    pub columns: Vec<usize>,
    pub settings: &'a Settings,
    /// By column: which way it may move.
    pub marks: Option<&'a BTreeMap<usize, Monotone>>,
}

impl Numeric<'_> {
    /// Effects first: where nothing explains them, facets would be computed in vain.
    pub fn conclude(&self, boolean: &BooleanModel) -> Result<NumericModel, NumericFailure> {
        let (mut effects, mut equations) = (Vec::new(), Vec::new());
        for function in 0..self.vocabulary.functions.len() {
            let (form, known_where) = self.effect(function)?;
            effects.push(form);
            equations.extend(known_where);
        }
        self.check_composition(&effects)?;
        let points = self.evidence.points(&self.columns);
        let mut region = region(&points, &rays(&self.columns, self.marks), self.settings.arity, self.settings.facet_budget);
        region.restrict(self.columns.len(), &equations);
        if let Some(digits) = self.settings.digits {
            let marked = |position: &usize| self.marks.is_some_and(|marks| marks.contains_key(&self.columns[*position]));
            let open: Vec<usize> = (0..self.columns.len()).filter(marked).collect();
            round_inward(&mut region, &points, &open, digits);
        }
        let guards = self.sharing_guards(boolean, &effects, &region);
        Ok(NumericModel { guards, columns: self.columns.clone(), region, effects })
    }

    /// The patterns under which the function is a ground function of its own.
    fn alone(&self, function: usize) -> impl Iterator<Item = &PatternEvidence> {
        let alone =
            move |pattern: &Pattern| pattern.classes(&self.vocabulary.functions).iter().any(|class| class[..] == [function]);
        self.evidence.patterns.iter().filter(move |(pattern, _)| alone(pattern)).map(|(_, entry)| entry)
    }

    /// The affine hull of `(1, active columns, change of a function)` under some patterns.
    fn joint<'e>(&self, function: usize, patterns: impl Iterator<Item = &'e PatternEvidence>) -> Echelon {
        let change = 1 + self.vocabulary.columns.len() + function;
        let kept: Vec<usize> = std::iter::once(0).chain(self.columns.iter().map(|column| column + 1)).chain([change]).collect();
        let narrowed = |row: &Row| Row::from_integers(kept.iter().map(|&index| row.integer(index)).collect());
        Echelon::span(kept.len(), patterns.flat_map(|entry| entry.joint.rows()).map(narrowed))
    }

    /// The effect on a function, and the equations of where it is known.
    fn effect(&self, function: usize) -> Result<(NumericForm, Vec<Row>), NumericFailure> {
        if self.evidence.undefined.contains(&function) {
            return Ok((NumericForm::Unchanged, Vec::new()));
        }
        let mut joint = self.joint(function, self.alone(function));
        if joint.rank() == 0 {
            // Never a ground function of its own. Under a single pattern its class changes as one, and the first member stands for
            // the others; the precondition keeps the equalities of the pattern, since no step refutes them.
            let Some((pattern, entry)) = self.evidence.patterns.iter().next().filter(|_| self.evidence.patterns.len() == 1)
            else {
                return Err(NumericFailure::LeftOut(LeftOut::SharedOnly { function }));
            };
            let classes = pattern.classes(&self.vocabulary.functions);
            if !classes.iter().any(|class| class[0] == function) {
                return Ok((NumericForm::Unchanged, Vec::new()));
            }
            joint = self.joint(function, std::iter::once(entry));
        }
        let own = self.own(function);
        let form = effect::simplest(&joint, own, self.settings.effect_arity).map_err(|why| {
            NumericFailure::Inconsistent(match why {
                Unexplained::NotAffine => Inconsistency::NotAffine { function },
                Unexplained::Arity => Inconsistency::EffectArity { function },
            })
        })?;
        Ok((form, self.determined(&joint, own)))
    }

    /// The equations of the set on which all maps that the evidence leaves possible agree.
    fn determined(&self, joint: &Echelon, own: Option<usize>) -> Vec<Row> {
        let columns = self.columns.len();
        let Some(arity) = self.settings.effect_arity.filter(|&arity| arity < columns) else {
            return Echelon::span(columns + 1, joint.rows().iter().map(without_last)).null_space();
        };
        let mut equations = Vec::new();
        let mut reference: Option<Affine> = None;
        for (subset, map) in effect::supports(joint, own, arity) {
            let kept: Vec<usize> = std::iter::once(0).chain(subset.iter().map(|column| column + 1)).collect();
            let narrowed = |row: &Row| Row::from_integers(kept.iter().map(|&index| row.integer(index)).collect());
            let shadow = Echelon::span(kept.len(), joint.rows().iter().map(narrowed));
            for equation in shadow.null_space() {
                let mut entries = vec![0.into(); columns + 1];
                entries[0] = equation.integer(0);
                subset.iter().enumerate().for_each(|(index, &column)| entries[column + 1] = equation.integer(index + 1));
                equations.push(Row::from_integers(entries));
            }
            match &reference {
                None => reference = Some(map),
                Some(reference) => equations.extend(difference(reference, &map, columns)),
            }
        }
        equations
    }

    /// Where functions are one ground function, some reading of their effects must explain what was seen.
    fn check_composition(&self, effects: &[NumericForm]) -> Result<(), NumericFailure> {
        for (pattern, entry) in &self.evidence.patterns {
            for class in pattern.classes(&self.vocabulary.functions) {
                let defined = !class.iter().any(|function| self.evidence.undefined.contains(function));
                let explained =
                    || [Together::AddUp, Together::Agree].iter().any(|&how| self.composes(how, &class, entry, effects));
                if class.len() > 1 && defined && self.evidence.patterns.len() > 1 && !explained() {
                    return Err(NumericFailure::Inconsistent(Inconsistency::Composition { functions: class }));
                }
            }
        }
        Ok(())
    }

    fn own(&self, function: usize) -> Option<usize> {
        self.vocabulary.column_of(function).and_then(|own| self.columns.iter().position(|&column| column == own))
    }

    /// What was seen of functions as one, as far as the effect of each alone is determined there: rows `(t, t·columns, t·change)`.
    fn seen_together(&self, class: &[usize], entry: &PatternEvidence) -> Vec<Vec<Rational>> {
        let seen = self.joint(class[0], std::iter::once(entry));
        let mut complement = Echelon::span(self.columns.len() + 2, seen.null_space());
        for &function in class {
            for equation in self.determined(&self.joint(function, self.alone(function)), self.own(function)) {
                let entries = (0..equation.len()).map(|index| equation.integer(index)).chain([0.into()]);
                complement.insert(&Row::from_integers(entries.collect()));
            }
        }
        let homogeneous = |row: &Row| (0..row.len()).map(|index| row.entry(index)).collect();
        complement.null_space().iter().map(homogeneous).collect()
    }

    fn composes(&self, how: Together, class: &[usize], entry: &PatternEvidence, effects: &[NumericForm]) -> bool {
        self.seen_together(class, entry).iter().all(|row| {
            let seen = &row[row.len() - 1];
            let changing = class.iter().filter(|&&function| effects[function] != NumericForm::Unchanged);
            let mut changes = changing.map(|&function| homogeneous_change(&effects[function], self.own(function), row));
            match how {
                Together::AddUp => changes.fold(Rational::ZERO, |sum, change| &sum + &change) == *seen,
                Together::Agree => changes.all(|change| change == *seen),
            }
        })
    }

    /// Keeps functions that may be one apart, unless and as far as what their effects then come to was seen.
    ///
    /// Apart, an increase and an assignment that says the same look alike, and so do no effect and one that changes nothing;
    /// together, increases add up, assignments must agree, and a mixture is a conflict, which makes the step inapplicable.
    /// - Several that change: known on the affine hull of the vectors with which exactly these were seen to be one, if the
    ///   model's own effects come to what was seen there.
    /// - One that changes, and one that does not: an assignment to the latter would forbid every change. Once a change was seen
    ///   there is none; until then only the affine hull of the vectors seen, where nothing changes, is known.
    /// - None that changes: increases and assignments agree, and having been seen as one they are not mixed.
    fn sharing_guards(&self, boolean: &BooleanModel, effects: &[NumericForm], region: &Region) -> Vec<Condition> {
        if self.evidence.patterns.len() == 1 {
            // The precondition keeps all equalities of the pattern, and all inequalities.
            return Vec::new();
        }
        let changes = |function: &usize| effects[*function] != NumericForm::Unchanged;
        let mut changing: Shared<'_> = BTreeMap::new();
        let mut all: Shared<'_> = BTreeMap::new();
        for (pattern, entry) in &self.evidence.patterns {
            for class in pattern.classes(&self.vocabulary.functions).into_iter().filter(|class| class.len() > 1) {
                changing.entry(class.iter().copied().filter(changes).collect()).or_default().push(entry);
                all.entry(class).or_default().push(entry);
            }
        }
        changing.retain(|class, entries| {
            let assigned = class.iter().filter(|&&function| matches!(effects[function], NumericForm::Assign(_))).count();
            let how = if assigned == 0 { Together::AddUp } else { Together::Agree };
            let coherent = assigned == 0 || assigned == class.len();
            class.len() > 1 && coherent && entries.iter().all(|entry| self.composes(how, class, entry, effects))
        });
        let functions: Vec<usize> =
            (0..self.vocabulary.functions.len()).filter(|function| !self.evidence.undefined.contains(function)).collect();
        let mut guards = Vec::new();
        for (index, &one) in functions.iter().enumerate() {
            for &other in &functions[index + 1..] {
                let pair = [one, other];
                let both = |class: &Vec<usize>| pair.iter().all(|function| class.contains(function));
                let mut seen = all.iter().filter(|(class, _)| both(class));
                let guard = match pair.iter().filter(|function| changes(function)).count() {
                    2 => {
                        let others: Vec<usize> = functions.iter().copied().filter(changes).collect();
                        self.sharing_guard(boolean, region, pair, &changing, &others)
                    }
                    1 if seen.any(|(class, entries)| entries.iter().any(|entry| self.changed_together(class, entry))) => None,
                    0 if seen.next().is_some() => None,
                    _ => self.sharing_guard(boolean, region, pair, &all, &[]),
                };
                guards.extend(guard);
            }
        }
        guards
    }

    fn changed_together(&self, class: &[usize], entry: &PatternEvidence) -> bool {
        self.seen_together(class, entry).iter().any(|row| !row[row.len() - 1].is_zero())
    }

    /// That two functions are not one; or that they are in one of the classes seen, without more of `others`, and on its hull.
    fn sharing_guard(
        &self,
        boolean: &BooleanModel,
        region: &Region,
        pair: [usize; 2],
        seen: &Shared<'_>,
        others: &[usize],
    ) -> Option<Condition> {
        let apart = not_all_equal(self.vocabulary, boolean, &self.equalities(&pair)?)?;
        if self.coinciding(region, &pair).contains(&Row::point(&vec![Rational::ZERO; self.columns.len()])) {
            // Together they contradict the region.
            return None;
        }
        let mut disjuncts: Vec<Condition> = Some(apart).filter(|apart| *apart != Condition::Or(Vec::new())).into_iter().collect();
        for (class, entries) in seen.iter().filter(|(class, _)| pair.iter().all(|function| class.contains(function))) {
            let mut conjuncts: Vec<Condition> = Vec::new();
            if class[..] != pair {
                match all_equal(self.vocabulary, boolean, self.equalities(class)?.into_iter().collect()) {
                    Disjunct::False => continue,
                    Disjunct::True => {}
                    Disjunct::Holds(condition) => conjuncts.push(condition),
                }
            }
            for &more in others.iter().filter(|function| !class.contains(function)) {
                let larger: Vec<usize> = class.iter().copied().chain([more]).collect();
                let equalities = self.equalities(&larger);
                conjuncts.extend(equalities.and_then(|equalities| not_all_equal(self.vocabulary, boolean, &equalities)));
            }
            let known = self.coinciding(region, class);
            let joint = self.joint(class[0], entries.iter().copied());
            let hull = Echelon::span(self.columns.len() + 1, joint.rows().iter().map(without_last));
            let open = hull.null_space().into_iter().filter(|equation| !known.contains(equation)).map(Constraint::homogeneous);
            conjuncts.extend(open.map(|equation| linear::condition(self.vocabulary, &self.columns, &equation, true)));
            match conjuncts.len() {
                0 => return None,
                1 => disjuncts.append(&mut conjuncts),
                _ => disjuncts.push(Condition::And(conjuncts)),
            }
        }
        Some(if disjuncts.len() == 1 { disjuncts.remove(0) } else { Condition::Or(disjuncts) })
    }

    /// The equalities under which these functions are one; `None` when they never are.
    fn equalities(&self, functions: &[usize]) -> Option<Vec<usize>> {
        let first = &self.vocabulary.functions[functions[0]];
        let mut needed = BTreeSet::new();
        for &function in &functions[1..] {
            needed.extend(self.vocabulary.unifier(first, &self.vocabulary.functions[function])?);
        }
        Some(needed.into_iter().collect())
    }

    /// The equations of the region, and those that hold where these functions are one: then others are, too.
    fn coinciding(&self, region: &Region, functions: &[usize]) -> Echelon {
        let mut known = Echelon::span(self.columns.len() + 1, region.equations.iter().map(Constraint::row));
        let equalities = self.equalities(functions).unwrap_or_default();
        let is_one = |one: usize, other: usize| {
            let needed = self.vocabulary.unifier(&self.vocabulary.functions[one], &self.vocabulary.functions[other]);
            needed.is_some_and(|needed| needed.iter().all(|equality| equalities.contains(equality)))
        };
        let merged = |column: usize| {
            let one = |&factor: &usize| (0..factor).find(|&earlier| is_one(earlier, factor)).unwrap_or(factor);
            let mut factors: Vec<usize> = self.vocabulary.columns[column].0.iter().map(one).collect();
            factors.sort_unstable();
            factors
        };
        let mut first: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for (position, &column) in self.columns.iter().enumerate() {
            let earlier = *first.entry(merged(column)).or_insert(position);
            if earlier != position {
                let mut entries = vec![0.into(); self.columns.len() + 1];
                entries[earlier + 1] = 1.into();
                entries[position + 1] = (-1).into();
                known.insert(&Row::from_integers(entries));
            }
        }
        known
    }
}

/// By class of functions that were seen to be one: where.
type Shared<'e> = BTreeMap<Vec<usize>, Vec<&'e PatternEvidence>>;

/// Functions that were seen to be one, whose changes no effects explain although each one's are explained.
pub(super) fn unexplained_together(vocabulary: &Vocabulary, evidence: &ActionEvidence) -> Option<Vec<usize>> {
    let (settings, columns) = (&Settings::default(), evidence.columns(vocabulary));
    let task = Numeric { vocabulary, evidence, columns, settings, marks: None };
    let form = |function| task.effect(function).map(|(form, _)| form);
    let effects: Result<Vec<NumericForm>, _> = (0..vocabulary.functions.len()).map(form).collect();
    match task.check_composition(&effects.ok()?) {
        Err(NumericFailure::Inconsistent(Inconsistency::Composition { functions })) => Some(functions),
        _ => None,
    }
}

/// What effects on one function come to.
#[derive(Clone, Copy)]
enum Together {
    /// All increase it: the sum.
    AddUp,
    /// All assign the same.
    Agree,
}

/// The change of a function at a homogeneous row `(t, t·x, ...)`, times `t`.
fn homogeneous_change(form: &NumericForm, own: Option<usize>, row: &[Rational]) -> Rational {
    let at = |affine: &Affine| {
        let constant = &affine.constant * &row[0];
        affine.terms.iter().fold(constant, |sum, (column, coefficient)| &sum + &(coefficient * &row[column + 1]))
    };
    match form {
        NumericForm::Unchanged => Rational::ZERO,
        NumericForm::Change(affine) => at(affine),
        NumericForm::Assign(affine) => &at(affine) - own.map_or(&Rational::ZERO, |own| &row[own + 1]),
    }
}

fn without_last(row: &Row) -> Row {
    Row::from_integers((0..row.len() - 1).map(|index| row.integer(index)).collect())
}

/// The equation that two maps agree, unless they always do.
fn difference(one: &Affine, other: &Affine, columns: usize) -> Option<Row> {
    let mut entries = vec![Rational::ZERO; columns + 1];
    entries[0] = &one.constant - &other.constant;
    for (column, value) in &one.terms {
        entries[column + 1] += value;
    }
    for (column, value) in &other.terms {
        entries[column + 1] += &-value;
    }
    let row = Row::direction(&entries);
    (!row.is_zero()).then_some(row)
}
