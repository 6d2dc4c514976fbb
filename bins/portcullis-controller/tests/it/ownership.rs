//! What root makes beside the files of another user.

use crate::support::{Finished, Serving, finish, made, program};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

/// A user that owns nothing else.
const SERVICE: u32 = 65_533;

/// A stopped controller whose files belong to a service; `None` if this user cannot make one.
#[expect(clippy::print_stdout, reason = "tests that are skipped say so")]
fn home_of_service(folder: &Path) -> Option<PathBuf> {
    let home = folder.join("home");
    made(&home);
    let entries = fs::read_dir(&home).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.push(home.clone());
    for path in paths {
        if chown(&path, Some(SERVICE), Some(SERVICE)).is_err() {
            println!("skipped: only root gives files away");
            return None;
        }
    }
    Some(home)
}

fn belongs_to_service(path: &Path) -> bool {
    let found = fs::metadata(path).unwrap();
    (found.uid(), found.gid()) == (SERVICE, SERVICE)
}

fn succeeded(finished: &Finished) {
    assert_eq!(finished.code, Some(0), "{finished:?}");
}

#[test]
fn restored_store_belongs_to_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let Some(home) = home_of_service(folder.path()) else {
        return;
    };
    let (store, copy) = (home.join("ctrl.db.portcullis"), folder.path().join("copy"));
    fs::copy(&store, &copy).unwrap();
    let config = home.join("controller.yml");
    let restore = || {
        finish(
            program()
                .args(["backup", "restore"])
                .arg(&config)
                .arg(&copy),
        )
    };
    succeeded(&restore());
    assert!(belongs_to_service(&store));
    fs::remove_file(&store).unwrap();
    succeeded(&restore());
    assert!(belongs_to_service(&store));
}

#[test]
fn new_store_and_trail_belong_to_the_service() {
    let folder = tempfile::tempdir().unwrap();
    let Some(home) = home_of_service(folder.path()) else {
        return;
    };
    let (store, key) = (
        home.join("ctrl.db.portcullis"),
        home.join("ctrl.db.portcullis.key"),
    );
    fs::remove_file(&store).unwrap();
    fs::remove_file(&key).unwrap();
    let config = home.join("controller.yml");
    let mut init = program();
    init.arg("init").arg(&config);
    succeeded(&finish(init.args(["-u", "admin", "-p", "correct horse"])));
    let audit = home.join("audit.jsonl");
    let mut run = program();
    let mut serving = Serving::start(run.arg("run").arg(&config).arg("--audit-file").arg(&audit));
    assert!(serving.serves());
    succeeded(&serving.stop("TERM"));
    for file in [store, key, audit] {
        assert!(belongs_to_service(&file), "{}", file.display());
    }
}
