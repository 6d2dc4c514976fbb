//! Answers of the token endpoint (RFC 6749 section 5.1).

use super::Provider;
use super::id_token::{self, Expectation, IdTokenError};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::IdentityId;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use std::time::Duration;

/// Lifetime of access tokens of which nothing says how long they last.
const DEFAULT_LIFETIME: Duration = Duration::from_mins(5);

/// Tokens of a session.
#[derive(Debug, Clone)]
pub struct Tokens {
    pub access_token: SecretString,
    /// Good for one renewal; the tokens that it brings replace it.
    pub refresh_token: Option<SecretString>,
    /// Lifetime of the access token.
    pub expires_in: Duration,
    /// Whose session it is.
    pub identity: IdentityId,
}

/// The answer, before its ID token is checked.
#[derive(Deserialize)]
pub(crate) struct TokenResponse {
    pub(crate) access_token: SecretString,
    pub(crate) token_type: String,
    #[serde(default)]
    pub(crate) refresh_token: Option<SecretString>,
    /// Recommended only (RFC 6749 section 5.1).
    #[serde(default)]
    pub(crate) expires_in: Option<u64>,
    #[serde(default)]
    pub(crate) id_token: Option<SecretString>,
}

impl TokenResponse {
    /// The tokens of a login, whose authorization request had this nonce.
    pub(crate) fn of_login(
        self,
        provider: &Provider,
        nonce: &str,
        now: Timestamp,
    ) -> Result<Tokens, IdTokenError> {
        let identity = self.holder(provider, Some(nonce), None, now)?;
        Ok(self.of(identity.ok_or(IdTokenError::Missing)?, now))
    }

    /// The tokens of a refresh of a session of `identity`. There may be no ID token among them (OpenID
    /// Connect Core section 12.2).
    pub(crate) fn of_refresh(
        self,
        provider: &Provider,
        identity: &IdentityId,
        now: Timestamp,
    ) -> Result<Tokens, IdTokenError> {
        self.holder(provider, None, Some(identity), now)?;
        Ok(self.of(identity.clone(), now))
    }

    fn holder(
        &self,
        provider: &Provider,
        nonce: Option<&str>,
        subject: Option<&IdentityId>,
        now: Timestamp,
    ) -> Result<Option<IdentityId>, IdTokenError> {
        let Some(token) = &self.id_token else {
            return Ok(None);
        };
        let expected = Expectation {
            issuer: provider.issuer(),
            nonce,
            subject,
            access_token: self.access_token.expose_secret(),
            now,
        };
        id_token::check(token.expose_secret(), &expected).map(Some)
    }

    fn of(self, identity: IdentityId, now: Timestamp) -> Tokens {
        let told = self.expires_in.map(Duration::from_secs);
        let lifetime = told.or_else(|| time_left(self.access_token.expose_secret(), now));
        Tokens {
            access_token: self.access_token,
            refresh_token: self.refresh_token,
            expires_in: lifetime.unwrap_or(DEFAULT_LIFETIME),
            identity,
        }
    }
}

/// How long a token lasts by its own claim, if it is a JWT.
fn time_left(token: &str, now: Timestamp) -> Option<Duration> {
    #[derive(Deserialize)]
    struct Claims {
        exp: i64,
    }
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: Claims = serde_json::from_slice(&claims).ok()?;
    let seconds = claims.exp.saturating_sub(now.as_second());
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetime_is_that_of_the_token_unless_it_is_told() {
        let now = Timestamp::from_second(1_000).unwrap();
        let jwt = format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(r#"{"exp":1060}"#));
        for (token, told, seconds) in [
            (&*jwt, Some(30), 30),
            (&jwt, None, 60),
            ("opaque", None, 300),
        ] {
            let answer = TokenResponse {
                access_token: token.into(),
                token_type: "Bearer".to_owned(),
                refresh_token: None,
                expires_in: told,
                id_token: None,
            };
            let tokens = answer.of(IdentityId::from_wire("me"), now);
            assert_eq!(tokens.expires_in.as_secs(), seconds, "{token}");
        }
    }
}
