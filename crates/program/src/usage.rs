//! Usage errors that the argument parser does not detect.

use std::fmt;
use std::process::ExitCode;

/// Error of the command line.
#[derive(Debug)]
pub struct UsageError(String);

/// Creates a usage error.
pub fn error(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

/// Exit code for an error.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
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
