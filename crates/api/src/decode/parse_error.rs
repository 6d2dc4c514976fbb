//! Errors of parsing a body as JSON.

use super::node::{MAX_LEVELS, MAX_VALUES};

/// A body cannot be parsed.
#[derive(Debug)]
pub(super) enum ParseError {
    /// The body has more values than allowed.
    TooManyValues,
    /// The body is nested deeper than allowed.
    TooDeep,
    /// The body is not JSON, or incomplete.
    NotJson(serde_json::Error),
}

impl ParseError {
    /// Classifies `error`; `is_exhausted` says that the limit of values was exceeded.
    pub(super) fn new(error: serde_json::Error, is_exhausted: bool) -> Self {
        if is_exhausted {
            Self::TooManyValues
        } else if error.to_string().starts_with("recursion limit exceeded") {
            // The library distinguishes this error by its message only.
            Self::TooDeep
        } else {
            Self::NotJson(error)
        }
    }

    /// The error message.
    pub(super) fn describe(&self) -> String {
        let error = match self {
            Self::TooManyValues => {
                return format!(
                    "the body has more than {MAX_VALUES} JSON values; split the request"
                );
            },
            Self::TooDeep => {
                return format!(
                    "the body is nested more than {MAX_LEVELS} levels deep; nest its lists and \
                     objects less"
                );
            },
            Self::NotJson(error) => error,
        };
        let what = if error.is_eof() {
            "the JSON body ends too early"
        } else {
            "the body is not valid JSON"
        };
        let (line, column) = (error.line(), error.column());
        format!("{what} (line {line}, column {column})")
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::Node;

    #[test]
    fn errors_say_what_is_wrong() {
        let said = |text: &str| Node::parse(text.as_bytes()).unwrap_err().describe();
        for (text, expected) in [
            (
                format!("[{}0]", "0,".repeat(70_000)),
                "the body has more than 65536 JSON values; split the request",
            ),
            (
                "[".repeat(200),
                "the body is nested more than 127 levels deep; nest its lists and objects less",
            ),
            (
                "{\"a\"".to_owned(),
                "the JSON body ends too early (line 1, column 4)",
            ),
            (
                "{\n  nope}".to_owned(),
                "the body is not valid JSON (line 2, column 3)",
            ),
        ] {
            assert_eq!(said(&text), expected);
        }
    }
}
