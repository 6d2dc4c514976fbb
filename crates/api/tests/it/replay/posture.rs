//! What was reported and what was in the way, as recorded.

use super::show::{text, written};
use super::world::{World, now};
use portcullis_api::failed_service_request::FailedServiceRequest;
use portcullis_api::posture_check::PostureCheckDetail;
use portcullis_api::posture_data::PostureData;
use portcullis_domain::client_info::SdkInfo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{ApiSessionId, PostureCheckId, ServiceId, ServicePolicyId};
use portcullis_domain::policies::ServiceGrant;
use portcullis_domain::posture::{
    ActualValue, CheckFailure, FailedRequest, MfaCriteria, MfaValues, OsInfo, PolicyFailure,
    Reported,
};
use portcullis_domain::view::{CheckPosture, PostureView, SessionPosture};
use serde_json::Value;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A check, what was reported, or a request that was refused, as it is shown here.
pub(super) fn show(world: &World, recorded: &Value) -> Option<Value> {
    if recorded.get("apiSessionPostureData").is_some() {
        return Some(written(&PostureData::from(reported(recorded))));
    }
    if recorded.get("createdAt").is_some() {
        let href = recorded["_links"]["self"]["href"].as_str()?;
        let check = &world.posture_checks[href.strip_prefix("./posture-checks/")?];
        return Some(written(&PostureCheckDetail::from(check.clone())));
    }
    recorded.get("policyFailures")?;
    let request = FailedRequest {
        when: now(),
        api_session: ApiSessionId::from_wire(text(&recorded["apiSessionId"])),
        service: ServiceId::from_wire(text(&recorded["serviceId"])),
        service_name: text(&recorded["serviceName"]),
        grant: ServiceGrant::from_name("", recorded["sessionType"].as_str()?).unwrap(),
        policies: items(&recorded["policyFailures"])
            .map(|policy| failure(world, policy))
            .collect(),
    };
    Some(written(&FailedServiceRequest::from(&request)))
}

/// How posture stood with the checks of a policy.
pub(super) fn checks(world: &World, recorded: &Value) -> Vec<CheckPosture> {
    items(recorded)
        .map(|query| CheckPosture {
            check: Arc::new(world.posture_checks[&text(&query["id"])].clone()),
            updated_at: now(),
            is_passing: query["isPassing"].as_bool().unwrap(),
            timeout: limit(&query["timeout"]).and_then(NonZeroU32::new),
            remaining: limit(&query["timeoutRemaining"]),
            timeout_at: query.get("timeoutAt").map(|_| now()),
        })
        .collect()
}

fn failure(world: &World, recorded: &Value) -> PolicyFailure {
    let check = |check: &Value| CheckFailure {
        check: Arc::new(world.posture_checks[&text(&check["postureCheckId"])].clone()),
        actual: match check["postureCheckType"].as_str() {
            // Nothing had been reported then.
            Some("OS") => ActualValue::Os(None),
            _ => code(check),
        },
    };
    PolicyFailure {
        id: ServicePolicyId::from_wire(text(&recorded["policyId"])),
        name: text(&recorded["policyName"]),
        checks: items(&recorded["checks"]).map(check).collect(),
    }
}

fn code(recorded: &Value) -> ActualValue {
    let (values, criteria) = (&recorded["actualValue"], &recorded["criteria"]);
    let is = |name: &str| values[name].as_bool().unwrap();
    ActualValue::Mfa(
        MfaValues {
            passed_mfa: is("passedMfa"),
            timed_out: is("timedOut"),
            passed_on_wake: is("passedOnWake"),
            passed_on_unlock: is("passedOnUnlock"),
        },
        MfaCriteria {
            passed_at: instant(&criteria["passedMfaAt"]),
            woken_at: instant(&criteria["wokenAt"]),
            unlocked_at: instant(&criteria["unlockedAt"]),
            timeout: limit(&criteria["timeoutSeconds"]).and_then(NonZeroU32::new),
            remaining: limit(&criteria["timeoutRemainingSeconds"]),
        },
    )
}

fn reported(recorded: &Value) -> PostureView {
    let (os, domain, mac) = (&recorded["os"], &recorded["domain"], &recorded["mac"]);
    let sessions = recorded["apiSessionPostureData"].as_object().unwrap();
    PostureView {
        os: of(os, &os["type"], |kind| OsInfo {
            kind: text(kind),
            version: text(&os["version"]),
            build: os["build"].as_str().unwrap_or_default().to_owned(),
        }),
        domain: of(domain, &domain["domain"], text),
        addresses: of(mac, &mac["addresses"], |list| {
            items(list).map(text).collect()
        }),
        processes: Vec::new(),
        sessions: sessions
            .iter()
            .map(|(id, session)| SessionPosture {
                session: ApiSessionId::from_wire(id),
                totp_passed_at: instant(&session["mfa"]["passedAt"]),
                woken_at: instant(&session["endpointState"]["wokenAt"]),
                unlocked_at: instant(&session["endpointState"]["unlockedAt"]),
                sdk: SdkInfo::default(),
            })
            .collect(),
    }
}

/// A report, if there is a value.
fn of<T>(report: &Value, value: &Value, read: impl Fn(&Value) -> T) -> Option<Reported<T>> {
    (!value.is_null()).then(|| Reported {
        check: PostureCheckId::from_wire(text(&report["postureCheckId"])),
        at: now(),
        value: Arc::new(read(value)),
    })
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().unwrap().iter()
}

fn instant(value: &Value) -> Option<Timestamp> {
    (!value.is_null()).then(now)
}

/// Seconds, unless there is no limit.
fn limit(seconds: &Value) -> Option<u32> {
    u32::try_from(seconds.as_i64().unwrap()).ok()
}
