//! What is to be said about a file.

use std::borrow::Cow;
use std::fmt;

use crate::path::KeyPath;
use crate::place::{Place, SourceId, Span};
use crate::read::codes;
use crate::secret::{without_quotes, without_secrets};

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably does not do what its writer meant.
    Warning,
    /// Good to know.
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

/// One remark about one place of a file. Drawing it is left to the programs.
///
/// Private keys, PINs and passwords of the file are taken out of its words, and it is never long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable word for machines, such as `unknown-key`.
    pub code: &'static str,
    /// Key it is about.
    pub path: KeyPath,
    /// File it is about.
    pub source: SourceId,
    /// Bytes it is about.
    pub span: Span,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Makes a diagnostic without help.
    pub fn new(
        severity: Severity,
        code: &'static str,
        path: KeyPath,
        place: Place,
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
        diagnostic.message = diagnostic.shown(message.into());
        diagnostic
    }

    /// Says what would be right.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(self.shown(help.into()));
        self
    }

    /// Leaves out of a text what nobody is to be shown.
    fn shown(&self, text: String) -> String {
        if QUOTING.contains(&self.code) && self.path.is_secret() {
            let (dotted, path) = (self.path.dotted(), self.path.to_string());
            return without_quotes(&text, &[&dotted, &path]);
        }
        match without_secrets(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(shown) => shown,
        }
    }
}

/// Codes of diagnostics that quote the value they are about.
const QUOTING: [&str; 2] = [codes::WRONG_TYPE, codes::INVALID_VALUE];

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

/// How many diagnostics are kept; nobody reads more, and a hostile file could give millions.
const MOST: usize = 1_000;

/// Collects diagnostics, so that a reader of the file goes on after a mistake.
///
/// A thousand are kept. Of what comes after them only the number and the worst severity are known, and
/// one diagnostic with the code `too-many-findings` says so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    left_out: usize,
    worst_left_out: Option<Severity>,
    /// Takes the words of help for what is left out.
    spare: Option<Box<Diagnostic>>,
}

impl Diagnostics {
    /// Adds an error.
    pub fn error(
        &mut self,
        code: &'static str,
        path: &KeyPath,
        place: Place,
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
        place: Place,
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

    /// Adds a diagnostic made elsewhere and hands it back for a word of help.
    pub fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        if !self.is_full() {
            return self.kept.push_mut(diagnostic);
        }
        self.left_out += 1;
        let severity = diagnostic.severity;
        self.worst_left_out = Some(
            self.worst_left_out
                .map_or(severity, |worst| worst.min(severity)),
        );
        self.spare.insert(Box::new(diagnostic))
    }

    /// Takes over what another collection holds.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        for other in others {
            self.push(other);
        }
    }

    /// Takes back what turns out to have been said already.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.kept.retain(keep);
    }

    /// Tells whether no more are kept, so that costly words can be saved.
    pub fn is_full(&self) -> bool {
        self.kept.len() >= MOST
    }

    /// Tells whether the file cannot be used.
    pub fn has_errors(&self) -> bool {
        let mut severities = self.kept.iter().map(|diagnostic| diagnostic.severity);
        self.worst_left_out == Some(Severity::Error)
            || severities.any(|severity| severity == Severity::Error)
    }

    /// Borrows everything that is kept in the order in which it was found.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.kept
    }

    /// Gives everything in the order of the file; equal places keep the order in which they were found.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.kept
            .sort_by_key(|diagnostic| (diagnostic.source, diagnostic.line, diagnostic.column));
        if let (Some(severity), Some(last)) = (self.worst_left_out, self.spare) {
            let message = format!("{} more findings are left out", self.left_out);
            self.kept.push(Diagnostic {
                severity,
                code: "too-many-findings",
                message,
                help: None,
                ..*last
            });
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted_and_still_decides() {
        let mut diagnostics = Diagnostics::default();
        let path = KeyPath::root();
        for _ in 0..MOST {
            diagnostics.warning("w", &path, Place::default(), "");
        }
        assert!(diagnostics.is_full() && !diagnostics.has_errors());
        diagnostics
            .error("e", &path, Place::default(), "")
            .help("lost");
        diagnostics.warning("w", &path, Place::default(), "");
        assert!(diagnostics.has_errors());
        let all = diagnostics.into_sorted();
        let last = all.last().expect("there is one");
        assert_eq!(
            (all.len(), last.code, last.severity),
            (MOST + 1, "too-many-findings", Severity::Error)
        );
        assert_eq!(last.message, "2 more findings are left out");
    }
}
