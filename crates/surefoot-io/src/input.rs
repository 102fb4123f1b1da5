//! Input: files, read into values of the library.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use surefoot::assumptions::{ErrorMap, Spec};
use surefoot::certificate::{Certificate, CertificateError};
use surefoot::exact::Rational;
use surefoot::learn::{Learner, load};
use surefoot::margins::{ErrorFunctions, errors_by_function};
use surefoot::model::{Domain, FunctionId, Objects, Problem};
use surefoot::pddl::{
    Diagnostic, Numbers, Plan, ReadError, Source, Warning, read_domain, read_plan,
    read_published_problem,
};
use surefoot::stamp::{MARK, Stamp};

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
    Ok(Source::from_bytes(shown_input(path), bytes(path)?)?)
}

/// The domain in a file.
pub fn domain(path: &Path) -> Result<Domain, ReadError> {
    read_domain(&source(path)?)
}

/// A learned model in a file, or any other domain: then it has no stamp.
pub struct ModelFile {
    /// Its PDDL.
    pub source: Source,
    /// What its PDDL says.
    pub domain: Domain,
    /// What it says of itself to programs.
    pub stamp: Option<Stamp>,
}

/// The model in a file. If it promises nothing there is a warning, whatever else is quiet.
pub fn model(path: &Path) -> Result<ModelFile, ReadError> {
    let source = source(path)?;
    let stamp = stamp(&source)?;
    if stamp.as_ref().is_some_and(|stamp| stamp.not_safe().is_some()) {
        voice::warn(&format!(
            "{} says of itself that it is NOT SAFE: plans made with it may fail",
            shown_input(path)
        ));
    }
    Ok(ModelFile { domain: read_domain(&source)?, stamp, source })
}

/// The stamp in the header of a model.
pub fn stamp(model: &Source) -> Result<Option<Stamp>, ReadError> {
    Stamp::of_model(model.text())
        .map_err(|error| Diagnostic::of_file(model.name(), error.to_string()).into())
}

impl ModelFile {
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
    read_published_problem(&source(path)?, domain, numbers)
}

/// The plan in a file.
pub fn plan(path: &Path, domain: &Domain, objects: &Objects) -> Result<Plan, ReadError> {
    read_plan(&source(path)?, domain, objects)
}

/// A certificate.
pub fn certificate(path: &Path) -> Result<Certificate, ReadError> {
    let source = source(path)?;
    Certificate::from_json(source.text()).map_err(|error| match error {
        CertificateError::Foreign(error) => wrong_json(&source, "this is no certificate", &error),
        CertificateError::Format(_) | CertificateError::Beyond(..) => {
            Diagnostic::of_file(source.name(), error.to_string()).into()
        }
    })
}

/// A learner's state.
pub fn learner(path: &Path) -> Result<Learner, ReadError> {
    load(&bytes(path)?)
        .map_err(|error| Diagnostic::of_file(&shown_input(path), error.to_string()).into())
}
