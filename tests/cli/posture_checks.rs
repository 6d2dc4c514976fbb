//! Posture checks of every type.

use crate::Session;
use crate::lists::names;
use serde_json::json;

#[test]
fn checks_of_each_type_live_from_creation_to_deletion() {
    let session = Session::logged_in();
    for (kind, created, member, expected, updated, changed) in [
        (
            "os",
            &["--os", "Windows:>=10.0.19041", "--os", "Linux"][..],
            "/operatingSystems",
            json!([{"type": "Linux", "versions": null},
                {"type": "Windows", "versions": [">=10.0.19041"]}]),
            &["--os", "macOS"][..],
            json!([{"type": "macOS", "versions": null}]),
        ),
        (
            "mac",
            &["-m", "00:0C:29:be:84:aa"],
            "/macAddresses",
            json!(["000c29be84aa"]),
            &["-m", "000c29be84ab"],
            json!(["000c29be84ab"]),
        ),
        (
            "domain",
            &["-d", "b,a"],
            "/domains",
            json!(["a", "b"]),
            &["-d", "c"],
            json!(["c"]),
        ),
        (
            "mfa",
            &["--good-for", "15m"],
            "/timeoutSeconds",
            json!(900),
            &["-g", "0s"],
            json!(-1),
        ),
        (
            "process",
            &["--process", "Linux:/usr/sbin/clamd,hash=AA"],
            "/process/path",
            json!("/usr/sbin/clamd"),
            &["--process", "Linux:/opt/clamd"],
            json!("/opt/clamd"),
        ),
        (
            "process-multi",
            &[
                "--process",
                "Linux:/a",
                "--process",
                "macOS:/b",
                "--semantic",
                "any-of",
            ],
            "/semantic",
            json!("AnyOf"),
            &["--semantic", "all-of"],
            json!("AllOf"),
        ),
    ] {
        let create = [
            &["posture-check", "create", kind, kind, "-a", "desk"],
            created,
        ]
        .concat();
        let made = session.json(&create);
        assert_eq!(made.pointer(member), Some(&expected), "{made}");
        let id = made["id"].as_str().unwrap();
        assert_eq!(session.json(&["posture-check", "show", id]), made);
        let update = [&["posture-check", "update", kind, kind], updated].concat();
        let after = session.json(&update);
        assert_eq!(after.pointer(member), Some(&changed), "{after}");
        assert_eq!(
            (&after["id"], &after["roleAttributes"]),
            (&made["id"], &json!(["desk"]))
        );
        let renamed = session.json(&["posture-check", "update", kind, id, "--name", "x", "-a", ""]);
        assert_eq!(renamed.pointer(member), Some(&changed), "{renamed}");
        assert_eq!(
            (&renamed["name"], &renamed["roleAttributes"]),
            (&json!("x"), &json!([]))
        );
        let back = [
            "posture-check",
            "update",
            kind,
            "x",
            "--name",
            kind,
            "-a",
            "desk",
        ];
        session.json(&back);
        let table = session
            .run(&["posture-check", "show", kind])
            .success()
            .text();
        assert!(table.contains(&format!(" {kind}\n")), "{table}");
    }
    let all = session.json(&["posture-check", "list", "--sort", "name"]);
    assert_eq!(
        names(&all),
        ["domain", "mac", "mfa", "os", "process", "process-multi"]
    );
    let table = session.run(&["posture-check", "list"]).success().text();
    for words in [
        "macOS",
        "good for the session",
        "all of Linux:/a; macOS:/b",
        "\n6 posture checks\n",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let attributes = session.json(&["posture-check", "role-attributes"]);
    assert_eq!(attributes["data"], json!(["desk"]));
    refusals(&session);
    let delete = [
        "posture-check",
        "delete",
        "--yes",
        "--filter",
        "typeId contains \"PROCESS\"",
    ];
    assert_eq!(
        session.json(&delete)["deleted"].as_array().unwrap().len(),
        2
    );
    session.run(&["posture-check", "delete", "mfa"]).success();
    let policy = session.json(&["service-policy", "show", "strict"]);
    assert!(
        policy["postureCheckRoles"].is_null(),
        "deleted checks are forgotten"
    );
}

fn refusals(session: &Session) {
    let policy = ["service-policy", "create", "strict", "dial", "-p", "@mfa"];
    session.json(&policy);
    for (arguments, code, told) in [
        (&["create", "mfa", "os"][..], 1, "name"),
        (&["create", "os", "x"], 2, "--os SYSTEMS"),
        (
            &["create", "os", "x", "--os", "Windows:1"],
            2,
            "the version `1` of Windows",
        ),
        (&["create", "mac", "x", "-m", "nope"], 2, "macAddresses.0"),
        (
            &["create", "process", "x", "--process", "/usr/sbin/clamd"],
            2,
            "SYSTEM:PATH",
        ),
        (&["create", "teapot", "x"], 2, "--help"),
        (&["update", "os", "os"], 2, "nothing to change"),
        (
            &["update", "os", "mac", "--os", "Linux"],
            1,
            "portcullis posture-check update mac mac",
        ),
        (&["update", "mfa", "mfa", "--name", "os"], 1, "name"),
        (
            &["update", "mfa", "nobody", "-g", "1h"],
            1,
            "portcullis posture-check list",
        ),
        (&["delete", "nobody"], 1, "exists"),
    ] {
        let line = [&["posture-check"], arguments].concat();
        let refused = session.run(&line).expect_code(code).stderr;
        assert!(refused.contains(told), "{line:?}: {refused}");
    }
}
