//! Tests of posture data.

use super::*;
use portcullis_domain::clock::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;

const TIME: &str = "1970-01-01T00:00:00.000Z";

fn reported<T>(check: &str, value: T) -> Reported<T> {
    Reported {
        check: PostureCheckId::from_wire(check),
        at: Timestamp::UNIX_EPOCH,
        value: Arc::new(value),
    }
}

fn written(view: PostureView) -> Value {
    let data = PostureData::from(view);
    let written = serde_json::to_value(&data).unwrap();
    let read: PostureData = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(read, data);
    written
}

#[test]
fn what_was_not_reported_is_null() {
    let none = |more: &[&str]| {
        let mut data = json!({"lastUpdatedAt": null, "postureCheckId": "", "timedOut": false});
        for member in more {
            data[member] = Value::Null;
        }
        data
    };
    assert_eq!(
        written(PostureView::default()),
        json!({
            "apiSessionPostureData": {}, "domain": none(&["domain"]), "mac": none(&["addresses"]),
            "os": none(&["build", "type", "version"]), "processes": []
        })
    );
}

#[test]
fn what_was_reported_is_shown_with_its_check() {
    let process = |is_running: bool, hash: &str, signers: &[&str]| ProcessInfo {
        is_running,
        hash: hash.to_owned(),
        signers: signers.iter().map(|&signer| signer.to_owned()).collect(),
    };
    let session = SessionPosture {
        session: ApiSessionId::from_wire("a"),
        totp_passed_at: Some(Timestamp::UNIX_EPOCH),
        woken_at: Some(Timestamp::UNIX_EPOCH),
        unlocked_at: None,
        sdk: SdkInfo {
            kind: "ziti-sdk-c".to_owned(),
            ..SdkInfo::default()
        },
    };
    let shown = written(PostureView {
        os: Some(reported(
            "o",
            OsInfo {
                kind: "Linux".to_owned(),
                version: "6.1.0".to_owned(),
                build: "b".to_owned(),
            },
        )),
        domain: Some(reported("d", "corp".to_owned())),
        addresses: Some(reported("m", vec!["001122334455".to_owned()])),
        processes: vec![
            reported("p", process(true, "aa", &["bb"])),
            reported("q", process(false, "", &[])),
        ],
        sessions: vec![session],
    });
    let base = |check: &str, more: Value| {
        let mut data = json!({"lastUpdatedAt": TIME, "postureCheckId": check, "timedOut": false});
        let more = more.as_object().unwrap().clone();
        data.as_object_mut().unwrap().extend(more);
        data
    };
    assert_eq!(
        shown,
        json!({
            "apiSessionPostureData": {"a": {
                "endpointState": {"unlockedAt": null, "wokenAt": TIME},
                "mfa": {
                    "apiSessionId": "a", "passedAt": TIME, "passedMfa": true,
                    "passedOnUnlock": null, "passedOnWake": null
                },
                "sdkInfo": {"type": "ziti-sdk-c"}
            }},
            "domain": base("d", json!({"domain": "corp"})),
            "mac": base("m", json!({"addresses": ["001122334455"]})),
            "os": base("o", json!({"build": "b", "type": "Linux", "version": "6.1.0"})),
            "processes": [
                base("p", json!({
                    "binaryHash": "aa", "isRunning": true, "signerFingerprints": ["bb"]
                })),
                base("q", json!({"signerFingerprints": null}))
            ]
        })
    );
}
