//! Health checks for monitoring.

use crate::error::ApiError;
use crate::path::Api;
use crate::response::ApiResponse;
use crate::route::{Call, NoBody, Parameter, ResponseSpec, Route, ValueType, public};
use http::{Method, StatusCode};
use portcullis_api::envelope::Envelope;
use portcullis_api::health::{self, HealthCheckDetail, HealthCheckError, HealthDetail};
use portcullis_api::json;
use portcullis_app::health::{HealthCheck, run_checks};

/// Every path below the base has the same response, as monitors expect.
pub(super) fn routes() -> Vec<Route> {
    ["/", "/{*path}"]
        .into_iter()
        .flat_map(|path| {
            [Method::GET, Method::HEAD].map(|method| {
                public::<NoBody, _, _>(method, path, report)
                    .only(&[Api::HealthChecks])
                    .responds(
                        ResponseSpec::detail::<HealthDetail>()
                            .or_status(StatusCode::SERVICE_UNAVAILABLE),
                    )
                    .with_parameters(&PARAMETERS)
                    .ignoring_accept()
            })
        })
        .collect()
}

const PARAMETERS: [Parameter; 2] = [
    Parameter::query("type", "`short` reports only whether each check passes.")
        .with_type(ValueType::OneOf(&["short"])),
    Parameter::query(
        "status",
        "`code` also reports failures by the status: 503 when a check fails.",
    )
    .with_type(ValueType::OneOf(&["code"])),
];

/// Reports the checks: in full, or only whether they pass (`type=short`). The status is 200 even if
/// one fails, as clients that read the body expect, but then 503 with `status=code`.
async fn report(call: Call<(), NoBody>) -> Result<ApiResponse, ApiError> {
    let query = &call.context.query;
    let has = |name: &str, value: &str| query.all(name).any(|given| given == value);
    Ok(respond(
        run_checks(&call.context.state.app),
        has("type", "short"),
        has("status", "code"),
    ))
}

fn respond(checks: Vec<HealthCheck>, is_short: bool, sets_status: bool) -> ApiResponse {
    let checks: Vec<_> = checks
        .into_iter()
        .map(|check| detail(check, is_short))
        .collect();
    let detail = HealthDetail {
        healthy: checks.iter().all(|check| check.healthy),
        checks,
    };
    let body = json::to_pretty_bytes(&Envelope::new(&detail));
    let mut response = ApiResponse::raw("application/json", body);
    if sets_status && !detail.healthy {
        response.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    response
}

fn detail(check: HealthCheck, is_short: bool) -> HealthCheckDetail {
    let short = HealthCheckDetail {
        healthy: check.failure.is_none(),
        id: check.id.to_owned(),
        ..HealthCheckDetail::default()
    };
    if is_short {
        return short;
    }
    let fault = check.failure.as_ref();
    HealthCheckDetail {
        consecutive_failures: fault.map(|fault| fault.failures),
        failing_since: fault.map(|fault| health::format_instant(fault.since)),
        last_check_duration: Some(health::format_duration(check.duration)),
        last_check_time: Some(health::format_instant(check.checked_at)),
        err: check.failure.map(|fault| HealthCheckError {
            message: fault.message,
        }),
        ..short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::ResponseContent;
    use portcullis_app::health::{CheckFailure, READ_CHECK, WRITE_CHECK};
    use portcullis_domain::clock::{SignedDuration, Timestamp};

    fn checks(fault: Option<CheckFailure>) -> Vec<HealthCheck> {
        let check = |id, fault| HealthCheck {
            id,
            checked_at: Timestamp::UNIX_EPOCH,
            duration: SignedDuration::from_millis(2),
            failure: fault,
        };
        vec![check(READ_CHECK, None), check(WRITE_CHECK, fault)]
    }

    fn body_text(response: ApiResponse) -> String {
        match response.body {
            ResponseContent::Full(body) => String::from_utf8(body.to_vec()).unwrap(),
            ResponseContent::Parts(_)
            | ResponseContent::StaticBody(_)
            | ResponseContent::Upgrade(_) => panic!("it is short"),
        }
    }

    #[test]
    fn a_failure_stands_in_the_body_and_in_the_status_for_those_who_ask() {
        let fault = CheckFailure {
            message: "no room".to_owned(),
            failures: 3,
            since: Timestamp::UNIX_EPOCH,
        };
        let failing = || checks(Some(fault.clone()));
        assert_eq!(respond(failing(), false, false).status, 200);
        assert_eq!(respond(failing(), true, true).status, 503);
        assert_eq!(respond(checks(None), true, true).status, 200);
        let full = body_text(respond(failing(), false, false));
        for line in [
            r#""consecutiveFailures": 3,"#,
            r#""message": "no room""#,
            r#""failingSince": "1970-01-01T00:00:00Z","#,
            r#""lastCheckDuration": "2ms","#,
            r#""lastCheckTime": "1970-01-01T00:00:00Z""#,
        ] {
            assert!(full.contains(line), "{line} in {full}");
        }
        let short: String = body_text(respond(failing(), true, false))
            .split_whitespace()
            .collect();
        let expected = concat!(
            r#"{"data":{"checks":[{"healthy":true,"id":"bolt.read"},"#,
            r#"{"healthy":false,"id":"store.write"}],"healthy":false},"meta":{}}"#,
        );
        assert_eq!(short, expected);
    }
}
