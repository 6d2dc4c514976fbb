//! The expression that selects who is inspected.

use portcullis_events::{ExpressionError, compile_expression};
use regex::Regex;

/// Maximum size of a compiled expression, bytes; ids and useful expressions are short.
const MAX_COMPILED_BYTES: usize = 256 * 1024;

/// Maximum length of what is repeated of an expression, characters.
const MAX_SHOWN_CHARS: usize = 256;

/// Reasons as the regex crate words them, and as OpenZiti's controllers do.
const REASONS: [(&str, &str); 2] = [
    ("unclosed group", "missing closing )"),
    ("unopened group", "unexpected )"),
];

/// Compiles it. The error is for people, in the words of OpenZiti where it has some.
pub(super) fn compile(expression: &str) -> Result<Regex, String> {
    compile_expression(expression, MAX_COMPILED_BYTES).map_err(|error| {
        let reason = match &error {
            ExpressionError::TooLong => return error.to_string(),
            ExpressionError::TooLarge => "expression is too complex; shorten it",
            ExpressionError::Invalid(reason) => worded(reason),
        };
        let shown: String = expression.chars().take(MAX_SHOWN_CHARS).collect();
        format!("error parsing regexp: {reason}: `{}`", shown.escape_debug())
    })
}

fn worded(reason: &str) -> &str {
    let known = REASONS.iter().find(|(ours, _)| *ours == reason);
    known.map_or(reason, |(_, theirs)| theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_in_one_line() {
        for (expression, expected) in [
            // As OpenZiti 2.1 words it.
            ("c(", "error parsing regexp: missing closing ): `c(`"),
            ("c)", "error parsing regexp: unexpected ): `c)`"),
            (
                "*",
                "error parsing regexp: repetition operator missing expression: `*`",
            ),
            (
                "(a{1000}){1000}",
                "error parsing regexp: expression is too complex; shorten it: `(a{1000}){1000}`",
            ),
        ] {
            assert_eq!(compile(expression).unwrap_err(), expected);
        }
        let long = "(".repeat(4096);
        assert!(compile(&long).unwrap_err().len() < 400);
        let longer = "a".repeat(1 << 20);
        assert_eq!(
            compile(&longer).unwrap_err(),
            "a regular expression has at most 4096 bytes"
        );
        compile("^c1$").unwrap();
    }
}
