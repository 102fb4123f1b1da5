//! Makes certificates: for each action of a model, what its region rests on.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::FAILS_ONLY;
use surefoot_base::certificate::{
    ActionRecord, Certificate, DisjointRecord, EffectRecord, FORMAT, FORMAT_WITH_ERRORS,
    FORMAT_WITH_FAILURES, FORMAT_WITH_PARTS, FacetRecord, FailureRecord, SettledRecord,
    ShadowRecord, StageRecord, UNKNOWN, WeightRecord, model_digest, vocabulary_digest,
};
use surefoot_base::exact::{Constraint, Facet, Rational, Row};
use surefoot_base::ids::Id;
use surefoot_base::invariant::Invariant;
use surefoot_base::model::{ActionId, Condition, Domain};
use surefoot_base::parts::{Contradiction, contradiction};
use surefoot_base::pddl::Writer;

use crate::conclude::{
    Extent, Fit, LearnedAction, Settings, Settlement, Shadow, Stage, Weights, assumptions,
};
use crate::evidence::{
    ActionEvidence, ActiveColumn, ColumnId, Failure, Learner, LiftedFunctionId, Monomial, Open,
};

/// The certificate of a learner's model. The same observations give the same certificate, in
/// whatever order and by whatever learners they were made.
pub fn certificate(
    learner: &Learner,
    settings: &Settings,
    model: &Domain,
    learned: &[(ActionId, &LearnedAction)],
) -> Certificate {
    let domain = learner.domain();
    let record = |(id, action): &(ActionId, &LearnedAction)| {
        (domain.action_name(*id).to_ascii_lowercase(), record(learner, *id, action))
    };
    let failures: BTreeMap<String, Vec<FailureRecord>> = learned
        .iter()
        .map(|(id, action)| {
            (domain.action_name(*id).to_ascii_lowercase(), failures(learner, settings, *id, action))
        })
        .filter(|(_, failures)| !failures.is_empty())
        .collect();
    let assumptions = assumptions(learner, settings);
    let plain = failures.is_empty() && assumptions.spec.unchanged.is_none();
    Certificate {
        format: match plain {
            _ if !learner.class().parts.is_empty() => FORMAT_WITH_PARTS,
            _ if !learner.class().errors.is_empty() => FORMAT_WITH_ERRORS,
            true => FORMAT,
            false => FORMAT_WITH_FAILURES,
        },
        surefoot: env!("CARGO_PKG_VERSION").to_owned(),
        vocabulary: vocabulary_digest(learner.given()),
        model: model_digest(model),
        traces: learner.history().traces.keys().cloned().collect(),
        assumptions,
        actions: learned.iter().map(record).collect(),
        disjoint: disjoint(learner),
        forbidden_if: (!failures.is_empty()).then(|| FAILS_ONLY.to_owned()),
        failures,
    }
}

/// Why parts are disjoint where numbers tell.
fn disjoint(learner: &Learner) -> BTreeMap<String, Vec<DisjointRecord>> {
    let (given, parts) = (learner.given(), learner.lens().parts());
    let records = |action: ActionId| {
        let of_action = parts.of(action);
        let mut records = Vec::new();
        for (second, other) in of_action.iter().enumerate() {
            for (first, one) in of_action[..second].iter().enumerate() {
                let tests: Vec<&Condition> = one.tests.iter().chain(&other.tests).collect();
                if let Some(Contradiction::Sum(weights)) = contradiction(&tests) {
                    let weights = weights.into_iter();
                    records.push(DisjointRecord {
                        parts: (first, second),
                        weights: weights.map(|(test, by)| (test, by.to_string())).collect(),
                    });
                }
            }
        }
        (given.action_name(action).to_ascii_lowercase(), records)
    };
    parts.actions().map(records).filter(|(_, records)| !records.is_empty()).collect()
}

/// The failures of an action that prove most.
fn failures(
    learner: &Learner,
    settings: &Settings,
    id: ActionId,
    learned: &LearnedAction,
) -> Vec<FailureRecord> {
    let vocabulary = learner.vocabulary(id);
    let evidence = learner.evidence(id).settled(vocabulary);
    if evidence.failures().is_empty() {
        return Vec::new();
    }
    let domain = learner.domain();
    let open = Open::new(vocabulary, &evidence);
    let columns = &learned.numeric.columns;
    let record = |failure: &Failure| {
        let mut writer = Writer::new(domain, &domain.signature.constants)
            .with_parameters(&domain.action(id).parameters);
        let mut missing = Vec::new();
        let classes = failure.pattern.classes(&vocabulary.atoms);
        for (place, class) in classes.iter().enumerate() {
            let truth = failure.truth(place);
            for &atom in class {
                let condition = Condition::Atom(vocabulary.atoms[atom].clone());
                if truth != Some(true) && open.positive[atom] {
                    missing.push(writer.condition(&condition));
                }
                if truth != Some(false) && open.negative[atom] {
                    missing.push(writer.condition(&Condition::Not(Box::new(condition))));
                }
            }
        }
        let functions = vocabulary
            .functions
            .pairs()
            .filter(|(function, _)| !failure.defined.contains(function.index()));
        let undefined: Vec<String> =
            functions.map(|(_, function)| writer.function(function)).collect();
        let defined = open.defined(&failure.defined);
        let number = |row: &Row, column: ColumnId| {
            let is_defined = defined.iter().any(|&active| open.columns[active] == column);
            is_defined.then(|| row.coordinate(column.entry()).to_string())
        };
        FailureRecord {
            binding: failure.pattern.0.iter().map(|&place| place as usize).collect(),
            missing,
            undefined,
            numbers: failure
                .point
                .as_ref()
                .map(|row| columns.iter().map(|&column| number(row, column)).collect()),
        }
    };
    evidence
        .failures()
        .most_telling(&open, settings.failure_budget)
        .into_iter()
        .map(record)
        .collect()
}

/// Why a point or a record has a number in the certificate.
const NUMBERED: &str = "what a proof uses is listed";

fn record(learner: &Learner, id: ActionId, learned: &LearnedAction) -> ActionRecord {
    let vocabulary = learner.vocabulary(id);
    let columns = &learned.numeric.columns;
    let region = &learned.numeric.region;
    let evidence = learner.evidence(id).settled(vocabulary);
    let points = if region.shadows.is_empty() { Vec::new() } else { evidence.points(columns) };
    let partial =
        if region.shadows.is_empty() { Vec::new() } else { evidence.partial_points(columns) };
    let told = |index: usize| match points.get(index) {
        Some(point) => point.iter().map(ToString::to_string).collect(),
        None => {
            let text = |value: &Option<Rational>| {
                value.as_ref().map_or_else(|| UNKNOWN.to_owned(), ToString::to_string)
            };
            partial[index - points.len()].iter().map(text).collect()
        }
    };
    let spans = |shadow: &Shadow| -> BTreeSet<usize> {
        let facets = shadow.set.facets().iter().filter_map(|facet| facet.span.as_ref());
        facets
            .flat_map(|span| &span.points)
            .chain(&part(shadow).unwrap_or_default())
            .copied()
            .collect()
    };
    let used: BTreeSet<usize> = region.shadows.iter().flat_map(spans).collect();
    let numbers: BTreeMap<usize, usize> =
        used.iter().enumerate().map(|(number, &point)| (point, number)).collect();
    let numbered = |places: &[usize]| {
        places.iter().map(|place| *numbers.get(place).invariant(NUMBERED)).collect::<Vec<_>>()
    };
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
        columns: columns
            .iter()
            .map(|&column| learner.written(id, &vocabulary.columns[column]))
            .collect(),
        observations: used.iter().map(|&index| told(index)).collect(),
        shadows: shadows.collect(),
        vertices: texts(
            whole.iter().flat_map(|generators| generators.points.iter().map(|(_, point)| point)),
        ),
        effects: effects(learner, id, learned, &evidence),
    }
}

/// The effects of an inexact action, with why they are within their bounds.
fn effects(
    learner: &Learner,
    id: ActionId,
    learned: &LearnedAction,
    evidence: &ActionEvidence,
) -> Vec<EffectRecord> {
    let Some(inexact) = &learned.numeric.inexact else { return Vec::new() };
    let columns = &learned.numeric.columns;
    let exact = |row: &&Row| {
        inexact
            .errors
            .pairs()
            .all(|(column, error)| error.is_zero() || row.signum(column.entry()) == 0)
    };
    let equations: Vec<&Row> =
        inexact.hull.equations().iter().map(Constraint::row).filter(exact).collect();
    let record = |(function, fit): (LiftedFunctionId, &Option<Fit>)| {
        let fit = fit.as_ref()?;
        let all = evidence.inexact.records(columns, function);
        let settlements = || fit.stages.iter().flat_map(|stage| &stage.settled);
        let spreads = fit.stages.iter().flat_map(|stage| &stage.spread).map(|(_, weights)| weights);
        let weights = spreads.chain(settlements().flat_map(|one| [&one.above, &one.below]));
        let used: BTreeSet<usize> = weights.flatten().map(|(record, _)| *record).collect();
        let numbers: BTreeMap<usize, usize> =
            used.iter().enumerate().map(|(number, &record)| (record, number)).collect();
        let weights = |weights: &Weights| -> WeightRecord {
            let number = |record: &usize| *numbers.get(record).invariant(NUMBERED);
            weights.iter().map(|(record, weight)| (number(record), weight.to_string())).collect()
        };
        let settled = |one: &Settlement| SettledRecord {
            column: one.column.map(Id::index),
            value: one.value.to_string(),
            above: weights(&one.above),
            below: weights(&one.below),
        };
        let stage = |stage: &Stage| StageRecord {
            spread: stage
                .spread
                .iter()
                .map(|(column, spread)| (column.index(), weights(spread)))
                .collect(),
            settled: stage.settled.iter().map(settled).collect(),
        };
        let coefficient = |column: ActiveColumn| {
            let term = fit.map.terms.iter().find(|(of, _)| *of == column);
            term.map_or_else(
                || Rational::ZERO.to_string(),
                |(_, coefficient)| coefficient.to_string(),
            )
        };
        let seen = used.iter().map(|&record| all.get(record).invariant("weights are of records"));
        let observations: Vec<Vec<Rational>> =
            seen.map(|(before, after)| before.iter().chain([after]).cloned().collect()).collect();
        // Columns that count as settled without a proof of their own are those that equations
        // express by others.
        let dropped = fit.settled.len() > settlements().filter(|one| one.column.is_some()).count();
        let needed = equations.iter().filter(|_| dropped);
        Some(EffectRecord {
            function: learner.written(id, &Monomial(vec![function])),
            constant: fit.map.constant.to_string(),
            coefficients: columns.ids().map(coefficient).collect(),
            residual: fit.residual.to_string(),
            bound: fit.bound.to_string(),
            observations: texts(&observations),
            equations: needed
                .map(|row| (0..row.len()).map(|index| row.entry(index).to_string()).collect())
                .collect(),
            stages: fit.stages.iter().map(stage).collect(),
        })
    };
    inexact.fits.pairs().filter_map(record).collect()
}

/// Where a shadow is a part: the observations whose hull it is.
fn part(shadow: &Shadow) -> Option<Vec<usize>> {
    let generators = shadow.set.generators().filter(|_| shadow.extent == Extent::Inner)?;
    Some(generators.vertices())
}

fn texts<'p>(points: impl IntoIterator<Item = &'p Vec<Rational>>) -> Vec<Vec<String>> {
    points.into_iter().map(|point| point.iter().map(ToString::to_string).collect()).collect()
}
