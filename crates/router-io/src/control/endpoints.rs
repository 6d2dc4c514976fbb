//! The endpoints file on disk.

use std::io;
use std::path::Path;

use portcullis_files::{SECRET_MODE, create_directory, directory_of, replace};
use portcullis_router::control::EndpointsFile;

/// Reads the file. One that cannot be read counts as none.
pub(super) fn read(path: &Path) -> Option<EndpointsFile> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "the endpoints file cannot be read; the configuration counts");
            return None;
        },
    };
    EndpointsFile::parse(&bytes)
        .inspect_err(|error| {
            tracing::warn!(file = %path.display(), %error, "the endpoints file is invalid; the configuration counts");
        })
        .ok()
}

/// Writes the file, for its owner only: all of it, or nothing.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    create_directory(directory_of(path)).map_err(io::Error::other)?;
    replace(path, text.as_bytes(), SECRET_MODE).map_err(io::Error::other)
}
