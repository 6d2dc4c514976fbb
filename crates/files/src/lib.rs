//! Atomic creation of files with restricted permissions.

use rustix::io::Errno;
use rustix::process::geteuid;
use std::error::Error;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, fchown};
use std::path::{Path, PathBuf};

/// Mode of files that hold secrets.
pub const SECRET_MODE: u32 = 0o600;
/// Mode of files that everybody may read.
pub const PUBLIC_MODE: u32 = 0o644;

/// A file or directory that could not be created, replaced or removed.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be {action}", path.display())]
pub struct FileError {
    path: PathBuf,
    action: &'static str,
    #[source]
    source: io::Error,
}

/// A directory that could not be created.
#[derive(Debug, thiserror::Error)]
#[error("the directory {} cannot be created", path.display())]
pub struct DirectoryError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

fn failed(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> FileError {
    move |source| FileError {
        path: path.to_owned(),
        action,
        source,
    }
}

/// Creates a directory and its parents for the owner only; an existing one is left unchanged.
pub fn create_directory(path: &Path) -> Result<(), DirectoryError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| DirectoryError {
            path: path.to_owned(),
            source,
        })
}

/// Writes a file that must not exist yet.
pub fn create(path: &Path, content: &[u8], mode: u32) -> Result<(), FileError> {
    write(path, content, mode).map_err(failed(path, "written"))
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

/// Creates an empty file that does not exist, not even as a link, and so is nobody else's to give
/// away, and opens it to read and write.
pub fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options
        .create_new(true)
        .read(true)
        .write(true)
        .mode(mode)
        .open(path)?;
    inherit_owner(&file, directory_of(path))?;
    Ok(file)
}

/// Gives a new file to the owner of `model`, a file or directory, if this process is root: the user that
/// runs the controller could not open it otherwise.
pub fn inherit_owner(file: &File, model: &Path) -> io::Result<()> {
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
pub fn replace(path: &Path, content: &[u8], mode: u32) -> Result<(), FileError> {
    rename(&write_draft(path, content, mode)?, path)
}

/// Writes a draft that [`rename`] moves to `path` later, and returns its path.
pub fn write_draft(path: &Path, content: &[u8], mode: u32) -> Result<PathBuf, FileError> {
    let draft = draft_path(path);
    // Errors name the final path and not that of the draft.
    remove(&draft)
        .and_then(|()| write(&draft, content, mode))
        .map_err(failed(path, "written"))?;
    Ok(draft)
}

/// Whether an error comes from a right that this user lacks.
pub fn is_denied(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |&cause| cause.source())
        .filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::PermissionDenied)
}

/// Moves a file or directory to its final path durably.
pub fn rename(from: &Path, to: &Path) -> Result<(), FileError> {
    fs::rename(from, to)
        .and_then(|()| File::open(directory_of(to))?.sync_all())
        .map_err(failed(to, "moved into place"))
}

/// Removes a file if it exists.
pub fn remove_if_exists(path: &Path) -> Result<(), FileError> {
    remove(path).map_err(failed(path, "removed"))
}

/// Creates an empty directory for the owner only, and removes what an interrupted run left there.
pub fn recreate_directory(path: &Path) -> io::Result<()> {
    remove(path)?;
    DirBuilder::new().mode(0o700).create(path)
}

/// Removes a file, or a directory with all that is in it, if it exists.
pub fn remove(path: &Path) -> io::Result<()> {
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
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Path of the draft of a file or directory.
pub fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn new_file_has_its_mode_and_takes_nobodys_place() {
        let folder = tempfile::tempdir().unwrap();
        let [path, link, target] = ["new", "link", "target"].map(|name| folder.path().join(name));
        let file = create_new(&path, 0o640).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        let kind = |path| create_new(path, 0o640).unwrap_err().kind();
        assert_eq!(kind(&path), io::ErrorKind::AlreadyExists);
        symlink(&target, &link).unwrap();
        assert_eq!(kind(&link), io::ErrorKind::AlreadyExists);
        assert!(!target.exists());
    }

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
