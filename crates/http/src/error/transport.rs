//! Wire form of errors about requests that reach no handler, or whose handler takes too long.

use super::ApiError;
use http::{HeaderValue, Method, StatusCode, header};
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_domain::FieldError;
use portcullis_listener::{BodyError, HeadRefusal};

/// Bytes of a method that are logged or quoted.
const MAX_METHOD_BYTES: usize = 32;

impl From<HeadRefusal> for ApiError {
    /// Says nothing of the request itself: bytes that cannot be parsed cannot be told from a secret
    /// either.
    fn from(refusal: HeadRefusal) -> Self {
        Self::field(FieldError::new(refusal.field(), refusal.reason(), ""))
            .with_status(refusal.status())
            .with_detail(refusal.reason())
    }
}

impl From<BodyError> for ApiError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge { .. } => {
                let mut refusal = Self::new(Code::RequestEntityTooLarge);
                refusal.is_bare = true;
                refusal
            },
            BodyError::TooSlow => Self::new(Code::Timeout)
                .with_status(StatusCode::REQUEST_TIMEOUT)
                .with_detail(error),
            BodyError::OutOfMemory => Self::new(Code::ServerTooManyRequests)
                .retry_after(1)
                .with_detail(error),
            BodyError::Broken(_) => Self::new(Code::CouldNotReadBody).with_detail(error),
        }
    }
}

impl ApiError {
    /// Nothing is served at `path`.
    pub(crate) fn unknown_path(path: &str) -> Self {
        Self::new(Code::NotFound).with_cause(Cause::text(format!(
            "nothing is served at {path}; check the path and the API version"
        )))
    }

    /// The path supports other methods than `given`.
    pub(crate) fn unsupported_method(given: &Method, supported: &[Method]) -> Self {
        let supported: Vec<_> = supported.iter().map(Method::as_str).collect();
        let supported = supported.join(", ");
        let error = Self::new(Code::MethodNotAllowed).with_cause(Cause::text(format!(
            "the method {} is not supported here; use {supported}",
            truncated_method(given)
        )));
        match HeaderValue::try_from(supported) {
            Ok(value) => error.with_header(header::ALLOW, value),
            Err(_) => error,
        }
    }

    /// The body is of a media type that the route does not take.
    pub(crate) fn unsupported_content_type(given: &str, supported: &[&str]) -> Self {
        let supported = supported.join(" or ");
        let reason = format!("the content type \"{given}\" is not supported here; use {supported}");
        Self::field(FieldError::new("Content-Type", reason, given))
            .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    }

    /// The client accepts no media type that the route produces.
    pub(crate) fn not_acceptable(given: &str) -> Self {
        let reason =
            "the response is not available in any of these types; send Accept: application/json";
        Self::field(FieldError::new("Accept", reason, given))
            .with_status(StatusCode::NOT_ACCEPTABLE)
    }

    /// The handler took too long.
    pub(crate) fn timeout() -> Self {
        Self::new(Code::Timeout).retry_after(1)
    }
}

/// Returns a method for logs and error messages. No standard method is truncated.
pub(crate) fn truncated_method(method: &Method) -> &str {
    let method = method.as_str();
    method.get(..MAX_METHOD_BYTES).unwrap_or(method)
}
