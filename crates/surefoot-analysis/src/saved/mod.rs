//! A model in one file (`model.surefoot`): all that it is, in parts that people and other programs
//! can read.
//!
//! | part | what it is | for |
//! |---|---|---|
//! | `surefoot-model.json` | the format, the dials of the model, the digests of all other parts | |
//! | `model.pddl` | the model as [`Model::to_pddl`] gives it | planners |
//! | `certificate.json` | what the model rests on, if all of its traces are known | `check` |
//! | `learner.state` | the evidence, as [`save`] gives it | explaining, going on |
//! | `domain.pddl` | the domain that it was learned for | its names |
//!
//! *In*: a [`Model`], or the bytes of a file. *Out*: bytes, or [`SavedParts`], whose digests were
//! verified. A part is used where it is enough: the checker takes PDDL and certificate, and never
//! the learner. [`SavedParts::model`] makes the model again from its evidence, and holds it against
//! the PDDL beside it.
//!
//! *The invariant*: the same model has the same bytes, and what is loaded is what was saved, or an
//! error. Digests notice damage. They do not prove who wrote a file: whoever trusts nobody runs the
//! checker.
//!
//! A model that is not safe has no evidence. It is made again from its PDDL.

mod archive;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use self::archive::{ArchiveParts, MAGIC, packed, unpacked};
use crate::evaluate::aligned;
use surefoot_base::assumptions::{DIALS, Dial, DialGroup, Spec};
use surefoot_base::certificate::{Certificate, CertificateError, vocabulary_digest, vocabulary_of};
use surefoot_base::invariant::{BrokenInvariant, guarded};
use surefoot_base::model::Domain;
use surefoot_base::pddl::{ReadError, Source, read_domain, write_domain};
use surefoot_base::stamp::Stamp;
use surefoot_learn::{
    CertificateMismatch, LearnError, Learner, Model, NoTraces, OnBadData, Settings, SnapshotError,
    SpecError, load, save, whole,
};

/// The version of the format. Files of earlier versions are read, too.
pub const FORMAT: u64 = 2;

/// How the names of such files end.
pub const EXTENSION: &str = "surefoot";

const MANIFEST: &str = "surefoot-model.json";
const PDDL: &str = "model.pddl";
const CERTIFICATE: &str = "certificate.json";
const EVIDENCE: &str = "learner.state";
const DOMAIN: &str = "domain.pddl";
const NAMES: [&str; 5] = [MANIFEST, PDDL, CERTIFICATE, EVIDENCE, DOMAIN];

/// Why bytes are no saved model, or a model cannot be saved.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    /// They are something else.
    #[error("this is no saved model, or it is damaged: {0}")]
    Foreign(String),
    /// A later version wrote them.
    #[error("this model has format {0}, but this version reads formats up to {FORMAT}")]
    Format(u64),
    /// A part is missing, or was changed.
    #[error("this model is damaged: {0} is missing, or was changed")]
    Damaged(String),
    /// A part does not say what it should, though it has the digest that it had.
    #[error("{0}: {1}")]
    Part(&'static str, String),
    /// Its evidence makes another model.
    #[error(
        "this version makes another model of the same evidence than the one that saved it; learn \
         again, or go on with the parts of the file, which is a ZIP archive"
    )]
    Another,
    /// It promises nothing, so there is no evidence to go on with.
    #[error("this model promises nothing, and holds no evidence")]
    NoEvidence,
    /// It cannot be put into bytes.
    #[error("this model cannot be saved: {0}")]
    Unwritable(String),
    /// A mistake in the library.
    #[error(transparent)]
    Broken(#[from] BrokenInvariant),
}

/// What `surefoot-model.json` says. A safe model has `options` and `complete`, any other one has
/// the rest.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    format: u64,
    /// The dials of models, by keyword.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    options: Option<Map<String, Value>>,
    /// Whether all that was learned from is in traces that are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    complete: Option<bool>,
    /// The title of another learner, and what is not promised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    learner: Option<(String, String)>,
    /// By action: why another learner did not learn it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    missing: Option<BTreeMap<String, String>>,
    /// Why another learner has no model at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lost: Option<String>,
    /// To how many decimals recorded numbers were rounded for another learner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decimals: Option<u32>,
    /// The digest of each other part.
    parts: BTreeMap<String, String>,
}

/// A model that was loaded.
#[derive(Clone, Debug)]
pub struct SavedModel {
    /// The model. How many steps each action had is not known any more.
    pub model: Model,
    /// The dials of the model, as they were said then. Those of its class are in its evidence.
    pub spec: Spec,
    /// Whether all that it was learned from is in traces that are known.
    pub complete: bool,
}

/// A model as bytes. `spec` is what it was made with, as it was said; `complete` says whether all
/// that it was learned from is in traces that are known: only then it has a certificate.
///
/// # Errors
/// A part is too large.
pub fn to_bytes(model: &Model, spec: &Spec, complete: bool) -> Result<Vec<u8>, SavedError> {
    guarded(|| written(model, spec, complete))?
}

fn written(model: &Model, spec: &Spec, complete: bool) -> Result<Vec<u8>, SavedError> {
    let mut parts = ArchiveParts::new();
    let mut manifest = Manifest { format: FORMAT, ..Manifest::default() };
    parts.insert(PDDL.to_owned(), model.to_pddl().into_bytes());
    // Bodies of the given domain are kept only if they show that the promise is void.
    let void = model.grounds().is_some_and(|grounds| !grounds.misfits.is_empty());
    let domain = match void {
        true => write_domain(model.vocabulary()),
        false => write_domain(&vocabulary_of(model.vocabulary())),
    };
    parts.insert(DOMAIN.to_owned(), domain.into_bytes());
    match model.grounds() {
        Some(grounds) => {
            manifest.options = Some(options(spec));
            manifest.complete = Some(complete);
            let evidence = save(&grounds.learner).map_err(unwritable)?;
            parts.insert(EVIDENCE.to_owned(), evidence);
            if let Some(certificate) = model.certificate().filter(|_| complete) {
                let text = certificate.to_json().map_err(unwritable)?;
                parts.insert(CERTIFICATE.to_owned(), text.into_bytes());
            }
        }
        None => {
            let vocabulary = model.vocabulary();
            let missing = vocabulary.action_ids().filter_map(|id| {
                Some((vocabulary.action_name(id).to_owned(), model.missing(id)?.to_owned()))
            });
            let warning = model.warning().unwrap_or_default();
            manifest.learner = Some((model.title().to_owned(), warning.to_owned()));
            manifest.missing = Some(missing.collect());
            manifest.lost = model.lost().map(str::to_owned);
            manifest.decimals = spec.decimals;
        }
    }
    manifest.parts = parts.iter().map(|(name, bytes)| (name.clone(), digest(bytes))).collect();
    let text = serde_json::to_string_pretty(&manifest).map_err(unwritable)?;
    parts.insert(MANIFEST.to_owned(), (text + "\n").into_bytes());
    packed(&parts).map_err(unwritable)
}

/// The parts of a saved model, each with the digest that its manifest says.
#[derive(Debug)]
pub struct SavedParts {
    manifest: Manifest,
    spec: Spec,
    pddl: String,
    certificate: Option<String>,
    evidence: Option<Vec<u8>>,
    domain: Option<String>,
}

impl SavedParts {
    /// Whether bytes are those of a saved model, judged by how they begin.
    pub fn is_saved(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Takes a saved model apart.
    ///
    /// # Errors
    /// It is something else, a later version wrote it, or a part is missing or was changed.
    pub fn read(bytes: &[u8]) -> Result<SavedParts, SavedError> {
        let mut parts = unpacked(bytes, &NAMES).map_err(SavedError::Foreign)?;
        let text = parts
            .remove(MANIFEST)
            .ok_or_else(|| SavedError::Foreign(format!("it has no {MANIFEST}")))?;
        let value: Value = serde_json::from_slice(&text)
            .map_err(|error| SavedError::Foreign(format!("{MANIFEST}: {error}")))?;
        let format = value.get("format").and_then(Value::as_u64);
        match format {
            Some(1..=FORMAT) => {}
            Some(other) => return Err(SavedError::Format(other)),
            None => return Err(SavedError::Foreign(format!("{MANIFEST} names no format"))),
        }
        let manifest: Manifest = serde_json::from_value(value).map_err(|_| damaged(MANIFEST))?;
        SavedParts::told_apart(manifest, parts)
    }

    fn told_apart(manifest: Manifest, mut parts: ArchiveParts) -> Result<SavedParts, SavedError> {
        for (name, expected) in &manifest.parts {
            if parts.get(name).is_none_or(|bytes| digest(bytes) != *expected) {
                return Err(damaged(name));
            }
        }
        if let Some(name) = parts.keys().find(|name| !manifest.parts.contains_key(*name)) {
            return Err(damaged(name));
        }
        let pddl = take_text(&mut parts, PDDL)?.ok_or_else(|| damaged(PDDL))?;
        let certificate = take_text(&mut parts, CERTIFICATE)?;
        let domain = take_text(&mut parts, DOMAIN)?;
        let evidence = parts.remove(EVIDENCE);
        let spec = match (&manifest.options, &manifest.learner) {
            (Some(options), None) => spec(options).ok_or_else(|| damaged(MANIFEST))?,
            (None, Some(_)) => Spec::default().with(|spec| spec.decimals = manifest.decimals),
            _ => return Err(damaged(MANIFEST)),
        };
        let is_safe = manifest.options.is_some();
        // The first format kept the domain only where there is no evidence.
        let needs_domain = !is_safe || manifest.format > 1;
        if is_safe != evidence.is_some() || is_safe != manifest.complete.is_some() {
            return Err(damaged(EVIDENCE));
        }
        if needs_domain && domain.is_none() {
            return Err(damaged(DOMAIN));
        }
        if certificate.is_some() != (manifest.complete == Some(true)) {
            return Err(damaged(CERTIFICATE));
        }
        Ok(SavedParts { manifest, spec, pddl, certificate, evidence, domain })
    }

    /// The model as PDDL.
    pub fn pddl(&self) -> &str {
        &self.pddl
    }

    /// The dials of the model, as they were said. Those of its class are in its evidence.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Whether all that it was learned from is in traces that are known.
    pub fn is_complete(&self) -> bool {
        self.manifest.complete.unwrap_or(true)
    }

    /// The certificate, if all that was learned from is in traces that are known.
    ///
    /// # Errors
    /// It is none.
    pub fn certificate(&self) -> Result<Option<Certificate>, SavedError> {
        let certificate = self.certificate.as_deref().map(Certificate::from_json).transpose();
        certificate.map_err(|error: CertificateError| part(CERTIFICATE, error))
    }

    /// What the model was learned from.
    ///
    /// # Errors
    /// The model promises nothing, so there is none; or it is damaged.
    pub fn learner(&self) -> Result<Learner, SavedError> {
        let evidence = self.evidence.as_deref().ok_or(SavedError::NoEvidence)?;
        load(evidence).map_err(|error: SnapshotError| part(EVIDENCE, error))
    }

    /// The domain that it was learned for: of its actions, only names and parameters count.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn vocabulary(&self) -> Result<Domain, SavedError> {
        match &self.domain {
            Some(text) => read(DOMAIN, text),
            None => Ok(self.learner()?.domain().clone()),
        }
    }

    /// What a planner gets: the actions of the model alone, with whole hulls, from its certificate
    /// or else from its evidence. That the vertices of a certificate were observed is not verified
    /// here.
    ///
    /// # Errors
    /// The parts do not go together.
    pub fn for_planning(&self) -> Result<Domain, SavedError> {
        match (self.certificate()?, &self.evidence) {
            (Some(certificate), _) => {
                let found = whole(&read(PDDL, &self.pddl)?, &certificate);
                found.map_err(|error: CertificateMismatch| part(CERTIFICATE, error))
            }
            (None, Some(_)) => Ok(self.model()?.model.for_planning().of_known_actions()),
            (None, None) => read(PDDL, &self.pddl),
        }
    }

    /// The model, made again and held against the PDDL beside it.
    ///
    /// # Errors
    /// The parts do not go together, or another version made another model of them.
    pub fn model(&self) -> Result<SavedModel, SavedError> {
        guarded(|| self.made_again())?
    }

    fn made_again(&self) -> Result<SavedModel, SavedError> {
        let model = match &self.manifest.learner {
            Some((title, warning)) => self.other(title, warning)?,
            None => self.safe()?,
        };
        // Sentences may be worded anew; the body and the stamp may not.
        let text = model.to_pddl();
        let same_stamp = self.manifest.format == 1 || stamp(&text)? == stamp(&self.pddl)?;
        if !same_stamp || body(&text) != body(&self.pddl) {
            return Err(SavedError::Another);
        }
        Ok(SavedModel { model, spec: self.spec.clone(), complete: self.is_complete() })
    }

    fn safe(&self) -> Result<Model, SavedError> {
        let learner = self.learner()?;
        let settings = Settings::of_spec(&self.spec, &learner);
        let settings = settings.map_err(|error: SpecError| part(MANIFEST, error))?;
        let model = Model::of(&learner, &settings, &NoTraces, OnBadData::SkipAction);
        let model = model.map_err(|error: LearnError| part(EVIDENCE, error))?;
        let Some(text) = &self.domain else { return Ok(model) };
        let given = read(DOMAIN, text)?;
        if vocabulary_digest(&given) != vocabulary_digest(learner.given()) {
            return Err(part(DOMAIN, "it is another domain than that of the evidence"));
        }
        Ok(model.of_given(given))
    }

    /// A model that promises nothing, from its PDDL.
    fn other(&self, title: &str, warning: &str) -> Result<Model, SavedError> {
        let vocabulary = self.vocabulary()?;
        let learned =
            aligned(&read(PDDL, &self.pddl)?, &vocabulary).map_err(|error| part(PDDL, error))?;
        let bodies = vocabulary
            .action_ids()
            .map(|id| {
                let name = vocabulary.action_name(id);
                match learned.actions.find(name) {
                    Some(place) => Ok(learned.actions.value(place).clone()),
                    None => Err(self.why_missing(name)),
                }
            })
            .collect();
        let model = Model::of_other(Arc::new(vocabulary), title, warning, bodies);
        Ok(model.lost_because(self.manifest.lost.clone()))
    }

    fn why_missing(&self, action: &str) -> String {
        let known = self.manifest.missing.as_ref().and_then(|missing| missing.get(action));
        known.map_or("not learned", String::as_str).to_owned()
    }
}

fn unwritable(error: impl ToString) -> SavedError {
    SavedError::Unwritable(error.to_string())
}

fn damaged(name: &str) -> SavedError {
    SavedError::Damaged(name.to_owned())
}

/// Takes a part that is text out of an archive; `None` where it is missing.
fn take_text(parts: &mut ArchiveParts, name: &str) -> Result<Option<String>, SavedError> {
    let bytes = parts.remove(name).map(String::from_utf8);
    bytes.transpose().map_err(|_| damaged(name))
}

/// The stamp of a model; `None` where it has none.
fn stamp(pddl: &str) -> Result<Option<Stamp>, SavedError> {
    Stamp::of_model(pddl).map_err(|error| part(PDDL, error))
}

/// The dials of models, by keyword.
fn options(spec: &Spec) -> Map<String, Value> {
    let dials = DIALS.iter().filter(|dial| dial.group == DialGroup::Model);
    dials.map(|dial| (dial.keyword(), spec.get(dial))).collect()
}

/// The same back; `None` where there is something else. A dial that is younger than the file was
/// not turned.
fn spec(options: &Map<String, Value>) -> Option<Spec> {
    let mut spec = Spec::default();
    for (name, value) in options {
        let dial = Dial::find(name).filter(|dial| dial.group == DialGroup::Model)?;
        spec.set(dial.name, value.clone()).ok()?;
    }
    Some(spec)
}

/// The text of a model without its header.
fn body(pddl: &str) -> &str {
    let header: usize =
        pddl.split_inclusive('\n').take_while(|line| line.starts_with(';')).map(str::len).sum();
    &pddl[header..]
}

fn read(name: &'static str, text: &str) -> Result<Domain, SavedError> {
    read_domain(&Source::new(name, text)).map_err(|error: ReadError| part(name, error))
}

fn part(name: &'static str, error: impl ToString) -> SavedError {
    SavedError::Part(name, error.to_string())
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
