//! `admin`: letting somebody in again from beside the store.

use crate::support::{Finished, Serving, finish, made, program, quickstart};
use std::fs;
use std::path::Path;

fn admin(home: &Path, command: &str, more: &[&str]) -> Finished {
    let config = home.join("controller.yml");
    finish(program().args(["admin", command]).arg(config).args(more))
}

#[test]
fn administrators_are_let_in_again() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let reset = admin(&home, "reset-password", &["admin", "-p", "another horse"]);
    assert_eq!(reset.code, Some(0), "{reset:?}");
    assert!(reset.stdout.starts_with("password of admin ("), "{reset:?}");
    let removed = admin(&home, "remove-mfa", &["admin"]);
    assert_eq!(removed.code, Some(0), "{removed:?}");
    assert!(
        removed
            .stdout
            .contains("admin is not enrolled in TOTP: there was nothing to remove"),
        "{removed:?}"
    );
    // The trail tells it from what the controller does by itself.
    let (config, audit) = (home.join("controller.yml"), home.join("audit.jsonl"));
    let mut run = program();
    let mut serving = Serving::start(run.arg("run").arg(config).arg("--audit-file").arg(&audit));
    assert!(serving.serves());
    assert_eq!(serving.stop("TERM").code, Some(0));
    let trail = fs::read_to_string(audit).unwrap();
    let mut lines = trail.lines();
    let reset = lines.find(|line| line.contains("\"identity.reset-password\""));
    assert!(
        reset.is_some_and(|line| line.contains("\"actor\":\"operator\"")),
        "{trail}"
    );
}

#[test]
fn mistakes_are_told_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    admin(&home, "remove-mfa", &["nobody"]).failed_with(&["no identity has the id or name nobody"]);
    admin(&home, "reset-password", &["nobody", "-p", "another horse"])
        .failed_with(&["no identity has the id or name nobody"]);
    admin(&home, "remove-mfa", &["admni"])
        .failed_with(&["no identity has the id or name admni; did you mean admin?"]);
    admin(&home, "reset-password", &["admin", "-p", "1234"])
        .misused(&["password", "at least 5 characters"]);
    admin(&home, "reset-password", &["admin"]).misused(&["a password is required"]);
    fs::remove_file(home.join("ctrl.db.portcullis")).unwrap();
    admin(&home, "remove-mfa", &["admin"]).failed_with(&["ctrl.db.portcullis"]);
    assert!(!home.join("ctrl.db.portcullis").exists());
}

#[test]
fn running_controller_keeps_its_store_to_itself() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let serving = quickstart(&home);
    admin(&home, "remove-mfa", &["admin"]).failed_with(&["stop the controller that uses it first"]);
    assert_eq!(serving.stop("TERM").code, Some(0));
}
