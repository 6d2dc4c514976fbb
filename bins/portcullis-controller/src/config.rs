//! Reading configuration files, and saying what is wrong with them.

mod exposure;
mod names;
mod own_keys;
mod surroundings;

use crate::diagnostics::{self, Sources};
use crate::output;
use anyhow::bail;
use exposure::Tolerance;
use own_keys::OwnKeys;
use portcullis_controller_config::{ControllerConfig, NamedThings, Outcome};
use portcullis_domain::io_error;
use portcullis_yaml::{Diagnostic, Diagnostics, KeyPath, Place, Severity, SourceId, decode};
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

/// Files that were read, and what they say.
pub(crate) struct Reading {
    /// The files.
    pub(crate) sources: Sources,
    /// The configuration, or what keeps it from being one.
    pub(crate) outcome: Outcome,
}

impl Reading {
    /// A file that cannot be read at all, for a reason that is as good as a mistake in it.
    pub(crate) fn unreadable(file: &Path, error: &anyhow::Error) -> Self {
        let mut sources = Sources::default();
        sources.add(file, String::new());
        // Lines count from 1: this is about no line.
        let place = Place::default();
        let message = output::sentence(error);
        let (code, path) = (surroundings::UNREADABLE_FILE, KeyPath::root());
        let found = Diagnostic::new(Severity::Error, code, path, place, message);
        let outcome = Outcome {
            diagnostics: vec![found],
            ..Outcome::default()
        };
        Self { sources, outcome }
    }
}

/// Reads a complete file, and partial ones to lay over it in turn.
///
/// # Errors
///
/// When a file cannot be read at all, or when the result is no configuration: every mistake is then
/// shown on stderr before this returns.
pub fn load(files: &[&Path]) -> anyhow::Result<ControllerConfig> {
    load_with_names(files).map(|(config, _)| config)
}

/// As [`load`], with the places where the files name something outside themselves.
pub(crate) fn load_with_names(files: &[&Path]) -> anyhow::Result<(ControllerConfig, NamedThings)> {
    let Reading { sources, outcome } = read(files)?;
    let is_terminal = io::stderr().is_terminal();
    if let Some(config) = outcome.config {
        if is_terminal {
            show(&outcome.diagnostics, &sources, true);
        } else {
            log(&outcome.diagnostics, &sources);
        }
        return Ok((config, outcome.named));
    }
    show(&outcome.diagnostics, &sources, is_terminal);
    let errors = outcome
        .diagnostics
        .iter()
        .filter(|each| each.severity == Severity::Error)
        .count();
    let names: Vec<_> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let mistakes = if errors == 1 {
        "1 mistake".to_owned()
    } else {
        format!("{errors} mistakes")
    };
    bail!(
        "the configuration {} cannot be used: {mistakes}",
        names.join(" with ")
    );
}

/// Reads files and keeps everything that is to be said about them.
pub(crate) fn read(files: &[&Path]) -> anyhow::Result<Reading> {
    let mut sources = Sources::default();
    let mut unreadable = Vec::new();
    for (source, path) in (0_u16..).map(SourceId).zip(files) {
        let bytes = std::fs::read(path).map_err(|error| cannot_read(path, &error))?;
        let text = decode(&bytes, source).unwrap_or_else(|error| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            unreadable.push(error.to_diagnostic(&text));
            text
        });
        sources.add(path, text);
    }
    let outcome = if unreadable.is_empty() {
        let lookup = |name: &str| std::env::var(name).ok();
        let outcome = portcullis_controller_config::read_files(&sources.texts(), &lookup);
        let mut found = surroundings::check(&outcome.named, &OwnKeys::of(files));
        found.extend(names::check(&outcome));
        found.extend(exposed(files, &sources));
        judged(outcome, found)
    } else {
        Outcome {
            diagnostics: unreadable,
            ..Outcome::default()
        }
    };
    Ok(Reading { sources, outcome })
}

/// Finds files that hold keys in themselves and are open to others.
fn exposed(files: &[&Path], sources: &Sources) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let texts = sources.texts();
    for ((source, path), text) in (0_u16..).map(SourceId).zip(files).zip(texts) {
        let exposure = holds_key(text.text)
            .then(|| exposure::of("the configuration", path, Tolerance::Foreign));
        if let Some(exposure) = exposure.flatten() {
            let place = Place {
                source,
                ..Place::default()
            };
            let mut diagnostic = Diagnostic::new(
                exposure.severity,
                surroundings::EXPOSED_FILE,
                KeyPath::root(),
                place,
                format!("{}; it holds a private key", exposure.message),
            );
            diagnostic.help(exposure.help);
            found.push(diagnostic);
        }
    }
    found
}

/// Whether a private key stands in a text, as PEM or as a value that OpenZiti takes for PEM.
fn holds_key(text: &str) -> bool {
    text.contains("PRIVATE KEY-----")
}

/// Adds what is wrong with the files themselves and with the things that they name.
fn judged(mut outcome: Outcome, found: Vec<Diagnostic>) -> Outcome {
    if !found.is_empty() {
        if found.iter().any(|each| each.severity == Severity::Error) {
            outcome.config = None;
        }
        let mut all = Diagnostics::default();
        all.extend(outcome.diagnostics);
        all.extend(found);
        outcome.diagnostics = all.into_sorted();
    }
    outcome
}

/// The folder that a file stands in, whatever the working directory will be.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    folder
        .canonicalize()
        .unwrap_or_else(|_missing| folder.to_owned())
}

fn cannot_read(path: &Path, error: &io::Error) -> anyhow::Error {
    let path: PathBuf = path.to_owned();
    if error.kind() == io::ErrorKind::NotFound {
        anyhow::anyhow!("the configuration file {} does not exist", path.display())
    } else {
        let (path, why) = (path.display(), io_error::in_words(error));
        anyhow::anyhow!("the configuration file {path} cannot be read: {why}")
    }
}

fn show(found: &[Diagnostic], sources: &Sources, styled: bool) {
    for diagnostic in found {
        output::remark(diagnostics::human(diagnostic, sources, styled));
    }
}

fn log(found: &[Diagnostic], sources: &Sources) {
    for diagnostic in found {
        tracing::warn!(
            file = sources.name(diagnostic.source),
            line = diagnostic.line,
            column = diagnostic.column,
            code = diagnostic.code,
            help = diagnostic.help.as_deref(),
            "{}",
            diagnostic.message,
        );
    }
}
