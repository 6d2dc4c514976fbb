//! Errors of requests.

mod denial;

pub use denial::Denial;

use portcullis_api::code::Code;
use portcullis_api::error::{Cause, ErrorBody};
use rustls::CertificateError;
use std::fmt;
use std::io;

/// A request failed. The variants differ in what a program can do about it.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// There is no connection: the name does not resolve, nothing listens, or what listens is no
    /// controller. The request was not sent, so any request may be sent again, and
    /// [`RetryPolicy`](crate::RetryPolicy) does so.
    #[error("the controller at {address} cannot be reached")]
    Unreachable {
        /// Host and port.
        address: String,
        #[source]
        source: io::Error,
    },
    /// The connection broke, or the time was over, before the whole response was there. The request
    /// may have taken effect: look before you send one again that is not idempotent.
    #[error("the controller at {address} did not answer")]
    Interrupted {
        /// Host and port.
        address: String,
        #[source]
        source: io::Error,
    },
    /// The certificate of the server is not trusted. Ask a person.
    #[error("the controller at {address} is not trusted")]
    Untrusted {
        /// Host and port.
        address: String,
        #[source]
        source: PeerCertificateError,
    },
    /// The controller refused the request, for a reason that [`RefusalError::code`] tells: log in
    /// again, correct the request, or send it again after [`RefusalError::retry_after`].
    #[error(transparent)]
    Refused(Box<RefusalError>),
    /// The controller refused a step of a login by OpenID Connect, or to renew its session: log in again.
    #[error(transparent)]
    Denied(Denial),
    /// The access token has expired and could not be renewed. Nothing was sent.
    #[error(transparent)]
    Renewal(#[from] RenewalError),
    /// The response is not a valid response of a controller. The request may have taken effect.
    #[error("the response of {address} to `{request}` is not valid: {reason}")]
    UnexpectedResponse {
        /// Host and port.
        address: String,
        /// Method and path.
        request: String,
        reason: String,
    },
    /// The list cannot be read to its end in this order. Ask for less, or for another order.
    #[error(transparent)]
    Paging(#[from] PagingError),
    /// The request could not be built from what the program gave. Nothing was sent.
    #[error("the request is not valid: {0}")]
    InvalidRequest(String),
}

/// There is no access token that counts.
#[derive(Debug, thiserror::Error)]
#[error("the session cannot be renewed")]
pub struct RenewalError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// A list could not be read page by page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PagingError {
    /// A page began elsewhere than was asked for, as with `skip` inside the filter.
    #[error(
        "the list changed while it was being read: the page starts at {found}, not at {expected}"
    )]
    Moved { expected: i64, found: i64 },
    /// A sorted list is longer than the highest offset.
    #[error("the controller cannot page beyond {limit} in a sorted list")]
    TooFar { limit: i64 },
}

/// The certificate of the server was rejected.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", describe(.0))]
pub struct PeerCertificateError(CertificateError);

impl PeerCertificateError {
    /// The certificate error of `rustls`, if it is one.
    pub(crate) fn from_tls_error(error: &rustls::Error) -> Option<Self> {
        match error {
            rustls::Error::InvalidCertificate(fault) => Some(Self(fault.clone())),
            _ => None,
        }
    }

    /// Whether no trusted CA has issued the certificate, as far as that was looked at.
    pub fn is_unknown_issuer(&self) -> bool {
        matches!(
            self.0,
            CertificateError::UnknownIssuer | CertificateError::BadSignature
        )
    }
}

fn describe(fault: &CertificateError) -> &'static str {
    match fault {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired"
        },
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "its certificate is not valid yet"
        },
        CertificateError::UnknownIssuer => "its certificate was not issued by a trusted CA",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "its certificate is for another host name"
        },
        CertificateError::Revoked => "its certificate was revoked",
        _ => "its certificate is not valid",
    }
}

impl ClientError {
    /// The error response, if this is one.
    pub fn refusal(&self) -> Option<&RefusalError> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Unreachable { .. }
            | Self::Interrupted { .. }
            | Self::Untrusted { .. }
            | Self::Denied(_)
            | Self::Renewal(_)
            | Self::UnexpectedResponse { .. }
            | Self::Paging(_)
            | Self::InvalidRequest(_) => None,
        }
    }

    /// Whether the controller was not there, or went away before it had answered.
    pub fn is_disconnected(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Interrupted { .. })
    }

    /// Whether the controller refused the request with this code.
    pub fn is_refused_with(&self, code: Code) -> bool {
        self.refusal().and_then(RefusalError::code) == Some(code)
    }
}

/// A response with an error status.
#[derive(Debug, Clone, PartialEq)]
pub struct RefusalError {
    pub status: u16,
    /// The error body, if it could be parsed.
    pub body: Option<ErrorBody>,
    /// Seconds to wait before another attempt, from the header `Retry-After`.
    pub retry_after: Option<u64>,
}

impl RefusalError {
    /// The error code, if it is a known one.
    pub fn code(&self) -> Option<Code> {
        self.body.as_ref().and_then(ErrorBody::code)
    }

    /// The id of the request, by which administrators find it in the log of the controller.
    pub fn request_id(&self) -> Option<&str> {
        let body = self.body.as_ref()?;
        Some(body.error.request_id.as_str()).filter(|id| !id.is_empty())
    }
}

impl fmt::Display for RefusalError {
    /// Writes message, code and causes, innermost last.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(body) = &self.body else {
            return write!(
                formatter,
                "the controller answered with status {}",
                self.status
            );
        };
        let error = &body.error;
        write!(
            formatter,
            "the controller refused: {} ({})",
            error.message, error.code
        )?;
        let mut cause = error.cause.as_ref();
        while let Some(current) = cause {
            cause = write_cause(formatter, current)?;
        }
        Ok(())
    }
}

impl std::error::Error for RefusalError {}

/// Writes one cause and returns the next one.
fn write_cause<'c>(
    formatter: &mut fmt::Formatter<'_>,
    cause: &'c Cause,
) -> Result<Option<&'c Cause>, fmt::Error> {
    match cause {
        Cause::Field(field) => write!(formatter, ": {}: {}", field.field, field.reason)?,
        Cause::Nested(nested) => {
            if !nested.message.is_empty() {
                write!(formatter, ": {}", nested.message)?;
            }
            return Ok(nested.cause.as_deref());
        },
        Cause::Other(members) => {
            if let Some(message) = members.get("message").and_then(|message| message.as_str()) {
                write!(formatter, ": {message}")?;
            }
        },
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::FieldError;
    use portcullis_domain::ids::RequestId;
    use serde_json::json;

    fn refusal(body: Option<ErrorBody>) -> RefusalError {
        RefusalError {
            status: 400,
            body,
            retry_after: None,
        }
    }

    #[test]
    fn refusals_say_what_led_to_them() {
        let request = || RequestId::from_wire("r");
        let not_found = || ErrorBody::new(Code::NotFound, request());
        let text = |body: ErrorBody| refusal(Some(body)).to_string();
        assert_eq!(
            text(ErrorBody::field(
                FieldError::new("name", "is taken", "x"),
                request()
            )),
            "the controller refused: The request is not valid (COULD_NOT_VALIDATE): name: is taken"
        );
        let nested =
            json!({"code": "A", "message": "outer", "cause": {"code": "B", "message": "inner"}});
        let nested = serde_json::from_value(nested).unwrap();
        assert!(text(not_found().with_cause(nested)).ends_with("(NOT_FOUND): outer: inner"));
        let data = Cause::data(json!({"x": 1}), Some("why".to_owned()));
        assert!(text(not_found().with_cause(data)).ends_with("(NOT_FOUND): why"));
        assert_eq!(
            refusal(None).to_string(),
            "the controller answered with status 400"
        );
    }

    #[test]
    fn code_is_found() {
        let body = ErrorBody::new(Code::NotFound, RequestId::from_wire("r"));
        let error = ClientError::Refused(Box::new(refusal(Some(body))));
        assert!(error.is_refused_with(Code::NotFound));
        assert!(!error.is_refused_with(Code::Unauthorized));
        assert!(!ClientError::InvalidRequest(String::new()).is_refused_with(Code::NotFound));
    }
}
