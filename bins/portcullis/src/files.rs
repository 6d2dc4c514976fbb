//! Files that only their owner may read.

use crate::error::CliError;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Whether a file that is there already may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It stays, and the command fails.
    Keep,
    /// It is replaced.
    Replace,
}

/// A private file that comes into being all at once, or not at all.
///
/// It is made before the work whose result it is to hold, so that a place that cannot be written
/// is noticed before a token is spent for nothing.
#[derive(Debug)]
pub(crate) struct PrivateFile {
    draft: NamedTempFile,
    path: PathBuf,
    existing: Existing,
}

impl PrivateFile {
    /// Prepares the file `path`.
    pub(crate) fn prepare(path: &Path, existing: Existing) -> Result<Self, CliError> {
        if existing == Existing::Keep && fs::symlink_metadata(path).is_ok() {
            return Err(exists(path));
        }
        // Made with mode 0600, in the folder of the file, so that it can be renamed.
        let draft = NamedTempFile::new_in(folder(path)).map_err(|error| unwritable(path, error))?;
        Ok(Self {
            draft,
            path: path.to_owned(),
            existing,
        })
    }

    /// Writes `content` and puts the file in its place.
    pub(crate) fn finish(mut self, content: &[u8]) -> Result<(), CliError> {
        let path = self.path;
        let write = |draft: &mut NamedTempFile| -> io::Result<()> {
            draft.write_all(content)?;
            draft.as_file().sync_all()
        };
        write(&mut self.draft).map_err(|error| unwritable(&path, error))?;
        let placed = match self.existing {
            Existing::Replace => self.draft.persist(&path),
            Existing::Keep => self.draft.persist_noclobber(&path),
        };
        placed.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(&path),
            _ => unwritable(&path, error.error),
        })?;
        sync_folder(&path);
        Ok(())
    }
}

/// Reads a text file, or the standard input for `-`.
pub(crate) fn read_text(path: &Path) -> Result<String, CliError> {
    let text = if path == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(path)
    };
    text.map_err(|error| {
        CliError::failed(format!("{} cannot be read", path.display())).because(error)
    })
}

/// The folder in which `path` is.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Makes the new name last. Not every file system can, and the content is safe by then.
fn sync_folder(path: &Path) {
    if let Ok(folder) = fs::File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

fn exists(path: &Path) -> CliError {
    CliError::failed(format!("{} is there already", path.display()))
        .hint("name another file, or replace it with `--force`")
}

fn unwritable(path: &Path, error: io::Error) -> CliError {
    CliError::failed(format!("{} cannot be written", path.display())).because(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, existing: Existing, content: &str) -> Result<(), CliError> {
        PrivateFile::prepare(path, existing)?.finish(content.as_bytes())
    }

    #[test]
    fn file_is_private_and_not_replaced_unasked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        write(&path, Existing::Keep, "one").unwrap();
        assert!(write(&path, Existing::Keep, "two").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write(&path, Existing::Replace, "three").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "no draft is left"
        );
    }

    #[test]
    fn file_that_appears_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let file = PrivateFile::prepare(&path, Existing::Keep).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(file.finish(b"ours").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn place_that_cannot_be_written_is_noticed_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("x.json");
        assert!(PrivateFile::prepare(&path, Existing::Keep).is_err());
    }
}
