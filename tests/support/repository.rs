//! Paths in and beside the repository.

use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package lies in the workspace")
}

/// A file or folder of the shared material beside the repository, if it exists. If not, prints so,
/// and the test skips what needs it.
pub fn shared(path: &str) -> Option<PathBuf> {
    let found = root()
        .ancestors()
        .skip(1)
        .map(|folder| folder.join("shared").join(path))
        .find(|found| found.exists());
    if found.is_none() {
        // Written directly, because the test harness captures printed output.
        let _ = writeln!(
            stderr(),
            "skipped: shared/{path} is not beside the repository"
        );
    }
    found
}
