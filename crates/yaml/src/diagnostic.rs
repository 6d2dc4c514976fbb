//! What is to be said about a file.

use std::fmt;

use crate::path::KeyPath;
use crate::place::{Place, SourceId, Span};

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
        Self {
            severity,
            code,
            path,
            source: place.source,
            span: place.span,
            line: place.line,
            column: place.column,
            message: message.into(),
            help: None,
        }
    }

    /// Says what would be right.
    pub fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }
}

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

/// Collects diagnostics, so that a reader of the file goes on after a mistake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Adds an error.
    pub fn error(
        &mut self,
        code: &'static str,
        path: &KeyPath,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::new(
            Severity::Error,
            code,
            path.clone(),
            place,
            message,
        ))
    }

    /// Adds a warning.
    pub fn warning(
        &mut self,
        code: &'static str,
        path: &KeyPath,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.push(Diagnostic::new(
            Severity::Warning,
            code,
            path.clone(),
            place,
            message,
        ))
    }

    /// Adds a diagnostic made elsewhere and hands it back for a word of help.
    pub fn push(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        self.0.push_mut(diagnostic)
    }

    /// Takes over what another collection holds.
    pub fn extend(&mut self, others: impl IntoIterator<Item = Diagnostic>) {
        self.0.extend(others);
    }

    /// Tells whether the file cannot be used.
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Borrows everything in the order in which it was found.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.0
    }

    /// Gives everything in the order of the file; equal places keep the order in which they were found.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.0
            .sort_by_key(|diagnostic| (diagnostic.source, diagnostic.line, diagnostic.column));
        self.0
    }
}
