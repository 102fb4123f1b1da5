//! Numeric effects are determined wherever the model allows a step.
//!
//! Under a binding the functions that are one ground function form a *cell*. What becomes of a cell depends on the effects of its
//! members, and these read the vector x alone, so it is enough to look at one cell at a time. For each admitted binding the
//! *equations* are those of the precondition, those that say that columns are one product under the binding, and what guards leave.
//! They must confine x to where the steps determine what happens to the cell, in one of these ways:
//!
//! - *Nobody changes it.* Each member had, in some step, no value before and none after.
//! - *The cell was seen.* On the affine hull of the vectors with which exactly this cell was seen. Its members' effects do not conflict
//!   by their kinds, or it could not have been seen; increases add up to an affine change, scalings multiply, assignments agree on all
//!   that was seen, hence on its hull. So what really becomes of the cell is affine in x, and so is what the model makes of it, and
//!   they agree on points that span the hull.
//! - *Each member is known by itself, and they go together.* A member is known by itself on the affine hull of the vectors of steps in
//!   which it was alone; under an effect arity, where all maps that explain those steps agree with the model and each other. Two
//!   members may still conflict: one may be assigned, the other increased by what is zero there. At most one member f is changed by the
//!   model. Members that were seen in one cell have no conflicting kinds. Where both f and an unchanged u were assigned, they would
//!   have agreed wherever they were seen together, and u's assignment is no change where u is known by itself: a change at such a
//!   point excludes it. What is left adds up, multiplies, or is done by one alone, which is what the model says.
//!
//! All this takes for granted that the value before is among the columns, so that increases, assignments and scalings are maps of
//! columns alike. A function without a column of its own (it had no value before some step, or is not among the relevant ones) is
//! increased by a map of the columns, or assigned one, and the two differ elsewhere: the steps must exclude one of them. One that had
//! no value before some step is assigned or left alone.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::Kind;
use super::bindings::{Binding, cells};
use super::guards::{Left, left};
use super::linear::{Equations, Row, Span, count_subsets, minus, narrow, subsets, widen};
use super::observe::Observed;
use super::vocabulary::{Columns, Vocabulary};
use super::words::Found;
use crate::exact::Rational;
use crate::model::{Condition, Effect, NumericOperator};

/// A learned effect.
struct Form {
    kind: Nature,
    /// What is added, what is assigned; for a scaling, the value after it.
    map: Row,
}

/// What may be done to a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    /// Nothing, for certain.
    Nothing,
    /// Nothing, or an increase.
    Adds,
    /// An assignment.
    Assigns,
    /// A scaling, of the model; of the real action: any of all these.
    Any,
}

/// The functions in one cell in some steps, and what these show.
struct Step {
    /// `(1, x)`
    row: Row,
    before: Vec<Option<Rational>>,
    after: Vec<Option<Rational>>,
}

/// What some steps span.
struct Hull {
    number: usize,
    span: Span,
    equations: OnceCell<Vec<Row>>,
}

impl Hull {
    fn equations(&self) -> &[Row] {
        self.equations.get_or_init(|| self.span.null_space())
    }
}

/// What is known of a function where it is alone in its cell.
#[derive(Clone)]
struct Alone {
    nature: Nature,
    hull: Rc<Hull>,
}

/// More sets of functions than this are not looked at for one function.
const MAX_SUPPORTS: usize = 50_000;
/// More cells than this are not looked at.
const MAX_CELLS: usize = 20_000_000;

/// It would take too long to say.
struct TooMany;

/// What is to be verified.
pub(super) struct Effects<'a> {
    vocabulary: &'a Vocabulary,
    columns: &'a Columns,
    undefined: &'a [bool],
    untouched: &'a [bool],
    arity: Option<usize>,
    /// By group of steps with the same cells: which function is the first of each one's cell, and the steps.
    groups: Vec<Vec<Step>>,
    /// By cell that was seen: the groups.
    seen: HashMap<Vec<usize>, Vec<usize>>,
    /// By function: the cells of several that were seen with it.
    shared: HashMap<usize, Vec<Vec<usize>>>,
    /// Functions without a value before some step that are certainly assigned.
    assigned: Vec<bool>,
    forms: HashMap<usize, Form>,
    hulls: HashMap<Vec<usize>, Rc<Hull>>,
    alone: HashMap<usize, Option<Alone>>,
    needed: HashMap<usize, Option<Rc<Vec<Row>>>>,
}

fn members(cells: &[usize]) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
    cells.iter().enumerate().for_each(|(function, &first)| all[first].push(function));
    all.retain(|cell| !cell.is_empty());
    all
}

impl<'a> Effects<'a> {
    /// `row` makes `(1, x)` of values; `None` where some column has none.
    pub(super) fn new(
        vocabulary: &'a Vocabulary,
        columns: &'a Columns,
        observed: &Observed,
        (undefined, untouched): (&'a [bool], &'a [bool]),
        arity: Option<usize>,
        row: &dyn Fn(&[Option<Rational>]) -> Option<Row>,
    ) -> Self {
        let mut groups: Vec<Vec<Step>> = Vec::new();
        let mut numbers: HashMap<Vec<usize>, usize> = HashMap::new();
        for (binding, steps) in &observed.steps {
            let number = *numbers.entry(cells(binding, &vocabulary.functions)).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            let step = |(before, after): &(Vec<Option<Rational>>, Vec<Option<Rational>>)| {
                Some(Step { row: row(before)?, before: before.clone(), after: after.clone() })
            };
            groups[number].extend(steps.iter().filter_map(step));
        }
        let mut seen: HashMap<Vec<usize>, Vec<usize>> = HashMap::new();
        let mut shared: HashMap<usize, Vec<Vec<usize>>> = HashMap::new();
        let mut assigned = vec![false; vocabulary.functions.len()];
        let mut ordered: Vec<(&Vec<usize>, &usize)> = numbers.iter().collect();
        ordered.sort_unstable();
        for (cells, &group) in ordered {
            for cell in members(cells) {
                let live: Vec<usize> = cell.iter().copied().filter(|&function| !untouched[function]).collect();
                if let [only] = live[..] {
                    let changes = |step: &Step| step.after[only].is_some() && step.before[only] != step.after[only];
                    assigned[only] |= undefined[only] && groups[group].iter().any(changes);
                }
                if cell.len() > 1 && !seen.contains_key(&cell) {
                    cell.iter().for_each(|&function| shared.entry(function).or_default().push(cell.clone()));
                }
                seen.entry(cell).or_default().push(group);
            }
        }
        seen.values_mut().for_each(|groups| groups.sort_unstable());
        Effects {
            vocabulary,
            columns,
            undefined,
            untouched,
            arity,
            groups,
            seen,
            shared,
            assigned,
            forms: HashMap::new(),
            hulls: HashMap::new(),
            alone: HashMap::new(),
            needed: HashMap::new(),
        }
    }

    /// Verifies the numeric ones among the effects under all possible bindings.
    pub(super) fn check(
        &mut self,
        effects: &[&Effect],
        conditions: &[&Condition],
        equations: &Equations,
        bindings: &[&Binding],
        found: &mut Found<'_>,
    ) {
        if !self.read(effects, found) {
            return;
        }
        if bindings.len().saturating_mul(self.vocabulary.functions.len()) > MAX_CELLS {
            return found.push(Kind::Unverifiable, "its functions can be one in too many ways");
        }
        let guards: Vec<&Condition> =
            conditions.iter().copied().filter(|condition| !matches!(condition, Condition::Compare(..))).collect();
        let mut asked: HashSet<(Vec<usize>, Vec<Row>)> = HashSet::new();
        let mut open: BTreeSet<Vec<usize>> = BTreeSet::new();
        for binding in bindings {
            let Some(mut rows) = self.left(&guards, binding) else { continue };
            let cells = cells(binding, &self.vocabulary.functions);
            if !asked.insert((cells.clone(), rows.clone())) {
                continue;
            }
            self.same_products(&cells, &mut rows);
            let all = equations.with(&rows);
            if all.is_impossible() {
                continue;
            }
            let mut within: HashMap<usize, bool> = HashMap::new();
            for cell in members(&cells) {
                match self.determined(&cell, &all, &mut within) {
                    Ok(true) => {}
                    Ok(false) => {
                        if open.insert(cell.clone()) {
                            let names: Vec<String> = cell.iter().map(|&function| found.function(function)).collect();
                            let binding = found.binding(binding);
                            let what = names.join(", which is one with ");
                            found.push(Kind::Effect, format!("the steps do not determine what becomes of {what}{binding}"));
                        }
                    }
                    Err(TooMany) => {
                        let names: Vec<String> = cell.iter().map(|&function| found.function(function)).collect();
                        return found.push(
                            Kind::Unverifiable,
                            format!(
                                "there are more than {MAX_SUPPORTS} sets of functions that the effect on {} may read",
                                names.join(", ")
                            ),
                        );
                    }
                }
            }
        }
    }

    /// Reads the effects; whether they are of the class.
    fn read(&mut self, effects: &[&Effect], found: &mut Found<'_>) -> bool {
        for effect in effects {
            let numeric = match effect {
                Effect::Numeric(numeric) => numeric,
                Effect::Add(_) | Effect::Delete(_) => continue,
                _ => {
                    found.foreign_effect(effect);
                    return false;
                }
            };
            let form = || {
                let target = self.vocabulary.function(&numeric.target)?;
                let value = self.vocabulary.polynomial(&numeric.value)?.row(self.columns)?;
                let number = || value.iter().skip(1).all(Rational::is_zero).then(|| value[0].clone());
                let scaled = |factor: Rational| {
                    let mut after = vec![Rational::ZERO; self.columns.width()];
                    after[self.own(target)?] = factor;
                    Some(Form { kind: Nature::Any, map: after })
                };
                let form = match numeric.operator {
                    NumericOperator::Increase => Form { kind: Nature::Adds, map: value },
                    NumericOperator::Decrease => Form { kind: Nature::Adds, map: value.iter().map(|entry| -entry).collect() },
                    NumericOperator::Assign => Form { kind: Nature::Assigns, map: value },
                    NumericOperator::ScaleUp => scaled(number()?)?,
                    NumericOperator::ScaleDown => scaled(number()?.recip()?)?,
                };
                Some((target, form))
            };
            let Some((target, form)) = form() else {
                found.foreign_effect(effect);
                return false;
            };
            if self.untouched[target] || (self.undefined[target] && form.kind != Nature::Assigns) {
                let function = found.function(target);
                found.push(Kind::Effect, format!("it changes {function}, which a step shows that it does not"));
                return false;
            }
            if self.forms.insert(target, form).is_some() {
                found.foreign_effect(effect);
                return false;
            }
        }
        true
    }

    /// Where the function's own column stands in a row.
    fn own(&self, function: usize) -> Option<usize> {
        self.columns.find(&[function]).map(|column| column + 1)
    }

    /// What guards leave under a binding; `None` where they cannot hold.
    fn left(&self, guards: &[&Condition], binding: &Binding) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for guard in guards {
            match left(guard, binding, self.vocabulary, self.columns) {
                Left::False => return None,
                Left::True => {}
                Left::Only(equations) => rows.extend(equations),
            }
        }
        rows.sort_unstable();
        rows.dedup();
        Some(rows)
    }

    /// Adds that columns are equal which are one product.
    fn same_products(&self, cells: &[usize], rows: &mut Vec<Row>) {
        let mut first: HashMap<Vec<usize>, usize> = HashMap::new();
        for (number, column) in self.columns.all.iter().enumerate() {
            let mut product: Vec<usize> = column.iter().map(|&factor| cells[factor]).collect();
            product.sort_unstable();
            let same = *first.entry(product).or_insert(number);
            if same != number {
                let mut row = vec![Rational::ZERO; self.columns.width()];
                row[same + 1] = Rational::ONE;
                row[number + 1] = Rational::integer(-1);
                rows.push(row);
            }
        }
    }

    fn hull(&mut self, groups: &[usize]) -> Rc<Hull> {
        if let Some(known) = self.hulls.get(groups) {
            return Rc::clone(known);
        }
        let rows = groups.iter().flat_map(|&group| &self.groups[group]).map(|step| &step.row);
        let span = Span::of(self.columns.width(), rows);
        let hull = Rc::new(Hull { number: self.hulls.len(), span, equations: OnceCell::new() });
        self.hulls.insert(groups.to_vec(), Rc::clone(&hull));
        hull
    }

    fn steps<'s>(&'s self, groups: &'s [usize]) -> impl Iterator<Item = &'s Step> {
        groups.iter().flat_map(|&group| &self.groups[group])
    }

    /// Whether the equations keep to where the steps determine what becomes of a cell.
    fn determined(&mut self, cell: &[usize], equations: &Equations, within: &mut HashMap<usize, bool>) -> Result<bool, TooMany> {
        let live: Vec<usize> = cell.iter().copied().filter(|&function| !self.untouched[function]).collect();
        if live.is_empty() {
            return Ok(true);
        }
        if let Some(groups) = self.seen.get(cell).cloned() {
            let hull = self.hull(&groups);
            if self.stays(equations, &hull, within) && self.one_nature(&live, &groups) {
                return Ok(true);
            }
        }
        let mut changing: Vec<(usize, Alone)> = Vec::new();
        for &member in &live {
            let Some(alone) = self.alone(member) else { return Ok(false) };
            if alone.nature == Nature::Nothing {
                continue;
            }
            if !self.stays(equations, &alone.hull, within) {
                let Some(needed) = self.needed(member, &alone)? else { return Ok(false) };
                if !needed.iter().all(|row| equations.imply(row)) {
                    return Ok(false);
                }
            }
            changing.push((member, alone));
        }
        let changed = changing.iter().filter(|(member, _)| self.forms.contains_key(member)).count();
        let adds = |alone: &Alone| alone.nature == Nature::Adds;
        if changing.len() <= 1 || changing.iter().all(|(_, alone)| adds(alone)) {
            return Ok(true);
        }
        if changed > 1 {
            return Ok(false);
        }
        for (index, (one, first)) in changing.iter().enumerate() {
            for (other, second) in &changing[index + 1..] {
                if adds(first) && adds(second) {
                    continue;
                }
                let together = self.together(*one, *other);
                let changes = self.forms.contains_key(one) || self.forms.contains_key(other);
                let harmless = !changes || adds(first) || adds(second);
                if together.is_empty() || !(harmless || self.changed_together((*one, first), (*other, second), &together)?) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn stays(&self, equations: &Equations, hull: &Hull, within: &mut HashMap<usize, bool>) -> bool {
        let all: Vec<usize> = (0..self.columns.width()).collect();
        *within.entry(hull.number).or_insert_with(|| equations.stay_in(&hull.span, &all))
    }

    /// Whether steps of a cell leave no doubt whether it is increased or assigned, where the two differ.
    fn one_nature(&self, live: &[usize], groups: &[usize]) -> bool {
        live.iter().any(|&member| self.own(member).is_some()) || self.nature(live, groups).is_some()
    }

    /// Which of an increase and an assignment explains the steps of a cell without a column of its own, if only one of them does.
    fn nature(&self, live: &[usize], groups: &[usize]) -> Option<Nature> {
        let first = *live.first()?;
        let value = |step: &Step| step.after[first].clone();
        let change = |step: &Step| Some(step.after[first].as_ref()? - step.before[first].as_ref()?);
        let left_alone = || {
            !live.iter().any(|&member| self.assigned[member])
                && self.steps(groups).all(|step| change(step).is_some_and(|change| change.is_zero()))
        };
        let all_undefined = live.iter().all(|&member| self.undefined[member]);
        let adds = if all_undefined { left_alone() } else { self.explained(groups, &change) };
        match (adds, self.explained(groups, &value)) {
            (true, false) if all_undefined => Some(Nature::Nothing),
            (true, false) => Some(Nature::Adds),
            (false, true) => Some(Nature::Assigns),
            _ => None,
        }
    }

    /// Whether an affine map of the columns gives a target in all steps.
    fn explained(&self, groups: &[usize], target: &dyn Fn(&Step) -> Option<Rational>) -> bool {
        match self.joint(groups, target) {
            Some(joint) => !joint.has_pivot(self.columns.width()),
            None => false,
        }
    }

    /// The span of `(1, x, target)` over some steps; `None` where the target has no value in one of them.
    fn joint(&self, groups: &[usize], target: &dyn Fn(&Step) -> Option<Rational>) -> Option<Span> {
        let mut joint = Span::new(self.columns.width() + 1);
        for step in self.steps(groups) {
            let with: Row = step.row.iter().cloned().chain([target(step)?]).collect();
            joint.insert(&with);
        }
        Some(joint)
    }

    /// What is known of a function by the steps in which it is alone in its cell.
    fn alone(&mut self, function: usize) -> Option<Alone> {
        if let Some(known) = self.alone.get(&function) {
            return known.clone();
        }
        let alone = self.find_alone(function);
        self.alone.insert(function, alone.clone());
        alone
    }

    fn find_alone(&mut self, function: usize) -> Option<Alone> {
        let groups = self.seen.get(&[function][..])?.clone();
        let hull = self.hull(&groups);
        let nature = match self.own(function) {
            Some(_) => Nature::Any,
            None => self.nature(&[function], &groups)?,
        };
        let fits = match (nature, self.forms.get(&function).map(|form| form.kind)) {
            (Nature::Any, _) | (Nature::Nothing | Nature::Adds, None) => true,
            (nature, Some(kind)) => nature == kind,
            (Nature::Assigns, None) => false,
        };
        fits.then_some(Alone { nature, hull })
    }

    /// Under an effect arity: equations such that, where they hold, all maps that explain the steps in which a function is alone agree
    /// with the model. `None` without an arity that matters, and where no map does.
    fn needed(&mut self, function: usize, alone: &Alone) -> Result<Option<Rc<Vec<Row>>>, TooMany> {
        if let Some(known) = self.needed.get(&function) {
            return Ok(known.clone());
        }
        let functions = self.columns.functions();
        let needed = match self.arity.filter(|&arity| arity < functions.len()) {
            None => None,
            Some(arity) => {
                count_subsets(functions.len(), arity, MAX_SUPPORTS).ok_or(TooMany)?;
                self.find_needed(function, alone, &functions, arity).map(Rc::new)
            }
        };
        self.needed.insert(function, needed.clone());
        Ok(needed)
    }

    fn find_needed(&self, function: usize, alone: &Alone, functions: &[usize], arity: usize) -> Option<Vec<Row>> {
        let width = self.columns.width();
        let groups = self.seen.get(&[function][..])?;
        let value = |step: &Step| step.after[function].clone();
        let change = |step: &Step| Some(step.after[function].as_ref()? - step.before[function].as_ref()?);
        let zero = || vec![Rational::ZERO; width];
        let own = self.own(function).map(|own| {
            let mut row = zero();
            row[own] = Rational::ONE;
            row
        });
        let form = self.forms.get(&function);
        // What the model says of each target that a real effect may be a map of.
        let mut targets: Vec<(Span, Row)> = Vec::new();
        match (&own, alone.nature) {
            (Some(own), _) => {
                let after = match form {
                    None => own.clone(),
                    Some(Form { kind: Nature::Adds, map }) => map.iter().zip(own).map(|(a, b)| a + b).collect(),
                    Some(form) => form.map.clone(),
                };
                targets.push((self.joint(groups, &change)?, minus(&after, own)));
                targets.push((self.joint(groups, &value)?, after));
            }
            (None, Nature::Assigns) => targets.push((self.joint(groups, &value)?, form?.map.clone())),
            (None, _) => targets.push((self.joint(groups, &change)?, form.map_or_else(zero, |form| form.map.clone()))),
        }
        let mut needed = Span::new(width);
        let mut explained = false;
        for subset in subsets(functions.len(), arity) {
            let chosen: Vec<usize> = subset.iter().map(|&at| functions[at]).collect();
            let mut entries: Vec<usize> = std::iter::once(0).chain(self.columns.over(&chosen).iter().map(|at| at + 1)).collect();
            entries.push(width);
            let last = entries.len() - 1;
            for (joint, learned) in &targets {
                let narrowed: Vec<Row> = joint.rows().map(|row| narrow(row, &entries)).collect();
                let span = Span::of(entries.len(), &narrowed);
                if span.has_pivot(last) {
                    continue;
                }
                explained = true;
                // Rows that are zero on all steps: equations of the columns, and last the one that expresses the target by them.
                let mut orthogonal = span.null_space();
                let map = orthogonal.pop()?;
                for row in &orthogonal {
                    needed.insert(&widen(&row[..last], &entries, width));
                }
                let map = widen(&map[..last], &entries, width);
                needed.insert(&learned.iter().zip(&map).map(|(a, b)| a + b).collect::<Row>());
            }
        }
        explained.then(|| needed.rows().cloned().collect())
    }

    /// The cells with both functions that were seen.
    fn together(&self, one: usize, other: usize) -> Vec<Vec<usize>> {
        let cells = self.shared.get(&one).into_iter().flatten();
        cells.filter(|cell| cell.contains(&other)).cloned().collect()
    }

    /// Whether a cell with both functions was seen to change at a point where both are known by themselves: on the span of what was seen,
    /// cut by the equations of both, the change is not zero everywhere.
    fn changed_together(
        &mut self,
        (one, first): (usize, &Alone),
        (other, second): (usize, &Alone),
        together: &[Vec<usize>],
    ) -> Result<bool, TooMany> {
        let mut known: Vec<Vec<Row>> = vec![first.hull.equations().iter().chain(second.hull.equations()).cloned().collect()];
        if let (Some(first), Some(second)) = (self.needed(one, first)?, self.needed(other, second)?) {
            known.push(first.iter().chain(second.iter()).cloned().collect());
        }
        let width = self.columns.width();
        for cell in together {
            let Some(groups) = self.seen.get(cell) else { continue };
            let mut joint = Span::new(width + 1);
            for step in self.steps(groups) {
                // Where there was no value before, there is no change to speak of.
                if let (Some(before), Some(after)) = (&step.before[one], &step.after[one]) {
                    joint.insert(&step.row.iter().cloned().chain([after - before]).collect::<Row>());
                }
            }
            let outside = joint.null_space();
            for equations in &known {
                let mut cut = Span::of(width + 1, &outside);
                for equation in equations {
                    cut.insert(&equation.iter().cloned().chain([Rational::ZERO]).collect::<Row>());
                }
                if cut.null_space().iter().any(|point| !point[width].is_zero()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
