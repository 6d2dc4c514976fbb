//! Rendering of diagnostics about configuration files.

use crate::{config, output};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use portcullis_command_line::{fit, supports_color};
use portcullis_controller_config::SourceText;
use portcullis_yaml::{Diagnostic, Severity, SourceId, contains_secret};
use serde::Serialize;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Files that diagnostics refer to.
#[derive(Debug, Default)]
pub(crate) struct SourceFiles(Vec<SourceFile>);

#[derive(Debug)]
struct SourceFile {
    name: String,
    folder: PathBuf,
    text: String,
}

impl SourceFiles {
    pub(crate) fn add(&mut self, path: &Path, text: String) {
        self.0.push(SourceFile {
            name: path.display().to_string(),
            folder: config::folder_of(path),
            text,
        });
    }

    /// The texts of all files in order.
    pub(crate) fn texts(&self) -> Vec<SourceText<'_>> {
        self.0
            .iter()
            .map(|source| SourceText {
                text: &source.text,
                folder: &source.folder,
            })
            .collect()
    }

    /// The names of all files in order.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|source| source.name.clone()).collect()
    }

    pub(crate) fn name(&self, source: SourceId) -> &str {
        self.get(source).map_or("", |source| &source.name)
    }

    fn text(&self, source: SourceId) -> &str {
        self.get(source).map_or("", |source| &source.text)
    }

    fn get(&self, SourceId(number): SourceId) -> Option<&SourceFile> {
        self.0.get(usize::from(number))
    }
}

/// A diagnostic in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticRecord<'a> {
    file: &'a str,
    /// Absent if the diagnostic is about the whole file.
    line: Option<u32>,
    column: Option<u32>,
    severity: String,
    code: &'a str,
    path: String,
    message: &'a str,
    help: Option<&'a str>,
}

impl<'a> DiagnosticRecord<'a> {
    pub(crate) fn new(diagnostic: &'a Diagnostic, sources: &'a SourceFiles) -> Self {
        Self {
            file: sources.name(diagnostic.source),
            line: has_line(diagnostic).then_some(diagnostic.line),
            column: has_line(diagnostic).then_some(diagnostic.column),
            severity: diagnostic.severity.to_string(),
            code: diagnostic.code,
            path: diagnostic.path.to_string(),
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
        }
    }
}

/// How diagnostics look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    is_colored: bool,
    columns: Option<usize>,
}

impl Style {
    /// Without colors and line breaks.
    #[cfg(test)]
    pub(crate) const PLAIN: Self = Self {
        is_colored: false,
        columns: None,
    };

    /// What suits a stream.
    pub(crate) fn of(stream: &(impl AsFd + IsTerminal)) -> Self {
        Self {
            is_colored: supports_color(stream),
            columns: output::columns(stream),
        }
    }

    /// Breaks a message between words, so that it fits behind a label.
    fn fit(self, message: &str, label: &str) -> String {
        let room = self.columns.map(|all| all.saturating_sub(label.len()));
        fit(message, room, 0)
    }
}

/// Renders a diagnostic in the style of a compiler.
pub(crate) fn render(diagnostic: &Diagnostic, sources: &SourceFiles, style: Style) -> String {
    let renderer = if style.is_colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let (name, text) = (
        sources.name(diagnostic.source),
        sources.text(diagnostic.source),
    );
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let label = format!("warning[{}]: ", diagnostic.code);
    let title = level
        .primary_title(style.fit(&diagnostic.message, &label))
        .id(diagnostic.code);
    let main = match span(diagnostic, text) {
        Some(span) => {
            let mark = AnnotationKind::Primary
                .span(span)
                .label(diagnostic.path.to_string());
            title.element(Snippet::source(text).path(name).annotation(mark))
        },
        None => title.element(origin(diagnostic, name)),
    };
    let help = diagnostic
        .help
        .as_deref()
        .map(|help| style.fit(help, "help: "))
        .map(|help| Group::with_title(Level::HELP.secondary_title(help)));
    let report: Vec<_> = std::iter::once(main).chain(help).collect();
    let mut drawn = renderer.render(&report);
    // An empty line separates diagnostics.
    drawn.push('\n');
    drawn
}

/// Whether the diagnostic is about a line and not about the whole file.
fn has_line(diagnostic: &Diagnostic) -> bool {
    diagnostic.line > 0
}

/// The bytes to underline, on one line; `None` if there is no line or it must not be shown.
fn span(diagnostic: &Diagnostic, text: &str) -> Option<std::ops::Range<usize>> {
    if !has_line(diagnostic) {
        return None;
    }
    let start = text.floor_char_boundary(diagnostic.span.start);
    let end = text.floor_char_boundary(diagnostic.span.end.max(start));
    let before = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let after = text
        .get(start..)?
        .find('\n')
        .map_or(text.len(), |at| start + at);
    // The line may contain a private key.
    if diagnostic.path.is_secret() || contains_secret(text.get(before..after)?) {
        return None;
    }
    Some(start..end.min(after).max(start))
}

fn origin<'a>(diagnostic: &Diagnostic, name: &'a str) -> Origin<'a> {
    if !has_line(diagnostic) {
        return Origin::path(name);
    }
    let number = |figure| usize::try_from(figure).unwrap_or(usize::MAX);
    Origin::path(name)
        .line(number(diagnostic.line))
        .char_column(number(diagnostic.column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> Vec<String> {
        let mut sources = SourceFiles::default();
        sources.add(Path::new("ctrl.yml"), text.to_owned());
        let outcome = portcullis_controller_config::read_files(&sources.texts(), &|_| None);
        outcome
            .diagnostics
            .iter()
            .map(|each| render(each, &sources, Style::PLAIN))
            .collect()
    }

    #[test]
    fn mistake_is_shown_with_its_line_and_help() {
        let drawn = drawn("v: 3\ndbs: ctrl.db\n");
        let unknown = drawn.iter().find(|text| text.contains("`db`?")).unwrap();
        assert!(unknown.contains("--> ctrl.yml:2:1"), "{unknown}");
        assert!(unknown.contains("dbs: ctrl.db"), "{unknown}");
        assert!(unknown.contains("help: did you mean `db`?"), "{unknown}");
    }

    #[test]
    fn line_with_a_key_is_not_shown() {
        let text = "v: 3\nidentity: \"-----BEGIN PRIVATE KEY----- c2VjcmV0\"\n";
        let drawn = drawn(text).join("\n");
        assert!(drawn.contains("ctrl.yml:2:"), "{drawn}");
        assert!(!drawn.contains("c2VjcmV0"), "{drawn}");
    }

    #[test]
    fn any_span_can_be_drawn() {
        let mut sources = SourceFiles::default();
        sources.add(Path::new("é.yml"), "é: [ü\n\n".to_owned());
        let found =
            portcullis_controller_config::read_files(&sources.texts(), &|_| None).diagnostics;
        for start in 0..12 {
            for end in 0..12 {
                let mut diagnostic = found[0].clone();
                (diagnostic.span.start, diagnostic.span.end) = (start, end);
                assert!(render(&diagnostic, &sources, Style::PLAIN).contains("é.yml"));
            }
        }
    }
}
