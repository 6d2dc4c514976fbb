//! Errors in their wire form: status, code, cause, headers.

mod app;
mod certificates;
mod credentials;
mod mfa;
mod transport;

pub(crate) use transport::truncated_method;

use http::{HeaderName, HeaderValue, StatusCode, header};
use portcullis_api::code::Code;
use portcullis_api::decode::DecodeError;
use portcullis_api::error::{BareError, Cause, ErrorBody};
use portcullis_api::json;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, AccessDeniedError, Caller};
use portcullis_domain::ids::RequestId;
use serde::Serialize;
use std::borrow::Cow;

/// An error as the client sees it.
#[derive(Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: Code,
    /// The cause that clients may know.
    pub cause: Option<Box<Cause>>,
    /// The cause that only administrators may know.
    pub admin_cause: Option<&'static str>,
    /// Headers besides those that every response has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether the body has no envelope.
    pub is_bare: bool,
    /// Details for the log only.
    pub detail: Option<String>,
}

impl ApiError {
    pub fn new(code: Code) -> Self {
        Self {
            // The table of codes has valid statuses only; a test checks all of them.
            status: StatusCode::from_u16(code.status())
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            cause: None,
            admin_cause: None,
            headers: Vec::new(),
            is_bare: false,
            detail: None,
        }
    }

    /// Sets the cause.
    #[must_use]
    pub fn with_cause(self, cause: impl Into<Cause>) -> Self {
        Self {
            cause: Some(Box::new(cause.into())),
            ..self
        }
    }

    /// Sets a cause that only administrators may know.
    #[must_use]
    pub fn with_admin_cause(self, cause: &'static str) -> Self {
        Self {
            admin_cause: Some(cause),
            ..self
        }
    }

    /// Shows `caller` the cause that only administrators may know, if it is one.
    #[must_use]
    pub fn disclose_to(self, caller: &Caller) -> Self {
        match self.admin_cause {
            Some(cause) if caller.has_access(Access::Admin) => self.with_cause(Cause::text(cause)),
            _ => self,
        }
    }

    /// Replaces the status.
    #[must_use]
    pub fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Adds a header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Sets the details for the log.
    #[must_use]
    pub fn with_detail(self, detail: impl std::fmt::Display) -> Self {
        Self {
            detail: Some(detail.to_string()),
            ..self
        }
    }

    /// An invalid member of the request.
    pub fn field(error: FieldError) -> Self {
        Self::new(Code::CouldNotValidate).with_cause(error)
    }

    /// A request without a valid session.
    pub fn unauthenticated() -> Self {
        Self::new(Code::Unauthorized)
    }

    /// Asks the client to try again after `seconds`.
    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        self.with_header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    pub(crate) fn body(&self, request: RequestId) -> Vec<u8> {
        if self.is_bare {
            return json::to_bytes(&BareError::from(self.code));
        }
        let mut body = ErrorBody::new(self.code, request);
        body.error.cause = self.cause.as_deref().cloned();
        json::to_bytes(&body)
    }
}

/// The body of an error of a login by OIDC.
#[derive(Serialize)]
struct LoginErrorBody<'e> {
    code: &'e str,
    message: Cow<'e, str>,
}

impl ApiError {
    /// The body of the error where logins by OIDC are served: code and message alone. Media types
    /// have codes of their own there.
    pub(crate) fn login_body(&self) -> Vec<u8> {
        let code = match self.status {
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "UNSUPPORTED_MEDIA_TYPE",
            StatusCode::NOT_ACCEPTABLE => "NOT_ACCEPTABLE",
            _ => self.code.name(),
        };
        let cause = self.cause.as_deref().and_then(Cause::message);
        let message = cause.map_or(Cow::Borrowed(self.code.message()), Cow::Owned);
        json::to_bytes(&LoginErrorBody { code, message })
    }

    /// The error as one of the server, if it may be over soon: some clients give up after any other.
    #[must_use]
    pub(crate) fn into_server_error(self) -> Self {
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => self.with_status(StatusCode::SERVICE_UNAVAILABLE),
            _ => self,
        }
    }
}

impl From<DecodeError> for ApiError {
    fn from(error: DecodeError) -> Self {
        Self::new(error.code()).with_cause(error.into_cause())
    }
}

impl From<AccessDeniedError> for ApiError {
    fn from(_denied: AccessDeniedError) -> Self {
        Self::new(Code::Unauthorized)
    }
}

impl From<FieldError> for ApiError {
    fn from(error: FieldError) -> Self {
        Self::field(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_valid_status() {
        for &code in Code::ALL {
            assert_eq!(
                ApiError::new(code).status.as_u16(),
                code.status(),
                "{code:?}"
            );
        }
    }
}
