//! Mistakes in a file of identities.

use crate::error::CliError;
use crate::output;
use crate::table;
use serde::Serialize;

/// Most mistakes to print; further ones are counted.
const MAX_SHOWN: usize = 50;

/// What is wrong in a line, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Mistake {
    /// Line of the file, from 1.
    pub(super) line: u64,
    /// Column or member; `None` for the whole line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) field: Option<String>,
    pub(super) message: String,
}

impl Mistake {
    pub(super) fn in_line(line: u64, message: impl Into<String>) -> Self {
        Self {
            line,
            field: None,
            message: message.into(),
        }
    }

    pub(super) fn in_field(line: u64, field: &str, message: impl Into<String>) -> Self {
        Self {
            line,
            field: Some(field.to_owned()),
            message: message.into(),
        }
    }

    fn describe(&self) -> String {
        let Self {
            line,
            field,
            message,
        } = self;
        match field {
            Some(field) => format!("line {line}, {field}: {message}"),
            None => format!("line {line}: {message}"),
        }
    }
}

/// Prints mistakes in the order of the file, and returns the error that counts them.
pub(super) fn report(mut mistakes: Vec<Mistake>) -> CliError {
    mistakes.sort();
    for mistake in mistakes.iter().take(MAX_SHOWN) {
        output::note(&mistake.describe());
    }
    if mistakes.len() > MAX_SHOWN {
        output::note(&format!("... and {} more", mistakes.len() - MAX_SHOWN));
    }
    let count = table::pluralize(mistakes.len(), "mistake", "mistakes");
    CliError::failed(format!("{count} in the file; nothing was created"))
}

/// `; did you mean ...?` for a word that is nearly one of the known ones.
pub(super) fn suggestion(word: &str, known: &[&str]) -> String {
    match portcullis_yaml::nearest(word, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are {}", known.join(", ")),
    }
}
