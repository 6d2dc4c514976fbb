//! Who issued a token, when, and for how long.

use crate::client::Client;
use crate::issuer::{Issuer, Issuers};
use portcullis_domain::clock::{SignedDuration, Timestamp};

pub use portcullis_domain::oidc_session::TokenId;

/// What differs between two tokens of one kind and session.
#[derive(Debug, Clone)]
pub struct TokenTerms<'t> {
    pub issuer: &'t Issuer,
    pub id: TokenId,
    pub issued_at: Timestamp,
    pub lifetime: SignedDuration,
}

impl TokenTerms<'_> {
    pub(super) fn iat(&self) -> i64 {
        self.issued_at.as_second()
    }

    pub(super) fn exp(&self) -> i64 {
        self.iat().saturating_add(self.lifetime.as_secs())
    }
}

/// What a token is held against.
#[derive(Debug, Clone, Copy)]
pub struct Validation<'v> {
    /// The issuers whose tokens count.
    pub issuers: &'v Issuers,
    /// The client that presents it; `None` where any registered one may.
    pub client: Option<Client>,
    pub now: Timestamp,
    /// How far the clock of the controller that issued it may differ.
    pub leeway: SignedDuration,
}

/// A token with a good signature does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ClaimsError {
    #[error("the token was issued by somebody else")]
    Issuer,
    #[error("the token was issued to another client")]
    Audience,
    #[error("the token has expired")]
    Expired,
    #[error("the token is from the future")]
    NotYetValid,
}

impl Validation<'_> {
    pub(super) fn check_issuer(&self, iss: &str) -> Result<(), ClaimsError> {
        if self.issuers.contains(iss) {
            Ok(())
        } else {
            Err(ClaimsError::Issuer)
        }
    }

    pub(super) fn check_client(&self, client: Client) -> Result<(), ClaimsError> {
        match self.client {
            Some(expected) if expected != client => Err(ClaimsError::Audience),
            _ => Ok(()),
        }
    }

    /// Checks an expiry. At that second the token is over.
    pub(super) fn check_expiry(&self, exp: i64) -> Result<(), ClaimsError> {
        if self.now.as_second() >= exp.saturating_add(self.leeway.as_secs()) {
            return Err(ClaimsError::Expired);
        }
        Ok(())
    }

    /// Checks a time that must not lie in the future.
    pub(super) fn check_begin(&self, begin: i64) -> Result<(), ClaimsError> {
        if begin > self.now.as_second().saturating_add(self.leeway.as_secs()) {
            return Err(ClaimsError::NotYetValid);
        }
        Ok(())
    }
}
