//! What the recorded steps show about numeric effects: of cells, and of functions that are alone in
//! theirs.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::bindings::cells;
use super::linear::{NumberRow, RowSpan, count_subsets, dot, minus, narrow, subsets, widen};
use super::observe::{ObservedSteps, StepValues};
use super::vocabulary::{ActionVocabulary, RowColumns, row};
use surefoot_base::exact::Rational;

/// The effect that the model has on a function.
pub(super) struct LearnedEffect {
    pub(super) kind: Nature,
    /// What is added, what is assigned; for a scaling, the value after it.
    pub(super) map: NumberRow,
}

/// What may be done to a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nature {
    /// The function certainly does not change.
    Nothing,
    /// Nothing, or an increase.
    Adds,
    /// The effect is an assignment.
    Assigns,
    /// A scaling, of the model; of the real action: any of all these.
    Any,
}

/// The functions in one cell in some steps, and what these show.
pub(super) struct CellStep {
    /// The homogeneous row `(1, x)` of the vector before the step.
    row: NumberRow,
    values: StepValues,
}

impl CellStep {
    /// Whether it gives a function another value.
    fn sets(&self, function: usize) -> bool {
        self.values.after[function].is_some() && self.values.changes(function)
    }

    /// Whether the record says what became of a function.
    fn tells(&self, function: usize, undefined: bool) -> bool {
        !self.values.untold_after.contains(&function)
            && (undefined || !self.values.untold_before.contains(&function))
    }

    /// What a map of the columns is to give; `None` where there is no value.
    fn target(&self, function: usize, target: EffectTarget) -> Option<Rational> {
        let after = self.values.after[function].as_ref()?;
        match target {
            EffectTarget::Value => Some(after.clone()),
            EffectTarget::Change => Some(after - self.values.before[function].as_ref()?),
        }
    }
}

/// What a map of the columns gives: a function's value after steps, or by how much they change it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EffectTarget {
    Value,
    Change,
}

/// What some steps span.
pub(super) struct StepSpan {
    pub(super) number: usize,
    /// The entries of rows that are looked at: the columns of the class, and perhaps a function's
    /// own.
    pub(super) entries: Vec<usize>,
    pub(super) span: RowSpan,
    width: usize,
    equations: OnceCell<Vec<NumberRow>>,
}

impl StepSpan {
    fn equations(&self) -> &[NumberRow] {
        self.equations.get_or_init(|| {
            let rows = self.span.null_space();
            rows.iter().map(|row| widen(row, &self.entries, self.width)).collect()
        })
    }
}

/// A key of spans: groups of steps, of which only those count whose record says what became of a
/// function; that function; and a function whose own column is added to those of the class.
type HullOf = (Vec<usize>, usize, Option<usize>);

/// What is known of a function where it is alone in its cell.
#[derive(Clone)]
pub(super) struct LoneFunction {
    pub(super) nature: Nature,
    pub(super) hull: Rc<StepSpan>,
}

impl LoneFunction {
    /// Whether at most an increase is done to it.
    pub(super) fn adds(&self) -> bool {
        self.nature == Nature::Adds
    }
}

/// More sets of functions than this are not looked at for one function.
pub(super) const MAX_SUPPORTS: usize = 50_000;

/// It would take too long to say.
pub(super) struct TooMany;

/// Learned effects, by function.
pub(super) type Forms = HashMap<usize, LearnedEffect>;

/// The steps of an action, by the cells that its functions form in them.
pub(super) struct StepEvidence<'a> {
    pub(super) columns: &'a RowColumns,
    /// The functions without a value before some step, and those that certainly nothing changes.
    pub(super) undefined: &'a [bool],
    pub(super) unchanged: &'a [bool],
    arity: Option<usize>,
    /// Steps with the same cells.
    groups: Vec<Vec<CellStep>>,
    /// By observed cell: the groups of its steps.
    seen: HashMap<Vec<usize>, Vec<usize>>,
    /// By function: the cells of several functions in which it was observed.
    shared: HashMap<usize, Vec<Vec<usize>>>,
    /// Functions without a value before some step that are certainly assigned.
    assigned: Vec<bool>,
    hulls: HashMap<HullOf, Option<Rc<StepSpan>>>,
    alone: HashMap<usize, Option<LoneFunction>>,
    needed: HashMap<usize, Option<Rc<Vec<NumberRow>>>>,
}

/// The members of each cell, given for each function the first of its cell.
pub(super) fn members(cells: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
    cells.iter().enumerate().for_each(|(function, &first)| all[first].push(function));
    all.retain(|cell| !cell.is_empty());
    all
}

impl<'a> StepEvidence<'a> {
    /// The steps without a value in some column of the class are left out.
    pub(super) fn new(
        vocabulary: &ActionVocabulary,
        columns: &'a RowColumns,
        observed: &ObservedSteps,
        (undefined, unchanged): (&'a [bool], &'a [bool]),
        arity: Option<usize>,
    ) -> Self {
        let class = &columns.all[..columns.active];
        let mut groups: Vec<Vec<CellStep>> = Vec::new();
        let mut numbers: HashMap<Vec<usize>, usize> = HashMap::new();
        for (binding, steps) in &observed.steps {
            let told: Vec<CellStep> = (steps.iter())
                .filter_map(|values| {
                    Some(CellStep { row: row(class, &values.before)?, values: values.clone() })
                })
                .collect();
            if told.is_empty() {
                continue;
            }
            let number =
                *numbers.entry(cells(binding, &vocabulary.functions)).or_insert_with(|| {
                    groups.push(Vec::new());
                    groups.len() - 1
                });
            groups[number].extend(told);
        }
        let mut seen: HashMap<Vec<usize>, Vec<usize>> = HashMap::new();
        let mut shared: HashMap<usize, Vec<Vec<usize>>> = HashMap::new();
        let mut assigned = vec![false; vocabulary.functions.len()];
        let mut ordered: Vec<(&Vec<usize>, &usize)> = numbers.iter().collect();
        ordered.sort_unstable();
        for (cells, &group) in ordered {
            for cell in members(cells) {
                let live: Vec<usize> =
                    cell.iter().copied().filter(|&function| !unchanged[function]).collect();
                if let [only] = live[..] {
                    assigned[only] |=
                        undefined[only] && groups[group].iter().any(|step| step.sets(only));
                }
                if cell.len() > 1 && !seen.contains_key(&cell) {
                    cell.iter().for_each(|&function| {
                        shared.entry(function).or_default().push(cell.clone())
                    });
                }
                seen.entry(cell).or_default().push(group);
            }
        }
        seen.values_mut().for_each(|groups| groups.sort_unstable());
        StepEvidence {
            columns,
            undefined,
            unchanged,
            arity,
            groups,
            seen,
            shared,
            assigned,
            hulls: HashMap::new(),
            alone: HashMap::new(),
            needed: HashMap::new(),
        }
    }

    /// Where the function's own column stands in a row.
    pub(super) fn own(&self, function: usize) -> Option<usize> {
        self.columns.find(&[function]).map(|column| column + 1)
    }

    /// Whether the function's own column is one of the class.
    pub(super) fn is_column(&self, function: usize) -> bool {
        self.own(function).is_some_and(|own| own <= self.columns.active)
    }

    /// Where the function's own column stands in a row, if it is none of the class.
    fn beside(&self, function: usize) -> Option<usize> {
        self.own(function).filter(|_| !self.is_column(function))
    }

    /// The span of the steps in some groups whose record says what became of a function, over the
    /// columns of the class and the own column of another function. `None` if that function has no
    /// value, or no column.
    fn hull(&mut self, groups: &[usize], of: usize, own: Option<usize>) -> Option<Rc<StepSpan>> {
        let key = (groups.to_vec(), of, own);
        if let Some(known) = self.hulls.get(&key) {
            return known.clone();
        }
        let hull = self.find_hull(groups, of, own).map(Rc::new);
        self.hulls.insert(key, hull.clone());
        hull
    }

    fn find_hull(&self, groups: &[usize], of: usize, own: Option<usize>) -> Option<StepSpan> {
        let mut entries: Vec<usize> = (0..=self.columns.active).collect();
        if let Some(function) = own {
            entries.push(self.own(function)?);
        }
        let mut span = RowSpan::new(entries.len());
        for step in self.steps(groups, of) {
            let mut row = step.row.clone();
            if let Some(function) = own {
                row.push(step.values.before[function].clone()?);
            }
            span.insert(&row);
        }
        Some(StepSpan {
            number: self.hulls.len(),
            entries,
            span,
            width: self.columns.width(),
            equations: OnceCell::new(),
        })
    }

    /// The steps of some groups whose record says what became of a function.
    fn steps<'s>(
        &'s self,
        groups: &'s [usize],
        function: usize,
    ) -> impl Iterator<Item = &'s CellStep> {
        let undefined = self.undefined[function];
        groups
            .iter()
            .flat_map(|&group| &self.groups[group])
            .filter(move |step| step.tells(function, undefined))
    }

    /// Hulls within each of which the new value of an observed cell is known.
    pub(super) fn cell(&mut self, cell: &[usize], live: &[usize]) -> Vec<Rc<StepSpan>> {
        let Some(groups) = self.seen.get(cell).cloned() else { return Vec::new() };
        let settled = live.iter().any(|&member| self.is_column(member))
            || self.nature(live, &groups).is_some();
        let own = live.iter().copied().find(|&member| self.beside(member).is_some());
        let mut hulls: Vec<Rc<StepSpan>> = Vec::new();
        // The members alias, so what a record says of one member it says of all.
        let Some(&of) = live.first().or(cell.first()) else { return hulls };
        if settled {
            hulls.extend(self.hull(&groups, of, None));
        }
        if own.is_some() {
            hulls.extend(self.hull(&groups, of, own));
        }
        hulls
    }

    /// Which of an increase and an assignment explains the steps of a cell without a column of its
    /// own, if only one of them does.
    fn nature(&self, live: &[usize], groups: &[usize]) -> Option<Nature> {
        let first = *live.first()?;
        let all_undefined = live.iter().all(|&member| self.undefined[member]);
        let adds = if all_undefined {
            !live.iter().any(|&member| self.assigned[member]) && self.keep(groups, first)
        } else {
            self.explained(groups, first, EffectTarget::Change)
        };
        match (adds, self.explained(groups, first, EffectTarget::Value)) {
            (true, false) if all_undefined => Some(Nature::Nothing),
            (true, false) => Some(Nature::Adds),
            (false, true) => Some(Nature::Assigns),
            _ => None,
        }
    }

    /// Whether a function has a value in all steps, and each leaves it as it was.
    fn keep(&self, groups: &[usize], function: usize) -> bool {
        self.steps(groups, function).all(|step| {
            step.target(function, EffectTarget::Change).is_some_and(|change| change.is_zero())
        })
    }

    /// Whether an affine map of the columns gives a target in all steps.
    fn explained(&self, groups: &[usize], function: usize, target: EffectTarget) -> bool {
        match self.joint(groups, function, target) {
            Some(joint) => !joint.has_pivot(self.columns.active + 1),
            None => false,
        }
    }

    /// The span of `(1, x, target)` over some steps; `None` where the target has no value in one of
    /// them.
    fn joint(&self, groups: &[usize], function: usize, target: EffectTarget) -> Option<RowSpan> {
        let mut joint = RowSpan::new(self.columns.active + 2);
        for step in self.steps(groups, function) {
            let with: NumberRow =
                step.row.iter().cloned().chain([step.target(function, target)?]).collect();
            joint.insert(&with);
        }
        Some(joint)
    }

    /// What is known of a function by the steps in which it is alone in its cell.
    pub(super) fn alone(&mut self, function: usize, forms: &Forms) -> Option<LoneFunction> {
        if let Some(known) = self.alone.get(&function) {
            return known.clone();
        }
        let alone = self.find_alone(function, forms);
        self.alone.insert(function, alone.clone());
        alone
    }

    fn find_alone(&mut self, function: usize, forms: &Forms) -> Option<LoneFunction> {
        let groups = self.seen.get(&[function][..])?.clone();
        let nature = if self.is_column(function) {
            Some(Nature::Any)
        } else {
            self.nature(&[function], &groups)
        };
        let (nature, hull) = match nature {
            Some(nature) => (nature, self.hull(&groups, function, None)?),
            // An increase and an assignment both explain the steps; they agree where its own value
            // is as it was.
            None => (Nature::Any, self.hull(&groups, function, Some(function))?),
        };
        let fits = match (nature, forms.get(&function).map(|form| form.kind)) {
            (Nature::Any, _) | (Nature::Nothing | Nature::Adds, None) => true,
            (nature, Some(kind)) => nature == kind,
            (Nature::Assigns, None) => false,
        };
        fits.then_some(LoneFunction { nature, hull })
    }

    /// Equations such that, where they hold, all maps that explain the steps in which a function is
    /// alone, and read no more functions than an effect may, agree with the model. `None` where no
    /// map does, and where the hull of those steps says as much.
    pub(super) fn needed(
        &mut self,
        function: usize,
        alone: &LoneFunction,
        forms: &Forms,
    ) -> Result<Option<Rc<Vec<NumberRow>>>, TooMany> {
        if let Some(known) = self.needed.get(&function) {
            return Ok(known.clone());
        }
        let functions = self.columns.functions().len();
        let arity = self.arity.filter(|&arity| arity < functions);
        let beside = alone.nature == Nature::Any && !self.is_column(function);
        let needed = match arity.or(beside.then_some(functions)) {
            None => None,
            Some(arity) => {
                count_subsets(functions, arity, MAX_SUPPORTS).ok_or(TooMany)?;
                self.find_needed(function, alone, forms, arity).map(Rc::new)
            }
        };
        self.needed.insert(function, needed.clone());
        Ok(needed)
    }

    fn find_needed(
        &self,
        function: usize,
        alone: &LoneFunction,
        forms: &Forms,
        arity: usize,
    ) -> Option<Vec<NumberRow>> {
        let width = self.columns.width();
        let groups = self.seen.get(&[function][..])?;
        let own = self.own(function).map(|own| {
            let mut row = vec![Rational::ZERO; width];
            row[own] = Rational::ONE;
            row
        });
        let form = forms.get(&function);
        let functions = self.columns.functions();
        // What the model says of each target that a real effect may be a map of.
        let mut targets: Vec<(RowSpan, NumberRow)> = Vec::new();
        let mut needed = RowSpan::new(width);
        let mut explained = false;
        match (&own, alone.nature) {
            (Some(own), _) => {
                let after = match form {
                    None => own.clone(),
                    Some(LearnedEffect { kind: Nature::Adds, map }) => {
                        map.iter().zip(own).map(|(a, b)| a + b).collect()
                    }
                    Some(form) => form.map.clone(),
                };
                if !self.undefined[function] {
                    targets.push((
                        self.joint(groups, function, EffectTarget::Change)?,
                        minus(&after, own),
                    ));
                } else if !self.assigned[function]
                    && self.steps(groups, function).all(|step| !step.values.changes(function))
                {
                    // Or it is left alone.
                    needed.insert(&minus(&after, own));
                    explained = true;
                }
                targets.push((self.joint(groups, function, EffectTarget::Value)?, after));
            }
            (None, Nature::Assigns) => {
                targets
                    .push((self.joint(groups, function, EffectTarget::Value)?, form?.map.clone()));
            }
            (None, _) => {
                let added =
                    form.map_or_else(|| vec![Rational::ZERO; width], |form| form.map.clone());
                targets.push((self.joint(groups, function, EffectTarget::Change)?, added));
            }
        }
        for subset in subsets(functions.len(), arity) {
            let chosen: Vec<usize> = subset.iter().map(|&at| functions[at]).collect();
            let mut entries: Vec<usize> = std::iter::once(0)
                .chain(self.columns.over(&chosen).iter().map(|at| at + 1))
                .collect();
            entries.push(self.columns.active + 1);
            let last = entries.len() - 1;
            for (joint, learned) in &targets {
                let narrowed: Vec<NumberRow> =
                    joint.rows().map(|row| narrow(row, &entries)).collect();
                let span = RowSpan::of(entries.len(), &narrowed);
                if span.has_pivot(last) {
                    continue;
                }
                explained = true;
                // Rows that are zero on all steps: equations of the columns, and last the one that
                // expresses the target by them.
                let mut orthogonal = span.null_space();
                let map = orthogonal.pop()?;
                for row in &orthogonal {
                    needed.insert(&widen(&row[..last], &entries, width));
                }
                let map = widen(&map[..last], &entries, width);
                needed.insert(&learned.iter().zip(&map).map(|(a, b)| a + b).collect::<NumberRow>());
            }
        }
        explained.then(|| needed.rows().cloned().collect())
    }

    /// The observed cells that have both functions.
    pub(super) fn together(&self, one: usize, other: usize) -> Vec<Vec<usize>> {
        let cells = self.shared.get(&one).into_iter().flatten();
        cells.filter(|cell| cell.contains(&other)).cloned().collect()
    }

    /// Whether some observed cell excludes that one function is assigned when another one is. All
    /// assignments in a cell give its value, so the cell changes by the change of each member whose
    /// change is known. On the span of the observations of a cell, cut by the equations of where
    /// the function is known, the two changes differ.
    pub(super) fn changed_otherwise(
        &mut self,
        function: usize,
        alone: &LoneFunction,
        change: &[Rational],
        together: &[Vec<usize>],
        forms: &Forms,
    ) -> Result<bool, TooMany> {
        let mut known: Vec<Vec<NumberRow>> = vec![alone.hull.equations().to_vec()];
        known.extend(self.needed(function, alone, forms)?.map(|needed| needed.to_vec()));
        // Over the columns of the class and that of the function.
        let entries: Vec<usize> = (0..=self.columns.active).chain(self.beside(function)).collect();
        let width = entries.len();
        let change = narrow(change, &entries);
        for cell in together {
            let Some(groups) = self.seen.get(cell) else { continue };
            let mut joint = RowSpan::new(width + 1);
            for step in self.steps(groups, function) {
                // Where there was no value before, there is no change to speak of.
                if let (Some(before), Some(after)) =
                    (&step.values.before[function], &step.values.after[function])
                {
                    let own = self.beside(function).map(|_| before.clone());
                    joint.insert(
                        &step
                            .row
                            .iter()
                            .cloned()
                            .chain(own)
                            .chain([after - before])
                            .collect::<NumberRow>(),
                    );
                }
            }
            let outside = joint.null_space();
            for equations in &known {
                let mut cut = RowSpan::of(width + 1, &outside);
                for equation in equations {
                    cut.insert(
                        &narrow(equation, &entries)
                            .into_iter()
                            .chain([Rational::ZERO])
                            .collect::<NumberRow>(),
                    );
                }
                if cut
                    .null_space()
                    .iter()
                    .any(|point| dot(&change, &point[..width]) != point[width])
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
