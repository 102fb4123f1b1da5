//! Small models with certificates made by hand: facets of the hulls of what was recorded, without
//! the learner.

use std::collections::{BTreeMap, BTreeSet};

use surefoot_base::assumptions::{Assumptions, ErrorBound};
use surefoot_base::certificate::{
    ActionRecord, Certificate, EffectRecord, FORMAT, FORMAT_WITH_ERRORS, FacetRecord, ShadowRecord,
    digest, model_digest, vocabulary_digest,
};
use surefoot_base::exact::{Budget, Facet, Rational, hull};
use surefoot_base::model::{ActionId, Domain, Expression, ObjectId, State, Universe};
use surefoot_base::pddl::{
    Numbers, Source, TrajectoryReader, read_domain, read_expression, read_problem,
};
use surefoot_check::{ModelChecker, Obligation, RejectionReason};

/// A domain, a model of its actions, what is assumed, and recorded steps.
pub struct Case {
    /// All of the domain but its actions.
    pub vocabulary: String,
    /// `(name, parameters, precondition, effect)`
    pub actions: Vec<[String; 4]>,
    pub objects: String,
    pub assumptions: Assumptions,
    /// By action: its columns; the rays over them; the columns of each shadow (empty: one of all);
    /// whether it is a part.
    pub records: BTreeMap<String, Record>,
    pub traces: Vec<String>,
    /// The functions that carry errors along, as the model declares them beyond those of the
    /// domain.
    pub carried: String,
}

#[derive(Clone, Default)]
pub struct Record {
    pub columns: Vec<&'static str>,
    pub rays: Vec<Vec<i64>>,
    pub shadows: Vec<Vec<usize>>,
    pub effects: Vec<EffectRecord>,
}

pub fn source(text: impl Into<String>) -> Source {
    Source::new("test", text)
}

impl Case {
    pub fn new(vocabulary: &str, objects: &str) -> Self {
        Case {
            vocabulary: vocabulary.into(),
            actions: Vec::new(),
            objects: objects.into(),
            assumptions: Assumptions::default(),
            records: BTreeMap::new(),
            traces: Vec::new(),
            carried: String::new(),
        }
    }

    pub fn action(
        mut self,
        name: &str,
        parameters: &str,
        precondition: &str,
        effect: &str,
    ) -> Self {
        self.actions.push([name, parameters, precondition, effect].map(str::to_owned));
        self.records.entry(name.into()).or_default();
        self
    }

    pub fn columns(mut self, name: &str, columns: &[&'static str]) -> Self {
        self.records.get_mut(name).unwrap().columns = columns.to_vec();
        self
    }

    pub fn rays(mut self, name: &str, rays: &[&[i64]]) -> Self {
        self.records.get_mut(name).unwrap().rays = rays.iter().map(|ray| ray.to_vec()).collect();
        self
    }

    pub fn shadows(mut self, name: &str, shadows: &[&[usize]]) -> Self {
        self.records.get_mut(name).unwrap().shadows =
            shadows.iter().map(|shadow| shadow.to_vec()).collect();
        self
    }

    pub fn assuming(mut self, change: impl FnOnce(&mut Assumptions)) -> Self {
        change(&mut self.assumptions);
        self
    }

    /// Records have errors, and the model has functions that carry these along.
    pub fn errors(mut self, errors: &[(&str, &str)], carried: &str) -> Self {
        let bound =
            |&(name, bound): &(&str, &str)| (name.to_owned(), ErrorBound::read(bound).unwrap());
        self.assumptions.spec.error = errors.iter().map(bound).collect();
        self.carried = carried.to_owned();
        self
    }

    /// An effect on a function that the certificate lists for the last action: its map, residual
    /// and bound.
    pub fn effect(mut self, function: &str, map: &[&str], residual: &str, bound: &str) -> Self {
        let effect = EffectRecord {
            function: function.into(),
            constant: map[0].into(),
            coefficients: map[1..].iter().map(|&text| text.to_owned()).collect(),
            residual: residual.into(),
            bound: bound.into(),
            observations: Vec::new(),
            equations: Vec::new(),
            stages: Vec::new(),
        };
        let name = &self.actions.last().unwrap()[0];
        self.records.get_mut(name).unwrap().effects.push(effect);
        self
    }

    /// A change of the last effect.
    pub fn with(mut self, change: impl FnOnce(&mut EffectRecord)) -> Self {
        let name = &self.actions.last().unwrap()[0];
        change(self.records.get_mut(name).unwrap().effects.last_mut().unwrap());
        self
    }

    /// A trace of one step.
    pub fn step(mut self, before: &str, action: &str, after: &str) -> Self {
        self.traces.push(format!("((:init {before}) (operator: ({action})) (:state {after}))"));
        self
    }

    pub fn domain(&self) -> Domain {
        let empty = |[name, parameters, ..]: &[String; 4]| {
            format!("(:action {name} :parameters ({parameters}))")
        };
        let actions: String = self.actions.iter().map(empty).collect();
        read_domain(&source(format!("(define (domain d) {} {actions})", self.vocabulary))).unwrap()
    }

    pub fn model(&self) -> Domain {
        let action = |[name, parameters, precondition, effect]: &[String; 4]| {
            format!(
                "(:action {name} :parameters ({parameters}) :precondition (and {precondition}) \
                 :effect (and {effect}))"
            )
        };
        let actions: String = self.actions.iter().map(action).collect();
        // Functions are the last section.
        let vocabulary =
            match self.vocabulary.strip_suffix(')').filter(|_| !self.carried.is_empty()) {
                Some(open) => format!("{open} {})", self.carried),
                None => self.vocabulary.clone(),
            };
        read_domain(&source(format!("(define (domain d) {vocabulary} {actions})"))).unwrap()
    }

    pub fn certificate(&self) -> Certificate {
        let (domain, model) = (self.domain(), self.model());
        Certificate {
            format: if self.assumptions.spec.error.is_empty() {
                FORMAT
            } else {
                FORMAT_WITH_ERRORS
            },
            surefoot: "by hand".into(),
            vocabulary: vocabulary_digest(&domain),
            model: model_digest(&model),
            traces: self.traces.iter().map(|text| digest(text)).collect(),
            assumptions: self.assumptions.clone(),
            actions: self
                .records
                .iter()
                .map(|(name, record)| (name.clone(), self.record(&domain, name, record)))
                .collect(),
            disjoint: Default::default(),
            forbidden_if: None,
            failures: Default::default(),
        }
    }

    pub fn record(&self, domain: &Domain, name: &str, record: &Record) -> ActionRecord {
        let id = ActionId::from(domain.actions.find(name).unwrap());
        let points: BTreeSet<Vec<Rational>> =
            self.vectors(domain, id, &record.columns).into_iter().collect();
        let points: Vec<Vec<Rational>> = points.into_iter().collect();
        let rays: Vec<Vec<Rational>> = record
            .rays
            .iter()
            .map(|ray| ray.iter().map(|&value| Rational::integer(value)).collect())
            .collect();
        let all = vec![(0..record.columns.len()).collect::<Vec<usize>>()];
        let shadows = if record.shadows.is_empty() { &all } else { &record.shadows };
        let shadow = |columns: &Vec<usize>| {
            let narrow = |rows: &[Vec<Rational>]| -> Vec<Vec<Rational>> {
                rows.iter()
                    .map(|row| columns.iter().map(|&column| row[column].clone()).collect())
                    .collect()
            };
            let (points, rays) = (narrow(&points), narrow(&rays));
            let hull = hull(&points, &rays, Budget::facets(10_000)).unwrap();
            let facet = |facet: &Facet| {
                let row = facet.constraint.row();
                let row: Vec<Rational> = (0..row.len()).map(|at| row.entry(at)).collect();
                let value = |point: &Vec<Rational>| {
                    point.iter().zip(&row[1..]).fold(row[0].clone(), |sum, (x, a)| &sum + &(x * a))
                };
                let on = points.iter().enumerate().filter(|(_, point)| value(point).is_zero());
                FacetRecord {
                    observations: on.map(|(index, _)| index).collect(),
                    row: row.iter().map(text).collect(),
                }
            };
            ShadowRecord {
                columns: columns.clone(),
                part: None,
                facets: hull.facets().iter().map(facet).collect(),
            }
        };
        ActionRecord {
            columns: record.columns.iter().map(|&column| column.to_owned()).collect(),
            observations: points.iter().map(|point| point.iter().map(text).collect()).collect(),
            shadows: shadows.iter().map(shadow).collect(),
            vertices: Vec::new(),
            effects: record.effects.clone(),
        }
    }

    /// The vectors before all steps of an action.
    pub fn vectors(&self, domain: &Domain, id: ActionId, columns: &[&str]) -> Vec<Vec<Rational>> {
        let columns: Vec<Expression> = columns
            .iter()
            .map(|column| read_expression(&source(*column), domain, id).unwrap())
            .collect();
        let problem = self.problem(domain);
        let mut vectors = Vec::new();
        for trace in &self.traces {
            let trace = source(trace.clone());
            let mut reader =
                TrajectoryReader::new(&trace, domain, &problem.objects, Numbers::Exact).unwrap();
            while let Some(step) = reader.next_transition().unwrap() {
                if step.action.symbol == id {
                    let value = |column: &Expression| {
                        value(column, &step.action.arguments, step.universe, step.before)
                    };
                    vectors.extend(columns.iter().map(value).collect::<Option<Vec<_>>>());
                }
            }
        }
        vectors
    }

    pub fn problem(&self, domain: &Domain) -> surefoot_base::model::Problem {
        let text = format!(
            "(define (problem p) (:domain d) (:objects {}) (:init) (:goal (and)))",
            self.objects
        );
        read_problem(&source(text), domain, Numbers::Exact).unwrap()
    }

    pub fn verdict_with(&self, model: &Domain, certificate: &Certificate) -> Vec<RejectionReason> {
        let domain = self.domain();
        let problem = self.problem(&domain);
        let mut checker = ModelChecker::new(&domain, model, certificate);
        for trace in &self.traces {
            checker.read(&source(trace.clone()), &problem.objects).unwrap();
        }
        checker.finish()
    }

    /// The verdict that `check` gives, which holds the records also against the model that planning
    /// uses.
    pub fn verdict_with_hulls(&self, certificate: &Certificate) -> Vec<RejectionReason> {
        let (domain, model) = (self.domain(), self.model());
        let problem = self.problem(&domain);
        let with_hulls = surefoot_learn::whole(&model, certificate).unwrap();
        assert_ne!(with_hulls, model);
        let mut checker =
            ModelChecker::new(&domain, &model, certificate).with_whole_hulls(&with_hulls);
        for trace in &self.traces {
            checker.read(&source(trace.clone()), &problem.objects).unwrap();
        }
        checker.finish()
    }

    pub fn verdict(&self) -> Vec<RejectionReason> {
        self.verdict_with(&self.model(), &self.certificate())
    }

    #[track_caller]
    pub fn accepted(&self) {
        assert_eq!(self.verdict(), []);
    }

    /// It is rejected for this reason, and perhaps others.
    #[track_caller]
    pub fn rejected_because(&self, kind: Obligation, why: &str) {
        let verdict = self.verdict();
        assert!(
            verdict.iter().any(|reason| reason.kind == kind && reason.what.contains(why)),
            "{kind:?}, {why}: {verdict:#?}"
        );
    }

    #[track_caller]
    pub fn rejected(&self, kind: Obligation) {
        let verdict = self.verdict();
        assert!(verdict.iter().any(|reason| reason.kind == kind), "{kind:?}: {verdict:#?}");
    }

    /// The same with another precondition for the last action.
    pub fn but(self, precondition: &str) -> Self {
        self.replaced(2, precondition)
    }

    /// The same with another effect for the last action.
    pub fn does(self, effect: &str) -> Self {
        self.replaced(3, effect)
    }

    pub fn replaced(mut self, at: usize, text: &str) -> Self {
        self.actions.last_mut().unwrap()[at] = text.to_owned();
        self
    }
}

fn text(value: &Rational) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

fn value(
    expression: &Expression,
    arguments: &[ObjectId],
    universe: &Universe,
    state: &State,
) -> Option<Rational> {
    match expression {
        Expression::Function(function) => {
            state.value(universe.find_value(&function.ground(arguments))?).cloned()
        }
        Expression::Product(factors) => {
            factors.iter().try_fold(Rational::ONE, |product, factor| {
                Some(&product * &value(factor, arguments, universe, state)?)
            })
        }
        _ => panic!("a product of functions"),
    }
}
