//! Files that only their owner may read.

mod readable;

pub(crate) use readable::write_readable;

use crate::error::CliError;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Whether a file that is there already may be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// It stays, and the command fails.
    Keep,
    /// A file is replaced, a pipe or a device is written into, and a symbolic link is followed.
    Replace,
}

/// A private file that comes into being all at once, or not at all.
///
/// It is made before the work whose result it is to hold, so that a place that cannot be written
/// is noticed before a token is spent for nothing.
#[derive(Debug)]
pub(crate) struct PrivateFile {
    way: Way,
    path: PathBuf,
}

/// How the content comes to its place.
#[derive(Debug)]
enum Way {
    /// As a file beside it, which then takes the name.
    Draft {
        draft: NamedTempFile,
        target: PathBuf,
        existing: Existing,
    },
    /// Into what is there.
    Through(File),
}

/// Why the content is not in its place, and the file that holds it all the same.
struct Misplaced {
    error: CliError,
    draft: Option<NamedTempFile>,
}

impl PrivateFile {
    /// Prepares the file `path`.
    pub(crate) fn prepare(path: &Path, existing: Existing) -> Result<Self, CliError> {
        let way = match target(path, existing)? {
            Target::File(target) => Way::Draft {
                // In the folder of the file, so that it can be renamed.
                draft: draft_in(folder(&target)).map_err(|error| unwritable(path, error))?,
                target,
                existing,
            },
            Target::Stream => {
                let stream = File::options().write(true).open(path);
                Way::Through(stream.map_err(|error| unwritable(path, error))?)
            },
        };
        Ok(Self {
            way,
            path: path.to_owned(),
        })
    }

    /// Takes up room for so many bytes, so that a full disk is noticed now and not later.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), CliError> {
        self.fill(&vec![0; bytes])
    }

    /// Writes `content` down without putting it in its place: whatever ends the program before
    /// [`PrivateFile::finish`] leaves it in the folder.
    pub(crate) fn fill(&mut self, content: &[u8]) -> Result<(), CliError> {
        match &mut self.way {
            Way::Draft { draft, .. } => write_anew(draft.as_file_mut(), content)
                .map_err(|error| unwritable(&self.path, error)),
            Way::Through(_) => Ok(()),
        }
    }

    /// Writes `content` and puts the file in its place.
    pub(crate) fn finish(self, content: &[u8]) -> Result<(), CliError> {
        self.place(content).map_err(|misplaced| misplaced.error)
    }

    /// The same for what cannot be had a second time: if it does not come to its place, it is kept
    /// in another file, which the failure names.
    pub(crate) fn finish_or_keep(self, content: &[u8]) -> Result<(), CliError> {
        self.place(content).map_err(|misplaced| {
            let draft = misplaced.draft.map_or_else(|| elsewhere(content), Ok);
            match draft.and_then(|draft| Ok(draft.into_temp_path().keep()?)) {
                Ok(kept) => misplaced.error.hint(format!(
                    "the content was saved to {}; move it to where you want it",
                    kept.display()
                )),
                Err(_) => misplaced.error.hint("the content is lost"),
            }
        })
    }

    fn place(self, content: &[u8]) -> Result<(), Misplaced> {
        let path = self.path;
        let fail = |error, draft| Misplaced {
            error: unwritable(&path, error),
            draft,
        };
        let (mut draft, target, existing) = match self.way {
            Way::Draft {
                draft,
                target,
                existing,
            } => (draft, target, existing),
            Way::Through(mut stream) => {
                return stream.write_all(content).map_err(|error| fail(error, None));
            },
        };
        write_anew(draft.as_file_mut(), content).map_err(|error| fail(error, None))?;
        let placed = match existing {
            Existing::Replace => draft.persist(&target),
            Existing::Keep => draft.persist_noclobber(&target),
        };
        placed.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => Misplaced {
                error: exists(&path),
                draft: Some(error.file),
            },
            _ => fail(error.error, Some(error.file)),
        })?;
        sync_folder(&target);
        Ok(())
    }
}

/// What a path leads to.
enum Target {
    /// A file, or the place of one.
    File(PathBuf),
    /// A pipe or a device.
    Stream,
}

/// Finds out what `path` leads to, and refuses what cannot be written.
fn target(path: &Path, existing: Existing) -> Result<Target, CliError> {
    let refuse = |reason: &str| {
        let path = path.display();
        Err(CliError::failed(format!(
            "`{path}` cannot be written: {reason}"
        )))
    };
    if names_folder(path) {
        return refuse("it is not a file name");
    }
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if folder(path).is_dir() {
                Ok(Target::File(path.to_owned()))
            } else {
                refuse(&format!(
                    "the folder {} does not exist",
                    folder(path).display()
                ))
            };
        },
        Err(error) => return Err(unwritable(path, error)),
    };
    if existing == Existing::Keep && !found.is_dir() {
        return Err(exists(path));
    }
    let meant = match fs::metadata(path) {
        Ok(meant) => meant.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return refuse("it is a dangling symbolic link");
        },
        Err(error) => return Err(unwritable(path, error)),
    };
    if meant.is_dir() {
        refuse("it is a folder")
    } else if meant.is_file() && found.is_symlink() {
        let target = fs::canonicalize(path).map_err(|error| unwritable(path, error))?;
        Ok(Target::File(target))
    } else if meant.is_file() {
        Ok(Target::File(path.to_owned()))
    } else if takes_bytes(meant) {
        Ok(Target::Stream)
    } else {
        refuse("it is neither a file nor a pipe")
    }
}

/// Whether a path is none of a file, whatever is there.
fn names_folder(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    path.file_name().is_none()
        || text.ends_with(['/', std::path::MAIN_SEPARATOR])
        || text.ends_with("/.")
}

/// Whether it can be written into as it is: a pipe, a terminal.
#[cfg(unix)]
fn takes_bytes(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn takes_bytes(_kind: fs::FileType) -> bool {
    false
}

/// Makes an empty file, with mode 0600, that goes if nobody keeps it.
fn draft_in(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".portcullis-")
        .tempfile_in(folder)
}

/// Makes a file in the folder of temporary files.
fn elsewhere(content: &[u8]) -> io::Result<NamedTempFile> {
    let mut draft = draft_in(&std::env::temp_dir())?;
    write_anew(draft.as_file_mut(), content)?;
    Ok(draft)
}

/// Writes `content` over what is in a file.
fn write_anew(file: &mut File, content: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(content)?;
    let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
    file.set_len(length)?;
    file.sync_all()
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

/// Reads a file, or the standard input for `-`.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    bytes.map_err(|error| {
        CliError::failed(format!("{} cannot be read", path.display())).because(error)
    })
}

/// Whether two paths lead to one and the same file that is there.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let is_file = |path: &Path| path != Path::new("-") && path.is_file();
    if !is_file(one) || !is_file(other) {
        return false;
    }
    let is_linked = match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => is_one_inode(&one, &other),
        _ => false,
    };
    let real = |path| fs::canonicalize(path).ok();
    is_linked || real(one).is_some_and(|one| real(other) == Some(one))
}

#[cfg(unix)]
fn is_one_inode(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_one_inode(_one: &fs::Metadata, _other: &fs::Metadata) -> bool {
    false
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
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
}

fn exists(path: &Path) -> CliError {
    CliError::failed(format!("{} already exists", path.display()))
        .hint("choose another file, or replace it with `--force`")
}

/// The file cannot be written. Errors that name a file name the draft, which nobody knows.
fn unwritable(path: &Path, error: io::Error) -> CliError {
    let error = match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    };
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

    /// Whatever stands in the way, no draft stays behind, and nothing is put in its place.
    #[test]
    fn places_of_no_file_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::create_dir(place("folder")).unwrap();
        for (path, reason) in [
            (place("folder"), "it is a folder"),
            (place("new/"), "it is not a file name"),
            (place("new/."), "it is not a file name"),
            (place(".."), "it is not a file name"),
            (PathBuf::new(), "it is not a file name"),
            (place("missing/x"), "does not exist"),
            (place(&"x".repeat(300)), "cannot be written"),
        ] {
            for existing in [Existing::Keep, Existing::Replace] {
                let error = PrivateFile::prepare(&path, existing).unwrap_err();
                assert!(error.message().contains(reason), "{}", error.message());
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_stay() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::create_dir(place("real")).unwrap();
        fs::write(place("real/x.json"), "old").unwrap();
        std::os::unix::fs::symlink("real/x.json", place("link")).unwrap();
        std::os::unix::fs::symlink("nothing", place("broken")).unwrap();
        std::os::unix::fs::symlink("real", place("folder")).unwrap();
        assert!(write(&place("link"), Existing::Keep, "new").is_err());
        write(&place("link"), Existing::Replace, "new").unwrap();
        assert_eq!(fs::read_to_string(place("real/x.json")).unwrap(), "new");
        for name in ["broken", "folder"] {
            assert!(write(&place(name), Existing::Replace, "new").is_err());
        }
        for name in ["link", "broken", "folder"] {
            assert!(fs::symlink_metadata(place(name)).unwrap().is_symlink());
        }
        assert_eq!(fs::read_dir(place("real")).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn sockets_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = PrivateFile::prepare(&path, Existing::Replace).unwrap_err();
        assert!(error.message().contains("neither a file nor a pipe"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn room_that_is_not_needed_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let mut file = PrivateFile::prepare(&path, Existing::Keep).unwrap();
        file.reserve(10_000).unwrap();
        file.finish(b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
    }

    #[test]
    fn what_cannot_be_had_again_is_kept() {
        for existing in [Existing::Keep, Existing::Replace] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("x.json");
            let file = PrivateFile::prepare(&path, existing).unwrap();
            fs::create_dir(&path).unwrap();
            let error = file.finish_or_keep(b"precious").unwrap_err();
            let others = fs::read_dir(folder.path()).unwrap();
            let mut others = others.map(|entry| entry.unwrap().path());
            let kept = others.find(|other| *other != path).unwrap();
            assert_eq!(fs::read(&kept).unwrap(), b"precious");
            let told = format!("{error:?}");
            assert!(told.contains(kept.to_str().unwrap()), "{told}");
        }
    }

    #[test]
    fn errors_name_the_file_that_was_meant() {
        let error = io::Error::new(io::ErrorKind::StorageFull, "at path \"/.tmpX\"");
        let error = unwritable(Path::new("x.json"), error);
        assert_eq!(
            error.message(),
            "x.json cannot be written: the disk is full"
        );
    }
}
