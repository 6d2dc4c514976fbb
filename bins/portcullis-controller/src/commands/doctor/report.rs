//! Findings of `doctor`, and how they are shown.

use crate::output::{counted, one_line};
use portcullis_command_line::wrap;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Columns of the smallest usual terminal.
const WIDTH: usize = 80;

/// Column at which texts begin.
const TEXT_COLUMN: usize = 9;

/// Outcome of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    /// Worth knowing, and no fault.
    Note,
    Warning,
    Error,
    /// This user may not look.
    Unseen,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Unseen => "unseen",
        }
    }
}

/// What one check found.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) verdict: Verdict,
    /// A word that stays the same.
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// File, line and column, if it is about a value of the configuration.
    pub(super) place: Option<(String, u32, u32)>,
}

/// All findings, in the order of the checks.
#[derive(Debug, Default)]
pub(super) struct Report(Vec<Finding>);

impl Report {
    pub(super) fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    /// Adds what is as it should be.
    pub(super) fn ok(&mut self, code: &'static str, message: impl Into<String>) {
        self.add(Verdict::Ok, code, message, None);
    }

    /// Adds a finding about the machine or the running controller.
    pub(super) fn add(
        &mut self,
        verdict: Verdict,
        code: &'static str,
        message: impl Into<String>,
        help: Option<&str>,
    ) {
        self.push(Finding {
            verdict,
            code,
            message: message.into(),
            help: help.map(str::to_owned),
            place: None,
        });
    }

    /// Whether there is no error. What could not be looked at counts as none.
    pub(super) fn is_healthy(&self) -> bool {
        self.count(Verdict::Error) == 0
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.0.iter().filter(|it| it.verdict == verdict).count()
    }

    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        for (number, finding) in self.0.iter().enumerate() {
            let place = finding.place.as_ref();
            let place = place.map(|(file, line, column)| format!("{file}:{line}:{column}: "));
            let message = place.unwrap_or_default() + &finding.message;
            push_wrapped(&mut text, finding.verdict.name(), &message);
            // The same help for several findings stands below the last of them.
            let next = self.0.get(number + 1).and_then(|next| next.help.as_ref());
            if let Some(help) = finding.help.as_ref().filter(|help| Some(*help) != next) {
                push_wrapped(&mut text, "", &format!("help: {help}"));
            }
        }
        let counted = |verdict, noun| counted(self.count(verdict), noun);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n{}, {}",
            counted(Verdict::Error, "problem"),
            counted(Verdict::Warning, "warning"),
        );
        if self.count(Verdict::Unseen) > 0 {
            let unseen = counted(Verdict::Unseen, "check");
            let _ = write!(text, ", {unseen} that this user may not make");
        }
        text
    }

    pub(super) fn to_json(&self) -> Value {
        let findings: Vec<_> = self.0.iter().map(to_record).collect();
        json!({"healthy": self.is_healthy(), "findings": findings})
    }
}

fn to_record(finding: &Finding) -> Value {
    let (file, line, column) = match &finding.place {
        Some((file, line, column)) => (Some(file), Some(line), Some(column)),
        None => (None, None, None),
    };
    json!({
        "severity": finding.verdict.name(),
        "code": finding.code,
        "message": finding.message,
        "help": finding.help,
        "file": file,
        "line": line,
        "column": column,
    })
}

/// Appends a text in lines that fit the terminal, with a label before the first.
fn push_wrapped(text: &mut String, label: &str, message: &str) {
    let lines = wrap(&one_line(message), WIDTH, TEXT_COLUMN);
    let line = format!("{label:<TEXT_COLUMN$}{lines}");
    text.push_str(line.trim_end());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_fit_a_small_terminal_and_are_counted() {
        let mut report = Report::default();
        report.ok("disk", "there is room");
        let long = "word ".repeat(30);
        report.add(Verdict::Error, "tls", long, Some("a\u{1b}[2J mend"));
        report.add(Verdict::Unseen, "store", "it cannot be read", None);
        let text = report.to_text();
        assert!(
            text.starts_with("ok       there is room\nerror    word word"),
            "{text}"
        );
        assert!(
            text.contains("\n         help: a\\u{1b}[2J mend\n"),
            "{text}"
        );
        assert!(
            text.ends_with("\n1 problem, no warnings, 1 check that this user may not make"),
            "{text}"
        );
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        assert!(!report.is_healthy());
    }
}
