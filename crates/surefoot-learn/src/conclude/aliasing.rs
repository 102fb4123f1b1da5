//! Cells: functions that alias under a binding, what was observed of them, and effects that explain
//! it.
//!
//! With one object for two parameters, or a constant that the vocabulary also names, two functions
//! may alias. Let a *cell* be a maximal set of functions that are one under a pattern. A function
//! alone in its cell shows its own effect. Of a cell with several members all that shows is what
//! their effects come to: increases add up, scalings multiply, assignments must agree, and a
//! mixture is a conflict, which makes the step inapplicable, so that it is never recorded. Alone,
//! an increase, an assignment and a scaling may look alike; which of them is written down is
//! decided by the cells that were seen, for all functions that share one, together.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::exact::{Echelon, Rational, Row};
use surefoot_base::ids::{IdVec, first_ids};

use super::conclusion::Inconsistency;
use super::effect::{Affine, Factors, NumericForm, SeenEffect, Unexplained, entries_at, explained};
use crate::evidence::{
    ActionEvidence, ActiveColumn, ActiveColumns, Layout, LiftedFunctionId, PatternEvidence, Places,
    Vocabulary,
};

/// The observations of one cell.
pub(crate) struct FunctionCell {
    pub members: Vec<LiftedFunctionId>,
    /// Rows `(1, columns, change)`; none where the value before may be undefined.
    pub change: Option<Echelon>,
    /// Rows `(1, columns, value after)`; none where nothing changes it.
    pub after: Option<Echelon>,
    /// Rows `(1, columns)`: the affine hull of the vectors.
    pub vectors: Echelon,
    /// Whether it changed in some step.
    pub changed: bool,
    /// The column that is its value before.
    pub own: Option<ActiveColumn>,
}

/// All observed cells, over the active columns of an action.
pub(crate) struct Cells<'a> {
    pub evidence: &'a ActionEvidence,
    pub factors: Factors,
    /// By function: its own column, if that is active.
    pub own: IdVec<LiftedFunctionId, Option<ActiveColumn>>,
    pub effect_arity: Option<usize>,
    /// Functions that certainly nothing changes: those that had no value before some step and none
    /// after, and those that a map of relevant functions does not list and no step shows to change.
    pub fixed: BTreeSet<LiftedFunctionId>,
    pub seen: BTreeMap<Vec<LiftedFunctionId>, FunctionCell>,
}

/// Forms of all effects, and the cells with several members whose observations they explain.
pub(crate) struct Choice {
    pub forms: IdVec<LiftedFunctionId, NumericForm>,
    pub coherent: BTreeSet<Vec<LiftedFunctionId>>,
}

impl<'a> Cells<'a> {
    pub fn new(
        vocabulary: &Vocabulary,
        evidence: &'a ActionEvidence,
        columns: &ActiveColumns,
        effect_arity: Option<usize>,
    ) -> Result<Self, Inconsistency> {
        let own: IdVec<LiftedFunctionId, Option<ActiveColumn>> = vocabulary
            .functions
            .ids()
            .map(|function| {
                let wanted = vocabulary.column_of(function)?;
                columns.position(|&column| column == wanted)
            })
            .collect();
        let mut entries: BTreeMap<Vec<LiftedFunctionId>, Vec<&PatternEvidence>> = BTreeMap::new();
        for (pattern, entry) in &evidence.patterns {
            for cell in pattern.classes(&vocabulary.functions) {
                entries.entry(cell).or_default().push(entry);
            }
        }
        let factors = Factors::new(columns.iter().map(|&column| &vocabulary.columns[column].0));
        let fixed = fixed_functions(vocabulary, evidence, &entries);
        let mut cells =
            Cells { evidence, factors, own, effect_arity, fixed, seen: BTreeMap::new() };
        let layout = Layout::new(vocabulary);
        let places = Places::new(vocabulary);
        for (members, entries) in entries {
            let cell = cells.cell((&layout, &places), columns, members, &entries);
            if cell.changed && cell.members.iter().all(|function| cells.fixed.contains(function)) {
                return Err(Inconsistency::Undefined { functions: cell.members });
            }
            // If no step records everything that is needed, nothing was observed of the cell.
            if cell.vectors.rank() > 0 {
                cells.seen.insert(cell.members.clone(), cell);
            }
        }
        Ok(cells)
    }

    /// A function for which no step records its new value, by itself or together with others.
    pub fn outcome_unknown(&self) -> Option<LiftedFunctionId> {
        self.own.ids().find(|function| {
            !self.fixed.contains(function) && !self.seen.keys().any(|cell| cell.contains(function))
        })
    }

    fn cell(
        &self,
        (layout, all_places): (&Layout<'_>, &Places<'_>),
        columns: &ActiveColumns,
        members: Vec<LiftedFunctionId>,
        entries: &[&PatternEvidence],
    ) -> FunctionCell {
        let defined =
            members.iter().copied().find(|function| !self.evidence.undefined.contains(function));
        let assigned = members.iter().copied().find(|function| {
            self.evidence.undefined.contains(function)
                && !self.evidence.untouched.contains(function)
        });
        // Of the steps that do not record all numbers, those that record what is needed here: the
        // rows end in the change and the value after.
        let told = defined.or(assigned).map(|function| {
            let each = entries.iter().map(|entry| {
                entry.partial.of_function(all_places, columns, function, defined.is_none())
            });
            each.fold((false, Vec::new()), |(changed, mut all), (also, rows)| {
                all.extend(rows);
                (changed || also, all)
            })
        });
        let (partly_changed, partial) = told.unwrap_or_default();
        let rows = CellRows { columns, layout, entries, partial };
        let (change_at, after_at) = (columns.len() + 1, columns.len() + 2);
        let after = match (defined, assigned) {
            (Some(function), _) => Some(layout.after(function)),
            (None, Some(function)) => Some(vec![layout.target(function)]),
            (None, None) => None,
        };
        FunctionCell {
            change: defined.map(|function| rows.span(&[layout.target(function)], &[after_at])),
            after: after.map(|places| rows.span(&places, &[change_at])),
            vectors: rows.span(&[], &[change_at, after_at]),
            changed: partly_changed
                || entries
                    .iter()
                    .any(|entry| members.iter().any(|function| entry.changed.contains(function))),
            own: members
                .iter()
                .filter(|function| !self.evidence.undefined.contains(function))
                .find_map(|&function| self.own[function]),
            members,
        }
    }

    /// The observations of a function that was alone in its cell.
    pub fn alone(&self, function: LiftedFunctionId) -> Option<&FunctionCell> {
        self.seen.get(&vec![function])
    }

    /// The cells with several members.
    pub fn shared(&self) -> impl Iterator<Item = &FunctionCell> {
        self.seen.values().filter(|cell| cell.members.len() > 1)
    }

    pub fn target<'c>(&'c self, cell: &'c FunctionCell) -> SeenEffect<'c> {
        SeenEffect {
            change: cell.change.as_ref(),
            after: cell.after.as_ref(),
            own: cell.own,
            factors: &self.factors,
        }
    }

    /// The equations of where the effect on a function alone in its cell is known to be the given
    /// one; `None` where it never is.
    pub fn determined(&self, function: LiftedFunctionId, form: &NumericForm) -> Option<Vec<Row>> {
        if self.fixed.contains(&function) {
            return Some(Vec::new());
        }
        let cell = self.alone(function)?;
        Some(self.target(cell).determined(form, self.effect_arity))
    }

    /// A value to which the action must keep, if the value before a step is no column, and a change
    /// and an assignment explain the same observations: for other values they say different things.
    /// `None` if only one of them explains the observations, or the value is a column.
    pub fn ambiguous(&self, cell: &FunctionCell) -> Option<Affine> {
        if cell.own.is_some() || cell.members.iter().all(|function| self.fixed.contains(function)) {
            return None;
        }
        let all: Vec<ActiveColumn> = first_ids(self.columns()).collect();
        let change = match &cell.change {
            Some(change) => explained(change, &all)?,
            None if cell.changed => return None,
            None => Affine::zero(),
        };
        let value = explained(cell.after.as_ref()?, &all)?;
        let mut coefficients: IdVec<ActiveColumn, Rational> =
            IdVec::filled(Rational::ZERO, self.columns());
        value.terms.iter().for_each(|(column, coefficient)| coefficients[*column] += coefficient);
        change
            .terms
            .iter()
            .for_each(|(column, coefficient)| coefficients[*column] += &-coefficient);
        Some(Affine::from_coefficients(&value.constant - &change.constant, coefficients))
    }

    fn columns(&self) -> usize {
        self.factors.columns()
    }

    /// Whether forms add up to the observations of a cell, everywhere on the affine hull of its
    /// vectors.
    pub fn comes_to(
        &self,
        cell: &FunctionCell,
        form: impl Fn(LiftedFunctionId) -> NumericForm,
    ) -> bool {
        let forms: Vec<NumericForm> = cell
            .members
            .iter()
            .map(|&function| form(function))
            .filter(|form| *form != NumericForm::Unchanged)
            .collect();
        let last = self.factors.target();
        let Some(first) = forms.first() else { return !cell.changed };
        match first {
            NumericForm::Unchanged => false,
            NumericForm::Change(_) => cell.change.as_ref().is_some_and(|hull| {
                let maps: Option<Vec<&Affine>> = forms
                    .iter()
                    .map(|form| if let NumericForm::Change(map) = form { Some(map) } else { None })
                    .collect();
                let Some(maps) = maps else { return false };
                hull.rows().iter().all(|row| {
                    let sum = maps.iter().fold(Rational::ZERO, |sum, map| &sum + &map.at_row(row));
                    sum == row.entry(last)
                })
            }),
            NumericForm::Assign(_) => cell.after.as_ref().is_some_and(|hull| {
                hull.rows().iter().all(|row| {
                    let value = row.entry(last);
                    forms.iter().all(
                        |form| matches!(form, NumericForm::Assign(map) if map.at_row(row) == value),
                    )
                })
            }),
            NumericForm::Scale(_) => {
                let factors = forms
                    .iter()
                    .map(|form| if let NumericForm::Scale(by) = form { Some(by) } else { None });
                let product = factors.collect::<Option<Vec<_>>>().map(|all| {
                    all.into_iter().fold(Rational::ONE, |product, factor| &product * factor)
                });
                let (Some(product), Some(hull), Some(own)) = (product, &cell.after, cell.own)
                else {
                    return false;
                };
                hull.rows().iter().all(|row| &product * &row.entry(own.entry()) == row.entry(last))
            }
        }
    }

    /// Whether the forms that were chosen so far add up to the observations of a cell.
    fn comes_to_chosen(
        &self,
        cell: &FunctionCell,
        forms: &IdVec<LiftedFunctionId, Option<NumericForm>>,
    ) -> bool {
        self.comes_to(cell, |function| or_unchanged(forms[function].as_ref()))
    }

    /// Chooses the form of each effect: the simplest for a function alone; for functions that
    /// aliased, forms that together add up to the observations.
    pub fn choose(&self) -> Result<Choice, Inconsistency> {
        let mut forms: IdVec<LiftedFunctionId, Option<NumericForm>> = IdVec::new();
        for function in self.own.ids() {
            forms.push(self.form_alone(function)?);
        }
        for component in self.components() {
            self.settle(&component, &mut forms)?;
        }
        let forms: IdVec<LiftedFunctionId, NumericForm> =
            forms.into_iter().map(|form| form.unwrap_or(NumericForm::Unchanged)).collect();
        let coherent =
            self.shared().filter(|cell| self.comes_to(cell, |function| forms[function].clone()));
        Ok(Choice { coherent: coherent.map(|cell| cell.members.clone()).collect(), forms })
    }

    /// The simplest form of a function alone; `None` where it was never alone.
    fn form_alone(&self, function: LiftedFunctionId) -> Result<Option<NumericForm>, Inconsistency> {
        if self.fixed.contains(&function) {
            return Ok(Some(NumericForm::Unchanged));
        }
        let Some(cell) = self.alone(function) else { return Ok(None) };
        if !cell.changed {
            return Ok(Some(NumericForm::Unchanged));
        }
        self.target(cell).simplest(self.effect_arity).map(Some).map_err(|why| match why {
            Unexplained::NotAffine => Inconsistency::NotAffine { function },
            Unexplained::Arity => Inconsistency::EffectArity { function },
        })
    }

    /// Functions that share cells, directly or through others.
    fn components(&self) -> Vec<Vec<LiftedFunctionId>> {
        // By function: the least of those that it is joined with.
        let mut least: IdVec<LiftedFunctionId, LiftedFunctionId> = self.own.ids().collect();
        for cell in self.shared() {
            let joined: BTreeSet<LiftedFunctionId> =
                cell.members.iter().map(|&function| least[function]).collect();
            let Some(&first) = joined.first() else { continue };
            least
                .as_mut_slice()
                .iter_mut()
                .filter(|known| joined.contains(known))
                .for_each(|known| *known = first);
        }
        let mut components: BTreeMap<LiftedFunctionId, Vec<LiftedFunctionId>> = BTreeMap::new();
        for (function, &least) in least.pairs() {
            components.entry(least).or_default().push(function);
        }
        components.into_values().filter(|component| component.len() > 1).collect()
    }

    /// Finds forms for functions that share cells. If there are none, no model of the class
    /// explains the observations. If the search is given up, the forms stay as they are, and the
    /// cells that they do not explain are left to guards.
    fn settle(
        &self,
        component: &[LiftedFunctionId],
        forms: &mut IdVec<LiftedFunctionId, Option<NumericForm>>,
    ) -> Result<(), Inconsistency> {
        let shared: Vec<&FunctionCell> =
            self.shared().filter(|cell| component.contains(&cell.members[0])).collect();
        let complete = component.iter().all(|&function| forms[function].is_some());
        if complete && shared.iter().all(|cell| self.comes_to_chosen(cell, forms)) {
            return Ok(());
        }
        let mut search = EffectSearch {
            cells: self,
            shared: &shared,
            forms,
            tries: MAX_CHOICES,
            gave_up: Cell::new(false),
            kinds: BTreeMap::new(),
        };
        if let Some(found) = search.over(component) {
            found.into_iter().for_each(|(function, form)| forms[function] = Some(form));
            return Ok(());
        }
        if search.tries > 0 && !search.gave_up.get() {
            let unexplained =
                shared.iter().find(|cell| !self.comes_to_chosen(cell, forms)).or(shared.first());
            let functions =
                unexplained.map_or_else(|| component.to_vec(), |cell| cell.members.clone());
            return Err(Inconsistency::Composition { functions });
        }
        Ok(())
    }
}

/// The functions that certainly nothing changes (see [`Cells::fixed`]), given the observations by
/// cell.
fn fixed_functions(
    vocabulary: &Vocabulary,
    evidence: &ActionEvidence,
    entries: &BTreeMap<Vec<LiftedFunctionId>, Vec<&PatternEvidence>>,
) -> BTreeSet<LiftedFunctionId> {
    let unlisted: BTreeSet<LiftedFunctionId> = vocabulary
        .functions
        .ids()
        .filter(|&function| vocabulary.column_of(function).is_none())
        .collect();
    let mut shown: BTreeSet<LiftedFunctionId> = BTreeSet::new();
    for (members, entries) in entries {
        let changed =
            entries.iter().any(|entry| members.iter().any(|&function| entry.changes(function)));
        let only_unlisted = members
            .iter()
            .all(|function| unlisted.contains(function) || evidence.untouched.contains(function));
        if changed && only_unlisted {
            shown.extend(members);
        }
    }
    vocabulary
        .functions
        .ids()
        .filter(|function| {
            evidence.untouched.contains(function)
                || unlisted.contains(function) && !shown.contains(function)
        })
        .collect()
}

/// The rows that were observed of one cell.
struct CellRows<'e> {
    columns: &'e ActiveColumns,
    layout: &'e Layout<'e>,
    /// The patterns of the cell, whose rows are laid out by `layout`.
    entries: &'e [&'e PatternEvidence],
    /// Rows `(1, columns, change, value after)` of steps that do not record all numbers.
    partial: Vec<Row>,
}

impl CellRows<'_> {
    /// The span of the rows `(1, columns, target)`, or `(1, columns)` without a target. The target
    /// is the sum of the entries at `places` of a row that is laid out, and what is left of a
    /// partial row without the entries that are dropped.
    fn span(&self, places: &[usize], dropped: &[usize]) -> Echelon {
        let width = self.columns.len() + 1 + usize::from(!places.is_empty());
        let whole = self
            .entries
            .iter()
            .flat_map(|entry| entry.joint.rows())
            .map(|row| self.narrowed(row, places));
        let partial = self
            .partial
            .iter()
            .map(|row| entries_at(row, (0..row.len()).filter(|place| !dropped.contains(place))));
        Echelon::span(width, whole.chain(partial))
    }

    /// A row that is laid out, over the columns and the sum of the entries at some places, if any.
    fn narrowed(&self, row: &Row, places: &[usize]) -> Row {
        let kept =
            std::iter::once(0).chain(self.columns.iter().map(|&column| self.layout.column(column)));
        let target = places.iter().map(|&place| row.integer(place)).sum::<dashu_int::IBig>();
        let last = Some(target).filter(|_| !places.is_empty());
        Row::from_integers(kept.map(|place| row.integer(place)).chain(last).collect())
    }
}

/// A function without a form does not change.
fn or_unchanged(form: Option<&NumericForm>) -> NumericForm {
    form.cloned().unwrap_or(NumericForm::Unchanged)
}

/// At most this many combinations of kinds of effects are tried for functions that share cells.
const MAX_CHOICES: usize = 4_096;

/// More unknown coefficients than this are not solved for together.
const MAX_UNKNOWNS: usize = 3_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EffectKind {
    Nothing,
    Change,
    Assign,
    Scale,
}

/// Searches for kinds of effects, and then for effects of these kinds, that add up to the
/// observations of all cells.
struct EffectSearch<'c, 'a> {
    cells: &'c Cells<'a>,
    shared: &'c [&'c FunctionCell],
    forms: &'c IdVec<LiftedFunctionId, Option<NumericForm>>,
    tries: usize,
    /// Whether some combination was not looked at to the end: then finding nothing proves nothing.
    gave_up: Cell<bool>,
    kinds: BTreeMap<LiftedFunctionId, EffectKind>,
}

impl EffectSearch<'_, '_> {
    /// The last function is decided first, and most readily to be unchanged: of functions that are
    /// always one, the first stands for all.
    fn over(
        &mut self,
        rest: &[LiftedFunctionId],
    ) -> Option<BTreeMap<LiftedFunctionId, NumericForm>> {
        let Some((&function, rest)) = rest.split_last() else {
            if self.tries == 0 {
                return None;
            }
            self.tries -= 1;
            return self.solved();
        };
        for kind in self.possible(function) {
            self.kinds.insert(function, kind);
            if self.is_coherent(function)
                && let Some(found) = self.over(rest)
            {
                return Some(found);
            }
            if self.tries == 0 {
                return None;
            }
        }
        self.kinds.remove(&function);
        None
    }

    fn possible(&self, function: LiftedFunctionId) -> Vec<EffectKind> {
        let evidence = self.cells.evidence;
        if self.cells.fixed.contains(&function) {
            return vec![EffectKind::Nothing];
        }
        let preferred = self.forms[function].as_ref().map(|form| match form {
            NumericForm::Unchanged => EffectKind::Nothing,
            NumericForm::Change(_) => EffectKind::Change,
            NumericForm::Assign(_) => EffectKind::Assign,
            NumericForm::Scale(_) => EffectKind::Scale,
        });
        let changed = self.cells.alone(function).is_some_and(|cell| cell.changed);
        let undefined = evidence.undefined.contains(&function);
        let others =
            [EffectKind::Nothing, EffectKind::Change, EffectKind::Assign, EffectKind::Scale]
                .into_iter()
                .filter(|&kind| Some(kind) != preferred);
        preferred
            .into_iter()
            .chain(others)
            .filter(|kind| match kind {
                EffectKind::Nothing => !changed,
                EffectKind::Change => !undefined,
                EffectKind::Assign => true,
                EffectKind::Scale => !undefined && self.cells.own[function].is_some(),
            })
            .collect()
    }

    /// Whether the cells of a function whose members are all decided mix no kinds.
    fn is_coherent(&self, function: LiftedFunctionId) -> bool {
        self.shared.iter().filter(|cell| cell.members.contains(&function)).all(|cell| {
            let decided: Option<Vec<EffectKind>> =
                cell.members.iter().map(|member| self.kinds.get(member).copied()).collect();
            let Some(decided) = decided else { return true };
            let mut changing = decided.into_iter().filter(|&kind| kind != EffectKind::Nothing);
            match changing.next() {
                None => !cell.changed,
                Some(kind) => changing.all(|other| other == kind),
            }
        })
    }

    /// The functions whose effect is of this kind.
    fn of_kind(&self, wanted: EffectKind) -> impl Iterator<Item = LiftedFunctionId> {
        self.kinds.iter().filter(move |(_, kind)| **kind == wanted).map(|(&function, _)| function)
    }

    fn solved(&self) -> Option<BTreeMap<LiftedFunctionId, NumericForm>> {
        let mut forms: BTreeMap<LiftedFunctionId, NumericForm> = self
            .of_kind(EffectKind::Nothing)
            .map(|function| (function, NumericForm::Unchanged))
            .collect();
        for function in self.of_kind(EffectKind::Assign) {
            forms.insert(function, self.assignment(function)?);
        }
        forms.extend(self.scalings(&self.of_kind(EffectKind::Scale).collect::<Vec<_>>())?);
        let changing: Vec<LiftedFunctionId> = self.of_kind(EffectKind::Change).collect();
        forms.extend(self.changes_alone(&changing).or_else(|| self.changes_together(&changing))?);
        let alone = forms.keys().filter_map(|&function| self.cells.alone(function));
        alone
            .chain(self.shared.iter().copied())
            .all(|cell| self.cells.comes_to(cell, |function| or_unchanged(forms.get(&function))))
            .then_some(forms)
    }

    /// The cells of a function: alone, and with others.
    fn cells_of(&self, function: LiftedFunctionId) -> impl Iterator<Item = &FunctionCell> {
        let shared =
            self.shared.iter().copied().filter(move |cell| cell.members.contains(&function));
        self.cells.alone(function).into_iter().chain(shared)
    }

    /// An assignment must agree with the observations in every cell of its function.
    fn assignment(&self, function: LiftedFunctionId) -> Option<NumericForm> {
        let mut after = Echelon::new(self.cells.factors.target() + 1);
        for cell in self.cells_of(function) {
            after.merge(cell.after.as_ref()?);
        }
        let target = SeenEffect {
            change: None,
            after: Some(&after),
            own: self.cells.own[function],
            factors: &self.cells.factors,
        };
        target.simplest(self.cells.effect_arity).or_else(|_| target.simplest(None)).ok()
    }

    /// Factors that were observed alone, or as the last unknown factor of a product.
    fn scalings(
        &self,
        functions: &[LiftedFunctionId],
    ) -> Option<BTreeMap<LiftedFunctionId, NumericForm>> {
        let mut factors: BTreeMap<LiftedFunctionId, Rational> = BTreeMap::new();
        loop {
            let known = factors.len();
            for cell in functions.iter().flat_map(|&function| self.cells_of(function)) {
                let scaling = cell.members.iter().filter(|member| functions.contains(member));
                let (settled, open): (Vec<LiftedFunctionId>, Vec<LiftedFunctionId>) =
                    scaling.copied().partition(|member| factors.contains_key(member));
                if let ([open], Some(product)) = (&open[..], self.factor(cell)) {
                    let others = settled
                        .iter()
                        .fold(Rational::ONE, |product, member| &product * &factors[member]);
                    let Some(factor) = product.checked_div(&others) else {
                        self.gave_up.set(true);
                        return None;
                    };
                    factors.insert(*open, factor);
                }
            }
            if factors.len() == known {
                break;
            }
        }
        if factors.len() < functions.len() {
            // Known only as a product of several that are unknown.
            self.gave_up.set(true);
        }
        let all = functions
            .iter()
            .all(|function| factors.get(function).is_some_and(|factor| *factor != Rational::ONE));
        all.then(|| {
            factors
                .into_iter()
                .map(|(function, factor)| (function, NumericForm::Scale(factor)))
                .collect()
        })
    }

    /// By what a cell was multiplied.
    fn factor(&self, cell: &FunctionCell) -> Option<Rational> {
        let (own, last) = (cell.own?.entry(), self.cells.factors.target());
        cell.after
            .as_ref()?
            .rows()
            .iter()
            .find_map(|row| row.entry(last).checked_div(&row.entry(own)))
    }

    /// The simplest change of each function, if these add up to the observations.
    fn changes_alone(
        &self,
        functions: &[LiftedFunctionId],
    ) -> Option<BTreeMap<LiftedFunctionId, NumericForm>> {
        let mut forms = BTreeMap::new();
        for &function in functions {
            let cell = self.cells.alone(function)?;
            let target = SeenEffect { after: None, ..self.cells.target(cell) };
            forms.insert(function, target.simplest(self.cells.effect_arity).ok()?);
        }
        self.shared
            .iter()
            .filter(|cell| cell.members.iter().any(|member| functions.contains(member)))
            .all(|cell| self.cells.comes_to(cell, |function| or_unchanged(forms.get(&function))))
            .then_some(forms)
    }

    /// Changes that add up to the observations, as a system of linear equations for all their
    /// coefficients.
    fn changes_together(
        &self,
        functions: &[LiftedFunctionId],
    ) -> Option<BTreeMap<LiftedFunctionId, NumericForm>> {
        let (count, columns) = (functions.len(), self.cells.columns());
        let unknowns = count * (columns + 1);
        if unknowns > MAX_UNKNOWNS {
            self.gave_up.set(true);
            return None;
        }
        let mut system = Echelon::new(unknowns + 1);
        let cells: BTreeMap<&Vec<LiftedFunctionId>, &FunctionCell> = functions
            .iter()
            .flat_map(|&function| self.cells_of(function))
            .map(|cell| (&cell.members, cell))
            .collect();
        for cell in cells.values() {
            for row in cell.change.as_ref()?.rows() {
                let mut entries = vec![dashu_int::IBig::ZERO; unknowns + 1];
                for (member, _) in functions
                    .iter()
                    .enumerate()
                    .filter(|(_, function)| cell.members.contains(function))
                {
                    for entry in 0..=columns {
                        entries[unknown_at(entry, member, count)] = row.integer(entry);
                    }
                }
                entries[unknowns] = row.integer(self.cells.factors.target());
                system.insert(&Row::from_integers(entries));
            }
        }
        if system.pivots().contains(&unknowns) {
            return None;
        }
        let mut solution = vec![Rational::ZERO; unknowns];
        for (row, &pivot) in system.rows().iter().zip(system.pivots()) {
            solution[pivot] = row.entry(unknowns).checked_div(&row.entry(pivot))?;
        }
        let mut forms = BTreeMap::new();
        for (member, &function) in functions.iter().enumerate() {
            // It may read more than the effect arity says; where it is alone, guards keep it to
            // where all that read less agree with it.
            let map = Affine::from_coefficients(
                solution[unknown_at(0, member, count)].clone(),
                (1..=columns).map(|entry| solution[unknown_at(entry, member, count)].clone()),
            );
            let zero = map == Affine::zero();
            forms.insert(
                function,
                if zero { NumericForm::Unchanged } else { NumericForm::Change(map) },
            );
        }
        Some(forms)
    }
}

/// The place of an unknown coefficient among those of `count` functions: that of an entry of
/// `(1, columns)` in the change of one of them. Constants come first, so that they are preferred to
/// columns.
fn unknown_at(entry: usize, member: usize, count: usize) -> usize {
    entry * count + member
}
