//! Reading files of which nothing is known.

use crate::source::is_stdin;
use portcullis_domain::io_error;
use portcullis_router_config::{Diagnostic, KeyPath, LARGEST_FILE, Severity, too_large};
use portcullis_yaml::Place;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Code of the finding that there is nothing to judge.
const UNREADABLE: &str = "unreadable";

/// One file as it was named, and what is in it.
#[derive(Debug)]
pub(super) struct Input {
    /// Its name: the argument.
    pub(super) name: String,
    /// Its bytes, or why there are none.
    pub(super) bytes: Result<Vec<u8>, Box<Diagnostic>>,
}

impl Input {
    /// Reads a file, or the standard input for `-`. A file that is too large is not read.
    pub(super) fn read(path: &Path) -> Self {
        let read = if is_stdin(Some(path)) {
            bounded(io::stdin().lock())
        } else {
            from_file(path)
        };
        let bytes = match read {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(too_large()),
            Err(error) => Err(unreadable(&error)),
        };
        Self {
            name: path.display().to_string(),
            bytes: bytes.map_err(Box::new),
        }
    }
}

/// Whether the standard input is named more than once: it can be read once.
pub(super) fn repeats_stdin(paths: &[PathBuf]) -> bool {
    let named = paths.iter().filter(|path| is_stdin(Some(path)));
    named.count() > 1
}

/// `None` when the file is too large.
fn from_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if about.is_file() && about.len() > bound() {
        return Ok(None);
    }
    bounded(file)
}

fn bounded(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(bound() + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= LARGEST_FILE).then_some(bytes))
}

fn bound() -> u64 {
    u64::try_from(LARGEST_FILE).unwrap_or(u64::MAX)
}

fn unreadable(error: &io::Error) -> Diagnostic {
    let start = Place {
        line: 1,
        column: 1,
        ..Place::default()
    };
    let message = format!("the file cannot be read: {}", io_error::in_words(error));
    Diagnostic::new(Severity::Error, UNREADABLE, KeyPath::root(), start, message)
}
