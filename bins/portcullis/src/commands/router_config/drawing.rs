//! Showing people what was found in a file, the way compilers do.

use crate::commands::router_config::input::Input;
use crate::commands::router_config::judged::{Judged, Norm};
use crate::output::printable;
use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use portcullis_router_config::{
    Diagnostic, Effect, Finding, Severity, Stage, Text, Verdict, codes,
};
use portcullis_yaml::holds_secret;
use std::ops::Range;

/// Longest line that is shown, in bytes on each side of the place.
const LONGEST: usize = 500;
/// Longest path that is shown beside a line, in bytes.
const LONGEST_LABEL: usize = 200;
/// How far back a private key may begin, in bytes.
const LONGEST_KEY: usize = 16 << 10;

/// Draws findings about one file.
pub(super) struct Drawing {
    renderer: Renderer,
    name: String,
    text: String,
}

impl Drawing {
    /// Prepares for the findings about a file.
    pub(super) fn of(input: &Input, is_coloured: bool) -> Self {
        let bytes = input.bytes.as_deref().unwrap_or_default();
        Self {
            renderer: if is_coloured {
                Renderer::styled()
            } else {
                Renderer::plain()
            },
            name: printable(shown_name(input)),
            text: Text::new(&input.name, bytes).decoded(),
        }
    }

    /// Draws findings one after the other.
    pub(super) fn findings<'f>(&self, findings: impl IntoIterator<Item = &'f Finding>) -> String {
        let drawn = findings.into_iter().map(|finding| self.finding(finding));
        drawn.collect()
    }

    /// Draws a finding, and an empty line behind it.
    fn finding(&self, finding: &Finding) -> String {
        let diagnostic = &finding.diagnostic;
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level
            .primary_title(printable(&diagnostic.message))
            .id(diagnostic.code);
        let mut group = match excerpt(diagnostic, &self.text) {
            Some((line, span)) => title.element(
                Snippet::source(line)
                    .path(&self.name)
                    .line_start(number(diagnostic.line))
                    .annotation(AnnotationKind::Primary.span(span).label(label(diagnostic))),
            ),
            None => title.element(self.origin(diagnostic)),
        };
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        if let Some(effect) = finding.effect {
            group = group.element(Level::NOTE.message(consequence(effect)));
        }
        let reference = format!("see {}", finding.reference());
        group = group.element(Level::NOTE.message(reference));
        let mut drawn = self.renderer.render(&[group]);
        drawn.push_str("\n\n");
        drawn
    }

    /// Names the place without showing it.
    fn origin(&self, diagnostic: &Diagnostic) -> Origin<'_> {
        let file = Origin::path(&self.name);
        if self.text.is_empty() {
            return file;
        }
        file.line(number(diagnostic.line))
            .char_column(number(diagnostic.column))
    }

    /// Says in one line what came of the file.
    pub(super) fn summary(&self, norm: Norm, judged: &Judged) -> String {
        let verdict = match (norm, judged.verdict) {
            (Norm::Portcullis, Verdict::Accept) => "accepted",
            (Norm::Portcullis, _) => "refused",
            (Norm::Openziti, Verdict::Accept) => "accepted by OpenZiti",
            (Norm::Openziti, Verdict::Refuse) => "refused by OpenZiti",
            (Norm::Openziti, Verdict::Crash) => "OpenZiti crashes",
        };
        let stage = judged.stage.map(|stage| format!(" {}", when(stage)));
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

fn shown_name(input: &Input) -> &str {
    match input.name.as_str() {
        "-" => "<stdin>",
        name => name,
    }
}

/// The key that is underlined. One that is missing is not there to be underlined.
fn label(diagnostic: &Diagnostic) -> Option<String> {
    let is_missing = matches!(diagnostic.code, codes::MISSING_KEY | codes::MISSING_SECTION);
    let path = diagnostic.path.dotted();
    let is_short = (1..=LONGEST_LABEL).contains(&path.len());
    (is_short && !is_missing).then(|| printable(&path))
}

fn consequence(effect: Effect) -> String {
    let does = match effect.verdict {
        Verdict::Accept => "goes on with it",
        Verdict::Refuse => "refuses the file",
        Verdict::Crash => "crashes",
    };
    format!("`ziti router run` {does} {}", when(effect.stage))
}

fn when(stage: Stage) -> &'static str {
    match stage {
        Stage::Load => "while loading",
        Stage::Start => "while starting",
        Stage::Run => "once it runs",
    }
}

/// The line of a diagnostic, and what is to be underlined in it; `None` when there is no such line,
/// when it is too long, or when it must not be shown.
fn excerpt<'text>(diagnostic: &Diagnostic, text: &'text str) -> Option<(&'text str, Range<usize>)> {
    let is_end = ['\n', '\r'];
    let start = text.floor_char_boundary(diagnostic.span.start);
    let end = text.floor_char_boundary(diagnostic.span.end);
    let first = text.floor_char_boundary(start.saturating_sub(LONGEST));
    let last = text.floor_char_boundary(start.saturating_add(LONGEST));
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
    let is_secret = diagnostic.path.is_secret() || holds_secret(line);
    // Other control characters are drawn as signs.
    let drives_terminal = line.contains(|c| matches!(c, '\u{80}'..='\u{9f}'));
    if line.is_empty() || is_secret || is_within_key(text, line_start) || drives_terminal {
        return None;
    }
    let end = end.clamp(start, line_end);
    Some((line, start - line_start..end - line_start))
}

/// A key may stand in the file itself.
fn is_within_key(text: &str, at: usize) -> bool {
    let from = text.floor_char_boundary(at.saturating_sub(LONGEST_KEY));
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
    use crate::commands::router_config::environment::Environment;
    use portcullis_router_config::Options;

    fn input(content: &[u8]) -> Input {
        Input {
            name: "é.yml".to_owned(),
            bytes: Ok(content.to_vec()),
        }
    }

    fn findings(input: &Input) -> Vec<Finding> {
        let options = Options::default();
        let judged = Norm::Openziti.check(input, options, &Environment::Own);
        assert!(!judged.findings.is_empty());
        judged.findings
    }

    #[test]
    fn any_span_can_be_drawn() {
        let input = input("é: [ü\r\n\n\tx".as_bytes());
        let drawing = Drawing::of(&input, true);
        let mut finding = findings(&input).remove(0);
        for start in 0..16 {
            for end in 0..16 {
                let span = &mut finding.diagnostic.span;
                (span.start, span.end) = (start, end);
                assert!(drawing.findings([&finding]).contains("é.yml"));
            }
        }
    }

    #[test]
    fn very_long_line_is_named_and_not_shown() {
        let input = input(format!("{}ctl: 1", " ".repeat(2 * LONGEST)).as_bytes());
        let drawn = Drawing::of(&input, false).findings(&findings(&input));
        assert!(drawn.contains("--> é.yml:1:1001"), "{drawn}");
        assert!(drawn.lines().all(|line| line.len() < LONGEST), "{drawn}");
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
