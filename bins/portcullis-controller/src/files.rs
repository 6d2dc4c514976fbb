//! Atomic creation of files with restricted permissions.

mod directory_draft;

pub(crate) use directory_draft::{DirectoryDraft, is_empty_directory};

use anyhow::Context as _;
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

/// Mode of files that hold secrets.
pub(crate) const SECRET_MODE: u32 = 0o600;
/// Mode of files that everybody may read.
pub(crate) const PUBLIC_MODE: u32 = 0o644;

/// Creates a directory and its parents for the owner only; an existing one is left unchanged.
pub(crate) fn create_directory(path: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .with_context(|| format!("the directory {} cannot be created", path.display()))
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
    let written = inherit_owner(&file, directory_of(path))
        .and_then(|()| file.write_all(content))
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a file is worse than none, and the first error is the one to tell.
        let _ = fs::remove_file(path);
    }
    written
}

/// Gives a new file to the owner of `model`, a file or directory, if this process is root: the user that
/// runs the controller could not open it otherwise.
pub(crate) fn inherit_owner(file: &File, model: &Path) -> io::Result<()> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let model = fs::metadata(model)?;
    let owner = model.uid();
    if owner == 0 || owner == file.metadata()?.uid() {
        return Ok(());
    }
    match fchown(file, Some(owner), Some(model.gid())) {
        // In containers, root may lack this right, or the owner may have no number.
        Err(error) if is_unable_to_chown(&error) => {
            tracing::warn!(
                owner,
                "a new file cannot be given to the owner of its directory: {error}"
            );
            Ok(())
        },
        done => done,
    }
}

fn is_unable_to_chown(error: &io::Error) -> bool {
    let refusals = [Errno::PERM, Errno::INVAL].map(Errno::raw_os_error);
    error
        .raw_os_error()
        .is_some_and(|code| refusals.contains(&code))
}

/// Replaces or creates a file atomically.
pub(crate) fn replace(path: &Path, content: &[u8], mode: u32) -> anyhow::Result<()> {
    rename(&write_draft(path, content, mode)?, path)
}

/// Writes a draft that [`rename`] moves to `path` later, and returns its path.
pub(crate) fn write_draft(path: &Path, content: &[u8], mode: u32) -> anyhow::Result<PathBuf> {
    let draft = draft_path(path);
    // Errors name the final path and not that of the draft.
    remove(&draft)
        .and_then(|()| write(&draft, content, mode))
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(draft)
}

/// Whether an error comes from a right that this user lacks.
pub(crate) fn is_denied(error: &anyhow::Error) -> bool {
    let mut causes = error
        .chain()
        .filter_map(|it| it.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::PermissionDenied)
}

/// Moves a file or directory to its final path durably.
pub(crate) fn rename(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::rename(from, to)
        .and_then(|()| File::open(directory_of(to))?.sync_all())
        .with_context(|| format!("{} cannot be moved into place", to.display()))
}

/// Removes a file if it exists.
pub(crate) fn remove_if_exists(path: &Path) -> anyhow::Result<()> {
    remove(path).with_context(|| format!("{} cannot be removed", path.display()))
}

/// Creates an empty directory for the owner only, and removes what an interrupted run left there.
pub(crate) fn recreate_directory(path: &Path) -> io::Result<()> {
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

/// The directory that a path is in; the working directory for a name alone.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Path of the draft of a file or directory.
pub(crate) fn draft_path(path: &Path) -> PathBuf {
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
        fs::write(draft_path(&path), "left behind").unwrap();
        for content in ["first", "second"] {
            replace(&path, content.as_bytes(), SECRET_MODE).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
            assert_eq!(
                fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                SECRET_MODE
            );
        }
        assert!(!draft_path(&path).exists());
    }
}
