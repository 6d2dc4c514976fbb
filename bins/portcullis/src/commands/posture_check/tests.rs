//! Requests built from the arguments of each type.

use super::*;
use clap::Parser;
use serde_json::{Value, json};

#[derive(Debug, Parser)]
struct Line {
    #[command(subcommand)]
    command: PostureCheckCommand,
}

fn read(words: &[&str]) -> Result<Value, String> {
    let line = Line::try_parse_from([&["x"], words].concat());
    let sent = match line.map_err(|error| error.to_string())?.command {
        PostureCheckCommand::Create(verb) => verb.command.body().map(serde_json::to_value),
        PostureCheckCommand::Update(verb) => verb
            .command
            .change()
            .map(|change| serde_json::to_value(change.patch)),
        _ => panic!("these are `create` and `update`"),
    };
    Ok(sent.map_err(|error| error.message())?.unwrap())
}

#[test]
fn new_checks_of_each_type_are_sent_as_they_were_written() {
    for (words, asked) in [
        (
            &[
                "os",
                "--os",
                "linux, Windows:>=10.0.19041:9.x",
                "--os",
                "macOS",
            ][..],
            json!({"typeId": "OS", "operatingSystems": [
                {"type": "Linux", "versions": []},
                {"type": "Windows", "versions": ["9.x", ">=10.0.19041"]},
                {"type": "macOS", "versions": []},
            ]}),
        ),
        (
            &["mac", "-m", "00:0C:29:be:84:aa,000c29be84ab"],
            json!({"typeId": "MAC", "macAddresses": ["000c29be84aa", "000c29be84ab"]}),
        ),
        (
            &["domain", "-d", "b", "-d", "a"],
            json!({"typeId": "DOMAIN", "domains": ["a", "b"]}),
        ),
        (
            &["mfa", "--good-for", "15m", "-w", "true"],
            json!({"typeId": "MFA", "timeoutSeconds": 900, "promptOnWake": true}),
        ),
        (&["mfa"], json!({"typeId": "MFA", "timeoutSeconds": -1})),
        (
            &["process", "--process", "Linux:/x,hash=AA"],
            json!({"typeId": "PROCESS", "process": {
                "osType": "Linux", "path": "/x", "hashes": ["AA"],
            }}),
        ),
        (
            &[
                "process-multi",
                "--process",
                "Linux:/x",
                "--process",
                "iOS:/y,signer=bb",
            ],
            json!({"typeId": "PROCESS_MULTI", "semantic": "AllOf", "processes": [
                {"osType": "Linux", "path": "/x", "hashes": [], "signerFingerprints": []},
                {"osType": "iOS", "path": "/y", "hashes": [], "signerFingerprints": ["bb"]},
            ]}),
        ),
    ] {
        let line = [&["create"], words, &["c", "-a", "r"]].concat();
        let mut expected = asked;
        expected["name"] = json!("c");
        expected["roleAttributes"] = json!(["r"]);
        expected["tags"] = json!({});
        assert_eq!(read(&line).unwrap(), expected, "{line:?}");
    }
}

#[test]
fn changes_leave_out_what_was_not_given() {
    for (words, expected) in [
        (
            &["os", "c", "--name", "d"][..],
            json!({"typeId": "OS", "name": "d"}),
        ),
        (
            &["mac", "c", "-a", ""],
            json!({"typeId": "MAC", "roleAttributes": []}),
        ),
        (
            &["mfa", "c", "-g", "0s"],
            json!({"typeId": "MFA", "timeoutSeconds": -1}),
        ),
        (
            &["mfa", "c", "--after-unlocking", "false"],
            json!({"typeId": "MFA", "promptOnUnlock": false}),
        ),
        (
            &["process", "c", "--process", "Linux:/x"],
            json!({"typeId": "PROCESS", "process": {
                "osType": "Linux", "path": "/x", "hashes": [], "signerFingerprint": "",
            }}),
        ),
        (
            &["process-multi", "c", "--semantic", "AnyOf"],
            json!({"typeId": "PROCESS_MULTI", "semantic": "AnyOf"}),
        ),
    ] {
        let line = [&["update"], words].concat();
        assert_eq!(read(&line).unwrap(), expected, "{line:?}");
    }
}

#[test]
fn what_cannot_be_asked_is_told() {
    for (words, told) in [
        (
            &["create", "os", "c"][..],
            "the requirement of the posture check is missing",
        ),
        (
            &["create", "os", "c", "--os", ""],
            "operatingSystems: must not be empty",
        ),
        (
            &["create", "os", "c", "--os", "BeOS"],
            "`BeOS` is not an operating system",
        ),
        (
            &["create", "os", "c", "--os", "Linux:1"],
            "the version `1` of Linux",
        ),
        (
            &["create", "os", "c", "--os", "iOS,ios:1.x"],
            "iOS is given twice",
        ),
        (&["create", "mac", "c", "-m", "zz"], "macAddresses.0"),
        (
            &["create", "domain", "c", "-d", ""],
            "domains: must not be empty",
        ),
        (&["create", "mfa", "c", "-g", "15"], "a number with a unit"),
        (
            &["create", "mfa", "c", "-g", "1ms"],
            "a whole number of seconds",
        ),
        (
            &["create", "mfa", "c", "-g", "200y"],
            "a number with a unit",
        ),
        (
            &["create", "mfa", "c", "-g", "2000000h"],
            "must be at most 4294967295",
        ),
        (
            &[
                "create",
                "process",
                "c",
                "--process",
                "Linux:/x,signer=aa,signer=bb",
            ],
            "only one signer",
        ),
        (
            &["create", "process-multi", "c", "--semantic", "all-of"],
            "is missing",
        ),
        (&["create", "mfa", "c", "-a", "#r"], "--role-attributes"),
        (
            &["update", "mfa", "c"],
            "nothing to change: no options were given",
        ),
    ] {
        let error = read(words).unwrap_err();
        assert!(error.contains(told), "{words:?}: {error}");
    }
}
