//! Files that everybody may read.

use crate::error::CliError;
use crate::files::{Existing, PrivateFile, Way, unwritable};
use std::path::Path;

/// Writes a file without secrets, with mode 0644, all at once or not at all.
pub(crate) fn write_readable(
    path: &Path,
    existing: Existing,
    content: &[u8],
) -> Result<(), CliError> {
    let file = PrivateFile::prepare(path, existing)?;
    if let Way::Draft { draft, .. } = &file.way {
        open_up(draft.as_file()).map_err(|error| unwritable(path, error))?;
    }
    file.finish(content)
}

#[cfg(unix)]
fn open_up(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_up(_file: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
