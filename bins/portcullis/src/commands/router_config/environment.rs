//! Where environment variables in a file get their values from.

use crate::error::CliError;
use crate::files;
use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};

/// The environment in which the router would run.
#[derive(Debug)]
pub(super) enum Environment {
    /// That of this process.
    Own,
    /// That of a file, and nothing else.
    Written(BTreeMap<String, String>),
}

impl Environment {
    /// Takes the variables of a file, or those of this process if none is named.
    pub(super) fn of(file: Option<&PathBuf>) -> Result<Self, CliError> {
        let Some(path) = file else {
            return Ok(Self::Own);
        };
        let text = read(path)?;
        let mut variables = BTreeMap::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let (name, value) = variable(line).ok_or_else(|| malformed(path, number))?;
            variables.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self::Written(variables))
    }

    /// Gives the value of a variable, if it is set.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        match self {
            Self::Own => env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
            Self::Written(variables) => variables.get(name).cloned(),
        }
    }
}

/// Without it no file can be judged, so that this is about the arguments and not about a file.
fn read(path: &Path) -> Result<String, CliError> {
    files::read_text(path).map_err(|error| CliError::usage(error.message()))
}

fn variable(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then_some((name, value))
}

/// The line is not shown: it may hold a secret.
fn malformed(path: &Path, number: usize) -> CliError {
    CliError::usage(format!(
        "line {number} of {} is not a variable",
        path.display()
    ))
    .hint("lines look like `KEY=VALUE`; quotes belong to the value; `#` begins a comment line")
}
