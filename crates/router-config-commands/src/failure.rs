//! Failures of commands.

/// Which exit code a failure leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The arguments cannot be used.
    Usage,
    /// What was printed says it.
    AlreadyReported,
}

/// Why a command failed, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    pub hints: Vec<String>,
}

impl Failure {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Usage,
            message: message.into(),
            hints: Vec::new(),
        }
    }

    pub(crate) const fn already_reported() -> Self {
        Self {
            kind: FailureKind::AlreadyReported,
            message: String::new(),
            hints: Vec::new(),
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}
