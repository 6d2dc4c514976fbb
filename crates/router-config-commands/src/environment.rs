//! Sources of environment variables.

use crate::failure::Failure;
use portcullis_domain::io_error::describe_io_error;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Environment to expand variables from.
#[derive(Debug)]
pub(crate) enum Environment {
    Process,
    /// Only the variables of a file.
    File(BTreeMap<String, String>),
}

impl Environment {
    /// Loads the variables of a file, or uses those of this process.
    pub(crate) fn load(file: Option<&PathBuf>) -> Result<Self, Failure> {
        let Some(path) = file else {
            return Ok(Self::Process);
        };
        let text = read(path)?;
        let mut variables = BTreeMap::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let (name, value) = parse_variable(line).ok_or_else(|| malformed_line(path, number))?;
            variables.insert(name.to_owned(), value.to_owned());
        }
        Ok(Self::File(variables))
    }

    /// Finds the value of a variable.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        match self {
            Self::Process => env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
            Self::File(variables) => variables.get(name).cloned(),
        }
    }
}

/// An unreadable environment file is a usage error, not a finding.
fn read(path: &Path) -> Result<String, Failure> {
    let text = if path == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(path)
    };
    text.map_err(|error| {
        let why = describe_io_error(&error);
        Failure::usage(format!("{} cannot be read: {why}", path.display()))
    })
}

fn parse_variable(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    is_name.then_some((name, value))
}

/// The line is not quoted: it may contain a secret.
fn malformed_line(path: &Path, number: usize) -> Failure {
    Failure::usage(format!(
        "line {number} of {} is not of the form `KEY=VALUE`",
        path.display()
    ))
    .hint("quotes are part of the value; comment lines start with `#`")
}
