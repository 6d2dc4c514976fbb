//! Bounded reading of input files.

use portcullis_domain::io_error;
use portcullis_router_config::{Diagnostic, KeyPath, MAX_FILE_SIZE, Severity, file_too_large};
use portcullis_yaml::SourceLocation;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Code of the finding for an unreadable file.
const UNREADABLE: &str = "unreadable";

/// An input file.
#[derive(Debug)]
pub struct Input {
    /// Name as given in the arguments.
    pub name: String,
    /// Content, or the finding that it is unreadable.
    pub bytes: Result<Vec<u8>, Box<Diagnostic>>,
}

impl Input {
    /// Reads a file, or standard input for `-`. Files over the size limit are not read.
    pub fn read(path: &Path) -> Self {
        let read = if is_stdin(path) {
            read_bounded(io::stdin().lock())
        } else {
            read_file(path)
        };
        let bytes = match read {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(file_too_large()),
            Err(error) => Err(unreadable(&error)),
        };
        Self {
            name: path.display().to_string(),
            bytes: bytes.map_err(Box::new),
        }
    }
}

/// Whether standard input is given more than once.
pub(crate) fn repeats_stdin(paths: &[PathBuf]) -> bool {
    let named = paths.iter().filter(|path| is_stdin(path));
    named.count() > 1
}

/// Whether a path means standard input.
fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// `None` when the file is too large.
fn read_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if about.is_file() && about.len() > max_bytes() {
        return Ok(None);
    }
    read_bounded(file)
}

fn read_bounded(reader: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(max_bytes() + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= MAX_FILE_SIZE).then_some(bytes))
}

fn max_bytes() -> u64 {
    u64::try_from(MAX_FILE_SIZE).unwrap_or(u64::MAX)
}

fn unreadable(error: &io::Error) -> Diagnostic {
    let start = SourceLocation {
        line: 1,
        column: 1,
        ..SourceLocation::default()
    };
    let message = format!(
        "the file cannot be read: {}",
        io_error::describe_io_error(error)
    );
    Diagnostic::new(Severity::Error, UNREADABLE, KeyPath::root(), start, message)
}
