//! Cross-origin requests (Fetch standard, "CORS protocol"), for consoles in browsers.
//!
//! Every origin is allowed: sessions travel in a header that a foreign page cannot guess, never
//! in a cookie.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header};

const METHODS: [Method; 6] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

/// Request headers that a page may send, with the spelling in which `Access-Control-Allow-Headers`
/// names them; `None` for those that need not be named.
const HEADERS: [(&str, Option<&str>); 8] = [
    ("accept", None),
    ("accept-language", None),
    ("content-language", None),
    ("origin", None),
    ("content-type", Some("Content-Type")),
    ("authorization", Some("Authorization")),
    ("zt-session", Some("Zt-Session")),
    ("mfa-validation-code", Some("Mfa-Validation-Code")),
];

/// Reports whether a browser sends the request for a page (`Origin`).
pub(crate) fn has_origin(request: &HeaderMap) -> bool {
    request.contains_key(header::ORIGIN)
}

/// Adds the headers that let a page read the response.
pub(crate) fn add_allow_headers(headers: &mut HeaderMap) {
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
        HeaderValue::from_static("true"),
    );
}

/// Answers `OPTIONS`: whether the page may send the announced request.
pub(crate) fn preflight(request: &HeaderMap) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    if !has_origin(request) {
        return response;
    }
    match check_preflight(request) {
        Ok(headers) => {
            add_allow_headers(response.headers_mut());
            for (name, value) in headers {
                response.headers_mut().insert(name, value);
            }
        },
        Err(status) => *response.status_mut() = status,
    }
    response
}

fn check_preflight(request: &HeaderMap) -> Result<Vec<(HeaderName, HeaderValue)>, StatusCode> {
    let mut allowed = Vec::new();
    let method = request
        .get(header::ACCESS_CONTROL_REQUEST_METHOD)
        .ok_or(StatusCode::BAD_REQUEST)?;
    if !METHODS
        .iter()
        .any(|known| known.as_str().as_bytes() == method.as_bytes())
    {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    if !matches!(method.as_bytes(), b"GET" | b"HEAD" | b"POST") {
        allowed.push((header::ACCESS_CONTROL_ALLOW_METHODS, method.clone()));
    }
    let requested = request
        .get_all(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("\u{0}").split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty());
    let mut canonical: Vec<&str> = Vec::new();
    for name in requested {
        match HEADERS.iter().find(|(known, _)| *known == name) {
            Some((_, form)) => canonical.extend(form.iter()),
            None => return Err(StatusCode::FORBIDDEN),
        }
    }
    if !canonical.is_empty()
        && let Ok(value) = HeaderValue::try_from(canonical.join(","))
    {
        allowed.push((header::ACCESS_CONTROL_ALLOW_HEADERS, value));
    }
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send_preflight(pairs: &[(&'static str, &'static str)]) -> Response<Bytes> {
        let headers = pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        preflight(&headers)
    }

    #[test]
    fn preflight_is_judged() {
        const ORIGIN: (&str, &str) = ("origin", "https://console.example");
        const METHOD: &str = "access-control-request-method";
        const HEADERS: &str = "access-control-request-headers";
        for (pairs, status) in [
            (&[][..], 200),
            (&[ORIGIN], 400),
            (&[ORIGIN, (METHOD, "TRACE")], 405),
            (&[ORIGIN, (METHOD, "PUT"), (HEADERS, "x-evil")], 403),
            (
                &[
                    ORIGIN,
                    (METHOD, "PUT"),
                    (HEADERS, "Content-Type, zt-session"),
                ],
                200,
            ),
        ] {
            assert_eq!(send_preflight(pairs).status().as_u16(), status, "{pairs:?}");
        }
        let good = send_preflight(&[
            ORIGIN,
            (METHOD, "PUT"),
            (HEADERS, "content-type, zt-session"),
        ]);
        assert_eq!(good.headers()["access-control-allow-origin"], "*");
        assert_eq!(good.headers()["access-control-allow-methods"], "PUT");
        assert_eq!(
            good.headers()["access-control-allow-headers"],
            "Content-Type,Zt-Session"
        );
    }
}
