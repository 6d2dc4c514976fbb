//! Tests of refused requests.

use super::*;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::{
    ActualProcess, ActualValue, MfaCriteria, MfaValues, OsInfo, ProcessInfo,
};
use portcullis_domain::posture_check::{
    Check, CheckedProcess, CheckedProcesses, DomainCheck, Fingerprints, MacCheck, MfaCheck,
    OsCheck, OsType, PostureCheck, PostureCheckSpec, ProcessCheck, ProcessMultiCheck, ProcessPath,
};
use portcullis_domain::roles::Semantic;
use serde_json::{Value, json};
use std::num::NonZeroU32;
use std::sync::Arc;

const TIME: &str = "1970-01-01T00:00:00.000Z";

fn shown(check: Check, actual: ActualValue) -> Value {
    let spec = PostureCheckSpec::new("check", check);
    let id = PostureCheckId::from_wire("c");
    let check = PostureCheck::new(id, spec, Timestamp::UNIX_EPOCH).unwrap();
    let failure = CheckFailure {
        check: Arc::new(check),
        actual,
    };
    let detail = CheckFailureDetail::from(&failure);
    let mut written = serde_json::to_value(&detail).unwrap();
    let read: CheckFailureDetail = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(read, detail);
    let members = written.as_object_mut().unwrap();
    assert_eq!(members.remove("postureCheckId"), Some(json!("c")));
    assert_eq!(members.remove("postureCheckName"), Some(json!("check")));
    written
}

fn process() -> (ProcessInfo, Value) {
    let process = ProcessInfo {
        is_running: true,
        hash: "aa".to_owned(),
        signers: ["bb".to_owned()].into(),
    };
    let shown = json!({
        "hash": "aa", "isRunning": true, "path": "/x", "signerFingerprints": ["bb"]
    });
    (process, shown)
}

fn path() -> ProcessPath {
    ProcessPath::new("path", "/x").unwrap()
}

#[test]
fn machines_are_shown_with_what_had_to_be() {
    let os = || Check::Os(OsCheck::new([("Linux", vec!["6.x"])]).unwrap());
    let reported = OsInfo {
        kind: "Windows".to_owned(),
        version: "10.0.0".to_owned(),
        build: "b".to_owned(),
    };
    let domain = || Check::Domain(DomainCheck::new(vec!["a".to_owned()]).unwrap());
    let mac = || Check::Mac(MacCheck::new(&["001122334455".to_owned()]).unwrap());
    let systems = json!([{"type": "Linux", "versions": ["6.x"]}]);
    for (check, actual, kind, was, had_to_be) in [
        (
            os(),
            ActualValue::Os(None),
            "OS",
            json!({"type": "", "version": ""}),
            &systems,
        ),
        (
            os(),
            ActualValue::Os(Some(Arc::new(reported))),
            "OS",
            json!({"type": "Windows", "version": "10.0.0"}),
            &systems,
        ),
        (
            domain(),
            ActualValue::Domain(None),
            "DOMAIN",
            json!(""),
            &json!(["a"]),
        ),
        (
            domain(),
            ActualValue::Domain(Some(Arc::new("b".to_owned()))),
            "DOMAIN",
            json!("b"),
            &json!(["a"]),
        ),
        (
            mac(),
            ActualValue::Mac(None),
            "MAC",
            json!(null),
            &json!(["001122334455"]),
        ),
        (
            mac(),
            ActualValue::Mac(Some(Arc::new(vec!["x".to_owned()]))),
            "MAC",
            json!(["x"]),
            &json!(["001122334455"]),
        ),
    ] {
        assert_eq!(
            shown(check, actual),
            json!({"postureCheckType": kind, "actualValue": was, "expectedValue": had_to_be})
        );
    }
}

#[test]
fn processes_are_shown_with_what_had_to_be() {
    let (reported, was) = process();
    let actual = ActualProcess {
        path: "/x".to_owned(),
        process: Arc::new(reported),
    };
    let one = || {
        Check::Process(ProcessCheck {
            os_type: OsType::Linux,
            path: path(),
            hashes: Fingerprints::default(),
            signer: None,
        })
    };
    let nothing = json!({"hash": "", "isRunning": false, "signerFingerprints": null});
    for (actual, was) in [(Some(actual.clone()), was.clone()), (None, nothing)] {
        assert_eq!(
            shown(one(), ActualValue::Process(actual)),
            json!({
                "postureCheckType": "PROCESS", "actualValue": was,
                "expectedValue": {"hashes": null, "osType": "Linux", "path": "/x"}
            })
        );
    }
    let several = Check::ProcessMulti(ProcessMultiCheck {
        semantic: Semantic::AnyOf,
        processes: CheckedProcesses::new(vec![CheckedProcess {
            os_type: OsType::Linux,
            path: path(),
            hashes: Fingerprints::default(),
            signers: Fingerprints::default(),
        }])
        .unwrap(),
    });
    assert_eq!(
        shown(several, ActualValue::ProcessMulti(vec![actual])),
        json!({
            "postureCheckType": "PROCESS_MULTI", "actualValue": [was], "semantic": "AnyOf",
            "expectedValue": [
                {"hashes": [], "osType": "Linux", "path": "/x", "signerFingerprints": []}
            ]
        })
    );
}

#[test]
fn codes_are_shown_with_what_they_were_judged_by() {
    let check = MfaCheck {
        timeout_seconds: NonZeroU32::new(600),
        prompt_on_wake: true,
        ..MfaCheck::default()
    };
    let criteria = MfaCriteria {
        passed_at: Some(Timestamp::UNIX_EPOCH),
        woken_at: Some(Timestamp::UNIX_EPOCH),
        unlocked_at: None,
        timeout: check.timeout_seconds,
        remaining: Some(0),
    };
    let expected = json!({
        "passedMfa": true, "passedOnUnlock": false, "passedOnWake": true, "timedOut": false
    });
    let values = MfaValues {
        passed_mfa: true,
        timed_out: true,
        ..MfaValues::default()
    };
    assert_eq!(
        shown(Check::Mfa(check), ActualValue::Mfa(values, criteria)),
        json!({
            "postureCheckType": "MFA",
            "actualValue": {
                "passedMfa": true, "passedOnUnlock": false, "passedOnWake": false, "timedOut": true
            },
            "criteria": {
                "passedMfaAt": TIME, "timeoutRemainingSeconds": 0, "timeoutSeconds": 600,
                "unlockedAt": null, "wokenAt": TIME
            },
            "expectedValue": expected
        })
    );
    let unlimited = shown(
        Check::Mfa(MfaCheck::default()),
        ActualValue::Mfa(MfaValues::default(), MfaCriteria::default()),
    );
    assert_eq!(unlimited["criteria"]["timeoutSeconds"], -1);
    assert_eq!(unlimited["criteria"]["timeoutRemainingSeconds"], -1);
}

#[test]
fn requests_name_session_service_and_policies() {
    let request = FailedRequest {
        when: Timestamp::UNIX_EPOCH,
        api_session: ApiSessionId::from_wire("a"),
        service: ServiceId::from_wire("s"),
        service_name: "web".to_owned(),
        grant: ServiceGrant::Bind,
        policies: vec![PolicyFailure {
            id: ServicePolicyId::from_wire("p"),
            name: "policy".to_owned(),
            checks: Vec::new(),
        }],
    };
    let list = FailedServiceRequest::list([&request]);
    let written = serde_json::to_value(&list).unwrap();
    assert_eq!(
        written,
        json!([{
            "apiSessionId": "a",
            "policyFailures": [{"checks": [], "policyId": "p", "policyName": "policy"}],
            "serviceId": "s", "serviceName": "web", "sessionType": "Bind", "when": TIME
        }])
    );
    let read: Vec<FailedServiceRequest> = serde_json::from_value(written).unwrap();
    assert_eq!(read, list);
}
