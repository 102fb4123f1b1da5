//! The numeric part of a learned action: effects, the region that the observations prove safe, and
//! guards that keep the action to where its effects are known (docs/theory.md, "Effects" and
//! "Cells").
//!
//! The precondition is the region, and for each cell that a binding has, the affine set on which
//! what happens to that cell is known:
//! - A function alone in its cell: the set D on which all maps that explain its steps agree.
//! - A cell that was seen: the affine hull A of the vectors it was seen with, if the effects of the
//!   model come to what was seen there.
//! - A cell that was not seen, or off its A: only where each member is known by itself, at most one
//!   of them changes, and no two of them can be in conflict.
//!
//! Sets that the region implies need no guard. Every step that was shown satisfies all of these,
//! since each of its cells was seen with its vector.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use surefoot_base::assumptions::Monotone;
use surefoot_base::exact::{Constraint, Echelon, Rational, Row};
use surefoot_base::ids::IdVec;
use surefoot_base::model::{Comparison, Condition, Expression};

use super::aliasing::{Cells, Choice, FunctionCell};
use super::conclusion::{Conclusion, Inconsistency, LeftOut, Unknown};
use super::effect::{Affine, Factors, NumericForm};
use super::inexact::Inexact;
use super::linear;
use super::literals::{BooleanModel, Disjunct, all_equal, not_all_equal, opposite};
use super::rays::{is_moved, rays};
use super::region::{Region, Vectors, is_unknown, region, spanned};
use super::rounding::round_inward;
use super::settings::Settings;
use crate::evidence::{
    ActionEvidence, ActiveColumn, ActiveColumns, ColumnId, EqualityId, LiftedFunctionId, Vocabulary,
};

/// The numeric part of a learned action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumericModel {
    /// The active columns, which the region and the effects are over.
    pub columns: ActiveColumns,
    /// The numeric precondition of the action.
    pub region: Region,
    /// The effect on each function.
    pub effects: IdVec<LiftedFunctionId, NumericForm>,
    /// Conditions that keep the action to where its numeric effects are known.
    pub guards: Vec<Condition>,
    /// Sets of functions that aliased in some step, and whose effects do not add up to what was
    /// observed: the guards forbid that they alias.
    pub forbidden: Vec<Vec<LiftedFunctionId>>,
    /// Where records are not exact: what is known then. The region above is for states that are
    /// records.
    pub inexact: Option<Arc<Inexact>>,
}

impl Default for NumericModel {
    fn default() -> Self {
        let region = Region::unbounded(0);
        NumericModel {
            columns: ActiveColumns::new(),
            region,
            effects: IdVec::new(),
            guards: Vec::new(),
            forbidden: Vec::new(),
            inexact: None,
        }
    }
}

/// The numeric part of one action, being concluded.
pub(crate) struct Numeric<'a> {
    pub vocabulary: &'a Vocabulary,
    pub evidence: &'a ActionEvidence,
    /// The columns that always had a value.
    pub columns: ActiveColumns,
    pub settings: &'a Settings,
    /// By column: which way it may move.
    pub marks: Option<&'a BTreeMap<ColumnId, Monotone>>,
}

impl Numeric<'_> {
    /// Effects first: where nothing explains them, facets would be computed in vain.
    pub fn conclude(&self, boolean: &BooleanModel) -> Result<NumericModel, Conclusion> {
        if self.vocabulary.is_inexact() {
            return self.conclude_inexact(boolean);
        }
        self.with_region(boolean, |vectors, rays, factors| {
            region(vectors, rays, factors, self.settings.arity, self.settings.facet_budget)
        })
    }

    /// Like `conclude`, with a region given by its generators: no budget bounds it, and no digits
    /// are rounded.
    pub fn conclude_spanned(&self, boolean: &BooleanModel) -> Result<NumericModel, Conclusion> {
        if self.vocabulary.is_inexact() {
            return self.conclude_inexact(boolean);
        }
        let exact = Settings { digits: None, ..self.settings.clone() };
        let numeric = Numeric { settings: &exact, columns: self.columns.clone(), ..*self };
        numeric.with_region(boolean, |vectors, rays, factors| {
            spanned(vectors, rays, factors, exact.arity)
        })
    }

    fn with_region(
        &self,
        boolean: &BooleanModel,
        region: impl FnOnce(Vectors<'_>, &[Vec<Rational>], &Factors) -> Region,
    ) -> Result<NumericModel, Conclusion> {
        let cells =
            Cells::new(self.vocabulary, self.evidence, &self.columns, self.settings.effect_arity)?;
        let choice = cells.choose()?;
        let points = self.evidence.points(&self.columns);
        let partial = self.evidence.partial_points(&self.columns);
        let vectors = Vectors { whole: &points, partial: &partial };
        if let Some(function) = cells.outcome_unknown() {
            return Err(Conclusion::LeftOut(LeftOut::OutcomeUnknown(Unknown::Function(function))));
        }
        if is_unknown(vectors, &cells.factors, self.settings.arity) {
            return Err(Conclusion::LeftOut(LeftOut::NeverComplete));
        }
        let rays = rays(self.vocabulary, &self.columns, self.marks, &points);
        let mut region = region(vectors, &rays, &cells.factors);
        let sharing = Sharing::new(self.vocabulary, &self.columns, boolean, &cells, &choice);
        region.restrict(self.columns.len(), &sharing.always());
        if let Some(digits) = self.settings.digits {
            let open: Vec<ActiveColumn> =
                self.columns.ids().filter(|&column| is_moved(column, &rays)).collect();
            round_inward(&mut region, &points, &open, digits);
        }
        let guards = sharing.guards(&region);
        region.remember(points, rays);
        let forbidden = cells
            .shared()
            .map(|cell| &cell.members)
            .filter(|members| !choice.coherent.contains(*members));
        let forbidden = forbidden.cloned().collect();
        Ok(NumericModel {
            guards,
            forbidden,
            columns: self.columns.clone(),
            region,
            effects: choice.forms,
            inexact: None,
        })
    }
}

/// Why no effects of the class explain the observed numbers, if none do.
pub(crate) fn contradiction(
    vocabulary: &Vocabulary,
    evidence: &ActionEvidence,
) -> Option<Inconsistency> {
    let columns = evidence.columns(vocabulary);
    if vocabulary.is_inexact() {
        let settings = &Settings::default();
        return Numeric { vocabulary, evidence, columns, settings, marks: None }
            .contradiction_inexact();
    }
    Cells::new(vocabulary, evidence, &columns, None)
        .and_then(|cells| cells.choose().map(|_| ()))
        .err()
}

/// Functions that aliased in some step, and whose joint changes no effects explain, although the
/// changes of each are explained; or that nothing can have changed, since they had no value and got
/// none.
pub(crate) fn unexplained_together(
    vocabulary: &Vocabulary,
    evidence: &ActionEvidence,
) -> Option<Vec<LiftedFunctionId>> {
    match contradiction(vocabulary, evidence)? {
        Inconsistency::Composition { functions } | Inconsistency::Undefined { functions } => {
            Some(functions)
        }
        _ => None,
    }
}

/// Guards about which functions alias.
struct Sharing<'a> {
    vocabulary: &'a Vocabulary,
    columns: &'a ActiveColumns,
    boolean: &'a BooleanModel,
    cells: &'a Cells<'a>,
    choice: &'a Choice,
    /// For each pair of functions: the equalities under which they alias.
    unifiers: IdVec<LiftedFunctionId, IdVec<LiftedFunctionId, Option<Vec<EqualityId>>>>,
    /// By function: what [`Cells::determined`] says of its form, once asked for. Every pair of
    /// functions asks.
    determined: IdVec<LiftedFunctionId, OnceCell<Option<Vec<Row>>>>,
}

/// The equations that are known to hold, found once for each set of equalities and each cell: many
/// pairs of functions ask for them.
struct KnownEquations<'a> {
    /// Those of the region.
    region: Echelon,
    /// Those where some equalities hold.
    coinciding: RefCell<BTreeMap<Vec<EqualityId>, Rc<Echelon>>>,
    /// By the members of an observed cell.
    hulls: RefCell<BTreeMap<&'a [LiftedFunctionId], Rc<CellHull>>>,
}

/// The affine hull of the vectors with which a cell was observed.
struct CellHull {
    /// The equations of the hull that are not known to hold whenever the members of the cell alias.
    open: Vec<Row>,
    /// All equations that hold on the hull when the members alias.
    all: Echelon,
}

/// Whether a function is a ground function of its own, given the equalities of the precondition.
enum Alone {
    Always,
    Never,
    /// Unless one of these holds.
    Unless(Vec<Condition>),
}

impl<'a> Sharing<'a> {
    fn new(
        vocabulary: &'a Vocabulary,
        columns: &'a ActiveColumns,
        boolean: &'a BooleanModel,
        cells: &'a Cells<'a>,
        choice: &'a Choice,
    ) -> Self {
        let functions = &vocabulary.functions;
        let unifiers = functions
            .iter()
            .map(|one| functions.iter().map(|other| vocabulary.unifier(one, other)).collect());
        let determined = functions.iter().map(|_| OnceCell::new()).collect();
        Sharing {
            vocabulary,
            columns,
            boolean,
            cells,
            choice,
            unifiers: unifiers.collect(),
            determined,
        }
    }

    fn functions(&self) -> impl Iterator<Item = LiftedFunctionId> + use<> {
        self.vocabulary.functions.ids()
    }

    fn alone(&self, function: LiftedFunctionId) -> Alone {
        let mut others = Vec::new();
        for other in self.functions().filter(|&other| other != function) {
            let Some(equalities) = self.equalities(&[function, other]) else { continue };
            match all_equal(self.vocabulary, self.boolean, equalities.into_iter().collect()) {
                Disjunct::True => return Alone::Never,
                Disjunct::False => {}
                Disjunct::Holds(condition) if others.contains(&condition) => {}
                Disjunct::Holds(condition) => others.push(condition),
            }
        }
        if others.is_empty() { Alone::Always } else { Alone::Unless(others) }
    }

    /// The equations of where the effects on functions that share no cell with another are known.
    fn always(&self) -> Vec<Row> {
        let alone =
            self.functions().filter(|&function| matches!(self.alone(function), Alone::Always));
        alone.filter_map(|function| self.determined(function)).flatten().cloned().collect()
    }

    /// The equations of where the effect on a function alone in its cell is known; `None` where it
    /// never is.
    fn determined(&self, function: LiftedFunctionId) -> Option<&[Row]> {
        let rows = self.determined[function]
            .get_or_init(|| self.cells.determined(function, &self.choice.forms[function]));
        rows.as_deref()
    }

    fn guards(&self, region: &Region) -> Vec<Condition> {
        let known = KnownEquations {
            region: Echelon::span(
                self.columns.len() + 1,
                region.equations().iter().map(Constraint::row),
            ),
            coinciding: RefCell::default(),
            hulls: RefCell::default(),
        };
        let mut guards = Vec::new();
        for function in self.functions() {
            guards.extend(self.guards_alone(function, &known.region));
        }
        for one in self.functions() {
            for other in self.functions().filter(|&other| other > one) {
                guards.extend(self.guard_together(&known, [one, other]));
            }
        }
        guards
    }

    /// Where the function is alone in its cell, its effect must be known.
    fn guards_alone(&self, function: LiftedFunctionId, known: &Echelon) -> Vec<Condition> {
        let others = match self.alone(function) {
            Alone::Never => return Vec::new(),
            Alone::Always => Vec::new(),
            Alone::Unless(others) => others,
        };
        let Some(equations) = self.determined(function) else {
            return vec![any_of(others)];
        };
        let equations = equations
            .iter()
            .filter(|row| !known.contains(row))
            .map(|row| self.equation(row.clone()));
        let value_before = self.cells.alone(function).and_then(|cell| self.value_before(cell));
        equations
            .chain(value_before)
            .map(|condition| any_of(others.iter().cloned().chain([condition]).collect()))
            .collect()
    }

    /// The condition that two functions do not alias, or are free, or are in one of the observed
    /// cells and on its hull. Nothing if the region implies it.
    fn guard_together(
        &self,
        equations: &KnownEquations<'a>,
        pair: [LiftedFunctionId; 2],
    ) -> Option<Condition> {
        let equalities = self.equalities(&pair)?;
        let apart = not_all_equal(self.vocabulary, self.boolean, &equalities)?;
        let known = self.coinciding(equations, &equalities);
        if known.contains(&Row::point(&vec![Rational::ZERO; self.columns.len()])) {
            // Together they contradict the region.
            return None;
        }
        let free = self.free(pair, &known);
        if free.iter().any(Vec::is_empty) {
            return None;
        }
        let mut disjuncts: Vec<Condition> =
            Some(apart).filter(|apart| *apart != Condition::Or(Vec::new())).into_iter().collect();
        disjuncts.extend(
            free.iter()
                .map(|rows| all_of(rows.iter().map(|row| self.equation(row.clone())).collect())),
        );
        let seen = self
            .cells
            .shared()
            .filter(|cell| pair.iter().all(|function| cell.members.contains(function)));
        for cell in seen.filter(|cell| self.choice.coherent.contains(&cell.members)) {
            let mut conjuncts: Vec<Condition> = Vec::new();
            let mine = self.equalities(&cell.members)?;
            let more =
                mine.iter().copied().filter(|equality| !equalities.contains(equality)).collect();
            match all_equal(self.vocabulary, self.boolean, more) {
                Disjunct::False => continue,
                Disjunct::True => {}
                Disjunct::Holds(condition) => conjuncts.push(condition),
            }
            for other in self.functions().filter(|function| !cell.members.contains(function)) {
                let larger: Vec<LiftedFunctionId> =
                    cell.members.iter().copied().chain([other]).collect();
                let Some(needed) = self.equalities(&larger) else { continue };
                let rest: Vec<EqualityId> =
                    needed.into_iter().filter(|equality| !mine.contains(equality)).collect();
                let outside = not_all_equal(self.vocabulary, self.boolean, &rest);
                conjuncts.extend(outside.filter(|condition| !conjuncts.contains(condition)));
            }
            let hull = self.hull(equations, cell, &mine);
            if free.iter().any(|rows| rows.iter().all(|row| hull.all.contains(row))) {
                // Where the cell was observed, they are free anyway.
                continue;
            }
            conjuncts.extend(hull.open.iter().map(|equation| self.equation(equation.clone())));
            conjuncts.extend(self.value_before(cell));
            if conjuncts.is_empty() {
                return None;
            }
            disjuncts.push(all_of(conjuncts));
        }
        let always_holds = disjuncts.iter().enumerate().any(|(index, disjunct)| {
            disjuncts[..index].iter().any(|earlier| opposite(earlier, disjunct))
        });
        (!always_holds).then(|| any_of(disjuncts))
    }

    /// Sets of equations, beyond those that are known to hold. Where all equations of one set hold,
    /// two functions that alias change as the model says: each is known by itself, at most one
    /// changes, and their effects are not in conflict. An empty set says that what is known
    /// suffices.
    fn free(&self, pair: [LiftedFunctionId; 2], known: &Echelon) -> Vec<Vec<Row>> {
        let Some(alternatives) = self.free_anywhere(pair) else { return Vec::new() };
        // The change of a function that is no column is a map of others only as far as the steps
        // say, so no point off the region counts.
        let beyond = pair.iter().all(|&function| {
            self.cells.fixed.contains(&function) || self.cells.own[function].is_some()
        });
        let mut found: Vec<Vec<Row>> = Vec::new();
        for rows in alternatives {
            let mut all = known.clone();
            let open: Vec<Row> = rows.into_iter().filter(|row| all.insert(row)).collect();
            let possible = !all.contains(&Row::point(&vec![Rational::ZERO; self.columns.len()]));
            if possible && (beyond || open.is_empty()) {
                found.push(open);
            }
        }
        // One that implies another says nothing more.
        let mut kept: Vec<Vec<Row>> = Vec::new();
        for (index, rows) in found.iter().enumerate() {
            let (earlier, later) = (&found[..index], &found[index + 1..]);
            if !earlier.iter().any(|other| implied(known, rows, other))
                && !later
                    .iter()
                    .any(|other| implied(known, rows, other) && !implied(known, other, rows))
            {
                kept.push(rows.clone());
            }
        }
        kept
    }

    /// Like `free`, but independent of what is known; `None` if one of the functions is never known
    /// by itself.
    fn free_anywhere(&self, [one, other]: [LiftedFunctionId; 2]) -> Option<Vec<Vec<Row>>> {
        let (mine, theirs) = (self.known_alone(one)?, self.known_alone(other)?);
        let where_known: Vec<Row> = mine.iter().chain(theirs).cloned().collect();
        if self.cells.fixed.contains(&one) || self.cells.fixed.contains(&other) {
            // Nothing changes that one, so there is no conflict.
            return Some(vec![where_known]);
        }
        let seen: Vec<&FunctionCell> = self
            .cells
            .shared()
            .filter(|cell| cell.members.contains(&one) && cell.members.contains(&other))
            .collect();
        let forms = [one, other].map(|function| &self.choice.forms[function]);
        let kinds: Vec<_> = forms
            .iter()
            .filter(|form| ***form != NumericForm::Unchanged)
            .map(|form| std::mem::discriminant(*form))
            .collect();
        if seen.is_empty() || kinds.windows(2).any(|two| two[0] != two[1]) {
            // They may be in conflict; or those of the model are, since the search for forms was
            // given up.
            return Some(Vec::new());
        }
        let changes = [(one, forms[0]), (other, forms[1])]
            .map(|(function, form)| form.change(self.cells.own[function]));
        // They aliased in some step, so their effects are of one kind. Two assignments would show
        // the change of each wherever it is known.
        let assigned = forms.iter().all(|form| matches!(form, NumericForm::Assign(_)));
        let is_refuted = !assigned
            && changes.iter().zip([mine, theirs]).any(|(change, known)| {
                change.as_ref().is_some_and(|change| {
                    seen.iter().any(|cell| changes_otherwise(cell, change, known))
                })
            });
        if is_refuted {
            return Some(
                changes
                    .iter()
                    .flatten()
                    .map(|change| where_known.iter().cloned().chain(self.still(change)).collect())
                    .collect(),
            );
        }
        // Assignments that change nothing agree, as do increases and scalings.
        let [Some(my_change), Some(their_change)] = &changes else { return Some(Vec::new()) };
        let unchanged = [my_change, their_change].map(|change| self.still(change));
        Some(vec![where_known.into_iter().chain(unchanged.into_iter().flatten()).collect()])
    }

    /// The equation that a change is none, unless it always is.
    fn still(&self, change: &Affine) -> Option<Row> {
        change.difference(&Affine::zero(), self.columns.len())
    }

    /// The equations of where a function is known by itself, with no doubt between a change and an
    /// assignment.
    fn known_alone(&self, function: LiftedFunctionId) -> Option<&[Row]> {
        let plain = self.cells.fixed.contains(&function)
            || self.cells.alone(function).is_some_and(|cell| self.cells.ambiguous(cell).is_none());
        self.determined(function).filter(|_| plain)
    }

    /// The value before that a step must have where it is no column, and what happens depends on
    /// it.
    fn value_before(&self, cell: &FunctionCell) -> Option<Condition> {
        let value = self.cells.ambiguous(cell)?;
        let function = self.vocabulary.functions[*cell.members.first()?].clone();
        Some(Condition::Compare(
            Comparison::Equal,
            Box::new([Expression::Function(function), self.expression(&value)]),
        ))
    }

    fn expression(&self, affine: &Affine) -> Expression {
        let terms: Vec<_> = affine
            .terms
            .iter()
            .map(|(column, value)| (self.columns[*column], value.clone()))
            .collect();
        linear::affine(self.vocabulary, &terms, &affine.constant)
    }

    fn equation(&self, row: Row) -> Condition {
        linear::condition(self.vocabulary, self.columns, &Constraint::homogeneous(row), true)
    }

    /// The equalities under which these functions alias; `None` if they never do.
    fn equalities(&self, functions: &[LiftedFunctionId]) -> Option<Vec<EqualityId>> {
        let mut needed = BTreeSet::new();
        for &function in &functions[1..] {
            needed.extend(self.unifiers[functions[0]][function].as_ref()?);
        }
        Some(needed.into_iter().collect())
    }

    /// Whether two functions alias wherever these equalities hold.
    fn alias_under(
        &self,
        equalities: &[EqualityId],
        one: LiftedFunctionId,
        other: LiftedFunctionId,
    ) -> bool {
        self.unifiers[one][other]
            .as_ref()
            .is_some_and(|needed| needed.iter().all(|equality| equalities.contains(equality)))
    }

    /// The equations of the region, and those that hold under these equalities, because functions
    /// alias then.
    fn coinciding(&self, equations: &KnownEquations<'a>, equalities: &[EqualityId]) -> Rc<Echelon> {
        if let Some(known) = equations.coinciding.borrow().get(equalities) {
            return Rc::clone(known);
        }
        // By function: the first function that it aliases, which may be itself.
        let least: IdVec<LiftedFunctionId, LiftedFunctionId> = self
            .functions()
            .map(|function| {
                self.functions()
                    .take_while(|&other| other < function)
                    .find(|&other| self.alias_under(equalities, other, function))
                    .unwrap_or(function)
            })
            .collect();
        let mut known = equations.region.clone();
        let mut first: BTreeMap<Vec<LiftedFunctionId>, ActiveColumn> = BTreeMap::new();
        for (active, &column) in self.columns.pairs() {
            let mut factors: Vec<LiftedFunctionId> =
                self.vocabulary.columns[column].0.iter().map(|&factor| least[factor]).collect();
            factors.sort_unstable();
            let earlier = *first.entry(factors).or_insert(active);
            if earlier != active {
                let mut entries = vec![0.into(); self.columns.len() + 1];
                entries[earlier.entry()] = 1.into();
                entries[active.entry()] = (-1).into();
                known.insert(&Row::from_integers(entries));
            }
        }
        let known = Rc::new(known);
        equations.coinciding.borrow_mut().insert(equalities.to_vec(), Rc::clone(&known));
        known
    }

    /// The hull of an observed cell whose members alias under these equalities.
    fn hull(
        &self,
        equations: &KnownEquations<'a>,
        cell: &'a FunctionCell,
        equalities: &[EqualityId],
    ) -> Rc<CellHull> {
        if let Some(hull) = equations.hulls.borrow().get(&cell.members[..]) {
            return Rc::clone(hull);
        }
        let known = self.coinciding(equations, equalities);
        let rows = cell.vectors.null_space();
        let mut all = Echelon::clone(&known);
        for row in &rows {
            all.insert(row);
        }
        let hull = Rc::new(CellHull {
            open: rows.into_iter().filter(|row| !known.contains(row)).collect(),
            all,
        });
        equations.hulls.borrow_mut().insert(&cell.members, Rc::clone(&hull));
        hull
    }
}

/// That one of several conditions holds.
fn any_of(mut conditions: Vec<Condition>) -> Condition {
    if conditions.len() == 1 { conditions.remove(0) } else { Condition::Or(conditions) }
}

/// One condition for several.
fn all_of(mut conditions: Vec<Condition>) -> Condition {
    if conditions.len() == 1 { conditions.remove(0) } else { Condition::And(conditions) }
}

/// Whether equations hold wherever those that are known and some more do.
fn implied(known: &Echelon, more: &[Row], equations: &[Row]) -> bool {
    let mut all = known.clone();
    for row in more {
        all.insert(row);
    }
    equations.iter().all(|row| all.contains(row))
}

/// Whether a cell changed otherwise than by this map in some step, somewhere on the span of its
/// vectors where some equations hold.
///
/// A vector of the span is `a·rows`. It changes otherwise where `a` is not orthogonal to the misses
/// of the rows. So none does where some equations hold exactly if the misses are a combination of
/// what these equations come to on the rows.
fn changes_otherwise(cell: &FunctionCell, change: &Affine, equations: &[Row]) -> bool {
    let Some(seen) = &cell.change else { return false };
    let last = seen.columns() - 1;
    let rows = seen.rows();
    let misses: Vec<Rational> =
        rows.iter().map(|row| &change.at_row(row) - &row.entry(last)).collect();
    if misses.iter().all(Rational::is_zero) {
        return false;
    }
    let values = equations.iter().map(|equation| values_on(equation, rows));
    !Echelon::span(rows.len(), values).contains(&Row::direction(&misses))
}

/// What an equation comes to on each of some rows.
fn values_on(equation: &Row, rows: &[Row]) -> Row {
    let products = rows.iter().map(|row| {
        (0..equation.len()).map(|entry| equation.integer(entry) * row.integer(entry)).sum()
    });
    Row::from_integers(products.collect())
}
