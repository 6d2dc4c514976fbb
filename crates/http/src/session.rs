//! Sessions of requests, resolved from their headers.

use crate::challenge;
use crate::error::ApiError;
use http::{HeaderMap, HeaderName, header};
use portcullis_api::error::Cause;
use portcullis_app::signers::{BearerTokenError, BearerTokens};
use portcullis_app::{App, sessions};
use portcullis_domain::access::{Caller, Origin};
use portcullis_listener::Connection;
use secrecy::SecretString;
use std::sync::Arc;

/// The header that carries a session token.
pub(crate) const ZT_SESSION: HeaderName = HeaderName::from_static("zt-session");

/// The realm of access tokens.
const ACCESS_TOKEN_REALM: &str = "openziti-oidc";

/// The credentials in the headers of a request.
enum Credentials<'h> {
    /// A session token.
    Session(&'h str),
    /// Bearer tokens, of which one may be an access token.
    Bearer,
    /// No credentials.
    Missing,
}

/// Which header of a request holds the token of its session. Access tokens are long, so they are
/// copied only where they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionCredential {
    /// The session token.
    SessionToken,
    /// The bearer token at this position.
    AccessToken(usize),
}

impl SessionCredential {
    /// The token, from the headers that it was found in.
    pub(crate) fn token(self, headers: &HeaderMap) -> SecretString {
        let token = match self {
            Self::SessionToken => zt_session(headers),
            Self::AccessToken(position) => bearer_values(headers).nth(position),
        };
        token.unwrap_or_default().into()
    }
}

/// Resolves the session of a request.
///
/// # Errors
///
/// 401 with challenges that name the credentials to send.
pub(crate) async fn resolve(
    app: &App,
    headers: &HeaderMap,
    connection: &Connection,
    origin: Origin,
) -> Result<(Arc<Caller>, SessionCredential), ApiError> {
    match credentials(headers) {
        Credentials::Session(token) => {
            let credentials = sessions::PresentedCredentials {
                token,
                certificates: &connection.certificates(),
                tokens: bearer_tokens(headers),
            };
            match sessions::resolve(app, credentials, origin).await? {
                Some(caller) => Ok((caller, SessionCredential::SessionToken)),
                None => Err(challenge::unauthenticated(&[(
                    "zt-session",
                    "zt-session",
                    "invalid",
                )])),
            }
        },
        Credentials::Bearer => {
            let tokens = bearer_tokens(headers);
            let certificates = connection.certificates();
            match sessions::resolve_bearer(app, tokens, &certificates, origin).await? {
                Ok((caller, position)) => Ok((caller, SessionCredential::AccessToken(position))),
                Err(BearerTokenError::Missing) => Err(nothing_presented()),
                Err(BearerTokenError::Invalid) => Err(bad_access_token("invalid")),
                Err(BearerTokenError::Expired) => Err(bad_access_token("expired")),
            }
        },
        Credentials::Missing => Err(nothing_presented().with_cause(Cause::text(
            "no credentials: send the zt-session header or a bearer token",
        ))),
    }
}

/// The answer to a request without a token that could open a session.
fn nothing_presented() -> ApiError {
    challenge::unauthenticated(&[
        ("zt-session", "zt-session", "missing"),
        ("Bearer", ACCESS_TOKEN_REALM, "missing"),
    ])
}

fn bad_access_token(error: &str) -> ApiError {
    challenge::unauthenticated(&[("Bearer", ACCESS_TOKEN_REALM, error)])
}

fn credentials(headers: &HeaderMap) -> Credentials<'_> {
    match zt_session(headers) {
        Some(token) => Credentials::Session(token),
        None if has_bearer(headers) => Credentials::Bearer,
        None => Credentials::Missing,
    }
}

fn zt_session(headers: &HeaderMap) -> Option<&str> {
    let token = headers.get(ZT_SESSION)?.to_str().ok()?;
    (!token.is_empty()).then_some(token)
}

/// Collects the bearer tokens of a request, for external signers.
pub(crate) fn bearer_tokens(headers: &HeaderMap) -> BearerTokens<'_> {
    BearerTokens::new(bearer_values(headers))
}

pub(crate) fn first_bearer(headers: &HeaderMap) -> Option<SecretString> {
    bearer_values(headers).next().map(SecretString::from)
}

fn has_bearer(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        value
            .as_bytes()
            .strip_prefix(b"Bearer ")
            .is_some_and(|token| !token.is_empty())
    })
}

/// The bearer tokens of a request that are text. The scheme is matched case-sensitively.
fn bearer_values(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::AUTHORIZATION).iter();
    values
        .filter_map(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .filter(|token| !token.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[test]
    fn credentials_are_told_apart() {
        let kind = |pairs| match credentials(&headers(pairs)) {
            Credentials::Session(_) => "session",
            Credentials::Bearer => "bearer",
            Credentials::Missing => "nothing",
        };
        assert_eq!(
            kind(&[("zt-session", "t"), ("authorization", "Bearer x")]),
            "session"
        );
        assert_eq!(kind(&[("authorization", "Bearer x")]), "bearer");
        for nothing in [
            &[][..],
            &[("zt-session", "")],
            &[("authorization", "bearer x")],
            &[("authorization", "Basic x")],
            &[("authorization", "Bearer ")],
        ] {
            assert_eq!(kind(nothing), "nothing", "{nothing:?}");
        }
    }
}
