//! What goes to the standard output.

mod json_list;
mod yaml;

pub(crate) use json_list::JsonList;

use crate::error::CliError;
use crate::table::Table;
use clap::ValueEnum;
use portcullis_domain::terminal;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};
use zeroize::Zeroizing;

/// In which form results are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for people, in which very long texts are cut
    #[default]
    Table,
    /// One JSON document for programs
    Json,
    /// The same document as YAML, for readers of YAML 1.1 and 1.2
    Yaml,
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

    /// The form.
    pub(crate) fn format(self) -> Format {
        self.format
    }

    /// Whether programs read the output.
    pub(crate) fn is_for_programs(self) -> bool {
        match self.format {
            Format::Json | Format::Yaml => true,
            Format::Table => false,
        }
    }

    /// Writes the one result of a command: `document` to programs, `table` to people.
    pub(crate) fn result<D: Serialize>(
        self,
        document: &D,
        table: impl FnOnce() -> Table,
    ) -> Result<(), CliError> {
        let text = match self.format {
            Format::Table => table().render(),
            Format::Json => return write_json(&json(document).map_err(unwritable)?),
            Format::Yaml => yaml(document).map_err(unwritable)?,
        };
        write(&text)
    }

    /// Writes a document that is shown as it is: as YAML, or else as JSON that people can look at.
    pub(crate) fn document<D: Serialize>(self, document: &D) -> Result<(), CliError> {
        let text = match self.format {
            Format::Table => printable_json(&json(document).map_err(unwritable)?),
            Format::Json => return write_json(&json(document).map_err(unwritable)?),
            Format::Yaml => yaml(document).map_err(unwritable)?,
        };
        write(&text)
    }
}

/// Writes JSON, or a piece of it. Where a terminal shows it, what would drive the terminal is escaped;
/// programs read the same document either way.
pub(crate) fn write_json(text: &str) -> Result<(), CliError> {
    write(&shown_json(text))
}

/// A JSON text as [`write_json`] writes it.
pub(crate) fn shown_json(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() {
        printable_json(text).into()
    } else {
        text.into()
    }
}

/// Escapes in a JSON text, or YAML with texts as in JSON, what would drive a terminal. That can stand
/// inside of texts only.
pub(crate) fn printable_json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if drives_terminal(character) {
            // None of them is beyond the first 65536, and writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(character));
        } else {
            safe.push(character);
        }
    }
    safe
}

fn json(document: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

/// Writes the JSON document as YAML. It takes the way through JSON because serde tells the two
/// formats apart in places, and the documents are promised to be the same.
fn yaml(document: &impl Serialize) -> Result<String, anyhow::Error> {
    let text = Zeroizing::new(serde_json::to_string(document)?);
    let document: serde_yaml::Value = serde_json::from_str(&text)?;
    Ok(yaml::write(&document))
}

/// The result has no form in which it could be written.
pub(crate) fn unwritable(error: impl Into<anyhow::Error>) -> CliError {
    CliError::failed("the result cannot be written").because(error)
}

/// Writes `text` as it is.
pub(crate) fn write(text: &str) -> Result<(), CliError> {
    write_bytes(text.as_bytes())
}

/// Writes bytes as they are.
pub(crate) fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Writes bytes that somebody else chose. Where a terminal shows them, what would drive the terminal is
/// escaped.
pub(crate) fn write_foreign(bytes: &[u8]) -> Result<(), CliError> {
    if io::stdout().is_terminal() {
        write(&printable(&String::from_utf8_lossy(bytes)))
    } else {
        write_bytes(bytes)
    }
}

/// Tells people something beside the result.
pub(crate) fn note(text: &str) {
    tell(&format!("{}\n", printable(text)));
}

/// The same for a text that is drawn already.
pub(crate) fn tell(drawn: &str) {
    // A note that nobody reads is no failure.
    let _ = io::stderr().write_all(drawn.as_bytes());
}

/// Whether colours are wanted and understood where a text goes.
pub(crate) fn is_coloured(place: &impl IsTerminal) -> bool {
    place.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Escapes what would drive a terminal. Names and messages come from others.
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

/// As everywhere, but that new lines belong to what is written.
fn drives_terminal(character: char) -> bool {
    character != '\n' && terminal::drives_terminal(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_holds_the_same_document_as_json() {
        #[derive(Serialize)]
        enum Way {
            Word { inner: u64 },
        }
        #[derive(Serialize)]
        struct Document<'d> {
            z_first: &'d str,
            nothing: Option<&'d str>,
            number: u64,
            lookalikes: [&'d str; 5],
            way: Way,
        }
        let document = Document {
            z_first: "two\nlines \u{1b}[2J",
            nothing: None,
            number: u64::MAX,
            lookalikes: ["yes", "null", "1e3", "~", ""],
            way: Way::Word { inner: 1 },
        };
        let text = yaml(&document).unwrap();
        assert!(text.starts_with("z_first: "), "the order is kept: {text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        assert!(text.contains("\"null\""), "{text}");
        let read: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        assert_eq!(read, serde_json::to_value(&document).unwrap());
    }

    #[test]
    fn json_for_people_stays_json() {
        let document = vec!["\u{1b}[2J", "\u{9b}5n", "a\u{202e}b", "two\nlines"];
        let text = printable_json(&json(&document).unwrap());
        assert!(!text.contains(['\u{9b}', '\u{202e}']), "{text:?}");
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&text).unwrap(),
            document
        );
    }

    #[test]
    fn only_harmless_characters_are_left() {
        for (text, shown) in [
            ("plain äß 漢字", "plain äß 漢字"),
            ("two\nlines", "two\nlines"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\tb\r", "a\\u{9}b\\u{d}"),
            ("\u{9b}2J", "\\u{9b}2J"),
            ("evil\u{202e}txt", "evil\\u{202e}txt"),
            ("a\u{200b}dmin\u{2028}", "a\\u{200b}dmin\\u{2028}"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
