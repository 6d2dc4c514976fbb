//! Forms of answers.

use crate::response::ApiResponse;
use http::{HeaderName, HeaderValue, StatusCode, header};
use portcullis_oidc::pages::{self, Page};
use serde::Serialize;

/// Answers of the provider say that they depend on the origin, as OpenZiti's do.
const VARY: (HeaderName, HeaderValue) = (header::VARY, HeaderValue::from_static("Origin"));

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// An error of OAuth 2.0 (RFC 6749 section 5.2).
#[derive(Serialize)]
struct OAuthError<'e> {
    error: &'e str,
    error_description: &'e str,
}

/// An error of a login.
#[derive(Serialize)]
struct LoginError<'e> {
    code: &'e str,
    message: &'e str,
}

/// An answer of the provider that may be kept.
pub(super) fn public_json(data: &impl Serialize) -> ApiResponse {
    ApiResponse::bare_json(StatusCode::OK, data).with_header(VARY.0, VARY.1)
}

/// An answer of the provider that must not be kept (RFC 6749 section 5.1).
pub(super) fn private_json(data: &impl Serialize) -> ApiResponse {
    public_json(data).with_header(header::CACHE_CONTROL, NO_STORE)
}

pub(super) fn oauth_error(status: StatusCode, error: &str, description: &str) -> ApiResponse {
    let body = OAuthError {
        error,
        error_description: description,
    };
    ApiResponse::bare_json(status, &body).with_header(VARY.0, VARY.1)
}

pub(super) fn login_error(status: StatusCode, code: &str, message: &str) -> ApiResponse {
    ApiResponse::bare_json(status, &LoginError { code, message })
}

/// A redirect of the provider, with a link for programs that show it.
pub(super) fn redirect(location: &str) -> ApiResponse {
    let link = format!("<a href=\"{}\">Found</a>.\n\n", escape(location));
    let response = ApiResponse::raw("text/html; charset=utf-8", link)
        .with_status(StatusCode::FOUND)
        .with_header(VARY.0, VARY.1);
    with_location(response, location)
}

/// A redirect at the end of a step of a login.
pub(super) fn bare_redirect(location: &str) -> ApiResponse {
    with_location(ApiResponse::without_body(StatusCode::FOUND), location)
}

fn with_location(response: ApiResponse, location: &str) -> ApiResponse {
    match HeaderValue::try_from(location) {
        Ok(location) => response.with_header(header::LOCATION, location),
        // Redirect URIs are registered, and parameters encoded.
        Err(_invalid) => response.with_status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// A page for a person.
pub(super) fn page(status: StatusCode, page: Page) -> ApiResponse {
    let mut response = ApiResponse::raw("text/html; charset=utf-8", page.html).with_status(status);
    if let Ok(policy) = HeaderValue::try_from(page.content_security_policy) {
        response = response.with_header(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, pages::REFERRER_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        response = response.with_header(name, HeaderValue::from_static(value));
    }
    response
}

/// Escapes a URI for an attribute of HTML.
fn escape(uri: &str) -> String {
    uri.replace('&', "&amp;")
        .replace('"', "&#34;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
