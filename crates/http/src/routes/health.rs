//! Whether the controller can do its work, for monitors.

use crate::answer::Answer;
use crate::error::ApiError;
use crate::path::Api;
use crate::route::{Answers, Call, Ignored, Parameter, Route, Values, open};
use http::{Method, StatusCode};
use portcullis_api::envelope::Envelope;
use portcullis_api::health::{self, CheckDetail, CheckFault, HealthDetail};
use portcullis_api::json;
use portcullis_app::health::{Check, check};

/// Every path below the base says the same, as monitors are used to it.
pub(super) fn routes() -> Vec<Route> {
    ["/", "/{*path}"]
        .into_iter()
        .flat_map(|path| {
            [Method::GET, Method::HEAD].map(|method| {
                open::<Ignored, _, _>(method, path, report)
                    .only(&[Api::HealthChecks])
                    .answers(
                        Answers::detail::<HealthDetail>()
                            .or_at_times(StatusCode::SERVICE_UNAVAILABLE),
                    )
                    .asks(&PARAMETERS)
                    .whatever_is_accepted()
            })
        })
        .collect()
}

/// How much is said, and how.
const PARAMETERS: [Parameter; 2] = [
    Parameter::query(
        "type",
        "`short` tells of each check whether it passes, and no more.",
    )
    .with(Values::OneOf(&["short"])),
    Parameter::query(
        "status",
        "`code` tells by the status as well: 503 when a check fails.",
    )
    .with(Values::OneOf(&["code"])),
];

/// Reports the checks: in full, or with `type=short` whether they pass. The status is 200 even when
/// one fails, as clients that read the body expect, but 503 then with `status=code`.
async fn report(call: Call<(), Ignored>) -> Result<Answer, ApiError> {
    let query = &call.context.query;
    let asks = |name: &str, value: &str| query.all(name).any(|given| given == value);
    Ok(told(
        check(&call.context.state.app),
        asks("type", "short"),
        asks("status", "code"),
    ))
}

fn told(checks: Vec<Check>, is_short: bool, is_told_by_status: bool) -> Answer {
    let checks: Vec<_> = checks
        .into_iter()
        .map(|check| detail(check, is_short))
        .collect();
    let detail = HealthDetail {
        healthy: checks.iter().all(|check| check.healthy),
        checks,
    };
    let body = json::to_indented_bytes(&Envelope::new(&detail));
    let mut answer = Answer::raw("application/json", body);
    if is_told_by_status && !detail.healthy {
        answer.status = StatusCode::SERVICE_UNAVAILABLE;
    }
    answer
}

fn detail(check: Check, is_short: bool) -> CheckDetail {
    let short = CheckDetail {
        healthy: check.fault.is_none(),
        id: check.id.to_owned(),
        ..CheckDetail::default()
    };
    if is_short {
        return short;
    }
    let fault = check.fault.as_ref();
    CheckDetail {
        consecutive_failures: fault.map(|fault| fault.failures),
        failing_since: fault.map(|fault| health::instant(fault.since)),
        last_check_duration: Some(health::duration(check.took)),
        last_check_time: Some(health::instant(check.at)),
        err: check.fault.map(|fault| CheckFault {
            message: fault.message,
        }),
        ..short
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Content;
    use portcullis_app::health::{Fault, READING, WRITING};
    use portcullis_domain::clock::{SignedDuration, Timestamp};

    fn checks(fault: Option<Fault>) -> Vec<Check> {
        let check = |id, fault| Check {
            id,
            at: Timestamp::UNIX_EPOCH,
            took: SignedDuration::from_millis(2),
            fault,
        };
        vec![check(READING, None), check(WRITING, fault)]
    }

    fn shown(answer: Answer) -> String {
        match answer.body {
            Content::Whole(body) => String::from_utf8(body.to_vec()).unwrap(),
            Content::Parts(_) | Content::Fixed(_) => panic!("it is short"),
        }
    }

    #[test]
    fn a_failure_stands_in_the_body_and_in_the_status_for_those_who_ask() {
        let fault = Fault {
            message: "no room".to_owned(),
            failures: 3,
            since: Timestamp::UNIX_EPOCH,
        };
        let failing = || checks(Some(fault.clone()));
        assert_eq!(told(failing(), false, false).status, 200);
        assert_eq!(told(failing(), true, true).status, 503);
        assert_eq!(told(checks(None), true, true).status, 200);
        let full = shown(told(failing(), false, false));
        for line in [
            r#""consecutiveFailures": 3,"#,
            r#""message": "no room""#,
            r#""failingSince": "1970-01-01T00:00:00Z","#,
            r#""lastCheckDuration": "2ms","#,
            r#""lastCheckTime": "1970-01-01T00:00:00Z""#,
        ] {
            assert!(full.contains(line), "{line} in {full}");
        }
        let short: String = shown(told(failing(), true, false))
            .split_whitespace()
            .collect();
        let expected = concat!(
            r#"{"data":{"checks":[{"healthy":true,"id":"bolt.read"},"#,
            r#"{"healthy":false,"id":"store.write"}],"healthy":false},"meta":{}}"#,
        );
        assert_eq!(short, expected);
    }
}
