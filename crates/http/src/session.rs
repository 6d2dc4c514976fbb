//! From the headers of a request to the session behind it.

use crate::challenge;
use crate::error::ApiError;
use crate::listen::Connection;
use http::{HeaderMap, HeaderName, header};
use portcullis_api::error::Cause;
use portcullis_app::signers::BearerTokens;
use portcullis_app::{App, sessions};
use portcullis_domain::access::{Caller, Origin};
use secrecy::{ExposeSecret as _, SecretString};
use std::sync::Arc;

/// The header that carries the token of a session.
pub(crate) const ZT_SESSION: HeaderName = HeaderName::from_static("zt-session");

/// Credentials as they stand in the headers.
enum Presented {
    /// The token of a session.
    Session(SecretString),
    /// Bearer tokens only. None opens a session here.
    Bearer,
    /// Nothing that counts as a credential.
    Nothing,
}

/// Establishes the session of a request.
///
/// # Errors
///
/// 401 with the challenges that say which credentials would do.
pub(crate) async fn establish(
    app: &App,
    headers: &HeaderMap,
    connection: &Connection,
    origin: Origin,
) -> Result<(Arc<Caller>, SecretString), ApiError> {
    match presented(headers) {
        Presented::Session(token) => {
            let presented = sessions::Presented {
                token: token.expose_secret(),
                certificates: &connection.certificates(),
                tokens: &bearer_tokens(headers),
            };
            match sessions::resolve(app, presented, origin).await? {
                Some(caller) => Ok((caller, token)),
                None => Err(challenge::unauthenticated(&[(
                    "zt-session",
                    "zt-session",
                    "invalid",
                )])),
            }
        },
        Presented::Bearer => Err(challenge::unauthenticated(&[(
            "Bearer",
            "openziti-oidc",
            "invalid",
        )])),
        Presented::Nothing => Err(challenge::unauthenticated(&[
            ("zt-session", "zt-session", "missing"),
            ("Bearer", "openziti-oidc", "missing"),
        ])
        .because(Cause::text(
            "no credentials: send the zt-session header or a bearer token",
        ))),
    }
}

fn presented(headers: &HeaderMap) -> Presented {
    let token = headers
        .get(ZT_SESSION)
        .and_then(|value| value.to_str().ok());
    match token {
        Some(token) if !token.is_empty() => Presented::Session(token.into()),
        _ if has_bearer(headers) => Presented::Bearer,
        _ => Presented::Nothing,
    }
}

/// The tokens of external signers among the credentials of a request.
pub(crate) fn bearer_tokens(headers: &HeaderMap) -> BearerTokens {
    BearerTokens::new(bearers(headers))
}

/// The first bearer token of a request.
pub(crate) fn first_bearer(headers: &HeaderMap) -> Option<SecretString> {
    bearers(headers).next().map(SecretString::from)
}

fn has_bearer(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        value
            .as_bytes()
            .strip_prefix(b"Bearer ")
            .is_some_and(|token| !token.is_empty())
    })
}

/// The bearer tokens of a request, as far as they are text. The scheme is written in this very way.
fn bearers(headers: &HeaderMap) -> impl Iterator<Item = &str> {
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
        let kind = |pairs| match presented(&headers(pairs)) {
            Presented::Session(_) => "session",
            Presented::Bearer => "bearer",
            Presented::Nothing => "nothing",
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
