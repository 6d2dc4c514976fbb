//! What people read on stdout and stderr, apart from the log.

use portcullis_domain::io_error;
use portcullis_domain::terminal::drives_terminal;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes to stdout. A reader that has gone away is no failure.
pub(crate) fn say(text: impl Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// Writes to stderr.
pub(crate) fn remark(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a question to stderr; the answer follows on the same line.
pub(crate) fn ask(question: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{question} ");
    let _ = err.flush();
}

/// Says in one line why the program ends.
pub(crate) fn failure(error: &anyhow::Error) {
    remark(format_args!("error: {}", one_line(&sentence(error))));
}

/// Says what could not be done and, behind colons, why.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = match cause.downcast_ref::<io::Error>() {
            Some(error) => io_error::in_words(error),
            None => cause.to_string(),
        };
        // Some errors repeat their source in their own text.
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

/// Escapes characters that would act on a terminal or break the line.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(drives_terminal) {
        let escaped = text.chars().flat_map(|character| {
            let escape = drives_terminal(character).then(|| character.escape_default());
            let plain = escape.is_none().then_some(character);
            escape.into_iter().flatten().chain(plain)
        });
        Cow::Owned(escaped.collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes a word so that a shell takes it as it is.
pub(crate) fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        let cases = [
            ("admin", "admin"),
            ("/tmp/a b", "'/tmp/a b'"),
            ("it's", "'it'\\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
            ("https://[::1]:1280", "'https://[::1]:1280'"),
        ];
        for (word, expected) in cases {
            assert_eq!(shell_word(word), expected);
        }
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(
            one_line("a\r\n\u{1b}[31mb\u{9b}"),
            "a\\r\\n\\u{1b}[31mb\\u{9b}"
        );
        assert_eq!(one_line("a\u{202e}b\u{200b}"), "a\\u{202e}b\\u{200b}");
        assert_eq!(one_line("naïve"), "naïve");
    }
}
