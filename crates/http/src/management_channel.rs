//! The opening of the management channel: a GET that turns its connection into a `WebSocket` (RFC 6455).
//!
//! It is no [`Route`](crate::route::Route): it answers whatever the method is, and most of its refusals are
//! plain text, as clients of OpenZiti know them. Session and permission are those of any request, and come
//! first.

use crate::response::{ApiResponse, ResponseContent};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_listener::Upgrade;
use sha1::{Digest as _, Sha1};

/// Where it is, within the fabric API; with a slash at the end, nothing is there.
pub(crate) const PATH: &str = "/ws-api";

/// Serves the management channel over connections that were opened for it.
pub trait ManagementChannel: Send + Sync + 'static {
    /// Takes a caller in: what serves its connection, or `None` if there are too many already.
    fn open(&self, permit: Permit<OpenChannel>) -> Option<Upgrade>;
}

/// Appended to the key of a client before it is hashed (RFC 6455, section 1.3).
const ACCEPT_GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Bytes that the key of a client stands for.
const KEY_BYTES: usize = 16;

/// The value of `Sec-WebSocket-Accept` for a request, or the answer to one that is not as it should be.
pub(crate) fn check(request: &Parts, has_body: bool) -> Result<HeaderValue, ApiResponse> {
    if request.method != Method::GET {
        return Err(refusal(
            StatusCode::METHOD_NOT_ALLOWED,
            "Method Not Allowed",
        ));
    }
    let bad_request = || refusal(StatusCode::BAD_REQUEST, "Bad Request");
    let headers = &request.headers;
    let is_upgrade = request.version == Version::HTTP_11
        && !has_body
        && has_token(headers, &header::CONNECTION, "upgrade")
        && has_token(headers, &header::UPGRADE, "websocket")
        && single(headers, &header::SEC_WEBSOCKET_VERSION) == Some("13");
    let key = single(headers, &header::SEC_WEBSOCKET_KEY).filter(|_| is_upgrade);
    let accept = key.and_then(accept_value).ok_or_else(bad_request)?;
    if !is_own_origin(headers) {
        return Err(refusal(StatusCode::FORBIDDEN, "Forbidden"));
    }
    Ok(accept)
}

/// The answer after which the connection is a `WebSocket`.
pub(crate) fn switching(accept: HeaderValue, upgrade: Upgrade) -> ApiResponse {
    ApiResponse {
        status: StatusCode::SWITCHING_PROTOCOLS,
        content_type: None,
        headers: vec![
            (header::CONNECTION, HeaderValue::from_static("Upgrade")),
            (header::UPGRADE, HeaderValue::from_static("websocket")),
            (header::SEC_WEBSOCKET_ACCEPT, accept),
        ],
        body: ResponseContent::Upgrade(upgrade),
    }
}

fn refusal(status: StatusCode, text: &'static str) -> ApiResponse {
    let content_type = "text/plain; charset=utf-8";
    let refusal = ApiResponse::raw(content_type, Bytes::from_static(text.as_bytes()))
        .with_status(status)
        .with_header(
            header::SEC_WEBSOCKET_VERSION,
            HeaderValue::from_static("13"),
        )
        .with_header(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
    if status == StatusCode::METHOD_NOT_ALLOWED {
        refusal.with_header(header::ALLOW, HeaderValue::from_static("GET"))
    } else {
        refusal
    }
}

/// The value of `Sec-WebSocket-Accept`; `None` for what is no key.
fn accept_value(key: &str) -> Option<HeaderValue> {
    let bytes = STANDARD.decode(key).ok()?;
    if bytes.len() != KEY_BYTES {
        return None;
    }
    let hash = Sha1::new()
        .chain_update(key.as_bytes())
        .chain_update(ACCEPT_GUID)
        .finalize();
    HeaderValue::try_from(STANDARD.encode(hash)).ok()
}

/// Whether a header, which is a list of tokens, has one.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|given| given.trim().eq_ignore_ascii_case(token))
}

/// The value of a header that is there once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?.trim();
    values.next().is_none().then_some(value)
}

/// Whether a page sends the request that is of the same host, or no page does. Browsers let any page open a
/// `WebSocket` anywhere.
fn is_own_origin(headers: &HeaderMap) -> bool {
    if !headers.contains_key(header::ORIGIN) {
        return true;
    }
    let origin = single(headers, &header::ORIGIN).and_then(|origin| origin.split_once("://"));
    match (origin, single(headers, &header::HOST)) {
        (Some((_scheme, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    /// The example of RFC 6455, section 1.3.
    const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
    const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    /// A good request with other headers, of which empty ones are left out.
    fn request(others: &[(&'static str, &'static str)]) -> Parts {
        let (mut parts, ()) = Request::new(()).into_parts();
        for (name, value) in [
            ("host", "ctrl.example:1280"),
            ("connection", "keep-alive, Upgrade"),
            ("upgrade", "WebSocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", KEY),
        ] {
            parts.headers.insert(name, HeaderValue::from_static(value));
        }
        for &(name, value) in others {
            if value.is_empty() {
                parts.headers.remove(name);
            } else {
                parts.headers.insert(name, HeaderValue::from_static(value));
            }
        }
        parts
    }

    fn status(others: &[(&'static str, &'static str)]) -> u16 {
        check(&request(others), false).map_or_else(|answer| answer.status.as_u16(), |_| 101)
    }

    #[test]
    fn key_is_answered_as_the_standard_says() {
        assert_eq!(check(&request(&[]), false).unwrap(), ACCEPT);
    }

    #[test]
    fn what_is_no_upgrade_is_refused() {
        for others in [
            ("connection", ""),
            ("connection", "keep-alive"),
            ("upgrade", ""),
            ("upgrade", "h2c"),
            ("sec-websocket-version", ""),
            ("sec-websocket-version", "8"),
            ("sec-websocket-key", ""),
            ("sec-websocket-key", "short"),
            ("sec-websocket-key", "AAAA"),
        ] {
            assert_eq!(status(&[others]), 400, "{others:?}");
        }
        let with_body = check(&request(&[]), true).unwrap_err();
        assert_eq!(with_body.status, 400);
        let mut twice = request(&[]);
        let key = HeaderValue::from_static(KEY);
        twice.headers.append("sec-websocket-key", key);
        assert_eq!(check(&twice, false).unwrap_err().status, 400);
        let mut http2 = request(&[]);
        http2.version = Version::HTTP_2;
        assert_eq!(check(&http2, false).unwrap_err().status, 400);
    }

    #[test]
    fn other_methods_are_refused_before_anything_else() {
        let mut post = request(&[("upgrade", "")]);
        post.method = Method::POST;
        let answer = check(&post, false).unwrap_err();
        assert_eq!(answer.status, 405);
        let headers: HeaderMap = answer.headers.into_iter().collect();
        assert_eq!(headers["sec-websocket-version"], "13");
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }

    #[test]
    fn pages_of_other_hosts_are_refused() {
        for (origin, expected) in [
            ("https://ctrl.example:1280", 101),
            ("https://CTRL.example:1280", 101),
            ("https://ctrl.example", 403),
            ("https://evil.example", 403),
            ("null", 403),
        ] {
            assert_eq!(status(&[("origin", origin)]), expected, "{origin}");
        }
    }
}
