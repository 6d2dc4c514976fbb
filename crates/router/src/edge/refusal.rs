//! Why a request of an SDK is refused, and how it is told.

use portcullis_wire::control::refusal::Refusal as ControllerRefusal;
use portcullis_wire::edge::{ConnectionId, StateClosed, UpdateTokenFailure};
use portcullis_wire::{ErrorCode, RetryHint};
use serde::Serialize;

/// What the C SDK compares the reason with to renew its session for a service.
const INVALID_SESSION: &str = "Invalid Session";

/// Why a request of an SDK is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A text for people.
    pub reason: String,
    /// `None` for a text alone.
    pub kind: Option<RefusalKind>,
}

/// A refusal that SDKs can act upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalKind {
    pub code: ErrorCode,
    pub hint: RetryHint,
    /// If posture is the cause: the checks that fail.
    pub failing_checks: Vec<String>,
}

/// The JSON of header 1033.
#[derive(Serialize)]
struct Structured<'a> {
    message: &'a str,
    code: u32,
    #[serde(rename = "retryHint")]
    retry_hint: u32,
    #[serde(
        rename = "failingPostureCheckIds",
        skip_serializing_if = "<[String]>::is_empty"
    )]
    failing_checks: &'a [String],
}

impl Refusal {
    /// A text alone.
    pub fn text(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            kind: None,
        }
    }

    /// A refusal with the hint that its code usually has.
    pub fn new(code: ErrorCode, reason: impl Into<String>) -> Self {
        Self::hinted(code, usual_hint(code), reason)
    }

    pub fn hinted(code: ErrorCode, hint: RetryHint, reason: impl Into<String>) -> Self {
        let failing_checks = Vec::new();
        Self {
            reason: reason.into(),
            kind: Some(RefusalKind {
                code,
                hint,
                failing_checks,
            }),
        }
    }

    /// Something is full; the SDK may try again later.
    pub fn busy(reason: impl Into<String>) -> Self {
        Self::hinted(ErrorCode::Internal, RetryHint::Busy, reason)
    }

    /// Policies permit it, and posture does not.
    pub fn posture(failing_checks: Vec<String>) -> Self {
        let code = ErrorCode::PostureCheckFailed;
        Self {
            reason: "posture checks failed".to_owned(),
            kind: Some(RefusalKind {
                code,
                hint: usual_hint(code),
                failing_checks,
            }),
        }
    }

    pub fn code(&self) -> Option<ErrorCode> {
        self.kind.as_ref().map(|kind| kind.code)
    }

    /// The message that tells an SDK.
    pub fn into_state_closed(self, connection: ConnectionId) -> StateClosed {
        StateClosed {
            connection: Some(connection),
            code: self.code(),
            structured_error: self.structured(),
            reason: self.body(),
            ..StateClosed::default()
        }
    }

    pub fn into_token_failure(self) -> UpdateTokenFailure {
        UpdateTokenFailure {
            code: self.code(),
            structured_error: self.structured(),
            reason: self.body(),
        }
    }

    fn structured(&self) -> Option<String> {
        let kind = self.kind.as_ref()?;
        let structured = Structured {
            message: &self.reason,
            code: kind.code.code(),
            retry_hint: kind.hint.code(),
            failing_checks: &kind.failing_checks,
        };
        serde_json::to_string(&structured).ok()
    }

    fn body(self) -> String {
        match self.code() {
            Some(ErrorCode::InvalidSession) => INVALID_SESSION.to_owned(),
            _ => self.reason,
        }
    }
}

/// What a controller refuses, for the SDK on whose behalf it was asked.
impl From<ControllerRefusal> for Refusal {
    fn from(refusal: ControllerRefusal) -> Self {
        let code = refusal.code.unwrap_or(ErrorCode::Internal);
        let hint = refusal.retry_hint.unwrap_or_default();
        Self::hinted(code, hint, refusal.reason)
    }
}

/// The hint that controllers give with a code.
const fn usual_hint(code: ErrorCode) -> RetryHint {
    match code {
        ErrorCode::InvalidApiSession
        | ErrorCode::InvalidSession
        | ErrorCode::WrongSessionType
        | ErrorCode::InvalidEdgeRouterForSession
        | ErrorCode::EncryptionDataMissing => RetryHint::StartOver,
        ErrorCode::InvalidService
        | ErrorCode::TunnelingNotEnabled
        | ErrorCode::InvalidTerminator
        | ErrorCode::InvalidPrecedence
        | ErrorCode::InvalidCost
        | ErrorCode::InvalidInstanceId => RetryHint::NotRetriable,
        _ => RetryHint::Default,
    }
}
