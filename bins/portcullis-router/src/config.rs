//! Loading of the configuration file.

use crate::cli::CONFIG;
use anyhow::anyhow;
use portcullis_command_line::supports_color;
use portcullis_program::output;
use portcullis_router_config::Finding;
use portcullis_router_config_commands::{FindingRenderer, Input};
use portcullis_router_io::RouterFile;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

/// Loads a file. Warnings are shown, or logged. It may lack the addresses of controllers as
/// [`RouterFile::judge`] says.
///
/// # Errors
/// If the file cannot be read, or has mistakes, all of which are printed before this returns.
pub(crate) fn load_file(
    path: &Path,
    has_endpoints: impl FnOnce(&Path) -> bool,
) -> anyhow::Result<RouterFile> {
    let input = Input::read(path);
    let name = path.display();
    let bytes = match &input.bytes {
        Ok(bytes) => bytes,
        Err(unreadable) => return Err(anyhow!("{name}: {}", unreadable.message)),
    };
    let judged = RouterFile::judge(path, bytes, has_endpoints);
    show(&judged.findings, &input, judged.accepted.is_none());
    let mistakes = judged.mistakes().count();
    judged.accepted.ok_or_else(|| {
        let mistakes = output::counted(mistakes, "mistake");
        anyhow!("the configuration {name} cannot be used: {mistakes}")
    })
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
