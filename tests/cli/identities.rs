//! Identities and what they may do.

use crate::Session;
use serde_json::json;

#[test]
fn default_administrator_stays_one() {
    let session = Session::logged_in();
    let before = session.json(&["identity", "show", "admin"]);
    let update = ["identity", "update", "admin", "--admin", "false"];
    let refused = session.run(&update).expect_code(1).stderr;
    assert!(
        refused.contains("`admin` is the default administrator"),
        "{refused}"
    );
    assert_eq!(session.json(&["identity", "show", "admin"]), before);

    session
        .run(&["identity", "create", "second", "--admin"])
        .success();
    let update = ["identity", "update", "second", "--admin", "false"];
    assert_eq!(session.json(&update)["isAdmin"], false);
}

#[test]
fn permissions_are_shown_to_their_holder() {
    let session = Session::logged_in();
    let own = session.run(&["whoami"]).success().text();
    assert!(own.contains("\nadministrator:  yes\n"), "{own}");
    assert!(!own.contains("\npermissions:"), "{own}");

    let create = [
        "identity",
        "create",
        "anna",
        "--updb",
        "anna",
        "--output-jwt",
    ];
    session
        .run(&[&create[..], &["anna.jwt"]].concat())
        .success();
    session.run(&["enroll", "anna.jwt"]).success();
    let login = ["login", "--username", "anna", "--profile", "anna"];
    let ca = session.controller.ca();
    let trust = [session.controller.url(), "--ca", ca.to_str().unwrap()];
    session.run(&[&login[..], &trust].concat()).success();
    let whoami = ["whoami", "--profile", "anna"];
    let none = session.run(&whoami).success().text();
    assert!(none.contains("\npermissions:    none\n"), "{none}");
    assert_eq!(session.json(&whoami)["permissions"], json!([]));
    let list = ["identity", "list", "--profile", "anna"];
    let refused = session.run(&list).expect_code(1).stderr;
    assert!(refused.contains("`portcullis whoami` shows"), "{refused}");

    let body = json!({"permissions": ["identity.read", "enrollment"]}).to_string();
    let id = session.json(&["identity", "show", "anna"])["id"].clone();
    let path = format!("identities/{}", id.as_str().unwrap());
    session
        .run(&["api", "PATCH", &path, "--body", &body])
        .success();
    let some = session.run(&whoami).success().text();
    let line = "\npermissions:    enrollment, identity.read\n";
    assert!(some.contains(line), "{some}");
    session.run(&list).success();
}

/// Whatever is true of other controllers, this one does not have it yet.
#[test]
fn help_says_what_is_not_there_yet() {
    let session = Session::new();
    let help = session.run(&["identity", "create", "--help"]).success();
    let help = help.text();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for told in [
        "has no external signers yet",
        "has no third-party authorities yet",
    ] {
        assert!(help.contains(told), "{help}");
    }
    session.log_in();
    let create = ["identity", "create", "x", "--ottca", "some"];
    let refused = session.run(&create).expect_code(1).stderr;
    assert!(refused.contains("ca not found"), "{refused}");
    let create = ["identity", "create", "bob", "--external-id", "bob"];
    let bob = session.run(&create).success().text();
    assert!(!bob.contains("enrolled"), "{bob}");
}
