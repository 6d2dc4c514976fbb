//! Output on stdout and stderr, apart from the log.

use portcullis_command_line::fit;
use portcullis_domain::io_error;
use portcullis_domain::terminal::is_terminal_control;
use rustix::termios::tcgetwinsize;
use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::os::fd::AsFd;

/// Writes a line to stdout. A closed pipe is not an error.
pub fn print_line(text: impl Display) {
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

/// Writes a message to stdout that may contain names and paths: escaped, and at a terminal in lines that
/// break between words.
pub fn print_message(text: impl Display) {
    let line = text.to_string();
    print_line(fit(&one_line(&line), columns(&io::stdout()), 0));
}

/// Writes a line to stderr.
pub fn eprint_line(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes a prompt to stderr, without a line break.
pub fn eprint_question(question: &str) {
    let mut err = io::stderr().lock();
    let _ = write!(err, "{question} ");
    let _ = err.flush();
}

/// Writes the error that ends the program: in one line, or at a terminal in lines that break between
/// words.
pub fn eprint_error(error: &anyhow::Error) {
    let text = format!("error: {}", one_line(&error_chain(error)));
    eprint_line(fit(&text, columns(&io::stderr()), 0));
}

/// Columns of the terminal that `stream` is, if it is one and tells.
pub fn columns(stream: &impl AsFd) -> Option<usize> {
    let columns = tcgetwinsize(stream).ok()?.ws_col;
    (columns > 0).then(|| columns.into())
}

/// A number of things in words, such as `no mistakes`, `1 mistake` or `2 mistakes`.
pub fn counted(number: usize, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Joins an error and its causes with colons.
pub fn error_chain(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = match cause.downcast_ref::<io::Error>() {
            Some(error) => io_error::describe_io_error(error),
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

/// Escapes characters that control a terminal or break the line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_terminal_control) {
        let escaped = text.chars().flat_map(|character| {
            let escape = is_terminal_control(character).then(|| character.escape_default());
            let plain = escape.is_none().then_some(character);
            escape.into_iter().flatten().chain(plain)
        });
        Cow::Owned(escaped.collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Quotes a word for a shell.
pub fn shell_quoted(word: &str) -> Cow<'_, str> {
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
            assert_eq!(shell_quoted(word), expected);
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
