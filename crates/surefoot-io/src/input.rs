//! Input: files, read into values of the library.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use surefoot_analysis::saved::{SavedError, SavedModel, SavedParts};
use surefoot_base::assumptions::{ErrorMap, Spec};
use surefoot_base::certificate::{Certificate, CertificateError};
use surefoot_base::exact::Rational;
use surefoot_base::margins::{ErrorFunctions, errors_by_function};
use surefoot_base::model::{Domain, FunctionId, Objects, Problem};
use surefoot_base::pddl::{
    Diagnostic, Numbers, Plan, ReadError, Source, UNKNOWN_AT_START, Warning, read_domain,
    read_plan, read_published_problem, visible,
};
use surefoot_base::stamp::{MARK, Stamp};
use surefoot_learn::{Learner, load, whole};

use crate::output::shown_path;
use crate::streams::{is_standard, standard_input};
use crate::voice;

/// The bytes of a file, or of standard input for `-`, or a message that names the file and what to
/// do.
fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let read = if is_standard(path) {
        standard_input().map(|bytes| bytes.to_vec())
    } else {
        fs::read(path)
    };
    read.map_err(|error| Diagnostic::of_file(&shown_input(path), unreadable(&error)).into())
}

/// A path in a message about a file that is read.
pub fn shown_input(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_owned() } else { shown_path(path) }
}

/// Why a file cannot be read.
fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "this is a folder, but a file was expected".to_owned(),
        io::ErrorKind::PermissionDenied => "this file may not be read".to_owned(),
        _ => format!("this file cannot be read: {error}"),
    }
}

/// What a folder holds, or a message that names the folder and what to do.
pub fn folder(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let entries =
        fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(|error: io::Error| {
        let message = match error.kind() {
            io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            io::ErrorKind::NotADirectory => "this is a file, but a folder was expected".to_owned(),
            io::ErrorKind::PermissionDenied => "this folder may not be read".to_owned(),
            _ => format!("this folder cannot be read: {error}"),
        };
        Diagnostic::of_file(&shown_path(path), message).into()
    })
}

/// A message about JSON that does not say what it should, at its place.
pub fn wrong_json(source: &Source, what: &str, error: &serde_json::Error) -> ReadError {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(&*text, |(text, _)| text);
    let message = format!("{what}: {text}");
    let Some(lines) = error.line().checked_sub(1) else {
        return Diagnostic::of_file(source.name(), message).into();
    };
    let before: usize = source.text().split_inclusive('\n').take(lines).map(str::len).sum();
    source.error(message, source.span_at(before + error.column().saturating_sub(1))).into()
}

/// The text of a file, or of standard input for `-`, or a message that names the file and what to
/// do.
pub fn source(path: &Path) -> Result<Source, ReadError> {
    let bytes = bytes(path)?;
    if SavedParts::is_saved(&bytes) {
        let message = "this is a ZIP archive, as saved models are, but a text was expected";
        let help = "a saved model goes where a command takes a learned model; unzip takes it apart";
        return Err(Diagnostic::of_file(&shown_input(path), message).help(help).into());
    }
    Ok(Source::from_bytes(shown_input(path), bytes)?)
}

/// The parts of a saved model; `None` where the file is something else.
pub fn saved(path: &Path) -> Result<Option<SavedParts>, ReadError> {
    let bytes = bytes(path)?;
    if !SavedParts::is_saved(&bytes) {
        return Ok(None);
    }
    SavedParts::read(&bytes).map(Some).map_err(|error| wrong_part(path, &error))
}

/// Why a saved model cannot be used.
fn wrong_part(path: &Path, error: &SavedError) -> ReadError {
    Diagnostic::of_file(&shown_input(path), error.to_string()).into()
}

/// The domain of recorded steps in a file, of which names and parameters of actions are used: a
/// domain, or that of a saved model.
pub fn vocabulary(path: &Path) -> Result<Domain, ReadError> {
    match saved(path)? {
        Some(parts) => parts.vocabulary().map_err(|error| wrong_part(path, &error)),
        None => domain(path),
    }
}

/// The domain in a file.
pub fn domain(path: &Path) -> Result<Domain, ReadError> {
    read_domain(&source(path)?)
}

/// A learned model in a file: PDDL, or a saved model. Any other domain has no stamp.
pub struct ModelFile {
    path: PathBuf,
    /// The parts of a saved model.
    pub saved: Option<SavedParts>,
    /// The model as PDDL.
    pub source: Source,
    /// What its PDDL says.
    pub domain: Domain,
    /// What it says of itself to programs.
    pub stamp: Option<Stamp>,
}

/// The model in a file. If it promises nothing there is a warning, whatever else is quiet.
pub fn model(path: &Path) -> Result<ModelFile, ReadError> {
    let model = model_to_check(path)?;
    if model.not_safe().is_some() {
        voice::warn(&format!(
            "{} says of itself that it is NOT SAFE: plans made with it may fail",
            shown_input(path)
        ));
    }
    Ok(model)
}

/// The model in a file, for those who say themselves what it promises.
pub fn model_to_check(path: &Path) -> Result<ModelFile, ReadError> {
    let saved = saved(path)?;
    let source = match &saved {
        Some(parts) => Source::new(&*shown_input(path), parts.pddl()),
        None => source(path)?,
    };
    let stamp = Stamp::of_model(source.text())
        .map_err(|error| Diagnostic::of_file(source.name(), error.to_string()))?;
    Ok(ModelFile { path: path.to_owned(), saved, domain: read_domain(&source)?, stamp, source })
}

impl ModelFile {
    /// Whether the file holds a model with its certificate and its evidence.
    pub fn is_saved(&self) -> bool {
        self.saved.is_some()
    }

    /// What a planner gets: a saved model has whole hulls, and PDDL has them with the certificate
    /// beside it. That the vertices of a certificate were observed is not verified here.
    pub fn for_planning(&self, certificate: Option<&Path>) -> Result<Domain> {
        let domain = match (&self.saved, certificate) {
            (None, None) => return Ok(self.domain.clone()),
            (Some(_), Some(path)) => bail!(
                "{} has its own certificate: leave out {}",
                shown_input(&self.path),
                shown_input(path)
            ),
            (Some(parts), None) => {
                parts.for_planning().map_err(|error| wrong_part(&self.path, &error))?
            }
            (None, Some(path)) => whole(&self.domain, &self::certificate(path)?)
                .with_context(|| format!("{} cannot be used here", shown_path(path)))?,
        };
        if domain != self.domain {
            voice::note(&format!(
                "whole hulls are taken from {}; that their vertices were observed is not verified \
                 here, but by `surefoot check`",
                shown_input(certificate.unwrap_or(&self.path))
            ));
        }
        Ok(domain)
    }

    /// The certificate in another file, or that of a saved model; `None` where there is neither.
    pub fn certificate(&self, other: Option<&Path>) -> Result<Option<Certificate>, ReadError> {
        match (other, &self.saved) {
            (Some(path), _) => certificate(path).map(Some),
            (None, Some(parts)) => {
                parts.certificate().map_err(|error| wrong_part(&self.path, &error))
            }
            (None, None) => Ok(None),
        }
    }

    /// A saved model, made again from its evidence.
    pub fn remade(&self) -> Result<Option<SavedModel>, ReadError> {
        let model = self.saved.as_ref().map(SavedParts::model);
        model.transpose().map_err(|error| wrong_part(&self.path, &error))
    }

    /// What it says of itself if it promises nothing.
    pub fn not_safe(&self) -> Option<&str> {
        self.stamp.as_ref().and_then(Stamp::not_safe)
    }

    /// The dials it was learned with, if it says so.
    pub fn spec(&self) -> Option<&Spec> {
        self.stamp.as_ref().and_then(Stamp::spec)
    }

    /// How far recorded values may be from the true ones, by function as people name it; none if
    /// the model has no error functions.
    ///
    /// # Errors
    /// It has error functions, but no stamp that says what they count from.
    pub fn error_map(&self) -> Result<ErrorMap, ReadError> {
        if ErrorFunctions::of(&self.domain.signature).is_empty() {
            return Ok(ErrorMap::new());
        }
        match self.spec().map(|spec| &spec.error) {
            Some(errors) if !errors.is_empty() => Ok(errors.clone()),
            _ => {
                let message = "it has error functions, but no stamp that says how far recorded \
                               values may be from the true ones";
                let help = format!(
                    "`learn` writes the stamp, the comment that begins with {:?}: learn again, or \
                     take the header from a copy of the model; `surefoot problem` takes it as \
                     --error, too",
                    MARK.trim_end()
                );
                Err(Diagnostic::of_file(self.source.name(), message).help(&help).into())
            }
        }
    }

    /// The same in the ids of a domain that has the model's error functions.
    pub fn errors(&self, domain: &Domain) -> Result<BTreeMap<FunctionId, Rational>, ReadError> {
        errors_by_function(domain, &self.error_map()?).map_err(|reason| {
            Diagnostic::of_file(self.source.name(), format!("its stamp: {reason}")).into()
        })
    }
}

/// The problem in a file, as problems are published, and what the user is to be warned of.
pub fn problem(
    path: &Path,
    domain: &Domain,
    numbers: Numbers,
) -> Result<(Problem, Vec<Warning>), ReadError> {
    let source = source(path)?;
    let (problem, mut warnings) = read_published_problem(&source, domain, numbers)?;
    warnings.extend(unknown_at_start(&source));
    Ok((problem, warnings))
}

/// What `import` says in the comments of a problem: facts of which nobody knows whether they are
/// true at the start. A problem of PDDL cannot say so.
fn unknown_at_start(problem: &Source) -> Option<Warning> {
    let lines = problem.text().lines();
    let facts = lines.filter_map(|line| line.trim().strip_prefix(UNKNOWN_AT_START));
    let unknown: Vec<&str> = facts.map(str::trim).collect();
    let first = visible(unknown.first()?);
    let facts = match unknown.len() {
        1 => format!("{first} is unknown at the start, and is"),
        count => format!("{count} facts, such as {first}, are unknown at the start, and are"),
    };
    let message = format!(
        "{facts} taken for false, or for a number without a value: a plan may rest on that. State \
         what is true of them, and delete their comments"
    );
    Some(Warning(Diagnostic::of_file(problem.name(), message)))
}

/// The plan in a file.
pub fn plan(path: &Path, domain: &Domain, objects: &Objects) -> Result<Plan, ReadError> {
    read_plan(&source(path)?, domain, objects)
}

/// A certificate: in a file of its own, or in a saved model.
pub fn certificate(path: &Path) -> Result<Certificate, ReadError> {
    if let Some(parts) = saved(path)? {
        let found = parts.certificate().map_err(|error| wrong_part(path, &error))?;
        return found.ok_or_else(|| {
            let why = "this model has no certificate: not all that it was learned from is in \
                       traces that are known";
            Diagnostic::of_file(&shown_input(path), why).into()
        });
    }
    let source = source(path)?;
    Certificate::from_json(source.text()).map_err(|error| match error {
        CertificateError::Foreign(error) => wrong_json(&source, "this is no certificate", &error),
        CertificateError::Format(_) | CertificateError::Beyond(..) => {
            Diagnostic::of_file(source.name(), error.to_string()).into()
        }
    })
}

/// A learner's state: in a file of its own, or in a saved model.
pub fn learner(path: &Path) -> Result<Learner, ReadError> {
    if let Some(parts) = saved(path)? {
        // The state has to be that of the model beside it: a digest does not say who wrote it.
        parts.model().map_err(|error| wrong_part(path, &error))?;
        return parts.learner().map_err(|error| wrong_part(path, &error));
    }
    load(&bytes(path)?)
        .map_err(|error| Diagnostic::of_file(&shown_input(path), error.to_string()).into())
}
