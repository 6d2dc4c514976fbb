//! Conversion of use-case errors to their wire form.

use super::ApiError;
use crate::challenge;
use http::{StatusCode, header};
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::listing::ListError;
use portcullis_app::sessions::LoginError;
use portcullis_app::{AppError, NotAllowedError, ServiceSessionError, TooManyRequestsError};
use portcullis_domain::FieldError;
use std::borrow::Cow;

impl From<AppError> for ApiError {
    fn from(error: AppError) -> Self {
        // No catch-all arm: a new variant has to be given its wire form here.
        match error {
            AppError::Denied { rule: None } => Self::new(Code::Unauthorized),
            AppError::Denied { rule: Some(rule) } => with_message(Code::Unauthorized, rule),
            AppError::NotFound { kind, id } => {
                let text = format!("{kind} with id {id} not found");
                Self::new(Code::NotFound).with_cause(Cause::text(text))
            },
            AppError::Field(error) => Self::field(error),
            AppError::InvalidField(error) => {
                Self::new(Code::InvalidField).with_cause(Cause::text(format_field_error(&error)))
            },
            AppError::MissingReference(error) => Self::new(Code::NotFound).with_cause(error),
            AppError::InUse(error) => {
                Self::new(Code::CanNotDeleteReferencedEntity).with_cause(error)
            },
            AppError::NotAllowed(error) => error.into(),
            AppError::Overloaded(error) => error.into(),
            AppError::TimedOut | AppError::NotReady => Self::new(Code::Timeout).retry_after(1),
            AppError::Store(error) if error.is_full() => Self::unavailable()
                .with_detail(error)
                .with_admin_cause(FULL_DISK),
            AppError::Store(error) if error.is_transient() => {
                Self::unavailable().with_detail(error)
            },
            AppError::Store(error) => Self::new(Code::Unhandled).with_detail(error),
            AppError::Entropy(error) => Self::unavailable().with_detail(error),
            AppError::Listing(error) => error.into(),
            AppError::Enrollment(error) => error.into(),
            AppError::Authenticator(error) => error.into(),
            AppError::Csr(error) => error.into(),
            AppError::Mfa(error) => error.into(),
            AppError::ServiceSession(error) => error.into(),
            AppError::CaProof(error) => error.into(),
            AppError::InvalidCertificatePem => Self::new(Code::InvalidCertPem),
            error @ AppError::SnapshotFailed(_) => with_message(Code::Unhandled, error.to_string()),
            error @ (AppError::AlreadyInitialized | AppError::Internal(_)) => {
                Self::new(Code::Unhandled).with_detail(error)
            },
        }
    }
}

/// What administrators are told of a change that a full disk has prevented.
const FULL_DISK: &str = "the disk that holds the store is full; make room on it, then try again";

impl ApiError {
    /// A failure that may be over in a few seconds.
    fn unavailable() -> Self {
        Self::new(Code::Unhandled)
            .with_status(StatusCode::SERVICE_UNAVAILABLE)
            .retry_after(5)
    }

    /// Converts an error of an operation whose "not found" is the code alone.
    pub fn without_not_found_cause(error: AppError) -> Self {
        match error {
            AppError::NotFound { .. } => Self::new(Code::NotFound),
            error => error.into(),
        }
    }
}

impl From<NotAllowedError> for ApiError {
    fn from(error: NotAllowedError) -> Self {
        match error {
            NotAllowedError::Update { rule } => with_message(Code::EntityCanNotBeUpdated, rule),
            NotAllowedError::UpdateEdgeRouter => with_message(
                Code::CanNotUpdateRouter,
                "this is an edge router; use the edge-routers API to change it",
            ),
            NotAllowedError::Delete { rule: None } => Self::new(Code::EntityCanNotBeDeleted),
            NotAllowedError::Delete { rule: Some(rule) } => {
                with_message(Code::EntityCanNotBeDeleted, rule)
            },
        }
    }
}

impl From<TooManyRequestsError> for ApiError {
    fn from(error: TooManyRequestsError) -> Self {
        match error {
            TooManyRequestsError::Store => Self::new(Code::ServerTooManyRequests)
                .with_status(StatusCode::SERVICE_UNAVAILABLE)
                .retry_after(1),
            TooManyRequestsError::Passwords => {
                Self::new(Code::ServerTooManyRequests).retry_after(1)
            },
            TooManyRequestsError::WrongPasswords(throttled) => {
                Self::new(Code::ServerTooManyRequests).retry_after(throttled.retry_after)
            },
            TooManyRequestsError::RateLimit { rule, seconds } => {
                with_message(Code::RateLimited, rule).retry_after(seconds)
            },
        }
    }
}

impl From<ServiceSessionError> for ApiError {
    fn from(error: ServiceSessionError) -> Self {
        match error {
            ServiceSessionError::InvalidPosture(failures) => {
                Self::new(Code::InvalidPosture).with_cause(Cause::posture(&failures))
            },
            ServiceSessionError::NoEdgeRouters => Self::new(Code::NoEdgeRoutersAvailable),
        }
    }
}

impl From<LoginError> for ApiError {
    fn from(error: LoginError) -> Self {
        match error {
            // The same response for all reasons; the log has the reason.
            LoginError::Refused(reason) => Self::new(Code::InvalidAuth).with_detail(reason),
            LoginError::NoToken(challenge) => {
                let error =
                    Self::unauthenticated().with_detail("no acceptable token was presented");
                match challenge::external_signer(challenge::PRIMARY_REALM, &challenge) {
                    Some(value) => error.with_header(header::WWW_AUTHENTICATE, value),
                    None => error,
                }
            },
            LoginError::Failed(error) => error.into(),
        }
    }
}

impl From<ListError> for ApiError {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Filter(text) | ListError::Roles(text) => {
                Self::new(Code::InvalidFilter).with_cause(Cause::text(text))
            },
            ListError::Sort(text) => {
                Self::new(Code::InvalidSortIdentifier).with_cause(Cause::text(text))
            },
            ListError::Number { parameter, value } => {
                Self::field(FieldError::new(parameter, "must be an integer", value))
            },
        }
    }
}

/// An error with a message as its cause, which is also logged: messages contain no secrets.
pub(super) fn with_message(code: Code, text: impl Into<Cow<'static, str>>) -> ApiError {
    let text = text.into();
    ApiError::new(code)
        .with_detail(&text)
        .with_cause(Cause::text(text))
}

/// Formats an invalid field as one sentence.
fn format_field_error(error: &FieldError) -> String {
    let value: String = error.value.chars().take(64).collect();
    let (field, reason) = (&error.field, &error.reason);
    if value.is_empty() {
        return format!("{field}: {reason}");
    }
    format!("the value '{value}' for '{field}' is invalid: {reason}")
}
