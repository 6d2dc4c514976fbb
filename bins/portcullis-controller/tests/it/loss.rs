//! Stores that are lost.

use crate::support::{finish, made, program, quickstart};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn home() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    (folder, home)
}

/// The files of a home, with their lengths.
fn files(home: &Path) -> Vec<(PathBuf, u64)> {
    let list = fs::read_dir(home).unwrap().map(Result::unwrap);
    let mut files: Vec<_> = list
        .map(|each| (each.path(), each.metadata().unwrap().len()))
        .collect();
    files.sort();
    files
}

/// Asserts that every way to serve the home is refused with a sentence that contains `parts`, and
/// that nothing is made.
fn refused(home: &Path, parts: &[&str]) {
    let before = files(home);
    let common = [parts, &["restore a backup", "start over on purpose"]].concat();
    finish(program().arg("run").arg(home.join("controller.yml"))).failed_with(&common);
    finish(program().args(["quickstart", "--home"]).arg(home)).failed_with(&common);
    assert_eq!(files(home), before);
}

#[test]
fn missing_store_is_not_replaced_by_an_empty_one() {
    let (_folder, home) = home();
    fs::remove_file(home.join("ctrl.db.portcullis")).unwrap();
    refused(&home, &["ctrl.db.portcullis is missing", "sealing key"]);
    fs::remove_file(home.join("ctrl.db.portcullis.key")).unwrap();
    refused(
        &home,
        &["ctrl.db.portcullis is missing", "made with this network"],
    );
    fs::remove_file(home.join("admin-password")).unwrap();
    refused(
        &home,
        &["ctrl.db.portcullis is missing", "made with this network"],
    );
}

#[test]
fn emptied_store_is_not_taken_for_a_new_one() {
    let (_folder, home) = home();
    fs::write(home.join("ctrl.db.portcullis"), "").unwrap();
    refused(&home, &["ctrl.db.portcullis is empty"]);
    fs::remove_file(home.join("ctrl.db.portcullis.key")).unwrap();
    refused(&home, &["ctrl.db.portcullis is empty"]);
}

#[test]
fn store_that_a_broken_link_stands_for_is_missing() {
    let (_folder, home) = home();
    let store = home.join("ctrl.db.portcullis");
    fs::remove_file(&store).unwrap();
    std::os::unix::fs::symlink("/nonexistent/volume/store", &store).unwrap();
    refused(&home, &["ctrl.db.portcullis is a broken symbolic link"]);
}

#[test]
fn network_is_begun_anew_on_purpose() {
    let (_folder, home) = home();
    fs::remove_file(home.join("ctrl.db.portcullis")).unwrap();
    let config = home.join("controller.yml");
    let init = || {
        let mut command = program();
        command
            .arg("init")
            .arg(&config)
            .args(["-u", "operator", "-p", "correct horse"]);
        finish(&mut command)
    };
    init().failed_with(&["ctrl.db.portcullis.key away"]);
    fs::remove_file(home.join("ctrl.db.portcullis.key")).unwrap();
    let made = init();
    assert_eq!(made.code, Some(0), "{made:?}");
    let mut serving = quickstart(&home);
    assert_eq!(serving.value("Administrator"), "operator");
}

#[test]
fn certificates_whose_store_left_traces_are_not_made_anew() {
    let (_folder, home) = home();
    fs::remove_file(home.join("controller.yml")).unwrap();
    fs::remove_file(home.join("ctrl.db.portcullis")).unwrap();
    let finished = finish(
        program()
            .args(["quickstart", "--ctrl-port", "0", "--home"])
            .arg(&home),
    );
    finished.failed_with(&["an incomplete network"]);
    assert!(!home.join("pki.incomplete").exists());
}

#[test]
fn first_start_that_was_cut_short_at_its_end_is_ended() {
    let (_folder, home) = home();
    let config = home.join("controller.yml");
    fs::rename(&config, home.join("controller.yml.new")).unwrap();
    let key = fs::read(home.join("pki/root.key")).unwrap();
    made(&home);
    assert!(config.exists());
    assert_eq!(fs::read(home.join("pki/root.key")).unwrap(), key);
}
