//! Files of the workspace, and invocation of cargo.

use anyhow::Context as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Root folder of the workspace, two levels above this crate.
pub(crate) fn root() -> anyhow::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .context("the crate is not inside a workspace")
}

/// Command for the cargo that runs this program.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Reads a file of the workspace.
pub(crate) fn read(root: &Path, path: impl AsRef<Path>) -> anyhow::Result<String> {
    let path = path.as_ref();
    std::fs::read_to_string(root.join(path))
        .with_context(|| format!("{} cannot be read", path.display()))
}
