//! Errors in one line of the log.

use std::error::Error;
use std::fmt::Write as _;

/// An error with its causes.
///
/// A field that is an error has no causes in a log of JSON objects, so they are part of its text.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        cause = error.source();
    }
    text
}
