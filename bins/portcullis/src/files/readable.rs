//! World-readable files.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile, WriteMode, write_error};
use std::path::Path;

/// Atomically writes a file without secrets, with mode 0644.
pub(crate) fn write_readable(
    path: &Path,
    existing: Existing,
    content: &[u8],
) -> Result<(), CliError> {
    let file = PrivateFile::prepare(path, existing)?;
    if let WriteMode::Rename { draft, .. } = &file.mode {
        make_readable(draft.as_file()).map_err(|error| write_error(path, error))?;
    }
    file.finish(content)
}

#[cfg(unix)]
fn make_readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_file: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
