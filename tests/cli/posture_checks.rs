//! Posture checks of every type.

use crate::Session;
use crate::lists::names;
use insta::assert_snapshot;
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
    assert_eq!(attributes, json!(["desk"]));
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
    let transcript = session.transcript(&[
        "posture-check create mfa os",
        "posture-check create os x",
        "posture-check create os x --os Windows:1",
        "posture-check create mac x -m nope",
        "posture-check create process x --process /usr/sbin/clamd",
        "posture-check create teapot x",
        "posture-check update os os",
        "posture-check update os mac --os Linux",
        "posture-check update mfa mfa --name os",
        "posture-check update mfa nobody -g 1h",
        "posture-check delete nobody",
    ]);
    assert_snapshot!(transcript, @r#"
        $ portcullis posture-check create mfa os
        error: a posture check named `os` exists already
        hint: see it with `portcullis posture-check show os`
        request id: REQUEST
        [1]
        $ portcullis posture-check create os x
        error: the requirement of the posture check is missing
        hint: pass it with `--os SYSTEMS`
        [2]
        $ portcullis posture-check create os x --os Windows:1
        error: invalid value 'Windows:1' for '--os <SYSTEMS>': the version `1` of Windows: "1" is not a version range; write one such as >=1.2.0 <2.0.0, or 1.2.x

        For more information, try '--help'.
        [2]
        $ portcullis posture-check create mac x -m nope
        error: --mac-addresses: invalid requirement: macAddresses.0: must be a MAC address of 6, 8 or 20 bytes, such as 00:1a:2b:3c:4d:5e
        [2]
        $ portcullis posture-check create process x --process /usr/sbin/clamd
        error: invalid value '/usr/sbin/clamd' for '--process <PROCESS>': a process has the form `SYSTEM:PATH`

        For more information, try '--help'.
        [2]
        $ portcullis posture-check create teapot x
        error: unrecognized subcommand 'teapot'

        Usage: portcullis posture-check create <COMMAND>

        For more information, try '--help'.
        [2]
        $ portcullis posture-check update os os
        error: nothing to change: no options were given
        hint: see `portcullis posture-check update --help`
        [2]
        $ portcullis posture-check update os mac --os Linux
        error: `mac` is a check of type mac, not os
        hint: run `portcullis posture-check update mac mac`
        [1]
        $ portcullis posture-check update mfa mfa --name os
        error: a posture check named `os` exists already
        hint: see it with `portcullis posture-check show os`
        request id: REQUEST
        [1]
        $ portcullis posture-check update mfa nobody -g 1h
        error: no posture check with id or name `nobody` exists
        hint: run `portcullis posture-check list` to list them
        [1]
        $ portcullis posture-check delete nobody
        error: no posture check with id or name `nobody` exists
        hint: run `portcullis posture-check list` to list them
        [1]
        "#);
}
