//! Loading of configuration files, with checks of their environment.

mod address_checks;
mod environment_checks;
mod file_permissions;
mod home_keys;
mod log_filter;
mod redirect_uris;
mod reserved_names;
mod web_apps;

use crate::diagnostics::{self, SourceFiles, Style};
use crate::files;
use crate::home::Home;
use crate::judgement::{self, Finding, Renewal};
use crate::output;
use crate::store::{self, StoreCondition};
use anyhow::anyhow;
pub(crate) use environment_checks::UNREADABLE_FILE;
use file_permissions::Tolerance;
use home_keys::HomeKeys;
use portcullis_controller_config::{
    ControllerConfig, ExternalReferences, ReadOutcome, StoreReference, effective,
};
use portcullis_domain::{Env, io_error};
use portcullis_yaml::{
    Diagnostic, Diagnostics, KeyPath, Severity, SourceId, SourceLocation, decode,
};
use serde_json::Value as Json;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Configuration files and the outcome of reading them.
pub(crate) struct CheckedFiles {
    pub(crate) sources: SourceFiles,
    /// The configuration, if the files are well-formed, and all diagnostics.
    pub(crate) outcome: ReadOutcome,
    /// Whether no controller can be started, for mistakes of the files or of what they reference.
    pub(crate) is_unusable: bool,
    /// What was found at the place of the store, once it was looked at.
    pub(crate) store: Option<StoreCondition>,
    /// Whether the store was made together with the files.
    store_must_exist: bool,
    /// Whether the controller itself renews its server certificate.
    renewal: Renewal,
}

/// No controller starts with the store.
const UNUSABLE_STORE: &str = "unusable-store";

impl CheckedFiles {
    /// Reports an unreadable file as a diagnostic.
    pub(crate) fn unreadable(file: &Path, error: &anyhow::Error) -> Self {
        let mut sources = SourceFiles::default();
        sources.add(file, String::new());
        // Line 0, since the diagnostic is about no line.
        let place = SourceLocation::default();
        let message = output::error_chain(error);
        let (code, path) = (UNREADABLE_FILE, KeyPath::root());
        let found = Diagnostic::new(Severity::Error, code, path, place, message);
        let outcome = ReadOutcome {
            diagnostics: vec![found],
            ..ReadOutcome::default()
        };
        Self {
            sources,
            outcome,
            is_unusable: true,
            store: None,
            store_must_exist: false,
            renewal: Renewal::Manual,
        }
    }

    /// Adds what a start and clients would find wrong now: a store that cannot be used, certificates that
    /// are refused, and addresses that nobody can use.
    pub(crate) fn judge(&mut self, env: &Env) {
        let Some(config) = &self.outcome.config else {
            return;
        };
        let references = &self.outcome.references;
        let mut found: Vec<_> = judgement::judge(config, self.renewal, env.now())
            .into_iter()
            .map(|finding| to_diagnostic(finding, references))
            .collect();
        let may_be_running = store::is_in_use(&config.store.store_path()) != Some(false);
        found.extend(address_checks::check(references, may_be_running));
        let entropy = Arc::clone(&env.entropy);
        let condition = store::examine(&config.store, self.store_must_exist, entropy);
        if let Some(named) = &references.store {
            found.extend(describe_condition(&condition, named));
        }
        self.store = Some(condition);
        add_findings(&mut self.outcome, found);
    }

    /// Whether there is an error, of whichever kind.
    pub(crate) fn has_errors(&self) -> bool {
        has_errors(&self.outcome.diagnostics)
    }
}

/// Loads a complete file, with partial ones merged over it in turn.
///
/// # Errors
/// If a file cannot be read, or if there are mistakes, all of which are printed to stderr before this
/// returns.
pub fn load(files: &[&Path]) -> anyhow::Result<ControllerConfig> {
    load_files(files).map(|loaded| loaded.config)
}

/// Loads a complete file as [`load`] does, but looks at nothing that it references.
pub(crate) fn load_well_formed(files: &[&Path]) -> anyhow::Result<ControllerConfig> {
    let CheckedFiles {
        sources, outcome, ..
    } = read(files)?;
    match outcome.config {
        Some(config) => Ok(config),
        None => Err(refuse(&outcome.diagnostics, &sources)),
    }
}

/// A configuration, what its files reference, and the files themselves.
pub(crate) struct LoadedFiles {
    pub(crate) config: ControllerConfig,
    pub(crate) references: ExternalReferences,
    sources: SourceFiles,
}

impl LoadedFiles {
    /// What the files say, nested like them, without defaults and secrets.
    pub(crate) fn shown(&self) -> Json {
        let outcome = effective(&self.sources.texts(), &environment_variable);
        outcome.effective.to_nested_json()
    }
}

/// As [`load`], with the files and what they reference.
pub(crate) fn load_files(files: &[&Path]) -> anyhow::Result<LoadedFiles> {
    let CheckedFiles {
        sources,
        outcome,
        is_unusable,
        ..
    } = read(files)?;
    if let Some(config) = outcome.config.filter(|_| !is_unusable) {
        if io::stderr().is_terminal() {
            print_findings(&outcome.diagnostics, &sources);
        } else {
            log_findings(&outcome.diagnostics, &sources);
        }
        return Ok(LoadedFiles {
            config,
            references: outcome.references,
            sources,
        });
    }
    Err(refuse(&outcome.diagnostics, &sources))
}

/// Prints all mistakes of files that cannot be used, and returns the error that sums them up.
fn refuse(diagnostics: &[Diagnostic], sources: &SourceFiles) -> anyhow::Error {
    print_findings(diagnostics, sources);
    let errors = diagnostics
        .iter()
        .filter(|each| each.severity == Severity::Error)
        .count();
    anyhow!(
        "the configuration {} cannot be used: {}",
        sources.names().join(" with "),
        output::counted(errors, "mistake"),
    )
}

/// Reads the texts of files, with a diagnostic for each that is no text.
pub(crate) fn read_sources(files: &[&Path]) -> anyhow::Result<(SourceFiles, Vec<Diagnostic>)> {
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
    Ok((sources, unreadable))
}

/// Environment variable that a file may use.
pub(crate) fn environment_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reads files and collects all diagnostics about them.
pub(crate) fn read(files: &[&Path]) -> anyhow::Result<CheckedFiles> {
    let (sources, unreadable) = read_sources(files)?;
    let outcome = if unreadable.is_empty() {
        let texts = sources.texts();
        let outcome = portcullis_controller_config::read_files(&texts, &environment_variable);
        let mut found =
            environment_checks::check(&outcome.references, &HomeKeys::from_files(files));
        found.extend(reserved_names::check(&outcome));
        found.extend(log_filter::check(outcome.references.log_filter.as_ref()));
        found.extend(redirect_uris::check(&outcome.references.redirect_uris));
        found.extend(web_apps::check(&outcome.references.web_apps));
        found.extend(find_exposed_keys(files, &sources));
        let mut outcome = outcome;
        add_findings(&mut outcome, found);
        outcome
    } else {
        ReadOutcome {
            diagnostics: unreadable,
            ..ReadOutcome::default()
        }
    };
    let home = files.first().map(|first| Home::at(&folder_of(first)));
    // Only in a home, which the controller created, are these its own.
    let own = (home.as_ref().zip(outcome.config.as_ref()))
        .filter(|(home, config)| home.owns_server_certificate_of(config));
    let store_must_exist = own.is_some_and(|(home, config)| home.keeps_store_of(config));
    let renewal = match own {
        Some(_) => Renewal::Automatic,
        None => Renewal::Manual,
    };
    Ok(CheckedFiles {
        is_unusable: has_errors(&outcome.diagnostics),
        store: None,
        store_must_exist,
        renewal,
        sources,
        outcome,
    })
}

/// What keeps a controller from starting with the store, or this user from looking at it.
fn describe_condition(condition: &StoreCondition, named: &StoreReference) -> Option<Diagnostic> {
    let (severity, code, message) = match condition {
        StoreCondition::Unusable(why) => (Severity::Error, UNUSABLE_STORE, why),
        // Whoever runs this may have fewer rights than the controller.
        StoreCondition::Unseen(why) => (Severity::Note, UNREADABLE_FILE, why),
        StoreCondition::Absent | StoreCondition::InUse | StoreCondition::Openable(_) => {
            return None;
        },
    };
    let (path, place) = (named.path.clone(), named.place);
    Some(Diagnostic::new(
        severity,
        code,
        path,
        place,
        message.clone(),
    ))
}

/// A judgement at the value that it is about.
fn to_diagnostic(finding: Finding, references: &ExternalReferences) -> Diagnostic {
    let (path, place) = (finding.key.locate(references))
        .unwrap_or_else(|| (KeyPath::root(), SourceLocation::default()));
    let Finding {
        severity,
        code,
        message,
        help,
        ..
    } = finding;
    let mut diagnostic = Diagnostic::new(severity, code, path, place, message);
    diagnostic.help(help);
    diagnostic
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
fn add_findings(outcome: &mut ReadOutcome, found: Vec<Diagnostic>) {
    if !found.is_empty() {
        let mut all = Diagnostics::default();
        all.extend(std::mem::take(&mut outcome.diagnostics));
        all.extend(found);
        outcome.diagnostics = all.into_sorted();
    }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|each| each.severity == Severity::Error)
}

/// Absolute folder of a file.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    let folder = files::directory_of(file);
    folder
        .canonicalize()
        .unwrap_or_else(|_missing| folder.to_owned())
}

fn read_error(path: &Path, error: &io::Error) -> anyhow::Error {
    if error.kind() == io::ErrorKind::NotFound {
        anyhow!("the configuration file {} does not exist", path.display())
    } else {
        let (path, why) = (path.display(), io_error::describe_io_error(error));
        anyhow!("the configuration file {path} cannot be read: {why}")
    }
}

fn print_findings(found: &[Diagnostic], sources: &SourceFiles) {
    let style = Style::of(&io::stderr());
    for diagnostic in found {
        output::eprint_line(diagnostics::render(diagnostic, sources, style));
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
