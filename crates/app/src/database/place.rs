//! Where a copy of the store may be put: in the folder of the store or below it, and nowhere else.

use portcullis_domain::FieldError;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Longest path that is taken, bytes.
const LONGEST: usize = 1024;

/// What is wrong with a path, before it has a name and a value.
type Reason = &'static str;

/// Finds the place that `wish` names, relative to the folder of the store.
///
/// # Errors
///
/// Says what is wrong with the member `path`. Whoever can write in the folder of the store could put
/// a symbolic link there after it was looked at; callers of the API cannot.
pub(super) fn wished(store: &Path, wish: &str) -> Result<PathBuf, FieldError> {
    let fault = |reason: Reason| {
        let shown: String = wish.chars().take(64).collect();
        FieldError::new("path", reason, shown)
    };
    let names = names(wish).map_err(fault)?;
    let Some((name, folders)) = names.split_last() else {
        return Err(fault("must name a file"));
    };
    if is_kept(store, name) {
        return Err(fault(
            "must not be the name of a file that the database uses itself",
        ));
    }
    let mut place = folder(store).to_owned();
    for folder in folders {
        place.push(folder);
        check_folder(&place).map_err(fault)?;
    }
    place.push(name);
    match place.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(place),
        Err(_) => Err(fault("could not be accessed")),
        Ok(_) => Err(fault("must name a file that does not exist yet")),
    }
}

/// The folder of the store.
pub(super) fn folder(store: &Path) -> &Path {
    match store.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The names that a path is made of, none of which leads upwards.
fn names(wish: &str) -> Result<Vec<&OsStr>, Reason> {
    if wish.len() > LONGEST {
        return Err("is too long");
    }
    if wish.chars().any(char::is_control) {
        return Err("must not contain control characters");
    }
    if wish.ends_with('/') {
        return Err("must name a file");
    }
    let components = Path::new(wish).components();
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

/// Whether a name is that of the store, or of a file that belongs to it: its key, a draft.
fn is_kept(store: &Path, name: &OsStr) -> bool {
    let Some(own) = store.file_name() else {
        return false;
    };
    let rest = name.as_encoded_bytes().strip_prefix(own.as_encoded_bytes());
    matches!(rest, Some([] | [b'.', ..]))
}

fn check_folder(place: &Path) -> Result<(), Reason> {
    match place.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(found) if found.is_symlink() => Err("must not contain a symbolic link"),
        Ok(_) => Err("must consist of directories, followed by a file name"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("must be in a directory that exists")
        },
        Err(_) => Err("is in a directory that could not be accessed"),
    }
}
