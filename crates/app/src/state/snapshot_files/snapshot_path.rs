//! Paths of store copies, confined to the directory of the store.

use portcullis_domain::FieldError;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Maximum length of a path, bytes.
const MAX_PATH_BYTES: usize = 1024;

/// Reason of an error, to be completed with field and value.
type Reason = &'static str;

/// Resolves the requested path, relative to the directory of the store.
///
/// # Errors
///
/// [`FieldError`] for `path`. A process with write access to the directory could replace a checked
/// part by a symbolic link; callers of the API cannot.
pub(super) fn resolve_requested(store: &Path, requested: &str) -> Result<PathBuf, FieldError> {
    let fault = |reason: Reason| {
        let shown: String = requested.chars().take(64).collect();
        FieldError::new("path", reason, shown)
    };
    let names = parse_components(requested).map_err(fault)?;
    let Some((name, folders)) = names.split_last() else {
        return Err(fault("must name a file"));
    };
    if is_reserved(store, name) {
        return Err(fault(
            "must not be the name of a file that the database uses itself",
        ));
    }
    let mut path = directory_of(store).to_owned();
    for folder in folders {
        path.push(folder);
        check_directory(&path).map_err(fault)?;
    }
    path.push(name);
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(path),
        Err(_) => Err(fault("could not be accessed")),
        Ok(_) => Err(fault("must name a file that does not exist yet")),
    }
}

/// The directory of the store.
pub(super) fn directory_of(store: &Path) -> &Path {
    match store.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The components of a path, none of which leads upwards.
fn parse_components(requested: &str) -> Result<Vec<&OsStr>, Reason> {
    if requested.len() > MAX_PATH_BYTES {
        return Err("is too long");
    }
    if requested.chars().any(char::is_control) {
        return Err("must not contain control characters");
    }
    if requested.ends_with('/') {
        return Err("must name a file");
    }
    let components = Path::new(requested).components();
    let names = components.map(|component| match component {
        Component::Normal(name) => Ok(name),
        Component::CurDir => Err("must not begin with `.`"),
        Component::ParentDir => Err("must not contain `..`"),
        Component::RootDir | Component::Prefix(_) => {
            Err("must be relative to the directory of the database")
        },
    });
    names.collect()
}

/// Whether a name is that of the store or of one of its own files, such as its key.
fn is_reserved(store: &Path, name: &OsStr) -> bool {
    let Some(own) = store.file_name() else {
        return false;
    };
    let rest = name.as_encoded_bytes().strip_prefix(own.as_encoded_bytes());
    matches!(rest, Some([] | [b'.', ..]))
}

fn check_directory(path: &Path) -> Result<(), Reason> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) if found.is_symlink() => Err("must not contain a symbolic link"),
        Ok(_) => Err("must consist of directories, followed by a file name"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("must be in a directory that exists")
        },
        Err(_) => Err("is in a directory that could not be accessed"),
    }
}
