//! Answers of the token endpoint (RFC 6749 section 5.1).

use super::Provider;
use super::id_token::{self, Expectation, IdTokenError};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::IdentityId;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use std::time::Duration;

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
    #[serde(default)]
    pub(crate) expires_in: u64,
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
        Ok(self.of(identity.ok_or(IdTokenError::Missing)?))
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
        Ok(self.of(identity.clone()))
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

    fn of(self, identity: IdentityId) -> Tokens {
        Tokens {
            access_token: self.access_token,
            refresh_token: self.refresh_token,
            expires_in: Duration::from_secs(self.expires_in),
            identity,
        }
    }
}
