//! Output to standard output and standard error.

mod entity_document;
mod item_stream;
mod json_list;
mod yaml;

pub(crate) use item_stream::ItemStream;

use crate::error::CliError;
use crate::invocation;
use crate::render::{Render, one_line};
use crate::terminal::{self, escape_control_characters};
use clap::ValueEnum;
use portcullis_command_line::{fit, supports_color};
use portcullis_domain::terminal::escape_json;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use serde::Serialize;
use serde_yaml::Value;
use std::borrow::Cow;
use std::future;
use std::io::{self, IsTerminal as _, Write as _};
use tokio::task;
use zeroize::Zeroizing;

/// Output formats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables that fit the terminal
    #[default]
    Table,
    /// Tables with more columns, full values and times
    Wide,
    /// One name, or else id, on each line
    Name,
    /// JSON: an entity, or an array of entities
    Json,
    /// The same as YAML 1.1 and 1.2
    Yaml,
}

/// Writer of results in the selected format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    pub(crate) fn format(self) -> Format {
        self.format
    }

    /// Whether the format is JSON or YAML.
    pub(crate) fn is_machine_readable(self) -> bool {
        match self.format {
            Format::Json | Format::Yaml => true,
            Format::Table | Format::Wide | Format::Name => false,
        }
    }

    /// Whether the result holds nothing but names or a document.
    pub(crate) fn is_for_programs(self) -> bool {
        self.is_machine_readable() || self.format == Format::Name
    }

    /// Whether tables may be wider than the terminal.
    pub(crate) fn is_wide(self) -> bool {
        self.format == Format::Wide
    }

    /// Writes the result of a command without names: `document` as JSON or YAML, or else `table`.
    pub(crate) fn write_result<R: Render>(
        self,
        document: &impl Serialize,
        table: impl FnOnce() -> R,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Table | Format::Wide | Format::Name => self.write_table(&table()),
            Format::Json => write_json(&json(document).map_err(serialization_error)?),
            Format::Yaml => write(&yaml(document).map_err(serialization_error)?),
        }
    }

    /// Writes entities that a command has found or changed: `names`, `document` or `table`.
    pub(crate) fn write_named<'n, R: Render>(
        self,
        names: impl IntoIterator<Item = &'n str>,
        document: &impl Serialize,
        table: impl FnOnce() -> R,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Name => names.into_iter().try_for_each(write_name),
            _ => self.write_result(document, table),
        }
    }

    /// Writes an entity: its name, its members without links, or `table`.
    pub(crate) fn write_entity<R: Render>(
        self,
        name: &str,
        entity: &impl Serialize,
        table: impl FnOnce() -> R,
    ) -> Result<(), CliError> {
        let document = entity_document::of(entity).map_err(serialization_error)?;
        self.write_named([name], &document, table)
    }

    /// Writes a line of a list that goes on: a name, a document on a line of its own or among others,
    /// or the line of a table.
    pub(crate) fn write_line(
        self,
        name: &str,
        document: &impl Serialize,
        line: &str,
    ) -> Result<(), CliError> {
        match self.format {
            Format::Table | Format::Wide => write(line),
            Format::Name => write_name(name),
            Format::Json => {
                let text = serde_json::to_string(document).map_err(serialization_error)?;
                write_json(&format!("{text}\n"))
            },
            Format::Yaml => {
                let text = yaml(document).map_err(serialization_error)?;
                write(&format!("---\n{text}"))
            },
        }
    }

    /// Writes a document without a table view, as JSON instead of a table.
    pub(crate) fn write_document(self, document: &impl Serialize) -> Result<(), CliError> {
        let text = match self.format {
            Format::Table | Format::Wide | Format::Name => {
                escape_json(&json(document).map_err(serialization_error)?)
            },
            Format::Json => return write_json(&json(document).map_err(serialization_error)?),
            Format::Yaml => yaml(document).map_err(serialization_error)?,
        };
        write(&text)
    }

    /// Writes a table, within the width of the terminal.
    pub(crate) fn write_table(self, table: &impl Render) -> Result<(), CliError> {
        let room = terminal::stdout_width().filter(|_| !self.is_wide());
        write(&table.render(room))
    }
}

/// The members of an entity without links, as [`Output::write_entity`] writes them.
pub(crate) fn document(entity: &impl Serialize) -> Result<serde_json::Value, CliError> {
    let document = entity_document::of(entity).map_err(serialization_error)?;
    serde_json::to_value(document).map_err(serialization_error)
}

/// Writes a name on a line of its own.
fn write_name(name: &str) -> Result<(), CliError> {
    write(&format!("{}\n", one_line(name)))
}

/// Writes JSON, or a part of it, escaping control characters on a terminal.
pub(crate) fn write_json(text: &str) -> Result<(), CliError> {
    write(&json_for_stdout(text))
}

/// JSON text as [`write_json`] writes it.
pub(crate) fn json_for_stdout(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() {
        escape_json(text).into()
    } else {
        text.into()
    }
}

fn json(document: &impl Serialize) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

fn yaml(document: &impl Serialize) -> Result<String, anyhow::Error> {
    Ok(yaml::write(&to_value(document)?))
}

/// The members of a document in their order. By way of JSON, so that both formats contain the same:
/// serde distinguishes some formats.
fn to_value(document: &impl Serialize) -> Result<Value, anyhow::Error> {
    let text = Zeroizing::new(serde_json::to_string(document)?);
    Ok(serde_json::from_str(&text)?)
}

/// A document as YAML, as [`Output`] writes it.
pub(crate) fn yaml_text(document: &impl Serialize) -> Result<String, CliError> {
    yaml(document).map_err(serialization_error)
}

/// An error in serializing a result.
pub(crate) fn serialization_error(error: impl Into<anyhow::Error>) -> CliError {
    CliError::failed("cannot encode the result").with_source(error)
}

/// Waits until whoever reads standard output has closed it. For ever, if that cannot be told, as of files.
pub(crate) async fn closed() {
    // Nothing is waited for but what is always told: that nobody reads any more. The thread is left behind.
    let watched = task::spawn_blocking(|| {
        let stdout = io::stdout();
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        loop {
            match poll(&mut watched, None) {
                Err(Errno::INTR) => {},
                polled => return polled.is_ok(),
            }
        }
    });
    if !watched.await.is_ok_and(|is_closed| is_closed) {
        future::pending::<()>().await;
    }
}

pub(crate) fn write(text: &str) -> Result<(), CliError> {
    write_bytes(text.as_bytes())
}

pub(crate) fn write_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Writes bytes of unknown origin, escaping control characters on a terminal.
pub(crate) fn write_untrusted(bytes: &[u8]) -> Result<(), CliError> {
    if io::stdout().is_terminal() {
        write(&escape_control_characters(&String::from_utf8_lossy(bytes)))
    } else {
        write_bytes(bytes)
    }
}

/// Writes a message to standard error, broken between words at a terminal.
pub(crate) fn note(text: &str) {
    let text = invocation::repeat_options(text);
    let text = escape_control_characters(&text);
    let text = fit(&text, terminal::stderr_width(), 0);
    write_stderr(&format!("{text}\n"));
}

/// Writes a warning to standard error.
pub(crate) fn warn(text: &str) {
    const LABEL: &str = "warning:";
    let text = invocation::repeat_options(text);
    let text = escape_control_characters(&text);
    let text = fit(&text, terminal::stderr_width(), LABEL.len() + 1);
    let label = terminal::styled(LABEL, "1;33", supports_color(&io::stderr()));
    write_stderr(&format!("{label} {text}\n"));
}

/// Writes rendered text to standard error.
pub(crate) fn write_stderr(text: &str) {
    // Failing to write a message must not fail the command.
    let _ = io::stderr().write_all(text.as_bytes());
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
        let text = escape_json(&json(&document).unwrap());
        assert!(!text.contains(['\u{9b}', '\u{202e}']), "{text:?}");
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&text).unwrap(),
            document
        );
    }
}
