//! What goes to the standard output.

use crate::error::CliError;
use crate::table::Table;
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, Write as _};

/// In which form results are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for people
    #[default]
    Table,
    /// One JSON document for programs
    Json,
}

/// Writes results.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    /// Writes in that form.
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    /// Whether programs read the output.
    pub(crate) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Writes the one result of a command: `document` to programs, `table` to people.
    pub(crate) fn result<D: Serialize>(
        self,
        document: &D,
        table: impl FnOnce() -> Table,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Table => write(&table().render()),
            Format::Json => {
                let mut text = serde_json::to_string_pretty(document).map_err(|error| {
                    CliError::failed("the result cannot be written").because(error)
                })?;
                text.push('\n');
                write(&text)
            },
        }
    }
}

/// Writes `text` as it is.
pub(crate) fn write(text: &str) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()?;
    Ok(())
}

/// Tells people something beside the result.
pub(crate) fn note(text: &str) {
    // A note that nobody reads is no failure.
    let _ = writeln!(io::stderr(), "{}", printable(text));
}

/// Escapes what would drive a terminal: control characters, and those that change the direction of
/// text. Names and messages come from others.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if drives_terminal(character) {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

fn drives_terminal(character: char) -> bool {
    let is_directional = matches!(
        character,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    is_directional || (character.is_control() && character != '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_harmless_characters_are_left() {
        for (text, shown) in [
            ("plain äß 漢字", "plain äß 漢字"),
            ("two\nlines", "two\nlines"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\tb\r", "a\\u{9}b\\u{d}"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("evil\u{202e}txt", "evil\\u{202e}txt"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
