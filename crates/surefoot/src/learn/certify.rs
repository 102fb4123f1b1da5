//! Makes certificates: for each action of a model, what its region rests on.

use std::collections::{BTreeMap, BTreeSet};

use super::learner::{LearnedAction, Learner};
use super::region::{Extent, Shadow};
use super::settings::{Settings, assumptions};
use crate::certificate::{
    ActionRecord, Certificate, FORMAT, FacetRecord, ShadowRecord, UNKNOWN, model_digest, vocabulary_digest,
};
use crate::exact::{Facet, Rational};
use crate::ids::Id;
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
    let record =
        |(id, action): &(ActionId, &LearnedAction)| (domain.action_name(*id).to_ascii_lowercase(), record(learner, *id, action));
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

fn record(learner: &Learner, id: ActionId, learned: &LearnedAction) -> ActionRecord {
    let vocabulary = learner.vocabulary(id);
    let columns = &learned.numeric.columns;
    let region = &learned.numeric.region;
    let evidence = learner.evidence(id).settled(vocabulary);
    let points = if region.shadows.is_empty() { Vec::new() } else { evidence.points(columns) };
    let partial = if region.shadows.is_empty() { Vec::new() } else { evidence.partial_points(columns) };
    let told = |index: usize| match points.get(index) {
        Some(point) => point.iter().map(ToString::to_string).collect(),
        None => {
            let text = |value: &Option<Rational>| value.as_ref().map_or_else(|| UNKNOWN.to_owned(), ToString::to_string);
            partial[index - points.len()].iter().map(text).collect()
        }
    };
    let spans = |shadow: &Shadow| -> BTreeSet<usize> {
        let facets = shadow.set.facets().iter().filter_map(|facet| facet.span.as_ref());
        facets.flat_map(|span| &span.points).chain(&part(shadow).unwrap_or_default()).copied().collect()
    };
    let used: BTreeSet<usize> = region.shadows.iter().flat_map(spans).collect();
    let numbers: BTreeMap<usize, usize> = used.iter().enumerate().map(|(number, &point)| (point, number)).collect();
    let numbered = |places: &[usize]| places.iter().filter_map(|place| numbers.get(place).copied()).collect::<Vec<_>>();
    let facet = |facet: &Facet| {
        let row = facet.constraint.row();
        FacetRecord {
            row: (0..row.len()).map(|index| row.entry(index).to_string()).collect(),
            observations: facet.span.as_ref().map_or_else(Vec::new, |span| numbered(&span.points)),
        }
    };
    let shadows = region.shadows.iter().map(|shadow| ShadowRecord {
        columns: shadow.columns.iter().map(|column| column.index()).collect(),
        part: part(shadow).map(|points| numbered(&points)),
        facets: shadow.set.facets().iter().map(facet).collect(),
    });
    let whole = region.whole.as_ref().and_then(|whole| whole.generators());
    ActionRecord {
        columns: columns.iter().map(|&column| learner.written(id, &vocabulary.columns[column])).collect(),
        observations: used.iter().map(|&index| told(index)).collect(),
        shadows: shadows.collect(),
        vertices: texts(whole.iter().flat_map(|generators| generators.points.iter().map(|(_, point)| point))),
    }
}

/// Where a shadow is a part: the observations whose hull it is.
fn part(shadow: &Shadow) -> Option<Vec<usize>> {
    let generators = shadow.set.generators().filter(|_| shadow.extent == Extent::Inner)?;
    Some(generators.vertices())
}

fn texts<'p>(points: impl IntoIterator<Item = &'p Vec<Rational>>) -> Vec<Vec<String>> {
    points.into_iter().map(|point| point.iter().map(ToString::to_string).collect()).collect()
}
