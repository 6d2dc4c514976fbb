//! Fixtures of the tests.

use crate::{
    Client, GrantingPolicy, MachineJudge, OsInfo, Posture, PostureReport, ProcessInfo, Report,
};
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{PostureCheckId, ServicePolicyId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture_check::{
    Check, CheckedProcess, Fingerprints, MfaCheck, OsCheck, OsType, PostureCheck, PostureCheckSpec,
    ProcessPath,
};
use std::sync::Arc;

/// The instant `second` seconds after the start of the tests' time.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_900_000_000 + second).unwrap()
}

pub(crate) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

pub(crate) fn prints(list: &[&str]) -> Fingerprints {
    Fingerprints::new("hashes", texts(list)).unwrap()
}

pub(crate) fn path(path: &str) -> ProcessPath {
    ProcessPath::new("path", path).unwrap()
}

pub(crate) fn check(id: &str, check: Check) -> Arc<PostureCheck> {
    let spec = PostureCheckSpec::new(format!("check {id}"), check);
    PostureCheck::new(PostureCheckId::from_wire(id), spec, at(0))
        .unwrap()
        .into()
}

pub(crate) fn mfa_check(id: &str, timeout: i64, wake: bool, unlock: bool) -> Arc<PostureCheck> {
    check(
        id,
        Check::Mfa(MfaCheck {
            timeout_seconds: MfaCheck::parse_timeout(timeout).unwrap(),
            prompt_on_wake: wake,
            prompt_on_unlock: unlock,
            ignore_legacy_endpoints: false,
        }),
    )
}

/// Requires Linux 5 or later.
pub(crate) fn linux_check(id: &str) -> Arc<PostureCheck> {
    let systems = [("Linux", vec![">=5.0.0"])];
    check(id, Check::Os(OsCheck::new(systems).unwrap()))
}

pub(crate) fn checked_process(place: &str, hashes: &[&str], signers: &[&str]) -> CheckedProcess {
    CheckedProcess {
        os_type: OsType::Linux,
        path: path(place),
        hashes: prints(hashes),
        signers: prints(signers),
    }
}

pub(crate) fn policy(
    id: &str,
    grant: ServiceGrant,
    checks: &[&Arc<PostureCheck>],
) -> GrantingPolicy {
    GrantingPolicy {
        id: ServicePolicyId::from_wire(id),
        name: format!("policy {id}"),
        grant,
        checks: checks.iter().map(|&check| Arc::clone(check)).collect(),
    }
}

pub(crate) fn os(kind: &str, version: &str) -> Report {
    Report::Os(OsInfo {
        kind: kind.to_owned(),
        version: version.to_owned(),
        build: String::new(),
    })
}

pub(crate) fn process(place: &str, is_running: bool, hash: &str, signers: &[&str]) -> Report {
    Report::Process {
        path: place.to_owned(),
        process: ProcessInfo {
            is_running,
            hash: hash.to_owned(),
            signers: texts(signers).into_iter().collect(),
        },
    }
}

pub(crate) fn state(woken: bool, unlocked: bool) -> Report {
    Report::EndpointState { woken, unlocked }
}

pub(crate) fn statement(check: &str, report: Report) -> PostureReport {
    PostureReport {
        check: PostureCheckId::from_wire(check),
        report,
    }
}

/// A posture of these reports, all made at `second`.
pub(crate) fn posture(second: i64, reports: impl IntoIterator<Item = Report>) -> Posture {
    let mut posture = Posture::default();
    for report in reports {
        posture.record(statement("q", report), at(second)).unwrap();
    }
    posture
}

/// A client with nothing but a posture and a TOTP pass.
pub(crate) fn client(posture: &Posture, passed_at: Option<i64>) -> Client<'_> {
    static UNKNOWN: SdkInfo = SdkInfo {
        app_id: String::new(),
        app_version: String::new(),
        branch: String::new(),
        revision: String::new(),
        kind: String::new(),
        version: String::new(),
    };
    Client {
        posture,
        totp_passed_at: passed_at.map(at),
        sdk: &UNKNOWN,
        machine_judge: MachineJudge::Here,
    }
}
