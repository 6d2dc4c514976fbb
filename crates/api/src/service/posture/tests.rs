//! Tests of posture queries.

use super::*;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::ServicePolicyId;
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture_check::{
    CheckedProcess, CheckedProcesses, DomainCheck, Fingerprints, MfaCheck, PostureCheck,
    PostureCheckSpec, ProcessCheck, ProcessMultiCheck,
};
use portcullis_domain::roles::Semantic;
use portcullis_domain::tags::Tags;
use serde_json::{Value, json};
use std::sync::Arc;

fn posture(check: Check) -> CheckPosture {
    let spec = PostureCheckSpec {
        tags: Tags::from_json(json!({"t": 1}).as_object().unwrap().clone()).unwrap(),
        ..PostureCheckSpec::new("not shown", check)
    };
    let check = PostureCheck::new(PostureCheckId::from_wire("c"), spec, Timestamp::UNIX_EPOCH);
    CheckPosture {
        check: Arc::new(check.unwrap()),
        updated_at: Timestamp::from_second(1).unwrap(),
        is_passing: true,
        timeout: None,
        remaining: None,
        timeout_at: None,
    }
}

/// The members that differ by type.
fn shown(posture: CheckPosture) -> Value {
    let query = PostureQuery::from(posture);
    let mut written = serde_json::to_value(&query).unwrap();
    let read: PostureQuery = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(read, query);
    let members = written.as_object_mut().unwrap();
    for (member, value) in [
        ("_links", json!({"self": {"href": "./posture-checks/c"}})),
        ("createdAt", json!("1970-01-01T00:00:00.000Z")),
        ("updatedAt", json!("1970-01-01T00:00:01.000Z")),
        ("id", json!("c")),
        ("tags", json!({"t": 1})),
        ("isPassing", json!(true)),
    ] {
        assert_eq!(members.remove(member), Some(value));
    }
    written
}

fn path() -> ProcessPath {
    ProcessPath::new("path", "/x").unwrap()
}

#[test]
fn clients_are_told_which_processes_to_look_for() {
    let process = ProcessCheck {
        os_type: OsType::MacOs,
        path: path(),
        hashes: Fingerprints::default(),
        signer: None,
    };
    let several = ProcessMultiCheck {
        semantic: Semantic::AnyOf,
        processes: CheckedProcesses::new(vec![CheckedProcess {
            os_type: OsType::Linux,
            path: path(),
            hashes: Fingerprints::default(),
            signers: Fingerprints::default(),
        }])
        .unwrap(),
    };
    let none = DomainCheck::new(vec!["a".to_owned()]).unwrap();
    for (check, expected) in [
        (
            Check::Process(process),
            json!({
                "queryType": "PROCESS", "process": {"osType": "macOS", "path": "/x"},
                "processes": null, "timeout": -1, "timeoutRemaining": -1
            }),
        ),
        (
            Check::ProcessMulti(several),
            json!({
                "queryType": "PROCESS_MULTI", "processes": [{"osType": "Linux", "path": "/x"}],
                "timeout": -1, "timeoutRemaining": -1
            }),
        ),
        (
            Check::Domain(none),
            json!({
                "queryType": "DOMAIN", "processes": null, "timeout": -1, "timeoutRemaining": -1
            }),
        ),
    ] {
        assert_eq!(shown(posture(check)), expected);
    }
}

#[test]
fn clients_are_told_when_a_code_is_due() {
    let check = MfaCheck {
        timeout_seconds: NonZeroU32::new(600),
        prompt_on_wake: true,
        ..MfaCheck::default()
    };
    let limited = CheckPosture {
        timeout: check.timeout_seconds,
        remaining: Some(0),
        timeout_at: Some(Timestamp::UNIX_EPOCH),
        ..posture(Check::Mfa(check))
    };
    assert_eq!(
        shown(limited),
        json!({
            "queryType": "MFA", "processes": null, "promptOnWake": true, "timeout": 600,
            "timeoutAt": "1970-01-01T00:00:00.000Z", "timeoutRemaining": 0
        })
    );
}

#[test]
fn policies_carry_the_queries_of_their_checks() {
    let queries = PostureQueries::from(PolicyPosture {
        policy: ServicePolicyId::from_wire("p"),
        grant: ServiceGrant::Bind,
        is_passing: true,
        checks: vec![posture(Check::Mfa(MfaCheck::default()))],
    });
    assert_eq!(
        (&*queries.policy_id, queries.policy_type),
        ("p", PolicyType::Bind)
    );
    assert_eq!(queries.posture_queries.len(), 1);
}
