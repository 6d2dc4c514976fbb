//! Loading of the configuration file.

mod unsupported;

use crate::cli::CONFIG;
use anyhow::anyhow;
use portcullis_command_line::supports_color;
use portcullis_program::output;
use portcullis_router::control::EndpointsFile;
use portcullis_router::keys_without_effect;
use portcullis_router_config::model::RouterConfig;
use portcullis_router_config::{
    CheckOptions, Diagnostic, EffectiveConfig, Finding, LoadedConfig, Severity, SourceFile, codes,
    load,
};
use portcullis_router_config_commands::{FindingRenderer, Input};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// A file that was accepted.
pub(crate) struct LoadedFile {
    pub(crate) config: RouterConfig,
    /// Its values, with their sources.
    pub(crate) effective: EffectiveConfig,
    /// Whether there is a section `edge`.
    pub(crate) has_edge: bool,
    /// Where the router keeps the addresses of controllers.
    pub(crate) endpoints_file: PathBuf,
}

/// Loads a file. Warnings are shown, or logged.
///
/// The file may lack the addresses of controllers where `has_endpoints` says that others are known: those of a
/// token, or of the file that the router keeps itself.
///
/// # Errors
/// If the file cannot be read, or has mistakes, all of which are printed before this returns.
pub(crate) fn load_file(
    path: &Path,
    has_endpoints: impl FnOnce(&Path) -> bool,
) -> anyhow::Result<LoadedFile> {
    let input = Input::read(path);
    let name = path.display().to_string();
    let bytes = match &input.bytes {
        Ok(bytes) => bytes,
        Err(unreadable) => return Err(anyhow!("{name}: {}", unreadable.message)),
    };
    let environment = |name: &str| std::env::var(name).ok();
    let options = CheckOptions::new().environment(&environment);
    let loaded = load(&SourceFile::new(&name, bytes), &options);
    let endpoints_file = EndpointsFile::path(&loaded.config.ctrl, path);
    let own = own_findings(&loaded);
    let mut findings = loaded.report.findings;
    findings.extend(own);
    if findings.iter().any(is_missing_endpoint) && has_endpoints(&endpoints_file) {
        findings.retain(|finding| !is_missing_endpoint(finding));
    }
    findings.retain(|finding| finding.diagnostic.severity != Severity::Note);
    let errors = findings
        .iter()
        .filter(|finding| finding.diagnostic.severity == Severity::Error)
        .count();
    show(&findings, &input, errors > 0);
    if errors > 0 {
        let mistakes = output::counted(errors, "mistake");
        return Err(anyhow!(
            "the configuration {name} cannot be used: {mistakes}"
        ));
    }
    Ok(LoadedFile {
        config: loaded.config,
        effective: loaded.effective,
        has_edge: loaded.has_edge,
        endpoints_file,
    })
}

/// What this router makes of a file, beside what is said of every file.
pub(crate) fn own_findings(loaded: &LoadedConfig) -> Vec<Finding> {
    let mut findings = unsupported::check(&loaded.config);
    findings.extend(keys_without_effect(&loaded.effective));
    findings
}

/// A program that runs in a service has no reader of drawings, unless it cannot start.
fn show(findings: &[Finding], input: &Input, is_refused: bool) {
    if findings.is_empty() {
        return;
    }
    if !is_refused && !io::stderr().is_terminal() {
        for Finding { diagnostic, .. } in findings {
            tracing::warn!(
                file = input.name,
                line = diagnostic.line,
                column = diagnostic.column,
                code = diagnostic.code,
                help = diagnostic.help.as_deref(),
                "{}",
                diagnostic.message,
            );
        }
        return;
    }
    let stderr = io::stderr();
    let renderer = FindingRenderer::new(
        input,
        CONFIG,
        supports_color(&stderr),
        output::columns(&stderr),
    );
    // Failing to show it must not hide why the program ends.
    let _ = stderr
        .lock()
        .write_all(renderer.render_findings(findings).as_bytes());
}

fn is_missing_endpoint(finding: &Finding) -> bool {
    let Diagnostic { code, path, .. } = &finding.diagnostic;
    *code == codes::MISSING_KEY && path.dotted() == "ctrl.endpoint"
}
