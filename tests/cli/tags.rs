//! Tags of every kind that administrators create and update.

use crate::Session;
use insta::assert_snapshot;
use serde_json::json;

#[test]
fn tags_are_set_on_creation_and_changed_one_by_one() {
    let session = Session::logged_in();
    // As good as any other authority.
    let authority = session.controller.ca().to_str().unwrap().to_owned();
    for (command, create) in [
        ("identity", &["pc", "--type", "device"][..]),
        ("service", &["wiki"]),
        ("config-type", &["printer.v1"]),
        ("config", &["printer", "printer.v1", "--json", "{}"]),
        ("auth-policy", &["staff"]),
        ("service-policy", &["staff", "dial"]),
        ("edge-router-policy", &["all"]),
        ("service-edge-router-policy", &["all"]),
        ("edge-router", &["r1"]),
        ("transit-router", &["t1"]),
        ("terminator", &["wiki", "r1", "tcp:localhost:80"]),
        ("ca", &["corporate", &authority]),
        (
            "ext-jwt-signer",
            &[
                "okta",
                "--issuer",
                "okta",
                "--audience",
                "us",
                "--jwks-endpoint",
                "https://okta.test/keys",
            ],
        ),
        ("authenticator", &["pc", "--username", "pc-user"]),
        ("posture-check", &["mac", "card", "-m", "000c29be84aa"]),
    ] {
        let verb = |verb| [command, verb];
        let secret = [("authenticator", &["--password", "a-s3cret"][..])];
        let secret = secret.iter().find(|(other, _)| *other == command);
        let secret = secret.map(|(_, words)| *words).unwrap_or_default();
        let tags = ["--tag", "site=berlin", "--tag", "floor=3"];
        let made = session.json(&[&verb("create")[..], create, secret, &tags].concat());
        let mut expected = json!({"site": "berlin", "floor": "3"});
        if command == "identity" {
            expected["type"] = json!("device");
        }
        assert_eq!(made["tags"], expected, "{command}");

        let id = made["id"].as_str().unwrap();
        let target = match command {
            "posture-check" => vec!["mac", id],
            _ => vec![id],
        };
        let change = ["--tag", "floor=4", "--clear-tag", "site"];
        let changed = session.json(&[&verb("update")[..], &target, &change].concat());
        expected["floor"] = json!("4");
        expected.as_object_mut().unwrap().remove("site");
        assert_eq!(changed["tags"], expected, "{command}");
        let shown = session.run(&[command, "show", id]).success().text();
        assert!(shown.contains("floor=4"), "{command}: {shown}");
    }
}

#[test]
fn what_is_no_tag_is_told() {
    let session = Session::new();
    assert_snapshot!(session.transcript(&[
        "identity update anna --tags a=b",
        "identity update anna --tag site",
        "identity create anna --tag =berlin",
    ]), @r"
        $ portcullis identity update anna --tags a=b
        error: unexpected argument '--tags' found

          tip: a similar argument exists: '--tag'

        Usage: portcullis identity update --tag <KEY=VALUE> <IDENTITY>

        For more information, try '--help'.
        [2]
        $ portcullis identity update anna --tag site
        error: invalid value 'site' for '--tag <KEY=VALUE>': a tag is a key and a value, such as `site=berlin`

        For more information, try '--help'.
        [2]
        $ portcullis identity create anna --tag =berlin
        error: invalid value '=berlin' for '--tag <KEY=VALUE>': a tag is a key and a value, such as `site=berlin`

        For more information, try '--help'.
        [2]
        ");
}
