//! Atomic writes of private files.

mod readable;

pub(crate) use readable::write_readable;

use crate::error::CliError;
use portcullis_enrollment::jwt_form;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What to do with an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Keep it and fail.
    Keep,
    /// Replace a file, write into a pipe or device, and follow a symbolic link.
    Replace,
}

impl Existing {
    /// What `--force` stands for.
    pub(crate) fn with_force(is_forced: bool) -> Self {
        if is_forced { Self::Replace } else { Self::Keep }
    }
}

/// A private file (mode 0600) that is written atomically.
///
/// Prepared before the operation whose result it stores, so that an unwritable path is noticed
/// before, for example, a one-time token is spent.
#[derive(Debug)]
pub(crate) struct PrivateFile {
    mode: WriteMode,
    path: PathBuf,
}

/// How the content is written.
#[derive(Debug)]
enum WriteMode {
    /// To a temporary file in the same directory, which is then renamed.
    Rename {
        draft: NamedTempFile,
        target: PathBuf,
        existing: Existing,
    },
    /// Directly into the existing pipe or device.
    InPlace(File),
}

/// A failed write, with the temporary file if it still holds the content.
struct FinishError {
    error: CliError,
    draft: Option<NamedTempFile>,
}

/// A file name that resembles the name of an entity, which may contain anything.
pub(crate) fn name_for(entity: &str, extension: &str) -> String {
    let is_plain =
        |character: char| character.is_alphanumeric() || matches!(character, '-' | '_' | '.');
    let plain = entity.chars().map(|character| match character {
        plain if is_plain(plain) => plain,
        _ => '_',
    });
    let plain: String = plain.collect();
    // Neither hidden nor mistaken for an option.
    match plain.trim_start_matches(['-', '.']) {
        "" => format!("token.{extension}"),
        name => format!("{name}.{extension}"),
    }
}

impl PrivateFile {
    /// Prepares to write `path`.
    pub(crate) fn prepare(path: &Path, existing: Existing) -> Result<Self, CliError> {
        let way = match resolve_target(path, existing)? {
            WriteTarget::File(target) => WriteMode::Rename {
                // In the same directory, so that it can be renamed.
                draft: create_draft(parent_dir(&target))
                    .map_err(|error| write_error(path, error))?,
                target,
                existing,
            },
            WriteTarget::Stream => {
                let stream = File::options().write(true).open(path);
                WriteMode::InPlace(stream.map_err(|error| write_error(path, error))?)
            },
        };
        Ok(Self {
            mode: way,
            path: path.to_owned(),
        })
    }

    /// Allocates disk space, so that a full disk is noticed early.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), CliError> {
        self.write_draft(&vec![0; bytes])
    }

    /// Writes `content` to the temporary file. It survives if the program ends before
    /// [`PrivateFile::finish`].
    pub(crate) fn write_draft(&mut self, content: &[u8]) -> Result<(), CliError> {
        match &mut self.mode {
            WriteMode::Rename { draft, .. } => overwrite(draft.as_file_mut(), content)
                .map_err(|error| write_error(&self.path, error)),
            WriteMode::InPlace(_) => Ok(()),
        }
    }

    /// Writes `content` and renames the file into place.
    pub(crate) fn finish(self, content: &[u8]) -> Result<(), CliError> {
        self.persist(content).map_err(|misplaced| misplaced.error)
    }

    /// Like [`PrivateFile::finish`], for content that cannot be obtained again: on failure it is
    /// saved to another file, which the error names.
    pub(crate) fn finish_or_preserve(self, content: &[u8]) -> Result<(), CliError> {
        self.persist(content).map_err(|misplaced| {
            let draft = misplaced
                .draft
                .map_or_else(|| create_draft_in_temp_dir(content), Ok);
            match draft.and_then(|draft| Ok(draft.into_temp_path().keep()?)) {
                Ok(kept) => misplaced.error.hint(format!(
                    "the content was saved to {}; move it to the intended location",
                    kept.display()
                )),
                Err(_) => misplaced.error.hint("the content is lost"),
            }
        })
    }

    fn persist(self, content: &[u8]) -> Result<(), FinishError> {
        let path = self.path;
        let fail = |error, draft| FinishError {
            error: write_error(&path, error),
            draft,
        };
        let (mut draft, target, existing) = match self.mode {
            WriteMode::Rename {
                draft,
                target,
                existing,
            } => (draft, target, existing),
            WriteMode::InPlace(mut stream) => {
                return stream.write_all(content).map_err(|error| fail(error, None));
            },
        };
        overwrite(draft.as_file_mut(), content).map_err(|error| fail(error, None))?;
        let placed = match existing {
            Existing::Replace => draft.persist(&target),
            Existing::Keep => draft.persist_noclobber(&target),
        };
        placed.map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => FinishError {
                error: already_exists(&path),
                draft: Some(error.file),
            },
            _ => fail(error.error, Some(error.file)),
        })?;
        sync_parent_dir(&target);
        Ok(())
    }
}

/// What a path refers to.
enum WriteTarget {
    /// A file, existing or not.
    File(PathBuf),
    Stream,
}

/// Resolves `path`, rejecting what cannot be written.
fn resolve_target(path: &Path, existing: Existing) -> Result<WriteTarget, CliError> {
    let refuse = |reason: &str| {
        let path = path.display();
        Err(CliError::failed(format!(
            "`{path}` cannot be written: {reason}"
        )))
    };
    if is_directory_path(path) {
        return refuse("it is not a file name");
    }
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if parent_dir(path).is_dir() {
                Ok(WriteTarget::File(path.to_owned()))
            } else {
                Err(missing_directory(path))
            };
        },
        Err(error) => return Err(write_error(path, error)),
    };
    if existing == Existing::Keep && !found.is_dir() {
        return Err(already_exists(path));
    }
    let resolved = match fs::metadata(path) {
        Ok(meant) => meant.file_type(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return refuse("it is a dangling symbolic link");
        },
        Err(error) => return Err(write_error(path, error)),
    };
    if resolved.is_dir() {
        refuse("it is a directory")
    } else if resolved.is_file() && found.is_symlink() {
        let target = fs::canonicalize(path).map_err(|error| write_error(path, error))?;
        Ok(WriteTarget::File(target))
    } else if resolved.is_file() {
        Ok(WriteTarget::File(path.to_owned()))
    } else if is_stream(resolved) {
        Ok(WriteTarget::Stream)
    } else {
        refuse("it is neither a file nor a pipe")
    }
}

/// Whether a path can only name a directory.
fn is_directory_path(path: &Path) -> bool {
    let text = path.as_os_str().to_string_lossy();
    path.file_name().is_none()
        || text.ends_with(['/', std::path::MAIN_SEPARATOR])
        || text.ends_with("/.")
}

/// Whether it is a pipe or character device.
#[cfg(unix)]
fn is_stream(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_fifo() || kind.is_char_device()
}

#[cfg(not(unix))]
fn is_stream(_kind: fs::FileType) -> bool {
    false
}

/// Options under which a new file gets mode 0600.
pub(crate) fn private_options() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty temporary file with mode 0600.
fn create_draft(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".portcullis-")
        .tempfile_in(folder)
}

/// Saves `content` in the system's temporary directory.
fn create_draft_in_temp_dir(content: &[u8]) -> io::Result<NamedTempFile> {
    let mut draft = create_draft(&std::env::temp_dir())?;
    overwrite(draft.as_file_mut(), content)?;
    Ok(draft)
}

/// Replaces the content of a file.
fn overwrite(file: &mut File, content: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(content)?;
    let length = u64::try_from(content.len()).unwrap_or(u64::MAX);
    file.set_len(length)?;
    file.sync_all()
}

/// Reads a text file, or standard input for `-`.
pub(crate) fn read_text(path: &Path) -> Result<String, CliError> {
    let text = if path == Path::new("-") {
        io::read_to_string(io::stdin())
    } else {
        fs::read_to_string(path)
    };
    text.map_err(|error| read_error(path, error))
}

fn read_error(path: &Path, error: io::Error) -> CliError {
    let name = path.file_name().and_then(OsStr::to_str);
    if name.is_some_and(jwt_form::is_certain) {
        // The token is a secret.
        return CliError::usage("the argument is a token, not a file with a token")
            .hint("give the file that contains it, or pipe it in and give `-`");
    }
    CliError::failed(format!("{} cannot be read", path.display())).with_source(error)
}

/// Reads a file, or standard input for `-`.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    bytes.map_err(|error| read_error(path, error))
}

/// Whether two paths refer to the same existing file.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let is_file = |path: &Path| path != Path::new("-") && path.is_file();
    if !is_file(one) || !is_file(other) {
        return false;
    }
    let is_linked = match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => is_same_inode(&one, &other),
        _ => false,
    };
    let real = |path| fs::canonicalize(path).ok();
    is_linked || real(one).is_some_and(|one| real(other) == Some(one))
}

#[cfg(unix)]
fn is_same_inode(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same_inode(_one: &fs::Metadata, _other: &fs::Metadata) -> bool {
    false
}

/// The directory of a file.
pub(crate) fn parent_dir(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The error for a file that cannot be created for want of its directory.
pub(crate) fn missing_directory(path: &Path) -> CliError {
    let directory = parent_dir(path).display();
    CliError::failed(format!("`{}` cannot be written", path.display()))
        .with_source(anyhow::anyhow!("the directory {directory} does not exist"))
}

/// Makes the rename durable. Errors are ignored: not every file system supports this, and the
/// content is safe.
fn sync_parent_dir(path: &Path) {
    if let Ok(folder) = File::open(parent_dir(path)) {
        let _ = folder.sync_all();
    }
}

fn already_exists(path: &Path) -> CliError {
    CliError::failed(format!("{} already exists", path.display()))
        .hint("choose another file, or overwrite it with `--force`")
}

/// A write error for `path`. The path in `error`, that of a temporary file, is dropped.
pub(crate) fn write_error(path: &Path, error: io::Error) -> CliError {
    let error = match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    };
    let is_full = matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    );
    let failed = format!("{} cannot be written", path.display());
    let told = CliError::failed(failed).with_source(error);
    if is_full {
        told.hint("make room on the disk")
    } else {
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, existing: Existing, content: &str) -> Result<(), CliError> {
        PrivateFile::prepare(path, existing)?.finish(content.as_bytes())
    }

    #[test]
    fn file_names_are_harmless() {
        for (entity, file) in [
            ("laptop", "laptop.jwt"),
            ("größe 2", "größe_2.jwt"),
            ("../../etc/x", "_.._etc_x.jwt"),
            ("-rf", "rf.jwt"),
            ("\u{1b}[2J\u{202e}", "__2J_.jwt"),
            ("..", "token.jwt"),
        ] {
            assert_eq!(name_for(entity, "jwt"), file, "{entity:?}");
        }
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

    /// No temporary file is left behind.
    #[test]
    fn places_of_no_file_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        fs::create_dir(place("folder")).unwrap();
        for (path, reason) in [
            (place("folder"), "it is a directory"),
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
            let error = file.finish_or_preserve(b"precious").unwrap_err();
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
        let error = write_error(Path::new("x.json"), error);
        assert_eq!(
            error.message(),
            "x.json cannot be written: the disk is full"
        );
    }
}
