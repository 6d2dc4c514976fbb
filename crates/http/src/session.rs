//! From the headers of a request to the session behind it.

use crate::error::ApiError;
use crate::listen::Connection;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use portcullis_api::error::Cause;
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
pub(crate) fn establish(
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
            };
            match sessions::resolve(app, presented, origin)? {
                Some(caller) => Ok((caller, token)),
                None => Err(challenge(&[("zt-session", "zt-session", "invalid")])),
            }
        },
        Presented::Bearer => Err(challenge(&[("Bearer", "openziti-oidc", "invalid")])),
        Presented::Nothing => Err(challenge(&[
            ("zt-session", "zt-session", "missing"),
            ("Bearer", "openziti-oidc", "missing"),
        ])
        .because(Cause::text("the request carries no credentials"))),
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

fn has_bearer(headers: &HeaderMap) -> bool {
    headers.get_all(header::AUTHORIZATION).iter().any(|value| {
        value
            .as_bytes()
            .strip_prefix(b"Bearer ")
            .is_some_and(|token| !token.is_empty())
    })
}

/// 401 with one challenge per scheme, joined into one header: scheme, realm, what is wrong.
fn challenge(schemes: &[(&str, &str, &str)]) -> ApiError {
    let challenges: Vec<_> = schemes
        .iter()
        .map(|(scheme, realm, error)| {
            let description = match *error {
                "missing" => "no matching token was provided",
                _ => "token is invalid",
            };
            format!(
                "{scheme} realm=\"{realm}\" error=\"{error}\" error_description=\"{description}\""
            )
        })
        .collect();
    let error = ApiError::unauthenticated();
    match HeaderValue::try_from(challenges.join(",")) {
        Ok(value) => error.with(header::WWW_AUTHENTICATE, value),
        Err(_) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn challenges_are_joined_by_a_comma() {
        let error = challenge(&[("a", "r", "missing"), ("b", "s", "invalid")]);
        let (_, value) = error.headers.first().unwrap();
        assert_eq!(
            value.to_str().unwrap(),
            concat!(
                r#"a realm="r" error="missing" error_description="no matching token was provided","#,
                r#"b realm="s" error="invalid" error_description="token is invalid""#
            )
        );
    }
}
