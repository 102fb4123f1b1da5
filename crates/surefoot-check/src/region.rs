//! The numeric precondition lies in what the observations prove safe.

use std::collections::{BTreeSet, HashSet};

use super::Obligation;
use super::boundary::{Flaw, encloses};
use super::implied::PrintedInequalities;
use super::linear::{
    EquationSystem, NumberRow, RowSpan, Scaled, count_subsets, direction, dot, is_zero, narrow,
    subsets, widen,
};
use super::vocabulary::{ActionVocabulary, RowColumns, product};
use super::words::Reasons;
use surefoot_base::certificate::{ActionRecord, ShadowRecord, UNKNOWN, read_number};
use surefoot_base::exact::Rational;
use surefoot_base::model::{Comparison, Condition};

/// The numeric conditions of a model, as rows over `(1, columns)`.
pub(super) struct ModelRegion<'c> {
    /// `row · (1, x) = 0`.
    pub(super) equations: Vec<NumberRow>,
    /// `row · (1, x) ≤ 0`.
    pub(super) inequalities: Vec<NumberRow>,
    /// Conditions that are no linear ones over the columns.
    pub(super) foreign: Vec<&'c Condition>,
}

impl<'c> ModelRegion<'c> {
    pub(super) fn of(
        vocabulary: &ActionVocabulary,
        columns: &RowColumns,
        conditions: &[&'c Condition],
    ) -> Self {
        let mut region =
            ModelRegion { equations: Vec::new(), inequalities: Vec::new(), foreign: Vec::new() };
        for condition in conditions {
            let Condition::Compare(comparison, sides) = condition else { continue };
            let [left, right] = &**sides;
            let (row, list) = match comparison {
                Comparison::Equal => {
                    (vocabulary.difference(left, right, columns), &mut region.equations)
                }
                Comparison::LessOrEqual => {
                    (vocabulary.difference(left, right, columns), &mut region.inequalities)
                }
                Comparison::GreaterOrEqual => {
                    (vocabulary.difference(right, left, columns), &mut region.inequalities)
                }
                // Hulls are closed.
                Comparison::Less | Comparison::Greater => (None, &mut region.inequalities),
            };
            // Equations may say where effects are known, and mention functions that are no columns
            // of the class.
            match row.filter(|row| {
                *comparison == Comparison::Equal || is_zero(&row[columns.active + 1..])
            }) {
                Some(row) => list.push(row),
                None => region.foreign.push(condition),
            }
        }
        region
    }
}

/// More sets of functions than this are not looked at under an arity.
const MAX_SETS: usize = 100_000;
/// More comparisons of rows than this are not made.
pub(super) const MAX_COMPARISONS: usize = 1_000_000_000;

/// What bounds the region from outside, and what the certificate says of it.
pub(super) struct RegionBounds<'a> {
    pub(super) columns: &'a RowColumns,
    /// The observed vectors, as rows `(1, x)` over the columns of the class, each once, in order.
    pub(super) points: &'a [NumberRow],
    /// The vectors of steps whose record has every number, before and after: the model allows
    /// these.
    pub(super) whole: &'a [NumberRow],
    /// Likewise for vectors in which some columns are unknown; a product with too many digits
    /// counts as unknown.
    pub(super) partial: &'a [PartialRow],
    /// Over the columns of the class.
    pub(super) rays: &'a [NumberRow],
    /// The values of all functions before the steps whose records have all of them, before and
    /// after.
    pub(super) values: &'a [&'a Vec<Option<Rational>>],
    pub(super) arity: Option<usize>,
    /// Of an inexact action, by column of the class: how far recorded values may be from the true
    /// ones.
    pub(super) errors: Option<&'a [Rational]>,
    pub(super) record: &'a ActionRecord,
}

/// How far a region goes beyond the hull of the observed vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reach {
    /// Whether it goes on along rays.
    pub(super) along_rays: bool,
    /// Whether it goes on wherever each of its shadows allows it.
    pub(super) by_arity: bool,
}

impl RegionBounds<'_> {
    /// Verifies a region; says how far it goes, unless it could not be looked at.
    pub(super) fn check(
        &self,
        region: &ModelRegion<'_>,
        equations: &EquationSystem,
        found: &mut Reasons<'_>,
    ) -> Option<Reach> {
        let observations = self.observations(found)?;
        let shadows = self.shadows(found)?;
        let mut printed = PrintedInequalities::new(region, equations);
        let mut unimplied = None;
        let mut along_rays = false;
        for shadow in &shadows {
            self.listed(shadow, &observations, found);
            along_rays |= self.shadow(shadow, &observations, equations, found);
            for row in &shadow.facets {
                let wide = self.eroded(self.widened(shadow, row));
                match printed.imply(&wide) {
                    Some(true) => {}
                    Some(false) => drop(unimplied.get_or_insert(wide)),
                    None => {
                        found.push(
                            Obligation::Unverifiable,
                            "it has too many inequalities to compare with those of its hull",
                        );
                        return None;
                    }
                }
            }
        }
        if let Some(row) = unimplied {
            let row = found.row(self.columns, &row);
            let why = match self.is_exact() {
                true => "held before every step",
                false => "must hold wherever the errors of the records leave what is safe",
            };
            found.push(
                Obligation::Facet,
                format!("{row} <= 0 {why}, but does not follow from the precondition"),
            );
        }
        self.covered(&shadows, found);
        let by_arity = self.columns.active > 0
            && !shadows.iter().any(|shadow| shadow.record.columns.len() == self.columns.active);
        if self.is_exact() {
            let partial = self.record.shadows.iter().any(|shadow| shadow.part.is_some());
            let rounded = self.directions(&shadows, equations) != printed.known;
            self.outside(region, partial, rounded, found);
        }
        Some(Reach { along_rays, by_arity })
    }

    fn is_exact(&self) -> bool {
        self.errors.is_none()
    }

    /// The error of the recorded values that a row over all columns adds up.
    fn error(&self, row: &[Rational]) -> Rational {
        let errors = self.errors.unwrap_or_default();
        row.iter()
            .skip(1)
            .zip(errors)
            .fold(Rational::ZERO, |sum, (factor, error)| &sum + &(&factor.abs() * error))
    }

    /// What a facet leaves of the hull of the true vectors, wherever in their boxes they are.
    fn eroded(&self, mut row: NumberRow) -> NumberRow {
        if !self.is_exact() {
            row[0] = &row[0] + &self.error(&row);
        }
        row
    }

    /// A row over the columns of a shadow as one over all columns.
    fn widened(&self, shadow: &ReadShadow<'_>, row: &[Rational]) -> NumberRow {
        widen(row, &shadow.entries, self.columns.width())
    }

    /// The facets with what the equations express by others left out, scaled; those that mention a
    /// column.
    fn directions(
        &self,
        shadows: &[ReadShadow<'_>],
        equations: &EquationSystem,
    ) -> HashSet<NumberRow> {
        let facets = shadows
            .iter()
            .flat_map(|shadow| shadow.facets.iter().map(|row| self.widened(shadow, row)));
        let reduced = facets
            .map(|row| equations.reduce(&row))
            .filter(|row| row.iter().skip(1).any(|value| !value.is_zero()));
        reduced.map(|row| direction(&row)).collect()
    }

    /// The observations that the certificate lists; `None` where some were not made.
    fn observations(&self, found: &mut Reasons<'_>) -> Option<Vec<PartialRow>> {
        let points: HashSet<PartialRow> =
            self.points.iter().map(|point| point.iter().cloned().map(Some).collect()).collect();
        let partial: HashSet<&PartialRow> = self.partial.iter().collect();
        let active = self.columns.active;
        let whole = |texts: &Vec<String>| {
            read_observation(texts, active).filter(|row| points.contains(row))
        };
        if self.record.vertices.iter().any(|texts| whole(texts).is_none()) {
            found.push(
                Obligation::Certificate,
                "the certificate lists vertices that were not observed",
            );
        }
        let observations = self.record.observations.iter().map(|texts| {
            read_observation(texts, active)
                .filter(|row| points.contains(row) || partial.contains(row))
        });
        let observations: Option<Vec<PartialRow>> = observations.collect();
        if observations.is_none() {
            found.push(
                Obligation::Certificate,
                "the certificate lists observations that were not made",
            );
        }
        observations
    }

    fn shadows(&self, found: &mut Reasons<'_>) -> Option<Vec<ReadShadow<'_>>> {
        let shadows =
            self.record.shadows.iter().map(|record| ReadShadow::of(record, self.columns.active));
        let shadows = shadows.collect::<Option<Vec<_>>>();
        if shadows.is_none() {
            found.push(
                Obligation::Certificate,
                "the certificate has facets that are no rows over its columns",
            );
        }
        shadows
    }

    /// The observations listed for a facet lie on it.
    fn listed(
        &self,
        shadow: &ReadShadow<'_>,
        observations: &[PartialRow],
        found: &mut Reasons<'_>,
    ) {
        for (facet, row) in shadow.record.facets.iter().zip(&shadow.facets) {
            let mut points = facet
                .observations
                .iter()
                .map(|number| told(observations.get(*number)?, &shadow.entries));
            if !points.all(|point| point.is_some_and(|point| dot(row, &point).is_zero())) {
                let row = found.row(self.columns, &self.widened(shadow, row));
                found.push(
                    Obligation::Certificate,
                    format!(
                        "{row} = 0 does not hold for what the certificate lists as on that facet"
                    ),
                );
            }
        }
    }

    /// The facets are all of the boundary of a body inside the shadow of what is safe, and the
    /// equations keep to its span. Whether the body goes along rays.
    fn shadow(
        &self,
        shadow: &ReadShadow<'_>,
        observations: &[PartialRow],
        equations: &EquationSystem,
        found: &mut Reasons<'_>,
    ) -> bool {
        let points: BTreeSet<NumberRow> = match &shadow.record.part {
            None => {
                let partial = self.partial.iter().filter_map(|point| told(point, &shadow.entries));
                self.points
                    .iter()
                    .map(|point| narrow(point, &shadow.entries))
                    .chain(partial)
                    .collect()
            }
            Some(part) => {
                let points =
                    part.iter().map(|&number| told(observations.get(number)?, &shadow.entries));
                let Some(points) = points.collect::<Option<BTreeSet<NumberRow>>>() else {
                    let what =
                        "a part of the certificate is made of observations that it does not list";
                    found.push(Obligation::Certificate, what);
                    return false;
                };
                points
            }
        };
        if points.is_empty() {
            found.push(Obligation::Evidence, "no observation lies in the region");
            return false;
        }
        let points: Vec<NumberRow> = points.into_iter().collect();
        let all: BTreeSet<NumberRow> = (self.rays.iter().map(|ray| narrow(ray, &shadow.entries)))
            .filter(|ray| !is_zero(ray))
            .map(|ray| direction(&ray))
            .collect();
        let all: Vec<NumberRow> = all.into_iter().collect();
        let mut faults = Vec::new();
        if shadow.record.part.is_none() {
            // Where nothing bounds an effect along rays, an inexact action does without them.
            let none = Some(Vec::new()).filter(|_| !self.is_exact() && !all.is_empty());
            for rays in none.iter().chain([&all]) {
                faults = self.body(shadow, &points, rays, equations, found);
                if faults.is_empty() {
                    return !rays.is_empty();
                }
            }
            faults.into_iter().for_each(|(kind, what)| found.push(kind, what));
            return false;
        }
        // A part of the rays makes a part of the body, and any will do: those along the equations,
        // all that the facets admit, or none.
        let admitted: Vec<NumberRow> = all
            .into_iter()
            .filter(|ray| shadow.facets.iter().all(|row| dot(row, ray).signum() <= 0))
            .collect();
        let span = RowSpan::of(
            shadow.entries.len(),
            &equations
                .solutions()
                .iter()
                .map(|row| narrow(row, &shadow.entries))
                .collect::<Vec<_>>(),
        );
        let along: Vec<NumberRow> =
            admitted.iter().filter(|ray| span.contains(ray)).cloned().collect();
        for rays in [&along, &admitted, &Vec::new()] {
            faults = self.body(shadow, &points, rays, equations, found);
            if faults.is_empty() {
                return !rays.is_empty();
            }
        }
        faults.into_iter().for_each(|(kind, what)| found.push(kind, what));
        false
    }

    /// What is wrong with a body of these points and rays.
    fn body(
        &self,
        shadow: &ReadShadow<'_>,
        points: &[NumberRow],
        rays: &[NumberRow],
        equations: &EquationSystem,
        found: &Reasons<'_>,
    ) -> Vec<(Obligation, String)> {
        let mut faults = Vec::new();
        match encloses(points, rays, &shadow.facets) {
            Ok(()) => {}
            Err(Flaw::Violated(index, generator))
                if generator.first().is_some_and(Rational::is_zero) =>
            {
                let row = self.inequality(shadow, index, found);
                faults.push((
                    Obligation::Facet,
                    format!("{row} forbids a direction that is assumed to do no harm"),
                ));
            }
            Err(Flaw::Violated(index, _)) => {
                let row = self.inequality(shadow, index, found);
                faults.push((
                    Obligation::Condition,
                    format!("an observed state does not satisfy {row}"),
                ));
            }
            Err(Flaw::Open(beside)) => {
                let over: Vec<String> = (shadow.record.columns.iter())
                    .filter_map(|&column| Some(found.monomial(self.columns.all.get(column)?)))
                    .collect();
                let beside = beside
                    .map(|index| format!(", beside {}", self.inequality(shadow, index, found)));
                let beside = beside.unwrap_or_default();
                let what = format!(
                    "a facet is missing{beside}: the boundary over {} is not closed",
                    over.join(", ")
                );
                faults.push((Obligation::Facet, what));
            }
            Err(Flaw::TooLarge) => {
                let what = "its region has too many facets and observations to be verified";
                faults.push((Obligation::Unverifiable, what.to_owned()));
            }
        }
        let span = RowSpan::of(shadow.entries.len(), points.iter().chain(rays));
        let flat = || span.null_space().into_iter().map(|row| self.widened(shadow, &row));
        if !self.is_exact()
            && let Some(row) = flat().find(|row| !self.error(row).is_zero())
        {
            let row = found.row(self.columns, &row);
            let what = format!(
                "{row} = 0 held before every step, of which nothing is safe while the records may \
                 be off"
            );
            faults.push((Obligation::Equation, what));
        }
        if !equations.stay_in(&span, &shadow.entries)
            && let Some(row) = flat().find(|row| !equations.imply(row))
        {
            let row = found.row(self.columns, &row);
            faults.push((
                Obligation::Equation,
                format!(
                    "{row} = 0 held before every step, but does not follow from the precondition"
                ),
            ));
        }
        faults
    }

    /// A facet of a shadow in words; beyond the last comes what holds for every body.
    fn inequality(&self, shadow: &ReadShadow<'_>, index: usize, found: &Reasons<'_>) -> String {
        match shadow.facets.get(index) {
            Some(row) => format!("{} <= 0", found.row(self.columns, &self.widened(shadow, row))),
            None => "infinity".to_owned(),
        }
    }

    /// Every set of functions that a condition may mention has a shadow.
    fn covered(&self, shadows: &[ReadShadow<'_>], found: &mut Reasons<'_>) {
        let functions = self.columns.functions();
        let size = self.arity.map_or(functions.len(), |arity| arity.min(functions.len()));
        if count_subsets(functions.len(), size, MAX_SETS).is_none() {
            return found.push(
                Obligation::Unverifiable,
                format!(
                    "there are more than {MAX_SETS} sets of functions that a condition may mention"
                ),
            );
        }
        let whole = size == functions.len();
        let exact: HashSet<&[usize]> =
            shadows.iter().map(|shadow| &shadow.record.columns[..]).collect();
        let sets: Vec<HashSet<usize>> =
            shadows.iter().map(|shadow| shadow.record.columns.iter().copied().collect()).collect();
        let mut compared = 0usize;
        for subset in subsets(functions.len(), size) {
            let chosen: Vec<usize> = subset.iter().map(|&at| functions[at]).collect();
            let columns =
                if whole { (0..self.columns.active).collect() } else { self.columns.over(&chosen) };
            if columns.is_empty() || exact.contains(&columns[..]) {
                continue;
            }
            compared = compared.saturating_add(sets.len().saturating_mul(columns.len()));
            if compared > MAX_COMPARISONS {
                return found
                    .push(Obligation::Unverifiable, "it has too many shadows to be compared");
            }
            if !sets.iter().any(|set| columns.iter().all(|column| set.contains(column))) {
                let names: Vec<String> = columns
                    .iter()
                    .map(|&column| found.monomial(&self.columns.all[column]))
                    .collect();
                return found.push(
                    Obligation::Facet,
                    format!("nothing bounds the precondition over {}", names.join(", ")),
                );
            }
        }
    }

    /// Observations satisfy what they are said to span. Equations beyond the columns of the class
    /// hold whatever is left out.
    fn outside(
        &self,
        region: &ModelRegion<'_>,
        partial: bool,
        rounded: bool,
        found: &mut Reasons<'_>,
    ) {
        let active = self.columns.active + 1;
        let points: Vec<Scaled> = self.whole.iter().map(|point| Scaled::new(point)).collect();
        let (plain, beyond): (Vec<&NumberRow>, Vec<&NumberRow>) =
            region.equations.iter().partition(|row| is_zero(&row[active..]));
        let inequalities = region.inequalities.iter().filter(|_| !rounded).map(|row| (row, "<="));
        for (row, relation) in
            plain.into_iter().map(|row| (row, "=")).chain(inequalities).filter(|_| !partial)
        {
            let scaled = Scaled::new(&row[..active]);
            let mut signs = points.iter().map(|point| scaled.product_sign(point));
            if let Some(at) =
                signs.position(|sign| if relation == "=" { sign != 0 } else { sign > 0 })
            {
                let (row, point) =
                    (found.row(self.columns, row), found.point(self.columns, &self.whole[at]));
                return found.push(
                    Obligation::Condition,
                    format!("an observed state does not satisfy {row} {relation} 0: {point}"),
                );
            }
        }
        for row in beyond {
            if !self
                .values
                .iter()
                .all(|before| self.value(row, before).is_some_and(|value| value.is_zero()))
            {
                let row = found.row(self.columns, row);
                return found.push(
                    Obligation::Condition,
                    format!("an observed state does not satisfy {row} = 0"),
                );
            }
        }
    }

    /// What a row gives before a step; `None` where it mentions a column without a value.
    fn value(&self, row: &NumberRow, before: &[Option<Rational>]) -> Option<Rational> {
        let mut sum = row[0].clone();
        for (column, factor) in
            self.columns.all.iter().zip(&row[1..]).filter(|(_, factor)| !factor.is_zero())
        {
            sum = &sum + &(factor * &product(column, before)?);
        }
        Some(sum)
    }
}

/// A row `(1, x)` in which some columns may be unknown.
pub(super) type PartialRow = Vec<Option<Rational>>;

/// The entries of a row at some places; `None` if one of them is unknown.
fn told(row: &PartialRow, places: &[usize]) -> Option<NumberRow> {
    places.iter().map(|&place| row.get(place).cloned().flatten()).collect()
}

/// The observation that a certificate writes as texts; `None` where it is none.
fn read_observation(texts: &[String], width: usize) -> Option<PartialRow> {
    let values: Option<PartialRow> = texts
        .iter()
        .map(|text| if text == UNKNOWN { Some(None) } else { read_number(text).map(Some) })
        .collect();
    let row: PartialRow = std::iter::once(Some(Rational::ONE)).chain(values?).collect();
    (texts.len() == width).then_some(row)
}

/// A record with its numbers read.
struct ReadShadow<'a> {
    record: &'a ShadowRecord,
    /// Where its rows stand in rows over all columns: the constant, then its columns.
    entries: Vec<usize>,
    facets: Vec<NumberRow>,
}

impl<'a> ReadShadow<'a> {
    /// `None` where its columns are not among the first `active`, ascending, or its facets are no
    /// rows over them.
    fn of(record: &'a ShadowRecord, active: usize) -> Option<Self> {
        let ascending = record.columns.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = record.columns.last().is_none_or(|&last| last < active);
        let entries: Vec<usize> = std::iter::once(0)
            .chain(record.columns.iter().map(|column| column.saturating_add(1)))
            .collect();
        let facets = record
            .facets
            .iter()
            .map(|facet| read_row(&facet.row, entries.len()))
            .collect::<Option<Vec<NumberRow>>>()?;
        (ascending && inside).then_some(ReadShadow { record, entries, facets })
    }
}

/// Numbers of a certificate; `None` where they are no row of this length.
pub(super) fn read_row(texts: &[String], width: usize) -> Option<NumberRow> {
    if texts.len() != width {
        return None;
    }
    texts.iter().map(|text| read_number(text)).collect()
}
