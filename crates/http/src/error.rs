//! Errors in their wire form: status, code, cause, headers.

mod app;
mod certificates;
mod mfa;

use http::{HeaderName, HeaderValue, StatusCode, header};
use portcullis_api::code::Code;
use portcullis_api::decode::DecodeError;
use portcullis_api::error::{BareError, Cause, ErrorBody};
use portcullis_api::json;
use portcullis_domain::FieldError;
use portcullis_domain::access::Denied;
use portcullis_domain::ids::RequestId;

/// A refusal as the client sees it.
#[derive(Debug)]
pub struct ApiError {
    /// Its status.
    pub status: StatusCode,
    /// Its code.
    pub code: Code,
    /// What led to it, as far as clients may know.
    pub cause: Option<Box<Cause>>,
    /// Headers besides those that every answer has.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether it comes without the envelope.
    pub is_bare: bool,
    /// What led to it, for the log only.
    pub detail: Option<String>,
}

impl ApiError {
    /// The error that belongs to a code.
    pub fn new(code: Code) -> Self {
        Self {
            // The table of codes holds valid statuses only; a test walks over it.
            status: StatusCode::from_u16(code.status())
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code,
            cause: None,
            headers: Vec::new(),
            is_bare: false,
            detail: None,
        }
    }

    /// The same error with what led to it.
    #[must_use]
    pub fn because(self, cause: impl Into<Cause>) -> Self {
        Self {
            cause: Some(Box::new(cause.into())),
            ..self
        }
    }

    /// The same error under another status.
    #[must_use]
    pub fn status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same error with one more header.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The same error with an explanation for the log.
    #[must_use]
    pub fn detail(self, detail: impl std::fmt::Display) -> Self {
        Self {
            detail: Some(detail.to_string()),
            ..self
        }
    }

    /// A member of the request is at fault.
    pub fn field(error: FieldError) -> Self {
        Self::new(Code::CouldNotValidate).because(error)
    }

    /// The request has no valid session.
    pub fn unauthenticated() -> Self {
        Self::new(Code::Unauthorized)
    }

    /// Nothing can be done now; the client may try again after `seconds`.
    #[must_use]
    pub fn retry_after(self, seconds: u32) -> Self {
        self.with(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// The body of the answer.
    pub(crate) fn body(&self, request: RequestId) -> Vec<u8> {
        if self.is_bare {
            return json::to_bytes(&BareError::from(self.code));
        }
        let mut body = ErrorBody::new(self.code, request);
        body.error.cause = self.cause.as_deref().cloned();
        json::to_bytes(&body)
    }
}

impl From<DecodeError> for ApiError {
    fn from(error: DecodeError) -> Self {
        Self::new(error.code()).because(error.into_cause())
    }
}

impl From<Denied> for ApiError {
    fn from(_denied: Denied) -> Self {
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
