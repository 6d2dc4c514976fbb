//! Why a body cannot be read.

use super::node::{MOST_LEVELS, MOST_VALUES};

/// A body cannot be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// It is JSON, but holds more values than are read.
    TooManyValues,
    /// It is JSON, but nested deeper than is read.
    TooDeep,
    /// It is no JSON, or not all of it.
    NotJson(serde_json::Error),
}

impl Unreadable {
    /// What `error` is, `is_exhausted` when no more values were allowed.
    pub(super) fn new(error: serde_json::Error, is_exhausted: bool) -> Self {
        if is_exhausted {
            Self::TooManyValues
        } else if error.to_string().starts_with("recursion limit exceeded") {
            // The library tells it by its words alone.
            Self::TooDeep
        } else {
            Self::NotJson(error)
        }
    }

    /// The error in words.
    pub(super) fn describe(&self) -> String {
        let error = match self {
            Self::TooManyValues => {
                return format!(
                    "the body has more than {MOST_VALUES} JSON values; split the request"
                );
            },
            Self::TooDeep => {
                return format!(
                    "the body is nested more than {MOST_LEVELS} levels deep; nest its lists and \
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
