//! Places in and beside the repository.

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package lies in the workspace")
}

/// A file or folder of the shared material beside the repository, if it is there.
pub fn shared(path: &str) -> Option<PathBuf> {
    root()
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("shared").join(path))
        .find(|found| found.exists())
}
