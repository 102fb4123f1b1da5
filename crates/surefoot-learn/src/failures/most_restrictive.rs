//! What failures prove of an action: states in which no model of the class allows it
//! (docs/theory.md, "Failures").
//!
//! Among the models that allow a state q the most restrictive one asks for all literals that may be
//! preconditions and hold in q, and for the least region of the class that contains q and all that
//! worked. If it accepts a state in which the action failed, so does every model that allows q: so
//! none does, and q is forbidden. One failure suffices as a witness.
//!
//! Where records have errors, a failure counts as accepted only where the least region contains the
//! whole box of its errors, however the true vectors behind the records, and the true state that is
//! asked about, lie in theirs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fixedbitset::FixedBitSet;
use surefoot_base::assumptions::{Algorithm, Monotone};
use surefoot_base::exact::{Membership, Rational};
use surefoot_base::ids::{Id, IdVec};
use surefoot_base::model::Condition;

use super::witness::{Witness, WitnessNumber};
use crate::conclude::{Factors, MAX_SHADOWS, Settings, rays, same};
use crate::evidence::{
    ActionEvidence, ActiveColumn, ActiveColumns, ColumnId, Conflicts, EqualityId, FailedAttempt,
    Failure, LiftedAtomId, LiftedFunctionId, Open, Pattern, Vocabulary, contains_box,
    has_too_many_corners, over,
};

/// The failures of one action, ready for questions under some assumptions.
pub(crate) struct Forbids {
    vocabulary: Vocabulary,
    columns: ActiveColumns,
    /// The vectors of steps that worked, as far as they are wholly known.
    points: Vec<Vec<Rational>>,
    /// By column: how far a record and the true vectors of others may be apart because of errors.
    margins: Vec<Rational>,
    /// Whether any step worked.
    worked: bool,
    /// The literals that may be preconditions: atoms, their negations, equalities, their negations,
    /// and that functions have values.
    open: FixedBitSet,
    witnesses: Vec<Witnessing>,
    /// The failures in which every candidate precondition held, so that conflicting effects or an
    /// undefined value may be the cause; and those of which only facets can tell whether they lie
    /// within the margins for errors.
    doubtful: Vec<Failure>,
    conflicts: Conflicts,
    arity: Option<usize>,
    marks: BTreeMap<ColumnId, Monotone>,
    /// Whether numbers are not modelled: then no precondition reads one.
    without_numbers: bool,
    /// What bounds regions over all columns; none where rays depend on the state that is asked
    /// about.
    bodies: Option<Vec<Body>>,
}

/// The shadow of what worked on some columns.
struct Body {
    columns: Vec<ActiveColumn>,
    points: Vec<Vec<Rational>>,
    rays: Vec<Vec<Rational>>,
    /// By column: the least and the largest value, where no ray leads along it.
    bounds: Vec<Option<(Rational, Rational)>>,
    /// By column: the margins for errors.
    margins: Vec<Rational>,
    hull: OnceLock<Membership>,
}

/// A failure that only the precondition explains.
struct Witnessing {
    failure: Failure,
    holds: FixedBitSet,
    /// None inside the hull of what worked.
    vector: Option<Vec<Rational>>,
    /// By body: whether what worked contains the failure, and the vectors whose hull with what
    /// worked does.
    reach: Vec<(OnceLock<bool>, OnceLock<Membership>)>,
}

/// A state as an action sees it.
pub(crate) struct Seen {
    holds: FixedBitSet,
    defined: Vec<ActiveColumn>,
    vector: Vec<Rational>,
    /// By column: how far the least region that contains the state is to be moved inward.
    margins: Vec<Rational>,
    /// By body: the hull of the state and of what worked.
    hulls: Vec<OnceLock<Membership>>,
}

impl Forbids {
    pub fn new(
        vocabulary: &Vocabulary,
        evidence: &ActionEvidence,
        settings: &Settings,
        marks: BTreeMap<ColumnId, Monotone>,
    ) -> Self {
        let open = Open::new(vocabulary, evidence);
        let bodies = bodies(&open, settings.arity, &marks);
        let mut forbids = Forbids {
            open: may_be_asked(&open, settings.positive_preconditions),
            columns: open.columns.clone(),
            points: open.points.clone(),
            margins: open.margins.iter().cloned().collect(),
            worked: !evidence.is_empty(),
            vocabulary: vocabulary.clone(),
            witnesses: Vec::new(),
            doubtful: Vec::new(),
            conflicts: open.conflicts.clone(),
            arity: settings.arity,
            marks,
            without_numbers: settings.algorithm == Algorithm::Sam,
            bodies,
        };
        let mut needed = forbids.open.clone();
        // What was learned shows whether the action reads a function at all.
        needed.remove_range(2 * (vocabulary.atoms.len() + vocabulary.equalities.len())..);
        let undecided = has_too_many_corners(&forbids.margins);
        let chosen = evidence.failures().most_telling(&open, settings.failure_budget);
        for failure in chosen {
            let vector = failure.vector(&open);
            let holds =
                forbids.literals(&failure.pattern, |class| failure.truth(class), &failure.defined);
            let defined = open.defined(&failure.defined);
            let complete = needed.is_subset(&holds);
            let is_witness = vector.as_ref().is_none_or(|x| {
                forbids.conflicts.excluded(vocabulary, &failure.pattern, &defined, x)
            });
            if complete && (undecided || !(is_witness && forbids.open.is_subset(&holds))) {
                forbids.doubtful.push(failure.clone());
            }
            if is_witness {
                forbids.witnesses.push(forbids.witnessing(failure, holds, vector));
            }
        }
        forbids
    }

    fn witnessing(
        &self,
        failure: &Failure,
        holds: FixedBitSet,
        vector: Option<Vec<Rational>>,
    ) -> Witnessing {
        let bodies = self.bodies.as_ref().map_or(0, Vec::len);
        let reach = std::iter::repeat_with(Default::default).take(bodies).collect();
        Witnessing { failure: failure.clone(), holds, vector, reach }
    }

    /// The literals that hold and may be preconditions.
    fn literals(
        &self,
        pattern: &Pattern,
        truth: impl Fn(usize) -> Option<bool>,
        defined: &FixedBitSet,
    ) -> FixedBitSet {
        let Vocabulary { atoms, equalities, .. } = &self.vocabulary;
        let mut bits = FixedBitSet::with_capacity(self.open.len());
        for (place, class) in pattern.classes(atoms).iter().enumerate() {
            let Some(holds) = truth(place) else { continue };
            let shift = if holds { 0 } else { atoms.len() };
            class.iter().for_each(|atom| bits.insert(shift + atom.index()));
        }
        for (equality, &pair) in equalities.pairs() {
            let shift = if pattern.same(pair) { 0 } else { equalities.len() };
            bits.insert(2 * atoms.len() + shift + equality.index());
        }
        defined
            .ones()
            .for_each(|function| bits.insert(2 * (atoms.len() + equalities.len()) + function));
        bits.intersect_with(&self.open);
        bits
    }

    /// A state as the action sees it, whose numbers are records or exact.
    pub fn seen(&self, attempt: &FailedAttempt) -> Seen {
        let (holds, defined, vector) = self.view(attempt);
        let hulls = self.bodies.iter().flatten().map(|_| OnceLock::new()).collect();
        Seen { holds, defined, vector, margins: self.margins.clone(), hulls }
    }

    /// The same of an estimate: `errors` says, by function, how far its value may be from the true
    /// one. `None` where that leaves the error of a product open.
    pub fn seen_within(
        &self,
        attempt: &FailedAttempt,
        errors: &IdVec<LiftedFunctionId, Rational>,
    ) -> Option<Seen> {
        let mut seen = self.seen(attempt);
        for (margin, &column) in seen.margins.iter_mut().zip(&self.columns) {
            let of_records = self.vocabulary.column_error(column);
            let here = match &self.vocabulary.columns[column].0[..] {
                [function] => errors[*function].clone(),
                factors if factors.iter().all(|&factor| errors[factor].is_zero()) => Rational::ZERO,
                _ => return None,
            };
            *margin = &here.max(of_records.clone()) + &of_records;
        }
        Some(seen)
    }

    fn view(&self, attempt: &FailedAttempt) -> (FixedBitSet, Vec<ActiveColumn>, Vec<Rational>) {
        let mut functions = FixedBitSet::with_capacity(attempt.before.len());
        let with_value = attempt.before.pairs().filter(|(_, value)| value.is_some());
        with_value.for_each(|(function, _)| functions.insert(function.index()));
        let holds = self.literals(&attempt.pattern, |class| attempt.holds[class], &functions);
        let values: Vec<Option<Rational>> = (self.columns.iter())
            .map(|&column| self.vocabulary.column_value(column, &attempt.before))
            .collect();
        let defined =
            self.columns.ids().filter(|column| values[column.index()].is_some()).collect();
        (holds, defined, values.into_iter().map(|value| value.unwrap_or(Rational::ZERO)).collect())
    }

    /// The failure that forbids a state, the first of those that do.
    pub fn witness(&self, state: &Seen) -> Option<&Failure> {
        self.witnesses
            .iter()
            .find(|witness| self.forbidden_by(witness, state))
            .map(|witness| &witness.failure)
    }

    fn forbidden_by(&self, witness: &Witnessing, state: &Seen) -> bool {
        state.holds.is_subset(&witness.holds)
            && (self.without_numbers || self.is_between(witness, state))
    }

    /// Whether no failure proves anything.
    pub fn is_empty(&self) -> bool {
        self.witnesses.is_empty()
    }

    /// Whether one attempt that failed forbids a state.
    pub fn is_witness(&self, attempt: &FailedAttempt, state: &Seen) -> bool {
        let (holds, defined, vector) = self.view(attempt);
        let failure = Failure::of(&self.vocabulary, attempt);
        self.conflicts.excluded(&self.vocabulary, &attempt.pattern, &defined, &vector) && {
            let witness = self.witnessing(&failure, holds, Some(vector));
            self.forbidden_by(&witness, state)
        }
    }

    /// What there is to say of a failure that forbids a state.
    pub fn told(&self, failure: &Failure, state: &Seen) -> Witness {
        let holds = self.literals(&failure.pattern, |class| failure.truth(class), &failure.defined);
        let missing = self.open.difference(&holds);
        let missing = missing.filter_map(|place| self.condition_at(place)).collect();
        let row = failure.point.as_ref();
        let numbers = state.defined.iter().filter_map(|&column| {
            let row = row?;
            let values = self.points.iter().map(|point| &point[column.index()]);
            Some(WitnessNumber {
                column: self.columns[column],
                failed: row.entry(self.columns[column].entry()).checked_div(&row.entry(0))?,
                here: state.vector[column.index()].clone(),
                worked: values.clone().min().cloned().zip(values.max().cloned()),
            })
        });
        Witness { failure: failure.clone(), missing, numbers: numbers.collect() }
    }

    /// The condition of a literal that may be a precondition; `None` where it says that a function
    /// has a value.
    fn condition_at(&self, place: usize) -> Option<Condition> {
        let Vocabulary { atoms, equalities, .. } = &self.vocabulary;
        let (atom, equality) = (atoms.len(), equalities.len());
        let (is_negated, condition) = if place < 2 * atom {
            let id = LiftedAtomId::from_index(place % atom);
            (place >= atom, Condition::Atom(atoms[id].clone()))
        } else if place < 2 * (atom + equality) {
            let place = place - 2 * atom;
            let id = EqualityId::from_index(place % equality);
            (place >= equality, same(&self.vocabulary, id))
        } else {
            return None;
        };
        Some(if is_negated { Condition::Not(Box::new(condition)) } else { condition })
    }

    /// The failures that the most restrictive model accepts, so that every model of the class does:
    /// no model explains them.
    pub fn contradictions(&self) -> impl Iterator<Item = &Failure> {
        let accepted = self.witnesses.iter().filter(|witness| self.open.is_subset(&witness.holds));
        accepted.filter(|witness| self.is_within(witness)).map(|witness| &witness.failure)
    }

    /// Whether some failure is accepted by every model of the class, or may be, as far as effects
    /// in conflict do not explain it.
    pub fn may_contradict(&self) -> bool {
        !self.doubtful.is_empty() || self.contradictions().next().is_some()
    }

    /// The failures for which only the learned action shows whether every model of the class
    /// accepts them.
    pub fn doubtful(&self) -> &[Failure] {
        &self.doubtful
    }

    /// Whether every model of the class accepts a state.
    pub fn accepts(&self, attempt: &FailedAttempt) -> bool {
        let (holds, _, vector) = self.view(attempt);
        let all: Vec<ActiveColumn> = self.columns.ids().collect();
        self.open.is_subset(&holds)
            && self.conflicts.excluded(&self.vocabulary, &attempt.pattern, &all, &vector)
            && {
                let failure = Failure::of(&self.vocabulary, attempt);
                self.is_within(&self.witnessing(&failure, holds, Some(vector)))
            }
    }

    fn is_within(&self, witness: &Witnessing) -> bool {
        if !self.worked {
            return false;
        }
        let Some(x) = witness.vector.as_ref().filter(|_| !self.without_numbers) else {
            return true;
        };
        match &self.bodies {
            Some(bodies) => bodies
                .iter()
                .zip(&witness.reach)
                .all(|(body, (inside, _))| body.contains(inside, x)),
            None => self.contains(
                &self.columns.ids().collect::<Vec<_>>(),
                self.points.clone(),
                x,
                &self.margins,
            ),
        }
    }

    /// Whether the failure lies in the least region that contains a state and what worked, over the
    /// columns that have a value in the state.
    fn is_between(&self, witness: &Witnessing, state: &Seen) -> bool {
        let Some(x) = &witness.vector else { return true };
        if let Some(bodies) =
            self.bodies.as_ref().filter(|_| state.defined.len() == self.columns.len())
        {
            return bodies.iter().zip(&witness.reach).zip(&state.hulls).all(
                |((body, (inside, reach)), hull)| {
                    let is_exact =
                        over(&state.margins, &body.columns).iter().all(Rational::is_zero);
                    body.contains(inside, x)
                        || !body.is_beyond(x, state)
                            && match is_exact {
                                true => body
                                    .reach(reach, x)
                                    .contains(&over(&state.vector, &body.columns)),
                                false => body.contains_with(hull, x, state),
                            }
                },
            );
        }
        // Where the state has no part in it, its own error has none.
        if state.margins != self.margins && !self.points.is_empty() {
            let points = self.points.iter().map(|point| over(point, &state.defined)).collect();
            if self.contains(&state.defined, points, x, &self.margins) {
                return true;
            }
        }
        let mut points: Vec<Vec<Rational>> =
            self.points.iter().map(|point| over(point, &state.defined)).collect();
        points.push(over(&state.vector, &state.defined));
        points.sort();
        points.dedup();
        self.contains(&state.defined, points, x, &state.margins)
    }

    /// Whether the least region over some columns that contains some points contains a vector, with
    /// margins.
    fn contains(
        &self,
        columns: &[ActiveColumn],
        points: Vec<Vec<Rational>>,
        x: &[Rational],
        margins: &[Rational],
    ) -> bool {
        let (x, margins) = (over(x, columns), over(margins, columns));
        let columns: ActiveColumns = columns.iter().map(|&column| self.columns[column]).collect();
        let rays = rays(&self.vocabulary, &columns, Some(&self.marks), &points);
        column_sets(&self.vocabulary, &columns, self.arity).iter().all(|body| {
            let points: Vec<Vec<Rational>> = points.iter().map(|point| over(point, body)).collect();
            contains_box(
                &Membership::new(&points, &narrowed(&rays, body)),
                &over(&x, body),
                &over(&margins, body),
            )
        })
    }
}

impl Body {
    fn new(
        columns: Vec<ActiveColumn>,
        points: Vec<Vec<Rational>>,
        rays: Vec<Vec<Rational>>,
        margins: Vec<Rational>,
    ) -> Self {
        let bounds = (0..columns.len()).map(|place| {
            let is_open = rays.iter().any(|ray| !ray[place].is_zero());
            let values = points.iter().map(|point| &point[place]);
            Some((values.clone().min()?.clone(), values.max()?.clone())).filter(|_| !is_open)
        });
        let bounds = bounds.collect();
        Body { columns, points, rays, bounds, margins, hull: OnceLock::new() }
    }

    /// Whether `x` lies in the hull of what worked, with margins for errors.
    fn contains(&self, known: &OnceLock<bool>, x: &[Rational]) -> bool {
        *known.get_or_init(|| {
            let hull = self.hull.get_or_init(|| Membership::new(&self.points, &self.rays));
            !self.points.is_empty() && contains_box(hull, &over(x, &self.columns), &self.margins)
        })
    }

    /// Whether `x` lies in the hull of what worked and a state, with the margins that the state
    /// asks for.
    fn contains_with(&self, known: &OnceLock<Membership>, x: &[Rational], state: &Seen) -> bool {
        let hull = known.get_or_init(|| {
            let mut points = self.points.clone();
            points.push(over(&state.vector, &self.columns));
            Membership::new(&points, &self.rays)
        });
        contains_box(hull, &over(x, &self.columns), &over(&state.margins, &self.columns))
    }

    /// Whether `x`, with its margins, is plainly not between a state and what worked: farther out
    /// in some column than both.
    fn is_beyond(&self, x: &[Rational], state: &Seen) -> bool {
        self.columns.iter().zip(&self.bounds).any(|(column, bound)| {
            let (x, y, margin) =
                (&x[column.index()], &state.vector[column.index()], &state.margins[column.index()]);
            let (low, high) = (x - margin, x + margin);
            bound
                .as_ref()
                .is_some_and(|(least, most)| high > *most && *y < high || low < *least && *y > low)
        })
    }

    /// The vectors y for which `x`, which is not in the hull of what worked, lies in the hull of y
    /// and of what worked, with the rays: from `x` away from what worked, against the rays.
    fn reach<'r>(&self, known: &'r OnceLock<Membership>, x: &[Rational]) -> &'r Membership {
        known.get_or_init(|| {
            let x = over(x, &self.columns);
            let away = self
                .points
                .iter()
                .map(|point| x.iter().zip(point).map(|(x, point)| x - point).collect());
            let against = self.rays.iter().map(|ray| ray.iter().map(|value| -value).collect());
            let rays: Vec<Vec<Rational>> = away.chain(against).collect();
            Membership::new(&[x], &rays)
        })
    }
}

/// By literal: whether it may be a precondition.
fn may_be_asked(open: &Open<'_>, positive_only: bool) -> FixedBitSet {
    let functions = open
        .vocabulary
        .functions
        .ids()
        .map(|function: LiftedFunctionId| !open.evidence.undefined.contains(&function));
    let negative = open.negative.iter().map(|open| *open && !positive_only);
    let all: Vec<bool> = (open.positive.iter().copied())
        .chain(negative)
        .chain(open.equal.iter().copied())
        .chain(open.different.iter().copied())
        .chain(functions)
        .collect();
    let mut bits = FixedBitSet::with_capacity(all.len());
    all.iter().enumerate().filter(|(_, open)| **open).for_each(|(place, _)| bits.insert(place));
    bits
}

/// The sets of columns that bound a region: those over each set of `arity` functions, or all.
fn column_sets(
    vocabulary: &Vocabulary,
    columns: &ActiveColumns,
    arity: Option<usize>,
) -> Vec<Vec<ActiveColumn>> {
    let factors = Factors::new(columns.iter().map(|&column| &vocabulary.columns[column].0));
    // Where there are more, the region as a whole is smaller: it forbids less.
    arity
        .and_then(|arity| factors.sets(arity, MAX_SHADOWS))
        .unwrap_or_else(|| vec![columns.ids().collect()])
}

/// The bodies over all columns, unless rays depend on the state that is asked about.
fn bodies(
    open: &Open<'_>,
    arity: Option<usize>,
    marks: &BTreeMap<ColumnId, Monotone>,
) -> Option<Vec<Body>> {
    let has_products =
        open.columns.iter().any(|&column| open.vocabulary.columns[column].0.len() > 1);
    if !marks.is_empty() && has_products {
        return None;
    }
    // Where every column is a function, its ray is the same at every point.
    let origin = vec![vec![Rational::ZERO; open.columns.len()]];
    let rays = rays(open.vocabulary, &open.columns, Some(marks), &origin);
    let partial = open.evidence.partial_points(&open.columns);
    let mut bodies = Vec::new();
    for columns in column_sets(open.vocabulary, &open.columns, arity) {
        let mut points = open.points_over(&columns);
        // What is not wholly known counts for the columns that are.
        points.extend(partial.iter().filter_map(|point| {
            columns
                .iter()
                .map(|column| point[column.index()].clone())
                .collect::<Option<Vec<Rational>>>()
        }));
        let margins = columns.iter().map(|&column| open.margins[column].clone()).collect();
        let rays = narrowed(&rays, &columns);
        bodies.push(Body::new(columns, points, rays, margins));
    }
    Some(bodies)
}

fn narrowed(rays: &[Vec<Rational>], columns: &[ActiveColumn]) -> Vec<Vec<Rational>> {
    let mut narrowed: Vec<Vec<Rational>> = rays.iter().map(|ray| over(ray, columns)).collect();
    narrowed.retain(|ray| ray.iter().any(|value| !value.is_zero()));
    narrowed.sort();
    narrowed.dedup();
    narrowed
}
