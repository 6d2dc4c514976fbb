//! Identities and what they may do.

use crate::Session;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn default_administrator_stays_one() {
    let session = Session::logged_in();
    let before = session.json(&["identity", "show", "admin"]);
    let transcript = session.transcript(&["identity update admin --admin false"]);
    assert_snapshot!(transcript, @r"
        $ portcullis identity update admin --admin false
        error: `admin` is the default administrator and cannot be demoted; nothing was changed
        [1]
        ");
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
    let hint = "`portcullis --profile anna whoami` shows";
    assert!(refused.contains(hint), "{refused}");

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

/// The ways to create an identity that the specification names, and the one around them.
#[test]
fn identities_are_created_as_specified() {
    let session = Session::logged_in();
    for (name, kind, arguments, method) in [
        ("a", "device", &[][..], Some("ott")),
        ("b", "user", &["--updb", "bert"], Some("updb")),
        ("c", "service", &["--external-id", "cora"], None),
        ("d", "device", &["--enrollment", "none"], None),
    ] {
        let create = ["identity", "create", name, "--type", kind];
        let made = session.json(&[&create[..], arguments].concat());
        let pending = made["enrollment"].as_object().unwrap();
        let pending: Vec<_> = pending.keys().map(String::as_str).collect();
        assert_eq!(pending, Vec::from_iter(method), "{name}");
    }
    let a = session.json(&["identity", "show", "a"])["id"].clone();
    let filter = format!("identity=\"{}\"", a.as_str().unwrap());
    let delete = ["enrollment", "delete", "--filter", &filter, "--yes"];
    session.run(&delete).success();
    let bare = session.json(&["identity", "show", "a"]);
    assert_eq!(bare["enrollment"], json!({}));
    let create = ["identity", "create", "x", "--ottca", "nobody"];
    let refused = session.run(&create).expect_code(1).stderr;
    assert!(refused.contains("portcullis ca list"), "{refused}");

    // What was left out is made up for.
    let create = ["enrollment", "create", "d", "--username", "dora"];
    let create = [&create[..], &["--expires-in", "24h"]].concat();
    assert_eq!(session.json(&create)["method"], "updb");
    let twice = session.run(&create).expect_code(1).stderr;
    assert!(twice.contains("portcullis enrollment refresh"), "{twice}");
    let create = ["enrollment", "create", "d", "--output-jwt", "d.jwt"];
    session.run(&create).success();
    session.run(&["enroll", "d.jwt"]).success();
}

#[test]
fn identity_is_traced_for_a_while() {
    let session = Session::logged_in();
    session.run(&["identity", "create", "anna"]).success();
    let traced = session.json(&["identity", "trace", "anna"]);
    assert_eq!(traced["enabled"], true);
    assert!(traced["traceId"].is_string(), "one is drawn: {traced}");
    let until = traced["until"].as_str().unwrap();
    let longer = [
        "identity",
        "trace",
        "anna",
        "--for",
        "2h",
        "--trace-id",
        "t1",
    ];
    let traced = session.json(&[&longer[..], &["--channel", "edge"]].concat());
    assert_eq!(traced["traceId"], "t1");
    assert!(traced["until"].as_str().unwrap() > until, "{traced}");
    let off = ["identity", "trace", "anna", "--off"];
    assert!(session.json(&off).get("enabled").is_none());
    let transcript = session.transcript(&[
        "identity trace anna --off",
        "identity trace nobody",
        "identity trace anna --for 0s",
        "identity trace anna --off --for 5m",
        &format!("identity trace anna --trace-id {}", "x".repeat(65)),
        "identity trace anna --channel ''",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis identity trace anna --off
        identity:  anna
        traced:    no
        [0]
        $ portcullis identity trace nobody
        error: no identity with id or name `nobody` exists
        hint: run `portcullis identity list` to list them
        [1]
        $ portcullis identity trace anna --for 0s
        error: invalid value '0s' for '--for <DURATION>': must be longer than 0

        For more information, try '--help'.
        [2]
        $ portcullis identity trace anna --off --for 5m
        error: the argument '--off' cannot be used with '--for <DURATION>'

        Usage: portcullis identity trace --off <IDENTITY>

        For more information, try '--help'.
        [2]
        $ portcullis identity trace anna --trace-id xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        error: `traceId`: must be at most 64 characters long
        request id: REQUEST
        [1]
        $ portcullis identity trace anna --channel ''
        error: invalid value '' for '--channel <NAME>': must not be empty

        For more information, try '--help'.
        [2]
        ");
}

#[test]
fn nobody_is_shut_out_by_a_slip() {
    let session = Session::logged_in();
    session.run(&["identity", "create", "anna"]).success();
    let transcript = session.transcript(&[
        "identity disable admin",
        "whoami --output name",
        "identity disable admin --for 1m --yes",
        "whoami",
    ]);
    assert_snapshot!(transcript, @"
        $ portcullis identity disable admin
        error: there is no terminal to ask on: `admin` is you. Your sessions end at once, and only another administrator can enable you again. Disable yourself?
        hint: pass `--yes` to confirm
        [2]
        $ portcullis whoami --output name
        admin
        [0]
        $ portcullis identity disable admin --for 1m --yes
        Disabled `admin`, and ended your sessions.
        [0]
        $ portcullis whoami
        error: the session has expired (profile `default`)
        hint: run `portcullis login URL`
        [3]
        ");
}

#[test]
fn identity_is_shut_out_and_let_in_again() {
    let session = Session::logged_in();
    session.run(&["identity", "create", "anna"]).success();
    let disabled = session.json(&["identity", "disable", "anna", "--for", "90s"]);
    assert_eq!(disabled["disabled"], true);
    assert!(disabled["disabledUntil"].is_string(), "{disabled}");
    let disabled = session.json(&["identity", "disable", "anna"]);
    assert!(
        disabled
            .get("disabledUntil")
            .is_none_or(serde_json::Value::is_null),
        "{disabled}"
    );
    let table = session.run(&["identity", "show", "anna"]).success().text();
    assert!(table.contains("disabled"), "{table}");
    let enabled = session.json(&["identity", "enable", "anna"]);
    assert_eq!(enabled["disabled"], false);
    for wrong in ["-5m", "0s", "soon"] {
        let refused = ["identity", "disable", "anna", "--for", wrong];
        session.run(&refused).expect_code(2);
    }
    session
        .run(&["identity", "enable", "nobody"])
        .expect_code(1);
}
