//! Certificates: what a learned model rests on, for readers who trust the recorded steps but not the learner (theory, section 8).
//!
//! A certificate names its inputs by digest, says what was assumed, and lists for each action the observations that span each of
//! its conditions. [`crate::check`] verifies a model and its certificate against the trajectories, with code of its own.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::assumptions::{Algorithm, Monotone, Settings, in_words};
use super::learner::{Conclusion, LearnedAction, Learner};
use super::precondition::{Extent, rays, shadow_arity};
use super::snapshot::vocabulary_of;
use crate::exact::{Constraint, Echelon, Rational, Row};
use crate::model::{ActionId, Condition, Domain, Effect};
use crate::pddl::{Numbers, Writer, write_domain};

/// What a learned model rests on. Numbers are exact, as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the learner.
    pub surefoot: String,
    /// The digest of the domain's vocabulary.
    pub vocabulary: String,
    /// The digests of the trajectories.
    pub traces: BTreeSet<String>,
    /// The steps that were set aside as recording errors.
    pub set_aside: BTreeSet<SetAside>,
    /// What is assumed, in words.
    pub assumptions: Vec<String>,
    /// The class of models.
    pub class: ClassRecord,
    /// What else is assumed.
    pub settings: SettingsRecord,
    /// By name: the actions of the model.
    pub actions: BTreeMap<String, ActionRecord>,
}

/// A step that was set aside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    /// The digest of its trajectory.
    pub trace: String,
    /// Its number in it, from 0.
    pub step: usize,
}

/// The class of models: what numeric conditions and effects are linear in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassRecord {
    /// The most factors of a monomial.
    pub degree: u32,
    /// Whether factors may repeat.
    pub squares: bool,
    /// To how many decimals recorded numbers were rounded.
    pub decimals: Option<u32>,
    /// By action: the only monomials that matter.
    pub relevant: BTreeMap<String, Vec<String>>,
}

/// The assumptions that a model is made with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsRecord {
    /// Which actions are learned.
    pub algorithm: AlgorithmRecord,
    /// k of A(k).
    pub arity: Option<usize>,
    /// k of E(k).
    pub effect_arity: Option<usize>,
    /// M: by action and monomial.
    pub monotone: BTreeMap<String, BTreeMap<String, MonotoneRecord>>,
    /// Whether preconditions have no negative atoms.
    pub positive_preconditions: bool,
}

/// [`Algorithm`] as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AlgorithmRecord {
    /// N-SAM*.
    NsamStar,
    /// N-SAM.
    Nsam,
    /// SAM.
    Sam,
}

/// [`Monotone`] as it is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MonotoneRecord {
    /// More never hurts.
    More,
    /// Less never hurts.
    Less,
    /// It does not matter.
    Any,
}

/// What one action of a model rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionRecord {
    /// The monomials that observations and rows are over.
    pub columns: Vec<String>,
    /// Under A(k): the size of the subsets whose shadows bound the region; none where the region is bounded as a whole.
    pub arity: Option<usize>,
    /// Whether the region is a part of what is safe, because the whole has too many facets.
    pub inner: bool,
    /// Whether equations leave out observations: steps in which several functions are one do not tell what each of them does, so
    /// the region is kept to where other steps do.
    pub restricted: bool,
    /// Where inequalities were rounded inward to fewer digits: the exact ones, which those imply.
    pub exact: Option<Vec<Vec<String>>>,
    /// The observed vectors that matter: they span all facets and the affine hull.
    pub observations: Vec<Vec<String>>,
    /// Where the region is a part: the vertices of all observed vectors, from which [`super::whole`] makes the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<Vec<String>>,
    /// The Boolean conditions.
    pub conditions: Vec<String>,
    /// The equations, as rows `(c, a)`: `c + a · x = 0`.
    pub equations: Vec<Vec<String>>,
    /// The inequalities.
    pub facets: Vec<FacetRecord>,
    /// The effects.
    pub effects: Vec<String>,
}

/// An inequality, and what spans it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacetRecord {
    /// `(c, a)`: `c + a · x ≤ 0`.
    pub row: Vec<String>,
    /// Observations on it, by number.
    pub observations: Vec<usize>,
    /// Columns whose rays lie in it, by number.
    pub rays: Vec<usize>,
}

/// The digest of a text.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of a domain's vocabulary: all of it but the bodies of actions.
pub fn vocabulary_digest(domain: &Domain) -> String {
    digest(&write_domain(&vocabulary_of(domain)))
}

impl Certificate {
    /// The certificate of a model: the actions learned, the digests of all trajectories, and the steps left out. The same for the
    /// same observations, in whatever order and by whatever learners they were made.
    pub fn new(
        learner: &Learner,
        settings: &Settings,
        learned: &[(ActionId, &LearnedAction)],
        traces: BTreeSet<String>,
        set_aside: BTreeSet<SetAside>,
    ) -> Self {
        let mut settled = learner.clone();
        settled.settle();
        let domain = learner.domain();
        let class = learner.class();
        let name = |action: usize| domain.action_name(action.into()).to_ascii_lowercase();
        let relevant = class.relevant.iter().map(|(&action, monomials)| {
            (name(action), monomials.iter().map(|monomial| learner.written(action, monomial)).collect())
        });
        let marks = |action: usize, marks: &BTreeMap<usize, Monotone>| {
            let columns = &learner.vocabulary(action.into()).columns;
            let mark = |(&column, mark): (&usize, &Monotone)| {
                let mark = match mark {
                    Monotone::More => MonotoneRecord::More,
                    Monotone::Less => MonotoneRecord::Less,
                    Monotone::Any => MonotoneRecord::Any,
                };
                Some((learner.written(action, columns.get(column)?), mark))
            };
            marks.iter().filter_map(mark).collect()
        };
        Certificate {
            surefoot: env!("CARGO_PKG_VERSION").to_owned(),
            vocabulary: vocabulary_digest(domain),
            traces,
            set_aside,
            assumptions: in_words(domain, learner, settings),
            class: ClassRecord {
                degree: class.degree.degree,
                squares: class.degree.squares,
                decimals: match class.numbers {
                    Numbers::Exact => None,
                    Numbers::Decimals(places) => Some(places),
                },
                relevant: relevant.collect(),
            },
            settings: SettingsRecord {
                algorithm: match settings.algorithm {
                    Algorithm::NsamStar => AlgorithmRecord::NsamStar,
                    Algorithm::Nsam => AlgorithmRecord::Nsam,
                    Algorithm::Sam => AlgorithmRecord::Sam,
                },
                arity: settings.arity,
                effect_arity: settings.effect_arity,
                monotone: settings.monotone.iter().map(|(&action, all)| (name(action), marks(action, all))).collect(),
                positive_preconditions: settings.positive_preconditions,
            },
            actions: learned
                .iter()
                .map(|(id, action)| {
                    // A part of the region may be spanned by observations that are no vertices of the whole.
                    let inner = action.numeric.region.extent == Extent::Inner;
                    let mut record = record(if inner { learner } else { &settled }, settings, *id, action);
                    if inner && record.arity.is_none() && spans(&settled, settings, *id, action) {
                        record.vertices = texts(&settled.evidence(*id).points(&action.numeric.columns));
                    }
                    (name(id.index()), record)
                })
                .collect(),
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// From JSON.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

fn texts<'p>(points: impl IntoIterator<Item = &'p Vec<Rational>>) -> Vec<Vec<String>> {
    points.into_iter().map(|point| point.iter().map(ToString::to_string).collect()).collect()
}

/// Whether the part is as wide as the whole: its equations, on which the effects and the guards rest, are then those of the whole.
fn spans(learner: &Learner, settings: &Settings, id: ActionId, learned: &LearnedAction) -> bool {
    let columns = &learned.numeric.columns;
    let points = learner.evidence(id).points(columns);
    let rays = rays(columns, settings.monotone.get(&id.index()));
    let generators = points.iter().map(|point| Row::point(point)).chain(rays.iter().map(|ray| Row::ray(ray)));
    let span = Echelon::span(columns.len() + 1, generators);
    span.rank() == learned.numeric.region.dimension + 1
}

fn record(learner: &Learner, settings: &Settings, id: ActionId, learned: &LearnedAction) -> ActionRecord {
    let vocabulary = learner.vocabulary(id);
    let domain = learner.domain();
    let numeric = &learned.numeric;
    let region = &numeric.region;
    let columns = numeric.columns.len();
    let points = if columns == 0 { Vec::new() } else { learner.evidence(id).points(&numeric.columns) };
    let rows: Vec<Row> = points.iter().map(|point| Row::point(point)).collect();
    let marks = settings.monotone.get(&id.index());
    let rays = numeric.columns.iter().enumerate().filter_map(|(position, column)| {
        let sign = match marks?.get(column)? {
            Monotone::More | Monotone::Any => 1,
            Monotone::Less => -1,
        };
        let mut ray = vec![Rational::ZERO; columns];
        ray[position] = Rational::integer(sign);
        Some((position, Row::ray(&ray)))
    });
    let rays: Vec<(usize, Row)> = rays.collect();

    let mut used: BTreeSet<usize> = BTreeSet::new();
    let mut affine = Echelon::new(columns + 1);
    for (index, row) in rows.iter().enumerate() {
        if affine.insert(row) {
            used.insert(index);
        }
    }
    let mut spans: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for facet in &region.inequalities {
        let support: Vec<usize> =
            std::iter::once(0).chain((1..=columns).filter(|&at| !facet.coefficient(at - 1).is_zero())).collect();
        // Under A(k) a facet is one of a shadow; what it does not mention it is not spanned in.
        let shadow = |row: &Row| match shadow_arity(columns, settings.arity) {
            None => row.clone(),
            Some(_) => Row::from_integers(support.iter().map(|&at| row.integer(at)).collect()),
        };
        let width = if shadow_arity(columns, settings.arity).is_some() { support.len() } else { columns + 1 };
        let mut span = Echelon::new(width);
        let on = |row: &Row| facet.compare_row(row).is_eq();
        let spanning_rays: Vec<usize> =
            rays.iter().filter(|(_, ray)| on(ray) && span.insert(&shadow(ray))).map(|(position, _)| *position).collect();
        let spanning: Vec<usize> =
            (0..rows.len()).filter(|&index| on(&rows[index]) && span.insert(&shadow(&rows[index]))).collect();
        used.extend(&spanning);
        spans.push((spanning, spanning_rays));
    }
    let numbers: BTreeMap<usize, usize> = used.iter().enumerate().map(|(number, &index)| (index, number)).collect();
    let text = |constraint: &Constraint| -> Vec<String> {
        (0..=columns).map(|index| constraint.row().entry(index).to_string()).collect()
    };
    let facet = |(constraint, (observations, rays)): (&Constraint, (Vec<usize>, Vec<usize>))| FacetRecord {
        row: text(constraint),
        observations: observations.iter().filter_map(|index| numbers.get(index).copied()).collect(),
        rays,
    };
    let exact = settings.digits.and_then(|_| match learner.conclude(id, &Settings { digits: None, ..settings.clone() }) {
        Conclusion::Learned(exact) if exact.numeric.region.inequalities != region.inequalities => {
            Some(exact.numeric.region.inequalities.iter().map(text).collect())
        }
        _ => None,
    });
    let mut writer = Writer::new(domain, &domain.signature.constants).with_parameters(&learned.action.parameters);
    let parts: &[Condition] = match &learned.action.precondition {
        Condition::And(parts) => parts,
        other => std::slice::from_ref(other),
    };
    let boolean = parts.iter().filter(|part| !matches!(part, Condition::Compare(..)));
    let conditions = boolean.map(|part| writer.condition(part)).collect();
    let effects: &[Effect] = match &learned.action.effect {
        Effect::And(parts) => parts,
        other => std::slice::from_ref(other),
    };
    ActionRecord {
        columns: numeric.columns.iter().map(|&column| learner.written(id.index(), &vocabulary.columns[column])).collect(),
        arity: shadow_arity(columns, settings.arity),
        inner: region.extent == Extent::Inner,
        exact,
        restricted: region.equations.iter().any(|equation| rows.iter().any(|row| !equation.compare_row(row).is_eq())),
        observations: texts(used.iter().map(|&index| &points[index])),
        vertices: Vec::new(),
        conditions,
        equations: region.equations.iter().map(text).collect(),
        facets: region.inequalities.iter().zip(spans).map(facet).collect(),
        effects: effects.iter().map(|effect| writer.effect(effect)).collect(),
    }
}
