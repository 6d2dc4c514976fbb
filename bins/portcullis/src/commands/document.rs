//! Documents that people write, and change what a command does.

use crate::error::CliError;
use crate::files;
use portcullis_api::decode::Decode;
use std::path::Path;

/// Reads a JSON file, or the standard input for `-`, in the form of requests.
pub(crate) fn read<D: Decode>(path: &Path) -> Result<D, CliError> {
    let text = files::read_text(path)?;
    D::from_body(text.as_bytes()).map_err(|error| {
        CliError::usage(format!("{} cannot be used", path.display())).because(error)
    })
}
