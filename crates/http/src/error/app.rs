//! Conversion of use-case errors to their wire form.

use super::ApiError;
use crate::challenge;
use http::{StatusCode, header};
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::AppError;
use portcullis_app::listing::ListError;
use portcullis_app::sessions::LoginError;
use portcullis_domain::FieldError;
use portcullis_domain::enrollment::{EnrollmentMethodKind, RedemptionError};
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
            AppError::Listing(error) => error.into(),
            AppError::NotDeletable { rule: None } => Self::new(Code::EntityCanNotBeDeleted),
            AppError::NotDeletable { rule: Some(rule) } => {
                with_message(Code::EntityCanNotBeDeleted, rule)
            },
            AppError::NotUpdatable { rule } => with_message(Code::EntityCanNotBeUpdated, rule),
            AppError::InUse(error) => {
                Self::new(Code::CanNotDeleteReferencedEntity).with_cause(error)
            },
            AppError::EnrollmentExists(method) => {
                Self::new(Code::EnrollmentExists).with_cause(enrollment_exists(method))
            },
            AppError::AuthenticatorExists(_) => Self::new(Code::MaxAuthenticatorMethodsReached),
            AppError::AuthenticatorNotUpdatable => Self::new(Code::CanNotUpdateAuthenticator),
            AppError::WrongPassword => Self::new(Code::Unauthorized).with_cause(FieldError::new(
                "currentPassword",
                "is wrong; send the current password of the caller",
                "",
            )),
            AppError::NotOneCertificatePem => Self::new(Code::CouldNotParsePemBlock),
            AppError::UntrustedCertificate => Self::new(Code::CertificateFailedValidation),
            AppError::UnexpectedCertificate => Self::new(Code::InvalidClientCert),
            AppError::UnknownToken => Self::new(Code::InvalidEnrollmentToken),
            AppError::Redemption(error) => error.into(),
            AppError::AlreadyEnrolled => Self::new(Code::EnrollmentIdentityAlreadyEnrolled),
            AppError::EnrollmentNotAllowed => Self::new(Code::InvalidEnrollmentNotAllowed),
            AppError::InvalidCertificatePem => Self::new(Code::InvalidCertPem),
            AppError::CaProof(error) => error.into(),
            AppError::EnrollmentCertificate(error) => error.into(),
            AppError::Mfa(error) => error.into(),
            AppError::InvalidPosture(failures) => {
                Self::new(Code::InvalidPosture).with_cause(Cause::posture(&failures))
            },
            AppError::NoEdgeRouters => Self::new(Code::NoEdgeRoutersAvailable),
            AppError::Csr(reason) => with_message(Code::CouldNotProcessCsr, reason),
            error @ AppError::MissingCsr(_) => {
                with_message(Code::MissingOrInvalidCsr, error.to_string())
            },
            AppError::RouterNotUpdatable => with_message(
                Code::CanNotUpdateRouter,
                "this is an edge router; use the edge-routers API to change it",
            ),
            AppError::RateLimited { rule, seconds } => {
                with_message(Code::RateLimited, rule).retry_after(seconds)
            },
            error @ AppError::SnapshotFailed(_) => with_message(Code::Unhandled, error.to_string()),
            AppError::TooManyPasswords => Self::new(Code::ServerTooManyRequests).retry_after(1),
            AppError::PasswordsThrottled(throttled) => {
                Self::new(Code::ServerTooManyRequests).retry_after(throttled.retry_after)
            },
            AppError::Overloaded => Self::new(Code::ServerTooManyRequests)
                .with_status(StatusCode::SERVICE_UNAVAILABLE)
                .retry_after(1),
            AppError::TimedOut | AppError::NotReady => Self::new(Code::Timeout).retry_after(1),
            AppError::Store(error) if error.is_transient() => Self::new(Code::Unhandled)
                .with_status(StatusCode::SERVICE_UNAVAILABLE)
                .retry_after(5)
                .with_detail(error),
            AppError::Store(error) => Self::new(Code::Unhandled).with_detail(error),
            AppError::Entropy(error) => Self::new(Code::Unhandled)
                .with_status(StatusCode::SERVICE_UNAVAILABLE)
                .retry_after(5)
                .with_detail(error),
            error @ (AppError::AlreadyInitialised | AppError::Internal(_)) => {
                Self::new(Code::Unhandled).with_detail(error)
            },
        }
    }
}

fn enrollment_exists(method: EnrollmentMethodKind) -> FieldError {
    let reason =
        "the identity already has an enrollment of this method; refresh or delete that one";
    FieldError::new("method", reason, method.name())
}

impl From<RedemptionError> for ApiError {
    fn from(error: RedemptionError) -> Self {
        Self::new(match error {
            RedemptionError::WrongMethod => Code::InvalidEnrollMethod,
            RedemptionError::Expired => Code::EnrollmentExpired,
        })
    }
}

impl From<LoginError> for ApiError {
    fn from(error: LoginError) -> Self {
        match error {
            // The same response for all reasons; the log has the reason.
            LoginError::Refused(reason) => Self::new(Code::InvalidAuth).with_detail(reason),
            LoginError::NoToken(demand) => {
                let error =
                    Self::unauthenticated().with_detail("no acceptable token was presented");
                match challenge::external_signer(challenge::PRIMARY_REALM, &demand) {
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
fn with_message(code: Code, text: impl Into<Cow<'static, str>>) -> ApiError {
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
