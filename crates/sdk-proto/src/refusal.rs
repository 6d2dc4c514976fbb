//! Why a router refuses something.

use portcullis_wire::edge::{StateClosed, UpdateTokenFailure};
use portcullis_wire::{ErrorCode, RetryHint};
use serde::Deserialize;
use std::fmt;

/// What routers say for the C SDK, which looks at no code.
const INVALID_SESSION: &str = "Invalid Session";

/// Why a router refuses something, or ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A text for people.
    pub reason: String,
    /// `None` if the router gives a text alone.
    pub code: Option<ErrorCode>,
    pub retry: Retry,
    /// If posture is the cause: the checks that fail.
    pub failing_checks: Vec<String>,
    /// If the request got as far as a circuit.
    pub circuit_id: Option<String>,
}

/// What may be expected of another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The next attempt may succeed.
    AsUsual,
    /// It may succeed later: the router is busy.
    BackOff,
    /// It may succeed with a new session for the service.
    NewSession,
    /// It may succeed with another access token, or after another login.
    NewLogin,
    /// It will fail in the same way until somebody changes something.
    GiveUp,
}

/// The JSON of header 1033, as far as it is understood.
#[derive(Debug, Default, Deserialize)]
struct Structured {
    code: Option<u32>,
    #[serde(rename = "retryHint")]
    retry_hint: Option<u32>,
    #[serde(rename = "failingPostureCheckIds", default)]
    failing_checks: Option<Vec<String>>,
}

impl Refusal {
    fn new(reason: String, code: Option<ErrorCode>, structured: Option<&str>) -> Self {
        // What cannot be read says no more than the text.
        let structured: Structured = structured
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_default();
        let code = code.or_else(|| structured.code.map(ErrorCode::from_code));
        let code = code.filter(|code| *code != ErrorCode::None);
        let is_invalid = code.is_none() && reason == INVALID_SESSION;
        let code = code.or_else(|| is_invalid.then_some(ErrorCode::InvalidSession));
        let hint = structured.retry_hint.map(RetryHint::from_code);
        Self {
            retry: advice(code, hint),
            reason,
            code,
            failing_checks: structured.failing_checks.unwrap_or_default(),
            circuit_id: None,
        }
    }

    /// Whether the router may not know yet what the controller has granted a moment ago.
    pub fn may_be_early(&self) -> bool {
        matches!(
            self.code,
            Some(
                ErrorCode::InvalidService
                    | ErrorCode::AccessDenied
                    | ErrorCode::EncryptionDataMissing
            )
        )
    }

    /// Whether another attempt may succeed without anybody changing something.
    pub fn is_retryable(&self) -> bool {
        self.retry != Retry::GiveUp
    }
}

/// What the router advises, or else what the code means.
fn advice(code: Option<ErrorCode>, hint: Option<RetryHint>) -> Retry {
    let of_code = code.map_or(Retry::AsUsual, usual);
    match hint.unwrap_or_default() {
        // The code says more.
        RetryHint::StartOver if of_code == Retry::NewLogin => of_code,
        RetryHint::StartOver => Retry::NewSession,
        RetryHint::Busy => Retry::BackOff,
        RetryHint::NotRetriable => Retry::GiveUp,
        RetryHint::Default | RetryHint::Unrecognized(_) => of_code,
    }
}

const fn usual(code: ErrorCode) -> Retry {
    match code {
        ErrorCode::InvalidApiSession | ErrorCode::InvalidApiSessionType => Retry::NewLogin,
        ErrorCode::InvalidSession
        | ErrorCode::WrongSessionType
        | ErrorCode::InvalidEdgeRouterForSession => Retry::NewSession,
        ErrorCode::InvalidService
        | ErrorCode::TunnelingNotEnabled
        | ErrorCode::InvalidTerminator
        | ErrorCode::InvalidPrecedence
        | ErrorCode::InvalidCost
        | ErrorCode::EncryptionDataMissing
        | ErrorCode::InvalidInstanceId
        | ErrorCode::AccessDenied => Retry::GiveUp,
        // Posture may change by itself.
        ErrorCode::PostureCheckFailed
        | ErrorCode::None
        | ErrorCode::Internal
        | ErrorCode::Unrecognized(_) => Retry::AsUsual,
    }
}

impl From<StateClosed> for Refusal {
    fn from(closed: StateClosed) -> Self {
        let refusal = Self::new(
            closed.reason,
            closed.code,
            closed.structured_error.as_deref(),
        );
        Self {
            circuit_id: closed.circuit_id,
            ..refusal
        }
    }
}

impl From<UpdateTokenFailure> for Refusal {
    fn from(failure: UpdateTokenFailure) -> Self {
        let structured = failure.structured_error.as_deref();
        Self::new(failure.reason, failure.code, structured)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.code {
            Some(code) => write!(f, "{} (code {})", self.reason, code.code()),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(reason: &str, code: Option<u32>, structured: Option<&str>) -> Refusal {
        Refusal::from(StateClosed {
            reason: reason.to_owned(),
            code: code.map(ErrorCode::from_code),
            structured_error: structured.map(str::to_owned),
            ..StateClosed::default()
        })
    }

    #[test]
    fn codes_and_hints_say_what_to_do() {
        let hint = |hint| format!(r#"{{"message":"no","code":1,"retryHint":{hint}}}"#);
        for (code, structured, retry) in [
            (None, None, Retry::AsUsual),
            (Some(1), Some(hint(0)), Retry::AsUsual),
            (Some(1), Some(hint(1)), Retry::BackOff),
            (Some(1), Some(hint(2)), Retry::NewSession),
            (Some(1), Some(hint(3)), Retry::GiveUp),
            (Some(2), None, Retry::NewLogin),
            (Some(2), Some(hint(2)), Retry::NewLogin),
            (Some(3), Some(hint(0)), Retry::NewSession),
            (Some(6), Some(hint(0)), Retry::GiveUp),
            (Some(14), Some(hint(0)), Retry::GiveUp),
            (Some(15), Some(hint(0)), Retry::AsUsual),
            (Some(99), Some("not JSON".to_owned()), Retry::AsUsual),
        ] {
            let refusal = closed("no", code, structured.as_deref());
            assert_eq!(refusal.retry, retry, "{code:?} {structured:?}");
            assert_eq!(refusal.code, code.map(ErrorCode::from_code));
        }
    }

    #[test]
    fn the_text_for_the_c_sdk_is_a_code() {
        let refusal = closed("Invalid Session", None, None);
        assert_eq!(refusal.code, Some(ErrorCode::InvalidSession));
        assert_eq!(refusal.retry, Retry::NewSession);
        assert_eq!(refusal.to_string(), "Invalid Session (code 3)");
    }

    #[test]
    fn failing_checks_are_told() {
        let json = r#"{"message":"no","code":15,"retryHint":0,"failingPostureCheckIds":["a","b"]}"#;
        let refusal = closed("no", None, Some(json));
        assert_eq!(refusal.code, Some(ErrorCode::PostureCheckFailed));
        assert_eq!(refusal.failing_checks, ["a", "b"]);
    }
}
