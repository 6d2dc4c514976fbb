//! Directories that are written aside and put in place as a whole.

use crate::files::{self, create_directory, rename};
use anyhow::{Context as _, bail, ensure};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What file systems put at their top by themselves.
const LOST_AND_FOUND: &str = "lost+found";

/// A directory that is being written. It is removed when it is dropped.
pub(crate) struct DirectoryDraft {
    temporary: TempDir,
    target: PathBuf,
    /// Whether the target is a directory already, which is then empty.
    exists: bool,
}

/// A directory that was put in place.
pub(crate) struct PlacedDirectory {
    target: PathBuf,
    /// What was moved into a directory that existed before.
    moved: Option<Vec<PathBuf>>,
}

impl DirectoryDraft {
    /// Begins a draft of `target`, an absolute path of an empty directory or of nothing.
    pub(crate) fn begin(target: &Path) -> anyhow::Result<Self> {
        let exists = is_empty_directory(target)?;
        // On the same file system as the target, so that it can be moved there.
        let beside = if exists {
            target
        } else {
            let mut above = target.ancestors().skip(1);
            above.find(|path| path.exists()).unwrap_or(Path::new("/"))
        };
        ensure!(
            beside.is_dir(),
            "{} cannot be created: {} is no directory",
            target.display(),
            beside.display()
        );
        let temporary = tempfile::Builder::new()
            .prefix(".portcullis-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(beside)
            .with_context(|| format!("{} cannot be written", target.display()))?;
        Ok(Self {
            temporary,
            target: target.to_owned(),
            exists,
        })
    }

    /// Where to write.
    pub(crate) fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Puts the directory in place. In one that exists, the entry `last` comes after all others.
    pub(crate) fn put_in_place(self, last: &OsStr) -> anyhow::Result<PlacedDirectory> {
        let written = self.path();
        File::open(written)
            .and_then(|directory| directory.sync_all())
            .with_context(|| format!("{} cannot be written", self.target.display()))?;
        if !self.exists {
            if let Some(parent) = self.target.parent() {
                create_directory(parent)?;
            }
            rename(written, &self.target)?;
            // Nothing is there any more that could be removed.
            let _moved = self.temporary.keep();
            return Ok(PlacedDirectory {
                target: self.target,
                moved: None,
            });
        }
        let mut entries = fs::read_dir(written)
            .and_then(|entries| {
                entries
                    .map(|entry| Ok(entry?.file_name()))
                    .collect::<io::Result<Vec<_>>>()
            })
            .with_context(|| format!("{} cannot be read", written.display()))?;
        entries.sort_by_key(|name| name == last);
        let mut placed = PlacedDirectory {
            target: self.target.clone(),
            moved: Some(Vec::new()),
        };
        for name in entries {
            let to = self.target.join(&name);
            if let Err(error) = rename(&written.join(&name), &to) {
                placed.remove();
                return Err(error.into());
            }
            placed.moved.get_or_insert_default().push(to);
        }
        Ok(placed)
    }
}

impl PlacedDirectory {
    /// Takes everything away again, as far as that is possible.
    pub(crate) fn remove(self) {
        let Some(moved) = self.moved else {
            let _gone = fs::remove_dir_all(&self.target);
            return;
        };
        for path in moved {
            let _gone = files::remove(&path);
        }
    }
}

/// Whether `path` is an empty directory; `false` if there is nothing.
///
/// # Errors
/// If something else is there.
pub(crate) fn is_empty_directory(path: &Path) -> anyhow::Result<bool> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            ensure!(
                fs::symlink_metadata(path).is_err(),
                "{} is a broken symbolic link",
                path.display()
            );
            return Ok(false);
        },
        Err(_) if path.is_file() => bail!("{} is a file; name a directory", path.display()),
        // Something above it is a file.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(false),
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", path.display()));
        },
    };
    let is_empty = entries
        .map(|entry| entry.map(|entry| entry.file_name()))
        .all(|name| name.is_ok_and(|name| name == LOST_AND_FOUND));
    ensure!(
        is_empty,
        "the directory {} is not empty; name an empty one, or one that does not exist yet",
        path.display()
    );
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn directory_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty");
        fs::create_dir(&empty).unwrap();
        for target in [folder.path().join("a/b/new"), empty] {
            let draft = DirectoryDraft::begin(&target).unwrap();
            fs::write(draft.path().join("key"), "1").unwrap();
            drop(draft);
            assert!(!target.exists() || names(&target).is_empty());

            let draft = DirectoryDraft::begin(&target).unwrap();
            fs::create_dir(draft.path().join("pki")).unwrap();
            fs::write(draft.path().join("last"), "2").unwrap();
            draft.put_in_place(OsStr::new("last")).unwrap();
            assert_eq!(names(&target), ["last", "pki"]);
        }
        assert_eq!(names(folder.path()), ["a", "empty"]);
    }

    #[test]
    fn what_was_put_in_place_can_be_taken_away() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty");
        fs::create_dir(&empty).unwrap();
        for target in [folder.path().join("new"), empty] {
            let draft = DirectoryDraft::begin(&target).unwrap();
            fs::write(draft.path().join("key"), "1").unwrap();
            draft.put_in_place(OsStr::new("key")).unwrap().remove();
        }
        assert_eq!(names(folder.path()), ["empty"]);
        assert!(names(&folder.path().join("empty")).is_empty());
    }

    #[test]
    fn what_is_there_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "mine").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let refused = |path: &Path| DirectoryDraft::begin(path).err().unwrap().to_string();
        assert!(refused(folder.path()).contains("is not empty"));
        assert!(refused(&file).contains("is a file"));
        assert!(refused(&file.join("below")).contains("is no directory"));
        assert!(refused(&link).contains("broken symbolic link"));
        assert_eq!(names(folder.path()), ["file", "link"]);
    }
}
