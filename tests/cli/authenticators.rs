//! What identities log in with, given, changed and taken by administrators and by themselves.

use crate::Session;
use support::run;

/// Creates an identity that logs in with a username, and answers the id of its authenticator.
fn person(session: &Session, name: &str, password: &str) -> String {
    session.json(&["identity", "create", name, "--enrollment", "none"]);
    let create = ["authenticator", "create", name, "--username", name];
    let created = session.run_with_password(&create, password).success();
    assert!(!created.text().contains(password));
    let list = session.json(&["authenticator", "list", "--identity", name]);
    list[0]["id"].as_str().unwrap().to_owned()
}

/// Whether a username and a password are a way in.
fn lets_in(session: &Session, username: &str, password: &str) -> bool {
    let ca = session.controller.ca();
    let login = ["login", session.controller.url(), "--profile", "other"];
    let rest = ["--username", username, "--ca", ca.to_str().unwrap()];
    let outcome = session.run_with_password(&[&login[..], &rest].concat(), password);
    outcome.code() == 0
}

#[test]
fn administrator_gives_changes_and_takes_passwords() {
    let session = Session::logged_in();
    let id = person(&session, "anna", "annas-password");
    assert!(lets_in(&session, "anna", "annas-password"));
    let update = ["authenticator", "update", &id];
    session.run_with_password(&update, "another-one").success();
    assert!(!lets_in(&session, "anna", "annas-password"));
    let renamed = session.json(&[&update[..], &["--username", "anna.b"]].concat());
    assert_eq!(renamed["username"], "anna.b");
    assert!(lets_in(&session, "anna.b", "another-one"), "it stays");

    // The administrator's own password stands in the environment, and is given to nobody.
    let asked = session.run(&update).expect_code(2).stderr;
    assert!(asked.contains("there is no terminal"), "{asked}");
    session.run(&["authenticator", "delete", &id]).success();
    assert!(!lets_in(&session, "anna.b", "another-one"));
}

#[test]
fn reset_has_somebody_choose_again() {
    let session = Session::logged_in();
    let id = person(&session, "anna", "annas-password");
    let reset = ["authenticator", "reset", &id, "--output-jwt", "anna.jwt"];
    let told = session.run(&reset).success().text();
    assert!(told.contains("updb"), "{told}");
    assert!(!lets_in(&session, "anna", "annas-password"));
    let enroll = ["enroll", "anna.jwt"];
    session.run_with_password(&enroll, "chosen-again").success();
    assert!(lets_in(&session, "anna", "chosen-again"));
}

#[test]
fn people_change_their_own_password() {
    let session = Session::logged_in();
    person(&session, "anna", "annas-password");
    assert!(lets_in(&session, "anna", "annas-password"));
    std::fs::write(session.site.file("old"), "annas-password\n").unwrap();
    let change = ["password", "change", "--profile", "other"];
    let wrong = session.run_with_password(&change, "chosen-by-anna");
    assert_eq!(wrong.code(), 1, "the environment holds another's password");
    let told = wrong.stderr;
    assert!(!told.contains("lacks the permission"), "{told}");
    let change = [&change[..], &["--current-password-file", "old"]].concat();
    session
        .run_with_password(&change, "chosen-by-anna")
        .success();
    assert!(lets_in(&session, "anna", "chosen-by-anna"));
    assert!(!lets_in(&session, "anna", "annas-password"));
}

#[test]
fn empty_usernames_are_no_usernames() {
    let session = Session::logged_in();
    let id = person(&session, "anna", "annas-password");
    for line in [
        &["password", "change", "--username", ""][..],
        &["authenticator", "update", &id, "--username", " "],
        &["authenticator", "create", "anna", "--username", ""],
        &["identity", "create", "z", "--updb", ""],
        &["identity", "create", "z", "--external-id", ""],
    ] {
        let refused = session.run(line).expect_code(2).stderr;
        assert!(refused.contains("must not be empty"), "{line:?}: {refused}");
    }
    let ask = session.run(&["authenticator", "request-extend", &id]);
    let ask = ask.expect_code(1).stderr;
    assert!(ask.contains("is a username with a password"), "{ask}");
    let renamed = session.json(&["password", "change", "--username", "root"]);
    assert_eq!(renamed["username"], "root");
    // As the profile has it.
    session.run(&["login"]).success();
    session.run(&["identity", "show", "z"]).expect_code(1);
}

#[test]
fn certificate_is_renewed_when_asked_for() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--output-jwt", "laptop.jwt"];
    session.run(&create).success();
    session.run(&["enroll", "laptop.jwt"]).success();
    let list = session.json(&["authenticator", "list", "--identity", "laptop"]);
    let id = list[0]["id"].as_str().unwrap();
    let ask = ["authenticator", "request-extend", id, "--roll-key"];
    assert_eq!(session.json(&ask)["isKeyRollRequested"], true);

    let file = session.site.file("laptop.json");
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(session.site.file("before.json"), &before).unwrap();
    let renew = ["renew", "--identity", "laptop.json"];
    let new_key = [&renew[..], &["--new-key", "--key-type", "p384"]].concat();
    let rolled = session.json(&new_key);
    assert_eq!(rolled["newKey"], true);
    session
        .run(&["whoami", "--identity", "laptop.json"])
        .success();
    let refused = ["whoami", "--identity", "before.json"];
    session.run(&refused).expect_code(1);
    session.run(&renew).success();
    let member = |text: &str, name: &str| {
        let file: serde_json::Value = serde_json::from_str(text).unwrap();
        file["id"][name].clone()
    };
    let after = std::fs::read_to_string(&file).unwrap();
    assert_ne!(member(&before, "key"), member(&after, "key"));
    assert_eq!(member(&before, "ca"), member(&after, "ca"));
    let login = ["login", "--identity", "laptop.json", "--profile", "laptop"];
    session.run(&login).success();
    let who = session.json(&["whoami", "--profile", "laptop"]);
    assert_eq!(who["name"], "laptop");
    // Again, in the same way, without a word on it.
    session.run(&["login", "--profile", "laptop"]).success();
    let left = std::fs::read_dir(session.site.work()).unwrap();
    let drafts = left.filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".portcullis-")
    });
    assert_eq!(drafts.count(), 0);
    let mode = run(std::process::Command::new("stat")
        .args(["-c", "%a"])
        .arg(&file));
    assert_eq!(mode.success().text(), "600\n");
}
