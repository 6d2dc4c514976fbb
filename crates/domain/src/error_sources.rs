//! Errors with their sources, in one line.

use std::error::Error;
use std::fmt::Write as _;

/// The text of an error, followed by those of its sources.
///
/// A field that is an error has no sources in a log of JSON objects, so they have to be part of its text.
///
/// # Examples
///
/// ```
/// use portcullis_domain::error_sources::with_sources;
///
/// let error = "12x".parse::<u8>().unwrap_err();
/// assert_eq!(with_sources(&error), "invalid digit found in string");
/// ```
pub fn with_sources(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        // Writing to a string cannot fail.
        let _ = write!(text, ": {error}");
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the file cannot be read")]
    struct Unreadable(#[source] std::num::ParseIntError);

    #[test]
    fn sources_follow_the_error() {
        let error = Unreadable("x".parse::<u8>().unwrap_err());
        let expected = "the file cannot be read: invalid digit found in string";
        assert_eq!(with_sources(&error), expected);
    }
}
