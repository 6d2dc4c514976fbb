//! The endpoints file on disk.

use std::io;
use std::path::Path;

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
    use std::fs::{DirBuilder, File, OpenOptions, rename};
    use std::io::Write as _;
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};

    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    rename(&draft, path)?;
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
}
