//! Makes certificates: for each action of a model, what its region rests on.

use std::collections::{BTreeMap, BTreeSet};

use super::learner::{LearnedAction, Learner};
use super::region::{Extent, rays};
use super::settings::{Settings, assumptions};
use crate::certificate::{ActionRecord, Certificate, FORMAT, FacetRecord, ShadowRecord, model_digest, vocabulary_digest};
use crate::exact::{Constraint, Echelon, Rational, Row};
use crate::model::{ActionId, Domain};

/// The certificate of a model that a learner was concluded to. The same for the same observations, in whatever order and by
/// whatever learners they were made.
pub fn certificate(
    learner: &Learner,
    settings: &Settings,
    model: &Domain,
    learned: &[(ActionId, &LearnedAction)],
) -> Certificate {
    let domain = learner.domain();
    let record = |(id, action): &(ActionId, &LearnedAction)| {
        (domain.action_name(*id).to_ascii_lowercase(), record(learner, settings, *id, action))
    };
    Certificate {
        format: FORMAT,
        surefoot: env!("CARGO_PKG_VERSION").to_owned(),
        vocabulary: vocabulary_digest(domain),
        model: model_digest(model),
        traces: learner.history().traces.keys().cloned().collect(),
        assumptions: assumptions(learner, settings),
        actions: learned.iter().map(record).collect(),
    }
}

fn record(learner: &Learner, settings: &Settings, id: ActionId, learned: &LearnedAction) -> ActionRecord {
    let vocabulary = learner.vocabulary(id);
    let columns = &learned.numeric.columns;
    let region = &learned.numeric.region;
    let evidence = learner.evidence(id).settled(vocabulary);
    let points = if region.shadows.is_empty() { Vec::new() } else { evidence.points(columns) };
    let used: BTreeSet<usize> = region
        .shadows
        .iter()
        .flat_map(|shadow| shadow.part.iter().flatten().chain(shadow.facets.iter().flat_map(|(_, on)| on)))
        .copied()
        .collect();
    let numbers: BTreeMap<usize, usize> = used.iter().enumerate().map(|(number, &point)| (point, number)).collect();
    let numbered = |places: &Vec<usize>| places.iter().filter_map(|place| numbers.get(place).copied()).collect::<Vec<_>>();
    let facet = |(constraint, on): &(Constraint, Vec<usize>)| FacetRecord {
        row: (0..constraint.row().len()).map(|index| constraint.row().entry(index).to_string()).collect(),
        observations: numbered(on),
    };
    let shadows = region.shadows.iter().map(|shadow| ShadowRecord {
        columns: shadow.columns.clone(),
        part: shadow.part.as_ref().map(numbered),
        facets: shadow.facets.iter().map(facet).collect(),
    });
    let mut record = ActionRecord {
        columns: columns.iter().map(|&column| learner.written(id, &vocabulary.columns[column])).collect(),
        observations: texts(used.iter().map(|&index| &points[index])),
        shadows: shadows.collect(),
        vertices: Vec::new(),
    };
    // A hull is made whole only where it is one body, and where the part is as wide: the effects and the guards rest on its equations.
    if region.extent == Extent::Inner && region.shadows.len() == 1 {
        let rays = rays(vocabulary, columns, settings.monotone.get(&id), &points);
        let generators = points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
        let all = Echelon::span(columns.len() + 1, generators);
        if region.equations.iter().all(|equation| all.rows().iter().all(|row| equation.compare_row(row).is_eq())) {
            record.vertices = texts(&points);
        }
    }
    record
}

fn texts<'p>(points: impl IntoIterator<Item = &'p Vec<Rational>>) -> Vec<Vec<String>> {
    points.into_iter().map(|point| point.iter().map(ToString::to_string).collect()).collect()
}
