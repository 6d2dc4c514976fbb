//! From a login to an identity that is gone again, as the documentation tells it.

use crate::Session;
use insta::assert_snapshot;
use serde_json::Value;

#[test]
fn identity_lives_from_creation_to_deletion() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--type", "device"];
    session
        .run(&[&create[..], &["--output-jwt", "laptop.jwt"]].concat())
        .success();
    let shown = session.json(&["identity", "show", "laptop"]);
    assert_eq!(shown["tags"]["type"], "device");
    assert_eq!(shown["typeId"], "Default");
    let id = shown["id"].as_str().unwrap();
    assert_eq!(
        session.json(&["identity", "show", id]),
        shown,
        "ids do as well"
    );

    let enrolled = session.run(&["enroll", "laptop.jwt"]).success().text();
    let next = "\nnext: portcullis whoami --identity laptop.json\n";
    assert!(enrolled.ends_with(next), "{enrolled}");
    let file = std::fs::read(session.site.file("laptop.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let api = format!("{}/edge/client/v1", session.controller.url());
    assert_eq!(file["ztAPI"], api.as_str());
    for (member, begin) in [
        ("key", "PRIVATE KEY"),
        ("cert", "CERTIFICATE"),
        ("ca", "CERTIFICATE"),
    ] {
        let text = file["id"][member].as_str().unwrap();
        assert!(text.starts_with("pem:-----BEGIN "), "{member}");
        assert!(text.contains(begin), "{member}");
    }
    let own = session.json(&["whoami", "--identity", "laptop.json"]);
    assert!(own.to_string().contains(id), "{own}");

    let list = session.json(&["identity", "list"]);
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["name"])
        .collect();
    assert!(names.contains(&&Value::from("laptop")), "{names:?}");
    let table = session.run(&["identity", "list"]).success().text();
    assert!(
        table.contains("laptop") && table.contains("device"),
        "{table}"
    );

    let update = ["--name", "notebook", "--role-attributes", "a,b"];
    session
        .run(&[&["identity", "update", "laptop"], &update[..]].concat())
        .success();
    let shown = session.json(&["identity", "show", "notebook"]);
    assert_eq!(shown["id"], id);
    assert_eq!(shown["roleAttributes"], serde_json::json!(["a", "b"]));
    assert_eq!(shown["tags"]["type"], "device", "what was not named stays");

    session.run(&["identity", "disable", "notebook"]).success();
    let refused = session
        .run(&["whoami", "--identity", "laptop.json"])
        .expect_code(1)
        .stderr;
    assert!(refused.contains("the identity is disabled or"), "{refused}");

    session.run(&["identity", "delete", "notebook"]).success();
    session
        .run(&["identity", "show", "notebook"])
        .expect_code(1);
    let refused = session
        .run(&["whoami", "--identity", "laptop.json"])
        .expect_code(1)
        .stderr;
    assert!(
        refused.contains("disabled or deleted, or its certificate"),
        "{refused}"
    );
    assert!(!refused.contains("password"), "{refused}");
}

#[test]
fn enrollment_is_renewed_and_withdrawn() {
    let session = Session::logged_in();
    session
        .run(&[
            "identity",
            "create",
            "robot",
            "--type",
            "service",
            "--output-jwt",
            "1.jwt",
        ])
        .success();
    let id = session.json(&["identity", "show", "robot"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let filter = format!("identity=\"{id}\"");
    let pending = session.json(&["enrollment", "list", "--filter", &filter]);
    assert_eq!(pending.as_array().unwrap().len(), 1);
    let enrollment = pending[0]["id"].as_str().unwrap();

    session
        .run(&["enrollment", "refresh", enrollment, "--output-jwt", "2.jwt"])
        .success();
    let refused = session.run(&["enroll", "1.jwt"]).expect_code(1);
    assert!(
        refused.stderr.contains("INVALID_ENROLLMENT_TOKEN"),
        "{}",
        refused.stderr
    );
    assert!(
        !session.site.file("1.json").exists(),
        "nothing is left of what failed"
    );
    session
        .run(&["enroll", "2.jwt", "--out", "robot.json"])
        .success();
    assert!(session.site.file("robot.json").exists());

    session
        .run(&[
            "identity",
            "create",
            "second",
            "--type",
            "user",
            "--output-jwt",
            "3.jwt",
        ])
        .success();
    let id = session.json(&["identity", "show", "second"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let filter = format!("identity=\"{id}\"");
    session
        .run(&["enrollment", "delete", "--filter", &filter, "--yes"])
        .success();
    session.run(&["enroll", "3.jwt"]).expect_code(1);
    let left = session.json(&["enrollment", "list"]);
    assert_eq!(left, serde_json::json!([]));
}

#[test]
fn person_chooses_a_password() {
    let session = Session::logged_in();
    let create = [
        "identity", "create", "anna", "--type", "user", "--updb", "anna.b",
    ];
    session
        .run(&[&create[..], &["--output-jwt", "anna.jwt"]].concat())
        .success();
    let enroll = ["enroll", "anna.jwt"];
    let enrolled = session.run_with_password(&enroll, "annas-own-password");
    let url = session.controller.url();
    let next = format!("\nnext: portcullis login {url} --username anna.b\n");
    let enrolled = enrolled.success().text();
    assert!(enrolled.ends_with(&next), "{enrolled}");
    let login = ["login", "--username", "anna.b"];
    let logged_in = session.run_with_password(&login, "annas-own-password");
    let logged_in = logged_in.success().text();
    assert!(
        logged_in.ends_with("\nnext: portcullis whoami\n"),
        "{logged_in}"
    );
    assert!(session.run(&["whoami"]).success().text().contains("anna"));
    // Who is no administrator is told so: logging in again would not help.
    let transcript = session.transcript(&["identity list", "identity create x"]);
    assert_snapshot!(transcript, @"
        $ portcullis identity list
        error: `anna` lacks the permission for this (UNAUTHORIZED)
        hint: `portcullis whoami` shows the permissions; an administrator can grant more
        request id: REQUEST
        [1]
        $ portcullis identity create x
        error: `anna` lacks the permission for this (UNAUTHORIZED)
        hint: `portcullis whoami` shows the permissions; an administrator can grant more
        request id: REQUEST
        [1]
        ");
}
