//! Unparsed responses.

use crate::error::RefusalError;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use portcullis_api::error::ErrorBody;

/// Begin of the challenge to a session whose access token has expired. Those to external JWTs have
/// another realm.
const EXPIRED: &str = r#"realm="openziti-oidc" error="expired""#;

/// An unparsed response with any status.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Reply {
    /// Returns the response if its status is a success.
    ///
    /// # Errors
    ///
    /// [`RefusalError`] for any other status.
    pub fn into_success(self) -> Result<Self, Box<RefusalError>> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(Box::new(RefusalError {
            status: self.status.as_u16(),
            body: self.error(),
            retry_after: self.retry_after(),
        }))
    }

    /// Whether the access token of the session has expired.
    pub(crate) fn says_token_has_expired(&self) -> bool {
        let challenges = self.headers.get_all(header::WWW_AUTHENTICATE).into_iter();
        let mut challenges = challenges.filter_map(|challenge| challenge.to_str().ok());
        self.status == StatusCode::UNAUTHORIZED
            && challenges.any(|challenge| challenge.contains(EXPIRED))
    }

    /// Seconds to wait before another attempt, from the header `Retry-After`.
    pub fn retry_after(&self) -> Option<u64> {
        let value = self.headers.get(header::RETRY_AFTER)?;
        value.to_str().ok()?.parse().ok()
    }

    /// The error in the body, with or without an envelope.
    fn error(&self) -> Option<ErrorBody> {
        if let Ok(body) = serde_json::from_slice(&self.body) {
            return Some(body);
        }
        let error = serde_json::from_slice(&self.body).ok()?;
        Some(ErrorBody {
            error,
            meta: portcullis_api::error::ErrorMeta::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_api::code::Code;

    fn reply(status: StatusCode, body: &str) -> Reply {
        let mut headers = HeaderMap::new();
        headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("7"));
        Reply {
            status,
            headers,
            body: Bytes::from(body.to_owned()),
        }
    }

    #[test]
    fn errors_are_read_in_each_form() {
        let enveloped = r#"{"error":{"code":"NOT_FOUND","message":"m","requestId":"r"},"meta":{}}"#;
        let bare = r#"{"code":"REQUEST_ENTITY_TOO_LARGE","message":"m","cause":null}"#;
        for (body, code) in [
            (enveloped, Some(Code::NotFound)),
            (bare, Some(Code::RequestEntityTooLarge)),
            ("<html>", None),
            ("", None),
        ] {
            let refusal = reply(StatusCode::NOT_FOUND, body)
                .into_success()
                .unwrap_err();
            assert_eq!((refusal.status, refusal.retry_after), (404, Some(7)));
            assert_eq!(refusal.code(), code, "{body}");
        }
        assert!(reply(StatusCode::CREATED, "").into_success().is_ok());
    }
}
