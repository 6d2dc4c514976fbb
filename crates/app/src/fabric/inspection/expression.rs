//! The expression that selects who is inspected.

use regex::{Regex, RegexBuilder};

/// Maximum length, bytes.
const MAX_LENGTH: usize = 4096;

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
    if expression.len() > MAX_LENGTH {
        return Err(format!(
            "the regular expression is too long: it may have {MAX_LENGTH} bytes"
        ));
    }
    let builder = RegexBuilder::new(expression)
        .size_limit(MAX_COMPILED_BYTES)
        .build();
    builder.map_err(|error| {
        let reason = match error {
            regex::Error::CompiledTooBig(_) => "expression is too complex; shorten it".to_owned(),
            error => reason(&error.to_string()),
        };
        let shown: String = expression.chars().take(MAX_SHOWN_CHARS).collect();
        format!("error parsing regexp: {reason}: `{}`", shown.escape_debug())
    })
}

/// The reason alone, which follows after a picture of where the fault is.
fn reason(error: &str) -> String {
    let last = error.lines().last().unwrap_or_default();
    let reason = last.strip_prefix("error: ").unwrap_or(last);
    let known = REASONS.iter().find(|(ours, _)| *ours == reason);
    known.map_or(reason, |(_, theirs)| theirs).to_owned()
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
        let long = "(".repeat(MAX_LENGTH);
        assert!(compile(&long).unwrap_err().len() < 400);
        let longer = "a|".repeat(MAX_LENGTH);
        assert_eq!(
            compile(&longer).unwrap_err(),
            "the regular expression is too long: it may have 4096 bytes"
        );
        compile("^c1$").unwrap();
    }
}
