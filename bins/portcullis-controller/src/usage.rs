//! Command lines that make no sense in a way that only the program can see.

use std::fmt;
use std::process::ExitCode;

/// What is wrong with the command line, in one sentence.
#[derive(Debug)]
pub(crate) struct UsageError(String);

/// Says what is wrong with the command line.
pub(crate) fn error(what: impl Into<String>) -> anyhow::Error {
    UsageError(what.into()).into()
}

/// The code that the program ends with because of `error`.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<UsageError>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

impl fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}
