//! Tests of posture checks.

use super::*;
use crate::decode::{Decode, DecodeError};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::posture_check::{
    Check, CheckPatch, CheckType, MfaPatch, PostureCheckSpec, PostureCheckSpecPatch,
    ProcessMultiPatch, ProcessPatch,
};
use serde_json::{Value, json};

fn read<D: Decode>(body: &Value) -> Result<D, DecodeError> {
    D::from_body(body.to_string().as_bytes())
}

/// The members of one check of each type, in the form in which they are shown.
fn one_of_each() -> Vec<Value> {
    let process = json!({"hashes": ["aabb"], "osType": "Linux", "path": "/x"});
    let mut signed = process.clone();
    signed["signerFingerprint"] = json!("ffee");
    let mut several = process;
    several["signerFingerprints"] = json!(["ffee"]);
    vec![
        json!({
            "typeId": "OS",
            "operatingSystems": [
                {"type": "Windows", "versions": ["10.x", ">=11.0.0"]},
                {"type": "macOS", "versions": null}
            ]
        }),
        json!({"typeId": "DOMAIN", "domains": ["a", "b"]}),
        json!({"typeId": "MAC", "macAddresses": ["001122aabbcc"]}),
        json!({"typeId": "MFA", "timeoutSeconds": 60, "promptOnWake": true}),
        json!({"typeId": "MFA", "timeoutSeconds": -1}),
        json!({"typeId": "PROCESS", "process": signed}),
        json!({
            "typeId": "PROCESS_MULTI", "semantic": "AllOf",
            "processes": [
                several,
                {"hashes": [], "osType": "Windows", "path": "c:\\x.exe", "signerFingerprints": []}
            ]
        }),
    ]
}

fn with(mut body: Value, more: &Value) -> Value {
    let more = more.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    body
}

#[test]
fn checks_are_shown_as_they_were_given() {
    let time = "1970-01-01T00:00:00.000Z";
    for body in one_of_each() {
        let body = with(body, &json!({"name": "c", "tags": {"t": 1}}));
        let spec: PostureCheckSpec = read::<PostureCheckCreate>(&body).unwrap().into();
        let id = PostureCheckId::from_wire("x");
        let check = PostureCheck::new(id, spec, Timestamp::UNIX_EPOCH).unwrap();
        let kind = check.spec.check.check_type();
        let detail = PostureCheckDetail::from(check);
        assert_eq!(detail.check.kind(), kind);
        let shown = serde_json::to_value(&detail).unwrap();
        let expected = with(
            body,
            &json!({
                "_links": {"self": {"href": "./posture-checks/x"}}, "createdAt": time, "id": "x",
                "roleAttributes": [], "updatedAt": time, "version": 1
            }),
        );
        assert_eq!(shown, expected);
        let read: PostureCheckDetail = serde_json::from_value(shown).unwrap();
        assert_eq!(read, detail);
    }
}

#[test]
fn what_clients_write_is_what_the_server_reads() {
    for body in one_of_each() {
        let body = with(body, &json!({"name": "c", "roleAttributes": ["r"]}));
        let sent: PostureCheckCreate = read(&body).unwrap();
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["typeId"], body["typeId"]);
        assert_eq!(read::<PostureCheckCreate>(&written).unwrap(), sent);
        let sent: PostureCheckPatch = read(&body).unwrap();
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(read::<PostureCheckPatch>(&written).unwrap(), sent);
    }
    let any = json!({"name": "c", "typeId": "OS", "operatingSystems": [{"type": "iOS"}]});
    let written = serde_json::to_value(read::<PostureCheckCreate>(&any).unwrap()).unwrap();
    assert_eq!(
        written["operatingSystems"],
        json!([{"type": "iOS", "versions": []}])
    );
}

#[test]
fn a_merge_that_names_the_type_alone_changes_nothing() {
    for (kind, patch) in CheckType::ALL.into_iter().zip([
        CheckPatch::Os(None),
        CheckPatch::Domain(None),
        CheckPatch::Mac(None),
        CheckPatch::Mfa(MfaPatch::default()),
        CheckPatch::Process(ProcessPatch::default()),
        CheckPatch::ProcessMulti(ProcessMultiPatch::default()),
    ]) {
        let sent: PostureCheckPatch = read(&json!({"typeId": kind.name()})).unwrap();
        let written = serde_json::to_value(&sent).unwrap();
        assert_eq!(written["typeId"], kind.name());
        assert_eq!(read::<PostureCheckPatch>(&written).unwrap(), sent);
        let expected = PostureCheckSpecPatch {
            check: Some(patch),
            ..PostureCheckSpecPatch::default()
        };
        assert_eq!(PostureCheckSpecPatch::from(sent), expected);
    }
}

#[test]
fn merges_take_single_members_back() {
    let body = json!({"typeId": "MFA", "timeoutSeconds": 0, "promptOnWake": false});
    let mfa = MfaPatch {
        timeout_seconds: Some(None),
        prompt_on_wake: Some(false),
        ..MfaPatch::default()
    };
    let merge: PostureCheckPatch = read(&body).unwrap();
    assert_eq!(merge.check, CheckPatch::Mfa(mfa));

    let body = json!({"typeId": "PROCESS", "process": {"signerFingerprint": "", "hashes": []}});
    let merge: PostureCheckPatch = read(&body).unwrap();
    let CheckPatch::Process(process) = &merge.check else {
        panic!("{merge:?}");
    };
    assert_eq!(process.signer, Some(None));
    assert!(process.hashes.as_ref().unwrap().is_empty() && process.path.is_none());
    let written = serde_json::to_value(&merge).unwrap();
    assert_eq!(written, body);
}

#[test]
fn a_code_is_good_for_ever_unless_there_is_a_timeout() {
    for timeout in [json!(null), json!(-1), json!(0)] {
        let body = json!({"name": "c", "typeId": "MFA", "timeoutSeconds": timeout});
        let spec: PostureCheckSpec = read::<PostureCheckCreate>(&body).unwrap().into();
        assert!(matches!(spec.check, Check::Mfa(mfa) if mfa.timeout_seconds.is_none()));
    }
}

/// Holds the member at fault and its value against what they should be, with `body` beside a name.
fn check_fault<D: Decode + std::fmt::Debug>(body: &Value, field: &str, value: &str) {
    match read::<D>(&with(json!({"name": "c"}), body)).unwrap_err() {
        DecodeError::Field(error) => {
            assert_eq!((&*error.field, &*error.value), (field, value), "{body}");
        },
        DecodeError::Parse(text) => panic!("{body}: {text}"),
    }
}

#[test]
fn what_is_missing_is_named() {
    let process = json!({"osType": "Linux", "path": "/x"});
    for (body, field, value) in [
        (json!({}), "typeId", ""),
        (json!({"typeId": "OS", "name": null}), "name", "<nil>"),
        (json!({"typeId": "OS"}), "operatingSystems", "[]"),
        (
            json!({"typeId": "OS", "operatingSystems": [{}]}),
            "operatingSystems.0.type",
            "<nil>",
        ),
        (json!({"typeId": "DOMAIN"}), "domains", "[]"),
        (json!({"typeId": "MAC"}), "macAddresses", "[]"),
        (json!({"typeId": "PROCESS"}), "process", "<nil>"),
        (
            json!({"typeId": "PROCESS", "process": {"path": "/x"}}),
            "process.osType",
            "<nil>",
        ),
        (
            json!({"typeId": "PROCESS", "process": {"osType": "Linux"}}),
            "process.path",
            "<nil>",
        ),
        (json!({"typeId": "PROCESS_MULTI"}), "processes", "[]"),
        (
            json!({"typeId": "PROCESS_MULTI", "processes": [process]}),
            "semantic",
            "<nil>",
        ),
        (
            json!({"typeId": "PROCESS_MULTI", "processes": [process, {"osType": "Linux"}]}),
            "processes.1.path",
            "<nil>",
        ),
    ] {
        check_fault::<PostureCheckCreate>(&body, field, value);
    }
    check_fault::<PostureCheckPatch>(&json!({}), "typeId", "");
}

#[test]
fn what_is_wrong_is_named_in_merges_too() {
    let several = |member: &str, value: Value| {
        let mut process = json!({"osType": "Linux", "path": "/x"});
        process[member] = value;
        json!({"typeId": "PROCESS_MULTI", "semantic": "AnyOf", "processes": [process]})
    };
    let one = |member: &str, value: Value| {
        let mut process = json!({"osType": "Linux", "path": "/x"});
        process[member] = value;
        json!({"typeId": "PROCESS", "process": process})
    };
    let os = |kind: &str, version: &str| json!({"typeId": "OS", "operatingSystems": [{"type": kind, "versions": [version]}]});
    for (body, field, value) in [
        (
            json!({"typeId": "OS", "operatingSystems": []}),
            "operatingSystems",
            "0",
        ),
        (os("linux", "1.x"), "operatingSystems.0.type", "linux"),
        (os("Linux", "1"), "operatingSystems.0.versions.0", "1"),
        (json!({"typeId": "DOMAIN", "domains": []}), "domains", "0"),
        (
            json!({"typeId": "DOMAIN", "domains": ["a", ""]}),
            "domains.1",
            "",
        ),
        (
            json!({"typeId": "MAC", "macAddresses": ["x"]}),
            "macAddresses.0",
            "x",
        ),
        (
            json!({"typeId": "MFA", "timeoutSeconds": 4_294_967_296_u64}),
            "timeoutSeconds",
            "4294967296",
        ),
        (
            json!({"typeId": "MFA", "roleAttributes": ["#x"]}),
            "roleAttributes",
            "#x",
        ),
        (json!({"typeId": "MFA", "tags": {"a": []}}), "tags.a", "[]"),
        (one("osType", json!("linux")), "process.osType", "linux"),
        (one("path", json!("")), "process.path", ""),
        (one("hashes", json!(["q"])), "process.hashes.0", "q"),
        (
            one("signerFingerprint", json!("q")),
            "process.signerFingerprint",
            "q",
        ),
        (
            json!({"typeId": "PROCESS_MULTI", "processes": []}),
            "processes",
            "0",
        ),
        (
            several("osType", json!("BeOS")),
            "processes.0.osType",
            "BeOS",
        ),
        (several("path", json!(" ")), "processes.0.path", " "),
        (several("hashes", json!(["q"])), "processes.0.hashes.0", "q"),
        (
            several("signerFingerprints", json!(["q"])),
            "processes.0.signerFingerprints.0",
            "q",
        ),
        (
            with(several("hashes", json!([])), &json!({"semantic": "anyOf"})),
            "semantic",
            "anyOf",
        ),
    ] {
        check_fault::<PostureCheckCreate>(&body, field, value);
        check_fault::<PostureCheckPatch>(&body, field, value);
    }
}

#[test]
fn wrong_types_cannot_be_parsed() {
    for body in [
        json!({"typeId": "NOPE"}),
        json!({"typeId": "os"}),
        json!({"typeId": 5}),
        json!({"typeId": "OS", "operatingSystems": {}}),
        json!({"typeId": "OS", "operatingSystems": ["Linux"]}),
        json!({"typeId": "DOMAIN", "domains": "a"}),
        json!({"typeId": "MFA", "timeoutSeconds": 1.5}),
        json!({"typeId": "PROCESS", "process": []}),
        json!({"typeId": "PROCESS_MULTI", "processes": [5]}),
    ] {
        let body = with(body, &json!({"name": "c"}));
        for result in [
            read::<PostureCheckCreate>(&body).map(drop),
            read::<PostureCheckPatch>(&body).map(drop),
        ] {
            assert!(matches!(result, Err(DecodeError::Parse(_))), "{body}");
        }
    }
}
