//! Diagnostics about a file.

use std::borrow::Cow;
use std::fmt;

use crate::codes;
use crate::location::{SourceId, SourceLocation, Span};
use crate::path::KeyPath;
use crate::redaction::{redact_quoted, redact_secrets};

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably not as intended.
    Warning,
    /// Information only.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// One finding at one location of a file. Rendering it is left to the programs.
///
/// Private keys, PINs and passwords are redacted in its texts, and long texts are shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable machine-readable code, such as `unknown-key`.
    pub code: &'static str,
    pub path: KeyPath,
    pub source: SourceId,
    pub span: Span,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// The problem, one sentence without a full stop.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic without help.
    pub fn new(
        severity: Severity,
        code: &'static str,
        path: KeyPath,
        place: SourceLocation,
        message: impl Into<String>,
    ) -> Self {
        let mut diagnostic = Self {
            severity,
            code,
            path,
            source: place.source,
            span: place.span,
            line: place.line,
            column: place.column,
            message: String::new(),
            help: None,
        };
        diagnostic.message = diagnostic.redact(message.into());
        diagnostic
    }

    /// Sets the help text.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(self.redact(help.into()));
        self
    }

    /// Redacts secrets in a text.
    fn redact(&self, text: String) -> String {
        if CODES_WITH_VALUE.contains(&self.code) && self.path.is_secret() {
            let (dotted, path) = (self.path.dotted(), self.path.to_string());
            return redact_quoted(&text, &[&dotted, &path]);
        }
        match redact_secrets(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(shown) => shown,
        }
    }
}

/// Codes of diagnostics that quote the value.
const CODES_WITH_VALUE: [&str; 2] = [codes::WRONG_TYPE, codes::INVALID_VALUE];

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            severity,
            code,
            message,
            ..
        } = self;
        write!(formatter, "{line}:{column}: {severity}[{code}]: {message}")?;
        if !self.path.is_root() {
            write!(formatter, " ({})", self.path)?;
        }
        if let Some(help) = &self.help {
            write!(formatter, "; {help}")?;
        }
        Ok(())
    }
}

/// Maximum number of diagnostics that are kept; a hostile file could cause millions.
const MAX_DIAGNOSTICS: usize = 1_000;

/// Collector of diagnostics, so that reading a file goes on after a mistake.
///
/// A thousand are kept. Of the rest, only the number and the worst severity are known, and one
/// diagnostic with the code `too-many-findings` reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    omitted: usize,
    worst_omitted: Option<Severity>,
    /// Receives help texts for omitted diagnostics.
    last_omitted: Option<Box<Diagnostic>>,
    /// Keys that were written with a typo, by their right names.
    mistyped: Vec<KeyPath>,
}

impl Diagnostics {
    /// Adds an error.
    pub fn error(
        &mut self,
        code: &'static str,
        path: &KeyPath,
        place: SourceLocation,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let path = path.clone();
        self.push(Diagnostic::new(Severity::Error, code, path, place, message))
    }

    /// Adds a warning.
    pub fn warning(
        &mut self,
        code: &'static str,
        path: &KeyPath,
        place: SourceLocation,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        let path = path.clone();
        self.push(Diagnostic::new(
            Severity::Warning,
            code,
            path,
            place,
            message,
        ))
    }

    /// Adds a diagnostic and returns it for adding help.
    pub fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        if !self.is_full() {
            return self.items.push_mut(diagnostic);
        }
        self.omitted += 1;
        let severity = diagnostic.severity;
        self.worst_omitted = Some(
            self.worst_omitted
                .map_or(severity, |worst| worst.min(severity)),
        );
        self.last_omitted.insert(Box::new(diagnostic))
    }

    /// Adds all diagnostics of another collection.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        for other in others {
            self.push(other);
        }
    }

    /// Removes diagnostics that turn out to be redundant.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.items.retain(keep);
    }

    /// Whether no more are kept, so that building expensive messages can be avoided.
    pub fn is_full(&self) -> bool {
        self.items.len() >= MAX_DIAGNOSTICS
    }

    /// Notes that an unknown key was probably meant to be this one, which is then not missing too.
    pub(crate) fn note_mistyped(&mut self, meant: KeyPath) {
        if self.mistyped.len() < MAX_DIAGNOSTICS {
            self.mistyped.push(meant);
        }
    }

    /// Whether a key was reported as mistyped.
    pub(crate) fn is_mistyped(&self, key: &KeyPath) -> bool {
        self.mistyped.contains(key)
    }

    /// Whether there are errors, including omitted ones.
    pub fn has_errors(&self) -> bool {
        let mut severities = self.items.iter().map(|diagnostic| diagnostic.severity);
        self.worst_omitted == Some(Severity::Error)
            || severities.any(|severity| severity == Severity::Error)
    }

    /// The kept diagnostics in the order in which they were found.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.items
    }

    /// Returns everything in the order of the file; equal locations keep the order of discovery.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.items
            .sort_by_key(|diagnostic| (diagnostic.source, diagnostic.line, diagnostic.column));
        if let (Some(severity), Some(last)) = (self.worst_omitted, self.last_omitted) {
            let message = format!("{} more findings are left out", self.omitted);
            self.items.push(Diagnostic {
                severity,
                code: "too-many-findings",
                message,
                help: None,
                ..*last
            });
        }
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_and_still_decides() {
        let mut diagnostics = Diagnostics::default();
        let path = KeyPath::root();
        for _ in 0..MAX_DIAGNOSTICS {
            diagnostics.warning("w", &path, SourceLocation::default(), "");
        }
        assert!(diagnostics.is_full() && !diagnostics.has_errors());
        diagnostics
            .error("e", &path, SourceLocation::default(), "")
            .help("lost");
        diagnostics.warning("w", &path, SourceLocation::default(), "");
        assert!(diagnostics.has_errors());
        let all = diagnostics.into_sorted();
        let last = all.last().expect("there is one");
        assert_eq!(
            (all.len(), last.code, last.severity),
            (MAX_DIAGNOSTICS + 1, "too-many-findings", Severity::Error)
        );
        assert_eq!(last.message, "2 more findings are left out");
    }
}
