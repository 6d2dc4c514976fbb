//! Copies of the store, verified and put in its place.

use crate::support::{Finished, finish, made, mode, program, quickstart};
use std::fs;
use std::path::{Path, PathBuf};

struct Site {
    _folder: tempfile::TempDir,
    home: PathBuf,
    copy: PathBuf,
}

impl Site {
    /// A network, and a copy of its store.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (home, copy) = (folder.path().join("home"), folder.path().join("copy"));
        made(&home);
        fs::copy(home.join("ctrl.db.portcullis"), &copy).unwrap();
        Self {
            _folder: folder,
            home,
            copy,
        }
    }

    fn store(&self) -> PathBuf {
        self.home.join("ctrl.db.portcullis")
    }

    fn verify(&self, copy: &Path) -> Finished {
        let config = self.home.join("controller.yml");
        finish(
            program()
                .args(["backup", "verify"])
                .arg(copy)
                .arg("--config")
                .arg(config),
        )
    }

    fn restore(&self, copy: &Path) -> Finished {
        let config = self.home.join("controller.yml");
        finish(program().args(["backup", "restore"]).arg(config).arg(copy))
    }

    /// Files beside the store whose names begin like its own.
    fn beside(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.home).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut found: Vec<_> = paths
            .filter(|path| path.to_str().unwrap().contains("ctrl.db.portcullis"))
            .collect();
        found.sort();
        found
    }
}

#[test]
fn name_of_a_copy_does_not_reach_the_terminal_as_it_is() {
    let site = Site::new();
    let copy = site.copy.with_file_name("co\u{1b}[2J\u{202e}py");
    fs::rename(&site.copy, &copy).unwrap();
    let verified = site.verify(&copy);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(
        verified.stdout.contains("co\\u{1b}[2J\\u{202e}py: intact"),
        "{verified:?}"
    );
}

#[test]
fn copy_takes_the_place_of_the_store_which_is_kept() {
    let site = Site::new();
    let kept = fs::read(&site.copy).unwrap();
    let checked = site.verify(&site.copy);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(
        checked.stdout.contains(": intact; the sealing key"),
        "{checked:?}"
    );
    let config = site.home.join("controller.yml");
    let mut reset = program();
    reset.args(["admin", "reset-password"]).arg(config);
    assert_eq!(
        finish(reset.args(["admin", "-p", "another horse"])).code,
        Some(0)
    );
    let changed = fs::read(site.store()).unwrap();
    assert_ne!(changed, kept);

    let restored = site.restore(&site.copy);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(fs::read(site.store()).unwrap(), kept);
    assert_eq!(mode(&site.store()), 0o600);
    let beside = site.beside();
    let [_store, _key, replaced] = beside.as_slice() else {
        panic!("{beside:?}")
    };
    assert!(
        replaced.to_str().unwrap().contains(".replaced-"),
        "{replaced:?}"
    );
    assert_eq!(fs::read(replaced).unwrap(), changed);
    assert_eq!(quickstart(&site.home).stop("TERM").code, Some(0));
    assert_eq!(fs::read(&site.copy).unwrap(), kept, "it is only read");
}

#[test]
fn lost_store_is_restored() {
    let site = Site::new();
    fs::remove_file(site.store()).unwrap();
    let restored = site.restore(&site.copy);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(quickstart(&site.home).stop("TERM").code, Some(0));
}

#[test]
fn what_is_no_intact_copy_changes_nothing() {
    let site = Site::new();
    let store = fs::read(site.store()).unwrap();
    let other = Site::new();
    let bad = site.home.with_file_name("bad");
    fs::write(&bad, &store[..store.len() / 2]).unwrap();
    let empty = site.home.with_file_name("empty");
    fs::write(&empty, "").unwrap();
    for (copy, why) in [
        (&bad, "not a readable store"),
        (&empty, "no copy of a store"),
        (&site.home, "no copy of a store"),
        (&site.home.with_file_name("missing"), "cannot be read"),
        (&other.copy, "does not open the secrets"),
    ] {
        site.verify(copy).failed_with(&[why]);
        site.restore(copy).failed_with(&[why]);
    }
    site.restore(&site.store())
        .failed_with(&["is the store itself"]);
    let config = site.home.join("controller.yml");
    site.verify(&config).failed_with(&["not a readable store"]);
    assert_eq!(fs::read(site.store()).unwrap(), store);
    assert_eq!(site.beside().len(), 2, "{:?}", site.beside());
}

#[test]
fn running_controller_keeps_its_store() {
    let site = Site::new();
    let serving = quickstart(&site.home);
    site.restore(&site.copy)
        .failed_with(&["in use", "stop the controller first"]);
    assert_eq!(serving.stop("TERM").code, Some(0));
    assert_eq!(site.beside().len(), 2, "{:?}", site.beside());
}
