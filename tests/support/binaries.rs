//! The binaries under test.
//!
//! Cargo sets the paths of binaries only for tests of the same package. These tests are in another
//! one, so they look relative to their own executable: it is in `target/PROFILE/deps`, the binaries
//! are in `target/PROFILE`. Each test program asks cargo for them once, so that they are never stale.

use crate::repository;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The controller.
pub fn controller() -> PathBuf {
    folder().join("portcullis-controller")
}

/// The command line tool.
pub fn cli() -> PathBuf {
    folder().join("portcullis")
}

/// The router.
pub fn router() -> PathBuf {
    folder().join("portcullis-router")
}

/// The tunneler.
pub fn tunnel() -> PathBuf {
    folder().join("portcullis-tunnel")
}

/// The folder with up-to-date binaries.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = profile_folder();
        build(&folder);
        folder
    })
}

/// The folder of what is built for this test, in the target directory.
pub(crate) fn profile_folder() -> PathBuf {
    let own = env::current_exe().expect("the test knows its executable");
    own.ancestors()
        .find(|folder| folder.ends_with("deps"))
        .and_then(Path::parent)
        .expect("test executables lie in target/PROFILE/deps")
        .to_owned()
}

/// Builds the binaries with the features that `cargo test --workspace` gives their dependencies, so
/// that nothing is left to compile after it.
///
/// These are the features that all packages and their dev-dependencies ask for together. Cargo counts
/// dev-dependencies only if a test or an example is to be built: `counted` is a small one.
fn build(folder: &Path) {
    let name = folder.file_name().and_then(|name| name.to_str());
    let profile = match name.expect("the profile's folder has a name") {
        "debug" => "dev",
        other => other,
    };
    let target = folder
        .parent()
        .expect("the profile's folder lies in the target folder");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .current_dir(repository::root())
        .args(["build", "--quiet", "--workspace", "--profile", profile])
        .args(["--bin", "portcullis-controller", "--bin", "portcullis"])
        .args(["--bin", "portcullis-router", "--bin", "portcullis-tunnel"])
        .args(["--example", "counted"])
        .arg("--target-dir")
        .arg(target);
    let status = command.status().expect("cargo can be started");
    assert!(status.success(), "{command:?} failed");
}
