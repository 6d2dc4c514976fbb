//! Files that must not be half written, and must not be readable by everybody.

use anyhow::Context as _;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Mode of files that hold secrets.
pub(crate) const SECRET: u32 = 0o600;
/// Mode of files that everybody may read.
pub(crate) const PUBLIC: u32 = 0o644;

/// Makes a directory, and those above it, for its owner only; one that exists stays as it is.
pub(crate) fn make_directory(path: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("the folder {} cannot be created", path.display()))
}

/// Writes a file that must not exist yet.
pub(crate) fn create(path: &Path, content: &[u8], mode: u32) -> anyhow::Result<()> {
    write(path, content, mode).with_context(|| format!("{} cannot be written", path.display()))
}

fn write(path: &Path, content: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Puts a file in place of another, or of none, in one step.
pub(crate) fn replace(path: &Path, content: &[u8], mode: u32) -> anyhow::Result<()> {
    rename(&write_draft(path, content, mode)?, path)
}

/// Writes what [`rename`] is to put in place at `path` later, and tells where.
pub(crate) fn write_draft(path: &Path, content: &[u8], mode: u32) -> anyhow::Result<PathBuf> {
    let draft = draft(path);
    // What cannot be written is the file that is wanted, whatever it is called on the way.
    remove(&draft)
        .and_then(|()| write(&draft, content, mode))
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(draft)
}

/// Gives a file or directory its final name, and makes that survive a loss of power.
pub(crate) fn rename(from: &Path, to: &Path) -> anyhow::Result<()> {
    let directory = match to.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::rename(from, to)
        .and_then(|()| File::open(directory)?.sync_all())
        .with_context(|| format!("{} cannot be moved into place", to.display()))
}

/// Removes a file that may be there.
pub(crate) fn discard(path: &Path) -> anyhow::Result<()> {
    remove(path).with_context(|| format!("{} cannot be removed", path.display()))
}

/// Makes an empty directory, for its owner only, in the place of what an interrupted run left.
pub(crate) fn begin_directory(path: &Path) -> io::Result<()> {
    remove(path)?;
    DirBuilder::new().mode(0o700).create(path)
}

fn remove(path: &Path) -> io::Result<()> {
    let outcome = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The name under which something is made before it is put in place.
pub(crate) fn draft(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn replaced_file_has_content_and_mode_and_leaves_no_draft() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(draft(&path), "left behind").unwrap();
        for content in ["first", "second"] {
            replace(&path, content.as_bytes(), SECRET).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                SECRET
            );
        }
        assert!(!draft(&path).exists());
    }
}
