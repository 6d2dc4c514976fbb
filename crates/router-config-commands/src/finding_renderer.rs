//! Rendering of findings, as compilers do.

use crate::input::Input;
use crate::rule_set::{CheckResult, RuleSet};
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use portcullis_command_line::fit;
use portcullis_domain::terminal::escape_control_characters;
use portcullis_router_config::{
    Diagnostic, Effect, Finding, Severity, SourceFile, Stage, Verdict, codes,
};
use portcullis_yaml::contains_secret;
use std::ops::Range;

/// Longest context to show, in bytes on each side of the location.
const MAX_CONTEXT: usize = 500;
/// Longest key path to show as a label, in bytes.
const MAX_LABEL_LENGTH: usize = 200;
/// How far back to look for the start of a private key, in bytes.
const MAX_KEY_LENGTH: usize = 16 << 10;

/// Renderer for the findings in a file.
pub struct FindingRenderer {
    command: &'static str,
    renderer: Renderer,
    columns: Option<usize>,
    name: String,
    text: String,
}

impl FindingRenderer {
    /// Prepares to render the findings in a file, with messages of at most `columns` columns.
    ///
    /// `command` is what explains keys, such as `portcullis router-config`.
    pub fn new(
        input: &Input,
        command: &'static str,
        is_colored: bool,
        columns: Option<usize>,
    ) -> Self {
        let bytes = input.bytes.as_deref().unwrap_or_default();
        Self {
            command,
            renderer: if is_colored {
                Renderer::styled()
            } else {
                Renderer::plain()
            },
            columns,
            name: escape_control_characters(display_name(input)),
            text: SourceFile::new(&input.name, bytes).decoded(),
        }
    }

    /// Renders findings in order.
    pub fn render_findings<'f>(&self, findings: impl IntoIterator<Item = &'f Finding>) -> String {
        let drawn = findings
            .into_iter()
            .map(|finding| self.render_finding(finding));
        drawn.collect()
    }

    /// Renders a finding, followed by an empty line.
    fn render_finding(&self, finding: &Finding) -> String {
        let diagnostic = &finding.diagnostic;
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let label_width = format!("warning[{}]: ", diagnostic.code).len();
        let title = level
            .primary_title(self.fit(&diagnostic.message, label_width))
            .id(diagnostic.code);
        let mut group = match source_line(diagnostic, &self.text) {
            Some((line, span)) => title.element(
                Snippet::source(line)
                    .path(&self.name)
                    .line_start(number(diagnostic.line))
                    .annotation(AnnotationKind::Primary.span(span).label(label(diagnostic))),
            ),
            None => title.element(self.origin(diagnostic)),
        };
        let margin = format!("{} = note: ", diagnostic.line).len();
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(self.fit(help, margin)));
        }
        if let Some(effect) = finding.effect {
            group = group.element(Level::NOTE.message(self.fit(&describe_effect(effect), margin)));
        }
        group = group.element(Level::NOTE.message(self.fit(&self.reading(finding), margin)));
        let mut drawn = self.renderer.render(&[group]);
        drawn.push_str("\n\n");
        drawn
    }

    /// Breaks a message between words, so that it fits behind `taken` columns.
    fn fit(&self, message: &str, taken: usize) -> String {
        let room = self.columns.map(|all| all.saturating_sub(taken));
        fit(&escape_control_characters(message), room, 0)
    }

    /// The location without an excerpt.
    fn origin(&self, diagnostic: &Diagnostic) -> Origin<'_> {
        let file = Origin::path(&self.name);
        if self.text.is_empty() {
            return file;
        }
        file.line(number(diagnostic.line))
            .char_column(number(diagnostic.column))
    }

    /// What to read about the key: at the terminal, or in the documentation.
    fn reading(&self, finding: &Finding) -> String {
        let key = finding.documented_key();
        let key = key.map_or_else(String::new, |key| format!(" {key}"));
        let reference = finding.reference();
        format!("see `{} explain{key}`, or {reference}", self.command)
    }

    /// Summarizes the result in one line.
    pub fn render_summary(&self, norm: RuleSet, judged: &CheckResult) -> String {
        let verdict = match (norm, judged.verdict) {
            (RuleSet::Portcullis, Verdict::Accept) => "accepted",
            (RuleSet::Portcullis, _) => "refused",
            (RuleSet::Openziti, Verdict::Accept) => "accepted by OpenZiti",
            (RuleSet::Openziti, Verdict::Refuse) => "refused by OpenZiti",
            (RuleSet::Openziti, Verdict::Crash) => "OpenZiti crashes",
        };
        let stage = judged
            .stage
            .map(|stage| format!(" {}", describe_stage(stage)));
        let counts: Vec<String> = [
            (Severity::Error, "error"),
            (Severity::Warning, "warning"),
            (Severity::Note, "note"),
        ]
        .into_iter()
        .filter_map(|(severity, word)| match judged.count(severity) {
            0 => None,
            1 => Some(format!(", 1 {word}")),
            count => Some(format!(", {count} {word}s")),
        })
        .collect();
        let stage = stage.unwrap_or_default();
        format!("{}: {verdict}{stage}{}\n", self.name, counts.concat())
    }
}

fn display_name(input: &Input) -> &str {
    match input.name.as_str() {
        "-" => "<stdin>",
        name => name,
    }
}

/// The key to underline, unless it is missing.
fn label(diagnostic: &Diagnostic) -> Option<String> {
    let is_missing = matches!(diagnostic.code, codes::MISSING_KEY | codes::MISSING_SECTION);
    let path = diagnostic.path.dotted();
    let is_short = (1..=MAX_LABEL_LENGTH).contains(&path.len());
    (is_short && !is_missing).then(|| escape_control_characters(&path))
}

fn describe_effect(effect: Effect) -> String {
    let does = match effect.verdict {
        Verdict::Accept => "continues",
        Verdict::Refuse => "refuses the file",
        Verdict::Crash => "crashes",
    };
    format!("`ziti router run` {does} {}", describe_stage(effect.stage))
}

fn describe_stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Load => "while loading",
        Stage::Start => "while starting",
        Stage::Run => "while running",
    }
}

/// The line of a diagnostic and the range to underline; `None` if there is no such line, if it is
/// too long, or if it may contain a secret.
fn source_line<'text>(
    diagnostic: &Diagnostic,
    text: &'text str,
) -> Option<(&'text str, Range<usize>)> {
    let is_end = ['\n', '\r'];
    let start = text.floor_char_boundary(diagnostic.span.start);
    let end = text.floor_char_boundary(diagnostic.span.end);
    let first = text.floor_char_boundary(start.saturating_sub(MAX_CONTEXT));
    let last = text.floor_char_boundary(start.saturating_add(MAX_CONTEXT));
    let line_start = match text.get(first..start)?.rfind(is_end) {
        Some(at) => first + at + 1,
        None if first == 0 => 0,
        None => return None,
    };
    let line_end = match text.get(start..last)?.find(is_end) {
        Some(at) => start + at,
        None if last == text.len() => last,
        None => return None,
    };
    let line = text.get(line_start..line_end)?;
    let is_secret = diagnostic.path.is_secret() || contains_secret(line);
    // The renderer escapes other control characters.
    let drives_terminal = line.contains(|c| matches!(c, '\u{80}'..='\u{9f}'));
    if line.is_empty() || is_secret || is_within_key(text, line_start) || drives_terminal {
        return None;
    }
    let end = end.clamp(start, line_end);
    Some((line, start - line_start..end - line_start))
}

/// Whether a position is inside an inline private key.
fn is_within_key(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(MAX_KEY_LENGTH));
    let before = text.get(from..at).unwrap_or_default();
    let begun = before.rfind("-----BEGIN ");
    let key = begun.and_then(|at| before.get(at..)).unwrap_or_default();
    key.contains("PRIVATE KEY-----") && !key.contains("-----END")
}

fn number(figure: u32) -> usize {
    usize::try_from(figure).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::COMMAND;
    use crate::environment::Environment;
    use portcullis_router_config::CheckOptions;

    fn input(content: &[u8]) -> Input {
        Input {
            name: "é.yml".to_owned(),
            bytes: Ok(content.to_vec()),
        }
    }

    fn findings(input: &Input) -> Vec<Finding> {
        let options = CheckOptions::default();
        let judged =
            RuleSet::Openziti.check(input, options, &Environment::Process, &|_| Vec::new());
        assert!(!judged.findings.is_empty());
        judged.findings
    }

    #[test]
    fn any_span_can_be_drawn() {
        let input = input("é: [ü\r\n\n\tx".as_bytes());
        let drawing = FindingRenderer::new(&input, COMMAND, true, None);
        let mut finding = findings(&input).remove(0);
        for start in 0..16 {
            for end in 0..16 {
                let span = &mut finding.diagnostic.span;
                (span.start, span.end) = (start, end);
                assert!(drawing.render_findings([&finding]).contains("é.yml"));
            }
        }
    }

    #[test]
    fn very_long_line_is_named_and_not_shown() {
        let input = input(format!("{}ctl: 1", " ".repeat(2 * MAX_CONTEXT)).as_bytes());
        let drawn =
            FindingRenderer::new(&input, COMMAND, false, None).render_findings(&findings(&input));
        assert!(drawn.contains("--> é.yml:1:1001"), "{drawn}");
        assert!(
            drawn.lines().all(|line| line.len() < MAX_CONTEXT),
            "{drawn}"
        );
    }

    #[test]
    fn line_within_a_key_is_not_shown() {
        for (before, is_within) in [
            ("a: 1\n", false),
            ("key: |\n -----BEGIN PRIVATE KEY-----\n", true),
            ("key: |\n -----BEGIN EC PRIVATE KEY-----\n aaaa\n", true),
            ("-----BEGIN CERTIFICATE-----\n", false),
            (
                "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
                false,
            ),
        ] {
            assert_eq!(is_within_key(before, before.len()), is_within, "{before}");
        }
    }
}
