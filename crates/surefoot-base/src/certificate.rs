//! Certificates: what a learned model rests on, for readers who trust the recorded steps but not
//! the learner (docs/theory.md, "Certificates").
//!
//! The format alone. The learner makes certificates, the checker verifies them with code of its
//! own, and neither shares anything else with the other. A certificate names what it belongs to by
//! digest: the domain's vocabulary, the model, the trajectories. It says what is assumed, and lists
//! for each action the conclusions that would be hard to find again, each with the observations it
//! rests on. Numbers are exact, as text.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::assumptions::{Assumptions, short_number};
use crate::exact::Rational;
use crate::model::{Action, Condition, Domain, Effect, Names};
use crate::pddl::{Numbers, Operands, write_domain, write_domain_with};

/// What an observed vector has in place of a value that the record does not say.
pub const UNKNOWN: &str = "?";

/// The version of the format.
pub const FORMAT: u32 = 3;

/// The version of certificates that list failures, or read steps as such. Programs that do not know
/// of them refuse these.
pub const FORMAT_WITH_FAILURES: u32 = 4;

/// The version of certificates whose assumptions say that recorded values have errors. Only these
/// list effects.
pub const FORMAT_WITH_ERRORS: u32 = 5;

/// The version of certificates whose assumptions say that actions have parts, with or without
/// failures. Only these prove that parts are disjoint.
pub const FORMAT_WITH_PARTS: u32 = 6;

/// All versions that are read.
const FORMATS: [u32; 4] = [FORMAT, FORMAT_WITH_FAILURES, FORMAT_WITH_ERRORS, FORMAT_WITH_PARTS];

/// What a learned model rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of the format: [`FORMAT`], [`FORMAT_WITH_FAILURES`], or [`FORMAT_WITH_ERRORS`]
    /// or [`FORMAT_WITH_PARTS`] with or without failures.
    pub format: u32,
    /// The version of the learner.
    pub surefoot: String,
    /// The digest of the domain's vocabulary: [`vocabulary_digest`].
    pub vocabulary: String,
    /// The digest of the model: [`model_digest`].
    pub model: String,
    /// The digests of the trajectories.
    pub traces: BTreeSet<String>,
    /// All assumptions on which the model rests.
    pub assumptions: Assumptions,
    /// By name: the actions of the model; of an action with parts, those of its parts.
    pub actions: BTreeMap<String, ActionRecord>,
    /// By action with parts: why two of them are disjoint, unless one has the negation of a test of
    /// the other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub disjoint: BTreeMap<String, Vec<DisjointRecord>>,
    /// What must be true besides for what the failures below forbid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbidden_if: Option<String>,
    /// By action name: the failed attempts that prove something which no other proves, within the
    /// failure budget.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failures: BTreeMap<String, Vec<FailureRecord>>,
}

/// Two parts of an action whose comparisons never hold together: multiples of them add up to
/// something false.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisjointRecord {
    /// The two parts, by number from 0.
    pub parts: (usize, usize),
    /// By number of a test, those of the first part before those of the second: what it is
    /// multiplied by.
    pub weights: WeightRecord,
}

/// A failed attempt: a state is forbidden in which no more holds than in it, and with which it lies
/// between the state and what worked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureRecord {
    /// By parameter: the first one that was the same object; constants are numbered after the
    /// parameters.
    pub binding: Vec<usize>,
    /// Of the literals that no step refutes as conditions, those that did not hold.
    pub missing: Vec<String>,
    /// The functions that had no value, unless some step refutes that conditions read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<String>,
    /// The vector over the columns of the action, `null` where there is no value; none where it
    /// lies among what worked.
    pub numbers: Option<Vec<Option<String>>>,
}

/// What the numeric precondition of one action rests on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionRecord {
    /// The monomials that observations and rows are over: the columns of the class, less those that
    /// had no value in some step.
    pub columns: Vec<String>,
    /// The observed vectors that shadows and facets refer to, by number.
    pub observations: Vec<Vec<String>>,
    /// The bodies that bound the region: one for the whole, or one for each set of functions under
    /// an arity.
    pub shadows: Vec<ShadowRecord>,
    /// Where the region is a part of what is safe: the vertices of all observed vectors, from which
    /// the whole can be made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<Vec<String>>,
    /// Where recorded values have errors and the action reads or changes such: its numeric effects,
    /// one for each function that it may change. The shadows are then those of the recorded
    /// vectors, before the margins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<EffectRecord>,
}

/// What an effect rests on where recorded values have errors: an affine map that gives the value of
/// a function afterwards, and how far that is from the true value at most.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectRecord {
    /// The function that is changed.
    pub function: String,
    /// The constant of the map.
    pub constant: String,
    /// The coefficients of the map, by column of [`ActionRecord::columns`].
    pub coefficients: Vec<String>,
    /// The largest distance between what the map gives for a recorded state and the value recorded
    /// afterwards.
    pub residual: String,
    /// How far what the map gives for a true state is from the true value afterwards, at most. It
    /// is 0 where all coefficients are settled.
    pub bound: String,
    /// The observations that stages refer to, by number: the columns before a step, then the value
    /// of the function afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<Vec<String>>,
    /// Equations `(c, a)` over the columns, `c + a · x = 0`, that held before every step and that
    /// the precondition implies. Modulo these, maps are the same. They are over functions whose
    /// records are exact.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub equations: Vec<Vec<String>>,
    /// How coefficients settle, one stage after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRecord>,
}

/// How far the state that an inexact action leads to may be off, beside what the errors before it
/// bring: a line of the header of a model. The bounds are those of the functions that it changes.
pub fn successors_in_words(action: &str, bounds: &[(String, Rational)]) -> String {
    let off: Vec<String> = bounds
        .iter()
        .filter(|(_, bound)| !bound.is_zero())
        .map(|(function, bound)| format!("{function} within {}", short_number(bound)))
        .collect();
    match &off[..] {
        [] => format!("{SUCCESSORS}{action}: exact."),
        _ => format!("{SUCCESSORS}{action}: {}.", off.join(", ")),
    }
}

/// How a line of [`successors_in_words`] begins.
pub const SUCCESSORS: &str = "Successors of ";

/// A multiple of each of some observations (by number in [`EffectRecord::observations`]), to be
/// added up.
pub type WeightRecord = Vec<(usize, String)>;

/// Coefficients that settle with what earlier stages settled: a proof for each that only one value
/// is possible.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageRecord {
    /// By column whose records have errors and whose coefficient is not settled yet: weights that
    /// bound how large it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<(usize, WeightRecord)>,
    /// The records that leave each coefficient only one value.
    pub settled: Vec<SettledRecord>,
}

/// A coefficient that settles.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettledRecord {
    /// Its column, by number in [`ActionRecord::columns`]; `None` for the constant.
    pub column: Option<usize>,
    /// The one value that it can have.
    pub value: String,
    /// Weights that bound it from above.
    pub above: WeightRecord,
    /// Weights that bound it from below.
    pub below: WeightRecord,
}

/// The shadow of the safe region on the columns over some functions, or a part of that shadow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShadowRecord {
    /// Its columns, by number in [`ActionRecord::columns`], ascending.
    pub columns: Vec<usize>,
    /// Where it is a part: the observations whose hull it is, with the rays that its facets admit.
    /// `None`: all observations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Vec<usize>>,
    /// Its facets, before any rounding.
    pub facets: Vec<FacetRecord>,
}

/// A facet, and observations on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FacetRecord {
    /// `(c, a)` over the columns of its shadow: `c + a · x ≤ 0`.
    pub row: Vec<String>,
    /// Observations on it, by number.
    pub observations: Vec<usize>,
}

/// Why a text is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// An earlier or later version wrote it.
    #[error(
        "this certificate has format {0}, but this version reads formats {FORMAT}, \
         {FORMAT_WITH_FAILURES}, {FORMAT_WITH_ERRORS} and {FORMAT_WITH_PARTS}: learn again to get \
         one"
    )]
    Format(u64),
    /// It lists what only a later format has.
    #[error("this certificate has format {0}, but says what only format {1} does: {2}")]
    Beyond(u32, u32, &'static str),
    /// It is something else.
    #[error("this is no certificate: {0}")]
    Foreign(#[from] serde_json::Error),
}

impl Certificate {
    /// The certificate as JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads a certificate from JSON.
    pub fn from_json(text: &str) -> Result<Self, CertificateError> {
        #[derive(Deserialize)]
        struct Version {
            #[serde(default)]
            format: Option<u64>,
            #[serde(default)]
            surefoot: Option<String>,
        }
        let version: Version = serde_json::from_str(text)?;
        match (version.format, version.surefoot) {
            // The first format had no number.
            (None, Some(_)) => Err(CertificateError::Format(1)),
            (Some(format), _) if !FORMATS.map(u64::from).contains(&format) => {
                Err(CertificateError::Format(format))
            }
            _ => serde_json::from_str::<Certificate>(text)?.consistent(),
        }
    }

    /// Itself, unless it has what its format has not.
    fn consistent(self) -> Result<Self, CertificateError> {
        let parts = !self.assumptions.spec.parts.is_empty();
        if (parts || !self.disjoint.is_empty()) && self.format != FORMAT_WITH_PARTS {
            let what = "actions have parts";
            return Err(CertificateError::Beyond(self.format, FORMAT_WITH_PARTS, what));
        }
        let listed = self.actions.values().any(|action| !action.effects.is_empty());
        let beyond = match (listed, self.assumptions.spec.error.is_empty()) {
            (_, false) => "records have errors",
            (true, true) => "effects have bounds",
            (false, true) => return Ok(self),
        };
        if self.format == FORMAT_WITH_ERRORS {
            Ok(self)
        } else {
            Err(CertificateError::Beyond(self.format, FORMAT_WITH_ERRORS, beyond))
        }
    }
}

/// The digest of a text.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The domain without the bodies of its actions: all of it that learning looks at.
pub fn vocabulary_of(domain: &Domain) -> Domain {
    let mut actions = Names::default();
    for (name, action) in domain.actions.iter() {
        let body = Action {
            parameters: action.parameters.clone(),
            precondition: Condition::TRUE,
            effect: Effect::NONE,
        };
        let _ = actions.insert(name, body);
    }
    Domain {
        name: domain.name.clone(),
        requirements: Vec::new(),
        signature: domain.signature.clone(),
        actions,
    }
}

/// The digest of a domain's vocabulary: all of it but the bodies of actions.
pub fn vocabulary_digest(domain: &Domain) -> String {
    digest(&write_domain(&vocabulary_of(domain)))
}

/// The digest of a model: of what [`write_domain_with`] writes of it with [`Operands::Most`], so
/// comments, layout, and whether sums are nested do not matter.
pub fn model_digest(model: &Domain) -> String {
    digest(&write_domain_with(model, Operands::Most))
}

/// A number as a certificate writes it: a decimal, or a quotient.
pub fn read_number(text: &str) -> Option<Rational> {
    let read = |word: &str| Numbers::Exact.read(word).ok();
    match text.split_once('/') {
        Some((numerator, denominator)) => read(numerator)?.checked_div(&read(denominator)?),
        None => read(text),
    }
}
