//! The binaries under test.
//!
//! Cargo sets the paths of binaries only for tests of the same package. These tests are in another
//! one, so they look relative to their own executable: it is in `target/PROFILE/deps`, the binaries
//! are in `target/PROFILE`. Beside each binary cargo writes a list of its sources (`NAME.d`). A
//! binary that is missing, or older than one of its sources, is built with `cargo build` and the
//! same profile. A lock file prevents concurrent builds by tests in other processes.

use crate::repository;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

/// Packages of the binaries; each has one binary of the same name.
const PACKAGES: [&str; 2] = ["portcullis-controller", "portcullis"];

/// The controller.
pub fn controller() -> PathBuf {
    folder().join("portcullis-controller")
}

/// The command line tool.
pub fn cli() -> PathBuf {
    folder().join("portcullis")
}

/// The folder with up-to-date binaries.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = profile_folder();
        let lock = File::create(folder.join(".portcullis-tests.lock")).expect("the lock is made");
        lock.lock().expect("the lock is had");
        if PACKAGES.iter().any(|name| is_stale(&folder.join(name))) {
            build(&folder);
        }
        folder
    })
}

fn profile_folder() -> PathBuf {
    let own = env::current_exe().expect("the test knows its executable");
    own.ancestors()
        .find(|folder| folder.ends_with("deps"))
        .and_then(Path::parent)
        .expect("test executables lie in target/PROFILE/deps")
        .to_owned()
}

/// Whether a binary is missing, or older than one of its sources.
fn is_stale(binary: &Path) -> bool {
    let Ok(built) = modified(binary) else {
        return true;
    };
    let Ok(list) = fs::read_to_string(binary.with_extension("d")) else {
        return true;
    };
    sources(&list).any(|source| modified(&source).map_or(true, |time| time > built))
}

fn modified(path: &Path) -> std::io::Result<SystemTime> {
    fs::metadata(path)?.modified()
}

/// The sources in a dependency list: one line `BINARY: SOURCE SOURCE…`, spaces in names escaped.
fn sources(list: &str) -> impl Iterator<Item = PathBuf> {
    let sources = list.split_once(": ").map_or("", |(_, sources)| sources);
    sources
        .replace("\\ ", "\0")
        .split_whitespace()
        .map(|source| PathBuf::from(source.replace('\0', " ")))
        .collect::<Vec<_>>()
        .into_iter()
}

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
        .args(["build", "--quiet", "--bins", "--profile", profile])
        .arg("--target-dir")
        .arg(target)
        .args(PACKAGES.iter().flat_map(|package| ["--package", package]));
    let status = command.status().expect("cargo can be started");
    assert!(status.success(), "{command:?} failed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_sources_are_read() {
        let found: Vec<_> = sources("/t/bin: /w/a.rs /w/with\\ blank.rs\n").collect();
        assert_eq!(found, [Path::new("/w/a.rs"), Path::new("/w/with blank.rs")]);
        assert_eq!(sources("").count(), 0);
    }

    #[test]
    fn binaries_older_than_their_sources_are_stale() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(is_stale(&at("bin")), "there is none");
        fs::write(at("source.rs"), "").unwrap();
        fs::write(at("bin"), "").unwrap();
        assert!(is_stale(&at("bin")), "nothing says what it is made from");
        fs::write(at("bin.d"), format!("bin: {}\n", at("source.rs").display())).unwrap();
        assert!(!is_stale(&at("bin")));
        let later = modified(&at("bin")).unwrap() + std::time::Duration::from_secs(1);
        File::options()
            .write(true)
            .open(at("source.rs"))
            .unwrap()
            .set_modified(later)
            .unwrap();
        assert!(is_stale(&at("bin")));
        fs::remove_file(at("source.rs")).unwrap();
        assert!(is_stale(&at("bin")), "a source is gone");
    }
}
