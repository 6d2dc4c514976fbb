//! Regular expressions of clients, whose length and size in memory are bounded.

use regex::{Regex, RegexBuilder};

/// Longest expression, in bytes.
const MAX_LENGTH: usize = 4096;

/// What is remembered while texts are matched, at most, in bytes.
const MATCHING_SIZE: usize = 256 << 10;

/// An expression that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    #[error("a regular expression has at most {MAX_LENGTH} bytes")]
    TooLong,
    /// It would take more memory than it may, once it is compiled.
    #[error("the regular expression repeats too much")]
    TooLarge,
    /// What is wrong with it, in one line.
    #[error("not a regular expression: {0}")]
    Invalid(String),
}

/// Compiles an expression, which may take so many bytes then.
///
/// # Errors
///
/// [`ExpressionError`] for whoever has written it.
pub fn compile_expression(text: &str, size: usize) -> Result<Regex, ExpressionError> {
    if text.len() > MAX_LENGTH {
        return Err(ExpressionError::TooLong);
    }
    let regex = RegexBuilder::new(text)
        .size_limit(size)
        .dfa_size_limit(MATCHING_SIZE)
        .build();
    regex.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => ExpressionError::TooLarge,
        // Its message is a drawing on several lines, the last of which says what is wrong.
        other => {
            let message = other.to_string();
            let last = message.lines().last().unwrap_or_default();
            let cause = last.strip_prefix("error: ").unwrap_or(last);
            ExpressionError::Invalid(cause.to_owned())
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_apart() {
        let error = |text: &str| compile_expression(text, 8 << 10).unwrap_err();
        let invalid = |reason: &str| ExpressionError::Invalid(reason.to_owned());
        assert_eq!(error("c("), invalid("unclosed group"));
        assert_eq!(error("(a{1000}){1000}"), ExpressionError::TooLarge);
        assert_eq!(error(&"a".repeat(4097)), ExpressionError::TooLong);
        let longest = "a".repeat(4096);
        assert!(compile_expression(&longest, 1 << 20).is_ok());
    }
}
