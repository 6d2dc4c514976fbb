//! Loading of configuration files, with checks of their environment.

mod environment_checks;
mod file_permissions;
mod home_keys;
mod reserved_names;

use crate::diagnostics::{self, SourceFiles};
use crate::output;
use anyhow::bail;
use file_permissions::Tolerance;
use home_keys::HomeKeys;
use portcullis_controller_config::{ControllerConfig, ExternalReferences, ReadOutcome};
use portcullis_domain::io_error;
use portcullis_yaml::{
    Diagnostic, Diagnostics, KeyPath, Severity, SourceId, SourceLocation, decode,
};
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

/// Configuration files and the outcome of reading them.
pub(crate) struct CheckedFiles {
    pub(crate) sources: SourceFiles,
    /// The configuration, or its mistakes.
    pub(crate) outcome: ReadOutcome,
}

impl CheckedFiles {
    /// Reports an unreadable file as a diagnostic.
    pub(crate) fn unreadable(file: &Path, error: &anyhow::Error) -> Self {
        let mut sources = SourceFiles::default();
        sources.add(file, String::new());
        // Line 0, since the diagnostic is about no line.
        let place = SourceLocation::default();
        let message = output::error_chain(error);
        let (code, path) = (environment_checks::UNREADABLE_FILE, KeyPath::root());
        let found = Diagnostic::new(Severity::Error, code, path, place, message);
        let outcome = ReadOutcome {
            diagnostics: vec![found],
            ..ReadOutcome::default()
        };
        Self { sources, outcome }
    }
}

/// Loads a complete file, with partial ones merged over it in turn.
///
/// # Errors
/// If a file cannot be read, or if there are mistakes, all of which are printed to stderr before this
/// returns.
pub fn load(files: &[&Path]) -> anyhow::Result<ControllerConfig> {
    load_with_references(files).map(|(config, _)| config)
}

/// As [`load`], with the external references of the files.
pub(crate) fn load_with_references(
    files: &[&Path],
) -> anyhow::Result<(ControllerConfig, ExternalReferences)> {
    let CheckedFiles { sources, outcome } = read(files)?;
    let is_terminal = io::stderr().is_terminal();
    if let Some(config) = outcome.config {
        if is_terminal {
            print_findings(&outcome.diagnostics, &sources, true);
        } else {
            log_findings(&outcome.diagnostics, &sources);
        }
        return Ok((config, outcome.references));
    }
    print_findings(&outcome.diagnostics, &sources, is_terminal);
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

/// Reads files and collects all diagnostics about them.
pub(crate) fn read(files: &[&Path]) -> anyhow::Result<CheckedFiles> {
    let mut sources = SourceFiles::default();
    let mut unreadable = Vec::new();
    for (source, path) in (0_u16..).map(SourceId).zip(files) {
        let bytes = std::fs::read(path).map_err(|error| read_error(path, &error))?;
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
        let mut found =
            environment_checks::check(&outcome.references, &HomeKeys::from_files(files));
        found.extend(reserved_names::check(&outcome));
        found.extend(find_exposed_keys(files, &sources));
        with_findings(outcome, found)
    } else {
        ReadOutcome {
            diagnostics: unreadable,
            ..ReadOutcome::default()
        }
    };
    Ok(CheckedFiles { sources, outcome })
}

/// Finds files that contain private keys and are accessible to others.
fn find_exposed_keys(files: &[&Path], sources: &SourceFiles) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let texts = sources.texts();
    for ((source, path), text) in (0_u16..).map(SourceId).zip(files).zip(texts) {
        let exposure = contains_private_key(text.text)
            .then(|| file_permissions::check_file("the configuration", path, Tolerance::Lenient));
        if let Some(exposure) = exposure.flatten() {
            let place = SourceLocation {
                source,
                ..SourceLocation::default()
            };
            let mut diagnostic = Diagnostic::new(
                exposure.severity,
                environment_checks::EXPOSED_FILE,
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

/// Whether a text contains a private key, as PEM or as a value that OpenZiti reads as PEM.
fn contains_private_key(text: &str) -> bool {
    text.contains("PRIVATE KEY-----")
}

/// Adds diagnostics about the files themselves and about the things that they reference.
fn with_findings(mut outcome: ReadOutcome, found: Vec<Diagnostic>) -> ReadOutcome {
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

/// Absolute folder of a file.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    folder
        .canonicalize()
        .unwrap_or_else(|_missing| folder.to_owned())
}

fn read_error(path: &Path, error: &io::Error) -> anyhow::Error {
    let path: PathBuf = path.to_owned();
    if error.kind() == io::ErrorKind::NotFound {
        anyhow::anyhow!("the configuration file {} does not exist", path.display())
    } else {
        let (path, why) = (path.display(), io_error::describe_io_error(error));
        anyhow::anyhow!("the configuration file {path} cannot be read: {why}")
    }
}

fn print_findings(found: &[Diagnostic], sources: &SourceFiles, styled: bool) {
    for diagnostic in found {
        output::eprint_line(diagnostics::render(diagnostic, sources, styled));
    }
}

fn log_findings(found: &[Diagnostic], sources: &SourceFiles) {
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
