//! Homes that are copied or moved.

use crate::support::{Serving, finish, made, program};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Starts on a home that is there, and tells which store the process has open.
fn store_in_use(command: &mut Command) -> Vec<String> {
    // Nobody else sees the files of a process that may not be dumped.
    let mut serving = Serving::start(command.arg("--allow-core-dumps"));
    serving.logged("\"message\":\"serving\"");
    let open = serving.open_files();
    let _ = serving.stop("TERM");
    let is_store = |path: &String| path.ends_with("ctrl.db.portcullis");
    open.into_iter().filter(is_store).collect()
}

fn expected(home: &Path) -> Vec<String> {
    let store = home.canonicalize().unwrap().join("ctrl.db.portcullis");
    vec![store.display().to_string()]
}

fn copied(from: &Path, to: &Path) {
    let status = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(status.unwrap().success());
}

#[test]
fn copy_of_a_home_is_served_from_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let (net, copy) = (folder.path().join("net"), folder.path().join("a $copy"));
    made(&net);
    copied(&net, &copy);
    let mut quickstart = program();
    quickstart
        .current_dir(&folder)
        .args(["quickstart", "--home", "a $copy"]);
    assert_eq!(store_in_use(&mut quickstart), expected(&copy));
    let mut run = program();
    run.current_dir(&folder)
        .args(["run", "a $copy/controller.yml"]);
    assert_eq!(store_in_use(&mut run), expected(&copy));
}

#[test]
fn moved_home_is_served_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    made(&old);
    fs::rename(&old, &new).unwrap();
    let mut quickstart = program();
    quickstart.args(["quickstart", "--home"]).arg(&new);
    assert_eq!(store_in_use(&mut quickstart), expected(&new));
    assert!(!old.exists());
    let mut run = program();
    run.current_dir(&new).args(["run", "controller.yml"]);
    assert_eq!(store_in_use(&mut run), expected(&new));
}

#[test]
fn home_whose_file_names_another_place_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (net, copy) = (folder.path().join("net"), folder.path().join("copy"));
    made(&net);
    copied(&net, &copy);
    let config = copy.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let elsewhere = format!("db: {:?}", net.join("ctrl.db"));
    fs::write(&config, text.replace("db: \"ctrl.db\"", &elsewhere)).unwrap();
    let refused = finish(program().args(["quickstart", "--home"]).arg(&copy));
    refused.failed_with(&[
        "outside of the home",
        "copied or moved",
        "relativePaths: file",
    ]);
}
