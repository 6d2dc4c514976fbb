//! Bodies of error responses.

mod posture;

use crate::code::Code;
use crate::decode::DecodeError;
use crate::describe::JsonSchema;
use portcullis_domain::FieldError;
use portcullis_domain::ids::RequestId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The body of an error: the error and the versions of the API.
///
/// # Examples
///
/// ```
/// use portcullis_api::code::Code;
/// use portcullis_api::error::{Cause, ErrorBody};
/// use portcullis_domain::ids::RequestId;
///
/// let body = ErrorBody::new(Code::NotFound, RequestId::from_wire("r1"))
///     .with_cause(Cause::text("identity with id x not found"));
/// let json = serde_json::to_value(body)?;
/// assert_eq!(json["error"]["code"], "NOT_FOUND");
/// assert_eq!(json["error"]["cause"]["code"], "UNHANDLED");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    rename = "Error",
    description = "The body of an error: the error and the versions of the API."
)]
pub struct ErrorBody {
    /// The error.
    pub error: ApiError,
    /// The versions of the API.
    #[serde(default)]
    pub meta: ErrorMeta,
}

/// An error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiError {
    /// Cause of the error, if more is known than the code says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Error code; other servers may send codes that [`Code`] does not have.
    #[schemars(with = "crate::schema::ErrorCode", description = "Error code.")]
    pub code: Cow<'static, str>,
    /// Human-readable message.
    pub message: Cow<'static, str>,
    /// Request id, which also appears in the logs of the controller.
    #[serde(default = "unknown_request")]
    #[schemars(with = "String")]
    pub request_id: RequestId,
}

/// The versions of the API that stand in every error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorMeta {
    /// Version of the enrollment API.
    pub api_enrollment_version: Cow<'static, str>,
    /// Version of the API.
    pub api_version: Cow<'static, str>,
}

impl Default for ErrorMeta {
    fn default() -> Self {
        // OpenZiti has never changed these, whatever the API version.
        Self {
            api_enrollment_version: Cow::Borrowed("0.0.1"),
            api_version: Cow::Borrowed("0.0.1"),
        }
    }
}

/// Cause of an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cause {
    /// A field of the request has an invalid value.
    Field(FieldCause),
    /// Another error.
    Nested(NestedCause),
    /// Something else: data, a message, or an unknown form.
    Other(serde_json::Map<String, Value>),
}

/// A field of the request that has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldCause {
    /// Path of the field in the request.
    pub field: String,
    /// Reason why the value is invalid.
    pub reason: String,
    /// The given value, as text.
    #[serde(default, deserialize_with = "text_or_null")]
    pub value: String,
}

/// An error that caused another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NestedCause {
    /// Cause of this error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Box<Cause>>,
    /// Error code; `UNHANDLED` if no other code fits.
    pub code: Cow<'static, str>,
    /// Human-readable message.
    #[serde(default)]
    pub message: Cow<'static, str>,
}

impl Cause {
    /// A cause without a code of its own.
    pub fn text(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Nested(NestedCause {
            cause: None,
            code: Code::Unhandled.name().into(),
            message: message.into(),
        })
    }

    /// The cause in words, if it has any.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Field(cause) => Some(format!("{} {}", cause.field, cause.reason)),
            Self::Nested(cause) => Some(cause.message.clone().into_owned()),
            Self::Other(_) => None,
        }
    }

    /// Another error, with the message of its code.
    pub fn nested(code: Code) -> Self {
        Self::Nested(NestedCause {
            cause: None,
            code: code.name().into(),
            message: code.message().into(),
        })
    }

    /// Data that clients evaluate, with or without a message.
    pub fn data(data: Value, message: Option<String>) -> Self {
        let mut members = serde_json::Map::new();
        members.insert("data".to_owned(), data);
        if let Some(message) = message {
            members.insert("message".to_owned(), message.into());
        }
        Self::Other(members)
    }
}

impl Cause {
    /// The fingerprint of the certificate concerned, as data.
    pub fn fingerprint(fingerprint: &str) -> Self {
        Self::data(serde_json::json!({"fingerprint": fingerprint}), None)
    }
}

impl From<FieldError> for Cause {
    fn from(error: FieldError) -> Self {
        Self::Field(FieldCause {
            field: error.field,
            reason: error.reason,
            value: error.value,
        })
    }
}

impl ErrorBody {
    /// An error with the message of its code.
    pub fn new(code: Code, request: RequestId) -> Self {
        Self {
            error: ApiError {
                cause: None,
                code: code.name().into(),
                message: code.message().into(),
                request_id: request,
            },
            meta: ErrorMeta::default(),
        }
    }

    /// An invalid field of the request.
    pub fn field(error: FieldError, request: RequestId) -> Self {
        Self::new(Code::CouldNotValidate, request).with_cause(error.into())
    }

    #[must_use]
    pub fn with_cause(mut self, cause: Cause) -> Self {
        self.error.cause = Some(cause);
        self
    }

    /// The error code, if it is a known one.
    pub fn code(&self) -> Option<Code> {
        Code::from_name(&self.error.code)
    }
}

impl DecodeError {
    /// The code under which it is reported.
    pub fn code(&self) -> Code {
        match self {
            Self::Parse(_) => Code::CouldNotParseBody,
            Self::Field(_) => Code::CouldNotValidate,
        }
    }

    /// The cause that is reported with it.
    pub fn into_cause(self) -> Cause {
        match self {
            Self::Parse(text) => Cause::text(text),
            Self::Field(error) => error.into(),
        }
    }
}

/// An error without an envelope, for requests that are refused unread, such as those with too large a
/// body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BareError {
    /// Error code.
    pub code: Cow<'static, str>,
    /// Human-readable message.
    pub message: Cow<'static, str>,
    /// Cause of the error; `null` if unknown.
    pub cause: Option<Cause>,
}

impl From<Code> for BareError {
    fn from(code: Code) -> Self {
        Self {
            code: code.name().into(),
            message: code.message().into(),
            cause: None,
        }
    }
}

fn unknown_request() -> RequestId {
    RequestId::from_wire("")
}

fn text_or_null<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request() -> RequestId {
        RequestId::from_wire("r1")
    }

    #[test]
    fn causes_have_their_forms() {
        let nested = Cause::Nested(NestedCause {
            cause: Some(Box::new(Cause::nested(Code::CertInUse))),
            code: "X".into(),
            message: "y".into(),
        });
        for (cause, form) in [
            (
                Cause::from(FieldError::new("name", "is bad", "<nil>")),
                json!({"field": "name", "reason": "is bad", "value": "<nil>"}),
            ),
            (
                Cause::text("why"),
                json!({"code": "UNHANDLED", "message": "why"}),
            ),
            (
                nested,
                json!({"cause": {"code": "CERT_IN_USE", "message": Code::CertInUse.message()},
                       "code": "X", "message": "y"}),
            ),
            (
                Cause::data(json!({"fingerprint": "f"}), None),
                json!({"data": {"fingerprint": "f"}}),
            ),
            (
                Cause::data(json!({}), Some("m".to_owned())),
                json!({"data": {}, "message": "m"}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&cause).unwrap(), form);
            assert_eq!(serde_json::from_value::<Cause>(form).unwrap(), cause);
        }
    }

    #[test]
    fn absent_cause_is_left_out() {
        let body = ErrorBody::new(Code::InvalidAuth, request());
        assert_eq!(
            serde_json::to_value(&body).unwrap(),
            json!({
                "error": {
                    "code": "INVALID_AUTH",
                    "message": Code::InvalidAuth.message(),
                    "requestId": "r1"
                },
                "meta": {"apiEnrollmentVersion": "0.0.1", "apiVersion": "0.0.1"}
            })
        );
    }

    #[test]
    fn bare_error_has_a_null_cause() {
        let bare = serde_json::to_value(BareError::from(Code::RequestEntityTooLarge)).unwrap();
        assert_eq!(bare.get("cause"), Some(&Value::Null));
        assert_eq!(bare["code"], "REQUEST_ENTITY_TOO_LARGE");
    }

    #[test]
    fn errors_of_other_servers_are_read() {
        let text = json!({"error": {"code": "NEW_CODE", "message": "m", "args": {}, "cause": null,
                                    "requestId": "q"}, "meta": {}, "extra": 1});
        let error: Result<ErrorBody, _> = serde_json::from_value(text);
        let error = error.unwrap();
        assert_eq!(error.code(), None);
        assert_eq!(error.error.code, "NEW_CODE");
        let short: ErrorBody =
            serde_json::from_value(json!({"error": {"code": "TIMEOUT", "message": ""}})).unwrap();
        assert_eq!(short.code(), Some(Code::Timeout));
    }

    #[test]
    fn decode_errors_are_reported_by_kind() {
        let parse = DecodeError::Parse("no JSON".to_owned());
        assert_eq!(parse.code(), Code::CouldNotParseBody);
        assert_eq!(parse.into_cause(), Cause::text("no JSON"));
        let field = DecodeError::Field(FieldError::new("a", "b", "c"));
        assert_eq!(field.code(), Code::CouldNotValidate);
        assert!(matches!(field.into_cause(), Cause::Field(_)));
    }
}
