//! What belongs to identities: authenticators, sessions, policies, role attributes.

use crate::Session;
use crate::lists::names;
use serde_json::json;

#[test]
fn authenticators_are_found_by_identity() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--output-jwt", "laptop.jwt"];
    session.run(&create).success();
    session.run(&["enroll", "laptop.jwt"]).success();
    let list = session.json(&["authenticator", "list", "--identity", "laptop"]);
    let found = list.as_array().unwrap();
    assert_eq!(found.len(), 1, "{list}");
    assert_eq!(found[0]["method"], "cert");
    assert_eq!(found[0]["identity"]["name"], "laptop");
    let id = found[0]["id"].as_str().unwrap();
    assert_eq!(session.json(&["authenticator", "show", id]), found[0]);
    let shown = session.run(&["authenticator", "show", id]).success().text();
    let fingerprint = found[0]["fingerprint"].as_str().unwrap();
    assert!(shown.contains(&format!("SHA-1 {fingerprint}\n")), "{shown}");

    let all = ["authenticator", "list", "--all", "--sort", "method"];
    let table = session.run(&all).success().text();
    let lines: Vec<_> = table.lines().collect();
    assert!(lines[0].starts_with("ID"), "{table}");
    assert!(lines[1].contains("cert") && lines[1].contains(fingerprint));
    assert!(lines[2].contains("updb") && lines[2].contains("admin"));
    assert_eq!(lines[3], "2 authenticators");
    let by_method = ["authenticator", "list", "--filter", "method = \"updb\""];
    let by_method = session.json(&by_method);
    assert_eq!(by_method[0]["username"], "admin");
}

#[test]
fn sessions_are_listed() {
    let session = Session::logged_in();
    let list = session.json(&["session", "list", "--identity", "admin"]);
    let found = list.as_array().unwrap();
    assert_eq!(found.len(), 1, "{list}");
    assert_eq!(found[0]["ipAddress"], "127.0.0.1");
    session.log_in();
    let list = ["session", "list", "--sort", "createdAt desc", "--all"];
    let table = session.run(&list).success().text();
    assert!(table.ends_with("\n2 sessions\n"), "{table}");
    let own = session.json(&["whoami"])["session"]["id"].clone();
    let first = table.lines().nth(1).unwrap();
    assert!(first.starts_with(own.as_str().unwrap()), "{table}");
}

#[test]
fn policies_are_found_by_name() {
    let session = Session::logged_in();
    let by_name = session.json(&["auth-policy", "show", "Default"]);
    assert_eq!(by_name["id"], "default");
    assert_eq!(session.json(&["auth-policy", "show", "default"]), by_name);
    let list = session.json(&["auth-policy", "list", "--filter", "primary.cert.allowed"]);
    assert_eq!(names(&list), ["Default"]);
    let table = session.run(&["auth-policy", "list"]).success().text();
    assert!(table.ends_with("\n1 authentication policy\n"), "{table}");
    let create = ["identity", "create", "x", "--auth-policy", "Default"];
    assert_eq!(session.json(&create)["authPolicyId"], "default");
    let missing = session.run(&["auth-policy", "show", "nothing"]);
    let missing = missing.expect_code(1).stderr;
    assert!(missing.contains("portcullis auth-policy list"), "{missing}");
}

#[test]
fn identities_are_chosen_by_role_attributes() {
    let session = Session::logged_in();
    for (name, attributes) in [("a", "sales,berlin"), ("b", "sales,oslo"), ("c", "ops")] {
        session.json(&["identity", "create", name, "-a", attributes]);
    }
    for (arguments, expected) in [
        (&["--role", "sales"][..], &["a", "b"][..]),
        (&["--role", "sales", "--role", "oslo"], &["b"]),
        (
            &[
                "--role",
                "#oslo",
                "--role",
                "ops",
                "--role-semantic",
                "any-of",
            ],
            &["b", "c"],
        ),
        (
            &["--role", "sales", "--filter", "name = \"a\"", "--all"],
            &["a"],
        ),
        (&["--role", "nobody"], &[]),
    ] {
        let list = [&["identity", "list", "--sort", "name"], arguments].concat();
        assert_eq!(names(&session.json(&list)), expected, "{arguments:?}");
    }
    let attributes = ["identity", "role-attributes"];
    let list = session.json(&attributes);
    assert_eq!(list, json!(["berlin", "ops", "oslo", "sales"]));
    let table = session.run(&attributes).success().text();
    let expected = "ATTRIBUTE\nberlin\nops\noslo\nsales\n4 role attributes\n";
    assert_eq!(table, expected);
    let filter = ["--filter", "id contains \"o\" sort by id desc limit 2"];
    let some = session.json(&[&attributes[..], &filter].concat());
    assert_eq!(some, json!(["oslo", "ops"]));
    let refused = [&attributes[..], &["--filter", "name = 1"]].concat();
    let refused = session.run(&refused).expect_code(1).stderr;
    assert!(refused.contains("\n  name = 1\n  ^^^^\n"), "{refused}");
}
