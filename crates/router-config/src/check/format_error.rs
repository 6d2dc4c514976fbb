//! Format errors of strings.

/// Why a string does not have its format, and how to fix it.
pub(super) struct FormatError {
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl FormatError {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: what.into(),
            help: Some(help.into()),
        }
    }
}
