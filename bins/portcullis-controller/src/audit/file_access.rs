//! Access to the audit file, and detection of changes by other programs.

use crate::{files, store};
use anyhow::{Context as _, bail};
use rustix::fs::{Mode, OFlags};
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Mode of a new file: only for its owner.
const PRIVATE_MODE: u32 = 0o600;
/// Maximum mode that is accepted, with a warning: a group may ship the trail elsewhere.
const MAX_TOLERATED_MODE: u32 = 0o640;

/// Identity of an open file, with its original path.
#[derive(Debug)]
pub(super) struct FileIdentity {
    path: PathBuf,
    /// Device and inode, which stay the same when the file is moved.
    id: (u64, u64),
}

impl FileIdentity {
    pub(super) fn of(path: &Path, file: &File) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            id: id(&file.metadata()?),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the path now leads to another file, or to none.
    pub(super) fn is_moved(&self) -> io::Result<bool> {
        match fs::metadata(&self.path) {
            Ok(found) => Ok(id(&found) != self.id),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }
}

fn id(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Opens and locks an existing file; `None` if it does not exist.
///
/// # Errors
/// A message that says what is wrong with the file and what to do.
pub(super) fn open_existing(path: &Path) -> anyhow::Result<Option<File>> {
    let name = path.display();
    let file = match File::options().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            check_folder(path)?;
            return Ok(None);
        },
        Err(error) => {
            return Err(error).with_context(|| format!("the audit file {name} cannot be opened"));
        },
    };
    check_mode(path, &file)?;
    lock(path, &file)?;
    Ok(Some(file))
}

/// Opens an existing file to look at it, whoever has locked it; `None` if it does not exist.
///
/// # Errors
/// A message that says what is wrong with the file and what to do.
pub(super) fn open_to_read(path: &Path) -> anyhow::Result<Option<File>> {
    let name = path.display();
    // A pipe would be waited for.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    match opened.map(File::from).map_err(io::Error::from) {
        Ok(file) => {
            check_mode(path, &file)?;
            Ok(Some(file))
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            check_folder(path)?;
            Ok(None)
        },
        Err(error) => Err(error).with_context(|| format!("the audit file {name} cannot be opened")),
    }
}

/// Creates a file, or opens an existing empty one.
///
/// # Errors
/// A message that says what is wrong and what to do.
pub(super) fn create(path: &Path) -> anyhow::Result<File> {
    let name = path.display();
    let file = match files::create_new(path, PRIVATE_MODE) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => open_no_link(path),
        created => created,
    };
    let file = file.with_context(|| format!("the audit file {name} cannot be created"))?;
    check_mode(path, &file)?;
    lock(path, &file)?;
    let metadata = file.metadata();
    let metadata = metadata
        .with_context(|| format!("the metadata of the audit file {name} cannot be read"))?;
    if metadata.len() != 0 {
        bail!(
            "another program created the file {name}, where the audit trail would continue; move \
             it away, and a new one is created"
        );
    }
    // Otherwise a power loss could remove the new file.
    let synced = File::open(files::directory_of(path)).and_then(|directory| directory.sync_all());
    synced.with_context(|| format!("the directory of the audit file {name} cannot be written"))?;
    Ok(file)
}

fn open_no_link(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Checks that no other process changed the length of the file.
pub(super) fn check_length(expected: u64, found: u64, is_dirty: bool) -> io::Result<()> {
    if found < expected {
        return Err(io::Error::other(format!(
            "another program truncated the audit file from {expected} to {found} bytes; move it \
             away, and the trail continues in a new one. Rotate it by moving it, not by copying \
             and truncating"
        )));
    }
    if found > expected && !is_dirty {
        return Err(io::Error::other(format!(
            "another program added {} bytes to the audit file; find out which one, and move the \
             file away: the trail continues in a new one",
            found - expected
        )));
    }
    Ok(())
}

fn check_folder(path: &Path) -> anyhow::Result<()> {
    if !files::directory_of(path).is_dir() {
        bail!(
            "the audit file {} cannot be created: its directory does not exist",
            path.display()
        );
    }
    Ok(())
}

fn lock(path: &Path, file: &File) -> anyhow::Result<()> {
    let name = path.display();
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => bail!(
            "the audit file {name} is in use by {}; give each controller a file of its own",
            store::describe_lock_holder(path)
        ),
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("the audit file {name} cannot be locked"))
        },
    }
}

/// Checks that other users can neither read nor change the file.
fn check_mode(path: &Path, file: &File) -> anyhow::Result<()> {
    let name = path.display();
    let metadata = file.metadata();
    let metadata = metadata
        .with_context(|| format!("the metadata of the audit file {name} cannot be read"))?;
    if !metadata.is_file() {
        bail!("the audit file {name} is not a regular file; name an existing or a new file");
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & !MAX_TOLERATED_MODE != 0 {
        bail!(
            "the audit file {name} has mode {mode:o}; set it to mode 600, for its owner alone, or to \
             640 if its group is to read it"
        );
    }
    if mode & !PRIVATE_MODE != 0 {
        tracing::warn!(
            file = %name,
            "the audit file can be read by its group (mode {mode:o}); set it to mode 600 unless that \
             is meant, as for a program that ships logs"
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Root would give what it leads to away, to the owner of the directory.
    #[test]
    fn link_in_place_of_a_new_file_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let [link, target] = ["audit.jsonl", "target"].map(|name| directory.path().join(name));
        symlink(&target, &link).unwrap();
        assert!(create(&link).is_err());
        assert!(!target.exists());
        fs::write(&target, "").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(PRIVATE_MODE)).unwrap();
        assert!(create(&link).is_err());

        fs::remove_file(&link).unwrap();
        create(&link).unwrap();
        create(&link).unwrap();
    }
}
